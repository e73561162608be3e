/* SPDX-License-Identifier: MIT */
/*
 * check_passes.c - a session with dnnl: norms and Gelu that exporters wrote as several nodes become one
 * node each, as dnnl takes all of them, and the whole is one group. Weights of float16 are
 * widened once. Quantised convolutions compute with bytes, which on the CPU provider they do only
 * where that was asked for.
 */

#include "config.h"

#include <stdio.h>

#include "dnnl/dnnl_isa.h"
#include "optimize/passes_kit.h"
#include "support/skip.h"

/* x -> decomposed LayerNormalization -> MatMul, Add -> decomposed Gelu -> y */
static void make_layer(const char *dims)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, dims);
    passes_scalar("two", 2);
    passes_scalar("epsilon", 1e-5f);
    passes_scalar("root", 1.41421356f);
    passes_scalar("one", 1);
    passes_scalar("half", 0.5f);
    passes_floats("scale", PW_DIMS(32), 1);
    passes_floats("bias", PW_DIMS(32), 2);
    passes_floats("w", PW_DIMS(32, 32), 3);
    passes_floats("b", PW_DIMS(32), 4);
    for (int square = 0; square < 2; square++) {
        if (square)
            kit_node("pow", "Pow", "d two", "q");
        kit_open_node(square ? "variance" : "mean", "ReduceMean", square ? "q" : "x",
                      square ? "v" : "m");
        kit_ints_attr("axes", 1, (const int64_t[]){-1});
        pw_close(&kit.w);
        if (!square)
            kit_node("sub", "Sub", "x m", "d");
    }
    kit_node("plus", "Add", "v epsilon", "e");
    kit_node("sqrt", "Sqrt", "e", "s");
    kit_node("div", "Div", "d s", "n0");
    kit_node("times", "Mul", "n0 scale", "n1");
    kit_node("shift", "Add", "n1 bias", "n");
    kit_node("product", "MatMul", "n w", "p");
    kit_node("row", "Add", "p b", "r");
    kit_node("by", "Div", "r root", "g0");
    kit_node("erf", "Erf", "g0", "g1");
    kit_node("up", "Add", "g1 one", "g2");
    kit_node("own", "Mul", "r g2", "g3");
    kit_node("halve", "Mul", "g3 half", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static void open_with_dnnl(uint32_t level)
{
    passes_open_at(level);
    kit_provider("dnnl", BP_FALLBACK_REQUIRE);
    kit_session();
}

static void check_one_group(uint32_t n_nodes)
{
    const bp_report *report = bp_session_report(kit.session);

    ck_assert_uint_eq(bp_report_node_count(report), n_nodes);
    ck_assert_uint_eq(bp_report_group_count(report), 1);
}

START_TEST(decomposed_nodes_are_fused_into_one_group)
{
    struct passes_result want, got;

    kit_new_env(WITH_ASAN ? 1 : 2); /* see dnnl_kit.h */
    make_layer("1,512,32");         /* a product worth a group */
    passes_open_at(BP_OPTIMIZE_NONE);
    kit_session();
    passes_run(1, &want);
    for (int is_fused = 0; is_fused < 2; is_fused++) {
        open_with_dnnl(is_fused ? BP_OPTIMIZE_EXTENDED : BP_OPTIMIZE_BASIC);
        check_one_group(is_fused ? 4 : 16);
        if (is_fused)
            ck_assert_str_eq(passes_ops(), "LayerNormalization MatMul Add Gelu");
        passes_run(1, &got);
        passes_compare(&want, &got, is_fused ? "fused" : "decomposed");
        passes_forget(&got);
    }
    passes_forget(&want);
}
END_TEST

/* Nodes that dnnl declines are fused for the next provider, though dnnl would claim the fused node. */
START_TEST(small_decomposed_nodes_are_fused_for_the_next_provider)
{
    char want[256];

    kit_new_env(1);
    make_layer("1,4,32");
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    snprintf(want, sizeof want, "%s", passes_ops());
    ck_assert_msg(strstr(want, "LayerNormalization") != NULL, "%s", want);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_provider("dnnl", BP_FALLBACK_SILENT);
    kit_session();
    ck_assert_str_eq(passes_ops(), want);
}
END_TEST

/* ---- bytes ----------------------------------------------------------------------------------- */

#define STEP 0.05f

static void small_int(const char *name, uint32_t dtype, uint8_t value)
{
    pw_raw_tensor(&kit.w, 5, name, (int32_t)dtype, PW_SCALAR, &value, 1);
}

/* Weights "<name>d" of 32 x depth x 3 x 3, from bytes of int8. */
static void byte_weights(const char *name, int64_t depth)
{
    static uint8_t bytes[32 * 32 * 9];
    char in[32], out[32];
    size_t n = (size_t)(32 * depth * 9);

    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * 7 % 251);
    pw_raw_tensor(&kit.w, 5, name, BP_DTYPE_I8, PW_DIMS(32, depth, 3, 3), bytes, n);
    snprintf(in, sizeof in, "%s ws wz", name);
    snprintf(out, sizeof out, "%sd", name);
    kit_node("", "DequantizeLinear", in, out);
}

static void conv_of_bytes(const char *in, const char *out, int64_t group)
{
    kit_open_node(out, "Conv", in, out);
    kit_ints_attr("pads", 4, (const int64_t[]){1, 1, 1, 1});
    kit_int_attr("group", group);
    pw_close(&kit.w);
}

