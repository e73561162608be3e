/* SPDX-License-Identifier: MIT */
/*
 * kernel_attributes.c - attributes of an OrtKernelInfo. Buffers follow ONNX Runtime's rule: *size
 * is the needed size afterwards; with out NULL it is only queried, a short buffer is
 * ORT_INVALID_ARGUMENT.
 */

#include "config.h"

#include <bp/sdk.h>
#include <stdlib.h>
#include <string.h>

#include "ort/custom/kernel_info.h"
#include "ort/guarded.h"
#include "ort/status.h"

/* ORT_FAIL: no such attribute, or another type. */
static OrtStatus *find(const OrtKernelInfo *info, const char *name, uint32_t type, bool is_list,
                       const bp_attr **out)
{
    static const char *const words[] = {"nothing", "float", "int", "string", "tensor", "graph"};
    const bp_attr *attr = bp_node_attr(info->graph, info->node, name);

    if (!attr)
        return ort_fail(ORT_FAIL, "No attribute with name:'%s' is defined.", name);
    if (attr->type != type || !(attr->flags & BP_ATTR_LIST) == is_list)
        return ort_fail(ORT_FAIL, "Attribute '%s' of node '%s' is %s%s, not %s%s.", name,
                        info->node->name, attr->flags & BP_ATTR_LIST ? "a list of " : "",
                        words[attr->type <= BP_ATTR_GRAPH ? attr->type : 0],
                        is_list ? "a list of " : "", words[type]);
    *out = attr;
    return NULL;
}

/* ---- scalars --------------------------------------------------------------------------------- */

/* `width`: bytes of the scalar. */
static OrtStatus *get_scalar(const OrtKernelInfo *info, const char *name, uint32_t type,
                             size_t width, void *out)
{
    const bp_attr *attr;
    OrtStatus *status;

    ORT_NEED(info);
    ORT_NEED(name);
    ORT_NEED(out);
    status = find(info, name, type, false, &attr);
    if (!status)
        memcpy(out, attr->data, width);
    return status;
}

/* OrtApi since version 1. */
OrtStatus *ort_KernelInfoGetAttribute_float(const OrtKernelInfo *info, const char *name, float *out)
{
    return get_scalar(info, name, BP_ATTR_FLOAT, sizeof *out, out);
}

/* OrtApi since version 1. */
OrtStatus *ort_KernelInfoGetAttribute_int64(const OrtKernelInfo *info, const char *name,
                                            int64_t *out)
{
    return get_scalar(info, name, BP_ATTR_INT, sizeof *out, out);
}

static OrtStatus *too_small(size_t capacity, size_t need)
{
    return ort_fail(ORT_INVALID_ARGUMENT, "Result buffer is not large enough: %zu of %zu", capacity,
                    need);
}

/* OrtApi since version 1: *size counts the NUL. */
OrtStatus *ort_KernelInfoGetAttribute_string(const OrtKernelInfo *info, const char *name, char *out,
                                             size_t *size)
{
    const bp_attr *attr;
    const bp_span *text;
    OrtStatus *status;
    size_t capacity;

    ORT_NEED(info);
    ORT_NEED(name);
    ORT_NEED(size);
    status = find(info, name, BP_ATTR_STRING, false, &attr);
    if (status)
        return status;
    text = attr->data;
    capacity = *size;
    *size = text->size + 1;
    if (!out)
        return NULL;
    if (capacity < *size)
        return too_small(capacity, *size);
    if (text->size > 0)
        memcpy(out, text->data, text->size);
    out[text->size] = '\0';
    return NULL;
}

