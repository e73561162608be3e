/* SPDX-License-Identifier: MIT */
/* op_attr.c - OrtOpAttr (OrtApi since version 12): a named scalar, text, or list of them. */

#include "config.h"

#include "ort/custom/op_attr.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

/* Bytes of all texts with their NULs; a NULL counts as "". */
static size_t texts_size(const char *const *texts, size_t n)
{
    size_t size = 0;

    for (size_t i = 0; i < n; i++)
        size += strlen(texts[i] ? texts[i] : "") + 1;
    return size;
}

/* Bytes of `len` items; false: the type can't be created (tensors, graphs). */
static bool size_of(OrtOpAttrType type, const void *data, size_t len, size_t *out)
{
    switch (type) {
    case ORT_OP_ATTR_INT:
        *out = sizeof(int64_t);
        return true;
    case ORT_OP_ATTR_INTS:
        *out = len * sizeof(int64_t);
        return true;
    case ORT_OP_ATTR_FLOAT:
        *out = sizeof(float);
        return true;
    case ORT_OP_ATTR_FLOATS:
        *out = len * sizeof(float);
        return true;
    case ORT_OP_ATTR_STRING:
        *out = len;
        return true;
    case ORT_OP_ATTR_STRINGS:
        *out = texts_size(data, len);
        return true;
    default:
        return false;
    }
}

static void copy_texts(char *to, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *text = texts[i] ? texts[i] : "";
        size_t size = strlen(text) + 1;

        memcpy(to, text, size);
        to += size;
    }
}

/* OrtApi since version 12: The data is copied; ReleaseOpAttr frees it. */
OrtStatus *ort_CreateOpAttr(const char *name, const void *data, int len, OrtOpAttrType type,
                            OrtOpAttr **op_attr)
{
    OrtOpAttr *attr;
    size_t bytes;

    ORT_NEED(name);
    ORT_NEED(op_attr);
    if (len < 0 || (!data && len > 0))
        return ort_fail(ORT_INVALID_ARGUMENT, "attribute '%s': no data", name);
    if (!data && (type == ORT_OP_ATTR_INT || type == ORT_OP_ATTR_FLOAT))
        return ort_fail(ORT_INVALID_ARGUMENT, "attribute '%s': no data", name);
    if (!size_of(type, data, (size_t)len, &bytes))
        return ort_fail(ORT_INVALID_ARGUMENT, "attribute '%s': type %d cannot be made", name,
                        (int)type);
    attr = calloc(1, sizeof *attr + bytes + 1);
    if (!attr)
        return ort_no_memory();
    attr->name = strdup(name);
    if (!attr->name) {
        free(attr);
        return ort_no_memory();
    }
    attr->type = type;
    attr->bytes = bytes;
    if (type == ORT_OP_ATTR_STRINGS)
        copy_texts(attr->data, data, (size_t)len);
    else if (bytes > 0)
        memcpy(attr->data, data, bytes);
    *op_attr = attr;
    return NULL;
}

/* OrtApi since version 12. */
void ort_ReleaseOpAttr(OrtOpAttr *input)
{
    if (!input)
        return;
    free(input->name);
    free(input);
}

/*
 * OrtApi since version 17: *out is the needed size, also when the buffer is too short (ORT_FAIL).
 */
OrtStatus *ort_ReadOpAttr(const OrtOpAttr *op_attr, OrtOpAttrType type, void *data, size_t len,
                          size_t *out)
{
    ORT_NEED(op_attr);
    ORT_NEED(out);
    if (op_attr->type != type)
        return ort_fail(ORT_FAIL, "attribute '%s' is of type %d, not %d", op_attr->name,
                        (int)op_attr->type, (int)type);
    *out = op_attr->bytes;
    if (len < op_attr->bytes)
        return ort_fail(ORT_FAIL, "attribute '%s' needs %zu bytes, there are %zu", op_attr->name,
                        op_attr->bytes, len);
    if (op_attr->bytes > 0) {
        ORT_NEED(data);
        memcpy(data, op_attr->data, op_attr->bytes);
    }
    return NULL;
}

/* OrtApi since version 23. */
OrtStatus *ort_OpAttr_GetType(const OrtOpAttr *attribute, OrtOpAttrType *type)
{
    ORT_NEED(attribute);
    ORT_NEED(type);
    *type = attribute->type;
    return NULL;
}

/* OrtApi since version 23. */
OrtStatus *ort_OpAttr_GetName(const OrtOpAttr *attribute, const char **name)
{
    ORT_NEED(attribute);
    ORT_NEED(name);
    *name = attribute->name;
    return NULL;
}
