/* SPDX-License-Identifier: MIT */
/*
 * mod.c - Mod (ai.onnx, opsets 10, 13), with broadcasting.
 *
 * fmod=0: y = a - b * floor(a / b), with the sign of b (as in Python); integers only
 * fmod=1: C's fmod(a, b), with the sign of a; floats and integers
 *
 * An integer modulo 0, which C leaves undefined, is 0 here. Version 13 adds bfloat16.
 */

#include "elementwise/binary.h"

#define NAME fmod
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) M(fmod)(x, y)
#include "kernels/types/float.inc"
#undef EXPR
#define EXPR(x, y) ((y) == 0 || (y) == -1 ? 0 : (x) % (y))
#include "kernels/types/int.inc"
#undef EXPR
#define EXPR(x, y) ((y) == 0 ? 0 : (x) % (y))
#include "kernels/types/uint.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_binary fmod_family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
        },
};

#undef NAME
#define NAME mod
#define TEMPLATE "elementwise/binary.inc"
/* C's % has the sign of a; where that is not the sign of b, adding b once mends it */
#define EXPR(x, y)                                                                                 \
    ((y) == 0 || (y) == -1                            ? 0                                          \
     : (x) % (y) != 0 && ((x) % (y) < 0) != ((y) < 0) ? (x) % (y) + (y)                            \
                                                      : (x) % (y))
#include "kernels/types/int.inc"
#undef EXPR
#define EXPR(x, y) ((y) == 0 ? 0 : (x) % (y))
#include "kernels/types/uint.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_binary mod_family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/int.inc"
#include "kernels/types/uint.inc"
#undef TEMPLATE
        },
};

static bool is_fmod(const bp_graph *graph, const bp_node *node)
{
    return bp_node_int(graph, node, "fmod", 0) != 0;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *a = bp_node_in(query->graph, query->node, 0);

    if (!is_fmod(query->graph, query->node) && a && a->dtype < BP_DTYPE_END &&
        fmod_family.loops[a->dtype] && !mod_family.loops[a->dtype])
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "fmod", "floating point needs fmod=1");
    else
        bp_cpu_claim_binary(op, query);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_binary *family =
        is_fmod(call->node->graph, call->node->node) ? &fmod_family : &mod_family;
    bp_rc rc = bp_cpu_state(call, sizeof(struct bp_cpu_spread), err);

    if (rc < 0)
        return rc;
    return bp_cpu_spread_make(call, family->loops[call->in[0]->dtype], 8, call->in[0], call->in[1],
                              call->out[0], call->state, err);
}

const struct bp_cpu_op bp_cpu_op_mod = {
    .name = "Mod",
    .since = 10,
    .flags = BP_CPU_IN_PLACE,
    .loops = &fmod_family,
    .claim = claim,
    .prepare = prepare,
    .run = bp_cpu_run_binary,
};
