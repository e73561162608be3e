/* SPDX-License-Identifier: MIT */
/* reference.c - plain loops in double; independent of every provider. */

#include "config.h"

#include "check/reference.h"

#include <math.h>

static const struct kit_attr *attr(const struct kit_case *c, const char *name)
{
    for (uint32_t i = 0; i < KIT_ATTRS && c->attrs[i].name; i++) {
        if (strcmp(c->attrs[i].name, name) == 0)
            return &c->attrs[i];
    }
    return NULL;
}

static double number(const struct kit_case *c, const char *name)
{
    return (double)attr(c, name)->number;
}

static double one(const struct kit_case *c, double x)
{
    switch (c->op[0]) {
    case 'A': /* Abs */
        return fabs(x);
    case 'N': /* Neg */
        return -x;
    case 'E': /* Exp */
        return exp(x);
    case 'T': /* Tanh */
        return tanh(x);
    case 'F': /* Floor */
        return floor(x);
    case 'C': /* Ceil */
        return ceil(x);
    case 'I': /* Identity */
        return x;
    case 'L': /* Log, LeakyRelu */
        return c->op[1] == 'o' ? log(x) : x < 0 ? x * number(c, "alpha") : x;
    case 'S': /* Sigmoid, Sqrt */
        return c->op[1] == 'q' ? sqrt(x) : 1 / (1 + exp(-x));
    default: /* Relu */
        return x < 0 ? 0 : x;
    }
}

void ref_unary(const struct kit_case *c, const double *const *in, double *out)
{
    for (size_t i = 0; i < kit_count(&c->out); i++)
        out[i] = one(c, in[0][i]);
}

/* Where element i of the output is in an input that may be broadcast. */
static size_t broadcast(const struct kit_port *out, const struct kit_port *in, size_t i)
{
    size_t at = 0, step = 1;

    for (uint32_t d = 0; d < in->rank; d++) {
        size_t size = (size_t)in->dims[in->rank - 1 - d];
        size_t whole = (size_t)out->dims[out->rank - 1 - d];

        if (size > 1)
            at += i % whole * step;
        step *= size;
        i /= whole;
    }
    return at;
}

static double two(const char *op, double a, double b)
{
    switch (op[0]) {
    case 'A': /* Add */
        return a + b;
    case 'S': /* Sub */
        return a - b;
    case 'M': /* Mul, Max, Min */
        return op[1] == 'u' ? a * b : op[1] == 'a' ? fmax(a, b) : fmin(a, b);
    case 'D': /* Div */
        return a / b;
    case 'E': /* Equal */
        return !(a < b) && !(a > b);
    case 'L': /* Less */
        return a < b;
    default: /* Pow */
        return pow(a, b);
    }
}

void ref_binary(const struct kit_case *c, const double *const *in, double *out)
{
    for (size_t i = 0; i < kit_count(&c->out); i++)
        out[i] = two(c->op, in[0][broadcast(&c->out, &c->in[0], i)],
                     in[1][broadcast(&c->out, &c->in[1], i)]);
}

/* Stacks of equal number, or of one, of matrices. */
void ref_matmul(const struct kit_case *c, const double *const *in, double *out)
{
    const struct kit_port *a = &c->in[0], *b = &c->in[1];
    size_t m = (size_t)a->dims[a->rank - 2], k = (size_t)a->dims[a->rank - 1];
    size_t n = (size_t)b->dims[b->rank - 1], stacks = kit_count(&c->out) / (m * n);
    bool is_shared = kit_count(b) == k * n;

    for (size_t i = 0; i < stacks * m * n; i++) {
        size_t s = i / (m * n), row = i / n % m, column = i % n;

        out[i] = 0;
        for (size_t j = 0; j < k; j++)
            out[i] +=
                in[0][(s * m + row) * k + j] * in[1][((is_shared ? 0 : s) * k + j) * n + column];
    }
}

/* transB only, with C broadcast. */
void ref_gemm(const struct kit_case *c, const double *const *in, double *out)
{
    size_t n = (size_t)c->out.dims[1], k = (size_t)c->in[0].dims[1];

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        double sum = 0;

        for (size_t j = 0; j < k; j++)
            sum += in[0][i / n * k + j] * in[1][i % n * k + j];
        out[i] =
            number(c, "alpha") * sum + number(c, "beta") * in[2][broadcast(&c->out, &c->in[2], i)];
    }
}

/* Along the last axis. */
void ref_softmax(const struct kit_case *c, const double *const *in, double *out)
{
    size_t n = (size_t)c->out.dims[c->out.rank - 1];

    for (size_t at = 0; at < kit_count(&c->out); at += n) {
        double most = in[0][at], sum = 0;

        for (size_t i = 0; i < n; i++)
            most = fmax(most, in[0][at + i]);
        for (size_t i = 0; i < n; i++)
            sum += exp(in[0][at + i] - most);
        for (size_t i = 0; i < n; i++)
            out[at + i] = exp(in[0][at + i] - most) / sum;
    }
}

