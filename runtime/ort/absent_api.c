/* SPDX-License-Identifier: MIT */
/* absent_api.c - slots of OrtApi that are not built yet. */

#include "config.h"

#include "ort/absent.h"

ABSENT(ort_CreateEnv, (OrtLoggingLevel log_severity_level, const char *logid, OrtEnv **out))
ABSENT(ort_CreateEnvWithCustomLogger,
       (OrtLoggingFunction logging_function, void *logger_param, OrtLoggingLevel log_severity_level,
        const char *logid, OrtEnv **out))
ABSENT(ort_EnableTelemetryEvents, (const OrtEnv *env))
ABSENT(ort_DisableTelemetryEvents, (const OrtEnv *env))
ABSENT(ort_CreateSession, (const OrtEnv *env, const char *model_path,
                           const OrtSessionOptions *options, OrtSession **out))
ABSENT(ort_CreateSessionFromArray,
       (const OrtEnv *env, const void *model_data, size_t model_data_length,
        const OrtSessionOptions *options, OrtSession **out))
ABSENT(ort_Run, (OrtSession *session, const OrtRunOptions *run_options,
                 const char *const *input_names, const OrtValue *const *inputs, size_t input_len,
                 const char *const *output_names, size_t output_names_len, OrtValue **outputs))
ABSENT(ort_CreateSessionOptions, (OrtSessionOptions **options))
ABSENT(ort_SetOptimizedModelFilePath,
       (OrtSessionOptions *options, const char *optimized_model_filepath))
ABSENT(ort_CloneSessionOptions,
       (const OrtSessionOptions *in_options, OrtSessionOptions **out_options))
ABSENT(ort_SetSessionExecutionMode, (OrtSessionOptions *options, ExecutionMode execution_mode))
ABSENT(ort_EnableProfiling, (OrtSessionOptions *options, const char *profile_file_prefix))
ABSENT(ort_DisableProfiling, (OrtSessionOptions *options))
ABSENT(ort_EnableMemPattern, (OrtSessionOptions *options))
ABSENT(ort_DisableMemPattern, (OrtSessionOptions *options))
ABSENT(ort_EnableCpuMemArena, (OrtSessionOptions *options))
ABSENT(ort_DisableCpuMemArena, (OrtSessionOptions *options))
ABSENT(ort_SetSessionLogId, (OrtSessionOptions *options, const char *logid))
ABSENT(ort_SetSessionLogVerbosityLevel,
       (OrtSessionOptions *options, int session_log_verbosity_level))
ABSENT(ort_SetSessionLogSeverityLevel,
       (OrtSessionOptions *options, int session_log_severity_level))
ABSENT(ort_SetSessionGraphOptimizationLevel,
       (OrtSessionOptions *options, GraphOptimizationLevel graph_optimization_level))
ABSENT(ort_SetIntraOpNumThreads, (OrtSessionOptions *options, int intra_op_num_threads))
ABSENT(ort_SetInterOpNumThreads, (OrtSessionOptions *options, int inter_op_num_threads))
ABSENT(ort_CreateCustomOpDomain, (const char *domain, OrtCustomOpDomain **out))
ABSENT(ort_CustomOpDomain_Add, (OrtCustomOpDomain *custom_op_domain, const OrtCustomOp *op))
ABSENT(ort_AddCustomOpDomain, (OrtSessionOptions *options, OrtCustomOpDomain *custom_op_domain))
ABSENT(ort_RegisterCustomOpsLibrary,
       (OrtSessionOptions *options, const char *library_path, void **library_handle))
ABSENT(ort_SessionGetInputCount, (const OrtSession *session, size_t *out))
ABSENT(ort_SessionGetOutputCount, (const OrtSession *session, size_t *out))
ABSENT(ort_SessionGetOverridableInitializerCount, (const OrtSession *session, size_t *out))
ABSENT(ort_SessionGetInputTypeInfo,
       (const OrtSession *session, size_t index, OrtTypeInfo **type_info))
ABSENT(ort_SessionGetOutputTypeInfo,
       (const OrtSession *session, size_t index, OrtTypeInfo **type_info))
ABSENT(ort_SessionGetOverridableInitializerTypeInfo,
       (const OrtSession *session, size_t index, OrtTypeInfo **type_info))
ABSENT(ort_SessionGetInputName,
       (const OrtSession *session, size_t index, OrtAllocator *allocator, char **value))
ABSENT(ort_SessionGetOutputName,
       (const OrtSession *session, size_t index, OrtAllocator *allocator, char **value))
ABSENT(ort_SessionGetOverridableInitializerName,
       (const OrtSession *session, size_t index, OrtAllocator *allocator, char **value))
ABSENT(ort_CreateRunOptions, (OrtRunOptions **out))
ABSENT(ort_RunOptionsSetRunLogVerbosityLevel, (OrtRunOptions *options, int log_verbosity_level))
ABSENT(ort_RunOptionsSetRunLogSeverityLevel, (OrtRunOptions *options, int log_severity_level))
ABSENT(ort_RunOptionsSetRunTag, (OrtRunOptions *options, const char *run_tag))
ABSENT(ort_RunOptionsGetRunLogVerbosityLevel,
       (const OrtRunOptions *options, int *log_verbosity_level))
ABSENT(ort_RunOptionsGetRunLogSeverityLevel,
       (const OrtRunOptions *options, int *log_severity_level))
ABSENT(ort_RunOptionsGetRunTag, (const OrtRunOptions *options, const char **run_tag))
ABSENT(ort_RunOptionsSetTerminate, (OrtRunOptions *options))
ABSENT(ort_RunOptionsUnsetTerminate, (OrtRunOptions *options))
ABSENT(ort_CreateTensorAsOrtValue,
       (OrtAllocator *allocator, const int64_t *shape, size_t shape_len,
        ONNXTensorElementDataType type, OrtValue **out))
