/* SPDX-License-Identifier: MIT */
/*
 * share_shapes.c - nodes that compute the same shape by different operators become one: shape
 * inference knows that their elements are equal symbols.
 *
 * Conditions: at most 16 elements, rank 0 or 1, at least one symbolic. Bits: unchanged.
 */

#include "config.h"

#include "optimize/passes.h"

#include <stdlib.h>

#include "base/strmap.h"

enum {
    MOST_SIZES = 16, /* elements of a shape that are compared */
    MOST_PROBES = 16 /* as in share_equal.c */
};

static bool is_followed(const struct bp_fact *fact)
{
    bool is_symbolic = false; /* fold_constants makes a constant of the others */

    if (fact->kind != BP_KIND_TENSOR || !fact->content || fact->n_content > MOST_SIZES ||
        fact->dtype == BP_DTYPE_NONE || fact->rank > 1)
        return false;
    for (uint32_t i = 0; i < fact->n_content; i++)
        is_symbolic |= !bp_sym_known(fact->content[i]);
    return is_symbolic;
}

static bool same_content(const struct bp_fact *a, const struct bp_fact *b)
{
    if (a->dtype != b->dtype || a->rank != b->rank || a->n_content != b->n_content)
        return false;
    for (uint32_t i = 0; i < a->n_content; i++) {
        if (!bp_sym_equal(a->content[i], b->content[i]))
            return false;
    }
    return true;
}

static uint64_t hash_of(const struct bp_fact *fact)
{
    uint64_t key[2 * MOST_SIZES + 2] = {fact->dtype, fact->rank};

    for (uint32_t i = 0; i < fact->n_content; i++) {
        key[2 * i + 2] = fact->content[i].symbol;
        key[2 * i + 3] = fact->content[i].symbol ? 0 : (uint64_t)fact->content[i].value;
    }
    return bp_keyed_hash(key, (2 * fact->n_content + 2) * sizeof *key);
}

/*
 * table: index plus 1 of the first value with its elements; 0: free. A value that has lost its producer,
 * because its readers read another by now, is overwritten.
 */
static bool take_first(struct bp_rewrite *rw, uint32_t *table, size_t mask, uint32_t value)
{
    size_t at = hash_of(&rw->facts[value]) & mask;

    for (int i = 0; i < MOST_PROBES; i++, at = (at + 1) & mask) {
        if (table[at] == 0 || bp_rw_producer(rw, table[at] - 1) == BP_NONE) {
            table[at] = value + 1;
            return false;
        }
        if (same_content(&rw->facts[table[at] - 1], &rw->facts[value]))
            return !(rw->ir->values[value].flags & BP_IR_OUTPUT) &&
                   bp_rw_replace(rw, value, table[at] - 1);
    }
    return false;
}

/* A node that computes shapes only, and whose output may be replaced. */
static bool may_share(const struct bp_rewrite *rw, uint32_t n)
{
    uint32_t out = rw->nodes.out[n];
    const struct bp_ir_node *node =
        out != BP_NONE && rw->values.flags[out] & BP_RW_FOLLOWED ? bp_rw_node(rw, n) : NULL;

    return node && node->schema && node->n_subgraphs == 0 && node->n_out == 1 &&
           node->out[0] != BP_NONE && !bp_rw_is_random(node) &&
           !bp_node_is_host_op(node, rw->facts) && is_followed(&rw->facts[node->out[0]]);
}

bp_rc bp_pass_share_shapes(struct bp_rewrite *rw, bp_err *err)
{
    size_t cap = 64;
    uint32_t *table = NULL;

    while (cap < (size_t)rw->ir->n_nodes * 2)
        cap *= 2;
    for (uint32_t n = 0; n < rw->ir->n_nodes; n++) {
        if (!may_share(rw, n))
            continue;
        if (!table)
            table = calloc(cap, sizeof *table);
        if (!table)
            return bp_fail_nomem(err, "equal sizes");
        if (take_first(rw, table, cap - 1, rw->nodes.out[n]))
            rw->n_matches++;
    }
    free(table);
    return BP_OK;
}
