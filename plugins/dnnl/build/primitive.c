/* SPDX-License-Identifier: MIT */
/* primitive.c - makes oneDNN's primitives and adds them to a frame's steps. */

#include "onednn.h"

static dnnl_status_t append(dnnl_post_ops_t ops, const struct bp_dnnl_post_op *post)
{
    if (post->kind == dnnl_alg_kind_undef)
        return bp_dnnl.post_ops_append_sum(ops, 1);
    if (post->kind == dnnl_binary_add)
        return bp_dnnl.post_ops_append_binary(ops, post->kind, &post->other->md);
    return bp_dnnl.post_ops_append_eltwise(ops, 1, post->kind, post->alpha, post->beta);
}

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

static dnnl_status_t set_zero_point(dnnl_primitive_attr_t out, int arg, int32_t zero)
{
    return zero == 0 ? dnnl_success : bp_dnnl.primitive_attr_set_zero_points(out, arg, 1, 0, &zero);
}

/* What integers are multiplied by, and what stands for 0. */
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

bp_rc bp_dnnl_describe(struct bp_dnnl_builder *b, const void *desc, const struct bp_dnnl_attr *attr,
                       dnnl_primitive_desc_t *out, bp_err *err)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    dnnl_primitive_attr_t made;
    dnnl_status_t status;
    bp_rc rc;

    *out = NULL;
    rc = bp_dnnl_attributes(b, attr, &made, err);
    if (rc < 0)
        return rc;
    status = bp_dnnl.primitive_desc_create(out, desc, made, bp_dnnl.engine, NULL);
    bp_dnnl.primitive_attr_destroy(made);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    return BP_OK;
}

const dnnl_memory_desc_t *bp_dnnl_query(const_dnnl_primitive_desc_t pd, dnnl_query_t what)
{
    return bp_dnnl.primitive_desc_query_md(pd, what, 0);
}

/* Appends a step with room for n arguments; it is the frame's at once. */
static struct bp_dnnl_step *add_step(struct bp_dnnl_builder *b, uint32_t n)
{
    struct bp_dnnl_step *step = bp_blocks_array(b->memory, 1, sizeof *step);

    if (!step)
        return NULL;
    step->args = bp_blocks_array(b->memory, n, sizeof *step->args);
    step->locations = bp_blocks_array(b->memory, n, sizeof *step->locations);
    if (!step->args || !step->locations)
        return NULL;
    step->node = b->node;
    step->is_single_thread = b->is_single_thread;
    *b->frame->end = step;
    b->frame->end = &step->next;
    return step;
}

static dnnl_status_t add_arg(struct bp_dnnl_builder *b, struct bp_dnnl_step *step, int id,
                             const struct bp_dnnl_tensor *tensor)
{
    dnnl_exec_arg_t *arg = &step->args[step->n_args];
    bool is_fixed = tensor->location.kind == BP_DNNL_FIXED;
    dnnl_status_t status = bp_dnnl.memory_create(
        &arg->memory, &tensor->md, bp_dnnl.engine,
        is_fixed ? (void *)(uintptr_t)tensor->location.fixed : DNNL_MEMORY_NONE);

    if (status != dnnl_success)
        return status;
    arg->arg = id;
    step->locations[step->n_args++] = tensor->location;
    if (tensor->location.kind == BP_DNNL_SCRATCH)
        b->items[tensor->location.index].last = b->n_steps;
    return status;
}

/* Makes the primitive with its arguments, its scratch memory among them. */
static bp_rc fill_step(struct bp_dnnl_builder *b, dnnl_primitive_desc_t pd, uint32_t n_args,
                       const struct bp_dnnl_arg *args, bp_err *err)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    const dnnl_memory_desc_t *needs = bp_dnnl_query(pd, dnnl_query_scratchpad_md);
    struct bp_dnnl_step *step = add_step(b, n_args + 1);
    struct bp_dnnl_tensor scratch;
    dnnl_status_t status;
    bp_rc rc;

    if (!step)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    status = bp_dnnl.primitive_create(&step->primitive, pd);
    for (uint32_t i = 0; i < n_args && status == dnnl_success; i++)
        status = add_arg(b, step, args[i].id, args[i].tensor);
    if (status == dnnl_success && needs && bp_dnnl.memory_desc_get_size(needs) > 0) {
        rc = bp_dnnl_temporary(b, needs, &scratch, err);
        if (rc < 0)
            return rc;
        status = add_arg(b, step, DNNL_ARG_SCRATCHPAD, &scratch);
    }
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    b->n_steps++;
    return BP_OK;
}

