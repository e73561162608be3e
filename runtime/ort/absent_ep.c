/* SPDX-License-Identifier: MIT */
/*
 * absent_ep.c - slots of OrtEpApi that are not implemented. ONNX Runtime's provider plug-ins call
 * these; Backplane's providers have an ABI of their own (sdk/bp), so no plug-in that would call
 * them can be loaded.
 */

#include "config.h"

#include "ort/absent.h"

ABSENT(ort_ep_CreateEpDevice, (OrtEpFactory * ep_factory, const OrtHardwareDevice *hardware_device,
                               const OrtKeyValuePairs *ep_metadata,
                               const OrtKeyValuePairs *ep_options, OrtEpDevice **ep_device))
ABSENT_VOID(ort_ep_ReleaseEpDevice, (OrtEpDevice * input))
ABSENT(ort_ep_EpGraphSupportInfo_AddNodesToFuse,
       (OrtEpGraphSupportInfo * graph_support_info, const OrtNode *const *nodes, size_t num_nodes,
        const OrtNodeFusionOptions *node_fusion_options))
ABSENT(ort_ep_EpGraphSupportInfo_AddSingleNode,
       (OrtEpGraphSupportInfo * graph_support_info, const OrtNode *node))
ABSENT_VALUE(const char *, ort_ep_NodeComputeContext_NodeName,
             (const OrtNodeComputeContext *context))
ABSENT(ort_ep_EpDevice_AddAllocatorInfo,
       (OrtEpDevice * ep_device, const OrtMemoryInfo *allocator_memory_info))
ABSENT_VALUE(const OrtMemoryDevice *, ort_ep_MemoryInfo_GetMemoryDevice,
             (const OrtMemoryInfo *memory_info))
ABSENT_VALUE(const OrtMemoryDevice *, ort_ep_Value_GetMemoryDevice, (const OrtValue *value))
ABSENT_VALUE(bool, ort_ep_MemoryDevice_AreEqual,
             (const OrtMemoryDevice *a, const OrtMemoryDevice *b))
ABSENT_VALUE(OrtMemoryInfoDeviceType, ort_ep_MemoryDevice_GetDeviceType,
             (const OrtMemoryDevice *memory_device))
ABSENT_VALUE(OrtDeviceMemoryType, ort_ep_MemoryDevice_GetMemoryType,
             (const OrtMemoryDevice *memory_device))
ABSENT_VALUE(uint32_t, ort_ep_MemoryDevice_GetVendorId, (const OrtMemoryDevice *memory_device))
ABSENT_VALUE(uint32_t, ort_ep_MemoryDevice_GetDeviceId, (const OrtMemoryDevice *memory_device))
ABSENT_VALUE(const OrtSyncStreamImpl *, ort_ep_SyncStream_GetImpl, (const OrtSyncStream *stream))
ABSENT_VALUE(uint64_t, ort_ep_SyncStream_GetSyncId, (const OrtSyncStream *stream))
ABSENT_VALUE(uint64_t, ort_ep_GetSyncIdForLastWaitOnSyncStream,
             (const OrtSyncStream *producer_stream, const OrtSyncStream *consumer_stream))
ABSENT(ort_ep_CreateHardwareDevice,
       (OrtHardwareDeviceType type, uint32_t vendor_id, uint32_t device_id, const char *vendor_name,
        const OrtKeyValuePairs *metadata, OrtHardwareDevice **hardware_device))
ABSENT_VOID(ort_ep_ReleaseHardwareDevice, (OrtHardwareDevice * input))
ABSENT(ort_ep_CreateKernelRegistry, (OrtKernelRegistry * *kernel_registry))
ABSENT_VOID(ort_ep_ReleaseKernelRegistry, (OrtKernelRegistry * input))
ABSENT(ort_ep_KernelRegistry_AddKernel,
       (OrtKernelRegistry * kernel_registry, const OrtKernelDef *kernel_def,
        OrtKernelCreateFunc kernel_create_func, void *kernel_create_func_state))
