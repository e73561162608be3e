/* SPDX-License-Identifier: MIT */
/* conv.h - what the passes share that change the weights of a Conv or ConvTranspose. */
#ifndef BP_OPTIMIZE_CONV_KIT_H
#define BP_OPTIMIZE_CONV_KIT_H

#include "optimize/passes.h"

/* A Conv or ConvTranspose whose weights and bias are constants of float32 or float64. */
struct bp_conv {
    uint32_t node;
    uint32_t dtype, rank;      /* of the weights */
    uint64_t groups, channels; /* channels of the output */
    size_t n_weights;
    int64_t dims[BP_MAX_RANK];
    bool is_transposed;         /* ConvTranspose: dims[1] has the channels of one group */
    struct bp_ir_data *weights; /* to be changed; NULL until bp_conv_load() */
    double *bias;               /* for each channel, 0 without a bias; NULL until bp_conv_load() */
};

/* Does a Conv or ConvTranspose produce an input of node n? Faster than bp_conv_find(). */
bool bp_conv_reads(const struct bp_rewrite *rw, uint32_t n);
/*
 * Does such a node produce `value` for one reader only? Sizes are exact then; reads no weights.
 */
bool bp_conv_find(struct bp_rewrite *rw, uint32_t value, struct bp_conv *out);
/*
 * Reads the bias, and copies weights that no pass made; false: no memory, or external data can't be
 * read. A caller that asks for weights must replace the Conv, as they may be changed in place.
 */
bool bp_conv_load(struct bp_rewrite *rw, struct bp_conv *conv, bool with_weights);
/* Weights of one output channel times `factor`, its bias times `factor` plus `offset`. */
void bp_conv_scale(struct bp_conv *conv, size_t channel, double factor, double offset);
/*
 * Node `last`, which reads the Conv's output, becomes the Conv with the changed weights and bias.
 */
bp_rc bp_conv_replace(struct bp_rewrite *rw, struct bp_conv *conv, uint32_t last,
                      bp_err *err) BP_CHECKED;
/*
 * One element for each channel, from a constant that broadcasts so over a value of this rank: shape
 * (1,)C,1,1 or a single element. NULL: another shape or channel count. Memory is of scratch.
 */
double *bp_conv_channels(struct bp_rewrite *rw, uint32_t value, uint32_t rank, uint64_t channels);

#endif
