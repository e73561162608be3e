/* SPDX-License-Identifier: MIT */
/*
 * resize_axis.c - see resize_axis.h. Formulas are those of ONNX's Resize-19. All in double: the
 * tables are small compared with the tensor.
 */

#include <common/resize_axis.h>

#include <math.h>

/* ---- coordinates ----------------------------------------------------------------------------- */

/* Where element i of the output lies in the input, in elements; a fraction. */
static double source_of(const struct bp_resize_rule *rule, const struct bp_resize_axis *axis,
                        int64_t i)
{
    double in = (double)axis->in, at = (double)i;
    double wanted = axis->scale * in; /* the length before it was cut down to a whole number */

    if (rule->is_legacy)
        return (double)((float)at / (float)axis->scale);
    switch (rule->coordinate) {
    case BP_RESIZE_ALIGN_CORNERS:
        return axis->out > 1 ? at * (in - 1) / (wanted - 1) : 0;
    case BP_RESIZE_ASYMMETRIC:
        return at / axis->scale;
    case BP_RESIZE_TF_HALF_PIXEL_FOR_NN:
        return (at + 0.5) / axis->scale;
    case BP_RESIZE_TF_CROP_AND_RESIZE:
        if (axis->out > 1)
            return at * (axis->end - axis->start) * (in - 1) / (wanted - 1) +
                   axis->start * (in - 1);
        return (axis->end - axis->start) * (in - 1) / 2 + axis->start * (in - 1);
    case BP_RESIZE_PYTORCH_HALF_PIXEL:
        return axis->out > 1 ? (at + 0.5) / axis->scale - 0.5 : 0;
    case BP_RESIZE_HALF_PIXEL_SYMMETRIC: /* the middles of both stay together */
        return in / 2 * (1 - (double)axis->out / wanted) + (at + 0.5) / axis->scale - 0.5;
    default:
        return (at + 0.5) / axis->scale - 0.5;
    }
}

/*
 * A whole number near x, within the input or just outside of it, whatever x is: infinities and NaN
 * too, as scales come from models.
 */
static int64_t whole(double x, int64_t in)
{
    double most = (double)in * 4 + 16;

    if (!(x > -most)) /* NaN too */
        return -(int64_t)most;
    return x < most ? (int64_t)x : (int64_t)most;
}

/* The nearest element of the input. */
static int64_t clamp(int64_t i, int64_t in)
{
    return i < 0 ? 0 : i < in ? i : in - 1;
}

/* The element for mode "nearest". Before version 11 a shrinking Resize rounded up. */
static int64_t nearest_of(const struct bp_resize_rule *rule, const struct bp_resize_axis *axis,
                          double x)
{
    if (rule->is_legacy)
        return clamp(whole(axis->scale < 1 ? ceil(x) : floor(x), axis->in), axis->in);
    switch (rule->nearest) {
    case BP_RESIZE_ROUND_PREFER_CEIL:
        x = floor(x + 0.5);
        break;
    case BP_RESIZE_FLOOR:
        x = floor(x);
        break;
    case BP_RESIZE_CEIL:
        x = ceil(x);
        break;
    default:
        x = ceil(x - 0.5);
        break;
    }
    return clamp(whole(x, axis->in), axis->in);
}

/* ---- weights --------------------------------------------------------------------------------- */

/* The cubic convolution kernel (Keys) with parameter a, cubic_coeff_a. */
static double cubic(double distance, double a)
{
    double x = fabs(distance);

    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* The triangle kernel. */
static double linear(double distance)
{
    double x = fabs(distance);

    return x < 1 ? 1 - x : 0;
}

/* How much the filter's distances shrink: with antialias a shrinking filter widens by 1 / scale. */
static double squeeze(const struct bp_resize_rule *rule, double scale)
{
    return rule->antialias && scale < 1 ? scale : 1;
}

/*
 * Elements on each side of a position that the filter covers; beyond the whole input on both sides
 * there is nothing new.
 */
static int64_t reach_of(const struct bp_resize_rule *rule, const struct bp_resize_axis *axis)
{
    double radius = (rule->mode == BP_RESIZE_CUBIC ? 2 : 1) / squeeze(rule, axis->scale);

    /* beyond the whole input on both sides there is nothing new */
    return whole(ceil(radius), axis->in);
}

/*
 * Weights of output element i. Those outside the input may be left out (exclude_outside), and the
 * rest is scaled to a sum of 1.
 */
static void fill_weights(const struct bp_resize_rule *rule, struct bp_resize_axis *axis, int64_t i,
                         double x)
{
    double by = squeeze(rule, axis->scale), sum = 0;
    int64_t base = whole(ceil(x) - 1, axis->in) + 1 - (int64_t)axis->taps / 2;

    for (uint32_t t = 0; t < axis->taps; t++) {
        int64_t at = base + t;
        double distance = ((double)at - x) * by;
        double weight =
            rule->mode == BP_RESIZE_CUBIC ? cubic(distance, rule->cubic_a) : linear(distance);

        if (rule->exclude_outside && (at < 0 || at >= axis->in))
            weight = 0;
        axis->index[t * axis->out + i] = clamp(at, axis->in);
        axis->weight[t * axis->out + i] = weight;
        sum += weight;
    }
    if (!rule->antialias && !rule->exclude_outside)
        return;
    if (sum == 0) /* all lie outside: then the nearest end stands for them */
        axis->weight[i] = sum = 1;
    for (uint32_t t = 0; t < axis->taps; t++)
        axis->weight[t * axis->out + i] /= sum;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The tf_half_pixel_for_nn positions are half a pixel off even at scale 1. */
void bp_resize_axis_measure(const struct bp_resize_rule *rule, struct bp_resize_axis *axis)
{
    bool is_whole =
        rule->coordinate != BP_RESIZE_TF_CROP_AND_RESIZE || (axis->start == 0 && axis->end == 1);

    axis->is_identity = axis->in == axis->out && axis->scale == 1 && is_whole &&
                        (rule->coordinate != BP_RESIZE_TF_HALF_PIXEL_FOR_NN || rule->is_legacy);
    axis->taps = 1;
    if (rule->mode != BP_RESIZE_NEAREST)
        axis->taps = (uint32_t)(2 * reach_of(rule, axis));
}

void bp_resize_axis_fill(const struct bp_resize_rule *rule, struct bp_resize_axis *axis)
{
    for (int64_t i = 0; i < axis->out; i++) {
        double x = source_of(rule, axis, i);

        if (axis->outside)
            axis->outside[i] = !(x >= 0 && x <= (double)(axis->in - 1));
        if (rule->mode == BP_RESIZE_NEAREST)
            axis->index[i] = nearest_of(rule, axis, x);
        else
            fill_weights(rule, axis, i, x);
    }
}
