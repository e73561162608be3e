/* SPDX-License-Identifier: MIT */
/*
 * check_fallback.c - what becomes of providers that a session asks for: their options, their order,
 * their failures under each policy, and what the report says of all that.
 */

#include "config.h"

#include <check.h>

#include "support/session_kit.h"

static bp_report_provider row_of(const bp_report *report, const char *name)
{
    bp_report_provider row = {.struct_size = sizeof row};

    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        KIT_OK(bp_report_get_provider(report, i, &row, &kit.err));
        if (strcmp(row.name, name) == 0)
            return row;
    }
    ck_abort_msg("the report has no '%s'", name);
    return row;
}

/* "few,cpu": providers of the session. */
static const char *provider_list(void)
{
    static char text[256];
    const char *name;
    size_t len = 0;

    text[0] = '\0';
    for (uint32_t i = 0; (name = bp_session_provider(kit.session, i)) != NULL; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i ? "," : "", name);
    return text;
}

/* ---- faults under each policy ---------------------------------------------------------------- */

static const struct fault {
    const char *name;
    uint32_t stage;
    bp_rc code;
    const char *words;
} faults[] = {
    {"cuda", BP_STAGE_FOUND, BP_E_UNAVAILABLE, "not installed"},
    {"/nowhere/libbp-x.so", BP_STAGE_FOUND, BP_E_IO, "No such file"},
    {"undefined", BP_STAGE_DEPENDENCIES, BP_E_IO, "bp_mock_function_without_definition"},
    {"noentry", BP_STAGE_ENTRY, BP_E_IO, "bp_provider_entry_v1"},
    {"refusing", BP_STAGE_ABI, BP_E_VERSION, "needs a host of ABI 9.0"},
    {"silent", BP_STAGE_ABI, BP_E_INTERNAL, "gave no module"},
    {"major", BP_STAGE_ABI, BP_E_VERSION, "speaks ABI 99.0"},
    {"magic", BP_STAGE_ABI, BP_E_VERSION, "0x0badc0de"},
    {"short", BP_STAGE_ABI, BP_E_VERSION, "64 bytes"},
    {"incomplete", BP_STAGE_ABI, BP_E_INVALID, "bp_provider.execute is NULL"},
    {"critical", BP_STAGE_ABI, BP_E_VERSION, "0x40000000"},
    {"absent", BP_STAGE_AVAILABLE, BP_E_UNAVAILABLE, "driver too old: 535.54 < 550.0"},
    {"uncreated", BP_STAGE_CREATE, BP_E_UNAVAILABLE, "libmock.so.1 is not installed"},
    {"wordless", BP_STAGE_CREATE, BP_E_DEVICE_LOST, "BP_E_DEVICE_LOST"},
    {"empty", BP_STAGE_CREATE, BP_E_INTERNAL, "without an instance"},
    {"speechless", BP_STAGE_CAPABILITY, BP_E_INTERNAL, "lost the thread"},
    {"beyond", BP_STAGE_CAPABILITY, BP_E_INTERNAL, "node 3, but the graph has 3"},
    {"uncompiled", BP_STAGE_COMPILE, BP_E_INTERNAL, "gave up on 3 nodes"},
};

enum { N_FAULTS = sizeof faults / sizeof faults[0] };

/* The short name in the report. */
static const char *short_name(const struct fault *fault)
{
    return fault->name[0] == '/' ? "x" : fault->name;
}

static void check_row(const struct fault *fault)
{
    bp_report_provider row = row_of(bp_session_report(kit.session), short_name(fault));

    ck_assert_uint_eq(row.stage, fault->stage);
    ck_assert_int_eq(row.code, fault->code);
    ck_assert_ptr_nonnull(row.reason);
    ck_assert_msg(strstr(row.reason, fault->words) != NULL, "'%s' is not in: %s", fault->words,
                  row.reason);
    ck_assert_uint_eq(row.n_nodes, 0);
}

/* P1, D-04, D-06 */
START_TEST(policy_silent_records_a_failure_without_a_warning)
{
    const struct fault *fault = &faults[_i];

    kit_small_model();
    kit_provider(fault->name, BP_FALLBACK_SILENT);
    kit_session();
    ck_assert_uint_eq(kit_warnings(), 0);
    ck_assert_str_eq(provider_list(), "cpu");
    check_row(fault);
    ck_assert_uint_eq(row_of(bp_session_report(kit.session), short_name(fault)).fallback,
                      BP_FALLBACK_SILENT);
    kit_check_small(2);
}
END_TEST

