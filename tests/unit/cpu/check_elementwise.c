/* SPDX-License-Identifier: MIT */
/*
 * check_elementwise.c - operators of the CPU provider that compute element by element, against
 * libm and the plainest possible loops.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <common/float16.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/typed.h"

#define ck_float(got, want) ck_assert_double_eq((double)(got), (double)(want))

/* Half the distance of neighbours, relative to a number. */
static double rounding(uint32_t dtype)
{
    return dtype == BP_DTYPE_F16 ? 0x1p-11 : dtype == BP_DTYPE_BF16 ? 0x1p-8 : 0;
}

static void expect_near(double got, double want, double relative, const char *what, size_t i)
{
    if (isnan(want) && isnan(got))
        return;
    if (got == want || fabs(got - want) <= relative * fabs(want) + 1e-44)
        return;
    ck_abort_msg("%s[%zu] is %.9g, not %.9g", what, i, got, want);
}

/* ---- unary ----------------------------------------------------------------------------------- */

static double relu(double x)
{
    return x < 0 ? 0 : x;
}

static double leaky_relu(double x)
{
    return x < 0 ? (double)0.01f * x : x;
}

static double elu(double x)
{
    return x < 0 ? expm1(x) : x;
}

static double selu(double x)
{
    return (double)1.05070102214813232421875f *
           (x > 0 ? x : (double)1.67326319217681884765625f * expm1(x));
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double hard_sigmoid(double x)
{
    double y = (double)0.2f * x + 0.5;

    return y < 0 ? 0 : y > 1 ? 1 : y;
}

static double negate(double x)
{
    return -x;
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double softsign(double x)
{
    return x / (1 + fabs(x));
}

static const struct {
    const char *op;
    uint32_t since;
    double (*reference)(double x);
} unary[] = {
    {"Abs", 13, fabs},
    {"Neg", 13, negate},
    {"Relu", 14, relu},
    {"LeakyRelu", 16, leaky_relu},
    {"Elu", 6, elu},
    {"Selu", 6, selu},
    {"Sigmoid", 13, sigmoid},
    {"HardSigmoid", 6, hard_sigmoid},
    {"Tanh", 13, tanh},
    {"Exp", 13, exp},
    {"Log", 13, log},
    {"Sqrt", 13, sqrt},
    {"Floor", 13, floor},
    {"Ceil", 13, ceil},
    {"Round", 11, rint},
    {"Sign", 13, sign},
    {"Reciprocal", 13, reciprocal},
    {"Erf", 13, erf},
    {"Softplus", 1, softplus},
    {"Softsign", 1, softsign},
    {"Sin", 7, sin},
    {"Cos", 7, cos},
};

/* Special values, then all sizes of values. */
static void fill_floats(void *data, uint32_t dtype, size_t n, uint64_t *seed)
{
    static const double special[] = {0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.5,
                                     -0.5,
                                     1.5,
                                     2.5,
                                     -2.5,
                                     1e-7,
                                     -1e-7,
                                     100,
                                     -100,
                                     20,
                                     -20,
                                     0.34,
                                     0.63,
                                     4.1,
                                     (double)-INFINITY,
                                     (double)NAN,
                                     (double)INFINITY};

    for (size_t i = 0; i < n; i++) {
        double x = (double)random_float(seed, 1) * exp2((double)random_float(seed, 6));

        typed_put(data, dtype, i, i < COUNT(special) ? special[i] : x);
    }
}

START_TEST(unary_operators_match_libm)
{
    static const char *const dims[] = {"70001", "", "3,7", "0,5"};
    static const size_t counts[] = {70001, 1, 21, 0};
    uint32_t op = (uint32_t)_i / 16, dtype = typed_all[_i / 4 % 4];
    size_t shape = (size_t)_i % 4, n = counts[shape];
    double tolerance = dtype == BP_DTYPE_F64 ? 1e-15 : 1e-6 + rounding(dtype);
    uint64_t seed = (uint64_t)_i, *data = calloc(n + 1, sizeof *data);
    const void *got;

    ck_assert_ptr_nonnull(data);
    fill_floats(data, dtype, n, &seed);
    th_input(t, "x", dtype, dims[shape], data);
    th_output(t, "y", dtype, dims[shape]);
    th_node(t, unary[op].op, unary[op].since, "x", "y");
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < n; i++) {
        double x = typed_get(data, dtype, i), want = unary[op].reference(x);

        /*
         * values below float16's normal range are rounded at 2^-25, overflowing ones are infinite
         */
        if (dtype == BP_DTYPE_F16 && fabs(want) < 0x1p-14)
            ck_assert_double_le(fabs(typed_get(got, dtype, i) - want), 0x1p-24);
        else if (dtype == BP_DTYPE_F16 && fabs(want) > 65000)
            ck_assert_double_ge(fabs(typed_get(got, dtype, i)), 65000);
        else if (dtype != BP_DTYPE_F64 && fabs(want) > 3.4e38)
            ck_assert_double_ge(fabs(typed_get(got, dtype, i)), 3.3e38);
        else if (dtype != BP_DTYPE_F64 && fabs(want) < 1.2e-38)
            ck_assert_double_le(fabs(typed_get(got, dtype, i)), 1.2e-38);
        else if (unary[op].reference == hard_sigmoid &&
                 want < 0.5) /* a difference of values near 0.5 */
            ck_assert_double_le(fabs(typed_get(got, dtype, i) - want), tolerance);
        else
            expect_near(typed_get(got, dtype, i), want, tolerance, unary[op].op, i);
    }
    free(data);
}
END_TEST

START_TEST(activations_apply_their_attributes)
{
    static const struct {
        const char *op, *a, *b;
        float value_a, value_b, want[2]; /* for -1 and 2 */
    } rows[] = {
        {"LeakyRelu", "alpha", NULL, 0.5f, 0, {-0.5f, 2}},
        {"Elu", "alpha", NULL, 2, 0, {-1.26424112f, 2}},
        {"HardSigmoid", "alpha", "beta", 0.25f, 0.25f, {0, 0.75f}},
        {"Selu", "alpha", "gamma", 1, 3, {-1.89636168f, 6}},
    };
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){-1, 2});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, rows[_i].op, 6, "x", "y");
    th_float(t, rows[_i].a, rows[_i].value_a);
    if (rows[_i].b)
        th_float(t, rows[_i].b, rows[_i].value_b);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 2; i++)
        expect_near((double)y[i], (double)rows[_i].want[i], 1e-6, rows[_i].op, i);
}
END_TEST

