/* SPDX-License-Identifier: MIT */
/*
 * parts.c - Erf (9, 13), Pow by 2 (7 to 15) and ReduceMean (1 to 18): what exporters write norms
 * and Gelu with. Passes make one node of those where one provider takes all of their parts.
 */

#include "onednn.h"

#include <math.h>

/* ---- Erf: oneDNN has it only within Gelu ----------------------------------------------------- */

static bool claim_erf(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    (void)op;
    (void)flops;
    return bp_dnnl_takes_input(query, 0, 0, BP_DNNL_MAX_RANK);
}

static void erf_loop(const void *u, const float *x, float *y, size_t first, size_t end)
{
    (void)u;
    for (size_t i = first; i < end; i++)
        y[i] = erff(x[i]);
}

static bp_rc build_erf(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                       bp_err *err)
{
    struct bp_dnnl_tensor x, y;
    dnnl_memory_desc_t like;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);

    (void)op;
    if (rc >= 0 && x.md.data_type != dnnl_f32) {
        like = x.md;
        like.data_type = dnnl_f32;
        rc = bp_dnnl_tensor_of(b, node->in[0], &like, &x, err);
    }
    if (rc >= 0)
        rc = bp_dnnl_make_in_place(b, node->out[0], node->in[0], &x, &y, err);
    if (rc < 0)
        return rc;
    return bp_dnnl_emit_loop(b, erf_loop, NULL, bp_dnnl.memory_desc_get_size(&x.md) / sizeof(float),
                             &x, &y, err);
}

/* ---- Pow ------------------------------------------------------------------------------------- */

static bool claim_pow(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *x, *exponent;
    float number;

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, 0, 0, BP_DNNL_MAX_RANK) ||
        !bp_dnnl_takes_input(query, 1, 0, BP_DNNL_MAX_RANK))
        return false;
    x = bp_node_in(query->graph, query->node, 0);
    exponent = bp_node_in(query->graph, query->node, 1);
    if (exponent->rank > x->rank || bp_dnnl_elements(exponent) != 1 ||
        !bp_dnnl_constant_float(&query->instance->host, query->graph, query->node, 1, &number) ||
        number != 2)
        return bp_dnnl_refuse(query, BP_R_OTHER, exponent->name, "only the constant 2 is taken");
    return true;
}

static bp_rc build_pow(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                       bp_err *err)
{
    struct bp_dnnl_tensor x, y;
    struct bp_dnnl_arg args[2] = {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}};
    dnnl_eltwise_desc_t desc;
    dnnl_status_t status;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);

    (void)op;
    if (rc < 0)
        return rc;
    status = bp_dnnl.eltwise_forward_desc_init(&desc, dnnl_forward_inference, dnnl_eltwise_square,
                                               &x.md, 0, 0);
    return bp_dnnl_emit_desc(b, status, &desc, node->in[0], &y, 2, args, err);
}

/* ---- ReduceMean ------------------------------------------------------------------------------ */

static bool claim_mean(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                       double *flops)
{
    const bp_value *axes = bp_node_in(query->graph, query->node, 1);

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, 0, 1, BP_DNNL_MAX_RANK - 1))
        return false;
    if (bp_node_int(query->graph, query->node, "keepdims", 1) != 1)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "keepdims", "only 1 is taken");
    if (axes && !(axes->flags & BP_VALUE_CONSTANT))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, axes->name, "the axes have to be constant");
    return true;
}

/* The shapes say what is reduced; where they are the same, over axes of size 1, nothing is. */
static bp_rc build_mean(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
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

#define ROW(row, onnx, first, last, claims, builds)                                                \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "",                                                                              \
        .since = first,                                                                            \
        .until = last,                                                                             \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
    }

ROW(erf, "Erf", 9, 13, claim_erf, build_erf);
ROW(pow, "Pow", 7, 15, claim_pow, build_pow);
ROW(reduce_mean, "ReduceMean", 1, 18, claim_mean, build_mean);
