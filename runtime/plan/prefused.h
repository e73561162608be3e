/* SPDX-License-Identifier: MIT */
/* prefused.h - nodes that were fused before the model came here, so that they split groups. */
#ifndef BP_PLAN_PREFUSED_H
#define BP_PLAN_PREFUSED_H

#include <backplane.h>

/* Fused nodes beside those of a provider that it refused. */
struct bp_prefused {
    uint32_t n_nodes;
    const char *op; /* of the first, of com.microsoft; the report's */
};

/* Looks for them around the nodes of provider row `provider`; BP_E_NOMEM. */
bp_rc bp_report_find_prefused(const bp_report *report, uint32_t provider, struct bp_prefused *out,
                              bp_err *err) BP_CHECKED;

#endif
