/* SPDX-License-Identifier: MIT */
/*
 * check_passes_quantized.c - operators between DequantizeLinear and QuantizeLinear: which of them
 * compute with bytes, and that results differ by one step of the output's scale at most, or not at
 * all where elements only move.
 */

#include "config.h"

#include <stdio.h>

#include "optimize/passes_kit.h"
#include "support/random.h"

#define X_SCALE 0.02f
#define Y_SCALE 0.05f

static uint64_t seed;

/* ---- pieces of models ------------------------------------------------------------------------ */

static void byte(const char *name, uint32_t dtype, int value)
{
    const uint8_t bits = (uint8_t)value;

    pw_raw_tensor(&kit.w, 5, name, (int32_t)dtype, PW_SCALAR, &bits, 1);
}

/* Random bytes, or one value for all of them. */
static void bytes(const char *name, uint32_t dtype, const int64_t *dims, int value)
{
    uint8_t data[1024];
    size_t n = 1;

    for (const int64_t *d = dims; *d >= 0; d++)
        n *= (size_t)*d;
    ck_assert_uint_le(n, sizeof data);
    for (size_t i = 0; i < n; i++)
        data[i] = value < 0 ? (uint8_t)random_below(&seed, 256) : (uint8_t)value;
    pw_raw_tensor(&kit.w, 5, name, (int32_t)dtype, dims, data, n);
}

/* Scales and zero points of x and y; the zero points have that type. */
static void quant_params(uint32_t dtype)
{
    bool is_unsigned = dtype == BP_DTYPE_U8;

    passes_scalar("xs", X_SCALE);
    byte("xz", dtype, is_unsigned ? 120 : -5);
    passes_scalar("ys", Y_SCALE);
    byte("yz", dtype, is_unsigned ? 100 : 10);
}

/* Input `name`, quantised and dequantised: "xd" of "x". */
static void operand(const char *name, const char *shape)
{
    char in[32], q[32], out[32];

    kit_io(KIT_INPUT, name, BP_DTYPE_F32, shape);
    snprintf(in, sizeof in, "%s xs xz", name);
    snprintf(q, sizeof q, "%sq", name);
    kit_node("", "QuantizeLinear", in, q);
    snprintf(in, sizeof in, "%sq xs xz", name);
    snprintf(out, sizeof out, "%sd", name);
    kit_node("", "DequantizeLinear", in, out);
}

/* Weights "wd": with one scale, or one for each of `maps` indices of an axis. */
static void weights_along(const int64_t *dims, int64_t maps, int64_t axis)
{
    float scales[16];

    ck_assert_int_le(maps, 16);
    for (int64_t i = 0; i < maps; i++)
        scales[i] = 0.003f + 0.001f * (float)i;
    bytes("w", BP_DTYPE_I8, dims, -1);
    if (maps > 1) {
        kit_floats("ws", PW_DIMS(maps), (uint32_t)maps, scales);
        bytes("wz", BP_DTYPE_I8, PW_DIMS(maps), 0);
    } else {
        passes_scalar("ws", scales[0]);
        byte("wz", BP_DTYPE_I8, 3);
    }
    kit_open_node("", "DequantizeLinear", "w ws wz", "wd");
    kit_int_attr("axis", axis);
    pw_close(&kit.w);
}

static void weights(const int64_t *dims, int64_t maps)
{
    weights_along(dims, maps, 0);
}

/* Bias "bd" of int32 with scales as of weights, times a factor that ought to be 1. */
static void bias(int64_t maps, int64_t scales, float factor)
{
    int32_t values[16], zeros[16] = {0};
    float numbers_of[16];

    for (int64_t i = 0; i < maps; i++)
        values[i] = (int32_t)random_below(&seed, 20000) - 10000;
    for (int64_t i = 0; i < scales; i++)
        numbers_of[i] = (0.003f + 0.001f * (float)i) * X_SCALE * factor;
    pw_raw_tensor(&kit.w, 5, "b", BP_DTYPE_I32, PW_DIMS(maps), values, (size_t)maps * 4);
    if (scales > 1) {
        kit_floats("bs", PW_DIMS(scales), (uint32_t)scales, numbers_of);
        pw_raw_tensor(&kit.w, 5, "bz", BP_DTYPE_I32, PW_DIMS(scales), zeros, (size_t)scales * 4);
    } else {
        passes_scalar("bs", numbers_of[0]);
        pw_raw_tensor(&kit.w, 5, "bz", BP_DTYPE_I32, PW_SCALAR, zeros, 4);
    }
    kit_open_node("", "DequantizeLinear", "b bs bz", "bd");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
}

