/* SPDX-License-Identifier: MIT */
/* seal_order.c - puts nodes into an order in which they can run (Kahn's algorithm, with a heap). */

#include "config.h"

#include <stdlib.h>

#include "graph/seal_parts.h"

/* All are one a node, but for readers: one an edge. */
struct sort {
    size_t *first;     /* of a node's edges in readers, one more at the end */
    uint32_t *readers; /* nodes that read what a node writes */
    uint32_t *waits;   /* edges into a node from nodes that were not placed yet */
    uint32_t *heap;    /* nodes that can run, the smallest index on top */
    uint32_t *place;   /* where a node went, or BP_NONE */
    uint32_t n_heap;
};

/* Value k of all that a node needs, its subgraphs included; BP_NONE for absent ones. */
static uint32_t needed(const struct bp_ir_node *node, uint32_t k)
{
    return k < node->n_in ? node->in[k] : node->implicit[k - node->n_in];
}

/* The node that needed value k waits for, or BP_NONE. */
static uint32_t waits_for(const struct bp_ir *ir, const struct bp_ir_node *node, uint32_t k)
{
    uint32_t value = needed(node, k);

    return value == BP_NONE ? BP_NONE : ir->values[value].producer;
}

/*
 * Do all producers come before their readers already? ONNX asks for it, and most files keep to
 * it.
 */
static bool is_ordered(const struct bp_ir *ir)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        for (uint32_t k = 0; k < node->n_in + node->n_implicit; k++) {
            uint32_t producer = waits_for(ir, node, k);

            if (producer != BP_NONE && producer >= i)
                return false;
        }
    }
    return true;
}

/*
 * A binary heap of nodes that can run; the smallest index is on top, so that the order of the
 * file counts.
 */
static void push(struct sort *sort, uint32_t node)
{
    uint32_t i = sort->n_heap++;

    for (; i > 0 && sort->heap[(i - 1) / 2] > node; i = (i - 1) / 2)
        sort->heap[i] = sort->heap[(i - 1) / 2];
    sort->heap[i] = node;
}

/* Takes the node with the smallest index. There is one. */
static uint32_t pop(struct sort *sort)
{
    uint32_t top = sort->heap[0], last = sort->heap[--sort->n_heap], i = 0, child;

    while ((child = 2 * i + 1) < sort->n_heap) {
        if (child + 1 < sort->n_heap && sort->heap[child + 1] < sort->heap[child])
            child++;
        if (sort->heap[child] >= last)
            break;
        sort->heap[i] = sort->heap[child];
        i = child;
    }
    sort->heap[i] = last;
    return top;
}

/* The edges, kept by the node they come from; first[] has counts, then ends, then starts. */
static bool list_readers(const struct bp_ir *ir, struct sort *sort)
{
    size_t total = 0;

    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        for (uint32_t k = 0; k < node->n_in + node->n_implicit; k++) {
            uint32_t producer = waits_for(ir, node, k);

            if (producer == BP_NONE)
                continue;
            sort->first[producer]++;
            sort->waits[i]++;
            total++;
        }
    }
    sort->readers = calloc(total + 1, sizeof *sort->readers);
    if (!sort->readers)
        return false;
    for (uint32_t i = 1; i <= ir->n_nodes; i++)
        sort->first[i] += sort->first[i - 1];
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        for (uint32_t k = 0; k < node->n_in + node->n_implicit; k++) {
            uint32_t producer = waits_for(ir, node, k);

            if (producer != BP_NONE)
                sort->readers[--sort->first[producer]] = i;
        }
    }
    return true;
}

/* The node that was not placed and that `node`, not placed either, waits for. */
static uint32_t waits_in_vain(const struct bp_ir *ir, const struct sort *sort, uint32_t node)
{
    for (uint32_t k = 0;; k++) {
        uint32_t producer = waits_for(ir, &ir->nodes[node], k);

        if (producer != BP_NONE && sort->place[producer] == BP_NONE)
            return producer;
    }
}

