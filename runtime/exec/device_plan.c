/* SPDX-License-Identifier: MIT */
/*
 * device_plan.c - which values of a stage are copied between memory spaces, and when. A value is
 * copied at most once to each space: to a device before the first group that reads it there, to the
 * host right after the group that made it, so that the copy has time until a reader waits for it.
 */

#include "config.h"

#include "exec/device_planning.h"

#include <stdlib.h>

/* ---- actions --------------------------------------------------------------------------------- */

/* The lane of a queue; there is one for each queue of the stage. */
static struct bp_lane *lane_of(const struct bp_device_planner *d, const struct bp_queue *queue)
{
    struct bp_lane *lane = d->lanes;

    while (lane->queue != queue)
        lane++;
    return lane;
}

/* Something to do at this step. */
static struct bp_device_action *add_action(struct bp_device_planner *d, struct bp_queue *queue,
                                           enum bp_device_action_kind kind, uint32_t first,
                                           uint32_t unit)
{
    struct bp_device_action *action = &d->device->actions[d->device->n_actions++];

    *action = (struct bp_device_action){.queue = queue, .kind = kind, .first = first, .unit = unit};
    return action;
}

/* What a copy reads and writes; a direct one reads the value where it was made. */
static void set_tensors(struct bp_device_planner *d, struct bp_transfer *transfer,
                        enum bp_device_action_kind kind)
{
    const struct bp_device_block *blocks = d->device->blocks;
    const struct bp_device_block *block = &blocks[transfer->block];
    const struct bp_whereabouts *at = &d->values[transfer->value];
    const struct bp_stage_plan *plan = d->p->plan;
    bp_copy *row = &d->device->rows[d->device->n_transfers];

    transfer->host = bp_planning_tensor(plan, transfer->value, BP_SPACE_HOST);
    transfer->device = bp_planning_tensor(plan, transfer->value, block->space);
    transfer->device.device = block->queue->device;
    *row = kind == BP_DEVICE_TO_HOST ? (bp_copy){&transfer->host, &transfer->device}
                                     : (bp_copy){&transfer->device, &transfer->host};
    if (kind != BP_DEVICE_DIRECT)
        return;
    transfer->from_block = at->made_in - 1;
    transfer->from_item = at->item[transfer->from_block] - 1;
    block = &blocks[transfer->from_block];
    transfer->from = bp_planning_tensor(plan, transfer->value, block->space);
    transfer->from.device = block->queue->device;
    row->src = &transfer->from;
}

/* A copy at this step, in one call with the last ones where these are of its kind. */
static void add_transfer(struct bp_device_planner *d, uint32_t value, uint32_t u, uint32_t block,
                         enum bp_device_action_kind kind)
{
    struct bp_device_plan *device = d->device;
    struct bp_transfer *transfer = &device->transfers[device->n_transfers];
    struct bp_device_action *last = &device->actions[device->n_actions] - 1;
    struct bp_lane *lane = lane_of(d, device->blocks[block].queue);

    *transfer = (struct bp_transfer){
        .value = value,
        .unit = u,
        .block = block,
        .item = d->values[value].item[block] - 1,
        .until = BP_NONE,
        .from_block = BP_NONE,
        .from_item = BP_NONE,
    };
    set_tensors(d, transfer, kind);
    if (device->n_actions == device->first_action[d->step] || last->queue != lane->queue ||
        last->kind != kind)
        last = add_action(d, lane->queue, kind, device->n_transfers, u);
    last->n++;
    device->n_transfers++;
    d->clock++;
    lane->is_busy = true;
}

/*
 * The host waits for a whole queue: all that was put in before is done then, and lifetimes of its
 * transfers end here.
 */
static void add_wait(struct bp_device_planner *d, struct bp_lane *lane)
{
    struct bp_device_plan *device = d->device;

    add_action(d, lane->queue, BP_DEVICE_WAIT, 0, lane->unit);
    for (uint32_t t = 0; t < device->n_transfers; t++) {
        struct bp_transfer *transfer = &device->transfers[t];

        if (transfer->until == BP_NONE && device->blocks[transfer->block].queue == lane->queue)
            transfer->until = d->step;
    }
    lane->waited = d->clock;
    lane->is_busy = false;
}

/*
 * Can streams of the one wait for events of the other? Those of another provider have to be told of
 * them, by an event that is fired by hand.
 */
static bool can_follow(const struct bp_queue *from, const struct bp_queue *to)
{
    const bp_device_ops *dev = to->by->provider->dev, *other = from->by->provider->dev;

    if (from == to || !dev->stream_create || !dev->stream_wait)
        return false;
    return from->by == to->by || (other->stream_create && other->event_notify && dev->event_signal);
}

