/* SPDX-License-Identifier: MIT */
/*
 * check_missing.c - what is said where nodes have no provider: the operators to blame, with the way out,
 * and that no provider was found at all.
 */

#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/session_kit.h"

/* Opens a node of a domain; the caller adds nothing to it. */
static void node_of(const char *domain, const char *name, const char *op, const char *in,
                    const char *out)
{
    kit_open_node(name, op, in, out);
    pw_text(&kit.w, 7, domain); /* NodeProto.domain */
    pw_close(&kit.w);
}

/* Two operators that are not there, and three of ONNX behind them, whose types follow from them. */
static void model_of_unknown_operators(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    node_of("com.example", "foo1", "Foo", "x", "a");
    node_of("com.example", "foo2", "Foo", "a", "b");
    node_of("com.example", "bar", "Bar", "b", "c");
    kit_node("relu", "Relu", "c", "d");
    kit_node("add", "Add", "d d", "e");
    kit_node("softmax", "Softmax", "e", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    pw_close(&kit.w); /* the graph; then ModelProto.opset_import */
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "com.example");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
}

START_TEST(unknown_operators_are_to_blame_and_not_what_follows_them)
{
    model_of_unknown_operators();
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "no provider takes 6 nodes",
              "com.example.Foo-1 (2 nodes, the first is 'foo1'", "com.example.Bar-1 (node 'bar'",
              "and 3 after these", "bp_session_options_add_operators()", "--bind");
    ck_assert_ptr_null(strstr(kit.text, "Relu"));
    ck_assert_ptr_null(strstr(kit.text, "Softmax"));
}
END_TEST

/* Of an operator of ONNX that is newer than the model's import, the version is the way out. */
START_TEST(operator_of_a_newer_version_is_named_with_it)
{
    kit_start_model_at(18);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("gelu", "Gelu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "Gelu-18",
              "known from version 20 on, the model imports 18");
    ck_assert_ptr_null(strstr(kit.text, "add_operators"));
}
END_TEST

/* Also what cpu was asked for counts: it is not left out because others took all. */
START_TEST(plan_says_that_cpu_takes_nothing_either)
{
    bp_report_provider row = {.struct_size = sizeof row};
    bp_report *report;

    model_of_unknown_operators();
    KIT_OK(bp_plan_create(kit.env, kit_model(), NULL, &report, &kit.err));
    KIT_OK(bp_report_get_provider(report, 0, &row, &kit.err));
    ck_assert_str_eq(row.name, "cpu");
    ck_assert_ptr_nonnull(strstr(row.reason, "takes none of 6 nodes"));
    bp_report_destroy(report);
}
END_TEST

START_TEST(without_any_provider_the_searched_directories_are_named)
{
    char dir[] = "/tmp/backplane-empty-XXXXXX";
    bp_session *session = NULL;
    bp_model *model;
    bp_env *env;

    ck_assert_ptr_nonnull(mkdtemp(dir));
    kit_small_model();
    kit_model();
    setenv("BACKPLANE_PROVIDER_PATH", dir, 1);
    KIT_OK(bp_env_create(NULL, &env, &kit.err));
    KIT_OK(bp_model_open_memory(env, kit.w.data, kit.w.size, NULL, &model, &kit.err));
    KIT_FAILS(bp_session_create_from_model(env, model, NULL, &session, &kit.err), BP_E_UNAVAILABLE,
              "no provider was found", dir, "BACKPLANE_PROVIDER_PATH", "backplane doctor");
    ck_assert_ptr_null(session);
    bp_model_close(model);
    KIT_OK(bp_env_destroy(env, &kit.err));
    ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

START_TEST(empty_path_is_said_to_be_empty)
{
    bp_session *session;
    bp_model *model;

    KIT_FAILS(bp_model_open(kit.env, "", &model, &kit.err), BP_E_INVALID, "path", "empty");
    KIT_FAILS(bp_session_create(kit.env, "", NULL, &session, &kit.err), BP_E_INVALID, "path",
              "empty");
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("missing");

    tcase_add_checked_fixture(cases, kit_setup, kit_teardown);
    tcase_add_test(cases, unknown_operators_are_to_blame_and_not_what_follows_them);
    tcase_add_test(cases, operator_of_a_newer_version_is_named_with_it);
    tcase_add_test(cases, plan_says_that_cpu_takes_nothing_either);
    tcase_add_test(cases, without_any_provider_the_searched_directories_are_named);
    tcase_add_test(cases, empty_path_is_said_to_be_empty);
    return kit_main("missing operators", &cases, 1);
}
