/* SPDX-License-Identifier: MIT */
/*
 * number_text.c - see number_text.h.
 *
 * Printing tries 1 to 17 digits until the text reads back as the same value; parsing checks the
 * grammar itself and leaves the value to strtod(), whose decimal point is the locale's.
 */

#include "elementwise/number_text.h"

#include <common/float16.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/cast/cast.h"

/* ---- to text --------------------------------------------------------------------------------- */

/* Does a text whose value is y denote x, rounded to the type? */
static bool reads_back(uint32_t dtype, double x, double y)
{
    switch (dtype) {
    case BP_DTYPE_F64:
        return x == y;
    case BP_DTYPE_F16:
        return bp_f16_store(bp_float_to_odd(y)) == bp_f16_store((float)x);
    case BP_DTYPE_BF16:
        return bp_bf16_store(bp_float_to_odd(y)) == bp_bf16_store((float)x);
    default:
        return (float)x == (float)y;
    }
}

/*
 * Writes the fewest digits of |x| that read back, without trailing zeros; *exponent is the decimal
 * one of the first.
 */
static uint32_t digits_of(uint32_t dtype, double x, char *digits, int *exponent)
{
    char text[64];
    uint32_t n = 0;

    for (int precision = 0; precision < 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, x);
        if (precision == 16 || reads_back(dtype, x, strtod(text, NULL)))
            break;
    }
    for (const char *at = text; *at != 'e'; at++) { /* the point is the locale's */
        if (*at >= '0' && *at <= '9')
            digits[n++] = *at;
    }
    *exponent = atoi(strchr(text, 'e') + 1);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return n;
}

/* "0.00123", "12300.0" or "1.23e+17", as Python prints floats. Returns the number of bytes. */
static size_t write_decimal(const char *digits, uint32_t n, int exponent, char *to)
{
    char *at = to;

    if (exponent < -4 || exponent >= 16) {
        *at++ = digits[0];
        if (n > 1)
            *at++ = '.';
        memcpy(at, digits + 1, n - 1);
        at += n - 1;
        return (size_t)(at - to) + (size_t)sprintf(at, "e%c%02d", exponent < 0 ? '-' : '+',
                                                   exponent < 0 ? -exponent : exponent);
    }
    if (exponent < 0) {
        memcpy(at, "0.000", (size_t)(1 - exponent));
        at += 1 - exponent;
        memcpy(at, digits, n);
        return (size_t)(at + n - to);
    }
    for (int i = 0; i <= exponent; i++)
        *at++ = (uint32_t)i < n ? digits[i] : '0';
    *at++ = '.';
    if (n <= (uint32_t)exponent + 1)
        *at++ = '0';
    for (uint32_t i = (uint32_t)exponent + 1; i < n; i++)
        *at++ = digits[i];
    return (size_t)(at - to);
}

/* "nan" has no sign, "inf" has. */
static size_t float_text(uint32_t dtype, double x, char *to)
{
    char digits[24];
    int exponent;
    uint32_t n;
    size_t sign = signbit(x) && x == x;

    if (sign)
        to[0] = '-';
    if (x != x || isinf(x)) {
        memcpy(to + sign, x != x ? "nan" : "inf", 3);
        return sign + 3;
    }
    n = digits_of(dtype, fabs(x), digits, &exponent);
    return sign + write_decimal(digits, n, exponent, to + sign);
}

size_t bp_cpu_number_to_text(uint32_t dtype, const void *element, char to[BP_CPU_NUMBER_TEXT])
{
    bool is_bool = dtype == BP_DTYPE_BOOL, is_unsigned = dtype == BP_DTYPE_U64;
    uint32_t carrier = bp_cpu_carrier(dtype);
    struct bp_cpu_cast cast;
    uint64_t integer;
    double x;

    if (is_bool) {
        bool value = *(const uint8_t *)element != 0;

        memcpy(to, value ? "True" : "False", 5);
        return value ? 4 : 5;
    }
    if (carrier == BP_DTYPE_F32 || carrier == BP_DTYPE_F64 || carrier == BP_DTYPE_F16 ||
        carrier == BP_DTYPE_BF16) {
        if (!bp_cpu_cast_make(&cast, dtype, BP_DTYPE_F64))
            return 0;
        bp_cpu_cast_range(&cast, &x, element, 0, 1);
        return float_text(dtype, x, to);
    }
    if (!bp_cpu_cast_make(&cast, dtype, is_unsigned ? BP_DTYPE_U64 : BP_DTYPE_I64))
        return 0;
    bp_cpu_cast_range(&cast, &integer, element, 0, 1);
    return (size_t)(is_unsigned ? snprintf(to, BP_CPU_NUMBER_TEXT, "%" PRIu64, integer)
                                : snprintf(to, BP_CPU_NUMBER_TEXT, "%" PRId64, (int64_t)integer));
}