START_TEST(abs_and_neg_keep_the_smallest_integer)
{
    static const char *const ops[] = {"Abs", "Neg"};
    const int8_t *y;

    th_input(t, "x", BP_DTYPE_I8, "3", (int8_t[]){-128, -5, 127});
    th_output(t, "y", BP_DTYPE_I8, "3");
    th_node(t, ops[_i], 13, "x", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_int_eq(y[0], -128);
    ck_assert_int_eq(y[1], 5);
    ck_assert_int_eq(y[2], _i == 0 ? 127 : -127);
}
END_TEST

START_TEST(not_inverts_bools)
{
    th_input(t, "x", BP_DTYPE_BOOL, "2", "\0\1");
    th_output(t, "y", BP_DTYPE_BOOL, "2");
    th_node(t, "Not", 1, "x", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), "\1\0", 2);
}
END_TEST

/* ---- powers, integers ------------------------------------------------------------------------ */

START_TEST(integer_arithmetic_wraps_in_every_type)
{
    uint32_t dtype = typed_all[4 + _i];
    uint64_t a, ones = UINT64_MAX, b;
    size_t width = bp_dtype_width(dtype) / 8;

    th_input(t, "a", dtype, "1", &ones);
    th_value(t, "s", dtype, "1");
    th_output(t, "y", dtype, "1");
    th_node(t, "Add", 14, "a a", "s");
    th_node(t, "Mul", 14, "s s", "y");
    ck_run();
    a = ones + ones;
    b = a * a;
    ck_assert_mem_eq(th_data(t, "y"), &b, width);
}
END_TEST

START_TEST(pow_accepts_mixed_types)
{
    static const double bases[] = {2, 3, -2, -1, 1, 0, 5, 4};
    static const double exponents[] = {3, 0, 5, 7, 60, 2, 1, 2};
    static const uint32_t base_types[] = {BP_DTYPE_F32,  BP_DTYPE_F64, BP_DTYPE_F16,
                                          BP_DTYPE_BF16, BP_DTYPE_I32, BP_DTYPE_I64};
    uint32_t a_type = base_types[_i / 12], b_type = typed_all[_i % 12];
    uint64_t a[8], b[8];
    const void *y;

    for (size_t i = 0; i < 8; i++) {
        typed_put(a, a_type, i, bases[i]);
        typed_put(b, b_type, i, exponents[i]);
    }
    th_input(t, "a", a_type, "8", a);
    th_input(t, "b", b_type, "8", b);
    th_output(t, "y", a_type, "8");
    th_node(t, "Pow", 15, "a b", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 8; i++)
        expect_near(typed_get(y, a_type, i), pow(bases[i], exponents[i]), 1e-6, "y", i);
}
END_TEST

