/* SPDX-License-Identifier: MIT */
/*
 * groups.c - nodes become groups.
 *
 * Groups come from levels: a node's level is the largest of its producers' levels, one more where
 * the provider, its device or the stage changes. A path that leaves a provider and comes back therefore ends at
 * a higher level than it began, so nodes of one provider, stage and level that are connected are
 * convex, and (stage, level) is an order in which groups can run. That level is the lowest; a group
 * that no other needs before a later one of its own kind waits for that and becomes part of it. One
 * that reads constants alone (weights that are dequantised) runs right before its first reader. In
 * subgraphs of nodes, groups of one provider, stage and level are one even where nothing connects
 * them. All of it is linear in the nodes but for a sort.
 */

#include "config.h"

#include "plan/groups.h"

#include <stdlib.h>
#include <string.h>

#include "plan/reassign.h"
#include "plan/together.h"

/* How far a group may be delayed. */
struct wait {
    uint32_t limit; /* the highest level that its readers allow */
    uint32_t own;   /* the lowest level of readers of its own kind */
    uint32_t level; /* the group that it becomes part of */
    bool is_fed;    /* reads a value that a run brings in, or that another group makes */
};

struct work {
    const struct bp_ir *ir;
    struct bp_region *region;
    struct bp_partition *out;
    uint32_t *level;    /* one for each node */
    uint32_t *parent;   /* union-find over nodes */
    struct wait *waits; /* one for each node: counts of the first node of each group */
    uint32_t *by_level; /* nodes; scratch */
};

/* ---- connecting ------------------------------------------------------------------------------ */

/* Is the node a group of its own? Control flow is, and a node that no provider takes. */
static bool is_single(const struct work *w, uint32_t node)
{
    return w->out->provider_of[node] >= BP_BY_NONE;
}

/* May the two nodes be in one group? A compiled program is a group of its own. */
static bool same_kind(const struct work *w, uint32_t a, uint32_t b)
{
    return w->out->provider_of[a] == w->out->provider_of[b] && !is_single(w, a) &&
           !bp_node_is_context(&w->ir->nodes[a]) && !bp_node_is_context(&w->ir->nodes[b]) &&
           w->out->stage_of[a] == w->out->stage_of[b] &&
           bp_device_of(w->out, a) == bp_device_of(w->out, b);
}

/* Returns the first node of a node's group, with path halving. */
static uint32_t find(struct work *w, uint32_t node)
{
    while (w->parent[node] != node) {
        w->parent[node] = w->parent[w->parent[node]];
        node = w->parent[node];
    }
    return node;
}

/* Calls `visit` for each producer of the node's inputs. */
static void each_producer(struct work *w, uint32_t n,
                          void (*visit)(struct work *w, uint32_t node, uint32_t producer))
{
    const struct bp_ir_node *node = &w->ir->nodes[n];

    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] != BP_NONE && w->ir->values[node->in[i]].producer != BP_NONE)
            visit(w, n, w->ir->values[node->in[i]].producer);
    }
    for (uint32_t i = 0; i < node->n_implicit; i++) {
        if (w->ir->values[node->implicit[i]].producer != BP_NONE)
            visit(w, n, w->ir->values[node->implicit[i]].producer);
    }
}

/* Returns the lowest level that a node may have after this producer. */
static void raise_level(struct work *w, uint32_t node, uint32_t producer)
{
    uint32_t level = w->level[producer] + (same_kind(w, node, producer) ? 0 : 1);

    if (level > w->level[node])
        w->level[node] = level;
}

static void join(struct work *w, uint32_t node, uint32_t producer)
{
    uint32_t a = find(w, node);
    uint32_t b = find(w, producer);

    if (!same_kind(w, node, producer) || w->level[node] != w->level[producer])
        return;
    if (a < b)
        w->parent[b] = a; /* the root is the first node of its group */
    else
        w->parent[a] = b;
}

/*
 * Sets levels. Nodes are in running order, so the levels of producers are final when a node needs
 * them.
 */
