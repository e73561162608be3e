/* SPDX-License-Identifier: MIT */
/*
 * check_ml_models.c - linear models and support vector machines of ai.onnx.ml on the CPU
 * provider, against what the operator's text says, in doubles.
 */

#include "config.h"

#include "cpu/ml/ml_kit.h"

/* ---- scores ---------------------------------------------------------------------------------- */

static const char *const transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

/* The quantile of the normal distribution, by bisection. */
static double quantile(double p)
{
    double low = -9, high = 9;

    if (p <= 0 || p >= 1)
        return p < 0 || p > 1 ? (double)NAN : p > 0 ? HUGE_VAL : -HUGE_VAL;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (erfc(-middle / sqrt(2)) / 2 < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void transform_row(uint32_t transform, double *z, uint32_t n)
{
    double sum = 0, max = z[0];

    for (uint32_t i = 0; i < n; i++)
        max = z[i] > max ? z[i] : max;
    for (uint32_t i = 0; i < n; i++) {
        z[i] = transform == 2                         ? 1 / (1 + exp(-z[i]))
               : transform == 4                       ? quantile(z[i])
               : transform == 3 && fabs(z[i]) <= 1e-7 ? z[i] * exp(-max)
               : transform == 1 || transform == 3     ? exp(z[i] - max)
                                                      : z[i];
        sum += z[i];
    }
    for (uint32_t i = 0; i < n && (transform == 1 || transform == 3); i++)
        z[i] = fabs(sum) > 0 ? z[i] / sum : 0.5;
}

static void ck_score(double got, double want, uint32_t transform, uint32_t i)
{
    if (!isfinite(want))
        ck_assert_msg(isnan(want) ? isnan(got) : got == want, "number %u: %g, not %g", i, got,
                      want);
    else
        ck_close(got, want, transform == 4 ? 6e-3 : 3e-5, i);
}

static const int64_t class_ids[MOST_CLASSES] = {5, -1, 0, 33, 8, 2, 99, 1};
static const char *const class_names[MOST_CLASSES] = {"a", "b", "", "d", "e", "f", "g", "hh"};

static void set_labels(uint32_t n, bool is_text)
{
    if (is_text)
        th_strings(t, "classlabels_strings", n, class_names);
    else
        th_ints(t, "classlabels_ints", n, class_ids);
}

static void ck_label(uint32_t r, uint32_t want, bool is_text)
{
    if (is_text) {
        bp_span got = ((const bp_span *)th_data(t, "label"))[r];

        ck_assert_uint_eq(got.size, strlen(class_names[want]));
        ck_assert_mem_eq(got.data, class_names[want], got.size);
    } else {
        ck_assert_int_eq(((const int64_t *)th_data(t, "label"))[r], class_ids[want]);
    }
}

/* ---- LinearRegressor, LinearClassifier ------------------------------------------------------- */

static void linear(const float *coefficients, const float *intercepts, uint32_t r, uint32_t n,
                   uint32_t cols, double *out)
{
    for (uint32_t k = 0; k < n; k++) {
        out[k] = intercepts ? (double)intercepts[k] : 0;
        for (uint32_t c = 0; c < cols; c++)
            out[k] += x[r * cols + c] * (double)coefficients[k * cols + c];
    }
}

START_TEST(linear_regressor_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], transform = (uint32_t)_i / 4 % 5;
    uint32_t rows = random_below(&seed, 150), cols = 1 + random_below(&seed, 20);
    uint32_t n = 1 + random_below(&seed, 2) * random_below(&seed, 30);
    const float *coefficients = random_list(&seed, n * cols, 0.2f);
    const float *intercepts = random_below(&seed, 2) ? random_list(&seed, n, 1) : NULL;
    double want[32];

    fill_x(&seed, dtype, rows * cols, 3, 0);
    th_input(t, "x", dtype, dims_of(rows, cols), rows ? x_bytes : NULL);
    th_output(t, "y", BP_DTYPE_F32, dims_of(rows, n));
    node("LinearRegressor", "x", "y");
    th_int(t, "targets", n);
    th_floats(t, "coefficients", n * cols, coefficients);
    if (intercepts)
        th_floats(t, "intercepts", n, intercepts);
    th_string(t, "post_transform", transforms[transform]);
    ck_run();
    for (uint32_t r = 0; r < rows; r++) {
        linear(coefficients, intercepts, r, n, cols, want);
        if (n > 1 || transform == 4)
            transform_row(transform, want, n);
        for (uint32_t k = 0; k < n; k++)
            ck_score((double)((const float *)th_data(t, "y"))[r * n + k], want[k], transform, k);
    }
}
END_TEST

START_TEST(linear_classifier_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], transform = (uint32_t)_i / 4 % 5;
    uint32_t rows = random_below(&seed, 150), cols = 1 + random_below(&seed, 20);
    uint32_t n = 1 + random_below(&seed, MOST_CLASSES), n_labels = n == 1 ? 2 : n;
    bool is_text = random_below(&seed, 2), has_intercepts = n == 1 || random_below(&seed, 2);
    const float *coefficients = random_list(&seed, n * cols, 0.2f);
    const float *intercepts = has_intercepts ? random_list(&seed, n, 1) : NULL;
    double want[MOST_CLASSES];

    fill_x(&seed, dtype, rows * cols, 3, 0);
    th_input(t, "x", dtype, dims_of(rows, cols), rows ? x_bytes : NULL);
    th_output(t, "label", is_text ? BP_DTYPE_STRING : BP_DTYPE_I64, count_text(rows));
    th_output(t, "z", BP_DTYPE_F32, dims_of(rows, n_labels));
    node("LinearClassifier", "x", "label z");
    th_floats(t, "coefficients", n * cols, coefficients);
    if (intercepts)
        th_floats(t, "intercepts", n, intercepts);
    set_labels(n_labels, is_text);
    th_string(t, "post_transform", transforms[transform]);
    ck_run();
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t best = 0;

        linear(coefficients, intercepts, r, n, cols, want);
        if (n == 1) {
            want[1] = want[0];
            want[0] = -want[1];
        }
        for (uint32_t k = 0; k < n_labels; k++)
            best = want[k] > want[best] + 1e-6 ? k : best;
        ck_label(r, best, is_text);
        transform_row(transform, want, n_labels);
        for (uint32_t k = 0; k < n_labels; k++)
            ck_score((double)((const float *)th_data(t, "z"))[r * n_labels + k], want[k], transform,
                     k);
    }
}
END_TEST

