/* SPDX-License-Identifier: MIT */
/*
 * gather_scatter.c - elements and slices read from, and written to, positions that an index
 * tensor gives.
 */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_GATHER_SCATTER

/* ---- Gather ---------------------------------------------------------------------------------- */

/*
 * ONNX: Gather 1, 11, 13.
 * data has rank r >= 1, indices rank q. The result has rank q + r - 1: the dimensions of data
 * with axis replaced by those of indices. An index may be -s to s - 1, where s is the size
 * along axis. Content: of a data tensor of rank 1, as in Shape -> Gather.
 */

static bp_rc gather_content(struct bp_infer *infer, const struct bp_fact *data,
                            const struct bp_fact *indices)
{
    struct bp_sym *v;

    if (data->rank != 1 || !bp_content_is_whole(data) || !bp_content_is_whole(indices))
        return BP_OK;
    v = bp_region_array(infer->region, indices->n_content, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, "a content");
    for (uint32_t i = 0; i < indices->n_content; i++) {
        int64_t index = indices->content[i].value;

        if (!bp_sym_known(indices->content[i]))
            return BP_OK;
        v[i] = data->content[index < 0 ? index + data->n_content : index];
    }
    return bp_infer_set_content(infer, 0, v, indices->n_content);
}

static bp_rc check_indices(struct bp_infer *infer, const struct bp_fact *indices,
                           struct bp_sym size)
{
    for (uint32_t i = 0; indices->content && bp_sym_known(size) && i < indices->n_content; i++) {
        struct bp_sym index = indices->content[i];

        if (bp_sym_known(index) && (index.value < -size.value || index.value >= size.value))
            return bp_fail(infer->err, BP_E_INVALID,
                           "indices has %" PRId64 ", but the size along the axis is %" PRId64,
                           index.value, size.value);
    }
    return BP_OK;
}

static bp_rc infer_gather(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    const struct bp_fact *indices = bp_rule_in(infer, 1);
    struct bp_sym dims[2 * BP_MAX_RANK];
    uint32_t axis, rank = 0;
    bp_rc rc;

    if (!bp_rule_ranked(data))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 0), data->rank, "axis", &axis);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(indices))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = check_indices(infer, indices, data->dims[axis]);
    if (rc >= 0)
        rc = bp_rule_check_rank(infer, (uint64_t)data->rank - 1 + indices->rank);
    if (rc < 0)
        return rc;

    for (uint32_t i = 0; i < axis; i++)
        dims[rank++] = data->dims[i];
    for (uint32_t i = 0; i < indices->rank; i++)
        dims[rank++] = indices->dims[i];
    for (uint32_t i = axis + 1; i < data->rank; i++)
        dims[rank++] = data->dims[i];
    rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), rank, dims);
    if (rc < 0 || !bp_rule_wants(infer, 0))
        return rc;
    return gather_content(infer, data, indices);
}

#define GATHER(since, types)                                                                       \
    ROW(Gather, since, INFER(infer_gather), IN(P("data", 'T', types), P("indices", 'i', INDEX)),   \
        OUT(P("output", 'T', types)), ATTRS(A_INT("axis", 0)))

GATHER(1, ALL3);
GATHER(11, ALL3);
GATHER(13, ALL4);

/* ---- GatherElements, ScatterElements --------------------------------------------------------- */

/*
 * ONNX: GatherElements 11, 13; Scatter 9, 11; ScatterElements 11, 13, 16, 18.
 * indices has the rank of data, and outside of axis at most its sizes. GatherElements gives
 * the shape of indices. ScatterElements takes updates of the shape of indices, and gives the
 * shape of data; Scatter is its name before version 11. reduction exists from 16 on, max and
 * min in it from 18 on.
 */

