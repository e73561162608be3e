/* SPDX-License-Identifier: MIT */
/* check_ir.c - building and sealing graphs: order, names, captures, schemas, refusals. */

#include "config.h"

#include "graph/ir.h"

#include <check.h>
#include <stdlib.h>

#include "graph/schema.h"
#include "support/check_main.h"
#include "support/fail_alloc.h"
#include "support/graphs.h"

static struct graphs g;

static void setup(void)
{
    graphs_setup(&g);
}

static void teardown(void)
{
    graphs_teardown(&g);
}

static void expect(bp_rc rc, bp_rc wanted, const char *words)
{
    ck_assert_msg(rc == wanted, "%d: %s", rc, g.words);
    ck_assert_msg(strstr(g.words, words), "%s", g.words);
}

static void refuses(const char *words)
{
    expect(graphs_seal(&g), BP_E_INVALID, words);
}

static void seals(void)
{
    ck_assert_msg(graphs_seal(&g) == BP_OK, "%s", g.words);
}

static void f32_input(const char *name)
{
    graphs_input(&g, g.main, name, BP_DTYPE_F32, "2,n");
}

static const char *node_name(uint32_t i)
{
    ck_assert_uint_lt(i, g.main->n_nodes);
    return g.main->nodes[i].name;
}

/* ---- order ----------------------------------------------------------------------------------- */

START_TEST(seal_keeps_a_topological_order)
{
    f32_input("x");
    graphs_node(&g, g.main, "c", "Relu", "x", "c");
    graphs_node(&g, g.main, "a", "Relu", "x", "a");
    graphs_node(&g, g.main, "b", "Add", "a,c", "y");
    graphs_output(&g, g.main, "y");
    seals();
    ck_assert_str_eq(node_name(0), "c");
    ck_assert_str_eq(node_name(1), "a");
    ck_assert_str_eq(node_name(2), "b");
    ck_assert_uint_eq(g.main->values[graphs_value(g.main, "y")].producer, 2);
    ck_assert_uint_eq(g.main->values[graphs_value(g.main, "x")].producer, BP_NONE);
    ck_assert_uint_eq(g.main->values[graphs_value(g.main, "x")].flags, BP_IR_INPUT);
    ck_assert_uint_eq(g.main->values[graphs_value(g.main, "y")].flags, BP_IR_OUTPUT);
}
END_TEST

START_TEST(seal_sorts_nodes_topologically)
{
    f32_input("x");
    graphs_node(&g, g.main, "last", "Add", "b,c", "y");
    graphs_node(&g, g.main, "c", "Add", "b,x", "c");
    graphs_node(&g, g.main, "b", "Add", "a,a", "b");
    graphs_node(&g, g.main, "a", "Relu", "x", "a");
    graphs_output(&g, g.main, "y");
    seals();
    ck_assert_str_eq(node_name(0), "a");
    ck_assert_str_eq(node_name(1), "b");
    ck_assert_str_eq(node_name(2), "c");
    ck_assert_str_eq(node_name(3), "last");
    ck_assert_uint_eq(g.main->values[graphs_value(g.main, "y")].producer, 3);
    ck_assert_uint_eq(g.main->values[graphs_value(g.main, "c")].producer, 2);
}
END_TEST

/* 50,000 nodes, written backwards. */
START_TEST(seal_sorts_50000_nodes_quickly)
{
    enum { N = 50000 };
    char in[16], out[16];

    f32_input("v0");
    for (int i = N; i-- > 0;) {
        snprintf(in, sizeof in, "v%d", i);
        snprintf(out, sizeof out, "v%d", i + 1);
        graphs_node(&g, g.main, "same", "Relu", in, out);
    }
    graphs_output(&g, g.main, out);
    seals();
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(g.main->values[g.main->nodes[i].in[0]].producer,
                          i == 0 ? BP_NONE : i - 1);
}
END_TEST

START_TEST(seal_names_the_nodes_of_a_cycle)
{
    f32_input("x");
    graphs_node(&g, g.main, "before", "Relu", "x", "a");
    graphs_node(&g, g.main, "one", "Add", "a,d", "b");
    graphs_node(&g, g.main, "two", "Relu", "b", "c");
    graphs_node(&g, g.main, "three", "Relu", "c", "d");
    graphs_node(&g, g.main, "after", "Relu", "d", "e");
    graphs_output(&g, g.main, "e");
    refuses("3 nodes wait for each other in a circle: 'one' (Add), 'three' (Relu), 'two' (Relu)");
}
END_TEST

