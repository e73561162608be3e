/* SPDX-License-Identifier: MIT */
/*
 * tensor_axes.c - dimensions added, removed, moved and repeated, and elements moved between
 * them.
 */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_TENSOR

/* ---- Squeeze and Unsqueeze ------------------------------------------------------------------- */

/*
 * ONNX: Squeeze 1, 11, 13, 21, 23, 24, 25; Unsqueeze 1, 11, 13, 21, 23, 24, 25.
 * com.microsoft: ExpandDims 1.
 * Squeeze drops the dimensions axes, which have size 1; without axes, all that have.
 * Unsqueeze adds dimensions of size 1 where the result has axes. axes is an attribute up to
 * version 11 and an input from 13 on; ExpandDims of com.microsoft adds one at a scalar axis.
 * Content passes on, as the elements stay in order.
 */

static bool has_bit(uint64_t bits, uint32_t i)
{
    return bits >> i & 1;
}

/* Which axes are not told: then only the rank is, where they are counted. */
static bp_rc rank_alone(struct bp_infer *infer, const struct bp_list *axes, bool they_come)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    uint64_t rank;
    bp_rc rc;

    if (!bp_rule_ranked(data) || !axes->is_counted || (!they_come && axes->n > data->rank))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rank = they_come ? (uint64_t)data->rank + axes->n : data->rank - axes->n;
    rc = bp_rule_check_rank(infer, rank);
    if (rc < 0)
        return rc;
    rc = bp_rule_from_data(infer, dims, (uint32_t)rank);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), (uint32_t)rank, dims);
}

/* All dimensions of size 1, when the axes are absent; false: a symbol may be 1 or not. */
static bool ones(const struct bp_fact *data, uint64_t *out)
{
    *out = 0;
    for (uint32_t i = 0; i < data->rank; i++) {
        if (!bp_sym_known(data->dims[i]))
            return false;
        if (data->dims[i].value == 1)
            *out |= UINT64_C(1) << i;
    }
    return true;
}

static bp_rc infer_squeeze(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_list axes;
    uint64_t gone = 0;
    uint32_t rank = 0;
    bp_rc rc = bp_rule_list(infer, "axes", 1, &axes);

    if (rc < 0)
        return rc;
    if (axes.is_given && !bp_list_is_exact(&axes))
        return rank_alone(infer, &axes, false);
    if (!bp_rule_ranked(data) || (!axes.is_given && !ones(data, &gone)))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    if (axes.is_given) {
        rc = bp_rule_axes(infer, &axes, data->rank, true, &gone);
        if (rc < 0)
            return rc;
    }

    for (uint32_t i = 0; i < data->rank; i++) {
        if (!has_bit(gone, i)) {
            dims[rank++] = data->dims[i];
            continue;
        }
        if (bp_sym_known(data->dims[i]) && data->dims[i].value != 1)
            return bp_fail(infer->err, BP_E_SHAPE,
                           "cannot squeeze dimension %u, which has size %" PRId64 " and not 1", i,
                           data->dims[i].value);
    }
    rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), rank, dims);
    if (rc < 0)
        return rc;
    return bp_rule_same_content(infer, 0, data);
}

static bp_rc infer_unsqueeze(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_list axes;
    uint32_t rank, from = 0;
    uint64_t come;
    bp_rc rc = bp_rule_list(infer, "axes", 1, &axes);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(data) || !bp_list_is_exact(&axes))
        return rank_alone(infer, &axes, true);
    rc = bp_rule_check_rank(infer, (uint64_t)data->rank + axes.n);
    if (rc < 0)
        return rc;
    rank = data->rank + axes.n;
    rc = bp_rule_axes(infer, &axes, rank, false, &come);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = has_bit(come, i) ? bp_sym_of(1) : data->dims[from++];
    rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), rank, dims);
    if (rc < 0)
        return rc;
    return bp_rule_same_content(infer, 0, data);
}

#define BY_ATTR(op, since, rule, out, types, axes)                                                 \
    ROW(op, since, INFER(rule), IN(P("data", 'T', types)), OUT(P(out, 'T', types)), ATTRS(axes))
#define BY_INPUT(op, since, rule, out, types, axes)                                                \
    ROW(op, since, INFER(rule), IN(P("data", 'T', types), axes), OUT(P(out, 'T', types)))

