/* SPDX-License-Identifier: MIT */
/*
 * host_op.h - operators that the host runs itself: those with subgraphs, and those whose values are
 * no tensors. Providers take part in the subgraphs only.
 */
#ifndef BP_EXEC_CONTROL_HOST_OP_H
#define BP_EXEC_CONTROL_HOST_OP_H

#include "exec/run.h"

/* ---- what they share: host_op.c -------------------------------------------------------------- */

const struct bp_ir_node *bp_host_op_node(const struct bp_run_state *state,
                                         const struct bp_unit *unit);
/* "node 'x' (Loop): ..." */
bp_rc bp_host_op_fail(const struct bp_ir_node *node, bp_err *err, bp_rc rc, const char *fmt, ...)
    BP_PRINTF(4, 5);
/* Where copies of the run's values come from; NULL: the C library. */
static inline const bp_allocator *bp_host_op_allocator(const struct bp_run_state *state)
{
    return bp_memory_allocator(state->frame->subgraph->memory);
}

/* Input i as it is now; NULL: absent. */
const struct bp_cell *bp_host_op_input(const struct bp_run_state *state,
                                       const struct bp_ir_node *node, uint32_t i);
/* The bool of a cell, one element; `what` names it. */
bp_rc bp_host_op_bool(const struct bp_ir_node *node, const struct bp_cell *cell, const char *what,
                      bool *out, bp_err *err) BP_CHECKED;
/* The whole number of input i, one element of int32 or int64; def when it is absent. */
bp_rc bp_host_op_int(const struct bp_run_state *state, const struct bp_ir_node *node, uint32_t i,
                     int64_t def, int64_t *out, bp_err *err) BP_CHECKED;
/* Sets output i, where the node has it, to an object; takes the reference over, also on failure. */
bp_rc bp_host_op_set_object(struct bp_run_state *state, const struct bp_ir_node *node, uint32_t i,
                            bp_object *object, bp_err *err) BP_CHECKED;
/* Allocates output i, a tensor, in the frame; fill it, then call bp_run_set(). */
bp_rc bp_host_op_alloc_output(struct bp_run_state *state, const struct bp_ir_node *node, uint32_t i,
                              uint32_t dtype, uint32_t rank, const int64_t *dims,
                              struct bp_cell *out, bp_err *err) BP_CHECKED;

/* The frame of subgraph i of the node, with the values of the graph around it as they are now. */
bp_rc bp_host_op_subgraph(struct bp_run_state *state, const struct bp_unit *unit, uint32_t i,
                          struct bp_frame_state **out, bp_err *err) BP_CHECKED;
/* The frame of the subgraph in attribute `name`. */
bp_rc bp_host_op_named_subgraph(struct bp_run_state *state, const struct bp_unit *unit,
                                const char *name, struct bp_frame_state **out,
                                bp_err *err) BP_CHECKED;

#endif
