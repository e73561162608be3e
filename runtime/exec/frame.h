/* SPDX-License-Identifier: MIT */
/*
 * frame.h - the state of one run through a subgraph: where each value lies now, and for each stage
 * the plans for the shapes that it has met. Used by one thread at a time; kept and used again, so
 * that a run with known shapes allocates nothing.
 */
#ifndef BP_EXEC_FRAME_H
#define BP_EXEC_FRAME_H

#include "compile/subgraph.h"
#include "custom/frame_host.h"
#include "exec/device.h"
#include "value/object.h"

/*
 * Where a value lies during the run; set for values that cross stages and for inputs and outputs. A
 * value that is not a tensor has an object, a base that is not NULL, and neither type nor dims. A
 * tensor may lie in an object, which then is its owner.
 */
struct bp_cell {
    void *base;
    bp_object *object; /* borrowed: from the caller, or from bp_frame_state.held */
    const int64_t *dims;
    size_t bytes; /* of the data */
    size_t slack; /* bytes after it that are known to be readable */
    uint32_t rank, dtype;
};

/* Are n sizes the same? Of none, where there may be no list, they are. */
static inline bool bp_same_dims(const int64_t *a, const int64_t *b, uint32_t n)
{
    for (uint32_t d = 0; d < n; d++) {
        if (a[d] != b[d])
            return false;
    }
    return true;
}

/*
 * Storage for an output whose size comes with its data; grows, and stays with the frame. rank and
 * bytes are of the run; the rank is unknown until the provider has asked for memory.
 */
struct bp_dynamic_buffer {
    const bp_allocator *allocator; /* of `data`; NULL: the C library */
    void *data;
    void *base; /* where the value lies: `data`, or the memory that the caller of the run brings */
    size_t cap, bytes;
    uint32_t rank;
    uint32_t dtype; /* set by loops, whose rounds may differ */
    int64_t dims[BP_MAX_RANK];
};

/*
 * Memory for an output that is kept between runs, and replaced by a larger block when it is too
 * small: so that runs with known shapes allocate nothing, and no run has to be repeated.
 */
struct bp_kept_output {
    bp_tensor block; /* owned; base NULL: none yet */
    int64_t dims[BP_MAX_RANK];
};

/* Where the caller of a run wants an output. */
struct bp_wanted {
    bp_binding *binding; /* NULL: nowhere */
    struct bp_kept_output
        *kept;         /* NULL: the binding's memory is the caller's, or to be allocated */
    bool is_allocated; /* without `kept`: its tensor had no base when the run began */
};

/*
 * A group that runs on a part of its batch at a time, so that what goes from node to node stays in the
 * caches and scratch memory is small: how far tensors move from one part to the next.
 */
struct bp_slices {
    uint32_t n;       /* parts, at least 2 */
    size_t *in, *out; /* bytes of a part, one a tensor of the frame */
};

/* A group prepared for the shapes of a plan. */
struct bp_unit_frame {
    struct bp_frame_host host; /* first: the provider `custom` sees no more than that */
    struct bp_frame_state *owner;
    const struct bp_stage_plan *plan;
    struct bp_unit *unit;
    bp_frame *frame; /* NULL: the host runs it */
    /* The provider's execute, where a call of it is all there is to do; NULL: it takes more. */
    bp_rc (*direct)(bp_frame *, const bp_run *, bp_err *);
    bp_run run;
    bp_frame_desc desc;
    bool has_dynamic_output;         /* some outputs come through alloc_output */
    struct bp_slices *slices;        /* NULL: the batch as a whole */
    struct bp_unit_profile *profile; /* NULL: no run of it was measured yet */
    struct bp_queue *queue;          /* of a provider with memory of its own; NULL: it has none */
    struct bp_handover *handover;    /* whose event execute records; NULL: none */
    struct bp_device_buffer
        *device_buffers; /* one an output, with a queue: where its size comes with the data */
};

/* What the groups of a plan want of a value in host memory; zero: what each tensor has. */
struct bp_place {
    uint32_t align; /* of its first byte */
    uint32_t slack; /* bytes after its elements */
    bool is_copy;   /* the value comes from elsewhere, and may have less */
    void *copy;     /* where it is copied to then: in the arena */
};

