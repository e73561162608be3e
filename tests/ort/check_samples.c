/* SPDX-License-Identifier: MIT */
/*
 * check_samples.c - what the documents of ONNX Runtime and of its bindings show or promise, as C
 * programs see it. Each test names what it is from: A the page on execution providers, B the one on
 * CANN, C the one on NNAPI, D the guide of the Rust crate ort, 6.x the checklists of the bindings.
 * CANN, NNAPI and most others are not there: then the status has to say that they are not installed.
 */

#include "config.h"

#include "ort/kit.h"

/* C = A + A, checked: the session works. */
static void runs(OrtSession *session)
{
    static const char *const in[] = {"A", "B"}, *const out_names[] = {"C"};
    float a[6] = {1, 2, 3, 4, 5, 6};
    OrtValue *value = floats(a, 6, two_by_three, 2);
    const OrtValue *values[] = {value, value};
    OrtValue *out = NULL;

    ok(ort->Run(session, NULL, in, values, 2, out_names, 1, &out));
    ck_assert_double_eq((double)float_data(out)[5], 12);
    ort->ReleaseValue(out);
    ort->ReleaseValue(value);
}

/* A session with these options is made and runs; they may go first. */
static void serves(OrtSessionOptions *options)
{
    OrtSession *session = open_add(options);

    ort->ReleaseSessionOptions(options);
    runs(session);
    ort->ReleaseSession(session);
}

static bool is_available(const char *name)
{
    char **names = NULL;
    bool is_there = false;
    int n = 0;

    ok(ort->GetAvailableProviders(&names, &n));
    for (int i = 0; i < n; i++)
        is_there = is_there || strcmp(names[i], name) == 0;
    ok(ort->ReleaseAvailableProviders(names, n));
    return is_there;
}

/* Appending the provider worked and it is available, or the status says that it is not installed. */
static void check_appended(OrtStatus *status, const char *name)
{
    if (!status) { /* a simulator is listed for who names it */
        ck_assert_int_eq(setenv("BACKPLANE_PROVIDERS", name, 1), 0);
        ck_assert_msg(is_available(name), "%s was appended, but is not available", name);
        ck_assert_int_eq(unsetenv("BACKPLANE_PROVIDERS"), 0);
        return;
    }
    fails(status, ORT_FAIL, "not installed");
}

static OrtSessionOptions *new_options(void)
{
    OrtSessionOptions *options = NULL;

    ok(ort->CreateSessionOptions(&options));
    return options;
}

/* ---- A: providers in general ----------------------------------------------------------------- */

/* D-12: a list in order of priority; what is not there is told and left out. */
START_TEST(providers_are_registered_in_order_before_the_session_is_made)
{
    OrtSessionOptions *options = new_options();

    ok(ort->SetIntraOpNumThreads(options, 1));
    ok(ort->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_BASIC));
    check_appended(OrtSessionOptionsAppendExecutionProvider_Tensorrt(options, 0),
                   "TensorrtExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_CUDA(options, 0),
                   "CUDAExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_DML(options, 0),
                   "DmlExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_CoreML(options, 0),
                   "CoreMLExecutionProvider");
    ok(OrtSessionOptionsAppendExecutionProvider_CPU(options, 1));
    serves(options);
}
END_TEST

/* these functions are exported, and answer where their provider is not. */
START_TEST(append_functions_exist_for_providers_that_are_not_installed)
{
    OrtSessionOptions *options = new_options();

    check_appended(OrtSessionOptionsAppendExecutionProvider_Dnnl(options, 1),
                   "DnnlExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_ROCM(options, 0),
                   "ROCMExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_MIGraphX(options, 0),
                   "MIGraphXExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_OpenVINO(options, "CPU"),
                   "OpenVINOExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_Nnapi(options, 0),
                   "NnapiExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_ACL(options, true),
                   "ACLExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_ArmNN(options, 1),
                   "ArmNNExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_Rknpu(options),
                   "RknpuExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_VSINPU(options),
                   "VSINPUExecutionProvider");
    check_appended(OrtSessionOptionsAppendExecutionProvider_Tvm(options, ""),
                   "TvmExecutionProvider");
    fails(OrtSessionOptionsAppendExecutionProvider_Nnapi(NULL, 0), ORT_INVALID_ARGUMENT, "NULL");
    serves(options);
}
END_TEST

