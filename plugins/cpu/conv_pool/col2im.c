/* SPDX-License-Identifier: MIT */
/*
 * col2im.c - Col2Im (opset 18).
 * X is [N, C * block size, columns]; the inputs image_shape and block_shape give the spatial sizes.
 * Y [N, C, image...] is the sum of all blocks, each column being one block at one position: the
 * inverse of im2col up to the sums. Any number of spatial dimensions.
 */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"
#include "kernels/window.h"

enum { MAX_SPATIAL = BP_CPU_MAX_RANK - 2 };

/* to[i * step] += from[i] for n elements. */
typedef void (*add_fn)(void *to, int64_t step, const void *from, int64_t n);

#define TEMPLATE "conv_pool/add_strided.inc"
#include "kernels/types/bool.inc"
#include "kernels/types/complex.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE

static const add_fn adds[BP_DTYPE_END] = {
#define NAME add_apart
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/bool.inc"
#include "kernels/types/complex.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
#undef NAME
};

/* Sizes by spatial dimension; the block's are filled in for each run. */
struct state {
    uint32_t n;                                         /* spatial dimensions */
    int64_t image[MAX_SPATIAL], stride_of[MAX_SPATIAL]; /* sizes, and elements between */
    int64_t block[MAX_SPATIAL], positions[MAX_SPATIAL]; /* positions: of the block in the image */
    int64_t step[MAX_SPATIAL], dilation[MAX_SPATIAL], pad[MAX_SPATIAL];
    int64_t planes, pixels, taps, columns; /* products of the above */
    size_t width;
    add_fn add;
    uint32_t slices;
};

/* One run; for the threads. */
struct job {
    const struct state *state;
    const char *x;
    char *y;
};

/* ---- the sizes ------------------------------------------------------------------------------- */

/*
 * Attribute `name` of n elements, each at least `least`; `def` for each if it is absent.
 * BP_E_SHAPE, BP_E_INVALID.
 */
static bp_rc read_list(const struct bp_cpu_call *call, const char *name, uint32_t n, int64_t least,
                       int64_t def, int64_t *out, bp_err *err)
{
    uint32_t count;
    const int64_t *list = bp_cpu_ints(call->node, name, &count);

    if (count > 0 && count < n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%s has %u elements", name, count);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = count > 0 ? list[i] : def;
        if (out[i] < least || out[i] > INT32_MAX)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "%s has an element out of range",
                               name);
    }
    return BP_OK;
}

/* block_shape is known at run time only; the image's sizes are the output's. */
static bp_rc read_block(const struct bp_cpu_call *call, struct state *s, const int64_t *block,
                        bp_err *err)
{
    const bp_tensor *x = call->in[0];
    uint32_t n_pads;
    const int64_t *pads = bp_cpu_ints(call->node, "pads", &n_pads);

    s->taps = s->columns = 1;
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t after = n_pads == 2 * s->n ? pads[s->n + i] : 0, span;

        s->block[i] = block[i];
        if (block[i] < 1 || block[i] > INT32_MAX || after < 0 || after > INT32_MAX)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "the block has size %lld",
                               (long long)block[i]);
        span = s->image[i] + s->pad[i] + after - (block[i] - 1) * s->dilation[i] - 1;
        s->positions[i] = span < 0 ? 0 : span / s->step[i] + 1;
        if (__builtin_mul_overflow(s->taps, s->block[i], &s->taps) ||
            __builtin_mul_overflow(s->columns, s->positions[i], &s->columns))
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the block is too large");
    }
    if (x->rank != 3 || x->dims[2] != s->columns || x->dims[1] % s->taps != 0 ||
        x->dims[0] * (x->dims[1] / s->taps) != s->planes)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the input has not the columns of blocks");
    return BP_OK;
}

