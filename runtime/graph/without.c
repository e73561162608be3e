/* SPDX-License-Identifier: MIT */
/* without.c - what of a graph can be had without some of its inputs. */

#include "config.h"

#include "graph/without.h"

static bool reads_marked(const struct bp_ir_node *node, const bool *marked)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] != BP_NONE && marked[node->in[i]])
            return true;
    }
    for (uint32_t i = 0; i < node->n_implicit; i++) {
        if (marked[node->implicit[i]])
            return true;
    }
    return false;
}

void bp_ir_mark_downstream(const struct bp_ir *ir, bool *marked)
{
    for (uint32_t n = 0; n < ir->n_nodes; n++) { /* nodes are in running order */
        const struct bp_ir_node *node = &ir->nodes[n];

        for (uint32_t i = 0; reads_marked(node, marked) && i < node->n_out; i++) {
            if (node->out[i] != BP_NONE)
                marked[node->out[i]] = true;
        }
    }
}

void bp_ir_drop_marked(struct bp_ir *ir, const bool *marked)
{
    uint32_t n_nodes = 0, n_outputs = 0;

    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];
        bool stays = !reads_marked(node, marked);

        for (uint32_t i = 0; i < node->n_out; i++) {
            if (node->out[i] != BP_NONE)
                ir->values[node->out[i]].producer = stays ? n_nodes : BP_NONE;
        }
        if (stays)
            ir->nodes[n_nodes++] = *node;
    }
    for (uint32_t i = 0; i < ir->n_outputs; i++) {
        uint32_t value = ir->outputs[i];

        if (marked[value])
            ir->values[value].flags &= ~(uint32_t)BP_IR_OUTPUT;
        else
            ir->outputs[n_outputs++] = value;
    }
    ir->n_nodes = n_nodes;
    ir->n_outputs = n_outputs;
}

bool bp_ir_is_needed(const struct bp_ir *ir, uint32_t value)
{
    if (ir->values[value].flags & BP_IR_OUTPUT)
        return true;
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];

        for (uint32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] == value)
                return true;
        }
        for (uint32_t i = 0; i < node->n_implicit; i++) {
            if (node->implicit[i] == value)
                return true;
        }
    }
    return false;
}