#define SQUEEZE(since, types)                                                                      \
    BY_INPUT(Squeeze, since, infer_squeeze, "squeezed", types, OPT_READ("axes", 0, BP_T(I64)))

BY_ATTR(Squeeze, 1, infer_squeeze, "squeezed", ALL3, A_INTS("axes"));
BY_ATTR(Squeeze, 11, infer_squeeze, "squeezed", ALL3, A_INTS("axes"));
SQUEEZE(13, ALL4);
SQUEEZE(21, ALL10);
SQUEEZE(23, ALL11);
SQUEEZE(24, ALL12);
SQUEEZE(25, ALL13);

#define UNSQUEEZE(since, types)                                                                    \
    BY_INPUT(Unsqueeze, since, infer_unsqueeze, "expanded", types, READ("axes", 0, BP_T(I64)))

BY_ATTR(Unsqueeze, 1, infer_unsqueeze, "expanded", ALL3, A_INTS_REQ("axes"));
BY_ATTR(Unsqueeze, 11, infer_unsqueeze, "expanded", ALL3, A_INTS_REQ("axes"));
UNSQUEEZE(13, ALL4);
UNSQUEEZE(21, ALL10);
UNSQUEEZE(23, ALL11);
UNSQUEEZE(24, ALL12);
UNSQUEEZE(25, ALL13);

/* A dimension of 1 at `axis`, -rank-1..rank. */
static bp_rc infer_expand_dims(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *at = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t axis;
    bp_rc rc = bp_rule_scalar(infer, 1);

    if (rc >= 0 && bp_rule_ranked(x))
        rc = bp_rule_check_rank(infer, (uint64_t)x->rank + 1);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    if (!at || !at->content || at->n_content != 1 || !bp_sym_known(at->content[0])) {
        rc = bp_rule_from_data(infer, dims, x->rank + 1);
        return rc < 0 ? rc : bp_rule_set(infer, 0, x->dtype, x->rank + 1, dims);
    }
    rc = bp_infer_axis(infer, at->content[0].value, x->rank + 1, "axis", &axis);
    for (uint32_t i = 0; i <= x->rank && rc >= 0; i++)
        dims[i] = i == axis ? bp_sym_of(1) : x->dims[i - (i > axis)];
    return rc < 0 ? rc : bp_rule_set(infer, 0, x->dtype, x->rank + 1, dims);
}

MS_ROW(ExpandDims, 1, INFER(infer_expand_dims), IN(P("X", 'T', ALL4), READ("axis", 0, BP_T(I32))),
       OUT(P("Y", 'T', ALL4)), NO_ATTRS);

/* ---- Transpose ------------------------------------------------------------------------------- */

/*
 * ONNX: Transpose 1, 13, 21, 23, 24, 25.
 * Dimension i of the result is perm[i] of data; without perm the order is reversed. perm has
 * each dimension once.
 */

static bp_rc check_perm(struct bp_infer *infer, const int64_t *perm, uint32_t n, uint32_t rank)
{
    uint64_t seen = 0;

    if (n != rank)
        return bp_fail(infer->err, BP_E_SHAPE, "perm has %u entries, but data has rank %u", n,
                       rank);
    for (uint32_t i = 0; i < n; i++) {
        if (perm[i] < 0 || perm[i] >= (int64_t)rank)
            return bp_fail(infer->err, BP_E_INVALID, "perm has %" PRId64 ", which is outside 0..%u",
                           perm[i], rank - 1);
        if (has_bit(seen, (uint32_t)perm[i]))
            return bp_fail(infer->err, BP_E_INVALID, "perm has %" PRId64 " twice", perm[i]);
        seen |= UINT64_C(1) << perm[i];
    }
    return BP_OK;
}

static bp_rc infer_transpose(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    const int64_t *perm;
    uint32_t n;
    bp_rc rc;

    perm = bp_ir_attr_ints(infer->node, "perm", &n);
    if (!bp_rule_ranked(data))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    if (perm) {
        rc = check_perm(infer, perm, n, data->rank);
        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; i < data->rank; i++)
        dims[i] = data->dims[perm ? perm[i] : data->rank - 1 - i];
    rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), data->rank, dims);
    if (rc < 0 || data->rank > 1)
        return rc;
    return bp_rule_same_content(infer, 0, data);
}