/* P1, P6, D-03, D-06: and the rest of the list keeps its order */
START_TEST(policy_warn_logs_a_failure_once)
{
    const struct fault *fault = &faults[_i];

    kit_small_model();
    kit_provider(fault->name, BP_FALLBACK_WARN);
    kit_provider("few", BP_FALLBACK_WARN);
    kit_session();
    ck_assert_uint_eq(kit_warnings(), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, fault->words), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, short_name(fault)), 1);
    ck_assert_str_eq(provider_list(), "few,cpu");
    check_row(fault);
    kit_check_small(2);
}
END_TEST

/* D-06: a line for each failure, and one for the outcome */
START_TEST(session_logs_an_outcome_line_when_all_providers_fail)
{
    kit_small_model();
    kit_provider("cuda", BP_FALLBACK_WARN);
    kit_provider("tensorrt", BP_FALLBACK_WARN);
    kit_provider("absent", BP_FALLBACK_WARN);
    kit_session();
    ck_assert_uint_eq(kit_warnings(), 4);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'cuda' is not used"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'tensorrt' is not used"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'absent' is not used"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "none of the 3 providers asked for is used"), 1);
    kit_check_small(2);
}
END_TEST

/* P1, D-07 */
START_TEST(failing_required_provider_fails_the_session)
{
    const struct fault *fault = &faults[_i];

    kit_small_model();
    kit_provider("few", BP_FALLBACK_WARN);
    kit_provider(fault->name, BP_FALLBACK_REQUIRE);
    if (fault->stage == BP_STAGE_COMPILE) { /* it must get a node for that */
        bp_session_options_destroy(kit.options);
        kit.options = NULL;
        kit_provider(fault->name, BP_FALLBACK_REQUIRE);
    }
    KIT_FAILS(kit_try_session(), fault->code, short_name(fault), "is required", fault->words);
    ck_assert_ptr_null(kit.session);
    ck_assert_uint_eq(kit_warnings(), 0);
}
END_TEST

START_TEST(default_fallback_policy_is_warn_and_can_be_set)
{
    kit_small_model();
    kit_provider("absent", BP_FALLBACK_DEFAULT);
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "driver too old"), 1);
    ck_assert_uint_eq(row_of(bp_session_report(kit.session), "absent").fallback, BP_FALLBACK_WARN);
    KIT_OK(bp_session_options_set_fallback(kit.options, BP_FALLBACK_SILENT, &kit.err));
    kit_session();
    ck_assert_uint_eq(kit_warnings(), 1); /* the one before */
    KIT_OK(bp_session_options_set_fallback(kit.options, BP_FALLBACK_REQUIRE, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "'absent'", "required");
}
END_TEST

/* P6, D-04 */
START_TEST(two_providers_that_fail_to_compile_are_both_dropped)
{
    kit_small_model();
    kit_provider("uncompiled", BP_FALLBACK_WARN);
    kit_provider("speechless", BP_FALLBACK_WARN);
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_str_eq(provider_list(), "few,cpu");
    ck_assert_uint_eq(kit_warnings(), 2);
    ck_assert_uint_eq(row_of(bp_session_report(kit.session), "uncompiled").stage, BP_STAGE_COMPILE);
    ck_assert_uint_eq(row_of(bp_session_report(kit.session), "speechless").stage,
                      BP_STAGE_CAPABILITY);
    ck_assert_uint_eq(row_of(bp_session_report(kit.session), "few").stage, BP_STAGE_RUN);
    kit_check_small(3);
}
END_TEST

