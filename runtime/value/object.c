/* SPDX-License-Identifier: MIT */
/* object.c - making, sharing and releasing values of any kind. */

#include "config.h"

#include "value/object.h"

#include <stdlib.h>

bp_rc bp_object_new(uint32_t kind, uint32_t n, bp_object **out, bp_err *err)
{
    bp_object *object = calloc(1, sizeof *object + n * sizeof(bp_object *));

    *out = NULL;
    if (!object)
        return bp_fail_nomem(err, "a value");
    atomic_init(&object->references, 1);
    object->kind = kind;
    object->n = n;
    *out = object;
    return BP_OK;
}

bp_rc bp_object_adopt(bp_tensor *tensor, bp_object **out, bp_err *err)
{
    bp_rc rc = bp_object_new(BP_KIND_TENSOR, 0, out, err);

    if (rc < 0)
        bp_tensor_free(tensor);
    else
        (*out)->tensor = *tensor;
    return rc;
}

bp_rc bp_object_copy_tensor(const bp_allocator *allocator, const bp_tensor *tensor, bp_object **out,
                            bp_err *err)
{
    bp_tensor copy;
    size_t bytes;
    bp_rc rc;

    *out = NULL;
    if (!tensor || (tensor->rank > 0 && !tensor->dims))
        return bp_fail(err, BP_E_INVALID, "a value needs a tensor with its dims");
    if (!tensor->base && bp_dense_bytes(tensor->dtype, tensor->dims, tensor->rank, &bytes) &&
        bytes > 0)
        return bp_fail(err, BP_E_INVALID, "a value needs a tensor with its data");
    rc = bp_tensor_copy_block(allocator, tensor, &copy, err);
    return rc < 0 ? rc : bp_object_adopt(&copy, out, err);
}

bp_rc bp_object_from_tensor(const bp_tensor *tensor, bp_object **out, bp_err *err)
{
    if (!out)
        return bp_fail_null(err, "out");
    return bp_done(err, bp_object_copy_tensor(NULL, tensor, out, err));
}

/* An object of a kind with references to n items. */
static bp_rc collect(uint32_t kind, bp_object *const *items, uint32_t n, bp_object **out,
                     bp_err *err)
{
    bp_rc rc = bp_object_new(kind, n, out, err);

    for (uint32_t i = 0; rc >= 0 && i < n; i++)
        (*out)->items[i] = bp_object_retain(items[i]);
    return rc;
}

static bool same_type(const bp_object *a, const bp_object *b)
{
    return a->kind == b->kind && (a->kind != BP_KIND_TENSOR || a->tensor.dtype == b->tensor.dtype);
}

/* Items of one type, as ONNX has it; their shapes may differ. */
bp_rc bp_object_sequence(bp_object *const *items, uint32_t n, bp_object **out, bp_err *err)
{
    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (n > 0 && !items)
        return bp_fail(err, BP_E_INVALID, "a sequence of %u items needs them", n);
    for (uint32_t i = 0; i < n; i++) {
        if (!items[i])
            return bp_fail(err, BP_E_INVALID, "item %u of the sequence is NULL", i);
        if (!same_type(items[0], items[i]))
            return bp_fail(err, BP_E_INVALID,
                           "item %u of the sequence is of another type than "
                           "item 0",
                           i);
    }
    return bp_done(err, collect(BP_KIND_SEQUENCE, items, n, out, err));
}

bp_rc bp_object_optional(bp_object *item, bp_object **out, bp_err *err)
{
    if (!out)
        return bp_fail_null(err, "out");
    return bp_done(err, collect(BP_KIND_OPTIONAL, &item, item ? 1 : 0, out, err));
}

/* Entries of what may be a map's keys or values; false: it may not. */
static bool count_entries(const bp_object *object, uint64_t *out)
{
    if (!object || (object->kind != BP_KIND_SEQUENCE &&
                    (object->kind != BP_KIND_TENSOR || object->tensor.rank != 1)))
        return false;
    *out = object->kind == BP_KIND_SEQUENCE ? object->n : (uint64_t)object->tensor.dims[0];
    return true;
}

/*
 * Keys are a tensor, values a tensor or a sequence; both are counted and not copied.
 */
bp_rc bp_object_map(bp_object *keys, bp_object *values, bp_object **out, bp_err *err)
{
    bp_object *items[2] = {keys, values};
    uint64_t n_keys, n_values;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (!count_entries(keys, &n_keys) || keys->kind != BP_KIND_TENSOR ||
        (bp_dtype_width(keys->tensor.dtype) == 0 && keys->tensor.dtype != BP_DTYPE_STRING))
        return bp_fail(err, BP_E_INVALID, "a map's keys have to be a tensor of rank 1");
    if (!count_entries(values, &n_values) || n_keys != n_values)
        return bp_fail(err, BP_E_INVALID,
                       "a map's values have to be a tensor of rank 1 or a sequence, with one for "
                       "each of its %llu keys",
                       (unsigned long long)n_keys);
    return bp_done(err, collect(BP_KIND_MAP, items, 2, out, err));
}

/* Relaxed, as whoever retains holds a reference already and so sees the object. */
bp_object *bp_object_retain(bp_object *object)
{
    if (object)
        atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
    return object;
}

/*
 * Acquire and release: who frees must see all that others did to the object before they let it go.
 */
void bp_object_release(bp_object *object)
{
    if (!object || atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < object->n; i++)
        bp_object_release(object->items[i]); /* as deep as types nest, which decoding bounds */
    bp_tensor_free(&object->tensor);
    free(object);
}

uint32_t bp_object_kind(const bp_object *object)
{
    return object ? object->kind : BP_KIND_TENSOR;
}

uint32_t bp_object_count(const bp_object *object)
{
    return object ? object->n : 0;
}

bp_object *bp_object_item(const bp_object *object, uint32_t i)
{
    return object && i < object->n ? object->items[i] : NULL;
}

const bp_tensor *bp_object_tensor(const bp_object *object)
{
    return object && object->kind == BP_KIND_TENSOR ? &object->tensor : NULL;
}

/* What a type leaves open (no element type, no item) fits everything. */
bool bp_object_is_of(const bp_object *object, const bp_type_info *type)
{
    const bp_type_info *inner = type->item;

    if (object->kind != type->kind)
        return false;
    if (type->kind == BP_KIND_TENSOR)
        return type->dtype == BP_DTYPE_NONE || object->tensor.dtype == type->dtype;
    if (type->kind == BP_KIND_SPARSE)
        return !inner || inner->dtype == BP_DTYPE_NONE || object->tensor.dtype == inner->dtype;
    if (type->kind == BP_KIND_MAP) {
        uint32_t keys = object->items[0]->tensor.dtype;
        bool is_text = type->dtype == BP_DTYPE_STRING;

        return type->dtype == BP_DTYPE_NONE || is_text == (keys == BP_DTYPE_STRING);
    }
    for (uint32_t i = 0; inner && i < object->n; i++) {
        if (!bp_object_is_of(object->items[i], inner))
            return false;
    }
    return true;
}

const char *bp_kind_name(uint32_t kind)
{
    static const char *const names[BP_KIND_END] = {"a tensor", "a sequence", "an optional", "a map",
                                                   "a sparse tensor"};

    return kind < BP_KIND_END ? names[kind] : "an unknown value";
}
