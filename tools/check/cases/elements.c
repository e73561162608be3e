/* SPDX-License-Identifier: MIT */
/* elements.c - elements of tensors as double, and what inputs and initializers are filled with. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/case.h"

size_t kit_count(const struct kit_port *p)
{
    size_t n = 1;

    for (uint32_t d = 0; d < p->rank; d++)
        n *= (size_t)p->dims[d];
    return n;
}

size_t kit_bytes(const struct kit_port *p)
{
    return kit_count(p) * (bp_dtype_width(p->dtype) / 8);
}

bool kit_is_float(uint32_t type)
{
    return type == BP_DTYPE_F32 || type == BP_DTYPE_F64 || type == BP_DTYPE_F16 ||
           type == BP_DTYPE_BF16;
}

static float bits_to_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE 754 binary16; subnormals as well. */
static double half_to_double(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double value = exponent == 31  ? (fraction ? (double)NAN : HUGE_VAL)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(1024 + fraction, exponent - 25);

    return h >> 15 ? -value : value;
}

/* To the nearest, ties to even; values that the kit feeds are neither subnormal nor too large. */
static uint16_t double_to_half(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    int exponent;
    double fraction;

    if (isnan(x))
        return 0x7e00;
    fraction = frexp(fabs(x), &exponent);
    if (isinf(x) || exponent > 16)
        return (uint16_t)(sign | 0x7c00);
    if (fraction <= 0 || exponent < -13)
        return (uint16_t)(sign | (uint16_t)nearbyint(ldexp(fabs(x), 24)));
    return (uint16_t)(sign | (((exponent + 13) << 10) + (int)nearbyint(ldexp(fraction, 11))));
}

double kit_load(uint32_t type, const void *p, size_t i)
{
    switch (type) {
    case BP_DTYPE_F32:
        return (double)((const float *)p)[i];
    case BP_DTYPE_F64:
        return ((const double *)p)[i];
    case BP_DTYPE_F16:
        return half_to_double(((const uint16_t *)p)[i]);
    case BP_DTYPE_BF16:
        return (double)bits_to_float((uint32_t)((const uint16_t *)p)[i] << 16);
    case BP_DTYPE_I32:
        return ((const int32_t *)p)[i];
    case BP_DTYPE_I64:
        return (double)((const int64_t *)p)[i];
    case BP_DTYPE_I8:
        return ((const int8_t *)p)[i];
    case BP_DTYPE_I16:
        return ((const int16_t *)p)[i];
    case BP_DTYPE_U16:
        return ((const uint16_t *)p)[i];
    case BP_DTYPE_U32:
        return ((const uint32_t *)p)[i];
    case BP_DTYPE_U64:
        return (double)((const uint64_t *)p)[i];
    default:
        return ((const uint8_t *)p)[i]; /* BP_DTYPE_U8, BP_DTYPE_BOOL */
    }
}

static uint16_t double_to_bfloat(double x)
{
    float value = (float)x;
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void kit_store(uint32_t type, void *p, size_t i, double value)
{
    switch (type) {
    case BP_DTYPE_F32:
        ((float *)p)[i] = (float)value;
        return;
    case BP_DTYPE_F64:
        ((double *)p)[i] = value;
        return;
    case BP_DTYPE_F16:
        ((uint16_t *)p)[i] = double_to_half(value);
        return;
    case BP_DTYPE_BF16:
        ((uint16_t *)p)[i] = double_to_bfloat(value);
        return;
    case BP_DTYPE_I32:
        ((int32_t *)p)[i] = (int32_t)value;
        return;
    case BP_DTYPE_I64:
        ((int64_t *)p)[i] = (int64_t)value;
        return;
    case BP_DTYPE_I8:
        ((int8_t *)p)[i] = (int8_t)value;
        return;
    default:
        ((uint8_t *)p)[i] = (uint8_t)value;
    }
}

/* Element i of what a seed gives. */
static double random_element(const struct kit_port *p, double low, double high, uint32_t *state)
{
    double x;

    *state = *state * 1664525u + 1013904223u;
    if (p->dtype == BP_DTYPE_BOOL)
        return *state >> 31;
    x = low + (high - low) * (double)(*state >> 8) / 16777216.0;
    return kit_is_float(p->dtype) ? x : floor(x);
}

void kit_fill(const struct kit_case *c, const struct kit_port *p, void *data, unsigned seed)
{
    static const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, -0.0, 0.0, -1.0, 1e-30};
    double low = p->has_range ? p->low : c->low, high = p->has_range ? p->high : c->high;
    uint32_t state = seed * 2654435761u + 12345u;
    size_t n = kit_count(p);

    if (p->data) {
        memcpy(data, p->data, kit_bytes(p));
        return;
    }
    for (size_t i = 0; i < n; i++) {
        double x = random_element(p, low, high, &state);

        if (p->n_fixed > 0)
            x = p->fixed[i % p->n_fixed];
        else if (isnan(low))
            x = odd[i % (sizeof odd / sizeof odd[0])];
        kit_store(p->dtype, data, i, x);
    }
}
