/* SPDX-License-Identifier: MIT */
/* check_quantized_microsoft.c - quantised operators of com.microsoft, against plain loops in double. */

#include "config.h"

#include "cpu/ms_kit.h"

#include "quantized/nbits.h"

/* ---- MatMulNBits ----------------------------------------------------------------------------- */

struct nbits_case {
    int bits, block, m, n, k, zeros; /* zeros: 0 none, 1 packed, 2 floats */
    bool groups, bias;
    uint32_t dtype;
};

static void check_nbits(const struct nbits_case *c)
{
    int blocks = (c->k + c->block - 1) / c->block, bytes = c->block * c->bits / 8;
    int zero_bytes = (blocks * c->bits + 7) / 8, mask = (1 << c->bits) - 1;
    size_t n_weights = (size_t)(c->n * blocks * bytes);
    uint8_t *weights = keep(malloc(n_weights + 1)),
            *packed = keep(calloc((size_t)(c->n * zero_bytes) + 1, 1));
    int32_t *groups = keep(malloc((size_t)c->k * sizeof *groups));
    double *a, *scales, *real_zeros = NULL, *bias = NULL, *want = zeros((size_t)(c->m * c->n));
    char text[64], in[64];

    a = feed("a", c->dtype, dims_of(text, sizeof text, 2, (int64_t[]){c->m, c->k}));
    for (size_t i = 0; i < n_weights; i++)
        weights[i] = (uint8_t)data_pick(0, 255);
    for (int i = 0; i < c->n * zero_bytes; i++)
        packed[i] = (uint8_t)data_pick(0, 255);
    for (int i = 0; i < c->k; i++)
        groups[i] = (int32_t)data_pick(0, blocks - 1);
    th_const(t, "b", BP_DTYPE_U8, dims_of(text, sizeof text, 3, (int64_t[]){c->n, blocks, bytes}),
             weights);
    scales = feed("s", c->dtype, dims_of(text, sizeof text, 2, (int64_t[]){c->n, blocks}));
    if (c->zeros == 1)
        th_const(t, "z", BP_DTYPE_U8, dims_of(text, sizeof text, 2, (int64_t[]){c->n, zero_bytes}),
                 packed);
    if (c->zeros == 2)
        real_zeros = feed("z", c->dtype, text);
    if (c->groups)
        th_const(t, "g", BP_DTYPE_I32, dims_of(text, sizeof text, 1, (int64_t[]){c->k}), groups);
    if (c->bias)
        bias = feed("bias", c->dtype, dims_of(text, sizeof text, 1, (int64_t[]){c->n}));
    snprintf(in, sizeof in, "a b s %s %s %s", c->zeros ? "z" : "-", c->groups ? "g" : "-",
             c->bias ? "bias" : "-");
    th_output(t, "y", c->dtype, dims_of(text, sizeof text, 2, (int64_t[]){c->m, c->n}));
    node("MatMulNBits", in, "y");
    th_int(t, "K", c->k);
    th_int(t, "N", c->n);
    th_int(t, "bits", c->bits);
    th_int(t, "block_size", c->block);
    ck_run();
    for (int i = 0; i < c->m * c->n; i++) {
        int col = i % c->n;

        want[i] = bias ? bias[col] : 0;
        for (int k = 0; k < c->k; k++) {
            int bit = k % c->block * c->bits, group = c->groups ? groups[k] : k / c->block;
            int q = weights[(col * blocks + k / c->block) * bytes + bit / 8] >> bit % 8 & mask;
            int zbit = group * c->bits;
            double zero = c->zeros == 1   ? packed[col * zero_bytes + zbit / 8] >> zbit % 8 & mask
                          : c->zeros == 2 ? real_zeros[col * blocks + group]
                                          : (mask + 1) / 2;

            want[i] += a[i / c->n * c->k + k] * (q - zero) * scales[col * blocks + group];
        }
    }
    data_compare("y", th_data(t, "y"), want, (size_t)(c->m * c->n), c->dtype,
                 (size_t)(c->k * (mask + 1)));
}

