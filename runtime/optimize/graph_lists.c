/* SPDX-License-Identifier: MIT */
/*
 * graph_lists.c - the lists of nodes, uses and values that passes work on: built, grown, written
 * back.
 *
 * Built in one walk over the graph; memory is 24 bytes a node, 16 a use and 16 a value, plus a fact
 * a value.
 */

#include "config.h"

#include "optimize/rewrite.h"

#include <stdlib.h>

#include "graph/seal_parts.h"

/* ---- capacity -------------------------------------------------------------------------------- */

/* Makes the list hold cap entries; false: no memory, and the list stays as it was. */
static bool grow(uint32_t **list, size_t cap)
{
    uint32_t *more = cap < BP_NONE ? realloc(*list, cap * sizeof *more) : NULL;

    if (!more)
        return false;
    *list = more;
    return true;
}

static bool grow_uses(struct bp_rw_uses *uses, size_t cap)
{
    if (!grow(&uses->node, cap) || !grow(&uses->value, cap) || !grow(&uses->next, cap) ||
        !grow(&uses->prev, cap))
        return false;
    uses->cap = (uint32_t)cap;
    return true;
}

/* Grows by half, so that adding n uses one by one costs O(n). */
uint32_t bp_rw_new_uses(struct bp_rewrite *rw, uint32_t n)
{
    struct bp_rw_uses *uses = &rw->uses;
    uint32_t first = uses->n;

    if (n > uses->cap - uses->n && !grow_uses(uses, ((size_t)uses->n + n) * 3 / 2 + 64))
        return BP_NONE;
    uses->n += n;
    return first;
}

static bool grow_values(struct bp_rewrite *rw)
{
    struct bp_rw_values *values = &rw->values;
    size_t cap = (size_t)rw->ir->n_values + rw->ir->n_values / 4 + 16;
    struct bp_fact *facts = realloc(rw->facts, cap * sizeof *facts);

    if (facts)
        rw->facts = facts;
    if (!facts || !grow(&values->head, cap) || !grow(&values->count, cap) ||
        !grow(&values->producer, cap) || !grow(&values->flags, cap))
        return false;
    values->cap = (uint32_t)cap;
    return true;
}

bool bp_rw_reserve(struct bp_rewrite *rw)
{
    return rw->ir->n_values <= rw->values.cap || grow_values(rw);
}

/* All six lists share one allocation, because no node is added while passes run. */
static bool make_nodes(struct bp_rw_nodes *nodes, uint32_t n)
{
    size_t cap = (size_t)n + 1;
    uint32_t *all = calloc(cap, 6 * sizeof *all);

    if (!all)
        return false;
    *nodes = (struct bp_rw_nodes){all,           all + cap,     all + 2 * cap,
                                  all + 3 * cap, all + 4 * cap, all + 5 * cap};
    return true;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/*
 * Points operator names at those of the schemas: a few strings that stay in caches, while each node
 * of a model has its own copy from the file.
 */
static void share_names(struct bp_ir_node *node)
{
    const struct bp_schema *schema = node->schema;

    if (!schema || schema->is_custom || schema->is_provider_op ||
        strcmp(schema->op, node->op) != 0 || strcmp(schema->domain, node->domain) != 0)
        return;
    node->op = schema->op;
    node->domain = schema->domain;
}

/* The key for bp_rw_is(): 0 when the node is of another domain, unknown or must stay. */
static uint32_t key_of(const struct bp_ir_node *node)
{
    bool is_known = node->domain[0] == '\0' || strcmp(node->domain, "com.microsoft") == 0;

    return is_known && node->schema && !bp_rw_stays(node) ? bp_rw_key(node->op) : 0;
}

void bp_rw_refresh(struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node = &rw->ir->nodes[n];
    uint32_t flags = rw->nodes.flags[n] & BP_RW_STALE;

    flags |= bp_rw_stays(node) ? BP_RW_STAYS : 0;
    flags |= node->schema ? 0 : BP_RW_UNKNOWN;
    flags |= node->domain[0] ? BP_RW_FOREIGN : 0;
    flags |= node->n_out == 1 ? 0 : BP_RW_SEVERAL;
    flags |= node->n_implicit > 0 ? BP_RW_CAPTURES : 0;
    rw->nodes.key[n] = key_of(node);
    rw->nodes.attrs[n] = node->attr_hash;
    rw->nodes.out[n] = node->n_out > 0 ? node->out[0] : BP_NONE;
    rw->nodes.flags[n] = flags;
}

/* The node's entries, and one use for each input and captured value. */
static bool list_node(struct bp_rewrite *rw, uint32_t n)
{
    struct bp_ir_node *node = &rw->ir->nodes[n];
    uint32_t n_reads = bp_rw_n_reads(node), first = bp_rw_new_uses(rw, n_reads);

    if (first == BP_NONE)
        return false;
    share_names(node);
    rw->nodes.first_use[n] = first;
    rw->nodes.n_in[n] = node->n_in;
    bp_rw_refresh(rw, n);
    for (uint32_t slot = 0; slot < n_reads; slot++) {
        uint32_t value = bp_rw_read_at(node, slot);

        bp_rw_link(rw, first + slot, n, value);
        if (slot >= node->n_in)
            rw->values.flags[value] |= BP_RW_CAPTURED;
    }
    return true;
}

static bool list_all(struct bp_rewrite *rw, const struct bp_fact *facts)
{
    const struct bp_ir *ir = rw->ir;

    for (uint32_t v = 0; v < ir->n_values; v++) {
        rw->values.head[v] = BP_NONE;
        rw->values.count[v] = 0;
        rw->values.producer[v] = ir->values[v].producer;
        rw->values.flags[v] = ir->values[v].flags | (facts[v].content ? BP_RW_FOLLOWED : 0);
    }
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        if (!list_node(rw, n))
            return false;
    }
    return true;
}

