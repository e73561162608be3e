/* SPDX-License-Identifier: MIT */
/* tensor_reshape.c - Reshape, Flatten and Identity; Shape and Size. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_TENSOR

/* ---- Reshape --------------------------------------------------------------------------------- */

/*
 * ONNX: Reshape 1, 5, 13, 14, 19, 21, 23, 24, 25.
 * shape is an attribute in version 1 and an input from 5 on. An entry 0 copies the size of
 * data at that dimension, unless allowzero (14) is set; one entry may be -1, and is computed
 * so that the number of elements stays. Both are solved for symbols too: sizes that are on
 * both sides of the division cancel.
 * Without the content of shape only the rank is known, where shape is counted. Content passes
 * on, as the elements stay in order.
 */

struct target {
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t rank;
    uint32_t rest; /* the dimension given as -1, or BP_NONE */
};

static bp_rc read_target(struct bp_infer *infer, const struct bp_list *shape,
                         const struct bp_fact *data, struct target *out)
{
    bool zero_is_zero = bp_ir_attr_int(infer->node, "allowzero", 0) != 0;

    out->rank = shape->n;
    out->rest = BP_NONE;
    for (uint32_t i = 0; i < shape->n; i++) {
        struct bp_sym size = shape->v[i];

        out->dims[i] = size;
        if (!bp_sym_known(size) || size.value > 0 || (size.value == 0 && zero_is_zero))
            continue;
        if (size.value < -1)
            return bp_fail(infer->err, BP_E_SHAPE,
                           "shape asks for size %" PRId64 " at dimension %u", size.value, i);
        if (size.value == -1) {
            if (out->rest != BP_NONE)
                return bp_fail(infer->err, BP_E_SHAPE,
                               "shape has -1 at dimensions %u and %u, but only one can be inferred",
                               out->rest, i);
            out->rest = i;
        } else if (!bp_rule_ranked(data)) {
            bp_rc rc = bp_rule_from_data(infer, &out->dims[i], 1);

            if (rc < 0)
                return rc;
        } else if (i >= data->rank) {
            return bp_fail(infer->err, BP_E_SHAPE,
                           "shape copies dimension %u of data, which has rank %u", i, data->rank);
        } else {
            out->dims[i] = data->dims[i];
        }
    }
    for (uint32_t i = 0; i < shape->n && zero_is_zero && out->rest != BP_NONE; i++) {
        if (bp_sym_known(shape->v[i]) && shape->v[i].value == 0)
            return bp_fail(infer->err, BP_E_SHAPE, "shape has both 0 and -1 under allowzero=1");
    }
    return BP_OK;
}

/* Sizes that stand on both sides of a division, taken out; what is left of each side. */
struct ratio {
    struct bp_sym above[BP_MAX_RANK], below[BP_MAX_RANK];
    uint32_t n_above, n_below;
};

