/* SPDX-License-Identifier: MIT */
/*
 * scaler.c - Scaler (ai.onnx.ml 1).
 * y = (x - offset) * scale, float32; Y has the shape of X. offset and scale have one element for
 * all features, or one for each.
 */

#include "ml/feature.h"

struct model {
    const float *offset, *scale; /* never NULL */
    uint32_t n_offset, n_scale;  /* 0: absent, 1: for all features */
};

#define TEMPLATE "ml/scaler.inc"
#include "ml/types_ml.inc"
#undef TEMPLATE

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    static const float zero = 0, one = 1;
    struct model *m = bp_cpu_node_memory(node, sizeof *m);

    if (!m)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    node->packed = m;
    m->offset = bp_cpu_floats(node, "offset", &m->n_offset);
    m->scale = bp_cpu_floats(node, "scale", &m->n_scale);
    m->offset = m->offset ? m->offset : &zero;
    m->scale = m->scale ? m->scale : &one;
    return BP_OK;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct model *m = call->node->packed;
    bp_rc rc = BP_OK;

    if (m->n_offset > 0)
        rc = bp_cpu_feature_expect(call, "offset", m->n_offset, err);
    if (rc >= 0 && m->n_scale > 0)
        rc = bp_cpu_feature_expect(call, "scale", m->n_scale, err);
    return rc < 0 ? rc : bp_cpu_feature_prepare(call, err);
}

static const struct bp_cpu_feature_loops loops = {scale_f32, scale_f64, scale_i64, scale_i32, 1};

const struct bp_cpu_op bp_cpu_op_scaler = {
    .name = "Scaler",
    .domain = "ai.onnx.ml",
    .since = 1,
    .loops = &loops,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack,
    .prepare = prepare,
    .run = bp_cpu_feature_run,
};
