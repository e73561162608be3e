/* SPDX-License-Identifier: MIT */
/*
 * planning.h - the steps of planning a stage for one set of shapes; see stage_plan.c for their
 * order.
 */
#ifndef BP_EXEC_PLANNING_H
#define BP_EXEC_PLANNING_H

#include <bp/arena.h>

#include "exec/frame.h"

enum { BP_ARENA_ALIGN = 64 }; /* as blocks are, base/block.h */

/* A plan in the making. Lists are the planning's own and freed with it. */
struct bp_planning {
    struct bp_frame_state *frame;
    const struct bp_stage *stage;
    struct bp_stage_plan *plan;
    bp_arena_item *items; /* scratch memory of units, then values */
    uint32_t *item_of;    /* one a value: index in items, or BP_NONE */
    uint32_t n_items;
    size_t *align_of;      /* one a unit: alignment of its scratch beyond the arena's; 0: none */
    bp_frame_needs *needs; /* one a unit */
};

/* A tensor that shows a value, without a base. */
bp_tensor bp_planning_tensor(const struct bp_stage_plan *plan, uint32_t value, uint32_t space);
/* A place in the host's arena from a step on, to be extended; nothing where there is one. */
void bp_planning_add_item(struct bp_planning *p, uint32_t value, uint32_t step);
/* The value is needed at that step too. */
void bp_planning_extend(struct bp_planning *p, uint32_t value, uint32_t step);

/* Exact shapes of everything in the stage, from the cells that it reads: facts, then cells. */
bp_rc bp_planning_infer(struct bp_planning *p, bp_err *err) BP_CHECKED;
/* Lets each provider prepare its program for these shapes; items of scratch memory. */
bp_rc bp_planning_prepare(struct bp_planning *p, bp_err *err) BP_CHECKED;
/*
 * One arena for values and scratch memory, by their lifetimes; then the tensors that show each
 * value. BP_E_NOMEM, and what devices answer.
 */
bp_rc bp_planning_lay_out(struct bp_planning *p, bp_err *err) BP_CHECKED;

/* ---- arena_memory.c -------------------------------------------------------------------------- */

/*
 * Counts the arena of a plan: as a whole, and for those who use it by what each asked for. Then the
 * plan has shares, which bp_memory_leave_arena() gives back. BP_E_NOMEM: nothing is counted.
 */
bp_rc bp_memory_enter_arena(struct bp_planning *p, bp_err *err) BP_CHECKED;
/* Gives the shares back when the plan is destroyed. */
void bp_memory_leave_arena(struct bp_stage_plan *plan);

#endif
