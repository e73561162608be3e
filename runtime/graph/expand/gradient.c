/* SPDX-License-Identifier: MIT */
/*
 * gradient.c - reverse differentiation: the nodes between xs and y are found, walked backwards, and
 * each adds the gradients of its inputs. Where the node is fed with other values than the ones it
 * names, the path from xs to y is written once more for those.
 */

#include "config.h"

#include "graph/expand/gradient.h"

#include <stdlib.h>
#include <string.h>

#include "graph/expand/gradient_rules.h"

#define TRAINING "ai.onnx.preview.training"

/* The path from xs to y. */
struct path {
    uint32_t *producer; /* one a value: node, or BP_NONE */
    uint32_t *order;    /* nodes between xs and y, in running order */
    uint32_t n_order;
    uint8_t *mark; /* one a node: 1 on the stack, 2 done */
    uint8_t *stop; /* one a value: an x or z */
};

/* ---- the path from xs to y ------------------------------------------------------------------- */

static void finish_path(struct path *path)
{
    free(path->producer);
    free(path->order);
    free(path->mark);
    free(path->stop);
}

/* Tables of producers and marks, one entry for each value or node of the graph as it is. */
static bp_rc start_path(const struct bp_ir *ir, struct path *path, bp_err *err)
{
    path->producer = malloc(((size_t)ir->n_values + 1) * sizeof *path->producer);
    path->order = calloc((size_t)ir->n_nodes + 1, sizeof *path->order);
    path->mark = calloc((size_t)ir->n_nodes + 1, 1);
    path->stop = calloc((size_t)ir->n_values + 1, 1);
    if (!path->producer || !path->order || !path->mark || !path->stop)
        return bp_fail_nomem(err, "a gradient");
    memset(path->producer, 0xff, ((size_t)ir->n_values + 1) * sizeof *path->producer);
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        for (uint32_t o = 0; o < ir->nodes[n].n_out; o++) {
            if (ir->nodes[n].out[o] != BP_NONE)
                path->producer[ir->nodes[n].out[o]] = n;
        }
    }
    return BP_OK;
}

/* The next input of the node whose producer has not been visited; BP_NONE: there is none. */
static uint32_t next_producer(const struct bp_ir *ir, const struct path *path, uint32_t n)
{
    for (uint32_t i = 0; i < ir->nodes[n].n_in; i++) {
        uint32_t v = ir->nodes[n].in[i];

        if (v != BP_NONE && !path->stop[v] && path->producer[v] != BP_NONE &&
            path->mark[path->producer[v]] == 0)
            return path->producer[v];
    }
    return BP_NONE;
}

/* Fills order with all nodes that y needs, up to xs and zs. */
static bp_rc find_path(const struct bp_ir *ir, uint32_t y, struct path *path, bp_err *err)
{
    uint32_t *stack, depth = 0;

    if (path->stop[y] || path->producer[y] == BP_NONE)
        return BP_OK;
    stack = calloc((size_t)ir->n_nodes + 1, sizeof *stack);
    if (!stack)
        return bp_fail_nomem(err, "a gradient");
    stack[depth++] = path->producer[y];
    path->mark[path->producer[y]] = 1;
    while (depth > 0) {
        uint32_t next = next_producer(ir, path, stack[depth - 1]);

        if (next == BP_NONE) {
            path->order[path->n_order++] = stack[--depth];
        } else {
            path->mark[next] = 1;
            stack[depth++] = next;
        }
    }
    free(stack);
    return BP_OK;
}

/* ---- a Gradient node ------------------------------------------------------------------------- */

/* The value named by entry i of a list attribute. */
static bp_rc named(struct bp_ir *ir, const struct bp_ir_node *node, const char *attr_name,
                   uint32_t i, uint32_t *out, bp_err *err)
{
    const bp_attr *attr = bp_ir_attr(node, attr_name);
    const bp_span *span = (const bp_span *)attr->data + i;
    char *name = bp_region_text(ir->region, span->data, span->size);
    bp_rc rc;

    if (!name)
        return bp_fail_nomem(err, "a gradient");
    rc = bp_ir_resolve(ir, name, out, err);
    return rc < 0 ? bp_fail_in(err, rc, "attribute %s", attr_name) : rc;
}

