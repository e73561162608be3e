/* SPDX-License-Identifier: MIT */
/*
 * cast.c - Cast (ai.onnx, opsets 1, 6, 9, 13, 19, 21, 23, 24, 25, 28) and CastLike (15, 19, 21, 23,
 * 24, 25).
 *
 * Y has the shape of X and the type of attribute `to`, or that of input 1 (CastLike), of which
 * nothing else is read. Version 9 adds strings, 13 bfloat16, 19 float8 with `saturate`, 21 and
 * later types below 8 bits, 24 float8e8m0 with `round_mode`. Conversions between numbers are in
 * kernels/cast/, those of text in number_text.c.
 */

#include "kernels/cast/cast.h"
#include "elementwise/number_text.h"
#include "kernels/tensor_data.h"

struct state {
    struct bp_cpu_cast cast;
    int64_t count;
    uint32_t slices;
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const void *in;
    void *out;
};

enum {
    TEXT_WORK = 256, /* bytes on the stack for one text; a longer one gets memory of its own */
    TEXT_BLOCK = 64  /* elements whose texts share one allocation */
};

/* The type that a text is parsed to, on its way to type `to`. */
static uint32_t read_as(uint32_t to)
{
    switch (bp_cpu_carrier(to)) {
    case BP_DTYPE_F32:
        return to == BP_DTYPE_F32 ? BP_DTYPE_F32 : BP_DTYPE_F64;
    case BP_DTYPE_F64:
    case BP_DTYPE_F16:
    case BP_DTYPE_BF16:
    case BP_DTYPE_BOOL:
        return BP_DTYPE_F64;
    default:
        return BP_DTYPE_I64;
    }
}

/*
 * The numeric part of the conversion; a string on either side is parsed or printed around it.
 * False: there is none.
 */
static bool make_cast(uint32_t from, uint32_t to, struct bp_cpu_cast *cast)
{
    if (from == BP_DTYPE_STRING && to == BP_DTYPE_STRING)
        return true;
    if (from == BP_DTYPE_STRING)
        from = read_as(to);
    if (to == BP_DTYPE_STRING)
        to = bp_cpu_is_packed(from) ? bp_cpu_carrier(from) : from;
    return bp_cpu_cast_make(cast, from, to);
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    const bp_value *y = bp_node_out(query->graph, query->node, 0);
    struct bp_cpu_cast cast;

    (void)op;
    if (!x || !y) {
        bp_cpu_refuse_dtype(query, 0);
    } else if (!make_cast(x->dtype, y->dtype, &cast)) {
        bp_cpu_refuse(query, BP_R_DTYPE, "to", "casting %s to %s is not implemented",
                      bp_cpu_dtype_name(x->dtype), bp_cpu_dtype_name(y->dtype));
    } else {
        bp_accept(query->claims, query->index);
    }
}

/* Attributes `saturate` (Cast-19) and `round_mode` (Cast-24). */
static bp_rc read_rounding(const struct bp_cpu_node *node, struct bp_cpu_rounding *out, bp_err *err)
{
    static const char *const modes[] = {
        [BP_CPU_UP] = "up", [BP_CPU_DOWN] = "down", [BP_CPU_TO_NEAREST] = "nearest"};

    out->saturate = bp_cpu_int(node, "saturate", 1) != 0;
    for (uint32_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (bp_node_string_is(node->graph, node->node, "round_mode", "up", modes[i])) {
            out->mode = i;
            return BP_OK;
        }
    }
    return bp_cpu_fail(node, err, BP_E_INVALID, "round_mode is none of up, down and nearest");
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    if (!make_cast(x->dtype, y->dtype, &state->cast))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "there is no such cast");
    state->count = bp_cpu_count(x);
    state->slices = bp_cpu_slices(call, state->count, 2);
    return read_rounding(call->node, &state->cast.rounding, err);
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    size_t from = (size_t)bp_cpu_slice_at(job->state->count, i, job->state->slices);
    size_t to = (size_t)bp_cpu_slice_at(job->state->count, i + 1, job->state->slices);

    (void)worker;
    bp_cpu_cast_range(&job->state->cast, job->out, job->in, from, to - from);
}

/* ---- strings --------------------------------------------------------------------------------- */

