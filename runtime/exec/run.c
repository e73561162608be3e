/* SPDX-License-Identifier: MIT */
/* run.c - the hot path: stages in order, one call of execute for each group. */

#include "config.h"

#include "exec/run.h"

#include <string.h>

#include "exec/profile.h"
#include "graph/mismatch.h"

/* ---- outputs --------------------------------------------------------------------------------- */

/*
 * Is the caller's buffer large enough, in bytes and in dimensions? If not, the tensor says what is
 * needed.
 */
static bp_rc check_capacity(const char *name, const struct bp_cell *cell, bp_tensor *tensor,
                            bp_err *err)
{
    uint32_t space = tensor->dims ? tensor->rank : 0;
    bp_rc rc = BP_OK;

    if (tensor->bytes < cell->bytes)
        rc = bp_fail(err, BP_E_SPACE, "output '%s' needs %zu bytes, its buffer has %zu", name,
                     cell->bytes, tensor->bytes);
    else if (space < cell->rank)
        rc = bp_fail(err, BP_E_SPACE, "output '%s' has rank %u, its dims have space for %u", name,
                     cell->rank, space);
    if (rc >= 0)
        return rc;
    for (uint32_t d = 0; d < cell->rank && d < space; d++)
        tensor->dims[d] = cell->dims[d];
    tensor->bytes = cell->bytes;
    tensor->rank = cell->rank;
    tensor->dtype = cell->dtype;
    return rc;
}

/*
 * A block that is large enough, in place of one that is not; zeroed, as an output that a kernel
 * leaves out must not show old memory. Strings need bytes for their text too.
 */
static bp_rc replace_kept(const struct bp_frame_state *frame, struct bp_kept_output *kept,
                          const struct bp_cell *cell, bp_err *err)
{
    bp_rc rc;

    bp_tensor_free(&kept->block);
    if (cell->dtype == BP_DTYPE_STRING)
        rc = bp_tensor_block(cell->dtype, cell->dims, cell->rank, cell->bytes, &kept->block, err);
    else
        rc = bp_tensor_alloc_from(bp_memory_allocator(frame->subgraph->memory), cell->dtype,
                                  cell->dims, cell->rank, &kept->block, err);
    if (rc >= 0 && kept->block.bytes > 0)
        memset(kept->block.base, 0, kept->block.bytes);
    return rc;
}

/* Shows kept memory as if the caller had brought it. */
static bp_rc show_kept(const struct bp_frame_state *frame, struct bp_kept_output *kept,
                       const struct bp_cell *cell, bp_tensor *tensor, bp_err *err)
{
    if (!kept->block.base || kept->block.bytes < cell->bytes) {
        bp_rc rc = replace_kept(frame, kept, cell, err);

        if (rc < 0)
            return rc;
    }
    *tensor = (bp_tensor){.base = kept->block.base,
                          .dims = kept->dims,
                          .bytes = kept->block.bytes,
                          .rank = BP_MAX_RANK,
                          .dtype = cell->dtype};
    return BP_OK;
}

bp_rc bp_run_prepare_output(const struct bp_frame_state *frame, const char *name,
                            const struct bp_cell *cell, const struct bp_wanted *wanted, bp_err *err)
{
    bp_tensor *tensor = &wanted->binding->tensor;
    bp_rc rc;

    if (wanted->kept) {
        rc = show_kept(frame, wanted->kept, cell, tensor, err);
        if (rc < 0)
            return bp_fail_in(err, rc, "output '%s'", name);
    }
    if (!tensor->base) {
        rc = bp_tensor_alloc_from(bp_memory_allocator(frame->subgraph->memory), cell->dtype,
                                  cell->dims, cell->rank, tensor, err);
        return rc < 0 ? bp_fail_in(err, rc, "output '%s'", name) : rc;
    }
    rc = check_capacity(name, cell, tensor, err);
    if (rc < 0)
        return rc;
    if (cell->rank)
        memcpy(tensor->dims, cell->dims, cell->rank * sizeof *cell->dims);
    tensor->rank = cell->rank;
    tensor->dtype = cell->dtype;
    return BP_OK;
}

/* Where a loop wants a value that it carries: there it need not be copied once it is made. */
static bp_rc bind_carried(struct bp_dynamic_buffer *to, const struct bp_stage_plan *plan,
                          uint32_t value, struct bp_cell *cell, bp_err *err)
{
    size_t slack = plan->places ? plan->places[value].slack : 0; /* it and the bytes were planned */
    bp_rc rc = bp_dynamic_buffer_reserve(to, cell->bytes + slack, 0, err);

    if (rc >= 0 && bp_stage_plan_suits(plan, value, to->data, slack))
        cell->base = to->data; /* else it is copied from the arena */
    return rc;
}

