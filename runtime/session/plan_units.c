/* SPDX-License-Identifier: MIT */
/* plan_units.c - tensors of a stage's groups, and what providers prepare for their shapes. */

#include "config.h"

#include "session/planning.h"

#include <string.h>

/* Storage for an output of unknown size, asked for by a provider in the middle of execute. */
static bp_rc alloc_output(void *h, uint32_t out, uint32_t rank, const int64_t *dims, bp_err *err)
{
    struct bp_unit_frame *unit = h;
    const struct bp_view *view = unit->unit->group->view;
    const struct bp_cell *place;
    struct bp_growing *growing;
    bp_tensor *tensor;
    size_t bytes;
    uint32_t value;
    bp_rc rc;

    if (out >= unit->desc.n_out || rank > BP_MAX_RANK)
        return bp_fail(err, BP_E_INVALID, "output %u of rank %u was asked for", out, rank);
    tensor = &unit->desc.out[out];
    value = view->value_of[view->graph.outputs[out]];
    place = &unit->plan->places[value];
    if (place->rank != BP_RANK_UNKNOWN)
        return bp_fail(err, BP_E_INVALID, "room for '%s' was asked for, which has a place",
                       view->ir->values[value].name);
    if (!bp_dense_bytes(place->dtype, dims, rank, &bytes))
        return bp_fail(err, BP_E_NOMEM, "'%s' is too large for this machine",
                       view->ir->values[value].name);
    rc = bp_frame_state_grow(unit->owner, value, bytes, &growing, err);
    if (rc < 0)
        return rc;
    if (rank)
        memcpy(growing->dims, dims, rank * sizeof *dims);
    growing->rank = rank;
    growing->bytes = bytes;
    tensor->base = growing->data;
    tensor->offset = 0;
    tensor->dims = growing->dims;
    tensor->rank = rank;
    tensor->bytes = bytes;
    return BP_OK;
}

static bp_tensor tensor_of(const struct bp_stage_plan *plan, uint32_t value)
{
    const struct bp_cell *place = &plan->places[value];

    return (bp_tensor){
        .dims = (int64_t *)(uintptr_t)place->dims, /* a provider does not write it; see abi.h */
        .bytes = place->bytes,
        .rank = place->rank,
        .dtype = place->dtype,
        .space = BP_SPACE_HOST,
    };
}

/* Tensors for the inputs or outputs of a group. */
static bp_tensor *make_tensors(struct bp_planning *p, const struct bp_view *view,
                               const uint32_t *values, uint32_t n)
{
    bp_tensor *tensors = bp_region_array(&p->plan->region, n, sizeof *tensors);

    for (uint32_t i = 0; tensors && i < n; i++)
        tensors[i] = tensor_of(p->plan, view->value_of[values[i]]);
    return tensors;
}

static bp_shape *make_shapes(struct bp_planning *p, const struct bp_view *view)
{
    bp_shape *shapes = bp_region_array(&p->plan->region, view->graph.n_values, sizeof *shapes);

    for (uint32_t i = 0; shapes && i < view->graph.n_values; i++) {
        const struct bp_cell *place = &p->plan->places[view->value_of[i]];
        const struct bp_ir_value *value = &view->ir->values[view->value_of[i]];

        if (value->flags & BP_IR_CONSTANT)
            shapes[i] = (bp_shape){value->data->dims, value->data->rank, value->data->dtype};
        else
            shapes[i] = (bp_shape){place->dims, place->rank, place->dtype};
    }
    return shapes;
}

static bp_rc prepare(struct bp_planning *p, uint32_t u, bp_frame_needs *needs, bp_err *err)
{
    struct bp_unit_frame *unit = &p->plan->units[u];
    const struct bp_view *view = unit->unit->group->view;
    bp_frame_desc *desc = &unit->desc;
    bp_rc rc;

    desc->struct_size = sizeof *desc;
    desc->n_in = view->graph.n_inputs;
    desc->n_out = view->graph.n_outputs;
    desc->n_shapes = view->graph.n_values;
    desc->in = make_tensors(p, view, view->graph.inputs, desc->n_in);
    desc->out = make_tensors(p, view, view->graph.outputs, desc->n_out);
    desc->shapes = make_shapes(p, view);
    desc->h = unit;
    desc->alloc_output = alloc_output;
    if (!desc->in || !desc->out || !desc->shapes)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t i = 0; i < desc->n_out; i++)
        unit->has_growing |= desc->out[i].rank == BP_RANK_UNKNOWN;
    unit->run.struct_size = sizeof unit->run;
    bp_err_clear(err);
    rc =
        unit->unit->by->provider->frame_create(unit->unit->program, desc, needs, &unit->frame, err);
    rc = bp_err_complete(err, rc);
    if (rc >= 0 && !unit->frame)
        rc = bp_fail(err, BP_E_INTERNAL, "frame_create succeeded without a frame");
    return rc;
}

bp_rc bp_planning_prepare(struct bp_planning *p, bp_err *err)
{
    bp_rc rc = BP_OK;

    p->plan->units = bp_region_array(&p->plan->region, p->stage->n_units, sizeof *p->plan->units);
    p->align_of = bp_region_array(&p->plan->region, p->stage->n_units, sizeof *p->align_of);
    if (!p->plan->units || !p->align_of)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t u = 0; rc >= 0 && u < p->stage->n_units; u++) {
        bp_frame_needs needs = {.struct_size = sizeof needs};
        struct bp_unit_frame *unit = &p->plan->units[p->plan->n_units++];

        unit->owner = p->frame;
        unit->plan = p->plan;
        unit->unit = &p->frame->body->units[p->stage->first_unit + u];
        if (!unit->unit->program)
            continue;
        rc = prepare(p, u, &needs, err);
        if (rc < 0) {
            rc = bp_fail_in(err, rc, "provider '%s'", unit->unit->by->name);
            continue;
        }
        unit->desc.n_shapes = 0; /* they were lent for the call */
        unit->desc.shapes = NULL;
        p->items[u] = (bp_arena_item){.bytes = needs.scratch_bytes, .first = u, .last = u};
        p->align_of[u] = needs.scratch_align > BP_ARENA_ALIGN ? needs.scratch_align : 0;
        if (p->align_of[u])
            p->items[u].bytes += needs.scratch_align; /* room to move up */
    }
    return rc;
}
