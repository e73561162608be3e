/* SPDX-License-Identifier: MIT */
/*
 * library.h - the OpenCL loader, opened by name when it is first asked for, and the devices that it
 * shows. A machine without it gets a sentence; the plug-in loads anyway.
 */
#ifndef BP_OPENCL_LIBRARY_H
#define BP_OPENCL_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>

#include <bp/sdk.h>

#define BP_OPENCL_SONAME "libOpenCL.so.1"

/* What is used of OpenCL, all of it in version 1.2. */
#define BP_OPENCL_FUNCTIONS(F)                                                                     \
    F(clBuildProgram)                                                                              \
    F(clCreateBuffer)                                                                              \
    F(clCreateCommandQueue)                                                                        \
    F(clCreateContext)                                                                             \
    F(clCreateKernel)                                                                              \
    F(clCreateProgramWithBinary)                                                                   \
    F(clCreateProgramWithSource)                                                                   \
    F(clEnqueueBarrierWithWaitList)                                                                \
    F(clEnqueueCopyBuffer)                                                                         \
    F(clEnqueueMarkerWithWaitList)                                                                 \
    F(clEnqueueNDRangeKernel)                                                                      \
    F(clEnqueueReadBuffer)                                                                         \
    F(clEnqueueWriteBuffer)                                                                        \
    F(clFinish)                                                                                    \
    F(clFlush)                                                                                     \
    F(clGetDeviceIDs)                                                                              \
    F(clGetDeviceInfo)                                                                             \
    F(clGetEventInfo)                                                                              \
    F(clGetEventProfilingInfo)                                                                     \
    F(clGetMemObjectInfo)                                                                          \
    F(clGetPlatformIDs)                                                                            \
    F(clGetPlatformInfo)                                                                           \
    F(clGetProgramBuildInfo)                                                                       \
    F(clGetProgramInfo)                                                                            \
    F(clReleaseCommandQueue)                                                                       \
    F(clReleaseContext)                                                                            \
    F(clReleaseEvent)                                                                              \
    F(clReleaseKernel)                                                                             \
    F(clReleaseMemObject)                                                                          \
    F(clReleaseProgram)                                                                            \
    F(clSetEventCallback)                                                                          \
    F(clSetKernelArg)                                                                              \
    F(clWaitForEvents)

enum { BP_OPENCL_MAX_DEVICES = 16, BP_OPENCL_TEXT = 160 };

/* A device of some platform, as its driver describes it. */
struct bp_opencl_device {
    cl_platform_id platform;
    cl_device_id id;
    cl_device_type type;
    cl_uint vendor_id, units;
    cl_ulong memory, max_alloc; /* bytes */
    size_t max_group;           /* work-items */
    char key[32];               /* "gpu0": its type and number */
    char name[BP_OPENCL_TEXT];
    char version[BP_OPENCL_TEXT]; /* "OpenCL 3.0 ..." */
    char driver[BP_OPENCL_TEXT];  /* version of the driver, and the platform's name */
};

/* What there is: devices, or else why there are none. */
struct bp_opencl_listing {
    struct bp_opencl_device devices[BP_OPENCL_MAX_DEVICES];
    uint32_t n_devices; /* 0: `why` and `fix` say what is missing */
    bool is_passing;    /* a driver failed, and may not the next time */
    char why[512];
    char fix[160];
};

/* The loader and its devices; read-only once it is open. */
struct bp_opencl_library {
#define F(name) __typeof__(&(name)) name;
    BP_OPENCL_FUNCTIONS(F)
#undef F
    struct bp_opencl_listing listing;
    const char *failed; /* the first call that failed while devices were listed; or NULL */
    cl_int failed_with;
};

/*
 * Which devices there are, without opening a driver in this process, as drivers leave threads
 * behind: platform and id of the devices are not set. The same answer at every
 * call, unless there was no device as a driver failed: it is asked again then. [any thread]
 */
const struct bp_opencl_listing *bp_opencl_list(void);

/* Opens the loader and its drivers at the first call; the same answer later, as above. [any thread] */
const struct bp_opencl_library *bp_opencl_library(void);

/*
 * A failed call of OpenCL as a status: sets the words, OpenCL's number and name among them, and
 * native_code. [any thread]
 */
bp_rc bp_opencl_fail(bp_err *err, cl_int code, const char *fmt, ...) BP_PRINTF(3, 4);
/*
 * The same for clCreateBuffer of n bytes: also a driver that is out of resources then has too little
 * memory, and no device that is lost. [any thread]
 */
bp_rc bp_opencl_fail_alloc(bp_err *err, cl_int code, size_t n);
/* OpenCL's name of a status, "CL_OUT_OF_RESOURCES"; "an unknown status" otherwise. */
const char *bp_opencl_status_name(cl_int code);

#endif
