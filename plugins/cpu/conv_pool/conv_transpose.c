/* SPDX-License-Identifier: MIT */
/*
 * conv_transpose.c - ConvTranspose (opsets 1, 11, 22).
 * X is [N, C, d1, ...], W [C, M / group, k1, ...], Y [N, M, o1, ...]: the gradient of Conv with
 * respect to its input.
 * For a block of output channels the product W' * X gives what each input position adds to each
 * kernel position.
 * These are then added up at their places (col2im).
 */

#include "kernels/cast/widen.h"
#include "kernels/gemm/gemm.h"
#include "kernels/tensor_data.h"
#include "kernels/window.h"

enum {
    COLUMN_BYTES = 512 * 1024
}; /* target size of a task's products: they should stay in the L2 cache */

/* The plan of a call; the window is that of the Conv whose gradient this is. */
struct state {
    struct bp_cpu_window window; /* in: sizes of Y, out: sizes of X */
    struct bp_cpu_gemm gemm;     /* (maps * kernel) x positions, for a full block of maps */
    struct bp_cpu_gemm last;     /* the same for the last block, which may be smaller */
    uint64_t groups;
    size_t channels, maps; /* of a group */
    size_t part, n_parts;  /* maps of a task; number of such blocks */
    size_t size;           /* of an element */
    size_t columns_bytes, worker_bytes;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *x, *w, *bias;
    char *y, *scratch;
};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_cpu_window_claim(query))
        bp_cpu_claim_types(op, query);
}

/* Unlike Conv's, W is [input channels, output channels / group, kernel...]. */
static bp_rc check_shapes(const struct bp_cpu_call *call, int64_t groups, bp_err *err)
{
    const bp_tensor *x = call->in[0], *w = call->in[1], *b = bp_cpu_in(call, 2);
    const bp_tensor *y = call->out[0];

    if (w->rank != x->rank || y->rank != x->rank || x->rank < 3 || groups < 1 ||
        groups > INT32_MAX || w->dims[1] > INT32_MAX || w->dims[0] != x->dims[1] ||
        w->dims[0] % groups != 0 || y->dims[0] != x->dims[0] || y->dims[1] != w->dims[1] * groups)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "X, W, Y and group %lld do not fit together", (long long)groups);
    if (b && (b->rank != 1 || b->dims[0] != y->dims[1]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "B has not one element for each feature map");
    return BP_OK;
}

/* The product runs on one thread: tasks of different blocks run in parallel. */
static struct bp_cpu_gemm plan_product(const struct bp_cpu_call *call, const struct state *s,
                                       size_t maps)
{
    size_t kernel = (size_t)s->window.kernel_count;
    struct bp_cpu_gemm gemm = {
        .m = maps * kernel,
        .n = (size_t)s->window.out_count,
        .k = s->channels,
        .lda = s->maps * kernel,
        .dtype = call->in[0]->dtype,
        .trans_a = true,
        .alpha = 1,
        .width = 1,
        .blas = call->node->blas,
    };

    bp_cpu_gemm_plan(&gemm);
    return gemm;
}

/* The block of maps is as large as COLUMN_BYTES allows, but leaves a block for each thread. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    int64_t groups = bp_cpu_int(call->node, "group", 1);
    const bp_tensor *w = call->in[1];
    struct state *s;
    size_t one, scratch;
    bp_rc rc = check_shapes(call, groups, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *s, err);
    if (rc < 0)
        return rc;
    s = call->state;
    rc = bp_cpu_window_make(call, call->in[0], call->out[0], w->dims + 2, true, &s->window, err);
    if (rc < 0 || bp_cpu_count(call->out[0]) == 0)
        return rc;
    s->groups = (uint64_t)groups;
    s->channels = (size_t)(w->dims[0] / groups);
    s->maps = (size_t)w->dims[1];
    s->size = bp_cpu_width(w->dtype);
    if (__builtin_mul_overflow((size_t)s->window.kernel_count, (size_t)s->window.out_count, &one) ||
        __builtin_mul_overflow(one, s->size, &one))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the products of a map do not fit");
    s->part = one > 0 && one < COLUMN_BYTES ? COLUMN_BYTES / one : 1;
    if (s->part > (s->maps + call->width - 1) / call->width)
        s->part = (s->maps + call->width - 1) / call->width;
    s->n_parts = (s->maps + s->part - 1) / s->part;
    s->gemm = plan_product(call, s, s->part);
    s->last = plan_product(call, s, s->maps - (s->n_parts - 1) * s->part);
    scratch = s->gemm.scratch_bytes > s->last.scratch_bytes ? s->gemm.scratch_bytes
                                                            : s->last.scratch_bytes;
    if (__builtin_mul_overflow(one, s->part, &s->columns_bytes) ||
        __builtin_add_overflow((s->columns_bytes + 63) / 64 * 64, (scratch + 63) / 64 * 64,
                               &s->worker_bytes) ||
        __builtin_mul_overflow(s->worker_bytes, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    s->columns_bytes = (s->columns_bytes + 63) / 64 * 64;
    return BP_OK;
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SUFFIX)

#define T float
#define SUFFIX f32
#include "conv_pool/col2im.inc"
#undef T
#undef SUFFIX

#define T double
#define SUFFIX f64
#include "conv_pool/col2im.inc"

/*
 * One block of maps of one group and image: the product to the worker's scratch, then its windows
 * to Y.
 */
static void run_task(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    const struct bp_cpu_window *w = &s->window;
    size_t part = i % s->n_parts, first = part * s->part, kernel = (size_t)w->kernel_count;
    uint64_t group = i / s->n_parts % s->groups, image = i / s->n_parts / s->groups;
    size_t maps = s->maps - first < s->part ? s->maps - first : s->part;
    char *columns = job->scratch + worker * s->worker_bytes;
    size_t map = (image * s->groups + group) * s->maps + first;
    const struct bp_cpu_gemm *gemm = part + 1 == s->n_parts ? &s->last : &s->gemm;
    struct bp_cpu_operands operands = {
        .a = job->w + (group * s->channels * s->maps + first) * kernel * s->size,
        .b = job->x + (image * s->groups + group) * s->channels * (size_t)w->out_count * s->size,
        .c = columns,
    };

    for (uint32_t t = 0; t < gemm->tasks; t++)
        bp_cpu_gemm_task(gemm, &operands, t, columns + s->columns_bytes);
    for (size_t m = 0; m < maps; m++) {
        size_t at = group * s->maps + first + m;
        const char *from = columns + m * kernel * (size_t)w->out_count * s->size;
        char *to = job->y + (map + m) * (size_t)w->in_count * s->size;

        if (s->size == 8)
            add_windows_f64(w, from, job->bias ? ((const double *)(const void *)job->bias)[at] : 0,
                            to);
        else
            add_windows_f32(w, from, job->bias ? ((const float *)(const void *)job->bias)[at] : 0,
                            to);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *bias = bp_cpu_in(call, 2);
    struct job job = {.state = s, .scratch = call->scratch};
    uint64_t tasks = s->n_parts * s->groups * (uint64_t)s->window.batch;

    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    if (tasks > UINT32_MAX)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the batch is too large");
    job.x = bp_cpu_data(call->in[0]);
    job.w = bp_cpu_data(call->in[1]);
    job.bias = bias ? bp_cpu_data(bias) : NULL;
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_parallel_stoppable(call, (uint32_t)tasks, run_task, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_conv_transpose = {
    .name = "ConvTranspose",
    .since = 1,
    .flags = BP_CPU_RAW_WEIGHTS,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
