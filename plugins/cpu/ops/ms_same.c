/* SPDX-License-Identifier: MIT */
/*
 * ms_same.c - operators of com.microsoft that ONNX has under the same name and with the same
 * meaning: GatherND, GridSample, Pad, Trilu, QuantizeLinear, DequantizeLinear, and Range, whose
 * step may be absent here.
 */

#include "kernels/inner_operator.h"
#include "kernels/tensor_data.h"

extern const struct bp_cpu_op bp_cpu_op_gather_nd, bp_cpu_op_grid_sample, bp_cpu_op_pad,
    bp_cpu_op_trilu, bp_cpu_op_quantize_linear, bp_cpu_op_dequantize_linear, bp_cpu_op_range;

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const struct bp_cpu_op *same = op->loops;

    if (same->claim)
        same->claim(same, query);
    else
        bp_cpu_claim_types(same, query);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    return call->node->op->run(call, err); /* it has become another one */
}

static bp_rc prepare_13(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_become(call, call->node->op->loops, 13, err);
}

static bp_rc prepare_16(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_become(call, call->node->op->loops, 16, err);
}

static bp_rc prepare_21(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_become(call, call->node->op->loops, 21, err);
}

/* A step of 1. */
struct step {
    bp_tensor tensor;
    union {
        double real;
        float narrow_real;
        int64_t whole; /* its first bytes are a narrower one, as numbers are little-endian */
    } one;
};

static void make_step(uint32_t dtype, struct step *step)
{
    if (dtype == BP_DTYPE_F64)
        step->one.real = 1;
    else if (dtype == BP_DTYPE_F32)
        step->one.narrow_real = 1;
    else
        step->one.whole = 1;
    step->tensor.dtype = dtype;
    step->tensor.base = &step->one;
    step->tensor.bytes = bp_cpu_width(dtype);
}

static bp_rc prepare_range(struct bp_cpu_call *call, bp_err *err)
{
    bp_tensor **in;
    struct step *step;

    if (bp_cpu_in(call, 2))
        return bp_cpu_become(call, &bp_cpu_op_range, 11, err);
    in = bp_cpu_call_memory(call, 3 * sizeof *in);
    step = bp_cpu_call_memory(call, sizeof *step);
    if (!in || !step)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the step");
    make_step(call->in[0]->dtype, step);
    in[0] = call->in[0];
    in[1] = call->in[1];
    in[2] = &step->tensor;
    call->in = in;
    call->n_in = 3;
    return bp_cpu_become(call, &bp_cpu_op_range, 11, err);
}

static void claim_range(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    (void)op; /* the schema has checked the types */
    bp_accept(query->claims, query->index);
}

#define SAME(op_, name_, version, flags_)                                                          \
    const struct bp_cpu_op bp_cpu_op_ms_##op_ = {                                                  \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .flags = flags_,                                                                           \
        .loops = &bp_cpu_op_##op_,                                                                 \
        .claim = claim,                                                                            \
        .prepare = prepare_##version,                                                              \
        .run = run,                                                                                \
    }

SAME(gather_nd, "GatherND", 13, 0);
SAME(grid_sample, "GridSample", 16, 0);
SAME(pad, "Pad", 13, BP_CPU_LATE);
SAME(trilu, "Trilu", 16, 0);
SAME(quantize_linear, "QuantizeLinear", 21, 0);
SAME(dequantize_linear, "DequantizeLinear", 21, 0);

const struct bp_cpu_op bp_cpu_op_ms_range = {
    .name = "Range",
    .domain = "com.microsoft",
    .since = 1,
    .flags = BP_CPU_LATE,
    .loops = &bp_cpu_op_range,
    .claim = claim_range,
    .prepare = prepare_range,
    .run = run,
};
