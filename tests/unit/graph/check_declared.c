/* SPDX-License-Identifier: MIT */
/*
 * check_declared.c - shapes that a model declares and that are not so: inference and runs win, one
 * warning and one row of the report a value, an error where the application wants it strict.
 */

#include "config.h"

#include <check.h>
#include <string.h>

#include "support/session_kit.h"

static const float four[] = {1, 2, 3, 4};

static bp_session_options *options(void)
{
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    return kit.options;
}

/* Two variants: with all passes, and without any. */
static void make_session(int variant)
{
    KIT_OK(bp_session_options_set_optimization(
        options(), variant ? BP_OPTIMIZE_NONE : BP_OPTIMIZE_DEFAULT, &kit.err));
    kit_session();
}

/* The session's only row about `value` says so, and there is one line of the log about it. */
static void told(const char *value, const char *inferred, const char *declared)
{
    const bp_report *report = bp_session_report(kit.session);
    char words[128];
    uint32_t found = 0;

    for (uint32_t i = 0; i < bp_report_mismatch_count(report); i++) {
        bp_report_mismatch row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_mismatch(report, i, &row, &kit.err));
        if (strcmp(row.value, value) != 0)
            continue;
        found++;
        ck_assert_str_eq(row.inferred, inferred);
        ck_assert_str_eq(row.declared, declared);
    }
    ck_assert_uint_eq(found, 1);
    snprintf(words, sizeof words, "value '%s'", value);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, words), 1);
}

static void told_in_all(uint32_t n)
{
    ck_assert_uint_eq(bp_report_mismatch_count(bp_session_report(kit.session)), n);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "the declared shape is ignored"), n);
}

/* Runs and checks the elements of output 0. */
static void gives(bp_binding *in, uint32_t n_in, uint32_t n, const float *want, uint32_t rank,
                  const int64_t *dims)
{
    bp_binding out = kit_wanted(0);

    kit_run(in, n_in, &out, 1);
    kit_check_dims(&out.tensor, rank, dims);
    kit_check_floats(&out.tensor, n, want);
    bp_tensor_free(&out.tensor);
}
#define GIVES(in, n_in, of, ...)                                                                   \
    gives(in, n_in, sizeof((float[]){__VA_ARGS__}) / sizeof(float), (float[]){__VA_ARGS__}, of)
#define OF(...)                                                                                    \
    sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[])                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define SCALAR 0, NULL

/* ---- values, outputs ------------------------------------------------------------------------- */

static void inner_wrong(void)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_node("relu", "Relu", "x", "t");
    kit_node("neg", "Neg", "t", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_VALUE_INFO, "t", BP_DTYPE_F32, "3");
}

/* Model declared_inner_wrong of tests/differential/models.tsv. */
START_TEST(wrong_declared_shape_inside_the_graph_is_reported)
{
    bp_binding x = KIT_TENSOR(0, BP_DTYPE_F32, four, 4);

    inner_wrong();
    make_session(_i);
    GIVES(&x, 1, OF(4), -1, -2, -3, -4);
    told("t", "float32[4]", "float32[3]");
    told_in_all(1);
}
END_TEST

/* y is t, or its negative: a Slice from b to e. */
static void slice_model(const char *declared, bool is_inner)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_io(KIT_INPUT, "b", BP_DTYPE_I64, "1");
    kit_io(KIT_INPUT, "e", BP_DTYPE_I64, "1");
    kit_node("slice", "Slice", "x b e", is_inner ? "t" : "y");
    if (is_inner)
        kit_node("neg", "Neg", "t", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, is_inner ? NULL : declared);
    if (is_inner)
        kit_io(KIT_VALUE_INFO, "t", BP_DTYPE_F32, declared);
}

static void run_slice(int64_t begin, int64_t end, float sign)
{
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, four, 4), KIT_TENSOR(1, BP_DTYPE_I64, &begin, 1),
                       KIT_TENSOR(2, BP_DTYPE_I64, &end, 1)};
    int64_t n = end - begin;
    float want[4];

    for (int64_t i = 0; i < n; i++)
        want[i] = sign * four[begin + i];
    gives(in, 3, (uint32_t)n, want, 1, &n);
}

