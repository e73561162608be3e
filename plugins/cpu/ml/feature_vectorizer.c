/* SPDX-License-Identifier: MIT */
/*
 * feature_vectorizer.c - FeatureVectorizer (ai.onnx.ml 1).
 * Concatenates inputs [N, C0], [N, C1], ... ([C] counts as [1, C]) along the features to Y [N, sum
 * of widths], float32. Attribute inputdimensions gives the width of each input: its rows are cut to
 * that width, or filled up with zeros.
 */

#include "kernels/tensor_data.h"
#include "ml/ml.h"

/* Elements of one row: in the input, and in the output. */
struct part {
    size_t given, wanted;
};

struct state {
    size_t rows, cols;
    struct part parts[];
};

/*
 * The shape rule knows neither inputs without static shape nor the outputs' capacity: both are
 * checked against each other here.
 */
static bp_rc check(const struct bp_cpu_call *call, const struct state *s, bp_err *err)
{
    const bp_tensor *y = call->out[0];

    for (uint32_t i = 0; i < call->n_in; i++) {
        const bp_tensor *x = call->in[i];

        if (!x || x->rank == 0 || (x->rank > 1 ? x->dims[0] : 1) != (int64_t)s->rows ||
            !(BP_CPU_ML_NUMERIC >> x->dtype & 1))
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "input %u is not %zu rows of numeric elements", i, s->rows);
    }
    if (y->rank != 2 || (uint64_t)y->dims[0] != s->rows || (uint64_t)y->dims[1] != s->cols)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Y must be %zu x %zu", s->rows, s->cols);
    return BP_OK;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    uint32_t n;
    const int64_t *widths = bp_cpu_ints(call->node, "inputdimensions", &n);
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s + call->n_in * sizeof *s->parts, err);

    if (rc >= 0 && widths)
        rc = bp_cpu_expect_count(call->node, "inputdimensions", n, call->n_in, "inputs are", err);
    if (rc < 0)
        return rc;
    s = call->state;
    s->rows = call->in[0] && call->in[0]->rank > 1 ? (size_t)call->in[0]->dims[0] : 1;
    for (uint32_t i = 0; i < call->n_in; i++) {
        const bp_tensor *x = call->in[i];
        uint32_t skip = x && x->rank > 1;

        s->parts[i].given = x ? (size_t)bp_dims_count(x->dims + skip, x->rank - skip) : 0;
        s->parts[i].wanted = widths ? (size_t)widths[i] : s->parts[i].given;
        if (widths && widths[i] < 0)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "inputdimensions has %lld",
                               (long long)widths[i]);
        if (__builtin_add_overflow(s->cols, s->parts[i].wanted, &s->cols))
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "its rows are too long");
    }
    return check(call, s, err);
}

/* One input after the other: y points to its first column, and rows are s->cols apart. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    float *y = bp_cpu_data(call->out[0]);

    (void)err;
    for (uint32_t i = 0; i < call->n_in && s->cols > 0; i++) {
        const bp_tensor *x = call->in[i];
        struct part part = s->parts[i];
        size_t n = part.given < part.wanted ? part.given : part.wanted;
        const char *from = bp_cpu_data(x);

        for (size_t r = 0; r < s->rows && part.wanted > 0; r++) {
            bp_cpu_to_f32(x->dtype, from + r * part.given * bp_cpu_width(x->dtype), y + r * s->cols,
                          n);
            memset(y + r * s->cols + n, 0, (part.wanted - n) * sizeof *y);
        }
        y += part.wanted;
    }
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_feature_vectorizer = {
    .name = "FeatureVectorizer",
    .domain = "ai.onnx.ml",
    .since = 1,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .prepare = prepare,
    .run = run,
};
