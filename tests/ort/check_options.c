/* SPDX-License-Identifier: MIT */
/* check_options.c - environments, session options, providers, memory through ONNX Runtime's C ABI. */

#include "config.h"

#include <onnxruntime/dnnl_provider_options.h>

#include "ort/kit.h"

/* ---- environments ------------------------------------------------------------------------------ */

START_TEST(CreateEnv_twice_returns_one_environment)
{
    OrtEnv *other = NULL;

    ok(ort->CreateEnv(ORT_LOGGING_LEVEL_VERBOSE, "other", &other));
    ck_assert_ptr_eq(other, env);
    ort->ReleaseEnv(other);
    ok(ort->DisableTelemetryEvents(env));
    ok(ort->SetLanguageProjection(env, ORT_PROJECTION_C));
}
END_TEST

static int lines;

static void log_line(void *param, OrtLoggingLevel severity, const char *category, const char *logid,
                     const char *location, const char *message)
{
    (void)severity;
    ck_assert_ptr_eq(param, &lines);
    ck_assert_str_eq(logid, "mine");
    ck_assert_ptr_nonnull(category);
    ck_assert_ptr_nonnull(location);
    ck_assert_ptr_nonnull(message);
    lines++;
}

START_TEST(log_lines_go_to_the_callers_logging_function)
{
    OrtEnv *own = NULL;
    char **names = NULL;
    int n = 0;

    ort->ReleaseEnv(env); /* a new one, with a function */
    ok(ort->CreateEnvWithCustomLogger(log_line, &lines, ORT_LOGGING_LEVEL_VERBOSE, "mine", &own));
    ok(ort->GetAvailableProviders(&names, &n));
    ok(ort->ReleaseAvailableProviders(names, n));
    ok(ort->UpdateEnvWithCustomLogLevel(own, ORT_LOGGING_LEVEL_FATAL));
    env = own;
}
END_TEST

START_TEST(environment_accepts_global_threading_options)
{
    OrtThreadingOptions *threads = NULL;

    ok(ort->CreateThreadingOptions(&threads));
    ok(ort->SetGlobalIntraOpNumThreads(threads, 2));
    ok(ort->SetGlobalSpinControl(threads, 0));
    fails(ort->SetGlobalSpinControl(threads, 2), ORT_INVALID_ARGUMENT, "0 or 1");
    ok(ort->SetGlobalIntraOpThreadAffinity(threads, "1"));
    ort->ReleaseEnv(env);
    ok(ort->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_WARNING, "x", threads, &env));
    ort->ReleaseThreadingOptions(threads);
}
END_TEST

/* ---- options ------------------------------------------------------------------------------------ */

START_TEST(config_entries_are_kept_and_cloned)
{
    OrtSessionOptions *options = NULL;
    OrtSessionOptions *copy = NULL;
    OrtKeyValuePairs *all = NULL;
    char text[16];
    size_t size = 0;
    int has = 0;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddSessionConfigEntry(options, "some.key", "one"));
    ok(ort->AddSessionConfigEntry(options, "some.key", "three"));
    fails(ort->AddSessionConfigEntry(options, "", "x"), ORT_INVALID_ARGUMENT, "empty");
    ok(ort->CloneSessionOptions(options, &copy));
    ort->ReleaseSessionOptions(options);
    ok(ort->HasSessionConfigEntry(copy, "some.key", &has));
    ck_assert_int_eq(has, 1);
    ok(ort->GetSessionConfigEntry(copy, "some.key", NULL, &size));
    ck_assert_uint_eq(size, 6);
    size = 5;
    fails(ort->GetSessionConfigEntry(copy, "some.key", text, &size), ORT_INVALID_ARGUMENT, "large");
    ck_assert_uint_eq(size, 6);
    ok(ort->GetSessionConfigEntry(copy, "some.key", text, &size));
    ck_assert_str_eq(text, "three");
    ok(ort->GetSessionOptionsConfigEntries(copy, &all));
    ck_assert_str_eq(ort->GetKeyValue(all, "some.key"), "three");
    ort->ReleaseKeyValuePairs(all);
    fails(ort->SetSessionGraphOptimizationLevel(copy, (GraphOptimizationLevel)7),
          ORT_INVALID_ARGUMENT, "graph_optimization_level");
    fails(ort->SetSessionExecutionMode(copy, (ExecutionMode)2), ORT_INVALID_ARGUMENT, "mode");
    ok(ort->SetSessionGraphOptimizationLevel(copy, ORT_ENABLE_LAYOUT));
    ort->ReleaseSessionOptions(copy);
}
END_TEST

