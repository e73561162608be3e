/* SPDX-License-Identifier: MIT */
/*
 * inline.c - copies of nodes and graphs in which calls of a model's functions are inlined.
 *
 * Messages are copied one level deep: strings and tensor data are shared with the original, names
 * and lists are new.
 */

#include "config.h"

#include "model/functions/inline.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* A chain of 30 functions that call each other twice would make 2^30 nodes: hence the limit. */
bp_rc bp_inline_charge(struct bp_inliner *x, size_t n, bp_err *err)
{
    if (n > x->left)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "the model's functions become more than %d MiB of nodes",
                       BP_MAX_INLINED >> 20);
    x->left -= n;
    return BP_OK;
}

void *bp_inline_take(struct bp_inliner *x, size_t n, bp_err *err)
{
    void *p = NULL;

    x->failure = bp_inline_charge(x, n, err);
    if (x->failure >= 0) {
        p = bp_region_alloc(&x->onnx->region, n);
        if (!p)
            x->failure = bp_fail_nomem(err, "the nodes of functions");
    }
    return p;
}

char *bp_inline_printf(struct bp_inliner *x, bp_err *err, const char *fmt, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, fmt);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    text = bp_inline_take(x, (size_t)n + 1, err); /* n is -1 at worst: 0 bytes */
    if (!text)
        return NULL;
    va_start(args, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    va_end(args);
    return text;
}

bp_rc bp_inline_append(struct bp_inliner *x, struct bp_node_list *list, Bp__NodeProto *node,
                       bp_err *err)
{
    size_t cap = list->cap ? list->cap * 2 : 16;
    Bp__NodeProto **items;

    if (list->n == list->cap) {
        items = bp_inline_take(x, cap * sizeof *items, err);
        if (!items)
            return x->failure;
        if (list->n > 0)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->cap = cap;
    }
    list->items[list->n++] = node;
    return BP_OK;
}

