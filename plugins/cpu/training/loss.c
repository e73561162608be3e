/* SPDX-License-Identifier: MIT */
/*
 * loss.c - NegativeLogLikelihoodLoss (opsets 12, 13, 22) and SoftmaxCrossEntropyLoss (12, 13).
 * X is [N, C, d1, ...], labels [N, d1, ...] (int32 or int64), weights [C].
 * NegativeLogLikelihoodLoss: loss = -x[label] * weight[label]. SoftmaxCrossEntropyLoss: the same of
 * log softmax(x) over C, which is the second output. reduction: none gives [N, d1, ...], sum and
 * mean a scalar; mean divides by the sum of the weights. Labels of ignore_index contribute nothing.
 */

#include "kernels/cast/widen.h"
#include "kernels/simd/simd.h"
#include "kernels/tensor_data.h"

#include <math.h>

enum { X, LABELS, WEIGHTS };
enum { NONE, SUM, MEAN };
enum { LIKELIHOOD, ENTROPY }; /* variants */
enum { COLUMNS = 64 };        /* columns that are reduced together */

struct state {
    const struct bp_cpu_simd *simd;
    int64_t batch, classes, plane; /* x seen as batch x classes x plane */
    int64_t strips;                /* of an image: blocks of COLUMNS */
    bool is_entropy, has_ignored;
    int64_t ignored;
    uint32_t reduction, slices;
};

struct job {
    const struct state *state;
    const void *x;
    void *log_prob; /* or NULL */
    double *sums;   /* log of the sum of exponentials, one for each label */
};

/* ---- prepare --------------------------------------------------------------------------------- */

/* Attribute reduction; the default is mean. */
static uint32_t read_reduction(const struct bp_cpu_node *node)
{
    if (bp_node_string_is(node->graph, node->node, "reduction", "mean", "none"))
        return NONE;
    return bp_node_string_is(node->graph, node->node, "reduction", "mean", "sum") ? SUM : MEAN;
}

/* Whether types and element counts of all tensors agree. */
static bool fits(const struct bp_cpu_call *call, const struct state *s)
{
    const bp_tensor *x = call->in[X], *labels = call->in[LABELS], *loss = call->out[0];
    const bp_tensor *weights = bp_cpu_in(call, WEIGHTS), *log_prob = bp_cpu_out(call, 1);

    return (labels->dtype == BP_DTYPE_I32 || labels->dtype == BP_DTYPE_I64) &&
           bp_cpu_count(labels) == s->batch * s->plane &&
           (!weights || (weights->dtype == x->dtype && bp_cpu_count(weights) == s->classes)) &&
           (!loss || bp_cpu_count(loss) == (s->reduction == NONE ? bp_cpu_count(labels) : 1)) &&
           (!log_prob || bp_cpu_count(log_prob) == bp_cpu_count(x));
}

/* X is seen as [batch][classes][plane]. The entropy needs one float64 of scratch for each label. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[X];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (x->rank < 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "input 0 has no dimension of classes");
    s->simd = bp_cpu_simd(x->dtype);
    s->batch = x->dims[0];
    s->classes = x->dims[1];
    s->plane = bp_dims_count(x->dims + 2, x->rank - 2);
    s->strips = (s->plane + COLUMNS - 1) / COLUMNS;
    s->is_entropy = call->node->op->variant == ENTROPY;
    s->has_ignored = bp_node_attr(call->node->graph, call->node->node, "ignore_index") != NULL;
    s->ignored = bp_cpu_int(call->node, "ignore_index", 0);
    s->reduction = read_reduction(call->node);
    s->slices = bp_cpu_slices(call, bp_cpu_count(x), 8);
    if (!fits(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "inputs and outputs do not fit together");
    if (s->is_entropy && __builtin_mul_overflow((size_t)bp_cpu_count(call->in[LABELS]),
                                                sizeof(double), &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "there are too many labels");
    return BP_OK;
}

/* ---- run ------------------------------------------------------------------------------------- */

