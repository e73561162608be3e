/* SPDX-License-Identifier: MIT */
/* chain_kernel.h - the kernel of a chain: its operands, its text, its step. */
#ifndef BP_OPENCL_CHAIN_KERNEL_H
#define BP_OPENCL_CHAIN_KERNEL_H

#include "build/chain.h"

/* The result of a node that no step has computed yet. */
struct bp_opencl_expression {
    struct bp_opencl_tensor y; /* where it goes, should it have to be in memory */
    bool is_stored;            /* it is there */
    uint32_t node, n_in;
    struct bp_opencl_tensor in[3];
    const char *definitions, *expr; /* expr of a, b, c, behind lines of #define */
    bp_opencl_product_fn add;       /* or a product, with its data */
    const void *data;
    int64_t row;
};

/* What one kernel computes: expressions, each behind those it reads; the last is the result. */
struct bp_opencl_kernel_plan {
    const struct bp_opencl_expression *nodes[BP_OPENCL_CHAIN_NODES];
    struct bp_opencl_tensor leaves[BP_OPENCL_CHAIN_LEAVES];
    uint32_t n_nodes, n_leaves;
    const struct bp_opencl_expression *product; /* the one among the nodes, or NULL */
    bool is_too_large;                          /* the rest means nothing then */
};

/* The leaf of the plan that a tensor is; n_leaves: it is none. */
uint32_t bp_opencl_find_leaf(const struct bp_opencl_kernel_plan *plan,
                             const struct bp_opencl_tensor *tensor);
/* Can the plan's product store the result, and find all leaves? */
bool bp_opencl_is_epilogue(struct bp_opencl_builder *b, const struct bp_opencl_kernel_plan *plan);
/* Adds the step: the product with its epilogue, or a kernel of element-wise nodes. */
void bp_opencl_add_kernel(struct bp_opencl_builder *b, const struct bp_opencl_kernel_plan *plan);

#endif
