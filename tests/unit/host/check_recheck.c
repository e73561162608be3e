/* SPDX-License-Identifier: MIT */
/*
 * check_recheck.c - the last look at a plug-in's file, right before anything of it is mapped, in
 * the process that tries it or in this one. Constructors that trap would show that it came too
 * late. P5.
 */

#include "config.h"

#include <check.h>
#include <errno.h>

#include "host/load/loader.h"
#include "support/plugin_kit.h"

#define MANIFEST(name) "id=org.test." name "\\nname=" name "\\nversion=1"

/* As plugin_env(), with plug-ins tried in a process of their own. */
static bp_env *probing_env(void)
{
    const char *dirs[] = {plugin_dir};
    bp_env_config config = {.struct_size = sizeof config,
                            .log_level = BP_LOG_ERROR,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = BP_PROBE_ALWAYS,
                            .probe_timeout_ms = 60000};
    bp_env *env = NULL;

    KIT_OK(bp_env_create(&config, &env, &kit.err));
    return env;
}

/* The provider's row says so. */
static void ends(bp_env *env, const char *name, uint32_t stage, bp_rc code, const char *words)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t i;

    KIT_FAILS(bp_env_is_available(env, name, &kit.err), code, words);
    KIT_OK(bp_env_find_provider(env, name, &i, &kit.err));
    KIT_OK(bp_env_provider_info(env, i, &info, &kit.err));
    ck_assert_msg(info.stage == stage && info.code == code, "%s, %s: %s", bp_stage_name(info.stage),
                  bp_rc_name(info.code), info.reason);
    ck_assert_msg(strstr(info.reason, words) != NULL, "%s", info.reason);
}

/* ---- what has changed since it was listed ---------------------------------------------------- */

static const struct {
    uint32_t stage;
    bp_rc code;
    const char *words;
} changes[] = {
    {BP_STAGE_SECURITY, BP_E_UNAVAILABLE, "has mode 0777, so every user could change it"},
    {BP_STAGE_SECURITY, BP_E_UNAVAILABLE, "executable"},
    {BP_STAGE_MANIFEST, BP_E_UNAVAILABLE, "another than when it was found"},
    {BP_STAGE_FOUND, BP_E_IO, "No such file"},
};

static void change(int which)
{
    if (which == 0)
        chmod(plugin_dir, 0777);
    else if (which == 1)
        plugin_make("libbp-x.so", MANIFEST("x"), PLUGIN_TRAP, "-Wl,-z,execstack");
    else if (which == 2)
        plugin_make("libbp-x.so", MANIFEST("y"), PLUGIN_TRAP, "");
    else
        unlink(plugin_path("libbp-x.so"));
}

START_TEST(file_changed_since_the_listing_is_inspected_again)
{
    bp_env *env;
    uint32_t n;

    for (int probes = 0; probes < 2; probes++) {
        chmod(plugin_dir, 0700);
        plugin_make("libbp-x.so", MANIFEST("x"), PLUGIN_TRAP, "");
        env = probes ? probing_env() : plugin_env(0);
        KIT_OK(bp_env_provider_count(env, &n, &kit.err));
        ck_assert_uint_ge(n, 1);
        change(_i);
        ends(env, "x", changes[_i].stage, changes[_i].code, changes[_i].words);
        KIT_OK(bp_env_destroy(env, &kit.err));
    }
    chmod(plugin_dir, 0700);
}
END_TEST

