/* SPDX-License-Identifier: MIT */
/*
 * fold_scale.c - Conv -> Mul(constant, one element for each channel) becomes Conv with scaled
 * weights and bias.
 *
 * Conditions: Mul is the only reader of the Conv, factors are finite, opset 7 or later. Value kept;
 * each weight is rounded once more, the output once less.
 */

#include "config.h"

#include <math.h>

#include "optimize/patterns/conv.h"

static bp_rc fold(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);
    const double *factors = NULL;
    struct bp_conv conv;

    for (uint32_t i = 0; i < 2 && !factors; i++) {
        if (bp_conv_find(rw, node->in[i], &conv))
            factors = bp_conv_channels(rw, node->in[1 - i], conv.rank, conv.channels);
    }
    for (size_t m = 0; factors && m < conv.channels; m++) {
        if (!isfinite(factors[m]))
            return BP_OK;
    }
    if (!factors || !bp_conv_load(rw, &conv, true))
        return BP_OK;
    for (size_t m = 0; m < conv.channels; m++)
        bp_conv_scale(&conv, m, factors[m], 0);
    return bp_conv_replace(rw, &conv, n, err);
}

bp_rc bp_pass_fold_scale(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Mul") && bp_conv_reads(rw, n) && bp_rw_node(rw, n)->schema->since >= 7)
            rc = fold(rw, n, err);
    }
    return rc;
}
