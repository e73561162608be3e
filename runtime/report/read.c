/* SPDX-License-Identifier: MIT */
/* read.c - what a report says: its rows, by their index. */

#include "config.h"

#include "report/rows.h"

#include <stdio.h>
#include <string.h>

#include "report/report.h"

/*
 * A provider may refuse nodes for many reasons: each is named once, with its count, in the order of
 * BP_R_*.
 */
void bp_report_count_refusals(const bp_report *report, uint32_t provider, char *buf, size_t cap)
{
    const bp_report_refusal *rows = report->refusals.data;
    uint32_t counts[BP_R_END] = {0};
    size_t len = 0;

    if (cap)
        buf[0] = '\0';
    for (uint32_t i = 0; i < report->refusals.count; i++) {
        if (rows[i].provider == provider && rows[i].reason < BP_R_END)
            counts[rows[i].reason]++;
    }
    for (uint32_t r = 0; r < BP_R_END; r++) {
        int n;

        if (!counts[r] || len >= cap)
            continue;
        n = snprintf(buf + len, cap - len, "%s%u %s", len ? ", " : "", counts[r],
                     bp_reason_name(r));
        len += n > 0 ? (size_t)n : 0;
    }
}

/* Refusals of providers that compared costs: the first such text stands for all of its groups. */
const char *bp_report_cost_text(const bp_report *report, uint32_t provider)
{
    const bp_report_refusal *rows = report->refusals.data;

    for (uint32_t i = 0; i < report->refusals.count; i++) {
        if (rows[i].provider == provider && rows[i].reason == BP_R_NOT_PROFITABLE && rows[i].text)
            return rows[i].text;
    }
    return "";
}

/* Counts providers, whose rows stay when graphs are cleared; those of nodes and groups do not. */
uint32_t bp_report_provider_count(const bp_report *report)
{
    if (!report)
        return 0;
    return report->providers.count;
}

/* Counts the nodes of all graphs, subgraphs included, after passes. */
uint32_t bp_report_node_count(const bp_report *report)
{
    if (!report)
        return 0;
    return report->nodes.count;
}

uint32_t bp_report_group_count(const bp_report *report)
{
    if (!report)
        return 0;
    return report->groups.count;
}

/* Runs add mismatches while others read: the count is published after the row. */
uint32_t bp_report_mismatch_count(const bp_report *report)
{
    if (!report)
        return 0;
    return atomic_load(&report->mismatches.count);
}

/* What every function here returns for an index that is too large. */
static bp_rc no_row(const char *what, uint32_t i, uint32_t count, bp_err *err)
{
    return bp_fail(err, BP_E_INVALID, "the report has %u %s rows, there is no row %u", count, what,
                   i);
}

/* Row i in the order in which providers were tried, also those that are not in use. */
bp_rc bp_report_get_provider(const bp_report *report, uint32_t i, bp_report_provider *out,
                             bp_err *err)
{
    if (!report)
        return bp_fail_null(err, "the report");
    if (i >= report->providers.count)
        return no_row("provider", i, report->providers.count, err);
    return bp_done(err, bp_give_out(out, provider_at(report, i), err));
}

/* Counts the options of a provider; 0 also for one that is not in the report. */
uint32_t bp_report_option_count(const bp_report *report, uint32_t provider)
{
    const struct provider_row *rows = report ? report->providers.data : NULL;

    return rows && provider < report->providers.count ? rows[provider].n_options : 0;
}

/* Options of all providers are in one list; each provider's own are neighbours there. */
bp_rc bp_report_get_option(const bp_report *report, uint32_t provider, uint32_t j,
                           bp_report_option *out, bp_err *err)
{
    const struct provider_row *rows;

    if (!report)
        return bp_fail_null(err, "the report");
    rows = report->providers.data;
    if (provider >= report->providers.count)
        return no_row("provider", provider, report->providers.count, err);
    if (j >= rows[provider].n_options)
        return no_row("option", j, rows[provider].n_options, err);
    return bp_done(
        err,
        bp_give_out(out, (bp_report_option *)report->options.data + rows[provider].first_option + j,
                    err));
}

