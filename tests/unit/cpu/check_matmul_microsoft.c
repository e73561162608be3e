/* SPDX-License-Identifier: MIT */
/*
 * check_matmul_microsoft.c - fused products and convolutions and activations of com.microsoft, against plain
 * loops in double.
 */

#include "config.h"

#include "cpu/ms_kit.h"

static const uint32_t floats[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};

/* ---- activations of fused operators ---------------------------------------------------------- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double activate(const char *name, double x)
{
    switch (name[0]) {
    case 'R':
        return x < 0 ? 0 : x;
    case 'L':
        return x < 0 ? 0.25 * x : x;
    case 'C':
        return x < -0.5 ? -0.5 : x > 0.25 ? 0.25 : x;
    case 'H':
        return strcmp(name, "HardSwish") == 0 ? x * fmin(fmax(x / 6 + 0.5, 0), 1)
                                              : fmin(fmax(0.25 * x + 0.5, 0), 1);
    case 'T':
        return strcmp(name, "Tanh") == 0 ? tanh(x) : x > 0.25 ? x : 0;
    case 'E':
        return x < 0 ? 0.25 * expm1(x) : x;
    case 'S':
        return strcmp(name, "Sigmoid") == 0    ? sigmoid(x)
               : strcmp(name, "Softplus") == 0 ? log1p(exp(x))
               : strcmp(name, "Softsign") == 0 ? x / (1 + fabs(x))
               : x < 0                         ? 2 * 0.25 * expm1(x)
                                               : 2 * x;
    default:
        return x;
    }
}

static const char *const activations[] = {
    "",    "Relu",     "LeakyRelu", "Sigmoid",         "Tanh", "Clip", "HardSigmoid", "HardSwish",
    "Elu", "Softplus", "Softsign",  "ThresholdedRelu", "Selu"};

START_TEST(fused_gemm_applies_its_activation)
{
    const char *name = activations[_i % COUNT(activations)];
    uint32_t dtype = floats[_i / COUNT(activations)];
    double *a, *b, *c, *want = zeros(5 * 7);

    data_seed((uint64_t)_i);
    a = feed("a", dtype, "9,5");
    b = feed("b", dtype, "7,9");
    c = feed("c", dtype, "7");
    th_output(t, "y", dtype, "5,7");
    node("FusedGemm", "a b c", "y");
    th_int(t, "transA", 1);
    th_int(t, "transB", 1);
    th_float(t, "alpha", 0.5f);
    th_float(t, "beta", 2);
    th_string(t, "activation", name);
    if (strchr("LETHCS", name[0]) && name[0]) {
        bool is_clip = name[0] == 'C';

        th_float(t, "activation_alpha", is_clip ? -0.5f : 0.25f);
        th_float(t, "activation_beta", is_clip ? 0.25f : 0.5f);
        th_float(t, "activation_gamma", 2);
    }
    ck_run();
    for (size_t i = 0; i < 35; i++)
        want[i] = 2 * c[i % 7];
    multiply(5, 7, 9, a, true, b, true, 0.5, want);
    for (size_t i = 0; i < 35; i++)
        want[i] = activate(name, want[i]);
    data_compare(name, th_data(t, "y"), want, 35, dtype, 30);
}
END_TEST

START_TEST(fused_gemm_of_integers_rejects_an_activation)
{
    int32_t one = 1;

    th_input(t, "a", BP_DTYPE_I32, "1,1", &one);
    th_input(t, "b", BP_DTYPE_I32, "1,1", &one);
    th_output(t, "y", BP_DTYPE_I32, "1,1");
    node("FusedGemm", "a b", "y");
    if (_i)
        th_string(t, "activation", "Relu");
    ck_assert_int_eq(th_run(t) < 0, _i);
    if (!_i)
        ck_assert_int_eq(*(const int32_t *)th_data(t, "y"), 1);
}
END_TEST

START_TEST(fused_gemm_rejects_an_unknown_activation)
{
    feed("a", BP_DTYPE_F32, "1,1");
    th_output(t, "y", BP_DTYPE_F32, "1,1");
    node("FusedGemm", "a a", "y");
    th_string(t, "activation", "Abracadabra");
    ck_refused("the activation is not implemented");
}
END_TEST

/* A tensor batch x rows x cols with transBatch: rows x batch x cols in memory. */
START_TEST(fused_matmul_applies_transposes_and_alpha)
{
    bool ta = _i & 1, tb = _i & 2, ba = _i & 4, bb = _i & 8;
    uint32_t dtype = floats[_i / 16];
    enum { B1 = 2, B2 = 3, M = 4, N = 5, K = 6, BATCH = B1 * B2 };
    const int64_t rows_a = ta ? K : M, cols_a = ta ? M : K, rows_b = tb ? N : K,
                  cols_b = tb ? K : N;
    int64_t a_dims[] = {B1, B2, rows_a, cols_a}, b_dims[] = {B1, B2, rows_b, cols_b};
    char text[64];
    double *a, *b, *want = zeros(BATCH * M * N);

    data_seed((uint64_t)_i);
    if (ba)
        memcpy(a_dims, (int64_t[]){rows_a, B1, B2, cols_a}, sizeof a_dims);
    if (bb)
        memcpy(b_dims, (int64_t[]){rows_b, B1, B2, cols_b}, sizeof b_dims);
    a = feed("a", dtype, dims_of(text, sizeof text, 4, a_dims));
    b = feed("b", dtype, dims_of(text, sizeof text, 4, b_dims));
    th_output(t, "y", dtype, "2,3,4,5");
    node("FusedMatMul", "a b", "y");
    th_int(t, "transA", ta);
    th_int(t, "transB", tb);
    th_int(t, "transBatchA", ba);
    th_int(t, "transBatchB", bb);
    th_float(t, "alpha", 0.5f);
    ck_run();
    for (int64_t g = 0; g < BATCH; g++) {
        for (int64_t i = 0; i < M; i++) {
            for (int64_t j = 0; j < N; j++) {
                for (int64_t k = 0; k < K; k++) {
                    int64_t ar = ta ? k : i, ac = ta ? i : k, br = tb ? j : k, bc = tb ? k : j;
                    double x = a[(ba ? ar * BATCH + g : g * rows_a + ar) * cols_a + ac];
                    double y = b[(bb ? br * BATCH + g : g * rows_b + br) * cols_b + bc];

                    want[(g * M + i) * N + j] += 0.5 * x * y;
                }
            }
        }
    }
    data_compare("y", th_data(t, "y"), want, BATCH * M * N, dtype, K);
}
END_TEST

