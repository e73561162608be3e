/* SPDX-License-Identifier: MIT */
/* explain_provider.c - collects what a report says of one provider. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "report/explain.h"

/* Compares texts; an absent one sorts as an empty one. */
static int order_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/*
 * Orders what belongs to one row. Subjects count only where there is no text: most are names of
 * values, which would make a row for each node.
 */
static int order_kind(const struct bp_explained_node *a, const struct bp_explained_node *b)
{
    int order;

    if (a->reason != b->reason)
        return a->reason < b->reason ? -1 : 1;
    order = order_text(a->text, b->text);
    return order == 0 && !a->text && !b->text ? order_text(a->subject, b->subject) : order;
}

/* Orders nodes so that those of one row are adjacent, in the report's order. */
static int order_nodes(const void *x, const void *y)
{
    const struct bp_explained_node *a = x, *b = y;
    int order = order_kind(a, b);

    return order ? order : (a->node > b->node) - (a->node < b->node);
}

/* Orders by count, the most frequent first; equal counts keep the order of order_nodes(). */
static int order_count(const void *x, const void *y)
{
    const struct bp_explained_refusal *a = x, *b = y;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return order_nodes(a->nodes, b->nodes);
}

/* Makes the rows. */
static bp_rc group(struct bp_explanation *explanation, bp_err *err)
{
    struct bp_explained_refusal *rows;
    uint32_t n = 0;

    if (explanation->n_refused == 0)
        return BP_OK;
    qsort(explanation->refused, explanation->n_refused, sizeof *explanation->refused, order_nodes);
    rows = calloc(explanation->n_refused, sizeof *rows);
    if (!rows)
        return bp_fail_nomem(err, "an explanation");
    for (uint32_t i = 0; i < explanation->n_refused; i++) {
        const struct bp_explained_node *node = &explanation->refused[i];

        if (n == 0 || order_kind(rows[n - 1].nodes, node) != 0)
            rows[n++] = (struct bp_explained_refusal){
                .reason = node->reason, .text = node->text, .nodes = node};
        rows[n - 1].count++;
    }
    qsort(rows, n, sizeof *rows, order_count);
    explanation->refusals = rows;
    explanation->n_refusals = n;
    return BP_OK;
}

/* Appends a refusal of one node; *cap is the capacity of the list, which doubles. */
static bp_rc add_refusal(struct bp_explanation *explanation, const bp_report_refusal *row,
                         uint32_t index, const bp_report_node *node, uint32_t *cap, bp_err *err)
{
    if (explanation->n_refused == *cap) {
        uint32_t more = *cap ? *cap * 2 : 64;
        struct bp_explained_node *rows = realloc(explanation->refused, more * sizeof *rows);

        if (!rows)
            return bp_fail_nomem(err, "an explanation");
        explanation->refused = rows;
        *cap = more;
    }
    explanation->refused[explanation->n_refused++] = (struct bp_explained_node){
        .reason = row->reason,
        .node = index,
        .op = node->op,
        .subject = row->subject,
        .text = row->text,
    };
    return BP_OK;
}

static int order_operators(const void *x, const void *y)
{
    const struct bp_operator_count *a = x, *b = y;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->op, b->op);
}

bool bp_refusal_count_operators(const struct bp_explained_refusal *refusal,
                                struct bp_operator_count **out, uint32_t *n)
{
    struct bp_operator_count *rows = calloc(refusal->count, sizeof *rows);
    struct bp_strmap map = {0};
    bool ok = rows != NULL;

    *out = NULL;
    *n = 0;
    for (uint32_t i = 0; ok && i < refusal->count; i++) {
        const char *op = refusal->nodes[i].op;
        uint32_t row = bp_strmap_get(&map, op, *n);

        if (row == *n) {
            rows[(*n)++].op = op;
            ok = bp_strmap_put(&map, op, row);
        }
        rows[row].count++;
    }
    bp_strmap_finish(&map);
    if (!ok) {
        free(rows);
        return false;
    }
    qsort(rows, *n, sizeof *rows, order_operators);
    *out = rows;
    return true;
}

