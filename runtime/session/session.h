/* SPDX-License-Identifier: MIT */
/* session.h - the objects behind bp_session, bp_session_options and bp_model. */
#ifndef BP_SESSION_SESSION_H
#define BP_SESSION_SESSION_H

#include <stdatomic.h>

#include "session/engine.h"

struct bp_session_options {
    struct bp_spec_list providers;
    struct bp_custom_list operators;
    struct bp_place_list places;
    uint32_t fallback; /* never BP_FALLBACK_DEFAULT */
    uint32_t threads;
    bool ignore_env;
    uint32_t level;           /* BP_OPTIMIZE_* */
    uint64_t disabled_passes; /* a bit for each */
    bool strict;
    bool strict_shapes;
    bool newer_opsets;
    bp_progress_fn progress;
    void *progress_user;
};

/* Inputs and outputs as the application sees them; the same for all engines of a model. */
struct bp_ports {
    bp_io_info *inputs, *outputs; /* inputs: those that must be fed, then those with a default */
    uint32_t n_inputs, n_outputs;
    uint32_t n_required; /* inputs without a default */
    struct bp_region region;
};

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

/* An engine with the places of the ports in it. */
struct bp_ported {
    struct bp_engine *engine;
    uint32_t *inputs, *outputs; /* values of the main graph, by port */
};

struct bp_session {
    struct bp_env *env;
    struct bp_onnx *onnx;
    struct bp_ports ports;
    struct bp_session_options options; /* a copy */
    struct bp_ported main;             /* defaults are constants */
    struct bp_ported general;          /* made when a caller feeds an input with a default */
    pthread_mutex_t lock;              /* of making `general` */
    atomic_uint running;
    _Atomic uint64_t runs, crossings;
    uint64_t create_ns;
};

/*
 * Ports of a graph. Outputs are as the model declares them; facts (may be NULL) tell what it leaves
 * open, and take out what they contradict.
 */
bp_rc bp_ports_init(struct bp_ports *ports, const struct bp_ir *ir, const struct bp_fact *facts,
                    const struct bp_symbols *symbols, bp_err *err) BP_CHECKED;
void bp_ports_finish(struct bp_ports *ports);
/* Port by name; BP_E_INVALID names the nearest. `what`: "input" or "output". */
bp_rc bp_ports_find(const bp_io_info *rows, uint32_t n, const char *what, const char *name,
                    uint32_t *out, bp_err *err) BP_CHECKED;

bp_rc bp_session_options_copy(struct bp_session_options *to, const struct bp_session_options *from,
                              bp_err *err) BP_CHECKED;
void bp_session_options_finish(struct bp_session_options *options);
/* The wish of an engine; borrows from options and threads of it. */
struct bp_engine_wish bp_session_wish(const struct bp_session_options *options);

/* Gives an engine the options that were changed in the main one since. */
bp_rc bp_session_repeat_changes(bp_session *session, struct bp_engine *engine,
                                bp_err *err) BP_CHECKED;

/* The engine that runs when some input with a default is fed; made at first need. [any thread] */
bp_rc bp_session_general(bp_session *session, struct bp_ported **out, bp_err *err) BP_CHECKED;

#endif
