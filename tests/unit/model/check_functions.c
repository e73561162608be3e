/* SPDX-License-Identifier: MIT */
/* check_functions.c - functions that a model defines are put in place of their calls. */
#include "config.h"

#include "model/function_kit.h"

/* ---- names ----------------------------------------------------------------------------------- */

START_TEST(function_calls_are_replaced_by_the_functions_nodes)
{
    bp_model_info info;

    open_model();
    call("one", "Block", "x", "m");
    call("", "Block", "m", "y");
    pw_close(&w);
    open_function("Block", "a", "b");
    inner("Relu", "a", "t");
    inner("Neg", "t", "b");
    pw_close(&w);
    build();
    ck_graph(ir, "one/Relu: Relu x > one/t; one/Neg: Neg one/t > m; "
                 "Block_1/Relu: Relu m > Block_1/t; Block_1/Neg: Neg Block_1/t > y");
    bp_onnx_info(onnx, &info);
    ck_assert_uint_eq(info.n_functions, 1);
}
END_TEST

START_TEST(inlined_names_do_not_collide_with_names_of_the_model)
{
    open_model();
    pw_node(&w, "Neg", "x", "same/t");
    call("same", "Block", "same/t", "m");
    call("same", "Block", "m", "y");
    pw_close(&w);
    open_function("Block", "x", "y"); /* no names of the model's */
    pw_open_node_in(&w, 7, "Relu", "x", "t");
    pw_text(&w, 3, "own");
    pw_close(&w);
    inner("Neg", "t", "y");
    pw_close(&w);
    build();
    ck_graph(ir, "Neg_0: Neg x > same/t; same/own: Relu same/t > same/t_1; "
                 "same/Neg: Neg same/t_1 > m; same/own_1: Relu m > same/t_2; "
                 "same/Neg_1: Neg same/t_2 > y");
}
END_TEST

START_TEST(function_calls_may_omit_inputs_and_outputs)
{
    open_model();
    call("n", "Two", "x", "- y");
    pw_close(&w);
    open_function("Two", "a low high", "p q r");
    inner("Clip", "a low high", "p");
    inner("Clip", "p - high", "q");
    inner("Relu", "q", "r");
    pw_close(&w);
    build();
    ck_graph(ir, "n/Clip: Clip x > n/p; n/Clip_1: Clip n/p > y; n/Relu: Relu y > n/r");
}
END_TEST

START_TEST(function_outputs_that_alias_other_values_are_copied)
{
    open_model();
    call("n", "Through", "x", "m k y");
    pw_close(&w);
    open_function("Through", "a", "a b b");
    inner("Relu", "a", "b");
    pw_close(&w);
    build();
    ck_graph(ir, "n/Identity: Identity x > m; n/Relu: Relu x > k; n/Identity_1: Identity k > y");
}
END_TEST

START_TEST(functions_may_call_functions)
{
    open_model();
    call("n", "Outer", "x", "y");
    pw_close(&w);
    open_function("Outer", "a", "b");
    open_call(7, "first", "Inner", "a", "t");
    pw_close(&w);
    open_call(7, "", "Inner", "t", "b");
    pw_close(&w);
    pw_close(&w);
    open_function("Inner", "a", "b");
    inner("Relu", "a", "t");
    inner("Neg", "t", "b");
    pw_close(&w);
    build();
    ck_graph(ir, "n/first/Relu: Relu x > n/first/t; n/first/Neg: Neg n/first/t > n/t; "
                 "n/Inner/Relu: Relu n/t > n/Inner/t; n/Inner/Neg: Neg n/Inner/t > y");
}
END_TEST

/* ---- attributes ------------------------------------------------------------------------------ */

