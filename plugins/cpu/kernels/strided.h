/* SPDX-License-Identifier: MIT */
/*
 * strided.h - copies from anywhere in a tensor to all of a dense one: the engine of Transpose,
 * Slice, Expand and Tile. It moves elements of 1, 2, 4, 8 or 16 bytes and knows no types.
 */
#ifndef BP_CPU_KERNELS_STRIDED_H
#define BP_CPU_KERNELS_STRIDED_H

#include "cpu.h"

struct bp_cpu_strided {
    size_t width;                      /* bytes of an element */
    int64_t count;                     /* elements of the destination */
    int64_t outer;                     /* rows: all but the innermost dimension, or two of them */
    uint32_t rank;                     /* 1 or more, after merging */
    uint32_t kind, slices, pieces;     /* the .c file's own */
    uint32_t walked;                   /* dimensions that rows are numbered by */
    int64_t dims[BP_CPU_MAX_RANK * 2]; /* those come first */
    int64_t from[BP_CPU_MAX_RANK * 2]; /* strides in the source, in elements */
    int64_t to[BP_CPU_MAX_RANK * 2];   /* and in the destination */
};

/*
 * Solves the copy of a dense tensor with `dims` from elements that lie `strides` elements apart,
 * where a stride of 0 repeats and one below 0 goes backwards. rank is at most 2 * BP_CPU_MAX_RANK.
 * No element is read when there is none to write.
 */
void bp_cpu_strided_make(const struct bp_cpu_call *call, size_t width, uint32_t rank,
                         const int64_t *dims, const int64_t *strides, struct bp_cpu_strided *out);
/* The same, from a tensor that is broadcast. BP_E_SHAPE: it does not broadcast to dims. */
bp_rc bp_cpu_strided_expand(const struct bp_cpu_call *call, const bp_tensor *in, uint32_t rank,
                            const int64_t *dims, struct bp_cpu_strided *out, bp_err *err);
/* `from` is the element that becomes the first. */
void bp_cpu_strided_run(const struct bp_cpu_call *call, const struct bp_cpu_strided *strided,
                        const void *from, void *to);

#endif
