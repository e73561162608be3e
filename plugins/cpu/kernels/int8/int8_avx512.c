/* SPDX-License-Identifier: MIT */
/* int8_avx512.c - the tile for processors with AVX-512: pairs of int16. */

#include "kernels/int8/int8.h"
#include "kernels/int8/int8_epilogue.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#include "kernels/int8/int8_epilogue.inc"
#define EPILOGUE epilogue
#define LEVEL avx512
#define LEVEL_NAME "avx512"
#define V __m512i
#define LANES 16
#define TILE_ROWS 12
#define GROUP 2
#define LOAD(p) _mm512_loadu_si512((const void *)(p))
#define STORE(p, v) _mm512_storeu_si512((void *)(p), v)
#define ZERO _mm512_setzero_si512()
#define SPREAD(x) _mm512_set1_epi32(x)
#define DOT(sum, a, b) _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
#include "kernels/int8/int8.inc"

#else

const struct bp_cpu_int8_level bp_cpu_int8_avx512 = {.name = "avx512"};

#endif
