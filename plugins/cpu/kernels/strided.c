/* SPDX-License-Identifier: MIT */
/*
 * strided.c - see strided.h.
 *
 * After merging, one of three copies of the innermost dimension is chosen: a memcpy of runs, a
 * gather, or a tiled transpose where another dimension is contiguous in the source. Tiles keep the
 * cache lines of both sides in the L1 cache until all of their elements have been moved.
 */

#include "kernels/strided.h"

#include <common/broadcast.h>

#include "kernels/types/loops.h"

typedef uint32_t lanes __attribute__((vector_size(16)));
typedef uint32_t loose_lanes __attribute__((vector_size(16), aligned(4), may_alias));

/*
 * y[i][j] = x[j][i] for i, j < 4: two rounds of shuffles of 16-byte vectors. The steps are in
 * elements.
 */
static inline void transpose_4_by_4(uint32_t *y, const uint32_t *x, int64_t to_step,
                                    int64_t from_step)
{
    lanes a = *(const loose_lanes *)x, b = *(const loose_lanes *)(x + from_step);
    lanes c = *(const loose_lanes *)(x + 2 * from_step);
    lanes d = *(const loose_lanes *)(x + 3 * from_step);
    lanes ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5);
    lanes ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    lanes bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5);
    lanes bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);

    *(loose_lanes *)y = __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5);
    *(loose_lanes *)(y + to_step) = __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7);
    *(loose_lanes *)(y + 2 * to_step) = __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5);
    *(loose_lanes *)(y + 3 * to_step) = __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7);
}

/* 16 x 16 elements of 4 bytes: a cache line of 64 bytes in each row on both sides. */
static void transpose_16_by_16(uint32_t *y, const uint32_t *x, int64_t to_step, int64_t from_step)
{
    for (int64_t i = 0; i < 16; i += 4) {
        for (int64_t j = 0; j < 16; j += 4)
            transpose_4_by_4(y + i * to_step + j, x + j * from_step + i, to_step, from_step);
    }
}

#define TEMPLATE "kernels/strided.inc"
#include "kernels/types/width.inc"
#undef TEMPLATE

enum {
    RUN,      /* the innermost dimension is contiguous in the source too */
    GATHER,   /* it is not */
    TRANSPOSE /* another dimension is contiguous there: a matrix is transposed in tiles */
};

enum {
    TRANSPOSE_ROWS = 64,   /* least number of rows of a matrix for one slice */
    TRANSPOSE_MINIMUM = 4, /* smaller sides are gathered */
    CALL_COST = 4          /* of an element that is not in a run, in simple operations */
};

/* One run; for the threads. */
struct job {
    const struct bp_cpu_strided *strided;
    const char *from;
    char *to;
};

static void gather(size_t width, void *to, const void *from, int64_t n, int64_t step)
{
    switch (width) {
    case 1:
        gather_1(to, from, n, step);
        break;
    case 2:
        gather_2(to, from, n, step);
        break;
    case 4:
        gather_4(to, from, n, step);
        break;
    case 8:
        gather_8(to, from, n, step);
        break;
    default:
        gather_16(to, from, n, step);
    }
}

static void transpose(size_t width, void *to, const void *from, int64_t rows, int64_t columns,
                      int64_t to_step, int64_t from_step)
{
    switch (width) {
    case 1:
        transpose_1(to, from, rows, columns, to_step, from_step);
        break;
    case 2:
        transpose_2(to, from, rows, columns, to_step, from_step);
        break;
    case 4:
        transpose_4(to, from, rows, columns, to_step, from_step);
        break;
    case 8:
        transpose_8(to, from, rows, columns, to_step, from_step);
        break;
    default:
        transpose_16(to, from, rows, columns, to_step, from_step);
    }
}

/*
 * Drops dimensions of size 1 and merges adjacent ones that are contiguous with each other in the
 * source.
 */
static void merge(uint32_t rank, const int64_t *dims, const int64_t *strides,
                  struct bp_cpu_strided *out)
{
    out->rank = 0;
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t last = out->rank - 1;

        if (dims[d] == 1)
            continue;
        if (out->rank > 0 && out->from[last] == strides[d] * dims[d]) {
            out->dims[last] *= dims[d];
            out->from[last] = strides[d];
            continue;
        }
        out->dims[out->rank] = dims[d];
        out->from[out->rank] = strides[d];
        out->rank++;
    }
    if (out->rank == 0) {
        out->dims[0] = 1;
        out->from[0] = 1;
        out->rank = 1;
    }
    for (uint32_t d = out->rank; d-- > 0;)
        out->to[d] = d + 1 == out->rank ? 1 : out->to[d + 1] * out->dims[d + 1];
}

/* Makes dimension d the innermost one; the order in which elements are copied does not matter. */
static void move_to_end(struct bp_cpu_strided *out, uint32_t d)
{
    int64_t dim = out->dims[d], from = out->from[d], to = out->to[d];

    for (; d + 1 < out->rank; d++) {
        out->dims[d] = out->dims[d + 1];
        out->from[d] = out->from[d + 1];
        out->to[d] = out->to[d + 1];
    }
    out->dims[d] = dim;
    out->from[d] = from;
    out->to[d] = to;
}

/*
 * Chooses the copy. A source stride of 0 (a broadcast) is never transposed, nor is a matrix with a
 * short side.
 */
