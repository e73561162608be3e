/* SPDX-License-Identifier: MIT */
/* dot_style.c - colours, names and the legend of a plan diagram. */

#include "config.h"

#include "plan/dot.h"

#include <inttypes.h>

#include "lib/orphans.h"
#include "plan/plan.h"
#include "text/utf8.h"

enum { NAME_SHOWN = 30 }; /* code points of a name; the rest is cut off */

/*
 * The palette of Okabe and Ito (2008), which colour-blind readers can tell apart. Providers get
 * colours in the order of their priority.
 */
static const uint32_t palette[] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7,
                                   0x56b4e9, 0xd55e00, 0xf0e442};

/* `percent` of a provider's colour, the rest white: "#d6e8f3". */
static void put_colour(struct bp_text *out, uint32_t provider, unsigned percent)
{
    uint32_t colour = palette[provider % (sizeof palette / sizeof palette[0])];

    text_put(out, "#");
    for (unsigned shift = 24; shift > 0; shift -= 8) {
        unsigned part = colour >> (shift - 8) & 0xff;

        text_printf(out, "%02x", (part * percent + 255 * (100 - percent)) / 100);
    }
}

/* Appends a string in double quotes, where Graphviz reads entities and backslash escapes. */
void dot_quoted(struct bp_text *out, const char *string)
{
    struct bp_text html = {0};

    text_html(&html, string);
    for (const char *s = text_string(&html); *s; s++)
        text_add(out, *s == '\\' ? "\\\\" : s, *s == '\\' ? 2 : 1);
    text_finish(&html);
}

/* The end of a name is kept, because names of exporters differ there. */
void dot_name(struct bp_text *out, const char *name)
{
    size_t width = utf8_width(name);

    if (width > NAME_SHOWN) {
        text_put(out, "\xe2\x80\xa6");
        for (; width >= NAME_SHOWN; width--)
            bp_utf8_next(&name);
    }
    text_html(out, name);
}

void dot_count(struct bp_text *out, uint32_t n, const char *noun)
{
    text_printf(out, "%" PRIu32 " %s%s", n, noun, n == 1 ? "" : "s");
}

void dot_fill(struct bp_text *out, uint32_t provider, unsigned percent, bool is_orphan)
{
    if (provider == BP_NONE) {
        text_put(out, is_orphan ? "fillcolor=\"#ffebe9\", color=\"" ORPHAN "\", penwidth=2"
                                : "fillcolor=white, color=\"" HOST "\"");
        return;
    }
    text_put(out, "fillcolor=\"");
    put_colour(out, provider, percent);
    text_put(out, "\", color=\"");
    put_colour(out, provider, 100);
    text_put(out, "\"");
}

/* One cell of the legend. */
static void put_legend_cell(struct bp_text *out, const struct plan_diagram *p, uint32_t i)
{
    const bp_report_provider *row = &p->providers[i];

    if (row->n_nodes == 0) {
        text_put(out, "<td border=\"1\" color=\"" HOST "\"><font color=\"" FAINT_INK "\">");
        text_html(out, row->name);
        text_put(out, row->code < 0 && row->stage < BP_STAGE_CAPABILITY
                          ? " \xc2\xb7 not usable</font></td>"
                          : " \xc2\xb7 no nodes</font></td>");
        return;
    }
    text_put(out, "<td border=\"1\" bgcolor=\"");
    put_colour(out, i, 35);
    text_put(out, "\" color=\"");
    put_colour(out, i, 100);
    text_put(out, "\">");
    text_html(out, row->name);
    text_put(out, " \xc2\xb7 ");
    dot_count(out, row->n_nodes, "node");
    text_put(out, " \xc2\xb7 ");
    dot_count(out, row->n_groups, "group");
    text_put(out, "</td>");
}

/* Legend cells for host operators and for nodes without a provider, if there are any. */
static void put_legend_rest(struct bp_text *out, const struct plan_diagram *p)
{
    uint32_t host_nodes = 0, orphans = 0;

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        host_nodes += p->nodes[i].provider == BP_NONE && !is_orphan_node(&p->nodes[i]);
        orphans += is_orphan_node(&p->nodes[i]);
    }
    if (host_nodes) {
        text_put(out, "<td border=\"1\" color=\"" HOST "\">the host itself \xc2\xb7 ");
        dot_count(out, host_nodes, "node");
        text_put(out, "</td>");
    }
    if (orphans) {
        text_put(out,
                 "<td border=\"1\" color=\"" ORPHAN "\" bgcolor=\"#ffebe9\">no provider \xc2\xb7 ");
        dot_count(out, orphans, "node");
        text_put(out, "</td>");
    }
}

void dot_head(struct bp_text *out, const struct plan_diagram *p, const char *title)
{
    text_put(
        out,
        "digraph plan {\n"
        "  graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, fontcolor=\"" INK "\",\n"
        "         rankdir=TB, nodesep=0.3, ranksep=0.35, pad=0.3, bgcolor=white, labelloc=t, "
        "pack=16,\n"
        "         tooltip=\" \",\n"
        "         label=<<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"3\">"
        "<tr><td><font point-size=\"16\"><b>");
    text_html(out, title);
    text_put(out, "</b></font></td></tr><tr><td><font color=\"" FAINT_INK "\">");
    dot_count(out, p->n_nodes, "node");
    text_put(out, " in ");
    dot_count(out, p->n_groups, "group");
    text_put(out, p->is_collapsed ? ", which are drawn as one box each" : "");
    text_put(out, "</font></td></tr><tr><td><table border=\"0\" cellborder=\"0\" cellspacing=\"5\" "
                  "cellpadding=\"4\"><tr>");
    for (uint32_t i = 0; i < p->n_providers; i++)
        put_legend_cell(out, p, i);
    put_legend_rest(out, p);
    if (p->n_providers == 0)
        text_put(out, "<td>no provider</td>");
    text_put(out,
             "</tr></table></td></tr></table>>];\n"
             "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, fontcolor=\"" INK
             "\",\n"
             "        shape=box, style=\"rounded,filled\", margin=\"0.14,0.05\", height=0.35];\n"
             "  edge [color=\"" HOST "\", arrowsize=0.6, penwidth=1,\n"
             "        fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, fontcolor=\"" FAINT_INK
             "\"];\n");
}
