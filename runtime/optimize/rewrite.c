/* SPDX-License-Identifier: MIT */
/* rewrite.c - lists of readers, and changes that keep them right. */

#include "config.h"

#include "optimize/rewrite.h"

#include <assert.h>
#include <stdlib.h>

#include "graph/seal_parts.h"

/* ---- lists of readers ------------------------------------------------------------------------ */

static uint32_t n_reads(const struct bp_ir_node *node)
{
    return node->n_in + node->n_implicit;
}

/* Value that row `slot` of a node's uses is about. */
static uint32_t *read_at(const struct bp_ir_node *node, uint32_t slot)
{
    return slot < node->n_in ? &node->in[slot] : &node->implicit[slot - node->n_in];
}

static void link_use(struct bp_rewrite *rw, uint32_t row, uint32_t node, uint32_t value)
{
    struct bp_rw_use *use = &rw->uses[row];

    *use = (struct bp_rw_use){node, value, BP_NONE, BP_NONE};
    if (value == BP_NONE)
        return;
    use->next = rw->values[value].head;
    if (use->next != BP_NONE)
        rw->uses[use->next].prev = row;
    rw->values[value].head = row;
    rw->values[value].count++;
}

/* The producer of what lost its last reader is looked at by sweep(). */
static void unlink_use(struct bp_rewrite *rw, uint32_t row, uint32_t value)
{
    struct bp_rw_use *use = &rw->uses[row];
    uint32_t producer;

    if (value == BP_NONE)
        return;
    if (use->prev != BP_NONE)
        rw->uses[use->prev].next = use->next;
    else
        rw->values[value].head = use->next;
    if (use->next != BP_NONE)
        rw->uses[use->next].prev = use->prev;
    producer = rw->values[value].producer;
    if (--rw->values[value].count == 0 && producer != BP_NONE && rw->n_queue < rw->cap_queue)
        rw->queue[rw->n_queue++] = producer;
}

/* Rows for a node's reads; BP_NONE: no memory. */
static uint32_t new_rows(struct bp_rewrite *rw, uint32_t n)
{
    uint32_t first = rw->n_uses;

    if (n > rw->cap_uses - rw->n_uses) {
        size_t cap = ((size_t)rw->n_uses + n) * 3 / 2 + 64;
        struct bp_rw_use *uses = cap < BP_NONE ? realloc(rw->uses, cap * sizeof *uses) : NULL;

        if (!uses)
            return BP_NONE;
        rw->uses = uses;
        rw->cap_uses = (uint32_t)cap;
    }
    rw->n_uses += n;
    return first;
}

static bool is_needed(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    for (uint32_t i = 0; i < node->n_out; i++) {
        uint32_t v = node->out[i];

        if (v != BP_NONE && (rw->values[v].count > 0 || rw->values[v].flags & BP_IR_OUTPUT))
            return true;
    }
    return !node->schema /* who asks for what nobody knows shall hear of it */ || bp_rw_stays(node);
}

static void kill(struct bp_rewrite *rw, uint32_t n)
{
    struct bp_ir_node *node = &rw->ir->nodes[n];
    uint32_t first = rw->nodes[n].first_use;

    rw->nodes[n].first_use = BP_NONE;
    rw->nodes[n].key = 0;
    rw->n_alive--;
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] != BP_NONE && rw->values[node->out[i]].producer == n)
            bp_rw_set_producer(rw, node->out[i], BP_NONE);
    }
    for (uint32_t slot = 0; slot < n_reads(node); slot++)
        unlink_use(rw, first + slot, *read_at(node, slot));
}

