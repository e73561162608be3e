/* SPDX-License-Identifier: MIT */
/*
 * float_element.h - Access to elements of float32 or float64 tensors as float64, for operators
 * whose speed does not matter.
 */
#ifndef BP_CPU_MATMUL_FLOAT_ELEMENT_H
#define BP_CPU_MATMUL_FLOAT_ELEMENT_H

#include "cpu.h"

/* Element i of data, which has x's type. */
static inline double bp_cpu_float_at(const bp_tensor *x, const void *data, size_t i)
{
    return x->dtype == BP_DTYPE_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* Stores v as element i of data, which has y's type. */
static inline void bp_cpu_float_put(const bp_tensor *y, void *data, size_t i, double v)
{
    if (y->dtype == BP_DTYPE_F64)
        ((double *)data)[i] = v;
    else
        ((float *)data)[i] = (float)v;
}

#endif
