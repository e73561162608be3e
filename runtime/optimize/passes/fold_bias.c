/* SPDX-License-Identifier: MIT */
/*
 * fold_bias.c - Conv -> Add(constant, one element for each channel) becomes Conv with that bias.
 *
 * Conditions: Add is the only reader of the Conv, weights and bias are constants, and opset 7 or
 * later, as Add broadcast otherwise before. Value kept; the sums round in another order.
 */

#include "config.h"

#include "optimize/patterns/conv.h"

static bp_rc fold(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);
    const double *bias = NULL;
    struct bp_conv conv;

    for (uint32_t i = 0; i < 2 && !bias; i++) {
        if (bp_conv_find(rw, node->in[i], &conv))
            bias = bp_conv_channels(rw, node->in[1 - i], conv.rank, conv.channels);
    }
    if (!bias || !bp_conv_load(rw, &conv, false))
        return BP_OK;
    for (size_t m = 0; m < conv.channels; m++)
        conv.bias[m] += bias[m];
    return bp_conv_replace(rw, &conv, n, err);
}

bp_rc bp_pass_fold_bias(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Add") && bp_conv_reads(rw, n) && bp_rw_node(rw, n)->schema->since >= 7)
            rc = fold(rw, n, err);
    }
    return rc;
}