/* Indices have the rank of the data, and lie within it but along the axis. */
static bp_rc check_elements(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    const struct bp_fact *indices = bp_rule_in(infer, 1);
    uint32_t axis;
    bp_rc rc;

    if (!bp_rule_ranked(data))
        return BP_OK;
    rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 0), data->rank, "axis", &axis);
    if (rc < 0 || !bp_rule_ranked(indices))
        return rc;
    if (indices->rank != data->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "indices has rank %u, but data has %u",
                       indices->rank, data->rank);
    for (uint32_t i = 0; i < data->rank; i++) {
        if (i != axis && bp_sym_known(indices->dims[i]) && bp_sym_known(data->dims[i]) &&
            indices->dims[i].value > data->dims[i].value)
            return bp_fail(infer->err, BP_E_SHAPE,
                           "indices has size %" PRId64
                           " at dimension %u, but data has only %" PRId64,
                           indices->dims[i].value, i, data->dims[i].value);
    }
    return BP_OK;
}

static bp_rc infer_gather_elements(struct bp_infer *infer)
{
    bp_rc rc = check_elements(infer);

    if (rc < 0)
        return rc;
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), bp_rule_in(infer, 1));
}

static bp_rc check_reduction(struct bp_infer *infer)
{
    static const char *const names[] = {"none", "add", "mul", "max", "min"};
    uint32_t n = infer->node->schema->since >= 18 ? 5 : 3;

    for (uint32_t i = 0; i < n; i++) {
        if (bp_ir_attr_is(infer->node, "reduction", "none", names[i]))
            return BP_OK;
    }
    return bp_fail(infer->err, BP_E_INVALID,
                   "this version of the operator does not define this reduction");
}

static bp_rc infer_scatter_elements(struct bp_infer *infer)
{
    const struct bp_fact *indices = bp_rule_in(infer, 1);
    bp_rc rc = check_elements(infer);

    if (rc >= 0)
        rc = check_reduction(infer);
    if (rc >= 0 && bp_rule_ranked(indices))
        rc = bp_rule_rank(infer, 2, indices->rank, indices->rank);
    for (uint32_t i = 0; rc >= 0 && bp_rule_ranked(indices) && i < indices->rank; i++)
        rc = bp_rule_expect(infer, 2, i, indices->dims[i], "indices");
    if (rc < 0)
        return rc;
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), bp_rule_in(infer, 0));
}

#define GATHER_ELEMENTS(since, types)                                                              \
    ROW(GatherElements, since, INFER(infer_gather_elements),                                       \
        IN(P("data", 'T', types), P("indices", 'i', INDEX)), OUT(P("output", 'T', types)),         \
        ATTRS(A_INT("axis", 0)))

GATHER_ELEMENTS(11, ALL3);
GATHER_ELEMENTS(13, ALL4);

#define SCATTER_ELEMENTS(op, since, types, ...)                                                    \
    ROW(op, since, INFER(infer_scatter_elements),                                                  \
        IN(P("data", 'T', types), P("indices", 'i', INDEX), P("updates", 'T', types)),             \
        OUT(P("output", 'T', types)), ATTRS(__VA_ARGS__))
#define REDUCTION A_STRING("reduction", "none")

SCATTER_ELEMENTS(Scatter, 9, ALL3, A_INT("axis", 0));
SCATTER_ELEMENTS(Scatter, 11, ALL3, A_INT("axis", 0));
SCATTER_ELEMENTS(ScatterElements, 11, ALL3, A_INT("axis", 0));
SCATTER_ELEMENTS(ScatterElements, 13, ALL4, A_INT("axis", 0));
SCATTER_ELEMENTS(ScatterElements, 16, ALL4, A_INT("axis", 0), REDUCTION);
SCATTER_ELEMENTS(ScatterElements, 18, ALL4, A_INT("axis", 0), REDUCTION);

/* ---- GatherND, ScatterND --------------------------------------------------------------------- */

/*
 * ONNX: GatherND 11, 12, 13; ScatterND 11, 13, 16, 18.
 * com.microsoft: GatherND 1.
 * The last dimension of indices, k, says how many dimensions of data an index covers; it must
 * be known, else only the type of the result is. GatherND, with the first batch_dims
 * dimensions in common, gives indices.shape[:-1] + data.shape[batch_dims + k:]. ScatterND
 * takes updates of indices.shape[:-1] + data.shape[k:] and gives the shape of data.
 * The operator of com.microsoft has no batch_dims, and int32 indices too.
 */

/*
 * How many dimensions of the data an index has; *known false: indices do not tell. The data's first
 * `batch` dimensions are those of the indices.
 */
