/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_ep_c_api.h - the part of ONNX Runtime's C ABI that plug-in execution providers speak.
 *
 * Included by onnxruntime_c_api.h. A plug-in fills its structs and says in ort_version_supported
 * which version of this file it was compiled with; fields that are younger are not read.
 *
 * Backplane loads no such plug-ins: RegisterExecutionProviderLibrary() fails, no struct of this file
 * is read, and functions of OrtEpApi that return a status return ORT_NOT_IMPLEMENTED, the others 0,
 * NULL or false. The comments say what each is for, so that code for these plug-ins can be compiled
 * and read. Providers of Backplane are written to bp/abi.h.
 *
 * (opt): may be NULL. Functions of a factory and of OrtEp are called by one thread at a time, unless
 * marked.
 */
#ifndef BP_ONNXRUNTIME_EP_C_API_H
#define BP_ONNXRUNTIME_EP_C_API_H

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a profiling event is about. */
typedef enum OrtProfilingEventCategory {
    /* Steps of a session: loading, initializing, running. */
    OrtProfilingEventCategory_SESSION = 0,
    /* A node of the graph. */
    OrtProfilingEventCategory_NODE = 1,
    /* A kernel on the device. */
    OrtProfilingEventCategory_KERNEL = 2,
    /* A call of the vendor's library. */
    OrtProfilingEventCategory_API = 3
} OrtProfilingEventCategory;

/* What a resource count counts. */
typedef enum OrtResourceCountKind {
    /* Nothing is known. */
    OrtResourceCountKind_None = 0,
    /* Bytes of memory. */
    OrtResourceCountKind_TotalBytes = 1
} OrtResourceCountKind;

/* Order of the dimensions of images. */
typedef enum OrtEpDataLayout {
    /* Channels before the spatial dimensions, as in ONNX. */
    OrtEpDataLayout_NCHW = 0,
    /* Channels last. */
    OrtEpDataLayout_NHWC = 1,
    /* Another name for NCHW. */
    OrtEpDataLayout_Default = 0
} OrtEpDataLayout;

/* Which nodes may stay outside of a captured graph. */
typedef enum OrtGraphCaptureNodeAssignmentPolicy {
    /* None: all nodes have to be the provider's. */
    OrtGraphCaptureNodeAssignmentPolicy_ALL_NODES_ON_EP = 0,
    /* Nodes that compute shapes may run on the CPU. */
    OrtGraphCaptureNodeAssignmentPolicy_ALLOW_CPU_FOR_SHAPES = 1
} OrtGraphCaptureNodeAssignmentPolicy;

/* What a provider can do without its own copy of weights. */
typedef enum OrtWeightlessSupport {
    /* It always copies weights into the compiled model. */
    OrtWeightlessSupport_NONE = 0,
    /* Weights in external files need no copy. */
    OrtWeightlessSupport_EXTERNAL_ONLY = 1,
    /* No weight needs a copy. */
    OrtWeightlessSupport_ALL = 2
} OrtWeightlessSupport;

/*
 * Makes the kernel of a node; the runtime calls its Release. `info` is valid as long as the kernel.
 */
typedef OrtStatus *(ORT_API_CALL *OrtKernelCreateFunc)(void *kernel_create_func_state,
                                                       const OrtKernelInfo *info,
                                                       OrtKernelImpl **kernel_out);
/*
 * What a plug-in exports as CreateEpFactories: writes at most max_factories factories and their
 * number. All arguments but ort_api_base are borrowed for the call.
 */
typedef OrtStatus *(ORT_API_CALL *CreateEpApiFactoriesFn)(
    const char *registered_name, const OrtApiBase *ort_api_base, const OrtLogger *default_logger,
    OrtEpFactory **factories, size_t max_factories, size_t *num_factories);
/* What a plug-in exports as ReleaseEpFactory: frees a factory, before the library is unloaded. */
typedef OrtStatus *(ORT_API_CALL *ReleaseEpApiFactoryFn)(OrtEpFactory *factory);

/* ---- structs that a plug-in fills --------------------------------------------------------------- */

/*
 * What a plug-in makes one of for each provider that it brings: it names the provider, finds its
 * devices and makes instances and what belongs to them. It begins with the version, so that a
 * runtime can tell how far the struct reaches. It lives from CreateEpFactories to ReleaseEpFactory.
 */
