/* SPDX-License-Identifier: MIT */
/*
 * kernel_context.h - OrtKernelContext: a node that is running; lives for one call of a kernel.
 *
 * Thread rule: the thread that runs the kernel; functions of ParallelFor must not use it.
 */
#ifndef BP_ORT_CUSTOM_KERNEL_CONTEXT_H
#define BP_ORT_CUSTOM_KERNEL_CONTEXT_H

#include "ort/custom/op.h"

enum { ORT_FEW_VALUES = 16 }; /* inputs and outputs that need no memory from the heap */

struct ort_scratch;

struct OrtKernelContext {
    bp_operator_call *call;
    const struct ort_kernel *kernel;
    OrtValue *in, *out; /* has_value false: absent, or not allocated yet */
    uint32_t n_in, n_out;
    struct ort_scratch *scratch;
    OrtValue few[ORT_FEW_VALUES];
};

/* Set up for one call. False: no memory. */
bool ort_kernel_context_init(OrtKernelContext *context, bp_operator_call *call,
                             const struct ort_kernel *kernel);
/* After the kernel: gives strings that it set one by one to the host. BP_E_NOMEM. */
bp_rc ort_kernel_context_deliver(OrtKernelContext *context, bp_err *err);
void ort_kernel_context_finish(OrtKernelContext *context);

#endif
