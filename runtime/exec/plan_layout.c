/* SPDX-License-Identifier: MIT */
/* plan_layout.c - where a plan's values lie in the stage's arena, and which tensors show them. */

#include "config.h"

#include "exec/planning.h"

#include <stdlib.h>
#include <string.h>

/*
 * What a unit writes in host memory is live until its last reader, or to the end when it is wanted
 * outside.
 */
static void add_lifetimes(struct bp_planning *p)
{
    bp_planning_copy_reads(p);
    for (uint32_t u = 0; u < p->plan->n_units; u++) {
        const struct bp_unit_frame *unit = &p->plan->units[u];
        const struct bp_graph_view *view = unit->unit->group->view;

        if (!unit->frame)
            bp_planning_copy_host_op(p, u);
        for (uint32_t i = 0; i < view->graph.n_inputs; i++)
            bp_planning_extend(p, view->value_of[view->graph.inputs[i]], u);
        for (uint32_t i = 0; i < unit->desc.n_out; i++) {
            if (unit->desc.out[i].space == BP_SPACE_HOST)
                bp_planning_add_item(p, view->value_of[view->graph.outputs[i]], u);
        }
    }
    for (uint32_t i = 0; i < p->stage->n_keeps; i++)
        bp_planning_extend(p, p->stage->keeps[i], p->plan->n_units);
    bp_planning_extend_transfers(p);
    bp_planning_share_in_place(p);
}

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