/* A lane waits for a handover: of its own instance by the event, of another by a link. */
static void add_order(struct bp_device_planner *d, uint32_t handover, struct bp_lane *lane)
{
    struct bp_device_plan *device = d->device;
    struct bp_handover *from = &device->handovers[handover];

    if (from->queue->by == lane->queue->by) {
        add_action(d, lane->queue, BP_DEVICE_ORDER, handover, lane->unit);
        return;
    }
    device->links[device->n_links] = (struct bp_link){.from = from, .to = lane->queue};
    add_action(d, lane->queue, BP_DEVICE_FOLLOW, device->n_links++, lane->unit);
}

/*
 * What follows in a lane, or on the host (NULL), comes after what `from` had in it at `since`: the
 * lane waits for the value's event by itself where there is one, else the host waits.
 */
static void follow(struct bp_device_planner *d, const struct bp_whereabouts *at,
                   struct bp_lane *from, uint32_t since, struct bp_lane *lane)
{
    uint32_t i = (uint32_t)(from - d->lanes);

    if (from == lane || from->waited >= since || (lane && lane->ordered[i] >= since))
        return;
    if (!lane || at->handover == 0 || !can_follow(from->queue, lane->queue)) {
        add_wait(d, from);
        return;
    }
    add_order(d, at->handover - 1, lane);
    lane->ordered[i] = at->recorded;
    lane->is_busy = true;
}

/* The value is read in host memory at this step: by a copy in a lane, or by others (NULL). */
static void need_host(struct bp_device_planner *d, uint32_t value, struct bp_lane *lane)
{
    struct bp_whereabouts *at = &d->values[value];

    if (!at->coming)
        return;
    if (lane && lane != at->coming && !can_follow(at->coming->queue, lane->queue))
        lane = NULL;
    follow(d, at, at->coming, at->since, lane);
}

/* Is the value copied to the queue's device straight from the one where it was made? */
static bool is_direct(const struct bp_device_planner *d, const struct bp_whereabouts *at,
                      const struct bp_queue *to)
{
    return at->made_in && d->device->blocks[at->made_in - 1].queue->by == to->by &&
           to->by->provider->dev->flags & BP_DEV_COPY_DIRECT;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Gives a value a place in a block, from unit u on. */
static bp_rc reside(struct bp_device_planner *d, uint32_t value, uint32_t u, uint32_t block,
                    bp_err *err)
{
    struct bp_whereabouts *at = &d->values[value];
    struct bp_device_block *to = &d->device->blocks[block];

    if (!at->item)
        at->item = bp_region_array(&d->region, d->device->n_blocks, sizeof *at->item);
    if (!at->item)
        return bp_fail_nomem(err, "a plan");
    to->items[to->n_items++] = (bp_arena_item){
        .bytes = d->p->plan->planned[value].bytes,
        .first = u,
        .last = u,
    };
    at->item[block] = to->n_items;
    return BP_OK;
}

/*
 * An input in a block: there already, or copied there before this step. Values without bytes have a
 * place and no copy.
 */
static bp_rc read_on_device(struct bp_device_planner *d, uint32_t value, uint32_t u, uint32_t block,
                            bp_err *err)
{
    struct bp_whereabouts *at = &d->values[value];
    struct bp_device_block *in = &d->device->blocks[block];
    struct bp_lane *lane = lane_of(d, in->queue);
    bp_rc rc;

    if (at->item && at->item[block]) {
        in->items[at->item[block] - 1].last = u;
        return BP_OK;
    }
    lane->unit = u;
    if (is_direct(d, at, in->queue))
        follow(d, at, lane_of(d, d->device->blocks[at->made_in - 1].queue), at->made, lane);
    else
        need_host(d, value, lane);
    rc = reside(d, value, u, block, err);
    if (rc >= 0 && d->p->plan->planned[value].bytes > 0)
        add_transfer(d, value, u, block,
                     is_direct(d, at, in->queue) ? BP_DEVICE_DIRECT : BP_DEVICE_TO_DEVICE);
    return rc;
}

/* What the host reads to run a node itself. */
static void read_host_op(struct bp_device_planner *d, const struct bp_unit_frame *unit)
{
    const struct bp_ir_node *node = &bp_unit_view(unit)->ir->nodes[unit->unit->group->nodes[0]];

    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] != BP_NONE)
            need_host(d, node->in[i], NULL);
    }
    for (uint32_t i = 0; i < node->n_implicit; i++)
        need_host(d, node->implicit[i], NULL);
}

/*
 * What a group needs before it runs: values in its own memory, and waits for those that it reads on
 * the host.
 */
