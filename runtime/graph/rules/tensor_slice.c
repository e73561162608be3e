/* SPDX-License-Identifier: MIT */
/* tensor_slice.c - Slice, Pad, CenterCropPad and Tile. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_TENSOR

/* ---- Slice ----------------------------------------------------------------------------------- */

/*
 * ONNX: Slice 1, 10, 11, 13.
 * Of each axis in axes, all from the first on by default, the elements from start to before
 * end, every step-th. Negative positions count from the end, others are clamped. Starts and
 * ends are attributes in version 1 and inputs from 10 on, with steps, which may be negative
 * and not 0.
 * A symbolic size gives an expression where little is cut off at the ends, else a named
 * symbol, so that equal slices have equal sizes. Content: of vectors.
 */

/* One axis of a slice; `size` is that of the data. */
struct cut {
    struct bp_sym size, start, end, step;
};

/*
 * Start and number of elements, all exact. A start before the first element is the first one
 * with a negative step too (ONNX Slice-13), where NumPy takes nothing.
 */
static void exact_cut(const struct cut *cut, int64_t *first, int64_t *count)
{
    int64_t size = cut->size.value;
    int64_t step = cut->step.value;
    int64_t low = step > 0 ? 0 : -1;
    int64_t high = step > 0 ? size : size - 1;
    int64_t start = cut->start.value < 0 ? cut->start.value + size : cut->start.value;
    int64_t end = cut->end.value < 0 ? cut->end.value + size : cut->end.value;

    start = start < 0 ? 0 : start > high ? high : start;
    end = end < low ? low : end > high ? high : end;
    *first = start;
    if (size == 0)
        *count = 0;
    else if (step > 0)
        *count = end > start ? (end - start - 1) / step + 1 : 0;
    else if (step == INT64_MIN)
        *count = start > end;
    else
        *count = start > end ? (start - end - 1) / -step + 1 : 0;
}

/* Larger than a tensor's size: exporters write it for "to the end". */
static bool is_far(struct bp_sym sym, bool up)
{
    return bp_sym_known(sym) && (up ? sym.value >= INT32_MAX : sym.value <= -INT32_MAX);
}

/* The cases where a symbolic size gives an expression: at most a few are cut off at each end. */
static bool simple_cut(const struct cut *cut, int64_t *off, int64_t *step)
{
    int64_t end = cut->end.value;

    if (!bp_sym_known(cut->step) || !bp_sym_known(cut->start) || cut->step.value == INT64_MIN)
        return false;
    *off = 0;
    *step = cut->step.value < 0 ? -cut->step.value : cut->step.value;
    if (cut->step.value < 0)
        return cut->start.value == -1 && is_far(cut->end, false);
    if (cut->start.value < 0 && !is_far(cut->start, false))
        return false;
    *off = cut->start.value < 0 ? 0 : -cut->start.value;
    if (bp_sym_equal(cut->end, cut->size) || is_far(cut->end, true))
        return true;
    if (!bp_sym_known(cut->end) || end >= 0 || is_far(cut->end, false))
        return false;
    return !__builtin_add_overflow(*off, end, off);
}

/* What no expression says gets a name of what it is, so that equal slices are equal. */
static bp_rc named_cut(struct bp_infer *infer, const struct cut *cut, struct bp_sym *out)
{
    const struct bp_sym parts[] = {cut->size, cut->start, cut->end, cut->step};
    char name[256] = "slice(";
    bool from_data = false;
    size_t len = strlen(name);

    for (int i = 0; i < 4; i++) {
        const char *what = bp_symbols_name(infer->symbols, parts[i]);
        const char *mark = i < 3 ? "," : ")";
        int n;

        from_data = from_data || bp_symbols_from_data(infer->symbols, parts[i]);
        if (bp_sym_known(parts[i]))
            n = snprintf(name + len, sizeof name - len, "%" PRId64 "%s", parts[i].value, mark);
        else
            n = snprintf(name + len, sizeof name - len, "%s%s", what, mark);
        if (n < 0 || (size_t)n >= sizeof name - len)
            return bp_symbols_fresh(infer->symbols, from_data, out, infer->err);
        len += (size_t)n;
    }
    if (from_data)
        return bp_symbols_fresh(infer->symbols, true, out, infer->err);
    return bp_symbols_named(infer->symbols, name, out, infer->err);
}

