/* SPDX-License-Identifier: MIT */
/* device_layout.c - blocks of providers' memory: one for each space that a stage uses. */

#include "config.h"

#include "exec/device_planning.h"

#include <stdlib.h>

/* ---- blocks ---------------------------------------------------------------------------------- */

uint32_t bp_device_block_of(const struct bp_device_planner *d, const struct bp_queue *queue,
                            uint32_t space)
{
    const struct bp_device_block *blocks = d->device->blocks;
    uint32_t b = 0;

    while (b < d->device->n_blocks && (blocks[b].queue != queue || blocks[b].space != space))
        b++;
    return b;
}

/*
 * A block for this space, unless it is the host's or has one. items has capacity for all tensors of
 * the stage.
 */
static bp_rc add_block(struct bp_device_planner *d, struct bp_queue *queue, uint32_t space,
                       bp_err *err)
{
    struct bp_device_block *block = &d->device->blocks[d->device->n_blocks];

    if (space == BP_SPACE_HOST || bp_device_block_of(d, queue, space) < d->device->n_blocks)
        return BP_OK;
    block->items = calloc(d->n_tensors, sizeof *block->items);
    if (!block->items)
        return bp_fail_nomem(err, "a plan");
    block->queue = queue;
    block->space = space;
    block->align = BP_DEVICE_ALIGN;
    d->device->n_blocks++;
    return BP_OK;
}

/* One lane a queue. */
static void add_lane(struct bp_device_planner *d, struct bp_queue *queue)
{
    for (uint32_t l = 0; l < d->n_lanes; l++) {
        if (d->lanes[l].queue == queue)
            return;
    }
    d->lanes[d->n_lanes++].queue = queue;
}

/* Providers have chosen the spaces of their tensors when they prepared their frames. */
bp_rc bp_device_add_blocks(struct bp_device_planner *d, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t u = 0; rc >= 0 && u < d->p->plan->n_units; u++) {
        const struct bp_unit_frame *unit = &d->p->plan->units[u];

        if (!unit->queue)
            continue;
        add_lane(d, unit->queue);
        for (uint32_t i = 0; rc >= 0 && i < unit->desc.n_in; i++)
            rc = add_block(d, unit->queue, unit->desc.in[i].space, err);
        for (uint32_t i = 0; rc >= 0 && i < unit->desc.n_out; i++)
            rc = add_block(d, unit->queue, unit->desc.out[i].space, err);
        if (rc >= 0)
            rc = add_block(d, unit->queue, d->p->needs[u].scratch_space, err);
    }
    for (uint32_t l = 0; rc >= 0 && l < d->n_lanes; l++) {
        d->lanes[l].ordered = bp_region_array(&d->region, d->n_lanes, sizeof(uint32_t));
        if (!d->lanes[l].ordered)
            rc = bp_fail_nomem(err, "a plan");
    }
    return rc;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Scratch memory lives for its unit. items: one a unit, for where it is in its block. */
static void add_scratch(struct bp_device_planner *d, uint32_t *items)
{
    for (uint32_t u = 0; u < d->p->plan->n_units; u++) {
        const struct bp_unit_frame *unit = &d->p->plan->units[u];
        const bp_frame_needs *needs = &d->p->needs[u];
        struct bp_device_block *block;

        if (!unit->queue || needs->scratch_space == BP_SPACE_HOST)
            continue;
        block = &d->device->blocks[bp_device_block_of(d, unit->queue, needs->scratch_space)];
        items[u] = block->n_items;
        block->items[block->n_items++] =
            (bp_arena_item){.bytes = needs->scratch_bytes, .first = u, .last = u};
        if (needs->scratch_align > block->align)
            block->align = needs->scratch_align;
    }
}

/* What another device copies from stays until the host has waited for that one. */
static void extend_sources(const struct bp_device_plan *device)
{
    for (uint32_t t = 0; t < device->n_transfers; t++) {
        const struct bp_transfer *transfer = &device->transfers[t];
        bp_arena_item *item;

        if (transfer->from_block == BP_NONE)
            continue;
        item = &device->blocks[transfer->from_block].items[transfer->from_item];
        if (item->last < transfer->until)
            item->last = transfer->until;
    }
}

