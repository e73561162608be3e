/* SPDX-License-Identifier: MIT */
/* stages.c - lists what each stage of a subgraph runs, reads from outside and keeps for others. */

#include "config.h"

#include "compile/subgraph.h"

#include <stdlib.h>
#include <string.h>

/*
 * What is collected of one stage. The lists have an entry for each value and are used again for the
 * next stage.
 */
struct staging {
    struct bp_subgraph *subgraph;
    uint32_t stage;
    uint8_t *seen; /* one for each value: 1 it is read, 3 its content too */
    uint32_t *reads;
    uint32_t n_reads;
    uint32_t *keeps;
    uint32_t n_keeps;
};

/* Does the stage read the value from an earlier stage, or from outside of the graph? */
static bool comes_from_outside(const struct staging *s, uint32_t value)
{
    const struct bp_ir_value *row = &s->subgraph->ir->values[value];

    if (row->flags & BP_IR_CONSTANT)
        return false;
    return row->producer == BP_NONE || s->subgraph->part.stage_of[row->producer] != s->stage;
}

/*
 * Has inference followed the value's elements so far? Then it needs them when it goes on in this
 * stage.
 */
static bool is_followed(const struct staging *s, uint32_t value)
{
    return s->subgraph->facts[value].content || s->subgraph->facts[value].reals;
}

/* Records that the stage reads a value; content: a shape rule needs its elements. */
static void see(struct staging *s, uint32_t value, bool content)
{
    if (!comes_from_outside(s, value))
        return;
    content |= is_followed(s, value);
    if (!s->seen[value])
        s->reads[s->n_reads++] = value;
    s->seen[value] |= content ? 3 : 1;
}

/*
 * Has the value a reader outside the stage? Host operators count as outside, because they read
 * cells.
 */
static bool is_kept(const struct staging *s, uint32_t value)
{
    const struct bp_uses *uses = &s->subgraph->part.uses;

    if (s->subgraph->ir->values[value].flags & BP_IR_OUTPUT)
        return true;
    for (uint32_t i = uses->first[value]; i < uses->first[value + 1]; i++) {
        uint32_t user = uses->nodes[i];

        if (s->subgraph->part.stage_of[user] != s->stage ||
            s->subgraph->part.provider_of[user] == BP_BY_HOST)
            return true;
    }
    return false;
}

/*
 * Records what a node reads from outside the stage, and which of its outputs are kept for others.
 */
static void add_node_to_stage(struct staging *s, uint32_t n)
{
    const struct bp_ir_node *node = &s->subgraph->ir->nodes[n];

    for (uint32_t i = 0; i < node->n_in; i++) {
        uint32_t v = node->in[i];

        if (v != BP_NONE)
            see(s, v,
                node->schema && bp_schema_in(node->schema, i) &&
                    (bp_schema_in(node->schema, i)->flags & BP_PARAM_CONTENT));
    }
    for (uint32_t i = 0; i < node->n_implicit; i++)
        see(s, node->implicit[i], false);
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] != BP_NONE && is_kept(s, node->out[i]))
            s->keeps[s->n_keeps++] = node->out[i];
    }
}

/*
 * Fills a stage's lists. Subgraphs that a node runs may read the content of captured values; they
 * make plans of their own.
 */
static bp_rc fill_stage(struct staging *s, struct bp_stage *stage, bp_err *err)
{
    const struct bp_subgraph *subgraph = s->subgraph;
    struct bp_region *region = &s->subgraph->region;

    for (uint32_t u = stage->first_unit; u < stage->first_unit + stage->n_units; u++)
        stage->n_nodes += subgraph->part.groups[u].n_nodes;
    stage->nodes = bp_region_array(region, stage->n_nodes, sizeof *stage->nodes);
    if (!stage->nodes)
        return bp_fail_nomem(err, "the stages");
    stage->n_nodes = 0;
    for (uint32_t u = stage->first_unit; u < stage->first_unit + stage->n_units; u++) {
        const struct bp_group *group = &subgraph->part.groups[u];

        for (uint32_t i = 0; i < group->n_nodes; i++) {
            stage->nodes[stage->n_nodes++] = group->nodes[i];
            add_node_to_stage(s, group->nodes[i]);
        }
    }
    for (uint32_t u = stage->first_unit; u < stage->first_unit + stage->n_units; u++) {
        uint32_t most = subgraph->units[u].max_frames;

        if (most > 0 && (stage->max_frames == 0 || most < stage->max_frames))
            stage->max_frames = most;
    }
    stage->n_reads = s->n_reads;
    stage->n_keeps = s->n_keeps;
    stage->reads = bp_region_array(region, s->n_reads, sizeof *stage->reads);
    stage->reads_content = bp_region_array(region, s->n_reads, sizeof *stage->reads_content);
    stage->keeps = bp_region_array(region, s->n_keeps, sizeof *stage->keeps);
    if (!stage->reads || !stage->reads_content || !stage->keeps)
        return bp_fail_nomem(err, "the stages");
    memcpy(stage->keeps, s->keeps, s->n_keeps * sizeof *s->keeps);
    for (uint32_t i = 0; i < s->n_reads; i++) {
        stage->reads[i] = s->reads[i];
        stage->reads_content[i] = s->seen[s->reads[i]] == 3;
        s->seen[s->reads[i]] = 0;
    }
    return BP_OK;
}

/* Groups are sorted by stage, so the units of each stage are adjacent. */
bp_rc bp_subgraph_make_stages(struct bp_subgraph *subgraph, bp_err *err)
{
    struct staging s = {.subgraph = subgraph};
    uint32_t unit = 0;
    bp_rc rc = BP_OK;

    subgraph->n_stages = subgraph->part.n_stages;
    subgraph->stages =
        bp_region_array(&subgraph->region, subgraph->n_stages, sizeof *subgraph->stages);
    s.seen = calloc((size_t)subgraph->ir->n_values + 1, 1);
    s.reads = calloc((size_t)subgraph->ir->n_values + 1, sizeof *s.reads);
    s.keeps = calloc((size_t)subgraph->ir->n_values + 1, sizeof *s.keeps);
    if (!subgraph->stages || !s.seen || !s.reads || !s.keeps)
        rc = bp_fail_nomem(err, "the stages");
    for (uint32_t i = 0; rc >= 0 && i < subgraph->n_stages; i++) {
        struct bp_stage *stage = &subgraph->stages[i];

        stage->first_unit = unit;
        while (unit < subgraph->part.n_groups && subgraph->part.groups[unit].stage == i)
            unit++;
        stage->n_units = unit - stage->first_unit;
        s.stage = i;
        s.n_reads = s.n_keeps = 0;
        rc = fill_stage(&s, stage, err);
    }
    free(s.seen);
    free(s.reads);
    free(s.keeps);
    return rc;
}
