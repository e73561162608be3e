/* SPDX-License-Identifier: MIT */
/*
 * matmul_integer.c - MatMulInteger (opset 10).
 * Y = (A - a_zero_point) * (B - b_zero_point), int32; A [..., M, K] and B [..., K, N] are int8 or
 * uint8, batch dimensions broadcast. a_zero_point is a scalar or one for each row, b_zero_point one
 * for each column.
 */

#include "kernels/tensor_data.h"
#include "quantized/int8_matmul.h"

static const struct bp_cpu_int8_inputs inputs = {.a = 0, .b = 1, .a_zero = 2, .b_zero = 3};

/* One run, for the threads. */
struct job {
    const struct bp_cpu_int8_matmul *matmul;
    int32_t *y;
};

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    return bp_cpu_int8_matmul_pack(node, inputs, err);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_state(call, sizeof(struct bp_cpu_int8_matmul), err);

    return rc < 0 ? rc : bp_cpu_int8_matmul_make(call, inputs, 0, call->state, err);
}

/* Writes n sums of a row. */
static void put_row(void *u, uint64_t batch, const int32_t *sums, size_t i, size_t j, size_t n)
{
    const struct job *job = u;
    const struct bp_cpu_int8 *product = &job->matmul->product;

    memcpy(job->y + ((size_t)batch * product->m + i) * product->n + j, sums, n * sizeof *sums);
}

/* The sums are the result: they are copied to Y. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct job job = {call->state, bp_cpu_data(call->out[0])};

    (void)err;
    bp_cpu_int8_matmul_run(call, call->state, NULL, put_row, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_matmul_integer = {
    .name = "MatMulInteger",
    .since = 10,
    .types = UINT64_C(1) << BP_DTYPE_I8 | UINT64_C(1) << BP_DTYPE_U8,
    .pack = pack,
    .prepare = prepare,
    .run = run,
};
