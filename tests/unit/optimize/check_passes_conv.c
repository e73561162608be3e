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

static void picture(void)
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

START_TEST(an_add_of_a_number_a_channel_becomes_the_bias)
{
    picture();
    passes_floats("b", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    passes_gives("Conv");
    ck_assert_str_eq(passes_node("conv").stands_for, "conv, add");
    ck_assert_uint_eq(passes_matches("fold-bias"), 1);
}
END_TEST

START_TEST(an_add_after_a_bias_adds_to_it)
{
    picture();
    passes_floats("b", PW_DIMS(3), 5);
    passes_floats("more", PW_DIMS(1, 3, 1, 1), 6);
    kit_node("conv", "Conv", "x w b", "c");
    kit_node("add", "Add", "more c", "y");
    passes_gives("Conv");
}
END_TEST

START_TEST(a_mul_goes_into_the_weights)
{
    picture();
    passes_floats("m", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "y");
    passes_gives("Conv");
}
END_TEST

START_TEST(a_chain_goes_into_one_conv)
{
    picture();
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

START_TEST(a_transposed_conv_takes_a_norm_by_its_groups)
{
    operands("1,4,3,3", PW_DIMS(4, 3, 2, 2));
    kit_node_int("conv", "ConvTranspose", "x w", "c", "group", 1);
    norm("c", "y");
    passes_gives("ConvTranspose");
}
END_TEST

/* Norms of matrices, with weights in both orders, and a bias, one number or none. */
START_TEST(a_product_takes_a_norm)
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
START_TEST(a_norm_of_other_products_stays)
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

START_TEST(groups_of_a_transposed_conv_keep_their_factors)
{
    operands("1,4,3,3", PW_DIMS(4, 2, 2, 2));
    passes_floats("m", PW_DIMS(4, 1, 1), 5);
    kit_node_int("conv", "ConvTranspose", "x w", "c", "group", 2);
    kit_node("mul", "Mul", "c m", "y");
    passes_gives("ConvTranspose");
}
END_TEST

START_TEST(weights_of_two_convs_stay_for_the_other)
{
    picture();
    passes_floats("m", PW_DIMS(3, 1, 1), 5);
    kit_node("one", "Conv", "x w", "a");
    kit_node("mul", "Mul", "a m", "b");
    kit_node("neg", "Neg", "x", "nx");
    kit_node("two", "Conv", "nx w", "c");
    kit_node("sub", "Sub", "b c", "y");
    passes_gives("Conv Neg Conv Sub");
}
END_TEST

START_TEST(another_reader_keeps_conv_and_norm_apart)
{
    picture();
    kit_node("conv", "Conv", "x w", "c");
    norm("c", "n");
    kit_node("sub", "Sub", "n c", "y");
    passes_gives("Conv BatchNormalization Sub");
}
END_TEST

START_TEST(an_output_in_the_middle_keeps_them_apart)
{
    picture();
    kit_node("conv", "Conv", "x w", "c");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_F32, NULL);
    kit_node("relu", "Relu", "c", "y");
    passes_gives("Conv Relu");
}
END_TEST

START_TEST(weights_that_are_fed_stay)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    kit_io(KIT_INPUT, "w", BP_DTYPE_F32, "3,2,1,1");
    kit_node("conv", "Conv", "x w", "c");
    norm("c", "y");
    passes_gives("Conv BatchNormalization");
}
END_TEST

START_TEST(an_add_along_the_width_stays)
{
    picture();
    passes_floats("b", PW_DIMS(4), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    passes_gives("Conv Add");
}
END_TEST

START_TEST(an_add_that_makes_the_picture_larger_stays)
{
    operands("1,2,4,4", PW_DIMS(1, 2, 1, 1));
    passes_floats("b", PW_DIMS(5, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    passes_gives("Conv Add");
}
END_TEST

START_TEST(a_scale_that_is_no_number_stays)
{
    picture();
    kit_floats("m", PW_DIMS(3, 1, 1), 3, (const float[]){1, INFINITY, 1});
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "z");
    kit_node("less", "Less", "z c", "l");
    kit_node_int("cast", "Cast", "l", "y", "to", BP_DTYPE_F32);
    passes_gives("Conv Mul Less Cast");
}
END_TEST

START_TEST(a_pad_goes_into_the_conv)
{
    picture();
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 0, 1, 2, 0, 0, 0, 1});
    kit_node("pad", "Pad", "x pads", "p");
    kit_node("conv", "Conv", "p w", "y");
    passes_gives("Conv");
}
END_TEST

