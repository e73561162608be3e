/* SPDX-License-Identifier: MIT */
/*
 * attribute.c - attributes of inlined nodes: a function's own, and those that a call gives.
 *
 * AttributeProto.ref_attr_name refers to an attribute of the function; the call gives its value, or
 * attribute_proto has a default (IR version 9). Every copy is charged against BP_MAX_INLINED.
 */

#include "config.h"

#include "model/functions/inline.h"

static bp_rc charge_graph(struct bp_inliner *x, const Bp__GraphProto *graph, bp_err *err);

/* The memory that building a graph takes for an attribute that several nodes share. */
static bp_rc charge_attribute(struct bp_inliner *x, const Bp__AttributeProto *attr, bp_err *err)
{
    bp_rc rc = bp_inline_charge(x, sizeof *attr, err);

    if (rc >= 0)
        rc = bp_inline_charge(x, attr->n_strings * sizeof(bp_span), err);
    if (rc >= 0)
        rc = bp_inline_charge(x, attr->n_tensors * sizeof(bp_const), err);
    if (rc >= 0 && attr->g)
        rc = charge_graph(x, attr->g, err);
    for (size_t i = 0; i < attr->n_graphs && rc >= 0; i++)
        rc = charge_graph(x, attr->graphs[i], err);
    return rc;
}

static bp_rc charge_names(struct bp_inliner *x, char *const *names, size_t n, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < n && rc >= 0; i++)
        rc = bp_inline_charge(x, strlen(names[i]) + sizeof *names, err);
    return rc;
}

/* Many nodes of a function may use one graph that the call gave: each use counts again. */
static bp_rc charge_graph(struct bp_inliner *x, const Bp__GraphProto *graph, bp_err *err)
{
    size_t n_values = graph->n_input + graph->n_output + graph->n_value_info;
    bp_rc rc = bp_inline_charge(x, sizeof *graph + n_values * sizeof(Bp__ValueInfoProto), err);

    for (size_t i = 0; i < graph->n_initializer && rc >= 0; i++)
        rc = bp_inline_charge(
            x, sizeof(Bp__TensorProto) + strlen(bp_text_or_empty(graph->initializer[i]->name)),
            err);
    for (size_t i = 0; i < graph->n_node && rc >= 0; i++) {
        const Bp__NodeProto *node = graph->node[i];

        rc = bp_inline_charge(x, sizeof *node + strlen(bp_text_or_empty(node->name)), err);
        if (rc >= 0)
            rc = charge_names(x, node->input, node->n_input, err);
        if (rc >= 0)
            rc = charge_names(x, node->output, node->n_output, err);
        for (size_t k = 0; k < node->n_attribute && rc >= 0; k++)
            rc = charge_attribute(x, node->attribute[k], err);
    }
    return rc;
}

static const Bp__AttributeProto *find_attribute(Bp__AttributeProto *const *attrs, size_t n,
                                                const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(bp_text_or_empty(attrs[i]->name), name) == 0)
            return attrs[i];
    }
    return NULL;
}

/* A copy whose subgraphs are renamed, and in which calls are inlined. */
static bp_rc copy_attribute(struct bp_inliner *x, const struct bp_scope *scope,
                            const Bp__AttributeProto *attr, Bp__AttributeProto **out, bp_err *err)
{
    bp_rc rc = BP_OK;

    *out = bp_inline_copy(x, attr, sizeof *attr, err);
    if (!*out)
        return x->failure;
    if (scope->call)
        rc = bp_inline_charge(
            x, attr->n_strings * sizeof(bp_span) + attr->n_tensors * sizeof(bp_const), err);
    if (rc >= 0 && attr->g)
        rc = bp_inline_graph(x, scope, attr->g, &(*out)->g, err);
    if (rc < 0 || attr->n_graphs == 0)
        return rc;
    (*out)->graphs = bp_inline_take(x, attr->n_graphs * sizeof *attr->graphs, err);
    if (!(*out)->graphs)
        return x->failure;
    for (size_t i = 0; i < attr->n_graphs && rc >= 0; i++)
        rc = bp_inline_graph(x, scope, attr->graphs[i], &(*out)->graphs[i], err);
    return rc;
}

/*
 * What a reference stands for: the call's attribute, whose names are those of the caller already,
 * or the function's default. *out NULL: neither exists, so the node does without.
 */
static bp_rc refer(struct bp_inliner *x, const struct bp_scope *scope, const char *name,
                   Bp__AttributeProto **out, bp_err *err)
{
    const Bp__FunctionProto *function = scope->call->function->proto;
    const Bp__NodeProto *node = scope->call->node;
    const Bp__AttributeProto *given = find_attribute(node->attribute, node->n_attribute, name);
    bp_rc rc;

    *out = NULL;
    if (!given) {
        given = find_attribute(function->attribute_proto, function->n_attribute_proto, name);
        return given ? copy_attribute(x, scope, given, out, err) : BP_OK;
    }
    rc = charge_attribute(x, given, err);
    if (rc < 0)
        return rc;
    *out = bp_inline_copy(x, given, sizeof *given, err);
    return *out ? BP_OK : x->failure;
}

bp_rc bp_inline_attributes(struct bp_inliner *x, const struct bp_scope *scope,
                           const Bp__NodeProto *from, Bp__NodeProto *to, bp_err *err)
{
    to->n_attribute = 0;
    if (from->n_attribute > BP_MAX_ATTRIBUTES)
        return bp_fail(err, BP_E_INVALID, "has %zu attributes, more than %d", from->n_attribute,
                       BP_MAX_ATTRIBUTES);
    to->attribute = bp_inline_take(x, from->n_attribute * sizeof *to->attribute, err);
    if (!to->attribute)
        return x->failure;
    for (size_t i = 0; i < from->n_attribute; i++) {
        const Bp__AttributeProto *own = from->attribute[i];
        const char *refers = scope->call ? bp_text_or_empty(own->ref_attr_name) : "";
        Bp__AttributeProto *attr;
        bp_rc rc = refers[0] ? refer(x, scope, refers, &attr, err)
                             : copy_attribute(x, scope, own, &attr, err);

        if (rc < 0)
            return bp_fail_in(err, rc, "attribute '%.80s'", bp_text_or_empty(own->name));
        if (!attr)
            continue;
        attr->name = own->name;
        to->attribute[to->n_attribute++] = attr;
    }
    return BP_OK;
}
