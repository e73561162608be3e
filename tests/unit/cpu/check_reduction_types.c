/* SPDX-License-Identifier: MIT */
/*
 * check_reduction_types.c - reductions and maxima of the CPU provider in every type and in runs around
 * the number of lanes, against plain loops.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/typed.h"

/* The narrow integers, which not every reduction takes, come last. */
static const uint32_t number_types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16,
                                        BP_DTYPE_I32, BP_DTYPE_I64, BP_DTYPE_U32, BP_DTYPE_U64,
                                        BP_DTYPE_I8,  BP_DTYPE_U8,  BP_DTYPE_I16, BP_DTYPE_U16};

/* ---- Reduce --------------------------------------------------------------------------------- */

enum { SUM, MEAN, PROD, MAX, MIN, L1, L2, SUM_SQUARE, LOG_SUM, LOG_SUM_EXP, N_OPS };

static const char *const reduce_ops[N_OPS] = {
    "ReduceSum", "ReduceMean", "ReduceProd",      "ReduceMax",    "ReduceMin",
    "ReduceL1",  "ReduceL2",   "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"};

/* Of n values that lie `step` apart. */
static double reduce_reference(int op, const double *x, size_t n, size_t step, bool is_int)
{
    double sum = op == PROD ? 1 : op == MAX ? -(double)INFINITY : op == MIN ? (double)INFINITY : 0;

    for (size_t i = 0; i < n; i++) {
        double v = x[i * step];

        sum = op == PROD                     ? sum * v
              : op == MAX                    ? (v > sum || isnan(v) ? v : sum)
              : op == MIN                    ? (v < sum || isnan(v) ? v : sum)
              : op == L1                     ? sum + fabs(v)
              : op == L2 || op == SUM_SQUARE ? sum + v * v
              : op == LOG_SUM_EXP            ? sum + exp(v)
                                             : sum + v;
    }
    sum = op == MEAN                           ? sum / (double)n
          : op == L2                           ? sqrt(sum)
          : op == LOG_SUM || op == LOG_SUM_EXP ? log(sum)
                                               : sum;
    return is_int ? trunc(sum) : sum;
}

START_TEST(reductions_match_their_definition_for_every_type_and_length)
{
    static const size_t lengths[] = {1, 15, 16, 17, 33, 130};
    int op = _i / 144;
    uint32_t dtype = number_types[_i / 12 % 12];
    size_t n = lengths[_i / 2 % 6], axis = (size_t)_i % 2;
    bool is_int = !typed_is_float(dtype);
    uint64_t seed = (uint64_t)_i, data[130 * 5] = {0};
    double x[130 * 5], tolerance = dtype == BP_DTYPE_F16    ? 2e-3
                                   : dtype == BP_DTYPE_BF16 ? 2e-2
                                                            : 2e-6;
    char in_dims[16], out_dims[16];
    const void *y;

    if (_i / 12 % 12 >= 8 && (op != MAX && op != MIN))
        return; /* the only ones that take 8 bits */
    if (_i / 12 % 12 >= 10)
        return;
    for (size_t i = 0; i < 5 * n; i++) {
        double v = op == PROD ? (random_below(&seed, 20) ? 1 : 2) : random_below(&seed, 9);

        if (op != PROD && op != LOG_SUM && (typed_is_signed(dtype) || !is_int))
            v -= 4;
        if (op == LOG_SUM)
            v += 1;
        typed_put(data, dtype, i, v);
        x[i] = typed_get(data, dtype, i);
    }
    snprintf(in_dims, sizeof in_dims, axis ? "5,%zu" : "%zu,5", n);
    snprintf(out_dims, sizeof out_dims, axis ? "5,1" : "1,5");
    th_input(t, "x", dtype, in_dims, data);
    th_const(t, "axes", BP_DTYPE_I64, "1", (int64_t[]){(int64_t)axis});
    th_output(t, "y", dtype, out_dims);
    th_node(t, reduce_ops[op], 20, "x axes", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 5; i++) {
        double want = reduce_reference(op, x + (axis ? i * n : i), n, axis ? 1 : 5, is_int);

        ck_assert_msg(fabs(typed_get(y, dtype, i) - want) <= tolerance * fabs(want) + 2e-6,
                      "%s of %zu in type %u: %g, not %g", reduce_ops[op], n, dtype,
                      typed_get(y, dtype, i), want);
    }
}
END_TEST