START_TEST(pow_of_common_exponents_is_exact)
{
    static const float exponents[] = {2, 3, 0.5f, -1, 0, 1.7f};
    static const float x[] = {0, -0.0f, 1, 2, 9, 0.25f, -2, INFINITY, -INFINITY, NAN};
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "10", x);
    th_input(t, "e", BP_DTYPE_F32, "", &exponents[_i]);
    th_output(t, "y", BP_DTYPE_F32, "10");
    th_node(t, "Pow", 15, "x e", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 10; i++)
        expect_near((double)y[i], pow((double)x[i], (double)exponents[_i]), 1e-6, "y", i);
}
END_TEST

/* ---- Clip, Cast ------------------------------------------------------------------------------ */

START_TEST(clip_limits_may_be_absent)
{
    static const struct {
        const char *in;
        float want[5];
    } rows[] = {
        {"x low high", {-1, -1, 0.5f, 2, NAN}},      {"x low", {-1, -1, 0.5f, INFINITY, NAN}},
        {"x - high", {-INFINITY, -3, 0.5f, 2, NAN}}, {"x", {-INFINITY, -3, 0.5f, INFINITY, NAN}},
        {"x high low", {-1, -1, -1, -1, NAN}}, /* max counts last */
    };
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "5", (float[]){-INFINITY, -3, 0.5f, INFINITY, NAN});
    th_input(t, "low", BP_DTYPE_F32, "", (float[]){-1});
    th_input(t, "high", BP_DTYPE_F32, "", (float[]){2});
    th_output(t, "y", BP_DTYPE_F32, "5");
    th_node(t, "Clip", 13, rows[_i].in, "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 5; i++)
        expect_near((double)y[i], (double)rows[_i].want[i], 0, "y", i);
}
END_TEST

START_TEST(clip_6_reads_its_limits_from_attributes)
{
    uint32_t dtype = typed_all[_i];
    uint64_t x[3];
    const void *y;

    for (size_t i = 0; i < 3; i++)
        typed_put(x, dtype, i, (double)i * 2 - 2);
    th_input(t, "x", dtype, "3", x);
    th_output(t, "y", dtype, "3");
    th_node(t, "Clip", 6, "x", "y");
    th_float(t, "min", -1);
    th_float(t, "max", 1.5f);
    ck_run();
    y = th_data(t, "y");
    expect_near(typed_get(y, dtype, 0), -1, 0, "y", 0);
    expect_near(typed_get(y, dtype, 1), 0, 0, "y", 1);
    expect_near(typed_get(y, dtype, 2), 1.5, 0, "y", 2);
}
END_TEST

/* What a cast should give; from is what the element type holds. */
static double cast_reference(double from, uint32_t to)
{
    double bits = bp_dtype_width(to), low, high, cut = trunc(from);
    bool is_unsigned =
        to == BP_DTYPE_U8 || to == BP_DTYPE_U16 || to == BP_DTYPE_U32 || to == BP_DTYPE_U64;

    if (to == BP_DTYPE_BOOL)
        return from != 0;
    if (typed_is_float(to))
        return from;
    if (isnan(from))
        return 0;
    if (is_unsigned && cut < 0) { /* wraps around, from what a signed type holds */
        cut = fmax(cut, bits < 64 ? -0x1p31 : -0x1p63);
        return cut - floor(cut / exp2(bits)) * exp2(bits);
    }
    low = is_unsigned ? 0 : -exp2(bits - 1);
    high = is_unsigned ? exp2(bits) - 1 : exp2(bits - 1) - 1;
    return cut < low ? low : cut > high ? high : cut;
}

START_TEST(cast_converts_every_pair_of_types)
{
    static const double values[] = {0,   1,    2,     100,   127,    -1,   1.5,  -1.5,
                                    2.7, -100, 0.004, 60000, -32768, 3e38, -1e9, (double)NAN};
    uint32_t from = typed_all[_i / 13], to = _i % 13 == 12 ? BP_DTYPE_BOOL : typed_all[_i % 13];
    uint64_t x[COUNT(values)] = {0}, y_wide[COUNT(values)];
    size_t n = 0;
    const void *y;

    for (size_t i = 0; i < COUNT(values); i++) {
        double as_from = cast_reference(values[i], from);

        if (!typed_is_float(from) && (fabs(values[i]) > 1e15 || as_from > 1e15))
            continue; /* the largest int64 has no exact double */
        /* integers keep their low bits, which another test checks */
        if (!typed_is_float(from) && !typed_is_float(to) &&
            cast_reference(as_from, to) != as_from && to != BP_DTYPE_BOOL)
            continue;
        typed_put(x, from, n++, as_from);
    }
    th_input(t, "x", from, "16", x);
    th_output(t, "y", to, "16");
    th_node(t, "Cast", 13, "x", "y");
    th_int(t, "to", to);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < n; i++) {
        double want = cast_reference(typed_get(x, from, i), to);

        if (typed_is_float(to)) {
            typed_put(y_wide, to, 0, want);
            want = typed_get(y_wide, to, 0);
        }
        expect_near(typed_get(y, to, i), want, to == BP_DTYPE_F16 ? 0x1p-10 : 1e-7, "y", i);
    }
}
END_TEST

