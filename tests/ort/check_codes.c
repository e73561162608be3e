/* SPDX-License-Identifier: MIT */
/*
 * check_codes.c - codes and words of failures that applications may know: those of ONNX Runtime 1.30,
 * as far as it gives any.
 */

#include "config.h"

#include "ort/world.h"

START_TEST(value_functions_refuse_values_of_the_wrong_kind)
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

START_TEST(run_refuses_feeds_of_the_wrong_kind)
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

START_TEST(models_that_cannot_run_are_refused_with_onnx_runtimes_codes)
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

START_TEST(invalid_settings_are_refused)
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

/* ---- models that are refused ------------------------------------------------------------------- */

static void external(struct pw *w, const char *location, int64_t offset, int64_t length)
{
    const char *const keys[] = {"location", "offset", "length"};
    char numbers[2][24];
    const char *const values[] = {location, numbers[0], numbers[1]};

    snprintf(numbers[0], sizeof numbers[0], "%lld", (long long)offset);
    snprintf(numbers[1], sizeof numbers[1], "%lld", (long long)length);
    NODE(w, "Add", "Y", "X", "W");
    pw_open(w, 5);
    pw_int(w, 1, 2);
    pw_int(w, 2, 1);
    pw_text(w, 8, "W");
    for (int i = 0; i < 3; i++) {
        pw_open(w, 13);
        pw_text(w, 1, keys[i]);
        pw_text(w, 2, values[i]);
        pw_close(w);
    }
    pw_int(w, 14, 1);
    pw_close(w);
}

static void unknown_input(struct pw *w)
{
    NODE(w, "Relu", "Y", "nowhere");
}

static void duplicate(struct pw *w)
{
    NODE(w, "Relu", "Y", "X");
    NODE(w, "Abs", "Y", "X");
}

static void cycle(struct pw *w)
{
    NODE(w, "Add", "Y", "X", "Z");
    NODE(w, "Relu", "Z", "Y");
}

static void two_inputs(struct pw *w)
{
    NODE(w, "Relu", "Y", "X", "X");
}

static void other_attribute(struct pw *w)
{
    pw_open_node(w, "Relu", "X", "Y");
    pw_open_attr(w, "foo", 2);
    pw_int(w, 3, 1);
    pw_close(w);
    pw_close(w);
}

static void two_types(struct pw *w)
{
    NODE(w, "Add", "Y", "X", "I");
}

static void above(struct pw *w)
{
    external(w, "../codes-data.bin", 0, 8);
}

static void absolute(struct pw *w)
{
    external(w, "/codes-data.bin", 0, 8);
}

static void absent(struct pw *w)
{
    external(w, "codes-absent.bin", 0, 8);
}

static void nameless(struct pw *w)
{
    external(w, "", 0, 8);
}

/* Each with its code and the words that tests of bindings look for, as ONNX Runtime 1.30 has them. */
static const struct {
    void (*nodes)(struct pw *w);
    OrtErrorCode code;
    const char *words;
} refused[] = {
    {unknown_input, ORT_INVALID_ARGUMENT, "is not a graph input, initializer, or output"},
    {duplicate, ORT_FAIL, "Duplicate definition of name"},
    {cycle, ORT_FAIL, "not acyclic"},
    {two_inputs, ORT_INVALID_GRAPH, "This is an invalid model"},
    {other_attribute, ORT_INVALID_GRAPH, "Unrecognized attribute"},
    {two_types, ORT_FAIL, "Type Error"},
    {above, ORT_FAIL, "External data path escapes model directory"},
    {absolute, ORT_FAIL, "Absolute path not allowed"},
    {absent, ORT_FAIL, "External data path does not exist"},
    {nameless, ORT_FAIL, "External data location cannot be empty"},
};

START_TEST(invalid_nodes_are_refused_at_session_creation)
{
    static const char path[] = "codes-refused.onnx";
    OrtSession *session = NULL;
    struct pw w;
    FILE *file;

    model_begin(&w);
    refused[_i].nodes(&w);
    model_end(&w, 11, "X", TENSOR, 1, DIMS(2));
    model_end(&w, 11, "I", TENSOR, 7, DIMS(2));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(2));
    pw_close(&w);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(w.data, 1, w.size, file), w.size);
    ck_assert_int_eq(fclose(file), 0);
    pw_free(&w);
    fails(ort->CreateSession(env, path, NULL, &session), refused[_i].code, refused[_i].words);
    ck_assert_ptr_null(session);
    ck_assert_int_eq(remove(path), 0);
}
END_TEST

/* ---- calls that are refused ---------------------------------------------------------------------- */

