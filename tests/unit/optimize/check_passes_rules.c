/* SPDX-License-Identifier: MIT */
/*
 * check_passes_rules.c - what passes leave alone, as placement rules speak of it or an application
 * has defined it; and how policies, explanations and profiles speak of what passes made.
 */

#include "config.h"

#include "optimize/passes_kit.h"

/* ---- pieces of models ------------------------------------------------------------------------ */

/* x[1,2,4,4] -> Conv "conv" -> Relu "relu" -> y, which becomes a FusedConv "conv". */
static void conv_model(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    passes_floats("w", PW_DIMS(3, 2, 1, 1), 1);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("relu", "Relu", "c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

/* Options for CPU alone, with a rule (or NULL), and a session. */
static void session_under(const char *rule)
{
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    if (rule)
        KIT_OK(bp_session_options_add_placement(kit.options, rule, &kit.err));
    kit_session();
}

/* The node is there under the rule, which the report names, and without it passes take it. */
static void check_pinned(const char *rule, const char *node, const char *with, const char *without)
{
    struct passes_result want, got;

    kit_model();
    passes_open_at(BP_OPTIMIZE_NONE);
    kit_session();
    passes_run(1, &want);
    session_under(NULL);
    ck_assert_str_eq(passes_ops(), without);
    session_under(rule);
    ck_assert_str_eq(passes_ops(), with);
    ck_assert_str_eq(passes_node(node).rule, rule);
    ck_assert_uint_eq(kit_warnings(), 0);
    passes_run(1, &got);
    passes_compare(&want, &got, rule);
    passes_forget(&want);
    passes_forget(&got);
}

/* ---- placement rules ------------------------------------------------------------------------- */

START_TEST(node_with_a_placement_rule_is_not_fused)
{
    static const struct {
        const char *rule, *node;
    } cases[] = {{"relu=cpu", "relu"}, {"op:Conv=cpu", "conv"}, {"op:R?lu=cpu", "relu"}};

    conv_model();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_pinned(cases[i].rule, cases[i].node, "Conv Relu", "FusedConv");
}
END_TEST

START_TEST(node_with_a_placement_rule_is_not_folded)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    passes_floats("a", PW_DIMS(3), 1);
    passes_floats("b", PW_DIMS(3), 2);
    kit_node("ab", "Mul", "a b", "c");
    kit_node("root", "Exp", "c", "d");
    kit_node("add", "Add", "x d", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    check_pinned("ab=cpu", "ab", "Mul Exp Add", "Add");
    check_pinned("root=cpu", "root", "Exp Add", "Add"); /* its inputs are folded still */
}
END_TEST

START_TEST(shape_node_with_a_placement_rule_is_not_folded)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("shape", "Shape", "x", "s");
    kit_node("neg", "Neg", "x", "y");
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_I64, NULL);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    check_pinned("op:Shape=cpu", "shape", "Shape Neg", "Neg");
}
END_TEST

START_TEST(unused_node_with_a_placement_rule_is_kept)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("same", "Identity", "x", "i");
    kit_node("idle", "Exp", "x", "nobody");
    kit_node("neg", "Neg", "i", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    check_pinned("same=cpu", "same", "Identity Neg", "Neg");
    check_pinned("idle=cpu", "idle", "Exp Neg", "Neg");
}
END_TEST

START_TEST(node_with_a_placement_rule_is_not_merged)
{
    static const int64_t perm[] = {1, 0};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("e1", "Exp", "x", "a");
    kit_node("e2", "Exp", "x", "b");
    kit_node("add", "Add", "a b", "s");
    for (int i = 0; i < 2; i++) {
        kit_open_node(i ? "back" : "turn", "Transpose", i ? "t" : "s", i ? "y" : "t");
        kit_ints_attr("perm", 2, perm);
        pw_close(&kit.w);
    }
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    check_pinned("e2=cpu", "e2", "Exp Exp Add", "Exp Add");
    check_pinned("turn=cpu", "turn", "Exp Add Transpose Transpose", "Exp Add");
}
END_TEST