static bp_rc read_inputs(struct bp_device_planner *d, uint32_t u, bp_err *err)
{
    const struct bp_unit_frame *unit = &d->p->plan->units[u];
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < unit->desc.n_in; i++) {
        const bp_tensor *tensor = &unit->desc.in[i];
        uint32_t value = bp_unit_input(unit, i);

        if (bp_is_in_block(tensor))
            rc =
                read_on_device(d, value, u, bp_device_block_of(d, unit->queue, tensor->space), err);
        else
            need_host(d, value, NULL);
    }
    return rc;
}

/* Places for what a group makes, and copies to the host of what is read there. */
static bp_rc write_outputs(struct bp_device_planner *d, uint32_t u, bp_err *err)
{
    const struct bp_unit_frame *unit = &d->p->plan->units[u];
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < unit->desc.n_out; i++) {
        uint32_t value = bp_unit_output(unit, i);
        struct bp_whereabouts *at = &d->values[value];

        if (!bp_is_in_block(&unit->desc.out[i]))
            continue;
        rc = reside(d, value, u, at->made_in - 1, err);
        at->made = d->clock;
        if (rc < 0 || !at->needs_host)
            continue;
        bp_planning_add_item(d->p, value, u + 1);
        if (d->p->plan->planned[value].bytes == 0)
            continue;
        add_transfer(d, value, u, at->made_in - 1, BP_DEVICE_TO_HOST);
        at->coming = lane_of(d, unit->queue);
        at->since = d->clock;
    }
    return rc;
}

/* Execute records the event itself where it can and nothing comes between. */
static void record(struct bp_device_planner *d, uint32_t u)
{
    struct bp_unit_frame *unit = &d->p->plan->units[u];
    struct bp_device_plan *device = d->device;
    struct bp_handover *handover = &device->handovers[device->n_handovers];

    handover->queue = unit->queue;
    if (unit->unit->by->provider->flags & BP_PROVIDER_RUN_EVENTS &&
        device->n_actions == device->first_action[d->step])
        unit->handover = handover;
    else
        add_action(d, unit->queue, BP_DEVICE_RECORD, device->n_handovers, u);
    device->n_handovers++;
}

