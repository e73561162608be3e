/* SPDX-License-Identifier: MIT */
/*
 * affine_grid.c - AffineGrid (opset 20).
 * theta is [N, n, n + 1], size [N, C, (D,) H, W] with n 2 or 3: grid[b][...] = theta[b] * (x, y,
 * (z,) 1), where x, y, z run from -1 to 1 over the output image; Y is [N, (D,) H, W, n].
 * align_corners puts -1 and 1 at the centres of the outermost pixels, else at their outer edges.
 */

#include "kernels/cast/cast.h"
#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

/* One row of the grid; see affine_grid.inc. */
typedef void (*row_loop)(const double *theta, uint32_t n, const double *x, int64_t count,
                         const double *rest, void *out);

#define NAME affine_row
#define TEMPLATE "image/affine_grid.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE

static const row_loop loops[BP_DTYPE_END] = {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
};

/* The plan of a call. */
struct state {
    struct bp_cpu_runtime_shape runtime;
    bool align_corners;
    uint32_t n, slices;
    int64_t batch, size[3]; /* the last dimension first, as x is */
};

/* One run, for the threads. */
struct job {
    const struct bp_cpu_call *call;
    const struct state *state;
    const double *x;
};

/* Coordinate i of `size`, from -1 to 1. */
static double coordinate(const struct state *s, int64_t i, int64_t size)
{
    if (!s->align_corners)
        return (2 * (double)i + 1) / (double)size - 1;
    return size > 1 ? 2 * (double)i / (double)(size - 1) - 1 : -1;
}

/* Reads input size and sets Y's shape: in prepare, or in run if it is not constant. */
static bp_rc solve(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    const bp_tensor *theta = call->in[0];
    struct bp_cpu_list size = bp_cpu_list_input(call, 1);
    int64_t dims[5], count = 1;
    bool fits = (size.n == 4 || size.n == 5) && theta->rank == 3;
    bp_rc rc;

    s->n = fits ? (uint32_t)size.n - 2 : 0;
    if (!fits || theta->dims[1] != s->n || theta->dims[2] != s->n + 1 ||
        theta->dims[0] != bp_cpu_list_at(&size, 0))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "theta and size do not fit together");
    s->batch = dims[0] = theta->dims[0];
    for (uint32_t d = 0; d < s->n; d++) {
        dims[d + 1] = bp_cpu_list_at(&size, d + 2);
        s->size[s->n - 1 - d] = dims[d + 1];
        if (dims[d + 1] < 0 || __builtin_mul_overflow(count, dims[d + 1], &count))
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "size %u is %lld", d + 2,
                               (long long)dims[d + 1]);
    }
    dims[s->n + 1] = s->n;
    rc = bp_cpu_runtime_shape_output(call, s->n + 2, dims, err);
    if (rc >= 0)
        s->slices = bp_cpu_slices(call, bp_cpu_count(call->out[0]), 3);
    return rc;
}

/* If size is not constant, run() plans. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state;
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof *state, 1, 1, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->align_corners = bp_cpu_int(call->node, "align_corners", 0) != 0;
    if (state->runtime.solves_at_run)
        return BP_OK;
    rc = solve(call, err);
    if (rc >= 0)
        call->scratch_bytes = (size_t)state->size[0] * sizeof(double);
    return rc;
}

/* Rows of the last dimension, counted over all images. */
/* Each row takes its image's theta as float64 and is computed by the loop of its type. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    const bp_tensor *theta = job->call->in[0];
    const bp_tensor *out = job->call->out[0];
    bp_cpu_unary_loop load = bp_cpu_cast_loop(theta->dtype, BP_DTYPE_F64);
    const struct bp_cpu_params none = {0};
    size_t elements = s->n * (s->n + 1), width = bp_cpu_width(theta->dtype);
    int64_t rows = s->size[1] * (s->n == 3 ? s->size[2] : 1), all = rows * s->batch;
    double own[12] = {0};

    (void)worker;
    for (int64_t row = all * i / s->slices; row < all * (i + 1) / s->slices; row++) {
        double rest[3] = {0, coordinate(s, row % rows % s->size[1], s->size[1]), 0};
        const char *from = (const char *)bp_tensor_data(theta);

        if (s->n == 3)
            rest[2] = coordinate(s, row % rows / s->size[1], s->size[2]);
        from += (size_t)(row / rows) * elements * width;
        if (load)
            load(own, from, elements, &none);
        else
            memcpy(own, from, elements * width);
        loops[theta->dtype](own, s->n, job->x, s->size[0], rest,
                            (char *)bp_tensor_data(out) +
                                (size_t)(row * s->size[0]) * s->n * width);
    }
}

/* Coordinates along the last dimension are computed once for all rows. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    double *x = call->scratch;

    if (s->runtime.solves_at_run) {
        bp_rc rc = solve(call, err);

        if (rc < 0)
            return rc;
        x = bp_cpu_run_memory(call, (size_t)s->size[0] * sizeof *x + 1);
        if (!x)
            return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the coordinates");
    }
    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    for (int64_t i = 0; i < s->size[0]; i++)
        x[i] = coordinate(s, i, s->size[0]);
    bp_cpu_parallel(call, s->slices, slice, &(struct job){call, s, x});
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_affine_grid = {
    .name = "AffineGrid",
    .since = 20,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_FLOATS,
    .prepare = prepare,
    .run = run,
};
