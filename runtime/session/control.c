/* SPDX-License-Identifier: MIT */
/* control.c - If (opsets 1, 11, 13, 16, 19 to 25). Loop and Scan are not here yet. */

#include "config.h"

#include "session/control.h"

#include <string.h>

#include "session/run.h"

/* The values of the graph around a body, as they are now. */
static void lend_captures(struct bp_run_state *state, struct bp_frame_state *child)
{
    const struct bp_body *body = child->body;

    for (uint32_t i = 0; i < body->n_captures; i++) {
        uint32_t value = body->captures[i];

        child->cells[value] = state->frame->cells[body->ir->values[value].outer];
    }
}

static bp_rc read_condition(struct bp_run_state *state, const struct bp_ir_node *node, bool *out,
                            bp_err *err)
{
    const struct bp_cell *cell = &state->frame->cells[node->in[0]];

    if (bp_dims_count(cell->dims, cell->rank) != 1)
        return bp_fail(err, BP_E_SHAPE, "node '%s' (If): the condition has to be one value",
                       node->name);
    *out = *(const uint8_t *)cell->base != 0;
    return BP_OK;
}

/* ONNX If: runs then_branch or else_branch; its outputs are those of the body that ran. */
static bp_rc run_if(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = &state->frame->body->ir->nodes[unit->group->nodes[0]];
    struct bp_frame_state *child;
    const struct bp_ir *branch;
    bool condition = false;
    uint32_t i = 0;
    bp_rc rc;

    rc = read_condition(state, node, &condition, err);
    if (rc < 0)
        return rc;
    branch = bp_ir_body(node, condition ? "then_branch" : "else_branch");
    while (node->bodies[i] != branch)
        i++;
    if (!unit->bodies[i])
        return bp_fail(err, BP_E_SHAPE, "node '%s' (If) takes a branch that cannot run: %s",
                       node->name, unit->broken[i]);
    rc = bp_frame_state_child(state->frame, unit, i, &child, err);
    if (rc < 0)
        return rc;
    lend_captures(state, child);
    rc = bp_body_run(child, state->shared, err);
    for (uint32_t o = 0; rc >= 0 && o < node->n_out; o++) {
        if (node->out[o] != BP_NONE)
            rc = bp_run_set(state, node->out[o], &child->cells[branch->outputs[o]], err);
    }
    return rc;
}

static const struct bp_control operators[] = {
    {"If", run_if},
};

const struct bp_control *bp_control_find(const struct bp_ir_node *node)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (node->domain[0] == '\0' && strcmp(node->op, operators[i].op) == 0 && node->schema)
            return &operators[i];
    }
    return NULL;
}
