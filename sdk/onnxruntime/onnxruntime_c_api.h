/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_c_api.h - the C ABI of ONNX Runtime, API versions 1 to 30, as Backplane offers it.
 *
 * Names, orders, types and numbers are those of the ABI, so that programs written for ONNX Runtime
 * compile and run; the words are ours. Everything is reached through OrtGetApiBase(): ask it for
 * the table of ORT_API_VERSION and call through that. Tables only grow at their ends.
 *
 * A function that returns an OrtStatus * succeeded when that is NULL; anything else is the
 * caller's, to ReleaseStatus(). What a Create or Get hands out through a pointer to a pointer that
 * is not to const is the caller's, to release with the function of its type. Results that are const
 * pointers belong to the object that was asked. Text that comes with an OrtAllocator is freed with
 * it. ReleaseX() takes NULL.
 *
 * NULL for an argument that must be there is ORT_INVALID_ARGUMENT; a function out of memory returns
 * ORT_FAIL. An object that is being changed is used by one thread at a time; objects that no thread
 * changes, sessions among them, may be used by any number of threads. [any thread] marks functions
 * that may also be called while another thread changes the object.
 *
 * "Kept, without effect" is a setting that can be read again and changes nothing here. "An error
 * with the reason" is a status whose message says why. docs/onnxruntime.md lists what differs from
 * ONNX Runtime.
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
    /* The type is not known, or the value is not a tensor. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
    /* IEEE binary32. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
    /* UTF-8 texts of any length; functions for strings read and write them. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
    /* One byte, 0 or 1. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
    /* IEEE binary16. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
    /* IEEE binary64. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 = 12,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 = 13,
    /* Two floats; no tensor of complex numbers can be created. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 = 14,
    /* Two doubles; as COMPLEX64. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 = 15,
    /* The upper half of a binary32. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 = 16,
    /* 8-bit floats by their bits: E exponent, M mantissa; FN: no infinity; UZ: no negative zero. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN = 17,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ = 18,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2 = 19,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ = 20,
    /* Types below 8 bits: the first element in the low bits of a byte. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4 = 21,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 = 22,
    /* 4-bit floats: 2 bits of exponent, 1 of mantissa; two in a byte. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1 = 23,
    /* Four in a byte. From here on numbers differ from TensorProto.DataType. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2 = 24,
    ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2 = 25,
    /* 8-bit powers of two, for scales. */
    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0 = 26
} ONNXTensorElementDataType;

/* Kinds of values. */
typedef enum ONNXType {
    /* No type is known. */
    ONNX_TYPE_UNKNOWN = 0,
    /* Elements of one type in a grid of `rank` dimensions. */
    ONNX_TYPE_TENSOR = 1,
    /* Values of one type in an order. */
    ONNX_TYPE_SEQUENCE = 2,
    /* From integers or strings to values of one type. */
    ONNX_TYPE_MAP = 3,
    /* A type that only its operators know; none here has one. */
    ONNX_TYPE_OPAQUE = 4,
    /* A tensor of which only some elements are stored. */
    ONNX_TYPE_SPARSETENSOR = 5,
    /* A value, or none. */
    ONNX_TYPE_OPTIONAL = 6
} ONNXType;

/* Layouts of sparse tensors. */
typedef enum OrtSparseFormat {
    /* Not filled yet. */
    ORT_SPARSE_UNDEFINED = 0,
    /* Coordinates of each value. */
    ORT_SPARSE_COO = 1,
    /* Compressed rows: CSR. */
    ORT_SPARSE_CSRC = 2,
    /* Dense blocks and their coordinates. */
    ORT_SPARSE_BLOCK_SPARSE = 4
} OrtSparseFormat;

/* Which indices of a sparse tensor are meant. */
typedef enum OrtSparseIndicesFormat {
    /* Offsets, or pairs of row and column: int64. */
    ORT_SPARSE_COO_INDICES = 0,
    /* The column of each value: int64. */
    ORT_SPARSE_CSR_INNER_INDICES = 1,
    /* Where each row begins among the values, and the end: int64. */
    ORT_SPARSE_CSR_OUTER_INDICES = 2,
    /* Row and column of each block: int32. */
    ORT_SPARSE_BLOCK_SPARSE_INDICES = 3
} OrtSparseIndicesFormat;

/* Severities of log lines; a level lets through its own and what is graver. */
typedef enum OrtLoggingLevel {
    /* For whoever debugs the library. */
    ORT_LOGGING_LEVEL_VERBOSE = 0,
    /* What was chosen, and why. */
    ORT_LOGGING_LEVEL_INFO = 1,
    /* Something is not as it should be; the result is right all the same. */
    ORT_LOGGING_LEVEL_WARNING = 2,
    /* Something failed; a status says so too. */
    ORT_LOGGING_LEVEL_ERROR = 3,
    /* The process cannot go on. */
    ORT_LOGGING_LEVEL_FATAL = 4
} OrtLoggingLevel;

/* Kinds of node attributes. */
typedef enum OrtOpAttrType {
    /* No type; never that of an attribute. */
    ORT_OP_ATTR_UNDEFINED = 0,
    /* One int64_t. */
    ORT_OP_ATTR_INT = 1,
    /* A list of int64_t. */
    ORT_OP_ATTR_INTS = 2,
    /* One float. */
    ORT_OP_ATTR_FLOAT = 3,
    /* A list of float. */
    ORT_OP_ATTR_FLOATS = 4,
    /* One text. */
    ORT_OP_ATTR_STRING = 5,
    /* A list of texts. */
    ORT_OP_ATTR_STRINGS = 6,
    /* A subgraph; the functions for attributes do not hand it out. */
    ORT_OP_ATTR_GRAPH = 7,
    /* A tensor; OpAttr_GetTensorAttributeAsOrtValue() reads it. */
    ORT_OP_ATTR_TENSOR = 8
} OrtOpAttrType;

/* How far the graph may be rewritten. */
typedef enum GraphOptimizationLevel {
    /* No pass runs. */
    ORT_DISABLE_ALL = 0,
    /* Passes that leave ONNX's operators. */
    ORT_ENABLE_BASIC = 1,
    /* The same, and fusions into operators of com.microsoft. */
    ORT_ENABLE_EXTENDED = 2,
    /* The same, and changes of layout. */
    ORT_ENABLE_LAYOUT = 3,
    /* Backplane's default level. */
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
    /* Asks the device for each allocation. */
    OrtDeviceAllocator = 0,
    /* Keeps freed memory for the next allocation; the library's own only. */
    OrtArenaAllocator = 1,
    /* For weights that are not changed. */
    OrtReadOnlyAllocator = 2
} OrtAllocatorType;

/* What memory of an execution provider is for. */
typedef enum OrtMemType {
    /* Host memory that the provider reads. */
    OrtMemTypeCPUInput = -2,
    /* Host memory that the provider writes. */
    OrtMemTypeCPUOutput = -1,
    /* Another name for CPUOutput. */
    OrtMemTypeCPU = -1,
    /* The memory that the provider computes in. */
    OrtMemTypeDefault = 0
} OrtMemType;

/* Kinds of memory on a device. */
typedef enum OrtDeviceMemoryType {
    /* Memory of the device. */
    OrtDeviceMemoryType_DEFAULT = 0,
    /* Memory that the host and the device can access. */
    OrtDeviceMemoryType_HOST_ACCESSIBLE = 5
} OrtDeviceMemoryType;

/* Kinds of devices, as memory knows them. */
typedef enum OrtMemoryInfoDeviceType {
    /* Ordinary memory of the host; all values lie there. */
    OrtMemoryInfoDeviceType_CPU = 0,
    /* Memory of a GPU. */
    OrtMemoryInfoDeviceType_GPU = 1,
    /* Memory of an FPGA. */
    OrtMemoryInfoDeviceType_FPGA = 2,
    /* Memory of an NPU. */
    OrtMemoryInfoDeviceType_NPU = 3
} OrtMemoryInfoDeviceType;

/* Kinds of devices, as the machine has them. */
typedef enum OrtHardwareDeviceType {
    /* The processor. */
    OrtHardwareDeviceType_CPU = 0,
    /* PCI class 03, display controllers. */
    OrtHardwareDeviceType_GPU = 1,
    /* PCI class 12, or a device with an `accel` driver. */
    OrtHardwareDeviceType_NPU = 2
} OrtHardwareDeviceType;

/* What an automatic choice of devices prefers. */
typedef enum OrtExecutionProviderDevicePolicy {
    /* No preference. */
    OrtExecutionProviderDevicePolicy_DEFAULT = 0,
    /* Takes a processor's provider. */
    OrtExecutionProviderDevicePolicy_PREFER_CPU = 1,
    /* Takes the first NPU, and a processor's provider for the rest. */
    OrtExecutionProviderDevicePolicy_PREFER_NPU = 2,
    /* Takes the first GPU, and a processor's provider for the rest. */
    OrtExecutionProviderDevicePolicy_PREFER_GPU = 3,
    /* Takes the first GPU here. */
    OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE = 4,
    /* Takes the first NPU here. */
    OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY = 5,
    /* Takes the first NPU here. */
    OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER = 6
} OrtExecutionProviderDevicePolicy;

/* Why an execution provider cannot use a device: bits. */
typedef enum OrtDeviceEpIncompatibilityReason {
    /* It can be used. */
    OrtDeviceEpIncompatibility_NONE = 0,
    /* The driver is absent, too old or too new. */
    OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE = 1,
    /* The provider is not for this device. */
    OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE = 2,
    /* A library that the provider needs is not there. */
    OrtDeviceEpIncompatibility_MISSING_DEPENDENCY = 4,
    /* Another reason; the notes say which. */
    OrtDeviceEpIncompatibility_UNKNOWN = -2147483647 - 1
} OrtDeviceEpIncompatibilityReason;

/* How CUDA finds an algorithm for convolutions. */
typedef enum OrtCudnnConvAlgoSearch {
    /* All algorithms are measured. */
    OrtCudnnConvAlgoSearchExhaustive = 0,
    /* cuDNN chooses by the sizes. */
    OrtCudnnConvAlgoSearchHeuristic = 1,
    /* Always the same algorithm. */
    OrtCudnnConvAlgoSearchDefault = 2
} OrtCudnnConvAlgoSearch;

/* Where imported memory comes from. */
typedef enum OrtExternalMemoryHandleType {
    /* A resource of Direct3D 12 (Windows). */
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 0,
    /* A heap of Direct3D 12 (Windows). */
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 1,
    /* Memory of Vulkan as a Windows handle. */
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_WIN32 = 2,
    /* Memory of Vulkan as a file descriptor. */
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_OPAQUE_FD = 3,
    /* Memory of the host, by its address. */
    ORT_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION = 4
} OrtExternalMemoryHandleType;

/* Where an imported semaphore comes from. */
typedef enum OrtExternalSemaphoreType {
    /* A fence of Direct3D 12 (Windows). */
    ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE = 0,
    /* A timeline semaphore of Vulkan as a Windows handle. */
    ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_WIN32 = 1,
    /* A timeline semaphore of Vulkan as a file descriptor. */
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
    /* The provider did not compile it; always the answer here. */
    OrtCompiledModelCompatibility_EP_NOT_APPLICABLE = 0,
    /* It runs as it is. */
    OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL = 1,
    /* It runs, but would be faster if it were compiled again. */
    OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION = 2,
    /* It does not run. */
    OrtCompiledModelCompatibility_EP_UNSUPPORTED = 3
} OrtCompiledModelCompatibility;

/* Whether a parameter of a custom operator must be there. */
typedef enum OrtCustomOpInputOutputCharacteristic {
    /* It is always there. */
    INPUT_OUTPUT_REQUIRED = 0,
    /* A node may leave it out. */
    INPUT_OUTPUT_OPTIONAL = 1,
    /* The last one: any number of values. */
    INPUT_OUTPUT_VARIADIC = 2
} OrtCustomOpInputOutputCharacteristic;

/* Settings of the compiler of models: bits. */
typedef enum OrtCompileApiFlags {
    /* No flag. */
    OrtCompileApiFlags_NONE = 0,
    /* Always an error here, because no provider compiles into models. */
    OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED = 1,
    /* Does not write over a file. */
    OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS = 2
} OrtCompileApiFlags;

/* Options of the NNAPI provider: bits. */
typedef enum NNAPIFlags {
    /* No flag. */
    NNAPI_FLAG_USE_NONE = 0,
    /* float32 may be computed in float16. */
    NNAPI_FLAG_USE_FP16 = 1,
    /* Channels stay before the spatial dimensions. */
    NNAPI_FLAG_USE_NCHW = 2,
    /* NNAPI's own CPU implementation is not used. */
    NNAPI_FLAG_CPU_DISABLED = 4,
    /* Only NNAPI's own CPU implementation is used. */
    NNAPI_FLAG_CPU_ONLY = 8
} NNAPIFlags;

/* Options of the CoreML provider: bits. */
typedef enum COREMLFlags {
    /* No flag. */
    COREML_FLAG_USE_NONE = 0,
    /* Only the processor is used. */
    COREML_FLAG_USE_CPU_ONLY = 1,
    /* Nodes of subgraphs are taken too. */
    COREML_FLAG_ENABLE_ON_SUBGRAPH = 2,
    /* Only on devices with Apple's Neural Engine. */
    COREML_FLAG_ONLY_ENABLE_DEVICE_WITH_ANE = 4,
    /* Only nodes whose sizes are known are taken. */
    COREML_FLAG_ONLY_ALLOW_STATIC_INPUT_SHAPES = 8,
    /* Models are made as ML Program. */
    COREML_FLAG_CREATE_MLPROGRAM = 16,
    /* The processor and the GPU are used. */
    COREML_FLAG_USE_CPU_AND_GPU = 32
} COREMLFlags;

/*
 * ---- opaque types, and structs that are laid out below ------------------------------------------
 */

/*
 * Functions that allocate memory; laid out below. Those that a Create function gave end with
 * ReleaseAllocator().
 */
typedef struct OrtAllocator OrtAllocator;
/* The main table of functions; laid out below. */
typedef struct OrtApi OrtApi;
/* Where programs begin; laid out below. */
typedef struct OrtApiBase OrtApiBase;
/* Settings of an arena; ends with ReleaseArenaCfg(). */
typedef struct OrtArenaCfg OrtArenaCfg;
/* Options of CANN; end with ReleaseCANNProviderOptions(). */
typedef struct OrtCANNProviderOptions OrtCANNProviderOptions;
/* Options of CUDA as a struct; laid out below. */
typedef struct OrtCUDAProviderOptions OrtCUDAProviderOptions;
/* Options of CUDA by key; end with ReleaseCUDAProviderOptions(). */
typedef struct OrtCUDAProviderOptionsV2 OrtCUDAProviderOptionsV2;
/* The table that compiles models ahead of time; laid out below. */
typedef struct OrtCompileApi OrtCompileApi;
/* An operator of the application; laid out below, owned by the application. */
typedef struct OrtCustomOp OrtCustomOp;
/* A set of such operators; ends with ReleaseCustomOpDomain(). */
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
/* What copies between memories; filled by a plug-in EP. */
typedef struct OrtDataTransferImpl OrtDataTransferImpl;
/* The type of a value, such as "tensor of float32"; static. */
typedef struct OrtDataType OrtDataType;
/* Why a provider cannot use a device; ends with ReleaseDeviceEpIncompatibilityDetails(). */
typedef struct OrtDeviceEpIncompatibilityDetails OrtDeviceEpIncompatibilityDetails;
/* Options of Dnnl; end with ReleaseDnnlProviderOptions(). */
typedef struct OrtDnnlProviderOptions OrtDnnlProviderOptions;
/* The environment: threads, log, providers. One a process, counted; ends with ReleaseEnv(). */
typedef struct OrtEnv OrtEnv;
/* Settings of an environment; laid out below, filled by the caller. */
typedef struct OrtEnvCreationOptions OrtEnvCreationOptions;
/* An execution provider in a session; filled by a plug-in EP. */
typedef struct OrtEp OrtEp;
/* The table for plug-in EPs. */
typedef struct OrtEpApi OrtEpApi;
/* A node and what runs it; owned by its session. */
typedef struct OrtEpAssignedNode OrtEpAssignedNode;
/* Nodes that one provider runs as a group; owned by their session. */
typedef struct OrtEpAssignedSubgraph OrtEpAssignedSubgraph;
/* A provider on one of its devices; owned by the environment. */
typedef struct OrtEpDevice OrtEpDevice;
/* What makes providers; filled by a plug-in EP. */
typedef struct OrtEpFactory OrtEpFactory;
/* Where a plug-in EP puts the nodes that it takes; valid for the call. */
typedef struct OrtEpGraphSupportInfo OrtEpGraphSupportInfo;
/* What adds a device's events to a profile; filled by a plug-in EP. */
typedef struct OrtEpProfilerImpl OrtEpProfilerImpl;
/* Where a weight lies in a file; ends with ReleaseExternalInitializerInfo(). */
typedef struct OrtExternalInitializerInfo OrtExternalInitializerInfo;
/* Memory of another library; laid out below, filled by the caller. */
typedef struct OrtExternalMemoryDescriptor OrtExternalMemoryDescriptor;
/* That memory, imported. */
typedef struct OrtExternalMemoryHandle OrtExternalMemoryHandle;
/* What imports memory and semaphores for a device. */
typedef struct OrtExternalResourceImporter OrtExternalResourceImporter;
/* The same, filled by a plug-in EP. */
typedef struct OrtExternalResourceImporterImpl OrtExternalResourceImporterImpl;
/* A semaphore of another library; laid out below, filled by the caller. */
typedef struct OrtExternalSemaphoreDescriptor OrtExternalSemaphoreDescriptor;
/* That semaphore, imported. */
typedef struct OrtExternalSemaphoreHandle OrtExternalSemaphoreHandle;
/* A tensor in imported memory; laid out below, filled by the caller. */
typedef struct OrtExternalTensorDescriptor OrtExternalTensorDescriptor;
/*
 * A graph under construction, or one to be read; ends with ReleaseGraph() unless a model took it.
 */
typedef struct OrtGraph OrtGraph;
/* A graphics library to share a device with; laid out below, filled by the caller. */
typedef struct OrtGraphicsInteropConfig OrtGraphicsInteropConfig;
/* A processor, GPU or NPU; owned by the environment. */
typedef struct OrtHardwareDevice OrtHardwareDevice;
/* The table that shares memory with other users of a device; laid out below. */
typedef struct OrtInteropApi OrtInteropApi;
/* Inputs and outputs that runs use; ends with ReleaseIoBinding(). */
typedef struct OrtIoBinding OrtIoBinding;
/* What a running kernel sees; valid for the call. */
typedef struct OrtKernelContext OrtKernelContext;
/* What a kernel of a plug-in EP is for. */
typedef struct OrtKernelDef OrtKernelDef;
/* Such a definition under construction. */
typedef struct OrtKernelDefBuilder OrtKernelDefBuilder;
/* A kernel; filled by a plug-in EP. */
typedef struct OrtKernelImpl OrtKernelImpl;
/* What a kernel is created from; a copy ends with ReleaseKernelInfo(). */
typedef struct OrtKernelInfo OrtKernelInfo;
/* The kernels of a plug-in EP. */
typedef struct OrtKernelRegistry OrtKernelRegistry;
/* A list of keys and values, all text; ends with ReleaseKeyValuePairs(). */
typedef struct OrtKeyValuePairs OrtKeyValuePairs;
/* Where kernels log to; owned by the session or run. */
typedef struct OrtLogger OrtLogger;
/* What a plug-in EP does for the runtime's kernel of Loop. */
typedef struct OrtLoopKernelHelper OrtLoopKernelHelper;
/* A LoRA adapter: tensors by name; ends with ReleaseLoraAdapter(). */
typedef struct OrtLoraAdapter OrtLoraAdapter;
/* Options of MIGraphX; laid out below, filled by the caller. */
typedef struct OrtMIGraphXProviderOptions OrtMIGraphXProviderOptions;
/* The type of a map; owned by the OrtTypeInfo that it was cast from. */
typedef struct OrtMapTypeInfo OrtMapTypeInfo;
/* A memory of a device; owned by what it was got from. */
typedef struct OrtMemoryDevice OrtMemoryDevice;
/* A description of memory; ends with ReleaseMemoryInfo() unless an object owns it. */
typedef struct OrtMemoryInfo OrtMemoryInfo;
/* A model that was built in memory; ends with ReleaseModel(). */
typedef struct OrtModel OrtModel;
/* Settings of a compilation; end with ReleaseModelCompilationOptions(). */
typedef struct OrtModelCompilationOptions OrtModelCompilationOptions;
/* The table that makes models in memory; laid out below. */
typedef struct OrtModelEditorApi OrtModelEditorApi;
/* What a model says of itself; ends with ReleaseModelMetadata(). */
typedef struct OrtModelMetadata OrtModelMetadata;
/* A node; ends with ReleaseNode() unless a graph took it. */
typedef struct OrtNode OrtNode;
/* What a fused node is created from; valid for the call. */
typedef struct OrtNodeComputeContext OrtNodeComputeContext;
/* A fused node; filled by a plug-in EP. */
typedef struct OrtNodeComputeInfo OrtNodeComputeInfo;
/* How nodes are fused; filled by a plug-in EP. */
typedef struct OrtNodeFusionOptions OrtNodeFusionOptions;
/* Options of NvTensorRtRtx; no function takes them. */
typedef struct OrtNvTensorRtRtxProviderOptions OrtNvTensorRtRtxProviderOptions;
/* An operator that kernels run; ends with ReleaseOp(). */
typedef struct OrtOp OrtOp;
/* An attribute; ends with ReleaseOpAttr() unless a node took it. */
typedef struct OrtOpAttr OrtOpAttr;
/* What an operator declares; ends with ReleaseOpSchema(). */
typedef struct OrtOpSchema OrtOpSchema;
/* A type parameter of an operator; owned by its schema. */
typedef struct OrtOpSchemaTypeConstraint OrtOpSchemaTypeConstraint;
/* Options of OpenVINO; laid out below, filled by the caller. */
typedef struct OrtOpenVINOProviderOptions OrtOpenVINOProviderOptions;
/* The type of an optional; owned by the OrtTypeInfo that it was cast from. */
typedef struct OrtOptionalTypeInfo OrtOptionalTypeInfo;
/* Stands for packed weights; ends with ReleasePrepackedWeightsContainer(). */
typedef struct OrtPrepackedWeightsContainer OrtPrepackedWeightsContainer;
/* An event of a profile; one of a plug-in EP ends with ReleaseProfilingEvent(). */
typedef struct OrtProfilingEvent OrtProfilingEvent;
/* Where a plug-in EP adds events; valid for the call. */
typedef struct OrtProfilingEventsContainer OrtProfilingEventsContainer;
/* Options of ROCM; laid out below, or made by CreateROCMProviderOptions(). */
typedef struct OrtROCMProviderOptions OrtROCMProviderOptions;
/* An amount, such as bytes of memory; filled by a plug-in EP. */
typedef struct OrtResourceCount OrtResourceCount;
/* Settings of runs; end with ReleaseRunOptions(). */
typedef struct OrtRunOptions OrtRunOptions;
/* What a plug-in EP does for the runtime's kernel of Scan. */
typedef struct OrtScanKernelHelper OrtScanKernelHelper;
/* The type of a sequence; owned by the OrtTypeInfo that it was cast from. */
typedef struct OrtSequenceTypeInfo OrtSequenceTypeInfo;
/* A model that is ready to run; ends with ReleaseSession(). */
typedef struct OrtSession OrtSession;
/* Settings of sessions; end with ReleaseSessionOptions(). */
typedef struct OrtSessionOptions OrtSessionOptions;
/* What InferOutputShapeFn sees; valid for the call. */
typedef struct OrtShapeInferContext OrtShapeInferContext;
/* Packed weights that kernels of a plug-in EP share. */
typedef struct OrtSharedPrePackedWeightCache OrtSharedPrePackedWeightCache;
/* Why a function failed: code and message; ends with ReleaseStatus(). */
typedef struct OrtStatus OrtStatus;
/* The same, as annotations of C++ programs have it. */
typedef OrtStatus *OrtStatusPtr;
/* A point in a stream; filled by a plug-in EP. */
typedef struct OrtSyncNotificationImpl OrtSyncNotificationImpl;
/* A stream of a device; none can be made here. */
typedef struct OrtSyncStream OrtSyncStream;
/* The same, filled by a plug-in EP. */
typedef struct OrtSyncStreamImpl OrtSyncStreamImpl;
/* Options of TensorRT as a struct; laid out below, filled by the caller. */
typedef struct OrtTensorRTProviderOptions OrtTensorRTProviderOptions;
/* Options of TensorRT by key; end with ReleaseTensorRTProviderOptions(). */
typedef struct OrtTensorRTProviderOptionsV2 OrtTensorRTProviderOptionsV2;
/* Element type and shape; ends with ReleaseTensorTypeAndShapeInfo() where the caller owns it. */
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
/* Functions that are told of a pool's work; laid out below. */
typedef struct OrtThreadPoolCallbacksConfig OrtThreadPoolCallbacksConfig;
/* Settings of a pool; no function takes them. */
typedef struct OrtThreadPoolParams OrtThreadPoolParams;
/* Settings of the environment's pool; end with ReleaseThreadingOptions(). */
typedef struct OrtThreadingOptions OrtThreadingOptions;
/* The table for training; GetTrainingApi() gives none. */
typedef struct OrtTrainingApi OrtTrainingApi;
/* The type of a value; ends with ReleaseTypeInfo() where the caller owns it. */
typedef struct OrtTypeInfo OrtTypeInfo;
/*
 * A tensor, sequence, map, optional or sparse tensor; ends with ReleaseValue() where the caller
 * owns it.
 */
