/* SPDX-License-Identifier: MIT */
/* check_report.c - rows of the report, and that its JSON is JSON whatever names a model has. */

#include "config.h"

#include <check.h>

#include "report/report.h"
#include "support/fake_providers.h"
#include "support/session_kit.h"

static struct fakes t;
static bp_report *report;
static uint32_t rows[MAX_FAKES];

static void add_provider(const char *name, const char *takes)
{
    bp_report_provider row = {.stage = BP_STAGE_CAPABILITY,
                              .fallback = BP_FALLBACK_SILENT,
                              .name = name,
                              .version = "1.0"};

    KIT_OK(bp_report_add_provider(report, &row, &rows[t.n_asked], &kit.err));
    fakes_add(&t, name, takes);
}

/* x -> a1 -> b1 -> y, with a constant beside b1; no provider takes c1, which reads y. */
static void setup(void)
{
    static const float one[] = {1, 2, 3, 4};
    bp_report_provider missing = {.stage = BP_STAGE_FOUND,
                                  .code = BP_E_UNAVAILABLE,
                                  .fallback = BP_FALLBACK_WARN,
                                  .name = "gone",
                                  .reason = "not installed",
                                  .fix = "install it"};
    uint32_t row;

    kit.err = bp_err_init(kit.text, sizeof kit.text);
    fakes_setup(&t);
    KIT_OK(bp_report_create(&report, &kit.err));
    graphs_input(&t.g, t.g.main, "x", BP_DTYPE_F32, "n,4");
    graphs_constant(&t.g, t.g.main, "w", BP_DTYPE_F32, one, 4);
    graphs_node(&t.g, t.g.main, "a1", "Relu", "x", "v1");
    graphs_node(&t.g, t.g.main, "b1", "Add", "v1,w", "y");
    graphs_node(&t.g, t.g.main, "c1", "Neg", "y", "z");
    graphs_output(&t.g, t.g.main, "y");
    graphs_output(&t.g, t.g.main, "z");
    KIT_OK(bp_report_add_provider(report, &missing, &row, &kit.err));
    ck_assert_uint_eq(row, 0);
    add_provider("one", "a");
    add_provider("two", "ab");
}

static void teardown(void)
{
    bp_report_destroy(report);
    fakes_teardown(&t);
}

static void build(const char *path)
{
    fakes_partition(&t);
    KIT_OK(bp_report_add_graph(report, &t.part, t.asked, rows, path, &kit.err));
}

static bp_report_provider provider_row(uint32_t i)
{
    bp_report_provider row = {.struct_size = sizeof row};

    KIT_OK(bp_report_get_provider(report, i, &row, &kit.err));
    return row;
}

static bp_report_node node_row(uint32_t i)
{
    bp_report_node row = {.struct_size = sizeof row};

    KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
    return row;
}

START_TEST(report_counts_claimed_and_assigned_nodes)
{
    build("");
    ck_assert_uint_eq(bp_report_provider_count(report), 3);
    ck_assert_uint_eq(bp_report_node_count(report), 3);
    ck_assert_uint_eq(bp_report_group_count(report), 2); /* c1 is in none */
    ck_assert_uint_eq(provider_row(0).n_claimed, 0);
    ck_assert_uint_eq(provider_row(1).n_claimed, 1);
    ck_assert_uint_eq(provider_row(1).n_nodes, 1);
    ck_assert_uint_eq(provider_row(1).n_groups, 1);
    ck_assert_uint_eq(provider_row(2).n_claimed, 2);
    ck_assert_uint_eq(provider_row(2).n_nodes, 1);
    ck_assert_str_eq(provider_row(0).reason, "not installed");
    ck_assert_str_eq(provider_row(0).fix, "install it");
}
END_TEST

