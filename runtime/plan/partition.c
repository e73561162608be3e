/* SPDX-License-Identifier: MIT */
/*
 * partition.c - stages, then claims, then groups.
 *
 * Groups come from levels: a node's level is the largest of its producers' levels, one more where
 * the provider or the stage changes. A path that leaves a provider and comes back therefore ends at
 * a higher level than it began, so nodes of one provider, stage and level that are connected are
 * convex, and (stage, level) is an order in which groups can run. All of it is linear in the nodes
 * but for a sort.
 */

#include "config.h"

#include "plan/partition.h"

#include <stdlib.h>
#include <string.h>

#include "plan/claims.h"
#include "plan/placing.h"

struct work {
    const struct bp_ir *ir;
    const struct bp_fact *facts;
    const struct bp_symbols *symbols;
    struct bp_region *region;
    struct bp_view_source views;
    struct bp_partition *out;
    uint32_t *level;  /* one a node */
    uint32_t *parent; /* union-find over nodes */
};

/* ---- stages ---------------------------------------------------------------------------------- */

/*
 * Does a size of `value` come only when its producer runs? Else it is exact as soon as the
 * producer's stage is planned, even if nothing is known of it now: all that the stage reads is
 * exact then.
 */
static bool is_late(const struct work *w, uint32_t value)
{
    const struct bp_ir_node *node = &w->ir->nodes[w->ir->values[value].producer];

    if (w->facts[value].kind != BP_KIND_TENSOR)
        return false; /* it has no size */
    return (node->n_bodies > 0 || !node->schema || node->schema->sizes_from_data) &&
           bp_fact_needs_data(&w->facts[value], w->symbols);
}

/* Does the shape rule of the node look at elements of this input, which nobody can foretell? */
static bool reads_unknown(const struct bp_ir_node *node, uint32_t input, const struct bp_fact *fact)
{
    const struct bp_param *param = node->schema ? bp_schema_in(node->schema, input) : NULL;

    return param && (param->flags & BP_PARAM_CONTENT) && !fact->content && !fact->reals;
}

/* Must the producer of input `value` have run before the node can be planned? */
static bool is_barrier(const struct work *w, const struct bp_ir_node *node, uint32_t input,
                       uint32_t value)
{
    return is_late(w, value) || (input != BP_NONE && reads_unknown(node, input, &w->facts[value]));
}

static uint32_t stage_behind(const struct work *w, const struct bp_ir_node *node, uint32_t input,
                             uint32_t value)
{
    uint32_t producer = w->ir->values[value].producer;

    if (producer == BP_NONE)
        return 0;
    return w->out->stage_of[producer] + (is_barrier(w, node, input, value) ? 1 : 0);
}

static void set_stages(struct work *w)
{
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        const struct bp_ir_node *node = &w->ir->nodes[n];
        uint32_t stage = 0;

        for (uint32_t i = 0; i < node->n_in; i++) {
            uint32_t s = node->in[i] == BP_NONE ? 0 : stage_behind(w, node, i, node->in[i]);

            stage = s > stage ? s : stage;
        }
        for (uint32_t i = 0; i < node->n_implicit; i++) {
            uint32_t s = stage_behind(w, node, BP_NONE, node->implicit[i]);

            stage = s > stage ? s : stage;
        }
        w->out->stage_of[n] = stage;
        if (stage + 1 > w->out->n_stages)
            w->out->n_stages = stage + 1;
    }
}

/* ---- claims ---------------------------------------------------------------------------------- */

static uint32_t first_taker(const struct work *w, uint32_t node)
{
    if (bp_node_is_hosted(&w->ir->nodes[node], w->facts))
        return BP_BY_HOST;
    for (uint32_t p = 0; p < w->out->n_asked; p++) {
        if (w->out->verdicts[p][node].verdict != BP_NO)
            return p;
    }
    return BP_BY_NOBODY;
}

