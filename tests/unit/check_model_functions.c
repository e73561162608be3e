/* SPDX-License-Identifier: MIT */
/* check_model_functions.c - functions that a model defines are put in place of their calls. */
#include "config.h"

#include "base/text.h"
#include "graph/schema.h"
#include "model_fixture.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* A model x -> y, its graph open. */
static void open_model(void)
{
    w.size = 0;
    pw_open_model(&w);
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(2));
}

/* A call of function d.OP: the caller adds attributes and closes. field: 1 in a graph, 7 in a function. */
static void open_call(uint32_t field, const char *name, const char *op, const char *in,
                      const char *out)
{
    pw_open_node_in(&w, field, op, in, out);
    pw_text(&w, 3, name);
    pw_text(&w, 7, "d");
}

static void call(const char *name, const char *op, const char *in, const char *out)
{
    open_call(1, name, op, in, out);
    pw_close(&w);
}

static void open_function(const char *name, const char *in, const char *out)
{
    pw_open(&w, 25);
    pw_text(&w, 10, "d");
    pw_text(&w, 1, name);
    pw_words(&w, 4, in);
    pw_words(&w, 5, out);
}

/* A node of a function, without attributes. */
static void inner(const char *op, const char *in, const char *out)
{
    pw_open_node_in(&w, 7, op, in, out);
    pw_close(&w);
}

/* An attribute `name` that is attribute `of` of the call. */
static void refer(const char *name, const char *of)
{
    pw_open_attr(&w, name, 1);
    pw_text(&w, 21, of);
    pw_close(&w);
}

static void float_attr(const char *name, float value)
{
    pw_open_attr(&w, name, 1);
    pw_float(&w, 2, value);
    pw_close(&w);
}

/* ---- what came of it ------------------------------------------------------------------------- */

static void describe_value(struct bp_text *out, const struct bp_ir *graph, uint32_t value)
{
    bp_text_printf(out, " %s", value == BP_NONE ? "-" : graph->values[value].name);
}

/* "name: Op in in > out; ..." */
static void describe(struct bp_text *out, const struct bp_ir *graph)
{
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const struct bp_ir_node *node = &graph->nodes[i];

        bp_text_printf(out, "%s%s: %s", i ? "; " : "", node->name, node->op);
        for (uint32_t k = 0; k < node->n_in; k++)
            describe_value(out, graph, node->in[k]);
        bp_text_add(out, " >");
        for (uint32_t k = 0; k < node->n_out; k++)
            describe_value(out, graph, node->out[k]);
    }
}

static void ck_graph(const struct bp_ir *graph, const char *want)
{
    struct bp_text got = {0};

    describe(&got, graph);
    ck_assert_str_eq(got.data, want);
    bp_text_finish(&got);
}

static const struct bp_ir_node *node_of(const char *name)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        if (strcmp(ir->nodes[i].name, name) == 0)
            return &ir->nodes[i];
    }
    ck_abort_msg("no node '%s'", name);
    return NULL;
}

static float float_of(const char *node, const char *attr)
{
    const bp_attr *found = bp_ir_attr(node_of(node), attr);

    ck_assert_msg(found && found->type == BP_ATTR_FLOAT, "%s has no %s", node, attr);
    return *(const float *)found->data;
}

/* ---- names ----------------------------------------------------------------------------------- */

START_TEST(nodes_of_a_function_take_the_place_of_its_calls)
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

START_TEST(names_that_the_model_has_are_left_to_it)
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

START_TEST(inputs_may_be_absent_and_outputs_unwanted)
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

START_TEST(outputs_that_are_inputs_or_each_other_are_copied)
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

START_TEST(functions_call_functions)
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

START_TEST(attributes_come_from_the_call_or_the_function_or_the_operator)
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

START_TEST(attributes_are_handed_on_to_inner_calls)
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

START_TEST(constants_of_a_function_may_be_attributes)
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