struct OrtEpFactory {
    /*
     * ORT_API_VERSION that the plug-in was compiled with; functions younger than it are not read.
     */
    uint32_t ort_version_supported;
    /* Name of the provider; static, equal to that of its instances. */
    const char *(ORT_API_CALL *GetName)(const OrtEpFactory *this_ptr);
    /* Name of the vendor; static. */
    const char *(ORT_API_CALL *GetVendor)(const OrtEpFactory *this_ptr);
    /*
     * Writes an OrtEpDevice, made with CreateEpDevice(), for each device that it can use, at most
     * max_ep_devices. The runtime releases them.
     */
    OrtStatus *(ORT_API_CALL *GetSupportedDevices)(OrtEpFactory *this_ptr,
                                                   const OrtHardwareDevice *const *devices,
                                                   size_t num_devices, OrtEpDevice **ep_devices,
                                                   size_t max_ep_devices, size_t *num_ep_devices);
    /*
     * An instance for one session; the runtime gives it to ReleaseEp. Arguments are borrowed for
     * the call.
     */
    OrtStatus *(ORT_API_CALL *CreateEp)(OrtEpFactory *this_ptr,
                                        const OrtHardwareDevice *const *devices,
                                        const OrtKeyValuePairs *const *ep_metadata_pairs,
                                        size_t num_devices,
                                        const OrtSessionOptions *session_options,
                                        const OrtLogger *logger, OrtEp **ep);
    /* Frees an instance, after its session. */
    void(ORT_API_CALL *ReleaseEp)(OrtEpFactory *this_ptr, OrtEp *ep);
    /* The vendor's PCI number. */
    uint32_t(ORT_API_CALL *GetVendorId)(const OrtEpFactory *this_ptr);
    /* Version of the provider, as of semantic versioning: "1.2.3". */
    const char *(ORT_API_CALL *GetVersion)(const OrtEpFactory *this_ptr);
    /*
     * (opt) How well a model that was compiled fits these devices, by the text that it was compiled
     * with.
     */
    OrtStatus *(ORT_API_CALL *ValidateCompiledModelCompatibilityInfo)(
        OrtEpFactory *this_ptr, const OrtHardwareDevice *const *devices, size_t num_devices,
        const char *compatibility_info, OrtCompiledModelCompatibility *model_compatibility);
    /*
     * (opt) An allocator for memory that the provider told with EpDevice_AddAllocatorInfo(); the
     * runtime gives it to ReleaseAllocator.
     */
    OrtStatus *(ORT_API_CALL *CreateAllocator)(OrtEpFactory *this_ptr,
                                               const OrtMemoryInfo *memory_info,
                                               const OrtKeyValuePairs *allocator_options,
                                               OrtAllocator **allocator);
    /* Frees what CreateAllocator gave. */
    void(ORT_API_CALL *ReleaseAllocator)(OrtEpFactory *this_ptr, OrtAllocator *allocator);
    /*
     * (opt) What copies between memories; *data_transfer may be NULL. The runtime calls its
     * Release.
     */
    OrtStatus *(ORT_API_CALL *CreateDataTransfer)(OrtEpFactory *this_ptr,
                                                  OrtDataTransferImpl **data_transfer);
    /* Whether it has streams; then CreateSyncStreamForDevice is given. */
    bool(ORT_API_CALL *IsStreamAware)(const OrtEpFactory *this_ptr);
    /* (opt) A stream of a device; the runtime calls its Release. */
    OrtStatus *(ORT_API_CALL *CreateSyncStreamForDevice)(OrtEpFactory *this_ptr,
                                                         const OrtMemoryDevice *memory_device,
                                                         const OrtKeyValuePairs *stream_options,
                                                         OrtSyncStreamImpl **stream);
    /* (opt) Says by DeviceEpIncompatibilityDetails_SetDetails() why it cannot use a device. */
    OrtStatus *(ORT_API_CALL *GetHardwareDeviceIncompatibilityDetails)(
        OrtEpFactory *this_ptr, const OrtHardwareDevice *hw,
        OrtDeviceEpIncompatibilityDetails *details);
    /* (opt) What imports memory and semaphores for a device; the runtime calls its Release. */
    OrtStatus *(ORT_API_CALL *CreateExternalResourceImporterForDevice)(
        OrtEpFactory *this_ptr, const OrtEpDevice *ep_device,
        OrtExternalResourceImporterImpl **out_importer);
    /* (opt) Number of domains of custom operators that it brings. */
    OrtStatus *(ORT_API_CALL *GetNumCustomOpDomains)(OrtEpFactory *this_ptr, size_t *num_domains);
    /* (opt) Writes these domains; they stay the plug-in's. */
    OrtStatus *(ORT_API_CALL *GetCustomOpDomains)(OrtEpFactory *this_ptr,
                                                  OrtCustomOpDomain **domains, size_t num_domains);
    /* (opt) Prepares a device to be shared with a graphics library. */
    OrtStatus *(ORT_API_CALL *InitGraphicsInterop)(OrtEpFactory *this_ptr,
                                                   const OrtEpDevice *ep_device,
                                                   const OrtGraphicsInteropConfig *config);
    /* (opt) Undoes InitGraphicsInterop. */
    OrtStatus *(ORT_API_CALL *DeinitGraphicsInterop)(OrtEpFactory *this_ptr,
                                                     const OrtEpDevice *ep_device);
    /*
     * (opt) Chooses one of several models by their metadata; *selected_index is below
     * num_candidates.
     */
    OrtStatus *(ORT_API_CALL *SelectBestModelCandidate)(OrtEpFactory *this_ptr,
                                                        const OrtHardwareDevice *device,
                                                        const OrtKeyValuePairs *const *candidates,
                                                        size_t num_candidates,
                                                        const OrtSessionOptions *session_options,
                                                        size_t *selected_index);
};

/*
 * A provider in one session: it claims nodes, compiles them, and hears of runs. Made by
 * OrtEpFactory::CreateEp, which the plug-in usually extends with members of its own behind this
 * struct. The corresponding struct of Backplane is bp_provider, with bp_instance for its state.
 */
