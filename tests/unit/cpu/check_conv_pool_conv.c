/* SPDX-License-Identifier: MIT */
/*
 * check_conv_pool_conv.c - Conv and ConvTranspose of the CPU provider against loops that follow the
 * definition.
 */

#include "config.h"

#include "support/random_data.h"
#include "support/test_host.h"
#include "support/typed.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

enum { MAX_SPATIAL = 3 };

/* A convolution; sizes of what is not used are 1. */
struct conv {
    uint32_t dtype, rank;                  /* rank: spatial dimensions */
    int64_t batch, channels, maps, groups; /* of x and y, all groups */
    int64_t in[MAX_SPATIAL], out[MAX_SPATIAL], kernel[MAX_SPATIAL], stride[MAX_SPATIAL];
    int64_t dilation[MAX_SPATIAL], pads[2 * MAX_SPATIAL];
    bool has_bias, is_transposed;
};

static int64_t product(const int64_t *n)
{
    return n[0] * n[1] * n[2];
}

/*
 * For each pair of positions that a tap joins, y[b, m, o] += x[b, c, i] * w[...]; transposed the
 * other way.
 */
static double *expect(const struct conv *k, const double *x, const double *w, const double *bias)
{
    int64_t in = product(k->in), out = product(k->out), taps = product(k->kernel);
    int64_t channels = k->channels / k->groups, maps = k->maps / k->groups;
    /*
     * small and large side: the window slides over `large` and has a position for each of `small`
     */
    const int64_t *small = k->is_transposed ? k->in : k->out;
    const int64_t *large = k->is_transposed ? k->out : k->in;
    double *y = calloc((size_t)(k->batch * k->maps * out) + 1, sizeof *y);

    ck_assert_ptr_nonnull(y);
    for (int64_t i = 0; i < k->batch * k->maps * out; i++)
        y[i] = bias ? bias[i / out % k->maps] : 0;
    for (int64_t s = 0; s < product(small); s++) {
        for (int64_t t = 0; t < taps; t++) {
            const int64_t at[3] = {s / small[2] / small[1], s / small[2] % small[1], s % small[2]};
            const int64_t tap[3] = {t / k->kernel[2] / k->kernel[1],
                                    t / k->kernel[2] % k->kernel[1], t % k->kernel[2]};
            int64_t l = 0;
            bool is_inside = true;

            for (int d = 0; d < 3; d++) {
                int64_t p = at[d] * k->stride[d] + tap[d] * k->dilation[d] - k->pads[d];

                is_inside = is_inside && p >= 0 && p < large[d];
                l = l * large[d] + p;
            }
            for (int64_t j = 0; j < k->batch * k->maps * channels && is_inside; j++) {
                int64_t c = j % channels, map = j / channels % k->maps;
                int64_t b = j / channels / k->maps, group = map / maps;
                int64_t from = k->is_transposed ? s : l, to = k->is_transposed ? l : s;
                int64_t weight = k->is_transposed
                                     ? ((group * channels + c) * maps + map % maps) * taps + t
                                     : (map * channels + c) * taps + t;

                y[(b * k->maps + map) * out + to] +=
                    x[(b * k->channels + group * channels + c) * in + from] * w[weight];
            }
        }
    }
    return y;
}

static const char *dims_text(char *text, size_t size, int64_t a, int64_t b, const int64_t *spatial,
                             uint32_t rank)
{
    int n = snprintf(text, size, "%lld,%lld", (long long)a, (long long)b);

    for (uint32_t i = MAX_SPATIAL - rank; i < MAX_SPATIAL; i++)
        n += snprintf(text + n, size - (size_t)n, ",%lld", (long long)spatial[i]);
    return text;
}

