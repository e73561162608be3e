/* SPDX-License-Identifier: MIT */
/*
 * placement_rules.c - session.disable_cpu_ep_fallback: fails if a node is assigned to the CPU
 * provider without having been asked for.
 */

#include "config.h"

#include <string.h>

#include "ort/session/session.h"
#include "ort/status.h"

/* ORT_FAIL names the first such node. Custom operators run on the CPU, too. */
static OrtStatus *check_fallback(const bp_report *report)
{
    uint32_t n = bp_report_node_count(report);

    for (uint32_t i = 0; i < n; i++) {
        bp_report_node node = {.struct_size = sizeof node};
        bp_report_provider provider = {.struct_size = sizeof provider};

        if (bp_report_get_node(report, i, &node, NULL) < 0 || node.provider == BP_NONE ||
            bp_report_get_provider(report, node.provider, &provider, NULL) < 0)
            continue;
        if (strcmp(provider.name, "cpu") == 0 || strcmp(provider.name, "custom") == 0)
            return ort_fail(ORT_FAIL,
                            "This session contains graph nodes that are assigned to the default "
                            "CPU EP, but fallback to CPU EP has been explicitly disabled by the "
                            "user: %s (%s)",
                            node.name, node.op);
    }
    return NULL;
}

/* ORT_INVALID_ARGUMENT: CPU is appended explicitly and fallback is disabled. */
OrtStatus *ort_rules_check(const bp_report *report, const OrtSessionOptions *options)
{
    if (!ort_keys_is_on(&options->config, "session.disable_cpu_ep_fallback"))
        return NULL;
    if (options->cpu_is_named)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Conflicting session configuration: explicitly added the CPU EP to the "
                        "session, but also disabled fallback to the CPU EP via session "
                        "configuration options.");
    return check_fallback(report);
}
