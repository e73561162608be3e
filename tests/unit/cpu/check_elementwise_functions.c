/* SPDX-License-Identifier: MIT */
/*
 * check_elementwise_functions.c - trigonometry, hyperbolic functions and activations of the CPU provider,
 * against libm in double.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <common/float16.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/typed.h"

/* ---- references ----------------------------------------------------------------------------- */

static double celu(double x)
{
    return x > 0 ? x : 2 * expm1(x / 2);
}

static double gelu(double x)
{
    return x * (0.5 * erfc(-x / sqrt(2)));
}

static double gelu_tanh(double x)
{
    double u = sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);

    return x * (1 / (1 + exp(-2 * u)));
}

static double hard_swish(double x)
{
    return x < -3 ? 0 * x : x > 3 ? x : x * (x + 3) / 6;
}

static double mish(double x)
{
    return x * tanh((x > 0 ? x : 0) + log1p(exp(-fabs(x))));
}

static double swish(double x)
{
    return x * (1 / (1 + exp(-1.5 * x)));
}

static double thresholded_relu(double x)
{
    return x > 0.75 ? x : 0;
}

static double shrink(double x)
{
    return x < -0.25 ? x + 0.125 : x > 0.25 ? x - 0.125 : 0;
}

/* Where a test's attribute is not the default, `name` has the value `attr`. */
static const struct {
    const char *op;
    uint32_t since;
    double (*reference)(double x);
    double ulps; /* of float32 */
    const char *name;
    float attr;
    const char *text;
} rows[] = {
    {"Acos", 22, acos, 4, NULL, 0, NULL},
    {"Acosh", 22, acosh, 4, NULL, 0, NULL},
    {"Asin", 22, asin, 4, NULL, 0, NULL},
    {"Asinh", 22, asinh, 4, NULL, 0, NULL},
    {"Atan", 22, atan, 4, NULL, 0, NULL},
    {"Atanh", 22, atanh, 4, NULL, 0, NULL},
    {"Cos", 22, cos, 4, NULL, 0, NULL},
    {"Cosh", 22, cosh, 4, NULL, 0, NULL},
    {"Sin", 22, sin, 4, NULL, 0, NULL},
    {"Sinh", 22, sinh, 4, NULL, 0, NULL},
    {"Tan", 22, tan, 4, NULL, 0, NULL},
    {"Celu", 28, celu, 5, "alpha", 2, NULL},
    {"Gelu", 20, gelu, 6, NULL, 0, NULL},
    /* a sum near -50 has that many units of error, and exp() shows them */
    {"Gelu", 20, gelu_tanh, 200, "approximate", 0, "tanh"},
    {"HardSwish", 22, hard_swish, 2, NULL, 0, NULL},
    {"Mish", 22, mish, 4, NULL, 0, NULL},
    {"Swish", 24, swish, 200, "alpha", 1.5f, NULL},
    {"ThresholdedRelu", 22, thresholded_relu, 0, "alpha", 0.75f, NULL},
};

/* Special numbers first, then numbers of all sizes, small ones more often. */
static void fill(void *data, uint32_t dtype, size_t n, uint64_t *seed)
{
    static const double special[] = {0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.5,
                                     -0.5,
                                     2,
                                     -2,
                                     1e-30,
                                     -1e-30,
                                     20,
                                     -20,
                                     88.5,
                                     -88.5,
                                     89.3,
                                     -89.3,
                                     1e5,
                                     -3e5,
                                     1e30,
                                     -1e30,
                                     6e4,
                                     1.5707963267948966,
                                     22,
                                     355,
                                     710,
                                     (double)NAN,
                                     (double)INFINITY,
                                     (double)-INFINITY};

    for (size_t i = 0; i < n; i++) {
        double size = i % 64 == 63 ? 100 : 6;
        double x = (double)random_float(seed, 1) * exp2((double)random_float(seed, (float)size));

        typed_put(data, dtype, i, i < COUNT(special) ? special[i] : x);
    }
}

/* The distance of neighbours of a type at x. */
static double unit_at(uint32_t dtype, double x)
{
    int bits = dtype == BP_DTYPE_F16 ? 10 : dtype == BP_DTYPE_BF16 ? 7 : 23;
    int least = dtype == BP_DTYPE_F16 ? -14 : -126;
    int exponent = x == 0 ? least : ilogb(x);

    return ldexp(1, (exponent < least ? least : exponent) - bits);
}

static void expect(double got, double want, uint32_t dtype, double ulps, const char *op, double x)
{
    double slack = dtype == BP_DTYPE_F64   ? 1e-12 * fabs(want) + 1e-300
                   : dtype == BP_DTYPE_F32 ? (ulps + 0.01) * unit_at(dtype, want)
                                           : unit_at(dtype, want) + ulps * 6e-8 * fabs(want);
    double largest = dtype == BP_DTYPE_F64 ? 1.7e308 : dtype == BP_DTYPE_F16 ? 65504 : 3.3e38;

    if (isnan(want) && isnan(got))
        return;
    if (got == want || fabs(got - want) <= slack)
        return;
    if (dtype != BP_DTYPE_F64 && fabs(want) < 1e-36 && fabs(got) < 1e-36)
        return; /* below it a factor may be subnormal */
    if (fabs(want) > largest && fabs(got) >= largest && (got > 0) == (want > 0))
        return;
    ck_abort_msg("%s(%.17g) in type %u is %.9g, not %.9g", op, x, dtype, got, want);
}