/* ---- SVMRegressor, SVMClassifier ------------------------------------------------------------- */

static const char *const kernels[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
static const float kernel_params[] = {0.25f, 0.5f, 3};

static double kernel(uint32_t kind, const double *a, const float *b, uint32_t n)
{
    double dot = 0, distance = 0;

    for (uint32_t i = 0; i < n; i++) {
        double d = a[i] - (double)b[i];

        dot += a[i] * (double)b[i];
        distance += d * d;
    }
    return kind == 0   ? dot
           : kind == 1 ? pow(0.25 * dot + 0.5, 3)
           : kind == 2 ? exp(-0.25 * distance)
                       : tanh(0.25 * dot + 0.5);
}

START_TEST(svm_regressor_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], kind = (uint32_t)_i / 4 % 4;
    uint32_t rows = random_below(&seed, 90), cols = 1 + random_below(&seed, 12);
    uint32_t n = random_below(&seed, 50);
    bool is_one_class = random_below(&seed, 2);
    const float *vectors = random_list(&seed, n * cols, 1);
    const float *coefficients = random_list(&seed, n > 0 ? n : cols, 1);
    const float *y;

    fill_x(&seed, dtype, rows * cols, 1, 0);
    th_input(t, "x", dtype, dims_of(rows, cols), rows ? x_bytes : NULL);
    th_output(t, "y", BP_DTYPE_F32, dims_of(rows, 1));
    node("SVMRegressor", "x", "y");
    th_floats(t, "coefficients", n > 0 ? n : cols, coefficients);
    if (n > 0)
        th_floats(t, "support_vectors", n * cols, vectors);
    th_int(t, "n_supports", n);
    th_floats(t, "rho", 1, (float[]){0.125f});
    th_floats(t, "kernel_params", 3, kernel_params);
    th_string(t, "kernel_type", kernels[kind]);
    th_int(t, "one_class", is_one_class);
    ck_run();
    y = th_data(t, "y");
    for (uint32_t r = 0; r < rows; r++) {
        double want = 0.125;

        for (uint32_t v = 0; v < n; v++)
            want += (double)coefficients[v] * kernel(kind, x + r * cols, vectors + v * cols, cols);
        if (n == 0)
            want += kernel(0, x + r * cols, coefficients, cols);
        if (!is_one_class)
            ck_close((double)y[r], want, 1e-4, r);
        else if (fabs(want) > 1e-4)
            ck_close((double)y[r], want > 0 ? 1 : -1, 0, r);
    }
}
END_TEST

