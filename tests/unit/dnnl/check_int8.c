/* SPDX-License-Identifier: MIT */
/*
 * check_int8.c - quantised operators of the dnnl provider against the CPU provider's. What they
 * sum is the same; oneDNN multiplies in float32 and rounds after adding the zero point, so that results may
 * be one step apart. QuantizeLinear and DequantizeLinear are the same bits. Where the processor has
 * no AVX-512 VNNI (valgrind's has not), products are refused and the rest is compared.
 */

#include "config.h"

#include "dnnl/dnnl_kit.h"

enum { MOST_SPATIAL = 2, U8 = BP_DTYPE_U8, I8 = BP_DTYPE_I8 };

/* ---- tensors --------------------------------------------------------------------------------- */

/* n bytes at random; those of int8 never -128, as weights are. */
static void *random_bytes(struct th *t, uint32_t dtype, size_t n)
{
    uint8_t *bytes = th_keep(t, malloc(n ? n : 1));

    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(dtype == U8 ? data_pick(0, 255) : data_pick(-127, 127));
    return bytes;
}

static void byte_input(struct th *t, const char *name, uint32_t dtype, const char *dims)
{
    th_input(t, name, dtype, dims, random_bytes(t, dtype, dnnl_elements(dims)));
}

static void byte_const(struct th *t, const char *name, uint32_t dtype, const char *dims)
{
    th_const(t, name, dtype, dims, random_bytes(t, dtype, dnnl_elements(dims)));
}

/* The scale and zero point of a tensor: <name>_s and <name>_z. */
static void quant_const(struct th *t, const char *name, uint32_t dtype, float scale, int zero)
{
    uint8_t byte = (uint8_t)zero;
    char text[32];

    snprintf(text, sizeof text, "%s_s", name);
    th_const(t, text, BP_DTYPE_F32, "", &scale);
    snprintf(text, sizeof text, "%s_z", name);
    th_const(t, text, dtype, "", &byte);
}

/* Those of weights: n scales about `scale`, zero points of 0. */
static void each_const(struct th *t, const char *name, float scale, int64_t n)
{
    float *scales = th_keep(t, calloc((size_t)n, sizeof *scales));
    char text[32], dims[32] = "";

    for (int64_t i = 0; i < n; i++)
        scales[i] = scale * (0.5f + (float)data_pick(0, 100) / 100);
    if (n > 1)
        snprintf(dims, sizeof dims, "%lld", (long long)n);
    snprintf(text, sizeof text, "%s_s", name);
    th_const(t, text, BP_DTYPE_F32, dims, scales);
    snprintf(text, sizeof text, "%s_z", name);
    th_const(t, text, I8, dims, th_keep(t, calloc((size_t)n, 1)));
}

