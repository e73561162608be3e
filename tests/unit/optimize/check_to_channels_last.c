/* SPDX-License-Identifier: MIT */
/*
 * check_to_channels_last.c - graphs whose nodes become channels-last: shapes of each operator, which
 * Transposes are left, what elementwise nodes in between do.
 */

#include "config.h"

#include <check.h>
#include <stdio.h>

#include "graph/channels_last.h"
#include "graph/infer.h"
#include "optimize/to_channels_last.h"
#include "support/check_main.h"
#include "support/fail_alloc.h"
#include "support/graphs.h"

static struct graphs g;
static uint32_t n_left;

static void setup(void)
{
    graphs_setup(&g);
}

static void teardown(void)
{
    graphs_teardown(&g);
}

/* Facts of all values of the graph. */
static struct bp_fact *infer(void)
{
    struct bp_fact *facts;

    ck_assert_int_eq(bp_infer_start(g.main, NULL, &g.symbols, &g.region, &facts, &g.err), BP_OK);
    ck_assert_msg(bp_infer_run(g.main, NULL, 0, facts, &g.symbols, &g.region, &g.err) == BP_OK,
                  "%s", g.words);
    return facts;
}

/* Rewrites all nodes that may be, and gives the facts of the new graph. */
static struct bp_fact *rewrite(void)
{
    const struct bp_fact *facts = infer();
    bool chosen[16] = {false};

    ck_assert_uint_le(g.main->n_nodes, 16);
    for (uint32_t n = 0; n < g.main->n_nodes; n++)
        chosen[n] = bp_can_be_channels_last(&g.main->nodes[n], facts);
    ck_assert_msg(bp_to_channels_last(g.main, facts, chosen, &n_left, &g.err) == BP_OK, "%s",
                  g.words);
    return infer();
}

static const struct bp_ir_node *node_of(const char *name)
{
    for (uint32_t n = 0; n < g.main->n_nodes; n++) {
        if (strcmp(g.main->nodes[n].name, name) == 0)
            return &g.main->nodes[n];
    }
    ck_abort_msg("there is no node '%s'", name);
    return NULL;
}

/* Nodes in running order, and the producer of each value among them. */
static void check_order(void)
{
    const struct bp_ir *ir = g.main;

    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        for (uint32_t i = 0; i < ir->nodes[n].n_in; i++) {
            uint32_t value = ir->nodes[n].in[i];

            if (value != BP_NONE && ir->values[value].producer != BP_NONE)
                ck_assert_uint_lt(ir->values[value].producer, n);
        }
        for (uint32_t o = 0; o < ir->nodes[n].n_out; o++) {
            if (ir->nodes[n].out[o] != BP_NONE)
                ck_assert_uint_eq(ir->values[ir->nodes[n].out[o]].producer, n);
        }
    }
}

/* ---- each operator --------------------------------------------------------------------------- */

static const struct {
    const char *op, *domain, *in;
    const char *attr; /* of integers; NULL: none */
    int64_t values[3];
    uint32_t count;
    const char *last; /* shape of what the node gives, channels-last */
} rows[] = {
    {"AveragePool", "", "x", "kernel_shape", {2, 3}, 2, "2,5,6,4"},
    {"BatchNormalization", "", "x,c,c,c,c", NULL, {0}, 0, "2,6,8,4"},
    {"Conv", "", "x,w", NULL, {0}, 0, "2,4,6,5"},
    {"Conv", "", "x,w", "strides", {2, 1}, 2, "2,2,6,5"},
    {"Conv", "", "line,line_w", NULL, {0}, 0, "2,4,5"},
    {"Conv", "", "cube,cube_w", NULL, {0}, 0, "2,4,6,8,5"},
    {"ConvInteger", "", "u,uw", NULL, {0}, 0, "2,4,6,5"},
    {"ConvTranspose", "", "x,wt", NULL, {0}, 0, "2,8,10,5"},
    {"DepthToSpace", "", "x", "blocksize", {2}, 1, "2,12,16,1"},
    {"FusedConv", "com.microsoft", "x,w,,z", NULL, {0}, 0, "2,4,6,5"},
    {"GlobalAveragePool", "", "x", NULL, {0}, 0, "2,1,1,4"},
    {"GlobalLpPool", "", "x", NULL, {0}, 0, "2,1,1,4"},
    {"GlobalMaxPool", "", "x", NULL, {0}, 0, "2,1,1,4"},
    {"InstanceNormalization", "", "x,c,c", NULL, {0}, 0, "2,6,8,4"},
    {"LRN", "", "x", "size", {3}, 1, "2,6,8,4"},
    {"LpPool", "", "x", "kernel_shape", {2, 3}, 2, "2,5,6,4"},
    {"MaxPool", "", "x", "kernel_shape", {2, 3}, 2, "2,5,6,4"},
    {"QLinearConv", "", "u,s,zp,uw,s,zp,s,zp", NULL, {0}, 0, "2,4,6,5"},
    {"SpaceToDepth", "", "x", "blocksize", {2}, 1, "2,3,4,16"},
};

