/* SPDX-License-Identifier: MIT */
/*
 * copy.c - aclrtMemcpy() and aclrtMemset(), at once and in streams.
 *
 * A synchronous copy checks its addresses and copies. An asynchronous one checks them when it is
 * queued and again when it runs, as a block may have been freed meanwhile. Bytes are copied without
 * the lock, with both blocks pinned.
 */
#include <string.h>

#include "core/context.h"
#include "core/cost.h"
#include "core/error.h"
#include "core/fault.h"
#include "core/state.h"
#include "memory/memory.h"
#include "stream/stream.h"
#include "stream/task_pool.h"

/* A copy, or a memset, whose `src` is NULL and whose kind is device to device. */
struct copy {
    uint8_t *dst;
    const uint8_t *src; /* NULL: fill with `value` */
    int value;
    size_t count;
    aclrtMemcpyKind kind;
};

struct copy_task {
    struct sim_task task;
    struct copy copy;
};

/* Repeated runs queue copies without allocating. */
static struct sim_task_pool copy_tasks = {.size = sizeof(struct copy_task)};

/* The kind says which side is on the device; check() compares it with the addresses. */
static bool dst_on_device(aclrtMemcpyKind kind)
{
    return kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
}

static bool src_on_device(aclrtMemcpyKind kind)
{
    return kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
}

/* ---- checks --------------------------------------------------------------------------------- */

/* ACL_MEMCPY_DEFAULT is what the addresses say. [locked] */
static aclrtMemcpyKind resolve(const struct copy *copy)
{
    struct sim_block *block;
    bool to = sim_memory_kind_of(copy->dst, &block) == SIM_MEMORY_DEVICE;
    bool from = sim_memory_kind_of(copy->src, &block) == SIM_MEMORY_DEVICE;

    if (to)
        return from ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_HOST_TO_DEVICE;
    return from ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_HOST;
}

/* Between devices the addresses alone say which: neither has to be the current one. [locked] */
static aclError check(const struct copy *copy)
{
    aclError rc = dst_on_device(copy->kind)
                      ? sim_check_device(NULL, copy->dst, copy->count, ACL_ERROR_RT_PARAM_INVALID,
                                         "the destination")
                      : sim_check_host(copy->dst, copy->count, "the destination");

    if (rc || !copy->src)
        return rc;
    return src_on_device(copy->kind) ? sim_check_device(NULL, copy->src, copy->count,
                                                        ACL_ERROR_RT_PARAM_INVALID, "the source")
                                     : sim_check_host(copy->src, copy->count, "the source");
}

/* `max` is the caller's own bound of the destination (destMax); the block's is checked later. */
static aclError check_arguments(const void *dst, size_t max, const void *src, size_t count,
                                aclrtMemcpyKind kind)
{
    if (!dst || !src)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "a copy from or to NULL");
    if ((int)kind < 0 || kind > ACL_MEMCPY_DEFAULT)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "there is no kind of copy %d", (int)kind);
    if (count > max)
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes into a buffer of %zu", count, max);
    return 0;
}

/* ---- doing it ------------------------------------------------------------------------------- */

/*
 * Holds one side while it is worked on: *at, an address as the program knows it, becomes where its
 * bytes are. Ordinary host memory is used as it is. [locked]
 */
static aclError pin_side(bool on_device, size_t size, const char *what, struct sim_block **block,
                         uint8_t **at)
{
    uint8_t *address = *at;
    aclError rc;

    if (on_device)
        return sim_pin(NULL, address, size, ACL_ERROR_RT_DEVICE_MEM_ERROR, what, block, at);
    rc = sim_check_host(address, size, what);
    if (!rc && sim_memory_kind_of(address, block) == SIM_MEMORY_PINNED)
        (*block)->pins++;
    return rc;
}

/*
 * Copies, with the lock released meanwhile. A block that was freed since it was queued is
 * ACL_ERROR_RT_DEVICE_MEM_ERROR. memmove(), as ranges may overlap. [locked]
 */
static aclError perform(const struct copy *copy)
{
    struct sim_block *to = NULL, *from = NULL;
    uint8_t *dst = copy->dst, *src = (uint8_t *)(uintptr_t)copy->src;
    aclError rc = pin_side(dst_on_device(copy->kind), copy->count, "the destination", &to, &dst);

    if (!rc && src)
        rc = pin_side(src_on_device(copy->kind), copy->count, "the source", &from, &src);
    if (!rc) {
        sim_unlock();
        if (src)
            memmove(dst, src, copy->count);
        else
            memset(dst, copy->value, copy->count);
        sim_lock();
    }
    sim_unpin(to);
    sim_unpin(from);
    return rc;
}

static void count(struct bp_ascend_traffic *traffic, size_t bytes)
{
    traffic->count++;
    traffic->bytes += bytes;
}

/*
 * The host waits for a synchronous copy, so its simulated clock goes on by the copy's cost.
 * [locked]
 */
static aclError copy_now(struct copy *copy)
{
    struct sim_context *context;
    aclError rc = sim_current(&context);

    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_COPY);
    if (rc)
        return rc;
    if (copy->src && copy->kind == ACL_MEMCPY_DEFAULT)
        copy->kind = resolve(copy);
    rc = check(copy);
    if (!rc && context->device->state == BP_ASCEND_LOST)
        rc = sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "device %d is lost", context->device->id);
    if (rc)
        return rc;
    if (copy->src)
        count(&sim_state.counters.copies_sync[copy->kind], copy->count);
    else
        count(&sim_state.counters.memsets, copy->count);
    sim_host_spends(context->device, sim_copy_cost(context->device, copy->kind, copy->count));
    return perform(copy);
}