START_TEST(invalid_values_are_refused)
{
    static const int64_t two[] = {2}, negative[] = {-1, 3};
    const char *const texts[] = {"a", "b", "c"};
    int64_t places[] = {0, 0};
    OrtValue *sequence = world.values[2], *strings = world.values[1], *map = world.values[3];
    const OrtValue *const sequences[] = {sequence, sequence}, *const maps[] = {map};
    const OrtValue *const mixed[] = {world.values[0], sequence};
    OrtValue *out = NULL, *of_maps = NULL;
    OrtTensorTypeAndShapeInfo *shape = NULL;
    char buffer[8];
    size_t offsets[2], size = 0;
    void *place = NULL;

    fails(ort->CreateValue(sequences, 2, ONNX_TYPE_SEQUENCE, &out), ORT_FAIL,
          "either tensor or map");
    fails(ort->CreateValue(mixed, 2, ONNX_TYPE_SEQUENCE, &out), ORT_FAIL,
          "of a type different from others");
    fails(ort->GetValue(map, 2, heap, &out), ORT_FAIL, "Invalid index requested for map type");
    ok(ort->CreateValue(maps, 1, ONNX_TYPE_SEQUENCE, &of_maps));
    fails(ort->GetValue(of_maps, 1, heap, &out), ORT_RUNTIME_EXCEPTION, "out of bounds");
    ort->ReleaseValue(of_maps);
    fails(ort->CreateTensorWithDataAsOrtValue(cpu, world.numbers, 24, negative, 2,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &out),
          ORT_INVALID_ARGUMENT, "negative value in shape");
    fails(ort->CreateTensorWithDataAsOrtValue(cpu, world.numbers, 4, two, 1,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &out),
          ORT_INVALID_ARGUMENT, "not enough space: expected 8, got 4");
    fails(ort->CreateTensorAsOrtValue(heap, two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, &out),
          ORT_NOT_IMPLEMENTED, "tensor type 14 is not supported");
    fails(ort->FillStringTensor(strings, texts, 3), ORT_INVALID_ARGUMENT,
          "input array doesn't equal tensor size");
    fails(ort->FillStringTensorElement(strings, "a", 2), ORT_INVALID_ARGUMENT,
          "element index is out of bounds");
    ok(ort->FillStringTensor(strings, texts, 2));
    fails(ort->GetStringTensorContent(strings, buffer, 1, offsets, 2), ORT_FAIL,
          "output buffer is too small");
    fails(ort->GetStringTensorContent(strings, buffer, 8, offsets, 1), ORT_FAIL,
          "offsets buffer is not equal to tensor size");
    fails(ort->TensorAt(world.values[0], places, 1, &place), ORT_INVALID_ARGUMENT,
          "location dimensions do not match shape size");
    places[1] = 9;
    fails(ort->TensorAt(world.values[0], places, 2, &place), ORT_INVALID_ARGUMENT,
          "invalid location range");
    fails(ort->TensorAt(strings, places, 1, &place), ORT_INVALID_ARGUMENT,
          "this API does not support strings");
    fails(ort->GetTensorSizeInBytes(strings, &size), ORT_INVALID_ARGUMENT,
          "String tensors are not supported by this API");
    fails(ort->GetTensorSizeInBytes(sequence, &size), ORT_INVALID_ARGUMENT,
          "is expected to contain a tensor");
    fails(ort->GetTensorTypeAndShape(sequence, &shape), ORT_FAIL, "is not a tensor");
    fails(ort->AddInitializer(world.session_options, NULL, world.values[0]), ORT_INVALID_ARGUMENT,
          "null");
    fails(ort->AddInitializer(world.session_options, "W", NULL), ORT_INVALID_ARGUMENT, "null");
    fails(ort->AddRunConfigEntry(world.run_options, "", "x"), ORT_INVALID_ARGUMENT,
          "Config key is empty or longer than maximum length 1024");
    ck_assert_ptr_null(out);
}
END_TEST

START_TEST(tensor_functions_refuse_other_values)
{
    static const int64_t negative[] = {-1, 3}, two[] = {2};
    static const struct {
        int value;
        OrtErrorCode code;
    } rows[] = {{2, ORT_RUNTIME_EXCEPTION}, {3, ORT_FAIL}, {4, ORT_RUNTIME_EXCEPTION}};
    const OrtMemoryInfo *memory = NULL;
    const void *data = NULL;
    OrtValue *keys = NULL, *out = NULL;
    void *mutable_data = NULL;

    ok(ort->CreateTensorAsOrtValue(heap, two, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &keys));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OrtValue *value = world.values[rows[i].value];
        const OrtValue *const columns[] = {keys, value};

        fails(ort->GetTensorMutableData(value, &mutable_data), rows[i].code, "a tensor");
        fails(ort->GetTensorData(value, &data), rows[i].code, "a tensor");
        fails(ort->GetTensorMemoryInfo(value, &memory), rows[i].code, "a tensor");
        fails(ort->CreateValue(columns, 2, ONNX_TYPE_MAP, &out), rows[i].code, "must be tensors");
    }
    fails(ort->CreateTensorAsOrtValue(heap, negative, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &out),
          ORT_FAIL, "must be >= 0");
    ck_assert_ptr_null(out);
    ort->ReleaseValue(keys);
}
END_TEST

