/* SPDX-License-Identifier: MIT */
/*
 * einsum.c - Einsum (opsets 12, 28).
 * Any number of operands and an equation such as "bij,bjk->bik".
 * Operands are taken from left to right: labels that nothing later needs are summed at once, and
 * each pair becomes a batch of matrix products.
 * Labels of both that are kept are the batch, labels of one are rows or columns, labels of both
 * that are summed are the depth.
 * prepare() plans all that as a list of steps, run() executes it. All number types but bool and
 * complex.
 */

#include "kernels/cast/cast.h"
#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"
#include "matmul/einsum_steps.h"

/* The plan of a call. */
struct state {
    struct bp_cpu_steps steps;
    size_t products_at; /* scratch of products */
};

/*
 * Parses the equation into n_in + 1 terms, and collects the sizes of the labels; size 1 broadcasts.
 */
static bp_rc read_equation(struct bp_cpu_call *call, bp_einsum_term **out, bp_err *err)
{
    struct state *state = call->state;
    const bp_attr *attr = bp_node_attr(call->node->graph, call->node->node, "equation");
    uint32_t *ranks = bp_cpu_call_memory(call, ((size_t)call->n_in + 1) * sizeof *ranks);
    bp_einsum_term *terms = bp_cpu_call_memory(call, ((size_t)call->n_in + 1) * sizeof *terms);
    const bp_span *text;
    const char *wrong;

    if (!attr || attr->type != BP_ATTR_STRING || attr->count != 1)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "equation is missing");
    if (!ranks || !terms)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the equation");
    for (uint32_t i = 0; i < call->n_in; i++)
        ranks[i] = call->in[i]->rank;
    text = attr->data;
    wrong = bp_einsum_parse(text->data, text->size, call->n_in, ranks, terms);
    if (wrong)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "%s", wrong);
    for (uint32_t label = 0; label < BP_EINSUM_LABELS; label++)
        state->steps.sizes[label] = 1;
    for (uint32_t i = 0; i < call->n_in; i++) {
        for (uint32_t d = 0; d < terms[i].rank; d++) {
            int64_t *size = &state->steps.sizes[terms[i].labels[d]], mine = call->in[i]->dims[d];

            if (mine != 1 && *size != 1 && *size != mine)
                return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                                   "dimension %u of operand %u has size %lld, not %lld", d, i,
                                   (long long)mine, (long long)*size);
            *size = mine == 1 ? *size : mine;
        }
    }
    *out = terms;
    return BP_OK;
}

/* Marks the labels that operand i, a later one or the result has. */
static void mark_needed(struct bp_cpu_steps *s, const bp_einsum_term *terms, uint32_t i)
{
    memset(s->is_needed, 0, sizeof s->is_needed);
    for (; i <= s->call->n_in; i++) {
        for (uint32_t d = 0; d < terms[i].rank; d++)
            s->is_needed[terms[i].labels[d]] = true;
    }
}

/* The last steps: from a value to the output, whose labels are those of `term`. */
static bp_rc plan_output(struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                         const bp_einsum_term *term, bp_err *err)
{
    const struct bp_cpu_spot out = {.where = BP_CPU_IN_OUTPUT};
    const bp_tensor *y = s->call->out[0];
    bool is_there, needs_cast = s->dtype != y->dtype;
    bp_tensor widened = {.dtype = s->dtype};
    struct bp_cpu_step *step;
    bp_rc rc = bp_cpu_labelled_sum(s, value, NULL, err);

    if (rc < 0)
        return rc;
    is_there = bp_cpu_labelled_is_dense(s, value, term->labels, term->rank);
    if (!needs_cast && is_there && value->spot.where == BP_CPU_IN_SCRATCH) {
        s->steps[s->n - 1].to = out; /* the last step writes to the output */
        return BP_OK;
    }
    if (!needs_cast || !is_there)
        rc =
            bp_cpu_labelled_copy(s, value, term->labels, term->rank, needs_cast ? NULL : &out, err);
    if (rc < 0 || !needs_cast)
        return rc;
    step = bp_cpu_steps_add(s, BP_CPU_STEP_CAST);
    step->a = value->spot;
    step->to = out;
    widened.rank = y->rank;
    widened.dims = y->dims;
    step->cast = bp_cpu_map_make(s->call, bp_cpu_cast_loop(s->dtype, y->dtype), 1, &widened, y);
    return BP_OK;
}