/*
 * Parses string i into *to. The parser needs 8 bytes more than the text, for the locale's decimal
 * point.
 */
static bp_rc read_text(struct bp_cpu_call *call, bp_span text, int64_t i, void *to, bp_err *err)
{
    const struct state *state = call->state;
    char small[TEXT_WORK], *work = small;

    if (text.size > sizeof small - 8)
        work = text.size < SIZE_MAX - 8 ? bp_cpu_run_memory(call, text.size + 8) : NULL;
    if (!work)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for string %lld", (long long)i);
    if (!bp_cpu_text_to_number(text, state->cast.from, to, work)) {
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "string %lld, '%.*s', is not a number",
                           (long long)i, text.size < 40 ? (int)text.size : 40,
                           text.size > 0 ? (const char *)text.data : "");
    }
    return BP_OK;
}

/* Parses TEXT_BLOCK strings at a time, then converts them to the type of Y. */
static bp_rc run_from_text(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const bp_span *from = bp_cpu_data(call->in[0]);
    size_t width = bp_cpu_width(state->cast.from);
    char *to = bp_cpu_data(call->out[0]);
    uint64_t read[TEXT_BLOCK];

    for (int64_t i = 0; i < state->count; i += TEXT_BLOCK) {
        int64_t n = state->count - i < TEXT_BLOCK ? state->count - i : TEXT_BLOCK;

        for (int64_t k = 0; k < n; k++) {
            bp_rc rc = read_text(call, from[i + k], i + k, (char *)read + (size_t)k * width, err);

            if (rc < 0)
                return rc;
        }
        bp_cpu_cast_range(&state->cast, to + bp_cpu_bytes_of(state->cast.to, (size_t)i), read, 0,
                          (size_t)n);
    }
    return BP_OK;
}

/* Prints n contiguous elements; their texts share one allocation of the run's memory. */
static bp_rc store_texts(struct bp_cpu_call *call, uint32_t dtype, const char *from, bp_span *to,
                         size_t n, bp_err *err)
{
    char text[TEXT_BLOCK * BP_CPU_NUMBER_TEXT], *own;
    size_t size = 0;

    for (size_t k = 0; k < n; k++) {
        to[k].size = bp_cpu_number_to_text(dtype, from + k * bp_cpu_width(dtype), text + size);
        size += to[k].size;
    }
    own = bp_cpu_run_memory(call, size);
    if (!own)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for %zu bytes of strings", size);
    memcpy(own, text, size);
    for (size_t k = 0; k < n; k++) {
        to[k].data = (void *)own;
        own += to[k].size;
    }
    return BP_OK;
}

/* Elements below 8 bits are unpacked to float first. */
static bp_rc run_to_text(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const char *from = bp_cpu_data(call->in[0]);
    bp_span *to = bp_cpu_data(call->out[0]);
    float loaded[TEXT_BLOCK];
    uint32_t dtype = state->cast.to;
    bp_rc rc = BP_OK;

    for (int64_t i = 0; i < state->count && rc >= 0; i += TEXT_BLOCK) {
        int64_t n = state->count - i < TEXT_BLOCK ? state->count - i : TEXT_BLOCK;
        const char *at = from + bp_cpu_bytes_of(state->cast.from, (size_t)i);

        if (bp_cpu_is_packed(state->cast.from)) {
            bp_cpu_low_precision_load(state->cast.from, loaded, at, 0, (size_t)n);
            at = (const char *)loaded;
        }
        rc = store_texts(call, dtype, at, to + i, (size_t)n, err);
    }
    return rc;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *x = call->in[0], *y = call->out[0];
    struct job job = {state, bp_cpu_data(x), bp_cpu_data(y)};

    if (state->count == 0)
        return BP_OK;
    if (x->dtype == BP_DTYPE_STRING && y->dtype == BP_DTYPE_STRING)
        memcpy(job.out, job.in, (size_t)state->count * sizeof(bp_span));
    else if (x->dtype == BP_DTYPE_STRING)
        return run_from_text(call, err);
    else if (y->dtype == BP_DTYPE_STRING)
        return run_to_text(call, err);
    else
        bp_cpu_parallel(call, state->slices, slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_cast = {
    .name = "Cast",
    .since = 1,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_cast_like = {
    .name = "CastLike",
    .since = 15,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
