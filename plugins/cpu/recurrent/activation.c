/* SPDX-License-Identifier: MIT */
/* activation.c - Activations of recurrent operators: names, parameters and loops. */

#include "recurrent/activation.h"

#include "kernels/simd/simd.h"

#include <math.h>

enum {
    AFFINE,
    ELU,
    HARD_SIGMOID,
    LEAKY_RELU,
    RELU,
    SCALED_TANH,
    SIGMOID,
    SOFTPLUS,
    SOFTSIGN,
    TANH,
    THRESHOLDED_RELU,
    N_KINDS
};

/* Defaults of ONNX and ONNX Runtime for activation_alpha and activation_beta. */
static const struct kind {
    const char *name; /* in lower case */
    bool has_alpha, has_beta;
    float alpha, beta;
} kinds[N_KINDS] = {
    [AFFINE] = {"affine", true, true, 1, 0},
    [ELU] = {"elu", true, false, 1, 0},
    [HARD_SIGMOID] = {"hardsigmoid", true, true, 0.2f, 0.5f},
    [LEAKY_RELU] = {"leakyrelu", true, false, 0.01f, 0},
    [RELU] = {"relu", false, false, 0, 0},
    [SCALED_TANH] = {"scaledtanh", true, true, 1, 1},
    [SIGMOID] = {"sigmoid", false, false, 0, 0},
    [SOFTPLUS] = {"softplus", false, false, 0, 0},
    [SOFTSIGN] = {"softsign", false, false, 0, 0},
    [TANH] = {"tanh", false, false, 0, 0},
    [THRESHOLDED_RELU] = {"thresholdedrelu", true, false, 1, 0},
};

/* Compares without case, because models spell the names in several ways. */
static bool is_name(const bp_span *text, const char *name)
{
    const char *chars = text->data;

    if (text->size != strlen(name))
        return false;
    for (size_t i = 0; i < text->size; i++) {
        int c = chars[i] >= 'A' && chars[i] <= 'Z' ? chars[i] + ('a' - 'A') : chars[i];

        if (c != name[i])
            return false;
    }
    return true;
}

static uint32_t find_kind(const bp_span *name)
{
    uint32_t i = 0;

    while (i < N_KINDS && !is_name(name, kinds[i].name))
        i++;
    return i;
}

/*
 * Elements of activation_alpha or _beta: each function that has such a parameter takes the next
 * one.
 */
struct parameters {
    const float *values;
    uint32_t count, used;
};

static struct parameters read_parameters(const bp_graph *graph, const bp_node *node,
                                         const char *name)
{
    const bp_attr *attr = bp_node_attr(graph, node, name);

    if (!attr || attr->type != BP_ATTR_FLOAT)
        return (struct parameters){NULL, 0, 0};
    return (struct parameters){attr->data, attr->count, 0};
}

static float next_parameter(struct parameters *parameters, bool is_wanted, float def)
{
    return is_wanted && parameters->used < parameters->count
               ? parameters->values[parameters->used++]
               : def;
}

const char *bp_cpu_activations_read(const bp_graph *graph, const bp_node *node,
                                    const char *const *defaults, uint32_t n_defaults,
                                    struct bp_cpu_activation *out, uint32_t count)
{
    const bp_attr *names = bp_node_attr(graph, node, "activations");
    struct parameters alpha = read_parameters(graph, node, "activation_alpha");
    struct parameters beta = read_parameters(graph, node, "activation_beta");

    if (names && (names->type != BP_ATTR_STRING || names->count == 0))
        names = NULL;
    if (names && names->count < count)
        return "there are fewer activations than the directions need";
    for (uint32_t i = 0; i < count; i++) {
        const char *def = defaults[i % n_defaults];
        bp_span name = names ? ((const bp_span *)names->data)[i] : (bp_span){def, strlen(def)};
        uint32_t kind = find_kind(&name);

        if (kind == N_KINDS)
            return "an activation is not known";
        out[i].kind = kind;
        out[i].alpha = next_parameter(&alpha, kinds[kind].has_alpha, kinds[kind].alpha);
        out[i].beta = next_parameter(&beta, kinds[kind].has_beta, kinds[kind].beta);
    }
    return NULL;
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SUFFIX)

#define T float
#define SUFFIX f32
#define DTYPE BP_DTYPE_F32
#define M(fn) fn##f
#include "recurrent/activation.inc"
#undef T
#undef SUFFIX
#undef DTYPE
#undef M

#define T double
#define SUFFIX f64
#define DTYPE BP_DTYPE_F64
#define M(fn) fn
#include "recurrent/activation.inc"
