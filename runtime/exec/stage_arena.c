/* SPDX-License-Identifier: MIT */
/*
 * stage_arena.c - the memory that the plans of a stage share, and for whom it is counted, with what
 * providers say that their frames hold.
 */

#include "config.h"

#include <stdlib.h>

#include "base/block.h"
#include "compile/subgraph_memory.h"
#include "exec/planning.h"

/* ---- counting -------------------------------------------------------------------------------- */

/*
 * Lifetimes lie over each other in an arena, so that no byte is one unit's alone: each has its part
 * of the whole, by what it asked for, and what rounding leaves goes to the first.
 */
static void divide(const struct bp_subgraph *subgraph, const struct bp_stage *stage,
                   const size_t *asked, struct bp_stage_arena *arena)
{
    size_t left = arena->bytes;
    double total = 0;

    for (uint32_t u = 0; u < stage->n_units; u++)
        total += (double)asked[u];
    for (uint32_t u = 0; u < stage->n_units; u++) {
        double part = total > 0 ? (double)asked[u] / total : 0;
        size_t bytes = (size_t)((double)arena->bytes * part);

        bytes = bytes < left ? bytes : left;
        arena->shares[u] = (struct bp_memory_share){
            bp_memory_of_unit(subgraph, &subgraph->units[stage->first_unit + u]), bytes};
        left -= bytes;
    }
    arena->shares[0].bytes += left;
}

/* Counts a new block. BP_E_NOMEM: nothing is counted. */
static bp_rc enter(struct bp_frame_state *frame, uint32_t s, const size_t *asked, size_t bytes,
                   bp_err *err)
{
    const struct bp_stage *stage = &frame->subgraph->stages[s];
    struct bp_stage_arena *arena = &frame->arenas[s];
    bp_rc rc;

    if (!frame->subgraph->memory || stage->n_units == 0)
        return BP_OK;
    if (!arena->shares)
        arena->shares = calloc(stage->n_units, sizeof *arena->shares);
    if (!arena->shares)
        return bp_fail_nomem(err, "a plan");
    rc = bp_memory_take(frame->subgraph->memory, bytes, err);
    if (rc < 0)
        return rc;
    arena->bytes = bytes;
    arena->n_shares = stage->n_units;
    divide(frame->subgraph, stage, asked, arena);
    for (uint32_t u = 0; u < arena->n_shares; u++)
        bp_memory_add(arena->shares[u].of, arena->shares[u].bytes);
    return BP_OK;
}

static void leave(struct bp_frame_state *frame, struct bp_stage_arena *arena)
{
    for (uint32_t u = 0; u < arena->n_shares; u++)
        bp_memory_drop(arena->shares[u].of, arena->shares[u].bytes);
    if (arena->n_shares)
        bp_memory_give(frame->subgraph->memory, arena->bytes);
    arena->n_shares = 0;
}

bp_rc bp_memory_enter_frames(struct bp_planning *p, bp_err *err)
{
    struct bp_stage_plan *plan = p->plan;
    size_t bytes = 0;
    bp_rc rc;

    for (uint32_t u = 0; u < plan->n_units; u++)
        bytes += plan->units[u].frame ? (size_t)plan->units[u].unit->frame_bytes : 0;
    if (!p->frame->subgraph->memory || bytes == 0)
        return BP_OK;
    rc = bp_memory_take(p->frame->subgraph->memory, bytes, err);
    if (rc < 0)
        return rc;
    for (uint32_t u = 0; u < plan->n_units; u++) {
        if (plan->units[u].frame)
            bp_memory_add(bp_memory_of_unit(p->frame->subgraph, plan->units[u].unit),
                          (size_t)plan->units[u].unit->frame_bytes);
    }
    plan->memory = p->frame->subgraph->memory;
    plan->frame_bytes = bytes;
    return BP_OK;
}

void bp_memory_leave_frames(struct bp_stage_plan *plan)
{
    if (!plan->memory)
        return;
    for (uint32_t u = 0; u < plan->n_units; u++) {
        if (plan->units[u].frame)
            bp_memory_drop(bp_memory_of_unit(plan->units[u].owner->subgraph, plan->units[u].unit),
                           (size_t)plan->units[u].unit->frame_bytes);
    }
    bp_memory_give(plan->memory, plan->frame_bytes);
    plan->memory = NULL;
    plan->frame_bytes = 0;
}

/* ---- the block ------------------------------------------------------------------------------- */

static void empty(struct bp_frame_state *frame, struct bp_stage_arena *arena)
{
    leave(frame, arena);
    bp_block_free(arena->allocator, arena->base);
    arena->base = NULL;
    arena->bytes = 0;
}

/*
 * The old block goes before the new one comes, so that there are never both. An arena of no bytes has
 * an address too, so that no tensor's base is NULL.
 */
static bp_rc replace(struct bp_frame_state *frame, uint32_t s, const size_t *asked, size_t bytes,
                     bp_err *err)
{
    struct bp_stage_arena *arena = &frame->arenas[s];
    bp_rc rc;

    empty(frame, arena);
    arena->allocator = bp_memory_allocator(frame->subgraph->memory);
    rc = enter(frame, s, asked, bytes, err);
    if (rc >= 0)
        rc = bp_block_alloc(arena->allocator, bytes, &arena->base, err);
    if (rc < 0) {
        empty(frame, arena);
        return bp_fail_in(err, rc, "the memory of a run");
    }
    arena->bytes = bytes;
    return BP_OK;
}

/*
 * One that grows has a quarter more than is needed, since sizes that grow once mostly grow again;
 * unless that is more than there may be.
 */
static bp_rc grow(struct bp_frame_state *frame, uint32_t s, const struct bp_stage_plan *plan,
                  bp_err *err)
{
    size_t bytes = plan->arena_bytes;
    bool is_first = !frame->arenas[s].base;

    if (!is_first && bytes < SIZE_MAX / 2 &&
        replace(frame, s, plan->asked, bytes + bytes / 4, NULL) >= 0)
        return BP_OK;
    return replace(frame, s, plan->asked, bytes, err);
}

bp_rc bp_stage_arena_serve(struct bp_frame_state *frame, uint32_t s, struct bp_stage_plan *plan,
                           bp_err *err)
{
    struct bp_stage_arena *arena = &frame->arenas[s];

    if (!arena->base || arena->bytes < plan->arena_bytes) {
        bp_rc rc = grow(frame, s, plan, err);

        if (rc < 0)
            return rc;
    }
    if (plan->base != arena->base)
        bp_stage_plan_move(plan, arena->base);
    return BP_OK;
}

void bp_stage_arena_shrink(struct bp_frame_state *frame, uint32_t s)
{
    struct bp_stage_arena *arena = &frame->arenas[s];
    size_t most = arena->kept;

    for (const struct bp_stage_plan *plan = frame->plans[s]; plan; plan = plan->next)
        most = plan->arena_bytes > most ? plan->arena_bytes : most;
    if (arena->bytes / 4 > most + BP_SMALL_ARENA)
        empty(frame, arena);
}

void bp_frame_state_keep_arenas(struct bp_frame_state *frame)
{
    for (uint32_t s = 0; s < frame->subgraph->n_stages; s++)
        frame->arenas[s].kept = frame->arenas[s].bytes;
}

void bp_stage_arena_finish(struct bp_frame_state *frame, uint32_t s)
{
    empty(frame, &frame->arenas[s]);
    free(frame->arenas[s].shares);
}