START_TEST(pairs_are_sorted_by_key)
{
    OrtKeyValuePairs *pairs = NULL;
    const char *const *keys = NULL;
    const char *const *values = NULL;
    size_t n = 0;

    ort->CreateKeyValuePairs(&pairs);
    ort->AddKeyValuePair(pairs, "b", "2");
    ort->AddKeyValuePair(pairs, "a", "");
    ort->AddKeyValuePair(pairs, "", "ignored");
    ort->AddKeyValuePair(pairs, "c", NULL);
    ort->AddKeyValuePair(pairs, "b", "two");
    ort->GetKeyValuePairs(pairs, &keys, &values, &n);
    ck_assert_uint_eq(n, 2);
    ck_assert_str_eq(keys[0], "a");
    ck_assert_str_eq(values[0], "");
    ck_assert_str_eq(values[1], "two");
    ort->RemoveKeyValuePair(pairs, "a");
    ck_assert_ptr_null(ort->GetKeyValue(pairs, "a"));
    ck_assert_str_eq(ort->GetKeyValue(pairs, "b"), "two");
    ort->ReleaseKeyValuePairs(pairs);
}
END_TEST

/* ---- providers ----------------------------------------------------------------------------------- */

START_TEST(cpu_is_the_last_provider)
{
    char **names = NULL;
    int n = 0;

    ok(ort->GetAvailableProviders(&names, &n));
    ck_assert_int_ge(n, 1);
    ck_assert_str_eq(names[n - 1], "CPUExecutionProvider");
    ok(ort->ReleaseAvailableProviders(names, n));
}
END_TEST

START_TEST(providers_are_appended_by_name)
{
    static const char *const keys[] = {"arena"};
    static const char *const values[] = {"1"};
    static const char *const empty[] = {""};
    OrtSessionOptions *options = NULL;
    int has = 0;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->SessionOptionsAppendExecutionProvider(options, "CPU", keys, values, 1));
    ok(ort->HasSessionConfigEntry(options, "ep.cpuexecutionprovider.arena", &has));
    ck_assert_int_eq(has, 1);
    fails(ort->SessionOptionsAppendExecutionProvider(options, "CPU", empty, values, 1),
          ORT_INVALID_ARGUMENT, "empty");
    fails(ort->SessionOptionsAppendExecutionProvider(options, "Nobody", NULL, NULL, 0),
          ORT_INVALID_ARGUMENT, "Nobody");
    fails(OrtSessionOptionsAppendExecutionProvider_CUDA(options, 0), ORT_FAIL, "cuda");
    fails(OrtSessionOptionsAppendExecutionProvider_CPU(NULL, 1), ORT_INVALID_ARGUMENT, "NULL");
    ok(OrtSessionOptionsAppendExecutionProvider_CPU(options, 1));
    ort->ReleaseSession(open_add(options));
    ort->ReleaseSessionOptions(options);
}
END_TEST

START_TEST(cann_options_are_updated_and_read_as_text)
{
    static const char *const keys[] = {"device_id", "precision_mode"};
    static const char *const values[] = {"1", "allow_fp32_to_fp16"};
    static const char *const unknown[] = {"flavour"};
    OrtCANNProviderOptions *cann = NULL;
    char *text = NULL;

    ok(ort->CreateCANNProviderOptions(&cann));
    ok(ort->UpdateCANNProviderOptions(cann, keys, values, 2));
    fails(ort->UpdateCANNProviderOptions(cann, unknown, values, 1), ORT_INVALID_ARGUMENT,
          "flavour");
    ok(ort->GetCANNProviderOptionsAsString(cann, heap, &text));
    ck_assert_ptr_nonnull(strstr(text, "device_id=1;"));
    ck_assert_ptr_nonnull(strstr(text, "precision_mode=allow_fp32_to_fp16"));
    ck_assert_ptr_nonnull(strstr(text, "enable_cann_graph=1"));
    heap->Free(heap, text);
    ort->ReleaseCANNProviderOptions(cann);
    ort->ReleaseCANNProviderOptions(NULL);
}
END_TEST

