/* SPDX-License-Identifier: MIT */
/*
 * flex_attention.c - FlexInputs and FlexWeights (org.backplane 1).
 * The host replaces a FlexAttention that has subgraphs by ONNX's operators and these two.
 * FlexInputs converts Q, K and V to the computation's type and scales Q by 1 / sqrt(H) or attribute
 * scale.
 * FlexWeights only has a shape rule of its own: it is a view.
 */

#include "kernels/cast/cast.h"
#include "kernels/tensor_data.h"

#include <math.h>

enum { Q, K, V, N_IN };

/* The plan of a call. */
struct state {
    struct bp_cpu_map maps[N_IN];
    double scale;
};

/* Elements of Q, converted in place before. */
struct job {
    const struct state *state;
    void *q;
    bool is_double;
};

/* Each of Q, K, V has its own conversion; absent outputs are not computed. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *q = call->in[Q];
    bool has_scale = bp_node_attr(call->node->graph, call->node->node, "scale") != NULL;
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    for (uint32_t i = 0; i < N_IN; i++) {
        bp_cpu_unary_loop loop = NULL;

        if (!call->out[i])
            continue;
        if (call->out[i]->dtype == BP_DTYPE_F32 || call->out[i]->dtype == BP_DTYPE_F64)
            loop = bp_cpu_cast_loop(call->in[i]->dtype, call->out[i]->dtype);
        if (!loop || bp_cpu_count(call->in[i]) != bp_cpu_count(call->out[i]))
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Q, K and V do not fit together");
        s->maps[i] = bp_cpu_map_make(call, loop, 2, call->in[i], call->out[i]);
    }
    if (q->rank != 4)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Q has not rank 4");
    s->scale = has_scale ? (double)bp_cpu_float(call->node, "scale", 1)
                         : 1 / sqrt(q->dims[3] > 0 ? (double)q->dims[3] : 1);
    return BP_OK;
}

/* Scales slice i of Q, which is converted already. */
static void scale_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_map *map = &job->state->maps[Q];
    int64_t from = bp_cpu_slice_at(map->count, i, map->slices);
    int64_t to = bp_cpu_slice_at(map->count, i + 1, map->slices);
    float *f32 = job->q, factor = (float)job->state->scale;
    double *f64 = job->q;

    (void)worker;
    if (job->is_double) {
        for (int64_t k = from; k < to; k++)
            f64[k] *= job->state->scale;
    } else {
        for (int64_t k = from; k < to; k++)
            f32[k] *= factor;
    }
}

/* Q is scaled after its conversion, in the type of the computation. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {.state = s};

    (void)err;
    for (uint32_t i = 0; i < N_IN; i++) {
        if (call->out[i])
            bp_cpu_map_run(call, &s->maps[i], bp_cpu_data(call->in[i]), bp_cpu_data(call->out[i]));
    }
    if (!call->out[Q] || s->maps[Q].count == 0)
        return BP_OK;
    job.q = bp_cpu_data(call->out[Q]);
    job.is_double = call->out[Q]->dtype == BP_DTYPE_F64;
    bp_cpu_parallel(call, s->maps[Q].slices, scale_slice, &job);
    return BP_OK;
}

/* Runs only if the host could not let both tensors share their memory. */
static bp_rc run_copy(struct bp_cpu_call *call, bp_err *err)
{
    size_t bytes = (size_t)bp_cpu_count(call->out[0]) * bp_cpu_width(call->out[0]->dtype);
    const void *from = bp_cpu_data(call->in[0]);
    void *to = bp_cpu_data(call->out[0]);

    if (bp_cpu_count(call->in[0]) != bp_cpu_count(call->out[0]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the weights do not fit Q and K");
    if (to != from)
        memcpy(to, from, bytes);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_flex_inputs = {
    .name = "FlexInputs",
    .domain = "org.backplane",
    .since = 1,
    .types = BP_CPU_FLOATS,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_flex_weights = {
    .name = "FlexWeights",
    .domain = "org.backplane",
    .since = 1,
    .flags = BP_CPU_VIEW,
    .types = BP_CPU_FLOATS,
    .run = run_copy,
};
