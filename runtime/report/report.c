/* SPDX-License-Identifier: MIT */
/* report.c - rows about providers, nodes, groups and edges. */

#include "config.h"

#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/provider_states.h"
#include "plan/copies.h"
#include "report/rows.h"
#include "text/text.h"

/*
 * A new row of `size` bytes at the end, not initialised; NULL: no memory. Rows move when a list
 * grows, so pointers to them do not stay.
 */
static void *add_row(struct rows *rows, size_t size)
{
    if (rows->count == rows->cap) {
        uint32_t cap = rows->cap ? rows->cap * 2 : 16;
        void *data = realloc(rows->data, cap * size);

        if (!data)
            return NULL;
        rows->data = data;
        rows->cap = cap;
    }
    return (char *)rows->data + size * rows->count++;
}

/* A copy that lives with the report; NULL stays NULL. *failed is set when there is no memory. */
static const char *keep(bp_report *report, const char *text, bool *failed)
{
    char *copy;

    if (!text)
        return NULL;
    copy = bp_region_string(&report->text, text);
    if (!copy)
        *failed = true;
    return copy;
}

/* Makes a report without rows. */
bp_rc bp_report_create(bp_report **out, bp_err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return bp_fail_nomem(err, "the report");
    bp_mismatches_init(&(*out)->mismatches);
    bp_fork_mutex_init(&(*out)->refused_sizes.lock, &(*out)->refused_sizes.fork);
    return BP_OK;
}

/* Not const: runs add to it, under its own lock. */
struct bp_mismatches *bp_report_mismatches(bp_report *report)
{
    return &report->mismatches;
}

/* Frees the report with its texts. NULL is fine. */
void bp_report_destroy(bp_report *report)
{
    if (!report)
        return;
    free(report->providers.data);
    free(report->options.data);
    free(report->nodes.data);
    free(report->refusals.data);
    free(report->groups.data);
    free(report->edges.data);
    free(report->passes.data);
    bp_mismatches_finish(&report->mismatches);
    bp_region_finish(&report->refused_sizes.text);
    bp_fork_mutex_destroy(&report->refused_sizes.lock, &report->refused_sizes.fork);
    bp_region_finish(&report->text);
    free(report);
}

/* Adds a provider's row; its states follow from the last stage that it reached: provider_states.h. */
bp_rc bp_report_add_provider(bp_report *report, const bp_report_provider *row, uint32_t *out,
                             bp_err *err)
{
    struct provider_row *added = add_row(&report->providers, sizeof *added);
    bp_report_provider *own;
    bool failed = false;

    if (!added)
        return bp_fail_nomem(err, "the report");
    *added = (struct provider_row){.row = *row};
    own = &added->row;
    own->struct_size = sizeof *own;
    own->name = keep(report, row->name, &failed);
    own->version = keep(report, row->version, &failed);
    own->file = keep(report, row->file, &failed);
    own->reason = keep(report, row->reason, &failed);
    own->fix = keep(report, row->fix, &failed);
    own->states = bp_states_of(row->name, row->stage, row->code);
    *out = report->providers.count - 1;
    return failed ? bp_fail_nomem(err, "the report") : BP_OK;
}

/*
 * Options come right after their provider's row, so that each provider needs only the first and a
 * count.
 */
bp_rc bp_report_add_option(bp_report *report, uint32_t provider, const bp_report_option *row,
                           bp_err *err)
{
    struct provider_row *of = (struct provider_row *)report->providers.data + provider;
    bp_report_option *own = add_row(&report->options, sizeof *own);
    bool failed = false;

    if (!own)
        return bp_fail_nomem(err, "the report");
    *own = (bp_report_option){
        .struct_size = sizeof *own,
        .origin = row->origin,
        .key = keep(report, row->key, &failed),
        .value = keep(report, row->value, &failed),
    };
    if (of->n_options++ == 0)
        of->first_option = report->options.count - 1;
    return failed ? bp_fail_nomem(err, "the report") : BP_OK;
}

