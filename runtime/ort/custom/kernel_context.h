/* SPDX-License-Identifier: MIT */
/* kernel_context.h - OrtKernelContext: a node that is being run; lives for one call of a kernel. */
#ifndef BP_ORT_CUSTOM_KERNEL_CONTEXT_H
#define BP_ORT_CUSTOM_KERNEL_CONTEXT_H

#include "ort/custom/op.h"

enum { ORT_FEW_VALUES = 16 }; /* inputs and outputs that need no memory from the heap */

struct ort_scratch;

struct OrtKernelContext {
    bp_operator_call *call;
    const struct ort_kernel *kernel;
    OrtValue *in, *out; /* one each; without a value: absent, or not made yet */
    uint32_t n_in, n_out;
    struct ort_scratch *scratch;
    OrtValue few[ORT_FEW_VALUES];
};

/* False: no memory. */
bool ort_kernel_context_init(OrtKernelContext *context, bp_operator_call *call,
                             const struct ort_kernel *kernel);
/* After the kernel: strings that it set one by one become the host's. */
bp_rc ort_kernel_context_deliver(OrtKernelContext *context, bp_err *err);
void ort_kernel_context_finish(OrtKernelContext *context);

#endif
