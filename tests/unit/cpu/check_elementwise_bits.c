/* SPDX-License-Identifier: MIT */
/*
 * check_elementwise_bits.c - operators of the CPU provider on bits, and those that know where an element
 * lies (running sums, triangles, diagonals), against plain loops.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/typed.h"

static void *make(size_t bytes)
{
    void *data = calloc(1, bytes + 1);

    ck_assert_ptr_nonnull(data);
    return data;
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* a and b are sign-extended where their type is signed. */
static uint64_t bits_reference(int op, uint64_t a, int64_t b, uint32_t dtype)
{
    uint32_t width = bp_dtype_width(dtype);
    uint64_t fill = typed_is_signed(dtype) && a >> 63 ? UINT64_MAX : 0;
    bool is_within = b >= 0 && b < width;

    switch (op) {
    case 0:
        return a & (uint64_t)b;
    case 1:
        return a | (uint64_t)b;
    case 2:
        return a ^ (uint64_t)b;
    case 3:
        return is_within ? a << b : 0;
    default:
        return !is_within ? fill : b > 0 ? a >> b | fill << (64 - b) : a;
    }
}

/* The bits of an element of `dtype`, with those above them as C fills them. */
static uint64_t extended(uint64_t bits, uint32_t dtype)
{
    uint32_t width = bp_dtype_width(dtype);
    uint64_t mask = UINT64_MAX >> (64 - width);

    bits &= mask;
    return typed_is_signed(dtype) && bits >> (width - 1) ? bits | ~mask : bits;
}

START_TEST(bitwise_operators_and_bit_shift_match_c)
{
    static const char *const ops[] = {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift",
                                      "BitShift"};
    static const char *const a_dims[] = {"3,100", "3,100", "", "3,1"};
    static const char *const b_dims[] = {"3,100", "100", "3,100", "1,100"};
    int op = _i / 32, shape = _i % 4;
    uint32_t dtype = typed_all[TYPED_FLOATS + _i / 4 % 8], width = bp_dtype_width(dtype);
    uint64_t seed = (uint64_t)_i, a[300], b[300], mask = UINT64_MAX >> (64 - width);
    const void *y;

    for (size_t i = 0; i < 300; i++) {
        uint64_t by = random_below(&seed, 70);

        if (typed_is_signed(dtype) && random_below(&seed, 4) == 0)
            by = (uint64_t)(-(int64_t)by);
        typed_put_bits(a, dtype, i, random_next(&seed));
        typed_put_bits(b, dtype, i, op > 2 ? by : random_next(&seed));
    }
    th_input(t, "a", dtype, a_dims[shape], a);
    th_input(t, "b", dtype, b_dims[shape], b);
    th_output(t, "y", dtype, "3,100");
    th_node(t, ops[op], op <= 2 ? 18 : typed_is_signed(dtype) ? 28 : 11, "a b", "y");
    if (op > 2)
        th_string(t, "direction", op == 3 ? "LEFT" : "RIGHT");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 300; i++) {
        size_t from_a = shape == 2 ? 0 : shape == 3 ? i / 100 : i;
        size_t from_b = shape == 0 || shape == 2 ? i : i % 100;
        uint64_t want =
            bits_reference(op, extended(typed_bits(a, dtype, from_a), dtype),
                           (int64_t)extended(typed_bits(b, dtype, from_b), dtype), dtype);

        if ((typed_bits(y, dtype, i) & mask) != (want & mask))
            ck_abort_msg("%s of type %u at %zu", ops[op], dtype, i);
    }
}
END_TEST

START_TEST(bitwise_not_inverts_every_bit)
{
    uint32_t dtype = typed_all[TYPED_FLOATS + _i];
    uint64_t seed = 3, x[300];
    const void *y;

    for (size_t i = 0; i < 300; i++)
        typed_put_bits(x, dtype, i, random_next(&seed));
    th_input(t, "x", dtype, "300", x);
    th_output(t, "y", dtype, "300");
    th_node(t, "BitwiseNot", 18, "x", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 300; i++)
        ck_assert_uint_eq(typed_bits(x, dtype, i) ^ typed_bits(y, dtype, i),
                          typed_is_signed(dtype) ? UINT64_MAX
                                                 : UINT64_MAX >> (64 - bp_dtype_width(dtype)));
}
END_TEST