/*
 * The row stays where it is: other rows refer to it by its index. Texts of its former end stay in
 * the region until the report goes.
 */
bp_rc bp_report_end_provider(bp_report *report, uint32_t provider, uint32_t stage, bp_rc code,
                             const char *reason, const char *fix, bp_err *err)
{
    bp_report_provider *row = provider_at(report, provider);
    bool failed = false;

    row->stage = stage;
    row->code = code;
    row->reason = keep(report, reason, &failed);
    row->fix = keep(report, fix, &failed);
    row->states = bp_states_of(row->name, stage, code);
    return failed ? bp_fail_nomem(err, "the report") : BP_OK;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* What adding one graph needs; first_* are the report's counts before it. */
struct adding {
    bp_report *report;
    const struct bp_partition *part;
    const struct bp_asked *asked;
    const uint32_t *rows;
    const char *path;
    uint32_t *group_rows; /* one a group of the partition: its row, or BP_NONE without a provider */
    uint32_t first_node;
};

/* Adds a node's refusals: those of providers before the one that got it, as later ones were not asked. */
static bp_rc add_refusals(struct adding *a, uint32_t n, struct node_row *node, bp_err *err)
{
    uint32_t taker = a->part->provider_of[n];

    node->first_refusal = a->report->refusals.count;
    for (uint32_t p = 0; p < a->part->n_asked && p != taker; p++) {
        const struct bp_verdict *verdict = &a->part->verdicts[p][n];
        bp_report_refusal *row = add_row(&a->report->refusals, sizeof *row);
        bool failed = false;

        if (!row)
            return bp_fail_nomem(err, "the report");
        *row = (bp_report_refusal){
            .struct_size = sizeof *row,
            .provider = a->rows[p],
            .reason = verdict->reason,
            .subject = keep(a->report, verdict->subject, &failed),
            .text = keep(a->report, verdict->text, &failed),
        };
        node->row.n_refusals++;
        if (failed)
            return bp_fail_nomem(err, "the report");
    }
    return BP_OK;
}

/*
 * Copies one node, with its refusals, and counts it for its provider. The row is filled last, as
 * adding refusals may fail.
 */
static bp_rc add_node(struct adding *a, uint32_t n, bp_err *err)
{
    const struct bp_ir_node *from = &a->part->ir->nodes[n];
    uint32_t taker = a->part->provider_of[n];
    struct node_row *node = add_row(&a->report->nodes, sizeof *node);
    struct node_row own = {0};
    bool failed = false;
    bp_rc rc;

    if (!node)
        return bp_fail_nomem(err, "the report");
    own.row = (bp_report_node){
        .struct_size = sizeof own.row,
        .provider = taker < BP_BY_NONE ? a->rows[taker] : BP_NONE,
        .group = a->group_rows[a->part->group_of[n]],
        .name = keep(a->report, from->name, &failed),
        .op = keep(a->report, from->op, &failed),
        .domain = keep(a->report, from->domain, &failed),
        .path = a->path,
        .stands_for = keep(a->report, from->stands_for, &failed),
        .rule = keep(a->report, a->part->rule_of[n], &failed),
    };
    rc = add_refusals(a, n, &own, err);
    *node = own;
    for (uint32_t p = 0; p < a->part->n_asked; p++) {
        if (a->part->verdicts[p][n].verdict != BP_NO)
            provider_at(a->report, a->rows[p])->n_claimed++;
        else if (a->part->verdicts[p][n].is_costly)
            provider_at(a->report, a->rows[p])->n_costly++;
    }
    if (own.row.provider != BP_NONE)
        provider_at(a->report, own.row.provider)->n_nodes++;
    return failed ? bp_fail_nomem(err, "the report") : rc;
}

/* The device that runs a group; NULL: no provider does, or none is known. */
static const struct bp_asked_device *device_of(const struct adding *a, const struct bp_group *group)
{
    const struct bp_asked *asked = group->provider < BP_BY_NONE ? &a->asked[group->provider] : NULL;

    return asked && group->device < asked->n_devices ? &asked->devices[group->device] : NULL;
}

/* Nodes that no provider takes have a group in the partition and none in the report. */
static bp_rc add_group(struct adding *a, const struct bp_group *group,
                       const struct bp_copies *copies, bp_err *err)
{
    const struct bp_asked_device *device = device_of(a, group);
    bp_report_group *row;
    bool is_provider = group->provider < BP_BY_NONE, failed = false;

    if (group->provider == BP_BY_NONE)
        return BP_OK;
    row = add_row(&a->report->groups, sizeof *row);
    if (!row)
        return bp_fail_nomem(err, "the report");
    *row = (bp_report_group){
        .struct_size = sizeof *row,
        .provider = is_provider ? a->rows[group->provider] : BP_NONE,
        .n_nodes = group->n_nodes,
        .n_inputs = group->view->graph.n_inputs,
        .n_outputs = group->view->graph.n_outputs,
        .n_copies = copies->n,
        .n_unsized_copies = copies->n_unsized,
        .copy_bytes = copies->bytes,
        .path = a->path,
        .device = device        ? device->index
                  : is_provider ? 0
                                : BP_NONE,
        .device_id = keep(a->report, device ? device->id : NULL, &failed),
    };
    if (is_provider)
        provider_at(a->report, row->provider)->n_groups++;
    return failed ? bp_fail_nomem(err, "the report") : BP_OK;
}

/* One value that node `to` reads; constants and captured values are not edges. */
static bp_rc add_edge(struct adding *a, uint32_t value, uint32_t to, bp_err *err)
{
    const struct bp_ir_value *from = &a->part->ir->values[value];
    struct edge *edge;
    bool failed = false;

    if (from->flags & (BP_IR_CONSTANT | BP_IR_CAPTURED))
        return BP_OK;
    edge = add_row(&a->report->edges, sizeof *edge);
    if (!edge)
        return bp_fail_nomem(err, "the report");
    edge->name = keep(a->report, from->name, &failed);
    edge->from = from->producer == BP_NONE ? BP_NONE : a->first_node + from->producer;
    edge->to = to;
    return failed ? bp_fail_nomem(err, "the report") : BP_OK;
}

/*
 * Inputs of each node, what its subgraphs capture included; outputs of the main graph lead to
 * BP_NONE.
 */
static bp_rc add_edges(struct adding *a, bp_err *err)
{
    const struct bp_ir *ir = a->part->ir;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];

        for (uint32_t i = 0; rc >= 0 && i < node->n_in; i++) {
            if (node->in[i] != BP_NONE)
                rc = add_edge(a, node->in[i], a->first_node + n, err);
        }
        for (uint32_t i = 0; rc >= 0 && i < node->n_implicit; i++)
            rc = add_edge(a, node->implicit[i], a->first_node + n, err);
    }
    for (uint32_t i = 0; rc >= 0 && ir->depth == 0 && i < ir->n_outputs; i++)
        rc = add_edge(a, ir->outputs[i], BP_NONE, err);
    return rc;
}