typedef struct OrtValue OrtValue;
/* Name and type of a value of a graph; ends with ReleaseValueInfo() unless a graph took it. */
typedef struct OrtValueInfo OrtValueInfo;

/* What the caller's own thread function returns: a pointer that is never followed. */
struct OrtCustomHandleType {
    char __place_holder;
};
typedef const struct OrtCustomHandleType *OrtCustomThreadHandle;

/*
 * ---- functions that the caller gives ------------------------------------------------------------
 */

/* Gets a message; all texts are valid during the call. [any thread, calls may overlap] */
typedef void(ORT_API_CALL *OrtLoggingFunction)(void *param, OrtLoggingLevel severity,
                                               const char *category, const char *logid,
                                               const char *code_location, const char *message);
/* What a thread of the caller has to run; returns when the pool ends. */
typedef void(ORT_API_CALL *OrtThreadWorkerFn)(void *ort_worker_fn_param);
/* Starts a thread that calls worker(worker_param); NULL: it could not, which fails the creation. */
typedef OrtCustomThreadHandle(ORT_API_CALL *OrtCustomCreateThreadFn)(void *options,
                                                                     OrtThreadWorkerFn worker,
                                                                     void *worker_param);
/* Waits for the end of a thread and frees its handle. */
typedef void(ORT_API_CALL *OrtCustomJoinThreadFn)(OrtCustomThreadHandle handle);
/* Would be called for work of the pool; see OrtThreadPoolCallbacksConfig. */
typedef void *(ORT_API_CALL *OrtThreadPoolWorkEnqueueFn)(void *user_context);
/* Would be called when work begins; enqueue_data is what the function above gave. */
typedef void(ORT_API_CALL *OrtThreadPoolWorkStartFn)(void *user_context, void *enqueue_data);
/* Would be called when work ends. */
typedef void(ORT_API_CALL *OrtThreadPoolWorkStopFn)(void *user_context, void *enqueue_data);
/* Would be called when work is dropped. */
typedef void(ORT_API_CALL *OrtThreadPoolWorkAbandonFn)(void *user_context, void *enqueue_data);
/*
 * What a library of operators exports as RegisterCustomOps; it adds domains to the options. A
 * status that it returns is released here.
 */
typedef OrtStatus *(ORT_API_CALL *RegisterCustomOpsFn)(OrtSessionOptions *options,
                                                       const OrtApiBase *api);
/*
 * The end of RunAsync(): `status` NULL for success, else the callee's, to ReleaseStatus(). It runs
 * on the thread that ran.
 */
typedef void(ORT_API_CALL *RunAsyncCallbackFn)(void *user_data, OrtValue **outputs,
                                               size_t num_outputs, OrtStatus *status);
/*
 * Writes at most max_selected of the devices to `selected`, and their number. All arguments are
 * borrowed for the call.
 */
typedef OrtStatus *(ORT_API_CALL *EpSelectionDelegate)(
    const OrtEpDevice **ep_devices, size_t num_devices, const OrtKeyValuePairs *model_metadata,
    const OrtKeyValuePairs *runtime_metadata, const OrtEpDevice **selected, size_t max_selected,
    size_t *num_selected, void *state);
/* Gets the next piece of a model; it is borrowed for the call. A status ends the compilation. */
typedef OrtStatus *(ORT_API_CALL *OrtWriteBufferFunc)(void *state, const void *buffer,
                                                      size_t buffer_num_bytes);
/*
 * Says where a weight goes: *new_external_info NULL: into the model, else a description from
 * CreateExternalInitializerInfo(), which the library releases. external_info: where it was; NULL:
 * in the model.
 */
typedef OrtStatus *(ORT_API_CALL *OrtGetInitializerLocationFunc)(
    void *state, const char *initializer_name, const OrtValue *initializer_value,
    const OrtExternalInitializerInfo *external_info,
    OrtExternalInitializerInfo **new_external_info);
/* Any function: to be cast to its own type before it is called. */
typedef void(ORT_API_CALL *OrtExperimentalFnPtr)(void);

/*
 * ---- structs that the caller fills; `version` is the ORT_API_VERSION it was compiled with -------
 */

struct OrtAllocator {
    /*
     * ORT_API_VERSION that the caller was compiled with; functions younger than it are not called.
     */
    uint32_t version;
    /* `size` bytes, aligned for any type; NULL: there are none. [any thread] */
    void *(ORT_API_CALL *Alloc)(OrtAllocator *this_, size_t size);
    /* Frees what Alloc, Reserve or AllocOnStream gave; p may be NULL. [any thread] */
    void(ORT_API_CALL *Free)(OrtAllocator *this_, void *p);
    /* What memory it is; owned by the allocator. */
    const struct OrtMemoryInfo *(ORT_API_CALL *Info)(const OrtAllocator *this_);
    /* (opt) As Alloc, outside of an arena. Since version 18. */
    void *(ORT_API_CALL *Reserve)(OrtAllocator *this_, size_t size);
    /* (opt) Counters; the caller's, to ReleaseKeyValuePairs(). Since version 23. */
    OrtStatus *(ORT_API_CALL *GetStats)(const OrtAllocator *this_, OrtKeyValuePairs **out);
    /* (opt) As Alloc, for use on a device's stream; not called here. */
    void *(ORT_API_CALL *AllocOnStream)(OrtAllocator *this_, size_t size, OrtSyncStream *stream);
    /* (opt) Gives unused memory back; not called here. */
    OrtStatus *(ORT_API_CALL *Shrink)(OrtAllocator *this_);
};

struct OrtCustomOp {
    /*
     * ORT_API_VERSION that the library of operators was compiled with; functions younger than it
     * are not called. Statuses that the functions return are released here.
     */
    uint32_t version;
    /*
     * The kernel of a node, when a session is made; NULL when CreateKernelV2 is given. `info` is
     * valid during the call.
     */
    void *(ORT_API_CALL *CreateKernel)(const OrtCustomOp *op, const OrtApi *api,
                                       const OrtKernelInfo *info);
    /* Name of the operator; static text. */
    const char *(ORT_API_CALL *GetName)(const OrtCustomOp *op);
    /* Provider that the kernel is for; NULL: the CPU's. Operators for others are refused here. */
    const char *(ORT_API_CALL *GetExecutionProviderType)(const OrtCustomOp *op);
    /* Element type of an input; UNDEFINED: any. */
    ONNXTensorElementDataType(ORT_API_CALL *GetInputType)(const OrtCustomOp *op, size_t index);
    /* Number of inputs that the operator declares. */
    size_t(ORT_API_CALL *GetInputTypeCount)(const OrtCustomOp *op);
    /* Element type of an output; UNDEFINED: that of the inputs of no fixed type. */
    ONNXTensorElementDataType(ORT_API_CALL *GetOutputType)(const OrtCustomOp *op, size_t index);
    /* Number of outputs that the operator declares. */
    size_t(ORT_API_CALL *GetOutputTypeCount)(const OrtCustomOp *op);
    /* Runs the kernel. [any thread; calls of one kernel overlap when runs do] */
    void(ORT_API_CALL *KernelCompute)(void *op_kernel, OrtKernelContext *context);
    /* Frees the kernel, when its session is released. */
    void(ORT_API_CALL *KernelDestroy)(void *op_kernel);
    /* Whether an input is required, optional or variadic. Since version 8. */
    OrtCustomOpInputOutputCharacteristic(ORT_API_CALL *GetInputCharacteristic)(
        const OrtCustomOp *op, size_t index);
    /* Whether an output is required, optional or variadic. Since version 8. */
    OrtCustomOpInputOutputCharacteristic(ORT_API_CALL *GetOutputCharacteristic)(
        const OrtCustomOp *op, size_t index);
    /* Where the kernel wants the input; everything is ordinary memory here. Since version 13. */
    OrtMemType(ORT_API_CALL *GetInputMemoryType)(const OrtCustomOp *op, size_t index);
    /* Least number of values for a variadic input. Since version 14. */
    int(ORT_API_CALL *GetVariadicInputMinArity)(const OrtCustomOp *op);
    /* Whether values of a variadic input have one element type. Since version 14. */
    int(ORT_API_CALL *GetVariadicInputHomogeneity)(const OrtCustomOp *op);
    /* Least number of values for a variadic output. Since version 14. */
    int(ORT_API_CALL *GetVariadicOutputMinArity)(const OrtCustomOp *op);
    /* Whether values of a variadic output have one element type. Since version 14. */
    int(ORT_API_CALL *GetVariadicOutputHomogeneity)(const OrtCustomOp *op);
    /* As CreateKernel, with a status. Since version 16. */
    OrtStatus *(ORT_API_CALL *CreateKernelV2)(const OrtCustomOp *op, const OrtApi *api,
                                              const OrtKernelInfo *info, void **kernel);
    /* As KernelCompute, with a status, which fails the run. Since version 16. */
    OrtStatus *(ORT_API_CALL *KernelComputeV2)(void *op_kernel, OrtKernelContext *context);
    /*
     * (opt) Tells the shapes of outputs, at session creation and before runs with new shapes. [any
     * thread] Without it, sizes come from the kernel. Since version 17.
     */
    OrtStatus *(ORT_API_CALL *InferOutputShapeFn)(const OrtCustomOp *op, OrtShapeInferContext *);
    /* First version of the operator set that has it. Since version 17. */
    int(ORT_API_CALL *GetStartVersion)(const OrtCustomOp *op);
    /* Last version of the operator set that has it. Since version 17. */
    int(ORT_API_CALL *GetEndVersion)(const OrtCustomOp *op);
    /* (opt) Which outputs may lie where an input lies; not used here. Since version 18. */
    size_t(ORT_API_CALL *GetMayInplace)(int **input_index, int **output_index);
    /* Frees the arrays of GetMayInplace. */
    void(ORT_API_CALL *ReleaseMayInplace)(int *input_index, int *output_index);
    /*
     * (opt) Which outputs are an input that was changed: they start as a copy of it. Since version
     * 18.
     */
    size_t(ORT_API_CALL *GetAliasMap)(int **input_index, int **output_index);
    /* Frees the arrays of GetAliasMap. */
    void(ORT_API_CALL *ReleaseAliasMap)(int *input_index, int *output_index);
};

struct OrtEnvCreationOptions {
    /* ORT_API_VERSION of the caller; at least 24. */
    uint32_t version;
    /* The least severe messages that are logged: an OrtLoggingLevel. */
    int32_t logging_severity_level;
    /* Marks messages of the environment; copied. */
    const char *log_id;
    /* Gets log messages; NULL: they go to standard error. */
    OrtLoggingFunction custom_logging_function;
    /* Its first argument; borrowed as long as the environment. */
    void *custom_logging_param;
    /* Settings of the shared pool; NULL: defaults. Copied. */
    const OrtThreadingOptions *threading_options;
    /* Keys of onnxruntime_env_config_keys.h; NULL: none. Copied. */
    const OrtKeyValuePairs *config_entries;
};

struct OrtThreadPoolCallbacksConfig {
    /*
     * ORT_API_VERSION of the caller. SetPerSessionThreadPoolCallbacks(), which takes this, is
     * ORT_NOT_IMPLEMENTED.
     */
    uint32_t version;
    /* Would be called when work is queued; what it gives goes to the next three. */
    OrtThreadPoolWorkEnqueueFn on_enqueue;
    /* Would be called before a worker begins that work. */
    OrtThreadPoolWorkStartFn on_start_work;
    /* Would be called after a worker ended that work. */
    OrtThreadPoolWorkStopFn on_stop_work;
    /* Would be called for work that no worker takes any more. */
    OrtThreadPoolWorkAbandonFn on_abandon;
    /* First argument of all four. */
    void *user_context;
};

struct OrtExternalMemoryDescriptor {
    /* ORT_API_VERSION of the caller. */
    uint32_t version;
    /* What native_handle is. */
    OrtExternalMemoryHandleType handle_type;
    /* The other library's handle; borrowed. */
    void *native_handle;
    /* Bytes of the memory. */
    size_t size_bytes;
    /* Where it begins in the other library's allocation, in bytes. */
    size_t offset_bytes;
};

struct OrtExternalSemaphoreDescriptor {
    /* ORT_API_VERSION of the caller. */
    uint32_t version;
    /* What native_handle is. */
    OrtExternalSemaphoreType type;
    /* The other library's handle; borrowed. */
    void *native_handle;
};

struct OrtExternalTensorDescriptor {
    /* ORT_API_VERSION of the caller. */
    uint32_t version;
    /* Type of its elements. */
    ONNXTensorElementDataType element_type;
    /* `rank` sizes; borrowed for the call. */
    const int64_t *shape;
    /* Number of dimensions. */
    size_t rank;
    /* Where the elements begin in the imported memory, in bytes. */
    size_t offset_bytes;
};

struct OrtExternalMemoryHandle {
    /* ORT_API_VERSION of the plug-in that made it. */
    uint32_t version;
    /* The device that it was imported for. */
    const OrtEpDevice *ep_device;
    /* What it was imported from. */
    OrtExternalMemoryDescriptor descriptor;
    /* Frees the handle, not the other library's memory. */
    void(ORT_API_CALL *Release)(OrtExternalMemoryHandle *handle);
};

struct OrtExternalSemaphoreHandle {
    /* ORT_API_VERSION of the plug-in that made it. */
    uint32_t version;
    /* The device that it was imported for. */
    const OrtEpDevice *ep_device;
    /* What it was imported from. */
    OrtExternalSemaphoreDescriptor descriptor;
    /* Frees the handle, not the other library's semaphore. */
    void(ORT_API_CALL *Release)(OrtExternalSemaphoreHandle *handle);
};

struct OrtGraphicsInteropConfig {
    /* ORT_API_VERSION of the caller. */
    uint32_t version;
    /* The library to share a device with. */
    OrtGraphicsApi graphics_api;
    /* Its queue; borrowed until the sharing ends. */
    void *command_queue;
    /* More settings by key; may be NULL. */
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
    /* Number of the GPU. */
    int device_id ORT_DEFAULT_(0);
    /* How an algorithm for convolutions is found. */
    OrtCudnnConvAlgoSearch cudnn_conv_algo_search ORT_DEFAULT_(OrtCudnnConvAlgoSearchExhaustive);
    /* Most bytes of the arena. */
    size_t gpu_mem_limit ORT_DEFAULT_(SIZE_MAX);
    /* 0: the arena grows by powers of two; 1: by what is asked for. */
    int arena_extend_strategy ORT_DEFAULT_(0);
    /* 1: copies are in the stream of the kernels. */
    int do_copy_in_default_stream ORT_DEFAULT_(1);
    /* 1: user_compute_stream is used. */
    int has_user_compute_stream ORT_DEFAULT_(0);
    /* The caller's stream; borrowed as long as sessions use it. */
    void *user_compute_stream ORT_DEFAULT_(NULL);
    /* Settings of the arena in place of the two above; borrowed. */
    OrtArenaCfg *default_memory_arena_cfg ORT_DEFAULT_(NULL);
    /* 1: kernels that were tuned are used. */
    int tunable_op_enable ORT_DEFAULT_(0);
    /* 1: kernels are tuned while they run. */
    int tunable_op_tuning_enable ORT_DEFAULT_(0);
    /* Most milliseconds of tuning for a kernel; 0: no limit. */
    int tunable_op_max_tuning_duration_ms ORT_DEFAULT_(0);
};

struct OrtROCMProviderOptions {
    /* Number of the GPU. */
    int device_id ORT_DEFAULT_(0);
    /* 1: all algorithms for convolutions are tried. */
    int miopen_conv_exhaustive_search ORT_DEFAULT_(0);
    /* Most bytes of the arena. */
    size_t gpu_mem_limit ORT_DEFAULT_(SIZE_MAX);
    /* 0: the arena grows by powers of two; 1: by what is asked for. */
    int arena_extend_strategy ORT_DEFAULT_(0);
    /* 1: copies are in the stream of the kernels. */
    int do_copy_in_default_stream ORT_DEFAULT_(1);
    /* 1: user_compute_stream is used. */
    int has_user_compute_stream ORT_DEFAULT_(0);
    /* The caller's stream; borrowed as long as sessions use it. */
    void *user_compute_stream ORT_DEFAULT_(NULL);
    /* Settings of the arena in place of the two above; borrowed. */
    OrtArenaCfg *default_memory_arena_cfg ORT_DEFAULT_(NULL);
    /* 1: kernels are captured in a graph and replayed. */
    int enable_hip_graph ORT_DEFAULT_(0);
    /* 1: kernels that were tuned are used. */
    int tunable_op_enable ORT_DEFAULT_(0);
    /* 1: kernels are tuned while they run. */
    int tunable_op_tuning_enable ORT_DEFAULT_(0);
    /* Most milliseconds of tuning for a kernel; 0: no limit. */
    int tunable_op_max_tuning_duration_ms ORT_DEFAULT_(0);
};

struct OrtTensorRTProviderOptions {
    /* Number of the GPU. */
    int device_id;
    /* 1: user_compute_stream is used. */
    int has_user_compute_stream;
    /* The caller's stream; borrowed as long as sessions use it. */
    void *user_compute_stream;
    /* Most attempts to partition the graph. */
    int trt_max_partition_iterations;
    /* Least number of nodes of a group. */
    int trt_min_subgraph_size;
    /* Most bytes of workspace. */
    size_t trt_max_workspace_size;
    /* 1: float16 is allowed. */
    int trt_fp16_enable;
    /* 1: int8 is allowed. */
    int trt_int8_enable;
    /* File with ranges of values for int8; may be NULL. */
    const char *trt_int8_calibration_table_name;
    /* 1: that file is in TensorRT's format. */
    int trt_int8_use_native_calibration_table;
    /* 1: the deep learning accelerator is used. */
    int trt_dla_enable;
    /* Which one. */
    int trt_dla_core;
    /* 1: groups are written to files. */
    int trt_dump_subgraphs;
    /* 1: engines are kept in files. */
    int trt_engine_cache_enable;
    /* Folder for these files; may be NULL. */
    const char *trt_engine_cache_path;
    /* 1: these files are encrypted. */
    int trt_engine_decryption_enable;
    /* Library that decrypts them; may be NULL. */
    const char *trt_engine_decryption_lib_path;
    /* 1: engines are built one after the other. */
    int trt_force_sequential_engine_build;
};

