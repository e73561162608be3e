/* SPDX-License-Identifier: MIT */
/* check_onnx.c - what a model in memory becomes as a graph, and which models are refused. */

#include "config.h"

#include "support/model_fixture.h"

/* ---- the head -------------------------------------------------------------------------------- */

START_TEST(reader_reads_a_small_model)
{
    const float weights[] = {1.0f, 2.0f};
    const struct bp_ir_value *value;

    start_model();
    pw_node(&w, "Add", "y b", "z");
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), weights, sizeof weights);
    pw_value(&w, 12, "z", BP_DTYPE_F32, PW_DIMS(2));
    end_model();
    build();

    ck_assert_str_eq(ir->name, "main");
    ck_assert_uint_eq(ir->n_nodes, 2);
    ck_assert_uint_eq(ir->n_inputs, 1);
    ck_assert_uint_eq(ir->n_outputs, 2);
    ck_assert_str_eq(ir->values[ir->inputs[0]].name, "x");
    ck_assert_str_eq(ir->values[ir->outputs[1]].name, "z");
    ck_assert_str_eq(ir->nodes[1].op, "Add");
    ck_assert_uint_eq(ir->nodes[1].opset, 13);
    ck_assert_str_eq(ir->values[ir->nodes[1].in[1]].name, "b");
    value = value_of(ir, "x");
    ck_assert_uint_eq(value->flags, BP_IR_INPUT);
    ck_assert_uint_eq(value->declared.dtype, BP_DTYPE_F32);
    ck_assert_uint_eq(value->declared.rank, 1);
    ck_assert_int_eq(value->declared.dims[0].value, 2);
    value = value_of(ir, "b");
    ck_assert_uint_eq(value->flags, BP_IR_CONSTANT);
    ck_assert_mem_eq(value->data->bytes, weights, sizeof weights);
    ck_assert(value->data->bytes > w.data && value->data->bytes < w.data + w.size);
}
END_TEST

START_TEST(model_info_has_the_metadata_of_the_file)
{
    bp_model_info info;
    const char *value;
    int64_t version;

    start_model();
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    end_model();
    pw_text(&w, 2, "writer");
    pw_text(&w, 3, "1.2");
    pw_int(&w, 5, 77);
    pw_open(&w, 8);
    pw_text(&w, 1, "com.example");
    pw_int(&w, 2, 3);
    pw_close(&w);
    pw_open(&w, 14);
    pw_text(&w, 1, "author");
    pw_text(&w, 2, "somebody");
    pw_close(&w);
    build();

    bp_onnx_info(onnx, &info);
    ck_assert_int_eq(info.ir_version, 8);
    ck_assert_int_eq(info.model_version, 77);
    ck_assert_str_eq(info.producer, "writer");
    ck_assert_str_eq(info.producer_version, "1.2");
    ck_assert_str_eq(info.domain, "");
    ck_assert_str_eq(info.graph_name, "main");
    ck_assert_uint_eq(info.file_bytes, w.size);
    ck_assert_uint_eq(info.n_weights, 1);
    ck_assert_uint_eq(info.weight_bytes, 8);
    ck_assert_uint_eq(info.n_opsets, 2);
    ck_assert_str_eq(bp_onnx_opset(onnx, 1, &version), "com.example");
    ck_assert_int_eq(version, 3);
    ck_assert_ptr_null(bp_onnx_opset(onnx, 2, &version));
    ck_assert_str_eq(bp_onnx_metadata(onnx, 0, &value), "author");
    ck_assert_str_eq(value, "somebody");
    ck_assert_ptr_null(bp_onnx_metadata(onnx, 1, &value));
    ck_assert_ptr_null(bp_onnx_external(onnx, 0));
}
END_TEST

static void write_head(int64_t ir_version, int64_t opset)
{
    w.size = 0;
    pw_int(&w, 1, ir_version);
    if (opset != 0) {
        pw_open(&w, 8);
        pw_text(&w, 1, "ai.onnx");
        pw_int(&w, 2, opset);
        pw_close(&w);
    }
    pw_open(&w, 7);
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(1));
    pw_node(&w, "Relu", "x", "y");
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(1));
    pw_close(&w);
}

