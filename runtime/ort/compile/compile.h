/* SPDX-License-Identifier: MIT */
/* compile.h - OrtModelCompilationOptions. */
#ifndef BP_ORT_COMPILE_COMPILE_H
#define BP_ORT_COMPILE_COMPILE_H

#include "ort/session/options.h"

struct OrtModelCompilationOptions {
    OrtSessionOptions *options; /* a copy */
    char *in_path;              /* the input is one of these: */
    const void *in_bytes;
    size_t in_size;
    const OrtModel *in_model;
    char *out_path; /* the output goes to one of these, or beside in_path: */
    OrtAllocator *allocator;
    void **out_bytes;
    size_t *out_size;
    OrtWriteBufferFunc write;
    void *write_state;
    char *external_path; /* initializers go there from `threshold` bytes on, */
    size_t threshold;
    OrtGetInitializerLocationFunc locate; /* or where this says; without both, within the model */
    void *locate_state;
    uint32_t flags;  /* OrtCompileApiFlags_* */
    uint32_t format; /* BP_MODEL_FORMAT_* */
};

/*
 * Writes the model where the options say; out_path is the file by now (NULL: to none). On failure
 * there is no new file and nothing in the caller's variables.
 */
OrtStatus *ort_compile_write(const OrtModelCompilationOptions *options, const bp_model *model,
                             const char *out_path);

/*
 * Makes the model as a new session of it runs, if SetOptimizedModelFilePath wants it; else *out is
 * NULL. Initializers that are inputs as well are constants up to IR version 3, and inputs to be fed
 * later, as ONNX Runtime has them.
 */
OrtStatus *ort_optimized_make(const OrtSessionOptions *options, const OrtEnv *env, bp_model *model,
                              const bp_session_options *host_options, bp_model **out);
/* Writes it to that path; NULL: nothing to do. */
OrtStatus *ort_optimized_write(const OrtSessionOptions *options, const bp_model *model);

#endif
