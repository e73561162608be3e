/* SPDX-License-Identifier: MIT */
/*
 * onnx.c - a group as an ONNX model: what dump_graphs writes, and what names a group. Messages are
 * made from the inside out, each in bytes of its own, as protobuf wants their lengths first.
 */

#include "model.h"

/* Numbers of fields in onnx.proto. */
enum {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    OPSET_VERSION = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP = 4,
    NODE_ATTRIBUTE = 5,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_T = 5,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_STRINGS = 9,
    ATTRIBUTE_TYPE = 20,
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_ELEMENT = 1,
    TENSOR_SHAPE = 2,
    SHAPE_DIM = 1,
    DIM_VALUE = 1,
    DIM_NAME = 2
};

/* ONNX's IR version that the file says; and protobuf's wire types. */
enum { IR_VERSION = 8, VARINT = 0, BLOCK = 2, FIXED32 = 5 };

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Grows by doubling. The host's allocator cannot resize, so bytes are copied. */
void bp_cann_append(struct bp_cann_buffer *text, const void *data, size_t size)
{
    if (!text->failed && size > text->capacity - text->size) {
        size_t capacity = size > SIZE_MAX / 4 - text->size ? 0 : 2 * (text->size + size) + 256;
        char *more = bp_cann_calloc(text->instance, capacity, 1);

        if (more) {
            if (text->size)
                memcpy(more, text->data, text->size);
            bp_cann_free(text->instance, text->data, text->capacity, 1);
            text->data = more;
            text->capacity = capacity;
        }
        text->failed = !more;
    }
    if (text->failed || size == 0)
        return;
    memcpy(text->data + text->size, data, size);
    text->size += size;
}

void bp_cann_buffer_free(struct bp_cann_buffer *text)
{
    if (text->data)
        bp_cann_free(text->instance, text->data, text->capacity, 1);
    text->data = NULL;
    text->size = text->capacity = 0;
}

/* ---- protobuf -------------------------------------------------------------------------------- */

/* Seven bits a byte, the lowest first; the top bit says that more follow. */
static void add_varint(struct bp_cann_buffer *to, uint64_t number)
{
    do {
        unsigned char byte = (unsigned char)(number & 0x7f);

        number >>= 7;
        byte = (unsigned char)(byte | (number ? 0x80 : 0));
        bp_cann_append(to, &byte, 1);
    } while (number);
}

/* Negative numbers take ten bytes, as protobuf's int64 does. */
static void add_int(struct bp_cann_buffer *to, uint32_t field, int64_t value)
{
    add_varint(to, (uint64_t)field << 3 | VARINT);
    add_varint(to, (uint64_t)value);
}

/* Little-endian, as the machines are that this runs on. */
static void add_float(struct bp_cann_buffer *to, uint32_t field, float value)
{
    add_varint(to, (uint64_t)field << 3 | FIXED32);
    bp_cann_append(to, &value, sizeof value);
}

/* Strings, bytes and messages alike. */
static void add_block(struct bp_cann_buffer *to, uint32_t field, const void *data, size_t size)
{
    add_varint(to, (uint64_t)field << 3 | BLOCK);
    add_varint(to, size);
    bp_cann_append(to, data, size);
}

static void add_text(struct bp_cann_buffer *to, uint32_t field, const char *text)
{
    add_block(to, field, text, strlen(text));
}

/* Puts a message into another, and empties it. A failure goes along. */
static void add_message(struct bp_cann_buffer *to, uint32_t field, struct bp_cann_buffer *message)
{
    add_block(to, field, message->data, message->size);
    to->failed = to->failed || message->failed;
    bp_cann_buffer_free(message);
}

