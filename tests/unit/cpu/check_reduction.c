/* SPDX-License-Identifier: MIT */
/*
 * check_reduction.c - the Reduce operators, ArgMax and ArgMin of the CPU provider against plain
 * loops.
 */

#include "config.h"

#include "support/random_data.h"
#include "support/test_host.h"
#include "support/typed.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

enum { MAX_RANK = 5 };

static const char *const ops[] = {"ReduceSum",       "ReduceMean",     "ReduceMax", "ReduceMin",
                                  "ReduceProd",      "ReduceL1",       "ReduceL2",  "ReduceLogSum",
                                  "ReduceLogSumExp", "ReduceSumSquare"};

enum { SUM, MEAN, MAX, MIN, PROD, L1, L2, LOG_SUM, LOG_SUM_EXP, SUM_SQUARE, N_OPS };

struct reduce {
    uint32_t dtype, rank, n_axes;
    int op;
    int64_t dims[MAX_RANK], axes[MAX_RANK];
    bool is_reduced[MAX_RANK], keeps, is_constant;
};

static double start(int op)
{
    return op == MAX ? -(double)INFINITY : op == MIN ? (double)INFINITY : op == PROD ? 1 : 0;
}

static double step(int op, double sum, double v)
{
    switch (op) {
    case MAX:
        return v > sum || isnan(v) ? v : sum;
    case MIN:
        return v < sum || isnan(v) ? v : sum;
    case PROD:
        return sum * v;
    case L1:
        return sum + fabs(v);
    case L2:
    case SUM_SQUARE:
        return sum + v * v;
    case LOG_SUM_EXP:
        return sum + exp(v);
    default:
        return sum + v;
    }
}

static double last(int op, double sum, double count, bool is_integer)
{
    double v = op == MEAN                           ? sum / count
               : op == L2                           ? sqrt(sum)
               : op == LOG_SUM || op == LOG_SUM_EXP ? log(sum)
                                                    : sum;

    return is_integer ? trunc(v) : v;
}

static size_t count_of(const struct reduce *k)
{
    size_t n = 1;

    for (uint32_t i = 0; i < k->rank; i++)
        n *= (size_t)k->dims[i];
    return n;
}

/* Where element i of x goes in y. */
static size_t target(const struct reduce *k, size_t i)
{
    size_t at = 0, step_ = 1;

    for (uint32_t d = k->rank; d-- > 0;) {
        size_t p = i % (size_t)k->dims[d];

        i /= (size_t)k->dims[d];
        if (k->is_reduced[d])
            continue;
        at += p * step_;
        step_ *= (size_t)k->dims[d];
    }
    return at;
}

static void dims_text(char *text, size_t size, const struct reduce *k, bool is_output)
{
    int n = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < k->rank; i++) {
        if (is_output && k->is_reduced[i] && !k->keeps)
            continue;
        n += snprintf(text + n, size - (size_t)n, "%s%lld", n ? "," : "",
                      is_output && k->is_reduced[i] ? 1LL : (long long)k->dims[i]);
    }
}

static void add_node(struct th *t, const struct reduce *k, const void *x)
{
    char text[128], n_axes[16];

    dims_text(text, sizeof text, k, false);
    th_input(t, "x", k->dtype, text, x);
    snprintf(n_axes, sizeof n_axes, "%u", k->n_axes);
    if (k->is_constant)
        th_const(t, "axes", BP_DTYPE_I64, n_axes, k->axes);
    else
        th_input(t, "axes", BP_DTYPE_I64, n_axes, k->axes);
    dims_text(text, sizeof text, k, true);
    th_output(t, "y", k->dtype, text);
    th_node(t, ops[k->op], 18, "x axes", "y");
    th_int(t, "keepdims", k->keeps);
}

