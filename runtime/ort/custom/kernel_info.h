/* SPDX-License-Identifier: MIT */
/* kernel_info.h - OrtKernelInfo: a node, as a kernel is created from it; reference-counted. */
#ifndef BP_ORT_CUSTOM_KERNEL_INFO_H
#define BP_ORT_CUSTOM_KERNEL_INFO_H

#include <backplane.h>
#include <stdatomic.h>

#include "ort/session/session.h"
#include "ort/values/value.h"

struct OrtKernelInfo {
    atomic_uint refs;
    const OrtSession *session; /* borrowed like the next two: it outlives its kernels */
    const bp_graph *graph;
    const bp_node *node;
    OrtValue *constants; /* for each input; has_value false: not constant */
};

/* NULL: no memory. */
OrtKernelInfo *ort_kernel_info_create(const OrtSession *session, const bp_operator_node *node);

/* A value that refers to a tensor of the host; it is embedded elsewhere and never released. */
OrtValue ort_value_view(const bp_tensor *tensor);
/* An attribute of a node as an OrtOpAttr of its own; *out NULL: tensors and graphs can't be one. */
OrtStatus *ort_op_attr_of(const bp_attr *attr, OrtOpAttr **out);

#endif