/* Model declared_inner_wrong_dynamic of tests/differential/models.tsv. */
START_TEST(wrong_declared_shape_of_a_dynamic_value_is_reported_by_the_run)
{
    slice_model("3", true);
    make_session(_i);
    told_in_all(0);
    run_slice(0, 3, -1); /* as declared */
    told_in_all(0);
    for (int64_t end = 1; end <= 4; end++)
        run_slice(0, end, -1);
    told("t", "float32[1]", "float32[3]");
    told_in_all(1);
}
END_TEST

/* Model declared_output_wrong_dynamic of tests/differential/models.tsv. */
START_TEST(wrong_declared_shape_of_a_dynamic_output_is_reported_by_the_run)
{
    slice_model("3", false);
    make_session(_i);
    for (int64_t end = 2; end <= 4; end++)
        run_slice(0, end, 1);
    told("y", "float32[2]", "float32[3]");
    told_in_all(1);
}
END_TEST

static void relu_model(const char *in, const char *declared)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, in);
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, declared);
}

/* Model declared_output_wrong_rank of tests/differential/models.tsv. */
START_TEST(wrong_declared_rank_of_an_output_is_reported)
{
    bp_binding x = KIT_TENSOR(0, BP_DTYPE_F32, four, 4);

    relu_model("4", "2,2");
    make_session(_i);
    GIVES(&x, 1, OF(4), 1, 2, 3, 4);
    told("y", "float32[4]", "float32[2,2]");
    told_in_all(1);
}
END_TEST

/* Model declared_output_wrong_static of tests/differential/models.tsv. */
START_TEST(wrong_declared_shape_of_a_static_output_is_reported)
{
    bp_binding x = KIT_TENSOR(0, BP_DTYPE_F32, four, 4);

    relu_model("4", "3");
    make_session(_i);
    GIVES(&x, 1, OF(4), 1, 2, 3, 4);
    told("y", "float32[4]", "float32[3]");
    told_in_all(1);
}
END_TEST

/* Model matmul_vectors of tests/differential/models.tsv. */
START_TEST(matmul_of_vectors_with_a_wrong_declared_shape_is_reported)
{
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, four, 2),
                       KIT_TENSOR(1, BP_DTYPE_F32, four + 2, 2)};

    kit_start_model();
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "2");
    kit_node("matmul", "MatMul", "a b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1");
    make_session(_i);
    GIVES(in, 2, SCALAR, 11);
    told("y", "float32[]", "float32[1]");
    told_in_all(1);
}
END_TEST

/* Sizes of an export's example in a model whose sizes are free: nothing is compiled or stored by them. */
START_TEST(declared_size_of_a_symbolic_dimension_is_not_trusted)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,2");
    kit_node("relu", "Relu", "x", "r");
    kit_node("transpose", "Transpose", "r", "t");
    kit_node("matmul", "MatMul", "r t", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1,1");
    kit_io(KIT_VALUE_INFO, "r", BP_DTYPE_F32, "1,2");
    kit_io(KIT_VALUE_INFO, "t", BP_DTYPE_F32, "2,1");
    make_session(_i);
    told_in_all(0);
    for (int64_t n = 1; n <= 6; n++) {
        float x[12], want[36];
        bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, n, 2);

        for (int64_t i = 0; i < n; i++) {
            x[2 * i] = (float)i;
            x[2 * i + 1] = 1;
            for (int64_t j = 0; j < n; j++)
                want[i * n + j] = (float)(i * j + 1);
        }
        gives(&in, 1, (uint32_t)(n * n), want, 2, (int64_t[]){n, n});
    }
    told("y", "float32[2,2]", "float32[1,1]");
}
END_TEST

