/* SPDX-License-Identifier: MIT */
/*
 * check_cpu_cast.c - Cast, CastLike and BitCast of the CPU provider among all element types, and
 * types under 8 bits in operators that move them. Narrow formats are read here by their definition
 * and written by a search for the nearest of all their numbers.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_case.h"
#include "random.h"

enum { MOST = 700 };

/* ---- types ----------------------------------------------------------------------------------- */

enum kind { INT, UINT, FLOAT, BOOL, POWER };

struct type {
    uint32_t dtype, bits;
    enum kind kind;
    int exponent, mantissa, bias; /* of floats, with a sign */
    unsigned largest;             /* code of the largest number */
    bool no_minus_0, has_infinity, is_narrow;
};

static const struct type types[] = {
    {BP_DTYPE_F32, 32, FLOAT, 8, 23, 127, 0x7f7fffff, false, true, false},
    {BP_DTYPE_F16, 16, FLOAT, 5, 10, 15, 0x7bff, false, true, false},
    {BP_DTYPE_BF16, 16, FLOAT, 8, 7, 127, 0x7f7f, false, true, false},
    {BP_DTYPE_I8, 8, INT, 0, 0, 0, 0, false, false, false},
    {BP_DTYPE_I16, 16, INT, 0, 0, 0, 0, false, false, false},
    {BP_DTYPE_I32, 32, INT, 0, 0, 0, 0, false, false, false},
    {BP_DTYPE_I64, 64, INT, 0, 0, 0, 0, false, false, false},
    {BP_DTYPE_U8, 8, UINT, 0, 0, 0, 0, false, false, false},
    {BP_DTYPE_U16, 16, UINT, 0, 0, 0, 0, false, false, false},
    {BP_DTYPE_U32, 32, UINT, 0, 0, 0, 0, false, false, false},
    {BP_DTYPE_U64, 64, UINT, 0, 0, 0, 0, false, false, false},
    {BP_DTYPE_BOOL, 8, BOOL, 0, 0, 0, 0, false, false, false},
    {BP_DTYPE_F8E4M3FN, 8, FLOAT, 4, 3, 7, 0x7e, false, false, true},
    {BP_DTYPE_F8E4M3FNUZ, 8, FLOAT, 4, 3, 8, 0x7f, true, false, true},
    {BP_DTYPE_F8E5M2, 8, FLOAT, 5, 2, 15, 0x7b, false, true, true},
    {BP_DTYPE_F8E5M2FNUZ, 8, FLOAT, 5, 2, 16, 0x7f, true, false, true},
    {BP_DTYPE_F4E2M1, 4, FLOAT, 2, 1, 1, 0x7, false, false, true},
    {BP_DTYPE_F8E8M0, 8, POWER, 0, 0, 0, 0, false, false, true},
    {BP_DTYPE_U4, 4, UINT, 0, 0, 0, 0, false, false, true},
    {BP_DTYPE_I4, 4, INT, 0, 0, 0, 0, false, false, true},
    {BP_DTYPE_U2, 2, UINT, 0, 0, 0, 0, false, false, true},
    {BP_DTYPE_I2, 2, INT, 0, 0, 0, 0, false, false, true},
};

enum { N_TYPES = sizeof types / sizeof types[0] };

static uint64_t code_at(const struct type *type, const void *data, size_t i)
{
    const uint8_t *bytes = data;
    uint64_t code = 0;

    if (type->bits < 8) {
        size_t per = 8 / type->bits;

        return bytes[i / per] >> (i % per * type->bits) & ((1u << type->bits) - 1);
    }
    memcpy(&code, bytes + i * (type->bits / 8), type->bits / 8);
    return code;
}

static void put_code(const struct type *type, void *data, size_t i, uint64_t code)
{
    uint8_t *bytes = data;

    if (type->bits < 8) {
        size_t per = 8 / type->bits, shift = i % per * type->bits;

        bytes[i / per] = (uint8_t)((bytes[i / per] & ~(((1u << type->bits) - 1) << shift)) |
                                   (unsigned)code << shift);
        return;
    }
    memcpy(bytes + i * (type->bits / 8), &code, type->bits / 8);
}

/* The number of a float's code, by its fields, also of codes behind the largest. */
static double field_value(const struct type *type, uint64_t magnitude)
{
    uint64_t fraction = magnitude & ((UINT64_C(1) << type->mantissa) - 1);
    int exponent = (int)(magnitude >> type->mantissa);

    if (exponent == 0)
        return ldexp((double)fraction, 1 - type->bias - type->mantissa);
    return ldexp((double)(fraction | UINT64_C(1) << type->mantissa),
                 exponent - type->bias - type->mantissa);
}

