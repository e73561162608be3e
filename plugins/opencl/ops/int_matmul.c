/* SPDX-License-Identifier: MIT */
/*
 * int_matmul.c - MatMulInteger and QLinearMatMul, and of com.microsoft MatMulIntegerToFloat,
 * DynamicQuantizeMatMul and QGemm; and the product that convolutions of integers are made of.
 */

#include "ops/quantized.h"

enum { ANY = BP_OPENCL_MAX_RANK };

/* ---- the kernel ------------------------------------------------------------------------------ */

void bp_opencl_define_limits(struct bp_opencl_prefix *prefix, uint32_t dtype)
{
    bool is_signed = dtype == BP_DTYPE_I8 || dtype == BP_DTYPE_I16;
    int range = dtype == BP_DTYPE_I8 || dtype == BP_DTYPE_U8 ? 256 : 65536;

    bp_opencl_define(prefix, "#define LOW %d\n#define HIGH %d", is_signed ? -range / 2 : 0,
                     is_signed ? range / 2 - 1 : range - 1);
}

void bp_opencl_int_define(const struct bp_opencl_int_gemm *gemm, struct bp_opencl_prefix *prefix)
{
    bp_opencl_define_type(prefix, "TY", gemm->y->dtype);
    bp_opencl_define_type(prefix, "TA", gemm->a->dtype);
    bp_opencl_define_type(prefix, "TB", gemm->b->dtype);
    if (gemm->a_zero) {
        bp_opencl_define(prefix, "#define HAS_A_ZERO");
        bp_opencl_define_type(prefix, "TAZ", gemm->a_zero->dtype);
    }
    if (gemm->b_zero) {
        bp_opencl_define(prefix, "#define HAS_B_ZERO");
        bp_opencl_define_type(prefix, "TBZ", gemm->b_zero->dtype);
    }
    if (gemm->bias)
        bp_opencl_define(prefix, "#define HAS_BIAS");
    if (gemm->float_bias)
        bp_opencl_define(prefix, "#define HAS_FLOAT_BIAS");
    if (gemm->a_scale)
        bp_opencl_define(prefix, "#define IS_SCALED");
    if (gemm->y_scale) {
        bp_opencl_define(prefix, "#define HAS_Y_SCALE");
        bp_opencl_define_limits(prefix, gemm->y->dtype);
    }
    if (gemm->y_zero)
        bp_opencl_define(prefix, "#define HAS_Y_ZERO");
}

/* As kernels know it: sizes_t of kernels/int_gemm.cl. */
struct sizes {
    int32_t m, n, k, am, ak, bk, bn, a_zero, b_zero, a_scale, b_scale, cm, cn;
    float alpha;
};

void bp_opencl_int_operands(struct bp_opencl_builder *b, const struct bp_opencl_int_gemm *gemm)
{
    const struct bp_opencl_tensor *const operands[] = {
        gemm->y,          gemm->a,       gemm->b,       gemm->a_zero,  gemm->b_zero, gemm->bias,
        gemm->float_bias, gemm->a_scale, gemm->b_scale, gemm->y_scale, gemm->y_zero};
    const int64_t all[] = {gemm->m, gemm->n, gemm->k, gemm->am, gemm->ak, gemm->bk, gemm->bn};
    const struct sizes sizes = {
        .m = (int32_t)gemm->m,
        .n = (int32_t)gemm->n,
        .k = (int32_t)gemm->k,
        .am = (int32_t)gemm->am,
        .ak = (int32_t)gemm->ak,
        .bk = (int32_t)gemm->bk,
        .bn = (int32_t)gemm->bn,
        .a_zero = (int32_t)gemm->a_zero_step,
        .b_zero = (int32_t)gemm->b_zero_step,
        .a_scale = (int32_t)gemm->a_scale_step,
        .b_scale = (int32_t)gemm->b_scale_step,
        .cm = (int32_t)gemm->cm,
        .cn = (int32_t)gemm->cn,
        .alpha = gemm->alpha,
    };

    for (uint32_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i] > INT32_MAX)
            bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has a size of %lld, beyond 32 bits",
                                 BP_NODE(b->graph, b->node)->name, (long long)all[i]);
    }
    for (uint32_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        if (operands[i])
            bp_opencl_operand(b, operands[i]);
    }
    bp_opencl_struct(b, &sizes, sizeof sizes);
}