START_TEST(declared_rank_of_a_run_time_shape_is_not_trusted)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_io(KIT_INPUT, "shape", BP_DTYPE_I64, "?");
    kit_node("reshape", "Reshape", "x shape", "t");
    kit_node("neg", "Neg", "t", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2,2");
    kit_io(KIT_VALUE_INFO, "t", BP_DTYPE_F32, "2,2");
    make_session(_i);
    for (int64_t rank = 1; rank <= 3; rank++) {
        int64_t shape[] = {4, 1, 1};
        bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, four, 4),
                           KIT_TENSOR(1, BP_DTYPE_I64, shape, rank)};

        gives(in, 2, 4, (float[]){-1, -2, -3, -4}, (uint32_t)rank, shape);
    }
    told("t", "float32[4]", "float32[2,2]");
    told("y", "float32[4]", "float32[2,2]");
    told_in_all(2);
}
END_TEST

/* The size comes with the data, so only the run can tell. */
START_TEST(wrong_declared_size_of_a_data_dependent_output_is_reported_by_the_run)
{
    const uint8_t mask[] = {1, 0, 1, 1};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, four, 4), KIT_TENSOR(1, BP_DTYPE_BOOL, mask, 4)};

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_io(KIT_INPUT, "mask", BP_DTYPE_BOOL, "4");
    kit_node("compress", "Compress", "x mask", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    make_session(_i);
    told_in_all(0);
    for (int i = 0; i < 3; i++)
        GIVES(in, 2, OF(3), 1, 3, 4);
    told("y", "float32[3]", "float32[2]");
    told_in_all(1);
}
END_TEST

START_TEST(wrong_declared_element_type_is_an_error)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F64, "4");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "value 'y' is float32[4]",
              "declares it as float64[4]");
}
END_TEST

/* ---- subgraphs ----------------------------------------------------------------------------- */

static void if_model(const char *then_declared, const char *else_declared)
{
    kit_start_model();
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, NULL);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "x", "a");
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, then_declared);
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("neg", "Neg", "x", "b");
    kit_io(KIT_OUTPUT, "b", BP_DTYPE_F32, else_declared);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

/* Model if_branch_declared_wrong of tests/differential/models.tsv. */
START_TEST(wrong_declared_shape_in_an_if_branch_is_reported)
{
    uint8_t c[] = {1};
    bp_binding in[] = {kit_tensor(0, BP_DTYPE_BOOL, c, 0, NULL),
                       KIT_TENSOR(1, BP_DTYPE_F32, four, 2)};
    bp_report_mismatch row = {.struct_size = sizeof row};

    if_model("9", "9");
    make_session(_i);
    GIVES(in, 2, OF(2), 1, 2);
    c[0] = 0;
    GIVES(in, 2, OF(2), -1, -2);
    told("a", "float32[2]", "float32[9]");
    told("b", "float32[2]", "float32[9]");
    told_in_all(2);
    KIT_OK(bp_report_get_mismatch(bp_session_report(kit.session), 0, &row, &kit.err));
    ck_assert_str_eq(row.path, "if/then_branch");
}
END_TEST

START_TEST(if_accepts_a_condition_of_one_element_and_any_rank)
{
    const uint8_t c[] = {1, 1};

    if_model("2", "2");
    make_session(_i);
    for (uint32_t rank = 0; rank <= 3; rank++) {
        bp_binding in[] = {kit_tensor(0, BP_DTYPE_BOOL, c, rank, (int64_t[]){1, 1, 1}),
                           KIT_TENSOR(1, BP_DTYPE_F32, four, 2)};

        GIVES(in, 2, OF(2), 1, 2);
    }
    for (int64_t n = 0; n <= 2; n += 2) {
        bp_binding in[] = {kit_tensor(0, BP_DTYPE_BOOL, c, 2, (int64_t[]){1, n}),
                           KIT_TENSOR(1, BP_DTYPE_F32, four, 2)};
        bp_binding out = kit_wanted(0);

        KIT_FAILS(bp_session_run(kit.session, in, 2, &out, 1, NULL, &kit.err), BP_E_SHAPE,
                  "single element");
    }
}
END_TEST

