/* SPDX-License-Identifier: MIT */
/*
 * check_elementwise_cast.c - Cast, CastLike and BitCast of the CPU provider among all element types but
 * texts, and types under 8 bits in operators that move them.
 */

#include "config.h"

#include "cpu/cast_kit.h"

/* ---- casts ----------------------------------------------------------------------------------- */

START_TEST(cast_converts_every_pair_of_low_precision_types)
{
    const struct type *from = &types[_i / N_TYPES], *to = &types[_i % N_TYPES];
    uint64_t seed = (uint64_t)_i;
    size_t n = _i % 29 ? 1 + random_below(&seed, MOST) : 12000; /* some for threads to share */
    uint64_t *data = calloc(n, 8);
    char dims[16];
    const void *y, *z;

    fill(from, data, n, &seed);
    sprintf(dims, "%zu", n);
    th_input(t, "x", from->dtype, dims, data);
    th_input(t, "like", to->dtype, "0", NULL);
    th_output(t, "y", to->dtype, dims);
    th_output(t, "z", to->dtype, dims);
    th_node(t, "Cast", 25, "x", "y");
    th_int(t, "to", to->dtype);
    th_node(t, "CastLike", 25, "x like", "z");
    ck_run();
    y = th_data(t, "y");
    z = th_data(t, "z");
    for (size_t i = 0; i < n; i++) {
        double x = value_of(from, code_at(from, data, i));
        bool any;
        uint64_t want = expected_code(from, to, x, &any);

        if (from == to && from->is_narrow)
            ck_assert_uint_eq(code_at(to, y, i), code_at(from, data, i));
        else if (!any)
            ck_code(to, y, i, want, x);
        ck_assert_uint_eq(code_at(to, z, i), code_at(to, y, i));
    }
    free(data);
}
END_TEST

/* Every code of the narrow types, so that no bit of them goes unseen. */
START_TEST(cast_decodes_every_code_of_low_precision_types)
{
    const struct type *type = &types[FIRST_NARROW + _i];
    uint8_t data[256] = {0};
    const float *y;

    for (size_t i = 0; i < 256; i++)
        put_code(type, data, i, i & ((1u << type->bits) - 1));
    th_input(t, "x", type->dtype, "256", data);
    th_output(t, "y", BP_DTYPE_F32, "256");
    th_node(t, "Cast", 25, "x", "y");
    th_int(t, "to", BP_DTYPE_F32);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 256; i++) {
        double want = value_of(type, code_at(type, data, i));

        ck_assert_msg(isnan(want) ? isnan(y[i]) : (double)y[i] == want, "code %zx is %g, not %g", i,
                      (double)y[i], want);
    }
}
END_TEST

START_TEST(cast_to_float8_saturates_only_when_asked)
{
    const struct type *type = &types[FIRST_NARROW + _i % 4];
    float x[] = {1e6f, -1e6f, INFINITY, -INFINITY, NAN, 0.3f, -1e-9f, 448, 464, 465, 57344, 61440};
    enum { N = sizeof x / sizeof *x };
    const void *got;

    th_input(t, "x", BP_DTYPE_F32, "12", x);
    th_output(t, "y", type->dtype, "12");
    th_node(t, "Cast", 19, "x", "y");
    th_int(t, "to", type->dtype);
    th_int(t, "saturate", _i / 4);
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < N; i++)
        ck_code(type, got, i, float_code(type, (double)x[i], _i / 4), (double)x[i]);
}
END_TEST

START_TEST(cast_to_float8e8m0_follows_round_mode)
{
    static const float x[] = {0,     0x1p-127f, 0x1.8p-128f, 0x1.4p-127f, 1,        1.25f, 1.5f,
                              1.75f, 0x1p127f,  0x1.4p127f,  0x1.8p127f,  INFINITY, NAN};
    static const struct {
        const char *mode;
        int64_t saturate;
        uint8_t y[13];
    } rows[] = {
        {"up", 1, {0, 0, 0, 1, 127, 128, 128, 128, 254, 254, 254, 254, 255}},
        {"down", 1, {0, 0, 0, 0, 127, 127, 127, 127, 254, 254, 254, 254, 255}},
        {"nearest", 1, {0, 0, 0, 0, 127, 127, 128, 128, 254, 254, 254, 254, 255}},
        {"nearest", 0, {255, 0, 255, 0, 127, 127, 128, 128, 254, 254, 255, 255, 255}},
    };

    th_input(t, "x", BP_DTYPE_F32, "13", x);
    th_output(t, "y", BP_DTYPE_F8E8M0, "13");
    th_node(t, "Cast", 24, "x", "y");
    th_int(t, "to", BP_DTYPE_F8E8M0);
    th_int(t, "saturate", rows[_i].saturate);
    th_string(t, "round_mode", rows[_i].mode);
    ck_run();
    for (size_t i = 0; i < 13; i++)
        ck_assert_msg(((const uint8_t *)th_data(t, "y"))[i] == rows[_i].y[i],
                      "%a by %s gives %u, not %u", (double)x[i], rows[_i].mode,
                      ((const uint8_t *)th_data(t, "y"))[i], rows[_i].y[i]);
}
END_TEST

