/* SPDX-License-Identifier: MIT */
/*
 * check_forget_provider.c - what bp_env_forget_provider() makes an environment see: plug-ins that
 * were installed, replaced or removed after it had searched.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>

#include "support/plugin_kit.h"

#define MANIFEST(name, version) "id=org.test." name "\\nname=" name "\\nversion=" version

/* Puts a mock into the test's directory as an installer does: under another name, then renamed. */
static void install(const char *mock, const char *as)
{
    plugin_shell("cp %s/libbp-%s.so %s && mv %s %s", getenv("BP_MOCK_DIR"), mock,
                 plugin_path("part"), plugin_path("part"), plugin_path(as));
}

static void make(const char *file, const char *manifest)
{
    plugin_make("part", manifest, PLUGIN_TRAP, "");
    ck_assert_int_eq(rename(plugin_path("part"), plugin_path(file)), 0);
}

static bool is_known(bp_env *env, const char *name)
{
    uint32_t i;

    return bp_env_find_provider(env, name, &i, &kit.err) >= 0;
}

static bp_provider_info peek(bp_env *env, const char *name)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t i;

    KIT_OK(bp_env_find_provider(env, name, &i, &kit.err));
    KIT_OK(bp_env_provider_peek(env, i, &info, &kit.err));
    return info;
}

static uint32_t count(bp_env *env)
{
    uint32_t n;

    KIT_OK(bp_env_provider_count(env, &n, &kit.err));
    return n;
}

static void end(bp_env *env)
{
    KIT_OK(bp_env_destroy(env, &kit.err));
}

START_TEST(installed_plug_in_is_seen)
{
    bp_env *env = plugin_env(0);
    uint32_t before;

    make("libbp-a.so", MANIFEST("a", "1"));
    before = count(env);
    install("few", "libbp-few.so");
    ck_assert(!is_known(env, "few"));
    KIT_OK(bp_env_forget_provider(env, "few", &kit.err));
    ck_assert_uint_eq(count(env), before + 1);
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    ck_assert(is_known(env, "org.test.a"));
    end(env);
}
END_TEST

START_TEST(removed_plug_in_is_gone_and_others_stay)
{
    static const char *const names[] = {"a", "org.test.a", NULL};
    bp_provider_info b;
    bp_env *env;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[256];
        const char *name = names[i] ? names[i] : path;

        snprintf(path, sizeof path, "%s", plugin_path("libbp-a.so"));

        make("libbp-a.so", MANIFEST("a", "1"));
        make("libbp-b.so", MANIFEST("b", "1"));
        env = plugin_env(0);
        b = peek(env, "b");
        ck_assert(is_known(env, "a"));
        ck_assert_int_eq(unlink(plugin_path("libbp-a.so")), 0);
        ck_assert(is_known(env, "a"));
        KIT_OK(bp_env_forget_provider(env, name, &kit.err));
        ck_assert(!is_known(env, "a"));
        ck_assert_ptr_eq(peek(env, "b").file, b.file); /* the same row */
        end(env);
    }
}
END_TEST

START_TEST(replaced_plug_in_is_inspected_anew)
{
    bp_provider_info old, fresh;
    bp_env *env;

    make("libbp-a.so", MANIFEST("a", "1"));
    env = plugin_env(0);
    old = peek(env, "a");
    make("libbp-a.so", MANIFEST("a", "2"));
    ck_assert_str_eq(peek(env, "a").version, "1");
    KIT_OK(bp_env_forget_provider(env, "a", &kit.err));
    fresh = peek(env, "a");
    ck_assert_str_eq(fresh.version, "2");
    ck_assert_str_eq(old.version, "1"); /* its strings live on */
    make("libbp-a.so", MANIFEST("c", "1"));
    KIT_OK(bp_env_forget_provider(env, "a", &kit.err));
    ck_assert(!is_known(env, "a"));
    ck_assert(is_known(env, "c"));
    end(env);
}
END_TEST

/* Opening one whose manifest is another says the way out. */
START_TEST(changed_manifest_names_the_function)
{
    bp_env *env;

    install("few", "libbp-few.so");
    env = plugin_env(0);
    ck_assert(is_known(env, "few"));
    make("libbp-few.so", MANIFEST("few", "9"));
    KIT_FAILS(bp_env_is_available(env, "few", &kit.err), BP_E_UNAVAILABLE,
              "another than when it was found", "bp_env_forget_provider()");
    end(env);
}
END_TEST

