/* SPDX-License-Identifier: MIT */
/*
 * views.c - operators that move nothing: Identity, Dropout, Transpose keep the layout they find and
 * describe it otherwise; Flatten, Reshape, Squeeze and Unsqueeze are other dimensions of row-major
 * bytes.
 */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"

/* What oneDNN's descriptors can say: up to MAX_RANK dimensions. */
static bool claim_view(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                       double *flops)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_typed(query, 0, BP_DNNL_FLOATS | BP_DNNL_BYTES, 0, BP_DNNL_MAX_RANK))
        return false;
    if (y->rank == BP_RANK_UNKNOWN || y->rank > BP_DNNL_MAX_RANK)
        return bp_dnnl_refuse(query, BP_R_RANK, y->name, "the output's rank is unknown or above %d",
                              BP_DNNL_MAX_RANK);
    return true;
}

/* Input 2 (12) could switch training on at run time. */
static bool claim_dropout(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                          double *flops)
{
    if (bp_node_in(query->graph, query->node, 2))
        return bp_dnnl_refuse(query, BP_R_OTHER, "training_mode", "only inference is implemented");
    return claim_view(op, query, flops);
}

/* Without perm the dimensions are reversed. */
static bool claim_transpose(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                            double *flops)
{
    const bp_value *x;
    uint32_t n;

    if (!claim_view(op, query, flops))
        return false;
    x = bp_node_in(query->graph, query->node, 0);
    bp_node_ints(query->graph, query->node, "perm", &n);
    if (n != 0 && n != x->rank)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "perm", "perm must have %u entries", x->rank);
    return true;
}

/* The same bytes under another name. */
static bp_rc build_same(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                        bp_err *err)
{
    struct bp_dnnl_tensor x;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);

    (void)op;
    if (rc >= 0)
        bp_dnnl_view(b, node->out[0], &x.md, x.location);
    return rc;
}

/* Row-major first, as a layout of blocks has no meaning for other dimensions. */
static bp_rc build_dims(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                        bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0), *y = &b->values[node->out[0]];
    dnnl_memory_desc_t row_major, md;
    struct bp_dnnl_tensor tensor;
    bp_rc rc;

    (void)op;
    bp_dnnl_row_major_as(x->rank, x->dims, bp_dnnl_current_type(b, node->in[0]), &row_major);
    bp_dnnl_row_major_as(y->rank, y->dims, row_major.data_type, &md);
    rc = bp_dnnl_tensor_of(b, node->in[0], &row_major, &tensor, err);
    if (rc >= 0)
        bp_dnnl_view(b, node->out[0], &md, tensor.location);
    return rc;
}

/* A permuted descriptor of the same bytes: no copy until an operation needs another layout. */
static bp_rc build_transpose(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                             const bp_node *node, bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0);
    int goes_to[DNNL_MAX_NDIMS];
    dnnl_memory_desc_t md;
    struct bp_dnnl_tensor tensor;
    dnnl_status_t status;
    uint32_t n;
    const int64_t *perm = bp_node_ints(b->graph, node, "perm", &n);
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &tensor, err);

    (void)op;
    if (rc < 0)
        return rc;
    for (int i = 0; i < x->rank; i++)
        goes_to[n > 0 ? (int)perm[i] : x->rank - 1 - i] = i;
    memset(&md, 0, sizeof md);
    status = bp_dnnl.memory_desc_permute_axes(&md, &tensor.md, goes_to);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    bp_dnnl_view(b, node->out[0], &md, tensor.location);
    return BP_OK;
}

#define ROW(row, onnx, last, claims, builds)                                                       \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "",                                                                              \
        .since = 1,                                                                                \
        .until = last,                                                                             \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
    }

ROW(dropout, "Dropout", 22, claim_dropout, build_same);
ROW(flatten, "Flatten", 25, claim_view, build_dims);
ROW(identity, "Identity", 25, claim_view, build_same);
ROW(reshape, "Reshape", 25, claim_view, build_dims);
ROW(squeeze, "Squeeze", 25, claim_view, build_dims);
ROW(transpose, "Transpose", 25, claim_transpose, build_transpose);
ROW(unsqueeze, "Unsqueeze", 25, claim_view, build_dims);
