/* SPDX-License-Identifier: MIT */
/* infer_merge.h - holds what a rule found against what the model file declares. */
#ifndef BP_GRAPH_INFER_MERGE_H
#define BP_GRAPH_INFER_MERGE_H

#include "graph/ir.h"

/*
 * Completes *fact, which a rule found, from what the model declares for the value: its element type,
 * and names of sizes that have none. Declared ranks and exact sizes are hints, neither storage nor
 * programs rest on them; where they contradict what was found, that is told (mismatch.h) and what
 * was found stays. Declared names are the graph's: where `symbols` are others, as before a run, they
 * say nothing. BP_E_INVALID: element types or kinds differ; BP_E_SHAPE: shapes do and are strict.
 */
bp_rc bp_infer_merge(const struct bp_ir *ir, uint32_t value, struct bp_symbols *symbols,
                     struct bp_region *region, struct bp_fact *fact, bp_err *err) BP_CHECKED;

#endif
