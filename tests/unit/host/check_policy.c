/* SPDX-License-Identifier: MIT */
/*
 * check_policy.c - what fallback policies change and what they never do: strict mode, shares, the
 * report of BACKPLANE_REPORT, placement rules, and bp_explain().
 */

#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/session_kit.h"

/* ---- an environment with variables ----------------------------------------------------------- */

static char report_file[64];

/* Another environment instead of kit.env, which reads variables. */
static void use_variables(void)
{
    char built[1024];
    const char *dirs[] = {getenv("BP_MOCK_DIR"), built};
    bp_env_config config = {
        .struct_size = sizeof config,
        .threads = 1,
        .log = kit_log,
        .provider_dirs = dirs,
        .n_provider_dirs = 2,
    };

    snprintf(built, sizeof built, "%s/providers", getenv("BP_BUILDDIR"));
    bp_model_close(kit.model);
    kit.model = NULL;
    KIT_OK(bp_env_destroy(kit.env, &kit.err));
    kit.env = NULL;
    KIT_OK(bp_env_create(&config, &kit.env, &kit.err));
}

static void setup(void)
{
    int fd;

    snprintf(report_file, sizeof report_file, "/tmp/bp_policy_XXXXXX");
    fd = mkstemp(report_file);
    ck_assert_int_ge(fd, 0);
    close(fd);
    kit_setup();
}

static void teardown(void)
{
    kit_teardown();
    unlink(report_file);
    unsetenv("BACKPLANE_FALLBACK");
    unsetenv("BACKPLANE_PROVIDERS");
    unsetenv("BACKPLANE_PROVIDER_OPTIONS");
    unsetenv("BACKPLANE_REPORT");
    unsetenv("BACKPLANE_STRICT");
    unsetenv("BACKPLANE_STRIKT");
}

/* What the report file has, which is emptied; until the next call. */
static const char *read_report(void)
{
    static char text[8192];
    FILE *file = fopen(report_file, "r");
    size_t n;

    ck_assert_ptr_nonnull(file);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    ck_assert_int_eq(truncate(report_file, 0), 0);
    return text;
}

static void forget_session(void)
{
    bp_session_destroy(kit.session);
    kit.session = NULL;
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
}

/* ---- no silent fallback: P1, P6, D-06, D-07 -------------------------------------------------- */

/* One provider for each stage at which one can fail; stages of files come several times. */
static const struct {
    const char *name, *stage;
} faults[] = {
    {"cuda", "FOUND"},        {"undefined", "DEPENDENCIES"},
    {"noentry", "ENTRY"},     {"refusing", "ABI"},
    {"major", "ABI"},         {"magic", "ABI"},
    {"short", "ABI"},         {"incomplete", "ABI"},
    {"critical", "ABI"},      {"absent", "AVAILABLE"},
    {"uncreated", "CREATE"},  {"wordless", "CREATE"},
    {"empty", "CREATE"},      {"speechless", "CAPABILITY"},
    {"beyond", "CAPABILITY"}, {"uncompiled", "COMPILE"},
};

enum { N_FAULTS = sizeof faults / sizeof faults[0] };

/* The lines of a provider in a report: from its name to the next one's. */
static void cut_row(const char *report, const char *name, char *out, size_t cap)
{
    char start[80];
    const char *from, *to;

    snprintf(start, sizeof start, "\n%s ", name);
    from = strstr(report, start);
    ck_assert_msg(from != NULL, "no row of %s in: %s", name, report);
    to = from + 1 + strcspn(from + 1, "\n");
    while (to[0] == '\n' && to[1] == ' ')
        to += 1 + strcspn(to + 1, "\n");
    ck_assert_uint_lt((size_t)(to - from), cap);
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
}

START_TEST(fallback_policy_does_not_change_what_is_recorded)
{
    char rows[3][2048], other[2048];

    setenv("BACKPLANE_REPORT", report_file, 1);
    use_variables();
    kit_small_model();
    for (uint32_t policy = BP_FALLBACK_SILENT; policy <= BP_FALLBACK_REQUIRE; policy++) {
        const char *report;
        bp_rc rc;

        kit_provider(faults[_i].name, policy);
        kit_provider("few", BP_FALLBACK_WARN);
        rc = kit_try_session();
        ck_assert(policy == BP_FALLBACK_REQUIRE ? rc < 0 : rc == BP_OK);
        report = read_report();
        ck_assert_ptr_nonnull(
            strstr(report, rc < 0 ? "session failed: provider '" : "session created"));
        cut_row(report, faults[_i].name, rows[policy - 1], sizeof rows[0]);
        ck_assert_ptr_nonnull(strstr(rows[policy - 1], faults[_i].stage));
        cut_row(report, "few", other, sizeof other); /* the others are there in any case */
        cut_row(report, "cpu", other, sizeof other);
        forget_session();
    }
    ck_assert_str_eq(rows[0], rows[1]);
    ck_assert_str_eq(rows[0], rows[2]);
}
END_TEST