static void cancel(const struct bp_fact *data, const struct target *target, struct ratio *out)
{
    out->n_above = data->rank;
    out->n_below = 0;
    for (uint32_t i = 0; i < data->rank; i++)
        out->above[i] = data->dims[i];
    for (uint32_t i = 0; i < target->rank; i++) {
        uint32_t k = 0;

        if (i == target->rest)
            continue;
        while (k < out->n_above && !bp_sym_equal(out->above[k], target->dims[i]))
            k++;
        if (k == out->n_above)
            out->below[out->n_below++] = target->dims[i];
        else
            out->above[k] = out->above[--out->n_above];
    }
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Takes the exact sizes out of n: their product, and the symbols moved to the front. */
static bp_rc split_constants(struct bp_infer *infer, struct bp_sym *sizes, uint32_t *n,
                             int64_t *constant)
{
    struct bp_sym product = bp_sym_of(1);
    uint32_t left = 0;

    for (uint32_t i = 0; i < *n; i++) {
        if (bp_sym_known(sizes[i])) {
            bp_rc rc = bp_rule_calc(infer, product, '*', sizes[i], &product);

            if (rc < 0)
                return rc;
        } else {
            sizes[left++] = sizes[i];
        }
    }
    *n = left;
    *constant = product.value;
    return BP_OK;
}

static bp_rc refuse_counts(struct bp_infer *infer, const struct bp_fact *data,
                           const struct target *target)
{
    char text[160];
    char requested[160];
    struct bp_fact fact = {.dtype = data->dtype, .rank = target->rank};
    struct bp_sym dims[BP_MAX_RANK];

    for (uint32_t i = 0; i < target->rank; i++)
        dims[i] = i == target->rest ? bp_sym_of(-1) : target->dims[i];
    fact.dims = dims;
    bp_fact_text(data, infer->symbols, text, sizeof text);
    bp_fact_text(&fact, infer->symbols, requested, sizeof requested);
    return bp_fail(infer->err, BP_E_SHAPE,
                   "cannot reshape %s to %s: the number of elements differs", text, requested);
}

/* What -1 stands for: the elements of data over those of the other dimensions. */
static bp_rc solve_rest(struct bp_infer *infer, const struct bp_fact *data, struct target *target)
{
    struct bp_sym *rest = &target->dims[target->rest];
    struct bp_sym above, below;
    struct ratio ratio;
    int64_t constant_above, constant_below, divisor;
    bp_rc rc;

    cancel(data, target, &ratio);
    rc = split_constants(infer, ratio.above, &ratio.n_above, &constant_above);
    if (rc < 0)
        return rc;
    rc = split_constants(infer, ratio.below, &ratio.n_below, &constant_below);
    if (rc < 0)
        return rc;
    if (constant_below == 0)
        return refuse_counts(infer, data, target);
    if (ratio.n_above == 0 && ratio.n_below == 0 && constant_above % constant_below != 0)
        return refuse_counts(infer, data, target);

    divisor = common_divisor(constant_above, constant_below);
    rc = bp_rule_product(infer, ratio.above, ratio.n_above, &above);
    if (rc < 0)
        return rc;
    rc = bp_rule_calc(infer, above, '*', bp_sym_of(constant_above / divisor), &above);
    if (rc < 0)
        return rc;
    rc = bp_rule_product(infer, ratio.below, ratio.n_below, &below);
    if (rc < 0)
        return rc;
    rc = bp_rule_calc(infer, below, '*', bp_sym_of(constant_below / divisor), &below);
    if (rc < 0)
        return rc;
    return bp_rule_calc(infer, above, '/', below, rest);
}

static bool has_zero(const struct bp_sym *dims, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (bp_sym_known(dims[i]) && dims[i].value == 0)
            return true;
    }
    return false;
}

/* Without -1, the elements must be as many as before, as far as that can be told. */
static bp_rc check_counts(struct bp_infer *infer, const struct bp_fact *data,
                          const struct target *target)
{
    int64_t constant_above, constant_below;
    struct ratio ratio;
    bp_rc rc;

    if (has_zero(data->dims, data->rank) && has_zero(target->dims, target->rank))
        return BP_OK;
    cancel(data, target, &ratio);
    rc = split_constants(infer, ratio.above, &ratio.n_above, &constant_above);
    if (rc < 0)
        return rc;
    rc = split_constants(infer, ratio.below, &ratio.n_below, &constant_below);
    if (rc < 0)
        return rc;
    if (ratio.n_above == 0 && ratio.n_below == 0 && constant_above != constant_below)
        return refuse_counts(infer, data, target);
    return BP_OK;
}

/* The shape is not known yet: at most its rank is. */
static bp_rc reshape_to_unknown(struct bp_infer *infer, const struct bp_list *shape)
{
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc;

    if (!shape->is_counted)
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = bp_rule_from_data(infer, dims, shape->n);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), shape->n, dims);
}

static bp_rc infer_reshape(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_list shape;
    struct target target;
    uint32_t n;
    bp_rc rc;

    rc = bp_rule_list(infer, "shape", 1, &shape);
    if (rc < 0)
        return rc;
    rc = bp_rule_check_rank(infer, shape.n);
    if (rc < 0)
        return rc;
    if (!shape.v)
        return reshape_to_unknown(infer, &shape);

    rc = read_target(infer, &shape, data, &target);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(data))
        rc =
            target.rest == BP_NONE ? BP_OK : bp_rule_from_data(infer, &target.dims[target.rest], 1);
    else
        rc = target.rest == BP_NONE ? check_counts(infer, data, &target)
                                    : solve_rest(infer, data, &target);
    if (rc < 0)
        return rc;
    rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), target.rank, target.dims);
    if (rc < 0 || !bp_content_is_whole(data) || !bp_rule_wants(infer, 0) ||
        !bp_content_count(&infer->out[0], &n) || n != data->n_content)
        return rc;
    return bp_rule_same_content(infer, 0, data);
}