/* Open: the subgraph's nodes and outputs are to come, then two closes. */
static void open_loop(const char *outputs, const char *iteration, const char *state)
{
    kit_start_model();
    kit_io(KIT_INPUT, "m", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "s0", BP_DTYPE_F32, "1");
    kit_open_node("loop", "Loop", "m c s0", outputs);
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "it", BP_DTYPE_I64, iteration);
    kit_io(KIT_INPUT, "goes_on", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "state", BP_DTYPE_F32, state);
    kit_floats("one", PW_DIMS(1), 1, (const float[]){1});
    kit_node("go", "Identity", "goes_on", "c2");
    kit_io(KIT_OUTPUT, "c2", BP_DTYPE_BOOL, "");
}

static void close_loop(void)
{
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_F32, NULL);
}

static void loop_feeds(bp_binding *in, const int64_t *trips)
{
    static const uint8_t yes = 1;
    static const float start = 1;

    in[0] = kit_tensor(0, BP_DTYPE_I64, trips, 0, NULL);
    in[1] = kit_tensor(1, BP_DTYPE_BOOL, &yes, 0, NULL);
    in[2] = kit_tensor(2, BP_DTYPE_F32, &start, 1, (int64_t[]){1});
}

static void growing_loop(void)
{
    open_loop("s", "", "1");
    kit_node_int("concat", "Concat", "state one", "s2", "axis", 0);
    kit_io(KIT_OUTPUT, "s2", BP_DTYPE_F32, "1");
    close_loop();
}

/* Model loop_state_grows_declared of tests/differential/models.tsv. */
START_TEST(wrong_declared_shape_of_a_growing_loop_state_is_reported)
{
    int64_t trips = 3, one = 1;
    bp_binding in[3];

    loop_feeds(in, &trips);
    in[2].tensor.dims = &one;
    growing_loop();
    make_session(_i);
    GIVES(in, 3, OF(4), 1, 1, 1, 1);
    trips = 1;
    GIVES(in, 3, OF(2), 1, 1);
    trips = 0;
    GIVES(in, 3, OF(1), 1);
    told("s2", "float32[2]", "float32[1]");
    told("state", "float32[2]", "float32[1]"); /* the second round's */
    told_in_all(2);
}
END_TEST

static void adding_loop(const char *iteration, const char *scanned, uint32_t dtype)
{
    open_loop(scanned ? "s o" : "s", iteration, NULL);
    kit_node("add", "Add", "state one", "s2");
    kit_io(KIT_OUTPUT, "s2", BP_DTYPE_F32, NULL);
    if (scanned) {
        if (dtype == BP_DTYPE_F32)
            kit_node_int("cast", "Cast", "it", "sc", "to", BP_DTYPE_F32);
        else
            kit_node("same", "Identity", "it", "sc");
        kit_io(KIT_OUTPUT, "sc", dtype, scanned[0] == '-' ? NULL : scanned);
    }
    close_loop();
    if (scanned)
        kit_io(KIT_OUTPUT, "o", dtype, NULL);
}

static void run_adding(uint32_t n_out, bp_binding *out)
{
    const int64_t trips = 2;
    int64_t one = 1;
    bp_binding in[3];

    loop_feeds(in, &trips);
    in[2].tensor.dims = &one;
    for (uint32_t i = 0; i < n_out; i++)
        out[i] = kit_wanted(i);
    kit_run(in, 3, out, n_out);
    KIT_DIMS(&out[0].tensor, 1);
    KIT_FLOATS(&out[0].tensor, 3);
    bp_tensor_free(&out[0].tensor);
}

/* Model loop_iter_declared_1d of tests/differential/models.tsv. */
START_TEST(loop_accepts_an_iteration_number_declared_1_d)
{
    bp_binding out[2];

    adding_loop("1", "-", BP_DTYPE_I64);
    make_session(_i);
    run_adding(2, out);
    KIT_DIMS(&out[1].tensor, 2, 1);
    ck_assert_int_eq(((const int64_t *)out[1].tensor.base)[1], 1);
    bp_tensor_free(&out[1].tensor);
    told_in_all(0);
}
END_TEST

