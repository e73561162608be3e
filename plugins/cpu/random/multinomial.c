/* SPDX-License-Identifier: MIT */
/*
 * multinomial.c - Multinomial (ai.onnx, opsets 7, 22).
 *
 * X of shape (batch, classes) has unnormalised log-probabilities; Y of shape (batch, sample_size),
 * int32 or int64, has class c with probability exp(x[c]) / sum exp(x). A number in [0, 1) is drawn
 * for each sample, row by row, and found by bisection among the cumulative probabilities. Types:
 * floats; version 22 adds bfloat16.
 */

#include "kernels/cast/cast.h"
#include "kernels/tensor_data.h"
#include "random/mersenne_twister.h"

#include <float.h>
#include <math.h>

static const struct bp_cpu_params none;

/* The scratch holds the cumulative probabilities of one row, in double. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];

    if (x->rank != 2 || y->rank != 2 || y->dims[0] != x->dims[0])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the input is not (batch, classes)");
    if (y->dtype != BP_DTYPE_I32 && y->dtype != BP_DTYPE_I64)
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "the output is of no index type");
    if (bp_cpu_count(y) > 0 && (x->dims[1] < 1 || x->dims[1] > INT32_MAX))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%lld classes cannot be drawn from",
                           (long long)x->dims[1]);
    call->scratch_bytes = (size_t)x->dims[1] * sizeof(double);
    return BP_OK;
}

/*
 * Replaces log-probabilities by cumulative probabilities, the last of which is 1. The maximum is
 * subtracted first, so that exp() does not overflow. False: all are -inf, or one is NaN or
 * infinite.
 */
static bool add_up(double *sums, int64_t n)
{
    double max = -(double)INFINITY, total = 0;

    for (int64_t i = 0; i < n; i++)
        max = sums[i] > max || sums[i] != sums[i] ? sums[i] : max;
    for (int64_t i = 0; i < n; i++)
        sums[i] = total += exp(sums[i] - max);
    for (int64_t i = 0; i < n; i++)
        sums[i] /= total;
    return total > 0 && total <= DBL_MAX;
}

/* The class of v: the number of sums that are at most v. */
static int64_t find(const double *sums, int64_t n, double v)
{
    int64_t low = 0, high = n - 1; /* the last sum is 1 */

    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (sums[middle] <= v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    bp_tensor *y = call->out[0];
    int64_t classes = x->dims[1], samples = y->dims[1];
    bp_cpu_unary_loop load = bp_cpu_cast_loop(x->dtype, BP_DTYPE_F64);
    double *sums = call->scratch;
    struct bp_cpu_random random;

    if (bp_cpu_count(y) == 0)
        return BP_OK;
    bp_cpu_random_begin(call->node, &random);
    for (int64_t row = 0; row < x->dims[0]; row++) {
        size_t at = (size_t)(row * classes) * bp_cpu_width(x->dtype);

        load(sums, (const char *)bp_cpu_data(x) + at, (size_t)classes, &none);
        if (!add_up(sums, classes))
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "row %lld has no class that can be drawn", (long long)row);
        for (int64_t i = row * samples; i < (row + 1) * samples; i++) {
            int64_t class = find(sums, classes, bp_cpu_random_real(&random));

            if (y->dtype == BP_DTYPE_I64)
                ((int64_t *)bp_cpu_data(y))[i] = class;
            else
                ((int32_t *)bp_cpu_data(y))[i] = (int32_t) class;
        }
    }
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_multinomial = {
    .name = "Multinomial",
    .since = 7,
    .types = BP_CPU_FLOATS,
    .pack = bp_cpu_random_pack,
    .prepare = prepare,
    .run = run,
};
