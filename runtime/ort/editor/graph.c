/* SPDX-License-Identifier: MIT */
/*
 * graph.c - OrtValueInfo and OrtGraph of OrtModelEditorApi (since version 22): created, filled,
 * released.
 */

#include "config.h"

#include "ort/editor/graph.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

enum { EXTERNAL_MIN = 128 }; /* bytes; ONNX Runtime needs smaller ones for shape inference */

/* ---- values ---------------------------------------------------------------------------------- */

OrtValueInfo *ort_info_create(const char *name, const OrtTypeInfo *type)
{
    OrtValueInfo *info = calloc(1, sizeof *info);

    if (!info)
        return NULL;
    info->name = strdup(name);
    if (type)
        info->type = ort_type_copy(type);
    if (!info->name || (type && !info->type)) {
        ort_ReleaseValueInfo(info);
        return NULL;
    }
    return info;
}

/* OrtApi since version 22. */
void ort_ReleaseValueInfo(OrtValueInfo *input)
{
    if (!input)
        return;
    free(input->name);
    ort_ReleaseTypeInfo(input->type);
    ort_ReleaseValue(input->value);
    free(input);
}

/*
 * OrtModelEditorApi: The type is copied. ORT_FAIL: only tensors are supported, as in ONNX Runtime.
 */
OrtStatus *ort_editor_CreateValueInfo(const char *name, const OrtTypeInfo *type_info,
                                      OrtValueInfo **value_info)
{
    ORT_NEED(name);
    ORT_NEED(type_info);
    ORT_NEED(value_info);
    if (!name[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "a value info needs a name");
    if (type_info->kind != ONNX_TYPE_TENSOR)
        return ort_fail(ORT_FAIL, "value '%s': only tensor types are supported", name);
    *value_info = ort_info_create(name, type_info);
    return *value_info ? NULL : ort_no_memory();
}

/* ---- the values of a graph ------------------------------------------------------------------- */

/* For tsearch(). */
static int by_name(const void *a, const void *b)
{
    const OrtValueInfo *x = a;
    const OrtValueInfo *y = b;

    return strcmp(x->name, y->name);
}

/* The graph's value of that name, which is `info` if there was none. NULL: no memory. */
static OrtValueInfo *enter(OrtGraph *graph, OrtValueInfo *info)
{
    OrtValueInfo **node = (OrtValueInfo **)tsearch(info, &graph->names, by_name);

    return node ? *node : NULL;
}

/* Takes the value out of the tree unless another one of that name is there. */
static void leave(OrtGraph *graph, OrtValueInfo *info)
{
    OrtValueInfo **node = (OrtValueInfo **)tfind(info, &graph->names, by_name);

    if (node && *node == info)
        tdelete(info, &graph->names, by_name);
}

/* Moves the type of `info` to the graph's value of that name and frees `info`. */
static void merge(OrtGraph *graph, OrtValueInfo **slot)
{
    OrtValueInfo *info = *slot;
    OrtValueInfo *kept = *(OrtValueInfo **)tfind(info, &graph->names, by_name);

    *slot = kept;
    kept->graph = graph;
    if (kept == info)
        return;
    if (info->type) {
        ort_ReleaseTypeInfo(kept->type);
        kept->type = info->type;
        info->type = NULL;
    }
    ort_ReleaseValueInfo(info);
}

/* Makes n values the graph's, merged by name. False: no memory, and nothing changed. */
static bool take_values(OrtGraph *graph, OrtValueInfo **slots, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!slots[i] || enter(graph, slots[i]))
            continue;
        while (i-- > 0) {
            if (slots[i])
                leave(graph, slots[i]);
        }
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (slots[i])
            merge(graph, &slots[i]);
    }
    return true;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* OrtModelEditorApi since version 22: An empty graph, the caller's until AddGraphToModel. */
OrtStatus *ort_editor_CreateGraph(OrtGraph **graph)
{
    ORT_NEED(graph);
    *graph = calloc(1, sizeof **graph);
    return *graph ? NULL : ort_no_memory();
}

