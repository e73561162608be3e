/* SPDX-License-Identifier: MIT */
/* values.c - loading and storing tensors, rounding, and memory while an operation runs. */
#include <math.h>
#include <stdlib.h>

#include "common/float16.h"
#include "ops/op.h"

struct nn_scratch {
    struct nn_scratch *next;
    double values[]; /* aligned for them */
};

void *nn_scratch(struct nn_call *call, size_t count, size_t size)
{
    struct nn_scratch *block;

    if (count > (SIZE_MAX - sizeof *block) / size)
        return NULL;
    block = malloc(sizeof *block + count * size + 1);
    if (!block)
        return NULL;
    block->next = call->scratch;
    call->scratch = block;
    return block->values;
}

void nn_scratch_free(struct nn_call *call)
{
    for (struct nn_scratch *block = call->scratch, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    call->scratch = NULL;
}

int nn_no_memory(const struct nn_call *call)
{
    return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "%s: no memory", nn_op_name(call->op));
}

/* ---- types ---------------------------------------------------------------------------------- */

size_t nn_element_size(int32_t type)
{
    static const uint8_t sizes[16] = {[ANEURALNETWORKS_FLOAT32] = 4,
                                      [ANEURALNETWORKS_INT32] = 4,
                                      [ANEURALNETWORKS_UINT32] = 4,
                                      [F32] = 4,
                                      [I32] = 4,
                                      [Q8] = 1,
                                      [ANEURALNETWORKS_BOOL] = 1,
                                      [Q16Y] = 2,
                                      [F16] = 2,
                                      [B8] = 1,
                                      [ANEURALNETWORKS_FLOAT16] = 2,
                                      [Q8C] = 1,
                                      [Q16] = 2,
                                      [Q8Y] = 1,
                                      [Q8S] = 1};

    return type >= 0 && type < 16 ? sizes[type] : 0;
}

bool nn_elements(const struct nn_tensor *tensor, size_t *out)
{
    uint64_t n = 1;

    if (!tensor->ranked)
        return false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->dims[i] == 0)
            return false;
        n *= tensor->dims[i];
        if (n * 4 > UINT32_MAX)
            return false;
    }
    *out = (size_t)n;
    return true;
}

