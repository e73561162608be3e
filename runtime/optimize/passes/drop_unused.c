/* SPDX-License-Identifier: MIT */
/*
 * drop_unused.c - removes nodes whose outputs nothing reads and that are not outputs of the graph.
 *
 * From the last node to the first, so that a chain goes in one walk. Bits: unchanged.
 */

#include "config.h"

#include "optimize/passes.h"

bp_rc bp_pass_drop_unused(struct bp_rewrite *rw, bp_err *err)
{
    uint32_t before = rw->n_alive;

    (void)err;
    for (uint32_t n = rw->ir->n_nodes; n-- > 0;) {
        uint32_t out = rw->nodes.out[n];

        if (out == BP_NONE || rw->values.count[out] == 0)
            bp_rw_drop_unused(rw, n);
    }
    rw->n_matches += before - rw->n_alive;
    return BP_OK;
}
