/* SPDX-License-Identifier: MIT */
/*
 * manifest_cache.c - reads and writes the cache of manifests, a file of this form:
 *
 *     backplane manifests 1 HASH                   of all that follows
 *     VERSION                                  of Backplane, whose checks these files have passed
 *     bytes stamp stamp... path                for each plug-in,
 *     the manifest, so many bytes                  and a newline
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

#define HEADER "backplane manifests 1 "
#define MAKER PACKAGE_VERSION "\n"

enum {
    MAX_FILE = 8 << 20,
    MAX_ENTRIES = 4096,
    HASH_DIGITS = 16,
    RECENT_NS = 20000000, /* twice the step of file systems' clocks */
    N_STAMPS = 7
};

void bp_manifest_cache_finish(struct bp_manifest_cache *cache)
{
    bp_region_finish(&cache->region);
    free(cache->entries);
    free(cache->text);
    free(cache->file);
    *cache = (struct bp_manifest_cache){0};
}

/* FNV-1a, against damage only: who could write this file on purpose is the user. */
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

/* Makes space for one more entry; NULL: no memory, or there are too many. */
static struct bp_manifest_entry *add(struct bp_manifest_cache *cache)
{
    struct bp_manifest_entry *grown;
    uint32_t cap = cache->cap ? cache->cap * 2 : 64;

    if (cache->count == MAX_ENTRIES)
        return NULL;
    if (cache->count == cache->cap) {
        grown = realloc(cache->entries, cap * sizeof *grown);
        if (!grown)
            return NULL;
        cache->entries = grown;
        cache->cap = cap;
    }
    return &cache->entries[cache->count++];
}

/* Reads a number and the blank after it. */
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

/* Reads an entry of the text that ends at `end`; *at moves past it. */
static bool take_entry(struct bp_manifest_cache *cache, char **at, const char *end)
{
    struct bp_manifest_entry entry = {0}, *added;
    char *newline = memchr(*at, '\n', (size_t)(end - *at));
    int64_t size;

    if (!newline || !take_number(at, &size) || size < 0 || size > BP_MANIFEST_MAX)
        return false;
    for (int i = 0; i < N_STAMPS; i++) {
        if (!take_number(at, &entry.stamp[i]))
            return false;
    }
    *newline = '\0';
    entry.path = *at;
    entry.manifest = newline + 1;
    entry.size = (size_t)size;
    if (entry.path[0] != '/' || (size_t)(end - entry.manifest) < entry.size + 1 ||
        entry.manifest[entry.size] != '\n')
        return false;
    *at = newline + 1 + entry.size + 1;
    added = add(cache);
    if (added)
        *added = entry;
    return added != NULL;
}

/* Returns the first byte after the header of an undamaged file; NULL: it is not one. */
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

static void read_entries(struct bp_manifest_cache *cache, const struct bp_log *log)
{
    size_t size;
    bool is_there;
    char *at;

    cache->is_read = true;
    cache->text = bp_private_file_read(cache->file, MAX_FILE, &size, &is_there, log);
    if (is_there && !cache->text) { /* not ours, so it is not replaced either */
        free(cache->file);
        cache->file = NULL;
    }
    if (cache->text && size > 0 && strncmp(cache->text, HEADER, strlen(HEADER)) != 0) {
        bp_log(log, BP_LOG_WARN, "host", "registry %s does not count: it is another kind of file",
               cache->file);
        free(cache->file);
        cache->file = NULL;
        return;
    }
    at = cache->text ? check_header(cache->text, size) : NULL;
    while (at && at < cache->text + size) {
        if (!take_entry(cache, &at, cache->text + size)) {
            cache->count = 0;
            break;
        }
    }
}

/*
 * Searches from the entry after the last one found, because files are mostly asked for in the order
 * in which they were kept: then each is found at the first comparison.
 */
