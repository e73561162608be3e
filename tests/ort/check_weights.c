/* SPDX-License-Identifier: MIT */
/* check_weights.c - initializers that session options give; containers of packed weights. */

#include "config.h"

#include <unistd.h>

#include "ort/kit.h"

static const int64_t three[] = {3};
static const int64_t two[] = {2};
static const float own_weights[] = {100.0f, 200.0f, 300.0f};

static void external_entry(struct pw *w, const char *key, const char *value)
{
    pw_open(w, 13);
    pw_text(w, 1, key);
    pw_text(w, 2, value);
    pw_close(w);
}

/* y = x + w, of [3]. location: w's file, where it is at byte 4; NULL: within. */
static void write_model(struct pw *w, const char *location)
{
    model_begin(w);
    NODE(w, "Add", "y", "x", "w");
    pw_open_tensor(w, 5, "w", 1, PW_DIMS(3));
    if (location) {
        external_entry(w, "location", location);
        external_entry(w, "offset", "4");
        pw_int(w, 14, 1);
    } else {
        pw_bytes(w, 9, own_weights, sizeof own_weights);
    }
    pw_close(w);
    model_end(w, 11, "x", TENSOR, 1, DIMS(3));
    model_end(w, 12, "y", TENSOR, 1, DIMS(3));
    pw_close(w);
}

static OrtStatus *try_open(const char *location, const OrtSessionOptions *options, OrtSession **out)
{
    struct pw w;
    OrtStatus *status;

    write_model(&w, location);
    *out = NULL;
    status = ort->CreateSessionFromArray(env, w.data, w.size, options, out);
    pw_free(&w);
    return status;
}

/* Runs with x = 0, 1, 2: y is the weights and that. */
static void check_sum(OrtSession *session, float a, float b, float c)
{
    float x[] = {0.0f, 1.0f, 2.0f};
    const char *const in[] = {"x"};
    const char *const out[] = {"y"};
    OrtValue *value = floats(x, 3, three, 1);
    OrtValue *result = NULL;
    const float *y;

    ok(ort->Run(session, NULL, in, (const OrtValue *const *)&value, 1, out, 1, &result));
    y = float_data(result);
    ck_assert(y[0] == a);
    ck_assert(y[1] == b + 1.0f);
    ck_assert(y[2] == c + 2.0f);
    ort->ReleaseValue(result);
    ort->ReleaseValue(value);
}

/* ---- AddInitializer -------------------------------------------------------------------------- */

START_TEST(AddInitializer_replaces_a_weight_in_every_session_of_the_options)
{
    float data[] = {1.0f, 2.0f, 3.0f};
    OrtValue *value = floats(data, 3, three, 1);
    OrtSessionOptions *options = NULL;
    OrtSessionOptions *clone = NULL;
    OrtSession *sessions[2];

    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddInitializer(options, "w", value));
    ok(ort->AddInitializer(options, "of another model", value));
    ok(ort->CloneSessionOptions(options, &clone));
    ort->ReleaseSessionOptions(options);
    ok(try_open(NULL, clone, &sessions[0]));
    ok(try_open(NULL, clone, &sessions[1]));
    ort->ReleaseSessionOptions(clone);
    ort->ReleaseValue(value); /* its buffer stays */
    check_sum(sessions[0], 1.0f, 2.0f, 3.0f);
    check_sum(sessions[1], 1.0f, 2.0f, 3.0f);
    ort->ReleaseSession(sessions[0]);
    ort->ReleaseSession(sessions[1]);
}
END_TEST

