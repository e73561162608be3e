/* SPDX-License-Identifier: MIT */
/*
 * fuse_simple_norm.c - x / sqrt(mean(x^2) + epsilon) * scale over the last axis (RMSNorm), also
 * written with Reciprocal, becomes SimplifiedLayerNormalization, in ONNX's domain as ONNX Runtime
 * has it.
 *
 * Conditions: float32 or float64, scale is a constant row, one reader in between. Value kept.
 */

#include "config.h"

#include "optimize/patterns/norm.h"

/* The node whose reciprocal node n computes: Reciprocal(root), or Div(1, root); or BP_NONE. */
static uint32_t root_under(struct bp_rewrite *rw, uint32_t n)
{
    double one;

    if (bp_norm_is(rw, n, "Reciprocal"))
        return bp_rw_producer(rw, bp_rw_node(rw, n)->in[0]);
    if (bp_norm_is(rw, n, "Div") && bp_rw_float(rw, bp_rw_node(rw, n)->in[0], &one) && one == 1)
        return bp_rw_producer(rw, bp_rw_node(rw, n)->in[1]);
    return BP_NONE;
}

/* x divided by its root mean square: one Div, or a Mul by the reciprocal. */
static bool find_quotient(struct bp_rewrite *rw, uint32_t n, struct bp_norm *p)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);

    if (bp_norm_is(rw, n, "Div")) {
        *p = (struct bp_norm){.x = node->in[0]};
        return bp_norm_spread(rw, bp_rw_producer(rw, node->in[1]), p->x, p);
    }
    if (!bp_norm_is(rw, n, "Mul"))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t inverse = bp_rw_producer(rw, node->in[i]), root = root_under(rw, inverse);

        *p = (struct bp_norm){.x = node->in[1 - i]};
        if (root == BP_NONE || !bp_norm_spread(rw, root, p->x, p))
            continue;
        p->of[p->n_of++] = inverse;
        return true;
    }
    return false;
}

/* No value in between has a reader outside; x may have others. */
static bool is_closed(const struct bp_rewrite *rw, const struct bp_norm *p)
{
    for (uint32_t i = 0; i + 1 < p->n_of; i++) {
        if (bp_rw_only_user(rw, rw->ir->nodes[p->of[i]].out[0]) == BP_NONE)
            return false;
    }
    return true;
}

static bool find(struct bp_rewrite *rw, uint32_t n, struct bp_norm *p)
{
    if (!find_quotient(rw, n, p) || !bp_is_float(rw, p->x) ||
        !bp_rw_same_shape(rw, p->x, rw->ir->nodes[n].out[0]))
        return false;
    p->of[p->n_of++] = n;
    n = bp_norm_follow(rw, n, "Mul", p->x, &p->scale);
    if (n == BP_NONE)
        return false;
    p->of[p->n_of++] = n;
    return is_closed(rw, p);
}

/* A fast check on the lists that rejects most products and quotients. */
static bool may_be(const struct bp_rewrite *rw, uint32_t n)
{
    return (bp_rw_is(rw, n, "Div") && bp_rw_reads(rw, n, "Sqrt")) ||
           (bp_rw_is(rw, n, "Mul") &&
            (bp_rw_reads(rw, n, "Reciprocal") || bp_rw_reads(rw, n, "Div")));
}

bp_rc bp_pass_fuse_simple_norm(struct bp_rewrite *rw, bp_err *err)
{
    struct bp_norm p;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (may_be(rw, n) && find(rw, n, &p))
            rc = bp_norm_fuse(rw, &p, "SimplifiedLayerNormalization", false, 1, err);
    }
    return rc;
}
