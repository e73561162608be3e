/* SPDX-License-Identifier: MIT */
/*
 * arena_memory.c - which provider's groups an arena's bytes are counted for, and what providers say
 * that their frames hold.
 */

#include "config.h"

#include "exec/planning.h"

#include "compile/subgraph_memory.h"

/* Bytes that a unit asked for: its scratch memory, and what it makes in host memory. */
static size_t asked_by(const struct bp_planning *p, uint32_t u)
{
    const struct bp_graph_view *view = p->plan->units[u].unit->group->view;
    size_t bytes = p->items[u].bytes;

    for (uint32_t i = 0; i < view->graph.n_outputs; i++) {
        uint32_t item = p->item_of[view->value_of[view->graph.outputs[i]]];

        if (item != BP_NONE)
            bytes += p->items[item].bytes;
    }
    return bytes;
}

/*
 * Lifetimes lie over each other in an arena, so that no byte is one unit's alone: each has its part
 * of the whole, and what rounding leaves goes to the first.
 */
static void divide(const struct bp_planning *p, struct bp_memory_share *shares)
{
    size_t left = p->plan->arena_bytes;
    double total = 0;

    if (p->plan->n_units == 1) {
        shares[0] = (struct bp_memory_share){
            bp_memory_of_unit(p->frame->subgraph, p->plan->units[0].unit), left};
        return;
    }
    for (uint32_t u = 0; u < p->plan->n_units; u++)
        total += (double)asked_by(p, u);
    for (uint32_t u = 0; u < p->plan->n_units; u++) {
        double part = total > 0 ? (double)asked_by(p, u) / total : 0;
        size_t bytes = (size_t)((double)p->plan->arena_bytes * part);

        bytes = bytes < left ? bytes : left;
        shares[u] = (struct bp_memory_share){
            bp_memory_of_unit(p->frame->subgraph, p->plan->units[u].unit), bytes};
        left -= bytes;
    }
    shares[0].bytes += left;
}

/* Shares are kept with the plan, so that giving them back takes the same numbers. */
bp_rc bp_memory_enter_arena(struct bp_planning *p, bp_err *err)
{
    struct bp_stage_plan *plan = p->plan;
    struct bp_memory_share *shares;

    if (!p->frame->subgraph->memory || plan->n_units == 0)
        return BP_OK;
    shares = bp_region_array(&plan->region, plan->n_units, sizeof *shares);
    if (!shares)
        return bp_fail_nomem(err, "a plan");
    divide(p, shares);
    for (uint32_t u = 0; u < plan->n_units; u++) {
        size_t frame_bytes = plan->units[u].frame ? (size_t)plan->units[u].unit->frame_bytes : 0;

        plan->frame_bytes += frame_bytes;
        shares[u].bytes += frame_bytes;
        bp_memory_add(shares[u].of, shares[u].bytes);
    }
    plan->memory = p->frame->subgraph->memory;
    bp_memory_add(&plan->memory->all, plan->arena_bytes + plan->frame_bytes);
    plan->shares = shares;
    plan->n_shares = plan->n_units;
    return BP_OK;
}

/* Also of a plan that was never entered: it has no shares. */
void bp_memory_leave_arena(struct bp_stage_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_shares; i++)
        bp_memory_drop(plan->shares[i].of, plan->shares[i].bytes);
    if (plan->memory)
        bp_memory_drop(&plan->memory->all, plan->arena_bytes + plan->frame_bytes);
}
