/* SPDX-License-Identifier: MIT */
/* ms_kit.h - what the tests of com.microsoft's operators share: inputs with made-up values. */
#ifndef BP_TESTS_MS_KIT_H
#define BP_TESTS_MS_KIT_H

#include "cpu/cpu_case.h"
#include "support/random_data.h"
#include "support/typed.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void *kept[64];
static int n_kept;

static void finish(void)
{
    teardown();
    while (n_kept > 0)
        free(kept[--n_kept]);
}

static void *keep(void *p)
{
    ck_assert_ptr_nonnull(p);
    ck_assert_int_lt(n_kept, 64);
    return kept[n_kept++] = p;
}

static inline double *zeros(size_t n)
{
    return keep(calloc(n + 1, sizeof(double)));
}

static size_t count_of(const char *dims)
{
    size_t n = 1;

    while (*dims) {
        char *end;

        n *= (size_t)strtol(dims, &end, 10);
        dims = end + (*end == ',');
    }
    return n;
}

static inline const char *dims_of(char *text, size_t cap, int n, const int64_t *dims)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < n; i++)
        used +=
            (size_t)snprintf(text + used, cap - used, "%s%lld", i ? "," : "", (long long)dims[i]);
    return text;
}

/* An input with these values, which are exact in the type. */
static void feed_values(const char *name, uint32_t dtype, const char *dims, const double *values)
{
    void *data = typed_encode(values, count_of(dims), dtype);

    th_input(t, name, dtype, dims, data);
    free(data);
}

/* ... with made-up values of -1 to 1, which are returned. */
static inline double *feed(const char *name, uint32_t dtype, const char *dims)
{
    double *values = keep(data_make(count_of(dims), dtype));

    feed_values(name, dtype, dims, values);
    return values;
}

/* ... with integers of low to high. */
static inline double *feed_ints(const char *name, uint32_t dtype, const char *dims, int64_t low,
                                int64_t high)
{
    size_t n = count_of(dims);
    double *values = zeros(n);

    for (size_t i = 0; i < n; i++)
        values[i] = (double)data_pick(low, high);
    feed_values(name, dtype, dims, values);
    return values;
}

static inline void feed_one(const char *name, uint32_t dtype, double number)
{
    feed_values(name, dtype, "", &number);
}

static inline void node(const char *op, const char *in, const char *out)
{
    th_node(t, op, 1, in, out);
    th_domain(t, "com.microsoft");
}

/* c = a * b of m x k and k x n, either stored turned. */
static inline void multiply(size_t m, size_t n, size_t k, const double *a, bool turn_a,
                            const double *b, bool turn_b, double alpha, double *c)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t p = 0; p < k; p++)
                c[i * n + j] +=
                    alpha * a[turn_a ? p * m + i : i * k + p] * b[turn_b ? j * k + p : p * n + j];
        }
    }
}

#endif
