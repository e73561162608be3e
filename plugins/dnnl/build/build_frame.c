/* SPDX-License-Identifier: MIT */
/*
 * build_frame.c - builds a frame: values get their shapes, nodes their steps, outputs the host's
 * layout, scratch memory its plan.
 */

#include "build/build_frame.h"

#include "base/chain.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/operator.h"
#include "base/program.h"
#include "build/builder.h"
#include "build/constants.h"
#include "build/conv_choice.h"
#include "build/conv_layout.h"
#include "build/element_type.h"
#include "build/float16.h"
#include "build/frame.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"
#include "build/step.h"
#include "build/thread_count.h"

enum { SCRATCH_ALIGN = 64 };

/* ---- the shapes ------------------------------------------------------------------------------ */

/* A host of another version may describe less than the graph has; nothing is read beyond it. */
static bp_rc check_desc(const bp_graph *graph, const bp_frame_desc *desc, bp_err *err)
{
    if (desc->n_shapes < graph->n_values || desc->n_in < graph->n_inputs ||
        desc->n_out < graph->n_outputs) {
        return bp_fail(err, BP_E_INVALID,
                       "dnnl: the frame describes fewer values than the graph has");
    }
    return BP_OK;
}

/*
 * Sets the shape; false: a size is negative, or bytes do not fit into 61 bits, which leaves a
 * factor of 4 for padding of blocks. A scalar gets one dimension of 1.
 */
static bool set_dims(struct bp_dnnl_value *value, uint32_t rank, const int64_t *dims,
                     const bp_dim *constant)
{
    int64_t bytes = (int64_t)sizeof(float);

    value->rank = rank > 0 ? (int)rank : 1;
    value->dims[0] = 1;
    for (uint32_t i = 0; i < rank; i++) {
        value->dims[i] = dims ? dims[i] : constant[i].value;
        if (value->dims[i] < 0)
            return false;
        if (value->dims[i] > 0 && __builtin_mul_overflow(bytes, value->dims[i], &bytes))
            return false;
    }
    value->is_known = true;
    return bytes <= INT64_MAX / 4; /* blocks add to it */
}

/*
 * Shapes of constants are the graph's, all others the frame's. A rank beyond oneDNN's is left
 * unknown: no node that was claimed reads such a value.
 */
static bp_rc set_shapes(struct bp_dnnl_builder *b, const bp_frame_desc *desc, bp_err *err)
{
    for (uint32_t v = 0; v < b->graph->n_values; v++) {
        const bp_value *value = BP_VALUE(b->graph, v);
        bool is_constant = value->flags & BP_VALUE_CONSTANT;
        const bp_shape *shape = &desc->shapes[v];
        uint32_t rank = is_constant ? value->rank : shape->rank;

        b->values[v].uses_left = b->frame->program->uses[v];
        if (rank == BP_RANK_UNKNOWN || rank > DNNL_MAX_NDIMS)
            continue;
        if (!set_dims(&b->values[v], rank, is_constant ? NULL : shape->dims, value->dims)) {
            return bp_fail(err, BP_E_SHAPE, "dnnl: '%s' is too large or has a negative size",
                           value->name);
        }
    }
    return BP_OK;
}

/* Inputs exist in the host's memory, row-major; float16 is converted at once. */
static bp_rc place_inputs(struct bp_dnnl_builder *b, bp_err *err)
{
    for (uint32_t i = 0; i < b->graph->n_inputs; i++) {
        struct bp_dnnl_location location = {.kind = BP_DNNL_INPUT, .index = i};
        const struct bp_dnnl_value *value = &b->values[b->graph->inputs[i]];
        dnnl_data_type_t type = bp_dnnl_host_type(b->graph, b->graph->inputs[i]);
        dnnl_memory_desc_t md;

        if (!value->is_known || type == dnnl_data_type_undef)
            continue; /* sizes and the like, which no primitive reads */
        if (type == dnnl_f16) {
            bp_rc rc = bp_dnnl_input_from_float16(b, b->graph->inputs[i], location, err);

            if (rc < 0)
                return rc;
            continue;
        }
        bp_dnnl_row_major_as(value->rank, value->dims, type, &md);
        bp_dnnl_view(b, b->graph->inputs[i], &md, location);
    }
    return BP_OK;
}

/* ---- the steps ------------------------------------------------------------------------------- */

/*
 * A node that was built has read its inputs: what is left of their readers decides whether later
 * nodes may overwrite them.
 */
