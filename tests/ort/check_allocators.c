/* SPDX-License-Identifier: MIT */
/* check_allocators.c - allocators, their figures, those that are shared, copies, GPU's pointers. */

#include "config.h"

#include "ort/kit.h"

static long figure(const OrtAllocator *allocator, const char *key)
{
    OrtKeyValuePairs *stats = NULL;
    const char *text;
    long value;

    ok(ort->AllocatorGetStats(allocator, &stats));
    text = ort->GetKeyValue(stats, key);
    ck_assert_msg(text != NULL, "no figure '%s'", key);
    value = strtol(text, NULL, 10);
    ort->ReleaseKeyValuePairs(stats);
    return value;
}

START_TEST(an_allocator_reports_its_statistics)
{
    OrtSession *session = open_add(NULL);
    OrtAllocator *own = NULL;
    void *a, *b, *c = NULL;

    ok(ort->CreateAllocator(session, cpu, &own));
    ck_assert_int_eq(figure(own, "InUse"), 0);
    a = own->Alloc(own, 100);
    b = own->Alloc(own, 1000);
    ck_assert_uint_eq((uintptr_t)b % 64, 0);
    memset(b, 1, 1000);
    own->Free(own, a);
    c = own->Reserve(own, 10);
    ck_assert_int_eq(figure(own, "InUse"), 1010);
    ck_assert_int_eq(figure(own, "MaxInUse"), 1100);
    ck_assert_int_eq(figure(own, "MaxAllocSize"), 1000);
    ck_assert_int_eq(figure(own, "NumAllocs"), 2);
    ck_assert_int_eq(figure(own, "NumReserves"), 1);
    ck_assert_int_eq(figure(own, "Limit"), -1); /* none */
    ck_assert_int_eq(figure(own, "RequestedInUse"), 1010);
    own->Free(own, b);
    own->Free(own, c);
    own->Free(own, NULL);
    ck_assert_ptr_null(own->Alloc(own, 0));
    ck_assert_ptr_null(own->Alloc(own, SIZE_MAX - 8));
    ck_assert_int_eq(figure(own, "InUse"), 0);
    ort->ReleaseAllocator(own);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(the_default_allocator_counts_bytes_of_values)
{
    static const int64_t dims[] = {25};
    long before = figure(heap, "InUse");
    OrtValue *value = NULL;

    ok(ort->CreateTensorAsOrtValue(heap, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    ck_assert_int_eq(figure(heap, "InUse") - before, 100);
    ort->ReleaseValue(value);
    ck_assert_int_eq(figure(heap, "InUse"), before);
}
END_TEST

START_TEST(a_shared_allocator_enforces_its_memory_limit)
{
    static const char *const keys[] = {"max_mem"};
    static const size_t values[] = {1000};
    OrtArenaCfg *arena = NULL;
    OrtAllocator *shared = NULL;
    void *p;

    ok(ort->GetSharedAllocator(env, cpu, &shared));
    ck_assert_ptr_eq(shared, heap); /* as long as there is no other */
    ok(ort->CreateArenaCfgV2(keys, values, 1, &arena));
    ok(ort->CreateAndRegisterAllocator(env, cpu, arena));
    ok(ort->CreateAndRegisterAllocator(env, cpu, arena)); /* instead of the first */
    ort->ReleaseArenaCfg(arena);
    ok(ort->GetSharedAllocator(env, cpu, &shared));
    ck_assert_ptr_ne(shared, heap);
    ck_assert_int_eq(figure(shared, "Limit"), 1000);
    p = shared->Alloc(shared, 600);
    ck_assert_ptr_nonnull(p);
    ck_assert_ptr_null(shared->Alloc(shared, 401));
    ck_assert_ptr_null(shared->Alloc(shared, 2000));
    shared->Free(shared, p);
    ok(ort->UnregisterAllocator(env, cpu));
    fails(ort->UnregisterAllocator(env, cpu), ORT_INVALID_ARGUMENT, "No allocator");
    fails(ort->CreateAndRegisterAllocatorV2(env, "CUDAExecutionProvider", cpu, NULL, NULL, NULL, 0),
          ORT_INVALID_ARGUMENT, "CUDAExecutionProvider");
    ok(ort->CreateAndRegisterAllocatorV2(env, "CPUExecutionProvider", cpu, NULL, NULL, NULL, 0));
}
END_TEST

/* ---- one that the application brings --------------------------------------------------------- */

struct mine {
    OrtAllocator table;
    int n_allocs, n_frees;
    int fail_at; /* this call has nothing; 0: none */
    const OrtMemoryInfo *info;
    void *last;
};

static void *my_alloc(OrtAllocator *this_, size_t size)
{
    struct mine *mine = (struct mine *)(void *)this_;

    mine->n_allocs++;
    mine->last = mine->n_allocs == mine->fail_at ? NULL : malloc(size);
    return mine->last;
}

static void my_free(OrtAllocator *this_, void *p)
{
    ((struct mine *)(void *)this_)->n_frees++;
    free(p);
}

static const OrtMemoryInfo *my_info(const OrtAllocator *this_)
{
    return ((const struct mine *)(const void *)this_)->info;
}

static struct mine my_allocator(void)
{
    return (struct mine){
        .table = {.version = 17, .Alloc = my_alloc, .Free = my_free, .Info = my_info}, .info = cpu};
}

/* C of n rows. */
static OrtStatus *try_run(OrtSession *session, int64_t n, OrtValue **c)
{
    static const char *const in[] = {"A", "B"}, *const names[] = {"C"};
    static float numbers[3 * 1000];
    const int64_t dims[] = {n, 3};
    OrtValue *a = floats(numbers, (size_t)n * 3, dims, 2);
    const OrtValue *const feeds[] = {a, a};
    OrtStatus *status;

    for (int64_t i = 0; i < n * 3; i++)
        numbers[i] = (float)(i % 7);
    *c = NULL;
    status = ort->Run(session, NULL, in, feeds, 2, names, 1, c);
    for (int64_t i = 0; !status && i < n * 3; i++)
        ck_assert(float_data(*c)[i] == 2 * numbers[i]);
    ort->ReleaseValue(a);
    return status;
}

static OrtSession *open_with_env_allocators(void)
{
    OrtSessionOptions *options = NULL;
    OrtSession *session;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddSessionConfigEntry(options, "session.use_env_allocators", "1"));
    session = open_add(options);
    ort->ReleaseSessionOptions(options);
    return session;
}

/* The outputs that a run makes are in the application's memory, and go back there. */
static void check_outputs(OrtSession *session, struct mine *mine)
{
    OrtValue *c = NULL, *again = NULL, *of_heap = NULL;
    OrtSession *other = open_add(NULL);
    const OrtMemoryInfo *info = NULL;
    int before = mine->n_allocs, equal = -1;

    ok(try_run(other, 1, &of_heap));
    ck_assert_int_eq(mine->n_allocs, before); /* that session does not use it */
    ok(try_run(session, 1, &c));
    ck_assert_int_eq(mine->n_allocs, before + 2); /* the memory of runs, and the output */
    ok(try_run(session, 1, &again));
    ck_assert_int_eq(mine->n_allocs, before + 3);
    ck_assert_ptr_eq(float_data(again), mine->last);
    ok(ort->GetTensorMemoryInfo(again, &info));
    ok(ort->CompareMemoryInfo(info, mine->info, &equal));
    ck_assert_int_eq(equal, 0);
    ort->ReleaseSession(other);
    before = mine->n_frees;
    ort->ReleaseValue(of_heap);
    ck_assert_int_eq(mine->n_frees, before);
    ort->ReleaseValue(c);
    ort->ReleaseValue(again);
    ck_assert_int_eq(mine->n_frees, before + 2);
}

START_TEST(session_uses_the_environment_allocator_when_configured_to)
{
    OrtMemoryInfo *arena = cpu;
    struct mine mine = my_allocator();
    OrtAllocator half = {.version = 17, .Alloc = my_alloc};
    OrtKeyValuePairs *stats = NULL;
    OrtAllocator *lent = NULL;
    OrtSession *session;
    void *p;

    fails(ort->RegisterAllocator(env, &half), ORT_INVALID_ARGUMENT, "Free");
    fails(ort->RegisterAllocator(env, &mine.table), ORT_INVALID_ARGUMENT, "OrtDeviceAllocator");
    ok(ort->CreateMemoryInfo_V2("Mine", OrtMemoryInfoDeviceType_CPU, 0, 0,
                                OrtDeviceMemoryType_DEFAULT, 32, OrtDeviceAllocator, &cpu));
    mine.info = cpu;
    ok(ort->CreateAndRegisterAllocator(env, cpu, NULL));
    ok(ort->RegisterAllocator(env, &mine.table)); /* instead of that */
    ok(ort->GetSharedAllocator(env, cpu, &lent));
    ck_assert_ptr_eq(lent, &mine.table);
    session = open_with_env_allocators();
    ok(ort->CreateAllocator(session, cpu, &lent));
    p = lent->Alloc(lent, 10);
    lent->Free(lent, p);
    p = lent->Reserve(lent, 10); /* it has none: Alloc stands in */
    lent->Free(lent, p);
    ck_assert_int_eq(mine.n_allocs, 2);
    ck_assert_ptr_eq(lent->Info(lent), cpu);
    fails(ort->AllocatorGetStats(lent, &stats), ORT_NOT_IMPLEMENTED, "statistics");
    ort->ReleaseAllocator(lent);
    check_outputs(session, &mine);
    ort->ReleaseSession(session);
    ck_assert_int_eq(mine.n_allocs, mine.n_frees);
    ok(ort->UnregisterAllocator(env, cpu));
    ort->ReleaseMemoryInfo(arena);
}
END_TEST

/* As in ONNX Runtime, a session has for good what was registered when it was created. */
START_TEST(a_session_keeps_the_allocator_that_it_was_made_with)
{
    struct mine mine = my_allocator();
    OrtMemoryInfo *arena = cpu;
    OrtSession *before, *between;
    OrtValue *c = NULL;

    ok(ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu));
    mine.info = cpu;
    before = open_with_env_allocators();
    ok(ort->RegisterAllocator(env, &mine.table));
    between = open_with_env_allocators();
    ok(try_run(before, 2, &c));
    ort->ReleaseValue(c);
    ck_assert_int_eq(mine.n_allocs, 0);
    ok(ort->UnregisterAllocator(env, cpu));
    ok(try_run(between, 2, &c));
    ck_assert_int_eq(mine.n_allocs, 2);
    ort->ReleaseSession(between);
    ck_assert_int_eq(mine.n_frees, 1);
    ort->ReleaseValue(c); /* outlives its session */
    ck_assert_int_eq(mine.n_frees, 2);
    ort->ReleaseSession(before);
    ort->ReleaseMemoryInfo(arena);
}
END_TEST

START_TEST(an_allocator_without_memory_fails_the_run)
{
    struct mine mine = my_allocator();
    OrtMemoryInfo *arena = cpu;
    OrtSession *session;
    OrtValue *c = NULL;

    ok(ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu));
    mine.info = cpu;
    ok(ort->RegisterAllocator(env, &mine.table));
    session = open_with_env_allocators();
    for (int n = 0; n < 2; n++) { /* the memory of runs, then the output */
        mine.fail_at = mine.n_allocs + 1;
        fails(try_run(session, 5, &c), ORT_FAIL, "Failed to allocate memory for requested buffer");
        ck_assert_ptr_null(c);
        ok(try_run(session, 5, &c));
        ort->ReleaseValue(c);
    }
    ort->ReleaseSession(session);
    ck_assert_int_eq(mine.n_allocs - mine.n_frees, 2); /* the two that failed */
    ok(ort->UnregisterAllocator(env, cpu));
    ort->ReleaseMemoryInfo(arena);
}
END_TEST

