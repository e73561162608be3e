/* SPDX-License-Identifier: MIT */
/* claims.h - one provider's answers about every node of a graph. */
#ifndef BP_PLAN_CLAIMS_H
#define BP_PLAN_CLAIMS_H

#include "plan/partition.h"

/*
 * Asks one provider about a view of the whole graph; *out: one verdict a node of the view's ir,
 * from region. What the host runs (by facts, one a value) is refused in its name. On failure every
 * verdict is BP_NO and the error is the provider's.
 */
bp_rc bp_claims_ask(const struct bp_asked *asked, const struct bp_graph_view *view,
                    const struct bp_fact *facts, struct bp_region *region, struct bp_verdict **out,
                    bp_err *err) BP_CHECKED;

#endif
