/* SPDX-License-Identifier: MIT */
/*
 * check_codes.c - codes and words of failures that applications may know: those of ONNX Runtime 1.30,
 * as far as it gives any.
 */

#include "config.h"

#include "ort/world.h"

START_TEST(values_of_the_wrong_kind)
{
    const OrtValue *const two_numbers[] = {world.values[0], world.values[0]};
    const OrtValue *const mixed[] = {world.values[0], world.values[1]};
    static const int64_t two[] = {2}, three[] = {3};
    OrtValue *keys = floats(world.numbers, 2, two, 1), *many = floats(world.numbers, 3, three, 1);
    const OrtValue *const floats_as_keys[] = {keys, keys}, *const uneven[] = {keys, many};
    OrtValue *out = NULL;
    size_t n = 0;

    fails(ort->GetValueCount(world.values[0], &n), ORT_FAIL, "not of type sequence or map");
    fails(ort->GetValue(world.values[2], 1, heap, &out), ORT_FAIL, "out of bounds");
    fails(ort->GetValue(world.values[2], -1, heap, &out), ORT_FAIL, "out of bounds");
    fails(ort->CreateValue(mixed, 2, ONNX_TYPE_SEQUENCE, &out), ORT_FAIL,
          "Sequences must have tensors of the same data type");
    fails(ort->CreateValue(two_numbers, 0, ONNX_TYPE_SEQUENCE, &out), ORT_FAIL, "at least 1");
    fails(ort->CreateValue(two_numbers, 2, ONNX_TYPE_MAP, &out), ORT_FAIL, "NumDimensions > 1");
    fails(ort->CreateValue(uneven, 2, ONNX_TYPE_MAP, &out), ORT_FAIL, "unequal number of elements");
    fails(ort->CreateValue(floats_as_keys, 2, ONNX_TYPE_MAP, &out), ORT_FAIL,
          "Key type is not supported yet");
    fails(ort->GetStringTensorDataLength(world.values[0], &n), ORT_FAIL, "not string");
    fails(ort->GetTensorSizeInBytes(world.values[1], &n), ORT_INVALID_ARGUMENT, "strings");
    ck_assert_ptr_null(out);
    ort->ReleaseValue(keys);
    ort->ReleaseValue(many);
}
END_TEST

/* B of an Add is this value. */
static OrtStatus *feed_b(const OrtValue *value)
{
    static const char *const in[] = {"A", "B"}, *const out_names[] = {"C"};
    const OrtValue *values[] = {world.values[0], value};
    OrtValue *out = NULL;
    OrtStatus *status = ort->Run(world.session, NULL, in, values, 2, out_names, 1, &out);

    ort->ReleaseValue(out);
    return status;
}

START_TEST(feeds_of_the_wrong_kind)
{
    ok(feed_b(world.values[0]));
    fails(feed_b(world.values[1]), ORT_INVALID_ARGUMENT,
          "Unexpected input data type. Actual: (tensor(string)) , expected: (tensor(float))");
    fails(feed_b(world.values[2]), ORT_INVALID_ARGUMENT, "B");
    fails(feed_b(world.values[3]), ORT_INVALID_ARGUMENT, "B");
    fails(feed_b(world.values[4]), ORT_INVALID_ARGUMENT,
          "input with name: 'B' expected to be of type: tensor but received a sparse tensor");
    fails(feed_b(world.values[5]), ORT_INVALID_ARGUMENT, "B"); /* ONNX Runtime crashes */
    fails(feed_b(world.values[6]), ORT_INVALID_ARGUMENT, "Invalid rank for input: B");
    fails(feed_b(NULL), ORT_INVALID_ARGUMENT, "NULL input supplied for input B");
}
END_TEST

/* Y = X X. */
static OrtStatus *make_product(const int64_t *dims, OrtSession **out)
{
    OrtStatus *status;
    struct pw w;

    model_begin(&w);
    NODE(&w, "MatMul", "Y", "X", "X");
    model_end(&w, 11, "X", TENSOR, 1, dims);
    model_end(&w, 12, "Y", TENSOR, 1, NULL);
    pw_close(&w);
    status = ort->CreateSessionFromArray(env, w.data, w.size, NULL, out);
    pw_free(&w);
    return status;
}

START_TEST(models_that_cannot_run)
{
    static const char *const in[] = {"X"}, *const out_names[] = {"Y"};
    OrtSession *session = NULL;
    OrtValue *out = NULL;
    struct pw w;

    model_begin(&w);
    NODE(&w, "Nonsense", "Y", "X");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(2));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(2));
    pw_close(&w);
    fails(ort->CreateSessionFromArray(env, w.data, w.size, NULL, &session), ORT_INVALID_GRAPH,
          "No Op registered for Nonsense with domain_version of 17");
    pw_free(&w);
    fails(ort->CreateSession(env, "/", NULL, &session), ORT_INVALID_ARGUMENT, "directory");
    fails(make_product(DIMS(2, 3), &session), ORT_FAIL, "MatMul");
    ck_assert_ptr_null(session);
    ok(make_product(DIMS(-1, 3), &session));
    fails(ort->Run(session, NULL, in, (const OrtValue *const *)world.values, 1, out_names, 1, &out),
          ORT_FAIL, "MatMul");
    ck_assert_ptr_null(out);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(settings_that_cannot_be)
{
    size_t size = 0;
    OrtArenaCfg *arena = NULL;

    fails(ort->GetSessionConfigEntry(world.session_options, "absent", NULL, &size),
          ORT_INVALID_ARGUMENT, "was not found");
    fails(ort->CreateArenaCfg(0, 2, -1, -1, &arena), ORT_INVALID_ARGUMENT,
          "Invalid configuration value");
    fails(ort->CreateAndRegisterAllocatorV2(env, "Nobody", cpu, NULL, NULL, NULL, 0),
          ORT_INVALID_ARGUMENT, "Nobody is not implemented in CreateAndRegisterAllocatorV2()");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("codes");
    TCase *tcase = tcase_create("codes");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, make_world, drop_world);
    tcase_add_test(tcase, values_of_the_wrong_kind);
    tcase_add_test(tcase, feeds_of_the_wrong_kind);
    tcase_add_test(tcase, models_that_cannot_run);
    tcase_add_test(tcase, settings_that_cannot_be);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