#define TRANSPOSE(since, types)                                                                    \
    BY_ATTR(Transpose, since, infer_transpose, "transposed", types, A_INTS("perm"))

TRANSPOSE(1, ALL3);
TRANSPOSE(13, ALL4);
TRANSPOSE(21, ALL10);
TRANSPOSE(23, ALL11);
TRANSPOSE(24, ALL12);
TRANSPOSE(25, ALL13);

/* ---- Expand ---------------------------------------------------------------------------------- */

/*
 * ONNX: Expand 8, 13.
 * input and shape broadcast in both directions: a size in shape may be 1 where input has
 * more. Without the content of shape only the rank is known, where shape is counted.
 */

static bp_rc expand_content(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym *v;
    uint32_t n;

    if (!bp_rule_wants(infer, 0) || !bp_content_is_whole(input) ||
        !bp_content_count(&infer->out[0], &n))
        return BP_OK;
    v = bp_region_array(infer->region, n, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, "a content");
    for (uint32_t i = 0; i < n; i++)
        v[i] = input->content[bp_content_source(&infer->out[0], input, i)];
    return bp_infer_set_content(infer, 0, v, n);
}

static bp_rc infer_expand(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym requested[BP_MAX_RANK], dims[BP_MAX_RANK];
    struct bp_fact target = {.dims = requested};
    struct bp_list shape;
    uint32_t rank;
    bp_rc rc = bp_rule_list(infer, "shape", 1, &shape);

    if (rc < 0)
        return rc;
    rc = bp_rule_check_rank(infer, shape.n);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(input) || !shape.is_counted)
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));

    target.rank = shape.n;
    if (!shape.v) {
        rc = bp_rule_from_data(infer, requested, shape.n);
        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; shape.v && i < shape.n; i++) {
        requested[i] = shape.v[i];
        if (bp_sym_known(requested[i]) && requested[i].value < 0)
            return bp_fail(infer->err, BP_E_SHAPE,
                           "shape asks for size %" PRId64 " at dimension %u", requested[i].value,
                           i);
    }
    rc = bp_infer_broadcast(infer, input, &target, &rank, dims);
    if (rc < 0)
        return rc;
    rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), rank, dims);
    if (rc < 0)
        return rc;
    return expand_content(infer);
}

#define EXPAND(since, types)                                                                       \
    ROW(Expand, since, INFER(infer_expand),                                                        \
        IN(P("input", 'T', types), READ("shape", 0, BP_T(I64))), OUT(P("output", 'T', types)))

EXPAND(8, ALL3);
EXPAND(13, ALL4);

/* ---- DepthToSpace, SpaceToDepth -------------------------------------------------------------- */

/*
 * ONNX: DepthToSpace 1, 11, 13, 28; SpaceToDepth 1, 13, 28.
 * input is (N, C, H, W). DepthToSpace gives (N, C / b^2, H * b, W * b), SpaceToDepth (N, C *
 * b^2, H / b, W / b), where b is blocksize and must divide. mode, the order of the channels, is DCR
 * or CRD; DepthToSpace has it since 11, SpaceToDepth since 28.
 */

/* blocksize; mode is checked with it. */
static bp_rc read_block(struct bp_infer *infer, int64_t *out)
{
    *out = bp_ir_attr_int(infer->node, "blocksize", 0);
    if (*out < 1 || *out > INT32_MAX)
        return bp_fail(infer->err, BP_E_INVALID, "blocksize is %" PRId64, *out);
    if (!bp_ir_attr_is(infer->node, "mode", "DCR", "DCR") &&
        !bp_ir_attr_is(infer->node, "mode", "DCR", "CRD"))
        return bp_fail(infer->err, BP_E_INVALID, "mode is neither DCR nor CRD");
    return BP_OK;
}

static bp_rc infer_depth_to_space(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym dims[4];
    int64_t block = 1;
    bp_rc rc = bp_rule_rank(infer, 0, 4, 4);

    if (rc >= 0)
        rc = read_block(infer, &block);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(input))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    dims[0] = input->dims[0];
    rc = bp_rule_divide_dim(infer, 1, block * block, &dims[1]);
    for (uint32_t i = 2; i < 4 && rc >= 0; i++)
        rc = bp_rule_calc(infer, input->dims[i], '*', bp_sym_of(block), &dims[i]);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, input->dtype, 4, dims);
}

