/* SPDX-License-Identifier: MIT */
/*
 * one_hot_encoder.c - OneHotEncoder (ai.onnx.ml 1).
 * X of shape [...] gives Y [..., number of categories], float32: 1 at the index of x's category,
 * else 0. Categories are cats_int64s or cats_strings by X's type; floats are truncated to integers
 * first. Attribute zeros decides whether an unknown category gives a row of zeros or an error.
 */

#include "kernels/tensor_data.h"
#include "ml/lookup.h"
#include "ml/ml.h"

struct model {
    struct bp_cpu_lookup lookup;
    bool allows_unknown; /* attribute zeros */
};

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_value *x = bp_node_in(node->graph, node->node, 0);
    uint32_t n_ints, n_texts, n;
    const int64_t *ints = bp_cpu_ints(node, "cats_int64s", &n_ints);
    const bp_span *texts = bp_cpu_strings(node, "cats_strings", &n_texts);
    struct model *m = bp_cpu_node_memory(node, sizeof *m);
    bool is_text = x && x->dtype == BP_DTYPE_STRING;
    uint64_t *keys;

    n = is_text ? n_texts : n_ints;
    keys = bp_cpu_node_memory(node, n_ints * sizeof *keys);
    if (!m || !keys)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for its table");
    if (n == 0 || (n_ints > 0 && n_texts > 0))
        return bp_cpu_fail(node, err, BP_E_INVALID, "for %s it needs %s, and that alone",
                           x ? bp_cpu_dtype_name(x->dtype) : "nothing",
                           is_text ? "cats_strings" : "cats_int64s");
    if (n_ints > 0)
        bp_cpu_lookup_keys(BP_DTYPE_I64, ints, false, keys, n_ints);
    node->packed = m;
    m->allows_unknown = bp_cpu_int(node, "zeros", 1) != 0;
    return bp_cpu_lookup_make(node, keys, texts, n, &m->lookup, err);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct model *m = call->node->packed;
    const bp_tensor *y = call->out[0];

    if (y->rank == 0 || y->dims[y->rank - 1] != m->lookup.n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "it has %u categories", m->lookup.n);
    return BP_OK;
}

/* A float outside of int64's range, or NaN, is not a category. */
static uint32_t find_real(const struct bp_cpu_lookup *lookup, double x)
{
    return x >= -0x1p63 && x < 0x1p63 ? bp_cpu_lookup_scalar(lookup, (uint64_t)(int64_t)x)
                                      : lookup->n;
}

static uint32_t find(const struct bp_cpu_lookup *lookup, const bp_tensor *x, int64_t i)
{
    const void *data = bp_tensor_data(x);

    if (x->dtype == BP_DTYPE_STRING)
        return bp_cpu_lookup_text(lookup, ((const bp_span *)data)[i]);
    if (x->dtype == BP_DTYPE_I64)
        return bp_cpu_lookup_scalar(lookup, ((const uint64_t *)data)[i]);
    if (x->dtype == BP_DTYPE_I32)
        return bp_cpu_lookup_scalar(lookup, (uint64_t)(int64_t)((const int32_t *)data)[i]);
    if (x->dtype == BP_DTYPE_F32)
        return find_real(lookup, (double)((const float *)data)[i]);
    return find_real(lookup, ((const double *)data)[i]);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct model *m = call->node->packed;
    int64_t count = bp_cpu_count(call->in[0]);
    size_t n = m->lookup.n;
    float *y = bp_cpu_data(call->out[0]);

    if (count > 0)
        memset(y, 0, (size_t)count * n * sizeof *y);
    for (int64_t i = 0; i < count; i++) {
        uint32_t at = find(&m->lookup, call->in[0], i);

        if (at < n)
            y[(size_t)i * n + at] = 1;
        else if (!m->allows_unknown)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "element %lld is of no category, and zeros is 0", (long long)i);
    }
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_one_hot_encoder = {
    .name = "OneHotEncoder",
    .domain = "ai.onnx.ml",
    .since = 1,
    .types = BP_CPU_ML_NUMERIC | UINT64_C(1) << BP_DTYPE_STRING,
    .claim = bp_cpu_claim_types,
    .pack = pack,
    .prepare = prepare,
    .run = run,
};