/* Leaves out nodes that the host runs: no provider is asked for them. */
static bool is_host_op(const bp_report_node *node)
{
    return node->provider == BP_NONE && node->group != BP_NONE;
}

/*
 * Collects the nodes that the provider refused, and the number of nodes that providers may run.
 */
static bp_rc gather(struct bp_explanation *explanation, uint32_t provider, bp_err *err)
{
    uint32_t n = bp_report_node_count(explanation->report), cap = 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        bp_report_node node = {.struct_size = sizeof node};

        rc = bp_report_get_node(explanation->report, i, &node, err);
        if (rc >= 0 && is_host_op(&node))
            continue;
        explanation->n_total++;
        for (uint32_t j = 0; rc >= 0 && j < node.n_refusals; j++) {
            bp_report_refusal row = {.struct_size = sizeof row};

            rc = bp_report_get_refusal(explanation->report, i, j, &row, err);
            if (rc >= 0 && row.provider == provider)
                rc = add_refusal(explanation, &row, i, &node, &cap, err);
        }
    }
    return rc;
}

/* After a failure nothing has to be freed. */
bp_rc bp_explanation_of_row(struct bp_explanation *explanation, const bp_report *report,
                            uint32_t row, bp_err *err)
{
    bp_rc rc;

    *explanation = (struct bp_explanation){
        .row = {.struct_size = sizeof explanation->row}, .report = report, .provider = row};
    rc = bp_report_get_provider(report, row, &explanation->row, err);
    if (rc >= 0)
        rc = gather(explanation, row, err);
    if (rc >= 0)
        rc = group(explanation, err);
    if (rc < 0)
        bp_explanation_finish(explanation);
    return rc;
}

void bp_explanation_finish(struct bp_explanation *explanation)
{
    free(explanation->refusals);
    free(explanation->refused);
    *explanation = (struct bp_explanation){0};
}

/* Finds the stage from the row: a provider with nodes is used, one with a reason or code is not. */
void bp_explanation_headline(const struct bp_explanation *explanation, struct bp_text *out)
{
    const bp_report_provider *row = &explanation->row;

    if (!explanation->report && row->code >= 0) {
        bp_text_add(out, "usable; no session or model was asked about");
    } else if (row->n_nodes > 0) {
        bp_text_printf_clean(out, "used: %u of %u nodes in %u group%s", row->n_nodes,
                             explanation->n_total, row->n_groups, row->n_groups == 1 ? "" : "s");
        if (row->n_claimed > row->n_nodes)
            bp_text_printf_clean(out, "; %u more that it takes went to providers before it",
                                 row->n_claimed - row->n_nodes);
        if (row->reason)
            bp_text_printf_clean(out, "; %s", row->reason);
    } else if (row->reason) {
        bp_text_add_clean(out, row->reason);
    } else {
        bp_text_add(out, row->code < 0 ? bp_rc_name(row->code)
                                       : "ready, but the session failed before it was needed");
    }
}

/* Returns a hint for the most frequent reason; for most reasons there is none. */
const char *bp_explanation_fix(const struct bp_explanation *explanation)
{
    static const char *const hints[BP_R_END] = {
        [BP_R_OPSET] = "export the model at an operator-set version that it takes",
        [BP_R_DTYPE] = "convert the model to an element type that it takes",
        [BP_R_DYNAMIC_SHAPE] = "fix the sizes of the model's inputs",
        [BP_R_NOT_CONSTANT] = "make the named inputs constants of the model",
        [BP_R_MEMORY] = "use a smaller model or batch, or a device with more memory",
        [BP_R_OPTION] = "change the option or placement rule that is named",
    };

    if (explanation->row.fix)
        return explanation->row.fix;
    return explanation->n_refusals > 0 && explanation->refusals[0].reason < BP_R_END
               ? hints[explanation->refusals[0].reason]
               : NULL;
}