/* a name that is known is told apart from one that is not. */
START_TEST(a_known_provider_name_is_told_apart_from_an_unknown_one)
{
    static const char *const known[] = {"CUDA",   "TensorRT", "DML", "MIGraphX", "OpenVINO",
                                        "CoreML", "ROCM",     "QNN", "VitisAI",  "ACL",
                                        "ArmNN",  "Rknpu",    "Tvm", "WebGPU",   "XNNPACK"};
    OrtSessionOptions *options = new_options();

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        fails(ort->SessionOptionsAppendExecutionProvider(options, known[i], NULL, NULL, 0),
              ORT_INVALID_ARGUMENT, "not installed");
    fails(ort->SessionOptionsAppendExecutionProvider(options, "Cudda", NULL, NULL, 0),
          ORT_INVALID_ARGUMENT, "did you mean 'cuda'");
    serves(options);
}
END_TEST

/* 6.5: CPU is always there, and last; every name has the form that bindings parse. */
START_TEST(available_providers_end_with_cpu)
{
    char **names = NULL;
    int n = 0;

    ok(ort->GetAvailableProviders(&names, &n));
    ck_assert_int_ge(n, 1);
    ck_assert_str_eq(names[n - 1], "CPUExecutionProvider");
    for (int i = 0; i < n; i++)
        ck_assert_ptr_nonnull(strstr(names[i], "ExecutionProvider"));
    ok(ort->ReleaseAvailableProviders(names, n));
}
END_TEST

/* ---- B: CANN --------------------------------------------------------------------------------- */

/* B-02 to B-05, B-08: the sample of the page, with its keys; options go in either order. */
START_TEST(cann_options_are_created_updated_appended_and_released)
{
    static const char *const keys[] = {"device_id", "max_opqueue_num", "npu_mem_limit",
                                       "arena_extend_strategy", "do_copy_in_default_stream"};
    static const char *const values[] = {"0", "10000", "2147483648", "kNextPowerOfTwo", "1"};

    for (int order = 0; order < 2; order++) {
        const OrtApi *g_ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
        OrtCANNProviderOptions *cann = NULL;
        OrtSessionOptions *options = new_options();

        ok(g_ort->CreateCANNProviderOptions(&cann));
        ok(g_ort->UpdateCANNProviderOptions(cann, keys, values, 5));
        check_appended(g_ort->SessionOptionsAppendExecutionProvider_CANN(options, cann),
                       "CANNExecutionProvider");
        if (order == 0)
            g_ort->ReleaseCANNProviderOptions(cann);
        serves(options);
        if (order == 1)
            g_ort->ReleaseCANNProviderOptions(cann);
    }
}
END_TEST

static bool reads_as(const OrtCANNProviderOptions *cann, const char *text)
{
    char *all = NULL;
    bool is_in;

    ok(ort->GetCANNProviderOptionsAsString(cann, heap, &all));
    is_in = strstr(all, text) != NULL;
    ok(ort->AllocatorFree(heap, all));
    return is_in;
}

/* B-07, B-10: wrong keys and values are named; what is read is what was set, and the defaults. */
START_TEST(cann_options_are_checked_and_read_back)
{
    static const char *const strategy[] = {"arena_extend_strategy"}, *const limit[] = {
                                                                         "npu_mem_limit"};
    static const char *const device[] = {"device_id"}, *const copies[] = {
                                                           "do_copy_in_default_stream"};
    static const char *const wrong[] = {"npu_mem_limits"};
    static const char *const same[] = {"kSameAsRequested"}, *const large[] = {"2147483648"};
    static const char *const hex[] = {"0x10"}, *const word[] = {"two"}, *const minus[] = {"-1"};
    static const char *const off[] = {"False"}, *const maybe[] = {"maybe"}, *const empty[] = {""};
    OrtCANNProviderOptions *cann = NULL;

    ok(ort->CreateCANNProviderOptions(&cann));
    ck_assert(reads_as(cann, "device_id=0;"));
    ck_assert(reads_as(cann, "npu_mem_limit=18446744073709551615"));
    ok(ort->UpdateCANNProviderOptions(cann, strategy, same, 1));
    ck_assert(reads_as(cann, "arena_extend_strategy=kSameAsRequested"));
    ok(ort->UpdateCANNProviderOptions(cann, limit, large, 1)); /* begins with the defaults again */
    ck_assert(reads_as(cann, "npu_mem_limit=2147483648"));
    ck_assert(reads_as(cann, "arena_extend_strategy=kNextPowerOfTwo"));
    ok(ort->UpdateCANNProviderOptions(cann, device, hex, 1));
    ok(ort->UpdateCANNProviderOptions(cann, copies, off, 1));

    fails(ort->UpdateCANNProviderOptions(cann, wrong, large, 1), ORT_INVALID_ARGUMENT,
          "\"npu_mem_limits\". There are device_id");
    fails(ort->UpdateCANNProviderOptions(cann, device, word, 1), ORT_INVALID_ARGUMENT,
          "\"device_id\": \"two\" is not a whole number");
    fails(ort->UpdateCANNProviderOptions(cann, device, minus, 1), ORT_INVALID_ARGUMENT, "\"-1\"");
    fails(ort->UpdateCANNProviderOptions(cann, device, large, 1), ORT_INVALID_ARGUMENT,
          "from 0 to 2147483647");
    fails(ort->UpdateCANNProviderOptions(cann, limit, word, 1), ORT_INVALID_ARGUMENT, "bytes");
    fails(ort->UpdateCANNProviderOptions(cann, strategy, word, 1), ORT_INVALID_ARGUMENT,
          "kNextPowerOfTwo or kSameAsRequested");
    fails(ort->UpdateCANNProviderOptions(cann, copies, maybe, 1), ORT_INVALID_ARGUMENT, "True");
    fails(ort->UpdateCANNProviderOptions(cann, limit, empty, 1), ORT_INVALID_ARGUMENT, "empty");
    ck_assert(reads_as(cann, "do_copy_in_default_stream=False")); /* failures change nothing */
    ort->ReleaseCANNProviderOptions(cann);
}
END_TEST

