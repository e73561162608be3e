/* SPDX-License-Identifier: MIT */
/* check_optimized_model.c - models saved as they run: what stays, what is new, what cannot be. */

#include "config.h"

#include "optimize/passes_kit.h"
#include "support/fail_alloc.h"

/* Version 0: not imported. */
static int64_t opset_of(const bp_model *model, const char *domain)
{
    const char *name;
    int64_t version;

    for (uint32_t i = 0; (name = bp_model_opset(model, i, &version)) != NULL; i++) {
        if (strcmp(name, domain) == 0)
            return version;
    }
    return 0;
}

static uint32_t count_of(const bp_model *model, const char *op)
{
    bp_op_info row = {.struct_size = sizeof row};
    uint32_t n = 0;

    for (uint32_t i = 0; bp_model_op(model, i, &row, NULL) >= 0; i++)
        n += strcmp(row.op, op) == 0 ? row.count : 0;
    return n;
}

static bp_model_info info_of(const bp_model *model)
{
    bp_model_info info = {.struct_size = sizeof info};

    KIT_OK(bp_model_get_info(model, &info, &kit.err));
    return info;
}

/* y = Relu(Conv(x[N,2,4,4], w) + b). w may be an input with a default. */
static void conv_model(bool has_default)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,2,4,4");
    passes_floats("w", PW_DIMS(3, 2, 1, 1), 1);
    passes_floats("b", PW_DIMS(3, 1, 1), 2);
    if (has_default)
        kit_io(KIT_INPUT, "w", BP_DTYPE_F32, "3,2,1,1");
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "d");
    kit_node("relu", "Relu", "d", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,3,4,4");
}

static void end_graph(void)
{
    pw_close(&kit.w);
    kit.is_closed = true;
}

/* ---- what an optimised model keeps ----------------------------------------------------------- */

START_TEST(optimized_model_keeps_its_metadata)
{
    struct passes_saved saved;
    bp_io_info port = {.struct_size = sizeof port};
    const char *value;

    conv_model(false);
    end_graph();
    pw_text(&kit.w, 2, "a producer");
    pw_text(&kit.w, 6, "what it is for");
    pw_open(&kit.w, 14);
    pw_text(&kit.w, 1, "key");
    pw_text(&kit.w, 2, "its value");
    pw_close(&kit.w);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    passes_save(0, &saved);
    ck_assert_str_eq(info_of(saved.model).producer, "a producer");
    ck_assert_str_eq(info_of(saved.model).doc, "what it is for");
    ck_assert_str_eq(bp_model_metadata(saved.model, 0, &value), "key");
    ck_assert_str_eq(value, "its value");
    KIT_OK(bp_model_input(saved.model, 0, &port, &kit.err));
    ck_assert_str_eq(port.name, "x");
    ck_assert_str_eq(port.dims[0].symbol, "N");
    KIT_OK(bp_model_output(saved.model, 0, &port, &kit.err));
    ck_assert_str_eq(port.name, "y");
    ck_assert_uint_eq(info_of(saved.model).n_nodes, 1);
    ck_assert_uint_eq(count_of(saved.model, "FusedConv"), 1);
    ck_assert_int_eq(opset_of(saved.model, "com.microsoft"), 1);
    ck_assert_int_eq(opset_of(saved.model, ""), opset_of(kit_model(), ""));
    passes_unsave(&saved);
}
END_TEST

START_TEST(optimize_level_none_changes_no_node)
{
    struct passes_saved saved;

    conv_model(false);
    passes_open_at(BP_OPTIMIZE_NONE);
    passes_save(0, &saved);
    ck_assert_uint_eq(info_of(saved.model).n_nodes, 3);
    ck_assert_uint_eq(info_of(saved.model).n_weights, 2);
    ck_assert_int_eq(opset_of(saved.model, "com.microsoft"), 0);
    passes_unsave(&saved);
}
END_TEST

START_TEST(optimized_model_omits_unread_weights)
{
    struct passes_saved saved;

    conv_model(false);
    passes_floats("unused", PW_DIMS(100), 3);
    passes_open_at(BP_OPTIMIZE_BASIC);
    passes_save(0, &saved);
    ck_assert_uint_eq(info_of(saved.model).n_weights, 2);
    passes_unsave(&saved);
}
END_TEST