static void connect(struct work *w)
{
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        w->level[n] = 0;
        w->parent[n] = n;
        each_producer(w, n, raise_level);
        each_producer(w, n, join);
    }
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Sorts by level: counts the nodes of each level, then puts those of higher levels first. */
static bp_rc sort_by_level(struct work *w, bp_err *err)
{
    uint32_t n_nodes = w->ir->n_nodes, next = 0;
    uint32_t *count = calloc((size_t)n_nodes + 1, sizeof *count); /* a level is below n_nodes */

    if (!count)
        return bp_fail_nomem(err, "the groups");
    for (uint32_t n = 0; n < n_nodes; n++)
        count[w->level[n]]++;
    for (uint32_t level = n_nodes; level-- > 0;) {
        uint32_t first = next;

        next += count[level];
        count[level] = first;
    }
    for (uint32_t n = 0; n < n_nodes; n++)
        w->by_level[count[w->level[n]]++] = n;
    free(count);
    return BP_OK;
}

/*
 * Limits the delay of a producer's group: it must run before the group of this node, whose level is
 * final.
 */
static void limit(struct work *w, uint32_t node, uint32_t producer)
{
    uint32_t root = find(w, producer), reader = find(w, node);
    uint32_t level = w->waits[reader].level;
    struct wait *wait = &w->waits[root];
    bool is_own = same_kind(w, node, producer);
    uint32_t most = is_own ? level : level - 1;

    if (root == reader)
        return;
    wait->limit = most < wait->limit ? most : wait->limit;
    if (is_own && level < wait->own)
        wait->own = level;
}

/*
 * Delays groups until a later one of their kind. From the highest level down: all readers of a
 * group are in higher ones, so their limits are known when its level is visited.
 */
static bp_rc delay(struct work *w, bp_err *err)
{
    uint32_t n_nodes = w->ir->n_nodes, end;
    bp_rc rc = sort_by_level(w, err);

    for (uint32_t n = 0; n < n_nodes && rc >= 0; n++)
        w->waits[n] = (struct wait){.limit = BP_NONE, .own = BP_NONE, .level = w->level[n]};
    for (uint32_t at = 0; at < n_nodes && rc >= 0; at = end) {
        uint32_t level = w->level[w->by_level[at]];

        for (end = at; end < n_nodes && w->level[w->by_level[end]] == level; end++) {
            struct wait *wait = &w->waits[find(w, w->by_level[end])];

            if (wait->own != BP_NONE && wait->own == wait->limit)
                wait->level = wait->own;
        }
        for (uint32_t i = at; i < end; i++)
            each_producer(w, w->by_level[i], limit);
    }
    if (rc < 0)
        return rc;
    for (uint32_t n = 0; n < n_nodes; n++)
        w->level[n] = w->waits[find(w, n)].level;
    for (uint32_t n = 0; n < n_nodes; n++)
        each_producer(w, n, join);
    return BP_OK;
}

/* ---- handing back ---------------------------------------------------------------------------- */

/*
 * Returns the first provider of the list that takes the node; the host for control flow without
 * one.
 */
static uint32_t first_taker(const struct work *w, uint32_t node)
{
    for (uint32_t p = 0; p < w->out->n_asked; p++) {
        if (w->out->verdicts[p][node].verdict != BP_NO)
            return p;
    }
    return w->out->ir->nodes[node].n_subgraphs > 0 ? BP_BY_HOST : BP_BY_NONE;
}

/*
 * Gives nodes that are wanted only beside others, and are alone, to the next provider. True:
 * something changed.
 */
static bool hand_back(struct work *w, bool *has_yes)
{
    bool changed = false;

    memset(has_yes, 0, w->ir->n_nodes * sizeof *has_yes);
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        uint32_t p = w->out->provider_of[n];

        if (p < BP_BY_NONE && w->out->verdicts[p][n].verdict == BP_YES)
            has_yes[find(w, n)] = true;
    }
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        uint32_t p = w->out->provider_of[n];

        if (p >= BP_BY_NONE || has_yes[find(w, n)])
            continue;
        w->out->verdicts[p][n] =
            (struct bp_verdict){.verdict = BP_NO,
                                .reason = BP_R_NOT_PROFITABLE,
                                .together = w->out->verdicts[p][n].together,
                                .text = "worth taking only beside a node that it also takes"};
        w->out->provider_of[n] = first_taker(w, n);
        changed = true;
    }
    return changed;
}