size_t nn_count_of(const struct nn_tensor *tensor)
{
    size_t n = 1;

    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= tensor->dims[i];
    return n;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* The integer, or the float, at a place that need not be aligned. */
static double element(const struct nn_tensor *tensor, size_t i)
{
    const char *at = (const char *)tensor->data + i * nn_element_size(tensor->type);
    float f;
    int32_t n;
    int16_t s;
    uint16_t h;

    switch (tensor->type) {
    case F32:
    case ANEURALNETWORKS_FLOAT32:
        memcpy(&f, at, sizeof f);
        return (double)f;
    case I32:
    case ANEURALNETWORKS_INT32:
        memcpy(&n, at, sizeof n);
        return n;
    case F16:
    case ANEURALNETWORKS_FLOAT16:
        memcpy(&h, at, sizeof h);
        return (double)bp_f16_load(h);
    case Q16Y:
        memcpy(&s, at, sizeof s);
        return s;
    case Q16:
        memcpy(&h, at, sizeof h);
        return h;
    case Q8Y:
    case Q8C:
    case Q8S:
        return *(const int8_t *)at;
    default:
        return *(const uint8_t *)at;
    }
}

static double rounded_to_half(double x)
{
    return (double)bp_f16_load(bp_f16_store(bp_float_to_odd(x)));
}

double *nn_load_raw(struct nn_call *call, const struct nn_tensor *tensor)
{
    size_t n = nn_count_of(tensor);
    double *out = nn_scratch(call, n, sizeof *out);
    bool halves = call->relaxed && tensor->type == F32;
    bool shifts = tensor->type == Q8 || tensor->type == Q8S || tensor->type == Q16;

    if (!out)
        return NULL;
    for (size_t i = 0; i < n; i++)
        out[i] = element(tensor, i);
    if (shifts)
        for (size_t i = 0; i < n; i++)
            out[i] -= tensor->zero;
    if (halves)
        for (size_t i = 0; i < n; i++)
            out[i] = rounded_to_half(out[i]);
    return out;
}

static bool is_scaled(int32_t type)
{
    return nn_is_quant8(type) || type == Q8Y || type == Q16Y || type == Q16;
}

double *nn_load(struct nn_call *call, const struct nn_tensor *tensor)
{
    double *out = nn_load_raw(call, tensor);
    size_t n = nn_count_of(tensor), before, at, after;

    if (!out)
        return NULL;
    if (is_scaled(tensor->type))
        for (size_t i = 0; i < n; i++)
            out[i] *= (double)tensor->scale;
    if (tensor->type == Q8C) {
        nn_split_at(tensor, tensor->channel, &before, &at, &after);
        for (size_t i = 0; i < n; i++)
            out[i] *= (double)tensor->scales[i / after % at];
    }
    return out;
}

int32_t *nn_load_ints(struct nn_call *call, const struct nn_tensor *tensor)
{
    size_t n = nn_count_of(tensor);
    int32_t *out = nn_scratch(call, n, sizeof *out);

    if (out && n)
        memcpy(out, tensor->data, n * sizeof *out);
    return out;
}

double nn_real(const struct nn_call *call, uint32_t i)
{
    return call->in[i]->data ? element(call->in[i], 0) : 0;
}

bool nn_axis(const struct nn_call *call, int32_t value, uint32_t rank, uint32_t *out)
{
    int64_t axis = value < 0 ? (int64_t)value + rank : value;

    (void)call;
    *out = (uint32_t)axis;
    return axis >= 0 && axis < (int64_t)rank;
}

/* ---- storing -------------------------------------------------------------------------------- */

static double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* round() is half away from zero; NaN is stored as 0. */
static double quantised(const struct nn_tensor *tensor, double x, double low, double high)
{
    double q = round(x / (double)tensor->scale) + tensor->zero;

    return q != q ? 0 : within(q, low, high);
}

/* An integer as 32 bits keep it; beyond them it wraps round, as the addition of ints does. */
static int32_t wrapped(double x)
{
    if (x != x)
        return 0;
    x = within(trunc(x), -9.2e18, 9.2e18);
    return (int32_t)(uint32_t)(int64_t)x;
}

void nn_store_at(const struct nn_call *call, const struct nn_tensor *tensor, size_t i, double value)
{
    char *at = (char *)tensor->data + i * nn_element_size(tensor->type);
    float f;
    int32_t n;
    int16_t s;
    uint16_t h;

    switch (tensor->type) {
    case F32:
        f = (float)(call->relaxed ? rounded_to_half(value) : value);
        memcpy(at, &f, sizeof f);
        break;
    case I32:
        n = wrapped(value);
        memcpy(at, &n, sizeof n);
        break;
    case F16:
        h = bp_f16_store(bp_float_to_odd(value));
        memcpy(at, &h, sizeof h);
        break;
    case Q16Y:
        s = (int16_t)quantised(tensor, value, INT16_MIN, INT16_MAX);
        memcpy(at, &s, sizeof s);
        break;
    case Q16:
        h = (uint16_t)quantised(tensor, value, 0, UINT16_MAX);
        memcpy(at, &h, sizeof h);
        break;
    case Q8Y:
    case Q8S:
        *(int8_t *)at = (int8_t)quantised(tensor, value, INT8_MIN, INT8_MAX);
        break;
    case Q8:
        *(uint8_t *)at = (uint8_t)quantised(tensor, value, 0, UINT8_MAX);
        break;
    default: /* BOOL8 */
        *(uint8_t *)at = value != 0;
    }
}

void nn_store(const struct nn_call *call, const struct nn_tensor *tensor, const double *values)
{
    size_t n = nn_count_of(tensor);

    for (size_t i = 0; i < n; i++)
        nn_store_at(call, tensor, i, values[i]);
}

double nn_fuse(int32_t code, double x)
{
    switch (code) {
    case ANEURALNETWORKS_FUSED_RELU:
        return x < 0 ? 0 : x;
    case ANEURALNETWORKS_FUSED_RELU1:
        return within(x, -1, 1);
    case ANEURALNETWORKS_FUSED_RELU6:
        return within(x, 0, 6);
    default:
        return x;
    }
}
