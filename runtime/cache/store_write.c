/* SPDX-License-Identifier: MIT */
/* store_write.c - writes a file of a store, piece by piece, and gives it its name at the end. */

#include "config.h"

#include "cache/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/text.h"

static void put_u64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* The first failure is kept: what follows from it says less. */
static bp_rc fail_write(struct bp_store_writer *w, const char *why)
{
    if (w->rc >= 0) {
        w->rc = BP_E_IO;
        snprintf(w->text, sizeof w->text, "%.120s: %s", w->store->dir, why);
    }
    return w->rc;
}

/* Writes all of it at an offset. */
static bp_rc write_at(struct bp_store_writer *w, uint64_t offset, const void *bytes, size_t n)
{
    const char *from = bytes;

    for (size_t at = 0; at < n;) {
        ssize_t put = pwrite(w->fd, from + at, n - at, (off_t)(offset + at));

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return fail_write(w, put < 0 ? strerror(errno) : "nothing more can be written");
        at += (size_t)put;
    }
    return BP_OK;
}

/* Bytes of a label without its NUL: long ones are cut off. */
static size_t label_size(const char *label)
{
    return label ? strnlen(label, BP_STORE_MOST_LABELS / BP_STORE_LABELS - 1) : 0;
}

static bp_rc put_labels(struct bp_store_writer *w, const char *const labels[BP_STORE_LABELS])
{
    for (int i = 0; i < BP_STORE_LABELS; i++) {
        const char *label = labels[i] ? labels[i] : "";
        size_t n = label_size(labels[i]);
        bp_rc rc = write_at(w, BP_STORE_HEAD + w->n_labels, label, n);

        if (rc >= 0)
            rc = write_at(w, BP_STORE_HEAD + w->n_labels + n, "", 1);
        if (rc < 0)
            return rc;
        bp_sha256_add(&w->sha, label, n);
        bp_sha256_add(&w->sha, "", 1);
        w->n_labels += n + 1;
    }
    return BP_OK;
}

bp_rc bp_store_begin(struct bp_store *store, const char key[BP_SHA256_TEXT],
                     const char *const labels[BP_STORE_LABELS], struct bp_store_writer *out,
                     bp_err *err)
{
    struct bp_text path = {0};
    bp_rc rc = BP_OK;

    memset(out, 0, sizeof *out);
    out->store = store;
    out->fd = -1;
    memcpy(out->key, key, BP_SHA256_TEXT);
    bp_sha256_init(&out->sha);
    bp_text_printf(&path, "%s/tmp.XXXXXX", store->dir);
    if (path.failed)
        rc = bp_fail_nomem(err, "a file of the cache");
    else
        out->fd = mkostemp(path.data, O_CLOEXEC); /* mode 0600 */
    if (rc >= 0 && out->fd < 0)
        rc = bp_fail(err, BP_E_IO, "%.200s: %s", store->dir, strerror(errno));
    if (rc >= 0) {
        out->path = bp_text_take(&path);
        rc = put_labels(out, labels);
        if (rc < 0)
            rc = bp_fail(err, rc, "%s", out->text);
    }
    bp_text_finish(&path);
    if (rc < 0)
        bp_store_abandon(out);
    return rc;
}

/* A blob larger than the whole cache ends here, before it fills the disk. */
bp_rc bp_store_put(void *writer, const void *bytes, size_t n)
{
    struct bp_store_writer *w = writer;
    uint64_t before = BP_STORE_HEAD + w->n_labels + w->n_blob;

    if (w->rc < 0)
        return w->rc;
    if (before > w->store->limit || n > w->store->limit - before)
        return fail_write(w, "the program is larger than the limit of the cache");
    if (write_at(w, before, bytes, n) < 0)
        return w->rc;
    bp_sha256_add(&w->sha, bytes, n);
    w->n_blob += n;
    return BP_OK;
}

