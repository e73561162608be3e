/* SPDX-License-Identifier: MIT */
/* check_nodes.c - nodes of a model: constants, order, subgraphs and attributes. */

#include "config.h"

#include <math.h>

#include "support/model_fixture.h"

/* ---- Constant -------------------------------------------------------------------------------- */

static void open_constant(const char *attr, int32_t type)
{
    start_model();
    pw_open_node(&w, "Constant", "", "c");
    pw_open_attr(&w, attr, type);
}

static const struct bp_ir_data *constant(void)
{
    pw_close(&w);
    pw_close(&w);
    end_model();
    build();
    ck_assert_uint_eq(ir->n_nodes, 1); /* Relu */
    ck_assert_uint_eq(value_of(ir, "c")->flags, BP_IR_CONSTANT);
    return value_of(ir, "c")->data;
}

START_TEST(constant_nodes_become_constants)
{
    const struct bp_ir_data *data;
    const bp_span *span;

    open_constant("value", 4);
    pw_raw_tensor(&w, 5, "", BP_DTYPE_I64, PW_DIMS(1), "\x07\0\0\0\0\0\0\0", 8);
    data = constant();
    ck_assert_uint_eq(data->dtype, BP_DTYPE_I64);
    ck_assert_uint_eq(data->bytes[0], 7);

    open_constant("value_float", 1);
    pw_float(&w, 2, 1.0f);
    data = constant();
    ck_assert_uint_eq(data->dtype, BP_DTYPE_F32);
    ck_assert_uint_eq(data->rank, 0);
    ck_assert_mem_eq(data->bytes, "\0\0\x80\x3f", 4);

    open_constant("value_floats", 6);
    pw_float(&w, 7, 1.0f);
    pw_float(&w, 7, 2.0f);
    data = constant();
    ck_assert_uint_eq(data->rank, 1);
    ck_assert_int_eq(data->dims[0], 2);
    ck_assert_uint_eq(data->size, 8);

    open_constant("value_int", 2);
    pw_int(&w, 3, -1);
    data = constant();
    ck_assert_uint_eq(data->dtype, BP_DTYPE_I64);
    ck_assert_uint_eq(data->bytes[7], 0xff);

    open_constant("value_ints", 7);
    data = constant();
    ck_assert_int_eq(data->dims[0], 0);
    ck_assert_uint_eq(data->size, 0);
    ck_assert_ptr_nonnull(data->bytes);

    open_constant("value_string", 3);
    pw_text(&w, 4, "hello");
    data = constant();
    span = (const bp_span *)(const void *)data->bytes;
    ck_assert_uint_eq(data->dtype, BP_DTYPE_STRING);
    ck_assert_mem_eq(span->data, "hello", 5);

    open_constant("value_strings", 8);
    pw_text(&w, 9, "a");
    pw_text(&w, 9, "");
    data = constant();
    ck_assert_uint_eq(data->size, 2 * sizeof *span);

    open_constant("sparse_value", 11);
    pw_sparse(&w, 22, PW_DIMS(2), (const int64_t[]){0, 1}, 2, PW_DIMS(3));
    data = constant();
    ck_assert_uint_eq(data->size, 12);
}
END_TEST

START_TEST(constant_nodes_without_a_value_are_rejected)
{
    start_model();
    pw_node(&w, "Constant", "", "c");
    end_model();
    refuses(BP_E_INVALID, "node of 'c' (Constant): has 0 attributes");
    start_model();
    pw_open_node(&w, "Constant", "", "c");
    pw_open_attr(&w, "colour", 1);
    pw_close(&w);
    pw_close(&w);
    end_model();
    refuses(BP_E_INVALID, "attribute 'colour' is not a value");
    start_model();
    pw_node(&w, "Constant", "x", "c");
    end_model();
    refuses(BP_E_INVALID, "has 1 inputs and 1 outputs, not 0 and 1");
}
END_TEST

/* ---- nodes and subgraphs --------------------------------------------------------------------- */

START_TEST(nodes_may_be_stored_in_any_order)
{
    w.size = 0;
    pw_open_model(&w);
    pw_node(&w, "Relu", "b", "c");
    pw_node(&w, "Relu", "a", "b");
    pw_value(&w, 11, "a", BP_DTYPE_F32, PW_DIMS(2));
    pw_value(&w, 12, "c", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&w);
    build();
    ck_assert_str_eq(ir->values[ir->nodes[0].out[0]].name, "b");
    ck_assert_str_eq(ir->values[ir->nodes[1].out[0]].name, "c");
}
END_TEST

START_TEST(graphs_with_undefined_values_are_rejected)
{
    start_model();
    pw_node(&w, "Add", "y nothing", "z");
    end_model();
    refuses(BP_E_INVALID, "node of 'z' (Add): no node, input or initializer provides 'nothing'");
    start_model();
    pw_value(&w, 12, "nothing", BP_DTYPE_F32, PW_DIMS(2));
    end_model();
    refuses(BP_E_INVALID, "output 'nothing'");
    start_model();
    pw_node(&w, "Add", "y q", "p");
    pw_node(&w, "Relu", "p", "q");
    end_model();
    refuses(BP_E_INVALID, "model in memory: ");
    start_model();
    pw_node(&w, "", "x", "z");
    end_model();
    refuses(BP_E_INVALID, "has no op_type");
}
END_TEST