/* Soft: Elu with alpha from attribute p, Selu with gamma from q, which is 3 where it is not given. */
static void write_soft(void)
{
    open_function("Soft", "a", "b");
    pw_open_node_in(&w, 7, "Elu", "a", "t");
    refer("alpha", "p");
    pw_close(&w);
    pw_open_node_in(&w, 7, "Selu", "t", "b");
    refer("gamma", "q");
    pw_close(&w);
    pw_text(&w, 6, "p");
    pw_open(&w, 11);
    pw_text(&w, 1, "q");
    pw_int(&w, 20, 1);
    pw_float(&w, 2, 3.0f);
    pw_close(&w);
    pw_close(&w);
}

START_TEST(function_attributes_come_from_call_then_function_then_operator)
{
    open_model();
    open_call(1, "given", "Soft", "x", "m");
    float_attr("p", 0.5f);
    float_attr("q", 0.25f);
    pw_close(&w);
    call("bare", "Soft", "m", "y");
    pw_close(&w);
    write_soft();
    build();
    ck_assert(float_of("given/Elu", "alpha") == 0.5f);
    ck_assert(float_of("given/Selu", "gamma") == 0.25f);
    ck_assert(float_of("bare/Elu", "alpha") == 1.0f); /* the operator's own default */
    ck_assert(float_of("bare/Selu", "gamma") == 3.0f);
}
END_TEST

START_TEST(function_attributes_are_passed_on_to_inner_calls)
{
    open_model();
    open_call(1, "n", "Outer", "x", "y");
    float_attr("z", 0.5f);
    pw_close(&w);
    pw_close(&w);
    open_function("Outer", "a", "b");
    open_call(7, "i", "Soft", "a", "b");
    refer("p", "z");
    refer("q", "none");
    pw_close(&w);
    pw_close(&w);
    write_soft();
    build();
    ck_assert(float_of("n/i/Elu", "alpha") == 0.5f);
    ck_assert(float_of("n/i/Selu", "gamma") == 3.0f);
}
END_TEST

START_TEST(function_constants_may_be_attributes)
{
    open_model();
    open_call(1, "n", "Scale", "x", "y");
    float_attr("by", 4.0f);
    pw_close(&w);
    pw_close(&w);
    open_function("Scale", "a", "b");
    pw_open_node_in(&w, 7, "Constant", "", "k");
    refer("value_float", "by");
    pw_close(&w);
    inner("Mul", "a k", "b");
    pw_close(&w);
    build();
    ck_graph(ir, "n/Mul: Mul x n/k > y");
    ck_assert(*(const float *)(const void *)value_of(ir, "n/k")->data->bytes == 4.0f);
}
END_TEST

START_TEST(function_calls_share_the_functions_tensors)
{
    open_model();
    call("a", "Bias", "x", "m");
    call("b", "Bias", "m", "y");
    pw_close(&w);
    open_function("Bias", "a", "b");
    pw_open_node_in(&w, 7, "Constant", "", "k");
    pw_open_attr(&w, "value", 4);
    pw_open_tensor(&w, 5, "", BP_DTYPE_I32, PW_DIMS(2)); /* to be converted when it is read */
    pw_bytes(&w, 5, "\x01\x02", 2);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    inner("Add", "a k", "b");
    pw_close(&w);
    build();
    ck_assert_ptr_eq(value_of(ir, "a/k")->data, value_of(ir, "b/k")->data);
    ck_assert_int_eq(value_of(ir, "a/k")->data->bytes[4], 2);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("model functions");

    tcase_add_checked_fixture(tcase, setup_model, teardown_model);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, function_calls_are_replaced_by_the_functions_nodes);
    tcase_add_test(tcase, inlined_names_do_not_collide_with_names_of_the_model);
    tcase_add_test(tcase, function_calls_may_omit_inputs_and_outputs);
    tcase_add_test(tcase, function_outputs_that_alias_other_values_are_copied);
    tcase_add_test(tcase, functions_may_call_functions);
    tcase_add_test(tcase, function_attributes_come_from_call_then_function_then_operator);
    tcase_add_test(tcase, function_attributes_are_passed_on_to_inner_calls);
    tcase_add_test(tcase, function_constants_may_be_attributes);
    tcase_add_test(tcase, function_calls_share_the_functions_tensors);
    return run_tests("model functions", tcase);
}
