/* SPDX-License-Identifier: MIT */
/*
 * check_normalization.c - Softmax, LogSoftmax, LRN, InstanceNormalization, the global pools, and
 * this host's own SumTo and FlexWeights, with every type they take, against their definitions.
 */

#include "config.h"

#include "cpu/types/element_types.h"

enum { ROUNDS = 25 };

/* An input of random values of -1 to 1, times `size`; they are returned as the type has them. */
static double *feed(const char *name, uint32_t dtype, const struct shape *shape, double size)
{
    size_t n = shape_count(shape);
    double *x = kept_values(n, dtype);
    void *data;

    for (size_t i = 0; i < n; i++)
        x[i] *= size;
    data = kept_encode(x, n, dtype);
    for (size_t i = 0; i < n; i++)
        x[i] = typed_get(data, dtype, i);
    th_input(t, name, dtype, shape_text(shape), data);
    return x;
}

/* The number of elements from dimension `from` to the one before `end`. */
static size_t count_between(const struct shape *shape, uint32_t from, uint32_t end)
{
    return (size_t)bp_dims_count(shape->dims + from, end - from);
}

static struct shape draw_image(uint64_t *seed)
{
    struct shape shape = shape_random(seed, 3, 5);

    if (random_below(seed, 10) == 0)
        shape.dims[0] = 0;
    return shape;
}

/* ---- Softmax, LogSoftmax --------------------------------------------------------------------- */

/* One of n elements that lie `step` apart. */
static double soft(const double *x, size_t n, size_t step, size_t i, bool is_log)
{
    double max = -(double)INFINITY, sum = 0;

    for (size_t k = 0; k < n; k++)
        max = fmax(max, x[k * step]);
    for (size_t k = 0; k < n; k++)
        sum += exp(x[k * step] - max);
    return is_log ? x[i * step] - max - log(sum) : exp(x[i * step] - max) / sum;
}

static void run_softmax(bool is_log, uint32_t dtype, uint64_t *seed)
{
    struct shape shape;
    bool is_old = random_below(seed, 3) == 0;
    double *x, *want;
    uint32_t axis;
    size_t n, step;

    fresh();
    shape = shape_any(seed, 4);
    if (shape.rank == 0)
        shape = (struct shape){1, {1 + random_below(seed, 500)}};
    axis = random_below(seed, shape.rank);
    n = is_old ? count_between(&shape, axis, shape.rank) : (size_t)shape.dims[axis];
    step = is_old ? 1 : count_between(&shape, axis + 1, shape.rank);
    x = feed("x", dtype, &shape, random_below(seed, 2) ? 1 : 50);
    want = kept_zeros(shape_count(&shape) + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&shape); i++) {
        const double *line = x + i / (n * step) * n * step + i % step;

        want[i] = soft(line, n, step, i / step % n, is_log);
    }
    th_output(t, "y", dtype, shape_text(&shape));
    th_node(t, is_log ? "LogSoftmax" : "Softmax", is_old ? 11 : 13, "x", "y");
    th_int(t, "axis", (int64_t)axis - (random_below(seed, 2) ? (int64_t)shape.rank : 0));
    ck_run();
    /* what is taken off may be 100 */
    data_compare("softmax", th_data(t, "y"), want, shape_count(&shape), dtype, is_log ? 800 : 60);
}

START_TEST(softmax_takes_every_type)
{
    uint64_t seed = (uint64_t)_i + 3;

    data_seed(seed);
    for (int i = 0; i < TYPED_FLOATS * ROUNDS; i++)
        run_softmax(_i, typed_all[i % TYPED_FLOATS], &seed);
}
END_TEST

/* ---- LRN, InstanceNormalization -------------------------------------------------------------- */

