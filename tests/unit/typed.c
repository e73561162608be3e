/* SPDX-License-Identifier: MIT */
/* typed.c - elements of any type for tests. */

#include "config.h"

#include "typed.h"

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
        ck_abort_msg("%g is no text of two digits", x);
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

void *typed_encode(const double *numbers, size_t n, uint32_t dtype)
{
    void *data = calloc(n + 1, sizeof(bp_span)); /* no element is wider */

    ck_assert_ptr_nonnull(data);
    for (size_t i = 0; i < n; i++)
        typed_put(data, dtype, i, numbers[i]);
    return data;
}
