/* SPDX-License-Identifier: MIT */
/* explain.h - what became of one provider, and why, as data: behind bp_explain(). */
#ifndef BP_REPORT_EXPLAIN_H
#define BP_REPORT_EXPLAIN_H

#include "base/text.h"
#include "host/env.h"
#include "report/report.h"

enum { BP_WHY_EXAMPLES = 3 }; /* nodes named for each reason */

/* Equal refusals of one provider. */
struct bp_why_refusal {
    uint32_t reason, count;
    const char *subject, *text;
    uint32_t examples[BP_WHY_EXAMPLES]; /* nodes of the report, the first ones */
};

struct bp_why {
    bp_report_provider row;          /* of the report, or made of what the environment knows */
    const bp_report *report;         /* NULL: the row is not of a report */
    uint32_t provider;               /* the row's index there */
    uint32_t n_total;                /* nodes in the report that providers may run */
    struct bp_why_refusal *refusals; /* most frequent first */
    uint32_t n_refusals;
};

/* Of a row of a report. Strings are the report's; then bp_why_finish(). */
bp_rc bp_why_of_row(struct bp_why *why, const bp_report *report, uint32_t row,
                    bp_err *err) BP_CHECKED;
void bp_why_finish(struct bp_why *why);
/* One sentence on how it ended. */
void bp_why_headline(const struct bp_why *why, struct bp_text *out);
/* What to do: its own fix, or what its most frequent refusal suggests; NULL: nothing. */
const char *bp_why_fix(const struct bp_why *why);
void bp_why_text(const struct bp_why *why, struct bp_text *out);
void bp_why_json(const struct bp_why *why, struct bp_text *out);

/*
 * Writes the explanation of a session to the file (appended) or "stderr" that BACKPLANE_REPORT
 * names, if it does. error: why there is no session, or NULL. Failures are logged.
 */
void bp_explain_session(bp_env *env, const bp_report *report, const char *error);

#endif
