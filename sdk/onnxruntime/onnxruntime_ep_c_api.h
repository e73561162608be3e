/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_ep_c_api.h - the part of ONNX Runtime's C ABI that plug-in execution providers speak.
 *
 * Included by onnxruntime_c_api.h. A plug-in fills its structs and says in ort_version_supported
 * which version of this file it was compiled with; fields that are younger are not read.
 */
#ifndef BP_ONNXRUNTIME_EP_C_API_H
#define BP_ONNXRUNTIME_EP_C_API_H

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a profiling event is about. */
typedef enum OrtProfilingEventCategory {
    OrtProfilingEventCategory_SESSION = 0,
    OrtProfilingEventCategory_NODE = 1,
    OrtProfilingEventCategory_KERNEL = 2,
    OrtProfilingEventCategory_API = 3
} OrtProfilingEventCategory;

/* What a resource count counts. */
typedef enum OrtResourceCountKind {
    OrtResourceCountKind_None = 0,
    OrtResourceCountKind_TotalBytes = 1
} OrtResourceCountKind;

/* Order of the dimensions of images. */
typedef enum OrtEpDataLayout {
    OrtEpDataLayout_NCHW = 0,
    OrtEpDataLayout_NHWC = 1,
    OrtEpDataLayout_Default = 0
} OrtEpDataLayout;

/* Which nodes may stay outside of a captured graph. */
typedef enum OrtGraphCaptureNodeAssignmentPolicy {
    OrtGraphCaptureNodeAssignmentPolicy_ALL_NODES_ON_EP = 0,
    OrtGraphCaptureNodeAssignmentPolicy_ALLOW_CPU_FOR_SHAPES = 1
} OrtGraphCaptureNodeAssignmentPolicy;

/* What a provider can do without its own copy of weights. */
typedef enum OrtWeightlessSupport {
    OrtWeightlessSupport_NONE = 0,
    OrtWeightlessSupport_EXTERNAL_ONLY = 1,
    OrtWeightlessSupport_ALL = 2
} OrtWeightlessSupport;

typedef OrtStatus *(ORT_API_CALL *OrtKernelCreateFunc)(void *kernel_create_func_state,
                                                       const OrtKernelInfo *info,
                                                       OrtKernelImpl **kernel_out);
typedef OrtStatus *(ORT_API_CALL *CreateEpApiFactoriesFn)(
    const char *registered_name, const OrtApiBase *ort_api_base, const OrtLogger *default_logger,
    OrtEpFactory **factories, size_t max_factories, size_t *num_factories);
typedef OrtStatus *(ORT_API_CALL *ReleaseEpApiFactoryFn)(OrtEpFactory *factory);

/* ---- structs that a plug-in fills --------------------------------------------------------------- */

