/* SPDX-License-Identifier: MIT */
/*
 * check_manifest_cache.c - what plug-ins' manifests said, kept in a file so that lists come
 * quickly: untrusted input that is asked for nothing but lists.
 */

#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <time.h>

#include "host/inspect/manifest_cache.h"
#include "support/plugin_kit.h"
#include "support/random.h"

static const struct bp_log heard = {.fn = kit_log, .level = BP_LOG_WARN};

/* ---- files and manifests ------------------------------------------------------------------------- */

static struct bp_manifest_cache cache_at(const char *name)
{
    return (struct bp_manifest_cache){.file = strdup(plugin_path(name))};
}

/* Files that have changed just now are not kept. */
static void grow_old(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

static struct stat stat_of(const char *name)
{
    struct stat st;

    ck_assert_int_eq(stat(plugin_path(name), &st), 0);
    return st;
}

/* Keeps a manifest of the test's own making for a file. */
static void keep(const char *cache_file, const char *name, const char *content)
{
    struct bp_manifest_cache cache = cache_at(cache_file);
    struct stat st = stat_of(name);
    struct bp_manifest manifest;
    size_t size;

    KIT_OK(bp_manifest_parse(content, strlen(content), &manifest, &kit.err));
    (void)bp_manifest_cache_find(&cache, plugin_path(name), &st, &size, &heard);
    bp_manifest_cache_keep(&cache, plugin_path(name), &st, &manifest);
    bp_manifest_cache_save(&cache, &heard);
    bp_manifest_finish(&manifest);
    bp_manifest_cache_finish(&cache);
}

/* What is known of a file, in out; false: nothing. */
static bool known(const char *cache_file, const char *name, struct bp_manifest *out)
{
    struct bp_manifest_cache cache = cache_at(cache_file);
    struct stat st = stat_of(name);
    size_t size = 0;
    const char *text = bp_manifest_cache_find(&cache, plugin_path(name), &st, &size, &heard);

    *out = (struct bp_manifest){0};
    if (text)
        KIT_OK(bp_manifest_parse(text, size, out, &kit.err));
    bp_manifest_cache_finish(&cache);
    return text != NULL;
}

static bool is_known(const char *cache_file, const char *name)
{
    struct bp_manifest manifest;
    bool is = known(cache_file, name, &manifest);

    bp_manifest_finish(&manifest);
    return is;
}

static size_t read_all(const char *name, char *out, size_t cap)
{
    FILE *file = fopen(plugin_path(name), "r");
    size_t n;

    ck_assert_ptr_nonnull(file);
    n = fread(out, 1, cap, file);
    fclose(file);
    return n;
}

#define CONTENT "id=org.test.a\nname=a\nversion=1\nabi=1.0"
#define OTHER "id=org.test.b\nname=b\nversion=1\nabi=1.0"

START_TEST(cached_manifest_reads_as_it_was_written)
{
    static const char all[] = "id=org.test.a\nname=a\nversion=1.2~3\nabi=1.0\nneeds_host=1.7\n"
                              "priority=7\narch=x\nisa=y\nenv=A,B\nwatch=/c\nlicense=a=b\n";
    struct bp_manifest manifest;

    plugin_write("a.so", "1");
    plugin_write("b.so", "1");
    grow_old();
    keep("cache", "a.so", all);
    keep("cache", "b.so", OTHER);
    ck_assert(known("cache", "b.so", &manifest));
    ck_assert_str_eq(manifest.id, "org.test.b");
    bp_manifest_finish(&manifest);
    ck_assert(known("cache", "a.so", &manifest));
    ck_assert_str_eq(manifest.version, "1.2~3");
    ck_assert_str_eq(manifest.license, "a=b");
    ck_assert_str_eq(manifest.env, "A,B");
    ck_assert_str_eq(manifest.watch, "/c");
    ck_assert_str_eq(manifest.arch, "x");
    ck_assert_str_eq(manifest.isa, "y");
    ck_assert_str_eq(manifest.sanitizer, "");
    ck_assert_uint_eq(manifest.needs_host.minor, 7);
    ck_assert_int_eq(manifest.priority, 7);
    bp_manifest_finish(&manifest);
    ck_assert_uint_eq(kit_warnings(), 0);
}
END_TEST

START_TEST(cache_does_not_know_a_replaced_file)
{
    char text[1024];

    plugin_write("a.so", "1");
    plugin_write("b.so", "1");
    grow_old();
    keep("cache", "a.so", CONTENT);
    keep("cache", "b.so", OTHER);
    ck_assert(is_known("cache", "a.so"));
    plugin_write("a.so", "2"); /* as large, in the same place */
    ck_assert(!is_known("cache", "a.so"));
    ck_assert(is_known("cache", "b.so"));
    unlink(plugin_path("b.so"));
    grow_old();
    keep("cache", "a.so", CONTENT); /* b.so was deleted, so that its row is dropped */
    ck_assert(is_known("cache", "a.so"));
    text[read_all("cache", text, sizeof text - 1)] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "a.so"));
    ck_assert_ptr_null(strstr(text, "b.so"));
}
END_TEST

