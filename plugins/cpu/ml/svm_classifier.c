/* SPDX-License-Identifier: MIT */
/*
 * svm_classifier.c - SVMClassifier (ai.onnx.ml 1).
 * X is [N, C] or [C]; Y [N] are labels, Z [N, E] scores, float32. With support vectors there is one
 * machine for each pair of classes (i, j): score = rho + sum of coefficient * kernel; each machine
 * votes, and the class with most votes wins. prob_a and prob_b turn the pairs' scores into class
 * probabilities; without them Z has a column for each pair. Without support vectors it is a linear
 * model with one score for each class.
 */

#include "kernels/tensor_data.h"
#include "ml/svm.h"
#include "ml/svm_probability.h"

#include <math.h>

struct model {
    struct bp_cpu_svm svm;
    struct bp_cpu_labels labels;
    bool is_linear, is_positive; /* is_positive: no coefficient is below 0 */
    const char *coefficients;    /* in the kernels' type, (classes - 1) x vectors */
    size_t width;                /* bytes of one */
    const int64_t *counts;       /* vectors of each class */
    size_t *starts;
    const float *prob_a, *prob_b; /* one for each pair, or NULL */
    size_t pairs, columns;        /* machines; columns of Z */
};

struct state {
    struct bp_cpu_ml_rows rows;
};

/* Temporary values of one row besides its kernels, in the block's work area. */
struct row {
    double *scores;   /* one for each pair, or for each class */
    double *votes;    /* one for each class */
    double *pairwise; /* [classes][classes]: P(class i if it is i or j) */
    double *work;
};

/* ---- what the attributes say ----------------------------------------------------------------- */

/*
 * Reads vectors_per_class; starts[i] becomes the index of class i's first vector, *total their sum.
 */
static bp_rc read_counts(struct bp_cpu_node *node, struct model *m, uint64_t *total, bp_err *err)
{
    uint32_t n;

    *total = 0;
    m->counts = bp_cpu_ints(node, "vectors_per_class", &n);
    m->starts = bp_cpu_node_memory(node, (n + (size_t)1) * sizeof *m->starts);
    if (!m->starts)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    for (uint32_t i = 0; i < n; i++) {
        m->starts[i] = (size_t)*total;
        if (m->counts[i] < 0 || m->counts[i] > UINT32_MAX)
            return bp_cpu_fail(node, err, BP_E_INVALID, "vectors_per_class has %lld",
                               (long long)m->counts[i]);
        *total += (uint64_t)m->counts[i];
    }
    return *total == 0
               ? BP_OK
               : bp_cpu_expect_count(node, "vectors_per_class", n, m->labels.n, "classes are", err);
}

static bp_rc expect_least(const struct bp_cpu_node *node, const char *name, uint64_t count,
                          uint64_t least, bp_err *err)
{
    if (count >= least)
        return BP_OK;
    return bp_cpu_fail(node, err, BP_E_INVALID, "%s has %llu elements, but %llu are needed", name,
                       (unsigned long long)count, (unsigned long long)least);
}

/* prob_a and prob_b (Platt scaling) need one element for each pair. */
static bp_rc read_probabilities(const struct bp_cpu_node *node, struct model *m, bp_err *err)
{
    uint32_t n_a, n_b;
    bp_rc rc;

    m->prob_a = bp_cpu_floats(node, "prob_a", &n_a);
    m->prob_b = bp_cpu_floats(node, "prob_b", &n_b);
    rc = bp_cpu_expect_count(node, "prob_b", n_b, n_a, "prob_a has", err);
    if (rc >= 0 && n_a > 0 && !m->is_linear)
        rc = expect_least(node, "prob_a", n_a, m->pairs, err);
    return rc;
}

