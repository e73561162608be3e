/* SPDX-License-Identifier: MIT */
/*
 * fold_norm.c - BatchNormalization (inference) after a Conv, ConvTranspose, Gemm or a MatMul of
 * matrices: its numbers go into the weights.
 */

#include "config.h"

#include <math.h>

#include "optimize/patterns/conv.h"
#include "optimize/patterns/gemm.h"

/* What it does to each map: x * factor + offset. */
struct norm {
    const double *factor, *offset;
};

/* Numbers of input i, one a map; NULL: not constant, another type or count. */
static double *read(struct bp_rewrite *rw, const struct bp_ir_node *node, uint32_t i,
                    uint32_t dtype, uint64_t maps)
{
    const struct bp_ir_data *data;
    size_t n;

    if (!bp_rw_is_constant(rw, bp_rw_in(node, i)))
        return NULL;
    data = rw->ir->values[node->in[i]].data;
    if (data->dtype != dtype || data->rank != 1 || (uint64_t)data->dims[0] != maps)
        return NULL;
    return bp_rw_floats(rw, node->in[i], &n);
}

/* Does it only use the numbers that it has? Before opset 9, `spatial` 0 has one for each element. */
static bool is_inference(const struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);

    if (!bp_rw_one_output(rw, n) || node->n_in != 5 ||
        bp_ir_attr_int(node, "training_mode", 0) != 0 || bp_ir_attr_int(node, "spatial", 1) != 1)
        return false;
    return node->schema->since >= 7 || bp_ir_attr_int(node, "is_test", 0) != 0;
}

/* False: not all is known, or it is no number. */
static bool read_norm(struct bp_rewrite *rw, const struct bp_ir_node *node, uint32_t dtype,
                      uint64_t maps, struct norm *out)
{
    const bp_attr *attr = bp_ir_attr(node, "epsilon");
    double epsilon =
        attr && attr->type == BP_ATTR_FLOAT ? (double)*(const float *)attr->data : 1e-5;
    double *scale = read(rw, node, 1, dtype, maps), *shift = read(rw, node, 2, dtype, maps);
    const double *mean = read(rw, node, 3, dtype, maps);
    const double *variance = read(rw, node, 4, dtype, maps);

    if (!scale || !shift || !mean || !variance)
        return false;
    for (size_t m = 0; m < maps; m++) { /* they are copies */
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

    if (!read_norm(rw, bp_rw_node(rw, n), conv->dtype, conv->maps, &norm) ||
        !bp_conv_load(rw, conv, true))
        return BP_OK;
    for (size_t m = 0; m < conv->maps; m++)
        bp_conv_scale(conv, m, norm.factor[m], norm.offset[m]);
    return bp_conv_replace(rw, conv, n, err);
}

static bp_rc fold_gemm(struct bp_rewrite *rw, uint32_t n, struct bp_gemm *gemm, bp_err *err)
{
    struct norm norm;

    if (!read_norm(rw, bp_rw_node(rw, n), gemm->dtype, gemm->maps, &norm) ||
        !bp_gemm_load(rw, gemm))
        return BP_OK;
    for (size_t m = 0; m < gemm->maps; m++)
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
