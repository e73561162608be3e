/* SPDX-License-Identifier: MIT */
/* reference.c - matrices, reductions and normalisation: plain loops in double. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/reference.h"

/* ---- matrices -------------------------------------------------------------------------------- */

/* The number of stacks before the last two axes, as a port of its own. */
static struct kit_port stacks_of(const struct kit_port *port)
{
    struct kit_port stacks = *port;

    stacks.rank = port->rank > 2 ? port->rank - 2 : 0;
    return stacks;
}

void ref_multiply(const struct kit_case *c, const struct kit_port *a_port,
                  const struct kit_port *b_port, const double *a, const double *b, double *out)
{
    size_t m = a_port->rank > 1 ? (size_t)a_port->dims[a_port->rank - 2] : 1;
    size_t k = (size_t)a_port->dims[a_port->rank - 1];
    size_t n = b_port->rank > 1 ? (size_t)b_port->dims[b_port->rank - 1] : 1;
    struct kit_port a_stacks = stacks_of(a_port), b_stacks = stacks_of(b_port), stacks = c->out;

    stacks.rank = a_stacks.rank > b_stacks.rank ? a_stacks.rank : b_stacks.rank;
    for (size_t s = 0; s < kit_count(&stacks); s++) {
        const double *left = a + ref_broadcast(&stacks, &a_stacks, s) * m * k;
        const double *right = b + ref_broadcast(&stacks, &b_stacks, s) * k * n;

        for (size_t i = 0; i < m * n; i++) {
            double sum = 0;

            for (size_t j = 0; j < k; j++)
                sum += left[i / n * k + j] * right[j * n + i % n];
            out[s * m * n + i] = sum;
        }
    }
}

void ref_matmul(const struct kit_case *c, const double *const *in, double *out)
{
    ref_multiply(c, &c->in[0], &c->in[1], in[0], in[1], out);
}

/* alpha * A' * B' + beta * C, where C is broadcast and may be absent. */
void ref_gemm(const struct kit_case *c, const double *const *in, double *out)
{
    bool a_turned = ref_int(c, "transA", 0) != 0, b_turned = ref_int(c, "transB", 0) != 0;
    size_t m = (size_t)c->out.dims[0], n = (size_t)c->out.dims[1];
    size_t k = (size_t)c->in[0].dims[a_turned ? 0 : 1];

    for (size_t i = 0; i < m * n; i++) {
        double sum = 0;

        for (size_t j = 0; j < k; j++)
            sum += in[0][a_turned ? j * m + i / n : i / n * k + j] *
                   in[1][b_turned ? i % n * k + j : j * n + i % n];
        out[i] = ref_number(c, "alpha", 1) * sum;
        if (c->n_in > 2 && in[2])
            out[i] += ref_number(c, "beta", 1) * in[2][ref_broadcast(&c->out, &c->in[2], i)];
    }
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Softmax and LogSoftmax along one axis. */
void ref_softmax(const struct kit_case *c, const double *const *in, double *out)
{
    struct ref_span span = ref_span_of(&c->out, ref_axis(ref_int(c, "axis", -1), c->out.rank));
    bool is_log = strcmp(c->op, "LogSoftmax") == 0;

    for (size_t r = 0; r < span.before * span.after; r++) {
        size_t first = r / span.after * span.n * span.after + r % span.after;
        double most = in[0][first], sum = 0;

        for (size_t i = 0; i < span.n; i++)
            most = fmax(most, in[0][first + i * span.after]);
        for (size_t i = 0; i < span.n; i++)
            sum += exp(in[0][first + i * span.after] - most);
        for (size_t i = 0; i < span.n; i++) {
            double x = in[0][first + i * span.after] - most;

            out[first + i * span.after] = is_log ? x - log(sum) : exp(x) / sum;
        }
    }
}

/* Is axis d reduced? Axes are an attribute, a second input, or all where neither is given. */
static bool is_reduced(const struct kit_case *c, const double *const *in, uint32_t d)
{
    const struct kit_attr *attr = ref_attr(c, "axes");
    uint32_t rank = c->in[0].rank;

    if (strncmp(c->op, "Arg", 3) == 0)
        return ref_axis(ref_int(c, "axis", 0), rank) == d;
    for (uint32_t i = 0; attr && i < attr->count; i++) {
        if (ref_axis(attr->ints[i], rank) == d)
            return true;
    }
    for (size_t i = 0; c->n_in > 1 && i < kit_count(&c->in[1]); i++) {
        if (ref_axis((int64_t)in[1][i], rank) == d)
            return true;
    }
    return !attr && c->n_in < 2;
}

/* What has been reduced so far, and one element more, the index of which along the axis is `at`. */
static double reduced(const struct kit_case *c, double so_far, double x, bool is_first, int64_t at,
                      double *best)
{
    const char *kind = c->op + (strncmp(c->op, "Reduce", 6) == 0 ? 6 : 0);

    if (strcmp(kind, "Max") == 0)
        return is_first ? x : fmax(so_far, x);
    if (strcmp(kind, "Min") == 0)
        return is_first ? x : fmin(so_far, x);
    if (strcmp(kind, "Prod") == 0)
        return is_first ? x : so_far * x;
    if (strncmp(kind, "Arg", 3) == 0) { /* the first of several that are equal */
        bool is_better = is_first || (strcmp(kind, "ArgMax") == 0 ? x > *best : x < *best);

        *best = is_better ? x : *best;
        return is_better ? (double)at : so_far;
    }
    if (strcmp(kind, "L2") == 0 || strcmp(kind, "SumSquare") == 0)
        return so_far + x * x;
    return so_far + (strcmp(kind, "L1") == 0 ? fabs(x) : x);
}

void ref_reduce(const struct kit_case *c, const double *const *in, double *out)
{
    const struct kit_port *x = &c->in[0];
    struct kit_port kept = *x; /* the output's shape, as keepdims gives it */
    size_t n, n_out;

    for (uint32_t d = 0; d < x->rank; d++)
        kept.dims[d] = is_reduced(c, in, d) ? 1 : x->dims[d];
    n_out = kit_count(&kept);
    n = n_out ? kit_count(x) / n_out : 0;
    for (size_t i = 0; i < n_out; i++) {
        int64_t base[KIT_RANK] = {0};
        double value = 0, best = 0;
        size_t seen = 0;

        ref_unravel(&kept, i, base);
        for (size_t k = 0; k < kit_count(x); k++) {
            int64_t at[KIT_RANK] = {0};
            bool is_mine = true;
            int64_t along = 0;

            ref_unravel(x, k, at);
            for (uint32_t d = 0; d < x->rank; d++) {
                is_mine = is_mine && (kept.dims[d] != x->dims[d] || at[d] == base[d]);
                along = kept.dims[d] != x->dims[d] ? at[d] : along;
            }
            if (is_mine)
                value = reduced(c, value, in[0][k], seen++ == 0, along, &best);
        }
        if (strcmp(c->op, "ReduceMean") == 0)
            value /= (double)n;
        out[i] = strcmp(c->op, "ReduceL2") == 0 ? sqrt(value) : value;
    }
}

/* ---- normalisation --------------------------------------------------------------------------- */

void ref_batch_norm(const struct kit_case *c, const double *const *in, double *out)
{
    double epsilon = ref_number(c, "epsilon", 1e-5);
    size_t channels = (size_t)c->out.dims[1];
    struct ref_span span = ref_span_of(&c->out, 1);

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        size_t m = i / span.after % channels;

        out[i] = in[1][m] * (in[0][i] - in[3][m]) / sqrt(in[4][m] + epsilon) + in[2][m];
    }
}