ABSENT(ort_CreateTensorWithDataAsOrtValue,
       (const OrtMemoryInfo *info, void *p_data, size_t p_data_len, const int64_t *shape,
        size_t shape_len, ONNXTensorElementDataType type, OrtValue **out))
ABSENT(ort_IsTensor, (const OrtValue *value, int *out))
ABSENT(ort_GetTensorMutableData, (OrtValue *value, void **out))
ABSENT(ort_FillStringTensor, (OrtValue *value, const char *const *s, size_t s_len))
ABSENT(ort_GetStringTensorDataLength, (const OrtValue *value, size_t *len))
ABSENT(ort_GetStringTensorContent,
       (const OrtValue *value, void *s, size_t s_len, size_t *offsets, size_t offsets_len))
ABSENT(ort_CastTypeInfoToTensorInfo,
       (const OrtTypeInfo *type_info, const OrtTensorTypeAndShapeInfo **out))
ABSENT(ort_GetOnnxTypeFromTypeInfo, (const OrtTypeInfo *type_info, ONNXType *out))
ABSENT(ort_CreateTensorTypeAndShapeInfo, (OrtTensorTypeAndShapeInfo **out))
ABSENT(ort_SetTensorElementType, (OrtTensorTypeAndShapeInfo *info, ONNXTensorElementDataType type))
ABSENT(ort_SetDimensions,
       (OrtTensorTypeAndShapeInfo *info, const int64_t *dim_values, size_t dim_count))
ABSENT(ort_GetTensorElementType,
       (const OrtTensorTypeAndShapeInfo *info, ONNXTensorElementDataType *out))
ABSENT(ort_GetDimensionsCount, (const OrtTensorTypeAndShapeInfo *info, size_t *out))
ABSENT(ort_GetDimensions,
       (const OrtTensorTypeAndShapeInfo *info, int64_t *dim_values, size_t dim_values_length))
ABSENT(ort_GetSymbolicDimensions,
       (const OrtTensorTypeAndShapeInfo *info, const char *dim_params[], size_t dim_params_length))
ABSENT(ort_GetTensorShapeElementCount, (const OrtTensorTypeAndShapeInfo *info, size_t *out))
ABSENT(ort_GetTensorTypeAndShape, (const OrtValue *value, OrtTensorTypeAndShapeInfo **out))
ABSENT(ort_GetTypeInfo, (const OrtValue *value, OrtTypeInfo **out))
ABSENT(ort_GetValueType, (const OrtValue *value, ONNXType *out))
ABSENT(ort_CreateMemoryInfo,
       (const char *name, OrtAllocatorType type, int id, OrtMemType mem_type, OrtMemoryInfo **out))
ABSENT(ort_CreateCpuMemoryInfo, (OrtAllocatorType type, OrtMemType mem_type, OrtMemoryInfo **out))
ABSENT(ort_CompareMemoryInfo, (const OrtMemoryInfo *info1, const OrtMemoryInfo *info2, int *out))
ABSENT(ort_MemoryInfoGetName, (const OrtMemoryInfo *ptr, const char **out))
ABSENT(ort_MemoryInfoGetId, (const OrtMemoryInfo *ptr, int *out))
ABSENT(ort_MemoryInfoGetMemType, (const OrtMemoryInfo *ptr, OrtMemType *out))
ABSENT(ort_MemoryInfoGetType, (const OrtMemoryInfo *ptr, OrtAllocatorType *out))
ABSENT(ort_AllocatorAlloc, (OrtAllocator *ort_allocator, size_t size, void **out))
ABSENT(ort_AllocatorFree, (OrtAllocator *ort_allocator, void *p))
ABSENT(ort_AllocatorGetInfo, (const OrtAllocator *ort_allocator, const OrtMemoryInfo **out))
ABSENT(ort_GetAllocatorWithDefaultOptions, (OrtAllocator **out))
ABSENT(ort_AddFreeDimensionOverride,
       (OrtSessionOptions *options, const char *dim_denotation, int64_t dim_value))
ABSENT(ort_GetValue, (const OrtValue *value, int index, OrtAllocator *allocator, OrtValue **out))
ABSENT(ort_GetValueCount, (const OrtValue *value, size_t *out))
ABSENT(ort_CreateValue,
       (const OrtValue *const *in, size_t num_values, ONNXType value_type, OrtValue **out))
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
ABSENT_VOID(ort_ReleaseEnv, (OrtEnv *input))
ABSENT_VOID(ort_ReleaseMemoryInfo, (OrtMemoryInfo *input))
ABSENT_VOID(ort_ReleaseSession, (OrtSession *input))
ABSENT_VOID(ort_ReleaseValue, (OrtValue *input))
ABSENT_VOID(ort_ReleaseRunOptions, (OrtRunOptions *input))
ABSENT_VOID(ort_ReleaseTypeInfo, (OrtTypeInfo *input))
ABSENT_VOID(ort_ReleaseTensorTypeAndShapeInfo, (OrtTensorTypeAndShapeInfo *input))
ABSENT_VOID(ort_ReleaseSessionOptions, (OrtSessionOptions *input))
ABSENT_VOID(ort_ReleaseCustomOpDomain, (OrtCustomOpDomain *input))
ABSENT(ort_GetDenotationFromTypeInfo,
       (const OrtTypeInfo *type_info, const char **const denotation, size_t *len))
ABSENT(ort_CastTypeInfoToMapTypeInfo, (const OrtTypeInfo *type_info, const OrtMapTypeInfo **out))
ABSENT(ort_CastTypeInfoToSequenceTypeInfo,
       (const OrtTypeInfo *type_info, const OrtSequenceTypeInfo **out))
