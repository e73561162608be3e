/* SPDX-License-Identifier: MIT */
/*
 * attribute.c - attributes of a node, and the graphs among them.
 *
 * AttributeProto has one field for each type and a `type` that says which counts. Values are not
 * copied: bp_attr points into the decoded message, which lives as long as the model.
 */

#include "config.h"

#include "model/model.h"

enum {
    /* AttributeProto.type */
    TYPE_UNDEFINED = 0,
    TYPE_FLOAT = 1,
    TYPE_INT = 2,
    TYPE_STRING = 3,
    TYPE_TENSOR = 4,
    TYPE_GRAPH = 5,
    TYPE_FLOATS = 6,
    TYPE_INTS = 7,
    TYPE_STRINGS = 8,
    TYPE_TENSORS = 9,
    TYPE_GRAPHS = 10,
    TYPE_TYPE_PROTO = 13
};

/* The node whose attributes are decoded. */
struct place {
    struct bp_builder *builder;
    struct bp_ir *ir;
    uint32_t node;
    uint32_t n_subgraphs; /* subgraphs of the node, so far */
};

/* The type. Files of IR version 1 have none: there the field that is set tells it. */
static int32_t type_of(const Bp__AttributeProto *proto)
{
    if (proto->type != TYPE_UNDEFINED)
        return proto->type;
    return proto->has_f        ? TYPE_FLOAT
           : proto->has_i      ? TYPE_INT
           : proto->has_s      ? TYPE_STRING
           : proto->t          ? TYPE_TENSOR
           : proto->g          ? TYPE_GRAPH
           : proto->n_floats   ? TYPE_FLOATS
           : proto->n_ints     ? TYPE_INTS
           : proto->n_strings  ? TYPE_STRINGS
           : proto->n_tensors  ? TYPE_TENSORS
           : proto->n_graphs   ? TYPE_GRAPHS
           : proto->tp != NULL ? TYPE_TYPE_PROTO
                               : TYPE_UNDEFINED;
}

/* A list keeps BP_ATTR_LIST whatever its length. The data of an empty list is never NULL. */
static void set(bp_attr *out, uint32_t type, const void *data, size_t count, bool is_list)
{
    out->type = type;
    out->data = count > 0 ? data : "";
    out->count = (uint32_t)count;
    out->flags = is_list ? BP_ATTR_LIST : 0;
}

/* ONNX strings are bytes with a length: they may hold NUL and need not be UTF-8. */
static bp_rc set_strings(struct place *place, const ProtobufCBinaryData *strings, size_t n,
                         bool is_list, bp_attr *out, bp_err *err)
{
    bp_span *spans = bp_region_array(place->builder->region, n, sizeof *spans);

    if (!spans)
        return bp_fail_nomem(err, "an attribute");
    for (size_t i = 0; i < n; i++) {
        spans[i].data = strings[i].data ? strings[i].data : (const uint8_t *)"";
        spans[i].size = strings[i].len;
    }
    set(out, BP_ATTR_STRING, spans, n, is_list);
    return BP_OK;
}

/* External data of an attribute is loaded now, because operators read attributes at plan time. */
static bp_rc set_tensors(struct place *place, Bp__TensorProto *const *tensors, size_t n,
                         bool is_list, bp_attr *out, bp_err *err)
{
    bp_const *rows = bp_region_array(place->builder->region, n, sizeof *rows);

    if (!rows)
        return bp_fail_nomem(err, "an attribute");
    for (size_t i = 0; i < n; i++) {
        struct bp_ir_data *data;
        bp_rc rc = bp_decode_tensor(place->builder, tensors[i], &data, err);

        if (rc >= 0 && !data->bytes)
            rc = data->load(data, err);
        if (rc < 0)
            return rc;
        rows[i].data = data->bytes;
        rows[i].bytes = data->size;
        rows[i].dims = data->dims;
        rows[i].rank = data->rank;
        rows[i].dtype = data->dtype;
    }
    set(out, BP_ATTR_TENSOR, rows, n, is_list);
    return BP_OK;
}

/*
 * Each subgraph is attached to the node before it is filled, so that finishing the graph frees it
 * after a failure too.
 */
static bp_rc set_graphs(struct place *place, Bp__GraphProto *const *graphs, size_t n, bool is_list,
                        bp_attr *out, bp_err *err)
{
    uint32_t *indices = bp_region_array(place->builder->region, n, sizeof *indices);

    if (!indices)
        return bp_fail_nomem(err, "an attribute");
    for (size_t i = 0; i < n; i++) {
        struct bp_ir_node *node = &place->ir->nodes[place->node];
        struct bp_ir *subgraph = NULL;
        bp_rc rc = bp_ir_create(place->builder->region, place->builder->symbols, place->ir,
                                bp_text_or_empty(graphs[i]->name), &subgraph, err);

        if (rc < 0)
            return rc;
        indices[i] = place->n_subgraphs++;
        node->subgraphs[indices[i]] = subgraph;
        node->n_subgraphs = place->n_subgraphs;
        rc = bp_decode_graph(place->builder, graphs[i], subgraph, err);
        if (rc < 0)
            return rc;
    }
    set(out, BP_ATTR_GRAPH, indices, n, is_list);
    return BP_OK;
}