START_TEST(strict_makes_every_provider_failure_a_session_error)
{
    kit_small_model();
    for (uint32_t policy = BP_FALLBACK_DEFAULT; policy <= BP_FALLBACK_WARN; policy++) {
        kit_provider(faults[_i].name, policy);
        bp_session_options_set_strict(kit.options, 1);
        ck_assert_int_lt(kit_try_session(), 0);
        ck_assert_ptr_nonnull(strstr(kit.text, "is required"));
        ck_assert_uint_eq(kit_warnings(), 0);
        bp_session_options_set_strict(kit.options, 0);
        KIT_OK(kit_try_session());
        forget_session();
        kit.n_lines = 0;
    }
}
END_TEST

START_TEST(strict_by_variable_cannot_be_undone_by_the_program)
{
    setenv("BACKPLANE_STRICT", "1", 1);
    use_variables();
    kit_small_model();
    kit_session(); /* no provider is named, so that CPU for all nodes is what was asked for */
    forget_session();
    kit_provider("absent", BP_FALLBACK_SILENT);
    bp_session_options_set_strict(kit.options, 0);
    KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "'absent' is required", "driver too old");
    forget_session();
    KIT_OK(bp_env_add_provider(kit.env, "absent", NULL, 0, BP_FALLBACK_SILENT, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "'absent' is required"); /* D-09 */
    setenv("BACKPLANE_STRICT", "off", 1);
    use_variables();
    kit_provider("absent", BP_FALLBACK_SILENT);
    kit_session();
}
END_TEST

START_TEST(required_provider_without_nodes_fails_the_session)
{
    kit_small_model();
    kit_provider_with("few", "take", "");
    bp_session_options_set_strict(kit.options, 1);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "'few'", "takes none of 3 nodes");
}
END_TEST

START_TEST(report_of_a_failed_session_lists_all_failures)
{
    const char *report;

    setenv("BACKPLANE_REPORT", report_file, 1);
    use_variables();
    kit_small_model();
    kit_provider("absent", BP_FALLBACK_REQUIRE);
    kit_provider("uncreated", BP_FALLBACK_REQUIRE);
    KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "'absent' is required"); /* the first */
    report = read_report();
    ck_assert_ptr_nonnull(strstr(report, "driver too old"));
    ck_assert_ptr_nonnull(strstr(report, "libmock.so.1 is not installed"));
}
END_TEST

/* ---- shares ---------------------------------------------------------------------------------- */

static bp_report_provider row_of(const char *name)
{
    const bp_report *report = bp_session_report(kit.session);
    bp_report_provider row = {.struct_size = sizeof row};

    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        KIT_OK(bp_report_get_provider(report, i, &row, &kit.err));
        if (strcmp(row.name, name) == 0)
            return row;
    }
    ck_abort_msg("the report has no '%s'", name);
    return row;
}

/* D-13 */
START_TEST(provider_below_its_minimum_share_fails_by_policy)
{
    kit_small_model(); /* few gets 2 of 3 */
    kit_provider("few", BP_FALLBACK_REQUIRE);
    KIT_OK(bp_session_options_set_min_share(kit.options, "FewExecutionProvider", 0.66, &kit.err));
    kit_session();
    ck_assert_int_eq(row_of("few").code, BP_OK);
    KIT_OK(bp_session_options_set_min_share(kit.options, "few", 0.67, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "'few' is required", "2 of 3 nodes", "67 %");
    for (uint32_t policy = BP_FALLBACK_SILENT; policy <= BP_FALLBACK_WARN; policy++) {
        forget_session();
        kit_provider("few", policy);
        KIT_OK(bp_session_options_set_min_share(kit.options, "few", 1, &kit.err));
        kit_session();
        ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "2 of 3 nodes"), policy - 1);
        ck_assert_int_eq(row_of("few").code, BP_E_UNSUPPORTED);
        ck_assert_uint_eq(row_of("few").stage, BP_STAGE_RUN);
        ck_assert_uint_eq(row_of("few").n_nodes, 2);
        kit_check_small(2);
    }
}
END_TEST

