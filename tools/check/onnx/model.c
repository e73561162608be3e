/* SPDX-License-Identifier: MIT */
/*
 * model.c - reads tests of the ONNX project. What is no model of one node with one output, of tensors whose
 * elements the kit can load, is left to hosts; `why` says so.
 */

#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/reference.h"
#include "check/onnx/model.h"
#include "check/onnx/operators.h"
#include "check/onnx/tensor.h"
#include "onnx/wire.h"

/*
 * The tolerances of ONNX's own runner. Of bfloat16 a unit in the last place: data before ONNX 1.16 were
 * truncated, later ones are rounded.
 */
static const double RELATIVE = 1e-3, ABSOLUTE = 1e-7, RELATIVE_BFLOAT16 = 1.0 / 128;

/* A test that is being read. */
struct reader {
    const char *dir;
    struct kit_onnx *out;
    struct wire_field graph;
};

static void set_why(struct kit_onnx *out, const char *why)
{
    if (!out->why[0])
        snprintf(out->why, sizeof out->why, "%s", why);
}

/* Memory that lives as long as the case; zeroed. */
static void *keep(struct kit_onnx *out, void *block)
{
    out->kept = realloc(out->kept, (out->n_kept + 1) * sizeof *out->kept);
    if (!block || !out->kept)
        abort();
    out->kept[out->n_kept++] = block;
    return block;
}

static char *keep_text(struct kit_onnx *out, const struct wire_field *field)
{
    char *text = keep(out, calloc(field->size + 1, 1));

    if (field->size > 0)
        memcpy(text, field->data, field->size);
    return text;
}

