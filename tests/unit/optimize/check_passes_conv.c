/* SPDX-License-Identifier: MIT */
/* check_passes_conv.c - passes that fold into convolutions and fuse them, and what they leave alone. */

#include "config.h"

#include <math.h>
#include <stdio.h>

#include "optimize/passes_kit.h"

/* ---- pieces of models ------------------------------------------------------------------------ */

/* Input x and weights w. */
static void operands(const char *x, const int64_t *w)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, x);
    passes_floats("w", w, 1);
}

static void conv_operands(void)
{
    operands("1,2,4,4", PW_DIMS(3, 2, 1, 1));
}

static void norm(const char *in, const char *out)
{
    char names[64];

    passes_floats("scale", PW_DIMS(3), 2);
    passes_floats("shift", PW_DIMS(3), 3);
    passes_floats("mean", PW_DIMS(3), 4);
    kit_floats("var", PW_DIMS(3), 3, (const float[]){1, 0.5f, 2});
    snprintf(names, sizeof names, "%s scale shift mean var", in);
    kit_node("norm", "BatchNormalization", names, out);
}

/* ---- folding into Conv ----------------------------------------------------------------------- */

START_TEST(add_of_one_value_for_each_channel_becomes_the_bias)
{
    conv_operands();
    passes_floats("b", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    passes_gives("Conv");
    ck_assert_str_eq(passes_node("conv").stands_for, "conv, add");
    ck_assert_uint_eq(passes_matches("fold-bias"), 1);
}
END_TEST

START_TEST(add_after_a_biased_conv_is_folded_into_the_bias)
{
    conv_operands();
    passes_floats("b", PW_DIMS(3), 5);
    passes_floats("more", PW_DIMS(1, 3, 1, 1), 6);
    kit_node("conv", "Conv", "x w b", "c");
    kit_node("add", "Add", "more c", "y");
    passes_gives("Conv");
}
END_TEST

START_TEST(mul_is_folded_into_conv_weights)
{
    conv_operands();
    passes_floats("m", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "y");
    passes_gives("Conv");
}
END_TEST

START_TEST(chain_of_mul_add_and_batch_norm_is_folded_into_conv)
{
    conv_operands();
    passes_floats("m", PW_DIMS(3, 1, 1), 5);
    passes_floats("b", PW_DIMS(1), 7);
    kit_node("conv", "Conv", "x w", "c");
    norm("c", "n");
    kit_node("mul", "Mul", "n m", "z");
    kit_node("add", "Add", "z b", "v");
    kit_node("relu", "Relu", "v", "y");
    passes_becomes("Conv Relu", "FusedConv");
    ck_assert_str_eq(passes_node("conv").stands_for, "conv, norm, mul, add, relu");
}
END_TEST

START_TEST(batch_norm_is_folded_into_grouped_conv_transpose)
{
    operands("1,4,3,3", PW_DIMS(4, 3, 2, 2));
    kit_node_int("conv", "ConvTranspose", "x w", "c", "group", 1);
    norm("c", "y");
    passes_gives("ConvTranspose");
}
END_TEST

/* Norms of matrices, with weights in both orders, and a bias, one number or none. */
START_TEST(batch_norm_is_folded_into_gemm_and_matmul)
{
    for (int i = 0; i < 8; i++) {
        bool is_turned = i & 1, has_bias = i & 2, is_scalar = i & 4;

        kit_start_model();
        operands("n,4", is_turned ? PW_DIMS(3, 4) : PW_DIMS(4, 3));
        passes_floats("b", is_scalar ? PW_SCALAR : PW_DIMS(1, 3), 7);
        kit_open_node("gemm", "Gemm", has_bias ? "x w b" : "x w", "c");
        kit_int_attr("transB", is_turned);
        passes_float_attr("alpha", 0.5f);
        pw_close(&kit.w);
        norm("c", "y");
        passes_gives("Gemm");
        ck_assert_uint_eq(passes_matches("fold-norm"), 1);
    }
    kit_start_model();
    operands("n,4", PW_DIMS(4, 3));
    kit_node("matmul", "MatMul", "x w", "c");
    norm("c", "y");
    passes_gives("Gemm");
    ck_assert_str_eq(passes_node("matmul").stands_for, "matmul, norm");
}
END_TEST

/* Of three dimensions, channels are the second; one wants beta, one is read elsewhere. */
START_TEST(batch_norm_of_unsupported_products_is_not_folded)
{
    operands("n,3,4", PW_DIMS(4, 3));
    kit_node("matmul", "MatMul", "x w", "c");
    norm("c", "y");
    passes_gives("MatMul BatchNormalization");
    for (int i = 0; i < 2; i++) {
        kit_start_model();
        operands("n,4", PW_DIMS(4, 3));
        passes_floats("b", PW_DIMS(3), 7);
        kit_open_node("gemm", "Gemm", "x w b", "c");
        passes_float_attr("beta", i ? 1 : 0.5f);
        pw_close(&kit.w);
        norm("c", "y");
        if (i)
            kit_io(KIT_OUTPUT, "c", BP_DTYPE_F32, NULL);
        passes_gives("Gemm BatchNormalization");
    }
}
END_TEST

START_TEST(mul_is_folded_into_each_group_of_conv_transpose)
{
    operands("1,4,3,3", PW_DIMS(4, 2, 2, 2));
    passes_floats("m", PW_DIMS(4, 1, 1), 5);
    kit_node_int("conv", "ConvTranspose", "x w", "c", "group", 2);
    kit_node("mul", "Mul", "c m", "y");
    passes_gives("ConvTranspose");
}
END_TEST

START_TEST(folding_keeps_weights_that_another_conv_reads)
{
    conv_operands();
    passes_floats("m", PW_DIMS(3, 1, 1), 5);
    kit_node("one", "Conv", "x w", "a");
    kit_node("mul", "Mul", "a m", "b");
    kit_node("neg", "Neg", "x", "nx");
    kit_node("two", "Conv", "nx w", "c");
    kit_node("sub", "Sub", "b c", "y");
    passes_gives("Conv Neg Conv Sub");
}
END_TEST

START_TEST(conv_with_another_consumer_is_not_fused_with_batch_norm)
{
    conv_operands();
    kit_node("conv", "Conv", "x w", "c");
    norm("c", "n");
    kit_node("sub", "Sub", "n c", "y");
    passes_gives("Conv BatchNormalization Sub");
}
END_TEST

START_TEST(conv_that_is_a_graph_output_is_not_fused)
{
    conv_operands();
    kit_node("conv", "Conv", "x w", "c");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_F32, NULL);
    kit_node("relu", "Relu", "c", "y");
    passes_gives("Conv Relu");
}
END_TEST

