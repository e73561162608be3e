/* SPDX-License-Identifier: MIT */
/* norm.c - The choice between the loops of norm.inc; see norm.h. */

#include "normalization/norm.h"

#include <bp/abi.h>

#include "kernels/types/loops.h"

#define TEMPLATE "normalization/norm.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

const struct bp_cpu_norm *bp_cpu_norm(uint32_t dtype)
{
    static const struct bp_cpu_norm loops[] = {{uniform_f32, per_element_f32},
                                               {uniform_f64, per_element_f64}};

    return &loops[dtype == BP_DTYPE_F64];
}
