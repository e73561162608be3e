/* SPDX-License-Identifier: MIT */
/*
 * check_quarantine.c - what is remembered of plug-ins that were tried, in a file that is untrusted
 * input.
 */

#include "config.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "host/probe/quarantine.h"
#include "support/plugin_kit.h"
#include "support/random.h"

#define KEY_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KEY_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define KEY_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define HEADER "backplane registry 1\n"

static const struct bp_log heard = {.fn = kit_log, .level = BP_LOG_WARN};

static struct bp_quarantine quarantine_at(const char *name)
{
    return (struct bp_quarantine){.file = strdup(plugin_path(name))};
}

/* How many failures a file knows of a key; -1: nothing. */
static int known(const char *name, const char *key)
{
    struct bp_quarantine quarantine = quarantine_at(name);
    const struct bp_quarantine_entry *row = bp_quarantine_find(&quarantine, key, &heard);
    int n = row ? (int)row->failures : -1;

    bp_quarantine_finish(&quarantine);
    return n;
}

static void manifest(const char *name, const char *key, const char *path, const char *words)
{
    struct bp_quarantine quarantine = quarantine_at(name);

    (void)bp_quarantine_find(&quarantine, key, &heard);
    bp_quarantine_record(&quarantine, key, path, BP_STAGE_OPEN, words);
    bp_quarantine_save(&quarantine, &heard);
    bp_quarantine_finish(&quarantine);
}

static void write_file(const char *name, const char *text)
{
    plugin_write(name, text);
    ck_assert_int_eq(chmod(plugin_path(name), 0600), 0); /* whatever the umask */
}

/* A registry with one row. */
static void write_row(const char *name, const char *key, int failures, long long when)
{
    char text[512];

    snprintf(text, sizeof text, HEADER "%s\t%d\t%lld\t10\t/dir/libbp-a.so\tit crashed\n", key,
             failures, when);
    write_file(name, text);
}

static unsigned count_files(void)
{
    DIR *dir = opendir(plugin_dir);
    const struct dirent *entry;
    unsigned n = 0;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)) != NULL)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

