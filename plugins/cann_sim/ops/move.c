/* SPDX-License-Identifier: MIT */
/* move.c - operators that compute nothing: Dropout, Flatten, Identity, Reshape, Transpose. */

#include "types.h"

/* ---- copies ---------------------------------------------------------------------------------- */

/* Every tensor can be copied. */
static bool claim_identity(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    (void)op;
    (void)query;
    return true;
}

/* The shape is read on the host, and never by ACL: the output's shape says it all. */
static bool claim_reshape(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    (void)op;
    return bp_cann_is_constant(query, 1, "shape");
}

/* Bytes stay in their order, whatever the shape. */
static void build_copy(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    (void)op;
    (void)node;
    bp_cann_copy(b, bp_cann_out(b, 0), bp_cann_in(b, 0));
}

/* ---- Dropout --------------------------------------------------------------------------------- */

/* Input 2 of Dropout 12 and later. Where it is not a constant that can be read, it may be true. */
static bool is_training(const struct bp_cann_query *query)
{
    const bp_host *host = &query->instance->host;
    const bp_value *mode = bp_node_in(query->graph, query->node, 2);
    bp_span bytes;

    if (!mode)
        return false;
    if (!(mode->flags & BP_VALUE_CONSTANT) ||
        host->constant(host->h, query->graph, query->node->in[2], &bytes, NULL) < 0 ||
        bytes.size < 1)
        return true;
    return *(const unsigned char *)bytes.data != 0;
}

/* A mask of bools is all ones; before version 10 it had the type of the input. */
static bool claim_dropout(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    const bp_value *mask = bp_node_out(query->graph, query->node, 1);

    (void)op;
    if (is_training(query))
        return bp_cann_refuse(query, BP_R_OTHER, "training_mode",
                              "training_mode is not a constant false");
    if (mask && mask->dtype != BP_DTYPE_BOOL)
        return bp_cann_refuse(query, BP_R_DTYPE, mask->name,
                              "the mask is not bool, as it is from version 10 on");
    return true;
}

/* Of inference: nothing is dropped, so the output is the input, and the mask all ones. */
static void build_dropout(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    const struct bp_cann_tensor *mask = bp_cann_out(b, 1);

    build_copy(b, op, node);
    if (mask)
        bp_cann_fill(b, mask, 1);
}

/* ---- Flatten, Transpose ---------------------------------------------------------------------- */

/* ACL's axis is ONNX's. */
static void build_flatten(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    bp_cann_begin_call(b, op->acl);
    bp_cann_set_int(b, "axis", bp_node_int(b->graph, node, "axis", 1));
    bp_cann_add_input(b, bp_cann_in(b, 0), ACL_FORMAT_ND);
    bp_cann_add_output(b, bp_cann_out(b, 0), ACL_FORMAT_ND);
}

/* perm may be absent, which reverses the dimensions. */
static bool claim_transpose(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    uint32_t n;

    (void)op;
    bp_node_ints(query->graph, query->node, "perm", &n);
    if (n != 0 && n != x->rank)
        return bp_cann_refuse(query, BP_R_ATTRIBUTE, "perm", "perm has not %u entries", x->rank);
    return true;
}

/* A scalar has nothing to permute, and ACL wants a list. */
static void build_transpose(struct bp_cann_build *b, const struct bp_cann_op *op,
                            const bp_node *node)
{
    const struct bp_cann_tensor *x = bp_cann_in(b, 0);
    int64_t perm[BP_CANN_MAX_RANK];
    uint32_t n;
    const int64_t *given = bp_node_ints(b->graph, node, "perm", &n);

    if (x->rank == 0) {
        build_copy(b, op, node);
        return;
    }
    for (int i = 0; i < x->rank; i++)
        perm[i] = n ? given[i] : x->rank - 1 - i;
    bp_cann_begin_call(b, op->acl);
    bp_cann_set_ints(b, "perm", x->rank, perm);
    bp_cann_add_input(b, x, ACL_FORMAT_ND);
    bp_cann_add_output(b, bp_cann_out(b, 0), ACL_FORMAT_ND);
}

/* ---- the rows -------------------------------------------------------------------------------- */

const struct bp_cann_op bp_cann_op_dropout = {
    .name = "Dropout",
    .documented = {7, LATEST, REALS},
    .kernels = {{7, 11, REALS}, {12, LATEST, HALF_FLOAT}},
    .host_inputs = 6,
    .claim = claim_dropout,
    .build = build_dropout,
};

const struct bp_cann_op bp_cann_op_flatten = {
    .name = "Flatten",
    .acl = "Flatten",
    .documented = {1, LATEST, HALF_FLOAT | INTEGERS},
    .kernels = {{1, 8, HALF_FLOAT}, {9, LATEST, HALF_FLOAT | INTEGERS}},
    .claim = claim_identity,
    .build = build_flatten,
};

const struct bp_cann_op bp_cann_op_identity = {
    .name = "Identity",
    .documented = {1, LATEST, EVERY | BF16},
    .kernels = {{1, LATEST, EVERY | BF16}},
    .claim = claim_identity,
    .build = build_copy,
};

const struct bp_cann_op bp_cann_op_reshape = {
    .name = "Reshape",
    .kernels = {{1, LATEST, EVERY | BF16}},
    .host_inputs = 2,
    .claim = claim_reshape,
    .build = build_copy,
};

const struct bp_cann_op bp_cann_op_transpose = {
    .name = "Transpose",
    .acl = "TransposeD",
    .kernels = {{1, LATEST, HALF_FLOAT | INTEGERS | BOOLS}},
    .claim = claim_transpose,
    .build = build_transpose,
};
