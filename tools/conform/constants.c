/* SPDX-License-Identifier: MIT */
/*
 * constants.c - moves inputs of a model to its initializers. All other bytes of the model stay what they
 * are; the new one lies in a file without a name, which ends with the process.
 */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bp/sdk.h>

#include "conform/constants.h"
#include "lib/cli.h"
#include "lib/text.h"
#include "onnx/wire.h"
#include "values/file.h"

enum { IR_WITHOUT_INPUTS = 4 /* since then an initializer need not be an input too */ };

/* Bytes that grow. */
struct buffer {
    unsigned char *data;
    size_t n, cap;
};

static void put(struct buffer *buffer, const void *data, size_t n)
{
    if (buffer->cap - buffer->n < n) {
        buffer->cap = buffer->cap + buffer->cap / 2 + n;
        buffer->data = xrealloc(buffer->data, buffer->cap, 1);
    }
    if (n > 0)
        memcpy(buffer->data + buffer->n, data, n);
    buffer->n += n;
}

static void put_varint(struct buffer *buffer, uint64_t value)
{
    do {
        unsigned char byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));

        put(buffer, &byte, 1);
        value >>= 7;
    } while (value > 0);
}

/* Tag and length of a field of WIRE_BYTES. */
static void put_head(struct buffer *buffer, uint32_t number, size_t size)
{
    put_varint(buffer, (uint64_t)number << 3 | WIRE_BYTES);
    put_varint(buffer, size);
}

static void put_integer(struct buffer *buffer, uint32_t number, uint64_t value)
{
    put_varint(buffer, (uint64_t)number << 3 | WIRE_VARINT);
    put_varint(buffer, value);
}

/* ---- one model ------------------------------------------------------------------------------- */

struct maker {
    const char *dir, *set;
    struct constants *out;
    struct buffer graph, model;
    bp_err *err;
};

/* Has the graph an initializer of the name of an input? Such an input is not fed. */
static bool is_initialized(const struct wire_field *graph, const struct wire_field *name)
{
    struct wire wire = wire_in(graph);
    struct wire_field field, other;

    while (wire_next(&wire, &field)) {
        if (field.number == GRAPH_INITIALIZER &&
            wire_find(field.data, field.size, TENSOR_NAME, &other) &&
            wire_is(&other, (const char *)name->data, name->size))
            return true;
    }
    return false;
}

/* The element type of an input; 0: it is no tensor. */
static uint32_t elements_of(const struct wire_field *input)
{
    struct wire_field type, tensor, elements;

    if (!wire_find(input->data, input->size, VALUE_TYPE, &type) ||
        !wire_find(type.data, type.size, TYPE_TENSOR, &tensor) ||
        !wire_find(tensor.data, tensor.size, TYPE_TENSOR_ELEM, &elements))
        return BP_DTYPE_NONE;
    return (uint32_t)elements.value;
}

/*
 * The tensor in a file becomes an initializer: its message with other fields after it, of which the last
 * one counts. The element type is the model's, for ONNX's test data keep bfloat16 as uint16.
 */
static bp_rc add_initializer(struct maker *m, const char *path, const struct wire_field *name,
                             uint32_t dtype)
{
    struct buffer more = {0};
    struct wire_field held;
    unsigned char *tensor;
    size_t size;
    bp_rc rc = file_read(path, &tensor, &size, m->err);

    if (rc < 0)
        return rc;
    put_head(&more, TENSOR_NAME, name->size);
    put(&more, name->data, name->size);
    if (dtype == BP_DTYPE_BF16 && wire_find(tensor, size, TENSOR_DATA_TYPE, &held) &&
        held.value == BP_DTYPE_U16)
        put_integer(&more, TENSOR_DATA_TYPE, dtype);
    put_head(&m->graph, GRAPH_INITIALIZER, size + more.n);
    put(&m->graph, tensor, size);
    put(&m->graph, more.data, more.n);
    free(more.data);
    free(tensor);
    return BP_OK;
}

