/* SPDX-License-Identifier: MIT */
/*
 * nbits.h - Weights of 2, 4 or 8 bits in blocks with a scale each: dot products with rows of
 * floats, and conversion of weights to float. Written once in nbits.inc, compiled for each
 * instruction set.
 * The bits of a block fill bytes from the low ones up; element e of a byte has "phase" e. A row of
 * floats is arranged to match, which costs little against reading the weights: for each block all
 * elements of phase 0, then those of phase 1, and so on. No state: any thread may call the loops.
 */
#ifndef BP_CPU_QUANTIZED_NBITS_H
#define BP_CPU_QUANTIZED_NBITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BP_CPU_NBITS_ROWS = 4 }; /* rows of floats that are multiplied at a time */

/* n columns of weights, each of k_blocks blocks of block_bytes. All pointers are borrowed. */
struct bp_cpu_nbits {
    const uint8_t *weights;
    const float *scales;        /* one for each block */
    const uint8_t *packed_zero; /* zero_bytes for each column; NULL: float_zero, or `zero` */
    const float *float_zero;
    float zero; /* for all blocks, if neither is given */
    size_t k, k_blocks, block, block_bytes, zero_bytes;
    uint32_t bits;
};

/* The loops of one instruction set. */
struct bp_cpu_nbits_level {
    const char *name;
    /*
     * y[r * ldy + c] = row r of x times column c, for rows < BP_CPU_NBITS_ROWS + 1 and columns
     * first..end. x has k_blocks * block floats a row, sums k_blocks: those of the blocks.
     */
    void (*dots)(const struct bp_cpu_nbits *b, const float *x, const float *sums, size_t rows,
                 size_t first, size_t end, float *y, size_t ldy);
    /* Blocks first..end of column c as floats, in the order of k. */
    void (*unpack)(const struct bp_cpu_nbits *b, size_t c, size_t first, size_t end, float *to);
};

/*
 * The best level of this processor; or level i (NULL: there is none), with *usable false if the
 * processor or the compiler lacks it.
 */
const struct bp_cpu_nbits_level *bp_cpu_nbits_best(void);
const struct bp_cpu_nbits_level *bp_cpu_nbits_level(uint32_t level, bool *usable);

extern const struct bp_cpu_nbits_level bp_cpu_nbits_plain;
extern const struct bp_cpu_nbits_level bp_cpu_nbits_avx2;
extern const struct bp_cpu_nbits_level bp_cpu_nbits_avx512;

/* The zero point of block i of column c. */
static inline float bp_cpu_nbits_zero(const struct bp_cpu_nbits *b, size_t c, size_t i)
{
    if (b->packed_zero) {
        size_t bit = i * b->bits;
        uint32_t packed = b->packed_zero[c * b->zero_bytes + bit / 8];

        return (float)(packed >> bit % 8 & ((1u << b->bits) - 1));
    }
    return b->float_zero ? b->float_zero[c * b->k_blocks + i] : b->zero;
}

/*
 * Arranges a row of k floats in the order that `dots` reads, padded with zeros to whole blocks, and
 * sums each block.
 */
void bp_cpu_nbits_arrange(const struct bp_cpu_nbits *b, const float *row, float *x, float *sums);

#endif
