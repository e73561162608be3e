/* SPDX-License-Identifier: MIT */
/* check_placement_rules.c - placement rules, variables and explanations where memory runs out. */

#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/options/settings.h"
#include "plan/placement_rules.h"
#include "support/fail_alloc.h"
#include "support/session_kit.h"

static struct bp_placement_list list, copy;

static void setup(void)
{
    kit.err = bp_err_init(kit.text, sizeof kit.text);
    list = copy = (struct bp_placement_list){0};
}

static void teardown(void)
{
    bp_placement_list_finish(&list);
    bp_placement_list_finish(&copy);
}

START_TEST(placement_rules_are_parsed)
{
    static const struct {
        const char *text, *pattern, *provider;
        enum bp_placement_kind kind;
        bool is_ban;
    } cases[] = {
        {"a=cpu", "a", "cpu", BP_PLACEMENT_NAME, false},
        {"name:op:x=cpu", "op:x", "cpu", BP_PLACEMENT_NAME, false},
        {"a=b=!Dnnl", "a=b", "Dnnl", BP_PLACEMENT_NAME, true},
        {"op:Conv=/a/libbp-x.so", "Conv", "/a/libbp-x.so", BP_PLACEMENT_OP, false},
        {"path:loop/*=cpu", "loop/*", "cpu", BP_PLACEMENT_PATH, false},
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        KIT_OK(bp_placement_list_add(&list, cases[i].text, &kit.err));
        ck_assert_str_eq(list.rules[i].text, cases[i].text);
        ck_assert_str_eq(list.rules[i].pattern, cases[i].pattern);
        ck_assert_str_eq(list.rules[i].provider, cases[i].provider);
        ck_assert_int_eq((int)list.rules[i].kind, (int)cases[i].kind);
        ck_assert_int_eq(list.rules[i].is_ban, cases[i].is_ban);
    }
}
END_TEST

START_TEST(placement_patterns_match_names_operators_and_paths)
{
    static const struct {
        const char *rule, *name, *op, *domain, *path;
        bool matches;
    } cases[] = {
        {"/layer1/*=cpu", "/layer1/conv/bias", "Add", "", "", true},
        {"/layer1/*=cpu", "/layer2/conv", "Add", "", "", false},
        {"op:Conv=cpu", "x", "Conv", "", "", true},
        {"op:Conv=cpu", "x", "ConvTranspose", "", "", false},
        {"op:com.a.Conv=cpu", "x", "Conv", "com.a", "", true},
        {"op:com.a.Conv=cpu", "x", "Conv", "", "", false},
        {"op:com.a.*=cpu", "x", "Gelu", "com.a", "", true},
        {"path:loop1=cpu", "x", "Add", "", "loop1", true},
        {"path:loop1=cpu", "x", "Add", "", "loop1/then", true},
        {"path:loop1=cpu", "x", "Add", "", "loop12", false},
        {"path:loop1=cpu", "loop1", "Loop", "", "", false},
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bp_ir_node node = {
            .name = cases[i].name, .op = cases[i].op, .domain = cases[i].domain};

        KIT_OK(bp_placement_list_add(&list, cases[i].rule, &kit.err));
        ck_assert_msg(bp_placement_rule_matches(&list.rules[i], &node, cases[i].path) ==
                          cases[i].matches,
                      "%s and %s", cases[i].rule, cases[i].name);
    }
}
END_TEST

START_TEST(placement_rules_survive_every_failing_allocation)
{
    bool failed = true;

    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        fail_alloc_at(n);
        rc = bp_placement_list_add(&list, "op:Conv=cpu", &kit.err);
        if (rc >= 0)
            rc = bp_placement_list_copy(&copy, &list, &kit.err);
        failed = fail_alloc_stop();
        ck_assert(rc == BP_OK || (failed && rc == BP_E_NOMEM));
        bp_placement_list_finish(&list);
        bp_placement_list_finish(&copy);
    }
}
END_TEST

START_TEST(variables_survive_every_failing_allocation)
{
    bool failed = true;

    setenv("BACKPLANE_STRICT", "1", 1);
    setenv("BACKPLANE_REPROT", "x", 1);
    for (unsigned n = 1; failed; n++) {
        struct bp_settings variables = {0};
        bp_rc rc;

        fail_alloc_at(n);
        rc = bp_settings_init(&variables, 0, &kit.err);
        failed = fail_alloc_stop();
        ck_assert(rc == BP_OK || (failed && rc == BP_E_NOMEM));
        /* an unknown variable never counts */
        ck_assert_ptr_null(bp_settings_get(&variables, "BACKPLANE_REPROD"));
        if (rc == BP_OK)
            ck_assert(bp_settings_is_on(&variables, "BACKPLANE_STRICT"));
        bp_settings_finish(&variables);
    }
    unsetenv("BACKPLANE_STRICT");
    unsetenv("BACKPLANE_REPROT");
}
END_TEST

START_TEST(explanations_survive_every_failing_allocation)
{
    kit_setup();
    kit_small_model();
    kit_provider_with("few", "take", "Relu");
    kit_session();
    for (uint32_t format = BP_EXPLAIN_TEXT; format <= BP_EXPLAIN_JSON; format++) {
        bool failed = true;

        for (unsigned n = 1; failed; n++) {
            char *text = kit.text;
            bp_rc rc;

            fail_alloc_at(n);
            rc = bp_explain(kit.env, bp_session_report(kit.session), NULL, format, &text, &kit.err);
            failed = fail_alloc_stop();
            ck_assert_msg(rc == BP_OK || (failed && rc == BP_E_NOMEM), "%s: %s", bp_rc_name(rc),
                          kit.text);
            ck_assert(!text == (rc < 0));
            bp_free(text);
        }
    }
    kit_teardown();
}
END_TEST

START_TEST(sessions_with_placement_survive_failing_allocations)
{
    bool failed = true;

    kit_setup();
    kit_small_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    KIT_OK(bp_session_options_add_placement(kit.options, "relu=cpu", &kit.err));
    KIT_OK(bp_session_options_set_min_share(kit.options, "few", 0.1, &kit.err));
    kit_session(); /* everything is opened now */
    for (unsigned n = 1; failed; n++) {
        bp_report *report = NULL;
        bp_rc rc;

        fail_alloc_at(n);
        rc = bp_plan_create(kit.env, kit.model, kit.options, &report, &kit.err);
        failed = fail_alloc_stop();
        ck_assert_msg(rc == BP_OK || failed, "%s: %s", bp_rc_name(rc), kit.text);
        ck_assert(!report == (rc < 0));
        bp_report_destroy(report);
    }
    kit_teardown();
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("place");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, placement_rules_are_parsed);
    tcase_add_test(tcase, placement_patterns_match_names_operators_and_paths);
    tcase_add_test(tcase, placement_rules_survive_every_failing_allocation);
    tcase_add_test(tcase, variables_survive_every_failing_allocation);
    tcase_add_test(tcase, explanations_survive_every_failing_allocation);
    tcase_add_test(tcase, sessions_with_placement_survive_failing_allocations);
    return kit_main("place", &tcase, 1);
}
