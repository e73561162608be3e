/* SPDX-License-Identifier: MIT */
/*
 * affine.c - x * scale + shift with one scale and shift a channel, then perhaps Relu: what is
 * between a Concat and a convolution, as in DenseNet, where no weights can absorb it. One loop in
 * the layout that comes, instead of a pass over memory for each node.
 */

#include "fuse/affine.h"

#include "base/chain.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/program.h"
#include "build/builder.h"
#include "build/frame.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/step.h"
#include "kernels/vector.h"

#include <math.h>

/* ---- finding them ---------------------------------------------------------------------------- */

/* ONNX's own operators only: other domains may mean something else by the name. */
static bool is(const bp_node *node, const char *op)
{
    return node->domain[0] == '\0' && strcmp(node->op, op) == 0;
}

/*
 * One element for each channel of x, or one for all, whatever the rank of the constant: dimension 1
 * of x, counted from the end as broadcasting does.
 */
static bool is_of_channels(const bp_value *x, const bp_value *elements)
{
    if (!(elements->flags & BP_VALUE_CONSTANT) || elements->dtype != BP_DTYPE_F32 ||
        elements->rank > x->rank)
        return false;
    for (uint32_t i = 0; i < elements->rank; i++) {
        int64_t size = elements->dims[i].value;

        if (size != 1 && (i + x->rank != elements->rank + 1 || size != x->dims[1].value))
            return false;
    }
    return true;
}

/* The input of Mul or Add that is not `x`: the constant. */
static uint32_t other_input(const bp_node *node, uint32_t x)
{
    return node->in[node->in[0] == x ? 1 : 0];
}

/* BatchNormalization in inference, with constant parameters. */
static bool is_norm(const bp_program *program, const bp_node *node)
{
    if (!is(node, "BatchNormalization"))
        return false;
    for (uint32_t i = 1; i < 5; i++) {
        if (!(BP_VALUE(program->graph, node->in[i])->flags & BP_VALUE_CONSTANT))
            return false;
    }
    return true;
}

/* Does the node scale or shift the value x by constants? */
static bool is_linear(const bp_program *program, const bp_node *node, uint32_t x)
{
    return (is(node, "Mul") || is(node, "Add")) && node->in[0] != node->in[1] &&
           is_of_channels(BP_VALUE(program->graph, x),
                          BP_VALUE(program->graph, other_input(node, x)));
}

/* The value that a chain which begins here would read; BP_NONE: none begins here. */
static uint32_t input_of(const bp_program *program, const bp_node *node)
{
    const bp_graph *graph = program->graph;

    if (is_norm(program, node))
        return node->in[0];
    if (!is(node, "Mul") && !is(node, "Add"))
        return BP_NONE;
    return BP_VALUE(graph, node->in[0])->flags & BP_VALUE_CONSTANT ? node->in[1] : node->in[0];
}

/* Is it part of a chain already? */
static bool is_taken(const bp_program *program, uint32_t node)
{
    return program->is_fused_away[node] || program->chains[node].is_set;
}

static bp_rc build_affine(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain,
                          bp_err *err);

/*
 * The chain that begins at the node, if there is one: BatchNormalization, Mul and Add in any order,
 * then Relu. Not with bfloat16 between, which the loop does not read.
 */
static void find_chain(bp_program *program, uint32_t node)
{
    const bp_graph *graph = program->graph;
    const bp_node *at = BP_NODE(graph, node);
    struct bp_dnnl_chain chain = {
        .is_set = true, .head = node, .other = BP_NONE, .build = build_affine};
    uint32_t x = input_of(program, at);
    bool is_open = x != BP_NONE && !program->instance->uses_bf16 &&
                   BP_VALUE(graph, x)->rank != BP_RANK_UNKNOWN && BP_VALUE(graph, x)->rank > 2 &&
                   BP_VALUE(graph, x)->dims[1].value > 0;

    if (!is_open || is_taken(program, node) ||
        (!is_norm(program, at) && !is_linear(program, at, x)))
        return;
    while (node != BP_NONE && chain.n_nodes < BP_DNNL_MAX_CHAIN) {
        chain.nodes[chain.n_nodes++] = chain.last = node;
        at = BP_NODE(graph, node);
        if (chain.activation != dnnl_alg_kind_undef)
            break;
        node = bp_dnnl_only_consumer(program, at->out[0], node);
        if (node == BP_NONE || is_taken(program, node))
            break;
        if (is(BP_NODE(graph, node), "Relu"))
            chain.activation = dnnl_eltwise_relu;
        else if (!is_linear(program, BP_NODE(graph, node), at->out[0]))
            break;
    }
    bp_dnnl_add_chain(program, &chain);
}

