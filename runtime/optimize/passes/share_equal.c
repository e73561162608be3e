/* SPDX-License-Identifier: MIT */
/* share_equal.c - of nodes with the same operator, inputs and attributes, the first serves all. */

#include "config.h"

#include "optimize/passes.h"

#include <stdlib.h>

#include "base/strmap.h"

static bool may_share(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    return node && node->schema && node->n_bodies == 0 && node->n_in > 0 && node->n_out == 1 &&
           node->out[0] != BP_NONE && !bp_rw_is_random(node) && !bp_node_is_hosted(node, rw->facts);
}

static bool same_data(const bp_attr *a, const bp_attr *b)
{
    if (a->type == BP_ATTR_INT)
        return memcmp(a->data, b->data, a->count * sizeof(int64_t)) == 0;
    if (a->type == BP_ATTR_FLOAT)
        return memcmp(a->data, b->data, a->count * sizeof(float)) == 0;
    if (a->type != BP_ATTR_STRING)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const bp_span *x = (const bp_span *)a->data + i, *y = (const bp_span *)b->data + i;

        if (x->size != y->size || (x->size > 0 && memcmp(x->data, y->data, x->size) != 0))
            return false;
    }
    return true;
}

static bool same_attrs(const struct bp_ir_node *a, const struct bp_ir_node *b)
{
    if (a->n_attrs != b->n_attrs)
        return false;
    for (uint32_t i = 0; i < a->n_attrs; i++) {
        const bp_attr *other = bp_ir_attr(b, a->attrs[i].name);

        if (!other || other->type != a->attrs[i].type || other->count != a->attrs[i].count ||
            (other->count > 0 && !same_data(&a->attrs[i], other)))
            return false;
    }
    return true;
}

static bool same_node(const struct bp_ir_node *a, const struct bp_ir_node *b)
{
    return a->schema == b->schema && a->opset == b->opset && a->n_in == b->n_in &&
           memcmp(a->in, b->in, a->n_in * sizeof *a->in) == 0 && same_attrs(a, b);
}

/* Numbers of attributes too, so that nodes that differ in them alone do not meet. */
static uint64_t hash_of(const struct bp_ir_node *node)
{
    uintptr_t schema = (uintptr_t)node->schema;
    uint64_t hash = bp_keyed_hash(node->in, node->n_in * sizeof *node->in) ^ schema;

    for (uint32_t i = 0; i < node->n_attrs; i++) {
        const bp_attr *attr = &node->attrs[i];
        size_t width = attr->type == BP_ATTR_INT     ? sizeof(int64_t)
                       : attr->type == BP_ATTR_FLOAT ? sizeof(float)
                                                     : 0;

        if (width > 0 && attr->count > 0) /* a sum, as their order is nothing */
            hash += bp_keyed_hash(attr->data, attr->count * width);
    }
    return hash;
}

/*
 * Open addressing; as inputs come first, equal chains become one in a single walk. Few probes: a
 * hostile graph of nodes that differ in their strings alone would fill one stretch of the table.
 */
enum { MOST_PROBES = 16 };

static bool take_first(struct bp_rewrite *rw, uint32_t *table, size_t mask, uint32_t n)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);
    size_t at = hash_of(node) & mask;

    for (int i = 0; i < MOST_PROBES; i++, at = (at + 1) & mask) {
        const struct bp_ir_node *first;

        if (table[at] == 0) {
            table[at] = n + 1;
            return false;
        }
        first = bp_rw_node(rw, table[at] - 1);
        if (first && same_node(first, node))
            return bp_rw_replace(rw, node->out[0], first->out[0]);
    }
    return false;
}

bp_rc bp_pass_share_equal(struct bp_rewrite *rw, bp_err *err)
{
    size_t cap = 64;
    uint32_t *table;

    while (cap < (size_t)rw->ir->n_nodes * 2)
        cap *= 2;
    table = calloc(cap, sizeof *table);
    if (!table)
        return bp_fail_nomem(err, "equal nodes");
    for (uint32_t n = 0; n < rw->ir->n_nodes; n++) {
        const struct bp_ir_node *node = bp_rw_node(rw, n);

        if (may_share(rw, node) && !(rw->ir->values[node->out[0]].flags & BP_IR_OUTPUT) &&
            take_first(rw, table, cap - 1, n))
            rw->n_matches++;
    }
    free(table);
    return BP_OK;
}