START_TEST(session_creation_names_an_initializer_of_the_wrong_shape)
{
    float data[] = {1.0f, 2.0f, 3.0f};
    OrtValue *value = floats(data, 2, two, 1);
    OrtValue *sequence = NULL;
    OrtSessionOptions *options = NULL;
    OrtSession *session;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddInitializer(options, "w", value));
    fails(ort->AddInitializer(options, "w", value), ORT_INVALID_ARGUMENT, "already been added: w");
    fails(ort->AddInitializer(options, "", value), ORT_INVALID_ARGUMENT, "name");
    fails(ort->AddInitializer(options, "v", NULL), ORT_INVALID_ARGUMENT, "'v'");
    ok(ort->CreateValue((const OrtValue *const *)&value, 1, ONNX_TYPE_SEQUENCE, &sequence));
    fails(ort->AddInitializer(options, "v", sequence), ORT_INVALID_ARGUMENT, "only tensors");
    fails(try_open(NULL, options, &session), ORT_INVALID_ARGUMENT,
          "weight 'w': its size in dimension 0 is 2, the model's initializer has 3");
    ck_assert_ptr_null(session);
    ort->ReleaseValue(sequence);
    ort->ReleaseValue(value);
    ort->ReleaseSessionOptions(options);
}
END_TEST

START_TEST(session_creation_refuses_an_initializer_of_the_wrong_type)
{
    int32_t data[] = {1, 2, 3};
    OrtValue *value = NULL;
    OrtSessionOptions *options = NULL;
    OrtSession *session;

    ok(ort->CreateTensorWithDataAsOrtValue(cpu, data, sizeof data, three, 1,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, &value));
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddInitializer(options, "w", value));
    fails(try_open(NULL, options, &session), ORT_INVALID_ARGUMENT,
          "weight 'w': it is int32, the model's initializer is float32");
    ort->ReleaseValue(value);
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* ---- external initializers ------------------------------------------------------------------- */

