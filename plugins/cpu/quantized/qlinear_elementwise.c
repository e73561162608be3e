/* SPDX-License-Identifier: MIT */
/*
 * qlinear_elementwise.c - QLinearAdd, QLinearMul, QLinearWhere, QLinearLeakyRelu, QLinearSigmoid
 * and QLinearConcat of com.microsoft.
 * y = quantise(f(dequantise(x), ...)), element by element on int8 or uint8; scales and zero points
 * are per tensor, operands broadcast. A function of one byte is a table of 256 bytes; binary
 * operators have a table of 256 floats for each operand.
 */

#include "kernels/quantize/byte_map.h"
#include "kernels/runtime_shape.h"
#include "kernels/strided.h"
#include "kernels/tensor_data.h"

enum { MAX_OPERANDS = 3 };

/* The plan of a call: operands are expanded to the output's shape where they broadcast. */
struct state {
    struct bp_cpu_strided expand[MAX_OPERANDS];
    bool is_expanded[MAX_OPERANDS];
    size_t at[MAX_OPERANDS]; /* in the scratch */
    uint32_t slices;
};

struct job;
typedef void (*elements_fn)(const struct job *job, size_t first, size_t end);

/* One run, for the threads. */
struct job {
    const struct bp_cpu_call *call;
    const uint8_t *x[MAX_OPERANDS];
    uint8_t *y;
    int64_t count;
    uint32_t slices;
    float table[2][256];
    uint8_t map[2][256];
    struct bp_cpu_byte_quant out;
    elements_fn run;
};

/* Operand n is input `input`; if it broadcasts, an expanded copy goes to the scratch. */
static bp_rc plan_operand(struct bp_cpu_call *call, uint32_t n, uint32_t input, bp_err *err)
{
    struct state *s = call->state;
    const bp_tensor *x = call->in[input], *y = call->out[0];
    bp_rc rc;

    s->at[n] = call->scratch_bytes;
    if (bp_cpu_count(x) == bp_cpu_count(y))
        return BP_OK;
    rc = bp_cpu_strided_expand(call, x, y->rank, y->dims, &s->expand[n], err);
    s->is_expanded[n] = true;
    call->scratch_bytes += (size_t)bp_cpu_count(y) / 64 * 64 + 64;
    return rc;
}

/* The data of operand n, expanded if need be. */
static const uint8_t *operand(const struct bp_cpu_call *call, uint32_t n, uint32_t input)
{
    const struct state *s = call->state;
    uint8_t *to;

    if (!s->is_expanded[n])
        return bp_cpu_data(call->in[input]);
    to = (uint8_t *)call->scratch + s->at[n];
    bp_cpu_strided_run(call, &s->expand[n], bp_cpu_data(call->in[input]), to);
    return to;
}

static bp_rc make_state(struct bp_cpu_call *call, int64_t cost, bp_err *err)
{
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->slices = bp_cpu_slices(call, bp_cpu_count(call->out[0]), cost);
    return BP_OK;
}

/* Slice i of the elements, by the operator's loop. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;

    (void)worker;
    job->run(job, (size_t)bp_cpu_slice_at(job->count, i, job->slices),
             (size_t)bp_cpu_slice_at(job->count, i + 1, job->slices));
}

static void run_job(const struct bp_cpu_call *call, struct job *job)
{
    job->call = call;
    job->y = bp_cpu_data(call->out[0]);
    job->count = bp_cpu_count(call->out[0]);
    job->slices = ((const struct state *)call->state)->slices;
    bp_cpu_parallel(call, job->slices, slice, job);
}

/* ---- QLinearAdd, QLinearMul ------------------------------------------------------------------ */

static void add(const struct job *job, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        job->y[i] =
            bp_cpu_byte_of(&job->out, job->table[0][job->x[0][i]] + job->table[1][job->x[1][i]]);
}

static void multiply(const struct job *job, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        job->y[i] =
            bp_cpu_byte_of(&job->out, job->table[0][job->x[0][i]] * job->table[1][job->x[1][i]]);
}

/* Inputs are A, A_scale, A_zero_point, B, B_scale, B_zero_point, C_scale, C_zero_point. */
static bp_rc prepare_binary(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = make_state(call, 6, err);

    if (rc >= 0)
        rc = plan_operand(call, 0, 0, err);
    return rc < 0 ? rc : plan_operand(call, 1, 3, err);
}