static void run_lrn(uint32_t dtype, uint64_t *seed)
{
    struct shape shape;
    int64_t size = 1 + random_below(seed, 5);
    const double alpha = 0.5, beta = random_below(seed, 2) ? 0.75 : 0.5, bias = 1.5;
    double *x, *want;
    size_t plane, channels;

    fresh();
    shape = draw_image(seed);
    plane = count_between(&shape, 2, shape.rank);
    channels = (size_t)shape.dims[1];
    x = feed("x", dtype, &shape, 3);
    want = kept_zeros(shape_count(&shape) + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&shape); i++) {
        int64_t c = (int64_t)(i / plane % channels);
        double sum = 0;

        for (int64_t k = c - (size - 1) / 2; k <= c + size / 2; k++) {
            if (k >= 0 && k < (int64_t)channels)
                sum += pow(x[(i / plane / channels * channels + (size_t)k) * plane + i % plane], 2);
        }
        want[i] = x[i] / pow(bias + alpha / (double)size * sum, beta);
    }
    th_output(t, "y", dtype, shape_text(&shape));
    th_node(t, "LRN", 13, "x", "y");
    th_int(t, "size", size);
    th_float(t, "alpha", (float)alpha);
    th_float(t, "beta", (float)beta);
    th_float(t, "bias", (float)bias);
    ck_run();
    data_compare("LRN", th_data(t, "y"), want, shape_count(&shape), dtype, 40);
}

static void run_instance(uint32_t dtype, uint64_t *seed)
{
    struct shape shape, list = {.rank = 1};
    double *x, *scale, *bias, *want;
    size_t plane, channels;

    fresh();
    shape = draw_image(seed);
    plane = count_between(&shape, 2, shape.rank);
    channels = (size_t)shape.dims[1];
    list.dims[0] = shape.dims[1];
    x = feed("x", dtype, &shape, 2);
    scale = feed("s", dtype, &list, 1);
    bias = feed("b", dtype, &list, 1);
    want = kept_zeros(shape_count(&shape) + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&shape); i++) {
        const double *from = x + i / plane * plane;
        double mean = 0, variance = 0;

        for (size_t k = 0; k < plane; k++)
            mean += from[k] / (double)plane;
        for (size_t k = 0; k < plane; k++)
            variance += (from[k] - mean) * (from[k] - mean) / (double)plane;
        want[i] = scale[i / plane % channels] * (x[i] - mean) / sqrt(variance + 0.125) +
                  bias[i / plane % channels];
    }
    th_output(t, "y", dtype, shape_text(&shape));
    th_node(t, "InstanceNormalization", 22, "x s b", "y");
    th_float(t, "epsilon", 0.125f);
    ck_run();
    data_compare("InstanceNormalization", th_data(t, "y"), want, shape_count(&shape), dtype, 100);
}

START_TEST(normalizations_take_every_type)
{
    uint64_t seed = (uint64_t)_i + 30;

    data_seed(seed);
    for (int i = 0; i < TYPED_FLOATS * ROUNDS; i++)
        (_i ? run_lrn : run_instance)(typed_all[i % TYPED_FLOATS], &seed);
}
END_TEST

/* ---- GlobalAveragePool, GlobalMaxPool -------------------------------------------------------- */

static void run_pool(bool is_max, uint32_t dtype, uint64_t *seed)
{
    struct shape shape, out;
    double *x, *want;
    size_t plane;

    fresh();
    shape = draw_image(seed);
    out = shape;
    for (uint32_t d = 2; d < out.rank; d++)
        out.dims[d] = 1;
    plane = count_between(&shape, 2, shape.rank);
    x = feed("x", dtype, &shape, 5);
    want = kept_zeros(shape_count(&out) + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&out); i++) {
        want[i] = is_max ? -(double)INFINITY : 0;
        for (size_t k = 0; k < plane; k++) {
            double v = x[i * plane + k];

            want[i] = is_max ? fmax(want[i], v) : want[i] + v / (double)plane;
        }
    }
    th_output(t, "y", dtype, shape_text(&out));
    th_node(t, is_max ? "GlobalMaxPool" : "GlobalAveragePool", 22, "x", "y");
    ck_run();
    data_compare("pool", th_data(t, "y"), want, shape_count(&out), dtype, is_max ? 0 : plane);
}

