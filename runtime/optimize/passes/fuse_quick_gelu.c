/* SPDX-License-Identifier: MIT */
/*
 * fuse_quick_gelu.c - Mul(x, Sigmoid(Mul(x, alpha))) becomes QuickGelu(alpha) of com.microsoft;
 * without the inner Mul, alpha is 1 (SiLU).
 *
 * Conditions: float32 or float64, alpha is a scalar that float32 represents, one reader in between.
 * Value kept.
 */

#include "config.h"

#include "optimize/patterns/activation.h"

struct parts {
    uint32_t x;
    uint32_t of[3]; /* nodes, in running order */
    uint32_t n_of;
    float alpha;
};

static bool is_plain(const struct bp_rewrite *rw, uint32_t n, const char *op)
{
    return n != BP_NONE && bp_rw_is(rw, n, op) && !bp_rw_node(rw, n)->domain[0] &&
           bp_rw_node(rw, n)->schema->since >= 6;
}

/* Is node `scale` x times a scalar constant, with the Sigmoid as its only reader? */
static bool find_scale(struct bp_rewrite *rw, uint32_t scale, uint32_t sigmoid, struct parts *p)
{
    const struct bp_ir_node *node;
    double alpha;

    if (!is_plain(rw, scale, "Mul") ||
        bp_rw_only_user(rw, bp_rw_node(rw, scale)->out[0]) != sigmoid)
        return false;
    node = bp_rw_node(rw, scale);
    for (uint32_t i = 0; i < 2; i++) {
        if (node->in[i] != p->x || !bp_rw_float(rw, node->in[1 - i], &alpha))
            continue;
        p->alpha = (float)alpha;
        return (double)p->alpha == alpha;
    }
    return false;
}

static bool find(struct bp_rewrite *rw, uint32_t sigmoid, struct parts *p)
{
    const struct bp_ir_node *node, *product;
    uint32_t mul = bp_rw_only_user_is(rw, rw->nodes.out[sigmoid], "Mul");
    uint32_t from = bp_rw_input(rw, sigmoid, 0);

    if (mul == BP_NONE || (bp_rw_input(rw, mul, 0) != from && bp_rw_input(rw, mul, 1) != from &&
                           !bp_rw_is(rw, bp_rw_producer(rw, from), "Mul")))
        return false;
    node = bp_rw_node(rw, sigmoid);
    if (!bp_is_float(rw, node->out[0]) || !is_plain(rw, sigmoid, "Sigmoid") ||
        !is_plain(rw, mul, "Mul"))
        return false;
    product = bp_rw_node(rw, mul);
    *p = (struct parts){.x = product->in[product->in[0] == node->out[0] ? 1 : 0], .alpha = 1};
    if (p->x != node->in[0]) {
        if (!find_scale(rw, bp_rw_producer(rw, node->in[0]), sigmoid, p))
            return false;
        p->of[p->n_of++] = bp_rw_producer(rw, node->in[0]);
    }
    p->of[p->n_of++] = sigmoid;
    p->of[p->n_of++] = mul;
    return bp_rw_same_shape(rw, p->x, product->out[0]);
}

static bp_rc fuse(struct bp_rewrite *rw, const struct parts *p, bp_err *err)
{
    const bp_attr alpha = {.name = "alpha", .data = &p->alpha, .type = BP_ATTR_FLOAT, .count = 1};
    bool done;

    return bp_fuse(rw,
                   &(struct bp_fusion){.op = "QuickGelu",
                                       .domain = "com.microsoft",
                                       .opset = 1,
                                       .n_in = 1,
                                       .n_out = 1,
                                       .n_of = p->n_of,
                                       .in = &p->x,
                                       .last = p->of[p->n_of - 1],
                                       .of = p->of,
                                       .attrs = &alpha,
                                       .n_attrs = 1},
                   &done, err);
}

bp_rc bp_pass_fuse_quick_gelu(struct bp_rewrite *rw, bp_err *err)
{
    struct parts p;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Sigmoid") && find(rw, n, &p))
            rc = fuse(rw, &p, err);
    }
    return rc;
}
