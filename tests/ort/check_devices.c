/* SPDX-License-Identifier: MIT */
/* check_devices.c - devices, who runs what, attributes, compiled models through ONNX Runtime's C ABI. */

#include "config.h"

#include "ort/kit.h"

START_TEST(the_cpu_is_the_first_device)
{
    const OrtEpDevice *const *devices = NULL;
    const OrtEpDevice *const *again = NULL;
    const OrtHardwareDevice *all[8] = {NULL}, *hardware;
    OrtSessionOptions *options = NULL;
    const char *name = NULL;
    size_t n = 0;

    ok(ort->GetEpDevices(env, &devices, &n));
    ck_assert_uint_ge(n, 1);
    ck_assert_str_eq(ort->EpDevice_EpName(devices[0]), "CPUExecutionProvider");
    ck_assert_ptr_nonnull(ort->EpDevice_EpVendor(devices[0]));
    ck_assert_ptr_nonnull(ort->GetKeyValue(ort->EpDevice_EpMetadata(devices[0]), "version"));
    ok(ort->GetEpDevices(env, &again, &n));
    ck_assert_ptr_eq(again, devices); /* stable */
    ok(ort->GetNumHardwareDevices(env, &n));
    ck_assert(n >= 1 && n <= 8); /* a simulated one may be behind it */
    ok(ort->GetHardwareDevices(env, all, n));
    hardware = all[0];
    ck_assert_ptr_eq(hardware, ort->EpDevice_Device(devices[0]));
    ck_assert_int_eq(ort->HardwareDevice_Type(hardware), OrtHardwareDeviceType_CPU);
    ck_assert_uint_gt(strlen(ort->HardwareDevice_Vendor(hardware)), 0);
    ok(ort->MemoryInfoGetName(ort->EpDevice_MemoryInfo(devices[0], OrtDeviceMemoryType_DEFAULT),
                              &name));
    ck_assert_str_eq(name, "Cpu");

    ok(ort->CreateSessionOptions(&options));
    ok(ort->SessionOptionsAppendExecutionProvider_V2(options, env, devices, 1, NULL, NULL, 0));
    fails(ort->SessionOptionsAppendExecutionProvider_V2(options, env, devices, 0, NULL, NULL, 0),
          ORT_INVALID_ARGUMENT, "At least one");
    ort->ReleaseSession(open_add(options));
    ort->ReleaseSessionOptions(options);
}
END_TEST

