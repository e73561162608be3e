/* SPDX-License-Identifier: MIT */
/*
 * types.h - OrtTypeInfo and OrtTensorTypeAndShapeInfo, and functions that create them.
 *
 * Thread rule: one writer, or several readers. The creator's result is for the caller to release.
 */
#ifndef BP_ORT_VALUES_TYPES_H
#define BP_ORT_VALUES_TYPES_H

#include <backplane.h>

#include "ort/slots.h"

struct OrtTensorTypeAndShapeInfo {
    ONNXTensorElementDataType dtype;
    bool has_shape;
    size_t rank;
    int64_t *dims;  /* -1: unknown */
    char **symbols; /* a name for each dimension, or NULL; the array may be NULL */
};

/* OrtMapTypeInfo and the like are this same object under another type. */
struct OrtTypeInfo {
    ONNXType kind;
    OrtTensorTypeAndShapeInfo *tensor;  /* of tensors, sparse ones too */
    ONNXTensorElementDataType key_type; /* of maps */
    OrtTypeInfo *item;                  /* of sequences, optionals and maps */
};

/* Converts element types: three of them have other values in ONNX Runtime than in ONNX. */
ONNXTensorElementDataType ort_dtype(uint32_t dtype);
uint32_t ort_host_dtype(ONNXTensorElementDataType type);
/* "float" for FLOAT: the word within "tensor(float)". */
const char *ort_dtype_word(ONNXTensorElementDataType type);

/* A tensor's type; dims NULL: all dimensions are unknown. NULL: no memory. */
OrtTensorTypeAndShapeInfo *ort_shape_create(ONNXTensorElementDataType dtype, const int64_t *dims,
                                            size_t rank);
OrtTensorTypeAndShapeInfo *ort_shape_copy(const OrtTensorTypeAndShapeInfo *shape);

/* Takes over `tensor` (which may be NULL for want of memory, then so is the result). */
OrtTypeInfo *ort_type_of_tensor(OrtTensorTypeAndShapeInfo *tensor);
/* The type of an input or output of a model. */
OrtTypeInfo *ort_type_of_io(const bp_io_info *io);
OrtTypeInfo *ort_type_copy(const OrtTypeInfo *type);

#endif