START_TEST(report_names_who_refused_a_node_and_why)
{
    bp_report_refusal refusal = {.struct_size = sizeof refusal};

    build("");
    ck_assert_str_eq(node_row(0).name, "a1");
    ck_assert_uint_eq(node_row(0).provider, 1);
    ck_assert_uint_eq(node_row(0).n_refusals, 0);
    ck_assert_uint_eq(node_row(1).provider, 2);
    ck_assert_uint_eq(node_row(1).n_refusals, 1);
    KIT_OK(bp_report_get_refusal(report, 1, 0, &refusal, &kit.err));
    ck_assert_uint_eq(refusal.provider, 1);
    ck_assert_uint_eq(refusal.reason, BP_R_OP);
    ck_assert_str_eq(refusal.subject, "Add");
    ck_assert_str_eq(refusal.text, "not this one");
    ck_assert_uint_eq(node_row(2).provider, BP_NONE); /* no provider's */
    ck_assert_uint_eq(node_row(2).group, BP_NONE);
    ck_assert_uint_eq(node_row(2).n_refusals, 2);
    KIT_OK(bp_report_get_refusal(report, 2, 1, &refusal, &kit.err));
    ck_assert_uint_eq(refusal.provider, 2);
}
END_TEST

START_TEST(report_lists_edges_without_constants)
{
    static const struct {
        const char *name;
        uint32_t from, to;
    } want[] = {{"x", BP_NONE, 0}, {"v1", 0, 1}, {"y", 1, 2}, {"y", 1, BP_NONE}, {"z", 2, BP_NONE}};
    uint32_t from, to;

    build("");
    for (uint32_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        ck_assert_str_eq(bp_report_edge(report, i, &from, &to), want[i].name);
        ck_assert_uint_eq(from, want[i].from);
        ck_assert_uint_eq(to, want[i].to);
    }
    ck_assert_ptr_null(bp_report_edge(report, 5, &from, &to));
}
END_TEST

START_TEST(report_counts_values_that_cross_group_boundaries)
{
    bp_report_group row = {.struct_size = sizeof row};

    build("loop1/body");
    KIT_OK(bp_report_get_group(report, 1, &row, &kit.err));
    ck_assert_uint_eq(row.provider, 2);
    ck_assert_uint_eq(row.n_nodes, 1);
    ck_assert_uint_eq(row.n_inputs, 1);
    ck_assert_uint_eq(row.n_outputs, 1);
    ck_assert_str_eq(row.path, "loop1/body");
    ck_assert_str_eq(node_row(0).path, "loop1/body");
}
END_TEST

START_TEST(cleared_report_keeps_its_providers)
{
    char counts[64];

    build("");
    bp_report_count_refusals(report, 1, counts, sizeof counts);
    ck_assert_str_eq(counts, "2 OP");
    bp_report_count_refusals(report, 1, counts, 3); /* cut, but a text */
    ck_assert_str_eq(counts, "2 ");
    bp_report_clear_graphs(report);
    ck_assert_uint_eq(bp_report_provider_count(report), 3);
    ck_assert_uint_eq(bp_report_node_count(report), 0);
    ck_assert_uint_eq(bp_report_group_count(report), 0);
    ck_assert_uint_eq(provider_row(2).n_claimed, 0);
    bp_report_count_refusals(report, 1, counts, sizeof counts);
    ck_assert_str_eq(counts, "");
}
END_TEST

START_TEST(report_records_the_stage_at_which_a_provider_ended)
{
    KIT_OK(bp_report_end_provider(report, 1, BP_STAGE_COMPILE, BP_E_INTERNAL, "gave up", "update",
                                  &kit.err));
    ck_assert_uint_eq(provider_row(1).stage, BP_STAGE_COMPILE);
    ck_assert_int_eq(provider_row(1).code, BP_E_INTERNAL);
    ck_assert_str_eq(provider_row(1).reason, "gave up");
    ck_assert_str_eq(provider_row(1).fix, "update");
    ck_assert_str_eq(provider_row(1).name, "one");
    ck_assert_str_eq(provider_row(1).version, "1.0");
    ck_assert_uint_eq(provider_row(1).fallback, BP_FALLBACK_SILENT);
}
END_TEST

START_TEST(report_rejects_an_index_past_the_last_row)
{
    bp_report_provider provider = {.struct_size = sizeof provider};
    bp_report_node node = {.struct_size = sizeof node};
    bp_report_group group = {.struct_size = sizeof group};
    bp_report_refusal refusal = {.struct_size = sizeof refusal};

    build("");
    KIT_FAILS(bp_report_get_provider(report, 3, &provider, &kit.err), BP_E_INVALID, "3 provider");
    KIT_FAILS(bp_report_get_node(report, 3, &node, &kit.err), BP_E_INVALID, "no row 3");
    KIT_FAILS(bp_report_get_group(report, 3, &group, &kit.err), BP_E_INVALID, "no row 3");
    KIT_FAILS(bp_report_get_refusal(report, 0, 0, &refusal, &kit.err), BP_E_INVALID, "0 refusal");
    KIT_FAILS(bp_report_get_refusal(report, 9, 0, &refusal, &kit.err), BP_E_INVALID, "no row 9");
    node.struct_size = 0;
    KIT_FAILS(bp_report_get_node(report, 0, &node, &kit.err), BP_E_INVALID, "struct_size");
}
END_TEST

