/* SPDX-License-Identifier: MIT */
/* stages.c - lists what each stage of a body runs, reads from outside and keeps for others. */

#include "config.h"

#include "compile/subgraph.h"

#include <stdlib.h>
#include <string.h>

struct staging {
    struct bp_body *body;
    uint32_t stage;
    uint8_t *seen; /* one a value: 1 a read, 2 a read for its content */
    uint32_t *reads;
    uint32_t n_reads;
    uint32_t *keeps;
    uint32_t n_keeps;
};

static bool comes_from_outside(const struct staging *s, uint32_t value)
{
    const struct bp_ir_value *row = &s->body->ir->values[value];

    if (row->flags & BP_IR_CONSTANT)
        return false;
    return row->producer == BP_NONE || s->body->part.stage_of[row->producer] != s->stage;
}

/* Elements that inference has followed so far have to be there when it goes on in this stage. */
static bool is_followed(const struct staging *s, uint32_t value)
{
    return s->body->facts[value].content || s->body->facts[value].reals;
}

static void see(struct staging *s, uint32_t value, bool content)
{
    if (!comes_from_outside(s, value))
        return;
    content |= is_followed(s, value);
    if (!s->seen[value])
        s->reads[s->n_reads++] = value;
    s->seen[value] |= content ? 3 : 1;
}

static bool is_kept(const struct staging *s, uint32_t value)
{
    const struct bp_uses *uses = &s->body->part.uses;

    if (s->body->ir->values[value].flags & BP_IR_OUTPUT)
        return true;
    for (uint32_t i = uses->first[value]; i < uses->first[value + 1]; i++) {
        uint32_t user = uses->nodes[i];

        if (s->body->part.stage_of[user] != s->stage ||
            s->body->part.provider_of[user] == BP_BY_HOST)
            return true;
    }
    return false;
}

static void add_node_to_stage(struct staging *s, uint32_t n)
{
    const struct bp_ir_node *node = &s->body->ir->nodes[n];

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

/* Captured values are read for their content by bodies that the node runs; those plan for themselves. */
static bp_rc fill_stage(struct staging *s, struct bp_stage *stage, bp_err *err)
{
    const struct bp_body *body = s->body;
    struct bp_region *region = &s->body->region;

    for (uint32_t u = stage->first_unit; u < stage->first_unit + stage->n_units; u++)
        stage->n_nodes += body->part.groups[u].n_nodes;
    stage->nodes = bp_region_array(region, stage->n_nodes, sizeof *stage->nodes);
    if (!stage->nodes)
        return bp_fail_nomem(err, "the stages");
    stage->n_nodes = 0;
    for (uint32_t u = stage->first_unit; u < stage->first_unit + stage->n_units; u++) {
        const struct bp_group *group = &body->part.groups[u];

        for (uint32_t i = 0; i < group->n_nodes; i++) {
            stage->nodes[stage->n_nodes++] = group->nodes[i];
            add_node_to_stage(s, group->nodes[i]);
        }
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

bp_rc bp_body_make_stages(struct bp_body *body, bp_err *err)
{
    struct staging s = {.body = body};
    uint32_t unit = 0;
    bp_rc rc = BP_OK;

    body->n_stages = body->part.n_stages;
    body->stages = bp_region_array(&body->region, body->n_stages, sizeof *body->stages);
    s.seen = calloc((size_t)body->ir->n_values + 1, 1);
    s.reads = calloc((size_t)body->ir->n_values + 1, sizeof *s.reads);
    s.keeps = calloc((size_t)body->ir->n_values + 1, sizeof *s.keeps);
    if (!body->stages || !s.seen || !s.reads || !s.keeps)
        rc = bp_fail_nomem(err, "the stages");
    for (uint32_t i = 0; rc >= 0 && i < body->n_stages; i++) {
        struct bp_stage *stage = &body->stages[i];

        stage->first_unit = unit;
        while (unit < body->part.n_groups && body->part.groups[unit].stage == i)
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
