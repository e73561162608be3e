/* SPDX-License-Identifier: MIT */
/*
 * check_workers.c - threads that the application makes for environments and sessions, the processors
 * that threads run on, and where lines of the log from threads go.
 */

#define _GNU_SOURCE /* sched_getaffinity */

#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "ort/editor_kit.h"

#define AFFINITIES "session.intra_op_thread_affinities"

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

/* ---- threads of the application ------------------------------------------------------------------ */

enum { MOST = 16 };

struct made {
    pthread_t thread;
    OrtThreadWorkerFn worker;
    void *param;
};

/* What the functions were called with. */
static struct {
    int created, joined;
    int null_at;         /* this call gives no thread; 0: all do */
    bool starts_anyway;  /* there is one all the same, and it comes late */
    bool never_comes;    /* handles of threads that never run */
    atomic_int returned; /* workers that have */
    struct made made[MOST];
    pthread_t late;
} app;

static int secret; /* the options */

static void *thread_main(void *arg)
{
    struct made *handle = arg;

    handle->worker(handle->param);
    atomic_fetch_add(&app.returned, 1);
    return NULL;
}

static void *late_main(void *arg)
{
    struct made handle = *(struct made *)arg;

    free(arg);
    pause_ms(100);
    handle.worker(handle.param); /* the pool has gone */
    return NULL;
}

static OrtCustomThreadHandle create_thread(void *options, OrtThreadWorkerFn worker, void *param)
{
    struct made *handle = &app.made[app.created % MOST], *late;

    ck_assert_ptr_eq(options, &secret);
    app.created++;
    *handle = (struct made){.worker = worker, .param = param};
    if (app.created == app.null_at) {
        if (app.starts_anyway) {
            late = malloc(sizeof *late);
            ck_assert_ptr_nonnull(late);
            *late = *handle;
            ck_assert_int_eq(pthread_create(&app.late, NULL, late_main, late), 0);
        }
        return NULL;
    }
    if (!app.never_comes)
        ck_assert_int_eq(pthread_create(&handle->thread, NULL, thread_main, handle), 0);
    return (OrtCustomThreadHandle)(void *)handle;
}

static void join_thread(OrtCustomThreadHandle handle)
{
    int i = 0;

    app.joined++;
    while (i < MOST && (const void *)handle != (const void *)&app.made[i])
        i++;
    ck_assert_int_lt(i, MOST);
    if (!app.never_comes)
        pthread_join(app.made[i].thread, NULL);
}

static void setup_app(void)
{
    setup_editor();
    memset(&app, 0, sizeof app);
}

/* ---- an operator that tells which threads it ran on ------------------------------------------------ */

enum { PIECES = 64 };

static struct {
    pthread_t caller;
    atomic_int n_others; /* pieces that another thread did */
    bool awaits_others;
    pthread_t thread[PIECES];
    cpu_set_t set[PIECES];
} seen;

static void look(void *user, size_t i)
{
    (void)user;
    seen.thread[i] = pthread_self();
    if (sched_getaffinity(0, sizeof seen.set[i], &seen.set[i]) != 0)
        CPU_ZERO(&seen.set[i]);
    if (!pthread_equal(pthread_self(), seen.caller))
        atomic_fetch_add(&seen.n_others, 1);
    for (int k = 0; seen.awaits_others && k < 5000 && atomic_load(&seen.n_others) == 0; k++)
        pause_ms(1);
}

static OrtStatus *look_around(void *kernel, OrtKernelContext *context)
{
    const int64_t dims[] = {4};
    const OrtValue *x = NULL;
    OrtValue *y = NULL;
    OrtStatus *status = ort->KernelContext_GetInput(context, 0, &x);

    (void)kernel;
    if (!status)
        status = ort->KernelContext_GetOutput(context, 0, dims, 1, &y);
    if (status)
        return status;
    memset((float *)(uintptr_t)float_data(y), 0, 4 * sizeof(float));
    seen.caller = pthread_self();
    return ort->KernelContext_ParallelFor(context, look, PIECES, 0, NULL);
}