/* Model loop_iter_declared_1d_scan of tests/differential/models.tsv. */
START_TEST(loop_scans_an_iteration_number_declared_1_d)
{
    bp_binding out[2];

    adding_loop("1", "1", BP_DTYPE_F32);
    make_session(_i);
    run_adding(2, out);
    KIT_DIMS(&out[1].tensor, 2, 1);
    KIT_FLOATS(&out[1].tensor, 0, 1);
    bp_tensor_free(&out[1].tensor);
    told_in_all(0);
}
END_TEST

/* Model loop_iter_declared_1d_unused of tests/differential/models.tsv. */
START_TEST(loop_ignores_an_unread_iteration_number_declared_1_d)
{
    bp_binding out[1];

    adding_loop("1", NULL, 0);
    make_session(_i);
    run_adding(1, out);
    told_in_all(0);
}
END_TEST

/* ---- a wrong shape in an unused node --------------------------------------------------------- */

/* relu: between the two, so that the first has to run. */
static void reshape_model(bool has_relu)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_ints("six", PW_DIMS(2), 2, (const int64_t[]){3, 2});
    kit_ints("four", PW_DIMS(1), 1, (const int64_t[]){4});
    kit_node("wrong", "Reshape", "x six", "t");
    if (has_relu)
        kit_node("relu", "Relu", "t", "r");
    kit_node("right", "Reshape", has_relu ? "r four" : "t four", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

/* Model dead_wrong_reshape of tests/differential/models.tsv. */
START_TEST(reshape_of_wrong_size_is_an_error_unless_a_pass_drops_it)
{
    bp_binding x = KIT_TENSOR(0, BP_DTYPE_F32, four, 4);

    reshape_model(false);
    make_session(0);
    GIVES(&x, 1, OF(4), 1, 2, 3, 4);
    /* as ONNX Runtime: without its passes it is an error, and where something is between too */
    kit_end_session();
    KIT_OK(bp_session_options_set_optimization(options(), BP_OPTIMIZE_NONE, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "node 'wrong' (Reshape)", "the number of elements");
    KIT_OK(bp_session_options_set_optimization(options(), BP_OPTIMIZE_DEFAULT, &kit.err));
    reshape_model(true);
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "node 'wrong' (Reshape)", "the number of elements");
}
END_TEST

/* ---- strict ---------------------------------------------------------------------------------- */

START_TEST(strict_shapes_make_a_wrong_declaration_a_session_error)
{
    bp_session_options_set_strict_shapes(options(), 1);
    inner_wrong();
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "value 't' is float32[4]", "declares it as float32[3]",
              "strict");
    relu_model("4", "2,2");
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "value 'y' is float32[4]");
    growing_loop();
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "value 's2'", "'loop'");
    /* a branch that is wrong counts though it might never run */
    if_model("2", "9");
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "value 'b'", "'if/else_branch'");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "is ignored"), 0);

    bp_session_options_set_strict_shapes(options(), 0);
    kit_session();
    told_in_all(1);
}
END_TEST

START_TEST(strict_shapes_make_a_wrong_declaration_a_run_error)
{
    int64_t begin = 0, end = 2;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, four, 4), KIT_TENSOR(1, BP_DTYPE_I64, &begin, 1),
                       KIT_TENSOR(2, BP_DTYPE_I64, &end, 1)};
    bp_binding out = kit_wanted(0);

    bp_session_options_set_strict_shapes(options(), 1);
    slice_model("3", _i);
    kit_session();
    for (int i = 0; i < 2; i++)
        KIT_FAILS(bp_session_run(kit.session, in, 3, &out, 1, NULL, &kit.err), BP_E_SHAPE,
                  _i ? "value 't'" : "value 'y'", "declares it as float32[3]");
    run_slice(0, 3, _i ? -1 : 1);
}
END_TEST