struct OrtMIGraphXProviderOptions {
    /* Number of the GPU. */
    int device_id;
    /* 1: float16 is allowed. */
    int migraphx_fp16_enable;
    /* 1: 8-bit floats are allowed. */
    int migraphx_fp8_enable;
    /* 1: int8 is allowed. */
    int migraphx_int8_enable;
    /* 1: the file below is in MIGraphX's format. */
    int migraphx_use_native_calibration_table;
    /* File with ranges of values for int8; may be NULL. */
    const char *migraphx_int8_calibration_table_name;
    /* 1: the compiled model is written. */
    int migraphx_save_compiled_model;
    /* Where to; may be NULL. */
    const char *migraphx_save_model_path;
    /* 1: a compiled model is read. */
    int migraphx_load_compiled_model;
    /* Where from; may be NULL. */
    const char *migraphx_load_model_path;
    /* true: all kernels are tried. */
    bool migraphx_exhaustive_tune;
    /* Most bytes of the arena. */
    size_t migraphx_mem_limit;
    /* 0: the arena grows by powers of two; 1: by what is asked for. */
    int migraphx_arena_extend_strategy;
};

struct OrtOpenVINOProviderOptions {
    /* "CPU", "GPU", "NPU" or a combination; NULL: the default. */
    const char *device_type ORT_DEFAULT_(NULL);
    /* 1: compiles for the NPU in less time. */
    unsigned char enable_npu_fast_compile ORT_DEFAULT_(0);
    /* Which device of that type; NULL: the first. */
    const char *device_id ORT_DEFAULT_(NULL);
    /* Threads for inference; 0: the default. */
    size_t num_of_threads ORT_DEFAULT_(0);
    /* Folder for compiled models; NULL: none. */
    const char *cache_dir ORT_DEFAULT_(NULL);
    /* An OpenCL context of the caller; borrowed. */
    void *context ORT_DEFAULT_(NULL);
    /* 1: uses less of the processor while the GPU works. */
    unsigned char enable_opencl_throttling ORT_DEFAULT_(0);
    /* 1: compiles for sizes that are not known. */
    unsigned char enable_dynamic_shapes ORT_DEFAULT_(0);
};

#undef ORT_DEFAULT_

/*
 * ---- the tables --------------------------------------------------------------------------------
 */

/* Where it begins. GetApi() gives NULL for a version that is not spoken here. */
struct OrtApiBase {
    /* The table, static; the same one for 1 to ORT_API_VERSION, NULL for others. [any thread] */
    const OrtApi *(ORT_API_CALL *GetApi)(uint32_t version);
    /* The version that the library stands for, such as "1.30.0"; static. */
    const char *(ORT_API_CALL *GetVersionString)(void);
};

ORT_EXPORT const OrtApiBase *OrtGetApiBase(void);

/* The main table. */
struct OrtApi {

    /* ---- since version 1 ---- */

    /* status */
    /*
     * Makes a status of a code, which may be ORT_OK, and a message, which is copied. The caller's,
     * to ReleaseStatus(). Never NULL.
     */
    OrtStatus *(ORT_API_CALL *CreateStatus)(OrtErrorCode code, const char *msg);
    /* The code of a status; ORT_OK for NULL. [any thread] */
    OrtErrorCode(ORT_API_CALL *GetErrorCode)(const OrtStatus *status);
    /* The message of a status, owned by it; "" for NULL. [any thread] */
    const char *(ORT_API_CALL *GetErrorMessage)(const OrtStatus *status);

    /* environment */
    /*
     * Gives the environment of the process: the first call makes it, later ones count a reference
     * and ignore their arguments. One ReleaseEnv() for each. [any thread]
     */
    OrtStatus *(ORT_API_CALL *CreateEnv)(OrtLoggingLevel log_severity_level, const char *logid,
                                         OrtEnv **out);
    /*
     * As CreateEnv(); log messages go to `logging_function`, with logger_param as its first
     * argument, possibly from several threads at once.
     */
    OrtStatus *(ORT_API_CALL *CreateEnvWithCustomLogger)(OrtLoggingFunction logging_function,
                                                         void *logger_param,
                                                         OrtLoggingLevel log_severity_level,
                                                         const char *logid, OrtEnv **out);
    /* Does nothing and succeeds: the library sends no telemetry. */
    OrtStatus *(ORT_API_CALL *EnableTelemetryEvents)(const OrtEnv *env);
    /* Does nothing and succeeds: the library sends no telemetry. */
    OrtStatus *(ORT_API_CALL *DisableTelemetryEvents)(const OrtEnv *env);

    /* sessions */
    /*
     * Makes a session of a model file, .onnx or .ort, recognized by its bytes. `options` NULL:
     * defaults; they may be released afterwards. The caller's, to ReleaseSession().
     * ORT_NO_SUCHFILE: no file. ORT_INVALID_PROTOBUF: no model. ORT_INVALID_GRAPH, ORT_FAIL: a
     * model that is wrong.
     */
    OrtStatus *(ORT_API_CALL *CreateSession)(const OrtEnv *env, const ORTCHAR_T *model_path,
                                             const OrtSessionOptions *options, OrtSession **out);
    /*
     * As CreateSession(), of `model_data_length` bytes in memory, at most 2^31 - 1 (else
     * ORT_INVALID_ARGUMENT). External data needs
     * session.model_external_initializers_file_folder_path.
     */
    OrtStatus *(ORT_API_CALL *CreateSessionFromArray)(const OrtEnv *env, const void *model_data,
                                                      size_t model_data_length,
                                                      const OrtSessionOptions *options,
                                                      OrtSession **out);

    /* running */
    /*
     * Runs the session and returns when outputs are there. [any thread; runs may overlap] `outputs`
     * has an entry for each name: a NULL entry becomes a new value, the caller's to ReleaseValue();
     * another is a tensor of the caller that is written in place. run_options may be NULL.
     * ORT_INVALID_ARGUMENT: an unknown name, or a value whose type or sizes do not fit. ORT_FAIL:
     * an input is missing.
     */
    OrtStatus *(ORT_API_CALL *Run)(OrtSession *session, const OrtRunOptions *run_options,
                                   const char *const *input_names, const OrtValue *const *inputs,
                                   size_t input_len, const char *const *output_names,
                                   size_t output_names_len, OrtValue **outputs);

    /* session options */
    /*
     * Options with their defaults; the caller's, to ReleaseSessionOptions(). Sessions copy what
     * they need. An options object is used by one thread at a time.
     */
    OrtStatus *(ORT_API_CALL *CreateSessionOptions)(OrtSessionOptions **options);
    /*
     * When a session is made, its optimized graph is written to this file; a path that ends in .ort
     * selects ONNX Runtime's own format.
     */
    OrtStatus *(ORT_API_CALL *SetOptimizedModelFilePath)(OrtSessionOptions *options,
                                                         const ORTCHAR_T *optimized_model_filepath);
    /* A copy of all settings, the caller's, to ReleaseSessionOptions(). */
    OrtStatus *(ORT_API_CALL *CloneSessionOptions)(const OrtSessionOptions *in_options,
                                                   OrtSessionOptions **out_options);
    /*
     * Kept, without effect: nodes of one run do not overlap. ORT_INVALID_ARGUMENT: no
     * ExecutionMode.
     */
    OrtStatus *(ORT_API_CALL *SetSessionExecutionMode)(OrtSessionOptions *options,
                                                       ExecutionMode execution_mode);
    /*
     * Sessions write a profile; the file's name is the prefix and the date. See
     * SessionEndProfiling().
     */
    OrtStatus *(ORT_API_CALL *EnableProfiling)(OrtSessionOptions *options,
                                               const ORTCHAR_T *profile_file_prefix);
    /* Sessions write no profile (the default). */
    OrtStatus *(ORT_API_CALL *DisableProfiling)(OrtSessionOptions *options);
    /*
     * Kept, without effect: memory is always planned by lifetimes. GetMemPatternEnabled() reads it.
     */
    OrtStatus *(ORT_API_CALL *EnableMemPattern)(OrtSessionOptions *options);
    /* Kept, without effect: memory is always planned by lifetimes. */
    OrtStatus *(ORT_API_CALL *DisableMemPattern)(OrtSessionOptions *options);
    /* Kept, without effect: a session's memory is planned, not taken from an arena of this kind. */
    OrtStatus *(ORT_API_CALL *EnableCpuMemArena)(OrtSessionOptions *options);
    /* Kept, without effect, as EnableCpuMemArena(). */
    OrtStatus *(ORT_API_CALL *DisableCpuMemArena)(OrtSessionOptions *options);
    /* The text that log messages of the session are marked with; copied. */
    OrtStatus *(ORT_API_CALL *SetSessionLogId)(OrtSessionOptions *options, const char *logid);
    /* Kept, without effect: messages below VERBOSE are not told apart. */
    OrtStatus *(ORT_API_CALL *SetSessionLogVerbosityLevel)(OrtSessionOptions *options,
                                                           int session_log_verbosity_level);
    /* The least severe messages that the session logs: an OrtLoggingLevel. */
    OrtStatus *(ORT_API_CALL *SetSessionLogSeverityLevel)(OrtSessionOptions *options,
                                                          int session_log_severity_level);
    /*
     * Which of Backplane's passes run; ORT_ENABLE_ALL is the default. ORT_INVALID_ARGUMENT: no
     * GraphOptimizationLevel.
     */
    OrtStatus *(ORT_API_CALL *SetSessionGraphOptimizationLevel)(
        OrtSessionOptions *options, GraphOptimizationLevel graph_optimization_level);
    /* How many threads of the pool a run uses, the caller's included; 0: all of them. */
    OrtStatus *(ORT_API_CALL *SetIntraOpNumThreads)(OrtSessionOptions *options,
                                                    int intra_op_num_threads);
    /* Kept, without effect: nodes of one run do not overlap. */
    OrtStatus *(ORT_API_CALL *SetInterOpNumThreads)(OrtSessionOptions *options,
                                                    int inter_op_num_threads);

    /* custom operators */
    /*
     * An empty set of custom operators in `domain`. The caller's, to ReleaseCustomOpDomain() after
     * the sessions that use it.
     */
    OrtStatus *(ORT_API_CALL *CreateCustomOpDomain)(const char *domain, OrtCustomOpDomain **out);
    /*
     * Adds an operator. `op` is borrowed and must live as long as sessions use it.
     * ORT_INVALID_ARGUMENT: a version this library does not know, or a required function is NULL.
     */
    OrtStatus *(ORT_API_CALL *CustomOpDomain_Add)(OrtCustomOpDomain *custom_op_domain,
                                                  const OrtCustomOp *op);
    /*
     * Sessions of these options know the domain's operators. It is borrowed, until they are
     * released.
     */
    OrtStatus *(ORT_API_CALL *AddCustomOpDomain)(OrtSessionOptions *options,
                                                 OrtCustomOpDomain *custom_op_domain);
    /*
     * Loads a library and calls its RegisterCustomOps(). *library_handle is the caller's, for
     * dlclose(), once the sessions are released. ORT_FAIL: no such library, or no such symbol.
     */
    OrtStatus *(ORT_API_CALL *RegisterCustomOpsLibrary)(OrtSessionOptions *options,
                                                        const char *library_path,
                                                        void **library_handle);

    /* sessions */
    /*
     * Number of inputs that a run has to be given; initializers with the name of an input do not
     * count.
     */
    OrtStatus *(ORT_API_CALL *SessionGetInputCount)(const OrtSession *session, size_t *out);
    /* Number of outputs of the model. */
    OrtStatus *(ORT_API_CALL *SessionGetOutputCount)(const OrtSession *session, size_t *out);
    /*
     * Number of inputs that have an initializer as their default, so that a run may leave them out.
     */
    OrtStatus *(ORT_API_CALL *SessionGetOverridableInitializerCount)(const OrtSession *session,
                                                                     size_t *out);
    /*
     * Type of input `index` as the model declares it; the caller's, to ReleaseTypeInfo(). An index
     * out of range is an error.
     */
    OrtStatus *(ORT_API_CALL *SessionGetInputTypeInfo)(const OrtSession *session, size_t index,
                                                       OrtTypeInfo **type_info);
    /*
     * Type of output `index`: as declared, with sizes that inference found. The caller's, to
     * ReleaseTypeInfo().
     */
    OrtStatus *(ORT_API_CALL *SessionGetOutputTypeInfo)(const OrtSession *session, size_t index,
                                                        OrtTypeInfo **type_info);
    /* Type of an input that has a default; the caller's, to ReleaseTypeInfo(). */
    OrtStatus *(ORT_API_CALL *SessionGetOverridableInitializerTypeInfo)(const OrtSession *session,
                                                                        size_t index,
                                                                        OrtTypeInfo **type_info);
    /* Name of input `index`, allocated with `allocator`, to be freed with it. */
    OrtStatus *(ORT_API_CALL *SessionGetInputName)(const OrtSession *session, size_t index,
                                                   OrtAllocator *allocator, char **value);
    /* Name of output `index`, allocated with `allocator`, to be freed with it. */
    OrtStatus *(ORT_API_CALL *SessionGetOutputName)(const OrtSession *session, size_t index,
                                                    OrtAllocator *allocator, char **value);
    /* Name of an input that has a default, allocated with `allocator`, to be freed with it. */
    OrtStatus *(ORT_API_CALL *SessionGetOverridableInitializerName)(const OrtSession *session,
                                                                    size_t index,
                                                                    OrtAllocator *allocator,
                                                                    char **value);

    /* run options */
    /*
     * Options of a run with their defaults; the caller's, to ReleaseRunOptions(). They may serve
     * several runs.
     */
    OrtStatus *(ORT_API_CALL *CreateRunOptions)(OrtRunOptions **out);
    /* Kept, without effect: messages below VERBOSE are not told apart. */
    OrtStatus *(ORT_API_CALL *RunOptionsSetRunLogVerbosityLevel)(OrtRunOptions *options,
                                                                 int log_verbosity_level);
    /* Kept, without effect: a run logs as its session does. */
    OrtStatus *(ORT_API_CALL *RunOptionsSetRunLogSeverityLevel)(OrtRunOptions *options,
                                                                int log_severity_level);
    /* A text that names the run; copied. */
    OrtStatus *(ORT_API_CALL *RunOptionsSetRunTag)(OrtRunOptions *options, const char *run_tag);
    /* Reads what RunOptionsSetRunLogVerbosityLevel() set. */
    OrtStatus *(ORT_API_CALL *RunOptionsGetRunLogVerbosityLevel)(const OrtRunOptions *options,
                                                                 int *log_verbosity_level);
    /* Reads what RunOptionsSetRunLogSeverityLevel() set. */
    OrtStatus *(ORT_API_CALL *RunOptionsGetRunLogSeverityLevel)(const OrtRunOptions *options,
                                                                int *log_severity_level);
    /*
     * The text that names the run, in the options, valid until it is set again or they are
     * released.
     */
    OrtStatus *(ORT_API_CALL *RunOptionsGetRunTag)(const OrtRunOptions *options,
                                                   const char **run_tag);
    /* Runs with these options stop as soon as a provider looks, and fail. [any thread] */
    OrtStatus *(ORT_API_CALL *RunOptionsSetTerminate)(OrtRunOptions *options);
    /* Takes RunOptionsSetTerminate() back, for the next run. [any thread] */
    OrtStatus *(ORT_API_CALL *RunOptionsUnsetTerminate)(OrtRunOptions *options);

    /* tensors */
    /*
     * A tensor whose elements are allocated with `allocator`, uninitialized; strings are empty. The
     * caller's, to ReleaseValue(). The allocator must outlive it. ORT_FAIL: a size below 0.
     * ORT_NOT_IMPLEMENTED: complex numbers.
     */
    OrtStatus *(ORT_API_CALL *CreateTensorAsOrtValue)(OrtAllocator *allocator, const int64_t *shape,
                                                      size_t shape_len,
                                                      ONNXTensorElementDataType type,
                                                      OrtValue **out);
    /*
     * A tensor over the caller's memory of p_data_len bytes, which must outlive it; no strings.
     * ORT_INVALID_ARGUMENT: a size below 0, or too few bytes.
     */
    OrtStatus *(ORT_API_CALL *CreateTensorWithDataAsOrtValue)(
        const OrtMemoryInfo *info, void *p_data, size_t p_data_len, const int64_t *shape,
        size_t shape_len, ONNXTensorElementDataType type, OrtValue **out);
    /* *out is 1 for a dense tensor, else 0. */
    OrtStatus *(ORT_API_CALL *IsTensor)(const OrtValue *value, int *out);
    /*
     * Address of the elements, for reading and writing, valid until the value is released. Strings
     * are written by FillStringTensor().
     */
    OrtStatus *(ORT_API_CALL *GetTensorMutableData)(OrtValue *value, void **out);

    /* tensors of strings */
    /*
     * Writes all elements of a tensor of strings; the texts are copied. ORT_INVALID_ARGUMENT: s_len
     * is not the number of elements.
     */
    OrtStatus *(ORT_API_CALL *FillStringTensor)(OrtValue *value, const char *const *s,
                                                size_t s_len);
    /* Bytes of all strings together, without terminators. ORT_FAIL: not a tensor of strings. */
    OrtStatus *(ORT_API_CALL *GetStringTensorDataLength)(const OrtValue *value, size_t *len);
    /*
     * Writes the strings end to end, without terminators, and the offset of each. ORT_FAIL: s_len
     * is too small, or offsets_len is not the number of elements.
     */
    OrtStatus *(ORT_API_CALL *GetStringTensorContent)(const OrtValue *value, void *s, size_t s_len,
                                                      size_t *offsets, size_t offsets_len);

    /* types and shapes */
    /* The tensor's part of a type, owned by type_info; NULL when it is not a tensor. */
    OrtStatus *(ORT_API_CALL *CastTypeInfoToTensorInfo)(const OrtTypeInfo *type_info,
                                                        const OrtTensorTypeAndShapeInfo **out);
    /* Whether the type is a tensor, sequence, map, optional or sparse tensor. */
    OrtStatus *(ORT_API_CALL *GetOnnxTypeFromTypeInfo)(const OrtTypeInfo *type_info, ONNXType *out);
    /* Element type and shape, both empty; the caller's, to ReleaseTensorTypeAndShapeInfo(). */
    OrtStatus *(ORT_API_CALL *CreateTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo **out);
    /* Sets the element type. */
    OrtStatus *(ORT_API_CALL *SetTensorElementType)(OrtTensorTypeAndShapeInfo *info,
                                                    ONNXTensorElementDataType type);
    /* Sets rank and sizes; they are copied. -1: a size that is not known. */
    OrtStatus *(ORT_API_CALL *SetDimensions)(OrtTensorTypeAndShapeInfo *info,
                                             const int64_t *dim_values, size_t dim_count);
    /* The element type; UNDEFINED when it is not known. */
    OrtStatus *(ORT_API_CALL *GetTensorElementType)(const OrtTensorTypeAndShapeInfo *info,
                                                    ONNXTensorElementDataType *out);
    /* The rank; 0 for a scalar. TensorTypeAndShape_HasShape() tells it from an unknown rank. */
    OrtStatus *(ORT_API_CALL *GetDimensionsCount)(const OrtTensorTypeAndShapeInfo *info,
                                                  size_t *out);
    /* Writes the first dim_values_length sizes; -1 where one is not known. */
    OrtStatus *(ORT_API_CALL *GetDimensions)(const OrtTensorTypeAndShapeInfo *info,
                                             int64_t *dim_values, size_t dim_values_length);
    /*
     * Writes the names of the first dim_params_length dimensions, "" where there is none. They are
     * owned by info.
     */
    OrtStatus *(ORT_API_CALL *GetSymbolicDimensions)(const OrtTensorTypeAndShapeInfo *info,
                                                     const char *dim_params[],
                                                     size_t dim_params_length);
    /* Product of the sizes. ORT_FAIL: one is not known, or the product exceeds size_t. */
    OrtStatus *(ORT_API_CALL *GetTensorShapeElementCount)(const OrtTensorTypeAndShapeInfo *info,
                                                          size_t *out);
    /*
     * Element type and shape of a tensor; the caller's, to ReleaseTensorTypeAndShapeInfo().
     * ORT_FAIL: not a tensor.
     */
    OrtStatus *(ORT_API_CALL *GetTensorTypeAndShape)(const OrtValue *value,
                                                     OrtTensorTypeAndShapeInfo **out);
    /* Type of a value; the caller's, to ReleaseTypeInfo(). NULL for an optional without a value. */
    OrtStatus *(ORT_API_CALL *GetTypeInfo)(const OrtValue *value, OrtTypeInfo **out);

    /* tensors */
    /* Kind of the value: tensor, sequence, map, sparse tensor. */
    OrtStatus *(ORT_API_CALL *GetValueType)(const OrtValue *value, ONNXType *out);

    /* descriptions of memory */
    /*
     * Describes memory by a device's name, "Cpu" for ordinary memory. The caller's, to
     * ReleaseMemoryInfo(). ORT_INVALID_ARGUMENT: an unknown name; CreateMemoryInfo_V2() takes any.
     */
    OrtStatus *(ORT_API_CALL *CreateMemoryInfo)(const char *name, OrtAllocatorType type, int id,
                                                OrtMemType mem_type, OrtMemoryInfo **out);
    /* Describes ordinary memory; the caller's, to ReleaseMemoryInfo(). */
    OrtStatus *(ORT_API_CALL *CreateCpuMemoryInfo)(OrtAllocatorType type, OrtMemType mem_type,
                                                   OrtMemoryInfo **out);
    /* *out is 0 when both describe the same memory, else another number. */
    OrtStatus *(ORT_API_CALL *CompareMemoryInfo)(const OrtMemoryInfo *info1,
                                                 const OrtMemoryInfo *info2, int *out);
    /* The name, owned by the object. */
    OrtStatus *(ORT_API_CALL *MemoryInfoGetName)(const OrtMemoryInfo *ptr, const char **out);
    /* The number of the device. */
    OrtStatus *(ORT_API_CALL *MemoryInfoGetId)(const OrtMemoryInfo *ptr, int *out);
    /* What the memory is for. */
    OrtStatus *(ORT_API_CALL *MemoryInfoGetMemType)(const OrtMemoryInfo *ptr, OrtMemType *out);
    /* The kind of allocator. */
    OrtStatus *(ORT_API_CALL *MemoryInfoGetType)(const OrtMemoryInfo *ptr, OrtAllocatorType *out);