START_TEST(link_changed_since_the_listing_is_followed_again)
{
    bp_env *env;
    uint32_t n;

    ck_assert_int_eq(mkdir(plugin_path("good"), 0755), 0);
    ck_assert_int_eq(mkdir(plugin_path("open"), 0755), 0);
    plugin_make("good/libbp-x.so", MANIFEST("x"), PLUGIN_TRAP, "");
    plugin_shell("cp %s %s", plugin_path("good/libbp-x.so"), plugin_path("open/libbp-x.so"));
    ck_assert_int_eq(symlink("good/libbp-x.so", plugin_path("libbp-x.so")), 0);
    env = plugin_env(0);
    KIT_OK(bp_env_provider_count(env, &n, &kit.err));
    chmod(plugin_path("open"), 0777);
    unlink(plugin_path("libbp-x.so"));
    ck_assert_int_eq(symlink("open/libbp-x.so", plugin_path("libbp-x.so")), 0);
    ends(env, "x", BP_STAGE_SECURITY, BP_E_UNAVAILABLE, "/open has mode 0777");
    KIT_OK(bp_env_destroy(env, &kit.err));
    chmod(plugin_path("open"), 0755);
}
END_TEST

START_TEST(loader_maps_the_file_that_was_inspected)
{
    struct bp_file_id other = {.dev = 1, .ino = 1}, own;
    const struct bp_module_copy *copy;
    uint32_t stage;
    struct stat st;

    plugin_shell("cp %s/libbp-few.so %s", getenv("BP_MOCK_DIR"), plugin_path("libbp-few.so"));
    KIT_FAILS(bp_loader_open(plugin_path("libbp-few.so"), &other, &copy, &stage, &kit.err), BP_E_IO,
              "another file has taken its place");
    ck_assert_uint_eq(stage, BP_STAGE_ENTRY);
    ck_assert_ptr_null(copy);
    ck_assert_int_eq(stat(plugin_path("libbp-few.so"), &st), 0);
    own = (struct bp_file_id){.dev = st.st_dev, .ino = st.st_ino};
    KIT_OK(bp_loader_open(plugin_path("libbp-few.so"), &own, &copy, &stage, &kit.err));
}
END_TEST

/* ---- what the operator pins ------------------------------------------------------------------ */

