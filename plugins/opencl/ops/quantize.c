/* SPDX-License-Identifier: MIT */
/*
 * quantize.c - QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear, and of com.microsoft
 * element-wise operators on 8-bit integers, QLinearConcat and QLinearGlobalAveragePool.
 */

#include "ops/quantized.h"

#include <common/broadcast.h>

enum { ANY = BP_OPENCL_MAX_RANK };

/* ---- QuantizeLinear, DequantizeLinear -------------------------------------------------------- */

#define STORED (BP_OPENCL_BYTES | BP_OPENCL_TYPE(BP_DTYPE_U16) | BP_OPENCL_TYPE(BP_DTYPE_I16))

/* As kernels know it: scaling_t of kernels/quantize.cl. */
struct scaling {
    int32_t inner, dim, block, outer_step, axis_step, inner_step;
};

static bool claim_scale(const struct bp_opencl_query *query, uint64_t zeros)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    int64_t axis = bp_node_int(query->graph, query->node, "axis", 1);
    int64_t block = bp_node_int(query->graph, query->node, "block_size", 0);

    if (!bp_opencl_takes(query, 1, BP_OPENCL_FLOATS, 0, ANY) ||
        !bp_opencl_takes_optional(query, 2, zeros, 0, ANY))
        return false;
    if (block < 0 || block > INT32_MAX)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "block_size", "it is out of range");
    return x->rank < 2 || (axis >= -(int64_t)x->rank && axis < (int64_t)x->rank) ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "axis", "it is out of range");
}

static bool claim_quantize(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, ANY) && claim_scale(query, STORED) &&
           bp_opencl_makes(query, 0, STORED);
}

static bool claim_dequantize(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, ANY) && claim_scale(query, op->types) &&
           bp_opencl_makes(query, 0, BP_OPENCL_FLOATS);
}

/* One scale for all, one for each slice along the axis, or for blocks of them. */
static struct scaling scaling_of(struct bp_opencl_builder *b, const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *scale = bp_opencl_in(b, node, 1);
    const struct bp_opencl_tensor *zero = bp_opencl_in(b, node, 2);
    int64_t axis = x->rank < 2 ? 0 : bp_node_int(b->graph, node, "axis", 1);
    int64_t block = bp_node_int(b->graph, node, "block_size", 0), inner = 1, blocks, want;
    struct scaling s = {.inner = 1, .dim = 1, .block = 1};

    if (zero && zero->count != scale->count)
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has %lld scales and %lld zero points",
                             node->name, (long long)scale->count, (long long)zero->count);
    if (scale->count == 1 || b->rc < 0)
        return s;
    axis += axis < 0 ? (int64_t)x->rank : 0;
    for (int64_t d = axis + 1; d < (int64_t)x->rank; d++)
        inner *= x->dims[d];
    block = block < 1 ? 1 : block;
    blocks = (x->dims[axis] + block - 1) / block;
    want = blocks;
    if (scale->rank == x->rank && x->rank > 1) {
        want = x->count / x->dims[axis] * blocks;
        s.outer_step = (int32_t)(blocks * inner);
        s.inner_step = 1;
    }
    s.inner = (int32_t)inner;
    s.dim = (int32_t)x->dims[axis];
    s.block = (int32_t)block;
    s.axis_step = (int32_t)(s.inner_step ? inner : 1);
    if (scale->count != want)
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has %lld scales where %lld fit",
                             node->name, (long long)scale->count, (long long)want);
    return s;
}

static void build_linear(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *scale = bp_opencl_in(b, node, 1),
                                  *zero = bp_opencl_in(b, node, 2);
    struct bp_opencl_prefix prefix = {.n = 0};
    struct scaling scaling = scaling_of(b, node);

    bp_opencl_define(&prefix, "#define IS_%s", op->expr);
    bp_opencl_define_type(&prefix, "T", x->dtype);
    bp_opencl_define_type(&prefix, "TY", y->dtype);
    bp_opencl_define_type(&prefix, "TS", scale->dtype);
    if (op->kind == BP_OPENCL_QUANTIZE)
        bp_opencl_define_limits(&prefix, y->dtype);
    if (zero) {
        bp_opencl_define(&prefix, "#define HAS_ZERO");
        bp_opencl_define_type(&prefix, "TZ", zero->dtype);
    }
    bp_opencl_begin(b, "quantize", prefix.text,
                    op->kind == BP_OPENCL_QUANTIZE ? "quantize" : "dequantize");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    bp_opencl_operand(b, scale);
    if (zero)
        bp_opencl_operand(b, zero);
    bp_opencl_struct(b, &scaling, sizeof scaling);
    bp_opencl_int(b, x->count);
    bp_opencl_run(b, x->count, 1, 1);
}

