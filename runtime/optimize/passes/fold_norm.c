/* SPDX-License-Identifier: MIT */
/* fold_norm.c - BatchNormalization (inference) after a Conv: its numbers go into the weights. */

#include "config.h"

#include <math.h>

#include "optimize/passes/conv_kit.h"

/* Numbers of input i, one a map; NULL: not constant, another type or count. */
static double *read(struct bp_rewrite *rw, const struct bp_ir_node *node, uint32_t i,
                    const struct bp_conv *conv)
{
    const struct bp_ir_data *data;
    size_t n;

    if (!bp_rw_is_constant(rw, bp_rw_in(node, i)))
        return NULL;
    data = rw->ir->values[node->in[i]].data;
    if (data->dtype != conv->dtype || data->rank != 1 || (uint64_t)data->dims[0] != conv->maps)
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

static bp_rc fold(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);
    const bp_attr *attr = bp_ir_attr(node, "epsilon");
    double epsilon =
        attr && attr->type == BP_ATTR_FLOAT ? (double)*(const float *)attr->data : 1e-5;
    const double *scale, *shift, *mean, *variance;
    struct bp_conv conv;

    if (!is_inference(rw, n) || !bp_conv_find(rw, node->in[0], &conv))
        return BP_OK;
    scale = read(rw, node, 1, &conv);
    shift = read(rw, node, 2, &conv);
    mean = read(rw, node, 3, &conv);
    variance = read(rw, node, 4, &conv);
    if (!scale || !shift || !mean || !variance)
        return BP_OK;
    for (size_t m = 0; m < conv.maps; m++) {
        if (!isfinite(scale[m] / sqrt(variance[m] + epsilon)))
            return BP_OK;
    }
    if (!bp_conv_load(rw, &conv, true))
        return BP_OK;
    for (size_t m = 0; m < conv.maps; m++) {
        double factor = scale[m] / sqrt(variance[m] + epsilon);

        bp_conv_scale(&conv, m, factor, shift[m] - mean[m] * factor);
    }
    return bp_conv_replace(rw, &conv, n, err);
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
