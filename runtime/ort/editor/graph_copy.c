/* SPDX-License-Identifier: MIT */
/*
 * graph_copy.c - Graph_GetGraphView (OrtApi since version 23): some nodes of a graph as a graph of
 * their own.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/editor/graph.h"
#include "ort/status.h"

/* ---- attributes ------------------------------------------------------------------------------ */

/* ReadOpAttr returns strings one after another, each with NUL: pointers to each. */
static const char **split_texts(const char *data, size_t size, size_t *n)
{
    const char **texts = calloc(size + 1, sizeof *texts);

    *n = 0;
    for (size_t at = 0; texts && at < size; at += strlen(data + at) + 1)
        texts[(*n)++] = data + at;
    return texts;
}

/* CreateOpAttr with the count for the type. */
static OrtStatus *make_attribute(const char *name, OrtOpAttrType type, const char *data,
                                 size_t size, OrtOpAttr **out)
{
    const char **texts;
    OrtStatus *status;
    size_t n;

    switch (type) {
    case ORT_OP_ATTR_INT:
    case ORT_OP_ATTR_INTS:
        return ort_CreateOpAttr(name, data, (int)(size / sizeof(int64_t)), type, out);
    case ORT_OP_ATTR_FLOAT:
    case ORT_OP_ATTR_FLOATS:
        return ort_CreateOpAttr(name, data, (int)(size / sizeof(float)), type, out);
    case ORT_OP_ATTR_STRING:
        return ort_CreateOpAttr(name, data, (int)size, type, out);
    default:
        texts = split_texts(data, size, &n);
        if (!texts)
            return ort_no_memory();
        status = ort_CreateOpAttr(name, texts, (int)n, type, out);
        free(texts);
        return status;
    }
}

/* Through the public functions, so the type stays opaque here. */
static OrtStatus *copy_attribute(const OrtOpAttr *from, OrtOpAttr **out)
{
    const char *name = NULL;
    OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
    size_t size = 0;
    char *data;
    OrtStatus *status = ort_OpAttr_GetName(from, &name);

    if (!status)
        status = ort_OpAttr_GetType(from, &type);
    if (status)
        return status;
    ort_ReleaseStatus(ort_ReadOpAttr(from, type, NULL, 0, &size)); /* asks how much there is */
    data = malloc(size + 1);
    if (!data)
        return ort_no_memory();
    status = ort_ReadOpAttr(from, type, data, size, &size);
    if (!status)
        status = make_attribute(name, type, data, size, out);
    free(data);
    return status;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Names instead of values: the copy's graph makes its own. */
static OrtStatus *make_node(const OrtNode *from, const char **names, OrtOpAttr **attrs,
                            OrtNode **out)
{
    OrtStatus *status = NULL;

    for (size_t i = 0; i < from->n_in + from->n_out; i++)
        names[i] = from->values[i] ? from->values[i]->name : "";
    for (size_t i = 0; i < from->n_attrs && !status; i++)
        status = copy_attribute(from->attrs[i], &attrs[i]);
    if (status)
        return status;
    return ort_editor_CreateNode(from->op, from->domain, from->name, names, from->n_in,
                                 names + from->n_in, from->n_out, attrs, from->n_attrs, out);
}

/* After a failure the attributes that no node took are released. */
static OrtStatus *copy_node(const OrtNode *from, OrtGraph *to)
{
    const char **names = calloc(from->n_in + from->n_out + 1, sizeof *names);
    OrtOpAttr **attrs = calloc(from->n_attrs + 1, sizeof(OrtOpAttr *));
    OrtNode *node = NULL;
    OrtStatus *status = names && attrs ? make_node(from, names, attrs, &node) : ort_no_memory();

    if (!status)
        status = ort_editor_AddNodeToGraph(to, node);
    if (status)
        ort_ReleaseNode(node);
    for (size_t i = 0; attrs && i < from->n_attrs; i++)
        ort_ReleaseOpAttr(attrs[i]); /* those that no node took */
    free(names);
    free(attrs);
    return status;
}

/* ---- what goes in and comes out -------------------------------------------------------------- */

/* Values of the graph that nodes[] have among their inputs or outputs, each once. */
struct borders {
    OrtValueInfo **inputs, **outputs; /* new objects, for the copy */
    size_t n_inputs, n_outputs;
    const OrtValueInfo **weights; /* initializers; the graph's objects */
    size_t n_weights;
};

/* Linear: views have few nodes. */
static bool is_in(const OrtNode *const *nodes, size_t n, const OrtNode *node)
{
    for (size_t i = 0; i < n; i++) {
        if (nodes[i] == node)
            return true;
    }
    return false;
}

static bool is_made_in(const OrtNode *const *nodes, size_t n, const OrtValueInfo *info)
{
    const OrtNode *producer = NULL;

    ort_ReleaseStatus(ort_ValueInfo_GetValueProducer(info, &producer, NULL));
    return producer && is_in(nodes, n, producer);
}

/* Is the value an output of the graph, or read by a node outside nodes[]? */
static bool is_used_outside(const OrtNode *const *nodes, size_t n, const OrtValueInfo *info)
{
    const OrtGraph *graph = info->graph;

    if (info->is_output)
        return true;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const OrtNode *node = graph->nodes[i];

        for (size_t k = 0; k < node->n_in; k++) {
            if (node->values[k] == info && !is_in(nodes, n, node))
                return true;
        }
    }
    return false;
}