void *bp_inline_copy(struct bp_inliner *x, const void *message, size_t size, bp_err *err)
{
    void *p = bp_inline_take(x, size, err);

    if (p && size > 0) /* an empty list may be NULL */
        memcpy(p, message, size);
    return p;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Each name as the caller's graph knows it. */
static bp_rc copy_names(struct bp_inliner *x, const struct bp_scope *scope, char *const *names,
                        size_t n, char ***out, bp_err *err)
{
    char **list = bp_inline_take(x, n * sizeof *list, err);
    bp_rc rc = list ? BP_OK : x->failure;

    for (size_t i = 0; i < n && rc >= 0; i++) {
        const char *meaning;

        rc = bp_scope_find(scope, names[i], &meaning, err);
        list[i] = bp_name_for_proto(meaning);
    }
    *out = list;
    return rc;
}

/*
 * "block1/Relu": the call's name, then the node's, or its operator if it has none. An unnamed call
 * in the model's own graph is named by its index.
 */
static bp_rc name_node(struct bp_inliner *x, const struct bp_call *call, size_t index,
                       Bp__NodeProto *node, bp_err *err)
{
    const char *name = bp_text_or_empty(node->name);

    if (!name[0])
        name = bp_text_or_empty(node->op_type);
    else if (!call)
        return BP_OK;
    if (call)
        node->name = bp_inline_printf(x, err, "%s/%s", call->node->name, name);
    else
        node->name = bp_inline_printf(x, err, "%s_%zu", name, index);
    return node->name ? BP_OK : x->failure;
}

/* Copies node `index` with names of the caller's graph; *callee: the function it calls, or NULL. */
static bp_rc copy_node(struct bp_inliner *x, const struct bp_scope *scope, size_t index,
                       const Bp__NodeProto *from, Bp__NodeProto **out, struct bp_function **callee,
                       bp_err *err)
{
    Bp__NodeProto *to = bp_inline_copy(x, from, sizeof *from, err);
    bp_rc rc;

    *out = to;
    *callee = NULL;
    if (!to)
        return x->failure;
    to->has_opset = scope->call != NULL;
    to->opset = bp_inline_opset(x, scope->call, bp_onnx_domain(from->domain));
    rc = bp_inline_callee(x, to, callee, err);
    if (rc >= 0 && (scope->call || *callee))
        rc = name_node(x, scope->call, index, to, err);
    if (rc >= 0 && scope->call) {
        rc = copy_names(x, scope, from->input, from->n_input, &to->input, err);
        if (rc >= 0)
            rc = copy_names(x, scope, from->output, from->n_output, &to->output, err);
    }
    if (rc >= 0)
        rc = bp_inline_attributes(x, scope, from, to, err);
    return rc < 0 ? bp_fail_node(to, rc, err) : BP_OK;
}

bp_rc bp_inline_nodes(struct bp_inliner *x, const struct bp_scope *scope,
                      Bp__NodeProto *const *nodes, size_t n, struct bp_node_list *out, bp_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct bp_function *callee;
        Bp__NodeProto *node;
        bp_rc rc = copy_node(x, scope, i, nodes[i], &node, &callee, err);

        if (rc >= 0)
            rc = callee ? bp_inline_call(x, scope, callee, node, out, err)
                        : bp_inline_append(x, out, node, err);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/*
 * New names for values that a subgraph of a function defines; other names are those of the graph
 * around it.
 */
static bp_rc declare_subgraph(struct bp_inliner *x, struct bp_scope *scope,
                              const Bp__GraphProto *subgraph, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < subgraph->n_input && rc >= 0; i++)
        rc = bp_scope_add(x, scope, bp_text_or_empty(subgraph->input[i]->name), err);
    for (size_t i = 0; i < subgraph->n_initializer && rc >= 0; i++)
        rc = bp_scope_add(x, scope, bp_text_or_empty(subgraph->initializer[i]->name), err);
    for (size_t i = 0; i < subgraph->n_sparse_initializer && rc >= 0; i++) {
        const Bp__TensorProto *values = subgraph->sparse_initializer[i]->values;

        if (values)
            rc = bp_scope_add(x, scope, bp_text_or_empty(values->name), err);
    }
    for (size_t i = 0; i < subgraph->n_node && rc >= 0; i++) {
        const Bp__NodeProto *node = subgraph->node[i];

        for (size_t k = 0; k < node->n_output && rc >= 0; k++)
            rc = bp_scope_add(x, scope, node->output[k], err);
    }
    return rc;
}

/* Types of values that no longer exist (stale value_info) are left out. */
static bp_rc copy_values(struct bp_inliner *x, const struct bp_scope *scope,
                         Bp__ValueInfoProto ***list, size_t *n, bool may_miss, bp_err *err)
{
    Bp__ValueInfoProto **from = *list;
    Bp__ValueInfoProto **to = bp_inline_take(x, *n * sizeof *to, err);
    size_t kept = 0;

    if (!to)
        return x->failure;
    for (size_t i = 0; i < *n; i++) {
        const char *name = bp_text_or_empty(from[i]->name), *meaning;
        bp_rc rc = bp_scope_find(scope, name, &meaning, may_miss ? NULL : err);

        if (rc < 0 && may_miss)
            continue;
        to[kept] = rc < 0 ? NULL : bp_inline_copy(x, from[i], sizeof **from, err);
        if (!to[kept])
            return rc < 0 ? rc : x->failure;
        to[kept++]->name = bp_name_for_proto(meaning);
    }
    *list = to;
    *n = kept;
    return BP_OK;
}

/* Renames a tensor that the subgraph defines. */
static bp_rc copy_tensor(struct bp_inliner *x, const struct bp_scope *scope,
                         Bp__TensorProto **tensor, bp_err *err)
{
    const char *meaning = bp_scope_get(scope, bp_text_or_empty((*tensor)->name));
    Bp__TensorProto *own = bp_inline_copy(x, *tensor, sizeof **tensor, err);

    if (!own)
        return x->failure;
    if (meaning)
        own->name = bp_name_for_proto(meaning);
    *tensor = own;
    return BP_OK;
}

static bp_rc copy_tensors(struct bp_inliner *x, const struct bp_scope *scope,
                          Bp__GraphProto *subgraph, bp_err *err)
{
    size_t n = subgraph->n_initializer, n_sparse = subgraph->n_sparse_initializer;
    Bp__TensorProto **tensors = bp_inline_copy(x, subgraph->initializer, n * sizeof *tensors, err);
    Bp__SparseTensorProto **sparse;
    bp_rc rc = tensors ? BP_OK : x->failure;

    for (size_t i = 0; i < n && rc >= 0; i++)
        rc = copy_tensor(x, scope, &tensors[i], err);
    if (rc < 0)
        return rc;
    subgraph->initializer = tensors;
    sparse = bp_inline_copy(x, subgraph->sparse_initializer, n_sparse * sizeof *sparse, err);
    for (size_t i = 0; sparse && i < n_sparse && rc >= 0; i++) {
        sparse[i] = bp_inline_copy(x, sparse[i], sizeof **sparse, err);
        if (!sparse[i])
            return x->failure;
        if (sparse[i]->values)
            rc = copy_tensor(x, scope, &sparse[i]->values, err);
    }
    subgraph->sparse_initializer = sparse;
    return sparse ? rc : x->failure;
}

/* A subgraph of a function: definitions first, then uses. */
static bp_rc rename_subgraph(struct bp_inliner *x, struct bp_scope *scope, Bp__GraphProto *subgraph,
                             bp_err *err)
{
    bp_rc rc = declare_subgraph(x, scope, subgraph, err);

    if (rc >= 0)
        rc = copy_values(x, scope, &subgraph->input, &subgraph->n_input, false, err);
    if (rc >= 0)
        rc = copy_values(x, scope, &subgraph->output, &subgraph->n_output, false, err);
    if (rc >= 0)
        rc = copy_values(x, scope, &subgraph->value_info, &subgraph->n_value_info, true, err);
    if (rc >= 0)
        rc = copy_tensors(x, scope, subgraph, err);
    return rc;
}

/* Names of the model's own graphs stay; only calls in them are inlined. */
bp_rc bp_inline_graph(struct bp_inliner *x, const struct bp_scope *around,
                      const Bp__GraphProto *graph, Bp__GraphProto **out, bp_err *err)
{
    struct bp_scope scope = {.around = around, .call = around ? around->call : NULL};
    struct bp_node_list nodes = {0};
    Bp__GraphProto *own = bp_inline_copy(x, graph, sizeof *graph, err);
    bp_rc rc = own ? BP_OK : x->failure;

    if (rc >= 0 && scope.call)
        rc = rename_subgraph(x, &scope, own, err);
    if (rc >= 0)
        rc = bp_inline_nodes(x, &scope, graph->node, graph->n_node, &nodes, err);
    bp_scope_finish(&scope);
    if (rc < 0)
        return rc;
    own->node = nodes.items;
    own->n_node = nodes.n;
    *out = own;
    return BP_OK;
}
