/* SPDX-License-Identifier: MIT */
/*
 * check_estimates.c - what a plan says of memory and time before anything is compiled or run,
 * against what the simulated device then counts.
 */

#include "config.h"

#include <bp/estimate.h>
#include <stdio.h>

#include "cann_kit.h"

static bp_report *report;

static void setup(void)
{
    cann_setup();
    report = NULL;
}

static void teardown(void)
{
    bp_report_destroy(report);
    cann_teardown();
}

/* A plan of device_mixed_model() that requires cann; its row, the first. */
static bp_report_provider plan_mixed(const char *rows, const char *key, const char *value)
{
    bp_report_provider row;

    device_mixed_model(rows);
    cann_add(BP_FALLBACK_REQUIRE, key, value);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    row = cann_report_row(report, 0);
    ck_assert_str_eq(row.name, "cann");
    return row;
}

static bp_report_group group(uint32_t i)
{
    bp_report_group row = {.struct_size = sizeof row};

    KIT_OK(bp_report_get_group(report, i, &row, &kit.err));
    return row;
}

enum {
    EVERYTHING =
        BP_ESTIMATED_WEIGHTS | BP_ESTIMATED_MEMORY | BP_ESTIMATED_TIME | BP_ESTIMATED_COPIES
};

/* Rows of the mixed model, and what else is set. */
static const struct {
    const char *rows, *key, *value;
} cases[] = {
    {"2", "arena_extend_strategy", "kSameAsRequested"},
    {"40", "arena_extend_strategy", "kSameAsRequested"},
    {"40", "precision_mode", "force_fp16"},
    {"7", "do_copy_in_default_stream", "false"},
};

/* Time to the nanosecond, as both come from the same costs. */
START_TEST(estimated_time_equals_simulated_time)
{
    uint32_t rows = (uint32_t)atoi(cases[_i].rows);
    bp_report_provider told;
    struct bp_ascend_times before, after;

    cann_configure("launch_ns = 3000\nvector_rate = 10M\nmemory_rate = 7M\ncopy_rate = 1M\n");
    told = plan_mixed(cases[_i].rows, cases[_i].key, cases[_i].value);
    ck_assert_uint_eq(told.known, EVERYTHING | BP_ESTIMATED_SIMULATED);
    kit_session();
    device_check_mixed(rows, 0);
    before = cann_times(0);
    device_check_mixed(rows, 1);
    after = cann_times(0);
    ck_assert_double_eq_tol(told.run_ns, (double)(after.busy_operators - before.busy_operators), 1);
    ck_assert_double_eq_tol(told.copy_ns, (double)(after.busy_copies - before.busy_copies), 1);
    ck_assert_double_gt(told.run_ns, 3000);
}
END_TEST

START_TEST(an_estimate_compiles_and_runs_nothing)
{
    struct bp_ascend_counters counters;

    plan_mixed("40", NULL, NULL);
    counters = cann_counters();
    ck_assert_uint_eq(counters.compiles, 0);
    ck_assert_uint_eq(counters.launches, 0);
    ck_assert_uint_eq(counters.allocations, 0);
    ck_assert_uint_eq(counters.live_descriptions, 0);
}
END_TEST

/* The arena that takes only what it is asked for takes that much, and what rounding adds. */
START_TEST(estimated_memory_equals_the_arenas)
{
    uint64_t taken, rounding = 16 * 256;
    bp_report_provider told;

    told = plan_mixed("4096", "arena_extend_strategy", "kSameAsRequested");
    ck_assert_uint_ge(told.weight_bytes, 12 * sizeof(float));
    ck_assert_uint_gt(told.peak_bytes, told.weight_bytes);
    bp_ascend_reset_counters();
    kit_session();
    {
        static float x[4096 * 4];
        int64_t dims[] = {4096, 4};
        bp_binding in = kit_tensor(0, BP_DTYPE_F32, x, 2, dims);
        bp_binding out[] = {kit_wanted(0), kit_wanted(1), kit_wanted(2)};

        kit_run(&in, 1, out, 3);
        for (int i = 0; i < 3; i++)
            bp_tensor_free(&out[i].tensor);
    }
    taken = cann_counters().peak_bytes;
    ck_assert_msg(taken + rounding >= told.peak_bytes && taken <= told.peak_bytes + rounding,
                  "%llu bytes of %llu", (unsigned long long)taken,
                  (unsigned long long)told.peak_bytes);
}
END_TEST