/* Linear, as above. */
static bool has_name(OrtValueInfo *const *infos, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(infos[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* A copy of name and type at list[*n]. False: no memory. */
static bool add_info(OrtValueInfo **infos, size_t *n, const OrtValueInfo *from)
{
    if (has_name(infos, *n, from->name))
        return true;
    infos[*n] = ort_info_create(from->name, from->type);
    return infos[*n] && ++*n;
}

/* Each initializer once. */
static void add_weight(struct borders *borders, const OrtValueInfo *info)
{
    for (size_t i = 0; i < borders->n_weights; i++) {
        if (borders->weights[i] == info)
            return;
    }
    borders->weights[borders->n_weights++] = info;
}

/* Values produced outside are inputs; values used outside are outputs. */
static bool find_borders(const OrtNode *const *nodes, size_t n, struct borders *out)
{
    bool ok = true;

    for (size_t i = 0; i < n && ok; i++) {
        for (size_t k = 0; k < nodes[i]->n_in + nodes[i]->n_out && ok; k++) {
            const OrtValueInfo *info = nodes[i]->values[k];

            if (info && k >= nodes[i]->n_in)
                ok = !is_used_outside(nodes, n, info) ||
                     add_info(out->outputs, &out->n_outputs, info);
            else if (info && info->value)
                add_weight(out, info);
            else if (info && !is_made_in(nodes, n, info))
                ok = add_info(out->inputs, &out->n_inputs, info);
        }
    }
    return ok;
}

/* Each list has space for every input and output of the nodes. */
static bool reserve(struct borders *borders, const OrtNode *const *nodes, size_t n)
{
    size_t n_ends = 1;

    for (size_t i = 0; i < n; i++)
        n_ends += nodes[i]->n_in + nodes[i]->n_out;
    borders->inputs = calloc(n_ends, sizeof(OrtValueInfo *));
    borders->outputs = calloc(n_ends, sizeof(OrtValueInfo *));
    borders->weights = calloc(n_ends, sizeof(OrtValueInfo *));
    return borders->inputs && borders->outputs && borders->weights;
}

/* Values that the copy took over are NULL by now. */
static void finish(struct borders *borders)
{
    for (size_t i = 0; i < borders->n_inputs; i++)
        ort_ReleaseValueInfo(borders->inputs[i]);
    for (size_t i = 0; i < borders->n_outputs; i++)
        ort_ReleaseValueInfo(borders->outputs[i]);
    free(borders->inputs);
    free(borders->outputs);
    free(borders->weights);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Values between the nodes keep their types. */
static bool copy_types(const OrtNode *const *nodes, size_t n, OrtGraph *to)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < nodes[i]->n_in + nodes[i]->n_out; k++) {
            const OrtValueInfo *from = nodes[i]->values[k];
            OrtValueInfo *info = to->nodes[i]->values[k];

            if (!from || !from->type || info->type)
                continue;
            info->type = ort_type_copy(from->type);
            if (!info->type)
                return false;
        }
    }
    return true;
}

/* Nodes, initializers, inputs, outputs, types. */
static OrtStatus *fill(const OrtNode *const *nodes, size_t n, struct borders *borders, OrtGraph *to)
{
    OrtStatus *status = NULL;

    if (!reserve(borders, nodes, n) || !find_borders(nodes, n, borders))
        return ort_no_memory();
    for (size_t i = 0; i < n && !status; i++)
        status = copy_node(nodes[i], to);
    for (size_t i = 0; i < borders->n_weights && !status; i++) {
        const OrtValueInfo *weight = borders->weights[i];
        OrtValue *value = ort_value_retain(weight->value);

        status = ort_editor_AddInitializerToGraph(to, weight->name, value, weight->is_external);
        if (status)
            ort_ReleaseValue(value);
    }
    if (!status)
        status = ort_editor_SetGraphInputs(to, borders->inputs, borders->n_inputs);
    if (!status)
        status = ort_editor_SetGraphOutputs(to, borders->outputs, borders->n_outputs);
    if (!status && !copy_types(nodes, n, to))
        status = ort_no_memory();
    return status;
}

/*
 * OrtApi since version 23: A copy that shares the data of initializers; it may outlive the graph.
 */
OrtStatus *ort_Graph_GetGraphView(const OrtGraph *src_graph, const OrtNode **nodes,
                                  size_t num_nodes, OrtGraph **dst_graph)
{
    struct borders borders = {0};
    OrtGraph *graph = NULL;
    OrtStatus *status;

    ORT_NEED(src_graph);
    ORT_NEED(nodes);
    ORT_NEED(dst_graph);
    if (num_nodes == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "a view needs at least one node");
    for (size_t i = 0; i < num_nodes; i++) {
        if (!nodes[i] || nodes[i]->graph != src_graph)
            return ort_fail(ORT_INVALID_ARGUMENT, "node %zu (%s) is not of the graph", i,
                            nodes[i] ? nodes[i]->name : "NULL");
        if (is_in(nodes, i, nodes[i]))
            return ort_fail(ORT_INVALID_ARGUMENT, "node '%s' is there twice", nodes[i]->name);
    }
    status = ort_editor_CreateGraph(&graph);
    if (!status)
        status = fill(nodes, num_nodes, &borders, graph);
    finish(&borders);
    if (status) {
        ort_ReleaseGraph(graph);
        return status;
    }
    *dst_graph = graph;
    return NULL;
}
