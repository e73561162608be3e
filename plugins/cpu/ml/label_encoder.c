/* SPDX-License-Identifier: MIT */
/*
 * label_encoder.c - LabelEncoder (ai.onnx.ml 1, 2, 4) and CategoryMapper (1).
 * y = values[i] where keys[i] == x, else a default; Y has the shape of X. The last of several equal
 * keys wins.
 * Version 1 and CategoryMapper map strings to int64 or back. Version 2 takes lists of strings,
 * int64 or float32 for keys and values. Version 4 adds tensors of keys and values, float64, int32
 * and int16, and compares floats by value: all NaNs are equal, and so are 0 and -0.
 */

#include "kernels/tensor_data.h"
#include "ml/lookup.h"
#include "ml/ml.h"

#include <common/float16.h>

/* Elements whose positions are found before their values are copied. */
enum { BLOCK = 64 };

struct model {
    struct bp_cpu_lookup lookup;
    char *values; /* n of them, then the default */
    size_t width; /* bytes of a value */
    uint32_t n;
    bool is_index;    /* LabelEncoder-1: an integer x is an index into the values */
    bool is_by_value; /* floats: NaN is NaN, 0 is -0 */
};

struct state {
    uint32_t slices;
};

/* ---- what the attributes say ----------------------------------------------------------------- */

/* A list attribute or tensor attribute. Its data is borrowed from the graph, or is the node's. */
struct list {
    const char *name;
    const void *data; /* at any address */
    uint32_t n, dtype;
};

/* The one of <kind>_tensor, <kind>_strings, <kind>_int64s and <kind>_floats that is given. */
static bp_rc read_list(const struct bp_cpu_node *node, const char *const *names, struct list *out,
                       bp_err *err)
{
    static const uint32_t dtypes[] = {BP_DTYPE_STRING, BP_DTYPE_I64, BP_DTYPE_F32};
    const bp_const *tensor;
    uint32_t n, found = 0;
    bp_rc rc = bp_cpu_tensor_attr(node, names[0], &tensor, &n, err);

    if (rc < 0)
        return rc;
    if (tensor) {
        *out = (struct list){names[0], tensor->data, n, tensor->dtype};
        found++;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const void *data = i == 0   ? (const void *)bp_cpu_strings(node, names[1], &n)
                           : i == 1 ? (const void *)bp_cpu_ints(node, names[2], &n)
                                    : (const void *)bp_cpu_floats(node, names[3], &n);

        if (n == 0)
            continue;
        *out = (struct list){names[i + 1], data, n, dtypes[i]};
        found++;
    }
    if (found == 1 && out->n > 0)
        return BP_OK;
    return bp_cpu_fail(node, err, BP_E_INVALID, "%u of %s, %s, %s and %s are given, not one", found,
                       names[0], names[1], names[2], names[3]);
}

static bp_rc fail_nomem(const struct bp_cpu_node *node, bp_err *err)
{
    return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for its table");
}

/*
 * Copies the keys and makes their hash table. Their type must be X's. Scalars become 64-bit keys
 * first; see bp_cpu_lookup_keys().
 */
static bp_rc set_keys(struct bp_cpu_node *node, struct model *m, const struct list *keys,
                      bp_err *err)
{
    const bp_value *x = bp_node_in(node->graph, node->node, 0);
    uint64_t *scalars;
    void *copy;

    if (!x || x->dtype != keys->dtype)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s is %s, but X is %s", keys->name,
                           bp_cpu_dtype_name(keys->dtype),
                           x ? bp_cpu_dtype_name(x->dtype) : "absent");
    copy = bp_cpu_node_memory(node, keys->n * bp_cpu_width(keys->dtype));
    if (!copy)
        return fail_nomem(node, err);
    memcpy(copy, keys->data, keys->n * bp_cpu_width(keys->dtype));
    m->n = keys->n;
    if (keys->dtype == BP_DTYPE_STRING)
        return bp_cpu_lookup_make(node, NULL, copy, keys->n, &m->lookup, err);
    scalars = bp_cpu_node_memory(node, keys->n * sizeof *scalars);
    if (!scalars)
        return fail_nomem(node, err);
    bp_cpu_lookup_keys(keys->dtype, copy, m->is_by_value, scalars, keys->n);
    return bp_cpu_lookup_make(node, scalars, NULL, keys->n, &m->lookup, err);
}

/*
 * Copies the values, then the default as element n, which is what the lookup returns for unknown
 * keys.
 */