START_TEST(the_limit_of_an_arena_fails_the_run)
{
    static const char *const keys[] = {"max_mem"};
    static const size_t values[] = {4000};
    OrtMemoryInfo *plain = NULL;
    OrtArenaCfg *arena = NULL;
    OrtAllocator *shared = NULL;
    OrtSession *session;
    OrtValue *c = NULL, *kept = NULL;

    ok(ort->CreateArenaCfgV2(keys, values, 1, &arena));
    ok(ort->CreateAndRegisterAllocatorV2(env, "CPUExecutionProvider", cpu, arena, NULL, NULL, 0));
    ok(ort->GetSharedAllocator(env, cpu, &shared));
    session = open_with_env_allocators();
    fails(try_run(session, 1000, &c), ORT_FAIL, "Failed to allocate memory for requested buffer");
    ok(try_run(session, 10, &kept));
    ck_assert_int_ge(figure(shared, "InUse"), 120);
    ck_assert_int_le(figure(shared, "MaxInUse"), 4000);
    ok(ort->UnregisterAllocator(env, cpu)); /* the session and the value have it yet */
    ok(try_run(session, 10, &c));
    ort->ReleaseValue(c);
    ort->ReleaseSession(session);
    ck_assert(float_data(kept)[1] == 2);
    ort->ReleaseValue(kept);
    /* as in ONNX Runtime, only an arena has a limit */
    ok(ort->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &plain));
    ok(ort->CreateAndRegisterAllocator(env, plain, arena));
    session = open_with_env_allocators();
    ok(try_run(session, 1000, &c));
    ort->ReleaseValue(c);
    ort->ReleaseSession(session);
    ort->ReleaseArenaCfg(arena);
    ort->ReleaseMemoryInfo(plain);
}
END_TEST

