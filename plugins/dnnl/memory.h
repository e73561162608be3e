/* SPDX-License-Identifier: MIT */
/* memory.h - memory of a program or a frame: taken piece by piece, given back all at once. */
#ifndef BP_DNNL_MEMORY_H
#define BP_DNNL_MEMORY_H

#include <bp/sdk.h>

struct bp_dnnl_memory {
    const bp_host *host;
    struct bp_dnnl_block *blocks; /* the newest first */
    size_t left;                  /* bytes free at the end of the newest */
};

/* count * size zeroed bytes, 64-aligned; NULL: no memory. 0 bytes give a valid pointer. */
void *bp_dnnl_memory_get(struct bp_dnnl_memory *memory, size_t count, size_t size);
void bp_dnnl_memory_finish(struct bp_dnnl_memory *memory);

#endif
