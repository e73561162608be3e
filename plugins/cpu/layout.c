/* SPDX-License-Identifier: MIT */
/*
 * layout.c - decides where each value of a frame lies: in the host's buffers, in a constant, on the
 * storage of another value, or in the arena.
 */

#include "program.h"

bool bp_cpu_shape_bytes(const bp_shape *shape, size_t *out)
{
    size_t bits = bp_cpu_width(shape->dtype) * 8, n = 1;
    bool is_empty = false;

    if (bits == 0)
        bits = bp_dtype_width(shape->dtype);
    if (bits == 0)
        return false;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0)
            return false;
        if (shape->dims[i] == 0)
            is_empty = true;
        else if (__builtin_mul_overflow(n, (size_t)shape->dims[i], &n))
            return false;
    }
    if (__builtin_mul_overflow(n, bits, &n) || n > PTRDIFF_MAX)
        return false;
    *out = is_empty ? 0 : n / 8 + (n % 8 != 0);
    return true;
}

static bp_rc size_values(const struct bp_program *program, const bp_frame_desc *desc,
                         struct bp_cpu_layout *layout, bp_err *err)
{
    const bp_graph *graph = program->graph;

    if (desc->n_shapes < graph->n_values || desc->n_in < graph->n_inputs ||
        desc->n_out < graph->n_outputs)
        return bp_fail(err, BP_E_INVALID, "the frame describes fewer values than the graph has");
    for (uint32_t v = 0; v < graph->n_values; v++) {
        const bp_shape *shape = &desc->shapes[v];

        if (layout->locations[v].kind == BP_CPU_CONSTANT) {
            layout->bytes[v] = program->constants[v].size;
            continue;
        }
        if (shape->rank == BP_RANK_UNKNOWN)
            continue;
        if (shape->rank > BP_CPU_MAX_RANK) {
            return bp_fail(err, BP_E_SHAPE, "'%s' has rank %u, at most %d is taken",
                           BP_VALUE(graph, v)->name, shape->rank, BP_CPU_MAX_RANK);
        }
        if (shape->dtype != BP_DTYPE_NONE && !bp_cpu_shape_bytes(shape, &layout->bytes[v])) {
            return bp_fail(err, BP_E_SHAPE, "'%s' is too large or has a size below 0",
                           BP_VALUE(graph, v)->name);
        }
    }
    return BP_OK;
}

/* Values whose location is given: inputs, constants and outputs of the group. */
static bp_rc place_outer_values(const bp_graph *graph, struct bp_cpu_layout *layout, bp_err *err)
{
    for (uint32_t v = 0; v < graph->n_values; v++) {
        if (BP_VALUE(graph, v)->flags & BP_VALUE_CONSTANT)
            layout->locations[v].kind = BP_CPU_CONSTANT;
    }
    for (uint32_t i = 0; i < graph->n_inputs; i++)
        layout->locations[graph->inputs[i]] = (struct bp_cpu_location){BP_CPU_INPUT, i};
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        uint32_t v = graph->outputs[i];

        if (layout->locations[v].kind != BP_CPU_NOWHERE) {
            return bp_fail(err, BP_E_INVALID, "output '%s' of the group is not made by the group",
                           BP_VALUE(graph, v)->name);
        }
        layout->locations[v] = (struct bp_cpu_location){BP_CPU_OUTPUT, i};
    }
    return BP_OK;
}

static bool is_same_location(struct bp_cpu_location a, struct bp_cpu_location b)
{
    return a.kind == b.kind && a.index == b.index;
}

/* Has output 0 of node i the very bytes of its input 0? */
static bool is_view(const struct bp_program *program, const struct bp_cpu_layout *layout,
                    uint32_t i)
{
    const bp_node *node = BP_NODE(program->graph, i);

    return program->nodes[i].op->flags & BP_CPU_VIEW && node->n_in > 0 && node->n_out > 0 &&
           node->in[0] != BP_NONE && node->out[0] != BP_NONE &&
           layout->bytes[node->in[0]] == layout->bytes[node->out[0]];
}