START_TEST(reader_checks_ir_and_opset_versions)
{
    int64_t version;

    for (int64_t v = 3; v <= 20; v++) {
        write_head(v, 13);
        build();
    }
    write_head(8, 99); /* newer than every table */
    build();
    ck_assert_uint_eq(ir->nodes[0].opset, 99);
    write_head(2, 0); /* as old files are */
    build();
    ck_assert_str_eq(bp_onnx_opset(onnx, 0, &version), "");
    ck_assert_int_eq(version, 1);
    write_head(21, 13);
    refuses(BP_E_VERSION, "has IR version 21; versions 1 to 20 are read, 14 is the newest known");
    write_head(0, 13);
    refuses(BP_E_VERSION, "has IR version 0");
    write_head(-1, 13);
    refuses(BP_E_VERSION, "has IR version -1");
    write_head(3, 0);
    refuses(BP_E_INVALID, "imports no operator set (opset_import), which IR version 3 needs");
    write_head(8, -5);
    refuses(BP_E_VERSION, "imports version -5");
    write_head(8, INT64_C(1) << 40);
    refuses(BP_E_VERSION, "imports version 1099511627776");
}
END_TEST

START_TEST(reader_takes_the_last_import_of_an_opset)
{
    write_head(8, 13);
    pw_open(&w, 8);
    pw_int(&w, 2, 12);
    pw_close(&w);
    build();
    ck_assert_uint_eq(ir->nodes[0].opset, 12);
}
END_TEST

/* ---- declared types -------------------------------------------------------------------------- */

static void write_dim(const char *name, int64_t value)
{
    pw_open(&w, 1);
    if (name)
        pw_text(&w, 2, name);
    else if (value != 0)
        pw_int(&w, 1, value);
    pw_close(&w);
}

START_TEST(dimensions_of_one_name_are_one_symbol)
{
    const struct bp_sym *x, *u;

    start_model();
    pw_open(&w, 11);
    pw_text(&w, 1, "u");
    pw_open(&w, 2);
    pw_open(&w, 1);
    pw_int(&w, 1, 7);
    pw_open(&w, 2);
    write_dim("batch", 0);
    write_dim(NULL, 0);
    write_dim(NULL, -1);
    write_dim("batch", 0);
    write_dim("", 0);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    end_model();
    build();
    x = value_of(ir, "x")->declared.dims;
    u = value_of(ir, "u")->declared.dims;
    ck_assert(bp_sym_known(x[0]));
    ck_assert_str_eq(bp_symbols_name(&symbols, u[0]), "batch");
    ck_assert(bp_sym_equal(u[0], u[3]));
    ck_assert(!bp_sym_known(u[1]) && !bp_sym_known(u[2]) && !bp_sym_known(u[4]));
    ck_assert(!bp_sym_equal(u[1], u[2]));
    ck_assert(!bp_sym_equal(u[1], u[4]));
    ck_assert(!bp_symbols_from_data(&symbols, u[1]));
}
END_TEST

START_TEST(values_that_are_no_tensors_have_no_element_type)
{
    static const uint32_t kinds[] = {4, 9, 5, 8}; /* sequence, optional, map, sparse */

    start_model();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char name[] = {(char)('a' + (int)i), '\0'};

        pw_open(&w, 11);
        pw_text(&w, 1, name);
        pw_open(&w, 2);
        pw_open(&w, kinds[i]);
        pw_int(&w, kinds[i] == 5 || kinds[i] == 8 ? 1 : 99, 7);
        pw_close(&w);
        pw_close(&w);
        pw_close(&w);
    }
    pw_open(&w, 11);
    pw_text(&w, 1, "untyped");
    pw_close(&w);
    end_model();
    build();
    for (uint32_t i = 1; i < ir->n_inputs; i++) {
        ck_assert_uint_eq(ir->values[ir->inputs[i]].declared.dtype, BP_DTYPE_NONE);
        ck_assert_uint_eq(ir->values[ir->inputs[i]].declared.rank, BP_RANK_UNKNOWN);
    }
    ck_assert_uint_eq(ir->n_inputs, 6);
}
END_TEST

