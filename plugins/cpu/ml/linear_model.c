/* SPDX-License-Identifier: MIT */
/*
 * linear_model.c - LinearClassifier and LinearRegressor (ai.onnx.ml 1).
 * score[n][e] = sum over c of X[n][c] * coefficients[e][c] + intercepts[e], then post_transform. X
 * is [N, C] or [C].
 * LinearRegressor gives Y [N, targets], float32. LinearClassifier gives labels Y [N] and scores Z
 * [N, E], float32; the label of the largest score wins. Two classes may share one score s: it is
 * the second one's, the first has -s, as in ONNX's reference implementation. float32 is computed as
 * float32, the other types as float64.
 */

#include "kernels/tensor_data.h"
#include "ml/dot_products.h"
#include "ml/ml_rows.h"

struct model {
    struct bp_cpu_labels labels; /* of a classifier */
    struct bp_cpu_dot_products dots;
    const float *intercepts; /* one for each score; NULL: none */
    uint32_t transform;
};

struct state {
    struct bp_cpu_ml_rows rows;
};

/* ---- what the attributes say ----------------------------------------------------------------- */

/* The number of X's columns; -1 if it is not known before a run. */
static int64_t known_features(const struct bp_cpu_node *node)
{
    const bp_value *x = bp_node_in(node->graph, node->node, 0);

    return x && x->rank != BP_RANK_UNKNOWN && x->rank > 0 ? x->dims[x->rank - 1].value : -1;
}

/* Packs `coefficients` as n vectors. */
static bp_rc read_coefficients(struct bp_cpu_node *node, struct model *m, uint64_t n, bp_err *err)
{
    const bp_value *x = bp_node_in(node->graph, node->node, 0);
    uint32_t count;
    const float *coefficients = bp_cpu_floats(node, "coefficients", &count);

    if (count == 0 || n == 0 || count % n != 0)
        return bp_cpu_fail(node, err, BP_E_INVALID, "coefficients has %u elements for %llu scores",
                           count, (unsigned long long)n);
    return bp_cpu_dot_products_pack(node, coefficients, n, count / n, x && x->dtype != BP_DTYPE_F32,
                                    &m->dots, err);
}

static bp_rc new_model(struct bp_cpu_node *node, struct model **out, uint32_t *n_intercepts,
                       bp_err *err)
{
    *out = bp_cpu_node_memory(node, sizeof **out);
    if (!*out)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    node->packed = *out;
    (*out)->intercepts = bp_cpu_floats(node, "intercepts", n_intercepts);
    return bp_cpu_transform_read(node, &(*out)->transform, err);
}

/*
 * The number of scores of a classifier without intercepts: one for each label, or one that two
 * labels share if `coefficients` has just one vector.
 */
static uint32_t guess_scores(const struct bp_cpu_node *node, uint32_t n_labels)
{
    uint32_t count;

    bp_cpu_floats(node, "coefficients", &count);
    return n_labels == 2 && known_features(node) == count ? 1 : n_labels;
}

static bp_rc pack_classifier(struct bp_cpu_node *node, bp_err *err)
{
    struct model *m;
    uint32_t n, n_intercepts;
    bp_rc rc = new_model(node, &m, &n_intercepts, err);

    if (rc >= 0)
        rc = bp_cpu_labels_read(node, "classlabels_ints", &m->labels, err);
    if (rc < 0)
        return rc;
    n = n_intercepts > 0 ? n_intercepts : guess_scores(node, m->labels.n);
    if (n > 1 && n > m->labels.n)
        return bp_cpu_fail(node, err, BP_E_INVALID, "intercepts has %u elements for %u labels", n,
                           m->labels.n);
    return read_coefficients(node, m, n, err);
}

static bp_rc pack_regressor(struct bp_cpu_node *node, bp_err *err)
{
    struct model *m;
    uint32_t n_intercepts;
    int64_t targets = bp_cpu_int(node, "targets", 1);
    bp_rc rc = new_model(node, &m, &n_intercepts, err);

    if (rc >= 0 && targets < 1)
        rc = bp_cpu_fail(node, err, BP_E_INVALID, "targets is %lld", (long long)targets);
    if (rc >= 0 && n_intercepts > 0)
        rc = bp_cpu_expect_count(node, "intercepts", n_intercepts, (uint64_t)targets, "targets is",
                                 err);
    return rc < 0 ? rc : read_coefficients(node, m, (uint64_t)targets, err);
}

/* ---- running --------------------------------------------------------------------------------- */

/*
 * Scores of a block as float32, `padded` in a row. A float64 model has its results first in the
 * work area, then the floats.
 */
