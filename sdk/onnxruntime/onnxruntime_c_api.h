/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_c_api.h - the C ABI of ONNX Runtime, API versions 1 to 30, as Backplane offers it.
 *
 * Names, orders, types and numbers are those of the ABI, so that programs written for ONNX Runtime
 * compile and run; the words are ours. Everything is reached through OrtGetApiBase(): ask it for
 * the table of ORT_API_VERSION and call through that. Tables only grow at their ends.
 *
 * A function that returns an OrtStatus * succeeded when that is NULL; anything else is the caller's,
 * to ReleaseStatus(). What a Create or Get hands out through a pointer to a pointer that is not to
 * const is the caller's, to release with the function of its type. Results that are const pointers
 * belong to the object that was asked. Text that comes with an OrtAllocator is freed with it.
 * ReleaseX() takes NULL.
 */
#ifndef BP_ONNXRUNTIME_C_API_H
#define BP_ONNXRUNTIME_C_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_error_code.h"
#include "onnxruntime_macros.h"

/* The newest version that the library answers to. */
#define ORT_API_VERSION 30

#ifdef __cplusplus
extern "C" {
#endif

/* ---- numbers --------------------------------------------------------------------------------- */

/* Element types. Up to 23 the numbers are those of ONNX files; 24 to 26 are not. */
typedef enum ONNXTensorElementDataType {
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 = 12,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 = 13,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 = 14,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 = 15,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 = 16,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN = 17,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ = 18,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2 = 19,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ = 20,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4 = 21,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 = 22,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1 = 23,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2 = 24,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2 = 25,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0 = 26
} ONNXTensorElementDataType;

/* Kinds of values. */
typedef enum ONNXType {
    ONNX_TYPE_UNKNOWN = 0,
    ONNX_TYPE_TENSOR = 1,
    ONNX_TYPE_SEQUENCE = 2,
    ONNX_TYPE_MAP = 3,
    ONNX_TYPE_OPAQUE = 4,
    ONNX_TYPE_SPARSETENSOR = 5,
    ONNX_TYPE_OPTIONAL = 6
} ONNXType;

/* Layouts of sparse tensors. */
typedef enum OrtSparseFormat {
    ORT_SPARSE_UNDEFINED = 0,
    ORT_SPARSE_COO = 1,
    ORT_SPARSE_CSRC = 2,
    ORT_SPARSE_BLOCK_SPARSE = 4
} OrtSparseFormat;

/* Which indices of a sparse tensor are meant. */
typedef enum OrtSparseIndicesFormat {
    ORT_SPARSE_COO_INDICES = 0,
    ORT_SPARSE_CSR_INNER_INDICES = 1,
    ORT_SPARSE_CSR_OUTER_INDICES = 2,
    ORT_SPARSE_BLOCK_SPARSE_INDICES = 3
} OrtSparseIndicesFormat;

/* Severities of log lines; a level lets through its own and what is graver. */
typedef enum OrtLoggingLevel {
    ORT_LOGGING_LEVEL_VERBOSE = 0,
    ORT_LOGGING_LEVEL_INFO = 1,
    ORT_LOGGING_LEVEL_WARNING = 2,
    ORT_LOGGING_LEVEL_ERROR = 3,
    ORT_LOGGING_LEVEL_FATAL = 4
} OrtLoggingLevel;

/* Kinds of node attributes. */
typedef enum OrtOpAttrType {
    ORT_OP_ATTR_UNDEFINED = 0,
    ORT_OP_ATTR_INT = 1,
    ORT_OP_ATTR_INTS = 2,
    ORT_OP_ATTR_FLOAT = 3,
    ORT_OP_ATTR_FLOATS = 4,
    ORT_OP_ATTR_STRING = 5,
    ORT_OP_ATTR_STRINGS = 6,
    ORT_OP_ATTR_GRAPH = 7,
    ORT_OP_ATTR_TENSOR = 8
} OrtOpAttrType;

/* How far the graph may be rewritten. */
typedef enum GraphOptimizationLevel {
    ORT_DISABLE_ALL = 0,
    ORT_ENABLE_BASIC = 1,
    ORT_ENABLE_EXTENDED = 2,
    ORT_ENABLE_LAYOUT = 3,
    ORT_ENABLE_ALL = 99
} GraphOptimizationLevel;

/* Whether nodes of one run may overlap. */
typedef enum ExecutionMode { ORT_SEQUENTIAL = 0, ORT_PARALLEL = 1 } ExecutionMode;

/* The language that the caller is written in. */
typedef enum OrtLanguageProjection {
    ORT_PROJECTION_C = 0,
    ORT_PROJECTION_CPLUSPLUS = 1,
    ORT_PROJECTION_CSHARP = 2,
    ORT_PROJECTION_PYTHON = 3,
    ORT_PROJECTION_JAVA = 4,
    ORT_PROJECTION_WINML = 5,
    ORT_PROJECTION_NODEJS = 6
} OrtLanguageProjection;

/* Kinds of allocators. */
typedef enum OrtAllocatorType {
    OrtInvalidAllocator = -1,
    OrtDeviceAllocator = 0,
    OrtArenaAllocator = 1,
    OrtReadOnlyAllocator = 2
} OrtAllocatorType;

/* What memory of an execution provider is for. */
typedef enum OrtMemType {
    OrtMemTypeCPUInput = -2,
    OrtMemTypeCPUOutput = -1,
    OrtMemTypeCPU = -1,
    OrtMemTypeDefault = 0
} OrtMemType;

/* Kinds of memory on a device. */
typedef enum OrtDeviceMemoryType {
    OrtDeviceMemoryType_DEFAULT = 0,
    OrtDeviceMemoryType_HOST_ACCESSIBLE = 5
} OrtDeviceMemoryType;

/* Kinds of devices, as memory knows them. */
typedef enum OrtMemoryInfoDeviceType {
    OrtMemoryInfoDeviceType_CPU = 0,
    OrtMemoryInfoDeviceType_GPU = 1,
    OrtMemoryInfoDeviceType_FPGA = 2,
    OrtMemoryInfoDeviceType_NPU = 3
} OrtMemoryInfoDeviceType;

/* Kinds of devices, as the machine has them. */
typedef enum OrtHardwareDeviceType {
    OrtHardwareDeviceType_CPU = 0,
    OrtHardwareDeviceType_GPU = 1,
    OrtHardwareDeviceType_NPU = 2
} OrtHardwareDeviceType;

/* What an automatic choice of devices prefers. */
typedef enum OrtExecutionProviderDevicePolicy {
    OrtExecutionProviderDevicePolicy_DEFAULT = 0,
    OrtExecutionProviderDevicePolicy_PREFER_CPU = 1,
    OrtExecutionProviderDevicePolicy_PREFER_NPU = 2,
    OrtExecutionProviderDevicePolicy_PREFER_GPU = 3,
    OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE = 4,
    OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY = 5,
    OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER = 6
} OrtExecutionProviderDevicePolicy;

/* Why an execution provider cannot use a device: bits. */
typedef enum OrtDeviceEpIncompatibilityReason {
    OrtDeviceEpIncompatibility_NONE = 0,
    OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE = 1,
    OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE = 2,
    OrtDeviceEpIncompatibility_MISSING_DEPENDENCY = 4,
    OrtDeviceEpIncompatibility_UNKNOWN = -2147483647 - 1
} OrtDeviceEpIncompatibilityReason;

/* How CUDA finds an algorithm for convolutions. */
typedef enum OrtCudnnConvAlgoSearch {
    OrtCudnnConvAlgoSearchExhaustive = 0,
    OrtCudnnConvAlgoSearchHeuristic = 1,
    OrtCudnnConvAlgoSearchDefault = 2
} OrtCudnnConvAlgoSearch;

/* Where imported memory comes from. */
typedef enum OrtExternalMemoryHandleType {
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 0,
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 1,
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_WIN32 = 2,
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_OPAQUE_FD = 3,
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION = 4
} OrtExternalMemoryHandleType;

/* Where an imported semaphore comes from. */
typedef enum OrtExternalSemaphoreType {
    ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE = 0,
    ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_WIN32 = 1,
    ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD = 2
} OrtExternalSemaphoreType;

/* Graphics libraries to share a device with. */
typedef enum OrtGraphicsApi {
    ORT_GRAPHICS_API_NONE = 0,
    ORT_GRAPHICS_API_D3D12 = 1,
    ORT_GRAPHICS_API_VULKAN = 2
} OrtGraphicsApi;

/* How well a compiled model fits. */
typedef enum OrtCompiledModelCompatibility {
    OrtCompiledModelCompatibility_EP_NOT_APPLICABLE = 0,
    OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL = 1,
    OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION = 2,
    OrtCompiledModelCompatibility_EP_UNSUPPORTED = 3
} OrtCompiledModelCompatibility;

/* Whether a parameter of a custom operator must be there. */
typedef enum OrtCustomOpInputOutputCharacteristic {
    INPUT_OUTPUT_REQUIRED = 0,
    INPUT_OUTPUT_OPTIONAL = 1,
    INPUT_OUTPUT_VARIADIC = 2
} OrtCustomOpInputOutputCharacteristic;

/* Wishes to the compiler of models: bits. */
typedef enum OrtCompileApiFlags {
    OrtCompileApiFlags_NONE = 0,
    OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED = 1,
    OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS = 2
} OrtCompileApiFlags;

/* Options of the NNAPI provider: bits. */
typedef enum NNAPIFlags {
    NNAPI_FLAG_USE_NONE = 0,
    NNAPI_FLAG_USE_FP16 = 1,
    NNAPI_FLAG_USE_NCHW = 2,
    NNAPI_FLAG_CPU_DISABLED = 4,
    NNAPI_FLAG_CPU_ONLY = 8
} NNAPIFlags;

/* Options of the CoreML provider: bits. */
typedef enum COREMLFlags {
    COREML_FLAG_USE_NONE = 0,
    COREML_FLAG_USE_CPU_ONLY = 1,
    COREML_FLAG_ENABLE_ON_SUBGRAPH = 2,
    COREML_FLAG_ONLY_ENABLE_DEVICE_WITH_ANE = 4,
    COREML_FLAG_ONLY_ALLOW_STATIC_INPUT_SHAPES = 8,
    COREML_FLAG_CREATE_MLPROGRAM = 16,
    COREML_FLAG_USE_CPU_AND_GPU = 32
} COREMLFlags;

/* ---- opaque things, and structs that are laid out below ----------------------------------------- */

typedef struct OrtAllocator OrtAllocator;
typedef struct OrtApi OrtApi;
typedef struct OrtApiBase OrtApiBase;
typedef struct OrtArenaCfg OrtArenaCfg;
typedef struct OrtCANNProviderOptions OrtCANNProviderOptions;
typedef struct OrtCUDAProviderOptions OrtCUDAProviderOptions;
typedef struct OrtCUDAProviderOptionsV2 OrtCUDAProviderOptionsV2;
typedef struct OrtCompileApi OrtCompileApi;
typedef struct OrtCustomOp OrtCustomOp;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtDataTransferImpl OrtDataTransferImpl;
typedef struct OrtDataType OrtDataType;
typedef struct OrtDeviceEpIncompatibilityDetails OrtDeviceEpIncompatibilityDetails;
typedef struct OrtDnnlProviderOptions OrtDnnlProviderOptions;
typedef struct OrtEnv OrtEnv;
typedef struct OrtEnvCreationOptions OrtEnvCreationOptions;
typedef struct OrtEp OrtEp;
typedef struct OrtEpApi OrtEpApi;
typedef struct OrtEpAssignedNode OrtEpAssignedNode;
typedef struct OrtEpAssignedSubgraph OrtEpAssignedSubgraph;
typedef struct OrtEpDevice OrtEpDevice;
typedef struct OrtEpFactory OrtEpFactory;
typedef struct OrtEpGraphSupportInfo OrtEpGraphSupportInfo;
typedef struct OrtEpProfilerImpl OrtEpProfilerImpl;
typedef struct OrtExternalInitializerInfo OrtExternalInitializerInfo;
typedef struct OrtExternalMemoryDescriptor OrtExternalMemoryDescriptor;
typedef struct OrtExternalMemoryHandle OrtExternalMemoryHandle;
typedef struct OrtExternalResourceImporter OrtExternalResourceImporter;
typedef struct OrtExternalResourceImporterImpl OrtExternalResourceImporterImpl;
typedef struct OrtExternalSemaphoreDescriptor OrtExternalSemaphoreDescriptor;
typedef struct OrtExternalSemaphoreHandle OrtExternalSemaphoreHandle;
typedef struct OrtExternalTensorDescriptor OrtExternalTensorDescriptor;
typedef struct OrtGraph OrtGraph;
typedef struct OrtGraphicsInteropConfig OrtGraphicsInteropConfig;
typedef struct OrtHardwareDevice OrtHardwareDevice;
typedef struct OrtInteropApi OrtInteropApi;
typedef struct OrtIoBinding OrtIoBinding;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtKernelDef OrtKernelDef;
typedef struct OrtKernelDefBuilder OrtKernelDefBuilder;
typedef struct OrtKernelImpl OrtKernelImpl;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelRegistry OrtKernelRegistry;
typedef struct OrtKeyValuePairs OrtKeyValuePairs;
typedef struct OrtLogger OrtLogger;
typedef struct OrtLoopKernelHelper OrtLoopKernelHelper;
typedef struct OrtLoraAdapter OrtLoraAdapter;
typedef struct OrtMIGraphXProviderOptions OrtMIGraphXProviderOptions;
typedef struct OrtMapTypeInfo OrtMapTypeInfo;
typedef struct OrtMemoryDevice OrtMemoryDevice;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtModel OrtModel;
typedef struct OrtModelCompilationOptions OrtModelCompilationOptions;
typedef struct OrtModelEditorApi OrtModelEditorApi;
typedef struct OrtModelMetadata OrtModelMetadata;
typedef struct OrtNode OrtNode;
typedef struct OrtNodeComputeContext OrtNodeComputeContext;
typedef struct OrtNodeComputeInfo OrtNodeComputeInfo;
typedef struct OrtNodeFusionOptions OrtNodeFusionOptions;
typedef struct OrtNvTensorRtRtxProviderOptions OrtNvTensorRtRtxProviderOptions;
typedef struct OrtOp OrtOp;
typedef struct OrtOpAttr OrtOpAttr;
typedef struct OrtOpSchema OrtOpSchema;
typedef struct OrtOpSchemaTypeConstraint OrtOpSchemaTypeConstraint;
typedef struct OrtOpenVINOProviderOptions OrtOpenVINOProviderOptions;
typedef struct OrtOptionalTypeInfo OrtOptionalTypeInfo;
typedef struct OrtPrepackedWeightsContainer OrtPrepackedWeightsContainer;
typedef struct OrtProfilingEvent OrtProfilingEvent;
typedef struct OrtProfilingEventsContainer OrtProfilingEventsContainer;
typedef struct OrtROCMProviderOptions OrtROCMProviderOptions;
typedef struct OrtResourceCount OrtResourceCount;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtScanKernelHelper OrtScanKernelHelper;
typedef struct OrtSequenceTypeInfo OrtSequenceTypeInfo;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtShapeInferContext OrtShapeInferContext;
typedef struct OrtSharedPrePackedWeightCache OrtSharedPrePackedWeightCache;
typedef struct OrtStatus OrtStatus;
typedef OrtStatus *OrtStatusPtr;
typedef struct OrtSyncNotificationImpl OrtSyncNotificationImpl;
typedef struct OrtSyncStream OrtSyncStream;
typedef struct OrtSyncStreamImpl OrtSyncStreamImpl;
typedef struct OrtTensorRTProviderOptions OrtTensorRTProviderOptions;
typedef struct OrtTensorRTProviderOptionsV2 OrtTensorRTProviderOptionsV2;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtThreadPoolCallbacksConfig OrtThreadPoolCallbacksConfig;
typedef struct OrtThreadPoolParams OrtThreadPoolParams;
typedef struct OrtThreadingOptions OrtThreadingOptions;
typedef struct OrtTrainingApi OrtTrainingApi;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtValue OrtValue;
typedef struct OrtValueInfo OrtValueInfo;

/* What the caller's own thread function returns: a pointer that is never followed. */
struct OrtCustomHandleType {
    char __place_holder;
};
typedef const struct OrtCustomHandleType *OrtCustomThreadHandle;

/* ---- functions that the caller gives ------------------------------------------------------------ */

typedef void(ORT_API_CALL *OrtLoggingFunction)(void *param, OrtLoggingLevel severity,
                                               const char *category, const char *logid,
                                               const char *code_location, const char *message);
typedef void(ORT_API_CALL *OrtThreadWorkerFn)(void *ort_worker_fn_param);
typedef OrtCustomThreadHandle(ORT_API_CALL *OrtCustomCreateThreadFn)(void *options,
                                                                     OrtThreadWorkerFn worker,
                                                                     void *worker_param);
typedef void(ORT_API_CALL *OrtCustomJoinThreadFn)(OrtCustomThreadHandle handle);
typedef void *(ORT_API_CALL *OrtThreadPoolWorkEnqueueFn)(void *user_context);
typedef void(ORT_API_CALL *OrtThreadPoolWorkStartFn)(void *user_context, void *enqueue_data);
typedef void(ORT_API_CALL *OrtThreadPoolWorkStopFn)(void *user_context, void *enqueue_data);
typedef void(ORT_API_CALL *OrtThreadPoolWorkAbandonFn)(void *user_context, void *enqueue_data);
typedef OrtStatus *(ORT_API_CALL *RegisterCustomOpsFn)(OrtSessionOptions *options,
                                                       const OrtApiBase *api);
typedef void(ORT_API_CALL *RunAsyncCallbackFn)(void *user_data, OrtValue **outputs,
                                               size_t num_outputs, OrtStatus *status);
typedef OrtStatus *(ORT_API_CALL *EpSelectionDelegate)(
    const OrtEpDevice **ep_devices, size_t num_devices, const OrtKeyValuePairs *model_metadata,
    const OrtKeyValuePairs *runtime_metadata, const OrtEpDevice **selected, size_t max_selected,
    size_t *num_selected, void *state);
typedef OrtStatus *(ORT_API_CALL *OrtWriteBufferFunc)(void *state, const void *buffer,
                                                      size_t buffer_num_bytes);
typedef OrtStatus *(ORT_API_CALL *OrtGetInitializerLocationFunc)(
    void *state, const char *initializer_name, const OrtValue *initializer_value,
    const OrtExternalInitializerInfo *external_info,
    OrtExternalInitializerInfo **new_external_info);
typedef void(ORT_API_CALL *OrtExperimentalFnPtr)(void);

/* ---- structs that the caller fills; `version` is the ORT_API_VERSION it was compiled with ------- */

struct OrtAllocator {
    uint32_t version;
    void *(ORT_API_CALL *Alloc)(OrtAllocator *this_, size_t size);
    void(ORT_API_CALL *Free)(OrtAllocator *this_, void *p);
    const struct OrtMemoryInfo *(ORT_API_CALL *Info)(const OrtAllocator *this_);
    void *(ORT_API_CALL *Reserve)(OrtAllocator *this_, size_t size);
    OrtStatus *(ORT_API_CALL *GetStats)(const OrtAllocator *this_, OrtKeyValuePairs **out);
    void *(ORT_API_CALL *AllocOnStream)(OrtAllocator *this_, size_t size, OrtSyncStream *stream);
    OrtStatus *(ORT_API_CALL *Shrink)(OrtAllocator *this_);
};

struct OrtCustomOp {
    uint32_t version;
    void *(ORT_API_CALL *CreateKernel)(const OrtCustomOp *op, const OrtApi *api,
                                       const OrtKernelInfo *info);
    const char *(ORT_API_CALL *GetName)(const OrtCustomOp *op);
    const char *(ORT_API_CALL *GetExecutionProviderType)(const OrtCustomOp *op);
    ONNXTensorElementDataType(ORT_API_CALL *GetInputType)(const OrtCustomOp *op, size_t index);
    size_t(ORT_API_CALL *GetInputTypeCount)(const OrtCustomOp *op);
    ONNXTensorElementDataType(ORT_API_CALL *GetOutputType)(const OrtCustomOp *op, size_t index);
    size_t(ORT_API_CALL *GetOutputTypeCount)(const OrtCustomOp *op);
    void(ORT_API_CALL *KernelCompute)(void *op_kernel, OrtKernelContext *context);
    void(ORT_API_CALL *KernelDestroy)(void *op_kernel);
    OrtCustomOpInputOutputCharacteristic(ORT_API_CALL *GetInputCharacteristic)(
        const OrtCustomOp *op, size_t index);
    OrtCustomOpInputOutputCharacteristic(ORT_API_CALL *GetOutputCharacteristic)(
        const OrtCustomOp *op, size_t index);
    OrtMemType(ORT_API_CALL *GetInputMemoryType)(const OrtCustomOp *op, size_t index);
    int(ORT_API_CALL *GetVariadicInputMinArity)(const OrtCustomOp *op);
    int(ORT_API_CALL *GetVariadicInputHomogeneity)(const OrtCustomOp *op);
    int(ORT_API_CALL *GetVariadicOutputMinArity)(const OrtCustomOp *op);
    int(ORT_API_CALL *GetVariadicOutputHomogeneity)(const OrtCustomOp *op);
    OrtStatus *(ORT_API_CALL *CreateKernelV2)(const OrtCustomOp *op, const OrtApi *api,
                                              const OrtKernelInfo *info, void **kernel);
    OrtStatus *(ORT_API_CALL *KernelComputeV2)(void *op_kernel, OrtKernelContext *context);
    OrtStatus *(ORT_API_CALL *InferOutputShapeFn)(const OrtCustomOp *op, OrtShapeInferContext *);
    int(ORT_API_CALL *GetStartVersion)(const OrtCustomOp *op);
    int(ORT_API_CALL *GetEndVersion)(const OrtCustomOp *op);
    size_t(ORT_API_CALL *GetMayInplace)(int **input_index, int **output_index);
    void(ORT_API_CALL *ReleaseMayInplace)(int *input_index, int *output_index);
    size_t(ORT_API_CALL *GetAliasMap)(int **input_index, int **output_index);
    void(ORT_API_CALL *ReleaseAliasMap)(int *input_index, int *output_index);
};

struct OrtEnvCreationOptions {
    uint32_t version;
    int32_t logging_severity_level;
    const char *log_id;
    OrtLoggingFunction custom_logging_function;
    void *custom_logging_param;
    const OrtThreadingOptions *threading_options;
    const OrtKeyValuePairs *config_entries;
};

struct OrtThreadPoolCallbacksConfig {
    uint32_t version;
    OrtThreadPoolWorkEnqueueFn on_enqueue;
    OrtThreadPoolWorkStartFn on_start_work;
    OrtThreadPoolWorkStopFn on_stop_work;
    OrtThreadPoolWorkAbandonFn on_abandon;
    void *user_context;
};

struct OrtExternalMemoryDescriptor {
    uint32_t version;
    OrtExternalMemoryHandleType handle_type;
    void *native_handle;
    size_t size_bytes;
    size_t offset_bytes;
};

struct OrtExternalSemaphoreDescriptor {
    uint32_t version;
    OrtExternalSemaphoreType type;
    void *native_handle;
};

struct OrtExternalTensorDescriptor {
    uint32_t version;
    ONNXTensorElementDataType element_type;
    const int64_t *shape;
    size_t rank;
    size_t offset_bytes;
};

struct OrtExternalMemoryHandle {
    uint32_t version;
    const OrtEpDevice *ep_device;
    OrtExternalMemoryDescriptor descriptor;
    void(ORT_API_CALL *Release)(OrtExternalMemoryHandle *handle);
};

struct OrtExternalSemaphoreHandle {
    uint32_t version;
    const OrtEpDevice *ep_device;
    OrtExternalSemaphoreDescriptor descriptor;
    void(ORT_API_CALL *Release)(OrtExternalSemaphoreHandle *handle);
};

struct OrtGraphicsInteropConfig {
    uint32_t version;
    OrtGraphicsApi graphics_api;
    void *command_queue;
    const OrtKeyValuePairs *additional_options;
};

/*
 * Options of providers, from before there were keys and values. They have no version. A C++ program
 * gets ONNX Runtime's defaults in a new one, a C program what it writes.
 */
#ifdef __cplusplus
#define ORT_DEFAULT_(value) = value
#else
#define ORT_DEFAULT_(value)
#endif

struct OrtCUDAProviderOptions {
    int device_id ORT_DEFAULT_(0);
    OrtCudnnConvAlgoSearch cudnn_conv_algo_search ORT_DEFAULT_(OrtCudnnConvAlgoSearchExhaustive);
    size_t gpu_mem_limit ORT_DEFAULT_(SIZE_MAX);
    int arena_extend_strategy ORT_DEFAULT_(0);
    int do_copy_in_default_stream ORT_DEFAULT_(1);
    int has_user_compute_stream ORT_DEFAULT_(0);
    void *user_compute_stream ORT_DEFAULT_(NULL);
    OrtArenaCfg *default_memory_arena_cfg ORT_DEFAULT_(NULL);
    int tunable_op_enable ORT_DEFAULT_(0);
    int tunable_op_tuning_enable ORT_DEFAULT_(0);
    int tunable_op_max_tuning_duration_ms ORT_DEFAULT_(0);
};

struct OrtROCMProviderOptions {
    int device_id ORT_DEFAULT_(0);
    int miopen_conv_exhaustive_search ORT_DEFAULT_(0);
    size_t gpu_mem_limit ORT_DEFAULT_(SIZE_MAX);
    int arena_extend_strategy ORT_DEFAULT_(0);
    int do_copy_in_default_stream ORT_DEFAULT_(1);
    int has_user_compute_stream ORT_DEFAULT_(0);
    void *user_compute_stream ORT_DEFAULT_(NULL);
    OrtArenaCfg *default_memory_arena_cfg ORT_DEFAULT_(NULL);
    int enable_hip_graph ORT_DEFAULT_(0);
    int tunable_op_enable ORT_DEFAULT_(0);
    int tunable_op_tuning_enable ORT_DEFAULT_(0);
    int tunable_op_max_tuning_duration_ms ORT_DEFAULT_(0);
};

struct OrtTensorRTProviderOptions {
    int device_id;
    int has_user_compute_stream;
    void *user_compute_stream;
    int trt_max_partition_iterations;
    int trt_min_subgraph_size;
    size_t trt_max_workspace_size;
    int trt_fp16_enable;
    int trt_int8_enable;
    const char *trt_int8_calibration_table_name;
    int trt_int8_use_native_calibration_table;
    int trt_dla_enable;
    int trt_dla_core;
    int trt_dump_subgraphs;
    int trt_engine_cache_enable;
    const char *trt_engine_cache_path;
    int trt_engine_decryption_enable;
    const char *trt_engine_decryption_lib_path;
    int trt_force_sequential_engine_build;
};

struct OrtMIGraphXProviderOptions {
    int device_id;
    int migraphx_fp16_enable;
    int migraphx_fp8_enable;
    int migraphx_int8_enable;
    int migraphx_use_native_calibration_table;
    const char *migraphx_int8_calibration_table_name;
    int migraphx_save_compiled_model;
    const char *migraphx_save_model_path;
    int migraphx_load_compiled_model;
    const char *migraphx_load_model_path;
    bool migraphx_exhaustive_tune;
    size_t migraphx_mem_limit;
    int migraphx_arena_extend_strategy;
};

struct OrtOpenVINOProviderOptions {
    const char *device_type ORT_DEFAULT_(NULL);
    unsigned char enable_npu_fast_compile ORT_DEFAULT_(0);
    const char *device_id ORT_DEFAULT_(NULL);
    size_t num_of_threads ORT_DEFAULT_(0);
    const char *cache_dir ORT_DEFAULT_(NULL);
    void *context ORT_DEFAULT_(NULL);
    unsigned char enable_opencl_throttling ORT_DEFAULT_(0);
    unsigned char enable_dynamic_shapes ORT_DEFAULT_(0);
};

#undef ORT_DEFAULT_

/* ---- the tables -------------------------------------------------------------------------------- */

/* Where it begins. GetApi() gives NULL for a version that is not spoken here. */
struct OrtApiBase {
    const OrtApi *(ORT_API_CALL *GetApi)(uint32_t version);
    const char *(ORT_API_CALL *GetVersionString)(void);
};

ORT_EXPORT const OrtApiBase *OrtGetApiBase(void);

/* The main table. */
struct OrtApi {

    /* ---- since version 1 ---- */

    /* status */
    OrtStatus *(ORT_API_CALL *CreateStatus)(OrtErrorCode code, const char *msg);
    OrtErrorCode(ORT_API_CALL *GetErrorCode)(const OrtStatus *status);
    const char *(ORT_API_CALL *GetErrorMessage)(const OrtStatus *status);

    /* environment */
    OrtStatus *(ORT_API_CALL *CreateEnv)(OrtLoggingLevel log_severity_level, const char *logid,
                                         OrtEnv **out);
    OrtStatus *(ORT_API_CALL *CreateEnvWithCustomLogger)(OrtLoggingFunction logging_function,
                                                         void *logger_param,
                                                         OrtLoggingLevel log_severity_level,
                                                         const char *logid, OrtEnv **out);
    OrtStatus *(ORT_API_CALL *EnableTelemetryEvents)(const OrtEnv *env);
    OrtStatus *(ORT_API_CALL *DisableTelemetryEvents)(const OrtEnv *env);

    /* sessions */
    OrtStatus *(ORT_API_CALL *CreateSession)(const OrtEnv *env, const ORTCHAR_T *model_path,
                                             const OrtSessionOptions *options, OrtSession **out);
    OrtStatus *(ORT_API_CALL *CreateSessionFromArray)(const OrtEnv *env, const void *model_data,
                                                      size_t model_data_length,
                                                      const OrtSessionOptions *options,
                                                      OrtSession **out);

    /* running */
    OrtStatus *(ORT_API_CALL *Run)(OrtSession *session, const OrtRunOptions *run_options,
                                   const char *const *input_names, const OrtValue *const *inputs,
                                   size_t input_len, const char *const *output_names,
                                   size_t output_names_len, OrtValue **outputs);

    /* session options */
    OrtStatus *(ORT_API_CALL *CreateSessionOptions)(OrtSessionOptions **options);
    OrtStatus *(ORT_API_CALL *SetOptimizedModelFilePath)(OrtSessionOptions *options,
                                                         const ORTCHAR_T *optimized_model_filepath);
    OrtStatus *(ORT_API_CALL *CloneSessionOptions)(const OrtSessionOptions *in_options,
                                                   OrtSessionOptions **out_options);
    OrtStatus *(ORT_API_CALL *SetSessionExecutionMode)(OrtSessionOptions *options,
                                                       ExecutionMode execution_mode);
    OrtStatus *(ORT_API_CALL *EnableProfiling)(OrtSessionOptions *options,
                                               const ORTCHAR_T *profile_file_prefix);
    OrtStatus *(ORT_API_CALL *DisableProfiling)(OrtSessionOptions *options);
    OrtStatus *(ORT_API_CALL *EnableMemPattern)(OrtSessionOptions *options);
    OrtStatus *(ORT_API_CALL *DisableMemPattern)(OrtSessionOptions *options);
    OrtStatus *(ORT_API_CALL *EnableCpuMemArena)(OrtSessionOptions *options);
    OrtStatus *(ORT_API_CALL *DisableCpuMemArena)(OrtSessionOptions *options);
    OrtStatus *(ORT_API_CALL *SetSessionLogId)(OrtSessionOptions *options, const char *logid);
    OrtStatus *(ORT_API_CALL *SetSessionLogVerbosityLevel)(OrtSessionOptions *options,
                                                           int session_log_verbosity_level);
    OrtStatus *(ORT_API_CALL *SetSessionLogSeverityLevel)(OrtSessionOptions *options,
                                                          int session_log_severity_level);
    OrtStatus *(ORT_API_CALL *SetSessionGraphOptimizationLevel)(
        OrtSessionOptions *options, GraphOptimizationLevel graph_optimization_level);
    OrtStatus *(ORT_API_CALL *SetIntraOpNumThreads)(OrtSessionOptions *options,
                                                    int intra_op_num_threads);
    OrtStatus *(ORT_API_CALL *SetInterOpNumThreads)(OrtSessionOptions *options,
                                                    int inter_op_num_threads);

    /* custom operators */
    OrtStatus *(ORT_API_CALL *CreateCustomOpDomain)(const char *domain, OrtCustomOpDomain **out);
    OrtStatus *(ORT_API_CALL *CustomOpDomain_Add)(OrtCustomOpDomain *custom_op_domain,
                                                  const OrtCustomOp *op);
    OrtStatus *(ORT_API_CALL *AddCustomOpDomain)(OrtSessionOptions *options,
                                                 OrtCustomOpDomain *custom_op_domain);
    OrtStatus *(ORT_API_CALL *RegisterCustomOpsLibrary)(OrtSessionOptions *options,
                                                        const char *library_path,
                                                        void **library_handle);

    /* sessions */
    OrtStatus *(ORT_API_CALL *SessionGetInputCount)(const OrtSession *session, size_t *out);
    OrtStatus *(ORT_API_CALL *SessionGetOutputCount)(const OrtSession *session, size_t *out);
    OrtStatus *(ORT_API_CALL *SessionGetOverridableInitializerCount)(const OrtSession *session,
                                                                     size_t *out);
    OrtStatus *(ORT_API_CALL *SessionGetInputTypeInfo)(const OrtSession *session, size_t index,
                                                       OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *SessionGetOutputTypeInfo)(const OrtSession *session, size_t index,
                                                        OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *SessionGetOverridableInitializerTypeInfo)(const OrtSession *session,
                                                                        size_t index,
                                                                        OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *SessionGetInputName)(const OrtSession *session, size_t index,
                                                   OrtAllocator *allocator, char **value);
    OrtStatus *(ORT_API_CALL *SessionGetOutputName)(const OrtSession *session, size_t index,
                                                    OrtAllocator *allocator, char **value);
    OrtStatus *(ORT_API_CALL *SessionGetOverridableInitializerName)(const OrtSession *session,
                                                                    size_t index,
                                                                    OrtAllocator *allocator,
                                                                    char **value);

    /* run options */
    OrtStatus *(ORT_API_CALL *CreateRunOptions)(OrtRunOptions **out);
    OrtStatus *(ORT_API_CALL *RunOptionsSetRunLogVerbosityLevel)(OrtRunOptions *options,
                                                                 int log_verbosity_level);
    OrtStatus *(ORT_API_CALL *RunOptionsSetRunLogSeverityLevel)(OrtRunOptions *options,
                                                                int log_severity_level);
    OrtStatus *(ORT_API_CALL *RunOptionsSetRunTag)(OrtRunOptions *options, const char *run_tag);
    OrtStatus *(ORT_API_CALL *RunOptionsGetRunLogVerbosityLevel)(const OrtRunOptions *options,
                                                                 int *log_verbosity_level);
    OrtStatus *(ORT_API_CALL *RunOptionsGetRunLogSeverityLevel)(const OrtRunOptions *options,
                                                                int *log_severity_level);
    OrtStatus *(ORT_API_CALL *RunOptionsGetRunTag)(const OrtRunOptions *options,
                                                   const char **run_tag);
    OrtStatus *(ORT_API_CALL *RunOptionsSetTerminate)(OrtRunOptions *options);
    OrtStatus *(ORT_API_CALL *RunOptionsUnsetTerminate)(OrtRunOptions *options);

    /* tensors */
    OrtStatus *(ORT_API_CALL *CreateTensorAsOrtValue)(OrtAllocator *allocator, const int64_t *shape,
                                                      size_t shape_len,
                                                      ONNXTensorElementDataType type,
                                                      OrtValue **out);
    OrtStatus *(ORT_API_CALL *CreateTensorWithDataAsOrtValue)(
        const OrtMemoryInfo *info, void *p_data, size_t p_data_len, const int64_t *shape,
        size_t shape_len, ONNXTensorElementDataType type, OrtValue **out);
    OrtStatus *(ORT_API_CALL *IsTensor)(const OrtValue *value, int *out);
    OrtStatus *(ORT_API_CALL *GetTensorMutableData)(OrtValue *value, void **out);

    /* tensors of strings */
    OrtStatus *(ORT_API_CALL *FillStringTensor)(OrtValue *value, const char *const *s,
                                                size_t s_len);
    OrtStatus *(ORT_API_CALL *GetStringTensorDataLength)(const OrtValue *value, size_t *len);
    OrtStatus *(ORT_API_CALL *GetStringTensorContent)(const OrtValue *value, void *s, size_t s_len,
                                                      size_t *offsets, size_t offsets_len);

    /* types and shapes */
    OrtStatus *(ORT_API_CALL *CastTypeInfoToTensorInfo)(const OrtTypeInfo *type_info,
                                                        const OrtTensorTypeAndShapeInfo **out);
    OrtStatus *(ORT_API_CALL *GetOnnxTypeFromTypeInfo)(const OrtTypeInfo *type_info, ONNXType *out);
    OrtStatus *(ORT_API_CALL *CreateTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo **out);
    OrtStatus *(ORT_API_CALL *SetTensorElementType)(OrtTensorTypeAndShapeInfo *info,
                                                    ONNXTensorElementDataType type);
    OrtStatus *(ORT_API_CALL *SetDimensions)(OrtTensorTypeAndShapeInfo *info,
                                             const int64_t *dim_values, size_t dim_count);
    OrtStatus *(ORT_API_CALL *GetTensorElementType)(const OrtTensorTypeAndShapeInfo *info,
                                                    ONNXTensorElementDataType *out);
    OrtStatus *(ORT_API_CALL *GetDimensionsCount)(const OrtTensorTypeAndShapeInfo *info,
                                                  size_t *out);
    OrtStatus *(ORT_API_CALL *GetDimensions)(const OrtTensorTypeAndShapeInfo *info,
                                             int64_t *dim_values, size_t dim_values_length);
    OrtStatus *(ORT_API_CALL *GetSymbolicDimensions)(const OrtTensorTypeAndShapeInfo *info,
                                                     const char *dim_params[],
                                                     size_t dim_params_length);
    OrtStatus *(ORT_API_CALL *GetTensorShapeElementCount)(const OrtTensorTypeAndShapeInfo *info,
                                                          size_t *out);
    OrtStatus *(ORT_API_CALL *GetTensorTypeAndShape)(const OrtValue *value,
                                                     OrtTensorTypeAndShapeInfo **out);
    OrtStatus *(ORT_API_CALL *GetTypeInfo)(const OrtValue *value, OrtTypeInfo **out);

    /* tensors */
    OrtStatus *(ORT_API_CALL *GetValueType)(const OrtValue *value, ONNXType *out);

    /* where memory is */
    OrtStatus *(ORT_API_CALL *CreateMemoryInfo)(const char *name, OrtAllocatorType type, int id,
                                                OrtMemType mem_type, OrtMemoryInfo **out);
    OrtStatus *(ORT_API_CALL *CreateCpuMemoryInfo)(OrtAllocatorType type, OrtMemType mem_type,
                                                   OrtMemoryInfo **out);
    OrtStatus *(ORT_API_CALL *CompareMemoryInfo)(const OrtMemoryInfo *info1,
                                                 const OrtMemoryInfo *info2, int *out);
    OrtStatus *(ORT_API_CALL *MemoryInfoGetName)(const OrtMemoryInfo *ptr, const char **out);
    OrtStatus *(ORT_API_CALL *MemoryInfoGetId)(const OrtMemoryInfo *ptr, int *out);
    OrtStatus *(ORT_API_CALL *MemoryInfoGetMemType)(const OrtMemoryInfo *ptr, OrtMemType *out);
    OrtStatus *(ORT_API_CALL *MemoryInfoGetType)(const OrtMemoryInfo *ptr, OrtAllocatorType *out);

    /* allocators */
    OrtStatus *(ORT_API_CALL *AllocatorAlloc)(OrtAllocator *ort_allocator, size_t size, void **out);
    OrtStatus *(ORT_API_CALL *AllocatorFree)(OrtAllocator *ort_allocator, void *p);
    OrtStatus *(ORT_API_CALL *AllocatorGetInfo)(const OrtAllocator *ort_allocator,
                                                const OrtMemoryInfo **out);
    OrtStatus *(ORT_API_CALL *GetAllocatorWithDefaultOptions)(OrtAllocator **out);

    /* session options */
    OrtStatus *(ORT_API_CALL *AddFreeDimensionOverride)(OrtSessionOptions *options,
                                                        const char *dim_denotation,
                                                        int64_t dim_value);

    /* sequences, maps, optionals */
    OrtStatus *(ORT_API_CALL *GetValue)(const OrtValue *value, int index, OrtAllocator *allocator,
                                        OrtValue **out);
    OrtStatus *(ORT_API_CALL *GetValueCount)(const OrtValue *value, size_t *out);
    OrtStatus *(ORT_API_CALL *CreateValue)(const OrtValue *const *in, size_t num_values,
                                           ONNXType value_type, OrtValue **out);
    OrtStatus *(ORT_API_CALL *CreateOpaqueValue)(const char *domain_name, const char *type_name,
                                                 const void *data_container,
                                                 size_t data_container_size, OrtValue **out);
    OrtStatus *(ORT_API_CALL *GetOpaqueValue)(const char *domain_name, const char *type_name,
                                              const OrtValue *in, void *data_container,
                                              size_t data_container_size);

    /* what a kernel is made from */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttribute_float)(const OrtKernelInfo *info,
                                                            const char *name, float *out);
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttribute_int64)(const OrtKernelInfo *info,
                                                            const char *name, int64_t *out);
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttribute_string)(const OrtKernelInfo *info,
                                                             const char *name, char *out,
                                                             size_t *size);

    /* what a running kernel sees */
    OrtStatus *(ORT_API_CALL *KernelContext_GetInputCount)(const OrtKernelContext *context,
                                                           size_t *out);
    OrtStatus *(ORT_API_CALL *KernelContext_GetOutputCount)(const OrtKernelContext *context,
                                                            size_t *out);
    OrtStatus *(ORT_API_CALL *KernelContext_GetInput)(const OrtKernelContext *context, size_t index,
                                                      const OrtValue **out);
    OrtStatus *(ORT_API_CALL *KernelContext_GetOutput)(OrtKernelContext *context, size_t index,
                                                       const int64_t *dim_values, size_t dim_count,
                                                       OrtValue **out);

    /* environment */
    void(ORT_API_CALL *ReleaseEnv)(OrtEnv *input);

    /* status */
    void(ORT_API_CALL *ReleaseStatus)(OrtStatus *input);

    /* where memory is */
    void(ORT_API_CALL *ReleaseMemoryInfo)(OrtMemoryInfo *input);

    /* sessions */
    void(ORT_API_CALL *ReleaseSession)(OrtSession *input);

    /* tensors */
    void(ORT_API_CALL *ReleaseValue)(OrtValue *input);

    /* run options */
    void(ORT_API_CALL *ReleaseRunOptions)(OrtRunOptions *input);

    /* types and shapes */
    void(ORT_API_CALL *ReleaseTypeInfo)(OrtTypeInfo *input);
    void(ORT_API_CALL *ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo *input);

    /* session options */
    void(ORT_API_CALL *ReleaseSessionOptions)(OrtSessionOptions *input);

    /* custom operators */
    void(ORT_API_CALL *ReleaseCustomOpDomain)(OrtCustomOpDomain *input);

    /* ---- since version 2 ---- */

    /* types and shapes */
    OrtStatus *(ORT_API_CALL *GetDenotationFromTypeInfo)(const OrtTypeInfo *type_info,
                                                         const char **const denotation,
                                                         size_t *len);

    /* sequences, maps, optionals */
    OrtStatus *(ORT_API_CALL *CastTypeInfoToMapTypeInfo)(const OrtTypeInfo *type_info,
                                                         const OrtMapTypeInfo **out);
    OrtStatus *(ORT_API_CALL *CastTypeInfoToSequenceTypeInfo)(const OrtTypeInfo *type_info,
                                                              const OrtSequenceTypeInfo **out);
    OrtStatus *(ORT_API_CALL *GetMapKeyType)(const OrtMapTypeInfo *map_type_info,
                                             ONNXTensorElementDataType *out);
    OrtStatus *(ORT_API_CALL *GetMapValueType)(const OrtMapTypeInfo *map_type_info,
                                               OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *GetSequenceElementType)(const OrtSequenceTypeInfo *sequence_type_info,
                                                      OrtTypeInfo **type_info);
    void(ORT_API_CALL *ReleaseMapTypeInfo)(OrtMapTypeInfo *input);
    void(ORT_API_CALL *ReleaseSequenceTypeInfo)(OrtSequenceTypeInfo *input);

    /* sessions */
    OrtStatus *(ORT_API_CALL *SessionEndProfiling)(OrtSession *session, OrtAllocator *allocator,
                                                   char **out);

    /* the model's own words */
    OrtStatus *(ORT_API_CALL *SessionGetModelMetadata)(const OrtSession *session,
                                                       OrtModelMetadata **out);
    OrtStatus *(ORT_API_CALL *ModelMetadataGetProducerName)(const OrtModelMetadata *model_metadata,
                                                            OrtAllocator *allocator, char **value);
    OrtStatus *(ORT_API_CALL *ModelMetadataGetGraphName)(const OrtModelMetadata *model_metadata,
                                                         OrtAllocator *allocator, char **value);
    OrtStatus *(ORT_API_CALL *ModelMetadataGetDomain)(const OrtModelMetadata *model_metadata,
                                                      OrtAllocator *allocator, char **value);
    OrtStatus *(ORT_API_CALL *ModelMetadataGetDescription)(const OrtModelMetadata *model_metadata,
                                                           OrtAllocator *allocator, char **value);
    OrtStatus *(ORT_API_CALL *ModelMetadataLookupCustomMetadataMap)(
        const OrtModelMetadata *model_metadata, OrtAllocator *allocator, const char *key,
        char **value);
    OrtStatus *(ORT_API_CALL *ModelMetadataGetVersion)(const OrtModelMetadata *model_metadata,
                                                       int64_t *value);
    void(ORT_API_CALL *ReleaseModelMetadata)(OrtModelMetadata *input);

    /* ---- since version 3 ---- */

    /* environment */
    OrtStatus *(ORT_API_CALL *CreateEnvWithGlobalThreadPools)(OrtLoggingLevel log_severity_level,
                                                              const char *logid,
                                                              const OrtThreadingOptions *tp_options,
                                                              OrtEnv **out);

    /* session options */
    OrtStatus *(ORT_API_CALL *DisablePerSessionThreads)(OrtSessionOptions *options);

    /* threads shared by sessions */
    OrtStatus *(ORT_API_CALL *CreateThreadingOptions)(OrtThreadingOptions **out);
    void(ORT_API_CALL *ReleaseThreadingOptions)(OrtThreadingOptions *input);

    /* sequences, maps, optionals */
    OrtStatus *(ORT_API_CALL *ModelMetadataGetCustomMetadataMapKeys)(
        const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char ***keys,
        int64_t *num_keys);

    /* session options */
    OrtStatus *(ORT_API_CALL *AddFreeDimensionOverrideByName)(OrtSessionOptions *options,
                                                              const char *dim_name,
                                                              int64_t dim_value);

    /* ---- since version 4 ---- */

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *GetAvailableProviders)(char ***out_ptr, int *provider_length);
    OrtStatus *(ORT_API_CALL *ReleaseAvailableProviders)(char **ptr, int providers_length);

    /* ---- since version 5 ---- */

    /* tensors of strings */
    OrtStatus *(ORT_API_CALL *GetStringTensorElementLength)(const OrtValue *value, size_t index,
                                                            size_t *out);
    OrtStatus *(ORT_API_CALL *GetStringTensorElement)(const OrtValue *value, size_t s_len,
                                                      size_t index, void *s);
    OrtStatus *(ORT_API_CALL *FillStringTensorElement)(OrtValue *value, const char *s,
                                                       size_t index);

    /* session options */
    OrtStatus *(ORT_API_CALL *AddSessionConfigEntry)(OrtSessionOptions *options,
                                                     const char *config_key,
                                                     const char *config_value);

    /* allocators */
    OrtStatus *(ORT_API_CALL *CreateAllocator)(const OrtSession *session,
                                               const OrtMemoryInfo *mem_info, OrtAllocator **out);
    void(ORT_API_CALL *ReleaseAllocator)(OrtAllocator *input);

    /* bound inputs and outputs */
    OrtStatus *(ORT_API_CALL *RunWithBinding)(OrtSession *session, const OrtRunOptions *run_options,
                                              const OrtIoBinding *binding_ptr);
    OrtStatus *(ORT_API_CALL *CreateIoBinding)(OrtSession *session, OrtIoBinding **out);
    void(ORT_API_CALL *ReleaseIoBinding)(OrtIoBinding *input);
    OrtStatus *(ORT_API_CALL *BindInput)(OrtIoBinding *binding_ptr, const char *name,
                                         const OrtValue *val_ptr);
    OrtStatus *(ORT_API_CALL *BindOutput)(OrtIoBinding *binding_ptr, const char *name,
                                          const OrtValue *val_ptr);
    OrtStatus *(ORT_API_CALL *BindOutputToDevice)(OrtIoBinding *binding_ptr, const char *name,
                                                  const OrtMemoryInfo *mem_info_ptr);
    OrtStatus *(ORT_API_CALL *GetBoundOutputNames)(const OrtIoBinding *binding_ptr,
                                                   OrtAllocator *allocator, char **buffer,
                                                   size_t **lengths, size_t *count);
    OrtStatus *(ORT_API_CALL *GetBoundOutputValues)(const OrtIoBinding *binding_ptr,
                                                    OrtAllocator *allocator, OrtValue ***output,
                                                    size_t *output_count);
    void(ORT_API_CALL *ClearBoundInputs)(OrtIoBinding *binding_ptr);
    void(ORT_API_CALL *ClearBoundOutputs)(OrtIoBinding *binding_ptr);

    /* tensors */
    OrtStatus *(ORT_API_CALL *TensorAt)(OrtValue *value, const int64_t *location_values,
                                        size_t location_values_count, void **out);

    /* allocators */
    OrtStatus *(ORT_API_CALL *CreateAndRegisterAllocator)(OrtEnv *env,
                                                          const OrtMemoryInfo *mem_info,
                                                          const OrtArenaCfg *arena_cfg);

    /* environment */
    OrtStatus *(ORT_API_CALL *SetLanguageProjection)(const OrtEnv *ort_env,
                                                     OrtLanguageProjection projection);

    /* sessions */
    OrtStatus *(ORT_API_CALL *SessionGetProfilingStartTimeNs)(const OrtSession *session,
                                                              uint64_t *out);

    /* threads shared by sessions */
    OrtStatus *(ORT_API_CALL *SetGlobalIntraOpNumThreads)(OrtThreadingOptions *tp_options,
                                                          int intra_op_num_threads);
    OrtStatus *(ORT_API_CALL *SetGlobalInterOpNumThreads)(OrtThreadingOptions *tp_options,
                                                          int inter_op_num_threads);
    OrtStatus *(ORT_API_CALL *SetGlobalSpinControl)(OrtThreadingOptions *tp_options,
                                                    int allow_spinning);

    /* ---- since version 6 ---- */

    /* session options */
    OrtStatus *(ORT_API_CALL *AddInitializer)(OrtSessionOptions *options, const char *name,
                                              const OrtValue *val);

    /* environment */
    OrtStatus *(ORT_API_CALL *CreateEnvWithCustomLoggerAndGlobalThreadPools)(
        OrtLoggingFunction logging_function, void *logger_param, OrtLoggingLevel log_severity_level,
        const char *logid, const OrtThreadingOptions *tp_options, OrtEnv **out);

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_CUDA)(
        OrtSessionOptions *options, const OrtCUDAProviderOptions *cuda_options);
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_ROCM)(
        OrtSessionOptions *options, const OrtROCMProviderOptions *rocm_options);
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_OpenVINO)(
        OrtSessionOptions *options, const OrtOpenVINOProviderOptions *provider_options);

    /* threads shared by sessions */
    OrtStatus *(ORT_API_CALL *SetGlobalDenormalAsZero)(OrtThreadingOptions *tp_options);

    /* allocators */
    OrtStatus *(ORT_API_CALL *CreateArenaCfg)(size_t max_mem, int arena_extend_strategy,
                                              int initial_chunk_size_bytes,
                                              int max_dead_bytes_per_chunk, OrtArenaCfg **out);
    void(ORT_API_CALL *ReleaseArenaCfg)(OrtArenaCfg *input);

    /* ---- since version 7 ---- */

    /* the model's own words */
    OrtStatus *(ORT_API_CALL *ModelMetadataGetGraphDescription)(
        const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char **value);

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_TensorRT)(
        OrtSessionOptions *options, const OrtTensorRTProviderOptions *tensorrt_options);
    OrtStatus *(ORT_API_CALL *SetCurrentGpuDeviceId)(int device_id);
    OrtStatus *(ORT_API_CALL *GetCurrentGpuDeviceId)(int *device_id);

    /* ---- since version 8 ---- */

    /* what a kernel is made from */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttributeArray_float)(const OrtKernelInfo *info,
                                                                 const char *name, float *out,
                                                                 size_t *size);
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttributeArray_int64)(const OrtKernelInfo *info,
                                                                 const char *name, int64_t *out,
                                                                 size_t *size);

    /* allocators */
    OrtStatus *(ORT_API_CALL *CreateArenaCfgV2)(const char *const *arena_config_keys,
                                                const size_t *arena_config_values, size_t num_keys,
                                                OrtArenaCfg **out);

    /* run options */
    OrtStatus *(ORT_API_CALL *AddRunConfigEntry)(OrtRunOptions *options, const char *config_key,
                                                 const char *config_value);

    /* weights shared by sessions */
    OrtStatus *(ORT_API_CALL *CreatePrepackedWeightsContainer)(OrtPrepackedWeightsContainer **out);
    void(ORT_API_CALL *ReleasePrepackedWeightsContainer)(OrtPrepackedWeightsContainer *input);
    OrtStatus *(ORT_API_CALL *CreateSessionWithPrepackedWeightsContainer)(
        const OrtEnv *env, const ORTCHAR_T *model_path, const OrtSessionOptions *options,
        OrtPrepackedWeightsContainer *prepacked_weights_container, OrtSession **out);
    OrtStatus *(ORT_API_CALL *CreateSessionFromArrayWithPrepackedWeightsContainer)(
        const OrtEnv *env, const void *model_data, size_t model_data_length,
        const OrtSessionOptions *options, OrtPrepackedWeightsContainer *prepacked_weights_container,
        OrtSession **out);

    /* ---- since version 9 ---- */

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_TensorRT_V2)(
        OrtSessionOptions *options, const OrtTensorRTProviderOptionsV2 *tensorrt_options);
    OrtStatus *(ORT_API_CALL *CreateTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2 **out);
    OrtStatus *(ORT_API_CALL *UpdateTensorRTProviderOptions)(
        OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys);
    OrtStatus *(ORT_API_CALL *GetTensorRTProviderOptionsAsString)(
        const OrtTensorRTProviderOptionsV2 *tensorrt_options, OrtAllocator *allocator, char **ptr);
    void(ORT_API_CALL *ReleaseTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2 *input);

    /* custom operators */
    OrtStatus *(ORT_API_CALL *EnableOrtCustomOps)(OrtSessionOptions *options);

    /* allocators */
    OrtStatus *(ORT_API_CALL *RegisterAllocator)(OrtEnv *env, OrtAllocator *allocator);
    OrtStatus *(ORT_API_CALL *UnregisterAllocator)(OrtEnv *env, const OrtMemoryInfo *mem_info);

    /* sparse tensors */
    OrtStatus *(ORT_API_CALL *IsSparseTensor)(const OrtValue *value, int *out);
    OrtStatus *(ORT_API_CALL *CreateSparseTensorAsOrtValue)(OrtAllocator *allocator,
                                                            const int64_t *dense_shape,
                                                            size_t dense_shape_len,
                                                            ONNXTensorElementDataType type,
                                                            OrtValue **out);
    OrtStatus *(ORT_API_CALL *FillSparseTensorCoo)(OrtValue *ort_value,
                                                   const OrtMemoryInfo *data_mem_info,
                                                   const int64_t *values_shape,
                                                   size_t values_shape_len, const void *values,
                                                   const int64_t *indices_data, size_t indices_num);
    OrtStatus *(ORT_API_CALL *FillSparseTensorCsr)(
        OrtValue *ort_value, const OrtMemoryInfo *data_mem_info, const int64_t *values_shape,
        size_t values_shape_len, const void *values, const int64_t *inner_indices_data,
        size_t inner_indices_num, const int64_t *outer_indices_data, size_t outer_indices_num);
    OrtStatus *(ORT_API_CALL *FillSparseTensorBlockSparse)(
        OrtValue *ort_value, const OrtMemoryInfo *data_mem_info, const int64_t *values_shape,
        size_t values_shape_len, const void *values, const int64_t *indices_shape_data,
        size_t indices_shape_len, const int32_t *indices_data);
    OrtStatus *(ORT_API_CALL *CreateSparseTensorWithValuesAsOrtValue)(
        const OrtMemoryInfo *info, void *p_data, const int64_t *dense_shape, size_t dense_shape_len,
        const int64_t *values_shape, size_t values_shape_len, ONNXTensorElementDataType type,
        OrtValue **out);
    OrtStatus *(ORT_API_CALL *UseCooIndices)(OrtValue *ort_value, int64_t *indices_data,
                                             size_t indices_num);
    OrtStatus *(ORT_API_CALL *UseCsrIndices)(OrtValue *ort_value, int64_t *inner_data,
                                             size_t inner_num, int64_t *outer_data,
                                             size_t outer_num);
    OrtStatus *(ORT_API_CALL *UseBlockSparseIndices)(OrtValue *ort_value,
                                                     const int64_t *indices_shape,
                                                     size_t indices_shape_len,
                                                     int32_t *indices_data);
    OrtStatus *(ORT_API_CALL *GetSparseTensorFormat)(const OrtValue *ort_value,
                                                     OrtSparseFormat *out);
    OrtStatus *(ORT_API_CALL *GetSparseTensorValuesTypeAndShape)(const OrtValue *ort_value,
                                                                 OrtTensorTypeAndShapeInfo **out);
    OrtStatus *(ORT_API_CALL *GetSparseTensorValues)(const OrtValue *ort_value, const void **out);
    OrtStatus *(ORT_API_CALL *GetSparseTensorIndicesTypeShape)(
        const OrtValue *ort_value, OrtSparseIndicesFormat indices_format,
        OrtTensorTypeAndShapeInfo **out);
    OrtStatus *(ORT_API_CALL *GetSparseTensorIndices)(const OrtValue *ort_value,
                                                      OrtSparseIndicesFormat indices_format,
                                                      size_t *num_indices, const void **indices);

    /* ---- since version 10 ---- */

    /* sequences, maps, optionals */
    OrtStatus *(ORT_API_CALL *HasValue)(const OrtValue *value, int *out);

    /* what a running kernel sees */
    OrtStatus *(ORT_API_CALL *KernelContext_GetGPUComputeStream)(const OrtKernelContext *context,
                                                                 void **out);

    /* tensors */
    OrtStatus *(ORT_API_CALL *GetTensorMemoryInfo)(const OrtValue *value,
                                                   const OrtMemoryInfo **mem_info);

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *GetExecutionProviderApi)(const char *provider_name, uint32_t version,
                                                       const void **provider_api);

    /* session options */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetCustomCreateThreadFn)(
        OrtSessionOptions *options, OrtCustomCreateThreadFn ort_custom_create_thread_fn);
    OrtStatus *(ORT_API_CALL *SessionOptionsSetCustomThreadCreationOptions)(
        OrtSessionOptions *options, void *ort_custom_thread_creation_options);
    OrtStatus *(ORT_API_CALL *SessionOptionsSetCustomJoinThreadFn)(
        OrtSessionOptions *options, OrtCustomJoinThreadFn ort_custom_join_thread_fn);

    /* threads shared by sessions */
    OrtStatus *(ORT_API_CALL *SetGlobalCustomCreateThreadFn)(
        OrtThreadingOptions *tp_options, OrtCustomCreateThreadFn ort_custom_create_thread_fn);
    OrtStatus *(ORT_API_CALL *SetGlobalCustomThreadCreationOptions)(
        OrtThreadingOptions *tp_options, void *ort_custom_thread_creation_options);
    OrtStatus *(ORT_API_CALL *SetGlobalCustomJoinThreadFn)(
        OrtThreadingOptions *tp_options, OrtCustomJoinThreadFn ort_custom_join_thread_fn);

    /* bound inputs and outputs */
    OrtStatus *(ORT_API_CALL *SynchronizeBoundInputs)(OrtIoBinding *binding_ptr);
    OrtStatus *(ORT_API_CALL *SynchronizeBoundOutputs)(OrtIoBinding *binding_ptr);

    /* ---- since version 11 ---- */

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_CUDA_V2)(
        OrtSessionOptions *options, const OrtCUDAProviderOptionsV2 *cuda_options);
    OrtStatus *(ORT_API_CALL *CreateCUDAProviderOptions)(OrtCUDAProviderOptionsV2 **out);
    OrtStatus *(ORT_API_CALL *UpdateCUDAProviderOptions)(OrtCUDAProviderOptionsV2 *cuda_options,
                                                         const char *const *provider_options_keys,
                                                         const char *const *provider_options_values,
                                                         size_t num_keys);
    OrtStatus *(ORT_API_CALL *GetCUDAProviderOptionsAsString)(
        const OrtCUDAProviderOptionsV2 *cuda_options, OrtAllocator *allocator, char **ptr);
    void(ORT_API_CALL *ReleaseCUDAProviderOptions)(OrtCUDAProviderOptionsV2 *input);
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_MIGraphX)(
        OrtSessionOptions *options, const OrtMIGraphXProviderOptions *migraphx_options);

    /* ---- since version 12 ---- */

    /* session options */
    OrtStatus *(ORT_API_CALL *AddExternalInitializers)(OrtSessionOptions *options,
                                                       const char *const *initializer_names,
                                                       const OrtValue *const *initializers,
                                                       size_t num_initializers);

    /* attributes */
    OrtStatus *(ORT_API_CALL *CreateOpAttr)(const char *name, const void *data, int len,
                                            OrtOpAttrType type, OrtOpAttr **op_attr);
    void(ORT_API_CALL *ReleaseOpAttr)(OrtOpAttr *input);

    /* custom operators */
    OrtStatus *(ORT_API_CALL *CreateOp)(const OrtKernelInfo *info, const char *op_name,
                                        const char *domain, int version,
                                        const char **type_constraint_names,
                                        const ONNXTensorElementDataType *type_constraint_values,
                                        int type_constraint_count,
                                        const OrtOpAttr *const *attr_values, int attr_count,
                                        int input_count, int output_count, OrtOp **ort_op);
    OrtStatus *(ORT_API_CALL *InvokeOp)(const OrtKernelContext *context, const OrtOp *ort_op,
                                        const OrtValue *const *input_values, int input_count,
                                        OrtValue *const *output_values, int output_count);
    void(ORT_API_CALL *ReleaseOp)(OrtOp *input);

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider)(
        OrtSessionOptions *options, const char *provider_name,
        const char *const *provider_options_keys, const char *const *provider_options_values,
        size_t num_keys);

    /* what a kernel is made from */
    OrtStatus *(ORT_API_CALL *CopyKernelInfo)(const OrtKernelInfo *info, OrtKernelInfo **info_copy);
    void(ORT_API_CALL *ReleaseKernelInfo)(OrtKernelInfo *input);

    /* ---- since version 13 ---- */

    /* other tables */
    const OrtTrainingApi *(ORT_API_CALL *GetTrainingApi)(uint32_t version);

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_CANN)(
        OrtSessionOptions *options, const OrtCANNProviderOptions *cann_options);
    OrtStatus *(ORT_API_CALL *CreateCANNProviderOptions)(OrtCANNProviderOptions **out);
    OrtStatus *(ORT_API_CALL *UpdateCANNProviderOptions)(OrtCANNProviderOptions *cann_options,
                                                         const char *const *provider_options_keys,
                                                         const char *const *provider_options_values,
                                                         size_t num_keys);
    OrtStatus *(ORT_API_CALL *GetCANNProviderOptionsAsString)(
        const OrtCANNProviderOptions *cann_options, OrtAllocator *allocator, char **ptr);
    void(ORT_API_CALL *ReleaseCANNProviderOptions)(OrtCANNProviderOptions *input);

    /* ---- since version 14 ---- */

    /* where memory is */
    void(ORT_API_CALL *MemoryInfoGetDeviceType)(const OrtMemoryInfo *ptr,
                                                OrtMemoryInfoDeviceType *out);

    /* environment */
    OrtStatus *(ORT_API_CALL *UpdateEnvWithCustomLogLevel)(OrtEnv *ort_env,
                                                           OrtLoggingLevel log_severity_level);

    /* threads shared by sessions */
    OrtStatus *(ORT_API_CALL *SetGlobalIntraOpThreadAffinity)(OrtThreadingOptions *tp_options,
                                                              const char *affinity_string);

    /* custom operators */
    OrtStatus *(ORT_API_CALL *RegisterCustomOpsLibrary_V2)(OrtSessionOptions *options,
                                                           const ORTCHAR_T *library_name);
    OrtStatus *(ORT_API_CALL *RegisterCustomOpsUsingFunction)(OrtSessionOptions *options,
                                                              const char *registration_func_name);

    /* what a kernel is made from */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetInputCount)(const OrtKernelInfo *info, size_t *out);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOutputCount)(const OrtKernelInfo *info, size_t *out);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetInputName)(const OrtKernelInfo *info, size_t index,
                                                       char *out, size_t *size);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOutputName)(const OrtKernelInfo *info, size_t index,
                                                        char *out, size_t *size);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetInputTypeInfo)(const OrtKernelInfo *info, size_t index,
                                                           OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOutputTypeInfo)(const OrtKernelInfo *info, size_t index,
                                                            OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttribute_tensor)(const OrtKernelInfo *info,
                                                             const char *name,
                                                             OrtAllocator *allocator,
                                                             OrtValue **out);

    /* session options */
    OrtStatus *(ORT_API_CALL *HasSessionConfigEntry)(const OrtSessionOptions *options,
                                                     const char *config_key, int *out);
    OrtStatus *(ORT_API_CALL *GetSessionConfigEntry)(const OrtSessionOptions *options,
                                                     const char *config_key, char *config_value,
                                                     size_t *size);

    /* ---- since version 15 ---- */

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_Dnnl)(
        OrtSessionOptions *options, const OrtDnnlProviderOptions *dnnl_options);
    OrtStatus *(ORT_API_CALL *CreateDnnlProviderOptions)(OrtDnnlProviderOptions **out);
    OrtStatus *(ORT_API_CALL *UpdateDnnlProviderOptions)(OrtDnnlProviderOptions *dnnl_options,
                                                         const char *const *provider_options_keys,
                                                         const char *const *provider_options_values,
                                                         size_t num_keys);
    OrtStatus *(ORT_API_CALL *GetDnnlProviderOptionsAsString)(
        const OrtDnnlProviderOptions *dnnl_options, OrtAllocator *allocator, char **ptr);
    void(ORT_API_CALL *ReleaseDnnlProviderOptions)(OrtDnnlProviderOptions *input);

    /* what a kernel is made from */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetNodeName)(const OrtKernelInfo *info, char *out,
                                                      size_t *size);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetLogger)(const OrtKernelInfo *info,
                                                    const OrtLogger **logger);

    /* what a running kernel sees */
    OrtStatus *(ORT_API_CALL *KernelContext_GetLogger)(const OrtKernelContext *context,
                                                       const OrtLogger **logger);

    /* logging */
    OrtStatus *(ORT_API_CALL *Logger_LogMessage)(const OrtLogger *logger,
                                                 OrtLoggingLevel log_severity_level,
                                                 const char *message, const ORTCHAR_T *file_path,
                                                 int line_number, const char *func_name);
    OrtStatus *(ORT_API_CALL *Logger_GetLoggingSeverityLevel)(const OrtLogger *logger,
                                                              OrtLoggingLevel *out);

    /* what a kernel is made from */
    OrtStatus *(ORT_API_CALL *KernelInfoGetConstantInput_tensor)(const OrtKernelInfo *info,
                                                                 size_t index, int *is_constant,
                                                                 const OrtValue **out);

    /* sequences, maps, optionals */
    OrtStatus *(ORT_API_CALL *CastTypeInfoToOptionalTypeInfo)(const OrtTypeInfo *type_info,
                                                              const OrtOptionalTypeInfo **out);
    OrtStatus *(ORT_API_CALL *GetOptionalContainedTypeInfo)(
        const OrtOptionalTypeInfo *optional_type_info, OrtTypeInfo **out);

    /* tensors of strings */
    OrtStatus *(ORT_API_CALL *GetResizedStringTensorElementBuffer)(OrtValue *value, size_t index,
                                                                   size_t length_in_bytes,
                                                                   char **buffer);

    /* what a running kernel sees */
    OrtStatus *(ORT_API_CALL *KernelContext_GetAllocator)(const OrtKernelContext *context,
                                                          const OrtMemoryInfo *mem_info,
                                                          OrtAllocator **out);

    /* other tables */
    const char *(ORT_API_CALL *GetBuildInfoString)(void);

    /* ---- since version 16 ---- */

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *CreateROCMProviderOptions)(OrtROCMProviderOptions **out);
    OrtStatus *(ORT_API_CALL *UpdateROCMProviderOptions)(OrtROCMProviderOptions *rocm_options,
                                                         const char *const *provider_options_keys,
                                                         const char *const *provider_options_values,
                                                         size_t num_keys);
    OrtStatus *(ORT_API_CALL *GetROCMProviderOptionsAsString)(
        const OrtROCMProviderOptions *rocm_options, OrtAllocator *allocator, char **ptr);
    void(ORT_API_CALL *ReleaseROCMProviderOptions)(OrtROCMProviderOptions *input);

    /* allocators */
    OrtStatus *(ORT_API_CALL *CreateAndRegisterAllocatorV2)(
        OrtEnv *env, const char *provider_type, const OrtMemoryInfo *mem_info,
        const OrtArenaCfg *arena_cfg, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys);

    /* running */
    OrtStatus *(ORT_API_CALL *RunAsync)(OrtSession *session, const OrtRunOptions *run_options,
                                        const char *const *input_names,
                                        const OrtValue *const *input, size_t input_len,
                                        const char *const *output_names, size_t output_names_len,
                                        OrtValue **output, RunAsyncCallbackFn run_async_callback,
                                        void *user_data);

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *UpdateTensorRTProviderOptionsWithValue)(
        OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *key, void *value);
    OrtStatus *(ORT_API_CALL *GetTensorRTProviderOptionsByName)(
        const OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *key, void **ptr);
    OrtStatus *(ORT_API_CALL *UpdateCUDAProviderOptionsWithValue)(
        OrtCUDAProviderOptionsV2 *cuda_options, const char *key, void *value);
    OrtStatus *(ORT_API_CALL *GetCUDAProviderOptionsByName)(
        const OrtCUDAProviderOptionsV2 *cuda_options, const char *key, void **ptr);

    /* what a running kernel sees */
    OrtStatus *(ORT_API_CALL *KernelContext_GetResource)(const OrtKernelContext *context,
                                                         int resource_version, int resource_id,
                                                         void **resource);

    /* ---- since version 17 ---- */

    /* logging */
    OrtStatus *(ORT_API_CALL *SetUserLoggingFunction)(OrtSessionOptions *options,
                                                      OrtLoggingFunction user_logging_function,
                                                      void *user_logging_param);

    /* custom operators */
    OrtStatus *(ORT_API_CALL *ShapeInferContext_GetInputCount)(const OrtShapeInferContext *context,
                                                               size_t *out);
    OrtStatus *(ORT_API_CALL *ShapeInferContext_GetInputTypeShape)(
        const OrtShapeInferContext *context, size_t index, OrtTensorTypeAndShapeInfo **info);
    OrtStatus *(ORT_API_CALL *ShapeInferContext_GetAttribute)(const OrtShapeInferContext *context,
                                                              const char *attr_name,
                                                              const OrtOpAttr **attr);
    OrtStatus *(ORT_API_CALL *ShapeInferContext_SetOutputTypeShape)(
        const OrtShapeInferContext *context, size_t index, const OrtTensorTypeAndShapeInfo *info);

    /* types and shapes */
    OrtStatus *(ORT_API_CALL *SetSymbolicDimensions)(OrtTensorTypeAndShapeInfo *info,
                                                     const char *dim_params[],
                                                     size_t dim_params_length);

    /* attributes */
    OrtStatus *(ORT_API_CALL *ReadOpAttr)(const OrtOpAttr *op_attr, OrtOpAttrType type, void *data,
                                          size_t len, size_t *out);

    /* session options */
    OrtStatus *(ORT_API_CALL *SetDeterministicCompute)(OrtSessionOptions *options, bool value);

    /* what a running kernel sees */
    OrtStatus *(ORT_API_CALL *KernelContext_ParallelFor)(const OrtKernelContext *context,
                                                         void (*fn)(void *, size_t), size_t total,
                                                         size_t num_batch, void *usr_data);

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_OpenVINO_V2)(
        OrtSessionOptions *options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys);

    /* ---- since version 18 ---- */

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_VitisAI)(
        OrtSessionOptions *options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys);

    /* what a running kernel sees */
    OrtStatus *(ORT_API_CALL *KernelContext_GetScratchBuffer)(const OrtKernelContext *context,
                                                              const OrtMemoryInfo *mem_info,
                                                              size_t count_or_bytes, void **out);

    /* what a kernel is made from */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAllocator)(const OrtKernelInfo *info,
                                                      OrtMemType mem_type, OrtAllocator **out);

    /* session options */
    OrtStatus *(ORT_API_CALL *AddExternalInitializersFromFilesInMemory)(
        OrtSessionOptions *options, const ORTCHAR_T *const *external_initializer_file_names,
        char *const *external_initializer_file_buffer_array,
        const size_t *external_initializer_file_lengths, size_t num_external_initializer_files);

    /* ---- since version 20 ---- */

    /* adapters */
    OrtStatus *(ORT_API_CALL *CreateLoraAdapter)(const ORTCHAR_T *adapter_file_path,
                                                 OrtAllocator *allocator, OrtLoraAdapter **out);
    OrtStatus *(ORT_API_CALL *CreateLoraAdapterFromArray)(const void *bytes, size_t num_bytes,
                                                          OrtAllocator *allocator,
                                                          OrtLoraAdapter **out);
    void(ORT_API_CALL *ReleaseLoraAdapter)(OrtLoraAdapter *input);
    OrtStatus *(ORT_API_CALL *RunOptionsAddActiveLoraAdapter)(OrtRunOptions *options,
                                                              const OrtLoraAdapter *adapter);

    /* execution providers and their options */
    OrtStatus *(ORT_API_CALL *SetEpDynamicOptions)(OrtSession *sess, const char *const *keys,
                                                   const char *const *values, size_t kv_len);

    /* ---- since version 22 ---- */

    /* parts of models */
    void(ORT_API_CALL *ReleaseValueInfo)(OrtValueInfo *input);
    void(ORT_API_CALL *ReleaseNode)(OrtNode *input);
    void(ORT_API_CALL *ReleaseGraph)(OrtGraph *input);
    void(ORT_API_CALL *ReleaseModel)(OrtModel *input);

    /* graphs, as providers see them */
    OrtStatus *(ORT_API_CALL *GetValueInfoName)(const OrtValueInfo *value_info, const char **name);
    OrtStatus *(ORT_API_CALL *GetValueInfoTypeInfo)(const OrtValueInfo *value_info,
                                                    const OrtTypeInfo **type_info);

    /* other tables */
    const OrtModelEditorApi *(ORT_API_CALL *GetModelEditorApi)(void);

    /* tensors */
    OrtStatus *(ORT_API_CALL *CreateTensorWithDataAndDeleterAsOrtValue)(
        OrtAllocator *deleter, void *p_data, size_t p_data_len, const int64_t *shape,
        size_t shape_len, ONNXTensorElementDataType type, OrtValue **out);

    /* session options */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetLoadCancellationFlag)(OrtSessionOptions *options,
                                                                     bool cancel);

    /* other tables */
    const OrtCompileApi *(ORT_API_CALL *GetCompileApi)(void);

    /* lists of keys and values */
    void(ORT_API_CALL *CreateKeyValuePairs)(OrtKeyValuePairs **out);
    void(ORT_API_CALL *AddKeyValuePair)(OrtKeyValuePairs *kvps, const char *key, const char *value);
    const char *(ORT_API_CALL *GetKeyValue)(const OrtKeyValuePairs *kvps, const char *key);
    void(ORT_API_CALL *GetKeyValuePairs)(const OrtKeyValuePairs *kvps, const char *const **keys,
                                         const char *const **values, size_t *num_entries);
    void(ORT_API_CALL *RemoveKeyValuePair)(OrtKeyValuePairs *kvps, const char *key);
    void(ORT_API_CALL *ReleaseKeyValuePairs)(OrtKeyValuePairs *input);

    /* devices and providers on them */
    OrtStatus *(ORT_API_CALL *RegisterExecutionProviderLibrary)(OrtEnv *env,
                                                                const char *registration_name,
                                                                const ORTCHAR_T *path);
    OrtStatus *(ORT_API_CALL *UnregisterExecutionProviderLibrary)(OrtEnv *env,
                                                                  const char *registration_name);
    OrtStatus *(ORT_API_CALL *GetEpDevices)(const OrtEnv *env,
                                            const OrtEpDevice *const **ep_devices,
                                            size_t *num_ep_devices);
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_V2)(
        OrtSessionOptions *session_options, OrtEnv *env, const OrtEpDevice *const *ep_devices,
        size_t num_ep_devices, const char *const *ep_option_keys, const char *const *ep_option_vals,
        size_t num_ep_options);
    OrtStatus *(ORT_API_CALL *SessionOptionsSetEpSelectionPolicy)(
        OrtSessionOptions *session_options, OrtExecutionProviderDevicePolicy policy);
    OrtStatus *(ORT_API_CALL *SessionOptionsSetEpSelectionPolicyDelegate)(
        OrtSessionOptions *session_options, EpSelectionDelegate delegate, void *delegate_state);
    OrtHardwareDeviceType(ORT_API_CALL *HardwareDevice_Type)(const OrtHardwareDevice *device);
    uint32_t(ORT_API_CALL *HardwareDevice_VendorId)(const OrtHardwareDevice *device);
    const char *(ORT_API_CALL *HardwareDevice_Vendor)(const OrtHardwareDevice *device);
    uint32_t(ORT_API_CALL *HardwareDevice_DeviceId)(const OrtHardwareDevice *device);
    const OrtKeyValuePairs *(ORT_API_CALL *HardwareDevice_Metadata)(
        const OrtHardwareDevice *device);
    const char *(ORT_API_CALL *EpDevice_EpName)(const OrtEpDevice *ep_device);
    const char *(ORT_API_CALL *EpDevice_EpVendor)(const OrtEpDevice *ep_device);
    const OrtKeyValuePairs *(ORT_API_CALL *EpDevice_EpMetadata)(const OrtEpDevice *ep_device);
    const OrtKeyValuePairs *(ORT_API_CALL *EpDevice_EpOptions)(const OrtEpDevice *ep_device);
    const OrtHardwareDevice *(ORT_API_CALL *EpDevice_Device)(const OrtEpDevice *ep_device);

    /* other tables */
    const OrtEpApi *(ORT_API_CALL *GetEpApi)(void);

    /* ---- since version 23 ---- */

    /* tensors */
    OrtStatus *(ORT_API_CALL *GetTensorSizeInBytes)(const OrtValue *ort_value, size_t *size);

    /* allocators */
    OrtStatus *(ORT_API_CALL *AllocatorGetStats)(const OrtAllocator *ort_allocator,
                                                 OrtKeyValuePairs **out);

    /* where memory is */
    OrtStatus *(ORT_API_CALL *CreateMemoryInfo_V2)(const char *name,
                                                   OrtMemoryInfoDeviceType device_type,
                                                   uint32_t vendor_id, int32_t device_id,
                                                   OrtDeviceMemoryType mem_type, size_t alignment,
                                                   OrtAllocatorType allocator_type,
                                                   OrtMemoryInfo **out);
    OrtDeviceMemoryType(ORT_API_CALL *MemoryInfoGetDeviceMemType)(const OrtMemoryInfo *ptr);
    uint32_t(ORT_API_CALL *MemoryInfoGetVendorId)(const OrtMemoryInfo *ptr);

    /* graphs, as providers see them */
    OrtStatus *(ORT_API_CALL *ValueInfo_GetValueProducer)(const OrtValueInfo *value_info,
                                                          const OrtNode **producer_node,
                                                          size_t *producer_output_index);
    OrtStatus *(ORT_API_CALL *ValueInfo_GetValueNumConsumers)(const OrtValueInfo *value_info,
                                                              size_t *num_consumers);
    OrtStatus *(ORT_API_CALL *ValueInfo_GetValueConsumers)(const OrtValueInfo *value_info,
                                                           const OrtNode **nodes,
                                                           int64_t *input_indices,
                                                           size_t num_consumers);
    OrtStatus *(ORT_API_CALL *ValueInfo_GetInitializerValue)(const OrtValueInfo *value_info,
                                                             const OrtValue **initializer_value);
    OrtStatus *(ORT_API_CALL *ValueInfo_GetExternalInitializerInfo)(
        const OrtValueInfo *value_info, OrtExternalInitializerInfo **info);
    OrtStatus *(ORT_API_CALL *ValueInfo_IsRequiredGraphInput)(const OrtValueInfo *value_info,
                                                              bool *is_required_graph_input);
    OrtStatus *(ORT_API_CALL *ValueInfo_IsOptionalGraphInput)(const OrtValueInfo *value_info,
                                                              bool *is_optional_graph_input);
    OrtStatus *(ORT_API_CALL *ValueInfo_IsGraphOutput)(const OrtValueInfo *value_info,
                                                       bool *is_graph_output);
    OrtStatus *(ORT_API_CALL *ValueInfo_IsConstantInitializer)(const OrtValueInfo *value_info,
                                                               bool *is_constant_initializer);
    OrtStatus *(ORT_API_CALL *ValueInfo_IsFromOuterScope)(const OrtValueInfo *value_info,
                                                          bool *is_from_outer_scope);
    OrtStatus *(ORT_API_CALL *Graph_GetName)(const OrtGraph *graph, const char **graph_name);
    OrtStatus *(ORT_API_CALL *Graph_GetModelPath)(const OrtGraph *graph,
                                                  const ORTCHAR_T **model_path);
    OrtStatus *(ORT_API_CALL *Graph_GetOnnxIRVersion)(const OrtGraph *graph,
                                                      int64_t *onnx_ir_version);
    OrtStatus *(ORT_API_CALL *Graph_GetNumOperatorSets)(const OrtGraph *graph,
                                                        size_t *num_operator_sets);
    OrtStatus *(ORT_API_CALL *Graph_GetOperatorSets)(const OrtGraph *graph, const char **domains,
                                                     int64_t *opset_versions,
                                                     size_t num_operator_sets);
    OrtStatus *(ORT_API_CALL *Graph_GetNumInputs)(const OrtGraph *graph, size_t *num_inputs);
    OrtStatus *(ORT_API_CALL *Graph_GetInputs)(const OrtGraph *graph, const OrtValueInfo **inputs,
                                               size_t num_inputs);
    OrtStatus *(ORT_API_CALL *Graph_GetNumOutputs)(const OrtGraph *graph, size_t *num_outputs);
    OrtStatus *(ORT_API_CALL *Graph_GetOutputs)(const OrtGraph *graph, const OrtValueInfo **outputs,
                                                size_t num_outputs);
    OrtStatus *(ORT_API_CALL *Graph_GetNumInitializers)(const OrtGraph *graph,
                                                        size_t *num_initializers);
    OrtStatus *(ORT_API_CALL *Graph_GetInitializers)(const OrtGraph *graph,
                                                     const OrtValueInfo **initializers,
                                                     size_t num_initializers);
    OrtStatus *(ORT_API_CALL *Graph_GetNumNodes)(const OrtGraph *graph, size_t *num_nodes);
    OrtStatus *(ORT_API_CALL *Graph_GetNodes)(const OrtGraph *graph, const OrtNode **nodes,
                                              size_t num_nodes);
    OrtStatus *(ORT_API_CALL *Graph_GetParentNode)(const OrtGraph *graph, const OrtNode **node);
    OrtStatus *(ORT_API_CALL *Graph_GetGraphView)(const OrtGraph *src_graph, const OrtNode **nodes,
                                                  size_t num_nodes, OrtGraph **dst_graph);
    OrtStatus *(ORT_API_CALL *Node_GetId)(const OrtNode *node, size_t *node_id);
    OrtStatus *(ORT_API_CALL *Node_GetName)(const OrtNode *node, const char **node_name);
    OrtStatus *(ORT_API_CALL *Node_GetOperatorType)(const OrtNode *node,
                                                    const char **operator_type);
    OrtStatus *(ORT_API_CALL *Node_GetDomain)(const OrtNode *node, const char **domain_name);
    OrtStatus *(ORT_API_CALL *Node_GetSinceVersion)(const OrtNode *node, int *since_version);
    OrtStatus *(ORT_API_CALL *Node_GetNumInputs)(const OrtNode *node, size_t *num_inputs);
    OrtStatus *(ORT_API_CALL *Node_GetInputs)(const OrtNode *node, const OrtValueInfo **inputs,
                                              size_t num_inputs);
    OrtStatus *(ORT_API_CALL *Node_GetNumOutputs)(const OrtNode *node, size_t *num_outputs);
    OrtStatus *(ORT_API_CALL *Node_GetOutputs)(const OrtNode *node, const OrtValueInfo **outputs,
                                               size_t num_outputs);
    OrtStatus *(ORT_API_CALL *Node_GetNumImplicitInputs)(const OrtNode *node,
                                                         size_t *num_implicit_inputs);
    OrtStatus *(ORT_API_CALL *Node_GetImplicitInputs)(const OrtNode *node,
                                                      const OrtValueInfo **implicit_inputs,
                                                      size_t num_implicit_inputs);
    OrtStatus *(ORT_API_CALL *Node_GetNumAttributes)(const OrtNode *node, size_t *num_attributes);
    OrtStatus *(ORT_API_CALL *Node_GetAttributes)(const OrtNode *node, const OrtOpAttr **attributes,
                                                  size_t num_attributes);
    OrtStatus *(ORT_API_CALL *Node_GetAttributeByName)(const OrtNode *node,
                                                       const char *attribute_name,
                                                       const OrtOpAttr **attribute);

    /* attributes */
    OrtStatus *(ORT_API_CALL *OpAttr_GetTensorAttributeAsOrtValue)(const OrtOpAttr *attribute,
                                                                   OrtValue **attr_tensor);
    OrtStatus *(ORT_API_CALL *OpAttr_GetType)(const OrtOpAttr *attribute, OrtOpAttrType *type);
    OrtStatus *(ORT_API_CALL *OpAttr_GetName)(const OrtOpAttr *attribute, const char **name);

    /* graphs, as providers see them */
    OrtStatus *(ORT_API_CALL *Node_GetNumSubgraphs)(const OrtNode *node, size_t *num_subgraphs);
    OrtStatus *(ORT_API_CALL *Node_GetSubgraphs)(const OrtNode *node, const OrtGraph **subgraphs,
                                                 size_t num_subgraphs,
                                                 const char **attribute_names);
    OrtStatus *(ORT_API_CALL *Node_GetGraph)(const OrtNode *node, const OrtGraph **graph);
    OrtStatus *(ORT_API_CALL *Node_GetEpName)(const OrtNode *node, const char **out);
    void(ORT_API_CALL *ReleaseExternalInitializerInfo)(OrtExternalInitializerInfo *input);
    const ORTCHAR_T *(ORT_API_CALL *ExternalInitializerInfo_GetFilePath)(
        const OrtExternalInitializerInfo *info);
    int64_t(ORT_API_CALL *ExternalInitializerInfo_GetFileOffset)(
        const OrtExternalInitializerInfo *info);
    size_t(ORT_API_CALL *ExternalInitializerInfo_GetByteSize)(
        const OrtExternalInitializerInfo *info);

    /* run options */
    const char *(ORT_API_CALL *GetRunConfigEntry)(const OrtRunOptions *options,
                                                  const char *config_key);

    /* devices and providers on them */
    const OrtMemoryInfo *(ORT_API_CALL *EpDevice_MemoryInfo)(const OrtEpDevice *ep_device,
                                                             OrtDeviceMemoryType memory_type);

    /* memory of devices and their queues */
    OrtStatus *(ORT_API_CALL *CreateSharedAllocator)(OrtEnv *env, const OrtEpDevice *ep_device,
                                                     OrtDeviceMemoryType mem_type,
                                                     OrtAllocatorType allocator_type,
                                                     const OrtKeyValuePairs *allocator_options,
                                                     OrtAllocator **allocator);
    OrtStatus *(ORT_API_CALL *GetSharedAllocator)(OrtEnv *env, const OrtMemoryInfo *mem_info,
                                                  OrtAllocator **allocator);
    OrtStatus *(ORT_API_CALL *ReleaseSharedAllocator)(OrtEnv *env, const OrtEpDevice *ep_device,
                                                      OrtDeviceMemoryType mem_type);

    /* tensors */
    OrtStatus *(ORT_API_CALL *GetTensorData)(const OrtValue *value, const void **out);

    /* session options */
    OrtStatus *(ORT_API_CALL *GetSessionOptionsConfigEntries)(const OrtSessionOptions *options,
                                                              OrtKeyValuePairs **out);

    /* memory of devices and their queues */
    OrtStatus *(ORT_API_CALL *SessionGetMemoryInfoForInputs)(
        const OrtSession *session, const OrtMemoryInfo **inputs_memory_info, size_t num_inputs);
    OrtStatus *(ORT_API_CALL *SessionGetMemoryInfoForOutputs)(
        const OrtSession *session, const OrtMemoryInfo **outputs_memory_info, size_t num_outputs);
    OrtStatus *(ORT_API_CALL *SessionGetEpDeviceForInputs)(const OrtSession *session,
                                                           const OrtEpDevice **inputs_ep_devices,
                                                           size_t num_inputs);
    OrtStatus *(ORT_API_CALL *CreateSyncStreamForEpDevice)(const OrtEpDevice *ep_device,
                                                           const OrtKeyValuePairs *stream_options,
                                                           OrtSyncStream **stream);
    void *(ORT_API_CALL *SyncStream_GetHandle)(OrtSyncStream *stream);
    void(ORT_API_CALL *ReleaseSyncStream)(OrtSyncStream *input);
    OrtStatus *(ORT_API_CALL *CopyTensors)(const OrtEnv *env, const OrtValue *const *src_tensors,
                                           OrtValue *const *dst_tensors, OrtSyncStream *stream,
                                           size_t num_tensors);

    /* graphs, as providers see them */
    OrtStatus *(ORT_API_CALL *Graph_GetModelMetadata)(const OrtGraph *graph,
                                                      OrtModelMetadata **out);

    /* compiled models */
    OrtStatus *(ORT_API_CALL *GetModelCompatibilityForEpDevices)(
        const OrtEpDevice *const *ep_devices, size_t num_ep_devices, const char *compatibility_info,
        OrtCompiledModelCompatibility *out_status);

    /* graphs, as providers see them */
    OrtStatus *(ORT_API_CALL *CreateExternalInitializerInfo)(const ORTCHAR_T *filepath,
                                                             int64_t file_offset, size_t byte_size,
                                                             OrtExternalInitializerInfo **out);

    /* ---- since version 24 ---- */

    /* types and shapes */
    bool(ORT_API_CALL *TensorTypeAndShape_HasShape)(const OrtTensorTypeAndShapeInfo *info);

    /* what a kernel is made from */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetConfigEntries)(const OrtKernelInfo *info,
                                                           OrtKeyValuePairs **out);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOperatorDomain)(const OrtKernelInfo *info, char *out,
                                                            size_t *size);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOperatorType)(const OrtKernelInfo *info, char *out,
                                                          size_t *size);
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOperatorSinceVersion)(const OrtKernelInfo *info,
                                                                  int *since_version);

    /* other tables */
    const OrtInteropApi *(ORT_API_CALL *GetInteropApi)(void);

    /* memory of devices and their queues */
    OrtStatus *(ORT_API_CALL *SessionGetEpDeviceForOutputs)(const OrtSession *session,
                                                            const OrtEpDevice **outputs_ep_devices,
                                                            size_t num_outputs);

    /* devices and providers on them */
    OrtStatus *(ORT_API_CALL *GetNumHardwareDevices)(const OrtEnv *env, size_t *num_devices);
    OrtStatus *(ORT_API_CALL *GetHardwareDevices)(const OrtEnv *env,
                                                  const OrtHardwareDevice **devices,
                                                  size_t num_devices);
    OrtStatus *(ORT_API_CALL *GetHardwareDeviceEpIncompatibilityDetails)(
        const OrtEnv *env, const char *ep_name, const OrtHardwareDevice *hw,
        OrtDeviceEpIncompatibilityDetails **details);
    OrtStatus *(ORT_API_CALL *DeviceEpIncompatibilityDetails_GetReasonsBitmask)(
        const OrtDeviceEpIncompatibilityDetails *details, uint32_t *reasons_bitmask);
    OrtStatus *(ORT_API_CALL *DeviceEpIncompatibilityDetails_GetNotes)(
        const OrtDeviceEpIncompatibilityDetails *details, const char **notes);
    OrtStatus *(ORT_API_CALL *DeviceEpIncompatibilityDetails_GetErrorCode)(
        const OrtDeviceEpIncompatibilityDetails *details, int32_t *error_code);
    void(ORT_API_CALL *ReleaseDeviceEpIncompatibilityDetails)(
        OrtDeviceEpIncompatibilityDetails *input);

    /* compiled models */
    OrtStatus *(ORT_API_CALL *GetCompatibilityInfoFromModel)(const ORTCHAR_T *model_path,
                                                             const char *ep_type,
                                                             OrtAllocator *allocator,
                                                             char **compatibility_info);
    OrtStatus *(ORT_API_CALL *GetCompatibilityInfoFromModelBytes)(const void *model_data,
                                                                  size_t model_data_length,
                                                                  const char *ep_type,
                                                                  OrtAllocator *allocator,
                                                                  char **compatibility_info);

    /* environment */
    OrtStatus *(ORT_API_CALL *CreateEnvWithOptions)(const OrtEnvCreationOptions *options,
                                                    OrtEnv **out);

    /* which provider runs what */
    OrtStatus *(ORT_API_CALL *Session_GetEpGraphAssignmentInfo)(
        const OrtSession *session, const OrtEpAssignedSubgraph *const **ep_subgraphs,
        size_t *num_ep_subgraphs);
    OrtStatus *(ORT_API_CALL *EpAssignedSubgraph_GetEpName)(
        const OrtEpAssignedSubgraph *ep_subgraph, const char **out);
    OrtStatus *(ORT_API_CALL *EpAssignedSubgraph_GetNodes)(
        const OrtEpAssignedSubgraph *ep_subgraph, const OrtEpAssignedNode *const **ep_nodes,
        size_t *num_ep_nodes);
    OrtStatus *(ORT_API_CALL *EpAssignedNode_GetName)(const OrtEpAssignedNode *ep_node,
                                                      const char **out);
    OrtStatus *(ORT_API_CALL *EpAssignedNode_GetDomain)(const OrtEpAssignedNode *ep_node,
                                                        const char **out);
    OrtStatus *(ORT_API_CALL *EpAssignedNode_GetOperatorType)(const OrtEpAssignedNode *ep_node,
                                                              const char **out);

    /* memory of devices and their queues */
    void(ORT_API_CALL *RunOptionsSetSyncStream)(OrtRunOptions *options, OrtSyncStream *sync_stream);

    /* types and shapes */
    OrtStatus *(ORT_API_CALL *GetTensorElementTypeAndShapeDataReference)(
        const OrtValue *value, ONNXTensorElementDataType *elem_type, const int64_t **shape_data,
        size_t *shape_data_count);

    /* ---- since version 25 ---- */

    /* run options */
    OrtStatus *(ORT_API_CALL *RunOptionsEnableProfiling)(OrtRunOptions *options,
                                                         const ORTCHAR_T *profile_file_prefix);
    OrtStatus *(ORT_API_CALL *RunOptionsDisableProfiling)(OrtRunOptions *options);

    /* what a kernel is made from */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttributeArray_string)(const OrtKernelInfo *info,
                                                                  const char *name,
                                                                  OrtAllocator *allocator,
                                                                  char ***out, size_t *size);

    /* environment */
    OrtStatus *(ORT_API_CALL *SetPerSessionThreadPoolCallbacks)(
        OrtEnv *env, const OrtThreadPoolCallbacksConfig *config);

    /* ---- since version 27 ---- */

    /* session options */
    OrtStatus *(ORT_API_CALL *GetMemPatternEnabled)(const OrtSessionOptions *options, int *out);
    OrtStatus *(ORT_API_CALL *GetSessionExecutionMode)(const OrtSessionOptions *options,
                                                       ExecutionMode *out);

    /* sessions */
    OrtStatus *(ORT_API_CALL *SessionReleaseCapturedGraph)(OrtSession *session,
                                                           int graph_annotation_id);

    /* ---- since version 28 ---- */

    /* other tables */
    OrtExperimentalFnPtr(ORT_API_CALL *GetExperimentalFunction)(const char *name);

    /* memory of devices and their queues */
    OrtStatus *(ORT_API_CALL *KernelContext_GetSyncStream)(const OrtKernelContext *context,
                                                           OrtSyncStream **out);

    /* ---- since version 29 ---- */

    /* session options */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetWeightlessSourceModelBuffer)(
        OrtSessionOptions *options, const void *source_model_data, size_t source_model_data_length);

    /* ---- since version 30 ---- */

    /* what a running kernel sees */
    OrtStatus *(ORT_API_CALL *KernelContext_GetPreallocatedOutput)(const OrtKernelContext *context,
                                                                   size_t output_index,
                                                                   OrtValue **output);
};

