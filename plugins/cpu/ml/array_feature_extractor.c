/* SPDX-License-Identifier: MIT */
/*
 * array_feature_extractor.c - ArrayFeatureExtractor (ai.onnx.ml 1).
 * X [..., C] and Y, int64 indices [K] in any shape, give Z [..., K]: Z[..., k] = X[..., Y[k]]. A
 * gather along the last dimension. Types of X: float32, float64, int32, int64, string. Negative
 * indices are errors; ONNX gives them no meaning here.
 */

#include "kernels/tensor_data.h"
#include "ml/ml.h"

/*
 * Copies the n elements that `at` indexes. Widths 4 and 8 have branches of their own, so that
 * memcpy becomes one load and one store.
 */
static void gather_row(const char *x, char *z, const int64_t *at, int64_t n, size_t width)
{
    for (int64_t i = 0; i < n; i++, z += width) {
        if (width == 4)
            memcpy(z, x + at[i] * 4, 4);
        else if (width == 8)
            memcpy(z, x + at[i] * 8, 8);
        else
            memcpy(z, x + (size_t)at[i] * width, width);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    const int64_t *at = bp_cpu_data(call->in[1]);
    int64_t n = bp_cpu_count(call->in[1]), cols = x->dims[x->rank - 1];
    int64_t rows = bp_dims_count(x->dims, x->rank - 1);
    size_t width = bp_cpu_width(x->dtype);
    const char *from = bp_cpu_data(x);
    char *to = bp_cpu_data(call->out[0]);

    for (int64_t i = 0; i < n; i++) {
        if (at[i] < 0 || at[i] >= cols)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "index %lld, at position %lld, is outside of the %lld features",
                               (long long)at[i], (long long)i, (long long)cols);
    }
    for (int64_t r = 0; r < rows && n > 0; r++)
        gather_row(from + (size_t)(r * cols) * width, to + (size_t)(r * n) * width, at, n, width);
    return BP_OK;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    if (call->in[0]->rank == 0)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X has rank 0, and no features");
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_array_feature_extractor = {
    .name = "ArrayFeatureExtractor",
    .domain = "ai.onnx.ml",
    .since = 1,
    .types = BP_CPU_ML_NUMERIC | UINT64_C(1) << BP_DTYPE_STRING,
    .claim = bp_cpu_claim_types,
    .prepare = prepare,
    .run = run,
};