static float *score_block(const struct bp_cpu_ml_block *block, const struct model *m)
{
    const struct bp_cpu_dot_products *dots = &m->dots;
    double *f64 = block->work; /* used by a float64 model only */
    float *scores = dots->is_double ? (void *)(f64 + block->n * dots->padded) : block->work;

    if (dots->is_double)
        bp_cpu_dot_products_f64(dots, block->x, block->n, f64, false);
    else
        bp_cpu_dot_products_f32(dots, block->x, block->n, scores, false);
    for (size_t r = 0; r < block->n; r++) {
        for (size_t c = 0; c < dots->n; c++) {
            size_t i = r * dots->padded + c;
            float intercept = m->intercepts ? m->intercepts[c] : 0;

            if (dots->is_double)
                scores[i] = (float)(f64[i] + (double)intercept);
            else
                scores[i] += intercept;
        }
    }
    return scores;
}

/* The rows of an output that belong to the block. */
static float *rows_of(bp_tensor *out, const struct bp_cpu_ml_block *block, size_t cols)
{
    return (float *)bp_cpu_data(out) + (size_t)block->first * cols;
}

static void regress(const struct bp_cpu_ml_block *block)
{
    const struct model *m = block->call->node->packed;
    size_t n = m->dots.n;
    const float *scores = score_block(block, m);
    float *y = rows_of(block->call->out[0], block, n);

    for (size_t r = 0; r < block->n; r++)
        memcpy(y + r * n, scores + r * m->dots.padded, n * sizeof *y);
    bp_cpu_transform_targets_f32(y, block->n, n, m->transform);
}

/* The label of the largest score; with one score, its sign decides between two labels. */
static void put_row_label(const struct bp_cpu_ml_block *block, const struct model *m, size_t r,
                          const float *scores)
{
    bp_tensor *y = bp_cpu_out(block->call, 0);
    int64_t row = block->first + (int64_t)r;
    size_t best = 0;

    for (size_t c = 1; c < m->dots.n; c++)
        best = scores[c] > scores[best] ? c : best;
    if (m->dots.n > 1)
        bp_cpu_put_label(&m->labels, y, row, best);
    else if (m->labels.n == 2)
        bp_cpu_put_label(&m->labels, y, row, scores[0] > 0);
    else
        bp_cpu_put_binary_label(&m->labels, y, row, scores[0] > 0);
}

/* Z has a column more than there are scores where two labels share one. */
static void classify(const struct bp_cpu_ml_block *block)
{
    const struct model *m = block->call->node->packed;
    bp_tensor *out = bp_cpu_out(block->call, 1);
    size_t n = m->dots.n == 1 && m->labels.n == 2 ? 2 : m->dots.n;
    float *scores = score_block(block, m), *z = out ? rows_of(out, block, n) : NULL;

    for (size_t r = 0; r < block->n; r++) {
        const float *row = scores + r * m->dots.padded;

        put_row_label(block, m, r, row);
        if (!z)
            continue;
        z[r * n] = n > m->dots.n ? -row[0] : row[0];
        if (n > 1)
            memcpy(z + r * n + 1, n > m->dots.n ? row : row + 1, (n - 1) * sizeof *z);
    }
    if (z)
        bp_cpu_transform_f32(z, block->n, n, m->transform);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct model *m = call->node->packed;
    bool is_classifier = m->labels.n > 0;
    size_t row_bytes = m->dots.padded * (sizeof(float) + (m->dots.is_double ? sizeof(double) : 0));
    bp_rc rc = bp_cpu_ml_rows_prepare(call, sizeof(struct state), m->dots.k, m->dots.is_double,
                                      row_bytes, (int64_t)(m->dots.k * m->dots.padded / 8 + 8),
                                      is_classifier ? classify : regress, err);
    const bp_tensor *z = bp_cpu_out(call, is_classifier ? 1 : 0);
    int64_t n = m->dots.n == 1 && m->labels.n == 2 ? 2 : (int64_t)m->dots.n;

    if (rc >= 0 && z && (z->rank != 2 || z->dims[1] != n))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "it gives %lld scores in a row",
                           (long long)n);
    return rc;
}

const struct bp_cpu_op bp_cpu_op_linear_classifier = {
    .name = "LinearClassifier",
    .domain = "ai.onnx.ml",
    .since = 1,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack_classifier,
    .prepare = prepare,
    .run = bp_cpu_ml_rows_run,
};

const struct bp_cpu_op bp_cpu_op_linear_regressor = {
    .name = "LinearRegressor",
    .domain = "ai.onnx.ml",
    .since = 1,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack_regressor,
    .prepare = prepare,
    .run = bp_cpu_ml_rows_run,
};