/* "Strict" providers and "strict" shapes are separate options. */
START_TEST(strict_providers_do_not_make_shapes_strict)
{
    bp_binding x = KIT_TENSOR(0, BP_DTYPE_F32, four, 4);

    bp_session_options_set_strict(options(), 1);
    inner_wrong();
    make_session(0);
    GIVES(&x, 1, OF(4), -1, -2, -3, -4);
}
END_TEST

/* ---- where mismatches are reported ----------------------------------------------------------- */

START_TEST(report_lists_wrong_declarations_as_text_and_json)
{
    const bp_report *report;
    char *text;

    if_model("2", "9");
    report = bp_session_report(kit_session());
    KIT_OK(bp_report_json(report, &text, &kit.err));
    ck_assert_ptr_null(kit_bad_json(text));
    ck_assert_ptr_nonnull(strstr(text,
                                 "\"mismatches\":[{\"value\":\"b\",\"path\":\"if/else_branch\","
                                 "\"inferred\":\"float32[2]\",\"declared\":\"float32[9]\"}]"));
    bp_free(text);
    KIT_OK(bp_explain(kit.env, report, NULL, BP_EXPLAIN_TEXT, &text, &kit.err));
    ck_assert_ptr_nonnull(
        strstr(text, "value 'b' in if/else_branch is float32[2], declared as float32[9]"));
    bp_free(text);
    KIT_OK(bp_explain(kit.env, report, NULL, BP_EXPLAIN_JSON, &text, &kit.err));
    ck_assert_ptr_null(kit_bad_json(text));
    ck_assert_ptr_nonnull(strstr(text, "\"mismatches\":[{\"value\":\"b\""));
    bp_free(text);
    KIT_FAILS(bp_report_get_mismatch(report, 1, &(bp_report_mismatch){.struct_size = 40}, &kit.err),
              BP_E_INVALID, "mismatch");
}
END_TEST

START_TEST(plan_lists_wrong_declarations)
{
    bp_report *report;

    inner_wrong();
    KIT_OK(bp_plan_create(kit.env, kit_model(), NULL, &report, &kit.err));
    ck_assert_uint_eq(bp_report_mismatch_count(report), 1);
    bp_report_destroy(report);
    bp_session_options_set_strict_shapes(options(), 1);
    KIT_FAILS(bp_plan_create(kit.env, kit_model(), options(), &report, &kit.err), BP_E_SHAPE,
              "value 't'");
}
END_TEST

/* The engine for fed defaults walks the graph again, and so does one that lost a provider. */
START_TEST(wrong_declaration_is_logged_once_for_all_engines_of_a_session)
{
    static const float half[] = {0.5f};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, four, 4), KIT_TENSOR(1, BP_DTYPE_F32, half, 1)};

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_io(KIT_INPUT, "k", BP_DTYPE_F32, "1");
    kit_floats("k", PW_DIMS(1), 1, (const float[]){2});
    kit_node("mul", "Mul", "x k", "t");
    kit_node("neg", "Neg", "t", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "3");
    kit_io(KIT_VALUE_INFO, "t", BP_DTYPE_F32, "5");
    make_session(_i);
    GIVES(in, 1, OF(4), -2, -4, -6, -8);
    GIVES(in, 2, OF(4), -0.5f, -1, -1.5f, -2);
    told("t", "float32[4]", "float32[5]");
    told("y", "float32[4]", "float32[3]");
    told_in_all(2);
}
END_TEST

/* ---- shapes of session outputs --------------------------------------------------------------- */

static const struct {
    const char *in, *declared, *shown;
} outputs[] = {
    /* as ONNX Runtime 1.32 */
    {"4", "m", "4"},       {"n", "m", "m"},       {"n", "4", "4"},
    {"n,4", "?,?", "n,4"}, {"n,4", "m,4", "m,4"}, {"2,4", "m,3", "2,?"},
    {"4", "3", "?"},       {"4", NULL, "4"},      {"4", "2,2", NULL},
};