/* True if oneDNN is here, added with this setting of its arena; else the call names what is missing. */
static bool adds_dnnl(const OrtDnnlProviderOptions *dnnl, const char *arena)
{
    OrtSessionOptions *options = NULL;
    char value[8] = "";
    size_t size = sizeof value;
    OrtStatus *status;

    ok(ort->CreateSessionOptions(&options));
    status = ort->SessionOptionsAppendExecutionProvider_Dnnl(options, dnnl);
    if (status) {
        fails(status, ORT_FAIL, "dnnl");
    } else {
        ok(ort->GetSessionConfigEntry(options, "ep.dnnlexecutionprovider.use_arena", value, &size));
        ck_assert_str_eq(value, arena);
        ort->ReleaseSession(open_add(options));
    }
    ort->ReleaseSessionOptions(options);
    return value[0] != '\0';
}

/* The struct ends where a page of the caller's might: nothing after its two fields is read. */
START_TEST(dnnl_options_may_be_a_struct_of_the_caller)
{
    OrtDnnlProviderOptions *dnnl = malloc(sizeof *dnnl);
    char *text = NULL;
    bool found;

    ck_assert_ptr_nonnull(dnnl);
    *dnnl = (OrtDnnlProviderOptions){.use_arena = 7, .threadpool_args = dnnl};
    found = adds_dnnl(dnnl, "1");
    dnnl->use_arena = 0;
    dnnl->threadpool_args = (void *)4097;
    ck_assert_int_eq(adds_dnnl(dnnl, "0"), found);
    ok(ort->GetDnnlProviderOptionsAsString(dnnl, heap, &text));
    ck_assert_str_eq(text, "use_arena=0;threadpool_args=4097");
    heap->Free(heap, text);
    free(dnnl);
}
END_TEST

START_TEST(dnnl_options_by_key_set_the_fields_of_the_struct)
{
    static const char *const keys[] = {"threadpool_args", "use_arena"};
    static const char *const values[] = {"0x20", "False"};
    static const char *const wrong[] = {"here", "maybe"};
    OrtDnnlProviderOptions *dnnl = NULL;

    ok(ort->CreateDnnlProviderOptions(&dnnl));
    ck_assert_int_eq(dnnl->use_arena, 1);
    ck_assert_ptr_null(dnnl->threadpool_args);
    ok(ort->UpdateDnnlProviderOptions(dnnl, keys, values, 2));
    ck_assert_int_eq(dnnl->use_arena, 0);
    ck_assert_ptr_eq(dnnl->threadpool_args, (void *)32);
    (void)adds_dnnl(dnnl, "0");
    fails(ort->UpdateDnnlProviderOptions(dnnl, keys, wrong, 1), ORT_INVALID_ARGUMENT, "here");
    fails(ort->UpdateDnnlProviderOptions(dnnl, keys + 1, wrong + 1, 1), ORT_INVALID_ARGUMENT,
          "maybe");
    ck_assert_ptr_eq(dnnl->threadpool_args, (void *)32);
    ok(ort->UpdateDnnlProviderOptions(dnnl, keys, values, 1));
    ck_assert_int_eq(dnnl->use_arena, 1);
    ort->ReleaseDnnlProviderOptions(dnnl);
    ort->ReleaseDnnlProviderOptions(NULL);
}
END_TEST

START_TEST(fallback_to_cpu_can_be_forbidden)
{
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;
    struct pw w;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddSessionConfigEntry(options, "session.disable_cpu_ep_fallback", "1"));
    model_begin(&w);
    NODE(&w, "Relu", "Y", "X");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(2));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(2));
    pw_close(&w);
    fails(ort->CreateSessionFromArray(env, w.data, w.size, options, &session), ORT_FAIL,
          "explicitly disabled");
    pw_free(&w);
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------------- */