static bp_rc index_depth(struct bp_infer *infer, uint32_t batch, uint32_t *out, bool *known)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    const struct bp_fact *indices = bp_rule_in(infer, 1);
    struct bp_sym depth;
    bp_rc rc = bp_rule_rank(infer, 0, 1, BP_MAX_RANK);

    *known = false;
    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 1, BP_MAX_RANK);
    if (rc < 0 || !bp_rule_ranked(data) || !bp_rule_ranked(indices))
        return rc;
    if (batch >= data->rank || batch >= indices->rank)
        return bp_fail(infer->err, BP_E_INVALID,
                       "batch_dims is %u, but data has rank %u and indices %u", batch, data->rank,
                       indices->rank);
    depth = indices->dims[indices->rank - 1];
    if (!bp_sym_known(depth))
        return BP_OK;
    if (depth.value < 1 || depth.value > data->rank - batch)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "an index of %" PRId64 " elements does not fit data of rank %u", depth.value,
                       data->rank - batch);
    *out = (uint32_t)depth.value;
    *known = true;
    return BP_OK;
}

static bp_rc read_batch_dims(struct bp_infer *infer, uint32_t *out)
{
    int64_t batch = bp_ir_attr_int(infer->node, "batch_dims", 0);

    *out = 0;
    if (batch < 0 || batch > BP_MAX_RANK)
        return bp_fail(infer->err, BP_E_INVALID, "batch_dims is %" PRId64, batch);
    *out = (uint32_t)batch;
    return BP_OK;
}

static bp_rc infer_gather_nd(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    const struct bp_fact *indices = bp_rule_in(infer, 1);
    struct bp_sym dims[2 * BP_MAX_RANK];
    uint32_t batch, depth = 0, rank = 0;
    bool known = false;
    bp_rc rc = read_batch_dims(infer, &batch);

    if (rc >= 0)
        rc = index_depth(infer, batch, &depth, &known);
    if (rc < 0)
        return rc;
    if (!known)
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = bp_rule_check_rank(infer, (uint64_t)indices->rank - 1 + data->rank - batch - depth);
    for (uint32_t i = 0; i < batch && rc >= 0; i++)
        rc = bp_rule_expect(infer, 1, i, data->dims[i], "data");
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i + 1 < indices->rank; i++)
        dims[rank++] = indices->dims[i];
    for (uint32_t i = batch + depth; i < data->rank; i++)
        dims[rank++] = data->dims[i];
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), rank, dims);
}

static bp_rc infer_scatter_nd(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    const struct bp_fact *indices = bp_rule_in(infer, 1);
    uint32_t depth = 0, outer;
    bool known = false;
    bp_rc rc = check_reduction(infer);

    if (rc >= 0)
        rc = index_depth(infer, 0, &depth, &known);
    if (rc < 0)
        return rc;
    if (known) {
        outer = indices->rank - 1;
        rc = bp_rule_rank(infer, 2, outer + data->rank - depth, outer + data->rank - depth);
        for (uint32_t i = 0; i < outer && rc >= 0; i++)
            rc = bp_rule_expect(infer, 2, i, indices->dims[i], "indices");
        for (uint32_t i = depth; i < data->rank && rc >= 0; i++)
            rc = bp_rule_expect(infer, 2, outer + i - depth, data->dims[i], "data");
        if (rc < 0)
            return rc;
    }
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), data);
}

#define GATHER_ND(since, types, attrs)                                                             \
    ROW(GatherND, since, INFER(infer_gather_nd),                                                   \
        IN(P("data", 'T', types), P("indices", 0, BP_T(I64))), OUT(P("output", 'T', types)),       \
        attrs)

GATHER_ND(11, ALL3, NO_ATTRS);
GATHER_ND(12, ALL3, ATTRS(A_INT("batch_dims", 0)));
GATHER_ND(13, ALL4, ATTRS(A_INT("batch_dims", 0)));

#define SCATTER_ND(since, types, attrs)                                                            \
    ROW(ScatterND, since, INFER(infer_scatter_nd),                                                 \
        IN(P("data", 'T', types), P("indices", 0, BP_T(I64)), P("updates", 'T', types)),           \
        OUT(P("output", 'T', types)), attrs)