/* One machine for each pair of classes: checks that every list is long enough. */
static bp_rc pack_pairs(struct bp_cpu_node *node, struct model *m, uint64_t vectors, bp_err *err)
{
    uint64_t n = m->labels.n, needed;
    bp_rc rc;

    if (n < 2)
        return bp_cpu_fail(node, err, BP_E_INVALID, "support vectors need two classes or more");
    m->pairs = (size_t)(n * (n - 1) / 2);
    if (__builtin_mul_overflow(n - 1, vectors, &needed))
        needed = UINT64_MAX;
    rc = expect_least(node, "coefficients", m->svm.n_coefficients, needed, err);
    if (rc >= 0)
        rc = expect_least(node, "rho", m->svm.n_rho, m->pairs, err);
    if (rc < 0)
        return rc;
    m->coefficients = bp_cpu_svm_coefficients(node, &m->svm);
    return m->coefficients ? BP_OK : bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
}

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    struct model *m = bp_cpu_node_memory(node, sizeof *m);
    uint64_t vectors;
    bp_rc rc;

    if (!m)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    node->packed = m;
    rc = bp_cpu_labels_read(node, "classlabels_ints", &m->labels, err);
    if (rc >= 0)
        rc = bp_cpu_svm_read(node, &m->svm, err);
    if (rc >= 0)
        rc = read_counts(node, m, &vectors, err);
    if (rc >= 0)
        rc = bp_cpu_svm_vectors(node, &m->svm, vectors, m->labels.n, err);
    if (rc < 0)
        return rc;
    m->is_linear = vectors == 0;
    m->width = m->svm.dots.is_double ? sizeof(double) : sizeof(float);
    m->is_positive = true;
    for (uint32_t i = 0; i < m->svm.n_coefficients; i++)
        m->is_positive = m->is_positive && m->svm.coefficients[i] >= 0;
    rc = m->is_linear ? BP_OK : pack_pairs(node, m, vectors, err);
    if (rc >= 0)
        rc = read_probabilities(node, m, err);
    m->columns = m->is_linear || m->prob_a ? m->labels.n : m->pairs > 1 ? m->pairs : 2;
    return rc;
}

/* ---- running --------------------------------------------------------------------------------- */

static size_t largest(const double *x, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

/*
 * Scores and votes of a row. A score above 0 is a vote for the first class of the pair. As in
 * LIBSVM, row j - 1 of the coefficients belongs to class i's vectors against j, row i to class j's
 * vectors.
 */
static void decide(const struct model *m, const struct bp_cpu_ml_block *block, size_t r,
                   const struct row *row)
{
    size_t n = m->labels.n, vectors = m->svm.dots.n, pair = 0;

    memset(row->votes, 0, n * sizeof *row->votes);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++, pair++) {
            const char *of_i = m->coefficients + ((j - 1) * vectors + m->starts[i]) * m->width;
            const char *of_j = m->coefficients + (i * vectors + m->starts[j]) * m->width;
            double sum = (double)m->svm.rho[pair];

            sum += bp_cpu_svm_sum(&m->svm, block, r, m->starts[i], of_i, (size_t)m->counts[i]);
            sum += bp_cpu_svm_sum(&m->svm, block, r, m->starts[j], of_j, (size_t)m->counts[j]);
            row->scores[pair] = sum;
            row->votes[sum > 0 ? i : j] += 1;
        }
    }
}

/*
 * Replaces the scores of pairs by probabilities of classes: a logistic function gives each pair's,
 * pairwise coupling makes one of each class. Values are kept 1e-7 away from 0 and 1.
 */
static void make_probabilities(const struct model *m, const struct row *row)
{
    size_t n = m->labels.n, pair = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++, pair++) {
            double x = row->scores[pair] * (double)m->prob_a[pair] + (double)m->prob_b[pair];
            double p = 1 / (1 + exp(x));

            p = p < 1e-7 ? 1e-7 : p > 1 - 1e-7 ? 1 - 1e-7 : p;
            row->pairwise[i * n + j] = p;
            row->pairwise[j * n + i] = 1 - p;
        }
    }
    bp_cpu_couple(row->pairwise, n, row->scores, row->work);
}

static void linear_scores(const struct model *m, const struct bp_cpu_ml_block *block, size_t r,
                          const struct row *row)
{
    const float *narrow = block->work;
    const double *wide = block->work;

    for (size_t c = 0; c < m->labels.n; c++) {
        size_t at = r * m->svm.dots.padded + c;

        row->scores[c] =
            (m->svm.dots.is_double ? wide[at] : (double)narrow[at]) + (double)m->svm.rho[0];
    }
}

