/* SPDX-License-Identifier: MIT */
/* sequence_map.c - SequenceMap (opset 17): a subgraph for each item of a sequence. */

#include "config.h"

#include <stdlib.h>

#include "exec/control/host_op.h"
#include "exec/control/table.h"

/* One execution of a SequenceMap node. */
struct map {
    struct bp_run_state *state;
    const struct bp_ir_node *node;
    struct bp_frame_state *child;
    uint32_t n;          /* items */
    bp_object **results; /* one an output of the node */
};

/* The sequence of an input; NULL: it is a tensor, which each run of the body gets whole. */
static const bp_object *sequence_of(const struct bp_cell *cell)
{
    return cell && cell->object && cell->object->kind == BP_KIND_SEQUENCE ? cell->object : NULL;
}

/* Input 0 is a sequence; all others that are sequences have its length. */
static bp_rc check_lengths(struct map *m, bp_err *err)
{
    const bp_object *first = sequence_of(bp_host_op_input(m->state, m->node, 0));

    if (!first)
        return bp_host_op_fail(m->node, err, BP_E_INVALID, "input 0 is not a sequence");
    m->n = first->n;
    for (uint32_t i = 1; i < m->node->n_in; i++) {
        const bp_object *other = sequence_of(bp_host_op_input(m->state, m->node, i));

        if (other && other->n != m->n)
            return bp_host_op_fail(m->node, err, BP_E_SHAPE,
                                   "input %u is a sequence of %u items, input 0 of %u", i, other->n,
                                   m->n);
    }
    return BP_OK;
}

/*
 * Runs the body for one item. Its outputs are copied into objects, as the next item overwrites
 * them.
 */
static bp_rc run_item(struct map *m, uint32_t item, bp_err *err)
{
    const struct bp_ir *ir = m->child->subgraph->ir;
    bp_rc rc = bp_run_check(m->state->shared, err);

    for (uint32_t i = 0; i < m->node->n_in; i++) {
        const struct bp_cell *cell = bp_host_op_input(m->state, m->node, i);
        const bp_object *sequence = sequence_of(cell);

        m->child->cells[ir->inputs[i]] =
            sequence ? bp_cell_of_object(sequence->items[item]) : *cell;
    }
    if (rc >= 0)
        rc = bp_subgraph_run(m->child, m->state->shared, err);
    for (uint32_t o = 0; rc >= 0 && o < m->node->n_out; o++)
        rc = bp_cell_to_object(bp_host_op_allocator(m->state), &m->child->cells[ir->outputs[o]],
                               &m->results[o]->items[item], err);
    return rc;
}

/* SequenceMap-17. Results that have not been given to the node are released after a failure. */
bp_rc bp_host_op_sequence_map(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    struct map m = {.state = state, .node = bp_host_op_node(state, unit)};
    bp_rc rc = check_lengths(&m, err);

    if (rc >= 0)
        rc = bp_host_op_named_subgraph(state, unit, "body", &m.child, err);
    if (rc < 0)
        return rc;
    m.results = calloc((size_t)m.node->n_out + 1, sizeof(bp_object *));
    if (!m.results)
        return bp_fail_nomem(err, "the items of a sequence");
    for (uint32_t o = 0; rc >= 0 && o < m.node->n_out; o++)
        rc = bp_object_new(BP_KIND_SEQUENCE, m.n, &m.results[o], err);
    for (uint32_t i = 0; rc >= 0 && i < m.n; i++)
        rc = run_item(&m, i, err);
    for (uint32_t o = 0; o < m.node->n_out; o++) {
        if (rc >= 0)
            rc = bp_host_op_set_object(state, m.node, o, m.results[o], err);
        else
            bp_object_release(m.results[o]);
    }
    free(m.results);
    return rc;
}