START_TEST(session_outputs_have_the_shapes_that_the_model_declares)
{
    bp_io_info io = {.struct_size = sizeof io};
    const char *want = outputs[_i].shown;

    relu_model(outputs[_i].in, outputs[_i].declared);
    kit_session();
    KIT_OK(bp_session_output(kit.session, 0, &io, &kit.err));
    ck_assert_uint_eq(io.dtype, BP_DTYPE_F32);
    if (!want) {
        ck_assert_uint_eq(io.rank, BP_RANK_UNKNOWN);
        return;
    }
    for (uint32_t d = 0; d < io.rank; d++) {
        char text[32] = "?";

        if (io.dims[d].value >= 0)
            snprintf(text, sizeof text, "%lld", (long long)io.dims[d].value);
        else if (io.dims[d].symbol)
            snprintf(text, sizeof text, "%s", io.dims[d].symbol);
        ck_assert_msg(strncmp(want, text, strlen(text)) == 0, "'%s' at '%s'", text, want);
        want += strlen(text);
        want += *want == ',';
    }
    ck_assert_str_eq(want, "");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("declared");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_loop_test(tcase, wrong_declared_shape_inside_the_graph_is_reported, 0, 2);
    tcase_add_loop_test(tcase, wrong_declared_shape_of_a_dynamic_value_is_reported_by_the_run, 0,
                        2);
    tcase_add_loop_test(tcase, wrong_declared_shape_of_a_dynamic_output_is_reported_by_the_run, 0,
                        2);
    tcase_add_loop_test(tcase, wrong_declared_rank_of_an_output_is_reported, 0, 2);
    tcase_add_loop_test(tcase, wrong_declared_shape_of_a_static_output_is_reported, 0, 2);
    tcase_add_loop_test(tcase, matmul_of_vectors_with_a_wrong_declared_shape_is_reported, 0, 2);
    tcase_add_loop_test(tcase, declared_size_of_a_symbolic_dimension_is_not_trusted, 0, 2);
    tcase_add_loop_test(tcase, declared_rank_of_a_run_time_shape_is_not_trusted, 0, 2);
    tcase_add_loop_test(
        tcase, wrong_declared_size_of_a_data_dependent_output_is_reported_by_the_run, 0, 2);
    tcase_add_test(tcase, wrong_declared_element_type_is_an_error);
    tcase_add_loop_test(tcase, wrong_declared_shape_in_an_if_branch_is_reported, 0, 2);
    tcase_add_loop_test(tcase, if_accepts_a_condition_of_one_element_and_any_rank, 0, 2);
    tcase_add_loop_test(tcase, wrong_declared_shape_of_a_growing_loop_state_is_reported, 0, 2);
    tcase_add_loop_test(tcase, loop_accepts_an_iteration_number_declared_1_d, 0, 2);
    tcase_add_loop_test(tcase, loop_scans_an_iteration_number_declared_1_d, 0, 2);
    tcase_add_loop_test(tcase, loop_ignores_an_unread_iteration_number_declared_1_d, 0, 2);
    tcase_add_test(tcase, reshape_of_wrong_size_is_an_error_unless_a_pass_drops_it);
    tcase_add_test(tcase, strict_shapes_make_a_wrong_declaration_a_session_error);
    tcase_add_loop_test(tcase, strict_shapes_make_a_wrong_declaration_a_run_error, 0, 2);
    tcase_add_test(tcase, strict_providers_do_not_make_shapes_strict);
    tcase_add_test(tcase, report_lists_wrong_declarations_as_text_and_json);
    tcase_add_test(tcase, plan_lists_wrong_declarations);
    tcase_add_loop_test(tcase, wrong_declaration_is_logged_once_for_all_engines_of_a_session, 0, 2);
    tcase_add_loop_test(tcase, session_outputs_have_the_shapes_that_the_model_declares, 0,
                        sizeof outputs / sizeof outputs[0]);
    return kit_main("declared", &tcase, 1);
}