/* From "c" through bytes to "y". */
static void result(const char *value)
{
    char in[32];

    snprintf(in, sizeof in, "%s ys yz", value);
    kit_node("quantize", "QuantizeLinear", in, "yq");
    kit_node("", "DequantizeLinear", "yq ys yz", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static void names_are_unique(void)
{
    const bp_report *report = bp_session_report(kit.session);

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};

        KIT_OK(bp_report_get_node(report, i, &a, &kit.err));
        for (uint32_t j = 0; j < i; j++) {
            KIT_OK(bp_report_get_node(report, j, &b, &kit.err));
            ck_assert_str_ne(a.name, b.name);
        }
    }
}

/* It computes the same, but for so many steps, and `op` is (or is not) among the nodes. */
static void becomes(const char *op, int steps, bool is_there)
{
    passes_step = (float)steps * Y_SCALE * 1.001f;
    passes_same();
    passes_step = 0;
    ck_assert_msg((strstr(passes_ops(), op) != NULL) == is_there, "%s in %s", op, passes_ops());
    names_are_unique();
}

/* ---- what is fused --------------------------------------------------------------------------- */

static void conv(bool each, bool has_bias, float factor)
{
    operand("x", "n,3,5,6");
    weights(PW_DIMS(4, 3, 3, 3), each ? 4 : 1);
    if (has_bias)
        bias(4, each ? 4 : 1, factor);
    kit_open_node("conv", "Conv", has_bias ? "xd wd bd" : "xd wd", "c");
    kit_ints_attr("pads", 4, (const int64_t[]){1, 0, 1, 1});
    pw_close(&kit.w);
}

START_TEST(dequantized_conv_becomes_qlinear_conv)
{
    for (int i = 0; i < 8; i++) {
        kit_start_model();
        quant_params(i & 4 ? BP_DTYPE_I8 : BP_DTYPE_U8);
        conv(i & 1, i & 2, 1);
        result("c");
        becomes("QLinearConv", 1, true);
        ck_assert_str_eq(passes_ops(), "QuantizeLinear QLinearConv DequantizeLinear");
        ck_assert_uint_eq(passes_matches("fuse-quantized"), 1);
    }
}
END_TEST

START_TEST(relu_implied_by_saturation_is_removed)
{
    for (int zero = 0; zero < 2; zero++) {
        kit_start_model();
        passes_scalar("xs", X_SCALE);
        byte("xz", BP_DTYPE_U8, 128);
        passes_scalar("ys", Y_SCALE);
        byte("yz", BP_DTYPE_U8, zero * 50);
        conv(true, true, 1);
        kit_node("relu", "Relu", "c", "r");
        result("r");
        becomes("QLinearConv", 1, zero == 0);
    }
}
END_TEST

START_TEST(conv_with_a_bias_of_another_scale_is_not_quantized)
{
    quant_params(BP_DTYPE_U8);
    conv(true, true, 1.01f);
    result("c");
    becomes("QLinearConv", 0, false);
}
END_TEST

static void gemm(float alpha)
{
    operand("x", "n,6");
    weights(PW_DIMS(5, 6), 1);
    bias(5, 1, 1);
    kit_open_node("gemm", "Gemm", "xd wd bd", "c");
    kit_int_attr("transB", 1);
    passes_float_attr("alpha", alpha);
    pw_close(&kit.w);
    result("c");
}

START_TEST(dequantized_matmul_and_gemm_become_quantized)
{
    quant_params(BP_DTYPE_U8);
    operand("x", "n,4,6");
    weights(PW_DIMS(6, 5), 1);
    kit_node("matmul", "MatMul", "xd wd", "c");
    result("c");
    becomes("QLinearMatMul", 1, true);
    kit_start_model();
    quant_params(BP_DTYPE_U8);
    gemm(1);
    becomes("QGemm", 1, true);
    kit_start_model();
    quant_params(BP_DTYPE_U8);
    gemm(2);
    becomes("QGemm", 0, false);
}
END_TEST

/* x[n,4,6] times weights[6,5] with so many scales along an axis, to "c". */
static void product(int64_t scales, int64_t axis)
{
    kit_start_model();
    quant_params(BP_DTYPE_U8);
    operand("x", "n,4,6");
    weights_along(PW_DIMS(6, 5), scales, axis);
    kit_node("matmul", "MatMul", "xd wd", "c");
}

