/* SPDX-License-Identifier: MIT */
/*
 * fuse_skip_norm.c - an Add of two values of one shape before LayerNormalization over the last axis:
 * SkipLayerNormalization of com.microsoft.
 */

#include "config.h"

#include "optimize/passes/activation.h"

/* One output, over the last axis, sums in float32. */
static bool is_norm(const struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node;
    int64_t axis;

    if (!bp_rw_is(rw, n, "LayerNormalization"))
        return false;
    node = bp_rw_node(rw, n);
    axis = bp_ir_attr_int(node, "axis", -1);
    return !node->domain[0] && node->n_out == 1 && node->in[0] != BP_NONE &&
           bp_is_float(rw, node->in[0]) && bp_ir_attr_int(node, "stash_type", 1) == 1 &&
           (axis == -1 || axis + 1 == (int64_t)rw->facts[node->in[0]].rank);
}

static bool is_sum(const struct bp_rewrite *rw, uint32_t add, uint32_t norm)
{
    const struct bp_ir_node *node = add == BP_NONE ? NULL : bp_rw_node(rw, add);

    return node && !node->domain[0] && bp_rw_is(rw, add, "Add") && node->schema->since >= 7 &&
           bp_rw_only_user(rw, node->out[0]) == norm &&
           bp_rw_same_shape(rw, node->in[0], node->in[1]) &&
           bp_rw_same_shape(rw, node->in[0], node->out[0]);
}

static bp_rc fuse(struct bp_rewrite *rw, uint32_t norm, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, norm);
    uint32_t add = bp_rw_producer(rw, node->in[0]), of[] = {add, norm}, in[4];
    const bp_attr *epsilon = bp_ir_attr(node, "epsilon");
    bool done;

    if (!is_sum(rw, add, norm) || !epsilon)
        return BP_OK;
    in[0] = bp_rw_node(rw, add)->in[0];
    in[1] = bp_rw_node(rw, add)->in[1];
    in[2] = node->in[1];
    in[3] = bp_rw_in(node, 2);
    return bp_fuse(rw,
                   &(struct bp_fusion){.op = "SkipLayerNormalization",
                                       .domain = "com.microsoft",
                                       .opset = 1,
                                       .n_in = 4,
                                       .n_out = 1,
                                       .n_of = 2,
                                       .in = in,
                                       .last = norm,
                                       .of = of,
                                       .attrs = epsilon,
                                       .n_attrs = 1},
                   &done, err);
}

bp_rc bp_pass_fuse_skip_norm(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (is_norm(rw, n))
            rc = fuse(rw, n, err);
    }
    return rc;
}
