/* SPDX-License-Identifier: MIT */
/* axes.c - Squeeze, Unsqueeze, Transpose, Expand: dimensions that go, come, move and grow. */

#include "config.h"

#include "graph/rules/rules.h"

#include <inttypes.h>

/* ---- Squeeze and Unsqueeze ------------------------------------------------------------------ */

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
    rc = bp_rule_room(infer, rank);
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
    rc = bp_rule_room(infer, (uint64_t)data->rank + axes.n);
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

/* ---- Transpose ------------------------------------------------------------------------------ */

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

/* ---- Expand --------------------------------------------------------------------------------- */

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
    struct bp_sym wish[BP_MAX_RANK], dims[BP_MAX_RANK];
    struct bp_fact target = {.dims = wish};
    struct bp_list shape;
    uint32_t rank;
    bp_rc rc = bp_rule_list(infer, "shape", 1, &shape);

    if (rc < 0)
        return rc;
    rc = bp_rule_room(infer, shape.n);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(input) || !shape.is_counted)
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));

    target.rank = shape.n;
    if (!shape.v) {
        rc = bp_rule_from_data(infer, wish, shape.n);
        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; shape.v && i < shape.n; i++) {
        wish[i] = shape.v[i];
        if (bp_sym_known(wish[i]) && wish[i].value < 0)
            return bp_fail(infer->err, BP_E_SHAPE,
                           "shape asks for size %" PRId64 " at dimension %u", wish[i].value, i);
    }
    rc = bp_infer_broadcast(infer, input, &target, &rank, dims);
    if (rc < 0)
        return rc;
    rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), rank, dims);
    if (rc < 0)
        return rc;
    return expand_content(infer);
}

/* ---- rows ----------------------------------------------------------------------------------- */

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

#define TRANSPOSE(since, types)                                                                    \
    BY_ATTR(Transpose, since, infer_transpose, "transposed", types, A_INTS("perm"))

TRANSPOSE(1, ALL3);
TRANSPOSE(13, ALL4);
TRANSPOSE(21, ALL10);
TRANSPOSE(23, ALL11);
TRANSPOSE(24, ALL12);
TRANSPOSE(25, ALL13);

#define EXPAND(since, types)                                                                       \
    ROW(Expand, since, INFER(infer_expand),                                                        \
        IN(P("input", 'T', types), READ("shape", 0, BP_T(I64))), OUT(P("output", 'T', types)))

EXPAND(8, ALL3);
EXPAND(13, ALL4);
