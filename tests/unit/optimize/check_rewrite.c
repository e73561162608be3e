/* SPDX-License-Identifier: MIT */
/* check_rewrite.c - what passes find nodes by, and equal nodes wherever their readers are. */

#include "config.h"

#include <stdio.h>

#include "optimize/rewrite.h"

#include "graph/schema_table.h"
#include "optimize/passes_kit.h"

/* ---- keys ------------------------------------------------------------------------------------ */

/* Passes take a node of the same key for that operator: there must be no second. */
START_TEST(operator_keys_are_unique)
{
    uint32_t n;
    const struct bp_schema *const *all = bp_schema_all(&n);

    for (uint32_t i = 0; i < n; i++) {
        ck_assert_uint_ne(bp_rw_key(all[i]->op), 0);
        for (uint32_t j = 0; j < i; j++)
            ck_assert_msg(bp_rw_key(all[i]->op) != bp_rw_key(all[j]->op) ||
                              strcmp(all[i]->op, all[j]->op) == 0,
                          "%s and %s", all[i]->op, all[j]->op);
    }
    ck_assert_uint_gt(n, 100);
}
END_TEST

START_TEST(short_operator_names_have_unique_keys)
{
    ck_assert_uint_ne(bp_rw_key(""), 0);
    ck_assert_uint_ne(bp_rw_key("A"), bp_rw_key("B"));
    ck_assert_uint_ne(bp_rw_key("Or"), bp_rw_key("Xor"));
}
END_TEST

/* ---- equal nodes ----------------------------------------------------------------------------- */

static void input(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
}

static void leaky(const char *name, const char *in, const char *out, float alpha)
{
    kit_open_node(name, "LeakyRelu", in, out);
    passes_float_attr("alpha", alpha);
    pw_close(&kit.w);
}

/* A consumer of the first chain comes before the second chain: both are still merged. */
START_TEST(interleaved_equal_chains_are_merged)
{
    input();
    kit_node("a1", "Exp", "x", "a1");
    kit_node("b1", "Neg", "a1", "b1");
    kit_node("a2", "Exp", "x", "a2");
    kit_node("c1", "Abs", "b1", "c1");
    kit_node("b2", "Neg", "a2", "b2");
    kit_node("c2", "Abs", "b2", "c2");
    kit_node("add", "Add", "c1 c2", "y");
    passes_becomes("Exp Neg Abs Add", "Exp Neg Abs Add");
    ck_assert_uint_eq(passes_matches("share-equal"), 3);
}
END_TEST

/* Nodes whose inputs differ in order, in count or in a repeated input are different. */
START_TEST(nodes_with_different_inputs_are_not_merged)
{
    input();
    kit_node("half", "Sigmoid", "x", "h");
    kit_node("a", "Sub", "x h", "a");
    kit_node("b", "Sub", "h x", "b");
    kit_node("c", "Max", "x h", "c");
    kit_node("d", "Max", "x h x", "d");
    kit_node("all", "Sum", "a b c d", "y");
    passes_becomes("Sigmoid Sub Sub Max Max Sum", "Sigmoid Sub Sub Max Max Sum");
}
END_TEST

START_TEST(nodes_with_different_attribute_values_are_not_merged)
{
    input();
    leaky("a", "x", "a", 0.1F);
    leaky("b", "x", "b", 0.2F);
    leaky("c", "x", "c", 0.1F);
    kit_node("all", "Sum", "a b c", "y");
    passes_becomes("LeakyRelu LeakyRelu Sum", "LeakyRelu LeakyRelu Sum");
    ck_assert_uint_eq(passes_matches("share-equal"), 1);
}
END_TEST

enum { MANY = 40 }; /* consumers, far more than are compared one by one */

/* Each attribute value occurs twice; a hash table finds the pairs. */
START_TEST(duplicate_consumers_of_a_value_with_many_consumers_are_merged)
{
    char all[MANY * 8] = "";
    size_t used = 0;

    input();
    for (int i = 0; i < MANY; i++) {
        char out[8];

        snprintf(out, sizeof out, "t%d", i);
        leaky(out, "x", out, (float)(i % (MANY / 2)) / 64);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? " " : "", out);
    }
    kit_node("all", "Sum", all, "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_uint_eq(passes_matches("share-equal"), MANY / 2);
    ck_assert_uint_eq(bp_report_node_count(bp_session_report(kit.session)), MANY / 2 + 1);
}
END_TEST

/*
 * The readers of many equal values come together while they are looked at: few at first, then many.
 * What the first look leaves, the next finds.
 */
