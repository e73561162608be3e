/* SPDX-License-Identifier: MIT */
/*
 * check_device_faults.c - every call to a provider's memory and streams may fail: that is a status
 * which names the provider, nothing is left behind, and the next run is right again.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>

#include "support/device_kit.h"

static void forget_options(void)
{
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
}

/* ---- one call that fails --------------------------------------------------------------------- */

enum { MAX_FAULTS = 40 };

/* A status that names the provider, and the node where one of its values is the matter. */
static void check_words(const char *name, const char *kind, bp_rc rc, bool is_run)
{
    ck_assert_msg(rc == BP_E_DEVICE_LOST || rc == BP_E_NOMEM, "%s: %s: %s", kind, bp_rc_name(rc),
                  kit.text);
    ck_assert_msg(strstr(kit.text, name) != NULL, "%s: %s", kind, kit.text);
    ck_assert_msg(!is_run || strcmp(kind, "launch") == 0 || strcmp(kind, "stream") == 0 ||
                      strcmp(kind, "event") == 0 || strstr(kit.text, "node '"),
                  "%s: %s", kind, kit.text);
}

/* The provider whose n-th (at) call of a kind fails, with operators on its second device. */
static void add_failing(const char *name, const char *kind, const char *at, const char *second)
{
    bp_key_value rows[] = {{"fail", kind}, {"fail_at", at}, {"second", second}};

    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(
        bp_session_options_add_provider(kit.options, name, rows, 3, BP_FALLBACK_REQUIRE, &kit.err));
}

/* A session whose provider's n-th call of a kind fails; true when that happened. */
static bool fails_once(const char *name, const char *kind, uint32_t n, const char *second)
{
    uint32_t n_failed = 0, n_wrong;
    char at[16];
    bp_rc rc;

    snprintf(at, sizeof at, "%u", n);
    forget_options();
    add_failing(name, kind, at, second);
    kit.text[0] = '\0';
    rc = kit_try_session();
    if (rc < 0) {
        check_words(name, kind, rc, false);
        device_check_left(name);
        return true;
    }
    for (uint32_t i = 0; i < 4; i++) {
        rc = device_run_mixed(1 + i % 2, (float)i, NULL, &n_wrong, &kit.err);
        if (rc < 0)
            check_words(name, kind, rc, true);
        ck_assert_uint_eq(n_wrong, 0);
        n_failed += rc < 0;
    }
    ck_assert_uint_le(n_failed, 1);
    device_check_left(name);
    return n_failed > 0;
}

static const struct {
    const char *provider, *kind;
} faults[] = {{"gizmo", "alloc"},  {"gizmo", "copy"},  {"gizmo", "stream"},  {"gizmo", "event"},
              {"gizmo", "record"}, {"gizmo", "wait"},  {"gizmo", "launch"},  {"gizmo", "late"},
              {"widget", "alloc"}, {"widget", "copy"}, {"widget", "launch"}, {"gizmo", "order"}};

enum { N_FAULTS = sizeof faults / sizeof faults[0] };

START_TEST(device_call_that_fails_once_fails_the_run_with_a_status)
{
    uint32_t n = 1;

    device_mixed_model("N");
    while (n < MAX_FAULTS && fails_once(faults[_i].provider, faults[_i].kind, n, ""))
        n++;
    ck_assert_uint_gt(n, 1);
    ck_assert_uint_lt(n, MAX_FAULTS); /* all of them were tried */
}
END_TEST

/* The first device fails; the second is at work then, too. */
START_TEST(device_that_fails_beside_another_fails_the_run_with_a_status)
{
    uint32_t n = 1;

    device_mixed_model("N");
    while (n < MAX_FAULTS && fails_once(faults[_i].provider, faults[_i].kind, n, "Relu,Add"))
        n++;
    ck_assert_uint_gt(n, 1);
    ck_assert_uint_lt(n, MAX_FAULTS);
}
END_TEST

