/* SPDX-License-Identifier: MIT */
/*
 * fuse_quantized.c - DequantizeLinear -> op -> QuantizeLinear becomes the integer operator:
 * QLinearConv, QLinearMatMul, and of com.microsoft QGemm, QLinearAdd, QLinearConcat...
 *
 * A result may differ by one quantization step: sums of int32 are exact, those of floats are not. A
 * Gemm or MatMul whose result stays float becomes QGemm without output scale, or
 * MatMulIntegerToFloat.
 */

#include "config.h"

#include <math.h>

#include "optimize/patterns/quantized.h"

enum {
    MOST_IN = 3 * BP_MOST_QUANT_PARTS + 2,
    MOST_BIAS = 1 << 30, /* of a bias: the other half of int32 is for the sum of products */
    MOST_ELEMENTS = 4096 /* elements of zero points and biases that are looked at */
};

struct row {
    const char *op, *quantised, *domain;
    bool (*find)(struct bp_rewrite *rw, struct bp_quant_op *p); /* operands, and conditions */
};

/* ---- operands -------------------------------------------------------------------------------- */

/* An operand with one scale and one zero point. */
static bool add_plain(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    return bp_quant_add(rw, p) && bp_quant_is_plain(rw, &p->in[p->n_in - 1]);
}

static bool find_one(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    return add_plain(rw, p);
}

static bool find_two(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    return bp_rw_node(rw, p->op)->n_in == 2 && add_plain(rw, p) && add_plain(rw, p);
}

/*
 * The second matrix: one scale, or one for each column of a constant. Integer products are faster
 * than float ones on every provider, and the conversions around them disappear.
 */
static bool add_columns(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    const struct bp_quant *b;
    int64_t axis;

    if (!bp_quant_add(rw, p))
        return false;
    b = &p->in[p->n_in - 1];
    if (bp_quant_is_plain(rw, b))
        return true;
    axis = bp_ir_attr_int(bp_rw_node(rw, b->node), "axis", 1);
    return rw->facts[b->value].dtype != BP_DTYPE_I32 && bp_rw_is_constant(rw, b->value) &&
           rw->facts[b->value].rank == 2 && (axis == 1 || axis == -1) &&
           rw->facts[b->scale].rank == 1 && rw->facts[b->zero].rank == 1;
}

static bool find_product(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    return add_plain(rw, p) && add_columns(rw, p);
}

static bool find_all(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    const struct bp_ir_node *node = bp_rw_node(rw, p->op);

    for (uint32_t i = 0; i < node->n_in; i++) {
        if (!add_plain(rw, p))
            return false;
    }
    return node->n_in > 0;
}

/* All elements of a small integer constant; NULL: it is none, or no memory. */
static const int64_t *whole(struct bp_rewrite *rw, uint32_t value, uint32_t *n)
{
    int64_t *elements = bp_region_array(rw->scratch, MOST_ELEMENTS, sizeof *elements);

    return elements && bp_rw_ints(rw, value, elements, MOST_ELEMENTS, n) ? elements : NULL;
}

/*
 * Constant weights of 8 bits: one scale, or one for each output channel with zero points of 0, as
 * QLinearConv wants.
 */
static bool add_weights(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    const struct bp_quant *w;
    const int64_t *zero;
    uint32_t n;

    if (!bp_quant_add(rw, p))
        return false;
    w = &p->in[p->n_in - 1];
    if (!bp_rw_is_constant(rw, w->value) || rw->facts[w->value].dtype == BP_DTYPE_I32)
        return false;
    if (bp_quant_is_plain(rw, w))
        return true;
    zero = whole(rw, w->zero, &n);
    for (uint32_t i = 0; zero && i < n; i++) {
        if (zero[i] != 0)
            return false;
    }
    return zero && bp_ir_attr_int(bp_rw_node(rw, w->node), "axis", 1) == 0;
}

/*
 * Is the bias's scale x_scale * w_scale, channel by channel, within 1e-6? QLinearConv has no scale
 * for it.
 */
static bool is_of_products(struct bp_rewrite *rw, const struct bp_quant_op *p)
{
    size_t n_w, n_b;
    double x;
    const double *w = bp_rw_floats(rw, p->in[1].scale, &n_w);
    const double *b = bp_rw_floats(rw, p->in[2].scale, &n_b);

    if (!w || !b || n_w != n_b || !bp_rw_float(rw, p->in[0].scale, &x))
        return false;
    for (size_t i = 0; i < n_w; i++) {
        if (!(fabs(b[i] - x * w[i]) <= 1e-6 * fabs(x * w[i])))
            return false;
    }
    return true;
}

