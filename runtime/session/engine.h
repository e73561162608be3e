/* SPDX-License-Identifier: MIT */
/*
 * engine.h - a model on a provider list of providers, ready to run: what set_providers replaces as
 * a whole.
 */
#ifndef BP_SESSION_ENGINE_H
#define BP_SESSION_ENGINE_H

#include <pthread.h>

#include "exec/frame.h"
#include "model/onnx.h"
#include "plan/placement_rules.h"

enum { BP_IDLE_FRAMES = 16 }; /* kept for the next runs; more runs at once make more */

struct bp_run_shared;

/* How many frames there may be, where programs limit them; see engine_frames.c. */
struct bp_frame_limit {
    uint32_t most; /* frame states at once; 0: any number, and nothing else here counts */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a state became idle, or went */
    uint32_t n_states;      /* idle ones too */
    uint32_t share;         /* that each state is to have */
    uint32_t n_behind;      /* states with another share, all of them in a run */
};

/*
 * Everything that set_providers replaces as a whole. Read-only once created but for `idle` and
 * counters, so that runs on many threads share it.
 */
struct bp_engine {
    struct bp_onnx *onnx;
    struct bp_provider_list providers;
    struct bp_region region;
    struct bp_symbols symbols;
    struct bp_custom_table custom; /* of the application; the graph's nodes point into it */
    struct bp_ir *ir;
    bool has_changed_layout;    /* nodes of ir are channels-last, for their providers */
    struct bp_ir_states states; /* that runs keep from one to the next; names of ir */
    struct bp_subgraph *graph;  /* the main graph, compiled */
    bp_report *report;
    struct bp_engine_memory memory; /* that its frames hold */
    bool *has_matched;              /* one a placement rule: it speaks of a node */
    _Atomic(struct bp_frame_state *) idle[BP_IDLE_FRAMES];
    struct bp_frame_limit limit;
    struct bp_fork_watch fork; /* of the limit */
};

/* Nodes that a provider of an engine is not to get. A list. */
struct bp_refused_by {
    const char *provider;
    struct bp_refused nodes;
    const struct bp_refused_by *next;
};

/* What is asked of an engine. Pointers are borrowed until bp_engine_create() returns. */
struct bp_engine_config {
    struct bp_provider_list_config providers;
    const struct bp_custom_list *operators;     /* the session's own; may be NULL */
    const struct bp_placement_list *placements; /* may be NULL */
    const struct bp_state_list *states;         /* what runs keep; NULL: nothing */
    bool open_defaults;         /* initializers that are inputs stay inputs; see bp_onnx_graph() */
    bool open_scalars;          /* inputs that are declared as scalars may have any shape */
    const char *const *without; /* inputs that are not fed: all that needs them is left out */
    uint32_t n_without;
    uint32_t level;                    /* BP_OPTIMIZE_* */
    uint64_t disabled_passes;          /* a bit for each, by its index in the table */
    bool is_session;                   /* BACKPLANE_REPORT tells of it */
    bool newer_opsets;                 /* operator sets newer than the tables are fine */
    bool strict_shapes;                /* declared shapes that do not fit are an error */
    struct bp_mismatches *mismatches;  /* the list that takes them; NULL: the engine's own report */
    const struct bp_fixed_list *fixed; /* sizes of named dimensions; may be NULL */
    const struct bp_refused_by *refused; /* not NULL: for sizes that providers refused */
    bool claims_only;                    /* for a plan: nothing is compiled, it cannot run */
    bool saves_programs;                 /* all is compiled, and saved for a model */
    bool writes_graph;                   /* the optimized graph is written as a model */
    bp_progress_fn progress;             /* may be NULL */
    void *progress_user;
    bp_allocator allocator;         /* of runs' memory; alloc NULL: the C library */
    uint32_t max_shapes;            /* for which a frame keeps plans; 0: BP_MOST_PLANS */
    struct bp_memory_limit *memory; /* the session's; NULL: there is none */
    const char *cache_dir;          /* of compiled programs; NULL: BACKPLANE_CACHE_DIR; "": none */
    uint64_t cache_limit;           /* bytes; 0: BACKPLANE_CACHE_LIMIT */
};

/* Calls fn (NULL: nothing). An exception in it is logged, because creation goes on. */
void bp_progress_report(const struct bp_log *log, bp_progress_fn fn, void *user, const char *phase,
                        double fraction);

/*
 * Makes an engine; keeps a reference to onnx. A provider that fails while it claims or compiles is
 * dropped by its policy and the rest begins again. BP_E_UNSUPPORTED: operators that no provider takes,
 * all of them named.
 */
bp_rc bp_engine_create(struct bp_env *env, struct bp_onnx *onnx,
                       const struct bp_engine_config *config, struct bp_engine **out,
                       bp_err *err) BP_CHECKED;
void bp_engine_destroy(struct bp_engine *engine); /* no frame may be out; NULL is fine */

/* Around the life of an engine. */
void bp_engine_init_frames(struct bp_engine *engine);
void bp_engine_finish_frames(struct bp_engine *engine);
/*
 * A frame for one run, an idle one if there is one. Where a program limits its frames, waits until
 * another run ends. BP_E_CANCELLED, BP_E_TIMEOUT: this one should end. [any thread, like the next]
 */
bp_rc bp_engine_take_frame(struct bp_engine *engine, const struct bp_run_shared *shared,
                           struct bp_frame_state **out, bp_err *err) BP_CHECKED;
/* Gives a frame back after a run or a look at it, whatever came of that. [any thread] */
void bp_engine_return_frame(struct bp_engine *engine, struct bp_frame_state *frame);
/*
 * Destroys the frames that are idle; returns the bytes that they held. Frames that are out stay.
 * [any thread]
 */
uint64_t bp_engine_trim(struct bp_engine *engine);

#endif
