/* SPDX-License-Identifier: MIT */
/* random_data.c - values for tests of kernels. */

#include "config.h"

#include "support/random.h"
#include "support/random_data.h"
#include "support/typed.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <bp/abi.h>

static uint64_t state;

void data_seed(uint64_t seed)
{
    state = seed;
}

int64_t data_pick(int64_t low, int64_t high)
{
    return low + (int64_t)(random_next(&state) % (uint64_t)(high - low + 1));
}

double *data_make(size_t n, uint32_t dtype)
{
    double *values = malloc((n + 1) * sizeof *values);
    void *encoded;

    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < n; i++)
        values[i] = (double)data_pick(dtype == BP_DTYPE_U8 ? 0 : -1000, 1000) / 1000;
    encoded = typed_encode(values, n, dtype);
    for (size_t i = 0; i < n; i++)
        values[i] = typed_get(encoded, dtype, i);
    free(encoded);
    return values;
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

void data_compare(const char *what, const void *data, const double *expected, size_t n,
                  uint32_t dtype, size_t terms)
{
    double unit = precision(dtype), sums = unit < 0x1p-23 ? unit : 0x1p-23;

    for (size_t i = 0; i < n; i++) {
        double got = typed_get(data, dtype, i), want = expected[i];
        double slack = unit * fabs(want) + sums * (double)(terms + 4);

        if (isnan(want) ? isnan(got) : got == want || fabs(got - want) <= slack)
            continue;
        ck_abort_msg("%s: element %zu of %zu is %.9g, expected %.9g", what, i, n, got, want);
    }
}