/* The bias, if any: int32, zero points of 0, one element for each channel. */
static bool add_bias(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    const struct bp_quant *b = &p->in[2];
    const int64_t *elements;
    uint32_t n;

    if (bp_rw_in(bp_rw_node(rw, p->op), 2) == BP_NONE)
        return true;
    if (!bp_quant_add(rw, p) || rw->facts[b->value].dtype != BP_DTYPE_I32 ||
        rw->facts[b->value].rank != 1 || !is_of_products(rw, p))
        return false;
    elements = whole(rw, b->zero, &n);
    for (uint32_t i = 0; elements && i < n; i++) {
        if (elements[i] != 0)
            return false;
    }
    elements = elements ? whole(rw, b->value, &n) : NULL;
    for (uint32_t i = 0; elements && i < n; i++) {
        if (elements[i] > MOST_BIAS || elements[i] < -MOST_BIAS)
            return false;
    }
    return elements != NULL;
}

/*
 * One channel in each group makes no matrix product: on the CPU provider integer kernels are slower
 * than float ones with all their conversions (MobileNetV2: 56 of 73 ms were these).
 */
static bool is_depthwise(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    const struct bp_fact *w = &rw->facts[node->in[1]];

    return bp_ir_attr_int(node, "group", 1) > 1 && bp_fact_is_exact(w) && w->rank > 1 &&
           w->dims[1].value == 1;
}

static bool find_conv(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    return add_plain(rw, p) && add_weights(rw, p) && add_bias(rw, p);
}

/*
 * Other than for matrix products, the CPU provider's float kernels are faster, so there it is done
 * only at the layout level.
 */
static bool is_for_others(const struct bp_rewrite *rw, const struct row *row,
                          const struct bp_quant_op *p, const struct bp_ir_node *node)
{
    if (row->find == find_product)
        return false;
    return rw->optimizer->level < BP_OPTIMIZE_LAYOUT || bp_rw_is(rw, p->out.node, "Gemm") ||
           (row->find == find_conv && is_depthwise(rw, node));
}

static bool is_one(const struct bp_ir_node *node, const char *name)
{
    const bp_attr *attr = bp_ir_attr(node, name);
    float scalar = attr && attr->type == BP_ATTR_FLOAT ? *(const float *)attr->data : 1;

    return scalar >= 1 && scalar <= 1;
}

static bool find_gemm(struct bp_rewrite *rw, struct bp_quant_op *p)
{
    const struct bp_ir_node *node = bp_rw_node(rw, p->op);
    uint32_t bias = bp_rw_in(node, 2), out = node->out[0];

    if (!is_one(node, "alpha") || !is_one(node, "beta") || node->schema->since < 7 ||
        !add_plain(rw, p) || !add_plain(rw, p) || !add_bias(rw, p))
        return false;
    return bias == BP_NONE || (rw->facts[bias].rank == 1 && rw->facts[out].rank == 2 &&
                               bp_sym_equal(rw->facts[bias].dims[0], rw->facts[out].dims[1]));
}

/* ---- the new node ---------------------------------------------------------------------------- */

static const struct row rows[] = {
    {"Add", "QLinearAdd", "com.microsoft", find_two},
    {"AveragePool", "QLinearAveragePool", "com.microsoft", find_one},
    {"Concat", "QLinearConcat", "com.microsoft", find_all},
    {"Conv", "QLinearConv", "", find_conv},
    {"Gemm", "QGemm", "com.microsoft", find_gemm},
    {"GlobalAveragePool", "QLinearGlobalAveragePool", "com.microsoft", find_one},
    {"LeakyRelu", "QLinearLeakyRelu", "com.microsoft", find_one},
    {"MatMul", "QLinearMatMul", "", find_product},
    {"Mul", "QLinearMul", "com.microsoft", find_two},
    {"Sigmoid", "QLinearSigmoid", "com.microsoft", find_one},
};

/* The same when no QuantizeLinear follows. */
static const struct row float_rows[] = {
    {"Gemm", "QGemm", "com.microsoft", find_gemm},
    {"MatMul", "MatMulIntegerToFloat", "com.microsoft", find_product},
};

static const struct row *row_of(const struct bp_rewrite *rw, uint32_t n)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (bp_rw_is(rw, n, rows[i].op))
            return &rows[i];
    }
    return NULL;
}

static const struct row *float_row_of(const struct bp_rewrite *rw, uint32_t n)
{
    for (size_t i = 0; i < sizeof float_rows / sizeof float_rows[0]; i++) {
        if (bp_rw_is(rw, n, float_rows[i].op))
            return &float_rows[i];
    }
    return NULL;
}

static void put(uint32_t *in, uint32_t *n, uint32_t value)
{
    in[(*n)++] = value;
}

static void put_quant(uint32_t *in, uint32_t *n, const struct bp_quant *q)
{
    put(in, n, q->value);
    put(in, n, q->scale);
    put(in, n, q->zero);
}

