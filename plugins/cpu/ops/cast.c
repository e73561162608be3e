/* SPDX-License-Identifier: MIT */
/* cast.c - Cast (opsets 1, 6, 9, 13, 19, 21, ...) among number types and bool. */

#include "kernels/cast.h"

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    (void)op;
    if (!x || !y) {
        bp_cpu_refuse_dtype(query, 0);
    } else if (!bp_cpu_cast_loop(x->dtype, y->dtype)) {
        bp_cpu_refuse(query, BP_R_DTYPE, "to", "casting %s to %s is not implemented",
                      bp_cpu_dtype_name(x->dtype), bp_cpu_dtype_name(y->dtype));
    } else {
        bp_accept(query->claims, query->index);
    }
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    struct bp_cpu_map *map;
    bp_rc rc = bp_cpu_state(call, sizeof *map, err);

    if (rc < 0)
        return rc;
    map = call->state;
    *map = bp_cpu_map_make(call, bp_cpu_cast_loop(x->dtype, y->dtype), 2, x, y);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_cast = {
    .name = "Cast",
    .since = 1,
    .claim = claim,
    .prepare = prepare,
    .run = bp_cpu_run_unary,
};
