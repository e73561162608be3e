/* SPDX-License-Identifier: MIT */
/* type.c - types of values as TypeProto, from facts and from text. */

#include "config.h"

#include "graph/infer.h"
#include "model/write/write.h"

/* Fields of TypeProto. */
enum { TENSOR = 1, SEQUENCE = 4, MAP = 5, SPARSE = 8, OPTIONAL = 9 };

/* ---- from facts ------------------------------------------------------------------------------ */

/* A symbol without a name is written as an empty Dimension: unknown. */
static void write_dim(struct bp_writer *w, struct bp_sym dim)
{
    size_t mark = bp_put_begin(&w->put, 1);

    if (bp_sym_known(dim))
        bp_put_int(&w->put, 1, dim.value);
    else if (!bp_symbols_is_nameless(w->symbols, dim))
        bp_put_text(&w->put, 2, bp_symbols_name(w->symbols, dim));
    bp_put_end(&w->put, mark);
}

/* field: TENSOR or SPARSE; fact NULL: element type and shape are unknown */
static void write_tensor(struct bp_writer *w, uint32_t field, const struct bp_fact *fact)
{
    size_t mark = bp_put_begin(&w->put, field), shape;

    if (fact)
        bp_put_int(&w->put, 1, fact->dtype);
    if (fact && fact->rank != BP_RANK_UNKNOWN) {
        shape = bp_put_begin(&w->put, 2);
        for (uint32_t i = 0; i < fact->rank; i++)
            write_dim(w, fact->dims[i]);
        bp_put_end(&w->put, shape);
    }
    bp_put_end(&w->put, mark);
}

static void write_content(struct bp_writer *w, const struct bp_fact *fact)
{
    size_t mark;

    switch (fact->kind) {
    case BP_KIND_TENSOR:
        write_tensor(w, TENSOR, fact);
        break;
    case BP_KIND_SEQUENCE:
    case BP_KIND_OPTIONAL:
        mark = bp_put_begin(&w->put, fact->kind == BP_KIND_SEQUENCE ? SEQUENCE : OPTIONAL);
        if (fact->item)
            bp_write_type(w, 1, fact->item);
        bp_put_end(&w->put, mark);
        break;
    case BP_KIND_MAP:
        mark = bp_put_begin(&w->put, MAP);
        if (fact->item) {
            bp_put_int(&w->put, 1, fact->item[0].dtype);
            bp_write_type(w, 2, &fact->item[1]);
        }
        bp_put_end(&w->put, mark);
        break;
    default: /* a sparse tensor */
        write_tensor(w, SPARSE, fact->item);
    }
}

/* Recursive; the reader of models bounded the depth. */
void bp_write_type(struct bp_writer *w, uint32_t field, const struct bp_fact *fact)
{
    size_t mark = bp_put_begin(&w->put, field);

    if (!bp_fact_is_blank(fact))
        write_content(w, fact);
    bp_put_end(&w->put, mark);
}

void bp_write_value(struct bp_writer *w, uint32_t field, const struct bp_ir_value *value)
{
    size_t mark = bp_put_begin(&w->put, field);

    bp_put_text(&w->put, 1, value->name);
    if (!bp_fact_is_blank(&value->declared))
        bp_write_type(w, 2, &value->declared);
    bp_put_end(&w->put, mark);
}

/* ---- from text ------------------------------------------------------------------------------- */

/* The inverse of element_word() in model/type.c. */
static uint32_t dtype_of(const char *word, size_t n)
{
    char text[32];

    if (n >= sizeof text)
        return BP_DTYPE_NONE;
    memcpy(text, word, n);
    text[n] = '\0';
    if (strcmp(text, "float") == 0)
        return BP_DTYPE_F32;
    return strcmp(text, "double") == 0 ? BP_DTYPE_F64 : bp_dtype_from_name(text);
}

/* Is it "HEAD(...)"? *inner is the text between the parentheses. */
static bool split(const char *text, size_t n, const char *head, const char **inner, size_t *n_inner)
{
    size_t length = strlen(head);

    if (n < length + 2 || strncmp(text, head, length) != 0 || text[length] != '(' ||
        text[n - 1] != ')')
        return false;
    *inner = text + length + 1;
    *n_inner = n - length - 2;
    return true;
}

/* "key,value": the key is an element type without parentheses. */
static bool write_map_text(struct bp_writer *w, const char *text, size_t n)
{
    const char *comma = memchr(text, ',', n);
    size_t mark = bp_put_begin(&w->put, MAP);
    bool ok = comma;

    if (ok) {
        bp_put_int(&w->put, 1, dtype_of(text, (size_t)(comma - text)));
        ok = bp_write_type_text(w, 2, comma + 1, n - (size_t)(comma + 1 - text));
    }
    bp_put_end(&w->put, mark);
    return ok;
}

static bool write_text(struct bp_writer *w, const char *text, size_t n)
{
    bool is_sequence = split(text, n, "seq", &text, &n), ok;
    size_t mark;

    if (!is_sequence && split(text, n, "map", &text, &n))
        return write_map_text(w, text, n);
    if (is_sequence || split(text, n, "optional", &text, &n)) {
        mark = bp_put_begin(&w->put, is_sequence ? SEQUENCE : OPTIONAL);
        ok = bp_write_type_text(w, 1, text, n);
    } else {
        bool is_tensor = split(text, n, "tensor", &text, &n);

        if (!is_tensor && !split(text, n, "sparse_tensor", &text, &n))
            return false;
        mark = bp_put_begin(&w->put, is_tensor ? TENSOR : SPARSE);
        bp_put_int(&w->put, 1, dtype_of(text, n));
        ok = true;
    }
    bp_put_end(&w->put, mark);
    return ok;
}

/* Recursive; the reader of models bounded the depth. */
bool bp_write_type_text(struct bp_writer *w, uint32_t field, const char *text, size_t n)
{
    size_t mark = bp_put_begin(&w->put, field);
    bool ok = write_text(w, text, n);

    bp_put_end(&w->put, mark);
    return ok;
}