static int byte_at(const void *data, uint32_t dtype, size_t i)
{
    return dtype == U8 ? ((const uint8_t *)data)[i] : ((const int8_t *)data)[i];
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* No number further apart than a step, and those few. How many of `of` there are is returned. */
static size_t compare_steps(const char *what, const struct th *got, const struct th *want,
                            uint32_t dtype, int of)
{
    const void *a = th_data(got, "y"), *b = th_data(want, "y");
    size_t n = th_count(want, "y"), n_apart = 0, n_of = 0;

    ck_assert_uint_eq(th_count(got, "y"), n);
    for (size_t i = 0; i < n; i++) {
        int own = byte_at(a, dtype, i), theirs = byte_at(b, dtype, i);

        ck_assert_msg(abs(own - theirs) <= 1, "%s: y[%zu] is %d, not %d", what, i, own, theirs);
        n_apart += own != theirs;
        n_of += own == of;
    }
    ck_assert_msg(n_apart * 20 <= n + 20, "%s: %zu of %zu differ", what, n_apart, n);
    return n_of;
}

/* Builds it twice and compares y, of type dtype; returns how many are `of`. */
static size_t compare(const char *what, dnnl_make_fn make, const void *u, uint32_t dtype, int of)
{
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();
    size_t n;

    dnnl_run_both(what, want, got, 7, make, u);
    compare_steps(what, got, want, dtype, of);
    th_move(got); /* other buffers, the same frame */
    ck_assert_msg(th_run(got) >= 0, "%s: again: %s", what, th_message(got));
    n = compare_steps(what, got, want, dtype, of);
    th_free(got);
    th_free(want);
    return n;
}

/* ---- QLinearConv ----------------------------------------------------------------------------- */

struct conv {
    uint32_t rank, x_type, y_type;
    int64_t batch, channels, maps, groups;
    int64_t in[MOST_SPATIAL], out[MOST_SPATIAL], kernel[MOST_SPATIAL], strides[MOST_SPATIAL];
    int64_t dilations[MOST_SPATIAL], pads[2 * MOST_SPATIAL];
    int x_zero, y_zero;
    float gain; /* 1: most results fit, 100: most are beyond the range */
    bool has_bias, has_each;
};

static void add_bias(struct th *t, int64_t n)
{
    int32_t *bias = th_keep(t, calloc((size_t)n, sizeof *bias));
    char text[32];

    for (int64_t i = 0; i < n; i++)
        bias[i] = (int32_t)data_pick(-20000, 20000);
    snprintf(text, sizeof text, "%lld", (long long)n);
    th_const(t, "b", BP_DTYPE_I32, text, bias);
}

static void make_conv(struct th *t, const void *u)
{
    const struct conv *k = u;
    double terms = (double)(k->channels / k->groups);
    char text[128];

    for (uint32_t i = 0; i < k->rank; i++)
        terms *= (double)k->kernel[i];
    byte_input(t, "x", k->x_type,
               dnnl_dims(text, sizeof text, k->batch, k->channels, k->in, k->rank));
    byte_const(t, "w", I8,
               dnnl_dims(text, sizeof text, k->maps, k->channels / k->groups, k->kernel, k->rank));
    quant_const(t, "x", k->x_type, 0.02f, k->x_zero);
    each_const(t, "w", 0.01f, k->has_each ? k->maps : 1);
    quant_const(t, "y", k->y_type, (float)(0.02 * 0.01 * 100 * sqrt(terms)) / k->gain, k->y_zero);
    if (k->has_bias)
        add_bias(t, k->maps);
    th_output(t, "y", k->y_type, dnnl_dims(text, sizeof text, k->batch, k->maps, k->out, k->rank));
    th_node(t, "QLinearConv", 10,
            k->has_bias ? "x x_s x_z w w_s w_z y_s y_z b" : "x x_s x_z w w_s w_z y_s y_z", "y");
    th_ints(t, "kernel_shape", k->rank, k->kernel);
    th_ints(t, "strides", k->rank, k->strides);
    th_ints(t, "dilations", k->rank, k->dilations);
    th_ints(t, "pads", 2 * k->rank, k->pads);
    th_int(t, "group", k->groups);
}

/* Sizes from a few values; out follows from them. Every third is of one channel a group. */
static struct conv random_conv(uint32_t i)
{
    struct conv k = {.rank = 1 + i % 2, .gain = 1, .batch = data_pick(1, 2)};

    k.x_type = data_pick(0, 1) ? U8 : I8;
    k.y_type = data_pick(0, 1) ? U8 : I8;
    k.x_zero = i % 4 == 0 ? 0 : (int)data_pick(-100, 100) + (k.x_type == U8 ? 128 : 0);
    k.y_zero = i % 5 == 0 ? 0 : (int)data_pick(-20, 20) + (k.y_type == U8 ? 128 : 0);
    k.groups = i % 3 == 2 ? 16 * data_pick(1, 3) : i % 3 == 1 ? data_pick(2, 3) : 1;
    k.channels = i % 3 == 2 ? k.groups : k.groups * data_pick(1, 20);
    k.maps = i % 3 == 2 ? k.groups : k.groups * data_pick(1, 20);
    k.has_bias = data_pick(0, 1);
    k.has_each = data_pick(0, 1);
    for (uint32_t d = 0; d < k.rank; d++) {
        int64_t reach;

        k.in[d] = data_pick(7, 12);
        k.kernel[d] = data_pick(1, 3);
        k.strides[d] = data_pick(1, 2);
        k.dilations[d] = data_pick(1, 2);
        k.pads[d] = data_pick(0, 1);
        k.pads[k.rank + d] = data_pick(0, 1);
        reach = (k.kernel[d] - 1) * k.dilations[d] + 1 - k.pads[d] - k.pads[k.rank + d];
        k.out[d] = (k.in[d] - reach) / k.strides[d] + 1;
    }
    return k;
}

START_TEST(qlinear_conv_matches_the_cpu_provider)
{
    SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI");
    for (uint32_t i = 0; i < 36; i++) {
        struct conv k;
        char what[64];

        data_seed(300 + i);
        k = random_conv(i);
        snprintf(what, sizeof what, "convolution %u", i);
        compare(what, make_conv, &k, k.y_type, 0);
    }
}
END_TEST

/* One by one, over many channels and points. */
static const struct conv wide = {.rank = 2,
                                 .x_type = U8,
                                 .y_type = U8,
                                 .batch = 1,
                                 .channels = 32,
                                 .maps = 64,
                                 .groups = 1,
                                 .in = {9, 9},
                                 .out = {9, 9},
                                 .kernel = {1, 1},
                                 .strides = {1, 1},
                                 .dilations = {1, 1},
                                 .x_zero = 130,
                                 .y_zero = 100,
                                 .gain = 100,
                                 .has_bias = true,
                                 .has_each = true};

START_TEST(qlinear_conv_saturates_results_out_of_range)
{
    struct conv k = wide;
    size_t all = (size_t)(k.maps * k.out[0] * k.out[1]);

    SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI");
    ck_assert_uint_gt(compare("least of uint8", make_conv, &k, U8, 0), all / 4);
    ck_assert_uint_gt(compare("most of uint8", make_conv, &k, U8, 255), all / 4);
    k.y_type = I8;
    k.y_zero = -20;
    ck_assert_uint_gt(compare("least of int8", make_conv, &k, I8, -128), all / 4);
    ck_assert_uint_gt(compare("most of int8", make_conv, &k, I8, 127), all / 4);
}
END_TEST

/* ---- QLinearMatMul, QGemm -------------------------------------------------------------------- */

struct product {
    const char *a, *b, *y; /* dims */
    int64_t depth, columns;
    uint32_t x_type, y_type;
    bool is_gemm, is_turned, has_bias, has_each;
    float alpha;
};

static void make_product(struct th *t, const void *u)
{
    const struct product *p = u;
    float step = (float)(0.02 * 0.01 * 100 * sqrt((double)p->depth)) * (p->is_gemm ? p->alpha : 1);

    byte_input(t, "x", p->x_type, p->a);
    byte_const(t, "w", I8, p->b);
    quant_const(t, "x", p->x_type, 0.02f, p->x_type == U8 ? 120 : -3);
    each_const(t, "w", 0.01f, p->has_each ? p->columns : 1);
    quant_const(t, "y", p->y_type, step, p->y_type == U8 ? 128 : 5);
    th_output(t, "y", p->y_type, p->y);
    if (!p->is_gemm) {
        th_node(t, "QLinearMatMul", 21, "x x_s x_z w w_s w_z y_s y_z", "y");
        return;
    }
    if (p->has_bias)
        add_bias(t, p->columns);
    th_node(t, "QGemm", 1,
            p->has_bias ? "x x_s x_z w w_s w_z b y_s y_z" : "x x_s x_z w w_s w_z - y_s y_z", "y");
    th_domain(t, "com.microsoft");
    th_int(t, "transB", p->is_turned);
    th_float(t, "alpha", p->alpha);
}

START_TEST(qlinear_matmul_matches_the_cpu_provider)
{
    static const struct product rows[] = {
        {"5,70", "70,33", "5,33", 70, 33, U8, U8, false, false, false, false, 1},
        {"2,3,16", "16,7", "2,3,7", 16, 7, I8, U8, false, false, false, true, 1},
        {"2,2,3,9", "9,40", "2,2,3,40", 9, 40, U8, I8, false, false, false, true, 1},
        {"1,128", "128,64", "1,64", 128, 64, I8, I8, false, false, false, false, 1},
        {"4,33", "33,20", "4,20", 33, 20, U8, U8, true, false, true, true, 1},
        {"4,33", "20,33", "4,20", 33, 20, U8, I8, true, true, true, false, 0.5f},
        {"17,64", "48,64", "17,48", 64, 48, I8, I8, true, true, false, true, 2},
    };

    SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char what[64];

        snprintf(what, sizeof what, "product %zu", i);
        compare(what, make_product, &rows[i], rows[i].y_type, 0);
    }
}
END_TEST

