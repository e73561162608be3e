/* SPDX-License-Identifier: MIT */
/* model_bytes.h - opens a model that a test has written into memory. */
#ifndef BP_TESTS_MODEL_BYTES_H
#define BP_TESTS_MODEL_BYTES_H

#include "model/onnx.h"

/* The bytes outlive the model; external data is looked for in dir (NULL: refused). */
static inline bp_rc model_open_bytes(const void *bytes, size_t size, const char *dir,
                                     struct bp_onnx **out, bp_err *err)
{
    bp_model_source source = {
        .struct_size = sizeof source, .bytes = bytes, .size = size, .dir = dir};

    return bp_onnx_open_source(&source, out, err);
}

#endif
