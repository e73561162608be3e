/* SPDX-License-Identifier: MIT */
/* conv.h - what the passes that change weights of a Conv share. */
#ifndef BP_OPTIMIZE_CONV_KIT_H
#define BP_OPTIMIZE_CONV_KIT_H

#include "optimize/passes.h"

/* A Conv or ConvTranspose whose weights and bias are constants of float32 or float64. */
struct bp_conv {
    uint32_t node;
    uint32_t dtype, rank;  /* of the weights */
    uint64_t groups, maps; /* maps: channels of the output */
    size_t n_weights;
    int64_t dims[BP_MAX_RANK];
    bool is_transposed;         /* maps are counted by group and second dimension of the weights */
    struct bp_ir_data *weights; /* to be changed; NULL until bp_conv_load() */
    double *bias; /* one a map, zeros where there is none; NULL until bp_conv_load() */
};

/* Is an input of node n made by a Conv or ConvTranspose? Quicker than to look for one. */
bool bp_conv_reads(const struct bp_rewrite *rw, uint32_t n);
/*
 * Is `value` made by such a node, for no other reader than one? Sizes are exact; reads no weights.
 */
bool bp_conv_find(struct bp_rewrite *rw, uint32_t value, struct bp_conv *out);
/*
 * Reads the bias, and copies weights that are not the passes' own; false: it cannot be. Whoever asks
 * for weights replaces the Conv then.
 */
bool bp_conv_load(struct bp_rewrite *rw, struct bp_conv *conv, bool with_weights);
/* Weights of map `map` times `factor`, its bias times that plus `offset`. */
void bp_conv_scale(struct bp_conv *conv, size_t map, double factor, double offset);
/*
 * Node `last`, which reads the Conv's output, becomes the Conv with the numbers as they are now.
 */
bp_rc bp_conv_replace(struct bp_rewrite *rw, struct bp_conv *conv, uint32_t last,
                      bp_err *err) BP_CHECKED;
/*
 * One number a channel, from a constant that broadcasts over a value of this rank that way: shape
 * (1,)C,1,1 or one element. NULL: it does not, or another channel count.
 */
double *bp_conv_channels(struct bp_rewrite *rw, uint32_t value, uint32_t rank, uint64_t maps);

#endif
