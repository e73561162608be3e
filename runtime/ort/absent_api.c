/* SPDX-License-Identifier: MIT */
/* absent_api.c - slots of OrtApi that are not built yet. */

#include "config.h"

#include "ort/absent.h"

ABSENT(ort_CreateCustomOpDomain, (const char *domain, OrtCustomOpDomain **out))
ABSENT(ort_CustomOpDomain_Add, (OrtCustomOpDomain *custom_op_domain, const OrtCustomOp *op))
ABSENT(ort_AddCustomOpDomain, (OrtSessionOptions *options, OrtCustomOpDomain *custom_op_domain))
ABSENT(ort_RegisterCustomOpsLibrary,
       (OrtSessionOptions *options, const char *library_path, void **library_handle))
ABSENT(ort_CreateOpaqueValue,
       (const char *domain_name, const char *type_name, const void *data_container,
        size_t data_container_size, OrtValue **out))
ABSENT(ort_GetOpaqueValue, (const char *domain_name, const char *type_name, const OrtValue *in,
                            void *data_container, size_t data_container_size))
ABSENT(ort_KernelInfoGetAttribute_float, (const OrtKernelInfo *info, const char *name, float *out))
ABSENT(ort_KernelInfoGetAttribute_int64,
       (const OrtKernelInfo *info, const char *name, int64_t *out))
ABSENT(ort_KernelInfoGetAttribute_string,
       (const OrtKernelInfo *info, const char *name, char *out, size_t *size))
ABSENT(ort_KernelContext_GetInputCount, (const OrtKernelContext *context, size_t *out))
ABSENT(ort_KernelContext_GetOutputCount, (const OrtKernelContext *context, size_t *out))
ABSENT(ort_KernelContext_GetInput,
       (const OrtKernelContext *context, size_t index, const OrtValue **out))
ABSENT(ort_KernelContext_GetOutput, (OrtKernelContext *context, size_t index,
                                     const int64_t *dim_values, size_t dim_count, OrtValue **out))
ABSENT_VOID(ort_ReleaseCustomOpDomain, (OrtCustomOpDomain *input))
ABSENT(ort_AddInitializer, (OrtSessionOptions *options, const char *name, const OrtValue *val))
ABSENT(ort_KernelInfoGetAttributeArray_float,
       (const OrtKernelInfo *info, const char *name, float *out, size_t *size))
ABSENT(ort_KernelInfoGetAttributeArray_int64,
       (const OrtKernelInfo *info, const char *name, int64_t *out, size_t *size))
ABSENT(ort_EnableOrtCustomOps, (OrtSessionOptions *options))
ABSENT(ort_KernelContext_GetGPUComputeStream, (const OrtKernelContext *context, void **out))
ABSENT(ort_AddExternalInitializers,
       (OrtSessionOptions *options, const char *const *initializer_names,
        const OrtValue *const *initializers, size_t num_initializers))
ABSENT(ort_CreateOp,
       (const OrtKernelInfo *info, const char *op_name, const char *domain, int version,
        const char **type_constraint_names, const ONNXTensorElementDataType *type_constraint_values,
        int type_constraint_count, const OrtOpAttr *const *attr_values, int attr_count,
        int input_count, int output_count, OrtOp **ort_op))
ABSENT(ort_InvokeOp,
       (const OrtKernelContext *context, const OrtOp *ort_op, const OrtValue *const *input_values,
        int input_count, OrtValue *const *output_values, int output_count))
ABSENT_VOID(ort_ReleaseOp, (OrtOp *input))
ABSENT(ort_CopyKernelInfo, (const OrtKernelInfo *info, OrtKernelInfo **info_copy))
ABSENT_VOID(ort_ReleaseKernelInfo, (OrtKernelInfo *input))
ABSENT(ort_RegisterCustomOpsLibrary_V2, (OrtSessionOptions *options, const char *library_name))
ABSENT(ort_RegisterCustomOpsUsingFunction,
       (OrtSessionOptions *options, const char *registration_func_name))
