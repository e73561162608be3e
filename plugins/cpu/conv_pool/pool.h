/* SPDX-License-Identifier: MIT */
/*
 * pool.h - The driver of MaxPool, AveragePool and LpPool with up to three spatial dimensions. They
 * are separable: the rows of a window are combined into one row first, in vectors, then the columns
 * of that row.
 */
#ifndef BP_CPU_CONV_POOL_POOL_H
#define BP_CPU_CONV_POOL_POOL_H

#include "kernels/window.h"

/* call->state of a pool. */
struct bp_cpu_pool {
    struct bp_cpu_window window;
    bool counts_pads;     /* the divisor counts the padding, but nothing beyond it */
    bool is_column_major; /* order of the positions in `indices` */
    double p;             /* of LpPool */
    size_t row_bytes;     /* of one row of scratch; `plane` needs two */
    size_t worker_bytes;  /* of a worker's scratch */
    const void *x;        /* from here on: set for a run */
    void *y;
    int64_t *indices; /* NULL: not wanted */
    char *scratch;
    uint32_t slices;
    uint32_t width; /* of an element */
    /* one channel of one image; row is the worker's scratch. Several threads call it at once. */
    void (*plane)(const struct bp_cpu_pool *pool, const void *x, void *y, int64_t *indices,
                  int64_t first_index, void *row);
};

/*
 * For op->prepare: makes call->state, a struct bp_cpu_pool without `plane`, and sets the scratch
 * size. BP_E_SHAPE, BP_E_NOMEM.
 */
bp_rc bp_cpu_pool_prepare(struct bp_cpu_call *call, bp_err *err);
/* Runs all planes on the pool's threads. `indices` NULL: they are not wanted. */
void bp_cpu_pool_run(struct bp_cpu_call *call, int64_t *indices);

/* Taps `first` <= k < `end` of window `at` of dimension d lie in [low, high) of x. */
static inline void bp_cpu_pool_taps(const struct bp_cpu_window *w, int d, int64_t at, int64_t low,
                                    int64_t high, int64_t *first, int64_t *end)
{
    bp_cpu_window_clip(bp_cpu_window_start(w, d, at) - low, w->dilation[d], w->kernel[d],
                       high - low, first, end);
}

/* The divisor of the window at a position of y. */
int64_t bp_cpu_pool_divisor(const struct bp_cpu_pool *pool, const int64_t *at);

#endif