/* Number of names in a list attribute; 0: it is absent. */
static uint32_t count(const struct bp_ir_node *node, const char *attr_name)
{
    const bp_attr *attr = bp_ir_attr(node, attr_name);

    return attr && attr->type == BP_ATTR_STRING ? attr->count : 0;
}

/* Value i among xs, then zs. */
static bp_rc named_input(struct bp_ir *ir, const struct bp_ir_node *node, uint32_t i, uint32_t *out,
                         bp_err *err)
{
    uint32_t n = count(node, "xs");

    return i < n ? named(ir, node, "xs", i, out, err) : named(ir, node, "zs", i - n, out, err);
}

/*
 * ONNX: xs are the values to differentiate by, zs those that are constant, y the one to
 * differentiate; inputs are values for xs and zs.
 */
static bp_rc check(const struct bp_ir_node *node, bp_err *err)
{
    uint32_t n = count(node, "xs") + count(node, "zs");

    if (count(node, "xs") == 0 || count(node, "y") != 1)
        return bp_fail(err, BP_E_INVALID, "attributes xs and y have to name values of the graph");
    if (node->n_in != n || node->n_out > count(node, "xs"))
        return bp_fail(err, BP_E_INVALID,
                       "it has %u inputs and %u outputs, but xs and zs name %u values, xs %u",
                       node->n_in, node->n_out, n, count(node, "xs"));
    return BP_OK;
}

/*
 * Writes the path once more, from the node's own inputs; now[v] is then what stands for value v, and
 * the nodes in order are the new ones.
 */
static void write_again(struct bp_gradient *g, struct path *path, uint32_t *now)
{
    for (uint32_t k = 0; k < path->n_order && g->emit.rc >= 0; k++) {
        struct bp_ir_node from = g->emit.ir->nodes[path->order[k]];
        uint32_t index;

        g->emit.rc = bp_ir_add_node(g->emit.ir, "", from.op, from.domain, from.n_in, from.n_out,
                                    &index, g->emit.err);
        if (g->emit.rc >= 0 && from.n_subgraphs > 0)
            g->emit.rc =
                bp_fail(g->emit.err, BP_E_UNSUPPORTED, "operator %s has subgraphs", from.op);
        for (uint32_t i = 0; i < from.n_in && g->emit.rc >= 0; i++)
            g->emit.ir->nodes[index].in[i] = from.in[i] == BP_NONE ? BP_NONE : now[from.in[i]];
        for (uint32_t o = 0; o < from.n_out && g->emit.rc >= 0; o++) {
            uint32_t out = from.out[o] == BP_NONE ? BP_NONE : bp_emit_value(&g->emit, NULL);

            g->emit.ir->nodes[index].out[o] = out;
            if (out != BP_NONE)
                now[from.out[o]] = out;
        }
        if (g->emit.rc < 0)
            return;
        g->emit.ir->nodes[index].attrs = from.attrs;
        g->emit.ir->nodes[index].n_attrs = from.n_attrs;
        g->emit.ir->nodes[index].opset = from.opset;
        path->order[k] = index;
    }
}

/*
 * In reverse order each node adds to the gradients of its inputs, so a value's gradient is
 * complete before its producer is reached.
 */
static void walk_back(struct bp_gradient *g, const struct path *path)
{
    for (uint32_t k = path->n_order; k-- > 0 && g->emit.rc >= 0;) {
        struct bp_ir_node node = g->emit.ir->nodes[path->order[k]]; /* a copy: the list grows */
        uint32_t dy = BP_NONE;
        const char *why;

        for (uint32_t o = 0; o < node.n_out; o++) {
            if (node.out[o] != BP_NONE && g->by[node.out[o]] != BP_NONE)
                dy = g->by[node.out[o]];
        }
        if (dy != BP_NONE && !bp_gradient_of_node(g, &node, dy, &why) && g->emit.rc >= 0)
            g->emit.rc = bp_fail(g->emit.err, BP_E_UNSUPPORTED,
                                 "no derivative is implemented for the operator %s%s%s", node.op,
                                 why ? " " : "", why ? why : "");
    }
}

