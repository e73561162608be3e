/* SPDX-License-Identifier: MIT */
/*
 * low_precision.c - see low_precision.h.
 *
 * A float format is described by the bias of its exponent, the bits of its mantissa and three
 * codes. The conversions are written once, without branches, and compiled for each format as a
 * constant, so that they vectorise.
 */

#include "kernels/cast/low_precision.h"

#include "kernels/types/loops.h"

enum { PAST = 0xfff }; /* a code that no element has: the format has no special codes */

struct format {
    uint32_t mantissa, bias;
    uint32_t sign;    /* the bit of the sign */
    uint32_t largest; /* code of the largest finite value */
    uint32_t over;    /* code of values beyond it, unless they saturate */
    uint32_t nan;     /* code of NaN */
    uint32_t special; /* codes from here on, but for the sign, are infinite or NaN; or PAST */
    bool no_minus_0;  /* the code of minus 0 is NaN instead; NaN has no sign */
};

#define E4M3FN ((struct format){3, 7, 0x80, 0x7e, 0x7f, 0x7f, 0x7f, false})
#define E4M3FNUZ ((struct format){3, 8, 0x80, 0x7f, 0x80, 0x80, PAST, true})
#define E5M2 ((struct format){2, 15, 0x80, 0x7b, 0x7c, 0x7e, 0x7c, false})
#define E5M2FNUZ ((struct format){2, 16, 0x80, 0x7f, 0x80, 0x80, PAST, true})
/* NaN has no code here and becomes minus 0, as in the data of ONNX */
#define E2M1 ((struct format){1, 1, 0x08, 0x07, 0x07, 0x08, PAST, false})

BP_LOOP_INLINE float load(struct format f, uint32_t code)
{
    uint32_t sign = code & f.sign, magnitude = code & (f.sign - 1);
    uint32_t rest = magnitude << (23 - f.mantissa), first = (128 - f.bias) << 23;
    /* below the normal range: 1.fraction - 1, at the scale of the lowest normal numbers */
    float small = bp_float_from_bits(rest + first) - bp_float_from_bits(first);
    uint32_t bits =
        bp_choose_bits(rest < 1u << 23, bp_float_bits(small), rest + first - (1u << 23));
    /* a fraction makes NaN, none infinity; the only special code of e4m3fn is NaN */
    uint32_t fraction = f.special == 0x7f ? 1 : magnitude & 3;
    uint32_t quiet = bp_choose_bits(fraction != 0, 0x400000, 0);

    bits = bp_choose_bits(magnitude >= f.special, 0x7f800000 | quiet, bits);
    bits = bp_choose_bits(f.no_minus_0 & (code == f.nan), 0x7fc00000, bits);
    return bp_float_from_bits(bits | bp_choose_bits(sign != 0, 0x80000000, 0));
}

BP_LOOP_INLINE uint8_t store(struct format f, float x, bool saturate)
{
    uint32_t bits = bp_float_bits(x), rest = bits & 0x7fffffff, cut = 23 - f.mantissa;
    /* adding a number whose last bit weighs as much as that of the smallest here rounds */
    uint32_t shift = (151 - f.bias - f.mantissa) << 23;
    uint32_t small = bp_float_bits(bp_float_from_bits(rest) + bp_float_from_bits(shift)) - shift;
    uint32_t normal = ((rest + (1u << (cut - 1)) - 1 + (rest >> cut & 1)) >> cut) -
                      ((127 - f.bias) << f.mantissa);
    uint32_t code = bp_choose_bits(rest < (128 - f.bias) << 23, small, normal);
    uint32_t sign = bp_choose_bits(bits >> 31, f.sign, 0);
    uint32_t is_nan = rest > 0x7f800000;

    code = bp_choose_bits(code > f.largest, saturate ? f.largest : f.over, code);
    code = bp_choose_bits(is_nan, f.nan, code);
    /* neither 0 nor NaN has a sign where there is no minus 0 */
    sign = bp_choose_bits(f.no_minus_0 & ((code == 0) | (code == f.nan)), 0, sign);
    return (uint8_t)(code | sign);
}

/* The nearest power of 2; the sign is dropped, and what is below the least one saturates too. */
BP_LOOP_INLINE uint8_t store_e8m0(float x, struct bp_cpu_rounding how)
{
    uint32_t rest = bp_float_bits(x) & 0x7fffffff, code = rest >> 23;
    uint32_t fraction = code ? rest & 0x7fffff : (rest << 1) & 0x7fffff;

    if (rest > 0x7f800000)
        return 0xff;
    if (rest < 0x400000) /* 2^-127, of which floats have fractions */
        return how.saturate ? 0 : 0xff;
    if (how.mode == BP_CPU_UP)
        code += fraction > 0;
    else if (how.mode == BP_CPU_TO_NEAREST)
        code += fraction >= 0x400000;
    if (code > 0xfe)
        return how.saturate ? 0xfe : 0xff;
    return (uint8_t)code;
}

static void load_e8m0(float *to, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t code = from[i];
        uint32_t bits = code == 0 ? 0x400000 : code << 23;

        to[i] = bp_float_from_bits(code == 0xff ? 0x7fc00000 : bits);
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

#define FLOAT8(name, format)                                                                       \
    BP_LOOP static void load_##name(float *to, const uint8_t *from, size_t n)                      \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = load(format, from[i]);                                                         \
    }                                                                                              \
    BP_LOOP static void store_##name(uint8_t *to, const float *from, size_t n, bool saturate)      \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = store(format, from[i], saturate);                                              \
    }

