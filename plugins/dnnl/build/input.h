/* SPDX-License-Identifier: MIT */
/* input.h - what a node reads, in the layout that it wants. */
#ifndef BP_DNNL_INPUT_H
#define BP_DNNL_INPUT_H

#include "build/layout.h"

#include <bp/sdk.h>

struct bp_dnnl_builder;
struct bp_dnnl_tensor;

/*
 * The value in the layout and type `want`; NULL: in the one that it was made in. Adds a reorder if
 * it does not exist there yet. Constants are packed, not reordered in each run.
 */
bp_rc bp_dnnl_tensor_of(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *want,
                        struct bp_dnnl_tensor *out, bp_err *err);
/*
 * The value row-major and in md's type, described by md, which has other dims or strides of the same
 * elements: a stack of matrices.
 */
bp_rc bp_dnnl_row_major_of(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                           struct bp_dnnl_tensor *out, bp_err *err);
/*
 * Weights: the value's row-major elements, described by `stored`, whatever its type, with other
 * dims or strides of the same elements, in the layout `want`. Constants are packed.
 */
bp_rc bp_dnnl_weights(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *stored,
                      const dnnl_memory_desc_t *want, struct bp_dnnl_tensor *out, bp_err *err);
/*
 * The value as planes: in its own layout if that is one of planes, else row-major. F32: as float32,
 * else in its own type; UNPADDED: without channels that pad a block.
 */
enum { BP_DNNL_PLANES_F32 = 1, BP_DNNL_PLANES_UNPADDED = 2 };
bp_rc bp_dnnl_tensor_as_planes(struct bp_dnnl_builder *b, uint32_t value, unsigned flags,
                               struct bp_dnnl_tensor *out, struct bp_dnnl_planes *planes,
                               bp_err *err);

#endif
