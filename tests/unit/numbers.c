/* SPDX-License-Identifier: MIT */
/* numbers.c - numbers for tests of kernels. */

#include "config.h"

#include "numbers.h"
#include "random.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <bp/abi.h>
#include <common/float16.h>

static uint64_t state;

/* A ck_assert writes to a pipe even when it holds, which is too slow for each element. */
static void check_is_f32(uint32_t dtype)
{
    if (dtype != BP_DTYPE_F32)
        ck_abort_msg("element type %u is not one of these tests", dtype);
}

void nums_seed(uint64_t seed)
{
    state = seed;
}

int64_t nums_pick(int64_t low, int64_t high)
{
    return low + (int64_t)(random_next(&state) % (uint64_t)(high - low + 1));
}

double *nums_make(size_t n, uint32_t dtype)
{
    double *numbers = malloc((n + 1) * sizeof *numbers);
    void *encoded;

    ck_assert_ptr_nonnull(numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = (double)nums_pick(dtype == BP_DTYPE_U8 ? 0 : -1000, 1000) / 1000;
    encoded = nums_encode(numbers, n, dtype);
    for (size_t i = 0; i < n; i++)
        numbers[i] = nums_decode(encoded, i, dtype);
    free(encoded);
    return numbers;
}

void *nums_encode(const double *numbers, size_t n, uint32_t dtype)
{
    void *data = calloc(n + 1, sizeof(double));

    ck_assert_ptr_nonnull(data);
    for (size_t i = 0; i < n; i++) {
        switch (dtype) {
        case BP_DTYPE_F64:
            ((double *)data)[i] = numbers[i];
            break;
        case BP_DTYPE_F16:
            ((uint16_t *)data)[i] = bp_f16_store((float)numbers[i]);
            break;
        case BP_DTYPE_BF16:
            ((uint16_t *)data)[i] = bp_bf16_store((float)numbers[i]);
            break;
        case BP_DTYPE_I64:
            ((int64_t *)data)[i] = (int64_t)numbers[i];
            break;
        case BP_DTYPE_I32:
            ((int32_t *)data)[i] = (int32_t)numbers[i];
            break;
        case BP_DTYPE_I8:
            ((int8_t *)data)[i] = (int8_t)numbers[i];
            break;
        case BP_DTYPE_U8:
            ((uint8_t *)data)[i] = (uint8_t)numbers[i];
            break;
        default:
            check_is_f32(dtype);
            ((float *)data)[i] = (float)numbers[i];
            break;
        }
    }
    return data;
}

double nums_decode(const void *data, size_t i, uint32_t dtype)
{
    switch (dtype) {
    case BP_DTYPE_F64:
        return ((const double *)data)[i];
    case BP_DTYPE_F16:
        return (double)bp_f16_load(((const uint16_t *)data)[i]);
    case BP_DTYPE_BF16:
        return (double)bp_bf16_load(((const uint16_t *)data)[i]);
    case BP_DTYPE_I64:
        return (double)((const int64_t *)data)[i];
    case BP_DTYPE_I32:
        return ((const int32_t *)data)[i];
    case BP_DTYPE_I8:
        return ((const int8_t *)data)[i];
    case BP_DTYPE_U8:
        return ((const uint8_t *)data)[i];
    default:
        check_is_f32(dtype);
        return (double)((const float *)data)[i];
    }
}

static double precision(uint32_t dtype)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        return 0x1p-23;
    case BP_DTYPE_F64:
        return 0x1p-52;
    case BP_DTYPE_F16:
        return 0x1p-10;
    case BP_DTYPE_BF16:
        return 0x1p-7;
    default:
        return 0;
    }
}

void nums_compare(const char *what, const void *data, const double *expected, size_t n,
                  uint32_t dtype, size_t terms)
{
    double unit = precision(dtype), sums = unit < 0x1p-23 ? unit : 0x1p-23;

    for (size_t i = 0; i < n; i++) {
        double got = nums_decode(data, i, dtype), want = expected[i];
        double slack = unit * fabs(want) + sums * (double)(terms + 4);

        if (isnan(want) ? isnan(got) : got == want || fabs(got - want) <= slack)
            continue;
        ck_abort_msg("%s: element %zu of %zu is %.9g, expected %.9g", what, i, n, got, want);
    }
}
