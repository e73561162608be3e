/* SPDX-License-Identifier: MIT */
/* check_lora.c - adapters through ONNX Runtime's C ABI: read, fed to runs, and hostile ones refused. */

#include "config.h"

#include <unistd.h>

#include "ort/adapter_writer.h"
#include "ort/kit.h"

/* ---- adapters and models --------------------------------------------------------------------- */

static const int64_t one_by_three[] = {1, 3};
static const float weights[] = {10, 20, 30};
static const struct parameter good = {"B", one_by_three, 2, 1, weights, sizeof weights};

static OrtStatus *read_adapter(const struct buffer *b, OrtLoraAdapter **out)
{
    return ort->CreateLoraAdapterFromArray(b->data, b->n, NULL, out);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* C = A + B, where B has a default of zeroes. */
static OrtSession *open_adaptable(void)
{
    static const float zeroes[3];
    struct pw w;

    model_begin(&w);
    NODE(&w, "Add", "C", "A", "B");
    pw_raw_tensor(&w, 5, "B", 1, PW_DIMS(1, 3), zeroes, sizeof zeroes);
    model_end(&w, 11, "A", TENSOR, 1, DIMS(1, 3));
    model_end(&w, 11, "B", TENSOR, 1, DIMS(1, 3));
    model_end(&w, 12, "C", TENSOR, 1, DIMS(1, 3));
    return model_open(&w, NULL);
}

/* One run with A = 1, 2, 3; the first result is in *first. */
static OrtStatus *run_with(OrtSession *session, const OrtRunOptions *options, float *first)
{
    static const char *const in_names[] = {"A"};
    static const char *const out_names[] = {"C"};
    float x[] = {1, 2, 3};
    OrtValue *in = floats(x, 3, one_by_three, 2), *out = NULL;
    const OrtValue *ins[] = {in};
    OrtStatus *status = ort->Run(session, options, in_names, ins, 1, out_names, 1, &out);

    if (!status)
        *first = float_data(out)[0];
    ort->ReleaseValue(out);
    ort->ReleaseValue(in);
    return status;
}

START_TEST(adapter_parameters_feed_the_inputs_of_the_same_name)
{
    struct buffer b = adapter_file(&good, 1, 1);
    OrtSession *session = open_adaptable();
    OrtRunOptions *options = NULL;
    OrtLoraAdapter *adapter = NULL;
    float first = 0;

    ok(read_adapter(&b, &adapter));
    memset(&b, 0xff, sizeof b); /* the bytes are the caller's again */
    ok(ort->CreateRunOptions(&options));
    ok(run_with(session, options, &first));
    ck_assert(first == 1);
    ok(ort->RunOptionsAddActiveLoraAdapter(options, adapter));
    ok(run_with(session, options, &first));
    ck_assert(first == 11);
    ok(run_with(session, NULL, &first));
    ck_assert(first == 1);
    ok(ort->RunOptionsAddActiveLoraAdapter(options, adapter));
    first = 0;
    ok(run_with(session, options, &first)); /* fed twice: the last counts */
    ck_assert(first == 11);
    ort->ReleaseRunOptions(options);
    ort->ReleaseLoraAdapter(adapter);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(run_fails_when_an_adapter_parameter_matches_no_input)
{
    struct parameter other = good;
    OrtSession *session = open_adaptable();
    OrtRunOptions *options = NULL;
    OrtLoraAdapter *adapter = NULL;
    struct buffer b;
    float first;

    other.name = "Other";
    b = adapter_file(&other, 1, 1);
    ok(read_adapter(&b, &adapter));
    ok(ort->CreateRunOptions(&options));
    ok(ort->RunOptionsAddActiveLoraAdapter(options, adapter));
    fails(run_with(session, options, &first), ORT_INVALID_ARGUMENT, "Other");
    ort->ReleaseRunOptions(options);
    ort->ReleaseLoraAdapter(adapter);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(adapters_are_loaded_from_files)
{
    struct buffer b = adapter_file(&good, 1, 1);
    OrtLoraAdapter *adapter = NULL;
    char path[64];
    FILE *file;

    snprintf(path, sizeof path, "adapter-%ld", (long)getpid());
    fails(ort->CreateLoraAdapter(path, NULL, &adapter), ORT_INVALID_ARGUMENT, path);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(b.data, 1, b.n, file), b.n);
    fclose(file);
    ok(ort->CreateLoraAdapter(path, heap, &adapter));
    ort->ReleaseLoraAdapter(adapter);
    ck_assert_int_eq(truncate(path, 20), 0);
    fails(ort->CreateLoraAdapter(path, NULL, &adapter), ORT_FAIL, "format");
    remove(path);
    fails(ort->CreateLoraAdapter("/", NULL, &adapter), ORT_FAIL, "/");
}
END_TEST

/* ---- bad files ------------------------------------------------------------------------------- */

static void refused(const struct parameter *parameters, uint32_t n, uint32_t version,
                    const char *words)
{
    struct buffer b = adapter_file(parameters, n, version);
    OrtLoraAdapter *adapter = NULL;

    fails(read_adapter(&b, &adapter), ORT_FAIL, words);
    ck_assert_ptr_null(adapter);
}

START_TEST(inconsistent_adapters_are_refused)
{
    static const int64_t negative[] = {-1, 3}, huge[] = {INT64_MAX, INT64_MAX};
    struct parameter bad = good;
    const struct parameter twice[] = {good, good};
    OrtLoraAdapter *adapter = NULL;

    refused(&good, 1, 2, "format version 2");
    refused(twice, 2, 1, "'B' is there twice");
    bad.type = 8;
    refused(&bad, 1, 1, "'B' has type 8");
    bad.type = 0xffffffffu;
    refused(&bad, 1, 1, "'B' has type -1");
    bad = good;
    bad.n_bytes = 8;
    refused(&bad, 1, 1, "'B' has 8 bytes");
    bad = good;
    bad.dims = negative;
    refused(&bad, 1, 1, "'B'");
    bad.dims = huge;
    refused(&bad, 1, 1, "'B'");
    bad = good;
    bad.name = "";
    refused(&bad, 1, 1, "no name");
    fails(ort->CreateLoraAdapterFromArray("TORTTORT", 3, NULL, &adapter), ORT_FAIL, "identifier");
    fails(ort->CreateLoraAdapterFromArray(NULL, 3, NULL, &adapter), ORT_INVALID_ARGUMENT, "bytes");
}
END_TEST

/* Whatever a file says, reading stays within it: sanitizers and valgrind watch. */
START_TEST(a_damaged_adapter_is_never_read_out_of_bounds)
{
    static const uint8_t values[] = {0, 1, 4, 0x7f, 0x80, 0xff};
    const struct buffer whole = adapter_file(&good, 1, 1);
    uint32_t n_refused = 0;

    for (size_t n = 0; n < whole.n; n++) { /* cut short */
        uint8_t *cut = malloc(n + 1);
        OrtLoraAdapter *adapter = NULL;
        OrtStatus *status;

        ck_assert_ptr_nonnull(cut);
        memcpy(cut, whole.data, n);
        cut = realloc(cut, n ? n : 1); /* no byte behind it is ours */
        ck_assert_ptr_nonnull(cut);
        status = ort->CreateLoraAdapterFromArray(cut, n, NULL, &adapter);
        n_refused += status != NULL;
        ort->ReleaseStatus(status);
        ort->ReleaseLoraAdapter(adapter);
        free(cut);
    }
    ck_assert_uint_eq(n_refused, whole.n);
    for (size_t i = 0; i < whole.n * sizeof values; i++) {
        uint8_t *bytes = malloc(whole.n);
        OrtLoraAdapter *adapter = NULL;

        ck_assert_ptr_nonnull(bytes);
        memcpy(bytes, whole.data, whole.n);
        bytes[i / sizeof values] = values[i % sizeof values];
        ort->ReleaseStatus(ort->CreateLoraAdapterFromArray(bytes, whole.n, NULL, &adapter));
        ort->ReleaseLoraAdapter(adapter);
        free(bytes);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lora");
    TCase *tcase = tcase_create("lora");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, adapter_parameters_feed_the_inputs_of_the_same_name);
    tcase_add_test(tcase, run_fails_when_an_adapter_parameter_matches_no_input);
    tcase_add_test(tcase, adapters_are_loaded_from_files);
    tcase_add_test(tcase, inconsistent_adapters_are_refused);
    tcase_add_test(tcase, a_damaged_adapter_is_never_read_out_of_bounds);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
