/* SPDX-License-Identifier: MIT */
/*
 * acl_base.h - types, error codes, tensor descriptions and data buffers of ACL, the C API of Ascend
 * devices, as Backplane's simulated driver has them. Names, numbers and arguments are the vendor's,
 * so that a program needs no change to run on either; the text is ours.
 */
#ifndef BP_ACL_BASE_H
#define BP_ACL_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif

/* 0 or one of the codes below. What went wrong is in aclGetRecentErrMsg(). */
typedef int aclError;

/* Handles: valid until destroyed, never dereferenced. */
typedef void *aclrtContext;
typedef void *aclrtStream; /* NULL: the default stream of the current context */
typedef void *aclrtEvent;

typedef uint16_t aclFloat16;
typedef struct aclTensorDesc aclTensorDesc;
typedef struct aclDataBuffer aclDataBuffer;

/*
 * Error codes, with the vendor's names and numbers: 1xxxxx are mistakes of the program, 2xxxxx lack
 * of a resource, 5xxxxx failures inside. Which of them a function returns is said with it, but for
 * ACL_ERROR_UNINITIALIZE, ACL_ERROR_INVALID_PARAM (a NULL that may not be) and ACL_ERROR_BAD_ALLOC
 * (no host memory), which most can return.
 */
enum {
    ACL_SUCCESS = 0,
    ACL_ERROR_NONE = 0,
    /* of the API itself */
    ACL_ERROR_INVALID_PARAM = 100000,
    ACL_ERROR_UNINITIALIZE = 100001,
    ACL_ERROR_REPEAT_INITIALIZE = 100002,
    ACL_ERROR_INVALID_FILE = 100003,
    ACL_ERROR_WRITE_FILE = 100004,
    ACL_ERROR_INVALID_FILE_SIZE = 100005,
    ACL_ERROR_PARSE_FILE = 100006,
    ACL_ERROR_FILE_MISSING_ATTR = 100007,
    ACL_ERROR_FILE_ATTR_INVALID = 100008,
    ACL_ERROR_INVALID_MODEL_ID = 100011,
    ACL_ERROR_DESERIALIZE_MODEL = 100012,
    ACL_ERROR_PARSE_MODEL = 100013,
    ACL_ERROR_READ_MODEL_FAILURE = 100014,
    ACL_ERROR_MODEL_SIZE_INVALID = 100015,
    ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017,
    ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018,
    ACL_ERROR_MODEL_NOT_DYNAMIC = 100019,
    ACL_ERROR_OP_TYPE_NOT_MATCH = 100020,
    ACL_ERROR_OP_INPUT_NOT_MATCH = 100021,
    ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022,
    ACL_ERROR_OP_ATTR_NOT_MATCH = 100023,
    ACL_ERROR_OP_NOT_FOUND = 100024,
    ACL_ERROR_OP_LOAD_FAILED = 100025,
    ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026,
    ACL_ERROR_FORMAT_NOT_MATCH = 100027,
    ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036,
    ACL_ERROR_REPEAT_FINALIZE = 100037,
    ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048,
    ACL_ERROR_BAD_ALLOC = 200000,
    ACL_ERROR_API_NOT_SUPPORT = 200001,
    ACL_ERROR_INVALID_DEVICE = 200002,
    ACL_ERROR_RESOURCE_NOT_MATCH = 200004,
    ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005,
    ACL_ERROR_FEATURE_UNSUPPORTED = 200006,
    ACL_ERROR_STORAGE_OVER_LIMIT = 300000,
    ACL_ERROR_INTERNAL_ERROR = 500000,
    ACL_ERROR_FAILURE = 500001,
    ACL_ERROR_GE_FAILURE = 500002,
    ACL_ERROR_RT_FAILURE = 500003,
    ACL_ERROR_DRV_FAILURE = 500004,
    /* of the runtime below it */
    ACL_ERROR_RT_PARAM_INVALID = 107000,
    ACL_ERROR_RT_INVALID_DEVICEID = 107001,
    ACL_ERROR_RT_CONTEXT_NULL = 107002,
    ACL_ERROR_RT_STREAM_CONTEXT = 107003,
    ACL_ERROR_RT_MODEL_CONTEXT = 107004,
    ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID = 107006,
    ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL = 107007,
    ACL_ERROR_RT_ADDR_UNALIGNED = 107008,
    ACL_ERROR_RT_INVALID_MEMORY_TYPE = 107016,
    ACL_ERROR_RT_INVALID_HANDLE = 107017,
    ACL_ERROR_RT_INVALID_MALLOC_TYPE = 107018,
    ACL_ERROR_RT_WAIT_TIMEOUT = 107019,
    ACL_ERROR_RT_TASK_TIMEOUT = 107020,
    ACL_ERROR_RT_DEVICE_TASK_ABORT = 107022,
    ACL_ERROR_RT_STREAM_ABORT = 107023,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT = 207000,
    ACL_ERROR_RT_MEMORY_ALLOCATION = 207001,
    ACL_ERROR_RT_MEMORY_FREE = 207002,
    ACL_ERROR_RT_NO_DEVICE = 207004,
    ACL_ERROR_RT_RESOURCE_ALLOC_FAIL = 207005,
    ACL_ERROR_RT_NO_PERMISSION = 207006,
    ACL_ERROR_RT_NO_EVENT_RESOURCE = 207007,
    ACL_ERROR_RT_NO_STREAM_RESOURCE = 207008,
    ACL_ERROR_RT_DEVICE_OOM = 207018,
    ACL_ERROR_RT_INTERNAL_ERROR = 507000,
    ACL_ERROR_RT_STREAM_TASK_FULL = 507002,
    ACL_ERROR_RT_STREAM_NOT_COMPLETE = 507004,
    ACL_ERROR_RT_EVENT_NOT_COMPLETE = 507006,
    ACL_ERROR_RT_SOC_VERSION = 507008,
    ACL_ERROR_RT_LOST_HEARTBEAT = 507010,
    ACL_ERROR_RT_MODEL_EXECUTE = 507011,
    ACL_ERROR_RT_REPORT_TIMEOUT = 507012,
    ACL_ERROR_RT_AICORE_TIMEOUT = 507014,
    ACL_ERROR_RT_AICORE_EXCEPTION = 507015,
    ACL_ERROR_RT_DEV_SETUP_ERROR = 507033,
    ACL_ERROR_RT_STREAM_SYNC_TIMEOUT = 507046,
    ACL_ERROR_RT_EVENT_SYNC_TIMEOUT = 507047,
    ACL_ERROR_RT_DEVICE_MEM_ERROR = 507053,
    ACL_ERROR_RT_DRV_INTERNAL_ERROR = 507899,
    /* of the graph engine */
    ACL_ERROR_GE_PARAM_INVALID = 145000,
    ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID = 145002,
    ACL_ERROR_GE_EXEC_MODEL_ID_INVALID = 145003,
    ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID = 145006,
    ACL_ERROR_GE_MEMORY_ALLOCATION = 245000,
    ACL_ERROR_GE_LOAD_MODEL = 545001
};

