/* SPDX-License-Identifier: MIT */
/* plan_units.c - tensors of a stage's groups, and what providers prepare for their shapes. */

#include "config.h"

#include "exec/planning.h"

#include <string.h>

/* Where the run's caller wants output `out` and brings the memory for it; NULL: nowhere. */
static bp_binding *brought(const struct bp_unit_frame *unit, uint32_t out)
{
    const struct bp_graph_view *view = unit->unit->group->view;
    struct bp_wanted *wanted = &unit->owner->wanted[view->value_of[view->graph.outputs[out]]];

    if (!wanted->binding || wanted->is_allocated || !wanted->binding->tensor.base)
        return NULL;
    return wanted->binding;
}

static const bp_tensor *given_tensor(const bp_frame_desc *desc, uint32_t out)
{
    const bp_binding *given = brought(desc->h, out); /* see prepare() */

    return given ? &given->tensor : NULL;
}

/* May a value be made in the caller's memory? */
static bool fits(const struct bp_stage_plan *plan, uint32_t value, const bp_binding *given,
                 uint32_t rank, size_t bytes)
{
    const bp_tensor *tensor = given ? &given->tensor : NULL;
    uint32_t dtype = plan->planned[value].dtype;

    return tensor && tensor->space == BP_SPACE_HOST && tensor->dtype == dtype &&
           dtype != BP_DTYPE_STRING && tensor->bytes >= bytes && tensor->rank >= rank &&
           (rank == 0 || tensor->dims) && bp_is_aligned(dtype, bp_tensor_data(tensor)) &&
           bp_stage_plan_suits(plan, value, bp_tensor_data(tensor), tensor->bytes - bytes);
}

/* The caller's dims are set to the sizes; returns where the elements go. */
static void *make_in(bp_binding *given, uint32_t rank, const int64_t *dims)
{
    if (rank > 0)
        memmove(given->tensor.dims, dims, rank * sizeof *dims);
    given->tensor.rank = rank;
    return bp_tensor_data(&given->tensor);
}

/* The frame's buffer for a value, with what the group wants of its outputs. */
static bp_rc grow(struct bp_unit_frame *unit, uint32_t value, size_t bytes,
                  struct bp_dynamic_buffer **out, bp_err *err)
{
    const struct bp_place *places = unit->plan->places;
    bp_rc rc = bp_frame_state_grow(
        unit->owner, value, places ? bp_place_bytes(&places[value], bytes) : bytes, out, err);

    if (rc >= 0)
        (*out)->base = places ? bp_place_begin(&places[value], (*out)->data) : (*out)->data;
    return rc;
}

/*
 * bp_frame_desc.alloc_output: storage for an output of unknown size, asked for by a provider in the
 * middle of execute. In the caller's memory if it fits there, else in the frame's or the device's
 * buffer.
 */
static bp_rc alloc_output(void *h, uint32_t out, uint32_t rank, const int64_t *dims, bp_err *err)
{
    struct bp_unit_frame *unit = h;
    const struct bp_graph_view *view = unit->unit->group->view;
    const struct bp_cell *planned;
    struct bp_dynamic_buffer *buffer;
    bp_binding *given;
    bp_tensor *tensor;
    size_t bytes;
    uint32_t value;
    bp_rc rc = BP_OK;

    if (out >= unit->desc.n_out || rank > BP_MAX_RANK)
        return bp_fail(err, BP_E_INVALID, "output %u of rank %u was asked for", out, rank);
    tensor = &unit->desc.out[out];
    value = view->value_of[view->graph.outputs[out]];
    planned = &unit->plan->planned[value];
    if (planned->rank != BP_RANK_UNKNOWN)
        return bp_fail(err, BP_E_INVALID, "memory for '%s' was asked for, whose size is known",
                       view->ir->values[value].name);
    if (!bp_dense_bytes(planned->dtype, dims, rank, &bytes))
        return bp_fail(err, BP_E_NOMEM, "'%s' is too large for this machine",
                       view->ir->values[value].name);
    buffer = &unit->owner->dynamic_outputs[value];
    given = brought(unit, out);
    if (tensor->space != BP_SPACE_HOST) {
        rc = bp_device_grow(unit, out, bytes, err);
    } else if (fits(unit->plan, value, given, rank, bytes)) {
        buffer->base = make_in(given, rank, dims);
    } else {
        rc = grow(unit, value, bytes, &buffer, err);
    }
    if (rc < 0)
        return rc;
    if (rank)
        memcpy(buffer->dims, dims, rank * sizeof *dims);
    buffer->rank = rank;
    buffer->bytes = bytes;
    tensor->base = tensor->space != BP_SPACE_HOST ? unit->device_buffers[out].base : buffer->base;
    tensor->offset = 0;
    tensor->dims = buffer->dims;
    tensor->rank = rank;
    tensor->bytes = bytes;
    return BP_OK;
}

bp_tensor bp_planning_tensor(const struct bp_stage_plan *plan, uint32_t value, uint32_t space)
{
    const struct bp_cell *planned = &plan->planned[value];

    return (bp_tensor){
        .dims = (int64_t *)(uintptr_t)planned->dims, /* a provider does not write it; see abi.h */
        .bytes = planned->bytes,
        .rank = planned->rank,
        .dtype = planned->dtype,
        .space = space,
    };
}

