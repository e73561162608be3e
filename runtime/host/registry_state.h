/* SPDX-License-Identifier: MIT */
/*
 * registry_state.h - what a registry holds: its candidates, and what they are searched, inspected,
 * probed and ordered by. For the files that make up the registry; others use registry.h.
 */
#ifndef BP_HOST_REGISTRY_STATE_H
#define BP_HOST_REGISTRY_STATE_H

#include <pthread.h>

#include "base/region.h"
#include "host/candidate.h"
#include "host/inspect/manifest_cache.h"
#include "host/load/allow_list.h"
#include "host/probe_policy.h"
#include "host/search/directories.h"
#include "host/search/order.h"

struct bp_registry {
    pthread_mutex_t lock; /* of everything here */
    struct bp_search search;
    struct bp_order order;
    struct bp_inspector inspector;
    struct bp_manifest_cache cache;
    struct bp_probe_policy probe_policy;
    struct bp_allow_list allow;
    bool wants_trusted; /* libraries that plug-ins bring in */
    const struct bp_log *log;
    struct bp_candidate *first; /* in the order of use */
    /* In no list any more. Sessions use their modules, and callers have their strings. */
    struct bp_candidate *forgotten;
    bool is_strict; /* BACKPLANE_STRICT: CPU can be vetoed too */
    bool is_scanned;
    struct bp_region told; /* texts of verdicts that callers have */
};

#endif