/* sha has seen the labels and the blob. */
static void fill_head(uint8_t head[BP_STORE_HEAD], const char *key, uint64_t n_labels,
                      uint64_t n_blob, struct bp_sha256 *sha)
{
    char sum[BP_SHA256_TEXT];

    memset(head, 0, BP_STORE_HEAD);
    memcpy(head, BP_STORE_MAGIC, sizeof BP_STORE_MAGIC - 1);
    put_u64(head + 8, BP_STORE_FORMAT);
    put_u64(head + 16, n_labels);
    put_u64(head + 24, n_blob);
    memcpy(head + 32, key, BP_SHA256_TEXT - 1);
    bp_sha256_add(sha, head, BP_STORE_SUMMED);
    bp_sha256_text(sha, sum);
    memcpy(head + BP_STORE_SUMMED, sum, BP_SHA256_TEXT - 1);
}

static bp_rc put_head(struct bp_store_writer *w)
{
    uint8_t head[BP_STORE_HEAD];

    fill_head(head, w->key, w->n_labels, w->n_blob, &w->sha);
    return write_at(w, 0, head, sizeof head);
}

bp_rc bp_store_wrap(const char key[BP_SHA256_TEXT], const char *const labels[BP_STORE_LABELS],
                    const void *blob, size_t n, uint8_t **out, size_t *size, bp_err *err)
{
    struct bp_sha256 sha;
    uint8_t *at;

    *out = NULL;
    *size = BP_STORE_HEAD;
    for (int i = 0; i < BP_STORE_LABELS; i++)
        *size += label_size(labels[i]) + 1;
    if (n <= SIZE_MAX / 2)
        *out = malloc(*size + n);
    if (!*out)
        return bp_fail_nomem(err, "a saved program");
    at = *out + BP_STORE_HEAD;
    for (int i = 0; i < BP_STORE_LABELS; i++) {
        size_t length = label_size(labels[i]);

        if (length > 0)
            memcpy(at, labels[i], length);
        at[length] = '\0';
        at += length + 1;
    }
    if (n > 0)
        memcpy(at, blob, n);
    bp_sha256_init(&sha);
    bp_sha256_add(&sha, *out + BP_STORE_HEAD, *size - BP_STORE_HEAD + n);
    fill_head(*out, key, *size - BP_STORE_HEAD, n, &sha);
    *size += n;
    return BP_OK;
}

/* rename(2) is atomic (POSIX): a reader has the file that was there, or this one. */
static bp_rc give_name(struct bp_store_writer *w)
{
    struct bp_text path = {0};
    bp_rc rc = BP_OK;

    bp_text_printf(&path, "%s/%s%s", w->store->dir, w->key, BP_STORE_END);
    if (path.failed)
        rc = fail_write(w, "no memory for a path");
    else if (rename(w->path, path.data) != 0)
        rc = fail_write(w, strerror(errno));
    bp_text_finish(&path);
    if (rc < 0)
        return rc;
    free(w->path);
    w->path = NULL;
    return BP_OK;
}

/*
 * Without fsync(2): after a power failure a file may be cut off or full of zeros, which the checksum
 * tells, and a program can be compiled again. Writing must not make a session wait for the disk.
 */
bp_rc bp_store_commit(struct bp_store_writer *w, bp_err *err)
{
    bp_rc rc = w->rc;
    uint64_t bytes;
    uint32_t n;

    if (rc >= 0)
        rc = put_head(w);
    if (w->fd >= 0 && close(w->fd) != 0 && rc >= 0)
        rc = fail_write(w, strerror(errno));
    w->fd = -1;
    if (rc >= 0)
        rc = give_name(w);
    if (rc < 0) {
        rc = bp_fail(err, rc, "%s", w->text);
        bp_store_abandon(w);
        return rc;
    }
    /* the new file is there, whatever becomes of the old ones */
    (void)!bp_store_shrink(w->store, w->store->limit, &n, &bytes, NULL);
    return BP_OK;
}

void bp_store_abandon(struct bp_store_writer *w)
{
    if (w->fd >= 0)
        close(w->fd);
    if (w->path)
        unlink(w->path);
    free(w->path);
    w->path = NULL;
    w->fd = -1;
}
