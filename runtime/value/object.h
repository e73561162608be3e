/* SPDX-License-Identifier: MIT */
/*
 * object.h - values of any kind with counted references: what runs hand on of sequences, optionals,
 * maps and sparse tensors. The public functions are declared in backplane.h.
 */
#ifndef BP_VALUE_OBJECT_H
#define BP_VALUE_OBJECT_H

#include <stdatomic.h>

#include "value/tensor.h"

struct bp_object {
    atomic_uint references;
    uint32_t kind;   /* BP_KIND_* */
    uint32_t format; /* BP_SPARSE_* of BP_KIND_SPARSE */
    /* BP_KIND_TENSOR: owned; BP_KIND_SPARSE: its type and sizes, without elements */
    bp_tensor tensor;
    uint32_t n;
    struct bp_object *items[]; /* see bp_object_count() */
};

/* Takes over a tensor that owns its memory, also when it fails. */
bp_rc bp_object_adopt(bp_tensor *tensor, bp_object **out, bp_err *err) BP_CHECKED;
/*
 * bp_object_from_tensor() with memory of a session's allocator, which has to outlive the object; NULL:
 * of the C library. Errors: bp_tensor_copy_block() too.
 */
bp_rc bp_object_copy_tensor(const bp_allocator *allocator, const bp_tensor *tensor, bp_object **out,
                            bp_err *err) BP_CHECKED;
/* An object with n items, NULL at first, for the caller to fill in; NULL items may be freed. */
bp_rc bp_object_new(uint32_t kind, uint32_t n, bp_object **out, bp_err *err) BP_CHECKED;
/* Is the value of this type, as far as the type says anything? */
bool bp_object_is_of(const bp_object *object, const bp_type_info *type);
/* "a sequence" for BP_KIND_SEQUENCE */
const char *bp_kind_name(uint32_t kind);

#endif
