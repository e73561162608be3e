/* SPDX-License-Identifier: MIT */
/*
 * check_ownership.c - who owns what in ONNX Runtime's C ABI: what may be released when, whose
 * allocator gives what, which pointers stay. Made for the sanitizers and valgrind.
 */

#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "ort/kit.h"

/* C = A + A. */
static OrtValue *run_add(OrtSession *session, const OrtValue *a)
{
    const OrtValue *values[] = {a, a};
    OrtValue *out = NULL;

    ok(ort->Run(session, NULL, add_in, values, 2, add_out, 1, &out));
    return out;
}

/* ---- an allocator of the caller's ------------------------------------------------------------ */

struct counting {
    OrtAllocator base; /* the first member: it is handed out */
    int live, calls;
};

static void *count_alloc(OrtAllocator *this_, size_t size)
{
    struct counting *own = (struct counting *)(void *)this_;

    own->live++;
    own->calls++;
    return malloc(size);
}

static void count_free(OrtAllocator *this_, void *p)
{
    struct counting *own = (struct counting *)(void *)this_;

    own->live -= p != NULL;
    free(p);
}

static const OrtMemoryInfo *count_info(const OrtAllocator *this_)
{
    (void)this_;
    return cpu;
}

static struct counting counting(void)
{
    return (struct counting){.base = {.version = ORT_API_VERSION,
                                      .Alloc = count_alloc,
                                      .Free = count_free,
                                      .Info = count_info}};
}

START_TEST(returned_strings_come_from_the_callers_allocator)
{
    struct counting own = counting();
    OrtSession *session = open_add(NULL);
    OrtModelMetadata *metadata = NULL;
    char *text = NULL;
    char **keys = NULL;
    int64_t n = 0;

    ok(ort->SessionGetInputName(session, 0, &own.base, &text));
    ck_assert_int_eq(own.live, 1);
    own.base.Free(&own.base, text);
    ok(ort->SessionGetOutputName(session, 0, &own.base, &text));
    own.base.Free(&own.base, text);
    ok(ort->SessionGetModelMetadata(session, &metadata));
    ort->ReleaseSession(session); /* metadata is the caller's */
    ok(ort->ModelMetadataGetProducerName(metadata, &own.base, &text));
    ck_assert_str_eq(text, "kit");
    own.base.Free(&own.base, text);
    ok(ort->ModelMetadataGetCustomMetadataMapKeys(metadata, &own.base, &keys, &n));
    ck_assert_int_eq(own.live, 1 + (int)n); /* the array and each text */
    for (int64_t i = 0; i < n; i++)
        own.base.Free(&own.base, keys[i]);
    own.base.Free(&own.base, keys);
    ck_assert_int_eq(own.live, 0);
    ort->ReleaseModelMetadata(metadata);
}
END_TEST

START_TEST(bound_results_come_from_the_callers_allocator)
{
    struct counting own = counting();
    OrtSession *session = open_add(NULL);
    OrtIoBinding *binding = NULL;
    float a[6] = {1, 2, 3, 4, 5, 6};
    OrtValue *value = floats(a, 6, two_by_three, 2);
    OrtValue **values = NULL;
    char *names = NULL;
    size_t *lengths = NULL;
    size_t n = 0;

    ok(ort->CreateIoBinding(session, &binding));
    ok(ort->BindInput(binding, "A", value));
    ok(ort->BindInput(binding, "B", value));
    ort->ReleaseValue(value); /* the binding keeps it */
    ok(ort->BindOutputToDevice(binding, "C", cpu));
    ok(ort->RunWithBinding(session, NULL, binding));
    ok(ort->GetBoundOutputNames(binding, &own.base, &names, &lengths, &n));
    ck_assert_int_eq(own.live, 2);
    own.base.Free(&own.base, names);
    own.base.Free(&own.base, lengths);
    ok(ort->GetBoundOutputValues(binding, &own.base, &values, &n));
    ck_assert_int_eq(own.live, 1);
    ort->ClearBoundOutputs(binding);
    ort->ReleaseIoBinding(binding);
    ort->ReleaseSession(session);
    ck_assert_double_eq((double)float_data(values[0])[5], 12); /* it outlives them all */
    ort->ReleaseValue(values[0]);
    own.base.Free(&own.base, values);
    ck_assert_int_eq(own.live, 0);
}
END_TEST