/* An empty message, to be put into `outer` later. */
static struct bp_cann_buffer inside(const struct bp_cann_buffer *outer)
{
    return (struct bp_cann_buffer){.instance = outer->instance};
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* A model in the making; `text` is its GraphProto. */
struct writer {
    const bp_program *program;
    const bp_graph *graph;
    bool with_weights;
    struct bp_cann_buffer text; /* of the graph */
    bp_rc rc;
    bp_err *err;
};

/* `whole` false: the digest instead, eight bytes. */
static void add_bytes(struct bp_cann_buffer *to, const void *data, size_t size, bool whole)
{
    uint64_t digest;

    if (whole) {
        add_block(to, TENSOR_RAW, data, size);
        return;
    }
    digest = bp_cann_digest(data, size);
    add_block(to, TENSOR_RAW, &digest, sizeof digest);
}

/* A TensorProto with its bytes as raw_data. ONNX's numbers of element types are the host's. */
static void add_constant(struct writer *w, uint32_t v)
{
    const bp_value *value = BP_VALUE(w->graph, v);
    const bp_host *host = &w->program->instance->host;
    struct bp_cann_buffer tensor = inside(&w->text);
    bp_span bytes = {0};

    w->rc = host->constant(host->h, w->graph, v, &bytes, w->err);
    if (w->rc < 0)
        return;
    for (uint32_t i = 0; i < value->rank; i++)
        add_int(&tensor, TENSOR_DIMS, value->dims[i].value);
    add_int(&tensor, TENSOR_TYPE, value->dtype);
    add_text(&tensor, TENSOR_NAME, value->name);
    add_bytes(&tensor, bytes.data, bytes.size, w->with_weights);
    add_message(&w->text, GRAPH_INITIALIZER, &tensor);
}

/* Each once, however many nodes read it. */
static void add_constants(struct writer *w)
{
    const bp_graph *graph = w->graph;
    bool *is_read = bp_cann_calloc(w->program->instance, graph->n_values, sizeof *is_read);

    if (!is_read) {
        w->text.failed = true;
        return;
    }
    for (uint32_t n = 0; n < graph->n_nodes; n++) {
        const bp_node *node = BP_NODE(graph, n);

        for (uint32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] != BP_NONE)
                is_read[node->in[i]] = true;
        }
    }
    for (uint32_t v = 0; v < graph->n_values && w->rc >= 0; v++) {
        if (is_read[v] && BP_VALUE(graph, v)->flags & BP_VALUE_CONSTANT)
            add_constant(w, v);
    }
    bp_cann_free(w->program->instance, is_read, graph->n_values, sizeof *is_read);
}

/*
 * Sizes that are not known get a name if the host has a symbol for them, so that equal ones are
 * seen as equal.
 */
static void add_dim(struct bp_cann_buffer *shape, const bp_dim *fact)
{
    struct bp_cann_buffer dim = inside(shape);
    char name[16];

    if (fact->value >= 0) {
        add_int(&dim, DIM_VALUE, fact->value);
    } else if (fact->symbol) {
        snprintf(name, sizeof name, "d%u", fact->symbol);
        add_text(&dim, DIM_NAME, name);
    }
    add_message(shape, SHAPE_DIM, &dim);
}