/* A whole file; NULL: it is not there. */
static void *read_file(struct kit_onnx *out, const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    size_t cap = 0, n = 1;

    if (!file)
        return NULL;
    for (*size = 0; n > 0; *size += n) {
        if (cap - *size < 4096) {
            cap = cap + cap / 2 + 65536;
            data = realloc(data, cap);
            if (!data)
                abort();
        }
        n = fread(data + *size, 1, cap - *size, file);
    }
    fclose(file);
    return keep(out, data);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void set_port(struct kit_onnx *out, const void *proto, size_t size, struct kit_port *port)
{
    struct kit_tensor tensor;
    const char *why = kit_tensor_read(proto, size, &tensor);

    if (!why && tensor.rank > KIT_RANK)
        why = "a tensor of more dimensions than the kit's cases have";
    if (why) {
        set_why(out, why);
        return;
    }
    memset(port, 0, sizeof *port);
    port->dtype = tensor.dtype;
    port->rank = tensor.rank;
    memcpy(port->dims, tensor.dims, sizeof port->dims);
    port->data = keep(out, tensor.data);
}

/* What the model declares of a value that it is a tensor of bfloat16, which test data keep as uint16. */
static bool is_bfloat(const struct wire_field *value)
{
    struct wire_field type, tensor, elem;

    return wire_find(value->data, value->size, VALUE_TYPE, &type) &&
           wire_find(type.data, type.size, TYPE_TENSOR, &tensor) &&
           wire_find(tensor.data, tensor.size, TYPE_TENSOR_ELEM, &elem) &&
           elem.value == BP_DTYPE_BF16;
}

/* The port of a file of test data, "input" or "output" i. */
static void read_port(struct reader *r, const char *kind, uint32_t i,
                      const struct wire_field *value, struct kit_port *port)
{
    char path[PATH_MAX];
    size_t size;
    void *data;

    snprintf(path, sizeof path, "%s/test_data_set_0/%s_%u.pb", r->dir, kind, (unsigned)i);
    data = read_file(r->out, path, &size);
    if (!data) {
        set_why(r->out, "test data that are not there");
        return;
    }
    set_port(r->out, data, size, port);
    if (port->dtype == BP_DTYPE_U16 && is_bfloat(value))
        port->dtype = BP_DTYPE_BF16;
}

static bool is_named(const struct wire_field *message, uint32_t number,
                     const struct wire_field *name)
{
    struct wire_field field;

    return wire_find(message->data, message->size, number, &field) &&
           wire_is(&field, (const char *)name->data, name->size);
}

/* The initializer of a name; false: there is none. */
static bool find_initializer(const struct reader *r, const struct wire_field *name,
                             struct wire_field *out)
{
    struct wire wire = wire_in(&r->graph);

    while (wire_next(&wire, out)) {
        if (out->number == GRAPH_INITIALIZER && is_named(out, TENSOR_NAME, name))
            return true;
    }
    return false;
}

/* The input or output of the graph that has a name, and which one it is of those that are fed. */
static bool find_end(const struct reader *r, uint32_t number, const struct wire_field *name,
                     struct wire_field *out, uint32_t *i)
{
    struct wire wire = wire_in(&r->graph);
    struct wire_field own, initializer;

    *i = 0;
    while (wire_next(&wire, out)) {
        if (out->number != number || !wire_find(out->data, out->size, VALUE_NAME, &own) ||
            (number == GRAPH_INPUT && find_initializer(r, &own, &initializer)))
            continue;
        if (wire_is(&own, (const char *)name->data, name->size))
            return true;
        ++*i;
    }
    return false;
}

static void add_input(struct reader *r, const struct wire_field *name)
{
    struct kit_case *c = &r->out->c;
    struct wire_field value;
    struct kit_port *port;
    uint32_t i;

    if (c->n_in == KIT_PORTS) {
        set_why(r->out, "more inputs than the kit's cases have");
        return;
    }
    port = &c->in[c->n_in++];
    if (name->size == 0) {
        port->is_absent = true;
    } else if (find_initializer(r, name, &value)) {
        set_port(r->out, value.data, value.size, port);
        port->role = KIT_CONSTANT;
    } else if (find_end(r, GRAPH_INPUT, name, &value, &i)) {
        read_port(r, "input", i, &value, port);
    } else {
        set_why(r->out, "an input of its node that is none of the graph");
    }
}

/* The first output, which has to be the only one. */
static void add_output(struct reader *r, const struct wire_field *name, uint32_t n)
{
    struct wire_field value;
    uint32_t i;

    if (n > 0)
        set_why(r->out, "a node with several outputs");
    else if (find_end(r, GRAPH_OUTPUT, name, &value, &i))
        read_port(r, "output", i, &value, &r->out->c.out);
    else
        set_why(r->out, "a node whose output is none of the graph");
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* The next free row. NULL: there is none. */
static struct kit_attr *add_attr(struct kit_onnx *out, const char *name)
{
    for (uint32_t a = 0; a + 1 < KIT_ATTRS; a++) {
        struct kit_attr *attr = &out->c.attrs[a];

        if (attr->name)
            continue;
        attr->name = name;
        return attr;
    }
    set_why(out, "more attributes than the kit's cases have");
    return NULL;
}

static void *attr_data(struct kit_onnx *out, struct kit_attr *attr, uint32_t type, size_t n,
                       size_t size)
{
    void *data = keep(out, calloc(n + 1, size));

    attr->type = type;
    attr->count = (uint32_t)n;
    attr->data = data;
    return data;
}

/* Elements of a repeated field, packed or not; into floats or integers if they are not NULL. */
static size_t list(const struct wire_field *message, uint32_t number, float *floats, int64_t *ints)
{
    struct wire wire = wire_in(message), packed;
    struct wire_field field;
    size_t n = 0;
    uint64_t bits;
    uint32_t low;

    while (wire_next(&wire, &field)) {
        if (field.number != number)
            continue;
        packed = wire_in(&field);
        for (size_t at = 0;
             field.type == WIRE_BYTES && number == ATTRIBUTE_FLOATS && at + 4 <= field.size;
             at += 4, n++) {
            if (floats)
                memcpy(&floats[n], field.data + at, 4);
        }
        while (field.type == WIRE_BYTES && number == ATTRIBUTE_INTS &&
               wire_varint(&packed, &bits)) {
            if (ints)
                ints[n] = (int64_t)bits;
            n++;
        }
        if (field.type == WIRE_BYTES)
            continue;
        low = (uint32_t)field.value;
        if (floats)
            memcpy(&floats[n], &low, 4);
        if (ints)
            ints[n] = (int64_t)field.value;
        n++;
    }
    return n;
}

static void set_strings(struct kit_onnx *out, struct kit_attr *attr,
                        const struct wire_field *message)
{
    struct wire wire = wire_in(message);
    struct wire_field field;
    bp_span *spans;
    size_t n = 0;

    while (wire_next(&wire, &field))
        n += field.number == ATTRIBUTE_STRINGS;
    spans = attr_data(out, attr, BP_ATTR_STRING, n, sizeof *spans);
    wire = wire_in(message);
    n = 0;
    while (wire_next(&wire, &field)) {
        if (field.number == ATTRIBUTE_STRINGS) {
            spans[n].data = keep_text(out, &field);
            spans[n++].size = field.size;
        }
    }
    attr->is_list = true;
}

static void set_tensor(struct kit_onnx *out, struct kit_attr *attr, const struct wire_field *value)
{
    bp_const *held = attr_data(out, attr, BP_ATTR_TENSOR, 1, sizeof *held);
    struct kit_tensor tensor;
    const char *why = kit_tensor_read(value->data, value->size, &tensor);
    int64_t *dims;

    if (why) {
        set_why(out, why);
        return;
    }
    dims = keep(out, calloc(KIT_TENSOR_RANK, sizeof *dims));
    memcpy(dims, tensor.dims, sizeof tensor.dims);
    held->data = keep(out, tensor.data);
    held->bytes = tensor.bytes;
    held->dims = dims;
    held->rank = tensor.rank;
    held->dtype = tensor.dtype;
}

/* A single value. False: the field is not there. */
static bool set_single(struct kit_onnx *out, struct kit_attr *attr,
                       const struct wire_field *message, uint32_t number)
{
    struct wire_field value;
    bp_span *span;
    uint32_t bits;

    if (!wire_find(message->data, message->size, number, &value))
        return false;
    bits = (uint32_t)value.value;
    if (number == ATTRIBUTE_F) {
        memcpy(attr_data(out, attr, BP_ATTR_FLOAT, 1, sizeof(float)), &bits, sizeof bits);
    } else if (number == ATTRIBUTE_I) {
        *(int64_t *)attr_data(out, attr, BP_ATTR_INT, 1, sizeof(int64_t)) = (int64_t)value.value;
    } else if (number == ATTRIBUTE_S) {
        span = attr_data(out, attr, BP_ATTR_STRING, 1, sizeof *span);
        span->data = keep_text(out, &value);
        span->size = value.size;
    } else {
        set_tensor(out, attr, &value);
    }
    return true;
}

/* AttributeProto.type decides what counts; models that are older than it have one value only. */
static void read_attr(struct kit_onnx *out, const struct wire_field *message)
{
    enum { FLOAT = 1, INT, STRING, TENSOR, GRAPH, FLOATS, INTS, STRINGS };
    struct wire_field name, type;
    struct kit_attr *attr;
    size_t n;

    if (!wire_find(message->data, message->size, ATTRIBUTE_NAME, &name) ||
        !wire_find(message->data, message->size, ATTRIBUTE_TYPE, &type)) {
        set_why(out, "an attribute without name or type");
        return;
    }
    attr = add_attr(out, keep_text(out, &name));
    if (!attr)
        return;
    if (type.value >= FLOAT && type.value <= TENSOR) {
        if (!set_single(out, attr, message, ATTRIBUTE_F + (uint32_t)type.value - FLOAT))
            set_why(out, "an attribute without its value");
    } else if (type.value == FLOATS) {
        n = list(message, ATTRIBUTE_FLOATS, NULL, NULL);
        list(message, ATTRIBUTE_FLOATS, attr_data(out, attr, BP_ATTR_FLOAT, n, sizeof(float)),
             NULL);
        attr->is_list = true;
    } else if (type.value == INTS) {
        n = list(message, ATTRIBUTE_INTS, NULL, NULL);
        list(message, ATTRIBUTE_INTS, NULL, attr_data(out, attr, BP_ATTR_INT, n, sizeof(int64_t)));
        attr->is_list = true;
    } else if (type.value == STRINGS) {
        set_strings(out, attr, message);
    } else {
        set_why(out, "an attribute that is a graph, or of a type that the kit does not have");
    }
}

/* Defaults, as a host fills them in. */
static void add_defaults(struct kit_onnx *out, const struct kit_operator *op)
{
    struct kit_attr_def def;

    for (uint32_t i = 0; kit_operator_attr(op, i, &def); i++) {
        struct wire_field text = {
            .type = WIRE_BYTES, .data = (const unsigned char *)def.def, .size = def.def_size};
        struct wire_field name = {
            .type = WIRE_BYTES, .data = (const unsigned char *)def.name, .size = strlen(def.name)};
        struct kit_attr *attr;
        char *value;

        if (!def.def || ref_attr(&out->c, def.name))
            continue;
        attr = add_attr(out, keep_text(out, &name));
        if (!attr)
            return;
        value = keep_text(out, &text);
        if (def.type == 'f') {
            *(float *)attr_data(out, attr, BP_ATTR_FLOAT, 1, sizeof(float)) = strtof(value, NULL);
        } else if (def.type == 'i') {
            *(int64_t *)attr_data(out, attr, BP_ATTR_INT, 1, sizeof(int64_t)) =
                strtoll(value, NULL, 10);
        } else {
            bp_span *span = attr_data(out, attr, BP_ATTR_STRING, 1, sizeof *span);

            span->data = value;
            span->size = def.def_size;
        }
    }
}

/* ---- the node -------------------------------------------------------------------------------- */

/* The version that the model imports of a domain; 0: none. */
static uint32_t imported(const struct wire_field *model, const char *domain)
{
    struct wire wire = wire_in(model);
    struct wire_field field, name, version;

    while (wire_next(&wire, &field)) {
        bool has_name, is_onnx;

        if (field.number != MODEL_OPSET_IMPORT)
            continue;
        has_name = wire_find(field.data, field.size, OPSET_DOMAIN, &name) && name.size > 0;
        is_onnx = !has_name || wire_is(&name, "ai.onnx", 7);
        if ((is_onnx ? !domain[0] : wire_is(&name, domain, strlen(domain))) &&
            wire_find(field.data, field.size, OPSET_VERSION, &version))
            return (uint32_t)version.value;
    }
    return 0;
}

static void read_parts(struct reader *r, const struct wire_field *node)
{
    struct wire wire = wire_in(node);
    struct wire_field field;
    uint32_t n_out = 0;

    while (wire_next(&wire, &field) && !r->out->why[0]) {
        if (field.number == NODE_INPUT)
            add_input(r, &field);
        else if (field.number == NODE_OUTPUT)
            add_output(r, &field, n_out++);
        else if (field.number == NODE_ATTRIBUTE)
            read_attr(r->out, &field);
    }
    /* trailing inputs that are left out are not counted */
    while (r->out->c.n_in > 0 && r->out->c.in[r->out->c.n_in - 1].is_absent)
        r->out->c.n_in--;
    if (n_out == 0)
        set_why(r->out, "a node without an output");
}

static bool is_drawn(const char *op)
{
    static const char *const drawn[] = {"Bernoulli",        "Multinomial",   "RandomNormal",
                                        "RandomNormalLike", "RandomUniform", "RandomUniformLike"};

    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
        if (strcmp(drawn[i], op) == 0)
            return true;
    }
    return false;
}

static void read_node(struct reader *r, const struct wire_field *model,
                      const struct wire_field *node)
{
    struct kit_case *c = &r->out->c;
    const struct kit_operator *op;
    struct wire_field field;

    c->op =
        wire_find(node->data, node->size, NODE_OP_TYPE, &field) ? keep_text(r->out, &field) : "";
    c->domain = "";
    if (wire_find(node->data, node->size, NODE_DOMAIN, &field) && !wire_is(&field, "ai.onnx", 7))
        c->domain = keep_text(r->out, &field);
    c->opset = imported(model, c->domain);
    op = kit_operator_find(c->domain, c->op, c->opset);
    if (!op) {
        set_why(r->out, "an operator or a domain that the kit does not know");
        return;
    }
    c->since = op->since;
    if (op->sizes_from_data)
        set_why(r->out, "an output whose sizes come with the data");
    if (is_drawn(c->op))
        set_why(r->out, "an operator whose results are drawn at random");
    read_parts(r, node);
    if (!r->out->why[0])
        add_defaults(r->out, op);
    if (c->out.dtype == BP_DTYPE_BF16)
        c->tolerance = RELATIVE_BFLOAT16;
}

static void read_model(struct reader *r, const struct wire_field *model)
{
    struct wire_field field, node = {0};
    struct wire wire;
    uint32_t n = 0;

    if (!wire_find(model->data, model->size, MODEL_GRAPH, &r->graph)) {
        set_why(r->out, "a model without a graph");
        return;
    }
    wire = wire_in(&r->graph);
    while (wire_next(&wire, &field)) {
        if (field.number == GRAPH_NODE) {
            node = field;
            n++;
        }
    }
    if (n != 1)
        set_why(r->out, "a model of several nodes, or of none");
    else
        read_node(r, model, &node);
}

/* The output that the test data have. */
static void ref_given(const struct kit_case *c, const double *const *in, double *out)
{
    (void)in;
    for (size_t i = 0; i < kit_count(&c->out); i++)
        out[i] = kit_load(c->out.dtype, c->out.data, i);
}

void kit_onnx_read(const char *dir, const char *name, struct kit_onnx *out)
{
    struct reader r = {.dir = dir, .out = out};
    struct wire_field model = {.type = WIRE_BYTES};
    char path[PATH_MAX];

    memset(out, 0, sizeof *out);
    out->c.name = name;
    out->c.reference = ref_given;
    out->c.tolerance = RELATIVE;
    out->c.absolute = ABSOLUTE;
    snprintf(path, sizeof path, "%s/model.onnx", dir);
    model.data = read_file(out, path, &model.size);
    if (model.data)
        read_model(&r, &model);
    else
        set_why(out, "a model that cannot be read");
}

void kit_onnx_finish(struct kit_onnx *onnx)
{
    for (size_t i = 0; i < onnx->n_kept; i++)
        free(onnx->kept[i]);
    free(onnx->kept);
    memset(onnx, 0, sizeof *onnx);
}