START_TEST(pinned_hash_is_checked_before_the_probe)
{
    bp_env *env;

    plugin_make("libbp-x.so", MANIFEST("x"), PLUGIN_TRAP, "");
    plugin_write("x.conf", "sha256 = "
                           "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n");
    chmod(plugin_path("x.conf"), 0644);
    env = probing_env();
    ends(env, "x", BP_STAGE_POLICY, BP_E_UNAVAILABLE, "not the file that its conf file pins");
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

/* ---- the allow list -------------------------------------------------------------------------- */

static bp_env *allow_env(uint32_t mode, bp_allow_fn fn)
{
    const char *dirs[] = {plugin_dir}, *lists = plugin_path("allow.d");
    bp_env_config config = {.struct_size = sizeof config,
                            .log_level = BP_LOG_WARN,
                            .log = kit_log,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = BP_PROBE_OFF,
                            .allow = mode,
                            .allow_dir = lists,
                            .allow_fn = fn};
    bp_env *env = NULL;

    kit.n_lines = 0;
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    return env;
}

/* "few" in the test's directory, whose hash is in *out. */
static void make_few(char out[65])
{
    FILE *in;

    plugin_shell("cp %s/libbp-few.so %s", getenv("BP_MOCK_DIR"), plugin_path("libbp-few.so"));
    plugin_shell("sha256sum < %s > %s", plugin_path("libbp-few.so"), plugin_path("hash"));
    in = fopen(plugin_path("hash"), "r");
    ck_assert_ptr_nonnull(in);
    ck_assert_ptr_nonnull(fgets(out, 65, in));
    fclose(in);
    if (mkdir(plugin_path("allow.d"), 0755) != 0)
        ck_assert_int_eq(errno, EEXIST);
}

static void write_list(const char *name, const char *text)
{
    char path[64];

    snprintf(path, sizeof path, "allow.d/%s", name);
    plugin_write(path, text);
    chmod(plugin_path(path), 0644);
}

START_TEST(allow_list_admits_only_listed_plug_ins)
{
    char hash[65], line[256];
    const char *dir;
    bp_env *env;
    uint32_t n;

    make_few(hash);
    env = allow_env(BP_ALLOW_ENFORCE, NULL);
    ends(env, "few", BP_STAGE_POLICY, BP_E_UNAVAILABLE, "is in no allow list");
    KIT_FAILS(bp_env_is_available(env, "few", &kit.err), BP_E_UNAVAILABLE, hash,
              "'org.backplane.few'");
    KIT_OK(bp_env_destroy(env, &kit.err));
    snprintf(line, sizeof line, "# few\n\n%s \torg.backplane.few # as it was built\n", hash);
    write_list("b.sum", line);
    write_list("ignored.txt", "nonsense\n");
    env = allow_env(BP_ALLOW_ENFORCE, NULL);
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    ck_assert_uint_eq(bp_env_allow(env, &dir, &n), BP_ALLOW_ENFORCE);
    ck_assert_uint_ge(n, 1);
    ck_assert_ptr_nonnull(strstr(dir, "/backplane/allow.d"));
    ck_assert_uint_eq(kit_warnings(), 0);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(allow_list_rejects_listed_bytes_under_another_id)
{
    char hash[65], line[256];
    bp_env *env;

    make_few(hash);
    snprintf(line, sizeof line, "%s org.backplane.many\n", hash);
    write_list("a.sum", line);
    env = allow_env(BP_ALLOW_ENFORCE, NULL);
    ends(env, "few", BP_STAGE_POLICY, BP_E_UNAVAILABLE, "listed as 'org.backplane.many'");
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(allow_list_prevents_probes_of_unlisted_plug_ins)
{
    const char *dirs[] = {plugin_dir};
    bp_env_config config = {.struct_size = sizeof config,
                            .log_level = BP_LOG_ERROR,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = BP_PROBE_ALWAYS};
    bp_env *env = NULL;

    plugin_make("libbp-x.so", MANIFEST("x"), PLUGIN_TRAP, "");
    setenv("BACKPLANE_ALLOW", "enforce", 1);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    ends(env, "x", BP_STAGE_POLICY, BP_E_UNAVAILABLE, "is in no allow list");
    KIT_OK(bp_env_destroy(env, &kit.err));
    unsetenv("BACKPLANE_ALLOW");
}
END_TEST

START_TEST(allow_mode_warn_opens_an_unlisted_plug_in_and_warns_once)
{
    char hash[65];
    bp_env *env;

    make_few(hash);
    env = allow_env(BP_ALLOW_WARN, NULL);
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "is in no allow list"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "it is opened all the same"), 1);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

/* What each of three says, and what comes of it. */
static const struct {
    uint32_t program;
    const char *user, *operator, * warning;
    uint32_t mode;
} settings[] = {
    {0, NULL, NULL, NULL, BP_ALLOW_OFF},
    {BP_ALLOW_OFF, "warn", NULL, NULL, BP_ALLOW_WARN},
    {BP_ALLOW_ENFORCE, "off", "off\n", NULL, BP_ALLOW_ENFORCE},
    {BP_ALLOW_OFF, "off", "# ours\nenforce\n", NULL, BP_ALLOW_ENFORCE},
    {0, "yes", NULL, "'yes' counts as enforce", BP_ALLOW_ENFORCE},
    {0, NULL, "warn\noff\n", "one word", BP_ALLOW_ENFORCE},
    {0, NULL, "perhaps\n", "one word", BP_ALLOW_ENFORCE},
    {0, NULL, "", "one word", BP_ALLOW_ENFORCE},
};

START_TEST(strictest_allow_setting_applies)
{
    char hash[65];
    bp_env *env;

    make_few(hash);
    if (settings[_i].operator)
        write_list("mode", settings[_i].operator);
    if (settings[_i].user)
        setenv("BACKPLANE_ALLOW", settings[_i].user, 1);
    env = allow_env(settings[_i].program, NULL);
    ck_assert_uint_eq(bp_env_allow(env, NULL, NULL), settings[_i].mode);
    ck_assert_uint_eq(kit_warnings(), settings[_i].warning != NULL);
    if (settings[_i].warning)
        ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, settings[_i].warning), 1);
    KIT_OK(bp_env_destroy(env, &kit.err));
    unsetenv("BACKPLANE_ALLOW");
}
END_TEST