FLOAT8(e4m3fn, E4M3FN)
FLOAT8(e4m3fnuz, E4M3FNUZ)
FLOAT8(e5m2, E5M2)
FLOAT8(e5m2fnuz, E5M2FNUZ)

/* n codes of `bits` bits each, a constant, as bytes; sign: they are numbers with one. */
BP_LOOP_INLINE void unpack(uint8_t *to, const uint8_t *from, size_t n, uint32_t bits, bool sign)
{
    uint32_t per_byte = 8 / bits, up = sign ? 1u << (bits - 1) : 0;
    uint32_t mask = (1u << bits) - 1;
    size_t whole = n / per_byte * per_byte;

    /* flipping the sign's bit and taking it away again extends it */
    for (size_t i = 0; i < whole; i += per_byte) {
        for (uint32_t k = 0; k < per_byte; k++)
            to[i + k] = (uint8_t)((((uint32_t)*from >> k * bits & mask) ^ up) - up);
        from++;
    }
    for (uint32_t k = 0; whole + k < n; k++)
        to[whole + k] = (uint8_t)((((uint32_t)*from >> k * bits & mask) ^ up) - up);
}

BP_LOOP_INLINE void pack(uint8_t *to, const uint8_t *from, size_t n, uint32_t bits)
{
    uint32_t per_byte = 8 / bits, mask = (1u << bits) - 1, rest = 0;
    size_t whole = n / per_byte * per_byte;

    for (size_t i = 0; i < whole; i += per_byte) {
        uint32_t byte = 0;

        for (uint32_t k = 0; k < per_byte; k++)
            byte |= (from[i + k] & mask) << k * bits;
        *to++ = (uint8_t)byte;
    }
    for (uint32_t k = 0; whole + k < n; k++)
        rest |= (from[whole + k] & mask) << k * bits;
    if (whole < n)
        *to = (uint8_t)rest;
}

static void load_f4(float *to, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = load(E2M1, i % 2 ? from[i / 2] >> 4 : from[i / 2] & 0xf);
}

static void store_f4(uint8_t *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i += 2) {
        uint32_t low = store(E2M1, from[i], true);
        uint32_t high = i + 1 < n ? store(E2M1, from[i + 1], true) : 0;

        to[i / 2] = (uint8_t)(low | high << 4);
    }
}

/* ---- by type --------------------------------------------------------------------------------- */

uint32_t bp_cpu_carrier(uint32_t dtype)
{
    switch (dtype) {
    case BP_DTYPE_F8E4M3FN:
    case BP_DTYPE_F8E4M3FNUZ:
    case BP_DTYPE_F8E5M2:
    case BP_DTYPE_F8E5M2FNUZ:
    case BP_DTYPE_F8E8M0:
    case BP_DTYPE_F4E2M1:
        return BP_DTYPE_F32;
    case BP_DTYPE_U4:
    case BP_DTYPE_U2:
        return BP_DTYPE_U8;
    case BP_DTYPE_I4:
    case BP_DTYPE_I2:
        return BP_DTYPE_I8;
    default:
        return dtype;
    }
}

void bp_cpu_low_precision_load(uint32_t dtype, void *to, const void *from, size_t first, size_t n)
{
    uint32_t bits = bp_dtype_width(dtype);
    const uint8_t *at = (const uint8_t *)from + first / (8 / bits);

    switch (dtype) {
    case BP_DTYPE_F8E4M3FN:
        load_e4m3fn(to, at, n);
        break;
    case BP_DTYPE_F8E4M3FNUZ:
        load_e4m3fnuz(to, at, n);
        break;
    case BP_DTYPE_F8E5M2:
        load_e5m2(to, at, n);
        break;
    case BP_DTYPE_F8E5M2FNUZ:
        load_e5m2fnuz(to, at, n);
        break;
    case BP_DTYPE_F8E8M0:
        load_e8m0(to, at, n);
        break;
    case BP_DTYPE_F4E2M1:
        load_f4(to, at, n);
        break;
    case BP_DTYPE_U4:
        unpack(to, at, n, 4, false);
        break;
    case BP_DTYPE_I4:
        unpack(to, at, n, 4, true);
        break;
    case BP_DTYPE_U2:
        unpack(to, at, n, 2, false);
        break;
    default:
        unpack(to, at, n, 2, true);
        break;
    }
}

void bp_cpu_low_precision_store(uint32_t dtype, void *to, const void *from, size_t first, size_t n,
                                struct bp_cpu_rounding rounding)
{
    uint32_t bits = bp_dtype_width(dtype);
    uint8_t *at = (uint8_t *)to + first / (8 / bits);
    const float *x = from;

    switch (dtype) {
    case BP_DTYPE_F8E4M3FN:
        store_e4m3fn(at, from, n, rounding.saturate);
        break;
    case BP_DTYPE_F8E4M3FNUZ:
        store_e4m3fnuz(at, from, n, rounding.saturate);
        break;
    case BP_DTYPE_F8E5M2:
        store_e5m2(at, from, n, rounding.saturate);
        break;
    case BP_DTYPE_F8E5M2FNUZ:
        store_e5m2fnuz(at, from, n, rounding.saturate);
        break;
    case BP_DTYPE_F8E8M0:
        for (size_t i = 0; i < n; i++)
            at[i] = store_e8m0(x[i], rounding);
        break;
    case BP_DTYPE_F4E2M1:
        store_f4(at, from, n);
        break;
    case BP_DTYPE_U4:
    case BP_DTYPE_I4:
        pack(at, from, n, 4);
        break;
    default:
        pack(at, from, n, 2);
        break;
    }
}
