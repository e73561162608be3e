/* SPDX-License-Identifier: MIT */
/*
 * conv_layout.c - estimates which of two layouts the convolutions of a graph are faster on:
 * channels last, which oneDNN's newer kernels like, or blocks of 16 channels, where a Concat moves
 * nothing and Winograd's algorithm is possible. Rates are of oneDNN 2.6.3 on AVX-512, each
 * convolution alone with cold weights; they matter by their proportions only, which differ between
 * makers of processors.
 */

#include "build/conv_layout.h"

#include "base/instance.h"
#include "base/library.h"
#include "build/builder.h"

/* Convolutions that have a rate of their own. */
enum kind {
    POINTWISE,   /* windows of 1 x 1 */
    UNIT_STRIDE, /* larger ones, that move by 1 */
    STRIDED,     /* those that move by more, and points as well */
    DEPTHWISE,   /* windows on one map a group */
    FIRST_LAYER, /* the first convolution, of up to three maps */
    WINOGRAD_LARGE,
    WINOGRAD_SMALL, /* on fewer than LARGE points a side */
    N_KINDS
};
enum { LARGE = 24 };

/* Winograd's algorithm pays where tiles leave little over, and caches hold weights and points. */
struct limits {
    int64_t side;     /* points at least, in height and width */
    int64_t weights;  /* a tap has at most; 0 in any of these: no limit */
    int64_t elements; /* of the input, at most */
};

struct rates {
    double channels_last[N_KINDS], channel_blocks[N_KINDS]; /* time of an operation */
    double concat_byte; /* ... that takes as long as copying a byte for a Concat */
    double image_byte;  /* ... a byte of an image from row-major to channels last, which blocks need
                          not; 0: it does not count */
    struct limits winograd;
};

/* A Xeon with 2 MiB of cache a core. */
static const struct rates intel = {
    .channels_last = {1, 1, 1, 1, 1},
    .channel_blocks = {1.07, 1.12, 1.3, 1, 1, 0.75, 0.75},
    .concat_byte = 12,
    .winograd = {.side = 14, .weights = 128 * 128, .elements = 64 * 56 * 56},
};

/* An EPYC of the fifth generation (Zen 5), 1 MiB. */
static const struct rates amd = {
    .channels_last = {1.05, 1, 1.12, 3.2, 1},
    .channel_blocks = {1.07, 1.15, 1.35, 2.5, 1.05, 0.58, 0.85},
    .concat_byte = 12,
    .image_byte = 12,
    .winograd = {.side = 7},
};

/* Blocks have to be better by that much: what lies between convolutions is no faster on them. */
static const double margin = 0.97;

/* By the maker of the processor; all others count as Intel's. */
static const struct rates *rates_here(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_is("amd"))
        return &amd;
#endif
    return &intel;
}

static bool is_op(const bp_node *node, const char *op)
{
    return strcmp(node->op, op) == 0;
}

static bool is_conv(const bp_node *node)
{
    return is_op(node, "Conv") || is_op(node, "FusedConv");
}

/* Are all entries of the attribute equal to that? Absent is true, as the default is 1. */
static bool is_all(const bp_graph *graph, const bp_node *node, const char *name, int64_t number)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(graph, node, name, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (values[i] != number)
            return false;
    }
    return true;
}

/*
 * Kernels of 3 x 3 with stride and dilation 1, whole blocks of channels in and out, which leaves
 * the first convolution of a network out.
 */
bool bp_dnnl_prefers_winograd(const bp_node *node, const bp_graph *graph,
                              const struct bp_dnnl_value *w, const struct bp_dnnl_value *y)
{
    const struct limits *limits = &rates_here()->winograd;
    int64_t plane_size = y->dims[2] * y->dims[3];

    return w->rank == 4 && w->dims[2] == 3 && w->dims[3] == 3 &&
           bp_node_int(graph, node, "group", 1) == 1 && is_all(graph, node, "strides", 1) &&
           is_all(graph, node, "dilations", 1) && w->dims[1] % 16 == 0 && w->dims[0] % 16 == 0 &&
           (limits->weights == 0 || w->dims[0] * w->dims[1] <= limits->weights) &&
           (limits->elements == 0 || w->dims[1] * plane_size <= limits->elements) &&
           y->dims[2] >= limits->side && y->dims[3] >= limits->side;
}

