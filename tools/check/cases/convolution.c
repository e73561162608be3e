/* SPDX-License-Identifier: MIT */
/* convolution.c - convolution and pooling of 1 to 3 spatial axes, with all their attributes. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/reference.h"

enum { SPATIAL = KIT_RANK - 2 };

/* A window that moves over the spatial axes. */
struct window {
    uint32_t rank;
    int64_t in[SPATIAL], out[SPATIAL], kernel[SPATIAL], stride[SPATIAL], dilation[SPATIAL];
    int64_t before[SPATIAL], after[SPATIAL]; /* pads */
    size_t in_plane, out_plane, taps;
};

static int64_t at_axis(const struct kit_case *c, const char *name, uint32_t d, int64_t def)
{
    const struct kit_attr *attr = ref_attr(c, name);

    return attr && d < attr->count ? attr->ints[d] : def;
}

/* ONNX auto_pad: SAME_UPPER has the odd element at the end, SAME_LOWER at the beginning. */
static void auto_pad(const struct kit_case *c, struct window *w, uint32_t d, int64_t total)
{
    total = total > 0 ? total : 0;
    w->before[d] =
        ref_text_is(c, "auto_pad", "NOTSET", "SAME_LOWER") ? total - total / 2 : total / 2;
    w->after[d] = total - w->before[d];
}

static bool is_same(const struct kit_case *c)
{
    return ref_text_is(c, "auto_pad", "NOTSET", "SAME_UPPER") ||
           ref_text_is(c, "auto_pad", "NOTSET", "SAME_LOWER");
}

static struct window window_of(const struct kit_case *c, const struct kit_port *x,
                               const int64_t *kernel)
{
    struct window w = {.rank = x->rank - 2, .in_plane = 1, .out_plane = 1, .taps = 1};

    for (uint32_t d = 0; d < w.rank; d++) {
        w.in[d] = x->dims[d + 2];
        w.out[d] = c->out.dims[d + 2];
        w.kernel[d] = kernel[d];
        w.stride[d] = at_axis(c, "strides", d, 1);
        w.dilation[d] = at_axis(c, "dilations", d, 1);
        w.before[d] = at_axis(c, "pads", d, 0);
        w.after[d] = at_axis(c, "pads", d + w.rank, 0);
        if (is_same(c))
            auto_pad(c, &w, d,
                     (w.out[d] - 1) * w.stride[d] + (kernel[d] - 1) * w.dilation[d] + 1 - w.in[d]);
        w.in_plane *= (size_t)w.in[d];
        w.out_plane *= (size_t)w.out[d];
        w.taps *= (size_t)w.kernel[d];
    }
    return w;
}

/* A place within a plane, last axis fastest. */
static void split(const int64_t *sizes, uint32_t rank, size_t i, int64_t *at)
{
    for (uint32_t d = rank; d-- > 0;) {
        at[d] = (int64_t)(i % (size_t)sizes[d]);
        i /= (size_t)sizes[d];
    }
}

/*
 * Where tap t of the window at output o reads in the input's plane. False: in the padding, or, with
 * `padded`, even beyond that.
 */
static bool reads(const struct window *w, size_t o, size_t t, size_t *at, bool *padded)
{
    int64_t place[SPATIAL], tap[SPATIAL];
    bool is_inside = true;

    split(w->out, w->rank, o, place);
    split(w->kernel, w->rank, t, tap);
    *at = 0;
    *padded = true;
    for (uint32_t d = 0; d < w->rank; d++) {
        int64_t x = place[d] * w->stride[d] - w->before[d] + tap[d] * w->dilation[d];

        is_inside = is_inside && x >= 0 && x < w->in[d];
        *padded = *padded && x < w->in[d] + w->after[d];
        *at = *at * (size_t)w->in[d] + (size_t)x;
    }
    return is_inside;
}

