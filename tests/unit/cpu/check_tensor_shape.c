/* SPDX-License-Identifier: MIT */
/*
 * check_tensor_shape.c - operators of the CPU provider on shapes as data, and Dropout: by examples.
 */

#include "config.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random.h"

/* ---- shapes as data -------------------------------------------------------------------------- */

START_TEST(shape_and_size_give_the_dimensions)
{
    static const struct {
        int64_t start, end;
        const char *dims;
        int64_t first;
    } rows[] = {{0, 3, "3", 2}, {1, 3, "2", 3}, {-1, 9, "1", 4}, {-9, -1, "2", 2}, {2, 1, "0", 0}};
    const int64_t *y, *n;

    th_input(t, "x", BP_DTYPE_U8, "2,3,4", NULL);
    th_output(t, "y", BP_DTYPE_I64, rows[_i].dims);
    th_output(t, "n", BP_DTYPE_I64, "");
    th_node(t, "Shape", 15, "x", "y");
    th_int(t, "start", rows[_i].start);
    th_int(t, "end", rows[_i].end);
    th_node(t, "Size", 13, "x", "n");
    ck_run();
    y = th_data(t, "y");
    n = th_data(t, "n");
    ck_assert_int_eq(*n, 24);
    if (th_count(t, "y") > 0)
        ck_assert_int_eq(y[0], rows[_i].first);
}
END_TEST

START_TEST(constant_of_shape_repeats_a_value)
{
    static const int16_t value[] = {-5};
    const int16_t *y;
    const float *z;

    th_input(t, "s", BP_DTYPE_I64, "2", (int64_t[]){30, 70});
    th_output(t, "y", BP_DTYPE_I16, "30,70");
    th_output(t, "z", BP_DTYPE_F32, NULL);
    th_node(t, "ConstantOfShape", 9, "s", "y");
    th_tensor(t, "value", BP_DTYPE_I16, "1", value);
    th_node(t, "ConstantOfShape", 9, "s", "z");
    ck_run();
    ck_assert_str_eq(th_dims(t, "z"), "30,70");
    y = th_data(t, "y");
    z = th_data(t, "z");
    for (int i = 0; i < 2100; i++)
        ck_assert(y[i] == -5 && z[i] == 0);
}
END_TEST

START_TEST(range_stops_before_the_limit)
{
    static const struct {
        int32_t start, limit, delta;
        const char *dims;
        int32_t last;
    } rows[] = {{0, 10, 3, "4", 9},
                {10, 0, -3, "4", 1},
                {5, 5, 1, "0", 0},
                {5, 0, 1, "0", 0},
                {INT32_MIN, INT32_MAX, INT32_MAX, "3", INT32_MAX - 1}};
    const int32_t *y;

    th_input(t, "a", BP_DTYPE_I32, "", &rows[_i].start);
    th_input(t, "b", BP_DTYPE_I32, "", &rows[_i].limit);
    th_input(t, "c", BP_DTYPE_I32, "", &rows[_i].delta);
    th_output(t, "y", BP_DTYPE_I32, NULL);
    th_node(t, "Range", 11, "a b c", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), rows[_i].dims);
    y = th_data(t, "y");
    if (th_count(t, "y") > 0)
        ck_assert_int_eq(y[th_count(t, "y") - 1], rows[_i].last);
}
END_TEST

START_TEST(range_of_floats_matches_its_definition)
{
    const float *y;

    th_input(t, "a", BP_DTYPE_F32, "", (float[]){1});
    th_input(t, "b", BP_DTYPE_F32, "", (float[]){2});
    th_input(t, "c", BP_DTYPE_F32, "", (float[]){0.25f});
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "Range", 11, "a b c", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "4");
    y = th_data(t, "y");
    ck_assert(y[0] == 1 && y[3] == 1.75f);
    th_feed(t, "c", (float[]){0});
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
}
END_TEST

START_TEST(squeeze_and_unsqueeze_take_fed_axes)
{
    th_input(t, "x", BP_DTYPE_F32, "1,3,1", (float[]){1, 2, 3});
    th_input(t, "a", BP_DTYPE_I64, "1", (int64_t[]){-1});
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_output(t, "z", BP_DTYPE_F32, NULL);
    th_node(t, "Squeeze", 13, "x a", "y");
    th_node(t, "Unsqueeze", 13, "x a", "z");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "1,3");
    ck_assert_str_eq(th_dims(t, "z"), "1,3,1,1");
    ck_assert(((const float *)th_data(t, "z"))[2] == 3);
    th_feed(t, "a", (int64_t[]){1});
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
}
END_TEST

/* ---- Dropout, strings ------------------------------------------------------------------------ */

START_TEST(dropout_in_inference_copies_its_input)
{
    static const uint32_t since[] = {1, 6, 7, 10, 12, 13, 22};
    uint32_t mask_type = since[_i] < 10 ? BP_DTYPE_F32 : BP_DTYPE_BOOL;
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_output(t, "m", mask_type, "2");
    th_node(t, "Dropout", since[_i], "x", "y m");
    if (since[_i] < 7)
        th_int(t, "is_test", 1);
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == 1 && y[1] == 2);
    if (mask_type == BP_DTYPE_BOOL)
        ck_assert_mem_eq(th_data(t, "m"), "\1\1", 2);
    else
        ck_assert(((const float *)th_data(t, "m"))[1] == 1);
}
END_TEST

START_TEST(data_movement_operators_take_strings)
{
    static const bp_span x[] = {{"a", 1}, {"bc", 2}, {"d", 1}, {"", 0}};
    const bp_span *y;

    th_input(t, "x", BP_DTYPE_STRING, "2,2", x);
    th_value(t, "v", BP_DTYPE_STRING, "2,2");
    th_output(t, "y", BP_DTYPE_STRING, "4,2");
    th_node(t, "Transpose", 13, "x", "v");
    th_node(t, "Concat", 13, "v x", "y");
    th_int(t, "axis", 0);
    ck_run();
    y = th_data(t, "y");
    ck_assert_uint_eq(y[2].size, 2);
    ck_assert_mem_eq(y[2].data, "bc", 2);
    ck_assert_mem_eq(y[6].data, "d", 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_shapes");
    TCase *tcase = tcase_create("moves");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, shape_and_size_give_the_dimensions, 0, 5);
    tcase_add_test(tcase, constant_of_shape_repeats_a_value);
    tcase_add_loop_test(tcase, range_stops_before_the_limit, 0, 5);
    tcase_add_test(tcase, range_of_floats_matches_its_definition);
    tcase_add_test(tcase, squeeze_and_unsqueeze_take_fed_axes);
    tcase_add_loop_test(tcase, dropout_in_inference_copies_its_input, 0, 7);
    tcase_add_test(tcase, data_movement_operators_take_strings);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
