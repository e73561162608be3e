/* SPDX-License-Identifier: MIT */
/*
 * fold_norm.c - Conv, ConvTranspose, Gemm or MatMul -> BatchNormalization becomes the same with
 * other weights: w * scale / sqrt(variance + epsilon), and the bias to match.
 *
 * Conditions: inference form, all four parameters constant, the normalization is the only reader.
 * Value kept; products round once in float64, then to the weights' type.
 */

#include "config.h"

#include <math.h>

#include "optimize/patterns/conv.h"
#include "optimize/patterns/gemm.h"

/* What it does to each channel: x * factor + offset. */
struct norm {
    const double *factor, *offset;
};

/* The elements of input i, one for each channel; NULL: not constant, another type or count. */
static double *read(struct bp_rewrite *rw, const struct bp_ir_node *node, uint32_t i,
                    uint32_t dtype, uint64_t channels)
{
    const struct bp_ir_data *data;
    size_t n;

    if (!bp_rw_is_constant(rw, bp_rw_in(node, i)))
        return NULL;
    data = rw->ir->values[node->in[i]].data;
    if (data->dtype != dtype || data->rank != 1 || (uint64_t)data->dims[0] != channels)
        return NULL;
    return bp_rw_floats(rw, node->in[i], &n);
}

/*
 * Does it use the given mean and variance only? Before opset 9, `spatial` = 0 has one for each
 * element of a feature map. Before 7 `is_test` says so, from 14 on `training_mode`.
 */
static bool is_inference(const struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);

    if (!bp_rw_one_output(rw, n) || node->n_in != 5 ||
        bp_ir_attr_int(node, "training_mode", 0) != 0 || bp_ir_attr_int(node, "spatial", 1) != 1)
        return false;
    return node->schema->since >= 7 || bp_ir_attr_int(node, "is_test", 0) != 0;
}

/* False: a parameter is not constant, or a factor is not finite (variance + epsilon <= 0). */
static bool read_norm(struct bp_rewrite *rw, const struct bp_ir_node *node, uint32_t dtype,
                      uint64_t channels, struct norm *out)
{
    const bp_attr *attr = bp_ir_attr(node, "epsilon");
    double epsilon =
        attr && attr->type == BP_ATTR_FLOAT ? (double)*(const float *)attr->data : 1e-5;
    double *scale = read(rw, node, 1, dtype, channels), *shift = read(rw, node, 2, dtype, channels);
    const double *mean = read(rw, node, 3, dtype, channels);
    const double *variance = read(rw, node, 4, dtype, channels);

    if (!scale || !shift || !mean || !variance)
        return false;
    for (size_t m = 0; m < channels; m++) { /* they are copies */
        scale[m] /= sqrt(variance[m] + epsilon);
        shift[m] -= mean[m] * scale[m];
        if (!isfinite(scale[m]))
            return false;
    }
    *out = (struct norm){scale, shift};
    return true;
}

static bp_rc fold_conv(struct bp_rewrite *rw, uint32_t n, struct bp_conv *conv, bp_err *err)
{
    struct norm norm;

    if (!read_norm(rw, bp_rw_node(rw, n), conv->dtype, conv->channels, &norm) ||
        !bp_conv_load(rw, conv, true))
        return BP_OK;
    for (size_t m = 0; m < conv->channels; m++)
        bp_conv_scale(conv, m, norm.factor[m], norm.offset[m]);
    return bp_conv_replace(rw, conv, n, err);
}

static bp_rc fold_gemm(struct bp_rewrite *rw, uint32_t n, struct bp_gemm *gemm, bp_err *err)
{
    struct norm norm;

    if (!read_norm(rw, bp_rw_node(rw, n), gemm->dtype, gemm->columns, &norm) ||
        !bp_gemm_load(rw, gemm))
        return BP_OK;
    for (size_t m = 0; m < gemm->columns; m++)
        bp_gemm_scale(gemm, m, norm.factor[m], norm.offset[m]);
    return bp_gemm_replace(rw, gemm, n, err);
}

static bp_rc fold(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    uint32_t value = bp_rw_node(rw, n)->in[0];
    struct bp_conv conv;
    struct bp_gemm gemm;

    if (!is_inference(rw, n))
        return BP_OK;
    if (bp_conv_find(rw, value, &conv))
        return fold_conv(rw, n, &conv, err);
    return bp_gemm_find(rw, value, &gemm) ? fold_gemm(rw, n, &gemm, err) : BP_OK;
}

bp_rc bp_pass_fold_norm(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "BatchNormalization"))
            rc = fold(rw, n, err);
    }
    return rc;
}