/* ---- from text ------------------------------------------------------------------------------- */

/* The text that is parsed; `at` never exceeds size. */
struct reader {
    const char *text;
    size_t at, size;
};

static char peek(const struct reader *r)
{
    return r->at < r->size ? r->text[r->at] : '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->size && (peek(r) == ' ' || (peek(r) >= '\t' && peek(r) <= '\r')))
        r->at++;
}

static bool skip_digits(struct reader *r)
{
    size_t from = r->at;

    while (is_digit(peek(r)))
        r->at++;
    return r->at > from;
}

/* Skips `word`, which is in lower case; the text may be in any case. */
static bool skip_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);

    if (r->size - r->at < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        if ((r->text[r->at + i] | 0x20) != word[i])
            return false;
    }
    r->at += n;
    return true;
}

/* Skips a decimal number; *is_integer: it is digits alone. */
static bool skip_number(struct reader *r, bool *is_integer)
{
    bool has_digits = skip_digits(r);

    *is_integer = has_digits;
    if (peek(r) == '.') {
        r->at++;
        *is_integer = false;
        has_digits = skip_digits(r) || has_digits;
    }
    if (has_digits && (peek(r) == 'e' || peek(r) == 'E')) {
        r->at++;
        *is_integer = false;
        if (peek(r) == '+' || peek(r) == '-')
            r->at++;
        has_digits = skip_digits(r);
    }
    return has_digits;
}

/* The digits as an integer modulo 2^64; false: they do not fit 64 bits. */
static bool read_integer(const char *text, size_t n, bool is_negative, uint64_t *out)
{
    uint64_t value = 0;

    for (size_t i = 0; i < n; i++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
            return false;
    }
    *out = is_negative ? 0 - value : value;
    return true;
}

/*
 * Copies n bytes for strtod(), with the locale's decimal point and a NUL. The point may have
 * several bytes.
 */
static void copy_for_c(const struct reader *r, size_t n, char *work)
{
    char half[16];
    char *to = work;

    snprintf(half, sizeof half, "%.1f", 0.5);
    for (size_t i = 0; i < n; i++) {
        if (r->text[r->at + i] != '.') {
            *to++ = r->text[r->at + i];
            continue;
        }
        for (const char *point = half + 1; !is_digit(*point) && point < half + 8; point++)
            *to++ = *point;
    }
    *to = '\0';
}

/* Converts to the type; a float has been rounded once, by strtof(). */
static void store_number(double value, uint32_t dtype, void *to)
{
    float single = (float)value;
    struct bp_cpu_cast cast;

    if (dtype == BP_DTYPE_F32)
        memcpy(to, &single, sizeof single);
    else if (bp_cpu_cast_make(&cast, BP_DTYPE_F64, dtype))
        bp_cpu_cast_range(&cast, to, &value, 0, 1);
}

bool bp_cpu_text_to_number(bp_span text, uint32_t dtype, void *to, char *work)
{
    struct reader r = {(const char *)text.data, 0, text.size};
    struct reader start;
    bool is_negative, is_integer = false;
    uint64_t integer;
    double value;

    skip_blanks(&r);
    is_negative = peek(&r) == '-';
    if (peek(&r) == '+' || is_negative)
        r.at++;
    start = r;
    if (skip_word(&r, "infinity") || skip_word(&r, "inf")) {
        value = (double)INFINITY;
    } else if (skip_word(&r, "nan")) {
        value = (double)NAN;
    } else if (skip_word(&r, "true") || skip_word(&r, "false")) {
        value = r.at - start.at == 4;
    } else {
        if (!skip_number(&r, &is_integer))
            return false;
        copy_for_c(&start, r.at - start.at, work);
        value = dtype == BP_DTYPE_F32 ? (double)strtof(work, NULL) : strtod(work, NULL);
    }
    if (is_integer && dtype == BP_DTYPE_I64 &&
        read_integer(start.text + start.at, r.at - start.at, is_negative, &integer))
        memcpy(to, &integer, sizeof integer);
    else
        store_number(is_negative ? -value : value, dtype, to);
    skip_blanks(&r);
    return r.at == r.size;
}