START_TEST(session_reports_the_provider_of_each_node_when_configured_to)
{
    const OrtEpAssignedSubgraph *const *groups = NULL;
    const OrtEpAssignedNode *const *nodes = NULL;
    OrtSessionOptions *options = NULL;
    OrtSession *session = open_add(NULL);
    const char *text = NULL;
    size_t n = 0;

    fails(ort->Session_GetEpGraphAssignmentInfo(session, &groups, &n), ORT_FAIL, "record");
    ort->ReleaseSession(session);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddSessionConfigEntry(options, "session.record_ep_graph_assignment_info", "1"));
    session = open_add(options);
    ort->ReleaseSessionOptions(options);
    ok(ort->Session_GetEpGraphAssignmentInfo(session, &groups, &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->EpAssignedSubgraph_GetEpName(groups[0], &text));
    ck_assert_str_eq(text, "CPUExecutionProvider");
    ok(ort->EpAssignedSubgraph_GetNodes(groups[0], &nodes, &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->EpAssignedNode_GetOperatorType(nodes[0], &text));
    ck_assert_str_eq(text, "Add");
    ok(ort->EpAssignedNode_GetDomain(nodes[0], &text));
    ck_assert_str_eq(text, "");
    ort->ReleaseSession(session);
}
END_TEST

/* C = Relu(A x B), floats of [n, 3] and [3, 3]. */
static OrtSession *open_gemm(const OrtSessionOptions *options)
{
    struct pw w;

    model_begin(&w);
    NODE(&w, "Gemm", "G", "A", "B");
    NODE(&w, "Relu", "C", "G");
    model_end(&w, 11, "A", TENSOR, 1, DIMS(-1, 3));
    model_end(&w, 11, "B", TENSOR, 1, DIMS(3, 3));
    model_end(&w, 12, "C", TENSOR, 1, DIMS(-1, 3));
    return model_open(&w, options);
}

START_TEST(graph_assignment_lists_the_fused_nodes_that_run)
{
    static const struct {
        GraphOptimizationLevel level;
        size_t n_nodes;
        const char *op, *domain; /* of the first */
    } cases[] = {
        {ORT_DISABLE_ALL, 2, "Gemm", ""},
        {ORT_ENABLE_BASIC, 2, "Gemm", ""},
        {ORT_ENABLE_EXTENDED, 1, "FusedGemm", "com.microsoft"},
        {ORT_ENABLE_ALL, 1, "FusedGemm", "com.microsoft"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const OrtEpAssignedSubgraph *const *groups = NULL;
        const OrtEpAssignedNode *const *nodes = NULL;
        OrtSessionOptions *options = NULL;
        OrtSession *session;
        const char *text = NULL;
        size_t n = 0;

        ok(ort->CreateSessionOptions(&options));
        ok(ort->SetSessionGraphOptimizationLevel(options, cases[i].level));
        ok(ort->AddSessionConfigEntry(options, "session.record_ep_graph_assignment_info", "1"));
        session = open_gemm(options);
        ort->ReleaseSessionOptions(options);
        ok(ort->Session_GetEpGraphAssignmentInfo(session, &groups, &n));
        ck_assert_uint_eq(n, 1);
        ok(ort->EpAssignedSubgraph_GetNodes(groups[0], &nodes, &n));
        ck_assert_uint_eq(n, cases[i].n_nodes);
        ok(ort->EpAssignedNode_GetOperatorType(nodes[0], &text));
        ck_assert_str_eq(text, cases[i].op);
        ok(ort->EpAssignedNode_GetDomain(nodes[0], &text));
        ck_assert_str_eq(text, cases[i].domain);
        ort->ReleaseSession(session);
    }
}
END_TEST

START_TEST(attributes_read_back_as_they_were_created)
{
    static const int64_t numbers[] = {1, -2, 3};
    static const char *const texts[] = {"ab", "", "c"};
    OrtOpAttr *attr = NULL;
    OrtOpAttrType type;
    int64_t got[3] = {0};
    char text[8];
    const char *name = NULL;
    size_t size = 0;

    ok(ort->CreateOpAttr("axes", numbers, 3, ORT_OP_ATTR_INTS, &attr));
    ok(ort->OpAttr_GetName(attr, &name));
    ck_assert_str_eq(name, "axes");
    ok(ort->OpAttr_GetType(attr, &type));
    ck_assert_int_eq(type, ORT_OP_ATTR_INTS);
    ok(ort->ReadOpAttr(attr, ORT_OP_ATTR_INTS, got, sizeof got, &size));
    ck_assert_uint_eq(size, sizeof got);
    ck_assert_int_eq(got[1], -2);
    fails(ort->ReadOpAttr(attr, ORT_OP_ATTR_INTS, got, 8, &size), ORT_FAIL, "24");
    fails(ort->ReadOpAttr(attr, ORT_OP_ATTR_FLOATS, got, 24, &size), ORT_FAIL, "type");
    ort->ReleaseOpAttr(attr);
    ok(ort->CreateOpAttr("names", texts, 3, ORT_OP_ATTR_STRINGS, &attr));
    ok(ort->ReadOpAttr(attr, ORT_OP_ATTR_STRINGS, text, sizeof text, &size));
    ck_assert_uint_eq(size, 6);
    ck_assert_int_eq(memcmp(text, "ab\0\0c", 6), 0);
    ort->ReleaseOpAttr(attr);
    fails(ort->CreateOpAttr("g", numbers, 1, ORT_OP_ATTR_GRAPH, &attr), ORT_INVALID_ARGUMENT, "g");
}
END_TEST

START_TEST(compatibility_information_is_read_from_model_metadata)
{
    struct pw w;
    char *text = NULL;

    model_begin(&w);
    NODE(&w, "Relu", "Y", "X");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(2));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(2));
    pw_close(&w);
    pw_open(&w, 14);
    pw_text(&w, 1, "ep_compatibility_info.SomeEP");
    pw_text(&w, 2, "v3");
    pw_close(&w);
    ok(ort->GetCompatibilityInfoFromModelBytes(w.data, w.size, "SomeEP", heap, &text));
    ck_assert_str_eq(text, "v3");
    heap->Free(heap, text);
    ok(ort->GetCompatibilityInfoFromModelBytes(w.data, w.size, "OtherEP", heap, &text));
    ck_assert_ptr_null(text);
    pw_free(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("devices");
    TCase *tcase = tcase_create("devices");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, the_cpu_is_the_first_device);
    tcase_add_test(tcase, session_reports_the_provider_of_each_node_when_configured_to);
    tcase_add_test(tcase, graph_assignment_lists_the_fused_nodes_that_run);
    tcase_add_test(tcase, attributes_read_back_as_they_were_created);
    tcase_add_test(tcase, compatibility_information_is_read_from_model_metadata);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
