/* SPDX-License-Identifier: MIT */
/* check_async.c - runs in the background, with a callback. */

#include "config.h"

#include <check.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/session_kit.h"
#include "support/skip.h"

enum { N_MANY = 10000, N_THREADS = 4, N_RUNS = 50 };

/* What callbacks tell the test. */
static struct ends {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t n, n_failed;
    bp_rc rc;
    char text[256];
    bool is_open; /* callbacks of hold() return */
    pthread_t thread;
} ends = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void note_end(void *user, bp_rc rc, const bp_err *err)
{
    (void)user;
    pthread_mutex_lock(&ends.lock);
    ends.n++;
    ends.n_failed += rc < 0;
    ends.rc = rc;
    ends.thread = pthread_self();
    snprintf(ends.text, sizeof ends.text, "%s", err->msg);
    if (err->code != (rc < 0 ? rc : BP_OK))
        ends.rc = BP_E_INTERNAL;
    pthread_cond_broadcast(&ends.changed);
    pthread_mutex_unlock(&ends.lock);
}

/* Keeps the thread of the run until the test opens it. */
static void hold(void *user, bp_rc rc, const bp_err *err)
{
    note_end(user, rc, err);
    pthread_mutex_lock(&ends.lock);
    while (!ends.is_open)
        pthread_cond_wait(&ends.changed, &ends.lock);
    pthread_mutex_unlock(&ends.lock);
}

static void open_held(void)
{
    pthread_mutex_lock(&ends.lock);
    ends.is_open = true;
    pthread_cond_broadcast(&ends.changed);
    pthread_mutex_unlock(&ends.lock);
}

static void await_ends(uint32_t n)
{
    pthread_mutex_lock(&ends.lock);
    while (ends.n < n)
        pthread_cond_wait(&ends.changed, &ends.lock);
    pthread_mutex_unlock(&ends.lock);
}

/* A run of one row through the small model. */
struct one {
    float x[4], y[4];
    int64_t dims[2][2];
    bp_binding in, out;
};

static void set_up(struct one *one)
{
    *one = (struct one){.x = {1, 2, 3, 4}, .dims = {{1, 4}}};
    one->in.tensor = (bp_tensor){.base = one->x,
                                 .bytes = sizeof one->x,
                                 .dims = one->dims[0],
                                 .rank = 2,
                                 .dtype = BP_DTYPE_F32};
    one->out.tensor =
        (bp_tensor){.base = one->y, .bytes = sizeof one->y, .dims = one->dims[1], .rank = 2};
}

static bp_rc submit(struct one *one, const bp_run_options *options, bp_run_done_fn done)
{
    set_up(one);
    return bp_session_run_async(kit.session, &one->in, 1, &one->out, 1, options, done, one,
                                &kit.err);
}

static void start(void)
{
    kit_setup();
    ends.n = ends.n_failed = 0;
    ends.is_open = false;
    ends.text[0] = '\0';
}

static void small(void)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
}

START_TEST(run_calls_back_from_another_thread)
{
    struct one one;

    small();
    KIT_OK(submit(&one, NULL, note_end));
    await_ends(1);
    ck_assert_int_eq(ends.rc, BP_OK);
    ck_assert(one.y[0] == -2 && one.y[3] == -8);
    ck_assert(!pthread_equal(ends.thread, pthread_self()));
}
END_TEST

START_TEST(callback_gets_the_error_and_its_words)
{
    struct one one;

    small();
    set_up(&one);
    one.out.tensor.bytes = 8;
    KIT_OK(
        bp_session_run_async(kit.session, &one.in, 1, &one.out, 1, NULL, note_end, NULL, &kit.err));
    await_ends(1);
    ck_assert_int_eq(ends.rc, BP_E_SPACE);
    ck_assert_msg(strstr(ends.text, "'y'") != NULL, "%s", ends.text);
}
END_TEST

START_TEST(ten_thousand_runs_wait_for_their_turn)
{
    struct one *many = calloc(N_MANY, sizeof *many);

    ck_assert_ptr_nonnull(many);
    small();
    for (uint32_t i = 0; i < N_MANY; i++)
        KIT_OK(submit(&many[i], NULL, note_end));
    await_ends(N_MANY);
    ck_assert_uint_eq(ends.n_failed, 0);
    for (uint32_t i = 0; i < N_MANY; i++)
        ck_assert(many[i].y[3] == -8);
    free(many);
}
END_TEST