/* The same elements in another shape or type. */
void ref_same(const struct kit_case *c, const double *const *in, double *out)
{
    bool is_whole = c->out.dtype == BP_DTYPE_I32 || c->out.dtype == BP_DTYPE_I64;

    for (size_t i = 0; i < kit_count(&c->out); i++)
        out[i] = is_whole ? trunc(in[0][i]) : in[0][i];
}

void ref_transpose(const struct kit_case *c, const double *const *in, double *out)
{
    const int64_t *perm = attr(c, "perm")->ints;
    const struct kit_port *x = &c->in[0];

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        size_t rest = i, at[KIT_RANK] = {0}, from = 0;

        for (uint32_t d = x->rank; d-- > 0;) {
            at[perm[d]] = rest % (size_t)c->out.dims[d];
            rest /= (size_t)c->out.dims[d];
        }
        for (uint32_t d = 0; d < x->rank; d++)
            from = from * (size_t)x->dims[d] + at[d];
        out[i] = in[0][from];
    }
}

/* Two matrices side by side: axis 1 of rank 2. */
void ref_concat(const struct kit_case *c, const double *const *in, double *out)
{
    size_t a = (size_t)c->in[0].dims[1], b = (size_t)c->in[1].dims[1];

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        size_t row = i / (a + b), column = i % (a + b);

        out[i] = column < a ? in[0][row * a + column] : in[1][row * b + column - a];
    }
}

/* ReduceSum, ReduceMean, ReduceMax over the last axis. */
void ref_reduce(const struct kit_case *c, const double *const *in, double *out)
{
    size_t n = (size_t)c->in[0].dims[c->in[0].rank - 1];

    for (size_t i = 0; i < kit_count(&c->in[0]) / n; i++) {
        double sum = 0, most = in[0][i * n];

        for (size_t j = 0; j < n; j++) {
            sum += in[0][i * n + j];
            most = fmax(most, in[0][i * n + j]);
        }
        out[i] = strcmp(c->op, "ReduceMax") == 0    ? most
                 : strcmp(c->op, "ReduceMean") == 0 ? sum / (double)n
                                                    : sum;
    }
}

/* The element of an image, 0 outside. */
static double pixel(const struct kit_port *x, const double *data, size_t plane, int64_t row,
                    int64_t column, double outside)
{
    int64_t h = x->dims[2], w = x->dims[3];

    if (row < 0 || column < 0 || row >= h || column >= w)
        return outside;
    return data[plane * (size_t)(h * w) + (size_t)(row * w + column)];
}

/* One image, one group, pads 1 for a 3x3 kernel, strides as they are. */
void ref_conv(const struct kit_case *c, const double *const *in, double *out)
{
    const int64_t *step = attr(c, "strides")->ints, *pads = attr(c, "pads")->ints;
    const int64_t *kernel = &c->in[1].dims[2];
    size_t channels = (size_t)c->in[1].dims[1], taps = (size_t)(kernel[0] * kernel[1]);
    size_t plane = (size_t)(c->out.dims[2] * c->out.dims[3]);

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        int64_t row = (int64_t)(i % plane) / c->out.dims[3] * step[0] - pads[0];
        int64_t column = (int64_t)(i % plane) % c->out.dims[3] * step[1] - pads[1];
        size_t m = i / plane;

        out[i] = in[2][m];
        for (size_t t = 0; t < channels * taps; t++) {
            int64_t at = (int64_t)(t % taps);

            out[i] +=
                in[1][m * channels * taps + t] *
                pixel(&c->in[0], in[0], t / taps, row + at / kernel[1], column + at % kernel[1], 0);
        }
    }
}

void ref_max_pool(const struct kit_case *c, const double *const *in, double *out)
{
    const int64_t *step = attr(c, "strides")->ints, *kernel = attr(c, "kernel_shape")->ints;
    size_t plane = (size_t)(c->out.dims[2] * c->out.dims[3]);

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        int64_t row = (int64_t)(i % plane) / c->out.dims[3] * step[0];
        int64_t column = (int64_t)(i % plane) % c->out.dims[3] * step[1];

        out[i] = -HUGE_VAL;
        for (int64_t t = 0; t < kernel[0] * kernel[1]; t++)
            out[i] = fmax(out[i], pixel(&c->in[0], in[0], i / plane, row + t / kernel[1],
                                        column + t % kernel[1], -HUGE_VAL));
    }
}

/* GlobalAveragePool */
void ref_average(const struct kit_case *c, const double *const *in, double *out)
{
    size_t n = (size_t)(c->in[0].dims[2] * c->in[0].dims[3]);

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        out[i] = 0;
        for (size_t j = 0; j < n; j++)
            out[i] += in[0][i * n + j] / (double)n;
    }
}
