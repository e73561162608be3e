/* SPDX-License-Identifier: MIT */
/* memory.c - memory of frames, between guards and poisoned, on the host and in spaces of a provider. */

#include "config.h"

#include <stdlib.h>

#include "check/graph.h"
#include "check/guard.h"

enum { GUARD_BYTE = 0xc5, PAGE = 4096 };

/* ---- blocks ---------------------------------------------------------------------------------- */

void kit_block_free(struct kit_exec *exec, struct kit_block *block)
{
    if (block->base)
        exec->kit->p.dev->free(exec->instance, 0, block->space, block->base);
    if (block->mapped)
        kit_unmap(block->raw, block->mapped);
    else
        free(block->raw);
    memset(block, 0, sizeof *block);
}

/* In a space of the provider's offsets are multiples of 256, as hosts have them. */
static bp_rc take_device_memory(struct kit_exec *exec, struct kit_block *block, size_t align)
{
    struct kit *kit = exec->kit;
    void *base = NULL;
    bp_rc rc = kit->p.dev->alloc(exec->instance, 0, block->space, block->size,
                                 align < KIT_GUARD ? KIT_GUARD : align, &base, kit_err(kit));

    if (rc >= 0 && !base)
        kit_fail(kit, "alloc of %zu bytes in space %u succeeds without a handle", block->size,
                 (unsigned)block->space);
    block->base = rc < 0 ? NULL : base;
    return rc;
}

/* Pages without access follow the bytes, or stand before them. The rest of their pages is guards. */
static void map_block(struct kit_block *block, uint32_t placing, size_t align)
{
    size_t n = block->bytes + block->slack;
    void *data, *raw;

    raw = placing == KIT_AT_START ? kit_map_after(n, &data, &block->mapped)
                                  : kit_map_tight(n, align, &data, &block->mapped);
    block->raw = raw;
    block->image = block->raw + PAGE;
    block->size = block->mapped - 2 * (size_t)PAGE;
    block->data = data;
}

static void allocate_block(struct kit_block *block, size_t align, size_t skew)
{
    size_t before = align > KIT_GUARD ? align : KIT_GUARD;

    block->size = before + skew + block->bytes + block->slack + KIT_GUARD;
    block->raw = malloc(block->size + align);
    if (!block->raw)
        abort();
    block->image = block->raw + (align - (uintptr_t)block->raw % align) % align;
    block->data = block->image + before + skew;
}

bp_rc kit_block_make(struct kit_exec *exec, struct kit_block *block, uint32_t space, size_t n,
                     size_t align, size_t skew)
{
    return kit_block_make_slack(exec, block, space, n, 0, align, skew);
}

bp_rc kit_block_make_slack(struct kit_exec *exec, struct kit_block *block, uint32_t space, size_t n,
                           size_t slack, size_t align, size_t skew)
{
    kit_block_free(exec, block);
    block->space = space;
    block->bytes = n;
    block->slack = slack;
    if (exec->placing != KIT_LOOSE && space == BP_SPACE_HOST && align <= PAGE)
        map_block(block, exec->placing, align);
    else
        allocate_block(block, align, skew);
    memset(block->image, GUARD_BYTE, block->size);
    memset(block->data, KIT_POISON, n + slack);
    return space == BP_SPACE_HOST ? BP_OK : take_device_memory(exec, block, align);
}

void kit_block_protect(const struct kit_block *block, bool is_read_only)
{
    if (block->mapped)
        kit_protect(block->image, block->size, is_read_only);
}

bool kit_block_is_whole(const struct kit_block *block)
{
    const unsigned char *end = block->image + block->size;

    for (const unsigned char *at = block->image; at < end; at++) {
        if (at == block->data)
            at += block->bytes + block->slack;
        if (at < end && *at != GUARD_BYTE)
            return false;
    }
    return true;
}

bp_rc kit_block_copy(struct kit_exec *exec, struct kit_block *block, bool is_up, void *stream)
{
    int64_t dims[] = {(int64_t)block->size};
    bp_tensor here = {block->image, 0, dims, block->size, 1, BP_DTYPE_U8, BP_SPACE_HOST, 0};
    bp_tensor there = {block->base, 0, dims, block->size, 1, BP_DTYPE_U8, block->space, 0};
    bp_copy row = {is_up ? &there : &here, is_up ? &here : &there};

    if (!block->base)
        return BP_OK;
    return exec->kit->p.dev->copy(exec->instance, &row, 1, stream, kit_err(exec->kit));
}

/* ---- streams --------------------------------------------------------------------------------- */

bp_rc kit_stream_open(struct kit_exec *exec)
{
    struct kit *kit = exec->kit;
    bp_rc rc;

    if (!kit->p.dev || !kit->p.dev->stream_create)
        return BP_OK;
    rc = kit->p.dev->stream_create(exec->instance, 0, 0, &exec->stream, kit_err(kit));
    if (rc >= 0)
        rc = kit->p.dev->event_create(exec->instance, 0, 0, &exec->event, kit_err(kit));
    if (rc >= 0 && (!exec->stream || !exec->event))
        kit_fail(kit, "stream_create or event_create succeeds without one");
    return rc;
}

void kit_stream_close(struct kit_exec *exec)
{
    if (exec->stream)
        exec->kit->p.dev->stream_destroy(exec->instance, exec->stream);
    if (exec->event)
        exec->kit->p.dev->event_destroy(exec->instance, exec->event);
    exec->stream = exec->event = NULL;
}