START_TEST(reader_applies_value_info_and_ignores_unknown_names)
{
    start_model();
    pw_node(&w, "Abs", "y", "z");
    pw_value(&w, 13, "z", BP_DTYPE_F32, PW_DIMS(2));
    pw_value(&w, 13, "gone", 77, PW_DIMS(2));
    end_model();
    build();
    ck_assert_uint_eq(value_of(ir, "z")->declared.dtype, BP_DTYPE_F32);
    ck_assert_uint_eq(value_of(ir, "y")->declared.rank, 1);

    start_model();
    pw_value(&w, 13, "y", 77, PW_DIMS(2));
    end_model();
    refuses(BP_E_INVALID, "value 'y': its elem_type 77 is not an element type that is known");
}
END_TEST

/* ---- initializers ---------------------------------------------------------------------------- */

static void write_default(int32_t dtype, const int64_t *dims, size_t n)
{
    w.size = 0;
    pw_open_model(&w);
    pw_value(&w, 11, "b", BP_DTYPE_F32, PW_DIMS(2));
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    pw_node(&w, "Add", "x b", "y");
    pw_raw_tensor(&w, 5, "b", dtype, dims, "0123456789abcdef", n);
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&w);
}

START_TEST(initializer_that_is_an_input_is_constant_unless_it_may_be_fed)
{
    const struct bp_ir_value *b;

    write_default(BP_DTYPE_F32, PW_DIMS(2), 8);
    build();
    b = value_of(ir, "b");
    ck_assert_uint_eq(b->flags, BP_IR_INPUT | BP_IR_DEFAULTED | BP_IR_CONSTANT);
    ck_assert_ptr_nonnull(b->data);
    ck_assert_uint_eq(ir->n_inputs, 2);
    ck_assert_str_eq(ir->values[ir->inputs[0]].name, "x"); /* those with a default come last */
    ck_assert_int_eq(build_from_memory(NULL, true), BP_OK);
    b = value_of(ir, "b");
    ck_assert_uint_eq(b->flags, BP_IR_INPUT | BP_IR_DEFAULTED);
    ck_assert_ptr_nonnull(b->data);
}
END_TEST

START_TEST(default_that_contradicts_its_input_is_rejected)
{
    write_default(BP_DTYPE_F64, PW_DIMS(1), 8);
    refuses(BP_E_INVALID, "input 'b': has a default of type float64 and is declared float32");
    write_default(BP_DTYPE_F32, PW_DIMS(2, 1), 8);
    refuses(BP_E_INVALID, "input 'b': has a default of rank 2 and is declared with rank 1");
    write_default(BP_DTYPE_F32, PW_DIMS(3), 12);
    refuses(BP_E_INVALID, "input 'b': has a default of size 3 in dimension 0");
}
END_TEST

