/* SPDX-License-Identifier: MIT */
/* check_editor.c - OrtModelEditorApi: models that are built, and models that are changed. */

#include "config.h"

#include <unistd.h>

#include "ort/editor_kit.h"

enum { N = 64 };

static const int64_t square[] = {N, N};
static const int64_t row[] = {1, N};
static const int64_t small[] = {2, 3};

/* ---- types ----------------------------------------------------------------------------------- */

START_TEST(type_infos_of_every_kind_are_created)
{
    OrtTypeInfo *tensor = tensor_type(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, small, 2);
    OrtTypeInfo *made[3] = {NULL, NULL, NULL};
    OrtTensorTypeAndShapeInfo *shape = NULL;
    OrtTypeInfo *sparse = NULL;
    const OrtMapTypeInfo *map = NULL;
    ONNXTensorElementDataType key;
    ONNXType kind;

    ok(editor->CreateMapTypeInfo(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, tensor, &made[0]));
    ok(editor->CreateSequenceTypeInfo(tensor, &made[1]));
    ok(editor->CreateOptionalTypeInfo(made[1], &made[2]));
    ort->ReleaseTypeInfo(tensor);
    ok(ort->GetOnnxTypeFromTypeInfo(made[0], &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_MAP);
    ok(ort->CastTypeInfoToMapTypeInfo(made[0], &map));
    ok(ort->GetMapKeyType(map, &key));
    ck_assert_int_eq(key, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    ok(ort->GetOnnxTypeFromTypeInfo(made[1], &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_SEQUENCE);
    ok(ort->GetOnnxTypeFromTypeInfo(made[2], &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_OPTIONAL);

    ok(ort->CreateTensorTypeAndShapeInfo(&shape));
    fails(editor->CreateTensorTypeInfo(shape, &sparse), ORT_INVALID_ARGUMENT, "element type 0");
    ok(ort->SetTensorElementType(shape, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT));
    ok(editor->CreateSparseTensorTypeInfo(shape, &sparse));
    ok(ort->GetOnnxTypeFromTypeInfo(sparse, &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_SPARSETENSOR);
    ok(ort->SetDimensions(shape, (const int64_t[]){2, -2}, 2));
    fails(editor->CreateTensorTypeInfo(shape, &tensor), ORT_INVALID_ARGUMENT, "dimension 1 is -2");
    fails(editor->CreateMapTypeInfo(ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, sparse, &tensor),
          ORT_INVALID_ARGUMENT, "key type 0");
    ort->ReleaseTensorTypeAndShapeInfo(shape);
    ort->ReleaseTypeInfo(sparse);
    for (int i = 0; i < 3; i++)
        ort->ReleaseTypeInfo(made[i]);
}
END_TEST

START_TEST(CreateValueInfo_accepts_only_tensor_types)
{
    OrtTypeInfo *tensor = tensor_type(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, small, 2);
    OrtTypeInfo *sequence = NULL;
    OrtValueInfo *info = NULL;
    const char *name = NULL;

    ok(editor->CreateSequenceTypeInfo(tensor, &sequence));
    fails(editor->CreateValueInfo("v", sequence, &info), ORT_FAIL, "only tensor types");
    fails(editor->CreateValueInfo("", tensor, &info), ORT_INVALID_ARGUMENT, "name");
    ck_assert_ptr_null(info);
    ok(editor->CreateValueInfo("v", tensor, &info));
    ok(ort->GetValueInfoName(info, &name));
    ck_assert_str_eq(name, "v");
    ort->ReleaseValueInfo(info);
    ort->ReleaseTypeInfo(sequence);
    ort->ReleaseTypeInfo(tensor);
}
END_TEST

/* ---- models that are built ------------------------------------------------------------------- */

static float weights[N * N];

static void fill_weights(void)
{
    for (int i = 0; i < N * N; i++)
        weights[i] = (float)(i % 17) * 0.25f - 2.0f;
}

/* y = Relu(Gemm(x, w, b, alpha 0.5, transB)), the weights external, the bias owned by the graph. */
static OrtModel *build_gemm(void)
{
    const char *const in[] = {"x", "w", "b", NULL};
    OrtOpAttr *attrs[2] = {NULL, NULL};
    const float alpha = 0.5f;
    const int64_t trans = 1;
    OrtGraph *graph = NULL;
    OrtValue *bias = NULL;
    void *data = NULL;

    ok(editor->CreateGraph(&graph));
    set_input(graph, "x", row, 2);
    set_output(graph, "y", row, 2);
    ok(ort->CreateOpAttr("alpha", &alpha, 1, ORT_OP_ATTR_FLOAT, &attrs[0]));
    ok(ort->CreateOpAttr("transB", &trans, 1, ORT_OP_ATTR_INT, &attrs[1]));
    add_node(graph, "Relu", "g", NULL, "y"); /* before what it uses */
    ok(editor->AddNodeToGraph(graph, make_node("Gemm", "product", in, "g", attrs, 2)));
    ck_assert_ptr_null(attrs[0]);
    ck_assert_ptr_null(attrs[1]);
    ok(editor->AddInitializerToGraph(graph, "w", floats(weights, N * N, square, 2), true));
    ok(ort->CreateTensorAsOrtValue(heap, row + 1, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &bias));
    ok(ort->GetTensorMutableData(bias, &data));
    for (int i = 0; i < N; i++)
        ((float *)data)[i] = (float)i;
    ok(editor->AddInitializerToGraph(graph, "b", bias, false));
    return model_of(graph);
}

/* The same as bytes. */
static OrtSession *open_gemm_bytes(void)
{
    float bias[N];
    struct pw w;

    model_begin(&w);
    for (int i = 0; i < N; i++)
        bias[i] = (float)i;
    pw_open(&w, 1);
    pw_text(&w, 1, "x");
    pw_text(&w, 1, "w");
    pw_text(&w, 1, "b");
    pw_text(&w, 2, "g");
    pw_text(&w, 4, "Gemm");
    pw_open(&w, 5);
    pw_text(&w, 1, "alpha");
    pw_float(&w, 2, 0.5f);
    pw_int(&w, 20, 1);
    pw_close(&w);
    pw_open(&w, 5);
    pw_text(&w, 1, "transB");
    pw_int(&w, 3, 1);
    pw_int(&w, 20, 2);
    pw_close(&w);
    pw_close(&w);
    NODE(&w, "Relu", "y", "g");
    pw_raw_tensor(&w, 5, "w", 1, PW_DIMS(N, N), weights, sizeof weights);
    pw_raw_tensor(&w, 5, "b", 1, PW_DIMS(N), bias, sizeof bias);
    model_end(&w, 11, "x", TENSOR, 1, DIMS(1, N));
    model_end(&w, 12, "y", TENSOR, 1, DIMS(1, N));
    return model_open(&w, NULL);
}

START_TEST(a_built_model_runs_like_its_bytes)
{
    OrtModel *model;
    OrtSession *sessions[3] = {NULL, NULL, NULL};
    OrtValue *results[3];
    float x[N];

    fill_weights();
    for (int i = 0; i < N; i++)
        x[i] = (float)(i % 5) - 2.0f;
    model = build_gemm();
    ok(editor->CreateSessionFromModel(env, model, NULL, &sessions[0]));
    ok(editor->CreateSessionFromModel(env, model, NULL, &sessions[1]));
    ort->ReleaseModel(model); /* sessions keep what they need */
    sessions[2] = open_gemm_bytes();
    for (int i = 0; i < 3; i++) {
        results[i] = run_floats(sessions[i], "x", x, N, row, 2, "y");
        ck_assert_mem_eq(float_data(results[i]), float_data(results[0]), sizeof x);
    }
    ck_assert(float_data(results[0])[N - 1] > 0.0f);
    for (int i = 0; i < 3; i++) {
        ort->ReleaseValue(results[i]);
        ort->ReleaseSession(sessions[i]);
    }
}
END_TEST

START_TEST(a_session_of_a_built_model_reports_names_types_and_opsets)
{
    OrtModel *model = build_gemm();
    OrtSession *session = NULL;
    OrtTypeInfo *type = NULL;
    const OrtTensorTypeAndShapeInfo *shape = NULL;
    int64_t dims[2];
    char *name = NULL;
    size_t n = 0;
    int opset = 0;

    ok(editor->CreateSessionFromModel(env, model, NULL, &session));
    ort->ReleaseModel(model);
    ok(ort->SessionGetInputCount(session, &n));
    ck_assert_uint_eq(n, 1); /* initializers are none */
    ok(ort->SessionGetOutputName(session, 0, heap, &name));
    ck_assert_str_eq(name, "y");
    heap->Free(heap, name);
    ok(ort->SessionGetOutputTypeInfo(session, 0, &type));
    ok(ort->CastTypeInfoToTensorInfo(type, &shape));
    ok(ort->GetDimensions(shape, dims, 2));
    ck_assert_int_eq(dims[1], N);
    ort->ReleaseTypeInfo(type);
    ok(editor->SessionGetOpsetForDomain(session, "", &opset));
    ck_assert_int_eq(opset, 18);
    ok(editor->SessionGetOpsetForDomain(session, "ai.onnx", &opset));
    fails(editor->SessionGetOpsetForDomain(session, "com.example", &opset), ORT_INVALID_ARGUMENT,
          "Domain not used by model: 'com.example'");
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(attributes_of_all_kinds_reach_the_node)
{
    /* a list of floats in Constant, a text in Resize, a list of integers in Transpose */
    static const float scales[] = {1.0f, 2.0f};
    static const int64_t perm[] = {1, 0};
    static const char mode[] = {'n', 'e', 'a', 'r', 'e', 's', 't'};
    const char *const none[] = {NULL};
    const char *const resize_in[] = {"x", "", "scales", NULL};
    const char *const transpose_in[] = {"big", NULL};
    OrtOpAttr *attr = NULL;
    OrtGraph *graph = NULL;
    OrtModel *model;
    OrtSession *session = NULL;
    OrtValue *result;
    float x[] = {1, 2, 3, 4, 5, 6};
    const int64_t out_dims[] = {6, 2};

    ok(editor->CreateGraph(&graph));
    set_input(graph, "x", small, 2);
    set_output(graph, "y", out_dims, 2);
    ok(ort->CreateOpAttr("value_floats", scales, 2, ORT_OP_ATTR_FLOATS, &attr));
    ok(editor->AddNodeToGraph(graph, make_node("Constant", "c", none, "scales", &attr, 1)));
    ok(ort->CreateOpAttr("mode", mode, sizeof mode, ORT_OP_ATTR_STRING, &attr));
    ok(editor->AddNodeToGraph(graph, make_node("Resize", "r", resize_in, "big", &attr, 1)));
    ok(ort->CreateOpAttr("perm", perm, 2, ORT_OP_ATTR_INTS, &attr));
    ok(editor->AddNodeToGraph(graph, make_node("Transpose", "t", transpose_in, "y", &attr, 1)));
    model = model_of(graph);
    ok(editor->CreateSessionFromModel(env, model, NULL, &session));
    ort->ReleaseModel(model);
    result = run_floats(session, "x", x, 6, small, 2, "y");
    ck_assert(float_data(result)[0] == 1.0f);
    ck_assert(float_data(result)[1] == 4.0f);
    ck_assert(float_data(result)[2] == 1.0f);
    ck_assert(float_data(result)[11] == 6.0f);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(a_built_model_has_string_initializers)
{
    const char *const texts[] = {"yes", "no"};
    const char *const none[] = {NULL};
    const char *const in[] = {"s", "t", NULL};
    const int64_t two[] = {2};
    const char *const output[] = {"same"};
    OrtOpAttr *attr = NULL;
    OrtTypeInfo *type = tensor_type(ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, two, 1);
    OrtValueInfo *info = NULL;
    OrtGraph *graph = NULL;
    OrtModel *model;
    OrtSession *session = NULL;
    OrtValue *value = NULL;
    OrtValue *result = NULL;
    void *data = NULL;

    ok(editor->CreateGraph(&graph));
    ok(editor->CreateValueInfo("same", type, &info));
    ort->ReleaseTypeInfo(type);
    ok(editor->SetGraphOutputs(graph, &info, 1));
    ok(ort->CreateTensorAsOrtValue(heap, two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &value));
    ok(ort->FillStringTensor(value, texts, 2));
    fails(editor->AddInitializerToGraph(graph, "s", value, true), ORT_INVALID_ARGUMENT, "strings");
    ok(editor->AddInitializerToGraph(graph, "s", value, false));
    ok(ort->CreateOpAttr("value_strings", (const char *const[]){"yes", "maybe"}, 2,
                         ORT_OP_ATTR_STRINGS, &attr));
    ok(editor->AddNodeToGraph(graph, make_node("Constant", "c", none, "t", &attr, 1)));
    ok(editor->AddNodeToGraph(graph, make_node("Equal", "e", in, "same", NULL, 0)));
    {
        const char *const domains[] = {""};
        const int versions[] = {19}; /* the first whose Equal takes strings */

        ok(editor->CreateModel(domains, versions, 1, &model));
        ok(editor->AddGraphToModel(model, graph));
    }
    ok(editor->CreateSessionFromModel(env, model, NULL, &session));
    ort->ReleaseModel(model);
    ok(ort->Run(session, NULL, NULL, NULL, 0, output, 1, &result));
    ok(ort->GetTensorMutableData(result, &data));
    ck_assert_uint_eq(((const uint8_t *)data)[0], 1);
    ck_assert_uint_eq(((const uint8_t *)data)[1], 0);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(data_that_is_not_external_is_copied)
{
    float *data = malloc(6 * sizeof *data);
    float x[6] = {0};
    OrtGraph *graph = NULL;
    OrtModel *model;
    OrtSession *session = NULL;
    OrtValue *result;

    ck_assert_ptr_nonnull(data);
    for (int i = 0; i < 6; i++)
        data[i] = (float)i;
    ok(editor->CreateGraph(&graph));
    set_input(graph, "x", small, 2);
    set_output(graph, "y", small, 2);
    add_node(graph, "Add", "x", "k", "y");
    ok(editor->AddInitializerToGraph(graph, "k", floats(x, 6, small, 2), false));
    ok(editor->AddInitializerToGraph(graph, "k", floats(data, 6, small, 2), false)); /* wins */
    free(data);
    model = model_of(graph);
    ok(editor->CreateSessionFromModel(env, model, NULL, &session));
    ort->ReleaseModel(model);
    result = run_floats(session, "x", x, 6, small, 2, "y");
    ck_assert(float_data(result)[5] == 5.0f);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(options_replace_initializers_of_built_models)
{
    float data[6] = {1, 1, 1, 1, 1, 1};
    float others[6] = {2, 2, 2, 2, 2, 2};
    OrtValue *value = floats(others, 6, small, 2);
    OrtSessionOptions *options = NULL;
    OrtGraph *graph = NULL;
    OrtModel *model;
    OrtSession *session = NULL;
    OrtValue *result;

    ok(editor->CreateGraph(&graph));
    set_input(graph, "x", small, 2);
    set_output(graph, "y", small, 2);
    add_node(graph, "Add", "x", "k", "y");
    ok(editor->AddInitializerToGraph(graph, "k", floats(data, 6, small, 2), false));
    model = model_of(graph);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddInitializer(options, "k", value));
    ok(editor->CreateSessionFromModel(env, model, options, &session));
    result = run_floats(session, "x", data, 6, small, 2, "y");
    ck_assert(float_data(result)[0] == 3.0f);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
    ort->ReleaseValue(value);
    ort->ReleaseModel(model);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

START_TEST(a_failed_call_does_not_take_ownership)
{
    float tiny[6] = {0};
    const char *const names[] = {NULL};
    const char *const out[] = {"y"};
    const int64_t number = 1;
    OrtOpAttr *attrs[2] = {NULL, NULL};
    OrtValueInfo *infos[2] = {float_info("a", small, 2), NULL};
    OrtValue *value = floats(tiny, 6, small, 2);
    OrtGraph *graph = NULL;
    OrtNode *node = NULL;

    ok(editor->CreateGraph(&graph));
    fails(editor->SetGraphInputs(graph, infos, 2), ORT_INVALID_ARGUMENT, "entry 1 is NULL");
    ck_assert_ptr_nonnull(infos[0]);
    infos[1] = float_info("a", small, 2);
    fails(editor->SetGraphOutputs(graph, infos, 2), ORT_INVALID_ARGUMENT,
          "two outputs are called 'a'");
    ort->ReleaseValueInfo(infos[1]);
    ort->ReleaseValueInfo(infos[0]);

    fails(editor->AddInitializerToGraph(graph, "k", value, true), ORT_INVALID_ARGUMENT,
          "'k': external data is for 128 bytes and more, this has 24");
    fails(editor->AddInitializerToGraph(graph, "", value, false), ORT_INVALID_ARGUMENT, "name");
    ok(editor->AddInitializerToGraph(graph, "k", value, false));

    ok(ort->CreateOpAttr("axis", &number, 1, ORT_OP_ATTR_INT, &attrs[0]));
    fails(editor->CreateNode("Softmax", "", "n", names, 1, out, 1, attrs, 1, &node),
          ORT_INVALID_ARGUMENT, "input name 0 is NULL");
    fails(editor->CreateNode("Softmax", "", "n", out, 1, out, 1, attrs, 2, &node),
          ORT_INVALID_ARGUMENT, "attribute 1 is NULL");
    fails(editor->CreateNode("", "", "n", out, 1, out, 1, attrs, 1, &node), ORT_INVALID_ARGUMENT,
          "'n' has no operator");
    ck_assert_ptr_nonnull(attrs[0]);
    ck_assert_ptr_null(node);
    ort->ReleaseOpAttr(attrs[0]);
    ort->ReleaseGraph(graph);
}
END_TEST

START_TEST(an_owned_node_or_graph_is_refused)
{
    OrtGraph *graph = NULL;
    OrtGraph *second = NULL;
    OrtModel *model;
    OrtModel *other = NULL;
    const char *const in[] = {"x", NULL};
    OrtNode *node = make_node("Relu", "n", in, "y", NULL, 0);

    ok(editor->CreateGraph(&graph));
    ok(editor->CreateGraph(&second));
    ok(editor->AddNodeToGraph(graph, node));
    fails(editor->AddNodeToGraph(second, node), ORT_INVALID_ARGUMENT, "'n' belongs to a graph");
    model = model_of(graph);
    ok(editor->CreateModel(NULL, NULL, 0, &other));
    fails(editor->AddGraphToModel(other, graph), ORT_INVALID_ARGUMENT, "belongs to a model");
    fails(editor->AddGraphToModel(model, second), ORT_INVALID_ARGUMENT, "already has a graph");
    ort->ReleaseGraph(second);
    ort->ReleaseModel(other);
    ort->ReleaseModel(model);
}
END_TEST

START_TEST(session_creation_refuses_an_invalid_built_model)
{
    const char *const domains[] = {"", NULL};
    const int versions[] = {0, 1};
    const int good[] = {18};
    OrtModel *model = NULL;
    OrtGraph *graph = NULL;
    OrtSession *session = NULL;

    fails(editor->CreateModel(domains, versions, 1, &model), ORT_INVALID_ARGUMENT, "version 0");
    fails(editor->CreateModel(domains + 1, good, 1, &model), ORT_INVALID_ARGUMENT, "NULL");
    ok(editor->CreateModel(domains, good, 1, &model));
    fails(editor->CreateSessionFromModel(env, model, NULL, &session), ORT_INVALID_ARGUMENT,
          "has no graph");
    ort->ReleaseModel(model);

    ok(editor->CreateGraph(&graph));
    set_output(graph, "y", small, 2);
    add_node(graph, "Relu", "nothing", NULL, "y");
    model = model_of(graph);
    fails(editor->CreateSessionFromModel(env, model, NULL, &session), ORT_INVALID_GRAPH, "nothing");
    ck_assert_ptr_null(session);
    ort->ReleaseModel(model);
}
END_TEST

START_TEST(editor_functions_refuse_NULL_arguments)
{
    fails(editor->CreateTensorTypeInfo(NULL, NULL), ORT_INVALID_ARGUMENT, "tensor_info");
    fails(editor->CreateSparseTensorTypeInfo(NULL, NULL), ORT_INVALID_ARGUMENT, "tensor_info");
    fails(editor->CreateMapTypeInfo(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, NULL, NULL),
          ORT_INVALID_ARGUMENT, "map_value_type");
    fails(editor->CreateSequenceTypeInfo(NULL, NULL), ORT_INVALID_ARGUMENT, "sequence_type");
    fails(editor->CreateOptionalTypeInfo(NULL, NULL), ORT_INVALID_ARGUMENT, "contained_type");
    fails(editor->CreateValueInfo(NULL, NULL, NULL), ORT_INVALID_ARGUMENT, "name");
    fails(editor->CreateNode(NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, NULL),
          ORT_INVALID_ARGUMENT, "operator_name");
    fails(editor->CreateGraph(NULL), ORT_INVALID_ARGUMENT, "graph");
    fails(editor->SetGraphInputs(NULL, NULL, 0), ORT_INVALID_ARGUMENT, "graph");
    fails(editor->SetGraphOutputs(NULL, NULL, 0), ORT_INVALID_ARGUMENT, "graph");
    fails(editor->AddInitializerToGraph(NULL, NULL, NULL, false), ORT_INVALID_ARGUMENT, "graph");
    fails(editor->AddNodeToGraph(NULL, NULL), ORT_INVALID_ARGUMENT, "graph");
    fails(editor->CreateModel(NULL, NULL, 1, NULL), ORT_INVALID_ARGUMENT, "model");
    fails(editor->AddGraphToModel(NULL, NULL), ORT_INVALID_ARGUMENT, "model");
    fails(editor->CreateSessionFromModel(NULL, NULL, NULL, NULL), ORT_INVALID_ARGUMENT, "env");
    fails(editor->CreateModelEditorSession(NULL, NULL, NULL, NULL), ORT_INVALID_ARGUMENT, "env");
    fails(editor->CreateModelEditorSessionFromArray(NULL, NULL, 0, NULL, NULL),
          ORT_INVALID_ARGUMENT, "env");
    fails(editor->SessionGetOpsetForDomain(NULL, NULL, NULL), ORT_INVALID_ARGUMENT, "session");
    fails(editor->ApplyModelToModelEditorSession(NULL, NULL), ORT_INVALID_ARGUMENT, "session");
    fails(editor->FinalizeModelEditorSession(NULL, NULL, NULL), ORT_INVALID_ARGUMENT, "session");
}
END_TEST

/* ---- models that are changed ----------------------------------------------------------------- */

static void write_add(struct pw *w)
{
    static const float ones[] = {1, 1, 1, 1, 1, 1};

    model_begin(w);
    NODE(w, "Add", "y", "x", "k");
    pw_raw_tensor(w, 5, "k", 1, PW_DIMS(2, 3), ones, sizeof ones);
    model_end(w, 11, "x", TENSOR, 1, DIMS(2, 3));
    model_end(w, 12, "y", TENSOR, 1, DIMS(2, 3));
    pw_close(w);
}

static OrtSession *edit_add(void)
{
    OrtSession *session = NULL;
    struct pw w;

    write_add(&w);
    ok(editor->CreateModelEditorSessionFromArray(env, w.data, w.size, NULL, &session));
    pw_free(&w); /* it was copied */
    return session;
}

/* The model's y goes through Mul by `by` to z. */
static OrtModel *build_tail(float *by, const char *from, const char *to)
{
    const char *const domains[] = {""};
    const int versions[] = {17};
    OrtGraph *graph = NULL;
    OrtModel *model = NULL;
    char k[16];

    snprintf(k, sizeof k, "k_%s", to);
    ok(editor->CreateGraph(&graph));
    set_output(graph, to, small, 2);
    add_node(graph, "Mul", from, k, to);
    ok(editor->AddInitializerToGraph(graph, k, floats(by, 6, small, 2), false));
    ok(editor->CreateModel(domains, versions, 1, &model));
    ok(editor->AddGraphToModel(model, graph));
    return model;
}

START_TEST(several_models_are_applied_to_an_edited_session)
{
    float factor[] = {1, 2, 3, 4, 5, 6};
    float x[] = {1, 1, 1, 1, 1, 1};
    OrtSession *session = edit_add();
    OrtSessionOptions *options = NULL;
    OrtModel *model;
    OrtValue *value = floats(x, 6, small, 2);
    OrtValue *result = NULL;
    const char *const in[] = {"x"};
    const char *const out[] = {"z2"};
    char *name = NULL;
    int opset = 0;

    ok(editor->SessionGetOpsetForDomain(session, "", &opset));
    ck_assert_int_eq(opset, 17);
    ok(ort->SessionGetOutputName(session, 0, heap, &name));
    ck_assert_str_eq(name, "y");
    heap->Free(heap, name);
    fails(ort->Run(session, NULL, in, (const OrtValue *const *)&value, 1, out, 1, &result),
          ORT_FAIL, "Session not initialized");

    model = build_tail(factor, "y", "z");
    ok(editor->ApplyModelToModelEditorSession(session, model));
    ort->ReleaseModel(model);
    model = build_tail(factor, "z", "z2");
    ok(editor->ApplyModelToModelEditorSession(session, model));
    ort->ReleaseModel(model);
    ok(ort->SessionGetOutputName(session, 0, heap, &name));
    ck_assert_str_eq(name, "z2");
    heap->Free(heap, name);

    ok(ort->CreateSessionOptions(&options));
    ok(editor->FinalizeModelEditorSession(session, options, NULL));
    fails(editor->FinalizeModelEditorSession(session, options, NULL), ORT_FAIL, "ready to run");
    ort->ReleaseSessionOptions(options);
    ok(ort->Run(session, NULL, in, (const OrtValue *const *)&value, 1, out, 1, &result));
    ck_assert(float_data(result)[5] == 72.0f); /* (1 + 1) * 6 * 6 */
    ort->ReleaseValue(result);
    ort->ReleaseValue(value);
    ort->ReleaseSession(session);
}
END_TEST

/* As programs put a conversion before a model: the input is another one, the old one is made. */
START_TEST(an_applied_model_replaces_an_input)
{
    const char *const in[] = {"whole", NULL};
    const char *const names[] = {"whole"};
    const char *const out[] = {"y"};
    const int64_t to = 1;
    int64_t data[] = {1, 2, 3, 4, 5, 6};
    OrtOpAttr *attr = NULL;
    OrtTypeInfo *type = tensor_type(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, small, 2);
    OrtValueInfo *info = NULL;
    OrtSession *session = edit_add();
    OrtSessionOptions *options = NULL;
    OrtGraph *graph = NULL;
    OrtModel *model = NULL;
    OrtValue *value = NULL;
    OrtValue *result = NULL;
    char *name = NULL;

    ok(editor->CreateGraph(&graph));
    ok(editor->CreateValueInfo("whole", type, &info));
    ort->ReleaseTypeInfo(type);
    ok(editor->SetGraphInputs(graph, &info, 1));
    ok(ort->CreateOpAttr("to", &to, 1, ORT_OP_ATTR_INT, &attr));
    ok(editor->AddNodeToGraph(graph, make_node("Cast", "cast", in, "x", &attr, 1)));
    ok(editor->CreateModel(NULL, NULL, 0, &model));
    ok(editor->AddGraphToModel(model, graph));
    ok(editor->ApplyModelToModelEditorSession(session, model));
    ort->ReleaseModel(model);
    ok(ort->CreateSessionOptions(&options));
    ok(editor->FinalizeModelEditorSession(session, options, NULL));
    ort->ReleaseSessionOptions(options);

    ok(ort->SessionGetInputName(session, 0, heap, &name));
    ck_assert_str_eq(name, "whole");
    heap->Free(heap, name);
    ok(ort->CreateTensorWithDataAsOrtValue(cpu, data, sizeof data, small, 2,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &value));
    ok(ort->Run(session, NULL, names, (const OrtValue *const *)&value, 1, out, 1, &result));
    ck_assert(float_data(result)[5] == 7.0f);
    ort->ReleaseValue(result);
    ort->ReleaseValue(value);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(a_failed_edit_leaves_the_session_unchanged)
{
    float factor[] = {1, 2, 3, 4, 5, 6};
    float x[] = {1, 1, 1, 1, 1, 1};
    OrtSession *session = edit_add();
    OrtSessionOptions *options = NULL;
    OrtModel *model = build_tail(factor, "there is no such value", "z");
    OrtValue *result;

    fails(editor->ApplyModelToModelEditorSession(session, model), ORT_INVALID_GRAPH,
          "there is no such value");
    ort->ReleaseModel(model);
    ok(editor->CreateModel(NULL, NULL, 0, &model));
    fails(editor->ApplyModelToModelEditorSession(session, model), ORT_INVALID_ARGUMENT, "no graph");
    ort->ReleaseModel(model);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddSessionConfigEntry(options, "ep.context_enable", "1"));
    fails(editor->FinalizeModelEditorSession(session, options, NULL), ORT_INVALID_ARGUMENT,
          "ep.context_file_path");
    ort->ReleaseSessionOptions(options);
    ok(ort->CreateSessionOptions(&options));
    ok(editor->FinalizeModelEditorSession(session, options, NULL));
    ort->ReleaseSessionOptions(options);
    result = run_floats(session, "x", x, 6, small, 2, "y");
    ck_assert(float_data(result)[5] == 2.0f);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(a_session_edits_a_model_from_a_file)
{
    char path[512];
    float factor[] = {2, 2, 2, 2, 2, 2};
    float x[] = {1, 1, 1, 1, 1, 1};
    OrtSession *session = NULL;
    OrtSessionOptions *options = NULL;
    OrtModel *model = build_tail(factor, "y", "z");
    OrtValue *result;
    struct pw w;
    int file;

    temporary(path, sizeof path);
    file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    write_add(&w);
    ck_assert_int_eq(write(file, w.data, w.size), (ssize_t)w.size);
    pw_free(&w);
    close(file);
    fails(editor->CreateModelEditorSession(env, "/nonexistent.onnx", NULL, &session),
          ORT_NO_SUCHFILE, "nonexistent");
    ok(editor->CreateModelEditorSession(env, path, NULL, &session));
    ok(editor->ApplyModelToModelEditorSession(session, model));
    ort->ReleaseModel(model);
    ok(ort->CreateSessionOptions(&options));
    ok(editor->FinalizeModelEditorSession(session, options, NULL));
    ort->ReleaseSessionOptions(options);
    unlink(path);
    result = run_floats(session, "x", x, 6, small, 2, "z");
    ck_assert(float_data(result)[0] == 4.0f);
    ort->ReleaseValue(result);
    ort->ReleaseSession(session);
    fails(editor->CreateModelEditorSessionFromArray(env, x, 0, NULL, &session),
          ORT_INVALID_ARGUMENT, "no bytes");
}
END_TEST

START_TEST(a_session_that_is_ready_to_run_cannot_be_edited)
{
    float factor[] = {1, 2, 3, 4, 5, 6};
    OrtSession *session = open_add(NULL);
    OrtModel *model = build_tail(factor, "C", "z");

    fails(editor->ApplyModelToModelEditorSession(session, model), ORT_FAIL, "ready to run");
    ort->ReleaseModel(model);
    ort->ReleaseSession(session);
    session = edit_add(); /* released without an end */
    ort->ReleaseSession(session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("editor");
    TCase *tcase = tcase_create("editor");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup_editor, teardown);
    tcase_add_test(tcase, type_infos_of_every_kind_are_created);
    tcase_add_test(tcase, CreateValueInfo_accepts_only_tensor_types);
    tcase_add_test(tcase, a_built_model_runs_like_its_bytes);
    tcase_add_test(tcase, a_session_of_a_built_model_reports_names_types_and_opsets);
    tcase_add_test(tcase, attributes_of_all_kinds_reach_the_node);
    tcase_add_test(tcase, a_built_model_has_string_initializers);
    tcase_add_test(tcase, data_that_is_not_external_is_copied);
    tcase_add_test(tcase, options_replace_initializers_of_built_models);
    tcase_add_test(tcase, a_failed_call_does_not_take_ownership);
    tcase_add_test(tcase, an_owned_node_or_graph_is_refused);
    tcase_add_test(tcase, session_creation_refuses_an_invalid_built_model);
    tcase_add_test(tcase, editor_functions_refuse_NULL_arguments);
    tcase_add_test(tcase, several_models_are_applied_to_an_edited_session);
    tcase_add_test(tcase, an_applied_model_replaces_an_input);
    tcase_add_test(tcase, a_failed_edit_leaves_the_session_unchanged);
    tcase_add_test(tcase, a_session_edits_a_model_from_a_file);
    tcase_add_test(tcase, a_session_that_is_ready_to_run_cannot_be_edited);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
