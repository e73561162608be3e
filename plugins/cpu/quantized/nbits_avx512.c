/* SPDX-License-Identifier: MIT */
/* nbits_avx512.c - the loops of nbits.h for processors with AVX512; built with flags of its own. */

#include "quantized/nbits.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)

#define LEVEL avx512
#define LEVEL_NAME "avx512"
#define LANES 16
#include "quantized/nbits.inc"

#else

const struct bp_cpu_nbits_level bp_cpu_nbits_avx512 = {.name = "avx512"};

#endif
