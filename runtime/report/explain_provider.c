/* SPDX-License-Identifier: MIT */
/* explain_provider.c - collects what a report says of one provider. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "report/explain.h"

/* Compares texts; an absent one sorts as an empty one. */
static int order_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/*
 * Orders by reason, subject and text, then by node, so that equal refusals are adjacent, first
 * nodes first.
 */
static int order_equal(const void *x, const void *y)
{
    const struct bp_explained_refusal *a = x, *b = y;
    int order;

    if (a->reason != b->reason)
        return a->reason < b->reason ? -1 : 1;
    order = order_text(a->subject, b->subject);
    if (order == 0)
        order = order_text(a->text, b->text);
    if (order == 0)
        order = a->examples[0] < b->examples[0] ? -1 : a->examples[0] > b->examples[0];
    return order;
}

/* Orders by count, the most frequent first; equal counts keep the order of order_equal(). */
static int order_count(const void *x, const void *y)
{
    const struct bp_explained_refusal *a = x, *b = y;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return order_equal(x, y);
}

/* Are two refusals equal but for their nodes? */
static bool is_equal(const struct bp_explained_refusal *a, const struct bp_explained_refusal *b)
{
    return a->reason == b->reason && order_text(a->subject, b->subject) == 0 &&
           order_text(a->text, b->text) == 0;
}

/* Sorts single refusals and merges equal ones into one row. */
static void fold(struct bp_explanation *explanation)
{
    uint32_t n = 0;

    if (explanation->n_refusals == 0)
        return;
    qsort(explanation->refusals, explanation->n_refusals, sizeof *explanation->refusals,
          order_equal);
    for (uint32_t i = 0; i < explanation->n_refusals; i++) {
        struct bp_explained_refusal one = explanation->refusals[i],
                                    *last = n ? &explanation->refusals[n - 1] : NULL;

        if (last && is_equal(last, &one)) {
            if (last->count < BP_EXPLANATION_EXAMPLES)
                last->examples[last->count] = one.examples[0];
            last->count++;
        } else {
            explanation->refusals[n++] = one;
        }
    }
    explanation->n_refusals = n;
    qsort(explanation->refusals, n, sizeof *explanation->refusals, order_count);
}

/* Appends a refusal of one node; *cap is the capacity of the list, which doubles. */
static bp_rc add_refusal(struct bp_explanation *explanation, const bp_report_refusal *row,
                         uint32_t node, uint32_t *cap, bp_err *err)
{
    if (explanation->n_refusals == *cap) {
        uint32_t more = *cap ? *cap * 2 : 64;
        struct bp_explained_refusal *rows = realloc(explanation->refusals, more * sizeof *rows);

        if (!rows)
            return bp_fail_nomem(err, "an explanation");
        explanation->refusals = rows;
        *cap = more;
    }
    explanation->refusals[explanation->n_refusals++] = (struct bp_explained_refusal){
        .reason = row->reason,
        .count = 1,
        .subject = row->subject,
        .text = row->text,
        .examples = {node},
    };
    return BP_OK;
}

/* Leaves out nodes that the host runs: no provider is asked for them. */
static bool is_host_op(const bp_report_node *node)
{
    return node->provider == BP_NONE && node->group != BP_NONE;
}

/*
 * Collects the provider's refusals, one row each, and the number of nodes that providers may run.
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
                rc = add_refusal(explanation, &row, i, &cap, err);
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
    if (rc < 0) {
        bp_explanation_finish(explanation);
        return rc;
    }
    fold(explanation);
    return BP_OK;
}

void bp_explanation_finish(struct bp_explanation *explanation)
{
    free(explanation->refusals);
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
