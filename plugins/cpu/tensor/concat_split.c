/* SPDX-License-Identifier: MIT */
/* concat_split.c - see concat_split.h. */

#include "tensor/concat_split.h"

/* One run; for the threads. */
struct job {
    const struct bp_cpu_concat_split *pieces;
    bp_tensor *const *tensors;
    char *join;       /* the whole, to be written; or */
    const char *part; /* to be read */
};

bp_rc bp_cpu_concat_split_make(struct bp_cpu_call *call, const bp_tensor *whole, uint32_t axis,
                               uint32_t n, const int64_t *sizes, struct bp_cpu_concat_split *out,
                               bp_err *err)
{
    size_t width = bp_cpu_width(whole->dtype), offset = 0;
    int64_t inner = bp_dims_count(whole->dims + axis + 1, whole->rank - axis - 1), left;

    if (!out->piece)
        out->piece = bp_cpu_call_memory(call, n * sizeof *out->piece);
    if (!out->piece)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for %u tensors", n);
    left = whole->dims[axis];
    for (uint32_t i = 0; i < n; i++) {
        if (sizes[i] < 0 || sizes[i] > left)
            break;
        out->piece[i].offset = offset;
        out->piece[i].bytes = (size_t)(sizes[i] * inner) * width;
        offset += out->piece[i].bytes;
        left -= sizes[i];
        out->n = i + 1;
    }
    if (left != 0 || out->n != n) {
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "the sizes along axis %u do not add up to %lld", axis,
                           (long long)whole->dims[axis]);
    }
    out->row_bytes = offset;
    out->rows = offset ? bp_dims_count(whole->dims, axis) : 0;
    out->slices = bp_cpu_slices(call, out->rows * (int64_t)(offset / 4), 1);
    out->cuts = 1;
    if (out->slices > out->rows && out->rows > 0) {
        out->cuts = out->slices / (uint32_t)out->rows;
        out->slices = out->cuts * (uint32_t)out->rows;
    }
    return BP_OK;
}

/* Bytes from..to of a row of piece i. */
static void copy_part(const struct job *job, uint32_t i, int64_t row, size_t from, size_t to)
{
    const struct bp_cpu_piece *piece = &job->pieces->piece[i];
    char *tensor;
    size_t at;

    if (!job->tensors[i] || to <= from)
        return;
    tensor = bp_tensor_data(job->tensors[i]);
    tensor += (size_t)row * piece->bytes + from;
    at = (size_t)row * job->pieces->row_bytes + piece->offset + from;
    if (job->join)
        memcpy(job->join + at, tensor, to - from);
    else
        memcpy(tensor, job->part + at, to - from);
}

static void copy_rows(const struct job *job, int64_t begin, int64_t end)
{
    for (uint32_t i = 0; i < job->pieces->n; i++) {
        for (int64_t row = begin; row < end; row++)
            copy_part(job, i, row, 0, job->pieces->piece[i].bytes);
    }
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_concat_split *pieces = job->pieces;

    (void)worker;
    if (pieces->cuts == 1) {
        copy_rows(job, pieces->rows * i / pieces->slices, pieces->rows * (i + 1) / pieces->slices);
        return;
    }
    for (uint32_t k = 0; k < pieces->n; k++) {
        int64_t bytes = (int64_t)pieces->piece[k].bytes;
        uint32_t cut = i % pieces->cuts;

        copy_part(job, k, i / pieces->cuts, (size_t)bp_cpu_slice_at(bytes, cut, pieces->cuts),
                  (size_t)bp_cpu_slice_at(bytes, cut + 1, pieces->cuts));
    }
}

static void copy(const struct bp_cpu_call *call, struct job *job)
{
    if (job->pieces->slices > 1)
        bp_cpu_parallel(call, job->pieces->slices, slice, job);
    else
        copy_rows(job, 0, job->pieces->rows);
}

void bp_cpu_concat_split_join(const struct bp_cpu_call *call,
                              const struct bp_cpu_concat_split *pieces, bp_tensor *const *tensors,
                              void *whole)
{
    struct job job = {.pieces = pieces, .tensors = tensors, .join = whole};

    copy(call, &job);
}

void bp_cpu_concat_split_part(const struct bp_cpu_call *call,
                              const struct bp_cpu_concat_split *pieces, bp_tensor *const *tensors,
                              const void *whole)
{
    struct job job = {.pieces = pieces, .tensors = tensors, .part = whole};

    copy(call, &job);
}
