/* SPDX-License-Identifier: MIT */
/* check_run.c - sessions and runs through ONNX Runtime's C ABI: models, names, errors, bindings. */

#include "config.h"

#include <math.h>
#include <unistd.h>

#include "ort/async.h"

/* ---- what a model is ----------------------------------------------------------------------------- */

START_TEST(session_reports_names_types_and_metadata_of_a_model)
{
    OrtSession *session = open_add(NULL);
    OrtTypeInfo *type = NULL;
    const OrtTensorTypeAndShapeInfo *shape = NULL;
    OrtModelMetadata *metadata = NULL;
    ONNXTensorElementDataType dtype;
    const char *symbols[2];
    int64_t dims[2], version;
    char *text = NULL;
    char **keys = NULL;
    int64_t n_keys = 0;
    size_t n = 0;

    ok(ort->SessionGetInputCount(session, &n));
    ck_assert_uint_eq(n, 2);
    ok(ort->SessionGetOutputCount(session, &n));
    ck_assert_uint_eq(n, 1);
    ok(ort->SessionGetInputName(session, 1, heap, &text));
    ck_assert_str_eq(text, "B");
    ok(ort->AllocatorFree(heap, text));
    fails(ort->SessionGetInputName(session, 2, heap, &text), ORT_FAIL, "2");

    ok(ort->SessionGetInputTypeInfo(session, 0, &type));
    ok(ort->CastTypeInfoToTensorInfo(type, &shape));
    ok(ort->GetTensorElementType(shape, &dtype));
    ck_assert_int_eq(dtype, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    ok(ort->GetDimensionsCount(shape, &n));
    ck_assert_uint_eq(n, 2);
    ok(ort->GetDimensions(shape, dims, 2));
    ck_assert_int_eq(dims[0], -1);
    ck_assert_int_eq(dims[1], 3);
    ok(ort->GetSymbolicDimensions(shape, symbols, 2));
    ck_assert_str_eq(symbols[0], "n");
    ck_assert_str_eq(symbols[1], "");
    fails(ort->GetTensorShapeElementCount(shape, &n), ORT_FAIL, "dimension 0");
    ort->ReleaseTypeInfo(type);

    ok(ort->SessionGetModelMetadata(session, &metadata));
    ok(ort->ModelMetadataGetProducerName(metadata, heap, &text));
    ck_assert_str_eq(text, "kit");
    heap->Free(heap, text);
    ok(ort->ModelMetadataGetVersion(metadata, &version));
    ck_assert_int_eq(version, 7);
    ok(ort->ModelMetadataLookupCustomMetadataMap(metadata, heap, "colour", &text));
    ck_assert_str_eq(text, "blue");
    heap->Free(heap, text);
    ok(ort->ModelMetadataLookupCustomMetadataMap(metadata, heap, "taste", &text));
    ck_assert_ptr_null(text);
    ok(ort->ModelMetadataGetCustomMetadataMapKeys(metadata, heap, &keys, &n_keys));
    ck_assert_int_eq(n_keys, 1);
    ck_assert_str_eq(keys[0], "colour");
    heap->Free(heap, keys[0]);
    heap->Free(heap, keys);
    ort->ReleaseModelMetadata(metadata);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(overridden_free_dimensions_show_in_types)
{
    OrtSessionOptions *options = NULL;
    OrtSession *session;
    OrtTypeInfo *type = NULL;
    const OrtTensorTypeAndShapeInfo *shape = NULL;
    int64_t dims[2];

    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddFreeDimensionOverrideByName(options, "n", 5));
    session = open_add(options);
    ort->ReleaseSessionOptions(options);
    ok(ort->SessionGetOutputTypeInfo(session, 0, &type));
    ok(ort->CastTypeInfoToTensorInfo(type, &shape));
    ok(ort->GetDimensions(shape, dims, 2));
    ck_assert_int_eq(dims[0], 5);
    ort->ReleaseTypeInfo(type);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------------------ */

/* A and B of an Add model: 0, 1, 2... and ten times that. */
struct pair {
    float a[6], b[6];
    OrtValue *values[2];
};

static void make_pair(struct pair *pair)
{
    for (int i = 0; i < 6; i++) {
        pair->a[i] = (float)i;
        pair->b[i] = (float)i * 10;
    }
    pair->values[0] = floats(pair->a, 6, two_by_three, 2);
    pair->values[1] = floats(pair->b, 6, two_by_three, 2);
}

static void drop_pair(struct pair *pair)
{
    ort->ReleaseValue(pair->values[0]);
    ort->ReleaseValue(pair->values[1]);
}

static void is_sum(OrtValue *value)
{
    const float *c = float_data(value);

    for (int i = 0; i < 6; i++)
        ck_assert_double_eq((double)c[i], i * 11.0);
}

static OrtStatus *run_pair(OrtSession *session, struct pair *pair, OrtValue **out)
{
    return ort->Run(session, NULL, add_in, (const OrtValue *const *)pair->values, 2, add_out, 1,
                    out);
}

START_TEST(run_writes_into_new_and_preallocated_values)
{
    static const int64_t one_by_three[] = {1, 3};
    OrtSession *session = open_add(NULL);
    struct pair pair;
    float room[6] = {0};
    OrtValue *out = NULL;
    OrtValue *small;
    OrtTensorTypeAndShapeInfo *shape = NULL;
    size_t n = 0;

    make_pair(&pair);
    ok(run_pair(session, &pair, &out));
    is_sum(out);
    ok(ort->GetTensorTypeAndShape(out, &shape));
    ok(ort->GetTensorShapeElementCount(shape, &n));
    ck_assert_uint_eq(n, 6);
    ort->ReleaseTensorTypeAndShapeInfo(shape);
    ort->ReleaseValue(out);

    out = floats(room, 6, two_by_three, 2);
    ok(run_pair(session, &pair, &out));
    is_sum(out);
    ck_assert_double_eq((double)room[5], 55); /* in the caller's own memory */
    ort->ReleaseValue(out);

    small = floats(room, 3, one_by_three, 2);
    fails(run_pair(session, &pair, &small), ORT_INVALID_ARGUMENT, "C");
    ort->ReleaseValue(small);
    drop_pair(&pair);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(run_refuses_wrong_feeds_with_messages_of_onnx_runtime)
{
    static const char *const bad_in[] = {"A", "X"};
    static const char *const bad_out[] = {"Y"};
    static const int64_t two_by_two[] = {2, 2}, six[] = {6};
    OrtSession *session = open_add(NULL);
    struct pair pair;
    double d[6] = {0};
    OrtValue *out = NULL;
    OrtValue *other;
    const OrtValue *feeds[2];

    make_pair(&pair);
    feeds[0] = pair.values[0];
    feeds[1] = pair.values[1];
    fails(ort->Run(session, NULL, bad_in, feeds, 2, add_out, 1, &out), ORT_INVALID_ARGUMENT,
          "Invalid input name: X");
    fails(ort->Run(session, NULL, add_in, feeds, 2, bad_out, 1, &out), ORT_INVALID_ARGUMENT,
          "Invalid output name: Y");
    fails(ort->Run(session, NULL, add_in, feeds, 1, add_out, 1, &out), ORT_FAIL,
          "Missing Input: B");
    fails(ort->Run(session, NULL, add_in, feeds, 2, add_out, 0, &out), ORT_INVALID_ARGUMENT,
          "At least one output");
    feeds[1] = NULL;
    fails(ort->Run(session, NULL, add_in, feeds, 2, add_out, 1, &out), ORT_INVALID_ARGUMENT,
          "NULL input");

    ok(ort->CreateTensorWithDataAsOrtValue(cpu, d, sizeof d, two_by_three, 2,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, &other));
    feeds[1] = other;
    fails(ort->Run(session, NULL, add_in, feeds, 2, add_out, 1, &out), ORT_INVALID_ARGUMENT,
          "Unexpected input data type. Actual: (tensor(double)) , expected: (tensor(float))");
    ort->ReleaseValue(other);
    other = floats(pair.b, 4, two_by_two, 2);
    feeds[1] = other;
    fails(ort->Run(session, NULL, add_in, feeds, 2, add_out, 1, &out), ORT_INVALID_ARGUMENT,
          "Got invalid dimensions for input: B");
    ort->ReleaseValue(other);
    other = floats(pair.b, 6, six, 1);
    feeds[1] = other;
    fails(ort->Run(session, NULL, add_in, feeds, 2, add_out, 1, &out), ORT_INVALID_ARGUMENT,
          "Invalid rank for input: B Got: 1 Expected: 2");
    ort->ReleaseValue(other);
    ck_assert_ptr_null(out);
    drop_pair(&pair);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(the_terminate_flag_ends_runs)
{
    OrtSession *session = open_add(NULL);
    OrtRunOptions *options = NULL;
    struct pair pair;
    OrtValue *out = NULL;
    const char *tag = NULL;

    make_pair(&pair);
    ok(ort->CreateRunOptions(&options));
    ok(ort->RunOptionsSetRunTag(options, "seven"));
    ok(ort->RunOptionsGetRunTag(options, &tag));
    ck_assert_str_eq(tag, "seven");
    ok(ort->AddRunConfigEntry(options, "key", "value"));
    ck_assert_str_eq(ort->GetRunConfigEntry(options, "key"), "value");
    ck_assert_ptr_null(ort->GetRunConfigEntry(options, "other"));
    ok(ort->RunOptionsSetTerminate(options));
    fails(ort->Run(session, options, add_in, (const OrtValue *const *)pair.values, 2, add_out, 1,
                   &out),
          ORT_FAIL, "terminate flag");
    ok(ort->RunOptionsUnsetTerminate(options));
    ok(ort->Run(session, options, add_in, (const OrtValue *const *)pair.values, 2, add_out, 1,
                &out));
    is_sum(out);
    ort->ReleaseValue(out);
    ort->ReleaseRunOptions(options);
    drop_pair(&pair);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- runs that call back ------------------------------------------------------------------------------ */

START_TEST(an_asynchronous_run_calls_back)
{
    OrtSession *session = open_add(NULL);
    struct async_run async = ASYNC_RUN_INIT;
    struct pair pair;
    OrtValue *out = NULL;

    make_pair(&pair);
    ok(ort->RunAsync(session, NULL, add_in, (const OrtValue *const *)pair.values, 2, add_out, 1,
                     &out, async_done, &async));
    ok(async_wait(&async));
    ck_assert_uint_eq(async.n_outputs, 1);
    is_sum(out);
    ort->ReleaseValue(out);
    drop_pair(&pair);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- bindings ------------------------------------------------------------------------------------------ */

START_TEST(bound_values_are_used_by_every_run)
{
    OrtSession *session = open_add(NULL);
    OrtIoBinding *binding = NULL;
    struct pair pair;
    OrtValue **values = NULL;
    char *names = NULL;
    size_t *lengths = NULL;
    size_t n = 0;

    make_pair(&pair);
    ok(ort->CreateIoBinding(session, &binding));
    ok(ort->BindInput(binding, "A", pair.values[0]));
    ok(ort->BindInput(binding, "B", pair.values[1]));
    fails(ort->BindInput(binding, "Q", pair.values[1]), ORT_FAIL,
          "Failed to find input name in the mapping: Q");
    ok(ort->BindOutputToDevice(binding, "C", cpu));
    for (int i = 0; i < 2; i++)
        ok(ort->RunWithBinding(session, NULL, binding));
    ok(ort->GetBoundOutputNames(binding, heap, &names, &lengths, &n));
    ck_assert_uint_eq(n, 1);
    ck_assert_uint_eq(lengths[0], 1);
    ck_assert_int_eq(names[0], 'C');
    heap->Free(heap, names);
    heap->Free(heap, lengths);
    ok(ort->GetBoundOutputValues(binding, heap, &values, &n));
    ck_assert_uint_eq(n, 1);
    ort->ReleaseIoBinding(binding);
    is_sum(values[0]); /* it outlives the binding */
    ort->ReleaseValue(values[0]);
    heap->Free(heap, values);
    drop_pair(&pair);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- files --------------------------------------------------------------------------------------------- */

START_TEST(loading_errors_have_the_codes_of_onnx_runtime)
{
    static const char nonsense[] = "this is not a model, whatever it may be";
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;

    fails(ort->CreateSession(env, "/nowhere/model.onnx", NULL, &session), ORT_NO_SUCHFILE,
          "File doesn't exist");
    fails(ort->CreateSessionFromArray(env, nonsense, sizeof nonsense, NULL, &session),
          ORT_INVALID_PROTOBUF, "failed");
    fails(ort->CreateSessionFromArray(env, nonsense, 0, NULL, &session), ORT_INVALID_ARGUMENT,
          "no bytes");
    ok(ort->CreateSessionOptions(&options));
    ok(ort->SessionOptionsSetLoadCancellationFlag(options, true));
    fails(ort->CreateSession(env, "/dev/null", options, &session), ORT_MODEL_LOAD_CANCELED,
          "canceled");
    ort->ReleaseSessionOptions(options);
    ck_assert_ptr_null(session);
}
END_TEST

START_TEST(the_digits_example_runs_from_its_file)
{
    static const char *const in_names[] = {"image"};
    static const char *const out_names[] = {"probability"};
    static const int64_t dims[] = {1, 1, 8, 8};
    const char *dir = getenv("BP_SRCDIR");
    char path[4096];
    OrtSession *session = NULL;
    OrtValue *in;
    OrtValue *out = NULL;
    float image[64];
    float sum = 0;

    snprintf(path, sizeof path, "%s/examples/digits/digits.onnx", dir ? dir : ".");
    ok(ort->CreateSession(env, path, NULL, &session));
    for (int i = 0; i < 64; i++)
        image[i] = (float)(i % 17) / 16;
    in = floats(image, 64, dims, 4);
    ok(ort->Run(session, NULL, in_names, (const OrtValue *const *)&in, 1, out_names, 1, &out));
    for (int i = 0; i < 10; i++)
        sum += float_data(out)[i];
    ck_assert_double_eq_tol((double)sum, 1.0, 1e-5); /* probabilities */
    ort->ReleaseValue(in);
    ort->ReleaseValue(out);
    ort->ReleaseSession(session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run");
    TCase *tcase = tcase_create("run");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, session_reports_names_types_and_metadata_of_a_model);
    tcase_add_test(tcase, overridden_free_dimensions_show_in_types);
    tcase_add_test(tcase, run_writes_into_new_and_preallocated_values);
    tcase_add_test(tcase, run_refuses_wrong_feeds_with_messages_of_onnx_runtime);
    tcase_add_test(tcase, the_terminate_flag_ends_runs);
    tcase_add_test(tcase, an_asynchronous_run_calls_back);
    tcase_add_test(tcase, bound_values_are_used_by_every_run);
    tcase_add_test(tcase, loading_errors_have_the_codes_of_onnx_runtime);
    tcase_add_test(tcase, the_digits_example_runs_from_its_file);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
