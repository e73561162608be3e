/* SPDX-License-Identifier: MIT */
/*
 * strings.c - tensors of strings. Elements are spans; an element that is set is allocated on its
 * own.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"
#include "ort/values/value.h"

/* ORT_FAIL: not a tensor of strings; the message names the slot. */
static OrtStatus *need_strings(const char *function, const OrtValue *value)
{
    OrtStatus *status = ort_need_tensor(function, value);

    if (!status && value->tensor.dtype != BP_DTYPE_STRING)
        status = ort_fail(ORT_FAIL, "%s: the tensor has elements of type %s, not string",
                          strchr(function, '_') + 1, bp_dtype_name(value->tensor.dtype));
    return status;
}

static OrtStatus *out_of_bounds(const char *function, size_t index, size_t count)
{
    return ort_fail(ORT_INVALID_ARGUMENT, "%s: element index is out of bounds: %zu of %zu",
                    strchr(function, '_') + 1, index, count);
}

static OrtStatus *need_element(const char *function, const OrtValue *value, size_t index)
{
    OrtStatus *status = need_strings(function, value);

    if (!status && index >= ort_tensor_count(&value->tensor))
        status = out_of_bounds(function, index, ort_tensor_count(&value->tensor));
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * OrtApi since version 15: The buffer is the value's, zeroed, valid until the element is set again.
 */
OrtStatus *ort_GetResizedStringTensorElementBuffer(OrtValue *value, size_t index,
                                                   size_t length_in_bytes, char **buffer)
{
    OrtStatus *status = need_element(__func__, value, index);
    char *text;

    if (status)
        return status;
    ORT_NEED(buffer);
    if (!value->texts) {
        value->texts = calloc(ort_tensor_count(&value->tensor), sizeof *value->texts);
        if (!value->texts)
            return ort_no_memory();
    }
    text = malloc(length_in_bytes + 1);
    if (!text)
        return ort_no_memory();
    memset(text, 0, length_in_bytes + 1);
    free(value->texts[index]);
    value->texts[index] = text;
    ort_tensor_spans(&value->tensor)[index] = (bp_span){text, length_in_bytes};
    *buffer = text;
    return NULL;
}

/* OrtApi since version 5. */
OrtStatus *ort_FillStringTensorElement(OrtValue *value, const char *s, size_t index)
{
    OrtStatus *status;
    char *text;

    ORT_NEED(s);
    status = ort_GetResizedStringTensorElementBuffer(value, index, strlen(s), &text);
    if (!status)
        memcpy(text, s, strlen(s));
    return status;
}

/* OrtApi since version 1. */
OrtStatus *ort_FillStringTensor(OrtValue *value, const char *const *s, size_t s_len)
{
    OrtStatus *status = need_strings(__func__, value);

    if (status)
        return status;
    ORT_NEED(s);
    if (s_len != ort_tensor_count(&value->tensor))
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "input array doesn't equal tensor size: %zu strings for %zu", s_len,
                        ort_tensor_count(&value->tensor));
    for (size_t i = 0; i < s_len && !status; i++)
        status = ort_FillStringTensorElement(value, s[i], i);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The strings of a tensor, or the values of a sparse one, borrowed. */
static OrtStatus *strings_of(const char *function, const OrtValue *value, bp_tensor *out)
{
    OrtStatus *status;

    if (value && value->sparse) {
        *out = ort_sparse_values(value->sparse);
        if (out->dtype == BP_DTYPE_STRING)
            return NULL;
        return ort_fail(ORT_INVALID_ARGUMENT, "%s: the sparse tensor has no strings",
                        strchr(function, '_') + 1);
    }
    status = need_strings(function, value);
    if (!status)
        *out = value->tensor;
    return status;
}

/* The span is the value's. ORT_INVALID_ARGUMENT: no such element. */
static OrtStatus *string_at(const char *function, const OrtValue *value, size_t index,
                            const bp_span **out)
{
    bp_tensor tensor;
    OrtStatus *status = strings_of(function, value, &tensor);

    if (status)
        return status;
    if (index >= ort_tensor_count(&tensor))
        return out_of_bounds(function, index, ort_tensor_count(&tensor));
    *out = &ort_tensor_spans(&tensor)[index];
    return NULL;
}

/* Bytes of all strings, without NULs. */
static size_t text_bytes(const bp_tensor *tensor)
{
    size_t bytes = 0;

    for (size_t i = 0; i < ort_tensor_count(tensor); i++)
        bytes += ort_tensor_spans(tensor)[i].size;
    return bytes;
}

/* OrtApi since version 1. */
OrtStatus *ort_GetStringTensorDataLength(const OrtValue *value, size_t *len)
{
    bp_tensor tensor;
    OrtStatus *status = strings_of(__func__, value, &tensor);

    if (status)
        return status;
    ORT_NEED(len);
    *len = text_bytes(&tensor);
    return NULL;
}

/*
 * OrtApi since version 1: All strings without NULs, and the offset of each. ORT_FAIL: a buffer is
 * too short.
 */
OrtStatus *ort_GetStringTensorContent(const OrtValue *value, void *s, size_t s_len, size_t *offsets,
                                      size_t offsets_len)
{
    bp_tensor tensor;
    OrtStatus *status = strings_of(__func__, value, &tensor);
    size_t count, at = 0;
    const bp_span *spans;

    if (status)
        return status;
    count = ort_tensor_count(&tensor);
    if (offsets_len != count)
        return ort_fail(ORT_FAIL, "offsets buffer is not equal to tensor size: %zu of %zu",
                        offsets_len, count);
    if (s_len < text_bytes(&tensor))
        return ort_fail(
            ORT_FAIL,
            "output buffer is too small: %zu bytes, %zu are needed (GetStringTensorDataLength)",
            s_len, text_bytes(&tensor));
    if (count > 0)
        ORT_NEED(offsets);
    if (text_bytes(&tensor) > 0)
        ORT_NEED(s);
    spans = count ? ort_tensor_spans(&tensor) : NULL;
    for (size_t i = 0; i < count; i++) {
        offsets[i] = at;
        if (spans[i].size > 0)
            memcpy((char *)s + at, spans[i].data, spans[i].size);
        at += spans[i].size;
    }
    return NULL;
}

/* OrtApi since version 5. */
OrtStatus *ort_GetStringTensorElementLength(const OrtValue *value, size_t index, size_t *out)
{
    const bp_span *span = NULL;
    OrtStatus *status = string_at(__func__, value, index, &span);

    if (status)
        return status;
    ORT_NEED(out);
    *out = span->size;
    return NULL;
}

/* OrtApi since version 5: Without NUL. ORT_FAIL: the buffer is too short. */
OrtStatus *ort_GetStringTensorElement(const OrtValue *value, size_t s_len, size_t index, void *s)
{
    const bp_span *span = NULL;
    OrtStatus *status = string_at(__func__, value, index, &span);

    if (status)
        return status;
    if (s_len < span->size)
        return ort_fail(ORT_FAIL, "buffer size is too small for string element: %zu of %zu", s_len,
                        span->size);
    if (span->size > 0) {
        ORT_NEED(s);
        memcpy(s, span->data, span->size);
    }
    return NULL;
}
