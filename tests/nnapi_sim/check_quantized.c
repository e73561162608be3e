/* SPDX-License-Identifier: MIT */
/*
 * check_quantized.c - quantized models stay quantized: QDQ units and operators of the QLinear kind
 * become NNAPI's operations on TENSOR_QUANT8_ASYMM, without DEQUANTIZE and QUANTIZE.
 */

#include "config.h"

#include <stdlib.h>

#include "nnapi_kit.h"

enum { KERNEL = 2 * 2 * 3 * 3, IMAGE = 2 * 5 * 5 };

static void bytes(const char *name, uint32_t dtype, const int64_t *dims, const void *data, size_t n)
{
    pw_raw_tensor(&kit.w, 5, name, (int32_t)dtype, dims, data, n);
}

static void scalar(const char *name, float value)
{
    kit_floats(name, (const int64_t[]){-1}, 1, &value);
}

static void point(const char *name, uint32_t dtype, int value)
{
    uint8_t byte = (uint8_t)value;

    bytes(name, dtype, (const int64_t[]){-1}, &byte, 1);
}

/* Scales of x, weights and y, with zero points of their types. */
static void scales(uint32_t weight_dtype, int weight_zero)
{
    scalar("xs", 0.25f);
    point("xz", BP_DTYPE_U8, 100);
    scalar("ws", 0.125f);
    point("wz", weight_dtype, weight_zero);
    scalar("ys", 0.5f);
    point("yz", BP_DTYPE_U8, 120);
}

static void weights(uint32_t dtype)
{
    uint8_t w[KERNEL];
    int32_t b[] = {8, -16};

    for (int i = 0; i < KERNEL; i++)
        w[i] = (uint8_t)(dtype == BP_DTYPE_I8 ? i % 9 - 4 : 124 + i % 9);
    bytes("w", dtype, PW_DIMS(2, 2, 3, 3), w, sizeof w);
    bytes("b", BP_DTYPE_I32, PW_DIMS(2), b, sizeof b);
}

/* x -> DQ -> Conv (weights, bias through DQ) -> Q -> y, all in uint8. */
static void qdq_conv(uint32_t weight_dtype, int weight_zero)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_U8, "1,2,5,5");
    scales(weight_dtype, weight_zero);
    weights(weight_dtype);
    scalar("bs", 0.25f * 0.125f);
    kit_node("dx", "DequantizeLinear", "x xs xz", "xf");
    kit_node("dw", "DequantizeLinear", "w ws wz", "wf");
    kit_node("db", "DequantizeLinear", "b bs", "bf");
    kit_node("conv", "Conv", "xf wf bf", "cf");
    kit_node("q", "QuantizeLinear", "cf ys yz", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_U8, NULL);
}

static void run_bytes(uint8_t *out, size_t n)
{
    uint8_t x[IMAGE] = {0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_U8, x, 1, 2, 5, 5), y = kit_wanted(0);

    for (int i = 0; i < IMAGE; i++)
        x[i] = (uint8_t)(80 + i * 7 % 41);
    kit_run(&in, 1, &y, 1);
    ck_assert_uint_eq(y.tensor.bytes, n);
    memcpy(out, bp_tensor_data(&y.tensor), n);
    bp_tensor_free(&y.tensor);
}

/* The CPU's result, and NNAPI's, which may differ by one step where a sum lies between two. */
static void check_bytes(size_t n, uint32_t nodes)
{
    uint8_t *want = calloc(n, 1), *got = calloc(n, 1);
    char groups[32];

    ck_assert(want && got);
    nnapi_new_options();
    kit_session();
    run_bytes(want, n);
    nnapi_session(NULL, NULL);
    snprintf(groups, sizeof groups, "nnapi %u", nodes);
    ck_assert_msg(strcmp(nnapi_groups(), groups) == 0, "%s: %s", nnapi_groups(),
                  nodes > 3 ? nnapi_refusal(3) : nnapi_refusal(0));
    run_bytes(got, n);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(abs(want[i] - got[i]) <= 1, "byte %zu is %u, not %u", i, got[i], want[i]);
    free(want);
    free(got);
}