START_TEST(matmul_nbits_matches_dequantized_weights)
{
    static const int bits[] = {2, 4, 8}, blocks[] = {16, 32, 64, 128},
                     rows[] = {1, 3, 4, 7, 8, 9, 40};
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F16, BP_DTYPE_BF16};
    struct nbits_case c = {
        .bits = bits[_i % 3], .block = blocks[_i / 3 % 4], .m = rows[_i / 12 % 7]};

    data_seed((uint64_t)_i);
    c.n = (int)data_pick(1, 150);
    c.k = (int)data_pick(1, 300);
    c.zeros = (int)data_pick(0, 2);
    c.groups = data_pick(0, 3) == 0;
    c.bias = data_pick(0, 1) == 1;
    c.dtype = types[_i / 84];
    check_nbits(&c);
}
END_TEST

START_TEST(matmul_nbits_splits_a_long_inner_axis_into_tiles)
{
    const struct nbits_case c = {.bits = 4,
                                 .block = 32,
                                 .m = 20,
                                 .n = 70,
                                 .k = 2100 + _i * 48,
                                 .zeros = 1,
                                 .dtype = BP_DTYPE_F32};

    data_seed((uint64_t)_i);
    check_nbits(&c);
}
END_TEST

/* Every instruction set that this machine has against the plain one. */
START_TEST(matmul_nbits_kernels_of_every_instruction_set_agree)
{
    const struct bp_cpu_nbits_level *level;
    struct bp_cpu_nbits b = {
        .k = 250, .block = 32, .bits = 4, .zero = 8, .k_blocks = 8, .block_bytes = 16};
    uint8_t weights[16 * 8 * 5];
    float scales[8 * 5], row[2][250], x[2 * 256], sums[2 * 8], plain[10], y[10];
    bool usable;

    data_seed(4);
    for (size_t i = 0; i < sizeof weights; i++)
        weights[i] = (uint8_t)data_pick(0, 255);
    for (size_t i = 0; i < 40; i++)
        scales[i] = (float)data_pick(1, 9) / 8;
    for (size_t r = 0; r < 2; r++) {
        for (size_t i = 0; i < 250; i++)
            row[r][i] = (float)data_pick(-8, 8) / 8;
    }
    b.weights = weights;
    b.scales = scales;
    for (size_t r = 0; r < 2; r++)
        bp_cpu_nbits_arrange(&b, row[r], x + r * 256, sums + r * 8);
    bp_cpu_nbits_plain.dots(&b, x, sums, 2, 0, 5, plain, 5);
    for (uint32_t l = 0; (level = bp_cpu_nbits_level(l, &usable)) != NULL; l++) {
        if (!usable)
            continue;
        level->dots(&b, x, sums, 2, 0, 5, y, 5);
        for (size_t i = 0; i < 10; i++)
            ck_assert_double_eq_tol((double)y[i], (double)plain[i], 1e-3);
    }
}
END_TEST

START_TEST(matmul_nbits_rejects_group_indices_out_of_range)
{
    int32_t groups[16] = {0};

    groups[7] = _i ? 1 : -1;
    feed("a", BP_DTYPE_F32, "1,16");
    th_const(t, "b", BP_DTYPE_U8, "1,1,8", "01234567");
    feed("s", BP_DTYPE_F32, "1,1");
    th_input(t, "g", BP_DTYPE_I32, "16", groups);
    th_output(t, "y", BP_DTYPE_F32, "1,1");
    node("MatMulNBits", "a b s - g", "y");
    th_int(t, "K", 16);
    th_int(t, "N", 1);
    th_int(t, "block_size", 16);
    ck_refused("is none of the 1 blocks");
}
END_TEST

/* ---- 8-bit integers -------------------------------------------------------------------------- */

static const uint32_t bytes[] = {BP_DTYPE_U8, BP_DTYPE_I8};

struct quant {
    double *q, scale, zero;
};

