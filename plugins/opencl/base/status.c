/* SPDX-License-Identifier: MIT */
/* status.c - OpenCL's statuses: their names, and which of the host's they are; see library.h. */

#include "base/library.h"

#define STATUSES(S)                                                                                \
    S(CL_DEVICE_NOT_FOUND)                                                                         \
    S(CL_DEVICE_NOT_AVAILABLE)                                                                     \
    S(CL_COMPILER_NOT_AVAILABLE)                                                                   \
    S(CL_MEM_OBJECT_ALLOCATION_FAILURE)                                                            \
    S(CL_OUT_OF_RESOURCES)                                                                         \
    S(CL_OUT_OF_HOST_MEMORY)                                                                       \
    S(CL_PROFILING_INFO_NOT_AVAILABLE)                                                             \
    S(CL_MEM_COPY_OVERLAP)                                                                         \
    S(CL_BUILD_PROGRAM_FAILURE)                                                                    \
    S(CL_MISALIGNED_SUB_BUFFER_OFFSET)                                                             \
    S(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)                                                \
    S(CL_INVALID_VALUE)                                                                            \
    S(CL_INVALID_DEVICE)                                                                           \
    S(CL_INVALID_CONTEXT)                                                                          \
    S(CL_INVALID_COMMAND_QUEUE)                                                                    \
    S(CL_INVALID_MEM_OBJECT)                                                                       \
    S(CL_INVALID_BINARY)                                                                           \
    S(CL_INVALID_BUILD_OPTIONS)                                                                    \
    S(CL_INVALID_PROGRAM)                                                                          \
    S(CL_INVALID_PROGRAM_EXECUTABLE)                                                               \
    S(CL_INVALID_KERNEL_NAME)                                                                      \
    S(CL_INVALID_KERNEL)                                                                           \
    S(CL_INVALID_ARG_INDEX)                                                                        \
    S(CL_INVALID_ARG_VALUE)                                                                        \
    S(CL_INVALID_ARG_SIZE)                                                                         \
    S(CL_INVALID_KERNEL_ARGS)                                                                      \
    S(CL_INVALID_WORK_DIMENSION)                                                                   \
    S(CL_INVALID_WORK_GROUP_SIZE)                                                                  \
    S(CL_INVALID_WORK_ITEM_SIZE)                                                                   \
    S(CL_INVALID_EVENT_WAIT_LIST)                                                                  \
    S(CL_INVALID_EVENT)                                                                            \
    S(CL_INVALID_OPERATION)                                                                        \
    S(CL_INVALID_BUFFER_SIZE)                                                                      \
    S(CL_INVALID_GLOBAL_WORK_SIZE)

const char *bp_opencl_status_name(cl_int code)
{
    switch (code) {
#define S(name)                                                                                    \
    case name:                                                                                     \
        return #name;
        STATUSES(S)
#undef S
    default:
        return "an unknown status";
    }
}

/* A driver that is out of resources has most often lost its device, or has too little memory. */
static bp_rc rc_of(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
        return BP_E_NOMEM;
    case CL_OUT_OF_RESOURCES:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
        return BP_E_DEVICE_LOST;
    case CL_DEVICE_NOT_FOUND:
    case CL_COMPILER_NOT_AVAILABLE:
        return BP_E_UNAVAILABLE;
    case CL_INVALID_BUILD_OPTIONS:
        return BP_E_OPTION;
    default:
        return BP_E_INTERNAL;
    }
}

static bp_rc fail_with(bp_err *err, bp_rc rc, cl_int code, const char *what)
{
    bp_fail(err, rc, "opencl: %s failed with %s (%d)", what, bp_opencl_status_name(code),
            (int)code);
    if (err)
        err->native_code = code;
    return rc;
}

bp_rc bp_opencl_fail(bp_err *err, cl_int code, const char *fmt, ...)
{
    char what[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return fail_with(err, rc_of(code), code, what);
}

bp_rc bp_opencl_fail_alloc(bp_err *err, cl_int code, size_t n)
{
    char what[64];

    snprintf(what, sizeof what, "clCreateBuffer of %zu bytes", n);
    return fail_with(err, code == CL_OUT_OF_RESOURCES ? BP_E_NOMEM : rc_of(code), code, what);
}
