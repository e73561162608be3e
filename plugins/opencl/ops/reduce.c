/* SPDX-License-Identifier: MIT */
/* reduce.c - ReduceSum and its kin, ArgMax and ArgMin, Softmax and LogSoftmax. */

#include "ops/move.h"

enum { ANY = BP_OPENCL_MAX_RANK };

/* ---- Reduce... ------------------------------------------------------------------------------- */

/* How each adds up, in the order of the rows below. */
enum { SUM, MEAN, MAXIMUM, MINIMUM, PRODUCT, L1, L2, SQUARES, LOG_SUM, LOG_SUM_EXP };

static const struct rule {
    const char *start, *step, *join, *end;
} rules[] = {
    [SUM] = {"0", "(a) + (v)", "(a) + (b)", "(a)"},
    [MEAN] = {"0", "(a) + (v)", "(a) + (b)", "(a) / (n)"},
    [MAXIMUM] = {"LOWEST", "(v) > (a) || (v) != (v) ? (v) : (a)",
                 "(b) > (a) || (b) != (b) ? (b) : (a)", "(a)"},
    [MINIMUM] = {"HIGHEST", "(v) < (a) || (v) != (v) ? (v) : (a)",
                 "(b) < (a) || (b) != (b) ? (b) : (a)", "(a)"},
    [PRODUCT] = {"1", "(a) * (v)", "(a) * (b)", "(a)"},
    [L1] = {"0", "(a) + fabs(v)", "(a) + (b)", "(a)"},
    [L2] = {"0", "(a) + (v) * (v)", "(a) + (b)", "sqrt(a)"},
    [SQUARES] = {"0", "(a) + (v) * (v)", "(a) + (b)", "(a)"},
    [LOG_SUM] = {"0", "(a) + (v)", "(a) + (b)", "log(a)"},
    [LOG_SUM_EXP] = {"0", "(a) + exp((v) - largest)", "(a) + (b)", "log(a) + largest"},
};

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    struct bp_opencl_ints axes;

    if (!bp_opencl_takes(query, 0, op->types, 0, ANY))
        return false;
    if (!bp_opencl_read_ints(&query->instance->host, query->graph, query->node, "axes", 1, &axes))
        return bp_opencl_refuse(query, BP_R_NOT_CONSTANT, "axes", "the axes are not constant");
    if (axes.n == 0 && bp_node_int(query->graph, query->node, "noop_with_empty_axes", 0))
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "noop_with_empty_axes",
                                "without axes it is not implemented");
    for (uint32_t i = 0; i < axes.n; i++) {
        if (axes.at[i] < -(int64_t)x->rank || axes.at[i] >= (int64_t)x->rank)
            return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "axes", "an axis is out of range");
    }
    return true;
}

/* Adds dimension d of x to the walk, merged with the last one where they are one run. */
static void add_axis(struct bp_opencl_walk *walk, const struct bp_opencl_tensor *x,
                     const int64_t *strides, uint32_t d)
{
    int32_t n = walk->rank;

    if (n > 0 && walk->strides[0][n - 1] == strides[d] * x->dims[d]) {
        walk->dims[n - 1] *= (int32_t)x->dims[d];
        walk->strides[0][n - 1] = (int32_t)strides[d];
        return;
    }
    walk->dims[n] = (int32_t)x->dims[d];
    walk->strides[0][n] = (int32_t)strides[d];
    walk->rank++;
}

static void define_limits(struct bp_opencl_prefix *prefix, uint32_t dtype)
{
    bool is_long = dtype == BP_DTYPE_I64, is_int = dtype == BP_DTYPE_I32;

    bp_opencl_define(prefix, "#define LOWEST %s",
                     is_long  ? "LONG_MIN"
                     : is_int ? "INT_MIN"
                              : "(-INFINITY)");
    bp_opencl_define(prefix, "#define HIGHEST %s",
                     is_long  ? "LONG_MAX"
                     : is_int ? "INT_MAX"
                              : "INFINITY");
}

