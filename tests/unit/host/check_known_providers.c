/* SPDX-License-Identifier: MIT */
/*
 * check_known_providers.c - the matrix of known providers: supported, found, linked in, linkable.
 * D-01.
 */

#include "config.h"

#include <stddef.h>

#include "support/plugin_kit.h"

#define MANIFEST(name) "id=org.test." name "\\nname=" name "\\nversion=1"

static bp_known_provider known_of(bp_env *env, const char *name)
{
    bp_known_provider known = {.struct_size = sizeof known};

    for (uint32_t i = 0; bp_env_known_provider(env, i, &known, &kit.err) >= 0; i++) {
        if (strcmp(known.name, name) == 0)
            return known;
    }
    ck_abort_msg("'%s' is not known", name);
    return known;
}

static bp_rc lost_entry(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)host;
    (void)out;
    return bp_fail(err, BP_E_UNAVAILABLE, "linked in and lost");
}

static void is_sound(const bp_known_provider *known)
{
    bool is_installed = known->flags & (BP_KNOWN_FILE | BP_KNOWN_LINKED);

    ck_assert_msg(bp_provider_names_is_known(known->name), "%s", known->name);
    ck_assert_uint_ge(known->home, BP_HOME_HERE);
    ck_assert_uint_le(known->home, BP_HOME_GONE);
    ck_assert_msg((known->home == BP_HOME_ELSEWHERE) <= (known->note != NULL), "%s", known->name);
    ck_assert(known->states & BP_STATE_KNOWN);
    ck_assert_int_eq(is_installed, (known->states & BP_STATE_INSTALLED) != 0);
    if (is_installed || known->flags & BP_KNOWN_LINKABLE)
        ck_assert_msg(known->flags & BP_KNOWN_SUPPORTED, "%s", known->name);
    if (known->code < 0)
        ck_assert_msg(known->reason && *known->reason, "%s", known->name);
    if (!is_installed) {
        ck_assert_uint_eq(known->stage, BP_STAGE_FOUND);
        ck_assert_int_eq(known->code, BP_E_UNAVAILABLE);
        ck_assert_ptr_null(known->file);
    }
}

START_TEST(known_providers_are_listed_once_each)
{
    bp_known_provider known = {.struct_size = sizeof known};
    const char *names[64];
    uint32_t n = 0;
    bp_rc rc;

    while ((rc = bp_env_known_provider(kit.env, n, &known, &kit.err)) >= 0) {
        is_sound(&known);
        for (uint32_t i = 0; i < n; i++)
            ck_assert_str_ne(names[i], known.name);
        ck_assert_uint_lt(n, 64);
        names[n++] = known.name;
    }
    ck_assert_int_eq(rc, BP_E_INVALID);
    ck_assert_uint_ge(n, 28);
    KIT_FAILS(bp_env_known_provider(kit.env, UINT32_MAX, &known, &kit.err), BP_E_INVALID,
              "no known provider 4294967295");
    known.struct_size = 0;
    KIT_FAILS(bp_env_known_provider(kit.env, 0, &known, &kit.err), BP_E_INVALID, "struct_size");
}
END_TEST

START_TEST(known_provider_fills_no_more_than_the_callers_struct_size)
{
    bp_known_provider known = {.struct_size = offsetof(bp_known_provider, note), .note = "mine"};

    KIT_OK(bp_env_known_provider(kit.env, 0, &known, &kit.err));
    ck_assert_str_eq(known.name, "cpu");
    ck_assert_str_eq(known.note, "mine");
    ck_assert_uint_eq(known.struct_size, offsetof(bp_known_provider, note));
}
END_TEST

/* An environment without search paths knows the table and the build's own providers only. */
START_TEST(known_providers_name_who_supplies_each)
{
    static const uint32_t none = BP_KNOWN_FILE | BP_KNOWN_LINKED;
    bp_env *env = plugin_env(BP_ENV_IGNORE_VARIABLES);
    bp_known_provider known = known_of(env, "cpu");
    bool has_file;

    ck_assert_uint_eq(known.home, BP_HOME_HERE);
    ck_assert_uint_eq(known.flags & (none | BP_KNOWN_SUPPORTED), BP_KNOWN_SUPPORTED);
    ck_assert_str_eq(known.reason, "its plug-in is not installed");
    known = known_of(env, "openvino");
    ck_assert_uint_eq(known.home, BP_HOME_ELSEWHERE);
    ck_assert_uint_eq(known.flags, 0);
    ck_assert_str_eq(known.note, "Intel's OpenVINO runtime");
    ck_assert_ptr_nonnull(strstr(known.reason, "vendor"));
    known = known_of(env, "rocm");
    ck_assert_uint_eq(known.home, BP_HOME_GONE);
    ck_assert_uint_eq(known.flags, 0);
    ck_assert_str_eq(known.note, "migraphx");
    ck_assert_ptr_nonnull(strstr(known.reason, "withdrawn"));
    KIT_OK(bp_env_destroy(env, &kit.err));

    /* what was built can be linked in: kit.env finds the build's own */
    for (uint32_t i = 0; bp_env_known_provider(kit.env, i, &known, &kit.err) >= 0; i++) {
        char path[1024];

        snprintf(path, sizeof path, "%s/providers/libbp-%s.so", getenv("BP_BUILDDIR"), known.name);
        has_file = access(path, F_OK) == 0;
        ck_assert_msg(!has_file || known.flags & BP_KNOWN_FILE, "%s", path);
        ck_assert_msg(!has_file || known.flags & BP_KNOWN_LINKABLE, "%s", path);
    }
}
END_TEST

