/* SPDX-License-Identifier: MIT */
/* nbits_avx2.c - the loops of nbits.h for processors with AVX2; built with flags of its own. */

#include "quantized/nbits.h"

#if defined(__AVX2__) && defined(__FMA__)

#define LEVEL avx2
#define LEVEL_NAME "avx2"
#define LANES 8
#include "quantized/nbits.inc"

#else

const struct bp_cpu_nbits_level bp_cpu_nbits_avx2 = {.name = "avx2"};

#endif