START_TEST(provider_without_nodes_is_reported_with_refusal_counts)
{
    static const char *const words[] = {"takes none of 3 nodes", "2 OPTION", "1 OP"};
    bp_report_provider row;

    kit_small_model();
    kit_provider_with("few", "take", "");
    kit_session();
    row = row_of(bp_session_report(kit.session), "few");
    ck_assert_uint_eq(row.stage, BP_STAGE_CAPABILITY);
    ck_assert_int_eq(row.code, BP_E_UNSUPPORTED);
    for (size_t i = 0; i < 3; i++)
        ck_assert_msg(strstr(row.reason, words[i]) != NULL, "%s", row.reason);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, words[0]), 1);
    ck_assert_uint_eq(kit_warnings(), 1);
    KIT_OK(bp_session_options_set_fallback(kit.options, BP_FALLBACK_REQUIRE, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "'few'", words[0], words[1], words[2]);
}
END_TEST

START_TEST(provider_after_one_that_takes_all_nodes_is_reported_as_not_needed)
{
    bp_report_provider row;

    kit_small_model();
    kit_provider("unexecuted", BP_FALLBACK_WARN); /* takes everything */
    kit_provider("few", BP_FALLBACK_WARN);
    kit_session();
    row = row_of(bp_session_report(kit.session), "few");
    ck_assert_int_eq(row.code, BP_OK);
    ck_assert_uint_eq(row.n_claimed, 2);
    ck_assert_uint_eq(row.n_nodes, 0);
    ck_assert_ptr_nonnull(strstr(row.reason, "not needed"));
    ck_assert_uint_eq(kit_warnings(), 0);
}
END_TEST

/* ---- failures of a run ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    bp_rc code;
    const char *words;
} run_faults[] = {
    {"unframed", BP_E_DEVICE_LOST, "no frame today"},
    {"unexecuted", BP_E_DEVICE_LOST, "fell off the bus"},
    {"pending", BP_E_INTERNAL, "without a stream"},
    {"meddling", BP_E_INVALID, "whose size is known"},
};

START_TEST(failed_run_names_the_provider)
{
    float x[] = {1, 2, 3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);
    bp_session_stats stats = {.struct_size = sizeof stats};

    kit_small_model();
    kit_provider(run_faults[_i].name, BP_FALLBACK_SILENT);
    kit_session();
    for (int round = 0; round < 2; round++) {
        KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, NULL, &kit.err), run_faults[_i].code,
                  "provider", run_faults[_i].name, run_faults[_i].words);
        ck_assert_ptr_null(out.tensor.base);
    }
    KIT_OK(bp_session_get_stats(kit.session, &stats, &kit.err));
    ck_assert_uint_eq(stats.runs, 0);
}
END_TEST

/* ---- names and options ----------------------------------------------------------------------- */

/* P7 */
START_TEST(unknown_provider_name_is_an_error_under_every_policy)
{
    kit_small_model();
    kit_provider("cudaa", (uint32_t)_i);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'cudaa'", "did you mean 'cuda'?",
              "installed are absent, ", " more ('backplane providers' lists them)",
              "known, but not installed: ", ", cuda, ",
              " more ('backplane providers --known' lists them)");
}
END_TEST

/* P7 */
START_TEST(wrong_provider_option_is_an_error_under_every_policy)
{
    static const struct {
        bp_key_value kv;
        const char *words[2];
    } wrong[] = {
        {{"levek", "3"}, {"did you mean 'level'?", "take, level, gain, mode, strict"}},
        {{"level", "much"}, {"'level'", "a whole number"}},
        {{"level", "11"}, {"'level'", "0 to 9"}},
        {{"gain", "5"}, {"'gain'", "0.25 to 4"}},
        {{"mode", "slow"}, {"'mode'", "fast, exact"}},
        {{"strict", "maybe"}, {"'strict'", "true or false"}},
    };

    kit_small_model();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bp_session_options_destroy(kit.options);
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
        KIT_OK(bp_session_options_add_provider(kit.options, "few", &wrong[i].kv, 1, (uint32_t)_i,
                                               &kit.err));
        KIT_FAILS(kit_try_session(), BP_E_OPTION, "'few'", wrong[i].words[0], wrong[i].words[1]);
    }
}
END_TEST

START_TEST(missing_required_option_is_an_error)
{
    kit_small_model();
    kit_provider("needy", BP_FALLBACK_SILENT);
    KIT_FAILS(kit_try_session(), BP_E_OPTION, "'needy'", "'token'", "who asks");
}
END_TEST

