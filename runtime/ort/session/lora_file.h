/* SPDX-License-Identifier: MIT */
/*
 * lora_file.h - reads files of LoRA adapters: a FlatBuffer with the identifier "TORT", whose root
 * is a table of three versions and a list of parameters, each with name, sizes, type and bytes.
 */
#ifndef BP_ORT_SESSION_LORA_FILE_H
#define BP_ORT_SESSION_LORA_FILE_H

#include "base/flat.h"
#include "ort/slots.h"

/* Borrowed from the file's bytes, which may have any alignment. */
struct ort_lora_parameter {
    const char *name; /* NUL-terminated */
    const void *dims; /* n_dims of int64 */
    const void *data;
    size_t n_dims, n_bytes;
    int32_t type; /* numbers of ONNX TensorProto.DataType */
};

struct ort_lora_file {
    struct bp_flat flat;
    struct bp_flat_list parameters;
};

/*
 * Checks the file's header and list; *out must not move, because parameters refer to it. ORT_FAIL says
 * what is wrong; nothing in the file is trusted.
 */
OrtStatus *ort_lora_open(const void *bytes, size_t size, struct ort_lora_file *out);
/* Parameter i < parameters.n, checked to lie within the file. */
OrtStatus *ort_lora_parameter(const struct ort_lora_file *file, uint32_t i,
                              struct ort_lora_parameter *out);

#endif
