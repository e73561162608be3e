/* SPDX-License-Identifier: MIT */
/*
 * granularity.c - Walks over the runs of elements that share a scale; see granularity.h.
 * A tensor is seen as [outer][dim][inner], where `dim` is the axis. A row is a run of elements that
 * share a scale or have contiguous ones.
 */

#include "quantized/granularity.h"

/* Whether the scale has x's shape with the axis divided in blocks. */
static bool has_blocks_of(const struct bp_cpu_granularity *g, const bp_tensor *x,
                          const bp_tensor *scale, uint32_t axis)
{
    bool fits = scale->rank == x->rank;

    for (uint32_t d = 0; fits && d < x->rank; d++)
        fits = scale->dims[d] == (d == axis ? g->blocks : x->dims[d]);
    return fits;
}

/* Per-axis or blocked granularity, by the attributes and the scale's shape. */
static bp_rc solve(const struct bp_cpu_call *call, const bp_tensor *x, const bp_tensor *scale,
                   struct bp_cpu_granularity *g, bp_err *err)
{
    int64_t axis = x->rank == 1 ? 0 : bp_cpu_int(call->node, "axis", 1);
    int64_t block = bp_cpu_int(call->node, "block_size", 0);

    if (axis < 0)
        axis += x->rank;
    if (axis < 0 || axis >= x->rank || block < 0)
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "axis %lld or block_size %lld does not fit rank %u", (long long)axis,
                           (long long)block, x->rank);
    g->dim = x->dims[axis];
    g->inner = bp_dims_count(x->dims + axis + 1, x->rank - (uint32_t)axis - 1);
    g->kind = block > 0 ? BP_CPU_BY_BLOCK : BP_CPU_BY_AXIS;
    g->block = block;
    g->blocks = block > 0 ? g->dim / block + (g->dim % block != 0) : g->dim;
    if (block > 0 ? !has_blocks_of(g, x, scale, (uint32_t)axis)
                  : scale->rank != 1 || scale->dims[0] != g->dim)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "the scale's shape fits neither axis %lld nor its blocks",
                           (long long)axis);
    /* with inner 1, a row lies along the axis itself */
    g->rows = g->inner != 1 ? g->dim : block > 0 ? g->blocks : 1;
    return BP_OK;
}

bp_rc bp_cpu_granularity_make(const struct bp_cpu_call *call, const bp_tensor *x,
                              const bp_tensor *scale, const bp_tensor *zero,
                              struct bp_cpu_granularity *out, bp_err *err)
{
    bp_rc rc = BP_OK;

    *out = (struct bp_cpu_granularity){.kind = BP_CPU_WHOLE};
    out->count = bp_cpu_count(x);
    out->scales = bp_cpu_count(scale);
    if (zero && bp_cpu_count(zero) != out->scales)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%lld scales have %lld zero points",
                           (long long)out->scales, (long long)bp_cpu_count(zero));
    if (out->scales != 1)
        rc = solve(call, x, scale, out, err);
    return rc;
}

/* Sets what follows from outer and row, for the row's start. */
static void begin_row(const struct bp_cpu_granularity *g, struct bp_cpu_scale_run *run)
{
    bool by_block = g->kind == BP_CPU_BY_BLOCK;

    if (g->inner != 1) {
        run->count = g->inner;
        run->each = by_block;
        run->scale =
            by_block ? (run->outer * g->blocks + run->row / g->block) * g->inner : run->row;
    } else if (by_block) {
        run->count = run->row + 1 < g->blocks ? g->block : g->dim - run->row * g->block;
        run->each = false;
        run->scale = run->outer * g->blocks + run->row;
    } else {
        run->count = g->dim;
        run->each = true;
        run->scale = 0;
    }
}

/* Divides the offset of `at` into outer step, row and the rest within the row. */
void bp_cpu_granularity_seek(const struct bp_cpu_granularity *g, int64_t at,
                             struct bp_cpu_scale_run *run)
{
    int64_t step, offset;

    *run = (struct bp_cpu_scale_run){.at = at, .count = g->count - at};
    if (g->kind == BP_CPU_WHOLE || at >= g->count)
        return;
    step = g->dim * g->inner;
    run->outer = at / step;
    offset = at % step;
    if (g->inner != 1)
        run->row = offset / g->inner;
    else if (g->kind == BP_CPU_BY_BLOCK)
        run->row = offset / g->block;
    begin_row(g, run);
    /* all rows of an outer step but the last have the same length */
    offset -= run->row * (g->inner != 1 ? g->inner : g->kind == BP_CPU_BY_BLOCK ? g->block : 0);
    run->count -= offset;
    if (run->each)
        run->scale += offset;
}

void bp_cpu_granularity_next(const struct bp_cpu_granularity *g, struct bp_cpu_scale_run *run)
{
    run->at += run->count;
    if (run->at >= g->count) {
        run->count = 0;
        return;
    }
    if (++run->row == g->rows) {
        run->row = 0;
        run->outer++;
    }
    begin_row(g, run);
}

void bp_cpu_granularity_pass(const struct bp_cpu_granularity *g, struct bp_cpu_scale_run *run,
                             int64_t n)
{
    if (n == run->count) {
        bp_cpu_granularity_next(g, run);
        return;
    }
    run->at += n;
    run->count -= n;
    run->scale += run->each ? n : 0;
}
