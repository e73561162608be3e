/* SPDX-License-Identifier: MIT */
/* check_alike.c - small things that programs for ONNX Runtime count on, each as it does them. */

#include "config.h"

#include <dirent.h>
#include <unistd.h>

#include "ort/editor_kit.h"

/* Y = Relu(X), of a model with words about its graph; nobody reads "unread". */
static void write_relu(struct pw *w)
{
    model_begin(w);
    pw_text(w, 10, "what the graph is for");
    NODE(w, "Relu", "Y", "X");
    model_end(w, 11, "X", TENSOR, 1, DIMS(2));
    model_end(w, 11, "unread", TENSOR, 1, DIMS(2));
    model_end(w, 12, "Y", TENSOR, 1, DIMS(2));
}

static OrtSession *open_relu(const OrtSessionOptions *options)
{
    struct pw w;

    write_relu(&w);
    return model_open(&w, options);
}

/* ---- shapes, names, metadata --------------------------------------------------------------------- */

START_TEST(symbolic_dimensions_leave_the_sizes_unchanged)
{
    const char *names[] = {"rows", "columns", "more"}, *got[3];
    OrtTensorTypeAndShapeInfo *shape = NULL;
    int64_t dims[3];
    size_t n = 0;

    ok(ort->CreateTensorTypeAndShapeInfo(&shape));
    ok(ort->SetDimensions(shape, two_by_three, 2));
    ok(ort->SetSymbolicDimensions(shape, names, 2));
    ok(ort->GetDimensions(shape, dims, 2));
    ck_assert(dims[0] == 2 && dims[1] == 3);
    ok(ort->SetSymbolicDimensions(shape, names, 3)); /* one that has no size yet */
    ok(ort->SetSymbolicDimensions(shape, names, 1));
    ok(ort->GetDimensionsCount(shape, &n));
    ck_assert_uint_eq(n, 3);
    ok(ort->GetDimensions(shape, dims, 3));
    ck_assert(dims[0] == 2 && dims[1] == 3 && dims[2] == -1);
    ok(ort->GetSymbolicDimensions(shape, got, 3));
    ck_assert_str_eq(got[0], "rows");
    ck_assert_str_eq(got[1], "");
    ort->ReleaseTensorTypeAndShapeInfo(shape);
}
END_TEST