static const char *op_name(const OrtCustomOp *op)
{
    (void)op;
    return "Look";
}

static const char *op_provider(const OrtCustomOp *op)
{
    (void)op;
    return NULL;
}

static size_t op_one(const OrtCustomOp *op)
{
    (void)op;
    return 1;
}

static ONNXTensorElementDataType op_type(const OrtCustomOp *op, size_t i)
{
    (void)op;
    (void)i;
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}

static OrtCustomOpInputOutputCharacteristic op_kind(const OrtCustomOp *op, size_t i)
{
    (void)op;
    (void)i;
    return INPUT_OUTPUT_REQUIRED;
}

static OrtStatus *op_create(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info,
                            void **kernel)
{
    (void)op;
    (void)api;
    (void)info;
    *kernel = &secret;
    return NULL;
}

static void op_destroy(void *kernel)
{
    (void)kernel;
}

static const OrtCustomOp look_op = {.version = 16,
                                    .GetName = op_name,
                                    .GetExecutionProviderType = op_provider,
                                    .GetInputTypeCount = op_one,
                                    .GetInputType = op_type,
                                    .GetOutputTypeCount = op_one,
                                    .GetOutputType = op_type,
                                    .GetInputCharacteristic = op_kind,
                                    .GetOutputCharacteristic = op_kind,
                                    .CreateKernelV2 = op_create,
                                    .KernelComputeV2 = look_around,
                                    .KernelDestroy = op_destroy};

static OrtCustomOpDomain *domain;

static void write_look(struct pw *w)
{
    memset(w, 0, sizeof *w);
    pw_int(w, 1, 8);
    for (int i = 0; i < 2; i++) {
        pw_open(w, 8);
        pw_text(w, 1, i ? "own" : "");
        pw_int(w, 2, i ? 1 : 17);
        pw_close(w);
    }
    pw_open(w, 7);
    pw_text(w, 2, "graph");
    pw_open(w, 1);
    pw_text(w, 1, "X");
    pw_text(w, 2, "Y");
    pw_text(w, 4, "Look");
    pw_text(w, 7, "own");
    pw_close(w);
    model_end(w, 11, "X", TENSOR, 1, DIMS(4));
    model_end(w, 12, "Y", TENSOR, 1, DIMS(4));
    pw_close(w);
}

static OrtStatus *try_open(OrtSessionOptions *options, OrtSession **session)
{
    OrtStatus *status;
    struct pw w;

    ok(ort->CreateCustomOpDomain("own", &domain));
    ok(ort->CustomOpDomain_Add(domain, &look_op));
    ok(ort->AddCustomOpDomain(options, domain));
    write_look(&w);
    status = ort->CreateSessionFromArray(env, w.data, w.size, options, session);
    pw_free(&w);
    return status;
}

static void done_with(OrtSessionOptions *options, OrtSession *session)
{
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
    ort->ReleaseCustomOpDomain(domain);
    domain = NULL;
}

static void run_look(OrtSession *session, bool awaits_others)
{
    static const char *const in[] = {"X"}, *const out[] = {"Y"};
    float data[4] = {0};
    OrtValue *x = floats(data, 4, DIMS(4), 1), *y = NULL;

    memset(&seen, 0, sizeof seen);
    seen.awaits_others = awaits_others;
    ok(ort->Run(session, NULL, in, (const OrtValue *const *)&x, 1, out, 1, &y));
    ort->ReleaseValue(x);
    ort->ReleaseValue(y);
}

/* ---- options ----------------------------------------------------------------------------------- */

static OrtSessionOptions *own_threads(int n)
{
    OrtSessionOptions *options = NULL;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->SetIntraOpNumThreads(options, n));
    ok(ort->SessionOptionsSetCustomCreateThreadFn(options, create_thread));
    ok(ort->SessionOptionsSetCustomThreadCreationOptions(options, &secret));
    ok(ort->SessionOptionsSetCustomJoinThreadFn(options, join_thread));
    return options;
}