/* Values that outlive the stage: where they will lie, for those whose shape is known. */
static bp_rc bind_kept(struct bp_run_state *state, const struct bp_stage *stage, bp_err *err)
{
    struct bp_frame_state *frame = state->frame;

    for (uint32_t i = 0; i < stage->n_keeps; i++) {
        uint32_t value = stage->keeps[i];
        struct bp_cell *cell = &frame->cells[value];
        const struct bp_wanted *wanted = &frame->wanted[value];

        *cell = state->plan->planned[value];
        if (!cell->base)
            continue; /* of unknown size, or made by the host */
        if (wanted->binding && cell->dtype != BP_DTYPE_STRING) { /* text of strings: see deliver */
            bp_tensor *tensor = &wanted->binding->tensor;
            bp_rc rc = bp_run_prepare_output(frame, frame->subgraph->ir->values[value].name, cell,
                                             wanted, err);

            if (rc < 0)
                return rc;
            if (wanted->is_allocated && cell->bytes)
                memset(bp_tensor_data(tensor), 0, cell->bytes); /* see bp_tensor_alloc() */
            if (bp_is_aligned(cell->dtype, bp_tensor_data(tensor)) &&
                bp_stage_plan_suits(state->plan, value, bp_tensor_data(tensor),
                                    tensor->bytes - cell->bytes))
                cell->base = bp_tensor_data(tensor); /* else it is copied from the arena */
        } else if (frame->carry_to && frame->carry_to[value] && cell->dtype != BP_DTYPE_STRING) {
            bp_rc rc = bind_carried(frame->carry_to[value], state->plan, value, cell, err);

            if (rc < 0)
                return rc;
        }
        bp_stage_plan_bind(state->plan, value, cell->base, cell->bytes);
    }
    return BP_OK;
}

bp_rc bp_run_set(struct bp_run_state *state, uint32_t value, const struct bp_cell *cell,
                 bp_err *err)
{
    const struct bp_cell *planned = &state->plan->planned[value];
    bool is_object = bp_cell_kind(cell) != BP_KIND_TENSOR;
    bp_rc rc = bp_cell_check(cell, &state->plan->inferred.facts[value],
                             state->frame->subgraph->ir->values[value].name, err);

    if (rc < 0)
        return rc;
    if (planned->rank != BP_RANK_UNKNOWN && (is_object || planned->rank != cell->rank ||
                                             !bp_same_dims(planned->dims, cell->dims, cell->rank)))
        return bp_fail(err, BP_E_INTERNAL, "'%s' has another shape than the plan says",
                       state->frame->subgraph->ir->values[value].name);
    if (planned->rank == BP_RANK_UNKNOWN && !is_object)
        rc = bp_mismatch_check(state->frame->subgraph->ir, value, cell->dtype, cell->rank,
                               cell->dims, err);
    if (rc < 0)
        return rc;
    state->frame->cells[value] = *cell;
    bp_frame_state_hold(state->frame, value, cell->object);
    bp_stage_plan_show(state->plan, value, cell);
    return BP_OK;
}

/* Before each execute, outputs of unknown size have neither rank nor memory. */
static void reset_dynamic_outputs(struct bp_run_state *state, struct bp_unit_frame *unit)
{
    const struct bp_graph_view *view = unit->unit->group->view;

    for (uint32_t i = 0; i < unit->desc.n_out; i++) {
        uint32_t value = view->value_of[view->graph.outputs[i]];

        if (state->plan->planned[value].rank != BP_RANK_UNKNOWN)
            continue;
        state->frame->dynamic_outputs[value].rank = BP_RANK_UNKNOWN;
        unit->desc.out[i].rank = BP_RANK_UNKNOWN;
        unit->desc.out[i].base = NULL;
        unit->desc.out[i].bytes = 0;
    }
}

/*
 * Cells of the outputs that execute has asked memory for; what it wrote into the tensor does not
 * count.
 */