START_TEST(unary_functions_match_libm)
{
    static const char *const dims[] = {"20003", "", "3,7", "0,5"};
    static const size_t counts[] = {20003, 1, 21, 0};
    uint32_t row = (uint32_t)_i / 16, dtype = typed_all[_i / 4 % 4];
    size_t n = counts[_i % 4];
    uint64_t seed = (uint64_t)_i, *data = calloc(n + 1, sizeof *data);
    const void *got;

    fill(data, dtype, n, &seed);
    th_input(t, "x", dtype, dims[_i % 4], data);
    th_output(t, "y", dtype, dims[_i % 4]);
    th_node(t, rows[row].op, rows[row].since, "x", "y");
    if (rows[row].text)
        th_string(t, rows[row].name, rows[row].text);
    else if (rows[row].name)
        th_float(t, rows[row].name, rows[row].attr);
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < n; i++) {
        double x = typed_get(data, dtype, i);

        expect(typed_get(got, dtype, i), rows[row].reference(x), dtype, rows[row].ulps,
               rows[row].op, x);
    }
    free(data);
}
END_TEST

START_TEST(odd_functions_keep_the_sign_of_zero)
{
    static const char *const ops[] = {"Asin", "Asinh", "Atan", "Atanh",
                                      "Sin",  "Sinh",  "Tan",  "Tanh"};
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){0.0f, -0.0f});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, ops[_i], 22, "x", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_uint_eq(bp_float_bits(y[0]), 0);
    ck_assert_uint_eq(bp_float_bits(y[1]), 0x80000000u);
}
END_TEST

START_TEST(sin_cos_and_tan_of_large_angles_match_libm)
{
    static double (*const references[])(double) = {sin, cos, tan};
    static const char *const ops[] = {"Sin", "Cos", "Tan"};
    float x[2000];
    uint64_t seed = (uint64_t)_i;
    const float *y;

    for (size_t i = 0; i < COUNT(x); i++) /* near multiples of pi / 2, and anything */
        x[i] = i % 2 ? (float)((double)random_below(&seed, 127000) * 1.5707963267948966)
                     : random_float(&seed, i % 4 ? 199000.0f : 1e20f);
    /* blocks without a very large value use another algorithm than blocks with one */
    for (size_t i = 0; i < 1000; i++)
        x[i] = fabsf(x[i]) > 199000.0f ? 1.0f : x[i];
    th_input(t, "x", BP_DTYPE_F32, "2000", x);
    th_output(t, "y", BP_DTYPE_F32, "2000");
    th_node(t, ops[_i], 7, "x", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < COUNT(x); i++)
        expect((double)y[i], references[_i]((double)x[i]), BP_DTYPE_F32, 4, ops[_i], (double)x[i]);
}
END_TEST

START_TEST(pow_matches_libm)
{
    static const float special[] = {0,     -0.0f,  1,     -1,    INFINITY,    -INFINITY,
                                    NAN,   2,      -2,    3,     -3,          0.5f,
                                    -0.5f, 1e-40f, 3e38f, 1e30f, -8388607.0f, 16777215.0f};
    enum { N = 4000, M = COUNT(special) };
    float *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b);
    uint64_t seed = (uint64_t)_i;
    const float *y;

    for (size_t i = 0; i < N; i++) {
        a[i] = i < M * M ? special[i / M] : random_float(&seed, 1) * exp2f(random_float(&seed, 9));
        b[i] = i < M * M ? special[i % M]
               : i % 2   ? (float)random_below(&seed, 40) - 20
                         : random_float(&seed, 30);
    }
    th_input(t, "a", BP_DTYPE_F32, "4000", a);
    th_input(t, "b", BP_DTYPE_F32, "4000", b);
    th_output(t, "y", BP_DTYPE_F32, "4000");
    th_node(t, "Pow", 15, "a b", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < N; i++)
        expect((double)y[i], pow((double)a[i], (double)b[i]), BP_DTYPE_F32, 4, "Pow", (double)a[i]);
    free(a);
    free(b);
}
END_TEST

/* ---- Shrink, Erf of integers, SwiGLU -------------------------------------------------------- */

START_TEST(shrink_matches_its_definition_for_floats)
{
    uint32_t dtype = typed_all[_i];
    uint64_t seed = 7, data[501];
    const void *got;

    fill(data, dtype, 501, &seed);
    th_input(t, "x", dtype, "501", data);
    th_output(t, "y", dtype, "501");
    th_node(t, "Shrink", 9, "x", "y");
    th_float(t, "bias", 0.125f);
    th_float(t, "lambd", 0.25f);
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < 501; i++) {
        double x = typed_get(data, dtype, i);

        expect(typed_get(got, dtype, i), shrink(x), dtype, 1, "Shrink", x);
    }
}
END_TEST

