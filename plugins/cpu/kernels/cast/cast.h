/* SPDX-License-Identifier: MIT */
/* cast.h - from one element type to another. */
#ifndef BP_CPU_KERNELS_CAST_CAST_H
#define BP_CPU_KERNELS_CAST_CAST_H

#include "kernels/cast/low_precision.h"
#include "kernels/unary.h"

/*
 * From any number type or bool to any other; NULL for other types. Floats that an integer type
 * cannot hold become its nearest number, and NaN 0, but those below 0 wrap around where it is
 * unsigned, as on x86: -1 becomes 255. Integers lose their high bits; bool is "not 0".
 */
bp_cpu_unary_loop bp_cpu_cast_loop(uint32_t from, uint32_t to);

/*
 * Brings numbers that are to become integers of type dtype into its range, NaN to 0, after rounding
 * them if is_rounded; nothing for other types. For averages of elements, which must not wrap
 * around.
 */
void bp_cpu_clip_to(uint32_t dtype, double *x, size_t n, bool is_rounded);

/*
 * Between any two types but strings and complex numbers. Narrow types (low_precision.h) come and go
 * by their carriers, in pieces: load, convert, store, each NULL or 0 where there is nothing to do.
 */
struct bp_cpu_cast {
    uint32_t from, to;
    uint32_t in_carrier, out_carrier;
    bp_cpu_unary_loop loops[2]; /* between the carriers */
    uint32_t middle;            /* type between the two loops */
    struct bp_cpu_rounding rounding;
};

/* False: there is no such cast. The rounding is Cast's default; it may be changed afterwards. */
bool bp_cpu_cast_make(struct bp_cpu_cast *cast, uint32_t from, uint32_t to);
/*
 * n elements from number `first` on, a multiple of 64, of the tensors that begin at `in` and `out`.
 * They do not overlap, unless both types are as wide and in and out are equal.
 */
void bp_cpu_cast_range(const struct bp_cpu_cast *cast, void *out, const void *in, size_t first,
                       size_t n);

#endif