/* Tensors for the inputs or outputs of a group, in the memory of its provider. */
static bp_tensor *make_tensors(struct bp_planning *p, const struct bp_unit *unit,
                               const uint32_t *values, uint32_t n)
{
    bp_tensor *tensors = bp_region_array(&p->plan->region, n, sizeof *tensors);
    const struct bp_graph_view *view = unit->group->view;

    for (uint32_t i = 0; tensors && i < n; i++) {
        uint32_t value = view->value_of[values[i]];
        bool is_text = p->plan->planned[value].dtype == BP_DTYPE_STRING;

        tensors[i] = bp_planning_tensor(p->plan, value,
                                        bp_has_memory(unit->by) && !is_text ? 1 : BP_SPACE_HOST);
        if (tensors[i].space != BP_SPACE_HOST)
            tensors[i].device = unit->group->device;
    }
    return tensors;
}

/* Memory spaces of a group's device. */
static uint32_t spaces_of(const struct bp_unit_frame *unit)
{
    return unit->queue ? unit->unit->by->devices[unit->queue->device].spaces : 0;
}

/* What a provider may have written into `space`; tensors that it wants on the host get there. */
static bp_rc check_spaces(const struct bp_unit_frame *unit, bp_tensor *tensors, uint32_t n,
                          bp_err *err)
{
    uint32_t n_spaces = spaces_of(unit);

    for (uint32_t i = 0; i < n; i++) {
        tensors[i].device =
            tensors[i].space != BP_SPACE_HOST && unit->queue ? unit->queue->device : 0;
        if (tensors[i].space > n_spaces)
            return bp_fail(err, BP_E_INTERNAL, "it wants a tensor in space %u, where it has %u",
                           tensors[i].space, n_spaces);
        if (tensors[i].space != BP_SPACE_HOST && tensors[i].dtype == BP_DTYPE_STRING)
            return bp_fail(err, BP_E_INTERNAL, "it wants strings in space %u", tensors[i].space);
    }
    return BP_OK;
}

/* Shapes of all values of a group, those inside it included; lent for frame_create alone. */
static bp_shape *make_shapes(struct bp_planning *p, const struct bp_graph_view *view)
{
    bp_shape *shapes = bp_region_array(&p->plan->region, view->graph.n_values, sizeof *shapes);

    for (uint32_t i = 0; shapes && i < view->graph.n_values; i++) {
        const struct bp_cell *planned = &p->plan->planned[view->value_of[i]];
        const struct bp_ir_value *value = &view->ir->values[view->value_of[i]];

        if (value->flags & BP_IR_CONSTANT)
            shapes[i] = (bp_shape){value->data->dims, value->data->rank, value->data->dtype};
        else
            shapes[i] = (bp_shape){planned->dims, planned->rank, planned->dtype};
    }
    return shapes;
}

/* Calls frame_create; a refusal of the sizes is kept, so that the session finds another provider. */
static bp_rc make_frame(struct bp_planning *p, struct bp_unit_frame *unit, bp_frame_needs *needs,
                        bp_err *err)
{
    struct bp_frame_refusal *refusal = &p->frame->root->refusal;
    bp_err own = bp_err_init(refusal->text, sizeof refusal->text);
    bp_rc rc = unit->unit->by->provider->frame_create(unit->unit->program, &unit->desc, needs,
                                                      &unit->frame, &own);

    rc = bp_err_complete(&own, rc);
    if (rc >= 0)
        return rc;
    if (rc == BP_E_SHAPE)
        refusal->unit = unit->unit;
    bp_fail(err, rc, "%s", refusal->text);
    if (err)
        err->native_code = own.native_code;
    return rc;
}

/* A group's tensors and shapes, of the whole batch or (may_slice) of a part of it. */
static bp_rc describe(struct bp_planning *p, struct bp_unit_frame *unit, bool may_slice,
                      bp_err *err)
{
    const struct bp_graph_view *view = unit->unit->group->view;
    bp_shape *shapes = make_shapes(p, view);
    bp_frame_desc *desc = &unit->desc;

    unit->slices = NULL;
    desc->struct_size = sizeof *desc;
    desc->n_in = view->graph.n_inputs;
    desc->n_out = view->graph.n_outputs;
    desc->n_shapes = view->graph.n_values;
    desc->in = make_tensors(p, unit->unit, view->graph.inputs, desc->n_in);
    desc->out = make_tensors(p, unit->unit, view->graph.outputs, desc->n_out);
    desc->shapes = shapes;
    if (!desc->in || !desc->out || !shapes)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t i = 0; i < desc->n_out; i++)
        unit->has_dynamic_output |= desc->out[i].rank == BP_RANK_UNKNOWN;
    return may_slice ? bp_planning_slice(p, unit, shapes, err) : BP_OK;
}

/*
 * A frame for parts of the batch where that pays and the provider can, else for all of it. Parts are never
 * computed in place: one would write over what the next reads.
 */