START_TEST(provider_after_one_that_takes_all_nodes_has_no_share)
{
    kit_small_model();
    kit_provider("unexecuted", BP_FALLBACK_WARN); /* takes everything */
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    KIT_OK(bp_session_options_set_min_share(kit.options, "few", 0.1, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "'few' is required", "none of 3 nodes",
              "providers before it");
}
END_TEST

START_TEST(minimum_share_out_of_range_is_rejected)
{
    kit_provider("few", BP_FALLBACK_REQUIRE);
    KIT_FAILS(bp_session_options_set_min_share(kit.options, "few", 1.5, &kit.err), BP_E_INVALID,
              "0 to 1", "1.5");
    KIT_FAILS(bp_session_options_set_min_share(kit.options, "few", -1, &kit.err), BP_E_INVALID,
              "0 to 1");
    KIT_FAILS(bp_session_options_set_min_share(kit.options, "needy", 1, &kit.err), BP_E_INVALID,
              "'needy' is not in the list");
    KIT_FAILS(bp_session_options_set_min_share(kit.options, NULL, 1, &kit.err), BP_E_INVALID,
              "name is NULL");
}
END_TEST

/* ---- variables ------------------------------------------------------------------------------- */

START_TEST(variables_are_listed_with_why_they_are_ignored)
{
    const char *name, *value, *ignored;
    unsigned seen = 0;

    setenv("BACKPLANE_STRIKT", "1", 1);
    setenv("BACKPLANE_STRICT", "0", 1);
    use_variables();
    for (uint32_t i = 0; (name = bp_env_variable(kit.env, i, &value, &ignored)) != NULL; i++) {
        if (strcmp(name, "BACKPLANE_STRIKT") == 0) {
            ck_assert_ptr_nonnull(strstr(ignored, "did you mean BACKPLANE_STRICT?"));
            seen |= 1;
        } else if (strcmp(name, "BACKPLANE_STRICT") == 0) {
            ck_assert_str_eq(value, "0");
            ck_assert_ptr_null(ignored);
            seen |= 2;
        }
    }
    ck_assert_uint_eq(seen, 3);
    kit_new_env(1); /* which ignores them */
    for (uint32_t i = 0; (name = bp_env_variable(kit.env, i, NULL, &ignored)) != NULL; i++)
        ck_assert_ptr_nonnull(ignored);
}
END_TEST

/* Names of the providers in the report of a session, in order: "few cpu ". */
static const char *used(void)
{
    static char text[256];
    const bp_report *report = bp_session_report(kit.session);
    bp_report_provider row = {.struct_size = sizeof row};

    text[0] = '\0';
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        KIT_OK(bp_report_get_provider(report, i, &row, &kit.err));
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", row.name);
    }
    return text;
}

static const struct {
    const char *variable, *used;
} settings[] = {
    {"few", "few cpu "},
    {"absent,org.backplane.few", "absent few cpu "},
    {"cpu, FewExecutionProvider ,few", "few cpu "},
    {"f?w*,few,!gadget", "few cpu "},
    {"org.backplane.a*", "absent cpu "},
    {"cuda", "cuda cpu "}, /* known, and not installed: a row like any other */
    {"!few", "cpu "},
    {"", "cpu "},
};

START_TEST(providers_variable_applies_when_the_program_names_none)
{
    setenv("BACKPLANE_PROVIDERS", settings[_i].variable, 1);
    use_variables();
    kit_small_model();
    kit_session();
    ck_assert_str_eq(used(), settings[_i].used);
    forget_session();
    kit_provider("gadget", BP_FALLBACK_SILENT);
    kit_session();
    ck_assert_str_eq(used(), "gadget cpu ");
    forget_session();
    KIT_OK(bp_env_add_provider(kit.env, "absent", NULL, 0, BP_FALLBACK_SILENT, &kit.err));
    kit_session();
    ck_assert_str_eq(used(), "absent cpu ");
}
END_TEST

START_TEST(unknown_provider_in_a_variable_is_an_error)
{
    setenv("BACKPLANE_PROVIDERS", "fewx", 1);
    use_variables();
    kit_small_model();
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "BACKPLANE_PROVIDERS: there is no provider",
              "'few'");
    setenv("BACKPLANE_PROVIDERS", "absent", 1);
    setenv("BACKPLANE_STRICT", "1", 1);
    forget_session();
    use_variables();
    kit_small_model();
    KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "'absent' is required");
}
END_TEST

/* P13 */
START_TEST(fallback_variable_overrides_the_programs_policy)
{
    for (unsigned i = 0; i < 2; i++) {
        setenv("BACKPLANE_FALLBACK", i ? "Error" : "require", 1);
        use_variables();
        kit_small_model();
        kit_session(); /* no provider is named, so that CPU for all nodes is what was asked for */
        forget_session();
        kit_provider("absent", BP_FALLBACK_SILENT);
        KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "'absent' is required", "driver too old");
        forget_session();
    }
    setenv("BACKPLANE_FALLBACK", "silent", 1);
    use_variables();
    kit_small_model();
    kit_provider("absent", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_uint_eq(row_of("absent").fallback, BP_FALLBACK_SILENT); /* what is in force */
    forget_session();
    kit_provider("absent", BP_FALLBACK_SILENT);
    bp_session_options_set_strict(kit.options, 1);
    KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "'absent' is required");
    forget_session();
    bp_model_close(kit.model);
    kit.model = NULL;
    kit_new_env(1); /* which ignores variables */
    kit_small_model();
    kit_provider("absent", BP_FALLBACK_REQUIRE);
    KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "'absent' is required");
}
END_TEST

/* An option of provider 0 of the session; NULL: there is none. */
static const char *option(const char *key)
{
    const char *name, *value;

    for (uint32_t i = 0; (name = bp_session_provider_option(kit.session, 0, i, &value)); i++) {
        if (strcmp(name, key) == 0)
            return value;
    }
    return NULL;
}