/* Makes models in memory. */
struct OrtModelEditorApi {
    OrtStatus *(ORT_API_CALL *CreateTensorTypeInfo)(const OrtTensorTypeAndShapeInfo *tensor_info,
                                                    OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *CreateSparseTensorTypeInfo)(
        const OrtTensorTypeAndShapeInfo *tensor_info, OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *CreateMapTypeInfo)(ONNXTensorElementDataType map_key_type,
                                                 const OrtTypeInfo *map_value_type,
                                                 OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *CreateSequenceTypeInfo)(const OrtTypeInfo *sequence_type,
                                                      OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *CreateOptionalTypeInfo)(const OrtTypeInfo *contained_type,
                                                      OrtTypeInfo **type_info);
    OrtStatus *(ORT_API_CALL *CreateValueInfo)(const char *name, const OrtTypeInfo *type_info,
                                               OrtValueInfo **value_info);
    OrtStatus *(ORT_API_CALL *CreateNode)(const char *operator_name, const char *domain_name,
                                          const char *node_name, const char *const *input_names,
                                          size_t input_names_len, const char *const *output_names,
                                          size_t output_names_len, OrtOpAttr **attributes,
                                          size_t attribs_len, OrtNode **node);
    OrtStatus *(ORT_API_CALL *CreateGraph)(OrtGraph **graph);
    OrtStatus *(ORT_API_CALL *SetGraphInputs)(OrtGraph *graph, OrtValueInfo **inputs,
                                              size_t inputs_len);
    OrtStatus *(ORT_API_CALL *SetGraphOutputs)(OrtGraph *graph, OrtValueInfo **outputs,
                                               size_t outputs_len);
    OrtStatus *(ORT_API_CALL *AddInitializerToGraph)(OrtGraph *graph, const char *name,
                                                     OrtValue *tensor, bool data_is_external);
    OrtStatus *(ORT_API_CALL *AddNodeToGraph)(OrtGraph *graph, OrtNode *node);
    OrtStatus *(ORT_API_CALL *CreateModel)(const char *const *domain_names,
                                           const int *opset_versions, size_t opset_entries_len,
                                           OrtModel **model);
    OrtStatus *(ORT_API_CALL *AddGraphToModel)(OrtModel *model, OrtGraph *graph);
    OrtStatus *(ORT_API_CALL *CreateSessionFromModel)(const OrtEnv *env, const OrtModel *model,
                                                      const OrtSessionOptions *options,
                                                      OrtSession **out);
    OrtStatus *(ORT_API_CALL *CreateModelEditorSession)(const OrtEnv *env,
                                                        const ORTCHAR_T *model_path,
                                                        const OrtSessionOptions *options,
                                                        OrtSession **out);
    OrtStatus *(ORT_API_CALL *CreateModelEditorSessionFromArray)(const OrtEnv *env,
                                                                 const void *model_data,
                                                                 size_t model_data_length,
                                                                 const OrtSessionOptions *options,
                                                                 OrtSession **out);
    OrtStatus *(ORT_API_CALL *SessionGetOpsetForDomain)(const OrtSession *session,
                                                        const char *domain, int *opset);
    OrtStatus *(ORT_API_CALL *ApplyModelToModelEditorSession)(OrtSession *session, OrtModel *model);
    OrtStatus *(ORT_API_CALL *FinalizeModelEditorSession)(
        OrtSession *session, const OrtSessionOptions *options,
        OrtPrepackedWeightsContainer *prepacked_weights_container);
};

