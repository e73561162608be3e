/* SPDX-License-Identifier: MIT */
/* graph.c - a graph of the host as ONNX: nodes, initializers and types. */

#include "config.h"

#include "graph/custom.h"
#include "graph/infer.h"
#include "graph/schema.h"
#include "model/write/write.h"

enum {
    /* GraphProto */
    NODE_FIELD = 1,
    NAME_FIELD = 2,
    INITIALIZER_FIELD = 5,
    INPUT_FIELD = 11,
    OUTPUT_FIELD = 12,
    VALUE_FIELD = 13,
    /* AttributeProto */
    TYPE_PROTO_TYPE = 13,
    TYPE_PROTO_FIELD = 14,
    ATTR_TYPE_FIELD = 20
};

/* ---- tensors --------------------------------------------------------------------------------- */

/* dims, data_type and name of a TensorProto; name NULL: none. */
static void write_head(struct bp_writer *w, const char *name, uint32_t dtype, uint32_t rank,
                       const int64_t *dims)
{
    for (uint32_t i = 0; i < rank; i++)
        bp_put_int(&w->put, 1, dims[i]);
    bp_put_int(&w->put, 2, dtype);
    if (name)
        bp_put_text(&w->put, 8, name);
}

/* Strings in string_data, all else in raw_data. */
static void write_data(struct bp_writer *w, uint32_t dtype, const void *data, size_t size)
{
    const bp_span *spans = data;

    if (dtype != BP_DTYPE_STRING) {
        bp_put_bytes(&w->put, BP_TENSOR_RAW_DATA, data, size);
        return;
    }
    for (size_t i = 0; i < size / sizeof *spans; i++)
        bp_put_bytes(&w->put, BP_TENSOR_STRING_DATA, spans[i].data, spans[i].size);
}

/*
 * The data of an initializer of the main graph is not copied: it becomes a weight
 * (bp_model_source.weights) that points at it. Subgraphs have their data inside.
 */
