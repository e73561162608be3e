/* SPDX-License-Identifier: MIT */
/* kernel_info.c - OrtKernelInfo: names, types, constants and configuration of a node. */

#include "config.h"

#include "ort/custom/kernel_info.h"

#include <bp/sdk.h>
#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

/* ---- life ------------------------------------------------------------------------------------ */

OrtValue ort_value_view(const bp_tensor *tensor)
{
    OrtValue value = {.kind = ONNX_TYPE_TENSOR, .has_value = tensor != NULL};

    atomic_init(&value.refs, 1);
    if (tensor)
        value.tensor = *tensor;
    return value;
}

OrtKernelInfo *ort_kernel_info_create(const OrtSession *session, const bp_operator_node *node)
{
    OrtKernelInfo *info = calloc(1, sizeof *info);
    uint32_t n = node->node->n_in;

    if (info)
        info->constants = calloc((size_t)n + 1, sizeof *info->constants);
    if (!info || !info->constants) {
        free(info);
        return NULL;
    }
    atomic_init(&info->refs, 1);
    info->session = session;
    info->graph = node->graph;
    info->node = node->node;
    for (uint32_t i = 0; i < n; i++)
        info->constants[i] = ort_value_view(node->constants[i]);
    return info;
}

/*
 * OrtApi since version 12: A reference: ReleaseKernelInfo gives it back. The node lives as long as
 * the session.
 */
OrtStatus *ort_CopyKernelInfo(const OrtKernelInfo *info, OrtKernelInfo **info_copy)
{
    OrtKernelInfo *same = (OrtKernelInfo *)(uintptr_t)info; /* only its count changes */

    ORT_NEED(info);
    ORT_NEED(info_copy);
    atomic_fetch_add(&same->refs, 1);
    *info_copy = same;
    return NULL;
}

