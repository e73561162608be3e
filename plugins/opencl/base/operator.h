/* SPDX-License-Identifier: MIT */
/* operator.h - an operator, or a span of its versions, as one row of a family's table in ops/. */
#ifndef BP_OPENCL_OPERATOR_H
#define BP_OPENCL_OPERATOR_H

#include <stdbool.h>

#include <bp/sdk.h>

struct bp_opencl_builder;
struct bp_opencl_query;

/* bp_opencl_op.kind: outputs lie where inputs lie, and build() says where. */
#define BP_OPENCL_VIEW UINT32_MAX

/* bp_opencl_op.chain. */
enum {
    BP_OPENCL_ELEMENTWISE = 1, /* build() only calls bp_opencl_elementwise() and bp_opencl_copy() */
    BP_OPENCL_PRODUCT = 2      /* build() may call bp_opencl_chain_product() */
};

/* The newest operator set whose versions are known here. */
enum { BP_OPENCL_LATEST = 28 };

struct bp_opencl_op {
    const char *name;   /* "Relu"; NULL ends a table */
    const char *domain; /* NULL: ai.onnx */
    uint32_t since;     /* first version of the operator that this row runs */
    uint32_t until;     /* last one */
    /* Inputs whose bytes only the host reads: bit i is input i. They are not on the device. */
    uint32_t host_inputs;
    /* Outputs that it can make; 0: one. */
    uint32_t n_out;
    /* At capability time: true takes the node, false has refused it. */
    bool (*claim)(const struct bp_opencl_op *op, const struct bp_opencl_query *query);
    /*
     * Once a set of shapes: adds the node's steps to the frame. Not called where all outputs are
     * empty. A failure is noted in the builder.
     */
    void (*build)(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node);
    /* Of element-wise rows: the result as OpenCL C, of a, b, c and the attributes p0 and p1. */
    const char *expr;
    const char *int_expr; /* the same for integers; NULL: it is the same */
    uint64_t types;       /* that the inputs may have */
    uint32_t kind;        /* BP_OPENCL_VIEW, or what tells rows apart that share functions */
    uint32_t chain;       /* how it may become part of a kernel with its neighbours, or 0 */
    bool takes_empty;     /* inputs without elements may make outputs that have some */
    const char *attrs[2]; /* float attributes p0 and p1, with their defaults */
    float defaults[2];
};

#endif