/* A ValueInfoProto of an input or output; its shape is left out where the rank is not known. */
static void add_value(struct bp_cann_buffer *graph, uint32_t field, const bp_value *value)
{
    struct bp_cann_buffer info = inside(graph), type = inside(graph), tensor = inside(graph),
                          shape = inside(graph);

    add_int(&tensor, TENSOR_ELEMENT, value->dtype);
    if (value->rank != BP_RANK_UNKNOWN) {
        for (uint32_t i = 0; i < value->rank; i++)
            add_dim(&shape, &value->dims[i]);
        add_message(&tensor, TENSOR_SHAPE, &shape);
    }
    add_message(&type, TYPE_TENSOR, &tensor);
    add_text(&info, VALUE_NAME, value->name);
    add_message(&info, VALUE_TYPE, &type);
    add_message(graph, field, &info);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* AttributeProto.AttributeType of a row: onnx.proto counts lists five above single values. */
static int64_t attribute_type(const bp_attr *attr)
{
    static const int64_t single[] = {
        [BP_ATTR_FLOAT] = 1, [BP_ATTR_INT] = 2, [BP_ATTR_STRING] = 3, [BP_ATTR_TENSOR] = 4};
    bool is_list = attr->flags & BP_ATTR_LIST && attr->type != BP_ATTR_TENSOR;

    return single[attr->type] + (is_list ? 5 : 0);
}

/* A TensorProto as the value of an attribute. */
static void add_tensor(struct bp_cann_buffer *attribute, const bp_const *constant, bool whole)
{
    struct bp_cann_buffer tensor = inside(attribute);

    for (uint32_t i = 0; i < constant->rank; i++)
        add_int(&tensor, TENSOR_DIMS, constant->dims[i]);
    add_int(&tensor, TENSOR_TYPE, constant->dtype);
    add_bytes(&tensor, constant->data, (size_t)constant->bytes, whole);
    add_message(attribute, ATTRIBUTE_T, &tensor);
}

/* Value i of the row: a single one, or one of a list. */
static void add_attribute_value(struct writer *w, struct bp_cann_buffer *to, const bp_attr *attr,
                                uint32_t i)
{
    bool is_list = attr->flags & BP_ATTR_LIST;
    const bp_span *text;

    switch (attr->type) {
    case BP_ATTR_FLOAT:
        add_float(to, is_list ? ATTRIBUTE_FLOATS : ATTRIBUTE_F, ((const float *)attr->data)[i]);
        break;
    case BP_ATTR_INT:
        add_int(to, is_list ? ATTRIBUTE_INTS : ATTRIBUTE_I, ((const int64_t *)attr->data)[i]);
        break;
    case BP_ATTR_STRING:
        text = (const bp_span *)attr->data + i;
        add_block(to, is_list ? ATTRIBUTE_STRINGS : ATTRIBUTE_S, text->data, text->size);
        break;
    default:
        add_tensor(to, (const bp_const *)attr->data + i, w->with_weights);
    }
}

/* Subgraphs are not written: control flow is not taken by this provider. */
static void add_attribute(struct writer *w, struct bp_cann_buffer *node, const bp_attr *attr)
{
    struct bp_cann_buffer attribute = inside(node);

    if (attr->type < BP_ATTR_FLOAT || attr->type > BP_ATTR_TENSOR)
        return; /* bodies: control flow is not taken */
    add_text(&attribute, ATTRIBUTE_NAME, attr->name);
    for (uint32_t i = 0; i < attr->count; i++)
        add_attribute_value(w, &attribute, attr, i);
    add_int(&attribute, ATTRIBUTE_TYPE, attribute_type(attr));
    add_message(node, NODE_ATTRIBUTE, &attribute);
}

/* Values that a node reads or writes, by name; "" is absent. */
static void add_names(struct writer *w, struct bp_cann_buffer *to, uint32_t field,
                      const uint32_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add_text(to, field, values[i] == BP_NONE ? "" : BP_VALUE(w->graph, values[i])->name);
}

/* A NodeProto, of the default domain. */
static void add_node(struct writer *w, const bp_node *node)
{
    struct bp_cann_buffer text = inside(&w->text);

    add_names(w, &text, NODE_INPUT, node->in, node->n_in);
    add_names(w, &text, NODE_OUTPUT, node->out, node->n_out);
    add_text(&text, NODE_NAME, node->name);
    add_text(&text, NODE_OP, node->op);
    for (uint32_t i = 0; i < node->n_attr; i++)
        add_attribute(w, &text, BP_ATTR(w->graph, node->first_attr + i));
    add_message(&w->text, GRAPH_NODE, &text);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* In an order that depends on the group alone, as its digest names it. */
static void add_graph(struct writer *w, const char *name)
{
    const bp_graph *graph = w->graph;

    for (uint32_t n = 0; n < graph->n_nodes; n++)
        add_node(w, BP_NODE(graph, n));
    add_text(&w->text, GRAPH_NAME, name);
    add_constants(w);
    for (uint32_t i = 0; i < graph->n_inputs; i++)
        add_value(&w->text, GRAPH_INPUT, BP_VALUE(graph, graph->inputs[i]));
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        add_value(&w->text, GRAPH_OUTPUT, BP_VALUE(graph, graph->outputs[i]));
}

/* The opset is that of the group's nodes, which is the model's. */
bp_rc bp_cann_write_onnx(const bp_program *program, const char *name, bool with_weights,
                         struct bp_cann_buffer *out, bp_err *err)
{
    struct writer w = {.program = program,
                       .graph = program->graph,
                       .with_weights = with_weights,
                       .text = {.instance = program->instance},
                       .err = err};
    struct bp_cann_buffer opset = {.instance = program->instance};

    *out = (struct bp_cann_buffer){.instance = program->instance};
    add_graph(&w, name);
    add_int(out, MODEL_IR_VERSION, IR_VERSION);
    add_text(out, MODEL_PRODUCER, "backplane");
    add_message(out, MODEL_GRAPH, &w.text);
    add_int(&opset, OPSET_VERSION, BP_NODE(program->graph, 0)->opset);
    add_message(out, MODEL_OPSET, &opset);
    if (w.rc >= 0 && out->failed)
        w.rc = bp_fail(err, BP_E_NOMEM, "cann: no memory for the ONNX model of a group");
    if (w.rc < 0)
        bp_cann_buffer_free(out);
    return w.rc;
}
