/* SPDX-License-Identifier: MIT */
/* check_normalization.c - normalisations of the CPU provider against their definitions, in double. */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random_data.h"
#include "support/typed.h"

enum { MAX_RANK = 5, MAX_ELEMENTS = 32000 };

static const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};

static double *x, expected[MAX_ELEMENTS];

static void start(void)
{
    setup();
    x = NULL;
}

static void finish(void)
{
    teardown();
    free(x);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

struct shape {
    uint32_t rank;
    int64_t dims[MAX_RANK];
    char text[100];
};

static struct shape shape_of(uint32_t rank, const int64_t *dims)
{
    struct shape shape = {.rank = rank};
    int at = 0;

    for (uint32_t i = 0; i < rank; i++) {
        shape.dims[i] = dims[i];
        at += snprintf(shape.text + at, sizeof shape.text - (size_t)at, "%s%lld", i ? "," : "",
                       (long long)dims[i]);
    }
    return shape;
}

static struct shape random_shape(uint32_t rank, int64_t largest)
{
    int64_t dims[MAX_RANK] = {0};

    for (uint32_t i = 0; i < rank; i++)
        dims[i] = data_pick(1, largest);
    return shape_of(rank, dims);
}

static int64_t count(const struct shape *shape)
{
    return bp_dims_count(shape->dims, shape->rank);
}

/* The element of `from`, which is broadcast to `to`, at element i of that. */
static int64_t source(const struct shape *from, const struct shape *to, int64_t i)
{
    int64_t at = 0, step = 1;

    for (uint32_t d = 0; d < to->rank; d++) {
        uint32_t axis = to->rank - 1 - d;

        if (d < from->rank) {
            int64_t dim = from->dims[from->rank - 1 - d];

            at += dim == 1 ? 0 : i % to->dims[axis] * step;
            step *= dim;
        }
        i /= to->dims[axis];
    }
    return at;
}

/* An input with values of its type; they are the caller's to free. */
static double *feed(const char *name, uint32_t dtype, const struct shape *shape)
{
    double *values = data_make((size_t)count(shape), dtype);
    void *data = typed_encode(values, (size_t)count(shape), dtype);

    th_input(t, name, dtype, shape->text, data);
    free(data);
    return values;
}

static void compare(const char *name, uint32_t dtype, const double *want, int64_t n)
{
    data_compare(name, th_data(t, name), want, (size_t)n, dtype, 200);
}

/* ---- LayerNormalization, RMSNormalization ---------------------------------------------------- */

/* What a row of n elements is brought to. */
struct row {
    double mean, inverse;
};

static struct row measure(const double *v, int64_t n, bool is_rms)
{
    struct row row = {0, 0};

    for (int64_t i = 0; i < n && !is_rms; i++)
        row.mean += v[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        row.inverse += (v[i] - row.mean) * (v[i] - row.mean) / (double)n;
    row.inverse = 1 / sqrt(row.inverse + 0.25);
    return row;
}

/* A shape that broadcasts to the last dimensions of x, sometimes to all of it. */
static struct shape parameter_shape(const struct shape *to, uint32_t axis)
{
    uint32_t rank = data_pick(0, 3) == 0 ? to->rank : to->rank - axis;
    struct shape shape;
    int64_t dims[MAX_RANK] = {0};

    for (uint32_t i = 0; i < rank; i++)
        dims[i] = data_pick(0, 3) == 0 ? 1 : to->dims[to->rank - rank + i];
    shape = shape_of(rank, dims);
    return shape;
}

static void layer(uint32_t dtype, uint32_t scale_dtype, bool is_rms)
{
    uint32_t rank = (uint32_t)data_pick(1, 4), axis = (uint32_t)data_pick(0, rank - 1);
    struct shape shape = random_shape(rank, 9), s_shape, b_shape, stat_shape;
    bool has_bias = !is_rms && data_pick(0, 1);
    double *scale, *bias = NULL, means[MAX_ELEMENTS], inverses[MAX_ELEMENTS];
    int64_t n, rows;

    s_shape = parameter_shape(&shape, axis);
    b_shape = parameter_shape(&shape, axis);
    n = bp_dims_count(shape.dims + axis, rank - axis);
    rows = bp_dims_count(shape.dims, axis);
    stat_shape = shape;
    for (uint32_t i = axis; i < rank; i++)
        stat_shape.dims[i] = 1;
    stat_shape = shape_of(rank, stat_shape.dims);
    x = feed("x", dtype, &shape);
    scale = feed("s", scale_dtype, &s_shape);
    if (has_bias)
        bias = feed("b", dtype, &b_shape);
    for (int64_t i = 0; i < count(&shape); i++) {
        struct row row = measure(x + i / n * n, n, is_rms);

        means[i / n] = row.mean;
        inverses[i / n] = row.inverse;
        expected[i] = (x[i] - row.mean) * row.inverse * scale[source(&s_shape, &shape, i)] +
                      (bias ? bias[source(&b_shape, &shape, i)] : 0);
    }
    th_output(t, "y", scale_dtype, shape.text);
    if (!is_rms) {
        th_output(t, "mean", BP_DTYPE_F32, stat_shape.text);
        th_output(t, "inv", BP_DTYPE_BF16, stat_shape.text);
    }
    th_node(t, is_rms ? "RMSNormalization" : "LayerNormalization", is_rms ? 23 : 17,
            has_bias ? "x s b" : "x s", is_rms ? "y" : "y mean inv");
    th_int(t, "axis", data_pick(0, 1) ? (int64_t)axis : (int64_t)axis - rank);
    th_float(t, "epsilon", 0.25f);
    ck_run();
    compare("y", scale_dtype, expected, count(&shape));
    if (!is_rms) {
        compare("mean", BP_DTYPE_F32, means, rows);
        compare("inv", BP_DTYPE_BF16, inverses, rows);
    }
    free(scale);
    free(bias);
}

START_TEST(layer_normalization_matches_its_definition)
{
    data_seed((uint64_t)_i + 1);
    layer(dtypes[_i % 4], dtypes[_i % 4], false);
}
END_TEST

START_TEST(rms_normalization_matches_its_definition)
{
    data_seed((uint64_t)_i + 1000);
    layer(dtypes[_i % 4], dtypes[_i / 4 % 4], true);
}
END_TEST

START_TEST(layer_normalization_accepts_an_empty_tensor)
{
    th_input(t, "x", BP_DTYPE_F16, "0,3", NULL);
    th_input(t, "s", BP_DTYPE_F16, "3", (uint16_t[]){1, 2, 3});
    th_output(t, "y", BP_DTYPE_F16, "0,3");
    th_node(t, "LayerNormalization", 17, "x s", "y");
    ck_run();
}
END_TEST

/* ---- GroupNormalization ---------------------------------------------------------------------- */

START_TEST(group_normalization_matches_its_definition)
{
    uint32_t dtype = dtypes[_i % 4], since = _i / 4 % 2 ? 21 : 18, rank;
    int64_t groups, members, plane, wanted;
    struct shape shape, list;
    double *scale, *bias;

    data_seed((uint64_t)_i + 7);
    groups = data_pick(1, 4);
    members = data_pick(1, 4);
    rank = (uint32_t)data_pick(2, 5);
    shape = random_shape(rank, 6);
    shape.dims[1] = groups * members;
    shape = shape_of(rank, shape.dims);
    plane = bp_dims_count(shape.dims + 2, rank - 2);
    wanted = since == 18 ? groups : groups * members;
    list = shape_of(1, &wanted);
    x = feed("x", dtype, &shape);
    scale = feed("s", dtype, &list);
    bias = feed("b", dtype, &list);
    for (int64_t i = 0; i < count(&shape); i++) {
        int64_t n = members * plane, channel = i / plane % (groups * members);
        int64_t k = since == 18 ? channel / members : channel;
        struct row row = measure(x + i / n * n, n, false);

        expected[i] = (x[i] - row.mean) * row.inverse * scale[k] + bias[k];
    }
    th_output(t, "y", dtype, shape.text);
    th_node(t, "GroupNormalization", since, "x s b", "y");
    th_int(t, "num_groups", groups);
    th_float(t, "epsilon", 0.25f);
    ck_run();
    compare("y", dtype, expected, count(&shape));
    free(scale);
    free(bias);
}
END_TEST

/* ---- LpNormalization, MeanVarianceNormalization ---------------------------------------------- */

START_TEST(lp_normalization_makes_norms_1)
{
    uint32_t dtype = dtypes[_i % 4], rank, axis;
    int64_t p = _i / 4 % 2 + 1, inner, step;
    struct shape shape;

    data_seed((uint64_t)_i + 70);
    rank = (uint32_t)data_pick(1, 4);
    axis = (uint32_t)data_pick(0, rank - 1);
    shape = random_shape(rank, 5);
    if (_i % 3 == 0) { /* more than a strip */
        shape.dims[rank - 1] = data_pick(60, 140);
        shape = shape_of(rank, shape.dims);
    }
    x = feed("x", dtype, &shape);
    inner = bp_dims_count(shape.dims + axis + 1, rank - axis - 1);
    step = inner * shape.dims[axis];
    for (int64_t i = 0; i < count(&shape); i++) {
        double sum = 0;

        for (int64_t k = 0; k < shape.dims[axis]; k++) {
            double v = x[i / step * step + k * inner + i % inner];

            sum += p == 1 ? fabs(v) : v * v;
        }
        sum = p == 1 ? sum : sqrt(sum);
        expected[i] = sum > 0 ? x[i] / sum : 0;
    }
    th_output(t, "y", dtype, shape.text);
    th_node(t, "LpNormalization", _i % 2 ? 1 : 22, "x", "y");
    th_int(t, "axis", (int64_t)axis - (_i % 5 ? 0 : rank));
    th_int(t, "p", p);
    ck_run();
    compare("y", dtype, expected, count(&shape));
}
END_TEST

START_TEST(lp_normalization_of_zeros_is_zero)
{
    static const double zeroes[4];

    th_input(t, "x", BP_DTYPE_F32, "2,2", (float[]){0, 0, 0, 0});
    th_output(t, "y", BP_DTYPE_F32, "2,2");
    th_node(t, "LpNormalization", 22, "x", "y");
    th_int(t, "axis", _i);
    ck_run();
    compare("y", BP_DTYPE_F32, zeroes, 4);
}
END_TEST

/* Do elements i and k of the shape differ only along the axes? */
static bool are_together(const struct shape *shape, uint32_t axes, int64_t i, int64_t k)
{
    for (uint32_t d = shape->rank; d-- > 0; i /= shape->dims[d], k /= shape->dims[d]) {
        if (!(axes >> d & 1) && i % shape->dims[d] != k % shape->dims[d])
            return false;
    }
    return true;
}

static void mean_variance(const struct shape *shape, uint32_t axes, int64_t at)
{
    double mean = 0, square = 0, n = 0;

    for (int64_t k = 0; k < count(shape); k++) {
        if (are_together(shape, axes, at, k)) {
            n++;
            mean += x[k];
        }
    }
    mean /= n;
    for (int64_t k = 0; k < count(shape); k++) {
        if (are_together(shape, axes, at, k))
            square += (x[k] - mean) * (x[k] - mean);
    }
    expected[at] = (x[at] - mean) / (sqrt(square / n) + 1e-9);
}

START_TEST(mean_variance_normalization_matches_its_definition)
{
    uint32_t dtype = dtypes[_i % 4], rank, axes;
    int64_t list[MAX_RANK];
    uint32_t n = 0;
    struct shape shape;

    data_seed((uint64_t)_i + 700);
    rank = _i < 8 ? 4 : (uint32_t)data_pick(1, 4);
    axes = _i < 8 ? 13 : (uint32_t)data_pick(1, (1 << rank) - 1); /* 0, 2 and 3 by default */
    shape = random_shape(rank, rank > 2 ? 5 : 70);
    x = feed("x", dtype, &shape);
    for (int64_t i = 0; i < count(&shape); i++)
        mean_variance(&shape, axes, i);
    for (uint32_t d = 0; d < rank; d++) {
        if (axes >> d & 1)
            list[n++] = _i % 2 ? (int64_t)d : (int64_t)d - rank;
    }
    th_output(t, "y", dtype, shape.text);
    th_node(t, "MeanVarianceNormalization", _i % 2 ? 9 : 13, "x", "y");
    if (_i >= 8)
        th_ints(t, "axes", n, list);
    ck_run();
    /* where the variance is small, so is what is left of the precision */
    data_compare("y", th_data(t, "y"), expected, (size_t)count(&shape), dtype, 4000);
}
END_TEST

START_TEST(mean_variance_normalization_rejects_default_axes_over_the_rank)
{
    th_input(t, "x", BP_DTYPE_F32, "2,2", (float[]){0, 0, 0, 0});
    th_output(t, "y", BP_DTYPE_F32, "2,2");
    th_node(t, "MeanVarianceNormalization", 13, "x", "y");
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_ptr_nonnull(strstr(th_message(t), "axis 2 is not one of rank 2"));
}
END_TEST

/* A mean far from 0 costs no precision: what is left of x once it is taken off is exact. */
START_TEST(normalization_far_from_0_loses_no_precision)
{
    const float v[] = {4096, 4097, 4098, 4099, -8192, -8193, -8194, -8195};

    for (int i = 0; i < 8; i++)
        expected[i] = ((double)v[i] - (i < 4 ? 4097.5 : -8193.5)) / sqrt(1.25 + 1e-5) * 0.3 + 0.1;
    th_input(t, "x", BP_DTYPE_F32, "1,2,4", v);
    th_input(t, "s", BP_DTYPE_F32, "2", (float[]){0.3f, 0.3f});
    th_input(t, "b", BP_DTYPE_F32, "2", (float[]){0.1f, 0.1f});
    th_output(t, "y", BP_DTYPE_F32, "1,2,4");
    th_node(t, _i ? "GroupNormalization" : "InstanceNormalization", _i ? 21 : 22, "x s b", "y");
    if (_i)
        th_int(t, "num_groups", 2);
    ck_run();
    data_compare("y", th_data(t, "y"), expected, 8, BP_DTYPE_F32, 0);
}
END_TEST

/* ---- BatchNormalization before version 14 ---------------------------------------------------- */

START_TEST(batch_normalization_9_trains_when_it_has_five_outputs)
{
    static const uint32_t since[] = {1, 6, 7, 9};
    bool is_test = _i >= 4;
    /* channel 0: 1 3 -2 0, channel 1: 5 7 2 4 */
    const double mean[] = {is_test ? 2 : 0.5, is_test ? 2 : 4.5},
                 var[] = {is_test ? 1 : 3.25, is_test ? 1 : 3.25};
    const float v[] = {1, 3, 5, 7, -2, 0, 2, 4};
    double running[2], running_var[2];

    for (int i = 0; i < 8; i++)
        expected[i] = ((double)v[i] - mean[i / 2 % 2]) / sqrt(var[i / 2 % 2] + 1e-5);
    for (int i = 0; i < 2; i++) {
        running[i] = 2 * 0.75 + mean[i] * 0.25;
        running_var[i] = 1 * 0.75 + var[i] * 0.25;
    }
    th_input(t, "x", BP_DTYPE_F32, "2,2,2", v);
    th_input(t, "s", BP_DTYPE_F32, "2", (float[]){1, 1});
    th_input(t, "b", BP_DTYPE_F32, "2", (float[]){0, 0});
    th_input(t, "m", BP_DTYPE_F32, "2", (float[]){2, 2});
    th_input(t, "v", BP_DTYPE_F32, "2", (float[]){1, 1});
    th_output(t, "y", BP_DTYPE_F32, "2,2,2");
    th_output(t, "rm", BP_DTYPE_F32, "2");
    th_output(t, "rv", BP_DTYPE_F32, "2");
    th_output(t, "sm", BP_DTYPE_F32, "2");
    th_output(t, "sv", BP_DTYPE_F32, "2");
    th_node(t, "BatchNormalization", since[_i % 4], "x s b m v", "y rm rv sm sv");
    th_float(t, "momentum", 0.75f);
    if (is_test)
        th_int(t, "is_test", 1);
    ck_run();
    compare("y", BP_DTYPE_F32, expected, 8);
    compare("rm", BP_DTYPE_F32, running, 2);
    compare("rv", BP_DTYPE_F32, running_var, 2);
    compare("sm", BP_DTYPE_F32, mean, 2);
    compare("sv", BP_DTYPE_F32, var, 2);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cpu_norms");
    TCase *tcase = tcase_create("norms");

    tcase_add_checked_fixture(tcase, start, finish);
    tcase_add_loop_test(tcase, layer_normalization_matches_its_definition, 0, 80);
    tcase_add_loop_test(tcase, rms_normalization_matches_its_definition, 0, 80);
    tcase_add_test(tcase, layer_normalization_accepts_an_empty_tensor);
    tcase_add_loop_test(tcase, group_normalization_matches_its_definition, 0, 40);
    tcase_add_loop_test(tcase, normalization_far_from_0_loses_no_precision, 0, 2);
    tcase_add_loop_test(tcase, lp_normalization_makes_norms_1, 0, 40);
    tcase_add_loop_test(tcase, lp_normalization_of_zeros_is_zero, 0, 2);
    tcase_add_loop_test(tcase, mean_variance_normalization_matches_its_definition, 0, 60);
    tcase_add_test(tcase, mean_variance_normalization_rejects_default_axes_over_the_rank);
    tcase_add_loop_test(tcase, batch_normalization_9_trains_when_it_has_five_outputs, 0, 6);
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
