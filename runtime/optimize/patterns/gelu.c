/* SPDX-License-Identifier: MIT */
/* gelu.c - x * (1 + f) / 2, in the three orders in which exporters write it; see gelu.h. */

#include "config.h"

#include "optimize/patterns/gelu.h"

#include <math.h>

/* Exporters round the constants to float32 or to a few digits, so 1e-4 relative is accepted. */
static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-4 * fabs(b);
}

uint32_t bp_gelu_operand(struct bp_rewrite *rw, uint32_t n, const char *op, double scalar)
{
    const struct bp_ir_node *node;
    double found;

    if (n == BP_NONE || !bp_rw_is(rw, n, op))
        return BP_NONE;
    node = bp_rw_node(rw, n);
    if (node->domain[0] || node->schema->since < 7)
        return BP_NONE;
    if (bp_rw_float(rw, node->in[1], &found) && is_near(found, scalar))
        return node->in[0];
    if (strcmp(op, "Add") != 0 && strcmp(op, "Mul") != 0)
        return BP_NONE;
    return bp_rw_float(rw, node->in[0], &found) && is_near(found, scalar) ? node->in[1] : BP_NONE;
}

/* Only for one reader: the value between them disappears. */
uint32_t bp_gelu_producer(const struct bp_rewrite *rw, uint32_t value, uint32_t user)
{
    return bp_rw_only_user(rw, value) == user ? bp_rw_producer(rw, value) : BP_NONE;
}

/* The only reader of what node n produces, when it is that operator. */
static uint32_t next(const struct bp_rewrite *rw, uint32_t n, const char *op)
{
    return bp_rw_only_user_is(rw, rw->ir->nodes[n].out[0], op);
}

/* The operand of a Mul that is not `value`. */
static uint32_t other(const struct bp_ir_node *mul, uint32_t value)
{
    return mul->in[0] == value ? mul->in[1] : mul->in[0];
}

/* From 1 + f: either (x * (1 + f)) * 0.5, ((1 + f) * 0.5) * x, or (x * 0.5) * (1 + f). */
static bool find_end(struct bp_rewrite *rw, uint32_t add, struct bp_gelu *p)
{
    uint32_t first = next(rw, add, "Mul"), second, half;

    if (first == BP_NONE)
        return false;
    half = other(bp_rw_node(rw, first), rw->ir->nodes[add].out[0]);
    p->of[p->n_of++] = first;
    second = next(rw, first, "Mul");
    if (half == p->x || bp_gelu_operand(rw, first, "Mul", 0.5) == rw->ir->nodes[add].out[0]) {
        if (second == BP_NONE)
            return false;
        p->of[p->n_of++] = second;
        half = other(bp_rw_node(rw, second), rw->ir->nodes[first].out[0]);
        return bp_gelu_operand(rw, first, "Mul", 0.5) != BP_NONE
                   ? half == p->x
                   : bp_gelu_operand(rw, second, "Mul", 0.5) == rw->ir->nodes[first].out[0];
    }
    /* (x / 2) * (1 + f) */
    second = bp_gelu_producer(rw, half, first);
    if (second == BP_NONE || bp_gelu_operand(rw, second, "Mul", 0.5) != p->x)
        return false;
    p->of[p->n_of - 1] = second;
    p->of[p->n_of++] = first;
    return true;
}

bool bp_gelu_end(struct bp_rewrite *rw, uint32_t function, struct bp_gelu *gelu)
{
    uint32_t value = rw->ir->nodes[function].out[0], add = next(rw, function, "Add");

    if (add == BP_NONE || bp_gelu_operand(rw, add, "Add", 1) != value)
        return false;
    gelu->of[gelu->n_of++] = add;
    return find_end(rw, add, gelu) &&
           bp_rw_same_shape(rw, gelu->x, rw->ir->nodes[gelu->of[gelu->n_of - 1]].out[0]);
}

bp_rc bp_gelu_fuse(struct bp_rewrite *rw, const struct bp_gelu *gelu, const char *op, bp_err *err)
{
    bool done;

    return bp_fuse(rw,
                   &(struct bp_fusion){.op = op,
                                       .domain = "com.microsoft",
                                       .opset = 1,
                                       .n_in = 1,
                                       .n_out = 1,
                                       .n_of = gelu->n_of,
                                       .in = &gelu->x,
                                       .last = gelu->of[gelu->n_of - 1],
                                       .of = gelu->of},
                   &done, err);
}
