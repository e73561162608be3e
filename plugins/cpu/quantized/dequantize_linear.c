/* SPDX-License-Identifier: MIT */
/*
 * dequantize_linear.c - DequantizeLinear (opsets 10, 13, 19, 21, 23, 24, 25, 28; com.microsoft 1).
 * y = (x - x_zero_point) * x_scale, computed in float32.
 * The scale is a scalar, [dims[axis]] from opset 13 on, or from opset 21 on one for each block of
 * block_size elements along the axis.
 * Opset 19 added float8 and float16, opset 21 int4, int16 and blocks, opset 23 float4, opset 25
 * int2.
 */

#include "kernels/cast/cast.h"
#include "kernels/quantize/quantize.h"
#include "kernels/same_operator.h"
#include "kernels/tensor_data.h"
#include "quantized/granularity.h"

/* Elements that are converted at a time; the buffers stay in the L1 cache. */
enum { BLOCK = 256 };

/* The plan of a call. */
struct state {
    struct bp_cpu_granularity granularity;
    struct bp_cpu_cast store; /* float32 to y */
    uint32_t dtype;           /* of x */
    /* the type in which x is read: itself, int8 for int4, float32 for float8... */
    uint32_t carrier;
    uint32_t slices;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *x;
    char *y;
    struct bp_cpu_quant_lists lists;
};

/* Chooses how x is read and y stored, and reserves scratch for the scales as float32. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    rc = bp_cpu_granularity_make(call, x, call->in[1], bp_cpu_in(call, 2), &s->granularity, err);
    if (rc < 0)
        return rc;
    s->dtype = x->dtype;
    s->carrier = bp_cpu_carrier(x->dtype);
    s->slices = bp_cpu_slices(call, s->granularity.count, 3);
    if (!bp_cpu_cast_make(&s->store, BP_DTYPE_F32, call->out[0]->dtype))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "its types do not go together");
    return bp_cpu_quant_lists_plan(call, s->granularity.scales, err);
}

/* Dequantises n elements of a run, which lie in their carrier type at x. */
static void scale_run(const struct job *job, const struct bp_cpu_scale_run *run, const void *x,
                      float *y, size_t n)
{
    const struct bp_cpu_quant quant = {.scale = job->lists.scales + run->scale,
                                       .zero = job->lists.zeros + run->scale,
                                       .each = run->each};
    const float *floats = x;
    size_t step = run->each;

    if (job->state->carrier != BP_DTYPE_F32) {
        bp_cpu_dequantize(job->state->carrier, y, x, n, &quant);
        return;
    }
    for (size_t i = 0; i < n; i++)
        y[i] = floats[i] * quant.scale[i * step];
}

/*
 * Elements from..to; `run` starts at `from` and is advanced to `to`. x and y point at the first of
 * them.
 */
static void scale_block(const struct job *job, int64_t from, int64_t to, const char *x, float *y,
                        struct bp_cpu_scale_run *run)
{
    size_t width = bp_cpu_width(job->state->carrier);

    while (run->at < to) {
        int64_t n = run->count < to - run->at ? run->count : to - run->at;
        size_t at = (size_t)(run->at - from);

        scale_run(job, run, x + at * width, y + at, (size_t)n);
        bp_cpu_granularity_pass(&job->state->granularity, run, n);
    }
}

/* A slice of the elements. Types that need a conversion are handled in blocks, others at once. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t from = bp_cpu_slice_at(s->granularity.count, i, s->slices);
    int64_t to = bp_cpu_slice_at(s->granularity.count, i + 1, s->slices);
    bool needs_load = s->carrier != s->dtype, is_float = s->store.to == BP_DTYPE_F32;
    int64_t step = needs_load || !is_float ? BLOCK : to - from;
    struct bp_cpu_scale_run run;
    float loaded[BLOCK], made[BLOCK];

    (void)worker;
    bp_cpu_granularity_seek(&s->granularity, from, &run);
    for (; from < to; from += step) {
        int64_t end = to - from < step ? to : from + step;
        const char *x = job->x + bp_cpu_bytes_of(s->dtype, (size_t)from);
        char *y = job->y + bp_cpu_bytes_of(s->store.to, (size_t)from);

        if (needs_load) {
            bp_cpu_low_precision_load(s->dtype, loaded, x, 0, (size_t)(end - from));
            x = (const char *)loaded;
        }
        scale_block(job, from, end, x, is_float ? (float *)(void *)y : made, &run);
        if (!is_float)
            bp_cpu_cast_range(&s->store, y, made, 0, (size_t)(end - from));
    }
}

/* ONNX: float types of 8 bits and fewer have no zero point but 0. */
static bp_rc check_zeros(const struct bp_cpu_call *call, const float *zeros, bp_err *err)
{
    const struct state *s = call->state;

    for (int64_t i = 0; s->carrier == BP_DTYPE_F32 && i < s->granularity.scales; i++) {
        if (zeros[i] != 0)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "x_zero_point has %g, but of %s only 0 is allowed", (double)zeros[i],
                               bp_cpu_dtype_name(s->dtype));
    }
    return BP_OK;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {.state = s};
    bp_rc rc;

    if (s->granularity.count == 0)
        return BP_OK;
    job.x = bp_cpu_data(call->in[0]);
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_quant_lists_read(call, s->granularity.scales, s->carrier == BP_DTYPE_F32, &job.lists);
    rc = check_zeros(call, job.lists.float_zeros, err);
    if (rc < 0)
        return rc;
    bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

/* Integers that quantised tensors have, int32, and float types of 8 bits and fewer. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    int32_t low, high;

    (void)op;
    if (!x || !(bp_cpu_quant_range(x->dtype, &low, &high) || x->dtype == BP_DTYPE_I32 ||
                (bp_cpu_carrier(x->dtype) == BP_DTYPE_F32 && x->dtype != BP_DTYPE_F32)))
        bp_cpu_refuse_dtype(query, 0);
    else
        bp_accept(query->claims, query->index);
}

const struct bp_cpu_op bp_cpu_op_dequantize_linear = {
    .name = "DequantizeLinear",
    .since = 10,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_ms_dequantize_linear = {
    .name = "DequantizeLinear",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &bp_cpu_op_dequantize_linear,
    .claim = bp_cpu_same_claim,
    .prepare = bp_cpu_same_prepare_21,
    .run = bp_cpu_same_run,
};