/* Bytes with a scale of 64ths, which has a type too, and their inputs name, name_s, name_z. */
static struct quant feed_scaled(const char *name, uint32_t dtype, const char *dims, uint32_t scale)
{
    struct quant out = {.scale = (double)data_pick(1, 9) / 64, .zero = (double)data_pick(0, 30)};
    char text[16];

    out.q = feed_ints(name, dtype, dims, dtype == BP_DTYPE_I8 ? -90 : 0, 120);
    snprintf(text, sizeof text, "%s_s", name);
    feed_one(text, scale, out.scale);
    snprintf(text, sizeof text, "%s_z", name);
    feed_one(text, dtype, out.zero);
    return out;
}

static struct quant feed_quant(const char *name, uint32_t dtype, const char *dims)
{
    return feed_scaled(name, dtype, dims, BP_DTYPE_F32);
}

static double value(const struct quant *x, size_t i)
{
    return (x->q[i] - x->zero) * x->scale;
}

static void feed_scale(double scale, double zero, uint32_t dtype)
{
    feed_one("y_s", BP_DTYPE_F32, scale);
    feed_one("y_z", dtype, zero);
}

/* Values halfway between two steps may round either way. */
static void compare_quant(const double *want, size_t n, double scale, double zero, uint32_t dtype)
{
    double low = dtype == BP_DTYPE_I8 ? -128 : 0, high = low + 255;

    for (size_t i = 0; i < n; i++) {
        double exact = fmin(fmax(want[i] / scale + zero, low), high);
        double got = typed_get(th_data(t, "y"), dtype, i);

        ck_assert_msg(fabs(got - exact) <= 0.5 + 1e-3, "[%zu] is %g, not %g", i, got, exact);
    }
}

START_TEST(qlinear_add_and_mul_match_their_definition)
{
    static const char *const dims[][2] = {
        {"3,4", "3,4"}, {"3,4", "4"}, {"3,1", "3,4"}, {"", "3,4"}};
    int way = _i / 4;
    bool adds = _i & 1;
    uint32_t dtype = bytes[_i / 2 % 2];
    struct quant a, b;
    double want[12];

    data_seed((uint64_t)_i);
    a = feed_quant("a", dtype, dims[way][0]);
    b = feed_quant("b", dtype, dims[way][1]);
    feed_scale(0.125, 7, dtype);
    th_output(t, "y", dtype, "3,4");
    node(adds ? "QLinearAdd" : "QLinearMul", "a a_s a_z b b_s b_z y_s y_z", "y");
    ck_run();
    for (size_t i = 0; i < 12; i++) {
        double x = value(&a, way == 3   ? 0
                             : way == 2 ? i / 4
                                        : i),
               y = value(&b, way == 1 ? i % 4 : i);

        want[i] = adds ? x + y : x * y;
    }
    compare_quant(want, 12, 0.125, 7, dtype);
}
END_TEST

START_TEST(qlinear_sigmoid_and_leaky_relu_match_their_definition)
{
    uint32_t dtype = bytes[_i % 2];
    bool is_sigmoid = _i / 2;
    struct quant x;
    double want[300];

    data_seed((uint64_t)_i);
    x = feed_quant("x", dtype, "300");
    feed_scale(0.0078125, 3, dtype);
    th_output(t, "y", dtype, "300");
    node(is_sigmoid ? "QLinearSigmoid" : "QLinearLeakyRelu", "x x_s x_z y_s y_z", "y");
    if (!is_sigmoid)
        th_float(t, "alpha", 0.25f);
    ck_run();
    for (size_t i = 0; i < 300; i++) {
        double v = value(&x, i);

        want[i] = is_sigmoid ? 1 / (1 + exp(-v)) : v < 0 ? 0.25 * v : v;
    }
    compare_quant(want, 300, 0.0078125, 3, dtype);
}
END_TEST

