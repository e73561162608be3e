/* SPDX-License-Identifier: MIT */
/*
 * check_linked.c - plug-ins in the program itself: this one is linked with the mocks few and gizmo,
 * and with the build's own providers, by libtool's -dlpreopen. P1, P5.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/linked.h"
#include "support/session_kit.h"

bp_rc libbp_few_LTX_bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

static bp_provider_info info_of(bp_env *env, const char *name)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t at;

    KIT_OK(bp_env_find_provider(env, name, &at, &kit.err));
    KIT_OK(bp_env_provider_peek(env, at, &info, &kit.err));
    return info;
}

/* ---- the program's own ----------------------------------------------------------------------- */

START_TEST(manifest_of_a_linked_in_provider_is_read_without_running_it)
{
    bp_provider_info info = info_of(kit.env, "few");

    ck_assert_ptr_null(info.file);
    ck_assert_str_eq(info.id, "org.backplane.few");
    ck_assert_ptr_nonnull(info.version);
    ck_assert_ptr_null(info.vendor); /* which is only in its tables */
    ck_assert_uint_eq(info.stage, BP_STAGE_POLICY);
    KIT_OK(bp_env_is_available(kit.env, "org.backplane.few", &kit.err));
    info = info_of(kit.env, "few");
    ck_assert_uint_eq(info.stage, BP_STAGE_AVAILABLE);
    ck_assert_ptr_nonnull(info.vendor);
}
END_TEST

/* D-01: of the known ones, those of the build's own that were linked in say so, and no others. */
START_TEST(known_providers_say_which_are_linked_in)
{
    bp_known_provider known = {.struct_size = sizeof known};
    uint32_t at, n = 0;

    for (uint32_t i = 0; bp_env_known_provider(kit.env, i, &known, &kit.err) >= 0; i++) {
        bool is_linked = bp_env_find_provider(kit.env, known.name, &at, &kit.err) >= 0 &&
                         !info_of(kit.env, known.name).file;

        ck_assert_int_eq(is_linked, (known.flags & BP_KNOWN_LINKED) != 0);
        ck_assert_msg(!is_linked || known.flags & BP_KNOWN_LINKABLE, "%s", known.name);
        n += is_linked;
    }
    ck_assert_uint_gt(n, 0);
}
END_TEST

START_TEST(linked_in_provider_wins_over_files)
{
    bp_provider_info info = {.struct_size = sizeof info};
    const char *const names[] = {"few", "gizmo"};
    uint32_t n, found = 0;
    char path[1024];

    snprintf(path, sizeof path, "%s/libbp-%s.so", getenv("BP_MOCK_DIR"), names[_i]);
    if (access(path, F_OK) != 0)
        return; /* a build without plug-in files */
    KIT_OK(bp_env_provider_count(kit.env, &n, &kit.err));
    for (uint32_t i = 0; i < n; i++) {
        KIT_OK(bp_env_provider_peek(kit.env, i, &info, &kit.err));
        if (!info.file || strcmp(info.name, names[_i]) != 0)
            continue;
        found++;
        ck_assert_uint_eq(info.stage, BP_STAGE_POLICY);
        ck_assert_ptr_nonnull(strstr(info.reason, "is linked in"));
    }
    ck_assert_uint_eq(found, 1);
}
END_TEST

/* Internal symbols of linked-in plug-ins do not collide: each computes as if alone. */
START_TEST(session_runs_on_one_and_on_several_linked_in_providers)
{
    static const char *const lists[][3] = {
        {"few"}, {"gizmo"}, {"dnnl"}, {"few", "gizmo"}, {"dnnl", "gizmo", "few"}, {"cpu"},
    };

    kit_small_model();
    for (int i = 0; i < 3 && lists[_i][i]; i++)
        kit_provider(lists[_i][i], BP_FALLBACK_SILENT);
    kit_session();
    kit_check_small(3);
    kit_check_small(5);
}
END_TEST

START_TEST(linked_in_provider_is_used_when_named)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_provider("gizmo", BP_FALLBACK_SILENT);
    kit_session();
    kit_check_small(2);
}
END_TEST

