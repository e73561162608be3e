/* SPDX-License-Identifier: MIT */
/*
 * check_feeds.c - feeds through ONNX Runtime's C ABI that it takes as they come: unaligned
 * tensors, scalars with dimensions, runs without an input that no output needs.
 */

#include "config.h"

#include "ort/async.h"

/* ---- unaligned tensors ------------------------------------------------------------------------------- */

/* An input of 0, 1, 2... and space for a result, each at an address that is 1 past a float's. */
struct unaligned {
    char in[1 + 6 * sizeof(float)], out[1 + 6 * sizeof(float)];
    OrtValue *feed, *result;
};

static OrtValue *value_at(char *at)
{
    OrtValue *value = NULL;

    ok(ort->CreateTensorWithDataAsOrtValue(cpu, at, 6 * sizeof(float), two_by_three, 2,
                                           ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    return value;
}

static void make_unaligned(struct unaligned *set)
{
    for (int i = 0; i < 6; i++) {
        float number = (float)i;

        memcpy(set->in + 1 + (size_t)i * sizeof number, &number, sizeof number);
    }
    memset(set->out, 0x55, sizeof set->out);
    set->feed = value_at(set->in + 1);
    set->result = value_at(set->out + 1);
}

static void check_unaligned(struct unaligned *set)
{
    for (int i = 0; i < 6; i++) {
        float number;

        memcpy(&number, set->out + 1 + (size_t)i * sizeof number, sizeof number);
        ck_assert_double_eq((double)number, 2.0 * i);
    }
    ck_assert_int_eq(set->out[0], 0x55);
    ort->ReleaseValue(set->feed);
    ort->ReleaseValue(set->result);
}

START_TEST(run_reads_and_writes_unaligned_tensors)
{
    OrtSession *session = open_add(NULL);
    struct unaligned set;
    const OrtValue *feeds[2];

    make_unaligned(&set);
    feeds[0] = feeds[1] = set.feed;
    ok(ort->Run(session, NULL, add_in, feeds, 2, add_out, 1, &set.result));
    check_unaligned(&set);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(bindings_accept_unaligned_tensors)
{
    OrtSession *session = open_add(NULL);
    OrtIoBinding *binding = NULL;
    struct unaligned set;

    make_unaligned(&set);
    ok(ort->CreateIoBinding(session, &binding));
    ok(ort->BindInput(binding, "A", set.feed));
    ok(ort->BindInput(binding, "B", set.feed));
    ok(ort->BindOutput(binding, "C", set.result));
    for (int i = 0; i < 2; i++)
        ok(ort->RunWithBinding(session, NULL, binding));
    ort->ReleaseIoBinding(binding);
    check_unaligned(&set);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(asynchronous_run_reads_and_writes_unaligned_tensors)
{
    OrtSession *session = open_add(NULL);
    struct async_run async = ASYNC_RUN_INIT;
    struct unaligned set;
    const OrtValue *feeds[2];

    make_unaligned(&set);
    feeds[0] = feeds[1] = set.feed;
    ok(ort->RunAsync(session, NULL, add_in, feeds, 2, add_out, 1, &set.result, async_done, &async));
    ok(async_wait(&async));
    check_unaligned(&set);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- scalars ------------------------------------------------------------------------------------- */

/* ONNX Runtime looks at no dimension of a feed for a scalar: 1, 1 by 1, and 3 keep their shapes. */
START_TEST(a_scalar_input_accepts_a_tensor_with_dimensions)
{
    static const char *const in[] = {"X"}, *const out[] = {"Y"};
    static const int64_t ones[] = {1, 1}, three[] = {3};
    const struct {
        const int64_t *dims;
        size_t rank, n;
    } cases[] = {{ones, 1, 1}, {ones, 2, 1}, {three, 1, 3}, {NULL, 0, 1}};
    float numbers[] = {1, 2, 3};
    OrtSession *session;
    struct pw w;

    model_begin(&w);
    NODE(&w, "Neg", "Y", "X");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(0));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(0));
    session = model_open(&w, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OrtValue *x = floats(numbers, cases[i].n, cases[i].dims, cases[i].rank), *y = NULL;
        const OrtValue *feeds[] = {x};
        OrtTensorTypeAndShapeInfo *shape = NULL;
        size_t rank = 9, n = 9;

        ok(ort->Run(session, NULL, in, feeds, 1, out, 1, &y));
        ok(ort->GetTensorTypeAndShape(y, &shape));
        ok(ort->GetDimensionsCount(shape, &rank));
        ok(ort->GetTensorShapeElementCount(shape, &n));
        ck_assert_uint_eq(rank, cases[i].rank);
        ck_assert_uint_eq(n, cases[i].n);
        ck_assert_double_eq((double)float_data(y)[n - 1], -(double)n);
        ort->ReleaseTensorTypeAndShapeInfo(shape);
        ort->ReleaseValue(x);
        ort->ReleaseValue(y);
    }
    ort->ReleaseSession(session);
}
END_TEST

/* ---- inputs that are left out ---------------------------------------------------------------------- */

START_TEST(an_input_that_no_output_needs_may_be_omitted)
{
    static const char *const names[] = {"B", "A"}, *const y[] = {"Y"}, *const z[] = {"Z"};
    float numbers[] = {-1, 2};
    OrtValue *out = NULL, *in = floats(numbers, 2, DIMS(2), 1);
    const OrtValue *const feeds[] = {in, in};
    OrtSession *session;
    struct pw w;

    model_begin(&w);
    NODE(&w, "Relu", "Y", "A");
    NODE(&w, "Add", "Z", "A", "B");
    for (const char *name = "ABC"; *name; name++) /* nobody reads C */
        model_end(&w, 11, (const char[]){*name, '\0'}, TENSOR, 1, DIMS(2));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(2));
    model_end(&w, 12, "Z", TENSOR, 1, DIMS(2));
    session = model_open(&w, NULL);
    ok(ort->Run(session, NULL, names, feeds, 2, z, 1, &out));
    ck_assert_double_eq((double)float_data(out)[0], -2);
    ort->ReleaseValue(out);
    out = NULL;
    ok(ort->Run(session, NULL, names + 1, feeds, 1, y, 1, &out));
    ck_assert_double_eq((double)float_data(out)[0], 0);
    ort->ReleaseValue(out);
    out = NULL;
    fails(ort->Run(session, NULL, names + 1, feeds, 1, z, 1, &out), ORT_FAIL, "Missing Input: B");
    fails(ort->Run(session, NULL, names, feeds, 1, y, 1, &out), ORT_FAIL, "Missing Input: A");
    ck_assert_ptr_null(out);
    ort->ReleaseValue(in);
    ort->ReleaseSession(session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("feeds");
    TCase *tcase = tcase_create("feeds");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, run_reads_and_writes_unaligned_tensors);
    tcase_add_test(tcase, bindings_accept_unaligned_tensors);
    tcase_add_test(tcase, asynchronous_run_reads_and_writes_unaligned_tensors);
    tcase_add_test(tcase, a_scalar_input_accepts_a_tensor_with_dimensions);
    tcase_add_test(tcase, an_input_that_no_output_needs_may_be_omitted);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
