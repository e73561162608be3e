/* SPDX-License-Identifier: MIT */
/* binary.c - element-wise operators of two inputs or more, with broadcasting; Where and Clip. */

#include "ops/elementwise.h"

enum { ANY = BP_OPENCL_MAX_RANK };

/* ---- two inputs ------------------------------------------------------------------------------ */

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, ANY) &&
           bp_opencl_takes(query, 1, op->types, 0, ANY) && bp_opencl_same_type(query, 1);
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct bp_opencl_tensor *in[] = {bp_opencl_in(b, node, 0), bp_opencl_in(b, node, 1)};
    struct bp_opencl_prefix prefix = {.n = 0};

    bp_opencl_elementwise(b, bp_opencl_out(b, node, 0), in, 2, &prefix, bp_opencl_expr(op, in[0]));
}

/* The exponent may be of another type. */
static bool claim_pow(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, ANY) &&
           bp_opencl_takes(query, 1, op->types | BP_OPENCL_INDICES, 0, ANY);
}

static bool claim_mod(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    if (!claim(op, query))
        return false;
    if (BP_OPENCL_FLOATS >> x->dtype & 1 && !bp_node_int(query->graph, query->node, "fmod", 0))
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "fmod", "fmod is 0 for floats");
    return true;
}

static void build_mod(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                      const bp_node *node)
{
    const struct bp_opencl_tensor *in[] = {bp_opencl_in(b, node, 0), bp_opencl_in(b, node, 1)};
    struct bp_opencl_prefix prefix = {.n = 0};
    bool is_float = in[0]->dtype == BP_DTYPE_F32 || in[0]->dtype == BP_DTYPE_F16;
    bool is_c = bp_node_int(b->graph, node, "fmod", 0) != 0;

    (void)op;
    bp_opencl_elementwise(b, bp_opencl_out(b, node, 0), in, 2, &prefix,
                          is_float ? "fmod(a, b)"
                          : is_c   ? "INT_REM(a, b)"
                                   : "INT_MOD(a, b)");
}

/* ---- any number of inputs -------------------------------------------------------------------- */

static bool claim_variadic(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    for (uint32_t i = 0; i < query->node->n_in; i++) {
        if (!bp_opencl_takes(query, i, op->types, 0, ANY) || !bp_opencl_same_type(query, i))
            return false;
    }
    return true;
}

/* The output accumulates: y = f(x0, x1), y = f(y, x2)...; `last` is the divisor of a mean. */
static void build_variadic(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                           const bp_node *node)
{
    const struct bp_opencl_tensor *y = bp_opencl_out(b, node, 0), *in[2];
    char mean[64];

    in[0] = bp_opencl_in(b, node, 0);
    if (node->n_in == 1)
        bp_opencl_copy(b, y, in[0]);
    for (uint32_t i = 1; i < node->n_in; i++) {
        struct bp_opencl_prefix prefix = {.n = 0};
        const char *expr = bp_opencl_expr(op, y);

        snprintf(mean, sizeof mean, "(a + b) / %u.0f", node->n_in);
        if (op->kind == 1 && i + 1 == node->n_in)
            expr = mean;
        in[1] = bp_opencl_in(b, node, i);
        bp_opencl_elementwise(b, y, in, 2, &prefix, expr);
        in[0] = y;
    }
}

/* ---- Where, Clip ----------------------------------------------------------------------------- */

static bool claim_where(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, BP_OPENCL_BOOL, 0, ANY) &&
           bp_opencl_takes(query, 1, op->types, 0, ANY) &&
           bp_opencl_takes(query, 2, op->types, 0, ANY);
}

/* Elements are only moved, so that those of one size are alike. */
static uint32_t moved_type(uint32_t dtype)
{
    switch (bp_dtype_width(dtype)) {
    case 64:
        return BP_DTYPE_U64;
    case 32:
        return BP_DTYPE_U32;
    case 16:
        return BP_DTYPE_U16;
    default:
        return BP_DTYPE_U8;
    }
}

static void build_where(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                        const bp_node *node)
{
    struct bp_opencl_tensor y = *bp_opencl_out(b, node, 0), x = *bp_opencl_in(b, node, 1),
                            other = *bp_opencl_in(b, node, 2);
    const struct bp_opencl_tensor *in[] = {bp_opencl_in(b, node, 0), &x, &other};
    struct bp_opencl_prefix prefix = {.n = 0};

    y.dtype = x.dtype = other.dtype = moved_type(y.dtype);
    bp_opencl_elementwise(b, &y, in, 3, &prefix, op->expr);
}

static bool claim_clip(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, ANY) &&
           bp_opencl_takes_optional(query, 1, op->types, 0, 1) &&
           bp_opencl_takes_optional(query, 2, op->types, 0, 1);
}

