/* SPDX-License-Identifier: MIT */
/* elementwise.h - one kernel for each element of a tensor, made of an expression in OpenCL C. */
#ifndef BP_OPENCL_ELEMENTWISE_H
#define BP_OPENCL_ELEMENTWISE_H

#include "base/operator.h"
#include "build/builder.h"

#include <common/broadcast.h>

/* As kernels know it: walk_t of kernels/types.cl. */
struct bp_opencl_walk {
    int32_t rank;
    int32_t dims[BP_OPENCL_MAX_RANK];
    int32_t strides[BP_BROADCAST_INPUTS][BP_OPENCL_MAX_RANK];
};

/*
 * The loop nest of inputs that are broadcast to `dims`; false where they are not, or the nest is too
 * deep, which is noted.
 */
bool bp_opencl_make_walk(struct bp_opencl_builder *b, uint32_t rank, const int64_t *dims,
                         const struct bp_opencl_tensor *const *in, uint32_t n,
                         struct bp_opencl_walk *out);

/*
 * Adds the step y = expr(a, b, c), of n inputs that broadcast to y; the prefix has what expr needs
 * beyond them. Element types are those of the tensors.
 */
void bp_opencl_elementwise(struct bp_opencl_builder *b, const struct bp_opencl_tensor *y,
                           const struct bp_opencl_tensor *const *in, uint32_t n,
                           struct bp_opencl_prefix *prefix, const char *expr);

/* The row's expression for the type of the node's first input. */
const char *bp_opencl_expr(const struct bp_opencl_op *op, const struct bp_opencl_tensor *x);
/* Defines P0 and P1 by the node's attributes of the row. */
void bp_opencl_define_attrs(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                            const bp_node *node, struct bp_opencl_prefix *prefix);

#endif
