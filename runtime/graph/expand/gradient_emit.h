/* SPDX-License-Identifier: MIT */
/* gradient_emit.h - how derivatives are written down as nodes; for gradient.c and its rules. */
#ifndef BP_GRAPH_EXPAND_GRADIENT_EMIT_H
#define BP_GRAPH_EXPAND_GRADIENT_EMIT_H

#include "graph/expand/emit.h"

/* A Gradient node in the making. */
struct bp_gradient {
    struct bp_emit emit;
    uint32_t *by;      /* one a value of the graph as it was: its gradient so far, or BP_NONE */
    uint32_t n_values; /* entries of `by` */
};

/* Writes a node of one output and gives that. */
#define BP_EMIT(g, op, ...) BP_EMIT_OP(&(g)->emit, op, __VA_ARGS__)
/* The same with a list of integers as its attribute. */
uint32_t bp_gradient_emit_ints(struct bp_gradient *g, const char *op, uint32_t in, const char *attr,
                               const int64_t *values, uint32_t n);
/* A tensor of the shape and type of `like`, filled with `value`. */
uint32_t bp_gradient_fill(struct bp_gradient *g, float value, uint32_t like);
/* Adds to the gradient of a value; one that is broadcast gets the sum over its copies. */
void bp_gradient_add(struct bp_gradient *g, uint32_t value, uint32_t gradient, bool is_broadcast);

#endif