/* Group rows are numbered before nodes are added, as nodes refer to them. */
bp_rc bp_report_add_graph(bp_report *report, const struct bp_partition *part,
                          const struct bp_asked *asked, const uint32_t *rows, const char *path,
                          bp_err *err)
{
    struct adding a = {
        .report = report,
        .part = part,
        .asked = asked,
        .rows = rows,
        .path = bp_region_string(&report->text, path),
        .group_rows = bp_region_array(&report->text, part->n_groups, sizeof *a.group_rows),
        .first_node = report->nodes.count,
    };
    uint32_t row = report->groups.count;
    struct bp_copies *copies = NULL;
    bp_rc rc = a.path && a.group_rows ? BP_OK : bp_fail_nomem(err, "the report");

    if (rc >= 0)
        rc = bp_copies_count(part, &report->text, &copies, err);

    for (uint32_t g = 0; rc >= 0 && g < part->n_groups; g++)
        a.group_rows[g] = part->groups[g].provider == BP_BY_NONE ? BP_NONE : row++;
    for (uint32_t n = 0; rc >= 0 && n < part->ir->n_nodes; n++)
        rc = add_node(&a, n, err);
    for (uint32_t g = 0; rc >= 0 && g < part->n_groups; g++)
        rc = add_group(&a, &part->groups[g], &copies[g], err);
    return rc < 0 ? rc : add_edges(&a, err);
}