static void run(const struct reduce *k)
{
    size_t n = count_of(k), n_y = 1;
    bool is_integer = k->dtype == BP_DTYPE_I32 || k->dtype == BP_DTYPE_I64;
    double *x = data_make(n, k->dtype), *y;
    struct th *t = th_new(bp_provider_entry_v1);
    void *data;
    char what[128];

    for (size_t i = 0; i < n && is_integer; i++)
        x[i] = (double)data_pick(k->op == LOG_SUM ? 1 : -3, k->op == PROD ? 1 : 5);
    for (size_t i = 0; i < n && !is_integer && k->op == LOG_SUM; i++)
        x[i] = fabs(x[i]) + 1;
    data = typed_encode(x, n, k->dtype);
    for (uint32_t d = 0; d < k->rank; d++)
        n_y *= k->is_reduced[d] ? 1 : (size_t)k->dims[d];
    y = calloc(n_y + 1, sizeof *y);
    for (size_t i = 0; i < n_y; i++)
        y[i] = start(k->op);
    for (size_t i = 0; i < n; i++)
        y[target(k, i)] = step(k->op, y[target(k, i)], typed_get(data, k->dtype, i));
    for (size_t i = 0; i < n_y; i++)
        y[i] = last(k->op, y[i], (double)n / (double)n_y, is_integer);
    add_node(t, k, data);
    snprintf(what, sizeof what, "%s type %u, rank %u, y %zu of x %zu", ops[k->op], k->dtype,
             k->rank, n_y, n);
    ck_assert_msg(th_run(t) >= 0, "%s: %s", what, th_message(t));
    data_compare(what, th_data(t, "y"), y, n_y, k->dtype, n);
    th_free(t);
    free(x);
    free(y);
    free(data);
}

START_TEST(reductions_match_their_definition)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32,  BP_DTYPE_F64, BP_DTYPE_F16,
                               BP_DTYPE_BF16, BP_DTYPE_I32, BP_DTYPE_I64};

    data_seed((uint64_t)_i + 17);
    for (int i = 0; i < 30; i++) {
        struct reduce k = {.op = _i, .dtype = dtypes[i % 6], .keeps = data_pick(0, 1)};

        k.rank = (uint32_t)data_pick(1, MAX_RANK);
        k.is_constant = data_pick(0, 2) > 0;
        for (uint32_t d = 0; d < k.rank; d++) {
            k.dims[d] = data_pick(0, 3) ? data_pick(1, 4) : data_pick(1, k.rank < 3 ? 700 : 9);
            k.is_reduced[d] = data_pick(0, 1);
            if (k.is_reduced[d])
                k.axes[k.n_axes++] = data_pick(0, 1) ? d : (int64_t)d - k.rank;
        }
        if (k.n_axes > 0)
            run(&k);
    }
}
END_TEST

/* More short rows than one block holds, of each length up to the limit of "short". */
START_TEST(reductions_of_many_short_rows_match_their_definition)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32,  BP_DTYPE_F64, BP_DTYPE_F16,
                               BP_DTYPE_BF16, BP_DTYPE_I32, BP_DTYPE_I64};

    data_seed((uint64_t)_i + 170);
    for (int i = 0; i < 6 * 18; i++) {
        struct reduce k = {.op = _i,
                           .dtype = dtypes[i % 6],
                           .rank = 2,
                           .dims = {i % 5 == 0 ? 6000 : data_pick(250, 600), 1 + i / 6},
                           .axes = {1},
                           .n_axes = 1,
                           .is_reduced = {false, true},
                           .keeps = i % 2,
                           .is_constant = true};

        run(&k);
    }
}
END_TEST

/* Rows that are folded several a call, with vectors along them, and one that is just too long. */
START_TEST(reductions_of_many_long_rows_match_their_definition)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32,  BP_DTYPE_F64, BP_DTYPE_F16,
                               BP_DTYPE_BF16, BP_DTYPE_I32, BP_DTYPE_I64};
    const int64_t lengths[] = {17, 31, 64, 255, 1024, 1025};

    data_seed((uint64_t)_i + 1700);
    for (int i = 0; i < 6 * 6; i++) {
        struct reduce k = {.op = _i,
                           .dtype = dtypes[i % 6],
                           .rank = 2,
                           .dims = {data_pick(1, 300), lengths[i / 6]},
                           .axes = {1},
                           .n_axes = 1,
                           .is_reduced = {false, true},
                           .keeps = i % 2,
                           .is_constant = true};

        run(&k);
    }
}
END_TEST

START_TEST(reductions_of_empty_tensors_give_the_neutral_element)
{
    const double expected[] = {0, (double)NAN, -(double)INFINITY, (double)INFINITY,  1,
                               0, 0,           -(double)INFINITY, -(double)INFINITY, 0};
    const int64_t axis = 1;
    struct th *t = th_new(bp_provider_entry_v1);
    double want[2] = {expected[_i], expected[_i]};

    th_input(t, "x", BP_DTYPE_F32, "2,0", NULL);
    th_const(t, "axes", BP_DTYPE_I64, "1", &axis);
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, ops[_i], 18, "x axes", "y");
    th_int(t, "keepdims", 0);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare(ops[_i], th_data(t, "y"), want, 2, BP_DTYPE_F32, 0);
    th_free(t);
}
END_TEST