/* Row i of Q times p, where Q is of the n classes' pairwise probabilities. */
static double times_row(double pairs[MOST_CLASSES][MOST_CLASSES], uint32_t n, const double *p,
                        uint32_t i)
{
    double sum = 0;

    for (uint32_t j = 0; j < n; j++)
        sum += j == i ? 0 : pairs[j][i] * (pairs[j][i] * p[i] - pairs[i][j] * p[j]);
    return sum;
}

/*
 * The second method of Wu, Lin and Weng, "Probability Estimates for Multi-class Classification by
 * Pairwise Coupling" (2004), as libsvm and ONNX Runtime stop it: 100 rounds, or all elements of
 * Q p within 0.005 / n of p' Q p. Each element and p' Q p are computed from scratch here, where the
 * kernel carries them along. False: so near to stopping that rounding decides when.
 */
static bool couple(double pairs[MOST_CLASSES][MOST_CLASSES], uint32_t n, double *p)
{
    double limit = 0.005 / n;

    for (uint32_t i = 0; i < n; i++)
        p[i] = 1.0 / n;
    for (uint32_t round = 0; round < 100; round++) {
        double mean = 0, worst = 0;

        for (uint32_t i = 0; i < n; i++)
            mean += p[i] * times_row(pairs, n, p, i);
        for (uint32_t i = 0; i < n; i++)
            worst = fmax(worst, fabs(times_row(pairs, n, p, i) - mean));
        if (fabs(worst - limit) < 1e-5)
            return false;
        if (worst < limit)
            return true;
        for (uint32_t i = 0; i < n; i++) {
            double diagonal = 0, sum = 0;

            mean = 0;
            for (uint32_t j = 0; j < n; j++) {
                diagonal += j == i ? 0 : pairs[j][i] * pairs[j][i];
                mean += p[j] * times_row(pairs, n, p, j);
            }
            p[i] += (mean - times_row(pairs, n, p, i)) / diagonal;
            for (uint32_t j = 0; j < n; j++)
                sum += p[j];
            for (uint32_t j = 0; j < n; j++)
                p[j] /= sum;
        }
    }
    return true;
}

