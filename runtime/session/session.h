/* SPDX-License-Identifier: MIT */
/* session.h - the objects behind bp_session, bp_session_options and bp_model. */
#ifndef BP_SESSION_SESSION_H
#define BP_SESSION_SESSION_H

#include <stdatomic.h>

#include "session/engine.h"
#include "session/shape_list.h"

/* What an application asks for; each session keeps a copy. Lists are owned. */
struct bp_session_options {
    struct bp_spec_list providers;
    struct bp_custom_list operators;
    struct bp_placement_list placements;
    struct bp_fixed_list fixed;  /* sizes of named dimensions */
    struct bp_state_list states; /* that its runs keep */
    uint32_t fallback;           /* never BP_FALLBACK_DEFAULT */
    uint32_t threads;
    bool ignore_env;
    uint32_t level;           /* BP_OPTIMIZE_* */
    uint64_t disabled_passes; /* a bit for each */
    bool strict;
    bool strict_shapes;
    bool newer_opsets;
    bp_progress_fn progress;
    void *progress_user;
    bp_allocator allocator;      /* of runs' memory; alloc NULL: the C library */
    uint32_t max_shapes;         /* 0: the default */
    uint64_t memory_limit;       /* bytes of host memory; 0: none */
    bool copy_files;             /* the model's are not mapped */
    bp_worker_config *workers;   /* of a pool of the session's own; NULL: the environment's */
    struct bp_log log;           /* without fn: the environment's */
    char *cache_dir;             /* NULL: the environment's; "": none */
    uint64_t cache_limit;        /* bytes; 0: the environment's */
    struct bp_shape_list shapes; /* that sessions are prepared for */
    bp_prepare_options prepare;  /* how; zero: as by default */
};

/* Inputs and outputs as the application sees them; the same for all engines of a model. */
struct bp_ports {
    bp_io_info *inputs, *outputs; /* inputs: those that must be fed, then those with a default */
    uint32_t n_inputs, n_outputs;
    uint32_t n_required; /* inputs without a default */
    struct bp_region region;
};

/* A model opened without providers: read-only once created. [any thread] */
struct bp_model {
    struct bp_env *env;
    struct bp_onnx *onnx;
    struct bp_ir *ir;
    struct bp_ports ports;
    bp_op_info *ops;
    uint32_t n_ops;
    struct bp_region region;
    struct bp_symbols symbols;
    struct bp_custom_table custom; /* the environment's */
};

/* An engine, and which of its values the session's ports are. */
struct bp_ported {
    struct bp_engine *engine;
    uint32_t *inputs, *outputs; /* values of the main graph, by port */
    bool *is_needed;            /* [input]: something reads it, so a run needs it */
    bool is_general;            /* inputs with a default are inputs */
};

enum { BP_REFUSED_SIZES = 256 }; /* sets of sizes that a variant remembers; more are tried again */
enum { BP_MAX_VARIANTS = 16 }; /* a session's; each holds memory for as long as the session lives */

/*
 * An engine for feeds that the main one is not made for; made when the first such run comes, and
 * kept. There inputs with a default are inputs.
 */
struct bp_variant {
    _Atomic(struct bp_variant *) next;
    struct bp_ported ported;
    bool has_open_scalars; /* see bp_engine_config */
    bool *without;         /* [required input]: it is not fed, and all that needs it is left out */
    struct bp_ported *of;  /* not NULL: serves sizes that a provider of that engine refused */
    struct bp_refused_by by; /* with `of`: the nodes that the provider does not get here */
    _Atomic uint64_t sizes[BP_REFUSED_SIZES]; /* with `of`: hashes of sizes, by their low bits */
};

/*
 * A model on its providers. Runs may go on at once on any thread; what changes the session does not
 * run beside them, or takes `lock`.
 */
struct bp_session {
    struct bp_env *env;
    struct bp_onnx *onnx;
    struct bp_ports ports;
    struct bp_session_options options;     /* a copy */
    struct bp_log log;                     /* as it was asked for at first */
    struct bp_pool *pool;                  /* its own; NULL: the environment's */
    struct bp_ported main;                 /* defaults are constants */
    _Atomic(struct bp_variant *) variants; /* the newest last */
    pthread_mutex_t lock;                  /* of making variants, and of options that change */
    pthread_mutex_t engines_lock;          /* of replacing engines, and of counting in them */
    struct bp_memory_limit memory;         /* that its engines hold together */
    atomic_uint owners;
    struct bp_session *next, *previous; /* in the environment's list */
    atomic_uint running;
    struct bp_fork_watch fork;
    _Atomic uint64_t runs, crossings, host_waits;
    uint64_t create_ns;
    bool is_watched; /* files of the model are mapped, and may be written to */
};

