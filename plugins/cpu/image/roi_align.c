/* SPDX-License-Identifier: MIT */
/*
 * roi_align.c - RoiAlign (opsets 10, 16, 22).
 * X is [N, C, H, W], float types.
 * rois is [R, 4]: x1, y1, x2, y2 in units of 1 / spatial_scale; batch_indices is [R].
 * Y is [R, C, output_height, output_width]: each region is divided into cells; each cell gives the
 * mean of bilinear samples, or the maximum of their weighted pixels. sampling_ratio samples along
 * each side of a cell, 0: as many as it has pixels.
 * Opset 16 added coordinate_transformation_mode half_pixel, which shifts by half a pixel.
 */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

#include <math.h>

enum {
    CHUNK = 64,          /* samples whose weights are computed before the channels are read */
    SAMPLES_MOST = 65536 /* of a cell, along one dimension */
};

/* Sizes and attributes of a call. */
struct state {
    int64_t images, channels, height, width, regions;
    int64_t cells[2], ratio;
    double scale, offset; /* of a pixel's centre */
    bool takes_max;
    size_t element;
    uint32_t slices;
};

/* A position between four pixels, with their weights. */
struct sample {
    double weight[4];
    int64_t at[4];
};

/* Along rows and columns: where a region begins, the size of a cell, and samples of a cell. */
struct region {
    double start[2], cell[2];
    int64_t samples[2];
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *x, *rois;
    const int64_t *batches;
    char *y;
};

#define TEMPLATE "image/roi_align.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

/* False: the region is too large for any image, or not finite. */
static bool read_region(const struct job *job, int64_t i, struct region *out)
{
    const struct state *s = job->state;
    double roi[4]; /* x1, y1, x2, y2 */

    if (s->element == sizeof(float))
        read_roi_f32(job->rois, i, roi);
    else
        read_roi_f64(job->rois, i, roi);
    for (int d = 0; d < 2; d++) {
        double from = roi[1 - d] * s->scale - s->offset, to = roi[3 - d] * s->scale - s->offset;
        double size = to - from;

        if (s->offset == 0 && !(size >= 1))
            size = 1; /* RoiAlign-10: at least one pixel */
        out->start[d] = from;
        out->cell[d] = size / (double)s->cells[d];
        if (!(fabs(from) < 1e9 && fabs(to) < 1e9 && out->cell[d] <= SAMPLES_MOST))
            return false;
        out->samples[d] = s->ratio > 0 ? s->ratio : (int64_t)ceil(out->cell[d]);
    }
    return true;
}

/* Weights and pixels along one dimension; false: the position is outside. */
static bool between(double at, int64_t size, double *weight, int64_t *pixel)
{
    int64_t low;

    if (!(at >= -1 && at <= (double)size))
        return false;
    at = at > 0 ? at : 0;
    low = (int64_t)at;
    if (low >= size - 1) {
        low = size - 1;
        at = (double)low;
    }
    pixel[0] = low;
    pixel[1] = low + 1 < size ? low + 1 : low;
    weight[1] = at - (double)low;
    weight[0] = 1 - weight[1];
    return true;
}

/* Bilinear weights of the four pixels around a sample. */
static bool solve_sample(const struct state *s, double row, double column, struct sample *out)
{
    double row_weights[2], column_weights[2];
    int64_t rows[2], columns[2];

    if (!between(row, s->height, row_weights, rows) ||
        !between(column, s->width, column_weights, columns))
        return false;
    for (int k = 0; k < 4; k++) {
        out->weight[k] = row_weights[k / 2] * column_weights[k % 2];
        out->at[k] = rows[k / 2] * s->width + columns[k % 2];
    }
    return true;
}

/* Adds n samples to a cell, in all channels. */
static void add_to_cell(const struct state *s, const char *x, const struct sample *samples,
                        int64_t n, bool is_first, char *y)
{
    if (s->element == sizeof(float))
        add_samples_f32(s, x, samples, n, is_first, y);
    else
        add_samples_f64(s, x, samples, n, is_first, y);
}