static OrtThreadingOptions *global_threads(int n)
{
    OrtThreadingOptions *threads = NULL;

    ok(ort->CreateThreadingOptions(&threads));
    ok(ort->SetGlobalIntraOpNumThreads(threads, n));
    ok(ort->SetGlobalCustomCreateThreadFn(threads, create_thread));
    ok(ort->SetGlobalCustomThreadCreationOptions(threads, &secret));
    ok(ort->SetGlobalCustomJoinThreadFn(threads, join_thread));
    return threads;
}

/* Instead of the environment there is; releases the options. On failure there is none. */
static OrtStatus *new_env(OrtThreadingOptions *threads)
{
    OrtStatus *status;

    ort->ReleaseEnv(env);
    env = NULL;
    status = ort->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_WARNING, "x", threads, &env);
    ort->ReleaseThreadingOptions(threads);
    return status;
}

static bool was_made(pthread_t thread)
{
    bool found = false;

    for (int i = 0; i < app.created; i++)
        found |= pthread_equal(app.made[i].thread, thread) != 0;
    return found;
}

/* Each piece was done by the caller or a thread of the application, and some by those. */
static void expect_own_threads(void)
{
    ck_assert_int_gt(atomic_load(&seen.n_others), 0);
    for (int i = 0; i < PIECES; i++)
        ck_assert(pthread_equal(seen.thread[i], seen.caller) || was_made(seen.thread[i]));
}

/* ---- sessions with threads of their own ---------------------------------------------------------- */

START_TEST(a_session_runs_on_the_applications_threads)
{
    OrtSessionOptions *options = own_threads(4);
    OrtSession *session = NULL;

    ok(try_open(options, &session));
    ck_assert_int_eq(app.created, 3); /* at once, before there is work */
    run_look(session, true);
    expect_own_threads();
    run_look(session, true);
    expect_own_threads();
    ck_assert_int_eq(app.created, 3);
    ck_assert_int_eq(app.joined, 0);
    ck_assert_int_eq(atomic_load(&app.returned), 0);
    done_with(options, session);
    ck_assert_int_eq(app.joined, 3);
    ck_assert_int_eq(atomic_load(&app.returned), 3);
}
END_TEST

START_TEST(a_pool_of_one_thread_creates_no_thread)
{
    OrtSessionOptions *options = own_threads(1);
    OrtSession *session = NULL;

    ok(try_open(options, &session));
    run_look(session, false);
    ck_assert_int_eq(atomic_load(&seen.n_others), 0);
    done_with(options, session);
    ck_assert_int_eq(app.created, 0);
    ok(new_env(global_threads(1)));
    ck_assert_int_eq(app.created, 0);
}
END_TEST

START_TEST(a_session_on_the_global_pool_creates_no_thread)
{
    OrtSessionOptions *options = own_threads(4);
    OrtSession *session = NULL;

    ok(ort->DisablePerSessionThreads(options));
    ok(ort->SessionOptionsSetCustomJoinThreadFn(options, NULL)); /* nor is this looked at */
    ok(try_open(options, &session));
    run_look(session, false);
    done_with(options, session);
    ck_assert_int_eq(app.created, 0);
}
END_TEST