/* P13, P7 */
START_TEST(options_variable_overrides_the_programs_options)
{
    setenv("BACKPLANE_PROVIDER_OPTIONS",
           "few:gain=3; org.backplane.few:level=2;FewExecutionProvider:mode=exact;gadget:x=y;", 1);
    use_variables();
    kit_small_model();
    kit_provider_with("few", "gain", "2");
    kit_session();
    ck_assert_str_eq(option("gain"), "3");
    ck_assert_str_eq(option("level"), "2");
    ck_assert_str_eq(option("mode"), "exact");
    forget_session();
    kit_provider_with("few", "?gain", "2");
    kit_session();
    ck_assert_str_eq(option("gain"), "3");
    forget_session();
    setenv("BACKPLANE_PROVIDER_OPTIONS", "few:gane=3", 1);
    use_variables();
    kit_small_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    KIT_FAILS(kit_try_session(), BP_E_OPTION, "with BACKPLANE_PROVIDER_OPTIONS", "gane", "gain");
}
END_TEST

/* Where the report says that an option of its first provider is from; its value in *value. */
static uint32_t origin(const char *key, const char **value)
{
    const bp_report *report = bp_session_report(kit.session);

    for (uint32_t j = 0; j < bp_report_option_count(report, 0); j++) {
        bp_report_option row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_option(report, 0, j, &row, &kit.err));
        *value = row.value;
        if (strcmp(row.key, key) == 0)
            return row.origin;
    }
    return BP_NONE;
}

/* P13 */
START_TEST(report_names_the_origin_of_each_option)
{
    const bp_report *report;
    bp_report_option row = {.struct_size = sizeof row};
    const char *value;
    char *text;

    setenv("BACKPLANE_PROVIDER_OPTIONS", "few:gain=3", 1);
    use_variables();
    kit_small_model();
    kit_provider_with("few", "level", "2");
    kit_session();
    report = bp_session_report(kit.session);
    ck_assert_uint_eq(origin("gain", &value), BP_ORIGIN_VARIABLE);
    ck_assert_str_eq(value, "3");
    ck_assert_uint_eq(origin("level", &value), BP_ORIGIN_APPLICATION);
    ck_assert_str_eq(value, "2");
    ck_assert_uint_eq(origin("mode", &value), BP_ORIGIN_DEFAULT);
    KIT_OK(bp_report_json(report, &text, &kit.err));
    ck_assert_ptr_nonnull(
        strstr(text, "{\"key\":\"gain\",\"value\":\"3\",\"origin\":\"variable\"}"));
    free(text);
    KIT_OK(bp_explain(kit.env, report, "few", BP_EXPLAIN_TEXT, &text, &kit.err));
    ck_assert_ptr_nonnull(strstr(text, "level=2 (application)"));
    ck_assert_ptr_nonnull(strstr(text, "gain=3 (variable)"));
    ck_assert_ptr_null(strstr(text, "mode="));
    free(text);
    KIT_FAILS(bp_report_get_option(report, 0, 99, &row, &kit.err), BP_E_INVALID, "option", "99");
    KIT_FAILS(bp_report_get_option(report, 99, 0, &row, &kit.err), BP_E_INVALID, "provider", "99");
    ck_assert_uint_eq(bp_report_option_count(report, 99), 0);
    ck_assert_str_eq(bp_origin_name(BP_ORIGIN_FILE), "file");
    ck_assert_str_eq(bp_origin_name(99), "?");
}
END_TEST

static const struct {
    const char *variable, *value, *words;
} malformed[] = {
    {"BACKPLANE_FALLBACK", "requird", "silent, warn, require or error, not 'requird'"},
    {"BACKPLANE_PROVIDER_OPTIONS", "few", "'few' is not NAME:KEY=VALUE"},
    {"BACKPLANE_PROVIDER_OPTIONS", "few:gain", "'few:gain' is not NAME:KEY=VALUE"},
    {"BACKPLANE_PROVIDER_OPTIONS", "few:=1", "'few:=1' is not NAME:KEY=VALUE"},
    {"BACKPLANE_PROVIDER_OPTIONS", ":gain=1", "':gain=1' is not NAME:KEY=VALUE"},
    {"BACKPLANE_PROVIDER_OPTIONS", "gain=few:1", "'gain=few:1' is not NAME:KEY=VALUE"},
    {"BACKPLANE_PROVIDER_OPTIONS", "few:gain=1;FEW:gain=2",
     "the option 'gain' of 'FEW' is given twice"},
};

START_TEST(malformed_variable_is_an_error)
{
    bp_env_config config = {.struct_size = sizeof config};
    bp_env *env = NULL;

    setenv(malformed[_i].variable, malformed[_i].value, 1);
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, malformed[_i].variable,
              malformed[_i].words);
    ck_assert_ptr_null(env);
    config.flags = BP_ENV_IGNORE_VARIABLES;
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

