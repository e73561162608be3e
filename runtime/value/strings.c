/* SPDX-License-Identifier: MIT */
/* strings.c - tensors of strings, made of C strings and read one by one. */

#include "config.h"

#include <string.h>

#include "value/tensor.h"

static size_t length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

/* The spans, and after them all text. */
static bp_rc whole_size(const char *const *texts, size_t spans, size_t *out, bp_err *err)
{
    *out = spans;
    for (size_t i = 0; i < spans / sizeof(bp_span); i++) {
        if (!bp_add_size(*out, length_of(texts[i]), out))
            return bp_fail_nomem(err, "strings");
    }
    return BP_OK;
}

bp_rc bp_tensor_from_strings(const char *const *texts, const int64_t *dims, uint32_t rank,
                             bp_tensor *out, bp_err *err)
{
    size_t spans, size;
    char *text;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "the tensor");
    memset(out, 0, sizeof *out);
    rc = bp_tensor_span_bytes(BP_DTYPE_STRING, dims, rank, &spans, err);
    if (rc >= 0 && spans > 0 && !texts)
        rc = bp_fail_null(err, "the list of texts");
    if (rc >= 0)
        rc = whole_size(texts, spans, &size, err);
    if (rc >= 0)
        rc = bp_tensor_block(BP_DTYPE_STRING, dims, rank, size, out, err);
    if (rc < 0)
        return rc;
    out->bytes = spans;
    text = (char *)out->base + spans;
    for (size_t i = 0; i < spans / sizeof(bp_span); i++) {
        size_t n = length_of(texts[i]);

        ((bp_span *)out->base)[i] = (bp_span){text, n};
        if (n > 0)
            memcpy(text, texts[i], n);
        text += n;
    }
    return bp_done(err, BP_OK);
}

const char *bp_tensor_string(const bp_tensor *tensor, size_t i, size_t *size)
{
    bp_span span = {0};
    size_t bytes;

    if (size)
        *size = 0;
    if (!tensor || tensor->dtype != BP_DTYPE_STRING || !tensor->base ||
        !bp_dense_bytes(tensor->dtype, tensor->dims, tensor->rank, &bytes) ||
        i >= bytes / sizeof span)
        return NULL;
    memcpy(&span, (const char *)bp_tensor_data(tensor) + i * sizeof span, sizeof span);
    if (size)
        *size = span.size;
    return span.data ? span.data : "";
}