START_TEST(destroying_waits_for_runs_in_the_background)
{
    struct one many[20];

    small();
    for (uint32_t i = 0; i < 20; i++)
        KIT_OK(submit(&many[i], NULL, note_end));
    kit_end_session();
    ck_assert_uint_eq(ends.n, 20);
    ck_assert_uint_eq(ends.n_failed, 0);
}
END_TEST

/* Time in the queue counts: both threads are held, until the time of the third run is over. */
START_TEST(time_begins_with_the_call)
{
    static const struct timespec pause = {.tv_nsec = 30 * 1000 * 1000};
    static const volatile uint32_t cancel = 1;
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = 10 * 1000 * 1000};
    struct one one[4];

    small();
    KIT_OK(submit(&one[0], NULL, hold));
    KIT_OK(submit(&one[1], NULL, hold));
    await_ends(2);
    KIT_OK(submit(&one[2], &options, note_end));
    nanosleep(&pause, NULL);
    open_held();
    await_ends(3);
    ck_assert_int_eq(ends.rc, BP_E_TIMEOUT);
    options = (bp_run_options){.struct_size = sizeof options, .cancel = &cancel};
    KIT_OK(submit(&one[3], &options, note_end));
    await_ends(4);
    ck_assert_int_eq(ends.rc, BP_E_CANCELLED);
    ck_assert(one[2].y[0] == 0 && one[3].y[0] == 0);
}
END_TEST

static void destroy_session(void *user, bp_rc rc, const bp_err *err)
{
    bp_session_destroy(user);
    note_end(NULL, rc, err);
}

START_TEST(last_callback_may_destroy_the_session)
{
    bp_session *session;
    struct one one;

    small();
    session = kit.session;
    set_up(&one);
    kit.session = NULL;
    KIT_OK(bp_session_run_async(session, &one.in, 1, &one.out, 1, NULL, destroy_session, session,
                                &kit.err));
    await_ends(1);
    ck_assert_int_eq(ends.rc, BP_OK);
}
END_TEST

START_TEST(session_is_not_destroyed_under_other_runs)
{
    struct one one[2];

    small();
    KIT_OK(submit(&one[0], NULL, hold));
    await_ends(1);
    set_up(&one[1]);
    KIT_OK(bp_session_run_async(kit.session, &one[1].in, 1, &one[1].out, 1, NULL, destroy_session,
                                kit.session, &kit.err));
    await_ends(2);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_ERROR, "not destroyed in the callback"), 1);
    open_held();
    kit_check_small(2); /* it is there */
}
END_TEST

static bp_io_binding *io;
static uint32_t n_more;

/* Ten runs, each of which the last one's callback submits. */
static void run_again(void *user, bp_rc rc, const bp_err *err)
{
    const bp_binding *y = NULL;
    char text[128];
    bp_err own = bp_err_init(text, sizeof text);

    if (rc >= 0)
        rc = bp_io_binding_output(io, "y", 0, &y, &own);
    if (rc >= 0 && ((const float *)y->tensor.base)[3] != -8)
        rc = BP_E_INTERNAL;
    if (rc >= 0 && n_more-- > 0) {
        rc = bp_io_binding_run_async(io, NULL, run_again, user, &own);
        if (rc >= 0)
            return;
    }
    note_end(user, rc, rc < 0 ? &own : err);
}

START_TEST(bound_runs_follow_each_other)
{
    struct one one;

    small();
    set_up(&one);
    KIT_OK(bp_io_binding_create(kit.session, &io, &kit.err));
    KIT_OK(bp_io_binding_set_input(io, "x", &one.in, &kit.err));
    KIT_FAILS(bp_io_binding_run_async(io, NULL, run_again, NULL, &kit.err), BP_E_INVALID,
              "no output is bound");
    KIT_OK(bp_io_binding_set_output(io, "y", NULL, &kit.err));
    KIT_FAILS(bp_io_binding_run_async(io, NULL, NULL, NULL, &kit.err), BP_E_INVALID, "callback");
    n_more = 9;
    KIT_OK(bp_io_binding_run_async(io, NULL, run_again, NULL, &kit.err));
    await_ends(1);
    ck_assert_int_eq(ends.rc, BP_OK);
    bp_io_binding_destroy(io);
}
END_TEST