START_TEST(the_last_feed_of_an_input_counts)
{
    static const char *const in[] = {"A", "B", "A"}, *const one[] = {"A", "A"}, *const c[] = {"C"};
    static const int64_t dims[] = {2, 3};
    float numbers[6] = {100, 100, 100, 100, 100, 100};
    OrtValue *last = floats(numbers, 6, dims, 2), *out = NULL;
    const OrtValue *const feeds[] = {world.values[0], world.values[0], last};

    for (int i = 0; i < 6; i++)
        world.numbers[i] = 1;
    ok(ort->Run(world.session, NULL, in, feeds, 3, c, 1, &out));
    for (int i = 0; i < 6; i++)
        ck_assert(float_data(out)[i] == 101);
    ort->ReleaseValue(out);
    out = NULL;
    fails(ort->Run(world.session, NULL, one, feeds, 2, c, 1, &out), ORT_FAIL, "Missing Input: B");
    ck_assert_ptr_null(out);
    ort->ReleaseValue(last);
}
END_TEST

/* The session of a file with these bytes cannot be made. */
static void fails_file(const void *bytes, size_t size, OrtErrorCode code, const char *words)
{
    static const char path[] = "codes-bytes.onnx";
    OrtSession *session = NULL;
    FILE *file = fopen(path, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
    fails(ort->CreateSession(env, path, NULL, &session), code, words);
    ck_assert_ptr_null(session);
    ck_assert_int_eq(remove(path), 0);
}

START_TEST(loading_bytes_without_a_model_fails)
{
    static const char text[] = "hello, I am no model", version_only[] = "\x08\x08";
    OrtSession *session = NULL;

    fails_file("", 0, ORT_FAIL, "ModelProto does not have a graph");
    fails_file(version_only, 2, ORT_FAIL, "ModelProto does not have a graph");
    fails_file(text, sizeof text, ORT_INVALID_PROTOBUF, "failed:");
    fails(ort->CreateSessionFromArray(env, version_only, 2, NULL, &session), ORT_INVALID_ARGUMENT,
          "No graph was found in the protobuf");
    fails(ort->CreateSessionFromArray(env, text, 0, NULL, &session), ORT_INVALID_ARGUMENT,
          "No graph was found in the protobuf");
    fails(ort->CreateSessionFromArray(env, text, sizeof text, NULL, &session), ORT_INVALID_PROTOBUF,
          "failed:");
    ck_assert_ptr_null(session);
}
END_TEST

START_TEST(run_refuses_sequences_for_tensors)
{
    static const char *const in[] = {"A", "B"}, *const names[] = {"C"};
    const OrtValue *const feeds[] = {world.values[0], world.values[2]};
    const OrtValue *const good[] = {world.values[0], world.values[0]};
    OrtValue *out = NULL, *sequence = world.values[2];

    fails(ort->Run(world.session, NULL, in, feeds, 2, names, 1, &out), ORT_INVALID_ARGUMENT,
          "input with name: 'B' expected to be of type: tensor but received a sequence");
    fails(ort->Run(world.session, NULL, in, good, 2, names, 1, &sequence), ORT_INVALID_ARGUMENT,
          "output with name: 'C' expected to be of type");
    ck_assert_ptr_null(out);
}
END_TEST

START_TEST(libraries_without_operators_are_refused)
{
    void *handle = NULL;

    fails(ort->RegisterCustomOpsLibrary_V2(world.session_options, "/no/such.so"), ORT_FAIL,
          "Failed to load library /no/such.so");
    fails(ort->RegisterCustomOpsLibrary(world.session_options, "libm.so.6", &handle), ORT_FAIL,
          "Failed to get symbol RegisterCustomOps");
    ck_assert_ptr_null(handle);
    fails(ort->RegisterCustomOpsUsingFunction(world.session_options, "no_such_function"), ORT_FAIL,
          "Failed to get symbol no_such_function");
    fails(ort->RegisterCustomOpsUsingFunction(world.session_options, ""), ORT_FAIL,
          "Failed to get symbol");
    fails(ort->RegisterExecutionProviderLibrary(env, "x", "/no/such.so"), ORT_FAIL,
          "Failed to load library /no/such.so with error");
    fails(ort->UnregisterExecutionProviderLibrary(env, "nobody"), ORT_FAIL,
          "Execution provider library: nobody was not registered");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("codes");
    TCase *tcase = tcase_create("codes");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, make_world, drop_world);
    tcase_add_test(tcase, value_functions_refuse_values_of_the_wrong_kind);
    tcase_add_test(tcase, run_refuses_feeds_of_the_wrong_kind);
    tcase_add_test(tcase, models_that_cannot_run_are_refused_with_onnx_runtimes_codes);
    tcase_add_test(tcase, invalid_settings_are_refused);
    tcase_add_loop_test(tcase, invalid_nodes_are_refused_at_session_creation, 0,
                        sizeof refused / sizeof *refused);
    tcase_add_test(tcase, invalid_values_are_refused);
    tcase_add_test(tcase, tensor_functions_refuse_other_values);
    tcase_add_test(tcase, the_last_feed_of_an_input_counts);
    tcase_add_test(tcase, loading_bytes_without_a_model_fails);
    tcase_add_test(tcase, run_refuses_sequences_for_tensors);
    tcase_add_test(tcase, libraries_without_operators_are_refused);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
