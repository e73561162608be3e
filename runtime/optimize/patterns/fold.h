/* SPDX-License-Identifier: MIT */
/* fold.h - constants that need no run, and which nodes may be folded at all. */
#ifndef BP_OPTIMIZE_FOLD_KIT_H
#define BP_OPTIMIZE_FOLD_KIT_H

#include "optimize/passes.h"

/*
 * Does the node stay though its inputs are constants? True for random operators, and for
 * DequantizeLinear, because providers use the quantised weights, which are smaller.
 */
bool bp_fold_must_stay(const struct bp_ir_node *node);
/* Bytes of a value; false: its size is unknown, or an element has no whole bytes. */
bool bp_fold_bytes(const struct bp_rewrite *rw, uint32_t value, size_t *out);
/* Could node n be folded without a run? A fast check on the lists that rejects most nodes. */
bool bp_fold_may_do_at_once(const struct bp_rewrite *rw, uint32_t n);
/* Folds node n if that needs no run, and drops it. BP_E_NOMEM. */
bp_rc bp_fold_at_once(struct bp_rewrite *rw, uint32_t n, bp_err *err) BP_CHECKED;

#endif
