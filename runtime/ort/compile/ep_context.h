/* SPDX-License-Identifier: MIT */
/* ep_context.h - the config entries of a session that ask for a compiled model. */
#ifndef BP_ORT_COMPILE_EP_CONTEXT_H
#define BP_ORT_COMPILE_EP_CONTEXT_H

#include <backplane.h>

#include "ort/slots.h"

/*
 * When ep.context_enable is 1: fails if the output path is a directory or an existing file, or there
 * is none.
 */
OrtStatus *ort_contexts_check(const OrtSession *session, const OrtSessionOptions *options);
/*
 * The model with the programs that providers save, by ep.context_embed_mode and
 * ep.context_node_name_prefix; *out is NULL when there are none. path: the output's, beside which
 * programs go that are not embedded; NULL: nowhere.
 */
OrtStatus *ort_contexts_compile(const OrtEnv *env, bp_model *model, const OrtKeyValuePairs *config,
                                const bp_session_options *host_options, const char *path,
                                bp_model **out);
/*
 * When ep.context_enable is 1: compiles the session's model. *out, for ort_contexts_write(), is what
 * the session is to be created from; NULL: the session's model, and a warning is logged if the
 * entry is 1.
 */
OrtStatus *ort_contexts_make(const OrtSession *session, const OrtSessionOptions *options,
                             const bp_session_options *host_options, bp_model **out);
/* Writes it to the output path; model NULL: nothing to do. */
OrtStatus *ort_contexts_write(const OrtSession *session, const OrtSessionOptions *options,
                              const bp_model *model);
/* "<model without extension>_ctx.onnx", for the caller to free(); NULL: no memory. */
char *ort_contexts_path(const char *model_path);

#endif
