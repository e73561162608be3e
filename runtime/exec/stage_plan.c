/* SPDX-License-Identifier: MIT */
/*
 * stage_plan.c - plans of a stage, by what shapes follow from: looked up, or made by running the
 * shape rules (plan_shapes.c), letting providers prepare (plan_units.c), and laying out memory
 * (plan_layout.c). A stage remembers some of them; from then on memory is used again.
 */

#include "config.h"

#include "exec/planning.h"
#include "exec/profile.h"

#include <stdlib.h>
#include <string.h>

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

/* Facts of the cells as they are, with the key; in the memory of those that were replaced last. */
static bp_rc infer(struct bp_planning *p, uint32_t n_key, bp_err *err)
{
    struct bp_frame_state *frame = p->frame;

    p->inferred = frame->spare;
    memset(&frame->spare, 0, sizeof frame->spare);
    bp_region_reset(&p->inferred.region);
    p->inferred.key = bp_region_array(&p->inferred.region, n_key, sizeof *p->inferred.key);
    if (!p->inferred.key)
        return bp_fail_nomem(err, "a plan");
    if (n_key)
        memcpy(p->inferred.key, frame->key, n_key * sizeof *frame->key);
    p->inferred.n_key = n_key;
    return bp_planning_infer(p, err);
}

/* Gives the plan what was inferred; the memory of its last facts serves the next planning. */
static void set_facts(struct bp_planning *p, struct bp_stage_plan *plan)
{
    if (plan->inferred.region.blocks) {
        bp_region_finish(&p->frame->spare.region);
        p->frame->spare = plan->inferred;
    }
    plan->inferred = p->inferred;
    memset(&p->inferred, 0, sizeof p->inferred);
}

static bp_rc fill(struct bp_planning *p, bp_err *err)
{
    struct bp_region *scratch = &p->frame->scratch;
    size_t n_values = p->frame->subgraph->ir->n_values;
    bp_rc rc;

    p->items = bp_region_array(scratch, n_values + p->stage->n_units + 1, sizeof *p->items);
    p->item_of = bp_region_array(scratch, n_values + 1, sizeof *p->item_of);
    if (!p->items || !p->item_of)
        return bp_fail_nomem(err, "a plan");
    memset(p->item_of, 0xff, (n_values + 1) * sizeof *p->item_of);
    rc = bp_planning_set_cells(p, err);
    if (rc >= 0)
        rc = bp_planning_prepare(p, err);
    if (rc >= 0)
        rc = bp_planning_lay_out(p, err);
    return rc;
}

/* Frees what a plan holds but its memory: frames before what their tensors show. */
static void empty(struct bp_stage_plan *plan)
{
    bp_memory_leave_frames(plan);
    for (uint32_t u = 0; u < plan->n_units; u++) {
        if (plan->units[u].frame)
            plan->units[u].unit->by->provider->frame_free(plan->units[u].frame);
        bp_unit_profile_destroy(plan->units[u].profile);
    }
    bp_device_plan_finish(plan);
}

void bp_stage_plan_destroy(struct bp_stage_plan *plan)
{
    if (!plan)
        return;
    empty(plan);
    bp_region_finish(&plan->region);
    bp_region_finish(&plan->inferred.region);
    free(plan);
}

/* An empty plan with the memory of one that is not used any more. */
static void renew(struct bp_stage_plan *plan)
{
    struct bp_stage_plan old;

    empty(plan);
    bp_region_reset(&plan->region);
    old = *plan;
    *plan = (struct bp_stage_plan){.inferred = old.inferred, .region = old.region};
}

/* The plan for what was inferred: a new one, or made in the memory of `old`, which is gone then. */
static bp_rc create(struct bp_planning *p, struct bp_stage_plan *old, struct bp_stage_plan **out,
                    bp_err *err)
{
    bp_rc rc;

    p->is_renewed = old != NULL;
    if (old)
        renew(old);
    else
        old = calloc(1, sizeof *old);
    p->plan = old;
    if (!p->plan)
        return bp_fail_nomem(err, "a plan");
    set_facts(p, p->plan);
    rc = fill(p, err);
    if (p->is_renewed)
        bp_region_reset(&p->frame->scratch);
    else
        bp_region_finish(&p->frame->scratch);
    if (rc < 0) {
        bp_stage_plan_destroy(p->plan);
        return rc;
    }
    *out = p->plan;
    return BP_OK;
}

static bool has_key(const struct bp_stage_plan *plan, const int64_t *key, uint32_t n_key)
{
    return plan->inferred.n_key == n_key &&
           (n_key == 0 || memcmp(plan->inferred.key, key, n_key * sizeof *key) == 0);
}

