/* SPDX-License-Identifier: MIT */
/*
 * swiglu.c - SwiGLU (ai.onnx, opset 28).
 *
 * y = a * sigmoid(alpha * a) * b, alpha = 1 by default; a, b and y have one shape
 *
 * Types: floats. The sigmoid is computed once an element, in one pass over both inputs.
 */

#include "elementwise/activation/gates.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

typedef void (*swiglu_loop)(void *out, const void *a, const void *b, size_t n, double factor);

#define NAME swiglu
#define TEMPLATE "elementwise/activation/swiglu.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE

static const swiglu_loop loops[BP_DTYPE_END] = {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
};

struct state {
    swiglu_loop loop;
    size_t width;
    int64_t count;
    double alpha;
    uint32_t slices;
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const char *a, *b;
    char *out;
};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *a = bp_node_in(query->graph, query->node, 0);
    const bp_value *b = bp_node_in(query->graph, query->node, 1);

    (void)op;
    if (!a || a->dtype >= BP_DTYPE_END || !loops[a->dtype])
        bp_cpu_refuse_dtype(query, 0);
    else if (!b || b->dtype != a->dtype)
        bp_cpu_refuse_dtype(query, 1);
    else
        bp_accept(query->claims, query->index);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *a = call->in[0];
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    if (bp_cpu_count(a) != bp_cpu_count(call->in[1]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "A and B differ in size");
    state = call->state;
    state->loop = loops[a->dtype];
    state->width = bp_cpu_width(a->dtype);
    state->count = bp_cpu_count(a);
    state->alpha = (double)bp_cpu_float(call->node, "alpha", 1);
    state->slices = bp_cpu_slices(call, state->count, 10);
    return BP_OK;
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *state = job->state;
    size_t from = (size_t)bp_cpu_slice_at(state->count, i, state->slices);
    size_t to = (size_t)bp_cpu_slice_at(state->count, i + 1, state->slices);
    size_t at = from * state->width;

    (void)worker;
    state->loop(job->out + at, job->a + at, job->b + at, to - from, state->alpha);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct job job = {state, bp_cpu_data(call->in[0]), bp_cpu_data(call->in[1]),
                      bp_cpu_data(call->out[0])};

    (void)err;
    if (state->count > 0)
        bp_cpu_parallel(call, state->slices, slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_swiglu = {
    .name = "SwiGLU",
    .since = 28,
    .flags = BP_CPU_IN_PLACE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
