/* SPDX-License-Identifier: MIT */
/* nbits.c - The loops of nbits.h for any processor, and the choice of a level (instruction set). */

#define LEVEL plain
#define LEVEL_NAME "plain"
#define LANES 4
#include "quantized/nbits.inc"

#include "kernels/simd/simd.h"

#include <string.h>

#include <bp/abi.h>

const struct bp_cpu_nbits_level *bp_cpu_nbits_level(uint32_t level, bool *usable)
{
    const struct bp_cpu_nbits_level *const levels[] = {&bp_cpu_nbits_plain, &bp_cpu_nbits_avx2,
                                                       &bp_cpu_nbits_avx512};

    if (level >= sizeof levels / sizeof levels[0])
        return NULL;
    /* the requirements are those of the float32 loops of that level */
    (void)bp_cpu_simd_level(BP_DTYPE_F32, level, usable);
    *usable = *usable && levels[level]->dots;
    return levels[level];
}

const struct bp_cpu_nbits_level *bp_cpu_nbits_best(void)
{
    const struct bp_cpu_nbits_level *best = NULL, *level;
    bool usable;

    for (uint32_t i = 0; (level = bp_cpu_nbits_level(i, &usable)) != NULL; i++) {
        if (usable)
            best = level;
    }
    return best;
}

/*
 * Element j of a block goes to phase j % phases, so that a vector of bytes yields contiguous
 * vectors of weights.
 */
void bp_cpu_nbits_arrange(const struct bp_cpu_nbits *b, const float *row, float *x, float *sums)
{
    const size_t phases = 8 / b->bits;

    for (size_t i = 0; i < b->k_blocks; i++, x += b->block) {
        size_t at = i * b->block, n = b->k - at < b->block ? b->k - at : b->block;
        float sum = 0;

        if (n < b->block)
            memset(x, 0, b->block * sizeof *x);
        for (size_t j = 0; j < n; j++) {
            x[j % phases * b->block_bytes + j / phases] = row[at + j];
            sum += row[at + j];
        }
        sums[i] = sum;
    }
}