/*
 * The class of the largest score. Of two classes the second one wins from 0.5 on if all weights are
 * positive, as scores are probabilities then, and else above 0, as in ONNX's reference.
 */
static size_t linear_winner(const struct model *m, const double *scores)
{
    size_t best = largest(scores, m->labels.n);

    if (m->labels.n != 2 || m->prob_a)
        return best;
    return (m->is_positive ? scores[best] >= 0.5 : scores[best] > 0) ? 1 : best;
}

/*
 * One machine between two classes gives two scores. post_transform is applied to the score and its
 * negative, as in ONNX's reference implementation; PROBIT needs probabilities, p and 1 - p.
 */
static void write_scores(const struct model *m, double *scores, float *z)
{
    size_t n = m->columns;

    if (!m->is_linear && !m->prob_a && m->pairs == 1) {
        scores[1] = scores[0];
        scores[0] = m->svm.transform == BP_CPU_PROBIT ? 1 - scores[1] : -scores[1];
    }
    if (n > 1)
        bp_cpu_transform_f64(scores, 1, n, m->svm.transform);
    else
        bp_cpu_transform_targets_f64(scores, 1, n, m->svm.transform);
    for (size_t c = 0; c < n; c++)
        z[c] = (float)scores[c];
}

static void classify(const struct bp_cpu_ml_block *block)
{
    const struct model *m = block->call->node->packed;
    size_t n = m->labels.n, most = m->pairs > n ? m->pairs : n;
    bp_tensor *labels = bp_cpu_out(block->call, 0), *z = bp_cpu_out(block->call, 1);
    struct row row;

    row.scores = (double *)((char *)block->work + block->n * bp_cpu_svm_row_bytes(&m->svm));
    row.votes = row.scores + most + 1;
    row.pairwise = row.votes + n;
    row.work = row.pairwise + n * n;
    bp_cpu_svm_kernels(&m->svm, block);
    for (size_t r = 0; r < block->n; r++) {
        int64_t at = block->first + (int64_t)r;

        if (m->is_linear)
            linear_scores(m, block, r, &row);
        else
            decide(m, block, r, &row);
        bp_cpu_put_label(&m->labels, labels, at,
                         m->is_linear ? linear_winner(m, row.scores) : largest(row.votes, n));
        if (!z)
            continue;
        if (!m->is_linear && m->prob_a)
            make_probabilities(m, &row);
        write_scores(m, row.scores, (float *)bp_cpu_data(z) + (size_t)at * m->columns);
    }
}

/* Bytes of the work area for one row: its kernels and struct row. False: too many classes. */
static bool row_bytes(const struct model *m, size_t *out)
{
    size_t n = m->labels.n, most = m->pairs > n ? m->pairs : n;
    size_t coupling = m->prob_a && !m->is_linear ? n * n + bp_cpu_coupling_work(n) : 0;

    if (most > SIZE_MAX / 128 || coupling > SIZE_MAX / 128)
        return false;
    *out = bp_cpu_svm_row_bytes(&m->svm) + (most + 1 + n + coupling) * sizeof(double);
    return true;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct model *m = call->node->packed;
    const bp_tensor *z = bp_cpu_out(call, 1);
    size_t bytes;

    if (!row_bytes(m, &bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "it has too many classes");
    if (z && (z->rank != 2 || (uint64_t)z->dims[1] != m->columns))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "it gives %zu scores in a row", m->columns);
    return bp_cpu_ml_rows_prepare(call, sizeof(struct state), m->svm.dots.k, m->svm.dots.is_double,
                                  bytes, bp_cpu_svm_cost(&m->svm), classify, err);
}

const struct bp_cpu_op bp_cpu_op_svm_classifier = {
    .name = "SVMClassifier",
    .domain = "ai.onnx.ml",
    .since = 1,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack,
    .prepare = prepare,
    .run = bp_cpu_ml_rows_run,
};
