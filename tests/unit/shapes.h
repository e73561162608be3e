/* SPDX-License-Identifier: MIT */
/*
 * shapes.h - shapes and elements for tests of operators that know all types: an element is a small
 * whole number, or a half in the float types, whatever its type; a string of n is its two digits,
 * "" is 0.
 */
#ifndef BP_TESTS_SHAPES_H
#define BP_TESTS_SHAPES_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp/abi.h>
#include <bp/sdk.h>
#include <common/float16.h>

#include "random.h"

enum { SHAPE_RANK = 6 };

struct shape {
    uint32_t rank;
    int64_t dims[SHAPE_RANK];
};

/* "2,3,4"; good for the next seven calls. */
static inline const char *shape_text(const struct shape *shape)
{
    static char text[8][128];
    static int next;
    char *at = text[next = (next + 1) % 8];

    *at = '\0';
    for (uint32_t d = 0; d < shape->rank; d++)
        at += sprintf(at, "%s%lld", d ? "," : "", (long long)shape->dims[d]);
    return text[next];
}

static inline size_t shape_count(const struct shape *shape)
{
    return (size_t)bp_dims_count(shape->dims, shape->rank);
}

/* Index along every dimension of element i. */
static inline void shape_index(const struct shape *shape, size_t i, int64_t *index)
{
    for (uint32_t d = shape->rank; d-- > 0;) {
        index[d] = (int64_t)(i % (size_t)shape->dims[d]);
        i /= (size_t)shape->dims[d];
    }
}

static inline size_t shape_at(const struct shape *shape, const int64_t *index)
{
    size_t at = 0;

    for (uint32_t d = 0; d < shape->rank; d++)
        at = at * (size_t)shape->dims[d] + (size_t)index[d];
    return at;
}

static inline struct shape shape_random(uint64_t *seed, uint32_t least, uint32_t most_rank)
{
    struct shape shape = {.rank = least + random_below(seed, most_rank + 1 - least)};
    uint32_t most = shape.rank > 3 ? 4 : random_below(seed, 6) ? 7 : 40;

    for (uint32_t d = 0; d < shape.rank; d++)
        shape.dims[d] = 1 + random_below(seed, most);
    return shape;
}

/* Types that have elements here. */
static const uint32_t shape_types[] = {BP_DTYPE_F32,  BP_DTYPE_F64, BP_DTYPE_F16,  BP_DTYPE_BF16,
                                       BP_DTYPE_I8,   BP_DTYPE_I16, BP_DTYPE_I32,  BP_DTYPE_I64,
                                       BP_DTYPE_U8,   BP_DTYPE_U16, BP_DTYPE_U32,  BP_DTYPE_U64,
                                       BP_DTYPE_BOOL, BP_DTYPE_C64, BP_DTYPE_C128, BP_DTYPE_STRING};

enum {
    SHAPE_NUMBERS = 12, /* the first of them are numbers, */
    SHAPE_TYPES = 16
};

static inline bp_span shape_string(double v)
{
    static char texts[100][4];
    int n = (int)v;
    bp_span span = {NULL, 0};

    if (n < 0 || n > 99)
        abort();
    sprintf(texts[n], "%02d", n);
    span.data = texts[n];
    span.size = n ? 2 : 0;
    return span;
}

static inline void elem_put(void *data, size_t i, uint32_t dtype, double v)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        ((float *)data)[i] = (float)v;
        break;
    case BP_DTYPE_F64:
        ((double *)data)[i] = v;
        break;
    case BP_DTYPE_F16:
        ((uint16_t *)data)[i] = bp_f16_store((float)v);
        break;
    case BP_DTYPE_BF16:
        ((uint16_t *)data)[i] = bp_bf16_store((float)v);
        break;
    case BP_DTYPE_I8:
        ((int8_t *)data)[i] = (int8_t)v;
        break;
    case BP_DTYPE_I16:
        ((int16_t *)data)[i] = (int16_t)v;
        break;
    case BP_DTYPE_I32:
        ((int32_t *)data)[i] = (int32_t)v;
        break;
    case BP_DTYPE_I64:
        ((int64_t *)data)[i] = (int64_t)v;
        break;
    case BP_DTYPE_U8:
        ((uint8_t *)data)[i] = (uint8_t)v;
        break;
    case BP_DTYPE_U16:
        ((uint16_t *)data)[i] = (uint16_t)v;
        break;
    case BP_DTYPE_U32:
        ((uint32_t *)data)[i] = (uint32_t)v;
        break;
    case BP_DTYPE_U64:
        ((uint64_t *)data)[i] = (uint64_t)v;
        break;
    case BP_DTYPE_BOOL:
        ((uint8_t *)data)[i] = v != 0;
        break;
    case BP_DTYPE_C64:
        ((float *)data)[2 * i] = (float)v;
        break;
    case BP_DTYPE_C128:
        ((double *)data)[2 * i] = v;
        break;
    case BP_DTYPE_STRING:
        ((bp_span *)data)[i] = shape_string(v);
        break;
    default:
        abort();
    }
}