START_TEST(fused_matmul_broadcasts_and_takes_vectors)
{
    static const struct {
        const char *a, *b, *y;
        size_t batch, m, n, k, a_step, b_step;
    } rows[] = {
        {"6", "2,6,5", "2,5", 2, 1, 5, 6, 0, 30},
        {"3,4,6", "6", "3,4", 3, 4, 1, 6, 24, 0},
        {"3,4,6", "6,5", "3,4,5", 3, 4, 5, 6, 24, 0},
        {"4,6", "3,6,5", "3,4,5", 3, 4, 5, 6, 0, 30},
    };
    double *a, *b, *want = zeros(100);

    data_seed(5);
    a = feed("a", BP_DTYPE_F32, rows[_i].a);
    b = feed("b", BP_DTYPE_F32, rows[_i].b);
    th_output(t, "y", BP_DTYPE_F32, rows[_i].y);
    node("TransposeMatMul", "a b", "y");
    ck_run();
    for (size_t g = 0; g < rows[_i].batch; g++)
        multiply(rows[_i].m, rows[_i].n, rows[_i].k, a + g * rows[_i].a_step, false,
                 b + g * rows[_i].b_step, false, 1, want + g * rows[_i].m * rows[_i].n);
    data_compare("y", th_data(t, "y"), want, count_of(rows[_i].y), BP_DTYPE_F32, 6);
}
END_TEST

/* ---- convolutions ---------------------------------------------------------------------------- */