START_TEST(a_graph_has_a_description)
{
    OrtSession *session = open_relu(NULL);
    OrtModelMetadata *metadata = NULL;
    char *text = NULL;

    ok(ort->SessionGetModelMetadata(session, &metadata));
    ok(ort->ModelMetadataGetGraphDescription(metadata, heap, &text));
    ck_assert_str_eq(text, "what the graph is for");
    heap->Free(heap, text);
    ort->ReleaseModelMetadata(metadata);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(webgpu_and_webnn_memory_infos_have_their_current_names)
{
    static const char *const names[][2] = {{"WebGPU_Buffer", "WebGPU_Buf"},
                                           {"WebGPU_Buf", "WebGPU_Buf"},
                                           {"WebNN_Tensor", "WebNN_Ten"},
                                           {"WebNN_Ten", "WebNN_Ten"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OrtMemoryInfo *info = NULL;
        const char *name = NULL;

        ok(ort->CreateMemoryInfo(names[i][0], OrtDeviceAllocator, 0, OrtMemTypeDefault, &info));
        ok(ort->MemoryInfoGetName(info, &name));
        ck_assert_str_eq(name, names[i][1]);
        ort->ReleaseMemoryInfo(info);
    }
}
END_TEST

/* ---- providers and devices ----------------------------------------------------------------------- */

static bool is_available(const char *name)
{
    char **names = NULL;
    bool found = false;
    int n = 0;

    ok(ort->GetAvailableProviders(&names, &n));
    for (int i = 0; i < n; i++)
        found |= strcmp(names[i], name) == 0;
    ok(ort->ReleaseAvailableProviders(names, n));
    return found;
}

START_TEST(simulators_are_listed_when_they_are_named)
{
    OrtSessionOptions *options = NULL;
    OrtStatus *status;

    ok(ort->CreateSessionOptions(&options));
    status = ort->SessionOptionsAppendExecutionProvider(options, "CANN", NULL, NULL, 0);
    ort->ReleaseSessionOptions(options);
    ck_assert(is_available("CPUExecutionProvider"));
    if (status) { /* this build has none */
        ort->ReleaseStatus(status);
        return;
    }
    ck_assert(!is_available("CANNExecutionProvider"));
    ck_assert_int_eq(setenv("BACKPLANE_PROVIDERS", "dnnl,CANNExecutionProvider", 1), 0);
    ck_assert(is_available("CANNExecutionProvider"));
    ck_assert_int_eq(unsetenv("BACKPLANE_PROVIDERS"), 0);
}
END_TEST

START_TEST(gpu_options_need_their_provider)
{
    static const char *const keys[] = {"device_id"}, *const values[] = {"0"};
    OrtCUDAProviderOptionsV2 *cuda = NULL;
    OrtTensorRTProviderOptionsV2 *tensorrt = NULL;
    char *text = NULL;

    ok(ort->CreateCUDAProviderOptions(&cuda));
    fails(ort->UpdateCUDAProviderOptions(cuda, keys, values, 1), ORT_FAIL, "cuda");
    fails(ort->GetCUDAProviderOptionsAsString(cuda, heap, &text), ORT_FAIL, "cuda");
    ort->ReleaseCUDAProviderOptions(cuda);
    ok(ort->CreateTensorRTProviderOptions(&tensorrt));
    fails(ort->UpdateTensorRTProviderOptions(tensorrt, keys, values, 1), ORT_FAIL, "tensorrt");
    fails(ort->GetTensorRTProviderOptionsAsString(tensorrt, heap, &text), ORT_FAIL, "tensorrt");
    ort->ReleaseTensorRTProviderOptions(tensorrt);
    ck_assert_ptr_null(text);
}
END_TEST

START_TEST(an_input_without_consumers_has_no_device)
{
    OrtSession *session = open_relu(NULL);
    const OrtEpDevice *devices[2] = {NULL};

    ok(ort->SessionGetEpDeviceForInputs(session, devices, 2));
    ck_assert_ptr_nonnull(devices[0]);
    ck_assert_ptr_null(devices[1]);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- logs and profiles --------------------------------------------------------------------------- */

struct lines {
    int n;
    char id[32], last[256];
};

static void log_line(void *param, OrtLoggingLevel severity, const char *category, const char *id,
                     const char *place, const char *text)
{
    struct lines *lines = param;

    (void)severity;
    (void)category;
    (void)place;
    lines->n++;
    snprintf(lines->id, sizeof lines->id, "%s", id);
    snprintf(lines->last, sizeof lines->last, "%s", text);
}

START_TEST(a_session_uses_its_own_logger)
{
    struct lines lines = {0};
    OrtSessionOptions *options = NULL;
    OrtSession *session;
    int n;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->SetUserLoggingFunction(options, log_line, &lines));
    ok(ort->SetSessionLogId(options, "mine"));
    ok(ort->SetSessionLogSeverityLevel(options, ORT_LOGGING_LEVEL_VERBOSE));
    session = open_relu(options);
    ck_assert_int_gt(lines.n, 0);
    ck_assert_str_eq(lines.id, "mine");
    ort->ReleaseSession(session);
    n = lines.n;
    session = open_relu(NULL); /* another one's lines are not for it */
    ck_assert_int_eq(lines.n, n);
    ort->ReleaseSession(session);
    ok(ort->SetSessionLogSeverityLevel(options, ORT_LOGGING_LEVEL_FATAL));
    session = open_relu(options);
    ck_assert_int_eq(lines.n, n);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
}
END_TEST

static int count_files(const char *folder, char *first, size_t size)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int n = 0;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(first, size, "%s/%s", folder, entry->d_name);
        n++;
    }
    closedir(dir);
    return n;
}

START_TEST(releasing_a_session_writes_its_profile)
{
    char folder[] = "alike-XXXXXX", prefix[64], file[512];
    OrtSessionOptions *options = NULL;
    OrtSession *session;
    char *path = NULL;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(prefix, sizeof prefix, "%s/p", folder);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->EnableProfiling(options, prefix));
    session = open_relu(options);
    ort->ReleaseSession(session);
    ck_assert_int_eq(count_files(folder, file, sizeof file), 1);
    ck_assert_int_eq(unlink(file), 0);
    session = open_relu(options);
    ok(ort->SessionEndProfiling(session, heap, &path));
    ck_assert_int_eq(unlink(path), 0);
    heap->Free(heap, path);
    ort->ReleaseSession(session); /* no second time */
    ck_assert_int_eq(count_files(folder, file, sizeof file), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* ---- models -------------------------------------------------------------------------------------- */

START_TEST(a_model_refuses_a_second_graph)
{
    static const int versions[] = {17};
    static const char *const domains[] = {""};
    OrtGraph *graph = NULL, *second = NULL;
    OrtModel *model = NULL;

    ok(editor->CreateModel(domains, versions, 1, &model));
    ok(editor->CreateGraph(&graph));
    ok(editor->CreateGraph(&second));
    ok(editor->AddGraphToModel(model, graph));
    fails(editor->AddGraphToModel(model, second), ORT_INVALID_ARGUMENT, "already has a graph");
    ort->ReleaseGraph(second); /* still the caller's */
    ort->ReleaseModel(model);
}
END_TEST

/* A length that cannot be meant is not read up to. */
START_TEST(a_model_in_memory_is_limited_to_the_size_of_a_protobuf)
{
    OrtSession *session = NULL;

    fails(ort->CreateSessionFromArray(env, "few", (size_t)INT32_MAX + 1, NULL, &session),
          ORT_INVALID_ARGUMENT, "exceeds maximum supported size");
    fails(ort->CreateSessionFromArray(env, NULL, 8, NULL, &session), ORT_INVALID_ARGUMENT, "null");
    ck_assert_ptr_null(session);
}
END_TEST

START_TEST(names_of_files_in_memory_may_start_with_a_dot_slash)
{
    static const char *const names[] = {"w.bin", "./w.bin", ".\\w.bin"};
    static const float weights[] = {1, 2};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        union {
            const float *numbers;
            char *bytes;
        } file = {weights};
        size_t size = sizeof weights;
        OrtSessionOptions *options = NULL;
        struct pw w;

        model_begin(&w);
        NODE(&w, "Add", "Y", "X", "W");
        pw_open(&w, 5);
        pw_int(&w, 1, 2);
        pw_int(&w, 2, 1);
        pw_text(&w, 8, "W");
        pw_open(&w, 13);
        pw_text(&w, 1, "location");
        pw_text(&w, 2, "w.bin");
        pw_close(&w);
        pw_int(&w, 14, 1);
        pw_close(&w);
        model_end(&w, 11, "X", TENSOR, 1, DIMS(2));
        model_end(&w, 12, "Y", TENSOR, 1, DIMS(2));
        ok(ort->CreateSessionOptions(&options));
        ok(ort->AddExternalInitializersFromFilesInMemory(options, &names[i], &file.bytes, &size,
                                                         1));
        ort->ReleaseSession(model_open(&w, options));
        ort->ReleaseSessionOptions(options);
    }
}
END_TEST

