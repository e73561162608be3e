/* SPDX-License-Identifier: MIT */
/* value.c - elements of tensors as double and as text. */

#include "config.h"

#include "values/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <bp/sdk.h>

/* A floating-point format under 32 bits: its fields, and which codes are infinities or NaN. */
struct small_float {
    unsigned exponent, mantissa; /* bits */
    int bias;
    enum {
        IEEE,     /* the highest exponent holds infinities and NaN */
        ONE_NAN,  /* all ones are NaN; no infinity */
        NAN_AT_0, /* the code of minus zero is NaN; no infinity ("fnuz") */
        FINITE    /* every code is a number */
    } special;
};

static const struct small_float small_floats[BP_DTYPE_END] = {
    [BP_DTYPE_F16] = {5, 10, 15, IEEE},       [BP_DTYPE_BF16] = {8, 7, 127, IEEE},
    [BP_DTYPE_F8E4M3FN] = {4, 3, 7, ONE_NAN}, [BP_DTYPE_F8E4M3FNUZ] = {4, 3, 8, NAN_AT_0},
    [BP_DTYPE_F8E5M2] = {5, 2, 15, IEEE},     [BP_DTYPE_F8E5M2FNUZ] = {5, 2, 16, NAN_AT_0},
    [BP_DTYPE_F4E2M1] = {2, 1, 1, FINITE},
};

bool value_is_number(uint32_t dtype)
{
    return bp_dtype_width(dtype) > 0;
}

bool value_is_exact(uint32_t dtype)
{
    switch (dtype) {
    case BP_DTYPE_BOOL:
    case BP_DTYPE_U2:
    case BP_DTYPE_U4:
    case BP_DTYPE_U8:
    case BP_DTYPE_U16:
    case BP_DTYPE_U32:
    case BP_DTYPE_U64:
    case BP_DTYPE_I2:
    case BP_DTYPE_I4:
    case BP_DTYPE_I8:
    case BP_DTYPE_I16:
    case BP_DTYPE_I32:
    case BP_DTYPE_I64:
        return true;
    default:
        return false;
    }
}

/* Two's complement; bool and the unsigned types are not. */
static bool is_signed(uint32_t dtype)
{
    return dtype == BP_DTYPE_I2 || dtype == BP_DTYPE_I4 || dtype == BP_DTYPE_I8 ||
           dtype == BP_DTYPE_I16 || dtype == BP_DTYPE_I32 || dtype == BP_DTYPE_I64;
}

static bool is_complex(uint32_t dtype)
{
    return dtype == BP_DTYPE_C64 || dtype == BP_DTYPE_C128;
}

size_t value_count(const bp_tensor *tensor)
{
    size_t n = is_complex(tensor->dtype) ? 2 : 1;

    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= (size_t)tensor->dims[i];
    return n;
}

/* The bits of element i, from the low end, for types of up to 64 bits. */
static uint64_t bits_at(const bp_tensor *tensor, size_t i)
{
    const unsigned char *data = bp_tensor_data(tensor);
    uint32_t width = bp_dtype_width(tensor->dtype);
    uint64_t bits = 0;

    if (is_complex(tensor->dtype))
        width /= 2;
    if (width < 8) {
        size_t per_byte = 8 / width;

        return (uint64_t)data[i / per_byte] >> (i % per_byte * width) & ((1u << width) - 1);
    }
    for (size_t b = width / 8; b > 0; b--)
        bits = bits << 8 | data[i * (width / 8) + b - 1];
    return bits;
}

uint64_t value_bits(const bp_tensor *tensor, size_t i)
{
    uint32_t width = bp_dtype_width(tensor->dtype);
    uint64_t bits = bits_at(tensor, i);

    if (is_signed(tensor->dtype) && width < 64 && bits >> (width - 1) & 1)
        bits |= UINT64_MAX << width;
    return bits;
}

/*
 * (-1)^sign * 2^(exponent - bias) * 1.mantissa; exponent 0 is for subnormal numbers: 2^(1 - bias)
 * * 0.mantissa.
 */