/* BitShift-28: what ONNX says of signed types, and of amounts that are no bit's. */
START_TEST(bit_shift_of_signed_types_keeps_the_sign_to_the_right)
{
    static const int8_t x[] = {-128, -1, 100, -100, -100, 100, 127, -128};
    static const int8_t by[] = {7, 1, 2, 8, -1, -1, 1, 0};
    static const int8_t want[2][8] = {{0, -2, -112, 0, 0, 0, -2, -128},
                                      {-1, -1, 25, -1, -1, 0, 63, -128}};

    th_input(t, "x", BP_DTYPE_I8, "8", x);
    th_input(t, "by", BP_DTYPE_I8, "8", by);
    th_output(t, "y", BP_DTYPE_I8, "8");
    th_node(t, "BitShift", 28, "x by", "y");
    th_string(t, "direction", _i ? "RIGHT" : "LEFT");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), want[_i], 8);
}
END_TEST

START_TEST(bit_shift_rejects_a_missing_direction)
{
    th_input(t, "x", BP_DTYPE_U8, "1", "\1");
    th_output(t, "y", BP_DTYPE_U8, "1");
    th_node(t, "BitShift", 11, "x x", "y");
    th_string(t, "direction", "UP");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(th_message(t), "neither LEFT nor RIGHT"));
}
END_TEST

/* ---- NaN and infinity ----------------------------------------------------------------------- */

START_TEST(is_nan_and_is_inf_find_nan_and_infinity)
{
    static const double x[] = {0, 1, (double)INFINITY, (double)-INFINITY, (double)NAN, -3};
    static const char *const signs[] = {"detect_negative", "detect_positive"};
    uint32_t dtype = typed_all[_i % 4], op = (uint32_t)_i / 4; /* 0: IsNaN */
    uint64_t data[COUNT(x)];
    const uint8_t *y;

    for (size_t i = 0; i < COUNT(x); i++)
        typed_put(data, dtype, i, x[i]);
    th_input(t, "x", dtype, "6", data);
    th_output(t, "y", BP_DTYPE_BOOL, "6");
    th_node(t, op == 0 ? "IsNaN" : "IsInf", 20, "x", "y");
    if (op >= 2)
        th_int(t, signs[op - 2], 0);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < COUNT(x); i++) {
        bool is_there = op == 0 ? isnan(x[i]) : isinf(x[i]) && (op < 2 || (x[i] < 0) == (op == 3));

        ck_assert_uint_eq(y[i], is_there);
    }
}
END_TEST

START_TEST(is_nan_and_is_inf_read_every_float8_code)
{
    static const struct {
        uint32_t dtype;
        int nans, infinities; /* among the 256 */
        uint8_t nan, infinity;
    } rows[] = {{BP_DTYPE_F8E4M3FN, 2, 0, 0xff, 0},
                {BP_DTYPE_F8E4M3FNUZ, 1, 0, 0x80, 0},
                {BP_DTYPE_F8E5M2, 6, 2, 0x7d, 0xfc},
                {BP_DTYPE_F8E5M2FNUZ, 1, 0, 0x80, 0}};
    uint8_t x[256];
    const uint8_t *nan, *infinity;
    int nans = 0, infinities = 0;

    for (size_t i = 0; i < 256; i++)
        x[i] = (uint8_t)i;
    th_input(t, "x", rows[_i].dtype, "256", x);
    th_output(t, "n", BP_DTYPE_BOOL, "256");
    th_output(t, "i", BP_DTYPE_BOOL, "256");
    th_node(t, "IsNaN", 20, "x", "n");
    th_node(t, "IsInf", 20, "x", "i");
    ck_run();
    nan = th_data(t, "n");
    infinity = th_data(t, "i");
    for (size_t i = 0; i < 256; i++) {
        nans += nan[i];
        infinities += infinity[i];
    }
    ck_assert_int_eq(nans, rows[_i].nans);
    ck_assert_int_eq(infinities, rows[_i].infinities);
    ck_assert_uint_eq(nan[rows[_i].nan], 1);
    ck_assert_uint_eq(infinity[rows[_i].infinity], rows[_i].infinities > 0);
}
END_TEST

/* ---- running sums and products -------------------------------------------------------------- */

static const uint32_t sum_types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16,
                                     BP_DTYPE_I32, BP_DTYPE_I64, BP_DTYPE_U32, BP_DTYPE_U64};
