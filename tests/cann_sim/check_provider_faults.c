/* SPDX-License-Identifier: MIT */
/*
 * check_provider_faults.c - the CANN provider when the device fails: each failure is a status that
 * names the provider, or another provider takes over, as the policy says; nothing is left behind,
 * no rule of ACL is broken, and the next run is right again.
 */

#include "config.h"

#include "cann_kit.h"

/* ---- one call that fails --------------------------------------------------------------------- */

static const char *const points[] = {"set_device",    "malloc",       "copy",
                                     "create_stream", "create_event", "compile",
                                     "launch",        "task",         "sync"};

enum { N_POINTS = sizeof points / sizeof points[0] };

START_TEST(a_call_that_fails_once_is_a_status)
{
    cann_check_fault(cann_add, points[_i]);
}
END_TEST

/* ---- the next provider takes over ------------------------------------------------------------ */

static const struct {
    const char *config, *words;
} hopeless[] = {
    {"memory = 1M\n", "aclrtMalloc"},           /* the first region does not fit */
    {"state = busy\n", "507033"},               /* the device is in use elsewhere */
    {"fault = compile times 1000\n", "500002"}, /* the compiler is broken */
    {"devices = 0\n", "device"},
};

enum { N_HOPELESS = sizeof hopeless / sizeof hopeless[0] };

START_TEST(a_failure_at_creation_leaves_the_nodes_to_the_next_provider)
{
    device_mixed_model("2");
    cann_configure(hopeless[_i].config);
    cann_add(BP_FALLBACK_WARN, NULL, NULL);
    kit_session();
    device_check_mixed(2, 0);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "cann"), 1);
}
END_TEST

START_TEST(a_failure_at_creation_fails_a_session_that_requires_the_provider)
{
    device_mixed_model("2");
    cann_configure(hopeless[_i].config);
    cann_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    ck_assert_int_lt(kit_try_session(), 0);
    ck_assert_msg(strstr(kit.text, hopeless[_i].words) != NULL, "%s", kit.text);
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------------ */

START_TEST(a_lost_device_fails_each_run_until_it_is_back)
{
    uint32_t n_wrong;

    cann_mixed_session("N", NULL, NULL);
    device_check_mixed(2, 0);
    ck_assert_int_eq(bp_ascend_set_state(0, BP_ASCEND_LOST), ACL_SUCCESS);
    for (int i = 0; i < 3; i++)
        KIT_FAILS(device_run_mixed(2, 0, NULL, &n_wrong, &kit.err), BP_E_DEVICE_LOST, "cann",
                  "507010");
    ck_assert_int_eq(bp_ascend_set_state(0, BP_ASCEND_OK), ACL_SUCCESS);
    device_check_mixed(2, 1);
}
END_TEST

/* B-04: a limit below what is needed is a status with both numbers, and ACL is not asked. */
START_TEST(npu_mem_limit_is_kept)
{
    struct bp_ascend_counters counters;
    uint64_t before;
    uint32_t n_wrong;

    cann_mixed_session("N", "npu_mem_limit", "2K");
    device_check_mixed(1, 0);
    before = cann_counters().allocations;
    KIT_FAILS(device_run_mixed(40, 0, NULL, &n_wrong, &kit.err), BP_E_NOMEM, "npu_mem_limit",
              "available", "requested");
    counters = cann_counters();
    ck_assert_uint_eq(counters.allocations, before);
    ck_assert_uint_le(counters.peak_bytes, 2048 + 64); /* as the driver pads it */
    device_check_mixed(2, 0);
}
END_TEST

START_TEST(a_time_limit_ends_the_wait)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = 30 * 1000 * 1000};
    uint32_t n_wrong;

    cann_configure("late_us = 200000\n");
    cann_mixed_session("N", NULL, NULL);
    KIT_FAILS(device_run_mixed(1, 0, &options, &n_wrong, &kit.err), BP_E_TIMEOUT, "time");
}
END_TEST

/* Nobody resumes it before the run has come back. */
START_TEST(a_device_that_hangs_does_not_hold_a_run_with_a_time_limit)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = 30 * 1000 * 1000};
    uint32_t n_wrong;

    cann_mixed_session("N", "do_copy_in_default_stream", _i ? "false" : "true");
    device_check_mixed(1, 0);
    ck_assert_int_eq(bp_ascend_pause(0), ACL_SUCCESS);
    KIT_FAILS(device_run_mixed(1, 0, &options, &n_wrong, &kit.err), BP_E_TIMEOUT, "time");
    ck_assert_int_eq(bp_ascend_resume(0), ACL_SUCCESS);
    device_check_mixed(2, 1);
}
END_TEST

/* The device's own limit for an operator is not the wait's: there is nothing more to wait for. */
START_TEST(an_operator_past_its_timeout_fails_the_run)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = INT64_C(3600000000000)};
    uint32_t n_wrong;

    cann_mixed_session("N", NULL, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        bp_ascend_fault(BP_ASCEND_AT_TASK, i, 1, ACL_ERROR_RT_AICORE_TIMEOUT);
        KIT_FAILS(device_run_mixed(2, 0, &options, &n_wrong, &kit.err), BP_E_INTERNAL, "cann",
                  "507014");
        device_check_mixed(2, 1);
    }
}
END_TEST

START_TEST(many_shapes_leak_nothing)
{
    cann_mixed_session("N", "do_copy_in_default_stream", _i ? "false" : "true");
    for (uint32_t i = 0; i < 30; i++)
        device_check_mixed((i * 7) % DEVICE_MAX_ROWS, (float)i);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("faults"), tcase_create("creation"), tcase_create("runs")};

    for (int i = 0; i < 3; i++) {
        tcase_set_timeout(cases[i], 300);
        tcase_add_checked_fixture(cases[i], cann_setup, cann_teardown);
    }
    tcase_add_loop_test(cases[0], a_call_that_fails_once_is_a_status, 0, N_POINTS);
    tcase_add_loop_test(cases[1], a_failure_at_creation_leaves_the_nodes_to_the_next_provider, 0,
                        N_HOPELESS);
    tcase_add_loop_test(cases[1], a_failure_at_creation_fails_a_session_that_requires_the_provider,
                        0, N_HOPELESS);
    tcase_add_test(cases[2], a_lost_device_fails_each_run_until_it_is_back);
    tcase_add_test(cases[2], npu_mem_limit_is_kept);
    tcase_add_test(cases[2], a_time_limit_ends_the_wait);
    tcase_add_loop_test(cases[2], a_device_that_hangs_does_not_hold_a_run_with_a_time_limit, 0, 2);
    tcase_add_test(cases[2], an_operator_past_its_timeout_fails_the_run);
    tcase_add_loop_test(cases[2], many_shapes_leak_nothing, 0, 2);
    return kit_main("cann_provider_faults", cases, 3);
}