static bp_rc infer_space_to_depth(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym dims[4];
    int64_t block = 1;
    bp_rc rc = bp_rule_rank(infer, 0, 4, 4);

    if (rc >= 0)
        rc = read_block(infer, &block);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(input))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    dims[0] = input->dims[0];
    rc = bp_rule_calc(infer, input->dims[1], '*', bp_sym_of(block * block), &dims[1]);
    for (uint32_t i = 2; i < 4 && rc >= 0; i++)
        rc = bp_rule_divide_dim(infer, i, block, &dims[i]);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, input->dtype, 4, dims);
}

#define BLOCKS(op, since, rule, types, ...)                                                        \
    ROW(op, since, INFER(rule), IN(P("input", 'T', types)), OUT(P("output", 'T', types)),          \
        ATTRS(__VA_ARGS__))

BLOCKS(DepthToSpace, 1, infer_depth_to_space, ALL3, A_INT_REQ("blocksize"));
BLOCKS(DepthToSpace, 11, infer_depth_to_space, ALL3, A_INT_REQ("blocksize"),
       A_STRING("mode", "DCR"));
BLOCKS(DepthToSpace, 13, infer_depth_to_space, ALL4, A_INT_REQ("blocksize"),
       A_STRING("mode", "DCR"));
BLOCKS(DepthToSpace, 28, infer_depth_to_space, ALL4, A_INT_REQ("blocksize"),
       A_STRING("mode", "DCR"));
BLOCKS(SpaceToDepth, 1, infer_space_to_depth, ALL3, A_INT_REQ("blocksize"));
BLOCKS(SpaceToDepth, 13, infer_space_to_depth, ALL4, A_INT_REQ("blocksize"));
BLOCKS(SpaceToDepth, 28, infer_space_to_depth, ALL4, A_INT_REQ("blocksize"),
       A_STRING("mode", "DCR"));

/* ---- ReverseSequence ------------------------------------------------------------------------- */

/*
 * ONNX: ReverseSequence 10, 28.
 * Y has the shape of input, whose first two dimensions are batch and time in either order.
 * sequence_lens has an element for each sequence of the batch.
 */

static bp_rc infer_reverse_sequence(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    int64_t batch = bp_ir_attr_int(infer->node, "batch_axis", 1);
    int64_t time = bp_ir_attr_int(infer->node, "time_axis", 0);
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 1, 1);
    if (rc < 0)
        return rc;
    if (batch < 0 || batch > 1 || time != 1 - batch)
        return bp_fail(infer->err, BP_E_INVALID,
                       "batch_axis is %" PRId64 " and time_axis %" PRId64
                       ", but one must be 0, the other 1",
                       batch, time);
    if (bp_rule_ranked(input)) {
        rc = bp_rule_expect(infer, 1, 0, input->dims[batch], "input");
        if (rc < 0)
            return rc;
    }
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), input);
}

#define REVERSE(since, types)                                                                      \
    ROW(ReverseSequence, since, INFER(infer_reverse_sequence),                                     \
        IN(P("input", 'T', types), P("sequence_lens", 0, BP_T(I64))), OUT(P("Y", 'T', types)),     \
        ATTRS(A_INT("batch_axis", 1), A_INT("time_axis", 0)))

REVERSE(10, ALL3);
REVERSE(28, ALL4);

/* ---- Trilu ----------------------------------------------------------------------------------- */

/*
 * ONNX: Trilu 14.
 * com.microsoft: Trilu 1.
 * The result has the shape of input, of rank 2 or more: the upper or lower triangle of each
 * matrix, moved by the scalar k.
 */

static bp_rc infer_trilu(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_scalar(infer, 1);
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

ROW(Trilu, 14, INFER(infer_trilu), IN(P("input", 'T', ALL4), OPT("k", 0, BP_T(I64))),
    OUT(P("output", 'T', ALL4)), ATTRS(A_INT("upper", 1)));

MS_ROW(Trilu, 1, INFER(infer_trilu), IN(P("X", 'T', NUMBER | BP_T(BOOL)), OPT("k", 0, BP_T(I64))),
       OUT(P("Y", 'T', NUMBER | BP_T(BOOL))), ATTRS(A_INT("upper", 1)));