static bp_rc set_values(struct bp_cpu_node *node, struct model *m, const struct list *values,
                        const void *def, bp_err *err)
{
    const bp_value *y = bp_node_out(node->graph, node->node, 0);
    bp_rc rc = bp_cpu_expect_count(node, values->name, values->n, m->n, "the keys are", err);

    if (rc < 0)
        return rc;
    if (!y || y->dtype != values->dtype)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s is %s, but Y is %s", values->name,
                           bp_cpu_dtype_name(values->dtype),
                           y ? bp_cpu_dtype_name(y->dtype) : "absent");
    m->width = bp_cpu_width(values->dtype);
    m->values = bp_cpu_node_memory(node, (values->n + (size_t)1) * m->width);
    if (!m->values)
        return fail_nomem(node, err);
    memcpy(m->values, values->data, values->n * m->width);
    memcpy(m->values + values->n * m->width, def, m->width);
    return BP_OK;
}

/*
 * Writes the default, of type dtype, to *buffer (16 bytes): default_tensor, or else the default_*
 * attribute of that type. Absent attributes have ONNX's defaults: -1, -0.0, "_Unused".
 */
static bp_rc read_default(const struct bp_cpu_node *node, uint32_t dtype, void *buffer, bp_err *err)
{
    int64_t i64 = bp_cpu_int(node, "default_int64", -1);
    double f64 = (double)bp_cpu_float(node, "default_float", -0.0f);
    float f32 = (float)f64;
    int32_t i32 = (int32_t)i64;
    int16_t i16 = (int16_t)i64;
    uint32_t n;
    const bp_span *text = bp_cpu_strings(node, "default_string", &n);
    bp_span span = text ? *text : (bp_span){"_Unused", 7};
    const void *from = dtype == BP_DTYPE_STRING ? (const void *)&span
                       : dtype == BP_DTYPE_I64  ? (const void *)&i64
                       : dtype == BP_DTYPE_I32  ? (const void *)&i32
                       : dtype == BP_DTYPE_I16  ? (const void *)&i16
                       : dtype == BP_DTYPE_F64  ? (const void *)&f64
                                                : (const void *)&f32;
    const bp_const *tensor;
    bp_rc rc = bp_cpu_tensor_attr(node, "default_tensor", &tensor, &n, err);

    if (rc >= 0 && tensor && (n != 1 || tensor->dtype != dtype))
        rc = bp_cpu_fail(node, err, BP_E_INVALID, "default_tensor is %u elements of %s, not one %s",
                         n, bp_cpu_dtype_name(tensor->dtype), bp_cpu_dtype_name(dtype));
    if (rc >= 0)
        memcpy(buffer, tensor ? tensor->data : from, bp_cpu_width(dtype));
    return rc;
}

static struct model *new_model(struct bp_cpu_node *node, bp_err *err)
{
    struct model *m = bp_cpu_node_memory(node, sizeof *m);

    if (!m)
        (void)fail_nomem(node, err);
    node->packed = m;
    return m;
}

/* LabelEncoder-2 and -4. */
static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    static const char *const key_names[] = {"keys_tensor", "keys_strings", "keys_int64s",
                                            "keys_floats"};
    static const char *const value_names[] = {"values_tensor", "values_strings", "values_int64s",
                                              "values_floats"};
    struct model *m = new_model(node, err);
    struct list keys, values;
    _Alignas(16) char def[16];
    bp_rc rc;

    if (!m)
        return BP_E_NOMEM;
    m->is_by_value = node->node->since >= 4;
    rc = read_list(node, key_names, &keys, err);
    if (rc >= 0)
        rc = read_list(node, value_names, &values, err);
    if (rc >= 0)
        rc = set_keys(node, m, &keys, err);
    if (rc >= 0)
        rc = read_default(node, values.dtype, def, err);
    return rc < 0 ? rc : set_values(node, m, &values, def, err);
}

/*
 * Maps strings to int64 if X is of strings, else int64 to strings: one list is the keys, the other
 * the values.
 */
static bp_rc pack_pair(struct bp_cpu_node *node, const struct list *texts, const struct list *ints,
                       bp_err *err)
{
    const bp_value *x = bp_node_in(node->graph, node->node, 0);
    bool to_ints = x && x->dtype == BP_DTYPE_STRING;
    struct model *m = new_model(node, err);
    _Alignas(16) char def[16];
    bp_rc rc;

    if (!m)
        return BP_E_NOMEM;
    if (texts->n == 0)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s is empty", texts->name);
    rc = bp_cpu_expect_count(node, ints->name, ints->n, texts->n, "the strings are", err);
    if (rc >= 0)
        rc = set_keys(node, m, to_ints ? texts : ints, err);
    if (rc >= 0)
        rc = read_default(node, to_ints ? BP_DTYPE_I64 : BP_DTYPE_STRING, def, err);
    return rc < 0 ? rc : set_values(node, m, to_ints ? ints : texts, def, err);
}

/* CategoryMapper-1. */
static bp_rc pack_mapper(struct bp_cpu_node *node, bp_err *err)
{
    struct list texts = {.name = "cats_strings", .dtype = BP_DTYPE_STRING};
    struct list ints = {.name = "cats_int64s", .dtype = BP_DTYPE_I64};

    texts.data = bp_cpu_strings(node, texts.name, &texts.n);
    ints.data = bp_cpu_ints(node, ints.name, &ints.n);
    return pack_pair(node, &texts, &ints, err);
}

