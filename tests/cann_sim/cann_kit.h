/* SPDX-License-Identifier: MIT */
/*
 * cann_kit.h - what tests of the CANN provider share: sessions on the simulated driver, and that
 * after each test nothing is left there and no rule of ACL was violated.
 */
#ifndef BP_TESTS_CANN_KIT_H
#define BP_TESTS_CANN_KIT_H

#include <acl/acl_base.h>
#include <bp_ascend_sim.h>
#include <stdio.h>

#include "support/device_kit.h"

/* For tcase_add_checked_fixture(). */
static inline void cann_setup(void)
{
    kit_setup();
    bp_ascend_clear_faults();
    ck_assert_int_eq(bp_ascend_configure(NULL), ACL_SUCCESS);
    bp_ascend_reset_counters();
}

/* The driver's configuration for the sessions that follow; there is none now. */
static inline void cann_configure(const char *text)
{
    kit_end_session();
    ck_assert_msg(bp_ascend_configure(text) == ACL_SUCCESS, "the driver is up, or cannot read: %s",
                  text ? text : "nothing");
}

static inline struct bp_ascend_counters cann_counters(void)
{
    struct bp_ascend_counters counters = {.struct_size = sizeof counters};

    ck_assert_int_eq(bp_ascend_get_counters(&counters), ACL_SUCCESS);
    return counters;
}

static inline struct bp_ascend_times cann_times(int device)
{
    struct bp_ascend_times times = {.struct_size = sizeof times};

    ck_assert_int_eq(bp_ascend_get_times(device, &times), ACL_SUCCESS);
    return times;
}

/* A provider's row in a report. */
static inline bp_report_provider cann_report_row(const bp_report *report, uint32_t i)
{
    bp_report_provider row = {.struct_size = sizeof row};

    KIT_OK(bp_report_get_provider(report, i, &row, &kit.err));
    return row;
}

/* Ends the session: all that it had of the device is given back, by the rules. */
static inline void cann_check_left(void)
{
    struct bp_ascend_counters counters;
    char words[256];

    kit_end_session();
    bp_ascend_last_violation(words, sizeof words);
    ck_assert_msg(bp_ascend_violations_total() == 0, "%llu rules broken; the last: %s",
                  (unsigned long long)bp_ascend_violations_total(), words);
    counters = cann_counters();
    ck_assert_uint_eq(counters.live_bytes, 0);
    ck_assert_uint_eq(counters.streams_created, counters.streams_destroyed);
    ck_assert_uint_eq(counters.events_created, counters.events_destroyed);
    ck_assert_uint_eq(counters.live_descriptions, 0);
    ck_assert_uint_eq(counters.live_buffers, 0);
    ck_assert_uint_eq(counters.live_attributes, 0);
}

static inline void cann_teardown(void)
{
    cann_check_left();
    kit_teardown();
}

/* Forgets the providers that were added. */
static inline void cann_forget(void)
{
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
}

static inline void cann_add_rows(uint32_t fallback, const bp_key_value *rows, uint32_t n)
{
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "cann", rows, n, fallback, &kit.err));
}

/* Adds cann, on the simulator, with that policy and up to one option more. */
static inline void cann_add(uint32_t fallback, const char *key, const char *value)
{
    bp_key_value rows[] = {{"driver", "sim"}, {key, value}};

    cann_add_rows(fallback, rows, key ? 2 : 1);
}

/* The same in graph mode, which leaves no files but where the option asks for them. */
static inline void cann_add_graph(uint32_t fallback, const char *key, const char *value)
{
    bp_key_value rows[4] = {{"driver", "sim"}, {"enable_cann_graph", "1"}};
    uint32_t n = 2;

    if (!key || strcmp(key, "dump_om_model") != 0)
        rows[n++] = (bp_key_value){"dump_om_model", "0"};
    if (key)
        rows[n++] = (bp_key_value){key, value};
    cann_add_rows(fallback, rows, n);
}

/* A session that requires cann, of device_mixed_model(). */
static inline void cann_mixed_session(const char *rows, const char *key, const char *value)
{
    device_mixed_model(rows);
    cann_add(BP_FALLBACK_REQUIRE, key, value);
    kit_session();
}

/* ---- checks in both modes: `add` is cann_add or cann_add_graph ------------------------------- */

typedef void (*cann_add_fn)(uint32_t fallback, const char *key, const char *value);

/* Relu of 1 + 2^-12, which float16 cannot represent. */
static inline float cann_run_relu(cann_add_fn add, const char *precision)
{
    float x = 1 + 0x1p-12f, y;
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, &x, 1), out = kit_wanted(0);

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1");
    cann_forget();
    add(BP_FALLBACK_REQUIRE, "precision_mode", precision);
    kit_session();
    kit_run(&in, 1, &out, 1);
    y = *(const float *)bp_tensor_data(&out.tensor);
    bp_tensor_free(&out.tensor);
    return y;
}

static inline void cann_check_precision(cann_add_fn add)
{
    ck_assert(cann_run_relu(add, "force_fp16") == 1);
    ck_assert(cann_run_relu(add, "must_keep_origin_dtype") == 1 + 0x1p-12f);
    ck_assert(cann_run_relu(add, "") == 1 + 0x1p-12f);
}

static inline void cann_check_words(const char *point, bp_rc rc)
{
    ck_assert_msg(rc < 0 && rc != BP_E_INVALID, "%s: %s: %s", point, bp_rc_name(rc), kit.text);
    ck_assert_msg(strstr(kit.text, "cann") != NULL, "%s: %s", point, kit.text);
}

/* The n-th call of a kind fails; true when that was reported. */
static inline bool cann_fails_once(cann_add_fn add, const char *point, uint32_t n)
{
    enum { RUNS = 3 };
    uint32_t n_failed = 0, n_wrong;
    char text[96];

    snprintf(text, sizeof text, "fault = %s after %u times 1\n", point, n);
    cann_configure(text);
    cann_forget();
    add(BP_FALLBACK_REQUIRE, NULL, NULL);
    kit.text[0] = '\0';
    if (kit_try_session() < 0) {
        cann_check_words(point, kit.err.code);
        cann_check_left();
        return true;
    }
    for (uint32_t i = 0; i < RUNS; i++) {
        bp_rc rc = device_run_mixed(1 + i % 2, (float)i, NULL, &n_wrong, &kit.err);

        if (rc < 0)
            cann_check_words(point, rc);
        ck_assert_msg(n_wrong == 0, "%s, call %u, run %u: %u numbers are wrong", point, n, i,
                      n_wrong);
        n_failed += rc < 0;
    }
    ck_assert_uint_le(n_failed, 1);
    cann_check_left();
    return n_failed > 0;
}

/*
 * Each call of a kind fails once, until there are no more: a status with a message, and nothing is
 * left.
 */
static inline void cann_check_fault(cann_add_fn add, const char *point)
{
    enum { MOST_CALLS = 60 };
    uint32_t n = 0;

    device_mixed_model("N");
    while (n < MOST_CALLS && cann_fails_once(add, point, n))
        n++;
    ck_assert_uint_gt(n, 0);
    ck_assert_uint_lt(n, MOST_CALLS); /* all of them were tried */
}

#endif