static void choose_kind(struct bp_cpu_strided *out)
{
    uint32_t last = out->rank - 1;

    out->kind = out->from[last] == 1 ? RUN : GATHER;
    out->walked = last;
    for (uint32_t d = 0; d < last && out->kind == GATHER; d++) {
        if (out->from[d] == 1 && out->from[last] != 0 && out->dims[d] >= TRANSPOSE_MINIMUM &&
            out->dims[last] >= TRANSPOSE_MINIMUM) {
            move_to_end(out, d); /* columns and rows of the matrix are the last two now */
            out->kind = TRANSPOSE;
            out->walked = out->rank - 2;
        }
    }
}

void bp_cpu_strided_make(const struct bp_cpu_call *call, size_t width, uint32_t rank,
                         const int64_t *dims, const int64_t *strides, struct bp_cpu_strided *out)
{
    int64_t rows;

    out->width = width;
    out->count = bp_dims_count(dims, rank);
    out->outer = 1;
    out->slices = 1;
    out->row_parts = 1;
    if (out->count == 0)
        return;
    merge(rank, dims, strides, out);
    choose_kind(out);
    for (uint32_t d = 0; d < out->walked; d++)
        out->outer *= out->dims[d];
    out->slices =
        bp_cpu_slices(call, out->count * (int64_t)width / 4, out->kind == RUN ? 1 : CALL_COST);
    if (out->outer >= out->slices)
        return;
    /* too few rows for the threads: split each of them */
    rows = out->dims[out->rank - 1];
    out->row_parts = out->slices / (uint32_t)out->outer;
    if (out->kind == TRANSPOSE && out->row_parts > rows / TRANSPOSE_ROWS)
        out->row_parts = rows < TRANSPOSE_ROWS ? 1 : (uint32_t)(rows / TRANSPOSE_ROWS);
    out->slices = out->row_parts * (uint32_t)out->outer;
}

bp_rc bp_cpu_strided_expand(const struct bp_cpu_call *call, const bp_tensor *in, uint32_t rank,
                            const int64_t *dims, struct bp_cpu_strided *out, bp_err *err)
{
    struct bp_broadcast broadcast;
    const int64_t *in_dims = in->dims;

    if (!bp_broadcast_make(rank, dims, 1, &in->rank, &in_dims, &broadcast)) {
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "the input does not broadcast to the output's shape");
    }
    bp_cpu_strided_make(call, bp_cpu_width(in->dtype), broadcast.rank, broadcast.dims,
                        broadcast.strides[0], out);
    return BP_OK;
}

/*
 * Elements first..last of the innermost dimension of one row; of TRANSPOSE, rows first..last of a
 * matrix.
 */
static void copy_row(const struct bp_cpu_strided *s, const char *from, char *to, int64_t first,
                     int64_t last)
{
    uint32_t d = s->rank - 1;

    from += first * s->from[d] * (int64_t)s->width;
    to += first * s->to[d] * (int64_t)s->width;
    if (s->kind == RUN)
        memcpy(to, from, (size_t)(last - first) * s->width);
    else if (s->kind == GATHER)
        gather(s->width, to, from, last - first, s->from[d]);
    else
        transpose(s->width, to, from, last - first, s->dims[d - 1], s->to[d], s->from[d - 1]);
}

/*
 * Rows begin..end, and of each the elements first..last; coordinates are counted up like an
 * odometer.
 */
static void copy_rows(const struct job *job, int64_t begin, int64_t end, int64_t first,
                      int64_t last)
{
    const struct bp_cpu_strided *s = job->strided;
    int64_t index[BP_CPU_MAX_RANK * 2], from = 0, to = 0, rest = begin;

    for (uint32_t d = s->walked; d-- > 0;) {
        index[d] = rest % s->dims[d];
        rest /= s->dims[d];
        from += index[d] * s->from[d];
        to += index[d] * s->to[d];
    }
    for (int64_t row = begin; row < end; row++) {
        copy_row(s, job->from + from * (int64_t)s->width, job->to + to * (int64_t)s->width, first,
                 last);
        for (uint32_t d = s->walked; d-- > 0;) {
            from += s->from[d];
            to += s->to[d];
            if (++index[d] < s->dims[d])
                break;
            from -= s->from[d] * s->dims[d];
            to -= s->to[d] * s->dims[d];
            index[d] = 0;
        }
    }
}

/* A slice is a range of rows, or a part of one row. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_strided *s = job->strided;
    int64_t inner = s->dims[s->rank - 1];

    (void)worker;
    if (s->row_parts > 1) {
        uint32_t part = i % s->row_parts;
        int64_t row = i / s->row_parts;

        copy_rows(job, row, row + 1, bp_cpu_slice_at(inner, part, s->row_parts),
                  bp_cpu_slice_at(inner, part + 1, s->row_parts));
    } else {
        copy_rows(job, s->outer * i / s->slices, s->outer * (i + 1) / s->slices, 0, inner);
    }
}

void bp_cpu_strided_run(const struct bp_cpu_call *call, const struct bp_cpu_strided *strided,
                        const void *from, void *to)
{
    struct job job = {strided, from, to};

    if (strided->count == 0)
        return;
    if (strided->slices > 1)
        bp_cpu_parallel(call, strided->slices, slice, &job);
    else
        copy_rows(&job, 0, strided->outer, 0, strided->dims[strided->rank - 1]);
}
