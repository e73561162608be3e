/* SPDX-License-Identifier: MIT */
/*
 * check_conv_pool_pool.c - pools and normalizations of the CPU provider against loops that follow the
 * definitions.
 */

#include "config.h"

#include "support/random_data.h"
#include "support/test_host.h"
#include "support/typed.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

enum { MAX_SPATIAL = 3 };

/* A pool of planes; sizes of what is not used are 1. */
struct pool {
    uint32_t dtype, rank;
    int64_t planes;
    int64_t in[MAX_SPATIAL], out[MAX_SPATIAL], kernel[MAX_SPATIAL], stride[MAX_SPATIAL];
    int64_t dilation[MAX_SPATIAL], pads[2 * MAX_SPATIAL];
    bool is_max, counts_pads, is_column_major, is_ceil;
};

/* Position of plane element (z, y, x) in the order that indices count in. */
static int64_t index_of(const struct pool *k, const int64_t *p)
{
    if (k->is_column_major)
        return (p[2] * k->in[1] + p[1]) * k->in[0] + p[0];
    return (p[0] * k->in[1] + p[1]) * k->in[2] + p[2];
}

/* One window of one plane; *index is its largest element's. */
static double expect_one(const struct pool *k, const double *x, const int64_t *at, int64_t *index)
{
    double best = -(double)INFINITY, sum = 0;
    int64_t inside = 0, padded = 0;

    for (int64_t t = 0; t < k->kernel[0] * k->kernel[1] * k->kernel[2]; t++) {
        const int64_t tap[3] = {t / k->kernel[2] / k->kernel[1], t / k->kernel[2] % k->kernel[1],
                                t % k->kernel[2]};
        bool is_inside = true, is_padded = true;
        int64_t p[3];
        double v;

        for (int d = 0; d < 3; d++) {
            p[d] = at[d] * k->stride[d] + tap[d] * k->dilation[d] - k->pads[d];
            is_inside = is_inside && p[d] >= 0 && p[d] < k->in[d];
            is_padded = is_padded && p[d] < k->in[d] + k->pads[3 + d];
        }
        padded += is_padded;
        if (!is_inside)
            continue;
        inside++;
        v = x[(p[0] * k->in[1] + p[1]) * k->in[2] + p[2]];
        sum += v;
        if (v > best) {
            best = v;
            *index = index_of(k, p);
        }
    }
    return k->is_max ? best : sum / (double)(k->counts_pads ? padded : inside);
}

static void dims_of(char *text, size_t size, int64_t planes, const int64_t *spatial, uint32_t rank)
{
    int n = snprintf(text, size, "1,%lld", (long long)planes);

    for (uint32_t i = MAX_SPATIAL - rank; i < MAX_SPATIAL; i++)
        n += snprintf(text + n, size - (size_t)n, ",%lld", (long long)spatial[i]);
}

static void add_node(struct th *t, const struct pool *k, const void *x, bool has_indices)
{
    uint32_t skip = MAX_SPATIAL - k->rank;
    int64_t pads[2 * MAX_SPATIAL];
    char text[128];

    dims_of(text, sizeof text, k->planes, k->in, k->rank);
    th_input(t, "x", k->dtype, text, x);
    dims_of(text, sizeof text, k->planes, k->out, k->rank);
    th_output(t, "y", k->dtype, text);
    if (has_indices)
        th_output(t, "i", BP_DTYPE_I64, text);
    th_node(t, k->is_max ? "MaxPool" : "AveragePool", k->is_max ? 12 : 19, "x",
            has_indices ? "y i" : "y");
    for (uint32_t i = 0; i < k->rank; i++) {
        pads[i] = k->pads[skip + i];
        pads[k->rank + i] = k->pads[MAX_SPATIAL + skip + i];
    }
    th_ints(t, "kernel_shape", k->rank, k->kernel + skip);
    th_ints(t, "strides", k->rank, k->stride + skip);
    th_ints(t, "dilations", k->rank, k->dilation + skip);
    th_ints(t, "pads", 2 * k->rank, pads);
    th_int(t, "ceil_mode", k->is_ceil);
    if (k->is_max)
        th_int(t, "storage_order", k->is_column_major);
    else
        th_int(t, "count_include_pad", k->counts_pads);
}