/*
 * An output of the group that shows what the group has made in other sizes: that is made where the
 * output lies, so that nothing is copied. From the end, as a view may be seen through another.
 */
static void place_viewed_values(const struct bp_program *program, const bp_frame_desc *desc,
                                struct bp_cpu_layout *layout)
{
    for (uint32_t i = program->graph->n_nodes; i-- > 0;) {
        const bp_node *node = BP_NODE(program->graph, i);
        uint32_t in, out;

        if (!is_view(program, layout, i))
            continue;
        in = node->in[0];
        out = node->out[0];
        if (layout->locations[in].kind == BP_CPU_NOWHERE &&
            layout->locations[out].kind == BP_CPU_OUTPUT &&
            desc->shapes[in].rank != BP_RANK_UNKNOWN && desc->shapes[out].rank != BP_RANK_UNKNOWN)
            layout->locations[in] = layout->locations[out];
    }
}

/* May output 0 of node i lie on its input k, which then has been read for the last time? */
static bool may_reuse(const struct bp_cpu_layout *layout, const bp_frame_desc *desc,
                      const bp_node *node, uint32_t i, uint32_t k)
{
    uint32_t in, out = node->out[0];
    struct bp_cpu_location location;

    if (k >= node->n_in || node->in[k] == BP_NONE)
        return false;
    in = node->in[k];
    location = layout->locations[in];
    if (location.kind != BP_CPU_IN_ARENA || layout->items[location.index].last != i ||
        layout->bytes[in] != layout->bytes[out] ||
        desc->shapes[in].dtype != desc->shapes[out].dtype)
        return false;
    for (uint32_t j = 0; j < node->n_in; j++) {
        if (j != k && node->in[j] != BP_NONE &&
            is_same_location(layout->locations[node->in[j]], location))
            return false;
    }
    return true;
}

/*
 * Places an output of node i. As nodes come in running order, the item of an input knows by now
 * every later reader: a value that shares it later is made by a node that reads it later.
 */
static void place_output(const struct bp_program *program, const bp_frame_desc *desc, uint32_t i,
                         uint32_t o, uint32_t last_use, struct bp_cpu_layout *layout)
{
    const bp_node *node = BP_NODE(program->graph, i);
    uint32_t flags = program->nodes[i].op->flags, v = node->out[o];
    struct bp_cpu_location *location = &layout->locations[v];

    if (location->kind == BP_CPU_OUTPUT) {
        layout->is_elided[i] |= o == 0 && is_view(program, layout, i) &&
                                is_same_location(layout->locations[node->in[0]], *location);
        return;
    }
    if (o == 0 && is_view(program, layout, i)) {
        *location = layout->locations[node->in[0]];
        layout->is_elided[i] = true;
    }
    for (uint32_t k = 0; k < 2 && location->kind == BP_CPU_NOWHERE; k++) {
        if (o == 0 && flags & BP_CPU_IN_PLACE && may_reuse(layout, desc, node, i, k))
            *location = layout->locations[node->in[k]];
    }
    if (location->kind == BP_CPU_NOWHERE) {
        *location = (struct bp_cpu_location){BP_CPU_IN_ARENA, layout->n_items};
        layout->items[layout->n_items++] =
            (bp_arena_item){.bytes = layout->bytes[v], .first = i, .last = i};
    }
    if (location->kind == BP_CPU_IN_ARENA && layout->items[location->index].last < last_use)
        layout->items[location->index].last = last_use;
}

