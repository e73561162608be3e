/* SPDX-License-Identifier: MIT */
/*
 * check_check_provider.c - bp_env_check_provider(): all checks of a plug-in, of which none opens it in
 * this process; and what else a program needs that installs plug-ins.
 */

#include "config.h"

#include <check.h>

#include "host/load/loader.h"
#include "support/plugin_kit.h"

static void install(const char *mock)
{
    plugin_shell("cp %s/libbp-%s.so %s", getenv("BP_MOCK_DIR"), mock, plugin_dir);
}

/* An environment of the test's directory; slow machines, and sanitizers, need time for a probe. */
static bp_env *open_env(uint32_t probe, uint32_t allow)
{
    const char *dirs[] = {plugin_dir};
    bp_env_config config = {.struct_size = sizeof config,
                            .log_level = BP_LOG_ERROR,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = probe,
                            .allow = allow,
                            .probe_timeout_ms = 60000};
    bp_env *env = NULL;

    KIT_OK(bp_env_create(&config, &env, &kit.err));
    return env;
}

static bp_provider_check check(bp_env *env, const char *name, uint32_t probe)
{
    bp_provider_check out = {.struct_size = sizeof out};
    uint32_t i;

    KIT_OK(bp_env_find_provider(env, name, &i, &kit.err));
    KIT_OK(bp_env_check_provider(env, i, probe, &out, &kit.err));
    return out;
}

static void ends(bp_provider_check found, uint32_t stage, bp_rc code, const char *words)
{
    ck_assert_msg(found.stage == stage && found.code == code, "%s, %s: %s",
                  bp_stage_name(found.stage), bp_rc_name(found.code), found.reason);
    ck_assert_msg(words ? found.reason && strstr(found.reason, words) : !found.reason, "%s",
                  found.reason);
}