    /* allocators */
    /*
     * `size` bytes of the allocator, to be freed with AllocatorFree(). An error when it has no
     * memory; *out may be NULL for 0 bytes. Exceptions of the caller's allocator become a status.
     */
    OrtStatus *(ORT_API_CALL *AllocatorAlloc)(OrtAllocator *ort_allocator, size_t size, void **out);
    /* Frees what AllocatorAlloc() of the same allocator gave; p may be NULL. */
    OrtStatus *(ORT_API_CALL *AllocatorFree)(OrtAllocator *ort_allocator, void *p);
    /* What memory the allocator gives; owned by the allocator. */
    OrtStatus *(ORT_API_CALL *AllocatorGetInfo)(const OrtAllocator *ort_allocator,
                                                const OrtMemoryInfo **out);
    /* The allocator of ordinary memory: of the process, never released. [any thread] */
    OrtStatus *(ORT_API_CALL *GetAllocatorWithDefaultOptions)(OrtAllocator **out);

    /* session options */
    /*
     * Kept, without effect, because models' denotations of dimensions are not read.
     * AddFreeDimensionOverrideByName() has an effect.
     */
    OrtStatus *(ORT_API_CALL *AddFreeDimensionOverride)(OrtSessionOptions *options,
                                                        const char *dim_denotation,
                                                        int64_t dim_value);

    /* sequences, maps, optionals */
    /*
     * Element `index` of a sequence, or keys (0) and values (1) of a map; the caller's, to
     * ReleaseValue(). Elements of a sequence that a run made are copies. The allocator is not used.
     * ORT_FAIL: out of range.
     */
    OrtStatus *(ORT_API_CALL *GetValue)(const OrtValue *value, int index, OrtAllocator *allocator,
                                        OrtValue **out);
    /* Length of a sequence; 2 for a map. ORT_FAIL: neither. */
    OrtStatus *(ORT_API_CALL *GetValueCount)(const OrtValue *value, size_t *out);
    /*
     * A sequence of num_values values, or a map of two tensors: keys and values. It shares its
     * elements, so the caller may release `in`. The caller's, to ReleaseValue(). ORT_FAIL: elements
     * of different types, no elements, tensors that are not keys and values.
     */
    OrtStatus *(ORT_API_CALL *CreateValue)(const OrtValue *const *in, size_t num_values,
                                           ONNXType value_type, OrtValue **out);
    /* ORT_NOT_IMPLEMENTED: no operator has opaque values. */
    OrtStatus *(ORT_API_CALL *CreateOpaqueValue)(const char *domain_name, const char *type_name,
                                                 const void *data_container,
                                                 size_t data_container_size, OrtValue **out);
    /* ORT_NOT_IMPLEMENTED: no operator has opaque values. */
    OrtStatus *(ORT_API_CALL *GetOpaqueValue)(const char *domain_name, const char *type_name,
                                              const OrtValue *in, void *data_container,
                                              size_t data_container_size);

