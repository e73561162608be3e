/* SPDX-License-Identifier: MIT */
/*
 * conv.c - Conv (opsets 1, 11, 22), and FusedConv of com.microsoft.
 * Y[n][m] = B[m] + sum over c, k of W[m][c][k] * X[n][c][window + k]; X is [N, C, d1, ...], W [M, C
 * / group, k1, ...], Y [N, M, o1, ...], up to three spatial dimensions.
 * It is computed as a product of W, [M, C * kernel], with the windows, [C * kernel, positions],
 * which are gathered block by block as the product reads them (implicit im2col). Depthwise
 * convolutions are sums of shifted rows instead. FusedConv adds Z and applies an activation.
 */

#include "conv_pool/depthwise.h"
#include "kernels/cast/widen.h"
#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/gemm.h"
#include "kernels/tensor_data.h"
#include "kernels/window.h"

/* The plan of a call: one of `gemm` and `depthwise` is used. */
struct state {
    struct bp_cpu_window window;
    struct bp_cpu_gemm gemm;           /* of one image and group */
    struct bp_cpu_depthwise depthwise; /* used instead if a group has one channel */
    struct bp_cpu_epilogue epilogue;
    uint64_t groups;
    size_t image_bytes, out_bytes, weight_bytes, bias_bytes; /* of one group */
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    struct bp_cpu_operands first; /* of image 0, group 0 */
    const char *z;                /* added to C, whose shape it has; or NULL */
    char *scratch;
    bool has_epilogue;
};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_cpu_window_claim(query))
        bp_cpu_claim_types(op, query);
}

/* Opens BLAS if the sizes known so far make the node large enough. */
static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_value *w = bp_node_in(node->graph, node->node, 1);
    const bp_value *y = bp_node_out(node->graph, node->node, 0);
    double flops = 2;

    (void)err;
    if (!w || !y || w->rank == BP_RANK_UNKNOWN || y->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    for (uint32_t i = 0; i < w->rank; i++)
        flops *= w->dims[i].value > 0 ? (double)w->dims[i].value : 1;
    for (uint32_t i = 2; i < y->rank; i++)
        flops *= y->dims[i].value > 0 ? (double)y->dims[i].value : 1;
    bp_cpu_blas_enter(node, w->dtype, flops);
    return BP_OK;
}

/* A 1 x 1 kernel reads X as it is: no windows are gathered. */
static bool is_pointwise(const struct bp_cpu_window *w)
{
    for (int d = 0; d < BP_CPU_SPATIAL; d++) {
        if (w->kernel[d] != 1 || w->stride[d] != 1 || w->pad[d] != 0 || w->in[d] != w->out[d])
            return false;
    }
    return true;
}

/* The shape rule has checked most of this, but not for inputs whose shapes were unknown. */
static bp_rc check_shapes(const struct bp_cpu_call *call, int64_t groups, bp_err *err)
{
    const bp_tensor *x = call->in[0], *w = call->in[1], *b = bp_cpu_in(call, 2);
    const bp_tensor *y = call->out[0], *z = bp_cpu_in(call, 3);

    if (w->rank != x->rank || y->rank != x->rank || x->rank < 3 || groups < 1 ||
        w->dims[0] % groups != 0 || w->dims[1] > INT32_MAX || groups > INT32_MAX ||
        x->dims[1] != w->dims[1] * groups || y->dims[0] != x->dims[0] || y->dims[1] != w->dims[0])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "X, W, Y and group %lld do not fit together", (long long)groups);
    if (b && (b->rank != 1 || b->dims[0] != w->dims[0]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "B has not one element for each feature map");
    if (z && (z->rank != y->rank || memcmp(z->dims, y->dims, y->rank * sizeof *y->dims) != 0))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Z has not the shape of Y");
    return BP_OK;
}

/* Plan of the product for one image and group: m is maps, n positions, k channels * kernel. */
static void plan_product(const struct bp_cpu_call *call, struct state *state, size_t maps,
                         size_t channels)
{
    struct bp_cpu_window *w = &state->window;

    state->gemm = (struct bp_cpu_gemm){
        .m = maps,
        .n = (size_t)w->out_count,
        .k = channels * (size_t)w->kernel_count,
        .dtype = call->in[0]->dtype,
        .is_conv = true,
        .alpha = 1,
        .image = is_pointwise(w) ? NULL : w,
        .width = call->width,
        .blas = call->node->blas,
    };
    bp_cpu_gemm_plan(&state->gemm);
}

