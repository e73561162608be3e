/* SPDX-License-Identifier: MIT */
/* host_op.c - the table of the host's own operators, and what they share. */

#include "config.h"

#include "exec/control/host_op.h"

#include <stdio.h>
#include <string.h>

#include "value/object.h"

/* A unit that the host runs is a group of one node. */
const struct bp_ir_node *bp_host_op_node(const struct bp_run_state *state,
                                         const struct bp_unit *unit)
{
    return &state->frame->subgraph->ir->nodes[unit->group->nodes[0]];
}

bp_rc bp_host_op_fail(const struct bp_ir_node *node, bp_err *err, bp_rc rc, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return bp_fail(err, rc, "node '%s' (%s): %s", node->name, node->op, text);
}

const struct bp_cell *bp_host_op_input(const struct bp_run_state *state,
                                       const struct bp_ir_node *node, uint32_t i)
{
    return i < node->n_in && node->in[i] != BP_NONE ? &state->frame->cells[node->in[i]] : NULL;
}

bp_rc bp_host_op_bool(const struct bp_ir_node *node, const struct bp_cell *cell, const char *what,
                      bool *out, bp_err *err)
{
    if (bp_dims_count(cell->dims, cell->rank) != 1 || cell->dtype != BP_DTYPE_BOOL)
        return bp_host_op_fail(node, err, BP_E_SHAPE, "%s has to be one bool", what);
    *out = *(const uint8_t *)cell->base != 0;
    return BP_OK;
}

bp_rc bp_host_op_int(const struct bp_run_state *state, const struct bp_ir_node *node, uint32_t i,
                     int64_t def, int64_t *out, bp_err *err)
{
    const struct bp_cell *cell = bp_host_op_input(state, node, i);

    *out = def;
    if (!cell)
        return BP_OK;
    if (bp_dims_count(cell->dims, cell->rank) != 1 ||
        (cell->dtype != BP_DTYPE_I64 && cell->dtype != BP_DTYPE_I32))
        return bp_host_op_fail(node, err, BP_E_SHAPE,
                               "input %u has to be one number of type int64 or int32", i);
    if (cell->dtype == BP_DTYPE_I64)
        memcpy(out, cell->base, sizeof *out);
    else
        *out = *(const int32_t *)cell->base;
    return BP_OK;
}

/* The frame holds a reference of its own, for as long as the value is that. */
bp_rc bp_host_op_set_object(struct bp_run_state *state, const struct bp_ir_node *node, uint32_t i,
                            bp_object *object, bp_err *err)
{
    struct bp_cell cell = bp_cell_of_object(object);
    bp_rc rc = BP_OK;

    if (i < node->n_out && node->out[i] != BP_NONE)
        rc = bp_run_set(state, node->out[i], &cell, err);
    bp_object_release(object);
    return rc;
}

/* Sizes are checked here, as they may come from elements of the model's inputs. */
bp_rc bp_host_op_alloc_output(struct bp_run_state *state, const struct bp_ir_node *node, uint32_t i,
                              uint32_t dtype, uint32_t rank, const int64_t *dims,
                              struct bp_cell *out, bp_err *err)
{
    struct bp_dynamic_buffer *buffer;
    size_t bytes;
    bp_rc rc;

    if (rank > BP_MAX_RANK || !bp_dense_bytes(dtype, dims, rank, &bytes))
        return bp_host_op_fail(node, err, BP_E_NOMEM, "output %u is too large for this machine", i);
    rc = bp_frame_state_grow(state->frame, node->out[i], bytes, &buffer, err);
    if (rc < 0)
        return rc;
    if (rank)
        memmove(buffer->dims, dims, rank * sizeof *dims);
    buffer->rank = rank;
    buffer->bytes = bytes;
    *out = (struct bp_cell){
        .base = buffer->data, .dims = buffer->dims, .bytes = bytes, .rank = rank, .dtype = dtype};
    return BP_OK;
}

/* ---- subgraphs ------------------------------------------------------------------------------- */

/* The values of the graph around a subgraph, as they are now. */
static void lend_captures(struct bp_run_state *state, struct bp_frame_state *child)
{
    const struct bp_subgraph *subgraph = child->subgraph;

    for (uint32_t i = 0; i < subgraph->n_captures; i++) {
        uint32_t value = subgraph->captures[i];

        child->cells[value] = state->frame->cells[subgraph->ir->values[value].outer];
    }
}

bp_rc bp_host_op_subgraph(struct bp_run_state *state, const struct bp_unit *unit, uint32_t i,
                          struct bp_frame_state **out, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    bp_rc rc;

    *out = NULL;
    if (!unit->subgraphs[i])
        return bp_host_op_fail(node, err, BP_E_SHAPE, "it takes a branch that cannot run: %s",
                               unit->broken[i]);
    rc = bp_frame_state_child(state->frame, unit, i, out, err);
    if (rc >= 0)
        lend_captures(state, *out);
    return rc;
}

/* The attribute is there: the schema requires it, or the caller has asked bp_ir_subgraph(). */
bp_rc bp_host_op_named_subgraph(struct bp_run_state *state, const struct bp_unit *unit,
                                const char *name, struct bp_frame_state **out, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const struct bp_ir *subgraph = bp_ir_subgraph(node, name);
    uint32_t i = 0;

    while (node->subgraphs[i] != subgraph)
        i++;
    return bp_host_op_subgraph(state, unit, i, out, err);
}
