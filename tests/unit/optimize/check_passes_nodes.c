/* SPDX-License-Identifier: MIT */
/* check_passes_nodes.c - passes over products, norms, data movement and unused nodes. */

#include "config.h"

#include "optimize/passes_kit.h"

/* ---- products -------------------------------------------------------------------------------- */

START_TEST(matmul_and_add_become_gemm)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,4");
    passes_floats("w", PW_DIMS(4, 5), 1);
    passes_floats("b", PW_DIMS(5), 2);
    kit_node("mm", "MatMul", "x w", "m");
    kit_node("add", "Add", "b m", "z");
    kit_node("act", "Sigmoid", "z", "y");
    passes_becomes("Gemm Sigmoid", "FusedGemm");
    ck_assert_str_eq(passes_node("mm").stands_for, "mm, add, act");
}
END_TEST

START_TEST(matmul_of_3_d_operands_is_not_fused_into_gemm)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    passes_floats("w", PW_DIMS(4, 5), 1);
    passes_floats("b", PW_DIMS(5), 2);
    kit_node("mm", "MatMul", "x w", "m");
    kit_node("add", "Add", "m b", "y");
    passes_gives("MatMul Add");
}
END_TEST

START_TEST(add_that_broadcasts_the_product_is_not_fused_into_gemm)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,4");
    passes_floats("w", PW_DIMS(4, 5), 1);
    passes_floats("b", PW_DIMS(3, 5), 2);
    kit_node("mm", "MatMul", "x w", "m");
    kit_node("add", "Add", "m b", "y");
    passes_gives("MatMul Add");
}
END_TEST

START_TEST(matmul_and_add_of_integers_are_not_fused)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,2");
    kit_ints("w", PW_DIMS(2, 2), 4, (const int64_t[]){1, 2, 3, 4});
    kit_node_int("to", "Cast", "x", "i", "to", BP_DTYPE_I64);
    kit_node("mm", "MatMul", "i w", "m");
    kit_node("add", "Add", "m w", "z");
    kit_node_int("back", "Cast", "z", "y", "to", BP_DTYPE_F32);
    passes_gives("Cast MatMul Add Cast");
}
END_TEST

/* ---- parts of larger operators --------------------------------------------------------------- */

/* 1 + erf(x / sqrt 2), as "e" */
static void erf_part(bool by_mul)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,5");
    passes_scalar("root", by_mul ? 0.70710678f : 1.41421356f);
    passes_scalar("one", 1);
    passes_scalar("half", 0.5f);
    kit_node("scale", by_mul ? "Mul" : "Div", "x root", "s");
    kit_node("erf", "Erf", "s", "r");
    kit_node("add", "Add", "r one", "e");
}

START_TEST(decomposed_gelu_is_fused_in_three_operand_orders)
{
    erf_part(false);
    kit_node("m1", "Mul", "x e", "p");
    kit_node("m2", "Mul", "p half", "y");
    passes_becomes("Div Erf Add Mul Mul", "Gelu");
    kit_start_model();
    erf_part(true);
    kit_node("m1", "Mul", "e half", "p");
    kit_node("m2", "Mul", "p x", "y");
    passes_becomes("Mul Erf Add Mul Mul", "Gelu");
    kit_start_model();
    erf_part(false);
    kit_node("m1", "Mul", "half x", "p");
    kit_node("m2", "Mul", "p e", "y");
    passes_becomes("Div Erf Add Mul Mul", "Gelu");
}
END_TEST

START_TEST(lookalikes_of_gelu_are_not_fused)
{
    erf_part(false);
    kit_node("m1", "Mul", "x e", "p");
    kit_node("m2", "Mul", "p root", "y"); /* not a half */
    passes_gives("Div Erf Add Mul Mul");
    kit_start_model();
    erf_part(false);
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, NULL);
    kit_node("m1", "Mul", "x e", "p");
    kit_node("m2", "Mul", "p half", "y");
    passes_gives("Div Erf Add Mul Mul");
    kit_start_model();
    erf_part(false);
    kit_node("neg", "Neg", "x", "z");
    kit_node("m1", "Mul", "z e", "p"); /* another x */
    kit_node("m2", "Mul", "p half", "y");
    passes_gives("Div Erf Add Neg Mul Mul");
}
END_TEST

static void mean(const char *name, const char *in, const char *out, int64_t axis)
{
    kit_node_ints(name, "ReduceMean", in, out, "axes", 1, &axis);
}