/* The device is full: the text is only refused when the file is closed. */
START_TEST(unwritable_report_file_is_a_warning_and_the_session_runs)
{
    static const struct {
        const char *file, *words;
    } unwritable[] = {
        {"/nowhere/report.txt", "BACKPLANE_REPORT: /nowhere/report.txt: No such file"},
        {"/dev/full", "BACKPLANE_REPORT: /dev/full: No space left"},
    };

    setenv("BACKPLANE_REPORT", unwritable[_i].file, 1);
    use_variables();
    kit_small_model();
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, unwritable[_i].words), 1);
    kit_check_small(2);
}
END_TEST

START_TEST(report_file_named_json_is_written_as_json)
{
    char name[80];
    FILE *file;
    char text[4096];
    size_t n;

    snprintf(name, sizeof name, "%s.json", report_file);
    setenv("BACKPLANE_REPORT", name, 1);
    use_variables();
    kit_small_model();
    kit_provider("few", BP_FALLBACK_WARN);
    kit_session();
    file = fopen(name, "r");
    ck_assert_ptr_nonnull(file);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    unlink(name);
    ck_assert_ptr_null(kit_bad_json(text));
    ck_assert_ptr_nonnull(strstr(text, "\"created\":true"));
    ck_assert_ptr_nonnull(strstr(text, "\"name\":\"few\""));
}
END_TEST

/* ---- placement: P10 -------------------------------------------------------------------------- */

static bp_report_node node_of(const char *name)
{
    const bp_report *report = bp_session_report(kit.session);
    bp_report_node node = {.struct_size = sizeof node};

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        KIT_OK(bp_report_get_node(report, i, &node, &kit.err));
        if (strcmp(node.name, name) == 0)
            return node;
    }
    ck_abort_msg("the report has no node '%s'", name);
    return node;
}

static const char *runner_of(const char *node)
{
    bp_report_provider row = {.struct_size = sizeof row};

    KIT_OK(bp_report_get_provider(bp_session_report(kit.session), node_of(node).provider, &row,
                                  &kit.err));
    return row.name;
}

/* A session of the small model on few, under rules up to a NULL. */
static void place(const char *const *rules)
{
    forget_session();
    kit_provider("few", BP_FALLBACK_SILENT);
    for (; *rules; rules++)
        KIT_OK(bp_session_options_add_placement(kit.options, *rules, &kit.err));
    kit_session();
}

START_TEST(placement_rules_decide_where_nodes_go)
{
    static const struct {
        const char *rules[4];
        const char *relu, *add;           /* runners */
        const char *relu_rule, *add_rule; /* that decided */
    } cases[] = {
        {{NULL}, "few", "few", NULL, NULL},
        {{"relu=cpu"}, "cpu", "few", "relu=cpu", NULL},
        {{"name:r*=!few"}, "cpu", "few", "name:r*=!few", NULL},
        {{"op:Add=CPUExecutionProvider"}, "few", "cpu", NULL, "op:Add=CPUExecutionProvider"},
        {{"*=cpu"}, "cpu", "cpu", "*=cpu", "*=cpu"},
        {{"op:R?l?=few", "*=cpu"}, "few", "cpu", "op:R?l?=few", "*=cpu"},
        {{"op:[RA]*=!few", "relu=few"}, "cpu", "cpu", "relu=few", "op:[RA]*=!few"},
    };

    kit_small_model();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        place(cases[i].rules);
        ck_assert_str_eq(runner_of("relu"), cases[i].relu);
        ck_assert_str_eq(runner_of("add"), cases[i].add);
        ck_assert_pstr_eq(node_of("relu").rule, cases[i].relu_rule);
        ck_assert_pstr_eq(node_of("add").rule, cases[i].add_rule);
        kit_check_small(2);
    }
}
END_TEST

START_TEST(report_names_the_placement_rule_of_a_refusal)
{
    static const char *const rules[] = {"relu=cpu", NULL};
    bp_report_refusal refusal = {.struct_size = sizeof refusal};
    char *json;

    kit_small_model();
    place(rules);
    KIT_OK(bp_report_get_refusal(bp_session_report(kit.session), 0, 0, &refusal, &kit.err));
    ck_assert_uint_eq(refusal.reason, BP_R_OPTION);
    ck_assert_str_eq(refusal.subject, "relu=cpu");
    KIT_OK(bp_report_json(bp_session_report(kit.session), &json, &kit.err));
    ck_assert_ptr_nonnull(strstr(json, "\"rule\":\"relu=cpu\""));
    bp_free(json);
}
END_TEST

START_TEST(placement_rule_without_effect_is_warned_of)
{
    static const char *const none[] = {"op:Conv=cpu", NULL};
    static const char *const unlisted[] = {"relu=needy", "add=!cuda", NULL};

    kit_small_model();
    place(none);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'op:Conv=cpu' matches no node"), 1);
    place(unlisted);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'relu=needy' does nothing"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'add=!cuda' does nothing"), 1);
    ck_assert_str_eq(runner_of("relu"), "few");
}
END_TEST

START_TEST(placement_rule_for_a_failed_provider_is_accepted)
{
    kit_small_model();
    kit_provider("absent", BP_FALLBACK_SILENT);
    KIT_OK(bp_session_options_add_placement(kit.options, "relu=absent", &kit.err));
    kit_session();
    ck_assert_uint_eq(kit_warnings(), 0);
    ck_assert_str_eq(runner_of("relu"), "cpu");
}
END_TEST

