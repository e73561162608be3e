/* SPDX-License-Identifier: MIT */
/* check_infer.c - the walk over a graph: types, declared shapes, contents, subgraphs, helpers. */

#include "config.h"

#include "graph/infer.h"

#include <check.h>
#include <stdlib.h>

#include "graph/mismatch.h"
#include "graph/schema_table.h"
#include "support/fail_alloc.h"
#include "support/graphs.h"

static struct graphs g;
static struct bp_fact *facts;

static void setup(void)
{
    graphs_setup(&g);
    facts = NULL;
}

static void teardown(void)
{
    graphs_teardown(&g);
}

static bp_rc infer_main(void)
{
    bp_rc rc = bp_infer_start(g.main, NULL, &g.symbols, &g.region, &facts, &g.err);

    if (rc == BP_OK)
        rc = bp_infer_run(g.main, NULL, 0, facts, &g.symbols, &g.region, &g.err);
    return rc;
}

static void infers(void)
{
    ck_assert_msg(graphs_seal(&g) == BP_OK, "%s", g.words);
    ck_assert_msg(infer_main() == BP_OK, "%s", g.words);
}

static void refuses(bp_rc wanted, const char *words)
{
    bp_rc rc;

    ck_assert_msg(graphs_seal(&g) == BP_OK, "%s", g.words);
    rc = infer_main();
    ck_assert_msg(rc == wanted && strstr(g.words, words), "%d: %s", rc, g.words);
}

static const struct bp_fact *fact(const char *name)
{
    return &facts[graphs_value(g.main, name)];
}

static void is(const char *name, const char *words)
{
    char text[128];

    bp_fact_text(fact(name), &g.symbols, text, sizeof text);
    ck_assert_str_eq(text, words);
}

static void node(const char *op, const char *in, const char *out)
{
    graphs_node(&g, g.main, "n", op, in, out);
}

