/* SPDX-License-Identifier: MIT */
/*
 * int8_epilogue.h - the end of a tile of an 8-bit product: zero points are taken out of its sums,
 * which become 8-bit integers or floats:
 *
 *   sum += col_terms[c] + b_terms[c] * (a_term - a_sums[r])
 *   y    = saturate(round(sum * scale[c]) + zero)    or    sum * scale[c] + bias[c]
 *
 * Values of columns fill a tile's width, also those after its last column, so that vectors of them
 * may be loaded. All levels give equal results.
 */
#ifndef BP_CPU_KERNELS_INT8_INT8_EPILOGUE_H
#define BP_CPU_KERNELS_INT8_INT8_EPILOGUE_H

#include <stddef.h>
#include <stdint.h>

enum { BP_CPU_INT8_MAX_NR = 32 }; /* the widest tile's columns */

/* A tile of sums; pointers are borrowed for the call. */
struct bp_cpu_int8_epilogue {
    const int32_t *sums; /* rows of nr */
    size_t nr, rows, n;  /* n: columns that are stored, at most nr */
    const int32_t *col_terms;
    const int32_t *b_terms; /* NULL: all are 0 */
    const int32_t *a_sums;  /* of the rows */
    int32_t a_term;
    const float *scales;
    const float *bias;       /* for floats; NULL: none */
    float *floats;           /* where y goes; NULL: bytes */
    uint8_t *bytes;          /* int8 as two's complement */
    size_t stride;           /* elements from a row of y to the next */
    int32_t zero, low, high; /* for bytes: the zero point and the range of y */
};

/* In portable C. [any thread] */
void bp_cpu_int8_epilogue_plain(const struct bp_cpu_int8_epilogue *e);

#endif