static void run(const struct pool *k, bool has_indices)
{
    int64_t in = k->in[0] * k->in[1] * k->in[2], out = k->out[0] * k->out[1] * k->out[2];
    double *x = data_make((size_t)(k->planes * in), k->dtype), *y;
    int64_t *indices = calloc((size_t)(k->planes * out), sizeof *indices);
    struct th *t = th_new(bp_provider_entry_v1);
    void *data;
    char what[128];

    for (int64_t i = 0; i < k->planes * in && (k->dtype == BP_DTYPE_I8 || k->dtype == BP_DTYPE_U8);
         i++)
        x[i] = (double)data_pick(k->dtype == BP_DTYPE_I8 ? -120 : 0, 120);
    data = typed_encode(x, (size_t)(k->planes * in), k->dtype);
    y = calloc((size_t)(k->planes * out), sizeof *y);
    for (int64_t i = 0; i < k->planes * out; i++) {
        int64_t o = i % out, plane = i / out;
        const int64_t at[3] = {o / k->out[2] / k->out[1], o / k->out[2] % k->out[1], o % k->out[2]};

        y[i] = expect_one(k, x + plane * in, at, &indices[i]);
        indices[i] += plane * in;
    }
    snprintf(what, sizeof what, "%s type %u, rank %u, pads %d, ceil %d",
             k->is_max ? "MaxPool" : "AveragePool", k->dtype, k->rank, k->counts_pads, k->is_ceil);
    add_node(t, k, data, has_indices);
    ck_assert_msg(th_run(t) >= 0, "%s: %s", what, th_message(t));
    data_compare(what, th_data(t, "y"), y, (size_t)(k->planes * out), k->dtype, 16);
    for (int64_t i = 0; i < k->planes * out && has_indices; i++)
        ck_assert_int_eq(((const int64_t *)th_data(t, "i"))[i], indices[i]);
    th_free(t);
    free(x);
    free(y);
    free(indices);
    free(data);
}

/* Every window has an element inside, as ONNX asks; false: no such sizes. */
static bool set_sizes(struct pool *k)
{
    for (int d = 0; d < 3; d++) {
        int64_t reach = (k->kernel[d] - 1) * k->dilation[d] + 1;
        int64_t extent = k->in[d] + k->pads[d] + k->pads[3 + d] - reach;

        if (extent < 0 || k->dilation[d] > 1)
            k->dilation[d] = 1;
        reach = k->kernel[d];
        extent = k->in[d] + k->pads[d] + k->pads[3 + d] - reach;
        if (extent < 0 || k->pads[d] >= reach || k->pads[3 + d] >= reach)
            return false;
        k->out[d] = extent / k->stride[d] + 1;
        if (k->is_ceil && extent % k->stride[d] != 0 &&
            k->out[d] * k->stride[d] < k->in[d] + k->pads[d])
            k->out[d]++;
    }
    return true;
}

START_TEST(pooling_matches_its_definition)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_I8, BP_DTYPE_U8};

    data_seed((uint64_t)_i + 31);
    for (int i = 0; i < 40; i++) {
        struct pool k = {.planes = data_pick(1, 4), .rank = (uint32_t)data_pick(1, 3)};

        k.is_max = _i % 2;
        k.dtype = dtypes[i % (k.is_max ? 5 : 3)];
        k.counts_pads = data_pick(0, 1);
        k.is_column_major = data_pick(0, 1);
        k.is_ceil = data_pick(0, 1);
        for (uint32_t d = 0; d < MAX_SPATIAL; d++) {
            bool is_used = d >= MAX_SPATIAL - k.rank;

            k.in[d] = is_used ? data_pick(1, k.rank == 1 ? 70 : 9) : 1;
            k.kernel[d] = is_used ? data_pick(1, 3) : 1;
            k.stride[d] = is_used ? data_pick(1, 3) : 1;
            k.dilation[d] = 1;
            k.pads[d] = is_used ? data_pick(0, 1) : 0;
            k.pads[MAX_SPATIAL + d] = is_used ? data_pick(0, 1) : 0;
        }
        if (set_sizes(&k))
            run(&k, k.is_max && data_pick(0, 1));
    }
}
END_TEST

