/* SPDX-License-Identifier: MIT */
/* norm.c - see norm.h. */

#include "normalization/norm.h"

#include <bp/abi.h>

#include "kernels/types/loops.h"

#define TEMPLATE "normalization/norm.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

const struct bp_cpu_norm *bp_cpu_norm(uint32_t dtype)
{
    static const struct bp_cpu_norm loops[] = {{even_f32, listed_f32}, {even_f64, listed_f64}};

    return &loops[dtype == BP_DTYPE_F64];
}
