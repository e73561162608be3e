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
ABSENT(ort_KernelInfoGetAttributeArray_float,
       (const OrtKernelInfo *info, const char *name, float *out, size_t *size))
ABSENT(ort_KernelInfoGetAttributeArray_int64,
       (const OrtKernelInfo *info, const char *name, int64_t *out, size_t *size))
ABSENT(ort_EnableOrtCustomOps, (OrtSessionOptions *options))
ABSENT(ort_KernelContext_GetGPUComputeStream, (const OrtKernelContext *context, void **out))
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
ABSENT(ort_RegisterExecutionProviderLibrary,
       (OrtEnv *env, const char *registration_name, const char *path))
ABSENT(ort_UnregisterExecutionProviderLibrary, (OrtEnv *env, const char *registration_name))
ABSENT(ort_KernelInfo_GetConfigEntries, (const OrtKernelInfo *info, OrtKeyValuePairs **out))
ABSENT(ort_KernelInfo_GetOperatorDomain, (const OrtKernelInfo *info, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetOperatorType, (const OrtKernelInfo *info, char *out, size_t *size))
ABSENT(ort_KernelInfo_GetOperatorSinceVersion, (const OrtKernelInfo *info, int *since_version))
ABSENT(ort_KernelInfoGetAttributeArray_string, (const OrtKernelInfo *info, const char *name,
                                                OrtAllocator *allocator, char ***out, size_t *size))
ABSENT(ort_SetPerSessionThreadPoolCallbacks,
       (OrtEnv *env, const OrtThreadPoolCallbacksConfig *config))
ABSENT(ort_KernelContext_GetSyncStream, (const OrtKernelContext *context, OrtSyncStream **out))
ABSENT(ort_KernelContext_GetPreallocatedOutput,
       (const OrtKernelContext *context, size_t output_index, OrtValue **output))
