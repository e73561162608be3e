/* SPDX-License-Identifier: MIT */
/* graph_view.c - flattens nodes and values into the rows of the provider ABI. */

#include "config.h"

#include "plan/graph_view.h"

#include <stdlib.h>
#include <string.h>

#include "plan/body_view.h"
#include "plan/view_model.h"

/* Calls `add` for each value that a node reads, including captures of its subgraphs. */
static void count_inputs(const struct bp_ir_node *node, void (*add)(void *u, uint32_t value),
                         void *u)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] != BP_NONE)
            add(u, node->in[i]);
    }
    for (uint32_t i = 0; i < node->n_implicit; i++)
        add(u, node->implicit[i]);
}

struct uses_fill {
    struct bp_uses *uses;
    uint32_t *at; /* next free index of each value */
    uint32_t node;
};

/* First pass: counts uses, shifted by one, so that sums over them are offsets. */
static void count_use(void *u, uint32_t value)
{
    struct uses_fill *fill = u;

    fill->uses->first[value + 1]++;
}

/* Second pass: adds each node to the list of the value. */
static void put_use(void *u, uint32_t value)
{
    struct uses_fill *fill = u;

    fill->uses->nodes[fill->at[value]++] = fill->node;
}

bp_rc bp_uses_build(const struct bp_ir *ir, struct bp_region *region, struct bp_uses *out,
                    bp_err *err)
{
    struct uses_fill fill = {.uses = out};

    out->first = bp_region_array(region, (size_t)ir->n_values + 1, sizeof *out->first);
    fill.at = bp_region_array(region, (size_t)ir->n_values + 1, sizeof *fill.at);
    if (!out->first || !fill.at)
        return bp_fail_nomem(err, "the uses of values");
    for (uint32_t n = 0; n < ir->n_nodes; n++)
        count_inputs(&ir->nodes[n], count_use, &fill);
    for (uint32_t v = 0; v < ir->n_values; v++) {
        out->first[v + 1] += out->first[v];
        fill.at[v] = out->first[v];
    }
    out->nodes = bp_region_array(region, out->first[ir->n_values], sizeof *out->nodes);
    if (!out->nodes)
        return bp_fail_nomem(err, "the uses of values");
    for (fill.node = 0; fill.node < ir->n_nodes; fill.node++)
        count_inputs(&ir->nodes[fill.node], put_use, &fill);
    return BP_OK;
}

/*
 * bp_graph_owner.constant: returns the bytes of a constant, which are mapped or read at first use.
 */
static bp_rc find_constant(const bp_graph *graph, uint32_t value, bp_span *out, bp_err *err)
{
    /* The owner is the first member of its view. */
    const struct bp_graph_view *view = graph->host;
    struct bp_ir_data *data;
    bp_rc rc;

    if (value >= graph->n_values || !(BP_VALUE(graph, value)->flags & BP_VALUE_CONSTANT))
        return bp_fail(
            err, BP_E_INVALID,
            "value %u of a group of %u values is not a constant; BP_VALUE_CONSTANT tells which are",
            value, graph->n_values);
    data = view->ir->values[view->value_of[value]].data;
    rc = bp_ir_data_load(data, err);
    if (rc < 0)
        return rc;
    out->data = data->bytes;
    out->size = data->size;
    return BP_OK;
}

/* bp_graph_owner.constant_done: lets the system drop pages of a mapped file. */
static void forget_constant(const bp_graph *graph, uint32_t value)
{
    const struct bp_graph_view *view = graph->host;

    if (value < graph->n_values && BP_VALUE(graph, value)->flags & BP_VALUE_CONSTANT)
        bp_ir_data_forget(view->ir->values[view->value_of[value]].data);
}

static bool is_constant(const struct bp_ir *ir, uint32_t value)
{
    return (ir->values[value].flags & BP_IR_CONSTANT) != 0;
}

