/* SPDX-License-Identifier: MIT */
/* diagram.c - collects the nodes, groups and edges that a plan diagram shows. */

#include "config.h"

#include "plan/diagram.h"

#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#include "lib/cli.h"

/* Rows borrow their strings from the report, which has to outlive the diagram. */
static bp_rc copy_rows(struct plan_diagram *p, const bp_report *report, bp_err *err)
{
    bp_rc rc = BP_OK;

    p->n_providers = bp_report_provider_count(report);
    p->n_groups = bp_report_group_count(report);
    p->n_nodes = bp_report_node_count(report);
    p->providers = xalloc(p->n_providers, sizeof *p->providers);
    p->groups = xalloc(p->n_groups, sizeof *p->groups);
    p->nodes = xalloc(p->n_nodes, sizeof *p->nodes);
    for (uint32_t i = 0; rc >= 0 && i < p->n_providers; i++) {
        p->providers[i].struct_size = sizeof *p->providers;
        rc = bp_report_get_provider(report, i, &p->providers[i], err);
    }
    for (uint32_t i = 0; rc >= 0 && i < p->n_groups; i++) {
        p->groups[i].struct_size = sizeof *p->groups;
        rc = bp_report_get_group(report, i, &p->groups[i], err);
    }
    for (uint32_t i = 0; rc >= 0 && i < p->n_nodes; i++) {
        p->nodes[i].struct_size = sizeof *p->nodes;
        rc = bp_report_get_node(report, i, &p->nodes[i], err);
    }
    return rc;
}

/* The index of a node's group; n_groups for a node without one. */
static uint32_t group_of(const struct plan_diagram *p, uint32_t node)
{
    return p->nodes[node].group < p->n_groups ? p->nodes[node].group : p->n_groups;
}

/* Counting sort of node indices by group; nodes without a group come last. */
static void sort_members(struct plan_diagram *p)
{
    uint32_t *starts = xalloc((size_t)p->n_groups + 2, sizeof *starts);

    p->members = xalloc(p->n_nodes, sizeof *p->members);
    for (uint32_t i = 0; i < p->n_nodes; i++)
        starts[group_of(p, i) + 1]++;
    for (uint32_t g = 0; g < p->n_groups; g++)
        starts[g + 1] += starts[g];
    for (uint32_t i = 0; i < p->n_nodes; i++)
        p->members[starts[group_of(p, i)]++] = i;
    free(starts);
}

uint32_t plan_diagram_members(const struct plan_diagram *diagram, uint32_t g, uint32_t *first)
{
    uint32_t low = 0, high = diagram->n_nodes, end;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (group_of(diagram, diagram->members[middle]) < g)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < diagram->n_nodes; end++) {
        if (group_of(diagram, diagram->members[end]) != g)
            break;
    }
    *first = low;
    return end - low;
}

static int order_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts names and removes duplicates; returns how many are left. */
static uint32_t unique(const char **names, uint32_t n)
{
    uint32_t kept = 0;

    if (n > 0)
        qsort(names, n, sizeof *names, order_names);
    for (uint32_t i = 0; i < n; i++) {
        if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
            names[kept++] = names[i];
    }
    return kept;
}

/* The library has no count of edges: the first index without one ends them. */
static uint32_t count_edges(const bp_report *report)
{
    uint32_t n = 0, from, to;

    while (n < UINT32_MAX && bp_report_edge(report, n, &from, &to))
        n++;
    return n;
}

/*
 * An edge without a source node or without a target node is an input or output of the model, or of
 * a subgraph. Those of a subgraph are not shown.
 */
static bool is_shown(const struct plan_diagram *p, uint32_t from, uint32_t to)
{
    if (from < p->n_nodes && to < p->n_nodes)
        return true;
    return (from >= p->n_nodes || !*p->nodes[from].path) &&
           (to >= p->n_nodes || !*p->nodes[to].path);
}

