/* SPDX-License-Identifier: MIT */
/*
 * check_provider_ops.c - operators that providers declare: checked, inferred and run in sessions that
 * have the provider, unknown in others; schemas that are wrong or that two providers share. The
 * mocks are native.c with what it declares named by the plug-in.
 */

#include "config.h"

#include "support/session_kit.h"

#define DOMAIN "org.backplane.test"

/* ---- models ---------------------------------------------------------------------------------- */

/* The model imports version 1 of the domain. */
static void import_domain(void)
{
    pw_open(&kit.w, 8); /* ModelProto.opset_import, outside of the graph */
    pw_text(&kit.w, 1, DOMAIN);
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
}

/* The graph of kit.w is closed by its first import, as the model is written front to back. */
static void end_model(void)
{
    pw_close(&kit.w);
    import_domain();
    kit.is_closed = true;
}

static void open_node(const char *name, const char *op, const char *in, const char *out)
{
    kit_open_node(name, op, in, out);
    pw_text(&kit.w, 7, DOMAIN);
}

static void scale_node(const char *name, const char *in, const char *out)
{
    open_node(name, "Scale", in, out);
    pw_close(&kit.w);
}

static void repeat_node(const char *in, const char *out, int64_t times)
{
    open_node("repeat", "Repeat", in, out);
    kit_int_attr("times", times);
    pw_close(&kit.w);
}

/* x[N,2] -> Scale -> Relu -> Repeat -> y. */
static void chain_model(int64_t times)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,2");
    scale_node("scale", "x", "s");
    kit_node("relu", "Relu", "s", "r");
    repeat_node("r", "y", times);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    end_model();
}

/* ---- what a session does with them ----------------------------------------------------------- */

START_TEST(declared_operators_run_with_their_defaults_and_shapes)
{
    float x[] = {1, -2, 3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 2), out = kit_wanted(0);

    chain_model(3);
    kit_provider("native", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 6, 2);
    KIT_FLOATS(&out.tensor, 2, 0, 6, 8, 2, 0, 6, 8, 2, 0, 6, 8);
    bp_tensor_free(&out.tensor);
    ck_assert_uint_eq(kit_warnings(), 0);
}
END_TEST

START_TEST(a_declared_size_may_come_with_the_data)
{
    float x[] = {1, -2, 3, -4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 4), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    open_node("positive", "Positive", "x", "p");
    kit_int_attr("anything", 1); /* BP_OP_ANY_ATTR */
    pw_close(&kit.w);
    kit_node("neg", "Neg", "p", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    end_model();
    kit_provider("native", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 2);
    KIT_FLOATS(&out.tensor, -1, -3);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(a_declared_shape_may_follow_from_elements)
{
    int64_t shape[] = {2, 2}, values[] = {7, 8, 9};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_I64, shape, 2), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_I64, "2");
    open_node("fill", "Fill", "x", "f");
    kit_ints_attr("values", 3, values);
    pw_close(&kit.w);
    kit_node("neg", "Neg", "f", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    end_model();
    kit_provider("native", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 2, 2);
    KIT_FLOATS(&out.tensor, -7, -8, -9, -7);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* Count of x as often as `in` says. */
static void count_model(const char *in)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_io(KIT_INPUT, "b", BP_DTYPE_BOOL, "3");
    open_node("count", "Count", in, "y");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_I64, NULL);
    end_model();
    kit_provider("native", BP_FALLBACK_REQUIRE);
}

START_TEST(a_declared_list_of_inputs_has_a_least_number)
{
    count_model("x");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "node 'count' (Count)", "has 1 inputs of the list",
              "the operator needs 2");
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_NODE_ARITY);
}
END_TEST

START_TEST(a_declared_list_may_have_inputs_of_several_types)
{
    float x[4] = {0};
    uint8_t b[3] = {0};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 4), KIT_TENSOR(1, BP_DTYPE_BOOL, b, 3)};
    bp_binding out = kit_wanted(0);

    count_model("x b");
    kit_session();
    kit_run(in, 2, &out, 1);
    ck_assert_uint_eq(out.tensor.rank, 0);
    ck_assert_int_eq(*(const int64_t *)out.tensor.base, 7);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(output_shapes_are_known_before_a_run)
{
    bp_io_info port = {.struct_size = sizeof port};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,N");
    repeat_node("x", "y", 5);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    end_model();
    kit_provider("native", BP_FALLBACK_REQUIRE);
    kit_session();
    KIT_OK(bp_session_output(kit.session, 0, &port, &kit.err));
    ck_assert_uint_eq(port.dtype, BP_DTYPE_F32);
    ck_assert_uint_eq(port.rank, 2);
    ck_assert_int_eq(port.dims[0].value, 10);
    ck_assert_int_eq(port.dims[1].value, -1);
}
END_TEST