/* If, whose branches take a value, a constant and a value of a later node from the graph around. */
static void write_if(void)
{
    w.size = 0;
    pw_open_model(&w);
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    pw_raw_tensor(&w, 5, "k", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    pw_open_node(&w, "If", "c", "y");
    pw_open_attr(&w, "then_branch", 5);
    pw_open(&w, 6);
    pw_text(&w, 2, "then");
    pw_node(&w, "Add", "x k", "t");
    pw_value(&w, 12, "t", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&w);
    pw_close(&w);
    pw_open_attr(&w, "else_branch", 5);
    pw_open(&w, 6);
    pw_text(&w, 2, "else");
    pw_raw_tensor(&w, 5, "own", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    pw_node(&w, "Add", "later own", "e");
    pw_value(&w, 12, "e", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    pw_node(&w, "Relu", "x", "later");
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&w);
}

START_TEST(subgraphs_capture_values_of_the_outer_graph)
{
    const struct bp_ir_node *node;
    struct bp_ir *then_graph, *else_graph;

    write_if();
    build();
    ck_assert_uint_eq(ir->n_nodes, 2);
    node = &ir->nodes[1]; /* after `later` */
    ck_assert_str_eq(node->op, "If");
    ck_assert_uint_eq(node->n_subgraphs, 2);
    then_graph = bp_ir_subgraph(node, "then_branch");
    else_graph = bp_ir_subgraph(node, "else_branch");
    ck_assert_str_eq(then_graph->name, "then");
    ck_assert_uint_eq(then_graph->depth, 1);
    ck_assert(value_of(then_graph, "x")->flags & BP_IR_CAPTURED);
    ck_assert_str_eq(ir->values[value_of(then_graph, "x")->outer].name, "x");
    ck_assert(value_of(then_graph, "k")->flags & BP_IR_CONSTANT);
    ck_assert_uint_eq(value_of(else_graph, "own")->flags, BP_IR_CONSTANT);
    ck_assert_uint_eq(node->n_implicit, 3);
}
END_TEST

START_TEST(subgraphs_nested_too_deep_are_rejected)
{
    struct pw inner = {0};

    for (int i = 0; i < 32; i++) { /* short names, because the error lists the path of nodes */
        pw_open_node(&w, "I", "c", "y");
        pw_text(&w, 3, "n");
        pw_open_attr(&w, "a", 5);
        pw_bytes(&w, 6, inner.data, inner.size);
        pw_close(&w);
        pw_close(&w);
        pw_free(&inner);
        inner = w;
        memset(&w, 0, sizeof w);
    }
    pw_open_model(&w);
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    pw_raw(&w, inner.data, inner.size);
    pw_close(&w);
    pw_free(&inner);
    refuses(BP_E_INVALID, "deep");
}
END_TEST

/* ---- attributes ------------------------------------------------------------------------------ */

/* A node of an operator that is not known, so that any attribute may be there. */
static void open_node(void)
{
    start_model();
    pw_open_node(&w, "Thing", "x", "thing");
}

static const bp_attr *attribute(const char *name)
{
    const bp_attr *attr = NULL;

    pw_close(&w);
    end_model();
    build();
    for (uint32_t i = 0; i < ir->n_nodes && !attr; i++)
        attr = bp_ir_attr(&ir->nodes[i], name);
    ck_assert_ptr_nonnull(attr);
    return attr;
}

START_TEST(reader_reads_single_attributes)
{
    const bp_attr *attr;

    open_node();
    pw_open_attr(&w, "a", 1);
    pw_float(&w, 2, 0.5f);
    pw_close(&w);
    attr = attribute("a");
    ck_assert_uint_eq(attr->type, BP_ATTR_FLOAT);
    ck_assert_uint_eq(attr->flags, 0);
    ck_assert(fabsf(*(const float *)attr->data - 0.5f) < 1e-6f);

    open_node();
    pw_open_attr(&w, "a", 2);
    pw_int(&w, 3, -9);
    pw_close(&w);
    attr = attribute("a");
    ck_assert_uint_eq(attr->type, BP_ATTR_INT);
    ck_assert_int_eq(*(const int64_t *)attr->data, -9);

    open_node();
    pw_open_attr(&w, "a", 3);
    pw_text(&w, 4, "SAME");
    pw_close(&w);
    attr = attribute("a");
    ck_assert_uint_eq(attr->type, BP_ATTR_STRING);
    ck_assert_uint_eq(((const bp_span *)attr->data)->size, 4);

    open_node();
    pw_open_attr(&w, "a", 4);
    pw_raw_tensor(&w, 5, "", BP_DTYPE_I32, PW_DIMS(2, 1), "01234567", 8);
    pw_close(&w);
    attr = attribute("a");
    ck_assert_uint_eq(attr->type, BP_ATTR_TENSOR);
    ck_assert_uint_eq(((const bp_const *)attr->data)->rank, 2);
    ck_assert_uint_eq(((const bp_const *)attr->data)->dtype, BP_DTYPE_I32);
    ck_assert_mem_eq(((const bp_const *)attr->data)->data, "01234567", 8);

    open_node();
    pw_open_attr(&w, "a", 13);
    pw_raw(&w, "\x72\x08\x22\x06\x0a\x04\x0a\x02\x08\x01",
           10); /* tp: sequence of tensor of float */
    pw_close(&w);
    attr = attribute("a");
    ck_assert_uint_eq(attr->type, BP_ATTR_STRING);
    ck_assert_mem_eq(((const bp_span *)attr->data)->data, "seq(tensor(float))", 18);
}
END_TEST

START_TEST(reader_keeps_empty_list_attributes)
{
    static const struct {
        int32_t type;
        uint32_t ours;
    } kinds[] = {{6, BP_ATTR_FLOAT},
                 {7, BP_ATTR_INT},
                 {8, BP_ATTR_STRING},
                 {9, BP_ATTR_TENSOR},
                 {10, BP_ATTR_GRAPH}};
    const bp_attr *attr;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        open_node();
        pw_open_attr(&w, "a", kinds[i].type);
        pw_close(&w);
        attr = attribute("a");
        ck_assert_uint_eq(attr->type, kinds[i].ours);
        ck_assert_uint_eq(attr->count, 0);
        ck_assert_uint_eq(attr->flags, BP_ATTR_LIST);
        ck_assert_ptr_nonnull(attr->data);
    }
    open_node();
    pw_open_attr(&w, "a", 7);
    pw_int(&w, 8, 5);
    pw_close(&w);
    attr = attribute("a");
    ck_assert_uint_eq(attr->count, 1);
    ck_assert_uint_eq(attr->flags, BP_ATTR_LIST);
}
END_TEST

START_TEST(reader_infers_the_type_of_an_untyped_attribute)
{
    const bp_attr *attr;

    open_node();
    pw_open(&w, 5);
    pw_text(&w, 1, "a");
    pw_int(&w, 8, 5);
    pw_int(&w, 8, 6);
    pw_close(&w);
    attr = attribute("a");
    ck_assert_uint_eq(attr->type, BP_ATTR_INT);
    ck_assert_uint_eq(attr->count, 2);
}
END_TEST

START_TEST(invalid_attributes_are_rejected)
{
    open_node();
    pw_open_attr(&w, "a", 2);
    pw_close(&w);
    pw_open_attr(&w, "a", 2);
    pw_close(&w);
    pw_close(&w);
    end_model();
    refuses(BP_E_INVALID, "node of 'thing' (Thing): attribute 'a': comes twice");
    open_node();
    pw_open_attr(&w, "a", 4);
    pw_close(&w);
    pw_close(&w);
    end_model();
    refuses(BP_E_INVALID, "attribute 'a': is a tensor and has none");
    open_node();
    pw_open_attr(&w, "a", 5);
    pw_close(&w);
    pw_close(&w);
    end_model();
    refuses(BP_E_INVALID, "attribute 'a': is a graph and has none");
    open_node();
    pw_open_attr(&w, "a", 99);
    pw_close(&w);
    pw_close(&w);
    end_model();
    refuses(BP_E_UNSUPPORTED, "attribute 'a': has type 99");
    open_node();
    pw_open_attr(&w, "a", 2);
    pw_text(&w, 21, "alpha");
    pw_close(&w);
    pw_close(&w);
    end_model();
    refuses(BP_E_INVALID, "refers to a function's attribute 'alpha' outside a function");
    open_node();
    for (int i = 0; i < 300; i++) {
        pw_open_attr(&w, "a", 2);
        pw_close(&w);
    }
    pw_close(&w);
    end_model();
    refuses(BP_E_INVALID, "has 300 attributes, more than 256");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("model nodes");

    tcase_add_checked_fixture(tcase, setup_model, teardown_model);
    tcase_add_test(tcase, constant_nodes_become_constants);
    tcase_add_test(tcase, constant_nodes_without_a_value_are_rejected);
    tcase_add_test(tcase, nodes_may_be_stored_in_any_order);
    tcase_add_test(tcase, graphs_with_undefined_values_are_rejected);
    tcase_add_test(tcase, subgraphs_capture_values_of_the_outer_graph);
    tcase_add_test(tcase, subgraphs_nested_too_deep_are_rejected);
    tcase_add_test(tcase, reader_reads_single_attributes);
    tcase_add_test(tcase, reader_keeps_empty_list_attributes);
    tcase_add_test(tcase, reader_infers_the_type_of_an_untyped_attribute);
    tcase_add_test(tcase, invalid_attributes_are_rejected);
    return run_tests("model nodes", tcase);
}