/* Where a value, or a unit's scratch memory, lies in the arena that a plan is shown. */
struct bp_home {
    uint32_t value; /* BP_NONE: scratch memory */
    uint32_t unit;  /* whose scratch memory it is */
    size_t offset;  /* from the arena's base, in bytes */
    size_t align;   /* of scratch memory, beyond the arena's; 0: none */
};

/*
 * The memory of a stage's plans. Runs of a frame come one after the other, so that its plans share
 * one block: as large as the largest of them needs. Moves when it grows.
 */
struct bp_stage_arena {
    void *base; /* NULL: no plan was made yet */
    size_t bytes;
    size_t kept; /* the application prepared for so much: it does not shrink below */
    const bp_allocator *allocator;  /* of the block; NULL: the C library */
    struct bp_memory_share *shares; /* of the block, one a unit: by the plan that it was made for */
    uint32_t n_shares;
};

/* A tensor of a group, or of a copy, that shows a value in host memory. */
struct bp_slot {
    bp_tensor *tensor;
    struct bp_unit_frame *unit; /* NULL: of a copy */
};

/* What the shape rules found for a stage, and what they found it from. */
struct bp_stage_facts {
    struct bp_region region;
    int64_t *key; /* types and shapes of what the stage reads, and some contents */
    uint32_t n_key;
    struct bp_fact *facts; /* one a value of the subgraph */
};

/*
 * A stage, prepared for one set of shapes. Contents that shapes depend on matter to the facts alone:
 * a plan serves others that lead to the same shapes, once it has their facts.
 */
struct bp_stage_plan {
    struct bp_stage_plan *next; /* less recently used */
    uint32_t misses;            /* lookups in a row that found no plan, up to the last one here */
    struct bp_stage_facts inferred;
    struct bp_region region;     /* of all that follows */
    struct bp_unit_frame *units; /* one a unit of the stage */
    uint32_t n_units;
    struct bp_cell *planned; /* one a value: planned dims and, in the arena, base */
    struct bp_place *places; /* one a value; NULL: no group wants anything */
    uint32_t *slot_first;    /* one a value, and the end */
    struct bp_slot *slots;
    struct bp_home *homes;
    uint32_t n_homes;
    const void *base;                /* of the arena that its tensors lie in; NULL: in none yet */
    size_t *asked;                   /* bytes, one a unit: its part in the arena */
    size_t arena_bytes;              /* that it needs of the arena */
    size_t frame_bytes;              /* that providers say their frames hold */
    struct bp_device_plan *device;   /* NULL: all is in host memory */
    struct bp_engine_memory *memory; /* counts frame_bytes; may be NULL */
};

/* A group whose provider does not take the sizes of the last run. */
struct bp_frame_refusal {
    const struct bp_unit *unit; /* NULL: there is none */
    char text[512];             /* the provider's words */
};

struct bp_frame_state {
    const struct bp_subgraph *subgraph;
    struct bp_frame_state *root; /* of the main graph: itself */
    struct bp_queue *queues;   /* the root's, for all; of providers that have memory of their own */
    struct bp_symbols symbols; /* of sizes that come with data */
    struct bp_cell *cells;     /* one a value */
    struct bp_wanted *wanted;  /* one a value */
    bool *allocated;           /* one a binding of an output of the run: see bp_wanted */
    uint32_t allocated_cap;
    struct bp_dynamic_buffer *
        *carry_to;    /* one a value: where a loop wants it; the list may be NULL */
    bp_object **held; /* one a value: what keeps its cell alive; or NULL */
    struct bp_dynamic_buffer
        *dynamic_outputs;        /* one a value of unknown size; allocated at first need */
    struct bp_carried **carried; /* [unit] of loops: values between rounds, made at first need */
    struct bp_operator_frame **operators; /* [unit] of the application's that the host runs */
    struct bp_stage_plan **plans;         /* [stage] most recently used first */
    struct bp_stage_arena *arenas;        /* [stage] */
    struct bp_frame_state ***children;    /* [unit][subgraph], made at first need */
    int64_t *key;                         /* scratch memory of the search for a plan */
    uint32_t key_cap;
    struct bp_stage_facts spare; /* memory of facts that were replaced, for the next ones */
    struct bp_region scratch;    /* of planning; kept where plans are made in others' memory */
    uint32_t share; /* the root's: of n, of the frames that programs allow; 0: there is no limit */
    struct bp_frame_refusal refusal; /* the root's: why the last run failed with BP_E_SHAPE */
};