START_TEST(report_fills_no_more_than_the_callers_struct_size)
{
    struct {
        bp_report_node row;
        char after[8];
    } small = {.row = {.struct_size = offsetof(bp_report_node, group)}, .after = "intact!"};

    build("");
    small.row.group = 77;
    KIT_OK(bp_report_get_node(report, 0, &small.row, &kit.err));
    ck_assert_uint_eq(small.row.provider, 1);
    ck_assert_uint_eq(small.row.group, 77);
    ck_assert_uint_eq(small.row.struct_size, offsetof(bp_report_node, group));
}
END_TEST

static void check_json(const char *const *parts, size_t n)
{
    const char *bad;
    char *json = NULL;

    KIT_OK(bp_report_json(report, &json, &kit.err));
    bad = kit_bad_json(json);
    ck_assert_msg(bad == NULL, "no JSON from here: %.60s", bad);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(strstr(json, parts[i]) != NULL, "%s is not in %s", parts[i], json);
    bp_free(json);
}

START_TEST(report_is_written_as_valid_json)
{
    static const char *const parts[] = {
        "\"format\":1",           "\"name\":\"gone\"",
        "\"stage\":\"FOUND\"",    "\"code\":\"BP_E_UNAVAILABLE\"",
        "\"fix\":\"install it\"", "\"fallback\":\"warn\"",
        "\"version\":null",       "\"op\":\"Relu\"",
        "\"reason\":\"OP\"",      "\"subject\":\"Add\"",
        "\"from\":null",          "\"value\":\"v1\"",
        "\"group\":null",
    };

    check_json(NULL, 0); /* without nodes */
    build("");
    check_json(parts, sizeof parts / sizeof parts[0]);
}
END_TEST

START_TEST(report_with_hostile_names_is_valid_json)
{
    bp_report_provider row = {.name = "a\"b\\c\n\t\x01\x7f\xff\xc3\x28\xe2\x82", .reason = "\x80"};
    uint32_t at;

    KIT_OK(bp_report_add_provider(report, &row, &at, &kit.err));
    graphs_node(&t.g, t.g.main, "a\"},{\x02", "Relu", "x", "\"\\");
    graphs_output(&t.g, t.g.main, "\"\\");
    build("quo\"te/\\");
    check_json(NULL, 0);
}
END_TEST

START_TEST(json_checker_of_the_tests_finds_errors)
{
    static const char *const good[] = {"{}", " [1,-2.5e+3,null,true,\"\\u00e9\"] ", "{\"a\":[]}"};
    static const char *const bad[] = {"",       "{",       "{\"a\" 1}", "[1,]",  "{\"a\":1,}",
                                      "\"\n\"", "\"\\x\"", "01",        "[1] 2", "nul"};

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        ck_assert_ptr_null(kit_bad_json(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(kit_bad_json(bad[i]) != NULL, "%s", bad[i]);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("report");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, report_counts_claimed_and_assigned_nodes);
    tcase_add_test(tcase, report_names_who_refused_a_node_and_why);
    tcase_add_test(tcase, report_lists_edges_without_constants);
    tcase_add_test(tcase, report_counts_values_that_cross_group_boundaries);
    tcase_add_test(tcase, cleared_report_keeps_its_providers);
    tcase_add_test(tcase, report_records_the_stage_at_which_a_provider_ended);
    tcase_add_test(tcase, report_rejects_an_index_past_the_last_row);
    tcase_add_test(tcase, report_fills_no_more_than_the_callers_struct_size);
    tcase_add_test(tcase, report_is_written_as_valid_json);
    tcase_add_test(tcase, report_with_hostile_names_is_valid_json);
    tcase_add_test(tcase, json_checker_of_the_tests_finds_errors);
    return kit_main("report", &tcase, 1);
}