/*
 * Ports of a graph. Outputs are as the model declares them; facts (may be NULL) tell what it leaves
 * open, and take out what they contradict.
 */
bp_rc bp_ports_init(struct bp_ports *ports, const struct bp_ir *ir, const struct bp_fact *facts,
                    const struct bp_symbols *symbols, bp_err *err) BP_CHECKED;
/* {0} is fine. */
void bp_ports_finish(struct bp_ports *ports);
/* Port by name; BP_E_INVALID names the nearest. `what`: "input" or "output". */
bp_rc bp_ports_find(const bp_io_info *rows, uint32_t n, const char *what, const char *name,
                    uint32_t *out, bp_err *err) BP_CHECKED;

/*
 * prepare.c: prepares for one set of shapes. *n_skipped: parts whose sizes come with data. [any
 * thread, while session->running counts it]
 */
bp_rc bp_session_prepare_set(bp_session *session, const bp_run_shapes *set,
                             const bp_prepare_options *options, uint32_t *n_skipped,
                             bp_err *err) BP_CHECKED;
/* Most runs at once that a session can be prepared for: more are a mistake. */
enum { BP_PREPARE_RUNS = 256 };
/*
 * prepare_created.c: prepares a session, which has its engine, for the sets of its options. start:
 * what of the progress is over by then.
 */
bp_rc bp_session_prepare_created(bp_session *session, double start, bp_err *err) BP_CHECKED;

bp_rc bp_session_options_copy(struct bp_session_options *to, const struct bp_session_options *from,
                              bp_err *err) BP_CHECKED;
/* Frees the lists, not the struct. {0} is fine. */
void bp_session_options_finish(struct bp_session_options *options);
/* The config of an engine; borrows from options and threads of it. */
struct bp_engine_config bp_session_options_engine_config(const struct bp_session_options *options);
/* The same of an engine of the session, with its log and its pool. */
struct bp_engine_config bp_session_engine_config(const bp_session *session,
                                                 const struct bp_session_options *options);

/* Gives an engine the options that were changed in the main one since. */
bp_rc bp_session_repeat_changes(bp_session *session, struct bp_engine *engine,
                                bp_err *err) BP_CHECKED;

/* An engine with the ports found in it; the first one of a session makes the ports. */
bp_rc bp_session_make_ported(bp_session *session, const struct bp_engine_config *config,
                             struct bp_ported *out, bp_err *err) BP_CHECKED;
/* Destroys the engine; {0} is fine. */
void bp_session_finish_ported(struct bp_ported *ported);

/*
 * The variant for such feeds; made at first need. without: [required input], copied; NULL: all are
 * fed. BP_E_UNSUPPORTED: the session has BP_MAX_VARIANTS. [any thread]
 */
bp_rc bp_session_variant(bp_session *session, bool has_open_scalars, const bool *without,
                         struct bp_ported **out, bp_err *err) BP_CHECKED;
/*
 * The engine for a run whose input sizes have this hash, where *ported, which is for its feeds, is
 * known to refuse them. [any thread]
 */
void bp_session_route_sizes(bp_session *session, uint64_t hash, struct bp_ported **ported);
/* A run that failed, because a provider does not take its sizes. */
struct bp_refused_run {
    const struct bp_frame_refusal *refusal;
    uint64_t hash;     /* of the sizes */
    const char *sizes; /* in words */
};
/*
 * Finds or makes the variant of *ported in which the refused group's nodes go to other providers,
 * and remembers the sizes. BP_E_UNSUPPORTED: there is no other provider, or BP_MAX_VARIANTS are
 * there. [any thread]
 */
bp_rc bp_session_refuse_sizes(bp_session *session, const struct bp_refused_run *run,
                              struct bp_ported **ported, bp_err *err) BP_CHECKED;
void bp_session_drop_variants(bp_session *session); /* between runs */
/* Counts again what providers hold beside frames. [any thread] */
void bp_session_count_rest(bp_session *session);
/* all_sessions.c: puts a session into its environment's list, and takes it out. */
void bp_session_enlist(bp_session *session);
void bp_session_delist(bp_session *session);
/*
 * Engine i: 0 is the main one, then the variants; NULL: there are no more. [any thread]
 */
struct bp_engine *bp_session_engine(const bp_session *session, uint32_t i);

#endif