/* Dequantises both bytes by table, applies the loop, and quantises. */
static bp_rc run_binary(struct bp_cpu_call *call, elements_fn fn, bp_err *err)
{
    struct job job = {.run = fn};
    uint32_t dtype = call->out[0]->dtype;
    struct bp_cpu_byte_quant in;
    bp_rc rc = bp_cpu_byte_quant_read(call, 6, 7, dtype, &job.out, err);

    for (uint32_t t = 0; t < 2 && rc >= 0; t++) {
        rc = bp_cpu_byte_quant_read(call, 3 * t + 1, 3 * t + 2, dtype, &in, err);
        for (uint32_t b = 0; b < 256 && rc >= 0; b++)
            job.table[t][b] = bp_cpu_byte_value(&in, b);
    }
    if (rc < 0 || bp_cpu_count(call->out[0]) == 0)
        return rc;
    job.x[0] = operand(call, 0, 0);
    job.x[1] = operand(call, 1, 3);
    run_job(call, &job);
    return BP_OK;
}

static bp_rc run_add(struct bp_cpu_call *call, bp_err *err)
{
    return run_binary(call, add, err);
}

static bp_rc run_mul(struct bp_cpu_call *call, bp_err *err)
{
    return run_binary(call, multiply, err);
}

/* ---- functions of one byte ------------------------------------------------------------------- */

static void look_up(const struct job *job, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        job->y[i] = job->map[0][job->x[0][i]];
}

static bp_rc prepare_unary(struct bp_cpu_call *call, bp_err *err)
{
    return make_state(call, 1, err);
}

static float leaky_relu(float x, float alpha)
{
    return x < 0 ? alpha * x : x;
}

static float sigmoid(float x, float alpha)
{
    (void)alpha; /* it has none */
    return 1 / (1 + expf(-x));
}

/* Computes the function for all 256 bytes, then looks each element up. */
static bp_rc run_unary(struct bp_cpu_call *call, float (*fn)(float x, float alpha), bp_err *err)
{
    float alpha = bp_cpu_float(call->node, "alpha", 0.01f);
    struct job job = {.run = look_up};
    struct bp_cpu_byte_quant in;
    bp_rc rc = bp_cpu_byte_quant_read(call, 1, 2, call->in[0]->dtype, &in, err);

    if (rc >= 0)
        rc = bp_cpu_byte_quant_read(call, 3, 4, call->out[0]->dtype, &job.out, err);
    if (rc < 0 || bp_cpu_count(call->out[0]) == 0)
        return rc;
    for (uint32_t b = 0; b < 256; b++)
        job.map[0][b] = bp_cpu_byte_of(&job.out, fn(bp_cpu_byte_value(&in, b), alpha));
    job.x[0] = bp_cpu_data(call->in[0]);
    run_job(call, &job);
    return BP_OK;
}

static bp_rc run_leaky_relu(struct bp_cpu_call *call, bp_err *err)
{
    return run_unary(call, leaky_relu, err);
}

static bp_rc run_sigmoid(struct bp_cpu_call *call, bp_err *err)
{
    return run_unary(call, sigmoid, err);
}

/* The table that requantises bytes of input `scale` - 1 to the output's scale and zero point. */
static bp_rc read_map(const struct bp_cpu_call *call, uint32_t scale,
                      const struct bp_cpu_byte_quant *out, uint8_t *map, bp_err *err)
{
    struct bp_cpu_byte_quant in;
    bp_rc rc = bp_cpu_byte_quant_read(call, scale, scale + 1, call->out[0]->dtype, &in, err);

    for (uint32_t b = 0; b < 256 && rc >= 0; b++)
        map[b] = bp_cpu_byte_of(out, bp_cpu_byte_value(&in, b));
    return rc;
}

/* ---- QLinearWhere ---------------------------------------------------------------------------- */

static void choose(const struct job *job, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        job->y[i] = job->x[2][i] ? job->map[0][job->x[0][i]] : job->map[1][job->x[1][i]];
}

