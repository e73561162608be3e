/* SPDX-License-Identifier: MIT */
/*
 * check_default_providers.c - the providers of sessions for which the program names none: providers.conf,
 * BACKPLANE_PROVIDERS, bp_env_config.default_providers, and "auto".
 */

#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/session_kit.h"

static char home[64]; /* XDG_CONFIG_HOME of a test */

static void setup(void)
{
    char path[128];

    kit_setup();
    kit_small_model();
    snprintf(home, sizeof home, "/tmp/backplane-conf-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(home));
    snprintf(path, sizeof path, "%s/backplane", home);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    setenv("XDG_CONFIG_HOME", home, 1);
    unsetenv("BACKPLANE_PROVIDERS");
}

static void teardown(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", home);
    ck_assert_int_eq(system(command), 0);
    unsetenv("BACKPLANE_PROVIDERS");
    kit_teardown();
}

static void write_conf(const char *text)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "%s/backplane/providers.conf", home);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

/* An environment that sees variables and the user's file, with the mocks and the built providers. */
static bp_rc make_env(const char *default_providers, bp_env **out)
{
    char built[1024];
    const char *dirs[] = {getenv("BP_MOCK_DIR"), built};
    bp_env_config config = {
        .struct_size = sizeof config,
        .log_level = BP_LOG_DEBUG,
        .threads = 1,
        .log = kit_log,
        .provider_dirs = dirs,
        .n_provider_dirs = 2,
        .probe = BP_PROBE_OFF,
        .default_providers = default_providers,
    };

    snprintf(built, sizeof built, "%s/providers", getenv("BP_BUILDDIR"));
    return bp_env_create(&config, out, &kit.err);
}

/* Is dnnl among the providers of this build? */
static bool has_dnnl(bp_env *env)
{
    uint32_t i;

    return bp_env_find_provider(env, "dnnl", &i, NULL) >= 0;
}

/*
 * Providers of the small model's session in such an environment as "few:file,cpu:host": names, and
 * why each is there.
 */
static char *list_of(const char *default_providers, const bp_session_options *options)
{
    static char text[512];
    bp_session *session;
    bp_model *model;
    bp_env *env;
    size_t n = 0;

    KIT_OK(make_env(default_providers, &env));
    kit_model();
    KIT_OK(bp_model_open_memory(env, kit.w.data, kit.w.size, NULL, &model, &kit.err));
    KIT_OK(bp_session_create_from_model(env, model, options, &session, &kit.err));
    text[0] = '\0';
    for (uint32_t i = 0; i < bp_report_provider_count(bp_session_report(session)); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_provider(bp_session_report(session), i, &row, &kit.err));
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s:%s", i ? "," : "", row.name,
                              bp_named_by_name(row.named_by));
    }
    bp_session_destroy(session);
    bp_model_close(model);
    KIT_OK(bp_env_destroy(env, &kit.err));
    return text;
}

/* "dnnl:auto," where this build has it, else nothing; then the rest. */
static const char *with_auto(const char *rest)
{
    static char text[256];
    bp_env *env;

    KIT_OK(make_env(NULL, &env));
    snprintf(text, sizeof text, "%s%s", has_dnnl(env) ? "dnnl:auto," : "", rest);
    KIT_OK(bp_env_destroy(env, &kit.err));
    return text;
}

/* The mocks' manifests do not say what their devices are, so none of them is used. */
START_TEST(without_any_word_the_processors_own_providers_are_used)
{
    ck_assert_str_eq(list_of(NULL, NULL), with_auto("cpu:host"));
    write_conf("default = auto\n");
    ck_assert_str_eq(list_of(NULL, NULL), with_auto("cpu:host"));
}
END_TEST

START_TEST(file_names_providers)
{
    write_conf("# ours\ndefault = few , picky\n");
    ck_assert_str_eq(list_of(NULL, NULL), "few:file,picky:file,cpu:host");
    write_conf("default = none");
    ck_assert_str_eq(list_of(NULL, NULL), "cpu:host");
    write_conf("default = few, auto\n");
    ck_assert_ptr_nonnull(strstr(list_of(NULL, NULL), "few:file,"));
    ck_assert_str_eq(list_of(NULL, NULL) + strlen("few:file,"), with_auto("cpu:host"));
}
END_TEST

/* Each is weaker than what follows: file, variable, environment, session. */
START_TEST(what_names_providers_later_counts)
{
    write_conf("default = few\n");
    setenv("BACKPLANE_PROVIDERS", "picky", 1);
    ck_assert_str_eq(list_of(NULL, NULL), "picky:variable,cpu:host");
    setenv("BACKPLANE_PROVIDERS", "cpu", 1);
    ck_assert_str_eq(list_of(NULL, NULL), "cpu:host");
    ck_assert_str_eq(list_of("few", NULL), "few:environment,cpu:host");
    ck_assert_str_eq(list_of("none", NULL), "cpu:host");
    kit_provider("picky", BP_FALLBACK_REQUIRE);
    ck_assert_str_eq(list_of("few", kit.options), "picky:session,cpu:host");
}
END_TEST

