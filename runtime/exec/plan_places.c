/* SPDX-License-Identifier: MIT */
/*
 * plan_places.c - what groups want of their tensors in host memory: an alignment, and bytes after
 * the elements. Values in the arena get it by their place there; others are used where they lie if
 * that is enough, else in a copy, which has a place in the arena.
 */

#include "config.h"

#include "exec/planning.h"

enum { MOST = 4096 }; /* bytes that a frame may ask for, abi.h */

static bool is_power_of_two(size_t n)
{
    return (n & (n - 1)) == 0;
}

/* The least power of two from which on sizes no longer add up; far more than any machine has. */
#define TOO_MUCH (SIZE_MAX / 4)

bp_rc bp_planning_check_needs(const bp_frame_needs *needs, bp_err *err)
{
    if (!is_power_of_two(needs->io_align) || needs->io_align > MOST)
        return bp_fail(err, BP_E_INTERNAL,
                       "it wants tensors at multiples of %u bytes, not a power of two up to %d",
                       needs->io_align, MOST);
    if (needs->in_slack > MOST || needs->out_slack > MOST)
        return bp_fail(err, BP_E_INTERNAL,
                       "it wants %u bytes behind inputs and %u behind outputs, of %d at most",
                       needs->in_slack, needs->out_slack, MOST);
    if (!is_power_of_two(needs->scratch_align))
        return bp_fail(err, BP_E_INTERNAL,
                       "it wants scratch memory at multiples of %zu bytes, not a power of two",
                       needs->scratch_align);
    if (needs->scratch_bytes > TOO_MUCH || needs->scratch_align > TOO_MUCH)
        return bp_fail(err, BP_E_NOMEM,
                       "it wants %zu bytes of scratch memory at multiples of %zu, more than there "
                       "are addresses",
                       needs->scratch_bytes, needs->scratch_align);
    return BP_OK;
}

/* The tensors of one side of a group; those in other spaces are the provider's own matter. */
static void want(struct bp_stage_plan *plan, const struct bp_graph_view *view,
                 const bp_tensor *tensors, const uint32_t *values, uint32_t n, uint32_t align,
                 uint32_t slack)
{
    for (uint32_t i = 0; i < n; i++) {
        struct bp_place *place = &plan->places[view->value_of[values[i]]];

        if (tensors[i].space != BP_SPACE_HOST)
            continue;
        place->align = place->align < align ? align : place->align;
        place->slack = place->slack < slack ? slack : place->slack;
    }
}

bp_rc bp_planning_add_places(struct bp_planning *p, uint32_t u, bp_err *err)
{
    const struct bp_unit_frame *unit = &p->plan->units[u];
    const struct bp_graph_view *view = unit->unit->group->view;
    const bp_frame_needs *needs = &p->needs[u];

    if (needs->io_align <= 1 && needs->in_slack == 0 && needs->out_slack == 0)
        return BP_OK;
    if (!p->plan->places)
        p->plan->places = bp_region_array(&p->plan->region, p->frame->subgraph->ir->n_values,
                                          sizeof *p->plan->places);
    if (!p->plan->places)
        return bp_fail_nomem(err, "a plan");
    want(p->plan, view, unit->desc.in, view->graph.inputs, unit->desc.n_in, needs->io_align,
         needs->in_slack);
    want(p->plan, view, unit->desc.out, view->graph.outputs, unit->desc.n_out, needs->io_align,
         needs->out_slack);
    return BP_OK;
}

/* A value that the arena does not hold gets a place for its copy, from a step on. */
static void add_copy(struct bp_planning *p, uint32_t value, uint32_t step)
{
    struct bp_place *place = &p->plan->places[value];

    if (place->align == 0 && place->slack == 0)
        return;
    bp_planning_add_item(p, value, step);
    place->is_copy = p->item_of[value] != BP_NONE;
}

void bp_planning_copy_reads(struct bp_planning *p)
{
    for (uint32_t i = 0; p->plan->places && i < p->stage->n_reads; i++)
        add_copy(p, p->stage->reads[i], 0);
}

void bp_planning_copy_host_op(struct bp_planning *p, uint32_t u)
{
    const struct bp_group *group = p->plan->units[u].unit->group;
    const struct bp_ir_node *node = &group->view->ir->nodes[group->nodes[0]];

    for (uint32_t i = 0; p->plan->places && i < node->n_out; i++) {
        if (node->out[i] != BP_NONE)
            add_copy(p, node->out[i], u);
    }
}
