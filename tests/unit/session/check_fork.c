/* SPDX-License-Identifier: MIT */
/*
 * check_fork.c - children of fork(): they run the parent's sessions, or get an error at once, while
 * other threads of the parent run, or make sessions. BP_FORKS in the environment is the number of
 * forks of a test. A child that hangs is ended by a signal after CHILD_S seconds.
 */

#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/session_kit.h"
#include "support/skip.h"

enum { SIZE = 96, N = SIZE * SIZE, FORKS = 40, CHILD_S = 60 };

static float weights[N], input[N], want[N];

static unsigned n_forks(void)
{
    const char *text = getenv("BP_FORKS");

    return text ? (unsigned)strtoul(text, NULL, 10) : FORKS;
}

static bool is_here(const char *name)
{
    uint32_t i;

    return bp_env_find_provider(kit.env, name, &i, NULL) >= 0 &&
           bp_env_is_available(kit.env, name, NULL) >= 0;
}

/* y = Relu(Relu(x w) w): work that two threads share. */
static void model(void)
{
    for (int i = 0; i < N; i++) {
        weights[i] = (float)(i * 7 % 13 - 6) / 16;
        input[i] = (float)(i * 5 % 11 - 5) / 8;
    }
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "96,96");
    kit_floats("w", (const int64_t[]){SIZE, SIZE, -1}, N, weights);
    kit_node("first", "MatMul", "x w", "a");
    kit_node("relu", "Relu", "a", "b");
    kit_node("second", "MatMul", "b w", "c");
    kit_node("last", "Relu", "c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "96,96");
}

static bp_binding tensor(float *data)
{
    static int64_t dims[] = {SIZE, SIZE};

    return (bp_binding){.tensor = {.base = data,
                                   .bytes = N * sizeof(float),
                                   .dims = dims,
                                   .rank = 2,
                                   .dtype = BP_DTYPE_F32}};
}

/* For children and threads: asserts nothing, as Check has a lock that a child may find held. */
static bp_rc run_once(float *y, bp_err *err)
{
    bp_binding in = tensor(input), out = tensor(y);

    return bp_session_run(kit.session, &in, 1, &out, 1, NULL, err);
}

static void open_on(const char *name)
{
    model();
    kit_provider(name, BP_FALLBACK_REQUIRE);
    kit_session();
    KIT_OK(run_once(want, &kit.err));
}

/* ---- what a child does ----------------------------------------------------------------------- */

/* Statuses of a child: what the parent's test can tell apart. */
enum { GOOD, REFUSED, WRONG };

/* The session runs, gives what it gave in the parent, and can be destroyed. */
static int run_and_destroy(void)
{
    static float y[N];

    for (int i = 0; i < 2; i++) {
        memset(y, 0, sizeof y);
        if (run_once(y, &kit.err) < 0 || memcmp(y, want, sizeof y) != 0)
            return WRONG;
    }
    bp_session_destroy(kit.session);
    return GOOD;
}

/* The provider does not work here: the run says so, and a session without it does work. */
static int run_elsewhere(void)
{
    static float y[N];
    bp_rc rc = run_once(y, &kit.err);
    bp_session *lost = kit.session;

    if (rc != BP_E_UNAVAILABLE || !strstr(kit.text, "child of a fork()"))
        return WRONG;
    if (bp_session_create_from_model(kit.env, kit.model, NULL, &kit.session, &kit.err) < 0 ||
        run_once(y, &kit.err) < 0)
        return WRONG;
    for (int i = 0; i < N; i++) {
        if (y[i] < want[i] - 1e-3f || y[i] > want[i] + 1e-3f)
            return WRONG;
    }
    bp_session_destroy(kit.session);
    bp_session_destroy(lost);
    return GOOD;
}

/* A session is made here, or the environment says that it was forked at a bad moment. */
static int make_session(void)
{
    bp_session *session = NULL;
    bp_rc rc = bp_session_create_from_model(kit.env, kit.model, kit.options, &session, &kit.err);

    if (rc == BP_E_UNAVAILABLE && strstr(kit.text, "forked while"))
        return REFUSED;
    bp_session_destroy(session);
    return rc < 0 ? WRONG : GOOD;
}

/* ---- the parent ------------------------------------------------------------------------------ */

static atomic_bool is_over;

static void *run_on(void *u)
{
    static float y[N];

    while (!atomic_load(&is_over)) {
        if (run_once(y, NULL) < 0)
            return u;
    }
    return NULL;
}