void ref_convolve(const struct kit_case *c, const struct kit_port *x_port,
                  const struct kit_port *w_port, const double *x, const double *w,
                  const double *bias, double *out)
{
    struct window window = window_of(c, x_port, &w_port->dims[2]);
    size_t group = (size_t)ref_int(c, "group", 1), n_out = (size_t)c->out.dims[1];
    size_t n_in = (size_t)x_port->dims[1], each = (size_t)w_port->dims[1];

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        size_t m = i / window.out_plane % n_out, image = i / window.out_plane / n_out;
        size_t first = m / (n_out / group) * each; /* channel of the input */

        out[i] = bias ? bias[m] : 0;
        for (size_t k = 0; k < each; k++) {
            const double *plane = x + (image * n_in + first + k) * window.in_plane;

            for (size_t t = 0; t < window.taps; t++) {
                bool padded;
                size_t at;

                if (reads(&window, i % window.out_plane, t, &at, &padded))
                    out[i] += plane[at] * w[(m * each + k) * window.taps + t];
            }
        }
    }
}

void ref_conv(const struct kit_case *c, const double *const *in, double *out)
{
    ref_convolve(c, &c->in[0], &c->in[1], in[0], in[1], c->n_in > 2 ? in[2] : NULL, out);
}

/* The pads of ConvTranspose take from the output; with SAME they follow from its size. */
static void transposed_pads(const struct kit_case *c, struct window *w)
{
    for (uint32_t d = 0; d < w->rank && is_same(c); d++)
        auto_pad(c, w, d,
                 w->stride[d] * (w->in[d] - 1) + at_axis(c, "output_padding", d, 0) +
                     (w->kernel[d] - 1) * w->dilation[d] + 1 - w->out[d]);
}

/* Each element of the input adds the kernel, times itself, to the output. */
void ref_conv_transpose(const struct kit_case *c, const double *const *in, double *out)
{
    const struct kit_port *x = &c->in[0], *k = &c->in[1];
    struct window w = window_of(c, x, &k->dims[2]);
    size_t group = (size_t)ref_int(c, "group", 1), each = (size_t)k->dims[1];
    size_t n_in = (size_t)x->dims[1], n_out = (size_t)c->out.dims[1];

    transposed_pads(c, &w);
    for (size_t i = 0; i < kit_count(&c->out); i++)
        out[i] = c->n_in > 2 && in[2] ? in[2][i / w.out_plane % n_out] : 0;
    for (size_t i = 0; i < kit_count(x) * each * w.taps; i++) {
        size_t t = i % w.taps, m = i / w.taps % each, from = i / w.taps / each;
        size_t channel = from / w.in_plane % n_in, image = from / w.in_plane / n_in, at = 0;
        int64_t place[SPATIAL], tap[SPATIAL];
        bool is_inside = true;

        split(w.in, w.rank, from % w.in_plane, place);
        split(w.kernel, w.rank, t, tap);
        for (uint32_t d = 0; d < w.rank; d++) {
            int64_t y = place[d] * w.stride[d] - w.before[d] + tap[d] * w.dilation[d];

            is_inside = is_inside && y >= 0 && y < w.out[d];
            at = at * (size_t)w.out[d] + (size_t)y;
        }
        if (is_inside)
            out[(image * n_out + channel / (n_in / group) * each + m) * w.out_plane + at] +=
                in[0][from] * in[1][(channel * each + m) * w.taps + t];
    }
}

/* MaxPool and AveragePool. */
void ref_pool(const struct kit_case *c, const double *const *in, double *out)
{
    struct window w = window_of(c, &c->in[0], ref_attr(c, "kernel_shape")->ints);
    bool is_max = strcmp(c->op, "MaxPool") == 0, counts_pads = ref_int(c, "count_include_pad", 0);

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        const double *plane = in[0] + i / w.out_plane * w.in_plane;
        double most = -HUGE_VAL, sum = 0;
        size_t n = 0;

        for (size_t t = 0; t < w.taps; t++) {
            bool padded;
            size_t at;

            if (reads(&w, i % w.out_plane, t, &at, &padded)) {
                most = fmax(most, plane[at]);
                sum += plane[at];
                n++;
            } else {
                n += counts_pads && padded;
            }
        }
        out[i] = is_max ? most : sum / (double)n;
    }
}

void ref_global_pool(const struct kit_case *c, const double *const *in, double *out)
{
    size_t n = kit_count(&c->in[0]) / kit_count(&c->out);

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        double most = -HUGE_VAL, sum = 0;

        for (size_t j = 0; j < n; j++) {
            sum += in[0][i * n + j];
            most = fmax(most, in[0][i * n + j]);
        }
        out[i] = strcmp(c->op, "GlobalMaxPool") == 0 ? most : sum / (double)n;
    }
}