static void count_reads(struct bp_dnnl_builder *b, const bp_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        struct bp_dnnl_value *value;

        if (node->in[i] == BP_NONE)
            continue;
        value = &b->values[node->in[i]];
        value->uses_left--;
        for (uint32_t k = 0; k < value->n_tensors; k++) {
            if (value->tensors[k].location.kind == BP_DNNL_SCRATCH)
                b->item_uses[value->tensors[k].location.index]--;
        }
    }
}

/* Shapes that the host could not infer fail here, with the value's name. */
static bp_rc check_known(const struct bp_dnnl_builder *b, const bp_node *node,
                         const uint32_t *values, uint32_t n, bp_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        if (values[i] != BP_NONE && !b->values[values[i]].is_known) {
            return bp_fail(err, BP_E_SHAPE, "%s '%s': the shape of '%s' must be known", node->op,
                           node->name, BP_VALUE(b->graph, values[i])->name);
        }
    }
    return BP_OK;
}

/* Has the one output of the node no elements? Operators with n_out handle that themselves. */
static bool is_empty(const struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                     const bp_node *node)
{
    const struct bp_dnnl_value *y;

    if (op->n_out > 0)
        return false; /* it knows itself */
    y = &b->values[node->out[0]];
    return bp_dims_count(y->dims, (uint32_t)y->rank) == 0;
}

/* Such a value needs a location only; no step makes it. */
static bp_rc make_empty(struct bp_dnnl_builder *b, uint32_t value, bp_err *err)
{
    struct bp_dnnl_tensor tensor;
    dnnl_memory_desc_t md;

    bp_dnnl_row_major_as(b->values[value].rank, b->values[value].dims,
                         bp_dnnl_host_type(b->graph, value), &md);
    return bp_dnnl_make_output(b, value, &md, &tensor, err);
}

/*
 * The node's own steps, or those of the chain that ends with it. All inputs of the chain count as
 * read here, as its steps run here.
 */
static bp_rc build_node(struct bp_dnnl_builder *b, bp_err *err)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    const struct bp_dnnl_op *op = b->frame->program->ops[b->node];
    const struct bp_dnnl_chain *chain = &b->frame->program->chains[b->node];
    bp_rc rc;

    if (b->frame->program->is_fused_away[b->node])
        return BP_OK;
    rc = check_known(b, node, node->in, node->n_in, err);
    if (rc >= 0)
        rc = check_known(b, node, node->out, op->n_out > 0 ? node->n_out : 1, err);
    for (uint32_t i = 0; i < chain->n_nodes && rc >= 0; i++) {
        const bp_node *other = BP_NODE(b->graph, chain->nodes[i]);

        rc = check_known(b, other, other->in, other->n_in, err);
    }
    if (rc < 0)
        return rc;
    if (is_empty(b, op, node))
        rc = make_empty(b, node->out[0], err);
    else if (chain->is_set)
        rc = chain->build(b, chain, err);
    else
        rc = op->build(b, op, node, err);
    count_reads(b, node);
    for (uint32_t i = 0; i + 1 < chain->n_nodes; i++)
        count_reads(b, BP_NODE(b->graph, chain->nodes[i]));
    return rc;
}

/* Does output i exist where the host wants it? */
static bool is_in_place(const struct bp_dnnl_value *value, uint32_t i)
{
    for (uint32_t k = 0; k < value->n_tensors; k++) {
        if (value->tensors[k].location.kind == BP_DNNL_OUTPUT &&
            value->tensors[k].location.index == i)
            return true;
    }
    return false;
}

/* Brings an output that exists elsewhere to the host's memory, layout and type. */
static bp_rc finish_output(struct bp_dnnl_builder *b, uint32_t i, bp_err *err)
{
    uint32_t v = b->graph->outputs[i];
    const struct bp_dnnl_value *value = &b->values[v];
    struct bp_dnnl_tensor from, to;
    bp_rc rc;

    if (is_in_place(value, i) || !value->is_known ||
        bp_dims_count(value->dims, (uint32_t)value->rank) == 0)
        return BP_OK;
    to.location = (struct bp_dnnl_location){.kind = BP_DNNL_OUTPUT, .index = i};
    if (bp_dnnl_host_type(b->graph, v) == dnnl_f16)
        return bp_dnnl_output_to_float16(b, v, to.location, err);
    rc = bp_dnnl_tensor_of(b, v, NULL, &from, err);
    if (rc < 0)
        return rc;
    bp_dnnl_row_major_as(value->rank, value->dims, bp_dnnl_host_type(b->graph, v), &to.md);
    return bp_dnnl_reorder(b, &from, &to, err);
}