static struct bp_manifest_entry *find(struct bp_manifest_cache *cache, const char *path)
{
    for (uint32_t i = 0; i < cache->count; i++) {
        uint32_t at = (cache->next + i) % cache->count;

        if (strcmp(cache->entries[at].path, path) == 0) {
            cache->next = at + 1;
            return &cache->entries[at];
        }
    }
    return NULL;
}

const char *bp_manifest_cache_find(struct bp_manifest_cache *cache, const char *path,
                                   const struct stat *st, size_t *size, const struct bp_log *log)
{
    int64_t stamp[N_STAMPS];
    struct bp_manifest_entry *entry;

    if (cache->file && !cache->is_read)
        read_entries(cache, log);
    entry = cache->file ? find(cache, path) : NULL;
    if (!entry)
        return NULL;
    entry->is_seen = true;
    stamp_of(st, stamp);
    if (memcmp(stamp, entry->stamp, sizeof stamp) != 0)
        return NULL;
    *size = entry->size;
    return entry->manifest;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Could the file change again without a new modification time? */
static bool is_recent(const struct stat *st)
{
    struct timespec now;
    int64_t age;

    clock_gettime(CLOCK_REALTIME, &now);
    age = ((int64_t)now.tv_sec - (int64_t)st->st_ctim.tv_sec) * 1000000000 + now.tv_nsec -
          st->st_ctim.tv_nsec;
    return age < RECENT_NS;
}

void bp_manifest_cache_keep(struct bp_manifest_cache *cache, const char *path,
                            const struct stat *st, const struct bp_manifest *manifest)
{
    struct bp_text text = {0};
    struct bp_manifest_entry entry = {.is_seen = true}, *at;

    if (!cache->file || strchr(path, '\n') || is_recent(st))
        return;
    bp_manifest_write(manifest, &text);
    if (!text.failed && text.len <= BP_MANIFEST_MAX) {
        entry.size = text.len;
        entry.path = bp_region_string(&cache->region, path);
        entry.manifest = bp_region_text(&cache->region, text.data, text.len);
    }
    bp_text_finish(&text);
    if (!entry.path || !entry.manifest)
        return;
    stamp_of(st, entry.stamp);
    at = find(cache, path);
    if (!at)
        at = add(cache);
    if (!at)
        return;
    *at = entry;
    cache->is_changed = true;
}

void bp_manifest_cache_forget(struct bp_manifest_cache *cache, const char *path)
{
    struct bp_manifest_entry *entry = cache->file ? find(cache, path) : NULL;

    if (!entry)
        return;
    *entry = cache->entries[--cache->count];
    cache->is_changed = true;
}

static void write_entry(const struct bp_manifest_entry *entry, struct bp_text *out)
{
    bp_text_printf(out, "%zu ", entry->size);
    for (int i = 0; i < N_STAMPS; i++)
        bp_text_printf(out, "%" PRId64 " ", entry->stamp[i]);
    bp_text_printf(out, "%s\n", entry->path);
    bp_text_add_bytes(out, entry->manifest, entry->size);
    bp_text_add(out, "\n");
}

void bp_manifest_cache_save(struct bp_manifest_cache *cache, const struct bp_log *log)
{
    struct bp_text body = {0}, whole = {0};

    if (!cache->file || !cache->is_changed)
        return;
    cache->is_changed = false;
    bp_text_add(&body, MAKER);
    for (uint32_t i = 0; i < cache->count; i++) {
        if (cache->entries[i].is_seen || access(cache->entries[i].path, F_OK) == 0)
            write_entry(&cache->entries[i], &body);
    }
    if (!body.failed) {
        bp_text_printf(&whole, HEADER "%016" PRIx64 "\n", hash_of(body.data, body.len));
        bp_text_add_bytes(&whole, body.data, body.len);
    }
    if (body.failed || whole.failed || !bp_private_file_write(cache->file, &whole, false))
        bp_log(log, BP_LOG_WARN, "host", "registry %s cannot be written: %s", cache->file,
               body.failed || whole.failed ? "no memory" : strerror(errno));
    bp_text_finish(&whole);
    bp_text_finish(&body);
}
