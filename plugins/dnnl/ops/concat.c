/* SPDX-License-Identifier: MIT */
/*
 * concat.c - Concat (4, 11, 13), in the layout of the first input that oneDNN laid out. Each input
 * is brought to its slot by a reorder; oneDNN's own concat copies run by run, which takes up to
 * twenty times as long where runs are short. build/concat_in_place.h saves even that for channels.
 */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/concat_in_place.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"

/* Inputs without elements are refused where that is known, and skipped by build() else. */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    (void)op;
    (void)flops;
    for (uint32_t i = 0; i < query->node->n_in; i++) {
        if (!bp_dnnl_takes_typed(query, i, BP_DNNL_FLOATS | BP_DNNL_BYTES, 1, BP_DNNL_MAX_RANK))
            return false;
    }
    return true;
}

static bool has_elements(const struct bp_dnnl_value *value)
{
    return bp_dims_count(value->dims, (uint32_t)value->rank) > 0;
}

/*
 * The part of `whole` that the input becomes, whose first index is `begin`; false: it begins within
 * a block of channels, which a memory descriptor cannot say.
 */
static bool describe_part(const dnnl_memory_desc_t *whole, const struct bp_dnnl_value *input,
                          const dnnl_dim_t *begin, dnnl_memory_desc_t *out)
{
    return bp_dnnl.memory_desc_init_submemory(out, whole, input->dims, begin) == dnnl_success;
}

/* Can all inputs be described as parts of that layout? */
static bool has_parts(const struct bp_dnnl_builder *b, const bp_node *node, int64_t axis,
                      const dnnl_memory_desc_t *whole)
{
    dnnl_dims_t begin = {0};
    dnnl_memory_desc_t part;

    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_dnnl_value *input = bp_dnnl_in(b, node, i);

        if (has_elements(input) && !describe_part(whole, input, begin, &part))
            return false;
        begin[axis] += input->dims[axis];
    }
    return true;
}

/*
 * The layout of the output: that of an input that oneDNN chose, if its parts can be described, else
 * row-major.
 */
static void choose_layout(const struct bp_dnnl_builder *b, const bp_node *node, int64_t axis,
                          dnnl_memory_desc_t *out)
{
    const struct bp_dnnl_value *y = &b->values[node->out[0]];

    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_dnnl_value *input = bp_dnnl_in(b, node, i);

        if (input->n_tensors == 0 || bp_dnnl_is_row_major(&input->tensors[0].md) ||
            !has_elements(input))
            continue;
        bp_dnnl_layout_like(&input->tensors[0].md, y->dims, out);
        if (has_parts(b, node, axis, out))
            return;
    }
    bp_dnnl_row_major_as(y->rank, y->dims, bp_dnnl_inner_type(b->graph, node->out[0]), out);
}

/* ---- in place -------------------------------------------------------------------------- */

/* Reorders the inputs that lie elsewhere to their slots. */
static bp_rc complete(struct bp_dnnl_builder *b, const bp_node *node,
                      const struct bp_dnnl_tensor *whole, bp_err *err)
{
    struct bp_dnnl_tensor slot = *whole, from;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < node->n_in && rc >= 0; i++) {
        const struct bp_dnnl_value *part = &b->values[node->in[i]];

        bp_dnnl_layout_like(&whole->md, part->dims, &slot.md);
        if (!bp_dnnl_lies_at(part, &slot)) {
            rc = bp_dnnl_tensor_of(b, node->in[i], NULL, &from, err);
            if (rc >= 0)
                rc = bp_dnnl_reorder(b, &from, &slot, err);
        }
        slot.location.offset += bp_dnnl.memory_desc_get_size(&slot.md);
    }
    return rc;
}

/* Makes the output of the inputs' memory, if they lie in it or can be brought there: *is_done. */
static bp_rc build_in_place(struct bp_dnnl_builder *b, const bp_node *node, bool *is_done,
                            bp_err *err)
{
    struct bp_dnnl_tensor whole;
    dnnl_memory_desc_t md;
    bp_rc rc;

    bp_dnnl_concat_buffer(b, node, &whole, is_done);
    if (!*is_done)
        return BP_OK;
    rc = complete(b, node, &whole, err);
    if (rc < 0)
        return rc;
    bp_dnnl_layout_like(&whole.md, b->values[node->out[0]].dims, &md);
    bp_dnnl_view(b, node->out[0], &md, whole.location);
    return BP_OK;
}

/* ---- building it ----------------------------------------------------------------------------- */

/* Inputs without elements, as the first iteration of a Loop may have them, take no slot. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    int axis = bp_dnnl_axis(b->graph, node, 1, (uint32_t)b->values[node->out[0]].rank);
    struct bp_dnnl_tensor whole, part, x;
    dnnl_memory_desc_t md;
    dnnl_dims_t begin = {0};
    bool is_done;
    bp_rc rc = build_in_place(b, node, &is_done, err);

    (void)op;
    if (rc < 0 || is_done)
        return rc;
    choose_layout(b, node, axis, &md);
    rc = bp_dnnl_make_output(b, node->out[0], &md, &whole, err);
    for (uint32_t i = 0; i < node->n_in && rc >= 0; i++) {
        const struct bp_dnnl_value *input = bp_dnnl_in(b, node, i);

        if (!has_elements(input))
            continue;
        part = whole;
        describe_part(&md, input, begin, &part.md);
        rc = bp_dnnl_tensor_of(b, node->in[i], NULL, &x, err);
        if (rc >= 0)
            rc = bp_dnnl_reorder(b, &x, &part, err);
        begin[axis] += input->dims[axis];
    }
    return rc;
}

const struct bp_dnnl_op bp_dnnl_op_concat = {
    .name = "Concat",
    .domain = "",
    .since = 4,
    .until = 13,
    .claim = claim,
    .build = build,
};
