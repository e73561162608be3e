/* SPDX-License-Identifier: MIT */
/*
 * cast.h - conversion between element types: loops between whole-byte types, and plans between any
 * two types. [any thread]
 */
#ifndef BP_CPU_KERNELS_CAST_CAST_H
#define BP_CPU_KERNELS_CAST_CAST_H

#include "kernels/cast/low_precision.h"
#include "kernels/unary.h"

/*
 * The loop from a number type or bool to another; NULL for other types. A float that an integer
 * type cannot hold saturates and NaN becomes 0, but negative values wrap in unsigned types, as on
 * x86: -1 becomes 255. Integers lose their high bits; bool is "not 0".
 */
bp_cpu_unary_loop bp_cpu_cast_loop(uint32_t from, uint32_t to);

/*
 * Clamps values that will become integers of type dtype to its range, NaN to 0, after rounding them
 * if is_rounded. Does nothing for other types. For averages, which must saturate and not wrap.
 */
void bp_cpu_clip_to(uint32_t dtype, double *x, size_t n, bool is_rounded);

/*
 * A conversion between any two types but strings and complex ones. Types of low_precision.h go
 * through their carriers, a block at a time: load, convert (up to two loops), store; what is not
 * needed is left out.
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
 * Converts n elements from number `first`, a multiple of 64, of the tensors at `in` and `out`.
 * These do not overlap, unless both types are as wide and in equals out.
 */
void bp_cpu_cast_range(const struct bp_cpu_cast *cast, void *out, const void *in, size_t first,
                       size_t n);

#endif
