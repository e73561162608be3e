/* SPDX-License-Identifier: MIT */
/*
 * quantize_linear.c - QuantizeLinear (opsets 10, 13, 19, 21, 23, 24, 25, 28; com.microsoft 1).
 * y = saturate(round(x / y_scale) + y_zero_point), rounding half to even, in integers of 2 to 16
 * bits; float8 and float4 are rounded to their own precision.
 * Scales are per tensor, per axis from opset 13 on, or blocked from opset 21 on.
 * Opset 19 added float8 and float16, opset 21 int4 and int16, opset 23 float4 and attribute
 * precision, opset 25 int2.
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
    struct bp_cpu_cast load;  /* x to float32 or float64 */
    struct bp_cpu_cast store; /* carriers to y */
    uint32_t dtype;           /* of y */
    uint32_t precision;       /* of the division: F32, F64, F16, BF16 */
    uint32_t whole;           /* integer type that y is computed in; BP_DTYPE_NONE: y is a float */
    bool is_direct;           /* float32 to 8 or 16-bit integers: no intermediate conversion */
    int32_t low, high;
    uint32_t slices;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *x;
    char *y;
    struct bp_cpu_quant_lists lists;
};

/* Intermediate values of a block. */
struct block {
    double f64[BLOCK];
    float quotient[BLOCK], ones[BLOCK];
    uint16_t whole[BLOCK];
};

static bool is_real(uint32_t dtype)
{
    return dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F16 || dtype == BP_DTYPE_BF16 ||
           dtype == BP_DTYPE_F64;
}

/*
 * The type of the division: that of the scale, unless attribute precision names another; integers
 * are divided in float64.
 */
static uint32_t precision_of(const struct bp_cpu_call *call)
{
    uint32_t scale = call->in[1]->dtype;
    int64_t given = bp_cpu_int(call->node, "precision", BP_DTYPE_NONE);

    if (given > 0 && given < BP_DTYPE_END && is_real((uint32_t)given))
        return (uint32_t)given;
    if (scale == BP_DTYPE_I32)
        return BP_DTYPE_F64;
    return is_real(scale) ? scale : BP_DTYPE_F32;
}

/* Chooses how x is read and y stored; the common case needs no conversion. */
static bp_rc plan(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    bool is_whole = bp_cpu_quant_range(y->dtype, &s->low, &s->high);
    uint32_t carrier = bp_cpu_carrier(y->dtype);

    s->dtype = y->dtype;
    s->precision = precision_of(call);
    s->whole = is_whole ? carrier : BP_DTYPE_NONE;
    s->is_direct = x->dtype == BP_DTYPE_F32 && s->precision == BP_DTYPE_F32 && s->whole == y->dtype;
    if (!bp_cpu_cast_make(&s->load, x->dtype,
                          s->precision == BP_DTYPE_F64 ? BP_DTYPE_F64 : BP_DTYPE_F32) ||
        !bp_cpu_cast_make(&s->store, carrier, y->dtype))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "its types do not go together");
    s->store.rounding.saturate = bp_cpu_int(call->node, "saturate", 1) != 0;
    return BP_OK;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    rc = bp_cpu_granularity_make(call, call->in[0], call->in[1], bp_cpu_in(call, 2),
                                 &s->granularity, err);
    if (rc >= 0)
        rc = plan(call, s, err);
    if (rc < 0)
        return rc;
    s->slices = bp_cpu_slices(call, s->granularity.count, 4);
    return bp_cpu_quant_lists_plan(call, s->granularity.scales, err);
}

/* ---- a run of elements ----------------------------------------------------------------------- */

/* v rounded to float16 or bfloat16, as float32. */
static float rounded(float v, uint32_t precision)
{
    if (precision == BP_DTYPE_F16)
        return bp_f16_load(bp_f16_store(v));
    if (precision == BP_DTYPE_BF16)
        return bp_bf16_load(bp_bf16_store(v));
    return v;
}

/*
 * x / scale in the precision asked for. A float32 quotient that is rounded once more to half the
 * digits equals a single rounding.
 */
static void divide(const struct state *s, const void *x, size_t n, const float *scale, bool each,
                   float *quotient)
{
    const double *f64 = x;
    const float *f32 = x;

    for (size_t i = 0; i < n; i++) {
        float by = scale[each ? i : 0];

        if (s->precision == BP_DTYPE_F64)
            quotient[i] = bp_float_to_odd(f64[i] / (double)by);
        else
            quotient[i] =
                rounded(rounded(f32[i], s->precision) / rounded(by, s->precision), s->precision);
    }
}

