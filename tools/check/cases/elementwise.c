/* SPDX-License-Identifier: MIT */
/* elementwise.c - operators on each element, and what all references ask of a case. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/reference.h"

/* ---- attributes ------------------------------------------------------------------------------ */

const struct kit_attr *ref_attr(const struct kit_case *c, const char *name)
{
    for (uint32_t i = 0; i < KIT_ATTRS && c->attrs[i].name; i++) {
        if (strcmp(c->attrs[i].name, name) == 0)
            return &c->attrs[i];
    }
    return NULL;
}

double ref_number(const struct kit_case *c, const char *name, double def)
{
    const struct kit_attr *attr = ref_attr(c, name);

    return attr ? (double)attr->number : def;
}

int64_t ref_int(const struct kit_case *c, const char *name, int64_t def)
{
    const struct kit_attr *attr = ref_attr(c, name);

    return attr ? attr->ints[0] : def;
}

bool ref_text_is(const struct kit_case *c, const char *name, const char *def, const char *text)
{
    const struct kit_attr *attr = ref_attr(c, name);

    return strcmp(attr ? attr->text : def, text) == 0;
}

/* ---- places ---------------------------------------------------------------------------------- */

uint32_t ref_axis(int64_t axis, uint32_t rank)
{
    return (uint32_t)(axis < 0 ? axis + rank : axis);
}

struct ref_span ref_span_of(const struct kit_port *port, uint32_t axis)
{
    struct ref_span span = {1, (size_t)port->dims[axis], 1};

    for (uint32_t d = 0; d < port->rank; d++) {
        if (d < axis)
            span.before *= (size_t)port->dims[d];
        if (d > axis)
            span.after *= (size_t)port->dims[d];
    }
    return span;
}

void ref_unravel(const struct kit_port *port, size_t i, int64_t at[KIT_RANK])
{
    for (uint32_t d = port->rank; d-- > 0;) {
        at[d] = (int64_t)(i % (size_t)port->dims[d]);
        i /= (size_t)port->dims[d];
    }
}

size_t ref_ravel(const struct kit_port *port, const int64_t at[KIT_RANK])
{
    size_t i = 0;

    for (uint32_t d = 0; d < port->rank; d++)
        i = i * (size_t)port->dims[d] + (size_t)at[d];
    return i;
}

size_t ref_broadcast(const struct kit_port *out, const struct kit_port *in, size_t i)
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

double ref_saturated(uint32_t dtype, double value)
{
    double low = dtype == BP_DTYPE_I8 ? -128 : 0, high = dtype == BP_DTYPE_I8 ? 127 : 255;

    value = nearbyint(value); /* the default mode rounds ties to even */
    return value < low ? low : value > high ? high : value;
}

/* ---- one input ------------------------------------------------------------------------------- */