/* 0 bytes are not a copy, nor is one onto itself: nothing is checked or counted. */
aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t bytes, aclrtMemcpyKind kind)
{
    struct copy copy = {.dst = dst, .src = src, .count = bytes, .kind = kind};
    aclError rc;

    if (bytes == 0)
        return ACL_SUCCESS;
    rc = check_arguments(dst, destMax, src, bytes, kind);
    if (rc || dst == src)
        return rc;
    sim_lock();
    rc = copy_now(&copy);
    sim_unlock();
    return rc;
}

static aclError check_memset(const void *dst, size_t max, size_t bytes)
{
    if (!dst)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtMemset: NULL");
    if (bytes > max)
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes into a buffer of %zu", bytes, max);
    return 0;
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t bytes)
{
    struct copy copy = {
        .dst = devPtr, .value = value, .count = bytes, .kind = ACL_MEMCPY_DEVICE_TO_DEVICE};
    aclError rc = check_memset(devPtr, maxCount, bytes);

    if (rc || bytes == 0)
        return rc;
    sim_lock();
    rc = copy_now(&copy);
    sim_unlock();
    return rc;
}

/* ---- in streams ----------------------------------------------------------------------------- */

/* On the stream's thread. */
static aclError run_copy(struct sim_task *task, struct sim_stream *stream)
{
    (void)stream;
    return perform(&((struct copy_task *)task)->copy);
}

static void drop_copy(struct sim_task *task)
{
    sim_task_pool_put(&copy_tasks, task);
}

/*
 * Counts an asynchronous copy to or from memory that is not pinned, which a device does more
 * slowly. It is read and written when the task runs, so it has to live until then. [locked]
 */
static aclError note_pageable(const struct copy *copy)
{
    const void *host = dst_on_device(copy->kind) ? copy->src : copy->dst;
    struct sim_block *block;

    if (!copy->src || (dst_on_device(copy->kind) && src_on_device(copy->kind)))
        return 0;
    if (sim_memory_kind_of(host, &block) == SIM_MEMORY_HOST)
        sim_note_violation(BP_ASCEND_PAGEABLE_COPY, "%zu bytes at %p", copy->count, host);
    return 0;
}

/*
 * Two rules of ACL that synchronous copies do not have: none from host to host, and within a device
 * both addresses at multiples of 64. [locked]
 */
static aclError check_async(struct copy *copy)
{
    aclError rc;

    if (copy->src && copy->kind == ACL_MEMCPY_DEFAULT)
        copy->kind = resolve(copy);
    if (copy->kind == ACL_MEMCPY_HOST_TO_HOST)
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "streams do not copy from host to host");
    rc = check(copy);
    if (!rc && copy->src && copy->kind == ACL_MEMCPY_DEVICE_TO_DEVICE &&
        (((uintptr_t)copy->dst | (uintptr_t)copy->src) & 63))
        rc = sim_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
                      "%p or %p is not at a multiple of 64, as copies on a device want", copy->dst,
                      (const void *)copy->src);
    return rc ? rc : note_pageable(copy);
}

/* Counted when queued; bytes are moved when the stream comes to it. [locked, may wait] */
static aclError copy_later(struct copy *copy, aclrtStream handle)
{
    struct sim_stream *stream;
    struct copy_task *task;
    aclError rc = sim_stream_get(handle, &stream);

    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_COPY);
    if (!rc)
        rc = check_async(copy);
    if (rc)
        return rc;
    task = sim_task_pool_get(&copy_tasks);
    if (!task)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a copy");
    task->task.run = run_copy;
    task->task.drop = drop_copy;
    task->task.busy = SIM_BUSY_COPY;
    task->task.cost_ns = sim_copy_cost(stream->device, copy->kind, copy->count);
    task->copy = *copy;
    if (copy->src)
        count(&sim_state.counters.copies_async[copy->kind], copy->count);
    else
        count(&sim_state.counters.memsets, copy->count);
    return sim_submit(stream, &task->task);
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t bytes,
                          aclrtMemcpyKind kind, aclrtStream stream)
{
    struct copy copy = {.dst = dst, .src = src, .count = bytes, .kind = kind};
    aclError rc;

    if (bytes == 0)
        return ACL_SUCCESS;
    rc = check_arguments(dst, destMax, src, bytes, kind);
    if (rc || dst == src)
        return rc;
    sim_lock();
    rc = copy_later(&copy, stream);
    sim_unlock();
    return rc;
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t bytes,
                          aclrtStream stream)
{
    struct copy copy = {
        .dst = devPtr, .value = value, .count = bytes, .kind = ACL_MEMCPY_DEVICE_TO_DEVICE};
    aclError rc = check_memset(devPtr, maxCount, bytes);

    if (rc || bytes == 0)
        return rc;
    sim_lock();
    rc = copy_later(&copy, stream);
    sim_unlock();
    return rc;
}

/* ---- what it would cost --------------------------------------------------------------------- */

/* As if the device were idle. */
aclError bp_ascend_estimate_copy(uint64_t bytes, int32_t on_device, uint64_t *nanoseconds)
{
    struct sim_context *context;
    aclError rc;

    if (!nanoseconds)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_estimate_copy: NULL");
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        *nanoseconds = sim_copy_cost(
            context->device, on_device ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_HOST_TO_DEVICE,
            (size_t)bytes);
    sim_unlock();
    return rc;
}
