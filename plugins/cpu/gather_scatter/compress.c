/* SPDX-License-Identifier: MIT */
/*
 * compress.c - Compress (ai.onnx, opsets 9, 11, 28).
 *
 * Y has the slices of X along `axis` for which the condition is true, in their order; without
 * `axis` X is read as 1-D. Input 1 is a 1-D bool tensor, which may be shorter than the axis: the
 * slices after its end are dropped. The size of Y is known at run time only. Types: all of 8 bits
 * and more.
 */

#include "kernels/runtime_outputs.h"
#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"

struct state {
    uint32_t dynamic; /* see kernels/runtime_outputs.h */
    bool is_flat;
    uint32_t axis;
    int64_t outer, n; /* X seen as outer x n slices */
    size_t inner;     /* bytes of a slice */
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->dynamic = bp_cpu_runtime_outputs_note(call);
    state->is_flat = !bp_node_attr(call->node->graph, call->node->node, "axis");
    state->inner = bp_cpu_width(x->dtype);
    if (state->is_flat) {
        state->outer = 1;
        state->n = bp_cpu_count(x);
        return BP_OK;
    }
    rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", 0), x->rank, &state->axis, err);
    if (rc < 0)
        return rc;
    state->outer = bp_dims_count(x->dims, state->axis);
    state->n = x->dims[state->axis];
    state->inner *= (size_t)bp_dims_count(x->dims + state->axis + 1, x->rank - state->axis - 1);
    return BP_OK;
}

/*
 * Copies the chosen slices of one outer row, consecutive ones in one memcpy; returns the end of
 * what it wrote.
 */
static char *copy_row(const struct state *state, const uint8_t *wanted, int64_t n, const char *from,
                      char *to)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t first = i;

        while (i < n && wanted[i])
            i++;
        memcpy(to, from + (size_t)first * state->inner, (size_t)(i - first) * state->inner);
        to += (size_t)(i - first) * state->inner;
    }
    return to;
}

/* Allocates Y for `found` slices. */
static bp_rc give_output(struct bp_cpu_call *call, int64_t found, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    int64_t dims[BP_CPU_MAX_RANK];

    if (state->is_flat)
        return bp_cpu_runtime_outputs_give(call, state->dynamic, 0, 1, &found, err);
    for (uint32_t d = 0; d < x->rank; d++)
        dims[d] = d == state->axis ? found : x->dims[d];
    return bp_cpu_runtime_outputs_give(call, state->dynamic, 0, x->rank, dims, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *condition = call->in[1];
    int64_t n = bp_cpu_count(condition), found = 0;
    const uint8_t *wanted = bp_cpu_data(condition);
    const char *from = bp_cpu_data(call->in[0]);
    char *to;
    bp_rc rc;

    /* A longer condition is fine as long as it is false past the end of the axis. */
    for (int64_t i = 0; i < n; i++) {
        found += wanted[i] != 0;
        if (wanted[i] && i >= state->n)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "condition is true at %lld, but the axis has size %lld",
                               (long long)i, (long long)state->n);
    }
    rc = give_output(call, found, err);
    if (rc < 0 || state->inner == 0 || found == 0)
        return rc;
    to = bp_cpu_data(call->out[0]);
    for (int64_t i = 0; i < state->outer; i++)
        to = copy_row(state, wanted, n, from + (size_t)(i * state->n) * state->inner, to);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_compress = {
    .name = "Compress",
    .since = 9,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
