/* SPDX-License-Identifier: MIT */
/* check_elementwise_cast_text.c - Cast and CastLike of the CPU provider between texts and values. */

#include "config.h"

#include "cpu/cast_kit.h"

/* ---- texts ----------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    double value;
} values[] = {
    {"3.14", 3.14},
    {"1000", 1000},
    {"1e-5", 1e-5},
    {"1E8", 1e8},
    {"100.5", 100.5},
    {"INF", (double)INFINITY},
    {"+INF", (double)INFINITY},
    {"-inf", -(double)INFINITY},
    {"NaN", (double)NAN},
    {"-0", -0.0},
    {" 7 ", 7},
    {".5", 0.5},
    {"5.", 5},
    {"+2", 2},
    {"-Infinity", -(double)INFINITY},
    {"1e400", (double)INFINITY},
    {"0.1", 0.1},
    {"true", 1},
    {"False", 0},
    {"1e-400", 0},
};

enum { N_NUMBERS = sizeof values / sizeof values[0] };

START_TEST(cast_parses_strings_as_numbers)
{
    static const uint32_t dtypes[] = {BP_DTYPE_F64, BP_DTYPE_F32,  BP_DTYPE_F16,    BP_DTYPE_I64,
                                      BP_DTYPE_U8,  BP_DTYPE_BOOL, BP_DTYPE_F8E5M2, BP_DTYPE_I4};
    uint32_t dtype = dtypes[_i % 8];
    const char *text = values[_i / 8].text;
    double want = values[_i / 8].value;
    bp_span span = {text, strlen(text)};
    const struct type *type = NULL;
    const void *y;

    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_STRING, "1", &span);
    th_output(t, "y", dtype, "1");
    th_node(t, "Cast", 25, "x", "y");
    th_int(t, "to", dtype);
    ck_run();
    y = th_data(t, "y");
    if (dtype == BP_DTYPE_F64) {
        ck_assert(isnan(want) ? isnan(*(const double *)y) : *(const double *)y == want);
        return;
    }
    for (uint32_t i = 0; i < N_TYPES; i++)
        type = types[i].dtype == dtype ? &types[i] : type;
    if (type->kind == FLOAT)
        ck_code(type, y, 0, float_code(type, want, type->is_narrow), want);
    else if (type->kind == BOOL)
        ck_assert_uint_eq(*(const uint8_t *)y, want != 0);
    else if (fabs(want) < 1e6 && (type->kind == INT || want >= 0))
        ck_assert_uint_eq(code_at(type, y, 0),
                          (uint64_t)(int64_t)want &
                              (type->bits < 64 ? (UINT64_C(1) << type->bits) - 1 : UINT64_MAX));
}
END_TEST

START_TEST(cast_of_64_bit_integers_through_strings_is_exact)
{
    static const char *const texts[] = {"9223372036854775807", "-9223372036854775808",
                                        "18446744073709551615", "9007199254740993"};
    bp_span spans[4];
    const int64_t *y;

    for (size_t i = 0; i < 4; i++)
        spans[i] = (bp_span){texts[i], strlen(texts[i])};
    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_STRING, "4", spans);
    th_output(t, "y", BP_DTYPE_I64, "4");
    th_output(t, "u", BP_DTYPE_U64, "4");
    th_node(t, "Cast", 13, "x", "y");
    th_int(t, "to", BP_DTYPE_I64);
    th_node(t, "Cast", 13, "x", "u");
    th_int(t, "to", BP_DTYPE_U64);
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == INT64_MAX && y[1] == INT64_MIN && y[3] == INT64_C(9007199254740993));
    ck_assert(((const uint64_t *)th_data(t, "u"))[2] == UINT64_MAX);
}
END_TEST

START_TEST(cast_rejects_a_string_that_is_not_a_number)
{
    static const char *const texts[] = {"Hello World!", "",  "1e", "--1",   "1 2", "0x10",
                                        "infi",         "+", ".",  "1.2.3", "nanx"};
    bp_span spans[2] = {{"1", 1}, {texts[_i], strlen(texts[_i])}};

    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_STRING, "2", spans);
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Cast", 9, "x", "y");
    th_int(t, "to", BP_DTYPE_F32);
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "string 1, '"));
}
END_TEST

START_TEST(cast_parses_a_very_long_string)
{
    char text[2000];
    bp_span span = {text, sizeof text};

    memset(text, '0', sizeof text);
    memcpy(text + sizeof text - 4, "12.5", 4);
    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_STRING, "", &span);
    th_output(t, "y", BP_DTYPE_F32, "");
    th_node(t, "Cast", 13, "x", "y");
    th_int(t, "to", BP_DTYPE_F32);
    ck_run();
    ck_assert(*(const float *)th_data(t, "y") == 12.5f);
}
END_TEST

static void ck_texts(uint32_t dtype, uint32_t n, const void *x, const char *const *want)
{
    char dims[8];
    const bp_span *y;

    sprintf(dims, "%u", n);
    th_allow_alloc(t);
    th_input(t, "x", dtype, dims, x);
    th_output(t, "y", BP_DTYPE_STRING, dims);
    th_node(t, "Cast", 25, "x", "y");
    th_int(t, "to", BP_DTYPE_STRING);
    ck_run();
    y = th_data(t, "y");
    for (uint32_t i = 0; i < n; i++)
        ck_assert_msg(y[i].size == strlen(want[i]) && memcmp(y[i].data, want[i], y[i].size) == 0,
                      "'%.*s', not '%s'", (int)y[i].size, (const char *)y[i].data, want[i]);
}

START_TEST(cast_formats_numbers_as_strings)
{
    static const float f32[] = {0.9767611f, 1,   -0.0f, 1e-5f, 123456.79f, 1e16f,   INFINITY,
                                -INFINITY,  NAN, 0.1f,  1e15f, 314.15926f, 0.0001f, 1.5e-45f};
    static const char *const f32_texts[] = {
        "0.9767611", "1.0",  "-0.0", "1e-05", "123456.79",          "1e+16",
        "inf",       "-inf", "nan",  "0.1",   "1000000000000000.0", "314.15927",
        "0.0001",    "1e-45"};
    static const double f64[] = {0.1, 1.0 / 3, 1e22, 5e-324};
    static const char *const f64_texts[] = {"0.1", "0.3333333333333333", "1e+22", "5e-324"};
    static const uint16_t f16[] = {0x3555, 0x3c00};
    static const char *const f16_texts[] = {"0.3333", "1.0"};
    static const int64_t i64[] = {INT64_MIN, -1, 0, 42};
    static const char *const i64_texts[] = {"-9223372036854775808", "-1", "0", "42"};
    static const uint64_t u64[] = {UINT64_MAX};
    static const char *const u64_texts[] = {"18446744073709551615"};
    static const uint8_t i4[] = {0x78, 0x0f};
    static const char *const i4_texts[] = {"-8", "7", "-1"};
    static const uint8_t f4[] = {0xf1};
    static const char *const f4_texts[] = {"0.5", "-6.0"};
    static const char *const bool_texts[] = {"False", "True"};
    static const uint8_t f8[] = {0x38, 0x7e};
    static const char *const f8_texts[] = {"1.0", "448.0"};
    static const struct {
        uint32_t dtype, n;
        const void *x;
        const char *const *texts;
    } rows[] = {{BP_DTYPE_F32, 14, f32, f32_texts},  {BP_DTYPE_F64, 4, f64, f64_texts},
                {BP_DTYPE_F16, 2, f16, f16_texts},   {BP_DTYPE_I64, 4, i64, i64_texts},
                {BP_DTYPE_U64, 1, u64, u64_texts},   {BP_DTYPE_I4, 3, i4, i4_texts},
                {BP_DTYPE_F4E2M1, 2, f4, f4_texts},  {BP_DTYPE_BOOL, 2, "\0\1", bool_texts},
                {BP_DTYPE_F8E4M3FN, 2, f8, f8_texts}};

    ck_texts(rows[_i].dtype, rows[_i].n, rows[_i].x, rows[_i].texts);
}
END_TEST

/* More than are made at once, and in every run anew. */
START_TEST(cast_of_floats_through_strings_is_exact)
{
    enum { N = 1000 };
    float x[N];
    uint64_t seed = 7;

    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_F32, "1000", memset(x, 0, sizeof x));
    th_value(t, "s", BP_DTYPE_STRING, "1000");
    th_output(t, "y", BP_DTYPE_F32, "1000");
    th_node(t, "Cast", 13, "x", "s");
    th_int(t, "to", BP_DTYPE_STRING);
    th_node(t, "Cast", 13, "s", "y");
    th_int(t, "to", BP_DTYPE_F32);
    for (int run = 0; run < 3; run++) {
        for (size_t i = 0; i < N; i++) {
            uint32_t bits = (uint32_t)random_next(&seed) & 0xff7fffff; /* finite */

            memcpy(&x[i], &bits, sizeof bits);
        }
        th_feed(t, "x", x);
        ck_run();
        ck_assert_mem_eq(th_data(t, "y"), x, sizeof x);
    }
}
END_TEST