/* Value of an effective option. */
static const char *option(uint32_t provider, const char *key)
{
    const char *found, *value = NULL;

    for (uint32_t j = 0; (found = bp_session_provider_option(kit.session, provider, j, &value));
         j++) {
        if (strcmp(found, key) == 0)
            return value;
    }
    return NULL;
}

/* D-05 */
START_TEST(provider_options_reach_the_provider_and_can_be_read)
{
    bp_key_value kv[] = {{"gain", "2"}, {"mode", "EXACT"}, {"strict", "yes"}};
    float x[] = {1, -2, 3, -4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);

    kit_small_model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "FewExecutionProvider", kv, 3,
                                           BP_FALLBACK_REQUIRE, &kit.err));
    kit_session();
    ck_assert_str_eq(provider_list(), "few,cpu");
    ck_assert_str_eq(option(0, "gain"), "2");
    ck_assert_str_eq(option(0, "mode"), "exact");
    ck_assert_str_eq(option(0, "strict"), "true");
    ck_assert_str_eq(option(0, "level"), "3");
    ck_assert_ptr_null(option(0, "other"));
    ck_assert_ptr_null(bp_session_provider_option(kit.session, 9, 0, NULL));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "level=3 gain=2 mode=1 strict=1"), 1);
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, -4, 0, -12,
               0); /* Relu with a gain of 2 shows that the provider computed it */
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(dynamic_option_changes_between_runs)
{
    bp_key_value kv[] = {{"token", "me"}, {"turbo", "yes"}};

    kit_small_model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "needy", kv, 2, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'turbo' is deprecated"), 1);
    ck_assert_str_eq(option(0, "cache"), "67108864");
    ck_assert_str_eq(option(0, "token"), "(secret)");
    KIT_OK(bp_session_set_option(kit.session, "NeedyExecutionProvider", "cache", "2M", &kit.err));
    ck_assert_str_eq(option(0, "cache"), "2097152");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "cache became 2097152, 2097152"), 1);
    KIT_FAILS(bp_session_set_option(kit.session, "needy", "cache", "13M", &kit.err), BP_E_BUSY,
              "not thirteen");
    ck_assert_str_eq(option(0, "cache"), "2097152");
    KIT_FAILS(bp_session_set_option(kit.session, "needy", "level", "1", &kit.err), BP_E_UNSUPPORTED,
              "fixed", "cache");
    KIT_FAILS(bp_session_set_option(kit.session, "few", "cache", "2M", &kit.err), BP_E_INVALID,
              "no provider 'few'");
    KIT_FAILS(bp_session_set_option(kit.session, "needy", NULL, "2M", &kit.err), BP_E_INVALID,
              "key");
    KIT_OK(bp_session_set_option(kit.session, "needy", "cache", "3M", &kit.err));
    ck_assert_str_eq(option(0, "cache"), "3145728");
    kit_check_small(2);
}
END_TEST

/* ---- the environment's providers ------------------------------------------------------------- */

/* D-09, D-11 */
START_TEST(providers_of_the_environment_come_after_those_of_the_session)
{
    bp_key_value kv = {"token", "x"};

    kit_small_model();
    KIT_OK(bp_env_add_provider(kit.env, "needy", &kv, 1, BP_FALLBACK_REQUIRE, &kit.err));
    KIT_OK(bp_env_add_provider(kit.env, "few", NULL, 0, BP_FALLBACK_REQUIRE, &kit.err));
    kit_session();
    ck_assert_str_eq(provider_list(), "needy,few,cpu");
    kit_provider_with("few", "level", "9");
    kit_session();
    ck_assert_str_eq(provider_list(), "few,needy,cpu"); /* the session's options for few count */
    ck_assert_str_eq(option(0, "level"), "9");
    bp_session_options_ignore_env_providers(kit.options);
    kit_session();
    ck_assert_str_eq(provider_list(), "few,cpu");
    KIT_FAILS(bp_env_add_provider(kit.env, "FEW", NULL, 0, 0, &kit.err), BP_E_INVALID, "already");
    KIT_FAILS(bp_env_add_provider(kit.env, "x", NULL, 0, 17, &kit.err), BP_E_INVALID, "17");
}
END_TEST

