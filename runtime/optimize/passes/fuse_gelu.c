/* SPDX-License-Identifier: MIT */
/*
 * fuse_gelu.c - x * (1 + erf(x / sqrt 2)) / 2, in the three orders in which exporters write it,
 * becomes Gelu of com.microsoft.
 *
 * Conditions: float32 or float64, every value in between has one reader, constants within 1e-4.
 * Value kept.
 */

#include "config.h"

#include <math.h>

#include "optimize/patterns/gelu.h"

static bool find(struct bp_rewrite *rw, uint32_t erf, struct bp_gelu *gelu)
{
    const struct bp_ir_node *node = bp_rw_node(rw, erf);
    uint32_t scale = bp_gelu_producer(rw, node->in[0], erf);

    if (node->domain[0] || !bp_is_float(rw, node->out[0]) || scale == BP_NONE)
        return false;
    *gelu = (struct bp_gelu){.x = bp_gelu_operand(rw, scale, "Div", sqrt(2))};
    if (gelu->x == BP_NONE)
        gelu->x = bp_gelu_operand(rw, scale, "Mul", sqrt(0.5));
    if (gelu->x == BP_NONE)
        return false;
    gelu->of[gelu->n_of++] = scale;
    gelu->of[gelu->n_of++] = erf;
    return bp_gelu_end(rw, erf, gelu);
}

bp_rc bp_pass_fuse_gelu(struct bp_rewrite *rw, bp_err *err)
{
    struct bp_gelu gelu;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Erf") && find(rw, n, &gelu))
            rc = bp_gelu_fuse(rw, &gelu, "Gelu", err);
    }
    return rc;
}
