/* SPDX-License-Identifier: MIT */
/* memory.c - see memory.h. */

#include "base/memory.h"

static bool reserve(bp_instance *instance, size_t n)
{
    uint64_t used = atomic_load(&instance->used);

    do {
        if (instance->memory_limit > 0 &&
            (used > instance->memory_limit || n > instance->memory_limit - used))
            return false;
    } while (!atomic_compare_exchange_weak(&instance->used, &used, used + n));
    return true;
}

bp_rc bp_opencl_memory_count(bp_instance *instance, size_t n, bp_err *err)
{
    if (reserve(instance, n))
        return BP_OK;
    return bp_fail(err, BP_E_NOMEM,
                   "opencl: %zu bytes beside %llu are more than the option memory_limit=%llu", n,
                   (unsigned long long)atomic_load(&instance->used),
                   (unsigned long long)instance->memory_limit);
}

bp_rc bp_opencl_memory_alloc(bp_instance *instance, size_t n, cl_mem *out, bp_err *err)
{
    cl_int code = CL_SUCCESS;
    bp_rc rc;

    *out = NULL;
    if (n > instance->device->max_alloc)
        return bp_fail(err, BP_E_NOMEM,
                       "opencl: a buffer of %zu bytes, the device has at most %llu in one", n,
                       (unsigned long long)instance->device->max_alloc);
    rc = bp_opencl_memory_count(instance, n, err);
    if (rc < 0)
        return rc;
    *out = instance->cl->clCreateBuffer(instance->context, CL_MEM_READ_WRITE, n, NULL, &code);
    if (code == CL_SUCCESS)
        return BP_OK;
    *out = NULL;
    atomic_fetch_sub(&instance->used, n);
    return bp_opencl_fail_alloc(err, code, n);
}

void bp_opencl_memory_free(bp_instance *instance, cl_mem memory)
{
    size_t n = 0;

    if (!memory)
        return;
    if (instance->cl->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof n, &n, NULL) == CL_SUCCESS)
        atomic_fetch_sub(&instance->used, n);
    instance->cl->clReleaseMemObject(memory);
}
