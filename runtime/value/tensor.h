/* SPDX-License-Identifier: MIT */
/*
 * tensor.h - tensors that own their memory: base and dims in one block, freed by bp_tensor_free().
 */
#ifndef BP_VALUE_TENSOR_H
#define BP_VALUE_TENSOR_H

#include "base/status.h"

enum { BP_TENSOR_ALIGN = 64 };

/*
 * bp_tensor.device of tensors whose memory bp_tensor_free() frees. In host memory the member has no
 * other use, and providers never see these tensors.
 */
enum {
    BP_TENSOR_LENT = 1u << 0,  /* base is an allocator's */
    BP_TENSOR_BLOCK = 1u << 1, /* with it: a bp_block */
    BP_TENSOR_OWNED = 1u << 2  /* of all of them */
};

/* May elements of the type be read and written at the address? 8 bytes are enough for each type. */
static inline bool bp_is_aligned(uint32_t dtype, const void *data)
{
    uint32_t width;

    if (((uintptr_t)data & 7) == 0)
        return true;
    width = dtype == BP_DTYPE_STRING ? (uint32_t)sizeof(void *) : bp_dtype_width(dtype) / 8;

    return width < 2 || ((uintptr_t)data & ((width < 8 ? width : 8) - 1)) == 0;
}

/*
 * A tensor of any type with `bytes` bytes at base, not set to anything. base is never NULL, also
 * for no bytes. rank and dims are the caller's to check.
 */
bp_rc bp_tensor_block(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t bytes,
                      bp_tensor *out, bp_err *err) BP_CHECKED;
/*
 * Bytes that a tensor's elements take, spans where it is of strings; BP_E_INVALID as
 * bp_tensor_bytes.
 */
bp_rc bp_tensor_span_bytes(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t *out,
                           bp_err *err) BP_CHECKED;
/*
 * Bytes that a copy takes in one piece: the elements, and after the spans of strings their text.
 * The tensor has as many bytes as its dims need.
 */
bp_rc bp_tensor_whole_bytes(const bp_tensor *from, size_t *out, bp_err *err) BP_CHECKED;
/*
 * Copies the elements to `to`, which has bp_tensor_whole_bytes() bytes and any alignment. Spans of
 * the copy point into `to`.
 */
void bp_tensor_copy_to(const bp_tensor *from, void *to);
/*
 * bp_tensor_alloc() from a session's allocator, which has to outlive the tensor: it is asked for the
 * bytes of the elements, and base is what it gave. allocator NULL, and for strings and for no bytes:
 * from the C library. Strings are empty; other elements are not set: the caller writes them all.
 * bp_tensor_free() knows where it came from. Errors: bp_allocator_get() too.
 */
bp_rc bp_tensor_alloc_from(const bp_allocator *allocator, uint32_t dtype, const int64_t *dims,
                           uint32_t rank, bp_tensor *out, bp_err *err) BP_CHECKED;
/*
 * The same for values that kernels read, not the caller: base is aligned to BP_TENSOR_ALIGN, and the
 * allocator is asked for that much more. The elements are not set to anything; strings are spans
 * without text.
 */
bp_rc bp_tensor_alloc_block(const bp_allocator *allocator, uint32_t dtype, const int64_t *dims,
                            uint32_t rank, bp_tensor *out, bp_err *err) BP_CHECKED;
/* A copy that owns its memory, from where bp_tensor_alloc_block() takes it. */
bp_rc bp_tensor_copy_block(const bp_allocator *allocator, const bp_tensor *from, bp_tensor *out,
                           bp_err *err) BP_CHECKED;
/* A copy that owns its memory, of the C library. */
bp_rc bp_tensor_copy(const bp_tensor *from, bp_tensor *out, bp_err *err) BP_CHECKED;

#endif