/* Input number i: an initializer now, or what it was. */
static bp_rc add_input(struct maker *m, const struct wire_field *input,
                       const struct wire_field *name, uint32_t i)
{
    uint32_t dtype = elements_of(input);
    struct bp_text path = {0};
    bp_rc rc = BP_OK;

    m->out->is_constant = xrealloc(m->out->is_constant, i + 1, sizeof *m->out->is_constant);
    m->out->n = i + 1;
    text_printf(&path, "%s/%s/input_%u.pb", m->dir, m->set, i);
    m->out->is_constant[i] = i > 0 && dtype != BP_DTYPE_NONE && file_exists(text_string(&path));
    if (m->out->is_constant[i])
        rc = add_initializer(m, text_string(&path), name, dtype);
    else
        put(&m->graph, input->whole, input->whole_size);
    text_finish(&path);
    return rc;
}

static bp_rc make_graph(struct maker *m, const struct wire_field *graph)
{
    struct wire wire = wire_in(graph);
    struct wire_field field, name;
    uint32_t i = 0;
    bp_rc rc = BP_OK;

    while (rc >= 0 && wire_next(&wire, &field)) {
        if (field.number != GRAPH_INPUT || !wire_find(field.data, field.size, VALUE_NAME, &name) ||
            is_initialized(graph, &name))
            put(&m->graph, field.whole, field.whole_size);
        else
            rc = add_input(m, &field, &name, i++);
    }
    if (wire.is_broken)
        return bp_fail(m->err, BP_E_INVALID,
                       "%s/model.onnx: its graph is cut off; unpack the tests again", m->dir);
    return rc;
}

static bp_rc make_model(struct maker *m, const void *data, size_t size)
{
    struct wire wire = wire_of(data, size);
    struct wire_field field;
    bp_rc rc = BP_OK;

    while (rc >= 0 && wire_next(&wire, &field)) {
        if (field.number == MODEL_GRAPH && m->graph.n > 0) {
            return bp_fail(m->err, BP_E_INVALID,
                           "%s/model.onnx: it has two graphs; unpack the tests again", m->dir);
        } else if (field.number == MODEL_GRAPH) {
            rc = make_graph(m, &field);
            put_head(&m->model, MODEL_GRAPH, m->graph.n);
            put(&m->model, m->graph.data, m->graph.n);
        } else if (field.number == MODEL_IR_VERSION && field.value < IR_WITHOUT_INPUTS) {
            put_integer(&m->model, MODEL_IR_VERSION, IR_WITHOUT_INPUTS);
        } else {
            put(&m->model, field.whole, field.whole_size);
        }
    }
    if (rc >= 0 && wire.is_broken)
        return bp_fail(m->err, BP_E_INVALID, "%s/model.onnx: it is cut off; unpack the tests again",
                       m->dir);
    return rc;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bp_rc write_model(const struct maker *m)
{
    struct constants *out = m->out;
    size_t done = 0;

    out->fd = memfd_create("model.onnx", MFD_CLOEXEC);
    while (out->fd >= 0 && done < m->model.n) {
        ssize_t n = write(out->fd, m->model.data + done, m->model.n - done);

        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    if (out->fd < 0 || done < m->model.n)
        return bp_fail(m->err, BP_E_IO, "a file in memory for a model with initializers: %s",
                       strerror(errno));
    snprintf(out->path, sizeof out->path, "/proc/self/fd/%d", out->fd);
    return BP_OK;
}

bp_rc constants_make(const char *dir, const char *set, struct constants *out, bp_err *err)
{
    struct maker m = {.dir = dir, .set = set, .out = out, .err = err};
    struct bp_text path = {0};
    unsigned char *data;
    size_t size;
    bp_rc rc;

    *out = (struct constants){.fd = -1};
    text_printf(&path, "%s/model.onnx", dir);
    rc = file_read(text_string(&path), &data, &size, err);
    text_finish(&path);
    if (rc < 0)
        return rc;
    rc = make_model(&m, data, size);
    if (rc >= 0)
        rc = write_model(&m);
    free(data);
    free(m.graph.data);
    free(m.model.data);
    return rc;
}

void constants_finish(struct constants *constants)
{
    if (constants->fd >= 0)
        close(constants->fd);
    free(constants->is_constant);
    *constants = (struct constants){.fd = -1};
}