static void shape_text(const struct bp_fact *fact, char *out, size_t cap)
{
    size_t n = 0;

    out[0] = '\0';
    for (uint32_t d = 0; d < fact->rank && n < cap; d++)
        n += (size_t)snprintf(out + n, cap - n, "%s%lld", d ? "," : "",
                              (long long)fact->dims[d].value);
}

static void add_inputs(void)
{
    graphs_input(&g, g.main, "x", BP_DTYPE_F32, "2,4,6,8");
    graphs_input(&g, g.main, "line", BP_DTYPE_F32, "2,4,6");
    graphs_input(&g, g.main, "cube", BP_DTYPE_F32, "2,4,6,8,10");
    graphs_input(&g, g.main, "z", BP_DTYPE_F32, "2,5,4,6");
    graphs_input(&g, g.main, "w", BP_DTYPE_F32, "5,4,3,3");
    graphs_input(&g, g.main, "wt", BP_DTYPE_F32, "4,5,3,3");
    graphs_input(&g, g.main, "line_w", BP_DTYPE_F32, "5,4,3");
    graphs_input(&g, g.main, "cube_w", BP_DTYPE_F32, "5,4,3,3,3");
    graphs_input(&g, g.main, "c", BP_DTYPE_F32, "4");
    graphs_input(&g, g.main, "u", BP_DTYPE_U8, "2,4,6,8");
    graphs_input(&g, g.main, "uw", BP_DTYPE_U8, "5,4,3,3");
    graphs_input(&g, g.main, "s", BP_DTYPE_F32, "");
    graphs_input(&g, g.main, "zp", BP_DTYPE_U8, "");
}

START_TEST(operator_has_the_same_shapes_channels_last)
{
    uint32_t n;
    const struct bp_fact *facts;
    char before[64], after[64], last[64];

    add_inputs();
    n = graphs_node(&g, g.main, "node", rows[_i].op, rows[_i].in, "y");
    g.main->nodes[n].domain = rows[_i].domain;
    g.main->nodes[n].opset = rows[_i].domain[0] ? 1 : 13;
    if (rows[_i].attr)
        graphs_attr(&g, g.main, n, rows[_i].attr, BP_ATTR_INT,
                    rows[_i].count > 1 ? BP_ATTR_LIST : 0, rows[_i].count, rows[_i].values);
    graphs_output(&g, g.main, "y");
    ck_assert_msg(graphs_seal(&g) == BP_OK, "%s", g.words);
    shape_text(&infer()[graphs_value(g.main, "y")], before, sizeof before);
    facts = rewrite();
    check_order();
    ck_assert(bp_is_channels_last(node_of("node")));
    ck_assert_str_eq(node_of("node")->domain, BP_CHANNELS_LAST_DOMAIN);
    shape_text(&facts[node_of("node")->out[0]], last, sizeof last);
    ck_assert_msg(strcmp(last, rows[_i].last) == 0, "%s: %s", rows[_i].op, last);
    shape_text(&facts[graphs_value(g.main, "y")], after, sizeof after);
    ck_assert_str_eq(after, before);
    ck_assert_uint_eq(n_left, strcmp(rows[_i].op, "FusedConv") == 0 ? 3 : 2);
}
END_TEST