/* A file that was written this moment could be written again without another time. */
START_TEST(cache_does_not_keep_a_file_changed_moments_ago)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        struct timespec from, to;

        plugin_write("a.so", "1");
        clock_gettime(CLOCK_MONOTONIC, &from);
        keep("cache", "a.so", CONTENT);
        clock_gettime(CLOCK_MONOTONIC, &to);
        if ((to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec > 10000000)
            continue; /* a busy machine: it may be old by now */
        ck_assert(!is_known("cache", "a.so"));
        return;
    }
}
END_TEST

/* ---- damaged and foreign files --------------------------------------------------------------- */

static void write_bytes(const char *name, const char *bytes, size_t n)
{
    FILE *file = fopen(plugin_path(name), "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(plugin_path(name), 0600), 0);
}

/* Any damage makes it as if there were none, and it is written anew. */
START_TEST(damaged_cache_file_is_ignored_and_rewritten)
{
    char good[1024], bad[1024];
    uint64_t seed = 1;
    size_t size;

    plugin_write("a.so", "1");
    plugin_write("b.so", "1");
    grow_old();
    keep("cache", "a.so", CONTENT);
    keep("cache", "b.so", OTHER);
    size = read_all("cache", good, sizeof good);
    ck_assert_uint_lt(size, sizeof good);
    for (size_t n = 0; n < size; n++) { /* cut off */
        write_bytes("cache", good, n);
        ck_assert(!is_known("cache", "a.so"));
    }
    for (size_t at = 0; at < size; at++) { /* one byte, then several */
        memcpy(bad, good, size);
        bad[at] = (char)(bad[at] ^ (1 << random_below(&seed, 8)));
        for (unsigned more = (unsigned)at % 4; more > 0; more--)
            bad[random_below(&seed, (uint32_t)size)] = (char)random_below(&seed, 256);
        write_bytes("cache", bad, size);
        ck_assert(memcmp(bad, good, size) == 0 || !is_known("cache", "a.so"));
    }
    memcpy(bad, good, size);
    bad[size - 5] = 'x';
    write_bytes("cache", bad, size);
    keep("cache", "a.so", CONTENT);
    ck_assert(is_known("cache", "a.so"));
}
END_TEST

/* A valid hash over invalid rows, as an attacker would write. */
START_TEST(cache_rejects_malformed_rows)
{
    static const char *const rows[] = {
        "5 1 1 1 1 1 1 1 /a\n",                      /* the manifest is cut off */
        "0 1 1 1 1 1 1 1 a\n\n",                     /* no path */
        "9999 1 1 1 1 1 1 1 /a\n\n",                 /* larger than manifests are */
        "-1 1 1 1 1 1 1 1 /a\n\n",                   /* less than nothing */
        "18446744073709551616 1 1 1 1 1 1 1 /a\n\n", /* over 64 bits */
        "0 1 1 1 1 1 /a\n\n",                        /* a stamp too few */
        "0 1 1 1 1 1 1 1 /a\nx",                     /* no newline at the end */
        "0 1 1 1 1 1 1 1 /a",                        /* no line */
        "\n",
    };
    struct bp_manifest_cache cache = cache_at("cache");
    char body[256], text[512];
    struct stat st = {0};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t size;

    snprintf(body, sizeof body, PACKAGE_VERSION "\n0 0 0 0 0 0 0 0 /good\n\n%s", rows[_i]);
    for (const char *c = body; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    snprintf(text, sizeof text, "backplane manifests 1 %016llx\n%s", (unsigned long long)hash,
             body);
    write_bytes("cache", text, strlen(text));
    ck_assert_ptr_null(bp_manifest_cache_find(&cache, "/good", &st, &size, &heard));
    ck_assert_uint_eq(cache.count, 0);
    bp_manifest_cache_finish(&cache);
    *strstr(text, rows[_i]) = '\0'; /* without it the rest would be good, but for the hash */
    write_bytes("cache", text, strlen(text));
    cache = cache_at("cache");
    ck_assert_ptr_null(bp_manifest_cache_find(&cache, "/good", &st, &size, &heard));
    bp_manifest_cache_finish(&cache);
}
END_TEST

START_TEST(cache_does_not_overwrite_a_foreign_file)
{
    char text[64];

    plugin_write("a.so", "1");
    grow_old();
    plugin_write("foreign", "my diary\n");
    keep("foreign", "a.so", CONTENT);
    ck_assert_uint_eq(read_all("foreign", text, sizeof text), 9);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "another kind of file"), 1);
    keep("cache", "a.so", CONTENT);
    ck_assert_int_eq(chmod(plugin_path("cache"), 0666), 0);
    ck_assert(!is_known("cache", "a.so"));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "not a file that this user alone owns"), 1);
    keep("nowhere/cache/x", "a.so", CONTENT);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "cannot be written: No such file"), 1);
}
END_TEST

