/* SPDX-License-Identifier: MIT */
/*
 * placement_rules.h - placement rules: which nodes an application wants on, or off, which provider.
 */
#ifndef BP_PLAN_PLACEMENT_RULES_H
#define BP_PLAN_PLACEMENT_RULES_H

#include "graph/ir.h"

/* The property of a node that a rule's pattern is compared with. */
enum bp_placement_kind { BP_PLACEMENT_NAME, BP_PLACEMENT_OP, BP_PLACEMENT_PATH };

struct bp_placement_rule {
    char *text; /* as written, for messages and the report */
    enum bp_placement_kind kind;
    char *pattern;
    char *provider; /* in any spelling */
    bool is_ban;    /* not on that provider */
};

/* The first rule that names a provider for a node counts. Owned. Start from {0}. */
struct bp_placement_list {
    struct bp_placement_rule *rules;
    uint32_t count;
};

/* Placement rules for the graph at a path. */
struct bp_placement {
    const struct bp_placement_list *rules;
    bool *has_matched; /* one a rule: set when a node that a provider could run is in it */
    const char *path;
};

/* Appends a rule, see bp_session_options_add_placement(). BP_E_INVALID: it is none. */
bp_rc bp_placement_list_add(struct bp_placement_list *list, const char *text,
                            bp_err *err) BP_CHECKED;
/* Appends the rules of a file: one a line, blank lines and # comments aside. */
bp_rc bp_placement_list_read(struct bp_placement_list *list, const char *path,
                             bp_err *err) BP_CHECKED;
bp_rc bp_placement_list_copy(struct bp_placement_list *to, const struct bp_placement_list *from,
                             bp_err *err) BP_CHECKED;
void bp_placement_list_finish(struct bp_placement_list *list);

/* Does the rule match a node of the graph at `path` ("loop1/then", "" at the top)? */
bool bp_placement_rule_matches(const struct bp_placement_rule *rule, const struct bp_ir_node *node,
                               const char *path);

#endif
