/* SPDX-License-Identifier: MIT */
/* frame.c - runs the kernels of a group of the application's operators one after another. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "custom/provider.h"

enum { ALIGN = 64 };

/* ---- where values are ------------------------------------------------------------------------ */

/*
 * A value between nodes of the group: in scratch memory, or in storage of the frame where its size
 * is dynamic. Values are laid out one after another and none is reused: kernels of applications are
 * few and keep what they like between calls of a run.
 */
static bp_rc place_inside(struct bp_frame *frame, uint32_t v, const bp_shape *shape, size_t *bytes,
                          bp_err *err)
{
    struct bp_custom_place *place = &frame->places[v];
    uint32_t rank = shape->rank == BP_RANK_UNKNOWN ? BP_MAX_RANK : shape->rank;
    size_t size = 0;

    place->tensor = &place->own;
    place->dims = bp_region_array(&frame->region, rank, sizeof *place->dims);
    if (!place->dims)
        return bp_fail_nomem(err, "a run");
    place->own.dtype = shape->dtype;
    place->own.rank = shape->rank;
    place->own.dims = place->dims;
    place->is_open = shape->rank == BP_RANK_UNKNOWN;
    if (place->is_open)
        return BP_OK;
    if (rank > 0)
        memcpy(place->dims, shape->dims, rank * sizeof *place->dims);
    if (!bp_dense_bytes(shape->dtype, shape->dims, rank, &size) ||
        !bp_add_size(*bytes, size, &size) || !bp_add_size(size, ALIGN - 1, &size))
        return bp_fail(err, BP_E_NOMEM, "'%s' is too large for this machine",
                       BP_VALUE(frame->program->graph, v)->name);
    (void)bp_dense_bytes(shape->dtype, shape->dims, rank, &place->own.bytes);
    place->offset = *bytes;
    *bytes = size / ALIGN * ALIGN;
    return BP_OK;
}

/*
 * An input that is a constant as well is replaced by the tensor of the frame, which has the same
 * bytes.
 */
static void place_ends(struct bp_frame *frame)
{
    const bp_graph *graph = frame->program->graph;

    for (uint32_t v = 0; v < graph->n_values; v++) {
        frame->places[v].out = BP_NONE;
        if (frame->program->constants[v].dtype != BP_DTYPE_NONE)
            frame->places[v].tensor = &frame->program->constants[v];
    }
    for (uint32_t i = 0; i < graph->n_inputs; i++)
        frame->places[graph->inputs[i]].tensor = &frame->desc->in[i];
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        struct bp_custom_place *place = &frame->places[graph->outputs[i]];

        place->tensor = &frame->desc->out[i];
        place->out = i;
        place->is_open = frame->desc->out[i].rank == BP_RANK_UNKNOWN;
    }
}

/* Values that nothing has placed yet are made and read inside the group. */
static bp_rc place_all(struct bp_frame *frame, size_t *bytes, bp_err *err)
{
    const bp_graph *graph = frame->program->graph;
    bp_rc rc = BP_OK;

    place_ends(frame);
    for (uint32_t n = 0; n < graph->n_nodes; n++) {
        const struct bp_custom_node *own = &frame->program->nodes[n];
        const bp_node *node = BP_NODE(graph, n);

        frame->calls[n] = (bp_operator_call){.frame = frame, .node = own};
        for (uint32_t i = 0; rc >= 0 && i < node->n_out; i++) {
            uint32_t v = node->out[i];

            if (v == BP_NONE)
                continue;
            if (!frame->places[v].tensor)
                rc = place_inside(frame, v, &frame->desc->shapes[v], bytes, err);
            frame->places[v].is_object = bp_schema_out(&own->custom->schema, i)->kinds != 0;
        }
    }
    return rc;
}

/* Addresses of scratch memory come with the run; here only offsets and the whole size are known. */
bp_rc bp_custom_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                             bp_frame **out, bp_err *err)
{
    struct bp_frame *frame = calloc(1, sizeof *frame);
    size_t bytes = 0;
    bp_rc rc;

    if (!frame)
        return bp_fail_nomem(err, "a run");
    frame->program = program;
    frame->desc = desc;
    frame->places =
        bp_region_array(&frame->region, program->graph->n_values, sizeof *frame->places);
    frame->calls = bp_region_array(&frame->region, program->graph->n_nodes, sizeof *frame->calls);
    if (frame->places && frame->calls)
        rc = place_all(frame, &bytes, err);
    else
        rc = bp_fail_nomem(err, "a run");
    if (rc < 0) {
        bp_custom_frame_free(frame);
        return rc;
    }
    needs->scratch_bytes = bytes;
    needs->scratch_align = ALIGN;
    *out = frame;
    return BP_OK;
}