START_TEST(creation_fails_without_a_custom_join_function)
{
    OrtThreadingOptions *threads = global_threads(3);

    for (int n = 1; n < 4; n += 2) {
        OrtSessionOptions *options = own_threads(n);
        OrtSession *session = NULL;

        ok(ort->SessionOptionsSetCustomJoinThreadFn(options, NULL));
        fails(try_open(options, &session), ORT_FAIL, "custom join thread function not set");
        ck_assert_ptr_null(session);
        done_with(options, session);
    }
    ok(ort->SetGlobalCustomJoinThreadFn(threads, NULL));
    fails(new_env(threads), ORT_FAIL, "custom join thread function not set");
    ck_assert_ptr_null(env);
    ck_assert_int_eq(app.created, 0);
    threads = global_threads(3); /* a function that joins alone is of no use, and no error */
    ok(ort->SetGlobalCustomCreateThreadFn(threads, NULL));
    ok(new_env(threads));
    ck_assert_int_eq(app.created, 0);
}
END_TEST

START_TEST(session_creation_fails_when_a_thread_is_not_created)
{
    for (int at = 1; at < 4; at++) {
        OrtSessionOptions *options = own_threads(4);
        OrtSession *session = NULL;

        app.created = app.joined = 0;
        app.null_at = at;
        fails(try_open(options, &session), ORT_FAIL,
              "custom_create_thread_fn returned invalid handle");
        ck_assert_ptr_null(session);
        ck_assert_int_eq(app.created, at);
        ck_assert_int_eq(app.joined, at - 1); /* those that were made */
        done_with(options, session);
    }
}
END_TEST

START_TEST(a_thread_that_starts_after_the_pool_ended_does_nothing)
{
    OrtSessionOptions *options = own_threads(4);
    OrtSession *session = NULL;

    app.null_at = 3;
    app.starts_anyway = true;
    fails(try_open(options, &session), ORT_FAIL, "invalid handle");
    done_with(options, session);
    pthread_join(app.late, NULL); /* it calls the worker's function after all that */
}
END_TEST

START_TEST(a_session_runs_when_its_custom_threads_never_start)
{
    OrtSessionOptions *options = own_threads(4);
    OrtSession *session = NULL;

    app.never_comes = true;
    ok(try_open(options, &session));
    run_look(session, false);
    ck_assert_int_eq(atomic_load(&seen.n_others), 0);
    done_with(options, session);
    ck_assert_int_eq(app.joined, 3);
    app.made[0].worker(app.made[0].param); /* returns at once */
}
END_TEST

/* ---- the environment's --------------------------------------------------------------------------- */

START_TEST(an_environment_runs_on_the_applications_threads)
{
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;

    ok(new_env(global_threads(3)));
    ck_assert_int_eq(app.created, 2);
    ok(ort->CreateSessionOptions(&options));
    ok(ort->DisablePerSessionThreads(options));
    ok(try_open(options, &session));
    run_look(session, true);
    expect_own_threads();
    done_with(options, session);
    ck_assert_int_eq(app.joined, 0);
    ort->ReleaseEnv(env);
    env = NULL;
    ck_assert_int_eq(app.created, 2);
    ck_assert_int_eq(app.joined, 2);
}
END_TEST

START_TEST(environment_creation_fails_when_a_thread_is_not_created)
{
    for (int at = 1; at < 3; at++) {
        app.created = app.joined = 0;
        app.null_at = at;
        fails(new_env(global_threads(3)), ORT_FAIL,
              "custom_create_thread_fn returned invalid handle");
        ck_assert_ptr_null(env);
        ck_assert_int_eq(app.joined, at - 1);
    }
    app.null_at = 0;
    ok(new_env(global_threads(3))); /* the process can have one yet */
}
END_TEST

/* ---- affinities ---------------------------------------------------------------------------------- */

