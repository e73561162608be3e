/* SPDX-License-Identifier: MIT */
/* ml_models.c - ai.onnx.ml: linear models, support vector machines and tree ensembles. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_ML

/* ---- linear models --------------------------------------------------------------------------- */

/*
 * ai.onnx.ml: LinearClassifier 1; LinearRegressor 1.
 * X is (rows, features), or a vector, which is one row. A classifier gives a label for each
 * row, strings or int64 by which labels are given, and float32 scores (rows, classes); with
 * two labels and one row of coefficients the second score is made of the first.
 * LinearRegressor gives (rows, targets).
 */

static uint32_t count_of(const struct bp_infer *infer, const char *name)
{
    const bp_attr *attr = bp_ir_attr(infer->node, name);

    return attr ? attr->count : 0;
}

/* Rows of input 0: a list is one row. *known false: its rank is not known. */
static bp_rc rows_of(struct bp_infer *infer, struct bp_sym *rows, bool *known)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 1, 2);

    *known = bp_rule_ranked(x);
    if (rc < 0)
        return rc;
    *rows = *known && x->rank == 2 ? x->dims[0] : bp_sym_of(1);
    return BP_OK;
}

/* Output i has `columns` for each row of input 0; -1: is a list of one for each. */
static bp_rc set_rows(struct bp_infer *infer, uint32_t i, uint32_t dtype, int64_t columns)
{
    struct bp_sym dims[2];
    bool known;
    bp_rc rc = rows_of(infer, &dims[0], &known);

    if (rc < 0)
        return rc;
    if (!known)
        return bp_rule_unknown(infer, i, dtype);
    dims[1] = bp_sym_of(columns);
    return bp_rule_set(infer, i, dtype, columns < 0 ? 1 : 2, dims);
}

/* Labels and scores of a classifier. */
static bp_rc set_classes(struct bp_infer *infer, bool has_strings, int64_t columns)
{
    bp_rc rc = set_rows(infer, 0, has_strings ? BP_DTYPE_STRING : BP_DTYPE_I64, -1);

    return rc < 0 ? rc : set_rows(infer, 1, BP_DTYPE_F32, columns);
}

/* Labels are strings where any are given, else integers. */
static bp_rc count_labels(struct bp_infer *infer, const char *ints, uint32_t *n, bool *has_strings)
{
    *n = count_of(infer, "classlabels_strings");
    *has_strings = *n > 0;
    if (!*has_strings)
        *n = count_of(infer, ints);
    if (*n == 0)
        return bp_fail(infer->err, BP_E_INVALID, "neither %s nor classlabels_strings is given",
                       ints);
    return BP_OK;
}

static bp_rc infer_linear_classifier(struct bp_infer *infer)
{
    uint32_t n, intercepts = count_of(infer, "intercepts");
    bool has_strings;
    bp_rc rc = count_labels(infer, "classlabels_ints", &n, &has_strings);

    if (rc < 0)
        return rc;
    /* two labels may share one score: then the other one's is made of it */
    return set_classes(infer, has_strings,
                       intercepts == 0 || (intercepts == 1 && n == 2) ? n : intercepts);
}

static bp_rc infer_linear_regressor(struct bp_infer *infer)
{
    int64_t targets = bp_ir_attr_int(infer->node, "targets", 1);

    if (targets < 1)
        return bp_fail(infer->err, BP_E_INVALID, "targets is %" PRId64, targets);
    return set_rows(infer, 0, BP_DTYPE_F32, targets);
}

#define ML_NUMBER (BP_T(F32) | BP_T(F64) | BP_T(I64) | BP_T(I32))
#define LABEL (BP_T(STRING) | BP_T(I64))
#define FROM_NUMBERS IN(P("X", 0, ML_NUMBER))
#define TO_FLOATS OUT(P("Y", 0, BP_T(F32)))
#define TO_CLASSES OUT(P("Y", 0, LABEL), P("Z", 0, BP_T(F32)))
#define TRANSFORM A_STRING("post_transform", "NONE")

