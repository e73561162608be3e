/* SPDX-License-Identifier: MIT */
/* window.c - what Conv and pools share: pads and strides; and weights and biases of products. */

#include "operator.h"

uint32_t bp_nn_axis(int64_t axis, uint32_t rank, int layout)
{
    static const uint32_t in_nhwc[] = {0, 3, 1, 2};

    if (axis < 0)
        axis += rank;
    return layout == BP_NN_NHWC && rank == 4 ? in_nhwc[axis & 3] : (uint32_t)axis;
}

/* ---- windows --------------------------------------------------------------------------------- */

static void read_two(const bp_graph *graph, const bp_node *node, const char *name, int32_t *out)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(graph, node, name, &n);

    for (uint32_t i = 0; i < 2; i++)
        out[i] = n == 2 ? (int32_t)values[i] : 1;
}

/* Pads that keep ceil(size / stride) elements; the odd one goes to the end, or the beginning. */
static void same_pads(const bp_graph *graph, const struct bp_nn_unit *unit, bool at_end,
                      const struct bp_nn_window *w, int32_t *pads)
{
    for (uint32_t i = 0; i < 2; i++) {
        int64_t size = bp_nn_dim(graph, &unit->in[0], 2 + i), stride = w->stride[i];
        int64_t steps = (size + stride - 1) / stride;
        int64_t all =
            (steps - 1) * stride + (int64_t)(w->kernel[i] - 1) * w->dilation[i] + 1 - size;

        all = all > 0 ? all : 0;
        pads[i] = (int32_t)(at_end ? all / 2 : all - all / 2);
        pads[2 + i] = (int32_t)(all - pads[i]);
    }
}

/* Pads that are those of SAME_UPPER are said by its code, as ONNX Runtime's provider does. */
void bp_nn_read_window(const bp_graph *graph, const struct bp_nn_unit *unit, const int64_t *kernel,
                       struct bp_nn_window *out)
{
    const bp_node *node = unit->node;
    uint32_t n;
    const int64_t *pads = bp_node_ints(graph, node, "pads", &n);
    int32_t same[4];

    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < 2; i++)
        out->kernel[i] = (int32_t)kernel[i];
    read_two(graph, node, "strides", out->stride);
    read_two(graph, node, "dilations", out->dilation);
    for (uint32_t i = 0; i < 4 && n == 4; i++)
        out->pads[i] = (int32_t)pads[i];
    same_pads(graph, unit, true, out, same);
    if (bp_node_string_is(graph, node, "auto_pad", "NOTSET", "VALID"))
        out->implicit = ANEURALNETWORKS_PADDING_VALID;
    else if (bp_node_string_is(graph, node, "auto_pad", "NOTSET", "SAME_LOWER"))
        same_pads(graph, unit, false, out, out->pads);
    else if (bp_node_string_is(graph, node, "auto_pad", "NOTSET", "SAME_UPPER") ||
             memcmp(out->pads, same, sizeof same) == 0)
        out->implicit = ANEURALNETWORKS_PADDING_SAME;
}

/* NNAPI has width before height: left, right, top, bottom; stride of width, of height. */
uint32_t bp_nn_add_padding(struct bp_nn_build *b, const struct bp_nn_window *window, uint32_t *in,
                           uint32_t n)
{
    static const int order[] = {1, 3, 0, 2};

    if (window->implicit)
        in[n++] = bp_nn_i32(b, window->implicit);
    for (int i = 0; i < 4 && !window->implicit; i++)
        in[n++] = bp_nn_i32(b, window->pads[order[i]]);
    in[n++] = bp_nn_i32(b, window->stride[1]);
    in[n++] = bp_nn_i32(b, window->stride[0]);
    return n;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Type, scale and zero point; sizes and bytes are the caller's to set. */
void bp_nn_describe_weight(struct bp_nn_build *b, const struct bp_nn_arg *arg,
                           struct bp_nn_operand *out)
{
    const bp_value *value = BP_VALUE(b->graph, arg->value);
    struct bp_nn_quant quant;
    float *scales;
    uint32_t n;

    *out = (struct bp_nn_operand){.type = ANEURALNETWORKS_TENSOR_FLOAT32};
    if (!arg->is_quantized)
        return;
    if (bp_nn_quant_of(b->facts, arg, &quant)) {
        out->type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
        out->scale = quant.scale;
        out->zero = quant.zero + (value->dtype == BP_DTYPE_I8 ? 128 : 0);
        return;
    }
    n = (uint32_t)value->dims[0].value;
    scales = bp_nn_get(b, n * sizeof *scales);
    out->type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
    out->scales = scales;
    out->n_scales = n;
    if (scales && !bp_nn_floats(b->instance, b->graph, arg->scale, scales, n, &n))
        bp_nn_give_up(b, "the scales of '%s' cannot be read", value->name);
}

void bp_nn_copy_element(const struct bp_nn_bytes_from *from, uint64_t i, unsigned char *to)
{
    if (from->size == 1)
        *to = (unsigned char)(from->data[i] + from->moved);
    else
        memcpy(to, from->data + i * from->size, from->size);
}

static uint32_t zeros(struct bp_nn_build *b, struct bp_nn_operand *operand)
{
    void *data = bp_nn_get(b, operand->dims[0] * sizeof(float));

    if (data)
        memset(data, 0, operand->dims[0] * sizeof(float));
    operand->data = data;
    return bp_nn_constant(b, operand);
}

uint32_t bp_nn_bias(struct bp_nn_build *b, const struct bp_nn_arg *bias, uint32_t x, uint32_t w,
                    uint32_t n)
{
    const struct bp_nn_operand *weight = bp_nn_at(b, w);
    bool is_float = weight->type == ANEURALNETWORKS_TENSOR_FLOAT32;
    bool is_there = bias && bias->value != BP_NONE;
    struct bp_nn_operand operand = {.type = is_float ? ANEURALNETWORKS_TENSOR_FLOAT32
                                                     : ANEURALNETWORKS_TENSOR_INT32,
                                    .rank = 1,
                                    .dims = {n}};
    uint32_t computed, flat;

    if (!is_float)
        operand.scale = bp_nn_at(b, x)->scale * weight->scale;
    if (!is_there)
        return zeros(b, &operand);
    if (bp_nn_is_constant(b, bias->value)) {
        operand.data = bp_nn_bytes(b, bias->value);
        return bp_nn_constant(b, &operand);
    }
    computed = bp_nn_in(b, bias, BP_NN_NCHW);
    if (bp_nn_rank(b->graph, bias) <= 1)
        return computed;
    flat = bp_nn_like(b, computed, 1, &n);
    bp_nn_reshape(b, computed, flat);
    return flat;
}