/* A node comes into the queue once for each output at most, as values that nobody reads stay so. */
static void sweep(struct bp_rewrite *rw)
{
    while (rw->n_queue > 0) {
        uint32_t n = rw->queue[--rw->n_queue];

        if (!bp_rw_is_dead(rw, n) && !is_needed(rw, &rw->ir->nodes[n]))
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
    if (!bp_rw_is_dead(rw, n) && !is_needed(rw, &rw->ir->nodes[n]))
        bp_rw_drop(rw, n);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Room for one value more in what is kept for each. */
static bool grow_values(struct bp_rewrite *rw)
{
    size_t cap = (size_t)rw->ir->n_values + rw->ir->n_values / 4 + 16;
    struct bp_fact *facts = realloc(rw->facts, cap * sizeof *facts);
    struct bp_rw_value *values;

    if (facts)
        rw->facts = facts;
    values = realloc(rw->values, cap * sizeof *values);
    if (values)
        rw->values = values;
    if (!facts || !values)
        return false;
    rw->cap_values = (uint32_t)cap;
    return true;
}

bool bp_rw_room(struct bp_rewrite *rw)
{
    return rw->ir->n_values <= rw->cap_values || grow_values(rw);
}

/*
 * Names of operators that the host knows are those of its schemas: a few that stay in caches, while
 * each node of a model has read its own from the file.
 */
static void share_names(struct bp_ir_node *node)
{
    const struct bp_schema *schema = node->schema;

    if (!schema || schema->is_custom || strcmp(schema->op, node->op) != 0 ||
        strcmp(schema->domain, node->domain) != 0)
        return;
    node->op = schema->op;
    node->domain = schema->domain;
}

/* What bp_rw_is() goes by; 0 also for a node that it shall not find. */
static uint32_t key_of(const struct bp_ir_node *node)
{
    bool is_known = node->domain[0] == '\0' || strcmp(node->domain, "com.microsoft") == 0;

    return is_known && node->schema && !bp_rw_stays(node) ? bp_rw_key(node->op) : 0;
}

void bp_rw_refresh(struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node = &rw->ir->nodes[n];

    rw->nodes[n].key = key_of(node);
    rw->nodes[n].out = node->n_out > 0 ? node->out[0] : BP_NONE;
}

static bool list_uses(struct bp_rewrite *rw)
{
    struct bp_ir *ir = rw->ir;

    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        struct bp_ir_node *node = &ir->nodes[n];
        uint32_t first = new_rows(rw, n_reads(node));

        if (first == BP_NONE)
            return false;
        share_names(node);
        rw->nodes[n].first_use = first;
        rw->nodes[n].n_in = node->n_in;
        bp_rw_refresh(rw, n);
        for (uint32_t slot = 0; slot < n_reads(node); slot++) {
            uint32_t value = *read_at(node, slot);

            link_use(rw, first + slot, n, value);
            if (slot >= node->n_in)
                rw->values[value].flags |= BP_RW_CAPTURED;
        }
    }
    return true;
}

bp_rc bp_rw_init(struct bp_rewrite *rw, struct bp_ir *ir, struct bp_fact *facts,
                 struct bp_symbols *symbols, struct bp_region *scratch, bp_err *err)
{
    size_t n_outputs = 0;

    *rw = (struct bp_rewrite){.ir = ir, .symbols = symbols, .scratch = scratch};
    for (uint32_t n = 0; n < ir->n_nodes; n++)
        n_outputs += ir->nodes[n].n_out;
    rw->n_alive = ir->n_nodes;
    rw->cap_queue = n_outputs < BP_NONE ? (uint32_t)n_outputs : BP_NONE;
    rw->queue = malloc((n_outputs + 1) * sizeof *rw->queue);
    rw->nodes = calloc((size_t)ir->n_nodes + 1, sizeof *rw->nodes);
    if (!rw->queue || !rw->nodes || !grow_values(rw))
        return bp_fail_nomem(err, "the passes over a graph");
    memcpy(rw->facts, facts, ir->n_values * sizeof *facts);
    for (uint32_t v = 0; v < ir->n_values; v++)
        rw->values[v] = (struct bp_rw_value){BP_NONE, 0, ir->values[v].producer,
                                             ir->values[v].flags |
                                                 (facts[v].content ? BP_RW_FOLLOWED : 0)};
    return list_uses(rw) ? BP_OK : bp_fail_nomem(err, "the passes over a graph");
}

bp_rc bp_rw_seal(struct bp_rewrite *rw, bp_err *err)
{
    struct bp_ir *ir = rw->ir;
    uint32_t n_left = 0;

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
    for (uint32_t v = 0; v < ir->n_values; v++) { /* bytes that nobody needs are not read */
        struct bp_ir_value *value = &ir->values[v];

        if (rw->values[v].count == 0 &&
            !(value->flags & (BP_IR_INPUT | BP_IR_OUTPUT | BP_IR_CAPTURED)))
            value->flags &= ~(uint32_t)BP_IR_CONSTANT;
        if (value->flags & BP_IR_CONSTANT)
            bp_rw_number_data(value->data);
    }
    return bp_ir_order(ir, err);
}

void bp_rw_finish(struct bp_rewrite *rw)
{
    free(rw->facts);
    free(rw->values);
    free(rw->queue);
    free(rw->nodes);
    free(rw->uses);
    *rw = (struct bp_rewrite){0};
}

/* ---- inputs and outputs ---------------------------------------------------------------------- */

bp_rc bp_rw_set_inputs(struct bp_rewrite *rw, uint32_t n, uint32_t n_in, const uint32_t *in,
                       bp_err *err)
{
    struct bp_ir_node *node = &rw->ir->nodes[n];
    uint32_t *list = bp_region_array(rw->ir->region, n_in, sizeof *list);
    uint32_t old = rw->nodes[n].first_use, old_n = n_reads(node);
    uint32_t first = new_rows(rw, n_in + node->n_implicit);
    struct bp_ir_node was = *node;

    if (!list || first == BP_NONE)
        return bp_fail_nomem(err, "the inputs of a node");
    if (n_in > 0)
        memcpy(list, in, n_in * sizeof *in);
    node->in = list;
    node->n_in = n_in;
    rw->nodes[n].first_use = first;
    rw->nodes[n].n_in = n_in;
    for (uint32_t slot = 0; slot < n_reads(node); slot++) /* before the old ones may go */
        link_use(rw, first + slot, n, *read_at(node, slot));
    for (uint32_t slot = 0; slot < old_n; slot++)
        unlink_use(rw, old + slot, *read_at(&was, slot));
    sweep(rw);
    return BP_OK;
}

bp_rc bp_rw_set_input(struct bp_rewrite *rw, uint32_t n, uint32_t i, uint32_t value, bp_err *err)
{
    const struct bp_ir_node *node = &rw->ir->nodes[n];
    uint32_t *in = bp_region_array(rw->scratch, node->n_in, sizeof *in);

    assert(i < node->n_in);
    if (!in)
        return bp_fail_nomem(err, "the inputs of a node");
    memcpy(in, node->in, node->n_in * sizeof *in);
    in[i] = value;
    return bp_rw_set_inputs(rw, n, node->n_in, in, err);
}

/* Moves all readers of one value to another; none is a body. */
static void move_uses(struct bp_rewrite *rw, uint32_t from, uint32_t to)
{
    struct bp_rw_value *of = &rw->values[from], *by = &rw->values[to];
    uint32_t row = of->head, last = BP_NONE;

    for (; row != BP_NONE; row = rw->uses[row].next) {
        uint32_t n = rw->uses[row].node;

        rw->ir->nodes[n].in[row - rw->nodes[n].first_use] = to;
        rw->uses[row].value = to;
        last = row;
    }
    if (last == BP_NONE)
        return;
    rw->uses[last].next = by->head;
    if (by->head != BP_NONE)
        rw->uses[by->head].prev = last;
    by->head = of->head;
    by->count += of->count;
    of->head = BP_NONE;
    of->count = 0;
}

/* The producer of `by` writes the output `value` in its place; the one that wrote it goes. */
static bool write_output(struct bp_rewrite *rw, uint32_t value, uint32_t by)
{
    const struct bp_rw_value *values = rw->values;
    uint32_t maker = values[by].producer, copier = values[value].producer;
    struct bp_ir_node *node;

    if (maker == BP_NONE || copier == BP_NONE ||
        values[by].flags & (BP_IR_OUTPUT | BP_IR_INPUT | BP_IR_CONSTANT | BP_RW_CAPTURED) ||
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
    uint32_t producer = rw->values[value].producer;

    if (value == by)
        return false;
    if (rw->values[value].flags & BP_IR_OUTPUT)
        return write_output(rw, value, by);
    if (rw->values[value].flags & BP_RW_CAPTURED)
        return false;
    move_uses(rw, value, by);
    if (producer != BP_NONE)
        bp_rw_drop_unused(rw, producer);
    return true;
}
