/* SPDX-License-Identifier: MIT */
/* fold.h - constants that need no run, and what may be folded at all. */
#ifndef BP_OPTIMIZE_FOLD_KIT_H
#define BP_OPTIMIZE_FOLD_KIT_H

#include "optimize/passes.h"

/*
 * Does it stay though its inputs are constants? What differs each time, and what is smaller as it
 * is: providers know how to use quantised weights.
 */
bool bp_fold_must_stay(const struct bp_ir_node *node);
/* Bytes of a value; false: they are not known, or no whole bytes each. */
bool bp_fold_bytes(const struct bp_rewrite *rw, uint32_t value, size_t *out);
/* Could node n be folded without a run? Quick: most could not, and their rows tell. */
bool bp_fold_may_do_at_once(const struct bp_rewrite *rw, uint32_t n);
/* Folds node n if it can be without a run. BP_E_NOMEM. */
bp_rc bp_fold_at_once(struct bp_rewrite *rw, uint32_t n, bp_err *err) BP_CHECKED;

#endif
