/* SPDX-License-Identifier: MIT */
/*
 * dropout.c - Dropout (ai.onnx, opsets 1, 6, 7, 10, 12, 13, 22).
 *
 * training:  y = x * mask / (1 - ratio), where mask is 1 with probability 1 - ratio, else 0
 * inference: y = x, and the mask is all ones
 *
 * Versions 1 and 6 train unless is_test is set; 7 and 10 never train; from 12 on ratio and
 * training_mode are inputs. The optional mask is bool from 10 on, of x's type before. Element i is
 * kept when the i-th number drawn in [0, 1) is not below the ratio (mersenne_twister.h), as in
 * ONNX's reference. Types: floats; from 12 on float8 too, which
 * ONNX has from 22 on.
 *
 * The numbers are drawn in the order of the elements on one thread, so that a seed gives one
 * result.
 */

#include "kernels/cast/cast.h"
#include "kernels/fill.h"
#include "kernels/tensor_data.h"
#include "random/mersenne_twister.h"

enum { BLOCK = BP_CPU_RANDOM_BLOCK };

#define FLOAT8S                                                                                    \
    (UINT64_C(1) << BP_DTYPE_F8E4M3FN | UINT64_C(1) << BP_DTYPE_F8E4M3FNUZ |                       \
     UINT64_C(1) << BP_DTYPE_F8E5M2 | UINT64_C(1) << BP_DTYPE_F8E5M2FNUZ)

static const struct bp_cpu_params none;

/* A training run: its random numbers, conversions and tensors. */
struct job {
    struct bp_cpu_random random;
    struct bp_cpu_cast load, store; /* between x's type and float64 */
    bp_cpu_unary_loop store_mask;
    const char *x;
    char *y, *mask; /* NULL: not wanted */
    size_t width, mask_width;
    double ratio;
};

/* ---- inference ------------------------------------------------------------------------------- */

/* All elements are kept: true, or before version 10 a 1 of x's type. */
static void fill_mask(bp_tensor *mask, size_t n)
{
    static const uint8_t yes = 1;
    uint64_t one = 0;

    bp_cpu_cast_loop(BP_DTYPE_BOOL, mask->dtype)(&one, &yes, 1, &none);
    bp_cpu_fill(bp_tensor_data(mask), &one, bp_cpu_width(mask->dtype), n);
}

/* Inference: copies x, unless y lies on it, and sets the mask. */
static bp_rc keep_all(struct bp_cpu_call *call)
{
    const bp_tensor *x = call->in[0];
    size_t n = (size_t)bp_cpu_count(x), width = bp_cpu_width(x->dtype);
    const void *from = bp_tensor_data(x);
    void *to = call->out[0] ? bp_tensor_data(call->out[0]) : NULL;

    if (n == 0)
        return BP_OK;
    if (to && to != from)
        memcpy(to, from, n * width);
    if (bp_cpu_out(call, 1))
        fill_mask(call->out[1], n);
    return BP_OK;
}

static bp_rc run_inference(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    return keep_all(call);
}

/* ---- training -------------------------------------------------------------------------------- */

/* Draws for n <= BLOCK elements from `at` on and stores y and the mask. */
static void drop_block(struct job *job, int64_t at, size_t n)
{
    double x[BLOCK], scale = 1 / (1 - job->ratio);
    uint8_t stays[BLOCK];

    for (size_t i = 0; i < n; i++)
        stays[i] = bp_cpu_random_real(&job->random) >= job->ratio;
    if (job->y) {
        bp_cpu_cast_range(&job->load, x, job->x + (size_t)at * job->width, 0, n);
        for (size_t i = 0; i < n; i++)
            x[i] = x[i] * stays[i] * scale;
        bp_cpu_cast_range(&job->store, job->y + (size_t)at * job->width, x, 0, n);
    }
    if (job->mask)
        job->store_mask(job->mask + (size_t)at * job->mask_width, stays, n, &none);
}

