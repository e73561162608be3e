/* SPDX-License-Identifier: MIT */
/* tensor_concat.c - Concat and Split. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_TENSOR

/* ---- Concat ---------------------------------------------------------------------------------- */

/*
 * ONNX: Concat 1, 4, 11, 13.
 * All inputs have one rank and type, and one size in each dimension but axis, along which the
 * result has the sum of theirs. axis is 1 by default in version 1, required from 4 on.
 * Content: of vectors, as exporters build shapes with it.
 */

/* One input's part in the result; its other dimensions must be those of the inputs before. */
static bp_rc concat_one(struct bp_infer *infer, uint32_t i, uint32_t axis, struct bp_sym *dims)
{
    const struct bp_fact *input = bp_rule_in(infer, i);

    for (uint32_t d = 0; d < input->rank; d++) {
        if (d == axis) {
            bp_rc rc = bp_rule_calc(infer, dims[d], '+', input->dims[d], &dims[d]);

            if (rc < 0)
                return rc;
        } else if (!bp_rule_unify(dims[d], input->dims[d], &dims[d])) {
            return bp_fail(infer->err, BP_E_SHAPE,
                           "input %u has size %" PRId64
                           " at dimension %u, the inputs before have %" PRId64,
                           i, input->dims[d].value, d, dims[d].value);
        }
    }
    return BP_OK;
}

static bp_rc concat_content(struct bp_infer *infer)
{
    struct bp_sym *v;
    uint32_t n = 0;

    for (uint32_t i = 0; i < infer->node->n_in; i++) {
        const struct bp_fact *input = bp_rule_in(infer, i);

        if (!bp_content_is_whole(input) || n + input->n_content > BP_MAX_CONTENT)
            return BP_OK;
        n += input->n_content;
    }
    v = bp_region_array(infer->region, n, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, "a content");
    n = 0;
    for (uint32_t i = 0; i < infer->node->n_in; i++) {
        const struct bp_fact *input = bp_rule_in(infer, i);

        memcpy(v + n, input->content, input->n_content * sizeof *v);
        n += input->n_content;
    }
    return bp_infer_set_content(infer, 0, v, n);
}

/* The first input whose rank is known, which the others must have, too. */
static bp_rc common_rank(struct bp_infer *infer, const struct bp_fact **out, bool *all_ranked)
{
    *out = NULL;
    *all_ranked = true;
    for (uint32_t i = 0; i < infer->node->n_in; i++) {
        const struct bp_fact *input = bp_rule_in(infer, i);

        if (!bp_rule_ranked(input))
            *all_ranked = false;
        else if (!*out)
            *out = input;
        else if (input->rank != (*out)->rank)
            return bp_fail(infer->err, BP_E_SHAPE, "input %u has rank %u, an input before has %u",
                           i, input->rank, (*out)->rank);
    }
    return BP_OK;
}

static bp_rc infer_concat(struct bp_infer *infer)
{
    const struct bp_fact *first;
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t axis, dtype = BP_DTYPE_NONE;
    bool all_ranked;
    bp_rc rc = common_rank(infer, &first, &all_ranked);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < infer->node->n_in && dtype == BP_DTYPE_NONE; i++)
        dtype = bp_rule_dtype(infer, i);
    if (!first)
        return bp_rule_unknown(infer, 0, dtype);
    /* the default of version 1, the only one that has any */
    rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 1), first->rank, "axis", &axis);
    if (rc < 0)
        return rc;

    for (uint32_t d = 0; d < first->rank; d++)
        dims[d] = first->dims[d];
    dims[axis] = bp_sym_of(0);
    for (uint32_t i = 0; i < infer->node->n_in; i++) {
        if (!bp_rule_ranked(bp_rule_in(infer, i)))
            continue;
        rc = concat_one(infer, i, axis, dims);
        if (rc < 0)
            return rc;
    }
    if (!all_ranked) {
        rc = bp_rule_from_data(infer, &dims[axis], 1);
        if (rc < 0)
            return rc;
    }
    rc = bp_rule_set(infer, 0, dtype, first->rank, dims);
    if (rc < 0 || first->rank != 1 || !all_ranked || !bp_rule_wants(infer, 0))
        return rc;
    return concat_content(infer);
}