START_TEST(usable_plug_in_passes_and_is_not_opened_here)
{
    bp_provider_check found;
    bp_env *env;

    install("few");
    env = open_env(BP_PROBE_OFF, 0);
    found = check(env, "few", 1);
    ends(found, BP_STAGE_AVAILABLE, BP_OK, NULL);
    ck_assert_uint_eq(found.is_probed, 1);
    ck_assert_uint_eq(found.is_listed, 0);
    ck_assert_uint_eq(strlen(found.sha256), 64);
    ck_assert(!bp_loader_has(plugin_path("libbp-few.so")));
    found = check(env, "few", 0);
    ends(found, BP_STAGE_POLICY, BP_OK, NULL);
    ck_assert_uint_eq(found.is_probed, 0);
    KIT_OK(bp_env_is_available(env, "few", &kit.err)); /* the checks leave it as it was */
    found = check(env, "few", 1);
    ends(found, BP_STAGE_AVAILABLE, BP_OK, NULL);
    ck_assert_uint_eq(found.is_probed, 0); /* it is open */
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(what_the_provider_says_is_no_verdict_of_its_row)
{
    bp_provider_info info = {.struct_size = sizeof info};
    bp_provider_check found;
    uint32_t i;
    bp_env *env;

    install("absent");
    env = open_env(BP_PROBE_OFF, 0);
    found = check(env, "absent", 1);
    ends(found, BP_STAGE_AVAILABLE, BP_E_UNAVAILABLE, "driver too old");
    ck_assert_uint_eq(found.is_probed, 1);
    KIT_OK(bp_env_find_provider(env, "absent", &i, &kit.err));
    KIT_OK(bp_env_provider_peek(env, i, &info, &kit.err));
    ck_assert_int_eq(info.code, BP_OK); /* the driver may come */
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(faults_end_the_checks_where_they_are)
{
    bp_provider_check found;
    bp_env *env;

    install("undefined");
    plugin_make("libbp-trap.so", "id=org.test.trap\\nname=trap\\nversion=1", PLUGIN_TRAP, "");
    env = open_env(BP_PROBE_OFF, 0);
    found = check(env, "undefined", 1);
    ends(found, BP_STAGE_DEPENDENCIES, BP_E_IO, "1 undefined symbol");
    ck_assert_ptr_nonnull(found.fix);
    ck_assert_uint_eq(found.is_probed, 0);
    ends(check(env, "trap", 0), BP_STAGE_POLICY, BP_OK, NULL); /* nothing of it runs */
    found = check(env, "trap", 1);
    ck_assert_int_eq(found.code, BP_E_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(found.reason, "crashed with signal"));
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(allow_list_is_asked_before_the_probe)
{
    bp_provider_check found;
    bp_env *env;

    install("few");
    env = open_env(BP_PROBE_OFF, BP_ALLOW_ENFORCE);
    found = check(env, "few", 1);
    ends(found, BP_STAGE_POLICY, BP_E_UNAVAILABLE, "is in no allow list");
    ck_assert_uint_eq(strlen(found.sha256), 64);
    ck_assert_uint_eq(found.is_probed, 0);
    KIT_OK(bp_env_destroy(env, &kit.err));
    env = open_env(BP_PROBE_OFF, BP_ALLOW_WARN);
    found = check(env, "few", 0);
    ends(found, BP_STAGE_POLICY, BP_OK, NULL);
    ck_assert_uint_eq(found.is_listed, 0);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(check_rejects_wrong_arguments)
{
    bp_provider_check found = {.struct_size = sizeof found};
    bp_env *env = open_env(BP_PROBE_OFF, 0);

    KIT_FAILS(bp_env_check_provider(env, 7, 0, &found, &kit.err), BP_E_INVALID, "no provider 7");
    install("few");
    KIT_OK(bp_env_forget_provider(env, "few", &kit.err));
    found.struct_size = 0;
    KIT_FAILS(bp_env_check_provider(env, 0, 0, &found, &kit.err), BP_E_INVALID, "struct_size");
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(probe_without_a_helper_is_said)
{
    const char *dirs[] = {plugin_dir};
    bp_env_config config = {.struct_size = sizeof config,
                            .log_level = BP_LOG_ERROR,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe_helper = "/no/such/helper"};
    bp_provider_check found;
    bp_env *env = NULL;

    install("few");
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    found = check(env, "few", 1);
    ends(found, BP_STAGE_QUARANTINE, BP_E_UNAVAILABLE, "could not be probed");
    ck_assert_uint_eq(found.is_probed, 0);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(standard_directories_have_a_path)
{
    char dir[1024], small[4] = "abc";
    char home[1024];

    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "");
    setenv("XDG_DATA_HOME", "/data", 1);
    KIT_OK(bp_standard_provider_dir(BP_DIR_USER, dir, sizeof dir, &kit.err));
    ck_assert_str_eq(dir, "/data/backplane/v1");
    KIT_FAILS(bp_standard_provider_dir(BP_DIR_USER, small, sizeof small, &kit.err), BP_E_INVALID,
              "the buffer 4");
    ck_assert_str_eq(small, "abc");
    setenv("XDG_DATA_HOME", "data", 1);
    setenv("HOME", "/home/me", 1);
    KIT_OK(bp_standard_provider_dir(BP_DIR_USER, dir, sizeof dir, &kit.err));
    ck_assert_str_eq(dir, "/home/me/.local/share/backplane/v1");
    unsetenv("HOME");
    KIT_FAILS(bp_standard_provider_dir(BP_DIR_USER, dir, sizeof dir, &kit.err), BP_E_UNAVAILABLE,
              "no directory for providers");
    unsetenv("XDG_DATA_HOME");
    if (home[0])
        setenv("HOME", home, 1);
    KIT_OK(bp_standard_provider_dir(BP_DIR_SYSTEM, dir, sizeof dir, &kit.err));
    ck_assert_int_eq(dir[0], '/');
    ck_assert_ptr_nonnull(strstr(dir, "backplane/v1"));
    KIT_FAILS(bp_standard_provider_dir(0, dir, sizeof dir, &kit.err), BP_E_INVALID, "BP_DIR_*");
}
END_TEST

START_TEST(versions_are_compared_as_the_host_does)
{
    ck_assert_int_gt(bp_compare_versions("1.10", "1.9"), 0);
    ck_assert_int_lt(bp_compare_versions("1.0-rc1", "1.0"), 0);
    ck_assert_int_eq(bp_compare_versions("1.0", "1.0"), 0);
    ck_assert_int_lt(bp_compare_versions(NULL, "1"), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("check");

    tcase_add_checked_fixture(tcase, plugin_setup, plugin_teardown);
    tcase_add_test(tcase, usable_plug_in_passes_and_is_not_opened_here);
    tcase_add_test(tcase, what_the_provider_says_is_no_verdict_of_its_row);
    tcase_add_test(tcase, faults_end_the_checks_where_they_are);
    tcase_add_test(tcase, allow_list_is_asked_before_the_probe);
    tcase_add_test(tcase, check_rejects_wrong_arguments);
    tcase_add_test(tcase, probe_without_a_helper_is_said);
    tcase_add_test(tcase, standard_directories_have_a_path);
    tcase_add_test(tcase, versions_are_compared_as_the_host_does);
    return kit_main("check", &tcase, 1);
}
