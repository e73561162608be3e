/* SPDX-License-Identifier: MIT */
/*
 * gather_nd.c - GatherND (ai.onnx, opsets 11, 12, 13; com.microsoft 1).
 *
 * Y[b..][i..] = X[b..][indices[b..][i..][0], indices[b..][i..][1], ...]
 *
 * The last dimension of the indices is an index tuple, which names a slice of X; from 12 on the
 * first `batch_dims` dimensions of X and indices run along together. Types: all of 8 bits and more.
 * Indices are int64; com.microsoft's may be int32, which a run widens in its scratch. nd_slices.c
 * has the offsets.
 */

#include "gather_scatter/nd_slices.h"
#include "kernels/runtime_shape.h"
#include "kernels/same_operator.h"
#include "kernels/tensor_data.h"

struct state {
    struct bp_cpu_nd_slices tuples;
    size_t slice_bytes;
    uint32_t slices; /* of the work, for the threads */
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const int64_t *indices;
    const char *data;
    char *out;
};

/* The indices as int64. */
static const int64_t *indices_of(const struct bp_cpu_call *call)
{
    const bp_tensor *indices = call->in[1];
    const int32_t *narrow = bp_cpu_data(indices);
    int64_t *wide = call->scratch;

    if (indices->dtype == BP_DTYPE_I64)
        return bp_cpu_data(indices);
    for (int64_t i = 0; i < bp_cpu_count(indices); i++)
        wide[i] = narrow[i];
    return wide;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *data = call->in[0], *indices = call->in[1];
    int64_t batch = bp_cpu_int(call->node, "batch_dims", 0);
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    if (batch < 0 || batch > BP_CPU_MAX_RANK)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "batch_dims is %lld", (long long)batch);
    rc = bp_cpu_nd_slices_make(call, data, indices, (uint32_t)batch, &state->tuples, err);
    if (rc < 0)
        return rc;
    state->slice_bytes = (size_t)state->tuples.inner * bp_cpu_width(data->dtype);
    if (bp_cpu_count(call->out[0]) != state->tuples.count * state->tuples.inner)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has another size");
    if (indices->dtype == BP_DTYPE_I32 &&
        __builtin_mul_overflow((size_t)bp_cpu_count(indices), sizeof(int64_t),
                               &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the indices are too large for int64");
    state->slices = bp_cpu_slices(call, state->tuples.count, (int64_t)(state->slice_bytes / 4) + 4);
    return BP_OK;
}

/*
 * Copies the slices of tuples from..to. `left` and `base` follow the batch along, so that there is
 * no division for each tuple. Slices of 4 and 8 bytes are copied with a constant size: one load and
 * one store.
 */
static void copy(const struct job *job, int64_t from, int64_t to)
{
    const struct bp_cpu_nd_slices *tuples = &job->state->tuples;
    size_t bytes = job->state->slice_bytes;
    int64_t left = tuples->per_batch - from % tuples->per_batch;
    int64_t base = from / tuples->per_batch * tuples->batch_step;
    char *out = job->out + (size_t)from * bytes;

    for (int64_t i = from; i < to; i++, out += bytes) {
        int64_t at = base + bp_cpu_nd_slices_at(tuples, job->indices, i);
        const char *slice = job->data + (size_t)at * bytes;

        if (bytes == 4)
            memcpy(out, slice, 4);
        else if (bytes == 8)
            memcpy(out, slice, 8);
        else
            memcpy(out, slice, bytes);
        if (--left == 0) {
            left = tuples->per_batch;
            base += tuples->batch_step;
        }
    }
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t count = job->state->tuples.count;

    (void)worker;
    copy(job, bp_cpu_slice_at(count, i, job->state->slices),
         bp_cpu_slice_at(count, i + 1, job->state->slices));
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct job job = {state, indices_of(call), bp_cpu_data(call->in[0]), bp_cpu_data(call->out[0])};
    bp_rc rc = bp_cpu_nd_slices_check(call, &state->tuples, job.indices, err);

    if (rc < 0 || state->tuples.count == 0 || state->slice_bytes == 0)
        return rc;
    bp_cpu_parallel(call, state->slices, slice, &job);
    return BP_OK;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *indices = bp_node_in(query->graph, query->node, 1);

    if (!indices || (indices->dtype != BP_DTYPE_I64 && indices->dtype != BP_DTYPE_I32))
        bp_cpu_refuse_dtype(query, 1);
    else
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_gather_nd = {
    .name = "GatherND",
    .since = 11,
    .types = BP_CPU_MOVABLE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_ms_gather_nd = {
    .name = "GatherND",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &bp_cpu_op_gather_nd,
    .claim = bp_cpu_same_claim,
    .prepare = bp_cpu_same_prepare_13,
    .run = bp_cpu_same_run,
};
