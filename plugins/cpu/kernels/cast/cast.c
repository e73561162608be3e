/* SPDX-License-Identifier: MIT */
/* cast.c - see cast.h. */

#include "kernels/cast/cast.h"

#include <math.h>
#include <string.h>

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
        return (uint64_t)to_i64(x);
    return x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

/*
 * By the type of v: floating point is brought into range, integers are left to lose their high
 * bits. Unsigned types take what is below 0 as a signed one of 32 bits at least, which then loses
 * its high bits too: -1 becomes the largest number.
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

#define TEMPLATE "kernels/cast/cast_targets.inc"
#include "kernels/types/bool.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE

static const bp_cpu_unary_loop table[BP_DTYPE_END][BP_DTYPE_END] = {
#define TEMPLATE "kernels/cast/cast_entry.inc"
#include "kernels/types/bool.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
};

bp_cpu_unary_loop bp_cpu_cast_loop(uint32_t from, uint32_t to)
{
    return from < BP_DTYPE_END && to < BP_DTYPE_END ? table[from][to] : NULL;
}

BP_LOOP static void clip(double *x, size_t n, double low, double high)
{
    for (size_t i = 0; i < n; i++)
        x[i] = within(x[i], low, high);
}

BP_LOOP static void round_all(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = rint(x[i]);
}

void bp_cpu_clip_to(uint32_t dtype, double *x, size_t n, bool is_rounded)
{
    /* of 64 bits the conversion itself brings what is too large into range */
    static const struct {
        double low, high;
    } ranges[BP_DTYPE_END] = {
        [BP_DTYPE_I8] = {INT8_MIN, INT8_MAX},    [BP_DTYPE_U8] = {0, UINT8_MAX},
        [BP_DTYPE_I16] = {INT16_MIN, INT16_MAX}, [BP_DTYPE_U16] = {0, UINT16_MAX},
        [BP_DTYPE_I32] = {INT32_MIN, INT32_MAX}, [BP_DTYPE_U32] = {0, UINT32_MAX},
        [BP_DTYPE_I64] = {-0x1p63, 0x1p63},      [BP_DTYPE_U64] = {0, 0x1p64},
    };

    if (ranges[dtype].high == 0)
        return;
    if (is_rounded)
        round_all(x, n);
    clip(x, n, ranges[dtype].low, ranges[dtype].high);
}

/* ---- on the way to types that low_precision.c makes ------------------------------------------ */

/*
 * Floats of whole numbers, cut off with the last bit set when something was lost, so that rounding
 * again gives what one rounding would have given.
 */
static float u64_to_odd(uint64_t x)
{
    uint32_t shift = 0;

    if (x >> 24) {
        shift = 40 - (uint32_t)__builtin_clzll(x);
        x = x >> shift | ((x & ((UINT64_C(1) << shift) - 1)) != 0);
    }
    return (float)x * (float)(UINT64_C(1) << shift);
}

static float i64_to_odd(int64_t x)
{
    return x < 0 ? -u64_to_odd(0 - (uint64_t)x) : u64_to_odd((uint64_t)x);
}

#define TO_ODD(name, T, convert)                                                                   \
    static void name(void *out, const void *in, size_t n, const struct bp_cpu_params *params)      \
    {                                                                                              \
        float *y = out;                                                                            \
        const T *x = in;                                                                           \
                                                                                                   \
        (void)params;                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = convert(x[i]);                                                                  \
    }

TO_ODD(odd_f64, double, bp_float_to_odd)
TO_ODD(odd_i32, int32_t, i64_to_odd)
TO_ODD(odd_u32, uint32_t, u64_to_odd)
TO_ODD(odd_i64, int64_t, i64_to_odd)
TO_ODD(odd_u64, uint64_t, u64_to_odd)

static bp_cpu_unary_loop odd_loop(uint32_t from)
{
    switch (from) {
    case BP_DTYPE_F64:
        return odd_f64;
    case BP_DTYPE_I32:
        return odd_i32;
    case BP_DTYPE_U32:
        return odd_u32;
    case BP_DTYPE_I64:
        return odd_i64;
    case BP_DTYPE_U64:
        return odd_u64;
    default:
        return bp_cpu_cast_loop(from, BP_DTYPE_F32); /* exact */
    }
}

static bool is_float(uint32_t dtype)
{
    return dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F64 || dtype == BP_DTYPE_F16 ||
           dtype == BP_DTYPE_BF16;
}

bool bp_cpu_cast_make(struct bp_cpu_cast *cast, uint32_t from, uint32_t to)
{
    uint32_t in = bp_cpu_carrier(from), out = bp_cpu_carrier(to);

    *cast = (struct bp_cpu_cast){.from = from, .to = to, .in_carrier = in, .out_carrier = out};
    cast->rounding.saturate = true;
    if (out != to && out == BP_DTYPE_F32) {
        cast->loops[0] = in == out ? NULL : odd_loop(in);
    } else if (out != to && is_float(in)) { /* packed integers keep the low bits of an int64 */
        cast->middle = BP_DTYPE_I64;
        cast->loops[0] = bp_cpu_cast_loop(in, BP_DTYPE_I64);
        cast->loops[1] = bp_cpu_cast_loop(BP_DTYPE_I64, out);
    } else if (in != out || in == BP_DTYPE_BOOL) {
        cast->loops[0] = bp_cpu_cast_loop(in, out);
    }
    return bp_cpu_cast_loop(in, out) != NULL;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { BLOCK = 256 }; /* elements: three buffers of 2 KiB on the stack */

static void cast_block(const struct bp_cpu_cast *cast, char *out, const char *in, size_t first,
                       size_t n)
{
    const struct bp_cpu_params none = {0};
    uint64_t loaded[BLOCK], middle[BLOCK], last[BLOCK];
    bool stores = cast->out_carrier != cast->to;
    const void *now = loaded;
    void *end = stores ? (void *)last : out + first * bp_cpu_width(cast->to);

    if (cast->in_carrier != cast->from)
        bp_cpu_low_precision_load(cast->from, loaded, in, first, n);
    else
        now = in + first * bp_cpu_width(cast->from);
    if (cast->loops[1]) {
        cast->loops[0](middle, now, n, &none);
        cast->loops[1](end, middle, n, &none);
        now = end;
    } else if (cast->loops[0]) {
        cast->loops[0](end, now, n, &none);
        now = end;
    }
    if (stores)
        bp_cpu_low_precision_store(cast->to, out, now, first, n, cast->rounding);
    else if (now != end)
        memcpy(end, now, n * bp_cpu_width(cast->to));
}

void bp_cpu_cast_range(const struct bp_cpu_cast *cast, void *out, const void *in, size_t first,
                       size_t n)
{
    const struct bp_cpu_params none = {0};
    char *y = out;
    const char *x = in;

    if (cast->from == cast->to && cast->from != BP_DTYPE_BOOL) {
        size_t at = bp_cpu_bytes_of(cast->to, first);

        if (n > 0 && x != y)
            memcpy(y + at, x + at, bp_cpu_bytes_of(cast->to, n));
        return;
    }
    if (cast->in_carrier == cast->from && cast->out_carrier == cast->to && cast->loops[0]) {
        if (n > 0)
            cast->loops[0](y + first * bp_cpu_width(cast->to), x + first * bp_cpu_width(cast->from),
                           n, &none);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK)
        cast_block(cast, y, x, first + i, n - i < BLOCK ? n - i : BLOCK);
}