struct OrtEpFactory {
    uint32_t ort_version_supported;
    const char *(ORT_API_CALL *GetName)(const OrtEpFactory *this_ptr);
    const char *(ORT_API_CALL *GetVendor)(const OrtEpFactory *this_ptr);
    OrtStatus *(ORT_API_CALL *GetSupportedDevices)(OrtEpFactory *this_ptr,
                                                   const OrtHardwareDevice *const *devices,
                                                   size_t num_devices, OrtEpDevice **ep_devices,
                                                   size_t max_ep_devices, size_t *num_ep_devices);
    OrtStatus *(ORT_API_CALL *CreateEp)(OrtEpFactory *this_ptr,
                                        const OrtHardwareDevice *const *devices,
                                        const OrtKeyValuePairs *const *ep_metadata_pairs,
                                        size_t num_devices,
                                        const OrtSessionOptions *session_options,
                                        const OrtLogger *logger, OrtEp **ep);
    void(ORT_API_CALL *ReleaseEp)(OrtEpFactory *this_ptr, OrtEp *ep);
    uint32_t(ORT_API_CALL *GetVendorId)(const OrtEpFactory *this_ptr);
    const char *(ORT_API_CALL *GetVersion)(const OrtEpFactory *this_ptr);
    OrtStatus *(ORT_API_CALL *ValidateCompiledModelCompatibilityInfo)(
        OrtEpFactory *this_ptr, const OrtHardwareDevice *const *devices, size_t num_devices,
        const char *compatibility_info, OrtCompiledModelCompatibility *model_compatibility);
    OrtStatus *(ORT_API_CALL *CreateAllocator)(OrtEpFactory *this_ptr,
                                               const OrtMemoryInfo *memory_info,
                                               const OrtKeyValuePairs *allocator_options,
                                               OrtAllocator **allocator);
    void(ORT_API_CALL *ReleaseAllocator)(OrtEpFactory *this_ptr, OrtAllocator *allocator);
    OrtStatus *(ORT_API_CALL *CreateDataTransfer)(OrtEpFactory *this_ptr,
                                                  OrtDataTransferImpl **data_transfer);
    bool(ORT_API_CALL *IsStreamAware)(const OrtEpFactory *this_ptr);
    OrtStatus *(ORT_API_CALL *CreateSyncStreamForDevice)(OrtEpFactory *this_ptr,
                                                         const OrtMemoryDevice *memory_device,
                                                         const OrtKeyValuePairs *stream_options,
                                                         OrtSyncStreamImpl **stream);
    OrtStatus *(ORT_API_CALL *GetHardwareDeviceIncompatibilityDetails)(
        OrtEpFactory *this_ptr, const OrtHardwareDevice *hw,
        OrtDeviceEpIncompatibilityDetails *details);
    OrtStatus *(ORT_API_CALL *CreateExternalResourceImporterForDevice)(
        OrtEpFactory *this_ptr, const OrtEpDevice *ep_device,
        OrtExternalResourceImporterImpl **out_importer);
    OrtStatus *(ORT_API_CALL *GetNumCustomOpDomains)(OrtEpFactory *this_ptr, size_t *num_domains);
    OrtStatus *(ORT_API_CALL *GetCustomOpDomains)(OrtEpFactory *this_ptr,
                                                  OrtCustomOpDomain **domains, size_t num_domains);
    OrtStatus *(ORT_API_CALL *InitGraphicsInterop)(OrtEpFactory *this_ptr,
                                                   const OrtEpDevice *ep_device,
                                                   const OrtGraphicsInteropConfig *config);
    OrtStatus *(ORT_API_CALL *DeinitGraphicsInterop)(OrtEpFactory *this_ptr,
                                                     const OrtEpDevice *ep_device);
    OrtStatus *(ORT_API_CALL *SelectBestModelCandidate)(OrtEpFactory *this_ptr,
                                                        const OrtHardwareDevice *device,
                                                        const OrtKeyValuePairs *const *candidates,
                                                        size_t num_candidates,
                                                        const OrtSessionOptions *session_options,
                                                        size_t *selected_index);
};