/* Makes n elements have mean 0 and variance 1. */
static void normalize(const double *x, double *y, size_t n, double epsilon)
{
    double mean = 0, variance = 0;

    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        variance += (x[i] - mean) * (x[i] - mean) / (double)n;
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sqrt(variance + epsilon);
}

/* Over all axes from `axis` on; scale, and bias if there is one, have their shape. */
void ref_layer_norm(const struct kit_case *c, const double *const *in, double *out)
{
    uint32_t axis = ref_axis(ref_int(c, "axis", -1), c->out.rank);
    struct ref_span span = ref_span_of(&c->out, axis);
    size_t n = span.n * span.after;

    for (size_t r = 0; r < span.before; r++) {
        normalize(in[0] + r * n, out + r * n, n, ref_number(c, "epsilon", 1e-5));
        for (size_t i = 0; i < n; i++)
            out[r * n + i] = out[r * n + i] * in[1][i] + (c->n_in > 2 && in[2] ? in[2][i] : 0);
    }
}

void ref_instance_norm(const struct kit_case *c, const double *const *in, double *out)
{
    struct ref_span span = ref_span_of(&c->out, 1);

    for (size_t r = 0; r < span.before * span.n; r++) {
        normalize(in[0] + r * span.after, out + r * span.after, span.after,
                  ref_number(c, "epsilon", 1e-5));
        for (size_t i = 0; i < span.after; i++)
            out[r * span.after + i] =
                out[r * span.after + i] * in[1][r % span.n] + in[2][r % span.n];
    }
}

/* ONNX LRN: over floor((size - 1) / 2) channels before and ceil((size - 1) / 2) after. */
void ref_lrn(const struct kit_case *c, const double *const *in, double *out)
{
    struct ref_span span = ref_span_of(&c->out, 1);
    int64_t size = ref_int(c, "size", 1), n = (int64_t)span.n;

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        int64_t m = (int64_t)(i / span.after % span.n);
        double sum = 0;

        for (int64_t k = m - (size - 1) / 2; k <= m + size / 2; k++) {
            double x = k < 0 || k >= n ? 0 : in[0][i + (size_t)(k - m) * span.after];

            sum += x * x;
        }
        out[i] = in[0][i] /
                 pow(ref_number(c, "bias", 1) + ref_number(c, "alpha", 1e-4) / (double)size * sum,
                     ref_number(c, "beta", 0.75));
    }
}
