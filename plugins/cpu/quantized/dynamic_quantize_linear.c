/* SPDX-License-Identifier: MIT */
/*
 * dynamic_quantize_linear.c - DynamicQuantizeLinear (opset 11).
 * X is float32 of any shape; y_scale = (max(X, 0) - min(X, 0)) / 255, y_zero_point = round(-min /
 * y_scale) saturated, Y = saturate(round(X / y_scale) + y_zero_point), uint8. The range is widened
 * to contain 0.
 */

#include "kernels/quantize/quantize.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

#include <math.h>

/* Partial minima and maxima: one vector of AVX-512. */
enum { LANES = 16 };

/* One run, for the threads. */
struct job {
    int64_t count;
    uint32_t slices;
    const float *x;
    uint8_t *y;
    float *ranges; /* minimum and maximum of each slice */
    struct bp_cpu_quant quant;
};

/* The range of n elements and 0; NaNs are ignored. */
BP_LOOP static void find_range(const float *x, size_t n, float *out)
{
    float low[LANES] = {0}, high[LANES] = {0};
    size_t whole = n / LANES * LANES;

    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            low[k] = x[i + k] < low[k] ? x[i + k] : low[k];
            high[k] = x[i + k] > high[k] ? x[i + k] : high[k];
        }
    }
    for (size_t i = whole; i < n; i++) {
        low[0] = x[i] < low[0] ? x[i] : low[0];
        high[0] = x[i] > high[0] ? x[i] : high[0];
    }
    out[0] = out[1] = 0;
    for (size_t k = 0; k < LANES; k++) {
        out[0] = low[k] < out[0] ? low[k] : out[0];
        out[1] = high[k] > out[1] ? high[k] : out[1];
    }
}

/* The range of slice i. */
static void find_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t from = bp_cpu_slice_at(job->count, i, job->slices);
    int64_t to = bp_cpu_slice_at(job->count, i + 1, job->slices);

    (void)worker;
    find_range(job->x + from, (size_t)(to - from), job->ranges + 2 * (size_t)i);
}

/* Slice i with the scale and zero point of all. */
static void quantize_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t from = bp_cpu_slice_at(job->count, i, job->slices);
    int64_t to = bp_cpu_slice_at(job->count, i + 1, job->slices);

    (void)worker;
    bp_cpu_quantize(BP_DTYPE_U8, job->y + from, job->x + from, (size_t)(to - from), &job->quant);
}

/* Scratch for the range of each slice. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    call->scratch_bytes = 2 * sizeof(float) * bp_cpu_slices(call, bp_cpu_count(call->in[0]), 2);
    return BP_OK;
}

/* Two parallel loops: the ranges of slices, then the quantisation by the range of all. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    int64_t count = bp_cpu_count(call->in[0]);
    struct job job = {.count = count,
                      .slices = bp_cpu_slices(call, count, 2),
                      .x = bp_cpu_data(call->in[0]),
                      .ranges = call->scratch};
    float low = 0, high = 0, scale, point;
    int32_t zero;

    (void)err;
    bp_cpu_parallel(call, job.slices, find_slice, &job);
    for (uint32_t i = 0; i < job.slices; i++) {
        low = job.ranges[2 * i] < low ? job.ranges[2 * i] : low;
        high = job.ranges[2 * i + 1] > high ? job.ranges[2 * i + 1] : high;
    }
    scale = high > low ? (high - low) / 255 : 1; /* any scale will do for zeros */
    point = 0 - low / scale;                     /* NaN where the scale underflows */
    zero = point > 0 ? (int32_t)rintf(point < 255 ? point : 255) : 0;
    if (bp_cpu_out(call, 1))
        *(float *)bp_tensor_data(call->out[1]) = scale;
    if (bp_cpu_out(call, 2))
        *(uint8_t *)bp_tensor_data(call->out[2]) = (uint8_t)zero;
    if (!bp_cpu_out(call, 0))
        return BP_OK;
    job.y = bp_cpu_data(call->out[0]);
    job.quant = (struct bp_cpu_quant){&scale, &zero, false, 0, 255};
    bp_cpu_parallel(call, job.slices, quantize_slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_dynamic_quantize_linear = {
    .name = "DynamicQuantizeLinear",
    .since = 11,
    .types = UINT64_C(1) << BP_DTYPE_F32,
    .prepare = prepare,
    .run = run,
};