START_TEST(a_declared_operator_in_a_subgraph_runs)
{
    float x[] = {1, 2};
    uint8_t yes = 1;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_BOOL, &yes, 1), KIT_TENSOR(1, BP_DTYPE_F32, x, 1, 2)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "1");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    scale_node("scale", "x", "a");
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("neg", "Neg", "x", "b");
    kit_io(KIT_OUTPUT, "b", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    end_model();
    kit_provider("native", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, 2, 4);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- nodes that are wrong -------------------------------------------------------------------- */

/* One node between x and y, which the session has to refuse. */
static void one_node(const char *op, const char *attr)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    open_node("node", op, "x", "y");
    if (attr)
        kit_int_attr(attr, 0);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    end_model();
    kit_provider("native", BP_FALLBACK_REQUIRE);
}

START_TEST(an_attribute_that_is_not_declared_is_refused)
{
    one_node("Scale", "faktor");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "no attribute 'faktor'", "'factor' meant?");
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_UNKNOWN_ATTRIBUTE);
}
END_TEST

START_TEST(an_attribute_that_is_required_must_be_there)
{
    one_node("Repeat", NULL);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "node 'node' (Repeat)", "'times'", "is missing");
}
END_TEST

START_TEST(the_words_of_a_shape_rule_reach_the_caller)
{
    one_node("Repeat", "times");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "node 'node' (Repeat)", "provider 'native'",
              "'times' is 0, must be 1 or more");
}
END_TEST

START_TEST(an_element_type_that_is_not_declared_is_refused)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_I64, "4");
    scale_node("node", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_I64, NULL);
    end_model();
    kit_provider("native", BP_FALLBACK_REQUIRE);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "node 'node' (Scale)", "input X has type int64",
              "float32");
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_NODE_TYPE);
}
END_TEST

START_TEST(an_input_too_many_is_refused)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    repeat_node("x x", "y", 2);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    end_model();
    kit_provider("native", BP_FALLBACK_REQUIRE);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "(Repeat) has 2 inputs", "the operator has 1 input");
}
END_TEST

START_TEST(a_provider_that_is_not_in_the_list_defines_nothing)
{
    chain_model(2);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "Scale", "the host knows no such operator");
    ck_assert_uint_eq(kit.err.detail, BP_DETAIL_UNKNOWN_OPERATOR);
}
END_TEST

/* ---- schemas that are wrong, and two providers ----------------------------------------------- */

/* A session with that provider fails, with its words and these. */
static void refuses_provider(const char *name, const char *words, const char *more)
{
    chain_model(2);
    kit_provider(name, BP_FALLBACK_REQUIRE);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, name, words, more);
}

START_TEST(schemas_in_a_domain_of_onnx_are_refused)
{
    refuses_provider("usurper", "operator 'Scale' is declared in domain 'ai.onnx'",
                     "a domain of its own");
}
END_TEST

START_TEST(a_default_that_is_missing_is_refused)
{
    refuses_provider("garbled", "operator 'Scale': attribute 0 'factor'", "has no text as default");
}
END_TEST

START_TEST(one_version_declared_twice_is_refused)
{
    refuses_provider("repeating", "operator 'Repeat'", "is declared twice for version 1");
}
END_TEST

START_TEST(rows_that_are_too_short_are_refused)
{
    refuses_provider("stunted", "operator schemas", "8 bytes apart");
}
END_TEST

START_TEST(unsound_schemas_drop_a_provider_that_is_not_required)
{
    const bp_report *report;
    bp_report_provider row = {.struct_size = sizeof row};

    kit_small_model();
    kit_provider("usurper", BP_FALLBACK_WARN);
    kit_session();
    kit_check_small(2);
    report = bp_session_report(kit.session);
    KIT_OK(bp_report_get_provider(report, 0, &row, &kit.err));
    ck_assert_uint_eq(row.stage, BP_STAGE_CREATE);
    ck_assert_int_eq(row.code, BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(row.reason, "domain 'ai.onnx'"));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "provider 'usurper' is not used"), 1);
}
END_TEST

