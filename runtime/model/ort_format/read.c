/* SPDX-License-Identifier: MIT */
/*
 * read.c - graphs, nodes and attributes of a model in ONNX Runtime's own format (.ort), written as
 * a ModelProto.
 *
 * The format is a FlatBuffer: tables refer to children by 32-bit offsets, absent fields have
 * defaults, and several references may share a child. base/flat checks every offset; the limits
 * here stop files that share children to grow without end.
 */

#include "config.h"

#include "model/ort_format/read.h"

#include <string.h>

#include "base/strmap.h"
#include "model/ort_format/reader.h"

enum {
    /* ModelProto */
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_DOMAIN = 4,
    MODEL_VERSION = 5,
    MODEL_DOC = 6,
    MODEL_GRAPH = 7,
    MODEL_IMPORT = 8,
    MODEL_METADATA = 14,
    /* GraphProto */
    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    GRAPH_DOC = 10,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_VALUE = 13,
    GRAPH_SPARSE = 15,
    /* NodeProto */
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,
    /* AttributeProto */
    ATTR_NAME = 1,
    ATTR_F = 2,
    ATTR_I = 3,
    ATTR_S = 4,
    ATTR_T = 5,
    ATTR_G = 6,
    ATTR_FLOATS = 7,
    ATTR_INTS = 8,
    ATTR_STRINGS = 9,
    ATTR_TENSORS = 10,
    ATTR_GRAPHS = 11,
    ATTR_TYPE = 20,
    MAX_GRAPH_DEPTH = 33, /* BP_WIRE_MAX_DEPTH / 3: a subgraph is three messages deeper */
    /* a table and its offset take at least 8 bytes; tables of values are visited twice */
    LEAST_TABLE_BYTES = 4,
    GROWTH = 256 /* output per input byte: names are shared in .ort, and offsets become text */
};

/* ---- limits ---------------------------------------------------------------------------------- */

/* Has the output reached its limit, or has memory run out? */
static bp_rc check_size(struct bp_ort_reader *r, size_t more)
{
    if (r->put->failed)
        return bp_fail_nomem(r->err, "the decoded structure");
    if (r->put->size > r->limit || more > r->limit - r->put->size)
        return bp_fail(r->err, BP_E_INVALID,
                       "its tables and strings refer to the same bytes again and again: they come "
                       "to more than %llu bytes",
                       (unsigned long long)r->limit);
    return BP_OK;
}

/* The budget is the file's size divided by the least size of a table. */
bp_rc bp_ort_visit(struct bp_ort_reader *r)
{
    if (r->n_tables == 0)
        return bp_fail(r->err, BP_E_INVALID,
                       "it has more tables than bytes for them: some are used again and again");
    r->n_tables--;
    return check_size(r, 0);
}

/* ---- lists and strings ----------------------------------------------------------------------- */

/* An absent string is not written. */
bp_rc bp_ort_copy_text(struct bp_ort_reader *r, const struct bp_flat_table *table,
                       const struct bp_flat_field *field, uint32_t to)
{
    bp_span text;
    bp_rc rc = bp_flat_text(table, field, &text, r->err);

    if (rc >= 0 && text.data)
        rc = check_size(r, text.size);
    if (rc >= 0 && text.data)
        bp_put_bytes(r->put, to, text.data, text.size);
    return rc;
}

/* A vector of offsets to strings. */
bp_rc bp_ort_copy_texts(struct bp_ort_reader *r, const struct bp_flat_table *table,
                        const struct bp_flat_field *field, uint32_t to)
{
    struct bp_flat_list list;
    bp_span text;
    bp_rc rc = bp_flat_list(table, field, 4, &list, r->err);

    for (uint32_t i = 0; rc >= 0 && i < list.n; i++) {
        rc = bp_flat_item_text(&list, i, &text, r->err);
        if (rc >= 0)
            rc = check_size(r, text.size);
        if (rc >= 0)
            bp_put_bytes(r->put, to, text.data, text.size);
    }
    return rc;
}

