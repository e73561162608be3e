/* SPDX-License-Identifier: MIT */
/* simd_avx2.c - the loops for processors with AVX2 and FMA; built with flags of its own. */

#include "kernels/simd/simd.h"

#if defined(__AVX2__) && defined(__FMA__)

#define LEVEL avx2
#define LEVEL_NAME "avx2"
#define VECTOR_BYTES 32
#define TILE_ROWS 6
#include "kernels/simd/simd_level.inc"

#else

const struct bp_cpu_simd bp_cpu_simd_avx2[2] = {{.name = "avx2"}, {.name = "avx2"}};

#endif