static void add_node(struct th *t, const struct conv *k, const void *x, const void *w,
                     const void *bias)
{
    uint32_t skip = MAX_SPATIAL - k->rank;
    int64_t pads[2 * MAX_SPATIAL];
    char text[128];

    th_input(t, "x", k->dtype, dims_text(text, sizeof text, k->batch, k->channels, k->in, k->rank),
             x);
    dims_text(text, sizeof text, k->is_transposed ? k->channels : k->maps,
              (k->is_transposed ? k->maps : k->channels) / k->groups, k->kernel, k->rank);
    th_const(t, "w", k->dtype, text, w);
    snprintf(text, sizeof text, "%lld", (long long)k->maps);
    if (bias)
        th_const(t, "b", k->dtype, text, bias);
    th_output(t, "y", k->dtype, dims_text(text, sizeof text, k->batch, k->maps, k->out, k->rank));
    th_node(t, k->is_transposed ? "ConvTranspose" : "Conv", 11, bias ? "x w b" : "x w", "y");
    for (uint32_t i = 0; i < k->rank; i++) {
        pads[i] = k->pads[skip + i];
        pads[k->rank + i] = k->pads[MAX_SPATIAL + skip + i];
    }
    th_ints(t, "kernel_shape", k->rank, k->kernel + skip);
    th_ints(t, "strides", k->rank, k->stride + skip);
    th_ints(t, "dilations", k->rank, k->dilation + skip);
    th_ints(t, "pads", 2 * k->rank, pads);
    th_int(t, "group", k->groups);
}

static void run(const struct conv *k, const char *blas)
{
    size_t n_x = (size_t)(k->batch * k->channels * product(k->in));
    size_t n_w = (size_t)(k->channels * k->maps / k->groups * product(k->kernel));
    size_t n_y = (size_t)(k->batch * k->maps * product(k->out));
    double *x = data_make(n_x, k->dtype), *w = data_make(n_w, k->dtype);
    double *bias = data_make((size_t)k->maps, k->dtype);
    double *expected = expect(k, x, w, k->has_bias ? bias : NULL);
    void *x_data = typed_encode(x, n_x, k->dtype), *w_data = typed_encode(w, n_w, k->dtype);
    void *b_data = typed_encode(bias, (size_t)k->maps, k->dtype);
    struct th *t = th_new(bp_provider_entry_v1);
    char what[256];

    snprintf(what, sizeof what,
             "type %u, rank %u, %lld -> %lld in %lld groups, kernel %lld %lld "
             "%lld, y %lld %lld %lld",
             k->dtype, k->rank, (long long)k->channels, (long long)k->maps, (long long)k->groups,
             (long long)k->kernel[0], (long long)k->kernel[1], (long long)k->kernel[2],
             (long long)k->out[0], (long long)k->out[1], (long long)k->out[2]);
    th_option(t, "blas", blas);
    add_node(t, k, x_data, w_data, k->has_bias ? b_data : NULL);
    ck_assert_msg(th_run(t) >= 0, "%s: %s", what, th_message(t));
    data_compare(what, th_data(t, "y"), expected, n_y, k->dtype,
                 (size_t)(k->channels * product(k->kernel)));
    th_free(t);
    free(x);
    free(w);
    free(bias);
    free(expected);
    free(x_data);
    free(w_data);
    free(b_data);
}

/* Sizes of y, or for a transposed one of x, that follow; false: there are none. */
static bool set_sizes(struct conv *k)
{
    for (int d = 0; d < 3; d++) {
        int64_t reach = (k->kernel[d] - 1) * k->dilation[d] + 1;
        int64_t pads = k->pads[d] + k->pads[3 + d];

        if (k->is_transposed)
            k->out[d] = (k->in[d] - 1) * k->stride[d] + reach - pads;
        else
            k->out[d] = (k->in[d] + pads - reach) / k->stride[d] + 1;
        if (k->out[d] < 1 || (!k->is_transposed && k->in[d] + pads < reach))
            return false;
    }
    return true;
}

static struct conv made_up(uint32_t dtype, bool is_transposed)
{
    struct conv k = {.dtype = dtype, .is_transposed = is_transposed};

    k.rank = (uint32_t)data_pick(1, 3);
    k.batch = data_pick(1, 2);
    k.groups = data_pick(1, 3);
    k.channels = k.groups * data_pick(1, 5);
    k.maps = k.groups * (data_pick(0, 3) == 0 ? data_pick(16, 40) : data_pick(1, 5));
    k.has_bias = data_pick(0, 1) == 1;
    for (uint32_t d = 0; d < MAX_SPATIAL; d++) {
        bool is_used = d >= MAX_SPATIAL - k.rank;

        k.in[d] = is_used ? data_pick(1, k.rank == 1 ? 60 : 12) : 1;
        k.kernel[d] = is_used ? data_pick(1, 4) : 1;
        k.stride[d] = is_used ? data_pick(1, 3) : 1;
        k.dilation[d] = is_used ? data_pick(1, 2) : 1;
        k.pads[d] = is_used ? data_pick(0, 2) : 0;
        k.pads[MAX_SPATIAL + d] = is_used ? data_pick(0, 2) : 0;
    }
    return k;
}