ML_ROW(LinearClassifier, 1, INFER(infer_linear_classifier), FROM_NUMBERS, TO_CLASSES,
       ATTRS(A_INTS("classlabels_ints"), A_STRINGS("classlabels_strings"),
             {.name = "coefficients", .type = BP_ATTR_FLOAT, .is_list = true, .is_required = true},
             A_FLOATS("intercepts"), A_INT("multi_class", 0), TRANSFORM));

ML_ROW(LinearRegressor, 1, INFER(infer_linear_regressor), FROM_NUMBERS, TO_FLOATS,
       ATTRS(A_FLOATS("coefficients"), A_FLOATS("intercepts"), TRANSFORM, A_INT("targets", 1)));

/* ---- support vector machines ----------------------------------------------------------------- */

/*
 * ai.onnx.ml: SVMClassifier 1; SVMRegressor 1.
 * SVMClassifier gives a label for each row, and scores: one for each class with
 * vectors_per_class absent or with probabilities (prob_a), else one for each pair of classes,
 * 2 where there are two. SVMRegressor gives (rows, 1).
 */

static bp_rc infer_svm_regressor(struct bp_infer *infer)
{
    return set_rows(infer, 0, BP_DTYPE_F32, 1);
}

static bp_rc infer_svm_classifier(struct bp_infer *infer)
{
    uint32_t n, n_counts;
    bool has_strings, has_vectors = false;
    const int64_t *counts = bp_ir_attr_ints(infer->node, "vectors_per_class", &n_counts);
    bp_rc rc = count_labels(infer, "classlabels_ints", &n, &has_strings);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < n_counts; i++)
        has_vectors = has_vectors || counts[i] > 0;
    if (!has_vectors || count_of(infer, "prob_a") > 0)
        return set_classes(infer, has_strings, n);
    /* scores of pairs */
    return set_classes(infer, has_strings, n > 2 ? (int64_t)n * (n - 1) / 2 : 2);
}

#define SVM                                                                                        \
    A_FLOATS("coefficients"), A_FLOATS("kernel_params"), A_STRING("kernel_type", "LINEAR"),        \
        TRANSFORM, A_FLOATS("rho"), A_FLOATS("support_vectors")

ML_ROW(SVMClassifier, 1, INFER(infer_svm_classifier), FROM_NUMBERS, TO_CLASSES,
       ATTRS(SVM, A_INTS("classlabels_ints"), A_STRINGS("classlabels_strings"), A_FLOATS("prob_a"),
             A_FLOATS("prob_b"), A_INTS("vectors_per_class")));

ML_ROW(SVMRegressor, 1, INFER(infer_svm_regressor), FROM_NUMBERS, TO_FLOATS,
       ATTRS(SVM, A_INT("n_supports", 0), A_INT("one_class", 0)));

/* ---- tree ensembles -------------------------------------------------------------------------- */

/*
 * ai.onnx.ml: TreeEnsembleClassifier 1, 3, 5; TreeEnsembleRegressor 1, 3, 5; TreeEnsemble 5.
 * TreeEnsembleClassifier gives a label and a score for each class, TreeEnsembleRegressor and
 * TreeEnsemble (5) give (rows, targets). n_targets is the number of targets; where it is
 * absent, the largest target that a leaf names tells it. The lists of nodes are read by the
 * provider.
 */

static bp_rc infer_tree_classifier(struct bp_infer *infer)
{
    uint32_t n;
    bool has_strings;
    bp_rc rc = count_labels(infer, "classlabels_int64s", &n, &has_strings);

    return rc < 0 ? rc : set_classes(infer, has_strings, n);
}

/* The number of targets; where nothing says it, as many as the leaves name. */
static bp_rc count_targets(struct bp_infer *infer, const char *ids_name, int64_t *out)
{
    uint32_t n;
    const int64_t *ids = bp_ir_attr_ints(infer->node, ids_name, &n);

    *out = 1;
    for (uint32_t i = 0; i < n; i++)
        *out = ids[i] >= *out && ids[i] < INT64_MAX ? ids[i] + 1 : *out;
    *out = bp_ir_attr_int(infer->node, "n_targets", *out);
    if (*out < 1)
        return bp_fail(infer->err, BP_E_INVALID, "n_targets is %" PRId64, *out);
    return BP_OK;
}

