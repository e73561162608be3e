/* SPDX-License-Identifier: MIT */
/* unary.c - element-wise operators of one input, and Cast. */

#include "ops/elementwise.h"

enum { ANY = BP_OPENCL_MAX_RANK };

/* ---- one expression -------------------------------------------------------------------------- */

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, ANY);
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    struct bp_opencl_prefix prefix = {.n = 0};

    bp_opencl_define_attrs(b, op, node, &prefix);
    bp_opencl_elementwise(b, y, &x, 1, &prefix, bp_opencl_expr(op, x));
}

/* ---- those with attributes that are not floats ----------------------------------------------- */

#define GELU_ERF "0.5f * a * (1.0f + erf(a * 0.70710678118654752f))"
#define GELU_TANH(x)                                                                               \
    "0.5f * " x " * (1.0f + tanh_of(0.79788456080286536f * (" x " + 0.044715f * " x " * " x        \
    " * " x ")))"

static bool is_tanh(const bp_graph *graph, const bp_node *node)
{
    return bp_node_string_is(graph, node, "approximate", "none", "tanh");
}

static bool claim_gelu(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    if (!is_tanh(query->graph, query->node) &&
        !bp_node_string_is(query->graph, query->node, "approximate", "none", "none"))
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "approximate", "it is not none or tanh");
    return claim(op, query);
}

static void build_gelu(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                       const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    struct bp_opencl_prefix prefix = {.n = 0};

    (void)op;
    bp_opencl_elementwise(b, y, &x, 1, &prefix,
                          is_tanh(b->graph, node) ? GELU_TANH("a") : GELU_ERF);
}

static void build_is_inf(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    struct bp_opencl_prefix prefix = {.n = 0};

    bp_opencl_define(&prefix, "#define NEGATIVE %d",
                     bp_node_int(b->graph, node, "detect_negative", 1) != 0);
    bp_opencl_define(&prefix, "#define POSITIVE %d",
                     bp_node_int(b->graph, node, "detect_positive", 1) != 0);
    bp_opencl_elementwise(b, y, &x, 1, &prefix, op->expr);
}

/* com.microsoft.FastGelu may have a bias, with which it is of two inputs. */
static bool claim_fast_gelu(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return claim(op, query) && bp_opencl_takes_optional(query, 1, op->types, 1, 1) &&
           bp_opencl_same_type(query, 1);
}

static void build_fast_gelu(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                            const bp_node *node)
{
    const struct bp_opencl_tensor *in[] = {bp_opencl_in(b, node, 0), bp_opencl_in(b, node, 1)};
    struct bp_opencl_prefix prefix = {.n = 0};

    (void)op;
    bp_opencl_define(&prefix, "#define GELU(x) (%s)", GELU_TANH("(x)"));
    bp_opencl_elementwise(b, bp_opencl_out(b, node, 0), in, in[1] ? 2 : 1, &prefix,
                          in[1] ? "GELU(a + b)" : "GELU(a)");
}

/* ---- Cast ------------------------------------------------------------------------------------ */

#define BYTES (BP_OPENCL_TYPE(BP_DTYPE_U8) | BP_OPENCL_TYPE(BP_DTYPE_I8))
#define CASTABLE (BP_OPENCL_NUMBERS | BP_OPENCL_BOOL | BYTES)

static bool claim_cast(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return claim(op, query) && bp_opencl_makes(query, 0, op->types);
}

/* Integers that do not fit wrap around; floats that do not fit an integer have no meaning in ONNX. */
static void build_cast(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                       const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    struct bp_opencl_prefix prefix = {.n = 0};
    bool is_byte = y->dtype < BP_DTYPE_END && BYTES >> y->dtype & 1;

    (void)op;
    bp_opencl_elementwise(b, y, &x, 1, &prefix,
                          y->dtype == BP_DTYPE_BOOL ? "a != 0"
                          : is_byte                 ? "(C_TY)(long)a"
                                                    : "(C_TY)a");
}

/* ---- the rows -------------------------------------------------------------------------------- */

#define ROW(onnx, from, claims, builds, ...)                                                       \
    {                                                                                              \
        .name = onnx, .since = from, .until = BP_OPENCL_LATEST, .claim = claims, .build = builds,  \
        .chain = BP_OPENCL_ELEMENTWISE, __VA_ARGS__                                                \
    }
#define FLOAT(onnx, from, e) ROW(onnx, from, claim, build, .types = BP_OPENCL_FLOATS, .expr = e)
#define FLOAT_P(onnx, from, e, name0, def0, name1, def1)                                           \
    ROW(onnx, from, claim, build, .types = BP_OPENCL_FLOATS, .expr = e, .attrs = {name0, name1},   \
        .defaults = {def0, def1})
#define NUMBER(onnx, from, e, ints)                                                                \
    ROW(onnx, from, claim, build, .types = BP_OPENCL_NUMBERS, .expr = e, .int_expr = ints)