static bp_rc take_dynamic_outputs(struct bp_run_state *state, struct bp_unit_frame *unit,
                                  bp_err *err)
{
    const struct bp_graph_view *view = unit->unit->group->view;

    for (uint32_t i = 0; i < unit->desc.n_out; i++) {
        uint32_t value = view->value_of[view->graph.outputs[i]];
        const struct bp_cell *planned = &state->plan->planned[value];
        struct bp_dynamic_buffer *buffer = &state->frame->dynamic_outputs[value];
        bp_rc rc;

        if (planned->rank != BP_RANK_UNKNOWN)
            continue;
        if (buffer->rank == BP_RANK_UNKNOWN)
            return bp_fail(err, BP_E_INTERNAL, "provider '%s' did not make '%s'",
                           unit->unit->by->name, view->ir->values[value].name);
        if (unit->desc.out[i].space != BP_SPACE_HOST) {
            rc = bp_frame_state_grow(state->frame, value, buffer->bytes, &buffer, err);
            if (rc >= 0)
                rc = bp_device_fetch(state, unit, i, buffer->data, buffer->bytes, err);
            if (rc < 0)
                return rc;
            buffer->base = buffer->data;
        }
        state->frame->cells[value] = (struct bp_cell){
            .base = buffer->base,
            .dims = buffer->dims,
            .bytes = buffer->bytes,
            .rank = buffer->rank,
            .dtype = planned->dtype,
        };
        rc = bp_mismatch_check(view->ir, value, planned->dtype, buffer->rank, buffer->dims, err);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* ---- units ----------------------------------------------------------------------------------- */

/* What execute left in the queue of its provider is for later, if there is a queue. */
static bp_rc leave_pending(struct bp_unit_frame *unit, bp_err *err)
{
    if (!unit->queue || !unit->queue->stream)
        return bp_fail(err, BP_E_INTERNAL,
                       "execute leaves work for later, without a stream for it");
    return BP_OK;
}

/*
 * A group on a provider with a queue. Work of exclusive units has to be done before the mutex goes.
 */
static bp_rc execute_queued(struct bp_run_state *state, struct bp_unit_frame *unit, bp_err *err)
{
    struct bp_unit *of = unit->unit;
    bp_rc rc = bp_queue_start(unit->queue, err);

    if (rc < 0)
        return rc;
    if (unit->handover)
        rc = bp_handover_prepare(unit->handover, err);
    if (rc < 0)
        return rc;
    unit->run.signal_event = unit->handover ? unit->handover->event : NULL;
    unit->run.stream = unit->queue->stream;
    unit->queue->is_pending = unit->run.stream != NULL; /* whatever it answers */
    if (of->is_exclusive)
        pthread_mutex_lock(&of->mutex);
    rc = bp_err_complete(err, of->by->provider->execute(unit->frame, &unit->run, err));
    if (rc >= 0 && of->is_exclusive) /* until it is done, too */
        rc = bp_queue_wait(unit->queue, state->shared, err);
    if (of->is_exclusive)
        pthread_mutex_unlock(&of->mutex);
    return rc;
}

/*
 * One execute. Programs of providers that may not run frames at once are serialised by the unit's
 * mutex.
 */
static bp_rc execute(struct bp_run_state *state, struct bp_unit_frame *unit, bp_err *err)
{
    struct bp_unit *of = unit->unit;
    bp_rc rc;

    if (unit->queue)
        return execute_queued(state, unit, err);
    if (!of->is_exclusive)
        return of->by->provider->execute(unit->frame, &unit->run, err);
    pthread_mutex_lock(&of->mutex);
    rc = of->by->provider->execute(unit->frame, &unit->run, err);
    pthread_mutex_unlock(&of->mutex);
    return rc;
}

/*
 * Runs the node of a unit that is the host's, unless its outputs are not read: they are all that it
 * does.
 */
static bp_rc run_host_op(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = &state->frame->subgraph->ir->nodes[unit->group->nodes[0]];

    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] != BP_NONE)
            return unit->host_op->run(state, unit, err);
    }
    return BP_OK;
}

/* The same, measured. */
static bp_rc execute_profiled(struct bp_run_state *state, struct bp_unit_frame *unit, bp_err *err)
{
    int64_t start_ns = bp_profile_begin_unit(state->shared, unit);
    bp_rc rc = unit->frame ? execute(state, unit, err) : run_host_op(state, unit->unit, err);

    bp_profile_end_unit(state->shared, unit, start_ns);
    return rc;
}

/* Turns the result of execute into that of the run; errors get the provider's name. */
static bp_rc conclude(struct bp_unit_frame *unit, bp_rc rc, bp_err *err)
{
    rc = bp_err_complete(err, rc);
    if (rc == BP_PENDING)
        rc = leave_pending(unit, err);
    if (rc < 0 && rc != BP_E_CANCELLED && rc != BP_E_TIMEOUT)
        rc = bp_fail_in(err, rc, "provider '%s'", unit->unit->by->name);
    return rc;
}

/* Before each execute. */
static void begin_program(struct bp_run_shared *shared, bp_run *run, bp_err *err)
{
    run->run_id = shared->run_id;
    run->cancel = shared->cancel;
    run->deadline_ns = shared->deadline_ns;
    shared->crossings++;
    bp_err_clear(err);
}