SCATTER_ND(11, ALL3, NO_ATTRS);
SCATTER_ND(13, ALL4, NO_ATTRS);
SCATTER_ND(16, ALL4, ATTRS(REDUCTION));
SCATTER_ND(18, ALL4, ATTRS(REDUCTION));

/* Batch dimensions there are none of. */
static bp_rc infer_ms_gather_nd(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0), *indices = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t n = 0, rank;
    int64_t depth;
    bp_rc rc = bp_rule_rank(infer, 0, 1, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 1, BP_MAX_RANK);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(data) || !bp_rule_ranked(indices) ||
        !bp_sym_known(indices->dims[indices->rank - 1]))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    depth = indices->dims[indices->rank - 1].value;
    if (depth < 1 || depth > data->rank)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "indices ends in %" PRId64 " elements, but data has rank %u", depth,
                       data->rank);
    rank = indices->rank - 1 + data->rank - (uint32_t)depth;
    rc = bp_rule_check_rank(infer, rank);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i + 1 < indices->rank; i++)
        dims[n++] = indices->dims[i];
    for (uint32_t i = (uint32_t)depth; i < data->rank; i++)
        dims[n++] = data->dims[i];
    return bp_rule_set(infer, 0, data->dtype, rank, dims);
}

MS_ROW(GatherND, 1, INFER(infer_ms_gather_nd), IN(P("data", 'T', ALL4), P("indices", 0, INDEX)),
       OUT(P("output", 'T', ALL4)), NO_ATTRS);

/* ---- TensorScatter --------------------------------------------------------------------------- */

/*
 * ONNX: TensorScatter 24.
 * Writes update into a cache of keys or values at a position for each sequence of the batch.
 * update has the shape of past_cache but for axis, along which it has at most as many
 * entries; present_cache has the shape of past_cache. axis is not 0, the batch.
 */

static bp_rc check_update(struct bp_infer *infer, uint32_t axis)
{
    const struct bp_fact *cache = bp_rule_in(infer, 0);
    const struct bp_fact *update = bp_rule_in(infer, 1);
    bp_rc rc = bp_rule_rank(infer, 1, cache->rank, cache->rank);

    for (uint32_t i = 0; i < cache->rank && rc >= 0; i++) {
        if (i != axis)
            rc = bp_rule_expect(infer, 1, i, cache->dims[i], "past_cache");
    }
    if (rc < 0 || !bp_rule_ranked(update))
        return rc;
    if (bp_sym_known(update->dims[axis]) && bp_sym_known(cache->dims[axis]) &&
        update->dims[axis].value > cache->dims[axis].value)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "update has %" PRId64 " entries along axis %u, but past_cache only %" PRId64,
                       update->dims[axis].value, axis, cache->dims[axis].value);
    return BP_OK;
}

static bp_rc infer_tensor_scatter(struct bp_infer *infer)
{
    const struct bp_fact *cache = bp_rule_in(infer, 0);
    uint32_t axis;
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 1, 1);
    if (rc >= 0 && !bp_ir_attr_is(infer->node, "mode", "linear", "linear") &&
        !bp_ir_attr_is(infer->node, "mode", "linear", "circular"))
        rc = bp_fail(infer->err, BP_E_INVALID, "mode is neither linear nor circular");
    if (rc < 0)
        return rc;
    if (bp_rule_ranked(cache)) {
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", -2), cache->rank, "axis",
                           &axis);
        if (rc >= 0 && axis == 0)
            rc = bp_fail(infer->err, BP_E_INVALID, "axis is that of the batch");
        if (rc >= 0)
            rc = check_update(infer, axis);
        if (rc >= 0)
            rc = bp_rule_expect(infer, 2, 0, cache->dims[0], "past_cache");
        if (rc < 0)
            return rc;
    }
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), cache);
}

ROW(TensorScatter, 24, INFER(infer_tensor_scatter),
    IN(P("past_cache", 'T', ALL12), P("update", 'T', ALL12), OPT("write_indices", 0, BP_T(I64))),
    OUT(P("present_cache", 'T', ALL12)), ATTRS(A_INT("axis", -2), A_STRING("mode", "linear")));
