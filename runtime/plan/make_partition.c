/* SPDX-License-Identifier: MIT */
/* make_partition.c - makes a partition: stages, then claims, then groups (groups.c). */

#include "config.h"

#include "plan/make_partition.h"

#include "plan/apply_placement.h"
#include "plan/claims.h"
#include "plan/groups.h"

struct work {
    const struct bp_ir *ir;
    const struct bp_fact *facts;
    struct bp_symbols *symbols;
    struct bp_region *region;
    struct bp_graph_view_source views;
    struct bp_partition *out;
};

/* ---- stages ---------------------------------------------------------------------------------- */

/*
 * Is a size of `value` known only after its producer has run? If not, it is exact as soon as the
 * producer's stage is planned, because all that the stage reads is exact then.
 */
static bool comes_from_data(const struct work *w, uint32_t value)
{
    const struct bp_ir_node *node = &w->ir->nodes[w->ir->values[value].producer];

    if (w->facts[value].kind != BP_KIND_TENSOR)
        return false; /* it has no size */
    return (node->n_subgraphs > 0 || !node->schema || node->schema->sizes_from_data) &&
           bp_fact_needs_data(&w->facts[value], w->symbols);
}

/* Does the shape rule of the node need elements of this input that are not known before a run? */
static bool reads_unknown(const struct bp_ir_node *node, uint32_t input, const struct bp_fact *fact)
{
    const struct bp_param *param = node->schema ? bp_schema_in(node->schema, input) : NULL;

    return param && (param->flags & BP_PARAM_CONTENT) && !fact->content && !fact->reals;
}

/* Must the producer of input `value` have run before the node can be planned? */
static bool is_barrier(const struct work *w, const struct bp_ir_node *node, uint32_t input,
                       uint32_t value)
{
    return comes_from_data(w, value) ||
           (input != BP_NONE && reads_unknown(node, input, &w->facts[value]));
}

/* Returns the earliest stage in which the node can be planned, as far as this value matters. */
static uint32_t stage_after(const struct work *w, const struct bp_ir_node *node, uint32_t input,
                            uint32_t value)
{
    uint32_t producer = w->ir->values[value].producer;

    if (producer == BP_NONE)
        return 0;
    return w->out->stage_of[producer] + (is_barrier(w, node, input, value) ? 1 : 0);
}

/* Assigns stages in one walk, because producers precede their consumers in the list. */
static void set_stages(struct work *w)
{
    for (uint32_t n = 0; n < w->ir->n_nodes; n++) {
        const struct bp_ir_node *node = &w->ir->nodes[n];
        uint32_t stage = 0;

        for (uint32_t i = 0; i < node->n_in; i++) {
            uint32_t s = node->in[i] == BP_NONE ? 0 : stage_after(w, node, i, node->in[i]);

            stage = s > stage ? s : stage;
        }
        for (uint32_t i = 0; i < node->n_implicit; i++) {
            uint32_t s = stage_after(w, node, BP_NONE, node->implicit[i]);

            stage = s > stage ? s : stage;
        }
        w->out->stage_of[n] = stage;
        if (stage + 1 > w->out->n_stages)
            w->out->n_stages = stage + 1;
    }
}

/* ---- claims ---------------------------------------------------------------------------------- */

/*
 * Chooses the provider of each node: the first of the list that takes it. Host operators without
 * subgraphs belong to the host, and so does control flow that no provider takes. Those of the
 * application may be refused by it.
 */
static uint32_t first_taker(const struct work *w, uint32_t node)
{
    const struct bp_ir_node *row = &w->ir->nodes[node];
    bool is_host_op = row->n_subgraphs == 0 && bp_node_is_host_op(row, w->facts);

    if (is_host_op && !(row->schema && row->schema->is_custom))
        return BP_BY_HOST;
    for (uint32_t p = 0; p < w->out->n_asked; p++) {
        if (is_host_op && w->out->verdicts[p][node].verdict != BP_NO)
            return BP_BY_HOST;
        if (w->out->verdicts[p][node].verdict != BP_NO)
            return p;
    }
    return row->n_subgraphs > 0 ? BP_BY_HOST : BP_BY_NONE;
}

/* May placement rules apply to the node? To control flow only if a provider would run it. */
static bool is_placeable(const struct work *w, uint32_t node)
{
    return first_taker(w, node) < BP_BY_NONE || !bp_node_is_host_op(&w->ir->nodes[node], w->facts);
}

/* Is the provider shown If, Loop and Scan with their bodies? */
static bool sees_bodies(const struct bp_asked *asked)
{
    return (asked->provider->flags & BP_PROVIDER_SUBGRAPHS) != 0;
}

/* Makes a view of the whole graph, without bodies of control flow or with them. */
static bp_rc view_all(struct work *w, bool shows_bodies, struct bp_graph_view **out, bp_err *err)
{
    uint32_t *all = bp_region_array(w->region, w->ir->n_nodes, sizeof *all);

    *out = bp_region_alloc(w->region, sizeof **out);
    if (!all || !*out)
        return bp_fail_nomem(err, "the partition");
    for (uint32_t n = 0; n < w->ir->n_nodes; n++)
        all[n] = n;
    return bp_graph_view_build(&w->views, all, w->ir->n_nodes, shows_bodies, *out, err);
}