/* Whatever the level: the CPU provider is faster with bytes, too. */
static void product_becomes(const char *ops)
{
    becomes("MatMul", 1, true);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(passes_ops(), ops);
}

START_TEST(dequantized_matmul_with_per_column_scales_becomes_qgemm)
{
    static const int64_t axes[] = {1, -1};

    product(5, axes[_i]);
    result("c");
    product_becomes("QuantizeLinear QLinearMatMul DequantizeLinear");
}
END_TEST

START_TEST(unquantized_result_of_a_product_stays_float)
{
    product(_i == 0 ? 1 : 5, 1);
    kit_node("neg", "Neg", "c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    product_becomes("QuantizeLinear MatMulIntegerToFloat Neg");
}
END_TEST

/* A sum over elements of different scales cannot be computed in integers. */
START_TEST(product_with_per_row_scales_is_not_quantized)
{
    product(6, 0);
    result("c");
    becomes("QLinearMatMul", 0, false);
}
END_TEST

START_TEST(dequantized_elementwise_operators_and_pools_become_quantized)
{
    static const char *const rows[][2] = {
        {"Add", "QLinearAdd"},
        {"Mul", "QLinearMul"},
        {"Sigmoid", "QLinearSigmoid"},
        {"LeakyRelu", "QLinearLeakyRelu"},
        {"GlobalAveragePool", "QLinearGlobalAveragePool"},
        {"AveragePool", "QLinearAveragePool"},
        {"Concat", "QLinearConcat"},
    };

    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const char *op = rows[i / 2][0];
        bool is_pair = strcmp(op, "Add") == 0 || strcmp(op, "Mul") == 0 || op[0] == 'C';

        kit_start_model();
        quant_params(i % 2 ? BP_DTYPE_I8 : BP_DTYPE_U8);
        operand("x", "n,3,4,5");
        if (is_pair)
            operand("x2", "n,3,4,5");
        kit_open_node("op", op, is_pair ? "xd x2d" : "xd", "c");
        if (strcmp(op, "AveragePool") == 0)
            kit_ints_attr("kernel_shape", 2, (const int64_t[]){2, 3});
        if (op[0] == 'C')
            kit_int_attr("axis", 1);
        pw_close(&kit.w);
        result("c");
        becomes(rows[i / 2][1], 1, true);
    }
}
END_TEST

/* ---- what moves ------------------------------------------------------------------------------ */

START_TEST(data_movement_of_dequantized_values_becomes_int8)
{
    static const char *const ops[] = {"Transpose", "Flatten", "MaxPool", "Reshape"};

    for (size_t i = 0; i < 2 * sizeof ops / sizeof ops[0]; i++) {
        bool is_same = i % 2 == 0;
        const char *op = ops[i / 2];

        kit_start_model();
        passes_scalar("xs", Y_SCALE);
        byte("xz", BP_DTYPE_U8, 100);
        passes_scalar("ys", Y_SCALE);
        byte("yz", BP_DTYPE_U8, is_same ? 100 : 101);
        operand("x", "2,3,4,5");
        kit_ints("sizes", PW_DIMS(3), 3, (const int64_t[]){6, 4, 5});
        kit_open_node("move", op, op[0] == 'R' ? "xd sizes" : "xd", "c");
        if (op[0] == 'M')
            kit_ints_attr("kernel_shape", 2, (const int64_t[]){2, 3});
        pw_close(&kit.w);
        result("c");
        becomes(op, 0, true);
        ck_assert_uint_eq(passes_matches("move-quantized"), is_same);
    }
}
END_TEST

/* ---- what is not quantized ------------------------------------------------------------------- */

START_TEST(values_with_unquantized_consumers_are_not_quantized)
{
    quant_params(BP_DTYPE_U8);
    operand("x", "n,3,4,5");
    kit_node("sigmoid", "Sigmoid", "xd", "c");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_F32, NULL);
    result("c");
    becomes("QLinearSigmoid", 0, false);
    kit_start_model();
    quant_params(BP_DTYPE_U8);
    operand("x", "n,3,4,5");
    kit_io(KIT_INPUT, "z", BP_DTYPE_F32, "n,3,4,5");
    kit_node("add", "Add", "xd z", "c");
    result("c");
    becomes("QLinearAdd", 0, false);
}
END_TEST

