/* SPDX-License-Identifier: MIT */
/*
 * reassign.c - finds groups that would be slower where they are, counting copies; see reassign.h.
 */

#include "config.h"

#include "plan/reassign.h"

#include <stdlib.h>

/* A copy between host and device: latency and rate. */
#define COPY_NS 10000.0
#define COPY_BYTES_PER_NS 8.0

/* Costs of one group, in the row of its first node. Times are in nanoseconds. */
struct group_cost {
    double there, launch, copies; /* with its provider */
    double here;                  /* with the next takers */
    bool is_known, is_unknown;    /* of some of its nodes, of any */
    const char *text;
};

struct work {
    struct bp_partition *part;
    const uint32_t *roots;
    struct group_cost *costs; /* one for each node */
    uint32_t *seen;           /* one for each value: 1 + the root of the group that read it last */
    struct bp_region *region;
};

/* Returns the first provider after p that takes the node, or BP_NONE. */
static uint32_t next_taker(const struct bp_partition *part, uint32_t p, uint32_t node)
{
    for (uint32_t q = p + 1; q < part->n_asked; q++) {
        if (part->verdicts[q][node].verdict != BP_NO)
            return q;
    }
    return BP_NONE;
}

/*
 * Adds a node to its group's cost on both sides. The next taker has to compute on the host, else
 * its copies would count, too.
 */
static void add_node(const struct work *w, uint32_t n, struct group_cost *cost)
{
    const struct bp_partition *part = w->part;
    uint32_t p = part->provider_of[n], q = next_taker(part, p, n);
    const struct bp_verdict *own = &part->verdicts[p][n], *other;
    double here;

    if (!own->has_cost || part->rule_of[n] || q == BP_NONE || part->has_memory[q]) {
        cost->is_unknown = true;
        return;
    }
    other = &part->verdicts[q][n];
    here =
        other->has_cost ? other->run_ns + other->launch_ns : bp_host_ns(part->ir, part->facts, n);
    cost->is_known = true;
    cost->is_unknown |= here < 0;
    cost->here += here;
    cost->there += own->run_ns;
    cost->launch = own->launch_ns > cost->launch ? own->launch_ns : cost->launch;
}

/* Returns the time of a copy, with roughly the latency and rate of PCIe. */
static void add_copy(const struct work *w, uint32_t value, struct group_cost *cost)
{
    double bytes = bp_fact_bytes(&w->part->facts[value]);

    cost->is_unknown |= bytes < 0;
    cost->copies += COPY_NS + bytes / COPY_BYTES_PER_NS;
}

/* Is a node where node n is, so that it can read the other's output without a copy? */
static bool is_beside(const struct bp_partition *part, uint32_t n, uint32_t other)
{
    return part->provider_of[n] == part->provider_of[other] &&
           part->stage_of[n] == part->stage_of[other] &&
           bp_device_of(part, n) == bp_device_of(part, other);
}

static bool is_read_elsewhere(const struct bp_partition *part, uint32_t n, uint32_t value)
{
    if (part->ir->values[value].flags & BP_IR_OUTPUT)
        return true;
    for (uint32_t i = part->uses.first[value]; i < part->uses.first[value + 1]; i++) {
        if (!is_beside(part, n, part->uses.nodes[i]))
            return true;
    }
    return false;
}

/* Adds values that come from elsewhere, once for each group, and those that others read. */
static void add_copies(const struct work *w, uint32_t n, struct group_cost *cost)
{
    const struct bp_partition *part = w->part;
    const struct bp_ir_node *node = &part->ir->nodes[n];

    for (uint32_t i = 0; i < node->n_in; i++) {
        uint32_t value = node->in[i], producer;

        if (value == BP_NONE || part->ir->values[value].flags & BP_IR_CONSTANT)
            continue;
        producer = part->ir->values[value].producer;
        if ((producer != BP_NONE && is_beside(part, n, producer)) ||
            w->seen[value] == w->roots[n] + 1)
            continue;
        w->seen[value] = w->roots[n] + 1;
        add_copy(w, value, cost);
    }
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] != BP_NONE && is_read_elsewhere(part, n, node->out[i]))
            add_copy(w, node->out[i], cost);
    }
}

/* A group stays where it is if one of its nodes' costs is unknown. */
static void estimate_all(const struct work *w)
{
    const struct bp_partition *part = w->part;

    for (uint32_t n = 0; n < part->ir->n_nodes; n++) {
        struct group_cost *cost = &w->costs[w->roots[n]];
        uint32_t p = part->provider_of[n];

        if (p >= BP_BY_NONE || cost->is_unknown)
            continue;
        add_node(w, n, cost);
        if (!cost->is_unknown && part->has_memory[p])
            add_copies(w, n, cost);
    }
}

/* Refuses the groups that are not worth their copies, each node with its group's reason. */
static bp_rc refuse(const struct work *w, bool *changed, bp_err *err)
{
    const struct bp_partition *part = w->part;

    for (uint32_t n = 0; n < part->ir->n_nodes; n++) {
        struct group_cost *cost = &w->costs[w->roots[n]];
        double there = cost->there + cost->launch + cost->copies;
        struct bp_verdict *verdict;

        if (!cost->is_known || cost->is_unknown || there <= cost->here)
            continue;
        if (!cost->text)
            cost->text = bp_region_printf(
                w->region,
                "its group would take %.1f us, with %.1f us of copies, and %.1f us elsewhere",
                there / 1000, cost->copies / 1000, cost->here / 1000);
        if (!cost->text)
            return bp_fail_nomem(err, "the groups");
        verdict = &part->verdicts[part->provider_of[n]][n];
        *verdict = (struct bp_verdict){.verdict = BP_NO,
                                       .reason = BP_R_NOT_PROFITABLE,
                                       .together = verdict->together,
                                       .text = cost->text,
                                       .is_costly = true};
        *changed = true;
    }
    return BP_OK;
}

/* Most providers report no costs. */
static bool has_costs(const struct bp_partition *part)
{
    for (uint32_t n = 0; n < part->ir->n_nodes; n++) {
        uint32_t p = part->provider_of[n];

        if (p < BP_BY_NONE && part->verdicts[p][n].has_cost)
            return true;
    }
    return false;
}

bp_rc bp_reassign_costly(struct bp_partition *part, const uint32_t *roots, struct bp_region *region,
                         bool *changed, bp_err *err)
{
    struct work w = {.part = part, .roots = roots, .region = region};
    bp_rc rc;

    *changed = false;
    if (!has_costs(part))
        return BP_OK;
    w.costs = calloc((size_t)part->ir->n_nodes + 1, sizeof *w.costs);
    w.seen = calloc((size_t)part->ir->n_values + 1, sizeof *w.seen);
    if (w.costs && w.seen) {
        estimate_all(&w);
        rc = refuse(&w, changed, err);
    } else {
        rc = bp_fail_nomem(err, "the groups");
    }
    free(w.costs);
    free(w.seen);
    return rc;
}
