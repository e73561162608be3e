/* SPDX-License-Identifier: MIT */
/* store.c - reads files of a store, which may be damaged or hostile. */

#include "config.h"

#include "cache/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_AT = 32, KEY_DIGITS = BP_SHA256_TEXT - 1, TRIES = 8 };

static uint64_t get_u64(const uint8_t *at)
{
    uint64_t value = 0;

    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static bp_rc stale(bp_err *err, const char *name, const char *why)
{
    return bp_fail(err, BP_E_STALE, "%s: %s", name, why);
}

/* All of n bytes. BP_E_STALE: the file has become shorter. */
static bp_rc read_all(int fd, const char *name, uint8_t *to, size_t n, bp_err *err)
{
    for (size_t at = 0; at < n;) {
        ssize_t got = pread(fd, to + at, n - at, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bp_fail(err, BP_E_IO, "%s: %s", name, strerror(errno));
        if (got == 0)
            return stale(err, name, "it is cut off");
        at += (size_t)got;
    }
    return BP_OK;
}

/* Lengths first: nothing is read by a length that does not fit the file. */
static bp_rc check_head(const uint8_t *head, const char *name, uint64_t size, bp_err *err)
{
    uint64_t n_labels, n_blob;

    if (memcmp(head, BP_STORE_MAGIC, sizeof BP_STORE_MAGIC - 1) != 0)
        return stale(err, name, "it is not a file of a cache");
    if (get_u64(head + 8) != BP_STORE_FORMAT)
        return stale(err, name, "its format is of another version");
    n_labels = get_u64(head + 16);
    n_blob = get_u64(head + 24);
    if (n_labels > BP_STORE_MOST_LABELS || size < BP_STORE_HEAD + n_labels ||
        n_blob != size - BP_STORE_HEAD - n_labels)
        return stale(err, name, "its length is not what it says");
    return BP_OK;
}

/* A file is found by its name, so that one that was renamed is of another program. */
static bp_rc check_key(const uint8_t *head, const char *name, bp_err *err)
{
    if (strlen(name) != KEY_DIGITS + strlen(BP_STORE_END) ||
        memcmp(head + KEY_AT, name, KEY_DIGITS) != 0)
        return stale(err, name, "it was written under another name");
    return BP_OK;
}

/* Each label ends with a NUL, and there are exactly as many as there are to be. */
static bp_rc split_labels(struct bp_store_file *file, const uint8_t *bytes, const char *name,
                          size_t n, bp_err *err)
{
    const char *at = (const char *)bytes + BP_STORE_HEAD, *end = at + n;

    for (int i = 0; i < BP_STORE_LABELS; i++) {
        const char *nul = memchr(at, 0, (size_t)(end - at));

        if (!nul)
            return stale(err, name, "its labels are damaged");
        file->labels[i] = at;
        at = nul + 1;
    }
    return at == end ? BP_OK : stale(err, name, "its labels are damaged");
}

static bp_rc check_sum(const uint8_t *bytes, size_t size, const char *name, bp_err *err)
{
    char sum[BP_SHA256_TEXT];
    struct bp_sha256 sha;

    bp_sha256_init(&sha);
    bp_sha256_add(&sha, bytes + BP_STORE_HEAD, size - BP_STORE_HEAD);
    bp_sha256_add(&sha, bytes, BP_STORE_SUMMED);
    bp_sha256_text(&sha, sum);
    if (memcmp(sum, bytes + BP_STORE_SUMMED, KEY_DIGITS) != 0)
        return stale(err, name, "its checksum is wrong");
    return BP_OK;
}

/*
 * Read into memory rather than mapped: what was checked is what the provider gets, whatever becomes
 * of the file meanwhile.
 */
static bp_rc read_open(int fd, const char *name, uint64_t size, bool is_whole,
                       struct bp_store_file *out, bp_err *err)
{
    uint8_t head[BP_STORE_HEAD];
    size_t n_labels, n;
    bp_rc rc;

    if (size < BP_STORE_HEAD)
        return stale(err, name, "it is cut off");
    rc = read_all(fd, name, head, sizeof head, err);
    if (rc >= 0)
        rc = check_head(head, name, size, err);
    if (rc >= 0)
        rc = check_key(head, name, err);
    if (rc < 0)
        return rc;
    n_labels = (size_t)get_u64(head + 16);
    n = is_whole ? (size_t)size : BP_STORE_HEAD + n_labels;
    out->bytes = malloc(n);
    if (!out->bytes)
        return bp_fail_nomem(err, "a file of the cache");
    rc = read_all(fd, name, out->bytes, n, err);
    if (rc >= 0)
        rc = check_head(out->bytes, name, size, err); /* it may have been changed in between */
    if (rc >= 0)
        rc = check_key(out->bytes, name, err);
    if (rc >= 0 && get_u64(out->bytes + 16) != n_labels)
        rc = stale(err, name, "it changes while it is read");
    if (rc >= 0 && is_whole)
        rc = check_sum(out->bytes, n, name, err);
    if (rc >= 0)
        rc = split_labels(out, out->bytes, name, n_labels, err);
    if (rc >= 0 && is_whole)
        out->blob = (bp_span){out->bytes + BP_STORE_HEAD + n_labels, n - BP_STORE_HEAD - n_labels};
    return rc;
}

bp_rc bp_store_unwrap(const void *bytes, size_t size, const char *name, struct bp_store_file *out,
                      bp_err *err)
{
    const uint8_t *head = bytes;
    size_t n_labels = 0;
    bp_rc rc;

    memset(out, 0, sizeof *out);
    if (size < BP_STORE_HEAD || memcmp(head, BP_STORE_MAGIC, sizeof BP_STORE_MAGIC - 1) != 0)
        return stale(err, name, "it does not begin as a program that Backplane saved");
    rc = check_head(head, name, size, err);
    if (rc >= 0)
        rc = check_sum(head, size, name, err);
    if (rc >= 0) {
        n_labels = (size_t)get_u64(head + 16);
        rc = split_labels(out, head, name, n_labels, err);
    }
    if (rc < 0) {
        memset(out, 0, sizeof *out);
        return rc;
    }
    out->blob = (bp_span){head + BP_STORE_HEAD + n_labels, size - BP_STORE_HEAD - n_labels};
    out->size = size;
    return BP_OK;
}

/*
 * Kind, owner and size of an open file, and who could have written it. BP_E_IO: another process has
 * deleted or replaced it.
 */
static bp_rc check_file(struct bp_store *store, const char *name, const char *path, int fd,
                        struct stat *st, bp_err *err)
{
    char fix[512], text[512];
    bp_err own = bp_err_init(text, sizeof text);
    bp_rc rc;

    if (fstat(fd, st) != 0)
        return bp_fail(err, BP_E_IO, "%s: %s", name, strerror(errno));
    if (!S_ISREG(st->st_mode))
        return stale(err, name, "it is not a regular file");
    rc = bp_trust_check(&store->trust, path, fd, fix, sizeof fix, &own);
    if (rc < 0)
        return rc == BP_E_IO ? bp_fail(err, rc, "%s: %s", name, text) : stale(err, name, text);
    if ((uint64_t)st->st_size > store->limit || (uint64_t)st->st_size > SIZE_MAX / 2)
        return stale(err, name, "it is larger than the limit of the cache");
    return BP_OK;
}

/*
 * O_NOFOLLOW: a link could lead to a file of another directory. O_NONBLOCK: a FIFO would hold
 * open() up. *fd is -1 where there is no such file.
 */
static bp_rc open_named(const char *name, const char *path, int *fd, bp_err *err)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (*fd >= 0 || errno == ENOENT)
        return BP_OK;
    if (errno == ELOOP)
        return stale(err, name, "it is a link");
    return bp_fail(err, BP_E_IO, "%s: %s", name, strerror(errno));
}

/* What was checked is what is read: the same descriptor. */
static bp_rc read_checked(const char *name, int fd, const struct stat *st, bool is_whole,
                          bool is_use, struct bp_store_file *out, bp_err *err)
{
    bp_rc rc = read_open(fd, name, (uint64_t)st->st_size, is_whole, out, err);

    if (rc < 0) {
        free(out->bytes);
        memset(out, 0, sizeof *out);
        return rc;
    }
    out->size = (uint64_t)st->st_size;
    out->used = (int64_t)st->st_mtime;
    if (is_use)
        (void)futimens(fd, NULL); /* a directory that is read-only keeps its times */
    return BP_OK;
}

/*
 * Other processes delete and replace files at any time, which the check of the path notices. That
 * is no error: the file that is there by then is tried, and at last there is none.
 */
static bp_rc read_named(struct bp_store *store, const char *name, bool is_whole, bool is_use,
                        struct bp_store_file *out, bp_err *err)
{
    char path[PATH_MAX];
    struct stat st;
    bp_rc rc = BP_OK;
    int fd;

    memset(out, 0, sizeof *out);
    if ((size_t)snprintf(path, sizeof path, "%s/%s", store->dir, name) >= sizeof path)
        return bp_fail(err, BP_E_IO, "%.80s: the path is too long", store->dir);
    for (int i = 0; i < TRIES; i++) {
        rc = open_named(name, path, &fd, err);
        if (rc < 0 || fd < 0)
            return rc;
        bp_trust_forget(&store->trust); /* the directories may have been changed since */
        rc = check_file(store, name, path, fd, &st, err);
        if (rc >= 0)
            rc = read_checked(name, fd, &st, is_whole, is_use, out, err);
        close(fd);
        if (rc != BP_E_IO)
            return rc;
    }
    return rc;
}

bp_rc bp_store_read(struct bp_store *store, const char key[BP_SHA256_TEXT],
                    struct bp_store_file *out, bp_err *err)
{
    char name[BP_SHA256_TEXT + sizeof BP_STORE_END];

    snprintf(name, sizeof name, "%s%s", key, BP_STORE_END);
    return read_named(store, name, true, true, out, err);
}

bp_rc bp_store_inspect(struct bp_store *store, const char *name, bool is_whole,
                       struct bp_store_file *out, bp_err *err)
{
    return read_named(store, name, is_whole, false, out, err);
}