static bp_rc ask_all(struct work *w, const struct bp_asked *asked,
                     const struct bp_placing *placing, struct bp_ask_failure *failed, bp_err *err)
{
    uint32_t *all = bp_region_array(w->region, w->ir->n_nodes, sizeof *all);
    struct bp_view *view = bp_region_alloc(w->region, sizeof *view);
    bp_rc rc;

    if (!all || !view)
        return bp_fail_nomem(err, "the partition");
    for (uint32_t n = 0; n < w->ir->n_nodes; n++)
        all[n] = n;
    rc = bp_view_build(&w->views, all, w->ir->n_nodes, view, err);
    if (rc < 0)
        return rc;
    for (uint32_t p = 0; p < w->out->n_asked; p++) {
        char text[512];
        bp_err own = bp_err_init(text, sizeof text);

        rc = bp_claims_ask(&asked[p], view, w->facts, w->region, &w->out->verdicts[p], &own);
        if (!w->out->verdicts[p])
            return bp_fail_nomem(err, "the partition");
        failed[p].rc = rc;
        failed[p].text = rc < 0 ? bp_region_string(w->region, text) : NULL;
    }
    for (uint32_t n = 0; placing && n < w->ir->n_nodes; n++) {
        if (!bp_node_is_hosted(&w->ir->nodes[n], w->facts))
            bp_placing_apply(placing, asked, w->out, n);
    }
    for (uint32_t n = 0; n < w->ir->n_nodes; n++)
        w->out->provider_of[n] = first_taker(w, n);
    return BP_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Nodes that are grouped alone: control flow, and what nobody takes. */
static bool is_single(const struct work *w, uint32_t node)
{
    return w->out->provider_of[node] >= BP_BY_NOBODY;
}

static bool same_kind(const struct work *w, uint32_t a, uint32_t b)
{
    return w->out->provider_of[a] == w->out->provider_of[b] && !is_single(w, a) &&
           w->out->stage_of[a] == w->out->stage_of[b];
}

static uint32_t find(struct work *w, uint32_t node)
{
    while (w->parent[node] != node) {
        w->parent[node] = w->parent[w->parent[node]];
        node = w->parent[node];
    }
    return node;
}

/* Calls visit for each producer of what the node reads. */
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

static void connect(struct work *w)
{
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        w->level[n] = 0;
        w->parent[n] = n;
        each_producer(w, n, raise_level);
        each_producer(w, n, join);
    }
}

/* Hands nodes that are wanted only in company to the next provider. True: something changed. */
static bool hand_back(struct work *w, bool *has_yes)
{
    bool changed = false;

    memset(has_yes, 0, w->ir->n_nodes * sizeof *has_yes);
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        uint32_t p = w->out->provider_of[n];

        if (p < BP_BY_NOBODY && w->out->verdicts[p][n].verdict == BP_YES)
            has_yes[find(w, n)] = true;
    }
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        uint32_t p = w->out->provider_of[n];

        if (p >= BP_BY_NOBODY || has_yes[find(w, n)])
            continue;
        w->out->verdicts[p][n] = (struct bp_verdict){
            BP_NO, BP_R_NOT_PROFITABLE, NULL, "worth taking only beside a node that it also takes"};
        w->out->provider_of[n] = first_taker(w, n);
        changed = true;
    }
    return changed;
}

/* A group's place: by stage, then level, then first node. */
struct place {
    uint32_t stage, level, root;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;

    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return (x->root > y->root) - (x->root < y->root);
}

