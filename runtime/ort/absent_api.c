/* SPDX-License-Identifier: MIT */
/* absent_api.c - slots of OrtApi that are not built yet. */

#include "config.h"

#include "ort/absent.h"

ABSENT(ort_CreateOpaqueValue,
       (const char *domain_name, const char *type_name, const void *data_container,
        size_t data_container_size, OrtValue **out))
ABSENT(ort_GetOpaqueValue, (const char *domain_name, const char *type_name, const OrtValue *in,
                            void *data_container, size_t data_container_size))
ABSENT(ort_AddInitializer, (OrtSessionOptions *options, const char *name, const OrtValue *val))
ABSENT(ort_SetCurrentGpuDeviceId, (int device_id))
ABSENT(ort_GetCurrentGpuDeviceId, (int *device_id))
ABSENT(ort_RegisterAllocator, (OrtEnv *env, OrtAllocator *allocator))
ABSENT(ort_UnregisterAllocator, (OrtEnv *env, const OrtMemoryInfo *mem_info))
ABSENT(ort_GetExecutionProviderApi,
       (const char *provider_name, uint32_t version, const void **provider_api))
ABSENT(ort_AddExternalInitializers,
       (OrtSessionOptions *options, const char *const *initializer_names,
        const OrtValue *const *initializers, size_t num_initializers))
ABSENT(ort_UpdateROCMProviderOptions,
       (OrtROCMProviderOptions *rocm_options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys))
ABSENT(ort_GetROCMProviderOptionsAsString,
       (const OrtROCMProviderOptions *rocm_options, OrtAllocator *allocator, char **ptr))
ABSENT(ort_UpdateTensorRTProviderOptionsWithValue,
       (OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *key, void *value))
ABSENT(ort_GetTensorRTProviderOptionsByName,
       (const OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *key, void **ptr))
ABSENT(ort_UpdateCUDAProviderOptionsWithValue,
       (OrtCUDAProviderOptionsV2 *cuda_options, const char *key, void *value))
ABSENT(ort_GetCUDAProviderOptionsByName,
       (const OrtCUDAProviderOptionsV2 *cuda_options, const char *key, void **ptr))
ABSENT(ort_AddExternalInitializersFromFilesInMemory,
       (OrtSessionOptions *options, const char *const *external_initializer_file_names,
        char *const *external_initializer_file_buffer_array,
        const size_t *external_initializer_file_lengths, size_t num_external_initializer_files))
ABSENT(ort_CreateLoraAdapter,
       (const char *adapter_file_path, OrtAllocator *allocator, OrtLoraAdapter **out))
ABSENT(ort_CreateLoraAdapterFromArray,
       (const void *bytes, size_t num_bytes, OrtAllocator *allocator, OrtLoraAdapter **out))
ABSENT_VOID(ort_ReleaseLoraAdapter, (OrtLoraAdapter *input))
ABSENT(ort_RunOptionsAddActiveLoraAdapter, (OrtRunOptions *options, const OrtLoraAdapter *adapter))
ABSENT(ort_SetEpDynamicOptions,
       (OrtSession *sess, const char *const *keys, const char *const *values, size_t kv_len))
ABSENT_VOID(ort_ReleaseValueInfo, (OrtValueInfo *input))
ABSENT_VOID(ort_ReleaseNode, (OrtNode *input))
ABSENT_VOID(ort_ReleaseGraph, (OrtGraph *input))
ABSENT_VOID(ort_ReleaseModel, (OrtModel *input))
ABSENT(ort_GetValueInfoName, (const OrtValueInfo *value_info, const char **name))
ABSENT(ort_GetValueInfoTypeInfo, (const OrtValueInfo *value_info, const OrtTypeInfo **type_info))
ABSENT(ort_RegisterExecutionProviderLibrary,
       (OrtEnv *env, const char *registration_name, const char *path))
ABSENT(ort_UnregisterExecutionProviderLibrary, (OrtEnv *env, const char *registration_name))
ABSENT(ort_SessionOptionsSetEpSelectionPolicy,
       (OrtSessionOptions *session_options, OrtExecutionProviderDevicePolicy policy))
ABSENT(ort_SessionOptionsSetEpSelectionPolicyDelegate,
       (OrtSessionOptions *session_options, EpSelectionDelegate delegate, void *delegate_state))
ABSENT(ort_ValueInfo_GetValueProducer,
       (const OrtValueInfo *value_info, const OrtNode **producer_node,
        size_t *producer_output_index))