START_TEST(a_device_has_one_shared_allocator)
{
    const OrtEpDevice *const *devices = NULL;
    OrtAllocator *first = NULL, *second = NULL;
    OrtKeyValuePairs *options = NULL;
    size_t n = 0;

    ok(ort->GetEpDevices(env, &devices, &n));
    ort->CreateKeyValuePairs(&options);
    ort->AddKeyValuePair(options, "arena.max_mem", "4096");
    ok(ort->CreateSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT, OrtArenaAllocator,
                                  options, &first));
    ck_assert_int_eq(figure(first, "Limit"), 4096);
    ok(ort->CreateSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT, OrtDeviceAllocator,
                                  NULL, &second)); /* instead of the first */
    ck_assert_int_eq(figure(second, "Limit"), -1);
    ort->AddKeyValuePair(options, "arena.max_mem", "much");
    fails(ort->CreateSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT,
                                     OrtArenaAllocator, options, &first),
          ORT_INVALID_ARGUMENT, "much");
    fails(ort->CreateSharedAllocator(env, devices[0], OrtDeviceMemoryType_HOST_ACCESSIBLE,
                                     OrtArenaAllocator, NULL, &first),
          ORT_INVALID_ARGUMENT, "CPUExecutionProvider");
    ok(ort->ReleaseSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT));
    fails(ort->ReleaseSharedAllocator(env, devices[0], OrtDeviceMemoryType_DEFAULT),
          ORT_INVALID_ARGUMENT, "Cpu");
    ort->ReleaseKeyValuePairs(options);
}
END_TEST