/* Goes from a node that was not placed to one it waits for, till it comes to one a second time. */
static bp_rc fail_cycle(const struct bp_ir *ir, struct sort *sort, bp_err *err)
{
    uint32_t *path = sort->heap, *step = sort->waits; /* of no other use any more */
    uint32_t n = 0, at = 0, len;
    const struct bp_ir_node *named[3];

    while (sort->place[at] != BP_NONE)
        at++;
    memset(step, 0xff, ir->n_nodes * sizeof *step);
    for (; step[at] == BP_NONE; at = waits_in_vain(ir, sort, at)) {
        step[at] = n;
        path[n++] = at;
    }
    len = n - step[at];
    for (uint32_t i = 0; i < 3; i++)
        named[i] = &ir->nodes[path[step[at] + i % len]];
    if (len == 1)
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_CYCLE,
                              "node '%s' (%s) reads its own output", named[0]->name, named[0]->op);
    if (len == 2)
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_CYCLE,
                              "nodes '%s' (%s) and '%s' (%s) read each other's output",
                              named[0]->name, named[0]->op, named[1]->name, named[1]->op);
    return bp_fail_detail(
        err, BP_E_INVALID, BP_DETAIL_CYCLE,
        "%u nodes wait for each other in a circle: '%s' (%s), '%s' (%s), '%s' (%s)%s", len,
        named[0]->name, named[0]->op, named[1]->name, named[1]->op, named[2]->name, named[2]->op,
        len > 3 ? "..." : "");
}

/*
 * Gives each node its place in the order. Fewer placed than there are: the rest waits for each
 * other in a cycle.
 */
static void place_nodes(const struct bp_ir *ir, struct sort *sort, uint32_t *n_placed)
{
    *n_placed = 0;
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        sort->place[i] = BP_NONE;
        if (sort->waits[i] == 0)
            push(sort, i);
    }
    while (sort->n_heap > 0) {
        uint32_t node = pop(sort);

        sort->place[node] = (*n_placed)++;
        for (size_t e = sort->first[node]; e < sort->first[node + 1]; e++) {
            if (--sort->waits[sort->readers[e]] == 0)
                push(sort, sort->readers[e]);
        }
    }
}

/*
 * Moves the nodes to their places and sets the producers of values anew, which are indices of
 * nodes.
 */
static bp_rc move_nodes(struct bp_ir *ir, const uint32_t *place, bp_err *err)
{
    struct bp_ir_node *moved = bp_region_array(ir->region, ir->n_nodes, sizeof *moved);

    if (!moved)
        return bp_fail_nomem(err, "the nodes of a graph");
    for (uint32_t i = 0; i < ir->n_nodes; i++)
        moved[place[i]] = ir->nodes[i];
    ir->nodes = moved;
    ir->cap_nodes = ir->n_nodes;
    for (uint32_t i = 0; i < ir->n_values; i++) {
        if (ir->values[i].producer != BP_NONE)
            ir->values[i].producer = place[ir->values[i].producer];
    }
    return BP_OK;
}

bp_rc bp_ir_order(struct bp_ir *ir, bp_err *err)
{
    struct sort sort = {0};
    uint32_t n_placed;
    bp_rc rc;

    if (is_ordered(ir))
        return BP_OK;
    sort.first = calloc((size_t)ir->n_nodes + 1, sizeof *sort.first);
    sort.waits = calloc(ir->n_nodes, sizeof *sort.waits);
    sort.heap = calloc(ir->n_nodes, sizeof *sort.heap);
    sort.place = calloc(ir->n_nodes, sizeof *sort.place);
    if (!sort.first || !sort.waits || !sort.heap || !sort.place || !list_readers(ir, &sort)) {
        rc = bp_fail_nomem(err, "the order of nodes");
        goto out;
    }
    place_nodes(ir, &sort, &n_placed);
    rc = n_placed == ir->n_nodes ? move_nodes(ir, sort.place, err) : fail_cycle(ir, &sort, err);
out:
    free(sort.first);
    free(sort.readers);
    free(sort.waits);
    free(sort.heap);
    free(sort.place);
    return rc;
}