/* A model with an If whose branches each become one node; its output is not read. */
static void branches(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    passes_floats("w", PW_DIMS(3, 2, 1, 1), 1);
    kit_node("all", "ReduceSum", "x", "sum");
    kit_node("less", "Less", "sum sum", "cond4");
    kit_ints("one", PW_DIMS(1), 1, (const int64_t[]){1});
    kit_node("flat", "Reshape", "cond4 one", "cond");
    kit_open_node("if", "If", "cond", "unread");
    for (int i = 0; i < 2; i++) {
        kit_open_subgraph(i ? "else_branch" : "then_branch");
        kit_node(i ? "c2" : "c1", "Conv", "x w", i ? "m2" : "m1");
        kit_node(i ? "r2" : "r1", "Relu", i ? "m2" : "m1", i ? "o2" : "o1");
        kit_io(KIT_OUTPUT, i ? "o2" : "o1", BP_DTYPE_F32, NULL);
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    kit_node("neg", "Neg", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

/* A node that is kept keeps the subgraphs that contain it. */
START_TEST(placement_rules_apply_in_subgraphs)
{
    branches();
    check_pinned("r2=cpu", "r2", "ReduceSum Less Reshape If Neg FusedConv Conv Relu", "Neg");
    session_under("path:if=cpu");
    ck_assert_str_eq(passes_node("c1").rule, "path:if=cpu");
    ck_assert_str_eq(passes_node("r1").op, "Relu");
}
END_TEST

START_TEST(placement_rule_without_a_match_prevents_no_fusion)
{
    conv_model();
    session_under("op:Gemm=cpu");
    ck_assert_str_eq(passes_ops(), "FusedConv");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'op:Gemm=cpu' matches no node"), 1);
}
END_TEST

/* The rule has no effect, so that CPU fuses as without it; it still counts as matched. */
START_TEST(placement_rule_for_an_absent_provider_prevents_no_fusion)
{
    conv_model();
    session_under("relu=needy");
    ck_assert_str_eq(passes_ops(), "FusedConv");
    ck_assert_ptr_null(passes_node("conv").rule);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'relu=needy' does nothing"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "matches no node"), 0);
}
END_TEST

/* Rules apply to nodes of the model, because their author cannot know the fused nodes. */
START_TEST(placement_rules_do_not_match_fused_nodes)
{
    conv_model();
    session_under("op:FusedConv=!cpu");
    ck_assert_str_eq(passes_ops(), "FusedConv");
    ck_assert_ptr_null(passes_node("conv").rule);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'op:FusedConv=!cpu' matches no node"), 1);
}
END_TEST

START_TEST(placement_rules_hold_after_a_provider_is_dropped)
{
    conv_model();
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_provider("uncompiled", BP_FALLBACK_SILENT);
    KIT_OK(bp_session_options_add_placement(kit.options, "relu=cpu", &kit.err));
    kit_session();
    ck_assert_str_eq(passes_ops(), "Conv Relu");
    ck_assert_str_eq(passes_node("relu").rule, "relu=cpu");
    passes_open_at(BP_OPTIMIZE_EXTENDED); /* a rule does not apply once its provider is dropped */
    kit_provider("uncompiled", BP_FALLBACK_SILENT);
    KIT_OK(bp_session_options_add_placement(kit.options, "relu=uncompiled", &kit.err));
    kit_session();
    ck_assert_str_eq(passes_ops(), "FusedConv");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "matches no node"), 0);
}
END_TEST

/* ---- operators of the application ------------------------------------------------------------ */

static int calls;

static bp_rc minus_one(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_tensor *x = bp_operator_input(call, 0);
    bp_tensor *y;
    bp_rc rc = bp_operator_size_output(call, 0, x->rank, x->dims, &y, err);

    (void)kernel;
    calls++;
    for (int64_t i = 0; rc >= 0 && i < bp_dims_count(x->dims, x->rank); i++)
        ((float *)bp_tensor_data(y))[i] = ((const float *)bp_tensor_data(x))[i] - 1;
    return rc;
}

static bp_rc same_shape(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    bp_operator_fact x = {.struct_size = sizeof x};
    bp_rc rc = bp_operator_shapes_input(shapes, 0, &x, err);

    (void)user;
    return rc < 0 ? rc : bp_operator_shapes_set(shapes, 0, BP_DTYPE_NONE, x.rank, x.dims, err);
}

/* Operator `name` of ONNX's own domain subtracts 1 in every session from now on. */
static void replace(const char *name)
{
    static const bp_operand in = {.name = "X", .types = UINT64_C(1) << BP_DTYPE_F32};
    static const bp_operand out = {.name = "Y", .types = UINT64_C(1) << BP_DTYPE_F32};
    bp_operator_def def = {.struct_size = sizeof def,
                           .domain = "",
                           .name = name,
                           .since = 1,
                           .flags = BP_OPERATOR_REPLACE,
                           .in = &in,
                           .out = &out,
                           .n_in = 1,
                           .n_out = 1,
                           .shapes = same_shape,
                           .compute = minus_one};
    bp_operators *set;

    KIT_OK(bp_operators_create(&set, &kit.err));
    KIT_OK(bp_operators_add(set, &def, &kit.err));
    KIT_OK(bp_env_add_operators(kit.env, set, &kit.err));
    bp_operators_release(set);
}

/* A custom operator named Relu is not ONNX's Relu, which would be fused. */
START_TEST(custom_operator_named_like_an_onnx_one_is_not_fused)
{
    conv_model();
    replace("Relu");
    passes_same();
    session_under(NULL);
    ck_assert_str_eq(passes_ops(), "Conv Relu");
}
END_TEST

START_TEST(custom_operator_nodes_are_neither_folded_nor_merged)
{
    struct passes_result result;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "3");
    passes_floats("a", PW_DIMS(3), 1);
    kit_node("fixed", "Exp", "a", "c"); /* of a constant */
    kit_node("e1", "Exp", "x", "e");    /* twice the same */
    kit_node("e2", "Exp", "x", "f");
    kit_node("idle", "Exp", "x", "nobody");
    kit_node("ef", "Sub", "e f", "g");
    kit_node("add", "Add", "g c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "3");
    replace("Exp");
    passes_same();
    session_under(NULL);
    ck_assert_str_eq(passes_ops(), "Exp Exp Exp Exp Sub Add");
    calls = 0;
    passes_run(1, &result);
    passes_forget(&result);
    ck_assert_int_eq(calls, 4);
}
END_TEST

/* ---- policies -------------------------------------------------------------------------------- */

/* x -> Conv -> Relu -> Add, of which few gets the Add: of two nodes as they run, or of three. */
START_TEST(minimum_share_counts_nodes_after_fusion)
{
    for (uint32_t level = BP_OPTIMIZE_BASIC; level <= BP_OPTIMIZE_EXTENDED; level++) {
        kit_start_model();
        conv_model();
        kit_node("add", "Add", "y y", "z");
        kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
        passes_open_at(level);
        kit_provider_with("few", "take", "Add");
        KIT_OK(bp_session_options_set_min_share(kit.options, "few", 0.5, &kit.err));
        kit_session();
        ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "1 of 3 nodes"), 1);
        ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "1 of 2 nodes"), 0);
    }
}
END_TEST