START_TEST(quarantine_counts_failures_and_forgets_them)
{
    struct bp_quarantine quarantine = quarantine_at("r");
    struct stat st;

    ck_assert_int_eq(known("r", KEY_A), -1);
    manifest("r", KEY_A, "/dir/a", "it crashed\twith a tab\nand a line");
    ck_assert_int_eq(known("r", KEY_A), 1);
    manifest("r", KEY_B, "/dir/b", NULL);
    ck_assert_int_eq(known("r", KEY_B), 0);
    manifest("r", KEY_A, "/dir/a", "it crashed");
    ck_assert_int_eq(known("r", KEY_A), 2);
    manifest("r", KEY_B, "/dir/a", "another file by now");
    ck_assert_int_eq(known("r", KEY_A), -1);
    bp_quarantine_forget(&quarantine, "/dir/a", &heard);
    bp_quarantine_save(&quarantine, &heard);
    bp_quarantine_finish(&quarantine);
    ck_assert_int_eq(known("r", KEY_A), -1);
    manifest("r", KEY_A, "/dir/a", NULL);
    manifest("r", KEY_A, "/dir/a", "it crashed"); /* good before */
    ck_assert_int_eq(known("r", KEY_A), 1);
    ck_assert_int_eq(stat(plugin_path("r"), &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    ck_assert_uint_eq(count_files(), 1);
    ck_assert_uint_eq(kit_warnings(), 0);
}
END_TEST

START_TEST(quarantine_keeps_rows_written_by_two_processes)
{
    struct bp_quarantine one = quarantine_at("r"), two = quarantine_at("r");

    ck_assert_ptr_null(bp_quarantine_find(&one, KEY_A, &heard));
    ck_assert_ptr_null(bp_quarantine_find(&two, KEY_A, &heard));
    bp_quarantine_record(&one, KEY_A, "/dir/a", BP_STAGE_OPEN, "it crashed");
    bp_quarantine_record(&two, KEY_B, "/dir/b", BP_STAGE_OPEN, NULL);
    bp_quarantine_save(&one, &heard);
    bp_quarantine_save(&two, &heard);
    bp_quarantine_finish(&one);
    bp_quarantine_finish(&two);
    ck_assert_int_eq(known("r", KEY_A), 1);
    ck_assert_int_eq(known("r", KEY_B), 0);
}
END_TEST

START_TEST(quarantine_rows_expire_by_age)
{
    static const struct {
        int failures;
        long long age;
        bool counts;
    } rows[] = {
        {0, 23 * 3600, true}, {0, 25 * 3600, false}, {1, 9 * 60, true}, {1, 11 * 60, false},
        {2, 9999999, true},   {2, -3600, false},     {0, -3600, false}, {0, -10, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_row("r", KEY_A, rows[i].failures, (long long)time(NULL) - rows[i].age);
        ck_assert_int_eq(known("r", KEY_A), rows[i].counts ? rows[i].failures : -1);
    }
    /* a first failure that is over still makes the next one the second */
    write_row("r", KEY_A, 1, (long long)time(NULL) - 86400);
    manifest("r", KEY_A, "/dir/libbp-a.so", "it crashed");
    ck_assert_int_eq(known("r", KEY_A), 2);
}
END_TEST

/* A file of another user, or of another format, is neither trusted nor overwritten. */
START_TEST(quarantine_does_not_overwrite_a_foreign_file)
{
    char command[256];

    write_file("letter", "Dear reader,\n");
    manifest("letter", KEY_A, "/dir/a", "it crashed");
    snprintf(command, sizeof command, "grep -q '^Dear reader,$' %s", plugin_path("letter"));
    ck_assert_int_eq(system(command), 0);
    ck_assert_uint_ge(kit_lines_with(BP_LOG_WARN, "another kind of file"), 1);

    write_row("open", KEY_A, 2, (long long)time(NULL));
    ck_assert_int_eq(chmod(plugin_path("open"), 0666), 0);
    ck_assert_int_eq(known("open", KEY_A), -1);
    manifest("open", KEY_B, "/dir/b", "it crashed");
    ck_assert_int_eq(chmod(plugin_path("open"), 0600), 0);
    ck_assert_int_eq(known("open", KEY_A), 2);
    ck_assert_int_eq(known("open", KEY_B), -1);

    ck_assert_int_eq(symlink(plugin_path("open"), plugin_path("link")), 0);
    ck_assert_int_eq(known("link", KEY_A), -1);
    ck_assert_int_eq(mkdir(plugin_path("dir"), 0700), 0);
    manifest("dir", KEY_A, "/dir/a", "it crashed");
    manifest("dir/none/r", KEY_A, "/dir/a", "it crashed"); /* its directory is made */
    ck_assert_int_eq(known("dir/none/r", KEY_A), 1);
    manifest("dir/no/such/r", KEY_A, "/dir/a", "it crashed");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "cannot be written: No such file"), 1);
}
END_TEST

/* Damage costs rows, and nothing else. */
START_TEST(damaged_quarantine_file_loses_rows_only)
{
    char good[512], text[512];
    uint64_t seed = 1;
    size_t size;

    snprintf(good, sizeof good,
             HEADER KEY_A "\t1\t%lld\t10\t/dir/a\tit crashed\n" KEY_B "\t0\t%lld\t0\t/dir/b\t\n",
             (long long)time(NULL), (long long)time(NULL));
    size = strlen(good);
    for (size_t n = 0; n < size; n++) { /* cut off */
        memcpy(text, good, n);
        text[n] = '\0';
        write_file("r", text);
        ck_assert_int_eq(known("r", KEY_B), -1);
    }
    for (unsigned turn = 0; turn < 200; turn++) {
        memcpy(text, good, size + 1);
        for (int i = 0; i < 3; i++)
            text[strlen(HEADER) + random_below(&seed, (uint32_t)(size - strlen(HEADER)))] =
                (char)(1 + random_below(&seed, 255));
        write_file("r", text);
        ck_assert_int_ge(known("r", KEY_A), -1);
        manifest("r", KEY_C, "/dir/c", "it crashed");
        ck_assert_int_eq(known("r", KEY_C), 1);
        unlink(plugin_path("r"));
    }
}
END_TEST

START_TEST(quarantine_key_changes_with_file_and_environment)
{
    char first[BP_SHA256_TEXT], next[BP_SHA256_TEXT];
    char content[512];
    struct bp_manifest n = {0};

    plugin_write("plug", "1");
    plugin_write("watched", "1");
    snprintf(content, sizeof content,
             "id=a.b\nname=b\nversion=1\nabi=1.0\nenv=BP_TEST_ENV,BP_TEST_OTHER\nwatch=%s",
             plugin_path("watched"));
    KIT_OK(bp_manifest_parse(content, strlen(content), &n, &kit.err));
    ck_assert(!bp_quarantine_key(plugin_path("none"), &n, first));
    ck_assert(bp_quarantine_key(plugin_path("plug"), &n, first));
    ck_assert(bp_quarantine_key(plugin_path("plug"), &n, next));
    ck_assert_str_eq(first, next);

#define CHANGES(what)                                                                              \
    do {                                                                                           \
        what;                                                                                      \
        ck_assert(bp_quarantine_key(plugin_path("plug"), &n, next));                               \
        ck_assert_str_ne(first, next);                                                             \
        memcpy(first, next, sizeof first);                                                         \
    } while (0)
    CHANGES(setenv("BP_TEST_OTHER", "", 1));
    CHANGES(setenv("BP_TEST_OTHER", "1", 1));
    CHANGES(setenv("LD_LIBRARY_PATH", "/nowhere", 1));
    CHANGES(unsetenv("LD_LIBRARY_PATH"));
    CHANGES(plugin_write("watched", "12"));
    CHANGES(unlink(plugin_path("watched")));
    CHANGES(plugin_write("plug", "12"));
    unsetenv("BP_TEST_OTHER");
    bp_manifest_finish(&n);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("quarantine");

    tcase_add_checked_fixture(tcase, plugin_setup, plugin_teardown);
    tcase_add_test(tcase, quarantine_counts_failures_and_forgets_them);
    tcase_add_test(tcase, quarantine_keeps_rows_written_by_two_processes);
    tcase_add_test(tcase, quarantine_rows_expire_by_age);
    tcase_add_test(tcase, quarantine_does_not_overwrite_a_foreign_file);
    tcase_add_test(tcase, damaged_quarantine_file_loses_rows_only);
    tcase_add_test(tcase, quarantine_key_changes_with_file_and_environment);
    return kit_main("quarantine", &tcase, 1);
}
