/* SPDX-License-Identifier: MIT */
/*
 * check_elementwise_broadcast.c - operators of the CPU provider with several inputs, against loops that
 * find every element's sources on their own; and what their arithmetic does at the edges.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/typed.h"

#define ck_float(got, want) ck_assert_double_eq((double)(got), (double)(want))

static void expect_near(double got, double want, double relative, const char *what, size_t i)
{
    if (isnan(want) && isnan(got))
        return;
    if (got == want || fabs(got - want) <= relative * fabs(want) + 1e-44)
        return;
    ck_abort_msg("%s[%zu] is %.9g, not %.9g", what, i, got, want);
}

/* ---- binary, with broadcasting --------------------------------------------------------------- */

enum { MAX_RANK = 5 };

struct shape {
    uint32_t rank;
    int64_t dims[MAX_RANK];
    char text[64];
};

static void write_text(struct shape *shape)
{
    size_t at = 0;

    shape->text[0] = '\0';
    for (uint32_t d = 0; d < shape->rank; d++)
        at += (size_t)snprintf(shape->text + at, sizeof shape->text - at, "%s%d", d ? "," : "",
                               (int)shape->dims[d]);
}

static size_t count_of(const struct shape *shape)
{
    return (size_t)bp_dims_count(shape->dims, shape->rank);
}

/* An input's shape that broadcasts to `whole`: ones here and there, and fewer dimensions. */
static struct shape with_unit_axes(const struct shape *whole, uint64_t *seed)
{
    struct shape shape = {.rank = random_below(seed, whole->rank + 1)};

    if (random_below(seed, 2))
        shape.rank = whole->rank;
    for (uint32_t d = 0; d < shape.rank; d++) {
        int64_t dim = whole->dims[d + whole->rank - shape.rank];

        shape.dims[d] = random_below(seed, 3) == 0 ? 1 : dim;
    }
    write_text(&shape);
    return shape;
}

/* The shape that several broadcast to. */
static struct shape broadcast_of(const struct shape *in, uint32_t n)
{
    struct shape out = {0};

    for (uint32_t k = 0; k < n; k++)
        out.rank = in[k].rank > out.rank ? in[k].rank : out.rank;
    for (uint32_t d = 0; d < out.rank; d++) {
        out.dims[d] = 1;
        for (uint32_t k = 0; k < n; k++) {
            if (d + in[k].rank >= out.rank && in[k].dims[d + in[k].rank - out.rank] != 1)
                out.dims[d] = in[k].dims[d + in[k].rank - out.rank];
        }
    }
    write_text(&out);
    return out;
}

/* Element of an input that goes into element i of the output. */
static size_t source(const struct shape *out, const struct shape *in, size_t i)
{
    size_t at = 0, stride = 1;

    for (uint32_t d = out->rank; d-- > 0;) {
        size_t index = i % (size_t)out->dims[d];

        i /= (size_t)out->dims[d];
        if (d + in->rank < out->rank)
            continue;
        if (in->dims[d + in->rank - out->rank] != 1)
            at += index * stride;
        stride *= (size_t)in->dims[d + in->rank - out->rank];
    }
    return at;
}

static struct shape random_shape(uint64_t *seed)
{
    struct shape shape = {.rank = random_below(seed, MAX_RANK + 1)};
    uint32_t most = shape.rank > 3 || random_below(seed, 4) ? 6 : 20;

    for (uint32_t d = 0; d < shape.rank; d++)
        shape.dims[d] = random_below(seed, 20) == 0 ? 0 : 1 + random_below(seed, most);
    write_text(&shape);
    return shape;
}

static float *random_floats(size_t n, uint64_t *seed)
{
    float *data = calloc(n + 1, sizeof *data);

    ck_assert_ptr_nonnull(data);
    for (size_t i = 0; i < n; i++)
        data[i] = random_float(seed, 8);
    return data;
}

static float apply(uint32_t op, float a, float b, float c)
{
    switch (op) {
    case 0:
        return a - b;
    case 1:
        return a / b;
    case 2:
        return a < b;
    case 3:
        return a < 0 ? a * b : a;
    case 4:
        return a + b + c;
    case 5:
        return a < b ? (a < c ? a : c) : b < c ? b : c;
    case 6:
        return (a + b + c) / 3;
    default:
        return a != 0 ? b : c;
    }
}

static const struct {
    const char *op;
    uint32_t since, n_in, out_type;
} broadcasting[] = {
    {"Sub", 14, 2, BP_DTYPE_F32},   {"Div", 14, 2, BP_DTYPE_F32},   {"Less", 13, 2, BP_DTYPE_BOOL},
    {"PRelu", 16, 2, BP_DTYPE_F32}, {"Sum", 13, 3, BP_DTYPE_F32},   {"Min", 13, 3, BP_DTYPE_F32},
    {"Mean", 13, 3, BP_DTYPE_F32},  {"Where", 16, 3, BP_DTYPE_F32},
};