/* Groups with one input channel are depthwise; all others are a matrix product for each group. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    int64_t groups = bp_cpu_int(call->node, "group", 1);
    const bp_tensor *w = call->in[1];
    struct state *state;
    size_t maps, channels, size = bp_cpu_width(w->dtype), worker;
    bp_rc rc = check_shapes(call, groups, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *state, err);
    if (rc < 0)
        return rc;
    state = call->state;
    if (!bp_cpu_epilogue_read(call->node->graph, call->node->node, &state->epilogue))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "the activation is not known");
    rc = bp_cpu_window_make(call, call->in[0], call->out[0], w->dims + 2, false, &state->window,
                            err);
    if (rc < 0 || bp_cpu_count(call->out[0]) == 0)
        return rc;
    state->groups = (uint64_t)groups;
    maps = (size_t)(w->dims[0] / groups);
    channels = (size_t)w->dims[1];
    state->image_bytes = channels * (size_t)state->window.in_count * size;
    state->out_bytes = maps * (size_t)state->window.out_count * size;
    state->weight_bytes = maps * channels * (size_t)state->window.kernel_count * size;
    state->bias_bytes = maps * size;
    state->gemm.dtype = w->dtype;
    if (channels == 1 && groups > 1) {
        bp_cpu_depthwise_plan(&state->depthwise, &state->window, w->dtype, maps);
        worker = state->depthwise.scratch_bytes;
    } else {
        plan_product(call, state, maps, channels);
        worker = state->gemm.scratch_bytes;
    }
    worker = (worker + 63) / 64 * 64;
    if (__builtin_mul_overflow(worker, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

/* Operands of group g, counted over all images. */
static struct bp_cpu_operands at_group(const struct job *job, uint64_t g)
{
    const struct state *s = job->state;
    struct bp_cpu_operands out = job->first;
    uint64_t group = g % s->groups;

    out.a = (const char *)out.a + group * s->weight_bytes;
    out.b = (const char *)out.b + g * s->image_bytes;
    out.c = (char *)out.c + g * s->out_bytes;
    if (out.bias)
        out.bias = (const char *)out.bias + group * s->bias_bytes;
    return out;
}

/* The epilogue (Z, activation) of n elements of C, while they are in the cache. */
static void finish(const struct job *job, char *c, size_t n)
{
    const struct state *s = job->state;
    const char *z = job->z ? job->z + (c - (char *)job->first.c) : NULL;

    bp_cpu_epilogue_block(&s->epilogue, s->gemm.dtype, z, c, n);
}

/* The epilogue of the block that a task of the product has written. */
static void finish_block(const struct job *job, uint32_t task, char *c)
{
    const struct bp_cpu_gemm *g = &job->state->gemm;
    size_t rows[2], cols[2], size = bp_cpu_width(g->dtype);

    bp_cpu_gemm_part(g, task, rows, cols);
    if (cols[0] == 0 && cols[1] == g->n) { /* whole rows lie together */
        finish(job, c + rows[0] * g->ldc * size, (rows[1] - rows[0]) * g->n);
        return;
    }
    for (size_t i = rows[0]; i < rows[1]; i++)
        finish(job, c + (i * g->ldc + cols[0]) * size, cols[1] - cols[0]);
}

/* Task i is a part of the product of group i / tasks. */
static void run_product(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_gemm *gemm = &job->state->gemm;
    struct bp_cpu_operands operands = at_group(job, i / gemm->tasks);

    bp_cpu_gemm_task(gemm, &operands, i % gemm->tasks,
                     bp_cpu_worker_scratch(job->scratch, worker, gemm->scratch_bytes));
    if (job->has_epilogue)
        finish_block(job, i % gemm->tasks, operands.c);
}

/* Task i is one channel of one image. */
static void run_depthwise(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_depthwise *depthwise = &job->state->depthwise;
    struct bp_cpu_operands operands = at_group(job, i);

    bp_cpu_depthwise_run(depthwise, &operands,
                         bp_cpu_worker_scratch(job->scratch, worker, depthwise->scratch_bytes));
    if (job->has_epilogue)
        finish(job, operands.c, job->state->out_bytes / bp_cpu_width(job->state->gemm.dtype));
}

/* Tasks count images, groups and parts of a product; one parallel loop runs them all. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *bias = bp_cpu_in(call, 2);
    const bp_tensor *z = bp_cpu_in(call, 3);
    struct job job = {.state = state,
                      .z = z ? bp_cpu_data(z) : NULL,
                      .scratch = call->scratch,
                      .has_epilogue = !bp_cpu_epilogue_is_empty(&state->epilogue, z)};
    uint64_t tasks = state->groups * (uint64_t)state->window.batch;

    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    job.first = (struct bp_cpu_operands){
        .stop = call->stop,
        .a = bp_cpu_data(call->in[1]),
        .b = bp_cpu_data(call->in[0]),
        .bias = bias ? bp_cpu_data(bias) : NULL,
        .c = bp_cpu_data(call->out[0]),
    };
    if (!state->depthwise.simd)
        tasks *= state->gemm.tasks;
    if (tasks > UINT32_MAX)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the batch is too large");
    if (state->depthwise.simd)
        bp_cpu_parallel_stoppable(call, (uint32_t)tasks, run_depthwise, &job);
    else
        bp_cpu_parallel_stoppable(call, (uint32_t)tasks, run_product, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_conv = {
    .name = "Conv",
    .since = 1,
    .flags = BP_CPU_RAW_WEIGHTS,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS,
    .pack = pack,
    .unpack = bp_cpu_blas_leave,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

/* The activation must be one that the epilogue knows. */
static void claim_fused(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_cpu_window_claim(query) && bp_cpu_epilogue_claim(query))
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_fused_conv = {
    .name = "FusedConv",
    .domain = "com.microsoft",
    .since = 1,
    .flags = BP_CPU_RAW_WEIGHTS,
    .loops = &wide,
    .claim = claim_fused,
    .types = BP_CPU_FLOATS,
    .pack = pack,
    .unpack = bp_cpu_blas_leave,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