/* ---- C: NNAPI -------------------------------------------------------------------------------- */

/* C-02, C-16: flags combine; where there is no NNAPI provider, the call says so and the CPU runs it all. */
START_TEST(nnapi_flags_combine)
{
    enum { USE_FP16 = 1, USE_NCHW = 2, CPU_DISABLED = 4, CPU_ONLY = 8 };
    OrtSessionOptions *options = new_options();
    OrtStatus *status;
    uint32_t flags = 0;
    bool is_there;

    flags |= USE_FP16;
    flags |= USE_NCHW | CPU_DISABLED;
    check_appended(OrtSessionOptionsAppendExecutionProvider_Nnapi(options, flags),
                   "NnapiExecutionProvider");
    serves(options);

    options = new_options();
    status = OrtSessionOptionsAppendExecutionProvider_Nnapi(options, 0);
    is_there = !status;
    ort->ReleaseStatus(status);
    fails(OrtSessionOptionsAppendExecutionProvider_Nnapi(options, CPU_DISABLED | CPU_ONLY),
          is_there ? ORT_INVALID_ARGUMENT : ORT_FAIL, is_there ? "exclude each other" : "nnapi");
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* The entry of the session, set before, is the provider's option of that name. */
START_TEST(nnapi_stop_operators_are_an_entry_of_the_session)
{
    static const char entry[] = "ep.nnapiexecutionprovider.partitioning_stop_ops";
    OrtSessionOptions *options = new_options();
    OrtStatus *status;
    char value[32];
    size_t size = sizeof value;

    ok(ort->AddSessionConfigEntry(options, "ep.nnapi.partitioning_stop_ops", "Relu,Sub"));
    status = OrtSessionOptionsAppendExecutionProvider_Nnapi(options, 0);
    if (status) {
        fails(status, ORT_FAIL, "nnapi");
    } else {
        ok(ort->GetSessionConfigEntry(options, entry, value, &size));
        ck_assert_str_eq(value, "Relu,Sub");
    }
    serves(options);
}
END_TEST

/* ---- D, 6.3: the Rust crate ------------------------------------------------------------------ */

/* D-06, D-07, D-08, 6.3: each registration tells why it fails; when all do, the session runs on CPU. */
START_TEST(session_runs_on_cpu_when_every_registration_fails)
{
    static const char *const names[] = {"CUDAExecutionProvider", "TensorrtExecutionProvider",
                                        "CoreMLExecutionProvider"};
    OrtSessionOptions *options = new_options();

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        OrtStatus *status =
            ort->SessionOptionsAppendExecutionProvider(options, names[i], NULL, NULL, 0);

        if (!is_available(names[i]))
            ck_assert_ptr_nonnull(status);
        ort->ReleaseStatus(status);
    }
    serves(options);
}
END_TEST

static unsigned n_late; /* lines that say so */

static void count_late(void *param, OrtLoggingLevel severity, const char *category, const char *id,
                       const char *location, const char *message)
{
    (void)param;
    (void)category;
    (void)location;
    n_late += severity == ORT_LOGGING_LEVEL_WARNING && strcmp(id, "first") == 0 &&
              strstr(message, "thread options of a later one have no effect") != NULL;
}

