/* SPDX-License-Identifier: MIT */
/*
 * cast_kit.h - all element types as a cast sees them. Narrow formats are read here by their definition
 * and written by a search for the nearest of all their numbers.
 */
#ifndef BP_TESTS_CAST_KIT_H
#define BP_TESTS_CAST_KIT_H

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random.h"

enum { MOST = 700 };

/* ---- types ----------------------------------------------------------------------------------- */

enum kind { INT, UINT, FLOAT, BOOL, POWER };

struct type {
    uint32_t dtype, bits;
    enum kind kind;
    int exponent, mantissa, bias; /* of floats, with a sign */
    uint64_t largest;             /* code of the largest number */
    bool no_minus_0, has_infinity, is_narrow;
};

static const struct type types[] = {
    {BP_DTYPE_F32, 32, FLOAT, 8, 23, 127, 0x7f7fffff, false, true, false},
    {BP_DTYPE_F64, 64, FLOAT, 11, 52, 1023, 0x7fefffffffffffff, false, true, false},
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

enum { N_TYPES = sizeof types / sizeof types[0], FIRST_NARROW = 13 };

static inline const struct type *type_of(uint32_t dtype)
{
    for (size_t i = 0; i < N_TYPES; i++) {
        if (types[i].dtype == dtype)
            return &types[i];
    }
    ck_abort_msg("type %u is not in the list", dtype);
    return NULL;
}

static inline uint64_t code_at(const struct type *type, const void *data, size_t i)
{
    const uint8_t *bytes = data;
    uint64_t code = 0;

    if (type->bits < 8) {
        size_t per = 8 / type->bits;

        code = bytes[i / per];
        return code >> (i % per * type->bits) & ((1u << type->bits) - 1);
    }
    memcpy(&code, bytes + i * (type->bits / 8), type->bits / 8);
    return code;
}

static inline void put_code(const struct type *type, void *data, size_t i, uint64_t code)
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

/* The number of a float's code, by its fields, also of codes beyond the largest. */
static inline double field_value(const struct type *type, uint64_t magnitude)
{
    uint64_t fraction = magnitude & ((UINT64_C(1) << type->mantissa) - 1);
    int exponent = (int)(magnitude >> type->mantissa);

    if (exponent == 0)
        return ldexp((double)fraction, 1 - type->bias - type->mantissa);
    return ldexp((double)(fraction | UINT64_C(1) << type->mantissa),
                 exponent - type->bias - type->mantissa);
}

static inline double float_value(const struct type *type, uint64_t code)
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
static inline double value_of(const struct type *type, uint64_t code)
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
static inline uint64_t nearest_magnitude(const struct type *type, double x)
{
    uint64_t low = 0, high = type->largest + 1;
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

static inline uint64_t float_code(const struct type *type, double x, bool saturate)
{
    uint64_t sign = signbit(x) ? UINT64_C(1) << (type->bits - 1) : 0, magnitude;
    uint64_t nan = type->no_minus_0 ? 0x80 : type->largest + 1 + type->has_infinity;

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

/* Element i as a double, float64 among them. */
static inline double value_at(uint32_t dtype, const void *data, size_t i)
{
    return dtype == BP_DTYPE_F64 ? ((const double *)data)[i]
                                 : value_of(type_of(dtype), code_at(type_of(dtype), data, i));
}

/* The nearest of a float type. */
static inline void put_value(uint32_t dtype, void *data, size_t i, double x)
{
    if (dtype == BP_DTYPE_F64)
        ((double *)data)[i] = x;
    else
        put_code(type_of(dtype), data, i, float_code(type_of(dtype), x, true));
}

/* Nothing is asked of what the operator leaves open: *any. */
static inline uint64_t expected_code(const struct type *from, const struct type *to, double x,
                                     bool *any)
{
    uint64_t mask = to->bits < 64 ? (UINT64_C(1) << to->bits) - 1 : UINT64_MAX;
    bool from_float = from->kind == FLOAT || from->kind == POWER;
    double low = to->kind == INT ? -ldexp(1, (int)to->bits - 1) : 0;
    double end = ldexp(1, (int)to->bits - (to->kind == INT)); /* one past the highest */
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
            /* what is below 0 wraps around in an unsigned type: from 32 bits, or its own 64 */
            if (to->kind == UINT)
                low = to->bits < 64 ? -0x1p31 : -0x1p62;
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
static inline void fill(const struct type *type, void *data, size_t n, uint64_t *seed)
{
    memset(data, 0, n * 8);
    for (size_t i = 0; i < n; i++) {
        uint64_t code = random_next(seed);

        if (type->kind == BOOL)
            code &= 1;
        else if (type->bits > 32 && type->kind != FLOAT) /* of 53 bits at most, some of them few */
            code = code >> (11 + random_below(seed, 53));
        else if (type->kind == FLOAT && type->bits >= 16 && i % 2) /* near what narrow types have */
            code = float_code(type, (double)random_float(seed, i % 4 == 1 ? 3 : 600), true);
        if (type->bits < 64)
            code &= (UINT64_C(1) << type->bits) - 1;
        put_code(type, data, i, code);
    }
}

static inline void ck_code(const struct type *to, const void *got, size_t i, uint64_t want,
                           double x)
{
    double a = value_of(to, code_at(to, got, i)), b = value_of(to, want);

    ck_assert_msg(isnan(b) ? isnan(a) : a == b && signbit(a) == signbit(b),
                  "element %zu: %.17g becomes %.9g (code %llx), not %.9g, in type %u", i, x, a,
                  (unsigned long long)code_at(to, got, i), b, to->dtype);
}

#endif
