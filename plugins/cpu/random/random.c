/* SPDX-License-Identifier: MIT */
/*
 * random.c - RandomUniform, RandomNormal, RandomUniformLike, RandomNormalLike (ai.onnx, opsets 1,
 * 22) and Bernoulli (15, 22).
 *
 * RandomUniform  y = low + (high - low) * u, u uniform in [0, 1)
 * RandomNormal   y = mean + scale * n, n normal
 * Bernoulli      y = 1 with probability x, else 0
 *
 * The shape is attribute `shape`, or that of the input (Like). The type is attribute dtype, else
 * the input's, or float32. Numbers are drawn in double, in the order of the elements, on one
 * thread: a seed gives one result, whatever the number of threads (mersenne_twister.h).
 */

#include "kernels/cast/cast.h"
#include "kernels/tensor_data.h"
#include "random/mersenne_twister.h"

enum { BLOCK = BP_CPU_RANDOM_BLOCK };
enum { UNIFORM, NORMAL }; /* variants */

static const struct bp_cpu_params none;

/* Any type that double can be cast to. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    (void)op;
    if (!y || !bp_cpu_cast_loop(BP_DTYPE_F64, y->dtype))
        bp_cpu_refuse(query, BP_R_DTYPE, "output", "no number type to draw");
    else
        bp_accept(query->claims, query->index);
}

static void claim_bernoulli(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    if (!x || x->dtype >= BP_DTYPE_END || !(op->types >> x->dtype & 1))
        bp_cpu_refuse_dtype(query, 0);
    else
        claim(op, query);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = bp_cpu_in(call, 0);

    if (x && bp_cpu_count(x) != bp_cpu_count(call->out[0]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has another size");
    return BP_OK;
}

static int64_t at_most(int64_t n)
{
    return n < BLOCK ? n : BLOCK;
}

/* ---- RandomUniform, RandomNormal ------------------------------------------------------------- */

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    bool is_normal = call->node->op->variant == NORMAL;
    double low = (double)bp_cpu_float(call->node, is_normal ? "mean" : "low", 0);
    double size = (double)bp_cpu_float(call->node, is_normal ? "scale" : "high", 1);
    uint32_t dtype = call->out[0]->dtype;
    bp_cpu_unary_loop store = bp_cpu_cast_loop(BP_DTYPE_F64, dtype);
    int64_t count = bp_cpu_count(call->out[0]);
    char *y = bp_cpu_data(call->out[0]);
    struct bp_cpu_random random;
    double block[BLOCK];

    (void)err;
    if (!is_normal)
        size -= low;
    bp_cpu_random_begin(call->node, &random);
    for (int64_t at = 0; at < count; at += BLOCK) {
        int64_t n = at_most(count - at);

        if (is_normal) {
            for (int64_t i = 0; i < n; i++)
                block[i] = low + size * bp_cpu_random_normal(&random);
        } else {
            for (int64_t i = 0; i < n; i++)
                block[i] = low + size * bp_cpu_random_real(&random);
        }
        store(y + (size_t)at * bp_cpu_width(dtype), block, (size_t)n, &none);
    }
    return BP_OK;
}

/* ---- Bernoulli ------------------------------------------------------------------------------- */

/*
 * 1 with probability p. As in NumPy's binomial(), p above 1/2 and below compare with opposite ends
 * of the number, and p = 0 draws none. Values outside of 0..1 are clamped; NaN counts as 0.
 */
static double toss(struct bp_cpu_random *random, double p)
{
    if (!(p > 0))
        return 0;
    return p <= 0.5 ? bp_cpu_random_real(random) > 1 - p : bp_cpu_random_real(random) <= p;
}

static bp_rc run_bernoulli(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    uint32_t dtype = call->out[0]->dtype;
    bp_cpu_unary_loop load = bp_cpu_cast_loop(x->dtype, BP_DTYPE_F64);
    bp_cpu_unary_loop store = bp_cpu_cast_loop(BP_DTYPE_F64, dtype);
    int64_t count = bp_cpu_count(x);
    const char *from = bp_cpu_data(x);
    char *to = bp_cpu_data(call->out[0]);
    struct bp_cpu_random random;
    double block[BLOCK];

    (void)err;
    bp_cpu_random_begin(call->node, &random);
    for (int64_t at = 0; at < count; at += BLOCK) {
        int64_t n = at_most(count - at);

        load(block, from + (size_t)at * bp_cpu_width(x->dtype), (size_t)n, &none);
        for (int64_t i = 0; i < n; i++)
            block[i] = toss(&random, block[i]);
        store(to + (size_t)at * bp_cpu_width(dtype), block, (size_t)n, &none);
    }
    return BP_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

const struct bp_cpu_op bp_cpu_op_random_uniform = {
    .name = "RandomUniform",
    .since = 1,
    .variant = UNIFORM,
    .claim = claim,
    .pack = bp_cpu_random_pack,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_random_normal = {
    .name = "RandomNormal",
    .since = 1,
    .variant = NORMAL,
    .claim = claim,
    .pack = bp_cpu_random_pack,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_random_uniform_like = {
    .name = "RandomUniformLike",
    .since = 1,
    .variant = UNIFORM,
    .claim = claim,
    .pack = bp_cpu_random_pack,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_random_normal_like = {
    .name = "RandomNormalLike",
    .since = 1,
    .variant = NORMAL,
    .claim = claim,
    .pack = bp_cpu_random_pack,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_bernoulli = {
    .name = "Bernoulli",
    .since = 15,
    .types = BP_CPU_FLOATS,
    .claim = claim_bernoulli,
    .pack = bp_cpu_random_pack,
    .prepare = prepare,
    .run = run_bernoulli,
};
