/* SPDX-License-Identifier: MIT */
/* absent_compile.c - slots of OrtCompileApi that are not built yet. */

#include "config.h"

#include "ort/absent.h"

ABSENT_VOID(ort_compile_ReleaseModelCompilationOptions, (OrtModelCompilationOptions *input))
ABSENT(ort_compile_CreateModelCompilationOptionsFromSessionOptions,
       (const OrtEnv *env, const OrtSessionOptions *session_options,
        OrtModelCompilationOptions **out))
ABSENT(ort_compile_ModelCompilationOptions_SetInputModelPath,
       (OrtModelCompilationOptions *model_compile_options, const char *input_model_path))
ABSENT(ort_compile_ModelCompilationOptions_SetInputModelFromBuffer,
       (OrtModelCompilationOptions *model_compile_options, const void *input_model_data,
        size_t input_model_data_size))
ABSENT(ort_compile_ModelCompilationOptions_SetOutputModelPath,
       (OrtModelCompilationOptions *model_compile_options, const char *output_model_path))
ABSENT(ort_compile_ModelCompilationOptions_SetOutputModelExternalInitializersFile,
       (OrtModelCompilationOptions *model_compile_options,
        const char *external_initializers_file_path, size_t external_initializers_size_threshold))
ABSENT(ort_compile_ModelCompilationOptions_SetOutputModelBuffer,
       (OrtModelCompilationOptions *model_compile_options, OrtAllocator *allocator,
        void **output_model_buffer_ptr, size_t *output_model_buffer_size_ptr))
ABSENT(ort_compile_ModelCompilationOptions_SetEpContextEmbedMode,
       (OrtModelCompilationOptions *model_compile_options, bool embed_ep_context_in_model))
ABSENT(ort_compile_CompileModel,
       (const OrtEnv *env, const OrtModelCompilationOptions *model_options))
ABSENT(ort_compile_ModelCompilationOptions_SetFlags,
       (OrtModelCompilationOptions *model_compile_options, uint32_t flags))
ABSENT(ort_compile_ModelCompilationOptions_SetEpContextBinaryInformation,
       (OrtModelCompilationOptions *model_compile_options, const char *output_directory,
        const char *model_name))
ABSENT(ort_compile_ModelCompilationOptions_SetGraphOptimizationLevel,
       (OrtModelCompilationOptions *model_compile_options,
        GraphOptimizationLevel graph_optimization_level))
ABSENT(ort_compile_ModelCompilationOptions_SetOutputModelWriteFunc,
       (OrtModelCompilationOptions *model_compile_options, OrtWriteBufferFunc write_func,
        void *state))
ABSENT(ort_compile_ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc,
       (OrtModelCompilationOptions *model_compile_options,
        OrtGetInitializerLocationFunc get_initializer_location_func, void *state))
ABSENT(ort_compile_ModelCompilationOptions_SetInputModel,
       (OrtModelCompilationOptions *model_compile_options, const OrtModel *model))
ABSENT(ort_compile_ModelCompilationOptions_SetWeightlessEnabled,
       (OrtModelCompilationOptions *model_compile_options, bool use_weightless))