ABSENT(ort_GetMapKeyType, (const OrtMapTypeInfo *map_type_info, ONNXTensorElementDataType *out))
ABSENT(ort_GetMapValueType, (const OrtMapTypeInfo *map_type_info, OrtTypeInfo **type_info))
ABSENT(ort_GetSequenceElementType,
       (const OrtSequenceTypeInfo *sequence_type_info, OrtTypeInfo **type_info))
ABSENT_VOID(ort_ReleaseMapTypeInfo, (OrtMapTypeInfo *input))
ABSENT_VOID(ort_ReleaseSequenceTypeInfo, (OrtSequenceTypeInfo *input))
ABSENT(ort_SessionEndProfiling, (OrtSession *session, OrtAllocator *allocator, char **out))
ABSENT(ort_SessionGetModelMetadata, (const OrtSession *session, OrtModelMetadata **out))
ABSENT(ort_ModelMetadataGetProducerName,
       (const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char **value))
ABSENT(ort_ModelMetadataGetGraphName,
       (const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char **value))
ABSENT(ort_ModelMetadataGetDomain,
       (const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char **value))
ABSENT(ort_ModelMetadataGetDescription,
       (const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char **value))
ABSENT(ort_ModelMetadataLookupCustomMetadataMap,
       (const OrtModelMetadata *model_metadata, OrtAllocator *allocator, const char *key,
        char **value))
ABSENT(ort_ModelMetadataGetVersion, (const OrtModelMetadata *model_metadata, int64_t *value))
ABSENT_VOID(ort_ReleaseModelMetadata, (OrtModelMetadata *input))
ABSENT(ort_CreateEnvWithGlobalThreadPools, (OrtLoggingLevel log_severity_level, const char *logid,
                                            const OrtThreadingOptions *tp_options, OrtEnv **out))
ABSENT(ort_DisablePerSessionThreads, (OrtSessionOptions *options))
ABSENT(ort_CreateThreadingOptions, (OrtThreadingOptions **out))
ABSENT_VOID(ort_ReleaseThreadingOptions, (OrtThreadingOptions *input))
ABSENT(ort_ModelMetadataGetCustomMetadataMapKeys,
       (const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char ***keys,
        int64_t *num_keys))
ABSENT(ort_AddFreeDimensionOverrideByName,
       (OrtSessionOptions *options, const char *dim_name, int64_t dim_value))
ABSENT(ort_GetAvailableProviders, (char ***out_ptr, int *provider_length))
ABSENT(ort_ReleaseAvailableProviders, (char **ptr, int providers_length))
ABSENT(ort_GetStringTensorElementLength, (const OrtValue *value, size_t index, size_t *out))
ABSENT(ort_GetStringTensorElement, (const OrtValue *value, size_t s_len, size_t index, void *s))
ABSENT(ort_FillStringTensorElement, (OrtValue *value, const char *s, size_t index))
ABSENT(ort_AddSessionConfigEntry,
       (OrtSessionOptions *options, const char *config_key, const char *config_value))
ABSENT(ort_CreateAllocator,
       (const OrtSession *session, const OrtMemoryInfo *mem_info, OrtAllocator **out))
ABSENT_VOID(ort_ReleaseAllocator, (OrtAllocator *input))
ABSENT(ort_RunWithBinding,
       (OrtSession *session, const OrtRunOptions *run_options, const OrtIoBinding *binding_ptr))
ABSENT(ort_CreateIoBinding, (OrtSession *session, OrtIoBinding **out))
ABSENT_VOID(ort_ReleaseIoBinding, (OrtIoBinding *input))
ABSENT(ort_BindInput, (OrtIoBinding *binding_ptr, const char *name, const OrtValue *val_ptr))
ABSENT(ort_BindOutput, (OrtIoBinding *binding_ptr, const char *name, const OrtValue *val_ptr))
ABSENT(ort_BindOutputToDevice,
       (OrtIoBinding *binding_ptr, const char *name, const OrtMemoryInfo *mem_info_ptr))
ABSENT(ort_GetBoundOutputNames, (const OrtIoBinding *binding_ptr, OrtAllocator *allocator,
                                 char **buffer, size_t **lengths, size_t *count))
ABSENT(ort_GetBoundOutputValues, (const OrtIoBinding *binding_ptr, OrtAllocator *allocator,
                                  OrtValue ***output, size_t *output_count))
ABSENT_VOID(ort_ClearBoundInputs, (OrtIoBinding *binding_ptr))
ABSENT_VOID(ort_ClearBoundOutputs, (OrtIoBinding *binding_ptr))
ABSENT(ort_TensorAt,
       (OrtValue *value, const int64_t *location_values, size_t location_values_count, void **out))
ABSENT(ort_CreateAndRegisterAllocator,
       (OrtEnv *env, const OrtMemoryInfo *mem_info, const OrtArenaCfg *arena_cfg))
ABSENT(ort_SetLanguageProjection, (const OrtEnv *ort_env, OrtLanguageProjection projection))
ABSENT(ort_SessionGetProfilingStartTimeNs, (const OrtSession *session, uint64_t *out))
ABSENT(ort_SetGlobalIntraOpNumThreads, (OrtThreadingOptions *tp_options, int intra_op_num_threads))
ABSENT(ort_SetGlobalInterOpNumThreads, (OrtThreadingOptions *tp_options, int inter_op_num_threads))
ABSENT(ort_SetGlobalSpinControl, (OrtThreadingOptions *tp_options, int allow_spinning))
ABSENT(ort_AddInitializer, (OrtSessionOptions *options, const char *name, const OrtValue *val))
ABSENT(ort_CreateEnvWithCustomLoggerAndGlobalThreadPools,
       (OrtLoggingFunction logging_function, void *logger_param, OrtLoggingLevel log_severity_level,
        const char *logid, const OrtThreadingOptions *tp_options, OrtEnv **out))
