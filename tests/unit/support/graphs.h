/* SPDX-License-Identifier: MIT */
/* graphs.h - graphs made by hand, for the tests of graph/. */
#ifndef BP_TESTS_GRAPHS_H
#define BP_TESTS_GRAPHS_H

#include "graph/ir.h"

/* One graph at a time; sets up memory, and `main`, an empty graph. */
struct graphs {
    struct bp_region region;
    struct bp_symbols symbols;
    struct bp_ir *main;
    bp_err err;
    char words[512];
};

void graphs_setup(struct graphs *g);
void graphs_teardown(struct graphs *g);

/* An empty subgraph that is to belong to a node of `parent`. */
struct bp_ir *graphs_subgraph(struct graphs *g, struct bp_ir *parent, const char *name);
/* An input, declared by `shape` as in "2,n,?", or "..." for an unknown rank. */
uint32_t graphs_input(struct graphs *g, struct bp_ir *ir, const char *name, uint32_t dtype,
                      const char *shape);
/* What the model declares for a value. */
void graphs_declare(struct graphs *g, struct bp_ir *ir, const char *name, uint32_t dtype,
                    const char *shape);
void graphs_output(struct graphs *g, struct bp_ir *ir, const char *name);
/* A constant of rank 1, or 0 when n is 0 (then of one element). */
uint32_t graphs_constant(struct graphs *g, struct bp_ir *ir, const char *name, uint32_t dtype,
                         const void *bytes, uint32_t n);
/*
 * A node "Op" that reads and writes values by name, "a,b,,c"; names that are not there yet are
 * defined (outputs) or resolved (inputs), so a value must exist before a subgraph reads it.
 */
uint32_t graphs_node(struct graphs *g, struct bp_ir *ir, const char *name, const char *op,
                     const char *in, const char *out);
void graphs_attr(struct graphs *g, struct bp_ir *ir, uint32_t node, const char *name, uint32_t type,
                 uint32_t flags, uint32_t count, const void *data);
void graphs_add_subgraph(struct graphs *g, struct bp_ir *ir, uint32_t node, const char *attr,
                         struct bp_ir *subgraph);
/* Index of a value by name; fails the test when there is none. */
uint32_t graphs_value(const struct bp_ir *ir, const char *name);
/* Seals main under operator set 13. */
bp_rc graphs_seal(struct graphs *g) BP_CHECKED;

#endif