ROW(Reshape, 1, INFER(infer_reshape), IN(P("data", 'T', FLOAT3)), OUT(P("reshaped", 'T', FLOAT3)),
    ATTRS(A_INTS("shape"), A_INTS("consumed_inputs")));

#define RESHAPE(since, types, attrs)                                                               \
    ROW(Reshape, since, INFER(infer_reshape),                                                      \
        IN(P("data", 'T', types), READ("shape", 0, BP_T(I64))), OUT(P("reshaped", 'T', types)),    \
        attrs)
#define ALLOWZERO ATTRS(A_INT("allowzero", 0))

RESHAPE(5, ALL3, NO_ATTRS);
RESHAPE(13, ALL4, NO_ATTRS);
RESHAPE(14, ALL4, ALLOWZERO);
RESHAPE(19, ALL9, ALLOWZERO);
RESHAPE(21, ALL10, ALLOWZERO);
RESHAPE(23, ALL11, ALLOWZERO);
RESHAPE(24, ALL12, ALLOWZERO);
RESHAPE(25, ALL13, ALLOWZERO);

/* ---- Flatten --------------------------------------------------------------------------------- */

/*
 * ONNX: Flatten 1, 9, 11, 13, 21, 23, 24, 25.
 * The result has rank 2: the product of the sizes before axis, and that of the sizes from
 * axis on. axis may be -rank to rank, the rank itself included.
 */

static bp_rc infer_flatten(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    int64_t axis = bp_ir_attr_int(infer->node, "axis", 1);
    struct bp_sym dims[2];
    uint32_t cut;
    bp_rc rc;

    if (!bp_rule_ranked(input)) {
        rc = bp_rule_from_data(infer, dims, 2);
        if (rc < 0)
            return rc;
        return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 2, dims);
    }
    /* the axis may be the rank itself: everything goes to the first dimension */
    if (axis < -(int64_t)input->rank || axis > (int64_t)input->rank)
        return bp_fail(infer->err, BP_E_INVALID, "axis %" PRId64 " is outside -%u..%u", axis,
                       input->rank, input->rank);
    cut = (uint32_t)(axis < 0 ? axis + input->rank : axis);
    rc = bp_rule_product(infer, input->dims, cut, &dims[0]);
    if (rc < 0)
        return rc;
    rc = bp_rule_product(infer, cut < input->rank ? input->dims + cut : NULL, input->rank - cut,
                         &dims[1]);
    if (rc < 0)
        return rc;
    rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 2, dims);
    if (rc < 0)
        return rc;
    return bp_rule_same_content(infer, 0, input);
}

#define FLATTEN(since, types)                                                                      \
    ROW(Flatten, since, INFER(infer_flatten), IN(P("input", 'T', types)),                          \
        OUT(P("output", 'T', types)), ATTRS(A_INT("axis", 1)))

FLATTEN(1, FLOAT3);
FLATTEN(9, ALL3);
FLATTEN(11, ALL3);
FLATTEN(13, ALL4);
FLATTEN(21, ALL10);
FLATTEN(23, ALL11);
FLATTEN(24, ALL12);
FLATTEN(25, ALL13);

/* ---- Identity -------------------------------------------------------------------------------- */

/*
 * ONNX: Identity 1, 13, 14, 16, 19, 21, 23, 24, 25.
 * The output is what the input is, content included; from version 14 on also a sequence, from
 * 16 on an optional.
 */

static bp_rc infer_identity(struct bp_infer *infer)
{
    const struct bp_fact *in = bp_rule_in(infer, 0);
    bp_rc rc;

    if (in && in->kind != BP_KIND_TENSOR) {
        bp_rule_set_fact(infer, 0, in);
        return BP_OK;
    }
    rc = bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), in);
    return rc < 0 ? rc : bp_rule_same_content(infer, 0, in);
}