static void input(const char *name, uint32_t dtype, const char *shape)
{
    graphs_input(&g, g.main, name, dtype, shape);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

START_TEST(inference_propagates_symbols_through_the_graph)
{
    input("x", BP_DTYPE_F32, "batch,3,?");
    input("y", BP_DTYPE_F32, "1,3,1");
    node("Relu", "x", "a");
    node("Add", "y,a", "b");
    graphs_output(&g, g.main, "b");
    infers();
    is("b", "float32[batch,3,?]");
    ck_assert(bp_sym_equal(fact("b")->dims[2], fact("x")->dims[2]));
    ck_assert(!bp_fact_needs_data(fact("b"), &g.symbols));
    ck_assert(!bp_fact_is_exact(fact("b")));
    ck_assert(bp_fact_is_exact(fact("y")));
}
END_TEST

START_TEST(inference_computes_shapes_from_shape_values)
{
    input("x", BP_DTYPE_F32, "batch,3,4");
    input("data", BP_DTYPE_F32, "...");
    node("Shape", "x", "s");
    node("Reshape", "data,s", "y");
    graphs_output(&g, g.main, "y");
    infers();
    is("s", "int64[3]");
    is("y", "float32[batch,3,4]");
    ck_assert_ptr_nonnull(fact("s")->content);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert(!bp_symbols_from_data(&g.symbols, fact("s")->content[i]));
}
END_TEST

START_TEST(inference_marks_sizes_that_depend_on_data)
{
    input("x", BP_DTYPE_F32, "4,n");
    input("shape", BP_DTYPE_I64, "2");
    node("Reshape", "x,shape", "y");
    node("Shape", "y", "s");
    node("Reshape", "x,s", "z");
    infers();
    is("y", "float32[?,?]");
    ck_assert(bp_fact_needs_data(fact("y"), &g.symbols));
    ck_assert(bp_fact_needs_data(fact("z"), &g.symbols));
    ck_assert(!bp_fact_needs_data(fact("s"), &g.symbols));
    ck_assert_ptr_null(fact("shape")->content);
    ck_assert(bp_symbols_from_data(&g.symbols, fact("s")->content[0]));
}
END_TEST

START_TEST(inference_runs_the_requested_nodes_only)
{
    static const uint32_t second[] = {1};
    struct bp_sym dims[1] = {bp_sym_of(5)};

    input("x", BP_DTYPE_F32, "n");
    node("Relu", "x", "a");
    node("Relu", "a", "b");
    ck_assert_int_eq(graphs_seal(&g), BP_OK);
    ck_assert_int_eq(bp_infer_start(g.main, NULL, &g.symbols, &g.region, &facts, &g.err), BP_OK);
    facts[graphs_value(g.main, "a")].dtype = BP_DTYPE_F32;
    facts[graphs_value(g.main, "a")].rank = 1;
    facts[graphs_value(g.main, "a")].dims = dims;
    ck_assert_int_eq(bp_infer_run(g.main, second, 1, facts, &g.symbols, &g.region, &g.err), BP_OK);
    is("a", "float32[5]");
    is("b", "float32[5]");
}
END_TEST

/* ---- types ----------------------------------------------------------------------------------- */

START_TEST(inference_names_two_inputs_of_different_types)
{
    input("x", BP_DTYPE_F32, "1,1,4,4");
    input("w", BP_DTYPE_F64, "1,1,1,1");
    graphs_node(&g, g.main, "conv1", "Conv", "x,w", "y");
    refuses(BP_E_INVALID, "node 'conv1' (Conv): input W has type float64, X has float32; both must "
                          "be the same");
}
END_TEST

START_TEST(inference_names_an_input_of_an_unsupported_type)
{
    input("x", BP_DTYPE_STRING, "2");
    node("LeakyRelu", "x", "y");
    refuses(BP_E_INVALID, "node 'n' (LeakyRelu): input X has type string");
}
END_TEST

START_TEST(inference_names_a_variadic_input_of_another_type)
{
    static const int64_t axis = 0;

    input("a", BP_DTYPE_F32, "2");
    input("b", BP_DTYPE_F32, "2");
    input("c", BP_DTYPE_I64, "2");
    graphs_attr(&g, g.main, graphs_node(&g, g.main, "n", "Concat", "a,b,c", "y"), "axis",
                BP_ATTR_INT, 0, 1, &axis);
    refuses(BP_E_INVALID, "input inputs[2] has type int64, inputs[0] has float32");
}
END_TEST

/* ---- what the model declares ----------------------------------------------------------------- */

static const struct {
    const char *in, *declared, *result;
} merges[] = {
    {"n,3", "n,3", "float32[n,3]"},
    {"n,3", "batch,3", "float32[n,3]"}, /* the input's name is the better one */
    {"n,3", "7,3", "float32[n,3]"},     /* a declared size that no rule checks is not trusted */
    {"?,3", "batch,3", "float32[batch,3]"},
    {"?,3", "?,?", "float32[?,3]"},
    {"2,3", "a,b", "float32[2,3]"},
    {"2,3", "...", "float32[2,3]"},
};

START_TEST(inference_completes_shapes_from_declarations)
{
    input("x", BP_DTYPE_F32, merges[_i].in);
    node("Relu", "x", "y");
    graphs_declare(&g, g.main, "y", BP_DTYPE_F32, merges[_i].declared);
    infers();
    is("y", merges[_i].result);
}
END_TEST

/* The inferred shape wins; the mismatch is recorded if asked for, and an error if strict. */
START_TEST(inference_reports_a_contradicting_declared_shape)
{
    struct bp_mismatches list;

    bp_mismatches_init(&list);
    input("x", BP_DTYPE_F32, "n,3");
    node("Relu", "x", "y");
    graphs_declare(&g, g.main, "y", BP_DTYPE_F32, "n,4");
    infers();
    is("y", "float32[n,3]");
    g.main->mismatches = &list;
    ck_assert_int_eq(infer_main(), BP_OK);
    ck_assert_int_eq(infer_main(), BP_OK);
    is("y", "float32[n,3]");
    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_eq(bp_mismatches_at(&list, 0)->inferred, "float32[n,3]");
    ck_assert_ptr_null(bp_mismatches_at(&list, 1));
    list.is_strict = true;
    ck_assert_int_eq(infer_main(), BP_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(g.words,
                                 "node 'n' (Relu): value 'y' is float32[n,3], but the model "
                                 "declares it as float32[n,4]"));
    ck_assert_uint_eq(list.count, 1);
    bp_mismatches_finish(&list);
}
END_TEST

START_TEST(inference_rejects_a_contradicting_declared_type)
{
    input("x", BP_DTYPE_F32, "n");
    node("Relu", "x", "y");
    graphs_declare(&g, g.main, "y", BP_DTYPE_F64, "n");
    refuses(BP_E_INVALID, "value 'y' is float32[n], but the model declares it as float64[n]");
}
END_TEST

/* A buffer of the declared size could be too small for what the node writes. */
START_TEST(inference_does_not_trust_declared_data_dependent_sizes)
{
    input("x", BP_DTYPE_F32, "4,n");
    input("shape", BP_DTYPE_I64, "2");
    input("any", BP_DTYPE_I64, "?");
    node("Reshape", "x,shape", "y");
    graphs_declare(&g, g.main, "y", BP_DTYPE_F32, "2,m");
    node("Reshape", "x,any", "z");
    graphs_declare(&g, g.main, "z", BP_DTYPE_F32, "2,2");
    infers();
    is("y", "float32[?,?]");
    is("z", "float32[...]");
    ck_assert(bp_fact_needs_data(fact("y"), &g.symbols));
    ck_assert(bp_fact_needs_data(fact("z"), &g.symbols));
}
END_TEST

START_TEST(inference_trusts_declared_shapes_of_unknown_operators)
{
    input("x", BP_DTYPE_F32, "n");
    node("NoSuchOperator", "x", "y");
    graphs_declare(&g, g.main, "y", BP_DTYPE_F16, "n,?,2");
    infers();
    is("y", "float16[n,?,2]");
    ck_assert(!bp_sym_known(fact("y")->dims[1]));
}
END_TEST

/* An EPContext node, which has a program of some provider. */
static void context(const char *in, const char *out)
{
    uint32_t n = graphs_node(&g, g.main, "c", "EPContext", in, out);

    g.main->nodes[n].domain = "com.microsoft";
    g.main->nodes[n].opset = 1;
}

/* Nobody else knows what the program gives; names of sizes are those of its inputs. */
START_TEST(inference_trusts_declared_shapes_of_compiled_programs)
{
    input("x", BP_DTYPE_F32, "n,3");
    node("Relu", "x", "a");
    graphs_declare(&g, g.main, "a", BP_DTYPE_F32, "rows,cols");
    context("a", "y,z,w");
    graphs_declare(&g, g.main, "y", BP_DTYPE_I64, "cols,rows,2");
    graphs_declare(&g, g.main, "z", BP_DTYPE_F16, "elsewhere,?");
    graphs_declare(&g, g.main, "w", BP_DTYPE_U8, "...");
    infers();
    is("y", "int64[3,n,2]");
    is("z", "float16[?,?]");
    is("w", "uint8[...]");
    ck_assert(bp_sym_equal(fact("y")->dims[1], fact("x")->dims[0]));
    ck_assert(!bp_fact_needs_data(fact("y"), &g.symbols));
    ck_assert(bp_fact_needs_data(fact("z"), &g.symbols));
    ck_assert(bp_fact_needs_data(fact("w"), &g.symbols));
}
END_TEST

START_TEST(inference_names_an_undeclared_output_of_a_compiled_program)
{
    input("x", BP_DTYPE_F32, "n,3");
    context("x", "y");
    refuses(BP_E_INVALID, "declare the type and the shape of output 'y'");
}
END_TEST

/* ---- constants ------------------------------------------------------------------------------- */

static const struct {
    uint32_t dtype;
    uint8_t bytes[16];
    int64_t first, second;
} wholes[] = {
    {BP_DTYPE_I64, {0xfe, 255, 255, 255, 255, 255, 255, 255, 2}, -2, 2},
    {BP_DTYPE_I32, {0xfe, 255, 255, 255, 0, 0, 0, 0x80}, -2, INT32_MIN},
    {BP_DTYPE_U32, {0xfe, 255, 255, 255, 1}, 0xfffffffe, 1},
    {BP_DTYPE_I16, {0xfe, 255, 1, 1}, -2, 257},
    {BP_DTYPE_I8, {0xfe, 127}, -2, 127},
    {BP_DTYPE_U8, {0xfe, 127}, 254, 127},
    {BP_DTYPE_BOOL, {1, 0}, 1, 0},
};

START_TEST(inference_reads_small_integer_constants)
{
    uint8_t odd[17];

    memcpy(odd + 1, wholes[_i].bytes, 16); /* no alignment is promised */
    graphs_constant(&g, g.main, "c", wholes[_i].dtype, odd + 1, 2);
    infers();
    ck_assert_uint_eq(fact("c")->n_content, 2);
    ck_assert_int_eq(fact("c")->content[0].value, wholes[_i].first);
    ck_assert_int_eq(fact("c")->content[1].value, wholes[_i].second);
    ck_assert_ptr_null(fact("c")->reals);
}
END_TEST

static const struct {
    uint32_t dtype;
    uint8_t bytes[8];
    double value;
} reals[] = {
    {BP_DTYPE_F32, {0, 0, 0x20, 0xc0}, -2.5}, {BP_DTYPE_F64, {0, 0, 0, 0, 0, 0, 0xe0, 0x3f}, 0.5},
    {BP_DTYPE_BF16, {0x20, 0xc0}, -2.5},      {BP_DTYPE_F16, {0x00, 0xc1}, -2.5},
    {BP_DTYPE_F16, {0x01, 0x00}, 0x1p-24},    {BP_DTYPE_F16, {0x00, 0x00}, 0},
    {BP_DTYPE_F16, {0xff, 0x7b}, 65504},
};

START_TEST(inference_reads_small_float_constants)
{
    graphs_constant(&g, g.main, "c", reals[_i].dtype, reals[_i].bytes, 0);
    infers();
    ck_assert_uint_eq(fact("c")->n_content, 1);
    ck_assert(fact("c")->reals[0] == reals[_i].value);
    ck_assert_ptr_null(fact("c")->content);
}
END_TEST

static bp_rc load_never(struct bp_ir_data *data, bp_err *err)
{
    (void)data;
    return bp_fail(err, BP_E_IO, "touched");
}

START_TEST(inference_does_not_read_large_constants)
{
    static const uint8_t none[1];
    static const uint8_t large_number[8] = {0, 0, 0, 0, 0, 0, 0, 0x80};
    uint32_t c = graphs_constant(&g, g.main, "c", BP_DTYPE_F32, none, BP_MAX_REALS + 1);
    uint32_t d = graphs_constant(&g, g.main, "d", BP_DTYPE_I8, none, BP_MAX_CONTENT + 1);

    graphs_constant(&g, g.main, "e", BP_DTYPE_U64, large_number, 0);
    g.main->values[c].data->bytes = g.main->values[d].data->bytes = NULL;
    g.main->values[c].data->load = g.main->values[d].data->load = load_never;
    infers();
    is("c", "float32[65]");
    is("d", "int8[4097]");
    is("e", "uint64[]");
    ck_assert_ptr_null(fact("e")->content); /* 2^63 does not fit int64_t */
}
END_TEST

START_TEST(inference_names_a_constant_that_cannot_be_read)
{
    static const uint8_t none[1];
    uint32_t c = graphs_constant(&g, g.main, "c", BP_DTYPE_I64, none, 3);

    g.main->values[c].data->bytes = NULL;
    g.main->values[c].data->load = load_never;
    refuses(BP_E_IO, "value 'c': touched");
}
END_TEST

START_TEST(inference_does_not_use_the_value_of_a_default)
{
    static const int64_t two[] = {1, 2};
    uint32_t shape = graphs_constant(&g, g.main, "shape", BP_DTYPE_I64, two, 2);

    g.main->values[shape].flags = BP_IR_INPUT | BP_IR_DEFAULTED;
    graphs_declare(&g, g.main, "shape", BP_DTYPE_I64, "2");
    infers();
    ck_assert_ptr_null(fact("shape")->content);
}
END_TEST

/* ---- subgraphs ----------------------------------------------------------------------------- */

static void build_if(const char *op, const char *in)
{
    struct bp_ir *subgraph;
    uint32_t n;

    input("cond", BP_DTYPE_BOOL, "");
    input("x", BP_DTYPE_F32, "batch,3");
    input("w", BP_DTYPE_F32, "4");
    n = graphs_node(&g, g.main, "if", "If", "cond", "y");
    subgraph = graphs_subgraph(&g, g.main, "then");
    graphs_add_subgraph(&g, g.main, n, "then_branch", subgraph);
    graphs_node(&g, subgraph, "in_then", op, in, "p");
    graphs_output(&g, subgraph, "p");
    subgraph = graphs_subgraph(&g, g.main, "else");
    graphs_add_subgraph(&g, g.main, n, "else_branch", subgraph);
    graphs_node(&g, subgraph, "in_else", op, in, "q");
    graphs_output(&g, subgraph, "q");
}

START_TEST(inference_reads_captured_shapes_in_subgraphs)
{
    build_if("Relu", "x");
    infers();
    is("y", "float32[batch,3]");
}
END_TEST

START_TEST(inference_names_the_subgraph_whose_shapes_do_not_fit)
{
    build_if("Add", "x,w");
    refuses(BP_E_SHAPE, "node 'if' (If): graph 'else': node 'in_else' (Add): ");
}
END_TEST

/* ---- what rules call ------------------------------------------------------------------------- */

static struct bp_fact outs[2];
static struct bp_infer rule;

static void setup_rule(void)
{
    uint32_t i;

    setup();
    i = graphs_node(&g, g.main, "n", "Relu", "x", "y");
    graphs_input(&g, g.main, "z", BP_DTYPE_F32, "1");
    g.main->nodes[i].schema = bp_schema_find("", "Relu", 13);
    rule = (struct bp_infer){.node = &g.main->nodes[i],
                             .out = outs,
                             .symbols = &g.symbols,
                             .region = &g.region,
                             .err = &g.err};
    memset(outs, 0, sizeof outs);
}

START_TEST(shape_rule_sets_its_outputs)
{
    struct bp_sym dims[] = {{2, 0}, {3, 0}};

    ck_assert_int_eq(bp_infer_set(&rule, 0, BP_DTYPE_F32, 2, dims), BP_OK);
    dims[0].value = 9; /* was copied */
    ck_assert_int_eq(outs[0].dims[0].value, 2);
    ck_assert_int_eq(bp_infer_set_content(&rule, 0, dims, 2), BP_OK);
    dims[0].value = -9;
    ck_assert_int_eq(outs[0].content[0].value, 9);
    ck_assert_int_eq(bp_infer_set(&rule, 1, BP_DTYPE_F32, 0, NULL), BP_OK); /* not wanted */
    ck_assert_uint_eq(outs[1].dtype, BP_DTYPE_NONE);
    ck_assert_int_eq(bp_infer_set(&rule, 0, BP_DTYPE_F32, 2, dims), BP_E_SHAPE);
    ck_assert_str_eq(g.words, "dimension 0 of Y would have the size -9");
    ck_assert_int_eq(bp_infer_set(&rule, 0, BP_DTYPE_F32, BP_MAX_RANK + 1, dims), BP_E_SHAPE);
    ck_assert_int_eq(bp_infer_set(&rule, 0, BP_DTYPE_F32, BP_RANK_UNKNOWN, NULL), BP_OK);
    ck_assert_uint_eq(outs[0].rank, BP_RANK_UNKNOWN);
}
END_TEST

START_TEST(axis_attribute_counts_from_either_end)
{
    uint32_t axis;

    ck_assert_int_eq(bp_infer_axis(&rule, -1, 3, "axis", &axis), BP_OK);
    ck_assert_uint_eq(axis, 2);
    ck_assert_int_eq(bp_infer_axis(&rule, -3, 3, "axis", &axis), BP_OK);
    ck_assert_uint_eq(axis, 0);
    ck_assert_int_eq(bp_infer_axis(&rule, 3, 3, "axis", &axis), BP_E_INVALID);
    ck_assert_str_eq(g.words, "axis is 3, outside -3..2, the axes of a tensor of rank 3");
    ck_assert_int_eq(bp_infer_axis(&rule, INT64_MIN, 3, "axis", &axis), BP_E_INVALID);
    ck_assert_int_eq(bp_infer_axis(&rule, 0, 0, "axis", &axis), BP_E_INVALID);
}
END_TEST

static const struct {
    const char *a, *b, *result;
} broadcasts[] = {
    {"2,3", "2,3", "float32[2,3]"},
    {"2,3", "", "float32[2,3]"},
    {"2,1", "3", "float32[2,3]"},
    {"n,1", "1,n", "float32[n,n]"},
    {"n,1", "n,m", "float32[n,m]"},
    {"n", "4", "float32[4]"},
    {"n", "m", "float32[n|m]"},
    {"0", "1", "float32[0]"},
    {"2", "...", "float32[...]"},
    {"2,3", "2,4", NULL},
    {"0", "2", NULL},
};

static struct bp_fact declared(const char *name, const char *shape)
{
    uint32_t value = graphs_input(&g, g.main, name, BP_DTYPE_F32, shape);

    return g.main->values[value].declared;
}

START_TEST(shapes_are_broadcast)
{
    struct bp_fact a = declared("a", broadcasts[_i].a), b = declared("b", broadcasts[_i].b);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t rank;
    char text[64];
    bp_rc rc = bp_infer_broadcast(&rule, &a, &b, &rank, dims);

    if (!broadcasts[_i].result) {
        ck_assert_int_eq(rc, BP_E_SHAPE);
        ck_assert_msg(strstr(g.words, "do not broadcast: at dimension 1 from the end"), "%s",
                      g.words);
        return;
    }
    ck_assert_msg(rc == BP_OK, "%s", g.words);
    ck_assert_int_eq(bp_infer_set(&rule, 0, BP_DTYPE_F32, rank, dims), BP_OK);
    bp_fact_text(&outs[0], &g.symbols, text, sizeof text);
    ck_assert_str_eq(text, broadcasts[_i].result);
}
END_TEST

START_TEST(fact_text_is_truncated_to_its_buffer)
{
    struct bp_fact a = declared("a", "batch,3");
    char text[12];

    bp_fact_text(&a, &g.symbols, text, sizeof text);
    ck_assert_str_eq(text, "float32[bat");
    bp_fact_text(&a, &g.symbols, text, 0);
    a.dtype = BP_DTYPE_NONE;
    bp_fact_text(&a, &g.symbols, text, sizeof text);
    ck_assert_str_eq(text, "?[batch,3]");
}
END_TEST

START_TEST(subgraph_inputs_are_checked)
{
    struct bp_ir *subgraph = graphs_subgraph(&g, g.main, "loop");
    struct bp_fact in[2] = {declared("a", "batch,3"), declared("b", "2")}, *out;
    char text[64];

    graphs_input(&g, subgraph, "state", BP_DTYPE_F32, "?,?");
    graphs_output(&g, subgraph, "state");
    ck_assert_int_eq(bp_infer_subgraph(&rule, subgraph, in, 2, &out), BP_E_INVALID);
    ck_assert_str_eq(g.words, "graph 'loop' takes 1 inputs, it gets 2");
    ck_assert_int_eq(bp_infer_subgraph(&rule, subgraph, in, 1, &out), BP_OK);
    bp_fact_text(&out[0], &g.symbols, text, sizeof text);
    ck_assert_str_eq(text, "float32[batch,3]");
    ck_assert_int_eq(bp_infer_subgraph(&rule, subgraph, in + 1, 1, &out), BP_OK);
    bp_fact_text(&out[0], &g.symbols, text, sizeof text);
    ck_assert_str_eq(text, "float32[2]"); /* not the declared rank */
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(inference_survives_every_failing_allocation)
{
    bool failed = true;

    input("x", BP_DTYPE_F32, "n,?,3");
    input("y", BP_DTYPE_F32, "?,m,3");
    node("Add", "x,y", "v0");
    for (int i = 0; i < 40; i++) {
        char in[32], out[16];

        snprintf(in, sizeof in, "v%d,x", i);
        snprintf(out, sizeof out, "v%d", i + 1);
        node("Add", in, out);
    }
    ck_assert_int_eq(graphs_seal(&g), BP_OK);
    for (unsigned n = 1; failed; n++) {
        struct bp_region region = {0};
        bp_rc rc;

        fail_alloc_at(n);
        rc = bp_infer_start(g.main, NULL, &g.symbols, &region, &facts, &g.err);
        if (rc == BP_OK)
            rc = bp_infer_run(g.main, NULL, 0, facts, &g.symbols, &region, &g.err);
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
        bp_region_finish(&region);
        ck_assert_uint_lt(n, 1000);
    }
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])

int main(void)
{
    Suite *suite = suite_create("infer");
    TCase *walk = tcase_create("walk"), *helpers = tcase_create("helpers");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, walk);
    tcase_add_checked_fixture(walk, setup, teardown);
    tcase_add_test(walk, inference_propagates_symbols_through_the_graph);
    tcase_add_test(walk, inference_computes_shapes_from_shape_values);
    tcase_add_test(walk, inference_marks_sizes_that_depend_on_data);
    tcase_add_test(walk, inference_runs_the_requested_nodes_only);
    tcase_add_test(walk, inference_names_two_inputs_of_different_types);
    tcase_add_test(walk, inference_names_an_input_of_an_unsupported_type);
    tcase_add_test(walk, inference_names_a_variadic_input_of_another_type);
    tcase_add_loop_test(walk, inference_completes_shapes_from_declarations, 0, COUNT(merges));
    tcase_add_test(walk, inference_reports_a_contradicting_declared_shape);
    tcase_add_test(walk, inference_rejects_a_contradicting_declared_type);
    tcase_add_test(walk, inference_does_not_trust_declared_data_dependent_sizes);
    tcase_add_test(walk, inference_trusts_declared_shapes_of_unknown_operators);
    tcase_add_test(walk, inference_trusts_declared_shapes_of_compiled_programs);
    tcase_add_test(walk, inference_names_an_undeclared_output_of_a_compiled_program);
    tcase_add_loop_test(walk, inference_reads_small_integer_constants, 0, COUNT(wholes));
    tcase_add_loop_test(walk, inference_reads_small_float_constants, 0, COUNT(reals));
    tcase_add_test(walk, inference_does_not_read_large_constants);
    tcase_add_test(walk, inference_names_a_constant_that_cannot_be_read);
    tcase_add_test(walk, inference_does_not_use_the_value_of_a_default);
    tcase_add_test(walk, inference_reads_captured_shapes_in_subgraphs);
    tcase_add_test(walk, inference_names_the_subgraph_whose_shapes_do_not_fit);
    tcase_add_test(walk, inference_survives_every_failing_allocation);
    suite_add_tcase(suite, helpers);
    tcase_add_checked_fixture(helpers, setup_rule, teardown);
    tcase_add_test(helpers, shape_rule_sets_its_outputs);
    tcase_add_test(helpers, axis_attribute_counts_from_either_end);
    tcase_add_loop_test(helpers, shapes_are_broadcast, 0, COUNT(broadcasts));
    tcase_add_test(helpers, fact_text_is_truncated_to_its_buffer);
    tcase_add_test(helpers, subgraph_inputs_are_checked);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
