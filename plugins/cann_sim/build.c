/* SPDX-License-Identifier: MIT */
/*
 * build.c - turns the nodes of a group into calls of ACL for one set of shapes.
 *
 * Values get their shapes and locations first: inputs and outputs are the frame's, constants the
 * program's, the rest becomes scratch when the node that writes it is built.
 */

#include "cann.h"

/* ---- the group ------------------------------------------------------------------------------- */

/*
 * `dims`: of the frame; NULL: those of the graph, where -1 is not known. A shape whose bytes could
 * not be counted is not known either; 16 is more than any element has.
 */
static void set_shape(struct bp_cann_tensor *tensor, uint32_t rank, const int64_t *dims,
                      const bp_dim *facts)
{
    int64_t bytes = 16;

    tensor->is_known = rank != BP_RANK_UNKNOWN && rank <= BP_CANN_MAX_RANK;
    for (uint32_t i = 0; tensor->is_known && i < rank; i++) {
        tensor->dims[i] = dims ? dims[i] : facts[i].value;
        if (tensor->dims[i] < 0 ||
            (tensor->dims[i] > 0 && __builtin_mul_overflow(bytes, tensor->dims[i], &bytes)))
            tensor->is_known = false;
    }
    tensor->rank = tensor->is_known ? (int)rank : 0;
}

/*
 * `shapes`: of the frame, by value; NULL: what the graph alone tells. Constants' shapes are the
 * graph's.
 */
static void set_shapes(struct bp_cann_build *b, const bp_shape *shapes)
{
    for (uint32_t v = 0; v < b->graph->n_values; v++) {
        const bp_value *value = BP_VALUE(b->graph, v);
        bool is_dynamic = shapes && !(value->flags & BP_VALUE_CONSTANT);

        b->values[v].dtype = value->dtype;
        set_shape(&b->values[v], is_dynamic ? shapes[v].rank : value->rank,
                  is_dynamic ? shapes[v].dims : NULL, value->dims);
        if (b->program->constants[v] != UINT64_MAX)
            b->values[v].location = (struct bp_cann_location){.kind = BP_CANN_CONSTANT,
                                                              .offset = b->program->constants[v]};
    }
    for (uint32_t i = 0; i < b->graph->n_inputs; i++)
        b->values[b->graph->inputs[i]].location =
            (struct bp_cann_location){.kind = BP_CANN_INPUT, .index = i};
    for (uint32_t i = 0; i < b->graph->n_outputs; i++)
        b->values[b->graph->outputs[i]].location =
            (struct bp_cann_location){.kind = BP_CANN_OUTPUT, .index = i};
}

/*
 * Shapes of what the node reads and writes; without them it waits for a frame. There all are known,
 * so that `must_be` makes it a failure.
 */
static bool is_known(struct bp_cann_build *b, const bp_node *node, bool must_be)
{
    for (uint32_t i = 0; i < node->n_in + node->n_out; i++) {
        uint32_t v = i < node->n_in ? node->in[i] : node->out[i - node->n_in];

        if (v == BP_NONE || b->values[v].is_known)
            continue;
        if (must_be)
            b->rc = bp_fail(b->err, BP_E_SHAPE, "cann: %s '%s': the shape of '%s' must be known",
                            node->op, node->name, BP_VALUE(b->graph, v)->name);
        return false;
    }
    return true;
}

/*
 * Is there nothing to compute, or nothing to compute it from? ACL takes no tensors without
 * elements; inputs that stay on the host do not count.
 */
static bool is_empty(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    if (bp_cann_bytes(bp_cann_out(b, 0)) == 0)
        return true;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_cann_tensor *in = bp_cann_in(b, i);

        if (in && !(op->host_inputs >> i & 1) && bp_cann_bytes(in) == 0) {
            b->rc = bp_fail(b->err, BP_E_SHAPE,
                            "cann: %s '%s': input %u has no elements, ACL takes "
                            "none without",
                            node->op, node->name, i);
            return true;
        }
    }
    return false;
}

/* Outputs that are not the group's become scratch before the node's own scratch does. */
static void build_node(struct bp_cann_build *b, bool must_be_known)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    const struct bp_cann_op *op = b->program->ops[b->node];
    struct bp_cann_step **from = b->end;

    if (!is_known(b, node, must_be_known)) {
        b->n_deferred++;
        return;
    }
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] != BP_NONE && b->values[node->out[i]].location.kind == BP_CANN_ABSENT)
            bp_cann_scratch(b, &b->values[node->out[i]]);
    }
    if (is_empty(b, op, node))
        return;
    op->build(b, op, node);
    bp_cann_compile_calls(b, *from);
}

/* Does the frame describe all values of the graph? */
static bool fits(const bp_frame_desc *desc, const bp_graph *graph)
{
    return desc->n_shapes >= graph->n_values && desc->n_in >= graph->n_inputs &&
           desc->n_out >= graph->n_outputs;
}

/*
 * Of a program that came without nodes only the shapes are needed.
 *
 * A node can ask for BP_CANN_MAX_ITEMS of scratch, so that rows for all are there from the start.
 */
bp_rc bp_cann_build(struct bp_cann_build *b, const bp_program *program, const bp_frame_desc *desc,
                    bp_err *err)
{
    const bp_graph *graph = program->graph;

    *b = (struct bp_cann_build){.instance = program->instance,
                                .program = program,
                                .graph = graph,
                                .end = &b->steps,
                                .err = err};
    if (desc && !fits(desc, graph))
        return bp_fail(err, BP_E_INVALID,
                       "cann: the frame describes fewer values than the graph has");
    b->values = bp_cann_calloc(b->instance, graph->n_values, sizeof *b->values);
    b->items =
        bp_cann_calloc(b->instance, (size_t)graph->n_nodes * BP_CANN_MAX_ITEMS, sizeof *b->items);
    if (!b->values || !b->items)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for %u nodes", graph->n_nodes);
    set_shapes(b, desc ? desc->shapes : NULL);
    for (b->node = 0; !program->is_context && b->node < graph->n_nodes && b->rc >= 0; b->node++)
        build_node(b, desc != NULL);
    return b->rc;
}

/* Frees all but the steps, which a frame keeps. */
void bp_cann_build_finish(struct bp_cann_build *b)
{
    bp_cann_free(b->instance, b->values, b->graph->n_values, sizeof *b->values);
    bp_cann_free(b->instance, b->items, (size_t)b->graph->n_nodes * BP_CANN_MAX_ITEMS,
                 sizeof *b->items);
}