/* Copies of the value that go from or to item `was` of the block are of item `is` now. */
static void move_transfers(struct bp_device_plan *device, uint32_t b, uint32_t was, uint32_t is)
{
    for (uint32_t t = 0; t < device->n_transfers; t++) {
        struct bp_transfer *transfer = &device->transfers[t];

        if (transfer->block == b && transfer->item == was)
            transfer->item = is;
        if (transfer->from_block == b && transfer->from_item == was)
            transfer->from_item = is;
    }
}

/* The item of output i in a block; NULL: it is not there. */
static uint32_t *output_item(const struct bp_device_planner *d, const struct bp_unit_frame *unit,
                             uint32_t i, uint32_t b)
{
    const bp_tensor *tensor = &unit->desc.out[i];

    if (!bp_is_in_block(tensor) || bp_device_block_of(d, unit->queue, tensor->space) != b)
        return NULL;
    return &d->values[bp_unit_output(unit, i)].item[b];
}

/* Has an output of the unit taken over the item already? */
static bool is_taken(const struct bp_device_planner *d, const struct bp_unit_frame *unit,
                     uint32_t b, uint32_t item)
{
    for (uint32_t i = 0; i < unit->desc.n_out; i++) {
        const uint32_t *at = output_item(d, unit, i, b);

        if (at && *at == item + 1)
            return true;
    }
    return false;
}

/*
 * An output in place of an input of one block. Work and copies of a queue are in order, and what
 * another queue copies from has been waited for when its item ends.
 */
static void share(struct bp_device_planner *d, uint32_t u, const bp_in_place *pair)
{
    const struct bp_unit_frame *unit = &d->p->plan->units[u];
    const bp_tensor *in = &unit->desc.in[pair->in], *out = &unit->desc.out[pair->out];
    uint32_t b, was, is, *item;

    if (!bp_is_in_block(in) || !bp_is_in_block(out) || in->space != out->space)
        return;
    b = bp_device_block_of(d, unit->queue, out->space);
    is = d->values[bp_unit_input(unit, pair->in)].item[b] - 1;
    item = output_item(d, unit, pair->out, b);
    was = *item - 1;
    if (is_taken(d, unit, b, is) || !bp_planning_take_over(d->device->blocks[b].items, is, was, u))
        return;
    *item = is + 1;
    move_transfers(d->device, b, was, is);
}

static void share_in_place(struct bp_device_planner *d)
{
    for (uint32_t u = 0; u < d->p->plan->n_units; u++) {
        for (uint32_t i = 0; i < d->p->needs[u].n_in_place; i++)
            share(d, u, &d->p->needs[u].in_place[i]);
    }
}

/* The first unit that uses a block, for an error. */
static const struct bp_unit_frame *user_of(const struct bp_device_planner *d,
                                           const struct bp_device_block *block)
{
    const struct bp_unit_frame *unit = d->p->plan->units;

    while (unit->queue != block->queue)
        unit++;
    return unit;
}

/* Lays a block's items out by their lifetimes and takes its memory from the provider. */
static bp_rc allocate(const struct bp_device_planner *d, struct bp_device_block *block, bp_err *err)
{
    void *work = malloc(bp_arena_work(block->n_items));
    size_t bytes;
    bp_rc rc;

    if (!work)
        return bp_fail_nomem(err, "a plan");
    bytes = bp_arena_plan(block->items, block->n_items, block->align, work);
    free(work);
    if (bytes == 0)
        bytes = block->align; /* so that empty tensors have a base too */
    if (bytes == SIZE_MAX)
        rc = bp_fail(err, BP_E_NOMEM, "the values of a run do not fit in memory");
    else
        rc = bp_device_alloc(block->queue, block->space, bytes, block->align, &block->base, err);
    if (rc < 0)
        return bp_device_fail_in(user_of(d, block), rc, err);
    block->bytes = bytes;
    return BP_OK;
}

/* A tensor shows its value at the place that the value has in the block. */
static void set_base(const struct bp_device_planner *d, const struct bp_unit_frame *unit,
                     uint32_t value, bp_tensor *tensor)
{
    const struct bp_device_block *block;
    uint32_t b;

    if (!bp_is_in_block(tensor))
        return;
    b = bp_device_block_of(d, unit->queue, tensor->space);
    block = &d->device->blocks[b];
    tensor->base = block->base;
    tensor->offset = block->items[d->values[value].item[b] - 1].offset;
}

