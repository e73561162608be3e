/* SPDX-License-Identifier: MIT */
/* world.h - one of each object of the C ABI, for tests that use them wrongly. */
#ifndef BP_TESTS_ORT_WORLD_H
#define BP_TESTS_ORT_WORLD_H

#include "ort/editor_kit.h"

enum { VALUES = 7, TYPES = 4 };

static struct {
    OrtSession *session;
    OrtSessionOptions *session_options;
    OrtRunOptions *run_options;
    OrtIoBinding *binding;
    OrtThreadingOptions *threading;
    OrtKeyValuePairs *pairs;
    OrtModelMetadata *metadata;
    OrtTensorTypeAndShapeInfo *shape;
    OrtOpAttr *op_attr;
    OrtPrepackedWeightsContainer *prepacked;
    OrtArenaCfg *arena;
    OrtCANNProviderOptions *cann;
    OrtCUDAProviderOptionsV2 *cuda;
    OrtDnnlProviderOptions *dnnl;
    OrtTensorRTProviderOptionsV2 *tensorrt;
    OrtROCMProviderOptions *rocm;
    OrtCustomOpDomain *domain;
    OrtGraph *graph;
    const OrtNode *node;
    const OrtValueInfo *value_info;
    OrtExternalInitializerInfo *external;
    OrtDeviceEpIncompatibilityDetails *details;
    OrtSession *recorded; /* says where its nodes are */
    const OrtEpAssignedSubgraph *subgraph;
    const OrtEpAssignedNode *assigned_node;
    OrtStatus *status;
    const OrtEpDevice *const *ep_devices;
    const OrtHardwareDevice *hardware;
    OrtValue *values[VALUES]; /* the first is an ordinary tensor */
    OrtTypeInfo *types[TYPES];
    const OrtMapTypeInfo *map_type;
    const OrtSequenceTypeInfo *sequence_type;
    const OrtOptionalTypeInfo *optional_type;
    float numbers[6];
} world;

/* Y = X for a type: runs give values that the ABI cannot make, and all have type infos. */
static inline OrtSession *open_identity(int kind)
{
    struct pw w;

    model_begin(&w);
    NODE(&w, "Identity", "Y", "X");
    model_end(&w, 11, "X", kind, 1, NULL);
    model_end(&w, 12, "Y", kind, 1, NULL);
    return model_open(&w, NULL);
}

/* An optional without a value. */
static inline OrtValue *make_nothing(void)
{
    static const char *const names[] = {"Y"};
    OrtSession *session;
    OrtValue *value = NULL;
    struct pw w;

    model_begin(&w);
    pw_open_node(&w, "Optional", "", "Y");
    pw_open_attr(&w, "type", 13);
    pw_open(&w, 14);
    pw_open(&w, TENSOR);
    pw_int(&w, 1, 1);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    model_end(&w, 12, "Y", OPTIONAL, 1, NULL);
    session = model_open(&w, NULL);
    ok(ort->Run(session, NULL, NULL, NULL, 0, names, 1, &value));
    ort->ReleaseSession(session);
    return value;
}

static inline void make_values(void)
{
    static const int64_t two[] = {2}, none[] = {0};
    OrtValue *parts[2];

    world.values[0] = floats(world.numbers, 6, two_by_three, 2);
    ok(ort->CreateTensorAsOrtValue(heap, two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
                                   &world.values[1]));
    ok(ort->CreateValue((const OrtValue *const *)world.values, 1, ONNX_TYPE_SEQUENCE,
                        &world.values[2]));
    ok(ort->CreateTensorAsOrtValue(heap, two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &parts[0]));
    parts[1] = floats(world.numbers, 2, two, 1);
    ok(ort->CreateValue((const OrtValue *const *)parts, 2, ONNX_TYPE_MAP, &world.values[3]));
    ort->ReleaseValue(parts[0]);
    ort->ReleaseValue(parts[1]);
    ok(ort->CreateSparseTensorAsOrtValue(heap, two_by_three, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                         &world.values[4]));
    world.values[5] = make_nothing();
    ok(ort->CreateTensorAsOrtValue(heap, none, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                   &world.values[6]));
}

static inline OrtTypeInfo *input_type(int kind)
{
    OrtSession *session = open_identity(kind);
    OrtTypeInfo *type = NULL;

    ok(ort->SessionGetInputTypeInfo(session, 0, &type));
    ort->ReleaseSession(session);
    return type;
}

static inline void make_types(void)
{
    world.types[0] = input_type(TENSOR);
    world.types[1] = input_type(SEQUENCE);
    world.types[2] = input_type(OPTIONAL);
    ok(ort->GetTypeInfo(world.values[3], &world.types[3]));
    ok(ort->CastTypeInfoToSequenceTypeInfo(world.types[1], &world.sequence_type));
    ok(ort->CastTypeInfoToOptionalTypeInfo(world.types[2], &world.optional_type));
    ok(ort->CastTypeInfoToMapTypeInfo(world.types[3], &world.map_type));
}

