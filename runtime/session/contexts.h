/* SPDX-License-Identifier: MIT */
/* contexts.h - writes the model of an engine with compiled programs in place of groups of nodes. */
#ifndef BP_SESSION_CONTEXTS_H
#define BP_SESSION_CONTEXTS_H

#include "session/engine.h"

/*
 * A model like the engine's, in which each group whose program was saved (bp_engine_config.saves_programs)
 * is a node EPContext. Files with programs are written first, each under another name and then renamed.
 * *n: how many such nodes; 0: *out is NULL. *region is that of engine->ir, which *out takes over. writes_inputs:
 * inputs have the sizes of the graph, not those of the file. BP_E_IO: a file cannot be written. BP_E_OPTION: there
 * is no path for files. BP_E_NOMEM, or as bp_onnx_rebuild() fails.
 */
bp_rc bp_engine_write_contexts(const struct bp_engine *engine, const bp_context_config *config,
                               bool writes_inputs, struct bp_region *region, struct bp_onnx **out,
                               uint32_t *n, bp_err *err) BP_CHECKED;

#endif
