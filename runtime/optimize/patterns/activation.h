/* SPDX-License-Identifier: MIT */
/*
 * activation.h - elementwise functions that the fused operators of com.microsoft (FusedConv,
 * FusedGemm) can apply to their result.
 */
#ifndef BP_OPTIMIZE_ACTIVATION_H
#define BP_OPTIMIZE_ACTIVATION_H

#include "optimize/optimize.h"

enum { BP_MOST_FUSED_ATTRS = 24 };

struct bp_activation {
    const char *name;
    float params[2];
    uint32_t n_params;
    bp_span text; /* the name, as an attribute has it */
};

/*
 * The activation that node n applies to its first input; false: it is none, or its parameters are not
 * constant. out->name and out->text are literals.
 */
bool bp_activation_read(struct bp_rewrite *rw, uint32_t n, struct bp_activation *out);
/* The node that applies an activation to `value`, its only reader; or BP_NONE. */
uint32_t bp_activation_after(struct bp_rewrite *rw, uint32_t value, struct bp_activation *out);
/*
 * Does node n (BP_NONE: no) multiply or divide a value by a scalar constant other than 0? Returns the
 * value, which has the shape of the result, or BP_NONE.
 */
uint32_t bp_scaled_by(struct bp_rewrite *rw, uint32_t n, double *factor);
/* Is it a tensor of float32 or float64? */
bool bp_is_float(const struct bp_rewrite *rw, uint32_t value);

#endif
