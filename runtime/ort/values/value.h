/* SPDX-License-Identifier: MIT */
/*
 * value.h - OrtValue: a tensor, sparse tensor, sequence, map or empty optional.
 *
 * Values are reference-counted, because containers and bindings share them. Thread rule: counts are
 * atomic; content has one writer or several readers.
 */
#ifndef BP_ORT_VALUES_VALUE_H
#define BP_ORT_VALUES_VALUE_H

#include <backplane.h>
#include <bp/sdk.h>
#include <stdatomic.h>

#include "ort/values/memory.h"
#include "ort/values/sparse.h"
#include "ort/values/types.h"

/* Whose a tensor's memory is. */
enum ort_storage {
    ORT_BORROWED,  /* the caller's */
    ORT_ALLOCATED, /* from `allocator` */
    ORT_HOST       /* from the host or the session's allocator: bp_tensor_free() knows */
};

struct OrtValue {
    atomic_uint refs;
    ONNXType kind;
    bool has_value; /* false: an optional without one */
    enum ort_storage storage;
    bp_tensor tensor; /* of kind TENSOR; a string tensor's base are spans */
    OrtAllocator *allocator;
    char **texts;          /* strings that were set one by one; NULL: none */
    OrtMemoryInfo *memory; /* NULL: ordinary memory */
    OrtValue **parts;      /* of a sequence or map that the caller made; references */
    uint32_t n_parts;
    bp_object *object;         /* of a sequence or map that a run made */
    struct ort_sparse *sparse; /* of a sparse tensor */
};

OrtValue *ort_value_create(ONNXType kind);
OrtValue *ort_value_retain(OrtValue *value);
/* Takes over the tensor or object of a result. The value must be empty. */
OrtStatus *ort_value_adopt(OrtValue *value, bp_binding *result);
/* Copies the description of the value's memory, unless it is plain CPU memory. The value has none. */
OrtStatus *ort_value_keep_memory(OrtValue *value, const OrtMemoryInfo *info);
/* A value of its own with what the object holds; tensors are copied. */
OrtStatus *ort_value_from_object(bp_object *object, OrtValue **out);
/* The value as the host's object, which the caller releases. */
OrtStatus *ort_value_to_object(const OrtValue *value, bp_object **out);
/* Frees the content; what is left is a value without one. */
void ort_value_clear(OrtValue *value);

size_t ort_tensor_count(const bp_tensor *tensor);
static inline bp_span *ort_tensor_spans(const bp_tensor *tensor)
{
    return bp_tensor_data(tensor);
}

/* A status unless the value is a tensor with content. */
OrtStatus *ort_need_tensor(const char *function, const OrtValue *value);

#endif
