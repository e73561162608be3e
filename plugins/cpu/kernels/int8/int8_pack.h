/* SPDX-License-Identifier: MIT */
/*
 * int8_pack.h - packs the operands of int8.h into groups of 4 bytes. For the files of this folder
 * only.
 */
#ifndef BP_CPU_KERNELS_INT8_INT8_PACK_H
#define BP_CPU_KERNELS_INT8_INT8_PACK_H

#include "kernels/int8/int8.h"

/* Packs one row of A as unsigned bytes; returns the sum of its elements. */
int32_t bp_cpu_int8_pack_row(const struct bp_cpu_int8 *plan, const uint8_t *a, uint8_t *to);
/* A row of ones as long. */
void bp_cpu_int8_pack_ones(const struct bp_cpu_int8 *plan, uint8_t *to);
/*
 * Panels first .. first + n of B, signed, as many as plan->pass at most. `pad` is what an image has
 * outside.
 */
void bp_cpu_int8_pack_panels(const struct bp_cpu_int8 *plan, const void *b, uint8_t pad,
                             size_t first, size_t n, uint8_t *to);
/* Sums of the columns of n packed panels. */
void bp_cpu_int8_sum_panels(const struct bp_cpu_int8 *plan, const uint8_t *panels, size_t n,
                            int32_t *sums);

#endif