bp_rc bp_rw_init(struct bp_rewrite *rw, struct bp_ir *ir, struct bp_fact *facts,
                 struct bp_symbols *symbols, struct bp_region *scratch, bp_err *err)
{
    size_t n_outputs = 0, n_uses = 0;

    *rw = (struct bp_rewrite){.ir = ir, .symbols = symbols, .scratch = scratch};
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        n_outputs += ir->nodes[n].n_out;
        n_uses += bp_rw_n_reads(&ir->nodes[n]);
    }
    rw->n_alive = ir->n_nodes;
    rw->cap_queue = n_outputs < BP_NONE ? (uint32_t)n_outputs : BP_NONE;
    rw->queue = malloc((n_outputs + 1) * sizeof *rw->queue);
    if (!rw->queue || !make_nodes(&rw->nodes, ir->n_nodes) ||
        !grow_uses(&rw->uses, n_uses + n_uses / 8 + 64) || !grow_values(rw))
        return bp_fail_nomem(err, "the passes over a graph");
    memcpy(rw->facts, facts, ir->n_values * sizeof *facts);
    return list_all(rw, facts) ? BP_OK : bp_fail_nomem(err, "the passes over a graph");
}

/* ---- end ------------------------------------------------------------------------------------- */

/*
 * Dead nodes go, producers get their new indices, and constants without a reader lose their flag,
 * so that their bytes are not loaded.
 */
bp_rc bp_rw_seal(struct bp_rewrite *rw, bp_err *err)
{
    struct bp_ir *ir = rw->ir;
    uint32_t n_left = 0;

    bp_rw_sync(rw);
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        if (!bp_rw_is_dead(rw, n))
            ir->nodes[n_left++] = ir->nodes[n];
    }
    ir->n_nodes = n_left;
    for (uint32_t n = 0; n < n_left; n++) {
        for (uint32_t i = 0; i < ir->nodes[n].n_out; i++) {
            if (ir->nodes[n].out[i] != BP_NONE)
                ir->values[ir->nodes[n].out[i]].producer = n;
        }
    }
    for (uint32_t v = 0; v < ir->n_values; v++) { /* unused bytes are not read */
        struct bp_ir_value *value = &ir->values[v];

        if (rw->values.count[v] == 0 &&
            !(value->flags & (BP_IR_INPUT | BP_IR_OUTPUT | BP_IR_CAPTURED)))
            value->flags &= ~(uint32_t)BP_IR_CONSTANT;
        if (value->flags & BP_IR_CONSTANT)
            bp_rw_set_data_id(value->data);
    }
    return bp_ir_order(ir, err);
}

void bp_rw_finish(struct bp_rewrite *rw)
{
    free(rw->facts);
    free(rw->queue);
    free(rw->nodes.key);
    free(rw->uses.node);
    free(rw->uses.value);
    free(rw->uses.next);
    free(rw->uses.prev);
    free(rw->values.head);
    free(rw->values.count);
    free(rw->values.producer);
    free(rw->values.flags);
    *rw = (struct bp_rewrite){0};
}
