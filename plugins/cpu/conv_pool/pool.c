/* SPDX-License-Identifier: MIT */
/* pool.c - Shape, scratch and threads of pools; see pool.h. */

#include "conv_pool/pool.h"
#include "kernels/tensor_data.h"

/* Rows of scratch start at cache lines. */
enum { ROW_ALIGN = 64 };

/* A worker's scratch is two rows of x: the combined row and its combined columns. */
bp_rc bp_cpu_pool_prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0], *indices = bp_cpu_out(call, 1);
    struct bp_cpu_pool *pool;
    bp_rc rc;

    if (x->rank != y->rank || x->rank < 2 || x->dims[0] != y->dims[0] || x->dims[1] != y->dims[1] ||
        (indices && bp_cpu_count(indices) != bp_cpu_count(y)))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    rc = bp_cpu_state(call, sizeof *pool, err);
    if (rc < 0)
        return rc;
    pool = call->state;
    rc = bp_cpu_window_make(call, x, y, NULL, false, &pool->window, err);
    if (rc < 0)
        return rc;
    pool->width = (uint32_t)bp_cpu_width(x->dtype);
    pool->counts_pads = bp_cpu_int(call->node, "count_include_pad", 0) != 0;
    pool->is_column_major = bp_cpu_int(call->node, "storage_order", 0) != 0;
    pool->row_bytes = ((size_t)pool->window.in[2] * pool->width / ROW_ALIGN + 1) * ROW_ALIGN;
    pool->worker_bytes = 2 * pool->row_bytes;
    pool->slices = bp_cpu_slices(call, bp_cpu_count(y), 2 * pool->window.kernel_count);
    if (__builtin_mul_overflow(pool->worker_bytes, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

/* Planes are shared out to the threads. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct bp_cpu_pool *pool = u;
    const struct bp_cpu_window *w = &pool->window;
    int64_t planes = w->batch * w->channels, n = pool->slices;
    int64_t end = planes / n * (i + 1) + planes % n * (i + 1) / n;

    for (int64_t p = planes / n * i + planes % n * i / n; p < end; p++) {
        pool->plane(pool, (const char *)pool->x + (size_t)(p * w->in_count) * pool->width,
                    (char *)pool->y + (size_t)(p * w->out_count) * pool->width,
                    pool->indices ? pool->indices + p * w->out_count : NULL, p * w->in_count,
                    pool->scratch + worker * pool->worker_bytes);
    }
}

void bp_cpu_pool_run(struct bp_cpu_call *call, int64_t *indices)
{
    struct bp_cpu_pool *pool = call->state;
    struct bp_cpu_pool now = *pool;

    if (bp_cpu_count(call->out[0]) == 0)
        return;
    now.x = bp_cpu_data(call->in[0]);
    now.y = bp_cpu_data(call->out[0]);
    now.indices = indices;
    now.scratch = call->scratch;
    bp_cpu_parallel_stoppable(call, now.slices, run_slice, &now);
}

/* The product of the taps in each dimension, as windows are boxes. */
int64_t bp_cpu_pool_divisor(const struct bp_cpu_pool *pool, const int64_t *at)
{
    const struct bp_cpu_window *w = &pool->window;
    int64_t count = 1;

    for (int d = 0; d < BP_CPU_SPATIAL; d++) {
        int64_t first, end;

        if (pool->counts_pads)
            bp_cpu_pool_taps(w, d, at[d], -w->pad[d], w->in[d] + w->pad_end[d], &first, &end);
        else
            bp_cpu_pool_taps(w, d, at[d], 0, w->in[d], &first, &end);
        count *= end - first;
    }
    return count;
}