START_TEST(pools_take_every_type)
{
    uint64_t seed = (uint64_t)_i + 300;

    data_seed(seed);
    for (int i = 0; i < TYPED_FLOATS * ROUNDS; i++)
        run_pool(_i, typed_all[i % TYPED_FLOATS], &seed);
}
END_TEST

/* ---- SumTo, FlexWeights ---------------------------------------------------------------------- */

/* Integers in all their bits. */
static void run_sum_to(uint32_t dtype, uint32_t like, uint64_t *seed)
{
    struct shape whole, to;
    struct number *sums;
    size_t n;
    void *x;

    fresh();
    whole = shape_any(seed, 5);
    to = shape_narrowed(&whole, seed);
    n = shape_count(&whole);
    x = kept_zeros(n + 1, 8);
    sums = kept_zeros(shape_count(&to) + 1, sizeof *sums);
    for (size_t i = 0; i < n; i++) {
        struct number *sum = &sums[shape_source(&whole, &to, i)], v;

        number_put(x, dtype, i, (struct number){(double)random_float(seed, 1), random_next(seed)});
        v = number_at(x, dtype, i);
        sum->real += v.real;
        sum->whole += v.whole;
    }
    th_input(t, "x", dtype, shape_text(&whole), x);
    th_input(t, "like", like, shape_text(&to), kept_zeros(shape_count(&to) + 1, sizeof(bp_span)));
    th_output(t, "y", dtype, shape_text(&to));
    th_node(t, "SumTo", 1, "x like", "y");
    th_domain(t, "org.backplane");
    ck_run();
    for (size_t i = 0; i < shape_count(&to); i++) {
        struct number got = number_at(th_data(t, "y"), dtype, i), want;
        uint64_t element;

        number_put(&element, dtype, 0, sums[i]);
        want = number_at(&element, dtype, 0);
        if (typed_is_float(dtype))
            data_compare("SumTo", (const char *)th_data(t, "y") + i * bp_dtype_width(dtype) / 8,
                         &sums[i].real, 1, dtype, n);
        else
            ck_assert_uint_eq(got.whole, want.whole);
    }
}

/* _i: type of `like`, whose elements are not read */
START_TEST(sum_to_takes_every_type)
{
    uint64_t types = types_of("org.backplane", "SumTo", 1, 0), seed = (uint64_t)_i;

    if (!(types_of("org.backplane", "SumTo", 1, 1) >> _i & 1))
        return;
    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        for (int round = 0; round < 5 && types >> dtype & 1; round++)
            run_sum_to(dtype, (uint32_t)_i, &seed);
    }
}
END_TEST

/* The probabilities of (batch, heads, rows, keys) as they are; Q and K only tell their shape. */
START_TEST(flex_weights_take_every_type)
{
    uint32_t dtype = typed_all[_i / TYPED_FLOATS], other = typed_all[_i % TYPED_FLOATS];
    struct shape shape = {4, {2, 3, 4, 5}}, q = {4, {2, 3, 4, 7}}, k = {4, {2, 1, 5, 7}};
    double *p;

    data_seed((uint64_t)_i);
    p = feed("p", dtype, &shape, 1);
    feed("q", other, &q, 1);
    feed("k", other, &k, 1);
    th_output(t, "y", dtype, "2,3,4,5");
    th_node(t, "FlexWeights", 1, "p q k", "y");
    th_domain(t, "org.backplane");
    ck_run();
    elem_compare(th_data(t, "y"), p, shape_count(&shape), dtype);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_layer");
    TCase *tcase = tcase_create("layer");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, softmax_takes_every_type, 0, 2);
    tcase_add_loop_test(tcase, normalizations_take_every_type, 0, 2);
    tcase_add_loop_test(tcase, pools_take_every_type, 0, 2);
    tcase_add_loop_test(tcase, sum_to_takes_every_type, 1, BP_DTYPE_END);
    tcase_add_loop_test(tcase, flex_weights_take_every_type, 0, TYPED_FLOATS * TYPED_FLOATS);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
