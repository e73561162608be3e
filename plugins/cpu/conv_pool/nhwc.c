/* SPDX-License-Identifier: MIT */
/*
 * nhwc.c - NhwcConv, NhwcFusedConv, NhwcMaxPool and QLinearConv of com.microsoft.
 * ONNX's operators on NHWC tensors, [N, d1, ..., C]: inputs are transposed to NCHW in temporary
 * tensors, the inner operator runs, and its output is transposed back. QLinearConv has both
 * layouts, by attribute channels_last.
 */

#include "kernels/gemm/epilogue.h"
#include "kernels/inner_operator.h"
#include "kernels/strided.h"
#include "kernels/tensor_data.h"
#include "kernels/window.h"
#include "operators.h"

struct state {
    struct bp_cpu_inner inner;
    struct bp_cpu_strided to_nchw_x, to_nchw_z, to_nhwc_y;
    bp_tensor *x, *z, *y; /* in NCHW; z may be NULL */
};

/*
 * A temporary tensor with the NCHW shape of an NHWC tensor, and the copy that fills it. NULL: no
 * memory.
 */
static bp_tensor *as_nchw(struct bp_cpu_call *call, struct bp_cpu_inner *inner,
                          const bp_tensor *tensor, struct bp_cpu_strided *turn, bp_err *err)
{
    int64_t dims[BP_CPU_MAX_RANK], steps[BP_CPU_MAX_RANK], step = 1;
    uint32_t rank = tensor->rank;

    for (uint32_t i = rank; i-- > 0;) {
        uint32_t to = i == 0 ? 0 : i + 1 == rank ? 1 : i + 1;

        dims[to] = tensor->dims[i];
        steps[to] = step;
        step *= tensor->dims[i];
    }
    bp_cpu_strided_make(call, bp_cpu_width(tensor->dtype), rank, dims, steps, turn);
    return bp_cpu_inner_tensor(inner, tensor->dtype, rank, dims, err);
}

/* The copy from NCHW, as the inner operator writes y, to NHWC. */
static void plan_to_nhwc(const struct bp_cpu_call *call, const bp_tensor *y,
                         struct bp_cpu_strided *turn)
{
    int64_t steps[BP_CPU_MAX_RANK], step = 1;
    uint32_t rank = y->rank;

    for (uint32_t i = rank - 1; i-- > 1;) {
        steps[i] = step;
        step *= y->dims[i];
    }
    steps[rank - 1] = step;
    steps[0] = step * y->dims[rank - 1];
    bp_cpu_strided_make(call, bp_cpu_width(y->dtype), rank, y->dims, steps, turn);
}

/* op->loops is the inner operator, which is prepared for the temporary tensors. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_op *op = call->node->op->loops;
    const bp_tensor *z = op == &bp_cpu_op_fused_conv ? bp_cpu_in(call, 3) : NULL;
    struct bp_cpu_strided unused;
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (call->in[0]->rank < 3 || call->out[0]->rank != call->in[0]->rank ||
        (z && z->rank != call->in[0]->rank))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    bp_cpu_inner_begin(call, op, 22, &s->inner);
    s->x = as_nchw(call, &s->inner, call->in[0], &s->to_nchw_x, err);
    s->z = z && s->x ? as_nchw(call, &s->inner, z, &s->to_nchw_z, err) : NULL;
    s->y = s->x ? as_nchw(call, &s->inner, call->out[0], &unused, err) : NULL;
    if (!s->x || !s->y || (z && !s->z))
        return BP_E_NOMEM;
    plan_to_nhwc(call, call->out[0], &s->to_nhwc_y);
    s->inner.in[0] = s->x;
    if (z)
        s->inner.in[3] = s->z;
    s->inner.out[0] = s->y;
    return bp_cpu_inner_prepare(call, &s->inner, err);
}

/* Transposes in, inner operator, transpose out. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    bp_rc rc;

    bp_cpu_inner_bind(call, &s->inner);
    if (bp_cpu_count(s->x) > 0)
        bp_cpu_strided_run(call, &s->to_nchw_x, bp_cpu_data(call->in[0]), s->x->base);
    if (s->z && bp_cpu_count(s->z) > 0)
        bp_cpu_strided_run(call, &s->to_nchw_z, bp_cpu_data(call->in[3]), s->z->base);
    rc = s->inner.node.op->run(&s->inner.call, err);
    if (rc >= 0 && bp_cpu_count(s->y) > 0)
        bp_cpu_strided_run(call, &s->to_nhwc_y, s->y->base, bp_cpu_data(call->out[0]));
    return rc;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_cpu_window_claim(query) && bp_cpu_epilogue_claim(query))
        bp_cpu_claim_types(op, query);
}

#define NHWC(row, name_, op_, types_)                                                              \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .loops = &op_,                                                                             \
        .claim = claim,                                                                            \
        .types = types_,                                                                           \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
    }

/* Without channels_last it is ONNX's QLinearConv-10. */
static bp_rc prepare_q(struct bp_cpu_call *call, bp_err *err)
{
    if (bp_cpu_int(call->node, "channels_last", 0) != 0)
        return prepare(call, err);
    return bp_cpu_become(call, &bp_cpu_op_qlinear_conv, 10, err);
}

static bp_rc run_q(struct bp_cpu_call *call, bp_err *err)
{
    if (call->node->op == &bp_cpu_op_qlinear_conv)
        return call->node->op->run(call, err);
    return run(call, err);
}

static bp_rc pack_q(struct bp_cpu_node *node, bp_err *err)
{
    return bp_cpu_op_qlinear_conv.pack ? bp_cpu_op_qlinear_conv.pack(node, err) : BP_OK;
}

static void unpack_q(struct bp_cpu_node *node)
{
    if (bp_cpu_op_qlinear_conv.unpack)
        bp_cpu_op_qlinear_conv.unpack(node);
}

const struct bp_cpu_op bp_cpu_op_ms_qlinear_conv = {
    .name = "QLinearConv",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &bp_cpu_op_qlinear_conv,
    .claim = claim,
    .types = UINT64_C(1) << BP_DTYPE_I8 | UINT64_C(1) << BP_DTYPE_U8,
    .pack = pack_q,
    .unpack = unpack_q,
    .prepare = prepare_q,
    .run = run_q,
};

NHWC(bp_cpu_op_nhwc_conv, "NhwcConv", bp_cpu_op_fused_conv, BP_CPU_FLOATS);
NHWC(bp_cpu_op_nhwc_fused_conv, "NhwcFusedConv", bp_cpu_op_fused_conv, BP_CPU_FLOATS);
NHWC(bp_cpu_op_nhwc_max_pool, "NhwcMaxPool", bp_cpu_op_max_pool,
     BP_CPU_FLOATS | UINT64_C(1) << BP_DTYPE_I8 | UINT64_C(1) << BP_DTYPE_U8);
