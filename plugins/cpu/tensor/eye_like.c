/* SPDX-License-Identifier: MIT */
/*
 * eye_like.c - EyeLike (ai.onnx, opsets 9, 22).
 *
 * Input: a tensor of rank 2, of which only the shape counts. y[i][j] = 1 where j = i + k, else 0,
 * with attribute k (0). The type is that of attribute dtype, else the input's. Types: those that
 * bool can be cast to. Version 22 adds bfloat16.
 */

#include "kernels/cast/cast.h"
#include "kernels/tensor_data.h"

/* The cast loop from bool is what makes the 1, so its types are the operator's. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    (void)op;
    if (!y || !bp_cpu_cast_loop(BP_DTYPE_BOOL, y->dtype))
        bp_cpu_refuse(query, BP_R_DTYPE, "dtype", "element type %s is not implemented",
                      y ? bp_cpu_dtype_name(y->dtype) : "unknown");
    else
        bp_accept(query->claims, query->index);
}

struct state {
    int64_t k;
    uint64_t one; /* a 1 in the output's type, in its first bytes */
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    static const uint8_t yes = 1;
    const bp_tensor *out = call->out[0];
    struct bp_cpu_params none = {0};
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    if (out->rank != 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "a matrix is needed, not rank %u",
                           out->rank);
    state = call->state;
    state->k = bp_cpu_int(call->node, "k", 0);
    bp_cpu_cast_loop(BP_DTYPE_BOOL, out->dtype)(&state->one, &yes, 1, &none);
    return BP_OK;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *out = call->out[0];
    size_t width = bp_cpu_width(out->dtype);
    int64_t k = state->k, rows = out->dims[0], cols = out->dims[1];
    char *y = bp_cpu_data(out);

    (void)err;
    memset(y, 0, (size_t)(rows * cols) * width);
    if (k <= -rows || k >= cols)
        return BP_OK;
    for (int64_t i = k < 0 ? -k : 0; i < rows && i + k < cols; i++)
        memcpy(y + (size_t)(i * cols + i + k) * width, &state->one, width);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_eye_like = {
    .name = "EyeLike",
    .since = 9,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
