/* SPDX-License-Identifier: MIT */
/* pow.c - Pow (7 to 15) by the constant 2, a part of norms as exporters write them. */

#include "base/claim.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/primitive.h"

/* Only what norms need: a general pow() is left to the CPU provider. */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *x, *exponent;
    float value;

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, 0, 0, BP_DNNL_MAX_RANK) ||
        !bp_dnnl_takes_input(query, 1, 0, BP_DNNL_MAX_RANK))
        return false;
    x = bp_node_in(query->graph, query->node, 0);
    exponent = bp_node_in(query->graph, query->node, 1);
    if (exponent->rank > x->rank || bp_dnnl_elements(exponent) != 1 ||
        !bp_dnnl_constant_float(&query->instance->host, query->graph, query->node, 1, &value) ||
        value != 2)
        return bp_dnnl_refuse(query, BP_R_OTHER, exponent->name,
                              "only the constant 2 is supported");
    return true;
}

/* As oneDNN's square. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
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

const struct bp_dnnl_op bp_dnnl_op_pow = {
    .name = "Pow",
    .domain = "",
    .since = 7,
    .until = 15,
    .claim = claim,
    .build = build,
};
