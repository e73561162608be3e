/* SPDX-License-Identifier: MIT */
/* body_view.c - subgraphs of control flow in the graph that a provider sees. */

#include "config.h"

#include "plan/body_view.h"

#include <string.h>

#include "graph/custom.h"
#include "graph/infer_merge.h"

/* ---- what can be shown ----------------------------------------------------------------------- */

/* Is it If, Loop or Scan of ONNX? */
static bool is_control_flow(const struct bp_ir_node *node)
{
    return node->domain[0] == '\0' &&
           (strcmp(node->op, "If") == 0 || strcmp(node->op, "Loop") == 0 ||
            strcmp(node->op, "Scan") == 0);
}

static bool are_tensors(const uint32_t *values, uint32_t n, const struct bp_fact *facts)
{
    for (uint32_t i = 0; i < n; i++) {
        if (values[i] != BP_NONE && facts[values[i]].kind != BP_KIND_TENSOR)
            return false;
    }
    return true;
}

/*
 * Returns why a provider can't be shown the node, as far as it depends on the node itself; NULL: it
 * can.
 */
static const char *why_hidden(const struct bp_ir_node *node, const struct bp_fact *facts)
{
    if (!is_control_flow(node))
        return "of the operators with subgraphs, providers are shown If, Loop and Scan";
    if (!are_tensors(node->in, node->n_in, facts) || !are_tensors(node->out, node->n_out, facts) ||
        !are_tensors(node->implicit, node->n_implicit, facts))
        return "values that are not tensors are the host's";
    return NULL;
}

/* Returns the same as far as it depends on a node of one of its bodies. */
static const char *why_node_hidden(const struct bp_ir_node *node, const struct bp_fact *facts)
{
    if (node->is_pinned)
        return "a placement rule is about a node in its subgraph";
    if (!node->schema)
        return "its subgraph has an unknown operator";
    if (bp_custom_of(node->schema))
        return "its subgraph has an operator of the application";
    if (node->n_subgraphs > 0)
        return why_hidden(node, facts);
    return bp_node_is_host_op(node, facts) ? "its subgraph has values that are not tensors" : NULL;
}

/* ---- one body -------------------------------------------------------------------------------- */

/* Infers facts of a body's values from what the node around it passes in. */
static bp_rc infer_body(const struct bp_graph_view_builder *outer, const struct bp_ir_node *node,
                        const struct bp_ir *ir, struct bp_fact **out, bp_err *err)
{
    struct bp_symbols *symbols = outer->from->symbols;
    const struct bp_fact *inputs;
    bp_rc rc = bp_infer_subgraph_inputs(node, ir, outer->from->facts, symbols, outer->region,
                                        &inputs, err);

    if (rc >= 0)
        rc = bp_infer_start(ir, outer->from->facts, symbols, outer->region, out, err);
    for (uint32_t i = 0; rc >= 0 && i < ir->n_inputs; i++) {
        struct bp_fact *fact = &(*out)[ir->inputs[i]];

        *fact = inputs[i];
        rc = bp_infer_merge(ir, ir->inputs[i], symbols, outer->region, fact, err);
    }
    return rc < 0 ? rc : bp_infer_run(ir, NULL, 0, *out, symbols, outer->region, err);
}

/* Marks captured values with their values in the graph around the body. */
static void mark_captures(struct bp_graph_view_builder *b)
{
    for (uint32_t i = 0; i < b->view->graph.n_values; i++) {
        const struct bp_ir_value *value = &b->ir->values[b->view->value_of[i]];

        if (!(value->flags & BP_IR_CAPTURED))
            continue;
        b->values[i].flags |= BP_VALUE_CAPTURED;
        b->values[i].outer = b->outer->map[value->outer];
    }
}

/* Lists the inputs and outputs that the body declares, in its order. */
static bp_rc list_ends(struct bp_graph_view_builder *b, const uint32_t *values, uint32_t n,
                       uint32_t flag, uint32_t *list, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        rc = bp_graph_view_add_value(b, values[i], &list[i], err);
        if (rc >= 0)
            b->values[list[i]].flags |= flag;
    }
    return rc;
}