/* Adds a pass; its name and help are those of the pass table and are not copied. */
bp_rc bp_report_add_pass(bp_report *report, const bp_report_pass *row, bp_err *err)
{
    bp_report_pass *own = add_row(&report->passes, sizeof *own);

    if (!own)
        return bp_fail_nomem(err, "the report");
    *own = *row;
    own->struct_size = sizeof *own;
    return BP_OK;
}

/* Removes rows of nodes, groups and edges, and the totals that providers' rows have of them. */
void bp_report_clear_graphs(bp_report *report)
{
    report->nodes.count = 0;
    report->refusals.count = 0;
    report->groups.count = 0;
    report->edges.count = 0;
    report->passes.count = 0;
    for (uint32_t i = 0; i < report->providers.count; i++) {
        struct provider_row *own = (struct provider_row *)report->providers.data + i;
        bp_report_provider *row = &own->row;

        row->n_claimed = row->n_costly = row->n_nodes = row->n_groups = 0;
        row->known = own->n_estimated = 0;
        row->weight_bytes = row->peak_bytes = 0;
        row->run_ns = row->copy_ns = 0;
    }
}

/* ---- what providers estimate ----------------------------------------------------------------- */

/* Sets the estimates of a group, whose row bp_report_add_graph() has added. */
bp_rc bp_report_set_group_program(bp_report *report, uint32_t i, uint32_t how, uint64_t ns,
                                  const char *text, bp_err *err)
{
    bp_report_group *row = (bp_report_group *)report->groups.data + i;
    bool failed = false;

    row->program = how;
    row->program_ns = ns;
    row->cache = text[0] ? keep(report, text, &failed) : NULL;
    return failed ? bp_fail_nomem(err, "the report") : BP_OK;
}

void bp_report_set_group_frames(bp_report *report, uint32_t i, uint32_t max_frames,
                                uint64_t frame_bytes)
{
    bp_report_group *row = (bp_report_group *)report->groups.data + i;

    row->max_frames = max_frames;
    row->frame_bytes = frame_bytes;
}

/* Sets the estimates of a provider; the rest of its row stays. */
void bp_report_set_group_estimate(bp_report *report, uint32_t i, const bp_report_group *estimated)
{
    bp_report_group *row = (bp_report_group *)report->groups.data + i;

    row->known = estimated->known;
    row->weight_bytes = estimated->weight_bytes;
    row->run_bytes = estimated->run_bytes;
    row->run_ns = estimated->run_ns;
    row->copy_ns = estimated->copy_ns;
}

/* Subgraphs run while values of the graph around them live, so that their bytes add up. */
void bp_report_add_graph_estimate(bp_report *report, uint32_t provider,
                                  const bp_report_provider *estimated)
{
    struct provider_row *own = (struct provider_row *)report->providers.data + provider;
    bp_report_provider *row = &own->row;

    row->known = own->n_estimated++ == 0 ? estimated->known : row->known & estimated->known;
    row->weight_bytes += estimated->weight_bytes;
    row->peak_bytes += estimated->peak_bytes;
    row->run_ns += estimated->run_ns;
    row->copy_ns += estimated->copy_ns;
}
