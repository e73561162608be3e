/* SPDX-License-Identifier: MIT */
/*
 * window.c - see window.h: attributes kernel_shape, strides, dilations, pads, auto_pad,
 * output_padding and output_shape.
 */

#include "kernels/window.h"

bool bp_cpu_window_claim(const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    if (x && x->rank != BP_RANK_UNKNOWN && (x->rank < 3 || x->rank > 2 + BP_CPU_SPATIAL)) {
        bp_cpu_refuse(query, BP_R_RANK, x->name, "rank %u, 3 to %d is taken", x->rank,
                      2 + BP_CPU_SPATIAL);
        return false;
    }
    return true;
}

/* Sizes are held to 31 bits, so that sums of two products of them cannot overflow. */
static bool is_size(int64_t n, int64_t min)
{
    return n >= min && n <= INT32_MAX;
}

/*
 * Attribute `name` into the last `n` of `to`, each at least `min`; `to` stays where it is absent.
 */
static bp_rc read_ints(const struct bp_cpu_node *node, const char *name, uint32_t n, int64_t min,
                       int64_t *to, bp_err *err)
{
    uint32_t count;
    const int64_t *values = bp_cpu_ints(node, name, &count);

    if (!values)
        return BP_OK;
    if (count != n) {
        return bp_cpu_fail(node, err, BP_E_SHAPE, "%s has %u values for %u spatial dimensions",
                           name, count, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!is_size(values[i], min))
            return bp_cpu_fail(node, err, BP_E_SHAPE, "%s has a value out of range", name);
        to[BP_CPU_SPATIAL - n + i] = values[i];
    }
    return BP_OK;
}

static bp_rc read_sizes(const struct bp_cpu_node *node, const bp_tensor *x, const bp_tensor *y,
                        const int64_t *kernel, struct bp_cpu_window *w, bp_err *err)
{
    uint32_t n = x->rank - 2;
    bp_rc rc = BP_OK;

    for (int d = 0; d < BP_CPU_SPATIAL; d++)
        w->in[d] = w->out[d] = w->kernel[d] = w->stride[d] = w->dilation[d] = 1;
    if (!kernel)
        rc = read_ints(node, "kernel_shape", n, 1, w->kernel, err);
    if (rc >= 0)
        rc = read_ints(node, "strides", n, 1, w->stride, err);
    if (rc >= 0)
        rc = read_ints(node, "dilations", n, 1, w->dilation, err);
    if (rc < 0)
        return rc;
    w->in_count = w->out_count = w->kernel_count = 1;
    w->batch = x->dims[0];
    w->channels = x->dims[1];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = BP_CPU_SPATIAL - n + i;

        w->in[d] = x->dims[2 + i];
        w->out[d] = y->dims[2 + i];
        if (kernel)
            w->kernel[d] = kernel[i];
        if (!is_size(w->in[d], 0) || !is_size(w->out[d], 0) || !is_size(w->kernel[d], 1))
            return bp_cpu_fail(node, err, BP_E_SHAPE, "a size is 0 or too large");
    }
    for (int d = 0; d < BP_CPU_SPATIAL; d++) {
        if (__builtin_mul_overflow(w->in_count, w->in[d], &w->in_count) ||
            __builtin_mul_overflow(w->out_count, w->out[d], &w->out_count) ||
            __builtin_mul_overflow(w->kernel_count, w->kernel[d], &w->kernel_count) ||
            w->kernel_count > INT32_MAX)
            return bp_cpu_fail(node, err, BP_E_SHAPE, "the window or an image is too large");
    }
    return BP_OK;
}

static bp_rc read_pads(const struct bp_cpu_node *node, uint32_t n, struct bp_cpu_window *w,
                       bp_err *err)
{
    uint32_t count;
    const int64_t *pads = bp_cpu_ints(node, "pads", &count);

    if (!pads)
        return BP_OK;
    if (count != 2 * n) {
        return bp_cpu_fail(node, err, BP_E_SHAPE, "pads has %u values for %u spatial dimensions",
                           count, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!is_size(pads[i], -INT32_MAX) || !is_size(pads[n + i], -INT32_MAX))
            return bp_cpu_fail(node, err, BP_E_SHAPE, "pads has a value out of range");
        w->pad[BP_CPU_SPATIAL - n + i] = pads[i];
        w->pad_end[BP_CPU_SPATIAL - n + i] = pads[n + i];
    }
    return BP_OK;
}

bp_rc bp_cpu_window_make(const struct bp_cpu_call *call, const bp_tensor *x, const bp_tensor *y,
                         const int64_t *kernel, bool transposed, struct bp_cpu_window *out,
                         bp_err *err)
{
    const struct bp_cpu_node *node = call->node;
    bool is_upper = bp_node_string_is(node->graph, node->node, "auto_pad", "", "SAME_UPPER");
    bool is_lower = bp_node_string_is(node->graph, node->node, "auto_pad", "", "SAME_LOWER");
    bool is_valid = bp_node_string_is(node->graph, node->node, "auto_pad", "", "VALID");
    int64_t extra[BP_CPU_SPATIAL] = {0};
    uint32_t n = 0;
    bp_rc rc;

    memset(out, 0, sizeof *out);
    if (x->rank < 3 || x->rank > 2 + BP_CPU_SPATIAL || y->rank != x->rank)
        return bp_cpu_fail(node, err, BP_E_SHAPE, "rank %u, 3 to %d is taken", x->rank,
                           2 + BP_CPU_SPATIAL);
    rc = transposed ? read_sizes(node, y, x, kernel, out, err)
                    : read_sizes(node, x, y, kernel, out, err);
    if (rc < 0)
        return rc;
    if (transposed) {
        bp_cpu_ints(node, "output_shape", &n);
        rc = read_ints(node, "output_padding", x->rank - 2, 0, extra, err);
        if (rc < 0)
            return rc;
    }
    if (!is_upper && !is_lower && n == 0)
        return is_valid ? BP_OK : read_pads(node, x->rank - 2, out, err);

    /*
     * the pads are what the sizes leave over; ONNX puts an odd one behind for SAME_UPPER, else in
     * front
     */
    for (int d = 0; d < BP_CPU_SPATIAL; d++) {
        int64_t reach =
            (out->out[d] - 1) * out->stride[d] + (out->kernel[d] - 1) * out->dilation[d];
        int64_t total = reach + 1 + extra[d] - out->in[d];

        if (total < 0)
            total = 0;
        out->pad[d] = is_upper ? total / 2 : total - total / 2;
        out->pad_end[d] = total - out->pad[d];
    }
    return BP_OK;
}