/* Names of BP_ORIGIN_*, in their order. */
const char *bp_origin_name(uint32_t origin)
{
    static const char *const names[] = {"default", "file", "application", "variable"};

    return origin < sizeof names / sizeof names[0] ? names[origin] : "?";
}

/* Names of BP_NAMED_BY_*, in their order. */
const char *bp_named_by_name(uint32_t named_by)
{
    static const char *const names[] = {"session", "environment", "variable",
                                        "file",    "auto",        "host"};

    return named_by < sizeof names / sizeof names[0] ? names[named_by] : "?";
}

/* Copies the row as far as the caller's struct_size goes, as for all rows. */
bp_rc bp_report_get_node(const bp_report *report, uint32_t i, bp_report_node *out, bp_err *err)
{
    if (!report)
        return bp_fail_null(err, "the report");
    if (i >= report->nodes.count)
        return no_row("node", i, report->nodes.count, err);
    return bp_done(err, bp_give_out(out, &node_at(report, i)->row, err));
}

/* Refusals of all nodes are in one list; each node's are neighbours there. */
bp_rc bp_report_get_refusal(const bp_report *report, uint32_t i, uint32_t j, bp_report_refusal *out,
                            bp_err *err)
{
    const struct node_row *node;

    if (!report)
        return bp_fail_null(err, "the report");
    if (i >= report->nodes.count)
        return no_row("node", i, report->nodes.count, err);
    node = node_at(report, i);
    if (j >= node->row.n_refusals)
        return no_row("refusal", j, node->row.n_refusals, err);
    return bp_done(
        err, bp_give_out(out, (bp_report_refusal *)report->refusals.data + node->first_refusal + j,
                         err));
}

/* Counts the groups of all graphs; within a graph they are in the order in which they run. */
bp_rc bp_report_get_group(const bp_report *report, uint32_t i, bp_report_group *out, bp_err *err)
{
    if (!report)
        return bp_fail_null(err, "the report");
    if (i >= report->groups.count)
        return no_row("group", i, report->groups.count, err);
    return bp_done(err, bp_give_out(out, (bp_report_group *)report->groups.data + i, err));
}

uint32_t bp_report_pass_count(const bp_report *report)
{
    if (!report)
        return 0;
    return report->passes.count;
}

/* Only passes that were allowed to run have a row. */
bp_rc bp_report_get_pass(const bp_report *report, uint32_t i, bp_report_pass *out, bp_err *err)
{
    if (!report)
        return bp_fail_null(err, "the report");
    if (i >= report->passes.count)
        return no_row("pass", i, report->passes.count, err);
    return bp_done(err, bp_give_out(out, (bp_report_pass *)report->passes.data + i, err));
}

/* The name of the value; NULL ends the list. */
const char *bp_report_edge(const bp_report *report, uint32_t i, uint32_t *from, uint32_t *to)
{
    const struct edge *edge;

    if (!report)
        return NULL;
    if (i >= report->edges.count)
        return NULL;
    edge = (struct edge *)report->edges.data + i;
    *from = edge->from;
    *to = edge->to;
    return edge->name;
}

/* Runs may add rows meanwhile; those that are there do not change. */
bp_rc bp_report_get_mismatch(const bp_report *report, uint32_t i, bp_report_mismatch *out,
                             bp_err *err)
{
    bp_report_mismatch row = {.struct_size = sizeof row};
    const struct bp_mismatch *found;

    if (!report)
        return bp_fail_null(err, "the report");
    found = bp_mismatches_at(&report->mismatches, i);
    if (!found)
        return no_row("mismatch", i, bp_report_mismatch_count(report), err);
    row.value = found->value;
    row.path = found->path;
    row.inferred = found->inferred;
    row.declared = found->declared;
    return bp_done(err, bp_give_out(out, &row, err));
}
