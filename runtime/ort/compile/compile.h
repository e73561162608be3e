/* SPDX-License-Identifier: MIT */
/*
 * compile.h - OrtModelCompilationOptions, and writing of models to files, buffers or callbacks.
 *
 * Thread rule: one thread at a time for each object.
 */
#ifndef BP_ORT_COMPILE_COMPILE_H
#define BP_ORT_COMPILE_COMPILE_H

#include "ort/session/options.h"

struct OrtModelCompilationOptions {
    OrtSessionOptions *options; /* a copy */
    char *in_path;              /* the input is one of these: */
    const void *in_bytes;
    size_t in_size;
    const OrtModel *in_model;
    char *out_path; /* the output is one of these, or a file next to in_path: */
    OrtAllocator *allocator;
    void **out_bytes;
    size_t *out_size;
    OrtWriteBufferFunc write;
    void *write_state;
    char *external_path; /* initializers of `threshold` bytes and more go to this file, */
    size_t threshold;
    OrtGetInitializerLocationFunc locate; /* or where this says; else they stay in the model */
    void *locate_state;
    char *binary_path; /* that programs are named after when the output is not a file */
    uint32_t flags;    /* OrtCompileApiFlags_* */
    uint32_t format;   /* BP_MODEL_FORMAT_* */
};

/*
 * Writes the model as the options say; out_path: the file, or NULL for none. On failure no file is
 * created and the caller's variables are unchanged.
 */
OrtStatus *ort_compile_write(const OrtModelCompilationOptions *options, const bp_model *model,
                             const char *out_path);

/*
 * The optimised model of a new session, if SetOptimizedModelFilePath asks for one; else *out is NULL.
 * Initializers that are also inputs are constants up to IR version 3, and overridable inputs from 4
 * on, as in ONNX Runtime.
 */
OrtStatus *ort_optimized_make(const OrtSessionOptions *options, const OrtEnv *env, bp_model *model,
                              const bp_session_options *host_options, bp_model **out);
/* Writes that model to the path of the options; model NULL: nothing to do. */
OrtStatus *ort_optimized_write(const OrtSessionOptions *options, const bp_model *model);

#endif