/* Gives divided sets, and then groups that are not worth their copies, to the next provider. */
static bp_rc reassign(struct work *w, bool *changed, bp_err *err)
{
    uint32_t *roots = w->by_level; /* its output has no reader any more */
    bp_rc rc;

    for (uint32_t n = 0; n < w->ir->n_nodes; n++)
        roots[n] = find(w, n);
    rc = bp_refuse_divided(w->out, roots, changed, err);
    if (rc >= 0 && !*changed)
        rc = bp_reassign_costly(w->out, roots, w->region, changed, err);
    for (uint32_t n = 0; rc >= 0 && *changed && n < w->ir->n_nodes; n++) {
        uint32_t p = w->out->provider_of[n];

        if (p < BP_BY_NONE && w->out->verdicts[p][n].verdict == BP_NO)
            w->out->provider_of[n] = first_taker(w, n);
    }
    return rc;
}

/* ---- postponing ------------------------------------------------------------------------------ */

/*
 * Does the node read a value from outside its group, other than constants? For control flow the
 * answer is yes.
 */
static bool is_fed(struct work *w, uint32_t n)
{
    const struct bp_ir_node *node = &w->ir->nodes[n];

    for (uint32_t i = 0; i < node->n_in + node->n_implicit; i++) {
        uint32_t v = i < node->n_in ? node->in[i] : node->implicit[i - node->n_in];
        const struct bp_ir_value *value = v == BP_NONE ? NULL : &w->ir->values[v];

        if (!value || value->flags & BP_IR_CONSTANT)
            continue;
        if (value->producer == BP_NONE || find(w, value->producer) != find(w, n))
            return true;
    }
    return is_single(w, n);
}

static void note_reader(struct work *w, uint32_t node, uint32_t producer)
{
    struct wait *wait = &w->waits[find(w, producer)];

    if (w->out->stage_of[node] == w->out->stage_of[producer] &&
        find(w, node) != find(w, producer) && w->level[node] < wait->limit)
        wait->limit = w->level[node];
}

/*
 * Delays groups that read constants only until the level before that of their first reader: what
 * they make is large as a rule, and would else be in memory from the beginning of a run. Other
 * groups stay, because a device may be at work while others are. `level` of a group's wait is the
 * level at which it runs.
 */
static void postpone(struct work *w)
{
    uint32_t n_nodes = w->ir->n_nodes;

    for (uint32_t n = 0; n < n_nodes; n++)
        w->waits[n] = (struct wait){.limit = BP_NONE, .level = w->level[n]};
    for (uint32_t n = 0; n < n_nodes; n++) {
        each_producer(w, n, note_reader);
        w->waits[find(w, n)].is_fed |= is_fed(w, n);
    }
    for (uint32_t n = 0; n < n_nodes; n++) {
        struct wait *wait = &w->waits[n];

        if (!wait->is_fed && wait->limit != BP_NONE && wait->limit > wait->level)
            wait->level = wait->limit - 1;
    }
}

/* ---- unordered groups ------------------------------------------------------------------------ */

/* Sorts groups by stage, then level, then first node. */
struct group_key {
    uint32_t stage, level, root;
};

static int by_key(const void *a, const void *b)
{
    const struct group_key *x = a;
    const struct group_key *y = b;

    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return (x->root > y->root) - (x->root < y->root);
}

/*
 * In the subgraph of a Loop, Scan or If, groups of a provider between which there is no order
 * become one: the host calls a provider, and prepares it for new sizes, once an iteration and level
 * and not once for each chain of nodes. Those of devices stay apart, so that a group can be at work
 * there while the next is made ready; and in the main graph the values that a group needs would be
 * in memory for longer.
 */