/* ---- lists and what is opened ---------------------------------------------------------------- */

static bp_env *env_with_registry(void)
{
    const char *dirs[] = {plugin_dir};
    char registry[256];
    bp_env_config config = {.struct_size = sizeof config,
                            .flags = BP_ENV_IGNORE_VARIABLES,
                            .log_level = BP_LOG_WARN,
                            .log = kit_log,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = BP_PROBE_OFF,
                            .registry = registry};
    bp_env *env = NULL;

    snprintf(registry, sizeof registry, "%s/registry", plugin_dir);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    return env;
}

static const struct bp_candidate *row_of(bp_env *env, const char *name)
{
    uint32_t i;

    KIT_OK(bp_env_find_provider(env, name, &i, &kit.err));
    return bp_registry_get(&env->registry, i);
}

#define MANIFEST(version) "id=org.test.a\\nname=a\\nversion=" version

START_TEST(second_listing_comes_from_the_cache)
{
    bp_env *env;

    plugin_make("libbp-a.so", MANIFEST("1"), PLUGIN_TRAP, "");
    plugin_make("libbp-bad.so", NULL, PLUGIN_TRAP, "");
    grow_old();
    for (int start = 0; start < 3; start++) {
        env = env_with_registry();
        ck_assert_str_eq(row_of(env, "a")->inspected.manifest.version, "1");
        ck_assert_uint_eq(row_of(env, "a")->stage, BP_STAGE_POLICY);
        ck_assert_int_eq(row_of(env, "a")->inspected.is_recalled, start > 0);
        ck_assert_uint_eq(row_of(env, "bad")->stage,
                          BP_STAGE_MANIFEST); /* only good ones are kept */
        KIT_OK(bp_env_destroy(env, &kit.err));
    }
    plugin_make("libbp-a.so", MANIFEST("2"), PLUGIN_TRAP, "");
    env = env_with_registry();
    ck_assert_str_eq(row_of(env, "a")->inspected.manifest.version, "2");
    ck_assert(!row_of(env, "a")->inspected.is_recalled);
    KIT_OK(bp_env_destroy(env, &kit.err));
    ck_assert_uint_eq(kit_warnings(), 0);
}
END_TEST

