/* SPDX-License-Identifier: MIT */
/*
 * fuse_layer_norm.c - (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) * scale + shift over
 * the last axis becomes LayerNormalization (opset 17).
 *
 * Conditions: float32 or float64; scale and shift are constant rows; every value in between is read
 * by the pattern only. Value kept; sums run in another order.
 */

#include "config.h"

#include "optimize/patterns/norm.h"

/* Sub(x, ReduceMean(x)): node `sub`. */
static bool find_centre(struct bp_rewrite *rw, uint32_t sub, struct bp_norm *p)
{
    const struct bp_ir_node *node;
    uint32_t mean, x;

    if (!bp_norm_is(rw, sub, "Sub"))
        return false;
    node = bp_rw_node(rw, sub);
    p->x = node->in[0];
    mean = bp_rw_producer(rw, node->in[1]);
    if (!bp_norm_is_mean(rw, mean, &x) || x != p->x || !bp_is_float(rw, x))
        return false;
    p->of[p->n_of++] = mean;
    p->of[p->n_of++] = sub;
    return bp_rw_only_user(rw, node->in[1]) == sub;
}

/*
 * No value between the first and the last node has a reader outside. d, which the pattern reads
 * several times, was counted before.
 */
static bool is_closed(const struct bp_rewrite *rw, const struct bp_norm *p, uint32_t sub)
{
    uint32_t d = rw->ir->nodes[sub].out[0];

    for (uint32_t i = 0; i + 1 < p->n_of; i++) {
        uint32_t v = rw->ir->nodes[p->of[i]].out[0];

        if (v == d ? rw->values.flags[v] & (BP_IR_OUTPUT | BP_RW_CAPTURED)
                   : bp_rw_only_user(rw, v) == BP_NONE)
            return false;
    }
    return true;
}

static bool find(struct bp_rewrite *rw, uint32_t div, struct bp_norm *p)
{
    const struct bp_ir_node *node = bp_rw_node(rw, div);
    uint32_t sub = bp_rw_producer(rw, node->in[0]), d = node->in[0], n, reads;

    *p = (struct bp_norm){.n_of = 0};
    if (node->domain[0] || node->schema->since < 7 || !find_centre(rw, sub, p))
        return false;
    reads = rw->values.count[d];
    if (!bp_norm_spread(rw, bp_rw_producer(rw, node->in[1]), d, p))
        return false;
    /* the division reads d once, its square once or (as a product) twice */
    if (reads != (bp_rw_is(rw, p->of[2], "Mul") ? 3u : 2u))
        return false;
    p->of[p->n_of++] = div;
    n = bp_norm_follow(rw, div, "Mul", p->x, &p->scale);
    if (n == BP_NONE)
        return false;
    p->of[p->n_of++] = n;
    n = bp_norm_follow(rw, n, "Add", p->x, &p->shift);
    if (n == BP_NONE)
        return false;
    p->of[p->n_of++] = n;
    return is_closed(rw, p, sub);
}

bp_rc bp_pass_fuse_layer_norm(struct bp_rewrite *rw, bp_err *err)
{
    struct bp_norm p;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Div") && bp_rw_reads(rw, n, "Sqrt") && find(rw, n, &p))
            rc = bp_norm_fuse(rw, &p, "LayerNormalization", true, 17, err);
    }
    return rc;
}
