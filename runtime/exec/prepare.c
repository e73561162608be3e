/* SPDX-License-Identifier: MIT */
/* prepare.c - makes the plans that a run with inputs of some sizes would make, and runs nothing. */

#include "config.h"

#include "exec/run.h"

/* Where cells point whose values nothing has made: that is not NULL, and is never read. */
static char no_value;

/* Do the shapes of the stage follow from what is known without data? */
static bool can_plan(const struct bp_stage *stage, const bool *is_known)
{
    for (uint32_t i = 0; i < stage->n_reads; i++) {
        if (!is_known[stage->reads[i]] || stage->reads_content[i])
            return false;
    }
    return true;
}

/* Shapes of what later stages read, and of outputs. */
static void show_keeps(struct bp_frame_state *frame, const struct bp_stage *stage,
                       const struct bp_stage_plan *plan, bool *is_known)
{
    for (uint32_t i = 0; i < stage->n_keeps; i++) {
        uint32_t value = stage->keeps[i];
        const struct bp_cell *planned = &plan->planned[value];

        if (planned->rank == BP_RANK_UNKNOWN || planned->dtype == BP_DTYPE_NONE)
            continue;
        frame->cells[value] = *planned;
        frame->cells[value].base = &no_value;
        is_known[value] = true;
    }
}

void bp_subgraph_show_shape(struct bp_frame_state *frame, uint32_t value, uint32_t dtype,
                            const int64_t *dims, uint32_t rank, size_t bytes)
{
    frame->cells[value] = (struct bp_cell){
        .base = &no_value, .dims = dims, .bytes = bytes, .rank = rank, .dtype = dtype};
}

bp_rc bp_subgraph_prepare(struct bp_frame_state *frame, const struct bp_run_shared *shared,
                          bool *is_known, uint32_t *n_skipped, bp_err *err)
{
    const struct bp_subgraph *subgraph = frame->subgraph;
    bp_rc rc = BP_OK;

    *n_skipped = 0;
    for (uint32_t s = 0; rc >= 0 && s < subgraph->n_stages; s++) {
        struct bp_stage_plan *plan;

        if (!can_plan(&subgraph->stages[s], is_known)) {
            ++*n_skipped;
            continue;
        }
        rc = bp_run_check(shared, err);
        if (rc >= 0)
            rc = bp_stage_plan_get(frame, s, &plan, err);
        if (rc >= 0)
            show_keeps(frame, &subgraph->stages[s], plan, is_known);
    }
    return rc;
}