START_TEST(duplicates_are_merged_while_the_count_of_consumers_grows)
{
    char all[MANY * 8] = "";
    size_t used = 0;

    input();
    for (int i = 0; i < MANY; i++) {
        char value[8], out[8];

        snprintf(value, sizeof value, "v%d", i);
        snprintf(out, sizeof out, "t%d", i);
        kit_node(value, "Exp", "x", value);
        leaky(out, value, out, (float)(i % 12) / 64);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? " " : "", out);
    }
    kit_node("all", "Sum", all, "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_uint_eq(bp_report_node_count(bp_session_report(kit.session)), 1 + 12 + 1);
}
END_TEST

/* Changes that the rewriter keeps in its lists are in the graph before the next pass reads a node. */
START_TEST(consumers_of_a_removed_node_read_its_input)
{
    const int64_t turn[] = {1, 0};

    input();
    kit_open_node("t1", "Transpose", "x", "a");
    kit_ints_attr("perm", 2, turn);
    pw_close(&kit.w);
    kit_node("i1", "Identity", "a", "b");
    kit_node("i2", "Identity", "b", "c");
    kit_open_node("t2", "Transpose", "c", "d");
    kit_ints_attr("perm", 2, turn);
    pw_close(&kit.w);
    kit_node("i3", "Identity", "x", "e");
    kit_node("e1", "Exp", "d", "f");
    kit_node("e2", "Exp", "e", "g");
    kit_node("sub", "Sub", "f g", "h");
    kit_node("sum", "Sum", "c c", "s");
    kit_node("m", "MatMul", "h s", "y");
    passes_becomes("Transpose Exp Sub Sum MatMul", "Transpose Exp Sub Sum MatMul");
    ck_assert_uint_ge(passes_matches("drop-no-ops"), 3);
    ck_assert_uint_eq(passes_matches("share-equal"), 1);
}
END_TEST

/* Attributes set by a pass are compared too, also among many consumers. */
START_TEST(nodes_with_different_attributes_set_by_passes_are_not_merged)
{
    const int64_t left[] = {1, 2, 0}, right[] = {2, 0, 1};
    char all[MANY * 8] = "both";
    size_t used = strlen(all);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "3,3,3");
    for (int i = 0; i < MANY / 2; i++) { /* x has many readers */
        char out[8];

        snprintf(out, sizeof out, "t%d", i);
        leaky(out, "x", out, (float)i / 64);
        used += (size_t)snprintf(all + used, sizeof all - used, " %s", out);
    }
    kit_open_node("right", "Transpose", "x", "a");
    kit_ints_attr("perm", 3, right);
    pw_close(&kit.w);
    kit_open_node("left", "Transpose", "x", "b");
    kit_ints_attr("perm", 3, left);
    pw_close(&kit.w);
    kit_open_node("again", "Transpose", "b", "c"); /* left twice is right */
    kit_ints_attr("perm", 3, left);
    pw_close(&kit.w);
    kit_node("both", "Mul", "a c", "both");
    kit_node("all", "Sum", all, "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_uint_eq(passes_matches("merge-moves"), 1);
    ck_assert_uint_eq(passes_matches("share-equal"), 1);
}
END_TEST

/* A graph output keeps its own node. */
START_TEST(nodes_that_give_graph_outputs_are_not_merged)
{
    input();
    kit_node("a", "Exp", "x", "a");
    kit_node("b", "Exp", "x", "b");
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, NULL);
    kit_node("neg", "Neg", "b", "y");
    passes_becomes("Exp Exp Neg", "Exp Exp Neg");
}
END_TEST

/* Scales may be doubles. */
START_TEST(scalar_constants_are_read_in_any_type)
{
    const double two = 2;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F64, "2,3");
    pw_raw_tensor(&kit.w, 5, "k", BP_DTYPE_F64, PW_DIMS(1), &two, sizeof two);
    kit_node("div", "Div", "x k", "d");
    kit_node("erf", "Erf", "d", "e");
    kit_node("add", "Add", "e k", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F64, NULL);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(passes_ops(), "Div Erf Add"); /* 2 is not the root of 2 */
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("rewrite");

    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_add_test(all, operator_keys_are_unique);
    tcase_add_test(all, short_operator_names_have_unique_keys);
    tcase_add_test(all, interleaved_equal_chains_are_merged);
    tcase_add_test(all, nodes_with_different_inputs_are_not_merged);
    tcase_add_test(all, nodes_with_different_attribute_values_are_not_merged);
    tcase_add_test(all, duplicate_consumers_of_a_value_with_many_consumers_are_merged);
    tcase_add_test(all, duplicates_are_merged_while_the_count_of_consumers_grows);
    tcase_add_test(all, consumers_of_a_removed_node_read_its_input);
    tcase_add_test(all, nodes_with_different_attributes_set_by_passes_are_not_merged);
    tcase_add_test(all, nodes_that_give_graph_outputs_are_not_merged);
    tcase_add_test(all, scalar_constants_are_read_in_any_type);
    return kit_main("rewrite", &all, 1);
}