/* Element types. */
typedef enum {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_STRING = 13,
    ACL_COMPLEX64 = 16,
    ACL_COMPLEX128 = 17,
    ACL_BF16 = 27
} aclDataType;

typedef enum {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NC = 35,
    ACL_FORMAT_NCL = 47
} aclFormat;

typedef enum {
    ACL_MEMTYPE_DEVICE = 0,
    ACL_MEMTYPE_HOST = 1,                    /* its value is part of what is compiled */
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2 /* its value is not */
} aclMemType;

/* Bytes of an element; 0 for ACL_DT_UNDEFINED and ACL_STRING. */
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

/* Halves saturate: infinities become +-65504, NaN 65504, and a half's infinity reads as 65536. */
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);

/*
 * The description of a tensor, the caller's to destroy; NULL without memory or for bad arguments. A
 * dimension of -1 is not known. ACL_DT_UNDEFINED with no dimensions stands for an optional input
 * that is absent. One thread at a time may use a description.
 */
ACL_FUNC_VISIBILITY aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims,
                                                       const int64_t *dims, aclFormat format);
/* NULL is fine. */
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc *desc);

/* Reading: ACL_DT_UNDEFINED, ACL_FORMAT_UNDEFINED or 0 for NULL. */
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc *desc);
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc);
/* Bytes; 0 when a dimension is not known. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescSize(const aclTensorDesc *desc);
/* Elements; 0 when a dimension is 0 or not known. */
ACL_FUNC_VISIBILITY size_t aclGetTensorDescElementCount(const aclTensorDesc *desc);
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc *desc);
/* Dimension `index`; ACL_ERROR_INVALID_PARAM past the last. */
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index,
                                                   int64_t *dimSize);

/* Replaces all dimensions; on a failure none. */
ACL_FUNC_VISIBILITY aclError aclSetTensorShape(aclTensorDesc *desc, int numDims,
                                               const int64_t *dims);
ACL_FUNC_VISIBILITY aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format);
/* Storage and origin are what tools note; the simulator stores every tensor as its dims say. */
ACL_FUNC_VISIBILITY aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims,
                                                      const int64_t *dims);
ACL_FUNC_VISIBILITY aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format);
ACL_FUNC_VISIBILITY aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims,
                                                     const int64_t *dims);
ACL_FUNC_VISIBILITY aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format);
/* A name for the description, cut to 127 characters; NULL is "". */
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc *desc, const char *name);
ACL_FUNC_VISIBILITY const char *aclGetTensorDescName(aclTensorDesc *desc);
/* A constant known when the operator is compiled: `length` bytes of host memory, copied. */
ACL_FUNC_VISIBILITY aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer,
                                               size_t length);
/* Where the tensor's bytes will be when the operator is called. */
ACL_FUNC_VISIBILITY aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType);

/*
 * An address and a size; the memory stays the caller's, the buffer is the caller's to destroy.
 * NULL: no memory. One thread at a time may use a buffer.
 */
ACL_FUNC_VISIBILITY aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data,
                                                 size_t size);
/* Reading: NULL or 0 for a NULL buffer. */
ACL_FUNC_VISIBILITY void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

#ifdef __cplusplus
}
#endif

#endif