START_TEST(tensors_return_memory_to_their_allocator)
{
    struct counting own = counting();
    OrtValue *value = NULL, *sequence = NULL, *part = NULL;
    float few[1];
    void *data;

    ok(ort->CreateTensorAsOrtValue(&own.base, two_by_three, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                   &value));
    ck_assert_int_eq(own.live, 1);
    ok(ort->CreateValue((const OrtValue *const *)&value, 1, ONNX_TYPE_SEQUENCE, &sequence));
    ort->ReleaseValue(value); /* the sequence has it, too */
    ck_assert_int_eq(own.live, 1);
    ok(ort->GetValue(sequence, 0, heap, &part));
    ort->ReleaseValue(sequence);
    ck_assert_int_eq(own.live, 1);
    ort->ReleaseValue(part);
    ck_assert_int_eq(own.live, 0);

    data = own.base.Alloc(&own.base, 24);
    ok(ort->CreateTensorWithDataAndDeleterAsOrtValue(&own.base, data, 24, two_by_three, 2,
                                                     ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    ort->ReleaseValue(value);
    ck_assert_int_eq(own.live, 0);
    fails(ort->CreateTensorWithDataAndDeleterAsOrtValue(
              &own.base, few, 4, two_by_three, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
          ORT_INVALID_ARGUMENT, "not enough space");
    ck_assert_int_eq(own.live, 0); /* a failure leaves the memory with the caller */
}
END_TEST

/* ---- what may go early ----------------------------------------------------------------------- */

START_TEST(options_bytes_and_environment_may_be_released_before_the_session)
{
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;
    OrtPrepackedWeightsContainer *weights = NULL;
    float a[6] = {1, 2, 3, 4, 5, 6};
    OrtValue *value, *out;
    uint8_t *bytes;
    struct pw w;

    model_begin(&w);
    NODE(&w, "Add", "C", "A", "B");
    model_end(&w, 11, "A", TENSOR, 1, DIMS(2, 3));
    model_end(&w, 11, "B", TENSOR, 1, DIMS(2, 3));
    model_end(&w, 12, "C", TENSOR, 1, DIMS(2, 3));
    pw_close(&w);
    bytes = malloc(w.size);
    memcpy(bytes, w.data, w.size);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->CreatePrepackedWeightsContainer(&weights));
    ok(ort->CreateSessionFromArrayWithPrepackedWeightsContainer(env, bytes, w.size, options,
                                                                weights, &session));
    ort->ReleaseSessionOptions(options);
    memset(bytes, 0xff, w.size);
    free(bytes);
    pw_free(&w);
    ort->ReleaseEnv(env);
    value = floats(a, 6, two_by_three, 2);
    out = run_add(session, value);
    ort->ReleaseSession(session);
    ort->ReleasePrepackedWeightsContainer(weights);
    ck_assert_double_eq((double)float_data(out)[5], 12); /* results outlive the session */
    ort->ReleaseValue(out);
    ort->ReleaseValue(value);
    ok(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "test", &env));
}
END_TEST

START_TEST(a_run_reads_borrowed_memory_at_the_time_of_the_run)
{
    OrtSession *session = open_add(NULL);
    float a[6] = {1, 2, 3, 4, 5, 6}, room[6] = {0};
    OrtValue *value = floats(a, 6, two_by_three, 2);
    OrtValue *out = floats(room, 6, two_by_three, 2);
    OrtValue *kept = out;
    const OrtValue *values[] = {value, value};

    a[0] = 50;
    ok(ort->Run(session, NULL, add_in, values, 2, add_out, 1, &out));
    ck_assert_ptr_eq(out, kept);
    ck_assert_double_eq((double)room[0], 100);
    ok(ort->Run(session, NULL, add_in, values, 2, add_out, 1, &value)); /* its own input */
    ck_assert_double_eq((double)a[0], 100);
    ort->ReleaseValue(value);
    ort->ReleaseValue(out);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(type_and_shape_infos_are_copies_and_casts_borrow)
{
    OrtSession *session = open_add(NULL);
    OrtTypeInfo *type = NULL;
    OrtTensorTypeAndShapeInfo *shape = NULL;
    const OrtTensorTypeAndShapeInfo *view = NULL;
    const OrtMapTypeInfo *map = NULL;
    float a[6] = {0};
    OrtValue *value = floats(a, 6, two_by_three, 2);
    size_t n = 0;

    ok(ort->SessionGetInputTypeInfo(session, 0, &type));
    ort->ReleaseSession(session);
    ok(ort->CastTypeInfoToTensorInfo(type, &view));
    ok(ort->GetDimensionsCount(view, &n));
    ck_assert_uint_eq(n, 2);
    ok(ort->CastTypeInfoToMapTypeInfo(type, &map));
    ck_assert_ptr_null(map);
    ort->ReleaseTypeInfo(type);
    ok(ort->GetTensorTypeAndShape(value, &shape));
    ort->ReleaseValue(value);
    ok(ort->GetTensorShapeElementCount(shape, &n));
    ck_assert_uint_eq(n, 6);
    ort->ReleaseTensorTypeAndShapeInfo(shape);
}
END_TEST

START_TEST(the_caller_owns_a_status_even_with_code_0)
{
    char text[] = "mine";
    OrtStatus *status = ort->CreateStatus(ORT_OK, text);

    ck_assert_ptr_nonnull(status);
    memset(text, 'x', 4);
    ck_assert_int_eq(ort->GetErrorCode(status), ORT_OK);
    ck_assert_str_eq(ort->GetErrorMessage(status), "mine");
    ort->ReleaseStatus(status);
    ort->ReleaseStatus(NULL);
}
END_TEST

/* ---- results that fail ----------------------------------------------------------------------- */

/* A failed run leaves every slot as it was: NULL ones NULL, prepared ones the caller's. */
START_TEST(a_failed_run_leaves_output_slots_unchanged)
{
    static const char *const in[] = {"X"}, *const out_names[] = {"P", "Q"};
    static const int64_t one[] = {1};
    float x[6] = {0}, room[1] = {7};
    OrtValue *value = floats(x, 6, two_by_three, 2);
    OrtValue *out[2] = {NULL, floats(room, 1, one, 1)};
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
    fails(ort->Run(session, NULL, in, (const OrtValue *const *)&value, 1, out_names, 2, out),
          ORT_INVALID_ARGUMENT, "Q");
    ck_assert_ptr_null(out[0]);
    ck_assert_ptr_eq(out[1], kept);
    ort->ReleaseValue(kept);
    ort->ReleaseValue(value);
    ort->ReleaseSession(session);
}
END_TEST

/* A prepared value has to be of the kind that the output is. */
START_TEST(run_refuses_a_preallocated_value_of_another_kind)
{
    static const char *const in[] = {"X"}, *const out_names[] = {"S"};
    float x[6] = {3}, room[6] = {0};
    OrtValue *value = floats(x, 6, two_by_three, 2);
    OrtValue *out = floats(room, 6, two_by_three, 2);
    OrtValue *sequence = NULL, *part = NULL;
    OrtSession *session;
    struct pw w;

    model_begin(&w);
    NODE(&w, "SequenceConstruct", "S", "X");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(2, 3));
    model_end(&w, 12, "S", SEQUENCE, 1, NULL);
    session = model_open(&w, NULL);
    fails(ort->Run(session, NULL, in, (const OrtValue *const *)&value, 1, out_names, 1, &out),
          ORT_INVALID_ARGUMENT, "S");
    ok(ort->CreateValue((const OrtValue *const *)&out, 1, ONNX_TYPE_SEQUENCE, &sequence));
    ok(ort->Run(session, NULL, in, (const OrtValue *const *)&value, 1, out_names, 1, &sequence));
    ok(ort->GetValue(sequence, 0, heap, &part));
    ck_assert_double_eq((double)float_data(part)[0], 3);
    ort->ReleaseValue(part);
    ort->ReleaseValue(sequence);
    ort->ReleaseValue(out);
    ort->ReleaseValue(value);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- releasing while others run -------------------------------------------------------------- */

enum { SIDE = 32, LINKS = 300 };

/* P = Relu(X), then Y by a long way. */
static OrtSession *open_long(void)
{
    struct pw w;

    model_begin(&w);
    NODE(&w, "Relu", "P", "X");
    NODE(&w, "MatMul", "v0", "P", "X");
    for (int i = 0; i < LINKS; i++) {
        char from[16], to[16];

        snprintf(from, sizeof from, "v%d", i);
        snprintf(to, sizeof to, "v%d", i + 1);
        NODE(&w, "MatMul", to, from, "X");
    }
    NODE(&w, "Relu", "Y", "v300");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(SIDE, SIDE));
    model_end(&w, 12, "P", TENSOR, 1, DIMS(SIDE, SIDE));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(SIDE, SIDE));
    return model_open(&w, NULL);
}

