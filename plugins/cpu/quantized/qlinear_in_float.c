/* SPDX-License-Identifier: MIT */
/*
 * qlinear_in_float.c - QLinearAveragePool, QLinearGlobalAveragePool, QLinearReduceMean and
 * QLinearSoftmax of com.microsoft.
 * y = quantise(f(dequantise(x))), where f is ONNX's operator on float32; 8-bit types with scales
 * and zero points per tensor. With channels_last the bytes are transposed from NHWC to NCHW before
 * and back after.
 */

#include "kernels/inner_operator.h"
#include "kernels/quantize/byte_map.h"
#include "kernels/strided.h"
#include "kernels/tensor_data.h"
#include "operators.h"

/* The plan of a call. */
struct state {
    struct bp_cpu_inner inner;
    bp_tensor *x, *y;           /* float32, NCHW */
    bp_tensor *nchw_x, *nchw_y; /* bytes, NCHW; NULL: no transposition */
    struct bp_cpu_strided to_nchw, to_nhwc;
    uint32_t in_slices, out_slices;
};

struct job {
    const struct bp_cpu_byte_quant *quant;
    uint8_t *bytes;
    float *floats;
    int64_t count;
    uint32_t slices;
    bool is_output;
    float table[256];
};

/* Dimensions and strides in NCHW order of a tensor in NHWC. */
static void nchw_dims(const bp_tensor *x, int64_t *dims, int64_t *steps)
{
    int64_t step = 1;

    for (uint32_t i = x->rank; i-- > 0;) {
        uint32_t to = i == 0 ? 0 : i + 1 == x->rank ? 1 : i + 1;

        dims[to] = x->dims[i];
        steps[to] = step;
        step *= x->dims[i];
    }
}

