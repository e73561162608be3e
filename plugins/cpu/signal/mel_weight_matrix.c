/* SPDX-License-Identifier: MIT */
/*
 * mel_weight_matrix.c - MelWeightMatrix (opset 17).
 * Inputs are scalars: num_mel_bins, dft_length, sample_rate (int32 or int64), lower and upper edge
 * in read_hertz (float). Y is [dft_length / 2 + 1, num_mel_bins]: column b is a triangle over the
 * frequencies that rises from edge b to edge b + 1 and falls to edge b + 2; edges are evenly spaced
 * in mel, 2595 log10(1 + read_hertz / 700).
 */

#include "kernels/cast/cast.h"
#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "signal/signal.h"

#include <math.h>

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    for (uint32_t i = 3; i < 5; i++) {
        const bp_value *edge = bp_node_in(query->graph, query->node, i);

        if (!edge || edge->dtype >= BP_DTYPE_END || !(BP_CPU_FLOATS >> edge->dtype & 1)) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    if (y && (y->dtype >= BP_DTYPE_END ||
              (y->dtype != BP_DTYPE_F64 && !bp_cpu_cast_loop(BP_DTYPE_F64, y->dtype))))
        bp_cpu_refuse(query, BP_R_DTYPE, "output_datatype", "%s is not implemented",
                      bp_cpu_dtype_name(y->dtype));
    else
        bp_cpu_claim_types(op, query);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_runtime_shape_state(call, sizeof(struct bp_cpu_runtime_shape), 0, 1, err);
}

/* The inputs. */
struct mel {
    int64_t bins, length, rate;
    double low, step; /* in mel */
};

/* An input of one element in hertz, converted to mel. */
static bp_rc read_hertz(const struct bp_cpu_call *call, uint32_t i, double *mel, bp_err *err)
{
    const bp_tensor *tensor = call->in[i];
    bp_cpu_unary_loop cast = bp_cpu_cast_loop(tensor->dtype, BP_DTYPE_F64);
    const struct bp_cpu_params none = {0};
    double value = 0;

    if (bp_cpu_count(tensor) != 1)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "input %u has not one element", i);
    if (cast)
        cast(&value, bp_tensor_data(tensor), 1, &none);
    else
        memcpy(&value, bp_tensor_data(tensor), sizeof value);
    if (!(value > -700 && value < 0x1p60))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "input %u is %g hertz", i, value);
    *mel = 2595 * log10(1 + value / 700);
    return BP_OK;
}

static bp_rc read(const struct bp_cpu_call *call, struct mel *mel, bp_err *err)
{
    double high = 0;
    bp_rc rc = bp_cpu_signal_scalar(call, 0, &mel->bins, err);

    if (rc >= 0)
        rc = bp_cpu_signal_scalar(call, 1, &mel->length, err);
    if (rc >= 0)
        rc = bp_cpu_signal_scalar(call, 2, &mel->rate, err);
    if (rc >= 0)
        rc = read_hertz(call, 3, &mel->low, err);
    if (rc >= 0)
        rc = read_hertz(call, 4, &high, err);
    if (rc < 0)
        return rc;
    if (mel->bins < 0 || mel->bins > INT32_MAX || mel->length < 0 || mel->length > INT32_MAX ||
        mel->rate < 1)
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "%lld bins of a transform of %lld at a rate of %lld",
                           (long long)mel->bins, (long long)mel->length, (long long)mel->rate);
    mel->step = (high - mel->low) / (double)(mel->bins + 2);
    return BP_OK;
}

/* The row of edge i, clamped to -1..rows, so that nothing outside of Y is written. */
static int64_t edge(const struct mel *mel, int64_t i)
{
    double rows = (double)(mel->length / 2 + 1);
    double at = 700 * (pow(10, (mel->low + (double)i * mel->step) / 2595) - 1);

    at = floor((double)(mel->length + 1) * at / (double)mel->rate);
    return at < -1 ? -1 : at < rows ? (int64_t)at : (int64_t)rows;
}

/* The weight of a row in the triangle of three edges. */
static double weight(int64_t row, const int64_t *edges)
{
    if (row >= edges[1] && row < edges[2])
        return (double)(edges[2] - row) / (double)(edges[2] - edges[1]);
    if (row == edges[1])
        return 1;
    if (row >= edges[0] && row < edges[1])
        return (double)(row - edges[0]) / (double)(edges[1] - edges[0]);
    return 0;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_params none = {0};
    bp_cpu_unary_loop cast;
    struct mel mel;
    int64_t dims[2];
    size_t width;
    bp_rc rc = read(call, &mel, err);

    if (rc < 0)
        return rc;
    dims[0] = mel.length / 2 + 1;
    dims[1] = mel.bins;
    rc = bp_cpu_runtime_shape_output(call, 2, dims, err);
    if (rc < 0 || mel.bins == 0)
        return rc;
    width = bp_cpu_width(call->out[0]->dtype);
    cast = bp_cpu_cast_loop(BP_DTYPE_F64, call->out[0]->dtype);
    memset(bp_cpu_data(call->out[0]), 0, (size_t)(dims[0] * dims[1]) * width);
    for (int64_t b = 0; b < mel.bins; b++) {
        int64_t edges[3] = {edge(&mel, b), edge(&mel, b + 1), edge(&mel, b + 2)};
        int64_t last = edges[1] > edges[2] ? edges[1] : edges[2];

        for (int64_t row = edges[0] > 0 ? edges[0] : 0; row <= last && row < dims[0]; row++) {
            char *to = (char *)bp_cpu_data(call->out[0]) + (size_t)(row * mel.bins + b) * width;
            double value = weight(row, edges);

            if (cast)
                cast(to, &value, 1, &none);
            else
                memcpy(to, &value, sizeof value);
        }
    }
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_mel_weight_matrix = {
    .name = "MelWeightMatrix",
    .since = 17,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = UINT64_C(1) << BP_DTYPE_I32 | UINT64_C(1) << BP_DTYPE_I64,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
