/* SPDX-License-Identifier: MIT */
/*
 * gemm.c - Gemm (opsets 1, 6, 7, 9, 11, 13), and FusedGemm of com.microsoft.
 * Y = alpha * A' * B' + beta * C.
 * A' is [M, K], B' [K, N] (transA and transB transpose them), C broadcasts to Y [M, N].
 * C is optional from opset 11 on; before opset 7 it broadcast by an attribute. Opset 9 added
 * integers of 32 and 64 bits.
 * Y is filled with beta * C first, and the product is added. FusedGemm applies an activation to Y.
 */

#include "kernels/gemm/gemm.h"
#include "kernels/cast/widen.h"
#include "kernels/gemm/epilogue.h"
#include "kernels/tensor_data.h"
#include "matmul/int_product.h"

#include <math.h>

/* The plan of a call: gemm for floats, product for integers. */
struct state {
    struct bp_cpu_gemm gemm;
    struct bp_cpu_int_product product;
    struct bp_cpu_epilogue epilogue;
    double beta;
    int64_t c_row, c_col; /* steps in C for a row and a column of Y; 0: broadcast */
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    struct bp_cpu_operands operands;
    char *scratch;
};

/* The integer types that Gemm allows. */
static bool is_integer(uint32_t dtype)
{
    return dtype == BP_DTYPE_I32 || dtype == BP_DTYPE_U32 || dtype == BP_DTYPE_I64 ||
           dtype == BP_DTYPE_U64;
}

/* Integer types need integral alpha and beta, so that the result is exact. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *a = bp_node_in(query->graph, query->node, 0);
    float alpha = bp_node_float(query->graph, query->node, "alpha", 1);
    float beta = bp_node_float(query->graph, query->node, "beta", 1);

    if (a && is_integer(a->dtype) &&
        (floorf(alpha) < alpha || floorf(beta) < beta || !(fabsf(alpha) < 1e9f) ||
         !(fabsf(beta) < 1e9f)))
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "alpha",
                      "alpha and beta must be integral for integer types");
    else
        bp_cpu_claim_types(op, query);
}

/* Opens BLAS if the sizes known so far make the node large enough. */
static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_value *a = bp_node_in(node->graph, node->node, 0);
    const bp_value *b = bp_node_in(node->graph, node->node, 1);
    double flops = 2;

    (void)err;
    if (!a || !b || a->rank != 2 || b->rank != 2)
        return BP_OK;
    for (uint32_t i = 0; i < 2; i++)
        flops *= b->dims[i].value > 0 ? (double)b->dims[i].value : 1;
    flops *= (double)a->dims[bp_cpu_int(node, "transA", 0) != 0].value;
    if (!is_integer(b->dtype))
        bp_cpu_blas_enter(node, b->dtype, flops);
    return BP_OK;
}

/* C broadcasts to Y, [m, n]. */
static bp_rc plan_addend(const struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *c = bp_cpu_in(call, 2);
    int64_t rows = 1, cols = 1;

    if (!c)
        return BP_OK;
    if (c->rank > 0)
        cols = c->dims[c->rank - 1];
    if (c->rank > 1)
        rows = c->dims[c->rank - 2];
    if (c->rank > 2 || (rows != 1 && rows != (int64_t)s->gemm.m) ||
        (cols != 1 && cols != (int64_t)s->gemm.n))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "C cannot be broadcast to Y");
    s->c_col = cols == 1 ? 0 : 1;
    s->c_row = rows == 1 ? 0 : cols;
    s->gemm.add = s->beta < 0 || s->beta > 0;
    return BP_OK;
}

/* Integers use the plain product of int_product.c. */
static void plan_integers(struct state *s, double alpha)
{
    const struct bp_cpu_gemm *g = &s->gemm;

    s->product = (struct bp_cpu_int_product){
        .m = g->m,
        .n = g->n,
        .k = g->k,
        .a_row = g->trans_a ? 1 : g->k,
        .a_col = g->trans_a ? g->m : 1,
        .b_row = g->trans_b ? 1 : g->n,
        .b_col = g->trans_b ? g->k : 1,
        .factor = (int64_t)alpha,
        .size = bp_cpu_width(g->dtype),
    };
}

