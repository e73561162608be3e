/* SPDX-License-Identifier: MIT */
/*
 * qlinear_loops.c - com.microsoft's QLinearAdd and QLinearGlobalAveragePool on bytes: loops of our
 * own, as oneDNN's sum and pooling know no scales of their own for what they read and make.
 */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/step.h"
#include "kernels/quantize.h"
#include "kernels/vector.h"
#include "ops/quantization.h"

#include <math.h>

/* Quantisation of one tensor of bytes. */
struct bytes {
    float scale;
    int32_t zero;
    uint8_t flip; /* 0x80 for int8: x ^ flip counts from 0 */
};

/* Scale and zero point of a whole tensor; the zero point is the next input. */
static bp_rc read_one(struct bp_dnnl_builder *b, const bp_node *node, uint32_t scale,
                      dnnl_data_type_t type, struct bytes *out, bp_err *err)
{
    struct bp_dnnl_quant quant;
    bp_rc rc = bp_dnnl_quant_read(b, node, scale, scale + 1, &quant, err);

    if (rc >= 0)
        *out = (struct bytes){quant.scales[0], quant.zeros[0], type == dnnl_s8 ? 0x80 : 0};
    return rc;
}

/* ---- QLinearAdd ------------------------------------------------------------------------------ */

struct sum {
    struct bytes a, b, y;
};

/* (a - za) * sa + (b - zb) * sb, divided by sy, in float32. `flip` as in kernels/quantize.c. */
VECTOR_LOOP
static void add(const struct sum *s, const uint8_t *a, const uint8_t *b, uint8_t *y, size_t n)
{
    struct bytes of_a = s->a, of_b = s->b, of_y = s->y;
    float low = (float)(-of_y.flip - of_y.zero), high = low + 255;

    for (size_t i = 0; i < n; i++) {
        float va = (float)((int32_t)(uint8_t)(a[i] ^ of_a.flip) - of_a.flip - of_a.zero);
        float vb = (float)((int32_t)(uint8_t)(b[i] ^ of_b.flip) - of_b.flip - of_b.zero);
        float v = rintf((va * of_a.scale + vb * of_b.scale) / of_y.scale);

        v = v > low ? v : low;
        y[i] = (uint8_t)((int32_t)(v < high ? v : high) + of_y.zero);
    }
}

/* An iteration is a byte; layouts are the same, so order does not matter. */
static void add_loop(const void *u, void *const *at, size_t first, size_t end)
{
    add(u, (const uint8_t *)at[0] + first, (const uint8_t *)at[1] + first, (uint8_t *)at[2] + first,
        end - first);
}

/* No broadcasting: quantised networks have residuals of one shape. */
static bool claim_add(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *a, *b;

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_typed(query, 0, BP_DNNL_BYTES, 0, BP_DNNL_MAX_RANK) ||
        !bp_dnnl_takes_typed(query, 3, BP_DNNL_BYTES, 0, BP_DNNL_MAX_RANK))
        return false;
    a = bp_node_in(query->graph, query->node, 0);
    b = bp_node_in(query->graph, query->node, 3);
    if (!bp_dnnl_same_shape(a, b))
        return bp_dnnl_refuse(query, BP_R_OTHER, b->name,
                              "only sums of equal shapes are supported");
    if (a->dtype != b->dtype)
        return bp_dnnl_refuse(query, BP_R_DTYPE, b->name, "the summands are not of one type");
    return bp_dnnl_claims_quant(query, 1, 2, 0) && bp_dnnl_claims_quant(query, 4, 5, 0) &&
           bp_dnnl_claims_quant(query, 6, 7, 0);
}

/* Both in the layout of the first that is not row-major, which a convolution made. */
static bp_rc get_summands(struct bp_dnnl_builder *b, const bp_node *node, struct bp_dnnl_tensor *x,
                          struct bp_dnnl_tensor *y, bp_err *err)
{
    dnnl_data_type_t type = bp_dnnl_host_type(b->graph, node->in[0]);
    const struct bp_dnnl_value *second = bp_dnnl_in(b, node, 3), *first = bp_dnnl_in(b, node, 0);
    const dnnl_memory_desc_t *own = second->n_tensors > 0 ? &second->tensors[0].md : NULL;
    dnnl_memory_desc_t want;
    bp_rc rc;

    bp_dnnl_row_major_as(first->rank, first->dims, type, &want);
    if (own && bp_dnnl_is_dense(own))
        want = *own;
    if (first->n_tensors > 0 && bp_dnnl_is_dense(&first->tensors[0].md) &&
        (bp_dnnl_is_row_major(&want) || !bp_dnnl_is_row_major(&first->tensors[0].md)))
        want = first->tensors[0].md;
    rc = bp_dnnl_tensor_of(b, node->in[0], &want, x, err);
    return rc < 0 ? rc : bp_dnnl_tensor_of(b, node->in[3], &want, y, err);
}

