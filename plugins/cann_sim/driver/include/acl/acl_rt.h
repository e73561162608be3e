/* SPDX-License-Identifier: MIT */
/*
 * acl_rt.h - devices, contexts, streams, events and memory of ACL, as the simulator has them.
 * Every function may be called by any thread; those that say "current" need aclrtSetDevice() or
 * aclrtSetCurrentContext() in that thread first, else ACL_ERROR_RT_CONTEXT_NULL.
 */
#ifndef BP_ACL_RT_H
#define BP_ACL_RT_H

#include <acl/acl_base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether the program runs on the host or on the device's own processor; here it is always the
 * host.
 */
typedef enum { ACL_DEVICE = 0, ACL_HOST = 1 } aclrtRunMode;

typedef enum {
    ACL_RT_DEVICE_STATUS_NORMAL = 0,
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1
} aclrtDeviceStatus;

typedef enum { ACL_STREAM_STATUS_COMPLETE = 0, ACL_STREAM_STATUS_NOT_READY = 1 } aclrtStreamStatus;

typedef enum {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

typedef enum { ACL_CALLBACK_NO_BLOCK = 0, ACL_CALLBACK_BLOCK = 1 } aclrtCallbackBlockType;

/* Policies of aclrtMalloc(): the size of pages. The simulator has one size. */
typedef enum {
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7
} aclrtMemMallocPolicy;

typedef enum {
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    ACL_MEMCPY_DEFAULT = 4 /* as the addresses say */
} aclrtMemcpyKind;

typedef enum {
    ACL_DDR_MEM = 0,
    ACL_HBM_MEM = 1,
    ACL_DDR_MEM_HUGE = 2,
    ACL_DDR_MEM_NORMAL = 3,
    ACL_HBM_MEM_HUGE = 4,
    ACL_HBM_MEM_NORMAL = 5
} aclrtMemAttr;

enum {
    ACL_EVENT_SYNC = 0x1,
    ACL_EVENT_CAPTURE_STREAM_PROGRESS = 0x2,
    ACL_EVENT_TIME_LINE = 0x8,

    ACL_STREAM_FAST_LAUNCH = 0x1,
    ACL_STREAM_FAST_SYNC = 0x2,
    ACL_STREAM_PERSISTENT = 0x4,

    ACL_CONTINUE_ON_FAILURE = 0,
    ACL_STOP_ON_FAILURE = 1
};

/* A host function in a stream's order. */
typedef void (*aclrtCallback)(void *userData);

/* The release of ACL that the simulator follows. Devices are numbered from 0. */
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch);
/* The chip of the current device, of device 0 where there is none; NULL before aclInit(). */
ACL_FUNC_VISIBILITY const char *aclrtGetSocName(void);
/* How many devices there are, 0 included. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t *count);
/* ACL_HOST */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode *runMode);
/*
 * Makes the device's default context, or takes it again, and makes it this thread's. Calls are
 * counted for aclrtResetDevice(). ACL_ERROR_RT_DEV_SETUP_ERROR: the device is busy or lost.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);
/* The current device. */
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t *deviceId);
/*
 * Undoes one aclrtSetDevice(). The last one waits for all work and frees all that is left:
 * contexts, streams, events, models and memory.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);
/* Undoes all of them at once, and drops what is queued. */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);
/* Abnormal: the device is lost. */
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId,
                                                    aclrtDeviceStatus *deviceStatus);
/* Waits for all streams of the current device; the first failure of a task. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);
/* The same for some milliseconds; -1 waits for ever, 0 asks. ACL_ERROR_RT_STREAM_SYNC_TIMEOUT */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/* Contexts: each with a default stream. The thread that makes one is in it. */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);
/* Waits for its streams, and destroys them. Not the default context of a device. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);
/* This thread's from now on. ACL_ERROR_RT_INVALID_HANDLE: it was destroyed, or never made. */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);

