/* SPDX-License-Identifier: MIT */
/*
 * check_frames.c - no more frames of a program than its provider wants: runs share them, and wait
 * for one. The mock "picky" limits its frames, "needy" cannot execute several at once.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>
#include <time.h>

#include "support/session_kit.h"

enum { N_THREADS = 6, N_RUNS = 60 };

static struct mock_counters *counters;

/* The small model on picky, whose counters begin anew. */
static void start(const bp_key_value *rows, uint32_t n)
{
    kit_small_model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "picky", rows, n, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    counters = kit_counters("picky");
    atomic_store(&counters->most_frames, 0);
    atomic_store(&counters->made_frames, 0);
    kit_session();
}

/* One run of so many rows; asserts nothing. */
static bp_rc run_rows(uint32_t rows, const bp_run_options *options, bp_err *err)
{
    float x[40] = {1};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, rows, 4), out = kit_wanted(0);
    bp_rc rc = bp_session_run(kit.session, &in, 1, &out, 1, options, err);

    if (rc >= 0 && ((const float *)out.tensor.base)[0] != -2)
        rc = BP_E_INTERNAL;
    bp_tensor_free(&out.tensor);
    return rc;
}

/* Gives its argument when a run failed. */
static void *run_often(void *u)
{
    for (uint32_t i = 0; i < N_RUNS; i++) {
        if (run_rows(1 + i * 7 % 10, NULL, NULL) < 0)
            return u;
    }
    return NULL;
}

/* Runs of 10 sizes on many threads. */
static void run_on_threads(void)
{
    pthread_t threads[N_THREADS];
    void *failed;

    for (int i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_often, &kit), 0);
    for (int i = 0; i < N_THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bp_session_stats stats(void)
{
    bp_session_stats own = {.struct_size = sizeof own};

    KIT_OK(bp_session_get_stats(kit.session, &own, &kit.err));
    return own;
}

/* ---- how many -------------------------------------------------------------------------------- */

START_TEST(runs_on_many_threads_make_no_more_frames_than_the_provider_wants)
{
    static const char *const limits[] = {"1", "2", "5", "20"};
    const bp_key_value options[] = {{"frames", limits[_i]}};
    unsigned limit = (unsigned)atoi(limits[_i]);

    start(options, 1);
    run_on_threads();
    ck_assert_uint_le(atomic_load(&counters->most_frames), limit);
    ck_assert_uint_ge(atomic_load(&counters->most_frames), 1);
    ck_assert_uint_eq(stats().runs, N_THREADS * N_RUNS);
    ck_assert_uint_le(stats().idle_frames, limit);
    kit_end_session();
    ck_assert_uint_eq(atomic_load(&counters->frames), 0);
}
END_TEST

START_TEST(a_single_thread_keeps_frames_for_as_many_sizes_as_the_provider_wants)
{
    static const bp_key_value options[] = {{"frames", "3"}};

    start(options, 1);
    for (int round = 0; round < 5; round++) {
        for (uint32_t rows = 1; rows <= 3; rows++)
            KIT_OK(run_rows(rows, NULL, &kit.err));
    }
    ck_assert_uint_eq(atomic_load(&counters->made_frames), 3);
    KIT_OK(run_rows(4, NULL, &kit.err)); /* in place of the one of 1 row */
    ck_assert_uint_eq(atomic_load(&counters->made_frames), 4);
    ck_assert_uint_eq(atomic_load(&counters->most_frames), 3);
    KIT_OK(run_rows(2, NULL, &kit.err));
    ck_assert_uint_eq(atomic_load(&counters->made_frames), 4);
}
END_TEST

/* relu and add are two programs of "needy", as it takes no Neg. */
START_TEST(provider_without_concurrent_frames_has_one_frame_of_a_program)
{
    bp_report_group group = {.struct_size = sizeof group};

    kit_small_model();
    kit_provider_with("needy", "token", "x");
    counters = kit_counters("needy");
    atomic_store(&counters->most_frames, 0);
    kit_session();
    KIT_OK(bp_report_get_group(bp_session_report(kit.session), 0, &group, &kit.err));
    ck_assert_uint_eq(group.max_frames, 1);
    run_on_threads();
    ck_assert_uint_eq(atomic_load(&counters->most_frames), 2);
    ck_assert_uint_eq(atomic_load(&counters->most_inside), 1);
}
END_TEST

/* The body has another size in each round: its one frame is made again. */
START_TEST(loop_with_sizes_that_grow_runs_with_one_frame)
{
    static const bp_key_value options[] = {{"frames", "1"}, {"take", "Neg"}};
    float x[] = {1, -2};
    int64_t n = 5;
    bp_binding in[] = {kit_tensor(0, BP_DTYPE_I64, &n, 0, NULL), KIT_TENSOR(1, BP_DTYPE_F32, x, 2)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "n", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_open_node("loop", "Loop", "n - x", "y");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "go", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "K");
    kit_node("same", "Identity", "go", "go_on");
    kit_node("neg", "Neg", "s", "m");
    kit_open_node("grow", "Concat", "m x", "t");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "go_on", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "picky", options, 2, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    counters = kit_counters("picky");
    atomic_store(&counters->most_frames, 0);
    kit_session();
    for (int i = 0; i < 3; i++) {
        kit_run(in, 2, &out, 1);
        KIT_FLOATS(&out.tensor, -1, 2, 1, -2, -1, 2, 1, -2, -1, 2, 1, -2);
        bp_tensor_free(&out.tensor);
        out = kit_wanted(0);
    }
    ck_assert_uint_eq(atomic_load(&counters->most_frames), 1);
}
END_TEST

/* ---- waiting --------------------------------------------------------------------------------- */

static void *run_once(void *u)
{
    return run_rows(1, NULL, NULL) < 0 ? u : NULL;
}

/* Another run has the only frame for 400 ms. */
static void while_another_runs(pthread_t *thread)
{
    static const bp_key_value options[] = {{"frames", "1"}, {"pause", "400"}};
    const struct timespec moment = {0, 50 * 1000 * 1000};

    start(options, 2);
    ck_assert_int_eq(pthread_create(thread, NULL, run_once, &kit), 0);
    nanosleep(&moment, NULL);
    ck_assert_uint_eq(atomic_load(&counters->frames), 1);
}

static void end_other(pthread_t thread)
{
    void *failed;

    ck_assert_int_eq(pthread_join(thread, &failed), 0);
    ck_assert_ptr_null(failed);
}

START_TEST(run_waits_for_a_frame)
{
    pthread_t thread;

    while_another_runs(&thread);
    KIT_OK(run_rows(2, NULL, &kit.err));
    end_other(thread);
    ck_assert_uint_eq(atomic_load(&counters->most_frames), 1);
    ck_assert_uint_eq(stats().runs, 2);
}
END_TEST

START_TEST(run_waits_for_a_frame_no_longer_than_its_deadline)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = 100 * 1000 * 1000};
    int64_t began;
    pthread_t thread;

    while_another_runs(&thread);
    began = now_ms();
    KIT_FAILS(run_rows(2, &options, &kit.err), BP_E_TIMEOUT, "longer than its time limit");
    ck_assert_int_ge(now_ms() - began, 100);
    ck_assert_int_lt(now_ms() - began, 300);
    end_other(thread);
    KIT_OK(run_rows(2, NULL, &kit.err));
}
END_TEST