/* A list that others may write to; one that is too large; lines that are none. */
START_TEST(unsafe_or_malformed_allow_list_is_ignored)
{
    char hash[65], line[256];
    bp_env *env;

    make_few(hash);
    if (_i == 0) {
        snprintf(line, sizeof line, "%s org.backplane.few\n", hash);
        write_list("a.sum", line);
        chmod(plugin_path("allow.d/a.sum"), 0666);
    } else if (_i == 1) {
        plugin_shell("head -c 1100000 /dev/zero | tr '\\0' '#' > %s", plugin_path("allow.d/a.sum"));
    } else {
        static const char *const lines[] = {
            "%.63s org.backplane.few\n", "%s\n", "%sorg.backplane.few\n",
            "%s org.backplane.few and more\n", "x%s org.backplane.few\n"};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(line, sizeof line, lines[_i - 2], hash);
#pragma GCC diagnostic pop
        write_list("a.sum", line);
    }
    env = allow_env(BP_ALLOW_ENFORCE, NULL);
    ends(env, "few", BP_STAGE_POLICY, BP_E_UNAVAILABLE, "is in no allow list");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "not count"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "allow.d/a.sum"), 1);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

static unsigned n_asked;

static bp_rc verify(void *user, const char *path, const char *id, const char *sha256, bp_err *err)
{
    (void)user;
    n_asked++;
    ck_assert_str_eq(path, plugin_path("libbp-few.so"));
    ck_assert_str_eq(id, "org.backplane.few");
    ck_assert_uint_eq(strlen(sha256), 64);
    return access(plugin_path("signature"), F_OK) == 0
               ? BP_OK
               : bp_fail(err, BP_E_UNAVAILABLE, "its signature is not there");
}

START_TEST(verify_callback_of_the_program_decides_on_unlisted_plug_ins)
{
    char hash[65];
    bp_env *env;

    make_few(hash);
    n_asked = 0;
    env = allow_env(BP_ALLOW_ENFORCE, verify);
    ends(env, "few", BP_STAGE_POLICY, BP_E_UNAVAILABLE,
         "the application says: its signature is not there");
    KIT_OK(bp_env_destroy(env, &kit.err));
    plugin_write("signature", "");
    env = allow_env(BP_ALLOW_ENFORCE, verify);
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
    ck_assert_uint_gt(n_asked, 1);
    n_asked = 0;
    env = allow_env(BP_ALLOW_OFF, verify);
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    ck_assert_uint_eq(n_asked, 0);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(environment_rejects_invalid_allow_and_deps_settings)
{
    bp_env_config config = {.struct_size = sizeof config};
    bp_env *env;

    config.allow = 4;
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "allow is 4");
    config.allow = 0;
    config.deps = 3;
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "deps is 3");
    config.deps = 0;
    config.allow_dir = "allow.d";
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "'allow.d' is not absolute");
}
END_TEST

/* ---- what it brings in ----------------------------------------------------------------------- */

/* A plug-in that needs a library in the directory lib, which is of another user, or open to all. */
static void make_needy(void)
{
    ck_assert_int_eq(mkdir(plugin_path("lib"), 0755), 0);
    plugin_make("lib/libneeded.so", NULL, PLUGIN_TRAP "int needed(void) { return 1; }\n",
                "-Wl,-soname,libneeded.so");
    snprintf(kit.text, sizeof kit.text, "-L%s -lneeded -Wl,-rpath,%s", plugin_path("lib"),
             plugin_path("lib"));
    plugin_make("libbp-x.so", MANIFEST("x"), "int needed(void); int f(void) { return needed(); }\n",
                kit.text);
}