START_TEST(optimized_model_outlives_the_original)
{
    struct passes_result want, got;
    bp_model *model;
    bp_report *report;

    conv_model(false);
    passes_open_at(BP_OPTIMIZE_NONE);
    kit_session();
    passes_run(1, &want);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    KIT_OK(bp_model_optimize(kit.env, kit_model(), kit.options, 0, &model, &report, &kit.err));
    ck_assert_uint_gt(bp_report_pass_count(report), 0);
    ck_assert_uint_eq(bp_report_node_count(report), 1);
    bp_report_destroy(report);
    bp_model_close(kit.model);
    kit.model = model;
    kit_session();
    bp_model_close(kit.model);
    kit.model = NULL;
    passes_run(1, &got);
    passes_compare(&want, &got, "a model of a model");
    passes_forget(&got);
    passes_forget(&want);
}
END_TEST

/* ---- initializers that are inputs ------------------------------------------------------------ */

START_TEST(optimized_model_turns_defaults_into_constants)
{
    struct passes_saved saved;

    conv_model(true);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    passes_save(0, &saved);
    ck_assert_uint_eq(info_of(kit_model()).n_inputs, 2);
    ck_assert_uint_eq(info_of(saved.model).n_inputs, 1);
    ck_assert_uint_eq(info_of(saved.model).n_nodes, 1);
    passes_unsave(&saved);
}
END_TEST

START_TEST(optimized_model_keeps_defaults_on_request)
{
    static const float image[32] = {1}, weights[6] = {7};
    bp_binding in[2], out = kit_wanted(0);
    struct passes_saved saved;
    bp_model *model;

    conv_model(true);
    passes_open_at(BP_OPTIMIZE_BASIC);
    passes_save(BP_OPTIMIZE_KEEP_DEFAULTS, &saved);
    ck_assert_uint_eq(info_of(saved.model).n_inputs, 2);
    model = kit.model;
    kit.model = saved.model;
    kit_session();
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, image, 1, 2, 4, 4);
    in[1] = KIT_TENSOR(1, BP_DTYPE_F32, weights, 3, 2, 1, 1);
    kit_run(in, 2, &out, 1);
    ck_assert(((float *)out.tensor.base)[0] > 6);
    bp_tensor_free(&out.tensor);
    bp_session_destroy(kit.session);
    kit.session = NULL;
    kit.model = model;
    passes_unsave(&saved);
}
END_TEST

/* ---- subgraphs, strings and types ------------------------------------------------------------ */

/* A loop whose subgraph has a constant of its own and captures another. */
START_TEST(optimized_model_keeps_subgraphs)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "3");
    kit_ints("rounds", PW_SCALAR, 1, (const int64_t[]){4});
    passes_floats("around", PW_DIMS(3), 1);
    kit_open_node("loop", "Loop", "rounds - x", "y all");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "go", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "state", BP_DTYPE_F32, "3");
    passes_floats("within", PW_DIMS(3), 2);
    pw_node(&kit.w, "Identity", "go", "go_on");
    pw_node(&kit.w, "Mul", "state around", "m");
    pw_node(&kit.w, "Add", "m within", "next");
    pw_node(&kit.w, "Relu", "next", "seen");
    kit_io(KIT_OUTPUT, "go_on", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "next", BP_DTYPE_F32, "3");
    kit_io(KIT_OUTPUT, "seen", BP_DTYPE_F32, "3");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "3");
    kit_io(KIT_OUTPUT, "all", BP_DTYPE_F32, "4,3");
    passes_same();
}
END_TEST

