/* SPDX-License-Identifier: MIT */
/*
 * check_threads.c - what threads may do at once through ONNX Runtime's C ABI. Made to be run under
 * TSan (`make threadcheck` of a build with --enable-sanitizers=thread); without it, nothing may
 * crash, hang or give a wrong result.
 */

#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "ort/kit.h"

enum { THREADS = 4, ROUNDS = 20 };

/* What the threads of a test share. */
static struct {
    OrtSession *session;
    OrtSessionOptions *options;
    OrtRunOptions *run_options;
    const uint8_t *bytes;
    size_t size;
    atomic_int done, failures;
    atomic_bool is_running;
} shared;

static void fork_join(void *(*work)(void *))
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(atomic_load(&shared.failures), 0);
}

/* Check's own functions are for the test's first thread only: others count what goes wrong. */
static bool fine(OrtStatus *status)
{
    if (!status)
        return true;
    fprintf(stderr, "%s\n", ort->GetErrorMessage(status));
    ort->ReleaseStatus(status);
    atomic_fetch_add(&shared.failures, 1);
    return false;
}

static void expect(bool is_so)
{
    if (!is_so)
        atomic_fetch_add(&shared.failures, 1);
}

static OrtValue *row(float *data, const int64_t *dims, size_t n)
{
    OrtValue *value = NULL;

    fine(ort->CreateTensorWithDataAsOrtValue(cpu, data, n * sizeof *data, dims, 2,
                                             ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    return value;
}

/* One run of C = A + B with `rows` rows, checked. */
static void run_add(OrtSession *session, int64_t rows, const OrtRunOptions *options)
{
    const int64_t dims[] = {rows, 3};
    float a[24], b[24];
    size_t n = (size_t)rows * 3;
    OrtValue *in[2], *out = NULL;
    void *data = NULL;

    for (size_t i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 100 * (float)rows;
    }
    in[0] = row(a, dims, n);
    in[1] = row(b, dims, n);
    if (fine(
            ort->Run(session, options, add_in, (const OrtValue *const *)in, 2, add_out, 1, &out)) &&
        fine(ort->GetTensorMutableData(out, &data))) {
        for (size_t i = 0; i < n; i++)
            expect(!(((float *)data)[i] < a[i] + b[i]) && !(((float *)data)[i] > a[i] + b[i]));
    }
    ort->ReleaseValue(in[0]);
    ort->ReleaseValue(in[1]);
    ort->ReleaseValue(out);
}

static void share_model(struct pw *w)
{
    model_begin(w);
    NODE(w, "Add", "C", "A", "B");
    model_end(w, 11, "A", TENSOR, 1, DIMS(-1, 3));
    model_end(w, 11, "B", TENSOR, 1, DIMS(-1, 3));
    model_end(w, 12, "C", TENSOR, 1, DIMS(-1, 3));
    pw_close(w);
    shared.bytes = w->data;
    shared.size = w->size;
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void *make_and_run(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        OrtSession *session = NULL;

        if (!fine(ort->CreateSessionFromArray(env, shared.bytes, shared.size, shared.options,
                                              &session)))
            break;
        run_add(session, 1 + i % 8, NULL);
        ort->ReleaseSession(session);
    }
    return NULL;
}

START_TEST(threads_create_run_and_release_sessions)
{
    struct pw w;

    share_model(&w);
    ok(ort->CreateSessionOptions(&shared.options));
    ok(ort->SetIntraOpNumThreads(shared.options, 2));
    fork_join(make_and_run);
    ort->ReleaseSessionOptions(shared.options);
    pw_free(&w);
}
END_TEST

static void *run_shared(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++)
        run_add(shared.session, 1 + i % 8, shared.run_options);
    return NULL;
}

START_TEST(threads_run_one_session_on_different_shapes)
{
    ok(ort->CreateRunOptions(&shared.run_options));
    shared.session = open_add(NULL);
    fork_join(run_shared);
    ort->ReleaseSession(shared.session);
    ort->ReleaseRunOptions(shared.run_options);
}
END_TEST

START_TEST(threads_run_a_profiled_session)
{
    OrtSessionOptions *options = NULL;
    char *path = NULL;

    shared.run_options = NULL;
    ok(ort->CreateSessionOptions(&options));
    ok(ort->EnableProfiling(options, "threads-profile"));
    shared.session = open_add(options);
    fork_join(run_shared);
    ok(ort->SessionEndProfiling(shared.session, heap, &path));
    remove(path);
    ok(ort->AllocatorFree(heap, path));
    ort->ReleaseSession(shared.session);
    ort->ReleaseSessionOptions(options);
}
END_TEST

/* ---- the pool -------------------------------------------------------------------------------- */

enum { SIDE = 128 };

/* Y = X X, large enough to be shared out to the pool. */
static void *multiply(void *unused)
{
    static const char *const in[] = {"X"};
    static const char *const out_names[] = {"Y"};
    static const int64_t dims[] = {SIDE, SIDE};
    float *x = malloc(SIDE * SIDE * sizeof *x);

    (void)unused;
    for (int i = 0; x && i < SIDE * SIDE; i++)
        x[i] = 1;
    for (int i = 0; x && i < 5; i++) {
        OrtValue *value = row(x, dims, SIDE * SIDE);
        OrtValue *out = NULL;
        void *data = NULL;

        if (fine(ort->Run(shared.session, NULL, in, (const OrtValue *const *)&value, 1, out_names,
                          1, &out)) &&
            fine(ort->GetTensorMutableData(out, &data)))
            expect((int)((float *)data)[SIDE * SIDE - 1] == SIDE);
        ort->ReleaseValue(value);
        ort->ReleaseValue(out);
    }
    free(x);
    return NULL;
}

START_TEST(sessions_share_the_global_thread_pool)
{
    struct pw w;

    model_begin(&w);
    NODE(&w, "MatMul", "P", "X", "X");
    NODE(&w, "Relu", "Y", "P");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(-1, SIDE));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(-1, SIDE));
    shared.session = model_open(&w, NULL);
    fork_join(multiply);
    ort->ReleaseSession(shared.session);
}
END_TEST