START_TEST(plug_in_with_libraries_that_others_may_write_is_rejected)
{
    const char *dirs[] = {plugin_dir};
    bp_env_config config = {.struct_size = sizeof config,
                            .log_level = BP_LOG_ERROR,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = BP_PROBE_ALWAYS};
    bp_env *env = NULL;

    make_needy();
    chmod(plugin_path("lib"), 0777);
    if (_i == 0)
        config.deps = BP_DEPS_TRUSTED;
    else if (_i == 1)
        setenv("BACKPLANE_DEPS", "trusted", 1);
    else if (_i == 2)
        config.flags = BP_ENV_HERMETIC;
    else
        plugin_write("x.conf", "deps = trusted\n");
    if (_i == 3)
        chmod(plugin_path("x.conf"), 0644);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    ends(env, "x", BP_STAGE_SECURITY, BP_E_UNAVAILABLE, "needs a library that is not trusted");
    KIT_FAILS(bp_env_is_available(env, "x", &kit.err), BP_E_UNAVAILABLE, "lib has mode 0777",
              "chmod go-w");
    KIT_OK(bp_env_destroy(env, &kit.err));
    unsetenv("BACKPLANE_DEPS");
    chmod(plugin_path("lib"), 0755);
}
END_TEST

START_TEST(trusted_libraries_of_an_opened_plug_in_are_listed)
{
    const char *dirs[] = {plugin_dir};
    bp_env_config config = {.struct_size = sizeof config,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = BP_PROBE_OFF,
                            .deps = BP_DEPS_TRUSTED};
    char few[256], needed[256];
    bp_env *env = NULL;
    uint32_t i;

    /* few, and beside it what it has to load first */
    ck_assert_int_eq(mkdir(plugin_path("lib"), 0755), 0);
    plugin_make("lib/libneeded.so", NULL, "int needed(void) { return 1; }\n",
                "-Wl,-soname,libneeded.so");
    plugin_shell("%s -std=gnu11 -I%s/sdk -I%s -shared -fPIC -o %s %s/tests/mock/few.c "
                 "-Wl,--no-as-needed -L%s -lneeded -Wl,-rpath,%s",
                 getenv("CC"), getenv("BP_SRCDIR"), getenv("BP_BUILDDIR"),
                 plugin_path("libbp-few.so"), getenv("BP_SRCDIR"), plugin_path("lib"),
                 plugin_path("lib"));
    snprintf(few, sizeof few, "%s", plugin_path("libbp-few.so"));
    snprintf(needed, sizeof needed, "%s", plugin_path("lib/libneeded.so"));
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_OK(bp_env_find_provider(env, "few", &i, &kit.err));
    ck_assert_ptr_null(bp_env_provider_library(env, i, 0));
    KIT_OK(bp_env_is_available(env, "few", &kit.err));
    ck_assert_str_eq(bp_env_provider_library(env, i, 0), few);
    ck_assert_str_eq(bp_env_provider_library(env, i, 1), needed);
    ck_assert_ptr_null(bp_env_provider_library(env, i, 2));
    ck_assert_ptr_null(bp_env_provider_library(env, 1000, 0));
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

/* The linker does not list libraries that a plug-in opens itself; the probe finds them. */
START_TEST(probe_finds_libraries_that_a_plug_in_opens_itself)
{
    const char *dirs[] = {plugin_dir};
    bp_env_config config = {.struct_size = sizeof config,
                            .log_level = BP_LOG_ERROR,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = BP_PROBE_ALWAYS,
                            .probe_timeout_ms = 60000,
                            .deps = _i == 0 ? BP_DEPS_TRUSTED : BP_DEPS_ANY};
    bp_env *env = NULL;

    ck_assert_int_eq(mkdir(plugin_path("lib"), 0755), 0);
    plugin_make("lib/libopened.so", NULL, "int opened(void) { return 1; }\n", "");
    snprintf(kit.text, sizeof kit.text,
             "#include <dlfcn.h>\n"
             "__attribute__((constructor)) static void f(void) { dlopen(\"%s\", RTLD_NOW); }\n",
             plugin_path("lib/libopened.so"));
    plugin_write("more.c", kit.text);
    plugin_shell("%s -std=gnu11 -I%s/sdk -I%s -shared -fPIC -o %s %s/tests/mock/few.c %s",
                 getenv("CC"), getenv("BP_SRCDIR"), getenv("BP_BUILDDIR"),
                 plugin_path("libbp-few.so"), getenv("BP_SRCDIR"), plugin_path("more.c"));
    chmod(plugin_path("lib"), 0777);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    if (_i == 0)
        ends(env, "few", BP_STAGE_SECURITY, BP_E_UNAVAILABLE,
             "brings in a file that is not trusted");
    else
        KIT_OK(bp_env_is_available(env, "few", &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
    chmod(plugin_path("lib"), 0755);
}
END_TEST

START_TEST(manifest_no_ctor_is_rejected_when_the_file_has_constructors)
{
    bp_provider_info info = {.struct_size = sizeof info};
    bp_env *env;
    uint32_t i;

    plugin_make("libbp-x.so", MANIFEST("x") "\\nno_ctor=1", PLUGIN_TRAP, "");
    plugin_make("libbp-y.so", MANIFEST("y") "\\nno_ctor=1", "int f(void) { return 1; }",
                "-nostartfiles");
    plugin_make("libbp-z.so", MANIFEST("z") "\\nno_ctor=0", PLUGIN_TRAP, "");
    plugin_make("libbp-w.so", MANIFEST("w") "\\nno_ctor=1", PLUGIN_TRAP, "-nostartfiles");
    env = plugin_env(0);
    ends(env, "x", BP_STAGE_SECURITY, BP_E_UNAVAILABLE, "claims no_ctor");
    ends(env, "w", BP_STAGE_SECURITY, BP_E_UNAVAILABLE, "claims no_ctor");
    for (int at = 0; at < 2; at++) {
        KIT_OK(bp_env_find_provider(env, at ? "y" : "z", &i, &kit.err));
        KIT_OK(bp_env_provider_peek(env, i, &info, &kit.err));
        ck_assert_msg(info.code == BP_OK, "%s", info.reason);
    }
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("recheck");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, plugin_setup, plugin_teardown);
    tcase_add_loop_test(tcase, file_changed_since_the_listing_is_inspected_again, 0, 4);
    tcase_add_test(tcase, link_changed_since_the_listing_is_followed_again);
    tcase_add_test(tcase, loader_maps_the_file_that_was_inspected);
    tcase_add_test(tcase, pinned_hash_is_checked_before_the_probe);
    tcase_add_test(tcase, allow_list_admits_only_listed_plug_ins);
    tcase_add_test(tcase, allow_list_rejects_listed_bytes_under_another_id);
    tcase_add_test(tcase, allow_list_prevents_probes_of_unlisted_plug_ins);
    tcase_add_test(tcase, allow_mode_warn_opens_an_unlisted_plug_in_and_warns_once);
    tcase_add_loop_test(tcase, strictest_allow_setting_applies, 0,
                        sizeof settings / sizeof settings[0]);
    tcase_add_loop_test(tcase, unsafe_or_malformed_allow_list_is_ignored, 0, 7);
    tcase_add_test(tcase, verify_callback_of_the_program_decides_on_unlisted_plug_ins);
    tcase_add_test(tcase, environment_rejects_invalid_allow_and_deps_settings);
    tcase_add_loop_test(tcase, plug_in_with_libraries_that_others_may_write_is_rejected, 0, 4);
    tcase_add_test(tcase, trusted_libraries_of_an_opened_plug_in_are_listed);
    tcase_add_loop_test(tcase, probe_finds_libraries_that_a_plug_in_opens_itself, 0, 2);
    tcase_add_test(tcase, manifest_no_ctor_is_rejected_when_the_file_has_constructors);
    return kit_main("recheck", &tcase, 1);
}
