/* SPDX-License-Identifier: MIT */
/*
 * split.c - Split (opsets 1, 2, 11 with attribute `split`; 13, 18 with an input): parts along an
 * axis. Without sizes the parts are equal, but that the last may be smaller.
 */

#include "kernels/runtime_shape.h"
#include "tensor/concat_split.h"

struct state {
    struct bp_cpu_concat_split pieces;
    int64_t *sizes; /* along the axis, one an output */
    uint32_t axis;
    bool is_late; /* run has to read them */
};

/*
 * An output's size is taken from its shape, which came from the split; of one that is not wanted it
 * is what is left.
 */
static bool outputs_tell(const struct bp_cpu_call *call, uint32_t axis, uint32_t rank,
                         int64_t *sizes)
{
    int64_t left = call->in[0]->dims[axis], *missing = NULL;

    for (uint32_t i = 0; i < call->n_out; i++) {
        const bp_tensor *out = call->out[i];

        if ((!out && missing) || (out && out->rank != rank))
            return false;
        sizes[i] = out ? out->dims[axis] : 0;
        left -= sizes[i];
        missing = out ? missing : &sizes[i];
    }
    if (missing)
        *missing = left;
    return true;
}

/* Sizes from the attribute, a constant input, or equal parts. */
static bool node_tells(const struct bp_cpu_call *call, int64_t dim, int64_t *sizes)
{
    struct bp_cpu_list split = bp_cpu_list_attr(call, "split");
    int64_t part = dim / call->n_out + (dim % call->n_out != 0);

    if (bp_cpu_list_is_absent(&split) && bp_cpu_in(call, 1)) {
        split = bp_cpu_constant(call->node, 1).data ? bp_cpu_list_input(call, 1) : split;
        if (bp_cpu_list_is_absent(&split)) /* computed, or the floats of version 1 */
            return false;
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
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", 0), x->rank, &state->axis, err);
    if (rc < 0)
        return rc;
    state->sizes = bp_cpu_call_memory(call, call->n_out * sizeof *state->sizes);
    state->pieces.piece = bp_cpu_call_memory(call, call->n_out * sizeof *state->pieces.piece);
    if (!state->sizes || !state->pieces.piece)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for %u outputs", call->n_out);
    state->is_late = !outputs_tell(call, state->axis, x->rank, state->sizes) &&
                     !node_tells(call, x->dims[state->axis], state->sizes);
    if (state->is_late)
        return BP_OK;
    return bp_cpu_concat_split_make(call, x, state->axis, call->n_out, state->sizes, &state->pieces,
                                    err);
}

/* Some output is not wanted, and the sizes are computed: only now they are there. */
static bp_rc solve_late(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    struct bp_cpu_list split = bp_cpu_list_input(call, 1);

    for (uint32_t i = 0; i < call->n_out; i++) {
        const bp_tensor *out = call->out[i];

        state->sizes[i] = i < split.n ? bp_cpu_list_at(&split, i) : -1;
        if (out && (out->rank != call->in[0]->rank || out->dims[state->axis] != state->sizes[i]))
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "part %u has not the size that the frame was made for", i);
    }
    state->pieces.n = 0;
    return bp_cpu_concat_split_make(call, call->in[0], state->axis, call->n_out, state->sizes,
                                    &state->pieces, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    bp_rc rc = state->is_late ? solve_late(call, err) : BP_OK;

    if (rc >= 0)
        bp_cpu_concat_split_part(call, &state->pieces, call->out, bp_tensor_data(call->in[0]));
    return rc;
}

const struct bp_cpu_op bp_cpu_op_split = {
    .name = "Split",
    .since = 1,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