static const struct {
    const char *dims;
    size_t outer, axis, inner;
    int64_t index;
} sum_shapes[] = {
    {"200", 1, 200, 1, 0},       {"3,40,100", 3, 40, 100, 1}, {"3,40,100", 120, 100, 1, -1},
    {"70,2,65", 1, 70, 130, -3}, {"2,0,3", 2, 0, 3, 1},       {"1", 1, 1, 1, 0},
};

/* A number that float16 still has after many of them were multiplied. */
static double factor(uint64_t *seed, bool is_product)
{
    if (is_product)
        return random_below(seed, 8) ? 1 : random_below(seed, 2) ? 2 : -0.5;
    return (double)random_below(seed, 9) - 4;
}

START_TEST(cum_sum_and_cum_prod_match_their_definition)
{
    bool is_product = _i & 1, is_exclusive = _i & 2, is_reverse = _i & 4;
    uint32_t dtype = sum_types[_i / 8 % 8];
    size_t s = (size_t)_i / 64, axis = sum_shapes[s].axis, inner = sum_shapes[s].inner;
    size_t n = sum_shapes[s].outer * axis * inner;
    uint64_t seed = (uint64_t)_i, *x = make(n * 8);
    int32_t narrow = (int32_t)sum_shapes[s].index;
    const void *y;

    for (size_t i = 0; i < n; i++) {
        if (typed_is_float(dtype))
            typed_put(x, dtype, i, factor(&seed, is_product));
        else
            typed_put_bits(x, dtype, i, random_next(&seed) | is_product);
    }
    th_input(t, "x", dtype, sum_shapes[s].dims, x);
    if (_i % 3)
        th_input(t, "axis", BP_DTYPE_I64, "", &sum_shapes[s].index);
    else
        th_const(t, "axis", BP_DTYPE_I32, "1", &narrow);
    th_output(t, "y", dtype, sum_shapes[s].dims);
    th_node(t, is_product ? "CumProd" : "CumSum", is_product ? 26 : 14, "x axis", "y");
    th_int(t, "exclusive", is_exclusive);
    th_int(t, "reverse", is_reverse);
    ck_run();
    y = th_data(t, "y");
    for (size_t line = 0; line < n / (axis ? axis : 1); line++) {
        double real = is_product;
        uint64_t whole = is_product, mask = UINT64_MAX >> (64 - bp_dtype_width(dtype));

        for (size_t k = 0; k < axis; k++) {
            size_t at = line / inner * axis * inner + line % inner +
                        (is_reverse ? axis - 1 - k : k) * inner;
            double old_real = real;
            uint64_t old_whole = whole, bits = typed_bits(x, dtype, at);

            if (typed_is_float(dtype)) {
                double v = typed_get(x, dtype, at), rounded[1];

                real = is_product ? real * v : real + v;
                typed_put(rounded, dtype, 0, is_exclusive ? old_real : real);
                if (typed_get(y, dtype, at) != typed_get(rounded, dtype, 0))
                    ck_abort_msg("element %zu is %g", at, typed_get(y, dtype, at));
            } else {
                whole = is_product ? whole * bits : whole + bits;
                if (((typed_bits(y, dtype, at) ^ (is_exclusive ? old_whole : whole)) & mask) != 0)
                    ck_abort_msg("element %zu of type %u", at, dtype);
            }
        }
    }
    free(x);
}
END_TEST

START_TEST(cum_sum_rejects_an_axis_out_of_range)
{
    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_input(t, "axis", BP_DTYPE_I64, "", (int64_t[]){_i == 0 ? 1 : _i == 1 ? -2 : INT64_MIN});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "CumSum", 14, "x axis", "y");
    ck_refused("is not one of rank 1");
}
END_TEST

/* ---- triangles and diagonals ---------------------------------------------------------------- */