START_TEST(cast_rejects_an_unknown_round_mode)
{
    th_input(t, "x", BP_DTYPE_F32, "1", (float[]){1});
    th_output(t, "y", BP_DTYPE_F8E8M0, "1");
    th_node(t, "Cast", 24, "x", "y");
    th_int(t, "to", BP_DTYPE_F8E8M0);
    th_string(t, "round_mode", "sideways");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "round_mode"));
}
END_TEST

/* Integers beyond what double holds are rounded once, not twice. */
START_TEST(cast_of_int64_to_float_rounds_once)
{
    static const int64_t x[] = {
        (INT64_C(1) << 60) + 1, (INT64_C(1) << 60) - 1,  INT64_MAX, INT64_MIN,
        INT64_C(272) << 40,     (INT64_C(272) << 40) + 1};
    static const uint8_t powers[] = {188, 187, 190, 190, 176, 176};

    th_input(t, "x", BP_DTYPE_I64, "6", x);
    th_output(t, "y", BP_DTYPE_F8E8M0, "6");
    th_node(t, "Cast", 24, "x", "y");
    th_int(t, "to", BP_DTYPE_F8E8M0);
    ck_run();
    for (size_t i = 0; i < 6; i++) {
        if (i != 1)
            ck_assert_uint_eq(((const uint8_t *)th_data(t, "y"))[i], powers[i]);
    }
    ck_assert_uint_eq(((const uint8_t *)th_data(t, "y"))[1], 187);
}
END_TEST

START_TEST(cast_like_takes_the_type_of_its_second_input)
{
    const uint8_t *y;

    th_input(t, "x", BP_DTYPE_F32, "5", (float[]){-9, 8, 3.9f, -1, 15});
    th_input(t, "like", BP_DTYPE_I4, "0", NULL);
    th_output(t, "y", BP_DTYPE_I4, "5");
    th_node(t, "CastLike", 21, "x like", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_uint_eq(y[0], 0x87);
    ck_assert_uint_eq(y[1], 0xf3);
    ck_assert_uint_eq(y[2], 0x0f);
}
END_TEST

START_TEST(bit_cast_keeps_the_bits)
{
    static const uint32_t pairs[][2] = {{BP_DTYPE_F32, BP_DTYPE_I32},
                                        {BP_DTYPE_F64, BP_DTYPE_C64},
                                        {BP_DTYPE_I4, BP_DTYPE_F4E2M1},
                                        {BP_DTYPE_U2, BP_DTYPE_I2},
                                        {BP_DTYPE_BF16, BP_DTYPE_F16}};
    uint64_t data[4] = {UINT64_C(0x0123456789abcdef), 7, UINT64_C(0xfedcba9876543210), 3};
    size_t bytes = (3 * bp_dtype_width(pairs[_i][0]) + 7) / 8;

    th_input(t, "x", pairs[_i][0], "3", data);
    th_output(t, "y", pairs[_i][1], "3");
    th_node(t, "BitCast", 26, "x", "y");
    th_int(t, "to", pairs[_i][1]);
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), data, bytes);
}
END_TEST

START_TEST(bit_cast_rejects_types_of_another_width)
{
    th_input(t, "x", BP_DTYPE_F32, "1", (float[]){1});
    th_output(t, "y", BP_DTYPE_F16, "1");
    th_node(t, "BitCast", 26, "x", "y");
    th_int(t, "to", BP_DTYPE_F16);
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
}
END_TEST

/* ---- packed types are moved ------------------------------------------------------------------ */

static const struct type *packed_type(int i)
{
    static const uint32_t dtypes[] = {BP_DTYPE_U4, BP_DTYPE_I4, BP_DTYPE_F4E2M1, BP_DTYPE_U2,
                                      BP_DTYPE_I2};

    for (uint32_t k = 0; k < N_TYPES; k++) {
        if (types[k].dtype == dtypes[i % 5])
            return &types[k];
    }
    abort();
}