/* ---- DynamicQuantizeLinear ------------------------------------------------------------------- */

static bool claim_dynamic(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, ANY);
}

void bp_opencl_quantize_dynamically(struct bp_opencl_builder *b, const struct bp_opencl_tensor *x,
                                    const struct bp_opencl_tensor *y,
                                    const struct bp_opencl_tensor *scale,
                                    const struct bp_opencl_tensor *zero)
{
    struct bp_opencl_prefix range = {.n = 0}, prefix = {.n = 0};
    struct scaling scaling = {.inner = 1, .dim = 1, .block = 1};

    bp_opencl_define(&range, "#define IS_RANGE");
    bp_opencl_begin(b, "quantize", range.text, "find_range");
    bp_opencl_operand(b, scale);
    bp_opencl_operand(b, zero);
    bp_opencl_operand(b, x);
    bp_opencl_int(b, x->count);
    bp_opencl_run_groups(b, 64, 1, 1, 64, 1);
    if (!y)
        return;
    bp_opencl_define(&prefix, "#define IS_QUANTIZE\n#define HAS_ZERO");
    bp_opencl_define_type(&prefix, "T", BP_DTYPE_F32);
    bp_opencl_define_type(&prefix, "TS", BP_DTYPE_F32);
    bp_opencl_define_type(&prefix, "TY", BP_DTYPE_U8);
    bp_opencl_define_type(&prefix, "TZ", BP_DTYPE_U8);
    bp_opencl_define_limits(&prefix, BP_DTYPE_U8);
    bp_opencl_begin(b, "quantize", prefix.text, "quantize");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    bp_opencl_operand(b, scale);
    bp_opencl_operand(b, zero);
    bp_opencl_struct(b, &scaling, sizeof scaling);
    bp_opencl_int(b, x->count);
    bp_opencl_run(b, x->count, 1, 1);
}

/* An output that is not used is made all the same, in scratch memory, if another needs it. */
static void build_dynamic(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                          const bp_node *node)
{
    const struct bp_opencl_tensor *scale = bp_opencl_out(b, node, 1),
                                  *zero = bp_opencl_out(b, node, 2);
    struct bp_opencl_tensor own_scale, own_zero;

    (void)op;
    if (!scale) {
        own_scale = bp_opencl_scratch(b, BP_DTYPE_F32, 1);
        scale = &own_scale;
    }
    if (!zero) {
        own_zero = bp_opencl_scratch(b, BP_DTYPE_U8, 1);
        zero = &own_zero;
    }
    bp_opencl_quantize_dynamically(b, bp_opencl_in(b, node, 0), bp_opencl_out(b, node, 0), scale,
                                   zero);
}

/* ---- 8-bit integers with a scale and a zero point -------------------------------------------- */

/* Inputs i to i + 2: integers, a float and an integer of the same type. */
static bool takes_triple(const struct bp_opencl_query *query, uint32_t i)
{
    const bp_value *x = bp_node_in(query->graph, query->node, i), *zero;

    if (!bp_opencl_takes(query, i, BP_OPENCL_BYTES, 0, ANY) ||
        !bp_opencl_takes(query, i + 1, BP_OPENCL_F32, 0, 1) ||
        !bp_opencl_takes_optional(query, i + 2, BP_OPENCL_BYTES, 0, 1))
        return false;
    zero = bp_node_in(query->graph, query->node, i + 2);
    return !zero || zero->dtype == x->dtype ||
           bp_opencl_refuse(query, BP_R_DTYPE, zero->name, "its type is not that of '%s'", x->name);
}

/* The scale and the zero point of the result, from input i on. */
static bool takes_scale(const struct bp_opencl_query *query, uint32_t i)
{
    return bp_opencl_takes(query, i, BP_OPENCL_F32, 0, 1) &&
           bp_opencl_takes_optional(query, i + 1, BP_OPENCL_BYTES, 0, 1) &&
           bp_opencl_makes(query, 0, BP_OPENCL_BYTES);
}

static bool claim_qlinear(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    for (uint32_t i = 0; i < op->kind; i++) {
        if (!takes_triple(query, 3 * i))
            return false;
    }
    return takes_scale(query, 3 * op->kind);
}

/* The tensor with its scale and zero point: operands, of which an absent zero is any memory. */
static void add_triple(struct bp_opencl_builder *b, const bp_node *node, uint32_t i)
{
    const struct bp_opencl_tensor *zero = bp_opencl_in(b, node, i + 2);

    bp_opencl_operand(b, bp_opencl_in(b, node, i));
    bp_opencl_operand(b, bp_opencl_in(b, node, i + 1));
    bp_opencl_operand(b, zero ? zero : bp_opencl_in(b, node, i));
}

