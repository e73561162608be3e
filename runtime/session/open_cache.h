/* SPDX-License-Identifier: MIT */
/* open_cache.h - the cache of compiled programs that an engine uses: whose directory, which limit. */
#ifndef BP_SESSION_OPEN_CACHE_H
#define BP_SESSION_OPEN_CACHE_H

#include "compile/make_program.h"
#include "session/engine.h"

/* The cache while an engine is made. Start from {0}; finish it also when it was not opened. */
struct bp_engine_cache {
    struct bp_program_cache cache;
    char fault[512];
    bool is_on; /* the application or BACKPLANE_CACHE_DIR asked for it */
};

/*
 * Opens what the application or BACKPLANE_CACHE_DIR asks for. A directory that cannot be used is a
 * warning: then cache.fault is set, for the report.
 */
void bp_engine_open_cache(struct bp_engine_cache *out, const struct bp_env *env,
                          const struct bp_engine_config *config, const struct bp_log *log);
void bp_engine_close_cache(struct bp_engine_cache *cache);

#endif
