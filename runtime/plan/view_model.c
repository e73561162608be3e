/* SPDX-License-Identifier: MIT */
/*
 * view_model.c - the model that a graph view is of: its head, the nodes around a subgraph, the places
 * of external data.
 */

#include "config.h"

#include "plan/view_model.h"

#include "plan/graph_view.h"

/* The model's own graph that a view shows a part of, be it for a question of a pass only. */
static const struct bp_ir *graph_of(const bp_graph *graph)
{
    /* The owner is the first member of its view. */
    const struct bp_ir *ir = ((const struct bp_graph_view *)graph->host)->ir;

    while (ir->part_of)
        ir = ir->part_of;
    return ir;
}

/* NULL: the graph is of none. */
static const struct bp_ir_model *model_of(const bp_graph *graph)
{
    const struct bp_ir *ir = graph_of(graph);

    while (ir->parent)
        ir = ir->parent;
    return ir->model;
}

static void view_model(void *h, const bp_graph *graph, bp_graph_model *out)
{
    const struct bp_ir_model *model = model_of(graph);

    (void)h;
    if (model)
        *out = model->about;
}

static const char *view_metadata(void *h, const bp_graph *graph, uint32_t i, const char **value)
{
    const struct bp_ir_model *model = model_of(graph);

    (void)h;
    return model ? model->metadata(model->h, i, value) : NULL;
}

static const char *view_opset(void *h, const bp_graph *graph, uint32_t i, int64_t *version)
{
    const struct bp_ir_model *model = model_of(graph);

    (void)h;
    return model ? model->opset(model->h, i, version) : NULL;
}

/* Is `ir` a subgraph of the node? *attr is the attribute that holds it. */
static bool holds(const struct bp_ir_node *node, const struct bp_ir *ir, const char **attr)
{
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        const uint32_t *indices = node->attrs[i].data;

        for (uint32_t k = 0; node->attrs[i].type == BP_ATTR_GRAPH && k < node->attrs[i].count;
             k++) {
            if (node->subgraphs[indices[k]] == ir) {
                *attr = node->attrs[i].name;
                return true;
            }
        }
    }
    return false;
}

static void view_parent(void *h, const bp_graph *graph, uint32_t level, bp_graph_parent *out)
{
    const struct bp_ir *ir = graph_of(graph);

    (void)h;
    for (uint32_t i = 0; i < level && ir; i++)
        ir = ir->parent;
    for (uint32_t n = 0; ir && ir->parent && n < ir->parent->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->parent->nodes[n];

        if (!holds(node, ir, &out->attr))
            continue;
        out->graph = ir->name;
        out->node = node->name;
        out->op = node->op;
        out->domain = node->domain;
        return;
    }
}

static void view_place(void *h, const bp_graph *graph, uint32_t value, bp_const_place *out)
{
    const struct bp_graph_view *view = graph->host;
    const struct bp_ir_data *data;

    (void)h;
    if (value >= graph->n_values || !(BP_VALUE(graph, value)->flags & BP_VALUE_CONSTANT))
        return;
    data = view->ir->values[view->value_of[value]].data;
    if (!data->place)
        return;
    out->flags = data->place->is_given ? BP_PLACE_GIVEN : 0;
    out->file = data->place->file;
    out->offset = data->place->offset;
    out->bytes = data->size;
}

const bp_ext_model bp_graph_view_about = {.struct_size = sizeof bp_graph_view_about,
                                          .model = view_model,
                                          .metadata = view_metadata,
                                          .opset = view_opset,
                                          .parent = view_parent,
                                          .place = view_place};
