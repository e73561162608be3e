/* SPDX-License-Identifier: MIT */
/*
 * custom_operator.c - operators of the application on sequences and optionals: the kernel is called by
 * the host, with the objects of the run.
 */

#include "config.h"

#include <string.h>

#include "custom/provider.h"
#include "exec/control/host_op.h"
#include "exec/control/table.h"

/* bp_frame_desc.alloc_output: storage in the frame of the run; only the kernel knows the sizes. */
static bp_rc alloc_output(void *h, uint32_t out, uint32_t rank, const int64_t *dims, bp_err *err)
{
    struct bp_operator_frame *of = h;
    struct bp_run_state *state = of->state;
    const struct bp_graph_view *view = of->unit->group->view;
    const struct bp_ir_node *node = bp_host_op_node(state, of->unit);
    uint32_t value = view->value_of[view->graph.outputs[out]];
    bp_tensor *tensor = &of->desc.out[out];
    struct bp_cell cell;
    uint32_t i = 0;
    bp_rc rc;

    while (node->out[i] != value)
        i++;
    rc = bp_host_op_alloc_output(state, node, i, tensor->dtype, rank, dims, &cell, err);
    if (rc < 0)
        return rc;
    if (rank > 0)
        memcpy(tensor->dims, cell.dims, rank * sizeof *cell.dims);
    tensor->base = cell.base;
    tensor->bytes = cell.bytes;
    tensor->rank = rank;
    return BP_OK;
}

/* Inputs as they are now. Constants are the kernel's already. */
static void show_inputs(struct bp_run_state *state, struct bp_operator_frame *of)
{
    const struct bp_graph_view *view = of->unit->group->view;

    for (uint32_t i = 0; i < view->graph.n_inputs; i++) {
        uint32_t v = view->graph.inputs[i];
        const struct bp_cell *cell = &state->frame->cells[view->value_of[v]];
        bool is_object = bp_cell_kind(cell) != BP_KIND_TENSOR;

        bp_custom_frame_show(of->frame, v, is_object ? cell->object : NULL);
        if (!is_object)
            of->desc.in[i] = bp_cell_tensor(cell);
    }
}

/* Is the value of the type that was inferred, down to the tensors inside? An empty one is. */
static bool is_of(const bp_object *object, const struct bp_fact *fact)
{
    if (!object || !fact || bp_fact_is_blank(fact))
        return true;
    if (bp_object_kind(object) != fact->kind)
        return false;
    if (fact->kind == BP_KIND_TENSOR)
        return !fact->dtype || bp_object_tensor(object)->dtype == fact->dtype;
    for (uint32_t i = 0; i < bp_object_count(object); i++) {
        if (!is_of(bp_object_item(object, i), fact->item))
            return false;
    }
    return true;
}

/* Output i of the node, value v of its view, becomes what the kernel gave. */
static bp_rc take_output(struct bp_run_state *state, struct bp_operator_frame *of, uint32_t i,
                         uint32_t v, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, of->unit);
    const struct bp_fact *fact = &state->plan->inferred.facts[node->out[i]];
    bp_object *object = bp_custom_frame_take(of->frame, v);
    const bp_tensor *tensor;
    struct bp_cell cell;

    if (object && !is_of(object, fact)) {
        bp_object_release(object);
        return bp_host_op_fail(node, err, BP_E_INVALID,
                               "output %u has another type inside than the operator says", i);
    }
    if (object)
        return bp_host_op_set_object(state, node, i, object, err);
    tensor = bp_custom_frame_tensor(of->frame, v);
    cell = (struct bp_cell){.base = bp_tensor_data(tensor),
                            .dims = tensor->dims,
                            .bytes = tensor->bytes,
                            .rank = tensor->rank,
                            .dtype = tensor->dtype};
    return bp_run_set(state, node->out[i], &cell, err);
}

/* An operator of the application with sequences or optionals among its operands. */
bp_rc bp_host_op_custom(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_graph_view *view = unit->group->view;
    const bp_node *node = BP_NODE(&view->graph, 0);
    bp_run run = {.struct_size = sizeof run,
                  .run_id = state->shared->run_id,
                  .cancel = state->shared->cancel,
                  .deadline_ns = state->shared->deadline_ns};
    struct bp_operator_frame *of;
    bp_rc rc = bp_frame_state_operator(state->frame, unit, &of, err);

    if (rc < 0)
        return rc;
    of->state = state;
    of->desc.alloc_output = alloc_output;
    show_inputs(state, of);
    rc = bp_custom_execute(of->frame, &run, err);
    for (uint32_t i = 0; rc >= 0 && i < node->n_out; i++) {
        if (node->out[i] != BP_NONE)
            rc = take_output(state, of, i, node->out[i], err);
    }
    return rc;
}
