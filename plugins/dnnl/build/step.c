/* SPDX-License-Identifier: MIT */
/* step.c - see step.h. */

#include "build/step.h"

#include "base/library.h"
#include "build/builder.h"
#include "build/frame.h"

/* It is the frame's at once, so that bp_dnnl_steps_free() finds what a failing caller made. */
struct bp_dnnl_step *bp_dnnl_add_step(struct bp_dnnl_builder *b, uint32_t n)
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

/*
 * dnnl_memory_t without an address, which bp_dnnl_bind() sets; a fixed one has its own. Const is
 * cast away, as oneDNN's handles have none: steps only read such memory.
 */
dnnl_status_t bp_dnnl_add_arg(struct bp_dnnl_builder *b, struct bp_dnnl_step *step, int id,
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

/* elements counts the padding of blocks too, as the loop does. */
bp_rc bp_dnnl_emit_loop(struct bp_dnnl_builder *b, bp_dnnl_loop loop, const void *u,
                        size_t iterations, const struct bp_dnnl_tensor *x,
                        const struct bp_dnnl_tensor *y, bp_err *err)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    struct bp_dnnl_step *step = bp_dnnl_add_step(b, 2);
    dnnl_status_t status;

    if (!step)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    step->loop = loop;
    step->u = u;
    step->iterations = iterations;
    step->elements = bp_dnnl.memory_desc_get_size(&x->md) / sizeof(float);
    status = bp_dnnl_add_arg(b, step, DNNL_ARG_SRC, x);
    if (status == dnnl_success)
        status = bp_dnnl_add_arg(b, step, DNNL_ARG_DST, y);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    b->n_steps++;
    return BP_OK;
}

/*
 * Arguments keep the order of operands, which the loop relies on; ids only tell oneDNN's own
 * primitives what is what.
 */
bp_rc bp_dnnl_emit_typed(struct bp_dnnl_builder *b, bp_dnnl_typed_loop loop, const void *u,
                         size_t iterations, size_t elements, uint32_t n,
                         const struct bp_dnnl_tensor *const *operands, bp_err *err)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    struct bp_dnnl_step *step = n <= BP_DNNL_MAX_OPERANDS ? bp_dnnl_add_step(b, n) : NULL;
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
        status = bp_dnnl_add_arg(b, step, i + 1 < n ? DNNL_ARG_SRC : DNNL_ARG_DST, operands[i]);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    b->n_steps++;
    return BP_OK;
}

/*
 * Also for a frame that was not finished: a step may have some of its arguments, and no primitive.
 */
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
