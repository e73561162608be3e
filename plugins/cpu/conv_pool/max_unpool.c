/* SPDX-License-Identifier: MIT */
/*
 * max_unpool.c - MaxUnpool (opsets 9, 11, 22).
 * X and I are [N, C, d1, ...]: y[I[i]] = x[i], all other elements are 0. An index counts the
 * elements of the shape that kernel_shape, strides and pads lead to; if input output_shape asks for
 * a larger one, elements keep their coordinates.
 */

#include "kernels/tensor_data.h"

struct state {
    uint32_t rank;
    bool is_same;                     /* the output has the shape that the indices refer to */
    int64_t count, total;             /* elements of X, and of that shape */
    int64_t dims[BP_CPU_MAX_RANK];    /* of it */
    int64_t strides[BP_CPU_MAX_RANK]; /* of the output */
};

/* The shape that the window attributes lead to: (d - 1) * stride + kernel - pads. */
static bp_rc solve(const struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    uint32_t n_kernel, n_strides, n_pads, n = x->rank - 2;
    const int64_t *kernel = bp_cpu_ints(call->node, "kernel_shape", &n_kernel);
    const int64_t *strides = bp_cpu_ints(call->node, "strides", &n_strides);
    const int64_t *pads = bp_cpu_ints(call->node, "pads", &n_pads);
    bool fits = n_kernel == n && (!n_strides || n_strides == n) && (!n_pads || n_pads == 2 * n);

    s->total = 1;
    s->is_same = true;
    for (uint32_t d = 0; fits && d < x->rank; d++) {
        int64_t pad = d < 2 || !n_pads ? 0 : pads[d - 2], size = x->dims[d];

        if (d >= 2) {
            fits = !n_pads || !__builtin_add_overflow(pad, pads[n + d - 2], &pad);
            fits = fits && !__builtin_mul_overflow(size - 1, n_strides ? strides[d - 2] : 1, &size);
            fits = fits && !__builtin_add_overflow(size, kernel[d - 2], &size);
            fits = fits && !__builtin_sub_overflow(size, pad, &size);
        }
        s->dims[d] = size;
        s->is_same = s->is_same && size == y->dims[d];
        fits = fits && size >= 0 && !__builtin_mul_overflow(s->total, size, &s->total);
    }
    return fits ? BP_OK
                : bp_cpu_fail(call->node, err, BP_E_SHAPE, "the window does not fit the input");
}

/* Strides of the output, and the shape that the indices refer to. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);
    int64_t stride = 1;

    if (rc < 0)
        return rc;
    s = call->state;
    s->rank = x->rank;
    s->count = bp_cpu_count(x);
    if (x->rank < 3 || y->rank != x->rank || bp_cpu_count(call->in[1]) != s->count)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    for (uint32_t d = y->rank; d-- > 0;) {
        s->strides[d] = stride;
        stride *= y->dims[d];
    }
    return solve(call, s, err);
}

/* Position in the output of the element with an index; -1: it is outside. */
static int64_t position_of(const struct state *s, const bp_tensor *y, int64_t index)
{
    int64_t at = 0;

    if (index < 0 || index >= s->total)
        return -1;
    if (s->is_same)
        return index;
    for (uint32_t d = s->rank; d-- > 0; index /= s->dims[d]) {
        int64_t coordinate = index % s->dims[d];

        if (coordinate >= y->dims[d])
            return -1;
        at += coordinate * s->strides[d];
    }
    return at;
}

/* The order of X decides if two indices are equal: the last one stays. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *y = call->out[0];
    size_t width = bp_cpu_width(y->dtype);
    const int64_t *indices = bp_cpu_data(call->in[1]);
    const char *x = bp_cpu_data(call->in[0]);
    char *to = bp_cpu_data(y);

    memset(to, 0, (size_t)bp_cpu_count(y) * width);
    for (int64_t i = 0; i < s->count; i++) {
        int64_t at = position_of(s, y, indices[i]);

        if (at < 0)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "index %lld, at position %lld, is outside of the output",
                               (long long)indices[i], (long long)i);
        memcpy(to + (size_t)at * width, x + (size_t)i * width, width);
    }
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_max_unpool = {
    .name = "MaxUnpool",
    .since = 9,
    .types = BP_CPU_FLOATS,
    .prepare = prepare,
    .run = run,
};