ABSENT(ort_ep_CreateKernelDefBuilder, (OrtKernelDefBuilder * *kernel_def_builder_out))
ABSENT_VOID(ort_ep_ReleaseKernelDefBuilder, (OrtKernelDefBuilder * input))
ABSENT(ort_ep_KernelDefBuilder_SetOperatorType,
       (OrtKernelDefBuilder * kernel_def_builder, const char *op_type))
ABSENT(ort_ep_KernelDefBuilder_SetDomain,
       (OrtKernelDefBuilder * kernel_def_builder, const char *domain))
ABSENT(ort_ep_KernelDefBuilder_SetSinceVersion,
       (OrtKernelDefBuilder * kernel_def_builder, int since_version_start, int since_version_end))
ABSENT(ort_ep_KernelDefBuilder_SetExecutionProvider,
       (OrtKernelDefBuilder * kernel_def_builder, const char *ep_name))
ABSENT(ort_ep_KernelDefBuilder_SetInputMemType,
       (OrtKernelDefBuilder * kernel_def_builder, size_t input_index, OrtMemType mem_type))
ABSENT(ort_ep_KernelDefBuilder_SetOutputMemType,
       (OrtKernelDefBuilder * kernel_def_builder, size_t output_index, OrtMemType mem_type))
ABSENT(ort_ep_KernelDefBuilder_AddTypeConstraint,
       (OrtKernelDefBuilder * kernel_def_builder, const char *arg_name,
        const OrtDataType *const *types, size_t num_types))
ABSENT(ort_ep_KernelDefBuilder_AddInputOutputAliases,
       (OrtKernelDefBuilder * kernel_def_builder, int const *input_indices,
        int const *output_indices, size_t num_io_indices))
ABSENT(ort_ep_KernelDefBuilder_AddInputOutputMutableAliases,
       (OrtKernelDefBuilder * kernel_def_builder, int const *input_indices,
        int const *output_indices, size_t num_io_indices))
ABSENT(ort_ep_KernelDefBuilder_Build,
       (OrtKernelDefBuilder * kernel_def_builder, OrtKernelDef **kernel_def_out))
ABSENT_VOID(ort_ep_ReleaseKernelDef, (OrtKernelDef * input))
ABSENT_VALUE(const char *, ort_ep_KernelDef_GetOperatorType, (const OrtKernelDef *kernel_def))
ABSENT_VALUE(const char *, ort_ep_KernelDef_GetDomain, (const OrtKernelDef *kernel_def))
ABSENT(ort_ep_KernelDef_GetSinceVersion,
       (const OrtKernelDef *kernel_def, int *start_version, int *end_version))
ABSENT_VALUE(const char *, ort_ep_KernelDef_GetExecutionProvider, (const OrtKernelDef *kernel_def))
ABSENT(ort_ep_KernelDef_GetInputMemType,
       (const OrtKernelDef *kernel_def, size_t input_index, OrtMemType *mem_type))
ABSENT(ort_ep_KernelDef_GetOutputMemType,
       (const OrtKernelDef *kernel_def, size_t output_index, OrtMemType *mem_type))
ABSENT(ort_ep_GetTensorDataType, (ONNXTensorElementDataType elem_type, const OrtDataType **out))
ABSENT(ort_ep_EpGraphSupportInfo_LookUpKernel,
       (OrtEpGraphSupportInfo * graph_support_info, const OrtNode *node,
        const OrtKernelDef **out_kernel_def))
ABSENT(ort_ep_SharedPrePackedWeightCache_StoreWeightData,
       (OrtSharedPrePackedWeightCache * prepacked_weight_cache, void **buffer_data_ptrs,
        size_t *buffer_data_sizes, size_t num_buffers))
ABSENT(ort_ep_KernelInfo_GetEp, (const OrtKernelInfo *info, const OrtEp **ep))
ABSENT(ort_ep_DeviceEpIncompatibilityDetails_SetDetails,
       (OrtDeviceEpIncompatibilityDetails * details, uint32_t reasons_bitmask, int32_t error_code,
        const char *notes))
ABSENT(ort_ep_CreateIfKernel, (const OrtKernelInfo *kernel_info, OrtKernelImpl **kernel_out))
ABSENT(ort_ep_CreateLoopKernel,
       (const OrtKernelInfo *kernel_info, OrtLoopKernelHelper *helper, OrtKernelImpl **kernel_out))