struct OrtEp {
    /*
     * ORT_API_VERSION that the plug-in was compiled with; functions younger than it are not read.
     */
    uint32_t ort_version_supported;
    /* Name of the provider, owned by the instance. */
    const char *(ORT_API_CALL *GetName)(const OrtEp *this_ptr);
    /*
     * Says by EpGraphSupportInfo functions which nodes it takes. The graph is borrowed for the
     * call.
     */
    OrtStatus *(ORT_API_CALL *GetCapability)(OrtEp *this_ptr, const OrtGraph *graph,
                                             OrtEpGraphSupportInfo *graph_support_info);
    /*
     * Makes an OrtNodeComputeInfo for each graph, and, if the session wants a compiled model, an
     * EPContext node for each. Graphs are borrowed for the call.
     */
    OrtStatus *(ORT_API_CALL *Compile)(OrtEp *this_ptr, const OrtGraph **graphs,
                                       const OrtNode **fused_nodes, size_t count,
                                       OrtNodeComputeInfo **node_compute_infos,
                                       OrtNode **ep_context_nodes);
    /* Frees what Compile made. */
    void(ORT_API_CALL *ReleaseNodeComputeInfos)(OrtEp *this_ptr,
                                                OrtNodeComputeInfo **node_compute_infos,
                                                size_t num_node_compute_infos);
    /* (opt) NCHW or NHWC; without it NCHW. */
    OrtStatus *(ORT_API_CALL *GetPreferredDataLayout)(OrtEp *this_ptr,
                                                      OrtEpDataLayout *preferred_data_layout);
    /* (opt) Whether an operator changes to that layout: 0 or 1; -1 leaves it to the runtime. */
    OrtStatus *(ORT_API_CALL *ShouldConvertDataLayoutForOp)(OrtEp *this_ptr, const char *domain,
                                                            const char *op_type,
                                                            OrtEpDataLayout target_data_layout,
                                                            int *should_convert);
    /* (opt) Options that change while the session lives; the texts are borrowed for the call. */
    OrtStatus *(ORT_API_CALL *SetDynamicOptions)(OrtEp *this_ptr, const char *const *option_keys,
                                                 const char *const *option_values,
                                                 size_t num_options);
    /* (opt) Called before each run. [the run's thread] */
    OrtStatus *(ORT_API_CALL *OnRunStart)(OrtEp *this_ptr, const OrtRunOptions *run_options);
    /*
     * (opt) Called after each run; sync_stream: the device has to be done when it returns. [the
     * run's thread]
     */
    OrtStatus *(ORT_API_CALL *OnRunEnd)(OrtEp *this_ptr, const OrtRunOptions *run_options,
                                        bool sync_stream);
    /* (opt) As that of the factory, for one session. */
    OrtStatus *(ORT_API_CALL *CreateAllocator)(OrtEp *this_ptr, const OrtMemoryInfo *memory_info,
                                               OrtAllocator **allocator);
    /* (opt) As that of the factory, for one session. */
    OrtStatus *(ORT_API_CALL *CreateSyncStreamForDevice)(OrtEp *this_ptr,
                                                         const OrtMemoryDevice *memory_device,
                                                         OrtSyncStreamImpl **stream);
    /* (opt) A text for the compiled model that tells later what it needs; owned by the instance. */
    const char *(ORT_API_CALL *GetCompiledModelCompatibilityInfo)(OrtEp *this_ptr,
                                                                  const OrtGraph *graph);
    /* (opt) Kernels for single nodes; the registry stays the plug-in's. NULL: it only compiles. */
    OrtStatus *(ORT_API_CALL *GetKernelRegistry)(OrtEp *this_ptr,
                                                 const OrtKernelRegistry **kernel_registry);
    /* (opt) Whether runs may overlap; without it they may. */
    OrtStatus *(ORT_API_CALL *IsConcurrentRunSupported)(OrtEp *this_ptr, bool *is_supported);
    /* (opt) Waits until the device is done. */
    OrtStatus *(ORT_API_CALL *Sync)(OrtEp *this_ptr);
    /*
     * (opt) What adds the device's events to a profile; *profiler may be NULL. The runtime calls
     * its Release.
     */
    OrtStatus *(ORT_API_CALL *CreateProfiler)(OrtEp *this_ptr, OrtEpProfilerImpl **profiler);
    /* (opt) Whether kernels are captured in a graph and replayed. */
    bool(ORT_API_CALL *IsGraphCaptureEnabled)(const OrtEp *this_ptr);
    /* (opt) Whether the graph of this number is there. */
    bool(ORT_API_CALL *IsGraphCaptured)(const OrtEp *this_ptr, int graph_annotation_id);
    /* (opt) Runs the graph of this number in place of the nodes. */
    OrtStatus *(ORT_API_CALL *ReplayGraph)(OrtEp *this_ptr, int graph_annotation_id);
    /* (opt) Which nodes may be outside of a captured graph. */
    OrtGraphCaptureNodeAssignmentPolicy(ORT_API_CALL *GetGraphCaptureNodeAssignmentPolicy)(
        const OrtEp *this_ptr);
    /* (opt) What the device has left, such as bytes of memory. */
    OrtStatus *(ORT_API_CALL *GetAvailableResource)(const OrtEp *this_ptr,
                                                    OrtResourceCount *available);
    /* (opt) Called once, when the session can run. */
    OrtStatus *(ORT_API_CALL *OnSessionInitializationEnd)(OrtEp *this_ptr);
    /* (opt) The memory that its kernels compute in; owned by the instance. */
    OrtStatus *(ORT_API_CALL *GetDefaultMemoryDevice)(const OrtEp *this_ptr,
                                                      const OrtMemoryDevice **device);
    /* (opt) Frees the graph of this number. */
    OrtStatus *(ORT_API_CALL *ReleaseCapturedGraph)(OrtEp *this_ptr, int graph_annotation_id);
    /* (opt) For which weights a compiled model needs no copy of its own. */
    OrtStatus *(ORT_API_CALL *GetWeightlessSupport)(const OrtEp *this_ptr,
                                                    OrtWeightlessSupport *support);
};

/*
 * How the nodes of one EpGraphSupportInfo_AddNodesToFuse() become one. The plug-in fills it and
 * lends it for the call.
 */
struct OrtNodeFusionOptions {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* true: the provider copied the constants when it compiled, and they may be freed. */
    bool drop_constant_initializers;
};

