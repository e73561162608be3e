/* SPDX-License-Identifier: MIT */
/*
 * clip.c - Clip (ai.onnx, opsets 1, 6, 11, 12, 13).
 *
 * y = min(max(x, lower), upper); NaN stays NaN, and upper wins where it is below lower
 *
 * Versions 1 and 6 have float attributes min and max and floats only; from 11 on both are optional
 * scalar inputs of the type of x. Version 12 adds integers, 13 bfloat16. Types: floats and
 * integers.
 */

#include "cpu.h"
#include "kernels/types/loops.h"

typedef void (*clip_loop)(void *out, const void *in, size_t n, const void *min, const void *max);

#define NAME clip
#define TEMPLATE "elementwise/arithmetic/clip.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE

static const clip_loop loops[BP_DTYPE_END] = {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
};

struct state {
    clip_loop loop;
    size_t width;
    int64_t count;
    uint32_t slices;
    bool has_min, has_max; /* versions 1 and 6: the attributes are present */
    uint64_t min, max;     /* their values in the element type */
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const char *in;
    char *out;
    const void *min, *max;
};

/* Input i must be absent or have the type of x. */
static bool is_limit(const struct bp_cpu_query *query, uint32_t i, uint32_t dtype)
{
    const bp_value *value = bp_node_in(query->graph, query->node, i);

    return !value || value->dtype == dtype;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    bool has_attrs = query->node->since < 11;

    (void)op;
    if (!x || x->dtype >= BP_DTYPE_END || !loops[x->dtype] ||
        (has_attrs && !(BP_CPU_FLOATS >> x->dtype & 1)))
        bp_cpu_refuse_dtype(query, 0);
    else if (!is_limit(query, 1, x->dtype))
        bp_cpu_refuse_dtype(query, 1);
    else if (!is_limit(query, 2, x->dtype))
        bp_cpu_refuse_dtype(query, 2);
    else
        bp_accept(query->claims, query->index);
}

/* Stores a float attribute in the element type. False: the node does not have it. */
static bool read_attr(const struct bp_cpu_call *call, const char *name, uint32_t dtype,
                      uint64_t *out)
{
    const bp_attr *attr = bp_node_attr(call->node->graph, call->node->node, name);
    float value = bp_cpu_float(call->node, name, 0);
    double as_double = (double)value;
    uint16_t as_half = dtype == BP_DTYPE_F16 ? bp_f16_store(value) : bp_bf16_store(value);

    if (!attr)
        return false;
    if (dtype == BP_DTYPE_F32)
        memcpy(out, &value, sizeof value);
    else if (dtype == BP_DTYPE_F64)
        memcpy(out, &as_double, sizeof as_double);
    else
        memcpy(out, &as_half, sizeof as_half);
    return true;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->loop = loops[x->dtype];
    state->width = bp_cpu_width(x->dtype);
    state->count = bp_cpu_count(x);
    state->slices = bp_cpu_slices(call, state->count, 1);
    if (call->node->node->since < 11) {
        state->has_min = read_attr(call, "min", x->dtype, &state->min);
        state->has_max = read_attr(call, "max", x->dtype, &state->max);
    }
    return BP_OK;
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *state = job->state;
    size_t from = (size_t)bp_cpu_slice_at(state->count, i, state->slices);
    size_t to = (size_t)bp_cpu_slice_at(state->count, i + 1, state->slices);

    (void)worker;
    state->loop(job->out + from * state->width, job->in + from * state->width, to - from, job->min,
                job->max);
}

/* A limit that is an input; NULL where it is absent or an empty tensor. */
static const void *limit(const struct bp_cpu_call *call, uint32_t i)
{
    const bp_tensor *tensor = bp_cpu_in(call, i);

    return tensor && bp_cpu_count(tensor) > 0 ? bp_tensor_data(tensor) : NULL;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct job job = {.state = state,
                      .in = bp_tensor_data(call->in[0]),
                      .out = bp_tensor_data(call->out[0]),
                      .min = state->has_min ? &state->min : limit(call, 1),
                      .max = state->has_max ? &state->max : limit(call, 2)};

    (void)err;
    if (state->count > 0)
        bp_cpu_parallel(call, state->slices, slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_clip = {
    .name = "Clip",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = loops,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