START_TEST(an_operator_that_the_host_knows_stays_the_hosts)
{
    kit_small_model();
    kit_provider("knowing", BP_FALLBACK_WARN);
    kit_session();
    kit_check_small(2);
    ck_assert_uint_eq(
        kit_lines_with(BP_LOG_WARN, "declares operator 'Gelu' of domain 'com.microsoft'"), 1);
}
END_TEST

START_TEST(two_providers_may_declare_an_operator_in_the_same_words)
{
    float x[] = {1, 2};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 2), out = kit_wanted(0);

    chain_model(1);
    kit_provider("twin", BP_FALLBACK_REQUIRE);
    kit_provider("native", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 2, 4);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(two_providers_may_not_declare_an_operator_in_other_words)
{
    chain_model(1);
    kit_provider("native", BP_FALLBACK_REQUIRE);
    kit_provider("rival", BP_FALLBACK_REQUIRE);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'rival'", "operator 'Scale'", "version 1",
              "declared by provider 'native' with other inputs");
}
END_TEST

/* ---- what is told of them -------------------------------------------------------------------- */

static void count_own(void *user, const bp_operator_info *row)
{
    unsigned *n = user;

    if (strcmp(row->domain, DOMAIN) != 0)
        return;
    ck_assert_uint_eq(row->since, 1);
    ck_assert_uint_eq(row->taken, row->types);
    ++*n;
}

START_TEST(declared_operators_are_listed)
{
    bp_provider_info info = {.struct_size = sizeof info};
    unsigned n = 0;

    for (uint32_t i = 0;; i++) {
        KIT_OK(bp_env_provider_peek(kit.env, i, &info, &kit.err));
        if (strcmp(info.name, "native") != 0)
            continue;
        KIT_OK(bp_env_provider_info(kit.env, i, &info, &kit.err));
        KIT_OK(bp_env_provider_operators(kit.env, i, count_own, &n, &kit.err));
        break;
    }
    ck_assert_uint_eq(info.n_schemas, 5);
    ck_assert_str_eq(BP_AT(bp_op_schema, info.schemas, info.schema_stride, 1)->name, "Repeat");
    ck_assert_uint_eq(n, 5);
}
END_TEST

int main(void)
{
    TCase *nodes = tcase_create("nodes"), *schemas = tcase_create("schemas");
    TCase *const cases[] = {nodes, schemas};

    tcase_add_checked_fixture(nodes, kit_setup, kit_teardown);
    tcase_add_test(nodes, declared_operators_run_with_their_defaults_and_shapes);
    tcase_add_test(nodes, a_declared_size_may_come_with_the_data);
    tcase_add_test(nodes, a_declared_shape_may_follow_from_elements);
    tcase_add_test(nodes, a_declared_list_of_inputs_has_a_least_number);
    tcase_add_test(nodes, a_declared_list_may_have_inputs_of_several_types);
    tcase_add_test(nodes, output_shapes_are_known_before_a_run);
    tcase_add_test(nodes, a_declared_operator_in_a_subgraph_runs);
    tcase_add_test(nodes, an_attribute_that_is_not_declared_is_refused);
    tcase_add_test(nodes, an_attribute_that_is_required_must_be_there);
    tcase_add_test(nodes, the_words_of_a_shape_rule_reach_the_caller);
    tcase_add_test(nodes, an_element_type_that_is_not_declared_is_refused);
    tcase_add_test(nodes, an_input_too_many_is_refused);
    tcase_add_test(nodes, a_provider_that_is_not_in_the_list_defines_nothing);
    tcase_add_checked_fixture(schemas, kit_setup, kit_teardown);
    tcase_add_test(schemas, schemas_in_a_domain_of_onnx_are_refused);
    tcase_add_test(schemas, a_default_that_is_missing_is_refused);
    tcase_add_test(schemas, one_version_declared_twice_is_refused);
    tcase_add_test(schemas, rows_that_are_too_short_are_refused);
    tcase_add_test(schemas, unsound_schemas_drop_a_provider_that_is_not_required);
    tcase_add_test(schemas, an_operator_that_the_host_knows_stays_the_hosts);
    tcase_add_test(schemas, two_providers_may_declare_an_operator_in_the_same_words);
    tcase_add_test(schemas, two_providers_may_not_declare_an_operator_in_other_words);
    tcase_add_test(schemas, declared_operators_are_listed);
    return kit_main("provider_ops", cases, sizeof cases / sizeof cases[0]);
}