/*
 * The compiled form of one fused node. The plug-in makes it in OrtEp::Compile and frees it in
 * OrtEp::ReleaseNodeComputeInfos; the runtime calls CreateState once a session, Compute once a run,
 * and ReleaseState before it is given back.
 */
struct OrtNodeComputeInfo {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* State of a fused node in a session, given to ReleaseState at its end. */
    OrtStatus *(ORT_API_CALL *CreateState)(OrtNodeComputeInfo *this_ptr,
                                           OrtNodeComputeContext *compute_context,
                                           void **compute_state);
    /* Runs the fused node. [any thread; calls overlap when runs do] */
    OrtStatus *(ORT_API_CALL *Compute)(OrtNodeComputeInfo *this_ptr, void *compute_state,
                                       OrtKernelContext *kernel_context);
    /* Frees the state. */
    void(ORT_API_CALL *ReleaseState)(OrtNodeComputeInfo *this_ptr, void *compute_state);
};

/*
 * A kernel of one node, for providers that register kernels instead of compiling groups. Made by an
 * OrtKernelCreateFunc; the runtime ends it with Release.
 */
struct OrtKernelImpl {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* None yet: 0. */
    uint32_t flags;
    /* Runs the kernel. [any thread; calls overlap when runs do] */
    OrtStatus *(ORT_API_CALL *Compute)(OrtKernelImpl *this_ptr, OrtKernelContext *context);
    /* Frees the kernel, with its session. */
    void(ORT_API_CALL *Release)(OrtKernelImpl *this_ptr);
    /*
     * (opt) Packs a constant input with memory of `allocator`. *is_packed: the constant itself is
     * no longer needed. The cache may be NULL.
     */
    OrtStatus *(ORT_API_CALL *PrePackWeight)(OrtKernelImpl *this_ptr, const OrtValue *tensor,
                                             int input_index, OrtAllocator *allocator,
                                             OrtSharedPrePackedWeightCache *prepacked_weight_cache,
                                             bool *is_packed);
    /* (opt) Takes weights that another kernel packed; they outlive the kernel. */
    OrtStatus *(ORT_API_CALL *SetSharedPrePackedWeight)(OrtKernelImpl *this_ptr,
                                                        const void *const *buffer_data_ptrs,
                                                        const size_t *buffer_data_sizes,
                                                        size_t num_buffers, int input_index);
};

/*
 * What a kernel of ONNX Loop needs of the device; the plug-in fills it for CreateLoopKernel(),
 * which takes it over.
 */
struct OrtLoopKernelHelper {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* Frees the object. */
    void(ORT_API_CALL *Release)(OrtLoopKernelHelper *this_ptr);
    /* Joins what the iterations of Loop made along the first dimension, in memory of the device. */
    OrtStatus *(ORT_API_CALL *ConcatOutput)(OrtLoopKernelHelper *this_ptr, void *stream_handle,
                                            const OrtValue *const *per_iteration_outputs,
                                            size_t num_per_iteration_outputs, void *output,
                                            size_t output_size_in_bytes);
};

/*
 * What a kernel of ONNX Scan needs of the device; the plug-in fills it for CreateScanKernel(),
 * which takes it over. A scan along an axis other than the first is a transpose before or after it.
 */
struct OrtScanKernelHelper {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* Frees the object. */
    void(ORT_API_CALL *Release)(OrtScanKernelHelper *this_ptr);
    /* Transposes an input or output of Scan, in memory of the device. */
    OrtStatus *(ORT_API_CALL *Transpose)(OrtScanKernelHelper *this_ptr, const size_t *permutation,
                                         size_t num_permutation_elems, const OrtValue *input,
                                         OrtSyncStream *stream, OrtValue *output);
};

/*
 * Copies between memories of a provider, and between those and the host's. One serves all sessions
 * of the factory, therefore from any thread. In Backplane: bp_device_ops.copy.
 */
struct OrtDataTransferImpl {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* Frees the object. */
    void(ORT_API_CALL *Release)(OrtDataTransferImpl *this_ptr);
    /* Whether it copies from one memory to the other. [any thread] */
    bool(ORT_API_CALL *CanCopy)(const OrtDataTransferImpl *this_ptr,
                                const OrtMemoryDevice *src_memory_device,
                                const OrtMemoryDevice *dst_memory_device);
    /*
     * Copies each tensor to the one at its index; a stream may be NULL: then the copy is done when
     * it returns. [any thread]
     */
    OrtStatus *(ORT_API_CALL *CopyTensors)(OrtDataTransferImpl *this_ptr,
                                           const OrtValue **src_tensors, OrtValue **dst_tensors,
                                           OrtSyncStream **streams, size_t num_tensors);
};

/*
 * A queue of work on a device that runs in order, such as a CUDA stream. In Backplane:
 * bp_device_ops.stream_create and its siblings.
 */
struct OrtSyncStreamImpl {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* Frees the stream. */
    void(ORT_API_CALL *Release)(OrtSyncStreamImpl *this_ptr);
    /* The vendor's stream, owned by this object. */
    void *(ORT_API_CALL *GetHandle)(OrtSyncStreamImpl *this_ptr);
    /* A point in the stream to wait for; the runtime calls its Release. */
    OrtStatus *(ORT_API_CALL *CreateNotification)(OrtSyncStreamImpl *this_ptr,
                                                  OrtSyncNotificationImpl **notification);
    /* Waits until the stream is empty. */
    OrtStatus *(ORT_API_CALL *Flush)(OrtSyncStreamImpl *this_ptr);
    /* Called at the end of each run that used the stream. */
    OrtStatus *(ORT_API_CALL *OnSessionRunEnd)(OrtSyncStreamImpl *this_ptr);
};

