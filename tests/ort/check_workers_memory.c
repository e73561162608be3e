/* SPDX-License-Identifier: MIT */
/*
 * check_workers_memory.c - out of memory while threads of the application are made for sessions and
 * environments, and affinities are read: a status, every thread joined, nothing left.
 */

#define _GNU_SOURCE /* sched_getaffinity */

#include "config.h"

#include <pthread.h>
#include <sched.h>

#include "ort/kit.h"
#include "support/count_alloc.h"

#define AFFINITIES "session.intra_op_thread_affinities"

enum { MOST = 16 };

/*
 * What the application's functions did. There is no assertion in here, as Check allocates for one, and
 * the n-th allocation fails.
 */
static struct {
    int created, joined;
    struct made {
        pthread_t thread;
        OrtThreadWorkerFn worker;
        void *param;
    } made[MOST];
    struct pw model;
    char affinities[64];
} quiet;

static void *quiet_main(void *arg)
{
    struct made *handle = arg;

    handle->worker(handle->param);
    return NULL;
}

/* Without a thread there is no handle either. */
static OrtCustomThreadHandle quiet_create(void *options, OrtThreadWorkerFn worker, void *param)
{
    struct made *handle = &quiet.made[quiet.created % MOST];

    (void)options;
    *handle = (struct made){.worker = worker, .param = param};
    if (pthread_create(&handle->thread, NULL, quiet_main, handle) != 0)
        return NULL;
    quiet.created++;
    return (OrtCustomThreadHandle)(void *)handle;
}

static void quiet_join(OrtCustomThreadHandle handle)
{
    for (int i = 0; i < MOST; i++) {
        if ((const void *)handle == (const void *)&quiet.made[i])
            pthread_join(quiet.made[i].thread, NULL);
    }
    quiet.joined++;
}

/* A session with threads and affinities of its own. */
static OrtStatus *make_session(void)
{
    OrtSessionOptions *options = NULL;
    OrtSession *session = NULL;
    OrtStatus *status = ort->CreateSessionOptions(&options);

    if (!status)
        status = ort->SetIntraOpNumThreads(options, 3);
    if (!status)
        status = ort->SessionOptionsSetCustomCreateThreadFn(options, quiet_create);
    if (!status)
        status = ort->SessionOptionsSetCustomJoinThreadFn(options, quiet_join);
    if (!status)
        status = ort->AddSessionConfigEntry(options, AFFINITIES, quiet.affinities);
    if (!status)
        status =
            ort->CreateSessionFromArray(env, quiet.model.data, quiet.model.size, options, &session);
    ort->ReleaseSession(session);
    ort->ReleaseSessionOptions(options);
    return status;
}

/* The same with an environment. */
static OrtStatus *make_env(void)
{
    OrtThreadingOptions *threads = NULL;
    OrtEnv *made = NULL;
    OrtStatus *status = ort->CreateThreadingOptions(&threads);

    if (!status)
        status = ort->SetGlobalIntraOpNumThreads(threads, 3);
    if (!status)
        status = ort->SetGlobalCustomCreateThreadFn(threads, quiet_create);
    if (!status)
        status = ort->SetGlobalCustomJoinThreadFn(threads, quiet_join);
    if (!status)
        status = ort->SetGlobalIntraOpThreadAffinity(threads, quiet.affinities);
    if (!status)
        status = ort->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_FATAL, "x", threads, &made);
    ort->ReleaseEnv(made);
    ort->ReleaseThreadingOptions(threads);
    return status;
}

/* Allocation n = 1, 2, 3... of the calling thread fails, until the call succeeds without. */
static void check_every_failure(OrtStatus *(*work)(void), uint32_t at_least)
{
    bool has_failed = true;
    uint32_t n_told = 0;
    long live;

    ok(work());
    ok(work());
    live = count_alloc_live();
    for (unsigned n = 1; has_failed; n++) {
        OrtStatus *status;

        quiet.created = quiet.joined = 0;
        count_alloc_fail_at(n);
        status = work();
        has_failed = count_alloc_stop();
        ck_assert_msg(has_failed || !status, "%s", status ? ort->GetErrorMessage(status) : "");
        if (status) {
            ck_assert_msg(ort->GetErrorMessage(status)[0], "allocation %u: not a word", n);
            n_told++;
        }
        ort->ReleaseStatus(status);
        ck_assert_msg(quiet.created == quiet.joined, "allocation %u: %d threads, %d joined", n,
                      quiet.created, quiet.joined);
        ck_assert_msg(count_alloc_live() == live, "allocation %u: %ld blocks are left", n,
                      count_alloc_live() - live);
    }
    ck_assert_uint_ge(n_told, at_least);
}

static void prepare_quiet(void)
{
    cpu_set_t home;
    int first = 0;

    ck_assert_int_eq(sched_getaffinity(0, sizeof home, &home), 0);
    while (!CPU_ISSET((size_t)first, &home))
        first++;
    snprintf(quiet.affinities, sizeof quiet.affinities, "%d;%d-%d", first + 1, first + 1,
             first + 99);
    model_begin(&quiet.model);
    NODE(&quiet.model, "Relu", "Y", "X");
    model_end(&quiet.model, 11, "X", TENSOR, 1, DIMS(2));
    model_end(&quiet.model, 12, "Y", TENSOR, 1, DIMS(2));
    pw_close(&quiet.model);
}

START_TEST(out_of_memory_joins_the_threads_of_a_session)
{
    prepare_quiet();
    ok(ort->UpdateEnvWithCustomLogLevel(env, ORT_LOGGING_LEVEL_FATAL));
    check_every_failure(make_session, 30);
    pw_free(&quiet.model);
}
END_TEST

START_TEST(out_of_memory_joins_the_threads_of_an_environment)
{
    prepare_quiet();
    ort->ReleaseEnv(env);
    env = NULL;
    check_every_failure(make_env, 10);
    pw_free(&quiet.model);
}
END_TEST

int main(void)
{
    Suite *suite;
    TCase *tcase;
    SRunner *runner;
    int failed;

    if (!count_alloc_works()) {
        fprintf(stderr, "SKIP: allocations cannot be counted under a sanitizer, under valgrind or "
                        "without glibc\n");
        return 77;
    }
    suite = suite_create("workers, out of memory");
    tcase = tcase_create("workers");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, out_of_memory_joins_the_threads_of_a_session);
    tcase_add_test(tcase, out_of_memory_joins_the_threads_of_an_environment);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