START_TEST(calls_share_the_tensors_of_a_function)
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

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Attribute `name` with a body that has an output `out`: the caller adds nodes and calls end_body(). */
static void open_body(const char *name, const char *out)
{
    pw_open_attr(&w, name, 5);
    pw_open(&w, 6);
    pw_text(&w, 2, name);
    pw_value(&w, 12, out, BP_DTYPE_F32, PW_DIMS(2));
}

static void end_body(void)
{
    pw_close(&w);
    pw_close(&w);
}

START_TEST(calls_in_bodies_are_replaced)
{
    open_model();
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    pw_open_node(&w, "If", "c", "y");
    open_body("then_branch", "t");
    call("n", "Block", "x", "t");
    end_body();
    open_body("else_branch", "e");
    pw_node(&w, "Neg", "x", "e");
    end_body();
    pw_close(&w);
    pw_close(&w);
    open_function("Block", "a", "b");
    inner("Relu", "a", "t");
    inner("Neg", "t", "b");
    pw_close(&w);
    build();
    ck_graph(bp_ir_body(&ir->nodes[0], "then_branch"), "n/Relu: Relu x > n/t; n/Neg: Neg n/t > t");
}
END_TEST

/* The body's `a` is its own, not the function's input of that name, and `t` is of the function. */
START_TEST(bodies_of_functions_see_the_function_around_them)
{
    struct bp_ir *body;

    open_model();
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    call("n", "Choose", "c x x", "y");
    pw_close(&w);
    open_function("Choose", "c a z", "b");
    inner("Relu", "a", "t");
    pw_open_node_in(&w, 7, "If", "c", "b");
    for (int i = 0; i < 2; i++) {
        open_body(i ? "then_branch" : "else_branch", "s");
        pw_raw_tensor(&w, 5, "a", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
        pw_value(&w, 13, "s", BP_DTYPE_F32, PW_DIMS(2));
        pw_value(&w, 13, "gone", BP_DTYPE_F32, PW_DIMS(2));
        pw_node(&w, "Sum", "a t z", "s");
        end_body();
    }
    pw_close(&w);
    pw_close(&w);
    build();
    ck_graph(ir, "n/Relu: Relu x > n/t; n/If: If c > y");
    body = bp_ir_body(&ir->nodes[1], "else_branch");
    ck_graph(body, "n/Sum: Sum n/a n/t x > n/s");
    ck_assert(value_of(body, "n/a")->flags & BP_IR_CONSTANT);
    ck_assert(value_of(body, "x")->flags & BP_IR_CAPTURED);
    body = bp_ir_body(&ir->nodes[1], "then_branch");
    ck_graph(body, "n/Sum: Sum n/a_1 n/t x > n/s_2");
}
END_TEST

/* The graph that the call hands over sees the call's surroundings, wherever the function uses it. */
START_TEST(graphs_may_be_attributes_of_a_call)
{
    open_model();
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    open_call(1, "n", "Choose", "c", "y");
    open_body("g", "t");
    call("deep", "Block", "x", "t");
    end_body();
    pw_close(&w);
    pw_close(&w);
    open_function("Choose", "x", "b"); /* a name that the graph means in another way */
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
    ck_graph(bp_ir_body(&ir->nodes[0], "then_branch"), "deep/Relu: Relu x > t");
    ck_graph(bp_ir_body(&ir->nodes[0], "else_branch"), "deep/Relu: Relu x > t");
}
END_TEST

/* A default that is a graph belongs to the function: it sees the function's values. */
START_TEST(graphs_may_be_defaults_of_a_function)
{
    struct bp_ir *body;

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
    body = bp_ir_body(&ir->nodes[0], "then_branch");
    ck_graph(body, "n/Block/Relu: Relu x > n/t");
    ck_assert(value_of(body, "x")->flags & BP_IR_CAPTURED);
}
END_TEST

/* ---- versions, overloads, operators ---------------------------------------------------------- */

/* The model imports version 13, the function 6. */
START_TEST(nodes_have_the_versions_that_their_function_imports)
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

START_TEST(overloads_are_functions_of_their_own)
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
START_TEST(operators_win_over_functions_of_their_name)
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
START_TEST(operators_of_later_versions_do_not_win)
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

START_TEST(refuses_functions_that_call_themselves)
{
    write_chain(3, 1, "f1");
    refuses(BP_E_INVALID, "functions call themselves: d.f1 -> d.f2 -> d.f1");
    write_chain(1, 1, "f0");
    refuses(BP_E_INVALID, "functions call themselves: d.f0 -> d.f0");
}
END_TEST

START_TEST(refuses_functions_that_become_too_much)
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
START_TEST(refuses_graphs_that_become_too_much)
{
    char name[16], next[16];

    open_model();
    open_call(1, "n", "f0", "x", "y");
    open_body("g", "t");
    pw_node(&w, "Relu", "x", "t");
    end_body();
    pw_close(&w);
    pw_close(&w);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "f%d", i);
        snprintf(next, sizeof next, "f%d", i + 1);
        open_function(name, "a", "b");
        open_call(7, "", i < 39 ? next : "Thing", "a", "b");
        open_body("g", "t");
        pw_open_node(&w, "Thing", "", "t");
        refer("one", "g");
        refer("two", "g");
        pw_close(&w);
        end_body();
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

START_TEST(refuses_calls_that_do_not_fit)
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

START_TEST(refuses_functions_that_are_not_sound)
{
    open_model();
    call("n", "Block", "x", "y");
    pw_close(&w);
    open_function("Block", "a", "b");
    inner("Add", "a x", "b"); /* the model's x is none of its business */
    pw_close(&w);
    refuses(BP_E_INVALID, "uses 'x', which nothing in function 'd.Block' provides");

    write_misfit("x", "y");
    open_function("Block", "a", "b");
    pw_close(&w);
    refuses(BP_E_INVALID, "two functions have the name 'd.Block'");

    write_misfit("x", "y");
    open_function("Twice", "a a", "b");
    pw_close(&w);
    build(); /* as long as nobody calls it */
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
    pw_int(&w, 2, 0);
    pw_close(&w);
    pw_close(&w);
    refuses(BP_E_VERSION, "function 'd.Block:other': imports version 0 of operator set ''");
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
    tcase_add_test(tcase, nodes_of_a_function_take_the_place_of_its_calls);
    tcase_add_test(tcase, names_that_the_model_has_are_left_to_it);
    tcase_add_test(tcase, inputs_may_be_absent_and_outputs_unwanted);
    tcase_add_test(tcase, outputs_that_are_inputs_or_each_other_are_copied);
    tcase_add_test(tcase, functions_call_functions);
    tcase_add_test(tcase, attributes_come_from_the_call_or_the_function_or_the_operator);
    tcase_add_test(tcase, attributes_are_handed_on_to_inner_calls);
    tcase_add_test(tcase, constants_of_a_function_may_be_attributes);
    tcase_add_test(tcase, calls_share_the_tensors_of_a_function);
    tcase_add_test(tcase, calls_in_bodies_are_replaced);
    tcase_add_test(tcase, bodies_of_functions_see_the_function_around_them);
    tcase_add_test(tcase, graphs_may_be_attributes_of_a_call);
    tcase_add_test(tcase, graphs_may_be_defaults_of_a_function);
    tcase_add_test(tcase, nodes_have_the_versions_that_their_function_imports);
    tcase_add_test(tcase, overloads_are_functions_of_their_own);
    tcase_add_test(tcase, operators_win_over_functions_of_their_name);
    tcase_add_test(tcase, operators_of_later_versions_do_not_win);
    tcase_add_test(tcase, refuses_functions_that_call_themselves);
    tcase_add_test(tcase, refuses_functions_that_become_too_much);
    tcase_add_test(tcase, refuses_graphs_that_become_too_much);
    tcase_add_test(tcase, refuses_calls_that_do_not_fit);
    tcase_add_test(tcase, refuses_functions_that_are_not_sound);
    tcase_add_test(tcase, tensors_of_functions_are_checked);
    return run_tests("model functions", tcase);
}
