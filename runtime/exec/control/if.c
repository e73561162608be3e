/* SPDX-License-Identifier: MIT */
/* if.c - If (opsets 1, 11, 13, 16, 19 to 25). */

#include "config.h"

#include "exec/control/host_op.h"
#include "exec/control/table.h"

/*
 * Runs then_branch or else_branch; the node's outputs are the outputs of the one that ran, without
 * a copy.
 */
bp_rc bp_host_op_if(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const struct bp_cell *condition = &state->frame->cells[node->in[0]];
    struct bp_frame_state *child;
    bool is_true;
    bp_rc rc = bp_host_op_bool(node, condition, "the condition", &is_true, err);

    if (rc >= 0)
        rc = bp_host_op_named_subgraph(state, unit, is_true ? "then_branch" : "else_branch", &child,
                                       err);
    if (rc >= 0)
        rc = bp_subgraph_run(child, state->shared, err);
    for (uint32_t o = 0; rc >= 0 && o < node->n_out; o++) {
        if (node->out[o] != BP_NONE)
            rc = bp_run_set(state, node->out[o], &child->cells[child->subgraph->ir->outputs[o]],
                            err);
    }
    return rc;
}