/*
 * A point in a stream, such as a CUDA event. Activate records it; both waits are for the last time
 * that it was recorded. In Backplane: bp_device_ops.event_create and its siblings.
 */
struct OrtSyncNotificationImpl {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* Frees the object. */
    void(ORT_API_CALL *Release)(OrtSyncNotificationImpl *this_ptr);
    /* The point is what is in the stream by now. */
    OrtStatus *(ORT_API_CALL *Activate)(OrtSyncNotificationImpl *this_ptr);
    /* Lets another stream wait for the point, without the host. */
    OrtStatus *(ORT_API_CALL *WaitOnDevice)(OrtSyncNotificationImpl *this_ptr,
                                            OrtSyncStream *consumer_stream);
    /* Waits for the point on the calling thread. */
    OrtStatus *(ORT_API_CALL *WaitOnHost)(OrtSyncNotificationImpl *this_ptr);
};

/*
 * Gives the runtime the device's events between StartProfiling and EndProfiling. The id of
 * StartEvent and StopEvent lets the provider say for which node of the runtime a kernel of the
 * device ran.
 */
struct OrtEpProfilerImpl {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* Frees the object. */
    void(ORT_API_CALL *Release)(OrtEpProfilerImpl *this_ptr);
    /* Begins; the offset, in nanoseconds, relates its clock to the profile's. */
    OrtStatus *(ORT_API_CALL *StartProfiling)(OrtEpProfilerImpl *this_ptr,
                                              int64_t ep_profiling_start_offset_ns);
    /* (opt) An event of the runtime begins on this thread. */
    OrtStatus *(ORT_API_CALL *StartEvent)(OrtEpProfilerImpl *this_ptr,
                                          uint64_t ort_event_correlation_id);
    /* (opt) That event ended; `ort_event` is borrowed for the call. */
    OrtStatus *(ORT_API_CALL *StopEvent)(OrtEpProfilerImpl *this_ptr,
                                         uint64_t ort_event_correlation_id,
                                         const OrtProfilingEvent *ort_event);
    /* Adds its events with ProfilingEventsContainer_AddEvents(). */
    OrtStatus *(ORT_API_CALL *EndProfiling)(OrtEpProfilerImpl *this_ptr,
                                            OrtProfilingEventsContainer *events_container);
};

/*
 * An amount of something that a device has, which the plug-in writes for
 * OrtEp::GetAvailableResource. The union is as large as its reserved words, so that other kinds fit
 * without a change of layout.
 */
struct OrtResourceCount {
    /* OrtResourceCountKind: which member of `value` counts. */
    uint32_t kind;
    /* Zero. */
    uint32_t reserved;
    union {
        uint64_t total_bytes;
        uint64_t reserved_words[6];
    } value;
};

/*
 * Imports memory and semaphores of another API (Direct3D 12, Vulkan) for one device, without
 * copies. The other API keeps them alive until the handles are released.
 */
struct OrtExternalResourceImporterImpl {
    /* ORT_API_VERSION that the plug-in was compiled with. */
    uint32_t ort_version_supported;
    /* Whether this kind of memory can be imported. */
    bool(ORT_API_CALL *CanImportMemory)(const OrtExternalResourceImporterImpl *this_ptr,
                                        OrtExternalMemoryHandleType handle_type);
    /* Imports memory; what it gives is given to ReleaseMemory. */
    OrtStatus *(ORT_API_CALL *ImportMemory)(OrtExternalResourceImporterImpl *this_ptr,
                                            const OrtExternalMemoryDescriptor *desc,
                                            OrtExternalMemoryHandle **out_handle);
    /* Frees the handle, not the other library's memory. */
    void(ORT_API_CALL *ReleaseMemory)(OrtExternalResourceImporterImpl *this_ptr,
                                      OrtExternalMemoryHandle *handle);
    /* A tensor over imported memory; the handle outlives it. */
    OrtStatus *(ORT_API_CALL *CreateTensorFromMemory)(
        OrtExternalResourceImporterImpl *this_ptr, const OrtExternalMemoryHandle *mem_handle,
        const OrtExternalTensorDescriptor *tensor_desc, OrtValue **out_tensor);
    /* Whether this kind of semaphore can be imported. */
    bool(ORT_API_CALL *CanImportSemaphore)(const OrtExternalResourceImporterImpl *this_ptr,
                                           OrtExternalSemaphoreType type);
    /* Imports a semaphore; what it gives is given to ReleaseSemaphore. */
    OrtStatus *(ORT_API_CALL *ImportSemaphore)(OrtExternalResourceImporterImpl *this_ptr,
                                               const OrtExternalSemaphoreDescriptor *desc,
                                               OrtExternalSemaphoreHandle **out_handle);
    /* Frees the handle, not the other library's semaphore. */
    void(ORT_API_CALL *ReleaseSemaphore)(OrtExternalResourceImporterImpl *this_ptr,
                                         OrtExternalSemaphoreHandle *handle);
    /* Lets the stream wait until the semaphore has this value. */
    OrtStatus *(ORT_API_CALL *WaitSemaphore)(OrtExternalResourceImporterImpl *this_ptr,
                                             OrtExternalSemaphoreHandle *handle,
                                             OrtSyncStream *stream, uint64_t value);
    /* Sets the semaphore to this value when the stream has come so far. */
    OrtStatus *(ORT_API_CALL *SignalSemaphore)(OrtExternalResourceImporterImpl *this_ptr,
                                               OrtExternalSemaphoreHandle *handle,
                                               OrtSyncStream *stream, uint64_t value);
    /* Frees the object. */
    void(ORT_API_CALL *Release)(OrtExternalResourceImporterImpl *this_ptr);
};