void bp_dnnl_find_affine_chains(bp_program *program)
{
    /* forwards, so that a chain begins with its first node */
    for (uint32_t i = 0; i < program->graph->n_nodes; i++)
        find_chain(program, i);
}

/* ---- scales and shifts ---------------------------------------------------------------------- */

/* Channels and their scales, in memory order: [outer][channels][rows][width]. */
struct affine {
    float *scale, *shift; /* of whole channels; padding of a block has 0 */
    size_t channels;      /* or blocks of them */
    size_t rows;          /* a channel or block has, next to each other */
    size_t width;         /* elements of a row; each has its own scale, */
    bool is_uniform;      /* or all elements of a channel share one: width is 1 then */
    bool is_relu;
};

/*
 * Element i of a constant float32, or its only one. Fewer bytes than the shape says: BP_E_INVALID.
 */
static bp_rc read_constant(struct bp_dnnl_builder *b, uint32_t value, size_t i, float *out,
                           bp_err *err)
{
    bp_span bytes;
    bp_rc rc = b->host->constant(b->host->h, b->graph, value, &bytes, err);

    if (rc < 0)
        return rc;
    if (bytes.size == sizeof *out)
        i = 0;
    if (bytes.size / sizeof *out <= i) {
        return bp_fail(err, BP_E_INVALID,
                       "constant '%s' has %zu bytes, which does not match its shape",
                       BP_VALUE(b->graph, value)->name, bytes.size);
    }
    memcpy(out, (const char *)bytes.data + i * sizeof *out, sizeof *out);
    return BP_OK;
}

/* Appends y = (x - mean) / sqrt(var + epsilon) * scale + bias. */
static bp_rc add_norm(struct bp_dnnl_builder *b, const bp_node *node, size_t channel, double *scale,
                      double *shift, bp_err *err)
{
    double epsilon = (double)bp_node_float(b->graph, node, "epsilon", 1e-5f), factor;
    float of[4]; /* scale, bias, mean, variance */

    for (uint32_t i = 0; i < 4; i++) {
        bp_rc rc = read_constant(b, node->in[i + 1], channel, &of[i], err);

        if (rc < 0)
            return rc;
    }
    factor = (double)of[0] / sqrt((double)of[3] + epsilon);
    *scale *= factor;
    *shift = (*shift - (double)of[2]) * factor + (double)of[1];
    return BP_OK;
}

/* Appends a Mul or Add by the channel's constant. */
static bp_rc add_linear(struct bp_dnnl_builder *b, const bp_node *node, uint32_t x, size_t channel,
                        double *scale, double *shift, bp_err *err)
{
    float number;
    bp_rc rc = read_constant(b, other_input(node, x), channel, &number, err);

    if (rc < 0)
        return rc;
    if (is(node, "Mul")) {
        *scale *= (double)number;
        *shift *= (double)number;
    } else {
        *shift += (double)number;
    }
    return BP_OK;
}

/*
 * What the whole chain does to a channel, summed up in double, so that it is not less exact than
 * the nodes one by one.
 */
static bp_rc sum_up(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain, uint32_t x,
                    size_t channel, struct affine *out, bp_err *err)
{
    double scale = 1, shift = 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < chain->n_nodes && rc >= 0; i++) {
        const bp_node *node = BP_NODE(b->graph, chain->nodes[i]);

        if (is(node, "BatchNormalization"))
            rc = add_norm(b, node, channel, &scale, &shift, err);
        else if (!is(node, "Relu"))
            rc = add_linear(b, node, x, channel, &scale, &shift, err);
        x = node->out[0];
    }
    out->scale[channel] = (float)scale;
    out->shift[channel] = (float)shift;
    return rc;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* NaN stays NaN, as ONNX's Relu has it: the comparison is false. */
#define OF(value) (is_relu && (value) < 0 ? 0 : (value))

