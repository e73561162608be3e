/* SPDX-License-Identifier: MIT */
/* services.h - the table of host functions that a plug-in may call. */
#ifndef BP_HOST_LOAD_SERVICES_H
#define BP_HOST_LOAD_SERVICES_H

#include "base/log.h"
#include "base/pool.h"
#include "host/load/shared_weights.h"

/* What a graph handed to a provider points to with `host`: how its owner finds constants. */
struct bp_graph_owner {
    bp_rc (*constant)(const bp_graph *graph, uint32_t value, bp_span *out, bp_err *err);
    /* The bytes will hardly be read again; NULL: the owner does not care. */
    void (*constant_done)(const bp_graph *graph, uint32_t value);
    const bp_ext_model *about; /* its functions, whose h is NULL; NULL: the graph is of no model */
};

/* What the services of an instance work with. Borrowed parts outlive it. */
struct bp_services {
    const struct bp_log *log;
    struct bp_pool *pool;
    struct bp_shared_weights *weights;
    const char *scope;                       /* the plug-in's own name space of weights */
    uint32_t threads;                        /* limit of the session; 0: all of the pool */
    bp_host host;                            /* the table, with h pointing back here */
    _Atomic int64_t n_weights, weight_bytes; /* got and not put back */
};

/* Fills services->host from the rest. The struct must not move afterwards. */
void bp_services_init(struct bp_services *services, const char *module_path);

/*
 * The table that an entry function gets: it logs to standard error, works on the calling thread,
 * and shares no weights.
 */
void bp_services_for_module(bp_host *out, const char *module_path);

#endif