ABSENT(ort_SessionOptionsAppendExecutionProvider_CUDA,
       (OrtSessionOptions *options, const OrtCUDAProviderOptions *cuda_options))
ABSENT(ort_SessionOptionsAppendExecutionProvider_ROCM,
       (OrtSessionOptions *options, const OrtROCMProviderOptions *rocm_options))
ABSENT(ort_SessionOptionsAppendExecutionProvider_OpenVINO,
       (OrtSessionOptions *options, const OrtOpenVINOProviderOptions *provider_options))
ABSENT(ort_SetGlobalDenormalAsZero, (OrtThreadingOptions *tp_options))
ABSENT(ort_CreateArenaCfg, (size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes,
                            int max_dead_bytes_per_chunk, OrtArenaCfg **out))
ABSENT_VOID(ort_ReleaseArenaCfg, (OrtArenaCfg *input))
ABSENT(ort_ModelMetadataGetGraphDescription,
       (const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char **value))
ABSENT(ort_SessionOptionsAppendExecutionProvider_TensorRT,
       (OrtSessionOptions *options, const OrtTensorRTProviderOptions *tensorrt_options))
ABSENT(ort_SetCurrentGpuDeviceId, (int device_id))
ABSENT(ort_GetCurrentGpuDeviceId, (int *device_id))
ABSENT(ort_KernelInfoGetAttributeArray_float,
       (const OrtKernelInfo *info, const char *name, float *out, size_t *size))
ABSENT(ort_KernelInfoGetAttributeArray_int64,
       (const OrtKernelInfo *info, const char *name, int64_t *out, size_t *size))
ABSENT(ort_CreateArenaCfgV2,
       (const char *const *arena_config_keys, const size_t *arena_config_values, size_t num_keys,
        OrtArenaCfg **out))
ABSENT(ort_AddRunConfigEntry,
       (OrtRunOptions *options, const char *config_key, const char *config_value))
ABSENT(ort_CreatePrepackedWeightsContainer, (OrtPrepackedWeightsContainer **out))
ABSENT_VOID(ort_ReleasePrepackedWeightsContainer, (OrtPrepackedWeightsContainer *input))
ABSENT(ort_CreateSessionWithPrepackedWeightsContainer,
       (const OrtEnv *env, const char *model_path, const OrtSessionOptions *options,
        OrtPrepackedWeightsContainer *prepacked_weights_container, OrtSession **out))
ABSENT(ort_CreateSessionFromArrayWithPrepackedWeightsContainer,
       (const OrtEnv *env, const void *model_data, size_t model_data_length,
        const OrtSessionOptions *options, OrtPrepackedWeightsContainer *prepacked_weights_container,
        OrtSession **out))
ABSENT(ort_SessionOptionsAppendExecutionProvider_TensorRT_V2,
       (OrtSessionOptions *options, const OrtTensorRTProviderOptionsV2 *tensorrt_options))
ABSENT(ort_CreateTensorRTProviderOptions, (OrtTensorRTProviderOptionsV2 **out))
ABSENT(ort_UpdateTensorRTProviderOptions,
       (OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys))
ABSENT(ort_GetTensorRTProviderOptionsAsString,
       (const OrtTensorRTProviderOptionsV2 *tensorrt_options, OrtAllocator *allocator, char **ptr))
ABSENT_VOID(ort_ReleaseTensorRTProviderOptions, (OrtTensorRTProviderOptionsV2 *input))
ABSENT(ort_EnableOrtCustomOps, (OrtSessionOptions *options))
ABSENT(ort_RegisterAllocator, (OrtEnv *env, OrtAllocator *allocator))
ABSENT(ort_UnregisterAllocator, (OrtEnv *env, const OrtMemoryInfo *mem_info))
ABSENT(ort_IsSparseTensor, (const OrtValue *value, int *out))
ABSENT(ort_CreateSparseTensorAsOrtValue,
       (OrtAllocator *allocator, const int64_t *dense_shape, size_t dense_shape_len,
        ONNXTensorElementDataType type, OrtValue **out))
ABSENT(ort_FillSparseTensorCoo,
       (OrtValue *ort_value, const OrtMemoryInfo *data_mem_info, const int64_t *values_shape,
        size_t values_shape_len, const void *values, const int64_t *indices_data,
        size_t indices_num))
ABSENT(ort_FillSparseTensorCsr,
       (OrtValue *ort_value, const OrtMemoryInfo *data_mem_info, const int64_t *values_shape,
        size_t values_shape_len, const void *values, const int64_t *inner_indices_data,
        size_t inner_indices_num, const int64_t *outer_indices_data, size_t outer_indices_num))
ABSENT(ort_FillSparseTensorBlockSparse,
       (OrtValue *ort_value, const OrtMemoryInfo *data_mem_info, const int64_t *values_shape,
        size_t values_shape_len, const void *values, const int64_t *indices_shape_data,
        size_t indices_shape_len, const int32_t *indices_data))
ABSENT(ort_CreateSparseTensorWithValuesAsOrtValue,
       (const OrtMemoryInfo *info, void *p_data, const int64_t *dense_shape, size_t dense_shape_len,
        const int64_t *values_shape, size_t values_shape_len, ONNXTensorElementDataType type,
        OrtValue **out))
ABSENT(ort_UseCooIndices, (OrtValue *ort_value, int64_t *indices_data, size_t indices_num))
ABSENT(ort_UseCsrIndices, (OrtValue *ort_value, int64_t *inner_data, size_t inner_num,
                           int64_t *outer_data, size_t outer_num))
ABSENT(ort_UseBlockSparseIndices, (OrtValue *ort_value, const int64_t *indices_shape,
                                   size_t indices_shape_len, int32_t *indices_data))
ABSENT(ort_GetSparseTensorFormat, (const OrtValue *ort_value, OrtSparseFormat *out))
ABSENT(ort_GetSparseTensorValuesTypeAndShape,
       (const OrtValue *ort_value, OrtTensorTypeAndShapeInfo **out))