    /* what a kernel is created from */
    /* An attribute of the node; an error when it has none of that name and type. */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttribute_float)(const OrtKernelInfo *info,
                                                            const char *name, float *out);
    /* An attribute of the node; an error when it has none of that name and type. */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttribute_int64)(const OrtKernelInfo *info,
                                                            const char *name, int64_t *out);
    /*
     * Copies a text and its NUL to `out`. *size: the capacity, then the bytes needed; with `out`
     * NULL it only tells these. Too small: an error.
     */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttribute_string)(const OrtKernelInfo *info,
                                                             const char *name, char *out,
                                                             size_t *size);

    /* what a running kernel sees */
    /*
     * Number of inputs of the node, absent optional ones included. Contexts are valid during the
     * kernel's call only.
     */
    OrtStatus *(ORT_API_CALL *KernelContext_GetInputCount)(const OrtKernelContext *context,
                                                           size_t *out);
    /* Number of outputs of the node, absent optional ones included. */
    OrtStatus *(ORT_API_CALL *KernelContext_GetOutputCount)(const OrtKernelContext *context,
                                                            size_t *out);
    /*
     * Input `index`, owned by the context; NULL for an absent optional one. Out of range: an error.
     */
    OrtStatus *(ORT_API_CALL *KernelContext_GetInput)(const OrtKernelContext *context, size_t index,
                                                      const OrtValue **out);
    /*
     * Output `index` with the sizes given; owned by the context, to be written by the kernel. NULL
     * for an output that the model leaves out. Other sizes than InferOutputShapeFn told are an
     * error.
     */
    OrtStatus *(ORT_API_CALL *KernelContext_GetOutput)(OrtKernelContext *context, size_t index,
                                                       const int64_t *dim_values, size_t dim_count,
                                                       OrtValue **out);

    /* environment */
    /*
     * Gives one reference back; the last one ends the environment. Sessions are released before.
     * [any thread]
     */
    void(ORT_API_CALL *ReleaseEnv)(OrtEnv *input);

    /* status */
    /* Frees a status and its message. */
    void(ORT_API_CALL *ReleaseStatus)(OrtStatus *input);

    /* descriptions of memory */
    /* Frees a description that a CreateMemoryInfo function made, not one that an object owns. */
    void(ORT_API_CALL *ReleaseMemoryInfo)(OrtMemoryInfo *input);

    /* sessions */
    /*
     * Frees the session; waits for runs of other threads. A profile that was not ended is written.
     */
    void(ORT_API_CALL *ReleaseSession)(OrtSession *input);

    /* tensors */
    /*
     * Gives the value back; parts that sequences share live on. Memory of the caller stays the
     * caller's.
     */
    void(ORT_API_CALL *ReleaseValue)(OrtValue *input);

    /* run options */
    /* Frees options of a run; no run may use them any more. */
    void(ORT_API_CALL *ReleaseRunOptions)(OrtRunOptions *input);

    /* types and shapes */
    /* Frees a type and the parts that a Cast function gave of it. */
    void(ORT_API_CALL *ReleaseTypeInfo)(OrtTypeInfo *input);
    /* Frees an element type and shape that the caller owns. */
    void(ORT_API_CALL *ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo *input);

    /* session options */
    /* Frees options; sessions made with them go on. */
    void(ORT_API_CALL *ReleaseSessionOptions)(OrtSessionOptions *input);

    /* custom operators */
    /* Frees the set, not its operators; sessions that know it must be released before. */
    void(ORT_API_CALL *ReleaseCustomOpDomain)(OrtCustomOpDomain *input);

    /* ---- since version 2 ---- */

    /* types and shapes */
    /* Always "" and 0: denotations of models are not read. The text is static. */
    OrtStatus *(ORT_API_CALL *GetDenotationFromTypeInfo)(const OrtTypeInfo *type_info,
                                                         const char **const denotation,
                                                         size_t *len);

    /* sequences, maps, optionals */
    /* The map's part of a type, owned by type_info; NULL when it is not a map. */
    OrtStatus *(ORT_API_CALL *CastTypeInfoToMapTypeInfo)(const OrtTypeInfo *type_info,
                                                         const OrtMapTypeInfo **out);
    /* The sequence's part of a type, owned by type_info; NULL when it is not a sequence. */
    OrtStatus *(ORT_API_CALL *CastTypeInfoToSequenceTypeInfo)(const OrtTypeInfo *type_info,
                                                              const OrtSequenceTypeInfo **out);
    /* Element type of the keys. */
    OrtStatus *(ORT_API_CALL *GetMapKeyType)(const OrtMapTypeInfo *map_type_info,
                                             ONNXTensorElementDataType *out);
    /* Type of the values; a copy, the caller's, to ReleaseTypeInfo(). */
    OrtStatus *(ORT_API_CALL *GetMapValueType)(const OrtMapTypeInfo *map_type_info,
                                               OrtTypeInfo **type_info);
    /* Type of the elements; a copy, the caller's, to ReleaseTypeInfo(). */
    OrtStatus *(ORT_API_CALL *GetSequenceElementType)(const OrtSequenceTypeInfo *sequence_type_info,
                                                      OrtTypeInfo **type_info);
    /* Does nothing: the OrtTypeInfo that it was cast from owns it. */
    void(ORT_API_CALL *ReleaseMapTypeInfo)(OrtMapTypeInfo *input);
    /* Does nothing: the OrtTypeInfo that it was cast from owns it. */
    void(ORT_API_CALL *ReleaseSequenceTypeInfo)(OrtSequenceTypeInfo *input);

    /* sessions */
    /*
     * Writes the profile and gives its file's name, allocated with `allocator`, to be freed with
     * it; "" when there was no profiling.
     */
    OrtStatus *(ORT_API_CALL *SessionEndProfiling)(OrtSession *session, OrtAllocator *allocator,
                                                   char **out);

    /* metadata of the model */
    /* What the model says of itself; the caller's, to ReleaseModelMetadata(). */
    OrtStatus *(ORT_API_CALL *SessionGetModelMetadata)(const OrtSession *session,
                                                       OrtModelMetadata **out);
    /*
     * Name of the tool that made the model (ModelProto.producer_name), allocated with `allocator`,
     * to be freed with it; "" when there is none.
     */
    OrtStatus *(ORT_API_CALL *ModelMetadataGetProducerName)(const OrtModelMetadata *model_metadata,
                                                            OrtAllocator *allocator, char **value);
    /* Name of the main graph (GraphProto.name), to be freed with `allocator`. */
    OrtStatus *(ORT_API_CALL *ModelMetadataGetGraphName)(const OrtModelMetadata *model_metadata,
                                                         OrtAllocator *allocator, char **value);
    /* Domain of the model (ModelProto.domain), to be freed with `allocator`. */
    OrtStatus *(ORT_API_CALL *ModelMetadataGetDomain)(const OrtModelMetadata *model_metadata,
                                                      OrtAllocator *allocator, char **value);
    /* Description of the model (ModelProto.doc_string), to be freed with `allocator`. */
    OrtStatus *(ORT_API_CALL *ModelMetadataGetDescription)(const OrtModelMetadata *model_metadata,
                                                           OrtAllocator *allocator, char **value);
    /*
     * Value of a key in ModelProto.metadata_props, to be freed with `allocator`; NULL without an
     * error when there is no such key.
     */
    OrtStatus *(ORT_API_CALL *ModelMetadataLookupCustomMetadataMap)(
        const OrtModelMetadata *model_metadata, OrtAllocator *allocator, const char *key,
        char **value);
    /* Version of the model (ModelProto.model_version). */
    OrtStatus *(ORT_API_CALL *ModelMetadataGetVersion)(const OrtModelMetadata *model_metadata,
                                                       int64_t *value);
    /* Frees metadata; texts that were allocated for the caller stay. */
    void(ORT_API_CALL *ReleaseModelMetadata)(OrtModelMetadata *input);

    /* ---- since version 3 ---- */

    /* environment */
    /*
     * As CreateEnv(), with settings of the thread pool that sessions share; tp_options may be
     * released afterwards.
     */
    OrtStatus *(ORT_API_CALL *CreateEnvWithGlobalThreadPools)(OrtLoggingLevel log_severity_level,
                                                              const char *logid,
                                                              const OrtThreadingOptions *tp_options,
                                                              OrtEnv **out);

    /* session options */
    /* The session takes no pool of its own, even with thread functions or affinities of its own. */
    OrtStatus *(ORT_API_CALL *DisablePerSessionThreads)(OrtSessionOptions *options);

    /* threads shared by sessions */
    /*
     * Settings of the environment's pool with their defaults; the caller's, to
     * ReleaseThreadingOptions().
     */
    OrtStatus *(ORT_API_CALL *CreateThreadingOptions)(OrtThreadingOptions **out);
    /* Frees the settings; environments made with them go on. */
    void(ORT_API_CALL *ReleaseThreadingOptions)(OrtThreadingOptions *input);

    /* sequences, maps, optionals */
    /*
     * All keys of ModelProto.metadata_props. The array and each key are to be freed with
     * `allocator`; NULL and 0 when there are none.
     */
    OrtStatus *(ORT_API_CALL *ModelMetadataGetCustomMetadataMapKeys)(
        const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char ***keys,
        int64_t *num_keys);

    /* session options */
    /*
     * Sets the size of a dimension by its name (dim_param), as if the model said so; types of
     * inputs and outputs show it.
     */
    OrtStatus *(ORT_API_CALL *AddFreeDimensionOverrideByName)(OrtSessionOptions *options,
                                                              const char *dim_name,
                                                              int64_t dim_value);

    /* ---- since version 4 ---- */

    /* execution providers and their options */
    /*
     * Names of the providers that are usable here, preferred ones first. The array is the caller's,
     * to ReleaseAvailableProviders().
     */
    OrtStatus *(ORT_API_CALL *GetAvailableProviders)(char ***out_ptr, int *provider_length);
    /* Frees the array and its names; always succeeds. */
    OrtStatus *(ORT_API_CALL *ReleaseAvailableProviders)(char **ptr, int providers_length);

    /* ---- since version 5 ---- */

    /* tensors of strings */
    /* Bytes of one string of a tensor, without a terminator. An index out of range is an error. */
    OrtStatus *(ORT_API_CALL *GetStringTensorElementLength)(const OrtValue *value, size_t index,
                                                            size_t *out);
    /*
     * Copies one string, without a terminator. ORT_FAIL: s_len is too small. Note the order of
     * arguments.
     */
    OrtStatus *(ORT_API_CALL *GetStringTensorElement)(const OrtValue *value, size_t s_len,
                                                      size_t index, void *s);
    /*
     * Writes one string of a tensor; the text is copied. ORT_INVALID_ARGUMENT: index out of range.
     */
    OrtStatus *(ORT_API_CALL *FillStringTensorElement)(OrtValue *value, const char *s,
                                                       size_t index);

    /* session options */
    /*
     * Sets a key of onnxruntime_session_options_config_keys.h; both texts are copied, a second call
     * replaces the first. Unknown keys are kept. ORT_INVALID_ARGUMENT: a key that is empty, or
     * texts that are too long.
     */
    OrtStatus *(ORT_API_CALL *AddSessionConfigEntry)(OrtSessionOptions *options,
                                                     const char *config_key,
                                                     const char *config_value);

    /* allocators */
    /*
     * An allocator of the session for this memory; the caller's, to ReleaseAllocator(), before the
     * session. ORT_INVALID_ARGUMENT: the session has no such memory.
     */
    OrtStatus *(ORT_API_CALL *CreateAllocator)(const OrtSession *session,
                                               const OrtMemoryInfo *mem_info, OrtAllocator **out);
    /*
     * Frees an allocator that CreateAllocator(), KernelInfoGetAllocator() or
     * KernelContext_GetAllocator() gave.
     */
    void(ORT_API_CALL *ReleaseAllocator)(OrtAllocator *input);

    /* bound inputs and outputs */
    /*
     * Runs with the values that are bound and leaves outputs in the binding. ORT_INVALID_ARGUMENT:
     * no output is bound.
     */
    OrtStatus *(ORT_API_CALL *RunWithBinding)(OrtSession *session, const OrtRunOptions *run_options,
                                              const OrtIoBinding *binding_ptr);
    /*
     * An empty binding for a session, which must outlive it. The caller's, to ReleaseIoBinding().
     * Used by one thread at a time.
     */
    OrtStatus *(ORT_API_CALL *CreateIoBinding)(OrtSession *session, OrtIoBinding **out);
    /* Frees the binding; values that are bound lose its reference. */
    void(ORT_API_CALL *ReleaseIoBinding)(OrtIoBinding *input);
    /*
     * Feeds `val_ptr` to the input; the binding keeps a reference of its own. ORT_FAIL: no input of
     * that name.
     */
    OrtStatus *(ORT_API_CALL *BindInput)(OrtIoBinding *binding_ptr, const char *name,
                                         const OrtValue *val_ptr);
    /*
     * The output is written into this value. A name that is unknown is an error of the run, not of
     * this call.
     */
    OrtStatus *(ORT_API_CALL *BindOutput)(OrtIoBinding *binding_ptr, const char *name,
                                          const OrtValue *val_ptr);
    /*
     * The output is a new value of each run, in ordinary memory. ORT_NOT_IMPLEMENTED: any other
     * memory.
     */
    OrtStatus *(ORT_API_CALL *BindOutputToDevice)(OrtIoBinding *binding_ptr, const char *name,
                                                  const OrtMemoryInfo *mem_info_ptr);
    /*
     * Names of bound outputs in one buffer, end to end without terminators, and their lengths. Both
     * are to be freed with `allocator`.
     */
    OrtStatus *(ORT_API_CALL *GetBoundOutputNames)(const OrtIoBinding *binding_ptr,
                                                   OrtAllocator *allocator, char **buffer,
                                                   size_t **lengths, size_t *count);
    /*
     * Outputs of the last run. The array is to be freed with `allocator`, each value with
     * ReleaseValue().
     */
    OrtStatus *(ORT_API_CALL *GetBoundOutputValues)(const OrtIoBinding *binding_ptr,
                                                    OrtAllocator *allocator, OrtValue ***output,
                                                    size_t *output_count);
    /* Unbinds all inputs. NULL is allowed. */
    void(ORT_API_CALL *ClearBoundInputs)(OrtIoBinding *binding_ptr);
    /* Unbinds all outputs. NULL is allowed. */
    void(ORT_API_CALL *ClearBoundOutputs)(OrtIoBinding *binding_ptr);

    /* tensors */
    /*
     * Address of one element by its indices, one for each dimension, in the value.
     * ORT_INVALID_ARGUMENT: strings and types below a byte, the wrong number of indices, an index
     * out of range.
     */
    OrtStatus *(ORT_API_CALL *TensorAt)(OrtValue *value, const int64_t *location_values,
                                        size_t location_values_count, void **out);

    /* allocators */
    /*
     * Makes the environment's shared allocator of ordinary memory. Of arena_cfg, which may be NULL,
     * only max_mem has an effect.
     */
    OrtStatus *(ORT_API_CALL *CreateAndRegisterAllocator)(OrtEnv *env,
                                                          const OrtMemoryInfo *mem_info,
                                                          const OrtArenaCfg *arena_cfg);

    /* environment */
    /* Does nothing and succeeds. */
    OrtStatus *(ORT_API_CALL *SetLanguageProjection)(const OrtEnv *ort_env,
                                                     OrtLanguageProjection projection);

    /* sessions */
    /* When profiling began, in nanoseconds of the clock that profiles are written in. */
    OrtStatus *(ORT_API_CALL *SessionGetProfilingStartTimeNs)(const OrtSession *session,
                                                              uint64_t *out);

    /* threads shared by sessions */
    /* Threads of the environment's pool, the caller's included; 0: one for each processor core. */
    OrtStatus *(ORT_API_CALL *SetGlobalIntraOpNumThreads)(OrtThreadingOptions *tp_options,
                                                          int intra_op_num_threads);
    /* Kept, without effect: nodes of one run do not overlap. */
    OrtStatus *(ORT_API_CALL *SetGlobalInterOpNumThreads)(OrtThreadingOptions *tp_options,
                                                          int inter_op_num_threads);
    /* Kept, without effect. ORT_INVALID_ARGUMENT: neither 0 nor 1. */
    OrtStatus *(ORT_API_CALL *SetGlobalSpinControl)(OrtThreadingOptions *tp_options,
                                                    int allow_spinning);

    /* ---- since version 6 ---- */

    /* session options */
    /*
     * The session uses this tensor in place of the model's initializer of that name. Its memory
     * must outlive the session; the value itself may be released. Names that the model does not
     * have are skipped. Wrong element type or sizes fail at session creation.
     */
    OrtStatus *(ORT_API_CALL *AddInitializer)(OrtSessionOptions *options, const char *name,
                                              const OrtValue *val);

    /* environment */
    /* CreateEnvWithCustomLogger() and CreateEnvWithGlobalThreadPools() in one. */
    OrtStatus *(ORT_API_CALL *CreateEnvWithCustomLoggerAndGlobalThreadPools)(
        OrtLoggingFunction logging_function, void *logger_param, OrtLoggingLevel log_severity_level,
        const char *logid, const OrtThreadingOptions *tp_options, OrtEnv **out);

    /* execution providers and their options */
    /*
     * Adds provider CUDA. An error with the reason where it is not usable, which programs use to
     * test for a GPU.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_CUDA)(
        OrtSessionOptions *options, const OrtCUDAProviderOptions *cuda_options);
    /* Adds provider ROCM; an error with the reason where it is not usable. */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_ROCM)(
        OrtSessionOptions *options, const OrtROCMProviderOptions *rocm_options);
    /* Adds provider OpenVINO; an error with the reason where it is not usable. */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_OpenVINO)(
        OrtSessionOptions *options, const OrtOpenVINOProviderOptions *provider_options);

    /* threads shared by sessions */
    /* Kept, without effect: subnormal numbers are computed with. */
    OrtStatus *(ORT_API_CALL *SetGlobalDenormalAsZero)(OrtThreadingOptions *tp_options);

    /* allocators */
    /*
     * Settings of an arena; the caller's, to ReleaseArenaCfg(). -1 is a default. Only max_mem, in
     * bytes, has an effect; 0: no limit. ORT_INVALID_ARGUMENT: a number out of its range.
     */
    OrtStatus *(ORT_API_CALL *CreateArenaCfg)(size_t max_mem, int arena_extend_strategy,
                                              int initial_chunk_size_bytes,
                                              int max_dead_bytes_per_chunk, OrtArenaCfg **out);
    /* Frees the settings; allocators made with them go on. */
    void(ORT_API_CALL *ReleaseArenaCfg)(OrtArenaCfg *input);

    /* ---- since version 7 ---- */

    /* metadata of the model */
    /* Description of the main graph (GraphProto.doc_string), to be freed with `allocator`. */
    OrtStatus *(ORT_API_CALL *ModelMetadataGetGraphDescription)(
        const OrtModelMetadata *model_metadata, OrtAllocator *allocator, char **value);

    /* execution providers and their options */
    /* Adds provider TensorRT; an error with the reason where it is not usable. */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_TensorRT)(
        OrtSessionOptions *options, const OrtTensorRTProviderOptions *tensorrt_options);
    /* Always an error: this library drives no GPU of CUDA's. */
    OrtStatus *(ORT_API_CALL *SetCurrentGpuDeviceId)(int device_id);
    /* Always an error: this library drives no GPU of CUDA's. */
    OrtStatus *(ORT_API_CALL *GetCurrentGpuDeviceId)(int *device_id);

    /* ---- since version 8 ---- */

    /* what a kernel is created from */
    /*
     * Copies a list of numbers. *size: the capacity in elements, then the number needed; with `out`
     * NULL it only tells that.
     */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttributeArray_float)(const OrtKernelInfo *info,
                                                                 const char *name, float *out,
                                                                 size_t *size);
    /*
     * Copies a list of numbers. *size: the capacity in elements, then the number needed; with `out`
     * NULL it only tells that.
     */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttributeArray_int64)(const OrtKernelInfo *info,
                                                                 const char *name, int64_t *out,
                                                                 size_t *size);

    /* allocators */
    /*
     * As CreateArenaCfg(), by keys: max_mem and others that are kept. ORT_INVALID_ARGUMENT: an
     * unknown key.
     */
    OrtStatus *(ORT_API_CALL *CreateArenaCfgV2)(const char *const *arena_config_keys,
                                                const size_t *arena_config_values, size_t num_keys,
                                                OrtArenaCfg **out);

    /* run options */
    /*
     * Sets a key of onnxruntime_run_options_config_keys.h; both texts are copied.
     * ORT_INVALID_ARGUMENT: an empty key.
     */
    OrtStatus *(ORT_API_CALL *AddRunConfigEntry)(OrtRunOptions *options, const char *config_key,
                                                 const char *config_value);

    /* weights shared by sessions */
    /*
     * Stands for packed weights that sessions share; the host shares them anyway. The caller's, to
     * ReleasePrepackedWeightsContainer().
     */
    OrtStatus *(ORT_API_CALL *CreatePrepackedWeightsContainer)(OrtPrepackedWeightsContainer **out);
    /* Frees the container. */
    void(ORT_API_CALL *ReleasePrepackedWeightsContainer)(OrtPrepackedWeightsContainer *input);
    /* As CreateSession(); the container is accepted and has no effect. */
    OrtStatus *(ORT_API_CALL *CreateSessionWithPrepackedWeightsContainer)(
        const OrtEnv *env, const ORTCHAR_T *model_path, const OrtSessionOptions *options,
        OrtPrepackedWeightsContainer *prepacked_weights_container, OrtSession **out);
    /* As CreateSessionFromArray(); the container is accepted and has no effect. */
    OrtStatus *(ORT_API_CALL *CreateSessionFromArrayWithPrepackedWeightsContainer)(
        const OrtEnv *env, const void *model_data, size_t model_data_length,
        const OrtSessionOptions *options, OrtPrepackedWeightsContainer *prepacked_weights_container,
        OrtSession **out);

    /* ---- since version 9 ---- */

    /* execution providers and their options */
    /*
     * Adds provider TensorRT with options by key; an error with the reason where it is not usable.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_TensorRT_V2)(
        OrtSessionOptions *options, const OrtTensorRTProviderOptionsV2 *tensorrt_options);
    /*
     * TensorRT's options with their defaults; the caller's, to ReleaseTensorRTProviderOptions(). It
     * succeeds everywhere; setting and printing do not.
     */
    OrtStatus *(ORT_API_CALL *CreateTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2 **out);
    /*
     * Starts from the defaults and sets these keys, whose texts are copied. An error where the
     * provider is not usable, which programs use to test for a GPU.
     */
    OrtStatus *(ORT_API_CALL *UpdateTensorRTProviderOptions)(
        OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys);
    /*
     * All options as `key=value;...`, to be freed with `allocator`. An error where the provider is
     * not usable.
     */
    OrtStatus *(ORT_API_CALL *GetTensorRTProviderOptionsAsString)(
        const OrtTensorRTProviderOptionsV2 *tensorrt_options, OrtAllocator *allocator, char **ptr);
    /* Frees the options; session options that they were added to go on. */
    void(ORT_API_CALL *ReleaseTensorRTProviderOptions)(OrtTensorRTProviderOptionsV2 *input);

    /* custom operators */
    /*
     * Registers the operators of libortextensions.so, which the dynamic linker must find. ORT_FAIL:
     * it does not.
     */
    OrtStatus *(ORT_API_CALL *EnableOrtCustomOps)(OrtSessionOptions *options);

    /* allocators */
    /*
     * The allocator becomes the environment's shared one for its memory. Borrowed until
     * UnregisterAllocator(); it must be thread-safe. ORT_INVALID_ARGUMENT: a function is missing,
     * its type is OrtArenaAllocator, or its memory is not ordinary memory.
     */
    OrtStatus *(ORT_API_CALL *RegisterAllocator)(OrtEnv *env, OrtAllocator *allocator);
    /* Takes RegisterAllocator() back. ORT_INVALID_ARGUMENT: there is none for this memory. */
    OrtStatus *(ORT_API_CALL *UnregisterAllocator)(OrtEnv *env, const OrtMemoryInfo *mem_info);

    /* sparse tensors */
    /* *out is 1 for a sparse tensor, else 0. */
    OrtStatus *(ORT_API_CALL *IsSparseTensor)(const OrtValue *value, int *out);
    /*
     * An empty sparse tensor that a FillSparseTensor function allocates with `allocator`. The
     * caller's, to ReleaseValue().
     */
    OrtStatus *(ORT_API_CALL *CreateSparseTensorAsOrtValue)(OrtAllocator *allocator,
                                                            const int64_t *dense_shape,
                                                            size_t dense_shape_len,
                                                            ONNXTensorElementDataType type,
                                                            OrtValue **out);
    /*
     * Copies values and indices in COO format: an offset for each value, or, with twice as many, a
     * row and a column. ORT_INVALID_ARGUMENT: an index out of range.
     */
    OrtStatus *(ORT_API_CALL *FillSparseTensorCoo)(OrtValue *ort_value,
                                                   const OrtMemoryInfo *data_mem_info,
                                                   const int64_t *values_shape,
                                                   size_t values_shape_len, const void *values,
                                                   const int64_t *indices_data, size_t indices_num);
    /*
     * Copies values and indices in CSR format: columns (inner), and where each row begins (outer,
     * rows + 1 of them).
     */
    OrtStatus *(ORT_API_CALL *FillSparseTensorCsr)(
        OrtValue *ort_value, const OrtMemoryInfo *data_mem_info, const int64_t *values_shape,
        size_t values_shape_len, const void *values, const int64_t *inner_indices_data,
        size_t inner_indices_num, const int64_t *outer_indices_data, size_t outer_indices_num);
    /* Copies dense blocks and the row and column of each, counted in blocks. */
    OrtStatus *(ORT_API_CALL *FillSparseTensorBlockSparse)(
        OrtValue *ort_value, const OrtMemoryInfo *data_mem_info, const int64_t *values_shape,
        size_t values_shape_len, const void *values, const int64_t *indices_shape_data,
        size_t indices_shape_len, const int32_t *indices_data);
    /*
     * A sparse tensor over the caller's values, which must outlive it; a Use...Indices function
     * gives the indices. ORT_INVALID_ARGUMENT: strings.
     */
    OrtStatus *(ORT_API_CALL *CreateSparseTensorWithValuesAsOrtValue)(
        const OrtMemoryInfo *info, void *p_data, const int64_t *dense_shape, size_t dense_shape_len,
        const int64_t *values_shape, size_t values_shape_len, ONNXTensorElementDataType type,
        OrtValue **out);
    /* Indices in COO format; the caller's memory, which must outlive the value. */
    OrtStatus *(ORT_API_CALL *UseCooIndices)(OrtValue *ort_value, int64_t *indices_data,
                                             size_t indices_num);
    /* Indices in CSR format; the caller's memory, which must outlive the value. */
    OrtStatus *(ORT_API_CALL *UseCsrIndices)(OrtValue *ort_value, int64_t *inner_data,
                                             size_t inner_num, int64_t *outer_data,
                                             size_t outer_num);
    /* Indices of blocks; the caller's memory, which must outlive the value. */
    OrtStatus *(ORT_API_CALL *UseBlockSparseIndices)(OrtValue *ort_value,
                                                     const int64_t *indices_shape,
                                                     size_t indices_shape_len,
                                                     int32_t *indices_data);
    /* The format; ORT_SPARSE_UNDEFINED before it is filled. */
    OrtStatus *(ORT_API_CALL *GetSparseTensorFormat)(const OrtValue *ort_value,
                                                     OrtSparseFormat *out);
    /* Element type and shape of the values; the caller's, to ReleaseTensorTypeAndShapeInfo(). */
    OrtStatus *(ORT_API_CALL *GetSparseTensorValuesTypeAndShape)(const OrtValue *ort_value,
                                                                 OrtTensorTypeAndShapeInfo **out);
    /*
     * The values, owned by the tensor. ORT_INVALID_ARGUMENT: strings; GetStringTensorContent() and
     * its like read them.
     */
    OrtStatus *(ORT_API_CALL *GetSparseTensorValues)(const OrtValue *ort_value, const void **out);
    /*
     * Element type and shape of the indices; the caller's, to ReleaseTensorTypeAndShapeInfo().
     * Indices of another format are an error.
     */
    OrtStatus *(ORT_API_CALL *GetSparseTensorIndicesTypeShape)(
        const OrtValue *ort_value, OrtSparseIndicesFormat indices_format,
        OrtTensorTypeAndShapeInfo **out);
    /* The indices and their number, owned by the tensor: int64, for blocks int32. */
    OrtStatus *(ORT_API_CALL *GetSparseTensorIndices)(const OrtValue *ort_value,
                                                      OrtSparseIndicesFormat indices_format,
                                                      size_t *num_indices, const void **indices);

    /* ---- since version 10 ---- */

    /* sequences, maps, optionals */
    /* *out is 0 for an optional without a value, else 1. */
    OrtStatus *(ORT_API_CALL *HasValue)(const OrtValue *value, int *out);

    /* what a running kernel sees */
    /* Always NULL: kernels of custom operators run on the processor. */
    OrtStatus *(ORT_API_CALL *KernelContext_GetGPUComputeStream)(const OrtKernelContext *context,
                                                                 void **out);

    /* tensors */
    /* Where the elements lie, owned by the value. */
    OrtStatus *(ORT_API_CALL *GetTensorMemoryInfo)(const OrtValue *value,
                                                   const OrtMemoryInfo **mem_info);

    /* execution providers and their options */
    /* ORT_INVALID_ARGUMENT, *provider_api is NULL: no provider here has a table of its own. */
    OrtStatus *(ORT_API_CALL *GetExecutionProviderApi)(const char *provider_name, uint32_t version,
                                                       const void **provider_api);

    /* session options */
    /*
     * Called for each worker of the session's own pool, at session creation. Needs a join function
     * too.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetCustomCreateThreadFn)(
        OrtSessionOptions *options, OrtCustomCreateThreadFn ort_custom_create_thread_fn);
    /* The first argument of the create function; borrowed, never read here. */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetCustomThreadCreationOptions)(
        OrtSessionOptions *options, void *ort_custom_thread_creation_options);
    /* Called for each worker of the session's own pool when the session is released. */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetCustomJoinThreadFn)(
        OrtSessionOptions *options, OrtCustomJoinThreadFn ort_custom_join_thread_fn);

    /* threads shared by sessions */
    /*
     * Called for each worker of the environment's pool, when that is created. Needs a join function
     * too.
     */
    OrtStatus *(ORT_API_CALL *SetGlobalCustomCreateThreadFn)(
        OrtThreadingOptions *tp_options, OrtCustomCreateThreadFn ort_custom_create_thread_fn);
    /* The first argument of the create function; borrowed, never read here. */
    OrtStatus *(ORT_API_CALL *SetGlobalCustomThreadCreationOptions)(
        OrtThreadingOptions *tp_options, void *ort_custom_thread_creation_options);
    /* Called for each worker of the environment's pool when that ends. */
    OrtStatus *(ORT_API_CALL *SetGlobalCustomJoinThreadFn)(
        OrtThreadingOptions *tp_options, OrtCustomJoinThreadFn ort_custom_join_thread_fn);

    /* bound inputs and outputs */
    /* Succeeds at once: inputs lie in ordinary memory. */
    OrtStatus *(ORT_API_CALL *SynchronizeBoundInputs)(OrtIoBinding *binding_ptr);
    /* Succeeds at once: runs end before they return. */
    OrtStatus *(ORT_API_CALL *SynchronizeBoundOutputs)(OrtIoBinding *binding_ptr);

    /* ---- since version 11 ---- */

    /* execution providers and their options */
    /* Adds provider CUDA with options by key; an error with the reason where it is not usable. */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_CUDA_V2)(
        OrtSessionOptions *options, const OrtCUDAProviderOptionsV2 *cuda_options);
    /*
     * CUDA's options with their defaults; the caller's, to ReleaseCUDAProviderOptions(). It
     * succeeds everywhere; setting and printing do not.
     */
    OrtStatus *(ORT_API_CALL *CreateCUDAProviderOptions)(OrtCUDAProviderOptionsV2 **out);
    /*
     * Starts from the defaults (user_compute_stream stays) and sets these keys. An error where the
     * provider is not usable, which programs use to test for a GPU.
     */
    OrtStatus *(ORT_API_CALL *UpdateCUDAProviderOptions)(OrtCUDAProviderOptionsV2 *cuda_options,
                                                         const char *const *provider_options_keys,
                                                         const char *const *provider_options_values,
                                                         size_t num_keys);
    /*
     * All options as `key=value;...`, to be freed with `allocator`. An error where the provider is
     * not usable.
     */
    OrtStatus *(ORT_API_CALL *GetCUDAProviderOptionsAsString)(
        const OrtCUDAProviderOptionsV2 *cuda_options, OrtAllocator *allocator, char **ptr);
    /* Frees the options; session options that they were added to go on. */
    void(ORT_API_CALL *ReleaseCUDAProviderOptions)(OrtCUDAProviderOptionsV2 *input);
    /* Adds provider MIGraphX; an error with the reason where it is not usable. */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_MIGraphX)(
        OrtSessionOptions *options, const OrtMIGraphXProviderOptions *migraphx_options);

    /* ---- since version 12 ---- */

    /* session options */
    /*
     * Gives values in place of initializers that lie in other files: all or none. Memory of the
     * caller is copied at session creation; a value that owns its memory is shared and must not be
     * changed. An unknown name fails there.
     */
    OrtStatus *(ORT_API_CALL *AddExternalInitializers)(OrtSessionOptions *options,
                                                       const char *const *initializer_names,
                                                       const OrtValue *const *initializers,
                                                       size_t num_initializers);

    /* attributes */
    /*
     * An attribute of a number, a text or a list of them; name and data are copied. `len`:
     * elements, for a text bytes. The caller's, to ReleaseOpAttr(). ORT_INVALID_ARGUMENT: no data,
     * or a tensor or graph.
     */
    OrtStatus *(ORT_API_CALL *CreateOpAttr)(const char *name, const void *data, int len,
                                            OrtOpAttrType type, OrtOpAttr **op_attr);
    /* Frees an attribute that CreateOpAttr() made and no node took. */
    void(ORT_API_CALL *ReleaseOpAttr)(OrtOpAttr *input);

    /* custom operators */
    /*
     * Finds an operator that a kernel may run by InvokeOp(). The caller's, to ReleaseOp().
     * ORT_INVALID_ARGUMENT: no such operator or version, or attributes that it does not take.
     */
    OrtStatus *(ORT_API_CALL *CreateOp)(const OrtKernelInfo *info, const char *op_name,
                                        const char *domain, int version,
                                        const char **type_constraint_names,
                                        const ONNXTensorElementDataType *type_constraint_values,
                                        int type_constraint_count,
                                        const OrtOpAttr *const *attr_values, int attr_count,
                                        int input_count, int output_count, OrtOp **ort_op);
    /*
     * Runs the operator; outputs are tensors of the caller that have the shapes of the results.
     * [the kernel's thread] ORT_INVALID_ARGUMENT: another number of inputs or outputs than
     * CreateOp() was told.
     */
    OrtStatus *(ORT_API_CALL *InvokeOp)(const OrtKernelContext *context, const OrtOp *ort_op,
                                        const OrtValue *const *input_values, int input_count,
                                        OrtValue *const *output_values, int output_count);
    /* Frees the operator and the session that it keeps. */
    void(ORT_API_CALL *ReleaseOp)(OrtOp *input);

    /* execution providers and their options */
    /*
     * Adds a provider by its name, with or without `ExecutionProvider` at the end, in order of
     * preference. An error with the reason where it is not usable; ORT_INVALID_ARGUMENT for options
     * it does not have.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider)(
        OrtSessionOptions *options, const char *provider_name,
        const char *const *provider_options_keys, const char *const *provider_options_values,
        size_t num_keys);

    /* what a kernel is created from */
    /*
     * Another reference of the same object, so that a kernel may keep it as long as it lives. To
     * ReleaseKernelInfo().
     */
    OrtStatus *(ORT_API_CALL *CopyKernelInfo)(const OrtKernelInfo *info, OrtKernelInfo **info_copy);
    /* Gives a reference of CopyKernelInfo() back. */
    void(ORT_API_CALL *ReleaseKernelInfo)(OrtKernelInfo *input);

    /* ---- since version 13 ---- */

    /* other tables */
    /* Always NULL: there is no training, as in most builds of ONNX Runtime. */
    const OrtTrainingApi *(ORT_API_CALL *GetTrainingApi)(uint32_t version);

    /* execution providers and their options */
    /* Adds provider CANN with options by key; an error with the reason where it is not usable. */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_CANN)(
        OrtSessionOptions *options, const OrtCANNProviderOptions *cann_options);
    /*
     * CANN's options with their defaults, also where the provider is not installed. The caller's,
     * to ReleaseCANNProviderOptions().
     */
    OrtStatus *(ORT_API_CALL *CreateCANNProviderOptions)(OrtCANNProviderOptions **out);
    /*
     * Starts from the defaults and sets these keys, whose texts are copied. ORT_INVALID_ARGUMENT:
     * an unknown key or a wrong value.
     */
    OrtStatus *(ORT_API_CALL *UpdateCANNProviderOptions)(OrtCANNProviderOptions *cann_options,
                                                         const char *const *provider_options_keys,
                                                         const char *const *provider_options_values,
                                                         size_t num_keys);
    /* All options as `key=value;...`, to be freed with `allocator`. */
    OrtStatus *(ORT_API_CALL *GetCANNProviderOptionsAsString)(
        const OrtCANNProviderOptions *cann_options, OrtAllocator *allocator, char **ptr);
    /* Frees the options; session options that they were added to go on. */
    void(ORT_API_CALL *ReleaseCANNProviderOptions)(OrtCANNProviderOptions *input);

    /* ---- since version 14 ---- */

    /* descriptions of memory */
    /* The kind of device that the memory belongs to. */
    void(ORT_API_CALL *MemoryInfoGetDeviceType)(const OrtMemoryInfo *ptr,
                                                OrtMemoryInfoDeviceType *out);

    /* environment */
    /* The least severe messages that the environment logs from now on. [any thread] */
    OrtStatus *(ORT_API_CALL *UpdateEnvWithCustomLogLevel)(OrtEnv *ort_env,
                                                           OrtLoggingLevel log_severity_level);

    /* threads shared by sessions */
    /*
     * Processors for each worker of the pool, numbered from 1: `1,2;3` or `1-4;5-8`. Checked when
     * the environment is created. ORT_INVALID_ARGUMENT: empty or too long.
     */
    OrtStatus *(ORT_API_CALL *SetGlobalIntraOpThreadAffinity)(OrtThreadingOptions *tp_options,
                                                              const char *affinity_string);

    /* custom operators */
    /*
     * As RegisterCustomOpsLibrary(); options and their sessions keep the library loaded, and the
     * last unloads it.
     */
    OrtStatus *(ORT_API_CALL *RegisterCustomOpsLibrary_V2)(OrtSessionOptions *options,
                                                           const ORTCHAR_T *library_name);
    /*
     * Calls a function of the program that registers operators (RegisterCustomOpsFn), by its
     * symbol. ORT_FAIL: no such symbol.
     */
    OrtStatus *(ORT_API_CALL *RegisterCustomOpsUsingFunction)(OrtSessionOptions *options,
                                                              const char *registration_func_name);

    /* what a kernel is created from */
    /*
     * Number of inputs of the node. A kernel's info is valid during CreateKernel; CopyKernelInfo()
     * keeps it.
     */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetInputCount)(const OrtKernelInfo *info, size_t *out);
    /* Number of outputs of the node. */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOutputCount)(const OrtKernelInfo *info, size_t *out);
    /*
     * Copies a name and its NUL. *size: the capacity, then the bytes needed; with `out` NULL it
     * only tells these.
     */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetInputName)(const OrtKernelInfo *info, size_t index,
                                                       char *out, size_t *size);
    /*
     * Copies a name and its NUL. *size: the capacity, then the bytes needed; with `out` NULL it
     * only tells these.
     */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOutputName)(const OrtKernelInfo *info, size_t index,
                                                        char *out, size_t *size);
    /* Type of an input as inference knows it; the caller's, to ReleaseTypeInfo(). */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetInputTypeInfo)(const OrtKernelInfo *info, size_t index,
                                                           OrtTypeInfo **type_info);
    /* Type of an output as inference knows it; the caller's, to ReleaseTypeInfo(). */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOutputTypeInfo)(const OrtKernelInfo *info, size_t index,
                                                            OrtTypeInfo **type_info);
    /* A copy of a tensor attribute, allocated with `allocator`; the caller's, to ReleaseValue(). */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttribute_tensor)(const OrtKernelInfo *info,
                                                             const char *name,
                                                             OrtAllocator *allocator,
                                                             OrtValue **out);

    /* session options */
    /* *out is 1 when the key is set, else 0. */
    OrtStatus *(ORT_API_CALL *HasSessionConfigEntry)(const OrtSessionOptions *options,
                                                     const char *config_key, int *out);
    /*
     * Copies the value of a key and its NUL. *size: the capacity, then the bytes needed; with
     * config_value NULL it only tells these. ORT_INVALID_ARGUMENT: no such key, or too small.
     */
    OrtStatus *(ORT_API_CALL *GetSessionConfigEntry)(const OrtSessionOptions *options,
                                                     const char *config_key, char *config_value,
                                                     size_t *size);

    /* ---- since version 15 ---- */

    /* execution providers and their options */
    /*
     * Adds provider Dnnl, Backplane's `dnnl`, with options by key; an error with the reason where
     * it is not usable.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_Dnnl)(
        OrtSessionOptions *options, const OrtDnnlProviderOptions *dnnl_options);
    /* Dnnl's options with their defaults; the caller's, to ReleaseDnnlProviderOptions(). */
    OrtStatus *(ORT_API_CALL *CreateDnnlProviderOptions)(OrtDnnlProviderOptions **out);
    /*
     * Starts from the defaults and sets these keys, whose texts are copied. ORT_INVALID_ARGUMENT:
     * an unknown key or a wrong value.
     */
    OrtStatus *(ORT_API_CALL *UpdateDnnlProviderOptions)(OrtDnnlProviderOptions *dnnl_options,
                                                         const char *const *provider_options_keys,
                                                         const char *const *provider_options_values,
                                                         size_t num_keys);
    /* All options as `key=value;...`, to be freed with `allocator`. */
    OrtStatus *(ORT_API_CALL *GetDnnlProviderOptionsAsString)(
        const OrtDnnlProviderOptions *dnnl_options, OrtAllocator *allocator, char **ptr);
    /* Frees the options; session options that they were added to go on. */
    void(ORT_API_CALL *ReleaseDnnlProviderOptions)(OrtDnnlProviderOptions *input);

    /* what a kernel is created from */
    /*
     * Copies the node's name and its NUL. *size: the capacity, then the bytes needed; with `out`
     * NULL it only tells these.
     */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetNodeName)(const OrtKernelInfo *info, char *out,
                                                      size_t *size);
    /* The logger of the session that the kernel belongs to; valid as long as the kernel. */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetLogger)(const OrtKernelInfo *info,
                                                    const OrtLogger **logger);

    /* what a running kernel sees */
    /* The logger of the run; valid during the kernel's call. */
    OrtStatus *(ORT_API_CALL *KernelContext_GetLogger)(const OrtKernelContext *context,
                                                       const OrtLogger **logger);

    /* logging */
    /*
     * Writes a message with its place in the source; all texts are copied. [any thread]
     * ORT_INVALID_ARGUMENT: no OrtLoggingLevel.
     */
    OrtStatus *(ORT_API_CALL *Logger_LogMessage)(const OrtLogger *logger,
                                                 OrtLoggingLevel log_severity_level,
                                                 const char *message, const ORTCHAR_T *file_path,
                                                 int line_number, const char *func_name);
    /* The least severe messages that the logger lets through. */
    OrtStatus *(ORT_API_CALL *Logger_GetLoggingSeverityLevel)(const OrtLogger *logger,
                                                              OrtLoggingLevel *out);

    /* what a kernel is created from */
    /*
     * *is_constant tells whether the input is a constant of the model; then *out is its tensor,
     * valid as long as the info, else NULL.
     */
    OrtStatus *(ORT_API_CALL *KernelInfoGetConstantInput_tensor)(const OrtKernelInfo *info,
                                                                 size_t index, int *is_constant,
                                                                 const OrtValue **out);

    /* sequences, maps, optionals */
    /* The optional's part of a type, owned by type_info; NULL when it is not an optional. */
    OrtStatus *(ORT_API_CALL *CastTypeInfoToOptionalTypeInfo)(const OrtTypeInfo *type_info,
                                                              const OrtOptionalTypeInfo **out);
    /* Type of what the optional may contain; a copy, the caller's, to ReleaseTypeInfo(). */
    OrtStatus *(ORT_API_CALL *GetOptionalContainedTypeInfo)(
        const OrtOptionalTypeInfo *optional_type_info, OrtTypeInfo **out);

    /* tensors of strings */
    /*
     * Makes one string of a tensor length_in_bytes long and gives its bytes, uninitialized, valid
     * until that string is written again.
     */
    OrtStatus *(ORT_API_CALL *GetResizedStringTensorElementBuffer)(OrtValue *value, size_t index,
                                                                   size_t length_in_bytes,
                                                                   char **buffer);

    /* what a running kernel sees */
    /* An allocator that a kernel may use; the caller's, to ReleaseAllocator(). */
    OrtStatus *(ORT_API_CALL *KernelContext_GetAllocator)(const OrtKernelContext *context,
                                                          const OrtMemoryInfo *mem_info,
                                                          OrtAllocator **out);

    /* other tables */
    /* What was built: a static text. */
    const char *(ORT_API_CALL *GetBuildInfoString)(void);

    /* ---- since version 16 ---- */

    /* execution providers and their options */
    /* ROCM's options with their defaults; the caller's, to ReleaseROCMProviderOptions(). */
    OrtStatus *(ORT_API_CALL *CreateROCMProviderOptions)(OrtROCMProviderOptions **out);
    /*
     * Sets options by key. ORT_INVALID_ARGUMENT: an entry is NULL, a key unknown or a value wrong.
     */
    OrtStatus *(ORT_API_CALL *UpdateROCMProviderOptions)(OrtROCMProviderOptions *rocm_options,
                                                         const char *const *provider_options_keys,
                                                         const char *const *provider_options_values,
                                                         size_t num_keys);
    /* All options as `key=value;...`, to be freed with `allocator`. */
    OrtStatus *(ORT_API_CALL *GetROCMProviderOptionsAsString)(
        const OrtROCMProviderOptions *rocm_options, OrtAllocator *allocator, char **ptr);
    /* Frees the options. */
    void(ORT_API_CALL *ReleaseROCMProviderOptions)(OrtROCMProviderOptions *input);

    /* allocators */
    /*
     * As CreateAndRegisterAllocator(), for a provider by name. ORT_INVALID_ARGUMENT: any but the
     * CPU's, because no other hands memory out.
     */
    OrtStatus *(ORT_API_CALL *CreateAndRegisterAllocatorV2)(
        OrtEnv *env, const char *provider_type, const OrtMemoryInfo *mem_info,
        const OrtArenaCfg *arena_cfg, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys);

    /* running */
    /*
     * Runs on a thread of its own, which calls run_async_callback at the end, also after a failure.
     * Inputs, run_options and the array `output` must live until then; names are copied.
     * ORT_INVALID_ARGUMENT: the session has one thread (SetIntraOpNumThreads 1).
     */
    OrtStatus *(ORT_API_CALL *RunAsync)(OrtSession *session, const OrtRunOptions *run_options,
                                        const char *const *input_names,
                                        const OrtValue *const *input, size_t input_len,
                                        const char *const *output_names, size_t output_names_len,
                                        OrtValue **output, RunAsyncCallbackFn run_async_callback,
                                        void *user_data);

    /* execution providers and their options */
    /*
     * Sets an option that is a pointer, such as user_compute_stream; it is borrowed, as long as
     * sessions use it.
     */
    OrtStatus *(ORT_API_CALL *UpdateTensorRTProviderOptionsWithValue)(
        OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *key, void *value);
    /* Reads an option that is a pointer. */
    OrtStatus *(ORT_API_CALL *GetTensorRTProviderOptionsByName)(
        const OrtTensorRTProviderOptionsV2 *tensorrt_options, const char *key, void **ptr);
    /*
     * Sets an option that is a pointer: user_compute_stream or default_memory_arena_cfg; it is
     * borrowed, as long as sessions use it.
     */
    OrtStatus *(ORT_API_CALL *UpdateCUDAProviderOptionsWithValue)(
        OrtCUDAProviderOptionsV2 *cuda_options, const char *key, void *value);
    /* Reads an option that is a pointer. */
    OrtStatus *(ORT_API_CALL *GetCUDAProviderOptionsByName)(
        const OrtCUDAProviderOptionsV2 *cuda_options, const char *key, void **ptr);

    /* what a running kernel sees */
    /*
     * ORT_INVALID_ARGUMENT: resources belong to a stream of a device, and kernels run on the
     * processor.
     */
    OrtStatus *(ORT_API_CALL *KernelContext_GetResource)(const OrtKernelContext *context,
                                                         int resource_version, int resource_id,
                                                         void **resource);

    /* ---- since version 17 ---- */

    /* logging */
    /*
     * Gets messages of threads that create or run the session, of its own workers and of its
     * kernels, in place of the environment's function. It may be called by several threads at once.
     */
    OrtStatus *(ORT_API_CALL *SetUserLoggingFunction)(OrtSessionOptions *options,
                                                      OrtLoggingFunction user_logging_function,
                                                      void *user_logging_param);

    /* custom operators */
    /* Number of inputs of the node. The context is valid during InferOutputShapeFn only. */
    OrtStatus *(ORT_API_CALL *ShapeInferContext_GetInputCount)(const OrtShapeInferContext *context,
                                                               size_t *out);
    /*
     * Element type and shape of an input, owned by the context. ORT_INVALID_ARGUMENT: no such
     * input.
     */
    OrtStatus *(ORT_API_CALL *ShapeInferContext_GetInputTypeShape)(
        const OrtShapeInferContext *context, size_t index, OrtTensorTypeAndShapeInfo **info);
    /*
     * An attribute of the node, owned by the context. ORT_INVALID_ARGUMENT: none of that name.
     * ORT_NOT_IMPLEMENTED: a tensor or graph.
     */
    OrtStatus *(ORT_API_CALL *ShapeInferContext_GetAttribute)(const OrtShapeInferContext *context,
                                                              const char *attr_name,
                                                              const OrtOpAttr **attr);
    /*
     * Tells element type and shape of an output; they are copied. ORT_INVALID_ARGUMENT: no such
     * output, or too high a rank.
     */
    OrtStatus *(ORT_API_CALL *ShapeInferContext_SetOutputTypeShape)(
        const OrtShapeInferContext *context, size_t index, const OrtTensorTypeAndShapeInfo *info);

    /* types and shapes */
    /*
     * Sets the names of dimensions, "" for none; they are copied and sizes stay. More names than
     * dimensions raise the rank.
     */
    OrtStatus *(ORT_API_CALL *SetSymbolicDimensions)(OrtTensorTypeAndShapeInfo *info,
                                                     const char *dim_params[],
                                                     size_t dim_params_length);

    /* attributes */
    /*
     * Copies the data of an attribute. *out is the number of bytes needed, also on failure.
     * ORT_FAIL: another type, or `len` bytes are too few.
     */
    OrtStatus *(ORT_API_CALL *ReadOpAttr)(const OrtOpAttr *op_attr, OrtOpAttrType type, void *data,
                                          size_t len, size_t *out);

    /* session options */
    /* Kept, without effect: results of one provider do not depend on it. */
    OrtStatus *(ORT_API_CALL *SetDeterministicCompute)(OrtSessionOptions *options, bool value);

    /* what a running kernel sees */
    /*
     * Calls fn(usr_data, i) for each i < total on several threads and returns when all are done.
     * num_batch: how many parts the indices are cut into; 0: a part for each.
     */
    OrtStatus *(ORT_API_CALL *KernelContext_ParallelFor)(const OrtKernelContext *context,
                                                         void (*fn)(void *, size_t), size_t total,
                                                         size_t num_batch, void *usr_data);

    /* execution providers and their options */
    /*
     * Adds provider OpenVINO with options by key; an error with the reason where it is not usable.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_OpenVINO_V2)(
        OrtSessionOptions *options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys);

    /* ---- since version 18 ---- */

    /* execution providers and their options */
    /*
     * Adds provider VitisAI with options by key; an error with the reason where it is not usable.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_VitisAI)(
        OrtSessionOptions *options, const char *const *provider_options_keys,
        const char *const *provider_options_values, size_t num_keys);

    /* what a running kernel sees */
    /*
     * Memory of count_or_bytes bytes that is freed when the kernel returns. ORT_FAIL: there is
     * none.
     */
    OrtStatus *(ORT_API_CALL *KernelContext_GetScratchBuffer)(const OrtKernelContext *context,
                                                              const OrtMemoryInfo *mem_info,
                                                              size_t count_or_bytes, void **out);

    /* what a kernel is created from */
    /*
     * An allocator of ordinary memory, whatever mem_type says; the caller's, to ReleaseAllocator().
     */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAllocator)(const OrtKernelInfo *info,
                                                      OrtMemType mem_type, OrtAllocator **out);

    /* session options */
    /*
     * Contents of external data files, by the names in the model without a leading `./`. The bytes
     * are copied at session creation.
     */
    OrtStatus *(ORT_API_CALL *AddExternalInitializersFromFilesInMemory)(
        OrtSessionOptions *options, const ORTCHAR_T *const *external_initializer_file_names,
        char *const *external_initializer_file_buffer_array,
        const size_t *external_initializer_file_lengths, size_t num_external_initializer_files);

    /* ---- since version 20 ---- */

    /* adapters */
    /*
     * Reads a LoRA adapter (format version 1) into memory. `allocator` may be NULL. The caller's,
     * to ReleaseLoraAdapter(), after the runs that use it.
     */
    OrtStatus *(ORT_API_CALL *CreateLoraAdapter)(const ORTCHAR_T *adapter_file_path,
                                                 OrtAllocator *allocator, OrtLoraAdapter **out);
    /*
     * As CreateLoraAdapter(), of bytes in memory, which are copied. ORT_INVALID_ARGUMENT: an
     * allocator of other than ordinary memory.
     */
    OrtStatus *(ORT_API_CALL *CreateLoraAdapterFromArray)(const void *bytes, size_t num_bytes,
                                                          OrtAllocator *allocator,
                                                          OrtLoraAdapter **out);
    /* Frees the adapter and its tensors. */
    void(ORT_API_CALL *ReleaseLoraAdapter)(OrtLoraAdapter *input);
    /*
     * Runs with these options get the adapter's tensors as inputs. Borrowed: it must outlive those
     * runs. An input that is fed twice in this way fails the run.
     */
    OrtStatus *(ORT_API_CALL *RunOptionsAddActiveLoraAdapter)(OrtRunOptions *options,
                                                              const OrtLoraAdapter *adapter);

    /* execution providers and their options */
    /*
     * Changes options of the session's providers that may change while it lives, with or without
     * `ep.dynamic.` in front. ORT_INVALID_ARGUMENT: none were given, or no provider has one of
     * them.
     */
    OrtStatus *(ORT_API_CALL *SetEpDynamicOptions)(OrtSession *sess, const char *const *keys,
                                                   const char *const *values, size_t kv_len);

    /* ---- since version 22 ---- */

    /* parts of models */
    /* Frees a value info that no graph took. */
    void(ORT_API_CALL *ReleaseValueInfo)(OrtValueInfo *input);
    /* Frees a node that no graph took. */
    void(ORT_API_CALL *ReleaseNode)(OrtNode *input);
    /* Frees a graph that no model took, with all that is in it. */
    void(ORT_API_CALL *ReleaseGraph)(OrtGraph *input);
    /* Frees a model with its graph; sessions that were made of it go on. */
    void(ORT_API_CALL *ReleaseModel)(OrtModel *input);

    /* graphs, as providers see them */
    /* Name of the value, owned by value_info. */
    OrtStatus *(ORT_API_CALL *GetValueInfoName)(const OrtValueInfo *value_info, const char **name);
    /* Type of the value, owned by value_info. */
    OrtStatus *(ORT_API_CALL *GetValueInfoTypeInfo)(const OrtValueInfo *value_info,
                                                    const OrtTypeInfo **type_info);

    /* other tables */
    /* The table that makes models in memory; static. */
    const OrtModelEditorApi *(ORT_API_CALL *GetModelEditorApi)(void);

    /* tensors */
    /*
     * A tensor over p_data, which it owns and frees with `deleter`. On failure the memory stays the
     * caller's.
     */
    OrtStatus *(ORT_API_CALL *CreateTensorWithDataAndDeleterAsOrtValue)(
        OrtAllocator *deleter, void *p_data, size_t p_data_len, const int64_t *shape,
        size_t shape_len, ONNXTensorElementDataType type, OrtValue **out);

    /* session options */
    /*
     * true: sessions that are being made with these options fail with ORT_MODEL_LOAD_CANCELED. [any
     * thread]
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetLoadCancellationFlag)(OrtSessionOptions *options,
                                                                     bool cancel);

    /* other tables */
    /* The table that compiles models ahead of time; static. */
    const OrtCompileApi *(ORT_API_CALL *GetCompileApi)(void);

    /* lists of keys and values */
    /*
     * An empty list of keys and values; the caller's, to ReleaseKeyValuePairs(). *out is NULL
     * without memory.
     */
    void(ORT_API_CALL *CreateKeyValuePairs)(OrtKeyValuePairs **out);
    /*
     * Sets a key; both texts are copied, a second call replaces the first. It cannot fail: an empty
     * key, or NULL, is ignored.
     */
    void(ORT_API_CALL *AddKeyValuePair)(OrtKeyValuePairs *kvps, const char *key, const char *value);
    /* Value of a key, owned by the list; NULL when it has none. */
    const char *(ORT_API_CALL *GetKeyValue)(const OrtKeyValuePairs *kvps, const char *key);
    /* All keys and values as two arrays, owned by the list and valid until it is changed. */
    void(ORT_API_CALL *GetKeyValuePairs)(const OrtKeyValuePairs *kvps, const char *const **keys,
                                         const char *const **values, size_t *num_entries);
    /* Removes a key; nothing happens when there is none. */
    void(ORT_API_CALL *RemoveKeyValuePair)(OrtKeyValuePairs *kvps, const char *key);
    /* Frees a list that the caller owns. */
    void(ORT_API_CALL *ReleaseKeyValuePairs)(OrtKeyValuePairs *input);

    /* devices and providers on them */
    /*
     * ORT_FAIL, as for a library that cannot be loaded: plug-in EPs of ONNX Runtime are not
     * supported. Backplane finds its own plug-ins (docs/loader.md).
     */
    OrtStatus *(ORT_API_CALL *RegisterExecutionProviderLibrary)(OrtEnv *env,
                                                                const char *registration_name,
                                                                const ORTCHAR_T *path);
    /* ORT_FAIL: none was registered. */
    OrtStatus *(ORT_API_CALL *UnregisterExecutionProviderLibrary)(OrtEnv *env,
                                                                  const char *registration_name);
    /*
     * Each usable provider on each of its devices, the CPU first. Array and entries are the
     * environment's.
     */
    OrtStatus *(ORT_API_CALL *GetEpDevices)(const OrtEnv *env,
                                            const OrtEpDevice *const **ep_devices,
                                            size_t *num_ep_devices);
    /*
     * Adds a provider by its devices, which all belong to it, as GetEpDevices() gave them.
     * ORT_INVALID_ARGUMENT: no device, or devices of several providers.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsAppendExecutionProvider_V2)(
        OrtSessionOptions *session_options, OrtEnv *env, const OrtEpDevice *const *ep_devices,
        size_t num_ep_devices, const char *const *ep_option_keys, const char *const *ep_option_vals,
        size_t num_ep_options);
    /*
     * Chooses providers when none is named: NPUs, GPUs or processors first. ORT_INVALID_ARGUMENT:
     * no such policy.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetEpSelectionPolicy)(
        OrtSessionOptions *session_options, OrtExecutionProviderDevicePolicy policy);
    /*
     * A function of the caller chooses, at session creation and on its thread. delegate_state is
     * borrowed until then.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetEpSelectionPolicyDelegate)(
        OrtSessionOptions *session_options, EpSelectionDelegate delegate, void *delegate_state);
    /* Whether it is a processor, a GPU or an NPU. */
    OrtHardwareDeviceType(ORT_API_CALL *HardwareDevice_Type)(const OrtHardwareDevice *device);
    /* The vendor's PCI number; 0 when it is not known. */
    uint32_t(ORT_API_CALL *HardwareDevice_VendorId)(const OrtHardwareDevice *device);
    /* The vendor's name, owned by the device; "" when it is not known. */
    const char *(ORT_API_CALL *HardwareDevice_Vendor)(const OrtHardwareDevice *device);
    /* The device's PCI number; it tells models apart, not copies of one. */
    uint32_t(ORT_API_CALL *HardwareDevice_DeviceId)(const OrtHardwareDevice *device);
    /* More about the device, such as `pci_bus_id`; owned by the device. */
    const OrtKeyValuePairs *(ORT_API_CALL *HardwareDevice_Metadata)(
        const OrtHardwareDevice *device);
    /* Name of the provider, owned by the object. */
    const char *(ORT_API_CALL *EpDevice_EpName)(const OrtEpDevice *ep_device);
    /* Vendor of the provider, owned by the object. */
    const char *(ORT_API_CALL *EpDevice_EpVendor)(const OrtEpDevice *ep_device);
    /* What the provider says of itself on this device, such as its version; owned by the object. */
    const OrtKeyValuePairs *(ORT_API_CALL *EpDevice_EpMetadata)(const OrtEpDevice *ep_device);
    /* Options that the provider proposes for this device; owned by the object. */
    const OrtKeyValuePairs *(ORT_API_CALL *EpDevice_EpOptions)(const OrtEpDevice *ep_device);
    /* The device; the environment's. */
    const OrtHardwareDevice *(ORT_API_CALL *EpDevice_Device)(const OrtEpDevice *ep_device);

    /* other tables */
    /* The table for plug-in EPs; static. Its functions return ORT_NOT_IMPLEMENTED. */
    const OrtEpApi *(ORT_API_CALL *GetEpApi)(void);

    /* ---- since version 23 ---- */

    /* tensors */
    /* Bytes of all elements. ORT_INVALID_ARGUMENT: not a tensor, or strings. */
    OrtStatus *(ORT_API_CALL *GetTensorSizeInBytes)(const OrtValue *ort_value, size_t *size);

    /* allocators */
    /*
     * Counters of an allocator; the caller's, to ReleaseKeyValuePairs(). ORT_NOT_IMPLEMENTED: it
     * keeps none.
     */
    OrtStatus *(ORT_API_CALL *AllocatorGetStats)(const OrtAllocator *ort_allocator,
                                                 OrtKeyValuePairs **out);

    /* descriptions of memory */
    /*
     * Describes memory of any device by kind, PCI vendor, number and alignment in bytes. The
     * caller's, to ReleaseMemoryInfo().
     */
    OrtStatus *(ORT_API_CALL *CreateMemoryInfo_V2)(const char *name,
                                                   OrtMemoryInfoDeviceType device_type,
                                                   uint32_t vendor_id, int32_t device_id,
                                                   OrtDeviceMemoryType mem_type, size_t alignment,
                                                   OrtAllocatorType allocator_type,
                                                   OrtMemoryInfo **out);
    /* Whether the host can access the memory. It cannot fail. */
    OrtDeviceMemoryType(ORT_API_CALL *MemoryInfoGetDeviceMemType)(const OrtMemoryInfo *ptr);
    /* The vendor's PCI number; 0 for the CPU. */
    uint32_t(ORT_API_CALL *MemoryInfoGetVendorId)(const OrtMemoryInfo *ptr);

    /* graphs, as providers see them */
    /* The node that makes the value, and which output it is; NULL for inputs and initializers. */
    OrtStatus *(ORT_API_CALL *ValueInfo_GetValueProducer)(const OrtValueInfo *value_info,
                                                          const OrtNode **producer_node,
                                                          size_t *producer_output_index);
    /* How often nodes have the value as an input; a node that has it twice counts twice. */
    OrtStatus *(ORT_API_CALL *ValueInfo_GetValueNumConsumers)(const OrtValueInfo *value_info,
                                                              size_t *num_consumers);
    /*
     * Writes these nodes and which input it is, -1 for an implicit one. ORT_INVALID_ARGUMENT:
     * capacity below the number.
     */
    OrtStatus *(ORT_API_CALL *ValueInfo_GetValueConsumers)(const OrtValueInfo *value_info,
                                                           const OrtNode **nodes,
                                                           int64_t *input_indices,
                                                           size_t num_consumers);
    /* The tensor of an initializer, owned by the graph; NULL when it is none. */
    OrtStatus *(ORT_API_CALL *ValueInfo_GetInitializerValue)(const OrtValueInfo *value_info,
                                                             const OrtValue **initializer_value);
    /*
     * Where an initializer lies in a file; the caller's, to ReleaseExternalInitializerInfo(). NULL
     * when it lies in the model.
     */
    OrtStatus *(ORT_API_CALL *ValueInfo_GetExternalInitializerInfo)(
        const OrtValueInfo *value_info, OrtExternalInitializerInfo **info);
    /* Whether it is an input without a default. */
    OrtStatus *(ORT_API_CALL *ValueInfo_IsRequiredGraphInput)(const OrtValueInfo *value_info,
                                                              bool *is_required_graph_input);
    /* Whether it is an input with an initializer as its default. */
    OrtStatus *(ORT_API_CALL *ValueInfo_IsOptionalGraphInput)(const OrtValueInfo *value_info,
                                                              bool *is_optional_graph_input);
    /* Whether it is an output of its graph. */
    OrtStatus *(ORT_API_CALL *ValueInfo_IsGraphOutput)(const OrtValueInfo *value_info,
                                                       bool *is_graph_output);
    /* Whether it is an initializer that no input can replace. */
    OrtStatus *(ORT_API_CALL *ValueInfo_IsConstantInitializer)(const OrtValueInfo *value_info,
                                                               bool *is_constant_initializer);
    /* Whether a subgraph takes it from a graph around it. */
    OrtStatus *(ORT_API_CALL *ValueInfo_IsFromOuterScope)(const OrtValueInfo *value_info,
                                                          bool *is_from_outer_scope);
    /* Name of the graph, owned by it. */
    OrtStatus *(ORT_API_CALL *Graph_GetName)(const OrtGraph *graph, const char **graph_name);
    /* Path of the model's file, owned by the graph; "" for one that was built in memory. */
    OrtStatus *(ORT_API_CALL *Graph_GetModelPath)(const OrtGraph *graph,
                                                  const ORTCHAR_T **model_path);
    /* IR version of the model (ModelProto.ir_version). */
    OrtStatus *(ORT_API_CALL *Graph_GetOnnxIRVersion)(const OrtGraph *graph,
                                                      int64_t *onnx_ir_version);
    /* Number of operator sets that the model imports. */
    OrtStatus *(ORT_API_CALL *Graph_GetNumOperatorSets)(const OrtGraph *graph,
                                                        size_t *num_operator_sets);
    /*
     * Writes domains, owned by the graph, and versions. ORT_INVALID_ARGUMENT: capacity below the
     * number.
     */
    OrtStatus *(ORT_API_CALL *Graph_GetOperatorSets)(const OrtGraph *graph, const char **domains,
                                                     int64_t *opset_versions,
                                                     size_t num_operator_sets);
    /* Number of inputs of the graph. */
    OrtStatus *(ORT_API_CALL *Graph_GetNumInputs)(const OrtGraph *graph, size_t *num_inputs);
    /* Writes the inputs, owned by the graph. ORT_INVALID_ARGUMENT: capacity below the number. */
    OrtStatus *(ORT_API_CALL *Graph_GetInputs)(const OrtGraph *graph, const OrtValueInfo **inputs,
                                               size_t num_inputs);
    /* Number of outputs of the graph. */
    OrtStatus *(ORT_API_CALL *Graph_GetNumOutputs)(const OrtGraph *graph, size_t *num_outputs);
    /* Writes the outputs, owned by the graph. ORT_INVALID_ARGUMENT: capacity below the number. */
    OrtStatus *(ORT_API_CALL *Graph_GetOutputs)(const OrtGraph *graph, const OrtValueInfo **outputs,
                                                size_t num_outputs);
    /* Number of initializers of the graph. */
    OrtStatus *(ORT_API_CALL *Graph_GetNumInitializers)(const OrtGraph *graph,
                                                        size_t *num_initializers);
    /*
     * Writes the initializers, owned by the graph. ORT_INVALID_ARGUMENT: capacity below the number.
     */
    OrtStatus *(ORT_API_CALL *Graph_GetInitializers)(const OrtGraph *graph,
                                                     const OrtValueInfo **initializers,
                                                     size_t num_initializers);
    /* Number of nodes of the graph. */
    OrtStatus *(ORT_API_CALL *Graph_GetNumNodes)(const OrtGraph *graph, size_t *num_nodes);
    /* Writes the nodes, owned by the graph. ORT_INVALID_ARGUMENT: capacity below the number. */
    OrtStatus *(ORT_API_CALL *Graph_GetNodes)(const OrtGraph *graph, const OrtNode **nodes,
                                              size_t num_nodes);
    /* The node that a subgraph belongs to; NULL for a main graph. */
    OrtStatus *(ORT_API_CALL *Graph_GetParentNode)(const OrtGraph *graph, const OrtNode **node);
    /*
     * A graph of some nodes of another: a copy that shares the data of initializers and lives on
     * without it. The caller's, to ReleaseGraph(). ORT_INVALID_ARGUMENT: no node, a node of another
     * graph, or one twice.
     */
    OrtStatus *(ORT_API_CALL *Graph_GetGraphView)(const OrtGraph *src_graph, const OrtNode **nodes,
                                                  size_t num_nodes, OrtGraph **dst_graph);
    /* A number that no other node of the graph has. */
    OrtStatus *(ORT_API_CALL *Node_GetId)(const OrtNode *node, size_t *node_id);
    /* Name of the node, owned by it; it may be "". */
    OrtStatus *(ORT_API_CALL *Node_GetName)(const OrtNode *node, const char **node_name);
    /* Operator of the node, such as "Conv"; owned by the node. */
    OrtStatus *(ORT_API_CALL *Node_GetOperatorType)(const OrtNode *node,
                                                    const char **operator_type);
    /* Domain of the operator, "" for ONNX's; owned by the node. */
    OrtStatus *(ORT_API_CALL *Node_GetDomain)(const OrtNode *node, const char **domain_name);
    /*
     * The operator set that brought this version of the operator; -1 in graphs that were built,
     * where it is not yet determined.
     */
    OrtStatus *(ORT_API_CALL *Node_GetSinceVersion)(const OrtNode *node, int *since_version);
    /* Number of inputs, absent optional ones included. */
    OrtStatus *(ORT_API_CALL *Node_GetNumInputs)(const OrtNode *node, size_t *num_inputs);
    /*
     * Writes the inputs, NULL for absent ones; owned by the graph. ORT_INVALID_ARGUMENT: capacity
     * below the number.
     */
    OrtStatus *(ORT_API_CALL *Node_GetInputs)(const OrtNode *node, const OrtValueInfo **inputs,
                                              size_t num_inputs);
    /* Number of outputs, absent optional ones included. */
    OrtStatus *(ORT_API_CALL *Node_GetNumOutputs)(const OrtNode *node, size_t *num_outputs);
    /*
     * Writes the outputs, NULL for absent ones; owned by the graph. ORT_INVALID_ARGUMENT: capacity
     * below the number.
     */
    OrtStatus *(ORT_API_CALL *Node_GetOutputs)(const OrtNode *node, const OrtValueInfo **outputs,
                                               size_t num_outputs);
    /* Number of values that the node's subgraphs take from the graph around them. */
    OrtStatus *(ORT_API_CALL *Node_GetNumImplicitInputs)(const OrtNode *node,
                                                         size_t *num_implicit_inputs);
    /* Writes these values, owned by the graph. ORT_INVALID_ARGUMENT: capacity below the number. */
    OrtStatus *(ORT_API_CALL *Node_GetImplicitInputs)(const OrtNode *node,
                                                      const OrtValueInfo **implicit_inputs,
                                                      size_t num_implicit_inputs);
    /* Number of attributes that the node has. */
    OrtStatus *(ORT_API_CALL *Node_GetNumAttributes)(const OrtNode *node, size_t *num_attributes);
    /* Writes the attributes, owned by the node. ORT_INVALID_ARGUMENT: capacity below the number. */
    OrtStatus *(ORT_API_CALL *Node_GetAttributes)(const OrtNode *node, const OrtOpAttr **attributes,
                                                  size_t num_attributes);
    /* An attribute, owned by the node. ORT_NOT_FOUND: none of that name. */
    OrtStatus *(ORT_API_CALL *Node_GetAttributeByName)(const OrtNode *node,
                                                       const char *attribute_name,
                                                       const OrtOpAttr **attribute);

    /* attributes */
    /*
     * ORT_INVALID_ARGUMENT: attributes that can be made here are numbers and texts, never tensors.
     */
    OrtStatus *(ORT_API_CALL *OpAttr_GetTensorAttributeAsOrtValue)(const OrtOpAttr *attribute,
                                                                   OrtValue **attr_tensor);
    /* Type of the attribute. */
    OrtStatus *(ORT_API_CALL *OpAttr_GetType)(const OrtOpAttr *attribute, OrtOpAttrType *type);
    /* Name of the attribute, owned by it. */
    OrtStatus *(ORT_API_CALL *OpAttr_GetName)(const OrtOpAttr *attribute, const char **name);

    /* graphs, as providers see them */
    /* Number of subgraphs; 0 in graphs that were built, because attributes cannot be graphs. */
    OrtStatus *(ORT_API_CALL *Node_GetNumSubgraphs)(const OrtNode *node, size_t *num_subgraphs);
    /* Writes subgraphs and the names of their attributes, owned by the node. */
    OrtStatus *(ORT_API_CALL *Node_GetSubgraphs)(const OrtNode *node, const OrtGraph **subgraphs,
                                                 size_t num_subgraphs,
                                                 const char **attribute_names);
    /* The graph that the node is in; NULL when it is in none yet. */
    OrtStatus *(ORT_API_CALL *Node_GetGraph)(const OrtNode *node, const OrtGraph **graph);
    /* Provider that runs the node; "" before a session decided that. */
    OrtStatus *(ORT_API_CALL *Node_GetEpName)(const OrtNode *node, const char **out);
    /* Frees a description that the caller owns. */
    void(ORT_API_CALL *ReleaseExternalInitializerInfo)(OrtExternalInitializerInfo *input);
    /* Path of the file, owned by info. */
    const ORTCHAR_T *(ORT_API_CALL *ExternalInitializerInfo_GetFilePath)(
        const OrtExternalInitializerInfo *info);
    /* Where the data begin in the file, in bytes. */
    int64_t(ORT_API_CALL *ExternalInitializerInfo_GetFileOffset)(
        const OrtExternalInitializerInfo *info);
    /* Bytes of the data. */
    size_t(ORT_API_CALL *ExternalInitializerInfo_GetByteSize)(
        const OrtExternalInitializerInfo *info);

    /* run options */
    /* Value of a key of AddRunConfigEntry(), owned by the options; NULL when it is not set. */
    const char *(ORT_API_CALL *GetRunConfigEntry)(const OrtRunOptions *options,
                                                  const char *config_key);

    /* devices and providers on them */
    /*
     * Describes memory of the device; the object's. NULL for devices other than the processor,
     * whose memory only their providers use.
     */
    const OrtMemoryInfo *(ORT_API_CALL *EpDevice_MemoryInfo)(const OrtEpDevice *ep_device,
                                                             OrtDeviceMemoryType memory_type);

    /* memory and streams of devices */
    /*
     * Makes the environment's allocator for a device and releases the one before. It is the
     * environment's; *allocator may be NULL on input, to be told nothing. Only ordinary memory has
     * one.
     */
    OrtStatus *(ORT_API_CALL *CreateSharedAllocator)(OrtEnv *env, const OrtEpDevice *ep_device,
                                                     OrtDeviceMemoryType mem_type,
                                                     OrtAllocatorType allocator_type,
                                                     const OrtKeyValuePairs *allocator_options,
                                                     OrtAllocator **allocator);
    /*
     * The environment's allocator for this memory, or the default one for ordinary memory; NULL for
     * other memory. It is the environment's.
     */
    OrtStatus *(ORT_API_CALL *GetSharedAllocator)(OrtEnv *env, const OrtMemoryInfo *mem_info,
                                                  OrtAllocator **allocator);
    /* Releases what CreateSharedAllocator() made. ORT_INVALID_ARGUMENT: there is none. */
    OrtStatus *(ORT_API_CALL *ReleaseSharedAllocator)(OrtEnv *env, const OrtEpDevice *ep_device,
                                                      OrtDeviceMemoryType mem_type);

    /* tensors */
    /* Address of the elements, for reading, valid until the value is released. */
    OrtStatus *(ORT_API_CALL *GetTensorData)(const OrtValue *value, const void **out);

    /* session options */
    /* A copy of all entries; the caller's, to ReleaseKeyValuePairs(). */
    OrtStatus *(ORT_API_CALL *GetSessionOptionsConfigEntries)(const OrtSessionOptions *options,
                                                              OrtKeyValuePairs **out);

    /* memory and streams of devices */
    /* Writes where inputs have to lie: ordinary memory for each. Entries are static. */
    OrtStatus *(ORT_API_CALL *SessionGetMemoryInfoForInputs)(
        const OrtSession *session, const OrtMemoryInfo **inputs_memory_info, size_t num_inputs);
    /* Writes where outputs lie: ordinary memory for each. Entries are static. */
    OrtStatus *(ORT_API_CALL *SessionGetMemoryInfoForOutputs)(
        const OrtSession *session, const OrtMemoryInfo **outputs_memory_info, size_t num_outputs);
    /*
     * Writes the provider and device that read each input first; entries are the environment's.
     * ORT_INVALID_ARGUMENT: another number of entries than there are.
     */
    OrtStatus *(ORT_API_CALL *SessionGetEpDeviceForInputs)(const OrtSession *session,
                                                           const OrtEpDevice **inputs_ep_devices,
                                                           size_t num_inputs);
    /*
     * Always an error: ORT_INVALID_ARGUMENT for the CPU, which has no memory of its own; ORT_FAIL
     * for others, which keep their streams to themselves.
     */
    OrtStatus *(ORT_API_CALL *CreateSyncStreamForEpDevice)(const OrtEpDevice *ep_device,
                                                           const OrtKeyValuePairs *stream_options,
                                                           OrtSyncStream **stream);
    /* NULL: there are no streams. */
    void *(ORT_API_CALL *SyncStream_GetHandle)(OrtSyncStream *stream);
    /* Does nothing: there are no streams. */
    void(ORT_API_CALL *ReleaseSyncStream)(OrtSyncStream *input);
    /*
     * Copies each tensor to the one at its index, strings too, before it returns. `stream` is NULL.
     * Types and sizes must be equal. ORT_INVALID_ARGUMENT: no tensors.
     */
    OrtStatus *(ORT_API_CALL *CopyTensors)(const OrtEnv *env, const OrtValue *const *src_tensors,
                                           OrtValue *const *dst_tensors, OrtSyncStream *stream,
                                           size_t num_tensors);

    /* graphs, as providers see them */
    /*
     * Metadata of the graph's model; empty for one that was built. The caller's, to
     * ReleaseModelMetadata().
     */
    OrtStatus *(ORT_API_CALL *Graph_GetModelMetadata)(const OrtGraph *graph,
                                                      OrtModelMetadata **out);

    /* compiled models */
    /*
     * Always EP_NOT_APPLICABLE, because no provider compiles into models. ORT_INVALID_ARGUMENT: no
     * device, or devices of several providers.
     */
    OrtStatus *(ORT_API_CALL *GetModelCompatibilityForEpDevices)(
        const OrtEpDevice *const *ep_devices, size_t num_ep_devices, const char *compatibility_info,
        OrtCompiledModelCompatibility *out_status);

    /* graphs, as providers see them */
    /*
     * Describes data in a file; the path is copied. The caller's, to
     * ReleaseExternalInitializerInfo().
     */
    OrtStatus *(ORT_API_CALL *CreateExternalInitializerInfo)(const ORTCHAR_T *filepath,
                                                             int64_t file_offset, size_t byte_size,
                                                             OrtExternalInitializerInfo **out);

    /* ---- since version 24 ---- */

    /* types and shapes */
    /* Whether the rank is known. false for NULL. */
    bool(ORT_API_CALL *TensorTypeAndShape_HasShape)(const OrtTensorTypeAndShapeInfo *info);

    /* what a kernel is created from */
    /* Entries of the session's options; a copy, the caller's, to ReleaseKeyValuePairs(). */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetConfigEntries)(const OrtKernelInfo *info,
                                                           OrtKeyValuePairs **out);
    /*
     * Copies the operator's domain and its NUL. *size: the capacity, then the bytes needed; with
     * `out` NULL it only tells these.
     */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOperatorDomain)(const OrtKernelInfo *info, char *out,
                                                            size_t *size);
    /*
     * Copies the operator's name and its NUL. *size: the capacity, then the bytes needed; with
     * `out` NULL it only tells these.
     */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOperatorType)(const OrtKernelInfo *info, char *out,
                                                          size_t *size);
    /* The operator set that brought this version of the operator. */
    OrtStatus *(ORT_API_CALL *KernelInfo_GetOperatorSinceVersion)(const OrtKernelInfo *info,
                                                                  int *since_version);

    /* other tables */
    /*
     * The table that shares memory with other users of a device; static. Its functions return
     * ORT_NOT_IMPLEMENTED.
     */
    const OrtInteropApi *(ORT_API_CALL *GetInteropApi)(void);

    /* memory and streams of devices */
    /*
     * Writes the provider and device that make each output; entries are the environment's.
     * ORT_INVALID_ARGUMENT: another number of entries than there are.
     */
    OrtStatus *(ORT_API_CALL *SessionGetEpDeviceForOutputs)(const OrtSession *session,
                                                            const OrtEpDevice **outputs_ep_devices,
                                                            size_t num_outputs);

    /* devices and providers on them */
    /* Number of devices that GetHardwareDevices() writes. */
    OrtStatus *(ORT_API_CALL *GetNumHardwareDevices)(const OrtEnv *env, size_t *num_devices);
    /*
     * Writes the processor, GPUs and accelerators of the machine, then devices that only a provider
     * knows; entries are the environment's. ORT_INVALID_ARGUMENT: capacity below the number.
     */
    OrtStatus *(ORT_API_CALL *GetHardwareDevices)(const OrtEnv *env,
                                                  const OrtHardwareDevice **devices,
                                                  size_t num_devices);
    /*
     * Why a provider cannot use a device; the caller's, to ReleaseDeviceEpIncompatibilityDetails().
     * ORT_INVALID_ARGUMENT: no such provider.
     */
    OrtStatus *(ORT_API_CALL *GetHardwareDeviceEpIncompatibilityDetails)(
        const OrtEnv *env, const char *ep_name, const OrtHardwareDevice *hw,
        OrtDeviceEpIncompatibilityDetails **details);
    /* Bits of OrtDeviceEpIncompatibilityReason; 0: it can. */
    OrtStatus *(ORT_API_CALL *DeviceEpIncompatibilityDetails_GetReasonsBitmask)(
        const OrtDeviceEpIncompatibilityDetails *details, uint32_t *reasons_bitmask);
    /* A sentence of the provider, owned by details; it may be NULL. */
    OrtStatus *(ORT_API_CALL *DeviceEpIncompatibilityDetails_GetNotes)(
        const OrtDeviceEpIncompatibilityDetails *details, const char **notes);
    /* The provider's own number; 0 when there is none. */
    OrtStatus *(ORT_API_CALL *DeviceEpIncompatibilityDetails_GetErrorCode)(
        const OrtDeviceEpIncompatibilityDetails *details, int32_t *error_code);
    /* Frees details that the caller owns. */
    void(ORT_API_CALL *ReleaseDeviceEpIncompatibilityDetails)(
        OrtDeviceEpIncompatibilityDetails *input);

    /* compiled models */
    /*
     * What a model says of the provider that compiled it (`ep_compatibility_info.<name>`), to be
     * freed with `allocator`; NULL when it says nothing.
     */
    OrtStatus *(ORT_API_CALL *GetCompatibilityInfoFromModel)(const ORTCHAR_T *model_path,
                                                             const char *ep_type,
                                                             OrtAllocator *allocator,
                                                             char **compatibility_info);
    /* As GetCompatibilityInfoFromModel(), of a model in memory. */
    OrtStatus *(ORT_API_CALL *GetCompatibilityInfoFromModelBytes)(const void *model_data,
                                                                  size_t model_data_length,
                                                                  const char *ep_type,
                                                                  OrtAllocator *allocator,
                                                                  char **compatibility_info);

    /* environment */
    /*
     * As CreateEnv(), with all settings in a struct, whose contents are copied.
     * ORT_INVALID_ARGUMENT: its version is below 24.
     */
    OrtStatus *(ORT_API_CALL *CreateEnvWithOptions)(const OrtEnvCreationOptions *options,
                                                    OrtEnv **out);

    /* which provider runs what */
    /*
     * Which provider runs which nodes; array and entries are the session's. ORT_FAIL: the session
     * was made without session.record_ep_graph_assignment_info.
     */
    OrtStatus *(ORT_API_CALL *Session_GetEpGraphAssignmentInfo)(
        const OrtSession *session, const OrtEpAssignedSubgraph *const **ep_subgraphs,
        size_t *num_ep_subgraphs);
    /* Name of the provider, owned by the session. */
    OrtStatus *(ORT_API_CALL *EpAssignedSubgraph_GetEpName)(
        const OrtEpAssignedSubgraph *ep_subgraph, const char **out);
    /* Nodes of the group as they run, fused ones by their fused operator; owned by the session. */
    OrtStatus *(ORT_API_CALL *EpAssignedSubgraph_GetNodes)(
        const OrtEpAssignedSubgraph *ep_subgraph, const OrtEpAssignedNode *const **ep_nodes,
        size_t *num_ep_nodes);
    /* Name of the node, owned by the session. */
    OrtStatus *(ORT_API_CALL *EpAssignedNode_GetName)(const OrtEpAssignedNode *ep_node,
                                                      const char **out);
    /* Domain of the operator, owned by the session. */
    OrtStatus *(ORT_API_CALL *EpAssignedNode_GetDomain)(const OrtEpAssignedNode *ep_node,
                                                        const char **out);
    /* Operator of the node, owned by the session. */
    OrtStatus *(ORT_API_CALL *EpAssignedNode_GetOperatorType)(const OrtEpAssignedNode *ep_node,
                                                              const char **out);

    /* memory and streams of devices */
    /* Does nothing: there are no streams. */
    void(ORT_API_CALL *RunOptionsSetSyncStream)(OrtRunOptions *options, OrtSyncStream *sync_stream);

    /* types and shapes */
    /*
     * Element type and sizes without a copy: *shape_data is owned by the value, NULL for a scalar.
     * Of a sparse tensor those of the dense one. An error for other values.
     */
    OrtStatus *(ORT_API_CALL *GetTensorElementTypeAndShapeDataReference)(
        const OrtValue *value, ONNXTensorElementDataType *elem_type, const int64_t **shape_data,
        size_t *shape_data_count);

    /* ---- since version 25 ---- */

    /* run options */
    /*
     * Each run writes a profile of its own: the prefix, the date, and a number where that is taken.
     * Such a run is not in the session's profile.
     */
    OrtStatus *(ORT_API_CALL *RunOptionsEnableProfiling)(OrtRunOptions *options,
                                                         const ORTCHAR_T *profile_file_prefix);
    /* Runs write no profile of their own (the default). */
    OrtStatus *(ORT_API_CALL *RunOptionsDisableProfiling)(OrtRunOptions *options);

    /* what a kernel is created from */
    /*
     * A list of texts. The array and each text are to be freed with `allocator`; NULL for an empty
     * list.
     */
    OrtStatus *(ORT_API_CALL *KernelInfoGetAttributeArray_string)(const OrtKernelInfo *info,
                                                                  const char *name,
                                                                  OrtAllocator *allocator,
                                                                  char ***out, size_t *size);

    /* environment */
    /* ORT_NOT_IMPLEMENTED: the pool has no queue of work of which such functions could be told. */
    OrtStatus *(ORT_API_CALL *SetPerSessionThreadPoolCallbacks)(
        OrtEnv *env, const OrtThreadPoolCallbacksConfig *config);

    /* ---- since version 27 ---- */

    /* session options */
    /* *out is 1 unless DisableMemPattern() was called. */
    OrtStatus *(ORT_API_CALL *GetMemPatternEnabled)(const OrtSessionOptions *options, int *out);
    /* Reads what SetSessionExecutionMode() set. */
    OrtStatus *(ORT_API_CALL *GetSessionExecutionMode)(const OrtSessionOptions *options,
                                                       ExecutionMode *out);

    /* sessions */
    /* Does nothing and succeeds: no provider captures graphs. */
    OrtStatus *(ORT_API_CALL *SessionReleaseCapturedGraph)(OrtSession *session,
                                                           int graph_annotation_id);

    /* ---- since version 28 ---- */

    /* other tables */
    /* Always NULL: there are no experimental functions. */
    OrtExperimentalFnPtr(ORT_API_CALL *GetExperimentalFunction)(const char *name);

    /* memory and streams of devices */
    /* *out is NULL: kernels of custom operators have no stream. */
    OrtStatus *(ORT_API_CALL *KernelContext_GetSyncStream)(const OrtKernelContext *context,
                                                           OrtSyncStream **out);

    /* ---- since version 29 ---- */

    /* session options */
    /*
     * The model that a compiled one took its weights from. Borrowed; no provider here looks into
     * it. ORT_INVALID_ARGUMENT: it is empty.
     */
    OrtStatus *(ORT_API_CALL *SessionOptionsSetWeightlessSourceModelBuffer)(
        OrtSessionOptions *options, const void *source_model_data, size_t source_model_data_length);

    /* ---- since version 30 ---- */

    /* what a running kernel sees */
    /*
     * The tensor that the caller of the run brought for this output, with its sizes and contents,
     * owned by the context; NULL when there is none.
     */
    OrtStatus *(ORT_API_CALL *KernelContext_GetPreallocatedOutput)(const OrtKernelContext *context,
                                                                   size_t output_index,
                                                                   OrtValue **output);
};

