/* SPDX-License-Identifier: MIT */
/*
 * shapes.h - shapes for tests of operators that know all types, and elements that each type has:
 * small whole numbers, or halves in the float types; see typed.h.
 */
#ifndef BP_TESTS_SHAPES_H
#define BP_TESTS_SHAPES_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <bp/abi.h>
#include <bp/sdk.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/typed.h"

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

/* n whole numbers, 0 to most - 1, or 0 and 1 for bool; for the length of the test. */
static inline double *elem_random(uint64_t *seed, size_t n, uint32_t most, uint32_t dtype)
{
    double *v = kept_zeros(n + 1, sizeof *v);

    for (size_t i = 0; i < n; i++)
        v[i] = random_below(seed, dtype == BP_DTYPE_BOOL ? 2 : most);
    return v;
}

static inline void elem_compare(const void *got, const double *want, size_t n, uint32_t dtype)
{
    for (size_t i = 0; i < n; i++) {
        if (typed_get(got, dtype, i) != want[i])
            ck_abort_msg("element %zu of %zu is %g, not %g", i, n, typed_get(got, dtype, i),
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
        double v = typed_get(got, dtype, i), size = want[i] < 0 ? -want[i] : want[i];
        double off = v < want[i] ? want[i] - v : v - want[i];

        if (!(off <= unit * (size + 1) + (dtype == BP_DTYPE_F64 ? unit : 0x1p-22) * steps))
            ck_abort_msg("element %zu of %zu is %.9g, not %.9g", i, n, v, want[i]);
    }
}

#endif
