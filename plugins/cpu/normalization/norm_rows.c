/* SPDX-License-Identifier: MIT */
/* norm_rows.c - Normalisation of rows on threads; see norm_rows.h. Statistics are in float64. */

#include "normalization/norm_rows.h"
#include "kernels/types/loops.h"
#include "normalization/norm.h"

#include <math.h>

#define TEMPLATE "normalization/norm_rows.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

struct job {
    const struct bp_cpu_norm_rows *rows;
    const struct bp_cpu_norm_data *data;
};

/* Slice i of the rows. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t n = job->rows->slices, rows = job->rows->rows;
    int64_t from = rows / n * i + rows % n * i / n;
    int64_t end = rows / n * (i + 1) + rows % n * (i + 1) / n;

    (void)worker;
    for (int64_t r = from; r < end; r++) {
        if (job->rows->is_double)
            norm_f64(job->rows, job->data, (size_t)r);
        else
            norm_f32(job->rows, job->data, (size_t)r);
    }
}

void bp_cpu_norm_rows_run(const struct bp_cpu_call *call, const struct bp_cpu_norm_rows *rows,
                          const struct bp_cpu_norm_data *data)
{
    struct job job = {rows, data};

    if (rows->rows > 0)
        bp_cpu_parallel(call, rows->slices, slice, &job);
}