/* 2 x 4 x 5 x 6 with 6 maps, group 2, 3 x 3, pads 1, stride 1; layouts by steps. */
static void convolve(const double *x, const double *w, const double *b, bool last, double *y)
{
    for (int i = 0; i < 2 * 6 * 5 * 6; i++) {
        int c = i / 30 % 6, n = i / 180, r = i / 6 % 5, s = i % 6;
        double sum = b[c];

        for (int p = 0; p < 2 * 9; p++) {
            int ch = c / 3 * 2 + p / 9, h = r + p / 3 % 3 - 1, v = s + p % 3 - 1;

            if (h >= 0 && h < 5 && v >= 0 && v < 6)
                sum += w[c * 18 + p] *
                       x[last ? ((n * 5 + h) * 6 + v) * 4 + ch : ((n * 4 + ch) * 5 + h) * 6 + v];
        }
        y[last ? ((n * 5 + r) * 6 + s) * 6 + c : i] = sum;
    }
}

START_TEST(fused_conv_applies_its_sum_and_activation)
{
    static const char *const ops[] = {"FusedConv", "NhwcFusedConv", "NhwcConv"};
    uint32_t dtype = floats[_i % 4];
    int op = _i / 4 % 3;
    const char *y_dims = op ? "2,5,6,6" : "2,6,5,6";
    double *x, *w, *b, *z = NULL, *want = zeros(360);

    data_seed((uint64_t)_i);
    x = feed("x", dtype, op ? "2,5,6,4" : "2,4,5,6");
    w = feed("w", dtype, "6,2,3,3");
    b = feed("b", dtype, "6");
    if (op < 2)
        z = feed("z", dtype, y_dims);
    th_output(t, "y", dtype, y_dims);
    node(ops[op], op < 2 ? "x w b z" : "x w b", "y");
    th_int(t, "group", 2);
    th_ints(t, "pads", 4, (int64_t[]){1, 1, 1, 1});
    if (op < 2) {
        th_string(t, "activation", "LeakyRelu");
        th_floats(t, "activation_params", 1, (float[]){0.25f});
    }
    ck_run();
    convolve(x, w, b, op > 0, want);
    for (int i = 0; i < 360 && z; i++)
        want[i] = activate("LeakyRelu", want[i] + z[i]);
    data_compare(ops[op], th_data(t, "y"), want, 360, dtype, 20);
}
END_TEST

START_TEST(nhwc_max_pool_takes_channels_last)
{
    static const uint32_t types[] = {BP_DTYPE_I8,  BP_DTYPE_U8,  BP_DTYPE_F32,
                                     BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};
    uint32_t dtype = types[_i];
    double *x, want[2 * 2 * 3 * 3];

    data_seed((uint64_t)_i);
    x = feed_ints("x", dtype, "2,4,6,3", dtype == BP_DTYPE_U8 ? 0 : -100, 100);
    th_output(t, "y", dtype, "2,2,3,3");
    node("NhwcMaxPool", "x", "y");
    th_ints(t, "kernel_shape", 2, (int64_t[]){2, 2});
    th_ints(t, "strides", 2, (int64_t[]){2, 2});
    ck_run();
    for (int i = 0; i < 36; i++) {
        int c = i % 3, v = i / 3 % 3, h = i / 9 % 2, n = i / 18;
        double max = -1000;

        for (int p = 0; p < 4; p++)
            max = fmax(max, x[((n * 4 + h * 2 + p / 2) * 6 + v * 2 + p % 2) * 3 + c]);
        want[i] = max;
    }
    data_compare("y", th_data(t, "y"), want, 36, dtype, 0);
}
END_TEST