/* ---- ending runs ----------------------------------------------------------------------------- */

/* Y = X doubled a million million times: it ends when it is told to. */
static OrtSession *open_endless(void)
{
    static const int64_t rounds = 1000000000000;
    struct pw w;

    model_begin(&w);
    pw_raw_tensor(&w, 5, "M", 7, PW_SCALAR, &rounds, sizeof rounds);
    pw_open_node(&w, "Loop", "M - X", "Y");
    pw_open_attr(&w, "body", 5);
    pw_open(&w, 6);
    pw_text(&w, 2, "body");
    pw_node(&w, "Identity", "go_on", "still");
    pw_node(&w, "Add", "v v", "v2");
    pw_value(&w, 11, "i", 7, PW_SCALAR);
    pw_value(&w, 11, "go_on", 9, PW_SCALAR);
    pw_value(&w, 11, "v", 1, PW_DIMS(1, 3));
    pw_value(&w, 12, "still", 9, PW_SCALAR);
    pw_value(&w, 12, "v2", 1, PW_DIMS(1, 3));
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    model_end(&w, 11, "X", TENSOR, 1, DIMS(1, 3));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(1, 3));
    return model_open(&w, NULL);
}

static OrtStatus *run_endless(void)
{
    static const char *const in[] = {"X"};
    static const char *const out_names[] = {"Y"};
    static const int64_t dims[] = {1, 3};
    float x[3] = {1, 2, 3};
    OrtValue *value = row(x, dims, 3);
    OrtValue *out = NULL;
    OrtStatus *status = ort->Run(shared.session, shared.run_options, in,
                                 (const OrtValue *const *)&value, 1, out_names, 1, &out);

    expect(out == NULL);
    ort->ReleaseValue(value);
    return status;
}

static void *run_until_told(void *unused)
{
    OrtStatus *status;

    (void)unused;
    atomic_store(&shared.is_running, true);
    status = run_endless();
    expect(status && ort->GetErrorCode(status) == ORT_FAIL &&
           strstr(ort->GetErrorMessage(status), "terminate flag") != NULL);
    ort->ReleaseStatus(status);
    return NULL;
}

START_TEST(another_thread_terminates_runs)
{
    pthread_t threads[2];

    ok(ort->CreateRunOptions(&shared.run_options));
    shared.session = open_endless();
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_until_told, NULL), 0);
    while (!atomic_load(&shared.is_running))
        sched_yield();
    ok(ort->RunOptionsSetTerminate(shared.run_options));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(atomic_load(&shared.failures), 0);
    ort->ReleaseSession(shared.session);
    ort->ReleaseRunOptions(shared.run_options);
}
END_TEST

/* ---- runs that call back --------------------------------------------------------------------- */

static void count_done(void *user, OrtValue **outputs, size_t n, OrtStatus *status)
{
    (void)user;
    expect(n == 1);
    if (fine(status))
        ort->ReleaseValue(outputs[0]);
    outputs[0] = NULL;
    atomic_fetch_add(&shared.done, 1);
}

START_TEST(asynchronous_runs_outlive_their_callers)
{
    enum { RUNS = 16 };
    float data[6] = {0};
    OrtValue *in[2] = {floats(data, 6, two_by_three, 2), floats(data, 6, two_by_three, 2)};
    OrtValue *out[RUNS] = {NULL};

    shared.session = open_add(NULL);
    for (int i = 0; i < RUNS; i++) {
        /* the arrays of names and inputs may go at once; that of outputs stays */
        const char *names[] = {"A", "B"};
        const OrtValue *values[] = {in[0], in[1]};

        ok(ort->RunAsync(shared.session, NULL, names, values, 2, add_out, 1, &out[i], count_done,
                         NULL));
        memset(names, 0, sizeof names);
        memset(values, 0, sizeof values);
    }
    ort->ReleaseSession(shared.session); /* waits for those that still run */
    while (atomic_load(&shared.done) < RUNS)
        sched_yield();
    ck_assert_int_eq(atomic_load(&shared.failures), 0);
    ort->ReleaseValue(in[0]);
    ort->ReleaseValue(in[1]);
}
END_TEST