/*
 * Exact where all parts are; an expression where little is cut off; else a symbol named after
 * the slice.
 */
static bp_rc cut_size(struct bp_infer *infer, const struct cut *cut, struct bp_sym *out)
{
    int64_t off, step;
    bp_rc rc;

    if (bp_sym_known(cut->size) && bp_sym_known(cut->start) && bp_sym_known(cut->end) &&
        bp_sym_known(cut->step)) {
        *out = bp_sym_of(0);
        exact_cut(cut, &off, &out->value);
        return BP_OK;
    }
    if (!simple_cut(cut, &off, &step))
        return named_cut(infer, cut, out);
    rc = bp_rule_shift(infer, cut->size, off, out);
    if (rc < 0)
        return rc;
    return bp_rule_calc(infer, *out, '^', bp_sym_of(step), out);
}

struct slice {
    struct bp_list starts, ends, axes, steps;
};

/* The lists that are known have one length, that of starts. */
static bp_rc read_slice(struct bp_infer *infer, struct slice *out)
{
    const struct bp_list *lists[] = {&out->ends, &out->axes, &out->steps};
    static const char *const names[] = {"ends", "axes", "steps"};
    bp_rc rc = bp_rule_list(infer, "starts", 1, &out->starts);

    if (rc >= 0)
        rc = bp_rule_list(infer, "ends", 2, &out->ends);
    if (rc >= 0)
        rc = bp_rule_list(infer, "axes", 3, &out->axes);
    if (rc >= 0)
        rc = bp_rule_list(infer, "steps", 4, &out->steps);
    for (int i = 0; i < 3 && rc >= 0 && out->starts.is_counted; i++) {
        if (lists[i]->is_counted && lists[i]->n != out->starts.n)
            rc = bp_fail(infer->err, BP_E_INVALID, "starts has %u entries, but %s has %u",
                         out->starts.n, names[i], lists[i]->n);
    }
    return rc;
}

/*
 * One entry of the lists: its axis gets the size of the cut, or one from the data where a list
 * is not known.
 */
static bp_rc slice_axis(struct bp_infer *infer, const struct slice *slice, uint32_t i,
                        struct bp_sym *size)
{
    struct cut cut = {.size = *size, .step = bp_sym_of(1)};

    if (slice->steps.v) {
        cut.step = slice->steps.v[i];
        if (bp_sym_known(cut.step) && cut.step.value == 0)
            return bp_fail(infer->err, BP_E_INVALID, "steps has 0 at entry %u", i);
    }
    if (!slice->starts.v || !slice->ends.v || (slice->steps.is_given && !slice->steps.v))
        return bp_rule_from_data(infer, size, 1);
    cut.start = slice->starts.v[i];
    cut.end = slice->ends.v[i];
    return cut_size(infer, &cut, size);
}

/* Of a vector, as in Shape -> Slice: the elements that are cut out. */
static bp_rc slice_content(struct bp_infer *infer, const struct slice *slice)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct cut cut = {.step = bp_sym_of(1)};
    int64_t first, count;
    struct bp_sym *v;

    if (data->rank != 1 || !bp_content_is_whole(data) || !bp_rule_wants(infer, 0))
        return BP_OK;
    if (slice->starts.n != 1 || !bp_list_is_exact(&slice->starts) ||
        !bp_list_is_exact(&slice->ends) ||
        (slice->steps.is_given && !bp_list_is_exact(&slice->steps)))
        return BP_OK;
    cut.size = data->dims[0];
    cut.start = slice->starts.v[0];
    cut.end = slice->ends.v[0];
    if (slice->steps.is_given)
        cut.step = slice->steps.v[0];
    exact_cut(&cut, &first, &count);
    v = bp_region_array(infer->region, (size_t)count, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, "a content");
    for (int64_t i = 0; i < count; i++)
        v[i] = data->content[first + i * cut.step.value];
    return bp_infer_set_content(infer, 0, v, (uint32_t)count);
}

/* Nothing is known but the rank, which a slice keeps. */
static bp_rc same_rank(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc;

    if (!bp_rule_ranked(data))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = bp_rule_from_data(infer, dims, data->rank);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), data->rank, dims);
}