static void layer_norm(bool by_mul, int64_t axis)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,5,5");
    passes_scalar("two", 2);
    passes_scalar("eps", 1e-5f);
    passes_floats("gamma", PW_DIMS(5), 1);
    passes_floats("beta", PW_DIMS(5), 2);
    mean("mean", "x", "m", axis);
    kit_node("sub", "Sub", "x m", "d");
    kit_node("square", by_mul ? "Mul" : "Pow", by_mul ? "d d" : "d two", "q");
    mean("mean2", "q", "v", axis);
    kit_node("eps", "Add", "v eps", "a");
    kit_node("root", "Sqrt", "a", "r");
    kit_node("div", "Div", "d r", "n");
    kit_node("scale", "Mul", "n gamma", "g");
    kit_node("shift", "Add", "beta g", "y");
}

#define PARTS(square) "ReduceMean Sub " square " ReduceMean Add Sqrt Div Mul Add"

START_TEST(decomposed_layer_norm_is_fused)
{
    layer_norm(false, -1);
    passes_becomes(PARTS("Pow"), "LayerNormalization");
    kit_start_model();
    layer_norm(true, 2);
    passes_becomes(PARTS("Mul"), "LayerNormalization");
    ck_assert_str_eq(passes_node("mean").stands_for,
                     "mean, sub, square, mean2, eps, root, div, scale, shift");
}
END_TEST

START_TEST(layer_norm_over_another_axis_is_not_fused)
{
    layer_norm(false, 1);
    passes_gives(PARTS("Pow"));
}
END_TEST

START_TEST(layer_norm_with_a_read_intermediate_keeps_its_mean)
{
    layer_norm(false, -1);
    kit_io(KIT_OUTPUT, "d", BP_DTYPE_F32, NULL); /* from there on it is one without a mean */
    passes_becomes(PARTS("Pow"), "ReduceMean Sub SimplifiedLayerNormalization Add");
}
END_TEST

/* A bias of n elements, then Gelu. */
static void biased_gelu(int64_t n)
{
    kit_io(KIT_INPUT, "in", BP_DTYPE_F32, "3,5");
    passes_floats("bias", PW_DIMS(n), 3);
    kit_node("plus", "Add", "in bias", "x");
    passes_scalar("root", 1.41421356f);
    passes_scalar("one", 1);
    passes_scalar("half", 0.5f);
    kit_node("scale", "Div", "x root", "s");
    kit_node("erf", "Erf", "s", "r");
    kit_node("add", "Add", "r one", "e");
    kit_node("m1", "Mul", "x e", "p");
    kit_node("m2", "Mul", "p half", "y");
}

START_TEST(bias_is_fused_into_gelu)
{
    biased_gelu(5);
    passes_becomes("Add Div Erf Add Mul Mul", "BiasGelu");
    ck_assert_str_eq(passes_node("plus").stands_for, "plus, scale, erf, add, m1, m2");
    kit_start_model();
    biased_gelu(1); /* one for all is none a column */
    passes_becomes("Add Div Erf Add Mul Mul", "Add Gelu");
}
END_TEST

static void skip_norm(const char *shape)
{
    kit_io(KIT_INPUT, "in", BP_DTYPE_F32, "2,3,5");
    kit_io(KIT_INPUT, "skip", BP_DTYPE_F32, shape);
    passes_floats("gamma", PW_DIMS(5), 1);
    passes_floats("beta", PW_DIMS(5), 2);
    kit_node("sum", "Add", "in skip", "x");
    kit_node("norm", "LayerNormalization", "x gamma beta", "y");
}

START_TEST(residual_add_is_fused_into_layer_norm)
{
    kit_start_model_at(17);
    skip_norm("2,3,5");
    passes_becomes("Add LayerNormalization", "SkipLayerNormalization");
}
END_TEST

START_TEST(fused_skip_layer_norm_gives_a_sum_that_others_read)
{
    kit_start_model_at(17);
    skip_norm("2,3,5");
    kit_io(KIT_OUTPUT, "x", BP_DTYPE_F32, NULL);
    passes_becomes("Add LayerNormalization", "SkipLayerNormalization");
    ck_assert_str_eq(passes_node("sum").stands_for, "sum, norm");
    kit_start_model_at(17);
    skip_norm("2,3,5");
    kit_node("relu", "Relu", "x", "r");
    kit_node("next", "Add", "r y", "z");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    passes_becomes("Add LayerNormalization Relu Add", "SkipLayerNormalization Relu Add");
}
END_TEST

/* Two norms read one sum: the first is fused with it, the second reads the sum. */
START_TEST(sum_with_two_layer_norms_is_fused_into_one)
{
    kit_start_model_at(17);
    skip_norm("2,3,5");
    kit_node("other", "LayerNormalization", "x beta gamma", "z");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    passes_becomes("Add LayerNormalization LayerNormalization",
                   "SkipLayerNormalization LayerNormalization");
}
END_TEST

