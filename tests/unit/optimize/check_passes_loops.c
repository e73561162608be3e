/* SPDX-License-Identifier: MIT */
/* check_passes_loops.c - states of Loop that no iteration changes, and how carried values move. */

#include "config.h"

#include "optimize/passes_kit.h"

/* A loop over x[2,3] of `trips` iterations; its subgraph is left open. */
static void open_loop(int64_t trips, const char *in, const char *out)
{
    kit_start_model_at(16);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    passes_floats("w", PW_DIMS(3, 3), 7);
    kit_ints("trips", PW_SCALAR, 1, &trips);
    kit_open_node("loop", "Loop", in, out);
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "h", BP_DTYPE_F32, NULL);
}

static void close_loop(void)
{
    kit_close_subgraph();
    pw_close(&kit.w);
}

static void subgraph_output(const char *name)
{
    kit_io(KIT_OUTPUT, name, BP_DTYPE_F32, NULL);
}

static uint32_t matches(void)
{
    return passes_matches("capture-invariants");
}

/* h = tanh(h * w1), where the loop hands w1 on by two Identity nodes. */
static void weights_in_a_state(int64_t trips)
{
    open_loop(trips, "trips - x w", "hn wn");
    kit_io(KIT_INPUT, "w1", BP_DTYPE_F32, NULL);
    kit_node("product", "MatMul", "h w1", "p");
    kit_node("tanh", "Tanh", "p", "h2");
    kit_node("same1", "Identity", "w1", "w2");
    kit_node("same2", "Identity", "w2", "w3");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    subgraph_output("h2");
    subgraph_output("w3");
    close_loop();
}

START_TEST(loop_invariant_state_becomes_a_captured_value)
{
    weights_in_a_state(_i);
    kit_node("end", "Neg", "hn", "y");
    passes_gives("Loop Neg MatMul Tanh");
    ck_assert_uint_eq(matches(), 1);
}
END_TEST

START_TEST(final_value_of_an_invariant_state_is_its_initial_value)
{
    weights_in_a_state(2);
    kit_node("end", "MatMul", "hn wn", "y");
    passes_gives("Loop MatMul MatMul Tanh");
    ck_assert_uint_eq(matches(), 1);
}
END_TEST

START_TEST(invariant_state_that_is_a_model_output_is_not_copied)
{
    weights_in_a_state(3);
    subgraph_output("hn");
    subgraph_output("wn");
    passes_same();
    ck_assert_uint_eq(matches(), 1);
    ck_assert_str_eq(passes_ops(), "Loop MatMul Tanh");
}
END_TEST

START_TEST(swapped_states_are_not_captured)
{
    open_loop(3, "trips - x z", "hn zn");
    kit_io(KIT_INPUT, "z1", BP_DTYPE_F32, NULL);
    kit_node("add", "Add", "h z1", "h2");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    subgraph_output("z1");
    subgraph_output("h2");
    close_loop();
    passes_floats("z", PW_DIMS(2, 3), 9);
    kit_node("end", "Sub", "hn zn", "y");
    passes_gives("Loop Sub Add");
    ck_assert_uint_eq(matches(), 0);
}
END_TEST

/* Both states become what one node makes; the next iteration may not write over what it reads. */
START_TEST(one_value_may_feed_two_states)
{
    open_loop(5, "trips - x z", "hn zn all");
    kit_io(KIT_INPUT, "z1", BP_DTYPE_F32, NULL);
    kit_node("sub", "Sub", "h z1", "d");
    kit_node("add", "Add", "d x", "h2");
    kit_node("scanned", "Identity", "z1", "s");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    subgraph_output("h2");
    subgraph_output("h2");
    subgraph_output("s");
    close_loop();
    passes_floats("z", PW_DIMS(2, 3), 9);
    subgraph_output("hn");
    subgraph_output("zn");
    subgraph_output("all");
    passes_same();
    ck_assert_uint_eq(matches(), 0);
}
END_TEST