/* P6 */
START_TEST(cpu_comes_last_wherever_it_is_named)
{
    kit_small_model();
    kit_provider("CPUExecutionProvider", BP_FALLBACK_REQUIRE);
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_str_eq(provider_list(), "few,cpu");
    kit_check_small(2);
}
END_TEST

/* ---- changing providers ---------------------------------------------------------------------- */

START_TEST(session_changes_its_providers_and_back)
{
    bp_session_options *with, *without;
    struct mock_counters *counters;
    const char *input;
    bp_io_info info = {.struct_size = sizeof info};

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    with = kit.options;
    kit.options = NULL;
    KIT_OK(bp_session_options_create(&without, &kit.err));
    kit_session();
    counters = kit_counters("few");
    KIT_OK(bp_session_input(kit.session, 0, &info, &kit.err));
    input = info.name;
    for (int round = 0; round < 3; round++) {
        kit_check_small(2);
        ck_assert_str_eq(provider_list(), "cpu");
        ck_assert_uint_eq(atomic_load(&counters->instances), 0);
        KIT_OK(bp_session_set_providers(kit.session, with, &kit.err));
        ck_assert_str_eq(provider_list(), "few,cpu");
        ck_assert_uint_eq(atomic_load(&counters->instances), 1);
        ck_assert_uint_eq(row_of(bp_session_report(kit.session), "few").n_nodes, 2);
        kit_check_small(2);
        KIT_OK(bp_session_set_providers(kit.session, without, &kit.err));
        KIT_OK(bp_session_input(kit.session, 0, &info, &kit.err));
        ck_assert_ptr_eq(info.name, input);
    }
    bp_session_options_destroy(with);
    bp_session_options_destroy(without);
}
END_TEST

START_TEST(failed_change_of_providers_keeps_the_old_ones)
{
    bp_session_options *bad;
    bp_key_value kv = {"level", "much"};

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    KIT_OK(bp_session_options_create(&bad, &kit.err));
    KIT_OK(bp_session_options_add_provider(bad, "absent", NULL, 0, BP_FALLBACK_REQUIRE, &kit.err));
    KIT_FAILS(bp_session_set_providers(kit.session, bad, &kit.err), BP_E_UNAVAILABLE, "'absent'");
    bp_session_options_destroy(bad);
    KIT_OK(bp_session_options_create(&bad, &kit.err));
    KIT_OK(bp_session_options_add_provider(bad, "few", &kv, 1, BP_FALLBACK_SILENT, &kit.err));
    KIT_FAILS(bp_session_set_providers(kit.session, bad, &kit.err), BP_E_OPTION, "'level'");
    bp_session_options_destroy(bad);
    ck_assert_str_eq(provider_list(), "few,cpu");
    kit_check_small(2);
}
END_TEST

START_TEST(session_copies_its_options)
{
    char key[] = "level", value[] = "7";

    kit_small_model();
    kit_provider_with("few", key, value);
    memset(key, 'x', sizeof key - 1);
    memset(value, 'x', sizeof value - 1);
    kit_session();
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    ck_assert_str_eq(option(0, "level"), "7");
    kit_check_small(2);
}
END_TEST

/* ---- the report of a session ----------------------------------------------------------------- */

/* P8 */
START_TEST(report_names_the_provider_of_every_node)
{
    static const char *const names[] = {"relu", "neg", "add"};
    const bp_report *report;
    char *json;

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    report = bp_session_report(kit.session);
    ck_assert_uint_eq(bp_report_provider_count(report), 2);
    ck_assert_uint_eq(bp_report_node_count(report), 3);
    ck_assert_uint_eq(bp_report_group_count(report), 3);
    for (uint32_t i = 0; i < 3; i++) {
        bp_report_node node = {.struct_size = sizeof node};

        KIT_OK(bp_report_get_node(report, i, &node, &kit.err));
        ck_assert_str_eq(node.name, names[i]);
        ck_assert_uint_eq(node.provider, i == 1 ? 1 : 0);
        ck_assert_uint_eq(node.n_refusals, i == 1 ? 1 : 0);
        ck_assert_str_eq(node.path, "");
    }
    ck_assert_uint_eq(row_of(report, "few").n_nodes, 2);
    ck_assert_uint_eq(row_of(report, "few").n_groups, 2);
    ck_assert_str_eq(row_of(report, "few").version, "1.2.3");
    ck_assert_uint_eq(row_of(report, "cpu").stage, BP_STAGE_RUN);
    KIT_OK(bp_report_json(report, &json, &kit.err));
    ck_assert_ptr_null(kit_bad_json(json));
    ck_assert_ptr_nonnull(strstr(json, "not one of Relu, Add and Flatten"));
    bp_free(json);
}
END_TEST

