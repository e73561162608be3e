/* SPDX-License-Identifier: MIT */
/* norm.c - SOFTMAX, LOG_SOFTMAX, LRN, L2_NORMALIZATION, INSTANCE_NORMALIZATION. */
#include <math.h>

#include "ops/unary.h"

/* ---- along an axis -------------------------------------------------------------------------- */

/* `n` values `step` apart; radius and so on are the operands of LRN. */
struct line {
    double *x;
    size_t n, step;
};

static void softmax(struct line line, double beta, bool logarithm)
{
    double most = -HUGE_VAL, sum = 0;

    for (size_t i = 0; i < line.n; i++)
        most = line.x[i * line.step] > most ? line.x[i * line.step] : most;
    for (size_t i = 0; i < line.n; i++)
        sum += exp((line.x[i * line.step] - most) * beta);
    for (size_t i = 0; i < line.n; i++) {
        double *x = &line.x[i * line.step];

        *x = logarithm ? (*x - most) * beta - log(sum) : exp((*x - most) * beta) / sum;
    }
}

static void l2(struct line line)
{
    double sum = 0;

    for (size_t i = 0; i < line.n; i++)
        sum += line.x[i * line.step] * line.x[i * line.step];
    sum = sqrt(sum);
    for (size_t i = 0; i < line.n; i++)
        line.x[i * line.step] /= sum > 1e-6 ? sum : 1e-6;
}

static void lrn(struct line line, const struct nn_call *call, double *copy)
{
    int64_t radius = nn_int(call, 1), n = (int64_t)line.n;
    double bias = nn_real(call, 2), alpha = nn_real(call, 3), beta = nn_real(call, 4);

    for (size_t i = 0; i < line.n; i++)
        copy[i] = line.x[i * line.step];
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;

        for (int64_t j = i < radius ? 0 : i - radius; j < n && j <= i + radius; j++)
            sum += copy[j] * copy[j];
        line.x[(size_t)i * line.step] = copy[i] * pow(bias + alpha * sum, -beta);
    }
}

/* Where the axis is an operand. */
static uint32_t axis_at(const struct nn_call *call)
{
    switch (call->op->code) {
    case ANEURALNETWORKS_L2_NORMALIZATION:
        return 1;
    case ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION:
        return 5;
    default:
        return 2;
    }
}

static bool find_axis(const struct nn_call *call, uint32_t *axis)
{
    uint32_t at = axis_at(call);

    return nn_axis(call, nn_has(call, at) ? nn_int(call, at) : -1, call->in[0]->rank, axis);
}

static int shape(struct nn_call *call)
{
    uint32_t axis;

    if (!find_axis(call, &axis))
        return nn_op_failed(call, "there is no axis %d", nn_int(call, axis_at(call)));
    if (call->op->code == ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION && nn_int(call, 1) < 0)
        return nn_op_failed(call, "a radius of %d", nn_int(call, 1));
    if (call->op->code == ANEURALNETWORKS_SOFTMAX && nn_real(call, 1) <= 0)
        return nn_op_failed(call, "beta %g is not more than 0", nn_real(call, 1));
    return nn_shape_same(call);
}

static int run(struct nn_call *call)
{
    double *x = nn_load(call, call->in[0]), *copy;
    size_t before, n, after;
    uint32_t axis;

    if (!find_axis(call, &axis))
        return nn_op_failed(call, "there is no such axis");
    nn_split_at(call->in[0], axis, &before, &n, &after);
    copy = nn_scratch(call, n, sizeof *copy);
    if (!x || !copy)
        return nn_no_memory(call);
    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < after; j++) {
            struct line line = {x + i * n * after + j, n, after};

            switch (call->op->code) {
            case ANEURALNETWORKS_L2_NORMALIZATION:
                l2(line);
                break;
            case ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION:
                lrn(line, call, copy);
                break;
            default:
                softmax(line, nn_real(call, 1), call->op->code == ANEURALNETWORKS_LOG_SOFTMAX);
            }
        }
    nn_store(call, call->out[0], x);
    return 0;
}

/* Up to level 2 it is for rank 2 or 4. */
static bool check_softmax(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];

    if (in->ranked && in->rank != 2 && in->rank != 4)
        nn_needs(call, 3);
    return nn_check_quant_out(call, 1.0 / 256, 0);
}

static bool check_rank_4(struct nn_call *call)
{
    if (call->in[0]->ranked && call->in[0]->rank != 4)
        nn_needs(call, 3);
    return nn_check_quant_out(call, 1.0 / 128, 128);
}

#define NORM(NAME, ...)                                                                            \
    const struct nn_op nn_op_##NAME = {.code = ANEURALNETWORKS_##NAME,                             \
                                       .out = "t",                                                 \
                                       .min_rank = 1,                                              \
                                       .max_rank = 4,                                              \
                                       .shape = shape,                                             \
                                       .run = run,                                                 \
                                       __VA_ARGS__}

NORM(SOFTMAX, .level = 1, .in = {"tf|3i"}, .check = check_softmax,
     .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4});
NORM(LOG_SOFTMAX, .level = 3, .in = {"tfi"}, .types = {[F32] = 3, [F16] = 3});
NORM(LOCAL_RESPONSE_NORMALIZATION, .level = 1, .in = {"tifff|3i"}, .check = check_rank_4,
     .types = {[F32] = 1, [F16] = 3});
NORM(L2_NORMALIZATION, .level = 1, .in = {"t|3i"}, .check = check_rank_4,
     .types = {[F32] = 1, [F16] = 3, [Q8] = 3, [Q8S] = 4});

/* ---- INSTANCE_NORMALIZATION ----------------------------------------------------------------- */

/* Over height and width of each channel: in, gamma, beta, epsilon, layout. */
static int run_instance(struct nn_call *call)
{
    struct nn_image image = nn_image_of(call->in[0], nn_bool(call, 4));
    double *x = nn_load(call, call->in[0]), gamma = nn_real(call, 1), beta = nn_real(call, 2);
    size_t plane = (size_t)image.h * image.w;

    if (!x)
        return nn_no_memory(call);
    for (size_t i = 0; i < (size_t)image.n * image.c; i++) {
        double *at = x + i / image.c * image.step_n + i % image.c * image.step_c;
        double mean = 0, variance = 0, scale;

        for (size_t j = 0; j < plane; j++)
            mean += at[j * image.step_w] / (double)plane;
        for (size_t j = 0; j < plane; j++)
            variance +=
                (at[j * image.step_w] - mean) * (at[j * image.step_w] - mean) / (double)plane;
        scale = gamma / sqrt(variance + nn_real(call, 3));
        for (size_t j = 0; j < plane; j++)
            at[j * image.step_w] = (at[j * image.step_w] - mean) * scale + beta;
    }
    nn_store(call, call->out[0], x);
    return 0;
}

const struct nn_op nn_op_INSTANCE_NORMALIZATION = {
    .code = ANEURALNETWORKS_INSTANCE_NORMALIZATION,
    .level = 3,
    .in = {"tfffb"},
    .out = "t",
    .types = {[F32] = 3, [F16] = 3},
    .min_rank = 4,
    .max_rank = 4,
    .shape = nn_shape_same,
    .run = run_instance,
};
