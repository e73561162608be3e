/* SPDX-License-Identifier: MIT */
/*
 * fuse_bias_gelu.c - Add(x, constant row) -> Gelu becomes BiasGelu of com.microsoft.
 *
 * Conditions: the row is as long as the last axis, Gelu is com.microsoft's and the only reader.
 * Value kept; kernels may round the sum differently.
 */

#include "config.h"

#include "optimize/patterns/activation.h"

/* Is it a constant row as long as the last axis of x, and has the sum the shape of x? */
static bool is_bias(const struct bp_rewrite *rw, uint32_t value, uint32_t x, uint32_t sum)
{
    const struct bp_fact *fact = &rw->facts[x];

    return bp_rw_is_constant(rw, value) && rw->facts[value].rank == 1 &&
           bp_rw_same_shape(rw, x, sum) && fact->rank > 0 &&
           bp_sym_equal(rw->facts[value].dims[0], fact->dims[fact->rank - 1]);
}

static bp_rc fuse(struct bp_rewrite *rw, uint32_t gelu, bp_err *err)
{
    uint32_t sum = bp_rw_node(rw, gelu)->in[0], add = bp_rw_producer(rw, sum);
    const struct bp_ir_node *node = add == BP_NONE ? NULL : bp_rw_node(rw, add);
    bp_rc rc = BP_OK;
    bool done = false;

    if (!node || node->domain[0] || !bp_rw_is(rw, add, "Add") || node->schema->since < 7 ||
        bp_rw_only_user(rw, sum) != gelu)
        return BP_OK;
    for (uint32_t i = 0; rc >= 0 && i < 2 && !done; i++) {
        uint32_t in[] = {node->in[1 - i], node->in[i]}, of[] = {add, gelu};

        if (is_bias(rw, in[1], in[0], sum))
            rc = bp_fuse(rw,
                         &(struct bp_fusion){.op = "BiasGelu",
                                             .domain = "com.microsoft",
                                             .opset = 1,
                                             .n_in = 2,
                                             .n_out = 1,
                                             .n_of = 2,
                                             .in = in,
                                             .last = gelu,
                                             .of = of},
                         &done, err);
    }
    return rc;
}

bp_rc bp_pass_fuse_bias_gelu(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Gelu") && bp_rw_node(rw, n)->domain[0])
            rc = fuse(rw, n, err);
    }
    return rc;
}
