/* SPDX-License-Identifier: MIT */
/*
 * split.h - halves of a primitive. A primitive cannot be interrupted, so one that takes long is
 * built as several, between which a run can stop. For the thread that builds the frame.
 */
#ifndef BP_DNNL_SPLIT_H
#define BP_DNNL_SPLIT_H

#include "build/builder.h"
#include "build/primitive.h"

#include <dnnl.h>
#include <stdbool.h>

enum { BP_DNNL_SPLIT_ARGS = 8 }; /* a primitive with more is left whole */

/* One of the two; args name the tensors beside them. */
struct bp_dnnl_half {
    dnnl_primitive_desc_t pd; /* whoever got it destroys it, or gives it to bp_dnnl_emit() */
    struct bp_dnnl_arg args[BP_DNNL_SPLIT_ARGS];
    struct bp_dnnl_tensor tensors[BP_DNNL_SPLIT_ARGS];
};

/* Would the primitive take longer than a run may go on after it was told to stop? By an estimate. */
bool bp_dnnl_is_long(const struct bp_dnnl_builder *b, const_dnnl_primitive_desc_t pd,
                     uint32_t n_args, const struct bp_dnnl_arg *args);
/*
 * Two primitives that make the same as pd does, one dimension of the result cut in two. False, with
 * nothing made: its result has no such dimension, or oneDNN has no kernel for a half.
 */
bool bp_dnnl_halve(const_dnnl_primitive_desc_t pd, uint32_t n_args, const struct bp_dnnl_arg *args,
                   struct bp_dnnl_half halves[2]);

#endif
