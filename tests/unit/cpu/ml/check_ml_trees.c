/* SPDX-License-Identifier: MIT */
/*
 * check_ml_trees.c - TreeEnsembleRegressor and TreeEnsembleClassifier of ai.onnx.ml on the CPU
 * provider: random forests against a walk through the lists of the model, in doubles.
 */

#include "config.h"

#include "cpu/ml/trees_kit.h"

/* ---- TreeEnsembleRegressor ------------------------------------------------------------------- */

START_TEST(tree_ensemble_regressor_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], aggregate = (uint32_t)_i / 4 % 4;
    bool as_double = _i / 16 % 2, has_base = random_below(&seed, 2);
    struct forest_config w = random_config(&seed, as_double);
    uint32_t rows = random_rows(&seed);
    double base[MOST_TARGETS], want[MOST_TARGETS];
    const float *y;

    plant(&seed, &w);
    shuffle(&seed);
    fill_x(&seed, dtype, rows * w.features, random_below(&seed, 2));
    th_input(t, "x", dtype, dims_of(rows, w.features), rows ? x_bytes : NULL);
    th_output(t, "y", BP_DTYPE_F32, dims_of(rows, w.targets));
    th_node(t, "TreeEnsembleRegressor", as_double ? 3 : 1, "x", "y");
    set_attrs("target", as_double);
    th_string(t, "aggregate_function", aggregates[aggregate]);
    th_int(t, "n_targets", w.targets);
    for (uint32_t k = 0; k < w.targets; k++)
        base[k] = (double)random_float(&seed, 1);
    if (has_base)
        (as_double ? doubles : floats)("base_values", base, w.targets);
    ck_run();
    y = th_data(t, "y");
    for (uint32_t r = 0; r < rows; r++) {
        reference(x + r * w.features, aggregate, want);
        for (uint32_t k = 0; k < w.targets; k++) {
            want[k] += has_base ? base[k] : 0;
            ck_assert_msg(fabs((double)y[r * w.targets + k] - want[k]) < close_to(want[k]),
                          "row %u target %u: %g, not %g", r, k, (double)y[r * w.targets + k],
                          want[k]);
        }
    }
}
END_TEST

/* Few rows and many trees: threads share the trees. */
START_TEST(threads_share_the_trees_of_an_ensemble)
{
    static const uint32_t sizes[] = {1, 2, 4, 5, 9, 17};
    uint64_t seed = (uint64_t)_i;
    uint32_t rows = sizes[_i % 6], aggregate = (uint32_t)_i / 6 % 4;
    struct forest_config w = {.trees = 250,
                              .depth = 5,
                              .features = 5,
                              .targets = 1 + (uint32_t)_i % 3,
                              .n_modes = 1,
                              .least_votes = 1};
    double want[MOST_TARGETS];
    const float *y;

    plant(&seed, &w);
    fill_x(&seed, BP_DTYPE_F32, rows * w.features, false);
    th_threads(t, 8);
    th_input(t, "x", BP_DTYPE_F32, dims_of(rows, w.features), x_bytes);
    th_output(t, "y", BP_DTYPE_F32, dims_of(rows, w.targets));
    th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
    set_attrs("target", false);
    th_string(t, "aggregate_function", aggregates[aggregate]);
    th_int(t, "n_targets", w.targets);
    ck_run();
    y = th_data(t, "y");
    for (uint32_t r = 0; r < rows; r++) {
        reference(x + r * w.features, aggregate, want);
        for (uint32_t k = 0; k < w.targets; k++)
            ck_assert_double_le(fabs((double)y[r * w.targets + k] - want[k]),
                                10 * close_to(want[k]));
    }
}
END_TEST

/* ---- TreeEnsembleClassifier ------------------------------------------------------------------ */

static const char *const transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

static double logistic(double v)
{
    return 1 / (1 + exp(-v));
}

static void transform_row(uint32_t transform, double *z, uint32_t n)
{
    double sum = 0, max = z[0];

    for (uint32_t i = 0; i < n; i++)
        max = z[i] > max ? z[i] : max;
    for (uint32_t i = 0; i < n; i++) {
        if (transform == 2)
            z[i] = logistic(z[i]);
        if (transform == 3 && fabs(z[i]) <= 1e-7)
            z[i] *= exp(-max);
        else if (transform == 1 || transform == 3)
            z[i] = exp(z[i] - max);
        sum += z[i];
    }
    for (uint32_t i = 0; i < n && (transform == 1 || transform == 3); i++)
        z[i] = fabs(sum) > 0 ? z[i] / sum : 0.5;
}

