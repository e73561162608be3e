/* SPDX-License-Identifier: MIT */
/* primitive.c - makes oneDNN's primitives and adds them to a frame's steps. */

#include "build/primitive.h"

#include "base/library.h"
#include "build/attributes.h"
#include "build/builder.h"
#include "build/output.h"
#include "build/split.h"
#include "build/step.h"

/*
 * oneDNN picks a kernel here, by its own order of preference: what it cannot run at all is
 * BP_E_SHAPE.
 */
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

/* Index 0: of an RNN's weights the layer's, whose others rnn_weights.c queries itself. */
const dnnl_memory_desc_t *bp_dnnl_query(const_dnnl_primitive_desc_t pd, dnnl_query_t what)
{
    return bp_dnnl.primitive_desc_query_md(pd, what, 0);
}

/*
 * Makes the primitive with its arguments, scratchpad last. The step is the frame's from the
 * beginning, so that a failure leaks nothing.
 */
static bp_rc fill_step(struct bp_dnnl_builder *b, dnnl_primitive_desc_t pd, uint32_t n_args,
                       const struct bp_dnnl_arg *args, bp_err *err)
{
    const bp_node *node = BP_NODE(b->graph, b->node);
    const dnnl_memory_desc_t *needs = bp_dnnl_query(pd, dnnl_query_scratchpad_md);
    struct bp_dnnl_step *step = bp_dnnl_add_step(b, n_args + 1);
    struct bp_dnnl_tensor scratch;
    dnnl_status_t status;
    bp_rc rc;

    if (!step)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    status = bp_dnnl.primitive_create(&step->primitive, pd);
    for (uint32_t i = 0; i < n_args && status == dnnl_success; i++)
        status = bp_dnnl_add_arg(b, step, args[i].id, args[i].tensor);
    if (status == dnnl_success && needs && bp_dnnl.memory_desc_get_size(needs) > 0) {
        rc = bp_dnnl_temporary(b, needs, &scratch, err);
        if (rc < 0)
            return rc;
        status = bp_dnnl_add_arg(b, step, DNNL_ARG_SCRATCHPAD, &scratch);
    }
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    b->n_steps++;
    return BP_OK;
}

/* Both, one after the other; what they have in common lies in the frame's memory already. */
static bp_rc emit_halves(struct bp_dnnl_builder *b, struct bp_dnnl_half halves[2], uint32_t n_args,
                         bp_err *err)
{
    bp_rc rc = bp_dnnl_emit(b, halves[0].pd, n_args, halves[0].args, err);

    if (rc >= 0)
        return bp_dnnl_emit(b, halves[1].pd, n_args, halves[1].args, err);
    bp_dnnl.primitive_desc_destroy(halves[1].pd);
    return rc;
}

/*
 * As two halves, which may be cut again; false: it cannot be cut. Halves are too large for the
 * stack, and are not needed once there are steps.
 */
static bool emit_as_halves(struct bp_dnnl_builder *b, const_dnnl_primitive_desc_t pd,
                           uint32_t n_args, const struct bp_dnnl_arg *args, bp_rc *rc, bp_err *err)
{
    const size_t bytes = 2 * sizeof(struct bp_dnnl_half);
    struct bp_dnnl_half *halves = b->host->alloc(b->host->h, bytes, 64);
    bool is_cut = halves && bp_dnnl_halve(pd, n_args, args, halves);

    if (is_cut)
        *rc = emit_halves(b, halves, n_args, err);
    if (halves)
        b->host->free(b->host->h, halves, bytes, 64);
    return is_cut;
}

/* The primitive keeps what it needs of pd, which callers are thus rid of. */
bp_rc bp_dnnl_emit(struct bp_dnnl_builder *b, dnnl_primitive_desc_t pd, uint32_t n_args,
                   const struct bp_dnnl_arg *args, bp_err *err)
{
    bp_rc rc;

    if (!bp_dnnl_is_long(b, pd, n_args, args) || !emit_as_halves(b, pd, n_args, args, &rc, err))
        rc = fill_step(b, pd, n_args, args, err);
    bp_dnnl.primitive_desc_destroy(pd);
    return rc;
}

/*
 * The descriptions of oneDNN's primitives are made by functions that take many arguments; their
 * status is checked here, so that callers need not.
 */
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

/*
 * Rounding to bfloat16 is allowed as in other primitives, which matters between float types alone.
 */
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
        return bp_dnnl_fail(err, status, "a reorder at '%s'", BP_NODE(b->graph, b->node)->name);
    return bp_dnnl_emit(b, pd, 2, args, err);
}