#define T float
#define FN(name) name##_f32
#include "training/log_sums.inc"
#undef T
#undef FN

#define T double
#define FN(name) name##_f64
#include "training/log_sums.inc"

/* Element i as float64. */
static double load(const bp_tensor *tensor, int64_t i)
{
    const void *data = bp_cpu_data(tensor);

    return tensor->dtype == BP_DTYPE_F64 ? ((const double *)data)[i]
                                         : (double)((const float *)data)[i];
}

/* Rounds to the output's type. */
static void store(bp_tensor *tensor, int64_t i, double v)
{
    void *data = bp_cpu_data(tensor);

    if (tensor->dtype == BP_DTYPE_F64)
        ((double *)data)[i] = v;
    else
        ((float *)data)[i] = (float)v;
}

/* Label i, int32 or int64. */
static int64_t label_at(const bp_tensor *labels, int64_t i)
{
    const void *data = bp_cpu_data(labels);

    return labels->dtype == BP_DTYPE_I64 ? ((const int64_t *)data)[i] : ((const int32_t *)data)[i];
}

/* Without ignore_index every label counts. */
static bool is_ignored(const struct state *s, int64_t label)
{
    return s->has_ignored && label == s->ignored;
}

/* Labels are indices from the model's user: all are checked before the first is used. */
static bp_rc check_labels(const struct bp_cpu_call *call, const struct state *s, bp_err *err)
{
    const bp_tensor *labels = call->in[LABELS];
    int64_t n = bp_cpu_count(labels);

    for (int64_t i = 0; i < n; i++) {
        int64_t label = label_at(labels, i);

        if ((label < 0 || label >= s->classes) && !is_ignored(s, label))
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "label %lld is %lld, but there are %lld classes", (long long)i,
                               (long long)label, (long long)s->classes);
    }
    return BP_OK;
}

/*
 * Reads one element for each label, and reduces in float64. sums NULL: X holds log probabilities
 * already.
 */
static void take_losses(const struct bp_cpu_call *call, const double *sums)
{
    const struct state *s = call->state;
    const bp_tensor *x = call->in[X], *weights = bp_cpu_in(call, WEIGHTS);
    int64_t n = s->batch * s->plane;
    double total = 0, weight_total = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t label = label_at(call->in[LABELS], i), image = i / s->plane;
        double weight = 0, loss = 0;

        if (!is_ignored(s, label)) {
            double v = load(x, (image * s->classes + label) * s->plane + i % s->plane);

            weight = weights ? load(weights, label) : 1;
            loss = ((sums ? sums[i] : 0) - v) * weight;
        }
        total += loss;
        weight_total += weight;
        if (s->reduction == NONE)
            store(call->out[0], i, loss);
    }
    if (s->reduction != NONE)
        store(call->out[0], 0, s->reduction == MEAN ? total / weight_total : total);
}

/* The softmax runs on the threads, the reduction on one, so that its order is fixed. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *x = call->in[X];
    struct job job = {.state = s};
    bp_rc rc = check_labels(call, s, err);

    if (rc < 0)
        return rc;
    if (s->is_entropy && bp_cpu_count(x) > 0) {
        job.x = bp_cpu_data(x);
        job.log_prob = bp_cpu_out(call, 1) ? bp_cpu_data(call->out[1]) : NULL;
        job.sums = call->scratch;
        bp_cpu_parallel(call, s->slices, x->dtype == BP_DTYPE_F64 ? run_slice_f64 : run_slice_f32,
                        &job);
    }
    if (call->out[0])
        take_losses(call, job.sums);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_negative_log_likelihood_loss = {
    .name = "NegativeLogLikelihoodLoss",
    .since = 12,
    .variant = LIKELIHOOD,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

const struct bp_cpu_op bp_cpu_op_softmax_cross_entropy_loss = {
    .name = "SoftmaxCrossEntropyLoss",
    .since = 12,
    .variant = ENTROPY,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
