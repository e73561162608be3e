/* SPDX-License-Identifier: MIT */
/* dot.c - writes a plan diagram as DOT: one colour per provider, one cluster per group. */

#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/orphans.h"
#include "plan/dot.h"
#include "plan/plan.h"

enum {
    NODES_SHOWN = 400, /* more are collapsed into their groups */
    OPS_SHOWN = 3      /* operators named in the box of a group */
};

struct drawing {
    const struct plan_diagram *diagram;
    const bp_report *report;
    struct bp_text *out;
};

/*
 * The tooltip of a node, which browsers show for an SVG: its full name, and each refusal with its
 * reason.
 */
static bp_rc put_tooltip(const struct drawing *d, uint32_t i, bp_err *err)
{
    const bp_report_node *node = &d->diagram->nodes[i];

    dot_quoted(d->out, node->op);
    text_put(d->out, " ");
    dot_quoted(d->out, node->name);
    if (*node->path) {
        text_put(d->out, "\\nin ");
        dot_quoted(d->out, node->path);
    }
    for (uint32_t j = 0; j < node->n_refusals; j++) {
        bp_report_refusal row = {.struct_size = sizeof row};
        bp_rc rc = bp_report_get_refusal(d->report, i, j, &row, err);

        if (rc < 0)
            return rc;
        text_put(d->out, "\\n");
        if (row.provider < d->diagram->n_providers)
            dot_quoted(d->out, d->diagram->providers[row.provider].name);
        text_printf(d->out, " refused: %s", bp_reason_name(row.reason));
        if (row.subject) {
            text_put(d->out, ", ");
            dot_quoted(d->out, row.subject);
        }
        if (row.text) {
            text_put(d->out, ": ");
            dot_quoted(d->out, row.text);
        }
    }
    return BP_OK;
}

/* The label is HTML-like text of DOT, so text of the model is escaped as in HTML. */
static bp_rc put_node(const struct drawing *d, uint32_t i, bp_err *err)
{
    const bp_report_node *node = &d->diagram->nodes[i];
    bp_rc rc;

    text_printf(d->out, "    n%" PRIu32 " [label=<<b>", i);
    text_html(d->out, node->op);
    text_put(d->out, "</b><br/><font point-size=\"8\" color=\"" FAINT_INK "\">");
    dot_name(d->out, *node->name ? node->name : node->op);
    text_put(d->out, "</font>>, ");
    dot_fill(d->out, node->provider, 35, is_orphan_node(node));
    text_put(d->out, ", tooltip=\"");
    rc = put_tooltip(d, i, err);
    text_put(d->out, "\"];\n");
    return rc;
}

/* "gizmo · gizmo0 · group 2 · 5 nodes · 2 copies, 1.2 MB"; the device where its provider tells */
static void put_group_title(const struct drawing *d, uint32_t g)
{
    const bp_report_group *group = &d->diagram->groups[g];

    text_html(d->out, group->provider < d->diagram->n_providers
                          ? d->diagram->providers[group->provider].name
                          : "host");
    if (group->device_id && *group->device_id) {
        text_put(d->out, " \xc2\xb7 ");
        text_html(d->out, group->device_id);
    }
    text_printf(d->out, " \xc2\xb7 group %" PRIu32 " \xc2\xb7 ", g);
    dot_count(d->out, group->n_nodes, "node");
    if (group->n_copies) {
        text_printf(d->out, " \xc2\xb7 %" PRIu32 " %s, ", group->n_copies,
                    group->n_copies == 1 ? "copy" : "copies");
        text_copies(d->out, group->n_copies, group->n_unsized_copies, group->copy_bytes);
    }
    if (*group->path) {
        text_put(d->out, " \xc2\xb7 in ");
        dot_name(d->out, group->path);
    }
}

/* A group as a DOT cluster: a frame around its nodes. */
static bp_rc put_frame(const struct drawing *d, uint32_t g, bp_err *err)
{
    uint32_t first, n = plan_diagram_members(d->diagram, g, &first);
    bp_rc rc = BP_OK;

    text_printf(d->out,
                "  subgraph cluster_g%" PRIu32 " {\n"
                "    graph [style=\"rounded,filled\", labeljust=l, margin=10, tooltip=\" \", ",
                g);
    dot_fill(d->out, d->diagram->groups[g].provider, 9, false);
    text_put(d->out, ",\n           label=<");
    put_group_title(d, g);
    text_put(d->out, ">];\n");
    for (uint32_t i = 0; rc >= 0 && i < n; i++)
        rc = put_node(d, d->diagram->members[first + i], err);
    text_put(d->out, "  }\n");
    return rc;
}

struct op_count {
    const char *op;
    uint32_t n;
};

static int order_ops(const void *a, const void *b)
{
    return strcmp(((const struct op_count *)a)->op, ((const struct op_count *)b)->op);
}

/* The most frequent first; equal ones by name, so that the output does not depend on qsort(). */
static int order_counts(const void *x, const void *y)
{
    const struct op_count *a = x, *b = y;

    return a->n != b->n ? (a->n < b->n ? 1 : -1) : strcmp(a->op, b->op);
}

