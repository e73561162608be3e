/* SPDX-License-Identifier: MIT */
/* gelu.h - what the passes share that match x * f(x) / 2 (Gelu by Erf, FastGelu by Tanh). */
#ifndef BP_OPTIMIZE_GELU_KIT_H
#define BP_OPTIMIZE_GELU_KIT_H

#include "optimize/patterns/activation.h"

enum { BP_GELU_PARTS = 12 };

/* The matched nodes. */
struct bp_gelu {
    uint32_t x;                 /* value */
    uint32_t of[BP_GELU_PARTS]; /* nodes, in running order */
    uint32_t n_of;
};

/*
 * The other operand of a binary ONNX node (BP_NONE: none) when one operand is the constant `scalar`;
 * BP_NONE: neither is.
 */
uint32_t bp_gelu_operand(struct bp_rewrite *rw, uint32_t n, const char *op, double scalar);
/* The producer of `value` if `user` is its only reader, or BP_NONE. */
uint32_t bp_gelu_producer(const struct bp_rewrite *rw, uint32_t value, uint32_t user);
/*
 * Matches what follows the node that computes f(x): plus 1, then times x and 0.5, in any order. The
 * result has the shape of x. Appends the nodes to gelu->of.
 */
bool bp_gelu_end(struct bp_rewrite *rw, uint32_t function, struct bp_gelu *gelu);
/* Replaces the matched nodes by `op` of com.microsoft, which reads x alone. */
bp_rc bp_gelu_fuse(struct bp_rewrite *rw, const struct bp_gelu *gelu, const char *op,
                   bp_err *err) BP_CHECKED;

#endif