static void *cancel_soon(void *u)
{
    const struct timespec moment = {0, 50 * 1000 * 1000};

    nanosleep(&moment, NULL);
    __atomic_store_n((uint32_t *)u, 1, __ATOMIC_RELAXED);
    return NULL;
}

START_TEST(run_that_waits_for_a_frame_can_be_cancelled)
{
    uint32_t cancel = 0;
    bp_run_options options = {.struct_size = sizeof options, .cancel = &cancel};
    pthread_t thread, canceller;

    while_another_runs(&thread);
    ck_assert_int_eq(pthread_create(&canceller, NULL, cancel_soon, &cancel), 0);
    KIT_FAILS(run_rows(2, &options, &kit.err), BP_E_CANCELLED, "was cancelled");
    ck_assert_int_eq(pthread_join(canceller, NULL), 0);
    end_other(thread);
}
END_TEST

static atomic_bool is_over;

static void *look_often(void *u)
{
    (void)u;
    while (!atomic_load(&is_over)) {
        bp_session_stats own = {.struct_size = sizeof own};
        bp_memory_use use = {.struct_size = sizeof use};

        if (bp_session_get_stats(kit.session, &own, NULL) < 0 ||
            bp_session_get_memory(kit.session, 0, &use, NULL) < 0 ||
            bp_session_trim(kit.session, NULL, NULL) < 0)
            return u;
    }
    return NULL;
}

/* Looking takes idle states out of their slots for a moment. */
START_TEST(looking_at_memory_and_trimming_make_no_frame_more)
{
    static const bp_key_value options[] = {{"frames", "2"}};
    pthread_t thread;

    start(options, 1);
    atomic_store(&is_over, false);
    ck_assert_int_eq(pthread_create(&thread, NULL, look_often, NULL), 0);
    run_on_threads();
    atomic_store(&is_over, true);
    end_other(thread);
    ck_assert_uint_le(atomic_load(&counters->most_frames), 2);
    ck_assert_uint_eq(stats().runs, N_THREADS * N_RUNS);
}
END_TEST

