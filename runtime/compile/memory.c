/* SPDX-License-Identifier: MIT */
/* memory.c - whose memory it is that frames hold. */

#include "config.h"

#include "compile/memory.h"

#include "exec/planning.h"

static struct bp_memory *of_unit(const struct bp_body *body, const struct bp_unit *unit)
{
    if (!body->memory)
        return NULL;
    return unit && unit->by ? &unit->by->memory->host : &body->memory->hosted;
}

struct bp_memory *bp_memory_of_value(const struct bp_body *body, uint32_t value)
{
    uint32_t node = body->ir->values[value].producer;
    uint32_t group = node == BP_NONE ? BP_NONE : body->part.group_of[node];

    return of_unit(body, group < body->n_units ? &body->units[group] : NULL);
}

void bp_memory_grow(const struct bp_body *body, uint32_t value, size_t bytes)
{
    if (!body->memory)
        return;
    bp_memory_add(&body->memory->all, bytes);
    bp_memory_add(bp_memory_of_value(body, value), bytes);
}

void bp_memory_shrink(const struct bp_body *body, uint32_t value, size_t bytes)
{
    if (!body->memory || bytes == 0)
        return;
    bp_memory_drop(&body->memory->all, bytes);
    bp_memory_drop(bp_memory_of_value(body, value), bytes);
}

/* ---- arenas ---------------------------------------------------------------------------------- */

/* Bytes that a unit asked for: its scratch memory, and what it makes in host memory. */
static size_t asked_by(const struct bp_planning *p, uint32_t u)
{
    const struct bp_view *view = p->plan->units[u].unit->group->view;
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

    for (uint32_t u = 0; u < p->plan->n_units; u++)
        total += (double)asked_by(p, u);
    for (uint32_t u = 0; u < p->plan->n_units; u++) {
        double part = total > 0 ? (double)asked_by(p, u) / total : 0;
        size_t bytes = (size_t)((double)p->plan->arena_bytes * part);

        bytes = bytes < left ? bytes : left;
        shares[u] =
            (struct bp_memory_share){of_unit(p->frame->body, p->plan->units[u].unit), bytes};
        left -= bytes;
    }
    shares[0].bytes += left;
}

bp_rc bp_memory_enter_arena(struct bp_planning *p, bp_err *err)
{
    struct bp_stage_plan *plan = p->plan;
    struct bp_memory_share *shares;

    if (!p->frame->body->memory || plan->n_units == 0)
        return BP_OK;
    shares = bp_region_array(&plan->region, plan->n_units, sizeof *shares);
    if (!shares)
        return bp_fail_nomem(err, "a plan");
    divide(p, shares);
    for (uint32_t u = 0; u < plan->n_units; u++)
        bp_memory_add(shares[u].of, shares[u].bytes);
    plan->memory = p->frame->body->memory;
    bp_memory_add(&plan->memory->all, plan->arena_bytes);
    plan->shares = shares;
    plan->n_shares = plan->n_units;
    return BP_OK;
}

void bp_memory_leave_arena(struct bp_stage_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_shares; i++)
        bp_memory_drop(plan->shares[i].of, plan->shares[i].bytes);
    if (plan->memory)
        bp_memory_drop(&plan->memory->all, plan->arena_bytes);
}
