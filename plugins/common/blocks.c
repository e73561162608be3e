/* SPDX-License-Identifier: MIT */
/* blocks.c - see blocks.h: blocks from the host's allocator, handed out from their ends. */

#include <common/blocks.h>

enum { ALIGN = 64, FIRST_BLOCK = 2 * 1024, LARGEST_BLOCK = 64 * 1024 };

/* The header of a block; what is handed out lies after it, from ALIGN bytes on. */
struct bp_block {
    struct bp_block *next;
    size_t bytes; /* of all of it, this header included */
};

/*
 * Blocks double in size up to LARGEST_BLOCK: a model may have hundreds of programs of one node, for
 * which a small first block is enough. A larger request gets a block of its own size.
 */
static bool add_block(struct bp_blocks *blocks, size_t payload)
{
    size_t bytes = blocks->newest ? blocks->newest->bytes * 2 : FIRST_BLOCK;
    struct bp_block *block;

    bytes = bytes < LARGEST_BLOCK ? bytes : LARGEST_BLOCK;
    if (bytes - ALIGN < payload)
        bytes = payload + ALIGN;
    block = blocks->host->alloc(blocks->host->h, bytes, ALIGN);
    if (!block)
        return false;
    memset(block, 0, blocks->is_dirty && bytes > LARGEST_BLOCK ? ALIGN : bytes);
    block->next = blocks->newest;
    block->bytes = bytes;
    blocks->newest = block;
    blocks->left = bytes - ALIGN;
    return true;
}

/* Free bytes are those before the end of the newest block, so that one count describes them. */
void *bp_blocks_get(struct bp_blocks *blocks, size_t bytes)
{
    char *end;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if ((bytes > blocks->left || !blocks->newest) && !add_block(blocks, bytes))
        return NULL;
    end = (char *)blocks->newest + blocks->newest->bytes;
    blocks->left -= bytes;
    return end - blocks->left - bytes;
}

void *bp_blocks_array(struct bp_blocks *blocks, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return bp_blocks_get(blocks, bytes);
}

bool bp_blocks_rewind(struct bp_blocks *blocks)
{
    if (!blocks->newest || blocks->newest->next)
        return false;
    blocks->left = blocks->newest->bytes - ALIGN;
    return true;
}

static void free_block(const bp_host *host, struct bp_block *block)
{
    host->free(host->h, block, block->bytes, ALIGN);
}

void bp_blocks_free(struct bp_blocks *blocks)
{
    while (blocks->newest) {
        struct bp_block *block = blocks->newest;

        blocks->newest = block->next;
        free_block(blocks->host, block);
    }
    blocks->left = 0;
}

/* What was used of the block is zeroed now: only here it is known how much that is. */
void bp_blocks_leave(struct bp_blocks *blocks, struct bp_spare_block *spare)
{
    struct bp_block *left = blocks->newest, *old;

    if (left && left->bytes <= LARGEST_BLOCK) {
        memset((char *)left + ALIGN, 0, left->bytes - ALIGN - blocks->left);
        blocks->newest = left->next;
        old = __atomic_exchange_n(&spare->block, left, __ATOMIC_ACQ_REL);
        if (old)
            free_block(blocks->host, old);
    }
    bp_blocks_free(blocks);
}

void bp_blocks_take(struct bp_blocks *blocks, struct bp_spare_block *spare)
{
    if (!__atomic_load_n(&spare->block, __ATOMIC_RELAXED))
        return;
    blocks->newest = __atomic_exchange_n(&spare->block, NULL, __ATOMIC_ACQ_REL);
    if (!blocks->newest)
        return;
    blocks->newest->next = NULL;
    blocks->left = blocks->newest->bytes - ALIGN;
}

void bp_blocks_free_spare(const bp_host *host, struct bp_spare_block *spare)
{
    struct bp_block *block = __atomic_exchange_n(&spare->block, NULL, __ATOMIC_ACQ_REL);

    if (block)
        free_block(host, block);
}
