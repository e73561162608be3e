/* SPDX-License-Identifier: MIT */
/* conv.c - Conv (ONNX 1, 11, 22) on Conv2D, which takes 1-D data too, and on Conv3D. */

#include "types.h"

/* Spatial dimensions that ACL has a convolution for. */
enum { MOST_SPATIAL = 3 };

/* The documented profile takes constants as weights only, and 1-D or 2-D data. */
static bool claim(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    bool is_strict = query->instance->profile == BP_CANN_DOCUMENTED;
    uint32_t spatial = x->rank < 2 ? 0 : x->rank - 2, most = is_strict ? 2 : MOST_SPATIAL;
    uint32_t n;

    (void)op;
    if (spatial < 1 || spatial > most)
        return bp_cann_refuse(query, BP_R_RANK, x->name, "spatial rank %u, provider takes 1..%u",
                              spatial, most);
    if (is_strict &&
        (!bp_cann_is_constant(query, 1, "weight") || !bp_cann_is_constant(query, 2, "bias")))
        return false;
    if (!bp_cann_takes(query, 1, UINT32_MAX) || !bp_cann_same_type(query, 0, 1) ||
        !bp_cann_same_type(query, 0, 2) || !bp_cann_takes_window(query, false))
        return false;
    bp_node_ints(query->graph, query->node, "dilations", &n);
    if (n != 0 && n != spatial)
        return bp_cann_refuse(query, BP_R_ATTRIBUTE, "dilations",
                              "dilations are not those of spatial rank %u", spatial);
    return true;
}

/* ACL's lists have ones for batch and channels before the node's values. */
static void set_list(struct bp_cann_build *b, const bp_node *node, const char *name, int spatial)
{
    int64_t values[2 + MOST_SPATIAL] = {1, 1, 1, 1, 1};
    uint32_t n;
    const int64_t *given = bp_node_ints(b->graph, node, name, &n);

    for (uint32_t i = 0; i < n && i < MOST_SPATIAL; i++)
        values[2 + i] = given[i];
    bp_cann_set_ints(b, name, 2 + spatial, values);
}

/* The layout follows from the number of spatial dimensions: NCL, NCHW or NCDHW. */
static void build(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    const struct bp_cann_tensor *x = bp_cann_in(b, 0), *w = bp_cann_in(b, 1);
    int spatial = x->rank - 2;
    bool is_solid = spatial == MOST_SPATIAL;
    aclFormat format = is_solid       ? ACL_FORMAT_NCDHW
                       : spatial == 2 ? ACL_FORMAT_NCHW
                                      : ACL_FORMAT_NCL;
    int64_t pads[2 * MOST_SPATIAL];

    (void)op;
    bp_cann_window_pads(b, &w->dims[2], spatial, pads);
    bp_cann_begin_call(b, is_solid ? "Conv3D" : "Conv2D");
    set_list(b, node, "strides", spatial);
    set_list(b, node, "dilations", spatial);
    bp_cann_set_ints(b, "pads", 2 * spatial, pads);
    bp_cann_set_int(b, "groups", bp_node_int(b->graph, node, "group", 1));
    bp_cann_set_string(b, "data_format", is_solid ? "NCDHW" : "NCHW");
    bp_cann_add_input(b, x, format);
    bp_cann_add_input(b, w, format);
    bp_cann_add_input(b, bp_cann_in(b, 2), ACL_FORMAT_ND);
    bp_cann_add_output(b, bp_cann_out(b, 0), format);
}

const struct bp_cann_op bp_cann_op_conv = {
    .name = "Conv",
    .acl = "Conv2D",
    .documented = {1, LATEST, REALS},
    .kernels = {{1, LATEST, HALF_FLOAT}},
    .claim = claim,
    .build = build,
};
