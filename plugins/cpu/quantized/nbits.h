/* SPDX-License-Identifier: MIT */
/*
 * nbits.h - weights of 2, 4 or 8 bits in blocks with a scale each: dot products with rows of
 * floats, and rows of weights as floats. Written once in nbits.inc, compiled for each instruction
 * set.
 *
 * The bits of a block lie in bytes from the low ones up; element e of a byte is "phase" e. A row of
 * floats is laid out to match, which costs little against reading the weights: for each block all
 * elements of phase 0, then those of phase 1...
 */
#ifndef BP_CPU_QUANTIZED_NBITS_H
#define BP_CPU_QUANTIZED_NBITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BP_CPU_NBITS_ROWS = 4 }; /* rows of floats that are multiplied at a time, at most */

/* n_cols columns of weights, each of k_blocks blocks of block_bytes. */
struct bp_cpu_nbits {
    const uint8_t *weights;
    const float *scales;        /* one a block */
    const uint8_t *packed_zero; /* zero_bytes a column; NULL: float_zero, or one for all */
    const float *float_zero;
    float zero; /* where neither is there */
    size_t k, k_blocks, block, block_bytes, zero_bytes;
    uint32_t bits;
};

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

/* The best one here; level NULL: the compiler could not build it. */
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

/* Lays a row of k floats out as `dots` reads it, with zeros behind it, and sums its blocks. */
void bp_cpu_nbits_arrange(const struct bp_cpu_nbits *b, const float *row, float *x, float *sums);

#endif