START_TEST(conv_and_conv_transpose_match_their_definition)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};

    data_seed((uint64_t)_i + 1);
    for (int i = 0; i < 25; i++) {
        struct conv k = made_up(dtypes[i % 4], _i % 2 == 1);

        if (set_sizes(&k))
            run(&k, "true");
    }
}
END_TEST

/*
 * Shapes of real networks: first layer, 3 x 3, 1 x 1, depthwise with both strides, wide channels.
 */
START_TEST(conv_matches_its_definition_on_shapes_of_networks)
{
    const struct {
        int64_t channels, maps, groups, size, kernel, stride, pad;
    } rows[] = {
        {3, 16, 1, 40, 3, 2, 1}, {16, 32, 1, 30, 3, 1, 1},  {32, 64, 1, 17, 1, 1, 0},
        {64, 70, 1, 7, 1, 1, 0}, {24, 24, 24, 37, 3, 1, 1}, {24, 24, 24, 37, 3, 2, 1},
        {8, 16, 8, 40, 3, 1, 1}, {130, 20, 1, 9, 3, 1, 1},  {6, 6, 6, 33, 5, 2, 2},
        {1, 8, 1, 28, 5, 1, 2},  {4, 4, 4, 3, 3, 1, 1},     {2, 4, 2, 150, 3, 1, 1},
        {3, 3, 3, 11, 3, 2, 1},  {2, 2, 2, 150, 5, 2, 0},   {40, 10, 1, 20, 1, 2, 0},
        {3, 3, 3, 41, 5, 4, 2},  {2, 4, 2, 61, 3, 9, 1},    {2, 2, 2, 300, 3, 100, 1},
    };
    struct conv k = {.rank = 2, .batch = 1, .has_bias = true};

    data_seed(99);
    for (int i = 0; i < 3; i++)
        k.in[i] = k.kernel[i] = k.stride[i] = k.dilation[i] = 1;
    k.dtype = _i ? BP_DTYPE_F64 : BP_DTYPE_F32;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        k.channels = rows[i].channels;
        k.maps = rows[i].maps;
        k.groups = rows[i].groups;
        for (int d = 1; d < 3; d++) {
            k.in[d] = rows[i].size + (d == 2 ? 3 : 0);
            k.kernel[d] = rows[i].kernel;
            k.stride[d] = rows[i].stride;
            k.pads[d] = k.pads[3 + d] = rows[i].pad;
        }
        ck_assert(set_sizes(&k));
        run(&k, "false");
    }
}
END_TEST

/* One image deep, one position deep: but that position lies in the padding before the image. */
START_TEST(depthwise_conv_of_a_padded_depth_of_one_matches_its_definition)
{
    struct conv k = {.dtype = BP_DTYPE_F32,
                     .rank = 3,
                     .batch = 2,
                     .channels = 3,
                     .maps = 3,
                     .groups = 3,
                     .in = {1, 5, 6},
                     .kernel = {1, 3, 3},
                     .stride = {2, 1, 1},
                     .dilation = {1, 1, 1},
                     .pads = {1, 1, 1, 0, 1, 1},
                     .has_bias = true};

    data_seed(5);
    ck_assert(set_sizes(&k));
    run(&k, "false");
}
END_TEST

