/* SPDX-License-Identifier: MIT */
/*
 * tree_ensemble.c - TreeEnsemble (ai.onnx.ml 5) and TreeEnsembleRegressor (1, 3, 5).
 * X is [N, F]; Y[n][t] is the sum, mean, minimum or maximum over the trees of the weights for
 * target t at the leaves that row n reaches, plus base_values[t], then post_transform. Y has shape
 * [N, n_targets].
 * TreeEnsembleRegressor gives float32; version 3 adds tensors of float64 for the lists
 * (..._as_tensor). TreeEnsemble has lists of interior nodes and of leaves apart, BRANCH_MEMBER, and
 * float16, float32, float64 throughout.
 */

#include "kernels/tensor_data.h"
#include "ml/trees/trees_read.h"
#include "ml/trees/trees_run.h"
#include "program.h"

#include <common/float16.h>

struct model {
    struct bp_cpu_trees trees;
    double *base; /* one for each target, or NULL */
    uint32_t transform;
};

struct state {
    struct bp_cpu_trees_run run;
};

/* ---- what the attributes say ----------------------------------------------------------------- */

/* base_values: none, or one for each target. */
static bp_rc read_base(struct bp_cpu_node *node, struct bp_blocks *memory, struct model *m,
                       bp_err *err)
{
    uint32_t n = m->trees.n_targets, count;
    double *base;
    bp_rc rc = bp_cpu_reals_read(node, "base_values", memory, &base, &count, err);

    if (rc >= 0 && count > 0)
        rc = bp_cpu_expect_count(node, "base_values", count, n, "targets are", err);
    if (rc < 0 || count == 0)
        return rc;
    m->base = bp_cpu_node_memory(node, n * sizeof *m->base);
    if (!m->base)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    memcpy(m->base, base, n * sizeof *m->base);
    return BP_OK;
}

/* TreeEnsembleRegressor: strings for aggregate_function and post_transform. */
static bp_rc build_regressor(struct bp_cpu_node *node, struct bp_blocks *memory, struct model *m,
                             bp_err *err)
{
    static const char *const aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
    struct bp_cpu_tree_list list;
    uint32_t aggregate, n_targets;
    bp_rc rc = bp_cpu_choice(node, "aggregate_function", "SUM", aggregates, 4, &aggregate, err);

    if (rc >= 0)
        rc = bp_cpu_transform_read(node, &m->transform, err);
    if (rc >= 0)
        rc = bp_cpu_trees_targets(node, "target_ids", &n_targets, err);
    if (rc >= 0)
        rc = bp_cpu_trees_read(node, "target", memory, &list, err);
    if (rc >= 0)
        rc = bp_cpu_trees_build(node, &list, n_targets, aggregate, bp_cpu_trees_are_double(node),
                                &m->trees, err);
    return rc < 0 ? rc : read_base(node, memory, m, err);
}

/* TreeEnsemble-5: integers for the same. */
static bp_rc build_5(struct bp_cpu_node *node, struct bp_blocks *memory, struct model *m,
                     bp_err *err)
{
    struct bp_cpu_tree_list list;
    int64_t aggregate = bp_cpu_int(node, "aggregate_function", BP_CPU_TREE_SUM);
    int64_t transform = bp_cpu_int(node, "post_transform", BP_CPU_RAW_SCORES);
    uint32_t n_targets;
    bp_rc rc = bp_cpu_trees_targets(node, "leaf_targetids", &n_targets, err);

    if (rc < 0)
        return rc;
    if (aggregate < 0 || aggregate > BP_CPU_TREE_MAX || transform < 0 ||
        transform >= BP_CPU_N_TRANSFORMS)
        return bp_cpu_fail(node, err, BP_E_INVALID,
                           "aggregate_function is %lld and post_transform %lld, not both are known",
                           (long long)aggregate, (long long)transform);
    m->transform = (uint32_t)transform;
    rc = bp_cpu_trees_read_5(node, memory, &list, err);
    return rc < 0 ? rc
                  : bp_cpu_trees_build(node, &list, n_targets, (uint32_t)aggregate,
                                       bp_cpu_trees_are_double(node), &m->trees, err);
}

typedef bp_rc (*build_fn)(struct bp_cpu_node *node, struct bp_blocks *memory, struct model *m,
                          bp_err *err);

/* The list of nodes is temporary: it is freed once the records are built. */
static bp_rc pack(struct bp_cpu_node *node, build_fn build, bp_err *err)
{
    struct bp_blocks memory = {.host = node->host};
    struct model *m = bp_cpu_node_memory(node, sizeof *m);
    bp_rc rc;

    if (!m)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a model");
    node->packed = m;
    rc = build(node, &memory, m, err);
    bp_blocks_free(&memory);
    return rc;
}

static bp_rc pack_regressor(struct bp_cpu_node *node, bp_err *err)
{
    return pack(node, build_regressor, err);
}

static bp_rc pack_5(struct bp_cpu_node *node, bp_err *err)
{
    return pack(node, build_5, err);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Converts n sums to the output's type, from element `first` on. */
static void store(uint32_t dtype, const double *from, void *to, size_t first, size_t n)
{
    float *f32 = to;
    uint16_t *f16 = to;

    if (dtype == BP_DTYPE_F64)
        memcpy((double *)to + first, from, n * sizeof *from);
    for (size_t i = 0; i < n && dtype == BP_DTYPE_F32; i++)
        f32[first + i] = (float)from[i];
    for (size_t i = 0; i < n && dtype == BP_DTYPE_F16; i++)
        f16[first + i] = bp_f16_store((float)from[i]);
}

static void finish(struct bp_cpu_call *call, double *sums, int64_t first, size_t n)
{
    const struct model *m = call->node->packed;
    size_t n_targets = m->trees.n_targets;

    for (size_t r = 0; r < n && m->base; r++) {
        for (size_t t = 0; t < n_targets; t++)
            sums[r * n_targets + t] += m->base[t];
    }
    bp_cpu_transform_targets_f64(sums, n, n_targets, m->transform);
    store(call->out[0]->dtype, sums, bp_cpu_data(call->out[0]), (size_t)first * n_targets,
          n * n_targets);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct model *m = call->node->packed;
    const bp_tensor *y = call->out[0];

    if (y->rank != 2 || y->dims[1] != m->trees.n_targets)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "it has %u targets", m->trees.n_targets);
    return bp_cpu_trees_prepare(call, sizeof(struct state), &m->trees, finish, err);
}

const struct bp_cpu_op bp_cpu_op_tree_ensemble = {
    .name = "TreeEnsemble",
    .domain = "ai.onnx.ml",
    .since = 5,
    .types =
        UINT64_C(1) << BP_DTYPE_F16 | UINT64_C(1) << BP_DTYPE_F32 | UINT64_C(1) << BP_DTYPE_F64,
    .claim = bp_cpu_claim_types,
    .pack = pack_5,
    .prepare = prepare,
    .run = bp_cpu_trees_run,
};

const struct bp_cpu_op bp_cpu_op_tree_ensemble_regressor = {
    .name = "TreeEnsembleRegressor",
    .domain = "ai.onnx.ml",
    .since = 1,
    .types = BP_CPU_ML_NUMERIC,
    .claim = bp_cpu_claim_types,
    .pack = pack_regressor,
    .prepare = prepare,
    .run = bp_cpu_trees_run,
};
