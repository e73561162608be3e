/* SPDX-License-Identifier: MIT */
/* plan.h - which calls fail, and counts of calls and objects; between loader.c and plan.c. */
#ifndef BP_TESTS_FAULT_PLAN_H
#define BP_TESTS_FAULT_PLAN_H

#include "fault_driver.h"

/* What the loader has: OpenCL 1.2 as far as the provider may use it. */
#define FAULT_CALLS(F)                                                                             \
    F(clBuildProgram)                                                                              \
    F(clCreateBuffer)                                                                              \
    F(clCreateCommandQueue)                                                                        \
    F(clCreateContext)                                                                             \
    F(clCreateKernel)                                                                              \
    F(clCreateProgramWithBinary)                                                                   \
    F(clCreateProgramWithSource)                                                                   \
    F(clCreateSubBuffer)                                                                           \
    F(clCreateUserEvent)                                                                           \
    F(clEnqueueBarrierWithWaitList)                                                                \
    F(clEnqueueCopyBuffer)                                                                         \
    F(clEnqueueFillBuffer)                                                                         \
    F(clEnqueueMapBuffer)                                                                          \
    F(clEnqueueMarkerWithWaitList)                                                                 \
    F(clEnqueueNDRangeKernel)                                                                      \
    F(clEnqueueReadBuffer)                                                                         \
    F(clEnqueueUnmapMemObject)                                                                     \
    F(clEnqueueWriteBuffer)                                                                        \
    F(clFinish)                                                                                    \
    F(clFlush)                                                                                     \
    F(clGetDeviceIDs)                                                                              \
    F(clGetDeviceInfo)                                                                             \
    F(clGetEventInfo)                                                                              \
    F(clGetEventProfilingInfo)                                                                     \
    F(clGetKernelWorkGroupInfo)                                                                    \
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
    F(clRetainEvent)                                                                               \
    F(clRetainKernel)                                                                              \
    F(clRetainMemObject)                                                                           \
    F(clSetEventCallback)                                                                          \
    F(clSetKernelArg)                                                                              \
    F(clSetUserEventStatus)                                                                        \
    F(clWaitForEvents)                                                                             \
    F(eventStatus) /* clGetEventInfo says that the command failed */

enum {
#define F(name) FAULT_##name,
    FAULT_CALLS(F)
#undef F
        FAULT_N_CALLS
};

/*
 * A call begins: the status that it has to fail with, or CL_SUCCESS. A failed build is remembered,
 * for its log.
 */
cl_int fault_begin(uint32_t call);
/* To be set around calls of the real loader. */
void fault_enter(void);
void fault_leave(void);
/* `n` objects more, or less. */
void fault_count(uint32_t kind, int n);
void fault_count_blocking(void);
/* Has the last build of this thread failed on purpose? */
bool fault_is_build_failed(void);

/* Work was put into a queue: when it is done, at the earliest. */
void fault_put_in(void);
bool fault_is_late(void);
void fault_wait_until_due(void);

#endif