START_TEST(tree_ensemble_classifier_matches_its_definition)
{
    static const char *const names[] = {"a", "bee", "", "sea", "\xc3\xa9"};
    static const int64_t values[] = {7, -3, 1000000000000, 0, 5};
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], transform = (uint32_t)_i / 4 % 4, rows = random_rows(&seed);
    bool is_text = _i / 16 % 2, has_base = random_below(&seed, 2);
    struct forest_config w = random_config(&seed, false);
    double base[MOST_TARGETS], want[MOST_TARGETS];
    char label_dims[16];

    w.targets = 3 + random_below(&seed, 3);
    plant(&seed, &w);
    fill_x(&seed, dtype, rows * w.features, true);
    th_input(t, "x", dtype, dims_of(rows, w.features), rows ? x_bytes : NULL);
    snprintf(label_dims, sizeof label_dims, "%u", rows);
    th_output(t, "label", is_text ? BP_DTYPE_STRING : BP_DTYPE_I64, label_dims);
    th_output(t, "z", BP_DTYPE_F32, dims_of(rows, w.targets));
    th_node(t, "TreeEnsembleClassifier", 1, "x", "label z");
    set_attrs("class", false);
    th_string(t, "post_transform", transforms[transform]);
    if (is_text)
        th_strings(t, "classlabels_strings", w.targets, names);
    else
        th_ints(t, "classlabels_int64s", w.targets, values);
    for (uint32_t k = 0; k < w.targets; k++)
        base[k] = has_base ? (double)random_float(&seed, 1) : 0;
    if (has_base)
        floats("base_values", base, w.targets);
    ck_run();
    for (uint32_t r = 0; r < rows; r++) {
        bool has_vote[MOST_TARGETS];
        uint32_t best = 0;

        reference_votes(x + r * w.features, 1, want, has_vote);
        for (uint32_t k = 0; k < w.targets; k++) {
            want[k] += (double)(float)base[k];
            has_vote[k] = has_vote[k] || has_base;
            if (has_vote[k] && (!has_vote[best] || (float)want[k] > (float)want[best]))
                best = k;
        }
        if (is_text) {
            bp_span got = ((const bp_span *)th_data(t, "label"))[r];

            ck_assert_uint_eq(got.size, strlen(names[best]));
            ck_assert_mem_eq(got.data, names[best], got.size);
        } else {
            ck_assert_int_eq(((const int64_t *)th_data(t, "label"))[r], values[best]);
        }
        transform_row(transform, want, w.targets);
        for (uint32_t k = 0; k < w.targets; k++)
            ck_assert_double_le(
                fabs((double)((const float *)th_data(t, "z"))[r * w.targets + k] - want[k]),
                close_to(want[k]));
    }
}
END_TEST

/* One leaf that gives its weight to one class of two, with all that may be said about it. */
static const struct {
    double weight, base[2];
    uint32_t n_base, class;
    const char *transform;
    int64_t label;
    double z[2];
} pairs[] = {
    {.weight = 0.75, .transform = "NONE", .label = 9, .z = {0.25, 0.75}},
    {.weight = 0.25, .transform = "NONE", .label = 4, .z = {0.75, 0.25}},
    {.weight = -0.25, .transform = "NONE", .label = 4, .z = {0.25, -0.25}},
    {.weight = -0.5,
     .base = {0.75},
     .n_base = 1,
     .transform = "NONE",
     .label = 9,
     .z = {-0.25, 0.25}},
    {.weight = -1, .transform = "LOGISTIC", .label = 4, .z = {0.731058579, 0.268941421}},
    {.weight = 1, .transform = "LOGISTIC", .label = 9, .z = {0.268941421, 0.731058579}},
    {.weight = -1,
     .base = {3, 3},
     .n_base = 2,
     .transform = "LOGISTIC",
     .label = 9,
     .z = {0.119202922, 0.880797078}},
    {.weight = -1, .transform = "SOFTMAX", .label = 4, .z = {0.880797078, 0.119202922}},
    {.weight = 0.75, .transform = "PROBIT", .label = 9, .z = {-0.6740, 0.6740}},
    {.weight = 0.75, .class = 1, .transform = "NONE", .label = 9, .z = {0, 0.75}},
    {.weight = 0.25, .class = 1, .transform = "NONE", .label = 4, .z = {0, 0.25}},
    {.weight = -0.25, .class = 1, .transform = "LOGISTIC", .label = 4, .z = {0.5, 0.437823499}},
};

START_TEST(tree_ensemble_classifier_makes_two_scores_of_one)
{
    int64_t zero = 0, class = pairs[_i].class;
    const char *leaf = "LEAF";
    const float *z;

    th_input(t, "x", BP_DTYPE_F32, "1", (float[]){1});
    th_output(t, "label", BP_DTYPE_I64, "1");
    th_output(t, "z", BP_DTYPE_F32, "1,2");
    th_node(t, "TreeEnsembleClassifier", 3, "x", "label z");
    th_domain(t, "ai.onnx.ml");
    th_ints(t, "nodes_treeids", 1, &zero);
    th_ints(t, "nodes_nodeids", 1, &zero);
    th_ints(t, "nodes_featureids", 1, &zero);
    th_ints(t, "nodes_truenodeids", 1, &zero);
    th_ints(t, "nodes_falsenodeids", 1, &zero);
    th_strings(t, "nodes_modes", 1, &leaf);
    floats("nodes_values", (double[]){0}, 1);
    th_ints(t, "class_ids", 1, &class);
    th_ints(t, "class_nodeids", 1, &zero);
    th_ints(t, "class_treeids", 1, &zero);
    floats("class_weights", &pairs[_i].weight, 1);
    if (pairs[_i].n_base > 0)
        floats("base_values", pairs[_i].base, pairs[_i].n_base);
    th_ints(t, "classlabels_int64s", 2, (int64_t[]){4, 9});
    th_string(t, "post_transform", pairs[_i].transform);
    ck_run();
    z = th_data(t, "z");
    ck_assert_int_eq(*(const int64_t *)th_data(t, "label"), pairs[_i].label);
    ck_assert_double_le(fabs((double)z[0] - pairs[_i].z[0]), 1e-3);
    ck_assert_double_le(fabs((double)z[1] - pairs[_i].z[1]), 1e-3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_trees");
    TCase *tcase = tcase_create("trees");
    SRunner *runner;
    int failures;

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, tree_ensemble_regressor_matches_its_definition, 0, 192);
    tcase_add_loop_test(tcase, threads_share_the_trees_of_an_ensemble, 0, 24);
    tcase_add_loop_test(tcase, tree_ensemble_classifier_matches_its_definition, 0, 128);
    tcase_add_loop_test(tcase, tree_ensemble_classifier_makes_two_scores_of_one, 0,
                        sizeof pairs / sizeof *pairs);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
