/* SPDX-License-Identifier: MIT */
/*
 * function.c - functions that a model defines itself (ModelProto.functions, IR version 8): each node
 * that calls one is replaced by the function's nodes while the model is read, so nothing after this
 * knows functions.
 *
 * When a function has the name of an operator, ONNX lets the runtime choose (onnx.proto,
 * ModelProto.functions). Here the operator is used, at the version that is imported where the node
 * stands, because it computes the same and is faster. Operators have no overloads (IR version 10), so
 * a node with one calls a function.
 */
#include "config.h"

#include <stdlib.h>

#include "graph/schema_table.h"
#include "model/functions/inline.h"
#include "text/text.h"

/* ---- functions by name ----------------------------------------------------------------------- */

/* Names may hold any character, so the key begins with their lengths. */
static char *make_key(const char *domain, const char *name, const char *overload)
{
    struct bp_text key = {0};

    bp_text_printf(&key, "%zu %zu %s%s%s", strlen(domain), strlen(name), domain, name, overload);
    return bp_text_take(&key);
}

/* Domain, name and overload together must be unique. */
static bp_rc read_function(struct bp_functions *functions, const Bp__FunctionProto *proto,
                           struct bp_region *region, bp_err *err)
{
    struct bp_function *row = &functions->rows[functions->n];
    const char *domain = bp_onnx_domain(proto->domain);
    const char *overload = bp_text_or_empty(proto->overload);
    char *key = make_key(domain, bp_text_or_empty(proto->name), overload);
    const char *kept = key ? bp_region_string(region, key) : NULL;
    bp_rc rc;

    free(key);
    row->proto = proto;
    row->name = bp_region_printf(region, "%s%s%s%s%s", domain, domain[0] ? "." : "",
                                 bp_text_or_empty(proto->name), overload[0] ? ":" : "", overload);
    if (!kept || !row->name)
        return bp_fail_nomem(err, "functions");
    if (bp_strmap_get(&functions->by_key, kept, BP_NONE) != BP_NONE)
        return bp_fail(err, BP_E_INVALID, "two functions have the name '%.80s'", row->name);
    if (proto->n_attribute_proto > BP_MAX_ATTRIBUTES)
        return bp_fail(err, BP_E_INVALID, "function '%.80s' has %zu attributes, more than %d",
                       row->name, proto->n_attribute_proto, BP_MAX_ATTRIBUTES);
    if (!bp_strmap_put(&functions->by_key, kept, (uint32_t)functions->n++))
        return bp_fail_nomem(err, "functions");
    rc = bp_onnx_read_opsets(&row->opsets, proto->opset_import, proto->n_opset_import, err);
    return rc < 0 ? bp_fail_in(err, rc, "function '%.80s'", row->name) : BP_OK;
}

static bp_rc read_functions(struct bp_inliner *x, bp_err *err)
{
    const Bp__ModelProto *proto = x->onnx->proto;
    bp_rc rc = BP_OK;

    x->functions.rows = calloc(proto->n_functions, sizeof *x->functions.rows);
    if (!x->functions.rows)
        return bp_fail_nomem(err, "functions");
    for (size_t i = 0; i < proto->n_functions && rc >= 0; i++)
        rc = read_function(&x->functions, proto->functions[i], &x->onnx->region, err);
    return rc;
}

static void finish_functions(struct bp_functions *functions)
{
    for (size_t i = 0; i < functions->n; i++)
        bp_strmap_finish(&functions->rows[i].opsets);
    bp_strmap_finish(&functions->by_key);
    free(functions->rows);
}

uint32_t bp_inline_opset(const struct bp_inliner *x, const struct bp_call *call, const char *domain)
{
    uint32_t version = call ? bp_strmap_get(&call->function->opsets, domain, 0) : 0;

    /* a function that doesn't import a domain uses the version that the model imports */
    return version ? version : bp_onnx_opset_of(x->onnx, domain);
}