ABSENT(ort_GetSparseTensorValues, (const OrtValue *ort_value, const void **out))
ABSENT(ort_GetSparseTensorIndicesTypeShape,
       (const OrtValue *ort_value, OrtSparseIndicesFormat indices_format,
        OrtTensorTypeAndShapeInfo **out))
ABSENT(ort_GetSparseTensorIndices,
       (const OrtValue *ort_value, OrtSparseIndicesFormat indices_format, size_t *num_indices,
        const void **indices))
ABSENT(ort_HasValue, (const OrtValue *value, int *out))
ABSENT(ort_KernelContext_GetGPUComputeStream, (const OrtKernelContext *context, void **out))
ABSENT(ort_GetTensorMemoryInfo, (const OrtValue *value, const OrtMemoryInfo **mem_info))
ABSENT(ort_GetExecutionProviderApi,
       (const char *provider_name, uint32_t version, const void **provider_api))
ABSENT(ort_SessionOptionsSetCustomCreateThreadFn,
       (OrtSessionOptions *options, OrtCustomCreateThreadFn ort_custom_create_thread_fn))
ABSENT(ort_SessionOptionsSetCustomThreadCreationOptions,
       (OrtSessionOptions *options, void *ort_custom_thread_creation_options))
ABSENT(ort_SessionOptionsSetCustomJoinThreadFn,
       (OrtSessionOptions *options, OrtCustomJoinThreadFn ort_custom_join_thread_fn))
ABSENT(ort_SetGlobalCustomCreateThreadFn,
       (OrtThreadingOptions *tp_options, OrtCustomCreateThreadFn ort_custom_create_thread_fn))
ABSENT(ort_SetGlobalCustomThreadCreationOptions,
       (OrtThreadingOptions *tp_options, void *ort_custom_thread_creation_options))
ABSENT(ort_SetGlobalCustomJoinThreadFn,
       (OrtThreadingOptions *tp_options, OrtCustomJoinThreadFn ort_custom_join_thread_fn))
ABSENT(ort_SynchronizeBoundInputs, (OrtIoBinding *binding_ptr))
ABSENT(ort_SynchronizeBoundOutputs, (OrtIoBinding *binding_ptr))
ABSENT(ort_SessionOptionsAppendExecutionProvider_CUDA_V2,
       (OrtSessionOptions *options, const OrtCUDAProviderOptionsV2 *cuda_options))
ABSENT(ort_CreateCUDAProviderOptions, (OrtCUDAProviderOptionsV2 **out))
ABSENT(ort_UpdateCUDAProviderOptions,
       (OrtCUDAProviderOptionsV2 *cuda_options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys))
ABSENT(ort_GetCUDAProviderOptionsAsString,
       (const OrtCUDAProviderOptionsV2 *cuda_options, OrtAllocator *allocator, char **ptr))
ABSENT_VOID(ort_ReleaseCUDAProviderOptions, (OrtCUDAProviderOptionsV2 *input))
ABSENT(ort_SessionOptionsAppendExecutionProvider_MIGraphX,
       (OrtSessionOptions *options, const OrtMIGraphXProviderOptions *migraphx_options))
ABSENT(ort_AddExternalInitializers,
       (OrtSessionOptions *options, const char *const *initializer_names,
        const OrtValue *const *initializers, size_t num_initializers))
ABSENT(ort_CreateOpAttr,
       (const char *name, const void *data, int len, OrtOpAttrType type, OrtOpAttr **op_attr))
ABSENT_VOID(ort_ReleaseOpAttr, (OrtOpAttr *input))
ABSENT(ort_CreateOp,
       (const OrtKernelInfo *info, const char *op_name, const char *domain, int version,
        const char **type_constraint_names, const ONNXTensorElementDataType *type_constraint_values,
        int type_constraint_count, const OrtOpAttr *const *attr_values, int attr_count,
        int input_count, int output_count, OrtOp **ort_op))
ABSENT(ort_InvokeOp,
       (const OrtKernelContext *context, const OrtOp *ort_op, const OrtValue *const *input_values,
        int input_count, OrtValue *const *output_values, int output_count))
ABSENT_VOID(ort_ReleaseOp, (OrtOp *input))
ABSENT(ort_SessionOptionsAppendExecutionProvider,
       (OrtSessionOptions *options, const char *provider_name,
        const char *const *provider_options_keys, const char *const *provider_options_values,
        size_t num_keys))
ABSENT(ort_CopyKernelInfo, (const OrtKernelInfo *info, OrtKernelInfo **info_copy))
ABSENT_VOID(ort_ReleaseKernelInfo, (OrtKernelInfo *input))
ABSENT(ort_SessionOptionsAppendExecutionProvider_CANN,
       (OrtSessionOptions *options, const OrtCANNProviderOptions *cann_options))
ABSENT(ort_CreateCANNProviderOptions, (OrtCANNProviderOptions **out))
ABSENT(ort_UpdateCANNProviderOptions,
       (OrtCANNProviderOptions *cann_options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys))
ABSENT(ort_GetCANNProviderOptionsAsString,
       (const OrtCANNProviderOptions *cann_options, OrtAllocator *allocator, char **ptr))
ABSENT_VOID(ort_ReleaseCANNProviderOptions, (OrtCANNProviderOptions *input))
ABSENT_VOID(ort_MemoryInfoGetDeviceType, (const OrtMemoryInfo *ptr, OrtMemoryInfoDeviceType *out))
ABSENT(ort_UpdateEnvWithCustomLogLevel, (OrtEnv *ort_env, OrtLoggingLevel log_severity_level))
ABSENT(ort_SetGlobalIntraOpThreadAffinity,
       (OrtThreadingOptions *tp_options, const char *affinity_string))
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
ABSENT(ort_HasSessionConfigEntry,
       (const OrtSessionOptions *options, const char *config_key, int *out))
