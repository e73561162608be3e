/* SPDX-License-Identifier: MIT */
/*
 * external.h - the files beside a model that hold the data of its large tensors; each is mapped
 * once.
 *
 * Thread rule: adding happens while the model is opened, by one thread; reading is for any thread.
 */
#ifndef BP_MODEL_EXTERNAL_H
#define BP_MODEL_EXTERNAL_H

#include "base/status.h"
#include "model/tensor.h"

enum { BP_TENSOR_EXTERNAL = 1 }; /* TensorProto.data_location */

/* The location that means the file that the model itself was read from; see ort_format/read.h. */
#define BP_EXTERNAL_OWN ":model"

/*
 * An empty set of files in directory `dir`, which is copied. NULL: the model has no directory, and
 * files on disk are refused. The n files at `given` are in memory and are used instead of files on
 * disk; their bytes are borrowed and must outlive the set. BP_E_NOMEM.
 */
bp_rc bp_external_create(const char *dir, const bp_model_file *given, uint32_t n, bool is_copied,
                         struct bp_external **out, bp_err *err) BP_CHECKED;
/* The name of a mapped file that was written to since; NULL: there is none. [any thread] */
const char *bp_external_changed(struct bp_external *external);
/* Is a file mapped whose bytes could change? [any thread] */
bool bp_external_is_watched(struct bp_external *external);
/* Makes BP_EXTERNAL_OWN mean these bytes, which are borrowed. Before, it is a name like any. */
void bp_external_set_own(struct bp_external *external, const struct bp_bytes *own);
void bp_external_destroy(struct bp_external *external); /* NULL is fine; unmaps the files */

/*
 * Adds the file of an external tensor, if it is new, and maps it. A missing file is not an error yet,
 * because tools show a model's structure without its weights. BP_E_INVALID: no name, or one that
 * leads out of the directory.
 */
bp_rc bp_external_add(struct bp_external *external, const Bp__TensorProto *proto,
                      bp_err *err) BP_CHECKED;

/*
 * Finds the bytes of a tensor whose file was added; dtype, dims and size of *out are set. When the
 * file was missing, out->load tries again. [any thread]
 */
bp_rc bp_external_read(const Bp__TensorProto *proto, const struct bp_source *source,
                       struct bp_region *region, struct bp_ir_data *out, bp_err *err) BP_CHECKED;

/* The directory of the model; NULL: it has none. */
const char *bp_external_dir(const struct bp_external *external);
/* Does the model have a directory, or this file in memory? */
bool bp_external_has(const struct bp_external *external, const char *name);
/* Reads a whole file of the directory, or one in memory; see bp_onnx_read_beside(). */
bp_rc bp_external_copy(const struct bp_external *external, const char *name, uint8_t **out,
                       size_t *size, bp_err *err) BP_CHECKED;

/* Is the tensor's data in another file than the model's? */
bool bp_external_is_beside(const struct bp_external *external, const Bp__TensorProto *proto);
/* The file of such a tensor, as the model names it, and the offset in bytes. BP_E_INVALID. */
bp_rc bp_external_where(const Bp__TensorProto *proto, const char **file, uint64_t *offset,
                        bp_err *err) BP_CHECKED;

/* Name of file i, in the order of adding; NULL: end. */
const char *bp_external_name(const struct bp_external *external, uint32_t i);
uint32_t bp_external_count(const struct bp_external *external);
/* Gives mapped pages back to the page cache. */
void bp_external_drop_pages(struct bp_external *external);

#endif
