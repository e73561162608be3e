/* SPDX-License-Identifier: MIT */
/* emit.h - writes nodes into a graph that is not sealed yet, in place of one that asks for them. */
#ifndef BP_GRAPH_EXPAND_EMIT_H
#define BP_GRAPH_EXPAND_EMIT_H

#include "graph/ir.h"

/* What is being written. */
struct bp_emit {
    struct bp_ir *ir;
    const char *name; /* new names begin with it */
    uint32_t fresh;   /* numbers new names */
    uint32_t last;    /* the node that was asked for last; BP_NONE: it was not written */
    bp_rc rc;         /* of the first failure; nothing is written any more then */
    bp_err *err;
};

/* A new value of unknown type: "NAME/hint", or "NAME/7" where that is taken or hint is NULL. */
uint32_t bp_emit_value(struct bp_emit *e, const char *hint);
/*
 * A node with these inputs and outputs, of a version of ONNX's operators that has Shape's start and
 * end, or of this host's own. NULL: failed now or before, or an input is BP_NONE.
 */
struct bp_ir_node *bp_emit_node(struct bp_emit *e, const char *op, const char *domain,
                                uint32_t n_in, const uint32_t *in, uint32_t n_out,
                                const uint32_t *out);
/* Gives a node, which may be NULL, one attribute more, whose data stays. */
void bp_emit_attr(struct bp_emit *e, struct bp_ir_node *node, bp_attr attr);
/* The same of integers, which are copied. */
void bp_emit_int(struct bp_emit *e, struct bp_ir_node *node, const char *name, int64_t value);
void bp_emit_ints(struct bp_emit *e, struct bp_ir_node *node, const char *name,
                  const int64_t *values, uint32_t n);
/* Writes one of ONNX's nodes with one new output, and gives that; BP_NONE: failed. */
uint32_t bp_emit_op(struct bp_emit *e, const char *op, uint32_t n_in, const uint32_t *in);
#define BP_EMIT_OP(e, op, ...)                                                                     \
    bp_emit_op(e, op, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                        \
               (const uint32_t[]){__VA_ARGS__})
/* That node, for its attributes; NULL: it was not written. */
struct bp_ir_node *bp_emit_last(const struct bp_emit *e);

/*
 * Puts the nodes and constants of a subgraph into the graph around it, which is not sealed either; its
 * inputs become the n values `in`. *out: its first output. The subgraph is not a graph any more then.
 * BP_E_INVALID: the subgraph has another number of inputs, or no output.
 */
void bp_emit_subgraph(struct bp_emit *e, struct bp_ir *subgraph, uint32_t n, const uint32_t *in,
                      uint32_t *out);

#endif
