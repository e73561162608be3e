/* SPDX-License-Identifier: MIT */
/*
 * svm_regressor.c - SVMRegressor (ai.onnx.ml 1).
 * y[n] = rho + sum over support vectors of coefficient * kernel, for X [N, C] or [C]; Y is [N, 1],
 * float32. With one_class the result is its sign, 1 or -1. Without support vectors (n_supports 0)
 * it is a linear model.
 */

#include "kernels/tensor_data.h"
#include "ml/svm.h"

struct model {
    struct bp_cpu_svm svm;
    const void *coefficients; /* in the kernels' type; NULL: a linear model */
    bool is_one_class;
};

struct state {
    struct bp_cpu_ml_rows rows;
};

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    struct model *m = bp_cpu_node_memory(node, sizeof *m);
    int64_t n = bp_cpu_int(node, "n_supports", 0);
    bp_rc rc;

    if (!m)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    node->packed = m;
    m->is_one_class = bp_cpu_int(node, "one_class", 0) != 0;
    rc = bp_cpu_svm_read(node, &m->svm, err);
    if (rc >= 0 && n < 0)
        rc = bp_cpu_fail(node, err, BP_E_INVALID, "n_supports is %lld", (long long)n);
    if (rc >= 0 && n > 0)
        rc = bp_cpu_expect_count(node, "coefficients", m->svm.n_coefficients, (uint64_t)n,
                                 "n_supports is", err);
    if (rc >= 0)
        rc = bp_cpu_svm_vectors(node, &m->svm, (uint64_t)n, 1, err);
    if (rc < 0 || n == 0)
        return rc;
    m->coefficients = bp_cpu_svm_coefficients(node, &m->svm);
    return m->coefficients ? BP_OK : bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
}

static void regress(const struct bp_cpu_ml_block *block)
{
    const struct model *m = block->call->node->packed;
    const float *f32 = block->work;
    const double *f64 = block->work;
    float *y = (float *)bp_cpu_data(block->call->out[0]) + block->first;

    bp_cpu_svm_kernels(&m->svm, block);
    for (size_t r = 0; r < block->n; r++) {
        size_t at = r * m->svm.dots.padded;
        double sum = m->coefficients
                         ? bp_cpu_svm_sum(&m->svm, block, r, 0, m->coefficients, m->svm.dots.n)
                     : m->svm.dots.is_double ? f64[at]
                                             : (double)f32[at];

        y[r] = (float)(sum + (double)m->svm.rho[0]);
        if (m->is_one_class)
            y[r] = y[r] > 0 ? 1 : -1;
    }
    if (!m->is_one_class)
        bp_cpu_transform_targets_f32(y, block->n, 1, m->svm.transform);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct model *m = call->node->packed;

    return bp_cpu_ml_rows_prepare(call, sizeof(struct state), m->svm.dots.k, m->svm.dots.is_double,
                                  bp_cpu_svm_row_bytes(&m->svm), bp_cpu_svm_cost(&m->svm), regress,
                                  err);
}

const struct bp_cpu_op bp_cpu_op_svm_regressor = {
    .name = "SVMRegressor",
    .domain = "ai.onnx.ml",
    .since = 1,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack,
    .prepare = prepare,
    .run = bp_cpu_ml_rows_run,
};