START_TEST(fed_weights_are_not_folded)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    kit_io(KIT_INPUT, "w", BP_DTYPE_F32, "3,2,1,1");
    kit_node("conv", "Conv", "x w", "c");
    norm("c", "y");
    passes_gives("Conv BatchNormalization");
}
END_TEST

START_TEST(add_along_the_width_is_not_folded)
{
    conv_operands();
    passes_floats("b", PW_DIMS(4), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    passes_gives("Conv Add");
}
END_TEST

START_TEST(add_that_broadcasts_the_conv_output_is_not_folded)
{
    operands("1,2,4,4", PW_DIMS(1, 2, 1, 1));
    passes_floats("b", PW_DIMS(5, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    passes_gives("Conv Add");
}
END_TEST

START_TEST(infinite_scale_is_not_folded)
{
    conv_operands();
    kit_floats("m", PW_DIMS(3, 1, 1), 3, (const float[]){1, INFINITY, 1});
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "z");
    kit_node("less", "Less", "z c", "l");
    kit_node_int("cast", "Cast", "l", "y", "to", BP_DTYPE_F32);
    passes_gives("Conv Mul Less Cast");
}
END_TEST

START_TEST(zero_pad_is_folded_into_conv)
{
    conv_operands();
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 0, 1, 2, 0, 0, 0, 1});
    kit_node("pad", "Pad", "x pads", "p");
    kit_node("conv", "Conv", "p w", "y");
    passes_gives("Conv");
}
END_TEST

START_TEST(pad_with_a_nonzero_value_is_not_folded)
{
    conv_operands();
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 0, 1, 2, 0, 0, 0, 1});
    kit_floats("one", PW_SCALAR, 1, (const float[]){1});
    kit_node("pad", "Pad", "x pads one", "p");
    kit_node("conv", "Conv", "p w", "y");
    passes_gives("Pad Conv");
}
END_TEST

START_TEST(pad_of_channels_is_not_folded)
{
    operands("1,1,4,4", PW_DIMS(3, 2, 1, 1));
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 1, 0, 0, 0, 0, 0, 0});
    kit_node("pad", "Pad", "x pads", "p");
    kit_node("conv", "Conv", "p w", "y");
    passes_gives("Pad Conv");
}
END_TEST

static void pool(const char *op, float value)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 0, 1, 1, 0, 0, 1, 1});
    kit_floats("v", PW_SCALAR, 1, &value);
    kit_node("pad", "Pad", "x pads v", "p");
    kit_node_ints("pool", op, "p", "y", "kernel_shape", 2, (const int64_t[]){2, 3});
}

START_TEST(pad_is_folded_into_pools)
{
    pool("AveragePool", 0);
    passes_gives("AveragePool");
    kit_start_model();
    pool("MaxPool", -INFINITY);
    passes_gives("MaxPool");
}
END_TEST

START_TEST(zero_pad_is_not_folded_into_max_pool)
{
    pool("MaxPool", 0);
    passes_gives("Pad MaxPool");
}
END_TEST

/* ---- fused convolutions ---------------------------------------------------------------------- */

START_TEST(each_activation_is_fused_with_its_attributes)
{
    static const char *const names[] = {"Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char basic[64];

        kit_start_model();
        conv_operands();
        kit_node("conv", "Conv", "x w", "c");
        kit_open_node("act", names[i], "c", "y");
        if (i >= 3)
            passes_float_attr("alpha", 0.3f);
        if (i == 4)
            passes_float_attr("beta", 0.4f);
        pw_close(&kit.w);
        snprintf(basic, sizeof basic, "Conv %s", names[i]);
        passes_becomes(basic, "FusedConv");
    }
}
END_TEST

