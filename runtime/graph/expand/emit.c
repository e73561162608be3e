/* SPDX-License-Identifier: MIT */
/* emit.c - nodes that the host writes itself, and subgraphs whose nodes move into the graph around. */

#include "config.h"

#include "graph/expand/emit.h"

#include <stdlib.h>

enum { OPSET = 15 }; /* of the nodes that are written: one form of each operator */

/* ---- values ---------------------------------------------------------------------------------- */

/* Has the graph a value of that name? */
static bool is_taken(const struct bp_emit *e, const char *name)
{
    return bp_strmap_get(&e->ir->by_name, name, BP_NONE) != BP_NONE;
}

uint32_t bp_emit_value(struct bp_emit *e, const char *hint)
{
    struct bp_region *region = e->ir->region;
    uint32_t value = BP_NONE;
    const char *name;

    if (e->rc < 0)
        return BP_NONE;
    name = hint ? bp_region_printf(region, "%s/%s", e->name, hint) : NULL;
    if (!name || is_taken(e, name)) {
        do {
            name = bp_region_printf(region, "%s/%u", e->name, e->fresh++);
        } while (name && is_taken(e, name));
    }
    if (!name)
        e->rc = bp_fail_nomem(e->err, "a value");
    else
        e->rc = bp_ir_define(e->ir, name, &value, e->err);
    return value;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

struct bp_ir_node *bp_emit_last(const struct bp_emit *e)
{
    return e->rc < 0 || e->last == BP_NONE ? NULL : &e->ir->nodes[e->last];
}

struct bp_ir_node *bp_emit_node(struct bp_emit *e, const char *op, const char *domain,
                                uint32_t n_in, const uint32_t *in, uint32_t n_out,
                                const uint32_t *out)
{
    struct bp_ir_node *node;
    uint32_t index;

    e->last = BP_NONE;
    for (uint32_t i = 0; i < n_in; i++) {
        if (in[i] == BP_NONE)
            return NULL;
    }
    if (e->rc >= 0)
        e->rc = bp_ir_add_node(e->ir, e->ir->values[out[0]].name, op, domain, n_in, n_out, &index,
                               e->err);
    if (e->rc < 0)
        return NULL;
    e->last = index;
    node = &e->ir->nodes[index];
    memcpy(node->in, in, n_in * sizeof *in);
    memcpy(node->out, out, n_out * sizeof *out);
    node->opset = domain[0] ? 1 : OPSET;
    return node;
}

uint32_t bp_emit_op(struct bp_emit *e, const char *op, uint32_t n_in, const uint32_t *in)
{
    uint32_t out = bp_emit_value(e, NULL);

    return bp_emit_node(e, op, "", n_in, in, 1, &out) ? out : BP_NONE;
}

void bp_emit_attr(struct bp_emit *e, struct bp_ir_node *node, bp_attr attr)
{
    bp_attr *attrs;

    if (!node || e->rc < 0)
        return;
    attrs = bp_region_array(e->ir->region, (size_t)node->n_attrs + 1, sizeof *attrs);
    if (!attrs || !attr.data) {
        e->rc = bp_fail_nomem(e->err, "attributes");
        return;
    }
    if (node->n_attrs > 0)
        memcpy(attrs, node->attrs, node->n_attrs * sizeof *attrs);
    attrs[node->n_attrs++] = attr;
    node->attrs = attrs;
}

void bp_emit_ints(struct bp_emit *e, struct bp_ir_node *node, const char *name,
                  const int64_t *values, uint32_t n)
{
    int64_t *copy = bp_region_array(e->ir->region, n, sizeof *copy);

    if (copy && n > 0)
        memcpy(copy, values, n * sizeof *copy);
    bp_emit_attr(
        e, node,
        (bp_attr){
            .name = name, .data = copy, .type = BP_ATTR_INT, .count = n, .flags = BP_ATTR_LIST});
}

void bp_emit_int(struct bp_emit *e, struct bp_ir_node *node, const char *name, int64_t value)
{
    int64_t *copy = bp_region_array(e->ir->region, 1, sizeof *copy);

    if (copy)
        *copy = value;
    bp_emit_attr(e, node, (bp_attr){.name = name, .data = copy, .type = BP_ATTR_INT, .count = 1});
}

/* ---- subgraphs ------------------------------------------------------------------------------- */

/* What a value of the subgraph becomes in the graph around it. */
static uint32_t move_value(struct bp_emit *e, const struct bp_ir_value *from)
{
    uint32_t value;

    if (from->flags & BP_IR_CAPTURED)
        return from->outer;
    value = bp_emit_value(e, from->name);
    if (e->rc < 0)
        return BP_NONE;
    e->ir->values[value].declared = from->declared;
    if (from->flags & BP_IR_CONSTANT) {
        e->ir->values[value].data = from->data;
        e->ir->values[value].flags = BP_IR_CONSTANT;
    }
    return value;
}

/* map[v]: the value of the graph around that value v of the subgraph becomes. */
static void map_values(struct bp_emit *e, const struct bp_ir *subgraph, const uint32_t *in,
                       uint32_t *map)
{
    memset(map, 0xff, subgraph->n_values * sizeof *map); /* BP_NONE */
    for (uint32_t i = 0; i < subgraph->n_inputs; i++)
        map[subgraph->inputs[i]] = in[i];
    for (uint32_t v = 0; v < subgraph->n_values && e->rc >= 0; v++) {
        if (map[v] == BP_NONE)
            map[v] = move_value(e, &subgraph->values[v]);
    }
}

/* Replaces indices of values of the subgraph by those of the graph around it. */
static void map_list(uint32_t *list, uint32_t n, const uint32_t *map)
{
    for (uint32_t i = 0; i < n; i++)
        list[i] = list[i] == BP_NONE ? BP_NONE : map[list[i]];
}

/* A subgraph of a node that moves captures from the new graph what it captured from the old one. */
static void adopt(struct bp_ir *ir, struct bp_ir *inner, const uint32_t *map)
{
    inner->parent = ir; /* its old parent still finishes it */
    for (uint32_t v = 0; v < inner->n_values; v++) {
        if (inner->values[v].flags & BP_IR_CAPTURED)
            inner->values[v].outer = map[inner->values[v].outer];
    }
}

/* Moves one node; its subgraphs come along, and what they capture is mapped to the graph around. */
static void move_node(struct bp_emit *e, const struct bp_ir_node *from, const uint32_t *map)
{
    const char *name =
        bp_region_printf(e->ir->region, "%s/%s", e->name, from->name[0] ? from->name : from->op);
    struct bp_ir_node *to;
    uint32_t index;

    if (!name)
        e->rc = bp_fail_nomem(e->err, "a node");
    else
        e->rc = bp_ir_add_node(e->ir, "", from->op, from->domain, 0, 0, &index, e->err);
    if (e->rc < 0)
        return;
    to = &e->ir->nodes[index];
    *to = *from;
    to->name = name;
    map_list(to->in, to->n_in, map);
    map_list(to->out, to->n_out, map);
    for (uint32_t b = 0; b < to->n_subgraphs; b++)
        adopt(e->ir, to->subgraphs[b], map);
}

void bp_emit_subgraph(struct bp_emit *e, struct bp_ir *subgraph, uint32_t n, const uint32_t *in,
                      uint32_t *out)
{
    uint32_t *map;

    *out = BP_NONE;
    if (e->rc < 0)
        return;
    if (subgraph->n_inputs != n || subgraph->n_outputs < 1) {
        e->rc =
            bp_fail(e->err, BP_E_INVALID, "graph '%s' has %u inputs and %u outputs, not %u and 1",
                    subgraph->name, subgraph->n_inputs, subgraph->n_outputs, n);
        return;
    }
    map = malloc(((size_t)subgraph->n_values + 1) * sizeof *map);
    if (!map) {
        e->rc = bp_fail_nomem(e->err, "a graph");
        return;
    }
    map_values(e, subgraph, in, map);
    for (uint32_t i = 0; i < subgraph->n_nodes && e->rc >= 0; i++)
        move_node(e, &subgraph->nodes[i], map);
    if (e->rc >= 0)
        *out = map[subgraph->outputs[0]];
    free(map);
}