ABSENT(ort_ValueInfo_GetValueNumConsumers, (const OrtValueInfo *value_info, size_t *num_consumers))
ABSENT(ort_ValueInfo_GetValueConsumers, (const OrtValueInfo *value_info, const OrtNode **nodes,
                                         int64_t *input_indices, size_t num_consumers))
ABSENT(ort_ValueInfo_GetInitializerValue,
       (const OrtValueInfo *value_info, const OrtValue **initializer_value))
ABSENT(ort_ValueInfo_GetExternalInitializerInfo,
       (const OrtValueInfo *value_info, OrtExternalInitializerInfo **info))
ABSENT(ort_ValueInfo_IsRequiredGraphInput,
       (const OrtValueInfo *value_info, bool *is_required_graph_input))
ABSENT(ort_ValueInfo_IsOptionalGraphInput,
       (const OrtValueInfo *value_info, bool *is_optional_graph_input))
ABSENT(ort_ValueInfo_IsGraphOutput, (const OrtValueInfo *value_info, bool *is_graph_output))
ABSENT(ort_ValueInfo_IsConstantInitializer,
       (const OrtValueInfo *value_info, bool *is_constant_initializer))
ABSENT(ort_ValueInfo_IsFromOuterScope, (const OrtValueInfo *value_info, bool *is_from_outer_scope))
ABSENT(ort_Graph_GetName, (const OrtGraph *graph, const char **graph_name))
ABSENT(ort_Graph_GetModelPath, (const OrtGraph *graph, const char **model_path))
ABSENT(ort_Graph_GetOnnxIRVersion, (const OrtGraph *graph, int64_t *onnx_ir_version))
ABSENT(ort_Graph_GetNumOperatorSets, (const OrtGraph *graph, size_t *num_operator_sets))
ABSENT(ort_Graph_GetOperatorSets, (const OrtGraph *graph, const char **domains,
                                   int64_t *opset_versions, size_t num_operator_sets))
ABSENT(ort_Graph_GetNumInputs, (const OrtGraph *graph, size_t *num_inputs))
ABSENT(ort_Graph_GetInputs, (const OrtGraph *graph, const OrtValueInfo **inputs, size_t num_inputs))
ABSENT(ort_Graph_GetNumOutputs, (const OrtGraph *graph, size_t *num_outputs))
ABSENT(ort_Graph_GetOutputs,
       (const OrtGraph *graph, const OrtValueInfo **outputs, size_t num_outputs))
ABSENT(ort_Graph_GetNumInitializers, (const OrtGraph *graph, size_t *num_initializers))
ABSENT(ort_Graph_GetInitializers,
       (const OrtGraph *graph, const OrtValueInfo **initializers, size_t num_initializers))
ABSENT(ort_Graph_GetNumNodes, (const OrtGraph *graph, size_t *num_nodes))
ABSENT(ort_Graph_GetNodes, (const OrtGraph *graph, const OrtNode **nodes, size_t num_nodes))
ABSENT(ort_Graph_GetParentNode, (const OrtGraph *graph, const OrtNode **node))
ABSENT(ort_Graph_GetGraphView,
       (const OrtGraph *src_graph, const OrtNode **nodes, size_t num_nodes, OrtGraph **dst_graph))
ABSENT(ort_Node_GetId, (const OrtNode *node, size_t *node_id))
ABSENT(ort_Node_GetName, (const OrtNode *node, const char **node_name))
ABSENT(ort_Node_GetOperatorType, (const OrtNode *node, const char **operator_type))
ABSENT(ort_Node_GetDomain, (const OrtNode *node, const char **domain_name))
ABSENT(ort_Node_GetSinceVersion, (const OrtNode *node, int *since_version))
ABSENT(ort_Node_GetNumInputs, (const OrtNode *node, size_t *num_inputs))
ABSENT(ort_Node_GetInputs, (const OrtNode *node, const OrtValueInfo **inputs, size_t num_inputs))
ABSENT(ort_Node_GetNumOutputs, (const OrtNode *node, size_t *num_outputs))
ABSENT(ort_Node_GetOutputs, (const OrtNode *node, const OrtValueInfo **outputs, size_t num_outputs))
ABSENT(ort_Node_GetNumImplicitInputs, (const OrtNode *node, size_t *num_implicit_inputs))
ABSENT(ort_Node_GetImplicitInputs,
       (const OrtNode *node, const OrtValueInfo **implicit_inputs, size_t num_implicit_inputs))