/* QGemm without a scale of Y. */
static void make_floats(struct th *t, const void *u)
{
    (void)u;
    byte_input(t, "x", U8, "9,33");
    byte_const(t, "w", I8, "20,33");
    quant_const(t, "x", U8, 0.02f, 120);
    each_const(t, "w", 0.01f, 20);
    add_bias(t, 20);
    dnnl_output(t, "y", "9,20");
    th_node(t, "QGemm", 1, "x x_s x_z w w_s w_z b", "y");
    th_domain(t, "com.microsoft");
    th_int(t, "transB", 1);
}

START_TEST(qgemm_with_float_output_matches_the_cpu_provider)
{
    SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI");
    dnnl_compare("floats", make_floats, NULL, 0);
}
END_TEST

/* ---- sums, means, moves ---------------------------------------------------------------------- */

static void make_sum(struct th *t, const void *u)
{
    uint32_t dtype = *(const uint32_t *)u;
    int zero = dtype == U8 ? 128 : 0;

    byte_input(t, "x", dtype, "2,5,7,3");
    byte_input(t, "w", dtype, "2,5,7,3");
    quant_const(t, "x", dtype, 0.031f, zero + 3);
    quant_const(t, "w", dtype, 0.017f, zero - 9);
    quant_const(t, "y", dtype, 0.029f, zero + 1);
    th_output(t, "y", dtype, "2,5,7,3");
    th_node(t, "QLinearAdd", 1, "x x_s x_z w w_s w_z y_s y_z", "y");
    th_domain(t, "com.microsoft");
}

