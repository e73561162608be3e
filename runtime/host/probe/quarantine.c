/* SPDX-License-Identifier: MIT */
/*
 * quarantine.c - the registry file: a line of text for each plug-in that was tried.
 *
 *     backplane registry 1
 *     KEY <tab> strikes <tab> seconds <tab> stage <tab> path <tab> words
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
    MAX_ROWS = 2048,
    N_FIELDS = 6,
    GOOD_SECONDS = 24 * 60 * 60,
    STRUCK_SECONDS = 10 * 60,
    CLOCK_SECONDS = 60 /* that clocks may differ */
};

/* ---- keys ------------------------------------------------------------------------------------ */

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

static void add_variable(struct bp_sha256 *sha, const char *name)
{
    const char *value = getenv(name);

    bp_sha256_add(sha, name, strlen(name) + 1);
    bp_sha256_add(sha, value ? "=" : "", value ? 1 : 0);
    bp_sha256_add(sha, value ? value : "", value ? strlen(value) + 1 : 1);
}

/* Each entry of a list with commas between. */
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

bool bp_strikes_key(const char *path, const struct bp_note *note, char out[BP_SHA256_TEXT])
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
    if (note->id) {
        add_each(&sha, note->env, add_variable);
        add_each(&sha, note->watch, add_stamp);
    }
    bp_sha256_text(&sha, out);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void finish_rows(struct bp_strikes *strikes)
{
    for (uint32_t i = 0; i < strikes->count; i++) {
        free(strikes->rows[i].path);
        free(strikes->rows[i].words);
    }
    free(strikes->rows);
    strikes->rows = NULL;
    strikes->count = 0;
}

void bp_strikes_finish(struct bp_strikes *strikes)
{
    finish_rows(strikes);
    free(strikes->file);
    *strikes = (struct bp_strikes){0};
}

static struct bp_strike *find_path(const struct bp_strikes *strikes, const char *path)
{
    for (uint32_t i = 0; i < strikes->count; i++) {
        if (strcmp(strikes->rows[i].path, path) == 0)
            return &strikes->rows[i];
    }
    return NULL;
}

/* A text without what would end a field or a line. */
static char *copy_text(const char *text)
{
    char *copy = strdup(text);

    for (char *c = copy; c && *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    }
    return copy;
}

/* The row of a path is `row` from now on, whose texts are copied; false: no room or memory. */
static bool put(struct bp_strikes *strikes, const struct bp_strike *row)
{
    struct bp_strike *at = find_path(strikes, row->path), *grown;
    char *path = strdup(row->path), *words = copy_text(row->words);

    if (path && words && !at && strikes->count < MAX_ROWS) {
        grown = realloc(strikes->rows, (strikes->count + 1) * sizeof *grown);
        if (grown) {
            strikes->rows = grown;
            at = &grown[strikes->count++];
            *at = (struct bp_strike){0};
        }
    }
    if (!path || !words || !at) {
        free(path);
        free(words);
        return false;
    }
    free(at->path);
    free(at->words);
    *at = *row;
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

/* A line without its newline; what is no line of ours is left out. */
static void take_line(struct bp_strikes *strikes, char *line)
{
    char *fields[N_FIELDS];
    struct bp_strike row = {0};
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
        !take_number(fields[1], 1000, &count) || !take_number(fields[2], INT64_MAX, &row.when) ||
        !take_number(fields[3], BP_STAGE_END - 1, &stage) || fields[4][0] != '/')
        return;
    memcpy(row.key, fields[0], sizeof row.key);
    row.strikes = (uint32_t)count;
    row.stage = (uint32_t)stage;
    row.path = fields[4];
    row.words = fields[5];
    (void)put(strikes, &row);
}

/* False: there is something that is no registry. */
static bool read_rows(struct bp_strikes *strikes, const struct bp_log *log)
{
    bool is_there;
    size_t size;
    char *text = bp_keep_read(strikes->file, MAX_FILE, &size, &is_there, log);
    bool is_ours = text && strncmp(text, HEADER, strlen(HEADER)) == 0;
    char *next = is_ours ? text + strlen(HEADER) : NULL;

    if (text && *text && !is_ours)
        bp_log(log, BP_LOG_WARN, "host", "registry %s does not count: it is another kind of file",
               strikes->file);
    while (next && *next) {
        char *line = next;

        next = strchr(line, '\n');
        if (!next)
            break; /* an unfinished line */
        *next++ = '\0';
        take_line(strikes, line);
    }
    is_there = is_there && !(text && (is_ours || !*text));
    free(text);
    return !is_there;
}

