/* SPDX-License-Identifier: MIT */
/*
 * map_values.c - CastMap, DictVectorizer and ZipMap (ai.onnx.ml, opset 1): tensors from and to
 * maps.
 */

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/control/host_op.h"
#include "exec/control/table.h"

/* ---- maps as two lists ----------------------------------------------------------------------- */

/* A map: two lists of one length, its keys in rising order. */
struct map {
    const bp_tensor *keys;
    const bp_object *values; /* a tensor of rank 1, or a sequence of tensors of one element */
    int64_t n;
};

/* The map of input 0; lists are borrowed from its object. */
static bp_rc map_in(const struct bp_run_state *state, const struct bp_ir_node *node,
                    struct map *out, bp_err *err)
{
    const struct bp_cell *cell = bp_host_op_input(state, node, 0);

    if (!cell || !cell->object || cell->object->kind != BP_KIND_MAP)
        return bp_host_op_fail(node, err, BP_E_INVALID, "input 0 is not a map");
    out->keys = &cell->object->items[0]->tensor;
    out->values = cell->object->items[1];
    out->n = out->keys->dims[0];
    return BP_OK;
}

/* The tensor and the index in it of value i; NULL: it is not a single element. */
static const bp_tensor *value_at(const struct map *map, int64_t i, int64_t *index)
{
    const bp_tensor *tensor = &map->values->tensor;

    *index = i;
    if (map->values->kind == BP_KIND_TENSOR)
        return tensor;
    *index = 0;
    if (map->values->items[i]->kind != BP_KIND_TENSOR)
        return NULL;
    tensor = &map->values->items[i]->tensor;
    return bp_dims_count(tensor->dims, tensor->rank) == 1 ? tensor : NULL;
}

static bp_span text_at(const bp_tensor *tensor, int64_t i)
{
    return ((const bp_span *)tensor->base)[i];
}

