/* SPDX-License-Identifier: MIT */
/*
 * device.h - groups whose provider has memory of its own: what a plan keeps there, which values are
 * copied and when, and where the host waits. Subgraphs without such providers have none of it.
 *
 * Steps of a plan are its units; what a step lists is done before its unit, and the step after the
 * last unit ends the stage. Between stages all values lie in host memory.
 */
#ifndef BP_EXEC_DEVICE_H
#define BP_EXEC_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include <bp/arena.h>

#include "base/fork.h"
#include "compile/provider_list.h"

struct bp_frame_state;
struct bp_handover;
struct bp_link;
struct bp_planning;
struct bp_run_shared;
struct bp_run_state;
struct bp_stage_plan;
struct bp_unit_frame;

enum { BP_DEVICE_ALIGN = 256 }; /* of tensors in a provider's memory; abi.h promises it */

/* ---- queues: device_queue.c ------------------------------------------------------------------ */

/* The order in which one device of an instance works for a frame and its children. */
struct bp_queue {
    struct bp_queue *next;
    const struct bp_active *by;
    uint32_t device; /* of the instance */
    void *stream;    /* NULL: calls return when they are done; else made before the first use */
    void *event;     /* for waiting; lives as long as stream */
    bool is_pending; /* work was enqueued since the last wait */
    pthread_mutex_t lock; /* of n_due */
    pthread_cond_t told;
    uint32_t n_due; /* notifications of events in it that have not come yet */
    struct bp_fork_watch fork;
};

static inline bool bp_has_memory(const struct bp_active *active)
{
    return active && active->provider->dev;
}

/* Errors of the following say what was being done, not yet by which provider. */

/* n bytes in a space of the queue's device. */
bp_rc bp_device_alloc(const struct bp_queue *queue, uint32_t space, size_t n, size_t align,
                      void **out, bp_err *err) BP_CHECKED;
/* Gives back n bytes that came from that; base may be NULL. */
void bp_device_free(const struct bp_queue *queue, uint32_t space, void *base, size_t n);
/* The queue of an instance's device in a list, added to it if there is none yet. */
bp_rc bp_queue_get(struct bp_queue **list, const struct bp_active *by, uint32_t device,
                   struct bp_queue **out, bp_err *err) BP_CHECKED;
void bp_queues_destroy(struct bp_queue *list); /* NULL is fine */
/* Makes the stream, where the provider has streams and this queue none. */
bp_rc bp_queue_start(struct bp_queue *queue, bp_err *err) BP_CHECKED;
bp_rc bp_queue_copy(struct bp_queue *queue, const bp_copy *rows, uint32_t n,
                    bp_err *err) BP_CHECKED;
/* Makes the event of a handover, unless it has one. */
bp_rc bp_handover_prepare(struct bp_handover *handover, bp_err *err) BP_CHECKED;
/* Records the event of a handover in its queue, which has work. */
bp_rc bp_handover_record(struct bp_handover *handover, bp_err *err) BP_CHECKED;
/* Lets what is put into the queue from now on wait for it: a queue of the same instance. */
bp_rc bp_queue_order(struct bp_queue *queue, const struct bp_handover *handover,
                     bp_err *err) BP_CHECKED;
void bp_handover_finish(struct bp_handover *handover);
/*
 * Lets what is put into the link's queue from now on wait for a handover of another provider's: that
 * one tells when its event has come, which fires an event of this one by hand.
 */
bp_rc bp_link_follow(struct bp_link *link, bp_err *err) BP_CHECKED;
/* No notification of its handover is due any more. */
void bp_link_finish(struct bp_link *link);
/*
 * Waits until all enqueued work is done, and counts that. BP_E_CANCELLED or BP_E_TIMEOUT: the run
 * should end.
 */
bp_rc bp_queue_wait(struct bp_queue *queue, struct bp_run_shared *shared, bp_err *err) BP_CHECKED;

/*
 * After a failure: ends all enqueued work, so that it touches no memory any more, and waits for the
 * notifications of its events, so that none is late for the next run.
 */
void bp_queues_abandon(struct bp_queue *list);

/* ---- plans ----------------------------------------------------------------------------------- */