static bp_rc write_initializer(struct bp_writer *w, const struct bp_ir *ir,
                               const struct bp_ir_value *value)
{
    struct bp_ir_data *data = value->data;
    size_t mark = bp_put_begin(&w->put, INITIALIZER_FIELD);
    bp_rc rc = bp_ir_data_load(data, w->err);

    if (rc < 0)
        return bp_fail_in(w->err, rc, "initializer '%.80s'", value->name);
    write_head(w, value->name, data->dtype, data->rank, data->dims);
    if (ir->parent || data->dtype == BP_DTYPE_STRING || data->size == 0)
        write_data(w, data->dtype, data->bytes, data->size);
    else
        w->weights[w->n_weights++] = (bp_model_weight){
            .name = value->name,
            .tensor = {.base = (void *)(uintptr_t)data->bytes, /* only read from */
                       .dims = (int64_t *)(uintptr_t)data->dims,
                       .bytes = data->size,
                       .rank = data->rank,
                       .dtype = data->dtype},
        };
    bp_put_end(&w->put, mark);
    return BP_OK;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* The attribute's definition in the operator's schema; custom operators have none. */
static const struct bp_attr_def *find_def(const struct bp_ir_node *node, const char *name)
{
    const struct bp_schema *schema = node->schema;

    for (uint32_t i = 0; schema && !bp_custom_of(schema) && i < schema->n_attrs; i++) {
        if (strcmp(schema->attrs[i].name, name) == 0)
            return &schema->attrs[i];
    }
    return NULL;
}

/* Floats are compared by bits, so that -0 and NaN are written. */
bool bp_write_is_default(const struct bp_ir_node *node, const bp_attr *attr)
{
    const struct bp_attr_def *def = find_def(node, attr->name);
    const bp_span *text = attr->data;

    if (!def || !def->has_default || def->type != attr->type || attr->flags & BP_ATTR_LIST)
        return false;
    switch (attr->type) {
    case BP_ATTR_INT:
        return memcmp(attr->data, &def->def_int, sizeof def->def_int) == 0;
    case BP_ATTR_FLOAT:
        return memcmp(attr->data, &def->def_float, sizeof def->def_float) == 0;
    case BP_ATTR_STRING:
        return text->size == strlen(def->def_string) &&
               memcmp(text->data, def->def_string, text->size) == 0;
    default:
        return false;
    }
}

/* Field and type number in AttributeProto, for a single value and for a list. */
static const struct {
    uint32_t field, type, list_field, list_type;
} kinds[] = {
    [BP_ATTR_FLOAT] = {2, 1, 7, 6},   [BP_ATTR_INT] = {3, 2, 8, 7},
    [BP_ATTR_STRING] = {4, 3, 9, 8},  [BP_ATTR_TENSOR] = {5, 4, 10, 9},
    [BP_ATTR_GRAPH] = {6, 5, 11, 10},
};

static bp_rc write_item(struct bp_writer *w, const struct bp_ir_node *node, const bp_attr *attr,
                        uint32_t i, uint32_t field)
{
    const bp_span *span = attr->data;
    const bp_const *tensor = attr->data;
    bp_rc rc = BP_OK;
    size_t mark;

    switch (attr->type) {
    case BP_ATTR_FLOAT:
        bp_put_float(&w->put, field, ((const float *)attr->data)[i]);
        return BP_OK;
    case BP_ATTR_INT:
        bp_put_int(&w->put, field, ((const int64_t *)attr->data)[i]);
        return BP_OK;
    case BP_ATTR_STRING:
        bp_put_bytes(&w->put, field, span[i].data, span[i].size);
        return BP_OK;
    default:
        break;
    }
    mark = bp_put_begin(&w->put, field);
    if (attr->type == BP_ATTR_TENSOR) {
        write_head(w, NULL, tensor[i].dtype, tensor[i].rank, tensor[i].dims);
        write_data(w, tensor[i].dtype, tensor[i].data, tensor[i].bytes);
    } else {
        rc = bp_write_graph(w, node->subgraphs[((const uint32_t *)attr->data)[i]]);
    }
    bp_put_end(&w->put, mark);
    return rc;
}

/* Optional's `type` is the one attribute of an operator that is a TypeProto. */
bool bp_write_is_type(const struct bp_ir_node *node, const bp_attr *attr)
{
    return !node->domain[0] && strcmp(node->op, "Optional") == 0 &&
           strcmp(attr->name, "type") == 0 && attr->type == BP_ATTR_STRING;
}

static bp_rc write_type_attribute(struct bp_writer *w, const bp_attr *attr)
{
    const bp_span *text = attr->data;

    bp_put_int(&w->put, ATTR_TYPE_FIELD, TYPE_PROTO_TYPE);
    if (bp_write_type_text(w, TYPE_PROTO_FIELD, text->data, text->size))
        return BP_OK;
    return bp_fail(w->err, BP_E_UNSUPPORTED, "attribute '%s' is the type '%.*s'", attr->name,
                   (int)text->size, (const char *)text->data);
}

static bp_rc write_attribute(struct bp_writer *w, const struct bp_ir_node *node,
                             const bp_attr *attr)
{
    bool is_list = attr->flags & BP_ATTR_LIST;
    size_t mark = bp_put_begin(&w->put, 5);
    bp_rc rc = BP_OK;

    bp_put_text(&w->put, 1, attr->name);
    if (bp_write_is_type(node, attr)) {
        rc = write_type_attribute(w, attr);
    } else {
        for (uint32_t i = 0; i < attr->count && rc >= 0; i++)
            rc = write_item(w, node, attr, i,
                            is_list ? kinds[attr->type].list_field : kinds[attr->type].field);
        bp_put_int(&w->put, ATTR_TYPE_FIELD,
                   is_list ? kinds[attr->type].list_type : kinds[attr->type].type);
    }
    bp_put_end(&w->put, mark);
    return rc;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* An absent input or output is an empty name. */
static void write_names(struct bp_writer *w, const struct bp_ir *ir, uint32_t field,
                        const uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        bp_put_text(&w->put, field, list[i] == BP_NONE ? "" : ir->values[list[i]].name);
}

/* The opset is not written: a file has one for all nodes of a domain. */
static bp_rc write_node(struct bp_writer *w, const struct bp_ir *ir, const struct bp_ir_node *node)
{
    size_t mark = bp_put_begin(&w->put, NODE_FIELD);
    bp_rc rc = BP_OK;

    write_names(w, ir, 1, node->in, node->n_in);
    write_names(w, ir, 2, node->out, node->n_out);
    bp_put_text(&w->put, 3, node->name);
    bp_put_text(&w->put, 4, node->op);
    for (uint32_t i = 0; i < node->n_attrs && rc >= 0; i++) {
        if (!bp_write_is_default(node, &node->attrs[i]))
            rc = write_attribute(w, node, &node->attrs[i]);
    }
    if (node->domain[0])
        bp_put_text(&w->put, 7, node->domain);
    bp_put_end(&w->put, mark);
    return rc < 0 ? bp_fail_in(w->err, rc, "node '%s' (%s)", node->name, node->op) : rc;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A value that a subgraph captures counts as used in the graph that defines it. */
bool *bp_write_find_used(struct bp_region *region, const struct bp_ir *ir)
{
    bool *used = bp_region_array(region, ir->n_values, sizeof *used);

    for (uint32_t n = 0; used && n < ir->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];

        for (uint32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] != BP_NONE)
                used[node->in[i]] = true;
        }
        for (uint32_t b = 0; b < node->n_subgraphs; b++) {
            const struct bp_ir *subgraph = node->subgraphs[b];
            const bool *inner =
                bp_write_find_used(region, subgraph); /* at most BP_MAX_SUBGRAPH_DEPTH deep */

            if (!inner)
                return NULL;
            for (uint32_t v = 0; v < subgraph->n_values; v++) {
                if (inner[v] && subgraph->values[v].flags & BP_IR_CAPTURED)
                    used[subgraph->values[v].outer] = true;
            }
        }
    }
    for (uint32_t i = 0; used && i < ir->n_outputs; i++)
        used[ir->outputs[i]] = true;
    return used;
}

