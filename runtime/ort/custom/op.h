/* SPDX-License-Identifier: MIT */
/*
 * op.h - custom operators of ONNX Runtime as definitions of the host: what the files of this folder
 * share.
 */
#ifndef BP_ORT_CUSTOM_OP_H
#define BP_ORT_CUSTOM_OP_H

#include "ort/custom/kernel_info.h"
#include "ort/session/custom_domains.h"

struct ort_op {
    const OrtCustomOp *at; /* the library's object: first argument of its functions */
    OrtCustomOp fn;        /* its functions; newer than its version: NULL */
};

/* Operators with one name, domain and start version, which differ in element types or providers. */
struct ort_family {
    const OrtSession *session; /* outlives it */
    size_t n_ops;
    struct ort_op ops[]; /* all with as many inputs and outputs */
};

struct ort_kernel {
    const struct ort_op *op;
    OrtKernelInfo *info;
    void *own;  /* the library's */
    int *alias; /* for each output the input that it aliases, or -1; NULL: none */
};

/* Is its kernel for CPUExecutionProvider, or for any? */
bool ort_op_is_for_cpu(const struct ort_op *op);
/* The host's element type of input or output i; NONE: any type. */
uint32_t ort_op_input_type(const struct ort_op *op, size_t i);
uint32_t ort_op_output_type(const struct ort_op *op, size_t i);

/* Callbacks of every definition; `user` is a family. */
bp_rc ort_custom_claim(void *user, const bp_operator_node *node, bp_err *err);
bp_rc ort_custom_shapes(void *user, bp_operator_shapes *shapes, bp_err *err);
bp_rc ort_custom_create(void *user, const bp_operator_node *node, void **kernel, bp_err *err);
bp_rc ort_custom_compute(void *kernel, bp_operator_call *call, bp_err *err);
void ort_custom_destroy(void *kernel);

#endif