START_TEST(max_pool_applies_dilations)
{
    struct pool k = {
        .dtype = BP_DTYPE_F32,
        .rank = 2,
        .planes = 3,
        .in = {1, 11, 13},
        .out = {1, 5, 9},
        .kernel = {1, 3, 3},
        .stride = {1, 2, 1},
        .dilation = {1, 2, 2},
        .pads = {0, 1, 0, 0, 1, 0},
        .is_max = true,
    };

    data_seed(1);
    run(&k, false);
    run(&k, true);
}
END_TEST

START_TEST(global_pools_reduce_whole_channels)
{
    double *x = data_make(2 * 3 * 35, BP_DTYPE_F32), sums[6] = {0}, maxima[6];
    void *data = typed_encode(x, 2 * 3 * 35, BP_DTYPE_F32);
    struct th *t = th_new(bp_provider_entry_v1);

    for (int i = 0; i < 6; i++) {
        maxima[i] = -(double)INFINITY;
        for (int j = 0; j < 35; j++) {
            sums[i] += x[i * 35 + j] / 35;
            maxima[i] = fmax(maxima[i], x[i * 35 + j]);
        }
    }
    th_input(t, "x", BP_DTYPE_F32, "2,3,5,7", data);
    th_output(t, "mean", BP_DTYPE_F32, "2,3,1,1");
    th_output(t, "max", BP_DTYPE_F32, "2,3,1,1");
    th_node(t, "GlobalAveragePool", 1, "x", "mean");
    th_node(t, "GlobalMaxPool", 1, "x", "max");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("mean", th_data(t, "mean"), sums, 6, BP_DTYPE_F32, 1);
    data_compare("max", th_data(t, "max"), maxima, 6, BP_DTYPE_F32, 0);
    th_free(t);
    free(x);
    free(data);
}
END_TEST

/* ---- normalizations -------------------------------------------------------------------------- */

START_TEST(batch_normalization_uses_given_statistics_in_inference)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};
    uint32_t dtype = dtypes[_i];
    double *x = data_make(2 * 3 * 21, dtype), y[2 * 3 * 21];
    const double parts[4][3] = {{1, -0.5, 2}, {0, 1, -1}, {0.25, 0, -0.5}, {1, 4, 0.25}};
    void *data = typed_encode(x, 2 * 3 * 21, dtype);
    struct th *t = th_new(bp_provider_entry_v1);

    for (int i = 0; i < 2 * 3 * 21; i++) {
        int c = i / 21 % 3;

        y[i] = (x[i] - parts[2][c]) / sqrt(parts[3][c] + 0.5) * parts[0][c] + parts[1][c];
    }
    th_input(t, "x", dtype, "2,3,3,7", data);
    for (int i = 0; i < 4; i++) {
        void *part = typed_encode(parts[i], 3, dtype);

        th_const(t, (const char *[]){"s", "b", "m", "v"}[i], dtype, "3", part);
        free(part);
    }
    th_output(t, "y", dtype, "2,3,3,7");
    th_node(t, "BatchNormalization", 15, "x s b m v", "y");
    th_float(t, "epsilon", 0.5f);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("BatchNormalization", th_data(t, "y"), y, 2 * 3 * 21, dtype, 4);
    th_free(t);
    free(x);
    free(data);
}
END_TEST

