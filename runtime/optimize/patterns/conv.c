/* SPDX-License-Identifier: MIT */
/*
 * conv.c - weights and bias of convolutions: found, scaled by channel, written back.
 *
 * Weights are M x C/group x kernel (Conv) or C x M/group x kernel (ConvTranspose). Arithmetic is in
 * float64, and each weight is rounded once to its own type.
 */

#include "config.h"

#include "optimize/patterns/conv.h"

static bool is_float_constant(const struct bp_rewrite *rw, uint32_t value, uint32_t dtype)
{
    return bp_rw_is_constant(rw, value) && rw->ir->values[value].data->dtype == dtype;
}

/* Shape of the weights; false: rank, group count and channels don't fit together. */
static bool read_dims(struct bp_rewrite *rw, const struct bp_ir_node *node, struct bp_conv *c)
{
    const struct bp_ir_data *w = rw->ir->values[node->in[1]].data;
    int64_t groups = bp_ir_attr_int(node, "group", 1);

    if (w->rank < 3 || w->rank > BP_MAX_RANK || groups < 1)
        return false;
    c->dtype = w->dtype;
    c->rank = w->rank;
    c->groups = (uint64_t)groups;
    memcpy(c->dims, w->dims, w->rank * sizeof *w->dims);
    c->channels = (uint64_t)w->dims[c->is_transposed ? 1 : 0] * (c->is_transposed ? c->groups : 1);
    c->n_weights = w->size / (bp_dtype_width(w->dtype) / 8);
    return c->n_weights > 0 && w->dims[0] % groups == 0;
}

bool bp_conv_reads(const struct bp_rewrite *rw, uint32_t n)
{
    return bp_rw_reads(rw, n, "Conv") || bp_rw_reads(rw, n, "ConvTranspose");
}

bool bp_conv_find(struct bp_rewrite *rw, uint32_t value, struct bp_conv *out)
{
    uint32_t n = bp_rw_producer(rw, value), bias;
    const struct bp_ir_node *node;
    uint32_t w;

    if (!bp_rw_is(rw, n, "Conv") && !bp_rw_is(rw, n, "ConvTranspose"))
        return false;
    node = bp_rw_node(rw, n);
    if (bp_rw_only_user(rw, value) == BP_NONE || node->domain[0] || node->n_in < 2)
        return false;
    *out = (struct bp_conv){.node = n, .is_transposed = node->op[4] != '\0'};
    w = node->in[1];
    bias = bp_rw_in(node, 2);
    if (!bp_rw_is_constant(rw, w) ||
        (!is_float_constant(rw, w, BP_DTYPE_F32) && !is_float_constant(rw, w, BP_DTYPE_F64)))
        return false;
    if (!read_dims(rw, node, out))
        return false;
    if (bias == BP_NONE)
        return true;
    return is_float_constant(rw, bias, out->dtype) && rw->ir->values[bias].data->rank == 1 &&
           (uint64_t)rw->ir->values[bias].data->dims[0] == out->channels;
}

/* Weights that a pass made for this node alone are changed in place; the model's are copied. */
static struct bp_ir_data *own_weights(struct bp_rewrite *rw, uint32_t value)
{
    struct bp_ir_data *data = rw->ir->values[value].data, *copy;
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);

    if (bp_rw_is_own(data) && bp_rw_only_user(rw, value) != BP_NONE)
        return data;
    if (bp_ir_data_load(data, &own) < 0 ||
        bp_rw_new_data(rw, data->dtype, data->rank, data->dims, &copy, &own) < 0)
        return NULL;
    memcpy((uint8_t *)(uintptr_t)copy->bytes, data->bytes, copy->size);
    return copy;
}

/* Without a bias, one of zeros is made in scratch. */
bool bp_conv_load(struct bp_rewrite *rw, struct bp_conv *conv, bool with_weights)
{
    const struct bp_ir_node *node = bp_rw_node(rw, conv->node);
    uint32_t bias = bp_rw_in(node, 2);
    size_t n;

    conv->bias = bias == BP_NONE ? bp_region_array(rw->scratch, conv->channels, sizeof *conv->bias)
                                 : bp_rw_floats(rw, bias, &n);
    if (conv->bias && with_weights)
        conv->weights = own_weights(rw, node->in[1]);
    return conv->bias && (!with_weights || conv->weights);
}

