/* SPDX-License-Identifier: MIT */
/* scope.c - names inside one call of a function: the caller's values, or new unique names. */

#include "config.h"

#include <stdlib.h>

#include "model/functions/inline.h"

bp_rc bp_scope_set(struct bp_scope *scope, const char *name, const char *meaning, bp_err *err)
{
    size_t cap = scope->cap ? scope->cap * 2 : 16;
    const char **meanings;

    if (bp_scope_get(scope, name))
        return BP_OK;
    if (scope->n == scope->cap) {
        meanings = realloc(scope->meanings, cap * sizeof *meanings);
        if (!meanings)
            return bp_fail_nomem(err, "the names of a function");
        scope->meanings = meanings;
        scope->cap = cap;
    }
    if (!bp_strmap_put(&scope->index, name, (uint32_t)scope->n))
        return bp_fail_nomem(err, "the names of a function");
    scope->meanings[scope->n++] = meaning;
    return BP_OK;
}

bp_rc bp_scope_add(struct bp_inliner *x, struct bp_scope *scope, const char *name, bp_err *err)
{
    const char *call = scope->call->node->name;
    const char *own;

    if (!name[0] || bp_scope_get(scope, name))
        return BP_OK;
    own = bp_inline_printf(x, err, "%s/%s", call, name);
    /* a serial is used once, so all these searches together are linear in the model */
    while (own && bp_strmap_get(&x->taken, own, 0))
        own = bp_inline_printf(x, err, "%s/%s_%u", call, name, ++x->serial);
    if (!own)
        return x->failure;
    if (!bp_strmap_put(&x->taken, own, 1))
        return bp_fail_nomem(err, "the names of a function");
    return bp_scope_set(scope, name, own, err);
}

const char *bp_scope_get(const struct bp_scope *scope, const char *name)
{
    uint32_t row = bp_strmap_get(&scope->index, name, UINT32_MAX);

    return row == UINT32_MAX ? NULL : scope->meanings[row];
}

/* Inner scopes hide outer ones, as ONNX's subgraphs see values of the graph around them. */
bp_rc bp_scope_find(const struct bp_scope *scope, const char *name, const char **out, bp_err *err)
{
    const struct bp_call *call = scope->call;

    *out = name;
    if (!call || !name[0])
        return BP_OK;
    for (; scope; scope = scope->around) {
        *out = bp_scope_get(scope, name);
        if (*out)
            return BP_OK;
    }
    return bp_fail(err, BP_E_INVALID, "uses '%.80s', which nothing in function '%.80s' provides",
                   name, call->function->name);
}

void bp_scope_finish(struct bp_scope *scope)
{
    bp_strmap_finish(&scope->index);
    free(scope->meanings);
}

/* ---- the names of the model ------------------------------------------------------------------ */

static bp_rc collect_name(struct bp_inliner *x, const char *name, bp_err *err)
{
    return bp_strmap_put(&x->taken, bp_text_or_empty(name), 1) ? BP_OK
                                                               : bp_fail_nomem(err, "names");
}

static bp_rc collect_node(struct bp_inliner *x, const Bp__NodeProto *node, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < node->n_output && rc >= 0; i++)
        rc = collect_name(x, node->output[i], err);
    for (size_t i = 0; i < node->n_attribute && rc >= 0; i++) {
        const Bp__AttributeProto *attr = node->attribute[i];

        if (attr->g)
            rc = bp_scope_collect_names(x, attr->g, err);
        for (size_t k = 0; k < attr->n_graphs && rc >= 0; k++)
            rc = bp_scope_collect_names(x, attr->graphs[k], err);
    }
    return rc;
}

/* Recursive; BP_WIRE_MAX_DEPTH of the scan bounds the depth. */
bp_rc bp_scope_collect_names(struct bp_inliner *x, const Bp__GraphProto *graph, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < graph->n_input && rc >= 0; i++)
        rc = collect_name(x, graph->input[i]->name, err);
    for (size_t i = 0; i < graph->n_initializer && rc >= 0; i++)
        rc = collect_name(x, graph->initializer[i]->name, err);
    for (size_t i = 0; i < graph->n_sparse_initializer && rc >= 0; i++) {
        const Bp__TensorProto *values = graph->sparse_initializer[i]->values;

        rc = values ? collect_name(x, values->name, err) : BP_OK;
    }
    for (size_t i = 0; i < graph->n_node && rc >= 0; i++)
        rc = collect_node(x, graph->node[i], err);
    return rc;
}
