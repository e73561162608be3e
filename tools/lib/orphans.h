/* SPDX-License-Identifier: MIT */
/* orphans.h - nodes of a report that no provider takes and that the host cannot run either. */
#ifndef BP_TOOLS_ORPHANS_H
#define BP_TOOLS_ORPHANS_H

#include <backplane.h>
#include <stdbool.h>

/* Has the node no provider, so that the model cannot run? (The host's own nodes have a group.) */
bool is_orphan_node(const bp_report_node *node);
uint32_t count_orphan_nodes(const bp_report *report);

#endif
