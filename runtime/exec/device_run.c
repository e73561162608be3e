/* SPDX-License-Identifier: MIT */
/* device_run.c - copies between memory spaces and waits, as a plan lists them. */

#include "config.h"

#include "exec/planning.h"
#include "exec/run.h"

bp_rc bp_device_fail_in(const struct bp_unit_frame *unit, bp_rc rc, bp_err *err)
{
    const struct bp_group *group = unit->unit->group;

    if (rc == BP_E_CANCELLED || rc == BP_E_TIMEOUT)
        return rc;
    return bp_fail_in(err, rc, "provider '%s', node '%s'", unit->unit->by->name,
                      group->view->ir->nodes[group->nodes[0]].name);
}

/* One call for neighbouring copies of one direction; the error names the first value. */
static bp_rc copy(struct bp_run_state *state, const struct bp_device_action *action, bp_err *err)
{
    const struct bp_device_plan *device = state->plan->device;
    const char *first =
        state->frame->subgraph->ir->values[device->transfers[action->first].value].name;
    const char *way = action->kind == BP_DEVICE_TO_HOST     ? "from its memory"
                      : action->kind == BP_DEVICE_TO_DEVICE ? "to its memory"
                                                            : "between its memories";
    bp_rc rc = bp_queue_copy(action->queue, &device->rows[action->first], action->n, err);

    if (rc < 0 && action->n > 1)
        return bp_fail_in(err, rc, "copying '%s' and %u more %s", first, action->n - 1, way);
    return rc < 0 ? bp_fail_in(err, rc, "copying '%s' %s", first, way) : rc;
}

/*
 * A failure is passed from queue to queue. Links are in the order in which work is put in, so that the
 * first one which was told of a failure comes from the provider where it began.
 */
static bp_rc wait_for(struct bp_run_state *state, struct bp_queue *queue, bp_err *err)
{
    const struct bp_device_plan *device = state->plan->device;
    bp_rc rc = bp_queue_wait(queue, state->shared, err);
    uint32_t i = 0;

    while (i < device->n_links && atomic_load(&device->links[i].failed) >= 0)
        i++;
    if (rc < 0 && i < device->n_links && device->links[i].from->queue != queue)
        return bp_fail_in(err, rc, "after a failure of provider '%s'",
                          device->links[i].from->queue->by->name);
    return rc;
}

static bp_rc act(struct bp_run_state *state, const struct bp_device_action *action, bp_err *err)
{
    struct bp_handover *handovers = state->plan->device->handovers;

    switch (action->kind) {
    case BP_DEVICE_WAIT:
        return wait_for(state, action->queue, err);
    case BP_DEVICE_RECORD:
        return bp_handover_record(&handovers[action->first], err);
    case BP_DEVICE_ORDER:
        return bp_queue_order(action->queue, &handovers[action->first], err);
    case BP_DEVICE_FOLLOW:
        return bp_link_follow(&state->plan->device->links[action->first], err);
    default:
        return copy(state, action, err);
    }
}

/* Actions of a step, in the order in which the plan lists them. */
bp_rc bp_device_step(struct bp_run_state *state, uint32_t step, bp_err *err)
{
    const struct bp_device_plan *device = state->plan->device;

    for (uint32_t i = 0; step == 0 && i < device->n_links; i++)
        atomic_store(&device->links[i].failed, 0);
    for (uint32_t a = device->first_action[step]; a < device->first_action[step + 1]; a++) {
        const struct bp_device_action *action = &device->actions[a];
        bp_rc rc = act(state, action, err);

        if (rc < 0)
            return bp_device_fail_in(&state->plan->units[action->unit], rc, err);
    }
    return BP_OK;
}

/*
 * The old memory goes before the new is taken, as a device may not have both. Nothing in it is
 * kept.
 */
bp_rc bp_device_grow(struct bp_unit_frame *unit, uint32_t out, size_t bytes, bp_err *err)
{
    struct bp_device_buffer *buffer = &unit->device_buffers[out];
    bp_rc rc;

    if (buffer->base && buffer->cap >= bytes)
        return BP_OK;
    bp_device_free(unit->queue, buffer->space, buffer->base, buffer->cap);
    *buffer = (struct bp_device_buffer){.space = unit->desc.out[out].space};
    bytes = bytes ? bytes : 1; /* so that an empty tensor has a base too */
    rc = bp_device_alloc(unit->queue, buffer->space, bytes, BP_DEVICE_ALIGN, &buffer->base, err);
    buffer->cap = rc >= 0 ? bytes : 0;
    return rc;
}

/* This copy cannot be planned: its size is known only now, so the run waits for it. */
bp_rc bp_device_fetch(struct bp_run_state *state, struct bp_unit_frame *unit, uint32_t out,
                      void *to, size_t bytes, bp_err *err)
{
    const struct bp_graph_view *view = unit->unit->group->view;
    bp_tensor from = unit->desc.out[out];
    bp_tensor host = from;
    bp_copy row = {&host, &from};
    bp_rc rc = BP_OK;

    from.base =
        unit->device_buffers[out].base; /* what execute wrote into the tensor does not count */
    from.offset = host.offset = 0;
    from.space = unit->device_buffers[out].space;
    from.device = unit->queue->device;
    from.bytes = host.bytes = bytes;
    host.base = to;
    host.space = BP_SPACE_HOST;
    host.device = 0;
    if (bytes > 0)
        rc = bp_queue_copy(unit->queue, &row, 1, err);
    if (rc < 0)
        rc = bp_fail_in(err, rc, "copying '%s' from its memory",
                        view->ir->values[view->value_of[view->graph.outputs[out]]].name);
    else
        rc = bp_queue_wait(unit->queue, state->shared, err);
    return rc < 0 ? bp_device_fail_in(unit, rc, err) : rc;
}
