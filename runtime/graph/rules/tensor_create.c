/* SPDX-License-Identifier: MIT */
/* tensor_create.c - Constant, ConstantOfShape, EyeLike and Range. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <math.h>

#define FAMILY BP_FAMILY_TENSOR

/* ---- Constant -------------------------------------------------------------------------------- */

/*
 * ONNX: Constant 1, 9, 11, 12, 13, 19, 21, 23, 24, 25.
 * Exactly one attribute holds the value: a tensor, or from 12 on an int, float or string, or
 * a list of them. The output has its type, shape and content.
 */

static const bp_const *tensor_attr(const struct bp_infer *infer, const char *name)
{
    const bp_attr *attr = bp_ir_attr(infer->node, name);

    return attr && attr->type == BP_ATTR_TENSOR && attr->count == 1 ? attr->data : NULL;
}

/* Content of a tensor that has fewer bytes than its sizes ask for is not read. */
static bool is_whole(const bp_const *value)
{
    size_t bytes;

    return bp_dense_bytes(value->dtype, value->dims, value->rank, &bytes) && bytes <= value->bytes;
}

static bp_rc set_tensor(struct bp_infer *infer, const bp_const *value)
{
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc = bp_rule_check_rank(infer, value->rank);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < value->rank; i++)
        dims[i] = bp_sym_of(value->dims[i]);
    rc = bp_rule_set(infer, 0, value->dtype, value->rank, dims);
    if (rc < 0 || !bp_rule_wants(infer, 0) || !is_whole(value))
        return rc;
    return bp_infer_content(&infer->out[0], value->data, infer->region, infer->err);
}

/* value_int and its like: a scalar, or a list where the attribute is one. */
static bp_rc set_plain(struct bp_infer *infer, const bp_attr *attr)
{
    static const uint32_t dtypes[] = {[BP_ATTR_FLOAT] = BP_DTYPE_F32,
                                      [BP_ATTR_INT] = BP_DTYPE_I64,
                                      [BP_ATTR_STRING] = BP_DTYPE_STRING};
    struct bp_sym count = bp_sym_of(attr->count);
    bp_rc rc =
        bp_rule_set(infer, 0, dtypes[attr->type], attr->flags & BP_ATTR_LIST ? 1 : 0, &count);

    if (rc < 0 || !bp_rule_wants(infer, 0))
        return rc;
    return bp_infer_content(&infer->out[0], attr->data, infer->region, infer->err);
}

static bp_rc infer_constant(struct bp_infer *infer)
{
    static const char *const names[] = {"value_float", "value_floats", "value_int",
                                        "value_ints",  "value_string", "value_strings"};
    const bp_const *value = tensor_attr(infer, "value");

    if (value)
        return set_tensor(infer, value);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bp_attr *attr = bp_ir_attr(infer->node, names[i]);

        if (attr && attr->type >= BP_ATTR_FLOAT && attr->type <= BP_ATTR_STRING)
            return set_plain(infer, attr);
    }
    return bp_fail(infer->err, BP_E_INVALID, "no attribute says which value the constant has");
}

/* sparse_value is missing: the reader makes an initializer of such a node */
#define CONSTANT(since, types, ...)                                                                \
    ROW(Constant, since, INFER(infer_constant), OUT(P("output", 'T', types)), ATTRS(__VA_ARGS__))
#define PLAIN                                                                                      \
    A_TENSOR_OPT("value"), A_FLOAT_OPT("value_float"), A_FLOATS("value_floats"),                   \
        A_INT_OPT("value_int"), A_INTS("value_ints"), A_STRING_OPT("value_string"),                \
        A_STRINGS("value_strings")

CONSTANT(1, FLOAT3, A_TENSOR_REQ("value"));
CONSTANT(9, ALL3, A_TENSOR_REQ("value"));
CONSTANT(11, ALL3, A_TENSOR_OPT("value"));
CONSTANT(12, ALL3, PLAIN);
CONSTANT(13, ALL4, PLAIN);
CONSTANT(19, ALL9, PLAIN);
CONSTANT(21, ALL10, PLAIN);
CONSTANT(23, ALL11, PLAIN);
CONSTANT(24, ALL12, PLAIN);
CONSTANT(25, ALL13, PLAIN);

