/* SPDX-License-Identifier: MIT */
/* lower.c - see lower.h. */

#include "lower.h"

void bp_nn_lower_node(struct bp_nn_build *b, uint32_t index)
{
    const struct bp_nn_facts *facts = b->facts;
    const struct bp_nn_op *op = bp_nn_find_op(BP_NODE(b->graph, index));
    struct bp_nn_unit unit;

    if (b->rc < 0 || b->is_done[index] ||
        (facts->unit_of[index] != index && !facts->is_shared[index]))
        return;
    b->node = index;
    if (!op) {
        bp_nn_give_up(b, "the operator is not in the provider's table");
    } else if (!bp_nn_facts_unit(facts, index, &unit)) {
        b->rc = bp_fail(b->err, BP_E_NOMEM, "nnapi: no memory for node '%s'",
                        BP_NODE(b->graph, index)->name);
    } else {
        op->lower(op, b, &unit);
    }
}

static void add_output(struct bp_nn_build *b, uint32_t operand)
{
    b->model->outputs[b->model->n_outputs++] = operand;
}

void bp_nn_convert_outputs(struct bp_nn_build *b, uint32_t index)
{
    const bp_node *node = BP_NODE(b->graph, index);

    for (uint32_t i = 0; i < node->n_out && b->rc >= 0; i++) {
        struct bp_nn_arg arg = {node->out[i], BP_NONE, BP_NONE, false, 0};

        if (arg.value != BP_NONE && b->places[arg.value].at[BP_NN_NHWC] != BP_NONE)
            bp_nn_in(b, &arg, BP_NN_NCHW);
    }
}

void bp_nn_end_trial(struct bp_nn_build *b)
{
    struct bp_nn_model *model = b->model;
    bool *is_read = bp_nn_get(b, model->n_operands);

    model->outputs = bp_nn_get(b, (model->n_operands + 1u) * sizeof *model->outputs);
    if (!is_read || !model->outputs)
        return;
    for (uint32_t i = 0; i < model->n_operations; i++) {
        for (uint32_t k = 0; k < model->operations[i].n_in; k++)
            is_read[model->indices[model->operations[i].first + k]] = true;
    }
    for (uint32_t i = 0; i < model->n_operations; i++) {
        const struct bp_nn_operation *row = &model->operations[i];

        for (uint32_t k = row->n_in; k < row->n_in + row->n_out; k++) {
            if (!is_read[model->indices[row->first + k]])
                add_output(b, model->indices[row->first + k]);
        }
    }
}

static uint32_t position(const uint32_t *list, uint32_t n, uint32_t want)
{
    for (uint32_t i = 0; i < n; i++) {
        if (list[i] == want)
            return i;
    }
    return BP_NONE;
}

/*
 * An output's operand: not an input's, a constant's or another output's, as NNAPI allows none of
 * these, so an Identity at the edge is a copy.
 */
static uint32_t output_operand(struct bp_nn_build *b, uint32_t value)
{
    struct bp_nn_arg arg = {value, BP_NONE, BP_NONE, false, 0};
    uint32_t operand, copy;

    b->node =
        BP_VALUE(b->graph, value)->producer == BP_NONE ? 0 : BP_VALUE(b->graph, value)->producer;
    if (b->places[value].at[BP_NN_NCHW] == BP_NONE && b->places[value].at[BP_NN_NHWC] == BP_NONE)
        bp_nn_give_up(b, "'%s' was not computed", BP_VALUE(b->graph, value)->name);
    if (b->rc < 0)
        return 0;
    operand = bp_nn_in(b, &arg, BP_NN_NCHW);
    if (position(b->model->inputs, b->model->n_inputs, operand) == BP_NONE &&
        position(b->model->outputs, b->model->n_outputs, operand) == BP_NONE &&
        bp_nn_at(b, operand)->kind == BP_NN_COMPUTED)
        return operand;
    copy = bp_nn_like(b, operand, bp_nn_at(b, operand)->rank, bp_nn_at(b, operand)->dims);
    bp_nn_reshape(b, operand, copy);
    return copy;
}

void bp_nn_lower_graph(struct bp_nn_build *b, uint32_t *in, uint32_t *out)
{
    const bp_graph *graph = b->graph;
    struct bp_nn_model *model = b->model;

    for (uint32_t i = 0; i < graph->n_nodes; i++)
        bp_nn_lower_node(b, i);
    model->outputs = bp_nn_get(b, (graph->n_outputs + 1u) * sizeof *model->outputs);
    for (uint32_t i = 0; i < graph->n_outputs && b->rc >= 0; i++) {
        add_output(b, output_operand(b, graph->outputs[i]));
        out[i] = i;
    }
    for (uint32_t i = 0; i < graph->n_inputs && b->rc >= 0; i++)
        in[i] =
            position(model->inputs, model->n_inputs, b->places[graph->inputs[i]].at[BP_NN_NCHW]);
}