/* A model without nodes left to run has no failed provider. */
START_TEST(required_provider_of_a_fully_folded_model_does_not_fail)
{
    struct passes_result want, got;
    bp_report_provider row = {.struct_size = sizeof row};

    passes_floats("a", PW_DIMS(3), 1);
    kit_node("add", "Add", "a a", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    for (uint32_t level = BP_OPTIMIZE_NONE; level <= BP_OPTIMIZE_BASIC; level++) {
        passes_open_at(level);
        kit_provider("few", BP_FALLBACK_REQUIRE);
        KIT_OK(bp_session_options_set_min_share(kit.options, "few", 1, &kit.err));
        kit_session();
        passes_run(1, level == BP_OPTIMIZE_NONE ? &want : &got);
    }
    passes_compare(&want, &got, "basic");
    passes_forget(&want);
    passes_forget(&got);
    KIT_OK(bp_report_get_provider(bp_session_report(kit.session), 0, &row, &kit.err));
    ck_assert_str_eq(row.name, "few");
    ck_assert_int_eq(row.code, BP_OK);
    ck_assert_str_eq(row.reason, "not needed: no node is left to run");
}
END_TEST

/* ---- explanations and profiles --------------------------------------------------------------- */

static void explains(uint32_t format, const char *words)
{
    char *text;

    KIT_OK(bp_explain(kit.env, bp_session_report(kit.session), "few", format, &text, &kit.err));
    ck_assert_msg(strstr(text, words) != NULL, "'%s' is not in: %s", words, text);
    if (format == BP_EXPLAIN_JSON)
        ck_assert_ptr_null(kit_bad_json(text));
    bp_free(text);
}

START_TEST(explain_names_the_original_nodes_of_a_fused_node)
{
    conv_model();
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_provider_with("few", "take", "Add");
    kit_session();
    explains(BP_EXPLAIN_TEXT, "conv (FusedConv, of conv, relu)");
    explains(BP_EXPLAIN_JSON, "\"stands_for\":\"conv, relu\"");
    passes_open_at(BP_OPTIMIZE_NONE);
    kit_provider_with("few", "take", "Add");
    kit_session();
    explains(BP_EXPLAIN_TEXT, "conv (Conv)");
}
END_TEST

START_TEST(profile_lists_fused_nodes)
{
    bp_profile_event event = {.struct_size = sizeof event};
    float x[32] = {1};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 2, 4, 4), out = kit_wanted(0);
    bp_run_options options = {.struct_size = sizeof options};

    conv_model();
    session_under(NULL);
    KIT_OK(bp_profile_create(0, &options.profile, &kit.err));
    KIT_OK(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err));
    KIT_OK(bp_profile_get(options.profile, 0, &event, &kit.err));
    ck_assert_uint_eq(event.kind, BP_PROFILE_NODE);
    ck_assert_str_eq(event.name, "conv");
    ck_assert_str_eq(event.op, "FusedConv");
    ck_assert_str_eq(event.provider, "cpu");
    ck_assert_uint_eq(bp_profile_count(options.profile), 3); /* the node, its group, the run */
    bp_tensor_free(&out.tensor);
    bp_profile_destroy(options.profile);
}
END_TEST

