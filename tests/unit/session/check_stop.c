/* SPDX-License-Identifier: MIT */
/*
 * check_stop.c - a run whose one node takes long ends soon after its deadline, on each provider.
 */

#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/session_kit.h"
#include "support/skip.h"

enum { N = 2240, MOST_ROWS = 8 * N }; /* weights of 20 MB, inputs and outputs of up to 160 MB */

static const double deadline = 0.3, least = 0.6; /* seconds: of the limit, of a run without one */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static float *floats(size_t n)
{
    float *values = malloc(n * sizeof *values);

    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < n; i++)
        values[i] = (float)(i % 7) * 0.25f;
    return values;
}

/* A product of any number of rows by an N x N constant, on one thread. False: no such provider. */
static bool start(const char *provider)
{
    static const int64_t dims[] = {N, N, -1};
    float *w = floats((size_t)N * N);

    kit_new_env(1);
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "M,2240");
    kit_floats("w", dims, N * N, w);
    kit_node("", "MatMul", "x w", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "M,2240");
    free(w);
    kit_model();
    kit_provider(provider, BP_FALLBACK_REQUIRE);
    return kit_try_session() >= 0;
}

/* Seconds that a run of so many rows takes; limit 0: without a deadline. */
static double run(const float *x, int64_t rows, double limit, bp_rc want)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = (int64_t)(limit * 1e9)};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, rows, N), out = kit_wanted(0);
    double from = now(), took;
    bp_rc rc = bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err);

    took = now() - from;
    ck_assert_msg(rc == want, "%s: %s", bp_rc_name(rc), kit.text);
    bp_tensor_free(&out.tensor);
    return took;
}

/*
 * As many rows as a run needs to take long; then with a deadline. It has to end in the first half of
 * what was left, which a run that is not stopped cannot. How late it was is printed: 50 ms are the
 * aim on a machine that does nothing else.
 */
static void check_stops(const char *provider)
{
    float *x = floats((size_t)MOST_ROWS * N);
    double whole = 0, late;
    int64_t rows = N / 8;

    for (;; rows *= 2) {
        run(x, rows, 0, BP_OK); /* prepares */
        whole = run(x, rows, 0, BP_OK);
        if (whole >= least || rows == MOST_ROWS)
            break;
    }
    if (whole < least) { /* a fast machine */
        skip_report(__func__, "a product of 17920 x 2240 by 2240 x 2240 takes less than 0.6 s");
    } else {
        late = run(x, rows, deadline, BP_E_TIMEOUT) - deadline;
        printf("%s: %lld rows take %.3f s; with a deadline of 0.3 s %.1f ms more\n", provider,
               (long long)rows, whole, late * 1e3);
        ck_assert_msg(late < (whole - deadline) / 2, "%f s late of %f s", late, whole - deadline);
        run(x, rows, 0, BP_OK); /* the session goes on */
    }
    free(x);
}

START_TEST(deadline_ends_a_long_node_on_cpu)
{
    ck_assert_msg(start("cpu"), "%s", kit.text);
    check_stops("cpu");
}
END_TEST

START_TEST(deadline_ends_a_long_node_on_dnnl)
{
    SKIP_UNLESS(start("dnnl"), "provider dnnl is not here");
    check_stops("dnnl");
}
END_TEST

START_TEST(deadline_ends_a_long_node_on_cann)
{
    SKIP_UNLESS(start("cann"), "provider cann is not here");
    check_stops("cann");
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (skip_is_slowed()) {
        skip_report("check_stop", "times mean nothing under a sanitizer or valgrind");
        return 77;
    }
    tcase = tcase_create("stop");
    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_set_timeout(tcase, 240);
    tcase_add_test(tcase, deadline_ends_a_long_node_on_cpu);
    tcase_add_test(tcase, deadline_ends_a_long_node_on_dnnl);
    tcase_add_test(tcase, deadline_ends_a_long_node_on_cann);
    return kit_main("session_stop", &tcase, 1);
}