START_TEST(memory_of_devices_without_a_provider_is_refused)
{
    const OrtEpDevice *const *devices = NULL;
    OrtMemoryInfo *cuda = NULL;
    OrtAllocator *none = heap;
    OrtSyncStream *stream = NULL;
    size_t n = 0;

    ok(ort->CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &cuda));
    fails(ort->CreateAndRegisterAllocator(env, cuda, NULL), ORT_INVALID_ARGUMENT, "Cuda");
    ok(ort->GetSharedAllocator(env, cuda, &none));
    ck_assert_ptr_null(none);
    ort->ReleaseMemoryInfo(cuda);
    ok(ort->GetEpDevices(env, &devices, &n));
    fails(ort->CreateSyncStreamForEpDevice(devices[0], NULL, &stream), ORT_INVALID_ARGUMENT,
          "no memory of its own");
    ck_assert_ptr_null(ort->SyncStream_GetHandle(stream));
    ort->ReleaseSyncStream(stream);
}
END_TEST

/* ---- copies ---------------------------------------------------------------------------------- */

START_TEST(CopyTensors_copies_tensors)
{
    static const int64_t two[] = {2}, row[] = {1, 2};
    static const char *const words[] = {"a", "longer"};
    float a[] = {1, 2}, b[] = {0, 0};
    OrtValue *from[2] = {floats(a, 2, two, 1)}, *to[2] = {floats(b, 2, row, 2)};
    char text[8] = "";

    ok(ort->CreateTensorAsOrtValue(heap, two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &from[1]));
    ok(ort->CreateTensorAsOrtValue(heap, two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &to[1]));
    ok(ort->FillStringTensor(from[1], words, 2));
    ok(ort->CopyTensors(env, (const OrtValue *const *)from, to, NULL, 2));
    ck_assert(b[0] == 1 && b[1] == 2);
    ok(ort->GetStringTensorElement(to[1], 6, 1, text));
    ck_assert_int_eq(memcmp(text, "longer", 6), 0);
    ok(ort->CopyTensors(env, (const OrtValue *const *)to, to, NULL, 2)); /* onto itself */
    for (int i = 0; i < 2; i++)
        ort->ReleaseValue(from[i]);
    for (int i = 0; i < 2; i++)
        ort->ReleaseValue(to[i]);
}
END_TEST