/* Temporary tensors in NCHW, and the copies to and from them. */
static bp_rc plan_transpose(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    int64_t dims[BP_CPU_MAX_RANK], steps[BP_CPU_MAX_RANK], step = 1;

    if (x->rank < 3 || y->rank != x->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X and Y do not fit together");
    nchw_dims(x, dims, steps);
    bp_cpu_strided_make(call, 1, x->rank, dims, steps, &s->to_nchw);
    s->nchw_x = bp_cpu_inner_tensor(&s->inner, x->dtype, x->rank, dims, err);
    if (!s->nchw_x)
        return BP_E_NOMEM;
    s->x = bp_cpu_inner_tensor(&s->inner, BP_DTYPE_F32, x->rank, dims, err);
    nchw_dims(y, dims, steps);
    s->nchw_y = bp_cpu_inner_tensor(&s->inner, y->dtype, y->rank, dims, err);
    s->y = bp_cpu_inner_tensor(&s->inner, BP_DTYPE_F32, y->rank, dims, err);
    if (!s->x || !s->y || !s->nchw_y)
        return BP_E_NOMEM;
    for (uint32_t i = y->rank - 1; i-- > 1;) {
        steps[i] = step;
        step *= y->dims[i];
    }
    steps[y->rank - 1] = step;
    steps[0] = step * y->dims[y->rank - 1];
    bp_cpu_strided_make(call, 1, y->rank, y->dims, steps, &s->to_nhwc);
    return BP_OK;
}

/* The opset version that the inner operator follows: attribute opset, within what ONNX has. */
static uint32_t version(const struct bp_cpu_call *call)
{
    int64_t opset = bp_cpu_int(call->node, "opset", 13);

    return opset < 1 ? 1 : opset > 22 ? 22 : (uint32_t)opset;
}

/* op->loops is the inner operator; it is prepared for temporary float32 tensors. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    bp_cpu_inner_begin(call, call->node->op->loops, version(call), &s->inner);
    if (bp_cpu_int(call->node, "channels_last", 0) != 0) {
        rc = plan_transpose(call, s, err);
        if (rc < 0)
            return rc;
    } else {
        s->x = bp_cpu_inner_tensor(&s->inner, BP_DTYPE_F32, x->rank, x->dims, err);
        s->y = s->x ? bp_cpu_inner_tensor(&s->inner, BP_DTYPE_F32, y->rank, y->dims, err) : NULL;
        if (!s->x || !s->y)
            return BP_E_NOMEM;
    }
    s->inner.in[0] = s->x;
    s->inner.call.n_in = 1;
    s->inner.out[0] = s->y;
    s->in_slices = bp_cpu_slices(call, bp_cpu_count(x), 1);
    s->out_slices = bp_cpu_slices(call, bp_cpu_count(y), 6);
    return bp_cpu_inner_prepare(call, &s->inner, err);
}

/* A slice of the elements: bytes to floats by a table, or floats to bytes. */
static void convert(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t end = bp_cpu_slice_at(job->count, i + 1, job->slices);

    (void)worker;
    if (job->is_output) {
        for (int64_t k = bp_cpu_slice_at(job->count, i, job->slices); k < end; k++)
            job->bytes[k] = bp_cpu_byte_of(job->quant, job->floats[k]);
    } else {
        for (int64_t k = bp_cpu_slice_at(job->count, i, job->slices); k < end; k++)
            job->floats[k] = job->table[job->bytes[k]];
    }
}

/* Transposes (if need be), dequantises, runs the inner operator, quantises, transposes back. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    struct bp_cpu_byte_quant in, out;
    struct job job = {.quant = &in, .count = bp_cpu_count(call->in[0]), .slices = s->in_slices};
    bp_rc rc = bp_cpu_byte_quant_read(call, 1, 2, call->in[0]->dtype, &in, err);

    if (rc >= 0)
        rc = bp_cpu_byte_quant_read(call, 3, 4, call->out[0]->dtype, &out, err);
    if (rc < 0 || bp_cpu_count(call->out[0]) == 0)
        return rc;
    bp_cpu_inner_bind(call, &s->inner);
    for (uint32_t b = 0; b < 256; b++)
        job.table[b] = bp_cpu_byte_value(&in, b);
    job.bytes = bp_cpu_data(s->nchw_x ? s->nchw_x : call->in[0]);
    job.floats = s->x->base;
    if (s->nchw_x && job.count > 0)
        bp_cpu_strided_run(call, &s->to_nchw, bp_cpu_data(call->in[0]), job.bytes);
    if (job.count > 0)
        bp_cpu_parallel(call, job.slices, convert, &job);
    rc = s->inner.node.op->run(&s->inner.call, err);
    if (rc < 0)
        return rc;
    job.quant = &out;
    job.is_output = true;
    job.count = bp_cpu_count(call->out[0]);
    job.slices = s->out_slices;
    job.bytes = bp_cpu_data(s->nchw_y ? s->nchw_y : call->out[0]);
    job.floats = s->y->base;
    bp_cpu_parallel(call, job.slices, convert, &job);
    if (s->nchw_y)
        bp_cpu_strided_run(call, &s->to_nhwc, job.bytes, bp_cpu_data(call->out[0]));
    return BP_OK;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    (void)op; /* the schema has checked the types */
    bp_accept(query->claims, query->index);
}

#define ROW(row, name_, inner_)                                                                    \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .loops = &inner_,                                                                          \
        .claim = claim,                                                                            \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
    }

ROW(bp_cpu_op_qlinear_average_pool, "QLinearAveragePool", bp_cpu_op_average_pool);
ROW(bp_cpu_op_qlinear_global_average_pool, "QLinearGlobalAveragePool",
    bp_cpu_op_global_average_pool);
ROW(bp_cpu_op_qlinear_reduce_mean, "QLinearReduceMean", bp_cpu_op_reduce_mean);
ROW(bp_cpu_op_qlinear_softmax, "QLinearSoftmax", bp_cpu_op_softmax);
