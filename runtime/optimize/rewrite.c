/* SPDX-License-Identifier: MIT */
/*
 * rewrite.c - the lists of readers, and changes that keep them right.
 *
 * Removing a node is iterative: a queue, not recursion, because a hostile chain of 10^6 nodes would
 * overflow the stack.
 */

#include "config.h"

#include "optimize/rewrite.h"

#include <assert.h>

/* ---- lists of readers ------------------------------------------------------------------------ */

/* New uses go to the front of the value's list: O(1). */
void bp_rw_link(struct bp_rewrite *rw, uint32_t use, uint32_t n, uint32_t value)
{
    struct bp_rw_uses *uses = &rw->uses;
    uint32_t next = value == BP_NONE ? BP_NONE : rw->values.head[value];

    uses->node[use] = n;
    uses->value[use] = value;
    uses->next[use] = next;
    uses->prev[use] = BP_NONE;
    if (value == BP_NONE)
        return;
    if (next != BP_NONE)
        uses->prev[next] = use;
    rw->values.head[value] = use;
    rw->values.count[value]++;
}

/* How many uses a living node has: inputs and captured values. */
static uint32_t uses_of(const struct bp_rewrite *rw, uint32_t n)
{
    return rw->nodes.n_in[n] +
           (rw->nodes.flags[n] & BP_RW_CAPTURES ? rw->ir->nodes[n].n_implicit : 0);
}

/* When a value loses its last reader, its producer goes into the queue; sweep() removes it. */
static void unlink_use(struct bp_rewrite *rw, uint32_t use)
{
    struct bp_rw_uses *uses = &rw->uses;
    uint32_t value = uses->value[use], next = uses->next[use], prev = uses->prev[use], producer;

    if (value == BP_NONE)
        return;
    if (prev != BP_NONE)
        uses->next[prev] = next;
    else
        rw->values.head[value] = next;
    if (next != BP_NONE)
        uses->prev[next] = prev;
    producer = rw->values.producer[value];
    if (--rw->values.count[value] == 0 && producer != BP_NONE && rw->n_queue < rw->cap_queue)
        rw->queue[rw->n_queue++] = producer;
}

/* A node without a schema stays, because compiling must report that nothing can run it. */
static bool is_needed(const struct bp_rewrite *rw, uint32_t n)
{
    return rw->nodes.flags[n] & (BP_RW_STAYS | BP_RW_UNKNOWN) || bp_rw_is_wanted(rw, n);
}

/* The output has no producer any more, unless another node has taken it over already. */
static void lose_output(struct bp_rewrite *rw, uint32_t n, uint32_t value)
{
    if (value != BP_NONE && rw->values.producer[value] == n)
        bp_rw_set_producer(rw, value, BP_NONE);
}

/* Marks the node dead and drops its uses; bp_rw_seal() removes its row. */
static void kill(struct bp_rewrite *rw, uint32_t n)
{
    uint32_t first = rw->nodes.first_use[n], n_uses = uses_of(rw, n);

    rw->nodes.first_use[n] = BP_NONE;
    rw->nodes.key[n] = 0;
    rw->n_alive--;
    if (rw->nodes.flags[n] & BP_RW_SEVERAL) {
        for (uint32_t i = 0; i < rw->ir->nodes[n].n_out; i++)
            lose_output(rw, n, rw->ir->nodes[n].out[i]);
    } else {
        lose_output(rw, n, rw->nodes.out[n]);
    }
    for (uint32_t use = first; use < first + n_uses; use++)
        unlink_use(rw, use);
}

/*
 * A node enters the queue at most once for each output, because a value without readers gets none.
 */
static void sweep(struct bp_rewrite *rw)
{
    while (rw->n_queue > 0) {
        uint32_t n = rw->queue[--rw->n_queue];

        if (!bp_rw_is_dead(rw, n) && !is_needed(rw, n))
            kill(rw, n);
    }
}

void bp_rw_drop(struct bp_rewrite *rw, uint32_t n)
{
    if (!bp_rw_is_dead(rw, n))
        kill(rw, n);
    sweep(rw);
}

void bp_rw_drop_unused(struct bp_rewrite *rw, uint32_t n)
{
    if (!bp_rw_is_dead(rw, n) && !is_needed(rw, n))
        bp_rw_drop(rw, n);
}

/* ---- inputs and outputs ---------------------------------------------------------------------- */