/* Quantises n elements of a block, from index `at` on, whose division is done. */
static void finish(const struct job *job, const struct bp_cpu_scale_run *run, struct block *block,
                   size_t at, size_t n)
{
    const struct state *s = job->state;
    float *quotient = block->quotient + at;
    char *whole = (char *)block->whole + at * bp_cpu_width(s->whole);
    struct bp_cpu_quant quant = {block->ones, job->lists.zeros + run->scale, run->each, s->low,
                                 s->high};

    if (s->whole != BP_DTYPE_NONE) /* the zero point of a float type only names the type */
        bp_cpu_quantize(s->whole, whole, quotient, n, &quant);
}

/* Elements from..to, at most a block; `run` starts at `from` and is advanced to `to`. */
static void quantize_block(const struct job *job, int64_t from, int64_t to,
                           struct bp_cpu_scale_run *run)
{
    const struct state *s = job->state;
    size_t width = s->precision == BP_DTYPE_F64 ? sizeof(double) : sizeof(float);
    struct block block;
    const char *x = (const char *)block.f64;

    for (size_t i = 0; i < BLOCK; i++)
        block.ones[i] = 1;
    bp_cpu_cast_range(&s->load, block.f64, job->x + bp_cpu_bytes_of(s->load.from, (size_t)from), 0,
                      (size_t)(to - from));
    while (run->at < to) {
        int64_t n = run->count < to - run->at ? run->count : to - run->at;
        size_t at = (size_t)(run->at - from);

        divide(s, x + at * width, (size_t)n, job->lists.scales + run->scale, run->each,
               block.quotient + at);
        finish(job, run, &block, at, (size_t)n);
        bp_cpu_granularity_pass(&s->granularity, run, n);
    }
    bp_cpu_cast_range(&s->store, job->y + bp_cpu_bytes_of(s->dtype, (size_t)from),
                      s->whole == BP_DTYPE_NONE ? (void *)block.quotient : (void *)block.whole, 0,
                      (size_t)(to - from));
}

/* The common case, without intermediate buffers. */
static void quantize_direct(const struct job *job, int64_t to, struct bp_cpu_scale_run *run)
{
    const struct state *s = job->state;
    const float *x = (const float *)(const void *)job->x;

    for (; run->at < to; bp_cpu_granularity_next(&s->granularity, run)) {
        int64_t n = run->count < to - run->at ? run->count : to - run->at;
        struct bp_cpu_quant quant = {job->lists.scales + run->scale, job->lists.zeros + run->scale,
                                     run->each, s->low, s->high};

        bp_cpu_quantize(s->whole, job->y + (size_t)run->at * bp_cpu_width(s->dtype), x + run->at,
                        (size_t)n, &quant);
    }
}

/* A slice of the elements: directly, or block by block. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t from = bp_cpu_slice_at(s->granularity.count, i, s->slices);
    int64_t to = bp_cpu_slice_at(s->granularity.count, i + 1, s->slices);
    struct bp_cpu_scale_run run;

    (void)worker;
    bp_cpu_granularity_seek(&s->granularity, from, &run);
    if (s->is_direct) {
        quantize_direct(job, to, &run);
        return;
    }
    for (; from < to; from += BLOCK)
        quantize_block(job, from, to - from < BLOCK ? to : from + BLOCK, &run);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {.state = s};

    (void)err;
    if (s->granularity.count == 0)
        return BP_OK;
    job.x = bp_cpu_data(call->in[0]);
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_quant_lists_read(call, s->granularity.scales, s->whole == BP_DTYPE_NONE, &job.lists);
    bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_quantize_linear = {
    .name = "QuantizeLinear",
    .since = 10,
    .types = UINT64_C(1) << BP_DTYPE_F32 | UINT64_C(1) << BP_DTYPE_F16 |
             UINT64_C(1) << BP_DTYPE_BF16 | UINT64_C(1) << BP_DTYPE_I32,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_ms_quantize_linear = {
    .name = "QuantizeLinear",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &bp_cpu_op_quantize_linear,
    .claim = bp_cpu_same_claim,
    .prepare = bp_cpu_same_prepare_21,
    .run = bp_cpu_same_run,
};
