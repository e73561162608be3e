/* SPDX-License-Identifier: MIT */
/* typed.h - elements of every number type for tests: as double, and integers exactly. */
#ifndef BP_TESTS_TYPED_H
#define BP_TESTS_TYPED_H

#include <stdbool.h>
#include <string.h>

#include <bp/sdk.h>
#include <common/float16.h>

static const uint32_t typed_floats[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};
static const uint32_t typed_ints[] = {BP_DTYPE_I8, BP_DTYPE_I16, BP_DTYPE_I32, BP_DTYPE_I64,
                                      BP_DTYPE_U8, BP_DTYPE_U16, BP_DTYPE_U32, BP_DTYPE_U64};

static inline bool typed_is_float(uint32_t dtype)
{
    return dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F64 || dtype == BP_DTYPE_F16 ||
           dtype == BP_DTYPE_BF16;
}

static inline bool typed_is_signed(uint32_t dtype)
{
    return dtype == BP_DTYPE_I8 || dtype == BP_DTYPE_I16 || dtype == BP_DTYPE_I32 ||
           dtype == BP_DTYPE_I64;
}

/* The low bits of an integer as element i. */
static inline void typed_put_bits(void *data, uint32_t dtype, size_t i, uint64_t bits)
{
    size_t width = bp_dtype_width(dtype) / 8;

    memcpy((char *)data + i * width, &bits, width); /* the tests run where bytes go low to high */
}

/* Element i of integers; those with a sign as int64 has it. */
static inline uint64_t typed_bits(const void *data, uint32_t dtype, size_t i)
{
    size_t width = bp_dtype_width(dtype) / 8;
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * width - 1);

    memcpy(&bits, (const char *)data + i * width, width);
    return typed_is_signed(dtype) ? (bits ^ sign) - sign : bits;
}

static inline void typed_put(void *data, uint32_t dtype, size_t i, double x)
{
    float narrow = (float)x;

    if (dtype == BP_DTYPE_F64)
        memcpy((double *)data + i, &x, sizeof x);
    else if (dtype == BP_DTYPE_F32)
        memcpy((float *)data + i, &narrow, sizeof narrow);
    else if (dtype == BP_DTYPE_F16)
        ((uint16_t *)data)[i] = bp_f16_store(narrow);
    else if (dtype == BP_DTYPE_BF16)
        ((uint16_t *)data)[i] = bp_bf16_store(narrow);
    else
        typed_put_bits(data, dtype, i, x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x);
}

static inline double typed_get(const void *data, uint32_t dtype, size_t i)
{
    if (dtype == BP_DTYPE_F64)
        return ((const double *)data)[i];
    if (dtype == BP_DTYPE_F32)
        return (double)((const float *)data)[i];
    if (dtype == BP_DTYPE_F16)
        return (double)bp_f16_load(((const uint16_t *)data)[i]);
    if (dtype == BP_DTYPE_BF16)
        return (double)bp_bf16_load(((const uint16_t *)data)[i]);
    if (typed_is_signed(dtype))
        return (double)(int64_t)typed_bits(data, dtype, i);
    return (double)typed_bits(data, dtype, i);
}

#endif