START_TEST(cast_to_a_narrower_integer_keeps_the_low_bits)
{
    const int8_t *y;

    th_input(t, "x", BP_DTYPE_I16, "3", (int16_t[]){200, -129, 257});
    th_output(t, "y", BP_DTYPE_I8, "3");
    th_node(t, "Cast", 13, "x", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_int_eq(y[0], -56);
    ck_assert_int_eq(y[1], 127);
    ck_assert_int_eq(y[2], 1);
}
END_TEST

START_TEST(cast_of_double_to_float16_rounds_once)
{
    /* just above the middle of two float16: rounding to float first would fall on the middle */
    const double x = 1 + 0x1p-11 + 0x1p-40;
    const uint16_t *y;

    th_input(t, "x", BP_DTYPE_F64, "2", (double[]){x, -x});
    th_output(t, "y", BP_DTYPE_F16, "2");
    th_node(t, "Cast", 13, "x", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_uint_eq(y[0], 0x3c01);
    ck_assert_uint_eq(y[1], 0xbc01);
}
END_TEST

START_TEST(cast_to_float16_rounds_to_nearest_even)
{
    /* each float16 and what lies a quarter, a half and three quarters of the way to the next */
    for (uint32_t h = 0; h < 0x7c00; h++) {
        double low = (double)bp_f16_load((uint16_t)h);
        double high = h + 1 < 0x7c00 ? (double)bp_f16_load((uint16_t)(h + 1)) : 65536;
        uint32_t even = h % 2 ? h + 1 : h;

        ck_assert_uint_eq(bp_f16_store((float)low), h);
        ck_assert_uint_eq(bp_f16_store((float)-low), h | 0x8000);
        ck_assert_uint_eq(bp_f16_store((float)(low + (high - low) / 4)), h);
        ck_assert_uint_eq(bp_f16_store((float)(low + (high - low) / 2)), even);
        ck_assert_uint_eq(bp_f16_store((float)(low + (high - low) * 3 / 4)), h + 1);
        ck_assert_double_lt(low, high);
    }
    ck_assert_double_eq((double)bp_f16_load(1), 0x1p-24);
    ck_assert_double_eq((double)bp_f16_load(0x3c00), 1);
    ck_assert_uint_eq(bp_f16_store(INFINITY), 0x7c00);
    ck_assert_uint_eq(bp_f16_store(1e9f), 0x7c00);
    ck_assert(isnan(bp_f16_load(bp_f16_store(NAN))));
    ck_assert(isinf(bp_f16_load(0xfc00)));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_elements");
    TCase *tcase = tcase_create("elements");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, unary_operators_match_libm, 0, (int)COUNT(unary) * 16);
    tcase_add_loop_test(tcase, activations_apply_their_attributes, 0, 4);
    tcase_add_loop_test(tcase, abs_and_neg_keep_the_smallest_integer, 0, 2);
    tcase_add_test(tcase, not_inverts_bools);
    tcase_add_loop_test(tcase, integer_arithmetic_wraps_in_every_type, 0, 8);
    tcase_add_loop_test(tcase, pow_accepts_mixed_types, 0, 72);
    tcase_add_loop_test(tcase, pow_of_common_exponents_is_exact, 0, 6);
    tcase_add_loop_test(tcase, clip_limits_may_be_absent, 0, 5);
    tcase_add_loop_test(tcase, clip_6_reads_its_limits_from_attributes, 0, 4);
    tcase_add_loop_test(tcase, cast_converts_every_pair_of_types, 0, 12 * 13);
    tcase_add_test(tcase, cast_to_a_narrower_integer_keeps_the_low_bits);
    tcase_add_test(tcase, cast_of_double_to_float16_rounds_once);
    tcase_add_test(tcase, cast_to_float16_rounds_to_nearest_even);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