START_TEST(qlinear_where_and_concat_match_their_definition)
{
    uint32_t dtype = bytes[_i % 2];
    struct quant a, b;
    double want[12];
    const uint8_t choice[] = {1, 0, 1};

    data_seed((uint64_t)_i);
    a = feed_quant("a", dtype, "2,3");
    b = feed_quant("b", dtype, "2,3");
    feed_scale(0.125, 5, dtype);
    if (_i / 2) {
        th_output(t, "y", dtype, "2,6");
        node("QLinearConcat", "y_s y_z a a_s a_z b b_s b_z", "y");
        th_int(t, "axis", -1);
        for (size_t i = 0; i < 12; i++)
            want[i] = i % 6 < 3 ? value(&a, i / 6 * 3 + i % 3) : value(&b, i / 6 * 3 + i % 3);
    } else {
        th_input(t, "c", BP_DTYPE_BOOL, "3", choice);
        th_output(t, "y", dtype, "2,3");
        node("QLinearWhere", "c a a_s a_z b b_s b_z y_s y_z", "y");
        for (size_t i = 0; i < 6; i++)
            want[i] = choice[i % 3] ? value(&a, i) : value(&b, i);
    }
    ck_run();
    compare_quant(want, _i / 2 ? 12 : 6, 0.125, 5, dtype);
}
END_TEST

/* 2 x 3 channels x 4 x 4, windows of 2 x 2 or all, channels maybe last. */
START_TEST(qlinear_pools_and_reduce_mean_match_their_definition)
{
    static const char *const ops[] = {"QLinearAveragePool", "QLinearGlobalAveragePool",
                                      "QLinearReduceMean"};
    int op = _i / 4;
    bool last = (_i & 2) && op < 2;
    uint32_t dtype = bytes[_i % 2];
    int size = op == 0 ? 2 : 4, out = 4 / size;
    struct quant x;
    double *want = zeros(24);

    data_seed((uint64_t)_i);
    x = feed_quant("x", dtype, last ? "2,4,4,3" : "2,3,4,4");
    feed_scale(0.0625, 4, dtype);
    th_output(t, "y", dtype,
              op == 0   ? last ? "2,2,2,3" : "2,3,2,2"
              : op == 1 ? last ? "2,1,1,3" : "2,3,1,1"
                        : "2,3");
    node(ops[op], "x x_s x_z y_s y_z", "y");
    if (op < 2)
        th_int(t, "channels_last", last);
    if (op == 0) {
        th_ints(t, "kernel_shape", 2, (int64_t[]){2, 2});
        th_ints(t, "strides", 2, (int64_t[]){2, 2});
    }
    if (op == 2) {
        th_ints(t, "axes", 2, (int64_t[]){2, 3});
        th_int(t, "keepdims", 0);
    }
    ck_run();
    for (int i = 0; i < 2 * 3 * 16; i++) {
        int v = i % 4, h = i / 4 % 4, c = i / 16 % 3, n = i / 48, r = h / size, s = v / size;
        size_t at = (size_t)(last ? ((n * 4 + h) * 4 + v) * 3 + c : i);

        want[last ? ((n * out + r) * out + s) * 3 + c : ((n * 3 + c) * out + r) * out + s] +=
            value(&x, at) / size / size;
    }
    compare_quant(want, (size_t)(6 * out * out), 0.0625, 4, dtype);
}
END_TEST

START_TEST(qlinear_softmax_follows_the_version_of_its_opset)
{
    uint32_t dtype = bytes[_i % 2];
    bool old = _i / 2; /* all dimensions from the axis on */
    int cols = old ? 12 : 3;
    struct quant x;
    double want[24];

    data_seed((uint64_t)_i);
    x = feed_quant("x", dtype, "2,4,3");
    feed_scale(0.00390625, 0, dtype);
    th_output(t, "y", dtype, "2,4,3");
    node("QLinearSoftmax", "x x_s x_z y_s y_z", "y");
    th_int(t, "opset", old ? 11 : 13);
    th_int(t, "axis", old ? 1 : -1);
    ck_run();
    for (int i = 0; i < 24; i += cols) {
        double sum = 0;

        for (int k = 0; k < cols; k++)
            sum += want[i + k] = exp(value(&x, (size_t)(i + k)));
        for (int k = 0; k < cols; k++)
            want[i + k] /= sum;
    }
    compare_quant(want, 24, 0.00390625, 0, dtype);
}
END_TEST

