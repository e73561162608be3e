/* SPDX-License-Identifier: MIT */
/* reduce_mean.c - ReduceMean (1 to 18) with keepdims, a part of norms as exporters write them. */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/primitive.h"

/* The shape rule has applied the axes already, so that build() needs only the shapes. */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *axes = bp_node_in(query->graph, query->node, 1);

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, 0, 1, BP_DNNL_MAX_RANK - 1))
        return false;
    if (bp_node_int(query->graph, query->node, "keepdims", 1) != 1)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "keepdims", "only 1 is supported");
    if (axes && !(axes->flags & BP_VALUE_CONSTANT))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, axes->name, "the axes have to be constant");
    return true;
}

/*
 * Axes are where the shapes differ; where they do not, over axes of size 1, the value is the same.
 */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    const struct bp_dnnl_value *from = bp_dnnl_in(b, node, 0), *to = &b->values[node->out[0]];
    struct bp_dnnl_tensor x, y;
    struct bp_dnnl_arg args[2] = {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}};
    dnnl_memory_desc_t row_major, small;
    dnnl_reduction_desc_t desc;
    dnnl_status_t status;
    bp_rc rc;

    (void)op;
    bp_dnnl_row_major_as(from->rank, from->dims, bp_dnnl_current_type(b, node->in[0]), &row_major);
    bp_dnnl_row_major_as(to->rank, to->dims, row_major.data_type, &small);
    rc = bp_dnnl_tensor_of(b, node->in[0], &row_major, &x, err);
    if (rc < 0)
        return rc;
    if (memcmp(from->dims, to->dims, sizeof *to->dims * (size_t)to->rank) == 0) {
        bp_dnnl_view(b, node->out[0], &x.md, x.location);
        return BP_OK;
    }
    status = bp_dnnl.reduction_desc_init(&desc, dnnl_reduction_mean, &row_major, &small, 0, 0);
    return bp_dnnl_emit_desc(b, status, &desc, BP_NONE, &y, 2, args, err);
}

const struct bp_dnnl_op bp_dnnl_op_reduce_mean = {
    .name = "ReduceMean",
    .domain = "",
    .since = 1,
    .until = 18,
    .claim = claim,
    .build = build,
};