/*
 * Streams: tasks of one run one after the other, later, on a thread of its own.
 * ACL_ERROR_RT_NO_STREAM_RESOURCE: the device has no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);
/*
 * Priority 0 (highest) to 7, which the simulator checks and ignores. With ACL_STREAM_PERSISTENT a
 * full queue is ACL_ERROR_RT_STREAM_TASK_FULL instead of waiting.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority,
                                                         uint32_t flag);
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);      /* waits */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream); /* drops all */
/* Returns the first failure of a task since the last synchronisation. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);
/* The same for some milliseconds; -1 waits for ever, 0 asks. ACL_ERROR_RT_STREAM_SYNC_TIMEOUT */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);
/* Has all that is queued ended? Does not wait, and says nothing of failures. */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);
/*
 * Ends what runs, and drops what has not started. Who waits for it gets ACL_ERROR_RT_STREAM_ABORT.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);
/*
 * ACL_CONTINUE_ON_FAILURE, the default, or ACL_STOP_ON_FAILURE: after a failure no task runs, and
 * each synchronisation tells it.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);
/* How many streams the current device could still have. */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);
/* Seconds that an operator may take of simulated time; longer is ACL_ERROR_RT_AICORE_TIMEOUT. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/* A host function in the stream's order, run by a subscribed thread in aclrtProcessReport(). */
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void *userData,
                                                 aclrtCallbackBlockType blockType,
                                                 aclrtStream stream);
/* `threadId` is that of pthread_self(). */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);
/*
 * Runs one function of the calling thread; waits `timeout` ms for one, -1 for ever.
 * ACL_ERROR_RT_REPORT_TIMEOUT
 */
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/*
 * Events: marks in a stream. With the flags ACL_EVENT_SYNC and ACL_EVENT_TIME_LINE.
 * ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);
/* What is queued with it still runs. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);
/* Queues: the event is complete when the stream has come to here. It can be recorded again. */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
/* Queues: the event is not complete from here on, until it is recorded again. */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);
/* Queues: the stream goes on when the last record made so far has been passed. */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
/* The host waits for the last record made so far. Failed tasks are not told. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);
/* The same for some milliseconds; -1 waits for ever, 0 asks. ACL_ERROR_RT_EVENT_SYNC_TIMEOUT */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event,
                                                   aclrtEventRecordedStatus *status);
/* Milliseconds of simulated time, or of real time where the configuration says so. */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent,
                                                   aclrtEvent endEvent);

/*
 * Memory of the current device, for aclrtFree(). Host code cannot touch it: its pages are closed.
 * 32 bytes more than asked for are counted, in steps of 32. ACL_ERROR_RT_MEMORY_ALLOCATION: there
 * is no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);
/* The same, counted in steps of 32 bytes. */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size,
                                                aclrtMemMallocPolicy policy);
/*
 * A queued task that uses it fails. ACL_ERROR_RT_PARAM_INVALID: it was freed, or is not a block's
 * start.
 */
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);
/* Pinned host memory, from and to which asynchronous copies are fast; for aclrtFreeHost(). */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);
/*
 * Copies and waits; ranges may overlap. ACL_ERROR_RT_PARAM_INVALID: more bytes than destMax,
 * addresses of another kind than `kind` says, or past the end of a block.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                                         aclrtMemcpyKind kind);
/*
 * Queues a copy. Host memory has to stay until it has run, and should be pinned. Not from host to
 * host; within devices both addresses are multiples of 64, else ACL_ERROR_RT_ADDR_UNALIGNED.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src,
                                              size_t count, aclrtMemcpyKind kind,
                                              aclrtStream stream);
/* Fills device memory with a byte; at once, or queued. */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value,
                                         size_t count);
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value,
                                              size_t count, aclrtStream stream);
/* Bytes of the current device; one kind of memory, whatever `attr`. */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

#ifdef __cplusplus
}
#endif

#endif
