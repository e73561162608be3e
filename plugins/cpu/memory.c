/* SPDX-License-Identifier: MIT */
/* memory.c - the memory of programs and frames, in blocks from the host. */

#include "program.h"

enum { ALIGN = 64, FIRST_BLOCK = 2 * 1024, LARGEST_BLOCK = 16 * 1024 };

struct bp_cpu_block {
    struct bp_cpu_block *next;
    size_t bytes; /* of all of it, this header included */
};

/* Blocks double: a model may have hundreds of programs of one node. */
static bool add_block(struct bp_cpu_memory *memory, size_t payload)
{
    size_t bytes = memory->blocks ? memory->blocks->bytes * 2 : FIRST_BLOCK;
    struct bp_cpu_block *block;

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

void *bp_cpu_memory_get(struct bp_cpu_memory *memory, size_t bytes)
{
    struct bp_cpu_block *block;
    char *end;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes > memory->left || !memory->blocks) {
        if (!add_block(memory, bytes))
            return NULL;
    }
    block = memory->blocks;
    end = (char *)block + block->bytes;
    memory->left -= bytes;
    return end - memory->left - bytes;
}

void *bp_cpu_memory_array(struct bp_cpu_memory *memory, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return bp_cpu_memory_get(memory, bytes);
}

bool bp_cpu_memory_rewind(struct bp_cpu_memory *memory)
{
    if (!memory->blocks || memory->blocks->next)
        return false;
    memory->left = memory->blocks->bytes - ALIGN;
    return true;
}

void bp_cpu_memory_finish(struct bp_cpu_memory *memory)
{
    while (memory->blocks) {
        struct bp_cpu_block *block = memory->blocks;

        memory->blocks = block->next;
        memory->host->free(memory->host->h, block, block->bytes, ALIGN);
    }
    memory->left = 0;
}
