/* SPDX-License-Identifier: MIT */
/*
 * linear_attention.c - LinearAttention (opset 27).
 * query is [B, T, heads * Dk], key [B, T, kv heads * Dk], value [B, T, kv heads * Dv]; the output
 * is [B, T, heads * Dv].
 * Each kv head has a state matrix S [Dk, Dv]. At each position S = exp(decay) * S (gated), then S
 * += k' v, or with beta (delta rule) S += beta * k' (v - k S); y = scale * q S.
 * past_state and present_state are [B, kv heads, Dk, Dv]. The cost is linear in T, but positions
 * are sequential.
 */

#include "kernels/cast/cast.h"
#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

#include <math.h>

enum { QUERY, KEY, VALUE, PAST, DECAY, BETA, ERASE };

/* The plan of a call. */
struct state {
    int64_t batch, length, q_heads, kv_heads, k_size, v_size;
    bool has_beta, decays_by_head, beta_by_head;
    double scale;
    size_t width, worker_bytes;
    bp_cpu_unary_loop load, store; /* of the state, whose type may be another one */
    size_t past_width, present_width;
    uint32_t slices;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const void *q, *k, *v, *decay, *beta, *erase; /* the last three may be NULL */
    const char *past;                             /* or NULL */
    char *present;                                /* or NULL */
    void *y;
    char *scratch;
};

static const struct bp_cpu_params none;

/* The past state of a head in the computation's type, or zeros. */
static void load_state(const struct job *job, int64_t at, void *to)
{
    const struct state *s = job->state;
    size_t n = (size_t)(s->k_size * s->v_size);

    if (job->past)
        s->load(to, job->past + (size_t)at * s->past_width, n, &none);
    else
        memset(to, 0, n * s->width);
}

/* Writes the state after the last position, if it is wanted. */
static void store_state(const struct job *job, int64_t at, const void *from)
{
    const struct state *s = job->state;

    if (job->present)
        s->store(job->present + (size_t)at * s->present_width, from,
                 (size_t)(s->k_size * s->v_size), &none);
}

#define T float
#define EXP expf
#define FN(name) name##_f32
#include "attention/linear_attention.inc"
#undef T
#undef EXP
#undef FN

#define T double
#define EXP exp
#define FN(name) name##_f64
#include "attention/linear_attention.inc"

/* ---- prepare --------------------------------------------------------------------------------- */

/* All inputs are of floating-point types; the state may have another one than query. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    for (uint32_t i = 1; i < query->node->n_in; i++) {
        const bp_value *value = bp_node_in(query->graph, query->node, i);

        if (value && (value->dtype >= BP_DTYPE_END || !(op->types >> value->dtype & 1))) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    bp_cpu_claim_types(op, query);
}

/* Whether an optional input is [batch, length, n] of query's type. */
static bool is_gate(const struct bp_cpu_call *call, uint32_t i, int64_t n)
{
    const bp_tensor *gate = bp_cpu_in(call, i), *q = call->in[QUERY];

    return !gate || (gate->rank == 3 && gate->dtype == q->dtype && gate->dims[0] == q->dims[0] &&
                     gate->dims[1] == q->dims[1] && gate->dims[2] == n);
}

/* decay and beta go by head or by element. */
static bool read_gates(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *decay = bp_cpu_in(call, DECAY), *beta = bp_cpu_in(call, BETA);
    int64_t all = s->kv_heads * s->k_size;

    s->has_beta = beta != NULL;
    s->beta_by_head = beta && beta->rank == 3 && beta->dims[2] == s->kv_heads;
    s->decays_by_head = decay && decay->rank == 3 && decay->dims[2] == s->kv_heads;
    return is_gate(call, DECAY, s->decays_by_head ? s->kv_heads : all) &&
           is_gate(call, BETA, s->beta_by_head ? s->kv_heads : 1) && is_gate(call, ERASE, all);
}