/* Makes models in memory. */
struct OrtModelEditorApi {
    /*
     * The type of a tensor; element type and shape are copied. The caller's, to ReleaseTypeInfo().
     */
    OrtStatus *(ORT_API_CALL *CreateTensorTypeInfo)(const OrtTensorTypeAndShapeInfo *tensor_info,
                                                    OrtTypeInfo **type_info);
    /*
     * The type of a sparse tensor; element type and dense shape are copied. The caller's, to
     * ReleaseTypeInfo().
     */
    OrtStatus *(ORT_API_CALL *CreateSparseTensorTypeInfo)(
        const OrtTensorTypeAndShapeInfo *tensor_info, OrtTypeInfo **type_info);
    /* The type of a map; the type of its values is copied. The caller's, to ReleaseTypeInfo(). */
    OrtStatus *(ORT_API_CALL *CreateMapTypeInfo)(ONNXTensorElementDataType map_key_type,
                                                 const OrtTypeInfo *map_value_type,
                                                 OrtTypeInfo **type_info);
    /*
     * The type of a sequence; the type of its elements is copied. The caller's, to
     * ReleaseTypeInfo().
     */
    OrtStatus *(ORT_API_CALL *CreateSequenceTypeInfo)(const OrtTypeInfo *sequence_type,
                                                      OrtTypeInfo **type_info);
    /* The type of an optional; what it contains is copied. The caller's, to ReleaseTypeInfo(). */
    OrtStatus *(ORT_API_CALL *CreateOptionalTypeInfo)(const OrtTypeInfo *contained_type,
                                                      OrtTypeInfo **type_info);
    /*
     * Name and type of a value, both copied. The caller's, to ReleaseValueInfo(), until a graph
     * takes it.
     */
    OrtStatus *(ORT_API_CALL *CreateValueInfo)(const char *name, const OrtTypeInfo *type_info,
                                               OrtValueInfo **value_info);
    /*
     * A node; names are copied, "" is an absent optional input. It takes the attributes, whose
     * entries become NULL. The caller's, to ReleaseNode(), until a graph takes it. On failure
     * nothing is taken.
     */
    OrtStatus *(ORT_API_CALL *CreateNode)(const char *operator_name, const char *domain_name,
                                          const char *node_name, const char *const *input_names,
                                          size_t input_names_len, const char *const *output_names,
                                          size_t output_names_len, OrtOpAttr **attributes,
                                          size_t attribs_len, OrtNode **node);
    /* An empty graph. The caller's, to ReleaseGraph(), until a model takes it. */
    OrtStatus *(ORT_API_CALL *CreateGraph)(OrtGraph **graph);
    /*
     * Sets the inputs, in place of those before. The graph takes them, and the entries become NULL.
     * On failure nothing is taken.
     */
    OrtStatus *(ORT_API_CALL *SetGraphInputs)(OrtGraph *graph, OrtValueInfo **inputs,
                                              size_t inputs_len);
    /*
     * Sets the outputs, in place of those before. The graph takes them, and the entries become
     * NULL. On failure nothing is taken.
     */
    OrtStatus *(ORT_API_CALL *SetGraphOutputs)(OrtGraph *graph, OrtValueInfo **outputs,
                                               size_t outputs_len);
    /*
     * Adds a tensor as an initializer. data_is_external: its memory is the caller's and must
     * outlive the model and its sessions; else memory of the caller is copied.
     */
    OrtStatus *(ORT_API_CALL *AddInitializerToGraph)(OrtGraph *graph, const char *name,
                                                     OrtValue *tensor, bool data_is_external);
    /* Adds a node, which the graph takes. Nodes may come in any order. */
    OrtStatus *(ORT_API_CALL *AddNodeToGraph)(OrtGraph *graph, OrtNode *node);
    /*
     * An empty model that imports these operator sets; domains are copied. The caller's, to
     * ReleaseModel(), always.
     */
    OrtStatus *(ORT_API_CALL *CreateModel)(const char *const *domain_names,
                                           const int *opset_versions, size_t opset_entries_len,
                                           OrtModel **model);
    /* Sets the main graph, which the model takes. */
    OrtStatus *(ORT_API_CALL *AddGraphToModel)(OrtModel *model, OrtGraph *graph);
    /*
     * As CreateSession(), of a model that was built; it stays the caller's. The session is the
     * caller's, to ReleaseSession().
     */
    OrtStatus *(ORT_API_CALL *CreateSessionFromModel)(const OrtEnv *env, const OrtModel *model,
                                                      const OrtSessionOptions *options,
                                                      OrtSession **out);
    /*
     * Opens a model file to be extended. The session cannot run before
     * FinalizeModelEditorSession(). The caller's, to ReleaseSession().
     */
    OrtStatus *(ORT_API_CALL *CreateModelEditorSession)(const OrtEnv *env,
                                                        const ORTCHAR_T *model_path,
                                                        const OrtSessionOptions *options,
                                                        OrtSession **out);
    /* As CreateModelEditorSession(), of bytes in memory. */
    OrtStatus *(ORT_API_CALL *CreateModelEditorSessionFromArray)(const OrtEnv *env,
                                                                 const void *model_data,
                                                                 size_t model_data_length,
                                                                 const OrtSessionOptions *options,
                                                                 OrtSession **out);
    /*
     * The version of an operator set that the session's model imports; an error when it does not.
     */
    OrtStatus *(ORT_API_CALL *SessionGetOpsetForDomain)(const OrtSession *session,
                                                        const char *domain, int *opset);
    /*
     * Adds nodes, initializers and outputs to the session's model and checks the whole. On failure
     * the session is as before. It may be called again; `model` stays the caller's.
     */
    OrtStatus *(ORT_API_CALL *ApplyModelToModelEditorSession)(OrtSession *session, OrtModel *model);
    /*
     * Makes the session ready to run. `options` NULL: those it was created with. The container is
     * accepted and has no effect.
     */
    OrtStatus *(ORT_API_CALL *FinalizeModelEditorSession)(
        OrtSession *session, const OrtSessionOptions *options,
        OrtPrepackedWeightsContainer *prepacked_weights_container);
};