/* x -> bytes -> Conv, Relu -> bytes -> Conv of one channel a group -> bytes -> y */
static void make_quantized(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,32,16,16");
    passes_scalar("s", STEP);
    passes_scalar("ws", 0.002f);
    small_int("z", BP_DTYPE_U8, 0);
    small_int("wz", BP_DTYPE_I8, 0);
    kit_node("", "QuantizeLinear", "x s z", "xq");
    kit_node("", "DequantizeLinear", "xq s z", "xd");
    byte_weights("w", 32);
    conv_of_bytes("xd wd", "c", 1);
    kit_node("relu", "Relu", "c", "r");
    kit_node("", "QuantizeLinear", "r s z", "cq");
    kit_node("", "DequantizeLinear", "cq s z", "cd");
    byte_weights("v", 1);
    conv_of_bytes("cd vd", "e", 32);
    kit_node("", "QuantizeLinear", "e s z", "eq");
    kit_node("", "DequantizeLinear", "eq s z", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

START_TEST(quantized_convolutions_compute_in_int8)
{
    struct passes_result want, got;

    kit_new_env(WITH_ASAN ? 1 : 2); /* see dnnl_kit.h */
    make_quantized();
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_uint_eq(passes_matches("fuse-quantized"), 0); /* floats are faster on cpu */
    passes_run(1, &want);
    open_with_dnnl(BP_OPTIMIZE_EXTENDED);
    if (dnnl_has_vnni()) {
        check_one_group(4);
        ck_assert_str_eq(passes_ops(), "QuantizeLinear QLinearConv QLinearConv DequantizeLinear");
    }
    passes_run(1, &got);
    passes_step = STEP * 2.01f; /* a step on the way is less than one after the second */
    passes_compare(&want, &got, "in bytes");
    passes_step = 0;
    passes_forget(&got);
    passes_forget(&want);
    SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI, so it was computed in float32");
}
END_TEST

/* Weights kept as float16 and widened by Cast, as exporters of small files write them. */
START_TEST(float16_weights_are_cast_to_float32_once)
{
    enum { N = 64 };
    static uint16_t halves[N * N];
    struct passes_result want, got;

    for (uint32_t i = 0; i < N * N; i++)
        halves[i] = (uint16_t)(0x2c00 + i * 37 % 0x800 + (i % 3 == 0 ? 0x8000 : 0)); /* below 1/4 */
    kit_new_env(WITH_ASAN ? 1 : 2);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "256,64");
    pw_raw_tensor(&kit.w, 5, "w16", BP_DTYPE_F16, PW_DIMS(N, N), halves, sizeof halves);
    kit_open_node("widen", "Cast", "w16", "w");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    kit_node("product", "MatMul", "x w", "p");
    kit_node("activation", "Tanh", "p", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_NONE);
    kit_session();
    passes_run(1, &want);
    open_with_dnnl(BP_OPTIMIZE_BASIC);
    ck_assert_str_eq(passes_ops(), "MatMul Tanh");
    check_one_group(2);
    passes_run(1, &got);
    passes_compare(&want, &got, "widened");
    passes_forget(&got);
    passes_forget(&want);
}
END_TEST

/* x -> bytes -> Gemm -> y, which nothing quantises */
static void make_product_of_bytes(void)
{
    static uint8_t bytes[128 * 128];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 % 251);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "64,128");
    passes_scalar("s", STEP);
    passes_scalar("ws", 0.002f);
    small_int("z", BP_DTYPE_U8, 100);
    small_int("wz", BP_DTYPE_I8, 0);
    kit_node("", "QuantizeLinear", "x s z", "xq");
    kit_node("", "DequantizeLinear", "xq s z", "xd");
    pw_raw_tensor(&kit.w, 5, "w", BP_DTYPE_I8, PW_DIMS(128, 128), bytes, sizeof bytes);
    kit_node("", "DequantizeLinear", "w ws wz", "wd");
    kit_open_node("product", "Gemm", "xd wd", "y");
    kit_int_attr("transB", 1);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

START_TEST(quantized_products_give_float32)
{
    struct passes_result want, got;

    kit_new_env(WITH_ASAN ? 1 : 2); /* see dnnl_kit.h */
    make_product_of_bytes();
    passes_open_at(BP_OPTIMIZE_LAYOUT);
    kit_session();
    ck_assert_uint_eq(passes_matches("fuse-quantized"), 0); /* floats are faster on cpu */
    passes_run(1, &want);
    open_with_dnnl(BP_OPTIMIZE_EXTENDED);
    if (dnnl_has_vnni()) {
        check_one_group(2);
        ck_assert_str_eq(passes_ops(), "QuantizeLinear QGemm");
    }
    passes_run(1, &got);
    passes_compare(&want, &got, "in bytes");
    passes_forget(&got);
    passes_forget(&want);
    SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI, so it was computed in float32");
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, decomposed_nodes_are_fused_into_one_group);
    tcase_add_test(all, small_decomposed_nodes_are_fused_for_the_next_provider);
    tcase_add_test(all, quantized_convolutions_compute_in_int8);
    tcase_add_test(all, float16_weights_are_cast_to_float32_once);
    tcase_add_test(all, quantized_products_give_float32);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    return kit_main("dnnl_passes", &all, 1);
}
