/* SPDX-License-Identifier: MIT */
/*
 * dnnl_provider_options.h - oneDNN's options as a struct that a program may fill itself, laid out as
 * in ONNX Runtime. CreateDnnlProviderOptions() makes one with the defaults.
 */
#ifndef BP_DNNL_PROVIDER_OPTIONS_H
#define BP_DNNL_PROVIDER_OPTIONS_H

#include "onnxruntime_c_api.h"

/*
 * For SessionOptionsAppendExecutionProvider_Dnnl(), which reads it in the call only. A struct of the
 * program's own memory is not for ReleaseDnnlProviderOptions().
 */
struct OrtDnnlProviderOptions {
    /* 0: memory comes from the system; else from an arena. The default is 1. */
    int use_arena;
    /* An address for ONNX Runtime's own threads; Backplane never reads what is there. */
    void *threadpool_args;
};

#endif
