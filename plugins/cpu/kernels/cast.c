/* SPDX-License-Identifier: MIT */
/* cast.c - see cast.h. */

#include "kernels/cast.h"

/* The nearest of low..high, 0 for NaN; both ends are exact in double. */
static inline double within(double x, double low, double high)
{
    double y = x > low ? x : low;

    y = y < high ? y : high;
    return x == x ? y : 0;
}

static inline int64_t to_i64(double x)
{
    if (x != x)
        return 0;
    if (x >= 0x1p63)
        return INT64_MAX;
    return x <= -0x1p63 ? INT64_MIN : (int64_t)x;
}

static inline uint64_t to_u64(double x)
{
    if (!(x > 0))
        return 0;
    return x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

/*
 * By the type of v: floating point is brought into range, integers are left to lose their high
 * bits.
 */
#define WITHIN(v, low, high)                                                                       \
    _Generic((v), float                                                                            \
             : within((double)(v), low, high), double                                              \
             : within((double)(v), low, high), default                                             \
             : (v))
#define TO_I64(v)                                                                                  \
    _Generic((v), float : to_i64((double)(v)), double : to_i64((double)(v)), default : (int64_t)(v))
#define TO_U64(v)                                                                                  \
    _Generic((v), float                                                                            \
             : to_u64((double)(v)), double                                                         \
             : to_u64((double)(v)), default                                                        \
             : (uint64_t)(v))
/* On the way to a narrower float: without rounding twice. */
#define TO_FLOAT(v) _Generic((v), float : (v), default : bp_float_to_odd((double)(v)))

#define TEMPLATE "kernels/cast_targets.inc"
#include "kernels/types_bool.inc"
#include "kernels/types_number.inc"
#undef TEMPLATE

static const bp_cpu_unary_loop table[BP_DTYPE_END][BP_DTYPE_END] = {
#define TEMPLATE "kernels/cast_entry.inc"
#include "kernels/types_bool.inc"
#include "kernels/types_number.inc"
#undef TEMPLATE
};

bp_cpu_unary_loop bp_cpu_cast_loop(uint32_t from, uint32_t to)
{
    return from < BP_DTYPE_END && to < BP_DTYPE_END ? table[from][to] : NULL;
}
