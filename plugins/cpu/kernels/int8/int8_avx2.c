/* SPDX-License-Identifier: MIT */
/* int8_avx2.c - the tile for processors with AVX2: pairs of int16. */

#include "kernels/int8/int8.h"
#include "kernels/int8/int8_epilogue.h"

#if defined(__AVX2__)

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#define EPILOGUE bp_cpu_int8_epilogue_plain
#define LEVEL avx2
#define LEVEL_NAME "avx2"
#define V __m256i
#define LANES 8
#define TILE_ROWS 6
#define GROUP 2
#define LOAD(p) _mm256_loadu_si256((const void *)(p))
#define STORE(p, v) _mm256_storeu_si256((void *)(p), v)
#define ZERO _mm256_setzero_si256()
#define SPREAD(x) _mm256_set1_epi32(x)
#define DOT(sum, a, b) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
#include "kernels/int8/int8.inc"

#else

const struct bp_cpu_int8_level bp_cpu_int8_avx2 = {.name = "avx2"};

#endif