/* Offsets of all items, and how many bytes they take. */
static bp_rc lay_out(struct bp_planning *p, bp_err *err)
{
    void *work = bp_region_alloc(&p->frame->scratch, bp_arena_work(p->n_items));
    struct bp_stage_plan *plan = p->plan;

    plan->asked = bp_region_array(&plan->region, plan->n_units, sizeof *plan->asked);
    if (!work || !plan->asked)
        return bp_fail_nomem(err, "a plan");
    plan->arena_bytes = bp_arena_plan(p->items, p->n_items, BP_ARENA_ALIGN, work);
    if (plan->arena_bytes == SIZE_MAX)
        return bp_fail(err, BP_E_NOMEM, "a run needs more memory than there are addresses");
    for (uint32_t u = 0; u < plan->n_units; u++)
        plan->asked[u] = asked_by(p, u);
    return bp_memory_enter_frames(p, err);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Calls fn for each tensor in host memory: of groups, and the host's side of copies. */
static void each_tensor(struct bp_stage_plan *plan,
                        void (*visit)(void *u, uint32_t value, bp_tensor *tensor,
                                      struct bp_unit_frame *unit),
                        void *u)
{
    for (uint32_t i = 0; i < plan->n_units; i++) {
        struct bp_unit_frame *unit = &plan->units[i];
        const struct bp_graph_view *view = unit->unit->group->view;

        for (uint32_t t = 0; t < unit->desc.n_in; t++) {
            if (unit->desc.in[t].space == BP_SPACE_HOST)
                visit(u, view->value_of[view->graph.inputs[t]], &unit->desc.in[t], unit);
        }
        for (uint32_t t = 0; t < unit->desc.n_out; t++) {
            if (unit->desc.out[t].space == BP_SPACE_HOST)
                visit(u, view->value_of[view->graph.outputs[t]], &unit->desc.out[t], unit);
        }
    }
    for (uint32_t t = 0; plan->device && t < plan->device->n_transfers; t++)
        visit(u, plan->device->transfers[t].value, &plan->device->transfers[t].host, NULL);
}

static void count_slot(void *u, uint32_t value, bp_tensor *tensor, struct bp_unit_frame *unit)
{
    struct bp_stage_plan *plan = u;

    (void)tensor;
    (void)unit;
    plan->slot_first[value + 1]++;
}

static void put_slot(void *u, uint32_t value, bp_tensor *tensor, struct bp_unit_frame *unit)
{
    struct bp_stage_plan *plan = u;

    /* slot_first[value] is where the next one goes; it ends where the next value's begin */
    plan->slots[plan->slot_first[value]++] = (struct bp_slot){tensor, unit};
}

/* Lists, value by value, the tensors that show it. */
static bp_rc make_slots(struct bp_planning *p, bp_err *err)
{
    struct bp_stage_plan *plan = p->plan;
    uint32_t n = p->frame->subgraph->ir->n_values;

    plan->slot_first = bp_region_array(&plan->region, (size_t)n + 2, sizeof *plan->slot_first);
    if (!plan->slot_first)
        return bp_fail_nomem(err, "a plan");
    each_tensor(plan, count_slot, plan);
    for (uint32_t v = 0; v < n; v++)
        plan->slot_first[v + 1] += plan->slot_first[v];
    plan->slots = bp_region_array(&plan->region, plan->slot_first[n], sizeof *plan->slots);
    if (!plan->slots)
        return bp_fail_nomem(err, "a plan");
    each_tensor(plan, put_slot, plan);
    memmove(plan->slot_first + 1, plan->slot_first, n * sizeof *plan->slot_first);
    plan->slot_first[0] = 0;
    return BP_OK;
}

/*
 * A provider that sees io_epoch unchanged need not look at addresses again; so tensors that show
 * the same memory as before are left alone.
 */
void bp_stage_plan_bind(struct bp_stage_plan *plan, uint32_t value, void *base, size_t bytes)
{
    for (uint32_t i = plan->slot_first[value]; i < plan->slot_first[value + 1]; i++) {
        struct bp_slot *slot = &plan->slots[i];

        if (slot->tensor->base == base && slot->tensor->bytes == bytes)
            continue;
        slot->tensor->base = base;
        slot->tensor->bytes = bytes;
        if (slot->unit)
            slot->unit->run.io_epoch++;
    }
}

/* Bytes by the plan: a tensor in an object may have more than its sizes need. */
void bp_stage_plan_show_placed(struct bp_stage_plan *plan, uint32_t value,
                               const struct bp_cell *cell)
{
    void *base = cell->base;

    if (plan->places[value].is_copy && !bp_stage_plan_suits(plan, value, base, cell->slack)) {
        base = plan->places[value].copy;
        if (plan->planned[value].bytes > 0)
            memcpy(base, cell->base, plan->planned[value].bytes);
    }
    bp_stage_plan_bind(plan, value, base, cell->bytes);
}

/* A value's own place, or that of its copy. */
static void set_value(struct bp_stage_plan *plan, uint32_t value, void *base)
{
    struct bp_cell *planned = &plan->planned[value];
    struct bp_place *place = plan->places ? &plan->places[value] : NULL;

    if (place)
        base = bp_place_begin(place, base);
    if (place && place->is_copy) {
        place->copy = base;
        return;
    }
    planned->base = base;
    planned->slack = place ? place->slack : 0;
    bp_stage_plan_bind(plan, value, base, planned->bytes);
}

/* Also where no tensor moved, providers look again: their scratch memory did. */
static void set_scratch(struct bp_unit_frame *unit, const struct bp_home *home, char *base)
{
    if (home->align)
        base += -(uintptr_t)base & (home->align - 1);
    unit->desc.scratch = base;
    unit->run.io_epoch++;
}

void bp_stage_plan_move(struct bp_stage_plan *plan, void *base)
{
    for (uint32_t i = 0; i < plan->n_homes; i++) {
        const struct bp_home *home = &plan->homes[i];
        char *at = (char *)base + home->offset;

        if (home->value == BP_NONE)
            set_scratch(&plan->units[home->unit], home, at);
        else
            set_value(plan, home->value, at);
    }
    plan->base = base;
}

/* Lists what lies in the arena: values, and scratch memory. */
static bp_rc make_homes(struct bp_planning *p, bp_err *err)
{
    struct bp_stage_plan *plan = p->plan;

    plan->homes = bp_region_array(&plan->region, p->n_items, sizeof *plan->homes);
    if (!plan->homes)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t v = 0; v < p->frame->subgraph->ir->n_values; v++) {
        if (p->item_of[v] != BP_NONE)
            plan->homes[plan->n_homes++] =
                (struct bp_home){.value = v, .offset = p->items[p->item_of[v]].offset};
    }
    for (uint32_t u = 0; u < plan->n_units; u++) {
        if (p->items[u].bytes)
            plan->homes[plan->n_homes++] =
                (struct bp_home){BP_NONE, u, p->items[u].offset, p->align_of[u]};
    }
    return BP_OK;
}

/* Devices come first: their copies decide which values need a place on the host, and until when. */
bp_rc bp_planning_lay_out(struct bp_planning *p, bp_err *err)
{
    bp_rc rc;

    p->n_items = p->plan->n_units; /* scratch memory */
    rc = bp_planning_devices(p, err);
    if (rc < 0)
        return rc;
    add_lifetimes(p);
    rc = lay_out(p, err);
    if (rc >= 0)
        rc = make_slots(p, err);
    return rc < 0 ? rc : make_homes(p, err);
}
