/* SPDX-License-Identifier: MIT */
/* check_schema.c - the table of operators: its order, its rows, finding the version in force. */

#include "config.h"

#include "graph/schema_table.h"

#include <check.h>
#include <stdlib.h>

static const struct bp_schema *const *rows;
static uint32_t n_rows;

static void setup(void)
{
    rows = bp_schema_all(&n_rows);
}

/* ---- the table ------------------------------------------------------------------------------ */

START_TEST(schemas_are_sorted_by_domain_operator_and_version)
{
    ck_assert_uint_gt(n_rows, 300);
    for (uint32_t i = 1; i < n_rows; i++) {
        int order = strcmp(rows[i - 1]->domain, rows[i]->domain);

        if (order == 0)
            order = strcmp(rows[i - 1]->op, rows[i]->op);
        ck_assert_msg(order < 0 || (order == 0 && rows[i - 1]->since < rows[i]->since),
                      "%s %u stands before %s %u", rows[i - 1]->op, rows[i - 1]->since, rows[i]->op,
                      rows[i]->since);
    }
}
END_TEST

static void check_params(const struct bp_schema *row, const struct bp_param *params, uint32_t n)
{
    const uint32_t all =
        BP_PARAM_OPTIONAL | BP_PARAM_VARIADIC | BP_PARAM_CONTENT | BP_PARAM_HETEROGENEOUS;

    for (uint32_t i = 0; i < n; i++) {
        ck_assert_msg(params[i].name && params[i].name[0], "%s %u", row->op, row->since);
        ck_assert_msg((params[i].types != 0 || params[i].kinds > 1u << BP_KIND_TENSOR) &&
                          (params[i].types & ~BP_T_ANY) == 0,
                      "%s %u %s", row->op, row->since, params[i].name);
        ck_assert_uint_lt(params[i].kinds, 1u << BP_KIND_END);
        ck_assert_uint_eq(params[i].flags & ~all, 0);
        ck_assert_msg(!(params[i].flags & BP_PARAM_VARIADIC) || i + 1 == n, "%s %u %s", row->op,
                      row->since, params[i].name);
    }
}

static void check_attrs(const struct bp_schema *row)
{
    for (uint32_t i = 0; i < row->n_attrs; i++) {
        const struct bp_attr_def *attr = &row->attrs[i];

        ck_assert_msg(attr->type >= BP_ATTR_FLOAT && attr->type <= BP_ATTR_GRAPH, "%s %u %s",
                      row->op, row->since, attr->name);
        ck_assert_msg(!attr->has_default || (!attr->is_required && !attr->is_list), "%s %u %s",
                      row->op, row->since, attr->name);
        ck_assert_msg(!attr->has_default || attr->type != BP_ATTR_STRING || attr->def_string,
                      "%s %u %s", row->op, row->since, attr->name);
        for (uint32_t j = 0; j < i; j++)
            ck_assert_str_ne(attr->name, row->attrs[j].name);
    }
}

START_TEST(schemas_are_consistent)
{
    for (uint32_t i = 0; i < n_rows; i++) {
        ck_assert_msg(rows[i]->infer, "%s %u has no rule", rows[i]->op, rows[i]->since);
        ck_assert_msg(bp_operator_family(rows[i]->family, NULL), "%s %u has no family", rows[i]->op,
                      rows[i]->since);
        ck_assert_uint_ge(rows[i]->since, 1);
        ck_assert_uint_le(rows[i]->since, bp_schema_newest(rows[i]->domain));
        ck_assert_uint_ge(rows[i]->n_out, 1);
        check_params(rows[i], rows[i]->in, rows[i]->n_in);
        check_params(rows[i], rows[i]->out, rows[i]->n_out);
        check_attrs(rows[i]);
    }
}
END_TEST

/* The one thing that ONNX took away: logarithms of sums of integers. */
static bool drops_integers(const struct bp_schema *row)
{
    return row->since == 28 && row->domain[0] == '\0' &&
           (strcmp(row->op, "ReduceLogSum") == 0 || strcmp(row->op, "ReduceLogSumExp") == 0);
}

/* A later version takes what an earlier one took. */
START_TEST(later_schema_versions_keep_the_types_of_earlier_ones)
{
    for (uint32_t i = 1; i < n_rows; i++) {
        const struct bp_schema *old = rows[i - 1];
        uint64_t lost;

        if (strcmp(old->op, rows[i]->op) != 0 || old->n_in == 0)
            continue;
        lost = old->in[0].types & ~rows[i]->in[0].types;
        if (drops_integers(rows[i]))
            lost &= ~(BP_T_INT | BP_T_UINT);
        ck_assert_msg(lost == 0, "%s %u loses a type", rows[i]->op, rows[i]->since);
    }
}
END_TEST

static const char *family_of(const char *domain, const char *op)
{
    return bp_operator_family(bp_schema_find(domain, op, 25)->family, NULL);
}