static void define_rule(struct bp_opencl_prefix *prefix, const struct bp_opencl_op *op,
                        uint32_t dtype)
{
    const struct rule *rule = &rules[op->kind];

    bp_opencl_define_type(prefix, "T", dtype);
    bp_opencl_define_type(prefix, "TY", dtype);
    define_limits(prefix, dtype);
    bp_opencl_define(prefix, "#define ACC C_T");
    bp_opencl_define(prefix, "#define START %s", rule->start);
    bp_opencl_define(prefix, "#define STEP(a, v) (%s)", rule->step);
    bp_opencl_define(prefix, "#define JOIN(a, b) (%s)", rule->join);
    bp_opencl_define(prefix, "#define END(a, n) (%s)", rule->end);
    bp_opencl_define(prefix, "#define BETTER(v, b) 0");
    if (op->kind == LOG_SUM_EXP)
        bp_opencl_define(prefix, "#define LARGEST");
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    struct bp_opencl_walk kept = {0}, gone = {0};
    struct bp_opencl_prefix prefix = {.n = 0};
    int64_t strides[ANY];
    struct bp_opencl_ints axes;
    uint32_t mask = 0;

    if (!bp_opencl_read_ints(&b->program->instance->host, b->graph, node, "axes", 1, &axes)) {
        bp_opencl_build_fail(b, BP_E_INTERNAL, "opencl: the axes of '%s' cannot be read",
                             node->name);
        return;
    }
    for (uint32_t i = 0; i < axes.n; i++)
        mask |= 1u << (axes.at[i] + (axes.at[i] < 0 ? (int64_t)x->rank : 0));
    bp_opencl_dense(x->rank, x->dims, strides);
    for (uint32_t d = 0; d < x->rank; d++)
        add_axis(axes.n == 0 || mask >> d & 1 ? &gone : &kept, x, strides, d);
    if (gone.rank == 0) {
        gone.rank = 1;
        gone.dims[0] = 1;
    }
    define_rule(&prefix, op, x->dtype);
    bp_opencl_begin(b, "reduce", prefix.text, "reduce");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    bp_opencl_struct(b, &kept, sizeof kept);
    bp_opencl_struct(b, &gone, sizeof gone);
    bp_opencl_int(b, y->count);
    bp_opencl_int(b, x->count / y->count);
    bp_opencl_run(b, y->count, 1, 1);
}

/* ---- along one axis -------------------------------------------------------------------------- */

/* Sizes before the axis, of it, and after it. */
static void split_at(const struct bp_opencl_tensor *x, int64_t axis, int64_t *outer, int64_t *n,
                     int64_t *inner)
{
    *outer = *inner = 1;
    for (int64_t d = 0; d < (int64_t)x->rank; d++) {
        if (d < axis)
            *outer *= x->dims[d];
        else if (d > axis)
            *inner *= x->dims[d];
    }
    *n = x->rank > 0 ? x->dims[axis] : 1;
}

static bool takes_axis(const struct bp_opencl_query *query, int64_t def)
{
    uint32_t rank = bp_node_in(query->graph, query->node, 0)->rank;
    int64_t axis = bp_node_int(query->graph, query->node, "axis", def);

    return (axis >= -(int64_t)rank && axis < (int64_t)rank) ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "axis", "it is out of range for rank %u", rank);
}

static bool claim_arg(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 1, ANY) && takes_axis(query, 0);
}

