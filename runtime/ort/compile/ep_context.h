/* SPDX-License-Identifier: MIT */
/* ep_context.h - the entries of a session's configuration that ask for a compiled model. */
#ifndef BP_ORT_COMPILE_EP_CONTEXT_H
#define BP_ORT_COMPILE_EP_CONTEXT_H

#include "ort/slots.h"

/*
 * When ep.context_enable is 1: fails if the file that it would write cannot be, and says in the log
 * that there is nothing to write, as no provider compiles into models.
 */
OrtStatus *ort_contexts_check(const OrtSession *session, const OrtSessionOptions *options);
/* A new text "<model>_ctx.onnx"; NULL: no memory. */
char *ort_contexts_path(const char *model_path);

#endif