START_TEST(CopyTensors_copies_nothing_unless_every_pair_fits)
{
    static const int64_t two[] = {2}, three[] = {3};
    float a[] = {1, 2}, b[] = {0, 0}, c[] = {0, 0, 0};
    OrtValue *from[] = {floats(a, 2, two, 1), floats(a, 2, two, 1)};
    OrtValue *to[] = {floats(b, 2, two, 1), floats(c, 3, three, 1)};
    OrtValue *ints = NULL;

    fails(ort->CopyTensors(env, (const OrtValue *const *)from, to, NULL, 2), ORT_INVALID_ARGUMENT,
          "2 and 3 elements");
    ck_assert(b[0] == 0);
    ok(ort->CreateTensorWithDataAsOrtValue(cpu, b, sizeof b, two, 1,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, &ints));
    fails(ort->CopyTensors(env, (const OrtValue *const *)from, &ints, NULL, 1),
          ORT_INVALID_ARGUMENT, "float32 and int32");
    fails(ort->CopyTensors(env, (const OrtValue *const *)from, to, NULL, 0), ORT_INVALID_ARGUMENT,
          "no tensors");
    ort->ReleaseValue(ints);
    for (int i = 0; i < 2; i++)
        ort->ReleaseValue(from[i]);
    for (int i = 0; i < 2; i++)
        ort->ReleaseValue(to[i]);
}
END_TEST

/* ---- options of GPU providers ---------------------------------------------------------------- */

