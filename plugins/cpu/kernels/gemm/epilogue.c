/* SPDX-License-Identifier: MIT */
/* epilogue.c - activations of fused operators: their names, default parameters and loops. */

#include "kernels/gemm/epilogue.h"

#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"
#include "kernels/vector_math.h"

enum {
    NONE,
    RELU,
    LEAKY_RELU,
    SIGMOID,
    TANH,
    CLIP,
    HARD_SIGMOID,
    HARD_SWISH,
    ELU,
    SELU,
    SOFTPLUS,
    SOFTSIGN,
    THRESHOLDED_RELU,
    N_KINDS
};

/* The attribute for the second parameter: beta, but gamma for Selu. */
static const struct kind {
    const char *name, *second;
    float a, b;
} kinds[N_KINDS] = {
    [NONE] = {"", NULL, 0, 0},
    [RELU] = {"Relu", NULL, 0, 0},
    [LEAKY_RELU] = {"LeakyRelu", NULL, 0.01f, 0},
    [SIGMOID] = {"Sigmoid", NULL, 0, 0},
    [TANH] = {"Tanh", NULL, 0, 0},
    [CLIP] = {"Clip", "activation_beta", -3.402823466e+38f, 3.402823466e+38f},
    [HARD_SIGMOID] = {"HardSigmoid", "activation_beta", 0.2f, 0.5f},
    [HARD_SWISH] = {"HardSwish", NULL, 0, 0},
    [ELU] = {"Elu", NULL, 1, 0},
    [SELU] = {"Selu", "activation_gamma", 1.67326319217681884765625f, 1.05070102214813232421875f},
    [SOFTPLUS] = {"Softplus", NULL, 0, 0},
    [SOFTSIGN] = {"Softsign", NULL, 0, 0},
    [THRESHOLDED_RELU] = {"ThresholdedRelu", NULL, 1, 0},
};

bool bp_cpu_epilogue_read(const bp_graph *graph, const bp_node *node, struct bp_cpu_epilogue *out)
{
    const bp_attr *params = bp_node_attr(graph, node, "activation_params");
    uint32_t kind = 0;

    while (kind < N_KINDS && !bp_node_string_is(graph, node, "activation", "", kinds[kind].name))
        kind++;
    if (kind == N_KINDS)
        return false;
    out->kind = kind;
    out->a = (double)bp_node_float(graph, node, "activation_alpha", kinds[kind].a);
    out->b = (double)kinds[kind].b;
    if (kinds[kind].second)
        out->b = (double)bp_node_float(graph, node, kinds[kind].second, kinds[kind].b);
    if (params && params->type == BP_ATTR_FLOAT && params->count > 0)
        out->a = (double)((const float *)params->data)[0];
    if (params && params->type == BP_ATTR_FLOAT && params->count > 1)
        out->b = (double)((const float *)params->data)[1];
    return true;
}

bool bp_cpu_epilogue_claim(const struct bp_cpu_query *query)
{
    struct bp_cpu_epilogue epilogue;

    if (bp_cpu_epilogue_read(query->graph, query->node, &epilogue))
        return true;
    bp_cpu_refuse(query, BP_R_ATTRIBUTE, "activation", "the activation is not implemented");
    return false;
}

#define T float
#define F(fn) bp_##fn##f
#define FN(name) name##_f32
#include "kernels/gemm/epilogue.inc"

#define T double
#define F(fn) bp_##fn
#define FN(name) name##_f64
#include "kernels/gemm/epilogue.inc"

enum { NEAR_BYTES = 8192 }; /* a block stays in the L1 cache between the sum and the activation */

void bp_cpu_epilogue_block(const struct bp_cpu_epilogue *epilogue, uint32_t dtype, const void *z,
                           void *y, size_t n)
{
    size_t width = dtype == BP_DTYPE_F64 ? 8 : 4, step = NEAR_BYTES / width;
    const char *from = z;
    char *to = y;

    for (size_t i = 0; i < n; i += step) {
        size_t part = n - i < step ? n - i : step;

        if (dtype == BP_DTYPE_F64)
            finish_f64(epilogue, from ? from + i * width : NULL, to + i * width, part);
        else
            finish_f32(epilogue, from ? from + i * width : NULL, to + i * width, part);
    }
}

struct job {
    const struct bp_cpu_epilogue *epilogue;
    const char *z;
    char *y;
    int64_t count;
    uint32_t slices;
    bool is_double;
};

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t from = bp_cpu_slice_at(job->count, i, job->slices);
    size_t n = (size_t)(bp_cpu_slice_at(job->count, i + 1, job->slices) - from);
    size_t at = (size_t)from * (job->is_double ? 8 : 4);

    (void)worker;
    if (job->is_double)
        finish_f64(job->epilogue, job->z ? job->z + at : NULL, job->y + at, n);
    else
        finish_f32(job->epilogue, job->z ? job->z + at : NULL, job->y + at, n);
}

void bp_cpu_epilogue_run(const struct bp_cpu_call *call, const struct bp_cpu_epilogue *epilogue,
                         const bp_tensor *z, const bp_tensor *y)
{
    struct job job = {.epilogue = epilogue,
                      .y = bp_cpu_data(y),
                      .count = bp_cpu_count(y),
                      .is_double = y->dtype == BP_DTYPE_F64};

    if (job.count == 0 || bp_cpu_epilogue_is_empty(epilogue, z))
        return;
    job.z = z ? bp_cpu_data(z) : NULL;
    job.slices = bp_cpu_slices(call, job.count, 4);
    bp_cpu_parallel(call, job.slices, slice, &job);
}
