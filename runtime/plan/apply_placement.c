/* SPDX-License-Identifier: MIT */
/* apply_placement.c - applies placement rules to a partition. */

#include "config.h"

#include "plan/apply_placement.h"

#include "host/options/provider_names.h"

/* Returns the provider that a rule names, or n_asked: it is not in the session. */
static uint32_t named_by(const struct bp_asked *asked, uint32_t n_asked,
                         const struct bp_placement_rule *rule)
{
    uint32_t p = 0;

    while (p < n_asked && !bp_provider_names_equal(asked[p].name, rule->provider))
        p++;
    return p;
}

/* Makes an answer a refusal by the rule. A refusal by the provider itself stays. */
static void overrule(struct bp_partition *out, uint32_t p, uint32_t n,
                     const struct bp_placement_rule *rule, const char *text)
{
    struct bp_verdict *verdict = &out->verdicts[p][n];

    out->rule_of[n] = rule->text;
    if (verdict->verdict != BP_NO) /* the provider's own reason tells more */
        *verdict = (struct bp_verdict){.verdict = BP_NO,
                                       .reason = BP_R_OPTION,
                                       .together = verdict->together,
                                       .subject = rule->text,
                                       .text = text};
}

void bp_placement_apply(const struct bp_placement *placement, const struct bp_asked *asked,
                        struct bp_partition *out, uint32_t n)
{
    bool is_placed = false;

    if (out->ir->nodes[n].is_made) /* rules apply to the model's nodes */
        return;
    for (uint32_t r = 0; r < placement->rules->count; r++) {
        const struct bp_placement_rule *rule = &placement->rules->rules[r];
        uint32_t p;

        if (!bp_placement_rule_matches(rule, &out->ir->nodes[n], placement->path))
            continue;
        placement->has_matched[r] = true;
        p = named_by(asked, out->n_asked, rule);
        if (p == out->n_asked || (is_placed && !rule->is_ban))
            continue;
        if (rule->is_ban) {
            overrule(out, p, n, rule, "a placement rule keeps the node away from it");
            continue;
        }
        is_placed = true;
        out->rule_of[n] = rule->text;
        while (p > 0)
            overrule(out, --p, n, rule, "a placement rule sends the node to another provider");
    }
}

/* ---- before passes --------------------------------------------------------------------------- */

/*
 * Does a rule for one of these providers match the node? Rules for other providers are marked as
 * matched here, because no partition will look at them.
 */
static bool is_spoken_of(const struct bp_placement *placement, const struct bp_asked *asked,
                         uint32_t n_asked, const struct bp_ir_node *node)
{
    bool found = false;

    for (uint32_t r = 0; r < placement->rules->count; r++) {
        const struct bp_placement_rule *rule = &placement->rules->rules[r];

        if (!bp_placement_rule_matches(rule, node, placement->path))
            continue;
        if (named_by(asked, n_asked, rule) < n_asked)
            found = true;
        else
            placement->has_matched[r] = true;
    }
    return found;
}

/* At most BP_MAX_SUBGRAPH_DEPTH deep. */
static bp_rc pin(const struct bp_placement *placement, const struct bp_asked *asked,
                 uint32_t n_asked, struct bp_ir *ir, bool *any, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < ir->n_nodes; n++) {
        struct bp_ir_node *node = &ir->nodes[n];
        struct bp_placement inner = *placement;

        node->is_pinned = is_spoken_of(placement, asked, n_asked, node);
        if (node->n_subgraphs > 0)
            inner.path = bp_region_printf(ir->region, "%s%s%s", placement->path,
                                          placement->path[0] ? "/" : "", node->name);
        if (!inner.path)
            rc = bp_fail_nomem(err, "the placement rules");
        for (uint32_t b = 0; rc >= 0 && b < node->n_subgraphs; b++)
            rc = pin(&inner, asked, n_asked, node->subgraphs[b], &node->is_pinned, err);
        *any |= node->is_pinned;
    }
    return rc;
}

/* Walks the graph only if there are rules. */
bp_rc bp_placement_pin(const struct bp_placement *placement, const struct bp_asked *asked,
                       uint32_t n_asked, struct bp_ir *ir, bp_err *err)
{
    bool any = false;

    return placement->rules->count > 0 ? pin(placement, asked, n_asked, ir, &any, err) : BP_OK;
}
