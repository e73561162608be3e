/* SPDX-License-Identifier: MIT */
/* body_view.h - subgraphs of control flow in the graph that a provider sees; for graph_view.c. */
#ifndef BP_PLAN_BODY_VIEW_H
#define BP_PLAN_BODY_VIEW_H

#include "plan/graph_view.h"

/* What building one view needs. */
struct bp_graph_view_builder {
    struct bp_graph_view_source *from;
    const struct bp_ir *ir;   /* from->ir */
    struct bp_region *region; /* from->region */
    struct bp_graph_view *view;
    uint32_t *map; /* from ir values to view values, BP_NONE for those not seen */
    bool *inside;  /* one an ir node; NULL in a body, which has all */
    bp_value *values;
    bp_node *nodes;
    bp_attr *attrs;
    uint32_t *inputs, *outputs;
    const bp_graph **subs;
    bool shows_bodies;
    const struct bp_graph_view_builder *outer; /* of a body: the graph around it; else NULL */
};

/* ---- graph_view.c ---------------------------------------------------------------------------- */

void bp_graph_view_start(struct bp_graph_view_builder *b);
/* Room for the most that the nodes can need. */
bp_rc bp_graph_view_reserve(struct bp_graph_view_builder *b, const uint32_t *nodes,
                            uint32_t n_nodes, bp_err *err) BP_CHECKED;
/* The row of an ir value, added at first sight; *out is its index. */
bp_rc bp_graph_view_add_value(struct bp_graph_view_builder *b, uint32_t value, uint32_t *out,
                              bp_err *err) BP_CHECKED;
/* A node's row; attributes are copied, as a view's are one list. */
bp_rc bp_graph_view_add_node(struct bp_graph_view_builder *b, uint32_t index,
                             bp_err *err) BP_CHECKED;
void bp_graph_view_finish(struct bp_graph_view_builder *b);

/* ---- body_view.c ----------------------------------------------------------------------------- */

/*
 * Appends the subgraphs of ir node `index`, which is the next node of the view, and makes its graph
 * attributes point at them. What is not shown says why in view->hidden.
 */
bp_rc bp_graph_view_add_bodies(struct bp_graph_view_builder *b, uint32_t index,
                               bp_err *err) BP_CHECKED;
/* Takes the indices out of the graph attributes of a node: there are no subgraphs for them. */
void bp_graph_view_hide_bodies(struct bp_graph_view_builder *b, const bp_node *node);

#endif
