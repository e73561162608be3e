/* SPDX-License-Identifier: MIT */
/*
 * quarantine.c - reads and writes the quarantine file: a line for each plug-in that was probed.
 *
 *     backplane registry 1
 *     KEY <tab> failures <tab> seconds <tab> stage <tab> path <tab> words
 */

#include "config.h"

#include "host/probe/quarantine.h"

#include <backplane.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/private_file.h"

#define HEADER "backplane registry 1\n"

enum {
    MAX_FILE = 1 << 20,
    MAX_ENTRIES = 2048,
    N_FIELDS = 6,
    GOOD_SECONDS = 24 * 60 * 60,
    FAILED_SECONDS = 10 * 60,
    CLOCK_SECONDS = 60 /* tolerated difference between clocks */
};

/* ---- keys ------------------------------------------------------------------------------------ */

/* Adds a file to the key; an absent file adds zeros, so the key changes when the file appears. */
static void add_stamp(struct bp_sha256 *sha, const char *path)
{
    struct stat st;
    int64_t numbers[7] = {0};

    if (stat(path, &st) == 0) {
        const int64_t found[] = {(int64_t)st.st_dev,  (int64_t)st.st_ino,
                                 (int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec,
                                 st.st_mtim.tv_nsec,  (int64_t)st.st_ctim.tv_sec,
                                 st.st_ctim.tv_nsec};

        memcpy(numbers, found, sizeof numbers);
    }
    bp_sha256_add(sha, path, strlen(path) + 1);
    bp_sha256_add(sha, numbers, sizeof numbers);
}

/* Adds a variable to the key; an empty value differs from an unset variable. */
static void add_variable(struct bp_sha256 *sha, const char *name)
{
    const char *value = getenv(name);

    bp_sha256_add(sha, name, strlen(name) + 1);
    bp_sha256_add(sha, value ? "=" : "", value ? 1 : 0);
    bp_sha256_add(sha, value ? value : "", value ? strlen(value) + 1 : 1);
}

/* Adds each entry of a comma-separated list to the key. */
static void add_each(struct bp_sha256 *sha, const char *list,
                     void (*add)(struct bp_sha256 *, const char *))
{
    while (*list) {
        size_t n = strcspn(list, ",");
        char entry[512];

        if (n > 0 && n < sizeof entry) {
            memcpy(entry, list, n);
            entry[n] = '\0';
            add(sha, entry);
        }
        list += n + (list[n] == ',');
    }
}

bool bp_quarantine_key(const char *path, const struct bp_manifest *manifest,
                       char out[BP_SHA256_TEXT])
{
    struct bp_sha256 sha;
    struct utsname system;

    if (access(path, F_OK) != 0)
        return false;
    bp_sha256_init(&sha);
    bp_sha256_add(&sha, PACKAGE_VERSION, sizeof PACKAGE_VERSION);
    add_stamp(&sha, path);
    add_stamp(&sha, "/etc/ld.so.cache");
    add_variable(&sha, "LD_LIBRARY_PATH");
    if (uname(&system) == 0)
        bp_sha256_add(&sha, system.release, strlen(system.release) + 1);
    if (manifest->id) {
        add_each(&sha, manifest->env, add_variable);
        add_each(&sha, manifest->watch, add_stamp);
    }
    bp_sha256_text(&sha, out);
    return true;
}

/* ---- entries ------------------------------------------------------------------------------------ */

static void finish_entries(struct bp_quarantine *quarantine)
{
    for (uint32_t i = 0; i < quarantine->count; i++) {
        free(quarantine->entries[i].path);
        free(quarantine->entries[i].words);
    }
    free(quarantine->entries);
    quarantine->entries = NULL;
    quarantine->count = 0;
}

void bp_quarantine_finish(struct bp_quarantine *quarantine)
{
    finish_entries(quarantine);
    free(quarantine->file);
    *quarantine = (struct bp_quarantine){0};
}

static struct bp_quarantine_entry *find_path(const struct bp_quarantine *quarantine,
                                             const char *path)
{
    for (uint32_t i = 0; i < quarantine->count; i++) {
        if (strcmp(quarantine->entries[i].path, path) == 0)
            return &quarantine->entries[i];
    }
    return NULL;
}

/* Copies a text without characters that end a field or a line. */
static char *copy_text(const char *text)
{
    char *copy = strdup(text);

    for (char *c = copy; c && *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    }
    return copy;
}

/* Sets the entry of a path; texts are copied. False: too many entries, or no memory. */
static bool put(struct bp_quarantine *quarantine, const struct bp_quarantine_entry *entry)
{
    struct bp_quarantine_entry *at = find_path(quarantine, entry->path), *grown;
    char *path = strdup(entry->path), *words = copy_text(entry->words);

    if (path && words && !at && quarantine->count < MAX_ENTRIES) {
        grown = realloc(quarantine->entries, (quarantine->count + 1) * sizeof *grown);
        if (grown) {
            quarantine->entries = grown;
            at = &grown[quarantine->count++];
            *at = (struct bp_quarantine_entry){0};
        }
    }
    if (!path || !words || !at) {
        free(path);
        free(words);
        return false;
    }
    free(at->path);
    free(at->words);
    *at = *entry;
    at->path = path;
    at->words = words;
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool take_number(const char *text, int64_t max, int64_t *out)
{
    char *end;
    long long value;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    value = strtoll(text, &end, 10);
    *out = value;
    return errno == 0 && !*end && value <= max;
}

/* Reads a line without its newline; an invalid line is ignored. */
static void take_line(struct bp_quarantine *quarantine, char *line)
{
    char *fields[N_FIELDS];
    struct bp_quarantine_entry entry = {0};
    int64_t count, stage;

    for (size_t i = 0; i < N_FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, "\t");
        if ((*line == '\t') != (i + 1 < N_FIELDS))
            return;
        if (*line)
            *line++ = '\0';
    }
    if (strlen(fields[0]) != 64 || strspn(fields[0], "0123456789abcdef") != 64 ||
        !take_number(fields[1], 1000, &count) || !take_number(fields[2], INT64_MAX, &entry.when) ||
        !take_number(fields[3], BP_STAGE_END - 1, &stage) || fields[4][0] != '/')
        return;
    memcpy(entry.key, fields[0], sizeof entry.key);
    entry.failures = (uint32_t)count;
    entry.stage = (uint32_t)stage;
    entry.path = fields[4];
    entry.words = fields[5];
    (void)put(quarantine, &entry);
}

/* Reads the file. False: it exists and is not a quarantine file. */
static bool read_entries(struct bp_quarantine *quarantine, const struct bp_log *log)
{
    bool is_there;
    size_t size;
    char *text = bp_private_file_read(quarantine->file, MAX_FILE, &size, &is_there, log);
    bool is_ours = text && strncmp(text, HEADER, strlen(HEADER)) == 0;
    char *next = is_ours ? text + strlen(HEADER) : NULL;

    if (text && *text && !is_ours)
        bp_log(log, BP_LOG_WARN, "host", "registry %s does not count: it is another kind of file",
               quarantine->file);
    while (next && *next) {
        char *line = next;

        next = strchr(line, '\n');
        if (!next)
            break; /* an unfinished line */
        *next++ = '\0';
        take_line(quarantine, line);
    }
    is_there = is_there && !(text && (is_ours || !*text));
    free(text);
    return !is_there;
}

static int64_t now_seconds(void)
{
    return (int64_t)time(NULL);
}

static bool counts(const struct bp_quarantine_entry *entry)
{
    int64_t age = now_seconds() - entry->when;

    if (entry->is_gone || age < -CLOCK_SECONDS)
        return false;
    if (entry->failures >= BP_QUARANTINE_FAILURES)
        return true;
    return age < (entry->failures ? FAILED_SECONDS : GOOD_SECONDS);
}

/* Reads the file once. */
static void need_entries(struct bp_quarantine *quarantine, const struct bp_log *log)
{
    if (quarantine->file && !quarantine->is_read)
        (void)read_entries(quarantine, log);
    quarantine->is_read = true;
}

const struct bp_quarantine_entry *bp_quarantine_find(struct bp_quarantine *quarantine,
                                                     const char *key, const struct bp_log *log)
{
    need_entries(quarantine, log);
    for (uint32_t i = 0; i < quarantine->count; i++) {
        if (strcmp(quarantine->entries[i].key, key) == 0)
            return counts(&quarantine->entries[i]) ? &quarantine->entries[i] : NULL;
    }
    return NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * Records a failure. Failures add up only under one key: a plug-in that was rebuilt, or whose
 * dependencies changed, starts anew.
 */
void bp_quarantine_record(struct bp_quarantine *quarantine, const char *key, const char *path,
                          uint32_t stage, const char *words)
{
    const struct bp_quarantine_entry *before = find_path(quarantine, path);
    struct bp_quarantine_entry entry = {
        .path = (char *)(uintptr_t)path,
        .words = (char *)(uintptr_t)(words ? words : ""),
        .when = now_seconds(),
        .failures = words ? 1 : 0,
        .stage = stage,
        .is_changed = true,
    };

    if (!quarantine->file || strpbrk(path, "\t\n"))
        return;
    if (words && before && !before->is_gone && strcmp(before->key, key) == 0 &&
        before->failures < 1000)
        entry.failures += before->failures;
    memcpy(entry.key, key, sizeof entry.key);
    (void)put(quarantine, &entry);
}

void bp_quarantine_forget(struct bp_quarantine *quarantine, const char *path,
                          const struct bp_log *log)
{
    struct bp_quarantine_entry entry = {
        .path = (char *)(uintptr_t)path,
        .words = (char *)(uintptr_t) "",
        .is_changed = true,
        .is_gone = true,
    };

    need_entries(quarantine, log);
    if (quarantine->file)
        (void)put(quarantine, &entry);
}

/* Writes the file's entries, replaced by this process's, as text. */
static void merge(struct bp_quarantine *own, struct bp_quarantine *found, struct bp_text *out)
{
    bp_text_add(out, HEADER);
    for (uint32_t i = 0; i < own->count; i++) {
        if (own->entries[i].is_changed)
            (void)put(found, &own->entries[i]);
        own->entries[i].is_changed = false;
    }
    for (uint32_t i = 0; i < found->count; i++) {
        const struct bp_quarantine_entry *entry = &found->entries[i];

        /* a first failure is kept beyond its time, so that the next one counts as the second */
        if (!entry->is_gone && (entry->failures > 0 || counts(entry)))
            bp_text_printf(out, "%s\t%u\t%lld\t%u\t%s\t%s\n", entry->key, entry->failures,
                           (long long)entry->when, entry->stage, entry->path, entry->words);
    }
}

void bp_quarantine_save(struct bp_quarantine *quarantine, const struct bp_log *log)
{
    struct bp_quarantine found = {.file = quarantine->file};
    struct bp_text text = {0};
    bool is_changed = false;

    for (uint32_t i = 0; i < quarantine->count; i++)
        is_changed |= quarantine->entries[i].is_changed;
    if (!is_changed || !quarantine->file || !read_entries(&found, log)) {
        finish_entries(&found); /* nothing to write, or the file is not ours to replace */
        return;
    }
    merge(quarantine, &found, &text);
    if (text.failed || !bp_private_file_write(quarantine->file, &text, true))
        bp_log(log, BP_LOG_WARN, "host", "registry %s cannot be written: %s", quarantine->file,
               text.failed ? "no memory" : strerror(errno));
    bp_text_finish(&text);
    finish_entries(&found);
}
