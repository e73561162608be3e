/* SPDX-License-Identifier: MIT */
/*
 * tree_ensemble_classifier.c - TreeEnsembleClassifier (ai.onnx.ml 1, 3, 5).
 * X is [N, F]; labels Y [N], scores Z [N, E], float32. Z[n][e] is base_values[e] plus the sum of
 * the leaves' weights for class e, then post_transform; the largest score gives the label. Version
 * 3 adds float64 tensors for the lists (..._as_tensor); version 5 deprecates the operator in favour
 * of TreeEnsemble.
 * With two labels and weights for one class only, that class's score stands for both; the rules are
 * ONNX Runtime's.
 */

#include "kernels/tensor_data.h"
#include "ml/trees/trees_read.h"
#include "ml/trees/trees_run.h"
#include "program.h"

#include <math.h>

/* What the scores of a row mean. */
enum {
    PER_LABEL,    /* one for each label; the largest one that got a vote wins */
    SINGLE_LABEL, /* one for the only label: above 0 means 1 */
    SHARED_SCORE, /* one for two labels: above the limit means the second */
    SECOND_ONLY /* as above, but the weights name the second label: the first has its base value */
};

struct model {
    struct bp_cpu_trees trees;
    struct bp_cpu_labels labels;
    double *base; /* one for each label; trees.zero if absent: adds nothing, is not a vote */
    uint32_t transform;
    uint32_t kind;
    double limit; /* SHARED_SCORE, SECOND_ONLY: the second label wins above it */
};

struct state {
    struct bp_cpu_trees_run run;
};

/* ---- what the attributes say ----------------------------------------------------------------- */

/* base_values: none, one for each label, or one for both of two labels. */
static bp_rc read_base(struct bp_cpu_node *node, struct bp_blocks *memory, struct model *m,
                       bp_err *err)
{
    uint32_t n = m->labels.n, count;
    double *base;
    bp_rc rc = bp_cpu_reals_read(node, "base_values", memory, &base, &count, err);

    if (rc >= 0 && count > 0 && !(count == 1 && n == 2))
        rc = bp_cpu_expect_count(node, "base_values", count, n, "classes are", err);
    if (rc < 0)
        return rc;
    m->base = bp_cpu_node_memory(node, n * sizeof *m->base);
    if (!m->base)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    for (uint32_t i = 0; i < n; i++)
        m->base[i] = count > 0 ? base[count == 1 ? 0 : i] + 0.0 : m->trees.zero;
    return BP_OK;
}

/*
 * Decides how scores become labels. If no weight is negative, scores are probabilities of the
 * second label, and the limit is 0.5.
 */
static void choose_kind(struct model *m, const struct bp_cpu_tree_list *list)
{
    bool is_positive = true, is_one = list->n_votes > 0;

    for (uint32_t i = 0; i < list->n_votes; i++) {
        is_positive = is_positive && !(list->votes[i].weight < 0);
        is_one = is_one && list->votes[i].target == list->votes[0].target;
    }
    m->kind = m->labels.n == 1             ? SINGLE_LABEL
              : m->labels.n > 2 || !is_one ? PER_LABEL
              : list->votes[0].target == 0 ? SHARED_SCORE
              : list->votes[0].target == 1 ? SECOND_ONLY
                                           : PER_LABEL; /* which is then refused */
    m->limit = is_positive ? 0.5 : 0;
    if (m->kind == SHARED_SCORE && m->transform != BP_CPU_RAW_SCORES &&
        m->transform != BP_CPU_PROBIT)
        m->limit = 0; /* a logit, whatever the signs of the weights */
}

