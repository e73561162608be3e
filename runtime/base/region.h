/* SPDX-License-Identifier: MIT */
/* region.h - memory that is taken piece by piece and given back all at once. */
#ifndef BP_BASE_REGION_H
#define BP_BASE_REGION_H

#include <stddef.h>

struct bp_region_block;

/* Start from {0}. Not safe for several threads. */
struct bp_region {
    struct bp_region_block *blocks;
    size_t used; /* bytes handed out, for reports */
};

/*
 * n zeroed bytes aligned to 16, valid until finish; NULL: no memory. n == 0 gives a valid pointer.
 */
void *bp_region_alloc(struct bp_region *region, size_t n);
/* The same for count * size bytes; NULL also when that does not fit. */
void *bp_region_array(struct bp_region *region, size_t count, size_t size);
/* A copy of n bytes of text with a NUL at the end; NULL: no memory. */
char *bp_region_text(struct bp_region *region, const char *text, size_t n);
char *bp_region_string(struct bp_region *region, const char *text);
char *bp_region_printf(struct bp_region *region, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Takes all pieces back, and keeps the largest block for the next ones: work that is done again and
 * again in one region settles on a block that holds all of it, and allocates no more.
 */
void bp_region_reset(struct bp_region *region);
void bp_region_finish(struct bp_region *region);

#endif