/* What the node gives: the gradients of xs, 0 where y does not depend on one. */
static void give_outputs(struct bp_gradient *g, const struct bp_ir_node *node, const uint32_t *xs)
{
    for (uint32_t i = 0; i < node->n_out && g->emit.rc >= 0; i++) {
        uint32_t from = g->by[xs[i]];

        if (node->out[i] == BP_NONE)
            continue;
        if (from == BP_NONE)
            from = bp_gradient_fill(g, 0, xs[i]);
        bp_emit_node(&g->emit, "Identity", "", 1, &from, 1, &node->out[i]);
    }
}

/* The gradient of each value so far: none. */
static bp_rc make_table(struct bp_gradient *g)
{
    g->n_values = g->emit.ir->n_values;
    g->by = malloc(((size_t)g->n_values + 1) * sizeof *g->by);
    if (!g->by)
        return bp_fail_nomem(g->emit.err, "a gradient");
    memset(g->by, 0xff, ((size_t)g->n_values + 1) * sizeof *g->by);
    return BP_OK;
}

/* now: one a value as it was; the node's inputs stand for what xs and zs name. */
static void differentiate(struct bp_gradient *g, const struct bp_ir_node *node, struct path *path,
                          uint32_t *now, uint32_t y)
{
    uint32_t *xs = node->in;
    bool is_fed = false; /* with other values than named */
    bp_rc rc;

    for (uint32_t i = 0; i < node->n_in && g->emit.rc >= 0; i++) {
        uint32_t value;

        g->emit.rc = named_input(g->emit.ir, node, i, &value, g->emit.err);
        if (g->emit.rc < 0)
            return;
        path->stop[value] = 1;
        now[value] = node->in[i];
        is_fed = is_fed || node->in[i] != value;
    }
    if (g->emit.rc >= 0)
        g->emit.rc = find_path(g->emit.ir, y, path, g->emit.err);
    if (is_fed)
        write_again(g, path, now);
    if (g->emit.rc < 0)
        return;
    rc = make_table(g);
    g->emit.rc = rc;
    if (rc < 0)
        return;
    bp_gradient_add(g, now[y], bp_gradient_fill(g, 1, now[y]), false);
    walk_back(g, path);
    give_outputs(g, node, xs);
}

/* Names may not grow the graph any more once the tables are made, so all are resolved here first. */
static bp_rc expand(struct bp_ir *ir, uint32_t index, bp_err *err)
{
    struct bp_ir_node node = ir->nodes[index];
    struct bp_gradient g = {.emit = {.ir = ir, .err = err}};
    struct path path = {0};
    uint32_t *now = NULL, y = BP_NONE, value;
    bp_rc rc = check(&node, err);

    if (rc >= 0)
        rc = named(ir, &node, "y", 0, &y, err);
    for (uint32_t i = 0; i < node.n_in && rc >= 0; i++)
        rc = named_input(ir, &node, i, &value, err);
    if (rc >= 0)
        rc = start_path(ir, &path, err);
    g.emit.name = node.name[0]                           ? node.name
                  : node.n_out && node.out[0] != BP_NONE ? ir->values[node.out[0]].name
                                                         : "gradient";
    if (rc >= 0) {
        now = malloc(((size_t)ir->n_values + 1) * sizeof *now);
        if (!now)
            rc = bp_fail_nomem(err, "a gradient");
    }
    for (uint32_t v = 0; rc >= 0 && v < ir->n_values; v++)
        now[v] = v;
    if (rc >= 0) {
        differentiate(&g, &node, &path, now, y);
        rc = g.emit.rc;
    }
    free(now);
    free(g.by);
    finish_path(&path);
    return rc < 0 ? bp_fail_in(err, rc, "node '%s' (Gradient)", node.name) : rc;
}

bp_rc bp_gradient_expand(struct bp_ir *ir, bp_err *err)
{
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        bp_rc rc;

        if (strcmp(ir->nodes[n].op, "Gradient") != 0 || strcmp(ir->nodes[n].domain, TRAINING) != 0)
            continue;
        rc = expand(ir, n, err);
        if (rc < 0)
            return rc;
        memmove(&ir->nodes[n], &ir->nodes[n + 1], (ir->n_nodes - n - 1) * sizeof *ir->nodes);
        ir->n_nodes--;
        n--;
    }
    return BP_OK;
}