/* Checks the shapes and plans the product, and for integers the plain loop. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *a = call->in[0], *b = call->in[1], *y = call->out[0];
    bool trans_a = bp_cpu_int(call->node, "transA", 0) != 0;
    bool trans_b = bp_cpu_int(call->node, "transB", 0) != 0;
    double alpha = (double)bp_cpu_float(call->node, "alpha", 1);
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (a->rank != 2 || b->rank != 2 || y->rank != 2 || a->dims[!trans_a] != b->dims[trans_b] ||
        y->dims[0] != a->dims[trans_a] || y->dims[1] != b->dims[!trans_b])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "A, B and Y do not fit together");
    if (!bp_cpu_epilogue_read(call->node->graph, call->node->node, &s->epilogue))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "the activation is not known");
    s->beta = (double)bp_cpu_float(call->node, "beta", 1);
    s->gemm = (struct bp_cpu_gemm){
        .m = (size_t)y->dims[0],
        .n = (size_t)y->dims[1],
        .k = (size_t)a->dims[!trans_a],
        .dtype = y->dtype,
        .trans_a = trans_a,
        .trans_b = trans_b,
        .alpha = alpha,
        .width = call->width,
        .blas = call->node->blas,
    };
    rc = plan_addend(call, s, err);
    if (rc < 0 || bp_cpu_count(y) == 0)
        return rc;
    if (is_integer(y->dtype)) {
        plan_integers(s, alpha);
        return BP_OK;
    }
    bp_cpu_gemm_plan(&s->gemm);
    if (__builtin_mul_overflow((s->gemm.scratch_bytes + 63) / 64 * 64, call->width,
                               &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

#define T float
#define FN(name) name##_f32
#define BETA (float)s->beta
#include "matmul/gemm_fill.inc"

#define T double
#define FN(name) name##_f64
#define BETA s->beta
#include "matmul/gemm_fill.inc"

#define T uint32_t
#define FN(name) name##_u32
#define BETA (uint32_t)(int64_t) s->beta
#include "matmul/gemm_fill.inc"

#define T uint64_t
#define FN(name) name##_u64
#define BETA (uint64_t)(int64_t) s->beta
#include "matmul/gemm_fill.inc"

/* Y = beta * C; signed integers have the same bits as unsigned ones. */
static void fill(const struct state *s, uint32_t dtype, const void *c, void *y)
{
    if (dtype == BP_DTYPE_F32)
        fill_f32(s, c, y);
    else if (dtype == BP_DTYPE_F64)
        fill_f64(s, c, y);
    else if (bp_cpu_width(dtype) == 4)
        fill_u32(s, c, y); /* two's complement: the same bits */
    else
        fill_u64(s, c, y);
}

/* Task i of the product. */
static void run_task(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_gemm *gemm = &job->state->gemm;

    bp_cpu_gemm_task(gemm, &job->operands, i,
                     bp_cpu_worker_scratch(job->scratch, worker, gemm->scratch_bytes));
}

/* The product, added to Y or written to it. */
static void multiply(const struct bp_cpu_call *call, struct job *job)
{
    const struct state *s = job->state;

    job->operands.a = bp_cpu_data(call->in[0]);
    job->operands.b = bp_cpu_data(call->in[1]);
    if (is_integer(call->out[0]->dtype)) {
        struct bp_cpu_int_product product = s->product;

        product.a = job->operands.a;
        product.b = job->operands.b;
        product.c = job->operands.c;
        bp_cpu_int_product(&product, call->stop);
    } else {
        bp_cpu_parallel_stoppable(call, s->gemm.tasks, run_task, job);
    }
}

/* Y = beta * C, the product on top, then the activation. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *y = call->out[0];
    struct job job = {.state = s, .scratch = call->scratch, .operands.stop = call->stop};
    size_t bytes = (size_t)bp_cpu_count(y) * bp_cpu_width(y->dtype);

    (void)err;
    if (bytes == 0)
        return BP_OK;
    job.operands.c = bp_cpu_data(y);
    if (s->gemm.add)
        fill(s, y->dtype, bp_cpu_data(call->in[2]), job.operands.c);
    else if (s->gemm.k == 0 || is_integer(y->dtype))
        memset(job.operands.c, 0, bytes);
    if (s->gemm.k > 0)
        multiply(call, &job);
    bp_cpu_epilogue_run(call, &s->epilogue, NULL, y);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_gemm = {
    .name = "Gemm",
    .since = 1,
    .flags = BP_CPU_RAW_WEIGHTS,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS | UINT64_C(1) << BP_DTYPE_I32 | UINT64_C(1) << BP_DTYPE_U32 |
             UINT64_C(1) << BP_DTYPE_I64 | UINT64_C(1) << BP_DTYPE_U64,
    .pack = pack,
    .unpack = bp_cpu_blas_leave,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

/* The activation must be one that the epilogue knows; integers take none. */
static void claim_fused(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *a = bp_node_in(query->graph, query->node, 0);

    if (a && is_integer(a->dtype) &&
        !bp_node_string_is(query->graph, query->node, "activation", "", ""))
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "activation", "integers take no activation");
    else if (bp_cpu_epilogue_claim(query))
        claim(op, query);
}

const struct bp_cpu_op bp_cpu_op_fused_gemm = {
    .name = "FusedGemm",
    .domain = "com.microsoft",
    .since = 1,
    .flags = BP_CPU_RAW_WEIGHTS,
    .loops = &wide,
    .claim = claim_fused,
    .types = BP_CPU_FLOATS | UINT64_C(1) << BP_DTYPE_I32 | UINT64_C(1) << BP_DTYPE_U32 |
             UINT64_C(1) << BP_DTYPE_I64 | UINT64_C(1) << BP_DTYPE_U64,
    .pack = pack,
    .unpack = bp_cpu_blas_leave,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