/* ---- ConstantOfShape ------------------------------------------------------------------------- */

/*
 * ONNX: ConstantOfShape 9, 20, 21, 23, 24, 25.
 * input is a vector, the shape of the output; all elements are that of value, a tensor of one
 * element, by default 0 as float32. Without the content of input only the rank is known,
 * where input is counted.
 */

/* The element as a fact with content, where its type has any. Without the attribute it is 0.0f. */
static bp_rc read_element(struct bp_infer *infer, struct bp_fact *out, struct bp_sym *one)
{
    const bp_const *value = tensor_attr(infer, "value");
    const struct bp_fact none = {.dtype = BP_DTYPE_F32, .rank = 1, .dims = one};

    *out = none;
    *one = bp_sym_of(1);
    if (!value)
        return BP_OK;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->dims[i] != 1)
            return bp_fail(infer->err, BP_E_INVALID, "value must be a tensor of one element");
    }
    out->dtype = value->dtype;
    if (!is_whole(value))
        return BP_OK;
    return bp_infer_content(out, value->data, infer->region, infer->err);
}

static bp_rc fill_content(struct bp_infer *infer, const struct bp_fact *element)
{
    struct bp_sym *v;
    uint32_t n;

    if (!element->content || !bp_rule_wants(infer, 0) || !bp_content_count(&infer->out[0], &n))
        return BP_OK;
    v = bp_region_array(infer->region, n, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, "a content");
    for (uint32_t i = 0; i < n; i++)
        v[i] = element->content[0];
    return bp_infer_set_content(infer, 0, v, n);
}

static bp_rc infer_constant_of_shape(struct bp_infer *infer)
{
    struct bp_sym dims[BP_MAX_RANK], one;
    struct bp_fact element;
    struct bp_list shape;
    bp_rc rc = bp_rule_list(infer, "shape", 0, &shape);

    if (rc >= 0)
        rc = read_element(infer, &element, &one);
    if (rc >= 0)
        rc = bp_rule_check_rank(infer, shape.n);
    if (rc < 0)
        return rc;
    if (!shape.is_counted)
        return bp_rule_unknown(infer, 0, element.dtype);
    if (!shape.v) {
        rc = bp_rule_from_data(infer, dims, shape.n);
        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; shape.v && i < shape.n; i++) {
        dims[i] = shape.v[i];
        if (bp_sym_known(dims[i]) && dims[i].value < 0)
            return bp_fail(infer->err, BP_E_SHAPE,
                           "input asks for size %" PRId64 " at dimension %u", dims[i].value, i);
    }
    rc = bp_rule_set(infer, 0, element.dtype, shape.n, dims);
    if (rc < 0)
        return rc;
    return fill_content(infer, &element);
}

#define PLAIN_TYPES ~(BP_T_COMPLEX | BP_T(STRING))
#define CONSTANT_OF_SHAPE(since, types)                                                            \
    ROW(ConstantOfShape, since, INFER(infer_constant_of_shape), IN(READ("input", '1', BP_T(I64))), \
        OUT(P("output", '2', types)), ATTRS(A_TENSOR_OPT("value")))

CONSTANT_OF_SHAPE(9, ALL3 &PLAIN_TYPES);
CONSTANT_OF_SHAPE(20, ALL9 &PLAIN_TYPES);
CONSTANT_OF_SHAPE(21, ALL10 &PLAIN_TYPES);
CONSTANT_OF_SHAPE(23, ALL11 &PLAIN_TYPES);
CONSTANT_OF_SHAPE(24, ALL12 &PLAIN_TYPES);
CONSTANT_OF_SHAPE(25, ALL13 &PLAIN_TYPES);

