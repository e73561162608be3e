/* SPDX-License-Identifier: MIT */
/*
 * fuse_skip_norm.c - Add(a, b) -> LayerNormalization over the last axis becomes
 * SkipLayerNormalization of com.microsoft; its fourth output is the sum, if others read it.
 *
 * Conditions: a and b have the same shape, sums in float32 (stash_type 1). Value kept.
 */

#include "config.h"

#include "optimize/patterns/activation.h"

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

static bool is_sum(const struct bp_rewrite *rw, uint32_t add)
{
    const struct bp_ir_node *node = add == BP_NONE ? NULL : bp_rw_node(rw, add);

    return node && !node->domain[0] && bp_rw_is(rw, add, "Add") && node->schema->since >= 7 &&
           bp_rw_same_shape(rw, node->in[0], node->in[1]) &&
           bp_rw_same_shape(rw, node->in[0], node->out[0]);
}

/* Is it available before any reader of the sum: an input or a constant? */
static bool is_given(const struct bp_rewrite *rw, uint32_t value)
{
    return value == BP_NONE || bp_rw_producer(rw, value) == BP_NONE;
}

/*
 * The node takes the place of the norm when nothing else reads the sum, else that of the Add,
 * because all readers of both come after that.
 */
static bp_rc fuse(struct bp_rewrite *rw, uint32_t norm, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, norm);
    uint32_t sum = node->in[0], add = bp_rw_producer(rw, sum), of[] = {add, norm}, in[4];
    uint32_t out[] = {node->out[0], BP_NONE, BP_NONE, sum};
    bool is_alone = bp_rw_only_user(rw, sum) == norm, done;
    const bp_attr *epsilon = bp_ir_attr(node, "epsilon");

    if (!is_sum(rw, add) || !epsilon ||
        (!is_alone && (!is_given(rw, node->in[1]) || !is_given(rw, bp_rw_in(node, 2)))))
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
                                       .n_out = is_alone ? 1 : 4,
                                       .n_of = 2,
                                       .in = in,
                                       .out = is_alone ? NULL : out,
                                       .last = is_alone ? norm : add,
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