/* Inputs of MatMulIntegerToFloat: both matrices, both scales, both zero points. */
static uint32_t list_float_product(const struct bp_quant_op *p, uint32_t *in)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < 2; i++)
        put(in, &n, p->in[i].value);
    for (uint32_t i = 0; i < 2; i++)
        put(in, &n, p->in[i].scale);
    for (uint32_t i = 0; i < 2; i++)
        put(in, &n, p->in[i].zero);
    return n;
}

/*
 * Inputs in the order of each operator; returns how many. QLinearConcat has the output's scale
 * first, QGemm the bias before it, QLinearConv the bias last.
 */
static uint32_t list_inputs(const struct bp_rewrite *rw, const struct bp_quant_op *p,
                            const struct row *row, uint32_t *in)
{
    bool has_bias = bp_rw_in(bp_rw_node(rw, p->op), 2) != BP_NONE;
    uint32_t n = 0, n_full = row->find == find_conv || row->find == find_gemm ? 2 : p->n_in;

    if (row->find == find_product && p->out.scale == BP_NONE)
        return list_float_product(p, in);
    if (row->find == find_all) {
        put(in, &n, p->out.scale);
        put(in, &n, p->out.zero);
    }
    for (uint32_t i = 0; i < n_full; i++)
        put_quant(in, &n, &p->in[i]);
    if (row->find == find_gemm)
        put(in, &n, has_bias ? p->in[2].value : BP_NONE);
    if (row->find != find_all) {
        put(in, &n, p->out.scale);
        put(in, &n, p->out.zero);
    }
    if (row->find == find_conv && has_bias)
        put(in, &n, p->in[2].value);
    return n;
}

/*
 * Attributes that the integer operator has as well. Gemm's beta is 1; `dilations` of 1 are the
 * default.
 */
static uint32_t list_attrs(const struct bp_ir_node *node, const struct row *row, bp_attr *out)
{
    uint32_t n_dilations, n = 0;
    const int64_t *dilations = bp_ir_attr_ints(node, "dilations", &n_dilations);
    bool is_plain = true;

    for (uint32_t i = 0; i < n_dilations; i++)
        is_plain &= dilations[i] == 1;
    for (uint32_t i = 0; i < node->n_attrs && n < BP_MOST_FUSED_ATTRS; i++) {
        const char *name = node->attrs[i].name;

        if ((row->find == find_gemm && strcmp(name, "beta") == 0) ||
            (row->find == find_one && is_plain && strcmp(name, "dilations") == 0))
            continue;
        out[n++] = node->attrs[i];
    }
    return n;
}

static bp_rc fuse(struct bp_rewrite *rw, const struct row *row, struct bp_quant_op *p, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, p->op);
    bp_attr attrs[BP_MOST_FUSED_ATTRS];
    uint32_t in[MOST_IN], n_in = list_inputs(rw, p, row, in);
    uint32_t n_attrs = list_attrs(node, row, attrs);
    bool done;

    if (p->out.node != p->op)
        p->of[p->n_of++] = p->out.node;
    return bp_fuse(rw,
                   &(struct bp_fusion){.op = row->quantised,
                                       .domain = row->domain,
                                       .opset = row->domain[0] ? 1 : node->opset,
                                       .n_in = n_in,
                                       .n_out = 1,
                                       .n_of = p->n_of,
                                       .in = in,
                                       .last = p->out.node,
                                       .is_for_others = is_for_others(rw, row, p, node),
                                       .of = p->of,
                                       .attrs = attrs,
                                       .n_attrs = n_attrs},
                   &done, err);
}

/* A product with dequantised operands whose result stays float. */
static bool find_float(struct bp_rewrite *rw, uint32_t n, const struct row *row,
                       struct bp_quant_op *p)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);
    uint32_t user;

    if (node->domain[0] || !node->schema || !bp_rw_one_output(rw, n))
        return false;
    user = bp_rw_only_user(rw, node->out[0]);
    if (user != BP_NONE && (bp_rw_is(rw, user, "QuantizeLinear") || bp_rw_is(rw, user, "Relu")))
        return false;
    *p = (struct bp_quant_op){.relu = BP_NONE, .op = n};
    p->out = (struct bp_quant){n, node->out[0], BP_NONE, BP_NONE};
    p->of[p->n_of++] = n;
    return row->find(rw, p);
}

bp_rc bp_pass_fuse_quantized(struct bp_rewrite *rw, bp_err *err)
{
    const struct row *row;
    struct bp_quant_op p;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        row = float_row_of(rw, n);
        if (row && find_float(rw, n, row, &p)) {
            rc = fuse(rw, row, &p, err);
            continue;
        }
        if (!bp_rw_is(rw, n, "QuantizeLinear") || !bp_quant_find(rw, n, &p))
            continue;
        row = row_of(rw, p.op);
        if (row && row->find(rw, &p))
            rc = fuse(rw, row, &p, err);
    }
    return rc;
}