/* ---- EyeLike --------------------------------------------------------------------------------- */

/*
 * ONNX: EyeLike 9, 22.
 * The result has the shape of input, of rank 2, and its type or dtype.
 */

static bp_rc infer_eye_like(struct bp_infer *infer)
{
    int64_t dtype = bp_ir_attr_int(infer->node, "dtype", bp_rule_dtype(infer, 0));
    bp_rc rc = bp_rule_rank(infer, 0, 2, 2);

    if (rc < 0)
        return rc;
    if (dtype < 0 || dtype >= BP_DTYPE_END)
        return bp_fail(infer->err, BP_E_INVALID, "dtype %" PRId64 " is not an element type", dtype);
    return bp_rule_like(infer, 0, (uint32_t)dtype, bp_rule_in(infer, 0));
}

#define EYE_LIKE(since, types)                                                                     \
    ROW(EyeLike, since, INFER(infer_eye_like), IN(P("input", '1', types)),                         \
        OUT(P("output", '2', types)), ATTRS(A_INT_OPT("dtype"), A_INT("k", 0)))

EYE_LIKE(9, NUMBER3 | BP_T(BOOL));
EYE_LIKE(22, NUMBER | BP_T(BOOL));

/* ---- Range ----------------------------------------------------------------------------------- */

/*
 * ONNX: Range 11, 27.
 * com.microsoft: Range 1.
 * A vector of max(ceil((limit - start) / delta), 0) elements. All inputs are scalars of one
 * type; without their content the size comes with the data. delta is optional in
 * com.microsoft and 1 by default. Content: of exact integers.
 */

static const struct bp_sym *element_of(const struct bp_fact *fact)
{
    return fact && fact->content && fact->n_content == 1 ? fact->content : NULL;
}

/* max(ceil((limit - start) / delta), 0), for exact values. */
static bp_rc count_exact(struct bp_infer *infer, int64_t start, int64_t limit, int64_t delta,
                         int64_t *out)
{
    bool is_empty = delta > 0 ? limit <= start : limit >= start;
    /* the distance may need all 64 bits */
    uint64_t distance =
        delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
    uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
    uint64_t count = is_empty ? 0 : (distance - 1) / step + 1;

    if (count > INT64_MAX)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "the range has more elements than a tensor may have");
    *out = (int64_t)count;
    return BP_OK;
}

static bp_rc range_content(struct bp_infer *infer, int64_t start, int64_t delta, int64_t count)
{
    struct bp_sym *v;

    if (count > BP_MAX_CONTENT || !bp_rule_wants(infer, 0))
        return BP_OK;
    v = bp_region_array(infer->region, (size_t)count, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, "a content");
    /* each is between start and limit, though i * delta alone may not fit */
    for (int64_t i = 0; i < count; i++)
        v[i] = bp_sym_of((int64_t)((uint64_t)start + (uint64_t)i * (uint64_t)delta));
    return bp_infer_set_content(infer, 0, v, (uint32_t)count);
}

static bp_rc count_symbolic(struct bp_infer *infer, struct bp_sym start, struct bp_sym limit,
                            struct bp_sym delta, struct bp_sym *out)
{
    bp_rc rc = bp_rule_calc(infer, limit, '-', start, out);

    if (rc < 0)
        return rc;
    return bp_rule_calc(infer, *out, '^', delta, out);
}

/* Numbers of a float range; the difference is taken in its type, as the run does. */
static bp_rc count_real(struct bp_infer *infer, double start, double limit, double delta,
                        struct bp_sym *out)
{
    double distance = limit - start;
    double count;

    if (bp_rule_dtype(infer, 0) == BP_DTYPE_F32)
        distance = (double)((float)limit - (float)start);
    count = ceil(distance / delta);
    if (!(count < (double)(INT64_C(1) << 53)))
        return bp_fail(infer->err, BP_E_SHAPE, "a range from %g to %g in steps of %g has no length",
                       start, limit, delta);
    *out = bp_sym_of(count > 0 ? (int64_t)count : 0);
    return BP_OK;
}