START_TEST(reductions_take_axes_from_an_attribute)
{
    const float x[] = {1, 2, 3, 4, 5, 6};
    const double rows[] = {6, 15}, all[] = {21};
    const int64_t axis = -1;
    struct th *t = th_new(bp_provider_entry_v1);

    th_input(t, "x", BP_DTYPE_F32, "2,3", x);
    th_output(t, "rows", BP_DTYPE_F32, "2,1");
    th_output(t, "all", BP_DTYPE_F32, "1,1");
    th_node(t, "ReduceSum", 11, "x", "rows");
    th_ints(t, "axes", 1, &axis);
    th_node(t, "ReduceSum", 11, "x", "all");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("rows", th_data(t, "rows"), rows, 2, BP_DTYPE_F32, 0);
    data_compare("all", th_data(t, "all"), all, 1, BP_DTYPE_F32, 0);
    th_free(t);
}
END_TEST

START_TEST(reductions_with_noop_and_no_axes_copy_the_input)
{
    const float x[] = {1, -2, 3};
    const double same[] = {1, -2, 3}, sum[] = {2};
    struct th *t = th_new(bp_provider_entry_v1);

    th_input(t, "x", BP_DTYPE_F32, "3", x);
    th_output(t, "same", BP_DTYPE_F32, "3");
    th_output(t, "sum", BP_DTYPE_F32, "");
    th_node(t, "ReduceSum", 13, "x", "same");
    th_int(t, "noop_with_empty_axes", 1);
    th_node(t, "ReduceSum", 13, "x", "sum");
    th_int(t, "keepdims", 0);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("same", th_data(t, "same"), same, 3, BP_DTYPE_F32, 0);
    data_compare("sum", th_data(t, "sum"), sum, 1, BP_DTYPE_F32, 0);
    th_free(t);
}
END_TEST

START_TEST(reductions_with_fed_axes_give_an_output_of_run_time_shape)
{
    const float x[] = {1, 2, 3, 4, 5, 6};
    const int64_t axis = 0;
    const double columns[] = {5, 7, 9};
    struct th *t = th_new(bp_provider_entry_v1);

    th_input(t, "x", BP_DTYPE_F32, "2,3", x);
    th_input(t, "axes", BP_DTYPE_I64, "1", &axis);
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "ReduceSum", 13, "x axes", "y");
    th_int(t, "keepdims", 0);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    ck_assert_str_eq(th_dims(t, "y"), "3");
    data_compare("columns", th_data(t, "y"), columns, 3, BP_DTYPE_F32, 0);
    th_free(t);
}
END_TEST

START_TEST(reductions_reject_axes_out_of_range)
{
    const float x[] = {1, 2, 3};
    const int64_t axis = 1;

    for (int is_constant = 0; is_constant < 2; is_constant++) {
        struct th *t = th_new(bp_provider_entry_v1);

        th_input(t, "x", BP_DTYPE_F32, "3", x);
        if (is_constant)
            th_const(t, "axes", BP_DTYPE_I64, "1", &axis);
        else
            th_input(t, "axes", BP_DTYPE_I64, "1", &axis);
        th_output(t, "y", BP_DTYPE_F32, "1");
        th_node(t, "ReduceMax", 18, "x axes", "y");
        ck_assert_int_eq(th_run(t), BP_E_INVALID);
        th_free(t);
    }
}
END_TEST

START_TEST(reduce_max_and_min_take_bools)
{
    const uint8_t x[] = {0, 1, 0, 0};
    const int64_t axis = 1;
    struct th *t = th_new(bp_provider_entry_v1);
    const uint8_t *max, *min;

    th_input(t, "x", BP_DTYPE_BOOL, "2,2", x);
    th_input(t, "none", BP_DTYPE_BOOL, "2,0", NULL);
    th_const(t, "axes", BP_DTYPE_I64, "1", &axis);
    th_output(t, "max", BP_DTYPE_BOOL, "2,1");
    th_output(t, "min", BP_DTYPE_BOOL, "2,1");
    th_node(t, "ReduceMax", 20, "x axes", "max");
    th_node(t, "ReduceMin", 20, "none axes", "min");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    max = th_data(t, "max");
    min = th_data(t, "min");
    ck_assert(max[0] == 1 && max[1] == 0 && min[0] == 1 && min[1] == 1);
    th_free(t);
}
END_TEST