/* Constants have sizes; what else there is depends on the run. */
START_TEST(sizes_known_only_in_a_run_are_not_estimated)
{
    bp_report_provider told;

    told = plan_mixed("N", NULL, NULL);
    ck_assert_uint_eq(told.known & EVERYTHING, BP_ESTIMATED_WEIGHTS);
    ck_assert_uint_gt(told.weight_bytes, 0);
    ck_assert_uint_eq(told.peak_bytes, 0);
    ck_assert_double_eq(told.run_ns, 0);
}
END_TEST

START_TEST(estimates_of_groups_add_up)
{
    bp_report_provider told;
    double run_ns = 0, copy_ns = 0;
    uint64_t weight_bytes = 0;

    told = plan_mixed("8", NULL, NULL);
    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group row = group(i);

        if (row.provider != 0) {
            ck_assert_uint_eq(row.known, 0); /* in host memory */
            continue;
        }
        ck_assert_uint_eq(row.known, EVERYTHING | BP_ESTIMATED_SIMULATED);
        ck_assert_uint_gt(row.run_bytes, 0);
        ck_assert_uint_ge(told.peak_bytes, row.weight_bytes + row.run_bytes);
        run_ns += row.run_ns;
        copy_ns += row.copy_ns;
        weight_bytes += row.weight_bytes;
    }
    ck_assert_double_eq(run_ns, told.run_ns);
    ck_assert_double_eq(copy_ns, told.copy_ns);
    ck_assert_uint_eq(weight_bytes, told.weight_bytes);
}
END_TEST

/* A session's report has none: it is there to be measured. */
START_TEST(json_has_the_estimate_or_null)
{
    char *json;

    plan_mixed("8", NULL, NULL);
    KIT_OK(bp_report_json(report, &json, &kit.err));
    ck_assert_ptr_null(kit_bad_json(json));
    ck_assert_ptr_nonnull(strstr(json, "\"simulated\":true"));
    ck_assert_ptr_null(strstr(json, "\"peak_bytes\":0"));
    bp_free(json);
    kit_session();
    KIT_OK(bp_report_json(bp_session_report(kit.session), &json, &kit.err));
    ck_assert_ptr_nonnull(strstr(json, "\"peak_bytes\":null"));
    bp_free(json);
}
END_TEST

/* The driver's own side of it. */
START_TEST(driver_estimates_need_a_current_device)
{
    uint64_t ns;

    cann_configure("");
    ck_assert_int_ne(bp_ascend_estimate_copy(1, 0, &ns), ACL_SUCCESS); /* ACL is not up */
    ck_assert_int_eq(bp_ascend_estimate_copy(1, 0, NULL), ACL_ERROR_INVALID_PARAM);
    ck_assert_int_eq(bp_ascend_estimate_operator(NULL, 0, NULL, 0, NULL, NULL, &ns),
                     ACL_ERROR_INVALID_PARAM);
    bp_ascend_reset_counters(); /* those were meant to be wrong */
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("estimates");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, estimated_time_equals_simulated_time, 0, 4);
    tcase_add_test(tcase, an_estimate_compiles_and_runs_nothing);
    tcase_add_test(tcase, estimated_memory_equals_the_arenas);
    tcase_add_test(tcase, sizes_known_only_in_a_run_are_not_estimated);
    tcase_add_test(tcase, estimates_of_groups_add_up);
    tcase_add_test(tcase, json_has_the_estimate_or_null);
    tcase_add_test(tcase, driver_estimates_need_a_current_device);
    return kit_main("cann_estimates", &tcase, 1);
}