static int64_t now_seconds(void)
{
    return (int64_t)time(NULL);
}

static bool counts(const struct bp_strike *row)
{
    int64_t age = now_seconds() - row->when;

    if (row->is_gone || age < -CLOCK_SECONDS)
        return false;
    if (row->strikes >= BP_STRIKES_MAX)
        return true;
    return age < (row->strikes ? STRUCK_SECONDS : GOOD_SECONDS);
}

/* What the file has, once. */
static void need_rows(struct bp_strikes *strikes, const struct bp_log *log)
{
    if (strikes->file && !strikes->is_read)
        (void)read_rows(strikes, log);
    strikes->is_read = true;
}

const struct bp_strike *bp_strikes_find(struct bp_strikes *strikes, const char *key,
                                        const struct bp_log *log)
{
    need_rows(strikes, log);
    for (uint32_t i = 0; i < strikes->count; i++) {
        if (strcmp(strikes->rows[i].key, key) == 0)
            return counts(&strikes->rows[i]) ? &strikes->rows[i] : NULL;
    }
    return NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

void bp_strikes_note(struct bp_strikes *strikes, const char *key, const char *path, uint32_t stage,
                     const char *words)
{
    const struct bp_strike *before = find_path(strikes, path);
    struct bp_strike row = {
        .path = (char *)(uintptr_t)path,
        .words = (char *)(uintptr_t)(words ? words : ""),
        .when = now_seconds(),
        .strikes = words ? 1 : 0,
        .stage = stage,
        .is_changed = true,
    };

    if (!strikes->file || strpbrk(path, "\t\n"))
        return;
    if (words && before && !before->is_gone && strcmp(before->key, key) == 0 &&
        before->strikes < 1000)
        row.strikes += before->strikes;
    memcpy(row.key, key, sizeof row.key);
    (void)put(strikes, &row);
}

void bp_strikes_forget(struct bp_strikes *strikes, const char *path, const struct bp_log *log)
{
    struct bp_strike row = {
        .path = (char *)(uintptr_t)path,
        .words = (char *)(uintptr_t) "",
        .is_changed = true,
        .is_gone = true,
    };

    need_rows(strikes, log);
    if (strikes->file)
        (void)put(strikes, &row);
}

/* The file's rows with ours over them, as text. */
static void merge(struct bp_strikes *own, struct bp_strikes *found, struct bp_text *out)
{
    bp_text_add(out, HEADER);
    for (uint32_t i = 0; i < own->count; i++) {
        if (own->rows[i].is_changed)
            (void)put(found, &own->rows[i]);
        own->rows[i].is_changed = false;
    }
    for (uint32_t i = 0; i < found->count; i++) {
        const struct bp_strike *row = &found->rows[i];

        /* a first failure is kept beyond its time: the next one is the second */
        if (!row->is_gone && (row->strikes > 0 || counts(row)))
            bp_text_printf(out, "%s\t%u\t%lld\t%u\t%s\t%s\n", row->key, row->strikes,
                           (long long)row->when, row->stage, row->path, row->words);
    }
}

void bp_strikes_save(struct bp_strikes *strikes, const struct bp_log *log)
{
    struct bp_strikes found = {.file = strikes->file};
    struct bp_text text = {0};
    bool is_changed = false;

    for (uint32_t i = 0; i < strikes->count; i++)
        is_changed |= strikes->rows[i].is_changed;
    if (!is_changed || !strikes->file || !read_rows(&found, log)) {
        finish_rows(&found); /* nothing to write, or the file is none that we may replace */
        return;
    }
    merge(strikes, &found, &text);
    if (text.failed || !bp_keep_write(strikes->file, &text, true))
        bp_log(log, BP_LOG_WARN, "host", "registry %s cannot be written: %s", strikes->file,
               text.failed ? "no memory" : strerror(errno));
    bp_text_finish(&text);
    finish_rows(&found);
}
