/* SPDX-License-Identifier: MIT */
/* memory.c - blocks from the host, handed out from their ends. */

#include "memory.h"

#include <stdbool.h>

enum { ALIGN = 64, FIRST_BLOCK = 4 * 1024, LARGEST_BLOCK = 64 * 1024 };

struct bp_dnnl_block {
    struct bp_dnnl_block *next;
    size_t bytes; /* of all of it, this header included */
};

/* Blocks double: a model may have hundreds of programs of one node. */
static bool add_block(struct bp_dnnl_memory *memory, size_t payload)
{
    size_t bytes = memory->blocks ? memory->blocks->bytes * 2 : FIRST_BLOCK;
    struct bp_dnnl_block *block;

    bytes = bytes < LARGEST_BLOCK ? bytes : LARGEST_BLOCK;
    if (bytes - ALIGN < payload)
        bytes = payload + ALIGN;
    block = memory->host->alloc(memory->host->h, bytes, ALIGN);
    if (!block)
        return false;
    memset(block, 0, bytes);
    block->next = memory->blocks;
    block->bytes = bytes;
    memory->blocks = block;
    memory->left = bytes - ALIGN;
    return true;
}

void *bp_dnnl_memory_get(struct bp_dnnl_memory *memory, size_t count, size_t size)
{
    size_t bytes;
    char *end;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if ((bytes > memory->left || !memory->blocks) && !add_block(memory, bytes))
        return NULL;
    end = (char *)memory->blocks + memory->blocks->bytes;
    memory->left -= bytes;
    return end - memory->left - bytes;
}

void bp_dnnl_memory_finish(struct bp_dnnl_memory *memory)
{
    while (memory->blocks) {
        struct bp_dnnl_block *block = memory->blocks;

        memory->blocks = block->next;
        memory->host->free(memory->host->h, block, block->bytes, ALIGN);
    }
    memory->left = 0;
}