START_TEST(shrink_matches_its_definition_for_integers)
{
    uint32_t dtype = typed_all[TYPED_FLOATS + _i % 8], bits = bp_dtype_width(dtype);
    double low = typed_is_signed(dtype) ? -exp2(bits - 1) : 0;
    double high = exp2(typed_is_signed(dtype) ? bits - 1 : bits); /* just outside */
    const double x[] = {0, 1, 2, 3, 100, low, low + 1, high / 2}, bias = _i < 8 ? 1.5 : -3;
    uint64_t data[COUNT(x)];
    const void *got;

    for (size_t i = 0; i < COUNT(x); i++)
        typed_put(data, dtype, i, x[i]);
    typed_put_bits(data, dtype, 1, UINT64_MAX >> (64 - bits + typed_is_signed(dtype)));
    th_input(t, "x", dtype, "8", data);
    th_output(t, "y", dtype, "8");
    th_node(t, "Shrink", 9, "x", "y");
    th_float(t, "bias", (float)bias);
    th_float(t, "lambd", 1.5f);
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < COUNT(x); i++) {
        double v = typed_get(data, dtype, i), want = v < -1.5 ? v + bias : v > 1.5 ? v - bias : 0;

        want = trunc(want) < low ? low : want >= high ? high - 1 : trunc(want);
        ck_assert_msg(typed_get(got, dtype, i) == want, "type %u: %g gives %g, not %g", dtype, v,
                      typed_get(got, dtype, i), want);
    }
}
END_TEST

START_TEST(erf_of_integers_truncates_the_result)
{
    uint32_t dtype = typed_all[TYPED_FLOATS + _i];
    uint64_t data[16];
    const void *got;

    for (size_t i = 0; i < 16; i++)
        typed_put(data, dtype, i, typed_is_signed(dtype) ? (double)i - 8 : (double)i);
    th_input(t, "x", dtype, "16", data);
    th_output(t, "y", dtype, "16");
    th_node(t, "Erf", 13, "x", "y");
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < 16; i++)
        ck_assert_double_eq(typed_get(got, dtype, i), trunc(erf(typed_get(data, dtype, i))));
}
END_TEST

START_TEST(swiglu_multiplies_one_input_by_swish_of_the_other)
{
    static const char *const dims[] = {"9001", "3,5", "", "0"};
    static const size_t counts[] = {9001, 15, 1, 0};
    uint32_t dtype = typed_all[_i / 4];
    size_t n = counts[_i % 4];
    uint64_t seed = (uint64_t)_i, *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b);
    const void *got;

    for (size_t i = 0; i < n; i++) {
        typed_put(a, dtype, i, (double)random_float(&seed, 8));
        typed_put(b, dtype, i, (double)random_float(&seed, 3));
    }
    th_input(t, "a", dtype, dims[_i % 4], a);
    th_input(t, "b", dtype, dims[_i % 4], b);
    th_output(t, "y", dtype, dims[_i % 4]);
    th_node(t, "SwiGLU", 28, "a b", "y");
    th_float(t, "alpha", 1.5f);
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < n; i++)
        expect(typed_get(got, dtype, i), swish(typed_get(a, dtype, i)) * typed_get(b, dtype, i),
               dtype, 10, "SwiGLU", typed_get(a, dtype, i));
    free(a);
    free(b);
}
END_TEST

START_TEST(gelu_rejects_an_unknown_approximation)
{
    th_input(t, "x", BP_DTYPE_F32, "1", (float[]){1});
    th_output(t, "y", BP_DTYPE_F32, "1");
    th_node(t, "Gelu", 20, "x", "y");
    th_string(t, "approximate", "sigmoid");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(th_message(t), "neither none nor tanh"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_curves");
    TCase *tcase = tcase_create("curves");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, unary_functions_match_libm, 0, (int)COUNT(rows) * 16);
    tcase_add_loop_test(tcase, odd_functions_keep_the_sign_of_zero, 0, 8);
    tcase_add_loop_test(tcase, sin_cos_and_tan_of_large_angles_match_libm, 0, 3);
    tcase_add_loop_test(tcase, pow_matches_libm, 0, 4);
    tcase_add_loop_test(tcase, shrink_matches_its_definition_for_floats, 0, 4);
    tcase_add_loop_test(tcase, shrink_matches_its_definition_for_integers, 0, 16);
    tcase_add_loop_test(tcase, erf_of_integers_truncates_the_result, 0, 8);
    tcase_add_loop_test(tcase, swiglu_multiplies_one_input_by_swish_of_the_other, 0, 16);
    tcase_add_test(tcase, gelu_rejects_an_unknown_approximation);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
