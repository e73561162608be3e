/* SPDX-License-Identifier: MIT */
/* quantized.c - operators on integers with scales and zero points, for tensors and for axes. */

#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/reference.h"

/* The scale or zero point of element i: one for all, or one for each index of an axis. */
static double of_axis(const struct kit_case *c, const double *values, uint32_t input, size_t i)
{
    uint32_t axis;
    struct ref_span span;

    if (input >= c->n_in || !values)
        return 0;
    if (kit_count(&c->in[input]) == 1)
        return values[0];
    axis = ref_axis(ref_int(c, "axis", 1), c->out.rank);
    span = ref_span_of(&c->out, axis);
    return values[i / span.after % span.n];
}

void ref_quantize(const struct kit_case *c, const double *const *in, double *out)
{
    for (size_t i = 0; i < kit_count(&c->out); i++)
        out[i] = ref_saturated(c->out.dtype, nearbyint(in[0][i] / of_axis(c, in[1], 1, i)) +
                                                 of_axis(c, in[2], 2, i));
}

void ref_dequantize(const struct kit_case *c, const double *const *in, double *out)
{
    for (size_t i = 0; i < kit_count(&c->out); i++)
        out[i] = (in[0][i] - of_axis(c, in[2], 2, i)) * of_axis(c, in[1], 1, i);
}

/*
 * Elements less their zero point, which is one for all or one for each of `n` rows of `each` elements.
 * malloc'ed.
 */
static double *centered(const struct kit_port *port, const double *values,
                        const struct kit_port *zero_port, const double *zero, size_t each)
{
    size_t n = kit_count(port), n_zero = zero ? kit_count(zero_port) : 1;
    double *result = malloc((n + 1) * sizeof *result);

    if (!result)
        abort();
    for (size_t i = 0; i < n; i++)
        result[i] = values[i] - (zero ? zero[i / each % n_zero] : 0);
    return result;
}

/* x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias. */
void ref_qlinear_conv(const struct kit_case *c, const double *const *in, double *out)
{
    size_t each = kit_count(&c->in[3]) / (size_t)c->in[3].dims[0];
    struct ref_span span = ref_span_of(&c->out, 1);
    double *x = centered(&c->in[0], in[0], &c->in[2], in[2], 1);
    double *w = centered(&c->in[3], in[3], &c->in[5], in[5], each);

    ref_convolve(c, &c->in[0], &c->in[3], x, w, c->n_in > 8 ? in[8] : NULL, out);
    for (size_t i = 0; i < kit_count(&c->out); i++) {
        size_t m = i / span.after % span.n;
        double w_scale = in[4][kit_count(&c->in[4]) > 1 ? m : 0];

        out[i] = ref_saturated(c->out.dtype,
                               nearbyint(out[i] * in[1][0] * w_scale / in[6][0]) + in[7][0]);
    }
    free(x);
    free(w);
}

/* a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero. */
void ref_qlinear_matmul(const struct kit_case *c, const double *const *in, double *out)
{
    double *a = centered(&c->in[0], in[0], &c->in[2], in[2], 1);
    double *b = centered(&c->in[3], in[3], &c->in[5], in[5], 1);
    size_t n = (size_t)c->out.dims[c->out.rank - 1];

    ref_multiply(c, &c->in[0], &c->in[3], a, b, out);
    for (size_t i = 0; i < kit_count(&c->out); i++) {
        double b_scale = in[4][kit_count(&c->in[4]) > 1 ? i % n : 0];

        out[i] = ref_saturated(c->out.dtype,
                               nearbyint(out[i] * in[1][0] * b_scale / in[6][0]) + in[7][0]);
    }
    free(a);
    free(b);
}

/* MatMulInteger and ConvInteger: a, b, and their zero points, which may be absent. */
void ref_matmul_integer(const struct kit_case *c, const double *const *in, double *out)
{
    double *a = centered(&c->in[0], in[0], &c->in[2], c->n_in > 2 ? in[2] : NULL, 1);
    double *b = centered(&c->in[1], in[1], &c->in[3], c->n_in > 3 ? in[3] : NULL, 1);

    if (strcmp(c->op, "ConvInteger") == 0)
        ref_convolve(c, &c->in[0], &c->in[1], a, b, NULL, out);
    else
        ref_multiply(c, &c->in[0], &c->in[1], a, b, out);
    free(a);
    free(b);
}