/* By CastLike; the text is read by strtod(), whose number the type has nearest to its own. */
START_TEST(cast_like_converts_every_type_to_strings_and_back)
{
    enum { N = 300 };
    const struct type *type = &types[_i];
    uint64_t seed = (uint64_t)_i, *x = kept_zeros(N, sizeof *x);
    const bp_span *texts;
    const void *y;

    fill(type, x, N, &seed);
    th_allow_alloc(t);
    th_input(t, "x", type->dtype, "300", x);
    th_input(t, "text", BP_DTYPE_STRING, "0", NULL);
    th_output(t, "s", BP_DTYPE_STRING, "300");
    th_output(t, "y", type->dtype, "300");
    th_node(t, "CastLike", 25, "x text", "s");
    th_node(t, "CastLike", 25, "s x", "y");
    ck_run();
    texts = th_data(t, "s");
    y = th_data(t, "y");
    for (size_t i = 0; i < N; i++) {
        uint64_t code = code_at(type, x, i), want = code;
        char text[64];
        double number;
        bool any = false;

        snprintf(text, sizeof text, "%.*s", (int)texts[i].size, (const char *)texts[i].data);
        number = strtod(text, NULL);
        if (type->kind == BOOL)
            ck_assert_str_eq(text, code ? "True" : "False");
        else if (type->kind == FLOAT)
            ck_code(type, x, i, float_code(type, number, false), number);
        else if (type->kind == POWER && !isnan(number)) /* not all its digits are there */
            ck_assert_uint_eq(code, (uint64_t)(127 + lround(log2(number))));
        else
            ck_assert(isnan(number) ? isnan(value_of(type, code)) : number == value_of(type, code));
        if (type->kind == FLOAT || type->kind == POWER)
            want = expected_code(&types[0], type, number, &any);
        ck_code(type, y, i, want, number);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_cast_text");
    TCase *tcase = tcase_create("casts");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, cast_parses_strings_as_numbers, 0, 8 * N_NUMBERS);
    tcase_add_test(tcase, cast_of_64_bit_integers_through_strings_is_exact);
    tcase_add_loop_test(tcase, cast_rejects_a_string_that_is_not_a_number, 0, 11);
    tcase_add_test(tcase, cast_parses_a_very_long_string);
    tcase_add_loop_test(tcase, cast_formats_numbers_as_strings, 0, 9);
    tcase_add_test(tcase, cast_of_floats_through_strings_is_exact);
    tcase_add_loop_test(tcase, cast_like_converts_every_type_to_strings_and_back, 0, N_TYPES);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