enum { SHAPES_EACH = 60 };

START_TEST(operators_broadcast_like_a_loop_over_all_indices)
{
    static const char *const names[] = {"a", "b", "c"};
    uint32_t op = (uint32_t)_i / SHAPES_EACH, n_in = broadcasting[op].n_in;
    uint64_t seed = (uint64_t)_i;
    struct shape whole = random_shape(&seed), in[3], out;
    float *data[3];
    const void *got;

    for (uint32_t k = 0; k < n_in; k++) {
        bool is_condition = k == 0 && strcmp(broadcasting[op].op, "Where") == 0;

        in[k] = with_unit_axes(&whole, &seed);
        data[k] = random_floats(count_of(&in[k]), &seed);
        if (is_condition) {
            uint8_t *bytes = calloc(count_of(&in[k]) + 1, 1);

            for (size_t i = 0; i < count_of(&in[k]); i++)
                data[k][i] = bytes[i] = data[k][i] > 0;
            th_input(t, names[k], BP_DTYPE_BOOL, in[k].text, bytes);
            free(bytes);
        } else {
            th_input(t, names[k], BP_DTYPE_F32, in[k].text, data[k]);
        }
    }
    out = broadcast_of(in, n_in);
    th_output(t, "y", broadcasting[op].out_type, out.text);
    th_node(t, broadcasting[op].op, broadcasting[op].since, n_in == 2 ? "a b" : "a b c", "y");
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < count_of(&out); i++) {
        float want = apply(op, data[0][source(&out, &in[0], i)], data[1][source(&out, &in[1], i)],
                           n_in > 2 ? data[2][source(&out, &in[2], i)] : 0);

        expect_near(typed_get(got, broadcasting[op].out_type, i), (double)want, 1e-6,
                    broadcasting[op].op, i);
    }
    for (uint32_t k = 0; k < n_in; k++)
        free(data[k]);
}
END_TEST

START_TEST(threads_share_a_large_broadcast)
{
    static const struct {
        const char *a, *b;
        size_t period, run; /* b's element for i is i / run % period */
    } rows[] = {
        {"64,50,40", "64,50,40", 128000, 1}, {"64,50,40", "", 1, 128000},
        {"64,50,40", "40", 40, 1},           {"64,50,40", "50,1", 50, 40},
        {"2,64000", "2,1", 2, 64000},        {"128000", "1", 1, 128000},
    };
    uint64_t seed = 3;
    float *a = random_floats(128000, &seed), *b = random_floats(128000, &seed);
    const float *y;

    th_threads(t, (uint32_t)_i % 2 ? 3 : 16);
    th_input(t, "a", BP_DTYPE_F32, rows[_i].a, a);
    th_input(t, "b", BP_DTYPE_F32, rows[_i].b, b);
    th_output(t, "y", BP_DTYPE_F32, rows[_i].a);
    th_node(t, "Add", 14, "a b", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 128000; i++) {
        float want = a[i] + b[i / rows[_i].run % rows[_i].period];

        if (y[i] != want)
            ck_abort_msg("y[%zu] is %g, not %g", i, (double)y[i], (double)want);
    }
    free(a);
    free(b);
}
END_TEST

START_TEST(add_6_broadcasts_along_an_axis)
{
    static const struct {
        const char *op, *b, *axis;
        uint32_t since;
        float want[12];
    } rows[] = {
        {"Add", "3", "1", 6, {10, 10, 20, 20, 30, 30, 10, 10, 20, 20, 30, 30}},
        {"Add", "2", NULL, 1, {10, 20, 10, 20, 10, 20, 10, 20, 10, 20, 10, 20}},
        {"Sub", "2", "0", 6, {-10, -10, -10, -10, -10, -10, -20, -20, -20, -20, -20, -20}},
        {"Add", "2,3", "0", 6, {10, 10, 20, 20, 30, 30, 40, 40, 50, 50, 60, 60}},
        {"Add", "", NULL, 6, {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}},
    };
    const float *y;

    th_input(t, "a", BP_DTYPE_F32, "2,3,2", (float[12]){0});
    th_input(t, "b", BP_DTYPE_F32, rows[_i].b, (float[]){10, 20, 30, 40, 50, 60});
    th_output(t, "y", BP_DTYPE_F32, "2,3,2");
    th_node(t, rows[_i].op, rows[_i].since, "a b", "y");
    th_int(t, "broadcast", 1);
    if (rows[_i].axis)
        th_int(t, "axis", atoi(rows[_i].axis));
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 12; i++)
        ck_float(y[i], rows[_i].want[i]);
}
END_TEST