void bp_opencl_int_gemm(struct bp_opencl_builder *b, const struct bp_opencl_int_gemm *gemm)
{
    bool is_processor = b->program->instance->is_processor && gemm->bn == 1;
    int64_t rows = (gemm->m + 3) / 4, columns = (gemm->n + 15) / 16;
    struct bp_opencl_prefix prefix = {.n = 0};

    bp_opencl_define(&prefix, "#define IS_GEMM");
    if (is_processor)
        bp_opencl_define(&prefix, "#define IS_PROCESSOR");
    bp_opencl_int_define(gemm, &prefix);
    bp_opencl_begin(b, "int_gemm", prefix.text, "int_gemm");
    bp_opencl_int_operands(b, gemm);
    bp_opencl_struct(b, &gemm->batches, sizeof gemm->batches);
    if (is_processor)
        bp_opencl_run_groups(b, rows, columns, gemm->n_batches, rows < 8 ? (size_t)rows : 8, 1);
    else
        bp_opencl_run_groups(b, (gemm->n + 63) / 64 * 16, (gemm->m + 63) / 64 * 16, gemm->n_batches,
                             16, 16);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Where an operator has its inputs; NONE: it has no such one. */
enum { NONE = 31 };
static const struct layout {
    uint32_t a, b, a_scale, b_scale, a_zero, b_zero, y_scale, y_zero, bias, float_bias;
} layouts[] = {
    {0, 1, NONE, NONE, 2, 3, NONE, NONE, NONE, NONE}, /* MatMulInteger */
    {0, 3, 1, 4, 2, 5, 6, 7, NONE, NONE},             /* QLinearMatMul */
    {0, 1, 2, 3, 4, 5, NONE, NONE, NONE, 6},          /* MatMulIntegerToFloat */
    {0, 3, 1, 4, 2, 5, 7, 8, 6, NONE},                /* QGemm */
    {0, 1, NONE, 2, NONE, 3, NONE, NONE, NONE, 4},    /* DynamicQuantizeMatMul */
};
enum { INTEGER, QLINEAR, TO_FLOAT, QGEMM, DYNAMIC };

static bool takes(const struct bp_opencl_query *query, uint32_t i, uint64_t types, uint32_t high)
{
    return i == NONE || bp_opencl_takes_optional(query, i, types, 0, high);
}

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    const struct layout *at = &layouts[op->kind];
    uint64_t result = op->kind == INTEGER ? BP_OPENCL_I32 : BP_OPENCL_BYTES | BP_OPENCL_F32;
    uint64_t first = op->kind == DYNAMIC ? BP_OPENCL_F32 : BP_OPENCL_BYTES;
    const bp_value *y_zero = bp_node_in(query->graph, query->node, at->y_zero);
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    if (!bp_opencl_takes(query, at->a, first, op->kind == QGEMM ? 2 : 1, ANY) ||
        !bp_opencl_takes(query, at->b, BP_OPENCL_BYTES, op->kind == QGEMM ? 2 : 1, ANY) ||
        !takes(query, at->a_zero, BP_OPENCL_BYTES, 1) ||
        !takes(query, at->b_zero, BP_OPENCL_BYTES, 1) ||
        !takes(query, at->a_scale, BP_OPENCL_F32, 1) ||
        !takes(query, at->b_scale, BP_OPENCL_F32, 1) ||
        !takes(query, at->y_scale, BP_OPENCL_F32, 1) ||
        !takes(query, at->y_zero, BP_OPENCL_BYTES, 1) ||
        !takes(query, at->bias, BP_OPENCL_I32, 2) ||
        !takes(query, at->float_bias, BP_OPENCL_F32, 1) || !bp_opencl_makes(query, 0, result))
        return false;
    return !y_zero || !y || y_zero->dtype == y->dtype ||
           bp_opencl_refuse(query, BP_R_DTYPE, y_zero->name, "its type is not the output's");
}

static const struct bp_opencl_tensor *input(const struct bp_opencl_builder *b, const bp_node *node,
                                            uint32_t i)
{
    return i == NONE ? NULL : bp_opencl_in(b, node, i);
}

/* 1 where there is one element for each of n, 0 where there is one for all. */
static int64_t step_of(struct bp_opencl_builder *b, const struct bp_opencl_tensor *list, int64_t n)
{
    if (list && list->count != 1 && list->count != n)
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has %lld scales or zero points, not %lld",
                             BP_NODE(b->graph, b->node)->name, (long long)list->count,
                             (long long)n);
    return list && list->count > 1;
}

static struct bp_opencl_tensor batch_of(const struct bp_opencl_tensor *x)
{
    struct bp_opencl_tensor batch = *x;

    batch.rank = x->rank > 2 ? x->rank - 2 : 0;
    return batch;
}

