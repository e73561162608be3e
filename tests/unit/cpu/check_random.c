/* SPDX-License-Identifier: MIT */
/*
 * check_random.c - what the CPU provider draws: the values of a seed against NumPy's, others
 * by their distribution; losses and optimizers against their definitions.
 */

#include "config.h"

#include "cpu/cpu_case.h"
#include "support/random_data.h"
#include "support/typed.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 20000 };

static const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};

static double *feed(const char *name, uint32_t dtype, const char *dims, size_t n)
{
    double *values = data_make(n, dtype);
    void *data = typed_encode(values, n, dtype);

    th_input(t, name, dtype, dims, data);
    free(data);
    return values;
}

/* ---- values of a seed ----------------------------------------------------------------------- */

/* numpy.random.RandomState(0).random_sample(5), .randn(5), and RandomState(42).random_sample(3) */
static const double uniform_0[] = {0.5488135039273248, 0.7151893663724195, 0.6027633760716439,
                                   0.5448831829968969, 0.4236547993389047};
static const double normal_0[] = {1.764052345967664, 0.4001572083672233, 0.9787379841057392,
                                  2.240893199201458, 1.8675579901499675};
static const double uniform_42[] = {0.3745401188473625, 0.9507143064099162, 0.7319939418114051};

START_TEST(random_operators_with_a_seed_match_numpy)
{
    double scaled[5], moved[5];

    for (int i = 0; i < 5; i++) {
        scaled[i] = 2 + uniform_0[i] * 3;
        moved[i] = 1 + normal_0[i] * 0.5;
    }
    th_output(t, "u", BP_DTYPE_F64, "5");
    th_output(t, "n", BP_DTYPE_F64, "5");
    th_output(t, "v", BP_DTYPE_F64, "3");
    th_node(t, "RandomUniform", 22, "", "u");
    th_float(t, "seed", 0);
    th_float(t, "low", 2);
    th_float(t, "high", 5);
    th_node(t, "RandomNormal", 22, "", "n");
    th_float(t, "seed", 0);
    th_float(t, "mean", 1);
    th_float(t, "scale", 0.5f);
    th_node(t, "RandomUniform", 1, "", "v");
    th_float(t, "seed", 42.75f);
    for (int run = 0; run < 2; run++) { /* each run draws the same */
        ck_run();
        data_compare("u", th_data(t, "u"), scaled, 5, BP_DTYPE_F64, 1);
        data_compare("n", th_data(t, "n"), moved, 5, BP_DTYPE_F64, 1);
        data_compare("v", th_data(t, "v"), uniform_42, 3, BP_DTYPE_F64, 1);
    }
}
END_TEST

START_TEST(random_operators_without_a_seed_differ_between_runs)
{
    double first[4], second[4];

    th_output(t, "a", BP_DTYPE_F64, "4");
    th_output(t, "b", BP_DTYPE_F64, "4");
    th_node(t, "RandomUniform", 22, "", "a");
    th_node(t, "RandomUniform", 22, "", "b");
    ck_run();
    memcpy(first, th_data(t, "a"), sizeof first);
    ck_assert_mem_ne(first, th_data(t, "b"), sizeof first);
    ck_run();
    memcpy(second, th_data(t, "a"), sizeof second);
    ck_assert_mem_ne(first, second, sizeof first);
}
END_TEST

/* Mean and deviation of an output of MANY elements. */
static void measure(const char *name, uint32_t dtype, double *mean, double *deviation)
{
    *mean = *deviation = 0;
    for (size_t i = 0; i < MANY; i++)
        *mean += typed_get(th_data(t, name), dtype, i) / MANY;
    for (size_t i = 0; i < MANY; i++)
        *deviation += pow(typed_get(th_data(t, name), dtype, i) - *mean, 2) / MANY;
    *deviation = sqrt(*deviation);
}