START_TEST(other_file_of_the_id_takes_its_place)
{
    bp_env *env;

    make("libbp-old.so", MANIFEST("a", "1"));
    make("libbp-new.so", MANIFEST("a", "2"));
    env = plugin_env(0);
    ck_assert_str_eq(peek(env, "a").version, "2");
    ck_assert_uint_eq(count(env), 2);
    ck_assert_int_eq(unlink(plugin_path("libbp-new.so")), 0);
    KIT_OK(bp_env_forget_provider(env, "a", &kit.err));
    ck_assert_str_eq(peek(env, "a").version, "1");
    ck_assert_int_eq(peek(env, "a").code, BP_OK);
    ck_assert_uint_eq(count(env), 1);
    make("libbp-new.so", MANIFEST("a", "3"));
    KIT_OK(bp_env_forget_provider(env, "a", &kit.err));
    ck_assert_str_eq(peek(env, "a").version, "3");
    ck_assert_uint_eq(count(env), 2);
    end(env);
}
END_TEST

/* The new one would be a second of its id in this process. */
START_TEST(newer_file_beside_an_open_one_is_not_used)
{
    bp_env *env;

    install("few", "libbp-few.so");
    env = plugin_env(0);
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    make("libbp-few2.so", "id=org.backplane.few\\nname=few\\nversion=99");
    KIT_OK(bp_env_forget_provider(env, "anything", &kit.err));
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    ck_assert_str_eq(peek(env, "few").file, plugin_path("libbp-few.so"));
    end(env);
}
END_TEST

/* ---- what is open ---------------------------------------------------------------------------- */

static char cpu_dir[1024];

/* A session on "few" of the test's directory, in kit.env. */
static void run_on_few(void)
{
    const char *dirs[] = {plugin_dir, cpu_dir};
    bp_env_config config = {.struct_size = sizeof config,
                            .log_level = BP_LOG_ERROR,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 2,
                            .probe = BP_PROBE_OFF};

    install("few", "libbp-few.so");
    KIT_OK(bp_env_destroy(kit.env, &kit.err));
    kit.env = NULL;
    KIT_OK(bp_env_create(&config, &kit.env, &kit.err));
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_check_small(3);
}

START_TEST(session_goes_on_with_a_removed_plug_in)
{
    run_on_few();
    ck_assert_int_eq(unlink(plugin_path("libbp-few.so")), 0);
    KIT_OK(bp_env_forget_provider(kit.env, "few", &kit.err));
    ck_assert(!is_known(kit.env, "few"));
    kit_check_small(3);
    kit_end_session();
    install("few", "libbp-few.so");
    KIT_OK(bp_env_forget_provider(kit.env, "few", &kit.err));
    KIT_FAILS(bp_env_is_available(kit.env, "few", &kit.err), BP_E_BUSY, "another file than the one",
              "start the program anew");
}
END_TEST

START_TEST(open_plug_in_that_was_replaced_is_busy)
{
    bp_env *other;

    run_on_few();
    install("few", "libbp-few.so");
    KIT_FAILS(bp_env_forget_provider(kit.env, "few", &kit.err), BP_E_BUSY,
              "is open in this process", "goes on to work");
    kit_check_small(3);
    kit_end_session();
    kit_session(); /* nothing has changed */
    kit_check_small(3);
    other = plugin_env(0); /* one that would take the new tables for those of the old file */
    KIT_FAILS(bp_env_is_available(other, "few", &kit.err), BP_E_BUSY, "another file than the one");
    end(other);
}
END_TEST

START_TEST(same_file_is_opened_again)
{
    bp_provider_info old;
    bp_env *env;

    install("few", "libbp-few.so");
    env = plugin_env(0);
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    old = peek(env, "few");
    KIT_OK(bp_env_forget_provider(env, "few", &kit.err));
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    ck_assert_ptr_eq(peek(env, "few").id, old.id); /* the module's own: it was not mapped twice */
    end(env);
}
END_TEST