/* Sizes of the product, as of MatMul: a vector is one row of A, or one column of B. */
static void set_sizes(struct bp_opencl_builder *b, struct bp_opencl_int_gemm *g)
{
    const struct bp_opencl_tensor *x = g->a, *w = g->b;
    struct bp_opencl_tensor in[] = {batch_of(x), batch_of(w)};
    const struct bp_opencl_tensor *batches[] = {&in[0], &in[1]};
    uint32_t lacks = (x->rank == 1 ? 1u : 0) + (w->rank == 1 ? 1u : 0);

    g->m = x->rank > 1 ? x->dims[x->rank - 2] : 1;
    g->k = x->dims[x->rank - 1];
    g->n = w->rank > 1 ? w->dims[w->rank - 1] : 1;
    g->am = g->k;
    g->ak = g->bn = 1;
    g->bk = g->n;
    g->n_batches = g->y->count / (g->m * g->n);
    if (!bp_opencl_make_walk(b, g->y->rank + lacks - 2, g->y->dims, batches, 2, &g->batches))
        return;
    for (int32_t d = 0; d < g->batches.rank; d++) {
        g->batches.strides[0][d] *= (int32_t)(g->m * g->k);
        g->batches.strides[1][d] *= (int32_t)(g->k * g->n);
    }
}

static void set_transposed(struct bp_opencl_builder *b, const bp_node *node,
                           struct bp_opencl_int_gemm *g)
{
    bool trans_a = bp_node_int(b->graph, node, "transA", 0) != 0;
    bool trans_b = bp_node_int(b->graph, node, "transB", 0) != 0;
    const int64_t *a = g->a->dims, *w = g->b->dims;

    g->m = a[trans_a];
    g->k = a[!trans_a];
    g->n = w[!trans_b];
    g->am = trans_a ? 1 : g->k;
    g->ak = trans_a ? g->m : 1;
    g->bk = trans_b ? 1 : g->n;
    g->bn = trans_b ? g->k : 1;
    g->n_batches = 1;
    g->alpha = bp_node_float(b->graph, node, "alpha", 1);
}

/* Bias of rows and columns, of columns, or one element. */
static void set_bias(struct bp_opencl_int_gemm *g, const struct bp_opencl_tensor *bias)
{
    if (!bias)
        return;
    g->cn = bias->rank > 0 && bias->dims[bias->rank - 1] > 1;
    g->cm = bias->rank > 1 && bias->dims[0] > 1 ? bias->dims[1] : 0;
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct layout *at = &layouts[op->kind];
    struct bp_opencl_int_gemm g = {.y = bp_opencl_out(b, node, 0),
                                   .a = input(b, node, at->a),
                                   .b = input(b, node, at->b),
                                   .a_zero = input(b, node, at->a_zero),
                                   .b_zero = input(b, node, at->b_zero),
                                   .a_scale = input(b, node, at->a_scale),
                                   .b_scale = input(b, node, at->b_scale),
                                   .y_scale = input(b, node, at->y_scale),
                                   .y_zero = input(b, node, at->y_zero),
                                   .bias = input(b, node, at->bias),
                                   .float_bias = input(b, node, at->float_bias),
                                   .alpha = 1};
    struct bp_opencl_tensor bytes, scale, zero;

    if (op->kind == DYNAMIC) {
        bytes = bp_opencl_scratch(b, BP_DTYPE_U8, g.a->count);
        bytes.rank = g.a->rank;
        memcpy(bytes.dims, g.a->dims, sizeof bytes.dims);
        scale = bp_opencl_scratch(b, BP_DTYPE_F32, 1);
        zero = bp_opencl_scratch(b, BP_DTYPE_U8, 1);
        bp_opencl_quantize_dynamically(b, g.a, &bytes, &scale, &zero);
        g.a = &bytes;
        g.a_scale = &scale;
        g.a_zero = &zero;
    }
    if (op->kind == QGEMM)
        set_transposed(b, node, &g);
    else
        set_sizes(b, &g);
    g.a_zero_step = step_of(b, g.a_zero, g.m);
    g.b_zero_step = step_of(b, g.b_zero, g.n);
    g.a_scale_step = step_of(b, g.a_scale, g.m);
    g.b_scale_step = step_of(b, g.b_scale, g.n);
    set_bias(&g, g.bias ? g.bias : g.float_bias);
    /* one matrix for all rows of A is one large product */
    if (op->kind != QGEMM && g.b->count == g.k * g.n && !g.a_zero_step && !g.a_scale_step) {
        g.m *= g.n_batches;
        g.n_batches = 1;
        g.batches = (struct bp_opencl_walk){0};
    }
    bp_opencl_int_gemm(b, &g);
}

#define ROW(onnx, of, from, which)                                                                 \
    {                                                                                              \
        .name = onnx, .domain = of, .since = from, .until = BP_OPENCL_LATEST, .claim = claim,      \
        .build = build, .kind = which                                                              \
    }

const struct bp_opencl_op bp_opencl_int_matmul_ops[] = {
    ROW("DynamicQuantizeMatMul", "com.microsoft", 1, DYNAMIC),
    ROW("MatMulInteger", NULL, 10, INTEGER),
    ROW("MatMulIntegerToFloat", "com.microsoft", 1, TO_FLOAT),
    ROW("QGemm", "com.microsoft", 1, QGEMM),
    ROW("QLinearMatMul", NULL, 10, QLINEAR),
    {.name = NULL},
};