START_TEST(sizes_that_do_not_fit_are_an_error_channels_last)
{
    struct bp_fact *facts;

    graphs_input(&g, g.main, "x", BP_DTYPE_F32, "2,k,6,8");
    graphs_input(&g, g.main, "w", BP_DTYPE_F32, "5,4,3,3");
    graphs_node(&g, g.main, "node", "Conv", "x,w", "y");
    graphs_output(&g, g.main, "y");
    ck_assert_int_eq(graphs_seal(&g), BP_OK);
    (void)rewrite();
    graphs_declare(&g, g.main, "x", BP_DTYPE_F32, "2,3,6,8");
    ck_assert_int_eq(bp_infer_start(g.main, NULL, &g.symbols, &g.region, &facts, &g.err), BP_OK);
    ck_assert_int_eq(bp_infer_run(g.main, NULL, 0, facts, &g.symbols, &g.region, &g.err),
                     BP_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(g.words, "node"));
}
END_TEST

/* ---- in between ------------------------------------------------------------------------------ */

static void conv(const char *name, const char *in, const char *out)
{
    static const int64_t pads[] = {1, 1, 1, 1};
    char list[64];
    uint32_t n;

    snprintf(list, sizeof list, "%s,w", in);
    n = graphs_node(&g, g.main, name, "Conv", list, out);
    graphs_attr(&g, g.main, n, "pads", BP_ATTR_INT, BP_ATTR_LIST, 4, pads);
}

static const int64_t scales[] = {4, 1, 1}, whole_scales[] = {1, 4, 1, 1}, columns[] = {1, 1, 8},
                     matrix[] = {4, 6, 1}, few[] = {6, 1};

/* A constant of at most 24 elements. */
static void constant(const char *name, uint32_t rank, const int64_t *dims)
{
    static const float elements[24];
    struct bp_ir_data *data =
        g.main->values[graphs_constant(&g, g.main, name, BP_DTYPE_F32, elements, 1)].data;

    data->rank = rank;
    data->dims = dims;
    ck_assert(bp_dense_bytes(BP_DTYPE_F32, dims, rank, &data->size));
    ck_assert_uint_le(data->size, sizeof elements);
}

/* conv1 -> the node "between" -> conv2, with square weights. */
static void around(const char *op, const char *in, uint32_t *node)
{
    static const float six[] = {6};

    graphs_input(&g, g.main, "x", BP_DTYPE_F32, "n,4,6,8");
    graphs_input(&g, g.main, "w", BP_DTYPE_F32, "4,4,3,3");
    graphs_input(&g, g.main, "whole", BP_DTYPE_F32, "n,4,6,8");
    graphs_input(&g, g.main, "each", BP_DTYPE_F32, "4,1,1");
    graphs_input(&g, g.main, "one", BP_DTYPE_F32, "1,1,1,1");
    graphs_constant(&g, g.main, "six", BP_DTYPE_F32, six, 0);
    constant("scales", 3, scales);
    constant("whole_scales", 4, whole_scales);
    constant("columns", 3, columns);
    constant("matrix", 3, matrix);
    constant("short", 2, few);
    conv("conv1", "x", "a");
    *node = graphs_node(&g, g.main, "between", op, in, "b");
    conv("conv2", "b", "y");
    graphs_output(&g, g.main, "y");
}

static const struct {
    const char *op, *in;
    uint32_t n_left; /* 2: none is left in between */
} between[] = {
    {"Relu", "a", 2},
    {"Clip", "a,,six", 2},
    {"Add", "a,a", 2},
    {"Mul", "six,a", 2},
    {"Mul", "a,one", 2},
    {"Add", "a,whole", 4}, /* whole is in the model's layout */
    {"Add", "a,each", 4},  /* and so is this one, by its dimensions */
    {"PRelu", "a,each", 4},
    {"PRelu", "a,scales", 2}, /* a constant is given other dimensions */
    {"Mul", "whole_scales,a", 2},
    {"Add", "a,columns", 2},
    {"Add", "a,matrix", 4},
    {"Add", "a,short", 4},
    {"LogSoftmax", "a", 4},
};