START_TEST(conv_transpose_with_dynamic_pads_reads_pads_from_an_input)
{
    uint32_t dtype = floats[_i];
    double *x, *w, *b, *want = zeros(2 * 5 * 4);
    const int64_t pads[] = {1, 0, 1, 3};

    data_seed(3);
    x = feed("x", dtype, "1,3,3,3");
    w = feed("w", dtype, "3,2,3,3");
    b = feed("b", dtype, "2");
    th_input(t, "p", BP_DTYPE_I64, "4", pads);
    th_output(t, "y", dtype, "1,2,5,4");
    node("ConvTransposeWithDynamicPads", "x w p b", "y");
    th_ints(t, "strides", 2, (int64_t[]){2, 2});
    ck_run();
    for (int i = 0; i < 40; i++)
        want[i] = b[i / 20];
    for (int i = 0; i < 3 * 9 * 2 * 9; i++) {
        int k = i % 9, m = i / 9 % 2, at = i / 18 % 9, c = i / 162;
        int h = at / 3 * 2 + k / 3 - 1, v = at % 3 * 2 + k % 3;

        if (h >= 0 && h < 5 && v >= 0 && v < 4)
            want[m * 20 + h * 4 + v] += x[c * 9 + at] * w[(c * 2 + m) * 9 + k];
    }
    data_compare("y", th_data(t, "y"), want, 40, dtype, 30);
    th_feed(t, "p", (int64_t[]){1, 1, 2, 2});
    ck_refused("Pads cut");
}
END_TEST

/* ---- activations with a bias ----------------------------------------------------------------- */

static double gelu(double x)
{
    return 0.5 * x * (1 + erf(x / sqrt(2)));
}

static double fast_gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static double quick_gelu(double x)
{
    return x * sigmoid(1.5 * x);
}

static const struct {
    const char *op;
    double (*reference)(double x);
    bool has_bias;
} curves[] = {{"Gelu", gelu, false},
              {"FastGelu", fast_gelu, false},
              {"FastGelu", fast_gelu, true},
              {"BiasGelu", gelu, true},
              {"QuickGelu", quick_gelu, false}};

START_TEST(gelu_variants_match_their_formulas)
{
    static const char *const dims[] = {"7,313", "2,3,1", "0,5", "40,1030"};
    static const char *const last[] = {"313", "1", "5", "1030"};
    uint32_t dtype = floats[_i % 4];
    int c = _i / 4 % COUNT(curves), d = _i / 4 / COUNT(curves);
    size_t n = count_of(dims[d]), cols = count_of(last[d]);
    double *x, *b = NULL, *want = zeros(n);

    data_seed((uint64_t)_i);
    x = feed("x", dtype, dims[d]);
    if (curves[c].has_bias)
        b = feed("b", dtype, last[d]);
    th_output(t, "y", dtype, dims[d]);
    node(curves[c].op, b ? "x b" : "x", "y");
    if (curves[c].reference == quick_gelu)
        th_float(t, "alpha", 1.5f);
    ck_run();
    for (size_t i = 0; i < n; i++)
        want[i] = curves[c].reference(x[i] + (b ? b[i % cols] : 0));
    data_compare(curves[c].op, th_data(t, "y"), want, n, dtype, 4);
}
END_TEST

START_TEST(bias_split_gelu_multiplies_one_half_by_gelu_of_the_other)
{
    uint32_t dtype = floats[_i];
    double *x, *b, want[3 * 5];

    data_seed((uint64_t)_i);
    x = feed("x", dtype, "1,3,10");
    b = feed("b", dtype, "10");
    th_output(t, "y", dtype, "1,3,5");
    node("BiasSplitGelu", "x b", "y");
    ck_run();
    for (int i = 0; i < 15; i++) {
        const double *row = x + i / 5 * 10;

        want[i] = (row[i % 5] + b[i % 5]) * gelu(row[5 + i % 5] + b[5 + i % 5]);
    }
    data_compare("y", th_data(t, "y"), want, 15, dtype, 8);
}
END_TEST

