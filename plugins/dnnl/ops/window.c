/* SPDX-License-Identifier: MIT */
/*
 * window.c - strides, dilations and padding of convolutions and pools, checked when claimed and
 * computed from sizes.
 */

#include "ops/window.h"

#include "base/claim.h"
#include "build/builder.h"

/* Has the attribute that many entries, or none? */
static bool has_count(const struct bp_dnnl_query *query, const char *name, uint32_t count)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(query->graph, query->node, name, &n);

    return !values || n == 0 || n == count;
}

/* Are all entries at least `low`, and within 31 bits, so that products of them cannot overflow? */
static bool is_positive(const struct bp_dnnl_query *query, const char *name, int64_t low)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(query->graph, query->node, name, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (values[i] < low || values[i] > INT32_MAX)
            return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, name,
                                  "%s has %lld, at least %lld is supported", name,
                                  (long long)values[i], (long long)low);
    }
    return true;
}

/*
 * Lists that are absent have ONNX's defaults; those of another length would be read beyond their
 * end.
 */
bool bp_dnnl_claims_window(const struct bp_dnnl_query *query, uint32_t n)
{
    static const char *const each[] = {"kernel_shape", "strides", "dilations", "output_shape"};

    for (uint32_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        if (!has_count(query, each[i], n))
            return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, each[i], "%s must have %u entries",
                                  each[i], n);
        if (!is_positive(query, each[i], 1))
            return false;
    }
    if (!has_count(query, "pads", 2 * n))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "pads", "pads must have %u entries", 2 * n);
    if (!has_count(query, "output_padding", n))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "output_padding",
                              "output_padding must have %u entries", n);
    return is_positive(query, "pads", 0) && is_positive(query, "output_padding", 0);
}

int64_t bp_dnnl_entry(const bp_graph *graph, const bp_node *node, const char *name, uint32_t i,
                      int64_t def)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(graph, node, name, &n);

    return i < n ? values[i] : def;
}

/*
 * With auto_pad the padding is what the sizes leave over: for SAME_UPPER the smaller half comes
 * first.
 */
static int64_t share(const struct bp_dnnl_builder *b, const bp_node *node, int64_t total)
{
    bool is_upper = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "SAME_UPPER");

    if (total <= 0 || bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "VALID"))
        return 0;
    return is_upper ? total / 2 : total - total / 2;
}

/*
 * By the sizes that the shape rule found, so that auto_pad and output_shape need no case of their
 * own.
 */
void bp_dnnl_window_make(const struct bp_dnnl_builder *b, const bp_node *node, uint32_t n,
                         const dnnl_dim_t *large, const dnnl_dim_t *small,
                         struct bp_dnnl_window *window)
{
    bool is_given = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "NOTSET") &&
                    !bp_node_attr(b->graph, node, "output_shape");

    for (uint32_t i = 0; i < n; i++) {
        int64_t dilation = bp_dnnl_entry(b->graph, node, "dilations", i, 1), total;

        window->strides[i] = bp_dnnl_entry(b->graph, node, "strides", i, 1);
        window->dilates[i] = dilation - 1;
        /* what all windows together need beyond the large size; negative: they leave some of it */
        total =
            (small[i] - 1) * window->strides[i] + (window->kernel[i] - 1) * dilation + 1 - large[i];
        if (is_given)
            window->before[i] = bp_dnnl_entry(b->graph, node, "pads", i, 0);
        else
            window->before[i] =
                share(b, node, total + bp_dnnl_entry(b->graph, node, "output_padding", i, 0));
        window->after[i] = total - window->before[i];
    }
}
