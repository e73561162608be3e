/* SPDX-License-Identifier: MIT */
/* region.c - memory that is taken piece by piece from blocks that grow, and freed with them. */

#include "config.h"

#include "base/region.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct bp_region_block {
    struct bp_region_block *next;
    size_t used, cap; /* of bytes */
    _Alignas(ALIGN) unsigned char bytes[];
};

/*
 * A block with a capacity of n bytes. The blocks double, so that their number stays small; a piece
 * larger than the next block gets one of its own, put second so that the first keeps serving.
 */
static struct bp_region_block *add_block(struct bp_region *region, size_t n)
{
    struct bp_region_block *head = region->blocks, *block;
    size_t cap = head ? head->cap * 2 : FIRST_BLOCK;
    bool is_own;

    if (cap > LARGEST_BLOCK)
        cap = LARGEST_BLOCK;
    is_own = n > cap / 2;
    if (is_own)
        cap = n;
    if (cap > SIZE_MAX - sizeof *block)
        return NULL;
    block = calloc(1, sizeof *block + cap); /* fresh pages are zero without being touched */
    if (!block)
        return NULL;
    block->cap = cap;
    if (is_own && head) {
        block->next = head->next;
        head->next = block;
    } else {
        block->next = head;
        region->blocks = block;
    }
    return block;
}

void *bp_region_alloc(struct bp_region *region, size_t n)
{
    struct bp_region_block *block = region->blocks;
    void *p;

    if (n > SIZE_MAX - ALIGN)
        return NULL;
    n = n == 0 ? ALIGN : (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!block || block->cap - block->used < n) {
        block = add_block(region, n);
        if (!block)
            return NULL;
    }
    p = block->bytes + block->used;
    block->used += n;
    region->used += n;
    return p;
}

void *bp_region_array(struct bp_region *region, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return bp_region_alloc(region, count * size);
}

char *bp_region_text(struct bp_region *region, const char *text, size_t n)
{
    char *copy;

    if (n == SIZE_MAX)
        return NULL;
    copy = bp_region_alloc(region, n + 1);
    if (copy && n > 0)
        memcpy(copy, text, n);
    return copy;
}

char *bp_region_string(struct bp_region *region, const char *text)
{
    return bp_region_text(region, text, strlen(text));
}

char *bp_region_printf(struct bp_region *region, const char *fmt, ...)
{
    char *text;
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        return NULL;
    text = bp_region_alloc(region, (size_t)n + 1);
    if (!text)
        return NULL;
    va_start(args, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    va_end(args);
    return text;
}

void bp_region_reset(struct bp_region *region)
{
    struct bp_region_block *largest = region->blocks, *next;

    for (struct bp_region_block *block = region->blocks; block; block = block->next) {
        if (block->cap > largest->cap)
            largest = block;
    }
    for (struct bp_region_block *block = region->blocks; block; block = next) {
        next = block->next;
        if (block != largest)
            free(block);
    }
    if (largest) {
        memset(largest->bytes, 0, largest->used);
        largest->used = 0;
        largest->next = NULL;
    }
    region->blocks = largest;
    region->used = 0;
}

void bp_region_finish(struct bp_region *region)
{
    struct bp_region_block *block = region->blocks, *next;

    for (; block; block = next) {
        next = block->next;
        free(block);
    }
    region->blocks = NULL;
    region->used = 0;
}