/* ---- environments and providers -------------------------------------------------------------- */

static void *ask_environment(void *unused)
{
    (void)unused;
    for (int i = 0; i < 5; i++) {
        const OrtEpDevice *const *devices = NULL;
        OrtEnv *mine = NULL;
        char **names = NULL;
        size_t n_devices = 0;
        int n = 0;

        fine(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "thread", &mine));
        fine(ort->UpdateEnvWithCustomLogLevel(mine, ORT_LOGGING_LEVEL_ERROR));
        if (fine(ort->GetAvailableProviders(&names, &n))) {
            expect(n > 0);
            fine(ort->ReleaseAvailableProviders(names, n));
        }
        fine(ort->GetEpDevices(mine, &devices, &n_devices));
        expect(n_devices > 0);
        ort->ReleaseEnv(mine);
    }
    return NULL;
}

START_TEST(threads_query_the_environment)
{
    fork_join(ask_environment);
}
END_TEST

/* No other reference: each thread's last one ends the environment, or another's keeps it. */
static void *come_and_go(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        OrtEnv *mine = NULL;
        OrtSession *session = NULL;

        fine(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "thread", &mine));
        if (fine(ort->CreateSessionFromArray(mine, shared.bytes, shared.size, NULL, &session)))
            run_add(session, 2, NULL);
        ort->ReleaseEnv(mine); /* the session keeps it */
        ort->ReleaseSession(session);
    }
    return NULL;
}

START_TEST(threads_create_and_release_environments)
{
    struct pw w;

    share_model(&w);
    ort->ReleaseEnv(env);
    fork_join(come_and_go);
    ok(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "test", &env));
    pw_free(&w);
}
END_TEST

/* ---- loading that is called off -------------------------------------------------------------- */

static void *load_or_not(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        OrtSession *session = NULL;
        OrtStatus *status =
            ort->CreateSessionFromArray(env, shared.bytes, shared.size, shared.options, &session);

        if (status) {
            expect(ort->GetErrorCode(status) == ORT_MODEL_LOAD_CANCELED);
            expect(session == NULL);
            ort->ReleaseStatus(status);
        } else {
            expect(session != NULL);
        }
        ort->ReleaseSession(session);
    }
    atomic_fetch_add(&shared.done, 1);
    return NULL;
}

static void *call_off(void *unused)
{
    (void)unused;
    while (atomic_load(&shared.done) < THREADS) {
        fine(ort->SessionOptionsSetLoadCancellationFlag(shared.options, true));
        fine(ort->SessionOptionsSetLoadCancellationFlag(shared.options, false));
    }
    return NULL;
}

START_TEST(another_thread_cancels_loading)
{
    OrtSession *session = NULL;
    pthread_t other;
    struct pw w;

    share_model(&w);
    ok(ort->CreateSessionOptions(&shared.options));
    ck_assert_int_eq(pthread_create(&other, NULL, call_off, NULL), 0);
    fork_join(load_or_not);
    pthread_join(other, NULL);

    /* afterwards the flag means what was said last, whatever the threads did to it meanwhile */
    ok(ort->SessionOptionsSetLoadCancellationFlag(shared.options, true));
    fails(ort->CreateSessionFromArray(env, shared.bytes, shared.size, shared.options, &session),
          ORT_MODEL_LOAD_CANCELED, "");
    ok(ort->SessionOptionsSetLoadCancellationFlag(shared.options, false));
    ok(ort->CreateSessionFromArray(env, shared.bytes, shared.size, shared.options, &session));
    ck_assert_ptr_nonnull(session);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(shared.options);
    pw_free(&w);
}
END_TEST

static void start(void)
{
    memset(&shared, 0, sizeof shared);
    setup();
}

int main(void)
{
    Suite *suite = suite_create("threads");
    TCase *tcase = tcase_create("threads");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, start, teardown);
    tcase_add_test(tcase, threads_create_run_and_release_sessions);
    tcase_add_test(tcase, threads_run_one_session_on_different_shapes);
    tcase_add_test(tcase, threads_run_a_profiled_session);
    tcase_add_test(tcase, sessions_share_the_global_thread_pool);
    tcase_add_test(tcase, another_thread_terminates_runs);
    tcase_add_test(tcase, asynchronous_runs_outlive_their_callers);
    tcase_add_test(tcase, threads_query_the_environment);
    tcase_add_test(tcase, threads_create_and_release_environments);
    tcase_add_test(tcase, another_thread_cancels_loading);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