/* OrtApi since version 22: Nodes first; the tree of names owns the values. */
void ort_ReleaseGraph(OrtGraph *input)
{
    if (!input)
        return;
    for (size_t i = 0; i < input->n_nodes; i++)
        ort_ReleaseNode(input->nodes[i]);
    while (input->names) {
        OrtValueInfo *info = *(OrtValueInfo **)input->names;

        tdelete(info, &input->names, by_name);
        ort_ReleaseValueInfo(info);
    }
    free(input->nodes);
    free(input->inputs.items);
    free(input->outputs.items);
    free(input->initializers.items);
    free(input);
}

/* ORT_INVALID_ARGUMENT: a NULL, a value of another graph, or a name twice. */
static OrtStatus *check_infos(OrtValueInfo *const *infos, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        if (!infos[i])
            return ort_fail(ORT_INVALID_ARGUMENT, "%ss: entry %zu is NULL", what, i);
        if (infos[i]->graph)
            return ort_fail(ORT_INVALID_ARGUMENT, "%s '%s' belongs to a graph already", what,
                            infos[i]->name);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(infos[i]->name, infos[k]->name) == 0)
                return ort_fail(ORT_INVALID_ARGUMENT, "two %ss are called '%s'", what,
                                infos[i]->name);
        }
    }
    return NULL;
}

/* Replaces inputs or outputs; takes the caller's objects and clears its array, on success only. */
static OrtStatus *set_values(OrtGraph *graph, struct ort_info_list *list, OrtValueInfo **infos,
                             size_t n, const char *what)
{
    OrtValueInfo **items;
    OrtStatus *status = check_infos(infos, n, what);

    if (status)
        return status;
    items = calloc(n + 1, sizeof *items);
    if (!items)
        return ort_no_memory();
    for (size_t i = 0; i < n; i++)
        items[i] = infos[i];
    if (!take_values(graph, items, n)) {
        free(items);
        return ort_no_memory();
    }
    free(list->items);
    list->items = items;
    list->n = n;
    for (size_t i = 0; i < n; i++)
        infos[i] = NULL;
    return NULL;
}

/*
 * OrtModelEditorApi since version 22: The graph owns the values, and the caller's array is cleared;
 * on failure nothing changes.
 */
OrtStatus *ort_editor_SetGraphInputs(OrtGraph *graph, OrtValueInfo **inputs, size_t inputs_len)
{
    struct ort_info_list before;
    OrtStatus *status;

    ORT_NEED(graph);
    if (inputs_len > 0)
        ORT_NEED(inputs);
    before = graph->inputs;
    for (size_t i = 0; i < before.n; i++)
        before.items[i]->is_input = false;
    status = set_values(graph, &graph->inputs, inputs, inputs_len, "input");
    for (size_t i = 0; i < graph->inputs.n; i++)
        graph->inputs.items[i]->is_input = true;
    return status;
}

/* OrtModelEditorApi since version 22: As SetGraphInputs. */
OrtStatus *ort_editor_SetGraphOutputs(OrtGraph *graph, OrtValueInfo **outputs, size_t outputs_len)
{
    struct ort_info_list before;
    OrtStatus *status;

    ORT_NEED(graph);
    if (outputs_len > 0)
        ORT_NEED(outputs);
    before = graph->outputs;
    for (size_t i = 0; i < before.n; i++)
        before.items[i]->is_output = false;
    status = set_values(graph, &graph->outputs, outputs, outputs_len, "output");
    for (size_t i = 0; i < graph->outputs.n; i++)
        graph->outputs.items[i]->is_output = true;
    return status;
}

/* ---- initializers ---------------------------------------------------------------------------- */

/* A new value with a copy of the data. */
static OrtStatus *copy_tensor(const OrtValue *from, OrtValue **out)
{
    const bp_tensor *tensor = &from->tensor;
    OrtStatus *status = ort_CreateTensorAsOrtValue(ort_default_allocator(), tensor->dims,
                                                   tensor->rank, ort_dtype(tensor->dtype), out);

    if (!status && (*out)->tensor.bytes > 0)
        memcpy((*out)->tensor.base, bp_tensor_data(tensor), (*out)->tensor.bytes);
    return status;
}

