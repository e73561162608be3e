/* SPDX-License-Identifier: MIT */
/* placement.c - prints which provider runs what, and why the others do not. */
#include "placement.h"

#include <stdio.h>

#include "example.h"

bool example_print_providers(const bp_report *report)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);

    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, &err) < 0)
            return example_fail("%s", text);
        if (row.code < 0)
            printf("%s: not in use, stopped at %s: %s%s%s\n", row.name, bp_stage_name(row.stage),
                   row.reason ? row.reason : bp_rc_name(row.code), row.fix ? "; " : "",
                   row.fix ? row.fix : "");
        else
            printf("%s: runs %u of %u nodes in %u group%s\n", row.name, row.n_nodes,
                   bp_report_node_count(report), row.n_groups, row.n_groups == 1 ? "" : "s");
    }
    return true;
}

/* Says why the providers that come before the one that has node i did not get it. */
static bool print_refusals(const bp_report *report, uint32_t i, uint32_t n_refusals)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);

    for (uint32_t j = 0; j < n_refusals; j++) {
        bp_report_refusal refusal = {.struct_size = sizeof refusal};
        bp_report_provider provider = {.struct_size = sizeof provider};

        if (bp_report_get_refusal(report, i, j, &refusal, &err) < 0 ||
            bp_report_get_provider(report, refusal.provider, &provider, &err) < 0)
            return example_fail("%s", text);
        printf("    not %s: %s%s%s%s%s\n", provider.name, bp_reason_name(refusal.reason),
               refusal.subject ? " " : "", refusal.subject ? refusal.subject : "",
               refusal.text ? ": " : "", refusal.text ? refusal.text : "");
    }
    return true;
}

bool example_print_placement(const bp_report *report)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);

    printf("%-16s %-16s %-12s %s\n", "node", "operator", "provider", "group");
    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node node = {.struct_size = sizeof node};
        bp_report_provider provider = {.struct_size = sizeof provider, .name = "host"};

        if (bp_report_get_node(report, i, &node, &err) < 0 ||
            (node.provider != BP_NONE &&
             bp_report_get_provider(report, node.provider, &provider, &err) < 0))
            return example_fail("%s", text);
        printf("%-16s %-16s %-12s ", node.name, node.op, provider.name);
        if (node.group == BP_NONE)
            puts("-");
        else
            printf("%u\n", node.group);
        if (!print_refusals(report, i, node.n_refusals))
            return false;
    }
    return true;
}
