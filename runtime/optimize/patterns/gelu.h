/* SPDX-License-Identifier: MIT */
/* gelu.h - what the passes that find x * f(x) / 2 share. */
#ifndef BP_OPTIMIZE_GELU_KIT_H
#define BP_OPTIMIZE_GELU_KIT_H

#include "optimize/patterns/activation.h"

enum { BP_GELU_PARTS = 12 };

/* The parts that were found. */
struct bp_gelu {
    uint32_t x;                 /* value */
    uint32_t of[BP_GELU_PARTS]; /* nodes, in running order */
    uint32_t n_of;
};

/*
 * The other operand of a node of two of ONNX (BP_NONE is none) when one is the constant `number`;
 * BP_NONE: none is.
 */
uint32_t bp_gelu_beside(struct bp_rewrite *rw, uint32_t n, const char *op, double number);
/* The node that makes `value` for no reader but `user`, or BP_NONE. */
uint32_t bp_gelu_maker(const struct bp_rewrite *rw, uint32_t value, uint32_t user);
/*
 * From the node on that gives a function of x: plus 1, then times x and 0.5, in any order. The end
 * has the shape of x.
 */
bool bp_gelu_end(struct bp_rewrite *rw, uint32_t function, struct bp_gelu *gelu);
/* Puts `op` of com.microsoft, which reads x alone, in the place of all parts. */
bp_rc bp_gelu_fuse(struct bp_rewrite *rw, const struct bp_gelu *gelu, const char *op,
                   bp_err *err) BP_CHECKED;

#endif
