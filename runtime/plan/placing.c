/* SPDX-License-Identifier: MIT */
/* placing.c - placement rules at work on a partition. */

#include "config.h"

#include "plan/placing.h"

#include "host/names.h"

/* The provider that a rule names, or n_asked: it is not here. */
static uint32_t named_by(const struct bp_partition *out, const struct bp_asked *asked,
                         const struct bp_place_rule *rule)
{
    uint32_t p = 0;

    while (p < out->n_asked && !bp_names_equal(asked[p].name, rule->provider))
        p++;
    return p;
}

static void overrule(struct bp_partition *out, uint32_t p, uint32_t n,
                     const struct bp_place_rule *rule, const char *text)
{
    struct bp_verdict *verdict = &out->verdicts[p][n];

    out->rule_of[n] = rule->text;
    if (verdict->verdict != BP_NO) /* its own reason is the better one */
        *verdict = (struct bp_verdict){BP_NO, BP_R_OPTION, rule->text, text};
}

void bp_placing_apply(const struct bp_placing *placing, const struct bp_asked *asked,
                      struct bp_partition *out, uint32_t n)
{
    bool is_placed = false;

    for (uint32_t r = 0; r < placing->rules->count; r++) {
        const struct bp_place_rule *rule = &placing->rules->rules[r];
        uint32_t p;

        if (!bp_place_matches(rule, &out->ir->nodes[n], placing->path))
            continue;
        placing->has_matched[r] = true;
        p = named_by(out, asked, rule);
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
