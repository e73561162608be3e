/* SPDX-License-Identifier: MIT */
/* declare.h - the operators that an engine's providers declare, for its graph. */
#ifndef BP_SESSION_DECLARE_H
#define BP_SESSION_DECLARE_H

#include "session/engine.h"

/*
 * Reads the schemas of all providers of the engine anew. A provider whose schemas are not sound is
 * dropped by its policy. The error is that of a required one, or BP_E_NOMEM.
 */
bp_rc bp_engine_declare(struct bp_engine *engine, bp_err *err) BP_CHECKED;
/* Has the graph nodes that the last bp_engine_declare() made known, or whose operator has gone? */
bool bp_engine_graph_is_old(const struct bp_engine *engine);

#endif
