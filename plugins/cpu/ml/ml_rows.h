/* SPDX-License-Identifier: MIT */
/*
 * ml_rows.h - the driver of models that answer row by row: it cuts the rows in blocks for the
 * threads, and hands each block out as float32 or float64, whatever X holds.
 */
#ifndef BP_CPU_ML_ML_ROWS_H
#define BP_CPU_ML_ML_ROWS_H

#include "ml/ml.h"

struct bp_cpu_ml_block {
    struct bp_cpu_call *call;
    const void *x; /* n rows of `cols`, float or double */
    void *work;    /* work_bytes of scratch, 64-aligned */
    int64_t first; /* number of the first row */
    size_t n;
};

/* First field of the state of such an operator. */
struct bp_cpu_ml_rows {
    void (*block)(const struct bp_cpu_ml_block *block);
    int64_t rows, cols;
    size_t block_rows; /* at most so many in a block */
    size_t x_bytes, worker_bytes;
    uint32_t slices;
    bool is_double;
};

/*
 * Sets call->state to `bytes` of zeros that begin with the struct above, and its scratch. X must
 * have `features` columns. A row needs `row_bytes` of work and `cost` simple operations.
 */
bp_rc bp_cpu_ml_rows_prepare(struct bp_cpu_call *call, size_t bytes, size_t features,
                             bool is_double, size_t row_bytes, int64_t cost,
                             void (*block)(const struct bp_cpu_ml_block *block), bp_err *err);
bp_rc bp_cpu_ml_rows_run(struct bp_cpu_call *call, bp_err *err);

#endif