/*
 * What the runtime does for plug-ins. The table comes from OrtApi::GetEpApi and lives as long as
 * the library. Functions that return a status return NULL for success; any other status is the
 * caller's, to OrtApi::ReleaseStatus.
 */
struct OrtEpApi {
    /*
     * A factory on a device, with metadata and proposed options, which are copied. The plug-in's
     * until GetSupportedDevices returns it.
     */
    OrtStatus *(ORT_API_CALL *CreateEpDevice)(OrtEpFactory *ep_factory,
                                              const OrtHardwareDevice *hardware_device,
                                              const OrtKeyValuePairs *ep_metadata,
                                              const OrtKeyValuePairs *ep_options,
                                              OrtEpDevice **ep_device);
    /* Frees one that GetSupportedDevices did not return. */
    void(ORT_API_CALL *ReleaseEpDevice)(OrtEpDevice *input);
    /*
     * The provider takes these nodes as one, to be compiled. The options are copied; NULL:
     * defaults.
     */
    OrtStatus *(ORT_API_CALL *EpGraphSupportInfo_AddNodesToFuse)(
        OrtEpGraphSupportInfo *graph_support_info, const OrtNode *const *nodes, size_t num_nodes,
        const OrtNodeFusionOptions *node_fusion_options);
    /* The provider takes this node with a kernel of its registry. */
    OrtStatus *(ORT_API_CALL *EpGraphSupportInfo_AddSingleNode)(
        OrtEpGraphSupportInfo *graph_support_info, const OrtNode *node);
    /* Name of the fused node, owned by the context. */
    const char *(ORT_API_CALL *NodeComputeContext_NodeName)(const OrtNodeComputeContext *context);
    /* The device has memory of this kind, for which the factory makes allocators. Borrowed. */
    OrtStatus *(ORT_API_CALL *EpDevice_AddAllocatorInfo)(
        OrtEpDevice *ep_device, const OrtMemoryInfo *allocator_memory_info);
    /* The memory of a description, owned by it. */
    const OrtMemoryDevice *(ORT_API_CALL *MemoryInfo_GetMemoryDevice)(
        const OrtMemoryInfo *memory_info);
    /* The memory that a tensor lies in, owned by the runtime. */
    const OrtMemoryDevice *(ORT_API_CALL *Value_GetMemoryDevice)(const OrtValue *value);
    /* Whether both are the same memory. */
    bool(ORT_API_CALL *MemoryDevice_AreEqual)(const OrtMemoryDevice *a, const OrtMemoryDevice *b);
    /* Kind of the device. */
    OrtMemoryInfoDeviceType(ORT_API_CALL *MemoryDevice_GetDeviceType)(
        const OrtMemoryDevice *memory_device);
    /* Kind of the memory. */
    OrtDeviceMemoryType(ORT_API_CALL *MemoryDevice_GetMemoryType)(
        const OrtMemoryDevice *memory_device);
    /* The vendor's PCI number. */
    uint32_t(ORT_API_CALL *MemoryDevice_GetVendorId)(const OrtMemoryDevice *memory_device);
    /* Number of the device. */
    uint32_t(ORT_API_CALL *MemoryDevice_GetDeviceId)(const OrtMemoryDevice *memory_device);
    /* The plug-in's own object behind a stream. */
    const OrtSyncStreamImpl *(ORT_API_CALL *SyncStream_GetImpl)(const OrtSyncStream *stream);
    /* A number that grows with each synchronization of the stream. */
    uint64_t(ORT_API_CALL *SyncStream_GetSyncId)(const OrtSyncStream *stream);
    /* The producer's number at the last time that the consumer waited for it. */
    uint64_t(ORT_API_CALL *GetSyncIdForLastWaitOnSyncStream)(const OrtSyncStream *producer_stream,
                                                             const OrtSyncStream *consumer_stream);
    /*
     * A device that only the provider knows; texts and metadata are copied. The caller's, to
     * ReleaseHardwareDevice().
     */
    OrtStatus *(ORT_API_CALL *CreateHardwareDevice)(OrtHardwareDeviceType type, uint32_t vendor_id,
                                                    uint32_t device_id, const char *vendor_name,
                                                    const OrtKeyValuePairs *metadata,
                                                    OrtHardwareDevice **hardware_device);
    /* Frees a device that CreateHardwareDevice() made. */
    void(ORT_API_CALL *ReleaseHardwareDevice)(OrtHardwareDevice *input);
    /* An empty list of kernels; the caller's, to ReleaseKernelRegistry(). */
    OrtStatus *(ORT_API_CALL *CreateKernelRegistry)(OrtKernelRegistry **kernel_registry);
    /* Frees the list. */
    void(ORT_API_CALL *ReleaseKernelRegistry)(OrtKernelRegistry *input);
    /* Adds a kernel; the definition is copied, the state borrowed as long as the registry. */
    OrtStatus *(ORT_API_CALL *KernelRegistry_AddKernel)(OrtKernelRegistry *kernel_registry,
                                                        const OrtKernelDef *kernel_def,
                                                        OrtKernelCreateFunc kernel_create_func,
                                                        void *kernel_create_func_state);
    /* The beginning of a kernel's definition; the caller's, to ReleaseKernelDefBuilder(). */
    OrtStatus *(ORT_API_CALL *CreateKernelDefBuilder)(OrtKernelDefBuilder **kernel_def_builder_out);
    /* Frees the builder, not what it built. */
    void(ORT_API_CALL *ReleaseKernelDefBuilder)(OrtKernelDefBuilder *input);
    /* Name of the operator; copied. */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetOperatorType)(
        OrtKernelDefBuilder *kernel_def_builder, const char *op_type);
    /* Domain of the operator; copied. */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetDomain)(OrtKernelDefBuilder *kernel_def_builder,
                                                          const char *domain);
    /* First and last version of the operator set, both included. */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetSinceVersion)(
        OrtKernelDefBuilder *kernel_def_builder, int since_version_start, int since_version_end);
    /* Name of the provider; copied. */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetExecutionProvider)(
        OrtKernelDefBuilder *kernel_def_builder, const char *ep_name);
    /* Where an input has to lie. */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetInputMemType)(
        OrtKernelDefBuilder *kernel_def_builder, size_t input_index, OrtMemType mem_type);
    /* Where an output lies. */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_SetOutputMemType)(
        OrtKernelDefBuilder *kernel_def_builder, size_t output_index, OrtMemType mem_type);
    /* Types that a type parameter of the operator ("T") may have; copied. */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_AddTypeConstraint)(
        OrtKernelDefBuilder *kernel_def_builder, const char *arg_name,
        const OrtDataType *const *types, size_t num_types);
    /* These outputs always lie where these inputs lie, unchanged. */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_AddInputOutputAliases)(
        OrtKernelDefBuilder *kernel_def_builder, int const *input_indices,
        int const *output_indices, size_t num_io_indices);
    /* These outputs may be written where these inputs lie. */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_AddInputOutputMutableAliases)(
        OrtKernelDefBuilder *kernel_def_builder, int const *input_indices,
        int const *output_indices, size_t num_io_indices);
    /* The definition; the caller's, to ReleaseKernelDef(). */
    OrtStatus *(ORT_API_CALL *KernelDefBuilder_Build)(OrtKernelDefBuilder *kernel_def_builder,
                                                      OrtKernelDef **kernel_def_out);
    /* Frees a definition that Build gave. */
    void(ORT_API_CALL *ReleaseKernelDef)(OrtKernelDef *input);
    /* Name of the operator, owned by the definition. */
    const char *(ORT_API_CALL *KernelDef_GetOperatorType)(const OrtKernelDef *kernel_def);
    /* Domain of the operator, owned by the definition. */
    const char *(ORT_API_CALL *KernelDef_GetDomain)(const OrtKernelDef *kernel_def);
    /* First and last version of the operator set. */
    OrtStatus *(ORT_API_CALL *KernelDef_GetSinceVersion)(const OrtKernelDef *kernel_def,
                                                         int *start_version, int *end_version);
    /* Name of the provider, owned by the definition. */
    const char *(ORT_API_CALL *KernelDef_GetExecutionProvider)(const OrtKernelDef *kernel_def);
    /* Where an input has to lie. */
    OrtStatus *(ORT_API_CALL *KernelDef_GetInputMemType)(const OrtKernelDef *kernel_def,
                                                         size_t input_index, OrtMemType *mem_type);
    /* Where an output lies. */
    OrtStatus *(ORT_API_CALL *KernelDef_GetOutputMemType)(const OrtKernelDef *kernel_def,
                                                          size_t output_index,
                                                          OrtMemType *mem_type);
    /* The type "tensor of these elements"; static. */
    OrtStatus *(ORT_API_CALL *GetTensorDataType)(ONNXTensorElementDataType elem_type,
                                                 const OrtDataType **out);
    /*
     * The definition in the provider's registry that fits a node, owned by the registry; NULL:
     * none.
     */
    OrtStatus *(ORT_API_CALL *EpGraphSupportInfo_LookUpKernel)(
        OrtEpGraphSupportInfo *graph_support_info, const OrtNode *node,
        const OrtKernelDef **out_kernel_def);
    /* Gives packed weights to the cache, which owns the buffers afterwards. */
    OrtStatus *(ORT_API_CALL *SharedPrePackedWeightCache_StoreWeightData)(
        OrtSharedPrePackedWeightCache *prepacked_weight_cache, void **buffer_data_ptrs,
        size_t *buffer_data_sizes, size_t num_buffers);
    /* The instance that a kernel belongs to; borrowed. */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetEp)(const OrtKernelInfo *info, const OrtEp **ep);
    /* Sets reasons (bits), the provider's number and a sentence, which is copied. */
    OrtStatus *(ORT_API_CALL *DeviceEpIncompatibilityDetails_SetDetails)(
        OrtDeviceEpIncompatibilityDetails *details, uint32_t reasons_bitmask, int32_t error_code,
        const char *notes);
    /*
     * A kernel for If whose subgraphs the runtime runs; to ReleaseKernelImpl(), or given to the
     * runtime.
     */
    OrtStatus *(ORT_API_CALL *CreateIfKernel)(const OrtKernelInfo *kernel_info,
                                              OrtKernelImpl **kernel_out);
    /* The same for Loop; it takes the helper. */
    OrtStatus *(ORT_API_CALL *CreateLoopKernel)(const OrtKernelInfo *kernel_info,
                                                OrtLoopKernelHelper *helper,
                                                OrtKernelImpl **kernel_out);
    /* The same for Scan; it takes the helper. */
    OrtStatus *(ORT_API_CALL *CreateScanKernel)(const OrtKernelInfo *kernel_info,
                                                OrtScanKernelHelper *helper,
                                                OrtKernelImpl **kernel_out);
    /* Frees such a kernel. */
    void(ORT_API_CALL *ReleaseKernelImpl)(OrtKernelImpl *input);
    /* Configuration of the environment; a copy, the caller's, to ReleaseKeyValuePairs(). */
    OrtStatus *(ORT_API_CALL *GetEnvConfigEntries)(OrtKeyValuePairs **config_entries);
    /*
     * The schema of an operator by name, domain and newest version wanted; the caller's, to
     * ReleaseOpSchema(). NULL: none.
     */
    OrtStatus *(ORT_API_CALL *GetOpSchema)(const char *name, int max_inclusive_version,
                                           const char *domain, OrtOpSchema **out_schema);
    /* Frees the object. */
    void(ORT_API_CALL *ReleaseOpSchema)(OrtOpSchema *input);
    /* The version of the operator set that brought it. */
    OrtStatus *(ORT_API_CALL *OpSchema_GetSinceVersion)(const OrtOpSchema *schema, int *out);
    /* Number of inputs that it declares. */
    OrtStatus *(ORT_API_CALL *OpSchema_GetNumInputs)(const OrtOpSchema *schema, size_t *out);
    /* Name of an input, owned by the schema. */
    OrtStatus *(ORT_API_CALL *OpSchema_GetInputName)(const OrtOpSchema *schema, size_t index,
                                                     const char **out);
    /* Types of an input, owned by the schema; NULL: a fixed type. */
    OrtStatus *(ORT_API_CALL *OpSchema_GetInputTypeConstraint)(
        const OrtOpSchema *schema, size_t index, const OrtOpSchemaTypeConstraint **out);
    /* Number of outputs that it declares. */
    OrtStatus *(ORT_API_CALL *OpSchema_GetNumOutputs)(const OrtOpSchema *schema, size_t *out);
    /* Name of an output, owned by the schema. */
    OrtStatus *(ORT_API_CALL *OpSchema_GetOutputName)(const OrtOpSchema *schema, size_t index,
                                                      const char **out);
    /* Types of an output, owned by the schema; NULL: a fixed type. */
    OrtStatus *(ORT_API_CALL *OpSchema_GetOutputTypeConstraint)(
        const OrtOpSchema *schema, size_t index, const OrtOpSchemaTypeConstraint **out);
    /* Number of type parameters. */
    OrtStatus *(ORT_API_CALL *OpSchema_GetTypeConstraintCount)(const OrtOpSchema *schema,
                                                               size_t *out);
    /* A type parameter by index, owned by the schema. */
    OrtStatus *(ORT_API_CALL *OpSchema_GetTypeConstraint)(const OrtOpSchema *schema, size_t index,
                                                          const OrtOpSchemaTypeConstraint **out);
    /* Name of the type parameter, such as "T"; owned by the schema. */
    OrtStatus *(ORT_API_CALL *OpSchemaTypeConstraint_GetTypeParamName)(
        const OrtOpSchemaTypeConstraint *type_constraint, const char **out);
    /* Types that it may have, such as "tensor(float)"; owned by the schema. */
    OrtStatus *(ORT_API_CALL *OpSchemaTypeConstraint_GetAllowedTypes)(
        const OrtOpSchemaTypeConstraint *type_constraint, const char *const **out_types,
        size_t *num_types);
    /* Inputs that have this type parameter; owned by the schema. */
    OrtStatus *(ORT_API_CALL *OpSchemaTypeConstraint_GetInputIndices)(
        const OrtOpSchemaTypeConstraint *type_constraint, const size_t **out_indices,
        size_t *count);
    /* Outputs that have this type parameter; owned by the schema. */
    OrtStatus *(ORT_API_CALL *OpSchemaTypeConstraint_GetOutputIndices)(
        const OrtOpSchemaTypeConstraint *type_constraint, const size_t **out_indices,
        size_t *count);
    /*
     * An event of a profile: times in microseconds of the profile's clock, arguments as keys and
     * values, all copied. The caller's, to ReleaseProfilingEvent().
     */
    OrtStatus *(ORT_API_CALL *CreateProfilingEvent)(OrtProfilingEventCategory category,
                                                    int32_t process_id, int32_t thread_id,
                                                    const char *event_name, int64_t timestamp_us,
                                                    int64_t duration_us,
                                                    const char *const *arg_keys,
                                                    const char *const *arg_values, size_t num_args,
                                                    OrtProfilingEvent **out);
    /* Frees the event. */
    void(ORT_API_CALL *ReleaseProfilingEvent)(OrtProfilingEvent *input);
    /* What the event is about. */
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetCategory)(const OrtProfilingEvent *event,
                                                          OrtProfilingEventCategory *out);
    /* Name of the event, owned by it. */
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetName)(const OrtProfilingEvent *event,
                                                      const char **out);
    /* When it began, in microseconds. */
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetTimestampUs)(const OrtProfilingEvent *event,
                                                             int64_t *out);
    /* How long it took, in microseconds. */
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetDurationUs)(const OrtProfilingEvent *event,
                                                            int64_t *out);
    /* An argument by key, owned by the event; NULL: none. */
    OrtStatus *(ORT_API_CALL *ProfilingEvent_GetArgValue)(const OrtProfilingEvent *event,
                                                          const char *key, const char **out);
    /* Adds events to the profile; they are copied. */
    OrtStatus *(ORT_API_CALL *ProfilingEventsContainer_AddEvents)(
        OrtProfilingEventsContainer *events_container, const OrtProfilingEvent *const *events,
        size_t num_events);
    /*
     * What SessionOptionsSetWeightlessSourceModelBuffer() set; the application's memory. NULL and
     * 0: nothing.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsGetWeightlessSourceModelBuffer)(
        const OrtSessionOptions *session_options, const void **source_model_data,
        size_t *source_model_data_length);
};

#ifdef __cplusplus
}
#endif

#endif