START_TEST(clip_with_constant_limits_is_fused_into_conv)
{
    conv_operands();
    kit_floats("lo", PW_SCALAR, 1, (const float[]){-0.2f});
    kit_floats("hi", PW_SCALAR, 1, (const float[]){0.3f});
    kit_node("conv", "Conv", "x w", "c");
    kit_node("clip", "Clip", "c lo hi", "a");
    kit_node("neg", "Neg", "x", "nx");
    kit_node("two", "Conv", "nx w", "d");
    kit_node("upper", "Clip", "d - hi", "b");
    kit_node("sub", "Sub", "a b", "y");
    passes_becomes("Conv Clip Neg Conv Clip Sub", "FusedConv Neg FusedConv Sub");
}
END_TEST

START_TEST(clip_with_fed_limits_is_not_fused)
{
    conv_operands();
    kit_io(KIT_INPUT, "lo", BP_DTYPE_F32, "");
    kit_node("conv", "Conv", "x w", "c");
    kit_node("clip", "Clip", "c lo", "y");
    passes_gives("Conv Clip");
}
END_TEST

START_TEST(residual_add_is_fused_into_conv)
{
    operands("1,3,4,4", PW_DIMS(3, 3, 3, 3));
    kit_node_ints("conv", "Conv", "x w", "c", "pads", 4, (const int64_t[]){1, 1, 1, 1});
    kit_node("add", "Add", "x c", "s");
    kit_node("relu", "Relu", "s", "y");
    passes_becomes("Conv Add Relu", "FusedConv");
    ck_assert_str_eq(passes_node("conv").stands_for, "conv, add, relu");
}
END_TEST

START_TEST(activation_is_fused_into_depthwise_conv)
{
    operands("2,4,5,5", PW_DIMS(4, 1, 3, 3));
    kit_open_node("conv", "Conv", "x w", "c");
    kit_int_attr("group", 4);
    kit_ints_attr("pads", 4, (const int64_t[]){1, 1, 1, 1});
    pw_close(&kit.w);
    kit_node("add", "Add", "c x", "s");
    kit_node("relu", "Relu", "s", "y");
    passes_becomes("Conv Add Relu", "FusedConv");
}
END_TEST

START_TEST(residual_add_that_broadcasts_is_not_fused)
{
    conv_operands();
    kit_io(KIT_INPUT, "z", BP_DTYPE_F32, "1,3,1,1");
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c z", "y");
    passes_gives("Conv Add");
}
END_TEST

START_TEST(nodes_claimed_unfused_by_a_provider_are_not_fused)
{
    conv_operands();
    kit_node("conv", "Conv", "x w", "c");
    kit_node("relu", "Relu", "c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_provider("few", BP_FALLBACK_WARN); /* takes Relu */
    kit_session();
    ck_assert_str_eq(passes_ops(), "Conv Relu");
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, add_of_one_value_for_each_channel_becomes_the_bias);
    tcase_add_test(all, add_after_a_biased_conv_is_folded_into_the_bias);
    tcase_add_test(all, mul_is_folded_into_conv_weights);
    tcase_add_test(all, chain_of_mul_add_and_batch_norm_is_folded_into_conv);
    tcase_add_test(all, batch_norm_is_folded_into_grouped_conv_transpose);
    tcase_add_test(all, batch_norm_is_folded_into_gemm_and_matmul);
    tcase_add_test(all, batch_norm_of_unsupported_products_is_not_folded);
    tcase_add_test(all, mul_is_folded_into_each_group_of_conv_transpose);
    tcase_add_test(all, folding_keeps_weights_that_another_conv_reads);
    tcase_add_test(all, conv_with_another_consumer_is_not_fused_with_batch_norm);
    tcase_add_test(all, conv_that_is_a_graph_output_is_not_fused);
    tcase_add_test(all, fed_weights_are_not_folded);
    tcase_add_test(all, add_along_the_width_is_not_folded);
    tcase_add_test(all, add_that_broadcasts_the_conv_output_is_not_folded);
    tcase_add_test(all, infinite_scale_is_not_folded);
    tcase_add_test(all, zero_pad_is_folded_into_conv);
    tcase_add_test(all, pad_with_a_nonzero_value_is_not_folded);
    tcase_add_test(all, pad_of_channels_is_not_folded);
    tcase_add_test(all, pad_is_folded_into_pools);
    tcase_add_test(all, zero_pad_is_not_folded_into_max_pool);
    tcase_add_test(all, each_activation_is_fused_with_its_attributes);
    tcase_add_test(all, clip_with_constant_limits_is_fused_into_conv);
    tcase_add_test(all, clip_with_fed_limits_is_not_fused);
    tcase_add_test(all, residual_add_is_fused_into_conv);
    tcase_add_test(all, activation_is_fused_into_depthwise_conv);
    tcase_add_test(all, residual_add_that_broadcasts_is_not_fused);
    tcase_add_test(all, nodes_claimed_unfused_by_a_provider_are_not_fused);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_conv", &all, 1);
}