/* Over the memory of the first summand if no other node reads it. */
static bp_rc build_add(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                       bp_err *err)
{
    struct sum *sum = bp_blocks_array(b->memory, 1, sizeof *sum);
    dnnl_data_type_t type = bp_dnnl_host_type(b->graph, node->in[0]);
    struct bp_dnnl_tensor tensors[3];
    const struct bp_dnnl_tensor *operands[3] = {&tensors[0], &tensors[1], &tensors[2]};
    size_t n;
    bp_rc rc;

    (void)op;
    if (!sum)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    rc = read_one(b, node, 1, type, &sum->a, err);
    if (rc >= 0)
        rc = read_one(b, node, 4, type, &sum->b, err);
    if (rc >= 0)
        rc = read_one(b, node, 6, type, &sum->y, err);
    if (rc >= 0)
        rc = get_summands(b, node, &tensors[0], &tensors[1], err);
    if (rc >= 0)
        rc = bp_dnnl_make_in_place(b, node->out[0], node->in[0], &tensors[0], &tensors[2], err);
    if (rc < 0)
        return rc;
    n = bp_dnnl.memory_desc_get_size(&tensors[0].md);
    return bp_dnnl_emit_typed(b, add_loop, sum, n, n, 3, operands, err);
}

/* ---- QLinearGlobalAveragePool ---------------------------------------------------------------- */

enum { BLOCK = 64 };

struct mean {
    struct bytes x, y;
    size_t channels, plane_size;
};

/* Sums of n neighbouring channels over a plane, channels last. */
VECTOR_LOOP
static void add_up(const uint8_t *x, size_t step, size_t plane_size, size_t n, uint8_t flip,
                   int32_t *sums)
{
    for (size_t c = 0; c < n; c++)
        sums[c] = 0;
    for (size_t i = 0; i < plane_size; i++, x += step) {
        for (size_t c = 0; c < n; c++)
            sums[c] += (uint8_t)(x[c] ^ flip);
    }
}

/* Means of n neighbouring channels; n is BLOCK at most. */
static void average(const struct mean *m, const uint8_t *x, uint8_t *y, size_t n)
{
    float low = (float)(-m->y.flip - m->y.zero), high = low + 255;
    int32_t sums[BLOCK], zero = m->x.zero + m->x.flip;

    add_up(x, m->channels, m->plane_size, n, m->x.flip, sums);
    for (size_t c = 0; c < n; c++) {
        double sum = sums[c] - (double)zero * (double)m->plane_size;
        float v = rintf((float)(sum / (double)m->plane_size) * m->x.scale / m->y.scale);

        v = v > low ? v : low;
        y[c] = (uint8_t)((int32_t)(v < high ? v : high) + m->y.zero);
    }
}

/* An iteration is a channel of an image. */
static void average_loop(const void *u, void *const *at, size_t first, size_t end)
{
    const struct mean *m = u;

    while (first < end) {
        size_t image = first / m->channels, channel = first % m->channels;
        size_t left = m->channels - channel < end - first ? m->channels - channel : end - first;
        size_t n = left < BLOCK ? left : BLOCK;

        average(m, (const uint8_t *)at[0] + image * m->plane_size * m->channels + channel,
                (uint8_t *)at[1] + first, n);
        first += n;
    }
}

/* Sums of bytes must fit into int32, so that sizes have to be known. */
static bool claim_mean(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                       double *flops)
{
    const bp_value *x;
    double plane_size = 1;

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_typed(query, 0, BP_DNNL_BYTES, 3, 5))
        return false;
    if (bp_node_int(query->graph, query->node, "channels_last", 0) != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "channels_last", "only 0 is supported");
    x = bp_node_in(query->graph, query->node, 0);
    for (uint32_t i = 2; i < x->rank; i++)
        plane_size *= x->dims[i].value < 0 ? HUGE_VAL : (double)x->dims[i].value;
    if (plane_size > INT32_MAX / UINT8_MAX)
        return bp_dnnl_refuse(query, BP_R_DYNAMIC_SHAPE, x->name,
                              "its planes are of unknown size or too large to be summed in int32");
    return bp_dnnl_claims_quant(query, 1, 2, 0) && bp_dnnl_claims_quant(query, 3, 4, 0);
}

/* Channels last, in which convolutions make bytes. */
static bp_rc build_mean(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                        bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0), *y = &b->values[node->out[0]];
    dnnl_data_type_t type = bp_dnnl_host_type(b->graph, node->in[0]);
    struct mean *mean = bp_blocks_array(b->memory, 1, sizeof *mean);
    struct bp_dnnl_tensor from, to;
    const struct bp_dnnl_tensor *operands[2] = {&from, &to};
    dnnl_memory_desc_t md;
    bp_rc rc;

    (void)op;
    if (!mean)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    mean->channels = (size_t)x->dims[1];
    mean->plane_size = (size_t)bp_dims_count(x->dims + 2, (uint32_t)x->rank - 2);
    rc = read_one(b, node, 1, type, &mean->x, err);
    if (rc >= 0)
        rc = read_one(b, node, 3, type, &mean->y, err);
    bp_dnnl_channels_last(x->rank, x->dims, type, &md);
    if (rc >= 0)
        rc = bp_dnnl_tensor_of(b, node->in[0], &md, &from, err);
    bp_dnnl_row_major_as(y->rank, y->dims, type,
                         &md); /* planes of one element: channels last as well */
    if (rc >= 0)
        rc = bp_dnnl_make_output(b, node->out[0], &md, &to, err);
    if (rc < 0)
        return rc;
    return bp_dnnl_emit_typed(b, average_loop, mean, (size_t)(x->dims[0] * x->dims[1]),
                              (size_t)bp_dims_count(x->dims, (uint32_t)x->rank), 2, operands, err);
}

#define ROW(row, onnx, claims, builds)                                                             \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .until = 1,                                                                                \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
        .is_made = true,                                                                           \
    }

ROW(qlinear_add, "QLinearAdd", claim_add, build_add);
ROW(qlinear_global_average_pool, "QLinearGlobalAveragePool", claim_mean, build_mean);
