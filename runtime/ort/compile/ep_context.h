/* SPDX-License-Identifier: MIT */
/* ep_context.h - the config entries of a session that ask for a compiled model. */
#ifndef BP_ORT_COMPILE_EP_CONTEXT_H
#define BP_ORT_COMPILE_EP_CONTEXT_H

#include "ort/slots.h"

/*
 * When ep.context_enable is 1: fails if the output file can't be written, and logs a warning that
 * nothing is, because no provider stores compiled code in models.
 */
OrtStatus *ort_contexts_check(const OrtSession *session, const OrtSessionOptions *options);
/* "<model without extension>_ctx.onnx", for the caller to free(); NULL: no memory. */
char *ort_contexts_path(const char *model_path);

#endif