START_TEST(prelu_6_applies_one_slope_for_each_channel)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "1,2,2", (float[]){-1, 1, -1, -2});
    th_input(t, "s", BP_DTYPE_F32, "2", (float[]){10, 100});
    th_output(t, "y", BP_DTYPE_F32, "1,2,2");
    th_node(t, "PRelu", 6, "x s", "y");
    ck_run();
    y = th_data(t, "y");
    ck_float(y[0], -10);
    ck_float(y[1], 1);
    ck_float(y[2], -100);
    ck_float(y[3], -200);
}
END_TEST

START_TEST(sum_works_in_place)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "3", (float[]){1, 2, 3});
    th_value(t, "a", BP_DTYPE_F32, "3");
    th_value(t, "b", BP_DTYPE_F32, "3");
    th_value(t, "c", BP_DTYPE_F32, "3");
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Exp", 13, "x", "b");
    th_node(t, "Sum", 13, "a a b a", "c");
    th_node(t, "Sub", 14, "c b", "y");
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 3; i++)
        expect_near((double)y[i], -3.0 * (i + 1), 1e-6, "y", (size_t)i);
}
END_TEST

START_TEST(in_place_sum_survives_a_broadcast_first_input)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "2,2", (float[]){1, 2, 3, 4});
    th_input(t, "s", BP_DTYPE_F32, "", (float[]){10});
    th_value(t, "a", BP_DTYPE_F32, "2,2");
    th_value(t, "y0", BP_DTYPE_F32, "2,2");
    th_output(t, "y", BP_DTYPE_F32, "2,2");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Sum", 13, "s a s", "y0");
    th_node(t, "Identity", 16, "y0", "y");
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 4; i++)
        ck_float(y[i], 20.0f - (float)(i + 1));
}
END_TEST

START_TEST(min_and_max_propagate_nan)
{
    static const char *const ops[] = {"Min", "Max"};
    const float *y;

    th_input(t, "a", BP_DTYPE_F32, "3", (float[]){NAN, 1, 2});
    th_input(t, "b", BP_DTYPE_F32, "3", (float[]){1, NAN, 3});
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, ops[_i], 13, "a b", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert(isnan(y[0]));
    ck_assert(isnan(y[1]));
    ck_float(y[2], _i == 0 ? 2 : 3);
}
END_TEST

START_TEST(integer_div_and_mod_have_a_result_for_every_operand)
{
    static const struct {
        const char *op;
        int64_t fmod;
        int32_t want[8];
    } rows[] = {
        {"Div", -1, {3, -3, -3, 3, 0, INT32_MIN, 0, 0}},
        {"Mod", 0, {1, 1, -1, -1, 0, 0, 0, 0}},
        {"Mod", 1, {1, -1, 1, -1, 0, 0, 0, 0}},
    };
    static const int32_t a[] = {7, -7, 7, -7, 5, INT32_MIN, INT32_MIN, 0};
    static const int32_t b[] = {2, 2, -2, -2, 0, -1, 0, -1};
    const int32_t *y;

    th_input(t, "a", BP_DTYPE_I32, "8", a);
    th_input(t, "b", BP_DTYPE_I32, "8", b);
    th_output(t, "y", BP_DTYPE_I32, "8");
    th_node(t, rows[_i].op, _i == 0 ? 14 : 13, "a b", "y");
    if (rows[_i].fmod >= 0)
        th_int(t, "fmod", rows[_i].fmod);
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 8; i++)
        ck_assert_msg(y[i] == rows[_i].want[i], "%d %s %d is %d, not %d", a[i], rows[_i].op, b[i],
                      y[i], rows[_i].want[i]);
}
END_TEST

/* Mod-28: floor and the sign of the divisor for floats too, with ONNX's special cases. */
START_TEST(mod_of_floats_without_fmod_has_the_sign_of_the_divisor)
{
    static const double inf = (double)INFINITY, nan = (double)NAN;
    static const double a[] = {-4.3, 7.2, 5.0, 4.3, -7.2, 8.0, 0.0, -0.0,
                               inf,  2.0, 2.0, 2.0, -2.0, nan, 1.0, 6.0};
    static const double b[] = {2.1, -3.4, 8.0, -2.1, 3.4, 5.0, -2.0, 3.0,
                               2.0, 0.0,  inf, -inf, inf, 2.0, nan,  -3.0};
    static const double want[] = {2.0, -3.0, 5.0, -2.0, 3.0, 3.0, -0.0, 0.0,
                                  nan, nan,  2.0, -inf, inf, nan, nan,  -0.0};
    uint32_t dtype = typed_all[_i];
    uint64_t x[16], y[16];
    bool is_narrow = dtype == BP_DTYPE_F16 || dtype == BP_DTYPE_BF16;

    for (size_t i = 0; i < 16; i++) {
        typed_put(x, dtype, i, a[i]);
        typed_put(y, dtype, i, b[i]);
    }
    th_input(t, "a", dtype, "16", x);
    th_input(t, "b", dtype, "16", y);
    th_output(t, "y", dtype, "16");
    th_node(t, "Mod", 28, "a b", "y");
    ck_run();
    for (size_t i = 0; i < 16; i++) {
        double got = typed_get(th_data(t, "y"), dtype, i);

        if (isnan(want[i]))
            ck_assert_msg(isnan(got), "element %zu is %g", i, got);
        else if (isinf(want[i]) || want[i] == 0)
            ck_assert_msg(got == want[i] && signbit(got) == signbit(want[i]), "element %zu is %g",
                          i, got);
        else /* a - n b, of a and b rounded to the type */
            ck_assert_double_eq_tol(got, want[i], is_narrow ? 0.1 : 1e-5);
    }
}
END_TEST

