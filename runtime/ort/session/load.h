/* SPDX-License-Identifier: MIT */
/*
 * load.h - a model opened for a session or a compilation, with everything that must outlive it,
 * because the host copies nothing.
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

/* Closes the model; data that sessions of it need stays until ort_loaded_finish(). */
void ort_loaded_close(struct ort_loaded *loaded);
void ort_loaded_finish(struct ort_loaded *loaded);

/*
 * Sets the source of the model and the weights of the options. Bytes are copied, unless they are in
 * .ort format and the options allow using them in place; of an OrtModel only the structure is copied.
 */
OrtStatus *ort_loaded_set(struct ort_loaded *loaded, const struct ort_source *source,
                          const OrtSessionOptions *options);
OrtStatus *ort_loaded_open(struct ort_loaded *loaded, const OrtEnv *env);
/* Opens the model again with one more edit; after a failure everything is as before. */
OrtStatus *ort_loaded_edit(struct ort_loaded *loaded, const OrtEnv *env, const OrtModel *model);

#endif