/* Of three threads; as ONNX Runtime 1.30 takes or refuses them. */
static const struct {
    const char *text, *words; /* NULL: it is taken */
} affinities[] = {
    {"1;1", NULL},
    {"1,1;1-1", NULL},
    {"1,,1;1", NULL},
    {";1;;1;", NULL},
    {",;1", NULL}, /* the first on any */
    {"1--1;1", NULL},
    {"1", "Number of affinities does not equal to thread_pool_size minus one"},
    {"1;", "Number of affinities does not equal to thread_pool_size minus one"},
    {";", "Number of affinities does not equal to thread_pool_size minus one"},
    {"1;1;1", "Number of affinities does not equal to thread_pool_size minus one"},
    {"1;x", "Processor id must consist of only digits: x"},
    {"1;1,y,1", "Processor id must consist of only digits: y"},
    {" ;1", "Processor id must consist of only digits:  "},
    {"1; 1", "Processor id must consist of only digits:  1"},
    {"+1;1", "Processor id must consist of only digits: +1"},
    {"1;-1", "Processor id must consist of only digits: -1"},
    {"1;1-", "Processor id must consist of only digits: 1-"},
    {"1;1-2-3", "Processor id must consist of only digits: 1-2-3"},
    {"1-2,3;1", "Processor id must consist of only digits: 1-2,3"},
    {"1;0", "Processor id must start from 1: 0"},
    {"1;0-1", "Processor id must start from 1: 0-1"},
    {"1;2-1", "Invalid processor interval: 2-1"},
    {"1;99999999999999999999", "Failed to read affinities from affinity string"},
    {"1;1-4294967297", "Failed to read affinities from affinity string"},
};

START_TEST(malformed_affinities_of_sessions_are_refused)
{
    for (size_t i = 0; i < sizeof affinities / sizeof *affinities; i++) {
        OrtSessionOptions *options = NULL;
        OrtSession *session = NULL;

        ok(ort->CreateSessionOptions(&options));
        ok(ort->SetIntraOpNumThreads(options, 3));
        ok(ort->AddSessionConfigEntry(options, AFFINITIES, affinities[i].text));
        if (affinities[i].words)
            fails(try_open(options, &session), ORT_FAIL, affinities[i].words);
        else
            ok(try_open(options, &session));
        ck_assert((session != NULL) == !affinities[i].words);
        done_with(options, session);
    }
}
END_TEST

START_TEST(malformed_affinities_of_environments_are_refused)
{
    for (size_t i = 0; i < sizeof affinities / sizeof *affinities; i++) {
        OrtThreadingOptions *threads = NULL;

        ok(ort->CreateThreadingOptions(&threads));
        ok(ort->SetGlobalIntraOpNumThreads(threads, 3));
        ok(ort->SetGlobalIntraOpThreadAffinity(threads, affinities[i].text));
        if (affinities[i].words)
            fails(new_env(threads), ORT_FAIL, affinities[i].words);
        else
            ok(new_env(threads));
    }
}
END_TEST

START_TEST(a_pool_of_one_thread_ignores_affinities)
{
    OrtSessionOptions *options = NULL;
    OrtThreadingOptions *threads = NULL;
    OrtSession *session = NULL;

    ok(ort->CreateSessionOptions(&options));
    ok(ort->SetIntraOpNumThreads(options, 1));
    ok(ort->AddSessionConfigEntry(options, AFFINITIES, "junk"));
    ok(try_open(options, &session));
    done_with(options, session);
    ok(ort->CreateThreadingOptions(&threads));
    ok(ort->SetGlobalIntraOpNumThreads(threads, 1));
    ok(ort->SetGlobalIntraOpThreadAffinity(threads, "junk"));
    ok(new_env(threads));
}
END_TEST

/* The first and the last processor of this process, from 0. */
static void find_processors(int *first, int *last)
{
    cpu_set_t home;

    ck_assert_int_eq(sched_getaffinity(0, sizeof home, &home), 0);
    *first = *last = -1;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET((size_t)i, &home)) {
            *first = *first < 0 ? i : *first;
            *last = i;
        }
    }
}

