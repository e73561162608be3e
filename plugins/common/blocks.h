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
    bool is_dirty;           /* what is larger than 64 KiB is not zeroed */
};

/*
 * `bytes` of memory, zeroed (unless is_dirty) and 64-aligned, valid until bp_blocks_free(); NULL: no memory. 0 bytes
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

/*
 * A place for one block of an arena that has ended, where the next one takes it from: what is made
 * and freed in turn, as frames are whose sizes grow, then asks the host for no memory. Begins with
 * zeros. [any thread]
 */
struct bp_spare_block {
    struct bp_block *block;
};

/* bp_blocks_free(), but the newest block, unless it is a large one, goes to the place. */
void bp_blocks_leave(struct bp_blocks *blocks, struct bp_spare_block *spare);
/* Gives an arena without blocks the one in the place, if there is one. */
void bp_blocks_take(struct bp_blocks *blocks, struct bp_spare_block *spare);
/* Frees the block in the place, which is empty then. */
void bp_blocks_free_spare(const bp_host *host, struct bp_spare_block *spare);

#endif
