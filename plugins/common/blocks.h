/* SPDX-License-Identifier: MIT */
/* blocks.h - memory of a program or a frame: taken piece by piece, given back all at once. */
#ifndef BP_BLOCKS_H
#define BP_BLOCKS_H

#include <bp/sdk.h>

#include <stdbool.h>

/* Begins with its host and zeros. Not for several threads at once. */
struct bp_blocks {
    const bp_host *host;
    struct bp_block *newest; /* the others behind it */
    size_t left;             /* bytes free at the end of the newest */
};

/* Zeroed and 64-aligned; NULL: no memory. 0 bytes give a valid pointer. */
void *bp_blocks_get(struct bp_blocks *blocks, size_t bytes);
/* The same for count * size bytes; NULL also when that does not fit. */
void *bp_blocks_array(struct bp_blocks *blocks, size_t count, size_t size);
/*
 * Takes back all pieces but keeps the block they lie in; false: there is not just one. What is got
 * then is no longer zeroed.
 */
bool bp_blocks_rewind(struct bp_blocks *blocks);
void bp_blocks_free(struct bp_blocks *blocks);

#endif
