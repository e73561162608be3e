/* SPDX-License-Identifier: MIT */
/* ml.c - Attributes, features and labels of ai.onnx.ml's operators; see ml.h. */

#include "ml/ml.h"

#include <common/float16.h>

/* ---- attributes ------------------------------------------------------------------------------ */

/* The elements of a list attribute; NULL and 0 if it is absent, empty or of another type. */
static const void *list(const struct bp_cpu_node *node, const char *name, uint32_t type,
                        uint32_t *count)
{
    const bp_attr *attr = bp_node_attr(node->graph, node->node, name);

    *count = attr && attr->type == type ? attr->count : 0;
    return *count > 0 ? attr->data : NULL;
}

const float *bp_cpu_floats(const struct bp_cpu_node *node, const char *name, uint32_t *count)
{
    return list(node, name, BP_ATTR_FLOAT, count);
}

const bp_span *bp_cpu_strings(const struct bp_cpu_node *node, const char *name, uint32_t *count)
{
    return list(node, name, BP_ATTR_STRING, count);
}

bp_rc bp_cpu_choice(const struct bp_cpu_node *node, const char *name, const char *def,
                    const char *const *texts, uint32_t n, uint32_t *out, bp_err *err)
{
    uint32_t count;
    const bp_span *given = bp_cpu_strings(node, name, &count);

    for (*out = 0; *out < n; ++*out) {
        if (bp_node_string_is(node->graph, node->node, name, def, texts[*out]))
            return BP_OK;
    }
    *out = 0;
    return bp_cpu_fail(node, err, BP_E_INVALID, "%s is '%.*s', which is not known", name,
                       given && given->size < 64 ? (int)given->size : 64,
                       given ? (const char *)given->data : def);
}

/*
 * The attribute comes from the model, so nothing is believed: the product of the dimensions is
 * checked for overflow, and the data for enough bytes.
 */
bp_rc bp_cpu_tensor_attr(const struct bp_cpu_node *node, const char *name, const bp_const **out,
                         uint32_t *count, bp_err *err)
{
    const bp_const *tensor = list(node, name, BP_ATTR_TENSOR, count);
    uint64_t n = 1, bytes;

    *out = NULL;
    *count = 0;
    if (!tensor)
        return BP_OK;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->dims[i] < 0 || __builtin_mul_overflow(n, (uint64_t)tensor->dims[i], &n))
            return bp_cpu_fail(node, err, BP_E_INVALID,
                               "%s has a negative dimension, or more elements than 64 bits count",
                               name);
    }
    if (bp_cpu_width(tensor->dtype) == 0)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s has elements of type %s", name,
                           bp_cpu_dtype_name(tensor->dtype));
    if (n > UINT32_MAX || __builtin_mul_overflow(n, bp_cpu_width(tensor->dtype), &bytes) ||
        bytes > tensor->bytes)
        return bp_cpu_fail(node, err, BP_E_INVALID,
                           "%s has %llu bytes, which is less than its shape needs", name,
                           (unsigned long long)tensor->bytes);
    *out = tensor;
    *count = (uint32_t)n;
    return BP_OK;
}

bp_rc bp_cpu_expect_count(const struct bp_cpu_node *node, const char *name, uint64_t count,
                          uint64_t want, const char *whose, bp_err *err)
{
    if (count == want)
        return BP_OK;
    return bp_cpu_fail(node, err, BP_E_INVALID, "%s has %llu elements, but %s %llu", name,
                       (unsigned long long)count, whose, (unsigned long long)want);
}

/* ---- rows of features ------------------------------------------------------------------------ */

bp_rc bp_cpu_rows(const struct bp_cpu_call *call, int64_t *rows, int64_t *cols, bp_err *err)
{
    const bp_tensor *x = call->in[0];

    if (x->rank != 1 && x->rank != 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "X has rank %u, but rows of features are needed", x->rank);
    *rows = x->rank == 1 ? 1 : x->dims[0];
    *cols = x->dims[x->rank - 1];
    return BP_OK;
}

/* X-macro bodies stay short: the loop is the same for each pair of types. */
#define CONVERT(T, load)                                                                           \
    do {                                                                                           \
        const T *x = from;                                                                         \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = load(x[i]);                                                                    \
    } while (0)
#define TO_FLOAT(x) ((float)(x))
#define TO_DOUBLE(x) ((double)(x))
#define HALF_TO_DOUBLE(x) ((double)bp_f16_load(x))

void bp_cpu_to_f32(uint32_t dtype, const void *from, float *to, size_t n)
{
    if (dtype == BP_DTYPE_F32)
        memcpy(to, from, n * sizeof *to);
    else if (dtype == BP_DTYPE_F64)
        CONVERT(double, TO_FLOAT);
    else if (dtype == BP_DTYPE_I64)
        CONVERT(int64_t, TO_FLOAT);
    else if (dtype == BP_DTYPE_I32)
        CONVERT(int32_t, TO_FLOAT);
    else if (dtype == BP_DTYPE_F16)
        CONVERT(uint16_t, bp_f16_load);
}

void bp_cpu_to_f64(uint32_t dtype, const void *from, double *to, size_t n)
{
    if (dtype == BP_DTYPE_F64)
        memcpy(to, from, n * sizeof *to);
    else if (dtype == BP_DTYPE_F32)
        CONVERT(float, TO_DOUBLE);
    else if (dtype == BP_DTYPE_I64)
        CONVERT(int64_t, TO_DOUBLE);
    else if (dtype == BP_DTYPE_I32)
        CONVERT(int32_t, TO_DOUBLE);
    else if (dtype == BP_DTYPE_F16)
        CONVERT(uint16_t, HALF_TO_DOUBLE);
}

/* ---- labels ---------------------------------------------------------------------------------- */

bp_rc bp_cpu_labels_read(const struct bp_cpu_node *node, const char *ints,
                         struct bp_cpu_labels *out, bp_err *err)
{
    const bp_value *y = bp_node_out(node->graph, node->node, 0);
    uint32_t dtype;

    out->ints = NULL;
    out->strings = bp_cpu_strings(node, "classlabels_strings", &out->n);
    if (out->n == 0)
        out->ints = bp_cpu_ints(node, ints, &out->n);
    if (out->n == 0)
        return bp_cpu_fail(node, err, BP_E_INVALID, "neither %s nor classlabels_strings is given",
                           ints);
    dtype = out->ints ? BP_DTYPE_I64 : BP_DTYPE_STRING;
    if (y && y->dtype != dtype)
        return bp_cpu_fail(node, err, BP_E_INVALID, "labels are %s, but output Y is %s",
                           bp_cpu_dtype_name(dtype), bp_cpu_dtype_name(y->dtype));
    return BP_OK;
}

void bp_cpu_put_label(const struct bp_cpu_labels *labels, bp_tensor *out, int64_t row, size_t which)
{
    if (!out)
        return;
    if (labels->ints)
        ((int64_t *)bp_tensor_data(out))[row] = labels->ints[which];
    else
        ((bp_span *)bp_tensor_data(out))[row] = labels->strings[which];
}

void bp_cpu_put_binary_label(const struct bp_cpu_labels *labels, bp_tensor *out, int64_t row,
                             bool yes)
{
    static const char digits[] = "01";

    if (!out)
        return;
    if (labels->ints)
        ((int64_t *)bp_tensor_data(out))[row] = yes;
    else
        ((bp_span *)bp_tensor_data(out))[row] = (bp_span){digits + yes, 1};
}