ABSENT(ort_ep_CreateScanKernel,
       (const OrtKernelInfo *kernel_info, OrtScanKernelHelper *helper, OrtKernelImpl **kernel_out))
ABSENT_VOID(ort_ep_ReleaseKernelImpl, (OrtKernelImpl * input))
ABSENT(ort_ep_GetEnvConfigEntries, (OrtKeyValuePairs * *config_entries))
ABSENT(ort_ep_GetOpSchema,
       (const char *name, int max_inclusive_version, const char *domain, OrtOpSchema **out_schema))
ABSENT_VOID(ort_ep_ReleaseOpSchema, (OrtOpSchema * input))
ABSENT(ort_ep_OpSchema_GetSinceVersion, (const OrtOpSchema *schema, int *out))
ABSENT(ort_ep_OpSchema_GetNumInputs, (const OrtOpSchema *schema, size_t *out))
ABSENT(ort_ep_OpSchema_GetInputName, (const OrtOpSchema *schema, size_t index, const char **out))
ABSENT(ort_ep_OpSchema_GetInputTypeConstraint,
       (const OrtOpSchema *schema, size_t index, const OrtOpSchemaTypeConstraint **out))
ABSENT(ort_ep_OpSchema_GetNumOutputs, (const OrtOpSchema *schema, size_t *out))
ABSENT(ort_ep_OpSchema_GetOutputName, (const OrtOpSchema *schema, size_t index, const char **out))
ABSENT(ort_ep_OpSchema_GetOutputTypeConstraint,
       (const OrtOpSchema *schema, size_t index, const OrtOpSchemaTypeConstraint **out))
ABSENT(ort_ep_OpSchema_GetTypeConstraintCount, (const OrtOpSchema *schema, size_t *out))
ABSENT(ort_ep_OpSchema_GetTypeConstraint,
       (const OrtOpSchema *schema, size_t index, const OrtOpSchemaTypeConstraint **out))
ABSENT(ort_ep_OpSchemaTypeConstraint_GetTypeParamName,
       (const OrtOpSchemaTypeConstraint *type_constraint, const char **out))
ABSENT(ort_ep_OpSchemaTypeConstraint_GetAllowedTypes,
       (const OrtOpSchemaTypeConstraint *type_constraint, const char *const **out_types,
        size_t *num_types))
ABSENT(ort_ep_OpSchemaTypeConstraint_GetInputIndices,
       (const OrtOpSchemaTypeConstraint *type_constraint, const size_t **out_indices,
        size_t *count))
ABSENT(ort_ep_OpSchemaTypeConstraint_GetOutputIndices,
       (const OrtOpSchemaTypeConstraint *type_constraint, const size_t **out_indices,
        size_t *count))
ABSENT(ort_ep_CreateProfilingEvent,
       (OrtProfilingEventCategory category, int32_t process_id, int32_t thread_id,
        const char *event_name, int64_t timestamp_us, int64_t duration_us,
        const char *const *arg_keys, const char *const *arg_values, size_t num_args,
        OrtProfilingEvent **out))
ABSENT_VOID(ort_ep_ReleaseProfilingEvent, (OrtProfilingEvent * input))
ABSENT(ort_ep_ProfilingEvent_GetCategory,
       (const OrtProfilingEvent *event, OrtProfilingEventCategory *out))
ABSENT(ort_ep_ProfilingEvent_GetName, (const OrtProfilingEvent *event, const char **out))
ABSENT(ort_ep_ProfilingEvent_GetTimestampUs, (const OrtProfilingEvent *event, int64_t *out))
ABSENT(ort_ep_ProfilingEvent_GetDurationUs, (const OrtProfilingEvent *event, int64_t *out))
ABSENT(ort_ep_ProfilingEvent_GetArgValue,
       (const OrtProfilingEvent *event, const char *key, const char **out))
ABSENT(ort_ep_ProfilingEventsContainer_AddEvents,
       (OrtProfilingEventsContainer * events_container, const OrtProfilingEvent *const *events,
        size_t num_events))
