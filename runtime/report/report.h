/* SPDX-License-Identifier: MIT */
/* report.h - builds the report of backplane.h: providers, the provider of each node, refusals. */
#ifndef BP_REPORT_REPORT_H
#define BP_REPORT_REPORT_H

#include "plan/partition.h"
#include "text/text.h"

struct bp_mismatches;

/*
 * An empty report, to be destroyed with bp_report_destroy(). BP_E_NOMEM, which is also the only
 * failure of the functions below.
 */
bp_rc bp_report_create(bp_report **out, bp_err *err) BP_CHECKED;
/* Its list of declared shapes that do not fit; lives as long as the report. */
struct bp_mismatches *bp_report_mismatches(bp_report *report);
/* The same as JSON, "mismatches"; an empty list without a report. */
void bp_report_put_mismatches(const bp_report *report, struct bp_text *text);
/* Adds a row, copied. BP_E_NOMEM. [any thread] */
bp_rc bp_report_add_refused_sizes(bp_report *report, const bp_report_refused_sizes *row,
                                  bp_err *err) BP_CHECKED;
/* As JSON, "refused_sizes"; an empty list without a report. */
void bp_report_put_refused_sizes(const bp_report *report, struct bp_text *text);

/* A provider's row, copied; index in *out. */
bp_rc bp_report_add_provider(bp_report *report, const bp_report_provider *row, uint32_t *out,
                             bp_err *err) BP_CHECKED;
/* An option of the provider's row that was added last, copied. */
bp_rc bp_report_add_option(bp_report *report, uint32_t provider, const bp_report_option *row,
                           bp_err *err) BP_CHECKED;
/* A provider's options as a list in JSON, "options"; an empty one without a report. */
void bp_report_put_options(const bp_report *report, uint32_t provider, struct bp_text *text);
/* Sets how far a provider came, and why no further; reason may be NULL. */
bp_rc bp_report_end_provider(bp_report *report, uint32_t provider, uint32_t stage, bp_rc code,
                             const char *reason, const char *fix, bp_err *err) BP_CHECKED;
/*
 * Adds the nodes, refusals, groups and edges of a graph. rows[i] is the report's row of the i-th
 * provider that the partition asked, asked[i]. path: names of the nodes around it, "" at the top.
 */
bp_rc bp_report_add_graph(bp_report *report, const struct bp_partition *part,
                          const struct bp_asked *asked, const uint32_t *rows, const char *path,
                          bp_err *err) BP_CHECKED;
/* How group row i became a program, as in bp_report_group; the text is copied. */
bp_rc bp_report_set_group_program(bp_report *report, uint32_t i, uint32_t how, uint64_t ns,
                                  const char *text, bp_err *err) BP_CHECKED;
/* How many frames of group row i there may be, and what one holds, as in bp_report_group. */
void bp_report_set_group_frames(bp_report *report, uint32_t i, uint32_t max_frames,
                                uint64_t frame_bytes);
/* What a provider estimates of group row i; sizes and times as in bp_report_group. */
void bp_report_set_group_estimate(bp_report *report, uint32_t i, const bp_report_group *estimated);
/* Adds what it estimates of one graph, sizes and times as in bp_report_provider. */
void bp_report_add_graph_estimate(bp_report *report, uint32_t provider,
                                  const bp_report_provider *estimated);
/* How a pass went; texts are borrowed for ever. */
bp_rc bp_report_add_pass(bp_report *report, const bp_report_pass *row, bp_err *err) BP_CHECKED;
/*
 * Takes out all graphs and passes, to begin again with fewer providers; providers' rows stay.
 * Indices of nodes and groups begin at 0 again.
 */
void bp_report_clear_graphs(bp_report *report);
/* Why the first of the nodes that would be slower with a provider is; "" where none would be. */
const char *bp_report_cost_text(const bp_report *report, uint32_t provider);
/* "180 DTYPE, 30 RANK": the reasons for which a provider refused nodes; "" when it refused none. */
void bp_report_count_refusals(const bp_report *report, uint32_t provider, char *buf, size_t cap);

#endif