START_TEST(seal_names_both_nodes_of_a_cycle_of_two)
{
    f32_input("x");
    graphs_node(&g, g.main, "one", "Add", "x,c", "b");
    graphs_node(&g, g.main, "two", "Relu", "b", "c");
    graphs_output(&g, g.main, "c");
    refuses("nodes 'one' (Add) and 'two' (Relu) read each other's output");
}
END_TEST

START_TEST(seal_names_a_node_that_reads_its_own_output)
{
    graphs_node(&g, g.main, "one", "Relu", "b", "b");
    graphs_output(&g, g.main, "b");
    refuses("node 'one' (Relu) reads its own output");
}
END_TEST

/* ---- values ---------------------------------------------------------------------------------- */

START_TEST(seal_names_the_reader_of_an_undefined_value)
{
    f32_input("x");
    graphs_node(&g, g.main, "Conv_3", "Conv", "x,w", "y");
    graphs_output(&g, g.main, "y");
    refuses("node 'Conv_3' (Conv) reads 'w', which no node, input or initializer provides");
}
END_TEST

START_TEST(seal_rejects_an_undefined_output)
{
    f32_input("x");
    graphs_output(&g, g.main, "y");
    refuses("output 'y' of graph 'main' is provided by no node");
}
END_TEST

START_TEST(ir_names_both_writers_of_a_value)
{
    f32_input("x");
    graphs_node(&g, g.main, "one", "Relu", "x", "y");
    graphs_node(&g, g.main, "two", "Identity", "x", "y");
    graphs_output(&g, g.main, "y");
    refuses("nodes 'one' (Relu) and 'two' (Identity) both write 'y'");
}
END_TEST

START_TEST(ir_rejects_a_node_that_writes_an_input)
{
    f32_input("x");
    graphs_node(&g, g.main, "one", "Relu", "x", "x");
    refuses("node 'one' (Relu) writes 'x', which is an input already");
}
END_TEST

START_TEST(ir_rejects_a_node_that_writes_an_initializer)
{
    static const float one = 1;

    f32_input("x");
    graphs_constant(&g, g.main, "c", BP_DTYPE_F32, &one, 0);
    graphs_node(&g, g.main, "one", "Relu", "x", "c");
    refuses("node 'one' (Relu) writes 'c', which is an initializer already");
}
END_TEST

START_TEST(ir_defines_each_name_once)
{
    uint32_t value;

    f32_input("x");
    graphs_node(&g, g.main, "one", "Relu", "x", "y");
    expect(bp_ir_define(g.main, "x", &value, &g.err), BP_E_INVALID,
           "value 'x' is defined twice: it is an input already");
    expect(bp_ir_define(g.main, "y", &value, &g.err), BP_E_INVALID,
           "value 'y' is defined twice: it is output of node 'one' (Relu) already");
    expect(bp_ir_define(g.main, "", &value, &g.err), BP_E_INVALID, "has no name");
    expect(bp_ir_resolve(g.main, "z", &value, &g.err), BP_E_INVALID,
           "no node, input or initializer provides 'z'");
    ck_assert_int_eq(bp_ir_resolve(g.main, "y", &value, &g.err), BP_OK);
    ck_assert_uint_eq(value, graphs_value(g.main, "y"));
}
END_TEST

/* ---- nodes ----------------------------------------------------------------------------------- */

START_TEST(ir_gives_each_node_a_unique_name)
{
    f32_input("x");
    graphs_node(&g, g.main, "Relu_1", "Relu", "x", "a");
    graphs_node(&g, g.main, "", "Relu", "x", "b");
    graphs_node(&g, g.main, "", "Relu", "x", "c");
    graphs_node(&g, g.main, "Relu_1", "Relu", "x", "d");
    graphs_node(&g, g.main, "Relu_1", "Relu", "x", "e");
    seals();
    ck_assert_str_eq(node_name(0), "Relu_1");
    ck_assert_str_eq(node_name(1), "Relu_2"); /* its index gives Relu_1, which is taken */
    ck_assert_str_eq(node_name(2), "Relu_3");
    ck_assert_str_eq(node_name(3), "Relu_1_1");
    ck_assert_str_eq(node_name(4), "Relu_1_2");
}
END_TEST

START_TEST(ir_fills_in_default_attributes)
{
    static const int64_t group = 2;
    uint32_t node;

    f32_input("x");
    f32_input("w");
    node = graphs_node(&g, g.main, "conv", "Conv", "x,w", "y");
    graphs_attr(&g, g.main, node, "group", BP_ATTR_INT, 0, 1, &group);
    graphs_node(&g, g.main, "flat", "Flatten", "y", "z");
    graphs_node(&g, g.main, "leaky", "LeakyRelu", "y", "v");
    seals();
    ck_assert_int_eq(bp_ir_attr_int(&g.main->nodes[0], "group", 1), 2);
    ck_assert(bp_ir_attr_is(&g.main->nodes[0], "auto_pad", "none", "NOTSET"));
    ck_assert_int_eq(bp_ir_attr_int(&g.main->nodes[1], "axis", 7), 1);
    ck_assert(*(const float *)bp_ir_attr(&g.main->nodes[2], "alpha")->data == 0.01f);
    ck_assert_ptr_nonnull(g.main->nodes[0].schema);
    ck_assert_uint_eq(g.main->nodes[0].opset, 13);
}
END_TEST

START_TEST(ir_reads_attributes_of_every_type)
{
    static const int64_t pads[] = {1, 2}, axis = -1;
    static const bp_span mode = {"linear", 6};
    const struct bp_ir_node *node;
    uint32_t count, i;

    f32_input("x");
    i = graphs_node(&g, g.main, "n", "Relu", "x", "y");
    graphs_attr(&g, g.main, i, "pads", BP_ATTR_INT, BP_ATTR_LIST, 2, pads);
    graphs_attr(&g, g.main, i, "axis", BP_ATTR_INT, 0, 1, &axis);
    graphs_attr(&g, g.main, i, "mode", BP_ATTR_STRING, 0, 1, &mode);
    node = &g.main->nodes[i];
    ck_assert_ptr_eq(bp_ir_attr_ints(node, "pads", &count), pads);
    ck_assert_uint_eq(count, 2);
    ck_assert_ptr_null(bp_ir_attr_ints(node, "mode", &count));
    ck_assert_ptr_null(bp_ir_attr_ints(node, "none", &count));
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(bp_ir_attr_int(node, "axis", 3), -1);
    ck_assert_int_eq(bp_ir_attr_int(node, "mode", 3), 3);
    ck_assert(bp_ir_attr_is(node, "mode", "", "linear"));
    ck_assert(!bp_ir_attr_is(node, "mode", "", "lin"));
    ck_assert(bp_ir_attr_is(node, "other", "cubic", "cubic"));
    ck_assert_ptr_null(bp_ir_subgraph(node, "axis"));
}
END_TEST

/* One node, and what is wrong with it. */
static const struct {
    const char *op, *in, *out;
    const char *attr;
    uint32_t type, flags;
    const char *words;
} bad_nodes[] = {
    {"Add", "x", "y", NULL, 0, 0, "node 'n' (Add) has 1 input; the operator has 2 inputs"},
    {"Conv", "x", "y", NULL, 0, 0, "has 1 input; the operator has 2 to 3 inputs"},
    {"Conv", "x,x,x,x", "y", NULL, 0, 0, "has 4 inputs; the operator has 2 to 3 inputs"},
    {"Conv", "x,,x", "y", NULL, 0, 0, "input 1 (W) is required, the model leaves it empty"},
    {"Relu", "x", "y,z", NULL, 0, 0, "has 2 outputs; the operator has 1 output"},
    {"Relu", "x", "", NULL, 0, 0, "has 0 outputs; the operator has 1 output"},
    {"Concat", "x", "y", NULL, 0, 0, "attribute 'axis' (an integer) is missing"},
    {"Concat", "x", "y", "axis", BP_ATTR_INT, BP_ATTR_LIST,
     "attribute 'axis' is a list of integers, must be an integer"},
    {"Concat", "x", "y", "axis", BP_ATTR_FLOAT, 0,
     "attribute 'axis' is a float, must be an integer"},
    {"Conv", "x,x", "y", "stride", BP_ATTR_INT, BP_ATTR_LIST,
     "has no attribute 'stride'; is 'strides' meant?"},
    {"Conv", "x,x", "y", "colour", BP_ATTR_INT, 0, "has no attribute 'colour'"},
};