/* Makes sizes as providers see them: a number, or -1 with a symbol. NULL: no memory. */
static const bp_dim *flat_dims(const struct bp_graph_view_builder *b, const struct bp_fact *fact)
{
    bp_dim *dims = bp_region_array(b->region, fact->rank, sizeof *dims);

    for (uint32_t i = 0; dims && i < fact->rank; i++) {
        bool known = bp_sym_known(fact->dims[i]);

        dims[i].value = known ? fact->dims[i].value : -1;
        dims[i].symbol = known ? 0 : fact->dims[i].symbol;
        if (!known && bp_symbols_from_data(b->from->symbols, fact->dims[i]))
            dims[i].flags |= BP_DIM_FROM_DATA;
    }
    return dims;
}

bp_rc bp_graph_view_add_value(struct bp_graph_view_builder *b, uint32_t value, uint32_t *out,
                              bp_err *err)
{
    const struct bp_ir_value *from = &b->ir->values[value];
    const struct bp_fact *fact = &b->from->facts[value];
    bp_graph *graph = &b->view->graph;
    bp_value *row;

    *out = b->map[value];
    if (*out != BP_NONE)
        return BP_OK;
    *out = b->map[value] = graph->n_values++;
    b->view->value_of[*out] = value;
    row = &b->values[*out];
    row->name = from->name;
    row->rank = fact->rank;
    row->dtype = fact->dtype;
    row->producer = BP_NONE;
    row->outer = BP_NONE;
    if (fact->rank != BP_RANK_UNKNOWN && fact->rank > 0) {
        row->dims = flat_dims(b, fact);
        if (!row->dims)
            return bp_fail_nomem(err, "a group's values");
    }
    if (is_constant(b->ir, value)) {
        row->flags |= BP_VALUE_CONSTANT;
        row->const_bytes = from->data->size;
        row->const_id = from->data->id;
    }
    return BP_OK;
}

/* Adds an input of a node; a value from outside becomes an input of the view. */
static bp_rc add_input(struct bp_graph_view_builder *b, uint32_t value, uint32_t *out, bp_err *err)
{
    bool is_new = b->map[value] == BP_NONE;
    uint32_t producer = b->ir->values[value].producer;
    bp_rc rc;

    rc = bp_graph_view_add_value(b, value, out, err);
    if (rc < 0 || !is_new || b->outer || is_constant(b->ir, value))
        return rc;
    if (producer == BP_NONE || !b->inside[producer]) {
        b->values[*out].flags |= BP_VALUE_INPUT;
        b->inputs[b->view->graph.n_inputs++] = *out;
    }
    return BP_OK;
}

/*
 * Is the value an output of the view? Only values with readers outside are; others may stay in any
 * form that the provider likes.
 */
static bool is_used_outside(const struct bp_graph_view_builder *b, uint32_t value)
{
    if (b->ir->values[value].flags & BP_IR_OUTPUT)
        return true;
    for (uint32_t i = b->from->uses->first[value]; i < b->from->uses->first[value + 1]; i++) {
        if (!b->inside[b->from->uses->nodes[i]])
            return true;
    }
    return false;
}

/*
 * Is it a tensor without a reader whose size its node determines? Only an output may have any size.
 */
static bool is_unread_and_dynamic(const struct bp_graph_view_builder *b, uint32_t value)
{
    const struct bp_fact *fact = &b->from->facts[value];
    const uint32_t *first = &b->from->uses->first[value];

    return first[0] == first[1] && fact->kind == BP_KIND_TENSOR &&
           bp_fact_needs_data(fact, b->from->symbols);
}

/* A compiled program returns all outputs that it was compiled with. */
static bool is_of_context(const struct bp_graph_view_builder *b, uint32_t value)
{
    return bp_node_is_context(&b->ir->nodes[b->ir->values[value].producer]);
}

/* Adds an output of a node; it is an output of the view if a reader outside needs it. */
static bp_rc add_output(struct bp_graph_view_builder *b, uint32_t value, uint32_t node,
                        uint32_t *out, bp_err *err)
{
    bp_rc rc = bp_graph_view_add_value(b, value, out, err);

    if (rc < 0)
        return rc;
    b->values[*out].producer = node;
    if (b->outer)
        return BP_OK; /* outputs of a body are in a list of their own */
    if (is_used_outside(b, value) || is_unread_and_dynamic(b, value) || is_of_context(b, value)) {
        b->values[*out].flags |= BP_VALUE_OUTPUT;
        b->outputs[b->view->graph.n_outputs++] = *out;
    }
    return BP_OK;
}

