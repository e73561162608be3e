/* SPDX-License-Identifier: MIT */
/*
 * context.c - the checks that public functions begin with, and each thread's current context.
 *
 * ACL's rule: aclInit() once a process, then aclrtSetDevice() or aclrtSetCurrentContext() in each
 * thread, then everything else in that thread.
 */
#include "core/context.h"

#include "core/error.h"
#include "core/handle.h"
#include "core/state.h"

/*
 * The handle of the thread's context, not its address: it may have been destroyed since, by any
 * thread. The handle's serial number tells.
 */
static _Thread_local void *current;

aclError sim_need_init(void)
{
    if (sim_state.init_count == 0)
        return sim_violate(BP_ASCEND_NOT_INITIALIZED, ACL_ERROR_UNINITIALIZE,
                           "aclInit() was not called");
    return 0;
}

aclError sim_current(struct sim_context **out)
{
    aclError rc = sim_need_init();

    *out = NULL;
    if (rc)
        return rc;
    *out = sim_handle_get(SIM_CONTEXT, current);
    if (!*out)
        return sim_violate(BP_ASCEND_NO_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL,
                           "this thread has no context: aclrtSetDevice() comes first");
    return 0;
}

aclError sim_device_get(int32_t id, struct sim_device **out)
{
    aclError rc = sim_need_init();

    *out = NULL;
    if (rc)
        return rc;
    if (sim_state.config.device_count == 0)
        return sim_fail(ACL_ERROR_RT_NO_DEVICE, "there is no device");
    if (id < 0 || (uint32_t)id >= sim_state.config.device_count)
        return sim_fail(ACL_ERROR_RT_INVALID_DEVICEID, "device %d of %u", id,
                        sim_state.config.device_count);
    *out = &sim_state.devices[id];
    return 0;
}

aclError sim_context_get(const void *handle, struct sim_context **out)
{
    aclError rc = sim_need_init();

    *out = NULL;
    if (rc)
        return rc;
    if (!handle)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no context");
    *out = sim_handle_get(SIM_CONTEXT, handle);
    if (!*out)
        return sim_violate(BP_ASCEND_BAD_HANDLE, ACL_ERROR_RT_INVALID_HANDLE,
                           "%p is not a context, or was destroyed", handle);
    return 0;
}

struct sim_context *sim_current_or_null(void)
{
    return sim_handle_get(SIM_CONTEXT, current);
}

void sim_set_current(void *handle)
{
    current = handle;
}