static bp_rc check_node(const struct bp_program *program, const bp_frame_desc *desc, uint32_t i,
                        const struct bp_cpu_layout *layout, bp_err *err)
{
    const bp_graph *graph = program->graph;
    const bp_node *node = BP_NODE(graph, i);
    bool may_be_dynamic = program->nodes[i].op->flags & BP_CPU_RUNTIME_SHAPE;

    for (uint32_t k = 0; k < node->n_in; k++) {
        uint32_t v = node->in[k];

        if (v == BP_NONE)
            continue;
        if (layout->locations[v].kind == BP_CPU_NOWHERE) {
            return bp_fail(err, BP_E_INVALID, "%s '%s' reads '%s' before a node has made it",
                           node->op, node->name, BP_VALUE(graph, v)->name);
        }
        if (desc->shapes[v].rank == BP_RANK_UNKNOWN &&
            layout->locations[v].kind != BP_CPU_CONSTANT) {
            return bp_fail(err, BP_E_SHAPE,
                           "%s '%s': the shape of '%s' is known only once it is made, so its "
                           "readers belong in another group",
                           node->op, node->name, BP_VALUE(graph, v)->name);
        }
    }
    for (uint32_t k = 0; k < node->n_out; k++) {
        uint32_t v = node->out[k];

        if (v == BP_NONE)
            continue;
        if (layout->locations[v].kind != BP_CPU_NOWHERE &&
            layout->locations[v].kind != BP_CPU_OUTPUT) {
            return bp_fail(err, BP_E_INVALID, "%s '%s' makes '%s', which is made elsewhere",
                           node->op, node->name, BP_VALUE(graph, v)->name);
        }
        if (desc->shapes[v].rank == BP_RANK_UNKNOWN && !may_be_dynamic) {
            return bp_fail(err, BP_E_SHAPE, "%s '%s': the shape of '%s' must be known", node->op,
                           node->name, BP_VALUE(graph, v)->name);
        }
        if (desc->shapes[v].rank == BP_RANK_UNKNOWN && layout->locations[v].kind != BP_CPU_OUTPUT) {
            return bp_fail(err, BP_E_SHAPE,
                           "%s '%s': the shape of '%s' is known only once it is made, so it must "
                           "be an output of the group",
                           node->op, node->name, BP_VALUE(graph, v)->name);
        }
    }
    return BP_OK;
}

static bool layout_alloc(const bp_graph *graph, struct bp_blocks *memory,
                         struct bp_cpu_layout *layout)
{
    layout->locations = bp_blocks_array(memory, graph->n_values, sizeof *layout->locations);
    layout->bytes = bp_blocks_array(memory, graph->n_values, sizeof *layout->bytes);
    layout->is_elided = bp_blocks_array(memory, graph->n_nodes, sizeof *layout->is_elided);
    layout->items =
        bp_blocks_array(memory, (size_t)graph->n_values + graph->n_nodes, sizeof *layout->items);
    return layout->locations && layout->bytes && layout->is_elided && layout->items;
}

bp_rc bp_cpu_layout_make(const struct bp_program *program, const bp_frame_desc *desc,
                         struct bp_blocks *memory, struct bp_cpu_layout *out, bp_err *err)
{
    const bp_graph *graph = program->graph;
    uint32_t *last_use = bp_blocks_array(memory, graph->n_values, sizeof *last_use);
    bp_rc rc;

    memset(out, 0, sizeof *out);
    if (!last_use || !layout_alloc(graph, memory, out))
        return bp_fail(err, BP_E_NOMEM, "no memory to lay out %u values", graph->n_values);
    rc = place_outer_values(graph, out, err);
    if (rc >= 0)
        rc = size_values(program, desc, out, err);
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(graph, i);

        for (uint32_t k = 0; k < node->n_in; k++) {
            if (node->in[k] != BP_NONE)
                last_use[node->in[k]] = i;
        }
    }
    if (rc >= 0)
        place_viewed_values(program, desc, out);
    for (uint32_t i = 0; i < graph->n_nodes && rc >= 0; i++) {
        const bp_node *node = BP_NODE(graph, i);

        rc = check_node(program, desc, i, out, err);
        for (uint32_t o = 0; o < node->n_out && rc >= 0; o++) {
            if (node->out[o] != BP_NONE)
                place_output(program, desc, i, o, last_use[node->out[o]], out);
        }
    }
    return rc;
}