static bp_rc infer_slice(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct slice slice;
    uint64_t seen = 0;
    bp_rc rc = read_slice(infer, &slice);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(data) || !slice.starts.is_counted ||
        (slice.axes.is_given && !bp_list_is_exact(&slice.axes)))
        return same_rank(infer);
    for (uint32_t i = 0; i < data->rank; i++)
        dims[i] = data->dims[i];
    for (uint32_t i = 0; i < slice.starts.n; i++) {
        int64_t axis = slice.axes.v ? slice.axes.v[i].value : i;
        uint32_t at;

        rc = bp_infer_axis(infer, axis, data->rank, "axes", &at);
        if (rc < 0)
            return rc;
        if (seen >> at & 1)
            return bp_fail(infer->err, BP_E_INVALID, "axes names axis %u twice", at);
        seen |= UINT64_C(1) << at;
        rc = slice_axis(infer, &slice, i, &dims[at]);
        if (rc < 0)
            return rc;
    }
    rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), data->rank, dims);
    if (rc < 0)
        return rc;
    return slice_content(infer, &slice);
}

ROW(Slice, 1, INFER(infer_slice), IN(P("data", 'T', ALL3)), OUT(P("output", 'T', ALL3)),
    ATTRS(A_INTS("axes"), A_INTS_REQ("ends"), A_INTS_REQ("starts")));

#define SLICE(since, types)                                                                        \
    ROW(Slice, since, INFER(infer_slice),                                                          \
        IN(P("data", 'T', types), READ("starts", 'i', INDEX), READ("ends", 'i', INDEX),            \
           OPT_READ("axes", 'i', INDEX), OPT_READ("steps", 'i', INDEX)),                           \
        OUT(P("output", 'T', types)))

SLICE(10, ALL3);
SLICE(11, ALL3);
SLICE(13, ALL4);

/* ---- Pad ------------------------------------------------------------------------------------- */

/*
 * ONNX: Pad 1, 2, 11, 13, 18, 19, 21, 23, 24, 25.
 * com.microsoft: Pad 1.
 * The size of an axis grows by its two entries of pads, first all beginnings, then all ends;
 * they may be negative. pads is an attribute up to version 2 and an input from 11 on, axes
 * (18) names the axes they are for. wrap is a mode from 19 on. In com.microsoft pads may be a
 * matrix of one row.
 */

/* wrap exists from version 19 on. */
static bp_rc check_mode(struct bp_infer *infer)
{
    static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
    uint32_t n = infer->node->schema->since >= 19 ? 4 : 3;

    for (uint32_t i = 0; i < n; i++) {
        if (bp_ir_attr_is(infer->node, "mode", "constant", modes[i]))
            return BP_OK;
    }
    return bp_fail(infer->err, BP_E_INVALID,
                   "this version of the operator does not define this mode");
}

/* Pads may be negative and crop, but not more than there is. */
static bp_rc pad_axis(struct bp_infer *infer, uint32_t axis, struct bp_sym begin, struct bp_sym end,
                      struct bp_sym *size)
{
    bp_rc rc = bp_rule_calc(infer, *size, '+', begin, size);

    if (rc >= 0)
        rc = bp_rule_calc(infer, *size, '+', end, size);
    if (rc >= 0 && bp_sym_known(*size) && size->value < 0)
        return bp_fail(infer->err, BP_E_SHAPE, "pads take away more of dimension %u than there is",
                       axis);
    return rc;
}

static bp_rc infer_pad(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    bool is_first = infer->node->schema->since < 2;
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_list pads, axes;
    uint32_t n;
    bp_rc rc = check_mode(infer);

    if (rc >= 0)
        rc = bp_rule_list(infer, is_first ? "paddings" : "pads", 1, &pads);
    if (rc >= 0)
        rc = bp_rule_list(infer, "axes", 3, &axes);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(data) || (axes.is_given && !axes.is_counted) || !pads.is_counted)
        return same_rank(infer);
    n = axes.is_given ? axes.n : data->rank;
    if (pads.n != 2 * (uint64_t)n)
        return bp_fail(infer->err, BP_E_INVALID,
                       "pads has %u entries, but %u axes need a begin and an end each", pads.n, n);
    if (!pads.v || (axes.is_given && !bp_list_is_exact(&axes)))
        return same_rank(infer);

    for (uint32_t i = 0; i < data->rank; i++)
        dims[i] = data->dims[i];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis = i;

        if (axes.is_given)
            rc = bp_infer_axis(infer, axes.v[i].value, data->rank, "axes", &axis);
        if (rc < 0)
            return rc;
        dims[axis] = data->dims[axis]; /* of an axis that is named twice the last pads count */
        rc = pad_axis(infer, axis, pads.v[i], pads.v[n + i], &dims[axis]);
        if (rc < 0)
            return rc;
    }
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), data->rank, dims);
}

