/* SPDX-License-Identifier: MIT */
/*
 * check_function_overloads.c - functions that a model defines: subgraphs, versions and overloads, and those
 * that are refused.
 */

#include "config.h"

#include "model/function_kit.h"

/* ---- subgraphs ------------------------------------------------------------------------------- */

/* Attribute `name` with a subgraph of output `out`: the caller adds nodes and calls end_subgraph(). */
static void open_subgraph(const char *name, const char *out)
{
    pw_open_attr(&w, name, 5);
    pw_open(&w, 6);
    pw_text(&w, 2, name);
    pw_value(&w, 12, out, BP_DTYPE_F32, PW_DIMS(2));
}

static void end_subgraph(void)
{
    pw_close(&w);
    pw_close(&w);
}

START_TEST(function_calls_in_subgraphs_are_inlined)
{
    open_model();
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    pw_open_node(&w, "If", "c", "y");
    open_subgraph("then_branch", "t");
    call("n", "Block", "x", "t");
    end_subgraph();
    open_subgraph("else_branch", "e");
    pw_node(&w, "Neg", "x", "e");
    end_subgraph();
    pw_close(&w);
    pw_close(&w);
    open_function("Block", "a", "b");
    inner("Relu", "a", "t");
    inner("Neg", "t", "b");
    pw_close(&w);
    build();
    ck_graph(bp_ir_subgraph(&ir->nodes[0], "then_branch"),
             "n/Relu: Relu x > n/t; n/Neg: Neg n/t > t");
}
END_TEST

