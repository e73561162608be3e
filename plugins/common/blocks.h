/* SPDX-License-Identifier: MIT */
/*
 * blocks.h - an arena for the memory of a program or a frame: allocations are taken piece by piece
 * and freed all at once.
 */
#ifndef BP_BLOCKS_H
#define BP_BLOCKS_H

#include <bp/sdk.h>

#include <stdbool.h>

/*
 * An arena. Begins with its host and zeros, and holds no memory then. Not for several threads at
 * once.
 */
struct bp_blocks {
    const bp_host *host;
    struct bp_block *newest; /* the others behind it */
    size_t left;             /* bytes free at the end of the newest */
};

/*
 * `bytes` of memory, zeroed and 64-aligned, valid until bp_blocks_free(); NULL: no memory. 0 bytes
 * give a valid pointer.
 */
void *bp_blocks_get(struct bp_blocks *blocks, size_t bytes);
/* The same for count * size bytes; NULL also when the product overflows. */
void *bp_blocks_array(struct bp_blocks *blocks, size_t count, size_t size);
/*
 * Takes back all allocations but keeps the block they lie in, so that the same ones can be made
 * again without the host. False: there is not exactly one block, and nothing has changed. What is
 * got afterwards is no longer zeroed.
 */
bool bp_blocks_rewind(struct bp_blocks *blocks);
/* Frees everything; the arena is empty and can be used again. */
void bp_blocks_free(struct bp_blocks *blocks);

#endif