static void add_scale(struct bp_opencl_builder *b, const bp_node *node, uint32_t i)
{
    const struct bp_opencl_tensor *zero = bp_opencl_in(b, node, i + 1);

    bp_opencl_operand(b, bp_opencl_in(b, node, i));
    bp_opencl_operand(b, zero ? zero : bp_opencl_out(b, node, 0));
}

/* Defines TA, TAZ and A_ZERO for the tensor at input i with its zero point at i + 2. */
static void define_triple(const struct bp_opencl_builder *b, const bp_node *node, uint32_t i,
                          char name, struct bp_opencl_prefix *prefix)
{
    char type[4] = {'T', name, '\0', '\0'};
    uint32_t dtype = bp_opencl_in(b, node, i)->dtype;

    bp_opencl_define_type(prefix, type, dtype);
    type[2] = 'Z';
    bp_opencl_define_type(prefix, type, dtype);
    if (bp_opencl_in(b, node, i + 2))
        bp_opencl_define(prefix, "#define %c_ZERO ((int)%c_zero[%czo])", name, name | 32,
                         name | 32);
    else
        bp_opencl_define(prefix, "#define %c_ZERO 0", name);
}

static void define_result(const struct bp_opencl_builder *b, const bp_node *node, uint32_t i,
                          struct bp_opencl_prefix *prefix)
{
    uint32_t dtype = bp_opencl_out(b, node, 0)->dtype;

    bp_opencl_define_type(prefix, "TY", dtype);
    bp_opencl_define_limits(prefix, dtype);
    bp_opencl_define(prefix, "#define Y_ZERO %s",
                     bp_opencl_in(b, node, i + 1) ? "((int)y_zero[yzo])" : "0");
}

/* kind: how many tensors it has. */
static void build_qlinear(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                          const bp_node *node)
{
    const struct bp_opencl_tensor *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *in[] = {bp_opencl_in(b, node, 0), bp_opencl_in(b, node, 3)};
    struct bp_opencl_prefix prefix = {.n = 0};
    struct bp_opencl_walk walk;
    int64_t inner;

    if (!bp_opencl_make_walk(b, y->rank, y->dims, in, op->kind, &walk))
        return;
    bp_opencl_define(&prefix, "#define IS_QLINEAR\n#define N_IN %u", op->kind);
    define_triple(b, node, 0, 'A', &prefix);
    if (op->kind > 1)
        define_triple(b, node, 3, 'B', &prefix);
    define_result(b, node, 3 * op->kind, &prefix);
    bp_opencl_define_attrs(b, op, node, &prefix);
    bp_opencl_define(&prefix, "#define VB %s", op->kind > 1 ? ", vb" : "");
    bp_opencl_define(&prefix, "float f(float a%s) { return %s; }", op->kind > 1 ? ", float b" : "",
                     op->expr);
    bp_opencl_begin(b, "quantize", prefix.text, "qlinear");
    bp_opencl_operand(b, y);
    for (uint32_t i = 0; i < op->kind; i++)
        add_triple(b, node, 3 * i);
    add_scale(b, node, 3 * op->kind);
    inner = walk.dims[walk.rank - 1];
    bp_opencl_struct(b, &walk, sizeof walk);
    bp_opencl_int(b, y->count / inner);
    bp_opencl_run(b, inner, y->count / inner, 1);
}

/* ---- QLinearConcat --------------------------------------------------------------------------- */

static bool claim_concat(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    uint32_t n = query->node->n_in;
    const bp_value *y = bp_node_out(query->graph, query->node, 0);
    int64_t axis = bp_node_int(query->graph, query->node, "axis", 0);

    (void)op;
    for (uint32_t i = 2; i + 2 < n; i += 3) {
        if (!takes_triple(query, i))
            return false;
    }
    if (n < 5 || n % 3 != 2)
        return bp_opencl_refuse(query, BP_R_OTHER, NULL, "it has %u inputs", n);
    if (!y || y->rank == BP_RANK_UNKNOWN || axis < -(int64_t)y->rank || axis >= (int64_t)y->rank)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "axis", "it is out of range");
    return takes_scale(query, 0);
}

static void build_concat(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    const struct bp_opencl_tensor *y = bp_opencl_out(b, node, 0);
    int64_t axis = bp_node_int(b->graph, node, "axis", 0), inner = 1, at = 0, rows = 1;

    (void)op;
    axis += axis < 0 ? (int64_t)y->rank : 0;
    for (int64_t d = 0; d < (int64_t)y->rank; d++)
        *(d < axis ? &rows : &inner) *= y->dims[d];
    for (uint32_t i = 2; i + 2 < node->n_in && b->rc >= 0; i += 3) {
        const struct bp_opencl_tensor *x = bp_opencl_in(b, node, i);
        struct bp_opencl_tensor part = *y;
        struct bp_opencl_prefix prefix = {.n = 0};
        int64_t n = x->count / rows;

        if (n == 0)
            continue;
        part.place.offset += (uint64_t)at; /* elements are bytes */
        at += n;
        bp_opencl_define(&prefix, "#define IS_CONCAT");
        define_triple(b, node, i, 'A', &prefix);
        define_result(b, node, 0, &prefix);
        bp_opencl_begin(b, "quantize", prefix.text, "requantize");
        bp_opencl_operand(b, &part);
        add_triple(b, node, i);
        add_scale(b, node, 0);
        bp_opencl_int(b, n);
        bp_opencl_int(b, rows);
        bp_opencl_int(b, inner);
        bp_opencl_run(b, n, rows, 1);
    }
}

/* ---- QLinearGlobalAveragePool ---------------------------------------------------------------- */

static bool claim_mean(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    (void)op;
    return takes_triple(query, 0) && bp_opencl_takes(query, 0, BP_OPENCL_BYTES, 3, ANY) &&
           takes_scale(query, 3);
}

static void build_mean(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                       const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    bool is_last = bp_node_int(b->graph, node, "channels_last", 0) != 0;
    int64_t n = x->count / y->count, inner = is_last ? x->dims[x->rank - 1] : 1;
    struct bp_opencl_prefix prefix = {.n = 0};

    (void)op;
    bp_opencl_define(&prefix, "#define IS_MEAN");
    define_triple(b, node, 0, 'A', &prefix);
    define_result(b, node, 3, &prefix);
    bp_opencl_begin(b, "quantize", prefix.text, "mean");
    bp_opencl_operand(b, y);
    add_triple(b, node, 0);
    add_scale(b, node, 3);
    bp_opencl_int(b, y->count / inner);
    bp_opencl_int(b, n);
    bp_opencl_int(b, inner);
    bp_opencl_run(b, inner, y->count / inner, 1);
}

#define MS "com.microsoft"
#define LINEAR(onnx, of, from, claims, set, which, text)                                           \
    {                                                                                              \
        .name = onnx, .domain = of, .since = from, .until = BP_OPENCL_LATEST, .claim = claims,     \
        .build = build_linear, .types = set, .kind = which, .expr = text                           \
    }
#define BYTEWISE(onnx, n, e, ...)                                                                  \
    {                                                                                              \
        .name = onnx, .domain = MS, .since = 1, .until = BP_OPENCL_LATEST, .claim = claim_qlinear, \
        .build = build_qlinear, .kind = n, .expr = e, __VA_ARGS__                                  \
    }
#define OTHER(onnx, of, from, claims, builds, outputs, set)                                        \
    {                                                                                              \
        .name = onnx, .domain = of, .since = from, .until = BP_OPENCL_LATEST, .claim = claims,     \
        .build = builds, .n_out = outputs, .types = set                                            \
    }

const struct bp_opencl_op bp_opencl_quantize_ops[] = {
    LINEAR("DequantizeLinear", NULL, 10, claim_dequantize, STORED | BP_OPENCL_I32,
           BP_OPENCL_DEQUANTIZE, "DEQUANTIZE"),
    LINEAR("DequantizeLinear", MS, 1, claim_dequantize, STORED | BP_OPENCL_I32,
           BP_OPENCL_DEQUANTIZE, "DEQUANTIZE"),
    OTHER("DynamicQuantizeLinear", NULL, 11, claim_dynamic, build_dynamic, 3, BP_OPENCL_F32),
    BYTEWISE("QLinearAdd", 2, "a + b"),
    OTHER("QLinearConcat", MS, 1, claim_concat, build_concat, 1, BP_OPENCL_BYTES),
    OTHER("QLinearGlobalAveragePool", MS, 1, claim_mean, build_mean, 1, BP_OPENCL_BYTES),
    BYTEWISE("QLinearLeakyRelu", 1, "a < 0 ? P0 * a : a", .attrs = {"alpha"}, .defaults = {0.01f}),
    BYTEWISE("QLinearMul", 2, "a * b"),
    BYTEWISE("QLinearSigmoid", 1, "sigmoid_of(a)"),
    LINEAR("QuantizeLinear", NULL, 10, claim_quantize, BP_OPENCL_FLOATS, BP_OPENCL_QUANTIZE,
           "QUANTIZE"),
    LINEAR("QuantizeLinear", MS, 1, claim_quantize, BP_OPENCL_FLOATS, BP_OPENCL_QUANTIZE,
           "QUANTIZE"),
    {.name = NULL},
};
