/* SPDX-License-Identifier: MIT */
/*
 * binary.c - Add, Sub, Mul, Div, Pow (ONNX 7, 13, 14 and later): operands that are smaller than the
 * result are broadcast first, as ACL's operators want one shape.
 */

#include "types.h"

/* The second operand has the type of the first; ONNX's Pow may have two types. */
static bool claim(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    (void)op;
    return bp_cann_takes(query, 1, UINT32_MAX) && bp_cann_same_type(query, 0, 1);
}

/* Both operands are made as large as the result. */
static void build(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    const struct bp_cann_tensor *y = bp_cann_out(b, 0);
    struct bp_cann_tensor left = bp_cann_broadcast(b, bp_cann_in(b, 0), y);
    struct bp_cann_tensor right = bp_cann_broadcast(b, bp_cann_in(b, 1), y);

    (void)node;
    bp_cann_begin_call(b, op->acl);
    bp_cann_add_input(b, &left, ACL_FORMAT_ND);
    bp_cann_add_input(b, &right, ACL_FORMAT_ND);
    bp_cann_add_output(b, y, ACL_FORMAT_ND);
}

/* What the kernels of versions 7 to 13 are registered for. */
#define OLDER (I32 | I64 | REALS)

/* A row: struct name, ONNX's and ACL's name, types of the newest version. */
#define ROW(row, onnx, newest)                                                                     \
    const struct bp_cann_op bp_cann_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .acl = onnx,                                                                               \
        .documented = {7, LATEST, newest},                                                         \
        .kernels = {{7, 13, OLDER}, {14, LATEST, newest}},                                         \
        .claim = claim,                                                                            \
        .build = build,                                                                            \
    }

ROW(add, "Add", REALS | SIGNED | U8);
ROW(div, "Div", REALS | SIGNED | U8 | U16);
ROW(mul, "Mul", REALS | SIGNED | U8 | U16);
ROW(sub, "Sub", REALS | SIGNED | U8 | U16);

const struct bp_cann_op bp_cann_op_pow = {
    .name = "Pow",
    .acl = "Pow",
    .graph = {7, LATEST, HALF_FLOAT},
    .claim = claim,
    .build = build,
};