/* Constants that nothing reads are left out; defaults of inputs stay. */
static bp_rc write_initializers(struct bp_writer *w, const struct bp_ir *ir, const bool *used)
{
    bp_rc rc = BP_OK;

    for (uint32_t v = 0; v < ir->n_values && rc >= 0; v++) {
        const struct bp_ir_value *value = &ir->values[v];
        bool is_default = value->flags & BP_IR_DEFAULTED && !(value->flags & BP_IR_CONSTANT);

        if (!value->data || value->flags & BP_IR_CAPTURED)
            continue;
        if (is_default || (used[v] && value->flags & BP_IR_CONSTANT))
            rc = write_initializer(w, ir, value);
    }
    return rc;
}

/* Declared types of values between nodes; inferred ones are left to the reader. */
static void write_infos(struct bp_writer *w, const struct bp_ir *ir)
{
    for (uint32_t v = 0; v < ir->n_values; v++) {
        const struct bp_ir_value *value = &ir->values[v];

        if (value->producer != BP_NONE && !(value->flags & (BP_IR_OUTPUT | BP_IR_CAPTURED)) &&
            !bp_fact_is_blank(&value->declared))
            bp_write_value(w, VALUE_FIELD, value);
    }
}

/*
 * Inputs and outputs of a subgraph. Those of the main graph are copied from the model, see
 * rebuild.c.
 */
static void write_inputs_outputs(struct bp_writer *w, const struct bp_ir *ir)
{
    bp_put_text(&w->put, NAME_FIELD, ir->name);
    for (uint32_t i = 0; i < ir->n_inputs; i++)
        bp_write_value(w, INPUT_FIELD, &ir->values[ir->inputs[i]]);
    for (uint32_t i = 0; i < ir->n_outputs; i++)
        bp_write_value(w, OUTPUT_FIELD, &ir->values[ir->outputs[i]]);
}

/* Recursive; at most BP_MAX_SUBGRAPH_DEPTH deep. */
bp_rc bp_write_graph(struct bp_writer *w, const struct bp_ir *ir)
{
    const bool *used = bp_write_find_used(&w->region, ir);
    bp_rc rc = used ? BP_OK : bp_fail_nomem(w->err, "the written graph");

    for (uint32_t n = 0; n < ir->n_nodes && rc >= 0; n++)
        rc = write_node(w, ir, &ir->nodes[n]);
    if (rc >= 0)
        rc = write_initializers(w, ir, used);
    if (rc < 0)
        return rc;
    if (ir->parent)
        write_inputs_outputs(w, ir);
    write_infos(w, ir);
    return BP_OK;
}