/* y of a 1-D convolution of 1 .. n with ones, by attributes alone. */
static void check_auto_pad(const char *op, const char *mode, const char *x_dims, const char *y_dims,
                           const float *expected, size_t n, int64_t kernel, int64_t stride)
{
    const float x[] = {1, 2, 3, 4, 5, 6}, ones[] = {1, 1, 1, 1};
    struct th *t = th_new(bp_provider_entry_v1);
    char w_dims[32];
    const float *y;

    snprintf(w_dims, sizeof w_dims, "1,1,%lld", (long long)kernel);
    th_input(t, "x", BP_DTYPE_F32, x_dims, x);
    th_const(t, "w", BP_DTYPE_F32, w_dims, ones);
    th_output(t, "y", BP_DTYPE_F32, y_dims);
    th_node(t, op, 11, "x w", "y");
    th_string(t, "auto_pad", mode);
    th_ints(t, "strides", 1, &stride);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    y = th_data(t, "y");
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(y[i] == expected[i], "%s %s: element %zu is %g, not %g", op, mode, i,
                      (double)y[i], (double)expected[i]);
    th_free(t);
}

START_TEST(conv_pads_by_auto_pad)
{
    check_auto_pad("Conv", "SAME_UPPER", "1,1,6", "1,1,3", (float[]){6, 12, 11}, 3, 3, 2);
    check_auto_pad("Conv", "SAME_LOWER", "1,1,6", "1,1,3", (float[]){3, 9, 15}, 3, 3, 2);
    check_auto_pad("Conv", "VALID", "1,1,6", "1,1,2", (float[]){6, 12}, 2, 3, 2);
    check_auto_pad("ConvTranspose", "SAME_UPPER", "1,1,3", "1,1,6", (float[]){1, 1, 3, 2, 5, 3}, 6,
                   3, 2);
    check_auto_pad("ConvTranspose", "SAME_LOWER", "1,1,3", "1,1,6", (float[]){1, 3, 2, 5, 3, 3}, 6,
                   3, 2);
}
END_TEST

START_TEST(conv_gives_the_bias_where_the_window_sees_padding_alone)
{
    const float w[18] = {0}, bias[] = {5, -2};
    struct th *t = th_new(bp_provider_entry_v1);
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "1,0,2,2", NULL);
    th_const(t, "w", BP_DTYPE_F32, "2,0,1,1", w);
    th_const(t, "b", BP_DTYPE_F32, "2", bias);
    th_output(t, "y", BP_DTYPE_F32, "1,2,2,2");
    th_node(t, "Conv", 11, "x w b", "y");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    y = th_data(t, "y");
    for (int i = 0; i < 8; i++)
        ck_assert(y[i] == bias[i / 4]);
    th_free(t);
}
END_TEST

START_TEST(conv_rejects_four_spatial_dimensions)
{
    struct th *t = th_new(bp_provider_entry_v1);
    const float one = 1;

    th_input(t, "x", BP_DTYPE_F32, "1,1,1,1,1,1", &one);
    th_const(t, "w", BP_DTYPE_F32, "1,1,1,1,1,1", &one);
    th_output(t, "y", BP_DTYPE_F32, "1,1,1,1,1,1");
    th_node(t, "Conv", 11, "x w", "y");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_RANK);
    th_free(t);
}
END_TEST

START_TEST(conv_rejects_attributes_that_do_not_fit)
{
    const int64_t values[][2] = {{0, 1}, {-1, 1}, {INT64_MAX, 1}};
    const float zero[9] = {0};

    for (size_t i = 0; i < 3; i++) {
        struct th *t = th_new(bp_provider_entry_v1);

        th_input(t, "x", BP_DTYPE_F32, "1,1,3,3", zero);
        th_const(t, "w", BP_DTYPE_F32, "1,1,3,3", zero);
        th_output(t, "y", BP_DTYPE_F32, "1,1,1,1");
        th_node(t, "Conv", 11, "x w", "y");
        th_ints(t, "strides", 2, values[i]);
        ck_assert_int_eq(th_run(t), BP_E_SHAPE);
        th_free(t);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_conv");
    TCase *tcase = tcase_create("conv");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, conv_and_conv_transpose_match_their_definition, 0, 12);
    tcase_add_loop_test(tcase, conv_matches_its_definition_on_shapes_of_networks, 0, 2);
    tcase_add_test(tcase, depthwise_conv_of_a_padded_depth_of_one_matches_its_definition);
    tcase_add_test(tcase, conv_pads_by_auto_pad);
    tcase_add_test(tcase, conv_gives_the_bias_where_the_window_sees_padding_alone);
    tcase_add_test(tcase, conv_rejects_four_spatial_dimensions);
    tcase_add_test(tcase, conv_rejects_attributes_that_do_not_fit);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
