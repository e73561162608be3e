/* SPDX-License-Identifier: MIT */
/* check_values.c - elements of every type as double and text, comparisons, random elements. */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "values/compare.h"
#include "values/value.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct bp_text words;
static const struct tolerance exact = {0, 0};

static void teardown(void)
{
    text_finish(&words);
}

/* A view of `data` as a tensor of one dimension. */
static bp_tensor view(uint32_t dtype, void *data, int64_t *count)
{
    return (bp_tensor){.base = data, .dims = count, .rank = 1, .dtype = dtype};
}

static double number(uint32_t dtype, uint64_t bits)
{
    int64_t one = 1;
    bp_tensor tensor = view(dtype, &bits, &one);

    return value_number(&tensor, 0);
}

static const char *element_text(const bp_tensor *tensor, size_t i)
{
    text_clear(&words);
    value_text(&words, tensor, i);
    return text_string(&words);
}

START_TEST(reads_small_floats_as_their_formats_say)
{
    static const struct {
        uint32_t dtype;
        uint64_t bits;
        double value;
    } rows[] = {
        {BP_DTYPE_F16, 0x3c00, 1},          {BP_DTYPE_F16, 0xc000, -2},
        {BP_DTYPE_F16, 0x7bff, 65504},      {BP_DTYPE_F16, 0x0001, 0x1p-24},
        {BP_DTYPE_BF16, 0x3f80, 1},         {BP_DTYPE_BF16, 0x0001, 0x1p-133},
        {BP_DTYPE_F8E4M3FN, 0x38, 1},       {BP_DTYPE_F8E4M3FN, 0x7e, 448},
        {BP_DTYPE_F8E4M3FN, 0x01, 0x1p-9},  {BP_DTYPE_F8E4M3FNUZ, 0x40, 1},
        {BP_DTYPE_F8E4M3FNUZ, 0x7f, 240},   {BP_DTYPE_F8E5M2, 0x3c, 1},
        {BP_DTYPE_F8E5M2, 0x7b, 57344},     {BP_DTYPE_F8E5M2FNUZ, 0x40, 1},
        {BP_DTYPE_F8E5M2FNUZ, 0x7f, 57344}, {BP_DTYPE_F8E8M0, 0x7f, 1},
        {BP_DTYPE_F8E8M0, 0x00, 0x1p-127},  {BP_DTYPE_F4E2M1, 0x1, 0.5},
        {BP_DTYPE_F4E2M1, 0x7, 6},          {BP_DTYPE_F4E2M1, 0xf, -6},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        ck_assert_double_eq(number(rows[i].dtype, rows[i].bits), rows[i].value);
}
END_TEST

START_TEST(recognises_codes_of_nan_and_infinity)
{
    ck_assert_double_infinite(number(BP_DTYPE_F16, 0x7c00));
    ck_assert_double_nan(number(BP_DTYPE_F16, 0x7c01));
    ck_assert_double_nan(number(BP_DTYPE_BF16, 0xffff));
    ck_assert_double_nan(number(BP_DTYPE_F8E4M3FN, 0x7f));
    ck_assert_double_nan(number(BP_DTYPE_F8E4M3FNUZ, 0x80));
    ck_assert_double_infinite(number(BP_DTYPE_F8E5M2, 0x7c));
    ck_assert_double_nan(number(BP_DTYPE_F8E5M2FNUZ, 0x80));
    ck_assert_double_nan(number(BP_DTYPE_F8E8M0, 0xff));
}
END_TEST

START_TEST(reads_integers_of_every_width)
{
    unsigned char nibbles[] = {0x8f, 0x07};
    int64_t wide[] = {INT64_MIN, -1};
    int64_t three = 3, two = 2, five = 5;
    bp_tensor tensor = view(BP_DTYPE_I4, nibbles, &three);

    ck_assert_str_eq(element_text(&tensor, 0), "-1");
    ck_assert_str_eq(element_text(&tensor, 1), "-8");
    ck_assert_str_eq(element_text(&tensor, 2), "7");
    tensor = view(BP_DTYPE_U4, nibbles, &three);
    ck_assert_str_eq(element_text(&tensor, 0), "15");
    tensor = view(BP_DTYPE_I2, nibbles, &five);
    ck_assert_str_eq(element_text(&tensor, 0), "-1");
    ck_assert_str_eq(element_text(&tensor, 2), "0");
    ck_assert_str_eq(element_text(&tensor, 3), "-2");
    tensor = view(BP_DTYPE_I64, wide, &two);
    ck_assert_str_eq(element_text(&tensor, 0), "-9223372036854775808");
    tensor = view(BP_DTYPE_U64, wide, &two);
    ck_assert_str_eq(element_text(&tensor, 1), "18446744073709551615");
    tensor = view(BP_DTYPE_BOOL, nibbles, &two);
    ck_assert_str_eq(element_text(&tensor, 1), "true");
}
END_TEST

START_TEST(shows_strings_without_their_escapes)
{
    bp_span spans[] = {{"a\033[31mb", 7}, {NULL, 0}};
    int64_t two = 2;
    bp_tensor tensor = view(BP_DTYPE_STRING, spans, &two);

    ck_assert_str_eq(element_text(&tensor, 0), "\"a\xef\xbf\xbd[31mb\"");
    ck_assert_str_eq(element_text(&tensor, 1), "\"\"");
}
END_TEST

START_TEST(counts_nan_and_infinity_apart)
{
    float data[] = {1, NAN, -3, INFINITY};
    int64_t four = 4, none = 0;
    bp_tensor tensor = view(BP_DTYPE_F32, data, &four);
    struct value_stats stats;

    value_get_stats(&tensor, &stats);
    ck_assert_uint_eq(stats.nans, 1);
    ck_assert_uint_eq(stats.infinities, 1);
    ck_assert_double_eq(stats.min, -3);
    ck_assert_double_infinite(stats.max);
    tensor = view(BP_DTYPE_F32, NULL, &none);
    value_get_stats(&tensor, &stats);
    ck_assert_uint_eq(stats.count, 0);
}
END_TEST

static size_t mismatches(const bp_tensor *got, const bp_tensor *want, struct tolerance tolerance)
{
    struct comparison result;

    compare_tensors(got, want, tolerance, &result);
    ck_assert(result.is_comparable);
    return result.mismatches;
}

START_TEST(accepts_differences_within_the_tolerance)
{
    float got[] = {100.09f, 0.00000005f}, want[] = {100, 0};
    int64_t two = 2;
    bp_tensor a = view(BP_DTYPE_F32, got, &two), b = view(BP_DTYPE_F32, want, &two);

    ck_assert_uint_eq(mismatches(&a, &b, (struct tolerance){1e-3, 1e-7}), 0);
    ck_assert_uint_eq(mismatches(&a, &b, (struct tolerance){1e-4, 1e-7}), 1);
    ck_assert_uint_eq(mismatches(&a, &b, (struct tolerance){1e-3, 1e-8}), 1);
    ck_assert_uint_eq(mismatches(&a, &b, exact), 2);
}
END_TEST

START_TEST(nan_equals_nan_and_infinity_equals_infinity)
{
    float got[] = {NAN, INFINITY, NAN, INFINITY, 1}, want[] = {NAN, INFINITY, 1, -INFINITY, NAN};
    int64_t five = 5;
    bp_tensor a = view(BP_DTYPE_F32, got, &five), b = view(BP_DTYPE_F32, want, &five);

    ck_assert_uint_eq(mismatches(&a, &b, (struct tolerance){1e9, 1e9}), 3);
}
END_TEST

START_TEST(compares_integers_exactly_at_any_tolerance)
{
    int64_t got[] = {INT64_C(9007199254740993)}, want[] = {INT64_C(9007199254740992)}, one = 1;
    bp_tensor a = view(BP_DTYPE_I64, got, &one), b = view(BP_DTYPE_I64, want, &one);

    ck_assert_uint_eq(mismatches(&a, &b, (struct tolerance){1, 1}), 1);
    ck_assert_uint_eq(mismatches(&a, &a, exact), 0);
}
END_TEST

START_TEST(reports_the_element_with_the_largest_difference)
{
    double got[] = {1, 5, 1, 3}, want[] = {1, 1, 1, 1};
    int64_t dims[] = {2, 2};
    bp_tensor a = {.base = got, .dims = dims, .rank = 2, .dtype = BP_DTYPE_F64}, b = a;
    struct comparison result;

    b.base = want;
    compare_tensors(&a, &b, exact, &result);
    ck_assert_uint_eq(result.mismatches, 2);
    compare_words(&words, &a, &b, &result);
    ck_assert_str_eq(text_string(&words),
                     "2 of 4 elements differ, worst at [0, 1]: got 5, expected 1");
}
END_TEST

START_TEST(refuses_to_compare_other_types_or_shapes)
{
    int32_t data[] = {1, 2};
    int64_t two = 2, one = 1;
    bp_tensor a = view(BP_DTYPE_I32, data, &two), b = view(BP_DTYPE_U32, data, &two);
    bp_tensor c = view(BP_DTYPE_I32, data, &one);
    struct comparison result;

    compare_tensors(&a, &b, exact, &result);
    ck_assert(!result.is_comparable && !compare_is_same(&result));
    compare_words(&words, &a, &b, &result);
    ck_assert_str_eq(text_string(&words), "got int32[2], expected uint32[2]");
    compare_tensors(&a, &c, exact, &result);
    ck_assert(!compare_is_same(&result));
}
END_TEST

START_TEST(compares_uint16_with_bfloat16)
{
    uint16_t got[] = {0x3f80}, want[] = {0x3f81};
    int64_t one = 1;
    bp_tensor a = view(BP_DTYPE_BF16, got, &one), b = view(BP_DTYPE_U16, want, &one);
    struct comparison result;

    ck_assert_uint_eq(mismatches(&a, &b, exact), 1);
    ck_assert_uint_eq(mismatches(&a, &b, (struct tolerance){0.01, 0}), 0);
    compare_tensors(&a, &b, exact, &result);
    compare_words(&words, &a, &b, &result);
    ck_assert_str_eq(text_string(&words),
                     "1 of 1 elements differ, worst at [0]: got 1, expected 1.007812");
}
END_TEST

/* Fills 1000 elements twice from one seed. */
static void fill(uint32_t dtype, bp_tensor *tensor)
{
    int64_t count = 1000;
    uint64_t state = 5, again = 5;
    bp_tensor other;

    ck_assert_int_eq(bp_tensor_alloc(dtype, &count, 1, tensor, NULL), BP_OK);
    ck_assert_int_eq(bp_tensor_alloc(dtype, &count, 1, &other, NULL), BP_OK);
    ck_assert_int_eq(value_fill_random(tensor, &state, NULL), BP_OK);
    ck_assert_int_eq(value_fill_random(&other, &again, NULL), BP_OK);
    ck_assert_uint_eq(mismatches(tensor, &other, exact), 0);
    bp_tensor_free(&other);
}

START_TEST(random_values_fill_their_range_and_repeat)
{
    static const uint32_t types[] = {BP_DTYPE_F16,  BP_DTYPE_BF16, BP_DTYPE_F32, BP_DTYPE_F64,
                                     BP_DTYPE_BOOL, BP_DTYPE_I4,   BP_DTYPE_U2,  BP_DTYPE_I64};
    bp_tensor tensor;

    for (size_t i = 0; i < COUNT(types); i++) {
        struct value_stats stats;

        fill(types[i], &tensor);
        value_get_stats(&tensor, &stats);
        ck_assert_double_ge(stats.min, 0);
        ck_assert_double_lt(stats.min, 0.05);
        ck_assert_double_gt(stats.max, 0.9);
        ck_assert_double_le(stats.max, 1);
        ck_assert_double_eq_tol(stats.mean, 0.5, 0.1);
        bp_tensor_free(&tensor);
    }
}
END_TEST

START_TEST(refuses_to_fill_strings_with_random_values)
{
    int64_t one = 1;
    bp_span span = {0};
    bp_tensor tensor = view(BP_DTYPE_STRING, &span, &one);
    uint64_t state = 0;

    ck_assert_int_eq(value_fill_random(&tensor, &state, NULL), BP_E_UNSUPPORTED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("values");
    TCase *tests = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failures;

    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, reads_small_floats_as_their_formats_say);
    tcase_add_test(tests, recognises_codes_of_nan_and_infinity);
    tcase_add_test(tests, reads_integers_of_every_width);
    tcase_add_test(tests, shows_strings_without_their_escapes);
    tcase_add_test(tests, counts_nan_and_infinity_apart);
    tcase_add_test(tests, accepts_differences_within_the_tolerance);
    tcase_add_test(tests, nan_equals_nan_and_infinity_equals_infinity);
    tcase_add_test(tests, compares_integers_exactly_at_any_tolerance);
    tcase_add_test(tests, reports_the_element_with_the_largest_difference);
    tcase_add_test(tests, refuses_to_compare_other_types_or_shapes);
    tcase_add_test(tests, compares_uint16_with_bfloat16);
    tcase_add_test(tests, random_values_fill_their_range_and_repeat);
    tcase_add_test(tests, refuses_to_fill_strings_with_random_values);
    srunner_run_all(runner, CK_NORMAL);
    failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
