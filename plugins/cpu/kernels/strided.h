/* SPDX-License-Identifier: MIT */
/*
 * strided.h - copies from strided elements of a tensor to a dense one, for Transpose, Slice, Expand
 * and Tile.
 *
 * Elements of 1, 2, 4, 8 or 16 bytes are moved; their type does not matter. A plan is made for one
 * set of shapes, by the thread of prepare or run, and then only read; the copy runs on the host's
 * threads.
 */
#ifndef BP_CPU_KERNELS_STRIDED_H
#define BP_CPU_KERNELS_STRIDED_H

#include "cpu.h"

struct bp_cpu_strided {
    size_t width;  /* bytes of an element */
    int64_t count; /* elements of the destination */
    int64_t outer; /* rows: the product of all dimensions but the last one (TRANSPOSE: two) */
    uint32_t rank; /* 1 or more, after merging */
    uint32_t kind, slices, row_parts;  /* the .c file's own */
    uint32_t walked;                   /* number of dimensions that make up `outer` */
    int64_t dims[BP_CPU_MAX_RANK * 2]; /* the walked ones first */
    int64_t from[BP_CPU_MAX_RANK * 2]; /* strides in the source, in elements */
    int64_t to[BP_CPU_MAX_RANK * 2];   /* strides in the destination, in elements */
};

/*
 * Plans the copy to a dense tensor with `dims` from elements that lie `strides` elements apart; a
 * stride of 0 repeats an element, a negative one goes backwards. rank is at most 2 *
 * BP_CPU_MAX_RANK. An empty copy reads nothing.
 */
void bp_cpu_strided_make(const struct bp_cpu_call *call, size_t width, uint32_t rank,
                         const int64_t *dims, const int64_t *strides, struct bp_cpu_strided *out);
/* The same for a broadcast of `in`. BP_E_SHAPE: it does not broadcast to dims. */
bp_rc bp_cpu_strided_expand(const struct bp_cpu_call *call, const bp_tensor *in, uint32_t rank,
                            const int64_t *dims, struct bp_cpu_strided *out, bp_err *err);
/* Runs a plan; `from` points to the element that becomes the first one. */
void bp_cpu_strided_run(const struct bp_cpu_call *call, const struct bp_cpu_strided *strided,
                        const void *from, void *to);

#endif