/* bp_attr has no type of its own for TypeProto: it is kept as text, "seq(tensor(float))". */
static bp_rc set_type(struct place *place, const Bp__TypeProto *proto, bp_attr *out, bp_err *err)
{
    const char *text = bp_type_text(place->builder, proto);
    ProtobufCBinaryData string;

    if (!text)
        return bp_fail_nomem(err, "an attribute");
    string.len = strlen(text);
    string.data = (uint8_t *)bp_region_text(place->builder->region, text, string.len);
    if (!string.data)
        return bp_fail_nomem(err, "an attribute");
    return set_strings(place, &string, 1, false, out, err);
}

/*
 * A reference to a function's attribute is only valid inside a function, where inlining has
 * replaced it.
 */
static bp_rc decode(struct place *place, const Bp__AttributeProto *proto, bp_attr *out, bp_err *err)
{
    if (proto->ref_attr_name && proto->ref_attr_name[0])
        return bp_fail(err, BP_E_INVALID,
                       "refers to a function's attribute '%.80s' outside a function",
                       proto->ref_attr_name);
    switch (type_of(proto)) {
    case TYPE_FLOAT:
        set(out, BP_ATTR_FLOAT, &proto->f, 1, false);
        return BP_OK;
    case TYPE_INT:
        set(out, BP_ATTR_INT, &proto->i, 1, false);
        return BP_OK;
    case TYPE_STRING:
        return set_strings(place, &proto->s, 1, false, out, err);
    case TYPE_TENSOR:
        if (!proto->t)
            return bp_fail(err, BP_E_INVALID, "is a tensor and has none");
        return set_tensors(place, &proto->t, 1, false, out, err);
    case TYPE_GRAPH:
        if (!proto->g)
            return bp_fail(err, BP_E_INVALID, "is a graph and has none");
        return set_graphs(place, &proto->g, 1, false, out, err);
    case TYPE_FLOATS:
        set(out, BP_ATTR_FLOAT, proto->floats, proto->n_floats, true);
        return BP_OK;
    case TYPE_INTS:
        set(out, BP_ATTR_INT, proto->ints, proto->n_ints, true);
        return BP_OK;
    case TYPE_STRINGS:
        return set_strings(place, proto->strings, proto->n_strings, true, out, err);
    case TYPE_TENSORS:
        return set_tensors(place, proto->tensors, proto->n_tensors, true, out, err);
    case TYPE_GRAPHS:
        return set_graphs(place, proto->graphs, proto->n_graphs, true, out, err);
    case TYPE_TYPE_PROTO:
        return set_type(place, proto->tp, out, err);
    default:
        return bp_fail(err, BP_E_UNSUPPORTED, "has type %d, which no attribute of a node has here",
                       proto->type);
    }
}

/* Quadratic, but BP_MAX_ATTRIBUTES bounds it. */
static bool is_repeated(const bp_attr *attrs, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (strcmp(attrs[k].name, attrs[i].name) == 0)
            return true;
    }
    return false;
}

/* How many subgraphs the attributes of a node hold. */
static size_t count_subgraphs(const Bp__NodeProto *proto)
{
    size_t n = 0;

    for (size_t i = 0; i < proto->n_attribute; i++) {
        const Bp__AttributeProto *attr = proto->attribute[i];
        int32_t type = type_of(attr);

        n += type == TYPE_GRAPH ? 1 : type == TYPE_GRAPHS ? attr->n_graphs : 0;
    }
    return n;
}

bp_rc bp_decode_attributes(struct bp_builder *builder, const Bp__NodeProto *proto, struct bp_ir *ir,
                           uint32_t node, bp_err *err)
{
    struct place place = {builder, ir, node, 0};
    bp_attr *attrs = bp_region_array(builder->region, proto->n_attribute, sizeof *attrs);
    size_t n_subgraphs = count_subgraphs(proto);

    if (proto->n_attribute > BP_MAX_ATTRIBUTES)
        return bp_fail(err, BP_E_INVALID, "has %zu attributes, more than %d", proto->n_attribute,
                       BP_MAX_ATTRIBUTES);
    ir->nodes[node].subgraphs =
        bp_region_array(builder->region, n_subgraphs, sizeof(struct bp_ir *));
    if (!attrs || !ir->nodes[node].subgraphs)
        return bp_fail_nomem(err, "attributes");

    for (uint32_t i = 0; i < (uint32_t)proto->n_attribute; i++) {
        bp_rc rc;

        attrs[i].name = bp_text_or_empty(proto->attribute[i]->name);
        if (is_repeated(attrs, i))
            rc = bp_fail(err, BP_E_INVALID, "comes twice");
        else
            rc = decode(&place, proto->attribute[i], &attrs[i], err);
        if (rc < 0)
            return bp_fail_in(err, rc, "attribute '%.80s'", attrs[i].name);
    }
    ir->nodes[node].attrs = attrs;
    ir->nodes[node].n_attrs = (uint32_t)proto->n_attribute;
    return BP_OK;
}
