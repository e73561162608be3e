/* SPDX-License-Identifier: MIT */
/* tensor.c - sizes, allocation and freeing of tensors, as backplane.h has them. */

#include "config.h"

#include "value/tensor.h"

#include <stdlib.h>

#include "base/block.h"

static bp_rc check_dims(uint32_t dtype, const int64_t *dims, uint32_t rank, bp_err *err)
{
    if (dtype == BP_DTYPE_NONE || dtype >= BP_DTYPE_END)
        return bp_fail(err, BP_E_INVALID, "%u is not an element type that is known", dtype);
    if (rank > BP_MAX_RANK)
        return bp_fail(err, BP_E_INVALID, "rank %u is over %d", rank, BP_MAX_RANK);
    if (rank > 0 && !dims)
        return bp_fail_null(err, "dims, the list of sizes,");
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return bp_fail(err, BP_E_INVALID, "size %lld in dimension %u is negative",
                           (long long)dims[i], i);
    }
    return BP_OK;
}

static bp_rc fail_large(bp_err *err, uint32_t dtype)
{
    return bp_fail(err, BP_E_INVALID, "a %s tensor of these sizes is larger than memory can hold",
                   bp_dtype_name(dtype));
}

/* Strings have no size of their own here: bp_tensor_span_bytes() counts their bp_spans. */
bp_rc bp_tensor_bytes(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t *out, bp_err *err)
{
    bp_rc rc = check_dims(dtype, dims, rank, err);

    if (!out)
        return bp_fail_null(err, "out");
    *out = 0;
    if (rc < 0)
        return rc;
    if (bp_dtype_width(dtype) == 0)
        return bp_fail(err, BP_E_INVALID, "elements of type %s have no fixed size",
                       bp_dtype_name(dtype));
    return bp_done(err, bp_dense_bytes(dtype, dims, rank, out) ? BP_OK : fail_large(err, dtype));
}

bp_rc bp_tensor_span_bytes(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t *out,
                           bp_err *err)
{
    bp_rc rc;

    if (dtype != BP_DTYPE_STRING)
        return bp_tensor_bytes(dtype, dims, rank, out, err);
    rc = check_dims(dtype, dims, rank, err);
    if (rc < 0)
        return rc;
    return bp_dense_bytes(dtype, dims, rank, out) ? BP_OK : fail_large(err, dtype);
}

/*
 * One block holds data, then dims, so that one free() ends a tensor and a copy cannot lose its
 * sizes.
 */
bp_rc bp_tensor_block(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t bytes,
                      bp_tensor *out, bp_err *err)
{
    size_t at, size;
    char *block = NULL;

    /* the dims follow the bytes; aligned_alloc wants a multiple of the alignment */
    if (bp_add_size(bytes, sizeof(int64_t) - 1, &at)) {
        at -= at % sizeof(int64_t);
        if (bp_add_size(at, rank * sizeof(int64_t) + BP_TENSOR_ALIGN, &size))
            block = aligned_alloc(BP_TENSOR_ALIGN, size - size % BP_TENSOR_ALIGN);
    }
    memset(out, 0, sizeof *out);
    if (!block)
        return bp_fail(err, BP_E_NOMEM, "no memory for a %s tensor of %zu bytes",
                       bp_dtype_name(dtype), bytes);
    out->base = block;
    out->dims = (int64_t *)(void *)(block + at);
    out->bytes = bytes;
    out->rank = rank;
    out->dtype = dtype;
    out->device = BP_TENSOR_OWNED;
    if (rank > 0)
        memcpy(out->dims, dims, rank * sizeof *dims);
    return BP_OK;
}

/* Zeroed, as an output that a kernel leaves out must not show old memory. */
bp_rc bp_tensor_alloc(uint32_t dtype, const int64_t *dims, uint32_t rank, bp_tensor *out,
                      bp_err *err)
{
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "the tensor");
    rc = bp_tensor_alloc_from(NULL, dtype, dims, rank, out, err);
    if (rc >= 0)
        memset(out->base, 0, out->bytes);
    return bp_done(err, rc);
}

/* Behind the dims of a tensor with BP_TENSOR_LENT, whose elements are an allocator's. */
struct lent {
    bp_allocator allocator;
    int64_t dims[];
};

static struct lent *lent_of(const bp_tensor *tensor)
{
    return (struct lent *)(void *)((char *)tensor->dims - offsetof(struct lent, dims));
}

/*
 * The sizes are ours, so that the allocator is asked for elements alone, or for a block of them.
 * `flags` of the tensor say which.
 */
static bp_rc lend(const bp_allocator *allocator, uint32_t flags, uint32_t dtype,
                  const int64_t *dims, uint32_t rank, size_t bytes, bp_tensor *out, bp_err *err)
{
    struct lent *lent = malloc(sizeof *lent + rank * sizeof *dims);
    bp_rc rc;

    if (!lent)
        return bp_fail_nomem(err, "a tensor");
    rc = flags & BP_TENSOR_BLOCK ? bp_block_alloc(allocator, bytes, &out->base, err)
                                 : bp_allocator_get(allocator, bytes, &out->base, err);
    if (rc < 0) {
        free(lent);
        return rc;
    }
    lent->allocator = *allocator;
    if (rank > 0)
        memcpy(lent->dims, dims, rank * sizeof *dims);
    out->dims = lent->dims;
    out->bytes = bytes;
    out->rank = rank;
    out->dtype = dtype;
    out->device = flags | BP_TENSOR_OWNED;
    return BP_OK;
}

