/* SPDX-License-Identifier: MIT */
/*
 * onnx.h - an opened .onnx or .ort model: the structure is decoded with protobuf-c, weights stay in
 * the mapped file. No other folder sees protobuf's types.
 *
 * Thread rule: opening is for one thread; an open model is read-only, and any thread may use it.
 */
#ifndef BP_MODEL_ONNX_H
#define BP_MODEL_ONNX_H

#include "base/bytes.h"
#include "base/status.h"
#include "graph/expand/states.h"
#include "graph/ir.h"

struct bp_onnx; /* counted; read-only after opening, so any thread may use it */

/*
 * Maps and decodes a file; *out has one reference. BP_E_IO: unreadable. BP_E_INVALID: not a valid
 * model; the text says what and where. BP_E_VERSION: an IR version that is not read.
 */
bp_rc bp_onnx_open(const char *path, struct bp_onnx **out, bp_err *err) BP_CHECKED;
/*
 * BP_E_STALE: one of its mapped files was written to, so that weights are not what they were. Looks at
 * the files at most each 100 ms, unless is_now. [any thread]
 */
bp_rc bp_onnx_check_fresh(struct bp_onnx *onnx, bool is_now, bp_err *err) BP_CHECKED;
/* Has it a mapped file whose bytes could change? [any thread] */
bool bp_onnx_is_watched(struct bp_onnx *onnx);
/* See bp_model_open_source() and bp_model_save(). */
bp_rc bp_onnx_open_source(const bp_model_source *source, struct bp_onnx **out,
                          bp_err *err) BP_CHECKED;
bp_rc bp_onnx_save(const struct bp_onnx *onnx, const bp_model_sink *sink, bp_err *err) BP_CHECKED;
/* What is not as in the first model. */
struct bp_rebuild {
    const char *dir;    /* of files beside the new model; NULL: that of the first one */
    bool writes_inputs; /* inputs have the sizes of the graph: the application has fixed some */
};

/*
 * A model like `onnx` with another graph: `ir`, which bp_onnx_graph() made of it in `region` and
 * passes changed. On success *out has a reference to onnx and owns the region, whose constants are
 * its weights. Inputs that are constants of ir are removed. Outputs that compiled programs give
 * (EPContext) have the shapes of ir, which follow from no rule. how may be NULL. BP_E_UNSUPPORTED:
 * ONNX can't represent the graph, for example nodes of two versions of one operator set.
 */
bp_rc bp_onnx_rebuild(struct bp_onnx *onnx, const struct bp_ir *ir, const struct bp_rebuild *how,
                      struct bp_region *region, struct bp_onnx **out, bp_err *err) BP_CHECKED;
/*
 * The version of a domain's operators: the one that the model imports (0: an import that no node
 * uses). Without an import it is the newest known, and 1 for an unknown domain, as in ONNX Runtime.
 * The domain "ai.onnx" is "".
 */
uint32_t bp_onnx_opset_of(const struct bp_onnx *onnx, const char *domain);
/* BP_E_VERSION: the model imports an operator set that is newer than the newest known. */
bp_rc bp_onnx_check_released(const struct bp_onnx *onnx, bp_err *err) BP_CHECKED;
/* Its path, or "model in memory"; lives as long as the model. */
const char *bp_onnx_name(const struct bp_onnx *onnx);
struct bp_onnx *bp_onnx_ref(struct bp_onnx *onnx);
void bp_onnx_unref(struct bp_onnx *onnx); /* NULL is fine */

/* How a model's graph is built. Zeroes are fine. */
struct bp_onnx_graph_config {
    /*
     * Initializers that are also inputs are inputs, whose `data` is used when they are not fed; else
     * constants (BP_IR_DEFAULTED | BP_IR_CONSTANT).
     */
    bool open_defaults;
    bool may_move_states;                 /* see bp_ir_find_states() */
    const struct bp_custom_table *custom; /* the application's operators; outlives the graph */
    const struct bp_state_list *states;   /* those that are asked for */
    struct bp_ir_states *found;           /* with `states`: they are written there */
};

/*
 * Builds the sealed graph in `region`, which must be finished before onnx is. Constant nodes become
 * constants. config may be NULL. Errors are also those of bp_ir_find_states().
 */
bp_rc bp_onnx_graph(const struct bp_onnx *onnx, const struct bp_onnx_graph_config *config,
                    struct bp_region *region, struct bp_symbols *symbols, struct bp_ir **out,
                    bp_err *err) BP_CHECKED;

/*
 * Reads a file in the model's directory, or one of those in memory that it was opened with; *out is
 * to be freed. BP_E_INVALID: the name leads out of the directory, or the model has none. BP_E_IO: it
 * cannot be read. BP_E_NOMEM
 */
bp_rc bp_onnx_read_beside(const struct bp_onnx *onnx, const char *name, uint8_t **out, size_t *size,
                          bp_err *err) BP_CHECKED;

/* Gives the pages of mapped weights back to the page cache; they come back when they are read. */
void bp_onnx_drop_pages(struct bp_onnx *onnx);

/*
 * Facts of the file for reports. n_inputs, n_outputs, n_nodes and n_ops stay 0: the caller counts them
 * in the graph.
 */
void bp_onnx_info(const struct bp_onnx *onnx, bp_model_info *out);
/* How many runtime optimizations an .ort file records; they are for ONNX Runtime, and not read. */
uint32_t bp_onnx_unread_optimizations(const struct bp_onnx *onnx);
/* See bp_model_opset(), bp_model_metadata(), bp_model_external(). */
const char *bp_onnx_opset(const struct bp_onnx *onnx, uint32_t i, int64_t *version);
const char *bp_onnx_metadata(const struct bp_onnx *onnx, uint32_t i, const char **value);
const char *bp_onnx_external(const struct bp_onnx *onnx, uint32_t i);

#endif
