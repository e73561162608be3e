/* SPDX-License-Identifier: MIT */
/*
 * center_crop_pad.c - CenterCropPad (ai.onnx, opset 18).
 *
 * Y has the rank of X; along each axis of `axes` (default: all) it has the size that input 1 gives.
 * A larger X is cropped to its middle, a smaller one is put into the middle of zeros. Where the
 * difference is odd, the extra element is at the end. Types: all of 8 bits and more; a padded
 * string is empty.
 *
 * The shape comes from the host's shape rule; this file compares the dimensions of X and Y and does
 * not read input 1.
 */

#include "kernels/tensor_data.h"

struct state {
    uint32_t rank;       /* at least 1, without trailing dimensions that are equal in X and Y */
    size_t unit;         /* bytes of an element together with those trailing dimensions */
    int64_t rows, count; /* of the copied box: rows of `count` units each */
    int64_t dims[BP_CPU_MAX_RANK + 1];                          /* of the copied box */
    int64_t from[BP_CPU_MAX_RANK + 1], to[BP_CPU_MAX_RANK + 1]; /* strides, in bytes */
    int64_t first_from, first_to; /* offsets of the box in X and in Y, in bytes */
    bool has_zeros;
    uint32_t slices;
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const char *x;
    char *y;
};

/*
 * Computes the box that X and Y have in common: its dimensions are the smaller of both. Trailing
 * dimensions of equal size are merged into the unit, so that a row is as long as possible for
 * memcpy.
 */
static void solve(struct state *s, const bp_tensor *x, const bp_tensor *y)
{
    int64_t from = 1, to = 1;
    uint32_t rank = x->rank;

    s->unit = bp_cpu_width(x->dtype);
    while (rank > 0 && x->dims[rank - 1] == y->dims[rank - 1])
        s->unit *= (size_t)x->dims[--rank];
    s->rank = rank > 0 ? rank : 1;
    s->dims[0] = 1;
    s->rows = 1;
    for (uint32_t d = rank; d-- > 0;) {
        int64_t a = x->dims[d], b = y->dims[d];

        s->dims[d] = a < b ? a : b;
        s->from[d] = from * (int64_t)s->unit;
        s->to[d] = to * (int64_t)s->unit;
        s->first_from += a > b ? (a - b) / 2 * s->from[d] : 0;
        s->first_to += b > a ? (b - a) / 2 * s->to[d] : 0;
        s->has_zeros = s->has_zeros || b > a;
        from *= a;
        to *= b;
        if (d + 1 < rank)
            s->rows *= s->dims[d];
    }
    s->count = s->dims[s->rank - 1];
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (x->rank != y->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has rank %u, not %u", y->rank,
                           x->rank);
    solve(s, x, y);
    s->slices = bp_cpu_slices(call, bp_cpu_count(y), 1);
    if (s->slices > s->rows)
        s->slices = s->rows > 0 ? (uint32_t)s->rows : 1;
    return BP_OK;
}

/*
 * Copies the rows of slice i. The row number is decomposed into coordinates of the outer
 * dimensions.
 */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t end = s->rows * (i + 1) / s->slices;

    (void)worker;
    for (int64_t row = s->rows * i / s->slices; row < end; row++) {
        int64_t from = s->first_from, to = s->first_to, rest = row;

        for (uint32_t d = s->rank - 1; d-- > 0; rest /= s->dims[d]) {
            from += rest % s->dims[d] * s->from[d];
            to += rest % s->dims[d] * s->to[d];
        }
        memcpy(job->y + to, job->x + from, (size_t)s->count * s->unit);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *y = call->out[0];
    struct job job = {s, bp_cpu_data(call->in[0]), bp_cpu_data(call->out[0])};

    (void)err;
    if (bp_cpu_count(y) == 0)
        return BP_OK;
    /* All bytes 0 are also the empty string, a bp_span without bytes. */
    if (s->has_zeros)
        memset(job.y, 0, (size_t)bp_cpu_count(y) * bp_cpu_width(y->dtype));
    if (s->rows * s->count > 0)
        bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_center_crop_pad = {
    .name = "CenterCropPad",
    .since = 18,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