START_TEST(elementwise_nodes_in_between_are_channels_last_too)
{
    uint32_t node;

    around(between[_i].op, between[_i].in, &node);
    ck_assert_msg(graphs_seal(&g) == BP_OK, "%s", g.words);
    (void)rewrite();
    check_order();
    ck_assert_msg(n_left == between[_i].n_left, "%s %s: %u Transposes", between[_i].op,
                  between[_i].in, n_left);
    ck_assert_str_eq(node_of("between")->domain, "");
}
END_TEST

/* conv1 -> QuantizeLinear -> DequantizeLinear -> conv2, with one scale or with one a channel. */
START_TEST(quantization_in_between_is_channels_last_too)
{
    static const float scales_of[] = {1, 2, 3, 4};
    static const uint8_t zeros[4];

    graphs_input(&g, g.main, "x", BP_DTYPE_F32, "n,4,6,8");
    graphs_input(&g, g.main, "w", BP_DTYPE_F32, "4,4,3,3");
    graphs_constant(&g, g.main, "s", BP_DTYPE_F32, scales_of, _i ? 4 : 0);
    graphs_constant(&g, g.main, "z", BP_DTYPE_U8, zeros, _i ? 4 : 0);
    conv("conv1", "x", "a");
    graphs_node(&g, g.main, "quantize", "QuantizeLinear", "a,s,z", "q");
    graphs_node(&g, g.main, "dequantize", "DequantizeLinear", "q,s,z", "b");
    conv("conv2", "b", "y");
    graphs_output(&g, g.main, "y");
    ck_assert_msg(graphs_seal(&g) == BP_OK, "%s", g.words);
    (void)rewrite();
    check_order();
    ck_assert_uint_eq(n_left, 2);
    ck_assert_int_eq(bp_ir_attr_int(node_of("quantize"), "axis", -9), 3); /* it was 1 */
    ck_assert_int_eq(bp_ir_attr_int(node_of("dequantize"), "axis", -9), 3);
}
END_TEST

/* The second input's first dimension is that of images. */
START_TEST(add_of_version_6_with_an_axis_keeps_its_layout_in_between)
{
    static const int64_t one = 1, zero = 0;
    uint32_t node;

    around("Add", "a,scales", &node);
    g.main->nodes[node].opset = 6;
    graphs_attr(&g, g.main, node, "broadcast", BP_ATTR_INT, 0, 1, &one);
    graphs_attr(&g, g.main, node, "axis", BP_ATTR_INT, 0, 1, &zero);
    graphs_declare(&g, g.main, "x", BP_DTYPE_F32, "4,4,6,8");
    ck_assert_msg(graphs_seal(&g) == BP_OK, "%s", g.words);
    (void)rewrite();
    ck_assert_uint_eq(n_left, 4);
}
END_TEST

START_TEST(gelu_of_com_microsoft_in_between_is_channels_last_too)
{
    uint32_t node;

    around("Gelu", "a", &node);
    g.main->nodes[node].domain = "com.microsoft";
    g.main->nodes[node].opset = 1;
    ck_assert_msg(graphs_seal(&g) == BP_OK, "%s", g.words);
    (void)rewrite();
    ck_assert_uint_eq(n_left, 2);
    ck_assert_str_eq(node_of("between")->domain, "com.microsoft");
}
END_TEST

START_TEST(node_that_a_rule_is_about_keeps_its_layout_in_between)
{
    uint32_t node;

    around("Relu", "a", &node);
    ck_assert_int_eq(graphs_seal(&g), BP_OK);
    g.main->nodes[node_of("between") - g.main->nodes].is_pinned = true;
    (void)rewrite();
    ck_assert_uint_eq(n_left, 4);
}
END_TEST