/* All sizes from the shapes and the head counts; false: they contradict each other. */
static bool read_sizes(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *q = call->in[QUERY], *past = bp_cpu_in(call, PAST);
    const bp_tensor *present = bp_cpu_out(call, 1);
    int64_t count;

    s->q_heads = bp_cpu_int(call->node, "q_num_heads", 0);
    s->kv_heads = bp_cpu_int(call->node, "kv_num_heads", 0);
    if (q->rank != 3 || call->in[VALUE]->rank != 3 || s->kv_heads < 1 || s->q_heads < 1 ||
        s->q_heads % s->kv_heads != 0)
        return false;
    s->batch = q->dims[0];
    s->length = q->dims[1];
    s->k_size = q->dims[2] / s->q_heads;
    s->v_size = call->in[VALUE]->dims[2] / s->kv_heads;
    if (__builtin_mul_overflow(s->k_size, s->v_size, &count) ||
        __builtin_mul_overflow(count, s->batch * s->kv_heads, &count))
        return false;
    return q->dims[2] == s->q_heads * s->k_size && is_gate(call, KEY, s->kv_heads * s->k_size) &&
           is_gate(call, VALUE, s->kv_heads * s->v_size) &&
           (!past || bp_cpu_count(past) == count) && (!present || bp_cpu_count(present) == count) &&
           bp_cpu_count(call->out[0]) == s->batch * s->length * s->q_heads * s->v_size;
}

/* A worker's scratch is one state and one value. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *past = bp_cpu_in(call, PAST), *present = bp_cpu_out(call, 1);
    uint32_t dtype = call->in[QUERY]->dtype;
    struct state *s;
    size_t bytes;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (!read_sizes(call, s) || !read_gates(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the inputs do not fit together");
    s->scale = (double)bp_cpu_float(call->node, "scale", 0);
    if (!(s->scale < 0 || s->scale > 0))
        s->scale = 1 / sqrt((double)(s->k_size > 0 ? s->k_size : 1));
    s->width = bp_cpu_width(dtype);
    s->past_width = past ? bp_cpu_width(past->dtype) : 0;
    s->present_width = present ? bp_cpu_width(present->dtype) : 0;
    s->load = past ? bp_cpu_cast_loop(past->dtype, dtype) : NULL;
    s->store = present ? bp_cpu_cast_loop(dtype, present->dtype) : NULL;
    if (__builtin_mul_overflow((size_t)(s->k_size * s->v_size + s->v_size), s->width, &bytes) ||
        __builtin_add_overflow(bytes, 64, &s->worker_bytes) ||
        __builtin_mul_overflow(s->worker_bytes / 64 * 64, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the state is too large");
    s->worker_bytes = s->worker_bytes / 64 * 64;
    s->slices = bp_cpu_slices(call, bp_cpu_count(call->out[0]), s->k_size + 8);
    if (s->slices > s->batch * s->kv_heads && s->batch > 0)
        s->slices = (uint32_t)(s->batch * s->kv_heads);
    return BP_OK;
}

/* ---- run ------------------------------------------------------------------------------------- */

/* Heads of all batches are shared out to the threads; positions are sequential. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t heads = s->batch * s->kv_heads, n = s->slices;
    int64_t end = heads / n * (i + 1) + heads % n * (i + 1) / n;
    char *own = job->scratch + worker * s->worker_bytes;

    for (int64_t h = heads / n * i + heads % n * i / n; h < end; h++) {
        if (s->width == sizeof(float))
            run_head_f32(job, h / s->kv_heads, h % s->kv_heads, own);
        else
            run_head_f64(job, h / s->kv_heads, h % s->kv_heads, own);
    }
}

/* The data of an optional input. */
static const void *data_of(const struct bp_cpu_call *call, uint32_t i)
{
    const bp_tensor *tensor = bp_cpu_in(call, i);

    return tensor ? bp_cpu_data(tensor) : NULL;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {
        .state = s,
        .q = data_of(call, QUERY),
        .k = data_of(call, KEY),
        .v = data_of(call, VALUE),
        .decay = data_of(call, DECAY),
        .beta = data_of(call, BETA),
        .erase = data_of(call, ERASE),
        .past = data_of(call, PAST),
        .present = bp_cpu_out(call, 1) ? bp_cpu_data(call->out[1]) : NULL,
        .y = bp_cpu_data(call->out[0]),
        .scratch = call->scratch,
    };

    (void)err;
    if (s->batch > 0)
        bp_cpu_parallel(call, s->slices, run_slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_linear_attention = {
    .name = "LinearAttention",
    .since = 27,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .claim = claim,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