START_TEST(program_asks_for_auto_by_its_name)
{
    kit_provider("few", BP_FALLBACK_WARN);
    kit_provider("auto", BP_FALLBACK_WARN);
    ck_assert_ptr_nonnull(strstr(list_of("none", kit.options), "few:session,"));
    ck_assert_str_eq(list_of("none", kit.options) + strlen("few:session,"), with_auto("cpu:host"));
}
END_TEST

/* `cpu` alone is a list, too. */
START_TEST(program_that_names_cpu_has_nothing_else)
{
    kit_provider("cpu", BP_FALLBACK_WARN);
    ck_assert_str_eq(list_of(NULL, kit.options), "cpu:session");
}
END_TEST

START_TEST(file_has_options_and_policies)
{
    bp_session *session;
    bp_model *model;
    bp_env *env;
    bp_report_option option = {.struct_size = sizeof option};
    bp_report_provider row = {.struct_size = sizeof row};

    write_conf("default = picky, missing\nfallback = warn\nfallback.picky = require\n"
               "option.picky.keep = 1\n");
    KIT_OK(make_env(NULL, &env));
    kit_model();
    KIT_OK(bp_model_open_memory(env, kit.w.data, kit.w.size, NULL, &model, &kit.err));
    KIT_FAILS(bp_session_create_from_model(env, model, NULL, &session, &kit.err), BP_E_INVALID,
              "missing");
    bp_model_close(model);
    KIT_OK(bp_env_destroy(env, &kit.err));
    write_conf("default = picky, cuda\nfallback = silent\nfallback.picky = require\n"
               "option.picky.keep = 1\n");
    KIT_OK(make_env(NULL, &env));
    KIT_OK(bp_model_open_memory(env, kit.w.data, kit.w.size, NULL, &model, &kit.err));
    KIT_OK(bp_session_create_from_model(env, model, NULL, &session, &kit.err));
    KIT_OK(bp_report_get_provider(bp_session_report(session), 0, &row, &kit.err));
    ck_assert_uint_eq(row.fallback, BP_FALLBACK_REQUIRE);
    for (uint32_t j = 0; !option.key || strcmp(option.key, "keep") != 0; j++)
        KIT_OK(bp_report_get_option(bp_session_report(session), 0, j, &option, &kit.err));
    ck_assert_str_eq(option.value, "1");
    ck_assert_uint_eq(option.origin, BP_ORIGIN_FILE);
    KIT_OK(bp_report_get_provider(bp_session_report(session), 1, &row, &kit.err));
    ck_assert_str_eq(row.name, "cuda");
    ck_assert_uint_eq(row.fallback, BP_FALLBACK_SILENT);
    bp_session_destroy(session);
    bp_model_close(model);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(wrong_lines_are_errors_with_their_number)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"default = dnnl, dnnl\n", "line 1: default is auto, none, or names"},
        {"\ndefault =\n", "line 2: default is auto, none, or names"},
        {"default = none, few\n", "none stands alone"},
        {"fallback = often\n", "silent, warn or require"},
        {"fallback. = warn\n", "fallback.PROVIDER"},
        {"option.few = 2\n", "option.PROVIDER.NAME"},
        {"option.few. = 2\n", "option.PROVIDER.NAME"},
        {"devices = cpu\n", "unknown key"},
        {"default\n", "key = value"},
    };
    bp_env *env;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_conf(wrong[i].text);
        KIT_FAILS(make_env(NULL, &env), BP_E_INVALID, "backplane/providers.conf", wrong[i].words);
    }
    write_conf("default = none\n");
    KIT_FAILS(make_env("none, few", &env), BP_E_INVALID, "default_providers", "none stands alone");
}
END_TEST

/* Such a file could make every program of the user load a plug-in of another user's choice. */
START_TEST(file_that_others_may_write_to_is_an_error)
{
    char path[128];
    bp_env *env;

    write_conf("default = few\n");
    snprintf(path, sizeof path, "%s/backplane/providers.conf", home);
    ck_assert_int_eq(chmod(path, 0666), 0);
    KIT_FAILS(make_env(NULL, &env), BP_E_UNAVAILABLE, "providers.conf");
}
END_TEST

START_TEST(program_that_ignores_variables_ignores_the_users_file)
{
    bp_env_config config = {.struct_size = sizeof config, .flags = BP_ENV_IGNORE_VARIABLES};
    bp_env *env;

    write_conf("nonsense\n");
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
    config.flags = BP_ENV_HERMETIC;
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

int main(void)
{
    TCase *lists = tcase_create("lists");

    tcase_add_checked_fixture(lists, setup, teardown);
    tcase_add_test(lists, without_any_word_the_processors_own_providers_are_used);
    tcase_add_test(lists, file_names_providers);
    tcase_add_test(lists, what_names_providers_later_counts);
    tcase_add_test(lists, program_asks_for_auto_by_its_name);
    tcase_add_test(lists, program_that_names_cpu_has_nothing_else);
    tcase_add_test(lists, file_has_options_and_policies);
    tcase_add_test(lists, wrong_lines_are_errors_with_their_number);
    tcase_add_test(lists, file_that_others_may_write_to_is_an_error);
    tcase_add_test(lists, program_that_ignores_variables_ignores_the_users_file);
    return kit_main("default providers", &lists, 1);
}