/* Adds all nodes of a body; if one can't be shown, the node around the body is hidden. */
static bp_rc fill_body(struct bp_graph_view_builder *b, const char **hidden, bp_err *err)
{
    const struct bp_ir *ir = b->ir;
    uint32_t *nodes = bp_region_array(b->region, ir->n_nodes, sizeof *nodes);
    bp_rc rc;

    if (!nodes)
        return bp_fail_nomem(err, "a subgraph");
    for (uint32_t n = 0; n < ir->n_nodes; n++)
        nodes[n] = n;
    b->map = bp_region_array(b->region, ir->n_values, sizeof *b->map);
    if (!b->map)
        return bp_fail_nomem(err, "a subgraph");
    memset(b->map, 0xff, ir->n_values * sizeof *b->map);
    rc = bp_graph_view_reserve(b, nodes, ir->n_nodes, err);
    if (rc >= 0)
        rc = list_ends(b, ir->inputs, ir->n_inputs, BP_VALUE_INPUT, b->inputs, err);
    for (uint32_t n = 0; rc >= 0 && n < ir->n_nodes && !*hidden; n++) {
        *hidden = why_node_hidden(&ir->nodes[n], b->from->facts);
        if (!*hidden)
            rc = bp_graph_view_add_node(b, n, err);
        if (rc >= 0 && !*hidden)
            *hidden = b->view->hidden[n];
    }
    if (rc >= 0)
        rc = list_ends(b, ir->outputs, ir->n_outputs, BP_VALUE_OUTPUT, b->outputs, err);
    b->view->graph.n_inputs = ir->n_inputs;
    b->view->graph.n_outputs = ir->n_outputs;
    if (rc >= 0)
        mark_captures(b);
    return rc;
}

/*
 * Makes a view of one body. If its shapes contradict each other it is a branch that never runs, as
 * exporters write them.
 */
static bp_rc add_body(struct bp_graph_view_builder *outer, const struct bp_ir_node *node,
                      const struct bp_ir *ir, const char **hidden, bp_err *err)
{
    struct bp_graph_view *view = bp_region_alloc(outer->region, sizeof *view);
    struct bp_graph_view_source source = {
        .ir = ir, .symbols = outer->from->symbols, .region = outer->region};
    struct bp_graph_view_builder b = {.from = &source,
                                      .ir = ir,
                                      .region = outer->region,
                                      .view = view,
                                      .shows_bodies = true,
                                      .outer = outer};
    struct bp_fact *facts = NULL;
    bp_rc rc;

    if (!view)
        return bp_fail_nomem(err, "a subgraph");
    rc = infer_body(outer, node, ir, &facts, err);
    if (rc == BP_E_SHAPE || rc == BP_E_INVALID) {
        bp_err_clear(err);
        *hidden = "shapes in its subgraph cannot be";
        return BP_OK;
    }
    source.facts = facts;
    bp_graph_view_start(&b);
    if (rc >= 0)
        rc = fill_body(&b, hidden, err);
    bp_graph_view_finish(&b);
    view->graph.outer = &outer->view->graph;
    view->graph.outer_node = outer->view->graph.n_nodes;
    outer->subs[outer->view->graph.n_subs++] = &view->graph;
    return rc;
}

/* ---- all of a node --------------------------------------------------------------------------- */

/* Graph attributes hold indices of the node's own subgraphs; in a view, indices of all of them. */
static bp_rc move_indices(struct bp_graph_view_builder *b, const bp_node *node, uint32_t first,
                          bp_err *err)
{
    for (uint32_t i = 0; i < node->n_attr; i++) {
        bp_attr *attr = &b->attrs[node->first_attr + i];
        const uint32_t *from = attr->data;
        uint32_t *indices;

        if (attr->type != BP_ATTR_GRAPH)
            continue;
        indices = bp_region_array(b->region, attr->count, sizeof *indices);
        if (!indices)
            return bp_fail_nomem(err, "a subgraph");
        for (uint32_t k = 0; k < attr->count; k++)
            indices[k] = first + from[k];
        attr->data = indices;
    }
    return BP_OK;
}

void bp_graph_view_hide_bodies(struct bp_graph_view_builder *b, const bp_node *node)
{
    for (uint32_t i = 0; i < node->n_attr; i++) {
        bp_attr *attr = &b->attrs[node->first_attr + i];

        if (attr->type == BP_ATTR_GRAPH)
            attr->count = 0;
    }
}

bp_rc bp_graph_view_add_bodies(struct bp_graph_view_builder *b, uint32_t index, bp_err *err)
{
    const struct bp_ir_node *from = &b->ir->nodes[index];
    bp_graph *graph = &b->view->graph;
    uint32_t first = graph->n_subs;
    const char *hidden = why_hidden(from, b->from->facts);
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && !hidden && i < from->n_subgraphs; i++)
        rc = add_body(b, from, from->subgraphs[i], &hidden, err);
    if (rc >= 0 && !hidden)
        rc = move_indices(b, &b->nodes[graph->n_nodes], first, err);
    if (hidden) {
        graph->n_subs = first;
        bp_graph_view_hide_bodies(b, &b->nodes[graph->n_nodes]);
    }
    b->view->hidden[graph->n_nodes] = hidden;
    return rc;
}