/* A frame for the main graph's subgraph; children as they are needed. */
bp_rc bp_frame_state_create(const struct bp_subgraph *subgraph, struct bp_frame_state **out,
                            bp_err *err) BP_CHECKED;
void bp_frame_state_destroy(struct bp_frame_state *frame); /* NULL is fine */
/* From now on its arenas stay at least as large as they are, until the frame ends. */
void bp_frame_state_keep_arenas(struct bp_frame_state *frame);
/* From now on it has that share; plans beyond it are destroyed, in children too. No run uses it. */
void bp_frame_state_set_share(struct bp_frame_state *frame, uint32_t share);
/* Space in `allocated` for a run with so many bindings of outputs; kept for later runs. */
bp_rc bp_frame_state_want(struct bp_frame_state *frame, uint32_t n_outputs, bp_err *err) BP_CHECKED;
/*
 * Sets the cell of a constant or default; what is badly aligned for its type in the file is copied.
 */
bp_rc bp_frame_state_constant(struct bp_frame_state *frame, uint32_t value, bp_err *err) BP_CHECKED;
/* The frame of subgraph i of a control-flow unit, made at first need. */
bp_rc bp_frame_state_child(struct bp_frame_state *frame, const struct bp_unit *unit, uint32_t i,
                           struct bp_frame_state **out, bp_err *err) BP_CHECKED;
/*
 * A value that a loop carries, kept with the frame. It has two buffers, so that an iteration can
 * read the last value while it makes the next one.
 */
struct bp_carried {
    struct bp_dynamic_buffer buffers[2];
    struct bp_cell cell; /* as it is now */
    bp_object *object;   /* owned, when the cell has one */
};

/* Those of a unit, one an input of its node. */
bp_rc bp_frame_state_carried(struct bp_frame_state *frame, const struct bp_unit *unit,
                             struct bp_carried **out, bp_err *err) BP_CHECKED;
/* A run's half of a kernel of the application that the host calls itself. */
struct bp_operator_frame {
    struct bp_frame_host host; /* first, as in bp_unit_frame */
    void *state;               /* of the run that is in it; of its caller */
    const struct bp_unit *unit;
    bp_frame_desc desc; /* no output has a size before the kernel gives it one */
    bp_frame *frame;
    struct bp_region region;
};

/* The one of a unit, made at first need. */
bp_rc bp_frame_state_operator(struct bp_frame_state *frame, const struct bp_unit *unit,
                              struct bp_operator_frame **out, bp_err *err) BP_CHECKED;
/* NULL is fine. */
void bp_operator_frame_destroy(struct bp_operator_frame *operator_frame);

/*
 * Lets the frame keep an object (or NULL) for a value, in place of the last one. The frame takes a
 * reference.
 */
void bp_frame_state_hold(struct bp_frame_state *frame, uint32_t value, bp_object *object);
/* A cell that shows an object's tensor, or the object itself. */
struct bp_cell bp_cell_of_object(bp_object *object);
/*
 * An object of what a cell shows: the one it has, or a copy in memory of the session's allocator (NULL: of
 * the C library). The reference is the caller's.
 */
bp_rc bp_cell_to_object(const bp_allocator *allocator, const struct bp_cell *cell, bp_object **out,
                        bp_err *err) BP_CHECKED;
/* BP_KIND_* of what a cell shows. */
uint32_t bp_cell_kind(const struct bp_cell *cell);
/*
 * BP_E_INVALID when a cell is not of the kind and element type that a fact says: programs rest on
 * these. `name` is the value's.
 */
bp_rc bp_cell_check(const struct bp_cell *cell, const struct bp_fact *fact, const char *name,
                    bp_err *err) BP_CHECKED;
