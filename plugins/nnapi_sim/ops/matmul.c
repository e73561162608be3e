/* SPDX-License-Identifier: MIT */
/* matmul.c - Gemm, MatMul, QLinearMatMul: FULLY_CONNECTED, whose weights are [units, inputs]. */

#include "families.h"

/* ---- conditions ------------------------------------------------------------------------------ */

static bool has_attribute(const struct bp_nn_query *query, const char *name, float want)
{
    float value = bp_node_float(query->graph, query->node, name, 1);

    if (value == want)
        return true;
    return bp_nn_refuse(query, BP_R_ATTRIBUTE, name, "%s is %g, provider takes %g", name,
                        (double)value, (double)want);
}

/* C: absent, of N elements in one row, or of sizes {1, N} from level 28 on. */
static bool takes_bias(const struct bp_nn_query *query)
{
    const struct bp_nn_arg *c = &query->unit->in[2];
    bool is_transposed;
    int64_t columns;
    uint32_t rank;

    if (query->unit->n_in < 3 || c->value == BP_NONE)
        return true;
    rank = bp_nn_rank(query->graph, c);
    is_transposed = bp_node_int(query->graph, query->node, "transB", 0) != 0;
    columns = bp_nn_dim(query->graph, &query->unit->in[1], is_transposed ? 0 : 1);
    if (rank == 0 || bp_nn_dim(query->graph, c, rank - 1) != columns)
        return bp_nn_refuse(query, BP_R_OTHER, "C", "C has not one element a column");
    for (uint32_t i = 0; i + 1 < rank; i++) {
        if (bp_nn_dim(query->graph, c, i) != 1)
            return bp_nn_refuse(query, BP_R_OTHER, "C", "C has not one element a column");
    }
    if (rank > 1 && !bp_nn_needs_level(query, BP_NN_FL2, "C of rank 2"))
        return false;
    return !query->unit->in[1].is_quantized || bp_nn_needs_constant(query, 2, "quantized bias");
}

static bool claim_gemm(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    (void)op;
    if (!bp_nn_needs_rank(query, 0, 2, 2) || !bp_nn_needs_rank(query, 1, 2, 2) ||
        !has_attribute(query, "alpha", 1) || !has_attribute(query, "beta", 1))
        return false;
    if (bp_node_int(query->graph, query->node, "transA", 0) != 0)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "transA", "transA is 1, provider takes 0");
    if (bp_node_int(query->graph, query->node, "transB", 0) == 0 &&
        !bp_nn_needs_constant(query, 1, "B without transB"))
        return false;
    if (query->unit->in[1].is_quantized && !bp_nn_needs_constant(query, 1, "quantized B"))
        return false;
    return takes_bias(query);
}

/* Two stacks of equally many matrices. */
static bool claim_stacks(const struct bp_nn_query *query)
{
    const struct bp_nn_arg *a = &query->unit->in[0], *b = &query->unit->in[1];
    uint32_t rank = bp_nn_rank(query->graph, a);

    if (query->unit->is_qdq)
        return bp_nn_refuse(query, BP_R_RANK, NULL, "quantized matrices of rank %u, not 2", rank);
    if (bp_nn_rank(query->graph, b) != rank)
        return bp_nn_refuse(query, BP_R_RANK, NULL, "ranks %u and %u differ", rank,
                            bp_nn_rank(query->graph, b));
    for (uint32_t i = 0; i + 2 < rank; i++) {
        if (bp_nn_dim(query->graph, a, i) != bp_nn_dim(query->graph, b, i))
            return bp_nn_refuse(query, BP_R_OTHER, NULL, "leading sizes differ");
    }
    return bp_nn_needs_level(query, BP_NN_FL3, "a product of rank 3 and more");
}

static bool claim_matmul(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    uint32_t rank = bp_nn_rank(query->graph, &query->unit->in[0]);

    (void)op;
    if (rank >= 3)
        return claim_stacks(query);
    return bp_nn_needs_rank(query, 0, 2, 2) && bp_nn_needs_rank(query, 1, 2, 2) &&
           bp_nn_needs_constant(query, 1, "B");
}