static const double *real_of(const struct bp_fact *fact)
{
    return fact && fact->reals && fact->n_content == 1 ? fact->reals : NULL;
}

static bp_rc range_size(struct bp_infer *infer, struct bp_sym *out)
{
    const struct bp_sym *start = element_of(bp_rule_in(infer, 0));
    const struct bp_sym *limit = element_of(bp_rule_in(infer, 1));
    const struct bp_sym *delta = element_of(bp_rule_in(infer, 2));
    const double *from = real_of(bp_rule_in(infer, 0));
    const double *to = real_of(bp_rule_in(infer, 1));
    const double *by = real_of(bp_rule_in(infer, 2));

    if ((by && *by == 0) || (delta && bp_sym_known(*delta) && delta->value == 0))
        return bp_fail(infer->err, BP_E_INVALID, "delta is 0");
    if (from && to && by)
        return count_real(infer, *from, *to, *by, out);
    if (!start || !limit || !delta)
        return bp_rule_from_data(infer, out, 1);
    if (!bp_sym_known(*start) || !bp_sym_known(*limit) || !bp_sym_known(*delta))
        return count_symbolic(infer, *start, *limit, *delta, out);
    *out = bp_sym_of(0);
    return count_exact(infer, start->value, limit->value, delta->value, &out->value);
}

static bp_rc infer_range(struct bp_infer *infer)
{
    const struct bp_sym *start = element_of(bp_rule_in(infer, 0));
    const struct bp_sym *delta = element_of(bp_rule_in(infer, 2));
    uint32_t dtype = bp_rule_dtype(infer, 0);
    struct bp_sym size;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < 3 && rc >= 0; i++) {
        rc = bp_rule_scalar(infer, i);
        if (dtype == BP_DTYPE_NONE)
            dtype = bp_rule_dtype(infer, i);
    }
    if (rc >= 0)
        rc = range_size(infer, &size);
    if (rc >= 0)
        rc = bp_rule_set(infer, 0, dtype, 1, &size);
    if (rc < 0 || !bp_sym_known(size) || !start || !bp_sym_known(*start) || !delta ||
        !bp_sym_known(*delta))
        return rc;
    return range_content(infer, start->value, delta->value, size.value);
}

#define RANGE(since, types, attrs)                                                                 \
    ROW(Range, since, INFER(infer_range),                                                          \
        IN(READ("start", 'T', types), READ("limit", 'T', types), READ("delta", 'T', types)),       \
        OUT(P("output", 'T', types)), attrs)
#define RANGE_11 (BP_T(F32) | BP_T(F64) | BP_T(I16) | INDEX)

RANGE(11, RANGE_11, NO_ATTRS);
RANGE(27, RANGE_11 | BP_T(F16) | BP_T(BF16), ATTRS(A_INT("stash_type", 1)));

/* Without delta it is 1. */
static bp_rc infer_ms_range(struct bp_infer *infer)
{
    const struct bp_fact *start = bp_rule_in(infer, 0);
    const struct bp_sym one_sym = bp_sym_of(1);
    static const double one_real = 1;
    struct bp_fact one = {.n_content = 1};
    const struct bp_fact *in[] = {start, bp_rule_in(infer, 1), bp_rule_in(infer, 2)};

    if (!in[2] && start) {
        one.dtype = start->dtype;
        if (start->dtype == BP_DTYPE_F32 || start->dtype == BP_DTYPE_F64)
            one.reals = &one_real;
        else
            one.content = &one_sym;
        in[2] = &one;
    }
    return bp_rule_as(infer, &bp_schema_Range_11, in, 3);
}

MS_ROW(Range, 1, INFER(infer_ms_range),
       IN(READ("start", 'T', RANGE_11), READ("limit", 'T', RANGE_11),
          OPT_READ("delta", 'T', RANGE_11)),
       OUT(P("Y", 'T', RANGE_11)), NO_ATTRS);
