/* SPDX-License-Identifier: MIT */
/* check_ops.c - each operator of the dnnl provider against the CPU provider's. */

#include "config.h"

#include "dnnl/dnnl_kit.h"

enum { MOST = 3 };

/* ---- convolutions ---------------------------------------------------------------------------- */

struct conv {
    uint32_t rank;
    int64_t batch, channels, maps, groups;
    int64_t in[MOST], out[MOST], kernel[MOST], strides[MOST], dilations[MOST], pads[2 * MOST];
    bool has_bias, is_transposed, is_variable; /* W is an input of the graph */
    const char *activation;                    /* of FusedConv; NULL: Conv */
    bool has_z;
};

static void add_operands(struct th *t, const struct conv *k)
{
    char text[128];

    dnnl_input(t, "x", dnnl_dims(text, sizeof text, k->batch, k->channels, k->in, k->rank));
    dnnl_dims(text, sizeof text, k->is_transposed ? k->channels : k->maps,
              (k->is_transposed ? k->maps : k->channels) / k->groups, k->kernel, k->rank);
    if (k->is_variable)
        dnnl_input(t, "w", text);
    else
        dnnl_const(t, "w", text);
    snprintf(text, sizeof text, "%lld", (long long)k->maps);
    if (k->has_bias)
        dnnl_const(t, "b", text);
    dnnl_dims(text, sizeof text, k->batch, k->maps, k->out, k->rank);
    if (k->has_z)
        dnnl_input(t, "z0", text);
    dnnl_output(t, "y", text);
}

static void make_conv(struct th *t, const void *u)
{
    const struct conv *k = u;
    const float params[2] = {0.1f, 0.6f};
    char names[32];

    add_operands(t, k);
    snprintf(names, sizeof names, "x w %s%s",
             k->has_bias ? "b"
             : k->has_z  ? "-"
                         : "",
             k->has_z ? " z0" : "");
    if (k->activation)
        th_node(t, "FusedConv", 1, names, "y");
    else
        th_node(t, k->is_transposed ? "ConvTranspose" : "Conv", 11, names, "y");
    if (k->activation) {
        th_domain(t, "com.microsoft");
        th_string(t, "activation", k->activation);
        if (strcmp(k->activation, "Clip") == 0 || strcmp(k->activation, "HardSigmoid") == 0)
            th_floats(t, "activation_params", 2, params);
        else if (strcmp(k->activation, "LeakyRelu") == 0)
            th_floats(t, "activation_params", 1, params);
    }
    th_ints(t, "kernel_shape", k->rank, k->kernel);
    th_ints(t, "strides", k->rank, k->strides);
    th_ints(t, "dilations", k->rank, k->dilations);
    th_ints(t, "pads", 2 * k->rank, k->pads);
    th_int(t, "group", k->groups);
}

/* Sizes from a few values; out follows from them. */
static struct conv random_conv(uint32_t rank, bool is_transposed)
{
    struct conv k = {.rank = rank, .is_transposed = is_transposed};

    k.batch = data_pick(1, 2);
    k.groups = data_pick(0, 1) ? data_pick(2, 4) : 1;
    k.channels = k.groups * data_pick(1, 9);
    k.maps = k.groups * data_pick(1, 9);
    k.has_bias = data_pick(0, 1);
    k.is_variable = data_pick(0, 2) == 0;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t reach;

        k.in[i] = data_pick(7, 12);
        k.kernel[i] = data_pick(1, 3);
        k.strides[i] = data_pick(1, 2);
        k.dilations[i] = data_pick(1, 2);
        k.pads[i] = data_pick(0, 1);
        k.pads[rank + i] = data_pick(0, 1);
        reach = (k.kernel[i] - 1) * k.dilations[i] + 1 - k.pads[i] - k.pads[rank + i];
        k.out[i] = is_transposed ? (k.in[i] - 1) * k.strides[i] + reach
                                 : (k.in[i] - reach) / k.strides[i] + 1;
    }
    return k;
}

START_TEST(conv_matches_the_cpu_provider)
{
    data_seed(1);
    for (uint32_t i = 0; i < 24; i++) {
        struct conv k;
        char what[64];

        data_seed(100 + i);
        k = random_conv(1 + i % 3, i % 4 == 3);
        snprintf(what, sizeof what, "convolution %u", i);
        dnnl_compare(what, make_conv, &k, 0);
    }
}
END_TEST

