/* SPDX-License-Identifier: MIT */
/*
 * skip_layer_normalization.c - SkipLayerNormalization, SkipSimplifiedLayerNormalization and
 * SimplifiedLayerNormalization of com.microsoft; the last one is accepted in ONNX's domain too, as
 * models of ONNX Runtime have it.
 * y = norm(x + skip + bias) * gamma + beta over the last dimension (or from `axis` on); the
 * simplified ones divide by the root mean square and have no beta. Optional outputs: mean, inverse
 * standard deviation, and the sum itself.
 */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"
#include "normalization/norm_rows.h"

/* Indices of an operator's inputs and outputs; 0: it has none. */
struct layout {
    uint32_t skip, gamma, beta, bias;
    uint32_t mean, inv_std, sum;
    bool is_simplified;
};

/* Variants: the operators differ only in where their inputs and outputs are. */
enum { SKIP, SKIP_SIMPLIFIED, SIMPLIFIED };

static const struct layout layouts[] = {
    [SKIP] = {1, 2, 3, 4, 1, 2, 3, false},
    [SKIP_SIMPLIFIED] = {1, 2, 0, 3, 1, 2, 3, true},
    [SIMPLIFIED] = {0, 1, 0, 0, 0, 1, 0, true},
};

static const struct layout *layout_of(const struct bp_cpu_call *call)
{
    return &layouts[call->node->op->variant];
}

static const bp_tensor *input(const struct bp_cpu_call *call, uint32_t i)
{
    return i > 0 ? bp_cpu_in(call, i) : NULL;
}

static void *data_of(const bp_tensor *tensor)
{
    return tensor ? bp_cpu_data(tensor) : NULL;
}

/* The data of an optional output; NULL: it is not wanted. */
static void *output(const struct bp_cpu_call *call, uint32_t i)
{
    return i > 0 ? data_of(bp_cpu_out(call, i)) : NULL;
}

/* skip has the last dimensions of x, maybe after ones; those from `axis` on must be equal. */
static bool fits_skip(const bp_tensor *x, const bp_tensor *skip, uint32_t axis)
{
    uint32_t d = 0;

    if (!skip)
        return true;
    if (skip->rank > x->rank || skip->rank < x->rank - axis)
        return false;
    while (d < skip->rank - (x->rank - axis) && skip->dims[d] == 1)
        d++;
    for (; d < skip->rank; d++) {
        if (skip->dims[d] != x->dims[x->rank - skip->rank + d])
            return false;
    }
    return true;
}

/* Whether an optional gamma, beta or bias has one element for each column. */
static bool fits_vector(const bp_tensor *vector, size_t cols)
{
    return !vector || (size_t)bp_cpu_count(vector) == cols;
}

/* Rows are all dimensions before `axis`; skip may have fewer rows, which then repeat. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct layout *at = layout_of(call);
    const bp_tensor *x = call->in[0], *skip = input(call, at->skip);
    int64_t axis = at->skip ? -1 : bp_cpu_int(call->node, "axis", -1);
    struct bp_cpu_norm_rows *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    axis += axis < 0 ? x->rank : 0;
    if (axis < 0 || axis >= x->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the axis is out of range for rank %u",
                           x->rank);
    s->rows = bp_dims_count(x->dims, (uint32_t)axis);
    s->cols = (size_t)bp_dims_count(x->dims + axis, x->rank - (uint32_t)axis);
    if (!fits_skip(x, skip, (uint32_t)axis) || !fits_vector(input(call, at->gamma), s->cols) ||
        !fits_vector(input(call, at->beta), s->cols) ||
        !fits_vector(input(call, at->bias), s->cols))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    s->skip_rows = skip && s->cols > 0 ? bp_cpu_count(skip) / (int64_t)s->cols : 0;
    s->is_double = x->dtype == BP_DTYPE_F64;
    s->is_simplified = at->is_simplified;
    s->simd = bp_cpu_simd(x->dtype);
    s->epsilon = (double)bp_cpu_float(call->node, "epsilon", at->skip ? 1e-12f : 1e-5f);
    s->slices = bp_cpu_slices(call, bp_cpu_count(x), 6);
    if (s->slices > s->rows)
        s->slices = s->rows > 0 ? (uint32_t)s->rows : 1;
    return BP_OK;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct layout *at = layout_of(call);
    const struct bp_cpu_norm_data data = {
        .x = bp_cpu_data(call->in[0]),
        .skip = data_of(input(call, at->skip)),
        .bias = data_of(input(call, at->bias)),
        .gamma = data_of(input(call, at->gamma)),
        .beta = data_of(input(call, at->beta)),
        .y = bp_cpu_data(call->out[0]),
        .sum = output(call, at->sum),
        .mean = output(call, at->mean),
        .inv_std = output(call, at->inv_std),
    };

    (void)err;
    bp_cpu_norm_rows_run(call, call->state, &data);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

/* x and gamma are both float64, or neither is. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    const bp_value *scale = bp_node_in(query->graph, query->node, 1);

    if (x && scale && (x->dtype == BP_DTYPE_F64) != (scale->dtype == BP_DTYPE_F64))
        bp_cpu_refuse_dtype(query, 1);
    else
        bp_cpu_claim_types(op, query);
}

#define NORM(row, name_, domain_, variant_)                                                        \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = domain_,                                                                         \
        .since = 1,                                                                                \
        .variant = variant_,                                                                       \
        .loops = &wide,                                                                            \
        .claim = claim,                                                                            \
        .types = BP_CPU_FLOATS,                                                                    \
        .prepare = bp_cpu_widen_prepare,                                                           \
        .run = bp_cpu_widen_run,                                                                   \
    }

NORM(bp_cpu_op_skip_layer_normalization, "SkipLayerNormalization", "com.microsoft", SKIP);
NORM(bp_cpu_op_skip_simplified_layer_normalization, "SkipSimplifiedLayerNormalization",
     "com.microsoft", SKIP_SIMPLIFIED);
NORM(bp_cpu_op_simplified_layer_normalization, "SimplifiedLayerNormalization", NULL, SIMPLIFIED);
NORM(bp_cpu_op_ms_simplified_layer_normalization, "SimplifiedLayerNormalization", "com.microsoft",
     SIMPLIFIED);
