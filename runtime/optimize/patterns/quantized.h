/* SPDX-License-Identifier: MIT */
/* quantized.h - what the passes share that match DequantizeLinear -> operator -> QuantizeLinear. */
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
    uint32_t relu; /* a Relu after it that QuantizeLinear's clamp replaces, or BP_NONE */
    /* the operator first, so that the fused node gets its name; DequantizeLinear may stay */
    uint32_t of[BP_MOST_QUANT_PARTS + 3];
    uint32_t n_of;
};

/*
 * Is n a QuantizeLinear to int8 or uint8, with one float32 scale and one zero point, and the only
 * reader of an operator? Sets all but the operands.
 */
bool bp_quant_find(struct bp_rewrite *rw, uint32_t n, struct bp_quant_op *out);
/*
 * Adds input out->n_in of the operator; false: no DequantizeLinear produces it from int8, uint8 or
 * int32, or its scales are not float32, or it has no zero points.
 */
bool bp_quant_add(struct bp_rewrite *rw, struct bp_quant_op *out);
/* Is it of 8 bits, with one scale and one zero point for the whole tensor? */
bool bp_quant_is_plain(const struct bp_rewrite *rw, const struct bp_quant *q);
/* Are scale and zero point of both constant and equal, and the types equal? */
bool bp_quant_same(struct bp_rewrite *rw, const struct bp_quant *a, const struct bp_quant *b);

#endif
