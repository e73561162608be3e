/* SPDX-License-Identifier: MIT */
/* resize.c - Resize-11 to -19 without antialiasing: nearest, linear and cubic, of any rank. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/reference.h"

enum { TAPS = 4 };

/* What one place of the output reads along one axis. */
struct taps {
    uint32_t n;
    int64_t at[TAPS];
    double weight[TAPS];
};

/* ONNX coordinate_transformation_mode: the place in the input that place x of the output is. */
static double place(const struct kit_case *c, double x, double n_in, double n_out, double scale)
{
    static const char def[] = "half_pixel";
    const char *name = "coordinate_transformation_mode";

    if (ref_text_is(c, name, def, "align_corners"))
        return n_out > 1 ? x * (n_in - 1) / (n_out - 1) : 0;
    if (ref_text_is(c, name, def, "asymmetric"))
        return x / scale;
    if (ref_text_is(c, name, def, "pytorch_half_pixel"))
        return n_out > 1 ? (x + 0.5) / scale - 0.5 : 0;
    if (ref_text_is(c, name, def, "half_pixel_symmetric")) {
        double adjustment = n_out / (scale * n_in), center = n_in / 2;

        return center * (1 - adjustment) + (x + 0.5) / scale - 0.5;
    }
    return (x + 0.5) / scale - 0.5;
}

static double nearest(const struct kit_case *c, double x)
{
    static const char def[] = "round_prefer_floor";

    if (ref_text_is(c, "nearest_mode", def, "floor"))
        return floor(x);
    if (ref_text_is(c, "nearest_mode", def, "ceil"))
        return ceil(x);
    if (ref_text_is(c, "nearest_mode", def, "round_prefer_ceil"))
        return floor(x + 0.5);
    return ceil(x - 0.5);
}

/* Keys' cubic convolution, of a distance below 2. */
static double cubic(double a, double d)
{
    d = fabs(d);
    if (d <= 1)
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/* Elements beyond the edge are those of the edge, or left out of the sum. */
static void clamp(const struct kit_case *c, struct taps *taps, int64_t n)
{
    bool leaves_out = ref_int(c, "exclude_outside", 0) != 0;
    double sum = 0;

    for (uint32_t k = 0; k < taps->n; k++) {
        bool is_outside = taps->at[k] < 0 || taps->at[k] >= n;

        taps->weight[k] = leaves_out && is_outside ? 0 : taps->weight[k];
        taps->at[k] = taps->at[k] < 0 ? 0 : taps->at[k] >= n ? n - 1 : taps->at[k];
        sum += taps->weight[k];
    }
    for (uint32_t k = 0; leaves_out && k < taps->n; k++)
        taps->weight[k] /= sum;
}

static struct taps taps_of(const struct kit_case *c, int64_t x, int64_t n_in, int64_t n_out,
                           double scale)
{
    double at = place(c, (double)x, (double)n_in, (double)n_out, scale), low = floor(at);
    struct taps taps = {.n = 1, .at = {x}, .weight = {1}};

    if (n_in == n_out && scale >= 1 && scale <= 1)
        return taps;
    if (ref_text_is(c, "mode", "nearest", "nearest")) {
        taps.at[0] = (int64_t)nearest(c, at);
    } else if (ref_text_is(c, "mode", "nearest", "linear")) {
        taps.n = 2;
        for (uint32_t k = 0; k < 2; k++) {
            taps.at[k] = (int64_t)low + k;
            taps.weight[k] = k ? at - low : 1 - (at - low);
        }
    } else {
        taps.n = TAPS;
        for (uint32_t k = 0; k < TAPS; k++) {
            taps.at[k] = (int64_t)low - 1 + k;
            taps.weight[k] = cubic(ref_number(c, "cubic_coeff_a", -0.75), at - (double)taps.at[k]);
        }
    }
    clamp(c, &taps, n_in);
    return taps;
}

/* Sizes are given, or scales; the output's shape is the case's. */
static double scale_of(const struct kit_case *c, const double *const *in, uint32_t d)
{
    if (c->n_in > 2 && in[2])
        return in[2][d];
    return (double)c->out.dims[d] / (double)c->in[0].dims[d];
}

void ref_resize(const struct kit_case *c, const double *const *in, double *out)
{
    for (size_t i = 0; i < kit_count(&c->out); i++) {
        int64_t at[KIT_RANK] = {0};
        struct taps taps[KIT_RANK];
        size_t n = 1;

        ref_unravel(&c->out, i, at);
        for (uint32_t d = 0; d < c->out.rank; d++) {
            taps[d] = taps_of(c, at[d], c->in[0].dims[d], c->out.dims[d], scale_of(c, in, d));
            n *= taps[d].n;
        }
        out[i] = 0;
        for (size_t t = 0; t < n; t++) {
            size_t rest = t;
            double weight = 1;

            for (uint32_t d = 0; d < c->out.rank; d++) {
                at[d] = taps[d].at[rest % taps[d].n];
                weight *= taps[d].weight[rest % taps[d].n];
                rest /= taps[d].n;
            }
            out[i] += weight * in[0][ref_ravel(&c->in[0], at)];
        }
    }
}
