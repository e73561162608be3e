/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - MatMul (opsets 1, 9, 13), FusedMatMul and TransposeMatMul of com.microsoft.
 * A [..., M, K] times B [..., K, N] gives Y [..., M, N].
 * Batch dimensions broadcast as in numpy; rank 1 is a row on the left and a column on the right.
 * Opset 9 added integers of 32 and 64 bits, which wrap around, opset 13 bfloat16.
 * FusedMatMul scales by alpha and takes transposed operands, also with the batch between rows and
 * columns.
 */

#include "kernels/cast/widen.h"
#include "kernels/gemm/batch_dims.h"
#include "kernels/gemm/gemm.h"
#include "kernels/tensor_data.h"
#include "matmul/int_product.h"

/* The plan of a call. */
struct state {
    struct bp_cpu_gemm gemm; /* of one pair of matrices */
    struct bp_cpu_int_product product;
    struct bp_cpu_batch_dims batches; /* strides in elements */
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *a, *b;
    char *c, *scratch;
    size_t width; /* of an element */
    struct bp_cpu_stop *stop;
};

/* The integer types that MatMul allows. */
static bool is_integer(uint32_t dtype)
{
    return dtype == BP_DTYPE_I32 || dtype == BP_DTYPE_U32 || dtype == BP_DTYPE_I64 ||
           dtype == BP_DTYPE_U64;
}

/* Opens BLAS if the sizes known so far make the node large enough. */
static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_value *b = bp_node_in(node->graph, node->node, 1);
    const bp_value *y = bp_node_out(node->graph, node->node, 0);
    double flops = 2;

    (void)err;
    if (!b || !y || b->rank < 2 || b->rank == BP_RANK_UNKNOWN || y->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    flops *= b->dims[b->rank - 2].value > 0 ? (double)b->dims[b->rank - 2].value : 1;
    for (uint32_t i = 0; i < y->rank; i++)
        flops *= y->dims[i].value > 0 ? (double)y->dims[i].value : 1;
    if (!is_integer(b->dtype))
        bp_cpu_blas_enter(node, b->dtype, flops);
    return BP_OK;
}

/* An operand as the product reads it. */
struct operand {
    int64_t rows, cols, row_step; /* of a matrix as stored; steps in elements */
    bool trans;
    struct bp_cpu_batch batch;
};

/* With transBatch the rows' dimension precedes the batch's. */
static struct operand read_operand(const struct bp_cpu_call *call, uint32_t i, const char *trans,
                                   const char *batch_inside)
{
    const bp_tensor *x = call->in[i];
    uint32_t rank = x->rank, first = 0;
    struct operand out = {.trans = rank > 1 && bp_cpu_int(call->node, trans, 0) != 0};
    int64_t step = rank > 0 ? x->dims[rank - 1] : 1;

    out.rows = rank > 1 ? x->dims[rank - 2] : i == 0 || rank == 0 ? 1 : x->dims[0];
    out.cols = rank == 0 || (rank == 1 && i == 1) ? 1 : x->dims[rank - 1];
    out.row_step = out.cols;
    out.batch.n_dims = rank > 2 ? rank - 2 : 0;
    if (rank > 2 && bp_cpu_int(call->node, batch_inside, 0) != 0) {
        first = 1;
        out.rows = x->dims[0];
        out.row_step = bp_dims_count(x->dims + 1, rank - 1);
    } else if (rank > 1) {
        step *= x->dims[rank - 2];
    }
    for (uint32_t d = out.batch.n_dims; d-- > 0;) {
        out.batch.dims[d] = x->dims[first + d];
        out.batch.steps[d] = step;
        step *= out.batch.dims[d];
    }
    return out;
}

/*
 * If B is one matrix, the batch of A becomes additional rows: one large product is faster than
 * many.
 */
static bp_rc plan(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    struct operand a = read_operand(call, 0, "transA", "transBatchA");
    struct operand b = read_operand(call, 1, "transB", "transBatchB");
    int64_t m = a.trans ? a.cols : a.rows, k = a.trans ? a.rows : a.cols;
    int64_t n = b.trans ? b.rows : b.cols;

    if (call->in[0]->rank == 0 || call->in[1]->rank == 0 || k != (b.trans ? b.cols : b.rows) ||
        !bp_cpu_batch_dims_broadcast(&a.batch, &b.batch, &s->batches) ||
        bp_cpu_count(call->out[0]) != (int64_t)s->batches.count * m * n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "A and B do not fit together");
    if (!a.trans && a.row_step == a.cols &&
        bp_cpu_batch_dims_can_flatten(&s->batches, call->in[0])) {
        m *= (int64_t)s->batches.count;
        s->batches = (struct bp_cpu_batch_dims){.count = 1};
    }
    s->gemm = (struct bp_cpu_gemm){
        .m = (size_t)m,
        .n = (size_t)n,
        .k = (size_t)k,
        .lda = (size_t)a.row_step,
        .ldb = (size_t)b.row_step,
        .dtype = call->in[0]->dtype,
        .trans_a = a.trans,
        .trans_b = b.trans,
        .alpha = (double)bp_cpu_float(call->node, "alpha", 1),
        .width = s->batches.count >= 2 * (uint64_t)call->width ? 1 : call->width,
        .blas = call->node->blas,
    };
    return BP_OK;
}

