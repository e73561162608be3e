/* SPDX-License-Identifier: MIT */
/*
 * binarizer.c - Binarizer (ai.onnx.ml 1).
 * y = x > threshold ? 1 : 0, element by element; Y has the shape and the type of X. NaN gives 0.
 */

#include "ml/feature.h"

#define TEMPLATE "ml/binarizer.inc"
#include "ml/types_ml.inc"
#undef TEMPLATE

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    float *threshold = bp_cpu_node_memory(node, sizeof *threshold);

    if (!threshold)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for its threshold");
    *threshold = bp_cpu_float(node, "threshold", 0);
    node->packed = threshold;
    return BP_OK;
}

static const struct bp_cpu_feature_loops loops = {binarize_f32, binarize_f64, binarize_i64,
                                                  binarize_i32, 1};

const struct bp_cpu_op bp_cpu_op_binarizer = {
    .name = "Binarizer",
    .domain = "ai.onnx.ml",
    .since = 1,
    .loops = &loops,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack,
    .prepare = bp_cpu_feature_prepare,
    .run = bp_cpu_feature_run,
};
