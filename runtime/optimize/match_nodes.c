/* SPDX-License-Identifier: MIT */
/*
 * match_nodes.c - turns nodes into others: names, operators, attributes.
 *
 * Attribute lists are never changed in place: two nodes may share one.
 */

#include "config.h"

#include "optimize/rewrite.h"

#include "graph/schema_table.h"
#include "graph/seal_parts.h"

enum { MOST_NAMES = 400 }; /* characters of the list of nodes that a node replaces */

/* Past 400 characters the rest is left out: the list is for people who read a report. */
bp_rc bp_rw_stand_for(struct bp_rewrite *rw, uint32_t n, uint32_t from, bp_err *err)
{
    struct bp_ir_node *to = &rw->ir->nodes[n];
    const struct bp_ir_node *other = &rw->ir->nodes[from];
    const char *a = to->stands_for ? to->stands_for : to->name;
    const char *b = other->stands_for ? other->stands_for : other->name;

    if (strlen(a) + strlen(b) > MOST_NAMES)
        return BP_OK;
    to->stands_for = bp_region_printf(rw->ir->region, "%s, %s", a, b);
    return to->stands_for ? BP_OK : bp_fail_nomem(err, "the names of nodes");
}

bp_rc bp_rw_become(struct bp_rewrite *rw, uint32_t n, uint32_t from, bp_err *err)
{
    struct bp_ir_node *to = &rw->ir->nodes[n];
    const struct bp_ir_node *other = &rw->ir->nodes[from];
    const char *mine = to->stands_for ? to->stands_for : to->name;
    const char *theirs = other->stands_for ? other->stands_for : other->name;

    if (strlen(mine) + strlen(theirs) <= MOST_NAMES) {
        to->stands_for = bp_region_printf(rw->ir->region, "%s, %s", theirs, mine);
        if (!to->stands_for)
            return bp_fail_nomem(err, "the names of nodes");
    }
    to->is_made = true;
    to->name = other->name;
    to->op = other->op;
    to->domain = other->domain;
    to->schema = other->schema;
    to->opset = other->opset;
    to->attrs = other->attrs; /* never changed in place */
    to->n_attrs = other->n_attrs;
    to->attr_hash = other->attr_hash;
    bp_rw_refresh(rw, n);
    return BP_OK;
}

bp_rc bp_rw_set_op(struct bp_rewrite *rw, uint32_t n, const char *op, const char *domain,
                   uint32_t opset, bp_err *err)
{
    struct bp_ir_node *node = &rw->ir->nodes[n];

    node->op = op;
    node->domain = domain;
    node->opset = opset;
    node->attrs = NULL;
    node->n_attrs = 0;
    node->attr_hash = 0;
    node->schema = bp_schema_find(domain, op, opset);
    bp_rw_refresh(rw, n);
    return node->schema ? BP_OK : bp_fail(err, BP_E_INTERNAL, "no schema of %s", op);
}

bool bp_rw_has_op(const char *op, const char *domain, uint32_t opset)
{
    return bp_schema_find(domain, op, opset) != NULL;
}

/* Bytes of one element of an attribute. */
static size_t attr_size(uint32_t type)
{
    return type == BP_ATTR_FLOAT    ? sizeof(float)
           : type == BP_ATTR_INT    ? sizeof(int64_t)
           : type == BP_ATTR_STRING ? sizeof(bp_span)
                                    : sizeof(bp_const);
}

bp_rc bp_rw_set_attr(struct bp_rewrite *rw, uint32_t n, const char *name, uint32_t type,
                     const void *data, uint32_t count, bool is_list, bp_err *err)
{
    struct bp_ir_node *node = &rw->ir->nodes[n];
    struct bp_region *region = rw->ir->region;
    bp_attr *attrs = bp_region_array(region, (size_t)node->n_attrs + 1, sizeof *attrs);
    void *copy = bp_region_array(region, count, attr_size(type));
    uint32_t at = 0;

    if (!attrs || !copy)
        return bp_fail_nomem(err, "attributes");
    if (node->n_attrs > 0)
        memcpy(attrs, node->attrs, node->n_attrs * sizeof *attrs);
    if (count > 0)
        memcpy(copy, data, count * attr_size(type));
    while (at < node->n_attrs && strcmp(attrs[at].name, name) != 0)
        at++;
    attrs[at] = (bp_attr){.name = name,
                          .data = copy,
                          .type = type,
                          .count = count,
                          .flags = is_list ? BP_ATTR_LIST : 0};
    node->attrs = attrs;
    node->n_attrs += at == node->n_attrs;
    node->attr_hash = bp_ir_hash_attrs(node);
    bp_rw_refresh(rw, n);
    return BP_OK;
}

bp_rc bp_rw_check(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    bp_rc rc = bp_ir_check_node(rw->ir, &rw->ir->nodes[n], err);

    bp_rw_refresh(rw, n); /* it may have more attributes now */
    return rc;
}
