/* SPDX-License-Identifier: MIT */
/* shared_weights.c - shared weights, found by key and reference-counted. */

#include "config.h"

#include "host/load/shared_weights.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"

struct weight {
    struct weight *next;
    char *scope, *key;
    void *data;
    size_t n;
    size_t uses;
};

struct bp_shared_weights {
    pthread_mutex_t lock;
    struct bp_fork_watch fork; /* of the lock */
    struct weight *first;
};

static void destroy(struct weight *weight)
{
    if (!weight)
        return;
    free(weight->scope);
    free(weight->key);
    free(weight->data);
    free(weight);
}

bp_rc bp_shared_weights_create(struct bp_shared_weights **out, bp_err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return bp_fail_nomem(err, "the weights");
    bp_fork_mutex_init(&(*out)->lock, &(*out)->fork);
    return BP_OK;
}

void bp_shared_weights_destroy(struct bp_shared_weights *weights)
{
    if (!weights)
        return;
    while (weights->first) {
        struct weight *next = weights->first->next;

        destroy(weights->first);
        weights->first = next;
    }
    bp_fork_mutex_destroy(&weights->lock, &weights->fork);
    free(weights);
}

/* Finds weights in a list: a model has some hundreds, and each is looked up once a session. */
static struct weight *find(struct bp_shared_weights *weights, const char *scope, const char *key)
{
    struct weight *row;

    for (row = weights->first; row; row = row->next) {
        if (strcmp(row->key, key) == 0 && strcmp(row->scope, scope) == 0)
            return row;
    }
    return NULL;
}

/* Makes new weights. The plug-in chooses the alignment: vector loads of packed weights need it. */
static bp_rc make(const char *scope, const char *key, size_t n, size_t align,
                  bp_rc (*pack)(void *u, void *dst, size_t n, bp_err *err), void *u,
                  struct weight **out, bp_err *err)
{
    struct weight *row = calloc(1, sizeof *row);
    bp_rc rc;

    if (align < sizeof(void *))
        align = sizeof(void *);
    if (row) {
        row->scope = strdup(scope);
        row->key = strdup(key);
        if (posix_memalign(&row->data, align, n ? n : 1) != 0)
            row->data = NULL;
    }
    if (!row || !row->scope || !row->key || !row->data) {
        rc = bp_fail(err, BP_E_NOMEM, "no memory for %zu bytes of packed weights '%s'", n, key);
        goto out;
    }
    row->n = n;
    rc = pack(u, row->data, n, err);
    if (rc < 0)
        goto out;
    *out = row;
    row = NULL;
out:
    destroy(row);
    return rc;
}

/*
 * pack() runs under the lock, so that another session that wants the same weights waits for them
 * instead of packing them a second time.
 */
static bp_rc get_locked(struct bp_shared_weights *weights, const char *scope, const char *key,
                        size_t n, size_t align,
                        bp_rc (*pack)(void *u, void *dst, size_t n, bp_err *err), void *u,
                        const void **out, bp_err *err)
{
    struct weight *row = find(weights, scope, key);
    bp_rc rc;

    if (row && row->n != n)
        return bp_fail(
            err, BP_E_INVALID,
            "shared weights '%s' have %zu bytes, but %zu were asked for; the provider has "
            "to put what decides the size into the key",
            key, row->n, n);
    if (!row) {
        rc = make(scope, key, n, align, pack, u, &row, err);
        if (rc < 0)
            return rc;
        row->next = weights->first;
        weights->first = row;
    }
    row->uses++;
    *out = row->data;
    return BP_OK;
}

bp_rc bp_shared_weights_get(struct bp_shared_weights *weights, const char *scope, const char *key,
                            size_t n, size_t align,
                            bp_rc (*pack)(void *u, void *dst, size_t n, bp_err *err), void *u,
                            const void **out, bp_err *err)
{
    bp_rc rc;

    pthread_mutex_lock(&weights->lock);
    rc = get_locked(weights, scope, key, n, align, pack, u, out, err);
    pthread_mutex_unlock(&weights->lock);
    return rc;
}

/* Finds the weights by address, which is all that the ABI passes. The last user frees the bytes. */
int64_t bp_shared_weights_put(struct bp_shared_weights *weights, const void *p)
{
    struct weight **link;
    int64_t bytes = -1;

    pthread_mutex_lock(&weights->lock);
    for (link = &weights->first; *link; link = &(*link)->next) {
        struct weight *row = *link;

        if (row->data != p)
            continue;
        bytes = (int64_t)row->n;
        if (--row->uses == 0) {
            *link = row->next;
            destroy(row);
        }
        break;
    }
    pthread_mutex_unlock(&weights->lock);
    return bytes;
}