/* ---- products -------------------------------------------------------------------------------- */

/* Bits: signed A, signed B, scales by column, bias, float16. */
START_TEST(matmul_integer_to_float_matches_its_definition)
{
    uint32_t a_type = bytes[_i & 1], b_type = bytes[_i >> 1 & 1];
    bool by_column = _i & 4, has_bias = _i & 8;
    uint32_t dtype = _i & 16 ? BP_DTYPE_F16 : BP_DTYPE_F32;
    struct quant a;
    double *b, *scales, *zero, *bias = NULL, *want = zeros(5 * 7);

    data_seed((uint64_t)_i);
    a = feed_scaled("a", a_type, "5,33", dtype);
    b = feed_ints("b", b_type, "33,7", b_type == BP_DTYPE_I8 ? -128 : 0, 127);
    scales = feed("b_s", dtype, by_column ? "7" : "");
    zero = feed_ints("b_z", b_type, by_column ? "7" : "", 0, 9);
    if (has_bias)
        bias = feed("bias", dtype, "7");
    th_output(t, "y", dtype, "5,7");
    node("MatMulIntegerToFloat", has_bias ? "a b a_s b_s a_z b_z bias" : "a b a_s b_s a_z b_z",
         "y");
    ck_run();
    for (size_t i = 0; i < 35; i++) {
        size_t c = by_column ? i % 7 : 0;

        for (size_t k = 0; k < 33; k++)
            want[i] += value(&a, i / 7 * 33 + k) * (b[k * 7 + i % 7] - zero[c]) * scales[c];
        want[i] += bias ? bias[i % 7] : 0;
    }
    data_compare("y", th_data(t, "y"), want, 35, dtype, 4000);
}
END_TEST

START_TEST(dynamic_quantize_matmul_quantizes_its_input)
{
    double *a, *b, *want = zeros(12), low = 0, high = 0, scale, zero;

    data_seed((uint64_t)_i);
    a = feed("a", BP_DTYPE_F32, "3,9");
    b = feed_ints("b", bytes[_i], "9,4", 0, 100);
    feed_one("s", BP_DTYPE_F32, 0.25);
    feed_one("z", bytes[_i], 3);
    th_output(t, "y", BP_DTYPE_F32, "3,4");
    node("DynamicQuantizeMatMul", "a b s z", "y");
    ck_run();
    for (int i = 0; i < 27; i++) {
        low = fmin(low, a[i]);
        high = fmax(high, a[i]);
    }
    scale = (high - low) / 255;
    zero = rint(-low / scale);
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 9; k++)
            want[i] += (fmin(fmax(rint(a[i / 4 * 9 + k] / scale) + zero, 0), 255) - zero) * scale *
                       (b[k * 4 + i % 4] - 3) * 0.25;
    }
    data_compare("y", th_data(t, "y"), want, 12, BP_DTYPE_F32, 4000);
}
END_TEST