START_TEST(placement_rule_for_an_unknown_provider_is_an_error)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    KIT_OK(bp_session_options_add_placement(kit.options, "relu=cudaa", &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_OPTION, "placement rule 'relu=cudaa'",
              "did you mean 'cuda'?");
}
END_TEST

START_TEST(node_forbidden_on_every_provider_is_an_error)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    KIT_OK(bp_session_options_add_placement(kit.options, "neg=!cpu", &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "no provider takes 1 node", "'neg'", "neg=!cpu");
}
END_TEST

START_TEST(malformed_placement_rule_is_rejected)
{
    static const char *const texts[] = {"", "relu", "relu=", "=cpu", "relu=!", "op:=cpu", NULL};

    kit_provider("few", BP_FALLBACK_SILENT);
    for (size_t i = 0; texts[i]; i++)
        KIT_FAILS(bp_session_options_add_placement(kit.options, texts[i], &kit.err), BP_E_INVALID,
                  "is not [name:|op:|path:]PATTERN=[!]PROVIDER");
    KIT_FAILS(bp_session_options_add_placement(kit.options, NULL, &kit.err), BP_E_INVALID,
              "rule is NULL");
}
END_TEST

static void write_rules(const char *text)
{
    FILE *file = fopen(report_file, "w");

    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(placement_rules_are_read_from_files)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    write_rules("# where things go\n\n  relu=cpu   # the first\nop:Add=!few\n");
    KIT_OK(bp_session_options_read_placements(kit.options, report_file, &kit.err));
    kit_session();
    ck_assert_str_eq(runner_of("relu"), "cpu");
    ck_assert_str_eq(runner_of("add"), "cpu");
    write_rules("relu=few\nnonsense\n");
    KIT_FAILS(bp_session_options_read_placements(kit.options, report_file, &kit.err), BP_E_INVALID,
              report_file, "line 2", "'nonsense'");
    KIT_FAILS(bp_session_options_read_placements(kit.options, "/nowhere", &kit.err), BP_E_IO,
              "/nowhere", "No such file");
    KIT_FAILS(bp_session_options_read_placements(kit.options, NULL, &kit.err), BP_E_INVALID,
              "path");
}
END_TEST

/* D-13 */
START_TEST(path_rule_applies_to_nodes_of_subgraphs)
{
    static const char *const rules[] = {"path:when=cpu", NULL};
    bp_report_node node = {.struct_size = sizeof node};
    const bp_report *report;
    uint32_t inner = 0;

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_node("outer", "Relu", "x", "r");
    kit_open_node("when", "If", "c", "y");
    for (int i = 0; i < 2; i++) {
        kit_open_subgraph(i ? "else_branch" : "then_branch");
        kit_node(i ? "no" : "yes", "Relu", "r", i ? "b" : "a");
        kit_io(KIT_OUTPUT, i ? "b" : "a", BP_DTYPE_F32, "4");
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "4");
    kit_model();
    place(rules);
    ck_assert_str_eq(runner_of("outer"), "few");
    report = bp_session_report(kit.session);
    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        KIT_OK(bp_report_get_node(report, i, &node, &kit.err));
        if (node.path[0] == '\0')
            continue;
        ck_assert_str_eq(node.rule, "path:when=cpu");
        inner++;
    }
    ck_assert_uint_eq(inner, 2);
}
END_TEST

/* ---- explaining: P2, P8, D-14 ---------------------------------------------------------------- */