static void scale(struct bp_ir_data *data, size_t first, size_t n, double factor)
{
    void *bytes = (void *)(uintptr_t)data->bytes;

    if (data->dtype == BP_DTYPE_F32) {
        for (size_t i = first; i < first + n; i++)
            ((float *)bytes)[i] = (float)((double)((float *)bytes)[i] * factor);
    } else {
        for (size_t i = first; i < first + n; i++)
            ((double *)bytes)[i] *= factor;
    }
}

/*
 * Weights of an output channel are contiguous in Conv; in ConvTranspose there is one run for each
 * input channel of the group.
 */
void bp_conv_scale(struct bp_conv *c, size_t channel, double factor, double offset)
{
    size_t kernel = 1, rows = 1, stride, first;

    for (uint32_t d = 2; d < c->rank; d++)
        kernel *= (size_t)c->dims[d];
    if (c->is_transposed) {
        size_t in_group = (size_t)c->dims[1], group = channel / in_group;

        rows = (size_t)c->dims[0] / c->groups;
        stride = in_group * kernel;
        first = group * rows * stride + channel % in_group * kernel;
    } else {
        kernel *= (size_t)c->dims[1];
        stride = 0;
        first = channel * kernel;
    }
    for (size_t r = 0; r < rows; r++)
        scale(c->weights, first + r * stride, kernel, factor);
    c->bias[channel] = c->bias[channel] * factor + offset;
}

/* The changed weights as an input: a new constant, or the one they were changed in. */
static bp_rc use_weights(struct bp_rewrite *rw, const struct bp_conv *conv, uint32_t *value,
                         bp_err *err)
{
    struct bp_rw_made made = {.data = conv->weights};
    bp_rc rc = BP_OK;

    if (rw->ir->values[*value].data != conv->weights)
        rc = bp_rw_make(rw, *value, &made, err);
    else
        made.value = *value;
    *value = made.value;
    return rc < 0 ? rc : bp_rw_made(rw, &made, err);
}

bp_rc bp_conv_replace(struct bp_rewrite *rw, struct bp_conv *conv, uint32_t last, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, conv->node);
    int64_t channels = (int64_t)conv->channels;
    uint32_t in[3] = {node->in[0], node->in[1], BP_NONE};
    bp_rc rc = BP_OK;

    if (conv->weights)
        rc = use_weights(rw, conv, &in[1], err);
    if (rc >= 0)
        rc = bp_rw_make_floats(rw, bp_rw_in(node, 2) == BP_NONE ? node->in[1] : node->in[2],
                               conv->dtype, 1, &channels, conv->bias, &in[2], err);
    if (rc >= 0)
        rc = bp_rw_become(rw, last, conv->node, err);
    if (rc >= 0)
        rc = bp_rw_set_inputs(rw, last, 3, in, err);
    rw->n_matches += rc >= 0;
    return rc;
}

double *bp_conv_channels(struct bp_rewrite *rw, uint32_t value, uint32_t rank, uint64_t channels)
{
    const struct bp_ir_data *data;
    double *elements;
    size_t n;

    if (!bp_rw_is_constant(rw, value))
        return NULL;
    data = rw->ir->values[value].data;
    if (data->rank > rank)
        return NULL;
    for (uint32_t d = 0; d < data->rank; d++) {
        bool is_channel = d + rank - data->rank == 1;

        if (data->dims[d] != 1 && (!is_channel || (uint64_t)data->dims[d] != channels))
            return NULL;
    }
    elements = bp_rw_floats(rw, value, &n);
    if (elements && n == 1 && channels > 1) {
        double one = elements[0];

        elements = bp_region_array(rw->scratch, channels, sizeof *elements); /* one for all */
        for (uint64_t i = 0; elements && i < channels; i++)
            elements[i] = one;
    }
    return elements;
}
