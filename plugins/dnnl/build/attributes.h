/* SPDX-License-Identifier: MIT */
/* attributes.h - what a primitive does besides its own arithmetic: scales and post-ops. */
#ifndef BP_DNNL_ATTRIBUTES_H
#define BP_DNNL_ATTRIBUTES_H

#include <bp/sdk.h>
#include <dnnl.h>

struct bp_dnnl_builder;
struct bp_dnnl_tensor;

enum { BP_DNNL_MAX_POST_OPS = 4 };

/* dnnl_alg_kind_undef: adds what lies in the output; dnnl_binary_add: adds `other`; an eltwise. */
struct bp_dnnl_post_op {
    dnnl_alg_kind_t kind;
    float alpha, beta; /* of an eltwise */
    const struct bp_dnnl_tensor *other;
};

/* Zeroed: none. */
struct bp_dnnl_attr {
    float scale;         /* of a float output, before post-ops; 0 reads as 1 */
    const float *scales; /* of integers: n_scales factors of the sums; NULL: there are none */
    uint32_t n_scales;   /* 1, or one for each index of dimension `axis` of the output */
    int axis;
    int32_t x_zero, y_zero; /* zero points of the source and of the output */
    uint32_t n_post;
    struct bp_dnnl_post_op post[BP_DNNL_MAX_POST_OPS]; /* in this order */
};

/*
 * oneDNN's attributes with the scratchpad in the caller's memory, rounding as math_mode says, and
 * `attr`, which may be NULL. *out is the caller's, for dnnl_primitive_attr_destroy().
 */
bp_rc bp_dnnl_attributes(struct bp_dnnl_builder *b, const struct bp_dnnl_attr *attr,
                         dnnl_primitive_attr_t *out, bp_err *err);

/* Appends a sum or a binary; the caller counts: there is no check against MAX_POST_OPS. */
void bp_dnnl_add_post_op(struct bp_dnnl_attr *attr, dnnl_alg_kind_t kind,
                         const struct bp_dnnl_tensor *other);
/* Appends an eltwise. */
void bp_dnnl_add_eltwise(struct bp_dnnl_attr *attr, dnnl_alg_kind_t kind, float alpha, float beta);

#endif