START_TEST(batch_normalization_updates_statistics_in_training)
{
    const float x[] = {1, 3, 5, 7, -2, 0, 2, 4}, one[] = {1, 1}, zero[] = {0, 0}, two[] = {2, 2};
    /* channel 0: 1 3 -2 0, channel 1: 5 7 2 4 */
    const double mean[] = {0.5, 4.5}, var[] = {3.25, 3.25};
    double y[8], running_mean[2], running_var[2];
    struct th *t = th_new(bp_provider_entry_v1);

    for (int i = 0; i < 8; i++)
        y[i] = ((double)x[i] - mean[i / 2 % 2]) / sqrt(var[i / 2 % 2] + 1e-5);
    for (int i = 0; i < 2; i++) {
        running_mean[i] = 2 * 0.75 + mean[i] * 0.25;
        running_var[i] = 1 * 0.75 + var[i] * 0.25;
    }
    th_input(t, "x", BP_DTYPE_F32, "2,2,2", x);
    th_input(t, "s", BP_DTYPE_F32, "2", one);
    th_input(t, "b", BP_DTYPE_F32, "2", zero);
    th_input(t, "m", BP_DTYPE_F32, "2", two);
    th_input(t, "v", BP_DTYPE_F32, "2", one);
    th_output(t, "y", BP_DTYPE_F32, "2,2,2");
    th_output(t, "rm", BP_DTYPE_F32, "2");
    th_output(t, "rv", BP_DTYPE_F32, "2");
    th_node(t, "BatchNormalization", 15, "x s b m v", "y rm rv");
    th_int(t, "training_mode", 1);
    th_float(t, "momentum", 0.75f);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("y", th_data(t, "y"), y, 8, BP_DTYPE_F32, 8);
    data_compare("mean", th_data(t, "rm"), running_mean, 2, BP_DTYPE_F32, 8);
    data_compare("var", th_data(t, "rv"), running_var, 2, BP_DTYPE_F32, 8);
    th_free(t);
}
END_TEST

START_TEST(instance_normalization_centers_each_channel)
{
    double *x = data_make(2 * 2 * 40, BP_DTYPE_F32), y[2 * 2 * 40];
    const float scale[] = {2, -1}, bias[] = {0.5f, 1};
    void *data = typed_encode(x, 2 * 2 * 40, BP_DTYPE_F32);
    struct th *t = th_new(bp_provider_entry_v1);

    for (int p = 0; p < 4; p++) {
        double mean = 0, var = 0;

        for (int i = 0; i < 40; i++)
            mean += x[p * 40 + i] / 40;
        for (int i = 0; i < 40; i++)
            var += (x[p * 40 + i] - mean) * (x[p * 40 + i] - mean) / 40;
        for (int i = 0; i < 40; i++)
            y[p * 40 + i] = (x[p * 40 + i] - mean) / sqrt(var + 1e-5) * (double)scale[p % 2] +
                            (double)bias[p % 2];
    }
    th_input(t, "x", BP_DTYPE_F32, "2,2,5,8", data);
    th_const(t, "s", BP_DTYPE_F32, "2", scale);
    th_const(t, "b", BP_DTYPE_F32, "2", bias);
    th_output(t, "y", BP_DTYPE_F32, "2,2,5,8");
    th_node(t, "InstanceNormalization", 6, "x s b", "y");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("InstanceNormalization", th_data(t, "y"), y, 2 * 2 * 40, BP_DTYPE_F32, 16);
    th_free(t);
    free(x);
    free(data);
}
END_TEST

START_TEST(lrn_sums_over_channels)
{
    const uint32_t dtype = _i % 2 ? BP_DTYPE_F64 : BP_DTYPE_F32;
    int64_t size = _i / 2 + 2;
    float beta = _i < 2 ? 0.75f : 0.6f;
    double *x = data_make(2 * 7 * 30, dtype), y[2 * 7 * 30];
    void *data = typed_encode(x, 2 * 7 * 30, dtype);
    struct th *t = th_new(bp_provider_entry_v1);

    for (int64_t i = 0; i < 2 * 7 * 30; i++) {
        int64_t c = i / 30 % 7;
        double sum = 0;

        for (int64_t k = c - (size - 1) / 2; k <= c + size / 2; k++) {
            if (k >= 0 && k < 7)
                sum += x[i + (k - c) * 30] * x[i + (k - c) * 30];
        }
        y[i] = x[i] / pow(2 + 0.5 / (double)size * sum, (double)beta);
    }
    th_input(t, "x", dtype, "2,7,5,6", data);
    th_output(t, "y", dtype, "2,7,5,6");
    th_node(t, "LRN", 13, "x", "y");
    th_int(t, "size", size);
    th_float(t, "alpha", 0.5f);
    th_float(t, "beta", beta);
    th_float(t, "bias", 2);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("LRN", th_data(t, "y"), y, 2 * 7 * 30, dtype, 8);
    th_free(t);
    free(x);
    free(data);
}
END_TEST

