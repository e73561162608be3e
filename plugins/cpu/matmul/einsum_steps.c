/* SPDX-License-Identifier: MIT */
/* einsum_steps.c - Labelled values and the steps between them; see einsum_steps.h. */

#include "matmul/einsum_steps.h"
#include "kernels/cast/cast.h"

/* ---- steps ----------------------------------------------------------------------------------- */

struct bp_cpu_step *bp_cpu_steps_add(struct bp_cpu_steps *s, enum bp_cpu_step_kind kind)
{
    struct bp_cpu_step *step = &s->steps[s->n++];

    step->kind = kind;
    return step;
}

bp_rc bp_cpu_steps_take(struct bp_cpu_steps *s, int64_t count, struct bp_cpu_spot *out, bp_err *err)
{
    struct bp_cpu_call *call = s->call;

    *out = (struct bp_cpu_spot){.where = BP_CPU_IN_SCRATCH, .at = call->scratch_bytes};
    if (__builtin_add_overflow(call->scratch_bytes, (size_t)count * s->width / 64 * 64 + 64,
                               &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the intermediate values are too large");
    return BP_OK;
}

/* A size of 0 gives 0, whatever the others are. */
bp_rc bp_cpu_steps_count(const struct bp_cpu_steps *s, const uint8_t *labels, uint32_t n,
                         int64_t *out, bp_err *err)
{
    *out = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s->sizes[labels[i]] == 0)
            return BP_OK;
    }
    *out = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (__builtin_mul_overflow(*out, s->sizes[labels[i]], out) || *out > INT64_MAX / 64)
            return bp_cpu_fail(s->call->node, err, BP_E_SHAPE,
                               "an intermediate value is too large");
    }
    return BP_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Index of a label in a value; -1: it has none. */
static int find(const struct bp_cpu_labelled *value, uint8_t label)
{
    for (uint32_t d = 0; d < value->rank; d++) {
        if (value->labels[d] == label)
            return (int)d;
    }
    return -1;
}

bool bp_cpu_labelled_has(const struct bp_cpu_labelled *value, uint8_t label)
{
    return find(value, label) >= 0;
}

/* memmove, because the labels may be the value's own. */
void bp_cpu_labelled_set(const struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                         const uint8_t *labels, uint32_t rank)
{
    int64_t stride = 1;

    value->rank = rank;
    memmove(value->labels, labels, rank);
    for (uint32_t d = rank; d-- > 0;) {
        value->strides[d] = stride;
        stride *= s->sizes[value->labels[d]];
    }
}

/* Dimensions of size 1 may have any stride. */
bool bp_cpu_labelled_is_dense(const struct bp_cpu_steps *s, const struct bp_cpu_labelled *value,
                              const uint8_t *labels, uint32_t rank)
{
    int64_t stride = 1;

    if (rank != value->rank)
        return false;
    for (uint32_t d = rank; d-- > 0;) {
        int at = find(value, labels[d]);

        if (at < 0 || (s->sizes[labels[d]] != 1 && value->strides[at] != stride))
            return false;
        stride *= s->sizes[labels[d]];
    }
    return true;
}

/* A stride is the sum over the dimensions that share a label, which walks the diagonal. */
bp_rc bp_cpu_labelled_enter(struct bp_cpu_steps *s, uint32_t i, const bp_einsum_term *term,
                            struct bp_cpu_labelled *out, bp_err *err)
{
    const bp_tensor *x = s->call->in[i];
    const bp_tensor wide = {.dtype = s->dtype};
    struct bp_cpu_step *step;
    int64_t stride = 1;
    bp_rc rc;

    *out = (struct bp_cpu_labelled){.spot = {.where = BP_CPU_IN_INPUT, .input = i}};
    for (uint32_t d = 0; d < x->rank; d++) {
        if (!bp_cpu_labelled_has(out, term->labels[d]))
            out->labels[out->rank++] = term->labels[d];
    }
    for (uint32_t d = x->rank; d-- > 0;) {
        if (x->dims[d] != 1)
            out->strides[find(out, term->labels[d])] += stride;
        stride *= x->dims[d];
    }
    if (s->dtype == x->dtype)
        return BP_OK;
    step = bp_cpu_steps_add(s, BP_CPU_STEP_CAST);
    step->a = out->spot;
    step->cast = bp_cpu_map_make(s->call, bp_cpu_cast_loop(x->dtype, s->dtype), 1, x, &wide);
    step->cast.count = bp_cpu_count(x);
    rc = bp_cpu_steps_take(s, bp_cpu_count(x), &step->to, err);
    out->spot = step->to;
    return rc;
}