/* ---- bindings and threads ------------------------------------------------------------------------ */

START_TEST(a_run_checks_the_names_of_bound_outputs)
{
    static const int64_t two[] = {2};
    OrtSession *session = open_relu(NULL);
    float numbers[] = {1, 2};
    OrtValue *x = floats(numbers, 2, two, 1);
    OrtIoBinding *binding = NULL;

    ok(ort->CreateIoBinding(session, &binding));
    ok(ort->BindInput(binding, "X", x));
    fails(ort->RunWithBinding(session, NULL, binding), ORT_INVALID_ARGUMENT,
          "At least one output should be requested");
    ok(ort->BindOutputToDevice(binding, "Z", cpu));
    fails(ort->RunWithBinding(session, NULL, binding), ORT_INVALID_ARGUMENT,
          "Invalid output name: Z");
    ort->ClearBoundOutputs(binding);
    ok(ort->BindOutput(binding, "Q", x));
    fails(ort->RunWithBinding(session, NULL, binding), ORT_INVALID_ARGUMENT,
          "Invalid output name: Q");
    ort->ReleaseIoBinding(binding);
    ort->ReleaseValue(x);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(an_affinity_string_has_1_to_4096_characters)
{
    OrtThreadingOptions *threading = NULL;
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;
    char text[4098];
    struct pw w;

    memset(text, '1', sizeof text);
    text[4097] = '\0';
    ok(ort->CreateThreadingOptions(&threading));
    fails(ort->SetGlobalIntraOpThreadAffinity(threading, ""), ORT_INVALID_ARGUMENT,
          "Size of affinity string must be between 1 and 4096");
    fails(ort->SetGlobalIntraOpThreadAffinity(threading, text), ORT_INVALID_ARGUMENT,
          "Size of affinity string must be between 1 and 4096");
    text[4096] = '\0';
    ok(ort->SetGlobalIntraOpThreadAffinity(threading, text));
    ort->ReleaseThreadingOptions(threading);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddSessionConfigEntry(options, "session.intra_op_thread_affinities", ""));
    write_relu(&w);
    pw_close(&w);
    fails(ort->CreateSessionFromArray(env, w.data, w.size, options, &session), ORT_FAIL,
          "Affinity string must not be empty");
    pw_free(&w);
    ck_assert_ptr_null(session);
    ort->ReleaseSessionOptions(options);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alike");
    TCase *tcase = tcase_create("alike");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup_editor, teardown);
    tcase_add_test(tcase, symbolic_dimensions_leave_the_sizes_unchanged);
    tcase_add_test(tcase, a_graph_has_a_description);
    tcase_add_test(tcase, webgpu_and_webnn_memory_infos_have_their_current_names);
    tcase_add_test(tcase, simulators_are_listed_when_they_are_named);
    tcase_add_test(tcase, gpu_options_need_their_provider);
    tcase_add_test(tcase, an_input_without_consumers_has_no_device);
    tcase_add_test(tcase, a_session_uses_its_own_logger);
    tcase_add_test(tcase, releasing_a_session_writes_its_profile);
    tcase_add_test(tcase, a_model_refuses_a_second_graph);
    tcase_add_test(tcase, a_model_in_memory_is_limited_to_the_size_of_a_protobuf);
    tcase_add_test(tcase, names_of_files_in_memory_may_start_with_a_dot_slash);
    tcase_add_test(tcase, a_run_checks_the_names_of_bound_outputs);
    tcase_add_test(tcase, an_affinity_string_has_1_to_4096_characters);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