/* The tensor that a cell shows. */
bp_tensor bp_cell_tensor(const struct bp_cell *cell);
/* Frees the storage; a zeroed buffer is fine. */
void bp_dynamic_buffer_finish(struct bp_dynamic_buffer *buffer);
/* Capacity for `bytes`; `keep`: the content stays. */
bp_rc bp_dynamic_buffer_reserve(struct bp_dynamic_buffer *buffer, size_t bytes, size_t keep,
                                bp_err *err) BP_CHECKED;
/* *out shows `made`, whose elements lie in the buffer; its sizes are copied there too. */
void bp_dynamic_buffer_show(struct bp_dynamic_buffer *buffer, const struct bp_cell *made,
                            struct bp_cell *out);
/* Copies a tensor's elements, strings with their text, and its dims; *out shows the copy. */
bp_rc bp_dynamic_buffer_copy(struct bp_dynamic_buffer *buffer, const struct bp_cell *from,
                             struct bp_cell *out, bp_err *err) BP_CHECKED;

/*
 * Bytes in the arenas and dynamic outputs of the frame and its children: those that are charged to
 * `of`; NULL: all.
 */
size_t bp_frame_state_bytes(const struct bp_frame_state *frame, const struct bp_memory *of);
/* Of these, in arenas, what no run has written to yet: addresses without memory behind them. */
size_t bp_frame_state_untouched(const struct bp_frame_state *frame, const struct bp_memory *of);
/* As bp_frame_state_bytes(), of the memory of one provider, or (NULL) of all. */
size_t bp_frame_state_device_bytes(const struct bp_frame_state *frame, const struct bp_active *by);

/*
 * The plan of stage s for the cells as they are: remembered, or made, in place of the
 * least recently used.
 */
bp_rc bp_stage_plan_get(struct bp_frame_state *frame, uint32_t s, struct bp_stage_plan **out,
                        bp_err *err) BP_CHECKED;
/* Destroys the least recently used plans of stage s, but for so many. */
void bp_stage_plan_forget(struct bp_frame_state *frame, uint32_t s, uint32_t keep);
/* How many plans a frame may have of stage s, at least 1. */
uint32_t bp_stage_plan_most(const struct bp_frame_state *frame, uint32_t s);
void bp_stage_plan_destroy(struct bp_stage_plan *plan); /* NULL is fine */
/* Lets every tensor of the plan that shows `value` begin at base. */
void bp_stage_plan_bind(struct bp_stage_plan *plan, uint32_t value, void *base, size_t bytes);
/* Is this memory enough for what groups want of the value, with `slack` bytes after it? */
static inline bool bp_stage_plan_suits(const struct bp_stage_plan *plan, uint32_t value,
                                       const void *base, size_t slack)
{
    const struct bp_place *place = plan->places ? &plan->places[value] : NULL;

    return !place || ((place->align == 0 || ((uintptr_t)base & (place->align - 1)) == 0) &&
                      slack >= place->slack);
}

/* What follows, of a plan with places. */
void bp_stage_plan_show_placed(struct bp_stage_plan *plan, uint32_t value,
                               const struct bp_cell *cell);
/* Binds a value that was made elsewhere: where it lies, or a copy if that is not enough. */
static inline void bp_stage_plan_show(struct bp_stage_plan *plan, uint32_t value,
                                      const struct bp_cell *cell)
{
    if (plan->places)
        bp_stage_plan_show_placed(plan, value, cell);
    else
        bp_stage_plan_bind(plan, value, cell->base, cell->bytes);
}
/* Capacity of `bytes` for a value in its dynamic storage; `keep`: the content stays. */
bp_rc bp_frame_state_reserve(struct bp_frame_state *frame, uint32_t value, size_t bytes,
                             size_t keep, bp_err *err) BP_CHECKED;
/* Capacity of `bytes` for a value whose size depends on data; the content is lost. */
bp_rc bp_frame_state_grow(struct bp_frame_state *frame, uint32_t value, size_t bytes,
                          struct bp_dynamic_buffer **out, bp_err *err) BP_CHECKED;

#endif
