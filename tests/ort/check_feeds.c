/* SPDX-License-Identifier: MIT */
/*
 * check_feeds.c - feeds through ONNX Runtime's C ABI that it takes as they come: tensors at odd
 * addresses, scalars with dimensions, runs without an input that nobody needs.
 */

#include "config.h"

#include <pthread.h>

#include "ort/kit.h"

static const int64_t two_by_three[] = {2, 3};
static const char *const add_in[] = {"A", "B"};
static const char *const add_out[] = {"C"};

/* ---- odd addresses ------------------------------------------------------------------------------- */

/* 0, 1, 2... as inputs and room for a result; all behind a byte of another's. */
struct odd {
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

static void make_odd(struct odd *odd)
{
    for (int i = 0; i < 6; i++) {
        float number = (float)i;

        memcpy(odd->in + 1 + (size_t)i * sizeof number, &number, sizeof number);
    }
    memset(odd->out, 0x55, sizeof odd->out);
    odd->feed = value_at(odd->in + 1);
    odd->result = value_at(odd->out + 1);
}

static void check_odd(struct odd *odd)
{
    for (int i = 0; i < 6; i++) {
        float number;

        memcpy(&number, odd->out + 1 + (size_t)i * sizeof number, sizeof number);
        ck_assert_double_eq((double)number, 2.0 * i);
    }
    ck_assert_int_eq(odd->out[0], 0x55);
    ort->ReleaseValue(odd->feed);
    ort->ReleaseValue(odd->result);
}

START_TEST(run_reads_and_writes_unaligned_tensors)
{
    OrtSession *session = open_add(NULL);
    struct odd odd;
    const OrtValue *feeds[2];

    make_odd(&odd);
    feeds[0] = feeds[1] = odd.feed;
    ok(ort->Run(session, NULL, add_in, feeds, 2, add_out, 1, &odd.result));
    check_odd(&odd);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(bindings_accept_unaligned_tensors)
{
    OrtSession *session = open_add(NULL);
    OrtIoBinding *binding = NULL;
    struct odd odd;

    make_odd(&odd);
    ok(ort->CreateIoBinding(session, &binding));
    ok(ort->BindInput(binding, "A", odd.feed));
    ok(ort->BindInput(binding, "B", odd.feed));
    ok(ort->BindOutput(binding, "C", odd.result));
    for (int i = 0; i < 2; i++)
        ok(ort->RunWithBinding(session, NULL, binding));
    ort->ReleaseIoBinding(binding);
    check_odd(&odd);
    ort->ReleaseSession(session);
}
END_TEST

struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_done;
    OrtStatus *status;
};

static void done(void *user, OrtValue **outputs, size_t n, OrtStatus *status)
{
    struct waiting *waiting = user;

    (void)outputs;
    (void)n;
    pthread_mutex_lock(&waiting->lock);
    waiting->is_done = true;
    waiting->status = status;
    pthread_cond_signal(&waiting->changed);
    pthread_mutex_unlock(&waiting->lock);
}

START_TEST(asynchronous_run_reads_and_writes_unaligned_tensors)
{
    OrtSession *session = open_add(NULL);
    struct waiting waiting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, NULL};
    struct odd odd;
    const OrtValue *feeds[2];

    make_odd(&odd);
    feeds[0] = feeds[1] = odd.feed;
    ok(ort->RunAsync(session, NULL, add_in, feeds, 2, add_out, 1, &odd.result, done, &waiting));
    pthread_mutex_lock(&waiting.lock);
    while (!waiting.is_done)
        pthread_cond_wait(&waiting.changed, &waiting.lock);
    pthread_mutex_unlock(&waiting.lock);
    ok(waiting.status);
    check_odd(&odd);
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