/* A constant folded in a subgraph gets a name that the outer graph does not have. */
START_TEST(optimized_subgraphs_have_names_unique_in_the_model)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    passes_floats("w", PW_DIMS(3, 2, 1, 1), 1);
    passes_floats("m", PW_DIMS(3, 1, 1), 2);
    passes_floats("n", PW_DIMS(3, 1, 1), 3);
    kit_ints("yes", PW_DIMS(1), 1, (const int64_t[]){1});
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "d");
    kit_node("all", "ReduceSum", "x", "sum");
    kit_node("less", "Less", "sum sum", "cond4");
    kit_node("flat", "Reshape", "cond4 yes", "cond");
    kit_open_node("if", "If", "cond", "e");
    for (int i = 0; i < 2; i++) {
        kit_open_subgraph(i ? "else_branch" : "then_branch");
        pw_node(&kit.w, "Conv", "x w", i ? "c1" : "c2");
        pw_node(&kit.w, "Mul", i ? "c1 m" : "c2 n", i ? "o1" : "o2");
        kit_io(KIT_OUTPUT, i ? "o1" : "o2", BP_DTYPE_F32, NULL);
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    kit_node("add", "Add", "d e", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
}
END_TEST

static const char *text_at(const bp_tensor *tensor, size_t i)
{
    static char text[64];
    const bp_span *spans = bp_tensor_data(tensor);

    ck_assert_uint_lt(spans[i].size, sizeof text);
    memcpy(text, spans[i].data, spans[i].size);
    text[spans[i].size] = '\0';
    return text;
}

START_TEST(optimized_model_keeps_strings)
{
    bp_binding in, out = kit_wanted(0);
    struct passes_saved saved;
    bp_model *model;

    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "2");
    pw_open_tensor(&kit.w, 5, "words", BP_DTYPE_STRING, PW_DIMS(3));
    pw_text(&kit.w, 6, "one");
    pw_text(&kit.w, 6, "");
    pw_text(&kit.w, 6, "three");
    pw_close(&kit.w);
    kit_node("take", "Gather", "words i", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_STRING, "2");
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    passes_save(0, &saved);
    model = kit.model;
    kit.model = saved.model;
    kit_session();
    in = KIT_TENSOR(0, BP_DTYPE_I64, ((const int64_t[]){2, 1}), 2);
    kit_run(&in, 1, &out, 1);
    ck_assert_str_eq(text_at(&out.tensor, 0), "three");
    ck_assert_str_eq(text_at(&out.tensor, 1), "");
    bp_tensor_free(&out.tensor);
    bp_session_destroy(kit.session);
    kit.session = NULL;
    kit.model = model;
    passes_unsave(&saved);
}
END_TEST

/* The host keeps type attributes as strings; the saved file has them as TypeProto. */
START_TEST(optimized_model_keeps_type_attributes)
{
    struct passes_result want, got;
    struct passes_saved saved;

    kit_start_model_at(18);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "3");
    kit_open_node("none", "Optional", "", "nothing");
    pw_open_attr(&kit.w, "type", 13);
    pw_open(&kit.w, 14);
    pw_open(&kit.w, 4);
    pw_open(&kit.w, 1);
    pw_open(&kit.w, 1);
    pw_int(&kit.w, 1, BP_DTYPE_F32);
    for (int i = 0; i < 6; i++)
        pw_close(&kit.w);
    kit_node("has", "OptionalHasElement", "nothing", "is");
    kit_open_node("cast", "Cast", "is", "number");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    kit_node("add", "Add", "x number", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "3");
    passes_open_at(BP_OPTIMIZE_NONE);
    kit_session();
    passes_run(1, &want);
    passes_save(0, &saved);
    bp_session_destroy(kit.session);
    kit.session = NULL;
    bp_model_close(kit.model);
    kit.model = saved.model;
    kit_session();
    passes_run(1, &got);
    passes_compare(&want, &got, "a saved type");
    passes_forget(&want);
    passes_forget(&got);
    bp_session_destroy(kit.session);
    kit.session = NULL;
    kit.model = NULL;
    passes_unsave(&saved);
}
END_TEST

/* ---- versions -------------------------------------------------------------------------------- */

/* A call of function d.F, which is Softmax of version `opset` and then Relu. */
static void with_function(int64_t opset)
{
    kit_start_model_at(13);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    kit_node("soft", "Softmax", "x", "s");
    kit_open_node("call", "F", "s", "y");
    pw_text(&kit.w, 7, "d");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    end_graph();
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "d");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    pw_open(&kit.w, 25);
    pw_text(&kit.w, 10, "d");
    pw_text(&kit.w, 1, "F");
    pw_text(&kit.w, 4, "a");
    pw_text(&kit.w, 5, "b");
    pw_open_node_in(&kit.w, 7, "Softmax", "a", "t");
    pw_close(&kit.w);
    pw_open_node_in(&kit.w, 7, "Relu", "t", "b");
    pw_close(&kit.w);
    pw_open(&kit.w, 9);
    pw_int(&kit.w, 2, opset);
    pw_close(&kit.w);
    pw_close(&kit.w);
}

START_TEST(optimized_model_has_its_functions_inlined)
{
    struct passes_saved saved;

    with_function(13);
    passes_same();
    passes_open_at(BP_OPTIMIZE_NONE);
    passes_save(0, &saved);
    ck_assert_uint_eq(info_of(saved.model).n_functions, 0);
    ck_assert_uint_eq(count_of(saved.model, "Softmax"), 2);
    ck_assert_int_eq(opset_of(saved.model, "d"), 0);
    passes_unsave(&saved);
}
END_TEST

START_TEST(optimize_rejects_nodes_of_two_versions_of_an_opset)
{
    bp_model *model = NULL;
    bp_report *report = NULL;

    with_function(11);
    KIT_FAILS(bp_model_optimize(kit.env, kit_model(), NULL, 0, &model, &report, &kit.err),
              BP_E_UNSUPPORTED, "Softmax", "version 11", "version 13", "function");
    ck_assert_ptr_null(model);
    ck_assert_ptr_null(report);
}
END_TEST

