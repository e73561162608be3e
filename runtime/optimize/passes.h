/* SPDX-License-Identifier: MIT */
/*
 * passes.h - the table of passes: names, levels, and which bits of the results each may change.
 *
 * A pass is a function without state of its own: it reads and changes the graph through rewrite.h,
 * and may run again after others found something.
 */
#ifndef BP_OPTIMIZE_PASSES_H
#define BP_OPTIMIZE_PASSES_H

#include "optimize/rewrite.h"

enum { BP_MAX_PASSES = 64 }; /* a bit each in bp_optimizer.disabled */

/*
 * What a pass keeps of the results, relative to the graph without it.
 */
enum {
    BP_KEEPS_BITS = 0,  /* every bit */
    BP_KEEPS_VALUE = 1, /* the value; the order of roundings changes */
    BP_KEEPS_STEP = 2   /* the value, to within one quantization step of the output */
};

struct bp_pass {
    const char *name;
    uint32_t level;   /* the lowest that runs it, BP_OPTIMIZE_* */
    uint32_t keeps;   /* BP_KEEPS_* */
    const char *help; /* a row of docs/passes.md, without a full stop */
    bp_rc (*run)(struct bp_rewrite *rw, bp_err *err); /* counts in rw->n_matches */
};

/* Pass i in the order in which they run, or NULL. */
const struct bp_pass *bp_pass_at(uint32_t i);
/* Its index by name. BP_E_INVALID: there is none; the error has all names. */
bp_rc bp_pass_find(const char *name, uint32_t *out, bp_err *err) BP_CHECKED;

/*
 * One file each in passes/, in the order in which they run. BP_E_NOMEM;
 * BP_E_INTERNAL: the pass made a node that its schema refuses.
 */
bp_rc bp_pass_drop_unused(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fold_constants(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_drop_no_ops(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_capture_invariants(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_merge_moves(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_merge_slices(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_share_equal(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_write_shapes(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_share_shapes(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fold_pad(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fold_norm(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fold_scale(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fold_bias(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_make_gemm(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_move_quantized(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_quantized(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_attention(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_conv(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_gemm(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_product(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_gelu(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_fast_gelu(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_quick_gelu(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_layer_norm(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_simple_norm(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_bias_gelu(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
bp_rc bp_pass_fuse_skip_norm(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;

#endif