/* Compiles models ahead of time. */
struct OrtCompileApi {
    void(ORT_API_CALL *ReleaseModelCompilationOptions)(OrtModelCompilationOptions *input);
    OrtStatus *(ORT_API_CALL *CreateModelCompilationOptionsFromSessionOptions)(
        const OrtEnv *env, const OrtSessionOptions *session_options,
        OrtModelCompilationOptions **out);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetInputModelPath)(
        OrtModelCompilationOptions *model_compile_options, const ORTCHAR_T *input_model_path);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetInputModelFromBuffer)(
        OrtModelCompilationOptions *model_compile_options, const void *input_model_data,
        size_t input_model_data_size);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelPath)(
        OrtModelCompilationOptions *model_compile_options, const ORTCHAR_T *output_model_path);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelExternalInitializersFile)(
        OrtModelCompilationOptions *model_compile_options,
        const ORTCHAR_T *external_initializers_file_path,
        size_t external_initializers_size_threshold);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelBuffer)(
        OrtModelCompilationOptions *model_compile_options, OrtAllocator *allocator,
        void **output_model_buffer_ptr, size_t *output_model_buffer_size_ptr);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetEpContextEmbedMode)(
        OrtModelCompilationOptions *model_compile_options, bool embed_ep_context_in_model);
    OrtStatus *(ORT_API_CALL *CompileModel)(const OrtEnv *env,
                                            const OrtModelCompilationOptions *model_options);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetFlags)(
        OrtModelCompilationOptions *model_compile_options, uint32_t flags);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetEpContextBinaryInformation)(
        OrtModelCompilationOptions *model_compile_options, const ORTCHAR_T *output_directory,
        const ORTCHAR_T *model_name);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetGraphOptimizationLevel)(
        OrtModelCompilationOptions *model_compile_options,
        GraphOptimizationLevel graph_optimization_level);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelWriteFunc)(
        OrtModelCompilationOptions *model_compile_options, OrtWriteBufferFunc write_func,
        void *state);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc)(
        OrtModelCompilationOptions *model_compile_options,
        OrtGetInitializerLocationFunc get_initializer_location_func, void *state);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetInputModel)(
        OrtModelCompilationOptions *model_compile_options, const OrtModel *model);
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetWeightlessEnabled)(
        OrtModelCompilationOptions *model_compile_options, bool use_weightless);
};