/* Tensors that show `parts` of a batch, that many parts further on than now. */
static void move_tensors(bp_tensor *tensors, uint32_t n, const size_t *steps, ptrdiff_t by,
                         size_t parts)
{
    for (uint32_t i = 0; i < n; i++) {
        if (steps[i] == 0)
            continue;
        tensors[i].base = (char *)tensors[i].base + by * (ptrdiff_t)steps[i];
        tensors[i].bytes = parts * steps[i];
    }
}

/* Where tensors begin, the provider sees by io_epoch. */
static void move_slices(struct bp_unit_frame *unit, ptrdiff_t by, size_t parts)
{
    move_tensors(unit->desc.in, unit->desc.n_in, unit->slices->in, by, parts);
    move_tensors(unit->desc.out, unit->desc.n_out, unit->slices->out, by, parts);
    unit->run.io_epoch++;
}

/* The parts of the batch one after the other; then the tensors show the whole again. */
static bp_rc execute_slices(struct bp_run_state *state, struct bp_unit_frame *unit, bp_err *err)
{
    uint32_t s = 0;
    bp_rc rc = BP_OK;

    for (; rc == BP_OK && s < unit->slices->n; s++) {
        move_slices(unit, s > 0, 1);
        rc = bp_run_check(state->shared, err);
        if (rc >= 0)
            rc = state->shared->profile ? execute_profiled(state, unit, err)
                                        : execute(state, unit, err);
    }
    move_slices(unit, 1 - (ptrdiff_t)s, unit->slices->n);
    return rc;
}

/* A unit with a program, with what comes before and after its execute. */
static bp_rc run_program(struct bp_run_state *state, struct bp_unit_frame *unit, bp_err *err)
{
    bp_rc rc;

    begin_program(state->shared, &unit->run, err);
    if (unit->has_dynamic_output)
        reset_dynamic_outputs(state, unit);
    if (unit->slices)
        rc = execute_slices(state, unit, err);
    else if (state->shared->profile)
        rc = execute_profiled(state, unit, err);
    else
        rc = execute(state, unit, err);
    rc = conclude(unit, rc, err);
    return rc >= 0 && unit->has_dynamic_output ? take_dynamic_outputs(state, unit, err) : rc;
}

/* A unit that is more than a call: copies, a profile, a host operator, or dynamic outputs. */
static bp_rc run_unit(struct bp_run_state *state, uint32_t u, bp_err *err)
{
    struct bp_unit_frame *unit = &state->plan->units[u];

    if (state->plan->device) {
        bp_rc rc = bp_device_step(state, u, err);

        if (rc < 0)
            return rc;
    }
    if (unit->frame)
        return run_program(state, unit, err);
    return state->shared->profile ? execute_profiled(state, unit, err)
                                  : run_host_op(state, unit->unit, err);
}

/* All units in order: where a unit is no more than a call of execute, just that. */
static bp_rc run_units(struct bp_run_state *state, bp_err *err)
{
    struct bp_run_shared *shared = state->shared;
    struct bp_stage_plan *plan = state->plan;
    const bool is_watched = shared->profile || plan->device;
    bp_rc rc = BP_OK;

    for (uint32_t u = 0; rc >= 0 && u < plan->n_units; u++) {
        struct bp_unit_frame *unit = &plan->units[u];

        rc = bp_run_check(shared, err);
        if (rc < 0)
            return rc;
        if (is_watched || !unit->direct) {
            rc = run_unit(state, u, err);
            continue;
        }
        begin_program(shared, &unit->run, err);
        rc = unit->direct(unit->frame, &unit->run, err);
        if (rc != BP_OK)
            rc = conclude(unit, rc, err);
    }
    return rc >= 0 && plan->device ? bp_device_step(state, plan->n_units, err) : rc;
}

/* Shows the plan's tensors what the stage reads and where kept values go, then runs. */
static bp_rc run_stage(struct bp_run_state *state, const struct bp_stage *stage, bp_err *err)
{
    bp_rc rc;

    for (uint32_t i = 0; i < stage->n_reads; i++)
        bp_stage_plan_show(state->plan, stage->reads[i], &state->frame->cells[stage->reads[i]]);
    rc = bind_kept(state, stage, err);
    return rc < 0 ? rc : run_units(state, err);
}

/* After a failure no queue may go on writing into memory of this run. */
bp_rc bp_subgraph_run(struct bp_frame_state *frame, struct bp_run_shared *shared, bp_err *err)
{
    struct bp_run_state state = {.frame = frame, .shared = shared};
    bp_rc rc = BP_OK;

    for (uint32_t s = 0; rc >= 0 && s < frame->subgraph->n_stages; s++) {
        rc = bp_stage_plan_get(frame, s, &state.plan, err);
        if (rc >= 0)
            rc = run_stage(&state, &frame->subgraph->stages[s], err);
    }
    if (rc < 0)
        bp_queues_abandon(frame->root->queues);
    return rc;
}