/* D-01: were one opened, its constructor would end the test. */
START_TEST(known_providers_find_files_without_opening_them)
{
    bp_known_provider known;
    bp_env *env;

    plugin_make("libbp-xnnpack.so", MANIFEST("xnnpack"), PLUGIN_TRAP, "");
    plugin_write("libbp-webgpu.so", "this is not a shared object");
    env = plugin_env(0);
    known = known_of(env, "webgpu");
    is_sound(&known);
    ck_assert_uint_eq(known.flags, BP_KNOWN_SUPPORTED | BP_KNOWN_FILE);
    ck_assert_int_lt(known.code, 0);
    ck_assert_str_eq(known.file, plugin_path("libbp-webgpu.so"));
    known = known_of(env, "xnnpack");
    is_sound(&known);
    ck_assert_uint_eq(known.flags, BP_KNOWN_SUPPORTED | BP_KNOWN_FILE);
    ck_assert_uint_eq(known.states, BP_STATE_KNOWN | BP_STATE_INSTALLED);
    ck_assert_int_eq(known.code, BP_OK);
    ck_assert_uint_lt(known.stage, BP_STAGE_AVAILABLE);
    ck_assert_str_eq(known.file, plugin_path("libbp-xnnpack.so"));
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

/* The file is still listed, though the linked-in provider is used. */
START_TEST(linked_in_provider_is_listed_with_its_file)
{
    bp_known_provider known;
    bp_env *env;

    plugin_make("libbp-xnnpack.so", MANIFEST("xnnpack"), PLUGIN_TRAP, "");
    env = plugin_env(0);
    KIT_OK(bp_env_add_entry(env, "xnnpack", lost_entry, &kit.err));
    known = known_of(env, "xnnpack");
    is_sound(&known);
    ck_assert_uint_eq(known.flags,
                      BP_KNOWN_SUPPORTED | BP_KNOWN_FILE | BP_KNOWN_LINKED | BP_KNOWN_LINKABLE);
    ck_assert_ptr_null(known.file);
    ck_assert_int_eq(known.code, BP_OK); /* availability was not checked yet */
    KIT_FAILS(bp_env_is_available(env, "xnnpack", &kit.err), BP_E_UNAVAILABLE, "lost");
    known = known_of(env, "xnnpack");
    ck_assert_int_eq(known.code, BP_E_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(known.reason, "linked in and lost"));
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

/* A file elsewhere, asked for by its path, is not found by its name. */
START_TEST(known_providers_ignore_a_file_outside_the_search_path)
{
    bp_known_provider known;
    bp_env *env;
    uint32_t i;

    plugin_shell("mkdir %s", plugin_path("other"));
    plugin_make("other/libbp-xnnpack.so", MANIFEST("xnnpack"), PLUGIN_TRAP, "");
    env = plugin_env(0);
    KIT_OK(bp_env_find_provider(env, plugin_path("other/libbp-xnnpack.so"), &i, &kit.err));
    known = known_of(env, "xnnpack");
    is_sound(&known);
    ck_assert_uint_eq(known.flags, 0);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("known");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, plugin_setup, plugin_teardown);
    tcase_add_test(tcase, known_providers_are_listed_once_each);
    tcase_add_test(tcase, known_provider_fills_no_more_than_the_callers_struct_size);
    tcase_add_test(tcase, known_providers_name_who_supplies_each);
    tcase_add_test(tcase, known_providers_find_files_without_opening_them);
    tcase_add_test(tcase, linked_in_provider_is_listed_with_its_file);
    tcase_add_test(tcase, known_providers_ignore_a_file_outside_the_search_path);
    return kit_main("known", &tcase, 1);
}