/* OrtApi since version 14: A copy, whose memory comes from the allocator. */
OrtStatus *ort_KernelInfoGetAttribute_tensor(const OrtKernelInfo *info, const char *name,
                                             OrtAllocator *allocator, OrtValue **out)
{
    const bp_attr *attr;
    const bp_const *held;
    OrtStatus *status;

    ORT_NEED(info);
    ORT_NEED(name);
    ORT_NEED(allocator);
    ORT_NEED(out);
    status = find(info, name, BP_ATTR_TENSOR, false, &attr);
    if (status)
        return status;
    held = attr->data;
    status =
        ort_CreateTensorAsOrtValue(allocator, held->dims, held->rank, ort_dtype(held->dtype), out);
    if (status || held->bytes == 0)
        return status;
    if (held->dtype != BP_DTYPE_STRING) {
        memcpy((*out)->tensor.base, held->data, held->bytes);
        return NULL;
    }
    for (size_t i = 0; !status && i < ort_tensor_count(&(*out)->tensor); i++) {
        const bp_span *span = (const bp_span *)held->data + i;
        char *text;

        status = ort_GetResizedStringTensorElementBuffer(*out, i, span->size, &text);
        if (!status && span->size > 0)
            memcpy(text, span->data, span->size);
    }
    if (status) {
        ort_ReleaseValue(*out);
        *out = NULL;
    }
    return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* `width`: bytes of one element; *size counts elements. */
static OrtStatus *get_scalars(const OrtKernelInfo *info, const char *name, uint32_t type,
                              size_t width, void *out, size_t *size)
{
    const bp_attr *attr;
    OrtStatus *status;
    size_t capacity;

    ORT_NEED(info);
    ORT_NEED(name);
    ORT_NEED(size);
    status = find(info, name, type, true, &attr);
    if (status)
        return status;
    capacity = *size;
    *size = attr->count;
    if (!out)
        return NULL;
    if (capacity < attr->count)
        return too_small(capacity, attr->count);
    if (attr->count > 0)
        memcpy(out, attr->data, attr->count * width);
    return NULL;
}

/* OrtApi since version 8. */
OrtStatus *ort_KernelInfoGetAttributeArray_float(const OrtKernelInfo *info, const char *name,
                                                 float *out, size_t *size)
{
    return get_scalars(info, name, BP_ATTR_FLOAT, sizeof *out, out, size);
}

/* OrtApi since version 8. */
OrtStatus *ort_KernelInfoGetAttributeArray_int64(const OrtKernelInfo *info, const char *name,
                                                 int64_t *out, size_t *size)
{
    return get_scalars(info, name, BP_ATTR_INT, sizeof *out, out, size);
}

/* With a NUL at the end, which spans lack. NULL: no memory. */
static char *copy_text(OrtAllocator *allocator, const bp_span *text)
{
    char *copy = ort_alloc(allocator, text->size + 1);

    if (!copy)
        return NULL;
    if (text->size > 0)
        memcpy(copy, text->data, text->size);
    copy[text->size] = '\0';
    return copy;
}

/*
 * OrtApi since version 25: Each text and the list come from the allocator; NULL for an empty list.
 */
OrtStatus *ort_KernelInfoGetAttributeArray_string(const OrtKernelInfo *info, const char *name,
                                                  OrtAllocator *allocator, char ***out,
                                                  size_t *size)
{
    const bp_attr *attr;
    OrtStatus *status;
    char **list;

    ORT_NEED(info);
    ORT_NEED(name);
    ORT_NEED(allocator);
    ORT_NEED(out);
    ORT_NEED(size);
    *out = NULL;
    *size = 0;
    status = find(info, name, BP_ATTR_STRING, true, &attr);
    if (status || attr->count == 0)
        return status;
    list = ort_alloc(allocator, attr->count * sizeof *list);
    if (!list)
        return ort_no_memory();
    for (uint32_t i = 0; i < attr->count; i++) {
        list[i] = copy_text(allocator, (const bp_span *)attr->data + i);
        if (list[i])
            continue;
        while (i > 0)
            ort_free(allocator, list[--i]);
        ort_free(allocator, list);
        return ort_no_memory();
    }
    *out = list;
    *size = attr->count;
    return NULL;
}

/* ---- as OrtOpAttr ---------------------------------------------------------------------------- */

/* CreateOpAttr takes NUL-terminated texts, so spans are copied. */
static OrtStatus *strings_attr(const bp_attr *attr, OrtOpAttr **out)
{
    OrtAllocator *allocator = ort_default_allocator();
    char **texts = calloc((size_t)attr->count + 1, sizeof *texts);
    OrtStatus *status = texts ? NULL : ort_no_memory();

    for (uint32_t i = 0; !status && i < attr->count; i++) {
        texts[i] = copy_text(allocator, (const bp_span *)attr->data + i);
        if (!texts[i])
            status = ort_no_memory();
    }
    if (!status)
        status = ort_CreateOpAttr(attr->name, texts, (int)attr->count, ORT_OP_ATTR_STRINGS, out);
    for (uint32_t i = 0; texts && i < attr->count; i++)
        ort_free(allocator, texts[i]);
    free(texts);
    return status;
}

/* The types that CreateOpAttr can make; *out is NULL for the others. */
OrtStatus *ort_op_attr_of(const bp_attr *attr, OrtOpAttr **out)
{
    bool is_list = attr->flags & BP_ATTR_LIST;
    const bp_span *text = attr->data;

    *out = NULL;
    switch (attr->type) {
    case BP_ATTR_FLOAT:
        return ort_CreateOpAttr(attr->name, attr->data, (int)attr->count,
                                is_list ? ORT_OP_ATTR_FLOATS : ORT_OP_ATTR_FLOAT, out);
    case BP_ATTR_INT:
        return ort_CreateOpAttr(attr->name, attr->data, (int)attr->count,
                                is_list ? ORT_OP_ATTR_INTS : ORT_OP_ATTR_INT, out);
    case BP_ATTR_STRING:
        if (is_list)
            return strings_attr(attr, out);
        return ort_CreateOpAttr(attr->name, text->size ? text->data : "", (int)text->size,
                                ORT_OP_ATTR_STRING, out);
    default:
        return NULL;
    }
}