START_TEST(linked_in_provider_can_be_disabled_by_a_variable)
{
    bp_env_config config = {.struct_size = sizeof config};
    bp_env *env;
    bp_provider_info info;

    ck_assert_int_eq(setenv("BACKPLANE_PROVIDERS", _i == 0 ? "!few" : "!org.backplane.f*", 1), 0);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    unsetenv("BACKPLANE_PROVIDERS");
    info = info_of(env, "few");
    ck_assert_uint_eq(info.stage, BP_STAGE_POLICY);
    ck_assert_int_eq(info.code, BP_E_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(info.reason, "few is vetoed"));
    KIT_FAILS(bp_env_is_available(env, "few", &kit.err), BP_E_UNAVAILABLE, "vetoed");
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

/* ---- faults ---------------------------------------------------------------------------------- */

struct manifest {
    uint32_t owner_size, size, type;
    char owner[12];
    char text[200];
};

static bp_rc lost_entry(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)host;
    (void)out;
    return bp_fail(err, BP_E_UNAVAILABLE, "linked in and lost");
}

static struct manifest note_of(const char *text)
{
    struct manifest manifest = {sizeof BP_MANIFEST_OWNER, (uint32_t)strlen(text), BP_MANIFEST_TYPE,
                                BP_MANIFEST_OWNER, ""};

    ck_assert_uint_lt(strlen(text), sizeof manifest.text);
    memcpy(manifest.text, text, strlen(text));
    return manifest;
}

static void *address_of(bp_entry_fn entry)
{
    void *address;

    memcpy(&address, &entry, sizeof address);
    return address;
}

/* A table as libtool makes it: other symbols and modules are in it too. */
static void add_strange(struct manifest *manifest, bp_entry_fn entry)
{
    const struct bp_linked_symbol table[] = {
        {"@PROGRAM@", NULL},
        {"other.o", NULL},
        {"other_LTX_init", address_of(lost_entry)},
        {"libbp-strange.o", NULL},
        {manifest ? "libbp_strange_LTX_bp_provider_manifest_v1" : "manifest", manifest},
        {"libbp_strange_LTX_bp_provider_entry_v1", address_of(entry)},
        {"_LTX_bp_provider_entry_v1", address_of(entry)},
        {NULL, NULL},
    };

    KIT_OK(bp_linked_add(&kit.env->registry, table, &kit.err));
}

#define WHO "id=org.test.strange\nname=strange\nversion=1\n"

static const struct fault {
    const char *manifest;
    uint32_t stage;
    bp_rc code;
    const char *words;
} faults[] = {
    {"name=strange\nversion=1\nabi=1.0", BP_STAGE_MANIFEST, BP_E_INVALID, "id"},
    {WHO "abi=one", BP_STAGE_MANIFEST, BP_E_INVALID, "abi"},
    {WHO "abi=1.0\narch=pdp11", BP_STAGE_ARCH, BP_E_UNAVAILABLE, "pdp11"},
    {WHO "abi=1.0\nsanitizer=memory", BP_STAGE_ARCH, BP_E_UNAVAILABLE, "memory sanitizer"},
    {WHO "abi=1.0\nisa=x86-64-v9", BP_STAGE_ISA, BP_E_UNAVAILABLE, "x86-64-v9"},
    {WHO "abi=7.0", BP_STAGE_ABI, BP_E_VERSION, "speaks ABI 7.0"},
    {WHO "abi=1.0\nneeds_host=1.99", BP_STAGE_ABI, BP_E_VERSION, "needs a host of ABI 1.99"},
    {WHO "abi=1.0", BP_STAGE_ABI, BP_E_UNAVAILABLE, "linked in and lost"},
    {"id=org.backplane.few\nname=strange\nversion=9\nabi=1.0", BP_STAGE_POLICY, BP_E_INVALID,
     "linked in already"},
    {"id=org.test.strange\nname=few\nversion=9\nabi=1.0", BP_STAGE_POLICY, BP_E_INVALID,
     "linked in already"},
};

/* The row that is neither a file nor one of the program's mocks. */
static bp_provider_info strange(void)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t n;

    KIT_OK(bp_env_provider_count(kit.env, &n, &kit.err));
    for (uint32_t i = 0; i < n; i++) {
        KIT_OK(bp_env_provider_info(kit.env, i, &info, &kit.err));
        if (!info.file && info.code < 0 && info.reason &&
            (strcmp(info.name, "strange") == 0 || strstr(info.reason, "already")))
            return info;
    }
    ck_abort_msg("it has no row");
}

