/* SPDX-License-Identifier: MIT */
/* diagram.h - what a picture of a report shows: boxes, ellipses and the arrows between them. */
#ifndef BP_TOOLS_PICTURE_H
#define BP_TOOLS_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <backplane.h>

/* What an arrow may start from or lead to, and its index among its kind. */
enum unit_kind { UNIT_NODE, UNIT_GROUP, UNIT_INPUT, UNIT_OUTPUT };

struct unit {
    enum unit_kind kind;
    uint32_t index;
};

struct arrow {
    struct unit from, to;
    const char *name; /* of a value that goes this way */
    uint32_t count;   /* how many do */
};

/* Rows are copies, their strings the report's. */
struct picture {
    bool is_collapsed; /* groups are boxes, and their nodes not shown */
    bp_report_provider *providers;
    bp_report_group *groups;
    bp_report_node *nodes;
    uint32_t n_providers, n_groups, n_nodes;
    uint32_t *members;              /* node indices, group by group; those without one at the end */
    const char **inputs, **outputs; /* names of the model's own, sorted */
    uint32_t n_inputs, n_outputs;
    struct arrow *arrows; /* sorted, each pair of units once */
    uint32_t n_arrows;
};

/* Starts as {0}. On failure it holds nothing. */
bp_rc picture_init(struct picture *picture, const bp_report *report, bool is_collapsed,
                   bp_err *err) BP_CHECKED;
void picture_finish(struct picture *picture);

/* Members of group g: *first is their place in picture->members. */
uint32_t picture_members(const struct picture *picture, uint32_t g, uint32_t *first);

#endif
