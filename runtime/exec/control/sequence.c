/* SPDX-License-Identifier: MIT */
/*
 * sequence.c - SequenceAt, Construct, Empty, Erase, Insert, Length (opset 11); Identity of any
 * value.
 */

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "exec/control/host_op.h"
#include "exec/control/table.h"

/* The sequence of input 0. */
static bp_rc sequence_in(const struct bp_run_state *state, const struct bp_ir_node *node,
                         const bp_object **out, bp_err *err)
{
    const struct bp_cell *cell = bp_host_op_input(state, node, 0);

    *out = cell ? cell->object : NULL;
    if (!*out || (*out)->kind != BP_KIND_SEQUENCE)
        return bp_host_op_fail(node, err, BP_E_INVALID, "input 0 is not a sequence");
    return BP_OK;
}

/*
 * The position of input i among n items; negative ones count from the end, `last` is the largest.
 */
static bp_rc position_in(const struct bp_run_state *state, const struct bp_ir_node *node,
                         uint32_t i, uint32_t n, int64_t last, int64_t def, uint32_t *out,
                         bp_err *err)
{
    int64_t position;
    bp_rc rc = bp_host_op_int(state, node, i, def, &position, err);

    if (rc < 0)
        return rc;
    if (position < -(int64_t)n || position > last)
        return bp_host_op_fail(node, err, BP_E_INVALID,
                               "position %" PRId64 " is outside of -%u..%" PRId64, position, n,
                               last);
    *out = (uint32_t)(position < 0 ? position + (int64_t)n : position);
    return BP_OK;
}

/*
 * Identity-14 and later also pass sequences on, Identity-16 optionals; providers get those of
 * tensors.
 */
bp_rc bp_host_op_identity(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);

    return bp_run_set(state, node->out[0], bp_host_op_input(state, node, 0), err);
}

/* SequenceAt-11: the item is shared, not copied. */
bp_rc bp_host_op_sequence_at(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const bp_object *sequence;
    uint32_t at;
    bp_rc rc = sequence_in(state, node, &sequence, err);

    if (rc >= 0)
        rc = position_in(state, node, 1, sequence->n, (int64_t)sequence->n - 1, 0, &at, err);
    return rc < 0
               ? rc
               : bp_host_op_set_object(state, node, 0, bp_object_retain(sequence->items[at]), err);
}

/* SequenceConstruct-11: tensors are copied, as their memory is used again. */
bp_rc bp_host_op_sequence_construct(struct bp_run_state *state, const struct bp_unit *unit,
                                    bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    bp_object *sequence;
    bp_rc rc = bp_object_new(BP_KIND_SEQUENCE, node->n_in, &sequence, err);

    for (uint32_t i = 0; rc >= 0 && i < node->n_in; i++) {
        const struct bp_cell *cell = bp_host_op_input(state, node, i);

        if (cell)
            rc = bp_cell_to_object(bp_host_op_allocator(state), cell, &sequence->items[i], err);
        else
            rc = bp_host_op_fail(node, err, BP_E_INVALID, "input %u is absent", i);
    }
    if (rc >= 0)
        return bp_host_op_set_object(state, node, 0, sequence, err);
    bp_object_release(sequence);
    return rc;
}

/* SequenceEmpty-11; the element type is a fact of the plan, an empty sequence has none. */
bp_rc bp_host_op_sequence_empty(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    bp_object *sequence;
    bp_rc rc = bp_object_new(BP_KIND_SEQUENCE, 0, &sequence, err);

    return rc < 0 ? rc
                  : bp_host_op_set_object(state, bp_host_op_node(state, unit), 0, sequence, err);
}

/*
 * SequenceErase-11: a new sequence, as objects never change; the last item where no position is
 * given.
 */
bp_rc bp_host_op_sequence_erase(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const bp_object *from;
    bp_object *to;
    uint32_t at;
    bp_rc rc = sequence_in(state, node, &from, err);

    if (rc >= 0)
        rc = position_in(state, node, 1, from->n, (int64_t)from->n - 1, -1, &at, err);
    if (rc >= 0)
        rc = bp_object_new(BP_KIND_SEQUENCE, from->n - 1, &to, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < to->n; i++)
        to->items[i] = bp_object_retain(from->items[i < at ? i : i + 1]);
    return bp_host_op_set_object(state, node, 0, to, err);
}

/* SequenceInsert-11: a new sequence that shares the items; they all have one element type. */
bp_rc bp_host_op_sequence_insert(struct bp_run_state *state, const struct bp_unit *unit,
                                 bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const bp_object *from;
    bp_object *to, *item = NULL;
    uint32_t at;
    bp_rc rc = sequence_in(state, node, &from, err);

    if (rc >= 0) /* also after the last, where it goes without a position */
        rc = position_in(state, node, 2, from->n, from->n, from->n, &at, err);
    if (rc >= 0)
        rc = bp_cell_to_object(bp_host_op_allocator(state), bp_host_op_input(state, node, 1), &item,
                               err);
    if (rc >= 0 && from->n > 0 && from->items[0]->tensor.dtype != item->tensor.dtype)
        rc = bp_host_op_fail(node, err, BP_E_INVALID, "a %s tensor cannot go into a sequence of %s",
                             bp_dtype_name(item->tensor.dtype),
                             bp_dtype_name(from->items[0]->tensor.dtype));
    if (rc >= 0)
        rc = bp_object_new(BP_KIND_SEQUENCE, from->n + 1, &to, err);
    if (rc < 0) {
        bp_object_release(item);
        return rc;
    }
    for (uint32_t i = 0; i < from->n; i++)
        to->items[i < at ? i : i + 1] = bp_object_retain(from->items[i]);
    to->items[at] = item;
    return bp_host_op_set_object(state, node, 0, to, err);
}

/* SequenceLength-11: an int64 scalar. */
bp_rc bp_host_op_sequence_length(struct bp_run_state *state, const struct bp_unit *unit,
                                 bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const bp_object *sequence;
    struct bp_cell cell;
    int64_t n;
    bp_rc rc = sequence_in(state, node, &sequence, err);

    if (rc >= 0)
        rc = bp_host_op_alloc_output(state, node, 0, BP_DTYPE_I64, 0, NULL, &cell, err);
    if (rc < 0)
        return rc;
    n = sequence->n;
    memcpy(cell.base, &n, sizeof n);
    return bp_run_set(state, node->out[0], &cell, err);
}
