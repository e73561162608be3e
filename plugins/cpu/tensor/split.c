/* SPDX-License-Identifier: MIT */
/*
 * split.c - Split (ai.onnx, opsets 1, 2, 11, 13, 18).
 *
 * The reverse of Concat: input 0 is cut along `axis` (default 0) into as many outputs as the node
 * has. The sizes are attribute `split` (1 to 11; version 1 has an optional input too) or input 1
 * (13, 18). Without them the outputs are equal; from 18 on the last one may be smaller. Types: all
 * of 8 bits and more. The copy is in concat_split.c.
 */

#include "kernels/runtime_shape.h"
#include "tensor/concat_split.h"

struct state {
    struct bp_cpu_concat_split layout;
    int64_t *sizes; /* along the axis, one for each output */
    uint32_t axis;
    bool solves_at_run; /* the sizes are known at run time only */
};

/*
 * Takes the sizes from the shapes of the outputs, which the shape rule has derived. One output may
 * be absent; it gets the rest of the axis. False: more than one is absent.
 */
static bool sizes_from_outputs(const struct bp_cpu_call *call, uint32_t axis, uint32_t rank,
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

/*
 * Takes the sizes from the attribute or a constant input, or makes equal ones. False: the input is
 * computed by the model, or has the float type of version 1.
 */
static bool sizes_from_node(const struct bp_cpu_call *call, int64_t dim, int64_t *sizes)
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
    state->layout.sections = bp_cpu_call_memory(call, call->n_out * sizeof *state->layout.sections);
    if (!state->sizes || !state->layout.sections)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for %u outputs", call->n_out);
    state->solves_at_run = !sizes_from_outputs(call, state->axis, x->rank, state->sizes) &&
                           !sizes_from_node(call, x->dims[state->axis], state->sizes);
    if (state->solves_at_run)
        return BP_OK;
    return bp_cpu_concat_split_make(call, x, state->axis, call->n_out, state->sizes, &state->layout,
                                    err);
}

/*
 * Reads the sizes from input 1 and computes the layout. Needed only where several outputs are
 * absent and the sizes are computed by the model.
 */
static bp_rc solve_at_run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    struct bp_cpu_list split = bp_cpu_list_input(call, 1);

    for (uint32_t i = 0; i < call->n_out; i++) {
        const bp_tensor *out = call->out[i];

        state->sizes[i] = i < split.n ? bp_cpu_list_at(&split, i) : -1;
        if (out && (out->rank != call->in[0]->rank || out->dims[state->axis] != state->sizes[i]))
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "output %u does not have the size that the frame was prepared for",
                               i);
    }
    state->layout.n = 0;
    return bp_cpu_concat_split_make(call, call->in[0], state->axis, call->n_out, state->sizes,
                                    &state->layout, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    bp_rc rc = state->solves_at_run ? solve_at_run(call, err) : BP_OK;

    if (rc >= 0)
        bp_cpu_split_copy(call, &state->layout, call->out, bp_tensor_data(call->in[0]));
    return rc;
}

const struct bp_cpu_op bp_cpu_op_split = {
    .name = "Split",
    .since = 1,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
