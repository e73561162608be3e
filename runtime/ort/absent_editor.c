/* SPDX-License-Identifier: MIT */
/* absent_editor.c - slots of OrtModelEditorApi that are not built yet. */

#include "config.h"

#include "ort/absent.h"

ABSENT(ort_editor_CreateTensorTypeInfo,
       (const OrtTensorTypeAndShapeInfo *tensor_info, OrtTypeInfo **type_info))
ABSENT(ort_editor_CreateSparseTensorTypeInfo,
       (const OrtTensorTypeAndShapeInfo *tensor_info, OrtTypeInfo **type_info))
ABSENT(ort_editor_CreateMapTypeInfo, (ONNXTensorElementDataType map_key_type,
                                      const OrtTypeInfo *map_value_type, OrtTypeInfo **type_info))
ABSENT(ort_editor_CreateSequenceTypeInfo,
       (const OrtTypeInfo *sequence_type, OrtTypeInfo **type_info))
ABSENT(ort_editor_CreateOptionalTypeInfo,
       (const OrtTypeInfo *contained_type, OrtTypeInfo **type_info))
ABSENT(ort_editor_CreateValueInfo,
       (const char *name, const OrtTypeInfo *type_info, OrtValueInfo **value_info))
ABSENT(ort_editor_CreateNode,
       (const char *operator_name, const char *domain_name, const char *node_name,
        const char *const *input_names, size_t input_names_len, const char *const *output_names,
        size_t output_names_len, OrtOpAttr **attributes, size_t attribs_len, OrtNode **node))
ABSENT(ort_editor_CreateGraph, (OrtGraph **graph))
ABSENT(ort_editor_SetGraphInputs, (OrtGraph *graph, OrtValueInfo **inputs, size_t inputs_len))
ABSENT(ort_editor_SetGraphOutputs, (OrtGraph *graph, OrtValueInfo **outputs, size_t outputs_len))
ABSENT(ort_editor_AddInitializerToGraph,
       (OrtGraph *graph, const char *name, OrtValue *tensor, bool data_is_external))
ABSENT(ort_editor_AddNodeToGraph, (OrtGraph *graph, OrtNode *node))
ABSENT(ort_editor_CreateModel, (const char *const *domain_names, const int *opset_versions,
                                size_t opset_entries_len, OrtModel **model))
ABSENT(ort_editor_AddGraphToModel, (OrtModel *model, OrtGraph *graph))
ABSENT(ort_editor_CreateSessionFromModel, (const OrtEnv *env, const OrtModel *model,
                                           const OrtSessionOptions *options, OrtSession **out))
ABSENT(ort_editor_CreateModelEditorSession, (const OrtEnv *env, const char *model_path,
                                             const OrtSessionOptions *options, OrtSession **out))
ABSENT(ort_editor_CreateModelEditorSessionFromArray,
       (const OrtEnv *env, const void *model_data, size_t model_data_length,
        const OrtSessionOptions *options, OrtSession **out))
ABSENT(ort_editor_SessionGetOpsetForDomain,
       (const OrtSession *session, const char *domain, int *opset))
ABSENT(ort_editor_ApplyModelToModelEditorSession, (OrtSession *session, OrtModel *model))
ABSENT(ort_editor_FinalizeModelEditorSession,
       (OrtSession *session, const OrtSessionOptions *options,
        OrtPrepackedWeightsContainer *prepacked_weights_container))
