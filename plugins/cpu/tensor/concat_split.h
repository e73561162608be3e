/* SPDX-License-Identifier: MIT */
/*
 * concat_split.h - tensors side by side along an axis of one whole: the engine of Concat and Split.
 * Seen from here a tensor is a number of rows, and a row of the whole is one row of each piece
 * after the other.
 */
#ifndef BP_CPU_TENSOR_CONCAT_SPLIT_H
#define BP_CPU_TENSOR_CONCAT_SPLIT_H

#include "cpu.h"

struct bp_cpu_piece {
    size_t offset; /* in a row of the whole, in bytes */
    size_t bytes;  /* of a row of the piece */
};

struct bp_cpu_concat_split {
    uint32_t n;
    uint32_t slices, cuts; /* the .c file's own */
    int64_t rows;
    size_t row_bytes;
    struct bp_cpu_piece *piece; /* n */
};

/*
 * Solves the layout of n tensors (NULL: one that is not wanted, whose size is in sizes) along an
 * axis of `whole`. sizes has n numbers, the sizes along the axis; their sum must be the whole's.
 */
bp_rc bp_cpu_concat_split_make(struct bp_cpu_call *call, const bp_tensor *whole, uint32_t axis,
                               uint32_t n, const int64_t *sizes, struct bp_cpu_concat_split *out,
                               bp_err *err);
/* Copies the pieces, n tensors, into the whole. */
void bp_cpu_concat_split_join(const struct bp_cpu_call *call,
                              const struct bp_cpu_concat_split *pieces, bp_tensor *const *tensors,
                              void *whole);
/* Copies the whole into the pieces; NULL is passed over. */
void bp_cpu_concat_split_part(const struct bp_cpu_call *call,
                              const struct bp_cpu_concat_split *pieces, bp_tensor *const *tensors,
                              const void *whole);

#endif