START_TEST(depthwise_conv_matches_the_cpu_provider)
{
    struct conv k = {.rank = 2,
                     .batch = 1,
                     .channels = 32,
                     .maps = 32,
                     .groups = 32,
                     .in = {14, 14},
                     .out = {7, 7},
                     .kernel = {3, 3},
                     .strides = {2, 2},
                     .dilations = {1, 1},
                     .pads = {1, 1, 0, 0},
                     .has_bias = true};

    dnnl_compare("depthwise", make_conv, &k, 0);
}
END_TEST

/* oneDNN has fast depthwise kernels for images alone: 1-D data are an image of height 1, whatever is added or comes next. */
START_TEST(depthwise_conv_of_1d_data_matches_the_cpu_provider)
{
    for (int i = 0; i < 8; i++) {
        struct conv k = {.rank = 1,
                         .batch = 2,
                         .channels = 24,
                         .maps = i % 2 ? 48 : 24,
                         .groups = 24,
                         .in = {40},
                         .out = {i / 2 % 2 ? 20 : 40},
                         .kernel = {9},
                         .strides = {i / 2 % 2 ? 2 : 1},
                         .dilations = {1},
                         .pads = {4, i / 2 % 2 ? 3 : 4},
                         .has_bias = i / 4,
                         .activation = i / 4 ? "Tanh" : NULL,
                         .has_z = i / 4 && i % 2};

        dnnl_compare("1-D data", make_conv, &k, 0);
    }
}
END_TEST

START_TEST(add_and_activation_run_inside_the_convolution)
{
    static const char *const activations[] = {"Relu", "Clip",      "Sigmoid",
                                              "Tanh", "LeakyRelu", "HardSigmoid"};
    struct conv k = {.rank = 2,
                     .batch = 1,
                     .channels = 20,
                     .maps = 24,
                     .groups = 1,
                     .in = {9, 9},
                     .out = {9, 9},
                     .kernel = {3, 3},
                     .strides = {1, 1},
                     .dilations = {1, 1},
                     .pads = {1, 1, 1, 1}};

    for (int i = 0; i < 12; i++) {
        k.activation = activations[i % 6];
        k.has_z = i >= 6;
        k.has_bias = i % 2;
        dnnl_compare(k.activation, make_conv, &k, 0);
    }
}
END_TEST

/* ---- pools ----------------------------------------------------------------------------------- */

struct pool {
    const char *op, *in, *out, *auto_pad;
    int64_t kernel, stride, pad, dilation;
    bool is_ceil, counts_pads;
    uint32_t since;
};

static void make_pool(struct th *t, const void *u)
{
    const struct pool *k = u;
    const int64_t kernel[2] = {k->kernel, k->kernel}, strides[2] = {k->stride, k->stride};
    const int64_t dilations[2] = {k->dilation, k->dilation};
    const int64_t pads[4] = {k->pad, k->pad, k->pad, k->pad};
    bool is_max = strcmp(k->op, "MaxPool") == 0;

    dnnl_input(t, "x", k->in);
    dnnl_output(t, "y", k->out);
    th_node(t, k->op, k->since, "x", "y");
    if (k->kernel == 0)
        return; /* a global one */
    th_ints(t, "kernel_shape", 2, kernel);
    th_ints(t, "strides", 2, strides);
    if (k->auto_pad)
        th_string(t, "auto_pad", k->auto_pad);
    else
        th_ints(t, "pads", 4, pads);
    th_int(t, "ceil_mode", k->is_ceil);
    if (is_max)
        th_ints(t, "dilations", 2, dilations);
    else
        th_int(t, "count_include_pad", k->counts_pads);
}

START_TEST(pools_match_the_cpu_provider)
{
    static const struct pool pools[] = {
        {"MaxPool", "1,20,9,9", "1,20,4,4", NULL, 3, 2, 0, 1, false, false, 12},
        {"MaxPool", "1,20,9,9", "1,20,5,5", NULL, 2, 2, 0, 1, true, false, 12},
        {"MaxPool", "2,3,9,9", "2,3,7,7", NULL, 3, 1, 1, 2, false, false, 12},
        {"MaxPool", "1,5,8,8", "1,5,4,4", "SAME_UPPER", 3, 2, 0, 1, false, false, 12},
        {"AveragePool", "1,20,9,9", "1,20,9,9", NULL, 3, 1, 1, 1, false, false, 11},
        {"AveragePool", "1,20,9,9", "1,20,9,9", NULL, 3, 1, 1, 1, false, true, 11},
        {"AveragePool", "1,5,8,8", "1,5,4,4", "SAME_LOWER", 3, 2, 0, 1, false, false, 11},
        {"AveragePool", "1,5,8,8", "1,5,3,3", "VALID", 3, 2, 0, 1, false, false, 11},
        {"GlobalAveragePool", "2,33,5,7", "2,33,1,1", NULL, 0, 0, 0, 0, false, false, 1},
        {"GlobalMaxPool", "2,33,5,7", "2,33,1,1", NULL, 0, 0, 0, 0, false, false, 1},
    };

    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++)
        dnnl_compare(pools[i].op, make_pool, &pools[i], 0);
}
END_TEST

