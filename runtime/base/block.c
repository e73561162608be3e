/* SPDX-License-Identifier: MIT */
/* block.c - calls of a session's allocator, and blocks that are aligned whatever it gives. */

#include "config.h"

#include "base/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/guard.h"

/* ---- the application's functions --------------------------------------------------------------- */

bp_rc bp_allocator_read(const bp_allocator *theirs, bp_allocator *out, bp_err *err)
{
    if (theirs->struct_size < sizeof(uint32_t) || theirs->struct_size > 4096)
        return bp_fail(err, BP_E_INVALID, "bp_allocator: struct_size is %u; set it to sizeof",
                       theirs->struct_size);
    memset(out, 0, sizeof *out);
    bp_copy_in(out, sizeof *out, theirs);
    if (!out->alloc || !out->free)
        return bp_fail(err, BP_E_INVALID, "bp_allocator: it needs both alloc and free");
    return BP_OK;
}

struct request {
    const bp_allocator *allocator;
    size_t bytes;
    void *memory;
    bp_err *err;
    bp_rc rc;
};

static void call_alloc(void *u)
{
    struct request *request = u;

    request->rc = request->allocator->alloc(request->allocator->user, request->bytes,
                                            &request->memory, request->err);
}

static void call_free(void *u)
{
    const struct request *request = u;

    request->allocator->free(request->allocator->user, request->memory);
}

bp_rc bp_allocator_get(const bp_allocator *allocator, size_t bytes, void **out, bp_err *err)
{
    struct request request = {.allocator = allocator, .bytes = bytes, .err = err};
    struct bp_thrown thrown;

    *out = NULL;
    bp_err_clear(err);
    if (!bp_guard(call_alloc, &request, &thrown))
        return bp_thrown_fail(&thrown, "alloc of the session's allocator", err);
    if (request.rc < 0)
        return bp_err_complete(err, request.rc);
    if (!request.memory)
        return bp_fail(err, BP_E_NOMEM, "the session's allocator has no %zu bytes", bytes);
    *out = request.memory;
    return BP_OK;
}

void bp_allocator_put(const bp_allocator *allocator, void *memory)
{
    struct request request = {.allocator = allocator, .memory = memory};
    struct bp_thrown thrown;

    if (memory)
        (void)bp_guard(call_free, &request, &thrown);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

/* Before a block lies the address of the memory that it is in. */
static bp_rc alloc_within(const bp_allocator *allocator, size_t bytes, void **out, bp_err *err)
{
    size_t size;
    void *memory;
    char *block;
    bp_rc rc;

    if (!bp_add_size(bytes, BP_BLOCK_ALIGN + sizeof memory, &size))
        return bp_fail(err, BP_E_NOMEM, "no memory for %zu bytes", bytes);
    rc = bp_allocator_get(allocator, size, &memory, err);
    if (rc < 0)
        return rc;
    block = (char *)memory + sizeof memory;
    block += -(uintptr_t)block & (BP_BLOCK_ALIGN - 1);
    memcpy(block - sizeof memory, &memory, sizeof memory);
    *out = block;
    return BP_OK;
}

bp_rc bp_block_alloc(const bp_allocator *allocator, size_t bytes, void **out, bp_err *err)
{
    *out = NULL;
    if (allocator)
        return alloc_within(allocator, bytes, out, err);
    if (posix_memalign(out, BP_BLOCK_ALIGN, bytes ? bytes : BP_BLOCK_ALIGN) == 0)
        return BP_OK;
    *out = NULL;
    return bp_fail(err, BP_E_NOMEM, "no memory for %zu bytes", bytes);
}

void bp_block_free(const bp_allocator *allocator, void *block)
{
    void *memory;

    if (!allocator) {
        free(block);
    } else if (block) {
        memcpy(&memory, (char *)block - sizeof memory, sizeof memory);
        bp_allocator_put(allocator, memory);
    }
}