START_TEST(transpose_moves_packed_4_bit_elements)
{
    const struct type *type = packed_type(_i);
    uint64_t seed = (uint64_t)_i, data[2000];
    uint32_t a = 1 + random_below(&seed, 9), b = 1 + random_below(&seed, 13),
             c = 1 + random_below(&seed, 7);
    char x_dims[32], y_dims[32];

    fill(type, data, (size_t)a * b * c, &seed);
    sprintf(x_dims, "%u,%u,%u", a, b, c);
    sprintf(y_dims, "%u,%u,%u", c, a, b);
    th_input(t, "x", type->dtype, x_dims, data);
    th_output(t, "y", type->dtype, y_dims);
    th_node(t, "Transpose", 25, "x", "y");
    th_ints(t, "perm", 3, (int64_t[]){2, 0, 1});
    ck_run();
    for (uint32_t i = 0; i < a; i++) {
        for (uint32_t j = 0; j < b; j++) {
            for (uint32_t k = 0; k < c; k++)
                ck_assert_uint_eq(code_at(type, th_data(t, "y"), (k * a + i) * b + j),
                                  code_at(type, data, (i * b + j) * c + k));
        }
    }
}
END_TEST

/* _i / 10: the output's size comes with the data */
START_TEST(pad_fills_packed_4_bit_elements)
{
    const struct type *type = packed_type(_i);
    uint64_t seed = (uint64_t)_i, data[64];
    uint64_t fill_value = 1;
    bool is_late = _i / 10;

    fill(type, data, 15, &seed);
    if (is_late)
        th_allow_alloc(t);
    th_input(t, "x", type->dtype, "3,5", data);
    if (is_late)
        th_input(t, "pads", BP_DTYPE_I64, "4", (int64_t[]){1, 2, 0, 3});
    else
        th_const(t, "pads", BP_DTYPE_I64, "4", (int64_t[]){1, 2, 0, 3});
    th_input(t, "v", type->dtype, "", &fill_value);
    th_output(t, "y", type->dtype, is_late ? NULL : "4,10");
    th_node(t, "Pad", 25, "x pads v", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "4,10");
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t row = i / 10, col = i % 10;
        bool is_inside = row >= 1 && col >= 2 && col < 7;

        ck_assert_uint_eq(code_at(type, th_data(t, "y"), i),
                          is_inside ? code_at(type, data, (row - 1) * 5 + col - 2) : 1);
    }
}
END_TEST

START_TEST(constant_of_shape_repeats_a_packed_4_bit_value)
{
    const struct type *type = packed_type(_i);
    uint8_t value = (uint8_t)((1u << type->bits) - 2); /* not all bits alike */

    th_const(t, "shape", BP_DTYPE_I64, "2", (int64_t[]){3, 7});
    th_output(t, "y", type->dtype, "3,7");
    th_node(t, "ConstantOfShape", 25, "shape", "y");
    th_tensor(t, "value", type->dtype, "1", &value);
    ck_run();
    for (uint32_t i = 0; i < 21; i++)
        ck_assert_uint_eq(code_at(type, th_data(t, "y"), i), value);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_cast");
    TCase *tcase = tcase_create("casts");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, cast_converts_every_pair_of_low_precision_types, 0,
                        N_TYPES * N_TYPES);
    tcase_add_loop_test(tcase, cast_decodes_every_code_of_low_precision_types, 0,
                        N_TYPES - FIRST_NARROW);
    tcase_add_loop_test(tcase, cast_to_float8_saturates_only_when_asked, 0, 8);
    tcase_add_loop_test(tcase, cast_to_float8e8m0_follows_round_mode, 0, 4);
    tcase_add_test(tcase, cast_rejects_an_unknown_round_mode);
    tcase_add_test(tcase, cast_of_int64_to_float_rounds_once);
    tcase_add_test(tcase, cast_like_takes_the_type_of_its_second_input);
    tcase_add_loop_test(tcase, bit_cast_keeps_the_bits, 0, 5);
    tcase_add_test(tcase, bit_cast_rejects_types_of_another_width);
    tcase_add_loop_test(tcase, transpose_moves_packed_4_bit_elements, 0, 25);
    tcase_add_loop_test(tcase, pad_fills_packed_4_bit_elements, 0, 20);
    tcase_add_loop_test(tcase, constant_of_shape_repeats_a_packed_4_bit_value, 0, 5);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
