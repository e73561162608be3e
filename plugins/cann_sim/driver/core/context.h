/* SPDX-License-Identifier: MIT */
/*
 * context.h - whether ACL is initialised, which devices there are, and which context a thread is
 * in. What a public function checks first.
 */
#ifndef SIM_CONTEXT_H
#define SIM_CONTEXT_H

#include <stdint.h>

#include <acl/acl_base.h>

struct sim_context;
struct sim_device;

/* 0, or ACL_ERROR_UNINITIALIZE. [locked] */
aclError sim_need_init(void);
/* As sim_need_init(), and ACL_ERROR_RT_NO_DEVICE, ACL_ERROR_RT_INVALID_DEVICEID. [locked] */
aclError sim_device_get(int32_t id, struct sim_device **out);
/*
 * The context of a handle. As sim_need_init(), and ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_INVALID_HANDLE for one that was destroyed or never made. [locked]
 */
aclError sim_context_get(const void *handle, struct sim_context **out);

/* The calling thread's context. As sim_need_init(), and ACL_ERROR_RT_CONTEXT_NULL. [locked] */
aclError sim_current(struct sim_context **out);
/* The same without a failure: NULL when the thread has none. [locked] */
struct sim_context *sim_current_or_null(void);
/* The thread is in that context until it takes another, even when it has been destroyed. */
void sim_set_current(void *handle);

#endif
