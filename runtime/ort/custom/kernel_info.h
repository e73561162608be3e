/* SPDX-License-Identifier: MIT */
/* kernel_info.h - OrtKernelInfo: a node, as a kernel is made from it; counted. */
#ifndef BP_ORT_CUSTOM_KERNEL_INFO_H
#define BP_ORT_CUSTOM_KERNEL_INFO_H

#include <backplane.h>
#include <stdatomic.h>

#include "ort/session/session.h"
#include "ort/values/value.h"

struct OrtKernelInfo {
    atomic_uint refs;
    const OrtSession *session; /* borrowed, as what follows: the kernel's session has it */
    const bp_graph *graph;
    const bp_node *node;
    OrtValue *constants; /* one an input; without a value where it is no constant */
};

/* NULL: no memory. */
OrtKernelInfo *ort_kernel_info_create(const OrtSession *session, const bp_operator_node *node);

/* A value that shows a tensor of the host; it is part of something else and never released. */
OrtValue ort_value_view(const bp_tensor *tensor);
/* An attribute of a node as an object of its own; *out NULL: none of its kind can be made. */
OrtStatus *ort_op_attr_of(const bp_attr *attr, OrtOpAttr **out);

#endif
