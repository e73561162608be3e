/* SPDX-License-Identifier: MIT */
/* typed.c - elements of any type for tests. */

#include "config.h"

#include "support/random.h"
#include "support/typed.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>
#include <common/float16.h>

bool typed_is_float(uint32_t dtype)
{
    return dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F64 || dtype == BP_DTYPE_F16 ||
           dtype == BP_DTYPE_BF16;
}

bool typed_is_signed(uint32_t dtype)
{
    return dtype == BP_DTYPE_I8 || dtype == BP_DTYPE_I16 || dtype == BP_DTYPE_I32 ||
           dtype == BP_DTYPE_I64;
}

void typed_put_bits(void *data, uint32_t dtype, size_t i, uint64_t bits)
{
    size_t width = bp_dtype_width(dtype) / 8;

    memcpy((char *)data + i * width, &bits, width); /* the tests run where bytes go low to high */
}

uint64_t typed_bits(const void *data, uint32_t dtype, size_t i)
{
    size_t width = bp_dtype_width(dtype) / 8;
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * width - 1);

    memcpy(&bits, (const char *)data + i * width, width);
    return typed_is_signed(dtype) ? (bits ^ sign) - sign : bits;
}

static bp_span text_of(double x)
{
    static char texts[100][4];
    int n = (int)x;
    bp_span span = {NULL, 0};

    if (n < 0 || n > 99)
        ck_abort_msg("%g is not text of two digits", x);
    snprintf(texts[n], sizeof texts[n], "%02d", n);
    span.data = texts[n];
    span.size = n ? 2 : 0;
    return span;
}

static double number_of(const bp_span *span)
{
    const char *digits = span->data;

    return span->size < 2 ? 0 : (digits[0] - '0') * 10 + (digits[1] - '0');
}

void typed_put(void *data, uint32_t dtype, size_t i, double x)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        ((float *)data)[i] = (float)x;
        break;
    case BP_DTYPE_F64:
        ((double *)data)[i] = x;
        break;
    case BP_DTYPE_F16:
        ((uint16_t *)data)[i] = bp_f16_store((float)x);
        break;
    case BP_DTYPE_BF16:
        ((uint16_t *)data)[i] = bp_bf16_store((float)x);
        break;
    case BP_DTYPE_BOOL:
        ((uint8_t *)data)[i] = x != 0;
        break;
    case BP_DTYPE_C64:
        ((float *)data)[2 * i] = (float)x;
        break;
    case BP_DTYPE_C128:
        ((double *)data)[2 * i] = x;
        break;
    case BP_DTYPE_STRING:
        ((bp_span *)data)[i] = text_of(x);
        break;
    default:
        typed_put_bits(data, dtype, i, x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x);
        break;
    }
}

double typed_get(const void *data, uint32_t dtype, size_t i)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        return (double)((const float *)data)[i];
    case BP_DTYPE_F64:
        return ((const double *)data)[i];
    case BP_DTYPE_F16:
        return (double)bp_f16_load(((const uint16_t *)data)[i]);
    case BP_DTYPE_BF16:
        return (double)bp_bf16_load(((const uint16_t *)data)[i]);
    case BP_DTYPE_BOOL:
        return ((const uint8_t *)data)[i];
    case BP_DTYPE_C64:
        return (double)((const float *)data)[2 * i];
    case BP_DTYPE_C128:
        return ((const double *)data)[2 * i];
    case BP_DTYPE_STRING:
        return number_of((const bp_span *)data + i);
    default:
        return typed_is_signed(dtype) ? (double)(int64_t)typed_bits(data, dtype, i)
                                      : (double)typed_bits(data, dtype, i);
    }
}

void *typed_encode(const double *values, size_t n, uint32_t dtype)
{
    void *data = calloc(n + 1, sizeof(bp_span)); /* no element is wider */

    ck_assert_ptr_nonnull(data);
    for (size_t i = 0; i < n; i++)
        typed_put(data, dtype, i, values[i]);
    return data;
}

/* ---- bits ------------------------------------------------------------------------------------ */

enum { FEW_BYTES = 24 };

/* Some text, some zero bytes, some that are not UTF-8; the empty one is nowhere. */
static bp_span random_text(uint64_t *seed)
{
    static char bytes[256];
    uint32_t size = random_below(seed, FEW_BYTES);

    for (uint32_t i = 0; i < sizeof bytes && bytes[1] == 0; i++)
        bytes[sizeof bytes - 1 - i] = (char)(sizeof bytes - 1 - i);
    return size ? (bp_span){bytes + random_below(seed, 256 - FEW_BYTES), size} : (bp_span){NULL, 0};
}

void *typed_random(uint64_t *seed, size_t n, uint32_t dtype)
{
    uint8_t *data = calloc(n + 1, sizeof(bp_span)); /* no element is wider */
    size_t bytes = (n * bp_dtype_width(dtype) + 7) / 8;

    ck_assert_ptr_nonnull(data);
    if (dtype == BP_DTYPE_STRING) {
        for (size_t i = 0; i < n; i++)
            ((bp_span *)(void *)data)[i] = random_text(seed);
        return data;
    }
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)random_below(seed, dtype == BP_DTYPE_BOOL ? 2 : 256);
    return data;
}

/* Element i of a type below 8 bits: from the low bits up. */
static uint32_t part_of_byte(const void *data, size_t i, uint32_t width)
{
    uint32_t byte = ((const uint8_t *)data)[i * width / 8];

    return byte >> i * width % 8 & ((1u << width) - 1);
}

bool typed_same(const void *a, size_t i, const void *b, size_t k, uint32_t dtype)
{
    uint32_t width = bp_dtype_width(dtype);

    if (dtype == BP_DTYPE_STRING) {
        bp_span one = ((const bp_span *)a)[i], other = ((const bp_span *)b)[k];

        return one.size == other.size &&
               (one.size == 0 || memcmp(one.data, other.data, one.size) == 0);
    }
    if (width < 8)
        return part_of_byte(a, i, width) == part_of_byte(b, k, width);
    return memcmp((const char *)a + i * (width / 8), (const char *)b + k * (width / 8),
                  width / 8) == 0;
}

void typed_copy(void *to, size_t i, const void *from, size_t k, uint32_t dtype)
{
    uint32_t width = bp_dtype_width(dtype), mask, byte;
    uint8_t *at;

    if (dtype == BP_DTYPE_STRING) {
        ((bp_span *)to)[i] = ((const bp_span *)from)[k];
    } else if (width < 8) {
        at = (uint8_t *)to + i * width / 8;
        mask = ((1u << width) - 1) << i * width % 8;
        byte = part_of_byte(from, k, width) << i * width % 8;
        *at = (uint8_t)((*at & ~mask) | byte);
    } else {
        memcpy((char *)to + i * (width / 8), (const char *)from + k * (width / 8), width / 8);
    }
}
