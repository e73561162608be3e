/* SPDX-License-Identifier: MIT */
/* policy.h - selects providers for a session from the available devices. */
#ifndef BP_ORT_DEVICES_POLICY_H
#define BP_ORT_DEVICES_POLICY_H

#include "ort/slots.h"

/*
 * If the options have a policy and name no provider: a copy of them with the selected providers, for the
 * caller to release. Else *out is NULL. ORT_FAIL: the delegate failed.
 */
OrtStatus *ort_policy_apply(const OrtSession *session, const OrtSessionOptions *options,
                            OrtSessionOptions **out);

#endif
