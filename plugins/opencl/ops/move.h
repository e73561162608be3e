/* SPDX-License-Identifier: MIT */
/* move.h - elements go from one place to another, whatever they are. */
#ifndef BP_OPENCL_MOVE_H
#define BP_OPENCL_MOVE_H

#include "ops/elementwise.h"

/* A box of elements: sizes, and strides on both sides, in elements. Up to 2 * BP_OPENCL_MAX_RANK. */
struct bp_opencl_box {
    uint32_t rank;
    int64_t dims[2 * BP_OPENCL_MAX_RANK];
    int64_t to[2 * BP_OPENCL_MAX_RANK], from[2 * BP_OPENCL_MAX_RANK];
};

/* Strides of a dense tensor. */
void bp_opencl_dense(uint32_t rank, const int64_t *dims, int64_t *strides);
/*
 * Moves a box: its first element is element `to_at` of y and `from_at` of x. Dimensions through which
 * both sides move alike are merged; a box that is dense on both sides is a copy.
 */
void bp_opencl_move(struct bp_opencl_builder *b, const struct bp_opencl_tensor *y, int64_t to_at,
                    const struct bp_opencl_tensor *x, int64_t from_at,
                    const struct bp_opencl_box *box);

#endif