START_TEST(ir_checks_nodes_against_their_schema)
{
    static const int64_t number = 1;
    uint32_t node;

    f32_input("x");
    node = graphs_node(&g, g.main, "n", bad_nodes[_i].op, bad_nodes[_i].in, bad_nodes[_i].out);
    if (bad_nodes[_i].attr)
        graphs_attr(&g, g.main, node, bad_nodes[_i].attr, bad_nodes[_i].type, bad_nodes[_i].flags,
                    1, &number);
    refuses(bad_nodes[_i].words);
}
END_TEST

START_TEST(ir_rejects_an_attribute_given_twice)
{
    static const int64_t axis = 1;
    uint32_t node;

    f32_input("x");
    node = graphs_node(&g, g.main, "n", "Concat", "x", "y");
    graphs_attr(&g, g.main, node, "axis", BP_ATTR_INT, 0, 1, &axis);
    graphs_attr(&g, g.main, node, "axis", BP_ATTR_INT, 0, 1, &axis);
    refuses("attribute 'axis' is given twice");
}
END_TEST

START_TEST(ir_drops_trailing_absent_inputs)
{
    f32_input("x");
    graphs_node(&g, g.main, "n", "Conv", "x,x,,,", "y");
    seals();
    ck_assert_uint_eq(g.main->nodes[0].n_in, 2);
}
END_TEST

START_TEST(ir_accepts_unknown_operators)
{
    static const int64_t number = 1;
    uint32_t node;

    f32_input("x");
    node = graphs_node(&g, g.main, "n", "NoSuchOperator", "x", "y");
    graphs_attr(&g, g.main, node, "whatever", BP_ATTR_INT, 0, 1, &number);
    ck_assert_int_eq(bp_ir_add_node(g.main, "m", "Relu", "com.example", 0, 0, &node, &g.err),
                     BP_OK);
    ck_assert_int_eq(bp_ir_add_node(g.main, "o", "NoInputs", "ai.onnx", 0, 0, &node, &g.err),
                     BP_OK);
    seals();
    ck_assert_ptr_null(g.main->nodes[0].schema);
    ck_assert_ptr_null(g.main->nodes[1].schema);
    ck_assert_uint_eq(g.main->nodes[1].opset, 0);
    ck_assert_str_eq(g.main->nodes[2].domain, ""); /* two spellings of one domain */
    ck_assert_uint_eq(g.main->nodes[2].opset, 13);
}
END_TEST

/* ---- subgraphs ----------------------------------------------------------------------------- */

/* An If whose then-branch has an If whose then-branch adds outer values "a" and "w". */
static void build_nested(struct bp_ir **middle, struct bp_ir **inner)
{
    static const float w[2] = {1, 2};
    struct bp_ir *other;
    uint32_t node, outer_if;

    graphs_input(&g, g.main, "cond", BP_DTYPE_BOOL, "");
    f32_input("x");
    graphs_constant(&g, g.main, "w", BP_DTYPE_F32, w, 2);
    outer_if = graphs_node(&g, g.main, "if", "If", "cond", "y"); /* before what it captures */
    graphs_node(&g, g.main, "relu", "Relu", "x", "a");
    *middle = graphs_subgraph(&g, g.main, "then");
    graphs_add_subgraph(&g, g.main, outer_if, "then_branch", *middle);
    node = graphs_node(&g, *middle, "if2", "If", "cond", "p");
    *inner = graphs_subgraph(&g, *middle, "then2");
    graphs_add_subgraph(&g, *middle, node, "then_branch", *inner);
    graphs_node(&g, *inner, "add", "Add", "a,w", "s");
    graphs_node(&g, *inner, "add2", "Add", "s,a", "q");
    graphs_output(&g, *inner, "q");
    other = graphs_subgraph(&g, *middle, "else2");
    graphs_add_subgraph(&g, *middle, node, "else_branch", other);
    graphs_node(&g, other, "id", "Identity", "a", "q");
    graphs_output(&g, other, "q");
    graphs_output(&g, *middle, "p");
    other = graphs_subgraph(&g, g.main, "else");
    graphs_add_subgraph(&g, g.main, outer_if, "else_branch", other);
    graphs_node(&g, other, "id", "Identity", "x", "q");
    graphs_output(&g, other, "q");
    graphs_output(&g, g.main, "y");
}