ABSENT(ort_GetSessionConfigEntry,
       (const OrtSessionOptions *options, const char *config_key, char *config_value, size_t *size))
ABSENT(ort_SessionOptionsAppendExecutionProvider_Dnnl,
       (OrtSessionOptions *options, const OrtDnnlProviderOptions *dnnl_options))
ABSENT(ort_CreateDnnlProviderOptions, (OrtDnnlProviderOptions **out))
ABSENT(ort_UpdateDnnlProviderOptions,
       (OrtDnnlProviderOptions *dnnl_options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys))
ABSENT(ort_GetDnnlProviderOptionsAsString,
       (const OrtDnnlProviderOptions *dnnl_options, OrtAllocator *allocator, char **ptr))
ABSENT_VOID(ort_ReleaseDnnlProviderOptions, (OrtDnnlProviderOptions *input))
ABSENT(ort_KernelInfo_GetNodeName, (const OrtKernelInfo *info, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetLogger, (const OrtKernelInfo *info, const OrtLogger **logger))
ABSENT(ort_KernelContext_GetLogger, (const OrtKernelContext *context, const OrtLogger **logger))
ABSENT(ort_Logger_LogMessage,
       (const OrtLogger *logger, OrtLoggingLevel log_severity_level, const char *message,
        const char *file_path, int line_number, const char *func_name))
ABSENT(ort_Logger_GetLoggingSeverityLevel, (const OrtLogger *logger, OrtLoggingLevel *out))
ABSENT(ort_KernelInfoGetConstantInput_tensor,
       (const OrtKernelInfo *info, size_t index, int *is_constant, const OrtValue **out))
ABSENT(ort_CastTypeInfoToOptionalTypeInfo,
       (const OrtTypeInfo *type_info, const OrtOptionalTypeInfo **out))
ABSENT(ort_GetOptionalContainedTypeInfo,
       (const OrtOptionalTypeInfo *optional_type_info, OrtTypeInfo **out))
ABSENT(ort_GetResizedStringTensorElementBuffer,
       (OrtValue *value, size_t index, size_t length_in_bytes, char **buffer))
ABSENT(ort_KernelContext_GetAllocator,
       (const OrtKernelContext *context, const OrtMemoryInfo *mem_info, OrtAllocator **out))
ABSENT(ort_CreateROCMProviderOptions, (OrtROCMProviderOptions **out))
ABSENT(ort_UpdateROCMProviderOptions,
       (OrtROCMProviderOptions *rocm_options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys))
ABSENT(ort_GetROCMProviderOptionsAsString,
       (const OrtROCMProviderOptions *rocm_options, OrtAllocator *allocator, char **ptr))
ABSENT_VOID(ort_ReleaseROCMProviderOptions, (OrtROCMProviderOptions *input))
ABSENT(ort_CreateAndRegisterAllocatorV2,
       (OrtEnv *env, const char *provider_type, const OrtMemoryInfo *mem_info,
        const OrtArenaCfg *arena_cfg, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys))
ABSENT(ort_RunAsync, (OrtSession *session, const OrtRunOptions *run_options,
                      const char *const *input_names, const OrtValue *const *input,
                      size_t input_len, const char *const *output_names, size_t output_names_len,
                      OrtValue **output, RunAsyncCallbackFn run_async_callback, void *user_data))
ABSENT(ort_UpdateTensorRTProviderOptionsWithValue,
       (OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *key, void *value))
ABSENT(ort_GetTensorRTProviderOptionsByName,
       (const OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *key, void **ptr))
ABSENT(ort_UpdateCUDAProviderOptionsWithValue,
       (OrtCUDAProviderOptionsV2 *cuda_options, const char *key, void *value))
ABSENT(ort_GetCUDAProviderOptionsByName,
       (const OrtCUDAProviderOptionsV2 *cuda_options, const char *key, void **ptr))
ABSENT(ort_KernelContext_GetResource,
       (const OrtKernelContext *context, int resource_version, int resource_id, void **resource))
ABSENT(ort_SetUserLoggingFunction,
       (OrtSessionOptions *options, OrtLoggingFunction user_logging_function,
        void *user_logging_param))
ABSENT(ort_ShapeInferContext_GetInputCount, (const OrtShapeInferContext *context, size_t *out))
ABSENT(ort_ShapeInferContext_GetInputTypeShape,
       (const OrtShapeInferContext *context, size_t index, OrtTensorTypeAndShapeInfo **info))
ABSENT(ort_ShapeInferContext_GetAttribute,
       (const OrtShapeInferContext *context, const char *attr_name, const OrtOpAttr **attr))
ABSENT(ort_ShapeInferContext_SetOutputTypeShape,
       (const OrtShapeInferContext *context, size_t index, const OrtTensorTypeAndShapeInfo *info))
ABSENT(ort_SetSymbolicDimensions,
       (OrtTensorTypeAndShapeInfo *info, const char *dim_params[], size_t dim_params_length))
ABSENT(ort_ReadOpAttr,
       (const OrtOpAttr *op_attr, OrtOpAttrType type, void *data, size_t len, size_t *out))
ABSENT(ort_SetDeterministicCompute, (OrtSessionOptions *options, bool value))
ABSENT(ort_KernelContext_ParallelFor, (const OrtKernelContext *context, void (*fn)(void *, size_t),
                                       size_t total, size_t num_batch, void *usr_data))
ABSENT(ort_SessionOptionsAppendExecutionProvider_OpenVINO_V2,
       (OrtSessionOptions *options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys))
ABSENT(ort_SessionOptionsAppendExecutionProvider_VitisAI,
       (OrtSessionOptions *options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys))
ABSENT(ort_KernelContext_GetScratchBuffer,
       (const OrtKernelContext *context, const OrtMemoryInfo *mem_info, size_t count_or_bytes,
        void **out))
ABSENT(ort_KernelInfoGetAllocator,
       (const OrtKernelInfo *info, OrtMemType mem_type, OrtAllocator **out))
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
ABSENT(ort_CreateTensorWithDataAndDeleterAsOrtValue,
       (OrtAllocator *deleter, void *p_data, size_t p_data_len, const int64_t *shape,
        size_t shape_len, ONNXTensorElementDataType type, OrtValue **out))
ABSENT(ort_SessionOptionsSetLoadCancellationFlag, (OrtSessionOptions *options, bool cancel))
ABSENT_VOID(ort_CreateKeyValuePairs, (OrtKeyValuePairs **out))
ABSENT_VOID(ort_AddKeyValuePair, (OrtKeyValuePairs *kvps, const char *key, const char *value))
ABSENT_VALUE(const char *, ort_GetKeyValue, (const OrtKeyValuePairs *kvps, const char *key))
ABSENT_VOID(ort_GetKeyValuePairs, (const OrtKeyValuePairs *kvps, const char *const **keys,
                                   const char *const **values, size_t *num_entries))
ABSENT_VOID(ort_RemoveKeyValuePair, (OrtKeyValuePairs *kvps, const char *key))
ABSENT_VOID(ort_ReleaseKeyValuePairs, (OrtKeyValuePairs *input))
ABSENT(ort_RegisterExecutionProviderLibrary,
       (OrtEnv *env, const char *registration_name, const char *path))
ABSENT(ort_UnregisterExecutionProviderLibrary, (OrtEnv *env, const char *registration_name))
ABSENT(ort_GetEpDevices,
       (const OrtEnv *env, const OrtEpDevice *const **ep_devices, size_t *num_ep_devices))
ABSENT(ort_SessionOptionsAppendExecutionProvider_V2,
       (OrtSessionOptions *session_options, OrtEnv *env, const OrtEpDevice *const *ep_devices,
        size_t num_ep_devices, const char *const *ep_option_keys, const char *const *ep_option_vals,
        size_t num_ep_options))
ABSENT(ort_SessionOptionsSetEpSelectionPolicy,
       (OrtSessionOptions *session_options, OrtExecutionProviderDevicePolicy policy))
ABSENT(ort_SessionOptionsSetEpSelectionPolicyDelegate,
       (OrtSessionOptions *session_options, EpSelectionDelegate delegate, void *delegate_state))
ABSENT_VALUE(OrtHardwareDeviceType, ort_HardwareDevice_Type, (const OrtHardwareDevice *device))
ABSENT_VALUE(uint32_t, ort_HardwareDevice_VendorId, (const OrtHardwareDevice *device))
ABSENT_VALUE(const char *, ort_HardwareDevice_Vendor, (const OrtHardwareDevice *device))
ABSENT_VALUE(uint32_t, ort_HardwareDevice_DeviceId, (const OrtHardwareDevice *device))
ABSENT_VALUE(const OrtKeyValuePairs *, ort_HardwareDevice_Metadata,
             (const OrtHardwareDevice *device))
ABSENT_VALUE(const char *, ort_EpDevice_EpName, (const OrtEpDevice *ep_device))
ABSENT_VALUE(const char *, ort_EpDevice_EpVendor, (const OrtEpDevice *ep_device))
ABSENT_VALUE(const OrtKeyValuePairs *, ort_EpDevice_EpMetadata, (const OrtEpDevice *ep_device))
ABSENT_VALUE(const OrtKeyValuePairs *, ort_EpDevice_EpOptions, (const OrtEpDevice *ep_device))
ABSENT_VALUE(const OrtHardwareDevice *, ort_EpDevice_Device, (const OrtEpDevice *ep_device))
ABSENT(ort_GetTensorSizeInBytes, (const OrtValue *ort_value, size_t *size))
ABSENT(ort_AllocatorGetStats, (const OrtAllocator *ort_allocator, OrtKeyValuePairs **out))
ABSENT(ort_CreateMemoryInfo_V2,
       (const char *name, OrtMemoryInfoDeviceType device_type, uint32_t vendor_id,
        int32_t device_id, OrtDeviceMemoryType mem_type, size_t alignment,
        OrtAllocatorType allocator_type, OrtMemoryInfo **out))
ABSENT_VALUE(OrtDeviceMemoryType, ort_MemoryInfoGetDeviceMemType, (const OrtMemoryInfo *ptr))
ABSENT_VALUE(uint32_t, ort_MemoryInfoGetVendorId, (const OrtMemoryInfo *ptr))
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
ABSENT(ort_OpAttr_GetType, (const OrtOpAttr *attribute, OrtOpAttrType *type))
ABSENT(ort_OpAttr_GetName, (const OrtOpAttr *attribute, const char **name))
ABSENT(ort_Node_GetNumSubgraphs, (const OrtNode *node, size_t *num_subgraphs))
ABSENT(ort_Node_GetSubgraphs, (const OrtNode *node, const OrtGraph **subgraphs,
                               size_t num_subgraphs, const char **attribute_names))
ABSENT(ort_Node_GetGraph, (const OrtNode *node, const OrtGraph **graph))
ABSENT(ort_Node_GetEpName, (const OrtNode *node, const char **out))
ABSENT_VOID(ort_ReleaseExternalInitializerInfo, (OrtExternalInitializerInfo *input))
ABSENT_VALUE(const ORTCHAR_T *, ort_ExternalInitializerInfo_GetFilePath,
             (const OrtExternalInitializerInfo *info))
ABSENT_VALUE(int64_t, ort_ExternalInitializerInfo_GetFileOffset,
             (const OrtExternalInitializerInfo *info))
ABSENT_VALUE(size_t, ort_ExternalInitializerInfo_GetByteSize,
             (const OrtExternalInitializerInfo *info))
ABSENT_VALUE(const char *, ort_GetRunConfigEntry,
             (const OrtRunOptions *options, const char *config_key))
ABSENT_VALUE(const OrtMemoryInfo *, ort_EpDevice_MemoryInfo,
             (const OrtEpDevice *ep_device, OrtDeviceMemoryType memory_type))
ABSENT(ort_CreateSharedAllocator,
       (OrtEnv *env, const OrtEpDevice *ep_device, OrtDeviceMemoryType mem_type,
        OrtAllocatorType allocator_type, const OrtKeyValuePairs *allocator_options,
        OrtAllocator **allocator))
ABSENT(ort_GetSharedAllocator,
       (OrtEnv *env, const OrtMemoryInfo *mem_info, OrtAllocator **allocator))
ABSENT(ort_ReleaseSharedAllocator,
       (OrtEnv *env, const OrtEpDevice *ep_device, OrtDeviceMemoryType mem_type))
ABSENT(ort_GetTensorData, (const OrtValue *value, const void **out))
ABSENT(ort_GetSessionOptionsConfigEntries,
       (const OrtSessionOptions *options, OrtKeyValuePairs **out))
ABSENT(ort_SessionGetMemoryInfoForInputs,
       (const OrtSession *session, const OrtMemoryInfo **inputs_memory_info, size_t num_inputs))
ABSENT(ort_SessionGetMemoryInfoForOutputs,
       (const OrtSession *session, const OrtMemoryInfo **outputs_memory_info, size_t num_outputs))
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
ABSENT(ort_CreateExternalInitializerInfo, (const char *filepath, int64_t file_offset,
                                           size_t byte_size, OrtExternalInitializerInfo **out))
ABSENT_VALUE(bool, ort_TensorTypeAndShape_HasShape, (const OrtTensorTypeAndShapeInfo *info))
ABSENT(ort_KernelInfo_GetConfigEntries, (const OrtKernelInfo *info, OrtKeyValuePairs **out))
ABSENT(ort_KernelInfo_GetOperatorDomain, (const OrtKernelInfo *info, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetOperatorType, (const OrtKernelInfo *info, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetOperatorSinceVersion, (const OrtKernelInfo *info, int *since_version))
ABSENT(ort_SessionGetEpDeviceForOutputs,
       (const OrtSession *session, const OrtEpDevice **outputs_ep_devices, size_t num_outputs))
ABSENT(ort_GetNumHardwareDevices, (const OrtEnv *env, size_t *num_devices))
ABSENT(ort_GetHardwareDevices,
       (const OrtEnv *env, const OrtHardwareDevice **devices, size_t num_devices))
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
ABSENT(ort_GetCompatibilityInfoFromModel, (const char *model_path, const char *ep_type,
                                           OrtAllocator *allocator, char **compatibility_info))
ABSENT(ort_GetCompatibilityInfoFromModelBytes,
       (const void *model_data, size_t model_data_length, const char *ep_type,
        OrtAllocator *allocator, char **compatibility_info))
ABSENT(ort_CreateEnvWithOptions, (const OrtEnvCreationOptions *options, OrtEnv **out))
ABSENT(ort_Session_GetEpGraphAssignmentInfo,
       (const OrtSession *session, const OrtEpAssignedSubgraph *const **ep_subgraphs,
        size_t *num_ep_subgraphs))
ABSENT(ort_EpAssignedSubgraph_GetEpName,
       (const OrtEpAssignedSubgraph *ep_subgraph, const char **out))
ABSENT(ort_EpAssignedSubgraph_GetNodes,
       (const OrtEpAssignedSubgraph *ep_subgraph, const OrtEpAssignedNode *const **ep_nodes,
        size_t *num_ep_nodes))
ABSENT(ort_EpAssignedNode_GetName, (const OrtEpAssignedNode *ep_node, const char **out))
ABSENT(ort_EpAssignedNode_GetDomain, (const OrtEpAssignedNode *ep_node, const char **out))
ABSENT(ort_EpAssignedNode_GetOperatorType, (const OrtEpAssignedNode *ep_node, const char **out))
ABSENT_VOID(ort_RunOptionsSetSyncStream, (OrtRunOptions *options, OrtSyncStream *sync_stream))
ABSENT(ort_GetTensorElementTypeAndShapeDataReference,
       (const OrtValue *value, ONNXTensorElementDataType *elem_type, const int64_t **shape_data,
        size_t *shape_data_count))
ABSENT(ort_RunOptionsEnableProfiling, (OrtRunOptions *options, const char *profile_file_prefix))
ABSENT(ort_RunOptionsDisableProfiling, (OrtRunOptions *options))
ABSENT(ort_KernelInfoGetAttributeArray_string, (const OrtKernelInfo *info, const char *name,
                                                OrtAllocator *allocator, char ***out, size_t *size))
ABSENT(ort_SetPerSessionThreadPoolCallbacks,
       (OrtEnv *env, const OrtThreadPoolCallbacksConfig *config))
ABSENT(ort_GetMemPatternEnabled, (const OrtSessionOptions *options, int *out))
ABSENT(ort_GetSessionExecutionMode, (const OrtSessionOptions *options, ExecutionMode *out))
ABSENT(ort_SessionReleaseCapturedGraph, (OrtSession *session, int graph_annotation_id))
ABSENT(ort_KernelContext_GetSyncStream, (const OrtKernelContext *context, OrtSyncStream **out))
ABSENT(ort_SessionOptionsSetWeightlessSourceModelBuffer,
       (OrtSessionOptions *options, const void *source_model_data,
        size_t source_model_data_length))
ABSENT(ort_KernelContext_GetPreallocatedOutput,
       (const OrtKernelContext *context, size_t output_index, OrtValue **output))
