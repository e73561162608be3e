/* SPDX-License-Identifier: MIT */
/* resize_rule.c - the attributes of Resize and Upsample, see resize_axis.h. */

#include <common/resize_axis.h>

/* Values of the attributes, in the order of the enums; the first one is the default. */
static const char *const modes[] = {"nearest", "linear", "cubic"};
static const char *const coordinates[BP_RESIZE_COORDINATES] = {
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
    "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
static const char *const nearests[BP_RESIZE_NEARESTS] = {"round_prefer_floor", "round_prefer_ceil",
                                                         "floor", "ceil"};

/* Index of the attribute's value in a list, n when it is none of them. */
static uint32_t word_of(const bp_graph *graph, const bp_node *node, const char *name,
                        const char *const *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (bp_node_string_is(graph, node, name, words[0], words[i]))
            return i;
    }
    return n;
}

/* The first Upsample says "bilinear" where later versions say "linear". */
static uint32_t mode_of(const bp_graph *graph, const bp_node *node)
{
    if (bp_node_string_is(graph, node, "mode", "nearest", "bilinear"))
        return BP_RESIZE_LINEAR; /* its name in the first Upsample */
    return word_of(graph, node, "mode", modes, 3);
}

const char *bp_resize_rule_read(const bp_graph *graph, const bp_node *node,
                                struct bp_resize_rule *out)
{
    uint32_t mode = mode_of(graph, node);
    uint32_t coordinate =
        word_of(graph, node, "coordinate_transformation_mode", coordinates, BP_RESIZE_COORDINATES);
    uint32_t nearest = word_of(graph, node, "nearest_mode", nearests, BP_RESIZE_NEARESTS);

    *out = (struct bp_resize_rule){
        .mode = (enum bp_resize_interpolation)mode,
        .coordinate = (enum bp_resize_coordinate)coordinate,
        .nearest = (enum bp_resize_nearest)nearest,
        .cubic_a = (double)bp_node_float(graph, node, "cubic_coeff_a", -0.75f),
        .antialias = bp_node_int(graph, node, "antialias", 0) != 0,
        .exclude_outside = bp_node_int(graph, node, "exclude_outside", 0) != 0,
        .is_legacy = node->since < 11 || strcmp(node->op, "Upsample") == 0,
    };
    return mode == 3                             ? "mode"
           : coordinate == BP_RESIZE_COORDINATES ? "coordinate_transformation_mode"
           : nearest == BP_RESIZE_NEARESTS       ? "nearest_mode"
                                                 : NULL;
}