static bp_rc infer_tree_regressor(struct bp_infer *infer)
{
    int64_t n;
    bp_rc rc = count_targets(infer, "target_ids", &n);

    return rc < 0 ? rc : set_rows(infer, 0, BP_DTYPE_F32, n);
}

static bp_rc infer_tree_ensemble(struct bp_infer *infer)
{
    int64_t n;
    bp_rc rc = count_targets(infer, "leaf_targetids", &n);

    return rc < 0 ? rc : set_rows(infer, 0, bp_rule_dtype(infer, 0), n);
}

#define NODES                                                                                      \
    A_FLOATS("base_values"), A_INTS("nodes_falsenodeids"), A_INTS("nodes_featureids"),             \
        A_FLOATS("nodes_hitrates"), A_INTS("nodes_missing_value_tracks_true"),                     \
        A_STRINGS("nodes_modes"), A_INTS("nodes_nodeids"), A_INTS("nodes_treeids"),                \
        A_INTS("nodes_truenodeids"), A_FLOATS("nodes_values"), TRANSFORM
/* doubles instead of the lists without the ending */
#define NODES3                                                                                     \
    NODES, A_TENSOR_OPT("base_values_as_tensor"), A_TENSOR_OPT("nodes_hitrates_as_tensor"),        \
        A_TENSOR_OPT("nodes_values_as_tensor")
#define VOTES                                                                                      \
    A_INTS("class_ids"), A_INTS("class_nodeids"), A_INTS("class_treeids"),                         \
        A_FLOATS("class_weights"), A_INTS("classlabels_int64s"), A_STRINGS("classlabels_strings")
#define TARGETS                                                                                    \
    A_STRING("aggregate_function", "SUM"), A_INT_OPT("n_targets"), A_INTS("target_ids"),           \
        A_INTS("target_nodeids"), A_INTS("target_treeids"), A_FLOATS("target_weights")

#define TREE_CLASSIFIER(since, ...)                                                                \
    ML_ROW(TreeEnsembleClassifier, since, INFER(infer_tree_classifier), FROM_NUMBERS, TO_CLASSES,  \
           ATTRS(__VA_ARGS__))
#define TREE_REGRESSOR(since, ...)                                                                 \
    ML_ROW(TreeEnsembleRegressor, since, INFER(infer_tree_regressor), FROM_NUMBERS, TO_FLOATS,     \
           ATTRS(__VA_ARGS__))

TREE_CLASSIFIER(1, NODES, VOTES);
TREE_CLASSIFIER(3, NODES3, VOTES, A_TENSOR_OPT("class_weights_as_tensor"));
TREE_CLASSIFIER(5, NODES3, VOTES, A_TENSOR_OPT("class_weights_as_tensor")); /* deprecated */

TREE_REGRESSOR(1, NODES, TARGETS);
TREE_REGRESSOR(3, NODES3, TARGETS, A_TENSOR_OPT("target_weights_as_tensor"));
TREE_REGRESSOR(5, NODES3, TARGETS, A_TENSOR_OPT("target_weights_as_tensor")); /* deprecated */

ML_ROW(TreeEnsemble, 5, INFER(infer_tree_ensemble), IN(P("X", 'T', FLOAT3)),
       OUT(P("Y", 'T', FLOAT3)),
       ATTRS(A_INT("aggregate_function", 1), A_INTS_REQ("leaf_targetids"),
             A_TENSOR_REQ("leaf_weights"), A_TENSOR_OPT("membership_values"),
             A_INT_OPT("n_targets"), A_INTS_REQ("nodes_falseleafs"),
             A_INTS_REQ("nodes_falsenodeids"), A_INTS_REQ("nodes_featureids"),
             A_TENSOR_OPT("nodes_hitrates"), A_INTS("nodes_missing_value_tracks_true"),
             A_TENSOR_REQ("nodes_modes"), A_TENSOR_REQ("nodes_splits"),
             A_INTS_REQ("nodes_trueleafs"), A_INTS_REQ("nodes_truenodeids"),
             A_INT("post_transform", 0), A_INTS_REQ("tree_roots")));
