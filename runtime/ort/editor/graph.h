/* SPDX-License-Identifier: MIT */
/*
 * graph.h - OrtValueInfo, OrtNode, OrtGraph, OrtModel: what OrtModelEditorApi builds.
 *
 * A graph has one OrtValueInfo for each name, whoever brought it: nodes, inputs, outputs and
 * initializers of one name share it. What is added to a graph is the graph's from then on.
 */
#ifndef BP_ORT_EDITOR_GRAPH_H
#define BP_ORT_EDITOR_GRAPH_H

#include "ort/slots.h"
#include "ort/values/value.h"

/* The oldest IR version that has all of ONNX's types of tensors but those of 2 bits. */
enum { ORT_IR_VERSION = 10 };
#define ORT_GRAPH_NAME "main_graph"

struct OrtValueInfo {
    char *name;
    OrtTypeInfo *type; /* NULL: nobody said it */
    OrtGraph *graph;   /* whose it is; NULL: not added to one */
    OrtValue *value;   /* of an initializer */
    bool is_input, is_output, is_external;
};

struct OrtNode {
    char *op, *domain, *name;
    OrtValueInfo **ends; /* inputs, then outputs; NULL: left out */
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

/* A value that no graph has. NULL: no memory. */
OrtValueInfo *ort_info_create(const char *name, const OrtTypeInfo *type);
/*
 * The model as a ModelProto, which the caller frees: everything but the data of its initializers.
 * is_edit: only what it changes in another model, for bp_model_source.
 */
OrtStatus *ort_model_encode(const OrtModel *model, bool is_edit, void **out, size_t *size);

#endif
