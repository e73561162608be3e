/* SPDX-License-Identifier: MIT */
/*
 * check_split.c - primitives of oneDNN that take long are cut into several: these make the same, and
 * a run stops between them.
 */

#include "config.h"

#include "dnnl/dnnl_kit.h"

#include <time.h>

enum { MAX_EVENTS = 4096 };

/* ---- what is cut makes the same -------------------------------------------------------------- */

static void matmul_with_bias(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "2,70,96");
    dnnl_const(t, "w", "96,320");
    dnnl_const(t, "b", "320");
    dnnl_values(t, "p s", "2,70,320");
    dnnl_output(t, "y", "2,70,320");
    th_node(t, "MatMul", 13, "x w", "p");
    th_node(t, "Add", 14, "p b", "s");
    th_node(t, "Relu", 14, "s", "y");
}

static void matmul_of_stacks(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "3,2,64,70");
    dnnl_input(t, "w", "1,2,70,96");
    dnnl_output(t, "y", "3,2,64,96");
    th_node(t, "MatMul", 13, "x w", "y");
}

static void gemm_with_c(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "80,90");
    dnnl_input(t, "w", "200,80");
    dnnl_input(t, "c", "90,200");
    dnnl_output(t, "y", "90,200");
    th_node(t, "Gemm", 13, "x w c", "y");
    th_int(t, "transA", 1);
    th_int(t, "transB", 1);
    th_float(t, "alpha", 0.5f);
    th_float(t, "beta", 2);
}

/* A convolution with a residual: groups, or strides, dilations and uneven pads. */
static void convolution(struct th *t, const void *u)
{
    static const int64_t strides[2] = {2, 1}, dilations[2] = {2, 3}, pads[4] = {3, 2, 1, 4};
    const char *const *texts = u; /* x, w, y, and what is set: "group", "window", "bias" or NULL */

    dnnl_input(t, "x", texts[0]);
    dnnl_const(t, "w", texts[1]);
    dnnl_input(t, "z", texts[2]);
    dnnl_values(t, "c s", texts[2]);
    dnnl_output(t, "y", texts[2]);
    if (texts[3] && strcmp(texts[3], "window") == 0) {
        th_node(t, "Conv", 11, "x w", "c");
        th_ints(t, "strides", 2, strides);
        th_ints(t, "dilations", 2, dilations);
        th_ints(t, "pads", 4, pads);
    } else {
        bool has_bias = texts[3] && strcmp(texts[3], "bias") == 0;

        if (has_bias)
            dnnl_const(t, "b", "48");
        dnnl_conv(t, has_bias ? "x w b" : "x w", "c");
        if (texts[3] && !has_bias)
            th_int(t, "group", 4);
    }
    th_node(t, "Add", 14, "c z", "s");
    th_node(t, "Relu", 14, "s", "y");
}

static void transposed_convolution(struct th *t, const void *u)
{
    static const int64_t two[2] = {2, 2};

    (void)u;
    dnnl_input(t, "x", "4,32,20,20");
    dnnl_const(t, "w", "32,16,2,2");
    dnnl_output(t, "y", "4,16,40,40");
    th_node(t, "ConvTranspose", 11, "x w", "y");
    th_ints(t, "strides", 2, two);
}

/* Of one input and one output of these dims. */
struct unary {
    const char *op, *in, *out;
    uint32_t since;
    int64_t axis;        /* -1: it has none */
    bool has_window;     /* of 3, with a stride of 2 */
    bool has_parameters; /* scale, bias, mean and variance by channel, or a row's */
};

static void unary(struct th *t, const void *u)
{
    static const int64_t three[2] = {3, 3}, two[2] = {2, 2}, perm[3] = {2, 0, 1};
    const struct unary *k = u;
    bool is_batch_norm = strcmp(k->op, "BatchNormalization") == 0;

    dnnl_input(t, "x", k->in);
    dnnl_output(t, "y", k->out);
    if (k->has_parameters) {
        const char *dims = is_batch_norm ? "32" : "200";
        float *variance = dnnl_floats(t, 32);

        for (int i = 0; i < 32; i++)
            variance[i] = 0.5f + (float)i / 32;
        dnnl_const(t, "a", dims);
        dnnl_const(t, "b", dims);
        if (is_batch_norm) {
            dnnl_const(t, "m", dims);
            th_const(t, "v", BP_DTYPE_F32, dims, variance);
        }
        th_node(t, k->op, k->since, is_batch_norm ? "x a b m v" : "x a b", "y");
    } else {
        th_node(t, k->op, k->since, "x", "y");
    }
    if (k->axis >= 0)
        th_int(t, "axis", k->axis);
    if (k->has_window) {
        th_ints(t, "kernel_shape", 2, three);
        th_ints(t, "strides", 2, two);
    }
    if (strcmp(k->op, "Transpose") == 0)
        th_ints(t, "perm", 3, perm);
}

static void sum_of_three(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "a", "7,40,50");
    dnnl_input(t, "b", "7,40,50");
    dnnl_input(t, "c", "7,40,50");
    dnnl_output(t, "y", "7,40,50");
    th_node(t, "Sum", 13, "a b c", "y");
}

static void product_of_a_row(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "a", "70,400");
    dnnl_input(t, "b", "1,400");
    dnnl_output(t, "y", "70,400");
    th_node(t, "Mul", 14, "a b", "y");
}