START_TEST(unloadable_plug_in_is_replaced_in_the_next_environment)
{
    bp_env *env;

    install("guest", "libbp-guest.so");
    env = plugin_env(0);
    KIT_OK(bp_env_is_available(env, "guest", &kit.err));
    install("guest", "libbp-guest.so");
    KIT_FAILS(bp_env_forget_provider(env, "guest", &kit.err), BP_E_BUSY, "another file");
    end(env);
    env = plugin_env(0);
    KIT_OK(bp_env_is_available(env, "guest", &kit.err));
    end(env);
}
END_TEST

/* ---- names ----------------------------------------------------------------------------------- */

START_TEST(file_asked_for_by_its_path_is_listed_once_searched)
{
    bp_env *env = plugin_env(0);
    uint32_t before = count(env);

    install("few", "libbp-few.so");
    KIT_OK(bp_env_is_available(env, plugin_path("libbp-few.so"), &kit.err));
    ck_assert(!is_known(env, "few"));
    KIT_OK(bp_env_forget_provider(env, "anything", &kit.err));
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    ck_assert_uint_eq(count(env), before + 1);
    end(env);
}
END_TEST

static bp_rc no_entry(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)host;
    (void)out;
    return bp_fail(err, BP_E_UNAVAILABLE, "linked in");
}

START_TEST(only_files_can_be_forgotten)
{
    char name[200];
    bp_env *env = plugin_env(0);

    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    KIT_OK(bp_env_add_entry(env, "zoo", no_entry, &kit.err));
    KIT_FAILS(bp_env_forget_provider(env, "zoo", &kit.err), BP_E_INVALID, "'zoo' is linked into");
    KIT_FAILS(bp_env_forget_provider(env, "", &kit.err), BP_E_INVALID, "needs a name");
    KIT_FAILS(bp_env_forget_provider(env, NULL, &kit.err), BP_E_INVALID, "name is NULL");
    KIT_FAILS(bp_env_forget_provider(env, name, &kit.err), BP_E_INVALID, "too long");
    make("libbp-zoo.so", MANIFEST("zoo", "1"));
    KIT_OK(bp_env_forget_provider(env, "nothing-of-that-name", &kit.err));
    ck_assert_uint_eq(count(env), 2); /* the file is listed as not used */
    KIT_OK(bp_env_forget_provider(env, "zoo", &kit.err));
    ck_assert_ptr_null(peek(env, "zoo").file);
    end(env);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

static void *ask(void *env)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t i;

    for (int round = 0; round < 200; round++) {
        if (bp_env_find_provider(env, "few", &i, NULL) >= 0)
            (void)!bp_env_provider_peek(env, i, &info, NULL);
        if (bp_env_is_available(env, "few", NULL) < 0)
            return env;
    }
    return NULL;
}

START_TEST(forgetting_disturbs_no_other_thread)
{
    pthread_t threads[3];
    bp_env *env;

    install("few", "libbp-few.so");
    env = plugin_env(0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask, env), 0);
    for (int round = 0; round < 200; round++)
        KIT_OK(bp_env_forget_provider(env, "few", &kit.err));
    for (int i = 0; i < 3; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    end(env);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("forget");

    snprintf(cpu_dir, sizeof cpu_dir, "%s/../../../providers", getenv("BP_MOCK_DIR"));

    tcase_add_checked_fixture(tcase, plugin_setup, plugin_teardown);
    tcase_add_test(tcase, installed_plug_in_is_seen);
    tcase_add_test(tcase, removed_plug_in_is_gone_and_others_stay);
    tcase_add_test(tcase, replaced_plug_in_is_inspected_anew);
    tcase_add_test(tcase, changed_manifest_names_the_function);
    tcase_add_test(tcase, other_file_of_the_id_takes_its_place);
    tcase_add_test(tcase, newer_file_beside_an_open_one_is_not_used);
    tcase_add_test(tcase, session_goes_on_with_a_removed_plug_in);
    tcase_add_test(tcase, open_plug_in_that_was_replaced_is_busy);
    tcase_add_test(tcase, same_file_is_opened_again);
    tcase_add_test(tcase, unloadable_plug_in_is_replaced_in_the_next_environment);
    tcase_add_test(tcase, file_asked_for_by_its_path_is_listed_once_searched);
    tcase_add_test(tcase, only_files_can_be_forgotten);
    tcase_add_test(tcase, forgetting_disturbs_no_other_thread);
    return kit_main("forget", &tcase, 1);
}
