/* SPDX-License-Identifier: MIT */
/* orphans.c - nodes of a report that no provider takes and that the host cannot run either. */

#include "config.h"

#include "lib/orphans.h"

bool is_orphan_node(const bp_report_node *node)
{
    return node->provider == BP_NONE && node->group == BP_NONE;
}

uint32_t count_orphan_nodes(const bp_report *report)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node node = {.struct_size = sizeof node};

        n += bp_report_get_node(report, i, &node, NULL) >= 0 && is_orphan_node(&node);
    }
    return n;
}