/* The norm cannot stand where the sum is made: its scale is computed of the sum. */
START_TEST(layer_norm_whose_scale_depends_on_the_sum_is_not_fused)
{
    kit_start_model_at(17);
    kit_io(KIT_INPUT, "in", BP_DTYPE_F32, "5");
    kit_io(KIT_INPUT, "skip", BP_DTYPE_F32, "5");
    kit_node("sum", "Add", "in skip", "x");
    kit_node("tanh", "Tanh", "x", "gamma");
    kit_node("norm", "LayerNormalization", "x gamma", "y");
    passes_gives("Add Tanh LayerNormalization");
}
END_TEST

START_TEST(residual_add_that_broadcasts_is_not_fused_into_layer_norm)
{
    kit_start_model_at(17);
    skip_norm("1,1,5");
    passes_gives("Add LayerNormalization");
}
END_TEST

/* ---- nodes that are removed ------------------------------------------------------------------ */

START_TEST(no_op_nodes_are_removed)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_ints("same", PW_DIMS(2), 2, (const int64_t[]){2, 3});
    kit_ints("zeros", PW_DIMS(4), 4, (const int64_t[]){0, 0, 0, 0});
    kit_ints("from", PW_DIMS(2), 2, (const int64_t[]){0, 0});
    kit_ints("ones", PW_DIMS(2), 2, (const int64_t[]){1, 1});
    kit_node("relu", "Relu", "x", "a");
    kit_node("id", "Identity", "a", "b");
    kit_node_int("cast", "Cast", "b", "c", "to", BP_DTYPE_F32);
    kit_node("reshape", "Reshape", "c same", "d");
    kit_node("pad", "Pad", "d zeros", "e");
    kit_node("slice", "Slice", "e from same", "f");
    kit_node("expand", "Expand", "f same", "g");
    kit_node_int("cat", "Concat", "g", "h", "axis", 0);
    kit_node("tile", "Tile", "h ones", "i");
    kit_node("drop", "Dropout", "i", "j");
    kit_node("neg", "Neg", "j", "y");
    passes_gives("Relu Neg");
}
END_TEST

START_TEST(near_no_op_nodes_are_kept)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,2");
    kit_ints("flat", PW_DIMS(1), 1, (const int64_t[]){-1});
    kit_ints("pads", PW_DIMS(2), 2, (const int64_t[]){0, 1});
    kit_ints("from", PW_DIMS(1), 1, (const int64_t[]){-1});
    kit_ints("to", PW_DIMS(1), 1, (const int64_t[]){-10});
    kit_ints("axis", PW_DIMS(1), 1, (const int64_t[]){0});
    kit_ints("back", PW_DIMS(1), 1, (const int64_t[]){-1});
    kit_node_ints("turn", "Transpose", "x", "a", "perm", 2, (const int64_t[]){1, 0});
    kit_node("reshape", "Reshape", "a flat", "b");
    kit_node("pad", "Pad", "b pads", "c");
    kit_node("slice", "Slice", "c from to axis back", "y"); /* backwards */
    passes_gives("Transpose Reshape Pad Slice");
}
END_TEST

START_TEST(output_that_copies_an_input_is_still_written)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("id", "Identity", "x", "y");
    passes_gives("Identity");
}
END_TEST

START_TEST(output_that_copies_a_value_is_written_by_its_producer)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("relu", "Relu", "x", "v");
    kit_node("id", "Identity", "v", "y");
    kit_node("neg", "Neg", "v", "z");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    passes_gives("Relu Neg");
}
END_TEST

START_TEST(two_outputs_of_one_value_are_both_written)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("relu", "Relu", "x", "v");
    kit_node("one", "Identity", "v", "z");
    kit_node("two", "Identity", "v", "y");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    passes_gives("Relu Identity");
}
END_TEST

START_TEST(unused_and_duplicate_nodes_are_removed)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("lost", "Neg", "x", "l");
    kit_node("lost2", "Relu", "l", "l2");
    kit_node("a", "Abs", "x", "a");
    kit_node("b", "Abs", "x", "b");
    kit_node("c", "Sqrt", "a", "c");
    kit_node("d", "Sqrt", "b", "d");
    kit_node("sum", "Add", "c d", "y");
    passes_gives("Abs Sqrt Add");
    ck_assert_uint_eq(passes_matches("share-equal"), 2);
    ck_assert_uint_eq(passes_matches("drop-unused"), 2);
}
END_TEST

