/* SPDX-License-Identifier: MIT */
/* float_element.h - elements of float32 or float64 tensors as double, for what need not be fast. */
#ifndef BP_CPU_MATMUL_FLOAT_ELEMENT_H
#define BP_CPU_MATMUL_FLOAT_ELEMENT_H

#include "cpu.h"

/* Element i of data, whose type is x's. */
static inline double bp_cpu_float_at(const bp_tensor *x, const void *data, size_t i)
{
    return x->dtype == BP_DTYPE_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static inline void bp_cpu_float_put(const bp_tensor *y, void *data, size_t i, double v)
{
    if (y->dtype == BP_DTYPE_F64)
        ((double *)data)[i] = v;
    else
        ((float *)data)[i] = (float)v;
}

#endif
