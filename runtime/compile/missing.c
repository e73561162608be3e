/* SPDX-License-Identifier: MIT */
/* missing.c - collects operators that no provider takes. */

#include "config.h"

#include "compile/missing.h"

#include <stdlib.h>
#include <string.h>

#include "graph/schema_table.h"

enum { MAX_ROWS = 500 }; /* operators named in one error: more than there are, so as a rule all */

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The texts of unknown types differ by the names of values, which is no other reason. */
static struct bp_missing_row *find(struct bp_missing *missing, const struct bp_ir_node *node,
                                   const struct bp_verdict *why)
{
    for (uint32_t i = 0; i < missing->n_rows; i++) {
        struct bp_missing_row *row = &missing->rows[i];

        if (strcmp(row->first->op, node->op) == 0 &&
            strcmp(row->first->domain, node->domain) == 0 && row->first->opset == node->opset &&
            is_same_text(row->text, why ? why->text : NULL) &&
            is_same_text(row->subject, why ? why->subject : NULL))
            return row;
    }
    return NULL;
}

static bool reads_untyped(const struct bp_ir_node *node, const struct bp_fact *facts)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_fact *fact = node->in[i] == BP_NONE ? NULL : &facts[node->in[i]];

        if (fact && fact->kind == BP_KIND_TENSOR && fact->dtype == BP_DTYPE_NONE)
            return true;
    }
    return false;
}

bp_rc bp_missing_add(struct bp_missing *missing, const struct bp_ir_node *node,
                     const struct bp_fact *facts, const struct bp_verdict *why, bp_err *err)
{
    struct bp_missing_row *row, *rows;

    missing->n_nodes++;
    if (why && missing->detail == BP_DETAIL_NONE)
        missing->detail = why->detail;
    if (!node->schema)
        missing->is_unknown = true;
    else if (missing->is_unknown && reads_untyped(node, facts)) {
        missing->n_untyped++;
        return BP_OK;
    }
    row = find(missing, node, why);
    if (row) {
        row->n_nodes++;
        return BP_OK;
    }
    if (missing->n_rows == MAX_ROWS) {
        missing->n_unlisted++;
        return BP_OK;
    }
    rows = realloc(missing->rows, (missing->n_rows + 1) * sizeof *rows);
    if (!rows)
        return bp_fail_nomem(err, "an error");
    missing->rows = rows;
    rows[missing->n_rows++] = (struct bp_missing_row){
        .first = node,
        .subject = why ? why->subject : NULL,
        .text = why ? why->text : NULL,
        .n_nodes = 1,
    };
    return BP_OK;
}

/* The first version of the domain that has the operator; 0: none that is known has it. */
static uint32_t first_version(const struct bp_ir_node *node)
{
    const struct bp_schema *found =
        bp_schema_find(node->domain, node->op, bp_schema_newest(node->domain));
    uint32_t n;
    const struct bp_schema *const *all = bp_schema_all(&n);
    uint32_t first = found ? found->since : 0;

    for (uint32_t i = 0; found && i < n; i++) {
        if (strcmp(all[i]->op, node->op) == 0 && strcmp(all[i]->domain, found->domain) == 0 &&
            all[i]->since < first)
            first = all[i]->since;
    }
    return first;
}

/* Does a standard define the domain's operators, so that an application does not bring its own? */
static bool is_standard(const char *domain)
{
    return domain[0] == '\0' || strcmp(domain, "ai.onnx") == 0 ||
           strncmp(domain, "ai.onnx.", 8) == 0;
}

/* The version that the node needs and this build was told to leave out; 0: it is not that. */
static uint32_t left_out_version(const struct bp_ir_node *node)
{
    return bp_schema_left_out(node->domain, node->op, node->opset);
}

static void write_reason(const struct bp_missing_row *row, struct bp_text *out)
{
    uint32_t first = row->first->schema ? 0 : first_version(row->first);

    if (row->first->opset > 0 && first > row->first->opset) {
        bp_text_printf(out, ": it is known from version %u on, the model imports %u", first,
                       row->first->opset);
        return;
    }
    if (!row->first->schema && left_out_version(row->first) > 0) {
        bp_text_printf(out, ": version %u was left out of this build",
                       left_out_version(row->first));
        return;
    }
    if (row->text)
        bp_text_printf(out, ": %s%s%s", row->subject ? row->subject : "", row->subject ? ": " : "",
                       row->text);
}

static void write_row(const struct bp_missing_row *row, struct bp_text *out)
{
    const struct bp_ir_node *node = row->first;

    bp_text_printf(out, "%s%s%s-%u (", node->domain, node->domain[0] ? "." : "", node->op,
                   node->opset);
    if (row->n_nodes > 1)
        bp_text_printf(out, "%u nodes, the first is '%s'", row->n_nodes, node->name);
    else
        bp_text_printf(out, "node '%s'", node->name);
    write_reason(row, out);
    bp_text_add(out, ")");
}

/* Is an operator missing that an application or a plug-in would bring? */
static bool has_custom(const struct bp_missing *missing)
{
    for (uint32_t i = 0; i < missing->n_rows; i++) {
        const struct bp_ir_node *node = missing->rows[i].first;

        if (!node->schema && !is_standard(node->domain) && left_out_version(node) == 0)
            return true;
    }
    return false;
}

void bp_missing_write(const struct bp_missing *missing, struct bp_text *out)
{
    bp_text_printf(out, "no provider takes %u node%s: ", missing->n_nodes,
                   missing->n_nodes == 1 ? "" : "s");
    for (uint32_t i = 0; i < missing->n_rows; i++) {
        bp_text_add(out, i ? "; " : "");
        write_row(&missing->rows[i], out);
    }
    if (missing->n_unlisted > 0)
        bp_text_printf(out, "; and %u of other operators", missing->n_unlisted);
    if (missing->n_untyped > 0)
        bp_text_printf(out, "; and %u after these, whose inputs have no type for that reason",
                       missing->n_untyped);
    if (has_custom(missing))
        bp_text_add(out, "; add operators of the application with "
                         "bp_session_options_add_operators(), the option --bind, or "
                         "RegisterCustomOpsLibrary, or install the provider that has them");
    if (!bp_schema_is_complete())
        bp_text_add(out, "; this build of Backplane has only the operators that its ./configure "
                         "--with-operators=FILE named: add to FILE what 'backplane operators' of a "
                         "whole build prints for this model and build again, or use a whole build");
}

void bp_missing_finish(struct bp_missing *missing)
{
    free(missing->rows);
    *missing = (struct bp_missing){0};
}