START_TEST(memory_info_reports_what_it_was_created_with)
{
    OrtMemoryInfo *info = NULL;
    OrtMemoryInfo *same = NULL;
    OrtMemoryInfoDeviceType device = OrtMemoryInfoDeviceType_CPU;
    int differ = 0, id = 0;

    ok(ort->CreateMemoryInfo("WebGPU_Buf", OrtDeviceAllocator, 0, OrtMemTypeDefault, &info));
    ort->MemoryInfoGetDeviceType(info, &device);
    ck_assert_int_eq(device, OrtMemoryInfoDeviceType_GPU);
    ok(ort->CompareMemoryInfo(info, cpu, &differ));
    ck_assert_int_ne(differ, 0);
    ort->ReleaseMemoryInfo(info);
    fails(ort->CreateMemoryInfo("Moon", OrtDeviceAllocator, 0, OrtMemTypeDefault, &info),
          ORT_INVALID_ARGUMENT, "Moon");
    fails(ort->CreateMemoryInfo(NULL, OrtDeviceAllocator, 0, OrtMemTypeDefault, &info),
          ORT_INVALID_ARGUMENT, "name");
    ok(ort->CreateMemoryInfo_V2("Moon", OrtMemoryInfoDeviceType_NPU, 7, 3,
                                OrtDeviceMemoryType_HOST_ACCESSIBLE, 64, OrtDeviceAllocator,
                                &info));
    ok(ort->MemoryInfoGetId(info, &id));
    ck_assert_int_eq(id, 3);
    ck_assert_uint_eq(ort->MemoryInfoGetVendorId(info), 7);
    ck_assert_int_eq(ort->MemoryInfoGetDeviceMemType(info), OrtDeviceMemoryType_HOST_ACCESSIBLE);
    ort->ReleaseMemoryInfo(info);
    ok(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &same));
    ok(ort->CompareMemoryInfo(same, cpu, &differ));
    ck_assert_int_eq(differ, 0);
    ort->ReleaseMemoryInfo(same);
}
END_TEST

START_TEST(sessions_have_allocators)
{
    OrtSession *session = open_add(NULL);
    OrtAllocator *allocator = NULL;
    OrtArenaCfg *arena = NULL;
    static const char *const keys[] = {"max_mem"}, *const wrong[] = {"min_mem"};
    static const size_t values[] = {0};
    void *p = NULL;

    ok(ort->CreateAllocator(session, cpu, &allocator));
    ok(ort->AllocatorAlloc(allocator, 100, &p));
    memset(p, 0, 100);
    ok(ort->AllocatorFree(allocator, p));
    ort->ReleaseAllocator(allocator);
    ok(ort->CreateArenaCfgV2(keys, values, 1, &arena));
    ort->ReleaseArenaCfg(arena);
    fails(ort->CreateArenaCfgV2(wrong, values, 1, &arena), ORT_INVALID_ARGUMENT, "min_mem");
    ort->ReleaseSession(session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("options");
    TCase *tcase = tcase_create("options");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, CreateEnv_twice_returns_one_environment);
    tcase_add_test(tcase, log_lines_go_to_the_callers_logging_function);
    tcase_add_test(tcase, environment_accepts_global_threading_options);
    tcase_add_test(tcase, config_entries_are_kept_and_cloned);
    tcase_add_test(tcase, pairs_are_sorted_by_key);
    tcase_add_test(tcase, cpu_is_the_last_provider);
    tcase_add_test(tcase, providers_are_appended_by_name);
    tcase_add_test(tcase, cann_options_are_updated_and_read_as_text);
    tcase_add_test(tcase, dnnl_options_may_be_a_struct_of_the_caller);
    tcase_add_test(tcase, dnnl_options_by_key_set_the_fields_of_the_struct);
    tcase_add_test(tcase, fallback_to_cpu_can_be_forbidden);
    tcase_add_test(tcase, memory_info_reports_what_it_was_created_with);
    tcase_add_test(tcase, sessions_have_allocators);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