START_TEST(bound_values_are_busy_while_they_run)
{
    bp_io_binding *other;
    struct one one[3];
    const bp_binding *y;

    small();
    KIT_OK(submit(&one[0], NULL, hold));
    KIT_OK(submit(&one[1], NULL, hold));
    await_ends(2); /* no thread is free */
    set_up(&one[2]);
    KIT_OK(bp_io_binding_create(kit.session, &other, &kit.err));
    KIT_OK(bp_io_binding_set_input(other, "x", &one[2].in, &kit.err));
    KIT_OK(bp_io_binding_set_output(other, "y", NULL, &kit.err));
    KIT_OK(bp_io_binding_run_async(other, NULL, note_end, NULL, &kit.err));
    KIT_FAILS(bp_io_binding_run(other, NULL, &kit.err), BP_E_BUSY, "in flight", "callback");
    KIT_FAILS(bp_io_binding_run_async(other, NULL, note_end, NULL, &kit.err), BP_E_BUSY, "flight");
    KIT_FAILS(bp_io_binding_set_input(other, "x", &one[2].in, &kit.err), BP_E_BUSY, "in flight");
    KIT_FAILS(bp_io_binding_set_output(other, "y", NULL, &kit.err), BP_E_BUSY, "in flight");
    KIT_FAILS(bp_io_binding_output(other, "y", 0, &y, &kit.err), BP_E_BUSY, "in flight");
    open_held();
    bp_io_binding_clear_inputs(other); /* waits */
    KIT_OK(bp_io_binding_output(other, "y", 0, &y, &kit.err));
    ck_assert(((const float *)y->tensor.base)[3] == -8);
    bp_io_binding_destroy(other);
}
END_TEST

/* Asserts nothing, as Check is for one thread. */
static void *submit_often(void *u)
{
    struct one *one = u;

    for (int i = 0; i < N_RUNS; i++) {
        set_up(&one[i]);
        if (bp_session_run_async(kit.session, &one[i].in, 1, &one[i].out, 1, NULL, note_end, NULL,
                                 NULL) < 0)
            return u;
    }
    return NULL;
}

START_TEST(threads_submit_at_once)
{
    static struct one all[N_THREADS][N_RUNS];
    pthread_t threads[N_THREADS];
    void *failed;

    small();
    for (int i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, submit_often, all[i]), 0);
    for (int i = 0; i < N_THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    await_ends(N_THREADS * N_RUNS);
    ck_assert_uint_eq(ends.n_failed, 0);
}
END_TEST

START_TEST(child_of_a_fork_starts_its_own_threads)
{
    struct one one;
    pid_t child;
    int status;

    SKIP_UNLESS(!SKIP_HAS_TSAN, "TSan ends a forked child that starts threads");
    kit_small_model();
    kit_session();
    KIT_OK(submit(&one, NULL, note_end));
    await_ends(1);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(20);
        if (submit(&one, NULL, note_end) < 0)
            _exit(2);
        await_ends(2);
        _exit(ends.rc == BP_OK && one.y[3] == -8 ? 0 : 3);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(wrong_calls_are_refused_and_never_call_back)
{
    bp_run_options options = {.struct_size = 4};
    struct one one;

    small();
    set_up(&one);
    KIT_FAILS(submit(&one, NULL, NULL), BP_E_INVALID, "callback");
    KIT_FAILS(submit(&one, &options, note_end), BP_E_INVALID, "struct_size");
    KIT_FAILS(bp_session_run_async(NULL, &one.in, 1, &one.out, 1, NULL, note_end, NULL, &kit.err),
              BP_E_INVALID, "session");
    KIT_FAILS(
        bp_session_run_async(kit.session, NULL, 1, &one.out, 1, NULL, note_end, NULL, &kit.err),
        BP_E_INVALID, "inputs");
    KIT_FAILS(bp_io_binding_run_async(NULL, NULL, note_end, NULL, &kit.err), BP_E_INVALID,
              "io_binding");
    kit_end_session();
    ck_assert_uint_eq(ends.n, 0);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("async");

    tcase_add_checked_fixture(cases, start, kit_teardown);
    tcase_add_test(cases, run_calls_back_from_another_thread);
    tcase_add_test(cases, callback_gets_the_error_and_its_words);
    tcase_add_test(cases, ten_thousand_runs_wait_for_their_turn);
    tcase_add_test(cases, destroying_waits_for_runs_in_the_background);
    tcase_add_test(cases, time_begins_with_the_call);
    tcase_add_test(cases, last_callback_may_destroy_the_session);
    tcase_add_test(cases, session_is_not_destroyed_under_other_runs);
    tcase_add_test(cases, bound_runs_follow_each_other);
    tcase_add_test(cases, bound_values_are_busy_while_they_run);
    tcase_add_test(cases, threads_submit_at_once);
    tcase_add_test(cases, child_of_a_fork_starts_its_own_threads);
    tcase_add_test(cases, wrong_calls_are_refused_and_never_call_back);
    return kit_main("async", &cases, 1);
}
