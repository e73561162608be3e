/* SPDX-License-Identifier: MIT */
/* loop.c - Loop (opsets 1, 11, 13, 16, 19 to 25), and what Scan shares with it: carried values. */

#include "config.h"

#include "exec/control/loop.h"
#include "exec/control/table.h"

#include <string.h>

/* ---- carried values -------------------------------------------------------------------------- */

/* The new object is retained before the old one goes: they may be the same. */
void bp_carry_start(struct bp_carried *carried, const struct bp_cell *initial)
{
    bp_object *object = bp_object_retain(initial->object);

    bp_object_release(carried->object);
    carried->object = object;
    carried->cell = *initial;
}

/* The buffer for the next value: not the one that the present value is in. */
static struct bp_dynamic_buffer *next_buffer(const struct bp_carried *carried)
{
    const struct bp_dynamic_buffer *first = &carried->buffers[0];
    bool in_first = first->data && carried->cell.base == first->data;

    return (struct bp_dynamic_buffer *)(uintptr_t)&carried->buffers[in_first];
}

/*
 * A subgraph whose output is not a stage's last value may still make it elsewhere; bp_carry() copies
 * then.
 */
bp_rc bp_carry_ask(const struct bp_carried *carried, struct bp_frame_state *child, uint32_t value,
                   bp_err *err)
{
    if (!child->carry_to) {
        child->carry_to =
            calloc((size_t)child->subgraph->ir->n_values + 1, sizeof *child->carry_to);
        if (!child->carry_to)
            return bp_fail_nomem(err, "the values that a loop carries");
    }
    child->carry_to[value] = next_buffer(carried);
    return BP_OK;
}

/* The value from before, as far as its bytes and sizes go? */
static bool is_unchanged(const struct bp_carried *carried, const struct bp_cell *made)
{
    const struct bp_cell *cell = &carried->cell;

    return made->base == cell->base && made->bytes == cell->bytes && made->rank == cell->rank &&
           made->dtype == cell->dtype && bp_same_dims(made->dims, cell->dims, made->rank);
}

/*
 * Objects are counted, so that carrying one is a reference. A tensor stays where it was made if
 * that is the next buffer.
 */
bp_rc bp_carry(struct bp_carried *carried, const struct bp_cell *made, bp_err *err)
{
    struct bp_dynamic_buffer *next = next_buffer(carried);

    if (made->object) {
        bp_carry_start(carried, made);
        return BP_OK;
    }
    if (is_unchanged(carried, made))
        return BP_OK;
    if (made->base != next->data)
        return bp_dynamic_buffer_copy(next, made, &carried->cell, err);
    bp_dynamic_buffer_show(next, made, &carried->cell);
    return BP_OK;
}

/*
 * An exporter's loop may fill an optional with what it holds: the subgraph goes on seeing an
 * optional.
 */
static bp_rc wrap(struct bp_carried *carried, bp_err *err)
{
    bp_object *item, *optional;
    bp_rc rc = bp_cell_to_object(carried->buffers[0].allocator, &carried->cell, &item, err);

    if (rc < 0)
        return rc;
    rc = bp_object_optional(item, &optional, err);
    bp_object_release(item);
    if (rc < 0)
        return rc;
    bp_object_release(carried->object);
    carried->object = optional;
    carried->cell = bp_cell_of_object(optional);
    return BP_OK;
}

/* After a Loop without rounds the initial value is the result. */
bp_rc bp_carry_end(struct bp_run_state *state, const struct bp_ir_node *node, uint32_t i,
                   const struct bp_carried *carried, bp_err *err)
{
    struct bp_cell cell = carried->cell;

    if (i >= node->n_out || node->out[i] == BP_NONE)
        return BP_OK;
    if (bp_cell_kind(&cell) == BP_KIND_OPTIONAL && cell.object->n > 0 &&
        state->plan->inferred.facts[node->out[i]].kind != BP_KIND_OPTIONAL)
        cell = bp_cell_of_object(cell.object->items[0]); /* no round has taken it out */
    return bp_run_set(state, node->out[i], &cell, err);
}

/*
 * Spans point into memory of the subgraph's frame, which the next round overwrites; elements of
 * other types are copied by whoever gathers them.
 */
bp_rc bp_keep_text(struct bp_kept **list, const struct bp_cell *cell, struct bp_cell *out,
                   bp_err *err)
{
    struct bp_kept *kept;
    bp_rc rc;

    *out = *cell;
    if (cell->dtype != BP_DTYPE_STRING)
        return BP_OK;
    kept = calloc(1, sizeof *kept);
    if (!kept)
        return bp_fail_nomem(err, "strings");
    rc = bp_cell_to_object(NULL, cell, &kept->object, err);
    if (rc < 0) {
        free(kept);
        return rc;
    }
    kept->next = *list;
    *list = kept;
    *out = bp_cell_of_object(kept->object);
    return BP_OK;
}

