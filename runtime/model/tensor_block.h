/* SPDX-License-Identifier: MIT */
/* tensor_block.h - tensors that own their memory: base and dims in one block, freed by bp_tensor_free(). */
#ifndef BP_MODEL_TENSOR_BLOCK_H
#define BP_MODEL_TENSOR_BLOCK_H

#include "base/status.h"

enum { BP_TENSOR_ALIGN = 64 };

/*
 * A tensor of any type with `bytes` bytes at base, not set to anything. base is never NULL, also
 * for no bytes. rank and dims are the caller's to check.
 */
bp_rc bp_tensor_block(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t bytes,
                      bp_tensor *out, bp_err *err) BP_CHECKED;
/* Bytes that a tensor's elements take, spans where it is of strings; BP_E_INVALID as bp_tensor_bytes. */
bp_rc bp_tensor_span_bytes(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t *out,
                           bp_err *err) BP_CHECKED;

#endif
