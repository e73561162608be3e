/* SPDX-License-Identifier: MIT */
/*
 * cdist.c - CDist of com.microsoft.
 * A is [M, K], B [N, K], C [M, N].
 * C[i][j] is the Euclidean distance of row i of A from row j of B, or its square (metric
 * sqeuclidean). float32 and float64, computed in float64.
 */

#include "kernels/tensor_data.h"
#include "matmul/float_element.h"

#include <math.h>

/* A and B must have rows of the same length. */
static bp_rc prepare_cdist(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *a = call->in[0], *b = call->in[1], *y = call->out[0];

    if (a->rank != 2 || b->rank != 2 || a->dims[1] != b->dims[1] || y->rank != 2 ||
        y->dims[0] != a->dims[0] || y->dims[1] != b->dims[0])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "A, B and C do not fit together");
    return BP_OK;
}

struct job {
    const bp_tensor *a, *b, *y;
    bool takes_root;
};

/* Row i of C; each row is a task. */
static void distances(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const void *a = bp_cpu_data(job->a), *b = bp_cpu_data(job->b);
    size_t n = (size_t)job->a->dims[1], cols = (size_t)job->b->dims[0];

    (void)worker;
    for (size_t j = 0; j < cols; j++) {
        double sum = 0;

        for (size_t k = 0; k < n; k++) {
            double d =
                bp_cpu_float_at(job->a, a, i * n + k) - bp_cpu_float_at(job->b, b, j * n + k);

            sum += d * d;
        }
        bp_cpu_float_put(job->y, bp_cpu_data(job->y), i * cols + j,
                         job->takes_root ? sqrt(sum) : sum);
    }
}

/* Nothing is packed: the operator is used for few and short rows. */
static bp_rc run_cdist(struct bp_cpu_call *call, bp_err *err)
{
    struct job job = {call->in[0], call->in[1], call->out[0],
                      bp_node_string_is(call->node->graph, call->node->node, "metric",
                                        "sqeuclidean", "euclidean")};

    if (call->in[0]->dims[0] > UINT32_MAX)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "A has too many rows");
    if (bp_cpu_count(call->out[0]) > 0)
        bp_cpu_parallel(call, (uint32_t)call->in[0]->dims[0], distances, &job);
    return BP_OK;
}

/* Other metrics of scipy are not implemented. */
static void claim_cdist(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_node_string_is(query->graph, query->node, "metric", "sqeuclidean", "euclidean") ||
        bp_node_string_is(query->graph, query->node, "metric", "sqeuclidean", "sqeuclidean"))
        bp_cpu_claim_types(op, query);
    else
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "metric",
                      "only euclidean and sqeuclidean are implemented");
}

const struct bp_cpu_op bp_cpu_op_cdist = {
    .name = "CDist",
    .domain = "com.microsoft",
    .since = 1,
    .claim = claim_cdist,
    .types = UINT64_C(1) << BP_DTYPE_F32 | UINT64_C(1) << BP_DTYPE_F64,
    .prepare = prepare_cdist,
    .run = run_cdist,
};
