/* SPDX-License-Identifier: MIT */
/* rows.h - the rows behind a report: report.c writes them, read.c hands them out. */
#ifndef BP_REPORT_ROWS_H
#define BP_REPORT_ROWS_H

#include <backplane.h>

#include "base/fork.h"
#include "base/region.h"
#include "graph/mismatch.h"

/* Rows of one kind, grown by doubling. */
struct rows {
    void *data;
    uint32_t count, cap;
};

/*
 * One value from node `from` (BP_NONE: from outside) to node `to` (BP_NONE: an output of the
 * model).
 */
struct edge {
    const char *name;
    uint32_t from, to;
};

/* A provider's public row and where its options are in the list of options. */
struct provider_row {
    bp_report_provider row;
    uint32_t n_estimated; /* graphs of which it said what they take */
    uint32_t first_option, n_options;
};

/* A node's public row; its n_refusals refusals begin at first_refusal. */
struct node_row {
    bp_report_node row;
    uint32_t first_refusal;
};

struct bp_refused_sizes_row;

/* Rows that runs add while others read. */
struct refused_sizes {
    pthread_mutex_t lock;      /* of adding */
    struct bp_fork_watch fork; /* of the lock */
    struct bp_refused_sizes_row *_Atomic first;
    atomic_uint count;
    struct bp_region text;
};

/*
 * Texts of all rows are copies in `text`, so that a report outlives its session's graphs. Rows are
 * written by one thread, while a session is made; then any thread may read them.
 */
struct bp_report {
    struct bp_region text;
    struct rows providers;              /* struct provider_row */
    struct rows options;                /* bp_report_option */
    struct rows nodes;                  /* struct node_row */
    struct rows refusals;               /* bp_report_refusal */
    struct rows groups;                 /* bp_report_group */
    struct rows edges;                  /* struct edge */
    struct rows passes;                 /* bp_report_pass */
    struct bp_mismatches mismatches;    /* runs add to it */
    struct refused_sizes refused_sizes; /* and to this */
};

/* Row i, to be changed; valid until a row is added. */
static inline bp_report_provider *provider_at(const bp_report *report, uint32_t i)
{
    return &((struct provider_row *)report->providers.data)[i].row;
}

/* Node i, to be changed; valid until a row is added. */
static inline struct node_row *node_at(const bp_report *report, uint32_t i)
{
    return (struct node_row *)report->nodes.data + i;
}

#endif
