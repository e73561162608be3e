/* SPDX-License-Identifier: MIT */
/*
 * model.h - graph mode: the calls of a whole group become one offline model of ACL for each set of
 * shapes, which is kept until the program goes, as the vendor's provider does.
 */
#ifndef BP_CANN_MODEL_H
#define BP_CANN_MODEL_H

#include "cann.h"

/* The first 64 bits of the vendor's hash, low half first. */
uint64_t bp_cann_digest(const void *data, size_t size);

/* ---- bytes that grow, of the host's memory (onnx.c) ---- */

struct bp_cann_buffer {
    const bp_instance *instance;
    char *data;
    size_t size, capacity;
    bool failed; /* no memory: what is added from then on is lost */
};

void bp_cann_append(struct bp_cann_buffer *text, const void *data, size_t size);
void bp_cann_buffer_free(struct bp_cann_buffer *text);

/*
 * The group as an ONNX model of that name. `with_weights` false: instead of a constant's bytes there
 * is their digest, so that the whole identifies the group and is no model. BP_E_NOMEM
 */
bp_rc bp_cann_write_onnx(const bp_program *program, const char *name, bool with_weights,
                         struct bp_cann_buffer *out, bp_err *err);

/* ---- the models of a program (model.c) ---- */

struct bp_cann_model {
    struct bp_cann_model *next;
    struct bp_cann_buffer shapes; /* that it was built for: "name:d0,d1;..." */
    uint32_t id;
};

/* Of a program in graph mode. */
struct bp_cann_models;

/* Names the group and writes its ONNX model where dump_graphs asks for it. */
bp_rc bp_cann_models_create(bp_program *program, bp_err *err);
void bp_cann_models_free(bp_program *program); /* unloads them */
/*
 * The model for the shapes in b, whose calls are all made: one that is there, one of a file that an
 * earlier process left, or a new one. *out is NULL when there is nothing to call. [any]
 */
bp_rc bp_cann_model_get(bp_program *program, const struct bp_cann_build *b,
                        const struct bp_cann_model **out, bp_err *err);

/* ---- building one (lower.c) ---- */

/* Bytes for aclmdlLoadFromMem(), to be given back to the library that made them. */
bp_rc bp_cann_lower(const bp_program *program, const struct bp_cann_build *b, const char *name,
                    void **bytes, size_t *size, bp_err *err);

/* ---- running one (model_run.c) ---- */

struct bp_cann_exec;

/* b: of the frame, all its shapes known. */
bp_rc bp_cann_exec_create(const struct bp_cann_model *model, const struct bp_cann_build *b,
                          struct bp_cann_exec **out, bp_err *err);
void bp_cann_exec_free(const bp_instance *instance, struct bp_cann_exec *exec); /* NULL is fine */
/* Tells ACL's buffers where the frame's are. */
void bp_cann_exec_bind(const bp_instance *instance, struct bp_cann_exec *exec,
                       const bp_frame_desc *desc);
bp_rc bp_cann_exec_queue(const bp_instance *instance, const struct bp_cann_exec *exec,
                         aclrtStream stream, bp_err *err);

#endif