const struct bp_opencl_op bp_opencl_unary_ops[] = {
    NUMBER("Abs", 6, "fabs(a)", "a < 0 ? -a : a"),
    FLOAT("Acos", 7, "acos(a)"),
    FLOAT("Acosh", 9, "acosh(a)"),
    FLOAT("Asin", 7, "asin(a)"),
    FLOAT("Asinh", 9, "asinh(a)"),
    FLOAT("Atan", 7, "atan(a)"),
    FLOAT("Atanh", 9, "atanh(a)"),
    ROW("BitwiseNot", 18, claim, build, .types = BP_OPENCL_INDICES | BYTES, .expr = "~a"),
    ROW("Cast", 9, claim_cast, build_cast, .types = CASTABLE),
    ROW("CastLike", 15, claim_cast, build_cast, .types = CASTABLE, .host_inputs = 2),
    FLOAT("Ceil", 6, "ceil(a)"),
    FLOAT_P("Celu", 12, "a > 0 ? a : a != a ? a : P0 * expm1(a / P0)", "alpha", 1, NULL, 0),
    FLOAT("Cos", 7, "cos(a)"),
    FLOAT("Cosh", 9, "cosh(a)"),
    FLOAT_P("Elu", 6, "a < 0 ? P0 * expm1(a) : a", "alpha", 1, NULL, 0),
    FLOAT("Erf", 9, "erf(a)"),
    FLOAT("Exp", 6, "exp(a)"),
    FLOAT("Floor", 6, "floor(a)"),
    ROW("Gelu", 20, claim_gelu, build_gelu, .types = BP_OPENCL_FLOATS),
    FLOAT_P("HardSigmoid", 6, "a != a ? a : fmin(1.0f, fmax(0.0f, P0 * a + P1))", "alpha", 0.2f,
            "beta", 0.5f),
    FLOAT("HardSwish", 14, "a != a ? a : a * fmin(1.0f, fmax(0.0f, a / 6.0f + 0.5f))"),
    ROW("IsInf", 10, claim, build_is_inf, .types = BP_OPENCL_FLOATS,
        .expr = "isinf(a) && (a < 0 ? NEGATIVE : POSITIVE)"),
    ROW("IsNaN", 9, claim, build, .types = BP_OPENCL_FLOATS, .expr = "a != a"),
    FLOAT_P("LeakyRelu", 6, "a < 0 ? P0 * a : a", "alpha", 0.01f, NULL, 0),
    FLOAT("Log", 6, "log(a)"),
    FLOAT("Mish", 18, "a * tanh_of(softplus_of(a))"),
    NUMBER("Neg", 6, "-a", NULL),
    ROW("Not", 1, claim, build, .types = BP_OPENCL_BOOL, .expr = "a == 0"),
    FLOAT("Reciprocal", 6, "1.0f / a"),
    NUMBER("Relu", 6, "a < 0 ? 0 : a", NULL),
    FLOAT("Round", 11, "rint(a)"),
    FLOAT_P("Selu", 6, "a > 0 ? P1 * a : P1 * (P0 * expm1(a))", "alpha", 1.67326319217681884765625f,
            "gamma", 1.05070102214813232421875f),
    FLOAT_P("Shrink", 9, "a < -P1 ? a + P0 : a > P1 ? a - P0 : 0.0f", "bias", 0, "lambd", 0.5f),
    FLOAT("Sigmoid", 6, "sigmoid_of(a)"),
    NUMBER("Sign", 9, "a != a ? a : (float)((a > 0) - (a < 0))", "(C_TA)((a > 0) - (a < 0))"),
    FLOAT("Sin", 7, "sin(a)"),
    FLOAT("Sinh", 9, "sinh(a)"),
    FLOAT("Softplus", 1, "softplus_of(a)"),
    FLOAT("Softsign", 1, "a / (1.0f + fabs(a))"),
    FLOAT("Sqrt", 6, "sqrt(a)"),
    FLOAT_P("Swish", 24, "a * sigmoid_of(P0 * a)", "alpha", 1, NULL, 0),
    FLOAT("Tan", 7, "tan(a)"),
    FLOAT("Tanh", 6, "tanh_of(a)"),
    FLOAT_P("ThresholdedRelu", 10, "a > P0 ? a : 0.0f", "alpha", 1, NULL, 0),
    ROW("FastGelu", 1, claim_fast_gelu, build_fast_gelu, .types = BP_OPENCL_FLOATS,
        .domain = "com.microsoft"),
    ROW("Gelu", 1, claim, build, .types = BP_OPENCL_FLOATS, .domain = "com.microsoft",
        .expr = GELU_ERF),
    ROW("QuickGelu", 1, claim, build, .types = BP_OPENCL_FLOATS, .domain = "com.microsoft",
        .expr = "a * sigmoid_of(P0 * a)", .attrs = {"alpha"}, .defaults = {1.702f}),
    {.name = NULL},
};
