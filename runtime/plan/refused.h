/* SPDX-License-Identifier: MIT */
/*
 * refused.h - nodes that a provider claimed and gave back afterwards: it refused to compile their
 * group, or to prepare it for some sizes. When providers are asked again, they count as refused.
 */
#ifndef BP_PLAN_REFUSED_H
#define BP_PLAN_REFUSED_H

#include "base/region.h"
#include "base/status.h"
#include "base/strmap.h"
#include "graph/ir.h"

struct bp_refused_node {
    const char *name; /* of the node in the model */
    const char *text; /* why, in the provider's words */
};

/* One provider's. Start from {0}. [one thread] */
struct bp_refused {
    struct bp_refused_node *rows;
    uint32_t count, cap;
    struct bp_strmap by_name; /* index in rows */
    struct bp_region region;
};

/* Adds a name with its reason, both copied; *is_new false: it was there. BP_E_NOMEM. */
bp_rc bp_refused_add_name(struct bp_refused *refused, const char *name, const char *text,
                          bool *is_new, bp_err *err) BP_CHECKED;
/*
 * Adds a node, and the model's nodes that it was fused from: passes must not fuse them for that
 * provider again. BP_E_NOMEM.
 */
bp_rc bp_refused_add(struct bp_refused *refused, const struct bp_ir_node *node, const char *text,
                     bool *is_new, bp_err *err) BP_CHECKED;
/* Why the node was given back, or NULL: it was not. refused may be NULL. */
const char *bp_refused_find(const struct bp_refused *refused, const struct bp_ir_node *node);
void bp_refused_finish(struct bp_refused *refused); /* {0} is fine */

#endif