static inline void make_options(void)
{
    ok(ort->CreateSessionOptions(&world.session_options));
    ok(ort->CreateRunOptions(&world.run_options));
    ok(ort->CreateThreadingOptions(&world.threading));
    ort->CreateKeyValuePairs(&world.pairs);
    ok(ort->CreatePrepackedWeightsContainer(&world.prepacked));
    ok(ort->CreateArenaCfg(0, -1, -1, -1, &world.arena));
    ok(ort->CreateCANNProviderOptions(&world.cann));
    ok(ort->CreateCUDAProviderOptions(&world.cuda));
    ok(ort->CreateDnnlProviderOptions(&world.dnnl));
    ok(ort->CreateTensorRTProviderOptions(&world.tensorrt));
    ok(ort->CreateROCMProviderOptions(&world.rocm));
}

/* A graph of one node, and what it has. */
static inline void make_graph(void)
{
    static const int64_t two[] = {2};

    ok(editor->CreateGraph(&world.graph));
    set_input(world.graph, "X", two, 1);
    set_output(world.graph, "Y", two, 1);
    add_node(world.graph, "Identity", "X", NULL, "Y");
    ok(ort->Graph_GetNodes(world.graph, &world.node, 1));
    ok(ort->Graph_GetOutputs(world.graph, &world.value_info, 1));
    ok(ort->CreateExternalInitializerInfo("a file", 0, 8, &world.external));
    ok(ort->CreateCustomOpDomain("test", &world.domain));
}

static inline void make_assignment(void)
{
    const OrtEpAssignedSubgraph *const *subgraphs = NULL;
    const OrtEpAssignedNode *const *nodes = NULL;
    OrtSessionOptions *options = NULL;
    size_t n = 0;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddSessionConfigEntry(options, "session.record_ep_graph_assignment_info", "1"));
    world.recorded = open_add(options);
    ort->ReleaseSessionOptions(options);
    ok(ort->Session_GetEpGraphAssignmentInfo(world.recorded, &subgraphs, &n));
    ck_assert_uint_ge(n, 1);
    world.subgraph = subgraphs[0];
    ok(ort->EpAssignedSubgraph_GetNodes(world.subgraph, &nodes, &n));
    ck_assert_uint_ge(n, 1);
    world.assigned_node = nodes[0];
}

static inline void make_world(void)
{
    static const int64_t one = 1;
    size_t n = 0;

    setup_editor();
    memset(&world, 0, sizeof world);
    make_values();
    make_types();
    make_options();
    world.session = open_add(NULL);
    ok(ort->SessionGetModelMetadata(world.session, &world.metadata));
    ok(ort->CreateIoBinding(world.session, &world.binding));
    ok(ort->GetTensorTypeAndShape(world.values[0], &world.shape));
    ok(ort->CreateOpAttr("a", &one, 1, ORT_OP_ATTR_INT, &world.op_attr));
    ok(ort->GetEpDevices(env, &world.ep_devices, &n));
    ck_assert_uint_ge(n, 1);
    world.hardware = ort->EpDevice_Device(world.ep_devices[0]);
    ok(ort->GetHardwareDeviceEpIncompatibilityDetails(env, "CPUExecutionProvider", world.hardware,
                                                      &world.details));
    make_graph();
    make_assignment();
    world.status = ort->CreateStatus(ORT_FAIL, "a status");
}

static inline void drop_world(void)
{
    ort->ReleaseStatus(world.status);
    ort->ReleaseSession(world.recorded);
    ort->ReleaseDeviceEpIncompatibilityDetails(world.details);
    ort->ReleaseCustomOpDomain(world.domain);
    ort->ReleaseExternalInitializerInfo(world.external);
    ort->ReleaseGraph(world.graph);
    ort->ReleaseOpAttr(world.op_attr);
    ort->ReleaseTensorTypeAndShapeInfo(world.shape);
    ort->ReleaseIoBinding(world.binding);
    ort->ReleaseModelMetadata(world.metadata);
    ort->ReleaseSession(world.session);
    ort->ReleaseROCMProviderOptions(world.rocm);
    ort->ReleaseTensorRTProviderOptions(world.tensorrt);
    ort->ReleaseDnnlProviderOptions(world.dnnl);
    ort->ReleaseCUDAProviderOptions(world.cuda);
    ort->ReleaseCANNProviderOptions(world.cann);
    ort->ReleaseArenaCfg(world.arena);
    ort->ReleasePrepackedWeightsContainer(world.prepacked);
    ort->ReleaseKeyValuePairs(world.pairs);
    ort->ReleaseThreadingOptions(world.threading);
    ort->ReleaseRunOptions(world.run_options);
    ort->ReleaseSessionOptions(world.session_options);
    for (int i = 0; i < TYPES; i++)
        ort->ReleaseTypeInfo(world.types[i]);
    for (int i = 0; i < VALUES; i++)
        ort->ReleaseValue(world.values[i]);
    teardown();
}

#endif