/* Shares memory and semaphores with other users of a device. */
struct OrtInteropApi {
    OrtStatus *(ORT_API_CALL *CreateExternalResourceImporterForDevice)(
        const OrtEpDevice *ep_device, OrtExternalResourceImporter **out_importer);
    void(ORT_API_CALL *ReleaseExternalResourceImporter)(OrtExternalResourceImporter *input);
    OrtStatus *(ORT_API_CALL *CanImportMemory)(const OrtExternalResourceImporter *importer,
                                               OrtExternalMemoryHandleType handle_type,
                                               bool *out_supported);
    OrtStatus *(ORT_API_CALL *ImportMemory)(OrtExternalResourceImporter *importer,
                                            const OrtExternalMemoryDescriptor *desc,
                                            OrtExternalMemoryHandle **out_handle);
    void(ORT_API_CALL *ReleaseExternalMemoryHandle)(OrtExternalMemoryHandle *input);
    OrtStatus *(ORT_API_CALL *CreateTensorFromMemory)(
        OrtExternalResourceImporter *importer, const OrtExternalMemoryHandle *mem_handle,
        const OrtExternalTensorDescriptor *tensor_desc, OrtValue **out_tensor);
    OrtStatus *(ORT_API_CALL *CanImportSemaphore)(const OrtExternalResourceImporter *importer,
                                                  OrtExternalSemaphoreType type,
                                                  bool *out_supported);
    OrtStatus *(ORT_API_CALL *ImportSemaphore)(OrtExternalResourceImporter *importer,
                                               const OrtExternalSemaphoreDescriptor *desc,
                                               OrtExternalSemaphoreHandle **out_handle);
    void(ORT_API_CALL *ReleaseExternalSemaphoreHandle)(OrtExternalSemaphoreHandle *input);
    OrtStatus *(ORT_API_CALL *WaitSemaphore)(OrtExternalResourceImporter *importer,
                                             OrtExternalSemaphoreHandle *semaphore_handle,
                                             OrtSyncStream *stream, uint64_t value);
    OrtStatus *(ORT_API_CALL *SignalSemaphore)(OrtExternalResourceImporter *importer,
                                               OrtExternalSemaphoreHandle *semaphore_handle,
                                               OrtSyncStream *stream, uint64_t value);
    OrtStatus *(ORT_API_CALL *InitGraphicsInteropForEpDevice)(
        const OrtEpDevice *ep_device, const OrtGraphicsInteropConfig *config);
    OrtStatus *(ORT_API_CALL *DeinitGraphicsInteropForEpDevice)(const OrtEpDevice *ep_device);
};

/* ---- providers by symbol, from before they had names ------------------------------------------- */

ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions *options,
                                                                   int use_arena);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_CUDA(OrtSessionOptions *options,
                                                                    int device_id);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Tensorrt(OrtSessionOptions *options,
                                                                        int device_id);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Dnnl(OrtSessionOptions *options,
                                                                    int use_arena);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions *options,
                                                                    int device_id);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions *options,
                                                                        int device_id);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_OpenVINO(OrtSessionOptions *options,
                                                                        const char *device_type);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Nnapi(OrtSessionOptions *options,
                                                                     uint32_t nnapi_flags);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_CoreML(OrtSessionOptions *options,
                                                                      uint32_t coreml_flags);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_DML(OrtSessionOptions *options,
                                                                   int device_id);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_ACL(OrtSessionOptions *options,
                                                                   bool enable_fast_math);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_ArmNN(OrtSessionOptions *options,
                                                                     int use_arena);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Rknpu(OrtSessionOptions *options);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_RKNPU(OrtSessionOptions *options);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_VSINPU(OrtSessionOptions *options);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Tvm(OrtSessionOptions *options,
                                                                   const char *settings);

#ifdef __cplusplus
}
#endif

#include "onnxruntime_ep_c_api.h"

#endif
