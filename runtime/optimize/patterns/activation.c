/* SPDX-License-Identifier: MIT */
/*
 * activation.c - reads the parameters of an activation that fused operators of com.microsoft apply.
 */

#include "config.h"

#include <float.h>

#include "optimize/patterns/activation.h"

/* A float attribute; the default stays when it is absent. */
static void read_float(const struct bp_ir_node *node, const char *name, float *out)
{
    const bp_attr *attr = bp_ir_attr(node, name);

    if (attr && attr->type == BP_ATTR_FLOAT && attr->count == 1)
        *out = *(const float *)attr->data;
}

/*
 * Clip's limits are attributes before opset 11, inputs from then on. They must be constants here.
 */
static bool read_clip(struct bp_rewrite *rw, const struct bp_ir_node *node,
                      struct bp_activation *out)
{
    double limits[2] = {(double)-FLT_MAX, (double)FLT_MAX};

    out->n_params = 2;
    out->params[0] = -FLT_MAX;
    out->params[1] = FLT_MAX;
    read_float(node, "min", &out->params[0]);
    read_float(node, "max", &out->params[1]);
    for (uint32_t i = 0; i < 2 && node->schema->since >= 11; i++) {
        if (bp_rw_in(node, i + 1) != BP_NONE && !bp_rw_float(rw, node->in[i + 1], &limits[i]))
            return false;
        out->params[i] = (float)limits[i];
        if ((double)out->params[i] != limits[i])
            return false; /* a float64 limit that float32 can't represent */
    }
    return out->params[0] <= out->params[1];
}

/* Defaults as in ONNX: LeakyRelu alpha 0.01; HardSigmoid alpha 0.2, beta 0.5. */
bool bp_activation_read(struct bp_rewrite *rw, uint32_t n, struct bp_activation *out)
{
    static const char *const names[] = {"Relu",      "Sigmoid",     "Tanh",
                                        "LeakyRelu", "HardSigmoid", "Clip"};
    const struct bp_ir_node *node = n == BP_NONE ? NULL : bp_rw_node(rw, n);

    *out = (struct bp_activation){0};
    for (size_t i = 0; node && !node->domain[0] && i < sizeof names / sizeof names[0]; i++) {
        if (bp_rw_is(rw, n, names[i]))
            out->name = names[i];
    }
    if (!out->name)
        return false;
    out->text = (bp_span){.data = out->name, .size = strlen(out->name)};
    if (strcmp(out->name, "Clip") == 0)
        return read_clip(rw, node, out);
    if (strcmp(out->name, "LeakyRelu") == 0 || strcmp(out->name, "HardSigmoid") == 0) {
        out->n_params = out->name[0] == 'L' ? 1 : 2;
        out->params[0] = out->name[0] == 'L' ? 0.01f : 0.2f;
        out->params[1] = 0.5f;
        read_float(node, "alpha", &out->params[0]);
        read_float(node, "beta", &out->params[1]);
    }
    return true;
}

uint32_t bp_activation_after(struct bp_rewrite *rw, uint32_t value, struct bp_activation *out)
{
    uint32_t n = bp_rw_only_user(rw, value);
    const struct bp_ir_node *node = n == BP_NONE ? NULL : bp_rw_node(rw, n);

    if (!node || node->n_in == 0 || node->in[0] != value || !bp_activation_read(rw, n, out))
        return BP_NONE;
    return n;
}

bool bp_is_float(const struct bp_rewrite *rw, uint32_t value)
{
    const struct bp_fact *fact = &rw->facts[value];

    return fact->kind == BP_KIND_TENSOR &&
           (fact->dtype == BP_DTYPE_F32 || fact->dtype == BP_DTYPE_F64);
}

/* A Div by a constant is a Mul by its reciprocal, which rounds once more. */
uint32_t bp_scaled_by(struct bp_rewrite *rw, uint32_t n, double *factor)
{
    bool is_div = bp_rw_is(rw, n, "Div");
    const struct bp_ir_node *node;
    double scalar;

    if (!is_div && !bp_rw_is(rw, n, "Mul"))
        return BP_NONE;
    node = bp_rw_node(rw, n);
    if (node->domain[0] || node->schema->since < 7)
        return BP_NONE;
    for (uint32_t i = 0; i < (is_div ? 1u : 2u); i++) {
        if (!bp_rw_float(rw, node->in[1 - i], &scalar) || scalar == 0 ||
            !bp_rw_same_shape(rw, node->in[i], node->out[0]))
            continue;
        *factor = is_div ? 1 / scalar : scalar;
        return node->in[i];
    }
    return BP_NONE;
}