static struct {
    OrtSession *session;
    OrtValue *in, *out[2];
    atomic_bool has_ended;
} long_run;

static void *run_long(void *unused)
{
    static const char *const in[] = {"X"}, *const out_names[] = {"P", "Y"};
    OrtStatus *status = ort->Run(long_run.session, NULL, in, (const OrtValue *const *)&long_run.in,
                                 1, out_names, 2, long_run.out);

    (void)unused;
    atomic_store(&long_run.has_ended, true);
    return status;
}

/* 6.5: what bindings do when a session is closed while a run goes on. */
START_TEST(releasing_a_session_waits_for_its_runs)
{
    static const int64_t dims[] = {SIDE, SIDE};
    static float x[SIDE * SIDE], p[SIDE * SIDE];
    const volatile float *first = p;
    pthread_t thread;
    void *status;

    p[0] = -1; /* until the run, which has begun then, writes there */
    long_run.session = open_long();
    long_run.in = floats(x, SIDE * SIDE, dims, 2);
    long_run.out[0] = floats(p, SIDE * SIDE, dims, 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_long, NULL), 0);
    while (*first < 0 && !atomic_load(&long_run.has_ended))
        sched_yield();
    ort->ReleaseSession(long_run.session);
    pthread_join(thread, &status);
    ok(status);
    for (int i = 0; i < 2; i++)
        ort->ReleaseValue(long_run.out[i]);
    ort->ReleaseValue(long_run.in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ownership");
    TCase *tcase = tcase_create("ownership");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, returned_strings_come_from_the_callers_allocator);
    tcase_add_test(tcase, bound_results_come_from_the_callers_allocator);
    tcase_add_test(tcase, tensors_return_memory_to_their_allocator);
    tcase_add_test(tcase, options_bytes_and_environment_may_be_released_before_the_session);
    tcase_add_test(tcase, a_run_reads_borrowed_memory_at_the_time_of_the_run);
    tcase_add_test(tcase, type_and_shape_infos_are_copies_and_casts_borrow);
    tcase_add_test(tcase, the_caller_owns_a_status_even_with_code_0);
    tcase_add_test(tcase, a_failed_run_leaves_output_slots_unchanged);
    tcase_add_test(tcase, run_refuses_a_preallocated_value_of_another_kind);
    tcase_add_test(tcase, releasing_a_session_waits_for_its_runs);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