static bool same_text(bp_span a, bp_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Element i of an integer or floating-point tensor; false: another type. */
static bool number_at(const bp_tensor *tensor, int64_t i, double *real, int64_t *whole)
{
    switch (tensor->dtype) {
    case BP_DTYPE_F32:
        *real = (double)((const float *)tensor->base)[i];
        break;
    case BP_DTYPE_F64:
        *real = ((const double *)tensor->base)[i];
        break;
    case BP_DTYPE_I32:
        *whole = ((const int32_t *)tensor->base)[i];
        *real = (double)*whole;
        return true;
    case BP_DTYPE_I64:
        *whole = ((const int64_t *)tensor->base)[i];
        *real = (double)*whole;
        return true;
    default:
        return false;
    }
    *whole = *real >= -0x1p63 && *real < 0x1p63 ? (int64_t)*real : 0;
    return true;
}

/* ---- DictVectorizer -------------------------------------------------------------------------- */

/* Place of a key in the map, or -1. */
static int64_t find_key(const struct map *map, const bp_attr *vocabulary, uint32_t word)
{
    for (int64_t i = 0; i < map->n; i++) {
        if (vocabulary->type == BP_ATTR_STRING) {
            if (map->keys->dtype == BP_DTYPE_STRING &&
                same_text(text_at(map->keys, i), ((const bp_span *)vocabulary->data)[word]))
                return i;
        } else {
            double real;
            int64_t key;

            if (number_at(map->keys, i, &real, &key) &&
                key == ((const int64_t *)vocabulary->data)[word])
                return i;
        }
    }
    return -1;
}

/* One element for each word of the vocabulary; words that the map does not have are zero or "". */
static bp_rc fill_vector(const struct bp_ir_node *node, const struct map *map,
                         const bp_attr *vocabulary, struct bp_cell *out, bp_err *err)
{
    size_t width = out->bytes / (vocabulary->count ? vocabulary->count : 1);

    for (uint32_t i = 0; i < vocabulary->count; i++) {
        int64_t at = find_key(map, vocabulary, i), index;
        const bp_tensor *value = at < 0 ? NULL : value_at(map, at, &index);
        char *to = (char *)out->base + i * width;

        if (at < 0 && out->dtype == BP_DTYPE_STRING)
            *(bp_span *)(void *)to = (bp_span){"", 0};
        else if (at < 0)
            memset(to, 0, width);
        else if (!value || value->dtype != out->dtype)
            return bp_host_op_fail(node, err, BP_E_INVALID,
                                   "value %" PRId64 " of the map is not of type %s", at,
                                   bp_dtype_name(out->dtype));
        else
            memcpy(to, (const char *)value->base + (size_t)index * width, width);
    }
    return BP_OK;
}

/*
 * DictVectorizer-1: [1, vocabulary]. The map's own values tell the type; the plan's fact tells it
 * for an empty map.
 */
bp_rc bp_host_op_dict_vectorizer(struct bp_run_state *state, const struct bp_unit *unit,
                                 bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const bp_attr *strings = bp_ir_attr(node, "string_vocabulary");
    const bp_attr *vocabulary =
        strings && strings->count ? strings : bp_ir_attr(node, "int64_vocabulary");
    int64_t dims[2] = {1, vocabulary->count}, index;
    const bp_tensor *first;
    struct bp_cell out;
    struct map map;
    uint32_t dtype;
    bp_rc rc = map_in(state, node, &map, err);

    if (rc < 0)
        return rc;
    first = map.n > 0 ? value_at(&map, 0, &index) : NULL;
    dtype = first ? first->dtype : state->plan->inferred.facts[node->out[0]].dtype;
    rc = bp_host_op_alloc_output(state, node, 0, dtype ? dtype : BP_DTYPE_F32, 2, dims, &out, err);
    if (rc >= 0)
        rc = fill_vector(node, &map, vocabulary, &out, err);
    return rc < 0 ? rc : bp_run_set(state, node->out[0], &out, err);
}

/* ---- CastMap --------------------------------------------------------------------------------- */

/*
 * Writes value `at` of the map, or nothing (at < 0), as element i of a vector of the result's type.
 */
static bp_rc cast_value(const struct bp_ir_node *node, const struct map *map, int64_t at,
                        bp_tensor *out, int64_t i, char *text, bp_err *err)
{
    int64_t index = 0, whole = 0;
    const bp_tensor *value = at < 0 ? NULL : value_at(map, at, &index);
    double real = 0;
    bool is_text = value && value->dtype == BP_DTYPE_STRING;

    if (at >= 0 && (!value || (!is_text && !number_at(value, index, &real, &whole))))
        return bp_host_op_fail(node, err, BP_E_INVALID,
                               "value %" PRId64 " of the map has a type "
                               "that is not cast",
                               at);
    if (is_text) {
        bp_span span = text_at(value, index);
        char *end;

        snprintf(text, 64, "%.*s", (int)(span.size < 63 ? span.size : 63), (const char *)span.data);
        real = strtod(text, &end);
        whole = strtoll(text, NULL, 10);
        if (out->dtype != BP_DTYPE_STRING && (end == text || *end))
            return bp_host_op_fail(node, err, BP_E_INVALID, "'%s' is not a number", text);
    }
    if (out->dtype == BP_DTYPE_F32)
        ((float *)out->base)[i] = (float)real;
    else if (out->dtype == BP_DTYPE_I64)
        ((int64_t *)out->base)[i] = whole;
    else if (is_text)
        ((bp_span *)out->base)[i] = text_at(value, index);
    else
        ((bp_span *)out->base)[i] =
            (bp_span){text, at < 0 ? 0 : (size_t)snprintf(text, 64, "%.9g", real)};
    return BP_OK;
}

/* Element i is that of the map's entry with key i (sparse), or of entry i in the order of keys. */
static int64_t entry_for(const struct map *map, bool is_sparse, int64_t i)
{
    double real;
    int64_t key;

    if (!is_sparse)
        return i < map->n ? i : -1;
    for (int64_t k = 0; k < map->n; k++) {
        if (number_at(map->keys, k, &real, &key) && key == i)
            return k;
    }
    return -1;
}

/*
 * CastMap-1: [1, entries], or [1, max_map] for a sparse map. Texts have 64 bytes for each element.
 */
bp_rc bp_host_op_cast_map(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    bool is_sparse = bp_ir_attr_is(node, "map_form", "DENSE", "SPARSE");
    int64_t dims[2] = {1, 0}, max_map = bp_ir_attr_int(node, "max_map", 1);
    bp_tensor made = {0};
    bp_object *object = NULL;
    struct map map;
    char *text = NULL;
    bp_rc rc = map_in(state, node, &map, err);

    if (rc < 0)
        return rc;
    dims[1] = is_sparse ? max_map : map.n;
    if (dims[1] < 0 || dims[1] > INT32_MAX)
        return bp_host_op_fail(node, err, BP_E_INVALID, "max_map is %" PRId64, max_map);
    rc = bp_tensor_alloc(state->plan->inferred.facts[node->out[0]].dtype, dims, 2, &made, err);
    text = calloc((size_t)dims[1] + 1, 64);
    if (rc >= 0 && !text)
        rc = bp_fail_nomem(err, "a map");
    for (int64_t i = 0; rc >= 0 && i < dims[1]; i++)
        rc = cast_value(node, &map, entry_for(&map, is_sparse, i), &made, i, text + i * 64, err);
    if (rc >= 0)
        rc = bp_object_copy_tensor(bp_host_op_allocator(state), &made, &object, err);
    bp_tensor_free(&made);
    free(text);
    return rc < 0 ? rc : bp_host_op_set_object(state, node, 0, object, err);
}

/* ---- ZipMap ---------------------------------------------------------------------------------- */

/* The class labels as a tensor; all maps of a result share it. */
static bp_rc make_keys(const bp_allocator *allocator, const bp_attr *labels, bp_object **out,
                       bp_err *err)
{
    int64_t dims[1] = {labels->count};
    bool is_text = labels->type == BP_ATTR_STRING;
    bp_tensor tensor = {
        .base = (void *)(uintptr_t)labels->data, /* only read from */
        .dims = dims,
        .bytes = labels->count * (is_text ? sizeof(bp_span) : sizeof(int64_t)),
        .rank = 1,
        .dtype = is_text ? BP_DTYPE_STRING : BP_DTYPE_I64,
    };

    return bp_object_copy_tensor(allocator, &tensor, out, err);
}

/* One row of scores as the values of a map. */
static bp_rc make_map(const bp_allocator *allocator, bp_object *keys, const float *row,
                      bp_object **out, bp_err *err)
{
    const bp_tensor *tensor = &keys->tensor;
    bp_tensor scores = {.base = (void *)(uintptr_t)row,
                        .dims = tensor->dims,
                        .bytes = (size_t)tensor->dims[0] * sizeof *row,
                        .rank = 1,
                        .dtype = BP_DTYPE_F32};
    bp_object *values;
    bp_rc rc = bp_object_copy_tensor(allocator, &scores, &values, err);

    if (rc < 0)
        return rc;
    rc = bp_object_map(keys, values, out, err);
    bp_object_release(values);
    return rc;
}

/* ZipMap-1: a map from class label to score for each row. */
bp_rc bp_host_op_zip_map(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const bp_attr *strings = bp_ir_attr(node, "classlabels_strings");
    const bp_attr *labels =
        strings && strings->count ? strings : bp_ir_attr(node, "classlabels_int64s");
    const struct bp_cell *in = bp_host_op_input(state, node, 0);
    int64_t classes = in->rank ? in->dims[in->rank - 1] : 0;
    int64_t rows = in->rank == 2 ? in->dims[0] : 1;
    bp_object *keys = NULL, *sequence = NULL;
    bp_rc rc;

    if (classes != (int64_t)labels->count || rows > INT32_MAX)
        return bp_host_op_fail(node, err, BP_E_SHAPE,
                               "there are %" PRId64 " scores a row for %u class labels", classes,
                               labels->count);
    rc = make_keys(bp_host_op_allocator(state), labels, &keys, err);
    if (rc >= 0)
        rc = bp_object_new(BP_KIND_SEQUENCE, (uint32_t)rows, &sequence, err);
    for (int64_t i = 0; rc >= 0 && i < rows; i++)
        rc = make_map(bp_host_op_allocator(state), keys, (const float *)in->base + i * classes,
                      &sequence->items[i], err);
    bp_object_release(keys);
    if (rc >= 0)
        return bp_host_op_set_object(state, node, 0, sequence, err);
    bp_object_release(sequence);
    return rc;
}
