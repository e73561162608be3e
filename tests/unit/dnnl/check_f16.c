/* SPDX-License-Identifier: MIT */
/*
 * check_f16.c - float16 as storage in dnnl: networks of it against the CPU provider's results in
 * float64 of the same values. Only what comes out is rounded.
 */

#include "config.h"

#include "dnnl/dnnl_networks.h"

/* A float16 has 11 bits: rounding errs by 2^-12 at most, and by half of that as a mean square. */
#define MOST 2.5e-4
#define LEAST 2e-5 /* less would mean that nothing was rounded */

/* Elementwise operators with constants, a Concat with the input itself, windows that do not overlap. */
static void make_mixture(const struct dnnl_maker *m)
{
    static const int64_t window[2] = {2, 2};

    dnnl_net_input(m, "x", "1,8,6,6");
    dnnl_net_constant(m, "low", "");
    dnnl_net_constant(m, "w", "16,8,2,2");
    dnnl_net_constant(m, "k", "1,8,1,1");
    dnnl_net_value(m, "a", "1,8,6,6");
    dnnl_net_value(m, "s", "1,8,6,6");
    dnnl_net_value(m, "e", "1,8,6,6");
    dnnl_net_value(m, "j", "1,16,6,6");
    dnnl_net_value(m, "t", "1,8,12,12");
    th_node(m->t, "Clip", 13, "x low", "a");
    th_node(m->t, "Mul", 14, "a k", "s");
    th_node(m->t, "Exp", 13, "s", "e");
    th_node(m->t, "Concat", 13, "e x", "j");
    th_int(m->t, "axis", 1);
    th_node(m->t, "ConvTranspose", 11, "j w", "t");
    th_ints(m->t, "strides", 2, window);
    th_output(m->t, "y", m->dtype, "1,8,6,6");
    th_node(m->t, "AveragePool", 11, "t", "y");
    th_ints(m->t, "kernel_shape", 2, window);
    th_ints(m->t, "strides", 2, window);
}

static void make_sequence(const struct dnnl_maker *m)
{
    dnnl_net_input(m, "x", "3,2,8");
    dnnl_net_constant(m, "w", "1,16,8");
    dnnl_net_constant(m, "r", "1,16,4");
    dnnl_net_constant(m, "b", "1,32");
    th_output(m->t, "y", m->dtype, "3,1,2,4");
    th_node(m->t, "LSTM", 14, "x w r b", "y");
    th_int(m->t, "hidden_size", 4);
}

/* The input is the output, in another order. */
static void make_move(const struct dnnl_maker *m)
{
    dnnl_net_input(m, "x", "2,3,5");
    th_output(m->t, "y", m->dtype, "5,2,3");
    th_node(m->t, "Transpose", 13, "x", "y");
    th_ints(m->t, "perm", 3, (const int64_t[3]){2, 0, 1});
}

static double error_in(dnnl_net_fn make)
{
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();
    double error;

    dnnl_net_run(want, BP_DTYPE_F64, BP_DTYPE_F16, make);
    dnnl_net_run(got, BP_DTYPE_F16, BP_DTYPE_F16, make);
    error = dnnl_net_error(got, BP_DTYPE_F16, want);
    th_move(got); /* other buffers, the same frame */
    ck_assert_msg(th_run(got) >= 0, "%s", th_message(got));
    ck_assert(dnnl_net_error(got, BP_DTYPE_F16, want) == error);
    th_free(got);
    th_free(want);
    return error;
}

START_TEST(float16_nodes_round_their_results_only)
{
    static const struct {
        const char *what;
        dnnl_net_fn make;
    } more[] = {{"mixture", make_mixture}, {"sequence", make_sequence}};

    for (size_t i = 0; i < DNNL_NETWORKS + 2; i++) {
        const char *what = i < DNNL_NETWORKS ? dnnl_networks[i].what : more[i - DNNL_NETWORKS].what;
        double error =
            error_in(i < DNNL_NETWORKS ? dnnl_networks[i].make : more[i - DNNL_NETWORKS].make);

        ck_assert_msg(error >= LEAST && error <= MOST, "%s: %g", what, error);
    }
}
END_TEST

