/* SPDX-License-Identifier: MIT */
/* op_model.h - writes a model of one node, so that the host can run a single operator. */
#ifndef BP_ORT_CUSTOM_OP_MODEL_H
#define BP_ORT_CUSTOM_OP_MODEL_H

#include <stdint.h>

#include "ort/custom/op_attr.h"

/* Inputs are i0, i1, ..., outputs o0, o1, ...; absent ones are not inputs or outputs of the graph. */
struct ort_op_model {
    const char *op, *domain;
    uint32_t version; /* of the domain */
    OrtOpAttr *const *attrs;
    uint32_t n_attrs, n_in, n_out;
    const uint32_t *dtypes; /* for each input, BP_DTYPE_*; NONE: absent. NULL: not known yet */
    const bool *wanted;     /* for each output; NULL: all */
};

/* Bytes of an .onnx file, to free(); NULL: no memory. */
void *ort_op_model_write(const struct ort_op_model *model, size_t *size);

#endif
