/* SPDX-License-Identifier: MIT */
/* random.c - random elements, the same on every machine for the same seed. */

#include "config.h"

#include <string.h>

#include <bp/sdk.h>

#include "values/value.h"

/* The next number of the "splitmix64" sequence (Steele, Lea, Flood 2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/*
 * The bits of k / 2^(mantissa + 1) in a 16-bit format: exact, for k has no more bits than the
 * mantissa.
 */
static uint16_t small_fraction(uint32_t k, unsigned mantissa, unsigned bias)
{
    unsigned top = 0;

    if (k == 0)
        return 0;
    while (k >> (top + 1))
        top++;
    return (uint16_t)((bias + top - (mantissa + 1)) << mantissa |
                      ((k << (mantissa - top)) & ((1u << mantissa) - 1)));
}

/*
 * k / 2^53 or k / 2^24: equally spaced in [0, 1). Both are drawn, so that every type uses two
 * steps of the sequence.
 */
static void fill_floats(bp_tensor *tensor, uint64_t *state)
{
    size_t n = value_count(tensor);
    unsigned char *data = bp_tensor_data(tensor);
    bool is_wide = tensor->dtype == BP_DTYPE_F64 || tensor->dtype == BP_DTYPE_C128;

    for (size_t i = 0; i < n; i++) {
        double wide = (double)(next(state) >> 11) * 0x1p-53;
        float narrow = (float)(next(state) >> 40) * 0x1p-24f;

        if (is_wide)
            memcpy(data + i * sizeof wide, &wide, sizeof wide);
        else
            memcpy(data + i * sizeof narrow, &narrow, sizeof narrow);
    }
}

/* As many random bits as the format has significant ones, so each value is exact and below 1. */
static void fill_halves(bp_tensor *tensor, uint64_t *state, unsigned mantissa, unsigned bias)
{
    size_t n = value_count(tensor);
    unsigned char *data = bp_tensor_data(tensor);

    for (size_t i = 0; i < n; i++) {
        uint32_t k = (uint32_t)(next(state) >> (63 - mantissa));
        uint16_t bits = small_fraction(k, mantissa, bias);

        memcpy(data + i * sizeof bits, &bits, sizeof bits);
    }
}

/* 0 or 1 in elements of `width` bits; those under a byte are packed from the low end. */
static void fill_ints(bp_tensor *tensor, uint64_t *state, uint32_t width)
{
    size_t n = value_count(tensor);
    unsigned char *data = bp_tensor_data(tensor);

    for (size_t i = 0; i < n; i++) {
        unsigned bit = (unsigned)(next(state) >> 63);

        if (width < 8)
            data[i * width / 8] |= (unsigned char)(bit << (i * width % 8));
        else
            data[i * (width / 8)] = (unsigned char)bit;
    }
}

/* Fills with codes from 0 to the code of 1.0: positive codes are in the order of their values. */
static void fill_codes(bp_tensor *tensor, uint64_t *state, uint32_t one)
{
    size_t n = value_count(tensor), per_byte = 8 / bp_dtype_width(tensor->dtype);
    unsigned char *data = bp_tensor_data(tensor);

    memset(data, 0, tensor->bytes);
    for (size_t i = 0; i < n; i++)
        data[i / per_byte] |= (unsigned char)(next(state) % (one + 1) << (i % per_byte * 4));
}

/* `one` of fill_codes() is the code of 1.0 in that format. */
bp_rc value_fill_random(bp_tensor *tensor, uint64_t *state, bp_err *err)
{
    if (value_count(tensor) == 0)
        return BP_OK;
    if (value_is_exact(tensor->dtype)) {
        memset(bp_tensor_data(tensor), 0, tensor->bytes);
        fill_ints(tensor, state, bp_dtype_width(tensor->dtype));
        return BP_OK;
    }
    switch (tensor->dtype) {
    case BP_DTYPE_F32:
    case BP_DTYPE_F64:
    case BP_DTYPE_C64:
    case BP_DTYPE_C128:
        fill_floats(tensor, state);
        return BP_OK;
    case BP_DTYPE_F16:
        fill_halves(tensor, state, 10, 15);
        return BP_OK;
    case BP_DTYPE_BF16:
        fill_halves(tensor, state, 7, 127);
        return BP_OK;
    case BP_DTYPE_F8E4M3FN:
        fill_codes(tensor, state, 0x38);
        return BP_OK;
    case BP_DTYPE_F8E5M2:
        fill_codes(tensor, state, 0x3c);
        return BP_OK;
    case BP_DTYPE_F8E4M3FNUZ:
    case BP_DTYPE_F8E5M2FNUZ:
        fill_codes(tensor, state, 0x40);
        return BP_OK;
    case BP_DTYPE_F8E8M0:
        fill_codes(tensor, state, 0x7f);
        return BP_OK;
    case BP_DTYPE_F4E2M1:
        fill_codes(tensor, state, 0x2);
        return BP_OK;
    default:
        return bp_fail(err, BP_E_UNSUPPORTED, "there are no random elements of type %s",
                       bp_dtype_name(tensor->dtype));
    }
}