int main(void)
{
    TCase *rules = tcase_create("rules"), *others = tcase_create("others"),
          *all[] = {rules, others};

    tcase_add_checked_fixture(rules, kit_setup, kit_teardown);
    tcase_add_test(rules, node_with_a_placement_rule_is_not_fused);
    tcase_add_test(rules, node_with_a_placement_rule_is_not_folded);
    tcase_add_test(rules, shape_node_with_a_placement_rule_is_not_folded);
    tcase_add_test(rules, unused_node_with_a_placement_rule_is_kept);
    tcase_add_test(rules, node_with_a_placement_rule_is_not_merged);
    tcase_add_test(rules, placement_rules_apply_in_subgraphs);
    tcase_add_test(rules, placement_rule_without_a_match_prevents_no_fusion);
    tcase_add_test(rules, placement_rule_for_an_absent_provider_prevents_no_fusion);
    tcase_add_test(rules, placement_rules_do_not_match_fused_nodes);
    tcase_add_test(rules, placement_rules_hold_after_a_provider_is_dropped);
    tcase_add_checked_fixture(others, kit_setup, kit_teardown);
    tcase_add_test(others, custom_operator_named_like_an_onnx_one_is_not_fused);
    tcase_add_test(others, custom_operator_nodes_are_neither_folded_nor_merged);
    tcase_add_test(others, minimum_share_counts_nodes_after_fusion);
    tcase_add_test(others, required_provider_of_a_fully_folded_model_does_not_fail);
    tcase_add_test(others, explain_names_the_original_nodes_of_a_fused_node);
    tcase_add_test(others, profile_lists_fused_nodes);
    return kit_main("passes_rules", all, 2);
}