/* Compiles models ahead of time. */
struct OrtCompileApi {
    /* Frees the options. */
    void(ORT_API_CALL *ReleaseModelCompilationOptions)(OrtModelCompilationOptions *input);
    /*
     * Options of a compilation, with a copy of the session's. The caller's, to
     * ReleaseModelCompilationOptions().
     */
    OrtStatus *(ORT_API_CALL *CreateModelCompilationOptionsFromSessionOptions)(
        const OrtEnv *env, const OrtSessionOptions *session_options,
        OrtModelCompilationOptions **out);
    /* The model comes from this file; takes the place of another input. */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetInputModelPath)(
        OrtModelCompilationOptions *model_compile_options, const ORTCHAR_T *input_model_path);
    /* The model comes from these bytes, borrowed until CompileModel() returned. */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetInputModelFromBuffer)(
        OrtModelCompilationOptions *model_compile_options, const void *input_model_data,
        size_t input_model_data_size);
    /*
     * The model is written to this file, under a temporary name first, so that it may be the input.
     */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelPath)(
        OrtModelCompilationOptions *model_compile_options, const ORTCHAR_T *output_model_path);
    /*
     * Weights of that many bytes and more go into a file beside the model, in its folder or below.
     */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelExternalInitializersFile)(
        OrtModelCompilationOptions *model_compile_options,
        const ORTCHAR_T *external_initializers_file_path,
        size_t external_initializers_size_threshold);
    /*
     * CompileModel() writes the model into memory of `allocator` and sets both pointers; the buffer
     * is the caller's, to free with it.
     */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelBuffer)(
        OrtModelCompilationOptions *model_compile_options, OrtAllocator *allocator,
        void **output_model_buffer_ptr, size_t *output_model_buffer_size_ptr);
    /* Compiled programs lie in the model, or (the default) in files beside it. */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetEpContextEmbedMode)(
        OrtModelCompilationOptions *model_compile_options, bool embed_ep_context_in_model);
    /*
     * Checks that the session's providers can run the model, and writes it with its weights.
     * An error when there is no input or output, or a flag forbids it.
     */
    OrtStatus *(ORT_API_CALL *CompileModel)(const OrtEnv *env,
                                            const OrtModelCompilationOptions *model_options);
    /* Bits of OrtCompileApiFlags; unknown ones are ignored. */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetFlags)(
        OrtModelCompilationOptions *model_compile_options, uint32_t flags);
    /* Directory and name of those files when the output model is not a file itself. */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetEpContextBinaryInformation)(
        OrtModelCompilationOptions *model_compile_options, const ORTCHAR_T *output_directory,
        const ORTCHAR_T *model_name);
    /* Which passes run before the model is written. */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetGraphOptimizationLevel)(
        OrtModelCompilationOptions *model_compile_options,
        GraphOptimizationLevel graph_optimization_level);
    /* The model is handed to this function in pieces, in order, on the thread of CompileModel(). */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelWriteFunc)(
        OrtModelCompilationOptions *model_compile_options, OrtWriteBufferFunc write_func,
        void *state);
    /* This function says for each weight whether it lies in another file, and where. */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc)(
        OrtModelCompilationOptions *model_compile_options,
        OrtGetInitializerLocationFunc get_initializer_location_func, void *state);
    /* The model is one that was built; borrowed until CompileModel() returned. */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetInputModel)(
        OrtModelCompilationOptions *model_compile_options, const OrtModel *model);
    /* Accepted, without effect, because no provider compiles into models. */
    OrtStatus *(ORT_API_CALL *ModelCompilationOptions_SetWeightlessEnabled)(
        OrtModelCompilationOptions *model_compile_options, bool use_weightless);
};

