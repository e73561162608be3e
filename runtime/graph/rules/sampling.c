/* SPDX-License-Identifier: MIT */
/* sampling.c - GridSample, AffineGrid and DeformConv: pictures read between their pixels. */

#include "config.h"

#include "graph/rules/window.h"

#include <inttypes.h>

/* ---- GridSample ----------------------------------------------------------------------------- */

/* X[N,C,D1..Dn] and grid[N,E1..En,n] give Y[N,C,E1..En]. */
static bp_rc infer_grid_sample(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *grid = bp_rule_in(infer, 1);
    const struct bp_fact *known = bp_rule_ranked(x) ? x : grid;
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t dtype = bp_rule_dtype(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 3, BP_MAX_RANK);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(known))
        return bp_rule_unknown(infer, 0, dtype);
    rc = bp_rule_rank(infer, 1, known->rank, known->rank);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, known->rank - 1, bp_sym_of(known->rank - 2), "the rank of X");
    if (rc < 0)
        return rc;
    rc = bp_rule_from_data(infer, dims, known->rank);
    if (rc < 0)
        return rc;
    for (uint32_t d = 0; bp_rule_ranked(x) && d < 2; d++)
        dims[d] = x->dims[d];
    for (uint32_t d = 2; bp_rule_ranked(grid) && d < known->rank; d++)
        dims[d] = grid->dims[d - 1];
    if (bp_rule_ranked(grid)) {
        rc = bp_rule_expect(infer, 1, 0, dims[0], "the batch of X");
        if (rc < 0)
            return rc;
        if (bp_sym_known(grid->dims[0]) || !bp_rule_ranked(x))
            dims[0] = grid->dims[0];
    }
    return bp_rule_set(infer, 0, dtype, known->rank, dims);
}

/* ---- AffineGrid ----------------------------------------------------------------------------- */

static bp_rc infer_affine_grid(struct bp_infer *infer)
{
    uint32_t dtype = bp_rule_dtype(infer, 0), n;
    struct bp_sym dims[5];
    struct bp_list size;
    bp_rc rc = bp_rule_list(infer, "", 1, &size);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 0, 3, 3);
    if (rc < 0)
        return rc;
    if (!size.is_counted)
        return bp_rule_unknown(infer, 0, dtype);
    if (size.n != 4 && size.n != 5)
        return bp_fail(infer->err, BP_E_SHAPE, "size has %u numbers, not 4 or 5", size.n);
    n = size.n - 2;
    rc = bp_rule_expect(infer, 0, 1, bp_sym_of(n), "size");
    if (rc >= 0)
        rc = bp_rule_expect(infer, 0, 2, bp_sym_of(n + 1), "size");
    if (rc >= 0 && !size.v)
        rc = bp_rule_from_data(infer, dims, n + 1);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; size.v && i < size.n; i++) {
        if (bp_sym_known(size.v[i]) && size.v[i].value < 0)
            return bp_fail(infer->err, BP_E_INVALID, "size %u is %" PRId64, i, size.v[i].value);
        if (i != 1)
            dims[i > 0 ? i - 1 : 0] = size.v[i];
    }
    rc = size.v ? bp_rule_expect(infer, 0, 0, size.v[0], "size") : BP_OK;
    dims[n + 1] = bp_sym_of(n);
    return rc < 0 ? rc : bp_rule_set(infer, 0, dtype, n + 2, dims);
}

/* ---- DeformConv ----------------------------------------------------------------------------- */

/* `input` has `groups * factor * kernel` channels and the spatial sizes of Y. */
static bp_rc check_offset(struct bp_infer *infer, uint32_t input, int64_t factor,
                          const struct bp_sym *dims, uint32_t rank)
{
    const struct bp_fact *w = bp_rule_in(infer, 1);
    struct bp_sym channels = bp_sym_of(bp_ir_attr_int(infer->node, "offset_group", 1));
    bp_rc rc = bp_rule_rank(infer, input, rank, rank);

    if (rc >= 0)
        rc = bp_rule_calc(infer, channels, '*', bp_sym_of(factor), &channels);
    for (uint32_t d = 2; d < rank && rc >= 0; d++) {
        rc = bp_rule_calc(infer, channels, '*', w->dims[d], &channels);
        if (rc >= 0)
            rc = bp_rule_expect(infer, input, d, dims[d], "the output");
    }
    if (rc >= 0)
        rc = bp_rule_expect(infer, input, 1, channels, "the kernel");
    return rc < 0 ? rc : bp_rule_expect(infer, input, 0, dims[0], "X");
}