/* The copies in a list of bp_kept end with the node: the value gets one of its own. */
bp_rc bp_give_text(struct bp_run_state *state, uint32_t value, const struct bp_cell *cell,
                   bp_err *err)
{
    struct bp_cell own = *cell;
    bp_object *object = NULL;
    bp_rc rc = BP_OK;

    if (cell->dtype == BP_DTYPE_STRING) {
        rc = bp_cell_to_object(NULL, cell, &object, err);
        if (rc < 0)
            return rc;
        own = bp_cell_of_object(object);
    }
    rc = bp_run_set(state, value, &own, err);
    bp_object_release(object);
    return rc;
}

void bp_forget_text(struct bp_kept *list)
{
    while (list) {
        struct bp_kept *next = list->next;

        bp_object_release(list->object);
        free(list);
        list = next;
    }
}

/* ---- Loop ------------------------------------------------------------------------------------ */

/* One execution of a Loop node. */
struct loop {
    struct bp_run_state *state;
    const struct bp_ir_node *node;
    struct bp_frame_state *child;
    struct bp_carried *carried;
    struct bp_kept *kept; /* text of scan outputs */
    uint32_t n_carried;
    int64_t trips, round;
    bool goes_on;
    uint8_t condition; /* as the subgraph sees it */
};

/* Inputs: M (absent: no limit), cond (absent: true), then the carried values. */
static bp_rc start(struct loop *l, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_cell *condition = bp_host_op_input(l->state, l->node, 1);
    bp_rc rc = bp_host_op_int(l->state, l->node, 0, INT64_MAX, &l->trips, err);

    l->goes_on = true;
    l->n_carried = l->node->n_in > 2 ? l->node->n_in - 2 : 0;
    if (rc >= 0 && condition)
        rc = bp_host_op_bool(l->node, condition, "cond", &l->goes_on, err);
    if (rc >= 0)
        rc = bp_host_op_named_subgraph(l->state, unit, "body", &l->child, err);
    if (rc >= 0)
        rc = bp_frame_state_carried(l->state->frame, unit, &l->carried, err);
    for (uint32_t i = 0; rc >= 0 && i < l->n_carried; i++)
        bp_carry_start(&l->carried[i], bp_host_op_input(l->state, l->node, i + 2));
    return rc;
}

/* A scan output's elements so far stay; their number is dims[0]. */
static bp_rc append(struct loop *l, uint32_t output, const struct bp_cell *made, bp_err *err)
{
    struct bp_dynamic_buffer *all = &l->state->frame->dynamic_outputs[output];
    size_t bits = bp_dtype_width(made->dtype);
    struct bp_cell cell;
    bp_rc rc;

    if (bp_cell_kind(made) != BP_KIND_TENSOR || (l->round > 0 && made->dtype != all->dtype))
        return bp_host_op_fail(l->node, err, BP_E_INVALID,
                               "scan output '%s' is not a tensor, or of another type than before",
                               l->state->frame->subgraph->ir->values[output].name);
    if (made->rank + 1 > BP_MAX_RANK)
        return bp_host_op_fail(l->node, err, BP_E_SHAPE, "a scan output has too many dimensions");
    if (l->round > 0 &&
        (all->rank != made->rank + 1 || !bp_same_dims(all->dims + 1, made->dims, made->rank)))
        return bp_host_op_fail(l->node, err, BP_E_SHAPE,
                               "scan output '%s' has another shape in round %lld than before",
                               l->state->frame->subgraph->ir->values[output].name,
                               (long long)l->round);
    if (bits > 0 && bits < 8 && (size_t)bp_dims_count(made->dims, made->rank) * bits % 8 != 0)
        return bp_host_op_fail(l->node, err, BP_E_UNSUPPORTED,
                               "a scan output of a type under 8 bits needs whole bytes a round");
    rc = bp_keep_text(&l->kept, made, &cell, err);
    if (rc >= 0)
        rc = bp_frame_state_reserve(l->state->frame, output, all->bytes + cell.bytes, all->bytes,
                                    err);
    if (rc < 0)
        return rc;
    if (cell.bytes)
        memcpy((char *)all->data + all->bytes, cell.base, cell.bytes);
    all->bytes += cell.bytes;
    all->rank = made->rank + 1;
    all->dtype = made->dtype;
    all->dims[0] = l->round + 1;
    if (made->rank)
        memcpy(all->dims + 1, made->dims, made->rank * sizeof *made->dims);
    return BP_OK;
}

/*
 * Inputs of the body: iteration number, condition, carried values. The number is a scalar, or [1]
 * where the model declares it so.
 */
