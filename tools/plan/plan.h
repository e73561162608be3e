/* SPDX-License-Identifier: MIT */
/* plan.h - prints a report of a plan as tables, and draws it as a plan diagram. */
#ifndef BP_TOOLS_PLAN_H
#define BP_TOOLS_PLAN_H

#include "lib/cli.h"
#include "lib/text.h"

/*
 * Prints providers, groups with their copies, refusals with their reasons, and nodes without
 * a provider. With all_nodes it prints every node and shortens no table. Prints errors; returns an
 * exit code.
 */
int plan_print(struct cli *cli, const bp_report *report, bool all_nodes);

/* "dnnl 3, cpu 1": how many nodes each provider runs. */
void plan_placement(struct bp_text *out, const bp_report *report);

/*
 * Writes the plan diagram as DOT (https://graphviz.org/doc/info/lang.html). With more than 400
 * nodes each group is one box, unless all_nodes. title: the model's file name.
 */
int plan_dot(struct cli *cli, const bp_report *report, const char *title, bool all_nodes,
             struct bp_text *out);

/* Runs Graphviz's dot to draw DOT text as an SVG file. Prints errors; returns an exit code. */
int svg_draw(const struct cli *cli, const struct bp_text *dot, const char *path);

#endif