#define PAD_BY_ATTR(since, pads)                                                                   \
    ROW(Pad, since, INFER(infer_pad), IN(P("data", 'T', FLOAT3)), OUT(P("output", 'T', FLOAT3)),   \
        ATTRS(A_STRING("mode", "constant"), A_INTS_REQ(pads), A_FLOAT("value", 0.0f)))
#define PAD(since, types, ...)                                                                     \
    ROW(Pad, since, INFER(infer_pad),                                                              \
        IN(P("data", 'T', types), READ("pads", 0, BP_T(I64)), __VA_ARGS__),                        \
        OUT(P("output", 'T', types)), ATTRS(A_STRING("mode", "constant")))
#define PAD_ON_AXES(since, types)                                                                  \
    PAD(since, types, OPT("constant_value", 'T', types), OPT_READ("axes", 'i', INDEX))

PAD_BY_ATTR(1, "paddings");
PAD_BY_ATTR(2, "pads");
PAD(11, NUMBER3, OPT("constant_value", 'T', NUMBER3));
PAD(13, ALL4, OPT("constant_value", 'T', ALL4));
PAD_ON_AXES(18, ALL4);
PAD_ON_AXES(19, ALL4);
PAD_ON_AXES(21, ALL10);
PAD_ON_AXES(23, ALL11);
PAD_ON_AXES(24, ALL12);
PAD_ON_AXES(25, ALL13);

/* ONNX's rule, but for pads that may be a matrix of one row. */
static bp_rc infer_ms_pad(struct bp_infer *infer)
{
    const struct bp_fact *pads = bp_rule_in(infer, 1);
    struct bp_fact flat = {.rank = BP_RANK_UNKNOWN};
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), pads, bp_rule_in(infer, 2)};

    if (bp_rule_ranked(pads) && pads->rank == 2) {
        bp_rc rc = bp_rule_expect(infer, 1, 0, bp_sym_of(1), "a matrix of pads");

        if (rc < 0)
            return rc;
        flat = *pads;
        flat.rank = 1;
        flat.dims = pads->dims + 1;
        in[1] = &flat;
    }
    return bp_rule_as(infer, &bp_schema_Pad_13, in, 3);
}

MS_ROW(Pad, 1, INFER(infer_ms_pad),
       IN(P("data", 'T', FLOAT3), READ("pads", 0, BP_T(I64)), OPT("value", 'T', FLOAT3)),
       OUT(P("output", 'T', FLOAT3)), ATTRS(A_STRING("mode", "constant")));

/* ---- CenterCropPad --------------------------------------------------------------------------- */

/*
 * ONNX: CenterCropPad 18.
 * The axes in axes, or all, have the sizes in shape afterwards: larger ones are cropped,
 * smaller ones padded, at both ends alike.
 */

static bp_rc new_sizes(struct bp_infer *infer, const struct bp_list *shape, struct bp_sym *dims)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    uint32_t n_axes;
    uint64_t seen = 0;
    const int64_t *axes = bp_ir_attr_ints(infer->node, "axes", &n_axes);
    uint32_t n = axes ? n_axes : input->rank;

    if (shape->is_counted && shape->n != n)
        return bp_fail(infer->err, BP_E_SHAPE, "shape has %u sizes for %u axes", shape->n, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis = i;
        bp_rc rc = BP_OK;

        if (axes)
            rc = bp_infer_axis(infer, axes[i], input->rank, "axes", &axis);
        if (rc >= 0 && (seen >> axis & 1))
            rc = bp_fail(infer->err, BP_E_INVALID, "axes names axis %u twice", axis);
        if (rc >= 0 && !shape->v)
            rc = bp_rule_from_data(infer, &dims[axis], 1);
        else if (rc >= 0)
            dims[axis] = shape->v[i];
        if (rc < 0)
            return rc;
        if (bp_sym_known(dims[axis]) && dims[axis].value < 0)
            return bp_fail(infer->err, BP_E_SHAPE, "shape asks for size %" PRId64 " at axis %u",
                           dims[axis].value, axis);
        seen |= UINT64_C(1) << axis;
    }
    return BP_OK;
}