static double softplus(double x)
{
    return log1p(exp(-fabs(x))) + (x > 0 ? x : 0);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double relu(double x)
{
    return x < 0 ? 0 : x;
}

static double neg(double x)
{
    return -x;
}

static double same(double x)
{
    return x;
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double not(double x)
{
    return x < 0.5;
}

static double softsign(double x)
{
    return x / (1 + fabs(x));
}

static double mish(double x)
{
    return x * tanh(softplus(x));
}

static double hard_swish(double x)
{
    return x * fmax(0, fmin(1, x / 6 + 0.5));
}

/* Operators without attributes. */
static const struct {
    const char *op;
    double (*fn)(double);
} plain[] = {
    {"Relu", relu},
    {"Abs", fabs},
    {"Neg", neg},
    {"Exp", exp},
    {"Log", log},
    {"Sqrt", sqrt},
    {"Tanh", tanh},
    {"Sigmoid", sigmoid},
    {"Floor", floor},
    {"Ceil", ceil},
    {"Identity", same},
    {"Round", nearbyint},
    {"Sign", sign},
    {"Erf", erf},
    {"Reciprocal", reciprocal},
    {"Not", not },
    {"Softplus", softplus},
    {"Softsign", softsign},
    {"Mish", mish},
    {"HardSwish", hard_swish},
    {"Sin", sin},
    {"Cos", cos},
    {"Atan", atan},
};

/* Operators whose attributes matter. NaN stays NaN. */
static double with_attributes(const struct kit_case *c, double x)
{
    if (isnan(x) && strcmp(c->op, "ThresholdedRelu") != 0)
        return x;
    if (strcmp(c->op, "LeakyRelu") == 0)
        return x < 0 ? x * ref_number(c, "alpha", 0.01) : x;
    if (strcmp(c->op, "Elu") == 0)
        return x < 0 ? ref_number(c, "alpha", 1) * expm1(x) : x;
    if (strcmp(c->op, "Celu") == 0)
        return fmax(0, x) +
               fmin(0, ref_number(c, "alpha", 1) * expm1(x / ref_number(c, "alpha", 1)));
    if (strcmp(c->op, "Selu") == 0)
        return ref_number(c, "gamma", 0) * (x > 0 ? x : ref_number(c, "alpha", 0) * expm1(x));
    if (strcmp(c->op, "ThresholdedRelu") == 0)
        return x > ref_number(c, "alpha", 1) ? x : 0;
    if (strcmp(c->op, "HardSigmoid") == 0)
        return fmax(0, fmin(1, ref_number(c, "alpha", 0.2) * x + ref_number(c, "beta", 0.5)));
    if (ref_text_is(c, "approximate", "none", "tanh")) /* Gelu */
        return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    return 0.5 * x * (1 + erf(x / sqrt(2)));
}

void ref_unary(const struct kit_case *c, const double *const *in, double *out)
{
    double (*fn)(double) = NULL;

    for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++) {
        if (strcmp(plain[k].op, c->op) == 0)
            fn = plain[k].fn;
    }
    for (size_t i = 0; i < kit_count(&c->out); i++)
        out[i] = fn ? fn(in[0][i]) : with_attributes(c, in[0][i]);
}

/* ---- several --------------------------------------------------------------------------------- */

static double less(double a, double b)
{
    return a < b;
}

static double greater(double a, double b)
{
    return a > b;
}

static double equal(double a, double b)
{
    return !(a < b) && !(a > b);
}

static double add(double a, double b)
{
    return a + b;
}

static double sub(double a, double b)
{
    return a - b;
}

static double mul(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

static double and (double a, double b)
{
    return a * b;
}

static double or (double a, double b)
{
    return fmax(a, b);
}

static const struct {
    const char *op;
    double (*fn)(double, double);
} binary[] = {
    {"Add", add},   {"Sub", sub},         {"Mul", mul}, {"Div", divide},
    {"Max", fmax},  {"Min", fmin},        {"Pow", pow}, {"Equal", equal},
    {"Less", less}, {"Greater", greater}, {"And", and}, {"Or", or },
};

void ref_binary(const struct kit_case *c, const double *const *in, double *out)
{
    double (*fn)(double, double) = add;

    for (size_t k = 0; k < sizeof binary / sizeof binary[0]; k++) {
        if (strcmp(binary[k].op, c->op) == 0)
            fn = binary[k].fn;
    }
    for (size_t i = 0; i < kit_count(&c->out); i++) {
        double value = in[0][ref_broadcast(&c->out, &c->in[0], i)];

        for (uint32_t k = 1; k < c->n_in; k++) /* Max, Min and Sum may have more than two */
            value = fn(value, in[k][ref_broadcast(&c->out, &c->in[k], i)]);
        out[i] = value;
    }
}

void ref_prelu(const struct kit_case *c, const double *const *in, double *out)
{
    for (size_t i = 0; i < kit_count(&c->out); i++)
        out[i] = in[0][i] < 0 ? in[0][i] * in[1][ref_broadcast(&c->out, &c->in[1], i)] : in[0][i];
}

/* Bounds may be absent. */
void ref_clip(const struct kit_case *c, const double *const *in, double *out)
{
    for (size_t i = 0; i < kit_count(&c->out); i++) {
        out[i] = in[0][i];
        if (c->n_in > 1 && in[1])
            out[i] = fmax(out[i], in[1][0]);
        if (c->n_in > 2 && in[2])
            out[i] = fmin(out[i], in[2][0]);
    }
}

void ref_where(const struct kit_case *c, const double *const *in, double *out)
{
    for (size_t i = 0; i < kit_count(&c->out); i++) {
        uint32_t from = in[0][ref_broadcast(&c->out, &c->in[0], i)] > 0.5 ? 1 : 2;

        out[i] = in[from][ref_broadcast(&c->out, &c->in[from], i)];
    }
}