/* What the attributes and the output's shape tell; the block is read in run(). */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *y = call->out[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (y->rank < 3 || y->rank - 2 != bp_cpu_count(call->in[1]) ||
        y->rank - 2 != bp_cpu_count(call->in[2]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "image and block differ in rank");
    s->n = y->rank - 2;
    rc = read_list(call, "strides", s->n, 1, 1, s->step, err);
    if (rc >= 0)
        rc = read_list(call, "dilations", s->n, 1, 1, s->dilation, err);
    if (rc >= 0)
        rc = read_list(call, "pads", s->n, 0, 0, s->pad, err);
    if (rc < 0)
        return rc;
    s->pixels = 1;
    for (uint32_t i = s->n; i-- > 0;) {
        s->image[i] = y->dims[2 + i];
        s->stride_of[i] = s->pixels;
        s->pixels *= s->image[i];
        if (s->image[i] > INT32_MAX)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the image is too large");
    }
    s->planes = y->dims[0] * y->dims[1];
    s->width = bp_cpu_width(y->dtype);
    s->add = adds[y->dtype];
    s->slices = bp_cpu_slices(call, bp_cpu_count(call->in[0]), 2);
    if (s->slices > s->planes)
        s->slices = s->planes > 0 ? (uint32_t)s->planes : 1;
    return BP_OK;
}

/* ---- adding ---------------------------------------------------------------------------------- */

/*
 * Adds one element of the block, over all positions: a row of the columns onto the image. Positions
 * outside of the image are clipped in the last dimension and tested in the others.
 */
static void add_tap(const struct state *s, const int64_t *tap, const char *row, char *image)
{
    uint32_t last = s->n - 1;
    int64_t index[MAX_SPATIAL] = {0}, rows = s->columns / s->positions[last], first, end;
    int64_t start = tap[last] * s->dilation[last] - s->pad[last];

    bp_cpu_window_clip(start, s->step[last], s->positions[last], s->image[last], &first, &end);
    for (int64_t r = 0; r < rows; r++, row += (size_t)s->positions[last] * s->width) {
        int64_t at = start + first * s->step[last];
        bool is_inside = end > first;

        for (uint32_t d = 0; d < last; d++) {
            int64_t pixel = index[d] * s->step[d] - s->pad[d] + tap[d] * s->dilation[d];

            is_inside = is_inside && pixel >= 0 && pixel < s->image[d];
            at += pixel * s->stride_of[d];
        }
        if (is_inside)
            s->add(image + (size_t)at * s->width, s->step[last], row + (size_t)first * s->width,
                   end - first);
        for (uint32_t d = last; d-- > 0 && ++index[d] == s->positions[d];)
            index[d] = 0;
    }
}

/* A thread owns whole planes, so that no two threads add to the same element. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t end = s->planes * (i + 1) / s->slices;
    size_t bytes = (size_t)s->pixels * s->width;

    (void)worker;
    for (int64_t plane = s->planes * i / s->slices; plane < end; plane++) {
        int64_t tap[MAX_SPATIAL] = {0};
        char *image = job->y + (size_t)plane * bytes;

        memset(image, 0, bytes);
        for (int64_t k = 0; k < s->taps && s->columns > 0; k++) {
            add_tap(s, tap, job->x + (size_t)((plane * s->taps + k) * s->columns) * s->width,
                    image);
            for (uint32_t d = s->n; d-- > 0 && ++tap[d] == s->block[d];)
                tap[d] = 0;
        }
    }
}

/* The plan is completed with the block on the stack: calls share no state. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state now = *(const struct state *)call->state;
    struct job job = {&now, bp_cpu_data(call->in[0]), bp_cpu_data(call->out[0])};
    bp_rc rc = read_block(call, &now, bp_cpu_data(call->in[2]), err);

    if (rc >= 0 && bp_cpu_count(call->out[0]) > 0)
        bp_cpu_parallel(call, now.slices, slice, &job);
    return rc;
}

/* All types that can be added. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    (void)op;
    if (!x || x->dtype >= BP_DTYPE_END || !adds[x->dtype])
        bp_cpu_refuse_dtype(query, 0);
    else
        bp_accept(query->claims, query->index);
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_col2im = {
    .name = "Col2Im",
    .since = 18,
    .loops = &wide,
    .claim = claim,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