static void make_mean(struct th *t, const void *u)
{
    uint32_t dtype = *(const uint32_t *)u;
    int zero = dtype == U8 ? 128 : 0;

    byte_input(t, "x", dtype, "2,70,5,3");
    quant_const(t, "x", dtype, 0.03f, zero + 3);
    quant_const(t, "y", dtype, 0.01f, zero - 5);
    th_output(t, "y", dtype, "2,70,1,1");
    th_node(t, "QLinearGlobalAveragePool", 1, "x x_s x_z y_s y_z", "y");
    th_domain(t, "com.microsoft");
}

/* What the largest of windows are, turned, reshaped and concatenated with themselves. */
static void make_moves(struct th *t, const void *u)
{
    uint32_t dtype = *(const uint32_t *)u;

    byte_input(t, "x", dtype, "2,6,8,8");
    th_value(t, "m", dtype, "2,6,4,4");
    th_value(t, "v", dtype, "2,4,4,6");
    th_value(t, "f", dtype, "2,96");
    th_output(t, "y", dtype, "2,192");
    th_node(t, "MaxPool", 12, "x", "m");
    th_ints(t, "kernel_shape", 2, (const int64_t[2]){3, 3});
    th_ints(t, "strides", 2, (const int64_t[2]){2, 2});
    th_ints(t, "pads", 4, (const int64_t[4]){1, 1, 0, 0});
    th_node(t, "Transpose", 13, "m", "v");
    th_ints(t, "perm", 4, (const int64_t[4]){0, 2, 3, 1});
    th_node(t, "Flatten", 13, "v", "f");
    th_node(t, "Concat", 13, "f f", "y");
    th_int(t, "axis", 1);
}

START_TEST(qlinear_add_pools_and_data_movement_match_the_cpu_provider)
{
    static const uint32_t types[] = {U8, I8};

    for (int i = 0; i < 2; i++) {
        compare("sum", make_sum, &types[i], types[i], 0);
        compare("mean", make_mean, &types[i], types[i], 0);
        compare("moves", make_moves, &types[i], types[i], 0);
    }
}
END_TEST

/* ---- QuantizeLinear, DequantizeLinear -------------------------------------------------------- */

struct border {
    uint32_t dtype;
    int64_t axis;   /* of scales, */
    int64_t scales; /* which are so many */
    bool is_back;   /* DequantizeLinear */
};

enum { ROWS = 3, COLUMNS = 40 };

