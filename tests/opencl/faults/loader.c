/* SPDX-License-Identifier: MIT */
/* loader.c - the functions of OpenCL: each asks the plan, then the real loader. */

#define _GNU_SOURCE /* dladdr, dlinfo */

#include "plan.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SEEN __attribute__((visibility("default")))

/* ---- the real loader ------------------------------------------------------------------------- */

static void *real;

static void *open_at(const char *folder, const struct stat *own)
{
    char path[1024];
    struct stat info;

    snprintf(path, sizeof path, "%s/libOpenCL.so.1", folder);
    if (stat(path, &info) < 0 || (info.st_dev == own->st_dev && info.st_ino == own->st_ino))
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* In the folders where the dynamic loader looks; by path, as the name is ours here. */
static void open_real(void)
{
    Dl_serinfo size, *folders;
    struct stat own;
    Dl_info info;
    void *self;

    if (!dladdr(__extension__(void *) open_real, &info) || stat(info.dli_fname, &own) < 0)
        abort();
    self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (!self || dlinfo(self, RTLD_DI_SERINFOSIZE, &size) < 0)
        abort();
    folders = malloc(size.dls_size);
    if (!folders)
        abort();
    *folders = size;
    if (dlinfo(self, RTLD_DI_SERINFO, folders) < 0)
        abort();
    for (unsigned i = 0; i < folders->dls_cnt && !real; i++)
        real = open_at(folders->dls_serpath[i].dls_name, &own);
    free(folders);
    dlclose(self);
}

static void find_real(const char *name, void *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    void *symbol;

    pthread_once(&once, open_real);
    symbol = real ? dlsym(real, name) : NULL;
    if (!symbol) {
        fprintf(stderr, "fault driver: there is no OpenCL loader with %s\n", name);
        abort();
    }
    memcpy(out, &symbol, sizeof symbol);
}

/* The real function `name`, looked up once a call site. */
#define REAL(name)                                                                                 \
    static __typeof__(&(name)) real_##name;                                                        \
                                                                                                   \
    fault_enter();                                                                                 \
    if (!real_##name)                                                                              \
    find_real(#name, &real_##name)

/* ---- calls that give a status ---------------------------------------------------------------- */

#define CALL(name, params, args)                                                                   \
    SEEN cl_int CL_API_CALL name params                                                            \
    {                                                                                              \
        cl_int code = fault_begin(FAULT_##name);                                                   \
        REAL(name);                                                                                \
        if (code == CL_SUCCESS)                                                                    \
            code = real_##name args;                                                               \
        fault_leave();                                                                             \
        return code;                                                                               \
    }

CALL(clGetDeviceIDs, (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *c),
     (p, t, n, d, c))
CALL(clGetDeviceInfo, (cl_device_id d, cl_device_info i, size_t n, void *v, size_t *s),
     (d, i, n, v, s))
CALL(clGetEventProfilingInfo, (cl_event e, cl_profiling_info i, size_t n, void *v, size_t *s),
     (e, i, n, v, s))
CALL(clGetKernelWorkGroupInfo,
     (cl_kernel k, cl_device_id d, cl_kernel_work_group_info i, size_t n, void *v, size_t *s),
     (k, d, i, n, v, s))
CALL(clGetMemObjectInfo, (cl_mem m, cl_mem_info i, size_t n, void *v, size_t *s), (m, i, n, v, s))
CALL(clGetPlatformIDs, (cl_uint n, cl_platform_id *p, cl_uint *c), (n, p, c))
CALL(clGetPlatformInfo, (cl_platform_id p, cl_platform_info i, size_t n, void *v, size_t *s),
     (p, i, n, v, s))
CALL(clGetProgramInfo, (cl_program p, cl_program_info i, size_t n, void *v, size_t *s),
     (p, i, n, v, s))
CALL(clSetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void *v), (k, i, n, v))
CALL(clSetEventCallback,
     (cl_event e, cl_int on, void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *u),
     (e, on, fn, u))
CALL(clSetUserEventStatus, (cl_event e, cl_int s), (e, s))
CALL(clBuildProgram,
     (cl_program p, cl_uint n, const cl_device_id *d, const char *o,
      void(CL_CALLBACK *fn)(cl_program, void *), void *u),
     (p, n, d, o, fn, u))

SEEN cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    cl_int code = fault_begin(FAULT_clFlush);
    REAL(clFlush);
    if (code == CL_SUCCESS)
        code = real_clFlush(queue);
    fault_put_in();
    fault_leave();
    return code;
}

/* A build that failed on purpose has a log, of two sizes as a real one. */
SEEN cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                              cl_program_build_info what, size_t size, void *value,
                                              size_t *used)
{
    cl_int code = fault_begin(FAULT_clGetProgramBuildInfo);
    REAL(clGetProgramBuildInfo);
    if (code == CL_SUCCESS && fault_is_build_failed() && what == CL_PROGRAM_BUILD_LOG) {
        if (used)
            *used = sizeof FAULT_BUILD_LOG;
        if (value && size < sizeof FAULT_BUILD_LOG)
            code = CL_INVALID_VALUE;
        else if (value)
            memcpy(value, FAULT_BUILD_LOG, sizeof FAULT_BUILD_LOG);
    } else if (code == CL_SUCCESS) {
        code = real_clGetProgramBuildInfo(program, device, what, size, value, used);
    }
    fault_leave();
    return code;
}

/* ---- objects --------------------------------------------------------------------------------- */

#define CREATE(type, name, kind, params, args)                                                     \
    SEEN type CL_API_CALL name params                                                              \
    {                                                                                              \
        type made = NULL;                                                                          \
                                                                                                   \
        *out = fault_begin(FAULT_##name);                                                          \
        REAL(name);                                                                                \
        if (*out == CL_SUCCESS)                                                                    \
            made = real_##name args;                                                               \
        fault_count(kind, made != NULL);                                                           \
        fault_leave();                                                                             \
        return made;                                                                               \
    }

CREATE(cl_context, clCreateContext, FAULT_CONTEXTS,
       (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
        void(CL_CALLBACK *fn)(const char *, const void *, size_t, void *), void *u, cl_int *out),
       (p, n, d, fn, u, out))
CREATE(cl_command_queue, clCreateCommandQueue, FAULT_QUEUES,
       (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *out), (c, d, p, out))
CREATE(cl_mem, clCreateBuffer, FAULT_BUFFERS,
       (cl_context c, cl_mem_flags f, size_t n, void *h, cl_int *out), (c, f, n, h, out))
CREATE(cl_mem, clCreateSubBuffer, FAULT_BUFFERS,
       (cl_mem m, cl_mem_flags f, cl_buffer_create_type t, const void *i, cl_int *out),
       (m, f, t, i, out))
CREATE(cl_program, clCreateProgramWithSource, FAULT_PROGRAMS,
       (cl_context c, cl_uint n, const char **t, const size_t *s, cl_int *out), (c, n, t, s, out))
CREATE(cl_program, clCreateProgramWithBinary, FAULT_PROGRAMS,
       (cl_context c, cl_uint n, const cl_device_id *d, const size_t *s, const unsigned char **b,
        cl_int *status, cl_int *out),
       (c, n, d, s, b, status, out))
CREATE(cl_kernel, clCreateKernel, FAULT_KERNELS, (cl_program p, const char *name, cl_int *out),
       (p, name, out))
CREATE(cl_event, clCreateUserEvent, FAULT_EVENTS, (cl_context c, cl_int *out), (c, out))

/* An object is gone whatever its release says. */
#define RELEASE(name, type, kind, n)                                                               \
    SEEN cl_int CL_API_CALL name(type object)                                                      \
    {                                                                                              \
        cl_int code = fault_begin(FAULT_##name), own;                                              \
        REAL(name);                                                                                \
        own = real_##name(object);                                                                 \
        fault_count(kind, own == CL_SUCCESS ? (n) : 0);                                            \
        fault_leave();                                                                             \
        return code != CL_SUCCESS ? code : own;                                                    \
    }

RELEASE(clReleaseCommandQueue, cl_command_queue, FAULT_QUEUES, -1)
RELEASE(clReleaseContext, cl_context, FAULT_CONTEXTS, -1)
RELEASE(clReleaseEvent, cl_event, FAULT_EVENTS, -1)
RELEASE(clReleaseKernel, cl_kernel, FAULT_KERNELS, -1)
RELEASE(clReleaseMemObject, cl_mem, FAULT_BUFFERS, -1)
RELEASE(clReleaseProgram, cl_program, FAULT_PROGRAMS, -1)

#define RETAIN(name, type, kind)                                                                   \
    SEEN cl_int CL_API_CALL name(type object)                                                      \
    {                                                                                              \
        cl_int code = fault_begin(FAULT_##name);                                                   \
        REAL(name);                                                                                \
        if (code == CL_SUCCESS)                                                                    \
            code = real_##name(object);                                                            \
        fault_count(kind, code == CL_SUCCESS);                                                     \
        fault_leave();                                                                             \
        return code;                                                                               \
    }

RETAIN(clRetainEvent, cl_event, FAULT_EVENTS)
RETAIN(clRetainKernel, cl_kernel, FAULT_KERNELS)
RETAIN(clRetainMemObject, cl_mem, FAULT_BUFFERS)

/* ---- queues ---------------------------------------------------------------------------------- */

/* What is put into a queue, or is not; `e` is where the caller wants its event. */
#define ENQUEUE(name, waits, params, args)                                                         \
    SEEN cl_int CL_API_CALL name params                                                            \
    {                                                                                              \
        cl_int code = fault_begin(FAULT_##name);                                                   \
        REAL(name);                                                                                \
        if (code == CL_SUCCESS)                                                                    \
            code = real_##name args;                                                               \
        fault_count(FAULT_EVENTS, code == CL_SUCCESS && e);                                        \
        fault_put_in();                                                                            \
        if (waits)                                                                                 \
            fault_count_blocking();                                                                \
        fault_leave();                                                                             \
        return code;                                                                               \
    }

ENQUEUE(clEnqueueBarrierWithWaitList, false,
        (cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e), (q, n, w, e))
ENQUEUE(clEnqueueMarkerWithWaitList, false,
        (cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e), (q, n, w, e))
ENQUEUE(clEnqueueCopyBuffer, false,
        (cl_command_queue q, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t size,
         cl_uint n, const cl_event *w, cl_event *e),
        (q, from, to, from_at, to_at, size, n, w, e))
ENQUEUE(clEnqueueFillBuffer, false,
        (cl_command_queue q, cl_mem m, const void *p, size_t ps, size_t at, size_t size, cl_uint n,
         const cl_event *w, cl_event *e),
        (q, m, p, ps, at, size, n, w, e))
ENQUEUE(clEnqueueNDRangeKernel, false,
        (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,
         const size_t *l, cl_uint n, const cl_event *w, cl_event *e),
        (q, k, d, o, g, l, n, w, e))
ENQUEUE(clEnqueueReadBuffer, waits,
        (cl_command_queue q, cl_mem m, cl_bool waits, size_t at, size_t size, void *p, cl_uint n,
         const cl_event *w, cl_event *e),
        (q, m, waits, at, size, p, n, w, e))
ENQUEUE(clEnqueueWriteBuffer, waits,
        (cl_command_queue q, cl_mem m, cl_bool waits, size_t at, size_t size, const void *p,
         cl_uint n, const cl_event *w, cl_event *e),
        (q, m, waits, at, size, p, n, w, e))
ENQUEUE(clEnqueueUnmapMemObject, false,
        (cl_command_queue q, cl_mem m, void *p, cl_uint n, const cl_event *w, cl_event *e),
        (q, m, p, n, w, e))

SEEN void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool waits,
                                          cl_map_flags f, size_t at, size_t size, cl_uint n,
                                          const cl_event *w, cl_event *e, cl_int *out)
{
    void *mapped = NULL;

    *out = fault_begin(FAULT_clEnqueueMapBuffer);
    REAL(clEnqueueMapBuffer);
    if (*out == CL_SUCCESS)
        mapped = real_clEnqueueMapBuffer(q, m, waits, f, at, size, n, w, e, out);
    fault_count(FAULT_EVENTS, *out == CL_SUCCESS && e);
    if (waits)
        fault_count_blocking();
    fault_leave();
    return mapped;
}

/* ---- waits: a device that fails is done with the memory too ---------------------------------- */

SEEN cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    cl_int code = fault_begin(FAULT_clFinish), own;
    REAL(clFinish);
    fault_count_blocking();
    fault_wait_until_due();
    own = real_clFinish(queue);
    fault_leave();
    return code != CL_SUCCESS ? code : own;
}

SEEN cl_int CL_API_CALL clWaitForEvents(cl_uint n, const cl_event *events)
{
    cl_int code = fault_begin(FAULT_clWaitForEvents), own;
    REAL(clWaitForEvents);
    fault_count_blocking();
    fault_wait_until_due();
    own = real_clWaitForEvents(n, events);
    fault_leave();
    return code != CL_SUCCESS ? code : own;
}

/* Whether a command is done: not while it is late, and not well where that is to fail. */
static void change_status(cl_int *status)
{
    cl_int code;

    if (fault_is_late()) {
        *status = CL_RUNNING;
        return;
    }
    code = *status == CL_COMPLETE ? fault_begin(FAULT_eventStatus) : CL_SUCCESS;
    if (code != CL_SUCCESS)
        *status = code;
}

SEEN cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value,
                                       size_t *used)
{
    cl_int code = fault_begin(FAULT_clGetEventInfo);
    REAL(clGetEventInfo);
    if (code == CL_SUCCESS)
        code = real_clGetEventInfo(event, what, size, value, used);
    if (code == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && value)
        change_status(value);
    fault_leave();
    return code;
}
