/* SPDX-License-Identifier: MIT */
/*
 * prefused.c - finds nodes that were fused too early for a provider. A model that was saved after
 * the extended level, here or by ONNX Runtime, has operators of com.microsoft in place of plain
 * ones; a provider that knows only plain ones gets the nodes in between.
 */

#include "config.h"

#include "plan/prefused.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

/* Operators that passes make from plain ones. */
static const char *const fused[] = {
    "Attention",
    "BiasGelu",
    "FastGelu",
    "FusedConv",
    "FusedGemm",
    "FusedMatMul",
    "Gelu",
    "MultiHeadAttention",
    "QuickGelu",
    "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization",
};

/*
 * Was the node fused before this session? Nodes that its own passes made don't count: they replace
 * others only where the provider takes the new node.
 */
static bool is_fused(const bp_report_node *node)
{
    if (node->stands_for || strcmp(node->domain, "com.microsoft") != 0)
        return false;
    for (size_t i = 0; i < sizeof fused / sizeof fused[0]; i++) {
        if (strcmp(node->op, fused[i]) == 0)
            return true;
    }
    return false;
}

static bool was_refused(const bp_report *report, uint32_t node, uint32_t n_refusals,
                        uint32_t provider)
{
    for (uint32_t i = 0; i < n_refusals; i++) {
        bp_report_refusal row = {.struct_size = sizeof row};

        if (bp_report_get_refusal(report, node, i, &row, NULL) >= 0 && row.provider == provider)
            return true;
    }
    return false;
}

/* Is the node the provider's? false for BP_NONE. */
static bool runs(const bp_report *report, uint32_t node, uint32_t provider)
{
    bp_report_node row = {.struct_size = sizeof row};

    return node != UINT32_MAX && bp_report_get_node(report, node, &row, NULL) >= 0 &&
           row.provider == provider;
}

/* Counts node `beside`, which is next to a node of the provider, once. */
static void look(const bp_report *report, uint32_t beside, uint32_t provider, bool *seen,
                 struct bp_prefused *out)
{
    bp_report_node row = {.struct_size = sizeof row};

    if (beside == UINT32_MAX || seen[beside] ||
        bp_report_get_node(report, beside, &row, NULL) < 0 || !is_fused(&row) ||
        !was_refused(report, beside, row.n_refusals, provider))
        return;
    seen[beside] = true;
    if (out->n_nodes++ == 0)
        out->op = row.op;
}

bp_rc bp_report_find_prefused(const bp_report *report, uint32_t provider, struct bp_prefused *out,
                              bp_err *err)
{
    bool *seen = calloc((size_t)bp_report_node_count(report) + 1, sizeof *seen);
    uint32_t from, to;

    *out = (struct bp_prefused){.n_nodes = 0};
    if (!seen)
        return bp_fail_nomem(err, "the report");
    for (uint32_t i = 0; bp_report_edge(report, i, &from, &to); i++) {
        if (runs(report, from, provider))
            look(report, to, provider, seen, out);
        if (runs(report, to, provider))
            look(report, from, provider, seen, out);
    }
    free(seen);
    return BP_OK;
}
