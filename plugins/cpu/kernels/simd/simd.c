/* SPDX-License-Identifier: MIT */
/* simd.c - the loops for any processor, and the choice of a level. */

#include "kernels/simd/simd.h"

#include <bp/abi.h>

#define LEVEL plain
#define LEVEL_NAME "plain"
#define VECTOR_BYTES 16
#define TILE_ROWS 4
#include "kernels/simd/simd_level.inc"

static bool has_avx2(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static bool has_avx512(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

const struct bp_cpu_simd *bp_cpu_simd_level(uint32_t dtype, uint32_t level, bool *usable)
{
    const struct bp_cpu_simd *const levels[] = {bp_cpu_simd_plain, bp_cpu_simd_avx2,
                                                bp_cpu_simd_avx512};
    const struct bp_cpu_simd *loops;

    if (level >= sizeof levels / sizeof levels[0])
        return NULL;
    loops = &levels[level][dtype == BP_DTYPE_F64];
    *usable = loops->block && (level == 0 || (level == 1 ? has_avx2() : has_avx512()));
    return loops;
}

const struct bp_cpu_simd *bp_cpu_simd(uint32_t dtype)
{
    const struct bp_cpu_simd *best = NULL, *loops;
    bool usable;

    for (uint32_t i = 0; (loops = bp_cpu_simd_level(dtype, i, &usable)) != NULL; i++) {
        if (usable)
            best = loops;
    }
    return best;
}
