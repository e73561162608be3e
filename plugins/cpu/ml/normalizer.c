/* SPDX-License-Identifier: MIT */
/*
 * normalizer.c - Normalizer (ai.onnx.ml 1).
 * y = x / norm(row), float32, for X [N, C] or [C]. norm is MAX (the largest element), L1 (sum of
 * magnitudes) or L2 (Euclidean length). A row whose norm is 0 stays as it is.
 */

#include "ml/feature.h"

#include <math.h>

enum { MAX, L1, L2, N_KINDS };

#define TEMPLATE "ml/normalizer.inc"
#include "ml/types_ml.inc"
#undef TEMPLATE

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    static const char *const names[N_KINDS] = {"MAX", "L1", "L2"};
    uint32_t *kind = bp_cpu_node_memory(node, sizeof *kind);

    if (!kind)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    node->packed = kind;
    return bp_cpu_choice(node, "norm", "MAX", names, N_KINDS, kind, err);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    int64_t rows, cols;
    bp_rc rc = bp_cpu_rows(call, &rows, &cols, err);

    return rc < 0 ? rc : bp_cpu_feature_prepare(call, err);
}

static const struct bp_cpu_feature_loops loops = {normalize_f32, normalize_f64, normalize_i64,
                                                  normalize_i32, 4};

const struct bp_cpu_op bp_cpu_op_normalizer = {
    .name = "Normalizer",
    .domain = "ai.onnx.ml",
    .since = 1,
    .loops = &loops,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack,
    .prepare = prepare,
    .run = bp_cpu_feature_run,
};