/* allocator NULL, strings and no bytes: the C library's; else what `flags` say. */
static bp_rc alloc_unset(const bp_allocator *allocator, uint32_t flags, uint32_t dtype,
                         const int64_t *dims, uint32_t rank, bp_tensor *out, bp_err *err)
{
    size_t bytes;
    bp_rc rc;

    memset(out, 0, sizeof *out);
    rc = bp_tensor_span_bytes(dtype, dims, rank, &bytes, err);
    if (rc >= 0 && allocator && bytes > 0 && dtype != BP_DTYPE_STRING)
        rc = lend(allocator, flags, dtype, dims, rank, bytes, out, err);
    else if (rc >= 0)
        rc = bp_tensor_block(dtype, dims, rank, bytes, out, err);
    if (rc >= 0 && dtype == BP_DTYPE_STRING)
        memset(out->base, 0, bytes);
    return rc;
}

bp_rc bp_tensor_alloc_from(const bp_allocator *allocator, uint32_t dtype, const int64_t *dims,
                           uint32_t rank, bp_tensor *out, bp_err *err)
{
    return alloc_unset(allocator, BP_TENSOR_LENT, dtype, dims, rank, out, err);
}

bp_rc bp_tensor_alloc_block(const bp_allocator *allocator, uint32_t dtype, const int64_t *dims,
                            uint32_t rank, bp_tensor *out, bp_err *err)
{
    return alloc_unset(allocator, BP_TENSOR_LENT | BP_TENSOR_BLOCK, dtype, dims, rank, out, err);
}

/* String i of a tensor that need not be aligned. */
static bp_span span_at(const void *spans, size_t i)
{
    bp_span span;

    memcpy(&span, (const char *)spans + i * sizeof span, sizeof span);
    return span;
}

/* Of strings: the spans, then the bytes of all of them, which a copy puts after the spans. */
bp_rc bp_tensor_whole_bytes(const bp_tensor *from, size_t *out, bp_err *err)
{
    const void *spans = bp_tensor_data(from);
    bp_rc rc = bp_tensor_span_bytes(from->dtype, from->dims, from->rank, out, err);
    size_t n;

    if (rc < 0 || from->dtype != BP_DTYPE_STRING)
        return rc;
    n = *out / sizeof(bp_span);
    for (size_t i = 0; i < n; i++) {
        if (!bp_add_size(*out, span_at(spans, i).size, out))
            return bp_fail_nomem(err, "strings");
    }
    return BP_OK;
}

/*
 * The spans of the copy point into the copy. Spans are read with memcpy(), as those of a file may
 * lie at odd addresses.
 */
void bp_tensor_copy_to(const bp_tensor *from, void *to)
{
    const void *spans = bp_tensor_data(from);
    size_t bytes = 0;
    char *text;

    (void)bp_dense_bytes(from->dtype, from->dims, from->rank, &bytes);
    if (from->dtype != BP_DTYPE_STRING) {
        if (bytes)
            memmove(to, spans, bytes);
        return;
    }
    text = (char *)to + bytes;
    for (size_t i = 0; i < bytes / sizeof(bp_span); i++) {
        bp_span span = span_at(spans, i);
        bp_span copy = {text, span.size};

        if (span.size)
            memcpy(text, span.data, span.size);
        memcpy((char *)to + i * sizeof copy, &copy, sizeof copy);
        text += span.size;
    }
}

/*
 * `bytes` of a tensor of strings is that of its spans alone; their text only lies in the same
 * block.
 */
bp_rc bp_tensor_copy(const bp_tensor *from, bp_tensor *out, bp_err *err)
{
    size_t bytes, own;
    bp_rc rc = bp_tensor_whole_bytes(from, &bytes, err);

    if (rc >= 0)
        rc = bp_tensor_block(from->dtype, from->dims, from->rank, bytes, out, err);
    if (rc < 0)
        return rc;
    bp_tensor_copy_to(from, out->base);
    if (bp_dense_bytes(from->dtype, from->dims, from->rank, &own))
        out->bytes = own;
    return BP_OK;
}

bp_rc bp_tensor_copy_block(const bp_allocator *allocator, const bp_tensor *from, bp_tensor *out,
                           bp_err *err)
{
    bp_rc rc;

    if (from->dtype == BP_DTYPE_STRING) /* the text lies in the same memory */
        return bp_tensor_copy(from, out, err);
    rc = bp_tensor_alloc_block(allocator, from->dtype, from->dims, from->rank, out, err);
    if (rc >= 0)
        bp_tensor_copy_to(from, out->base);
    return rc;
}

uint32_t bp_tensor_is_owned(const bp_tensor *tensor)
{
    return tensor && tensor->base && tensor->space == BP_SPACE_HOST &&
           (tensor->device & BP_TENSOR_OWNED);
}

void bp_tensor_free(bp_tensor *tensor)
{
    if (!tensor)
        return;
    if (!bp_tensor_is_owned(tensor)) {
        memset(tensor, 0, sizeof *tensor);
        return;
    }
    if (tensor->device & BP_TENSOR_LENT) {
        struct lent *lent = lent_of(tensor);

        if (tensor->device & BP_TENSOR_BLOCK)
            bp_block_free(&lent->allocator, tensor->base);
        else
            bp_allocator_put(&lent->allocator, tensor->base);
        free(lent);
    } else {
        free(tensor->base);
    }
    memset(tensor, 0, sizeof *tensor);
}

void bp_free(void *p)
{
    free(p);
}
