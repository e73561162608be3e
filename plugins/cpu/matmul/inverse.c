/* SPDX-License-Identifier: MIT */
/* inverse.c - Inverse and CDist of com.microsoft, computed in float64. */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

#include <math.h>

/* Element i of a tensor of float32 or float64. */
static double at(const bp_tensor *x, const void *data, size_t i)
{
    return x->dtype == BP_DTYPE_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void put(const bp_tensor *y, void *data, size_t i, double v)
{
    if (y->dtype == BP_DTYPE_F64)
        ((double *)data)[i] = v;
    else
        ((float *)data)[i] = (float)v;
}

/* ---- Inverse --------------------------------------------------------------------------------- */

static bp_rc prepare_inverse(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    size_t n;

    if (x->rank < 2 || x->dims[x->rank - 1] != x->dims[x->rank - 2])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the matrices are not square");
    n = (size_t)x->dims[x->rank - 1];
    if (__builtin_mul_overflow(n, 2 * sizeof(double), &call->scratch_bytes) ||
        __builtin_mul_overflow(call->scratch_bytes, n, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the matrices are too large");
    return BP_OK;
}

static void swap_rows(double *a, size_t width, size_t i, size_t j)
{
    for (size_t k = 0; k < width && i != j; k++) {
        double v = a[i * width + k];

        a[i * width + k] = a[j * width + k];
        a[j * width + k] = v;
    }
}

/* Gauss and Jordan on n rows of [A | B], with pivots; false: A has no inverse. */
static bool eliminate(double *a, size_t n)
{
    size_t width = 2 * n;

    for (size_t c = 0; c < n; c++) {
        size_t pivot = c;
        double factor;

        for (size_t r = c + 1; r < n; r++) {
            if (fabs(a[r * width + c]) > fabs(a[pivot * width + c]))
                pivot = r;
        }
        if (!(fabs(a[pivot * width + c]) > 0))
            return false;
        swap_rows(a, width, c, pivot);
        factor = 1 / a[c * width + c];
        for (size_t k = 0; k < width; k++)
            a[c * width + k] *= factor;
        for (size_t r = 0; r < n; r++) {
            factor = a[r * width + c];
            for (size_t k = c; k < width && r != c; k++)
                a[r * width + k] -= factor * a[c * width + k];
        }
    }
    return true;
}

static bp_rc run_inverse(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    size_t n = (size_t)x->dims[x->rank - 1], size = n * n;
    int64_t count = bp_dims_count(x->dims, x->rank - 2);
    double *a = call->scratch;

    for (int64_t m = 0; m < count && n > 0; m++) {
        for (size_t i = 0; i < size; i++) {
            a[i / n * 2 * n + i % n] = at(x, bp_cpu_data(x), (size_t)m * size + i);
            a[i / n * 2 * n + n + i % n] = i / n == i % n;
        }
        if (!eliminate(a, n))
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "matrix %lld has no inverse",
                               (long long)m);
        for (size_t i = 0; i < size; i++)
            put(y, bp_cpu_data(y), (size_t)m * size + i, a[i / n * 2 * n + n + i % n]);
    }
    return BP_OK;
}

/* ---- CDist ----------------------------------------------------------------------------------- */

static bp_rc prepare_cdist(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *a = call->in[0], *b = call->in[1], *y = call->out[0];

    if (a->rank != 2 || b->rank != 2 || a->dims[1] != b->dims[1] || y->rank != 2 ||
        y->dims[0] != a->dims[0] || y->dims[1] != b->dims[0])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "A, B and C do not fit together");
    return BP_OK;
}

struct job {
    const bp_tensor *a, *b, *y;
    bool takes_root;
};

/* Row i of C. */
static void distances(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const void *a = bp_cpu_data(job->a), *b = bp_cpu_data(job->b);
    size_t n = (size_t)job->a->dims[1], cols = (size_t)job->b->dims[0];

    (void)worker;
    for (size_t j = 0; j < cols; j++) {
        double sum = 0;

        for (size_t k = 0; k < n; k++) {
            double d = at(job->a, a, i * n + k) - at(job->b, b, j * n + k);

            sum += d * d;
        }
        put(job->y, bp_cpu_data(job->y), i * cols + j, job->takes_root ? sqrt(sum) : sum);
    }
}

static bp_rc run_cdist(struct bp_cpu_call *call, bp_err *err)
{
    struct job job = {call->in[0], call->in[1], call->out[0],
                      bp_node_string_is(call->node->graph, call->node->node, "metric",
                                        "sqeuclidean", "euclidean")};

    if (call->in[0]->dims[0] > UINT32_MAX)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "A has too many rows");
    if (bp_cpu_count(call->out[0]) > 0)
        bp_cpu_parallel(call, (uint32_t)call->in[0]->dims[0], distances, &job);
    return BP_OK;
}

static void claim_cdist(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_node_string_is(query->graph, query->node, "metric", "sqeuclidean", "euclidean") ||
        bp_node_string_is(query->graph, query->node, "metric", "sqeuclidean", "sqeuclidean"))
        bp_cpu_claim_types(op, query);
    else
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "metric",
                      "only euclidean and sqeuclidean are implemented");
}

static const struct bp_cpu_wide inverse = {prepare_inverse, run_inverse};

const struct bp_cpu_op bp_cpu_op_inverse = {
    .name = "Inverse",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &inverse,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

const struct bp_cpu_op bp_cpu_op_cdist = {
    .name = "CDist",
    .domain = "com.microsoft",
    .since = 1,
    .claim = claim_cdist,
    .types = UINT64_C(1) << BP_DTYPE_F32 | UINT64_C(1) << BP_DTYPE_F64,
    .prepare = prepare_cdist,
    .run = run_cdist,
};
