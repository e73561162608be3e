/* SPDX-License-Identifier: MIT */
/* explain.h - what bp_explain() says of one provider, as data. */
#ifndef BP_REPORT_EXPLAIN_H
#define BP_REPORT_EXPLAIN_H

#include "host/env.h"
#include "report/report.h"
#include "text/json.h"

enum { BP_EXPLANATION_EXAMPLES = 3 }; /* nodes named for each reason */

/* A node that the provider refused. */
struct bp_explained_node {
    uint32_t reason, node; /* its index in the report */
    const char *op, *subject, *text;
};

/*
 * Refusals of one provider that have a reason and a text in common; without a text, a reason and a
 * subject. Nodes are in the report's order.
 */
struct bp_explained_refusal {
    uint32_t reason, count;
    const char *text;
    const struct bp_explained_node *nodes;
};

struct bp_operator_count {
    const char *op;
    uint32_t count;
};

/* What is said of one provider. Strings belong to the report or to the environment. */
struct bp_explanation {
    bp_report_provider row;  /* of the report, or made of what the environment knows */
    const bp_report *report; /* NULL: the row is not of a report */
    uint32_t provider;       /* the row's index there */
    uint32_t n_total;        /* nodes in the report that providers may run */
    struct bp_explained_node *refused;
    uint32_t n_refused;
    struct bp_explained_refusal *refusals; /* most frequent first; of `refused` */
    uint32_t n_refusals;
};

/* Of a row of a report. Strings are the report's; then bp_explanation_finish(). */
bp_rc bp_explanation_of_row(struct bp_explanation *explanation, const bp_report *report,
                            uint32_t row, bp_err *err) BP_CHECKED;
/* Frees the lists of refusals. {0} is fine. */
void bp_explanation_finish(struct bp_explanation *explanation);
/*
 * How many of the nodes each operator has, the most frequent first; to free with free(). False: no
 * memory.
 */
bool bp_refusal_count_operators(const struct bp_explained_refusal *refusal,
                                struct bp_operator_count **out, uint32_t *n) BP_CHECKED;
/* One sentence on how it ended. */
void bp_explanation_headline(const struct bp_explanation *explanation, struct bp_text *out);
/* What to do: its own fix, or what its most frequent refusal suggests; NULL: nothing. */
const char *bp_explanation_fix(const struct bp_explanation *explanation);
/* Appends it as lines of text; a failure is out->failed. */
void bp_explanation_text(const struct bp_explanation *explanation, struct bp_text *out);
/* Appends it as a JSON object; a failure is out->failed. */
void bp_explanation_json(const struct bp_explanation *explanation, struct bp_text *out);

/*
 * Writes the explanation of a session to the file (appended) or "stderr" that BACKPLANE_REPORT
 * names, if it does. error: why there is no session, or NULL. Failures are logged.
 */
void bp_explain_session(bp_env *env, const bp_report *report, const char *error);

#endif
