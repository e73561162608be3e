/* SPDX-License-Identifier: MIT */
/*
 * tensor_data.h - where a tensor's elements and a worker's scratch begin, also when there are none.
 */
#ifndef BP_CPU_KERNELS_TENSOR_DATA_H
#define BP_CPU_KERNELS_TENSOR_DATA_H

#include "cpu.h"

/* Where things are that have no bytes: C allows no arithmetic on NULL, not even adding 0. */
static inline void *bp_cpu_nowhere(void)
{
    static _Alignas(64) char nothing[64];

    return nothing;
}

/* As bp_tensor_data(), but never NULL: an empty tensor may have no storage. */
static inline void *bp_cpu_data(const bp_tensor *tensor)
{
    return tensor->base ? bp_tensor_data(tensor) : bp_cpu_nowhere();
}

/* A worker's part of a scratch that gives each `bytes`, rounded up to 64; never NULL. */
static inline void *bp_cpu_worker_scratch(void *scratch, uint32_t worker, size_t bytes)
{
    return bytes > 0 ? (char *)scratch + worker * ((bytes + 63) / 64 * 64) : bp_cpu_nowhere();
}

#endif
