/* SPDX-License-Identifier: MIT */
/* policy.h - choosing providers for a session from the devices that there are. */
#ifndef BP_ORT_DEVICES_POLICY_H
#define BP_ORT_DEVICES_POLICY_H

#include "ort/slots.h"

/*
 * When the options have a policy and name no provider: a copy of them with the providers that the
 * policy chooses, for the caller to release. Else *out is NULL.
 */
OrtStatus *ort_policy_apply(const OrtSession *session, const OrtSessionOptions *options,
                            OrtSessionOptions **out);

#endif