/* The subgraph defines `a`, which shadows the function's input; it captures `t` of the function. */
START_TEST(subgraphs_of_functions_read_values_of_the_function)
{
    struct bp_ir *subgraph;

    open_model();
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    call("n", "Choose", "c x x", "y");
    pw_close(&w);
    open_function("Choose", "c a z", "b");
    inner("Relu", "a", "t");
    pw_open_node_in(&w, 7, "If", "c", "b");
    for (int i = 0; i < 2; i++) {
        open_subgraph(i ? "then_branch" : "else_branch", "s");
        pw_raw_tensor(&w, 5, "a", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
        pw_value(&w, 13, "s", BP_DTYPE_F32, PW_DIMS(2));
        pw_value(&w, 13, "gone", BP_DTYPE_F32, PW_DIMS(2));
        pw_node(&w, "Sum", "a t z", "s");
        end_subgraph();
    }
    pw_close(&w);
    pw_close(&w);
    build();
    ck_graph(ir, "n/Relu: Relu x > n/t; n/If: If c > y");
    subgraph = bp_ir_subgraph(&ir->nodes[1], "else_branch");
    ck_graph(subgraph, "n/Sum: Sum n/a n/t x > n/s");
    ck_assert(value_of(subgraph, "n/a")->flags & BP_IR_CONSTANT);
    ck_assert(value_of(subgraph, "x")->flags & BP_IR_CAPTURED);
    subgraph = bp_ir_subgraph(&ir->nodes[1], "then_branch");
    ck_graph(subgraph, "n/Sum: Sum n/a_1 n/t x > n/s_2");
}
END_TEST

/* The graph that the call hands over sees the call's surroundings, wherever the function uses it. */
START_TEST(function_call_takes_a_graph_attribute)
{
    open_model();
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    open_call(1, "n", "Choose", "c", "y");
    open_subgraph("g", "t");
    call("deep", "Block", "x", "t");
    end_subgraph();
    pw_close(&w);
    pw_close(&w);
    open_function("Choose", "x", "b"); /* the same name as a value that the graph captures */
    pw_open_node_in(&w, 7, "If", "x", "b");
    refer("then_branch", "g");
    refer("else_branch", "g");
    pw_close(&w);
    pw_close(&w);
    open_function("Block", "a", "b");
    inner("Relu", "a", "b");
    pw_close(&w);
    build();
    ck_graph(ir, "n/If: If c > y");
    ck_graph(bp_ir_subgraph(&ir->nodes[0], "then_branch"), "deep/Relu: Relu x > t");
    ck_graph(bp_ir_subgraph(&ir->nodes[0], "else_branch"), "deep/Relu: Relu x > t");
}
END_TEST

/* A default that is a graph belongs to the function: it sees the function's values. */
START_TEST(function_attribute_defaults_may_be_graphs)
{
    struct bp_ir *subgraph;

    open_model();
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    call("n", "Choose", "c x", "y");
    pw_close(&w);
    open_function("Choose", "c a", "b");
    pw_open_node_in(&w, 7, "If", "c", "b");
    refer("then_branch", "g");
    refer("else_branch", "g");
    pw_close(&w);
    pw_open(&w, 11);
    pw_text(&w, 1, "g");
    pw_int(&w, 20, 5);
    pw_open(&w, 6);
    pw_value(&w, 12, "t", BP_DTYPE_F32, PW_DIMS(2));
    open_call(1, "", "Block", "a", "t");
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    open_function("Block", "a", "b");
    inner("Relu", "a", "b");
    pw_close(&w);
    build();
    subgraph = bp_ir_subgraph(&ir->nodes[0], "then_branch");
    ck_graph(subgraph, "n/Block/Relu: Relu x > n/t");
    ck_assert(value_of(subgraph, "x")->flags & BP_IR_CAPTURED);
}
END_TEST

/* ---- versions, overloads, operators ---------------------------------------------------------- */

/* The model imports version 13, the function 6. */
START_TEST(function_nodes_use_the_opset_that_the_function_imports)
{
    open_model();
    pw_node(&w, "Relu", "x", "m");
    call("n", "Old", "m", "y");
    pw_close(&w);
    open_function("Old", "a", "b");
    inner("Relu", "a", "b");
    pw_open(&w, 9);
    pw_text(&w, 1, "ai.onnx");
    pw_int(&w, 2, 6);
    pw_close(&w);
    pw_close(&w);
    build();
    ck_assert_uint_eq(node_of("Relu_0")->opset, 13);
    ck_assert_uint_eq(node_of("n/Relu")->opset, 6);
    ck_assert_uint_eq(node_of("n/Relu")->schema->since, 6);
}
END_TEST

START_TEST(function_overloads_are_separate_functions)
{
    static const char *const overloads[] = {"", "wide", "Relu"};

    open_model();
    for (int i = 0; i < 3; i++) {
        open_call(1, "", "Thing", i ? "x" : "x", i == 0 ? "m" : i == 1 ? "k" : "y");
        pw_text(&w, 8, overloads[i]);
        pw_close(&w);
    }
    pw_close(&w);
    for (int i = 0; i < 3; i++) {
        open_function("Thing", "a", "b");
        pw_text(&w, 13, overloads[i]);
        inner(i == 0 ? "Relu" : i == 1 ? "Neg" : "Abs", "a", "b");
        pw_close(&w);
    }
    build();
    ck_graph(ir, "Thing_0/Relu: Relu x > m; Thing_1/Neg: Neg x > k; Thing_2/Abs: Abs x > y");
}
END_TEST

/* Relu is an operator, so the function counts only where an overload of it is called. */
START_TEST(operators_take_precedence_over_functions_of_their_name)
{
    open_model();
    pw_node(&w, "Relu", "x", "m");
    pw_open_node(&w, "Relu", "m", "y");
    pw_text(&w, 8, "mine");
    pw_close(&w);
    pw_close(&w);
    for (int i = 0; i < 2; i++) {
        pw_open(&w, 25);
        pw_text(&w, 1, "Relu");
        pw_words(&w, 4, "a");
        pw_words(&w, 5, "b");
        inner("Neg", "a", "b");
        pw_text(&w, 13, i ? "mine" : "");
        pw_close(&w);
    }
    build();
    ck_graph(ir, "Relu_0: Relu x > m; Relu_1/Neg: Neg m > y");
}
END_TEST

/* Gelu came with version 20, and the model imports 13. */
START_TEST(functions_take_precedence_over_operators_of_later_versions)
{
    open_model();
    pw_node(&w, "Gelu", "x", "y");
    pw_close(&w);
    pw_open(&w, 25);
    pw_text(&w, 1, "Gelu");
    pw_words(&w, 4, "a");
    pw_words(&w, 5, "b");
    inner("Neg", "a", "b");
    pw_close(&w);
    build();
    ck_graph(ir, "Gelu_0/Neg: Neg x > y");
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------- */

/* Functions f0 calls f1 ... up to f<n - 1>, each `times` times; the last calls `end`. */
static void write_chain(int n, int times, const char *end)
{
    char name[16], next[16];

    open_model();
    call("n", "f0", "x", "y");
    pw_close(&w);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%d", i);
        snprintf(next, sizeof next, "f%d", i + 1);
        open_function(name, "a", "b");
        for (int k = 0; k < times; k++) {
            open_call(7, "", i < n - 1 ? next : end, "a", k == 0 ? "b" : "");
            pw_close(&w);
        }
        pw_close(&w);
    }
}

START_TEST(recursive_functions_are_rejected)
{
    write_chain(3, 1, "f1");
    refuses(BP_E_INVALID, "functions call themselves: d.f1 -> d.f2 -> d.f1");
    write_chain(1, 1, "f0");
    refuses(BP_E_INVALID, "functions call themselves: d.f0 -> d.f0");
}
END_TEST

START_TEST(functions_that_expand_over_128_mib_are_rejected)
{
    write_chain(40, 2, "Thing");
    refuses(BP_E_UNSUPPORTED, "become more than 128 MiB of nodes");
    write_chain(100, 1, "Thing");
    refuses(BP_E_UNSUPPORTED, "call each other more than 64 deep");
    write_chain(60, 1, "Thing");
    build();
    ck_assert_uint_eq(ir->n_nodes, 1);
}
END_TEST

/* Each function hands a graph on that holds the one it was given twice. */
START_TEST(graph_attributes_that_expand_over_the_limit_are_rejected)
{
    char name[16], next[16];

    open_model();
    open_call(1, "n", "f0", "x", "y");
    open_subgraph("g", "t");
    pw_node(&w, "Relu", "x", "t");
    end_subgraph();
    pw_close(&w);
    pw_close(&w);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "f%d", i);
        snprintf(next, sizeof next, "f%d", i + 1);
        open_function(name, "a", "b");
        open_call(7, "", i < 39 ? next : "Thing", "a", "b");
        open_subgraph("g", "t");
        pw_open_node(&w, "Thing", "", "t");
        refer("one", "g");
        refer("two", "g");
        pw_close(&w);
        end_subgraph();
        pw_close(&w);
        pw_close(&w);
    }
    refuses(BP_E_UNSUPPORTED, "become more than 128 MiB of nodes");
}
END_TEST

static void write_misfit(const char *in, const char *out)
{
    open_model();
    call("n", "Block", in, out);
    pw_close(&w);
    open_function("Block", "a", "b");
    inner("Relu", "a", "b");
    pw_close(&w);
}

START_TEST(function_calls_with_too_many_inputs_or_outputs_are_rejected)
{
    write_misfit("x x", "y");
    refuses(BP_E_INVALID, "node 'n' (Block): has 2 inputs; function 'd.Block' has 1");
    write_misfit("x", "y z");
    refuses(BP_E_INVALID, "node 'n' (Block): has 2 outputs; function 'd.Block' has 1");
    open_model();
    call("n", "Through", "", "y");
    pw_close(&w);
    open_function("Through", "a", "a");
    pw_close(&w);
    refuses(BP_E_INVALID, "wants output 'y' of function 'd.Through', which is an input that it "
                          "does not pass");
}
END_TEST

START_TEST(invalid_functions_are_rejected)
{
    open_model();
    call("n", "Block", "x", "y");
    pw_close(&w);
    open_function("Block", "a", "b");
    inner("Add", "a x", "b"); /* a function cannot read the model's x */
    pw_close(&w);
    refuses(BP_E_INVALID, "uses 'x', which nothing in function 'd.Block' provides");

    write_misfit("x", "y");
    open_function("Block", "a", "b");
    pw_close(&w);
    refuses(BP_E_INVALID, "two functions have the name 'd.Block'");

    write_misfit("x", "y");
    open_function("Twice", "a a", "b");
    pw_close(&w);
    build(); /* an invalid function is accepted if no node calls it */
    open_model();
    call("n", "Twice", "x x", "y");
    pw_close(&w);
    open_function("Twice", "a a", "b");
    pw_close(&w);
    refuses(BP_E_INVALID, "function 'd.Twice' has two inputs 'a'");

    open_model();
    call("n", "Block", "x", "y");
    pw_close(&w);
    open_function("Block", "a", "b");
    inner("Relu", "a", "a");
    pw_close(&w);
    refuses(BP_E_INVALID, "function 'd.Block': 'a' is an input and the output of a node");

    write_misfit("x", "y");
    open_function("Block", "a", "b");
    pw_text(&w, 13, "other");
    pw_open(&w, 9);
    pw_int(&w, 2, -1);
    pw_close(&w);
    pw_close(&w);
    refuses(BP_E_VERSION, "function 'd.Block:other': imports version -1 of operator set ''");
}
END_TEST

START_TEST(tensors_of_functions_are_checked)
{
    write_misfit("x", "y");
    open_function("Bad", "a", "b");
    pw_open_node_in(&w, 7, "Constant", "", "k");
    pw_open_attr(&w, "value", 4);
    pw_raw_tensor(&w, 5, "huge", BP_DTYPE_F32, PW_DIMS(INT64_MAX, 9), "", 0);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    refuses(BP_E_INVALID, "function 'Bad': tensor 'huge'");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("model functions");

    tcase_add_checked_fixture(tcase, setup_model, teardown_model);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, function_calls_in_subgraphs_are_inlined);
    tcase_add_test(tcase, subgraphs_of_functions_read_values_of_the_function);
    tcase_add_test(tcase, function_call_takes_a_graph_attribute);
    tcase_add_test(tcase, function_attribute_defaults_may_be_graphs);
    tcase_add_test(tcase, function_nodes_use_the_opset_that_the_function_imports);
    tcase_add_test(tcase, function_overloads_are_separate_functions);
    tcase_add_test(tcase, operators_take_precedence_over_functions_of_their_name);
    tcase_add_test(tcase, functions_take_precedence_over_operators_of_later_versions);
    tcase_add_test(tcase, recursive_functions_are_rejected);
    tcase_add_test(tcase, functions_that_expand_over_128_mib_are_rejected);
    tcase_add_test(tcase, graph_attributes_that_expand_over_the_limit_are_rejected);
    tcase_add_test(tcase, function_calls_with_too_many_inputs_or_outputs_are_rejected);
    tcase_add_test(tcase, invalid_functions_are_rejected);
    tcase_add_test(tcase, tensors_of_functions_are_checked);
    return run_tests("model functions", tcase);
}