/* The loop over the operands: sum what is not needed, multiply with the value so far. */
static bp_rc plan(struct bp_cpu_steps *s, const bp_einsum_term *terms, bp_err *err)
{
    uint32_t n = s->call->n_in;
    struct bp_cpu_labelled value, next, product;
    bp_rc rc = bp_cpu_labelled_enter(s, 0, &terms[0], &value, err);

    for (uint32_t i = 1; i < n && rc >= 0; i++) {
        rc = bp_cpu_labelled_enter(s, i, &terms[i], &next, err);
        mark_needed(s, terms, i + 1);
        if (rc >= 0)
            rc = bp_cpu_labelled_sum(s, &value, &next, err);
        if (rc >= 0)
            rc = bp_cpu_labelled_sum(s, &next, &value, err);
        if (rc >= 0)
            rc = bp_cpu_labelled_multiply(s, &value, &next, &product, err);
        if (rc >= 0)
            value = product;
    }
    mark_needed(s, terms, n);
    return rc < 0 ? rc : plan_output(s, &value, &terms[n], err);
}

/* Integers under 32 bits are computed in 32; the low bits are the same. */
static uint32_t working_type(uint32_t dtype)
{
    return bp_cpu_width(dtype) < 4 ? BP_DTYPE_I32 : dtype;
}

/* The steps' intermediate values come first in the scratch, then a work area for each thread. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_einsum_term *terms = NULL;
    struct state *state;
    size_t bytes;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc >= 0 && call->n_in == 0)
        rc = bp_cpu_fail(call->node, err, BP_E_INVALID, "there is no operand");
    if (rc >= 0)
        rc = read_equation(call, &terms, err);
    if (rc < 0)
        return rc;
    state = call->state;
    state->steps.call = call;
    state->steps.dtype = working_type(call->in[0]->dtype);
    state->steps.width = bp_cpu_width(state->steps.dtype);
    state->steps.steps =
        bp_cpu_call_memory(call, bp_cpu_steps_most(call->n_in) * sizeof *state->steps.steps);
    if (!state->steps.steps)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the steps");
    if (terms[call->n_in].rank != call->out[0]->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has another rank");
    for (uint32_t d = 0; d < call->out[0]->rank; d++) {
        if (call->out[0]->dims[d] != state->steps.sizes[terms[call->n_in].labels[d]])
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has another shape");
    }
    rc = plan(&state->steps, terms, err);
    if (rc < 0)
        return rc;
    state->products_at = call->scratch_bytes;
    if (__builtin_mul_overflow(state->steps.worker_bytes / 64 * 64 + 64, call->width, &bytes) ||
        __builtin_add_overflow(call->scratch_bytes, bytes, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the products need too much memory");
    return BP_OK;
}

/* Where a value lies in this call. */
static void *address(const struct bp_cpu_call *call, const struct bp_cpu_spot *address)
{
    switch (address->where) {
    case BP_CPU_IN_INPUT:
        return bp_cpu_data(call->in[address->input]);
    case BP_CPU_IN_OUTPUT:
        return bp_cpu_data(call->out[0]);
    default:
        return (char *)call->scratch + address->at;
    }
}

/* Executes the steps one after another; each uses all threads. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;

    (void)err;
    for (uint32_t i = 0; i < state->steps.n; i++) {
        const struct bp_cpu_step *step = &state->steps.steps[i];
        void *a = address(call, &step->a), *to = address(call, &step->to);

        switch (step->kind) {
        case BP_CPU_STEP_CAST:
            bp_cpu_map_run(call, &step->cast, a, to);
            break;
        case BP_CPU_STEP_COPY:
            bp_cpu_strided_run(call, &step->copy, a, to);
            break;
        case BP_CPU_STEP_SUM:
            bp_cpu_sum_rows(call, state->steps.dtype, a, to, step->rows, step->n);
            break;
        case BP_CPU_STEP_PRODUCT:
            bp_cpu_contract_run(call, &step->contract, a, address(call, &step->b), to,
                                (char *)call->scratch + state->products_at);
            break;
        }
    }
    return BP_OK;
}

#define BIT(dtype) UINT64_C(1) << BP_DTYPE_##dtype

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_einsum = {
    .name = "Einsum",
    .since = 12,
    .loops = &wide,
    .types = BP_CPU_FLOATS | BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64) | BIT(U8) | BIT(U16) |
             BIT(U32) | BIT(U64),
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
