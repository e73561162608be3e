/* SPDX-License-Identifier: MIT */
/*
 * stage_plan.c - plans of a stage, by what shapes follow from: looked up, or made by running the
 * shape rules (plan_shapes.c), letting providers prepare (plan_units.c), and laying out memory
 * (plan_layout.c).
 */

#include "config.h"

#include "exec/planning.h"
#include "exec/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"

/* ---- keys ------------------------------------------------------------------------------------ */

/* The key grows with the frame, and never shrinks: steady runs allocate nothing. */
static bp_rc add_key(struct bp_frame_state *frame, uint32_t *n, int64_t value, bp_err *err)
{
    if (*n == frame->key_cap) {
        uint32_t cap = frame->key_cap ? frame->key_cap * 2 : 64;
        int64_t *key = realloc(frame->key, cap * sizeof *key);

        if (!key)
            return bp_fail_nomem(err, "a run's shapes");
        frame->key = key;
        frame->key_cap = cap;
    }
    frame->key[(*n)++] = value;
    return BP_OK;
}

/* Bytes of content as whole words; shapes depend on a few of them only. */
static bp_rc add_content(struct bp_frame_state *frame, uint32_t *n, const struct bp_cell *cell,
                         bp_err *err)
{
    const char *bytes = cell->base;
    size_t left = cell->bytes;
    bp_rc rc = BP_OK;

    if (left > BP_MAX_CONTENT * sizeof(int64_t))
        return BP_OK;
    while (rc >= 0 && left > 0) {
        size_t part = left < sizeof(int64_t) ? left : sizeof(int64_t);
        int64_t word = 0;

        memcpy(&word, bytes, part);
        rc = add_key(frame, n, word, err);
        bytes += part;
        left -= part;
    }
    return rc;
}

/*
 * Everything that the plan follows from: types and shapes of what the stage reads, and some
 * contents.
 */
static bp_rc make_key(struct bp_frame_state *frame, const struct bp_stage *stage, uint32_t *n,
                      bp_err *err)
{
    bp_rc rc = BP_OK;

    *n = 0;
    for (uint32_t i = 0; rc >= 0 && i < stage->n_reads; i++) {
        const struct bp_cell *cell = &frame->cells[stage->reads[i]];

        rc = add_key(frame, n,
                     (int64_t)bp_cell_kind(cell) << 32 | (int64_t)cell->dtype << 16 | cell->rank,
                     err);
        for (uint32_t d = 0; rc >= 0 && d < cell->rank; d++)
            rc = add_key(frame, n, cell->dims[d], err);
        if (rc >= 0 && stage->reads_content[i])
            rc = add_content(frame, n, cell, err);
    }
    return rc;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static bp_rc fill(struct bp_planning *p, bp_err *err)
{
    size_t n_values = p->frame->subgraph->ir->n_values;
    bp_rc rc;

    p->items = calloc(n_values + p->stage->n_units + 1, sizeof *p->items);
    p->item_of = malloc((n_values + 1) * sizeof *p->item_of);
    if (!p->items || !p->item_of)
        return bp_fail_nomem(err, "a plan");
    memset(p->item_of, 0xff, (n_values + 1) * sizeof *p->item_of);
    rc = bp_planning_infer(p, err);
    if (rc >= 0)
        rc = bp_planning_prepare(p, err);
    if (rc >= 0)
        rc = bp_planning_lay_out(p, err);
    return rc;
}

/* A new plan for the cells as they are; the key is copied when all went well. */
static bp_rc create(struct bp_frame_state *frame, const struct bp_stage *stage, uint32_t n_key,
                    struct bp_stage_plan **out, bp_err *err)
{
    struct bp_planning p = {.frame = frame, .stage = stage};
    bp_rc rc;

    p.plan = calloc(1, sizeof *p.plan);
    if (!p.plan)
        return bp_fail_nomem(err, "a plan");
    p.plan->key = bp_region_array(&p.plan->region, n_key, sizeof *p.plan->key);
    if (p.plan->key)
        rc = fill(&p, err);
    else
        rc = bp_fail_nomem(err, "a plan");
    free(p.items);
    free(p.item_of);
    if (rc < 0) {
        bp_stage_plan_destroy(p.plan);
        return rc;
    }
    if (n_key)
        memcpy(p.plan->key, frame->key, n_key * sizeof *frame->key);
    p.plan->n_key = n_key;
    *out = p.plan;
    return BP_OK;
}

/* Frames before the memory that their tensors show. */
void bp_stage_plan_destroy(struct bp_stage_plan *plan)
{
    if (!plan)
        return;
    for (uint32_t u = 0; u < plan->n_units; u++) {
        if (plan->units[u].frame)
            plan->units[u].unit->by->provider->frame_free(plan->units[u].frame);
        bp_unit_profile_destroy(plan->units[u].profile);
    }
    bp_device_plan_finish(plan);
    bp_memory_leave_arena(plan);
    bp_block_free(plan->allocator, plan->arena);
    bp_region_finish(&plan->region);
    free(plan);
}

static bool fits(const struct bp_stage_plan *plan, const int64_t *key, uint32_t n_key)
{
    return plan->n_key == n_key && (n_key == 0 || memcmp(plan->key, key, n_key * sizeof *key) == 0);
}

/* Frees all plans after the first `keep` of a list. */
static void forget(struct bp_stage_plan *first, uint32_t keep)
{
    struct bp_stage_plan *last = first;

    while (last && --keep > 0)
        last = last->next;
    while (last && last->next) {
        struct bp_stage_plan *old = last->next;

        last->next = old->next;
        bp_stage_plan_destroy(old);
    }
}

/*
 * Plans found are moved to the front; a list of eight is searched faster than it would be hashed.
 */
bp_rc bp_stage_plan_get(struct bp_frame_state *frame, uint32_t s, struct bp_stage_plan **out,
                        bp_err *err)
{
    struct bp_stage_plan **link = &frame->plans[s];
    struct bp_stage_plan *plan = NULL;
    uint32_t n_key;
    bp_rc rc;

    rc = make_key(frame, &frame->subgraph->stages[s], &n_key, err);
    if (rc < 0)
        return rc;
    while (*link && !fits(*link, frame->key, n_key))
        link = &(*link)->next;
    if (*link) {
        plan = *link;
        *link = plan->next;
    } else {
        rc = create(frame, &frame->subgraph->stages[s], n_key, &plan, err);
        if (rc < 0)
            return rc;
    }
    plan->next = frame->plans[s];
    frame->plans[s] = plan;
    forget(plan, BP_MAX_PLANS);
    *out = plan;
    return BP_OK;
}
