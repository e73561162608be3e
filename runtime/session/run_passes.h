/* SPDX-License-Identifier: MIT */
/* run_passes.h - optimises the graph of an engine, with its providers asked and run. */
#ifndef BP_SESSION_RUN_PASSES_H
#define BP_SESSION_RUN_PASSES_H

#include "session/engine.h"

/* Does the config ask for any pass? */
bool bp_engine_is_optimized(const struct bp_engine_config *config);
/* Optimises engine->ir in place, and tells of it in the report. BP_E_NOMEM. */
bp_rc bp_engine_optimize(struct bp_engine *engine, const struct bp_engine_config *config,
                         bp_err *err) BP_CHECKED;

#endif