/*
 * Tensors of one group and its scratch memory. io_epoch tells the provider that addresses have
 * changed.
 */
static void set_unit_bases(const struct bp_device_planner *d, uint32_t u, uint32_t scratch)
{
    struct bp_unit_frame *unit = &d->p->plan->units[u];
    const bp_frame_needs *needs = &d->p->needs[u];

    for (uint32_t i = 0; i < unit->desc.n_in; i++)
        set_base(d, unit, bp_unit_input(unit, i), &unit->desc.in[i]);
    for (uint32_t i = 0; i < unit->desc.n_out; i++)
        set_base(d, unit, bp_unit_output(unit, i), &unit->desc.out[i]);
    if (needs->scratch_space != BP_SPACE_HOST && needs->scratch_bytes > 0) {
        const struct bp_device_block *block =
            &d->device->blocks[bp_device_block_of(d, unit->queue, needs->scratch_space)];

        unit->desc.scratch = block->base;
        unit->desc.scratch_offset = block->items[scratch].offset;
    }
    unit->run.io_epoch++;
}

/* Scratch memory takes part in the layout, as any other item that lives for one step. */
bp_rc bp_device_lay_out(struct bp_device_planner *d, bp_err *err)
{
    struct bp_device_plan *device = d->device;
    uint32_t *scratch = bp_region_array(&d->region, d->p->plan->n_units, sizeof *scratch);
    bp_rc rc = BP_OK;

    if (!scratch)
        return bp_fail_nomem(err, "a plan");
    add_scratch(d, scratch);
    extend_sources(device);
    share_in_place(d);
    for (uint32_t b = 0; rc >= 0 && b < device->n_blocks; b++)
        rc = allocate(d, &device->blocks[b], err);
    if (rc < 0)
        return rc;
    for (uint32_t u = 0; u < d->p->plan->n_units; u++) {
        if (d->p->plan->units[u].queue)
            set_unit_bases(d, u, scratch[u]);
    }
    for (uint32_t t = 0; t < device->n_transfers; t++) {
        struct bp_transfer *transfer = &device->transfers[t];
        const struct bp_device_block *block = &device->blocks[transfer->block];

        transfer->device.base = block->base;
        transfer->device.offset = block->items[transfer->item].offset;
        if (transfer->from_block == BP_NONE)
            continue;
        block = &device->blocks[transfer->from_block];
        transfer->from.base = block->base;
        transfer->from.offset = block->items[transfer->from_item].offset;
    }
    return BP_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

void bp_device_plan_finish(struct bp_stage_plan *plan)
{
    struct bp_device_plan *device = plan->device;

    if (!device)
        return;
    for (uint32_t u = 0; u < plan->n_units; u++) {
        const struct bp_unit_frame *unit = &plan->units[u];

        for (uint32_t i = 0; unit->device_buffers && i < unit->desc.n_out; i++)
            bp_device_free(unit->queue, unit->device_buffers[i].space, unit->device_buffers[i].base,
                           unit->device_buffers[i].cap);
    }
    for (uint32_t l = 0; l < device->n_links; l++)
        bp_link_finish(&device->links[l]);
    for (uint32_t h = 0; h < device->n_handovers; h++)
        bp_handover_finish(&device->handovers[h]);
    for (uint32_t b = 0; b < device->n_blocks; b++)
        bp_device_free(device->blocks[b].queue, device->blocks[b].space, device->blocks[b].base,
                       device->blocks[b].bytes);
}

/* Blocks, and buffers of dynamic outputs, which grow after planning. */
size_t bp_device_plan_bytes(const struct bp_stage_plan *plan, const struct bp_active *by)
{
    const struct bp_device_plan *device = plan->device;
    size_t bytes = 0;

    for (uint32_t u = 0; device && u < plan->n_units; u++) {
        const struct bp_unit_frame *unit = &plan->units[u];

        if (by && unit->unit->by != by)
            continue;
        for (uint32_t i = 0; unit->device_buffers && i < unit->desc.n_out; i++)
            bytes += unit->device_buffers[i].cap;
    }
    for (uint32_t b = 0; device && b < device->n_blocks; b++) {
        if (!by || device->blocks[b].queue->by == by)
            bytes += device->blocks[b].bytes;
    }
    return bytes;
}