START_TEST(duplicate_names_are_rejected)
{
    write_default(BP_DTYPE_F32, PW_DIMS(2), 8);
    w.size = 0;
    start_model();
    pw_raw_tensor(&w, 5, "x", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    pw_raw_tensor(&w, 5, "x", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    end_model();
    refuses(BP_E_INVALID, "two initializers have the name 'x'");
    start_model();
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    end_model();
    refuses(BP_E_INVALID, "'b'");
    start_model();
    pw_raw_tensor(&w, 5, "y", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    pw_node(&w, "Abs", "x", "y"); /* one node may have an initializer's name, not two */
    end_model();
    refuses(BP_E_INVALID, "'y'");
    start_model();
    pw_node(&w, "Abs", "x", "y");
    end_model();
    refuses(BP_E_INVALID, "'y'");
    start_model();
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    end_model();
    refuses(BP_E_INVALID, "input 'x'");
    start_model();
    pw_raw_tensor(&w, 5, "", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    end_model();
    refuses(BP_E_INVALID, "no name");
}
END_TEST

START_TEST(invalid_tensors_are_rejected_by_name)
{
    start_model();
    pw_raw_tensor(&w, 5, "weights", BP_DTYPE_F32, PW_DIMS(3), "01234567", 8);
    end_model();
    refuses(BP_E_INVALID, "tensor 'weights': its raw_data has 8 bytes where its dims need 12");
    start_model();
    pw_raw_tensor(&w, 5, "weights", 42, PW_DIMS(3), "01234567", 8);
    end_model();
    refuses(BP_E_INVALID, "tensor 'weights': its data_type 42");
}
END_TEST

/* ---- sparse tensors -------------------------------------------------------------------------- */

START_TEST(sparse_initializers_are_made_dense)
{
    const float flat[] = {0, 5.0f, 0, 0, 0, 6.0f}, pairs[] = {0, 0, 5.0f, 6.0f, 0, 0};

    start_model();
    pw_sparse(&w, 15, PW_DIMS(2), (const int64_t[]){1, 5}, 2, PW_DIMS(2, 3));
    end_model();
    build();
    ck_assert_uint_eq(value_of(ir, "s")->data->rank, 2);
    ck_assert_mem_eq(value_of(ir, "s")->data->bytes, flat, sizeof flat);

    start_model();
    pw_sparse(&w, 15, PW_DIMS(2, 2), (const int64_t[]){0, 2, 1, 0}, 4, PW_DIMS(2, 3));
    end_model();
    build();
    ck_assert_mem_eq(value_of(ir, "s")->data->bytes, pairs, sizeof pairs);
}
END_TEST

START_TEST(inconsistent_sparse_tensors_are_rejected)
{
    start_model();
    pw_sparse(&w, 15, PW_DIMS(2), (const int64_t[]){1, 6}, 2, PW_DIMS(2, 3));
    end_model();
    refuses(BP_E_INVALID, "tensor 's': its index 6 is not in 0 to 6");
    start_model();
    pw_sparse(&w, 15, PW_DIMS(2, 2), (const int64_t[]){0, 2, -1, 0}, 4, PW_DIMS(2, 3));
    end_model();
    refuses(BP_E_INVALID, "tensor 's': its index -1");
    start_model();
    pw_sparse(&w, 15, PW_DIMS(3), (const int64_t[]){1, 2, 3}, 3, PW_DIMS(2, 3));
    end_model();
    refuses(BP_E_INVALID, "its values and indices do not belong together");
    start_model();
    pw_sparse(&w, 15, PW_DIMS(2), (const int64_t[]){1, 5}, 2, PW_DIMS(1 << 20, 1 << 20));
    end_model();
    refuses(BP_E_UNSUPPORTED, "store it dense in the file");
    start_model();
    pw_open(&w, 15);
    pw_close(&w);
    end_model();
    refuses(BP_E_INVALID, "a sparse tensor has no values or no indices");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("onnx");

    tcase_add_checked_fixture(tcase, setup_model, teardown_model);
    tcase_add_test(tcase, reader_reads_a_small_model);
    tcase_add_test(tcase, model_info_has_the_metadata_of_the_file);
    tcase_add_test(tcase, reader_checks_ir_and_opset_versions);
    tcase_add_test(tcase, reader_takes_the_last_import_of_an_opset);
    tcase_add_test(tcase, dimensions_of_one_name_are_one_symbol);
    tcase_add_test(tcase, values_that_are_no_tensors_have_no_element_type);
    tcase_add_test(tcase, reader_applies_value_info_and_ignores_unknown_names);
    tcase_add_test(tcase, initializer_that_is_an_input_is_constant_unless_it_may_be_fed);
    tcase_add_test(tcase, default_that_contradicts_its_input_is_rejected);
    tcase_add_test(tcase, duplicate_names_are_rejected);
    tcase_add_test(tcase, invalid_tensors_are_rejected_by_name);
    tcase_add_test(tcase, sparse_initializers_are_made_dense);
    tcase_add_test(tcase, inconsistent_sparse_tensors_are_rejected);
    return run_tests("onnx", tcase);
}
