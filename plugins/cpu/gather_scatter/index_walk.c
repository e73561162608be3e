/* SPDX-License-Identifier: MIT */
/*
 * index_walk.c - see index_walk.h.
 *
 * Offsets are computed for CHUNK elements at a time and handed to a loop that knows the element
 * type: the index arithmetic is compiled once, not once a type, and the offsets (2 KiB) stay in the
 * L1 cache.
 */

#include "gather_scatter/index_walk.h"

enum {
    CHUNK = 256,     /* offsets that are computed at once */
    VISIT_COST = 4,  /* cost of an element, in simple operations */
    COLUMNS_MIN = 64 /* least number of columns for a thread */
};

/* What the threads of one run share. */
struct shared {
    const struct bp_cpu_index_walk_job *job;
    uint32_t slices;
    bool by_column;
};

bp_rc bp_cpu_index_walk_make(const struct bp_cpu_call *call, const bp_tensor *data,
                             const bp_tensor *indices, struct bp_cpu_index_walk *out, bp_err *err)
{
    int64_t stride = 1;
    uint32_t axis;
    bp_rc rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", 0), data->rank, &axis, err);

    if (rc < 0)
        return rc;
    if (indices->rank != data->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "indices have rank %u, but data has %u",
                           indices->rank, data->rank);
    for (uint32_t d = data->rank; d-- > 0;) {
        if (d != axis && indices->dims[d] > data->dims[d])
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "indices are larger than data at dimension %u", d);
        out->dims[d] = indices->dims[d];
        out->strides[d] = d == axis ? 0 : stride;
        if (d == axis)
            out->step = stride;
        stride *= data->dims[d];
    }
    out->rank = data->rank;
    out->size = data->dims[axis];
    out->along_row = axis + 1 == data->rank;
    out->columns = out->dims[out->rank - 1];
    out->rows = out->columns > 0 ? bp_dims_count(out->dims, out->rank - 1) : 0;
    return BP_OK;
}

/* The least and the largest index are enough, so that the loop has no branch and is vectorised. */
bp_rc bp_cpu_index_walk_check(const struct bp_cpu_call *call, const struct bp_cpu_list *indices,
                              int64_t size, bp_err *err)
{
    int64_t least = 0, most = -1;

    if (indices->i64) {
        for (int64_t i = 0; i < indices->n; i++) {
            least = indices->i64[i] < least ? indices->i64[i] : least;
            most = indices->i64[i] > most ? indices->i64[i] : most;
        }
    } else {
        for (int64_t i = 0; i < indices->n; i++) {
            least = indices->i32[i] < least ? indices->i32[i] : least;
            most = indices->i32[i] > most ? indices->i32[i] : most;
        }
    }
    if (least >= -size && most < size)
        return BP_OK;
    return bp_cpu_fail(call->node, err, BP_E_INVALID,
                       "indices have %lld, which is outside of the axis of size %lld",
                       (long long)(least < -size ? least : most), (long long)size);
}

/*
 * at[i] = offset in the data, in elements, of index element first + i. The elements lie in one row,
 * from `column` on; `base` is the offset of that row in the data.
 */
static void data_offsets(const struct bp_cpu_index_walk_job *job, int64_t first, int64_t column,
                         int64_t base, int64_t n, int64_t *at)
{
    const struct bp_cpu_index_walk *walk = job->walk;
    int64_t size = walk->size, step = walk->step;

    for (int64_t i = 0; i < n; i++) {
        int64_t index = bp_cpu_list_at(&job->indices, first + i);

        at[i] = base + (index < 0 ? index + size : index) * step;
    }
    if (walk->along_row)
        return;
    for (int64_t i = 0; i < n; i++)
        at[i] += column + i;
}

/* Visits columns from..to of a row, in chunks. */
static void visit_row(const struct bp_cpu_index_walk_job *job, int64_t row, int64_t base,
                      int64_t from, int64_t to)
{
    int64_t at[CHUNK];

    for (int64_t column = from; column < to; column += CHUNK) {
        int64_t n = to - column < CHUNK ? to - column : CHUNK;
        int64_t first = row * job->walk->columns + column;

        data_offsets(job, first, column, base, n, at);
        job->fn(job->data, job->other + (size_t)first * job->width, at, n);
    }
}

/*
 * Visits columns from..to of rows begin..end; the coordinates of a row are counted up like an
 * odometer.
 */
static void visit_rows(const struct bp_cpu_index_walk_job *job, int64_t begin, int64_t end,
                       int64_t from, int64_t to)
{
    const struct bp_cpu_index_walk *walk = job->walk;
    int64_t index[BP_CPU_MAX_RANK], rest = begin, base = 0;

    for (uint32_t d = walk->rank - 1; d-- > 0;) {
        index[d] = rest % walk->dims[d];
        rest /= walk->dims[d];
        base += index[d] * walk->strides[d];
    }
    for (int64_t row = begin; row < end; row++) {
        visit_row(job, row, base, from, to);
        for (uint32_t d = walk->rank - 1; d-- > 0;) {
            base += walk->strides[d];
            if (++index[d] < walk->dims[d])
                break;
            base -= walk->strides[d] * walk->dims[d];
            index[d] = 0;
        }
    }
}

/* By column each thread visits all rows, else it has rows of its own. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct shared *shared = u;
    const struct bp_cpu_index_walk *walk = shared->job->walk;

    (void)worker;
    if (shared->by_column)
        visit_rows(shared->job, 0, walk->rows, bp_cpu_slice_at(walk->columns, i, shared->slices),
                   bp_cpu_slice_at(walk->columns, i + 1, shared->slices));
    else
        visit_rows(shared->job, walk->rows * i / shared->slices,
                   walk->rows * (i + 1) / shared->slices, 0, walk->columns);
}

/*
 * Exclusive walks along an inner axis are split by columns: elements of different columns never
 * share a target, whatever their indices are. Along the last dimension rows are independent.
 */
void bp_cpu_index_walk_run(const struct bp_cpu_call *call, const struct bp_cpu_index_walk_job *job,
                           bool exclusive)
{
    const struct bp_cpu_index_walk *walk = job->walk;
    struct shared shared = {job, 1, exclusive && !walk->along_row};
    int64_t most = shared.by_column ? walk->columns / COLUMNS_MIN : walk->rows;

    if (walk->rows == 0)
        return;
    shared.slices = bp_cpu_slices(call, walk->rows * walk->columns, VISIT_COST);
    if (shared.slices > most)
        shared.slices = most > 0 ? (uint32_t)most : 1;
    bp_cpu_parallel(call, shared.slices, slice, &shared);
}