START_TEST(subgraph_captures_values_two_levels_up)
{
    struct bp_ir *middle, *inner;
    const struct bp_ir_node *node;
    const struct bp_ir_value *value;

    build_nested(&middle, &inner);
    seals();
    ck_assert_str_eq(node_name(0), "relu"); /* the If waits for what its subgraphs read */
    node = &g.main->nodes[1];
    ck_assert_ptr_eq(bp_ir_subgraph(node, "then_branch"), middle);
    ck_assert_uint_eq(node->n_implicit, 4); /* cond, a, w, x; each once */
    ck_assert_uint_eq(middle->nodes[0].n_implicit, 2);
    value = &inner->values[graphs_value(inner, "a")];
    ck_assert_uint_eq(value->flags, BP_IR_CAPTURED);
    ck_assert_uint_eq(value->outer, graphs_value(middle, "a"));
    value = &middle->values[value->outer];
    ck_assert_uint_eq(value->flags, BP_IR_CAPTURED);
    ck_assert_uint_eq(value->outer, graphs_value(g.main, "a"));
    value = &inner->values[graphs_value(inner, "w")];
    ck_assert_uint_eq(value->flags, BP_IR_CAPTURED | BP_IR_CONSTANT);
    ck_assert_ptr_eq(value->data, g.main->values[graphs_value(g.main, "w")].data);
    ck_assert_uint_eq(inner->depth, 2);
}
END_TEST

START_TEST(error_names_the_subgraph_of_a_node)
{
    struct bp_ir *middle, *inner;

    build_nested(&middle, &inner);
    inner->nodes[0].n_in = 1;
    refuses("node 'if' (If), graph 'then': node 'if2' (If), graph 'then2': node 'add' (Add) has 1 "
            "input");
}
END_TEST

START_TEST(subgraph_must_not_write_a_captured_value)
{
    struct bp_ir *middle, *inner;

    build_nested(&middle, &inner);
    inner->nodes[0].out[0] = graphs_value(inner, "w");
    refuses("which is a value of the graph around it already");
}
END_TEST

START_TEST(seal_finds_cycles_through_subgraphs)
{
    struct bp_ir *middle, *inner;

    build_nested(&middle, &inner);
    for (uint32_t i = 0; i < g.main->n_nodes; i++) {
        if (strcmp(node_name(i), "relu") == 0)
            g.main->nodes[i].in[0] = graphs_value(g.main, "y");
    }
    refuses("nodes 'if' (If) and 'relu' (Relu) read each other's output");
}
END_TEST

START_TEST(seal_names_the_node_whose_subgraph_reads_an_undefined_value)
{
    struct bp_ir *middle, *inner;

    build_nested(&middle, &inner);
    for (uint32_t i = 0; i < g.main->n_nodes; i++) {
        if (strcmp(node_name(i), "relu") == 0)
            g.main->nodes[i].out[0] = graphs_value(g.main, "y");
        else
            g.main->nodes[i].out[0] = BP_NONE;
    }
    refuses("node 'if' (If) reads 'a' in a subgraph, which no node, input or initializer provides");
}
END_TEST

START_TEST(ir_rejects_subgraphs_nested_over_31_deep)
{
    struct bp_ir *ir = g.main, *subgraph;
    bp_rc rc = BP_OK;
    int depth = 0;

    while (rc == BP_OK) {
        rc = bp_ir_create(&g.region, &g.symbols, ir, "loop", &subgraph, &g.err);
        ir = subgraph;
        depth++;
    }
    expect(rc, BP_E_INVALID, "graph 'loop' has subgraphs nested more than 31 deep");
    ck_assert_ptr_null(subgraph);
    ck_assert_int_eq(depth, BP_MAX_SUBGRAPH_DEPTH + 1);
}
END_TEST

/* ---- data and memory ------------------------------------------------------------------------- */

static bp_rc load_four(struct bp_ir_data *data, bp_err *err)
{
    static const uint8_t bytes[4] = {1, 2, 3, 4};

    (void)err;
    data->bytes = bytes;
    return BP_OK;
}

START_TEST(constant_data_is_loaded_on_first_use)
{
    struct bp_ir_data data = {.size = 4, .load = load_four}, none = {.size = 4}, empty = {0};

    ck_assert_int_eq(bp_ir_data_load(&data, &g.err), BP_OK);
    ck_assert_uint_eq(data.bytes[3], 4);
    ck_assert_int_eq(bp_ir_data_load(&empty, &g.err), BP_OK);
    ck_assert_int_eq(bp_ir_data_load(&none, &g.err), BP_E_INTERNAL);
}
END_TEST

