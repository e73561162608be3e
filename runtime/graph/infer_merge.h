/* SPDX-License-Identifier: MIT */
/* infer_merge.h - holds what a rule found against what the model file declares. */
#ifndef BP_GRAPH_INFER_MERGE_H
#define BP_GRAPH_INFER_MERGE_H

#include "graph/ir.h"

/*
 * Completes *fact, which a rule found, from what the model declares for the value. What depends on
 * data stays so: a file's word about it is not checked before the data is there, and storage must
 * not rest on it. Declared names are the graph's: where `symbols` are others, as before a run, they
 * say nothing. BP_E_INVALID: two known numbers, ranks or types differ.
 */
bp_rc bp_infer_merge(const struct bp_ir *ir, const struct bp_ir_value *value,
                     struct bp_symbols *symbols, struct bp_region *region, struct bp_fact *fact,
                     bp_err *err) BP_CHECKED;

#endif