START_TEST(svm_classifier_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], kind = (uint32_t)_i / 4 % 4, n = 2 + random_below(&seed, 4);
    uint32_t rows = random_below(&seed, 60), cols = 1 + random_below(&seed, 9), total = 0;
    uint32_t pairs = n * (n - 1) / 2;
    bool is_text = random_below(&seed, 2), has_prob = _i / 16 % 2;
    uint32_t columns = has_prob ? n : n == 2 ? 2 : pairs;
    int64_t counts[MOST_CLASSES];
    uint32_t starts[MOST_CLASSES];
    const float *coefficients, *vectors, *rho = random_list(&seed, pairs, 0.3f);
    const float *prob_a = random_list(&seed, pairs, 2), *prob_b = random_list(&seed, pairs, 1);

    for (uint32_t k = 0; k < n; k++) {
        starts[k] = total;
        total += (uint32_t)(counts[k] = 1 + random_below(&seed, 9));
    }
    vectors = random_list(&seed, total * cols, 1);
    coefficients = random_list(&seed, (n - 1) * total, 1);
    fill_x(&seed, dtype, rows * cols, 1, 0);
    th_input(t, "x", dtype, dims_of(rows, cols), rows ? x_bytes : NULL);
    th_output(t, "label", is_text ? BP_DTYPE_STRING : BP_DTYPE_I64, count_text(rows));
    th_output(t, "z", BP_DTYPE_F32, dims_of(rows, columns));
    node("SVMClassifier", "x", "label z");
    th_floats(t, "coefficients", (n - 1) * total, coefficients);
    th_floats(t, "support_vectors", total * cols, vectors);
    th_ints(t, "vectors_per_class", n, counts);
    th_floats(t, "rho", pairs, rho);
    th_floats(t, "kernel_params", 3, kernel_params);
    th_string(t, "kernel_type", kernels[kind]);
    set_labels(n, is_text);
    if (has_prob) {
        th_floats(t, "prob_a", pairs, prob_a);
        th_floats(t, "prob_b", pairs, prob_b);
    }
    ck_run();
    for (uint32_t r = 0; r < rows; r++) {
        double scores[64], likely[MOST_CLASSES][MOST_CLASSES], p[MOST_CLASSES];
        uint32_t votes[MOST_CLASSES] = {0}, pair = 0, best = 0;
        bool is_close = false;

        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = i + 1; j < n; j++, pair++) {
                double s = (double)rho[pair], q;

                for (uint32_t v = starts[i]; v < starts[i] + counts[i]; v++)
                    s += (double)coefficients[(j - 1) * total + v] *
                         kernel(kind, x + r * cols, vectors + v * cols, cols);
                for (uint32_t v = starts[j]; v < starts[j] + counts[j]; v++)
                    s += (double)coefficients[i * total + v] *
                         kernel(kind, x + r * cols, vectors + v * cols, cols);
                scores[pair] = s;
                is_close = is_close || fabs(s) < 1e-4;
                votes[s > 0 ? i : j]++;
                q = 1 / (1 + exp(s * (double)prob_a[pair] + (double)prob_b[pair]));
                q = q < 1e-7 ? 1e-7 : q > 1 - 1e-7 ? 1 - 1e-7 : q;
                likely[i][j] = q;
                likely[j][i] = 1 - q;
            }
        }
        for (uint32_t k = 1; k < n; k++)
            best = votes[k] > votes[best] ? k : best;
        if (!is_close)
            ck_label(r, best, is_text);
        if (n == 2 && !has_prob) {
            scores[1] = scores[0];
            scores[0] = -scores[1];
        }
        if (has_prob && !couple(likely, n, p))
            continue;
        for (uint32_t k = 0; k < columns; k++)
            ck_close((double)((const float *)th_data(t, "z"))[r * columns + k],
                     has_prob ? p[k] : scores[k], has_prob ? 2e-5 : 1e-4, k);
    }
}
END_TEST

START_TEST(svm_classifier_without_support_vectors_is_linear)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t n = 3 + random_below(&seed, 4), rows = 40, cols = 5;
    uint32_t transform = (uint32_t)_i % 4;
    const float *coefficients = random_list(&seed, n * cols, 1);

    fill_x(&seed, BP_DTYPE_F32, rows * cols, 1, 0);
    th_input(t, "x", BP_DTYPE_F32, dims_of(rows, cols), x_bytes);
    th_output(t, "label", BP_DTYPE_I64, count_text(rows));
    th_output(t, "z", BP_DTYPE_F32, dims_of(rows, n));
    node("SVMClassifier", "x", "label z");
    th_floats(t, "coefficients", n * cols, coefficients);
    th_floats(t, "rho", 1, (float[]){0.5f});
    th_string(t, "kernel_type", "RBF"); /* which is for support vectors */
    th_string(t, "post_transform", transforms[transform]);
    set_labels(n, false);
    ck_run();
    for (uint32_t r = 0; r < rows; r++) {
        double want[MOST_CLASSES];
        uint32_t best = 0;

        for (uint32_t k = 0; k < n; k++) {
            want[k] = 0.5 + kernel(0, x + r * cols, coefficients + k * cols, cols);
            best = want[k] > want[best] ? k : best;
        }
        ck_label(r, best, false);
        transform_row(transform, want, n);
        for (uint32_t k = 0; k < n; k++)
            ck_score((double)((const float *)th_data(t, "z"))[r * n + k], want[k], transform, k);
    }
}
END_TEST