static bp_rc infer_center_crop_pad(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_list shape;
    bp_rc rc = bp_rule_list(infer, "", 1, &shape);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(input))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    for (uint32_t i = 0; i < input->rank; i++)
        dims[i] = input->dims[i];
    rc = new_sizes(infer, &shape, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), input->rank, dims);
}

ROW(CenterCropPad, 18, INFER(infer_center_crop_pad),
    IN(P("input_data", 'T', ALL4), READ("shape", 'i', INDEX)), OUT(P("output_data", 'T', ALL4)),
    ATTRS(A_INTS("axes")));

/* ---- Tile ------------------------------------------------------------------------------------ */

/*
 * ONNX: Tile 1, 6, 13.
 * Each size is multiplied with its entry of repeats. Version 1 repeats along one axis only;
 * tiles and axis are inputs there.
 */

/* Version 1 repeats along one axis; both inputs are of the data's type, floats that is. */
static bp_rc infer_tile_1(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    const struct bp_fact *tiles = bp_rule_in(infer, 1);
    const struct bp_fact *where = bp_rule_in(infer, 2);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t axis;
    bp_rc rc;

    if (!bp_rule_ranked(input) || !tiles || !tiles->reals || tiles->n_content != 1 || !where ||
        !where->reals || where->n_content != 1)
        return same_rank(infer);
    if (!(tiles->reals[0] >= 0 && tiles->reals[0] <= INT32_MAX))
        return bp_fail(infer->err, BP_E_SHAPE, "tiles is %g", tiles->reals[0]);
    if (!(where->reals[0] >= 0 && where->reals[0] < input->rank))
        return bp_fail(infer->err, BP_E_INVALID, "axis is %g, but input has rank %u",
                       where->reals[0], input->rank);
    axis = (uint32_t)where->reals[0];
    for (uint32_t i = 0; i < input->rank; i++)
        dims[i] = input->dims[i];
    rc = bp_rule_calc(infer, dims[axis], '*', bp_sym_of((int64_t)tiles->reals[0]), &dims[axis]);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, input->dtype, input->rank, dims);
}

static bp_rc infer_tile(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_list repeats;
    bp_rc rc = bp_rule_list(infer, "repeats", 1, &repeats);

    if (rc < 0)
        return rc;
    if (bp_rule_ranked(input) && repeats.is_counted && repeats.n != input->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "repeats has %u entries, but input has rank %u",
                       repeats.n, input->rank);
    if (!bp_rule_ranked(input) || !repeats.v)
        return same_rank(infer);
    for (uint32_t i = 0; i < input->rank; i++) {
        if (bp_sym_known(repeats.v[i]) && repeats.v[i].value < 0)
            return bp_fail(infer->err, BP_E_SHAPE, "repeats has %" PRId64 " at dimension %u",
                           repeats.v[i].value, i);
        rc = bp_rule_calc(infer, input->dims[i], '*', repeats.v[i], &dims[i]);
        if (rc < 0)
            return rc;
    }
    return bp_rule_set(infer, 0, input->dtype, input->rank, dims);
}

ROW(Tile, 1, INFER(infer_tile_1),
    IN(P("input", 'T', FLOAT3), READ("tiles", 'T', FLOAT3), READ("axis", 'T', FLOAT3)),
    OUT(P("output", 'T', FLOAT3)));

#define TILE(since, types)                                                                         \
    ROW(Tile, since, INFER(infer_tile),                                                            \
        IN(P("input", 'T', types), READ("repeats", '1', BP_T(I64))), OUT(P("output", 'T', types)))

TILE(6, ALL3);
TILE(13, ALL4);