/* A long sum that plain float32 accumulation gets wrong. */
START_TEST(long_sums_of_floats_lose_no_precision)
{
    enum { N = 1 << 20 };
    float *x = malloc(N * sizeof *x);
    struct th *t = th_new(bp_provider_entry_v1);
    const int64_t axis = 0;
    const float *row, *column;

    for (int i = 0; i < N; i++)
        x[i] = 0.1f;
    th_input(t, "x", BP_DTYPE_F32, "1048576", x);
    th_input(t, "z", BP_DTYPE_F32, "524288,2", x);
    th_output(t, "row", BP_DTYPE_F32, "1");
    th_output(t, "column", BP_DTYPE_F32, "1,2");
    th_const(t, "axes", BP_DTYPE_I64, "1", &axis);
    th_node(t, "ReduceMean", 18, "x axes", "row");
    th_node(t, "ReduceMean", 18, "z axes", "column");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    row = th_data(t, "row");
    column = th_data(t, "column");
    ck_assert(fabsf(row[0] - 0.1f) < 1e-6f && fabsf(column[0] - 0.1f) < 1e-7f);
    th_free(t);
    free(x);
}
END_TEST

/* ---- ArgMax, ArgMin -------------------------------------------------------------------------- */

static void check_arg(const char *op, bool is_last, const float *x, const char *dims, int64_t axis,
                      const char *y_dims, const int64_t *expected)
{
    struct th *t = th_new(bp_provider_entry_v1);
    const int64_t *y;

    th_input(t, "x", BP_DTYPE_F32, dims, x);
    th_output(t, "y", BP_DTYPE_I64, y_dims);
    th_node(t, op, 13, "x", "y");
    th_int(t, "axis", axis);
    th_int(t, "keepdims", 0);
    th_int(t, "select_last_index", is_last);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    y = th_data(t, "y");
    for (size_t i = 0; i < th_count(t, "y"); i++)
        ck_assert_int_eq(y[i], expected[i]);
    th_free(t);
}

START_TEST(arg_max_and_arg_min_match_their_definition)
{
    const float x[] = {2, 5, 5, 1, 7, 1, 7, 0}; /* 2 x 4 */
    const float nan[] = {1, NAN, 3, NAN};

    check_arg("ArgMax", false, x, "2,4", 1, "2", (const int64_t[]){1, 0});
    check_arg("ArgMax", true, x, "2,4", -1, "2", (const int64_t[]){2, 2});
    check_arg("ArgMin", false, x, "2,4", 1, "2", (const int64_t[]){3, 3});
    check_arg("ArgMax", false, x, "2,4", 0, "4", (const int64_t[]){1, 0, 1, 0});
    check_arg("ArgMin", false, x, "2,2,2", 1, "2,2", (const int64_t[]){0, 1, 0, 1});
    check_arg("ArgMax", false, nan, "4", 0, "", (const int64_t[]){1});
    check_arg("ArgMin", false, nan, "4", 0, "", (const int64_t[]){1});
}
END_TEST

START_TEST(arg_max_takes_every_type)
{
    const uint32_t dtypes[] = {BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_I8, BP_DTYPE_U8, BP_DTYPE_I64};
    const double x[] = {3, 1, 9, 9, 2};
    void *data = typed_encode(x, 5, dtypes[_i]);
    struct th *t = th_new(bp_provider_entry_v1);

    th_input(t, "x", dtypes[_i], "5", data);
    th_output(t, "y", BP_DTYPE_I64, "1");
    th_node(t, "ArgMax", 11, "x", "y");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    ck_assert_int_eq(*(const int64_t *)th_data(t, "y"), 2);
    th_free(t);
    free(data);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_reduce");
    TCase *tcase = tcase_create("reduce");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, reductions_match_their_definition, 0, N_OPS);
    tcase_add_loop_test(tcase, reductions_of_many_short_rows_match_their_definition, 0, N_OPS);
    tcase_add_loop_test(tcase, reductions_of_many_long_rows_match_their_definition, 0, N_OPS);
    tcase_add_loop_test(tcase, reductions_of_empty_tensors_give_the_neutral_element, 0, N_OPS);
    tcase_add_test(tcase, reductions_take_axes_from_an_attribute);
    tcase_add_test(tcase, reductions_with_noop_and_no_axes_copy_the_input);
    tcase_add_test(tcase, reductions_with_fed_axes_give_an_output_of_run_time_shape);
    tcase_add_test(tcase, reductions_reject_axes_out_of_range);
    tcase_add_test(tcase, reduce_max_and_min_take_bools);
    tcase_add_test(tcase, long_sums_of_floats_lose_no_precision);
    tcase_add_test(tcase, arg_max_and_arg_min_match_their_definition);
    tcase_add_loop_test(tcase, arg_max_takes_every_type, 0, 5);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