/*
 * Adds the values that the subgraphs of a node capture, and the subgraphs if the view shows them.
 */
static bp_rc add_subgraphs(struct bp_graph_view_builder *b, uint32_t index, bp_node *node,
                           bp_err *err)
{
    const struct bp_ir_node *from = &b->ir->nodes[index];
    uint32_t *captures;
    bp_rc rc = BP_OK;

    if (from->n_subgraphs == 0)
        return BP_OK;
    if (!b->view->hidden) {
        bp_graph_view_hide_bodies(b, node);
        return BP_OK;
    }
    captures = bp_region_array(b->region, from->n_implicit, sizeof *captures);
    if (!captures)
        return bp_fail_nomem(err, "a group's nodes");
    for (uint32_t i = 0; rc >= 0 && i < from->n_implicit; i++)
        rc = add_input(b, from->implicit[i], &captures[i], err);
    node->captures = captures;
    node->n_captures = from->n_implicit;
    return rc < 0 ? rc : bp_graph_view_add_bodies(b, index, err);
}

bp_rc bp_graph_view_add_node(struct bp_graph_view_builder *b, uint32_t index, bp_err *err)
{
    const struct bp_ir_node *from = &b->ir->nodes[index];
    bp_graph *graph = &b->view->graph;
    uint32_t *in = bp_region_array(b->region, (size_t)from->n_in + from->n_out, sizeof *in);
    uint32_t *out = in ? in + from->n_in : NULL;
    bp_node *node = &b->nodes[graph->n_nodes];
    bp_rc rc = BP_OK;

    if (!in)
        return bp_fail_nomem(err, "a group's nodes");
    for (uint32_t i = 0; rc >= 0 && i < from->n_in; i++) {
        in[i] = BP_NONE;
        if (from->in[i] != BP_NONE)
            rc = add_input(b, from->in[i], &in[i], err);
    }
    for (uint32_t i = 0; rc >= 0 && i < from->n_out; i++) {
        out[i] = BP_NONE;
        if (from->out[i] != BP_NONE)
            rc = add_output(b, from->out[i], graph->n_nodes, &out[i], err);
    }
    *node = (bp_node){
        .name = from->name,
        .op = from->op,
        .domain = from->domain,
        .in = in,
        .out = out,
        .n_in = from->n_in,
        .n_out = from->n_out,
        .opset = from->opset,
        .since = from->schema ? from->schema->since : 0,
        .first_attr = graph->n_attrs,
        .n_attr = from->n_attrs,
    };
    if (from->n_attrs)
        memcpy(&b->attrs[graph->n_attrs], from->attrs, from->n_attrs * sizeof *b->attrs);
    graph->n_attrs += from->n_attrs;
    b->view->node_of[graph->n_nodes] = index;
    if (rc >= 0)
        rc = add_subgraphs(b, index, node, err);
    graph->n_nodes++;
    return rc;
}

bp_rc bp_graph_view_reserve(struct bp_graph_view_builder *b, const uint32_t *nodes,
                            uint32_t n_nodes, bp_err *err)
{
    size_t n_values = 0;
    size_t n_attrs = 0;
    size_t n_subgraphs = 0;

    for (uint32_t i = 0; i < n_nodes; i++) {
        const struct bp_ir_node *node = &b->ir->nodes[nodes[i]];

        n_values += (size_t)node->n_in + node->n_out + node->n_implicit;
        n_attrs += node->n_attrs;
        n_subgraphs += node->n_subgraphs;
        if (b->inside)
            b->inside[nodes[i]] = true;
    }
    if (b->outer || n_values > b->ir->n_values)
        n_values = b->ir->n_values;
    b->values = bp_region_array(b->region, n_values, sizeof *b->values);
    b->nodes = bp_region_array(b->region, n_nodes, sizeof *b->nodes);
    b->attrs = bp_region_array(b->region, n_attrs, sizeof *b->attrs);
    b->inputs = bp_region_array(b->region, n_values, sizeof *b->inputs);
    b->outputs = bp_region_array(b->region, n_values, sizeof *b->outputs);
    b->view->value_of = bp_region_array(b->region, n_values, sizeof(uint32_t));
    b->view->node_of = bp_region_array(b->region, n_nodes, sizeof(uint32_t));
    b->subs = bp_region_array(b->region, n_subgraphs, sizeof(const bp_graph *));
    b->view->hidden =
        b->shows_bodies ? bp_region_array(b->region, n_nodes, sizeof(const char *)) : NULL;
    if (!b->values || !b->nodes || !b->attrs || !b->inputs || !b->outputs || !b->view->value_of ||
        !b->view->node_of || !b->subs || (b->shows_bodies && !b->view->hidden))
        return bp_fail_nomem(err, "a group of nodes");
    return BP_OK;
}