struct OrtEp {
    uint32_t ort_version_supported;
    const char *(ORT_API_CALL *GetName)(const OrtEp *this_ptr);
    OrtStatus *(ORT_API_CALL *GetCapability)(OrtEp *this_ptr, const OrtGraph *graph,
                                             OrtEpGraphSupportInfo *graph_support_info);
    OrtStatus *(ORT_API_CALL *Compile)(OrtEp *this_ptr, const OrtGraph **graphs,
                                       const OrtNode **fused_nodes, size_t count,
                                       OrtNodeComputeInfo **node_compute_infos,
                                       OrtNode **ep_context_nodes);
    void(ORT_API_CALL *ReleaseNodeComputeInfos)(OrtEp *this_ptr,
                                                OrtNodeComputeInfo **node_compute_infos,
                                                size_t num_node_compute_infos);
    OrtStatus *(ORT_API_CALL *GetPreferredDataLayout)(OrtEp *this_ptr,
                                                      OrtEpDataLayout *preferred_data_layout);
    OrtStatus *(ORT_API_CALL *ShouldConvertDataLayoutForOp)(OrtEp *this_ptr, const char *domain,
                                                            const char *op_type,
                                                            OrtEpDataLayout target_data_layout,
                                                            int *should_convert);
    OrtStatus *(ORT_API_CALL *SetDynamicOptions)(OrtEp *this_ptr, const char *const *option_keys,
                                                 const char *const *option_values,
                                                 size_t num_options);
    OrtStatus *(ORT_API_CALL *OnRunStart)(OrtEp *this_ptr, const OrtRunOptions *run_options);
    OrtStatus *(ORT_API_CALL *OnRunEnd)(OrtEp *this_ptr, const OrtRunOptions *run_options,
                                        bool sync_stream);
    OrtStatus *(ORT_API_CALL *CreateAllocator)(OrtEp *this_ptr, const OrtMemoryInfo *memory_info,
                                               OrtAllocator **allocator);
    OrtStatus *(ORT_API_CALL *CreateSyncStreamForDevice)(OrtEp *this_ptr,
                                                         const OrtMemoryDevice *memory_device,
                                                         OrtSyncStreamImpl **stream);
    const char *(ORT_API_CALL *GetCompiledModelCompatibilityInfo)(OrtEp *this_ptr,
                                                                  const OrtGraph *graph);
    OrtStatus *(ORT_API_CALL *GetKernelRegistry)(OrtEp *this_ptr,
                                                 const OrtKernelRegistry **kernel_registry);
    OrtStatus *(ORT_API_CALL *IsConcurrentRunSupported)(OrtEp *this_ptr, bool *is_supported);
    OrtStatus *(ORT_API_CALL *Sync)(OrtEp *this_ptr);
    OrtStatus *(ORT_API_CALL *CreateProfiler)(OrtEp *this_ptr, OrtEpProfilerImpl **profiler);
    bool(ORT_API_CALL *IsGraphCaptureEnabled)(const OrtEp *this_ptr);
    bool(ORT_API_CALL *IsGraphCaptured)(const OrtEp *this_ptr, int graph_annotation_id);
    OrtStatus *(ORT_API_CALL *ReplayGraph)(OrtEp *this_ptr, int graph_annotation_id);
    OrtGraphCaptureNodeAssignmentPolicy(ORT_API_CALL *GetGraphCaptureNodeAssignmentPolicy)(
        const OrtEp *this_ptr);
    OrtStatus *(ORT_API_CALL *GetAvailableResource)(const OrtEp *this_ptr,
                                                    OrtResourceCount *available);
    OrtStatus *(ORT_API_CALL *OnSessionInitializationEnd)(OrtEp *this_ptr);
    OrtStatus *(ORT_API_CALL *GetDefaultMemoryDevice)(const OrtEp *this_ptr,
                                                      const OrtMemoryDevice **device);
    OrtStatus *(ORT_API_CALL *ReleaseCapturedGraph)(OrtEp *this_ptr, int graph_annotation_id);
    OrtStatus *(ORT_API_CALL *GetWeightlessSupport)(const OrtEp *this_ptr,
                                                    OrtWeightlessSupport *support);
};

struct OrtNodeFusionOptions {
    uint32_t ort_version_supported;
    bool drop_constant_initializers;
};

struct OrtNodeComputeInfo {
    uint32_t ort_version_supported;
    OrtStatus *(ORT_API_CALL *CreateState)(OrtNodeComputeInfo *this_ptr,
                                           OrtNodeComputeContext *compute_context,
                                           void **compute_state);
    OrtStatus *(ORT_API_CALL *Compute)(OrtNodeComputeInfo *this_ptr, void *compute_state,
                                       OrtKernelContext *kernel_context);
    void(ORT_API_CALL *ReleaseState)(OrtNodeComputeInfo *this_ptr, void *compute_state);
};

struct OrtKernelImpl {
    uint32_t ort_version_supported;
    uint32_t flags;
    OrtStatus *(ORT_API_CALL *Compute)(OrtKernelImpl *this_ptr, OrtKernelContext *context);
    void(ORT_API_CALL *Release)(OrtKernelImpl *this_ptr);
    OrtStatus *(ORT_API_CALL *PrePackWeight)(OrtKernelImpl *this_ptr, const OrtValue *tensor,
                                             int input_index, OrtAllocator *allocator,
                                             OrtSharedPrePackedWeightCache *prepacked_weight_cache,
                                             bool *is_packed);
    OrtStatus *(ORT_API_CALL *SetSharedPrePackedWeight)(OrtKernelImpl *this_ptr,
                                                        const void *const *buffer_data_ptrs,
                                                        const size_t *buffer_data_sizes,
                                                        size_t num_buffers, int input_index);
};

struct OrtLoopKernelHelper {
    uint32_t ort_version_supported;
    void(ORT_API_CALL *Release)(OrtLoopKernelHelper *this_ptr);
    OrtStatus *(ORT_API_CALL *ConcatOutput)(OrtLoopKernelHelper *this_ptr, void *stream_handle,
                                            const OrtValue *const *per_iteration_outputs,
                                            size_t num_per_iteration_outputs, void *output,
                                            size_t output_size_in_bytes);
};

