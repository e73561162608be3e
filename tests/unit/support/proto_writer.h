/* SPDX-License-Identifier: MIT */
/*
 * proto_writer.h - writes protobuf messages, sound and unsound ones, for tests of runtime/model/.
 *
 *     struct pw w = {0};
 *
 *     pw_int(&w, 1, 8);          ModelProto.ir_version
 *     pw_open(&w, 7);            ModelProto.graph
 *     pw_text(&w, 2, "main");    GraphProto.name
 *     pw_close(&w);
 *     ... w.data, w.size ...
 *     pw_free(&w);
 */
#ifndef BP_TESTS_PROTO_WRITER_H
#define BP_TESTS_PROTO_WRITER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pw {
    uint8_t *data;
    size_t size, cap;
    size_t open[128]; /* where the messages that are open begin */
    int depth;
};

static inline void pw_raw(struct pw *w, const void *bytes, size_t n)
{
    if (w->size + n + 16 > w->cap) {
        w->cap = (w->size + n + 16) * 2;
        w->data = realloc(w->data, w->cap);
        if (!w->data)
            abort();
    }
    if (n > 0)
        memcpy(w->data + w->size, bytes, n);
    w->size += n;
}

static inline void pw_varint(struct pw *w, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    pw_raw(w, bytes, n);
}

static inline void pw_tag(struct pw *w, uint32_t field, uint32_t wire_type)
{
    pw_varint(w, (uint64_t)field << 3 | wire_type);
}

static inline void pw_int(struct pw *w, uint32_t field, int64_t value)
{
    pw_tag(w, field, 0);
    pw_varint(w, (uint64_t)value);
}

static inline void pw_float(struct pw *w, uint32_t field, float value)
{
    pw_tag(w, field, 5);
    pw_raw(w, &value, sizeof value);
}

static inline void pw_double(struct pw *w, uint32_t field, double value)
{
    pw_tag(w, field, 1);
    pw_raw(w, &value, sizeof value);
}

static inline void pw_bytes(struct pw *w, uint32_t field, const void *bytes, size_t n)
{
    pw_tag(w, field, 2);
    pw_varint(w, n);
    pw_raw(w, bytes, n);
}

static inline void pw_text(struct pw *w, uint32_t field, const char *text)
{
    pw_bytes(w, field, text, strlen(text));
}

static inline void pw_open(struct pw *w, uint32_t field)
{
    pw_tag(w, field, 2);
    w->open[w->depth++] = w->size;
}

/* Puts the length before what was written since pw_open(). */
static inline void pw_close(struct pw *w)
{
    size_t begin = w->open[--w->depth], n = w->size - begin;
    struct pw length = {0};

    pw_varint(&length, n);
    pw_raw(w, length.data, length.size); /* space for the length */
    memmove(w->data + begin + length.size, w->data + begin, n);
    memcpy(w->data + begin, length.data, length.size);
    free(length.data);
}

static inline void pw_free(struct pw *w)
{
    free(w->data);
    memset(w, 0, sizeof *w);
}

/* ---- parts of models ------------------------------------------------------------------------- */

/* Dims up to the first negative one. */
static inline void pw_dims(struct pw *w, uint32_t field, const int64_t *dims)
{
    for (; *dims >= 0; dims++)
        pw_int(w, field, *dims);
}

#define PW_DIMS(...) ((const int64_t[]){__VA_ARGS__, -1})
#define PW_SCALAR ((const int64_t[]){-1})

/* The head of a TensorProto: the caller adds data and closes. */
static inline void pw_open_tensor(struct pw *w, uint32_t field, const char *name, int32_t dtype,
                                  const int64_t *dims)
{
    pw_open(w, field);
    pw_dims(w, 1, dims);
    pw_int(w, 2, dtype);
    pw_text(w, 8, name);
}

static inline void pw_raw_tensor(struct pw *w, uint32_t field, const char *name, int32_t dtype,
                                 const int64_t *dims, const void *bytes, size_t n)
{
    pw_open_tensor(w, field, name, dtype, dims);
    pw_bytes(w, 9, bytes, n);
    pw_close(w);
}

/* A ValueInfoProto of a tensor. */
static inline void pw_value(struct pw *w, uint32_t field, const char *name, int32_t dtype,
                            const int64_t *dims)
{
    pw_open(w, field);
    pw_text(w, 1, name);
    pw_open(w, 2); /* type */
    pw_open(w, 1); /* tensor_type */
    pw_int(w, 1, dtype);
    pw_open(w, 2); /* shape */
    for (; *dims >= 0; dims++) {
        pw_open(w, 1);
        pw_int(w, 1, *dims);
        pw_close(w);
    }
    pw_close(w);
    pw_close(w);
    pw_close(w);
    pw_close(w);
}

/* Texts with blanks between them, each a field; "-" is the empty one. */
static inline void pw_words(struct pw *w, uint32_t field, const char *words)
{
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, " ");

        pw_bytes(w, field, p, n == 1 && *p == '-' ? 0 : n);
        p += n + strspn(p + n, " ");
    }
}

/* A NodeProto: the caller adds attributes and closes. in and out are names as for pw_words(). */
static inline void pw_open_node_in(struct pw *w, uint32_t field, const char *op, const char *in,
                                   const char *out)
{
    pw_open(w, field);
    pw_words(w, 1, in);
    pw_words(w, 2, out);
    pw_text(w, 4, op);
}

/* The same in a GraphProto. */
static inline void pw_open_node(struct pw *w, const char *op, const char *in, const char *out)
{
    pw_open_node_in(w, 1, op, in, out);
}

static inline void pw_node(struct pw *w, const char *op, const char *in, const char *out)
{
    pw_open_node(w, op, in, out);
    pw_close(w);
}

/* The head of an AttributeProto: the caller adds the value and closes. */
static inline void pw_open_attr(struct pw *w, const char *name, int32_t type)
{
    pw_open(w, 5);
    pw_text(w, 1, name);
    pw_int(w, 20, type);
}

/* A SparseTensorProto "s" of the floats 5 and 6. */
static inline void pw_sparse(struct pw *w, uint32_t field, const int64_t *index_dims,
                             const int64_t *indices, size_t n_indices, const int64_t *dims)
{
    const float values[] = {5.0f, 6.0f};

    pw_open(w, field);
    pw_raw_tensor(w, 1, "s", 1, PW_DIMS(2), values, sizeof values);
    pw_raw_tensor(w, 2, "", 7, index_dims, indices, n_indices * sizeof *indices);
    pw_dims(w, 3, dims);
    pw_close(w);
}

/* IR version 8, one operator set, and an open graph. */
static inline void pw_open_model_at(struct pw *w, int64_t opset)
{
    pw_int(w, 1, 8);
    pw_open(w, 8);
    pw_text(w, 1, "");
    pw_int(w, 2, opset);
    pw_close(w);
    pw_open(w, 7);
    pw_text(w, 2, "main");
}

static inline void pw_open_model(struct pw *w)
{
    pw_open_model_at(w, 13);
}

#endif