bp_rc bp_inline_callee(struct bp_inliner *x, const Bp__NodeProto *node, struct bp_function **out,
                       bp_err *err)
{
    const char *domain = bp_onnx_domain(node->domain);
    const char *op = bp_text_or_empty(node->op_type);
    const char *overload = bp_text_or_empty(node->overload);
    uint32_t row;
    char *key;

    *out = NULL;
    if (!overload[0] && bp_schema_find(domain, op, node->opset))
        return BP_OK;
    key = make_key(domain, op, overload);
    if (!key)
        return bp_fail_nomem(err, "functions");
    row = bp_strmap_get(&x->functions.by_key, key, BP_NONE);
    free(key);
    if (row != BP_NONE)
        *out = &x->functions.rows[row];
    return BP_OK;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* "A -> B -> A": from the outermost call of the cycle to the node that closes it. */
static void circle_words(const struct bp_call *call, const struct bp_function *end,
                         struct bp_text *out)
{
    if (call->function != end)
        circle_words(call->around, end, out); /* end is open, so it is further out */
    bp_text_printf(out, "%.80s -> ", call->function->name);
}

/* ONNX forbids recursion of functions. */
static bp_rc fail_circle(const struct bp_call *call, const struct bp_function *function,
                         bp_err *err)
{
    struct bp_text words = {0};
    bp_rc rc;

    circle_words(call, function, &words);
    bp_text_printf(&words, "%.80s", function->name);
    rc = bp_fail(err, BP_E_INVALID, "functions call themselves: %s",
                 words.data ? words.data : function->name);
    bp_text_finish(&words);
    return rc;
}

/* A call may pass fewer inputs and outputs than the function has, but not more. */
static bp_rc check_call(const struct bp_call *call, bp_err *err)
{
    const struct bp_function *function = call->function;
    const Bp__FunctionProto *proto = function->proto;

    if (function->is_open)
        return fail_circle(call->around, function, err);
    if (call->depth > BP_MAX_CALL_DEPTH)
        return bp_fail(err, BP_E_UNSUPPORTED, "functions call each other more than %d deep",
                       BP_MAX_CALL_DEPTH);
    if (call->node->n_input > proto->n_input)
        return bp_fail(err, BP_E_INVALID, "has %zu inputs; function '%.80s' has %zu",
                       call->node->n_input, function->name, proto->n_input);
    if (call->node->n_output > proto->n_output)
        return bp_fail(err, BP_E_INVALID, "has %zu outputs; function '%.80s' has %zu",
                       call->node->n_output, function->name, proto->n_output);
    return BP_OK;
}

/* Inputs map to the caller's values, those that the call leaves out to "". */
static bp_rc bind_inputs(struct bp_scope *scope, bp_err *err)
{
    const Bp__FunctionProto *proto = scope->call->function->proto;
    const Bp__NodeProto *node = scope->call->node;
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < proto->n_input && rc >= 0; i++) {
        if (bp_scope_get(scope, proto->input[i]))
            return bp_fail(err, BP_E_INVALID, "function '%.80s' has two inputs '%.80s'",
                           scope->call->function->name, proto->input[i]);
        rc = bp_scope_set(scope, proto->input[i], i < node->n_input ? node->input[i] : "", err);
    }
    return rc;
}

/*
 * An Identity node for an output that is also an input, or another output: a value has one name
 * only.
 */
static bp_rc add_identity(struct bp_inliner *x, const struct bp_call *call, const char *from,
                          char *to, struct bp_node_list *out, bp_err *err)
{
    static char op[] = "Identity", domain[] = "";
    Bp__NodeProto *node = bp_inline_take(x, sizeof *node, err);
    char **names = bp_inline_take(x, 2 * sizeof *names, err);

    if (!node || !names)
        return x->failure;
    bp__node_proto__init(node);
    names[0] = bp_name_for_proto(from);
    names[1] = to;
    node->input = &names[0];
    node->output = &names[1];
    node->n_input = node->n_output = 1;
    node->op_type = op;
    node->domain = domain;
    node->opset = bp_schema_newest("");
    node->has_opset = true;
    node->name = bp_inline_printf(x, err, "%s/%s", call->node->name, op);
    if (!node->name)
        return x->failure;
    return bp_inline_append(x, out, node, err);
}