/* Builds and seals without the helpers of graphs.c, which take no failure. */
static bp_rc build_and_seal(struct bp_region *region, struct bp_symbols *symbols, struct bp_ir **ir)
{
    uint32_t outputs[70], value, node;
    bp_rc rc = bp_ir_create(region, symbols, NULL, "main", ir, &g.err);

    for (int i = 0; rc == BP_OK && i < 70; i++) {
        char name[16];

        snprintf(name, sizeof name, "v%d", i);
        rc = bp_ir_define(*ir, name, &outputs[i], &g.err);
    }
    if (rc == BP_OK)
        (*ir)->values[outputs[69]].flags = BP_IR_INPUT;
    for (uint32_t i = 0; rc == BP_OK && i < 69; i++) { /* v0 = LeakyRelu(v1), v1 = ... */
        rc = bp_ir_add_node(*ir, "same", "LeakyRelu", "", 1, 1, &node, &g.err);
        if (rc < 0)
            break;
        (*ir)->nodes[node].in[0] = outputs[i + 1];
        (*ir)->nodes[node].out[0] = outputs[i];
    }
    if (rc == BP_OK)
        rc = bp_ir_resolve(*ir, "v1", &value, &g.err);
    return rc;
}

static uint32_t opset(void *h, const char *domain)
{
    (void)h;
    (void)domain;
    return 13;
}

START_TEST(ir_survives_every_failing_allocation)
{
    bool failed = true;

    for (unsigned n = 1; failed; n++) {
        struct bp_region region = {0};
        struct bp_symbols symbols = {0};
        struct bp_ir *ir;
        bp_rc rc;

        fail_alloc_at(n);
        rc = build_and_seal(&region, &symbols, &ir);
        if (rc == BP_OK)
            rc = bp_ir_seal(ir, opset, NULL, &g.err);
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
        bp_ir_finish(ir);
        bp_symbols_finish(&symbols);
        bp_region_finish(&region);
        ck_assert_uint_lt(n, 1000);
    }
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])

int main(void)
{
    TCase *tcase = tcase_create("ir");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60); /* under valgrind */
    tcase_add_test(tcase, seal_keeps_a_topological_order);
    tcase_add_test(tcase, seal_sorts_nodes_topologically);
    tcase_add_test(tcase, seal_sorts_50000_nodes_quickly);
    tcase_add_test(tcase, seal_names_the_nodes_of_a_cycle);
    tcase_add_test(tcase, seal_names_both_nodes_of_a_cycle_of_two);
    tcase_add_test(tcase, seal_names_a_node_that_reads_its_own_output);
    tcase_add_test(tcase, seal_names_the_reader_of_an_undefined_value);
    tcase_add_test(tcase, seal_rejects_an_undefined_output);
    tcase_add_test(tcase, ir_names_both_writers_of_a_value);
    tcase_add_test(tcase, ir_rejects_a_node_that_writes_an_input);
    tcase_add_test(tcase, ir_rejects_a_node_that_writes_an_initializer);
    tcase_add_test(tcase, ir_defines_each_name_once);
    tcase_add_test(tcase, ir_gives_each_node_a_unique_name);
    tcase_add_test(tcase, ir_fills_in_default_attributes);
    tcase_add_test(tcase, ir_reads_attributes_of_every_type);
    tcase_add_loop_test(tcase, ir_checks_nodes_against_their_schema, 0, COUNT(bad_nodes));
    tcase_add_test(tcase, ir_rejects_an_attribute_given_twice);
    tcase_add_test(tcase, ir_drops_trailing_absent_inputs);
    tcase_add_test(tcase, ir_accepts_unknown_operators);
    tcase_add_test(tcase, subgraph_captures_values_two_levels_up);
    tcase_add_test(tcase, error_names_the_subgraph_of_a_node);
    tcase_add_test(tcase, subgraph_must_not_write_a_captured_value);
    tcase_add_test(tcase, seal_finds_cycles_through_subgraphs);
    tcase_add_test(tcase, seal_names_the_node_whose_subgraph_reads_an_undefined_value);
    tcase_add_test(tcase, ir_rejects_subgraphs_nested_over_31_deep);
    tcase_add_test(tcase, constant_data_is_loaded_on_first_use);
    tcase_add_test(tcase, ir_survives_every_failing_allocation);
    return check_main("ir", &tcase, 1);
}
