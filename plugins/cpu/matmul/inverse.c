/* SPDX-License-Identifier: MIT */
/*
 * inverse.c - Inverse of com.microsoft.
 * X is [..., M, M], Y the inverse of each matrix.
 * Gauss-Jordan elimination with partial pivoting, in float64. A singular matrix is an error.
 */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"
#include "matmul/float_element.h"

#include <math.h>

/* Scratch for one matrix beside the identity, [M, 2 M]. */
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

/* Exchanges rows i and j. */
static void swap_rows(double *a, size_t width, size_t i, size_t j)
{
    for (size_t k = 0; k < width && i != j; k++) {
        double v = a[i * width + k];

        a[i * width + k] = a[j * width + k];
        a[j * width + k] = v;
    }
}

/*
 * Reduces n rows of [A
 * B] to [I
 * A^-1 B]; false: A is singular.
 */
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

/* One matrix after another on one thread: they are small where models use them. */
static bp_rc run_inverse(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    size_t n = (size_t)x->dims[x->rank - 1], size = n * n;
    int64_t count = bp_dims_count(x->dims, x->rank - 2);
    double *a = call->scratch;

    for (int64_t m = 0; m < count && n > 0; m++) {
        for (size_t i = 0; i < size; i++) {
            a[i / n * 2 * n + i % n] = bp_cpu_float_at(x, bp_cpu_data(x), (size_t)m * size + i);
            a[i / n * 2 * n + n + i % n] = i / n == i % n;
        }
        if (!eliminate(a, n))
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "matrix %lld has no inverse",
                               (long long)m);
        for (size_t i = 0; i < size; i++)
            bp_cpu_float_put(y, bp_cpu_data(y), (size_t)m * size + i, a[i / n * 2 * n + n + i % n]);
    }
    return BP_OK;
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