/* ---- what they hold -------------------------------------------------------------------------- */

START_TEST(memory_that_a_frame_says_it_holds_is_counted)
{
    static const bp_key_value options[] = {{"frame_bytes", "1M"}};
    bp_memory_use use = {.struct_size = sizeof use};
    bp_report_group group = {.struct_size = sizeof group};
    uint64_t freed;

    start(options, 1);
    for (uint32_t rows = 1; rows <= 3; rows++)
        KIT_OK(run_rows(rows, NULL, &kit.err));
    KIT_OK(bp_report_get_group(bp_session_report(kit.session), 0, &group, &kit.err));
    ck_assert_uint_eq(group.frame_bytes, 1 << 20);
    ck_assert_uint_eq(group.max_frames, 0);
    KIT_OK(bp_session_get_memory(kit.session, 0, &use, &kit.err));
    ck_assert_str_eq(use.provider, "picky");
    ck_assert_uint_ge(use.held_bytes, 3 << 20);
    ck_assert_uint_lt(use.held_bytes, (3 << 20) + 65536);
    ck_assert_uint_eq(use.idle_bytes, use.held_bytes);
    ck_assert_uint_eq(stats().held_bytes, stats().idle_bytes);
    KIT_OK(bp_session_trim(kit.session, &freed, &kit.err));
    ck_assert_uint_ge(freed, 3 << 20);
    ck_assert_uint_eq(stats().held_bytes, 0);
}
END_TEST

/* Weights that it shares (two of 100 bytes that it keeps), and what it says of itself. */
START_TEST(memory_that_an_instance_says_it_holds_is_counted)
{
    static const bp_key_value options[] = {{"cache", "5000000"}, {"keep", "2"}};
    bp_memory_use use = {.struct_size = sizeof use};

    start(options, 2);
    KIT_OK(bp_session_get_memory(kit.session, 0, &use, &kit.err));
    ck_assert_uint_eq(use.weight_bytes, 1000 + 2 * 100);
    ck_assert_uint_eq(use.cache_bytes, 5000000);
    ck_assert_uint_eq(use.own_weight_bytes, 20000);
    ck_assert_uint_eq(use.own_cache_bytes, 300000);
    KIT_OK(bp_session_trim(kit.session, NULL, &kit.err));
    KIT_OK(bp_session_get_memory(kit.session, 0, &use, &kit.err));
    ck_assert_uint_eq(use.cache_bytes, 0);
    ck_assert_uint_eq(use.weight_bytes, 1000 + 2 * 100);
}
END_TEST

START_TEST(instance_that_cannot_count_its_memory_holds_none)
{
    static const bp_key_value options[] = {{"cache", "-1"}};
    bp_memory_use use = {.struct_size = sizeof use};

    start(options, 1);
    KIT_OK(bp_session_get_memory(kit.session, 0, &use, &kit.err));
    ck_assert_uint_eq(use.weight_bytes, 0);
    ck_assert_uint_eq(use.cache_bytes, 0);
    ck_assert_uint_eq(use.own_weight_bytes, 0);
}
END_TEST

int main(void)
{
    TCase *frames = tcase_create("frames");

    tcase_add_checked_fixture(frames, kit_setup, kit_teardown);
    tcase_set_timeout(frames, 60);
    tcase_add_loop_test(frames, runs_on_many_threads_make_no_more_frames_than_the_provider_wants, 0,
                        4);
    tcase_add_test(frames, a_single_thread_keeps_frames_for_as_many_sizes_as_the_provider_wants);
    tcase_add_test(frames, provider_without_concurrent_frames_has_one_frame_of_a_program);
    tcase_add_test(frames, loop_with_sizes_that_grow_runs_with_one_frame);
    tcase_add_test(frames, run_waits_for_a_frame);
    tcase_add_test(frames, run_waits_for_a_frame_no_longer_than_its_deadline);
    tcase_add_test(frames, run_that_waits_for_a_frame_can_be_cancelled);
    tcase_add_test(frames, looking_at_memory_and_trimming_make_no_frame_more);
    tcase_add_test(frames, memory_that_an_instance_says_it_holds_is_counted);
    tcase_add_test(frames, instance_that_cannot_count_its_memory_holds_none);
    tcase_add_test(frames, memory_that_a_frame_says_it_holds_is_counted);
    return kit_main("frames", &frames, 1);
}
