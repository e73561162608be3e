/* SPDX-License-Identifier: MIT */
/*
 * norm.h - what the passes share that match LayerNormalization and RMSNorm written as single nodes.
 */
#ifndef BP_OPTIMIZE_NORM_KIT_H
#define BP_OPTIMIZE_NORM_KIT_H

#include "optimize/patterns/activation.h"

/* The matched nodes and operands. */
struct bp_norm {
    uint32_t x, scale, shift; /* values */
    uint32_t of[9];           /* nodes, in running order */
    uint32_t n_of;
    float epsilon;
};

/* Is node n (BP_NONE: no) that operator, of ONNX's own domain? */
bool bp_norm_is(const struct bp_rewrite *rw, uint32_t n, const char *op);
/* Is it ReduceMean over the last axis with keepdims = 1? *value: its input. */
bool bp_norm_is_mean(struct bp_rewrite *rw, uint32_t n, uint32_t *value);
/* Is `root` sqrt(mean(d^2) + epsilon)? Appends its four nodes, the square first. */
bool bp_norm_spread(struct bp_rewrite *rw, uint32_t root, uint32_t d, struct bp_norm *p);
/*
 * The only reader of node n's output, if it is `op` and its other operand is a constant row as long as
 * the last axis of x; or BP_NONE.
 */
uint32_t bp_norm_follow(struct bp_rewrite *rw, uint32_t n, const char *op, uint32_t x,
                        uint32_t *row);
/* Replaces the matched nodes by ONNX's `op` over the last axis: of x, scale, and shift if any. */
bp_rc bp_norm_fuse(struct bp_rewrite *rw, const struct bp_norm *p, const char *op, bool has_shift,
                   uint32_t opset, bp_err *err);

#endif
