/* SPDX-License-Identifier: MIT */
/*
 * gelu.c - Gelu (ai.onnx, opset 20).
 *
 * approximate="none": y = x * (1 + erf(x / sqrt(2))) / 2
 * approximate="tanh": y = x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2
 *
 * Types: floats. The functions are in gates.h.
 */

#include "elementwise/activation/gates.h"
#include "kernels/unary.h"

#define NAME gelu
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(gelu)(x)
#include "kernels/types/float.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
        },
    .cost = 16,
};

#undef NAME
#define NAME gelu_tanh
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(gelu_tanh)(x)
#include "kernels/types/float.inc"
#undef EXPR
#undef TEMPLATE

static const bp_cpu_unary_loop tanh_loops[BP_DTYPE_END] = {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
};

static int is_approximate(const bp_graph *graph, const bp_node *node, const char *text)
{
    return bp_node_string_is(graph, node, "approximate", "none", text);
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (is_approximate(query->graph, query->node, "none") ||
        is_approximate(query->graph, query->node, "tanh"))
        bp_cpu_claim_unary(op, query);
    else
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "approximate", "it is neither none nor tanh");
}

/* The family has the exact loops; prepare exchanges them for the approximation. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_prepare_unary(call, err);

    if (rc >= 0 && is_approximate(call->node->graph, call->node->node, "tanh"))
        ((struct bp_cpu_map *)call->state)->loop = tanh_loops[call->in[0]->dtype];
    return rc;
}

const struct bp_cpu_op bp_cpu_op_gelu = {
    .name = "Gelu",
    .since = 20,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = claim,
    .prepare = prepare,
    .run = bp_cpu_run_unary,
};
