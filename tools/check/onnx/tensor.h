/* SPDX-License-Identifier: MIT */
/* tensor.h - tensors as ONNX keeps them in files and attributes. */
#ifndef BP_CHECK_ONNX_TENSOR_H
#define BP_CHECK_ONNX_TENSOR_H

#include <stddef.h>
#include <stdint.h>

enum { KIT_TENSOR_RANK = 8 };

struct kit_tensor {
    uint32_t dtype, rank;
    int64_t dims[KIT_TENSOR_RANK];
    size_t bytes;
    void *data; /* row-major, aligned for every type; to be freed */
};

/*
 * Reads a TensorProto. NULL: it worked, and out->data is the caller's to free(). Else what is in the way,
 * in words: an element type that the kit does not compute with, elements elsewhere, a broken message.
 */
const char *kit_tensor_read(const void *proto, size_t size, struct kit_tensor *out);

#endif