static const char *const blocks[] = {"1,32,20,20", "48,32,3,3", "1,48,20,20", NULL};
static const char *const biased[] = {"1,32,20,20", "48,32,3,3", "1,48,20,20", "bias"};
static const char *const batch[] = {"3,32,12,12", "48,32,3,3", "3,48,12,12", NULL};
static const char *const groups[] = {"1,32,20,20", "48,8,3,3", "1,48,20,20", "group"};
static const char *const windows[] = {"1,32,40,30", "64,32,3,3", "1,64,20,30", "window"};

static const struct unary unaries[] = {
    {.op = "Tanh", .in = "40000", .out = "40000", .since = 13, .axis = -1},
    {.op = "Softmax", .in = "30,400", .out = "30,400", .since = 13, .axis = 0},
    {.op = "Softmax", .in = "30,400", .out = "30,400", .since = 13, .axis = 1},
    {.op = "MaxPool",
     .in = "2,32,31,31",
     .out = "2,32,15,15",
     .since = 12,
     .axis = -1,
     .has_window = true},
    {.op = "BatchNormalization",
     .in = "3,32,20,20",
     .out = "3,32,20,20",
     .since = 15,
     .axis = -1,
     .has_parameters = true},
    {.op = "LayerNormalization",
     .in = "5,30,200",
     .out = "5,30,200",
     .since = 17,
     .axis = 2,
     .has_parameters = true},
    {.op = "Transpose", .in = "20,30,40", .out = "40,20,30", .since = 13, .axis = -1},
};

static const struct {
    const char *name;
    dnnl_make_fn make;
    const void *u;
} cases[] = {
    {"a product with a bias", matmul_with_bias, NULL},
    {"a product of stacks", matmul_of_stacks, NULL},
    {"Gemm with a matrix C", gemm_with_c, NULL},
    {"a convolution", convolution, blocks},
    {"a convolution with a bias", convolution, biased},
    {"a convolution of a batch", convolution, batch},
    {"a convolution in groups", convolution, groups},
    {"a convolution with strides and dilations", convolution, windows},
    {"a transposed convolution", transposed_convolution, NULL},
    {"Sum of three", sum_of_three, NULL},
    {"a product of a row", product_of_a_row, NULL},
    {"Tanh", unary, &unaries[0]},
    {"Softmax of columns", unary, &unaries[1]},
    {"Softmax of rows", unary, &unaries[2]},
    {"MaxPool", unary, &unaries[3]},
    {"BatchNormalization", unary, &unaries[4]},
    {"LayerNormalization", unary, &unaries[5]},
    {"Transpose", unary, &unaries[6]},
};

/* Steps of a run. */
static uint32_t steps_of(struct th *t)
{
    static bp_prof_event events[MAX_EVENTS];
    bp_prof prof = {
        .struct_size = sizeof prof, .cap = MAX_EVENTS, .ev = events, .stride = sizeof *events};

    th_limits(t, NULL, 0, &prof);
    dnnl_run(t);
    th_limits(t, NULL, 0, NULL);
    ck_assert_uint_eq(prof.dropped, 0);
    return prof.count;
}

START_TEST(primitive_that_is_cut_makes_the_same)
{
    struct th *want = th_new(dnnl_cpu_entry()), *whole = dnnl_new(), *cut = dnnl_new();
    const char *name = cases[_i].name;

    th_option(cut, "max_primitive_us", "1");
    dnnl_run_both(name, want, whole, 7, cases[_i].make, cases[_i].u);
    data_seed(7);
    cases[_i].make(cut, cases[_i].u);
    ck_assert_msg(steps_of(cut) > steps_of(whole), "%s: %u steps", name, steps_of(cut));
    dnnl_same(name, cut, want, "y");
    th_move(cut);
    dnnl_run(cut);
    dnnl_same(name, cut, want, "y");
    th_free(cut);
    th_free(whole);
    th_free(want);
}
END_TEST

/* ---- a run stops ----------------------------------------------------------------------------- */

/* 64 and 21 billion operations; products are faster. */
static void large_product(struct th *t)
{
    dnnl_input(t, "x", "6600,2200");
    dnnl_const(t, "w", "2200,2200");
    dnnl_output(t, "y", "6600,2200");
    th_node(t, "MatMul", 13, "x w", "y");
}

static void large_convolution(struct th *t)
{
    dnnl_input(t, "x", "1,128,264,264");
    dnnl_const(t, "w", "128,128,3,3");
    dnnl_output(t, "y", "1,128,264,264");
    dnnl_conv(t, "x w", "y");
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Seconds of the processor that a run takes, all threads together. */
static double processor_seconds(struct th *t, bp_rc want)
{
    struct timespec from, to;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    ck_assert_int_eq(th_run(t), want);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

/* By the processor's time, which other processes do not change much. */
START_TEST(deadline_ends_a_run_within_a_long_primitive)
{
    struct th *t = dnnl_new();
    double whole, part;

    if (_i == 0)
        large_product(t);
    else
        large_convolution(t);
    dnnl_run(t);
    whole = processor_seconds(t, BP_OK);
    th_limits(t, NULL, now_ns() + 1000000, NULL);
    part = processor_seconds(t, BP_E_TIMEOUT);
    ck_assert_msg(part < whole / 2, "%f s of %f s", part, whole);
    th_limits(t, NULL, 0, NULL);
    dnnl_run(t);
    th_free(t);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("split");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, primitive_that_is_cut_makes_the_same, 0,
                        (int)(sizeof cases / sizeof cases[0]));
    tcase_add_loop_test(tcase, deadline_ends_a_run_within_a_long_primitive, 0, 2);
    return check_main("dnnl_split", &tcase, 1);
}
