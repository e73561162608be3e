/* SPDX-License-Identifier: MIT */
/* cast.h - loops from one element type to another. */
#ifndef BP_CPU_KERNELS_CAST_H
#define BP_CPU_KERNELS_CAST_H

#include "kernels/unary.h"

/*
 * From any number type or bool to any other; NULL for other types. Floats that an integer type
 * cannot hold become its nearest number, and NaN 0; integers lose their high bits; bool is "not 0".
 */
bp_cpu_unary_loop bp_cpu_cast_loop(uint32_t from, uint32_t to);

#endif