/* File permissions are not cached, because they may change without the file. */
START_TEST(file_permissions_are_checked_in_every_listing)
{
    bp_env *env;

    plugin_make("libbp-a.so", MANIFEST("1"), PLUGIN_TRAP, "");
    grow_old();
    env = env_with_registry();
    ck_assert_uint_eq(row_of(env, "a")->stage, BP_STAGE_POLICY);
    KIT_OK(bp_env_destroy(env, &kit.err));
    ck_assert_int_eq(chmod(plugin_dir, 0777), 0); /* the file's own stamp is as it was */
    env = env_with_registry();
    ck_assert_uint_eq(row_of(env, "a")->stage, BP_STAGE_SECURITY);
    KIT_OK(bp_env_destroy(env, &kit.err));
    ck_assert_int_eq(chmod(plugin_dir, 0700), 0);
    env = env_with_registry();
    ck_assert_uint_eq(row_of(env, "a")->stage, BP_STAGE_POLICY);
    ck_assert(row_of(env, "a")->inspected.is_recalled);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

/* Forged cache rows appear in listings only: opening reads the file, and then drops them. */
START_TEST(opened_plug_in_is_inspected_by_its_bytes_despite_the_cache)
{
    bp_env *env;

    plugin_make("libbp-a.so", MANIFEST("1"), PLUGIN_TRAP, "-Wl,-rpath,.");
    plugin_make("libbp-b.so", "id=org.test.b\\nname=b\\nversion=1", PLUGIN_TRAP, "");
    grow_old();
    keep("registry.manifests", "libbp-a.so", CONTENT);
    keep("registry.manifests", "libbp-b.so", "id=org.test.c\nname=c\nversion=1\nabi=1.0");
    env = env_with_registry();
    ck_assert_uint_eq(row_of(env, "a")->stage, BP_STAGE_POLICY);
    KIT_FAILS(bp_env_is_available(env, "a", &kit.err), BP_E_UNAVAILABLE, "the entry '.'");
    ck_assert_uint_eq(row_of(env, "a")->stage, BP_STAGE_SECURITY);
    KIT_FAILS(bp_env_is_available(env, "c", &kit.err), BP_E_UNAVAILABLE, "its manifest is another",
              "registry.manifests");
    KIT_OK(bp_env_destroy(env, &kit.err));
    env = env_with_registry();
    ck_assert_uint_eq(row_of(env, "a")->stage, BP_STAGE_SECURITY);
    ck_assert_uint_eq(row_of(env, "b")->stage, BP_STAGE_POLICY);
    ck_assert_str_eq(row_of(env, "b")->inspected.manifest.id, "org.test.b");
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("manifest_cache");

    tcase_add_checked_fixture(tcase, plugin_setup, plugin_teardown);
    tcase_add_test(tcase, cached_manifest_reads_as_it_was_written);
    tcase_add_test(tcase, cache_does_not_know_a_replaced_file);
    tcase_add_test(tcase, cache_does_not_keep_a_file_changed_moments_ago);
    tcase_add_test(tcase, damaged_cache_file_is_ignored_and_rewritten);
    tcase_add_loop_test(tcase, cache_rejects_malformed_rows, 0, 9);
    tcase_add_test(tcase, cache_does_not_overwrite_a_foreign_file);
    tcase_add_test(tcase, second_listing_comes_from_the_cache);
    tcase_add_test(tcase, file_permissions_are_checked_in_every_listing);
    tcase_add_test(tcase, opened_plug_in_is_inspected_by_its_bytes_despite_the_cache);
    return kit_main("manifest_cache", &tcase, 1);
}