START_TEST(random_operators_follow_the_requested_distribution)
{
    uint32_t dtype = dtypes[_i % 4];
    bool is_normal = _i & 4;
    double mean, deviation;
    int64_t *x = calloc(MANY, sizeof *x);

    th_input(t, "x", BP_DTYPE_I64, "20000", x);
    th_output(t, "y", dtype, "20000");
    th_node(t, is_normal ? "RandomNormalLike" : "RandomUniformLike", _i & 8 ? 22 : 1, "x", "y");
    th_int(t, "dtype", dtype);
    th_float(t, is_normal ? "mean" : "low", -2);
    th_float(t, is_normal ? "scale" : "high", 4);
    ck_run();
    measure("y", dtype, &mean, &deviation);
    ck_assert_double_lt(fabs(mean - (is_normal ? -2 : 1)), 0.2);
    ck_assert_double_lt(fabs(deviation - (is_normal ? 4 : 6 / sqrt(12))), 0.1);
    for (size_t i = 0; i < MANY && !is_normal; i++) {
        double v = typed_get(th_data(t, "y"), dtype, i);

        ck_assert(v >= -2 && v <= 4);
    }
    free(x);
}
END_TEST

START_TEST(bernoulli_follows_its_probabilities)
{
    static const uint32_t out[] = {BP_DTYPE_BOOL, BP_DTYPE_I64, BP_DTYPE_F32, BP_DTYPE_U8,
                                   BP_DTYPE_F16};
    uint32_t dtype = dtypes[_i % 4], to = out[_i % 5];
    double *p = calloc(MANY, sizeof *p), mean, deviation, rate = _i % 3 == 0 ? 0.25 : 0.75;
    void *data;

    for (size_t i = 0; i < MANY; i++)
        p[i] = i % 2 ? rate : i % 4 == 2;
    data = typed_encode(p, MANY, dtype);
    th_input(t, "p", dtype, "20000", data);
    th_output(t, "y", to, "20000");
    th_node(t, "Bernoulli", _i % 2 ? 15 : 22, "p", "y");
    th_int(t, "dtype", to);
    ck_run();
    to = to == BP_DTYPE_BOOL ? BP_DTYPE_U8 : to;
    for (size_t i = 0; i < MANY; i += 2)
        ck_assert(typed_get(th_data(t, "y"), to, i) == p[i]);
    measure("y", to, &mean, &deviation);
    ck_assert_double_lt(fabs(mean - (0.5 + rate) / 2), 0.02);
    free(p);
    free(data);
}
END_TEST

START_TEST(bernoulli_clamps_invalid_probabilities)
{
    th_input(t, "p", BP_DTYPE_F32, "4", (float[]){-0.5f, 1.5f, NAN, INFINITY});
    th_output(t, "y", BP_DTYPE_F32, "4");
    th_node(t, "Bernoulli", 15, "p", "y");
    ck_run();
    for (int i = 0; i < 4; i++)
        ck_assert(((const float *)th_data(t, "y"))[i] == (float)(i % 2));
}
END_TEST

START_TEST(multinomial_draws_classes_by_their_weight)
{
    uint32_t dtype = dtypes[_i % 4], to = _i % 2 ? BP_DTYPE_I32 : BP_DTYPE_I64;
    const double x[] = {1, 1 + log(2),        1 + log(5),        -(double)INFINITY,
                        0, -(double)INFINITY, -(double)INFINITY, -(double)INFINITY};
    double seen[8] = {0};
    void *data = typed_encode(x, 8, dtype);

    th_input(t, "x", dtype, "2,4", data);
    th_output(t, "y", to, "2,20000");
    th_node(t, "Multinomial", _i % 2 ? 7 : 22, "x", "y");
    th_int(t, "sample_size", MANY);
    th_int(t, "dtype", to);
    ck_run();
    for (size_t i = 0; i < 2 * MANY; i++) {
        double class = typed_get(th_data(t, "y"), to, i);

        ck_assert(class >= 0 && class < 4);
        seen[i / MANY * 4 + (size_t) class] += 1.0 / MANY;
    }
    ck_assert_double_lt(fabs(seen[0] - 0.125), 0.02);
    ck_assert_double_lt(fabs(seen[1] - 0.25), 0.02);
    ck_assert_double_lt(fabs(seen[2] - 0.625), 0.02);
    ck_assert(seen[3] == 0 && seen[4] > 0.999);
    free(data);
}
END_TEST