/*
 * Outputs map to the names that the caller wants; an output that it doesn't want is an ordinary
 * value.
 */
static bp_rc bind_outputs(struct bp_inliner *x, struct bp_scope *scope, struct bp_node_list *out,
                          bp_err *err)
{
    const Bp__FunctionProto *proto = scope->call->function->proto;
    const Bp__NodeProto *node = scope->call->node;
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < proto->n_output && rc >= 0; i++) {
        const char *meaning = bp_scope_get(scope, proto->output[i]);
        bool is_wanted = i < node->n_output && node->output[i][0];

        if (is_wanted && meaning && !meaning[0])
            rc = bp_fail(err, BP_E_INVALID,
                         "wants output '%.80s' of function '%.80s', which is an input that it does "
                         "not pass",
                         node->output[i], scope->call->function->name);
        else if (is_wanted && meaning)
            rc = add_identity(x, scope->call, meaning, node->output[i], out, err);
        else if (is_wanted)
            rc = bp_scope_set(scope, proto->output[i], node->output[i], err);
    }
    return rc;
}

/* All other values that the function's nodes produce get new names. */
static bp_rc declare_values(struct bp_inliner *x, struct bp_scope *scope, bp_err *err)
{
    const Bp__FunctionProto *proto = scope->call->function->proto;
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < proto->n_node && rc >= 0; i++) {
        const Bp__NodeProto *node = proto->node[i];

        for (size_t k = 0; k < node->n_output && rc >= 0; k++) {
            uint32_t row = bp_strmap_get(&scope->index, node->output[k], BP_NONE);

            if (row < proto->n_input && node->output[k][0]) /* inputs were bound first */
                return bp_fail(err, BP_E_INVALID,
                               "function '%.80s': '%.80s' is an input and the output of a node",
                               scope->call->function->name, node->output[k]);
            rc = bp_scope_add(x, scope, node->output[k], err);
        }
    }
    return rc;
}

/* function->is_open detects recursion while its nodes are inlined. */
bp_rc bp_inline_call(struct bp_inliner *x, const struct bp_scope *around,
                     struct bp_function *function, const Bp__NodeProto *node,
                     struct bp_node_list *out, bp_err *err)
{
    const struct bp_call *outer = around->call;
    struct bp_call call = {outer, function, node, outer ? outer->depth + 1 : 1};
    struct bp_scope scope = {.call = &call};
    bp_rc rc = check_call(&call, err);

    if (rc >= 0)
        rc = bind_inputs(&scope, err);
    if (rc >= 0)
        rc = bind_outputs(x, &scope, out, err);
    if (rc >= 0)
        rc = declare_values(x, &scope, err);
    if (rc < 0) {
        bp_fail_node(node, rc, err);
    } else {
        function->is_open = true;
        rc = bp_inline_nodes(x, &scope, function->proto->node, function->proto->n_node, out, err);
        function->is_open = false;
    }
    bp_scope_finish(&scope);
    return rc;
}

/* Without functions the graph is the model's own, and nothing is copied. */
bp_rc bp_onnx_inline(struct bp_onnx *onnx, bp_err *err)
{
    struct bp_inliner x = {.onnx = onnx, .left = BP_MAX_INLINED};
    Bp__GraphProto *graph = onnx->proto->graph;
    bp_rc rc = BP_OK;

    if (onnx->proto->n_functions > 0) {
        rc = read_functions(&x, err);
        if (rc >= 0)
            rc = bp_scope_collect_names(&x, graph, err);
        if (rc >= 0)
            rc = bp_inline_graph(&x, NULL, onnx->proto->graph, &graph, err);
        bp_strmap_finish(&x.taken);
        finish_functions(&x.functions);
    }
    onnx->graph = graph;
    return rc;
}
