/* SPDX-License-Identifier: MIT */
/*
 * fuse_fast_gelu.c - x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2, GPT-2's approximation
 * of Gelu, becomes FastGelu of com.microsoft.
 *
 * Conditions: float32 or float64, every value in between has one reader, constants within 1e-4.
 * Value kept.
 */

#include "config.h"

#include "optimize/patterns/gelu.h"

static const double ROOT = 0.7978845608028654; /* sqrt(2 / pi) */
static const double CUBIC = 0.044715;

/* Is node n the cube of a value, Pow(x, 3) or x * x * x? Returns x, or BP_NONE. */
static uint32_t cube_of(struct bp_rewrite *rw, uint32_t n, struct bp_gelu *gelu)
{
    const struct bp_ir_node *node = n == BP_NONE ? NULL : bp_rw_node(rw, n), *square;
    uint32_t x = bp_gelu_operand(rw, n, "Pow", 3), inner;

    if (x == BP_NONE && node && bp_rw_is(rw, n, "Mul") && !node->domain[0]) {
        for (uint32_t i = 0; i < 2 && x == BP_NONE; i++) {
            inner = bp_gelu_producer(rw, node->in[i], n);
            square = inner == BP_NONE ? NULL : bp_rw_node(rw, inner);
            if (square && bp_rw_is(rw, inner, "Mul") && square->in[0] == node->in[1 - i] &&
                square->in[1] == node->in[1 - i]) {
                x = node->in[1 - i];
                gelu->of[gelu->n_of++] = inner;
            }
        }
    }
    gelu->of[gelu->n_of++] = n;
    return x;
}

/* x + 0.044715 * x^3, the operands of Add in either order. */
static bool find_sum(struct bp_rewrite *rw, uint32_t add, struct bp_gelu *gelu)
{
    const struct bp_ir_node *node = add == BP_NONE ? NULL : bp_rw_node(rw, add);

    if (!node || node->domain[0] || !bp_rw_is(rw, add, "Add"))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t scale = bp_gelu_producer(rw, node->in[i], add);
        uint32_t cube = bp_gelu_operand(rw, scale, "Mul", CUBIC);

        gelu->n_of = 0;
        gelu->x = node->in[1 - i];
        if (cube == BP_NONE || cube_of(rw, bp_gelu_producer(rw, cube, scale), gelu) != gelu->x)
            continue;
        gelu->of[gelu->n_of++] = scale;
        gelu->of[gelu->n_of++] = add;
        return true;
    }
    return false;
}

static bool find(struct bp_rewrite *rw, uint32_t tanh, struct bp_gelu *gelu)
{
    const struct bp_ir_node *node = bp_rw_node(rw, tanh);
    uint32_t scale = bp_gelu_producer(rw, node->in[0], tanh);
    uint32_t sum = bp_gelu_operand(rw, scale, "Mul", ROOT);

    if (node->domain[0] || !bp_is_float(rw, node->out[0]) || sum == BP_NONE ||
        !find_sum(rw, bp_gelu_producer(rw, sum, scale), gelu))
        return false;
    gelu->of[gelu->n_of++] = scale;
    gelu->of[gelu->n_of++] = tanh;
    return bp_gelu_end(rw, tanh, gelu);
}

bp_rc bp_pass_fuse_fast_gelu(struct bp_rewrite *rw, bp_err *err)
{
    struct bp_gelu gelu;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (!bp_rw_is(rw, n, "Tanh") || bp_rw_only_user_is(rw, rw->nodes.out[n], "Add") == BP_NONE)
            continue;
        gelu = (struct bp_gelu){.n_of = 0};
        if (find(rw, n, &gelu))
            rc = bp_gelu_fuse(rw, &gelu, "FastGelu", err);
    }
    return rc;
}
