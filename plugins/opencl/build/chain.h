/* SPDX-License-Identifier: MIT */
/*
 * chain.h - element-wise nodes that follow each other, or a product, become one kernel. A node
 * whose result only nodes of one such kernel read is kept as an expression; the last node of the
 * kernel adds the step. Which nodes those are is known before the first is built.
 */
#ifndef BP_OPENCL_CHAIN_H
#define BP_OPENCL_CHAIN_H

#include "build/builder.h"

/* Expressions, and tensors in memory, that one kernel may have. */
enum { BP_OPENCL_CHAIN_NODES = 20, BP_OPENCL_CHAIN_LEAVES = 6 };

/*
 * What a product does to each element of its result before it is stored: the family of the product
 * finds EPILOGUE(v, i) and EPILOGUE_OPERANDS defined, where i is the element's index in y. The
 * operands are the step's last ones.
 */
struct bp_opencl_epilogue {
    const char *text; /* definitions */
    const struct bp_opencl_tensor *y;
    const struct bp_opencl_tensor *leaves;
    uint32_t n_leaves;
};

/* Adds the steps of a product whose result is an expression; epilogue: NULL without one. */
typedef void (*bp_opencl_product_fn)(struct bp_opencl_builder *b, const void *data,
                                     const struct bp_opencl_epilogue *epilogue);

/* Finds the kernel of each node; once the values have their shapes. */
void bp_opencl_find_chains(struct bp_opencl_builder *b);
/*
 * y = expr(a, b, c) of the node that is being built, as bp_opencl_elementwise() has it. False:
 * nothing was done, the node is a kernel of its own, and its inputs are in memory.
 */
bool bp_opencl_chain(struct bp_opencl_builder *b, const struct bp_opencl_tensor *y,
                     const struct bp_opencl_tensor *const *in, uint32_t n,
                     const struct bp_opencl_prefix *prefix, const char *expr);
/*
 * The same for a product into the node's output 0, in rows of `row` elements; data of `size` bytes
 * are copied, and what they point to has to live as long as the frame is built.
 */
bool bp_opencl_chain_product(struct bp_opencl_builder *b, int64_t row, bp_opencl_product_fn add,
                             const void *data, size_t size);
/*
 * The definitions with those of the epilogue, which may be NULL; valid as long as the frame is
 * built.
 */
const char *bp_opencl_with_epilogue(struct bp_opencl_builder *b,
                                    const struct bp_opencl_prefix *prefix,
                                    const struct bp_opencl_epilogue *epilogue);
/* Puts a tensor that is an expression into memory. */
void bp_opencl_chain_store(struct bp_opencl_builder *b, const struct bp_opencl_tensor *tensor);

#endif
