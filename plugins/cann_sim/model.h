/* SPDX-License-Identifier: MIT */
/*
 * model.h - graph mode: the calls of a whole group become one offline model of ACL for each set of
 * shapes, which is kept until the program goes, as the vendor's provider does.
 */
#ifndef BP_CANN_MODEL_H
#define BP_CANN_MODEL_H

#include "cann.h"

/*
 * The first 64 bits of MurmurHash3, low half first: the hash in the vendor's file names. Any
 * thread.
 */
uint64_t bp_cann_digest(const void *data, size_t size);

/* ---- bytes that grow, of the host's memory (onnx.c) ---- */

/* Bytes that grow, of the host's memory. Begins with its instance and zeros. */
struct bp_cann_buffer {
    const bp_instance *instance;
    char *data;
    size_t size, capacity;
    bool failed; /* no memory: what is added from then on is lost */
};

/* Appends; on a lack of memory sets `failed`, after which it does nothing. */
void bp_cann_append(struct bp_cann_buffer *text, const void *data, size_t size);
/* Empties it; it can be used again. One that never held anything is fine. */
void bp_cann_buffer_free(struct bp_cann_buffer *text);

/*
 * Writes the group as an ONNX model of that name. `with_weights` false: instead of a constant's
 * bytes there is their digest, so that the whole identifies the group and is not a model. *out is the
 * caller's, for bp_cann_buffer_free(); empty after a failure. BP_E_NOMEM, or as the host fails to
 * give a constant.
 */
bp_rc bp_cann_write_onnx(const bp_program *program, const char *name, bool with_weights,
                         struct bp_cann_buffer *out, bp_err *err);

/* ---- the models of a program (model.c) ---- */

/* A loaded model of a program; it stays until the program goes. */
struct bp_cann_model {
    struct bp_cann_model *next;
    struct bp_cann_buffer shapes; /* that it was built for: "name:d0,d1;..." */
    struct bp_cann_buffer bytes;  /* of the model, where it is to be saved; else empty */
    uint32_t id;
    uint64_t device_bytes; /* weights and work memory that it was loaded with */
};

/* Of a program in graph mode. */
struct bp_cann_models;

/*
 * Names the group and writes its ONNX model where dump_graphs asks for it. program->models are for
 * bp_cann_models_free(). BP_E_NOMEM
 */
bp_rc bp_cann_models_create(bp_program *program, bp_err *err);
/* Unloads all of them; a program without models is fine. */
void bp_cann_models_free(bp_program *program); /* unloads them */
/*
 * The model for the shapes in b, whose calls are all made: one that is there, one of a file that an
 * earlier process left, or a new one. *out is the program's, and NULL when there is nothing to
 * call. Any thread: one builds at a time. BP_E_NOMEM, or as ACL fails.
 */
bp_rc bp_cann_model_get(bp_program *program, const struct bp_cann_build *b,
                        const struct bp_cann_model **out, bp_err *err);

/*
 * Loads a model for the shapes in b from bytes of unknown origin, and keeps it; `shapes` and the bytes
 * are copied or read. BP_E_STALE: it is not a model, is for another chip, or has other shapes, inputs
 * or outputs. BP_E_NOMEM
 */
bp_rc bp_cann_model_load(bp_program *program, const struct bp_cann_build *b, bp_span shapes,
                         bp_span bytes, bp_err *err);
/* Frees the bytes that were kept for saving. */
void bp_cann_models_saved(bp_program *program);
/* The models that are there, each followed by `next`; NULL: none. */
const struct bp_cann_model *bp_cann_models_first(const bp_program *program);
/* The hash that names the group: nodes, weights, settings of the compiler. */
uint64_t bp_cann_models_digest(const bp_program *program);

/* ---- saving (save.c) ---- */

/* bp_provider.save: only in graph mode, and of a group whose shapes are known. */
bp_rc bp_cann_save(bp_program *program, const bp_sink *sink, bp_err *err);
/* bp_provider.load */
bp_rc bp_cann_load(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                   bp_span blob, bp_program **out, bp_err *err);

/* ---- building one (lower.c) ---- */

/*
 * Builds a model of the calls in b. *bytes are for aclmdlLoadFromMem(), then for
 * bp_ascend_model_free() of the library that made them. BP_E_NOMEM, or as the builder fails.
 */
bp_rc bp_cann_lower(const bp_program *program, const struct bp_cann_build *b, const char *name,
                    void **bytes, size_t *size, bp_err *err);

/* ---- running one (model_run.c) ---- */

/* A frame's data sets for its model. */
struct bp_cann_exec;

/* b: of the frame, all its shapes known. *out is for bp_cann_exec_free(). BP_E_NOMEM */
bp_rc bp_cann_exec_create(const struct bp_cann_model *model, const struct bp_cann_build *b,
                          struct bp_cann_exec **out, bp_err *err);
void bp_cann_exec_free(const bp_instance *instance, struct bp_cann_exec *exec); /* NULL is fine */
/* Tells ACL's buffers where the frame's inputs and outputs are; again when they have moved. */
void bp_cann_exec_bind(const bp_instance *instance, struct bp_cann_exec *exec,
                       const bp_frame_desc *desc);
/* Puts a run of the model into a stream, and does not wait. As ACL fails. */
bp_rc bp_cann_exec_queue(const bp_instance *instance, const struct bp_cann_exec *exec,
                         aclrtStream stream, bp_err *err);

#endif
