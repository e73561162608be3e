/* SPDX-License-Identifier: MIT */
/* window.c - see window.h. */

#include "ops/window.h"

/* Has the list as many entries as wanted, or none, each at least `low`? */
static bool takes_list(const struct bp_opencl_query *query, const char *name, uint32_t count,
                       int64_t low)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(query->graph, query->node, name, &n);

    if (n != 0 && n != count)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, name, "%s has %u entries, not %u", name, n,
                                count);
    for (uint32_t i = 0; i < n; i++) {
        if (values[i] < low || values[i] > INT32_MAX / 4)
            return bp_opencl_refuse(query, BP_R_ATTRIBUTE, name,
                                    "%s has %lld, the provider takes %lld and more", name,
                                    (long long)values[i], (long long)low);
    }
    return true;
}

bool bp_opencl_takes_window(const struct bp_opencl_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    uint32_t n;

    if (x->rank < 3 || x->rank > 2 + BP_OPENCL_SPATIAL)
        return bp_opencl_refuse(query, BP_R_RANK, x->name, "rank %u, the provider takes 3..5",
                                x->rank);
    n = x->rank - 2;
    return takes_list(query, "kernel_shape", n, 1) && takes_list(query, "strides", n, 1) &&
           takes_list(query, "dilations", n, 1) && takes_list(query, "output_shape", n, 1) &&
           takes_list(query, "pads", 2 * n, 0) && takes_list(query, "output_padding", n, 0);
}

/* With auto_pad, the padding before is half of what windows need beyond the large size. */
static int64_t share(const struct bp_opencl_builder *b, const bp_node *node, int64_t total)
{
    bool is_lower = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "SAME_LOWER");

    if (total <= 0 || bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "VALID"))
        return 0;
    return is_lower ? total - total / 2 : total / 2;
}

/*
 * Transposed convolutions with output_shape or auto_pad put the smaller half first only with
 * SAME_UPPER, as ONNX has it.
 */
static int64_t share_transposed(const struct bp_opencl_builder *b, const bp_node *node,
                                int64_t total)
{
    bool is_upper = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "SAME_UPPER");

    if (total <= 0 || bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "VALID"))
        return 0;
    return is_upper ? total / 2 : total - total / 2;
}

/* One spatial dimension i of n, which is dimension `to` of three. */
static void set_axis(struct bp_opencl_builder *b, const bp_node *node, uint32_t i, uint32_t n,
                     uint32_t to, bool is_transposed, int64_t large, int64_t small, int64_t kernel,
                     struct bp_opencl_window *w)
{
    bool is_given = bp_node_string_is(b->graph, node, "auto_pad", "NOTSET", "NOTSET") &&
                    !bp_node_attr(b->graph, node, "output_shape");
    int64_t stride = bp_opencl_entry(b->graph, node, "strides", i, 1);
    int64_t dilation = bp_opencl_entry(b->graph, node, "dilations", i, 1);
    int64_t total = (small - 1) * stride + (kernel - 1) * dilation + 1 - large;
    int64_t before;

    if (is_given)
        before = bp_opencl_entry(b->graph, node, "pads", i, 0);
    else if (is_transposed)
        before = share_transposed(b, node,
                                  total + bp_opencl_entry(b->graph, node, "output_padding", i, 0));
    else
        before = share(b, node, total);
    if (kernel > INT32_MAX / 4 || dilation * kernel > INT32_MAX / 4 || before > INT32_MAX / 4)
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has a window beyond 32 bits", node->name);
    w->in[to] = (int32_t)(is_transposed ? small : large);
    w->out[to] = (int32_t)(is_transposed ? large : small);
    w->kernel[to] = (int32_t)kernel;
    w->strides[to] = (int32_t)stride;
    w->dilations[to] = (int32_t)dilation;
    w->before[to] = (int32_t)before;
    w->after[to] = (int32_t)(is_given         ? bp_opencl_entry(b->graph, node, "pads", n + i, 0)
                             : total > before ? total - before
                                              : 0);
}

void bp_opencl_make_window(struct bp_opencl_builder *b, const bp_node *node,
                           const struct bp_opencl_tensor *large,
                           const struct bp_opencl_tensor *small, const int64_t *kernel,
                           bool is_transposed, struct bp_opencl_window *out)
{
    uint32_t n = large->rank - 2, lacks = BP_OPENCL_SPATIAL - n;

    *out = (struct bp_opencl_window){0};
    for (uint32_t d = 0; d < lacks; d++) {
        out->in[d] = out->out[d] = out->kernel[d] = 1;
        out->strides[d] = out->dilations[d] = 1;
    }
    for (uint32_t i = 0; i < n; i++)
        set_axis(b, node, i, n, lacks + i, is_transposed, large->dims[2 + i], small->dims[2 + i],
                 kernel[i], out);
}

int64_t bp_opencl_volume(const int32_t *dims)
{
    return (int64_t)dims[0] * dims[1] * dims[2];
}