/* Halves, what is beyond the range, and NaN. */
static const float *hard_floats(struct th *t)
{
    static const float few[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 1e9f, -1e9f, NAN, INFINITY};
    float *x = th_keep(t, calloc(ROWS * COLUMNS, sizeof *x));

    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        x[i] = i % 2 ? few[i / 2 % (sizeof few / sizeof few[0])] : (float)data_pick(-900, 900) / 4;
    return x;
}

static void make_border(struct th *t, const void *u)
{
    const struct border *k = u;
    float scales[COLUMNS];
    uint8_t zeros[COLUMNS];
    int32_t words[ROWS * COLUMNS], none[COLUMNS] = {0};
    char dims[32] = "";

    for (int i = 0; i < COLUMNS; i++) {
        scales[i] = k->scales == 1 ? 1 : (float)data_pick(1, 400) / 100;
        zeros[i] = (uint8_t)(data_pick(-100, 100) + (k->dtype == U8 ? 128 : 0));
    }
    for (int i = 0; i < ROWS * COLUMNS; i++)
        words[i] = (int32_t)data_pick(INT32_MIN, INT32_MAX);
    if (k->scales > 1)
        snprintf(dims, sizeof dims, "%lld", (long long)k->scales);
    th_const(t, "s", BP_DTYPE_F32, dims, scales);
    th_const(t, "z", k->dtype, dims,
             k->dtype == BP_DTYPE_I32 ? (const void *)none : (const void *)zeros);
    if (!k->is_back)
        th_input(t, "x", BP_DTYPE_F32, "3,40", hard_floats(t));
    else if (k->dtype == BP_DTYPE_I32)
        th_input(t, "x", BP_DTYPE_I32, "3,40", words);
    else
        byte_input(t, "x", k->dtype, "3,40");
    th_output(t, "y", k->is_back ? BP_DTYPE_F32 : k->dtype, "3,40");
    th_node(t, k->is_back ? "DequantizeLinear" : "QuantizeLinear", 13, "x s z", "y");
    th_int(t, "axis", k->axis);
}

START_TEST(quantize_and_dequantize_are_bitwise_equal_to_the_cpu_provider)
{
    static const struct border rows[] = {
        {U8, 1, 1, false}, {I8, 1, 1, false},      {U8, 0, ROWS, false}, {I8, -1, COLUMNS, false},
        {U8, 1, 1, true},  {I8, 1, COLUMNS, true}, {I8, 0, ROWS, true},  {BP_DTYPE_I32, 1, 1, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();
        size_t size = ROWS * COLUMNS * (rows[i].is_back ? sizeof(float) : 1);

        dnnl_run_both("to the bit", want, got, 5, make_border, &rows[i]);
        ck_assert_msg(memcmp(th_data(got, "y"), th_data(want, "y"), size) == 0, "row %zu", i);
        th_free(got);
        th_free(want);
    }
}
END_TEST

/* Weights of a Conv, with one scale for each output channel, and transposed weights of a Gemm. */
static void make_floats_by_bytes(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "1,16,6,6");
    byte_const(t, "q", I8, "32,16,3,3");
    each_const(t, "q", 0.01f, 32);
    dnnl_value(t, "w", "32,16,3,3");
    th_node(t, "DequantizeLinear", 13, "q q_s q_z", "w");
    th_int(t, "axis", 0);
    dnnl_value(t, "c", "1,32,4,4");
    th_node(t, "Conv", 11, "x w", "c");
    dnnl_value(t, "f", "1,512");
    th_node(t, "Flatten", 13, "c", "f");
    byte_const(t, "p", U8, "24,512");
    quant_const(t, "p", U8, 0.001f, 77);
    dnnl_value(t, "b", "24,512");
    th_node(t, "DequantizeLinear", 13, "p p_s p_z", "b");
    dnnl_output(t, "y", "1,24");
    th_node(t, "Gemm", 13, "f b", "y");
    th_int(t, "transB", 1);
    dnnl_output(t, "z", "24,512"); /* what is constant may leave the group */
    th_node(t, "DequantizeLinear", 13, "p p_s p_z", "z");
}

START_TEST(int8_weights_are_dequantized_once)
{
    dnnl_compare("floats by bytes", make_floats_by_bytes, NULL, 1);
}
END_TEST