static bp_rc check_groups(struct bp_infer *infer, const struct bp_fact *x, const struct bp_fact *w)
{
    int64_t group = bp_ir_attr_int(infer->node, "group", 1);
    int64_t offset_group = bp_ir_attr_int(infer->node, "offset_group", 1);
    struct bp_sym channels;
    bp_rc rc;

    if (group < 1 || offset_group < 1)
        return bp_fail(infer->err, BP_E_INVALID, "group is %" PRId64 ", offset_group %" PRId64,
                       group, offset_group);
    rc = bp_rule_calc(infer, w->dims[1], '*', bp_sym_of(group), &channels);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 0, 1, channels, "W");
    if (rc < 0)
        return rc;
    if (bp_sym_known(w->dims[0]) && w->dims[0].value % group != 0)
        return bp_fail(infer->err, BP_E_SHAPE, "W has %" PRId64 " maps, no multiple of group",
                       w->dims[0].value);
    if (bp_sym_known(x->dims[1]) && x->dims[1].value % offset_group != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "X has %" PRId64 " channels, no multiple of offset_group", x->dims[1].value);
    return BP_OK;
}

static bp_rc slide(struct bp_infer *infer, const struct bp_window *window, uint32_t i,
                   struct bp_sym *out)
{
    struct bp_sym taps = bp_rule_in(infer, 1)->dims[i + 2];

    if (!bp_sym_known(taps))
        return bp_rule_from_data(infer, out, 1);
    return bp_window_slide(infer, window, i, bp_rule_in(infer, 0)->dims[i + 2], taps.value, false,
                           out);
}

static bp_rc infer_deform_conv(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *w = bp_rule_in(infer, 1);
    uint32_t dtype = bp_rule_dtype(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_window window;
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x) || !bp_rule_ranked(w))
        return bp_rule_unknown(infer, 0, dtype);
    rc = bp_rule_rank(infer, 1, x->rank, x->rank);
    if (rc >= 0)
        rc = check_groups(infer, x, w);
    if (rc >= 0)
        rc = bp_window_read(infer, x->rank - 2, &window);
    if (rc < 0)
        return rc;
    dims[0] = x->dims[0];
    dims[1] = w->dims[0];
    for (uint32_t i = 0; i + 2 < x->rank && rc >= 0; i++) {
        if (window.kernel)
            rc = bp_rule_expect(infer, 1, i + 2, bp_sym_of(window.kernel[i]), "kernel_shape");
        if (rc >= 0)
            rc = slide(infer, &window, i, &dims[i + 2]);
    }
    if (rc >= 0)
        rc = check_offset(infer, 2, x->rank - 2, dims, x->rank);
    if (rc >= 0)
        rc = check_offset(infer, 4, 1, dims, x->rank);
    if (rc >= 0)
        rc = bp_rule_rank(infer, 3, 1, 1);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 3, 0, w->dims[0], "W");
    return rc < 0 ? rc : bp_rule_set(infer, 0, dtype, x->rank, dims);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define GRID_SAMPLE(since, types, grid, mode)                                                      \
    ROW(GridSample, since, INFER(infer_grid_sample), IN(P("X", '1', types), P("grid", '2', grid)), \
        OUT(P("Y", '1', types)),                                                                   \
        ATTRS(A_STRING("mode", mode), A_STRING("padding_mode", "zeros"),                           \
              A_INT("align_corners", 0)))

GRID_SAMPLE(16, ALL3, FLOAT3, "bilinear");
GRID_SAMPLE(20, ALL3, FLOAT3, "linear");
GRID_SAMPLE(22, ALL4, FLOAT, "linear");

ROW(AffineGrid, 20, INFER(infer_affine_grid),
    IN(P("theta", '1', FLOAT), READ("size", '2', BP_T(I64))), OUT(P("grid", '1', FLOAT)),
    ATTRS(A_INT("align_corners", 0)));

#define DEFORM_CONV(since, types)                                                                  \
    ROW(DeformConv, since, INFER(infer_deform_conv),                                               \
        IN(P("X", 'T', types), P("W", 'T', types), P("offset", 'T', types), OPT("B", 'T', types),  \
           OPT("mask", 'T', types)),                                                               \
        OUT(P("Y", 'T', types)),                                                                   \
        ATTRS(A_INTS("dilations"), A_INT("group", 1), A_INTS("kernel_shape"),                      \
              A_INT("offset_group", 1), A_INTS("pads"), A_INTS("strides")))

DEFORM_CONV(19, FLOAT3);
DEFORM_CONV(22, FLOAT);