bp_rc bp_dnnl_emit(struct bp_dnnl_builder *b, dnnl_primitive_desc_t pd, uint32_t n_args,
                   const struct bp_dnnl_arg *args, bp_err *err)
{
    bp_rc rc = fill_step(b, pd, n_args, args, err);

    bp_dnnl.primitive_desc_destroy(pd);
    return rc;
}

bp_rc bp_dnnl_emit_desc(struct bp_dnnl_builder *b, dnnl_status_t status, const void *desc,
                        uint32_t over, struct bp_dnnl_tensor *y, uint32_t n_args,
                        const struct bp_dnnl_arg *args, bp_err *err)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    dnnl_primitive_desc_t pd;
    bp_rc rc;

    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    rc = bp_dnnl_describe(b, desc, NULL, &pd, err);
    if (rc < 0)
        return rc;
    if (over != BP_NONE)
        rc = bp_dnnl_make_in_place(b, node->out[0], over, args[0].tensor, y, err);
    else
        rc = bp_dnnl_make_output(b, node->out[0], bp_dnnl_query(pd, dnnl_query_dst_md), y, err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    return bp_dnnl_emit(b, pd, n_args, args, err);
}

bp_rc bp_dnnl_emit_loop(struct bp_dnnl_builder *b, bp_dnnl_loop loop, const void *u,
                        size_t iterations, const struct bp_dnnl_tensor *x,
                        const struct bp_dnnl_tensor *y, bp_err *err)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    struct bp_dnnl_step *step = add_step(b, 2);
    dnnl_status_t status;

    if (!step)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    step->loop = loop;
    step->u = u;
    step->iterations = iterations;
    step->elements = bp_dnnl.memory_desc_get_size(&x->md) / sizeof(float);
    status = add_arg(b, step, DNNL_ARG_SRC, x);
    if (status == dnnl_success)
        status = add_arg(b, step, DNNL_ARG_DST, y);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    b->n_steps++;
    return BP_OK;
}

bp_rc bp_dnnl_emit_typed(struct bp_dnnl_builder *b, bp_dnnl_typed_loop loop, const void *u,
                         size_t iterations, size_t elements, uint32_t n,
                         const struct bp_dnnl_tensor *const *operands, bp_err *err)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    struct bp_dnnl_step *step = n <= BP_DNNL_MAX_OPERANDS ? add_step(b, n) : NULL;
    dnnl_status_t status = dnnl_success;

    if (n > BP_DNNL_MAX_OPERANDS)
        return bp_fail(err, BP_E_INTERNAL, "dnnl: a loop over %u tensors", n);
    if (!step)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    step->typed = loop;
    step->u = u;
    step->iterations = iterations;
    step->elements = elements;
    for (uint32_t i = 0; i < n && status == dnnl_success; i++)
        status = add_arg(b, step, i + 1 < n ? DNNL_ARG_SRC : DNNL_ARG_DST, operands[i]);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    b->n_steps++;
    return BP_OK;
}

bp_rc bp_dnnl_reorder(struct bp_dnnl_builder *b, const struct bp_dnnl_tensor *from,
                      const struct bp_dnnl_tensor *to, bp_err *err)
{
    dnnl_engine_t engine = bp_dnnl.engine;
    struct bp_dnnl_arg args[2] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_status_t status;
    bp_rc rc;

    rc = bp_dnnl_attributes(b, NULL, &attr, err);
    if (rc < 0)
        return rc;
    status = bp_dnnl.reorder_primitive_desc_create(&pd, &from->md, engine, &to->md, engine, attr);
    bp_dnnl.primitive_attr_destroy(attr);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "a new layout at '%s'", BP_NODE(b->graph, b->node)->name);
    return bp_dnnl_emit(b, pd, 2, args, err);
}

void bp_dnnl_steps_free(bp_frame *frame)
{
    for (struct bp_dnnl_step *step = frame->steps; step; step = step->next) {
        for (uint32_t i = 0; i < step->n_args; i++)
            bp_dnnl.memory_destroy(step->args[i].memory);
        if (step->primitive)
            bp_dnnl.primitive_destroy(step->primitive);
    }
    frame->steps = NULL;
}