static double float_value(const struct type *type, uint64_t code)
{
    uint64_t magnitude = code & ((UINT64_C(1) << (type->bits - 1)) - 1);
    bool is_negative = code >> (type->bits - 1) & 1;
    double value;

    if (type->no_minus_0 && is_negative && magnitude == 0)
        return (double)NAN;
    if (magnitude <= type->largest)
        value = field_value(type, magnitude);
    else
        value =
            type->has_infinity && magnitude == type->largest + 1 ? (double)INFINITY : (double)NAN;
    return is_negative ? -value : value;
}

/* As a double; the integers made here are small enough for one. */
static double value_of(const struct type *type, uint64_t code)
{
    switch (type->kind) {
    case FLOAT:
        return float_value(type, code);
    case POWER:
        return code == 0xff ? (double)NAN : ldexp(1, (int)code - 127);
    case INT:
        if (type->bits < 64 && code >> (type->bits - 1))
            code |= UINT64_MAX << type->bits;
        return (double)(int64_t)code;
    default:
        return (double)code;
    }
}

/* The nearest number's code, ties to the even one; the search goes one code beyond the largest. */
static uint64_t nearest_magnitude(const struct type *type, double x)
{
    uint64_t low = 0, high = (uint64_t)type->largest + 1;
    double below, above;

    if (x >= field_value(type, high))
        return high;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (field_value(type, middle) <= x)
            low = middle;
        else
            high = middle;
    }
    below = x - field_value(type, low);
    above = field_value(type, high) - x;
    return below < above || (below == above && low % 2 == 0) ? low : high;
}

static uint64_t float_code(const struct type *type, double x, bool saturate)
{
    uint64_t sign = signbit(x) ? UINT64_C(1) << (type->bits - 1) : 0, magnitude;
    uint64_t nan = type->no_minus_0 ? 0x80 : (uint64_t)type->largest + 1 + type->has_infinity;

    if (type->bits == 4 && isnan(x))
        return 8;
    if (isnan(x))
        return nan;
    magnitude = nearest_magnitude(type, fabs(x));
    if (magnitude > type->largest) {
        if (saturate || type->bits == 4)
            magnitude = type->largest;
        else if (!type->has_infinity)
            return nan;
    }
    return type->no_minus_0 && magnitude == 0 ? 0 : magnitude | sign;
}

/* Nothing is asked of what the operator leaves open: *any. */
static uint64_t expected_code(const struct type *from, const struct type *to, double x, bool *any)
{
    uint64_t mask = to->bits < 64 ? (UINT64_C(1) << to->bits) - 1 : UINT64_MAX;
    bool from_float = from->kind == FLOAT || from->kind == POWER;
    double low = to->kind == INT ? -ldexp(1, (int)to->bits - 1) : 0;
    double end = ldexp(1, (int)to->bits - (to->kind == INT)); /* behind the highest */
    int exponent;

    *any = false;
    switch (to->kind) {
    case FLOAT:
        return float_code(to, x, to->is_narrow);
    case BOOL:
        return x != 0;
    case POWER: /* up, saturated; of negative numbers nothing is said */
        if (isnan(x))
            return 0xff;
        *any = x < 0;
        if (x <= ldexp(1, -127))
            return 0;
        if (x >= ldexp(1, 127))
            return 0xfe;
        return (uint64_t)((frexp(x, &exponent) > 0.5) + exponent - 1 + 127);
    default:
        if (from_float) {
            *any = isnan(x) || trunc(x) < low || trunc(x) >= end;
            /* packed ones keep the low bits, as in the data of ONNX */
            if (to->bits < 8 && fabs(x) < 0x1p62)
                *any = false;
            return *any ? 0 : (x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x) & mask;
        }
        return (uint64_t)(int64_t)x & mask;
    }
}

/* Numbers of all sizes that a type has; of integers none beyond what double holds. */
static void fill(const struct type *type, void *data, size_t n, uint64_t *seed)
{
    memset(data, 0, n * 8);
    for (size_t i = 0; i < n; i++) {
        uint64_t code = random_next(seed);

        if (type->kind == BOOL)
            code &= 1;
        else if (type->bits > 32) /* of 53 bits at most, some of them few */
            code = code >> (11 + random_below(seed, 53));
        else if (type->kind == FLOAT && type->bits >= 16 && i % 2) /* near what narrow types have */
            code = float_code(type, (double)random_float(seed, i % 4 == 1 ? 3 : 600), true);
        if (type->bits < 64)
            code &= (UINT64_C(1) << type->bits) - 1;
        put_code(type, data, i, code);
    }
}

static void ck_code(const struct type *to, const void *got, size_t i, uint64_t want, double x)
{
    double a = value_of(to, code_at(to, got, i)), b = value_of(to, want);

    ck_assert_msg(isnan(b) ? isnan(a) : a == b && signbit(a) == signbit(b),
                  "element %zu: %.17g becomes %.9g (code %llx), not %.9g, in type %u", i, x, a,
                  (unsigned long long)code_at(to, got, i), b, to->dtype);
}

