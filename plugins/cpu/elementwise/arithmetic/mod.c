/* SPDX-License-Identifier: MIT */
/*
 * mod.c - Mod (ai.onnx, opsets 10, 13, 28), with broadcasting.
 *
 * fmod=0: y = a - b * floor(a / b), with the sign of b (as in Python); floats from version 28 on
 * fmod=1: C's fmod(a, b), with the sign of a
 *
 * An integer modulo 0, which C leaves undefined, is 0 here; a float modulo 0 is NaN. Version 13 adds
 * bfloat16.
 */

#include "elementwise/binary.h"

#include <math.h>

enum { FLOOR_OF_FLOATS = 28 }; /* the version from which fmod=0 takes floats */

/* C's remainder has the sign of a; what is not 0 is moved by b where b has the other sign. */
static inline float floor_modf(float a, float b)
{
    float r = fmodf(a, b);

    if (r == 0)
        return copysignf(r, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

static inline double floor_mod(double a, double b)
{
    double r = fmod(a, b);

    if (r == 0)
        return copysign(r, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

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
#define EXPR(x, y) M(floor_mod)(x, y)
#include "kernels/types/float.inc"
#undef EXPR
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
#include "kernels/types/number.inc"
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

    if (query->node->since < FLOOR_OF_FLOATS && !is_fmod(query->graph, query->node) && a &&
        a->dtype < BP_DTYPE_END && BP_CPU_FLOATS >> a->dtype & 1)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "fmod",
                      "floating point needs fmod=1, or opset 28 of the model");
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