/* LabelEncoder-1: classes_strings and their indices. */
static bp_rc pack_1(struct bp_cpu_node *node, bp_err *err)
{
    struct list texts = {.name = "classes_strings", .dtype = BP_DTYPE_STRING};
    struct list ints = {.name = "positions", .dtype = BP_DTYPE_I64};
    int64_t *positions;
    bp_rc rc;

    texts.data = bp_cpu_strings(node, texts.name, &texts.n);
    positions = bp_cpu_node_memory(node, texts.n * sizeof *positions);
    if (!positions)
        return fail_nomem(node, err);
    for (uint32_t i = 0; i < texts.n; i++)
        positions[i] = i;
    ints.data = positions;
    ints.n = texts.n;
    rc = pack_pair(node, &texts, &ints, err);
    if (rc >= 0)
        ((struct model *)node->packed)->is_index = !((struct model *)node->packed)->lookup.texts;
    return rc;
}

/* ---- running --------------------------------------------------------------------------------- */

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_state(call, sizeof(struct state), err);

    if (rc >= 0)
        ((struct state *)call->state)->slices = bp_cpu_slices(call, bp_cpu_count(call->in[0]), 16);
    return rc;
}

/* Positions of n elements of X, from element `first` on; m->n for unknown ones. */
static void find(const struct model *m, const bp_tensor *x, size_t first, size_t n, uint32_t *out)
{
    const char *from = (const char *)bp_tensor_data(x) + first * bp_cpu_width(x->dtype);
    uint64_t keys[BLOCK];

    if (m->lookup.texts) {
        for (size_t i = 0; i < n; i++)
            out[i] = bp_cpu_lookup_text(&m->lookup, ((const bp_span *)(const void *)from)[i]);
        return;
    }
    bp_cpu_lookup_keys(x->dtype, from, m->is_by_value, keys, n);
    for (size_t i = 0; i < n; i++)
        out[i] = !m->is_index     ? bp_cpu_lookup_scalar(&m->lookup, keys[i])
                 : keys[i] < m->n ? (uint32_t)keys[i]
                                  : m->n;
}

/*
 * Copies a value for each position. The common widths have branches of their own, so that memcpy
 * becomes plain moves.
 */
static void put(const struct model *m, const uint32_t *at, char *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *value = m->values + at[i] * m->width;

        if (m->width == 8)
            memcpy(out + i * 8, value, 8);
        else if (m->width == 4)
            memcpy(out + i * 4, value, 4);
        else if (m->width == 16)
            memcpy(out + i * 16, value, 16);
        else
            memcpy(out + i * m->width, value, m->width);
    }
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    struct bp_cpu_call *call = u;
    const struct model *m = call->node->packed;
    const struct state *state = call->state;
    int64_t count = bp_cpu_count(call->in[0]);
    size_t at = (size_t)bp_cpu_slice_at(count, i, state->slices);
    size_t end = (size_t)bp_cpu_slice_at(count, i + 1, state->slices), n;
    uint32_t positions[BLOCK];

    (void)worker;
    for (; at < end; at += n) {
        n = end - at < BLOCK ? end - at : BLOCK;
        find(m, call->in[0], at, n, positions);
        put(m, positions, (char *)bp_tensor_data(call->out[0]) + at * m->width, n);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;

    (void)err;
    if (bp_cpu_count(call->in[0]) > 0)
        bp_cpu_parallel(call, state->slices, slice, call);
    return BP_OK;
}

#define LABELS (UINT64_C(1) << BP_DTYPE_STRING | UINT64_C(1) << BP_DTYPE_I64)
#define CODES                                                                                      \
    (LABELS | UINT64_C(1) << BP_DTYPE_F32 | UINT64_C(1) << BP_DTYPE_F64 |                          \
     UINT64_C(1) << BP_DTYPE_I32 | UINT64_C(1) << BP_DTYPE_I16)
#define ENCODER(name_, since_, until_, types_, pack_)                                              \
    {                                                                                              \
        .name = (name_), .domain = "ai.onnx.ml", .since = (since_), .until = (until_),             \
        .types = (types_), .claim = bp_cpu_claim_types, .pack = (pack_), .prepare = prepare,       \
        .run = run                                                                                 \
    }

const struct bp_cpu_op bp_cpu_op_category_mapper =
    ENCODER("CategoryMapper", 1, 0, LABELS, pack_mapper);
const struct bp_cpu_op bp_cpu_op_label_encoder_1 = ENCODER("LabelEncoder", 1, 1, LABELS, pack_1);
const struct bp_cpu_op bp_cpu_op_label_encoder_2 = ENCODER("LabelEncoder", 2, 0, CODES, pack);