static double small_number(const struct small_float *format, uint64_t bits)
{
    uint64_t mantissa = bits & ((1u << format->mantissa) - 1);
    int exponent = (int)(bits >> format->mantissa & ((1u << format->exponent) - 1));
    int top = (1 << format->exponent) - 1;
    bool is_negative = bits >> (format->mantissa + format->exponent) & 1;
    double value;

    if (format->special == IEEE && exponent == top)
        value = mantissa ? (double)NAN : (double)INFINITY;
    else if (format->special == ONE_NAN && exponent == top &&
             mantissa == (1u << format->mantissa) - 1)
        value = (double)NAN;
    else if (format->special == NAN_AT_0 && is_negative && exponent == 0 && mantissa == 0)
        value = (double)NAN;
    else if (exponent == 0)
        value = ldexp((double)mantissa, 1 - format->bias - (int)format->mantissa);
    else
        value = ldexp((double)(mantissa | 1u << format->mantissa),
                      exponent - format->bias - (int)format->mantissa);
    return is_negative ? -value : value;
}

/* 0 for a type that is not a number. int64 and uint64 above 2^53 are rounded. */
double value_number(const bp_tensor *tensor, size_t i)
{
    uint64_t bits;
    double wide;
    float narrow;
    uint32_t half;

    if (!value_is_number(tensor->dtype))
        return 0;
    bits = value_is_exact(tensor->dtype) ? value_bits(tensor, i) : bits_at(tensor, i);
    switch (tensor->dtype) {
    case BP_DTYPE_F32:
    case BP_DTYPE_C64:
        half = (uint32_t)bits;
        memcpy(&narrow, &half, sizeof narrow);
        return (double)narrow;
    case BP_DTYPE_F64:
    case BP_DTYPE_C128:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    case BP_DTYPE_F8E8M0: /* a power of two */
        return bits == 0xff ? (double)NAN : ldexp(1, (int)bits - 127);
    default:
        if (!value_is_exact(tensor->dtype))
            return small_number(&small_floats[tensor->dtype], bits);
        return is_signed(tensor->dtype) ? (double)(int64_t)bits : (double)bits;
    }
}

/* bp_span is not NUL-terminated; a NUL within ends what is shown. */
static void string_text(struct bp_text *text, const bp_span *span)
{
    struct bp_text raw = {0};

    text_add(&raw, span->data ? span->data : "", span->data ? span->size : 0);
    text_put(text, "\"");
    text_clean(text, text_string(&raw));
    text_put(text, "\"");
    text_finish(&raw);
}

/* 7 significant digits, 12 for float64: for people. Reading back exactly takes 9 and 17. */
void value_text(struct bp_text *text, const bp_tensor *tensor, size_t i)
{
    if (tensor->dtype == BP_DTYPE_STRING)
        string_text(text, (const bp_span *)bp_tensor_data(tensor) + i);
    else if (tensor->dtype == BP_DTYPE_BOOL)
        text_put(text, value_bits(tensor, i) ? "true" : "false");
    else if (is_signed(tensor->dtype))
        text_printf(text, "%" PRId64, (int64_t)value_bits(tensor, i));
    else if (value_is_exact(tensor->dtype))
        text_printf(text, "%" PRIu64, value_bits(tensor, i));
    else
        text_printf(text, tensor->dtype == BP_DTYPE_F64 ? "%.12g" : "%.7g",
                    value_number(tensor, i));
}

/* NaN is counted and left out of the rest; infinities take part, so the mean may be infinite or NaN. */
void value_get_stats(const bp_tensor *tensor, struct value_stats *out)
{
    size_t n = value_count(tensor), used = 0;
    double sum = 0;

    *out = (struct value_stats){0};
    if (!value_is_number(tensor->dtype))
        return;
    out->count = n;
    for (size_t i = 0; i < n; i++) {
        double value = value_number(tensor, i);

        if (isnan(value)) {
            out->nans++;
            continue;
        }
        out->infinities += isinf(value) != 0;
        out->min = used == 0 || value < out->min ? value : out->min;
        out->max = used == 0 || value > out->max ? value : out->max;
        sum += value;
        used++;
    }
    out->mean = used > 0 ? sum / (double)used : 0;
}