/* Inputs are condition, X with its parameters, Y with its parameters, then those of the result. */
static bp_rc prepare_where(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = make_state(call, 3, err);

    if (rc >= 0)
        rc = plan_operand(call, 0, 1, err);
    if (rc >= 0)
        rc = plan_operand(call, 1, 4, err);
    return rc < 0 ? rc : plan_operand(call, 2, 0, err);
}

static bp_rc run_where(struct bp_cpu_call *call, bp_err *err)
{
    struct job job = {.run = choose};
    bp_rc rc = bp_cpu_byte_quant_read(call, 7, 8, call->out[0]->dtype, &job.out, err);

    if (rc >= 0)
        rc = read_map(call, 2, &job.out, job.map[0], err);
    if (rc >= 0)
        rc = read_map(call, 5, &job.out, job.map[1], err);
    if (rc < 0 || bp_cpu_count(call->out[0]) == 0)
        return rc;
    job.x[0] = operand(call, 0, 1);
    job.x[1] = operand(call, 1, 4);
    job.x[2] = operand(call, 2, 0);
    run_job(call, &job);
    return BP_OK;
}

/* ---- QLinearConcat --------------------------------------------------------------------------- */

/* Inputs are y_scale, y_zero_point, then a tensor, its scale and its zero point each. */
static bp_rc prepare_concat(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *y = call->out[0];
    uint32_t axis;
    int64_t total = 0;
    bp_rc rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", 0), y->rank, &axis, err);

    if (rc < 0)
        return rc;
    for (uint32_t i = 2; i < call->n_in; i += 3) {
        const bp_tensor *x = call->in[i];
        bool fits = x && x->rank == y->rank && i + 2 < call->n_in && x->dtype == y->dtype &&
                    call->in[i + 1] && call->in[i + 1]->dtype == BP_DTYPE_F32;

        for (uint32_t d = 0; fits && d < y->rank; d++)
            fits = d == axis || x->dims[d] == y->dims[d];
        if (!fits)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "input tensor %u does not fit the result", (i - 2) / 3);
        total += x->dims[axis];
    }
    if (total != y->dims[axis])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the input tensors do not fill the result");
    return BP_OK;
}

/* Each input is requantised while it is copied. */
static bp_rc run_concat(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *y = call->out[0];
    int64_t axis = bp_cpu_int(call->node, "axis", 0), rows;
    size_t whole, at = 0;
    struct bp_cpu_byte_quant out;
    uint8_t map[256];
    bp_rc rc = bp_cpu_byte_quant_read(call, 0, 1, y->dtype, &out, err);

    axis += axis < 0 ? y->rank : 0;
    rows = bp_dims_count(y->dims, (uint32_t)axis);
    whole = (size_t)bp_dims_count(y->dims + axis, y->rank - (uint32_t)axis);
    for (uint32_t i = 2; i < call->n_in && rc >= 0; i += 3) {
        const bp_tensor *x = call->in[i];
        size_t n = (size_t)bp_dims_count(x->dims + axis, x->rank - (uint32_t)axis);
        const uint8_t *from = bp_cpu_data(x);
        uint8_t *to = (uint8_t *)bp_cpu_data(y) + at;

        rc = read_map(call, i + 1, &out, map, err);
        for (int64_t r = 0; r < rows && rc >= 0 && n > 0; r++, to += whole) {
            for (size_t k = 0; k < n; k++)
                to[k] = map[*from++];
        }
        at += n;
    }
    return rc;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    (void)op; /* the schema has checked the types */
    bp_accept(query->claims, query->index);
}

#define ROW(row, name_, prepare_, run_)                                                            \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .claim = claim,                                                                            \
        .prepare = prepare_,                                                                       \
        .run = run_,                                                                               \
    }

ROW(bp_cpu_op_qlinear_add, "QLinearAdd", prepare_binary, run_add);
ROW(bp_cpu_op_qlinear_mul, "QLinearMul", prepare_binary, run_mul);
ROW(bp_cpu_op_qlinear_leaky_relu, "QLinearLeakyRelu", prepare_unary, run_leaky_relu);
ROW(bp_cpu_op_qlinear_sigmoid, "QLinearSigmoid", prepare_unary, run_sigmoid);
ROW(bp_cpu_op_qlinear_where, "QLinearWhere", prepare_where, run_where);
ROW(bp_cpu_op_qlinear_concat, "QLinearConcat", prepare_concat, run_concat);
