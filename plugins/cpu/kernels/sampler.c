/* SPDX-License-Identifier: MIT */
/*
 * sampler.c - see sampler.h.
 *
 * For each dimension a point has 1, 2 or 4 taps (nearest, linear, cubic); the taps of all
 * dimensions are combined to their products, at most MOST_TAPS, each an index and a weight.
 */

#include "kernels/sampler.h"

#include "kernels/types/loops.h"

#include <math.h>

enum { MOST_TAPS = 4096 };

#define C float
#define SUFFIX f32
#include "kernels/sampler.inc"
#undef C
#undef SUFFIX

#define C double
#define SUFFIX f64
#include "kernels/sampler.inc"
#undef C
#undef SUFFIX

bool bp_cpu_sampler_make(struct bp_cpu_sampler *s)
{
    s->per_dim = s->mode == BP_CPU_SAMPLE_NEAREST ? 1 : s->mode == BP_CPU_SAMPLE_LINEAR ? 2 : 4;
    s->taps = 1;
    for (uint32_t d = 0; d < s->n; d++) {
        s->taps *= s->per_dim;
        if (s->taps > MOST_TAPS)
            return false;
    }
    s->bytes = sizeof(double) * BP_CPU_POINTS * (s->n + 3 * (size_t)s->taps + 2 * s->per_dim);
    return true;
}

struct bp_cpu_points bp_cpu_sampler_points(const struct bp_cpu_sampler *s, void *memory)
{
    struct bp_cpu_points points = {.at = memory};
    size_t taps = (size_t)s->taps * BP_CPU_POINTS;

    points.index = (int64_t *)(void *)(points.at + (size_t)s->n * BP_CPU_POINTS);
    points.weight = (double *)(void *)(points.index + taps);
    points.own = points.weight + taps;
    points.one_index = (int64_t *)(void *)(points.weight + 2 * taps);
    points.one_weight = (double *)(void *)(points.one_index + (size_t)s->per_dim * BP_CPU_POINTS);
    return points;
}

/* ---- one dimension --------------------------------------------------------------------------- */

/*
 * Reflects x at low and high until it lies between them (ONNX GridSample-16, padding_mode
 * reflection).
 */
static double reflect(double x, double low, double high)
{
    double range = high - low, past = x < low ? low - x : x - high, turns, rest;

    if (x >= low && x <= high)
        return x;
    if (range <= 0)
        return low;
    turns = floor(past / range);
    rest = past - turns * range;
    return (fmod(turns, 2) == 0) == (x < low) ? low + rest : high - rest;
}

/*
 * The coordinates at which reflection happens: element centres with align_corners, else element
 * borders.
 */
static void ends_of(const struct bp_cpu_sampler *s, uint32_t d, double *low, double *high)
{
    *low = s->align_corners ? 0 : -0.5;
    *high = (double)s->dims[d] - (s->align_corners ? 1 : 0.5);
}

/* Applies the padding mode to the coordinate itself. NaN and huge values become far outside. */
static double bring_in(const struct bp_cpu_sampler *s, uint32_t d, double x)
{
    const double far = 0x1p50;
    double low, high, last = (double)(s->dims[d] - 1);

    if (!(x > -far)) /* NaN is outside, too */
        x = -far;
    x = x < far ? x : far;
    if (s->mode == BP_CPU_SAMPLE_NEAREST)
        x = rint(x);
    ends_of(s, d, &low, &high);
    if (x >= low && x <= high)
        return x;
    if (s->padding == BP_CPU_PAD_BORDER)
        return x < 0 ? 0 : x > last ? last : x;
    return s->padding == BP_CPU_PAD_REFLECTION ? reflect(x, low, high) : x;
}

/* Applies the padding mode to the index of a tap. -1: the tap is outside and counts as 0. */
static int64_t element(const struct bp_cpu_sampler *s, uint32_t d, int64_t i)
{
    int64_t last = s->dims[d] - 1;
    double low, high;

    if (i >= 0 && i <= last)
        return i;
    if (s->padding == BP_CPU_PAD_ZEROS)
        return -1;
    if (s->padding == BP_CPU_PAD_REFLECTION) {
        ends_of(s, d, &low, &high);
        i = (int64_t)reflect((double)i, low, high);
    }
    return i < 0 ? 0 : i > last ? last : i;
}

