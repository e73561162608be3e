/* SPDX-License-Identifier: MIT */
/*
 * element_types.h - for tests that give an operator every element type it takes: the types, elements at
 * the edges of each, and shapes that broadcast.
 */
#ifndef BP_TESTS_ELEMENT_TYPES_H
#define BP_TESTS_ELEMENT_TYPES_H

#include <math.h>

#include "graph/schema_table.h"
#include "support/shapes.h"

/* An element: `real` of floats, `whole` of integers, as typed_bits() has it. */
struct number {
    double real;
    uint64_t whole;
};

/* A new host, in the middle of a test: what the last one keeps is freed. */
static inline void fresh(void)
{
    teardown();
    setup();
}

/* Element types of a parameter, bits 1 << BP_DTYPE_*: inputs from 0, outputs from -1 down. */
static inline uint64_t types_of(const char *domain, const char *op, uint32_t since, int param)
{
    const struct bp_schema *schema = bp_schema_find(domain, op, since);

    ck_assert_msg(schema != NULL, "%s %u is unknown", op, since);
    return param < 0 ? schema->out[-1 - param].types : schema->in[param].types;
}

static inline struct number number_at(const void *data, uint32_t dtype, size_t i)
{
    struct number n = {0};

    if (typed_is_float(dtype))
        n.real = typed_get(data, dtype, i);
    else
        n.whole = typed_bits(data, dtype, i);
    return n;
}

static inline void number_put(void *data, uint32_t dtype, size_t i, struct number n)
{
    if (typed_is_float(dtype))
        typed_put(data, dtype, i, n.real);
    else
        typed_put_bits(data, dtype, i, n.whole);
}

/* Small numbers, so that some are alike; numbers of every size; and the edges of the type. */
static inline void number_draw(void *data, uint32_t dtype, size_t i, uint64_t *seed)
{
    static const double reals[] = {0, -0.0, 1e30, -1e30, (double)INFINITY, (double)NAN};
    uint32_t kind = random_below(seed, 8), bits = bp_dtype_width(dtype);
    struct number n = {.real = (double)random_below(seed, 7) - 3};

    n.whole = (uint64_t)(int64_t)n.real;
    if (kind == 0) {
        uint64_t high = (uint64_t)1 << (bits - 1);

        n.real = reals[random_below(seed, 6)];
        n.whole = random_below(seed, 2) ? high : high - 1;
    } else if (kind < 4) {
        n.real = (double)random_float(seed, 1) * exp2((double)random_float(seed, 6));
        n.whole = random_next(seed);
    }
    if (dtype == BP_DTYPE_BOOL)
        n.whole &= 1;
    number_put(data, dtype, i, n);
}

/* n of them; for the length of the test. */
static inline void *values_draw(size_t n, uint32_t dtype, uint64_t *seed)
{
    void *data = kept_zeros(n + 1, sizeof(bp_span));

    for (size_t i = 0; i < n; i++)
        number_draw(data, dtype, i, seed);
    return data;
}

/* The distance of 1 to the next larger float of a type. */
static inline double unit_of(uint32_t dtype)
{
    return dtype == BP_DTYPE_F64    ? 0x1p-52
           : dtype == BP_DTYPE_F16  ? 0x1p-10
           : dtype == BP_DTYPE_BF16 ? 0x1p-7
                                    : 0x1p-23;
}

/* Elements equal what is wanted: integers in all bits, floats within so many units. */
static inline void values_same(const char *what, const void *got, const void *want, size_t n,
                               uint32_t dtype, double units)
{
    for (size_t i = 0; i < n; i++) {
        struct number g = number_at(got, dtype, i), w = number_at(want, dtype, i);

        if (!typed_is_float(dtype) && g.whole != w.whole)
            ck_abort_msg("%s of %s: element %zu of %zu is %lld, not %lld", what,
                         bp_dtype_name(dtype), i, n, (long long)g.whole, (long long)w.whole);
        if (g.real == w.real || (isnan(g.real) && isnan(w.real)))
            continue;
        if (!(fabs(g.real - w.real) <= units * unit_of(dtype) * fabs(w.real)))
            ck_abort_msg("%s of %s: element %zu of %zu is %.9g, not %.9g", what,
                         bp_dtype_name(dtype), i, n, g.real, w.real);
    }
}

/* Is an integer below another, both as typed_bits() has them? */
static inline bool below(uint64_t a, uint64_t b, bool is_signed)
{
    return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* As shape_random() gives them, and now and then without an element. */
static inline struct shape shape_any(uint64_t *seed, uint32_t most_rank)
{
    struct shape shape = shape_random(seed, 0, most_rank);

    if (shape.rank > 0 && random_below(seed, 8) == 0)
        shape.dims[random_below(seed, shape.rank)] = 0;
    return shape;
}

/* One that broadcasts to `whole`: ones here and there, and fewer dimensions. */
static inline struct shape shape_narrowed(const struct shape *whole, uint64_t *seed)
{
    struct shape shape = {.rank = random_below(seed, whole->rank + 1)};

    if (random_below(seed, 2))
        shape.rank = whole->rank;
    for (uint32_t d = 0; d < shape.rank; d++) {
        int64_t dim = whole->dims[d + whole->rank - shape.rank];

        shape.dims[d] = random_below(seed, 3) == 0 ? 1 : dim;
    }
    return shape;
}

/* The shape that several broadcast to. */
static inline struct shape shape_joined(const struct shape *in, uint32_t n)
{
    struct shape out = {0};

    for (uint32_t k = 0; k < n; k++)
        out.rank = in[k].rank > out.rank ? in[k].rank : out.rank;
    for (uint32_t d = 0; d < out.rank; d++) {
        out.dims[d] = 1;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t missing = out.rank - in[k].rank;

            if (d >= missing && in[k].dims[d - missing] != 1)
                out.dims[d] = in[k].dims[d - missing];
        }
    }
    return out;
}

/* Where element i of `to` comes from in `from`, which is broadcast to it. */
static inline size_t shape_source(const struct shape *to, const struct shape *from, size_t i)
{
    int64_t index[SHAPE_RANK];

    shape_index(to, i, index);
    for (uint32_t d = 0; d < from->rank; d++)
        index[d] = from->dims[d] == 1 ? 0 : index[d + to->rank - from->rank];
    return shape_at(from, index);
}

#endif
