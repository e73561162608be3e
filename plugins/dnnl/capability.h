/* SPDX-License-Identifier: MIT */
/* capability.h - which nodes of a graph the provider takes (bp_provider.capability). */
#ifndef BP_DNNL_CAPABILITY_H
#define BP_DNNL_CAPABILITY_H

#include <bp/sdk.h>

/*
 * Answers for each node of the graph: yes, only in a group with others, or a refusal with its
 * reason. Never fails.
 */
bp_rc bp_dnnl_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                         bp_err *err);

#endif