/* One channel a group: no product, so nothing is gained by bytes. */
START_TEST(depthwise_conv_is_not_quantized)
{
    quant_params(BP_DTYPE_U8);
    operand("x", "n,4,5,6");
    weights(PW_DIMS(4, 1, 3, 3), 4);
    kit_open_node("conv", "Conv", "xd wd", "c");
    kit_int_attr("group", 4);
    pw_close(&kit.w);
    result("c");
    becomes("QLinearConv", 0, false);
}
END_TEST

/* A value with other consumers is dequantised for those only. */
START_TEST(dequantized_value_is_kept_for_other_consumers)
{
    quant_params(BP_DTYPE_U8);
    operand("x", "n,3,4,5");
    kit_node("sigmoid", "Sigmoid", "xd", "c");
    kit_node("neg", "Neg", "xd", "z");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    result("c");
    becomes("QLinearSigmoid", 1, true);
    ck_assert_ptr_nonnull(strstr(passes_ops(), "Neg"));
    ck_assert_str_eq(passes_node("sigmoid").op, "QLinearSigmoid");
}
END_TEST

START_TEST(disabled_fuse_quantized_changes_nothing)
{
    quant_params(BP_DTYPE_U8);
    conv(true, true, 1);
    result("c");
    passes_open_at(BP_OPTIMIZE_LAYOUT);
    KIT_OK(bp_session_options_disable_pass(kit.options, "fuse-quantized", &kit.err));
    kit_session();
    ck_assert_ptr_null(strstr(passes_ops(), "QLinearConv"));
    passes_open_at(BP_OPTIMIZE_EXTENDED); /* CPU is faster without it */
    kit_session();
    ck_assert_ptr_null(strstr(passes_ops(), "QLinearConv"));
}
END_TEST

/* ---- many ------------------------------------------------------------------------------------ */

START_TEST(quantized_random_convs_differ_by_one_step_at_most)
{
    for (int i = 0; i < 40; i++) {
        int64_t maps = 1 + (int64_t)random_below(&seed, 6),
                in = 1 + (int64_t)random_below(&seed, 5);
        int64_t high = 1 + (int64_t)random_below(&seed, 3),
                wide = 1 + (int64_t)random_below(&seed, 3);
        bool each = maps > 1 && random_below(&seed, 2);
        char shape[64];

        kit_start_model();
        quant_params(random_below(&seed, 2) ? BP_DTYPE_I8 : BP_DTYPE_U8);
        snprintf(shape, sizeof shape, "2,%d,%d,%d", (int)in, (int)(high + random_below(&seed, 5)),
                 (int)(wide + random_below(&seed, 5)));
        operand("x", shape);
        weights(PW_DIMS(maps, in, high, wide), each ? maps : 1);
        bias(maps, each ? maps : 1, 1);
        kit_node("conv", "Conv", random_below(&seed, 2) ? "xd wd bd" : "xd wd", "c");
        result("c");
        becomes("QLinearConv", 1, true);
    }
}
END_TEST

static void start(void)
{
    kit_setup();
    seed = 7;
    passes_step = 0;
}

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, dequantized_conv_becomes_qlinear_conv);
    tcase_add_test(all, relu_implied_by_saturation_is_removed);
    tcase_add_test(all, conv_with_a_bias_of_another_scale_is_not_quantized);
    tcase_add_test(all, dequantized_matmul_and_gemm_become_quantized);
    tcase_add_loop_test(all, dequantized_matmul_with_per_column_scales_becomes_qgemm, 0, 2);
    tcase_add_loop_test(all, unquantized_result_of_a_product_stays_float, 0, 2);
    tcase_add_test(all, product_with_per_row_scales_is_not_quantized);
    tcase_add_test(all, dequantized_elementwise_operators_and_pools_become_quantized);
    tcase_add_test(all, data_movement_of_dequantized_values_becomes_int8);
    tcase_add_test(all, values_with_unquantized_consumers_are_not_quantized);
    tcase_add_test(all, depthwise_conv_is_not_quantized);
    tcase_add_test(all, dequantized_value_is_kept_for_other_consumers);
    tcase_add_test(all, disabled_fuse_quantized_changes_nothing);
    tcase_add_test(all, quantized_random_convs_differ_by_one_step_at_most);
    tcase_add_checked_fixture(all, start, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_quantized", &all, 1);
}