START_TEST(trilu_keeps_the_triangle_for_every_element_width)
{
    static const uint32_t types[] = {BP_DTYPE_I8, BP_DTYPE_BF16, BP_DTYPE_F32, BP_DTYPE_F64,
                                     BP_DTYPE_C128};
    static const int64_t ks[] = {0, 1, -1, 3, -7, 50, INT64_MAX, INT64_MIN};
    static const char *const dims[] = {"5,7", "2,3,7,5", "100,200", "2,0,3"};
    static const size_t shapes[][3] = {{1, 5, 7}, {6, 7, 5}, {1, 100, 200}, {2, 0, 3}};
    uint32_t dtype = types[_i / 64];
    size_t s = (size_t)_i % 4, rows = shapes[s][1], cols = shapes[s][2];
    size_t n = shapes[s][0] * rows * cols, width = bp_dtype_width(dtype) / 8;
    bool is_upper = _i / 4 % 2;
    int64_t k = ks[_i / 8 % 8];
    unsigned char *x = make(n * width);
    const unsigned char *y;

    for (size_t i = 0; i < n * width; i++)
        x[i] = (unsigned char)(i % 255 + 1);
    th_input(t, "x", dtype, dims[s], x);
    th_input(t, "k", BP_DTYPE_I64, "", &k);
    th_output(t, "y", dtype, dims[s]);
    th_node(t, "Trilu", 14, k == 0 ? "x" : "x k", "y");
    if (!is_upper)
        th_int(t, "upper", 0);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < n; i++) {
        int64_t right = (int64_t)(i % cols) - (int64_t)(i / cols % rows);
        bool is_kept = is_upper ? right >= k : right <= k;

        for (size_t b = 0; b < width; b++)
            if (y[i * width + b] != (is_kept ? x[i * width + b] : 0))
                ck_abort_msg("element %zu with k %lld", i, (long long)k);
    }
    free(x);
}
END_TEST

START_TEST(trilu_of_strings_is_empty_outside_the_triangle)
{
    bp_span x[4] = {{"a", 1}, {"bc", 2}, {"d", 1}, {"efg", 3}};
    const bp_span *y;

    th_input(t, "x", BP_DTYPE_STRING, "2,2", x);
    th_output(t, "y", BP_DTYPE_STRING, "2,2");
    th_node(t, "Trilu", 14, "x", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_mem_eq(y[0].data, "a", 1);
    ck_assert_uint_eq(y[1].size, 2);
    ck_assert_uint_eq(y[2].size, 0);
    ck_assert_mem_eq(y[3].data, "efg", 3);
}
END_TEST

START_TEST(eye_like_sets_one_diagonal_to_1)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16,
                                     BP_DTYPE_I8,  BP_DTYPE_I16, BP_DTYPE_I32, BP_DTYPE_I64,
                                     BP_DTYPE_U8,  BP_DTYPE_U16, BP_DTYPE_U32, BP_DTYPE_U64,
                                     BP_DTYPE_BOOL};
    static const int64_t ks[] = {0, 2, -1, 4, -3, INT64_MAX, INT64_MIN};
    uint32_t dtype = types[_i / 7];
    int64_t k = ks[_i % 7];
    const void *y;

    th_input(t, "x", BP_DTYPE_I32, "3,4", (int32_t[12]){5});
    th_output(t, "y", dtype, "3,4");
    th_node(t, "EyeLike", 22, "x", "y");
    th_int(t, "k", k);
    th_int(t, "dtype", dtype);
    ck_run();
    y = th_data(t, "y");
    for (int64_t i = 0; i < 12; i++)
        ck_assert_double_eq(typed_get(y, dtype, (size_t)i), i % 4 - i / 4 == k);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_placed");
    TCase *tcase = tcase_create("placed");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, bitwise_operators_and_bit_shift_match_c, 0, 5 * 32);
    tcase_add_loop_test(tcase, bitwise_not_inverts_every_bit, 0, 8);
    tcase_add_loop_test(tcase, bit_shift_of_signed_types_keeps_the_sign_to_the_right, 0, 2);
    tcase_add_test(tcase, bit_shift_rejects_a_missing_direction);
    tcase_add_loop_test(tcase, is_nan_and_is_inf_find_nan_and_infinity, 0, 16);
    tcase_add_loop_test(tcase, is_nan_and_is_inf_read_every_float8_code, 0, 4);
    tcase_add_loop_test(tcase, cum_sum_and_cum_prod_match_their_definition, 0,
                        64 * (int)COUNT(sum_shapes));
    tcase_add_loop_test(tcase, cum_sum_rejects_an_axis_out_of_range, 0, 3);
    tcase_add_loop_test(tcase, trilu_keeps_the_triangle_for_every_element_width, 0, 5 * 64);
    tcase_add_test(tcase, trilu_of_strings_is_empty_outside_the_triangle);
    tcase_add_loop_test(tcase, eye_like_sets_one_diagonal_to_1, 0, 13 * 7);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