START_TEST(report_names_the_input_of_an_unsupported_type)
{
    bp_report_refusal refusal = {.struct_size = sizeof refusal};

    kit_io(KIT_INPUT, "a", BP_DTYPE_F64, "2");
    kit_node("add", "Add", "a a", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F64, "2");
    kit_provider("few", BP_FALLBACK_SILENT);
    kit_session();
    KIT_OK(bp_report_get_refusal(bp_session_report(kit.session), 0, 0, &refusal, &kit.err));
    ck_assert_uint_eq(refusal.reason, BP_R_DTYPE);
    ck_assert_str_eq(refusal.subject, "A");
}
END_TEST

/* A model with two unknown operators, one of them in a subgraph. */
static void strange_model(void)
{
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_node("first", "Frobnicate", "x", "f");
    kit_io(KIT_VALUE_INFO, "f", BP_DTYPE_F32, "2");
    kit_open_node("if", "If", "c", "v");
    kit_open_subgraph("then_branch");
    kit_node("second", "Defenestrate", "x", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("fine", "Relu", "x", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_VALUE_INFO, "v", BP_DTYPE_F32, "2");
    kit_node("add", "Add", "v f", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
}

START_TEST(session_names_all_missing_operators_at_once)
{
    strange_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "2 nodes", "Frobnicate-13", "'first'",
              "Defenestrate-13", "'second'");
}
END_TEST

START_TEST(plan_is_made_for_a_model_with_missing_operators)
{
    uint32_t n_unplaced = 0, n_in_subgraphs = 0;
    bp_report *report = NULL;

    strange_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node node = {.struct_size = sizeof node};

        KIT_OK(bp_report_get_node(report, i, &node, &kit.err));
        n_unplaced += node.provider == BP_NONE && strcmp(node.op, "If") != 0;
        n_in_subgraphs += strcmp(node.path, "if") == 0;
    }
    ck_assert_uint_eq(bp_report_node_count(report), 5);
    ck_assert_uint_eq(n_unplaced, 2);
    ck_assert_uint_eq(n_in_subgraphs, 2);
    ck_assert_uint_eq(row_of(report, "few").n_nodes, 2); /* Relu and Add */
    ck_assert_uint_eq(row_of(report, "few").stage, BP_STAGE_CAPABILITY);
    ck_assert_uint_eq(atomic_load(&kit_counters("few")->programs), 0);
    bp_report_destroy(report);
}
END_TEST

START_TEST(plan_drops_failing_providers_like_a_session)
{
    bp_report *report = NULL;

    kit_small_model();
    kit_provider("speechless", BP_FALLBACK_SILENT);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    ck_assert_uint_eq(row_of(report, "speechless").stage, BP_STAGE_CAPABILITY);
    ck_assert_uint_eq(row_of(report, "cpu").n_nodes, 3);
    bp_report_destroy(report);
    KIT_OK(bp_session_options_set_fallback(kit.options, BP_FALLBACK_REQUIRE, &kit.err));
    kit_provider("absent", BP_FALLBACK_DEFAULT);
    KIT_FAILS(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err),
              BP_E_UNAVAILABLE, "'absent'");
    ck_assert_ptr_null(report);
}
END_TEST

/* ---- lifetimes ------------------------------------------------------------------------------- */

START_TEST(environment_in_use_cannot_be_destroyed)
{
    kit_small_model();
    kit_model();
    KIT_FAILS(bp_env_destroy(kit.env, &kit.err), BP_E_INVALID, "1 models or sessions");
    kit_session();
    bp_model_close(kit.model); /* the session lives on */
    kit.model = NULL;
    KIT_FAILS(bp_env_destroy(kit.env, &kit.err), BP_E_INVALID, "in use");
    kit_check_small(3);
    bp_session_destroy(kit.session);
    kit.session = NULL;
    KIT_OK(bp_env_destroy(kit.env, &kit.err));
    kit.env = NULL;
    KIT_OK(bp_env_destroy(NULL, &kit.err));
}
END_TEST

