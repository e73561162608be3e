/* SPDX-License-Identifier: MIT */
/*
 * quantize_linear.c - QuantizeLinear and DequantizeLinear (10 to 25) between float32 and bytes,
 * with one scale or one for each index of an axis, in the layout of what they read. The loops are
 * in kernels/quantize.c.
 */

#include "base/claim.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/step.h"
#include "kernels/quantize.h"
#include "ops/quantization.h"

#include <math.h>

enum { X, SCALE, ZERO };

/* ---- claims ---------------------------------------------------------------------------------- */

/* Does the attribute, if it is there, ask for float32?  */
static bool is_float(const struct bp_dnnl_query *query, const char *name)
{
    int64_t type = bp_node_int(query->graph, query->node, name, 0);

    return type == 0 || type == BP_DTYPE_F32;
}

/*
 * One scale, or one for each index of the axis if its size is known. Blocked quantisation (21) is
 * left to others.
 */
static bool claims_quantization(const struct bp_dnnl_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, X);
    int axis = bp_dnnl_axis(query->graph, query->node, 1, x->rank);
    int64_t each = axis >= 0 ? x->dims[axis].value : 0;

    if (!bp_node_in(query->graph, query->node, SCALE))
        return bp_dnnl_refuse(query, BP_R_OTHER, NULL, "input %u is absent", SCALE);
    if (bp_node_int(query->graph, query->node, "block_size", 0) != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "block_size",
                              "blocked quantisation is not implemented");
    if (!bp_dnnl_claims_quant(query, SCALE, ZERO, each > 0 ? each : 0))
        return false;
    return true;
}

/* To int8 or uint8 only; ONNX has more types by now. */
static bool claim_quantize(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                           double *flops)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_typed(query, X, BP_DNNL_SINGLES, 0, BP_DNNL_MAX_RANK) ||
        !claims_quantization(query))
        return false;
    if (y->dtype != BP_DTYPE_U8 && y->dtype != BP_DTYPE_I8)
        return bp_dnnl_refuse(query, BP_R_DTYPE, y->name, "the output is not int8 or uint8");
    if (!is_float(query, "precision"))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "precision", "only float32 is implemented");
    return true;
}

/* From int32 too, which a quantised bias is. */
static bool claim_dequantize(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                             double *flops)
{
    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_typed(query, X, BP_DNNL_INTEGERS, 0, BP_DNNL_MAX_RANK) ||
        !claims_quantization(query))
        return false;
    if (!is_float(query, "output_dtype"))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "output_dtype", "only float32 is implemented");
    return true;
}

/* ---- building -------------------------------------------------------------------------------- */

/*
 * In the host's type and without blocks, in which a scale's index would be hard to find; row-major
 * if asked for.
 */
static bp_rc get_input(struct bp_dnnl_builder *b, uint32_t value, bool is_row_major,
                       struct bp_dnnl_tensor *out, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    dnnl_data_type_t type = bp_dnnl_host_type(b->graph, value);
    dnnl_memory_desc_t want;

    if (!is_row_major) {
        bp_rc rc = bp_dnnl_tensor_of(b, value, NULL, out, err);

        if (rc < 0 || (out->md.data_type == type && bp_dnnl_is_dense(&out->md)))
            return rc;
    }
    if (is_row_major || v->rank < 3 || v->rank > 5)
        bp_dnnl_row_major_as(v->rank, v->dims, type, &want);
    else
        bp_dnnl_channels_last(v->rank, v->dims, type, &want);
    return bp_dnnl_tensor_of(b, value, &want, out, err);
}

/*
 * Constant bytes are dequantised once, while they are packed; an int32 bias is too small to matter.
 */
static bool is_weights(const struct bp_dnnl_builder *b, uint32_t value)
{
    return BP_VALUE(b->graph, value)->flags & BP_VALUE_CONSTANT &&
           bp_dnnl_host_type(b->graph, value) != dnnl_s32 &&
           bp_dnnl_host_type(b->graph, value) != dnnl_f32;
}

/* Constant bytes are row-major: rows are the elements after the axis. */
static struct bp_dnnl_quant_rows rows_of_constant(const struct bp_dnnl_builder *b,
                                                  const bp_node *node,
                                                  const struct bp_dnnl_quant *quant)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, X);
    int axis = bp_dnnl_axis(b->graph, node, 1, (uint32_t)x->rank);
    struct bp_dnnl_quant_rows rows = {.quant = *quant, .width = 1, .from = node->in[X]};

    rows.type = bp_dnnl_host_type(b->graph, node->in[X]);
    for (int i = axis + 1; quant->n > 1 && i < x->rank; i++)
        rows.width *= (size_t)x->dims[i];
    return rows;
}

/*
 * Dequantised outputs of the group are made row-major; all others keep the layout that they come
 * in.
 */
static bp_rc build(struct bp_dnnl_builder *b, const bp_node *node, bool quantizes, bp_err *err)
{
    bool is_output = BP_VALUE(b->graph, node->out[0])->flags & BP_VALUE_OUTPUT;
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, X);
    int axis = bp_dnnl_axis(b->graph, node, 1, (uint32_t)x->rank);
    struct bp_dnnl_quant_rows *job = bp_blocks_array(b->memory, 1, sizeof *job);
    struct bp_dnnl_tensor from, to;
    const struct bp_dnnl_tensor *operands[2] = {&from, &to};
    dnnl_memory_desc_t md;
    size_t elements = (size_t)bp_dims_count(x->dims, (uint32_t)x->rank);
    bp_rc rc;

    if (!job)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    rc = bp_dnnl_quant_read(b, node, SCALE, ZERO, &job->quant, err);
    if (rc >= 0 && is_weights(b, node->in[X])) {
        *job = rows_of_constant(b, node, &job->quant);
        b->values[node->out[0]].quantized = job;
        return BP_OK;
    }
    if (rc >= 0)
        rc = get_input(b, node->in[X], is_output && !quantizes, &from, err);
    if (rc < 0)
        return rc;
    md = from.md;
    md.data_type = bp_dnnl_host_type(b->graph, node->out[0]);
    job->type = quantizes ? md.data_type : from.md.data_type;
    job->width = job->quant.n > 1 ? (size_t)md.format_desc.blocking.strides[axis] : 1;
    rc = bp_dnnl_make_output(b, node->out[0], &md, &to, err);
    if (rc < 0)
        return rc;
    return bp_dnnl_emit_typed(b, quantizes ? bp_dnnl_quantize_rows : bp_dnnl_dequantize_rows, job,
                              elements / job->width, elements, 2, operands, err);
}

static bp_rc build_quantize(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                            const bp_node *node, bp_err *err)
{
    (void)op;
    return build(b, node, true, err);
}

static bp_rc build_dequantize(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                              const bp_node *node, bp_err *err)
{
    (void)op;
    return build(b, node, false, err);
}

#define ROW(row, onnx, claims, builds)                                                             \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "",                                                                              \
        .since = 10,                                                                               \
        .until = 28,                                                                               \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
    }

ROW(quantize_linear, "QuantizeLinear", claim_quantize, build_quantize);
ROW(dequantize_linear, "DequantizeLinear", claim_dequantize, build_dequantize);
