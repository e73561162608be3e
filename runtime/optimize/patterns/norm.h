/* SPDX-License-Identifier: MIT */
/* norm.h - what the passes that find normalizations in their parts share. */
#ifndef BP_OPTIMIZE_NORM_KIT_H
#define BP_OPTIMIZE_NORM_KIT_H

#include "optimize/patterns/activation.h"

/* The parts that were found. */
struct bp_norm {
    uint32_t x, scale, shift; /* values */
    uint32_t of[9];           /* nodes, in running order */
    uint32_t n_of;
    float epsilon;
};

/* Is node n (BP_NONE is none) that operator of ONNX? */
bool bp_norm_is(const struct bp_rewrite *rw, uint32_t n, const char *op);
/* Is it the mean over the last axis, which stays as 1? *value: of what. */
bool bp_norm_is_mean(struct bp_rewrite *rw, uint32_t n, uint32_t *value);
/* sqrt(mean(d^2) + epsilon), which node `root` gives: adds four parts, of which the first squares. */
bool bp_norm_spread(struct bp_rewrite *rw, uint32_t root, uint32_t d, struct bp_norm *p);
/*
 * Goes on from what node n gives to its only reader `op`, with a constant row as long as the last
 * axis of x beside it; or BP_NONE.
 */
uint32_t bp_norm_follow(struct bp_rewrite *rw, uint32_t n, const char *op, uint32_t x,
                        uint32_t *row);
/* Makes ai.onnx's `op` over the last axis of all parts: of x and scale, and of shift if it has one. */
bp_rc bp_norm_fuse(struct bp_rewrite *rw, const struct bp_norm *p, const char *op, bool has_shift,
                   uint32_t opset, bp_err *err);

#endif
