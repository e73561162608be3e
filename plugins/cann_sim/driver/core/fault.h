/* SPDX-License-Identifier: MIT */
/* fault.h - injected faults: the calls that bp_ascend_fault() and the configuration let fail. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include <acl/acl_base.h>

/*
 * To be asked once by each call of a kind (BP_ASCEND_AT_MALLOC...): 0, or the code that this call
 * is to fail with, for which sim_fail() has been called. Any thread, with the lock or without.
 */
aclError sim_fault(uint32_t point);
/*
 * Reads "malloc after 3 times 1 code 207001" and the like, the value of the configuration's key
 * `fault`; sets the fault if `apply`. ACL_ERROR_INVALID_PARAM, without a sentence.
 */
aclError sim_fault_parse(const char *words, bool apply);

#endif