START_TEST(multinomial_rejects_a_row_without_a_possible_class)
{
    float none = _i ? NAN : -INFINITY;

    th_input(t, "x", BP_DTYPE_F32, "2,2", (float[]){0, 0, none, none});
    th_output(t, "y", BP_DTYPE_I32, "2,3");
    th_node(t, "Multinomial", 7, "x", "y");
    th_int(t, "sample_size", 3);
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "row 1 has no class"));
}
END_TEST

/* ---- Dropout --------------------------------------------------------------------------------- */

START_TEST(dropout_with_a_seed_matches_numpy)
{
    uint32_t dtype = dtypes[_i % 4], since = _i < 4 ? 12 : 22;
    double *x = feed("x", dtype, "5", 5), y[5], ratio = 0.5625;
    void *data = typed_encode(&ratio, 1, dtype);
    const uint8_t *mask;

    th_input(t, "r", dtype, "", data);
    th_input(t, "m", BP_DTYPE_BOOL, "", "\1");
    th_output(t, "y", dtype, "5");
    th_output(t, "mask", BP_DTYPE_BOOL, "5");
    th_node(t, "Dropout", since, "x r m", "y mask");
    th_int(t, "seed", 0);
    ck_run();
    mask = th_data(t, "mask");
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(mask[i], uniform_0[i] >= ratio);
        y[i] = mask[i] ? x[i] / (1 - ratio) : 0;
    }
    data_compare("y", th_data(t, "y"), y, 5, dtype, 0);
    th_feed(t, "m", "\0");
    ck_run();
    data_compare("y", th_data(t, "y"), x, 5, dtype, 0);
    ck_assert_mem_eq(th_data(t, "mask"), "\1\1\1\1\1", 5);
    free(x);
    free(data);
}
END_TEST

START_TEST(dropout_1_drops_unless_is_test_is_set)
{
    double *x = feed("x", BP_DTYPE_F32, "20000", MANY), kept = 0;

    th_output(t, "y", BP_DTYPE_F32, "20000");
    th_output(t, "m", BP_DTYPE_F32, "20000");
    th_node(t, "Dropout", _i ? 6 : 1, "x", "y m");
    th_float(t, "ratio", 0.25f);
    ck_run();
    for (size_t i = 0; i < MANY; i++) {
        double y = typed_get(th_data(t, "y"), BP_DTYPE_F32, i);
        double m = typed_get(th_data(t, "m"), BP_DTYPE_F32, i);

        ck_assert(m == 0 || m == 1);
        ck_assert_double_lt(fabs(y - m * x[i] / 0.75), 1e-6);
        kept += m / MANY;
    }
    ck_assert_double_lt(fabs(kept - 0.75), 0.02);
    free(x);
}
END_TEST

START_TEST(dropout_rejects_a_ratio_outside_0_to_1)
{
    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_input(t, "r", BP_DTYPE_F32, "", (float[]){_i ? 1 : -0.5f});
    th_input(t, "m", BP_DTYPE_BOOL, "", "\1");
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Dropout", 13, "x r m", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "ratio is"));
}
END_TEST

/* ---- losses ---------------------------------------------------------------------------------- */

enum { BATCH = 3, CLASSES = 5 };

/* The logarithm of a probability, of the softmax over classes where that is asked for. */
static double log_probability(const double *x, int64_t plane, int64_t i, int64_t class,
                              bool softmax)
{
    const double *at = x + i / plane * CLASSES * plane + i % plane;
    double sum = 0;

    for (int64_t c = 0; c < CLASSES; c++)
        sum += exp(at[c * plane]);
    return at[class * plane] - (softmax ? log(sum) : 0);
}

START_TEST(loss_operators_match_their_definition)
{
    static const char *const reductions[] = {"none", "sum", "mean"};
    uint32_t dtype = dtypes[_i % 4], labels_dtype = _i & 4 ? BP_DTYPE_I32 : BP_DTYPE_I64;
    bool is_entropy = _i & 8, has_weights = _i & 16, ignores = _i & 32;
    int64_t plane = _i % 3 == 0 ? 1 : 70, n = BATCH * plane;
    double *x, *w = NULL, labels[BATCH * 70], loss[BATCH * 70], log_prob[BATCH * CLASSES * 70];
    double sum = 0, weights = 0;
    void *data;

    data_seed((uint64_t)_i);
    x = feed("x", dtype, plane == 1 ? "3,5" : "3,5,7,10", (size_t)(n * CLASSES));
    for (int64_t i = 0; i < n; i++)
        labels[i] = ignores && data_pick(0, 3) == 0 ? -7 : (double)data_pick(0, CLASSES - 1);
    data = typed_encode(labels, (size_t)n, labels_dtype);
    th_input(t, "l", labels_dtype, plane == 1 ? "3" : "3,7,10", data);
    free(data);
    if (has_weights)
        w = feed("w", dtype, "5", CLASSES);
    for (int64_t i = 0; i < n; i++) {
        int64_t class = (int64_t)labels[i];
        double weight = class == -7 ? 0 : w ? w[class] : 1;

        loss[i] = weight != 0 ? -weight * log_probability(x, plane, i, class, is_entropy) : 0;
        sum += loss[i];
        weights += weight;
        for (int64_t c = 0; c < CLASSES; c++)
            log_prob[(i / plane * CLASSES + c) * plane + i % plane] =
                log_probability(x, plane, i, c, true);
    }
    th_output(t, "y", dtype, _i % 5 % 3 ? "" : plane == 1 ? "3" : "3,7,10");
    if (is_entropy)
        th_output(t, "p", dtype, plane == 1 ? "3,5" : "3,5,7,10");
    th_node(t, is_entropy ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss", 13,
            w ? "x l w" : "x l", is_entropy ? "y p" : "y");
    th_string(t, "reduction", reductions[_i % 5 % 3]);
    if (ignores)
        th_int(t, "ignore_index", -7);
    ck_run();
    if (_i % 5 % 3 == 2)
        sum /= weights;
    if (_i % 5 % 3)
        data_compare("y", th_data(t, "y"), &sum, 1, dtype, 2000);
    else
        data_compare("y", th_data(t, "y"), loss, (size_t)n, dtype, 20);
    if (is_entropy)
        data_compare("p", th_data(t, "p"), log_prob, (size_t)(n * CLASSES), dtype, 20);
    free(x);
    free(w);
}
END_TEST

