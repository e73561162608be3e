/* SPDX-License-Identifier: MIT */
/*
 * onnx.h - an .onnx or .ort model, read: the structure is decoded with protobuf-c, the weights stay
 * where they lie in the mapped file. The only way from protobuf to the rest of the runtime.
 */
#ifndef BP_MODEL_ONNX_H
#define BP_MODEL_ONNX_H

#include "base/bytes.h"
#include "base/status.h"
#include "graph/ir.h"

struct bp_onnx; /* counted; read-only after opening, so any thread may use it */

/* Maps and decodes a file. BP_E_IO: unreadable; BP_E_INVALID: no sound model (says what and where). */
bp_rc bp_onnx_open(const char *path, struct bp_onnx **out, bp_err *err) BP_CHECKED;
/* As bp_model_open_source and bp_model_save. */
bp_rc bp_onnx_open_source(const bp_model_source *source, struct bp_onnx **out,
                          bp_err *err) BP_CHECKED;
bp_rc bp_onnx_save(const struct bp_onnx *onnx, const bp_model_sink *sink, bp_err *err) BP_CHECKED;
/*
 * A model like `onnx` with another graph: `ir`, which was made of it with bp_onnx_graph() and
 * then changed, in `region`. On success *out has a reference to onnx and has taken the region over,
 * whose constants are its weights. Inputs that are constants of ir are inputs no more.
 * BP_E_UNSUPPORTED: no file could say that.
 */
bp_rc bp_onnx_rebuild(struct bp_onnx *onnx, const struct bp_ir *ir, struct bp_region *region,
                      struct bp_onnx **out, bp_err *err) BP_CHECKED;
/*
 * The version of a domain's operators that counts: the one that the model imports, 0 for one without
 * operators; where it imports none, the newest that is known, 1 of domains that are not known, as in
 * ONNX Runtime. The domain "ai.onnx" is "".
 */
uint32_t bp_onnx_opset_of(const struct bp_onnx *onnx, const char *domain);
/* BP_E_VERSION: the model imports an operator set newer than the newest that is known. */
bp_rc bp_onnx_check_released(const struct bp_onnx *onnx, bp_err *err) BP_CHECKED;
struct bp_onnx *bp_onnx_ref(struct bp_onnx *onnx);
void bp_onnx_unref(struct bp_onnx *onnx); /* NULL is fine */

/*
 * Builds the sealed graph in `region`, which must go before onnx does. Constant nodes have become
 * constants. Initializers that are also inputs count as constants (BP_IR_DEFAULTED |
 * BP_IR_CONSTANT) unless open_defaults: then they are plain inputs, with `data` as what to use when
 * they are not fed. Operators of the application (custom, may be NULL) go after `region`.
 */
bp_rc bp_onnx_graph(const struct bp_onnx *onnx, bool open_defaults,
                    const struct bp_custom_table *custom, struct bp_region *region,
                    struct bp_symbols *symbols, struct bp_ir **out, bp_err *err) BP_CHECKED;

/* Gives the pages of mapped weights back to the page cache; they come back when they are read. */
void bp_onnx_drop_pages(struct bp_onnx *onnx);

/* Facts of the file, for people; sizes and counts as far as the file says. n_inputs, n_outputs, n_nodes and
 * n_ops stay 0: they are the graph's. */
void bp_onnx_info(const struct bp_onnx *onnx, bp_model_info *out);
/* Changes to graphs that ONNX Runtime recorded in an .ort file for its own use; they are not read. */
uint32_t bp_onnx_unread_optimizations(const struct bp_onnx *onnx);
/* As bp_model_opset, bp_model_metadata, bp_model_external. */
const char *bp_onnx_opset(const struct bp_onnx *onnx, uint32_t i, int64_t *version);
const char *bp_onnx_metadata(const struct bp_onnx *onnx, uint32_t i, const char **value);
const char *bp_onnx_external(const struct bp_onnx *onnx, uint32_t i);

#endif
