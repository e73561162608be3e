/* SPDX-License-Identifier: MIT */
/*
 * bit_shift.c - BitShift (ai.onnx, opsets 11, 28): y = a << b or a >> b by attribute `direction`
 * (LEFT, RIGHT), with broadcasting.
 *
 * Types: integers, signed ones from version 28 on. A shift by the width of the type or more, or by a
 * negative amount, both undefined in C, gives 0; -1 where a negative number is shifted to the right,
 * which copies its sign.
 */

#include "elementwise/binary.h"

#define BITS (8 * sizeof(T))
#define IS_WITHIN(y) ((y) >= 0 && (y) < (C)BITS)

#define NAME shift_left
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((y) < BITS ? WRAP(x) << ((y) & (BITS - 1)) : 0)
#include "kernels/types/uint.inc"
#undef EXPR
#define EXPR(x, y) (IS_WITHIN(y) ? WRAP(x) << ((unsigned)(y) & (BITS - 1)) : 0)
#include "kernels/types/int.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_binary left_family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/int.inc"
#include "kernels/types/uint.inc"
#undef TEMPLATE
        },
};

#undef NAME
#define NAME shift_right
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((y) < BITS ? (x) >> ((y) & (BITS - 1)) : 0)
#include "kernels/types/uint.inc"
#undef EXPR
#define EXPR(x, y) (IS_WITHIN(y) ? (x) >> ((unsigned)(y) & (BITS - 1)) : -((x) < 0))
#include "kernels/types/int.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_binary right_family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/int.inc"
#include "kernels/types/uint.inc"
#undef TEMPLATE
        },
};

static int is_direction(const bp_graph *graph, const bp_node *node, const char *text)
{
    return bp_node_string_is(graph, node, "direction", "", text);
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (is_direction(query->graph, query->node, "LEFT") ||
        is_direction(query->graph, query->node, "RIGHT"))
        bp_cpu_claim_binary(op, query);
    else
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "direction", "it is neither LEFT nor RIGHT");
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_binary *family =
        is_direction(call->node->graph, call->node->node, "LEFT") ? &left_family : &right_family;
    bp_rc rc = bp_cpu_state(call, sizeof(struct bp_cpu_spread), err);

    if (rc < 0)
        return rc;
    return bp_cpu_spread_make(call, family->loops[call->in[0]->dtype], 1, call->in[0], call->in[1],
                              call->out[0], call->state, err);
}

const struct bp_cpu_op bp_cpu_op_bit_shift = {
    .name = "BitShift",
    .since = 11,
    .flags = BP_CPU_IN_PLACE,
    .loops = &left_family,
    .claim = claim,
    .prepare = prepare,
    .run = bp_cpu_run_binary,
};