#define CONCAT(since, types, axis)                                                                 \
    ROW(Concat, since, INFER(infer_concat), IN(MANY("inputs", 'T', types)),                        \
        OUT(P("concat_result", 'T', types)), ATTRS(axis))

CONCAT(1, FLOAT3, A_INT_OPT("axis"));
CONCAT(4, ALL3, A_INT_REQ("axis"));
CONCAT(11, ALL3, A_INT_REQ("axis"));
CONCAT(13, ALL4, A_INT_REQ("axis"));

/* ---- Split ----------------------------------------------------------------------------------- */

/*
 * ONNX: Split 1, 2, 11, 13, 18.
 * The outputs have the shape of input but along axis. Their sizes there are the list split,
 * an attribute or an input, else equal parts: from 18 on num_outputs of them, of which the
 * last may be smaller. They add up to the size of input. Content: of vectors.
 */

/* Equal parts; from version 18 on the last may be smaller. */
static bp_rc even_part(struct bp_infer *infer, struct bp_sym size, uint32_t i, struct bp_sym *out)
{
    struct bp_sym n = bp_sym_of(infer->node->n_out);
    bool may_be_uneven = bp_rule_has_attr(infer, "num_outputs");
    struct bp_sym before;
    bp_rc rc;

    if (!may_be_uneven && bp_sym_known(size) && size.value % n.value != 0)
        return bp_fail(infer->err, BP_E_SHAPE, "cannot split size %" PRId64 " in %u equal parts",
                       size.value, infer->node->n_out);
    rc = bp_rule_calc(infer, size, may_be_uneven ? '^' : '/', n, out);
    if (rc < 0 || !may_be_uneven || i + 1 < infer->node->n_out)
        return rc;
    rc = bp_rule_calc(infer, *out, '*', bp_sym_of(i), &before);
    if (rc < 0)
        return rc;
    rc = bp_rule_calc(infer, size, '-', before, out);
    if (rc >= 0 && bp_sym_known(*out) && out->value < 0)
        return bp_fail(infer->err, BP_E_SHAPE, "size %" PRId64 " is too small to be split in %u",
                       size.value, infer->node->n_out);
    return rc;
}

static bp_rc check_parts(struct bp_infer *infer, const struct bp_list *split, struct bp_sym size)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < split->n; i++) {
        if (!bp_sym_known(split->v[i]))
            return BP_OK;
        if (split->v[i].value < 0)
            return bp_fail(infer->err, BP_E_SHAPE, "split asks for a part of size %" PRId64,
                           split->v[i].value);
        if (__builtin_add_overflow(sum, split->v[i].value, &sum))
            return bp_fail(infer->err, BP_E_SHAPE, "the sum of split does not fit in 64 bits");
    }
    if (bp_sym_known(size) && size.value != sum)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "the parts of split add up to %" PRId64 ", but the size is %" PRId64, sum,
                       size.value);
    return BP_OK;
}

static bp_rc check_split(struct bp_infer *infer, const struct bp_list *split)
{
    const bp_attr *requested = bp_ir_attr(infer->node, "num_outputs");

    if (split->is_counted && split->n != infer->node->n_out)
        return bp_fail(infer->err, BP_E_INVALID, "split has %u parts, but there are %u outputs",
                       split->n, infer->node->n_out);
    if (!bp_rule_has_attr(infer, "num_outputs"))
        return BP_OK;
    if (split->is_given == (requested != NULL))
        return bp_fail(infer->err, BP_E_INVALID, "give either split or num_outputs");
    if (requested && bp_ir_attr_int(infer->node, "num_outputs", 0) != infer->node->n_out)
        return bp_fail(infer->err, BP_E_INVALID,
                       "num_outputs is %" PRId64 ", but there are %u outputs",
                       bp_ir_attr_int(infer->node, "num_outputs", 0), infer->node->n_out);
    return BP_OK;
}

