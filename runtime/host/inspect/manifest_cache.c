/* SPDX-License-Identifier: MIT */
/*
 * manifest_cache.c - the file of notes:
 *
 *     backplane notes 1 HASH                   of all that follows
 *     VERSION                                  of Backplane, whose checks these files have passed
 *     bytes stamp stamp... path                for each plug-in,
 *     the note, so many bytes                  and a newline
 */

#include "config.h"

#include "host/inspect/manifest_cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/private_file.h"

#define HEADER "backplane notes 1 "
#define MAKER PACKAGE_VERSION "\n"

enum {
    MAX_FILE = 8 << 20,
    MAX_ROWS = 4096,
    HASH_DIGITS = 16,
    RECENT_NS = 20000000, /* twice what file systems' clocks advance by at once */
    N_STAMPS = 7
};

void bp_notes_finish(struct bp_notes *notes)
{
    bp_region_finish(&notes->region);
    free(notes->rows);
    free(notes->text);
    free(notes->file);
    *notes = (struct bp_notes){0};
}

/* FNV-1a, against damage: who could write this file on purpose is the user. */
static uint64_t hash_of(const char *bytes, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static void stamp_of(const struct stat *st, int64_t out[N_STAMPS])
{
    out[0] = (int64_t)st->st_dev;
    out[1] = (int64_t)st->st_ino;
    out[2] = (int64_t)st->st_size;
    out[3] = (int64_t)st->st_mtim.tv_sec;
    out[4] = (int64_t)st->st_mtim.tv_nsec;
    out[5] = (int64_t)st->st_ctim.tv_sec;
    out[6] = (int64_t)st->st_ctim.tv_nsec;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Room for one more; NULL: no memory, or there are too many. */
static struct bp_noted *add(struct bp_notes *notes)
{
    struct bp_noted *grown;
    uint32_t cap = notes->cap ? notes->cap * 2 : 64;

    if (notes->count == MAX_ROWS)
        return NULL;
    if (notes->count == notes->cap) {
        grown = realloc(notes->rows, cap * sizeof *grown);
        if (!grown)
            return NULL;
        notes->rows = grown;
        notes->cap = cap;
    }
    return &notes->rows[notes->count++];
}

/* A number and the blank behind it. */
static bool take_number(char **at, int64_t *out)
{
    char *end;

    if (**at != '-' && (**at < '0' || **at > '9'))
        return false;
    errno = 0;
    *out = strtoll(*at, &end, 10);
    if (errno != 0 || *end != ' ')
        return false;
    *at = end + 1;
    return true;
}

/* A row of the text that ends at `end`; *at goes behind it. */
static bool take_row(struct bp_notes *notes, char **at, const char *end)
{
    struct bp_noted row = {0}, *added;
    char *newline = memchr(*at, '\n', (size_t)(end - *at));
    int64_t size;

    if (!newline || !take_number(at, &size) || size < 0 || size > BP_NOTE_MAX)
        return false;
    for (int i = 0; i < N_STAMPS; i++) {
        if (!take_number(at, &row.stamp[i]))
            return false;
    }
    *newline = '\0';
    row.path = *at;
    row.note = newline + 1;
    row.size = (size_t)size;
    if (row.path[0] != '/' || (size_t)(end - row.note) < row.size + 1 || row.note[row.size] != '\n')
        return false;
    *at = newline + 1 + row.size + 1;
    added = add(notes);
    if (added)
        *added = row;
    return added != NULL;
}

/* The first byte behind the header of an undamaged file; NULL: it is none. */
static char *check_header(char *text, size_t size)
{
    const size_t n = strlen(HEADER) + HASH_DIGITS + 1;
    char hash[HASH_DIGITS + 2];

    if (size < n + strlen(MAKER) || strncmp(text, HEADER, strlen(HEADER)) != 0)
        return NULL;
    snprintf(hash, sizeof hash, "%016" PRIx64 "\n", hash_of(text + n, size - n));
    if (strncmp(text + strlen(HEADER), hash, HASH_DIGITS + 1) != 0 ||
        strncmp(text + n, MAKER, strlen(MAKER)) != 0)
        return NULL;
    return text + n + strlen(MAKER);
}

static void read_rows(struct bp_notes *notes, const struct bp_log *log)
{
    size_t size;
    bool is_there;
    char *at;

    notes->is_read = true;
    notes->text = bp_keep_read(notes->file, MAX_FILE, &size, &is_there, log);
    if (is_there && !notes->text) { /* it is not ours to replace, either */
        free(notes->file);
        notes->file = NULL;
    }
    if (notes->text && size > 0 && strncmp(notes->text, HEADER, strlen(HEADER)) != 0) {
        bp_log(log, BP_LOG_WARN, "host", "registry %s does not count: it is another kind of file",
               notes->file);
        free(notes->file);
        notes->file = NULL;
        return;
    }
    at = notes->text ? check_header(notes->text, size) : NULL;
    while (at && at < notes->text + size) {
        if (!take_row(notes, &at, notes->text + size)) {
            notes->count = 0;
            break;
        }
    }
}

/* Files are asked for in the order in which they were kept, as a rule. */
static struct bp_noted *find(struct bp_notes *notes, const char *path)
{
    for (uint32_t i = 0; i < notes->count; i++) {
        uint32_t at = (notes->next + i) % notes->count;

        if (strcmp(notes->rows[at].path, path) == 0) {
            notes->next = at + 1;
            return &notes->rows[at];
        }
    }
    return NULL;
}

const char *bp_notes_find(struct bp_notes *notes, const char *path, const struct stat *st,
                          size_t *size, const struct bp_log *log)
{
    int64_t stamp[N_STAMPS];
    struct bp_noted *row;

    if (notes->file && !notes->is_read)
        read_rows(notes, log);
    row = notes->file ? find(notes, path) : NULL;
    if (!row)
        return NULL;
    row->is_seen = true;
    stamp_of(st, stamp);
    if (memcmp(stamp, row->stamp, sizeof stamp) != 0)
        return NULL;
    *size = row->size;
    return row->note;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Could the file change again without another time? */
static bool is_recent(const struct stat *st)
{
    struct timespec now;
    int64_t age;

    clock_gettime(CLOCK_REALTIME, &now);
    age = ((int64_t)now.tv_sec - (int64_t)st->st_ctim.tv_sec) * 1000000000 + now.tv_nsec -
          st->st_ctim.tv_nsec;
    return age < RECENT_NS;
}

void bp_notes_keep(struct bp_notes *notes, const char *path, const struct stat *st,
                   const struct bp_note *note)
{
    struct bp_text text = {0};
    struct bp_noted row = {.is_seen = true}, *at;

    if (!notes->file || strchr(path, '\n') || is_recent(st))
        return;
    bp_note_write(note, &text);
    if (!text.failed && text.len <= BP_NOTE_MAX) {
        row.size = text.len;
        row.path = bp_region_string(&notes->region, path);
        row.note = bp_region_text(&notes->region, text.data, text.len);
    }
    bp_text_finish(&text);
    if (!row.path || !row.note)
        return;
    stamp_of(st, row.stamp);
    at = find(notes, path);
    if (!at)
        at = add(notes);
    if (!at)
        return;
    *at = row;
    notes->is_changed = true;
}

void bp_notes_forget(struct bp_notes *notes, const char *path)
{
    struct bp_noted *row = notes->file ? find(notes, path) : NULL;

    if (!row)
        return;
    *row = notes->rows[--notes->count];
    notes->is_changed = true;
}

static void write_row(const struct bp_noted *row, struct bp_text *out)
{
    bp_text_printf(out, "%zu ", row->size);
    for (int i = 0; i < N_STAMPS; i++)
        bp_text_printf(out, "%" PRId64 " ", row->stamp[i]);
    bp_text_printf(out, "%s\n", row->path);
    bp_text_add_bytes(out, row->note, row->size);
    bp_text_add(out, "\n");
}

void bp_notes_save(struct bp_notes *notes, const struct bp_log *log)
{
    struct bp_text body = {0}, whole = {0};

    if (!notes->file || !notes->is_changed)
        return;
    notes->is_changed = false;
    bp_text_add(&body, MAKER);
    for (uint32_t i = 0; i < notes->count; i++) {
        if (notes->rows[i].is_seen || access(notes->rows[i].path, F_OK) == 0)
            write_row(&notes->rows[i], &body);
    }
    if (!body.failed) {
        bp_text_printf(&whole, HEADER "%016" PRIx64 "\n", hash_of(body.data, body.len));
        bp_text_add_bytes(&whole, body.data, body.len);
    }
    if (body.failed || whole.failed || !bp_keep_write(notes->file, &whole, false))
        bp_log(log, BP_LOG_WARN, "host", "registry %s cannot be written: %s", notes->file,
               body.failed || whole.failed ? "no memory" : strerror(errno));
    bp_text_finish(&whole);
    bp_text_finish(&body);
}