void bp_custom_frame_free(bp_frame *frame)
{
    if (!frame)
        return;
    for (uint32_t v = 0; frame->places && v < frame->program->graph->n_values; v++) {
        free(frame->places[v].storage);
        bp_object_release(bp_custom_frame_take(frame, v));
    }
    bp_region_finish(&frame->text);
    bp_region_finish(&frame->region);
    free(frame);
}

void bp_custom_frame_show(bp_frame *frame, uint32_t v, bp_object *object)
{
    frame->places[v].object = object;
}

/* Of an input it takes nothing: the object is borrowed. */
bp_object *bp_custom_frame_take(bp_frame *frame, uint32_t v)
{
    struct bp_custom_place *place = &frame->places[v];
    bp_object *object = place->is_object ? place->object : NULL;

    if (place->is_object)
        place->object = NULL;
    return object;
}

const bp_tensor *bp_custom_frame_tensor(const bp_frame *frame, uint32_t v)
{
    return frame->places[v].tensor;
}

/* ---- running --------------------------------------------------------------------------------- */

/*
 * Before the kernel: where the outputs are, if that is known, and strings that are empty. An output
 * of dynamic size begins each run without one, so that check_outputs() can tell whether the kernel
 * gave it.
 */
static void prepare_outputs(struct bp_frame *frame, const bp_node *node)
{
    for (uint32_t i = 0; i < node->n_out; i++) {
        struct bp_custom_place *place =
            node->out[i] == BP_NONE ? NULL : &frame->places[node->out[i]];

        if (!place)
            continue;
        bp_object_release(bp_custom_frame_take(frame, node->out[i])); /* of a run that failed */
        if (place->tensor == &place->own && place->is_open) {
            place->own.rank = BP_RANK_UNKNOWN;
            place->own.base = NULL;
        } else if (place->tensor == &place->own) {
            place->own.base = (char *)frame->desc->scratch + place->offset;
        }
        if (!place->is_open && place->tensor->dtype == BP_DTYPE_STRING && place->tensor->bytes > 0)
            memset(bp_tensor_data(place->tensor), 0, place->tensor->bytes);
    }
}

/* Outputs of dynamic size alone: all others have had theirs since the plan was made. */
static bp_rc check_outputs(const struct bp_frame *frame, const bp_node *node, bp_err *err)
{
    for (uint32_t i = 0; i < node->n_out; i++) {
        const struct bp_custom_place *place =
            node->out[i] == BP_NONE ? NULL : &frame->places[node->out[i]];

        if (!place ||
            (place->is_object ? place->object != NULL
                              : !place->is_open || place->tensor->rank != BP_RANK_UNKNOWN))
            continue;
        return bp_fail(err, BP_E_INTERNAL,
                       "the kernel returned without giving output %u ('%s') a %s", i,
                       BP_VALUE(frame->program->graph, node->out[i])->name,
                       place->is_object ? "value" : "size");
    }
    return BP_OK;
}

/* What a function that the kernel gave to others threw there fails the kernel as well. */
static bp_rc compute(bp_operator_call *call, const struct bp_custom_node *own, bp_err *err)
{
    bp_rc rc;

    atomic_store_explicit(&call->has_thrown, false, memory_order_relaxed);
    rc = bp_custom_compute(&own->custom->def, own->kernel, call, err);
    if (rc >= 0 && atomic_load_explicit(&call->has_thrown, memory_order_relaxed))
        rc =
            bp_thrown_fail(&call->frame->thrown, "a function that its kernel ran in parallel", err);
    return rc;
}

/*
 * Nodes are in topological order. A cancelled run is reported as it is, without a node's name: no
 * node is at fault.
 */
bp_rc bp_custom_execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const struct bp_program *program = frame->program;
    bp_rc rc = BP_OK;

    bp_region_finish(&frame->text);
    for (uint32_t i = 0; rc >= 0 && i < program->graph->n_nodes; i++) {
        const struct bp_custom_node *own = &program->nodes[i];
        const bp_node *node = own->view.node;

        frame->calls[i].run = run;
        prepare_outputs(frame, node);
        rc = compute(&frame->calls[i], own, err);
        if (rc >= 0)
            rc = check_outputs(frame, node, err);
        if (rc < 0 && rc != BP_E_CANCELLED && rc != BP_E_TIMEOUT)
            rc = bp_fail_in(err, rc, "node '%s' (%s)", node->name, node->op);
    }
    return rc;
}
