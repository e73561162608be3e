/* SPDX-License-Identifier: MIT */
/*
 * max_roi_pool.c - MaxRoiPool (opsets 1, 22).
 * X is [N, C, H, W], float types.
 * rois is [R, 5]: batch index, x1, y1, x2, y2, both ends inside, in units of 1 / spatial_scale.
 * Y is [R, C, pooled_shape]: each region is divided into cells, and each cell gives its maximum.
 * Coordinates are rounded to pixels; a cell without pixels gives 0.
 */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

#include <math.h>

/* Sizes of a call. */
struct state {
    int64_t images, channels, height, width, regions;
    int64_t cells[2];
    double scale;
    uint32_t slices;
    size_t element;
};

/* Pixels along one dimension, `to` not included. */
struct range {
    int64_t from, to;
};

/* Where a region begins, and the size of a cell; rows first. */
struct region {
    int64_t image;
    double start[2], cell[2];
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *x, *rois;
    char *y;
};

/* Clamps a coordinate to 0..size. */
static int64_t clip(double at, int64_t size)
{
    return at < 0 ? 0 : at > (double)size ? size : (int64_t)at;
}

/* Rows (d 0) or columns (d 1) of cell i. */
static struct range cell_range(const struct region *region, const struct state *s, int d, int64_t i)
{
    int64_t size = d == 0 ? s->height : s->width;
    double from = floor((double)i * region->cell[d]) + region->start[d];
    double to = ceil((double)(i + 1) * region->cell[d]) + region->start[d];

    return (struct range){clip(from, size), clip(to, size)};
}

#define TEMPLATE "image/max_roi_pool.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

/* Element i of a region. */
static double roi_at(const struct job *job, int64_t region, int i)
{
    int64_t at = region * 5 + i;

    return job->state->element == sizeof(float)
               ? (double)((const float *)(const void *)job->rois)[at]
               : ((const double *)(const void *)job->rois)[at];
}

/* Rounds the corners to pixels; a region has at least one pixel each way. */
static struct region read_region(const struct job *job, int64_t i)
{
    const struct state *s = job->state;
    struct region region = {.image = (int64_t)roi_at(job, i, 0)};

    for (int d = 0; d < 2; d++) { /* rois has x before y */
        double from = round(roi_at(job, i, 2 - d) * s->scale);
        double to = round(roi_at(job, i, 4 - d) * s->scale);
        double size = to - from + 1;

        region.start[d] = from;
        region.cell[d] = (size > 1 ? size : 1) / (double)s->cells[d];
    }
    return region;
}

/* Regions are shared out to the threads. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t end = s->regions * (i + 1) / s->slices;

    (void)worker;
    for (int64_t r = s->regions * i / s->slices; r < end; r++) {
        struct region region = read_region(job, r);
        int64_t image = region.image * s->channels * s->height * s->width;
        const char *x = job->x + (size_t)image * s->element;
        char *y = job->y + (size_t)(r * s->channels * s->cells[0] * s->cells[1]) * s->element;

        if (s->element == sizeof(float))
            pool_region_f32(s, x, &region, y);
        else
            pool_region_f64(s, x, &region, y);
    }
}

/* Y's spatial sizes are pooled_shape. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *rois = call->in[1], *y = call->out[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (x->rank != 4 || rois->rank != 2 || rois->dims[1] != 5 || y->rank != 4 ||
        y->dims[0] != rois->dims[0] || y->dims[1] != x->dims[1] || rois->dtype != x->dtype)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    s->images = x->dims[0];
    s->channels = x->dims[1];
    s->height = x->dims[2];
    s->width = x->dims[3];
    s->regions = rois->dims[0];
    s->cells[0] = y->dims[2];
    s->cells[1] = y->dims[3];
    s->scale = (double)bp_cpu_float(call->node, "spatial_scale", 1.0f);
    s->element = bp_cpu_width(x->dtype);
    s->slices = bp_cpu_slices(call, bp_cpu_count(y), 32);
    if (s->slices > s->regions)
        s->slices = s->regions > 0 ? (uint32_t)s->regions : 1;
    return BP_OK;
}

/* rois come with the data: all are checked before the first is used. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {s, bp_cpu_data(call->in[0]), bp_cpu_data(call->in[1]),
                      bp_cpu_data(call->out[0])};

    for (int64_t r = 0; r < s->regions; r++) {
        double image = roi_at(&job, r, 0);

        if (!(image >= 0 && image < (double)s->images))
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "rois has image %g at region %lld, but there are %lld", image,
                               (long long)r, (long long)s->images);
        for (int i = 1; i < 5; i++) {
            if (!(fabs(roi_at(&job, r, i) * s->scale) < 1e9))
                return bp_cpu_fail(call->node, err, BP_E_INVALID,
                                   "rois has a coordinate out of range at region %lld",
                                   (long long)r);
        }
    }
    if (bp_cpu_count(call->out[0]) > 0)
        bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_max_roi_pool = {
    .name = "MaxRoiPool",
    .since = 1,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