START_TEST(session_copies_an_external_initializer_in_borrowed_memory)
{
    const char *const names[] = {"w"};
    float *data = malloc(3 * sizeof *data);
    OrtValue *value;
    OrtSessionOptions *options = NULL;
    OrtSession *session;

    ck_assert_ptr_nonnull(data);
    for (int i = 0; i < 3; i++)
        data[i] = (float)(i + 5);
    value = floats(data, 3, three, 1);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddExternalInitializers(options, names, (const OrtValue *const *)&value, 1));
    ok(try_open("nowhere.bin", options, &session));
    ort->ReleaseValue(value);
    ort->ReleaseSessionOptions(options);
    free(data);
    check_sum(session, 5.0f, 6.0f, 7.0f);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(session_shares_an_external_initializer_that_owns_its_memory)
{
    const char *const names[] = {"w"};
    OrtValue *value = NULL;
    OrtSessionOptions *options = NULL;
    OrtSession *session;
    void *data = NULL;

    ok(ort->CreateTensorAsOrtValue(heap, three, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    ok(ort->GetTensorMutableData(value, &data));
    memcpy(data, own_weights, sizeof own_weights);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddExternalInitializers(options, names, (const OrtValue *const *)&value, 1));
    ort->ReleaseValue(value);
    ok(try_open("nowhere.bin", options, &session));
    ort->ReleaseSessionOptions(options);
    check_sum(session, 100.0f, 200.0f, 300.0f);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(AddExternalInitializers_adds_all_or_none)
{
    const char *const names[] = {"a", ""};
    const char *const w[] = {"w"};
    const char *const wrong[] = {"q"};
    float data[] = {1.0f, 2.0f, 3.0f};
    OrtValue *value = floats(data, 3, three, 1);
    const OrtValue *const values[] = {value, value};
    OrtSessionOptions *options = NULL;
    OrtSession *session;

    ok(ort->CreateSessionOptions(&options));
    fails(ort->AddExternalInitializers(options, names, values, 2), ORT_INVALID_ARGUMENT, "name");
    ok(ort->AddExternalInitializers(options, w, values, 1)); /* 'a' was not added */
    fails(try_open(NULL, options, &session), ORT_INVALID_ARGUMENT,
          "weight 'w': the model has its data within");
    ok(ort->AddExternalInitializers(options, wrong, values, 1));
    fails(try_open("nowhere.bin", options, &session), ORT_INVALID_ARGUMENT,
          "weight 'q': the model has no such initializer");
    ort->ReleaseSessionOptions(options);
    ort->ReleaseValue(value);
}
END_TEST

START_TEST(session_reads_external_data_from_files_in_memory)
{
    const char *const names[] = {"data.bin"};
    float file[] = {0.0f, 7.0f, 8.0f, 9.0f};
    char *bytes = malloc(sizeof file);
    char *const buffers[] = {bytes};
    size_t sizes[] = {sizeof file};
    OrtSessionOptions *options = NULL;
    OrtSession *session;

    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, file, sizeof file);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->AddExternalInitializersFromFilesInMemory(options, names, buffers, sizes, 1));
    fails(ort->AddExternalInitializersFromFilesInMemory(options, names, buffers, sizes, 1),
          ORT_INVALID_ARGUMENT, "already been added: data.bin");
    fails(try_open("other.bin", options, &session), ORT_FAIL, "other.bin");
    ok(try_open("data.bin", options, &session));
    ort->ReleaseSessionOptions(options);
    free(bytes); /* it was copied */
    check_sum(session, 7.0f, 8.0f, 9.0f);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(files_in_memory_are_refused_without_name_or_bytes_or_too_short)
{
    const char *const names[] = {"data.bin", "more.bin"};
    const char *const nameless[] = {NULL};
    char bytes[16] = "";
    char *const buffers[] = {bytes, NULL};
    size_t sizes[] = {12, 4};
    OrtSessionOptions *options = NULL;
    OrtSession *session;

    ok(ort->CreateSessionOptions(&options));
    fails(ort->AddExternalInitializersFromFilesInMemory(options, nameless, buffers, sizes, 1),
          ORT_INVALID_ARGUMENT, "name");
    fails(ort->AddExternalInitializersFromFilesInMemory(options, names, buffers, sizes, 2),
          ORT_INVALID_ARGUMENT, "more.bin");
    ok(ort->AddExternalInitializersFromFilesInMemory(options, names, buffers, sizes, 1));
    fails(try_open("data.bin", options, &session), ORT_FAIL,
          "12 bytes at 4 of 'data.bin', which has 12");
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* ---- containers ------------------------------------------------------------------------------ */

START_TEST(two_sessions_share_a_container_of_prepacked_weights)
{
    OrtPrepackedWeightsContainer *container = NULL;
    OrtSession *sessions[2] = {NULL, NULL};
    struct pw w;

    ok(ort->CreatePrepackedWeightsContainer(&container));
    write_model(&w, NULL);
    for (int i = 0; i < 2; i++)
        ok(ort->CreateSessionFromArrayWithPrepackedWeightsContainer(env, w.data, w.size, NULL,
                                                                    container, &sessions[i]));
    pw_free(&w);
    check_sum(sessions[0], 100.0f, 200.0f, 300.0f);
    ort->ReleaseSession(sessions[0]);
    check_sum(sessions[1], 100.0f, 200.0f, 300.0f);
    ort->ReleaseSession(sessions[1]);
    ort->ReleasePrepackedWeightsContainer(container);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("weights");
    TCase *tcase = tcase_create("weights");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, AddInitializer_replaces_a_weight_in_every_session_of_the_options);
    tcase_add_test(tcase, session_creation_names_an_initializer_of_the_wrong_shape);
    tcase_add_test(tcase, session_creation_refuses_an_initializer_of_the_wrong_type);
    tcase_add_test(tcase, session_copies_an_external_initializer_in_borrowed_memory);
    tcase_add_test(tcase, session_shares_an_external_initializer_that_owns_its_memory);
    tcase_add_test(tcase, AddExternalInitializers_adds_all_or_none);
    tcase_add_test(tcase, session_reads_external_data_from_files_in_memory);
    tcase_add_test(tcase, files_in_memory_are_refused_without_name_or_bytes_or_too_short);
    tcase_add_test(tcase, two_sessions_share_a_container_of_prepacked_weights);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