/* D-10, 6.3: after the first, an environment's settings are not applied, it is the same one, and says so. */
START_TEST(CreateEnv_returns_the_existing_environment)
{
    OrtThreadingOptions *threads = NULL;
    OrtEnv *other = NULL;

    ort->ReleaseEnv(env);
    env = NULL;
    n_late = 0;
    ok(ort->CreateEnvWithCustomLogger(count_late, NULL, ORT_LOGGING_LEVEL_WARNING, "first", &env));
    ok(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "again", &other)); /* wants nothing of its own */
    ort->ReleaseEnv(other);
    ck_assert_uint_eq(n_late, 0);
    ok(ort->CreateThreadingOptions(&threads));
    ok(ort->SetGlobalIntraOpNumThreads(threads, 3));
    ok(ort->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_FATAL, "late", threads, &other));
    ort->ReleaseThreadingOptions(threads);
    ck_assert_ptr_eq(other, env);
    ck_assert_uint_eq(n_late, 1);
    ort->ReleaseEnv(other);
    ort->ReleaseSession(open_add(NULL)); /* one reference is left */
    ort->ReleaseEnv(env);
    ok(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "samples", &env)); /* for those that follow */
}
END_TEST

/* D-15, 6.3: a provider that a binding has no type for is appended by name, or by the path of its file. */
START_TEST(a_provider_is_appended_by_its_path)
{
    OrtSessionOptions *options = new_options();
    char path[1024];

    fails(ort->SessionOptionsAppendExecutionProvider(options, "/nowhere/libbp-x.so", NULL, NULL, 0),
          ORT_INVALID_ARGUMENT, "/nowhere/libbp-x.so");
    serves(options);
    options = new_options();
    snprintf(path, sizeof path, "%s/libbp-few.so", getenv("BP_MOCK_DIR"));
    ok(ort->SessionOptionsAppendExecutionProvider(options, path, NULL, NULL, 0));
    serves(options);
}
END_TEST

/* 6.3: a run fetches the outputs that are named, in the order they are named in, into what is given. */
START_TEST(run_returns_only_the_named_outputs)
{
    static const char *const in[] = {"X"}, *const out_names[] = {"Q", "P"}, *const one[] = {"P"};
    float x[6] = {-1, 2, -3, 4, -5, 6}, room[6] = {0};
    OrtValue *value = floats(x, 6, two_by_three, 2);
    OrtValue *out[2] = {NULL, floats(room, 6, two_by_three, 2)};
    OrtValue *kept = out[1];
    OrtSession *session;
    struct pw w;

    model_begin(&w);
    NODE(&w, "Relu", "P", "X");
    NODE(&w, "Neg", "Q", "X");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(2, 3));
    model_end(&w, 12, "P", TENSOR, 1, DIMS(2, 3));
    model_end(&w, 12, "Q", TENSOR, 1, DIMS(2, 3));
    session = model_open(&w, NULL);
    ok(ort->Run(session, NULL, in, (const OrtValue *const *)&value, 1, out_names, 2, out));
    ck_assert_ptr_eq(out[1], kept);
    ck_assert_double_eq((double)float_data(out[0])[0], 1);
    ck_assert_double_eq((double)room[1], 2);
    ort->ReleaseValue(out[0]);
    out[0] = NULL;
    ok(ort->Run(session, NULL, in, (const OrtValue *const *)&value, 1, one, 1, out));
    ck_assert_double_eq((double)float_data(out[0])[0], 0);
    ort->ReleaseValue(out[0]);
    ort->ReleaseValue(kept);
    ort->ReleaseValue(value);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- 6.4: all that the node binding sets ----------------------------------------------------- */