START_TEST(schemas_assign_operators_to_families)
{
    ck_assert_str_eq(family_of("", "Relu"), "elementwise");
    ck_assert_str_eq(family_of("", "TopK"), "reduction");
    ck_assert_str_eq(family_of("", "Concat"), "tensor");
    ck_assert_str_eq(family_of("", "GatherND"), "gather_scatter");
    ck_assert_str_eq(family_of("", "If"), "control_flow");
    ck_assert_str_eq(family_of("com.microsoft", "FusedConv"), "conv_pool");
    ck_assert_str_eq(family_of("ai.onnx.ml", "Scaler"), "ml");
}
END_TEST

START_TEST(schemas_describe_each_family)
{
    const char *about = "";
    uint32_t n = 0;

    ck_assert_ptr_null(bp_operator_family(BP_FAMILY_NONE, &about));
    ck_assert_ptr_null(about);
    while (bp_operator_family(n + 1, &about)) {
        ck_assert_msg(about && about[strlen(about) - 1] == '.', "family %u", n + 1);
        n++;
    }
    ck_assert_uint_eq(n, BP_FAMILY_END - 1);
    ck_assert_ptr_null(bp_operator_family(UINT32_MAX, NULL));
}
END_TEST

/* ---- finding a row -------------------------------------------------------------------------- */

START_TEST(schema_is_found_by_its_own_version)
{
    for (uint32_t i = 0; i < n_rows; i++)
        ck_assert_ptr_eq(bp_schema_find(rows[i]->domain, rows[i]->op, rows[i]->since), rows[i]);
}
END_TEST

static const struct {
    const char *domain, *op;
    uint32_t opset, since; /* since 0: there is no row */
} wanted[] = {
    {"", "Relu", 1, 1},
    {"", "Relu", 5, 1},
    {"", "Relu", 6, 6},
    {"", "Relu", 12, 6},
    {"", "Relu", 13, 13},
    {"", "Relu", 17, 14},
    {"", "Relu", 1000, 14},
    {"ai.onnx", "Relu", 7, 6},
    {"", "Abs", 3, 1},
    {"", "Xor", 9, 7},
    {"", "Round", 10, 0},
    {"", "Round", 11, 11},
    {"", "Conv", 0, 0},
    {"", "conv", 11, 0},
    {"", "AAA", 11, 0},
    {"", "Zzz", 11, 0},
    {"", "", 11, 0},
    {"ai.onnx.ml", "Relu", 3, 0},
    {"com.example", "Abs", 1, 0},
    {"", "Reshape", 22, 21},
    {"", "LayerNormalization", 16, 1},
};

START_TEST(schema_lookup_finds_the_version_in_force)
{
    const struct bp_schema *row =
        bp_schema_find(wanted[_i].domain, wanted[_i].op, wanted[_i].opset);

    if (wanted[_i].since == 0) {
        ck_assert_ptr_null(row);
        return;
    }
    ck_assert_ptr_nonnull(row);
    ck_assert_str_eq(row->op, wanted[_i].op);
    ck_assert_uint_eq(row->since, wanted[_i].since);
}
END_TEST

START_TEST(schemas_have_the_newest_version_of_each_domain)
{
    ck_assert_uint_ge(bp_schema_newest(""), 23);
    ck_assert_uint_eq(bp_schema_newest("ai.onnx"), bp_schema_newest(""));
    ck_assert_uint_eq(bp_schema_newest("com.example"), 0);
}
END_TEST

START_TEST(schema_gives_the_parameter_of_an_input)
{
    const struct bp_schema *conv = bp_schema_find("", "Conv", 11);
    const struct bp_schema *concat = bp_schema_find("", "Concat", 13);
    const struct bp_schema *split = bp_schema_find("", "Split", 13);
    const struct bp_schema *constant = bp_schema_find("", "Constant", 13);

    ck_assert_str_eq(bp_schema_in(conv, 2)->name, "B");
    ck_assert_uint_eq(bp_schema_in(conv, 2)->flags, BP_PARAM_OPTIONAL);
    ck_assert_ptr_null(bp_schema_in(conv, 3));
    ck_assert_str_eq(bp_schema_in(concat, 100)->name, "inputs");
    ck_assert_str_eq(bp_schema_out(split, 7)->name, "outputs");
    ck_assert_ptr_null(bp_schema_out(conv, 1));
    ck_assert_ptr_null(bp_schema_in(constant, 0));
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])

int main(void)
{
    Suite *suite = suite_create("schema");
    TCase *tcase = tcase_create("schema");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, schemas_are_sorted_by_domain_operator_and_version);
    tcase_add_test(tcase, schemas_are_consistent);
    tcase_add_test(tcase, schemas_assign_operators_to_families);
    tcase_add_test(tcase, schemas_describe_each_family);
    tcase_add_test(tcase, later_schema_versions_keep_the_types_of_earlier_ones);
    tcase_add_test(tcase, schema_is_found_by_its_own_version);
    tcase_add_loop_test(tcase, schema_lookup_finds_the_version_in_force, 0, COUNT(wanted));
    tcase_add_test(tcase, schemas_have_the_newest_version_of_each_domain);
    tcase_add_test(tcase, schema_gives_the_parameter_of_an_input);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
