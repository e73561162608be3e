/* SPDX-License-Identifier: MIT */
/* simd_avx512.c - the loops for processors with AVX-512; built with flags of its own. */

#include "kernels/simd/simd.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)

#define LEVEL avx512
#define LEVEL_NAME "avx512"
#define VECTOR_BYTES 64
#define TILE_ROWS 12
#include "kernels/simd/simd_level.inc"

#else

const struct bp_cpu_simd bp_cpu_simd_avx512[2] = {{.name = "avx512"}, {.name = "avx512"}};

#endif
