/* SPDX-License-Identifier: MIT */
/* attention_kit.h - what tests of attention and its relatives share: inputs of random values. */
#ifndef BP_TESTS_ATTENTION_KIT_H
#define BP_TESTS_ATTENTION_KIT_H

#include "cpu/cpu_case.h"
#include "support/random_data.h"
#include "support/typed.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};

static char text[8][100];

/* Dimensions as text; `slot` 0..7 keeps them apart. */
static inline const char *dims(int slot, uint32_t rank, const int64_t *d)
{
    int at = 0;

    text[slot][0] = '\0';
    for (uint32_t i = 0; i < rank; i++)
        at += snprintf(text[slot] + at, sizeof text[slot] - (size_t)at, "%s%lld", i ? "," : "",
                       (long long)d[i]);
    return text[slot];
}

/* An input with values of its type; they are the caller's to free. */
static inline double *feed(const char *name, uint32_t dtype, uint32_t rank, const int64_t *d)
{
    size_t n = (size_t)bp_dims_count(d, rank);
    double *values = data_make(n, dtype);
    void *data = typed_encode(values, n, dtype);

    th_input(t, name, dtype, dims(0, rank, d), data);
    free(data);
    return values;
}

#endif