/* Both arrays are as long as the list of edges, the most that can be needed. */
static void name_ends(struct plan_diagram *p, const bp_report *report, uint32_t n)
{
    p->inputs = xalloc(n, sizeof *p->inputs);
    p->outputs = xalloc(n, sizeof *p->outputs);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from, to;
        const char *name = bp_report_edge(report, i, &from, &to);

        if (!is_shown(p, from, to))
            continue;
        if (from >= p->n_nodes)
            p->inputs[p->n_inputs++] = name;
        if (to >= p->n_nodes)
            p->outputs[p->n_outputs++] = name;
    }
    p->n_inputs = unique(p->inputs, p->n_inputs);
    p->n_outputs = unique(p->outputs, p->n_outputs);
}

/*
 * The unit at one end of an edge: the node, or its group where groups are collapsed. An end without
 * a node is a model input or output, which is found by the value's name.
 */
static struct unit find_unit(const struct plan_diagram *p, uint32_t node, const char *name,
                             bool is_source)
{
    const char **names = is_source ? p->inputs : p->outputs;

    if (node < p->n_nodes) {
        bool is_boxed = p->is_collapsed && p->nodes[node].group < p->n_groups;

        return is_boxed ? (struct unit){UNIT_GROUP, p->nodes[node].group}
                        : (struct unit){UNIT_NODE, node};
    }
    names =
        bsearch(&name, names, is_source ? p->n_inputs : p->n_outputs, sizeof *names, order_names);
    return (struct unit){is_source ? UNIT_INPUT : UNIT_OUTPUT,
                         (uint32_t)(names - (is_source ? p->inputs : p->outputs))};
}

/* Any total order will do, as long as equal arrows become neighbours. */
static int order_units(struct unit a, struct unit b)
{
    if (a.kind != b.kind)
        return a.kind < b.kind ? -1 : 1;
    return (a.index > b.index) - (a.index < b.index);
}

static int order_arrows(const void *x, const void *y)
{
    const struct arrow *a = x, *b = y;
    int order = order_units(a->from, b->from);

    return order ? order : order_units(a->to, b->to);
}

/*
 * Edges between the same two units become one arrow with their number; its name is that of the
 * first.
 */
static void collect_arrows(struct plan_diagram *p, const bp_report *report, uint32_t n)
{
    uint32_t used = 0, kept = 0;

    p->arrows = xalloc(n, sizeof *p->arrows);
    for (uint32_t i = 0; i < n; i++) {
        struct arrow *arrow = &p->arrows[used];
        uint32_t from, to;

        arrow->name = bp_report_edge(report, i, &from, &to);
        if (!is_shown(p, from, to))
            continue;
        arrow->count = 1;
        arrow->from = find_unit(p, from, arrow->name, true);
        arrow->to = find_unit(p, to, arrow->name, false);
        used += order_units(arrow->from, arrow->to) != 0; /* edges within one group are not shown */
    }
    if (used > 0)
        qsort(p->arrows, used, sizeof *p->arrows, order_arrows);
    for (uint32_t i = 0; i < used; i++) {
        if (kept > 0 && order_arrows(&p->arrows[kept - 1], &p->arrows[i]) == 0)
            p->arrows[kept - 1].count++;
        else
            p->arrows[kept++] = p->arrows[i];
    }
    p->n_arrows = kept;
}

bp_rc plan_diagram_init(struct plan_diagram *diagram, const bp_report *report, bool is_collapsed,
                        bp_err *err)
{
    uint32_t n = count_edges(report);
    bp_rc rc;

    diagram->is_collapsed = is_collapsed;
    rc = copy_rows(diagram, report, err);
    if (rc < 0) {
        plan_diagram_finish(diagram);
        return rc;
    }
    sort_members(diagram);
    name_ends(diagram, report, n);
    collect_arrows(diagram, report, n);
    return BP_OK;
}

void plan_diagram_finish(struct plan_diagram *diagram)
{
    free(diagram->providers);
    free(diagram->groups);
    free(diagram->nodes);
    free(diagram->members);
    free(diagram->inputs);
    free(diagram->outputs);
    free(diagram->arrows);
    *diagram = (struct plan_diagram){0};
}
