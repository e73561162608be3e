/* SPDX-License-Identifier: MIT */
/* missing.h - operators that no provider takes, for one error that says what to do about them. */
#ifndef BP_COMPILE_MISSING_H
#define BP_COMPILE_MISSING_H

#include "graph/ir.h"
#include "plan/claims.h"
#include "text/text.h"

/* Nodes of one operator that lack a provider for one reason. */
struct bp_missing_row {
    const struct bp_ir_node *first;
    const char *subject, *text; /* why, or NULL */
    uint32_t n_nodes;
};

/* Start from {0}. Nodes and texts are borrowed. */
struct bp_missing {
    struct bp_missing_row *rows;
    uint32_t n_rows;
    uint32_t n_nodes;    /* all that lack a provider */
    uint32_t n_unlisted; /* of them, not in a row, as there are so many operators */
    uint32_t n_untyped;  /* of them, after operators that are unknown: these are not to blame */
    uint32_t detail;     /* BP_DETAIL_* of the first that has any; else 0 */
    bool is_unknown;     /* a row's operator is unknown */
};

/*
 * Adds a node. facts: of its graph. why: the verdict that counts; NULL: there is none. A node of a
 * known operator that reads a value of unknown type is only counted, once there is an unknown operator.
 */
bp_rc bp_missing_add(struct bp_missing *missing, const struct bp_ir_node *node,
                     const struct bp_fact *facts, const struct bp_verdict *why,
                     bp_err *err) BP_CHECKED;
/* Appends "no provider takes 3 nodes: ..." with the ways out. */
void bp_missing_write(const struct bp_missing *missing, struct bp_text *out);
void bp_missing_finish(struct bp_missing *missing);

#endif
