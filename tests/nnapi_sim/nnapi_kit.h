/* SPDX-License-Identifier: MIT */
/*
 * nnapi_kit.h - what tests of the provider nnapi share: sessions on the simulated runtime, and that
 * nothing of a session is left there.
 */
#ifndef BP_TESTS_NNAPI_KIT_H
#define BP_TESTS_NNAPI_KIT_H

#include <bp_nnapi_sim.h>
#include <stdio.h>

#include "support/session_kit.h"

/* Counters of the runtime. */
static inline struct bp_nnapi_counters nnapi_counters(void)
{
    struct bp_nnapi_counters counters = {.struct_size = sizeof counters};

    ck_assert_int_eq(bp_nnapi_get_counters(&counters), ANEURALNETWORKS_NO_ERROR);
    return counters;
}

/* Ends the session: all that it had of the runtime is given back. */
static inline void nnapi_check_left(void)
{
    struct bp_nnapi_counters counters;

    kit_end_session();
    counters = nnapi_counters();
    ck_assert_uint_eq(counters.live_models, 0);
    ck_assert_uint_eq(counters.live_compilations, 0);
    ck_assert_uint_eq(counters.live_executions, 0);
    ck_assert_uint_eq(counters.live_events, 0);
    ck_assert_uint_eq(counters.live_memories, 0);
}

/* The runtime's configuration for the sessions that follow; there is none now. */
static inline void nnapi_configure(const char *text)
{
    char words[256];

    nnapi_check_left();
    if (bp_nnapi_configure(text) != ANEURALNETWORKS_NO_ERROR) {
        bp_nnapi_last_error(words, sizeof words);
        ck_abort_msg("configuration '%s': %s", text ? text : "", words);
    }
    bp_nnapi_reset_counters();
}

/* For tcase_add_checked_fixture(). */
static inline void nnapi_setup(void)
{
    kit_setup();
    bp_nnapi_clear_faults();
    nnapi_configure(NULL);
}

static inline void nnapi_teardown(void)
{
    nnapi_check_left();
    bp_nnapi_clear_faults();
    kit_teardown();
}

/* Forgets providers and options; no passes change the model. */
static inline void nnapi_new_options(void)
{
    kit_end_session();
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_NONE, &kit.err));
}

/* Adds nnapi, on the simulator, with up to two options. */
static inline bp_rc nnapi_try_add(uint32_t fallback, const char *key, const char *value,
                                  const char *key2, const char *value2)
{
    bp_key_value rows[3] = {{"driver", "sim"}, {key, value}, {key2, value2}};

    if (!kit.options)
        nnapi_new_options();
    return bp_session_options_add_provider(kit.options, "nnapi", rows,
                                           key2  ? 3
                                           : key ? 2
                                                 : 1,
                                           fallback, &kit.err);
}

static inline void nnapi_add(uint32_t fallback, const char *key, const char *value)
{
    KIT_OK(nnapi_try_add(fallback, key, value, NULL, NULL));
}

/* A session with nnapi before the CPU. */
static inline void nnapi_session(const char *key, const char *value)
{
    nnapi_new_options();
    nnapi_add(BP_FALLBACK_SILENT, key, value);
    kit_session();
}

/* Provider of node i of the session: "nnapi", "cpu". */
static inline const char *nnapi_who(uint32_t i)
{
    const bp_report *report = bp_session_report(kit.session);
    bp_report_node node = {.struct_size = sizeof node};
    bp_report_provider provider = {.struct_size = sizeof provider};

    KIT_OK(bp_report_get_node(report, i, &node, &kit.err));
    KIT_OK(bp_report_get_provider(report, node.provider, &provider, &kit.err));
    return provider.name;
}

/* The sentence with which nnapi refused node i; "": it took it. */
static inline const char *nnapi_refusal(uint32_t i)
{
    static char text[512];
    const bp_report *report = bp_session_report(kit.session);
    bp_report_node node = {.struct_size = sizeof node};
    bp_report_refusal refusal = {.struct_size = sizeof refusal};

    text[0] = '\0';
    KIT_OK(bp_report_get_node(report, i, &node, &kit.err));
    if (node.n_refusals) {
        KIT_OK(bp_report_get_refusal(report, i, 0, &refusal, &kit.err));
        snprintf(text, sizeof text, "%s", refusal.text ? refusal.text : "");
    }
    return text;
}

/* "nnapi 8" or "cpu 1, nnapi 1, cpu 1": providers of the report's groups, with so many nodes. */
static inline const char *nnapi_groups_of(const bp_report *report)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group group = {.struct_size = sizeof group};
        bp_report_provider provider = {.struct_size = sizeof provider};

        KIT_OK(bp_report_get_group(report, i, &group, &kit.err));
        KIT_OK(bp_report_get_provider(report, group.provider, &provider, &kit.err));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %u", used ? ", " : "",
                                 provider.name, group.n_nodes);
        ck_assert_uint_lt(used, sizeof text);
    }
    return text;
}

static inline const char *nnapi_groups(void)
{
    return nnapi_groups_of(bp_session_report(kit.session));
}

#endif
