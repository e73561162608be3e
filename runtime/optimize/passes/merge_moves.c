/* SPDX-License-Identifier: MIT */
/*
 * merge_moves.c - Transpose -> Transpose becomes one with both permutations; Reshape, Flatten,
 * Squeeze or Unsqueeze -> Reshape becomes the last alone.
 *
 * The first node stays for its other readers. Bits: unchanged.
 */

#include "config.h"

#include "optimize/passes.h"

enum { MOST_AXES = 64 };

static const int64_t *perm_of(const struct bp_ir_node *node, uint32_t *n)
{
    return bp_ir_attr_ints(node, "perm", n);
}

/* Output axis i of the second is axis b[i] of its input, which is axis a[b[i]] of x. */
static bp_rc merge_transpose(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    struct bp_ir_node *node = bp_rw_node(rw, n);
    uint32_t before = bp_rw_producer(rw, node->in[0]), n_a, n_b, from;
    const int64_t *a, *b;
    int64_t both[MOST_AXES];
    bp_rc rc;

    if (before == BP_NONE || !bp_rw_is(rw, before, "Transpose"))
        return BP_OK;
    a = perm_of(&rw->ir->nodes[before], &n_a);
    b = perm_of(node, &n_b);
    if (!a || !b || n_a != n_b || n_a > MOST_AXES)
        return BP_OK;
    for (uint32_t i = 0; i < n_b; i++) {
        if (b[i] < 0 || b[i] >= (int64_t)n_a)
            return BP_OK;
        both[i] = a[b[i]];
    }
    from = bp_rw_input(rw, before, 0);
    rc = bp_rw_stand_for(rw, n, before, err);
    if (rc >= 0)
        rc = bp_rw_set_attr(rw, n, "perm", BP_ATTR_INT, both, n_b, true, err);
    if (rc >= 0)
        rc = bp_rw_set_input(rw, n, 0, from, err);
    rw->n_matches++;
    return rc;
}

static bool gives_shape(const struct bp_rewrite *rw, uint32_t n)
{
    static const char *const ops[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (n != BP_NONE && bp_rw_is(rw, n, ops[i]))
            return true;
    }
    return false;
}

/* A 0 in a shape copies a dimension of the input, which would be another input then. */
static bool takes_no_sizes(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    int64_t shape[MOST_AXES];
    uint32_t n;

    if (!bp_rw_ints(rw, bp_rw_in(node, 1), shape, MOST_AXES, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (shape[i] == 0)
            return false;
    }
    return true;
}

static bp_rc merge_reshape(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    struct bp_ir_node *node = bp_rw_node(rw, n);
    uint32_t before = bp_rw_producer(rw, node->in[0]);
    bp_rc rc;

    if (!gives_shape(rw, before) || !takes_no_sizes(rw, node))
        return BP_OK;
    rc = bp_rw_stand_for(rw, n, before, err);
    if (rc >= 0)
        rc = bp_rw_set_input(rw, n, 0, bp_rw_input(rw, before, 0), err);
    rw->n_matches++;
    return rc;
}

bp_rc bp_pass_merge_moves(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Transpose"))
            rc = merge_transpose(rw, n, err);
        else if (bp_rw_is(rw, n, "Reshape"))
            rc = merge_reshape(rw, n, err);
    }
    return rc;
}