START_TEST(lost_device_fails_every_run)
{
    uint32_t n_wrong;

    device_mixed_model("N");
    device_add("gizmo", "fail", "late", NULL, NULL);
    kit_session();
    for (int i = 0; i < 3; i++)
        KIT_FAILS(device_run_mixed(2, 0, NULL, &n_wrong, &kit.err), BP_E_DEVICE_LOST, "gizmo");
    device_check_left("gizmo");
}
END_TEST

/* ---- memory that is full --------------------------------------------------------------------- */

START_TEST(full_device_memory_fails_the_run_with_a_status)
{
    uint32_t n_wrong;

    device_mixed_model("N");
    device_add(device_names[_i], "memory", "2K", NULL, NULL);
    kit_session();
    device_check_mixed(1, 0);
    KIT_FAILS(device_run_mixed(40, 0, NULL, &n_wrong, &kit.err), BP_E_NOMEM, device_names[_i],
              "node 'relu'", "of its memory");
    device_check_mixed(2, 0);
    device_check_left(device_names[_i]);
}
END_TEST

START_TEST(weights_over_device_memory_move_nodes_to_the_next_provider)
{
    bp_key_value row = {"memory", "10"};

    device_mixed_model("N");
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, device_names[_i], &row, 1, BP_FALLBACK_WARN,
                                           &kit.err));
    kit_session();
    device_check_mixed(3, 0);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, device_names[_i]), 1);
    device_check_left(device_names[_i]);
}
END_TEST

/* ---- runs that end early --------------------------------------------------------------------- */

START_TEST(time_limit_ends_a_wait_for_the_device)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = 20 * 1000 * 1000};
    uint32_t n_wrong;

    device_mixed_model("N");
    device_add("gizmo", "launch_ns", "300M", NULL, NULL);
    kit_session();
    KIT_FAILS(device_run_mixed(1, 0, &options, &n_wrong, &kit.err), BP_E_TIMEOUT, "time limit");
    device_check_left("gizmo");
}
END_TEST

static void *cancel(void *word)
{
    __atomic_store_n((uint32_t *)word, 1, __ATOMIC_RELAXED);
    return NULL;
}

START_TEST(cancelling_ends_a_wait_for_the_device)
{
    bp_run_options options = {.struct_size = sizeof options};
    uint32_t word = 0;
    pthread_t thread;
    uint32_t n_wrong;
    bp_rc rc;

    device_mixed_model("N");
    device_add("gizmo", "launch_ns", "900M", NULL, NULL);
    kit_session();
    options.cancel = &word;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel, &word), 0);
    rc = device_run_mixed(1, 0, &options, &n_wrong, &kit.err);
    pthread_join(thread, NULL);
    KIT_FAILS(rc, BP_E_CANCELLED, NULL);
    device_check_left("gizmo");
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("faults"), tcase_create("memory"), tcase_create("ends")};

    for (int i = 0; i < 3; i++) {
        tcase_set_timeout(cases[i], 300);
        tcase_add_checked_fixture(cases[i], device_setup, kit_teardown);
    }
    tcase_add_loop_test(cases[0], device_call_that_fails_once_fails_the_run_with_a_status, 0,
                        N_FAULTS - 1); /* one device has nothing to order */
    tcase_add_loop_test(cases[0], device_that_fails_beside_another_fails_the_run_with_a_status, 0,
                        N_FAULTS);
    tcase_add_test(cases[0], lost_device_fails_every_run);
    tcase_add_loop_test(cases[1], full_device_memory_fails_the_run_with_a_status, 0,
                        N_DEVICE_NAMES);
    tcase_add_loop_test(cases[1], weights_over_device_memory_move_nodes_to_the_next_provider, 0,
                        N_DEVICE_NAMES);
    tcase_add_test(cases[2], time_limit_ends_a_wait_for_the_device);
    tcase_add_test(cases[2], cancelling_ends_a_wait_for_the_device);
    return kit_main("device_faults", cases, 3);
}