#define IDENTITY(since, types, kinds)                                                              \
    ROW(Identity, since, INFER(infer_identity), IN(P_KINDS("input", 'T', types, kinds)),           \
        OUT(P_KINDS("output", 'T', types, kinds)))

IDENTITY(1, ALL3, K_TENSOR);
IDENTITY(13, ALL4, K_TENSOR);
IDENTITY(14, ALL4, K_TENSOR | K_SEQUENCE);
IDENTITY(16, ALL4, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IDENTITY(19, ALL9, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IDENTITY(21, ALL10, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IDENTITY(23, ALL11, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IDENTITY(24, ALL12, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IDENTITY(25, ALL13, K_TENSOR | K_SEQUENCE | K_OPTIONAL);

/* ---- Shape ----------------------------------------------------------------------------------- */

/*
 * ONNX: Shape 1, 13, 15, 19, 21, 23, 24, 25.
 * A vector with the sizes of data, from start to end (15), which count from the end where
 * they are negative and are clamped. This is where sizes become content.
 */

/* start or end of Shape-15: counted from the back when negative, clamped to 0..rank. */
static uint32_t clamp_axis(int64_t axis, uint32_t rank)
{
    if (axis < 0)
        axis = axis < -(int64_t)rank ? 0 : axis + rank;
    return axis > rank ? rank : (uint32_t)axis;
}

static bp_rc infer_shape(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym count;
    uint32_t start, end;
    bp_rc rc;

    if (!bp_rule_ranked(data)) {
        rc = bp_rule_from_data(infer, &count, 1);
        if (rc < 0)
            return rc;
        return bp_rule_set(infer, 0, BP_DTYPE_I64, 1, &count);
    }
    start = clamp_axis(bp_ir_attr_int(infer->node, "start", 0), data->rank);
    end = clamp_axis(bp_ir_attr_int(infer->node, "end", data->rank), data->rank);
    if (end < start)
        end = start;
    count = bp_sym_of(end - start);
    rc = bp_rule_set(infer, 0, BP_DTYPE_I64, 1, &count);
    if (rc < 0 || !bp_rule_wants(infer, 0))
        return rc;
    return bp_infer_set_content(infer, 0, data->rank ? data->dims + start : &count, end - start);
}

#define SHAPE(since, types, attrs)                                                                 \
    ROW(Shape, since, INFER(infer_shape), IN(P("data", 'T', types)),                               \
        OUT(P("shape", '1', BP_T(I64))), attrs)
#define PART ATTRS(A_INT("start", 0), A_INT_OPT("end"))

SHAPE(1, ALL3, NO_ATTRS);
SHAPE(13, ALL4, NO_ATTRS);
SHAPE(15, ALL4, PART);
SHAPE(19, ALL9, PART);
SHAPE(21, ALL10, PART);
SHAPE(23, ALL11, PART);
SHAPE(24, ALL12, PART);
SHAPE(25, ALL13, PART);

/* ---- Size ------------------------------------------------------------------------------------ */

/*
 * ONNX: Size 1, 13, 19, 21, 23, 24, 25.
 * A scalar int64, the number of elements of data, as content where all sizes are known or
 * symbols.
 */

static bp_rc infer_size(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym size;
    bp_rc rc = bp_rule_set(infer, 0, BP_DTYPE_I64, 0, NULL);

    if (rc < 0 || !bp_rule_ranked(data) || !bp_rule_wants(infer, 0))
        return rc;
    rc = bp_rule_product(infer, data->dims, data->rank, &size);
    if (rc < 0)
        return rc;
    return bp_infer_set_content(infer, 0, &size, 1);
}

#define SIZE(since, types)                                                                         \
    ROW(Size, since, INFER(infer_size), IN(P("data", 'T', types)), OUT(P("size", '1', BP_T(I64))))

SIZE(1, ALL3);
SIZE(13, ALL4);
SIZE(19, ALL9);
SIZE(21, ALL10);
SIZE(23, ALL11);
SIZE(24, ALL12);
SIZE(25, ALL13);