/* Bits: transposed, C, quantised result; types. */
START_TEST(qgemm_matches_its_definition)
{
    bool turned = _i & 1, has_c = _i & 2, quantised = _i & 4;
    uint32_t dtype = bytes[_i / 8];
    struct quant a, b;
    double *c = NULL, *want = zeros(20);

    data_seed((uint64_t)_i);
    a = feed_quant("a", dtype, turned ? "6,4" : "4,6");
    b = feed_quant("b", dtype, turned ? "5,6" : "6,5");
    if (has_c)
        c = feed_ints("c", BP_DTYPE_I32, "5", -500, 500);
    if (quantised)
        feed_scale(2, 9, dtype);
    th_output(t, "y", quantised ? dtype : BP_DTYPE_F32, "4,5");
    node("QGemm",
         has_c       ? quantised ? "a a_s a_z b b_s b_z c y_s y_z" : "a a_s a_z b b_s b_z c"
         : quantised ? "a a_s a_z b b_s b_z - y_s y_z"
                     : "a a_s a_z b b_s b_z",
         "y");
    th_int(t, "transA", turned);
    th_int(t, "transB", turned);
    th_float(t, "alpha", 0.5f);
    ck_run();
    for (size_t i = 0; i < 20; i++) {
        size_t r = i / 5, col = i % 5;

        want[i] = c ? 0.5 * c[col] * a.scale * b.scale : 0;
        for (size_t k = 0; k < 6; k++)
            want[i] += 0.5 * value(&a, turned ? k * 4 + r : r * 6 + k) *
                       value(&b, turned ? col * 6 + k : k * 5 + col);
    }
    if (quantised)
        compare_quant(want, 20, 2, 9, dtype);
    else
        data_compare("y", th_data(t, "y"), want, 20, BP_DTYPE_F32, 400);
}
END_TEST

START_TEST(matmul_integer16_wraps_on_overflow)
{
    const int16_t a[] = {-32768, 32767, 5, -1};
    const uint32_t out = _i ? BP_DTYPE_U32 : BP_DTYPE_I32, in = _i ? BP_DTYPE_U16 : BP_DTYPE_I16;
    const uint32_t *y;

    th_input(t, "a", in, "2,2", a);
    th_output(t, "y", out, "2,2");
    node("MatMulInteger16", "a a", "y");
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 4; i++) {
        int64_t sum = 0;

        for (int k = 0; k < 2; k++) {
            int16_t p = a[i / 2 * 2 + k], q = a[k * 2 + i % 2];

            sum += _i ? (int64_t)(uint16_t)p * (uint16_t)q : (int64_t)p * q;
        }
        ck_assert_uint_eq(y[i], (uint32_t)(uint64_t)sum);
    }
}
END_TEST

/* QAttention is Attention of its dequantised inputs. */
START_TEST(qattention_matches_attention_of_dequantized_inputs)
{
    uint32_t dtype = _i / 4 ? BP_DTYPE_F16 : BP_DTYPE_F32;
    struct quant x, w;
    double *bias, x_values[2 * 3 * 4], w_values[4 * 12], got[24];
    struct th *first;

    data_seed((uint64_t)_i);
    x = feed_scaled("x", bytes[_i % 2], "2,3,4", dtype);
    w = feed_scaled("w", bytes[_i / 2 % 2], "4,12", dtype);
    bias = feed("bias", dtype, "12");
    th_output(t, "y", dtype, "2,3,4");
    node("QAttention", "x w bias x_s w_s - x_z w_z", "y");
    th_int(t, "num_heads", 2);
    th_int(t, "unidirectional", 1);
    ck_run();
    for (size_t i = 0; i < 24; i++) {
        got[i] = typed_get(th_data(t, "y"), dtype, i);
        x_values[i] = value(&x, i);
    }
    for (size_t i = 0; i < 48; i++)
        w_values[i] = value(&w, i);
    first = t;
    t = th_new(bp_provider_entry_v1);
    feed_values("x", BP_DTYPE_F32, "2,3,4", x_values);
    feed_values("w", BP_DTYPE_F32, "4,12", w_values);
    feed_values("bias", BP_DTYPE_F32, "12", bias);
    th_output(t, "y", BP_DTYPE_F32, "2,3,4");
    node("Attention", "x w bias", "y");
    th_int(t, "num_heads", 2);
    th_int(t, "unidirectional", 1);
    ck_run();
    for (size_t i = 0; i < 24; i++) {
        double want = (double)((const float *)th_data(t, "y"))[i];

        ck_assert_double_eq_tol(got[i], want, 1e-4 + (_i / 4 ? fabs(want) * 0x1p-10 : 0));
    }
    th_free(first);
}
END_TEST

