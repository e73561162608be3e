/* SPDX-License-Identifier: MIT */
/* graph_view.h - the flat graph that a provider sees: all of a graph, or one group of its nodes. */
#ifndef BP_PLAN_GRAPH_VIEW_H
#define BP_PLAN_GRAPH_VIEW_H

#include "graph/infer.h"
#include "host/load/services.h"

/* The consumers of each value, subgraphs counted for the node that holds them. */
struct bp_uses {
    uint32_t *first; /* n_values + 1 offsets into nodes */
    uint32_t *nodes;
};

/* A view must not move: the graph points back to it. */
struct bp_graph_view {
    struct bp_graph_owner owner;
    bp_graph graph;
    const struct bp_ir *ir;
    uint32_t *node_of; /* index in the view -> index in ir */
    uint32_t *value_of;
    /*
     * Where bodies of control flow are shown, one a node: why those of this node are not; NULL:
     * they are, or it has none. NULL: no bodies are shown.
     */
    const char **hidden;
};

bp_rc bp_uses_build(const struct bp_ir *ir, struct bp_region *region, struct bp_uses *out,
                    bp_err *err) BP_CHECKED;

/* What views of one graph are made from; all but the last two borrowed. */
struct bp_graph_view_source {
    const struct bp_ir *ir;
    const struct bp_uses *uses;
    const struct bp_fact *facts;
    struct bp_symbols *symbols; /* bodies that are shown are inferred with it */
    struct bp_region *region;   /* views are allocated from it */
    uint32_t *map;              /* one a value: scratch, BP_NONE between views */
    bool *inside;               /* one a node: scratch, false between views */
};

/* Makes the scratch of a source whose other members are set. */
bp_rc bp_graph_view_source_init(struct bp_graph_view_source *source, bp_err *err) BP_CHECKED;
void bp_graph_view_source_finish(struct bp_graph_view_source *source);
/*
 * Fills *view with `nodes`, in their order; takes time in proportion to them. Inputs of the view
 * are the values that come from outside, constants left out; outputs those that are used outside or
 * are outputs of the graph. Names are borrowed from it. shows_bodies: If, Loop and Scan come with
 * their subgraphs, and what those capture is an input.
 */
bp_rc bp_graph_view_build(struct bp_graph_view_source *source, const uint32_t *nodes,
                          uint32_t n_nodes, bool shows_bodies, struct bp_graph_view *view,
                          bp_err *err) BP_CHECKED;

#endif