START_TEST(invalid_manifest_of_a_linked_in_provider_is_reported)
{
    const struct fault *fault = &faults[_i];
    struct manifest manifest = note_of(fault->manifest);
    bp_provider_info info;

    add_strange(&manifest, lost_entry);
    info = strange();
    ck_assert_uint_eq(info.stage, fault->stage);
    ck_assert_int_eq(info.code, fault->code);
    ck_assert_msg(strstr(info.reason, fault->words), "no \"%s\" in: %s", fault->words, info.reason);
    KIT_OK(bp_env_is_available(kit.env, "few", &kit.err)); /* as before */
}
END_TEST

START_TEST(linked_in_provider_without_a_manifest_is_rejected)
{
    struct manifest manifest = note_of(WHO "abi=1.0");
    bp_provider_info info;

    if (_i == 1)
        manifest.owner[0] = 'b';
    else if (_i == 2)
        manifest.owner_size = 0x7fffffff;
    else if (_i == 3)
        manifest.size = 0x7fffffff;
    add_strange(_i > 0 ? &manifest : NULL, lost_entry);
    info = strange();
    ck_assert_uint_eq(info.stage, BP_STAGE_MANIFEST);
    ck_assert_int_eq(info.code, BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(info.reason, "libbp-strange"));
    ck_assert_ptr_nonnull(strstr(info.fix, "BP_MANIFEST"));
}
END_TEST

START_TEST(linked_in_provider_with_the_manifest_of_another_is_rejected)
{
    struct manifest manifest = note_of(WHO "abi=1.0");
    bp_provider_info info;

    add_strange(&manifest, libbp_few_LTX_bp_provider_entry_v1);
    info = strange();
    ck_assert_int_eq(info.code, BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(info.reason, "strange: its manifest says"));
    ck_assert_ptr_nonnull(strstr(info.reason, "org.backplane.few"));
}
END_TEST

START_TEST(linked_in_providers_are_listed_by_priority)
{
    struct manifest manifest = note_of(WHO "abi=1.0\npriority=99");
    bp_provider_info info = {.struct_size = sizeof info};

    add_strange(&manifest, lost_entry);
    KIT_OK(bp_env_provider_peek(kit.env, 0, &info, &kit.err));
    ck_assert_str_eq(info.name, "strange");
}
END_TEST

START_TEST(table_of_linked_in_providers_may_be_absent)
{
    ck_assert_ptr_nonnull(bp_linked_symbols());
    KIT_OK(bp_linked_add(&kit.env->registry, NULL, &kit.err));
}
END_TEST

int main(void)
{
    TCase *own = tcase_create("own"), *wrong = tcase_create("faults");
    TCase *const cases[] = {own, wrong};

    tcase_add_checked_fixture(own, kit_setup, kit_teardown);
    tcase_add_checked_fixture(wrong, kit_setup, kit_teardown);
    tcase_add_test(own, manifest_of_a_linked_in_provider_is_read_without_running_it);
    tcase_add_test(own, known_providers_say_which_are_linked_in);
    tcase_add_loop_test(own, linked_in_provider_wins_over_files, 0, 2);
    tcase_add_loop_test(own, session_runs_on_one_and_on_several_linked_in_providers, 0, 6);
    tcase_add_test(own, linked_in_provider_is_used_when_named);
    tcase_add_loop_test(own, linked_in_provider_can_be_disabled_by_a_variable, 0, 2);
    tcase_add_loop_test(wrong, invalid_manifest_of_a_linked_in_provider_is_reported, 0,
                        sizeof faults / sizeof faults[0]);
    tcase_add_loop_test(wrong, linked_in_provider_without_a_manifest_is_rejected, 0, 4);
    tcase_add_test(wrong, linked_in_provider_with_the_manifest_of_another_is_rejected);
    tcase_add_test(wrong, linked_in_providers_are_listed_by_priority);
    tcase_add_test(wrong, table_of_linked_in_providers_may_be_absent);
    return kit_main("linked", cases, 2);
}
