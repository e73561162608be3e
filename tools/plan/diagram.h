/* SPDX-License-Identifier: MIT */
/* diagram.h - the plan diagram: its nodes, groups, model inputs and outputs, and arrows. */
#ifndef BP_TOOLS_PLAN_DIAGRAM_H
#define BP_TOOLS_PLAN_DIAGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <backplane.h>

/* The end of an arrow: what it is, and its index among the units of that kind. */
enum unit_kind { UNIT_NODE, UNIT_GROUP, UNIT_INPUT, UNIT_OUTPUT };

struct unit {
    enum unit_kind kind;
    uint32_t index;
};

struct arrow {
    struct unit from, to;
    const char *name; /* of one of the values that the arrow stands for */
    uint32_t count;   /* of values */
};

/* Rows are copies; their strings belong to the report, which must outlive the diagram. */
struct plan_diagram {
    bool is_collapsed; /* each group is one box; its nodes are not shown */
    bp_report_provider *providers;
    bp_report_group *groups;
    bp_report_node *nodes;
    uint32_t n_providers, n_groups, n_nodes;
    uint32_t *members;              /* node indices by group; those without one come last */
    const char **inputs, **outputs; /* names of the model's inputs and outputs, sorted */
    uint32_t n_inputs, n_outputs;
    struct arrow *arrows; /* sorted, each pair of units once */
    uint32_t n_arrows;
};

/* Fills a diagram that is {0}. On failure it is empty again. The caller finishes it. */
bp_rc plan_diagram_init(struct plan_diagram *diagram, const bp_report *report, bool is_collapsed,
                        bp_err *err) BP_CHECKED;
void plan_diagram_finish(struct plan_diagram *diagram);

/* Returns how many nodes group g has; they start at diagram->members[*first]. */
uint32_t plan_diagram_members(const struct plan_diagram *diagram, uint32_t g, uint32_t *first);

#endif