/* Marks the point after a unit, and its copies to the host, for queues that wait for it. */
static void hand_over(struct bp_device_planner *d, uint32_t u)
{
    const struct bp_unit_frame *unit = &d->p->plan->units[u];
    struct bp_device_plan *device = d->device;
    bool is_recorded = false;

    for (uint32_t i = 0; i < unit->desc.n_out; i++) {
        struct bp_whereabouts *at = &d->values[bp_unit_output(unit, i)];

        if (!bp_is_in_block(&unit->desc.out[i]) || !at->is_handed)
            continue;
        if (!is_recorded)
            record(d, u);
        is_recorded = true;
        at->handover = device->n_handovers;
        at->recorded = d->clock;
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* An input of a unit. */
static void note_reader(const struct bp_device_planner *d, struct bp_whereabouts *at,
                        const struct bp_unit_frame *unit, const bp_tensor *tensor)
{
    if (!bp_is_in_block(tensor)) {
        at->needs_host = true;
    } else if (at->made_in != bp_device_block_of(d, unit->queue, tensor->space) + 1) {
        at->needs_host |= !is_direct(d, at, unit->queue);
        at->is_handed |=
            at->made_in && can_follow(d->device->blocks[at->made_in - 1].queue, unit->queue);
    }
}

/* Which values are read in host memory: by the host, groups there, and copies to other spaces. */
static void find_needs(struct bp_device_planner *d)
{
    const struct bp_planning *p = d->p;

    for (uint32_t i = 0; i < p->stage->n_keeps; i++)
        d->values[p->stage->keeps[i]].needs_host = true;
    for (uint32_t u = 0; u < p->plan->n_units; u++) {
        const struct bp_unit_frame *unit = &p->plan->units[u];

        for (uint32_t i = 0; i < unit->desc.n_in; i++) {
            struct bp_whereabouts *at = &d->values[bp_unit_input(unit, i)];
            const bp_tensor *tensor = &unit->desc.in[i];

            note_reader(d, at, unit, tensor);
        }
        for (uint32_t i = 0; i < unit->desc.n_out; i++) {
            const bp_tensor *tensor = &unit->desc.out[i];

            if (bp_is_in_block(tensor))
                d->values[bp_unit_output(unit, i)].made_in =
                    bp_device_block_of(d, unit->queue, tensor->space) + 1;
        }
    }
}

/* May what the unit leaves in its queue read or write host memory? */
static bool touches_host(const struct bp_device_planner *d, uint32_t u)
{
    const bp_frame_desc *desc = &d->p->plan->units[u].desc;
    bool touches = d->p->items[u].bytes > 0; /* scratch memory */

    for (uint32_t i = 0; i < desc->n_in; i++)
        touches |= desc->in[i].space == BP_SPACE_HOST;
    for (uint32_t i = 0; i < desc->n_out; i++)
        touches |= desc->out[i].space == BP_SPACE_HOST;
    return touches;
}

/* One step: what comes before the unit, then what follows from it. */
static bp_rc walk_unit(struct bp_device_planner *d, uint32_t u, bp_err *err)
{
    const struct bp_unit_frame *unit = &d->p->plan->units[u];
    bp_rc rc = BP_OK;

    if (unit->frame)
        rc = read_inputs(d, u, err);
    else
        read_host_op(d, unit);
    d->step = u + 1;
    d->device->first_action[d->step] = d->device->n_actions;
    if (rc < 0 || !unit->queue)
        return rc;
    lane_of(d, unit->queue)->is_busy = true;
    lane_of(d, unit->queue)->unit = u;
    d->clock++;
    rc = write_outputs(d, u, err);
    if (rc >= 0)
        hand_over(d, u);
    if (rc >= 0 && touches_host(d, u))
        add_wait(d, lane_of(d, unit->queue));
    return rc;
}

/*
 * All steps in order; the stage ends with a wait for every queue that is still busy, as values
 * between stages lie on the host.
 */
static bp_rc walk(struct bp_device_planner *d, bp_err *err)
{
    bp_rc rc = bp_device_add_blocks(d, err);

    if (rc >= 0)
        find_needs(d);
    for (uint32_t u = 0; rc >= 0 && u < d->p->plan->n_units; u++)
        rc = walk_unit(d, u, err);
    for (uint32_t l = 0; rc >= 0 && l < d->n_lanes; l++) {
        if (d->lanes[l].is_busy)
            add_wait(d, &d->lanes[l]);
    }
    d->device->first_action[d->p->plan->n_units + 1] = d->device->n_actions;
    return rc < 0 ? rc : bp_device_lay_out(d, err);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Tensors in providers' memory, scratch memory included. */
static uint32_t count_tensors(const struct bp_planning *p)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < p->plan->n_units; u++) {
        const struct bp_unit_frame *unit = &p->plan->units[u];

        if (unit->queue)
            n += unit->desc.n_in + unit->desc.n_out + 1;
    }
    return n;
}

/* Lists of a plan, each as long as it may get: a tensor is copied and waited for once at most. */
static bp_rc allocate(struct bp_device_planner *d, bp_err *err)
{
    struct bp_region *region = &d->p->plan->region;
    size_t n = d->n_tensors, n_units = d->p->plan->n_units;
    struct bp_device_plan *device = d->device;

    device->blocks = bp_region_array(region, n, sizeof *device->blocks);
    device->transfers = bp_region_array(region, n, sizeof *device->transfers);
    device->rows = bp_region_array(region, n, sizeof *device->rows);
    device->actions = bp_region_array(region, 3 * (n + n_units), sizeof *device->actions);
    device->handovers = bp_region_array(region, n_units, sizeof *device->handovers);
    device->links = bp_region_array(region, n, sizeof *device->links);
    device->first_action = bp_region_array(region, n_units + 2, sizeof *device->first_action);
    d->values = bp_region_array(&d->region, d->p->frame->subgraph->ir->n_values, sizeof *d->values);
    d->lanes = bp_region_array(&d->region, n_units, sizeof *d->lanes);
    if (!device->blocks || !device->transfers || !device->rows || !device->actions ||
        !device->first_action || !device->handovers || !device->links || !d->values || !d->lanes)
        return bp_fail_nomem(err, "a plan");
    return BP_OK;
}

/* Lists of items are needed until blocks are laid out, and freed with the planner. */
bp_rc bp_planning_devices(struct bp_planning *p, bp_err *err)
{
    struct bp_device_planner d = {.p = p, .n_tensors = count_tensors(p)};
    bp_rc rc;

    if (d.n_tensors == 0)
        return BP_OK;
    d.device = p->plan->device = bp_region_array(&p->plan->region, 1, sizeof *d.device);
    if (!d.device)
        return bp_fail_nomem(err, "a plan");
    rc = allocate(&d, err);
    if (rc >= 0)
        rc = walk(&d, err);
    for (uint32_t b = 0; b < d.device->n_blocks; b++) {
        free(d.device->blocks[b].items);
        d.device->blocks[b].items = NULL;
    }
    bp_region_finish(&d.region);
    return rc;
}

/* Called when lifetimes on the host are known otherwise: copies only lengthen them. */
void bp_planning_extend_transfers(struct bp_planning *p)
{
    const struct bp_device_plan *device = p->plan->device;

    for (uint32_t t = 0; device && t < device->n_transfers; t++)
        bp_planning_extend(p, device->transfers[t].value, device->transfers[t].until);
}