START_TEST(session_accepts_the_options_of_the_node_binding)
{
    OrtSessionOptions *options = new_options();
    OrtMemoryInfo *buffer = NULL;
    OrtSession *session;
    OrtTypeInfo *type = NULL;
    const OrtTensorTypeAndShapeInfo *shape = NULL;
    int64_t dims[2];

    ok(ort->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
    ok(ort->SetIntraOpNumThreads(options, 2));
    ok(ort->SetInterOpNumThreads(options, 1));
    ok(ort->SetSessionExecutionMode(options, ORT_PARALLEL));
    ok(ort->DisableCpuMemArena(options));
    ok(ort->DisableMemPattern(options));
    ok(ort->SetSessionLogId(options, "node"));
    ok(ort->SetSessionLogSeverityLevel(options, ORT_LOGGING_LEVEL_ERROR));
    ok(ort->SetOptimizedModelFilePath(options, ""));
    ok(ort->AddFreeDimensionOverrideByName(options, "n", 2));
    ok(ort->AddSessionConfigEntry(options, "session.set_denormal_as_zero", "1"));
    ok(ort->SessionOptionsAppendExecutionProvider(options, "CPU", NULL, NULL, 0));
    session = open_add(options);
    ort->ReleaseSessionOptions(options);
    ok(ort->CreateMemoryInfo("WebGPU_Buf", OrtDeviceAllocator, 0, OrtMemTypeDefault, &buffer));
    ort->ReleaseMemoryInfo(buffer);
    ok(ort->SessionGetInputTypeInfo(session, 0, &type));
    ok(ort->CastTypeInfoToTensorInfo(type, &shape));
    ok(ort->GetDimensions(shape, dims, 2));
    ck_assert_int_eq(dims[0], 2);
    ort->ReleaseTypeInfo(type);
    runs(session);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- 6.6: entries of the configuration ------------------------------------------------------- */

START_TEST(config_entries_of_applications_are_accepted_and_read_back)
{
    static const char *const keys[] = {
        "session.record_ep_graph_assignment_info",
        "session.intra_op.allow_spinning",
        "session.inter_op.allow_spinning",
        "session.force_spinning_stop",
        "session.dynamic_block_base",
        "session.set_denormal_as_zero",
        "session.use_env_allocators",
        "session.use_device_allocator_for_initializers",
        "session.disable_prepacking",
        "session.strict_shape_type_inference",
        "session.allow_released_opsets_only",
        "session.load_model_format",
        "session.save_model_format",
        "session.disable_quant_qdq",
        "session.enable_quant_qdq_cleanup",
        "session.disable_aot_function_inlining",
        "optimization.disable_specified_optimizers",
        "optimization.enable_gelu_approximation",
        "ep.cpuexecutionprovider.some_option",
        "a.key.that.nobody.knows",
    };
    OrtSessionOptions *options = new_options();
    char text[8];

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t size = sizeof text;

        ok(ort->AddSessionConfigEntry(options, keys[i], "0"));
        ok(ort->GetSessionConfigEntry(options, keys[i], text, &size));
        ck_assert_str_eq(text, "0");
    }
    ok(ort->SetIntraOpNumThreads(options, 2));
    ok(ort->AddSessionConfigEntry(options, "session.intra_op_thread_affinities", "1"));
    serves(options);
}
END_TEST

START_TEST(session_creation_fails_when_cpu_is_appended_and_fallback_disabled)
{
    OrtSessionOptions *options = new_options();
    OrtSession *session = NULL;
    struct pw w;

    ok(ort->AddSessionConfigEntry(options, "session.disable_cpu_ep_fallback", "1"));
    ok(OrtSessionOptionsAppendExecutionProvider_CPU(options, 1));
    model_begin(&w);
    NODE(&w, "Relu", "Y", "X");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(2));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(2));
    pw_close(&w);
    fails(ort->CreateSessionFromArray(env, w.data, w.size, options, &session), ORT_INVALID_ARGUMENT,
          "explicitly added the CPU EP");
    ck_assert_ptr_null(session);
    pw_free(&w);
    ort->ReleaseSessionOptions(options);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("samples");
    TCase *tcase = tcase_create("samples");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, providers_are_registered_in_order_before_the_session_is_made);
    tcase_add_test(tcase, append_functions_exist_for_providers_that_are_not_installed);
    tcase_add_test(tcase, a_known_provider_name_is_told_apart_from_an_unknown_one);
    tcase_add_test(tcase, available_providers_end_with_cpu);
    tcase_add_test(tcase, cann_options_are_created_updated_appended_and_released);
    tcase_add_test(tcase, cann_options_are_checked_and_read_back);
    tcase_add_test(tcase, nnapi_flags_combine);
    tcase_add_test(tcase, nnapi_stop_operators_are_an_entry_of_the_session);
    tcase_add_test(tcase, session_runs_on_cpu_when_every_registration_fails);
    tcase_add_test(tcase, CreateEnv_returns_the_existing_environment);
    tcase_add_test(tcase, a_provider_is_appended_by_its_path);
    tcase_add_test(tcase, run_returns_only_the_named_outputs);
    tcase_add_test(tcase, session_accepts_the_options_of_the_node_binding);
    tcase_add_test(tcase, config_entries_of_applications_are_accepted_and_read_back);
    tcase_add_test(tcase, session_creation_fails_when_cpu_is_appended_and_fallback_disabled);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
