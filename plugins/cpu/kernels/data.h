/* SPDX-License-Identifier: MIT */
/* data.h - where a tensor's elements begin, also when it has none. */
#ifndef BP_CPU_KERNELS_DATA_H
#define BP_CPU_KERNELS_DATA_H

#include "cpu.h"

/*
 * As bp_tensor_data(), but never NULL: an empty tensor may have no storage, and C allows no arithmetic on NULL,
 * not even adding 0.
 */
static inline void *bp_cpu_data(const bp_tensor *tensor)
{
    static _Alignas(64) char nothing[64];

    return tensor->base ? bp_tensor_data(tensor) : nothing;
}

#endif