ABSENT(ort_KernelInfo_GetInputCount, (const OrtKernelInfo *info, size_t *out))
ABSENT(ort_KernelInfo_GetOutputCount, (const OrtKernelInfo *info, size_t *out))
ABSENT(ort_KernelInfo_GetInputName,
       (const OrtKernelInfo *info, size_t index, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetOutputName,
       (const OrtKernelInfo *info, size_t index, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetInputTypeInfo,
       (const OrtKernelInfo *info, size_t index, OrtTypeInfo **type_info))
ABSENT(ort_KernelInfo_GetOutputTypeInfo,
       (const OrtKernelInfo *info, size_t index, OrtTypeInfo **type_info))
ABSENT(ort_KernelInfoGetAttribute_tensor,
       (const OrtKernelInfo *info, const char *name, OrtAllocator *allocator, OrtValue **out))
ABSENT(ort_KernelInfo_GetNodeName, (const OrtKernelInfo *info, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetLogger, (const OrtKernelInfo *info, const OrtLogger **logger))
ABSENT(ort_KernelContext_GetLogger, (const OrtKernelContext *context, const OrtLogger **logger))
ABSENT(ort_Logger_LogMessage,
       (const OrtLogger *logger, OrtLoggingLevel log_severity_level, const char *message,
        const char *file_path, int line_number, const char *func_name))
ABSENT(ort_Logger_GetLoggingSeverityLevel, (const OrtLogger *logger, OrtLoggingLevel *out))
ABSENT(ort_KernelInfoGetConstantInput_tensor,
       (const OrtKernelInfo *info, size_t index, int *is_constant, const OrtValue **out))
ABSENT(ort_KernelContext_GetAllocator,
       (const OrtKernelContext *context, const OrtMemoryInfo *mem_info, OrtAllocator **out))
ABSENT(ort_KernelContext_GetResource,
       (const OrtKernelContext *context, int resource_version, int resource_id, void **resource))
ABSENT(ort_ShapeInferContext_GetInputCount, (const OrtShapeInferContext *context, size_t *out))
ABSENT(ort_ShapeInferContext_GetInputTypeShape,
       (const OrtShapeInferContext *context, size_t index, OrtTensorTypeAndShapeInfo **info))
ABSENT(ort_ShapeInferContext_GetAttribute,
       (const OrtShapeInferContext *context, const char *attr_name, const OrtOpAttr **attr))
ABSENT(ort_ShapeInferContext_SetOutputTypeShape,
       (const OrtShapeInferContext *context, size_t index, const OrtTensorTypeAndShapeInfo *info))
ABSENT(ort_KernelContext_ParallelFor, (const OrtKernelContext *context, void (*fn)(void *, size_t),
                                       size_t total, size_t num_batch, void *usr_data))
ABSENT(ort_KernelContext_GetScratchBuffer,
       (const OrtKernelContext *context, const OrtMemoryInfo *mem_info, size_t count_or_bytes,
        void **out))
ABSENT(ort_KernelInfoGetAllocator,
       (const OrtKernelInfo *info, OrtMemType mem_type, OrtAllocator **out))
ABSENT(ort_AddExternalInitializersFromFilesInMemory,
       (OrtSessionOptions *options, const char *const *external_initializer_file_names,
        char *const *external_initializer_file_buffer_array,
        const size_t *external_initializer_file_lengths, size_t num_external_initializer_files))
ABSENT_VOID(ort_ReleaseValueInfo, (OrtValueInfo *input))
ABSENT_VOID(ort_ReleaseNode, (OrtNode *input))
ABSENT_VOID(ort_ReleaseGraph, (OrtGraph *input))
ABSENT_VOID(ort_ReleaseModel, (OrtModel *input))
ABSENT(ort_GetValueInfoName, (const OrtValueInfo *value_info, const char **name))
ABSENT(ort_GetValueInfoTypeInfo, (const OrtValueInfo *value_info, const OrtTypeInfo **type_info))
ABSENT(ort_RegisterExecutionProviderLibrary,
       (OrtEnv *env, const char *registration_name, const char *path))
ABSENT(ort_UnregisterExecutionProviderLibrary, (OrtEnv *env, const char *registration_name))
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
ABSENT(ort_Graph_GetModelMetadata, (const OrtGraph *graph, OrtModelMetadata **out))
ABSENT(ort_GetModelCompatibilityForEpDevices,
       (const OrtEpDevice *const *ep_devices, size_t num_ep_devices, const char *compatibility_info,
        OrtCompiledModelCompatibility *out_status))
ABSENT(ort_KernelInfo_GetConfigEntries, (const OrtKernelInfo *info, OrtKeyValuePairs **out))
ABSENT(ort_KernelInfo_GetOperatorDomain, (const OrtKernelInfo *info, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetOperatorType, (const OrtKernelInfo *info, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetOperatorSinceVersion, (const OrtKernelInfo *info, int *since_version))
ABSENT(ort_KernelInfoGetAttributeArray_string, (const OrtKernelInfo *info, const char *name,
                                                OrtAllocator *allocator, char ***out, size_t *size))
ABSENT(ort_SetPerSessionThreadPoolCallbacks,
       (OrtEnv *env, const OrtThreadPoolCallbacksConfig *config))
ABSENT(ort_KernelContext_GetSyncStream, (const OrtKernelContext *context, OrtSyncStream **out))
ABSENT(ort_SessionOptionsSetWeightlessSourceModelBuffer,
       (OrtSessionOptions *options, const void *source_model_data,
        size_t source_model_data_length))
ABSENT(ort_KernelContext_GetPreallocatedOutput,
       (const OrtKernelContext *context, size_t output_index, OrtValue **output))
