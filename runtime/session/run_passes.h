/* SPDX-License-Identifier: MIT */
/* run_passes.h - optimises the graph of an engine, with its providers asked and run. */
#ifndef BP_SESSION_RUN_PASSES_H
#define BP_SESSION_RUN_PASSES_H

#include "session/engine.h"

/* Does the config ask for any pass? */
bool bp_engine_is_optimized(const struct bp_engine_config *config);
/*
 * Which provider takes each node of a graph under the placement rules: index in the engine's list,
 * or BP_NONE, one a node in out. path: names of the nodes around the graph, as in the report. A
 * provider that fails to answer is an error.
 */
bp_rc bp_engine_takers(const struct bp_engine *engine, const struct bp_engine_config *config,
                       struct bp_ir *ir, const char *path, const struct bp_fact *facts,
                       struct bp_symbols *symbols, uint32_t *out, bp_err *err) BP_CHECKED;
/* Does the config's level fuse nodes? */
bool bp_engine_fuses(const struct bp_engine_config *config);
/* Optimises engine->ir in place, and adds rows to the report. BP_E_NOMEM. */
bp_rc bp_engine_optimize(struct bp_engine *engine, const struct bp_engine_config *config,
                         bp_err *err) BP_CHECKED;

#endif