/* ONNX has LayerNormalization from 17 on; the file may stay at 13, as ONNX Runtime's own do. */
START_TEST(layer_normalization_may_be_fused_in_an_opset_13_model)
{
    static const float two = 2, epsilon = 1e-5f;
    struct passes_saved saved;

    kit_start_model_at(13);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,8");
    kit_floats("two", PW_SCALAR, 1, &two);
    kit_floats("epsilon", PW_SCALAR, 1, &epsilon);
    passes_floats("g", PW_DIMS(8), 1);
    passes_floats("b", PW_DIMS(8), 2);
    kit_open_node("mean", "ReduceMean", "x", "mu");
    kit_ints_attr("axes", 1, (const int64_t[]){-1});
    pw_close(&kit.w);
    kit_node("sub", "Sub", "x mu", "d");
    kit_node("pow", "Pow", "d two", "q");
    kit_open_node("mean2", "ReduceMean", "q", "v");
    kit_ints_attr("axes", 1, (const int64_t[]){-1});
    pw_close(&kit.w);
    kit_node("eps", "Add", "v epsilon", "ve");
    kit_node("root", "Sqrt", "ve", "s");
    kit_node("div", "Div", "d s", "n");
    kit_node("scale", "Mul", "n g", "ng");
    kit_node("shift", "Add", "ng b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    passes_save(0, &saved);
    ck_assert_uint_eq(count_of(saved.model, "LayerNormalization"), 1);
    ck_assert_int_eq(opset_of(saved.model, ""), 13);
    passes_unsave(&saved);
}
END_TEST

/* ---- misuse ---------------------------------------------------------------------------------- */

START_TEST(optimize_rejects_invalid_arguments)
{
    bp_model *model = NULL;

    conv_model(false);
    KIT_FAILS(bp_model_optimize(kit.env, NULL, NULL, 0, &model, NULL, &kit.err), BP_E_INVALID,
              "a model");
    KIT_FAILS(bp_model_optimize(kit.env, kit_model(), NULL, 6, &model, NULL, &kit.err),
              BP_E_INVALID, "flags 0x6");
    passes_open_at(BP_OPTIMIZE_BASIC);
    kit_provider("nobody", BP_FALLBACK_SILENT);
    KIT_FAILS(bp_model_optimize(kit.env, kit_model(), kit.options, 0, &model, NULL, &kit.err),
              BP_E_INVALID, "nobody");
    ck_assert_ptr_null(model);
}
END_TEST

START_TEST(optimize_survives_every_failing_allocation)
{
    bool failed = true;

    conv_model(true);
    kit_model();
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    for (unsigned n = 1; failed; n++) {
        bp_model *model;
        bp_report *report;
        bp_rc rc;

        fail_alloc_at(n);
        rc = bp_model_optimize(kit.env, kit.model, kit.options, 0, &model, &report, &kit.err);
        failed = fail_alloc_stop();
        ck_assert_msg(rc == BP_E_NOMEM || rc == BP_OK, "allocation %u: %s: %s", n, bp_rc_name(rc),
                      kit.text);
        ck_assert(!model == (rc < 0) && !report == (rc < 0));
        bp_report_destroy(report);
        bp_model_close(model);
    }
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, optimized_model_keeps_its_metadata);
    tcase_add_test(all, optimize_level_none_changes_no_node);
    tcase_add_test(all, optimized_model_omits_unread_weights);
    tcase_add_test(all, optimized_model_outlives_the_original);
    tcase_add_test(all, optimized_model_turns_defaults_into_constants);
    tcase_add_test(all, optimized_model_keeps_defaults_on_request);
    tcase_add_test(all, optimized_model_keeps_subgraphs);
    tcase_add_test(all, optimized_subgraphs_have_names_unique_in_the_model);
    tcase_add_test(all, optimized_model_keeps_strings);
    tcase_add_test(all, optimized_model_keeps_type_attributes);
    tcase_add_test(all, optimized_model_has_its_functions_inlined);
    tcase_add_test(all, optimize_rejects_nodes_of_two_versions_of_an_opset);
    tcase_add_test(all, layer_normalization_may_be_fused_in_an_opset_13_model);
    tcase_add_test(all, optimize_rejects_invalid_arguments);
    tcase_add_test(all, optimize_survives_every_failing_allocation);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("model_optimize", &all, 1);
}
