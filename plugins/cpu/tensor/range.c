/* SPDX-License-Identifier: MIT */
/*
 * range.c - Range (ai.onnx, opsets 11, 27; com.microsoft 1).
 *
 * Y[i] = start + i * delta for i = 0 .. max(ceil((limit - start) / delta), 0) - 1.
 *
 * Inputs: three scalars of one type; Y is 1-D, and its size is known only at run time unless all
 * three are constant. com.microsoft's may leave out delta, which is 1 then. Types: floats and
 * integers.
 */

#include "kernels/inner_operator.h"
#include "kernels/runtime_shape.h"
#include "kernels/same_operator.h"
#include "kernels/types/loops.h"

#include <math.h>

/* The loops of a type: the size of Y, and its elements. INT64_MAX: the size does not fit. */
typedef int64_t (*count_fn)(const void *start, const void *limit, const void *delta);
typedef void (*fill_fn)(void *out, const void *start, const void *delta, int64_t n);

/*
 * ceil(distance / delta). For integers both are above 0, and unsigned, because the difference of
 * two int64 values may need 64 bits.
 */
static int64_t steps_of_float(double distance, double delta)
{
    double n = ceil(distance / delta);

    return n > 0 && n < 0x1p62 ? (int64_t)n : n > 0 ? INT64_MAX : 0;
}

static int64_t steps_of_int(uint64_t distance, uint64_t delta)
{
    uint64_t n = (distance - 1) / delta + 1;

    return n < INT64_MAX ? (int64_t)n : INT64_MAX;
}

#define COUNT(start, limit, delta) steps_of_float((double)((limit) - (start)), (double)(delta))
#define TEMPLATE "tensor/range.inc"
#include "kernels/types/float.inc"
#undef COUNT
#define COUNT(start, limit, delta)                                                                 \
    ((delta) == 0 || ((delta) > 0 ? (limit) <= (start) : (limit) >= (start)) ? 0                   \
     : (delta) > 0 ? steps_of_int((uint64_t)(limit) - (uint64_t)(start), (uint64_t)(delta))        \
                   : steps_of_int((uint64_t)(start) - (uint64_t)(limit), 0 - (uint64_t)(delta)))
#include "kernels/types/int.inc"
#undef COUNT
#undef TEMPLATE

static const count_fn counts[BP_DTYPE_END] = {
#define NAME range_count
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/signed.inc"
#undef TEMPLATE
#undef NAME
};

static const fill_fn fills[BP_DTYPE_END] = {
#define NAME range_fill
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/signed.inc"
#undef TEMPLATE
#undef NAME
};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *start = bp_node_in(query->graph, query->node, 0);

    (void)op;
    for (uint32_t i = 0; i < 3; i++) {
        const bp_value *value = bp_node_in(query->graph, query->node, i);

        if (!value || value->dtype >= BP_DTYPE_END || !counts[value->dtype] ||
            value->dtype != start->dtype) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    bp_accept(query->claims, query->index);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_runtime_shape_state(call, sizeof(struct bp_cpu_runtime_shape), 0, 2, err);
}

/* Y gets its storage here, when the size comes with the data, and is filled. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const void *ends[3];
    uint32_t dtype = call->in[0]->dtype;
    int64_t n;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < 3; i++) {
        if (bp_cpu_count(call->in[i]) != 1)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "input %u is not a scalar", i);
        ends[i] = bp_tensor_data(call->in[i]);
    }
    if (((const struct bp_cpu_runtime_shape *)call->state)->allocates_output) {
        n = counts[dtype](ends[0], ends[1], ends[2]);
        if (n == INT64_MAX)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "the range has no end");
        rc = bp_cpu_runtime_shape_output(call, 1, &n, err);
    }
    if (rc >= 0)
        fills[dtype](bp_tensor_data(call->out[0]), ends[0], ends[2], bp_cpu_count(call->out[0]));
    return rc;
}

const struct bp_cpu_op bp_cpu_op_range = {
    .name = "Range",
    .since = 11,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};

/* ---- Range of com.microsoft, whose step may be absent ---------------------------------------- */

/* A tensor of one element 1, for the absent delta. */
struct step {
    bp_tensor tensor;
    union {
        double float64;
        float float32;
        int64_t integer; /* little-endian: its first bytes are the 1 of a narrower type */
    } one;
};

static void make_step(uint32_t dtype, struct step *step)
{
    if (dtype == BP_DTYPE_F64)
        step->one.float64 = 1;
    else if (dtype == BP_DTYPE_F32)
        step->one.float32 = 1;
    else
        step->one.integer = 1;
    step->tensor.dtype = dtype;
    step->tensor.base = &step->one;
    step->tensor.bytes = bp_cpu_width(dtype);
}

/* Appends the missing delta as input 2; then the call is one of ONNX's Range. */
static bp_rc prepare_ms(struct bp_cpu_call *call, bp_err *err)
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

static void claim_ms(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    (void)op; /* the schema has checked the types */
    bp_accept(query->claims, query->index);
}

const struct bp_cpu_op bp_cpu_op_ms_range = {
    .name = "Range",
    .domain = "com.microsoft",
    .since = 1,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .loops = &bp_cpu_op_range,
    .claim = claim_ms,
    .prepare = prepare_ms,
    .run = bp_cpu_same_run,
};
