/* SPDX-License-Identifier: MIT */
/*
 * fuse_gelu.c - x * (1 + erf(x / sqrt 2)) / 2, in the three orders that exporters write it, becomes
 * Gelu of com.microsoft.
 */

#include "config.h"

#include <math.h>

#include "optimize/passes/activation.h"

/* The parts that were found. */
struct parts {
    uint32_t x;
    uint32_t of[5]; /* nodes, in running order */
    uint32_t n_of;
};

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-4 * fabs(b);
}

/* The other operand of a node of two when one is the constant `number`; BP_NONE: none is. */
static uint32_t beside(struct bp_rewrite *rw, uint32_t n, const char *op, double number)
{
    const struct bp_ir_node *node;
    double found;

    if (n == BP_NONE || !bp_rw_is(rw, n, op))
        return BP_NONE;
    node = bp_rw_node(rw, n);
    if (node->domain[0] || node->schema->since < 7)
        return BP_NONE;
    if (bp_rw_float(rw, node->in[1], &found) && is_near(found, number))
        return node->in[0];
    if (strcmp(op, "Div") != 0 && bp_rw_float(rw, node->in[0], &found) && is_near(found, number))
        return node->in[1];
    return BP_NONE;
}

/* The only reader of what node n gives, when it is that operator. */
static uint32_t next(const struct bp_rewrite *rw, uint32_t n, const char *op)
{
    return bp_rw_only_user_is(rw, rw->ir->nodes[n].out[0], op);
}

/* The operand of a Mul that is not `value`. */
static uint32_t other(const struct bp_ir_node *mul, uint32_t value)
{
    return mul->in[0] == value ? mul->in[1] : mul->in[0];
}

/* From 1 + erf(x / sqrt 2) on: times x and 0.5, in any order. */
static bool find_end(struct bp_rewrite *rw, uint32_t add, struct parts *p)
{
    uint32_t first = next(rw, add, "Mul"), second, half;

    if (first == BP_NONE)
        return false;
    half = other(bp_rw_node(rw, first), rw->ir->nodes[add].out[0]);
    p->of[p->n_of++] = first;
    second = next(rw, first, "Mul");
    if (half == p->x || beside(rw, first, "Mul", 0.5) == rw->ir->nodes[add].out[0]) {
        if (second == BP_NONE)
            return false;
        p->of[p->n_of++] = second;
        half = other(bp_rw_node(rw, second), rw->ir->nodes[first].out[0]);
        return beside(rw, first, "Mul", 0.5) != BP_NONE
                   ? half == p->x
                   : beside(rw, second, "Mul", 0.5) == rw->ir->nodes[first].out[0];
    }
    /* (x / 2) * (1 + erf) */
    second = bp_rw_producer(rw, half);
    if (second == BP_NONE || bp_rw_only_user(rw, half) != first ||
        beside(rw, second, "Mul", 0.5) != p->x)
        return false;
    p->of[p->n_of - 1] = second;
    p->of[p->n_of++] = first;
    return true;
}

static bool find(struct bp_rewrite *rw, uint32_t erf, struct parts *p)
{
    const struct bp_ir_node *node = bp_rw_node(rw, erf);
    uint32_t scale = bp_rw_producer(rw, node->in[0]), add;

    if (node->domain[0] || !bp_is_float(rw, node->out[0]) || scale == BP_NONE ||
        bp_rw_only_user(rw, node->in[0]) != erf)
        return false;
    *p = (struct parts){.x = beside(rw, scale, "Div", sqrt(2))};
    if (p->x == BP_NONE)
        p->x = beside(rw, scale, "Mul", sqrt(0.5));
    add = next(rw, erf, "Add");
    if (p->x == BP_NONE || add == BP_NONE || beside(rw, add, "Add", 1) != node->out[0])
        return false;
    p->of[p->n_of++] = scale;
    p->of[p->n_of++] = erf;
    p->of[p->n_of++] = add;
    return find_end(rw, add, p) &&
           bp_rw_same_shape(rw, p->x, rw->ir->nodes[p->of[p->n_of - 1]].out[0]);
}

bp_rc bp_pass_fuse_gelu(struct bp_rewrite *rw, bp_err *err)
{
    struct parts p;
    bp_rc rc = BP_OK;
    bool done;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (!bp_rw_is(rw, n, "Erf") || !find(rw, n, &p))
            continue;
        rc = bp_fuse(rw,
                     &(struct bp_fusion){.op = "Gelu",
                                         .domain = "com.microsoft",
                                         .opset = 1,
                                         .n_in = 1,
                                         .n_out = 1,
                                         .n_of = p.n_of,
                                         .in = &p.x,
                                         .last = p.of[p.n_of - 1],
                                         .of = p.of},
                     &done, err);
    }
    return rc;
}