START_TEST(casts_every_pair)
{
    const struct type *from = &types[_i / N_TYPES], *to = &types[_i % N_TYPES];
    uint64_t seed = (uint64_t)_i;
    size_t n = _i % 23 ? 1 + random_below(&seed, MOST) : 12000; /* some for threads to share */
    uint64_t *data = calloc(n, 8);
    char dims[16];
    const void *got;

    fill(from, data, n, &seed);
    sprintf(dims, "%zu", n);
    th_input(t, "x", from->dtype, dims, data);
    th_output(t, "y", to->dtype, dims);
    th_node(t, "Cast", 25, "x", "y");
    th_int(t, "to", to->dtype);
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < n; i++) {
        double x = value_of(from, code_at(from, data, i));
        bool any;
        uint64_t want = expected_code(from, to, x, &any);

        if (from == to && from->is_narrow)
            ck_assert_uint_eq(code_at(to, got, i), code_at(from, data, i));
        else if (!any)
            ck_code(to, got, i, want, x);
    }
    free(data);
}
END_TEST

/* Every code of the narrow types, so that no bit of them goes unseen. */
START_TEST(narrow_codes_are_their_numbers)
{
    const struct type *type = &types[12 + _i];
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

START_TEST(float8_need_not_saturate)
{
    const struct type *type = &types[12 + _i % 4];
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

START_TEST(powers_round_as_told)
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

START_TEST(an_unknown_way_of_rounding_is_an_error)
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
START_TEST(long_integers_are_rounded_once)
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

START_TEST(bit_cast_wants_the_same_width)
{
    th_input(t, "x", BP_DTYPE_F32, "1", (float[]){1});
    th_output(t, "y", BP_DTYPE_F16, "1");
    th_node(t, "BitCast", 26, "x", "y");
    th_int(t, "to", BP_DTYPE_F16);
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
}
END_TEST

/* ---- texts ----------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    double value;
} numbers[] = {
    {"3.14", 3.14},      {"1000", 1000},      {"1e-5", 1e-5},
    {"1E8", 1e8},        {"100.5", 100.5},    {"INF", INFINITY},
    {"+INF", INFINITY},  {"-inf", -INFINITY}, {"NaN", NAN},
    {"-0", -0.0},        {" 7 ", 7},          {".5", 0.5},
    {"5.", 5},           {"+2", 2},           {"-Infinity", -INFINITY},
    {"1e400", INFINITY}, {"0.1", 0.1},        {"true", 1},
    {"False", 0},        {"1e-400", 0},
};

enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

START_TEST(texts_become_numbers)
{
    static const uint32_t dtypes[] = {BP_DTYPE_F64, BP_DTYPE_F32,  BP_DTYPE_F16,    BP_DTYPE_I64,
                                      BP_DTYPE_U8,  BP_DTYPE_BOOL, BP_DTYPE_F8E5M2, BP_DTYPE_I4};
    uint32_t dtype = dtypes[_i % 8];
    const char *text = numbers[_i / 8].text;
    double want = numbers[_i / 8].value;
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

START_TEST(long_integers_survive_as_text)
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

START_TEST(what_is_no_number_is_an_error)
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

START_TEST(a_text_longer_than_any_number_is_read)
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

START_TEST(numbers_become_texts)
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
START_TEST(texts_and_back_are_the_same)
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

START_TEST(packed_elements_are_transposed)
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
START_TEST(packed_elements_are_padded)
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

START_TEST(a_packed_constant_is_repeated)
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
    tcase_add_loop_test(tcase, casts_every_pair, 0, N_TYPES * N_TYPES);
    tcase_add_loop_test(tcase, narrow_codes_are_their_numbers, 0, N_TYPES - 12);
    tcase_add_loop_test(tcase, float8_need_not_saturate, 0, 8);
    tcase_add_loop_test(tcase, powers_round_as_told, 0, 4);
    tcase_add_test(tcase, an_unknown_way_of_rounding_is_an_error);
    tcase_add_test(tcase, long_integers_are_rounded_once);
    tcase_add_test(tcase, cast_like_takes_the_type_of_its_second_input);
    tcase_add_loop_test(tcase, bit_cast_keeps_the_bits, 0, 5);
    tcase_add_test(tcase, bit_cast_wants_the_same_width);
    tcase_add_loop_test(tcase, texts_become_numbers, 0, 8 * N_NUMBERS);
    tcase_add_test(tcase, long_integers_survive_as_text);
    tcase_add_loop_test(tcase, what_is_no_number_is_an_error, 0, 11);
    tcase_add_test(tcase, a_text_longer_than_any_number_is_read);
    tcase_add_loop_test(tcase, numbers_become_texts, 0, 9);
    tcase_add_test(tcase, texts_and_back_are_the_same);
    tcase_add_loop_test(tcase, packed_elements_are_transposed, 0, 25);
    tcase_add_loop_test(tcase, packed_elements_are_padded, 0, 20);
    tcase_add_loop_test(tcase, a_packed_constant_is_repeated, 0, 5);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