/* Labels that the value lacks are broadcast with stride 0. */
bp_rc bp_cpu_labelled_copy(struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                           const uint8_t *labels, uint32_t rank, const struct bp_cpu_spot *to,
                           bp_err *err)
{
    int64_t dims[BP_CPU_LABELS], strides[BP_CPU_LABELS], count;
    struct bp_cpu_step *step;
    bp_rc rc = bp_cpu_steps_count(s, labels, rank, &count, err);

    if (rc < 0)
        return rc;
    for (uint32_t d = 0; d < rank; d++) {
        int at = find(value, labels[d]);

        dims[d] = s->sizes[labels[d]];
        strides[d] = at < 0 ? 0 : value->strides[at];
    }
    step = bp_cpu_steps_add(s, BP_CPU_STEP_COPY);
    step->a = value->spot;
    bp_cpu_strided_make(s->call, s->width, rank, dims, strides, &step->copy);
    if (to)
        step->to = *to;
    else
        rc = bp_cpu_steps_take(s, count, &step->to, err);
    value->spot = step->to;
    bp_cpu_labelled_set(s, value, labels, rank);
    return rc;
}

/* Labels that stay come first, so that each row of the sum is contiguous. */
bp_rc bp_cpu_labelled_sum(struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                          const struct bp_cpu_labelled *other, bp_err *err)
{
    uint8_t labels[BP_CPU_LABELS], summed[BP_CPU_LABELS];
    uint32_t kept = 0, n_summed = 0, rank = value->rank;
    struct bp_cpu_step *step;
    int64_t rows, n;
    bp_rc rc = BP_OK;

    for (uint32_t d = 0; d < rank; d++) {
        if (s->is_needed[value->labels[d]] ||
            (other && bp_cpu_labelled_has(other, value->labels[d])))
            labels[kept++] = value->labels[d];
        else
            summed[n_summed++] = value->labels[d];
    }
    if (n_summed == 0)
        return BP_OK;
    memcpy(labels + kept, summed, n_summed);
    if (!bp_cpu_labelled_is_dense(s, value, labels, rank))
        rc = bp_cpu_labelled_copy(s, value, labels, rank, NULL, err);
    if (rc >= 0)
        rc = bp_cpu_steps_count(s, labels, kept, &rows, err);
    if (rc >= 0)
        rc = bp_cpu_steps_count(s, summed, n_summed, &n, err);
    if (rc < 0)
        return rc;
    step = bp_cpu_steps_add(s, BP_CPU_STEP_SUM);
    step->a = value->spot;
    step->rows = rows;
    step->n = n;
    rc = bp_cpu_steps_take(s, rows, &step->to, err);
    value->spot = step->to;
    bp_cpu_labelled_set(s, value, labels, kept);
    return rc;
}

/* ---- products -------------------------------------------------------------------------------- */

/* The labels of two factors by their role in the product. */
struct groups {
    uint8_t batch[BP_CPU_LABELS], m[BP_CPU_LABELS], n[BP_CPU_LABELS], k[BP_CPU_LABELS];
    uint32_t n_batch, n_m, n_n, n_k;
};

/* Labels of both are the batch if they are needed later, else the depth. */
static void sort_labels(const struct bp_cpu_steps *s, const struct bp_cpu_labelled *a,
                        const struct bp_cpu_labelled *b, struct groups *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t d = 0; d < a->rank; d++) {
        uint8_t label = a->labels[d];

        if (!bp_cpu_labelled_has(b, label))
            out->m[out->n_m++] = label;
        else if (s->is_needed[label])
            out->batch[out->n_batch++] = label;
        else
            out->k[out->n_k++] = label;
    }
    for (uint32_t d = 0; d < b->rank; d++) {
        if (!bp_cpu_labelled_has(a, b->labels[d]))
            out->n[out->n_n++] = b->labels[d];
    }
}

