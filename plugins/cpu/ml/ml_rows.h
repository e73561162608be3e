/* SPDX-License-Identifier: MIT */
/*
 * ml_rows.h - The driver of models that compute each row by itself (linear models, SVMs): it splits
 * the rows in blocks for the threads, and converts each block to float32 or float64.
 */
#ifndef BP_CPU_ML_ML_ROWS_H
#define BP_CPU_ML_ML_ROWS_H

#include "ml/ml.h"

/* What one call of the block function gets; it is valid during that call. */
struct bp_cpu_ml_block {
    struct bp_cpu_call *call;
    const void *x; /* n rows of `cols`, float or double */
    void *work;    /* work_bytes of scratch, 64-aligned */
    int64_t first; /* index of the first row */
    size_t n;
};

/* First field of the state of such an operator. */
struct bp_cpu_ml_rows {
    void (*block)(const struct bp_cpu_ml_block *block);
    int64_t rows, cols;
    size_t block_rows; /* upper limit of a block */
    size_t x_bytes, worker_bytes;
    uint32_t slices;
    bool is_double;
};

/*
 * For op->prepare: sets call->state to `bytes` zeros that begin with the struct above, and the
 * scratch size. A row needs `row_bytes` of work area and `cost` simple operations. BP_E_SHAPE: X
 * has not `features` columns. BP_E_NOMEM.
 */
bp_rc bp_cpu_ml_rows_prepare(struct bp_cpu_call *call, size_t bytes, size_t features,
                             bool is_double, size_t row_bytes, int64_t cost,
                             void (*block)(const struct bp_cpu_ml_block *block), bp_err *err);
/* For op->run: calls `block` on the pool's threads, for disjoint rows. */
bp_rc bp_cpu_ml_rows_run(struct bp_cpu_call *call, bp_err *err);

#endif