/*
 * Weights of the taps for x in 0..1, the distance from the tap at or before it. Cubic: Keys'
 * kernel, a = -0.75.
 */
static void weights_of(enum bp_cpu_sampling mode, double x, double *w)
{
    const double a = -0.75;
    double y = 1 - x;

    if (mode == BP_CPU_SAMPLE_LINEAR) {
        w[0] = y;
        w[1] = x;
        return;
    }
    w[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
    w[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
    w[2] = ((a + 2) * y - (a + 3)) * y * y + 1;
    w[3] = ((a * (y + 1) - 5 * a) * (y + 1) + 8 * a) * (y + 1) - 4 * a;
}

/* Indices and weights of one dimension for `count` points. */
static void locate_one(const struct bp_cpu_sampler *s, struct bp_cpu_points *points, uint32_t d,
                       uint32_t count)
{
    const double *at = points->at + (size_t)d * BP_CPU_POINTS;

    for (uint32_t i = 0; i < count; i++) {
        double x = bring_in(s, d, at[i]), base = floor(x), w[4] = {1};
        int64_t first = (int64_t)base - (s->per_dim == 4 ? 1 : 0);

        if (s->per_dim > 1)
            weights_of(s->mode, x - base, w);
        for (uint32_t k = 0; k < s->per_dim; k++) {
            int64_t index = element(s, d, first + k);

            points->one_index[k * BP_CPU_POINTS + i] = index < 0 ? 0 : index;
            points->one_weight[k * BP_CPU_POINTS + i] = index < 0 ? 0 : w[k];
        }
    }
}

/* ---- all dimensions -------------------------------------------------------------------------- */

/*
 * Multiplies out one more dimension: each tap so far becomes per_dim taps. From the last to the
 * first, in place.
 */
static void combine(const struct bp_cpu_sampler *s, struct bp_cpu_points *points, uint32_t taps,
                    int64_t stride, uint32_t count)
{
    for (uint32_t t = taps; t-- > 0;) {
        for (uint32_t k = s->per_dim; k-- > 0;) {
            const int64_t *old_index = points->index + (size_t)t * BP_CPU_POINTS;
            const double *old_weight = points->weight + (size_t)t * BP_CPU_POINTS;
            const int64_t *one_index = points->one_index + (size_t)k * BP_CPU_POINTS;
            const double *one_weight = points->one_weight + (size_t)k * BP_CPU_POINTS;
            size_t to = (size_t)(t * s->per_dim + k) * BP_CPU_POINTS;

            for (uint32_t i = 0; i < count; i++) {
                points->index[to + i] = old_index[i] + one_index[i] * stride;
                points->weight[to + i] = old_weight[i] * one_weight[i];
            }
        }
    }
}

void bp_cpu_sampler_place(const struct bp_cpu_sampler *s, struct bp_cpu_points *points,
                          uint32_t count)
{
    int64_t stride = 1;
    uint32_t taps = 1;

    for (uint32_t i = 0; i < count; i++) {
        points->index[i] = 0;
        points->weight[i] = 1;
    }
    for (uint32_t d = s->n; d-- > 0; taps *= s->per_dim) {
        locate_one(s, points, d, count);
        combine(s, points, taps, stride, count);
        stride *= s->dims[d];
    }
}

void bp_cpu_sampler_weigh(const struct bp_cpu_sampler *s, struct bp_cpu_points *points,
                          uint32_t count)
{
    float *as_float = points->own;
    double *as_double = points->own;

    for (uint32_t t = 0; t < s->taps; t++) {
        for (uint32_t i = 0; i < count; i++) {
            size_t at = (size_t)t * BP_CPU_POINTS + i;

            if (s->is_double)
                as_double[at] = points->weight[at];
            else
                as_float[at] = (float)points->weight[at];
        }
    }
}

void bp_cpu_sampler_sum(const struct bp_cpu_sampler *s, const struct bp_cpu_points *points,
                        uint32_t count, const void *x, void *y, int64_t step)
{
    if (s->is_double)
        sum_f64(s, points, count, x, y, step);
    else
        sum_f32(s, points, count, x, y, step);
}
