/* SPDX-License-Identifier: MIT */
/*
 * det.c - Det (opsets 11, 22).
 * X is [..., M, M], Y [...].
 * Determinants by Gaussian elimination with partial pivoting, in float64. The matrices are small in
 * practice: no blocking.
 */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

#include <math.h>

/* Sizes of a call. */
struct state {
    int64_t matrices, n;
    size_t worker_bytes;
    bool is_double;
    uint32_t slices;
};

/* One run; for the threads. */
struct job {
    const struct state *state;
    const void *x;
    void *y;
    char *scratch;
};

/* Exchanges n elements of two rows. */
static void swap_rows(double *a, double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double saved = a[i];

        a[i] = b[i];
        b[i] = saved;
    }
}

/* Overwrites the n x n matrix. A zero pivot column ends it with 0. */
static double determinant(double *a, int64_t n)
{
    double product = 1;

    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;

        for (int64_t i = k + 1; i < n; i++) {
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        }
        if (pivot != k) {
            swap_rows(a + k * n + k, a + pivot * n + k, n - k);
            product = -product;
        }
        product *= a[k * n + k];
        if (a[k * n + k] == 0)
            return 0;
        for (int64_t i = k + 1; i < n; i++) {
            double *row = a + i * n, factor = row[k] / a[k * n + k];

            for (int64_t j = k + 1; j < n; j++)
                row[j] -= factor * a[k * n + j];
        }
    }
    return product;
}

/* Each matrix is copied to the worker's scratch as float64 and reduced there. */
static void run_slice(void *u, uint32_t slice, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t size = s->n * s->n, end = s->matrices * (slice + 1) / s->slices;
    double *a = bp_cpu_worker_scratch(job->scratch, worker, s->worker_bytes);

    for (int64_t m = s->matrices * slice / s->slices; m < end; m++) {
        for (int64_t i = 0; i < size; i++)
            a[i] = s->is_double ? ((const double *)job->x)[m * size + i]
                                : (double)((const float *)job->x)[m * size + i];
        if (s->is_double)
            ((double *)job->y)[m] = determinant(a, s->n);
        else
            ((float *)job->y)[m] = (float)determinant(a, s->n);
    }
}

/* Each worker has scratch for one matrix; matrices are shared out to the threads. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (x->rank < 2 || x->dims[x->rank - 1] != x->dims[x->rank - 2])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "only square matrices have a determinant");
    s->n = x->dims[x->rank - 1];
    s->matrices = bp_dims_count(x->dims, x->rank - 2);
    s->is_double = x->dtype == BP_DTYPE_F64;
    if (bp_cpu_count(call->out[0]) != s->matrices)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has another size");
    s->slices = bp_cpu_slices(call, s->matrices, s->n < 1000 ? s->n * s->n * s->n + 1 : INT32_MAX);
    if (s->slices > s->matrices)
        s->slices = s->matrices > 0 ? (uint32_t)s->matrices : 1;
    s->worker_bytes = (size_t)(s->n * s->n) * sizeof(double);
    if (__builtin_mul_overflow(s->worker_bytes / 64 * 64 + 64, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the matrices are too large");
    return BP_OK;
}

/* Matrices of any batch run in one parallel loop. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {s, bp_cpu_data(call->in[0]), bp_cpu_data(call->out[0]), call->scratch};

    (void)err;
    if (s->matrices > 0)
        bp_cpu_parallel(call, s->slices, run_slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_det = {
    .name = "Det",
    .since = 11,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