/* The explanation has each of the words, up to a NULL. */
static void explains(const bp_report *report, const char *name, uint32_t format,
                     const char *const *words)
{
    char *text;

    KIT_OK(bp_explain(kit.env, report, name, format, &text, &kit.err));
    for (; *words; words++)
        ck_assert_msg(strstr(text, *words) != NULL, "'%s' is not in: %s", *words, text);
    if (format == BP_EXPLAIN_JSON)
        ck_assert_msg(kit_bad_json(text) == NULL, "%s", text);
    bp_free(text);
}
#define EXPLAINS(report, name, format, ...)                                                        \
    explains(report, name, format, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(explain_lists_what_a_provider_refused)
{
    const bp_report *report;

    kit_small_model();
    kit_provider_with("few", "take", "Relu");
    kit_session();
    report = bp_session_report(kit.session);
    EXPLAINS(report, "FewExecutionProvider", BP_EXPLAIN_TEXT, "few ", "RUN", "used: 1 of 3 nodes",
             "known, installed, loadable, usable", "1 OP (Neg): not one of Relu, Add and Flatten",
             "e.g. neg (Neg)", "1 OPTION (take): the option 'take' leaves it out; e.g. add (Add)");
    EXPLAINS(report, "few", BP_EXPLAIN_JSON, "\"name\":\"few\"", "\"stage\":\"RUN\"",
             "\"summary\":\"used: 1 of 3 nodes in 1 group\"", "\"usable\":true", "\"total\":3",
             "\"subject\":\"take\"", "\"operators\":[{\"op\":\"Add\",\"count\":1}]",
             "\"examples\":[{\"name\":\"add\"");
    EXPLAINS(report, NULL, BP_EXPLAIN_TEXT, "few ", "cpu ", "used: 2 of 3 nodes");
}
END_TEST

START_TEST(explain_groups_refusals_by_reason_and_text)
{
    const bp_report *report;

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("abs0", "Abs", "x", "a");
    kit_node("neg0", "Neg", "a", "b");
    kit_node("exp", "Exp", "b", "c");
    kit_node("neg1", "Neg", "c", "d");
    kit_node("sin", "Sin", "d", "e");
    kit_node("relu", "Relu", "e", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
    kit_provider("few", BP_FALLBACK_SILENT);
    kit_session();
    report = bp_session_report(kit.session);
    EXPLAINS(report, "few", BP_EXPLAIN_TEXT,
             "  5 OP (Abs, Neg, Exp, ...): not one of Relu, Add and Flatten; 2 Neg, 1 Abs, 1 Exp, "
             "1 Sin; e.g. abs0 (Abs), neg0 (Neg), exp (Exp)\n");
    EXPLAINS(report, "few", BP_EXPLAIN_JSON, "\"refusals\":[{\"reason\":\"OP\",\"count\":5,",
             "\"operators\":[{\"op\":\"Neg\",\"count\":2},{\"op\":\"Abs\",\"count\":1},",
             "{\"name\":\"abs0\",\"op\":\"Abs\",\"path\":\"\",\"subject\":\"Abs\"}");
}
END_TEST

START_TEST(explain_shows_the_most_frequent_operators_of_a_refusal)
{
    static const char *const ops[] = {"Abs", "Neg", "Exp", "Sin", "Cos", "Tan", "Sign", "Floor"};

    kit_start_model();
    kit_io(KIT_INPUT, "x0", BP_DTYPE_F32, "N,4");
    for (unsigned i = 0; i < 9; i++) {
        char name[8], in[8], out[8];

        snprintf(name, sizeof name, "n%u", i);
        snprintf(in, sizeof in, "x%u", i);
        snprintf(out, sizeof out, "x%u", i + 1);
        kit_node(name, ops[i % 8], in, out);
    }
    kit_node("relu", "Relu", "x9", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
    kit_provider("few", BP_FALLBACK_SILENT);
    kit_session();
    EXPLAINS(bp_session_report(kit.session), "few", BP_EXPLAIN_TEXT,
             "; 2 Abs, 1 Cos, 1 Exp, 1 Floor, 1 Neg, 1 Sign, 2 others; e.g. n0 (Abs)");
}
END_TEST

START_TEST(explain_covers_providers_that_are_not_in_the_report)
{
    kit_small_model();
    kit_session();
    for (int i = 0; i < 2; i++) {
        const bp_report *report = i ? bp_session_report(kit.session) : NULL;

        EXPLAINS(report, "absent", BP_EXPLAIN_TEXT, "AVAILABLE", "driver too old: 535.54 < 550.0",
                 "known, installed, loadable, not usable", "fix", "update the driver");
        EXPLAINS(report, "undefined", BP_EXPLAIN_TEXT, "DEPENDENCIES",
                 "known, installed, not loadable");
        EXPLAINS(report, "CUDAExecutionProvider", BP_EXPLAIN_JSON, "\"name\":\"cuda\"",
                 "\"known\":true", "\"installed\":false", "\"usable\":false",
                 "\"fix\":\"Backplane");
        EXPLAINS(report, "few", BP_EXPLAIN_TEXT, "usable; no session");
    }
    EXPLAINS(NULL, NULL, BP_EXPLAIN_TEXT, "few ", "absent ", "cpu ");
}
END_TEST

START_TEST(explain_names_the_stage_of_a_failure)
{
    kit_small_model();
    kit_provider(faults[_i].name, BP_FALLBACK_SILENT);
    kit_session();
    EXPLAINS(bp_session_report(kit.session), faults[_i].name, BP_EXPLAIN_TEXT, faults[_i].name,
             faults[_i].stage);
    EXPLAINS(bp_session_report(kit.session), NULL, BP_EXPLAIN_JSON, faults[_i].name,
             faults[_i].stage);
}
END_TEST

START_TEST(explain_rejects_an_unknown_provider)
{
    char *text = kit.text;

    KIT_FAILS(bp_explain(kit.env, NULL, "cudaa", BP_EXPLAIN_TEXT, &text, &kit.err), BP_E_INVALID,
              "did you mean 'cuda'?");
    ck_assert_ptr_null(text);
    KIT_FAILS(bp_explain(kit.env, NULL, "few", 7, &text, &kit.err), BP_E_INVALID,
              "7 is not a format");
}
END_TEST

/* Every node that is not on the provider of first choice has a code and a sentence. */
START_TEST(every_node_off_the_first_provider_has_a_reason)
{
    const bp_report *report;

    kit_small_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    kit_session();
    report = bp_session_report(kit.session);
    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node node = {.struct_size = sizeof node};
        bp_report_refusal refusal = {.struct_size = sizeof refusal};

        KIT_OK(bp_report_get_node(report, i, &node, &kit.err));
        if (node.provider == 0)
            continue;
        KIT_OK(bp_report_get_refusal(report, i, 0, &refusal, &kit.err));
        ck_assert_uint_eq(refusal.provider, 0);
        ck_assert_uint_ne(refusal.reason, BP_R_NONE);
        ck_assert_ptr_nonnull(refusal.text);
    }
}
END_TEST

/* ---- the same every time --------------------------------------------------------------------- */

START_TEST(hundred_session_creations_give_the_same_report)
{
    char *first = NULL, *first_why = NULL;

    kit_small_model();
    for (int start = 0; start < 100; start++) {
        char *json, *why;

        bp_model_close(kit.model);
        kit.model = NULL;
        kit_new_env(1 + (uint32_t)start % 3);
        kit_provider("few", BP_FALLBACK_SILENT);
        kit_provider("absent", BP_FALLBACK_SILENT);
        kit_session();
        KIT_OK(bp_report_json(bp_session_report(kit.session), &json, &kit.err));
        KIT_OK(bp_explain(kit.env, bp_session_report(kit.session), NULL, BP_EXPLAIN_JSON, &why,
                          &kit.err));
        forget_session();
        if (first) {
            ck_assert_str_eq(json, first);
            ck_assert_str_eq(why, first_why);
            bp_free(json);
            bp_free(why);
        } else {
            first = json;
            first_why = why;
        }
    }
    bp_free(first);
    bp_free(first_why);
}
END_TEST

static TCase *with_fixture(const char *name)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, setup, teardown);
    return tcase;
}