static inline double elem_get(const void *data, size_t i, uint32_t dtype)
{
    const bp_span *span;

    switch (dtype) {
    case BP_DTYPE_F32:
        return (double)((const float *)data)[i];
    case BP_DTYPE_F64:
        return ((const double *)data)[i];
    case BP_DTYPE_F16:
        return (double)bp_f16_load(((const uint16_t *)data)[i]);
    case BP_DTYPE_BF16:
        return (double)bp_bf16_load(((const uint16_t *)data)[i]);
    case BP_DTYPE_I8:
        return ((const int8_t *)data)[i];
    case BP_DTYPE_I16:
        return ((const int16_t *)data)[i];
    case BP_DTYPE_I32:
        return ((const int32_t *)data)[i];
    case BP_DTYPE_I64:
        return (double)((const int64_t *)data)[i];
    case BP_DTYPE_U8:
        return ((const uint8_t *)data)[i];
    case BP_DTYPE_U16:
        return ((const uint16_t *)data)[i];
    case BP_DTYPE_U32:
        return ((const uint32_t *)data)[i];
    case BP_DTYPE_U64:
        return (double)((const uint64_t *)data)[i];
    case BP_DTYPE_BOOL:
        return ((const uint8_t *)data)[i];
    case BP_DTYPE_C64:
        return (double)((const float *)data)[2 * i];
    case BP_DTYPE_C128:
        return ((const double *)data)[2 * i];
    case BP_DTYPE_STRING:
        span = (const bp_span *)data + i;
        return span->size < 2 ? 0
                              : (((const char *)span->data)[0] - '0') * 10 +
                                    (((const char *)span->data)[1] - '0');
    default:
        abort();
    }
}

/* n elements of a type; malloc'ed. */
static inline void *elem_encode(const double *v, size_t n, uint32_t dtype)
{
    void *data = calloc(n + 1, 16);

    ck_assert_ptr_nonnull(data);
    for (size_t i = 0; i < n; i++)
        elem_put(data, i, dtype, v[i]);
    return data;
}

/* n whole numbers, 0 to most - 1, or 0 and 1 for bool; malloc'ed. */
static inline double *elem_random(uint64_t *seed, size_t n, uint32_t most, uint32_t dtype)
{
    double *v = calloc(n + 1, sizeof *v);

    ck_assert_ptr_nonnull(v);
    for (size_t i = 0; i < n; i++)
        v[i] = random_below(seed, dtype == BP_DTYPE_BOOL ? 2 : most);
    return v;
}

static inline void elem_compare(const void *got, const double *want, size_t n, uint32_t dtype)
{
    for (size_t i = 0; i < n; i++) {
        if (elem_get(got, i, dtype) != want[i])
            ck_abort_msg("element %zu of %zu is %g, not %g", i, n, elem_get(got, i, dtype),
                         want[i]);
    }
}

/* The same, within what rounding to the type and so many float32 steps may differ. */
static inline void elem_near(const void *got, const double *want, size_t n, uint32_t dtype,
                             double steps)
{
    double unit = dtype == BP_DTYPE_F64    ? 0x1p-50
                  : dtype == BP_DTYPE_F16  ? 0x1p-10
                  : dtype == BP_DTYPE_BF16 ? 0x1p-7
                                           : 0x1p-22;

    for (size_t i = 0; i < n; i++) {
        double v = elem_get(got, i, dtype), size = want[i] < 0 ? -want[i] : want[i];
        double off = v < want[i] ? want[i] - v : v - want[i];

        if (!(off <= unit * (size + 1) + (dtype == BP_DTYPE_F64 ? unit : 0x1p-22) * steps))
            ck_abort_msg("element %zu of %zu is %.9g, not %.9g", i, n, v, want[i]);
    }
}

#endif