START_TEST(reductions_and_arg_max_propagate_nan_from_any_position)
{
    uint32_t dtype = typed_all[_i % 4];
    size_t at = (size_t)_i / 8;
    uint64_t data[40];
    const void *y;

    for (size_t i = 0; i < 40; i++)
        typed_put(data, dtype, i, i == at ? (double)NAN : (double)i - 20);
    th_input(t, "x", dtype, "40", data);
    th_output(t, "y", dtype, "1");
    th_output(t, "i", BP_DTYPE_I64, "1");
    th_node(t, _i / 4 % 2 ? "ReduceMax" : "ReduceMin", 18, "x", "y");
    th_node(t, _i / 4 % 2 ? "ArgMax" : "ArgMin", 13, "x", "i");
    ck_run();
    y = th_data(t, "y");
    ck_assert(isnan(typed_get(y, dtype, 0)));
    ck_assert_int_eq(*(const int64_t *)th_data(t, "i"), (int64_t)at);
}
END_TEST

START_TEST(reductions_of_64_bit_integers_are_exact)
{
    static const int64_t x[] = {
        INT64_MAX, -1, INT64_MIN, 5, INT64_MAX - 1, 0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    const int64_t *y;
    int64_t sum = 0;

    for (size_t i = 0; i < COUNT(x); i++)
        sum = (int64_t)((uint64_t)sum + (uint64_t)x[i]);
    th_input(t, "x", BP_DTYPE_I64, "18", x);
    th_output(t, "sum", BP_DTYPE_I64, "1");
    th_output(t, "max", BP_DTYPE_I64, "1");
    th_output(t, "min", BP_DTYPE_I64, "1");
    th_node(t, "ReduceSum", 13, "x", "sum");
    th_node(t, "ReduceMax", 13, "x", "max");
    th_node(t, "ReduceMin", 13, "x", "min");
    ck_run();
    y = th_data(t, "sum");
    ck_assert_int_eq(*y, sum);
    y = th_data(t, "max");
    ck_assert_int_eq(*y, INT64_MAX);
    y = th_data(t, "min");
    ck_assert_int_eq(*y, INT64_MIN);
}
END_TEST

START_TEST(arg_max_and_arg_min_match_a_loop_for_every_type)
{
    static const size_t lengths[] = {1, 17, 64, 200};
    bool is_min = _i & 1, takes_last = _i & 2, is_last_axis = _i & 4;
    uint32_t dtype = number_types[_i / 8 % 12];
    size_t n = lengths[_i / 96], step = is_last_axis ? 1 : 3;
    uint64_t seed = (uint64_t)_i, data[600];
    char dims[16];
    const int64_t *y;

    for (size_t i = 0; i < 3 * n; i++)
        typed_put(data, dtype, i, random_below(&seed, 50));
    snprintf(dims, sizeof dims, is_last_axis ? "3,%zu" : "%zu,3", n);
    th_input(t, "x", dtype, dims, data);
    th_output(t, "y", BP_DTYPE_I64, "3");
    th_node(t, is_min ? "ArgMin" : "ArgMax", 13, "x", "y");
    th_int(t, "axis", is_last_axis ? 1 : 0);
    th_int(t, "keepdims", 0);
    th_int(t, "select_last_index", takes_last);
    ck_run();
    y = th_data(t, "y");
    for (size_t line = 0; line < 3; line++) {
        size_t first = is_last_axis ? line * n : line, best = 0;

        for (size_t k = 1; k < n; k++) {
            double v = typed_get(data, dtype, first + k * step);
            double most = typed_get(data, dtype, first + best * step);

            if (is_min ? v < most : v > most)
                best = k;
            else if (takes_last && v == most)
                best = k;
        }
        ck_assert_int_eq(y[line], (int64_t)best);
    }
}
END_TEST

/* ---- maxima --------------------------------------------------------------------------------- */

START_TEST(hardmax_sets_the_first_largest_element_to_1)
{
    static const struct {
        uint32_t since;
        int64_t axis;
        size_t outer, count, inner; /* of 3,70,4 */
    } rows[] = {{13, -1, 210, 4, 1}, {13, 1, 3, 70, 4}, {13, 0, 1, 3, 280},
                {11, 1, 3, 280, 1},  {1, 0, 1, 840, 1}, {11, -1, 210, 4, 1}};
    uint32_t dtype = typed_all[_i % 4];
    uint64_t seed = (uint64_t)_i, x[840];
    size_t r = (size_t)_i / 4, count = rows[r].count, inner = rows[r].inner;
    const void *y;

    for (size_t i = 0; i < 840; i++)
        typed_put(x, dtype, i,
                  random_below(&seed, 100) ? (double)random_below(&seed, 9) : (double)NAN);
    th_input(t, "x", dtype, "3,70,4", x);
    th_output(t, "y", dtype, "3,70,4");
    th_node(t, "Hardmax", rows[r].since, "x", "y");
    th_int(t, "axis", rows[r].axis);
    ck_run();
    y = th_data(t, "y");
    for (size_t line = 0; line < rows[r].outer * inner; line++) {
        size_t first = line / inner * count * inner + line % inner, best = 0;

        for (size_t k = 1; k < count; k++) {
            double v = typed_get(x, dtype, first + k * inner);
            double most = typed_get(x, dtype, first + best * inner);

            if (v > most || (isnan(v) && !isnan(most)))
                best = k;
        }
        for (size_t k = 0; k < count; k++)
            ck_assert_double_eq(typed_get(y, dtype, first + k * inner), k == best);
    }
}
END_TEST

/* ---- reductions of nothing, packed constants ------------------------------------------------- */

START_TEST(constant_of_shape_packs_elements_under_a_byte)
{
    static const uint32_t types[] = {BP_DTYPE_U4, BP_DTYPE_I4, BP_DTYPE_F4E2M1, BP_DTYPE_U2,
                                     BP_DTYPE_I2};
    uint32_t dtype = types[_i], bits = bp_dtype_width(dtype);
    const uint8_t *y, value = bits == 4 ? 0x0b : 0x02;

    th_input(t, "shape", BP_DTYPE_I64, "2", (int64_t[]){3, 3});
    th_output(t, "y", dtype, "3,3");
    th_node(t, "ConstantOfShape", 25, "shape", "y");
    th_tensor(t, "value", dtype, "1", &value);
    ck_run();
    y = th_data(t, "y");
    for (uint32_t i = 0; i <= 9; i++) {
        uint32_t packed = y[i * bits / 8];

        packed >>= i * bits % 8;
        ck_assert_uint_eq(i < 9 ? packed & ((1u << bits) - 1) : packed, i < 9 ? value : 0);
    }
}
END_TEST

START_TEST(reductions_with_noop_and_no_axes_still_apply_their_function)
{
    static const struct {
        const char *op;
        double want[3]; /* for -3, 0.5 and 4 */
    } rows[] = {{"ReduceSum", {-3, 0.5, 4}},
                {"ReduceL1", {3, 0.5, 4}},
                {"ReduceL2", {3, 0.5, 4}},
                {"ReduceSumSquare", {9, 0.25, 16}},
                {"ReduceLogSumExp", {-3, 0.5, 4}},
                {"ReduceMax", {-3, 0.5, 4}},
                {"ReduceLogSum", {(double)NAN, -0.69314718, 1.3862944}}};
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "3", (float[]){-3, 0.5f, 4});
    th_input(t, "axes", BP_DTYPE_I64, "0", NULL);
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, rows[_i / 2].op, 20, _i % 2 ? "x axes" : "x", "y");
    th_int(t, "noop_with_empty_axes", 1);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 3; i++) {
        if (isnan(rows[_i / 2].want[i]))
            ck_assert(isnan(y[i]));
        else
            ck_assert_double_eq_tol((double)y[i], rows[_i / 2].want[i], 1e-6);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_folds");
    TCase *tcase = tcase_create("folds");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, reductions_match_their_definition_for_every_type_and_length, 0,
                        144 * N_OPS);
    tcase_add_loop_test(tcase, reductions_and_arg_max_propagate_nan_from_any_position, 0, 8 * 40);
    tcase_add_test(tcase, reductions_of_64_bit_integers_are_exact);
    tcase_add_loop_test(tcase, arg_max_and_arg_min_match_a_loop_for_every_type, 0, 96 * 4);
    tcase_add_loop_test(tcase, hardmax_sets_the_first_largest_element_to_1, 0, 24);
    tcase_add_loop_test(tcase, constant_of_shape_packs_elements_under_a_byte, 0, 5);
    tcase_add_loop_test(tcase, reductions_with_noop_and_no_axes_still_apply_their_function, 0, 14);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
