/* SPDX-License-Identifier: MIT */
/* plan.h - a report of who runs what, as text and as a picture. */
#ifndef BP_TOOLS_PLAN_H
#define BP_TOOLS_PLAN_H

#include "lib/cli.h"
#include "lib/text.h"

/*
 * Prints providers, groups with their copies, refusals with their reasons, and nodes that nobody
 * takes; with all_nodes every node and no shortened list. Prints what fails; returns an exit code.
 */
int plan_print(struct cli *cli, const bp_report *report, bool all_nodes);

/* "dnnl 3, cpu 1": who runs how many nodes. */
void plan_placement(struct bp_text *out, const bp_report *report);

/*
 * Writes the plan in Graphviz's language. Above 400 nodes each group is one box, unless all_nodes.
 * title: what the picture is of.
 */
int plan_dot(struct cli *cli, const bp_report *report, const char *title, bool all_nodes,
             struct bp_text *out);

/* Draws such a text as an SVG file, by Graphviz's dot. Prints what fails; returns an exit code. */
int svg_draw(const struct cli *cli, const struct bp_text *dot, const char *path);

#endif