/* Version 1 may have its sizes in an input of the data's type: whole numbers as floats. */
static bp_rc whole_parts(struct bp_infer *infer, struct bp_list *split)
{
    const struct bp_fact *fact = bp_rule_in(infer, 1);
    struct bp_sym *v;

    if (split->v || !fact || !fact->reals)
        return BP_OK;
    v = bp_region_array(infer->region, fact->n_content, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, "split");
    for (uint32_t i = 0; i < fact->n_content; i++) {
        if (!(fact->reals[i] >= 0 && fact->reals[i] <= INT32_MAX))
            return bp_fail(infer->err, BP_E_SHAPE, "split asks for a part of size %g",
                           fact->reals[i]);
        v[i] = bp_sym_of((int64_t)fact->reals[i]);
    }
    split->v = v;
    split->n = fact->n_content;
    split->is_counted = true;
    return BP_OK;
}

/* Elements of a list go with the parts of it. */
static bp_rc split_content(struct bp_infer *infer, const struct bp_sym *sizes)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    int64_t first = 0;

    if (input->rank != 1 || !bp_content_is_whole(input))
        return BP_OK;
    for (uint32_t i = 0; i < infer->node->n_out; i++) {
        if (!bp_sym_known(sizes[i]) || sizes[i].value < 0 ||
            sizes[i].value > input->n_content - first)
            return BP_OK;
        if (bp_rule_wants(infer, i)) {
            bp_rc rc =
                bp_infer_set_content(infer, i, input->content + first, (uint32_t)sizes[i].value);

            if (rc < 0)
                return rc;
        }
        first += sizes[i].value;
    }
    return BP_OK;
}

static bp_rc infer_split(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    uint32_t axis, dtype = bp_rule_dtype(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_sym size, *parts;
    struct bp_list split;
    bp_rc rc = bp_rule_list(infer, "split", 1, &split);

    if (rc >= 0)
        rc = whole_parts(infer, &split);
    if (rc >= 0)
        rc = check_split(infer, &split);
    for (uint32_t i = 0; i < infer->node->n_out && rc >= 0 && !bp_rule_ranked(input); i++)
        rc = bp_rule_unknown(infer, i, dtype);
    if (rc < 0 || !bp_rule_ranked(input))
        return rc;
    rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 0), input->rank, "axis", &axis);
    if (rc < 0)
        return rc;
    size = input->dims[axis];
    if (split.v) {
        rc = check_parts(infer, &split, size);
        if (rc < 0)
            return rc;
    }
    parts = bp_region_array(infer->region, infer->node->n_out, sizeof *parts);
    if (!parts)
        return bp_fail_nomem(infer->err, "the parts");

    memcpy(dims, input->dims, input->rank * sizeof *dims);
    for (uint32_t i = 0; i < infer->node->n_out; i++) {
        if (split.v)
            parts[i] = split.v[i];
        else if (split.is_given)
            rc = bp_rule_from_data(infer, &parts[i], 1);
        else
            rc = even_part(infer, size, i, &parts[i]);
        if (rc < 0)
            return rc;
        dims[axis] = parts[i];
        rc = bp_rule_set(infer, i, dtype, input->rank, dims);
        if (rc < 0)
            return rc;
    }
    return bp_sym_known(size) ? split_content(infer, parts) : BP_OK;
}

/* sizes of the parts: either, an attribute, an input */
ROW(Split, 1, INFER(infer_split), IN(P("input", 'T', FLOAT3), OPT_READ("split", 'T', FLOAT3)),
    OUT(MANY("outputs...", 'T', FLOAT3)), ATTRS(A_INT_OPT("axis"), A_INTS("split")));

#define SPLIT_BY_ATTR(since, types)                                                                \
    ROW(Split, since, INFER(infer_split), IN(P("input", 'T', types)),                              \
        OUT(MANY("outputs", 'T', types)), ATTRS(A_INT("axis", 0), A_INTS("split")))
#define SPLIT(since, types, ...)                                                                   \
    ROW(Split, since, INFER(infer_split),                                                          \
        IN(P("input", 'T', types), OPT_READ("split", 0, BP_T(I64))),                               \
        OUT(MANY("outputs", 'T', types)), ATTRS(__VA_ARGS__))

SPLIT_BY_ATTR(2, ALL3);
SPLIT_BY_ATTR(11, ALL3);
SPLIT(13, ALL4, A_INT("axis", 0));
SPLIT(18, ALL4, A_INT("axis", 0), A_INT_OPT("num_outputs"));