static void *make_sessions(void *u)
{
    while (!atomic_load(&is_over)) {
        bp_session *session = NULL;

        if (bp_session_create_from_model(kit.env, kit.model, kit.options, &session, NULL) < 0)
            return u;
        bp_session_destroy(session);
    }
    return NULL;
}

/* Forks again and again beside a thread of the parent. counts: of children, by status. */
static void fork_beside(void *(*thread)(void *), int (*child)(void), unsigned counts[WRONG + 1])
{
    pthread_t other;
    void *failed;

    memset(counts, 0, (WRONG + 1) * sizeof *counts);
    atomic_store(&is_over, false);
    ck_assert_int_eq(pthread_create(&other, NULL, thread, want), 0);
    for (unsigned i = 0; i < n_forks(); i++) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            signal(SIGALRM, SIG_DFL); /* Check has a handler, which would end the test */
            alarm(CHILD_S);
            status = child();
            if (status == WRONG)
                fprintf(stderr, "child: %s\n", kit.text);
            _exit(status);
        }
        ck_assert_int_gt(pid, 0);
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert_msg(WIFEXITED(status), "child %u was ended by signal %d", i, WTERMSIG(status));
        ck_assert_int_lt(WEXITSTATUS(status), WRONG);
        counts[WEXITSTATUS(status)]++;
    }
    atomic_store(&is_over, true);
    ck_assert_int_eq(pthread_join(other, &failed), 0);
    ck_assert_msg(failed == NULL, "the parent failed");
    KIT_OK(run_once(want, &kit.err));
}

static void check_runs(const char *name)
{
    unsigned counts[WRONG + 1];

    open_on(name);
    fork_beside(run_on, run_and_destroy, counts);
    ck_assert_uint_eq(counts[GOOD], n_forks());
}

static void check_lost(const char *name)
{
    unsigned counts[WRONG + 1];

    open_on(name);
    fork_beside(run_on, run_elsewhere, counts);
    ck_assert_uint_eq(counts[GOOD], n_forks());
}

START_TEST(child_runs_a_session_of_cpu)
{
    check_runs("cpu");
}
END_TEST

START_TEST(child_runs_a_session_of_dnnl)
{
    SKIP_UNLESS(is_here("dnnl"), "provider dnnl is not here");
    check_runs("dnnl");
}
END_TEST

START_TEST(session_of_cann_fails_at_once_in_a_child)
{
    SKIP_UNLESS(is_here("cann"), "provider cann is not here");
    check_lost("cann");
}
END_TEST

/* The mock says nothing of forks. */
START_TEST(session_of_a_provider_that_is_not_fork_safe_fails_at_once_in_a_child)
{
    unsigned counts[WRONG + 1];

    model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    KIT_OK(run_once(want, &kit.err));
    fork_beside(run_on, run_elsewhere, counts);
    ck_assert_uint_eq(counts[GOOD], n_forks());
}
END_TEST

START_TEST(child_makes_a_session_unless_the_parent_was_making_one)
{
    unsigned counts[WRONG + 1];

    open_on("cpu");
    fork_beside(run_on, make_session, counts);
    ck_assert_uint_eq(counts[GOOD], n_forks());
    /* clang 14's allocator for it has locks that a child may find held by a thread that allocated */
    SKIP_UNLESS(!SKIP_HAS_ASAN, "children wait for locks of AddressSanitizer's allocator");
    fork_beside(make_sessions, make_session, counts);
    ck_assert_uint_eq(counts[GOOD] + counts[REFUSED], n_forks());
}
END_TEST

int main(void)
{
    TCase *fork_case;

    if (SKIP_HAS_TSAN) {
        skip_report("check_fork", "ThreadSanitizer ends children that start threads");
        return 77;
    }
    if (skip_in_valgrind()) {
        skip_report("check_fork", "valgrind keeps fork() out while another thread runs");
        return 77;
    }
    fork_case = tcase_create("fork");
    tcase_set_timeout(fork_case, 600);
    tcase_add_checked_fixture(fork_case, kit_setup, kit_teardown);
    tcase_add_test(fork_case, child_runs_a_session_of_cpu);
    tcase_add_test(fork_case, child_runs_a_session_of_dnnl);
    tcase_add_test(fork_case, session_of_cann_fails_at_once_in_a_child);
    tcase_add_test(fork_case, session_of_a_provider_that_is_not_fork_safe_fails_at_once_in_a_child);
    tcase_add_test(fork_case, child_makes_a_session_unless_the_parent_was_making_one);
    return kit_main("fork", &fork_case, 1);
}
