/* SPDX-License-Identifier: MIT */
/* refused_sizes.c - groups that did not run on their provider for some sizes; runs add to them. */

#include "config.h"

#include "report/rows.h"
#include "text/json.h"

#include "report/report.h"

/* A row, in a list that only grows while runs read it. */
struct bp_refused_sizes_row {
    bp_report_refused_sizes row;
    struct bp_refused_sizes_row *_Atomic next;
};

/* Makes a row with copies of its texts; the caller holds the lock. */
static struct bp_refused_sizes_row *make_row(struct refused_sizes *list,
                                             const bp_report_refused_sizes *from)
{
    struct bp_refused_sizes_row *made = bp_region_alloc(&list->text, sizeof *made);

    if (!made)
        return NULL;
    made->row = *from;
    made->row.node = bp_region_string(&list->text, from->node);
    made->row.sizes = bp_region_string(&list->text, from->sizes);
    made->row.text = bp_region_string(&list->text, from->text);
    return made->row.node && made->row.sizes && made->row.text ? made : NULL;
}

/* The count is published after the row. */
bp_rc bp_report_add_refused_sizes(bp_report *report, const bp_report_refused_sizes *row,
                                  bp_err *err)
{
    struct refused_sizes *list = &report->refused_sizes;
    struct bp_refused_sizes_row *made;

    pthread_mutex_lock(&list->lock);
    made = make_row(list, row);
    if (made) {
        struct bp_refused_sizes_row *_Atomic *at = &list->first;

        while (atomic_load(at))
            at = &atomic_load(at)->next;
        atomic_store(at, made);
        atomic_fetch_add(&list->count, 1);
    }
    pthread_mutex_unlock(&list->lock);
    return made ? BP_OK : bp_fail_nomem(err, "the report");
}

uint32_t bp_report_refused_sizes_count(const bp_report *report)
{
    if (!report)
        return 0;
    return atomic_load(&report->refused_sizes.count);
}

bp_rc bp_report_get_refused_sizes(const bp_report *report, uint32_t i, bp_report_refused_sizes *out,
                                  bp_err *err)
{
    const struct bp_refused_sizes_row *found;

    if (!report)
        return bp_fail_null(err, "the report");
    found = atomic_load(&report->refused_sizes.first);
    for (uint32_t at = i; found && at > 0; at--)
        found = atomic_load(&found->next);
    if (!found)
        return bp_fail(err, BP_E_INVALID, "the report has %u refused sizes, there is no row %u",
                       bp_report_refused_sizes_count(report), i);
    return bp_done(err, bp_give_out(out, &found->row, err));
}

void bp_report_put_refused_sizes(const bp_report *report, struct bp_text *text)
{
    uint32_t n = report ? bp_report_refused_sizes_count(report) : 0;

    bp_json_open(text, "refused_sizes", '[');
    for (uint32_t i = 0; i < n; i++) {
        bp_report_refused_sizes row = {.struct_size = sizeof row};

        if (bp_report_get_refused_sizes(report, i, &row, NULL) < 0)
            continue;
        bp_json_open(text, NULL, '{');
        bp_json_string(text, "provider", provider_at(report, row.provider)->name);
        bp_json_string(text, "node", row.node);
        bp_json_int(text, "nodes", row.n_nodes);
        bp_json_string(text, "sizes", row.sizes);
        bp_json_string(text, "text", row.text);
        bp_json_close(text, '}');
    }
    bp_json_close(text, ']');
}
