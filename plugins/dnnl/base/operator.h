/* SPDX-License-Identifier: MIT */
/*
 * operator.h - an operator, or a span of its versions, as one row of the table in operators.c.
 * Files in ops/ define the rows.
 */
#ifndef BP_DNNL_OPERATOR_H
#define BP_DNNL_OPERATOR_H

#include <bp/sdk.h>
#include <dnnl.h>
#include <stdbool.h>

struct bp_dnnl_builder;
struct bp_dnnl_chain;
struct bp_dnnl_query;

/* What a node's time goes into. */
enum { BP_DNNL_ELEMENTS, BP_DNNL_CONVOLUTION, BP_DNNL_PRODUCT, BP_DNNL_SEQUENCE };

struct bp_dnnl_op {
    const char *name;   /* "Relu" */
    const char *domain; /* "" is ai.onnx */
    uint32_t since;     /* first operator version that this row runs */
    uint32_t until;     /* last one */
    /*
     * At capability time: true takes the node, false has refused it. *flops is 0 before; heavy
     * operators set the operations of one run, which decide whether the node may start a group.
     */
    bool (*claim)(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops);
    /* Once a set of shapes: adds the node's steps to the frame and makes its outputs. */
    bp_rc (*build)(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err);
    /* The same with the nodes fused to it; for those that fuse/post_op_chains.c knows. */
    bp_rc (*build_chain)(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain, bp_err *err);
    uint32_t work;        /* BP_DNNL_ELEMENTS... */
    uint32_t weights;     /* input that multiplies input 0; 0: none does */
    dnnl_alg_kind_t kind; /* tells rows apart that share functions */
    /*
     * Outputs that the operator makes, each only if it is wanted, even if it has no elements. 0:
     * one, which has to be wanted, and has elements when build() is called.
     */
    uint32_t n_out;
    bool is_fused; /* by a pass that asked this provider: starts a group whatever its size */
    bool is_made;  /* by a pass too, but starts no group */
};

/* Attribute `axis`, by default `def`, as a positive number; -1: it is out of range for the rank. */
static inline int bp_dnnl_axis(const bp_graph *graph, const bp_node *node, int64_t def,
                               uint32_t rank)
{
    int64_t axis = bp_node_int(graph, node, "axis", def);

    axis += axis < 0 ? (int64_t)rank : 0;
    return axis >= 0 && axis < (int64_t)rank ? (int)axis : -1;
}

#endif