/* ---- elements -------------------------------------------------------------------------------- */

struct unary {
    const char *op, *domain;
    uint32_t since;
    const char *attr;
    float value;
};

static void make_unary(struct th *t, const void *u)
{
    const struct unary *k = u;

    dnnl_input(t, "x", "2,3,5,7");
    dnnl_output(t, "y", "2,3,5,7");
    th_node(t, k->op, k->since, "x", "y");
    if (k->domain)
        th_domain(t, k->domain);
    if (k->attr)
        th_float(t, k->attr, k->value);
}

START_TEST(activations_match_the_cpu_provider)
{
    static const struct unary rows[] = {
        {"Abs", NULL, 13, NULL, 0},
        {"Elu", NULL, 6, "alpha", 0.7f},
        {"Exp", NULL, 13, NULL, 0},
        {"Gelu", NULL, 20, NULL, 0},
        {"Gelu", "com.microsoft", 1, NULL, 0},
        {"HardSwish", NULL, 14, NULL, 0},
        {"LeakyRelu", NULL, 16, "alpha", 0.3f},
        {"Mish", NULL, 18, NULL, 0},
        {"Neg", NULL, 13, NULL, 0},
        {"Relu", NULL, 14, NULL, 0},
        {"Sigmoid", NULL, 13, NULL, 0},
        {"Tanh", NULL, 13, NULL, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        dnnl_compare(rows[i].op, make_unary, &rows[i], 0);
}
END_TEST

static void make_clip(struct th *t, const void *u)
{
    static const float low = -0.25f, high = 0.5f;

    (void)u;
    dnnl_input(t, "x", "3,50");
    th_const(t, "low", BP_DTYPE_F32, "", &low);
    th_const(t, "high", BP_DTYPE_F32, "", &high);
    dnnl_output(t, "y", "3,50");
    th_node(t, "Clip", 13, "x low high", "y");
}

START_TEST(clip_matches_the_cpu_provider)
{
    dnnl_compare("Clip", make_clip, NULL, 0);
}
END_TEST

struct binary {
    const char *op, *a, *b, *y;
};

static void make_binary(struct th *t, const void *u)
{
    const struct binary *k = u;

    dnnl_input(t, "a", k->a);
    dnnl_const(t, "b", k->b);
    dnnl_output(t, "y", k->y);
    th_node(t, k->op, strcmp(k->op, "Sum") == 0 ? 13 : 14, "a b", "y");
}

START_TEST(broadcast_binary_operators_match_the_cpu_provider)
{
    static const struct binary rows[] = {
        {"Add", "2,3,4,5", "2,3,4,5", "2,3,4,5"},
        {"Add", "2,3,4,5", "3,1,1", "2,3,4,5"},
        {"Add", "3,1,1", "2,3,4,5", "2,3,4,5"},
        {"Mul", "2,3,4,5", "", "2,3,4,5"},
        {"Mul", "5", "4,5", "4,5"},
        {"Sub", "2,3,4,5", "5", "2,3,4,5"},
        {"Sum", "2,3,4,5", "4,1", "2,3,4,5"},
        {"Add", "7", "", "7"},
        {"Sub", "2,3,4,5", "1,1", "2,3,4,5"},
        {"Div", "3,7", "1", "3,7"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        dnnl_compare(rows[i].op, make_binary, &rows[i], 0);
}
END_TEST

static void make_sum(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "a", "2,3,8");
    dnnl_input(t, "b", "2,3,8");
    dnnl_const(t, "c", "2,3,8");
    dnnl_output(t, "y", "2,3,8");
    th_node(t, "Sum", 13, "a b c a", "y");
}

START_TEST(sum_of_several_inputs_matches_the_cpu_provider)
{
    dnnl_compare("Sum", make_sum, NULL, 0);
}
END_TEST

/* ---- products -------------------------------------------------------------------------------- */

static void make_matmul(struct th *t, const void *u)
{
    const struct binary *k = u;

    dnnl_input(t, "a", k->a);
    if (k->op) /* a constant second one */
        dnnl_const(t, "b", k->b);
    else
        dnnl_input(t, "b", k->b);
    dnnl_output(t, "y", k->y);
    th_node(t, "MatMul", 13, "a b", "y");
}

START_TEST(matmul_matches_the_cpu_provider)
{
    static const struct binary rows[] = {
        {NULL, "17,33", "33,20", "17,20"},
        {"const", "17,33", "33,20", "17,20"},
        {"const", "2,5,33", "33,20", "2,5,20"},
        {NULL, "2,3,5,8", "2,3,8,6", "2,3,5,6"},
        {NULL, "2,1,5,8", "3,8,6", "2,3,5,6"},
        {"const", "2,5,8", "2,8,6", "2,5,6"},
        {NULL, "8", "8,6", "6"},
        {"const", "5,8", "8", "5"},
        {NULL, "3,5,8", "8", "3,5"},
        {NULL, "8", "3,8,5", "3,5"},
        {NULL, "8", "8", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        dnnl_compare(rows[i].y, make_matmul, &rows[i], 0);
}
END_TEST

struct gemm {
    int trans_a, trans_b;
    float alpha, beta;
    const char *c, *activation;
};

static void make_gemm(struct th *t, const void *u)
{
    const struct gemm *k = u;

    dnnl_input(t, "a", k->trans_a ? "33,17" : "17,33");
    dnnl_const(t, "b", k->trans_b ? "20,33" : "33,20");
    if (k->c)
        dnnl_const(t, "c", k->c);
    dnnl_output(t, "y", "17,20");
    th_node(t, k->activation ? "FusedGemm" : "Gemm", k->activation ? 1 : 13, k->c ? "a b c" : "a b",
            "y");
    if (k->activation) {
        th_domain(t, "com.microsoft");
        th_string(t, "activation", k->activation);
        th_float(t, "activation_alpha", 0.2f);
    }
    th_int(t, "transA", k->trans_a);
    th_int(t, "transB", k->trans_b);
    th_float(t, "alpha", k->alpha);
    th_float(t, "beta", k->beta);
}

START_TEST(gemm_matches_the_cpu_provider)
{
    static const struct gemm rows[] = {
        {0, 0, 1, 1, NULL, NULL},        {0, 1, 1, 1, "20", NULL},      {1, 0, 1, 1, "1,20", NULL},
        {1, 1, 0.5f, 1, "17,20", NULL},  {0, 0, 0.5f, 2, "17,1", NULL}, {0, 1, 1, 0.5f, "20", NULL},
        {0, 0, 2, 0, "20", NULL},        {0, 0, 1, 1, "", NULL},        {0, 1, 1, 1, "20", "Relu"},
        {0, 1, 1, 2, "20", "LeakyRelu"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char what[32];

        snprintf(what, sizeof what, "Gemm %zu", i);
        dnnl_compare(what, make_gemm, &rows[i], 0);
    }
}
END_TEST

/* ---- norms and moves ------------------------------------------------------------------------- */

static void make_norm(struct th *t, const void *u)
{
    float *variance = dnnl_floats(t, 18);

    (void)u;
    for (int i = 0; i < 18; i++)
        variance[i] = variance[i] * variance[i] + 0.5f;
    dnnl_input(t, "x", "2,18,5,6");
    dnnl_const(t, "scale", "18");
    dnnl_const(t, "shift", "18");
    dnnl_const(t, "mean", "18");
    th_const(t, "variance", BP_DTYPE_F32, "18", variance);
    dnnl_value(t, "n", "2,18,5,6");
    dnnl_output(t, "y", "2,18,5,6");
    th_node(t, "BatchNormalization", 15, "x scale shift mean variance", "n");
    th_node(t, "LRN", 13, "n", "y");
    th_int(t, "size", 5);
    th_float(t, "alpha", 0.5f);
}

START_TEST(batch_normalization_and_lrn_match_the_cpu_provider)
{
    dnnl_compare("BatchNormalization and LRN", make_norm, NULL, 0);
}
END_TEST

static void make_softmax(struct th *t, const void *u)
{
    const int *axis = u;

    dnnl_input(t, "x", "2,5,7");
    dnnl_output(t, "y", "2,5,7");
    th_node(t, "Softmax", 13, "x", "y");
    th_int(t, "axis", *axis);
}

START_TEST(softmax_along_any_axis_matches_the_cpu_provider)
{
    for (int axis = -3; axis < 3; axis++)
        dnnl_compare("Softmax", make_softmax, &axis, 0);
}
END_TEST

static void make_rows(struct th *t, const void *u)
{
    dnnl_input(t, "x", u);
    dnnl_output(t, "y", u);
    th_node(t, "Softmax", 13, "x", "y");
}

/* Many at a time, and what is left over; the last are enough for a team. */
START_TEST(softmax_of_rows_shorter_than_a_vector_matches_the_cpu_provider)
{
    static const char *const dims[] = {"5,1", "64,2", "3,67,3", "129,16", "130,17", "2,9000,2,1"};

    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++)
        dnnl_compare(dims[i], make_rows, dims[i], 0);
}
END_TEST

START_TEST(softmax_of_a_row_with_nan_or_infinity_gives_nan)
{
    static const float x[] = {NAN, 1, 1, NAN, INFINITY, 0, -INFINITY, 0, 200, -200, 3, 3};
    struct th *t = dnnl_new();
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "6,2", x);
    dnnl_output(t, "y", "6,2");
    th_node(t, "Softmax", 13, "x", "y");
    dnnl_run(t);
    y = th_data(t, "y");
    for (int i = 0; i < 6; i++)
        ck_assert(isnan(y[i])); /* all of a row with NaN or an infinite number */
    ck_assert(y[6] == 0 && y[7] == 1 && y[8] == 1 && y[9] == 0);
    ck_assert(y[10] == 0.5f && y[11] == 0.5f);
    th_free(t);
}
END_TEST

static void make_concat(struct th *t, const void *u)
{
    const int *axis = u;
    const char *dims[3] = {"2,3,4", "2,3,4", "2,3,4"};
    const char *out[3] = {"6,3,4", "2,9,4", "2,3,12"};

    dnnl_input(t, "a", dims[0]);
    dnnl_const(t, "b", dims[1]);
    dnnl_input(t, "c", dims[2]);
    dnnl_output(t, "y", out[*axis < 0 ? *axis + 3 : *axis]);
    th_node(t, "Concat", 13, "a b c", "y");
    th_int(t, "axis", *axis);
}

START_TEST(concat_matches_the_cpu_provider)
{
    for (int axis = -3; axis < 3; axis++)
        dnnl_compare("Concat", make_concat, &axis, 0);
}
END_TEST

static void make_moves(struct th *t, const void *u)
{
    static const int64_t perm[4] = {0, 2, 3, 1}, shape[2] = {2, 60};

    (void)u;
    dnnl_input(t, "x", "2,3,4,5");
    dnnl_values(t, "t i", "2,4,5,3");
    dnnl_output(t, "y", "2,60");
    dnnl_output(t, "z", "5,4,3,2");
    th_const(t, "shape", BP_DTYPE_I64, "2", shape);
    th_node(t, "Transpose", 13, "x", "t");
    th_ints(t, "perm", 4, perm);
    th_node(t, "Identity", 13, "t", "i");
    th_node(t, "Reshape", 13, "i shape", "y");
    th_node(t, "Transpose", 13, "x", "z");
}

START_TEST(views_match_the_cpu_provider)
{
    dnnl_compare("views", make_moves, NULL, 1);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("against cpu");

    tcase_add_test(tcase, conv_matches_the_cpu_provider);
    tcase_add_test(tcase, depthwise_conv_matches_the_cpu_provider);
    tcase_add_test(tcase, depthwise_conv_of_1d_data_matches_the_cpu_provider);
    tcase_add_test(tcase, add_and_activation_run_inside_the_convolution);
    tcase_add_test(tcase, pools_match_the_cpu_provider);
    tcase_add_test(tcase, activations_match_the_cpu_provider);
    tcase_add_test(tcase, clip_matches_the_cpu_provider);
    tcase_add_test(tcase, broadcast_binary_operators_match_the_cpu_provider);
    tcase_add_test(tcase, sum_of_several_inputs_matches_the_cpu_provider);
    tcase_add_test(tcase, matmul_matches_the_cpu_provider);
    tcase_add_test(tcase, gemm_matches_the_cpu_provider);
    tcase_add_test(tcase, batch_normalization_and_lrn_match_the_cpu_provider);
    tcase_add_test(tcase, softmax_along_any_axis_matches_the_cpu_provider);
    tcase_add_test(tcase, softmax_of_rows_shorter_than_a_vector_matches_the_cpu_provider);
    tcase_add_test(tcase, softmax_of_a_row_with_nan_or_infinity_gives_nan);
    tcase_add_test(tcase, concat_matches_the_cpu_provider);
    tcase_add_test(tcase, views_match_the_cpu_provider);
    return check_main("dnnl_ops", &tcase, 1);
}