START_TEST(bias_add_and_bias_dropout_add_the_bias)
{
    uint32_t dtype = floats[_i % 4];
    bool drops = _i / 4 != 0;
    double *x, *b, *skip, want[2 * 3 * 4];

    data_seed((uint64_t)_i);
    x = feed("x", dtype, "2,3,4");
    b = feed("b", dtype, _i / 4 == 2 ? "2,3,4" : "4");
    skip = feed("s", dtype, "2,3,4");
    th_output(t, "y", dtype, "2,3,4");
    if (drops)
        th_output(t, "mask", BP_DTYPE_BOOL, "2,3,4");
    node(drops ? "BiasDropout" : "BiasAdd", "x b s", drops ? "y mask" : "y");
    ck_run();
    for (int i = 0; i < 24; i++)
        want[i] = x[i] + b[_i / 4 == 2 ? i : i % 4] + skip[i];
    data_compare("y", th_data(t, "y"), want, 24, dtype, 3);
    for (int i = 0; i < 24 && drops; i++)
        ck_assert_int_eq(((const uint8_t *)th_data(t, "mask"))[i], 1);
}
END_TEST

START_TEST(bias_dropout_rejects_training)
{
    feed("x", BP_DTYPE_F32, "4");
    feed_one("ratio", BP_DTYPE_F32, 0.5);
    th_input(t, "mode", BP_DTYPE_BOOL, "", "\1");
    th_output(t, "y", BP_DTYPE_F32, "4");
    node("BiasDropout", "x x - ratio mode", "y");
    ck_refused("training is not implemented");
}
END_TEST

START_TEST(bias_softmax_adds_its_bias)
{
    /* 2 x 3 x 4 x 5, softmax over the last two or the last */
    static const struct {
        const char *bias;
        int64_t axis, is_inner;
        int cols;
    } rows[] = {{"2,1,1,5", 3, 1, 5}, {"1,1,4,5", 3, 0, 5}, {"2,1,4,5", 2, 1, 20}};
    uint32_t dtype = floats[_i % 4];
    int r = _i / 4;
    double *x, *b, want[120];

    data_seed((uint64_t)_i);
    x = feed("x", dtype, "2,3,4,5");
    b = feed("b", dtype, rows[r].bias);
    th_output(t, "y", dtype, "2,3,4,5");
    node("BiasSoftmax", "x b", "y");
    th_int(t, "axis", rows[r].axis);
    th_int(t, "is_inner_broadcast", rows[r].is_inner);
    ck_run();
    for (int i = 0; i < 120; i++)
        want[i] = exp(x[i] + b[r == 0   ? i / 60 * 5 + i % 5
                               : r == 1 ? i % 20
                                        : i / 60 * 20 + i % 20]);
    for (int i = 0; i < 120; i += rows[r].cols) {
        double sum = 0;

        for (int k = 0; k < rows[r].cols; k++)
            sum += want[i + k];
        for (int k = 0; k < rows[r].cols; k++)
            want[i + k] /= sum;
    }
    data_compare("y", th_data(t, "y"), want, 120, dtype, 8);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_ms");
    TCase *tcase = tcase_create("cpu_ms");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, finish);
    tcase_add_loop_test(tcase, fused_gemm_applies_its_activation, 0, COUNT(activations) * 4);
    tcase_add_loop_test(tcase, fused_gemm_of_integers_rejects_an_activation, 0, 2);
    tcase_add_test(tcase, fused_gemm_rejects_an_unknown_activation);
    tcase_add_loop_test(tcase, fused_matmul_applies_transposes_and_alpha, 0, 64);
    tcase_add_loop_test(tcase, fused_matmul_broadcasts_and_takes_vectors, 0, 4);
    tcase_add_loop_test(tcase, fused_conv_applies_its_sum_and_activation, 0, 12);
    tcase_add_loop_test(tcase, nhwc_max_pool_takes_channels_last, 0, 6);
    tcase_add_loop_test(tcase, conv_transpose_with_dynamic_pads_reads_pads_from_an_input, 0, 3);
    tcase_add_loop_test(tcase, gelu_variants_match_their_formulas, 0, COUNT(curves) * 16);
    tcase_add_loop_test(tcase, bias_split_gelu_multiplies_one_half_by_gelu_of_the_other, 0, 4);
    tcase_add_loop_test(tcase, bias_add_and_bias_dropout_add_the_bias, 0, 12);
    tcase_add_test(tcase, bias_dropout_rejects_training);
    tcase_add_loop_test(tcase, bias_softmax_adds_its_bias, 0, 12);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
