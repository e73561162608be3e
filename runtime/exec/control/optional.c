/* SPDX-License-Identifier: MIT */
/* optional.c - Optional (opset 15), OptionalGetElement and OptionalHasElement (15, 18). */

#include "config.h"

#include "exec/control/host_op.h"
#include "exec/control/table.h"

/* Optional-15: without an input the optional is empty, of the type that the attribute says. */
bp_rc bp_host_op_optional(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const struct bp_cell *cell = bp_host_op_input(state, node, 0);
    bp_object *optional;
    bp_rc rc = bp_object_new(BP_KIND_OPTIONAL, cell ? 1 : 0, &optional, err);

    if (rc >= 0 && cell)
        rc = bp_cell_to_object(bp_host_op_allocator(state), cell, &optional->items[0], err);
    if (rc >= 0)
        return bp_host_op_set_object(state, node, 0, optional, err);
    bp_object_release(optional);
    return rc;
}

/*
 * OptionalGetElement-15; since version 18 the input may also be a tensor or sequence, which is the
 * result.
 */
bp_rc bp_host_op_optional_get(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const struct bp_cell *cell = bp_host_op_input(state, node, 0);

    if (!cell)
        return bp_host_op_fail(node, err, BP_E_INVALID, "there is no input to take a value from");
    if (!cell->object || cell->object->kind != BP_KIND_OPTIONAL)
        return bp_run_set(state, node->out[0], cell, err);
    if (cell->object->n == 0)
        return bp_host_op_fail(node, err, BP_E_INVALID,
                               "the optional has no value; ask OptionalHasElement first");
    return bp_host_op_set_object(state, node, 0, bp_object_retain(cell->object->items[0]), err);
}

/* OptionalHasElement-15; since version 18 an absent input is one without an element. */
bp_rc bp_host_op_optional_has(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const struct bp_cell *in = bp_host_op_input(state, node, 0);
    struct bp_cell cell;
    bp_rc rc = bp_host_op_alloc_output(state, node, 0, BP_DTYPE_BOOL, 0, NULL, &cell, err);

    if (rc < 0)
        return rc;
    *(uint8_t *)cell.base =
        in && !(in->object && in->object->kind == BP_KIND_OPTIONAL && in->object->n == 0);
    return bp_run_set(state, node->out[0], &cell, err);
}