START_TEST(nodes_with_different_attributes_are_not_merged)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    for (int i = 0; i < 2; i++) {
        kit_open_node(i ? "a" : "b", "LeakyRelu", "x", i ? "a" : "b");
        passes_float_attr("alpha", i ? 0.1f : 0.2f);
        pw_close(&kit.w);
    }
    kit_node("sum", "Add", "a b", "y");
    passes_gives("LeakyRelu LeakyRelu Add");
}
END_TEST

START_TEST(random_nodes_are_not_merged)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("a", "RandomNormalLike", "x", "a");
    kit_node("b", "RandomNormalLike", "x", "b");
    kit_node("sum", "Sub", "a b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(passes_ops(), "RandomNormalLike RandomNormalLike Sub");
}
END_TEST

START_TEST(consecutive_reshapes_and_transposes_are_merged)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    kit_ints("flat", PW_DIMS(1), 1, (const int64_t[]){-1});
    kit_ints("six", PW_DIMS(2), 2, (const int64_t[]){6, -1});
    for (int i = 0; i < 2; i++) {
        kit_node_ints(i ? "t2" : "t1", "Transpose", i ? "a" : "x", i ? "b" : "a", "perm", 3,
                      (const int64_t[]){1, 2, 0});
    }
    kit_node("r1", "Reshape", "b flat", "c");
    kit_node("r2", "Reshape", "c six", "y");
    passes_gives("Transpose Reshape");
    ck_assert_uint_eq(passes_matches("merge-moves"), 2);
}
END_TEST

START_TEST(inverse_transposes_are_removed)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    kit_node("relu", "Relu", "x", "r");
    kit_node_ints("t1", "Transpose", "r", "a", "perm", 3, (const int64_t[]){1, 2, 0});
    kit_node_ints("t2", "Transpose", "a", "b", "perm", 3, (const int64_t[]){2, 0, 1});
    kit_node("neg", "Neg", "b", "y");
    passes_gives("Relu Neg");
}
END_TEST

START_TEST(reshape_that_copies_sizes_is_not_merged)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    kit_ints("six", PW_DIMS(2), 2, (const int64_t[]){6, 4});
    kit_ints("keep", PW_DIMS(3), 3, (const int64_t[]){0, 2, 2});
    kit_node("r1", "Reshape", "x six", "c");
    kit_node("r2", "Reshape", "c keep", "y");
    passes_gives("Reshape Reshape");
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, matmul_and_add_become_gemm);
    tcase_add_test(all, matmul_of_3_d_operands_is_not_fused_into_gemm);
    tcase_add_test(all, add_that_broadcasts_the_product_is_not_fused_into_gemm);
    tcase_add_test(all, matmul_and_add_of_integers_are_not_fused);
    tcase_add_test(all, decomposed_gelu_is_fused_in_three_operand_orders);
    tcase_add_test(all, lookalikes_of_gelu_are_not_fused);
    tcase_add_test(all, decomposed_layer_norm_is_fused);
    tcase_add_test(all, layer_norm_over_another_axis_is_not_fused);
    tcase_add_test(all, layer_norm_with_a_read_intermediate_keeps_its_mean);
    tcase_add_test(all, bias_is_fused_into_gelu);
    tcase_add_test(all, residual_add_is_fused_into_layer_norm);
    tcase_add_test(all, fused_skip_layer_norm_gives_a_sum_that_others_read);
    tcase_add_test(all, sum_with_two_layer_norms_is_fused_into_one);
    tcase_add_test(all, layer_norm_whose_scale_depends_on_the_sum_is_not_fused);
    tcase_add_test(all, residual_add_that_broadcasts_is_not_fused_into_layer_norm);
    tcase_add_test(all, no_op_nodes_are_removed);
    tcase_add_test(all, near_no_op_nodes_are_kept);
    tcase_add_test(all, output_that_copies_an_input_is_still_written);
    tcase_add_test(all, output_that_copies_a_value_is_written_by_its_producer);
    tcase_add_test(all, two_outputs_of_one_value_are_both_written);
    tcase_add_test(all, unused_and_duplicate_nodes_are_removed);
    tcase_add_test(all, nodes_with_different_attributes_are_not_merged);
    tcase_add_test(all, random_nodes_are_not_merged);
    tcase_add_test(all, consecutive_reshapes_and_transposes_are_merged);
    tcase_add_test(all, inverse_transposes_are_removed);
    tcase_add_test(all, reshape_that_copies_sizes_is_not_merged);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_nodes", &all, 1);
}
