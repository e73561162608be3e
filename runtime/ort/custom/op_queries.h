/* SPDX-License-Identifier: MIT */
/*
 * op_queries.h - properties of a custom operator. Its functions may throw: ort_op_check() reports that
 * when a session is created; later an exception is logged, and the default is the answer.
 */
#ifndef BP_ORT_CUSTOM_OP_QUERIES_H
#define BP_ORT_CUSTOM_OP_QUERIES_H

#include "ort/custom/op.h"

/* Queries everything once; the status of the first function that throws. */
OrtStatus *ort_op_check(const struct ort_op *op);
/* Queries the name only. */
OrtStatus *ort_op_check_name(const struct ort_op *op);

const char *ort_op_name(const struct ort_op *op);     /* never NULL */
const char *ort_op_provider(const struct ort_op *op); /* NULL or "": any */
size_t ort_op_count(const struct ort_op *op, bool is_input);
ONNXTensorElementDataType ort_op_type(const struct ort_op *op, bool is_input, size_t i);
OrtCustomOpInputOutputCharacteristic ort_op_characteristic(const struct ort_op *op, bool is_input,
                                                           size_t i);
int ort_op_min_arity(const struct ort_op *op, bool is_input);
bool ort_op_is_homogeneous(const struct ort_op *op, bool is_input);
int ort_op_start_version(const struct ort_op *op);
int ort_op_end_version(const struct ort_op *op);

#endif
