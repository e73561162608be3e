/* SPDX-License-Identifier: MIT */
/* attributes.c - see attributes.h. */

#include "build/attributes.h"

#include "base/instance.h"
#include "base/library.h"
#include "build/builder.h"

/* Appends one post-op to oneDNN's list. A sum has the scale 1: it adds the output as it is. */
static dnnl_status_t append(dnnl_post_ops_t ops, const struct bp_dnnl_post_op *post)
{
    if (post->kind == dnnl_alg_kind_undef)
        return bp_dnnl.post_ops_append_sum(ops, 1);
    if (post->kind == dnnl_binary_add)
        return bp_dnnl.post_ops_append_binary(ops, post->kind, &post->other->md);
    return bp_dnnl.post_ops_append_eltwise(ops, 1, post->kind, post->alpha, post->beta);
}

/* oneDNN copies the list, so that it is destroyed here. */
static dnnl_status_t set_post_ops(dnnl_primitive_attr_t out, const struct bp_dnnl_attr *attr)
{
    dnnl_post_ops_t ops = NULL;
    dnnl_status_t status = bp_dnnl.post_ops_create(&ops);

    for (uint32_t i = 0; i < attr->n_post && status == dnnl_success; i++)
        status = append(ops, &attr->post[i]);
    if (status == dnnl_success)
        status = bp_dnnl.primitive_attr_set_post_ops(out, ops);
    if (ops)
        bp_dnnl.post_ops_destroy(ops);
    return status;
}

/* One zero point for the whole tensor (mask 0); 0 is oneDNN's default. */
static dnnl_status_t set_zero_point(dnnl_primitive_attr_t out, int arg, int32_t zero)
{
    return zero == 0 ? dnnl_success : bp_dnnl.primitive_attr_set_zero_points(out, arg, 1, 0, &zero);
}

/*
 * oneDNN 2's output scales: the sums are multiplied by them before post-ops, and the destination's
 * zero point is added last. The mask has bit `axis` where there is one scale for each of its
 * indices.
 */
static dnnl_status_t set_quantisation(dnnl_primitive_attr_t out, const struct bp_dnnl_attr *attr)
{
    bool is_each = attr->n_scales > 1;
    dnnl_status_t status;

    if (!attr->scales) {
        return attr->scale != 0 && attr->scale != 1
                   ? bp_dnnl.primitive_attr_set_output_scales(out, 1, 0, &attr->scale)
                   : dnnl_success;
    }
    status = bp_dnnl.primitive_attr_set_output_scales(out, (dnnl_dim_t)attr->n_scales,
                                                      is_each ? 1 << attr->axis : 0, attr->scales);
    if (status == dnnl_success)
        status = set_zero_point(out, DNNL_ARG_SRC, attr->x_zero);
    return status == dnnl_success ? set_zero_point(out, DNNL_ARG_DST, attr->y_zero) : status;
}

/*
 * The scratchpad is the user's: else oneDNN would allocate it in each run or keep it in the
 * primitive.
 */
bp_rc bp_dnnl_attributes(struct bp_dnnl_builder *b, const struct bp_dnnl_attr *attr,
                         dnnl_primitive_attr_t *out, bp_err *err)
{
    dnnl_primitive_attr_t made = NULL;
    dnnl_status_t status = bp_dnnl.primitive_attr_create(&made);

    *out = NULL;
    if (status == dnnl_success)
        status = bp_dnnl.primitive_attr_set_scratchpad_mode(made, dnnl_scratchpad_mode_user);
    if (status == dnnl_success && b->instance->may_round)
        status = bp_dnnl.primitive_attr_set_fpmath_mode(made, dnnl_fpmath_mode_bf16);
    if (status == dnnl_success && attr)
        status = set_quantisation(made, attr);
    if (status == dnnl_success && attr && attr->n_post > 0)
        status = set_post_ops(made, attr);
    if (status == dnnl_success) {
        *out = made;
        return BP_OK;
    }
    if (made)
        bp_dnnl.primitive_attr_destroy(made);
    return bp_dnnl_fail(err, status, "attributes of a primitive");
}

/* A sum is dnnl_alg_kind_undef, which no eltwise is. */
void bp_dnnl_add_post_op(struct bp_dnnl_attr *attr, dnnl_alg_kind_t kind,
                         const struct bp_dnnl_tensor *other)
{
    attr->post[attr->n_post++] = (struct bp_dnnl_post_op){.kind = kind, .other = other};
}

void bp_dnnl_add_eltwise(struct bp_dnnl_attr *attr, dnnl_alg_kind_t kind, float alpha, float beta)
{
    attr->post[attr->n_post++] =
        (struct bp_dnnl_post_op){.kind = kind, .alpha = alpha, .beta = beta};
}
