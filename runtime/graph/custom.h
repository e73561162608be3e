/* SPDX-License-Identifier: MIT */
/* custom.h - operators that an application defines: sets of them, and what a session looks up. */
#ifndef BP_GRAPH_CUSTOM_H
#define BP_GRAPH_CUSTOM_H

#include "graph/operands.h"
#include "graph/provider_ops.h"

/* A definition as a row of the schemas. Rows never move and live as long as their set. */
struct bp_custom {
    struct bp_schema schema; /* first, and with is_custom: see bp_custom_of() */
    bp_operator_def def;     /* a copy; its texts and operands are the set's */
    struct bp_operand_counts least;
};

/* Sets that were given to options or an environment. Start from {0}. */
struct bp_custom_list {
    bp_operators **sets; /* references */
    uint32_t count;
};

bp_rc bp_custom_list_add(struct bp_custom_list *list, bp_operators *set, bp_err *err) BP_CHECKED;
bp_rc bp_custom_list_copy(struct bp_custom_list *to, const struct bp_custom_list *from,
                          bp_err *err) BP_CHECKED;
void bp_custom_list_finish(struct bp_custom_list *list);

/* What one session knows: rows of its own sets, then of its environment's. */
struct bp_custom_table {
    const struct bp_custom **rows;
    uint32_t n_rows, n_own;
    struct bp_custom_list sets;          /* keeps the rows */
    bool is_user;                        /* the sets count it */
    struct bp_provider_ops of_providers; /* of the session's; the application's come before */
};

/*
 * Until it is finished the sets cannot grow. Either list may be NULL. BP_E_INVALID: an operator is in two
 * sets of one list. On failure finish it all the same.
 */
bp_rc bp_custom_table_init(struct bp_custom_table *table, const struct bp_custom_list *own,
                           const struct bp_custom_list *env, bp_err *err) BP_CHECKED;
void bp_custom_table_finish(struct bp_custom_table *table);
/* The row in force at imported version `opset`; NULL: none. table may be NULL. */
const struct bp_schema *bp_custom_find(const struct bp_custom_table *table, const char *domain,
                                       const char *op, uint32_t opset);

/* The definition behind a schema; NULL: it is one of the host's. */
static inline const struct bp_custom *bp_custom_of(const struct bp_schema *schema)
{
    return schema && schema->is_custom ? (const struct bp_custom *)(const void *)schema : NULL;
}

/* The shape rule of every such row: counts of lists, then the definition's callback. */
bp_rc bp_custom_infer(struct bp_infer *infer);

#endif
