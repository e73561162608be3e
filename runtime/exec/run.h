/* SPDX-License-Identifier: MIT */
/* run.h - a run through a frame. */
#ifndef BP_EXEC_RUN_H
#define BP_EXEC_RUN_H

#include "exec/frame.h"
#include "exec/run_shared.h"

/* A frame while its subgraph runs. */
struct bp_run_state {
    struct bp_frame_state *frame;
    struct bp_stage_plan *plan; /* of the stage that is running */
    struct bp_run_shared *shared;
};

/*
 * Runs a node: reads the cells of its inputs and sets its outputs by bp_run_set(). Called by the
 * thread of the run.
 */
typedef bp_rc (*bp_host_op_fn)(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err);

/* One operator: how a run goes through it. */
struct bp_host_op {
    const char *domain, *op;
    bp_host_op_fn run;
};

/*
 * Runs all stages. The cells of inputs and captures are set, and `wanted` where outputs should go;
 * then the cells of outputs are set. A wanted output lies in its binding only where its cell says
 * so.
 */
bp_rc bp_subgraph_run(struct bp_frame_state *frame, struct bp_run_shared *shared,
                      bp_err *err) BP_CHECKED;
/* Sets a cell to a shape without data, for bp_subgraph_prepare(). dims are borrowed. */
void bp_subgraph_show_shape(struct bp_frame_state *frame, uint32_t value, uint32_t dtype,
                            const int64_t *dims, uint32_t rank, size_t bytes);
/*
 * Makes plans for all stages whose shapes follow from the shapes of cells that are known (is_known:
 * one a value; inputs set by the caller, then values with a known shape, whose cells have it).
 * *n_skipped: stages whose shapes follow from data. Runs nothing. The cells must be set anew before
 * a run.
 */
bp_rc bp_subgraph_prepare(struct bp_frame_state *frame, const struct bp_run_shared *shared,
                          bool *is_known, uint32_t *n_skipped, bp_err *err) BP_CHECKED;
/*
 * Where the caller wants a value of this shape: its own buffer, whose size is checked, or one
 * allocated for it, by the session's allocator, or one that is kept. Fills the binding's dims and type.
 */
bp_rc bp_run_prepare_output(const struct bp_frame_state *frame, const char *name,
                            const struct bp_cell *cell, const struct bp_wanted *wanted,
                            bp_err *err) BP_CHECKED;
/* Sets a value that the host made: for its readers in this stage and later. */
bp_rc bp_run_set(struct bp_run_state *state, uint32_t value, const struct bp_cell *cell,
                 bp_err *err) BP_CHECKED;
#endif
