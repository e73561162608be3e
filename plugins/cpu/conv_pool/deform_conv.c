/* SPDX-License-Identifier: MIT */
/*
 * deform_conv.c - DeformConv (opsets 19, 22).
 * A Conv whose taps are displaced by offsets [N, offset_group * kernel * n, o1, ...] to positions
 * between elements, and scaled by a mask [N, offset_group * kernel, o1, ...].
 * Blocks of output positions are sampled (n-linear interpolation) to a matrix [C * kernel, block],
 * with which the weights are multiplied.
 * The samples of a block serve all output channels.
 */

#include "kernels/cast/widen.h"
#include "kernels/gemm/gemm.h"
#include "kernels/sampler.h"
#include "kernels/tensor_data.h"
#include "kernels/window.h"

struct state {
    struct bp_cpu_window window;
    struct bp_cpu_sampler sampler;
    struct bp_cpu_gemm full, rest; /* of a block of one group, and of the last block */
    int64_t groups, offset_groups, maps, channels; /* channels and maps of all groups */
    int64_t blocks;                                /* of an image */
    size_t width, columns_bytes, worker;
    uint32_t slices;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *x, *w, *offset, *bias, *mask;
    char *y, *scratch;
};

/* A block of positions of one image. */
struct block {
    int64_t image, first;
    uint32_t count;
};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_cpu_window_claim(query))
        bp_cpu_claim_types(op, query);
}

/* Whether a tensor is [batch, channels, spatial dimensions of y...]. */
static bool has_shape(const bp_tensor *tensor, int64_t batch, int64_t channels, const bp_tensor *y)
{
    bool fits = tensor->rank == y->rank && tensor->dims[0] == batch && tensor->dims[1] == channels;

    for (uint32_t d = 2; d < y->rank && fits; d++)
        fits = tensor->dims[d] == y->dims[d];
    return fits;
}

static bp_rc check_shapes(const struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *x = call->in[0], *w = call->in[1], *offset = call->in[2];
    const bp_tensor *b = bp_cpu_in(call, 3), *mask = bp_cpu_in(call, 4), *y = call->out[0];
    int64_t n = x->rank - 2, taps = s->window.kernel_count;

    if (s->groups < 1 || s->offset_groups < 1 || s->groups > INT32_MAX ||
        s->offset_groups > INT32_MAX || w->rank != x->rank || w->dims[0] % s->groups != 0 ||
        w->dims[1] > INT32_MAX || x->dims[1] != w->dims[1] * s->groups ||
        x->dims[1] % s->offset_groups != 0 || y->dims[1] != w->dims[0])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "X, W, Y and the group attributes do not fit together");
    if (taps > INT32_MAX || !has_shape(offset, x->dims[0], s->offset_groups * taps * n, y))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the offsets do not fit W and Y");
    if (mask && !has_shape(mask, x->dims[0], s->offset_groups * taps, y))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the mask does not fit W and Y");
    if (b && (b->rank != 1 || b->dims[0] != w->dims[0]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "B has not one element for each feature map");
    return BP_OK;
}

/* Product of one group with a block of `count` positions, on one thread. */
static struct bp_cpu_gemm plan(const struct state *s, uint32_t dtype, int64_t count)
{
    struct bp_cpu_gemm gemm = {
        .m = (size_t)(s->maps / s->groups),
        .n = (size_t)count,
        .k = (size_t)(s->channels / s->groups * s->window.kernel_count),
        .ldb = BP_CPU_POINTS,
        .ldc = (size_t)s->window.out_count,
        .dtype = dtype,
        .alpha = 1,
        .width = 1,
    };

    bp_cpu_gemm_plan(&gemm);
    return gemm;
}

