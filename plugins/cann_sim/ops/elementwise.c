/* SPDX-License-Identifier: MIT */
/*
 * elementwise.c - operators of one input that are one call of ACL's, Cast and Softmax among them.
 */

#include "types.h"

/* Type and shape are checked already, and there is nothing else to ask. */
static bool claim(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    (void)op;
    (void)query;
    return true;
}

/* One call, without attributes; those that have some add them afterwards. */
static void build(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    (void)node;
    bp_cann_begin_call(b, op->acl);
    bp_cann_add_input(b, bp_cann_in(b, 0), ACL_FORMAT_ND);
    bp_cann_add_output(b, bp_cann_out(b, 0), ACL_FORMAT_ND);
}

/* Exp and Log are base ^ (scale x + shift) and its inverse; -1 stands for e. */
static void build_power(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    build(b, op, node);
    bp_cann_set_float(b, "base", -1);
    bp_cann_set_float(b, "scale", 1);
    bp_cann_set_float(b, "shift", 0);
}

/* A negative real to an unsigned integer: ACL saturates, where ONNX's Cast wraps around. */
static bool claim_cast(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    (void)op;
    if (x->dtype < BP_DTYPE_END && REALS & BP_CANN_TYPE(x->dtype) && y->dtype < BP_DTYPE_END &&
        UNSIGNED & BP_CANN_TYPE(y->dtype))
        return bp_cann_refuse(query, BP_R_DTYPE, "to",
                              "ACL converts negative values to 0, where Cast wraps around");
    if (y->dtype < BP_DTYPE_END && EVERY & BP_CANN_TYPE(y->dtype))
        return true;
    return bp_cann_refuse(query, BP_R_DTYPE, "to", "ACL has no element type %u that can be cast to",
                          y->dtype);
}

/* ACL's Cast has the type as an attribute. */
static void build_cast(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    build(b, op, node);
    bp_cann_set_int(b, "dst_type", bp_cann_type(bp_cann_out(b, 0)->dtype));
}

/*
 * A row; documented types of 0: only in the table of kernels. The last arguments are its ranges
 * there.
 */
#define ROW(row, onnx, calls, doc_first, doc_types, claims, builds, ...)                           \
    const struct bp_cann_op bp_cann_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .acl = calls,                                                                              \
        .documented = {doc_first, doc_types ? LATEST : 0, doc_types},                              \
        .kernels = {__VA_ARGS__},                                                                  \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
    }
/* A row that the kernels have for float16 and float32, in all versions from `from` on. */
#define FLOATS(row, onnx, calls, from)                                                             \
    ROW(row, onnx, calls, 0, 0, claim, build, {from, LATEST, HALF_FLOAT})

FLOATS(ceil, "Ceil", "Ceil", 1);
FLOATS(cos, "Cos", "Cos", 7);
FLOATS(erf, "Erf", "Erf", 9);
FLOATS(floor, "Floor", "Floor", 1);
FLOATS(reciprocal, "Reciprocal", "Reciprocal", 1);
FLOATS(round, "Round", "Round", 11);
FLOATS(sin, "Sin", "Sin", 7);
FLOATS(sqrt, "Sqrt", "Sqrt", 1);
ROW(abs, "Abs", "Abs", 0, 0, claim, build, {1, 5, HALF_FLOAT}, {6, LATEST, HALF_FLOAT | I32});
const struct bp_cann_op bp_cann_op_exp = {
    .name = "Exp",
    .acl = "Exp",
    .kernels = {{1, LATEST, F16}},
    .graph = {1, LATEST, HALF_FLOAT},
    .claim = claim,
    .build = build_power,
};
ROW(log, "Log", "Log", 0, 0, claim, build_power, {1, LATEST, HALF_FLOAT});
ROW(neg, "Neg", "Neg", 0, 0, claim, build, {1, 5, HALF_FLOAT}, {6, LATEST, HALF_FLOAT | I8 | I32});
ROW(relu, "Relu", "Relu", 6, REALS, claim, build, {6, 13, REALS}, {14, LATEST, REALS | SIGNED});
ROW(cast, "Cast", "Cast", 0, 0, claim_cast, build_cast, {6, LATEST, EVERY});

/* ---- of graph mode alone --------------------------------------------------------------------- */

/* ONNX's default of alpha is 1. */
static void build_elu(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    build(b, op, node);
    bp_cann_set_float(b, "alpha", bp_node_float(b->graph, node, "alpha", 1));
}

/* ONNX's alpha is ACL's negative_slope; its default is 0.01. */
static void build_leaky_relu(struct bp_cann_build *b, const struct bp_cann_op *op,
                             const bp_node *node)
{
    build(b, op, node);
    bp_cann_set_float(b, "negative_slope", bp_node_float(b->graph, node, "alpha", 0.01f));
}

/* A scalar has no axis. */
static bool claim_softmax(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    (void)op;
    if (x->rank > 0)
        return true;
    return bp_cann_refuse(query, BP_R_RANK, x->name, "rank 0, provider takes 1..%d",
                          BP_CANN_MAX_RANK);
}

/* From version 13 on Softmax is along one axis, which is what ACL's does. */
static void build_softmax(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    int64_t axis = bp_node_int(b->graph, node, "axis", -1);

    build(b, op, node);
    bp_cann_set_ints(b, "axes", 1, &axis);
}

/* A row that only the table of graph mode has. */
#define GRAPH_ROW(row, onnx, calls, from, claims, builds)                                          \
    const struct bp_cann_op bp_cann_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .acl = calls,                                                                              \
        .graph = {from, LATEST, HALF_FLOAT},                                                       \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
    }

GRAPH_ROW(elu, "Elu", "Elu", 6, claim, build_elu);
GRAPH_ROW(leaky_relu, "LeakyRelu", "LeakyRelu", 6, claim, build_leaky_relu);
GRAPH_ROW(sigmoid, "Sigmoid", "Sigmoid", 6, claim, build);
GRAPH_ROW(sign, "Sign", "Sign", 9, claim, build);
GRAPH_ROW(softmax, "Softmax", "SoftmaxV2", 13, claim_softmax, build_softmax);
GRAPH_ROW(tanh, "Tanh", "Tanh", 6, claim, build);