static bp_rc ask_all(struct work *w, const struct bp_asked *asked,
                     const struct bp_placement *placement, struct bp_ask_failure *failed,
                     bp_err *err)
{
    struct bp_graph_view *views[2] = {NULL, NULL}; /* without bodies, with them */
    bp_rc rc;

    for (uint32_t p = 0; p < w->out->n_asked; p++) {
        char text[512];
        bp_err own = bp_err_init(text, sizeof text);
        bool shows_bodies = sees_bodies(&asked[p]);

        rc = views[shows_bodies] ? BP_OK : view_all(w, shows_bodies, &views[shows_bodies], err);
        if (rc < 0)
            return rc;
        rc = bp_claims_ask(&asked[p], views[shows_bodies], w->facts, w->region,
                           &w->out->verdicts[p], &own);
        if (!w->out->verdicts[p])
            return bp_fail_nomem(err, "the partition");
        failed[p].rc = rc;
        failed[p].detail = rc < 0 ? own.detail : BP_DETAIL_NONE;
        failed[p].text = rc < 0 ? bp_region_string(w->region, text) : NULL;
    }
    for (uint32_t n = 0; placement && n < w->ir->n_nodes; n++) {
        if (is_placeable(w, n))
            bp_placement_apply(placement, asked, w->out, n);
    }
    for (uint32_t n = 0; n < w->ir->n_nodes; n++)
        w->out->provider_of[n] = first_taker(w, n);
    return BP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bp_rc make_views(struct work *w, const struct bp_asked *asked, bp_err *err)
{
    for (uint32_t g = 0; g < w->out->n_groups; g++) {
        struct bp_group *group = &w->out->groups[g];
        bp_rc rc;

        group->view = bp_region_alloc(w->region, sizeof *group->view);
        if (!group->view)
            return bp_fail_nomem(err, "the groups");
        rc = bp_graph_view_build(
            &w->views, group->nodes, group->n_nodes,
            group->provider < BP_BY_NONE && sees_bodies(&asked[group->provider]), group->view, err);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

static bp_rc reserve(struct work *w, bp_err *err)
{
    size_t n = w->ir->n_nodes;

    w->out->group_of = bp_region_array(w->region, n, sizeof *w->out->group_of);
    w->out->provider_of = bp_region_array(w->region, n, sizeof *w->out->provider_of);
    w->out->stage_of = bp_region_array(w->region, n, sizeof *w->out->stage_of);
    w->out->rule_of = bp_region_array(w->region, n, sizeof(char *));
    w->out->has_memory = bp_region_array(w->region, w->out->n_asked, sizeof *w->out->has_memory);
    w->out->copies_direct = bp_region_array(w->region, w->out->n_asked, sizeof(bool));
    w->out->verdicts = bp_region_array(w->region, w->out->n_asked, sizeof *w->out->verdicts);
    if (!w->out->group_of || !w->out->provider_of || !w->out->stage_of || !w->out->rule_of ||
        !w->out->verdicts || !w->out->has_memory || !w->out->copies_direct)
        return bp_fail_nomem(err, "the partition");
    return BP_OK;
}

bp_rc bp_partition_create(const struct bp_ir *ir, const struct bp_fact *facts,
                          struct bp_symbols *symbols, const struct bp_asked *asked,
                          uint32_t n_asked, struct bp_region *region, struct bp_partition *out,
                          struct bp_ask_failure *failed, bp_err *err)
{
    return bp_partition_create_with_placement(ir, facts, symbols, asked, n_asked, NULL, region, out,
                                              failed, err);
}

bp_rc bp_partition_create_with_placement(const struct bp_ir *ir, const struct bp_fact *facts,
                                         struct bp_symbols *symbols, const struct bp_asked *asked,
                                         uint32_t n_asked, const struct bp_placement *placement,
                                         struct bp_region *region, struct bp_partition *out,
                                         struct bp_ask_failure *failed, bp_err *err)
{
    struct work w = {.ir = ir, .facts = facts, .symbols = symbols, .region = region, .out = out};
    bp_rc rc;

    *out = (struct bp_partition){.ir = ir, .facts = facts, .n_asked = n_asked};
    rc = reserve(&w, err);
    if (rc >= 0)
        rc = bp_uses_build(ir, region, &out->uses, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < n_asked; i++) {
        const bp_device_ops *dev = asked[i].provider->dev;

        out->has_memory[i] = dev != NULL;
        out->copies_direct[i] = dev && dev->flags & BP_DEV_COPY_DIRECT;
    }
    w.views = (struct bp_graph_view_source){
        .ir = ir, .uses = &out->uses, .facts = facts, .symbols = symbols, .region = region};
    rc = bp_graph_view_source_init(&w.views, err);
    if (rc < 0)
        return rc;
    set_stages(&w);
    rc = ask_all(&w, asked, placement, failed, err);
    if (rc >= 0)
        rc = bp_groups_make(out, region, err);
    out->facts = NULL;
    if (rc >= 0)
        rc = make_views(&w, asked, err);
    bp_graph_view_source_finish(&w.views);
    return rc;
}