/* Takes the plan at *link out of its list. */
static struct bp_stage_plan *take(struct bp_stage_plan **link)
{
    struct bp_stage_plan *plan = *link;

    *link = plan->next;
    plan->next = NULL;
    return plan;
}

void bp_stage_plan_forget(struct bp_frame_state *frame, uint32_t s, uint32_t keep)
{
    struct bp_stage_plan **link = &frame->plans[s];

    while (*link && keep-- > 0)
        link = &(*link)->next;
    while (*link)
        bp_stage_plan_destroy(take(link));
}

/* A plan has one frame of each program of the stage. */
uint32_t bp_stage_plan_most(const struct bp_frame_state *frame, uint32_t s)
{
    uint32_t max_frames = frame->subgraph->stages[s].max_frames, share = frame->root->share;
    uint32_t most = frame->subgraph->max_plans;

    if (max_frames == 0 || share == 0 || max_frames / share >= most)
        return most;
    return max_frames > share ? max_frames / share : 1;
}

/*
 * Which plan of a list of n makes way for another; NULL: none, the list grows. In a full list it is
 * the least recently used. But where eight lookups in a row found none, sizes most likely do not come
 * back, and the plan made last is replaced, whose frames are still in the processor's caches. Each
 * eighth time the list grows, or the oldest goes, all the same, so that sizes in turn are found
 * again.
 */
static struct bp_stage_plan **pick_old(struct bp_stage_plan **list, uint32_t n, uint32_t most)
{
    struct bp_stage_plan **last = list;
    uint32_t misses = n ? (*list)->misses : 0;

    if (n >= BP_FEW_PLANS && misses >= BP_FEW_PLANS && misses % BP_FEW_PLANS != 0)
        return list;
    if (n < most)
        return NULL;
    while ((*last)->next)
        last = &(*last)->next;
    return last;
}

/*
 * A plan for cells that none has been made for. While the list grows, it is a new one. Else another
 * makes way. If its shapes are the same, as where a Loop slices by its iteration number, it gets the
 * new facts; else its memory serves the new plan, as where a value grows with
 * each iteration. Its frames end before the new ones are made, so that there are never more of them
 * than their providers allow.
 */
static bp_rc make(struct bp_frame_state *frame, uint32_t s, uint32_t n_key,
                  struct bp_stage_plan **out, bp_err *err)
{
    struct bp_planning p = {.frame = frame, .stage = &frame->subgraph->stages[s]};
    struct bp_stage_plan **list = &frame->plans[s], **link, *old = NULL;
    uint32_t misses = *list ? (*list)->misses + 1 : 1, n = 0, most = bp_stage_plan_most(frame, s);
    bp_rc rc = infer(&p, n_key, err);

    bp_stage_plan_forget(frame, s, most); /* as many as there may be by now */
    for (const struct bp_stage_plan *plan = *list; plan; plan = plan->next)
        n++;
    link = pick_old(list, n, most);
    if (rc >= 0 && link)
        old = take(link);
    if (rc >= 0 && old && bp_planning_fits(&p, old)) {
        set_facts(&p, old);
        *out = old;
    } else if (rc >= 0) {
        rc = create(&p, old, out, err);
    }
    if (rc >= 0)
        (*out)->misses = misses;
    bp_region_finish(&p.inferred.region); /* where no plan took them */
    return rc;
}

/*
 * Plans found are moved to the front; a list of some dozen is searched faster than it would be hashed.
 */
bp_rc bp_stage_plan_get(struct bp_frame_state *frame, uint32_t s, struct bp_stage_plan **out,
                        bp_err *err)
{
    struct bp_stage_plan **link = &frame->plans[s];
    struct bp_stage_plan *plan = NULL;
    bool is_made = false;
    uint32_t n_key;
    bp_rc rc;

    rc = make_key(frame, &frame->subgraph->stages[s], &n_key, err);
    if (rc < 0)
        return rc;
    while (*link && !has_key(*link, frame->key, n_key))
        link = &(*link)->next;
    if (*link) {
        plan = take(link);
        plan->misses = 0;
    } else {
        rc = make(frame, s, n_key, &plan, err);
        if (rc < 0)
            return rc;
        is_made = true;
    }
    plan->next = frame->plans[s];
    frame->plans[s] = plan;
    *out = plan;
    if (is_made)
        bp_stage_arena_shrink(frame, s); /* where one that made way was the largest */
    return bp_stage_arena_serve(frame, s, plan, err);
}
