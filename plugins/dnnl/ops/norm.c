/* SPDX-License-Identifier: MIT */
/* norm.c - BatchNormalization (7 to 15) and LRN (1, 13). */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/primitive.h"

/* ---- BatchNormalization: X, scale, B, mean, var ---------------------------------------------- */

/* training_mode (14) has more outputs; spatial 0 (before 9) has scales for each element. */
static bool claim_batch(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                        double *flops)
{
    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, 0, 2, 5))
        return false;
    for (uint32_t i = 1; i < 5; i++) {
        if (!bp_dnnl_takes_input(query, i, 1, 1))
            return false;
    }
    if (bp_node_int(query->graph, query->node, "training_mode", 0) != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "training_mode",
                              "only inference is implemented");
    if (bp_node_int(query->graph, query->node, "spatial", 1) == 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "spatial", "only 1 is supported");
    return true;
}

/* Parameters may be computed: oneDNN reads them in each run. */
static bp_rc build_batch(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                         const bp_node *node, bp_err *err)
{
    unsigned flags =
        (unsigned)dnnl_use_global_stats | (unsigned)dnnl_use_scale | (unsigned)dnnl_use_shift;
    struct bp_dnnl_tensor x, y, of[4];
    struct bp_dnnl_arg args[6] = {{DNNL_ARG_SRC, &x},       {DNNL_ARG_DST, &y},
                                  {DNNL_ARG_SCALE, &of[0]}, {DNNL_ARG_SHIFT, &of[1]},
                                  {DNNL_ARG_MEAN, &of[2]},  {DNNL_ARG_VARIANCE, &of[3]}};
    dnnl_batch_normalization_desc_t desc;
    dnnl_memory_desc_t md;
    dnnl_status_t status;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);

    (void)op;
    for (uint32_t i = 0; i < 4 && rc >= 0; i++) {
        bp_dnnl_row_major(1, bp_dnnl_in(b, node, i + 1)->dims, &md);
        rc = bp_dnnl_tensor_of(b, node->in[i + 1], &md, &of[i], err);
    }
    if (rc < 0)
        return rc;
    status = bp_dnnl.batch_normalization_forward_desc_init(
        &desc, dnnl_forward_inference, &x.md, bp_node_float(b->graph, node, "epsilon", 1e-5f),
        flags);
    return bp_dnnl_emit_desc(b, status, &desc, node->in[0], &y, 6, args, err);
}

/* ---- LRN, across channels -------------------------------------------------------------------- */

/* oneDNN's window is symmetric. */
static bool claim_lrn(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    int64_t size = bp_node_int(query->graph, query->node, "size", 0);

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, 0, 4, 4))
        return false;
    if (size < 1 || size % 2 == 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "size", "only odd sizes are supported");
    return true;
}

/* Across channels, as ONNX has it: alpha is divided by size in both. */
static bp_rc build_lrn(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                       bp_err *err)
{
    struct bp_dnnl_tensor x, y;
    struct bp_dnnl_arg args[2] = {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}};
    dnnl_lrn_desc_t desc;
    dnnl_status_t status;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);

    (void)op;
    if (rc < 0)
        return rc;
    status = bp_dnnl.lrn_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_lrn_across_channels, &x.md,
        bp_node_int(b->graph, node, "size", 1), bp_node_float(b->graph, node, "alpha", 1e-4f),
        bp_node_float(b->graph, node, "beta", 0.75f), bp_node_float(b->graph, node, "bias", 1));
    return bp_dnnl_emit_desc(b, status, &desc, BP_NONE, &y, 2, args, err);
}

#define ROW(row, onnx, first, last, claims, builds)                                                \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "",                                                                              \
        .since = first,                                                                            \
        .until = last,                                                                             \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
    }

ROW(batch_normalization, "BatchNormalization", 7, 15, claim_batch, build_batch);
ROW(lrn, "LRN", 1, 13, claim_lrn, build_lrn);
