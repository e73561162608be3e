/* SPDX-License-Identifier: MIT */
/*
 * infer.h - runs the shape rules over a graph. Facts, and the lists in them, are allocated from a
 * region that the caller owns; they hold as long as it does. Several threads may infer at once, each
 * with symbols and a region of its own: the graph is only read, but for what is told of its values
 * (mismatch.h) and constants that are loaded.
 */
#ifndef BP_GRAPH_INFER_H
#define BP_GRAPH_INFER_H

#include "graph/fact.h"
#include "graph/ir.h"
#include "graph/schema.h"

/* What a shape rule sees, and where it puts its answer. */
struct bp_infer {
    const struct bp_ir *ir; /* of the node; NULL: it is in none, and nothing is declared */
    const struct bp_ir_node *node;
    const struct bp_fact *const *in; /* one an input; NULL: absent */
    struct bp_fact *out;             /* one an output; all unknown at first */
    const struct bp_fact *outer;     /* facts of the graph that the node is in, for captures */
    struct bp_symbols *symbols;
    struct bp_region *region; /* lists in facts are allocated from it */
    bp_err *err;
};

/*
 * Runs the rules of `nodes` (indices in running order; NULL: all of the graph) over `facts`, one a
 * value: inputs and constants are given by the caller (bp_infer_start), the rest is filled in.
 * Declared shapes of the model are hints (infer_merge.h); another element type is BP_E_INVALID.
 * Element types are checked against the schema. A node without schema gives its declared facts.
 * Errors name the node and its operator.
 */
bp_rc bp_infer_run(const struct bp_ir *ir, const uint32_t *nodes, uint32_t n_nodes,
                   struct bp_fact *facts, struct bp_symbols *symbols, struct bp_region *region,
                   bp_err *err) BP_CHECKED;
/*
 * The same of all nodes, for passes: what a node gives whose shapes cannot be is unknown, and the
 * walk goes on, as a pass may take that node out. Wrong types stop it.
 */
bp_rc bp_infer_run_past(const struct bp_ir *ir, struct bp_fact *facts, struct bp_symbols *symbols,
                        struct bp_region *region, bp_err *err) BP_CHECKED;
/*
 * Facts of a graph's values before any rule ran: declared ones for inputs, exact ones (with content
 * where it is small) for constants; captures copied from `outer` (may be NULL: unknown). *out comes
 * from region, one a value.
 */
bp_rc bp_infer_start(const struct bp_ir *ir, const struct bp_fact *outer,
                     struct bp_symbols *symbols, struct bp_region *region, struct bp_fact **out,
                     bp_err *err) BP_CHECKED;

/* ---- for the rules in graph/rules/ ----------------------------------------------------------- */

/* Sets output i; dims may be NULL for rank 0 and unknown rank; they are copied. */
bp_rc bp_infer_set(struct bp_infer *infer, uint32_t i, uint32_t dtype, uint32_t rank,
                   const struct bp_sym *dims) BP_CHECKED;
/* Sets the content of output i, n elements; copied. Does nothing beyond BP_MAX_CONTENT. */
bp_rc bp_infer_set_content(struct bp_infer *infer, uint32_t i, const struct bp_sym *content,
                           uint32_t n) BP_CHECKED;
/* axis in -rank..rank-1 to 0..rank-1; BP_E_INVALID names the attribute or input `what`. */
bp_rc bp_infer_axis(struct bp_infer *infer, int64_t axis, uint32_t rank, const char *what,
                    uint32_t *out) BP_CHECKED;
/* NumPy broadcasting of two shapes; *out takes BP_MAX_RANK sizes. */
bp_rc bp_infer_broadcast(struct bp_infer *infer, const struct bp_fact *a, const struct bp_fact *b,
                         uint32_t *rank, struct bp_sym *out) BP_CHECKED;
/*
 * What the inputs of a subgraph of the node are, as its rule has it; see bp_schema.subgraph_inputs. *out has
 * as many as the subgraph has inputs, and lies in region.
 */
bp_rc bp_infer_subgraph_inputs(const struct bp_ir_node *node, const struct bp_ir *subgraph,
                               const struct bp_fact *facts, struct bp_symbols *symbols,
                               struct bp_region *region, const struct bp_fact **out,
                               bp_err *err) BP_CHECKED;
/* Runs a subgraph with these facts for its inputs; *out: facts of its outputs, in region. */
bp_rc bp_infer_subgraph(struct bp_infer *infer, const struct bp_ir *subgraph,
                        const struct bp_fact *in, uint32_t n_in, struct bp_fact **out) BP_CHECKED;

#endif
