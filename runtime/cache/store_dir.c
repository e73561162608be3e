/* SPDX-License-Identifier: MIT */
/* store_dir.c - the directory of a store: opened, listed, kept within its limit. */

#include "config.h"

#include "cache/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEY_DIGITS = BP_SHA256_TEXT - 1, STALE_SECONDS = 3600 };

/* What shrinking has to know of a file. */
struct entry {
    char *name;
    struct timespec used;
    uint64_t bytes;
};

struct entries {
    struct entry *rows;
    uint32_t count, cap;
};

/* ---- opening --------------------------------------------------------------------------------- */

bp_rc bp_store_open(struct bp_store *store, const char *dir, uint64_t limit, bool may_make,
                    const struct bp_log *log, bp_err *err)
{
    struct stat st;

    store->limit = limit ? limit : BP_CACHE_LIMIT;
    store->log = log;
    store->has_warned = false;
    bp_trust_init(&store->trust, false);
    if (may_make && mkdir(dir, 0700) != 0 && errno != EEXIST)
        return bp_fail(err, BP_E_IO, "%.300s: %s", dir, strerror(errno));
    store->dir = realpath(dir, NULL);
    if (!store->dir)
        return bp_fail(err, BP_E_IO, "%.300s: %s", dir, strerror(errno));
    if (stat(store->dir, &st) != 0 || !S_ISDIR(st.st_mode))
        return bp_fail(err, BP_E_IO, "%.300s: it is not a directory", dir);
    return BP_OK;
}

void bp_store_finish(struct bp_store *store)
{
    free(store->dir);
    store->dir = NULL;
}

/* ---- listing --------------------------------------------------------------------------------- */

/* 64 digits and the ending. */
static bool is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == KEY_DIGITS &&
           strcmp(name + KEY_DIGITS, BP_STORE_END) == 0;
}

static bool add_entry(struct entries *list, const char *name, const struct stat *st)
{
    if (list->count == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 64;
        struct entry *rows = realloc(list->rows, cap * sizeof *rows);

        if (!rows)
            return false;
        list->rows = rows;
        list->cap = cap;
    }
    list->rows[list->count] =
        (struct entry){strdup(name), st->st_mtim, (uint64_t)(st->st_size < 0 ? 0 : st->st_size)};
    return list->rows[list->count++].name != NULL;
}

static void free_entries(struct entries *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->rows[i].name);
    free(list->rows);
}

/* A temporary file of a process that died, or whose clock is wrong by an hour. */
static void drop_old_temporary(int dir, const char *name, const struct stat *st)
{
    if (strncmp(name, "tmp.", 4) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
        st->st_mtime < time(NULL) - STALE_SECONDS)
        (void)unlinkat(dir, name, 0);
}

/* All files with a name of ours. is_cleaning: old temporary files are deleted on the way. */
static bp_rc scan(const struct bp_store *store, bool is_cleaning, struct entries *out, bp_err *err)
{
    DIR *dir = opendir(store->dir);
    bp_rc rc = BP_OK;

    if (!dir)
        return bp_fail(err, BP_E_IO, "%.300s: %s", store->dir, strerror(errno));
    for (struct dirent *at; rc >= 0 && (at = readdir(dir)) != NULL;) {
        struct stat st;

        if (fstatat(dirfd(dir), at->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue; /* another process has deleted it */
        if (is_cleaning)
            drop_old_temporary(dirfd(dir), at->d_name, &st);
        if (is_ours(at->d_name) && !add_entry(out, at->d_name, &st))
            rc = bp_fail_nomem(err, "a list of files");
    }
    closedir(dir);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return strcmp(x->name, y->name);
}

bp_rc bp_store_names(const struct bp_store *store, char ***out, uint32_t *n, bp_err *err)
{
    struct entries list = {0};
    bp_rc rc = scan(store, false, &list, err);

    *n = 0;
    *out = rc < 0 ? NULL : calloc((size_t)list.count + 1, sizeof(char *));
    if (rc >= 0 && !*out)
        rc = bp_fail_nomem(err, "a list of files");
    if (rc >= 0) {
        if (list.count > 0)
            qsort(list.rows, list.count, sizeof *list.rows, by_name);
        for (uint32_t i = 0; i < list.count; i++) {
            (*out)[i] = list.rows[i].name;
            list.rows[i].name = NULL; /* the caller's now */
        }
        *n = list.count;
    }
    free_entries(&list);
    return rc;
}

void bp_store_free_names(char **names, uint32_t n)
{
    for (uint32_t i = 0; names && i < n; i++)
        free(names[i]);
    free(names);
}

/* ---- the limit ------------------------------------------------------------------------------- */

/* The one that was not used for the longest time first. */
static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/*
 * Two processes that do this at once delete the same files. A file that a process reads stays there
 * for him until he closes it.
 */
bp_rc bp_store_shrink(const struct bp_store *store, uint64_t limit, uint32_t *n_files,
                      uint64_t *bytes, bp_err *err)
{
    struct entries list = {0};
    uint64_t sum = 0;
    bp_rc rc = scan(store, true, &list, err);
    int dir;

    *n_files = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < list.count; i++)
        sum += list.rows[i].bytes;
    dir = rc < 0 ? -1 : open(store->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (rc >= 0 && dir < 0)
        rc = bp_fail(err, BP_E_IO, "%.300s: %s", store->dir, strerror(errno));
    if (rc >= 0 && list.count > 0)
        qsort(list.rows, list.count, sizeof *list.rows, by_use);
    for (uint32_t i = 0; rc >= 0 && i < list.count && sum > limit; i++) {
        const struct entry *entry = &list.rows[i];

        sum -= entry->bytes;
        if (unlinkat(dir, entry->name, 0) == 0) {
            ++*n_files;
            *bytes += entry->bytes;
        } else if (errno != ENOENT) {
            rc = bp_fail(err, BP_E_IO, "%.300s/%s: %s", store->dir, entry->name, strerror(errno));
        }
    }
    if (dir >= 0)
        close(dir);
    free_entries(&list);
    return rc;
}
