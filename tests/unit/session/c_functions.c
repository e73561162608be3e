/* SPDX-License-Identifier: MIT */
/* c_functions.c - an ordinary library of C functions, which tests bind as operators. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int8_t low_byte(int32_t x);
EXPORT bool is_between(double x, float low, int32_t high);
EXPORT void scale_rows(const float x[], float y[], size_t n, int32_t m, float factor);
EXPORT int divide(const int64_t a[], const int64_t b[], int64_t quotient[], int64_t rest[],
                  int64_t n);

int8_t low_byte(int32_t x)
{
    return (int8_t)x;
}

bool is_between(double x, float low, int32_t high)
{
    return x >= (double)low && x <= (double)high;
}

void scale_rows(const float x[], float y[], size_t n, int32_t m, float factor)
{
    for (size_t i = 0; i < n * (size_t)m; i++)
        y[i] = x[i] * factor * (float)(i / (size_t)m + 1);
}

int divide(const int64_t a[], const int64_t b[], int64_t quotient[], int64_t rest[], int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (b[i] == 0)
            return 33;
        quotient[i] = a[i] / b[i];
        rest[i] = a[i] % b[i];
    }
    return 0;
}