/* QLinearConv with channels last, 1 x 1 kernels. */
START_TEST(qlinear_conv_takes_channels_last)
{
    uint32_t dtype = bytes[_i % 2];
    bool last = _i / 2;
    struct quant x, w;
    double *want = zeros(2 * 6 * 4);

    data_seed((uint64_t)_i);
    x = feed_quant("x", dtype, last ? "2,2,3,5" : "2,5,2,3");
    w = feed_quant("w", dtype, "4,5,1,1");
    feed_scale(1, 2, dtype);
    th_output(t, "y", dtype, last ? "2,2,3,4" : "2,4,2,3");
    node("QLinearConv", "x x_s x_z w w_s w_z y_s y_z", "y");
    th_int(t, "channels_last", last);
    ck_run();
    for (size_t i = 0; i < 2 * 6 * 4 * 5; i++) {
        size_t c = i % 5, m = i / 5 % 4, at = i / 20 % 6, n = i / 120;

        want[last ? (n * 6 + at) * 4 + m : (n * 4 + m) * 6 + at] +=
            value(&x, last ? (n * 6 + at) * 5 + c : (n * 5 + c) * 6 + at) * value(&w, m * 5 + c);
    }
    compare_quant(want, 48, 1, 2, dtype);
}
END_TEST

START_TEST(quantize_then_dequantize_gives_rounded_values)
{
    const int16_t want[] = {-32768, 3, 103, 32767};

    th_input(t, "x", BP_DTYPE_F32, "4", (float[]){-1e9f, 0, 50, 1e9f});
    feed_one("s", BP_DTYPE_F32, 0.5);
    th_input(t, "z", BP_DTYPE_I16, "", (int16_t[]){3});
    th_value(t, "q", BP_DTYPE_I16, "4");
    th_output(t, "q2", BP_DTYPE_I16, "4");
    th_output(t, "y", BP_DTYPE_F32, "4");
    node("QuantizeLinear", "x s z", "q2");
    node("QuantizeLinear", "x s z", "q");
    node("DequantizeLinear", "q s z", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "q2"), want, sizeof want);
    for (int i = 0; i < 4; i++)
        ck_assert(((const float *)th_data(t, "y"))[i] == (float)(want[i] - 3) / 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_ms_quant");
    TCase *tcase = tcase_create("cpu_ms_quant");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, finish);
    tcase_add_loop_test(tcase, matmul_nbits_matches_dequantized_weights, 0, 252);
    tcase_add_loop_test(tcase, matmul_nbits_splits_a_long_inner_axis_into_tiles, 0, 3);
    tcase_add_test(tcase, matmul_nbits_kernels_of_every_instruction_set_agree);
    tcase_add_loop_test(tcase, matmul_nbits_rejects_group_indices_out_of_range, 0, 2);
    tcase_add_loop_test(tcase, qlinear_add_and_mul_match_their_definition, 0, 16);
    tcase_add_loop_test(tcase, qlinear_sigmoid_and_leaky_relu_match_their_definition, 0, 4);
    tcase_add_loop_test(tcase, qlinear_where_and_concat_match_their_definition, 0, 4);
    tcase_add_loop_test(tcase, qlinear_pools_and_reduce_mean_match_their_definition, 0, 12);
    tcase_add_loop_test(tcase, qlinear_softmax_follows_the_version_of_its_opset, 0, 4);
    tcase_add_loop_test(tcase, matmul_integer_to_float_matches_its_definition, 0, 32);
    tcase_add_loop_test(tcase, dynamic_quantize_matmul_quantizes_its_input, 0, 2);
    tcase_add_loop_test(tcase, qgemm_matches_its_definition, 0, 16);
    tcase_add_loop_test(tcase, matmul_integer16_wraps_on_overflow, 0, 2);
    tcase_add_loop_test(tcase, qattention_matches_attention_of_dequantized_inputs, 0, 8);
    tcase_add_loop_test(tcase, qlinear_conv_takes_channels_last, 0, 4);
    tcase_add_test(tcase, quantize_then_dequantize_gives_rounded_values);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