/* Written one field each; the scan accepts unpacked lists. */
bp_rc bp_ort_copy_ints(struct bp_ort_reader *r, const struct bp_flat_table *table,
                       const struct bp_flat_field *field, uint32_t to)
{
    struct bp_flat_list list;
    bp_rc rc = bp_flat_list(table, field, 8, &list, r->err);

    for (uint32_t i = 0; rc >= 0 && i < list.n; i++)
        bp_put_int(r->put, to, bp_flat_item_i64(&list, i));
    return rc < 0 ? rc : check_size(r, 0);
}

/* An absent scalar of a FlatBuffer is its default, 0. */
static bp_rc copy_int(struct bp_ort_reader *r, const struct bp_flat_table *table,
                      const struct bp_flat_field *field, uint32_t to)
{
    int64_t value;
    bp_rc rc = bp_flat_i64(table, field, 0, &value, r->err);

    if (rc >= 0)
        bp_put_int(r->put, to, value);
    return rc;
}

typedef bp_rc (*read_fn)(struct bp_ort_reader *r, const struct bp_flat_table *table, uint32_t to);

/* Calls `read` for each table of a list. */
static bp_rc read_all(struct bp_ort_reader *r, const struct bp_flat_table *table,
                      const struct bp_flat_field *field, read_fn read, uint32_t to)
{
    struct bp_flat_list list;
    bp_rc rc = bp_flat_list(table, field, 4, &list, r->err);

    for (uint32_t i = 0; rc >= 0 && i < list.n; i++) {
        struct bp_flat_table item;

        rc = bp_flat_item_child(&list, i, &item, r->err);
        if (rc >= 0)
            rc = read(r, &item, to);
    }
    return rc;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static bp_rc read_graph(struct bp_ort_reader *r, const struct bp_flat_table *graph, uint32_t to,
                        uint32_t depth);

/* Attribute.f is a float32. */
static bp_rc read_float(struct bp_ort_reader *r, const struct bp_flat_table *attr)
{
    float value;
    bp_rc rc = bp_flat_f32(attr, &bp_ort_attr_f, 0, &value, r->err);

    if (rc >= 0)
        bp_put_float(r->put, ATTR_F, value);
    return rc;
}

static bp_rc read_floats(struct bp_ort_reader *r, const struct bp_flat_table *attr)
{
    struct bp_flat_list list;
    bp_rc rc = bp_flat_list(attr, &bp_ort_attr_floats, 4, &list, r->err);

    for (uint32_t i = 0; rc >= 0 && i < list.n; i++)
        bp_put_float(r->put, ATTR_FLOATS, bp_flat_item_f32(&list, i));
    return rc < 0 ? rc : check_size(r, 0);
}

/* FlatBuffers omit an empty string; the attribute still has one. */
static bp_rc read_string(struct bp_ort_reader *r, const struct bp_flat_table *attr)
{
    bp_span text;
    bp_rc rc = bp_flat_text(attr, &bp_ort_attr_s, &text, r->err);

    if (rc >= 0 && !text.data)
        bp_put_text(r->put, ATTR_S, "");
    return rc < 0 ? rc : bp_ort_copy_text(r, attr, &bp_ort_attr_s, ATTR_S);
}

/* An absent child has no table: then nothing is written. */
static bp_rc read_attr_tensor(struct bp_ort_reader *r, const struct bp_flat_table *attr)
{
    struct bp_flat_table tensor;
    bp_rc rc = bp_flat_child(attr, &bp_ort_attr_t, &tensor, r->err);

    return rc >= 0 && tensor.flat ? bp_ort_read_tensor(r, &tensor, ATTR_T) : rc;
}

/* A subgraph: one level deeper. */
static bp_rc read_attr_graph(struct bp_ort_reader *r, const struct bp_flat_table *attr,
                             uint32_t depth)
{
    struct bp_flat_table graph;
    bp_rc rc = bp_flat_child(attr, &bp_ort_attr_g, &graph, r->err);

    return rc >= 0 && graph.flat ? read_graph(r, &graph, ATTR_G, depth + 1) : rc;
}

/* No standard operator has a list of subgraphs, but the format allows it. */
static bp_rc read_attr_graphs(struct bp_ort_reader *r, const struct bp_flat_table *attr,
                              uint32_t depth)
{
    struct bp_flat_list list;
    bp_rc rc = bp_flat_list(attr, &bp_ort_attr_graphs, 4, &list, r->err);

    for (uint32_t i = 0; rc >= 0 && i < list.n; i++) {
        struct bp_flat_table graph;

        rc = bp_flat_item_child(&list, i, &graph, r->err);
        if (rc >= 0)
            rc = read_graph(r, &graph, ATTR_GRAPHS, depth + 1);
    }
    return rc;
}

/* Reads the one field that belongs to the type; types are numbered as in AttributeProto. */
static bp_rc read_attr_value(struct bp_ort_reader *r, const struct bp_flat_table *attr,
                             int32_t type, uint32_t depth)
{
    switch (type) {
    case 1:
        return read_float(r, attr);
    case 2:
        return copy_int(r, attr, &bp_ort_attr_i, ATTR_I);
    case 3:
        return read_string(r, attr);
    case 4:
        return read_attr_tensor(r, attr);
    case 5:
        return read_attr_graph(r, attr, depth);
    case 6:
        return read_floats(r, attr);
    case 7:
        return bp_ort_copy_ints(r, attr, &bp_ort_attr_ints, ATTR_INTS);
    case 8:
        return bp_ort_copy_texts(r, attr, &bp_ort_attr_strings, ATTR_STRINGS);
    case 9:
        return read_all(r, attr, &bp_ort_attr_tensors, bp_ort_read_tensor, ATTR_TENSORS);
    case 10:
        return read_attr_graphs(r, attr, depth);
    default:
        return bp_fail(r->err, BP_E_UNSUPPORTED, "%s: the format defines no type %d",
                       bp_ort_attr_type.name, type);
    }
}

/* A type without a value here (sparse tensors, types) is refused by name. */
static bp_rc read_attribute(struct bp_ort_reader *r, const struct bp_flat_table *attr,
                            uint32_t depth)
{
    size_t mark = bp_put_begin(r->put, NODE_ATTRIBUTE);
    int32_t type = 0;
    bp_rc rc = bp_ort_visit(r);

    if (rc >= 0)
        rc = bp_ort_copy_text(r, attr, &bp_ort_attr_name, ATTR_NAME);
    if (rc >= 0)
        rc = bp_flat_i32(attr, &bp_ort_attr_type, 0, &type, r->err);
    if (rc >= 0) {
        bp_put_int(r->put, ATTR_TYPE, type);
        rc = read_attr_value(r, attr, type, depth);
    }
    bp_put_end(r->put, mark);
    return rc;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* A vector of offsets to Attribute tables. */
static bp_rc read_attributes(struct bp_ort_reader *r, const struct bp_flat_table *node,
                             uint32_t depth)
{
    struct bp_flat_list list;
    bp_rc rc = bp_flat_list(node, &bp_ort_node_attributes, 4, &list, r->err);

    for (uint32_t i = 0; rc >= 0 && i < list.n; i++) {
        struct bp_flat_table attr;

        rc = bp_flat_item_child(&list, i, &attr, r->err);
        if (rc >= 0)
            rc = read_attribute(r, &attr, depth);
    }
    return rc;
}

/* A fused node was compiled by a provider of ONNX Runtime; its code is not in the file. */
static bp_rc check_type(struct bp_ort_reader *r, const struct bp_flat_table *node)
{
    bp_span provider = {NULL, 0};
    int32_t type;
    bp_rc rc = bp_flat_i32(node, &bp_ort_node_type, 0, &type, r->err);

    if (rc >= 0 && type == BP_ORT_NODE_FUSED)
        rc = bp_flat_text(node, &bp_ort_node_provider, &provider, r->err);
    if (rc < 0 || type != BP_ORT_NODE_FUSED)
        return rc;
    return bp_fail(r->err, BP_E_UNSUPPORTED,
                   "it was compiled by ONNX Runtime's %.80s, and only that can run it: convert the "
                   ".onnx file again without that provider",
                   provider.data ? (const char *)provider.data : "provider");
}

/* Inputs and outputs are names; an empty name means absent. */
static bp_rc read_node_content(struct bp_ort_reader *r, const struct bp_flat_table *node,
                               uint32_t depth)
{
    bp_rc rc = check_type(r, node);

    if (rc >= 0)
        rc = bp_ort_copy_texts(r, node, &bp_ort_node_inputs, NODE_INPUT);
    if (rc >= 0)
        rc = bp_ort_copy_texts(r, node, &bp_ort_node_outputs, NODE_OUTPUT);
    if (rc >= 0)
        rc = bp_ort_copy_text(r, node, &bp_ort_node_name, NODE_NAME);
    if (rc >= 0)
        rc = bp_ort_copy_text(r, node, &bp_ort_node_op, NODE_OP);
    if (rc >= 0)
        rc = bp_ort_copy_text(r, node, &bp_ort_node_domain, NODE_DOMAIN);
    return rc < 0 ? rc : read_attributes(r, node, depth);
}

/* Errors name the node and its operator. */
static bp_rc read_node(struct bp_ort_reader *r, const struct bp_flat_table *node, uint32_t depth)
{
    size_t mark = bp_put_begin(r->put, GRAPH_NODE);
    bp_span name, op;
    bp_rc rc = bp_ort_visit(r);

    if (rc >= 0)
        rc = bp_flat_text(node, &bp_ort_node_name, &name, r->err);
    if (rc >= 0)
        rc = bp_flat_text(node, &bp_ort_node_op, &op, r->err);
    if (rc < 0)
        return rc;
    rc = read_node_content(r, node, depth);
    bp_put_end(r->put, mark);
    if (rc < 0)
        return bp_fail_in(r->err, rc, "node '%.80s' (%.80s)",
                          name.data ? (const char *)name.data : "",
                          op.data ? (const char *)op.data : "");
    return BP_OK;
}

/* In the order of the file, which ONNX Runtime does not sort; sealing does. */
static bp_rc read_nodes(struct bp_ort_reader *r, const struct bp_flat_table *graph, uint32_t depth)
{
    struct bp_flat_list list;
    bp_rc rc = bp_flat_list(graph, &bp_ort_graph_nodes, 4, &list, r->err);

    for (uint32_t i = 0; rc >= 0 && i < list.n; i++) {
        struct bp_flat_table node;

        rc = bp_flat_item_child(&list, i, &node, r->err);
        if (rc >= 0)
            rc = read_node(r, &node, depth);
    }
    return rc;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Types of the graph's values by name; *args is their list. */
static bp_rc index_args(struct bp_ort_reader *r, const struct bp_flat_table *graph,
                        struct bp_flat_list *args, struct bp_strmap *by_name)
{
    bp_rc rc = bp_flat_list(graph, &bp_ort_graph_args, 4, args, r->err);

    for (uint32_t i = 0; rc >= 0 && i < args->n; i++) {
        struct bp_flat_table value;
        bp_span name;

        rc = bp_ort_visit(r);
        if (rc >= 0)
            rc = bp_flat_item_child(args, i, &value, r->err);
        if (rc >= 0)
            rc = bp_flat_text(&value, &bp_ort_value_name, &name, r->err);
        if (rc >= 0 && name.size > 0 && !bp_strmap_put(by_name, name.data, i))
            rc = bp_fail_nomem(r->err, "the names of values");
    }
    return rc;
}

/* Inputs or outputs, which the format lists by name. */
static bp_rc read_inputs_outputs(struct bp_ort_reader *r, const struct bp_flat_table *graph,
                                 const struct bp_flat_field *field, const struct bp_flat_list *args,
                                 const struct bp_strmap *by_name, uint32_t to)
{
    struct bp_flat_list names;
    bp_rc rc = bp_flat_list(graph, field, 4, &names, r->err);

    for (uint32_t i = 0; rc >= 0 && i < names.n; i++) {
        struct bp_flat_table value;
        uint32_t at;
        bp_span name;

        rc = bp_flat_item_text(&names, i, &name, r->err);
        if (rc < 0)
            break;
        rc = check_size(r, name.size);
        at = bp_strmap_get(by_name, name.data, UINT32_MAX);
        if (rc >= 0 && at != UINT32_MAX)
            rc = bp_flat_item_child(args, at, &value, r->err);
        if (rc >= 0)
            rc = bp_ort_read_value(r, at != UINT32_MAX ? &value : NULL, name, to);
    }
    return rc;
}

static bp_rc read_args(struct bp_ort_reader *r, const struct bp_flat_list *args)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < args->n; i++) {
        struct bp_flat_table value;
        bp_span name;

        rc = bp_flat_item_child(args, i, &value, r->err);
        if (rc >= 0)
            rc = bp_flat_text(&value, &bp_ort_value_name, &name, r->err);
        if (rc >= 0)
            rc = check_size(r, name.size);
        if (rc >= 0 && name.size > 0) /* the value without a name stands for absent inputs */
            rc = bp_ort_read_value(r, &value, name, GRAPH_VALUE);
    }
    return rc;
}

/* NodeArgs hold types of all values; graph inputs and outputs refer to them by name. */
static bp_rc read_values(struct bp_ort_reader *r, const struct bp_flat_table *graph)
{
    struct bp_strmap by_name = {0};
    struct bp_flat_list args;
    bp_rc rc = index_args(r, graph, &args, &by_name);

    if (rc >= 0)
        rc = read_inputs_outputs(r, graph, &bp_ort_graph_inputs, &args, &by_name, GRAPH_INPUT);
    if (rc >= 0)
        rc = read_inputs_outputs(r, graph, &bp_ort_graph_outputs, &args, &by_name, GRAPH_OUTPUT);
    if (rc >= 0)
        rc = read_args(r, &args);
    bp_strmap_finish(&by_name);
    return rc;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Recorded optimizations replay in ONNX Runtime's minimal builds; here passes run instead. */
static bp_rc count_optimizations(struct bp_ort_reader *r, const struct bp_flat_table *graph)
{
    struct bp_flat_table optimizations;
    struct bp_flat_list records = {0};
    bp_rc rc = bp_flat_child(graph, &bp_ort_graph_optimizations, &optimizations, r->err);

    if (rc >= 0 && optimizations.flat)
        rc = bp_flat_list(&optimizations, &bp_ort_optimizations_records, 4, &records, r->err);
    r->facts->n_runtime_optimizations += records.n;
    return rc;
}

/* Recursive, at most MAX_GRAPH_DEPTH deep. */
static bp_rc read_graph(struct bp_ort_reader *r, const struct bp_flat_table *graph, uint32_t to,
                        uint32_t depth)
{
    size_t mark = bp_put_begin(r->put, to);
    bp_rc rc = bp_ort_visit(r);

    if (rc >= 0 && depth >= MAX_GRAPH_DEPTH)
        rc = bp_fail(r->err, BP_E_INVALID, "graphs within graphs more than %d deep",
                     MAX_GRAPH_DEPTH);
    if (depth == 0 && r->graph_doc.size > 0)
        bp_put_bytes(r->put, GRAPH_DOC, r->graph_doc.data, r->graph_doc.size);
    if (rc >= 0)
        rc = count_optimizations(r, graph);
    if (rc >= 0)
        rc = read_all(r, graph, &bp_ort_graph_initializers, bp_ort_read_tensor, GRAPH_INITIALIZER);
    if (rc >= 0)
        rc = read_all(r, graph, &bp_ort_graph_sparse, bp_ort_read_sparse, GRAPH_SPARSE);
    if (rc >= 0)
        rc = read_values(r, graph);
    if (rc >= 0)
        rc = read_nodes(r, graph, depth);
    bp_put_end(r->put, mark);
    return rc;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* OperatorSetId becomes OperatorSetIdProto. */
static bp_rc read_import(struct bp_ort_reader *r, const struct bp_flat_table *import, uint32_t to)
{
    size_t mark = bp_put_begin(r->put, to);
    bp_rc rc = bp_ort_visit(r);

    if (rc >= 0)
        rc = bp_ort_copy_text(r, import, &bp_ort_import_domain, 1);
    if (rc >= 0)
        rc = copy_int(r, import, &bp_ort_import_version, 2);
    bp_put_end(r->put, mark);
    return rc;
}

/* StringStringEntry becomes StringStringEntryProto. */
static bp_rc read_entry(struct bp_ort_reader *r, const struct bp_flat_table *entry, uint32_t to)
{
    size_t mark = bp_put_begin(r->put, to);
    bp_rc rc = bp_ort_visit(r);

    if (rc >= 0)
        rc = bp_ort_copy_text(r, entry, &bp_ort_entry_key, 1);
    if (rc >= 0)
        rc = bp_ort_copy_text(r, entry, &bp_ort_entry_value, 2);
    bp_put_end(r->put, mark);
    return rc;
}

/* Text fields of the model: producer, domain, version, doc string. */
static bp_rc read_texts(struct bp_ort_reader *r, const struct bp_flat_table *model)
{
    bp_rc rc = copy_int(r, model, &bp_ort_model_ir_version, MODEL_IR_VERSION);

    if (rc >= 0)
        rc = bp_ort_copy_text(r, model, &bp_ort_model_producer, MODEL_PRODUCER);
    if (rc >= 0)
        rc = bp_ort_copy_text(r, model, &bp_ort_model_producer_version, MODEL_PRODUCER_VERSION);
    if (rc >= 0)
        rc = bp_ort_copy_text(r, model, &bp_ort_model_domain, MODEL_DOMAIN);
    if (rc >= 0)
        rc = copy_int(r, model, &bp_ort_model_version, MODEL_VERSION);
    return rc < 0 ? rc : bp_ort_copy_text(r, model, &bp_ort_model_doc, MODEL_DOC);
}

/* The graph's doc string is a field of Model since version 3. */
static bp_rc read_model(struct bp_ort_reader *r, const struct bp_flat_table *model)
{
    struct bp_flat_table graph = {0};
    bp_rc rc = read_texts(r, model);

    if (rc >= 0)
        rc = read_all(r, model, &bp_ort_model_imports, read_import, MODEL_IMPORT);
    if (rc >= 0)
        rc = read_all(r, model, &bp_ort_model_metadata, read_entry, MODEL_METADATA);
    if (rc >= 0)
        rc = bp_flat_text(model, &bp_ort_model_graph_doc, &r->graph_doc, r->err);
    if (rc >= 0)
        rc = bp_flat_child(model, &bp_ort_model_graph, &graph, r->err);
    if (rc >= 0 && !graph.flat)
        rc = bp_fail_detail(r->err, BP_E_INVALID, BP_DETAIL_NO_GRAPH, "it has no graph");
    return rc < 0 ? rc : read_graph(r, &graph, MODEL_GRAPH, 0);
}

/* The version is a decimal number as text. */
static bp_rc read_version(struct bp_ort_reader *r, const struct bp_flat_table *session)
{
    bp_span text;
    const char *p;
    uint32_t version = 0;
    bp_rc rc = bp_flat_text(session, &bp_ort_session_version, &text, r->err);

    if (rc < 0)
        return rc;
    p = text.data ? text.data : "";
    for (uint32_t i = 0; i < text.size && i < 4 && p[i] >= '0' && p[i] <= '9'; i++)
        version = version * 10 + (uint32_t)(p[i] - '0');
    r->facts->version = version;
    if (version >= BP_ORT_VERSION_FIRST && version <= BP_ORT_VERSION_LAST)
        return BP_OK;
    return bp_fail(r->err, BP_E_VERSION,
                   "has version '%.16s' of ONNX Runtime's format; versions %d to %d are read: use "
                   "the .onnx file that it was made from",
                   p, BP_ORT_VERSION_FIRST, BP_ORT_VERSION_LAST);
}

/* "ORTM" at byte 4, where FlatBuffers have their file identifier. */
bool bp_ort_is(const void *bytes, size_t size)
{
    return bp_flat_is(bytes, size, BP_ORT_IDENTIFIER);
}

/* The root table is InferenceSession. */
bp_rc bp_ort_read(const void *bytes, size_t size, struct bp_ort_facts *facts, struct bp_put *out,
                  bp_err *err)
{
    struct bp_ort_reader r = {.put = out,
                              .limit = (uint64_t)size * GROWTH,
                              .n_tables = (uint32_t)(size / LEAST_TABLE_BYTES),
                              .facts = facts,
                              .err = err};
    struct bp_flat_table session, model = {0};
    struct bp_flat flat;
    bp_rc rc = bp_flat_open(bytes, size, &flat, &session, err);

    *facts = (struct bp_ort_facts){0};
    if (rc >= 0)
        rc = read_version(&r, &session);
    if (rc >= 0)
        rc = bp_flat_child(&session, &bp_ort_session_model, &model, err);
    if (rc >= 0 && !model.flat)
        rc = bp_fail(err, BP_E_INVALID, "it has no model");
    if (rc >= 0)
        rc = read_model(&r, &model);
    if (rc >= 0 && out->failed)
        rc = bp_fail_nomem(err, "the decoded structure");
    return rc;
}
