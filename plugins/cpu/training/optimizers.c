/* SPDX-License-Identifier: MIT */
/*
 * optimizers.c - Adagrad, Adam and Momentum (ai.onnx.preview.training 1).
 * Inputs are R (learning rate), T (update count, int64), then all tensors, all gradients, and all
 * tensors of each kind of state; outputs are the new tensors, then the new states. Each step is
 * element-wise; formulas are in optimizers.inc. float32 and float64.
 */

#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

#include <math.h>

/* Parameters of a step from R, T and the attributes; each operator uses some of them. */
struct step {
    double rate, norm, norm_post, alpha, beta, epsilon;
    bool is_nesterov;
};

/* One tensor: old and new values of it and of its states. */
struct part {
    const void *x, *g, *state[2];
    void *out, *new_state[2];
};

typedef void (*step_fn)(const struct step *step, const struct part *part, int64_t from, int64_t to);

#define T float
#define SQRT sqrtf
#define FN(name) name##_f32
#include "training/optimizers.inc"
#undef T
#undef SQRT
#undef FN

#define T double
#define SQRT sqrt
#define FN(name) name##_f64
#include "training/optimizers.inc"

/* What op->loops points to. */
struct kind {
    uint32_t states; /* kinds of state tensors */
    step_fn fn[2];   /* for float, double */
    struct step (*read)(const struct bp_cpu_node *node, double rate, double count);
};

struct job {
    struct step step;
    struct part part;
    step_fn fn;
    int64_t count;
    uint32_t slices;
};

/* ---- attributes ------------------------------------------------------------------------------ */

static double read_float(const struct bp_cpu_node *node, const char *name, float def)
{
    return (double)bp_cpu_float(node, name, def);
}

/* The learning rate decays with the update count: R / (1 + T * decay_factor). */
static struct step read_adagrad(const struct bp_cpu_node *node, double rate, double count)
{
    return (struct step){
        .rate = rate / (1 + count * read_float(node, "decay_factor", 0)),
        .norm = read_float(node, "norm_coefficient", 0),
        .epsilon = read_float(node, "epsilon", 1e-6f),
    };
}

/* Bias correction: the averages start from 0 and are too small in the first updates. */
static struct step read_adam(const struct bp_cpu_node *node, double rate, double count)
{
    double alpha = read_float(node, "alpha", 0.9f), beta = read_float(node, "beta", 0.999f);

    if (count > 0)
        rate *= sqrt(1 - pow(beta, count)) / (1 - pow(alpha, count));
    return (struct step){
        .rate = rate,
        .norm = read_float(node, "norm_coefficient", 0),
        .norm_post = read_float(node, "norm_coefficient_post", 0),
        .alpha = alpha,
        .beta = beta,
        .epsilon = read_float(node, "epsilon", 1e-6f),
    };
}

/* In the first update the gradient counts in full: beta is 1. */
static struct step read_momentum(const struct bp_cpu_node *node, double rate, double count)
{
    return (struct step){
        .rate = rate,
        .norm = read_float(node, "norm_coefficient", 0),
        .alpha = read_float(node, "alpha", 0),
        .beta = count > 0 ? read_float(node, "beta", 0) : 1,
        .is_nesterov = bp_node_string_is(node->graph, node->node, "mode", "", "nesterov"),
    };
}

/* ---- the operators --------------------------------------------------------------------------- */

/* R, the tensors, the gradients and the states are float32 or float64. */
static bool is_real(uint32_t dtype)
{
    return dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F64;
}

/* Input 1, the update count, is int64. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    (void)op;
    for (uint32_t i = 0; i < query->node->n_in; i++) {
        const bp_value *value = bp_node_in(query->graph, query->node, i);

        if (!value || (i == 1 ? value->dtype != BP_DTYPE_I64 : !is_real(value->dtype))) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    bp_accept(query->claims, query->index);
}

/* Each tensor, its gradient and its states must have the same type and number of elements. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct kind *kind = call->node->op->loops;
    uint32_t kinds = 2 + kind->states, n = call->n_in > 2 ? (call->n_in - 2) / kinds : 0;

    if (call->n_in < 2 || (call->n_in - 2) % kinds != 0 || call->n_out != n * (1 + kind->states) ||
        bp_cpu_count(call->in[0]) != 1 || bp_cpu_count(call->in[1]) != 1)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the inputs and outputs do not match up");
    for (uint32_t i = 0; i < n * (kinds + 1 + kind->states); i++) {
        bool is_in = i < n * kinds;
        const bp_tensor *x = call->in[2 + i % n];
        const bp_tensor *own = is_in ? call->in[2 + i] : call->out[i - n * kinds];

        if (own && (own->dtype != x->dtype || bp_cpu_count(own) != bp_cpu_count(x)))
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%s %u is not like its tensor",
                               is_in ? "input" : "output", is_in ? 2 + i : i - n * kinds);
    }
    return BP_OK;
}

static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;

    (void)worker;
    job->fn(&job->step, &job->part, bp_cpu_slice_at(job->count, i, job->slices),
            bp_cpu_slice_at(job->count, i + 1, job->slices));
}

static void *data_of(const bp_tensor *tensor)
{
    return tensor ? bp_cpu_data(tensor) : NULL;
}

/* One tensor with its states, on all threads. */
static void run_part(struct bp_cpu_call *call, const struct step *step, uint32_t i, uint32_t n)
{
    const struct kind *kind = call->node->op->loops;
    const bp_tensor *const x = call->in[2 + i];
    struct job job = {
        .step = *step,
        .part = {.x = data_of(x), .g = data_of(call->in[2 + n + i]), .out = data_of(call->out[i])},
        .fn = kind->fn[x->dtype == BP_DTYPE_F64],
        .count = bp_cpu_count(x),
    };

    for (uint32_t k = 0; k < kind->states; k++) {
        job.part.state[k] = data_of(call->in[2 + (2 + k) * n + i]);
        job.part.new_state[k] = data_of(call->out[(1 + k) * n + i]);
    }
    job.slices = bp_cpu_slices(call, job.count, 8);
    if (job.count > 0)
        bp_cpu_parallel(call, job.slices, run_slice, &job);
}

/* Tensors are updated one after another: each is large enough for all threads. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct kind *kind = call->node->op->loops;
    uint32_t n = (call->n_in - 2) / (2 + kind->states);
    const void *rate = bp_tensor_data(call->in[0]), *count = bp_tensor_data(call->in[1]);
    double r =
        call->in[0]->dtype == BP_DTYPE_F64 ? *(const double *)rate : (double)*(const float *)rate;
    struct step step = kind->read(call->node, r, (double)*(const int64_t *)count);

    (void)err;
    for (uint32_t i = 0; i < n; i++)
        run_part(call, &step, i, n);
    return BP_OK;
}

static const struct kind adagrad = {1, {adagrad_f32, adagrad_f64}, read_adagrad};
static const struct kind adam = {2, {adam_f32, adam_f64}, read_adam};
static const struct kind momentum = {1, {momentum_f32, momentum_f64}, read_momentum};

#define OPTIMIZER(row, op, kind_)                                                                  \
    const struct bp_cpu_op row = {                                                                 \
        .name = (op),                                                                              \
        .domain = "ai.onnx.preview.training",                                                      \
        .since = 1,                                                                                \
        .loops = (kind_),                                                                          \
        .claim = claim,                                                                            \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
    }

OPTIMIZER(bp_cpu_op_adagrad, "Adagrad", &adagrad);
OPTIMIZER(bp_cpu_op_adam, "Adam", &adam);
OPTIMIZER(bp_cpu_op_momentum, "Momentum", &momentum);