START_TEST(loss_operators_reject_labels_out_of_range)
{
    th_input(t, "x", BP_DTYPE_F32, "2,2", (float[]){1, 2, 3, 4});
    th_input(t, "l", BP_DTYPE_I64, "2", (int64_t[]){0, _i % 2 ? 2 : -1});
    th_output(t, "y", BP_DTYPE_F32, "");
    th_node(t, _i / 2 ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss", 13, "x l", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "label 1 is"));
}
END_TEST

/* ---- optimizers ------------------------------------------------------------------------------ */

/* One element: x, gradient, states; results take their place. */
static void step(int kind, double rate, double count, double *x, double g, double *v, double *h)
{
    g += 0.125 * *x;
    if (kind == 0) {
        *h += g * g;
        *x -= rate / (1 + count * 0.5) * g / (sqrt(*h) + 0.25);
    } else if (kind == 1) {
        if (count > 0)
            rate *= sqrt(1 - pow(0.75, count)) / (1 - pow(0.5, count));
        *v = 0.5 * *v + 0.5 * g;
        *h = 0.75 * *h + 0.25 * g * g;
        *x = (*x - rate * *v / (sqrt(*h) + 0.25)) * (1 - 0.0625);
    } else {
        *v = 0.5 * *v + (count > 0 ? 0.75 : 1) * g;
        *x -= rate * (kind == 3 ? g + 0.5 * *v : *v);
    }
}

static void add_node(int kind)
{
    static const char *const ops[] = {"Adagrad", "Adam", "Momentum", "Momentum"};

    if (kind == 1)
        th_node(t, ops[kind], 1, "r c x z gx gz vx vz hx hz", "nx nz nvx nvz nhx nhz");
    else
        th_node(t, ops[kind], 1, kind == 0 ? "r c x z gx gz hx hz" : "r c x z gx gz vx vz",
                kind == 0 ? "nx nz nhx nhz" : "nx nz nvx nvz");
    th_domain(t, "ai.onnx.preview.training");
    th_float(t, "norm_coefficient", 0.125f);
    th_float(t, "epsilon", 0.25f);
    if (kind == 0)
        th_float(t, "decay_factor", 0.5f);
    if (kind == 1)
        th_float(t, "norm_coefficient_post", 0.0625f);
    if (kind > 0) {
        th_float(t, "alpha", 0.5f);
        th_float(t, "beta", 0.75f);
    }
    if (kind > 1)
        th_string(t, "mode", kind == 2 ? "standard" : "nesterov");
}

START_TEST(optimizers_match_their_definition_for_one_step)
{
    static const char *const names[2][4] = {{"x", "gx", "vx", "hx"}, {"z", "gz", "vz", "hz"}};
    static const char *const outs[2][3] = {{"nx", "nvx", "nhx"}, {"nz", "nvz", "nhz"}};
    static const char *const dims[2] = {"3,7", "100"};
    const size_t n[2] = {21, 100};
    int kind = _i % 4;
    int64_t count = _i / 4 % 2 * 3;
    uint32_t dtype[2] = {_i & 8 ? BP_DTYPE_F64 : BP_DTYPE_F32, BP_DTYPE_F32};
    double *v[2][4], rate = 0.5;
    void *data = typed_encode(&rate, 1, dtype[0]);

    data_seed((uint64_t)_i);
    th_input(t, "r", dtype[0], "", data);
    th_input(t, "c", BP_DTYPE_I64, "", &count);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++) {
            bool is_used = kind == 1 || k < 2 || k == (kind == 0 ? 3 : 2);

            v[i][k] = data_make(n[i], dtype[i]);
            for (size_t e = 0; e < n[i] && k == 3; e++)
                v[i][k][e] = fabs(v[i][k][e]);
            free(data);
            data = typed_encode(v[i][k], n[i], dtype[i]);
            if (is_used)
                th_input(t, names[i][k], dtype[i], dims[i], data);
            if (is_used && k != 1)
                th_output(t, outs[i][k > 0 ? k - 1 : 0], dtype[i], dims[i]);
        }
    }
    add_node(kind);
    ck_run();
    for (int i = 0; i < 2; i++) {
        for (size_t e = 0; e < n[i]; e++)
            step(kind, rate, (double)count, &v[i][0][e], v[i][1][e], &v[i][2][e], &v[i][3][e]);
        data_compare("x", th_data(t, outs[i][0]), v[i][0], n[i], dtype[i], 8);
        if (kind > 0)
            data_compare("v", th_data(t, outs[i][1]), v[i][2], n[i], dtype[i], 8);
        if (kind < 2)
            data_compare("h", th_data(t, outs[i][2]), v[i][3], n[i], dtype[i], 8);
        for (int k = 0; k < 4; k++)
            free(v[i][k]);
    }
    free(data);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cpu_random");
    TCase *tcase = tcase_create("random");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, random_operators_with_a_seed_match_numpy);
    tcase_add_test(tcase, random_operators_without_a_seed_differ_between_runs);
    tcase_add_loop_test(tcase, random_operators_follow_the_requested_distribution, 0, 16);
    tcase_add_loop_test(tcase, bernoulli_follows_its_probabilities, 0, 20);
    tcase_add_test(tcase, bernoulli_clamps_invalid_probabilities);
    tcase_add_loop_test(tcase, multinomial_draws_classes_by_their_weight, 0, 4);
    tcase_add_loop_test(tcase, multinomial_rejects_a_row_without_a_possible_class, 0, 2);
    tcase_add_loop_test(tcase, dropout_with_a_seed_matches_numpy, 0, 8);
    tcase_add_loop_test(tcase, dropout_1_drops_unless_is_test_is_set, 0, 2);
    tcase_add_loop_test(tcase, dropout_rejects_a_ratio_outside_0_to_1, 0, 2);
    tcase_add_loop_test(tcase, loss_operators_match_their_definition, 0, 192);
    tcase_add_loop_test(tcase, loss_operators_reject_labels_out_of_range, 0, 4);
    tcase_add_loop_test(tcase, optimizers_match_their_definition_for_one_step, 0, 16);
    suite_add_tcase(s, tcase);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    int failed;

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
