/* SPDX-License-Identifier: MIT */
/*
 * load.h - a model opened for a session or a compilation, with everything that must outlive it:
 * the host copies nothing.
 */
#ifndef BP_ORT_SESSION_LOAD_H
#define BP_ORT_SESSION_LOAD_H

#include "ort/env.h"
#include "ort/session/options.h"

struct ort_source; /* session.h */

struct ort_kept {
    void *block;     /* to free, or NULL */
    OrtValue *value; /* a reference to give back, or NULL */
};

/* Start from {0}. */
struct ort_loaded {
    bp_model *model;    /* NULL until it is opened */
    bool is_built;      /* from an OrtModel */
    const char *format; /* session.load_model_format, or NULL */
    bp_model_source source;
    bp_model_weight *weights; /* the source's arrays */
    bp_model_file *files;
    bp_span *edits;
    struct ort_kept *kept;
    size_t n_kept;
};

/* Closes the model; what sessions made from it need stays until ort_loaded_finish(). */
void ort_loaded_close(struct ort_loaded *loaded);
void ort_loaded_finish(struct ort_loaded *loaded);

/*
 * Says where the model is, and takes the weights that the options give. Bytes are copied, but those
 * of ONNX Runtime's own format that the options let be used as they lie; of an OrtModel only the
 * structure is.
 */
OrtStatus *ort_loaded_set(struct ort_loaded *loaded, const struct ort_source *source,
                          const OrtSessionOptions *options);
OrtStatus *ort_loaded_open(struct ort_loaded *loaded, const OrtEnv *env);
/* Opens it anew with a change; after a failure all is as before. */
OrtStatus *ort_loaded_edit(struct ort_loaded *loaded, const OrtEnv *env, const OrtModel *model);

#endif