/* Sums over the graph, in operations of the fastest rate. */
struct costs {
    const struct rates *rates;
    double channels_last, channel_blocks;
};

/* By weights alone: fewer than 4 channels a group are an image's, or depthwise. */
static enum kind kind_of(const bp_graph *graph, const bp_node *node, const struct bp_dnnl_value *w)
{
    if (w->dims[1] < 4)
        return bp_node_int(graph, node, "group", 1) > 1 ? DEPTHWISE : FIRST_LAYER;
    if (!is_all(graph, node, "strides", 1))
        return STRIDED;
    return w->dims[2] == 1 && w->dims[3] == 1 ? POINTWISE : UNIT_STRIDE;
}

/*
 * Operations times rates, for both layouts. A group's convolution of unknown shape counts as
 * nothing.
 */
static void add_conv(const struct bp_dnnl_builder *b, const bp_node *node, struct costs *costs)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0), *w = bp_dnnl_in(b, node, 1);
    const struct bp_dnnl_value *y = &b->values[node->out[0]];
    const struct rates *rates = costs->rates;
    enum kind kind, on_blocks;
    double ops;

    if (!w->is_known || !y->is_known || w->rank != 4 || y->rank != 4 || w->dims[0] <= 0)
        return;
    ops = 2 * (double)bp_dims_count(y->dims, 4) * (double)bp_dims_count(w->dims, 4) /
          (double)w->dims[0];
    kind = on_blocks = kind_of(b->graph, node, w);
    if (bp_dnnl_prefers_winograd(node, b->graph, w, y))
        on_blocks = y->dims[2] < LARGE || y->dims[3] < LARGE ? WINOGRAD_SMALL : WINOGRAD_LARGE;
    costs->channels_last += ops * rates->channels_last[kind];
    costs->channel_blocks += ops * rates->channel_blocks[on_blocks];
    if (kind == FIRST_LAYER && x->is_known)
        costs->channels_last +=
            (double)bp_dims_count(x->dims, 4) * sizeof(float) * rates->image_byte;
}

/* Channels last a Concat copies its bytes, on blocks only where it cannot be in place. */
static void add_concat(const struct bp_dnnl_builder *b, const bp_node *node, struct costs *costs)
{
    const struct bp_dnnl_value *y = &b->values[node->out[0]];
    double bytes;

    if (!y->is_known || y->rank != 4)
        return;
    bytes = (double)bp_dims_count(y->dims, 4) * sizeof(float);
    costs->channels_last += bytes * costs->rates->concat_byte;
    if (y->dims[0] != 1 || bp_node_int(b->graph, node, "axis", 1) != 1)
        costs->channel_blocks += bytes * costs->rates->concat_byte;
}

/* Not where convolutions may compute in bfloat16: bp_dnnl_channel_blocks() is of float32. */
bool bp_dnnl_has_blocks(const bp_instance *instance)
{
    return !instance->may_round &&
           (bp_dnnl.get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
}

/* Only convolutions and Concats count: other operators take about as long on either layout. */
bool bp_dnnl_prefers_blocks(const struct bp_dnnl_builder *b)
{
    struct costs costs = {.rates = rates_here()};

    if (!bp_dnnl_has_blocks(b->instance))
        return false;
    for (uint32_t i = 0; i < b->graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(b->graph, i);

        if (is_conv(node))
            add_conv(b, node, &costs);
        else if (is_op(node, "Concat"))
            add_concat(b, node, &costs);
    }
    return costs.channel_blocks < costs.channels_last * margin;
}