bp_rc bp_rw_set_reads(struct bp_rewrite *rw, uint32_t n, uint32_t n_in, const uint32_t *in,
                      uint32_t n_implicit, uint32_t *implicit, bp_err *err)
{
    struct bp_ir_node *node = &rw->ir->nodes[n];
    uint32_t *list = bp_region_array(rw->ir->region, n_in, sizeof *list);
    uint32_t old = rw->nodes.first_use[n], n_old = uses_of(rw, n);
    uint32_t first = bp_rw_new_uses(rw, n_in + n_implicit);

    if (!list || first == BP_NONE)
        return bp_fail_nomem(err, "the inputs of a node");
    if (n_in > 0)
        memcpy(list, in, n_in * sizeof *in);
    node->in = list;
    node->n_in = n_in;
    node->implicit = implicit;
    node->n_implicit = n_implicit;
    rw->nodes.first_use[n] = first;
    rw->nodes.n_in[n] = n_in;
    rw->nodes.flags[n] &= ~(uint32_t)BP_RW_STALE;
    for (uint32_t slot = 0; slot < bp_rw_n_reads(node); slot++) /* before the old ones may go */
        bp_rw_link(rw, first + slot, n, bp_rw_read_at(node, slot));
    for (uint32_t i = 0; i < n_implicit; i++)
        rw->values.flags[implicit[i]] |= BP_RW_CAPTURED;
    bp_rw_refresh(rw, n);
    for (uint32_t use = old; use < old + n_old; use++)
        unlink_use(rw, use);
    sweep(rw);
    return BP_OK;
}

bp_rc bp_rw_set_inputs(struct bp_rewrite *rw, uint32_t n, uint32_t n_in, const uint32_t *in,
                       bp_err *err)
{
    const struct bp_ir_node *node = &rw->ir->nodes[n];

    return bp_rw_set_reads(rw, n, n_in, in, node->n_implicit, node->implicit, err);
}

bp_rc bp_rw_set_input(struct bp_rewrite *rw, uint32_t n, uint32_t i, uint32_t value, bp_err *err)
{
    uint32_t n_in = rw->nodes.n_in[n];
    uint32_t *in = bp_region_array(rw->scratch, n_in, sizeof *in);

    assert(i < n_in);
    if (!in)
        return bp_fail_nomem(err, "the inputs of a node");
    for (uint32_t k = 0; k < n_in; k++)
        in[k] = k == i ? value : bp_rw_input(rw, n, k);
    return bp_rw_set_inputs(rw, n, n_in, in, err);
}

/* Moves all readers of one value to another in one step; no reader is a subgraph. */
static void move_uses(struct bp_rewrite *rw, uint32_t from, uint32_t to)
{
    struct bp_rw_uses *uses = &rw->uses;
    struct bp_rw_values *values = &rw->values;
    uint32_t last = BP_NONE;

    for (uint32_t use = values->head[from]; use != BP_NONE; use = uses->next[use]) {
        rw->nodes.flags[uses->node[use]] |= BP_RW_STALE;
        uses->value[use] = to;
        last = use;
    }
    if (last == BP_NONE)
        return;
    uses->next[last] = values->head[to];
    if (values->head[to] != BP_NONE)
        uses->prev[values->head[to]] = last;
    values->head[to] = values->head[from];
    values->count[to] += values->count[from];
    values->head[from] = BP_NONE;
    values->count[from] = 0;
}

/*
 * The producer of `by` writes the graph's output `value` instead; the node that wrote it is
 * removed. The output keeps its name, which the application knows.
 */
static bool write_output(struct bp_rewrite *rw, uint32_t value, uint32_t by)
{
    uint32_t maker = rw->values.producer[by], copier = rw->values.producer[value];
    struct bp_ir_node *node;

    if (maker == BP_NONE || copier == BP_NONE ||
        rw->values.flags[by] & (BP_IR_OUTPUT | BP_IR_INPUT | BP_IR_CONSTANT | BP_RW_CAPTURED) ||
        !bp_rw_one_output(rw, copier))
        return false;
    node = &rw->ir->nodes[maker];
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] == by)
            node->out[i] = value;
    }
    bp_rw_set_producer(rw, value, maker);
    bp_rw_set_producer(rw, by, BP_NONE);
    bp_rw_refresh(rw, maker);
    kill(rw, copier);
    move_uses(rw, by, value);
    sweep(rw);
    return true;
}

bool bp_rw_replace(struct bp_rewrite *rw, uint32_t value, uint32_t by)
{
    uint32_t producer = rw->values.producer[value];

    if (value == by)
        return false;
    if (rw->values.flags[value] & BP_IR_OUTPUT)
        return write_output(rw, value, by);
    if (rw->values.flags[value] & BP_RW_CAPTURED)
        return false;
    move_uses(rw, value, by);
    if (producer != BP_NONE)
        bp_rw_drop_unused(rw, producer);
    return true;
}