/* Other threads than the caller ran on one of these alone, and the caller was left where it was. */
static void expect_pinned(int a, int b)
{
    cpu_set_t home;

    ck_assert_int_eq(sched_getaffinity(0, sizeof home, &home), 0);
    ck_assert_int_gt(atomic_load(&seen.n_others), 0);
    for (int i = 0; i < PIECES; i++) {
        if (pthread_equal(seen.thread[i], seen.caller)) {
            ck_assert(CPU_EQUAL(&seen.set[i], &home));
            continue;
        }
        ck_assert_int_eq(CPU_COUNT(&seen.set[i]), 1);
        ck_assert(CPU_ISSET((size_t)a, &seen.set[i]) || CPU_ISSET((size_t)b, &seen.set[i]));
    }
}

/* _i: 0 threads of the host, 1 of the application; each time with workers that slept, too. */
START_TEST(workers_run_on_the_processors_of_the_session_affinity)
{
    OrtSessionOptions *options = own_threads(3);
    OrtSession *session = NULL;
    char text[64];
    int first, last;

    find_processors(&first, &last);
    snprintf(text, sizeof text, "%d;%d-%d", first + 1, last + 1, last + 1);
    ok(ort->AddSessionConfigEntry(options, AFFINITIES, text));
    if (_i == 0)
        ok(ort->SessionOptionsSetCustomCreateThreadFn(options, NULL));
    ok(try_open(options, &session));
    for (int round = 0; round < 3; round++) {
        run_look(session, true);
        expect_pinned(first, last);
        pause_ms(20);
    }
    done_with(options, session);
    ck_assert_int_eq(app.joined, _i * 2);
}
END_TEST

START_TEST(workers_run_on_the_processors_of_the_environment_affinity)
{
    OrtThreadingOptions *threads = NULL;
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;
    char text[64];
    int first, last;

    find_processors(&first, &last);
    snprintf(text, sizeof text, "%d;%d,%d", first + 1, last + 1, last + 1);
    ok(ort->CreateThreadingOptions(&threads));
    ok(ort->SetGlobalIntraOpNumThreads(threads, 3));
    ok(ort->SetGlobalIntraOpThreadAffinity(threads, text));
    ok(new_env(threads));
    ok(ort->CreateSessionOptions(&options));
    ok(ort->DisablePerSessionThreads(options));
    ok(try_open(options, &session));
    run_look(session, true);
    expect_pinned(first, last);
    done_with(options, session);
}
END_TEST

/* ---- logs ---------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    int n, n_warnings;
    char warning[512];
    bool is_from_elsewhere; /* the warning came on another thread than the test's */
    pthread_t self;
} lines = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void log_line(void *param, OrtLoggingLevel severity, const char *category, const char *id,
                     const char *place, const char *text)
{
    (void)category;
    (void)place;
    ck_assert_ptr_eq(param, &secret);
    ck_assert_str_eq(id, "mine");
    pthread_mutex_lock(&lines.lock);
    lines.n++;
    if (severity == ORT_LOGGING_LEVEL_WARNING && strstr(text, "counted from 0")) {
        lines.n_warnings++;
        lines.is_from_elsewhere = !pthread_equal(pthread_self(), lines.self);
        snprintf(lines.warning, sizeof lines.warning, "%s", text);
    }
    pthread_mutex_unlock(&lines.lock);
}

static void log_to_lines(OrtSessionOptions *options)
{
    lines.n = lines.n_warnings = 0;
    lines.self = pthread_self();
    ok(ort->SetUserLoggingFunction(options, log_line, &secret));
    ok(ort->SetSessionLogId(options, "mine"));
    ok(ort->SetSessionLogSeverityLevel(options, ORT_LOGGING_LEVEL_VERBOSE));
}

static int count_warnings(void)
{
    int n;

    pthread_mutex_lock(&lines.lock);
    n = lines.n_warnings;
    pthread_mutex_unlock(&lines.lock);
    return n;
}

/* A text with the number of this process's first processor for each F. */
static void write_affinities(char *out, size_t size, const char *with_letters)
{
    int first, last;
    size_t n = 0;

    find_processors(&first, &last);
    for (; *with_letters; with_letters++) {
        if (*with_letters == 'F')
            n += (size_t)snprintf(out + n, size - n, "%d", first + 1);
        else
            n += (size_t)snprintf(out + n, size - n, "%c", *with_letters);
    }
}