static bp_rc fill(struct bp_graph_view_builder *b, const uint32_t *nodes, uint32_t n_nodes,
                  bp_err *err)
{
    bp_rc rc = bp_graph_view_reserve(b, nodes, n_nodes, err);

    for (uint32_t i = 0; rc >= 0 && i < n_nodes; i++)
        rc = bp_graph_view_add_node(b, nodes[i], err);
    return rc;
}

/* Resets the scratch for the next view. */
static void clear(struct bp_graph_view_builder *b, const uint32_t *nodes, uint32_t n_nodes)
{
    for (uint32_t i = 0; i < n_nodes; i++)
        b->inside[nodes[i]] = false;
    for (uint32_t i = 0; i < b->view->graph.n_values; i++)
        b->map[b->view->value_of[i]] = BP_NONE;
}

bp_rc bp_graph_view_source_init(struct bp_graph_view_source *source, bp_err *err)
{
    size_t n_values = (size_t)source->ir->n_values + 1;

    source->map = malloc(n_values * sizeof *source->map);
    source->inside = calloc((size_t)source->ir->n_nodes + 1, sizeof *source->inside);
    if (!source->map || !source->inside) {
        bp_graph_view_source_finish(source);
        return bp_fail_nomem(err, "the groups");
    }
    memset(source->map, 0xff, n_values * sizeof *source->map);
    return BP_OK;
}

void bp_graph_view_source_finish(struct bp_graph_view_source *source)
{
    free(source->map);
    free(source->inside);
    source->map = NULL;
    source->inside = NULL;
}

void bp_graph_view_finish(struct bp_graph_view_builder *b)
{
    bp_graph *graph = &b->view->graph;

    graph->struct_size = sizeof *graph;
    graph->nodes = b->nodes;
    graph->node_stride = sizeof *b->nodes;
    graph->values = b->values;
    graph->value_stride = sizeof *b->values;
    graph->attrs = b->attrs;
    graph->attr_stride = sizeof *b->attrs;
    graph->inputs = b->inputs;
    graph->outputs = b->outputs;
    graph->subs = graph->n_subs > 0 ? b->subs : NULL;
    graph->host = b->view;
    if (!b->outer)
        graph->outer_node = BP_NONE;
}

void bp_graph_view_start(struct bp_graph_view_builder *b)
{
    *b->view = (struct bp_graph_view){.owner = {.constant = find_constant,
                                                .constant_done = forget_constant,
                                                .about = &bp_graph_view_about},
                                      .ir = b->ir};
}

bp_rc bp_graph_view_build(struct bp_graph_view_source *source, const uint32_t *nodes,
                          uint32_t n_nodes, bool shows_bodies, struct bp_graph_view *view,
                          bp_err *err)
{
    struct bp_graph_view_builder b = {
        .from = source,
        .ir = source->ir,
        .region = source->region,
        .view = view,
        .map = source->map,
        .inside = source->inside,
        .shows_bodies = shows_bodies,
    };
    bp_rc rc;

    bp_graph_view_start(&b);
    rc = fill(&b, nodes, n_nodes, err);
    clear(&b, nodes, n_nodes);
    bp_graph_view_finish(&b);
    return rc;
}
