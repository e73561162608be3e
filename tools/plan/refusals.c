/* SPDX-License-Identifier: MIT */
/* refusals.c - prints why providers refused nodes: one row for equal refusals. */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/orphans.h"
#include "lib/table.h"
#include "plan/text.h"

enum { REFUSALS_SHOWN = 30 /* kinds, not nodes */ };

void plan_more(size_t all, size_t shown)
{
    if (all > shown)
        printf("  and %zu more; --all-nodes lists them\n", all - shown);
}

/* One refusal, with the operator of its node. */
struct refusal {
    bp_report_refusal row;
    const char *op, *node;
    size_t count; /* of equal refusals, after the merge */
};

static int order_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* Orders by provider, reason, operator, subject and text, so that equal refusals are adjacent. */
static int order_refusals(const void *x, const void *y)
{
    const struct refusal *a = x, *b = y;
    int order;

    if (a->row.provider != b->row.provider)
        return a->row.provider < b->row.provider ? -1 : 1;
    if (a->row.reason != b->row.reason)
        return a->row.reason < b->row.reason ? -1 : 1;
    order = order_text(a->op, b->op);
    if (order == 0)
        order = order_text(a->row.subject, b->row.subject);
    return order ? order : order_text(a->row.text, b->row.text);
}

/* Refusals of host operators are not printed, because the host runs them without a provider. */
static bool is_host_node(const bp_report_node *node)
{
    return node->provider == BP_NONE && !is_orphan_node(node);
}

/* Returns all refusals, equal ones merged, and their count in *n. The caller frees the array. */
static bp_rc collect_refusals(const bp_report *report, struct refusal **out, size_t *n, bp_err *err)
{
    struct refusal *all = NULL;
    size_t used = 0, kinds = 0, cap = 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < bp_report_node_count(report); i++) {
        bp_report_node node = {.struct_size = sizeof node};

        rc = bp_report_get_node(report, i, &node, err);
        for (uint32_t j = 0; rc >= 0 && !is_host_node(&node) && j < node.n_refusals; j++) {
            if (used == cap) {
                cap = cap ? cap * 2 : 64;
                all = xrealloc(all, cap, sizeof *all);
            }
            all[used] = (struct refusal){.op = node.op, .node = node.name, .count = 1};
            all[used].row.struct_size = sizeof all[used].row;
            rc = bp_report_get_refusal(report, i, j, &all[used++].row, err);
        }
    }
    if (rc < 0) {
        free(all);
        return rc;
    }
    if (used > 0)
        qsort(all, used, sizeof *all, order_refusals);
    for (size_t i = 0; i < used; i++) {
        if (kinds > 0 && order_refusals(&all[kinds - 1], &all[i]) == 0)
            all[kinds - 1].count++;
        else
            all[kinds++] = all[i];
    }
    *out = all;
    *n = kinds;
    return BP_OK;
}

/* One row stands for `count` equal refusals and names the first node among them. */
static void add_refusal(struct table *table, const struct refusal *refusal, const char *provider)
{
    const bp_report_refusal *row = &refusal->row;
    struct bp_text why = {0};

    if (row->subject)
        text_printf(&why, "%s: ", row->subject);
    text_put(&why, row->text ? row->text : bp_reason_name(row->reason));
    table_add(table, provider);
    table_add(table, refusal->op);
    table_addf(table, "%zu", refusal->count);
    table_add(table, bp_reason_name(row->reason));
    table_add(table, text_string(&why));
    table_add_styled(table, STYLE_DIM, refusal->node);
    text_finish(&why);
}

bp_rc plan_refusals(const struct cli *cli, const bp_report *report, bool all, bp_err *err)
{
    static const char *const heads[] = {"refused by", "operator", "nodes", "reason", "", "first"};
    struct table table = {.columns = 6, .right = 1u << 2};
    struct refusal *refusals = NULL;
    size_t n = 0, shown;
    bp_rc rc = collect_refusals(report, &refusals, &n, err);

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        table_add(&table, heads[i]);
    shown = all || n < REFUSALS_SHOWN ? n : REFUSALS_SHOWN;
    for (size_t i = 0; rc >= 0 && i < shown; i++) {
        bp_report_provider provider = {.struct_size = sizeof provider};

        rc = bp_report_get_provider(report, refusals[i].row.provider, &provider, err);
        if (rc >= 0)
            add_refusal(&table, &refusals[i], provider.name);
    }
    if (rc >= 0 && n > 0) {
        putchar('\n');
        table_print(&table, cli, 0, true);
        plan_more(n, shown);
    }
    table_finish(&table);
    free(refusals);
    return rc;
}