START_TEST(session_warns_of_processors_that_do_not_exist)
{
    static const struct {
        const char *text, *words;
    } cases[] = {{"5000;F", "worker 1 runs anywhere"},
                 {"F;5000-6000", "worker 2 runs anywhere"},
                 {"F,900,99999;F", "worker 1 runs on fewer processors"},
                 {"F;F-99999", "worker 2 runs on fewer processors"},
                 {"2147483647;F", "2147483646"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OrtSessionOptions *options = NULL;
        OrtSession *session = NULL;
        char text[64];

        write_affinities(text, sizeof text, cases[i].text);
        ok(ort->CreateSessionOptions(&options));
        ok(ort->SetIntraOpNumThreads(options, 3));
        ok(ort->AddSessionConfigEntry(options, AFFINITIES, text));
        log_to_lines(options);
        ok(try_open(options, &session));
        for (int k = 0; k < 5000 && count_warnings() == 0; k++)
            pause_ms(1);
        run_look(session, true);
        done_with(options, session);
        ck_assert_int_eq(lines.n_warnings, 1);
        ck_assert(lines.is_from_elsewhere);
        ck_assert_msg(strstr(lines.warning, cases[i].words) != NULL, "%s", lines.warning);
    }
}
END_TEST

/* Begun with options that have a log, finished with others. */
START_TEST(an_edited_session_keeps_the_log_and_threads_of_its_creation)
{
    OrtSessionOptions *options = own_threads(3), *others = NULL;
    OrtSession *session = NULL;
    struct pw w;
    int n;

    log_to_lines(options);
    model_begin(&w);
    NODE(&w, "Relu", "Y", "X");
    model_end(&w, 11, "X", TENSOR, 1, DIMS(2));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(2));
    pw_close(&w);
    ok(editor->CreateModelEditorSessionFromArray(env, w.data, w.size, options, &session));
    n = lines.n;
    ok(ort->CreateSessionOptions(&others));
    ok(editor->FinalizeModelEditorSession(session, others, NULL));
    ck_assert_int_gt(lines.n, n);
    ck_assert_int_eq(app.created, 2);
    ort->ReleaseSession(session);
    ck_assert_int_eq(app.joined, 2);
    ort->ReleaseSessionOptions(others);
    ort->ReleaseSessionOptions(options);
    pw_free(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workers");
    TCase *tcase = tcase_create("workers");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup_app, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_session_runs_on_the_applications_threads);
    tcase_add_test(tcase, a_pool_of_one_thread_creates_no_thread);
    tcase_add_test(tcase, a_session_on_the_global_pool_creates_no_thread);
    tcase_add_test(tcase, creation_fails_without_a_custom_join_function);
    tcase_add_test(tcase, session_creation_fails_when_a_thread_is_not_created);
    tcase_add_test(tcase, a_thread_that_starts_after_the_pool_ended_does_nothing);
    tcase_add_test(tcase, a_session_runs_when_its_custom_threads_never_start);
    tcase_add_test(tcase, an_environment_runs_on_the_applications_threads);
    tcase_add_test(tcase, environment_creation_fails_when_a_thread_is_not_created);
    tcase_add_test(tcase, malformed_affinities_of_sessions_are_refused);
    tcase_add_test(tcase, malformed_affinities_of_environments_are_refused);
    tcase_add_test(tcase, a_pool_of_one_thread_ignores_affinities);
    tcase_add_loop_test(tcase, workers_run_on_the_processors_of_the_session_affinity, 0, 2);
    tcase_add_test(tcase, workers_run_on_the_processors_of_the_environment_affinity);
    tcase_add_test(tcase, session_warns_of_processors_that_do_not_exist);
    tcase_add_test(tcase, an_edited_session_keeps_the_log_and_threads_of_its_creation);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