/* Training with a ratio above 0. Arithmetic is in double for all types. */
static bp_rc drop(struct bp_cpu_call *call, double ratio, bp_err *err)
{
    const bp_tensor *x = call->in[0], *mask = bp_cpu_out(call, 1);
    int64_t count = bp_cpu_count(x);
    struct job job = {
        .x = bp_cpu_data(x),
        .y = call->out[0] ? bp_cpu_data(call->out[0]) : NULL,
        .width = bp_cpu_width(x->dtype),
        .ratio = ratio,
    };

    if (!bp_cpu_cast_make(&job.load, x->dtype, BP_DTYPE_F64) ||
        !bp_cpu_cast_make(&job.store, BP_DTYPE_F64, x->dtype))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "training with %s is not implemented",
                           bp_cpu_dtype_name(x->dtype));
    if (mask) {
        job.mask = bp_cpu_data(mask);
        job.mask_width = bp_cpu_width(mask->dtype);
        job.store_mask = bp_cpu_cast_loop(BP_DTYPE_BOOL, mask->dtype);
    }
    bp_cpu_random_begin(call->node, &job.random);
    for (int64_t at = 0; at < count; at += BLOCK)
        drop_block(&job, at, (size_t)(count - at < BLOCK ? count - at : BLOCK));
    return BP_OK;
}

/* A ratio of 0 drops nothing; 1 is refused, as the scale 1 / (1 - ratio) would be infinite. */
static bp_rc train(struct bp_cpu_call *call, double ratio, bp_err *err)
{
    if (!(ratio >= 0 && ratio < 1))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "ratio is %g, not in 0..1", ratio);
    return ratio > 0 ? drop(call, ratio, err) : keep_all(call);
}

/* Versions 1 and 6: attributes is_test and ratio. */
static bp_rc run_1(struct bp_cpu_call *call, bp_err *err)
{
    if (bp_cpu_int(call->node, "is_test", 0) != 0)
        return keep_all(call);
    return train(call, (double)bp_cpu_float(call->node, "ratio", 0.5f), err);
}

/* From version 12 on: inputs ratio (0.5) and training_mode (false). */
static bp_rc run_12(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *ratio = bp_cpu_in(call, 1), *mode = bp_cpu_in(call, 2);
    double value = 0.5;

    if (mode && bp_cpu_count(mode) != 1)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "training_mode is not a scalar");
    if (!mode || !*(const uint8_t *)bp_tensor_data(mode))
        return keep_all(call);
    if (ratio) {
        struct bp_cpu_cast load;

        if (bp_cpu_count(ratio) != 1 || !bp_cpu_cast_make(&load, ratio->dtype, BP_DTYPE_F64))
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "ratio is not a scalar");
        bp_cpu_cast_range(&load, &value, bp_tensor_data(ratio), 0, 1);
    }
    return train(call, value, err);
}

/* ---- rows ------------------------------------------------------------------------------------ */

const struct bp_cpu_op bp_cpu_op_dropout_1 = {
    .name = "Dropout",
    .since = 1,
    .until = 6,
    .flags = BP_CPU_IN_PLACE,
    .types = BP_CPU_FLOATS,
    .pack = bp_cpu_random_pack,
    .run = run_1,
};

const struct bp_cpu_op bp_cpu_op_dropout_7 = {
    .name = "Dropout",
    .since = 7,
    .until = 11,
    .flags = BP_CPU_VIEW,
    .types = BP_CPU_FLOATS,
    .run = run_inference,
};

/* No view: run has to see training_mode. */
const struct bp_cpu_op bp_cpu_op_dropout_12 = {
    .name = "Dropout",
    .since = 12,
    .flags = BP_CPU_IN_PLACE,
    .types = BP_CPU_FLOATS | FLOAT8S,
    .pack = bp_cpu_random_pack,
    .run = run_12,
};
