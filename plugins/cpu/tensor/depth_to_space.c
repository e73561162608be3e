/* SPDX-License-Identifier: MIT */
/*
 * depth_to_space.c - DepthToSpace (ai.onnx, opsets 1, 11, 13, 28) and SpaceToDepth (opsets 1, 13,
 * 28).
 *
 * With b = blocksize, DepthToSpace maps X of (N, C, H, W) to Y of (N, C / b^2, H * b, W * b), and
 * SpaceToDepth to Y of (N, C * b^2, H / b, W / b).
 *
 * Both are a Reshape to rank 6, a Transpose and a Reshape back; the reshapes cost nothing, so that
 * one strided copy is left. Version 11 of DepthToSpace and 28 of SpaceToDepth add `mode`: DCR (depth,
 * column, row; the only order before) or CRD. Types: all of 8 bits and more.
 */

#include "kernels/strided.h"
#include "kernels/tensor_data.h"

/*
 * Prepares the copy of input 0, seen as `dims`, into dimensions dims[perm[0]], dims[perm[1]], ...
 */
static void transpose(struct bp_cpu_call *call, const int64_t *dims, const int *perm)
{
    int64_t strides[6], stride = 1, permuted_dims[6], permuted[6];

    for (int d = 5; d >= 0; d--) {
        strides[d] = stride;
        stride *= dims[d];
    }
    for (int d = 0; d < 6; d++) {
        permuted_dims[d] = dims[perm[d]];
        permuted[d] = strides[perm[d]];
    }
    bp_cpu_strided_make(call, bp_cpu_width(call->in[0]->dtype), 6, permuted_dims, permuted,
                        call->state);
}

/*
 * Reads `blocksize` into *out. BP_E_SHAPE: X is not of rank 4, or its channels (of_channels) or its
 * height and width are not multiples of the block.
 */
static bp_rc read_block(struct bp_cpu_call *call, bool of_channels, int64_t *out, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    int64_t block = bp_cpu_int(call->node, "blocksize", 0);
    bool fits = x->rank == 4 && block > 0 && block <= INT32_MAX &&
                bp_cpu_count(call->out[0]) == bp_cpu_count(x);

    fits = fits && (of_channels ? x->dims[1] % (block * block) == 0
                                : x->dims[2] % block == 0 && x->dims[3] % block == 0);
    *out = block;
    if (!fits)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the input is not made of such blocks");
    return bp_cpu_state(call, sizeof(struct bp_cpu_strided), err);
}

/* Whether the channels are in the order column, row, depth. */
static bool is_column_first(const struct bp_cpu_call *call)
{
    return bp_node_string_is(call->node->graph, call->node->node, "mode", "DCR", "CRD");
}

static bp_rc prepare_depth_to_space(struct bp_cpu_call *call, bp_err *err)
{
    /*
     * (N, b, b, C/b^2, H, W) to (N, C/b^2, H, b, W, b), or with CRD (N, C/b^2, b, b, H, W) to the
     * same.
     */
    static const int depth_first[] = {0, 3, 4, 1, 5, 2}, column_first[] = {0, 1, 4, 2, 5, 3};
    const int64_t *x = call->in[0]->dims;
    int64_t b;
    bp_rc rc = read_block(call, true, &b, err);

    if (rc < 0)
        return rc;
    if (is_column_first(call))
        transpose(call, (int64_t[]){x[0], x[1] / (b * b), b, b, x[2], x[3]}, column_first);
    else
        transpose(call, (int64_t[]){x[0], b, b, x[1] / (b * b), x[2], x[3]}, depth_first);
    return BP_OK;
}

static bp_rc prepare_space_to_depth(struct bp_cpu_call *call, bp_err *err)
{
    /* (N, C, H/b, b, W/b, b) to (N, b, b, C, H/b, W/b), or with CRD to (N, C, b, b, H/b, W/b). */
    static const int depth_first[] = {0, 3, 5, 1, 2, 4}, column_first[] = {0, 1, 3, 5, 2, 4};
    const int64_t *x = call->in[0]->dims;
    int64_t b;
    bp_rc rc = read_block(call, false, &b, err);

    if (rc >= 0)
        transpose(call, (int64_t[]){x[0], x[1], x[2] / b, b, x[3] / b, b},
                  is_column_first(call) ? column_first : depth_first);
    return rc;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    bp_cpu_strided_run(call, call->state, bp_cpu_data(call->in[0]), bp_cpu_data(call->out[0]));
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_depth_to_space = {
    .name = "DepthToSpace",
    .since = 1,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare_depth_to_space,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_space_to_depth = {
    .name = "SpaceToDepth",
    .since = 1,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare_space_to_depth,
    .run = run,
};