/* Scratch of a worker: the matrix of one block, the sampler's points, then the product's. */
static bp_rc plan_blocks(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    uint32_t dtype = call->in[0]->dtype;
    int64_t positions = s->window.out_count, last;
    size_t rows = (size_t)(s->channels * s->window.kernel_count), product;

    s->blocks = (positions + BP_CPU_POINTS - 1) / BP_CPU_POINTS;
    last = positions - (s->blocks - 1) * BP_CPU_POINTS;
    s->full = plan(s, dtype, BP_CPU_POINTS);
    s->rest = plan(s, dtype, last);
    product = s->full.scratch_bytes > s->rest.scratch_bytes ? s->full.scratch_bytes
                                                            : s->rest.scratch_bytes;
    if (__builtin_mul_overflow(rows, BP_CPU_POINTS * s->width, &s->columns_bytes) ||
        s->columns_bytes > SIZE_MAX / 4)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    s->columns_bytes = (s->columns_bytes + 63) / 64 * 64;
    s->worker = (s->columns_bytes + (s->sampler.bytes + 63) / 64 * 64 + product + 63) / 64 * 64;
    if (__builtin_mul_overflow(s->worker, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    s->slices = bp_cpu_slices(call, bp_cpu_count(call->out[0]),
                              2 * s->channels / s->groups * s->window.kernel_count + 1);
    return BP_OK;
}

/* The sampler interpolates linearly; samples outside of X are 0. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *w = call->in[1];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    if (w->rank != x->rank || call->out[0]->rank != x->rank || x->rank < 3)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X, W and Y have different ranks");
    s = call->state;
    rc = bp_cpu_window_make(call, x, call->out[0], w->dims + 2, false, &s->window, err);
    if (rc < 0)
        return rc;
    s->groups = bp_cpu_int(call->node, "group", 1);
    s->offset_groups = bp_cpu_int(call->node, "offset_group", 1);
    rc = check_shapes(call, s, err);
    if (rc < 0 || bp_cpu_count(call->out[0]) == 0)
        return rc;
    s->maps = w->dims[0];
    s->channels = x->dims[1];
    s->width = bp_cpu_width(x->dtype);
    s->sampler = (struct bp_cpu_sampler){.mode = BP_CPU_SAMPLE_LINEAR,
                                         .padding = BP_CPU_PAD_ZEROS,
                                         .n = x->rank - 2,
                                         .is_double = x->dtype == BP_DTYPE_F64};
    for (uint32_t d = 0; d < s->sampler.n; d++) {
        s->sampler.dims[d] = x->dims[d + 2];
        if (x->dims[d + 2] == 0)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X has no elements to sample");
    }
    if (!bp_cpu_sampler_make(&s->sampler))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "X has too many dimensions");
    return plan_blocks(call, err);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Element i as float64. */
static inline double load(const struct state *s, const char *from, int64_t i)
{
    return s->width == sizeof(double) ? ((const double *)(const void *)from)[i]
                                      : (double)((const float *)(const void *)from)[i];
}

/*
 * Where tap `tap` of offset group g reads, for each position of the block; the mask scales the
 * weights of the sample.
 */
static void sample_tap(const struct job *job, const struct block *block, int64_t g, int64_t tap,
                       struct bp_cpu_points *points)
{
    const struct state *s = job->state;
    const struct bp_cpu_window *w = &s->window;
    uint32_t n = s->sampler.n, skip = BP_CPU_SPATIAL - n;
    int64_t number = (block->image * s->offset_groups + g) * w->kernel_count + tap;
    int64_t rest_tap = tap, inner = 1;

    for (uint32_t d = n; d-- > 0;) {
        uint32_t k = d + skip;
        double base = (double)(rest_tap % w->kernel[k] * w->dilation[k] - w->pad[k]);
        double *at = points->at + (size_t)d * BP_CPU_POINTS;
        int64_t from = (number * n + d) * w->out_count + block->first;

        rest_tap /= w->kernel[k];
        for (uint32_t i = 0; i < block->count; i++) {
            int64_t position = (block->first + i) / inner % w->out[k];

            at[i] = base + (double)(position * w->stride[k]) + load(s, job->offset, from + i);
        }
        inner *= w->out[k];
    }
    bp_cpu_sampler_place(&s->sampler, points, block->count);
    if (job->mask) {
        int64_t from = number * w->out_count + block->first;

        for (uint32_t t = 0; t < s->sampler.taps; t++) {
            for (uint32_t i = 0; i < block->count; i++)
                points->weight[t * BP_CPU_POINTS + i] *= load(s, job->mask, from + i);
        }
    }
    bp_cpu_sampler_weigh(&s->sampler, points, block->count);
}

/*
 * Fills the matrix: a row for each channel and tap, a column for each position. Channels of an
 * offset group share their points.
 */
static void fill_columns(const struct job *job, const struct block *block,
                         struct bp_cpu_points *points, char *columns)
{
    const struct state *s = job->state;
    int64_t taps = s->window.kernel_count, channels = s->channels / s->offset_groups;

    for (int64_t g = 0; g < s->offset_groups; g++) {
        for (int64_t tap = 0; tap < taps; tap++) {
            sample_tap(job, block, g, tap, points);
            for (int64_t c = g * channels; c < (g + 1) * channels; c++) {
                int64_t plane = block->image * s->channels + c;

                bp_cpu_sampler_sum(&s->sampler, points, block->count,
                                   job->x + (size_t)(plane * s->window.in_count) * s->width,
                                   columns + (size_t)(c * taps + tap) * BP_CPU_POINTS * s->width,
                                   1);
            }
        }
    }
}

/* Multiplies the weights of each group with the matrix. */
static void multiply(const struct job *job, const struct block *block, const char *columns,
                     void *scratch)
{
    const struct state *s = job->state;
    const struct bp_cpu_gemm *gemm = block->count == BP_CPU_POINTS ? &s->full : &s->rest;

    for (int64_t g = 0; g < s->groups; g++) {
        size_t map = (size_t)g * gemm->m;
        size_t to = ((size_t)(block->image * s->maps) + map) * (size_t)s->window.out_count;
        struct bp_cpu_operands operands = {
            .a = job->w + map * gemm->k * s->width,
            .b = columns + (size_t)g * gemm->k * BP_CPU_POINTS * s->width,
            .bias = job->bias ? job->bias + map * s->width : NULL,
            .c = job->y + (to + (size_t)block->first) * s->width,
        };

        for (uint32_t task = 0; task < gemm->tasks; task++)
            bp_cpu_gemm_task(gemm, &operands, task, scratch);
    }
}

/*
 * Blocks of positions are shared out to the threads; each thread samples and multiplies in its
 * scratch.
 */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    char *columns = bp_cpu_worker_scratch(job->scratch, worker, s->worker);
    char *own = columns + s->columns_bytes;
    struct bp_cpu_points points = bp_cpu_sampler_points(&s->sampler, own);
    int64_t blocks = s->window.batch * s->blocks;

    own += (s->sampler.bytes + 63) / 64 * 64;
    for (int64_t b = blocks * i / s->slices; b < blocks * (i + 1) / s->slices; b++) {
        struct block block = {b / s->blocks, b % s->blocks * BP_CPU_POINTS, BP_CPU_POINTS};

        if (s->window.out_count - block.first < BP_CPU_POINTS)
            block.count = (uint32_t)(s->window.out_count - block.first);
        fill_columns(job, &block, &points, columns);
        multiply(job, &block, columns, own);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *bias = bp_cpu_in(call, 3), *mask = bp_cpu_in(call, 4);
    struct job job = {.state = s,
                      .x = bp_cpu_data(call->in[0]),
                      .w = bp_cpu_data(call->in[1]),
                      .offset = bp_cpu_data(call->in[2]),
                      .bias = bias ? bp_cpu_data(bias) : NULL,
                      .mask = mask ? bp_cpu_data(mask) : NULL,
                      .y = bp_cpu_data(call->out[0]),
                      .scratch = call->scratch};

    (void)err;
    if (bp_cpu_count(call->out[0]) > 0)
        bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_deform_conv = {
    .name = "DeformConv",
    .since = 19,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