/* The model's layout is there for who reads it, made once. */
START_TEST(value_that_others_read_is_there_in_both_layouts)
{
    uint32_t node;

    around("Relu", "a", &node);
    graphs_node(&g, g.main, "shape", "Shape", "b", "s");
    graphs_node(&g, g.main, "flat", "Flatten", "b", "f");
    graphs_output(&g, g.main, "s");
    graphs_output(&g, g.main, "f");
    graphs_output(&g, g.main, "a");
    ck_assert_int_eq(graphs_seal(&g), BP_OK);
    (void)rewrite();
    check_order();
    ck_assert_uint_eq(n_left, 4); /* of x; to a, b, y */
    ck_assert_uint_eq(node_of("flat")->in[0], graphs_value(g.main, "b"));
}
END_TEST

/* Names of the model that are like those of new values and nodes. */
START_TEST(new_values_and_nodes_have_names_of_their_own)
{
    uint32_t node;

    around("Relu", "a", &node);
    graphs_node(&g, g.main, "a NHWC", "Neg", "x", "x NHWC");
    graphs_output(&g, g.main, "x NHWC");
    ck_assert_int_eq(graphs_seal(&g), BP_OK);
    (void)rewrite();
    check_order();
    for (uint32_t n = 0; n < g.main->n_nodes; n++) {
        for (uint32_t k = 0; k < n; k++)
            ck_assert_str_ne(g.main->nodes[n].name, g.main->nodes[k].name);
    }
    for (uint32_t v = 0; v < g.main->n_values; v++)
        ck_assert_uint_eq(graphs_value(g.main, g.main->values[v].name), v);
}
END_TEST

START_TEST(rewriting_survives_every_failing_allocation)
{
    bool failed = true;

    graphs_teardown(&g);
    for (unsigned n = 1; failed; n++) {
        struct bp_region region = {0}; /* which has to ask for its first block */
        const struct bp_fact *facts;
        bool chosen[16] = {false};
        uint32_t node;
        bp_rc rc;

        setup();
        around("Concat", "a,a,a,a", &node);
        g.main->nodes[node].n_in = 1; /* as wide as the weights want */
        graphs_attr(&g, g.main, node, "axis", BP_ATTR_INT, 0, 1, (const int64_t[]){1});
        ck_assert_msg(graphs_seal(&g) == BP_OK, "%s", g.words);
        facts = infer();
        for (uint32_t i = 0; i < g.main->n_nodes; i++)
            chosen[i] = bp_can_be_channels_last(&g.main->nodes[i], facts);
        g.main->region = &region;
        fail_alloc_at(n);
        rc = bp_to_channels_last(g.main, facts, chosen, &n_left, &g.err);
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
        ck_assert_uint_lt(n, 100);
        ck_assert_uint_eq(n_left, failed ? 0 : 2);
        if (failed)
            teardown();
        bp_region_finish(&region);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("to_channels_last");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, operator_has_the_same_shapes_channels_last, 0,
                        sizeof rows / sizeof rows[0]);
    tcase_add_test(tcase, sizes_that_do_not_fit_are_an_error_channels_last);
    tcase_add_loop_test(tcase, elementwise_nodes_in_between_are_channels_last_too, 0,
                        sizeof between / sizeof between[0]);
    tcase_add_loop_test(tcase, quantization_in_between_is_channels_last_too, 0, 2);
    tcase_add_test(tcase, add_of_version_6_with_an_axis_keeps_its_layout_in_between);
    tcase_add_test(tcase, gelu_of_com_microsoft_in_between_is_channels_last_too);
    tcase_add_test(tcase, node_that_a_rule_is_about_keeps_its_layout_in_between);
    tcase_add_test(tcase, value_that_others_read_is_there_in_both_layouts);
    tcase_add_test(tcase, new_values_and_nodes_have_names_of_their_own);
    tcase_add_test(tcase, rewriting_survives_every_failing_allocation);
    return check_main("to_channels_last", &tcase, 1);
}