/* OrtApi since version 12. */
void ort_ReleaseKernelInfo(OrtKernelInfo *input)
{
    if (!input || atomic_fetch_sub(&input->refs, 1) != 1)
        return;
    free(input->constants);
    free(input);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* *size is the needed size with NUL afterwards; ORT_INVALID_ARGUMENT: the buffer is too short. */
static OrtStatus *give_text(const char *text, char *out, size_t *size)
{
    size_t capacity, need = strlen(text) + 1;

    ORT_NEED(size);
    capacity = *size;
    *size = need;
    if (!out)
        return NULL;
    if (capacity < need)
        return ort_fail(ORT_INVALID_ARGUMENT, "Result buffer is not large enough: %zu of %zu",
                        capacity, need);
    memcpy(out, text, need);
    return NULL;
}

/* OrtApi since version 15. */
OrtStatus *ort_KernelInfo_GetNodeName(const OrtKernelInfo *info, char *out, size_t *size)
{
    ORT_NEED(info);
    return give_text(info->node->name, out, size);
}

/* OrtApi since version 24. */
OrtStatus *ort_KernelInfo_GetOperatorDomain(const OrtKernelInfo *info, char *out, size_t *size)
{
    ORT_NEED(info);
    return give_text(info->node->domain, out, size);
}

/* OrtApi since version 24. */
OrtStatus *ort_KernelInfo_GetOperatorType(const OrtKernelInfo *info, char *out, size_t *size)
{
    ORT_NEED(info);
    return give_text(info->node->op, out, size);
}

/* OrtApi since version 24. */
OrtStatus *ort_KernelInfo_GetOperatorSinceVersion(const OrtKernelInfo *info, int *since_version)
{
    ORT_NEED(info);
    ORT_NEED(since_version);
    *since_version = (int)info->node->since;
    return NULL;
}

/* ---- inputs and outputs ---------------------------------------------------------------------- */

/* OrtApi since version 14. */
OrtStatus *ort_KernelInfo_GetInputCount(const OrtKernelInfo *info, size_t *out)
{
    ORT_NEED(info);
    ORT_NEED(out);
    *out = info->node->n_in;
    return NULL;
}

/* OrtApi since version 14. */
OrtStatus *ort_KernelInfo_GetOutputCount(const OrtKernelInfo *info, size_t *out)
{
    ORT_NEED(info);
    ORT_NEED(out);
    *out = info->node->n_out;
    return NULL;
}

/* *out is NULL for an absent value. */
static OrtStatus *find(const OrtKernelInfo *info, bool is_input, size_t i, const bp_value **out)
{
    uint32_t n = is_input ? info->node->n_in : info->node->n_out;

    if (i >= n)
        return ort_fail(ORT_INVALID_ARGUMENT, "the node has %u %ss, there is no %s %zu", n,
                        is_input ? "input" : "output", is_input ? "input" : "output", i);
    *out = is_input ? bp_node_in(info->graph, info->node, (uint32_t)i)
                    : bp_node_out(info->graph, info->node, (uint32_t)i);
    return NULL;
}

static OrtStatus *name_of(const OrtKernelInfo *info, bool is_input, size_t i, char *out,
                          size_t *size)
{
    const bp_value *value = NULL;
    OrtStatus *status = find(info, is_input, i, &value);

    return status ? status : give_text(value ? value->name : "", out, size);
}

/* OrtApi since version 14. */
OrtStatus *ort_KernelInfo_GetInputName(const OrtKernelInfo *info, size_t index, char *out,
                                       size_t *size)
{
    ORT_NEED(info);
    return name_of(info, true, index, out, size);
}

/* OrtApi since version 14. */
OrtStatus *ort_KernelInfo_GetOutputName(const OrtKernelInfo *info, size_t index, char *out,
                                        size_t *size)
{
    ORT_NEED(info);
    return name_of(info, false, index, out, size);
}

/* Symbolic dimensions are -1. */
static OrtStatus *type_of(const OrtKernelInfo *info, bool is_input, size_t i, OrtTypeInfo **out)
{
    OrtTensorTypeAndShapeInfo *shape;
    const bp_value *value = NULL;
    OrtStatus *status = find(info, is_input, i, &value);
    bool has_rank;

    if (status)
        return status;
    *out = NULL;
    if (!value)
        return ort_fail(ORT_INVALID_ARGUMENT, "%s %zu of the node is absent",
                        is_input ? "input" : "output", i);
    has_rank = value->rank != BP_RANK_UNKNOWN;
    shape = ort_shape_create(ort_dtype(value->dtype), NULL, has_rank ? value->rank : 0);
    if (!shape)
        return ort_no_memory();
    shape->has_shape = has_rank;
    for (size_t d = 0; d < shape->rank; d++)
        shape->dims[d] = value->dims[d].value;
    *out = ort_type_of_tensor(shape);
    return *out ? NULL : ort_no_memory();
}

/* OrtApi since version 14. */
OrtStatus *ort_KernelInfo_GetInputTypeInfo(const OrtKernelInfo *info, size_t index,
                                           OrtTypeInfo **type_info)
{
    ORT_NEED(info);
    ORT_NEED(type_info);
    return type_of(info, true, index, type_info);
}

/* OrtApi since version 14. */
OrtStatus *ort_KernelInfo_GetOutputTypeInfo(const OrtKernelInfo *info, size_t index,
                                            OrtTypeInfo **type_info)
{
    ORT_NEED(info);
    ORT_NEED(type_info);
    return type_of(info, false, index, type_info);
}

/* OrtApi since version 15: The value is the info's; NULL when the input is not constant. */
OrtStatus *ort_KernelInfoGetConstantInput_tensor(const OrtKernelInfo *info, size_t index,
                                                 int *is_constant, const OrtValue **out)
{
    const bp_value *value = NULL;
    OrtStatus *status;

    ORT_NEED(info);
    ORT_NEED(is_constant);
    ORT_NEED(out);
    status = find(info, true, index, &value);
    if (status)
        return status;
    *is_constant = info->constants[index].has_value;
    *out = *is_constant ? &info->constants[index] : NULL;
    return NULL;
}

/* ---- surroundings ---------------------------------------------------------------------------- */

/* OrtApi since version 15. */
OrtStatus *ort_KernelInfo_GetLogger(const OrtKernelInfo *info, const OrtLogger **logger)
{
    ORT_NEED(info);
    ORT_NEED(logger);
    *logger = &info->session->logger;
    return NULL;
}

/* OrtApi since version 18: All memory types are host memory here. */
OrtStatus *ort_KernelInfoGetAllocator(const OrtKernelInfo *info, OrtMemType mem_type,
                                      OrtAllocator **out)
{
    (void)mem_type;
    ORT_NEED(info);
    ORT_NEED(out);
    if (info->session->allocator.allocator)
        return ort_CreateAllocator(info->session, ort_cpu_memory(), out);
    *out = ort_default_allocator();
    return NULL;
}

/* OrtApi since version 24: A copy of the session's config entries, for the caller to release. */
OrtStatus *ort_KernelInfo_GetConfigEntries(const OrtKernelInfo *info, OrtKeyValuePairs **out)
{
    ORT_NEED(info);
    ORT_NEED(out);
    ort_CreateKeyValuePairs(out);
    if (*out && ort_keys_copy(*out, &info->session->config))
        return NULL;
    ort_ReleaseKeyValuePairs(*out);
    *out = NULL;
    return ort_no_memory();
}
