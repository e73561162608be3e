/* SPDX-License-Identifier: MIT */
/*
 * crop_and_resize.c - CropAndResize of com.microsoft, as in TensorFlow.
 * X is [N, C, H, W], float32 or float64.
 * rois is [R, 4]: y1, x1, y2, x2, normalised to 0..1; batch_indices is [R], crop_size [2].
 * Y is [R, C, crop_size]. Each box is sampled with aligned corners, bilinear or nearest; samples
 * outside of the image are extrapolation_value.
 */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

#include <math.h>

/* One run, for the threads. */
struct job {
    const struct bp_cpu_call *call;
    bool is_nearest, is_double;
    double outside;
};

/* Element i as float64. */
static double at(const struct job *job, const void *data, int64_t i)
{
    return job->is_double ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* crop_size is an input: Y's shape has been inferred from it or from the caller's output. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *rois = call->in[1], *y = call->out[0];

    if (x->rank != 4 || rois->rank != 2 || rois->dims[1] != 4 || y->rank != 4 ||
        y->dims[0] != rois->dims[0] || y->dims[1] != x->dims[1] ||
        bp_cpu_count(call->in[2]) != rois->dims[0] || y->dims[0] > UINT32_MAX)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    return BP_OK;
}

/* Where position i of n lies in an image of `size`, for a box from `low` to `high`. */
static double coordinate(double low, double high, int64_t i, int64_t n, int64_t size)
{
    double last = (double)(size - 1);

    if (n < 2)
        return 0.5 * (low + high) * last;
    return low * last + (double)i * (high - low) * last / (double)(n - 1);
}

/* The value at (v, h) of a plane, which lies inside. */
static double sample(const struct job *job, const void *x, int64_t plane, double v, double h,
                     int64_t width)
{
    int64_t top = (int64_t)floor(v), left = (int64_t)floor(h);
    int64_t bottom = (int64_t)ceil(v), right = (int64_t)ceil(h);
    double dv = v - (double)top, dh = h - (double)left, above, below;

    if (job->is_nearest)
        return at(job, x, plane + (int64_t)round(v) * width + (int64_t)round(h));
    above = at(job, x, plane + top * width + left);
    above += (at(job, x, plane + top * width + right) - above) * dh;
    below = at(job, x, plane + bottom * width + left);
    below += (at(job, x, plane + bottom * width + right) - below) * dh;
    return above + (below - above) * dv;
}

/* All channels of box r; each box is a task. */
static void crop(void *u, uint32_t r, uint32_t worker)
{
    const struct job *job = u;
    const bp_tensor *x = job->call->in[0], *y = job->call->out[0];
    const void *rois = bp_cpu_data(job->call->in[1]), *from = bp_cpu_data(x);
    int64_t image = ((const int32_t *)bp_cpu_data(job->call->in[2]))[r];
    int64_t height = x->dims[2], width = x->dims[3],
            out = (int64_t)r * bp_dims_count(y->dims + 1, 3);
    double box[4];

    (void)worker;
    for (int i = 0; i < 4; i++)
        box[i] = at(job, rois, (int64_t)r * 4 + i);
    for (int64_t c = 0; c < y->dims[1]; c++) {
        int64_t plane = (image * x->dims[1] + c) * height * width;

        for (int64_t i = 0; i < y->dims[2] * y->dims[3]; i++, out++) {
            double v = coordinate(box[0], box[2], i / y->dims[3], y->dims[2], height);
            double h = coordinate(box[1], box[3], i % y->dims[3], y->dims[3], width);
            /* written so that NaN is outside */
            bool is_inside =
                v >= 0 && v <= (double)(height - 1) && h >= 0 && h <= (double)(width - 1);
            double value = is_inside ? sample(job, from, plane, v, h, width) : job->outside;

            if (job->is_double)
                ((double *)bp_cpu_data(y))[out] = value;
            else
                ((float *)bp_cpu_data(y))[out] = (float)value;
        }
    }
}

/* The boxes' images and crop_size come with the data and are checked here. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *size = call->in[3], *y = call->out[0];
    const int32_t *images = bp_cpu_data(call->in[2]), *wanted = bp_cpu_data(size);
    struct job job = {.call = call,
                      .is_double = x->dtype == BP_DTYPE_F64,
                      .outside = (double)bp_cpu_float(call->node, "extrapolation_value", 0)};

    job.is_nearest =
        bp_node_string_is(call->node->graph, call->node->node, "mode", "bilinear", "nearest");
    if (bp_cpu_count(size) != 2 || wanted[0] != y->dims[2] || wanted[1] != y->dims[3])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "crop_size is not the size of Y");
    for (int64_t r = 0; r < y->dims[0]; r++) {
        if (images[r] < 0 || images[r] >= x->dims[0])
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "batch index %d of box %lld is none of the %lld images",
                               (int)images[r], (long long)r, (long long)x->dims[0]);
    }
    if (bp_cpu_count(y) > 0)
        bp_cpu_parallel(call, (uint32_t)y->dims[0], crop, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

/* The schema allows other modes. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_node_string_is(query->graph, query->node, "mode", "bilinear", "bilinear") ||
        bp_node_string_is(query->graph, query->node, "mode", "bilinear", "nearest"))
        bp_cpu_claim_types(op, query);
    else
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "mode", "mode is neither bilinear nor nearest");
}

const struct bp_cpu_op bp_cpu_op_crop_and_resize = {
    .name = "CropAndResize",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