START_TEST(mod_of_floats_requires_fmod_before_opset_28)
{
    const float *y;

    th_input(t, "a", BP_DTYPE_F32, "2", (float[]){-7.5f, 7.5f});
    th_input(t, "b", BP_DTYPE_F32, "", (float[]){2});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Mod", 13, "a b", "y");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_ATTRIBUTE);
    th_int(t, "fmod", 1);
    ck_run();
    y = th_data(t, "y");
    ck_float(y[0], -1.5f);
    ck_float(y[1], 1.5f);
}
END_TEST

START_TEST(pow_of_integers_ends_for_any_exponent)
{
    const int64_t *y;

    th_input(t, "a", BP_DTYPE_I64, "5", (int64_t[]){-1, -1, 2, 0, 3});
    th_input(t, "b", BP_DTYPE_I64, "5", (int64_t[]){-3, -4, -1, -1, INT64_MAX});
    th_output(t, "y", BP_DTYPE_I64, "5");
    th_node(t, "Pow", 15, "a b", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_int_eq(y[0], -1);
    ck_assert_int_eq(y[1], 1);
    ck_assert_int_eq(y[2], 0);
    ck_assert_int_eq(y[3], 0);
}
END_TEST

START_TEST(equal_compares_strings)
{
    static const bp_span a[] = {{"one", 3}, {"two", 3}, {"", 0}};
    static const bp_span b[] = {{"one", 3}, {"twos", 4}, {NULL, 0}};

    th_input(t, "a", BP_DTYPE_STRING, "3", a);
    th_input(t, "b", BP_DTYPE_STRING, "3", b);
    th_output(t, "y", BP_DTYPE_BOOL, "3");
    th_node(t, "Equal", 19, "a b", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), "\1\0\1", 3);
}
END_TEST

START_TEST(logical_operators_combine_bools)
{
    static const struct {
        const char *op, *want;
    } rows[] = {
        {"And", "\0\0\0\1"}, {"Or", "\0\1\1\1"}, {"Xor", "\0\1\1\0"}, {"Equal", "\1\0\0\1"}};

    th_input(t, "a", BP_DTYPE_BOOL, "4", "\0\0\1\1");
    th_input(t, "b", BP_DTYPE_BOOL, "4", "\0\1\0\1");
    th_output(t, "y", BP_DTYPE_BOOL, "4");
    th_node(t, rows[_i].op, 7, "a b", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), rows[_i].want, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_broadcast");
    TCase *tcase = tcase_create("broadcast");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, operators_broadcast_like_a_loop_over_all_indices, 0,
                        (int)COUNT(broadcasting) * SHAPES_EACH);
    tcase_add_loop_test(tcase, threads_share_a_large_broadcast, 0, 6);
    tcase_add_loop_test(tcase, add_6_broadcasts_along_an_axis, 0, 5);
    tcase_add_test(tcase, prelu_6_applies_one_slope_for_each_channel);
    tcase_add_test(tcase, sum_works_in_place);
    tcase_add_test(tcase, in_place_sum_survives_a_broadcast_first_input);
    tcase_add_loop_test(tcase, min_and_max_propagate_nan, 0, 2);
    tcase_add_loop_test(tcase, integer_div_and_mod_have_a_result_for_every_operand, 0, 3);
    tcase_add_loop_test(tcase, mod_of_floats_without_fmod_has_the_sign_of_the_divisor, 0, 4);
    tcase_add_test(tcase, mod_of_floats_requires_fmod_before_opset_28);
    tcase_add_test(tcase, pow_of_integers_ends_for_any_exponent);
    tcase_add_test(tcase, equal_compares_strings);
    tcase_add_loop_test(tcase, logical_operators_combine_bools, 0, 4);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