START_TEST(provider_options_keep_pointers)
{
    static const char *const keys[] = {"device_id"}, *const values[] = {"1"};
    OrtCUDAProviderOptionsV2 *cuda = NULL;
    OrtTensorRTProviderOptionsV2 *trt = NULL;
    int target = 0;
    void *got = &target;

    ok(ort->CreateCUDAProviderOptions(&cuda));
    ok(ort->GetCUDAProviderOptionsByName(cuda, "user_compute_stream", &got));
    ck_assert_ptr_null(got);
    ok(ort->UpdateCUDAProviderOptionsWithValue(cuda, "user_compute_stream", &target));
    /* texts need the provider, which is not here; what was set stays */
    fails(ort->UpdateCUDAProviderOptions(cuda, keys, values, 1), ORT_FAIL, "cuda");
    ok(ort->GetCUDAProviderOptionsByName(cuda, "user_compute_stream", &got));
    ck_assert_ptr_eq(got, &target);
    fails(ort->UpdateCUDAProviderOptionsWithValue(cuda, "device_id", &target), ORT_INVALID_ARGUMENT,
          "device_id");
    fails(ort->GetCUDAProviderOptionsByName(cuda, "device_id", &got), ORT_INVALID_ARGUMENT,
          "device_id");
    ort->ReleaseCUDAProviderOptions(cuda);
    ok(ort->CreateTensorRTProviderOptions(&trt));
    ok(ort->UpdateTensorRTProviderOptionsWithValue(trt, "user_compute_stream", &target));
    ok(ort->GetTensorRTProviderOptionsByName(trt, "user_compute_stream", &got));
    ck_assert_ptr_eq(got, &target);
    ort->ReleaseTensorRTProviderOptions(trt);
}
END_TEST

START_TEST(rocm_options_are_read_and_written_as_text)
{
    static const char *const keys[] = {"device_id", "gpu_mem_limit", "enable_hip_graph"};
    static const char *const values[] = {"2", "1073741824", "True"};
    static const char *const wrong[] = {"two"}, *const unknown[] = {"flavour"};
    OrtROCMProviderOptions *rocm = NULL;
    const void *table = NULL;
    char *text = NULL;
    int id = 0;

    ok(ort->CreateROCMProviderOptions(&rocm));
    ok(ort->UpdateROCMProviderOptions(rocm, keys, values, 3));
    ck_assert_int_eq(rocm->device_id, 2);
    ck_assert_int_eq(rocm->enable_hip_graph, 1);
    ok(ort->GetROCMProviderOptionsAsString(rocm, heap, &text));
    ck_assert_ptr_nonnull(strstr(text, "device_id=2;"));
    ck_assert_ptr_nonnull(strstr(text, "gpu_mem_limit=1073741824;"));
    heap->Free(heap, text);
    fails(ort->UpdateROCMProviderOptions(rocm, keys, wrong, 1), ORT_INVALID_ARGUMENT, "two");
    fails(ort->UpdateROCMProviderOptions(rocm, unknown, values, 1), ORT_INVALID_ARGUMENT,
          "flavour");
    ort->ReleaseROCMProviderOptions(rocm);
    fails(ort->GetCurrentGpuDeviceId(&id), ORT_FAIL, "GPU");
    fails(ort->SetCurrentGpuDeviceId(0), ORT_FAIL, "GPU");
    fails(ort->GetExecutionProviderApi("DML", 1, &table), ORT_INVALID_ARGUMENT, "DML");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("allocators");
    TCase *tcase = tcase_create("allocators");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, an_allocator_reports_its_statistics);
    tcase_add_test(tcase, the_default_allocator_counts_bytes_of_values);
    tcase_add_test(tcase, a_shared_allocator_enforces_its_memory_limit);
    tcase_add_test(tcase, session_uses_the_environment_allocator_when_configured_to);
    tcase_add_test(tcase, a_session_keeps_the_allocator_that_it_was_made_with);
    tcase_add_test(tcase, an_allocator_without_memory_fails_the_run);
    tcase_add_test(tcase, the_limit_of_an_arena_fails_the_run);
    tcase_add_test(tcase, a_device_has_one_shared_allocator);
    tcase_add_test(tcase, memory_of_devices_without_a_provider_is_refused);
    tcase_add_test(tcase, CopyTensors_copies_tensors);
    tcase_add_test(tcase, CopyTensors_copies_nothing_unless_every_pair_fits);
    tcase_add_test(tcase, provider_options_keep_pointers);
    tcase_add_test(tcase, rocm_options_are_read_and_written_as_text);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