/* ---- a network ------------------------------------------------------------------------------- */

static void add_conv(struct th *t, const char *nodes, const char *w, const char *dims,
                     const char *out, int64_t group, int64_t pad)
{
    byte_const(t, w, I8, dims);
    each_const(t, w, group > 1 ? 0.01f : 0.002f, 1);
    th_value(t, out, U8, "1,32,14,14");
    th_node(t, "QLinearConv", 10, nodes, out);
    th_int(t, "group", group);
    th_ints(t, "pads", 4, (const int64_t[4]){pad, pad, pad, pad});
}

/* float32 -> convolutions, one of a channel a group, with a shortcut -> mean -> product -> float32 */
static void make_network(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "1,32,14,14");
    for (int i = 0; i < 4; i++)
        quant_const(t, (const char *const[]){"q", "c", "d", "e"}[i], U8,
                    (const float[]){0.01f, 0.02f, 0.03f, 0.02f}[i], 120 + 4 * i);
    th_value(t, "q", U8, "1,32,14,14");
    th_node(t, "QuantizeLinear", 13, "x q_s q_z", "q");
    add_conv(t, "q q_s q_z w0 w0_s w0_z c_s c_z", "w0", "32,32,1,1", "c", 1, 0);
    add_conv(t, "c c_s c_z w1 w1_s w1_z d_s d_z", "w1", "32,1,3,3", "d", 32, 1);
    th_value(t, "e", U8, "1,32,14,14");
    th_node(t, "QLinearAdd", 1, "d d_s d_z q q_s q_z e_s e_z", "e");
    th_domain(t, "com.microsoft");
    th_value(t, "m", U8, "1,32,1,1");
    th_node(t, "QLinearGlobalAveragePool", 1, "e e_s e_z d_s d_z", "m");
    th_domain(t, "com.microsoft");
    th_value(t, "f", U8, "1,32");
    th_node(t, "Flatten", 13, "m", "f");
    byte_const(t, "w2", I8, "32,10");
    each_const(t, "w2", 0.01f, 1);
    th_value(t, "p", U8, "1,10");
    th_node(t, "QLinearMatMul", 10, "f d_s d_z w2 w2_s w2_z c_s c_z", "p");
    dnnl_output(t, "y", "1,10");
    th_node(t, "DequantizeLinear", 13, "p c_s c_z", "y");
}

START_TEST(quantized_network_computes_in_int8_throughout)
{
    struct th *want, *got;
    const float *a, *b;

    SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI");
    want = th_new(dnnl_cpu_entry());
    got = dnnl_new();
    dnnl_run_both("a network", want, got, 9, make_network, NULL);
    a = th_data(got, "y");
    b = th_data(want, "y");
    for (size_t i = 0; i < 10;
         i++) /* a difference of one step in the middle may grow to a few at the end */
        ck_assert_msg(fabsf(a[i] - b[i]) <= 0.02f * 2.01f, "y[%zu] is %g, not %g", i, (double)a[i],
                      (double)b[i]);
    th_free(got);
    th_free(want);
}
END_TEST

