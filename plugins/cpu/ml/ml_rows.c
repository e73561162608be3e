/* SPDX-License-Identifier: MIT */
/*
 * ml_rows.c - The driver that splits rows of features in slices for the threads, and slices in
 * blocks; see ml_rows.h.
 */

#include "ml/ml_rows.h"
#include "kernels/tensor_data.h"

/* The work area of a block is to stay in the L2 cache. */
enum { MOST_ROWS = 64, WORK_BYTES = 128 * 1024 };

/*
 * Chooses the rows of a block, a multiple of 4 (the rows that dot_products.inc takes at once), by
 * WORK_BYTES. False: a size overflows.
 */
static bool plan_block(struct bp_cpu_ml_rows *s, size_t width, size_t row_bytes, size_t *work)
{
    size_t x_row, n = row_bytes > 0 ? WORK_BYTES / row_bytes / 4 * 4 : MOST_ROWS;

    n = n < 4 ? 4 : n > MOST_ROWS ? MOST_ROWS : n;
    n = (uint64_t)s->rows < n ? (size_t)s->rows : n;
    s->block_rows = n;
    if (__builtin_mul_overflow((size_t)s->cols, width, &x_row) ||
        __builtin_mul_overflow(x_row, n, &s->x_bytes) ||
        __builtin_mul_overflow(row_bytes, n, work) || *work > SIZE_MAX / 4 ||
        s->x_bytes > SIZE_MAX / 4)
        return false;
    s->x_bytes = (s->x_bytes + 63) / 64 * 64;
    s->worker_bytes = s->x_bytes + (*work + 63) / 64 * 64;
    return true;
}

bp_rc bp_cpu_ml_rows_prepare(struct bp_cpu_call *call, size_t bytes, size_t features,
                             bool is_double, size_t row_bytes, int64_t cost,
                             void (*block)(const struct bp_cpu_ml_block *block), bp_err *err)
{
    struct bp_cpu_ml_rows *s;
    size_t work;
    bp_rc rc = bp_cpu_state(call, bytes, err);

    if (rc < 0)
        return rc;
    s = call->state;
    rc = bp_cpu_rows(call, &s->rows, &s->cols, err);
    if (rc < 0)
        return rc;
    if ((uint64_t)s->cols != features)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "X has %lld features, but the model has %zu", (long long)s->cols,
                           features);
    s->block = block;
    s->is_double = is_double;
    if (!plan_block(s, is_double ? sizeof(double) : sizeof(float), row_bytes, &work) ||
        __builtin_mul_overflow(s->worker_bytes, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    s->slices = bp_cpu_slices(call, s->rows, cost);
    return BP_OK;
}

/* X itself if it has the model's type, else a converted copy of n rows. */
static const void *block_of_x(const struct bp_cpu_call *call, const struct bp_cpu_ml_rows *s,
                              int64_t first, size_t n, void *copy)
{
    const bp_tensor *x = call->in[0];
    size_t count = n * (size_t)s->cols;
    const char *from =
        (const char *)bp_cpu_data(x) + (size_t)(first * s->cols) * bp_cpu_width(x->dtype);

    if (x->dtype == (s->is_double ? BP_DTYPE_F64 : BP_DTYPE_F32))
        return from;
    if (s->is_double)
        bp_cpu_to_f64(x->dtype, from, copy, count);
    else
        bp_cpu_to_f32(x->dtype, from, copy, count);
    return copy;
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    struct bp_cpu_call *call = u;
    const struct bp_cpu_ml_rows *s = call->state;
    char *scratch = bp_cpu_worker_scratch(call->scratch, worker, s->worker_bytes);
    int64_t end = s->rows / s->slices * (i + 1) + s->rows % s->slices * (i + 1) / s->slices;
    struct bp_cpu_ml_block block = {.call = call, .work = scratch + s->x_bytes};

    block.first = s->rows / s->slices * i + s->rows % s->slices * i / s->slices;
    for (; block.first < end; block.first += (int64_t)block.n) {
        block.n = s->block_rows;
        if (block.n > (size_t)(end - block.first))
            block.n = (size_t)(end - block.first);
        block.x = block_of_x(call, s, block.first, block.n, scratch);
        s->block(&block);
    }
}

bp_rc bp_cpu_ml_rows_run(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_ml_rows *s = call->state;

    (void)err;
    if (s->rows > 0)
        bp_cpu_parallel(call, s->slices, slice, call);
    return BP_OK;
}