/* A branch inside the loop captures the state by name, which the saved model must keep. */
static void branches_read_the_state(void)
{
    open_loop(3, "trips - x w", "hn wn");
    kit_io(KIT_INPUT, "w1", BP_DTYPE_F32, NULL);
    kit_node_int("bool", "Cast", "i", "b", "to", BP_DTYPE_BOOL);
    kit_open_node("if", "If", "b", "p");
    kit_open_subgraph("then_branch");
    kit_node("product", "MatMul", "h w1", "t");
    subgraph_output("t");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("tanh", "Tanh", "h", "e");
    subgraph_output("e");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    subgraph_output("p");
    subgraph_output("w1");
    close_loop();
}

START_TEST(nested_subgraphs_read_the_captured_value)
{
    branches_read_the_state();
    kit_node("end", "Neg", "hn", "y");
    passes_gives("Loop Neg Cast If MatMul Tanh");
    ck_assert_uint_eq(matches(), 1);
}
END_TEST

/* The subgraph defines that name already, so that a saved model could not tell the two apart. */
START_TEST(state_is_not_captured_under_a_name_that_the_subgraph_defines)
{
    open_loop(3, "trips - x w", "hn wn");
    kit_io(KIT_INPUT, "w1", BP_DTYPE_F32, NULL);
    kit_node("first", "MatMul", "h w1", "p");
    kit_node("second", "MatMul", "p w", "h2");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    subgraph_output("h2");
    subgraph_output("w1");
    close_loop();
    kit_node("end", "Neg", "hn", "y");
    passes_gives("Loop Neg MatMul MatMul");
    ck_assert_uint_eq(matches(), 0);
}
END_TEST

/* The inner loop passes on the weights of the outer one. */
START_TEST(nested_loops_capture_invariant_states)
{
    open_loop(2, "trips - x w", "hn wn");
    kit_io(KIT_INPUT, "w1", BP_DTYPE_F32, NULL);
    kit_open_node("inner", "Loop", "trips - h w1", "h3 w4");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "k", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "d", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "h1", BP_DTYPE_F32, NULL);
    kit_io(KIT_INPUT, "w2", BP_DTYPE_F32, NULL);
    kit_node("product", "MatMul", "h1 w2", "p");
    kit_node("tanh", "Tanh", "p", "h2");
    kit_io(KIT_OUTPUT, "d", BP_DTYPE_BOOL, "");
    subgraph_output("h2");
    subgraph_output("w2");
    close_loop();
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    subgraph_output("h3");
    subgraph_output("w1");
    close_loop();
    kit_node("end", "Neg", "hn", "y");
    passes_gives("Loop Neg Loop MatMul Tanh");
    ck_assert_uint_eq(matches(), 2);
}
END_TEST

/* A growing state has another size in each iteration, more sizes than plans are kept. */
START_TEST(loop_with_a_growing_state_computes_the_same)
{
    open_loop(20, "trips - x x", "hn gn");
    kit_io(KIT_INPUT, "g", BP_DTYPE_F32, NULL);
    kit_node("add", "Add", "h x", "h2");
    kit_node_int("join", "Concat", "g h2", "g2", "axis", 0);
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    subgraph_output("h2");
    subgraph_output("g2");
    close_loop();
    subgraph_output("hn");
    subgraph_output("gn");
    passes_same();
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, loop_invariant_state_becomes_a_captured_value, 0, 4);
    tcase_add_test(all, final_value_of_an_invariant_state_is_its_initial_value);
    tcase_add_test(all, invariant_state_that_is_a_model_output_is_not_copied);
    tcase_add_test(all, swapped_states_are_not_captured);
    tcase_add_test(all, one_value_may_feed_two_states);
    tcase_add_test(all, nested_subgraphs_read_the_captured_value);
    tcase_add_test(all, state_is_not_captured_under_a_name_that_the_subgraph_defines);
    tcase_add_test(all, nested_loops_capture_invariant_states);
    tcase_add_test(all, loop_with_a_growing_state_computes_the_same);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_loops", &all, 1);
}