static bp_rc make_frame_of_size(struct bp_planning *p, struct bp_unit_frame *unit,
                                bp_frame_needs *needs, bp_err *err)
{
    bp_rc rc = describe(p, unit, true, err);

    if (rc < 0)
        return rc;
    rc = make_frame(p, unit, needs, err);
    if (!unit->slices)
        return rc;
    if (rc >= 0 && unit->frame && bp_slices_suit(unit, needs)) {
        needs->n_in_place = 0;
        return rc;
    }
    if (unit->frame)
        unit->unit->by->provider->frame_free(unit->frame);
    unit->frame = NULL;
    p->frame->root->refusal.unit = NULL;
    *needs = (bp_frame_needs){.struct_size = sizeof *needs};
    rc = describe(p, unit, false, err);
    return rc < 0 ? rc : make_frame(p, unit, needs, err);
}

/*
 * Describes a group's tensors and lets its provider make a frame. What the provider wrote is
 * checked, as the plan rests on it.
 */
static bp_rc prepare(struct bp_planning *p, uint32_t u, bp_frame_needs *needs, bp_err *err)
{
    struct bp_unit_frame *unit = &p->plan->units[u];
    bp_frame_desc *desc = &unit->desc;
    bp_rc rc;

    unit->host.given = given_tensor;
    desc->h = unit;
    desc->alloc_output = alloc_output;
    unit->run.struct_size = sizeof unit->run;
    rc = make_frame_of_size(p, unit, needs, err);
    if (rc >= 0 && !unit->frame)
        rc = bp_fail(err, BP_E_INTERNAL, "frame_create succeeded without a frame");
    if (rc >= 0)
        rc = check_spaces(unit, desc->in, desc->n_in, err);
    if (rc >= 0)
        rc = check_spaces(unit, desc->out, desc->n_out, err);
    if (rc >= 0 && needs->scratch_space > spaces_of(unit))
        rc = bp_fail(err, BP_E_INTERNAL, "it wants scratch memory in space %u, which it has not",
                     needs->scratch_space);
    if (rc >= 0)
        rc = bp_planning_check_needs(needs, err);
    if (rc >= 0)
        rc = bp_planning_check_in_place(unit, needs, err);
    return rc < 0 ? rc : bp_planning_add_places(p, u, err);
}

/* The queue and buffers of a group whose provider has memory of its own. */
static bp_rc prepare_device(struct bp_planning *p, struct bp_unit_frame *unit, bp_err *err)
{
    bp_rc rc;

    if (!bp_has_memory(unit->unit->by))
        return BP_OK;
    rc = bp_queue_get(&p->frame->root->queues, unit->unit->by, unit->unit->group->device,
                      &unit->queue, err);
    if (rc < 0)
        return rc;
    unit->device_buffers = bp_region_array(
        &p->plan->region, unit->unit->group->view->graph.n_outputs, sizeof *unit->device_buffers);
    return unit->device_buffers ? BP_OK : bp_fail_nomem(err, "a plan");
}

/*
 * Host operators have no frame: their units stay zero but for the owner. A unit is `direct` if
 * execute is all there is to do.
 */
bp_rc bp_planning_prepare(struct bp_planning *p, bp_err *err)
{
    bp_rc rc = BP_OK;

    p->plan->units = bp_region_array(&p->plan->region, p->stage->n_units, sizeof *p->plan->units);
    p->align_of = bp_region_array(&p->plan->region, p->stage->n_units, sizeof *p->align_of);
    p->needs = bp_region_array(&p->plan->region, p->stage->n_units, sizeof *p->needs);
    if (!p->plan->units || !p->align_of || !p->needs)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t u = 0; rc >= 0 && u < p->stage->n_units; u++) {
        bp_frame_needs *needs = &p->needs[u];
        struct bp_unit_frame *unit = &p->plan->units[p->plan->n_units++];

        unit->owner = p->frame;
        unit->plan = p->plan;
        unit->unit = &p->frame->subgraph->units[p->stage->first_unit + u];
        if (!unit->unit->program)
            continue;
        needs->struct_size = sizeof *needs;
        rc = prepare_device(p, unit, err);
        if (rc < 0)
            return rc;
        rc = prepare(p, u, needs, err);
        if (rc < 0) {
            rc = bp_fail_in(err, rc, "provider '%s'", unit->unit->by->name);
            continue;
        }
        if (!unit->queue && !unit->has_dynamic_output && !unit->unit->is_exclusive && !unit->slices)
            unit->direct = unit->unit->by->provider->execute;
        unit->desc.n_shapes = 0; /* they were lent for the call */
        unit->desc.shapes = NULL;
        if (needs->scratch_space != BP_SPACE_HOST)
            continue; /* its place is in a block of the provider */
        p->items[u] = (bp_arena_item){.bytes = needs->scratch_bytes, .first = u, .last = u};
        p->align_of[u] = needs->scratch_align > BP_ARENA_ALIGN ? needs->scratch_align : 0;
        if (p->align_of[u])
            p->items[u].bytes += needs->scratch_align; /* so that it can be aligned within */
    }
    return rc;
}
