/* SPDX-License-Identifier: MIT */
/*
 * share_equal.c - nodes with the same operator, inputs and attributes become one: readers of the
 * second read the first (common subexpression elimination).
 *
 * Random and host operators, nodes with subgraphs and outputs of the graph are left alone. Bits:
 * unchanged.
 */

#include "config.h"

#include "optimize/passes.h"

#include <stdlib.h>

static bool may_share(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    return node && node->schema && node->n_subgraphs == 0 && node->n_in > 0 && node->n_out == 1 &&
           node->out[0] != BP_NONE && !bp_rw_is_random(node) &&
           !bp_node_is_host_op(node, rw->facts);
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

/* Same operator and same values, from the lists alone. */
static bool same_inputs(const struct bp_rewrite *rw, uint32_t a, uint32_t b)
{
    uint32_t n_in = rw->nodes.n_in[a];

    return rw->nodes.key[a] == rw->nodes.key[b] && n_in == rw->nodes.n_in[b] &&
           memcmp(&rw->uses.value[rw->nodes.first_use[a]], &rw->uses.value[rw->nodes.first_use[b]],
                  n_in * sizeof *rw->uses.value) == 0;
}

/* May node n be one of two equal nodes? An output of the graph keeps its producer. */
static bool is_candidate(const struct bp_rewrite *rw, uint32_t n)
{
    uint32_t out = rw->nodes.out[n];

    return !bp_rw_is_dead(rw, n) && rw->nodes.n_in[n] > 0 && out != BP_NONE &&
           !(rw->values.flags[out] & BP_IR_OUTPUT);
}

/* Does node `first`, which may be any, compute what node n does? */
static bool is_equal(const struct bp_rewrite *rw, uint32_t first, uint32_t n)
{
    const struct bp_ir_node *a, *b;

    if (!is_candidate(rw, first) || !same_inputs(rw, first, n))
        return false;
    a = bp_rw_node(rw, first);
    b = bp_rw_node(rw, n);
    return a && b && a->schema == b->schema && a->opset == b->opset && may_share(rw, a) &&
           may_share(rw, b) && same_attrs(a, b);
}

/* ---- few readers ----------------------------------------------------------------------------- */

/* The input with the fewest readers: an equal node must be among the readers of every input. */
static uint32_t rarest_input(const struct bp_rewrite *rw, uint32_t n)
{
    uint32_t first = rw->nodes.first_use[n], best = BP_NONE;

    for (uint32_t use = first; use < first + rw->nodes.n_in[n]; use++) {
        uint32_t value = rw->uses.value[use];

        if (value != BP_NONE &&
            (best == BP_NONE || rw->values.count[value] < rw->values.count[best]))
            best = value;
    }
    return best;
}

/* The earlier reader of a value that computes what node n does, or BP_NONE. */
static uint32_t find_reader(const struct bp_rewrite *rw, uint32_t value, uint32_t n)
{
    for (uint32_t u = rw->values.head[value]; u != BP_NONE; u = rw->uses.next[u]) {
        if (rw->uses.node[u] < n && is_equal(rw, rw->uses.node[u], n))
            return rw->uses.node[u];
    }
    return BP_NONE;
}

/* ---- many readers ---------------------------------------------------------------------------- */

/*
 * Open addressing with few probes, because a hostile graph of nodes whose hashes collide would fill
 * one stretch of the table, and each search would walk it.
 */
enum { FEW_READERS = 8, MOST_PROBES = 16 };

struct table {
    /* lower bits: index of a node plus 1; upper bits: those of its hash; 0: free */
    uint32_t *slots; /* NULL until a node needs it */
    uint32_t nodes;  /* the lower bits */
    size_t mask;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Attributes count too, so that nodes that differ in them alone don't collide. */
static uint32_t hash_of(const struct bp_rewrite *rw, uint32_t n)
{
    uint32_t first = rw->nodes.first_use[n];
    uint64_t hash = rw->nodes.key[n];

    for (uint32_t use = first; use < first + rw->nodes.n_in[n]; use++)
        hash = mix(hash, rw->uses.value[use]);
    return (uint32_t)(mix(hash, rw->nodes.attrs[n]) >> 16);
}

static bool make_table(struct table *table, uint32_t n_nodes)
{
    size_t cap = 64;

    while (cap < (size_t)n_nodes + n_nodes / 4)
        cap *= 2;
    table->slots = calloc(cap, sizeof *table->slots);
    table->mask = cap - 1;
    for (table->nodes = 1; table->nodes < n_nodes;)
        table->nodes = table->nodes << 1 | 1;
    return table->slots != NULL;
}

/* The first node that computes what node n does; BP_NONE: n is the first, or no probe is left. */
static uint32_t find_first(const struct bp_rewrite *rw, const struct table *table, uint32_t n)
{
    uint32_t hash = hash_of(rw, n);
    size_t at = hash & table->mask;

    for (int i = 0; i < MOST_PROBES; i++, at = (at + 1) & table->mask) {
        uint32_t slot = table->slots[at], first = (slot & table->nodes) - 1;

        if (slot == 0) {
            table->slots[at] = (hash & ~table->nodes) | (n + 1);
            return BP_NONE;
        }
        if (((slot ^ hash) & ~table->nodes) == 0 && is_equal(rw, first, n))
            return first;
    }
    return BP_NONE;
}

/* ---- all ------------------------------------------------------------------------------------- */

/*
 * Producers come first, so equal chains become one in a single walk. (A value may get many readers
 * during the walk that are in no table; the next round finds them.)
 */
bp_rc bp_pass_share_equal(struct bp_rewrite *rw, bp_err *err)
{
    struct table table = {.slots = NULL};

    for (uint32_t n = 0; n < rw->ir->n_nodes; n++) {
        uint32_t rarest = is_candidate(rw, n) ? rarest_input(rw, n) : BP_NONE, first;

        if (!is_candidate(rw, n) || (rarest != BP_NONE && rw->values.count[rarest] < 2))
            continue;
        if (rarest != BP_NONE && rw->values.count[rarest] <= FEW_READERS) {
            first = find_reader(rw, rarest, n);
        } else {
            if (!table.slots && !make_table(&table, rw->ir->n_nodes))
                return bp_fail_nomem(err, "equal nodes");
            first = find_first(rw, &table, n);
        }
        if (first != BP_NONE && bp_rw_replace(rw, rw->nodes.out[n], rw->nodes.out[first]))
            rw->n_matches++;
    }
    free(table.slots);
    return BP_OK;
}
