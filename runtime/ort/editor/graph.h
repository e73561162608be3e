/* SPDX-License-Identifier: MIT */
/*
 * graph.h - OrtValueInfo, OrtNode, OrtGraph, OrtModel: what OrtModelEditorApi builds.
 *
 * A graph has one OrtValueInfo for each name: nodes, inputs, outputs and initializers share it. A graph
 * owns what is added to it. Thread rule: one thread at a time for each model.
 */
#ifndef BP_ORT_EDITOR_GRAPH_H
#define BP_ORT_EDITOR_GRAPH_H

#include "ort/slots.h"
#include "ort/values/value.h"

/*
 * The IR version that built models declare. It has no FLOAT4E2M1, FLOAT8E8M0, INT2 and UINT2, but the
 * host reads them in models of any IR version.
 */
enum { ORT_IR_VERSION = 10 };
#define ORT_GRAPH_NAME "main_graph"

struct OrtValueInfo {
    char *name;
    OrtTypeInfo *type; /* NULL: not declared */
    OrtGraph *graph;   /* its owner; NULL: not added to one */
    OrtValue *value;   /* of an initializer */
    bool is_input, is_output, is_external;
};

struct OrtNode {
    char *op, *domain, *name;
    OrtValueInfo **values; /* inputs, then outputs; NULL: absent */
    size_t n_in, n_out;
    OrtOpAttr **attrs;
    size_t n_attrs;
    OrtGraph *graph; /* NULL: not added to one */
    size_t id;       /* its place in that */
};

struct ort_info_list {
    OrtValueInfo **items;
    size_t n;
};

struct OrtGraph {
    void *names; /* a tree of its values, for tsearch(); it owns them */
    struct ort_info_list inputs, outputs, initializers;
    OrtNode **nodes;
    size_t n_nodes;
    OrtModel *model; /* NULL: not added to one */
};

struct OrtModel {
    char **domains;
    int *versions;
    size_t n_opsets;
    OrtGraph *graph; /* NULL: none yet */
};

/* A value that belongs to no graph; the type is copied. NULL: no memory. */
OrtValueInfo *ort_info_create(const char *name, const OrtTypeInfo *type);
/*
 * The model as a ModelProto without the data of initializers, for the caller to free(). is_edit: only
 * what it changes in another model (bp_model_source.edits).
 */
OrtStatus *ort_model_encode(const OrtModel *model, bool is_edit, void **out, size_t *size);

#endif
