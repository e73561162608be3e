/* SPDX-License-Identifier: MIT */
/* quantized.h - what the passes that find operators between Dequantize- and QuantizeLinear share. */
#ifndef BP_OPTIMIZE_QUANT_KIT_H
#define BP_OPTIMIZE_QUANT_KIT_H

#include "optimize/patterns/activation.h"

enum { BP_MOST_QUANT_PARTS = 8 }; /* operands of one operator */

/* A quantised tensor: what a DequantizeLinear reads, or a QuantizeLinear makes. */
struct bp_quant {
    uint32_t node;
    uint32_t value, scale, zero;
};

/* An operator whose operands are dequantised, and whose only reader quantises again. */
struct bp_quant_op {
    struct bp_quant out;                     /* value: what QuantizeLinear makes */
    struct bp_quant in[BP_MOST_QUANT_PARTS]; /* the first n_in inputs of `op` */
    uint32_t n_in;
    uint32_t op;   /* the node between */
    uint32_t relu; /* one behind it that QuantizeLinear does as well, or BP_NONE */
    /* the operator first, as its name is free then; others may still read what is dequantised */
    uint32_t of[BP_MOST_QUANT_PARTS + 3];
    uint32_t n_of;
};

/*
 * Is n a QuantizeLinear to int8 or uint8, with one float32 scale and a zero point, the only reader
 * of an operator? Sets all but the operands.
 */
bool bp_quant_find(struct bp_rewrite *rw, uint32_t n, struct bp_quant_op *out);
/*
 * Adds input out->n_in of the operator; false: no DequantizeLinear makes it from int8, uint8 or
 * int32 with float32 scales and zero points that are there.
 */
bool bp_quant_add(struct bp_rewrite *rw, struct bp_quant_op *out);
/* Has it one scale and one zero point for all, and 8 bits? */
bool bp_quant_is_plain(const struct bp_rewrite *rw, const struct bp_quant *q);
/* Are they constants with the same scale and zero point? */
bool bp_quant_same(struct bp_rewrite *rw, const struct bp_quant *a, const struct bp_quant *b);

#endif