/* Labels as of ONNX's reference and ONNX Runtime; the scores of a row x are w x + 0.1. */
START_TEST(svm_classifier_of_two_classes_picks_by_the_sign)
{
    static const struct {
        float weights[4];
        int64_t labels[4];
    } cases[] = {
        {{0.5f, -1, 0.9f, 0.3f}, {1, 1, 1, 1}},
        {{-0.5f, -1, -0.9f, -0.3f}, {1, 0, 1, 1}},
        {{0.5f, 1, 0.9f, 0.3f}, {1, 1, 1, 0}},
    };
    const float rows[] = {0.5f, -1, 2, 1, -1, -1, 0, 0.1f};

    th_input(t, "x", BP_DTYPE_F32, "4,2", rows);
    th_output(t, "label", BP_DTYPE_I64, "4");
    th_output(t, "z", BP_DTYPE_F32, "4,2");
    node("SVMClassifier", "x", "label z");
    th_floats(t, "coefficients", 4, cases[_i].weights);
    th_floats(t, "rho", 1, (float[]){0.1f});
    set_labels(2, false);
    ck_run();
    for (uint32_t r = 0; r < 4; r++)
        ck_label(r, (uint32_t)cases[_i].labels[r], false);
}
END_TEST

/* ---- models that are wrong ------------------------------------------------------------------- */

/* Lists of any lengths and any numbers: it runs, or says what is wrong. */
START_TEST(linear_and_svm_models_survive_attributes_of_any_length)
{
    static const char *const ops[] = {"LinearClassifier", "LinearRegressor", "SVMClassifier",
                                      "SVMRegressor"};
    static const char *const names[] = {"coefficients",    "intercepts", "rho",
                                        "support_vectors", "prob_a",     "prob_b",
                                        "kernel_params"};
    uint64_t seed = (uint64_t)_i;
    const char *op = ops[_i % 4];
    bool is_classifier = _i % 2 == 0;
    int64_t counts[3];

    th_input(t, "x", BP_DTYPE_F32, "2,3", (float[]){1, 2, NAN, 4, INFINITY, 6});
    th_output(t, "a", is_classifier ? BP_DTYPE_I64 : BP_DTYPE_F32, is_classifier ? "2" : "2,1");
    if (is_classifier)
        th_output(t, "b", BP_DTYPE_F32, random_below(&seed, 2) ? "2,2" : "2,3");
    node(op, "x", is_classifier ? "a b" : "a");
    for (int k = 0; k < 7; k++) {
        uint32_t n = random_below(&seed, 3) ? random_below(&seed, 4) * 3 : random_below(&seed, 13);

        if (n > 0)
            th_floats(t, names[k], n, random_list(&seed, n, k % 2 ? 1 : 1e30f));
    }
    for (int k = 0; k < 3; k++)
        counts[k] = random_below(&seed, 5) ? random_below(&seed, 3) : (int64_t)random_next(&seed);
    th_ints(t, "vectors_per_class", random_below(&seed, 4), counts);
    th_int(t, "n_supports", random_below(&seed, 3) ? random_below(&seed, 4) : counts[0]);
    th_int(t, "targets", random_below(&seed, 3) ? 1 : counts[1]);
    set_labels(random_below(&seed, 4), false);
    if (th_run(t) < 0)
        ck_assert_msg(strstr(th_message(t), op) && strlen(th_message(t)) > strlen(op) + 8, "%s",
                      th_message(t));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_ml_models");
    TCase *tcase = tcase_create("ml");
    SRunner *runner;
    int failures;

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, linear_regressor_matches_its_definition, 0, 80);
    tcase_add_loop_test(tcase, linear_classifier_matches_its_definition, 0, 80);
    tcase_add_loop_test(tcase, svm_regressor_matches_its_definition, 0, 80);
    tcase_add_loop_test(tcase, svm_classifier_matches_its_definition, 0, 96);
    tcase_add_loop_test(tcase, svm_classifier_without_support_vectors_is_linear, 0, 12);
    tcase_add_loop_test(tcase, svm_classifier_of_two_classes_picks_by_the_sign, 0, 3);
    tcase_add_loop_test(tcase, linear_and_svm_models_survive_attributes_of_any_length, 0, 400);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