int main(void)
{
    TCase *policy = with_fixture("policy"), *placing = with_fixture("placement"),
          *why = with_fixture("explaining");
    TCase *const cases[] = {policy, placing, why};

    tcase_add_loop_test(policy, fallback_policy_does_not_change_what_is_recorded, 0, N_FAULTS);
    tcase_add_loop_test(policy, strict_makes_every_provider_failure_a_session_error, 0, N_FAULTS);
    tcase_add_test(policy, strict_by_variable_cannot_be_undone_by_the_program);
    tcase_add_loop_test(policy, providers_variable_applies_when_the_program_names_none, 0,
                        sizeof settings / sizeof settings[0]);
    tcase_add_test(policy, unknown_provider_in_a_variable_is_an_error);
    tcase_add_test(policy, fallback_variable_overrides_the_programs_policy);
    tcase_add_test(policy, options_variable_overrides_the_programs_options);
    tcase_add_test(policy, report_names_the_origin_of_each_option);
    tcase_add_loop_test(policy, malformed_variable_is_an_error, 0,
                        sizeof malformed / sizeof malformed[0]);
    tcase_add_test(policy, required_provider_without_nodes_fails_the_session);
    tcase_add_test(policy, report_of_a_failed_session_lists_all_failures);
    tcase_add_test(policy, provider_below_its_minimum_share_fails_by_policy);
    tcase_add_test(policy, provider_after_one_that_takes_all_nodes_has_no_share);
    tcase_add_test(policy, minimum_share_out_of_range_is_rejected);
    tcase_add_test(policy, variables_are_listed_with_why_they_are_ignored);
    tcase_add_loop_test(policy, unwritable_report_file_is_a_warning_and_the_session_runs, 0, 2);
    tcase_add_test(policy, report_file_named_json_is_written_as_json);
    tcase_add_test(placing, placement_rules_decide_where_nodes_go);
    tcase_add_test(placing, report_names_the_placement_rule_of_a_refusal);
    tcase_add_test(placing, placement_rule_without_effect_is_warned_of);
    tcase_add_test(placing, placement_rule_for_a_failed_provider_is_accepted);
    tcase_add_test(placing, placement_rule_for_an_unknown_provider_is_an_error);
    tcase_add_test(placing, node_forbidden_on_every_provider_is_an_error);
    tcase_add_test(placing, malformed_placement_rule_is_rejected);
    tcase_add_test(placing, placement_rules_are_read_from_files);
    tcase_add_test(placing, path_rule_applies_to_nodes_of_subgraphs);
    tcase_add_test(why, explain_lists_what_a_provider_refused);
    tcase_add_test(why, explain_groups_refusals_by_reason_and_text);
    tcase_add_test(why, explain_shows_the_most_frequent_operators_of_a_refusal);
    tcase_add_test(why, explain_covers_providers_that_are_not_in_the_report);
    tcase_add_loop_test(why, explain_names_the_stage_of_a_failure, 0, N_FAULTS);
    tcase_add_test(why, explain_rejects_an_unknown_provider);
    tcase_add_test(why, every_node_off_the_first_provider_has_a_reason);
    tcase_add_test(why, hundred_session_creations_give_the_same_report);
    return kit_main("policy", cases, sizeof cases / sizeof cases[0]);
}