/* One block of one memory space, in which a plan's values of all groups there have their places. */
struct bp_device_block {
    struct bp_queue *queue;
    uint32_t space;
    uint32_t n_items;
    bp_arena_item *items; /* the planning's */
    size_t align;
    void *base;
    size_t bytes;
};

/* A value that is copied at a step. */
struct bp_transfer {
    uint32_t value;
    uint32_t unit; /* whose value it is on the device */
    uint32_t block;
    uint32_t item;  /* in the block */
    uint32_t until; /* the step at which the host has waited for it */
    bp_tensor host; /* shows the value as the host's tensors do */
    bp_tensor device;
    uint32_t from_block, from_item; /* of a copy from device to device; else BP_NONE */
    bp_tensor from;
};

enum bp_device_action_kind {
    BP_DEVICE_WAIT,      /* the host, for the queue */
    BP_DEVICE_TO_DEVICE, /* transfers */
    BP_DEVICE_TO_HOST,
    BP_DEVICE_DIRECT, /* from device to device */
    BP_DEVICE_RECORD, /* the event of a handover, in its queue */
    BP_DEVICE_ORDER,  /* the queue waits for the event of a handover */
    BP_DEVICE_FOLLOW  /* the same by a link, as that is another provider's */
};

/* Transfers of one kind, or what makes one wait for another. */
struct bp_device_action {
    struct bp_queue *queue;
    enum bp_device_action_kind kind;
    uint32_t first, n; /* transfers; or first: the handover, or the link */
    uint32_t unit;     /* for which, or whose work is waited for */
};

/* A point after a unit for which queues of other devices wait. */
struct bp_handover {
    struct bp_queue *queue; /* in which the event is recorded */
    void *event;            /* NULL: not made yet */
};

/* A queue that waits for a handover of another provider's. */
struct bp_link {
    struct bp_handover *from;
    struct bp_queue *to;
    void *event;       /* of `to`, fired by hand; NULL: not made yet */
    atomic_int failed; /* the bp_rc of what went wrong before the handover */
};

/* Storage in a provider's memory for an output whose size comes with its data. */
struct bp_device_buffer {
    void *base;
    size_t cap;
    uint32_t space;
};

/* What a plan has of it. */
struct bp_device_plan {
    struct bp_device_block *blocks;
    struct bp_transfer *transfers;
    bp_copy *rows; /* one a transfer */
    struct bp_device_action *actions;
    uint32_t *first_action; /* one a step, and the end */
    struct bp_handover *handovers;
    struct bp_link *links;
    uint32_t n_blocks, n_transfers, n_actions, n_handovers, n_links;
};

/*
 * Which values are copied at which steps, and where they lie in providers' memory: sets
 * plan->device, unless the stage is in host memory alone. Adds the host's items of values that come
 * from devices. device_plan.c
 */
bp_rc bp_planning_devices(struct bp_planning *p, bp_err *err) BP_CHECKED;
/* Lets items of the host live as long as a copy may be reading or writing them. */
void bp_planning_extend_transfers(struct bp_planning *p);
/* Frees blocks, and buffers of dynamic outputs. device_layout.c */
void bp_device_plan_finish(struct bp_stage_plan *plan);
/*
 * Bytes of a provider's memory (NULL: of all providers') that a plan holds, with buffers of dynamic
 * outputs.
 */
size_t bp_device_plan_bytes(const struct bp_stage_plan *plan, const struct bp_active *by);

/* ---- runs: device_run.c ---------------------------------------------------------------------- */

/* "provider 'p', node 'n': " before the words of an error; what ends a run goes as it is. */
bp_rc bp_device_fail_in(const struct bp_unit_frame *unit, bp_rc rc, bp_err *err);
/* What the plan lists for a step. */
bp_rc bp_device_step(struct bp_run_state *state, uint32_t step, bp_err *err) BP_CHECKED;
/* A buffer of at least `bytes` for output `out` of a group, in the memory of its provider. */
bp_rc bp_device_grow(struct bp_unit_frame *unit, uint32_t out, size_t bytes,
                     bp_err *err) BP_CHECKED;
/* Copies `bytes` of output `out`, which has such a buffer, to host memory at `to`; and waits. */
bp_rc bp_device_fetch(struct bp_run_state *state, struct bp_unit_frame *unit, uint32_t out,
                      void *to, size_t bytes, bp_err *err) BP_CHECKED;

#endif