/* Integers take the plain loop, floats gemm with a work area for each thread. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    size_t worker;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    rc = plan(call, s, err);
    if (rc < 0 || bp_cpu_count(call->out[0]) == 0)
        return rc;
    if (is_integer(call->in[0]->dtype)) {
        s->product = (struct bp_cpu_int_product){
            .m = s->gemm.m,
            .n = s->gemm.n,
            .k = s->gemm.k,
            .a_row = s->gemm.k,
            .a_col = 1,
            .b_row = s->gemm.n,
            .b_col = 1,
            .factor = 1,
            .size = bp_cpu_width(call->in[0]->dtype),
        };
        return BP_OK;
    }
    bp_cpu_gemm_plan(&s->gemm);
    worker = (s->gemm.scratch_bytes + 63) / 64 * 64;
    if (s->batches.count > UINT32_MAX / s->gemm.tasks ||
        __builtin_mul_overflow(worker, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the batch or its scratch is too large");
    return BP_OK;
}

/* The matrices of product `batch`. */
static struct bp_cpu_operands at_batch(const struct job *job, uint64_t batch)
{
    const struct state *s = job->state;
    size_t m = s->gemm.m, n = s->gemm.n;
    int64_t a, b;

    bp_cpu_batch_dims_at(&s->batches, batch, &a, &b);
    return (struct bp_cpu_operands){
        .a = job->a + (size_t)a * job->width,
        .b = job->b + (size_t)b * job->width,
        .c = job->c + batch * m * n * job->width,
        .stop = job->stop,
    };
}

/* Task i is a part of product i / tasks. */
static void run_task(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_gemm *gemm = &job->state->gemm;
    struct bp_cpu_operands operands = at_batch(job, i / gemm->tasks);

    bp_cpu_gemm_task(gemm, &operands, i % gemm->tasks,
                     bp_cpu_worker_scratch(job->scratch, worker, gemm->scratch_bytes));
}

/* Integers use the plain loop, on one thread. */
static void run_integers(const struct job *job)
{
    for (uint64_t i = 0; i < job->state->batches.count; i++) {
        struct bp_cpu_operands operands = at_batch(job, i);
        struct bp_cpu_int_product product = job->state->product;

        product.a = operands.a;
        product.b = operands.b;
        product.c = operands.c;
        memset(product.c, 0, product.m * product.n * product.size);
        bp_cpu_int_product(&product, job->stop);
    }
}

/* With k 0 the product is 0. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *y = call->out[0];
    struct job job = {
        .state = s, .scratch = call->scratch, .width = bp_cpu_width(y->dtype), .stop = call->stop};

    (void)err;
    if (bp_cpu_count(y) == 0)
        return BP_OK;
    if (s->gemm.k > 0) {
        job.a = bp_cpu_data(call->in[0]);
        job.b = bp_cpu_data(call->in[1]);
    }
    job.c = bp_cpu_data(y);
    if (s->gemm.k == 0)
        memset(job.c, 0, (size_t)bp_cpu_count(y) * job.width);
    else if (is_integer(y->dtype))
        run_integers(&job);
    else
        bp_cpu_parallel_stoppable(call, (uint32_t)s->batches.count * s->gemm.tasks, run_task, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_matmul = {
    .name = "MatMul",
    .since = 1,
    .flags = BP_CPU_RAW_WEIGHTS,
    .loops = &wide,
    .types = BP_CPU_FLOATS | UINT64_C(1) << BP_DTYPE_I32 | UINT64_C(1) << BP_DTYPE_U32 |
             UINT64_C(1) << BP_DTYPE_I64 | UINT64_C(1) << BP_DTYPE_U64,
    .pack = pack,
    .unpack = bp_cpu_blas_leave,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

#define FUSED(row, name_)                                                                          \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .flags = BP_CPU_RAW_WEIGHTS,                                                               \
        .loops = &wide,                                                                            \
        .types = BP_CPU_FLOATS,                                                                    \
        .pack = pack,                                                                              \
        .unpack = bp_cpu_blas_leave,                                                               \
        .prepare = bp_cpu_widen_prepare,                                                           \
        .run = bp_cpu_widen_run,                                                                   \
    }

FUSED(bp_cpu_op_fused_matmul, "FusedMatMul");
FUSED(bp_cpu_op_transpose_matmul, "TransposeMatMul");