/*
 * Offsets of all scratch buffers by their lifetimes, counted in steps. They are aligned to a cache
 * line, as oneDNN's kernels like it.
 */
static bp_rc plan_arena(struct bp_dnnl_builder *b, bp_frame_needs *needs, bp_err *err)
{
    void *work = bp_blocks_array(b->memory, 1, bp_arena_work(b->n_items));

    b->frame->items = b->items;
    needs->scratch_align = SCRATCH_ALIGN;
    if (!work)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory to plan %u buffers", b->n_items);
    needs->scratch_bytes =
        b->n_items > 0 ? bp_arena_plan(b->items, b->n_items, SCRATCH_ALIGN, work) : 0;
    if (needs->scratch_bytes == SIZE_MAX)
        return bp_fail(err, BP_E_NOMEM, "dnnl: the group's values do not fit in memory");
    return BP_OK;
}

/* The node of steps for outputs is the last one, for messages and profiles. */
static bp_rc fill(bp_frame *frame, const struct bp_dnnl_conv_choice *choice, bp_frame_needs *needs,
                  bp_err *err)
{
    bp_program *program = frame->program;
    struct bp_dnnl_builder b = {.frame = frame,
                                .host = &program->instance->host,
                                .instance = program->instance,
                                .graph = program->graph,
                                .choice = choice,
                                .memory = &frame->memory};
    bp_rc rc = check_desc(b.graph, frame->desc, err);

    if (rc < 0)
        return rc;
    b.values = bp_blocks_array(b.memory, b.graph->n_values, sizeof *b.values);
    if (!b.values)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for %u values", b.graph->n_values);
    rc = set_shapes(&b, frame->desc, err);
    if (rc >= 0)
        rc = place_inputs(&b, err);
    b.is_blocked = rc >= 0 && (choice ? choice->is_blocked : bp_dnnl_prefers_blocks(&b));
    for (; rc >= 0 && b.node < b.graph->n_nodes; b.node++)
        rc = build_node(&b, err);
    b.node = b.graph->n_nodes - 1;
    for (uint32_t i = 0; rc >= 0 && i < b.graph->n_outputs; i++)
        rc = finish_output(&b, i, err);
    return rc < 0 ? rc : plan_arena(&b, needs, err);
}

/* ---- the frame ------------------------------------------------------------------------------- */

/* Asked before there is a frame too, as the team has to be entered with that many. */
uint32_t bp_dnnl_frame_threads(const bp_program *program, const bp_frame_desc *desc)
{
    const bp_instance *instance = program->instance;
    uint32_t width = instance->host.pool_width(instance->host.h);

    if (instance->threads > 0 && instance->threads < width)
        width = instance->threads;
    return width > 1 ? bp_dnnl_thread_count(program, desc, width) : width;
}

/* A frame that failed halfway is freed with what oneDNN had made for it. */
bp_rc bp_dnnl_frame_build(bp_program *program, const bp_frame_desc *desc,
                          const struct bp_dnnl_conv_choice *choice, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    struct bp_blocks memory = {.host = &program->instance->host};
    bp_frame *frame = bp_blocks_array(&memory, 1, sizeof *frame);
    dnnl_status_t status;
    bp_rc rc;

    *out = NULL;
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for a frame");
    *frame = (bp_frame){.memory = memory,
                        .program = program,
                        .desc = desc,
                        .threads = bp_dnnl_frame_threads(program, desc)};
    frame->end = &frame->steps;
    status = bp_dnnl.stream_create(&frame->stream, bp_dnnl.engine, dnnl_stream_default_flags);
    rc = status == dnnl_success ? fill(frame, choice, needs, err)
                                : bp_dnnl_fail(err, status, "a stream");
    if (rc < 0) {
        bp_dnnl_frame_free(frame);
        return rc;
    }
    *out = frame;
    return BP_OK;
}

/* Steps first, as they refer to the frame's memory, constants and stream. */
void bp_dnnl_frame_free(bp_frame *frame)
{
    struct bp_blocks memory;

    if (!frame)
        return;
    bp_dnnl_steps_free(frame);
    bp_dnnl_constants_release(frame);
    if (frame->stream)
        bp_dnnl.stream_destroy(frame->stream);
    memory = frame->memory; /* the frame itself lies in it */
    bp_blocks_free(&memory);
}
