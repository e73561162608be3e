/* SPDX-License-Identifier: MIT */
/* loop.h - values that Loop and Scan carry from round to round, and text that they gather. */
#ifndef BP_EXEC_CONTROL_LOOP_H
#define BP_EXEC_CONTROL_LOOP_H

#include <stdlib.h>

#include "exec/control/host_op.h"

/* Before the first iteration: takes the initial value. */
void bp_carry_start(struct bp_carried *carried, const struct bp_cell *initial);
/*
 * Before an iteration: asks the subgraph's frame to write its output `value`, which becomes the
 * carried value, into the buffer that the present one is not in. BP_E_NOMEM.
 */
bp_rc bp_carry_ask(const struct bp_carried *carried, struct bp_frame_state *child, uint32_t value,
                   bp_err *err) BP_CHECKED;
/*
 * After an iteration: takes what the subgraph has made. It is copied, unless it lies where
 * bp_carry_ask() wanted it or is the value from before.
 */
bp_rc bp_carry(struct bp_carried *carried, const struct bp_cell *made, bp_err *err) BP_CHECKED;
/* After the last: output i of the node. */
bp_rc bp_carry_end(struct bp_run_state *state, const struct bp_ir_node *node, uint32_t i,
                   const struct bp_carried *carried, bp_err *err) BP_CHECKED;

/* Copies of string tensors, whose text a subgraph's next round would overwrite. Starts as NULL. */
struct bp_kept {
    struct bp_kept *next;
    bp_object *object;
};

/* *out shows what cell does, for strings in a copy that lives as long as the list. */
bp_rc bp_keep_text(struct bp_kept **list, const struct bp_cell *cell, struct bp_cell *out,
                   bp_err *err) BP_CHECKED;
/* bp_run_set() of a cell that may show text in such copies. */
bp_rc bp_give_text(struct bp_run_state *state, uint32_t value, const struct bp_cell *cell,
                   bp_err *err) BP_CHECKED;
void bp_forget_text(struct bp_kept *list);

#endif