/* One cell in all channels. Samples outside of the image count as 0. */
static void align_cell(const struct state *s, const struct region *region, const int64_t *cell,
                       const char *x, char *y)
{
    double count = (double)region->samples[0] * (double)region->samples[1];
    /* weights are computed once and used for all channels */
    struct sample samples[CHUNK];
    bool is_first = true;
    int64_t n = 0;

    for (int64_t i = 0; i < region->samples[0]; i++) {
        double row =
            region->start[0] +
            ((double)cell[0] + ((double)i + 0.5) / (double)region->samples[0]) * region->cell[0];

        if (!(row >= -1 && row <= (double)s->height) && !s->takes_max)
            continue;
        for (int64_t k = 0; k < region->samples[1]; k++) {
            double column = region->start[1] +
                            ((double)cell[1] + ((double)k + 0.5) / (double)region->samples[1]) *
                                region->cell[1];

            if (!solve_sample(s, row, column, &samples[n])) {
                if (!s->takes_max)
                    continue;
                samples[n] = (struct sample){{0}, {0}};
            }
            if (++n == CHUNK) {
                add_to_cell(s, x, samples, n, is_first, y);
                is_first = false;
                n = 0;
            }
        }
    }
    if (n > 0 || is_first)
        add_to_cell(s, x, samples, n, is_first, y);
    if (s->takes_max || count < 1)
        return;
    if (s->element == sizeof(float))
        divide_f32(s, y, count);
    else
        divide_f64(s, y, count);
}

/* Rows of cells are shared out to the threads. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t rows = s->regions * s->cells[0], end = rows * (i + 1) / s->slices;

    (void)worker;
    for (int64_t row = rows * i / s->slices; row < end; row++) {
        int64_t r = row / s->cells[0], cell[2] = {row % s->cells[0], 0};
        int64_t image = job->batches[r] * s->channels * s->height * s->width;
        int64_t at = r * s->channels * s->cells[0] * s->cells[1] + cell[0] * s->cells[1];
        struct region region;

        (void)read_region(job, r, &region);
        for (; cell[1] < s->cells[1]; cell[1]++)
            align_cell(s, &region, cell, job->x + (size_t)image * s->element,
                       job->y + (size_t)(at + cell[1]) * s->element);
    }
}

/* half_pixel is the default from opset 16 on; before there is no offset. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *rois = call->in[1], *y = call->out[0];
    const bp_graph *graph = call->node->graph;
    const bp_node *node = call->node->node;
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->ratio = bp_cpu_int(call->node, "sampling_ratio", 0);
    if (x->rank != 4 || rois->rank != 2 || rois->dims[1] != 4 || y->rank != 4 ||
        y->dims[0] != rois->dims[0] || y->dims[1] != x->dims[1] || rois->dtype != x->dtype ||
        bp_cpu_count(call->in[2]) != rois->dims[0] || s->ratio < 0 || s->ratio > SAMPLES_MOST)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "shapes and attributes do not fit");
    s->images = x->dims[0];
    s->channels = x->dims[1];
    s->height = x->dims[2];
    s->width = x->dims[3];
    s->regions = rois->dims[0];
    s->cells[0] = y->dims[2];
    s->cells[1] = y->dims[3];
    s->scale = (double)bp_cpu_float(call->node, "spatial_scale", 1.0f);
    s->offset =
        node->since >= 16 && bp_node_string_is(graph, node, "coordinate_transformation_mode",
                                               "half_pixel", "half_pixel")
            ? 0.5
            : 0;
    s->takes_max = bp_node_string_is(graph, node, "mode", "avg", "max");
    s->element = bp_cpu_width(x->dtype);
    s->slices = bp_cpu_slices(call, bp_cpu_count(y), 32);
    if (s->slices > s->regions * s->cells[0])
        s->slices = bp_cpu_count(y) > 0 ? (uint32_t)(s->regions * s->cells[0]) : 1;
    return BP_OK;
}

/* rois and batch_indices come with the data: all are checked before the first is used. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *y = call->out[0];
    struct job job = {s, bp_cpu_data(call->in[0]), bp_cpu_data(call->in[1]),
                      bp_cpu_data(call->in[2]), bp_cpu_data(y)};

    for (int64_t i = 0; i < s->regions; i++) {
        struct region region;

        if (job.batches[i] < 0 || job.batches[i] >= s->images)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "batch_indices has %lld at region %lld, but there are %lld images",
                               (long long)job.batches[i], (long long)i, (long long)s->images);
        if (!read_region(&job, i, &region))
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "rois has no region at %lld",
                               (long long)i);
    }
    if (bp_cpu_count(y) == 0)
        return BP_OK;
    if (s->height * s->width == 0)
        memset(job.y, 0, (size_t)bp_cpu_count(y) * s->element);
    else
        bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide column_weights = {prepare, run};

const struct bp_cpu_op bp_cpu_op_roi_align = {
    .name = "RoiAlign",
    .since = 10,
    .loops = &column_weights,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