static bp_rc build(struct bp_cpu_node *node, struct bp_blocks *memory, struct model *m, bp_err *err)
{
    struct bp_cpu_tree_list list;
    uint32_t n_targets;
    bp_rc rc = bp_cpu_labels_read(node, "classlabels_int64s", &m->labels, err);

    if (rc >= 0)
        rc = bp_cpu_transform_read(node, &m->transform, err);
    if (rc >= 0)
        rc = bp_cpu_trees_read(node, "class", memory, &list, err);
    if (rc < 0)
        return rc;
    choose_kind(m, &list);
    n_targets = m->kind == SHARED_SCORE ? 1 : m->labels.n;
    rc = bp_cpu_trees_build(node, &list, n_targets, BP_CPU_TREE_SUM, bp_cpu_trees_are_double(node),
                            &m->trees, err);
    if (m->kind == PER_LABEL)
        m->trees.zero = -0.0;
    return rc < 0 ? rc : read_base(node, memory, m, err);
}

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    struct bp_blocks memory = {.host = node->host};
    struct model *m = bp_cpu_node_memory(node, sizeof *m);
    bp_rc rc;

    if (!m)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    node->packed = m;
    rc = build(node, &memory, m, err);
    bp_blocks_free(&memory);
    return rc;
}

/* ---- running --------------------------------------------------------------------------------- */

/*
 * Index of the first largest score, compared as float32 like the output. -0 is the sum of no votes
 * and is passed over; 0 if nothing was voted for.
 */
static size_t largest(const double *x, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++) {
        bool is_score = x[i] != 0 || !signbit(x[i]), has_best = x[best] != 0 || !signbit(x[best]);

        best = is_score && (!has_best || (float)x[i] > (float)x[best]) ? i : best;
    }
    return best;
}

static void put_label(const struct model *m, bp_tensor *out, int64_t row, const double *scores)
{
    if (m->kind == SINGLE_LABEL)
        bp_cpu_put_binary_label(&m->labels, out, row, scores[0] > 0);
    else if (m->kind == PER_LABEL)
        bp_cpu_put_label(&m->labels, out, row, largest(scores, m->labels.n));
    else
        bp_cpu_put_label(&m->labels, out, row, scores[m->kind == SECOND_ONLY] > m->limit);
}

/* The first of two labels that share a score: 1 - score if it is a probability, else -score. */
static double first_score(const struct model *m, double score)
{
    bool is_probability =
        m->transform == BP_CPU_PROBIT || (m->transform == BP_CPU_RAW_SCORES && m->limit > 0);

    return is_probability ? 1 - score : -score;
}

/* Labels and scores of n rows from their sums, on the thread that computed them. */
static void finish(struct bp_cpu_call *call, double *sums, int64_t first, size_t n)
{
    const struct model *m = call->node->packed;
    size_t n_sums = m->trees.n_targets, n_labels = m->labels.n;
    bp_tensor *labels = bp_cpu_out(call, 0), *out = bp_cpu_out(call, 1);
    float *z = out ? (float *)bp_cpu_data(out) + (size_t)first * n_labels : NULL;

    for (size_t r = 0; r < n; r++) {
        double *scores = sums + r * n_sums;

        for (size_t c = 0; c < n_sums; c++)
            scores[c] += m->base[c];
        put_label(m, labels, first + (int64_t)r, scores);
        if (!z)
            continue;
        for (size_t c = 0; c < n_labels; c++)
            z[r * n_labels + c] = (float)(m->kind != SHARED_SCORE ? scores[c] + 0.0
                                          : c == 0                ? first_score(m, scores[0])
                                                                  : scores[0]);
    }
    if (z)
        bp_cpu_transform_targets_f32(z, n, n_labels, m->transform);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct model *m = call->node->packed;
    const bp_tensor *z = bp_cpu_out(call, 1);

    if (z && (z->rank != 2 || z->dims[1] != m->labels.n))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "it gives %u scores in a row", m->labels.n);
    return bp_cpu_trees_prepare(call, sizeof(struct state), &m->trees, finish, err);
}

const struct bp_cpu_op bp_cpu_op_tree_ensemble_classifier = {
    .name = "TreeEnsembleClassifier",
    .domain = "ai.onnx.ml",
    .since = 1,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack,
    .prepare = prepare,
    .run = bp_cpu_trees_run,
};
