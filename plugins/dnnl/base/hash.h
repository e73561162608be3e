/* SPDX-License-Identifier: MIT */
/* hash.h - FNV-1a of 64 bits, for names of copies and files; not for hostile input. */
#ifndef BP_DNNL_HASH_H
#define BP_DNNL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define BP_DNNL_HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash h, or a start, continued by n bytes. */
static inline uint64_t bp_dnnl_hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < n; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return h;
}

#endif