/* "24 Conv, 20 Relu, 3 Add, ...": the most frequent operators of a group. */
static void put_common_ops(const struct drawing *d, uint32_t g)
{
    uint32_t first, n = plan_diagram_members(d->diagram, g, &first), kinds = 0;
    struct op_count *ops = xalloc(n, sizeof *ops);

    for (uint32_t i = 0; i < n; i++)
        ops[i] = (struct op_count){d->diagram->nodes[d->diagram->members[first + i]].op, 1};
    qsort(ops, n, sizeof *ops, order_ops);
    for (uint32_t i = 0; i < n; i++) {
        if (kinds > 0 && strcmp(ops[kinds - 1].op, ops[i].op) == 0)
            ops[kinds - 1].n++;
        else
            ops[kinds++] = ops[i];
    }
    qsort(ops, kinds, sizeof *ops, order_counts);
    for (uint32_t i = 0; i < kinds && i < OPS_SHOWN; i++) {
        text_printf(d->out, "%s%" PRIu32 " ", i ? ", " : "", ops[i].n);
        text_html(d->out, ops[i].op);
    }
    if (kinds > OPS_SHOWN)
        text_put(d->out, ", \xe2\x80\xa6");
    free(ops);
}

/* A group as one box. */
static void put_box(const struct drawing *d, uint32_t g)
{
    text_printf(d->out, "    g%" PRIu32 " [label=<<b>", g);
    put_group_title(d, g);
    text_put(d->out, "</b><br/><font point-size=\"9\" color=\"" FAINT_INK "\">");
    put_common_ops(d, g);
    text_put(d->out, "</font>>, ");
    dot_fill(d->out, d->diagram->groups[g].provider, 35, false);
    text_put(d->out, ", tooltip=\" \"];\n");
}

/* `kind` is the first letter of the DOT names: i for inputs, o for outputs. */
static void put_ends(const struct drawing *d, char kind, const char *const *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        text_printf(d->out,
                    "  %c%" PRIu32 " [shape=ellipse, style=filled, fillcolor=\"#f6f8fa\", "
                    "color=\"" FAINT_INK "\", label=<",
                    kind, i);
        dot_name(d->out, names[i]);
        text_printf(d->out, ">, tooltip=\"%s ", kind == 'i' ? "input" : "output");
        dot_quoted(d->out, names[i]);
        text_put(d->out, "\"];\n");
    }
}

/* The provider whose memory holds a unit's result; BP_NONE for host memory. */
static uint32_t owner(const struct plan_diagram *p, struct unit unit)
{
    if (unit.kind == UNIT_NODE)
        return p->nodes[unit.index].provider;
    return unit.kind == UNIT_GROUP ? p->groups[unit.index].provider : BP_NONE;
}

/* An arrow between two providers is bold, because there data may be copied. */
static void put_arrow(const struct drawing *d, const struct arrow *arrow)
{
    static const char letters[] = {'n', 'g', 'i', 'o'}; /* by unit_kind */
    uint32_t from = owner(d->diagram, arrow->from), to = owner(d->diagram, arrow->to);

    text_printf(d->out, "  %c%" PRIu32 " -> %c%" PRIu32 " [tooltip=\"", letters[arrow->from.kind],
                arrow->from.index, letters[arrow->to.kind], arrow->to.index);
    dot_quoted(d->out, arrow->name);
    if (arrow->count > 1)
        text_printf(d->out, " and %" PRIu32 " more\", label=\" %" PRIu32, arrow->count - 1,
                    arrow->count);
    text_put(d->out, "\"");
    if (from != to && from != BP_NONE && to != BP_NONE)
        text_put(d->out, ", color=\"" INK "\", penwidth=1.8");
    text_put(d->out, "];\n");
}

static bp_rc put_all(const struct drawing *d, bp_err *err)
{
    const struct plan_diagram *p = d->diagram;
    uint32_t first, n;
    bp_rc rc = BP_OK;

    put_ends(d, 'i', p->inputs, p->n_inputs);
    for (uint32_t g = 0; rc >= 0 && g < p->n_groups; g++) {
        if (p->is_collapsed)
            put_box(d, g);
        else
            rc = put_frame(d, g, err);
    }
    n = plan_diagram_members(p, p->n_groups, &first);
    for (uint32_t i = 0; rc >= 0 && i < n; i++)
        rc = put_node(d, p->members[first + i], err);
    put_ends(d, 'o', p->outputs, p->n_outputs);
    for (uint32_t i = 0; i < p->n_arrows; i++)
        put_arrow(d, &p->arrows[i]);
    text_put(d->out, "}\n");
    return rc;
}

int plan_dot(struct cli *cli, const bp_report *report, const char *title, bool all_nodes,
             struct bp_text *out)
{
    bool is_collapsed = !all_nodes && bp_report_node_count(report) > NODES_SHOWN;
    struct plan_diagram diagram = {0};
    const struct drawing drawing = {&diagram, report, out};
    bp_rc rc = plan_diagram_init(&diagram, report, is_collapsed, &cli->err);

    if (rc >= 0) {
        dot_head(out, &diagram, title);
        rc = put_all(&drawing, &cli->err);
    }
    plan_diagram_finish(&diagram);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}