/* Rows that have a scale and shift for each of their elements: channels last. */
VECTOR_LOOP
static void scale_rows(const float *scale, const float *shift, size_t width, bool is_relu,
                       const float *x, float *y, size_t n)
{
    for (size_t row = 0; row < n; row++) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
        for (size_t i = 0; i < width; i++) {
            float v = x[row * width + i] * scale[i] + shift[i];

            y[row * width + i] = OF(v);
        }
    }
}

/* The same for rows of one block, whose width the compiler knows: half the time. */
VECTOR_LOOP
static void scale_blocks(const float *scale, const float *shift, bool is_relu, const float *x,
                         float *y, size_t n)
{
    enum { WIDTH = 16 };

    for (size_t row = 0; row < n; row++) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
        for (size_t i = 0; i < WIDTH; i++) {
            float v = x[row * WIDTH + i] * scale[i] + shift[i];

            y[row * WIDTH + i] = OF(v);
        }
    }
}

/* Elements that all have one scale and shift: row-major. */
VECTOR_LOOP
static void scale_elements(float scale, float shift, bool is_relu, const float *x, float *y,
                           size_t n)
{
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
    for (size_t i = 0; i < n; i++) {
        float v = x[i] * scale + shift;

        y[i] = OF(v);
    }
}

/* An iteration is a row; rows of one channel or block are done together. */
static void run(const void *u, const float *x, float *y, size_t first, size_t end)
{
    const struct affine *a = u;

    while (first < end) {
        size_t channel = first / a->rows % a->channels, left = a->rows - first % a->rows;
        size_t n = end - first < left ? end - first : left, at = first * a->width;
        const float *scale = a->scale + channel * a->width, *shift = a->shift + channel * a->width;

        if (a->is_uniform)
            scale_elements(*scale, *shift, a->is_relu, x + at, y + at, n);
        else if (a->width == 16)
            scale_blocks(scale, shift, a->is_relu, x + at, y + at, n);
        else
            scale_rows(scale, shift, a->width, a->is_relu, x + at, y + at, n);
        first += n;
    }
}

/* ---- building it ----------------------------------------------------------------------------- */

/* The value in a layout that the loop knows, and how channels lie there. */
static bp_rc get_input(struct bp_dnnl_builder *b, uint32_t value, struct bp_dnnl_tensor *x,
                       struct affine *a, bp_err *err)
{
    struct bp_dnnl_planes planes;
    bp_rc rc = bp_dnnl_tensor_as_planes(b, value, BP_DNNL_PLANES_F32, x, &planes, err);

    if (rc < 0)
        return rc;
    *a = (struct affine){
        .channels = (size_t)x->md.padded_dims[1] / planes.inner_channels,
        .rows = (size_t)bp_dims_count(x->md.dims + 2, (uint32_t)x->md.ndims - 2),
        .width = planes.inner_channels,
        .is_uniform = planes.inner_channels == 1,
    };
    return BP_OK;
}

/* Padding of a block gets scale 0 and shift 0, so that it stays 0. */
static bp_rc build_affine(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain, bp_err *err)
{
    uint32_t from = input_of(b->frame->program, BP_NODE(b->graph, chain->head));
    uint32_t made = BP_NODE(b->graph, chain->last)->out[0];
    struct affine *a = bp_blocks_array(b->memory, 1, sizeof *a);
    struct bp_dnnl_tensor x, y;
    size_t n, elements;
    bp_rc rc;

    if (!a)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for scales");
    rc = get_input(b, from, &x, a, err);
    if (rc < 0)
        return rc;
    a->is_relu = chain->activation != dnnl_alg_kind_undef;
    n = (size_t)x.md.padded_dims[1];
    a->scale = bp_blocks_array(b->memory, n, sizeof *a->scale);
    a->shift = bp_blocks_array(b->memory, n, sizeof *a->shift);
    if (!a->scale || !a->shift)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for scales of %zu channels", n);
    for (size_t i = 0; i < (size_t)x.md.dims[1] && rc >= 0; i++)
        rc = sum_up(b, chain, from, i, a, err);
    if (rc >= 0)
        rc = bp_dnnl_make_in_place(b, made, from, &x, &y, err);
    if (rc < 0)
        return rc;
    elements = bp_dnnl.memory_desc_get_size(&x.md) / sizeof(float);
    return bp_dnnl_emit_loop(b, run, a, elements / a->width, &x, &y, err);
}