static bool claim_qlinear(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    (void)op;
    return bp_nn_needs_rank(query, 0, 2, 2) && bp_nn_needs_rank(query, 1, 2, 2) &&
           bp_nn_needs_constant(query, 1, "B");
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* A constant [K, N] as [N, K], or as it is where it is [N, K] already. */
static uint32_t weights(struct bp_nn_build *b, const struct bp_nn_arg *arg, bool is_transposed)
{
    const bp_value *value = BP_VALUE(b->graph, arg->value);
    uint32_t rows = (uint32_t)value->dims[0].value, columns = (uint32_t)value->dims[1].value;
    struct bp_nn_bytes_from from = {.data = bp_nn_bytes(b, arg->value)};
    struct bp_nn_operand operand;
    unsigned char *to;

    bp_nn_describe_weight(b, arg, &operand);
    operand.rank = 2;
    operand.dims[0] = is_transposed ? rows : columns;
    operand.dims[1] = is_transposed ? columns : rows;
    from.size = bp_nn_element_bytes(operand.type);
    from.moved = value->dtype == BP_DTYPE_I8 ? 128 : 0;
    to = from.data ? bp_nn_get(b, bp_nn_operand_count(&operand) * from.size) : NULL;
    for (uint64_t i = 0; to && i < (uint64_t)rows * columns; i++) {
        uint64_t at = is_transposed ? i : i % columns * rows + i / columns;

        bp_nn_copy_element(&from, i, to + at * from.size);
    }
    operand.data = to;
    return bp_nn_constant(b, &operand);
}

static void emit_product(struct bp_nn_build *b, struct bp_nn_unit *unit, uint32_t w)
{
    uint32_t in[4] = {bp_nn_in(b, &unit->in[0], BP_NN_NCHW), w, 0, 0};

    in[2] = bp_nn_bias(b, unit->n_in > 2 ? &unit->in[2] : NULL, in[0], w, bp_nn_at(b, w)->dims[0]);
    in[3] = bp_nn_i32(b, bp_nn_take_activation(b, unit));
    bp_nn_emit(b, ANEURALNETWORKS_FULLY_CONNECTED, 4, in, bp_nn_out(b, unit, BP_NN_NCHW));
}

static void lower_gemm(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    bool is_transposed = bp_node_int(b->graph, unit->node, "transB", 0) != 0;

    (void)op;
    emit_product(b, unit,
                 bp_nn_is_constant(b, unit->in[1].value) ? weights(b, &unit->in[1], is_transposed)
                                                         : bp_nn_in(b, &unit->in[1], BP_NN_NCHW));
}

/* ---- stacks of matrices ---------------------------------------------------------------------- */

/* The operand as n matrices [rows, columns]: RESHAPE, perhaps TRANSPOSE, SPLIT, RESHAPE. */
static bool split(struct bp_nn_build *b, uint32_t in, uint32_t n, bool transposes, uint32_t *out)
{
    static const int32_t swap[] = {0, 2, 1};
    uint32_t rank = bp_nn_at(b, in)->rank, whole;
    uint32_t dims[3] = {n, bp_nn_at(b, in)->dims[rank - 2], bp_nn_at(b, in)->dims[rank - 1]};
    uint32_t *parts = bp_nn_get(b, n * sizeof *parts);

    if (!parts)
        return false;
    whole = bp_nn_like(b, in, 3, dims);
    bp_nn_reshape(b, in, whole);
    if (transposes)
        whole = bp_nn_transpose(b, whole, swap);
    dims[0] = 1;
    dims[1] = bp_nn_at(b, whole)->dims[1];
    dims[2] = bp_nn_at(b, whole)->dims[2];
    for (uint32_t i = 0; i < n; i++)
        parts[i] = n == 1 ? whole : bp_nn_like(b, whole, 3, dims);
    if (n > 1)
        bp_nn_emit_many(b, ANEURALNETWORKS_SPLIT, 3,
                        (uint32_t[]){whole, bp_nn_i32(b, 0), bp_nn_i32(b, (int32_t)n)}, n, parts);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = bp_nn_like(b, whole, 2, dims + 1);
        bp_nn_reshape(b, parts[i], out[i]);
    }
    return true;
}

static void multiply(struct bp_nn_build *b, uint32_t n, const uint32_t *left, const uint32_t *right,
                     uint32_t *products)
{
    uint32_t none = bp_nn_i32(b, ANEURALNETWORKS_FUSED_NONE);
    uint32_t dims[2] = {bp_nn_at(b, left[0])->dims[0], bp_nn_at(b, right[0])->dims[0]};
    uint32_t bias = bp_nn_bias(b, NULL, left[0], right[0], dims[1]);

    for (uint32_t i = 0; i < n; i++) {
        products[i] = bp_nn_like(b, left[0], 2, dims);
        bp_nn_emit(b, ANEURALNETWORKS_FULLY_CONNECTED, 4,
                   (uint32_t[]){left[i], right[i], bias, none}, products[i]);
    }
}

/* NNAPI has no product of stacks below level 6: one FULLY_CONNECTED a matrix. */
static void lower_stacks(struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), n = 1, out, joined, dims[2];
    uint32_t *left, *right, *products;

    for (uint32_t i = 0; i + 2 < rank; i++)
        n *= (uint32_t)bp_nn_dim(b->graph, &unit->in[0], i);
    left = bp_nn_get(b, n * sizeof *left);
    right = bp_nn_get(b, n * sizeof *right);
    products = bp_nn_get(b, (n + 1u) * sizeof *products);
    if (!left || !right || !products ||
        !split(b, bp_nn_in(b, &unit->in[0], BP_NN_NCHW), n, false, left) ||
        !split(b, bp_nn_in(b, &unit->in[1], BP_NN_NCHW), n, true, right) || b->rc < 0)
        return;
    multiply(b, n, left, right, products);
    out = bp_nn_out(b, unit, BP_NN_NCHW);
    joined = products[0];
    if (n > 1) {
        dims[0] = n * bp_nn_at(b, joined)->dims[0];
        dims[1] = bp_nn_at(b, joined)->dims[1];
        joined = bp_nn_like(b, joined, 2, dims);
        products[n] = bp_nn_i32(b, 0);
        bp_nn_emit(b, ANEURALNETWORKS_CONCATENATION, n + 1, products, joined);
    }
    bp_nn_reshape(b, joined, out);
}

static void lower_matmul(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    (void)op;
    if (bp_nn_rank(b->graph, &unit->in[0]) >= 3)
        lower_stacks(b, unit);
    else
        emit_product(b, unit, weights(b, &unit->in[1], false));
}

static const struct bp_nn_op rows[] = {
    {.name = "Gemm",
     .n_needed = 2,
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL1,
     .takes_qdq = true,
     .weight = 1,
     .claim = claim_gemm,
     .lower = lower_gemm},
    {.name = "MatMul",
     .n_needed = 2,
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL1,
     .takes_qdq = true,
     .weight = 1,
     .claim = claim_matmul,
     .lower = lower_matmul},
    {.name = "QLinearMatMul",
     .n_needed = 8,
     .first = 1,
     .types = BP_NN_U8,
     .level = BP_NN_FL1,
     .weight = 1,
     .claim = claim_qlinear,
     .lower = lower_matmul},
};

const struct bp_nn_family bp_nn_matmul = BP_NN_FAMILY(rows);