static uint64_t conversions(void)
{
    struct bp_nnapi_counters counters = nnapi_counters();

    return counters.operations_by_code[ANEURALNETWORKS_DEQUANTIZE] +
           counters.operations_by_code[ANEURALNETWORKS_QUANTIZE];
}

START_TEST(a_qdq_convolution_stays_in_uint8)
{
    qdq_conv(BP_DTYPE_U8, 128);
    check_bytes(2 * 3 * 3, 5);
    ck_assert_uint_eq(conversions(), 0);
    ck_assert_uint_gt(nnapi_counters().operations_by_code[ANEURALNETWORKS_CONV_2D], 0);
}
END_TEST

/* Int8 weights beside uint8 data are moved by 128. */
START_TEST(int8_weights_become_uint8)
{
    qdq_conv(BP_DTYPE_I8, 3);
    check_bytes(2 * 3 * 3, 5);
    ck_assert_uint_eq(conversions(), 0);
}
END_TEST

/* A scale a channel, from level 29 on. */
static void channel_conv(void)
{
    float ws[] = {0.125f, 0.25f}, bs[] = {0.25f * 0.125f, 0.25f * 0.25f};
    int8_t zeros[2] = {0, 0};

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_U8, "1,2,5,5");
    scalar("xs", 0.25f);
    point("xz", BP_DTYPE_U8, 100);
    scalar("ys", 0.5f);
    point("yz", BP_DTYPE_U8, 120);
    weights(BP_DTYPE_I8);
    kit_floats("ws", PW_DIMS(2), 2, ws);
    kit_floats("bs", PW_DIMS(2), 2, bs);
    bytes("wz", BP_DTYPE_I8, PW_DIMS(2), zeros, 2);
    kit_node("dx", "DequantizeLinear", "x xs xz", "xf");
    kit_node_int("dw", "DequantizeLinear", "w ws wz", "wf", "axis", 0);
    kit_node_int("db", "DequantizeLinear", "b bs", "bf", "axis", 0);
    kit_node("conv", "Conv", "xf wf bf", "cf");
    kit_node("q", "QuantizeLinear", "cf ys yz", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_U8, NULL);
}

START_TEST(a_scale_a_channel_is_taken_from_level_29_on)
{
    channel_conv();
    nnapi_configure("level = 28\n");
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_who(3), "cpu");
    ck_assert_str_eq(nnapi_refusal(3),
                     "a scale a channel needs NNAPI feature level 29, this is 28");
    nnapi_configure("level = 29\ndevices = none\n");
    check_bytes(2 * 3 * 3, 5);
    ck_assert_uint_eq(conversions(), 0);
}
END_TEST

START_TEST(qlinear_conv_stays_in_uint8)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_U8, "1,2,5,5");
    scales(BP_DTYPE_U8, 128);
    weights(BP_DTYPE_U8);
    kit_node("conv", "QLinearConv", "x xs xz w ws wz ys yz b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_U8, NULL);
    check_bytes(2 * 3 * 3, 1);
}
END_TEST

/* Rule 6: what hands on bytes has the scale of its producer, so it is taken in its group only. */
START_TEST(bytes_are_moved_only_beside_their_producer)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_U8, "1,2,5,5");
    scales(BP_DTYPE_U8, 128);
    weights(BP_DTYPE_U8);
    kit_node_ints("before", "Transpose", "x", "t", "perm", 4, (const int64_t[]){0, 1, 3, 2});
    kit_node("conv", "QLinearConv", "t xs xz w ws wz ys yz b", "c");
    kit_node_ints("after", "Transpose", "c", "y", "perm", 4, (const int64_t[]){0, 2, 3, 1});
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_U8, NULL);
    nnapi_session(NULL, NULL);
    ck_assert_msg(strcmp(nnapi_groups(), "cpu 1, nnapi 2") == 0, "%s: %s", nnapi_groups(),
                  nnapi_refusal(1));
    ck_assert_str_eq(nnapi_refusal(0), "its scale is not one constant, or not known here");
}
END_TEST