ABSENT(ort_Node_GetNumAttributes, (const OrtNode *node, size_t *num_attributes))
ABSENT(ort_Node_GetAttributes,
       (const OrtNode *node, const OrtOpAttr **attributes, size_t num_attributes))
ABSENT(ort_Node_GetAttributeByName,
       (const OrtNode *node, const char *attribute_name, const OrtOpAttr **attribute))
ABSENT(ort_OpAttr_GetTensorAttributeAsOrtValue,
       (const OrtOpAttr *attribute, OrtValue **attr_tensor))
ABSENT(ort_Node_GetNumSubgraphs, (const OrtNode *node, size_t *num_subgraphs))
ABSENT(ort_Node_GetSubgraphs, (const OrtNode *node, const OrtGraph **subgraphs,
                               size_t num_subgraphs, const char **attribute_names))
ABSENT(ort_Node_GetGraph, (const OrtNode *node, const OrtGraph **graph))
ABSENT(ort_Node_GetEpName, (const OrtNode *node, const char **out))
ABSENT(ort_CreateSharedAllocator,
       (OrtEnv *env, const OrtEpDevice *ep_device, OrtDeviceMemoryType mem_type,
        OrtAllocatorType allocator_type, const OrtKeyValuePairs *allocator_options,
        OrtAllocator **allocator))
ABSENT(ort_ReleaseSharedAllocator,
       (OrtEnv *env, const OrtEpDevice *ep_device, OrtDeviceMemoryType mem_type))
ABSENT(ort_SessionGetEpDeviceForInputs,
       (const OrtSession *session, const OrtEpDevice **inputs_ep_devices, size_t num_inputs))
ABSENT(ort_CreateSyncStreamForEpDevice,
       (const OrtEpDevice *ep_device, const OrtKeyValuePairs *stream_options,
        OrtSyncStream **stream))
ABSENT_VALUE(void *, ort_SyncStream_GetHandle, (OrtSyncStream *stream))
ABSENT_VOID(ort_ReleaseSyncStream, (OrtSyncStream *input))
ABSENT(ort_CopyTensors, (const OrtEnv *env, const OrtValue *const *src_tensors,
                         OrtValue *const *dst_tensors, OrtSyncStream *stream, size_t num_tensors))
ABSENT(ort_Graph_GetModelMetadata, (const OrtGraph *graph, OrtModelMetadata **out))
ABSENT(ort_GetModelCompatibilityForEpDevices,
       (const OrtEpDevice *const *ep_devices, size_t num_ep_devices, const char *compatibility_info,
        OrtCompiledModelCompatibility *out_status))
ABSENT(ort_SessionGetEpDeviceForOutputs,
       (const OrtSession *session, const OrtEpDevice **outputs_ep_devices, size_t num_outputs))
ABSENT(ort_GetHardwareDeviceEpIncompatibilityDetails,
       (const OrtEnv *env, const char *ep_name, const OrtHardwareDevice *hw,
        OrtDeviceEpIncompatibilityDetails **details))
ABSENT(ort_DeviceEpIncompatibilityDetails_GetReasonsBitmask,
       (const OrtDeviceEpIncompatibilityDetails *details, uint32_t *reasons_bitmask))
ABSENT(ort_DeviceEpIncompatibilityDetails_GetNotes,
       (const OrtDeviceEpIncompatibilityDetails *details, const char **notes))
ABSENT(ort_DeviceEpIncompatibilityDetails_GetErrorCode,
       (const OrtDeviceEpIncompatibilityDetails *details, int32_t *error_code))
ABSENT_VOID(ort_ReleaseDeviceEpIncompatibilityDetails, (OrtDeviceEpIncompatibilityDetails *input))
ABSENT_VOID(ort_RunOptionsSetSyncStream, (OrtRunOptions *options, OrtSyncStream *sync_stream))
ABSENT(ort_RunOptionsEnableProfiling, (OrtRunOptions *options, const char *profile_file_prefix))
ABSENT(ort_RunOptionsDisableProfiling, (OrtRunOptions *options))
ABSENT(ort_SetPerSessionThreadPoolCallbacks,
       (OrtEnv *env, const OrtThreadPoolCallbacksConfig *config))
ABSENT(ort_SessionReleaseCapturedGraph, (OrtSession *session, int graph_annotation_id))
ABSENT(ort_SessionOptionsSetWeightlessSourceModelBuffer,
       (OrtSessionOptions *options, const void *source_model_data,
        size_t source_model_data_length))
