/* SPDX-License-Identifier: MIT */
/*
 * plan_in_place.c - outputs that lie where an input lies: pairs that a frame can compute in place,
 * where the input has no later reader.
 */

#include "config.h"

#include "exec/planning.h"

/* Equal sizes, as far as they are known: an output of unknown size has a buffer of its own. */
static bp_rc check_pair(const struct bp_unit_frame *unit, const bp_in_place *pair, bp_err *err)
{
    const bp_frame_desc *desc = &unit->desc;

    if (pair->in >= desc->n_in || pair->out >= desc->n_out)
        return bp_fail(err, BP_E_INTERNAL,
                       "it computes output %u in place of input %u, where it has %u and %u",
                       pair->out, pair->in, desc->n_out, desc->n_in);
    if (desc->out[pair->out].rank != BP_RANK_UNKNOWN &&
        desc->out[pair->out].bytes != desc->in[pair->in].bytes)
        return bp_fail(err, BP_E_INTERNAL,
                       "it computes output %u, of %zu bytes, in place of input %u, of %zu",
                       pair->out, desc->out[pair->out].bytes, pair->in, desc->in[pair->in].bytes);
    return BP_OK;
}

bp_rc bp_planning_check_in_place(const struct bp_unit_frame *unit, const bp_frame_needs *needs,
                                 bp_err *err)
{
    bp_rc rc = BP_OK;

    if (needs->n_in_place > 0 && !needs->in_place)
        return bp_fail(err, BP_E_INTERNAL, "it computes %u outputs in place, without saying which",
                       needs->n_in_place);
    for (uint32_t i = 0; rc >= 0 && i < needs->n_in_place; i++)
        rc = check_pair(unit, &needs->in_place[i], err);
    return rc;
}

bool bp_planning_take_over(bp_arena_item *items, uint32_t in, uint32_t out, uint32_t u)
{
    if (in == out || items[in].last != u || items[out].first != u)
        return false;
    if (items[in].bytes < items[out].bytes)
        items[in].bytes = items[out].bytes;
    items[in].last = items[out].last;
    items[out].bytes = 0;
    return true;
}

/* Has an output of the unit taken over the item already? */
static bool is_taken(const struct bp_planning *p, const struct bp_unit_frame *unit, uint32_t item)
{
    const struct bp_graph_view *view = unit->unit->group->view;

    for (uint32_t i = 0; i < unit->desc.n_out; i++) {
        if (p->item_of[view->value_of[view->graph.outputs[i]]] == item)
            return true;
    }
    return false;
}

/* Do both begin at one address, where they have one item? */
static bool is_alike(const struct bp_stage_plan *plan, uint32_t in, uint32_t out)
{
    return !plan->places || plan->places[in].align == plan->places[out].align;
}

/*
 * The input's item is the plan's own, also where it is a copy of what came from elsewhere: memory of
 * others is never written to.
 */
static void share(struct bp_planning *p, uint32_t u, const bp_in_place *pair)
{
    const struct bp_unit_frame *unit = &p->plan->units[u];
    const struct bp_graph_view *view = unit->unit->group->view;
    uint32_t in = view->value_of[view->graph.inputs[pair->in]];
    uint32_t out = view->value_of[view->graph.outputs[pair->out]];

    if (unit->desc.in[pair->in].space != BP_SPACE_HOST ||
        unit->desc.out[pair->out].space != BP_SPACE_HOST || p->item_of[in] == BP_NONE ||
        p->item_of[out] == BP_NONE || is_taken(p, unit, p->item_of[in]) ||
        !is_alike(p->plan, in, out))
        return;
    if (bp_planning_take_over(p->items, p->item_of[in], p->item_of[out], u))
        p->item_of[out] = p->item_of[in];
}

/* In running order, so that one item goes from hand to hand. */
void bp_planning_share_in_place(struct bp_planning *p)
{
    for (uint32_t u = 0; u < p->plan->n_units; u++) {
        for (uint32_t i = 0; i < p->needs[u].n_in_place; i++)
            share(p, u, &p->needs[u].in_place[i]);
    }
}