START_TEST(session_creation_names_missing_arguments)
{
    bp_session *session = NULL;

    KIT_FAILS(bp_session_create(kit.env, NULL, NULL, &session, &kit.err), BP_E_INVALID, "a path");
    KIT_FAILS(bp_session_create(kit.env, "/nowhere/model.onnx", NULL, &session, &kit.err), BP_E_IO,
              "/nowhere/model.onnx");
    KIT_FAILS(bp_session_create_from_model(kit.env, NULL, NULL, &session, &kit.err), BP_E_INVALID,
              "a model");
    ck_assert_ptr_null(session);
    bp_session_destroy(NULL);
    bp_model_close(NULL);
    bp_session_options_destroy(NULL);
    bp_report_destroy(NULL);
}
END_TEST

struct progress {
    double last;
    uint32_t calls;
};

static void note_progress(void *user, const char *phase, double fraction)
{
    struct progress *progress = user;

    ck_assert_ptr_nonnull(phase);
    ck_assert_double_ge(fraction, progress->last);
    ck_assert_double_le(fraction, 1);
    progress->last = fraction;
    progress->calls++;
}

START_TEST(session_creation_reports_its_progress)
{
    struct progress progress = {0};

    kit_small_model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    bp_session_options_set_progress(kit.options, note_progress, &progress);
    kit_session();
    ck_assert_uint_ge(progress.calls, 3);
    ck_assert_double_eq(progress.last, 1);
}
END_TEST

static TCase *make_case(const char *name)
{
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    return tcase;
}

int main(void)
{
    TCase *policy = make_case("policy"), *options = make_case("options"),
          *report = make_case("report");
    TCase *const cases[] = {policy, options, report};

    tcase_add_loop_test(policy, policy_silent_records_a_failure_without_a_warning, 0, N_FAULTS);
    tcase_add_loop_test(policy, policy_warn_logs_a_failure_once, 0, N_FAULTS);
    tcase_add_test(policy, session_logs_an_outcome_line_when_all_providers_fail);
    tcase_add_loop_test(policy, failing_required_provider_fails_the_session, 0, N_FAULTS);
    tcase_add_test(policy, default_fallback_policy_is_warn_and_can_be_set);
    tcase_add_test(policy, two_providers_that_fail_to_compile_are_both_dropped);
    tcase_add_test(policy, provider_without_nodes_is_reported_with_refusal_counts);
    tcase_add_test(policy, provider_after_one_that_takes_all_nodes_is_reported_as_not_needed);
    tcase_add_loop_test(policy, failed_run_names_the_provider, 0,
                        sizeof run_faults / sizeof run_faults[0]);
    tcase_add_loop_test(options, unknown_provider_name_is_an_error_under_every_policy, 0, 4);
    tcase_add_loop_test(options, wrong_provider_option_is_an_error_under_every_policy, 0, 4);
    tcase_add_test(options, missing_required_option_is_an_error);
    tcase_add_test(options, provider_options_reach_the_provider_and_can_be_read);
    tcase_add_test(options, dynamic_option_changes_between_runs);
    tcase_add_test(options, providers_of_the_environment_come_after_those_of_the_session);
    tcase_add_test(options, cpu_comes_last_wherever_it_is_named);
    tcase_add_test(options, session_changes_its_providers_and_back);
    tcase_add_test(options, failed_change_of_providers_keeps_the_old_ones);
    tcase_add_test(options, session_copies_its_options);
    tcase_add_test(report, report_names_the_provider_of_every_node);
    tcase_add_test(report, report_names_the_input_of_an_unsupported_type);
    tcase_add_test(report, session_names_all_missing_operators_at_once);
    tcase_add_test(report, plan_is_made_for_a_model_with_missing_operators);
    tcase_add_test(report, plan_drops_failing_providers_like_a_session);
    tcase_add_test(report, environment_in_use_cannot_be_destroyed);
    tcase_add_test(report, session_creation_names_missing_arguments);
    tcase_add_test(report, session_creation_reports_its_progress);
    return kit_main("fallback", cases, 3);
}
