/* SPDX-License-Identifier: MIT */
/*
 * split.c - Split (opsets 1, 2, 11 with attribute `split`; 13, 18 with an input): parts along an
 * axis. Without sizes the parts are equal, but that the last may be smaller.
 */

#include "kernels/late.h"
#include "kernels/pieces.h"

/*
 * An output's size is taken from its shape, as long as all have one; that shape came from the
 * split.
 */
static bool outputs_tell(const struct bp_cpu_call *call, uint32_t axis, uint32_t rank,
                         int64_t *sizes)
{
    for (uint32_t i = 0; i < call->n_out; i++) {
        if (!call->out[i] || call->out[i]->rank != rank)
            return false;
        sizes[i] = call->out[i]->dims[axis];
    }
    return true;
}

/* Sizes from the attribute, a constant input, or equal parts. */
static bool node_tells(const struct bp_cpu_call *call, int64_t dim, int64_t *sizes)
{
    struct bp_cpu_list split = bp_cpu_list_attr(call, "split");
    int64_t part = dim / call->n_out + (dim % call->n_out != 0);

    if (bp_cpu_list_is_absent(&split) && bp_cpu_in(call, 1)) {
        if (!bp_cpu_constant(call->node, 1).data)
            return false;
        split = bp_cpu_list_input(call, 1);
    }
    if (!bp_cpu_list_is_absent(&split) && split.n != call->n_out)
        return false;
    for (uint32_t i = 0; i < call->n_out; i++) {
        sizes[i] =
            bp_cpu_list_is_absent(&split) ? (part < dim ? part : dim) : bp_cpu_list_at(&split, i);
        dim -= sizes[i];
    }
    return true;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    uint32_t axis;
    int64_t *sizes;
    bp_rc rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", 0), x->rank, &axis, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof(struct bp_cpu_pieces), err);
    if (rc < 0)
        return rc;
    sizes = bp_cpu_call_memory(call, call->n_out * sizeof *sizes);
    if (!sizes)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for %u outputs", call->n_out);
    if (!outputs_tell(call, axis, x->rank, sizes) && !node_tells(call, x->dims[axis], sizes))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the sizes of its parts are not known");
    return bp_cpu_pieces_make(call, x, axis, call->n_out, sizes, call->state, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    bp_cpu_pieces_part(call, call->state, call->out, bp_tensor_data(call->in[0]));
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_split = {
    .name = "Split",
    .since = 1,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
