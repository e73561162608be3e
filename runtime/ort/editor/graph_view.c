/* SPDX-License-Identifier: MIT */
/*
 * graph_view.c - queries of OrtGraph and OrtValueInfo (OrtApi since versions 22 and 23). All
 * results are the graph's.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/editor/graph.h"
#include "ort/metadata.h"
#include "ort/status.h"

/* Defines a slot that returns one property of a graph or value. */
#define READ(slot, object, argument, type, expression)                                             \
    OrtStatus *ort_##slot(const object *argument, type *out)                                       \
    {                                                                                              \
        ORT_NEED(argument);                                                                        \
        ORT_NEED(out);                                                                             \
        *out = (expression);                                                                       \
        return NULL;                                                                               \
    }
#define OF_GRAPH(slot, type, expression) READ(Graph_##slot, OrtGraph, graph, type, expression)
#define OF_VALUE(slot, type, expression)                                                           \
    READ(ValueInfo_##slot, OrtValueInfo, value_info, type, expression)

/* ---- graphs ---------------------------------------------------------------------------------- */

OF_GRAPH(GetName, const char *, ORT_GRAPH_NAME)
OF_GRAPH(GetModelPath, const char *, "") /* it comes from no file */
OF_GRAPH(GetOnnxIRVersion, int64_t, ORT_IR_VERSION)
OF_GRAPH(GetNumOperatorSets, size_t, graph->model ? graph->model->n_opsets : 0)
OF_GRAPH(GetNumInputs, size_t, graph->inputs.n)
OF_GRAPH(GetNumOutputs, size_t, graph->outputs.n)
OF_GRAPH(GetNumInitializers, size_t, graph->initializers.n)
OF_GRAPH(GetNumNodes, size_t, graph->n_nodes)
OF_GRAPH(GetParentNode, const OrtNode *, NULL) /* no attribute that can be made is a graph */

/* ORT_INVALID_ARGUMENT: the array is too short, or NULL. */
static OrtStatus *check_capacity(const void *array, size_t have, size_t need, const char *what)
{
    if (have < need)
        return ort_fail(ORT_INVALID_ARGUMENT, "the array holds %zu %s, the graph has %zu", have,
                        what, need);
    if (have > 0 && !array)
        return ort_fail(ORT_INVALID_ARGUMENT, "the array for %s is NULL", what);
    return NULL;
}

/* OrtApi since version 23. */
OrtStatus *ort_Graph_GetOperatorSets(const OrtGraph *graph, const char **domains,
                                     int64_t *opset_versions, size_t num_operator_sets)
{
    size_t n;
    OrtStatus *status;

    ORT_NEED(graph);
    n = graph->model ? graph->model->n_opsets : 0;
    status = check_capacity(domains, num_operator_sets, n, "domains");
    if (!status)
        status = check_capacity(opset_versions, num_operator_sets, n, "versions");
    for (size_t i = 0; i < n && !status; i++) {
        domains[i] = graph->model->domains[i];
        opset_versions[i] = graph->model->versions[i];
    }
    return status;
}

static OrtStatus *give(const struct ort_info_list *list, const OrtValueInfo **out, size_t capacity,
                       const char *what)
{
    OrtStatus *status = check_capacity(out, capacity, list->n, what);

    for (size_t i = 0; i < list->n && !status; i++)
        out[i] = list->items[i];
    return status;
}

/* OrtApi since version 23. */
OrtStatus *ort_Graph_GetInputs(const OrtGraph *graph, const OrtValueInfo **inputs,
                               size_t num_inputs)
{
    ORT_NEED(graph);
    return give(&graph->inputs, inputs, num_inputs, "inputs");
}

/* OrtApi since version 23. */
OrtStatus *ort_Graph_GetOutputs(const OrtGraph *graph, const OrtValueInfo **outputs,
                                size_t num_outputs)
{
    ORT_NEED(graph);
    return give(&graph->outputs, outputs, num_outputs, "outputs");
}

/* OrtApi since version 23. */
OrtStatus *ort_Graph_GetInitializers(const OrtGraph *graph, const OrtValueInfo **initializers,
                                     size_t num_initializers)
{
    ORT_NEED(graph);
    return give(&graph->initializers, initializers, num_initializers, "initializers");
}

/* OrtApi since version 23. */
OrtStatus *ort_Graph_GetNodes(const OrtGraph *graph, const OrtNode **nodes, size_t num_nodes)
{
    OrtStatus *status;

    ORT_NEED(graph);
    status = check_capacity(nodes, num_nodes, graph->n_nodes, "nodes");
    for (size_t i = 0; i < graph->n_nodes && !status; i++)
        nodes[i] = graph->nodes[i];
    return status;
}

/*
 * OrtApi since version 23: Built models have no metadata: all texts are empty, the version is
 * absent.
 */
OrtStatus *ort_Graph_GetModelMetadata(const OrtGraph *graph, OrtModelMetadata **out)
{
    OrtModelMetadata *made;

    ORT_NEED(graph);
    ORT_NEED(out);
    made = calloc(1, sizeof *made);
    if (!made)
        return ort_no_memory();
    made->version = INT64_MAX; /* absent */
    made->producer = strdup("");
    made->graph_name = strdup(ORT_GRAPH_NAME);
    made->domain = strdup("");
    made->description = strdup("");
    made->graph_description = strdup("");
    if (!made->producer || !made->graph_name || !made->domain || !made->description ||
        !made->graph_description) {
        ort_ReleaseModelMetadata(made);
        return ort_no_memory();
    }
    *out = made;
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

READ(GetValueInfoName, OrtValueInfo, value_info, const char *, value_info->name)
READ(GetValueInfoTypeInfo, OrtValueInfo, value_info, const OrtTypeInfo *, value_info->type)
OF_VALUE(GetInitializerValue, const OrtValue *, value_info->value)
OF_VALUE(GetExternalInitializerInfo, OrtExternalInitializerInfo *, NULL) /* none is in a file */
OF_VALUE(IsRequiredGraphInput, bool, value_info->is_input && !value_info->value)
OF_VALUE(IsOptionalGraphInput, bool, value_info->is_input && value_info->value)
OF_VALUE(IsGraphOutput, bool, value_info->is_output)
OF_VALUE(IsConstantInitializer, bool, !value_info->is_input && value_info->value)
OF_VALUE(IsFromOuterScope, bool, false) /* there are no graphs within graphs */

/* The next position, from (node, end) on, where a node has the value as input or output. */
static bool find_end(const OrtValueInfo *info, bool is_output, size_t *node, size_t *end)
{
    const OrtGraph *graph = info->graph;

    for (; graph && *node < graph->n_nodes; ++*node, *end = 0) {
        const OrtNode *at = graph->nodes[*node];
        OrtValueInfo *const *values = is_output ? at->values + at->n_in : at->values;
        size_t n = is_output ? at->n_out : at->n_in;

        for (; *end < n; ++*end) {
            if (values[*end] == info)
                return true;
        }
    }
    return false;
}

/* OrtApi since version 23: NULL for inputs and initializers. */
OrtStatus *ort_ValueInfo_GetValueProducer(const OrtValueInfo *value_info,
                                          const OrtNode **producer_node,
                                          size_t *producer_output_index)
{
    size_t node = 0;
    size_t end = 0;
    bool found;

    ORT_NEED(value_info);
    ORT_NEED(producer_node);
    found = find_end(value_info, true, &node, &end);
    *producer_node = found ? value_info->graph->nodes[node] : NULL;
    if (producer_output_index)
        *producer_output_index = found ? end : 0;
    return NULL;
}

/* OrtApi since version 23: A node counts once for each input that is the value. */
OrtStatus *ort_ValueInfo_GetValueNumConsumers(const OrtValueInfo *value_info, size_t *num_consumers)
{
    size_t n = 0;

    ORT_NEED(value_info);
    ORT_NEED(num_consumers);
    for (size_t node = 0, end = 0; find_end(value_info, false, &node, &end); end++)
        n++;
    *num_consumers = n;
    return NULL;
}

/* OrtApi since version 23. */
OrtStatus *ort_ValueInfo_GetValueConsumers(const OrtValueInfo *value_info, const OrtNode **nodes,
                                           int64_t *input_indices, size_t num_consumers)
{
    size_t n = 0;

    ORT_NEED(value_info);
    ort_ReleaseStatus(ort_ValueInfo_GetValueNumConsumers(value_info, &n));
    if (num_consumers < n)
        return ort_fail(ORT_INVALID_ARGUMENT, "the array holds %zu consumers, '%s' has %zu",
                        num_consumers, value_info->name, n);
    if (num_consumers > 0) { /* else there is nothing to write */
        ORT_NEED(nodes);
        ORT_NEED(input_indices);
    }
    n = 0;
    for (size_t node = 0, end = 0; find_end(value_info, false, &node, &end); end++) {
        nodes[n] = value_info->graph->nodes[node];
        input_indices[n++] = (int64_t)end;
    }
    return NULL;
}