/* Softmax or LogSoftmax of 3 x 5 x 70 numbers seen as outer x axis x inner. */
static void check_softmax(const char *op, const char *dims, uint32_t since, int64_t axis,
                          size_t outer, size_t n, size_t inner, uint32_t dtype)
{
    double *x = data_make(3 * 5 * 70, dtype), y[3 * 5 * 70];
    struct th *t = th_new(bp_provider_entry_v1);
    void *data;

    for (size_t i = 0; i < 3 * 5 * 70; i++)
        x[i] = floor(x[i] * 64) / 8;
    data = typed_encode(x, 3 * 5 * 70, dtype);
    for (size_t i = 0; i < outer * inner; i++) {
        size_t at = i / inner * n * inner + i % inner;
        double sum = 0;

        for (size_t k = 0; k < n; k++)
            sum += exp(x[at + k * inner]);
        for (size_t k = 0; k < n; k++)
            y[at + k * inner] =
                *op == 'L' ? x[at + k * inner] - log(sum) : exp(x[at + k * inner]) / sum;
    }
    th_input(t, "x", dtype, dims, data);
    th_output(t, "y", dtype, dims);
    th_node(t, op, since, "x", "y");
    th_int(t, "axis", axis);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare(op, th_data(t, "y"), y, 3 * 5 * 70, dtype, 8);
    th_free(t);
    free(x);
    free(data);
}

START_TEST(softmax_matches_its_definition_along_any_axis)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16};
    const char *op = _i / 3 ? "LogSoftmax" : "Softmax";

    data_seed(3);
    check_softmax(op, "3,5,70", 13, -1, 15, 70, 1, dtypes[_i % 3]);
    check_softmax(op, "3,5,70", 13, 1, 3, 5, 70, dtypes[_i % 3]);
    check_softmax(op, "3,5,70", 13, 0, 1, 3, 350, dtypes[_i % 3]);
    check_softmax(op, "3,5,70", 11, 1, 3, 350, 1, dtypes[_i % 3]);
    check_softmax(op, "3,5,70", 1, 2, 15, 70, 1, dtypes[_i % 3]);
    check_softmax(op, "150,7", 13, -1, 150, 7, 1, dtypes[_i % 3]);
    check_softmax(op, "3,175,2,1", 11, 2, 525, 2, 1, dtypes[_i % 3]);
}
END_TEST

START_TEST(softmax_of_large_values_is_finite)
{
    const float x[] = {10000, 10001, 10002, -INFINITY};
    struct th *t = th_new(bp_provider_entry_v1);
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "4", x);
    th_output(t, "y", BP_DTYPE_F32, "4");
    th_output(t, "l", BP_DTYPE_F32, "4");
    th_node(t, "Softmax", 13, "x", "y");
    th_node(t, "LogSoftmax", 13, "x", "l");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    y = th_data(t, "y");
    ck_assert(fabsf(y[2] - 0.66524096f) < 1e-6f && y[3] == 0);
    y = th_data(t, "l");
    ck_assert(fabsf(y[0] + 2.40760596f) < 1e-6f && y[3] < -1e38f);
    th_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_pool");
    TCase *tcase = tcase_create("pool");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, pooling_matches_its_definition, 0, 10);
    tcase_add_test(tcase, max_pool_applies_dilations);
    tcase_add_test(tcase, global_pools_reduce_whole_channels);
    tcase_add_loop_test(tcase, batch_normalization_uses_given_statistics_in_inference, 0, 4);
    tcase_add_test(tcase, batch_normalization_updates_statistics_in_training);
    tcase_add_test(tcase, instance_normalization_centers_each_channel);
    tcase_add_loop_test(tcase, lrn_sums_over_channels, 0, 6);
    tcase_add_loop_test(tcase, softmax_matches_its_definition_along_any_axis, 0, 6);
    tcase_add_test(tcase, softmax_of_large_values_is_finite);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
