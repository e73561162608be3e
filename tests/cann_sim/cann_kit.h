/* SPDX-License-Identifier: MIT */
/*
 * cann_kit.h - what tests of the CANN provider share: sessions on the simulated driver, and that
 * behind each test nothing is left there and none of ACL's rules was broken.
 */
#ifndef BP_TESTS_CANN_KIT_H
#define BP_TESTS_CANN_KIT_H

#include <acl/acl_base.h>
#include <bp_ascend_sim.h>

#include "../unit/device_kit.h"

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
    bp_session_destroy(kit.session);
    kit.session = NULL;
    ck_assert_msg(bp_ascend_configure(text) == ACL_SUCCESS, "the driver is up, or cannot read: %s",
                  text ? text : "nothing");
}

static inline struct bp_ascend_counters cann_counters(void)
{
    struct bp_ascend_counters counters = {.struct_size = sizeof counters};

    ck_assert_int_eq(bp_ascend_get_counters(&counters), ACL_SUCCESS);
    return counters;
}

/* Ends the session: all that it had of the device is given back, by the rules. */
static inline void cann_check_left(void)
{
    struct bp_ascend_counters counters;
    char words[256];

    bp_session_destroy(kit.session);
    kit.session = NULL;
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

/* Adds cann, on the simulator, with that policy and up to one option more. */
static inline void cann_add(uint32_t fallback, const char *key, const char *value)
{
    bp_key_value rows[] = {{"driver", "sim"}, {key, value}};

    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "cann", rows, key ? 2 : 1, fallback,
                                           &kit.err));
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
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "cann", rows, n, fallback, &kit.err));
}

#endif