START_TEST(float16_data_movement_keeps_all_bits)
{
    ck_assert(error_in(make_move) == 0);
}
END_TEST

START_TEST(math_mode_fast_rounds_float16_products)
{
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();

    th_option(got, "math_mode", "fast");
    dnnl_net_run(want, BP_DTYPE_F64, BP_DTYPE_F16, dnnl_make_network);
    dnnl_net_run(got, BP_DTYPE_F16, BP_DTYPE_F16, dnnl_make_network);
    ck_assert(dnnl_net_error(got, BP_DTYPE_F16, want) <= 1e-2);
    th_free(got);
    th_free(want);
}
END_TEST

/* Numbers too large for float16 between two nodes do not become infinite. */
START_TEST(float16_values_within_a_group_have_the_range_of_float32)
{
    struct th *t = dnnl_new();
    double x[2] = {60000, -60000}, scale = 0.25;
    double large = 8;

    th_input(t, "x", BP_DTYPE_F16, "2", th_keep(t, typed_encode(x, 2, BP_DTYPE_F16)));
    th_const(t, "eight", BP_DTYPE_F16, "", th_keep(t, typed_encode(&large, 1, BP_DTYPE_F16)));
    th_const(t, "quarter", BP_DTYPE_F16, "", th_keep(t, typed_encode(&scale, 1, BP_DTYPE_F16)));
    th_value(t, "a", BP_DTYPE_F16, "2");
    th_value(t, "b", BP_DTYPE_F16, "2");
    th_output(t, "y", BP_DTYPE_F16, "2");
    th_node(t, "Mul", 14, "x eight", "a");
    th_node(t, "Mul", 14, "a quarter", "b");
    th_node(t, "Mul", 14, "b quarter", "y");
    dnnl_run(t);
    for (size_t i = 0; i < 2; i++)
        ck_assert(fabs(typed_get(th_data(t, "y"), BP_DTYPE_F16, i) - x[i] / 2) <= 16);
    th_free(t);
}
END_TEST

START_TEST(float16_nodes_take_dynamic_sizes)
{
    static const struct {
        size_t n;
        const char *dims;
    } sizes[] = {{3, "3,4"}, {0, "0,4"}, {1, "1,4"}};
    struct th *t = dnnl_new();
    double values[12] = {-1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12};
    void *x = th_keep(t, typed_encode(values, 12, BP_DTYPE_F16));

    th_dynamic(t);
    th_input(t, "x", BP_DTYPE_F16, "2,4", x);
    th_output(t, "y", BP_DTYPE_F16, "2,4");
    th_node(t, "Relu", 14, "x", "y");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        th_shape(t, "x", sizes[i].dims);
        th_shape(t, "y", sizes[i].dims);
        th_feed(t, "x", x);
        ck_assert_msg(th_run(t) >= 0, "%s: %s", sizes[i].dims, th_message(t));
        for (size_t k = 0; k < sizes[i].n * 4; k++)
            ck_assert(typed_get(th_data(t, "y"), BP_DTYPE_F16, k) == fmax(values[k], 0));
    }
    th_free(t);
}
END_TEST

START_TEST(claim_names_an_unsupported_element_type)
{
    struct th *t = dnnl_new();

    th_input(t, "x", BP_DTYPE_F64, "4", th_keep(t, calloc(4, sizeof(double))));
    th_output(t, "y", BP_DTYPE_F64, "4");
    th_node(t, "Relu", 14, "x", "y");
    dnnl_refuses(t, BP_R_DTYPE, "float32 or float16");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("against float64");

    tcase_add_test(tcase, float16_nodes_round_their_results_only);
    tcase_add_test(tcase, float16_data_movement_keeps_all_bits);
    tcase_add_test(tcase, math_mode_fast_rounds_float16_products);
    tcase_add_test(tcase, float16_values_within_a_group_have_the_range_of_float32);
    tcase_add_test(tcase, float16_nodes_take_dynamic_sizes);
    tcase_add_test(tcase, claim_names_an_unsupported_element_type);
    return check_main("dnnl_f16", &tcase, 1);
}
