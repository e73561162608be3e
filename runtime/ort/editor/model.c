/* SPDX-License-Identifier: MIT */
/* model.c - OrtModel: imported operator sets and a graph. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/editor/graph.h"
#include "ort/status.h"

/* ORT_INVALID_ARGUMENT: a NULL domain, or a version below 1. */
static OrtStatus *check_opsets(const char *const *domains, const int *versions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!domains[i])
            return ort_fail(ORT_INVALID_ARGUMENT, "domain %zu is NULL; ONNX's own is an empty text",
                            i);
        if (versions[i] < 1)
            return ort_fail(ORT_INVALID_ARGUMENT, "operator set '%s': version %d is below 1",
                            domains[i], versions[i]);
    }
    return NULL;
}

/*
 * OrtModelEditorApi since version 22: Domains are copied; the model is the caller's to release,
 * also when a session was made of it.
 */
OrtStatus *ort_editor_CreateModel(const char *const *domain_names, const int *opset_versions,
                                  size_t opset_entries_len, OrtModel **model)
{
    OrtStatus *status;
    OrtModel *made;

    ORT_NEED(model);
    if (opset_entries_len > 0) {
        ORT_NEED(domain_names);
        ORT_NEED(opset_versions);
    }
    status = check_opsets(domain_names, opset_versions, opset_entries_len);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ort_no_memory();
    made->domains = calloc(opset_entries_len + 1, sizeof(char *));
    made->versions = calloc(opset_entries_len + 1, sizeof *made->versions);
    for (; made->domains && made->versions && made->n_opsets < opset_entries_len;
         made->n_opsets++) {
        made->domains[made->n_opsets] = strdup(domain_names[made->n_opsets]);
        if (!made->domains[made->n_opsets])
            break;
        made->versions[made->n_opsets] = opset_versions[made->n_opsets];
    }
    if (!made->domains || !made->versions || made->n_opsets < opset_entries_len) {
        ort_ReleaseModel(made);
        return ort_no_memory();
    }
    *model = made;
    return NULL;
}

/* OrtApi since version 22. */
void ort_ReleaseModel(OrtModel *input)
{
    if (!input)
        return;
    for (size_t i = 0; i < input->n_opsets; i++)
        free(input->domains[i]);
    free(input->domains);
    free(input->versions);
    ort_ReleaseGraph(input->graph);
    free(input);
}

/*
 * OrtModelEditorApi: The model owns the graph afterwards. A second graph is refused, because the
 * application may hold objects of the first.
 */
OrtStatus *ort_editor_AddGraphToModel(OrtModel *model, OrtGraph *graph)
{
    ORT_NEED(model);
    ORT_NEED(graph);
    if (graph->model)
        return ort_fail(ORT_INVALID_ARGUMENT, "the graph belongs to a model already");
    if (model->graph) /* nodes and values of it that the application holds would be gone */
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Model already has a graph. Make another model for this one");
    model->graph = graph;
    graph->model = model;
    return NULL;
}
