/* SPDX-License-Identifier: MIT */
/*
 * imputer.c - Imputer (ai.onnx.ml 1).
 * y = x == replaced_value ? imputed_value : x; Y has the shape and the type of X.
 * imputed_value_floats or imputed_value_int64s (by X's type) has one element for all features, or
 * one for each. A replaced_value_float of NaN replaces every NaN.
 */

#include "ml/feature.h"

struct model {
    const float *floats; /* imputed values of a floating-point X, else NULL */
    const int64_t *ints; /* imputed values of an integer X, else NULL */
    uint32_t n;
    int64_t replaced_int;
    float replaced_float;
    bool replaces_nan;
};

#define TEMPLATE "ml/imputer.inc"
#include "ml/types_ml.inc"
#undef TEMPLATE

/* Reads the list that X's type needs, and checks that its values fit the type. */
static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_value *x = bp_node_in(node->graph, node->node, 0);
    bool is_float = x && (x->dtype == BP_DTYPE_F32 || x->dtype == BP_DTYPE_F64);
    const char *name = is_float ? "imputed_value_floats" : "imputed_value_int64s";
    struct model *m = bp_cpu_node_memory(node, sizeof *m);

    if (!m)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    node->packed = m;
    if (is_float)
        m->floats = bp_cpu_floats(node, name, &m->n);
    else
        m->ints = bp_cpu_ints(node, name, &m->n);
    if (m->n == 0)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s is not given", name);
    for (uint32_t i = 0; i < m->n && x && x->dtype == BP_DTYPE_I32; i++) {
        if (m->ints[i] < INT32_MIN || m->ints[i] > INT32_MAX)
            return bp_cpu_fail(node, err, BP_E_INVALID, "%s has %lld, which is not an int32", name,
                               (long long)m->ints[i]);
    }
    m->replaced_int = bp_cpu_int(node, "replaced_value_int64", 0);
    m->replaced_float = bp_cpu_float(node, "replaced_value_float", 0);
    m->replaces_nan = m->replaced_float != m->replaced_float;
    return BP_OK;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct model *m = call->node->packed;
    bp_rc rc = bp_cpu_feature_expect(
        call, m->floats ? "imputed_value_floats" : "imputed_value_int64s", m->n, err);

    return rc < 0 ? rc : bp_cpu_feature_prepare(call, err);
}

static const struct bp_cpu_feature_loops loops = {impute_f32, impute_f64, impute_i64, impute_i32,
                                                  1};

const struct bp_cpu_op bp_cpu_op_imputer = {
    .name = "Imputer",
    .domain = "ai.onnx.ml",
    .since = 1,
    .loops = &loops,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack,
    .prepare = prepare,
    .run = bp_cpu_feature_run,
};