START_TEST(a_pad_with_another_number_stays)
{
    picture();
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 0, 1, 2, 0, 0, 0, 1});
    kit_floats("one", PW_SCALAR, 1, (const float[]){1});
    kit_node("pad", "Pad", "x pads one", "p");
    kit_node("conv", "Conv", "p w", "y");
    passes_gives("Pad Conv");
}
END_TEST

START_TEST(a_pad_of_channels_stays)
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

START_TEST(pools_pad_themselves)
{
    pool("AveragePool", 0);
    passes_gives("AveragePool");
    kit_start_model();
    pool("MaxPool", -INFINITY);
    passes_gives("MaxPool");
}
END_TEST

START_TEST(zeros_around_a_max_pool_stay)
{
    pool("MaxPool", 0);
    passes_gives("Pad MaxPool");
}
END_TEST

/* ---- fused convolutions ---------------------------------------------------------------------- */

START_TEST(each_activation_goes_with_its_numbers)
{
    static const char *const names[] = {"Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char basic[64];

        kit_start_model();
        picture();
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

START_TEST(clip_goes_with_constant_limits)
{
    picture();
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

START_TEST(clip_with_limits_that_are_fed_stays)
{
    picture();
    kit_io(KIT_INPUT, "lo", BP_DTYPE_F32, "");
    kit_node("conv", "Conv", "x w", "c");
    kit_node("clip", "Clip", "c lo", "y");
    passes_gives("Conv Clip");
}
END_TEST

START_TEST(a_shortcut_goes_into_the_conv)
{
    operands("1,3,4,4", PW_DIMS(3, 3, 3, 3));
    kit_node_ints("conv", "Conv", "x w", "c", "pads", 4, (const int64_t[]){1, 1, 1, 1});
    kit_node("add", "Add", "x c", "s");
    kit_node("relu", "Relu", "s", "y");
    passes_becomes("Conv Add Relu", "FusedConv");
    ck_assert_str_eq(passes_node("conv").stands_for, "conv, add, relu");
}
END_TEST

START_TEST(depthwise_convs_fuse_too)
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

START_TEST(a_shortcut_that_broadcasts_stays)
{
    picture();
    kit_io(KIT_INPUT, "z", BP_DTYPE_F32, "1,3,1,1");
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c z", "y");
    passes_gives("Conv Add");
}
END_TEST

START_TEST(a_provider_that_takes_plain_nodes_keeps_them)
{
    picture();
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

    tcase_add_test(all, an_add_of_a_number_a_channel_becomes_the_bias);
    tcase_add_test(all, an_add_after_a_bias_adds_to_it);
    tcase_add_test(all, a_mul_goes_into_the_weights);
    tcase_add_test(all, a_chain_goes_into_one_conv);
    tcase_add_test(all, a_transposed_conv_takes_a_norm_by_its_groups);
    tcase_add_test(all, a_product_takes_a_norm);
    tcase_add_test(all, a_norm_of_other_products_stays);
    tcase_add_test(all, groups_of_a_transposed_conv_keep_their_factors);
    tcase_add_test(all, weights_of_two_convs_stay_for_the_other);
    tcase_add_test(all, another_reader_keeps_conv_and_norm_apart);
    tcase_add_test(all, an_output_in_the_middle_keeps_them_apart);
    tcase_add_test(all, weights_that_are_fed_stay);
    tcase_add_test(all, an_add_along_the_width_stays);
    tcase_add_test(all, an_add_that_makes_the_picture_larger_stays);
    tcase_add_test(all, a_scale_that_is_no_number_stays);
    tcase_add_test(all, a_pad_goes_into_the_conv);
    tcase_add_test(all, a_pad_with_another_number_stays);
    tcase_add_test(all, a_pad_of_channels_stays);
    tcase_add_test(all, pools_pad_themselves);
    tcase_add_test(all, zeros_around_a_max_pool_stay);
    tcase_add_test(all, each_activation_goes_with_its_numbers);
    tcase_add_test(all, clip_goes_with_constant_limits);
    tcase_add_test(all, clip_with_limits_that_are_fed_stays);
    tcase_add_test(all, a_shortcut_goes_into_the_conv);
    tcase_add_test(all, depthwise_convs_fuse_too);
    tcase_add_test(all, a_shortcut_that_broadcasts_stays);
    tcase_add_test(all, a_provider_that_takes_plain_nodes_keeps_them);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_conv", &all, 1);
}