/* ORT_INVALID_ARGUMENT: no name, no tensor, added before, or external and under 128 bytes. */
static OrtStatus *check_initializer(const OrtGraph *graph, const char *name, const OrtValue *tensor,
                                    bool is_external)
{
    size_t bytes = 0;
    OrtStatus *status;

    if (!name[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "an initializer needs a name");
    if (tensor->kind != ONNX_TYPE_TENSOR || !tensor->has_value)
        return ort_fail(ORT_INVALID_ARGUMENT, "initializer '%s': only tensors are supported", name);
    for (size_t i = 0; i < graph->initializers.n; i++) {
        if (graph->initializers.items[i]->value == tensor)
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "initializer '%s': the graph has the value as "
                            "'%s' already",
                            name, graph->initializers.items[i]->name);
    }
    if (!is_external)
        return NULL;
    if (tensor->tensor.dtype == BP_DTYPE_STRING)
        return ort_fail(ORT_INVALID_ARGUMENT, "initializer '%s': strings cannot be external data",
                        name);
    status = ort_GetTensorSizeInBytes(tensor, &bytes);
    if (!status && bytes < EXTERNAL_MIN)
        status = ort_fail(ORT_INVALID_ARGUMENT,
                          "initializer '%s': external data is for %d bytes and more, this has %zu; "
                          "make it with CreateTensorAsOrtValue and data_is_external false",
                          name, EXTERNAL_MIN, bytes);
    return status;
}

/* The graph's value for the initializer, added to its list. NULL: no memory. */
static OrtValueInfo *enter_initializer(OrtGraph *graph, const char *name, const bp_tensor *tensor)
{
    struct ort_info_list *list = &graph->initializers;
    OrtValueInfo **items = realloc(list->items, (list->n + 1) * sizeof *items);
    OrtTypeInfo *type;
    OrtValueInfo *info;

    if (!items)
        return NULL;
    list->items = items;
    type =
        ort_type_of_tensor(ort_shape_create(ort_dtype(tensor->dtype), tensor->dims, tensor->rank));
    info = type ? ort_info_create(name, type) : NULL;
    ort_ReleaseTypeInfo(type);
    if (!info || !take_values(graph, &info, 1)) {
        ort_ReleaseValueInfo(info);
        return NULL;
    }
    if (!info->value)
        items[list->n++] = info;
    return info;
}

/*
 * OrtModelEditorApi: The graph owns the value. Borrowed data that is not external is copied,
 * because the caller may change it.
 */
OrtStatus *ort_editor_AddInitializerToGraph(OrtGraph *graph, const char *name, OrtValue *tensor,
                                            bool data_is_external)
{
    OrtValue *copy = NULL;
    OrtValueInfo *info;
    OrtStatus *status;

    ORT_NEED(graph);
    ORT_NEED(name);
    ORT_NEED(tensor);
    status = check_initializer(graph, name, tensor, data_is_external);
    if (!status && !data_is_external && tensor->storage == ORT_BORROWED)
        status = copy_tensor(tensor, &copy);
    if (status)
        return status;
    info = enter_initializer(graph, name, &tensor->tensor);
    if (!info) {
        ort_ReleaseValue(copy);
        return ort_no_memory();
    }
    ort_ReleaseValue(info->value); /* an initializer of that name is replaced */
    info->value = copy ? copy : tensor;
    info->is_external = data_is_external;
    if (copy)
        ort_ReleaseValue(tensor);
    return NULL;
}

/* ---- nodes of a graph ------------------------------------------------------------------------ */

/* OrtModelEditorApi: The graph owns the node afterwards. */
OrtStatus *ort_editor_AddNodeToGraph(OrtGraph *graph, OrtNode *node)
{
    OrtNode **nodes;

    ORT_NEED(graph);
    ORT_NEED(node);
    if (node->graph)
        return ort_fail(ORT_INVALID_ARGUMENT, "node '%s' belongs to a graph already", node->name);
    /* doubles at powers of two */
    if ((graph->n_nodes & (graph->n_nodes - 1)) == 0) {
        size_t cap = graph->n_nodes ? graph->n_nodes * 2 : 1;

        nodes = realloc(graph->nodes, cap * sizeof(OrtNode *));
        if (!nodes)
            return ort_no_memory();
        graph->nodes = nodes;
    }
    if (!take_values(graph, node->values, node->n_in + node->n_out))
        return ort_no_memory();
    node->graph = graph;
    node->id = graph->n_nodes;
    graph->nodes[graph->n_nodes++] = node;
    return NULL;
}