static void set_inputs(struct loop *l)
{
    static const int64_t no_dims[1], one[1] = {1};
    struct bp_frame_state *child = l->child;
    const uint32_t *inputs = child->subgraph->ir->inputs;

    child->cells[inputs[0]] = (struct bp_cell){.base = &l->round,
                                               .dims = one,
                                               .bytes = sizeof l->round,
                                               .rank = child->subgraph->facts[inputs[0]].rank,
                                               .dtype = BP_DTYPE_I64};
    child->cells[inputs[1]] = (struct bp_cell){
        .base = &l->condition, .dims = no_dims, .bytes = 1, .dtype = BP_DTYPE_BOOL};
    for (uint32_t i = 0; i < l->n_carried; i++)
        child->cells[inputs[i + 2]] = l->carried[i].cell;
}

/*
 * One iteration: the body runs, its condition is read, carried values move on, scan outputs grow.
 */
static bp_rc run_round(struct loop *l, bp_err *err)
{
    const struct bp_ir *ir = l->child->subgraph->ir;
    const struct bp_cell *condition = &l->child->cells[ir->outputs[0]];
    bp_rc rc = bp_run_check(l->state->shared, err);

    l->condition = l->goes_on;
    set_inputs(l);
    for (uint32_t i = 0; rc >= 0 && i < l->n_carried; i++)
        rc = bp_carry_ask(&l->carried[i], l->child, ir->outputs[i + 1], err);
    if (rc >= 0)
        rc = bp_subgraph_run(l->child, l->state->shared, err);
    if (rc >= 0)
        rc = bp_host_op_bool(l->node, condition, "the body's condition", &l->goes_on, err);
    for (uint32_t i = 0; rc >= 0 && i < l->n_carried; i++) {
        rc = bp_carry(&l->carried[i], &l->child->cells[ir->outputs[i + 1]], err);
        if (rc >= 0 && l->child->subgraph->facts[ir->inputs[i + 2]].kind == BP_KIND_OPTIONAL &&
            bp_cell_kind(&l->carried[i].cell) != BP_KIND_OPTIONAL)
            rc = wrap(&l->carried[i], err);
    }
    for (uint32_t i = l->n_carried; rc >= 0 && i < l->node->n_out; i++) {
        if (l->node->out[i] != BP_NONE)
            rc = append(l, l->node->out[i], &l->child->cells[ir->outputs[i + 1]], err);
    }
    return rc;
}

/* Before the first iteration: scan outputs without elements, with the shape known from the plan. */
static void clear_scans(struct loop *l)
{
    for (uint32_t i = l->n_carried; i < l->node->n_out; i++) {
        const struct bp_fact *fact;
        struct bp_dynamic_buffer *all;

        if (l->node->out[i] == BP_NONE)
            continue;
        fact = &l->state->plan->inferred.facts[l->node->out[i]];
        all = &l->state->frame->dynamic_outputs[l->node->out[i]];
        all->bytes = 0;
        all->dtype = fact->dtype;
        all->rank = fact->rank == BP_RANK_UNKNOWN ? 1 : fact->rank;
        all->dims[0] = 0;
        for (uint32_t d = 1; d < all->rank; d++)
            all->dims[d] = bp_sym_known(fact->dims[d]) ? fact->dims[d].value : 0;
    }
}

/*
 * A scan output after the last round. Also one without elements has a buffer, so that its base is
 * not NULL.
 */
static bp_rc set_scan(struct loop *l, uint32_t i, bp_err *err)
{
    uint32_t value = l->node->out[i];
    struct bp_dynamic_buffer *all = &l->state->frame->dynamic_outputs[value];
    struct bp_cell cell;
    bp_rc rc = bp_frame_state_reserve(l->state->frame, value, all->bytes, all->bytes, err);

    cell = (struct bp_cell){.base = all->data,
                            .dims = all->dims,
                            .bytes = all->bytes,
                            .rank = all->rank,
                            .dtype = all->dtype};
    return rc < 0 ? rc : bp_give_text(l->state, value, &cell, err);
}

/*
 * Outputs: the final carried values, then the scan outputs, with a first dimension of the rounds
 * that ran.
 */
bp_rc bp_host_op_loop(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    struct loop l = {.state = state, .node = bp_host_op_node(state, unit)};
    bp_rc rc = start(&l, unit, err);

    if (rc >= 0)
        clear_scans(&l);
    for (; rc >= 0 && l.goes_on && l.round < l.trips; l.round++)
        rc = run_round(&l, err);
    for (uint32_t i = 0; rc >= 0 && i < l.node->n_out; i++) {
        if (i < l.n_carried)
            rc = bp_carry_end(state, l.node, i, &l.carried[i], err);
        else if (l.node->out[i] != BP_NONE)
            rc = set_scan(&l, i, err);
    }
    bp_forget_text(l.kept);
    return rc;
}
