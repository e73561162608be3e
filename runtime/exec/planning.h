/* SPDX-License-Identifier: MIT */
/*
 * planning.h - the steps of planning a stage for one set of shapes; see stage_plan.c for their
 * order.
 */
#ifndef BP_EXEC_PLANNING_H
#define BP_EXEC_PLANNING_H

#include <bp/arena.h>

#include "exec/frame.h"

enum {
    BP_ARENA_ALIGN = 64,  /* as blocks are, base/block.h */
    BP_SMALL_ARENA = 4096 /* bytes; one of that size never shrinks */
};

/* A plan in the making. Lists lie in frame->scratch and end with the planning. */
struct bp_planning {
    struct bp_frame_state *frame;
    const struct bp_stage *stage;
    struct bp_stage_facts inferred; /* before there is a plan that has them */
    struct bp_stage_plan *plan;
    bool is_renewed;      /* the plan is made in the memory of another, which was replaced */
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

/*
 * Bytes that hold a value of `bytes` in such a place, wherever they begin. Saturates: memory of that
 * size is refused.
 */
static inline size_t bp_place_bytes(const struct bp_place *place, size_t bytes)
{
    size_t more = place->slack + (place->align > BP_ARENA_ALIGN ? place->align : 0);

    return bytes > SIZE_MAX - more ? SIZE_MAX : bytes + more;
}

/* The first address from base on that suits. */
static inline void *bp_place_begin(const struct bp_place *place, void *base)
{
    size_t align = place->align ? place->align : 1;

    return (char *)base + (-(uintptr_t)base & (align - 1));
}

/* ---- plan_slices.c --------------------------------------------------------------------------- */

/*
 * Lets a unit whose samples do not meet, and whose batch is too large for the caches, run on parts of
 * it: changes the sizes in its tensors and shapes, and sets unit->slices. The unit's other members
 * are set. BP_E_NOMEM.
 */
bp_rc bp_planning_slice(struct bp_planning *p, struct bp_unit_frame *unit, bp_shape *shapes,
                        bp_err *err) BP_CHECKED;
/* Bytes of cache that parts are made for; 0: as this machine has them. For tests. */
extern size_t bp_slices_cache;
/* Do parts begin where the frame wants its tensors? */
bool bp_slices_suit(const struct bp_unit_frame *unit, const bp_frame_needs *needs);

/* BP_E_INTERNAL, BP_E_NOMEM: a frame asks for what abi.h does not let it ask for. */
bp_rc bp_planning_check_needs(const bp_frame_needs *needs, bp_err *err) BP_CHECKED;
/* Adds what a unit's frame asks for to the places of its values. */
bp_rc bp_planning_add_places(struct bp_planning *p, uint32_t u, bp_err *err) BP_CHECKED;
/* Places for copies of what the stage reads, where groups want something of it. */
void bp_planning_copy_reads(struct bp_planning *p);
/* The same of what a unit of the host makes. */
void bp_planning_copy_host_op(struct bp_planning *p, uint32_t u);

/* BP_E_INTERNAL: a frame's pairs of inputs and outputs do not exist, or differ in bytes. */
bp_rc bp_planning_check_in_place(const struct bp_unit_frame *unit, const bp_frame_needs *needs,
                                 bp_err *err) BP_CHECKED;
/*
 * Lets item `out`, written at step u, lie in item `in` if that ends there. False: it has to have its
 * own place. Lifetimes are final.
 */
bool bp_planning_take_over(bp_arena_item *items, uint32_t in, uint32_t out, uint32_t u);
/* Outputs in host memory that lie where an input lies; after all lifetimes are known. */
void bp_planning_share_in_place(struct bp_planning *p);

/* Exact facts of everything in the stage, from the cells that it reads; p->plan is not read. */
bp_rc bp_planning_infer(struct bp_planning *p, bp_err *err) BP_CHECKED;
/* Has the plan the shapes that were inferred? Then it serves, with these facts. */
bool bp_planning_fits(const struct bp_planning *p, const struct bp_stage_plan *plan);
/* The planned cells, from the facts. */
bp_rc bp_planning_set_cells(struct bp_planning *p, bp_err *err) BP_CHECKED;
/* Lets each provider prepare its program for these shapes; items of scratch memory. */
bp_rc bp_planning_prepare(struct bp_planning *p, bp_err *err) BP_CHECKED;
/*
 * One arena for values and scratch memory, by their lifetimes; then the tensors that show each
 * value. BP_E_NOMEM, and what devices answer.
 */
bp_rc bp_planning_lay_out(struct bp_planning *p, bp_err *err) BP_CHECKED;

/*
 * Lets the tensors and scratch memory of a plan lie in an arena that begins at base; they lay
 * elsewhere.
 */
void bp_stage_plan_move(struct bp_stage_plan *plan, void *base);

/* ---- stage_arena.c --------------------------------------------------------------------------- */

/*
 * Makes the arena of stage s large enough for a plan and lets the plan lie in it. No value in the
 * arena is needed any more. BP_E_NOMEM: there is no memory, or the session may not have it; the arena
 * is empty.
 */
bp_rc bp_stage_arena_serve(struct bp_frame_state *frame, uint32_t s, struct bp_stage_plan *plan,
                           bp_err *err) BP_CHECKED;
/* Empties the arena where no plan of stage s needs a quarter of it. */
void bp_stage_arena_shrink(struct bp_frame_state *frame, uint32_t s);
void bp_stage_arena_finish(struct bp_frame_state *frame, uint32_t s);
/* Counts what providers say that the frames of a plan hold. BP_E_NOMEM: more than there may be. */
bp_rc bp_memory_enter_frames(struct bp_planning *p, bp_err *err) BP_CHECKED;
/* Undoes that; of a plan that was never entered, nothing. */
void bp_memory_leave_frames(struct bp_stage_plan *plan);

#endif