/* The batch's labels, then one group, then another; `out` has the capacity of two values. */
static uint32_t concat_labels(const struct groups *groups, const uint8_t *first, uint32_t n_first,
                              const uint8_t *second, uint32_t n_second, uint8_t *out)
{
    memcpy(out, groups->batch, groups->n_batch);
    memcpy(out + groups->n_batch, first, n_first);
    memcpy(out + groups->n_batch + n_first, second, n_second);
    return groups->n_batch + n_first + n_second;
}

/*
 * Brings a factor to the order batch, rows, columns, by a copy if need be. *is_transposed: the
 * order batch, columns, rows is there already and will do.
 */
static bp_rc as_matrices(struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                         const struct groups *groups, const uint8_t *rows, uint32_t n_rows,
                         const uint8_t *columns, uint32_t n_columns, bool *is_transposed,
                         bp_err *err)
{
    uint8_t labels[2 * BP_CPU_LABELS], transposed[2 * BP_CPU_LABELS];
    uint32_t rank = concat_labels(groups, rows, n_rows, columns, n_columns, labels);

    concat_labels(groups, columns, n_columns, rows, n_rows, transposed);
    *is_transposed = false;
    if (bp_cpu_labelled_is_dense(s, value, labels, rank))
        return BP_OK;
    *is_transposed = bp_cpu_labelled_is_dense(s, value, transposed, rank);
    return *is_transposed ? BP_OK : bp_cpu_labelled_copy(s, value, labels, rank, NULL, err);
}

/* The sizes of the product: batch, m, n, k. */
static bp_rc read_sizes(const struct bp_cpu_steps *s, const struct groups *g,
                        struct bp_cpu_contract *out, bp_err *err)
{
    bp_rc rc = bp_cpu_steps_count(s, g->batch, g->n_batch, &out->batches, err);

    if (rc >= 0)
        rc = bp_cpu_steps_count(s, g->m, g->n_m, &out->m, err);
    if (rc >= 0)
        rc = bp_cpu_steps_count(s, g->n, g->n_n, &out->n, err);
    if (rc >= 0)
        rc = bp_cpu_steps_count(s, g->k, g->n_k, &out->k, err);
    return rc;
}

/* Both factors are brought to matrices; the result has the labels batch, m, n. */
bp_rc bp_cpu_labelled_multiply(struct bp_cpu_steps *s, struct bp_cpu_labelled *a,
                               struct bp_cpu_labelled *b, struct bp_cpu_labelled *out, bp_err *err)
{
    uint8_t labels[2 * BP_CPU_LABELS];
    struct bp_cpu_contract contract = {.dtype = s->dtype};
    bool a_transposed = false, b_transposed = false;
    struct bp_cpu_step *step;
    struct groups g;
    uint32_t rank;
    int64_t count;
    bp_rc rc;

    sort_labels(s, a, b, &g);
    rank = concat_labels(&g, g.m, g.n_m, g.n, g.n_n, labels);
    if (rank > BP_CPU_LABELS)
        return bp_cpu_fail(s->call->node, err, BP_E_SHAPE, "an intermediate value has rank %u",
                           rank);
    rc = as_matrices(s, a, &g, g.m, g.n_m, g.k, g.n_k, &a_transposed, err);
    if (rc >= 0)
        rc = as_matrices(s, b, &g, g.k, g.n_k, g.n, g.n_n, &b_transposed, err);
    if (rc >= 0)
        rc = read_sizes(s, &g, &contract, err);
    if (rc >= 0)
        rc = bp_cpu_steps_count(s, labels, rank, &count, err);
    if (rc < 0)
        return rc;
    contract.a_row = a_transposed ? 1 : contract.k;
    contract.a_col = a_transposed ? contract.m : 1;
    contract.b_row = b_transposed ? 1 : contract.n;
    contract.b_col = b_transposed ? contract.k : 1;
    step = bp_cpu_steps_add(s, BP_CPU_STEP_PRODUCT);
    step->a = a->spot;
    step->b = b->spot;
    step->contract = contract;
    rc = bp_cpu_contract_plan(s->call, &step->contract, err);
    if (step->contract.scratch_bytes > s->worker_bytes)
        s->worker_bytes = step->contract.scratch_bytes;
    if (rc >= 0)
        rc = bp_cpu_steps_take(s, count, &step->to, err);
    out->spot = step->to;
    bp_cpu_labelled_set(s, out, labels, rank);
    return rc;
}