static void fill_groups(struct work *w, const struct place *places)
{
    struct bp_partition *out = w->out;

    for (uint32_t g = 0; g < out->n_groups; g++) {
        uint32_t root = places[g].root;

        out->groups[g].provider = out->provider_of[root];
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

static bp_rc make_groups(struct work *w, bp_err *err)
{
    struct place *places = bp_region_array(w->region, w->ir->n_nodes, sizeof *places);
    bool *has_yes = bp_region_array(w->region, w->ir->n_nodes, sizeof *has_yes);
    uint32_t n_groups = 0;

    if (!places || !has_yes)
        return bp_fail_nomem(err, "the groups");
    do {
        connect(w);
    } while (hand_back(w, has_yes));
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        if (find(w, n) == n)
            places[n_groups++] = (struct place){w->out->stage_of[n], w->level[n], n};
    }
    qsort(places, n_groups, sizeof *places, by_place);
    w->out->n_groups = n_groups;
    w->out->groups = bp_region_array(w->region, n_groups, sizeof *w->out->groups);
    if (!w->out->groups)
        return bp_fail_nomem(err, "the groups");
    fill_groups(w, places);
    return list_nodes(w, err);
}

static bp_rc make_views(struct work *w, bp_err *err)
{
    for (uint32_t g = 0; g < w->out->n_groups; g++) {
        struct bp_group *group = &w->out->groups[g];
        bp_rc rc;

        group->view = bp_region_alloc(w->region, sizeof *group->view);
        if (!group->view)
            return bp_fail_nomem(err, "the groups");
        rc = bp_view_build(&w->views, group->nodes, group->n_nodes, group->view, err);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

static bp_rc reserve(struct work *w, bp_err *err)
{
    size_t n = w->ir->n_nodes;

    w->level = bp_region_array(w->region, n, sizeof *w->level);
    w->parent = bp_region_array(w->region, n, sizeof *w->parent);
    w->out->group_of = bp_region_array(w->region, n, sizeof *w->out->group_of);
    w->out->provider_of = bp_region_array(w->region, n, sizeof *w->out->provider_of);
    w->out->stage_of = bp_region_array(w->region, n, sizeof *w->out->stage_of);
    w->out->rule_of = bp_region_array(w->region, n, sizeof(char *));
    w->out->has_memory = bp_region_array(w->region, w->out->n_asked, sizeof *w->out->has_memory);
    w->out->verdicts = bp_region_array(w->region, w->out->n_asked, sizeof *w->out->verdicts);
    if (!w->level || !w->parent || !w->out->group_of || !w->out->provider_of || !w->out->stage_of ||
        !w->out->rule_of || !w->out->verdicts || !w->out->has_memory)
        return bp_fail_nomem(err, "the partition");
    return BP_OK;
}

bp_rc bp_partition_create(const struct bp_ir *ir, const struct bp_fact *facts,
                          const struct bp_symbols *symbols, const struct bp_asked *asked,
                          uint32_t n_asked, struct bp_region *region, struct bp_partition *out,
                          struct bp_ask_failure *failed, bp_err *err)
{
    return bp_partition_create_placed(ir, facts, symbols, asked, n_asked, NULL, region, out, failed,
                                      err);
}

bp_rc bp_partition_create_placed(const struct bp_ir *ir, const struct bp_fact *facts,
                                 const struct bp_symbols *symbols, const struct bp_asked *asked,
                                 uint32_t n_asked, const struct bp_placing *placing,
                                 struct bp_region *region, struct bp_partition *out,
                                 struct bp_ask_failure *failed, bp_err *err)
{
    struct work w = {.ir = ir, .facts = facts, .symbols = symbols, .region = region, .out = out};
    bp_rc rc;

    *out = (struct bp_partition){.ir = ir, .n_asked = n_asked};
    rc = reserve(&w, err);
    if (rc >= 0)
        rc = bp_uses_build(ir, region, &out->uses, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < n_asked; i++)
        out->has_memory[i] = asked[i].provider->dev != NULL;
    w.views = (struct bp_view_source){
        .ir = ir, .uses = &out->uses, .facts = facts, .symbols = symbols, .region = region};
    rc = bp_view_source_init(&w.views, err);
    if (rc < 0)
        return rc;
    set_stages(&w);
    rc = ask_all(&w, asked, placing, failed, err);
    if (rc >= 0)
        rc = make_groups(&w, err);
    if (rc >= 0)
        rc = make_views(&w, err);
    bp_view_source_finish(&w.views);
    return rc;
}