struct OrtScanKernelHelper {
    uint32_t ort_version_supported;
    void(ORT_API_CALL *Release)(OrtScanKernelHelper *this_ptr);
    OrtStatus *(ORT_API_CALL *Transpose)(OrtScanKernelHelper *this_ptr, const size_t *permutation,
                                         size_t num_permutation_elems, const OrtValue *input,
                                         OrtSyncStream *stream, OrtValue *output);
};

struct OrtDataTransferImpl {
    uint32_t ort_version_supported;
    void(ORT_API_CALL *Release)(OrtDataTransferImpl *this_ptr);
    bool(ORT_API_CALL *CanCopy)(const OrtDataTransferImpl *this_ptr,
                                const OrtMemoryDevice *src_memory_device,
                                const OrtMemoryDevice *dst_memory_device);
    OrtStatus *(ORT_API_CALL *CopyTensors)(OrtDataTransferImpl *this_ptr,
                                           const OrtValue **src_tensors, OrtValue **dst_tensors,
                                           OrtSyncStream **streams, size_t num_tensors);
};

struct OrtSyncStreamImpl {
    uint32_t ort_version_supported;
    void(ORT_API_CALL *Release)(OrtSyncStreamImpl *this_ptr);
    void *(ORT_API_CALL *GetHandle)(OrtSyncStreamImpl *this_ptr);
    OrtStatus *(ORT_API_CALL *CreateNotification)(OrtSyncStreamImpl *this_ptr,
                                                  OrtSyncNotificationImpl **notification);
    OrtStatus *(ORT_API_CALL *Flush)(OrtSyncStreamImpl *this_ptr);
    OrtStatus *(ORT_API_CALL *OnSessionRunEnd)(OrtSyncStreamImpl *this_ptr);
};

struct OrtSyncNotificationImpl {
    uint32_t ort_version_supported;
    void(ORT_API_CALL *Release)(OrtSyncNotificationImpl *this_ptr);
    OrtStatus *(ORT_API_CALL *Activate)(OrtSyncNotificationImpl *this_ptr);
    OrtStatus *(ORT_API_CALL *WaitOnDevice)(OrtSyncNotificationImpl *this_ptr,
                                            OrtSyncStream *consumer_stream);
    OrtStatus *(ORT_API_CALL *WaitOnHost)(OrtSyncNotificationImpl *this_ptr);
};

struct OrtEpProfilerImpl {
    uint32_t ort_version_supported;
    void(ORT_API_CALL *Release)(OrtEpProfilerImpl *this_ptr);
    OrtStatus *(ORT_API_CALL *StartProfiling)(OrtEpProfilerImpl *this_ptr,
                                              int64_t ep_profiling_start_offset_ns);
    OrtStatus *(ORT_API_CALL *StartEvent)(OrtEpProfilerImpl *this_ptr,
                                          uint64_t ort_event_correlation_id);
    OrtStatus *(ORT_API_CALL *StopEvent)(OrtEpProfilerImpl *this_ptr,
                                         uint64_t ort_event_correlation_id,
                                         const OrtProfilingEvent *ort_event);
    OrtStatus *(ORT_API_CALL *EndProfiling)(OrtEpProfilerImpl *this_ptr,
                                            OrtProfilingEventsContainer *events_container);
};

struct OrtResourceCount {
    uint32_t kind;
    uint32_t reserved;
    union {
        uint64_t total_bytes;
        uint64_t reserved_words[6];
    } value;
};

struct OrtExternalResourceImporterImpl {
    uint32_t ort_version_supported;
    bool(ORT_API_CALL *CanImportMemory)(const OrtExternalResourceImporterImpl *this_ptr,
                                        OrtExternalMemoryHandleType handle_type);
    OrtStatus *(ORT_API_CALL *ImportMemory)(OrtExternalResourceImporterImpl *this_ptr,
                                            const OrtExternalMemoryDescriptor *desc,
                                            OrtExternalMemoryHandle **out_handle);
    void(ORT_API_CALL *ReleaseMemory)(OrtExternalResourceImporterImpl *this_ptr,
                                      OrtExternalMemoryHandle *handle);
    OrtStatus *(ORT_API_CALL *CreateTensorFromMemory)(
        OrtExternalResourceImporterImpl *this_ptr, const OrtExternalMemoryHandle *mem_handle,
        const OrtExternalTensorDescriptor *tensor_desc, OrtValue **out_tensor);
    bool(ORT_API_CALL *CanImportSemaphore)(const OrtExternalResourceImporterImpl *this_ptr,
                                           OrtExternalSemaphoreType type);
    OrtStatus *(ORT_API_CALL *ImportSemaphore)(OrtExternalResourceImporterImpl *this_ptr,
                                               const OrtExternalSemaphoreDescriptor *desc,
                                               OrtExternalSemaphoreHandle **out_handle);
    void(ORT_API_CALL *ReleaseSemaphore)(OrtExternalResourceImporterImpl *this_ptr,
                                         OrtExternalSemaphoreHandle *handle);
    OrtStatus *(ORT_API_CALL *WaitSemaphore)(OrtExternalResourceImporterImpl *this_ptr,
                                             OrtExternalSemaphoreHandle *handle,
                                             OrtSyncStream *stream, uint64_t value);
    OrtStatus *(ORT_API_CALL *SignalSemaphore)(OrtExternalResourceImporterImpl *this_ptr,
                                               OrtExternalSemaphoreHandle *handle,
                                               OrtSyncStream *stream, uint64_t value);
    void(ORT_API_CALL *Release)(OrtExternalResourceImporterImpl *this_ptr);
};

