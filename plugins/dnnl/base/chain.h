/* SPDX-License-Identifier: MIT */
/* chain.h - nodes that run as one primitive or loop, in the place of the last of them. */
#ifndef BP_DNNL_CHAIN_H
#define BP_DNNL_CHAIN_H

#include <bp/sdk.h>
#include <dnnl.h>
#include <stdbool.h>

struct bp_dnnl_builder;

enum { BP_DNNL_MAX_CHAIN = 4 };

/* Kept in bp_program.chains at its last node; the others are marked as fused away. */
struct bp_dnnl_chain {
    bool is_set;                /* the node is part of a chain */
    dnnl_alg_kind_t activation; /* that ends it; dnnl_alg_kind_undef: none */
    float alpha;                /* of the activation, if it has one */
    uint32_t head, last;        /* nodes */
    uint32_t other;             /* the value that is added, or BP_NONE */
    uint32_t n_nodes;
    uint32_t nodes[BP_DNNL_MAX_CHAIN]; /* from head to last */
    /* Adds the steps of the whole chain to a frame and makes the output of its last node. */
    bp_rc (*build)(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain, bp_err *err);
};

/*
 * The node that alone reads the value, somewhere after node `from`; BP_NONE: there are several or
 * none, or the value is an output of the graph.
 */
uint32_t bp_dnnl_only_consumer(const bp_program *program, uint32_t value, uint32_t from);
/* Records the chain, if it has two nodes or more. */
void bp_dnnl_add_chain(bp_program *program, const struct bp_dnnl_chain *chain);

#endif
