/* SPDX-License-Identifier: MIT */
/* output.h - memory for what a node makes. */
#ifndef BP_DNNL_OUTPUT_H
#define BP_DNNL_OUTPUT_H

#include <bp/sdk.h>
#include <dnnl.h>

struct bp_dnnl_builder;
struct bp_dnnl_tensor;

/*
 * Memory for a value that is made in this layout: the frame's output if it is one and the host has
 * it so, its slot in an in-place Concat, or new scratch memory. The value exists there from now on.
 */
bp_rc bp_dnnl_make_output(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                          struct bp_dnnl_tensor *out, bp_err *err);
/*
 * The same for a value that is made row-major in md's type. The tensor is described by md, which has
 * other dims of the same elements: a stack of matrices.
 */
bp_rc bp_dnnl_make_row_major(struct bp_dnnl_builder *b, uint32_t value,
                             const dnnl_memory_desc_t *md, struct bp_dnnl_tensor *out, bp_err *err);
/*
 * bp_dnnl_make_output() on the memory of `on`, a tensor of value `from` that the current node reads, if no node
 * reads that any more; else as bp_dnnl_make_output() in the layout of `on`.
 */
bp_rc bp_dnnl_make_in_place(struct bp_dnnl_builder *b, uint32_t value, uint32_t from,
                            const struct bp_dnnl_tensor *on, struct bp_dnnl_tensor *out,
                            bp_err *err);

#endif
