/* SPDX-License-Identifier: MIT */
/* editor_kit.h - what tests of OrtModelEditorApi share: short ways to its objects. */
#ifndef BP_TESTS_ORT_EDITOR_KIT_H
#define BP_TESTS_ORT_EDITOR_KIT_H

#include "ort/kit.h"

static const OrtModelEditorApi *editor;

static inline void setup_editor(void)
{
    setup();
    editor = ort->GetModelEditorApi();
}

static inline OrtTypeInfo *tensor_type(ONNXTensorElementDataType dtype, const int64_t *dims,
                                       size_t rank)
{
    OrtTensorTypeAndShapeInfo *shape = NULL;
    OrtTypeInfo *type = NULL;

    ok(ort->CreateTensorTypeAndShapeInfo(&shape));
    ok(ort->SetTensorElementType(shape, dtype));
    ok(ort->SetDimensions(shape, dims, rank));
    ok(editor->CreateTensorTypeInfo(shape, &type));
    ort->ReleaseTensorTypeAndShapeInfo(shape);
    return type;
}

static inline OrtValueInfo *float_info(const char *name, const int64_t *dims, size_t rank)
{
    OrtTypeInfo *type = tensor_type(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, dims, rank);
    OrtValueInfo *info = NULL;

    ok(editor->CreateValueInfo(name, type, &info));
    ort->ReleaseTypeInfo(type);
    return info;
}

/* An input or output of a graph, the only one. */
static inline void set_input(OrtGraph *graph, const char *name, const int64_t *dims, size_t rank)
{
    OrtValueInfo *info = float_info(name, dims, rank);

    ok(editor->SetGraphInputs(graph, &info, 1));
    ck_assert_ptr_null(info);
}

static inline void set_output(OrtGraph *graph, const char *name, const int64_t *dims, size_t rank)
{
    OrtValueInfo *info = float_info(name, dims, rank);

    ok(editor->SetGraphOutputs(graph, &info, 1));
    ck_assert_ptr_null(info);
}

/* Inputs up to the first NULL. */
static inline OrtNode *make_node(const char *op, const char *name, const char *const *in,
                                 const char *out, OrtOpAttr **attrs, size_t n_attrs)
{
    OrtNode *node = NULL;
    size_t n = 0;

    while (in[n])
        n++;
    ok(editor->CreateNode(op, "", name, in, n, &out, 1, attrs, n_attrs, &node));
    return node;
}

static inline void add_node(OrtGraph *graph, const char *op, const char *a, const char *b,
                            const char *out)
{
    const char *const in[] = {a, b, NULL};

    ok(editor->AddNodeToGraph(graph, make_node(op, out, in, out, NULL, 0)));
}

static inline OrtModel *model_of(OrtGraph *graph)
{
    const char *const domains[] = {""};
    const int versions[] = {18};
    OrtModel *model = NULL;

    ok(editor->CreateModel(domains, versions, 1, &model));
    ok(editor->AddGraphToModel(model, graph));
    return model;
}

/* A pattern for mkstemp() and mkdtemp(). */
static inline void temporary(char *path, size_t size)
{
    const char *dir = getenv("TMPDIR");

    snprintf(path, size, "%s/bp-check-XXXXXX", dir && *dir ? dir : "/tmp");
}

/* Runs a session from one input of floats to one output; the caller releases it. */
static inline OrtValue *run_floats(OrtSession *session, const char *in, float *data, size_t n,
                                   const int64_t *dims, size_t rank, const char *out)
{
    OrtValue *value = floats(data, n, dims, rank);
    OrtValue *result = NULL;

    ok(ort->Run(session, NULL, &in, (const OrtValue *const *)&value, 1, &out, 1, &result));
    ort->ReleaseValue(value);
    return result;
}

#endif
