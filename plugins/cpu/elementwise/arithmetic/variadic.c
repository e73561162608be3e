/* SPDX-License-Identifier: MIT */
/*
 * variadic.c - the driver of Sum, Min, Max and Mean: y = ((a op b) op c) op ...
 *
 * The intermediate results are kept in the output, so that no scratch memory is needed. Where
 * inputs 0 and 1 together do not have the output's shape yet, input 0 is broadcast into the output
 * first.
 */

#include "elementwise/arithmetic/variadic.h"

#include "kernels/strided.h"

struct state {
    struct bp_cpu_strided *first; /* broadcasts input 0 to the output; NULL: step 0 does that */
    struct bp_cpu_spread *steps;  /* n_in - 1 */
    struct bp_cpu_map last;       /* the final step (Mean), when it has a loop */
};

/* All inputs must have one type, and that a loop. */
void bp_cpu_claim_variadic(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const struct bp_cpu_variadic *family = op->loops;
    const bp_value *first = bp_node_in(query->graph, query->node, 0);

    for (uint32_t i = 0; i < query->node->n_in; i++) {
        const bp_value *value = bp_node_in(query->graph, query->node, i);

        if (!value || value->dtype >= BP_DTYPE_END || !family->loops[value->dtype] ||
            value->dtype != first->dtype) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    if (first)
        bp_accept(query->claims, query->index);
    else
        bp_cpu_refuse_dtype(query, 0);
}

/* Does each dimension of the output come from input 0 or 1? */
static bool first_two_suffice(const struct bp_cpu_call *call)
{
    const bp_tensor *out = call->out[0];

    if (call->n_in < 2)
        return false;
    for (uint32_t d = 0; d < out->rank; d++) {
        bool is_whole = false;

        for (uint32_t k = 0; k < 2; k++) {
            const bp_tensor *in = call->in[k];

            if (d + in->rank >= out->rank)
                is_whole = is_whole || in->dims[d + in->rank - out->rank] == out->dims[d];
        }
        if (!is_whole && out->dims[d] != 1)
            return false;
    }
    return true;
}

static bp_rc prepare_first(struct bp_cpu_call *call, struct state *state, bp_err *err)
{
    const bp_tensor *out = call->out[0];

    if (first_two_suffice(call))
        return BP_OK;
    state->first = bp_cpu_call_memory(call, sizeof *state->first);
    if (!state->first)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for its state");
    return bp_cpu_strided_expand(call, call->in[0], out->rank, out->dims, state->first, err);
}

bp_rc bp_cpu_prepare_variadic(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_variadic *family = call->node->op->loops;
    const bp_tensor *out = call->out[0];
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->steps = bp_cpu_call_memory(call, call->n_in * sizeof *state->steps);
    if (!state->steps)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for %u inputs", call->n_in);
    rc = prepare_first(call, state, err);
    for (uint32_t i = 1; i < call->n_in && rc >= 0; i++) {
        const bp_tensor *so_far = i > 1 || state->first ? out : call->in[0];

        rc = bp_cpu_spread_make(call, family->loops[out->dtype], 1, so_far, call->in[i], out,
                                &state->steps[i - 1], err);
    }
    if (family->last[out->dtype]) {
        state->last = bp_cpu_map_make(call, family->last[out->dtype], 2, out, out);
        state->last.params.a = call->n_in;
    }
    return rc;
}

bp_rc bp_cpu_run_variadic(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    void *out = bp_tensor_data(call->out[0]);
    const void *so_far = bp_tensor_data(call->in[0]);

    (void)err;
    if (state->first) {
        if (so_far != out)
            bp_cpu_strided_run(call, state->first, so_far, out);
        so_far = out;
    }
    for (uint32_t i = 1; i < call->n_in; i++) {
        bp_cpu_spread_run(call, &state->steps[i - 1], so_far, bp_tensor_data(call->in[i]), out);
        so_far = out;
    }
    if (state->last.loop)
        bp_cpu_map_run(call, &state->last, out, out);
    return BP_OK;
}
