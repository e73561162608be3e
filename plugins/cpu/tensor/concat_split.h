/* SPDX-License-Identifier: MIT */
/*
 * concat_split.h - the layout and the copies of Concat and Split: n tensors that lie one after the
 * other along an axis of one whole tensor.
 *
 * All dimensions before the axis are seen as rows. A row of the whole is the concatenation of one
 * row of each tensor, its section; elements are bytes here, so that one implementation serves all
 * types of 8 bits and more.
 */
#ifndef BP_CPU_TENSOR_CONCAT_SPLIT_H
#define BP_CPU_TENSOR_CONCAT_SPLIT_H

#include "cpu.h"

/* The part of a row of the whole that belongs to one tensor. */
struct bp_cpu_section {
    size_t offset; /* of the section in a row of the whole, in bytes */
    size_t bytes;  /* of the section, which is one row of its tensor */
};

/* A layout for one set of shapes. Threads of a run only read it. */
struct bp_cpu_concat_split {
    uint32_t n;
    uint32_t slices, row_parts; /* the .c file's own */
    int64_t rows;
    size_t row_bytes;
    struct bp_cpu_section *sections; /* n */
};

/*
 * For prepare or run. Computes the layout of n tensors along `axis` of `whole`, of which only type
 * and dimensions are read. sizes has n values, the sizes along the axis. An output that is not
 * wanted counts too.
 *
 * The sections come from the call's memory, unless the caller has set out->sections, and live as
 * long as the frame. BP_E_SHAPE: the sizes are negative or do not add up to the size of the axis.
 * BP_E_NOMEM.
 */
bp_rc bp_cpu_concat_split_make(struct bp_cpu_call *call, const bp_tensor *whole, uint32_t axis,
                               uint32_t n, const int64_t *sizes, struct bp_cpu_concat_split *out,
                               bp_err *err);
/* Copies n tensors into `whole`, on the threads of the host. */
void bp_cpu_concat_copy(const struct bp_cpu_call *call, const struct bp_cpu_concat_split *layout,
                        bp_tensor *const *tensors, void *whole);
/* Copies `whole` into n tensors, on the threads of the host; a NULL in tensors is skipped. */
void bp_cpu_split_copy(const struct bp_cpu_call *call, const struct bp_cpu_concat_split *layout,
                       bp_tensor *const *tensors, const void *whole);

#endif
