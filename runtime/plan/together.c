/* SPDX-License-Identifier: MIT */
/* together.c - sets of nodes that a provider takes as a whole; see together.h. */

#include "config.h"

#include "plan/together.h"

#include <stdlib.h>

/* A node with a set's number, of one provider. */
struct member {
    uint32_t number, node;
};

static int by_number(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Lists the nodes to which the provider gave a number, including those that it has lost. */
static uint32_t list_members(const struct bp_partition *part, uint32_t p, struct member *out)
{
    uint32_t n_members = 0;

    for (uint32_t n = 0; n < part->ir->n_nodes; n++) {
        if (part->verdicts[p][n].together != 0)
            out[n_members++] = (struct member){part->verdicts[p][n].together, n};
    }
    qsort(out, n_members, sizeof *out, by_number);
    return n_members;
}

static bool is_whole(const struct bp_partition *part, uint32_t p, const uint32_t *roots,
                     const struct member *set, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (part->provider_of[set[i].node] != p || roots[set[i].node] != roots[set[0].node])
            return false;
    }
    return true;
}

/* A refused node keeps its number, so that the others of its set notice that it is missing. */
static void refuse(struct bp_partition *part, uint32_t p, const struct member *set, uint32_t n,
                   bool *changed)
{
    for (uint32_t i = 0; i < n; i++) {
        struct bp_verdict *verdict = &part->verdicts[p][set[i].node];

        if (verdict->verdict == BP_NO)
            continue;
        *verdict = (struct bp_verdict){
            .verdict = BP_NO,
            .reason = BP_R_OTHER,
            .together = set[i].number,
            .text = "it takes the node together with others only, which are not in one group"};
        *changed = true;
    }
}

/* Most providers give no numbers. */
static bool has_sets(const struct bp_partition *part)
{
    for (uint32_t p = 0; p < part->n_asked; p++) {
        for (uint32_t n = 0; n < part->ir->n_nodes; n++) {
            if (part->verdicts[p][n].together != 0)
                return true;
        }
    }
    return false;
}

bp_rc bp_refuse_divided(struct bp_partition *part, const uint32_t *roots, bool *changed,
                        bp_err *err)
{
    struct member *members;

    *changed = false;
    if (!has_sets(part))
        return BP_OK;
    members = calloc((size_t)part->ir->n_nodes + 1, sizeof *members);
    if (!members)
        return bp_fail_nomem(err, "the groups");
    for (uint32_t p = 0; p < part->n_asked; p++) {
        uint32_t n_members = list_members(part, p, members), end;

        for (uint32_t at = 0; at < n_members; at = end) {
            for (end = at; end < n_members && members[end].number == members[at].number;)
                end++;
            if (!is_whole(part, p, roots, &members[at], end - at))
                refuse(part, p, &members[at], end - at, changed);
        }
    }
    free(members);
    return BP_OK;
}
