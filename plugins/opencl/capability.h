/* SPDX-License-Identifier: MIT */
/* capability.h - which nodes the provider takes; see bp/abi.h. */
#ifndef BP_OPENCL_CAPABILITY_H
#define BP_OPENCL_CAPABILITY_H

#include <bp/sdk.h>

bp_rc bp_opencl_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                           bp_err *err);

#endif