static void build_arg(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                      const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t axis = bp_node_int(b->graph, node, "axis", 0), outer, n, inner;
    struct bp_opencl_prefix prefix = {.n = 0};

    split_at(x, axis + (axis < 0 ? (int64_t)x->rank : 0), &outer, &n, &inner);
    bp_opencl_define_type(&prefix, "T", x->dtype);
    bp_opencl_define_type(&prefix, "TY", BP_DTYPE_I64);
    bp_opencl_define(&prefix, "#define ACC C_T");
    bp_opencl_define(&prefix, "#define START 0\n#define STEP(a, v) (a)\n#define JOIN(a, b) (a)");
    bp_opencl_define(&prefix, "#define END(a, n) 0");
    bp_opencl_define(&prefix, "#define BETTER(v, b) ((v) %c (b) || ((v) != (v) && (b) == (b)))",
                     op->kind == MAXIMUM ? '>' : '<');
    bp_opencl_begin(b, "reduce", prefix.text, "arg_reduce");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    bp_opencl_int(b, outer);
    bp_opencl_int(b, n);
    bp_opencl_int(b, inner);
    bp_opencl_int(b, bp_node_int(b->graph, node, "select_last_index", 0) != 0);
    bp_opencl_run(b, inner, outer, 1);
}

static int64_t softmax_default(const bp_node *node)
{
    return node->since < 13 ? 1 : -1;
}

static bool claim_softmax(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 1, ANY) &&
           takes_axis(query, softmax_default(query->node));
}

/* Until version 12 all dimensions from the axis on are one. */
static void build_softmax(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                          const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t axis = bp_node_int(b->graph, node, "axis", softmax_default(node)), outer, n, inner;
    struct bp_opencl_prefix prefix = {.n = 0};
    struct bp_opencl_op sum = {.kind = SUM};

    split_at(x, axis + (axis < 0 ? (int64_t)x->rank : 0), &outer, &n, &inner);
    if (node->since < 13) {
        n *= inner;
        inner = 1;
    }
    define_rule(&prefix, &sum, x->dtype);
    if (op->kind == LOG_SUM)
        bp_opencl_define(&prefix, "#define IS_LOG");
    bp_opencl_begin(b, "reduce", prefix.text, "softmax");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    bp_opencl_int(b, outer);
    bp_opencl_int(b, n);
    bp_opencl_int(b, inner);
    bp_opencl_run(b, inner, outer, 1);
}

/* ---- the rows -------------------------------------------------------------------------------- */

#define ROW(onnx, claims, builds, set, which, host)                                                \
    {                                                                                              \
        .name = onnx, .since = 1, .until = BP_OPENCL_LATEST, .claim = claims, .build = builds,     \
        .types = set, .kind = which, .host_inputs = host                                           \
    }
#define REDUCE(onnx, set, which) ROW(onnx, claim, build, set, which, ~1u)

const struct bp_opencl_op bp_opencl_reduce_ops[] = {
    ROW("ArgMax", claim_arg, build_arg, BP_OPENCL_NUMBERS, MAXIMUM, 0),
    ROW("ArgMin", claim_arg, build_arg, BP_OPENCL_NUMBERS, MINIMUM, 0),
    ROW("LogSoftmax", claim_softmax, build_softmax, BP_OPENCL_FLOATS, LOG_SUM, 0),
    REDUCE("ReduceL1", BP_OPENCL_FLOATS, L1),
    REDUCE("ReduceL2", BP_OPENCL_FLOATS, L2),
    REDUCE("ReduceLogSum", BP_OPENCL_FLOATS, LOG_SUM),
    REDUCE("ReduceLogSumExp", BP_OPENCL_FLOATS, LOG_SUM_EXP),
    REDUCE("ReduceMax", BP_OPENCL_NUMBERS, MAXIMUM),
    REDUCE("ReduceMean", BP_OPENCL_FLOATS, MEAN),
    REDUCE("ReduceMin", BP_OPENCL_NUMBERS, MINIMUM),
    REDUCE("ReduceProd", BP_OPENCL_NUMBERS, PRODUCT),
    REDUCE("ReduceSum", BP_OPENCL_NUMBERS, SUM),
    REDUCE("ReduceSumSquare", BP_OPENCL_NUMBERS, SQUARES),
    ROW("Softmax", claim_softmax, build_softmax, BP_OPENCL_FLOATS, SUM, 0),
    {.name = NULL},
};