/* Int8 activations are not taken by ONNX Runtime's provider, and not here. */
START_TEST(int8_activations_are_refused)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_I8, "1,2,5,5");
    scalar("xs", 0.25f);
    point("xz", BP_DTYPE_I8, 0);
    kit_node("d", "DequantizeLinear", "x xs xz", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_who(0), "cpu");
    ck_assert_ptr_nonnull(strstr(nnapi_refusal(0), "provider takes quantized uint8"));
}
END_TEST

/*
 * nnapi.md, 9.4: NNAPI rounds halves away from zero, ONNX to even, so that ties differ by one step.
 */
START_TEST(quantize_rounds_ties_away_from_zero)
{
    float x[] = {0.5f, 1.5f, 2.5f, -0.5f, 1, 2};
    const uint8_t here[] = {11, 12, 13, 9, 11, 12}, onnx[] = {10, 12, 12, 10, 11, 12};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 6), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "6");
    scalar("s", 1);
    point("z", BP_DTYPE_U8, 10);
    kit_node("q", "QuantizeLinear", "x s z", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_U8, NULL);
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_who(0), "nnapi");
    kit_run(&in, 1, &out, 1);
    ck_assert_mem_eq(bp_tensor_data(&out.tensor), here, 6);
    bp_tensor_free(&out.tensor);
    nnapi_new_options();
    kit_session();
    out = kit_wanted(0);
    kit_run(&in, 1, &out, 1);
    ck_assert_mem_eq(bp_tensor_data(&out.tensor), onnx, 6);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* A chain of units: scales between them are the same operands', and only edges convert. */
START_TEST(units_in_a_row_share_their_operands)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,5,5");
    scales(BP_DTYPE_U8, 128);
    weights(BP_DTYPE_U8);
    kit_node("qx", "QuantizeLinear", "x xs xz", "xq");
    kit_node("dx", "DequantizeLinear", "xq xs xz", "xf");
    kit_node("dx2", "DequantizeLinear", "xq xs xz", "xg");
    kit_node("add", "Add", "xf xg", "af");
    kit_node("q", "QuantizeLinear", "af ys yz", "aq");
    kit_node("da", "DequantizeLinear", "aq ys yz", "ag");
    kit_node_ints("move", "Transpose", "ag", "tf", "perm", 4, (const int64_t[]){0, 2, 3, 1});
    kit_node("qt", "QuantizeLinear", "tf ys yz", "tq");
    kit_node("dt", "DequantizeLinear", "tq ys yz", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    nnapi_configure("devices = none\n");
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_groups(), "nnapi 9");
    /* of the trials and of the group one each, at the edges */
    ck_assert_uint_eq(nnapi_counters().operations_by_code[ANEURALNETWORKS_QUANTIZE], 2);
    ck_assert_uint_eq(nnapi_counters().operations_by_code[ANEURALNETWORKS_DEQUANTIZE], 2);
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_qdq_convolution_stays_in_uint8);
    tcase_add_test(all, int8_weights_become_uint8);
    tcase_add_test(all, a_scale_a_channel_is_taken_from_level_29_on);
    tcase_add_test(all, qlinear_conv_stays_in_uint8);
    tcase_add_test(all, bytes_are_moved_only_beside_their_producer);
    tcase_add_test(all, int8_activations_are_refused);
    tcase_add_test(all, quantize_rounds_ties_away_from_zero);
    tcase_add_test(all, units_in_a_row_share_their_operands);
    tcase_add_checked_fixture(all, nnapi_setup, nnapi_teardown);
    return kit_main("nnapi_quantized", &all, 1);
}
