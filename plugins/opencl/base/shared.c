/* SPDX-License-Identifier: MIT */
/* shared.c - see shared.h. Memory is malloc's, as it may outlive the instance that asked first. */

#define _GNU_SOURCE /* pthread, as C11 alone hides it */

#include "base/shared.h"

#include <pthread.h>
#include <stdlib.h>

/* A buffer of constants. */
struct buffer {
    struct buffer *next;
    cl_mem memory;
    uint64_t uses;
    size_t key_bytes;
    unsigned char key[];
};

struct bp_opencl_shared {
    struct bp_opencl_shared *next;
    const struct bp_opencl_library *cl;
    cl_device_id device;
    cl_context context;
    uint64_t uses;        /* by instances, under the lock of the list */
    pthread_mutex_t lock; /* of the buffers */
    struct buffer *buffers;
};

/* Devices in use: one list a process, as that is what contexts and constants are shared in. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct bp_opencl_shared *list;

/* ---- contexts -------------------------------------------------------------------------------- */

bp_rc bp_opencl_fail_to_open(const struct bp_opencl_device *device, cl_int code, const char *call,
                             bp_err *err)
{
    bp_rc rc = bp_opencl_fail(err, code, "%s for %s", call, device->name);

    if (rc != BP_E_NOMEM)
        return rc;
    if (err)
        err->code = BP_E_UNAVAILABLE;
    return BP_E_UNAVAILABLE;
}

/* [locked] */
static bp_rc add_device(const struct bp_opencl_library *cl, const struct bp_opencl_device *device,
                        struct bp_opencl_shared **out, bp_err *err)
{
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                          (cl_context_properties)device->platform, 0};
    struct bp_opencl_shared *shared = calloc(1, sizeof *shared);
    cl_int code = CL_SUCCESS;

    if (!shared)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a device");
    shared->context = cl->clCreateContext(properties, 1, &device->id, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        free(shared);
        return bp_opencl_fail_to_open(device, code, "clCreateContext", err);
    }
    pthread_mutex_init(&shared->lock, NULL);
    shared->cl = cl;
    shared->device = device->id;
    shared->next = list;
    list = shared;
    *out = shared;
    return BP_OK;
}

bp_rc bp_opencl_shared_open(const struct bp_opencl_library *cl,
                            const struct bp_opencl_device *device, struct bp_opencl_shared **out,
                            bp_err *err)
{
    struct bp_opencl_shared *shared;
    bp_rc rc = BP_OK;

    pthread_mutex_lock(&list_lock);
    for (shared = list; shared && shared->device != device->id; shared = shared->next)
        continue;
    if (!shared)
        rc = add_device(cl, device, &shared, err);
    if (rc >= 0) {
        shared->uses++;
        *out = shared;
    }
    pthread_mutex_unlock(&list_lock);
    return rc;
}

void bp_opencl_shared_close(struct bp_opencl_shared *shared)
{
    struct bp_opencl_shared **at = &list;

    if (!shared)
        return;
    pthread_mutex_lock(&list_lock);
    if (--shared->uses > 0) {
        pthread_mutex_unlock(&list_lock);
        return;
    }
    while (*at != shared)
        at = &(*at)->next;
    *at = shared->next;
    pthread_mutex_unlock(&list_lock);
    shared->cl->clReleaseContext(shared->context);
    pthread_mutex_destroy(&shared->lock);
    free(shared);
}

cl_context bp_opencl_shared_context(const struct bp_opencl_shared *shared)
{
    return shared->context;
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* [locked] */
static bp_rc add_buffer(struct bp_opencl_shared *shared, const void *key, size_t n,
                        bp_opencl_fill_fn fill, void *u, cl_mem *out, bp_err *err)
{
    struct buffer *buffer = malloc(sizeof *buffer + n);
    bp_rc rc;

    if (!buffer)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for constants");
    rc = fill(u, out, err);
    if (rc < 0) {
        free(buffer);
        return rc;
    }
    *buffer = (struct buffer){.next = shared->buffers, .memory = *out, .uses = 1, .key_bytes = n};
    memcpy(buffer->key, key, n);
    shared->buffers = buffer;
    return BP_OK;
}

bp_rc bp_opencl_shared_get(struct bp_opencl_shared *shared, const void *key, size_t n,
                           bp_opencl_fill_fn fill, void *u, cl_mem *out, bool *is_new, bp_err *err)
{
    struct buffer *buffer;
    bp_rc rc = BP_OK;

    pthread_mutex_lock(&shared->lock);
    for (buffer = shared->buffers; buffer; buffer = buffer->next) {
        if (buffer->key_bytes == n && memcmp(buffer->key, key, n) == 0)
            break;
    }
    *is_new = !buffer;
    if (buffer) {
        buffer->uses++;
        *out = buffer->memory;
    } else {
        rc = add_buffer(shared, key, n, fill, u, out, err);
    }
    pthread_mutex_unlock(&shared->lock);
    return rc;
}

bool bp_opencl_shared_put(struct bp_opencl_shared *shared, cl_mem memory)
{
    struct buffer **at = &shared->buffers, *buffer;
    bool is_last;

    pthread_mutex_lock(&shared->lock);
    while ((*at)->memory != memory)
        at = &(*at)->next;
    buffer = *at;
    is_last = --buffer->uses == 0;
    if (is_last) {
        *at = buffer->next;
        free(buffer);
    }
    pthread_mutex_unlock(&shared->lock);
    return is_last;
}