static void join_unordered(struct work *w, const struct group_key *keys, uint32_t n_keys)
{
    for (uint32_t k = 1; k < n_keys; k++) {
        uint32_t root = keys[k].root;

        for (uint32_t before = k; before-- > 0;) {
            uint32_t other = keys[before].root;

            if (keys[before].stage != keys[k].stage || keys[before].level != keys[k].level)
                break;
            if (same_kind(w, root, other) && !w->out->has_memory[w->out->provider_of[root]]) {
                w->parent[root] = find(w, other); /* the lower node: keys are sorted by it */
                break;
            }
        }
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void fill_groups(struct work *w, const struct group_key *keys)
{
    struct bp_partition *out = w->out;

    for (uint32_t g = 0; g < out->n_groups; g++) {
        uint32_t root = keys[g].root;

        out->groups[g].provider = out->provider_of[root];
        out->groups[g].device = bp_device_of(out, root);
        out->groups[g].stage = out->stage_of[root];
        out->group_of[root] = g;
    }
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        out->group_of[n] = out->group_of[find(w, n)];
        out->groups[out->group_of[n]].n_nodes++;
    }
}

static bp_rc list_nodes(struct work *w, bp_err *err)
{
    struct bp_partition *out = w->out;
    uint32_t *all = bp_region_array(w->region, w->ir->n_nodes, sizeof *all);

    if (!all)
        return bp_fail_nomem(err, "the groups");
    for (uint32_t g = 0; g < out->n_groups; g++) {
        out->groups[g].nodes = all;
        all += out->groups[g].n_nodes;
        out->groups[g].n_nodes = 0;
    }
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        struct bp_group *group = &out->groups[out->group_of[n]];

        group->nodes[group->n_nodes++] = n;
    }
    return BP_OK;
}

/* Lists the first nodes of all groups in running order; returns their number. */
static uint32_t sort_groups(struct work *w, struct group_key *keys)
{
    uint32_t n_groups = 0;

    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        if (find(w, n) == n)
            keys[n_groups++] = (struct group_key){w->out->stage_of[n], w->waits[n].level, n};
    }
    qsort(keys, n_groups, sizeof *keys, by_key);
    return n_groups;
}

static bp_rc list_groups(struct work *w, bp_err *err)
{
    struct group_key *keys = bp_region_array(w->region, w->ir->n_nodes, sizeof *keys);
    uint32_t n_groups;

    if (!keys)
        return bp_fail_nomem(err, "the groups");
    postpone(w);
    n_groups = sort_groups(w, keys);
    if (w->ir->parent) {
        join_unordered(w, keys, n_groups);
        n_groups = sort_groups(w, keys);
    }
    w->out->n_groups = n_groups;
    w->out->groups = bp_region_array(w->region, n_groups, sizeof *w->out->groups);
    if (!w->out->groups)
        return bp_fail_nomem(err, "the groups");
    fill_groups(w, keys);
    return list_nodes(w, err);
}

bp_rc bp_groups_make(struct bp_partition *part, struct bp_region *region, bp_err *err)
{
    struct work w = {.ir = part->ir, .region = region, .out = part};
    size_t n = part->ir->n_nodes;
    bool *has_yes = bp_region_array(region, n, sizeof *has_yes);
    bool changed;
    bp_rc rc;

    w.level = bp_region_array(region, n, sizeof *w.level);
    w.parent = bp_region_array(region, n, sizeof *w.parent);
    w.waits = bp_region_array(region, n, sizeof *w.waits);
    w.by_level = bp_region_array(region, n, sizeof *w.by_level);
    if (!has_yes || !w.level || !w.parent || !w.waits || !w.by_level)
        return bp_fail_nomem(err, "the groups");
    do {
        connect(&w);
        rc = delay(&w, err);
        changed = rc >= 0 && hand_back(&w, has_yes);
        if (rc >= 0 && !changed)
            rc = reassign(&w, &changed, err);
        if (rc < 0)
            return rc;
    } while (changed);
    return list_groups(&w, err);
}
