/* SPDX-License-Identifier: MIT */
/* binary.c - Add, Sub, Mul, Div, Pow: each operand that is smaller than the result is repeated first. */

#include "types.h"

static bool claim(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    (void)op;
    return bp_cann_takes(query, 1, UINT32_MAX) && bp_cann_same_type(query, 0, 1);
}

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

#define OLDER (I32 | I64 | REALS)

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