/* Shares memory and semaphores with other users of a device. */
struct OrtInteropApi {
    /*
     * ORT_NOT_IMPLEMENTED. Would give what imports memory for a device, to
     * ReleaseExternalResourceImporter().
     */
    OrtStatus *(ORT_API_CALL *CreateExternalResourceImporterForDevice)(
        const OrtEpDevice *ep_device, OrtExternalResourceImporter **out_importer);
    /* Does nothing: none is ever created. */
    void(ORT_API_CALL *ReleaseExternalResourceImporter)(OrtExternalResourceImporter *input);
    /* ORT_NOT_IMPLEMENTED. Would tell whether this kind of memory can be imported. */
    OrtStatus *(ORT_API_CALL *CanImportMemory)(const OrtExternalResourceImporter *importer,
                                               OrtExternalMemoryHandleType handle_type,
                                               bool *out_supported);
    /*
     * ORT_NOT_IMPLEMENTED. Would import memory of another library, to
     * ReleaseExternalMemoryHandle().
     */
    OrtStatus *(ORT_API_CALL *ImportMemory)(OrtExternalResourceImporter *importer,
                                            const OrtExternalMemoryDescriptor *desc,
                                            OrtExternalMemoryHandle **out_handle);
    /* Does nothing: none is ever created. */
    void(ORT_API_CALL *ReleaseExternalMemoryHandle)(OrtExternalMemoryHandle *input);
    /* ORT_NOT_IMPLEMENTED. Would give a tensor over imported memory. */
    OrtStatus *(ORT_API_CALL *CreateTensorFromMemory)(
        OrtExternalResourceImporter *importer, const OrtExternalMemoryHandle *mem_handle,
        const OrtExternalTensorDescriptor *tensor_desc, OrtValue **out_tensor);
    /* ORT_NOT_IMPLEMENTED. Would tell whether this kind of semaphore can be imported. */
    OrtStatus *(ORT_API_CALL *CanImportSemaphore)(const OrtExternalResourceImporter *importer,
                                                  OrtExternalSemaphoreType type,
                                                  bool *out_supported);
    /* ORT_NOT_IMPLEMENTED. Would import a semaphore, to ReleaseExternalSemaphoreHandle(). */
    OrtStatus *(ORT_API_CALL *ImportSemaphore)(OrtExternalResourceImporter *importer,
                                               const OrtExternalSemaphoreDescriptor *desc,
                                               OrtExternalSemaphoreHandle **out_handle);
    /* Does nothing: none is ever created. */
    void(ORT_API_CALL *ReleaseExternalSemaphoreHandle)(OrtExternalSemaphoreHandle *input);
    /* ORT_NOT_IMPLEMENTED. Would let a stream wait until the semaphore has this value. */
    OrtStatus *(ORT_API_CALL *WaitSemaphore)(OrtExternalResourceImporter *importer,
                                             OrtExternalSemaphoreHandle *semaphore_handle,
                                             OrtSyncStream *stream, uint64_t value);
    /*
     * ORT_NOT_IMPLEMENTED. Would set the semaphore to this value when the stream has come so far.
     */
    OrtStatus *(ORT_API_CALL *SignalSemaphore)(OrtExternalResourceImporter *importer,
                                               OrtExternalSemaphoreHandle *semaphore_handle,
                                               OrtSyncStream *stream, uint64_t value);
    /* ORT_NOT_IMPLEMENTED. Would prepare a device to be shared with a graphics library. */
    OrtStatus *(ORT_API_CALL *InitGraphicsInteropForEpDevice)(
        const OrtEpDevice *ep_device, const OrtGraphicsInteropConfig *config);
    /* ORT_NOT_IMPLEMENTED. Would undo InitGraphicsInteropForEpDevice(). */
    OrtStatus *(ORT_API_CALL *DeinitGraphicsInteropForEpDevice)(const OrtEpDevice *ep_device);
};

/*
 * ---- providers by symbol, from before they had names -------------------------------------------
 */

/* Adds provider CPU. use_arena has no effect. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions *options,
                                                                   int use_arena);
/*
 * Adds provider CUDA on this device; an error with the reason where it is not usable, as for each
 * below.
 */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_CUDA(OrtSessionOptions *options,
                                                                    int device_id);
/* Adds provider TensorRT on this device. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Tensorrt(OrtSessionOptions *options,
                                                                        int device_id);
/* Adds provider Dnnl, Backplane's `dnnl`. use_arena has no effect. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Dnnl(OrtSessionOptions *options,
                                                                    int use_arena);
/* Adds provider ROCM on this device. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions *options,
                                                                    int device_id);
/* Adds provider MIGraphX on this device. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions *options,
                                                                        int device_id);
/* Adds provider OpenVINO on a device of this type. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_OpenVINO(OrtSessionOptions *options,
                                                                        const char *device_type);
/* Adds provider NNAPI with bits of NNAPIFlags. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Nnapi(OrtSessionOptions *options,
                                                                     uint32_t nnapi_flags);
/* Adds provider CoreML with bits of COREMLFlags. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_CoreML(OrtSessionOptions *options,
                                                                      uint32_t coreml_flags);
/* Adds provider DirectML on this device. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_DML(OrtSessionOptions *options,
                                                                   int device_id);
/* Adds provider ACL, Arm's Compute Library. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_ACL(OrtSessionOptions *options,
                                                                   bool enable_fast_math);
/* Adds provider ArmNN. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_ArmNN(OrtSessionOptions *options,
                                                                     int use_arena);
/* Adds provider RKNPU; both spellings were in use. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Rknpu(OrtSessionOptions *options);
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_RKNPU(OrtSessionOptions *options);
/* Adds provider VSINPU. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_VSINPU(OrtSessionOptions *options);
/* Adds provider TVM with its settings as one text. */
ORT_EXPORT OrtStatus *OrtSessionOptionsAppendExecutionProvider_Tvm(OrtSessionOptions *options,
                                                                   const char *settings);

#ifdef __cplusplus
}
#endif

#include "onnxruntime_ep_c_api.h"

#endif
