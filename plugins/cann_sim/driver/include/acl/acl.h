/* SPDX-License-Identifier: MIT */
/* acl.h - ACL as Backplane's simulated driver has it; see plugins/cann_sim/README.md. */
#ifndef BP_ACL_H
#define BP_ACL_H

#include <acl/acl_base.h>
#include <acl/acl_mdl.h>
#include <acl/acl_op.h>
#include <acl/acl_rt.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Once a process, before anything else: a second call counts and is ACL_ERROR_REPEAT_INITIALIZE.
 * `configPath` is a JSON file, NULL or "". The simulator also reads what BP_ASCEND_SIM names.
 */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);
/* Takes all down at once, however often aclInit() was called. */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);
/* Takes all down when it is called as often as aclInit(); says how many calls are left. */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);
/* The last failure of this thread, then NULL; valid until the thread's next call. */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif
