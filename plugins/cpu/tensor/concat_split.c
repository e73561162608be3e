/* SPDX-License-Identifier: MIT */
/*
 * concat_split.c - see concat_split.h.
 *
 * Concat and Split are the same copy in two directions: for each row of the whole, one memcpy a
 * tensor. Threads share the rows; where there are fewer rows than threads, each tensor's part of a
 * row is cut as well.
 */

#include "tensor/concat_split.h"

/* What the threads of one run share. One of gathered and scattered is NULL. */
struct job {
    const struct bp_cpu_concat_split *layout;
    bp_tensor *const *tensors;
    char *gathered;        /* Concat: the whole, to be written; else NULL */
    const char *scattered; /* Split: the whole, to be read */
};

bp_rc bp_cpu_concat_split_make(struct bp_cpu_call *call, const bp_tensor *whole, uint32_t axis,
                               uint32_t n, const int64_t *sizes, struct bp_cpu_concat_split *out,
                               bp_err *err)
{
    size_t width = bp_cpu_width(whole->dtype), offset = 0;
    int64_t inner = bp_dims_count(whole->dims + axis + 1, whole->rank - axis - 1), left;

    if (!out->sections)
        out->sections = bp_cpu_call_memory(call, n * sizeof *out->sections);
    if (!out->sections)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for %u tensors", n);
    /* left: what of the axis no tensor has taken yet. It must be exactly 0 after the last one. */
    left = whole->dims[axis];
    for (uint32_t i = 0; i < n; i++) {
        if (sizes[i] < 0 || sizes[i] > left)
            break;
        out->sections[i].offset = offset;
        out->sections[i].bytes = (size_t)(sizes[i] * inner) * width;
        offset += out->sections[i].bytes;
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
    /* The cost of memcpy goes by bytes; bp_cpu_slices() counts elements of 4 bytes. */
    out->slices = bp_cpu_slices(call, out->rows * (int64_t)(offset / 4), 1);
    out->row_parts = 1;
    if (out->slices > out->rows && out->rows > 0) {
        out->row_parts = out->slices / (uint32_t)out->rows;
        out->slices = out->row_parts * (uint32_t)out->rows;
    }
    return BP_OK;
}

/*
 * Copies bytes from..to of one row between tensor i and the whole; does nothing for an absent
 * output.
 */
static void copy_part(const struct job *job, uint32_t i, int64_t row, size_t from, size_t to)
{
    const struct bp_cpu_section *section = &job->layout->sections[i];
    char *tensor;
    size_t at;

    if (!job->tensors[i] || to <= from)
        return;
    tensor = bp_tensor_data(job->tensors[i]);
    tensor += (size_t)row * section->bytes + from;
    at = (size_t)row * job->layout->row_bytes + section->offset + from;
    if (job->scattered)
        memcpy(tensor, job->scattered + at, to - from);
    else if (job->gathered + at != tensor) /* what grows in place is there already */
        memcpy(job->gathered + at, tensor, to - from);
}

/*
 * Tensors in the outer loop: one destination (or source) is walked from start to end before the
 * next.
 */
static void copy_rows(const struct job *job, int64_t begin, int64_t end)
{
    for (uint32_t i = 0; i < job->layout->n; i++) {
        for (int64_t row = begin; row < end; row++)
            copy_part(job, i, row, 0, job->layout->sections[i].bytes);
    }
}

/*
 * A slice is a range of whole rows, or with row_parts > 1 one part of each section of a single row.
 */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_concat_split *layout = job->layout;

    (void)worker;
    if (layout->row_parts == 1) {
        copy_rows(job, layout->rows * i / layout->slices, layout->rows * (i + 1) / layout->slices);
        return;
    }
    for (uint32_t k = 0; k < layout->n; k++) {
        int64_t bytes = (int64_t)layout->sections[k].bytes;
        uint32_t part = i % layout->row_parts;

        copy_part(job, k, i / layout->row_parts,
                  (size_t)bp_cpu_slice_at(bytes, part, layout->row_parts),
                  (size_t)bp_cpu_slice_at(bytes, part + 1, layout->row_parts));
    }
}

static void copy(const struct bp_cpu_call *call, struct job *job)
{
    if (job->layout->slices > 1)
        bp_cpu_parallel(call, job->layout->slices, slice, job);
    else
        copy_rows(job, 0, job->layout->rows);
}

void bp_cpu_concat_copy(const struct bp_cpu_call *call, const struct bp_cpu_concat_split *layout,
                        bp_tensor *const *tensors, void *whole)
{
    struct job job = {.layout = layout, .tensors = tensors, .gathered = whole};

    copy(call, &job);
}

void bp_cpu_split_copy(const struct bp_cpu_call *call, const struct bp_cpu_concat_split *layout,
                       bp_tensor *const *tensors, const void *whole)
{
    struct job job = {.layout = layout, .tensors = tensors, .scattered = whole};

    copy(call, &job);
}
