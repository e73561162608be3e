/* SPDX-License-Identifier: MIT */
/* device_planning.h - what device_plan.c and device_layout.c share while a plan is made. */
#ifndef BP_EXEC_DEVICE_PLANNING_H
#define BP_EXEC_DEVICE_PLANNING_H

#include "exec/device.h"
#include "exec/planning.h"

/* How far a queue has been waited for, on the planner's clock. */
struct bp_lane {
    struct bp_queue *queue;
    uint32_t waited;
    uint32_t unit; /* the last one that worked in it */
    bool is_busy;
    uint32_t *ordered; /* one a lane: up to when this one waits for that one by itself */
};

/* Where a value is while the planner walks through the stage. */
struct bp_whereabouts {
    uint32_t made_in;       /* block + 1; 0: in host memory */
    uint32_t made;          /* when, on a device */
    bool needs_host;        /* a node, provider or output reads it in host memory */
    struct bp_lane *coming; /* its copy to the host is in this lane */
    uint32_t since;         /* when that copy was enqueued */
    bool is_handed;         /* a queue of another device reads it and can wait for it */
    uint32_t handover;      /* + 1, once it was recorded; 0: there is none */
    uint32_t recorded;      /* when that was */
    uint32_t *item;         /* one a block: its item there + 1; NULL: in none */
};

/*
 * A walk through the steps of a stage. `clock` counts what was put into queues, so that a wait can
 * be compared with a copy.
 */
struct bp_device_planner {
    struct bp_planning *p;
    struct bp_device_plan *device;
    struct bp_region region;       /* of the planner alone */
    struct bp_whereabouts *values; /* one a value */
    struct bp_lane *lanes;
    uint32_t n_lanes, n_tensors;
    uint32_t step, clock;
};

/* The graph that the provider sees, whose values are numbered anew. */
static inline const struct bp_graph_view *bp_unit_view(const struct bp_unit_frame *unit)
{
    return unit->unit->group->view;
}

/* The value of input or output i of a group. */
static inline uint32_t bp_unit_input(const struct bp_unit_frame *unit, uint32_t i)
{
    return bp_unit_view(unit)->value_of[bp_unit_view(unit)->graph.inputs[i]];
}

static inline uint32_t bp_unit_output(const struct bp_unit_frame *unit, uint32_t i)
{
    return bp_unit_view(unit)->value_of[bp_unit_view(unit)->graph.outputs[i]];
}

/* Has the tensor a place in a block? Those of unknown size get a buffer when they are made. */
static inline bool bp_is_in_block(const bp_tensor *tensor)
{
    return tensor->space != BP_SPACE_HOST && tensor->rank != BP_RANK_UNKNOWN;
}

/* Blocks and lanes for all units, before any value has a place in them: device_layout.c. */
bp_rc bp_device_add_blocks(struct bp_device_planner *d, bp_err *err) BP_CHECKED;
/* Index of the block for a space of a queue's provider. */
uint32_t bp_device_block_of(const struct bp_device_planner *d, const struct bp_queue *queue,
                            uint32_t space);
/* Memory for the blocks; bases and offsets of the tensors in them, scratch memory among these. */
bp_rc bp_device_lay_out(struct bp_device_planner *d, bp_err *err) BP_CHECKED;

#endif