/* What the runtime does for plug-ins. */
struct OrtEpApi {
    OrtStatus *(ORT_API_CALL *CreateEpDevice)(OrtEpFactory *ep_factory,
                                              const OrtHardwareDevice *hardware_device,
                                              const OrtKeyValuePairs *ep_metadata,
                                              const OrtKeyValuePairs *ep_options,
                                              OrtEpDevice **ep_device);
    void(ORT_API_CALL *ReleaseEpDevice)(OrtEpDevice *input);
    OrtStatus *(ORT_API_CALL *EpGraphSupportInfo_AddNodesToFuse)(
        OrtEpGraphSupportInfo *graph_support_info, const OrtNode *const *nodes, size_t num_nodes,
        const OrtNodeFusionOptions *node_fusion_options);
    OrtStatus *(ORT_API_CALL *EpGraphSupportInfo_AddSingleNode)(
        OrtEpGraphSupportInfo *graph_support_info, const OrtNode *node);
    const char *(ORT_API_CALL *NodeComputeContext_NodeName)(const OrtNodeComputeContext *context);
    OrtStatus *(ORT_API_CALL *EpDevice_AddAllocatorInfo)(
        OrtEpDevice *ep_device, const OrtMemoryInfo *allocator_memory_info);
    const OrtMemoryDevice *(ORT_API_CALL *MemoryInfo_GetMemoryDevice)(
        const OrtMemoryInfo *memory_info);
    const OrtMemoryDevice *(ORT_API_CALL *Value_GetMemoryDevice)(const OrtValue *value);
    bool(ORT_API_CALL *MemoryDevice_AreEqual)(const OrtMemoryDevice *a, const OrtMemoryDevice *b);
    OrtMemoryInfoDeviceType(ORT_API_CALL *MemoryDevice_GetDeviceType)(
        const OrtMemoryDevice *memory_device);
    OrtDeviceMemoryType(ORT_API_CALL *MemoryDevice_GetMemoryType)(
        const OrtMemoryDevice *memory_device);
    uint32_t(ORT_API_CALL *MemoryDevice_GetVendorId)(const OrtMemoryDevice *memory_device);
    uint32_t(ORT_API_CALL *MemoryDevice_GetDeviceId)(const OrtMemoryDevice *memory_device);
    const OrtSyncStreamImpl *(ORT_API_CALL *SyncStream_GetImpl)(const OrtSyncStream *stream);
    uint64_t(ORT_API_CALL *SyncStream_GetSyncId)(const OrtSyncStream *stream);
    uint64_t(ORT_API_CALL *GetSyncIdForLastWaitOnSyncStream)(const OrtSyncStream *producer_stream,
                                                             const OrtSyncStream *consumer_stream);
    OrtStatus *(ORT_API_CALL *CreateHardwareDevice)(OrtHardwareDeviceType type, uint32_t vendor_id,
                                                    uint32_t device_id, const char *vendor_name,
                                                    const OrtKeyValuePairs *metadata,
                                                    OrtHardwareDevice **hardware_device);
    void(ORT_API_CALL *ReleaseHardwareDevice)(OrtHardwareDevice *input);
    OrtStatus *(ORT_API_CALL *CreateKernelRegistry)(OrtKernelRegistry **kernel_registry);
    void(ORT_API_CALL *ReleaseKernelRegistry)(OrtKernelRegistry *input);
    OrtStatus *(ORT_API_CALL *KernelRegistry_AddKernel)(OrtKernelRegistry *kernel_registry,
                                                        const OrtKernelDef *kernel_def,
                                                        OrtKernelCreateFunc kernel_create_func,
                                                        void *kernel_create_func_state);
    OrtStatus *(ORT_API_CALL *CreateKernelDefBuilder)(OrtKernelDefBuilder **kernel_def_builder_out);
    void(ORT_API_CALL *ReleaseKernelDefBuilder)(OrtKernelDefBuilder *input);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetOperatorType)(
        OrtKernelDefBuilder *kernel_def_builder, const char *op_type);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetDomain)(OrtKernelDefBuilder *kernel_def_builder,
                                                          const char *domain);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetSinceVersion)(
        OrtKernelDefBuilder *kernel_def_builder, int since_version_start, int since_version_end);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetExecutionProvider)(
        OrtKernelDefBuilder *kernel_def_builder, const char *ep_name);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetInputMemType)(
        OrtKernelDefBuilder *kernel_def_builder, size_t input_index, OrtMemType mem_type);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetOutputMemType)(
        OrtKernelDefBuilder *kernel_def_builder, size_t output_index, OrtMemType mem_type);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_AddTypeConstraint)(
        OrtKernelDefBuilder *kernel_def_builder, const char *arg_name,
        const OrtDataType *const *types, size_t num_types);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_AddInputOutputAliases)(
        OrtKernelDefBuilder *kernel_def_builder, int const *input_indices,
        int const *output_indices, size_t num_io_indices);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_AddInputOutputMutableAliases)(
        OrtKernelDefBuilder *kernel_def_builder, int const *input_indices,
        int const *output_indices, size_t num_io_indices);
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_Build)(OrtKernelDefBuilder *kernel_def_builder,
                                                      OrtKernelDef **kernel_def_out);
    void(ORT_API_CALL *ReleaseKernelDef)(OrtKernelDef *input);
    const char *(ORT_API_CALL *KernelDef_GetOperatorType)(const OrtKernelDef *kernel_def);
    const char *(ORT_API_CALL *KernelDef_GetDomain)(const OrtKernelDef *kernel_def);
    OrtStatus *(ORT_API_CALL *KernelDef_GetSinceVersion)(const OrtKernelDef *kernel_def,
                                                         int *start_version, int *end_version);
    const char *(ORT_API_CALL *KernelDef_GetExecutionProvider)(const OrtKernelDef *kernel_def);
    OrtStatus *(ORT_API_CALL *KernelDef_GetInputMemType)(const OrtKernelDef *kernel_def,
                                                         size_t input_index, OrtMemType *mem_type);
    OrtStatus *(ORT_API_CALL *KernelDef_GetOutputMemType)(const OrtKernelDef *kernel_def,
                                                          size_t output_index,
                                                          OrtMemType *mem_type);
    OrtStatus *(ORT_API_CALL *GetTensorDataType)(ONNXTensorElementDataType elem_type,
                                                 const OrtDataType **out);
    OrtStatus *(ORT_API_CALL *EpGraphSupportInfo_LookUpKernel)(
        OrtEpGraphSupportInfo *graph_support_info, const OrtNode *node,
        const OrtKernelDef **out_kernel_def);
    OrtStatus *(ORT_API_CALL *SharedPrePackedWeightCache_StoreWeightData)(
        OrtSharedPrePackedWeightCache *prepacked_weight_cache, void **buffer_data_ptrs,
        size_t *buffer_data_sizes, size_t num_buffers);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetEp)(const OrtKernelInfo *info, const OrtEp **ep);
    OrtStatus *(ORT_API_CALL *DeviceEpIncompatibilityDetails_SetDetails)(
        OrtDeviceEpIncompatibilityDetails *details, uint32_t reasons_bitmask, int32_t error_code,
        const char *notes);
    OrtStatus *(ORT_API_CALL *CreateIfKernel)(const OrtKernelInfo *kernel_info,
                                              OrtKernelImpl **kernel_out);
    OrtStatus *(ORT_API_CALL *CreateLoopKernel)(const OrtKernelInfo *kernel_info,
                                                OrtLoopKernelHelper *helper,
                                                OrtKernelImpl **kernel_out);
    OrtStatus *(ORT_API_CALL *CreateScanKernel)(const OrtKernelInfo *kernel_info,
                                                OrtScanKernelHelper *helper,
                                                OrtKernelImpl **kernel_out);
    void(ORT_API_CALL *ReleaseKernelImpl)(OrtKernelImpl *input);
    OrtStatus *(ORT_API_CALL *GetEnvConfigEntries)(OrtKeyValuePairs **config_entries);
    OrtStatus *(ORT_API_CALL *GetOpSchema)(const char *name, int max_inclusive_version,
                                           const char *domain, OrtOpSchema **out_schema);
    void(ORT_API_CALL *ReleaseOpSchema)(OrtOpSchema *input);
    OrtStatus *(ORT_API_CALL *OpSchema_GetSinceVersion)(const OrtOpSchema *schema, int *out);
    OrtStatus *(ORT_API_CALL *OpSchema_GetNumInputs)(const OrtOpSchema *schema, size_t *out);
    OrtStatus *(ORT_API_CALL *OpSchema_GetInputName)(const OrtOpSchema *schema, size_t index,
                                                     const char **out);
    OrtStatus *(ORT_API_CALL *OpSchema_GetInputTypeConstraint)(
        const OrtOpSchema *schema, size_t index, const OrtOpSchemaTypeConstraint **out);
    OrtStatus *(ORT_API_CALL *OpSchema_GetNumOutputs)(const OrtOpSchema *schema, size_t *out);
    OrtStatus *(ORT_API_CALL *OpSchema_GetOutputName)(const OrtOpSchema *schema, size_t index,
                                                      const char **out);
    OrtStatus *(ORT_API_CALL *OpSchema_GetOutputTypeConstraint)(
        const OrtOpSchema *schema, size_t index, const OrtOpSchemaTypeConstraint **out);
    OrtStatus *(ORT_API_CALL *OpSchema_GetTypeConstraintCount)(const OrtOpSchema *schema,
                                                               size_t *out);
    OrtStatus *(ORT_API_CALL *OpSchema_GetTypeConstraint)(const OrtOpSchema *schema, size_t index,
                                                          const OrtOpSchemaTypeConstraint **out);
    OrtStatus *(ORT_API_CALL *OpSchemaTypeConstraint_GetTypeParamName)(
        const OrtOpSchemaTypeConstraint *type_constraint, const char **out);
    OrtStatus *(ORT_API_CALL *OpSchemaTypeConstraint_GetAllowedTypes)(
        const OrtOpSchemaTypeConstraint *type_constraint, const char *const **out_types,
        size_t *num_types);
    OrtStatus *(ORT_API_CALL *OpSchemaTypeConstraint_GetInputIndices)(
        const OrtOpSchemaTypeConstraint *type_constraint, const size_t **out_indices,
        size_t *count);
    OrtStatus *(ORT_API_CALL *OpSchemaTypeConstraint_GetOutputIndices)(
        const OrtOpSchemaTypeConstraint *type_constraint, const size_t **out_indices,
        size_t *count);
    OrtStatus *(ORT_API_CALL *CreateProfilingEvent)(OrtProfilingEventCategory category,
                                                    int32_t process_id, int32_t thread_id,
                                                    const char *event_name, int64_t timestamp_us,
                                                    int64_t duration_us,
                                                    const char *const *arg_keys,
                                                    const char *const *arg_values, size_t num_args,
                                                    OrtProfilingEvent **out);
    void(ORT_API_CALL *ReleaseProfilingEvent)(OrtProfilingEvent *input);
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetCategory)(const OrtProfilingEvent *event,
                                                          OrtProfilingEventCategory *out);
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetName)(const OrtProfilingEvent *event,
                                                      const char **out);
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetTimestampUs)(const OrtProfilingEvent *event,
                                                             int64_t *out);
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetDurationUs)(const OrtProfilingEvent *event,
                                                            int64_t *out);
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetArgValue)(const OrtProfilingEvent *event,
                                                          const char *key, const char **out);
    OrtStatus *(ORT_API_CALL *ProfilingEventsContainer_AddEvents)(
        OrtProfilingEventsContainer *events_container, const OrtProfilingEvent *const *events,
        size_t num_events);
    OrtStatus *(ORT_API_CALL *SessionOptionsGetWeightlessSourceModelBuffer)(
        const OrtSessionOptions *session_options, const void **source_model_data,
        size_t *source_model_data_length);
};

#ifdef __cplusplus
}
#endif

#endif