/* Bounds that are absent are no bounds; where they contradict each other max wins, as in NumPy. */
static void build_clip(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                       const bp_node *node)
{
    const struct bp_opencl_tensor *low = bp_opencl_in(b, node, 1), *high = bp_opencl_in(b, node, 2);
    const struct bp_opencl_tensor *in[3] = {bp_opencl_in(b, node, 0), low ? low : high, high};
    struct bp_opencl_prefix prefix = {.n = 0};

    (void)op;
    if (!low && !high)
        bp_opencl_copy(b, bp_opencl_out(b, node, 0), in[0]);
    else
        bp_opencl_elementwise(b, bp_opencl_out(b, node, 0), in, 1u + (low != NULL) + (high != NULL),
                              &prefix,
                              low && high ? "(a < b ? b : a) > c ? c : (a < b ? b : a)"
                              : low       ? "a < b ? b : a"
                                          : "a > b ? b : a");
}

/* Until version 10 the bounds are attributes. */
static bool claim_clip_6(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, ANY);
}

static void build_clip_6(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0);
    struct bp_opencl_prefix prefix = {.n = 0};

    bp_opencl_define_attrs(b, op, node, &prefix);
    bp_opencl_elementwise(b, bp_opencl_out(b, node, 0), &x, 1, &prefix, op->expr);
}

/* ---- the rows -------------------------------------------------------------------------------- */

#define BYTES (BP_OPENCL_TYPE(BP_DTYPE_U8) | BP_OPENCL_TYPE(BP_DTYPE_I8))
#define ROW(onnx, from, claims, builds, set, ...)                                                  \
    {                                                                                              \
        .name = onnx, .since = from, .until = BP_OPENCL_LATEST, .claim = claims, .build = builds,  \
        .chain = BP_OPENCL_ELEMENTWISE, .types = set, __VA_ARGS__                                  \
    }
#define NUMBER(onnx, from, e, ints)                                                                \
    ROW(onnx, from, claim, build, BP_OPENCL_NUMBERS, .expr = e, .int_expr = ints)
#define LOGIC(onnx, e) ROW(onnx, 7, claim, build, BP_OPENCL_BOOL, .expr = e)
#define BITS(onnx, e) ROW(onnx, 18, claim, build, BP_OPENCL_INDICES | BYTES, .expr = e)

const struct bp_opencl_op bp_opencl_binary_ops[] = {
    NUMBER("Add", 7, "a + b", NULL),
    LOGIC("And", "a && b"),
    BITS("BitwiseAnd", "a & b"),
    BITS("BitwiseOr", "a | b"),
    BITS("BitwiseXor", "a ^ b"),
    {.name = "Clip",
     .since = 6,
     .until = 10,
     .claim = claim_clip_6,
     .build = build_clip_6,
     .chain = BP_OPENCL_ELEMENTWISE,
     .types = BP_OPENCL_FLOATS,
     .expr = "a < P0 ? P0 : a > P1 ? P1 : a",
     .attrs = {"min", "max"},
     .defaults = {-3.4028234663852886e38f, 3.4028234663852886e38f}},
    ROW("Clip", 11, claim_clip, build_clip, BP_OPENCL_NUMBERS, .expr = ""),
    NUMBER("Div", 7, "a / b", "INT_DIV(a, b)"),
    ROW("Equal", 7, claim, build, BP_OPENCL_NUMBERS | BP_OPENCL_BOOL | BYTES, .expr = "a == b"),
    NUMBER("Greater", 7, "a > b", NULL),
    NUMBER("GreaterOrEqual", 12, "a >= b", NULL),
    NUMBER("Less", 7, "a < b", NULL),
    NUMBER("LessOrEqual", 12, "a <= b", NULL),
    ROW("Max", 8, claim_variadic, build_variadic, BP_OPENCL_NUMBERS,
        .expr = "a > b || a != a ? a : b"),
    ROW("Mean", 8, claim_variadic, build_variadic, BP_OPENCL_F32, .expr = "a + b", .kind = 1),
    ROW("Min", 8, claim_variadic, build_variadic, BP_OPENCL_NUMBERS,
        .expr = "a < b || a != a ? a : b"),
    ROW("Mod", 10, claim_mod, build_mod, BP_OPENCL_NUMBERS, .expr = ""),
    NUMBER("Mul", 7, "a * b", NULL),
    LOGIC("Or", "a || b"),
    ROW("PRelu", 7, claim, build, BP_OPENCL_FLOATS, .expr = "a < 0 ? a * b : a"),
    ROW("Pow", 7, claim_pow, build, BP_OPENCL_FLOATS, .expr = "pow(a, (float)b)"),
    NUMBER("Sub", 7, "a - b", NULL),
    ROW("Sum", 8, claim_variadic, build_variadic, BP_OPENCL_F32, .expr = "a + b"),
    ROW("Where", 9, claim_where, build_where, BP_OPENCL_MOVABLE, .expr = "a ? b : c"),
    LOGIC("Xor", "!a != !b"),
    ROW("BiasGelu", 1, claim, build, BP_OPENCL_FLOATS, .domain = "com.microsoft",
        .expr = "0.5f * (a + b) * (1.0f + erf((a + b) * 0.70710678118654752f))"),
    {.name = NULL},
};