/* Sizes that are not known before there is a frame. */
START_TEST(qlinear_conv_takes_dynamic_sizes)
{
    struct th *want, *got;

    SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI");
    want = th_new(dnnl_cpu_entry());
    got = dnnl_new();
    th_dynamic(got);
    dnnl_run_both("any size", want, got, 9, make_conv, &wide);
    compare_steps("any size", got, want, U8, 0);
    th_free(got);
    th_free(want);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------- */

/* What is other than in `wide`. */
struct fault {
    uint32_t reason, w_type;
    int w_zero;
    float scale;
    bool is_computed, is_large, has_odd_scales;
    const char *words;
};

static void make_fault(struct th *t, const void *u)
{
    const struct fault *f = u;
    const float scales[3] = {f->scale, 1, 1};
    const uint8_t zero = (uint8_t)f->w_zero, none = 0;

    byte_input(t, "x", U8, f->is_large ? "1,8,4,4,4" : "1,8,4,4");
    quant_const(t, "x", U8, 0.1f, 1);
    if (f->is_computed)
        byte_input(t, "w", f->w_type, "8,8,1,1");
    else
        byte_const(t, "w", f->w_type, f->is_large ? "8,8,1,1,1" : "8,8,1,1");
    th_const(t, "w_s", BP_DTYPE_F32, f->has_odd_scales ? "3" : "", scales);
    th_const(t, "w_z", f->w_type, "", &zero);
    th_const(t, "y_s", BP_DTYPE_F32, "", &scales[1]);
    th_const(t, "y_z", U8, "", &none);
    th_output(t, "y", U8, f->is_large ? "1,8,4,4,4" : "1,8,4,4");
    th_node(t, "QLinearConv", 10, "x x_s x_z w w_s w_z y_s y_z", "y");
}

START_TEST(quantized_claim_rejects_a_node_with_a_reason)
{
    static const struct fault rows[] = {
        {BP_R_DTYPE, U8, 0, 1, false, false, false, "input 3 is not int8"},
        {BP_R_OTHER, I8, 3, 1, false, false, false, "zero point 3 of weights is not 0"},
        {BP_R_OTHER, I8, 0, -1, false, false, false, "scale -1 is not a positive number"},
        {BP_R_OTHER, I8, 0, INFINITY, false, false, false, "scale inf is not a positive number"},
        {BP_R_NOT_CONSTANT, I8, 0, 1, true, false, false, "the weights have to be constant"},
        {BP_R_RANK, I8, 0, 1, false, true, false, "input 0 has rank 5, the provider takes 3..4"},
        {BP_R_OTHER, I8, 0, 1, false, false, true,
         "input 4 has 3 elements, the provider takes 1 or one a channel"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct th *t = dnnl_new();

        make_fault(t, &rows[i]);
        dnnl_refuses(t, rows[i].reason, rows[i].words);
    }
}
END_TEST

START_TEST(claim_rejects_a_scale_that_cannot_be_read)
{
    struct th *t = dnnl_new();

    make_conv(t, &wide);
    th_lie(t, "w_s", 3);
    dnnl_refuses(t, BP_R_OTHER, "input 4 cannot be read");
}
END_TEST

/* oneDNN has no fast kernel for groups of one odd channel. */
START_TEST(claim_declines_grouped_int8_convolutions_of_one_odd_channel)
{
    struct conv k = wide;
    struct th *t = th_new(bp_provider_entry_v1);

    k.channels = k.maps = 30;
    k.groups = 3;
    make_conv(t, &k);
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), dnnl_has_vnni() ? BP_R_NOT_PROFITABLE : BP_R_DEVICE_FEATURE);
    th_free(t);
}
END_TEST

START_TEST(qlinear_conv_survives_every_failing_allocation)
{
    struct th *t;
    uint32_t n = 0;

    SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI");
    t = dnnl_new();
    make_conv(t, &wide);
    do {
        th_fail_alloc(t, ++n);
    } while (th_run(t) < 0 && n < 1000);
    ck_assert_uint_gt(n, 3);
    ck_assert_uint_lt(n, 1000);
    th_free(t);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("all");

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, qlinear_conv_matches_the_cpu_provider);
    tcase_add_test(tcase, qlinear_conv_saturates_results_out_of_range);
    tcase_add_test(tcase, qlinear_matmul_matches_the_cpu_provider);
    tcase_add_test(tcase, qgemm_with_float_output_matches_the_cpu_provider);
    tcase_add_test(tcase, qlinear_add_pools_and_data_movement_match_the_cpu_provider);
    tcase_add_test(tcase, quantize_and_dequantize_are_bitwise_equal_to_the_cpu_provider);
    tcase_add_test(tcase, int8_weights_are_dequantized_once);
    tcase_add_test(tcase, quantized_network_computes_in_int8_throughout);
    tcase_add_test(tcase, qlinear_conv_takes_dynamic_sizes);
    tcase_add_test(tcase, quantized_claim_rejects_a_node_with_a_reason);
    tcase_add_test(tcase, claim_rejects_a_scale_that_cannot_be_read);
    tcase_add_test(tcase, claim_declines_grouped_int8_convolutions_of_one_odd_channel);
    tcase_add_test(tcase, qlinear_conv_survives_every_failing_allocation);
    return check_main("dnnl_int8", &tcase, 1);
}
