/* SPDX-License-Identifier: MIT */
/*
 * policy.c - which of two layouts the convolutions of a graph work on: channels last, which
 * oneDNN's newer kernels like, or blocks of 16 channels, where joins move nothing and Winograd's way
 * is open. Rates are of oneDNN 2.6.3 on AVX-512, each convolution alone with cold weights; they
 * matter by their proportions only.
 */

#include "onednn.h"

/* Time of an operation beside that of the direct way on channels last. */
static const double of_blocks = 1.12, of_blocks_strided = 1.3, of_blocks_1x1 = 1.07;
static const double of_winograd = 0.75;

/* Operations that take as long as it takes a join to move a byte. */
static const double of_moving = 12;

/* Blocks have to be better by that much: what lies between convolutions is no faster on them. */
static const double margin = 0.97;

static bool is_op(const bp_node *node, const char *op)
{
    return strcmp(node->op, op) == 0;
}

static bool is_conv(const bp_node *node)
{
    return is_op(node, "Conv") || is_op(node, "FusedConv");
}

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
 * Windows of 3 x 3 that move by 1, on enough points that tiles leave little over, with weights and
 * transformed points that caches hold; the first convolution has too few channels.
 */
bool bp_dnnl_prefers_winograd(const bp_node *node, const bp_graph *graph,
                              const struct bp_dnnl_value *w, const struct bp_dnnl_value *y)
{
    int64_t area = y->dims[2] * y->dims[3];

    return w->rank == 4 && w->dims[2] == 3 && w->dims[3] == 3 &&
           bp_node_int(graph, node, "group", 1) == 1 && is_all(graph, node, "strides", 1) &&
           is_all(graph, node, "dilations", 1) && w->dims[1] % 16 == 0 && w->dims[0] % 16 == 0 &&
           w->dims[0] * w->dims[1] <= 128 * 128 && w->dims[1] * area <= 64 * 56 * 56 &&
           y->dims[2] >= 14 && y->dims[3] >= 14;
}

/* Sums, in operations on channels last. */
struct costs {
    double last, blocks;
};

static void add_conv(const struct bp_dnnl_build *b, const bp_node *node, struct costs *costs)
{
    const struct bp_dnnl_value *w = bp_dnnl_in(b, node, 1), *y = &b->values[node->out[0]];
    double ops, rate = of_blocks;

    if (!w->is_known || !y->is_known || w->rank != 4 || y->rank != 4 || w->dims[0] <= 0)
        return;
    ops = 2 * (double)bp_dims_count(y->dims, 4) * (double)bp_dims_count(w->dims, 4) /
          (double)w->dims[0];
    if (!is_all(b->graph, node, "strides", 1))
        rate = of_blocks_strided;
    else if (w->dims[2] == 1 && w->dims[3] == 1)
        rate = of_blocks_1x1;
    else if (bp_dnnl_prefers_winograd(node, b->graph, w, y))
        rate = of_winograd;
    if (w->dims[1] < 4)
        rate = 1; /* one map a group, or a picture: much the same */
    costs->last += ops;
    costs->blocks += ops * rate;
}

static void add_join(const struct bp_dnnl_build *b, const bp_node *node, struct costs *costs)
{
    const struct bp_dnnl_value *y = &b->values[node->out[0]];
    double bytes;

    if (!y->is_known || y->rank != 4)
        return;
    bytes = (double)bp_dims_count(y->dims, 4) * sizeof(float);
    costs->last += bytes * of_moving;
    if (y->dims[0] != 1 || bp_node_int(b->graph, node, "axis", 1) != 1)
        costs->blocks += bytes * of_moving;
}

bool bp_dnnl_has_blocks(const bp_instance *instance)
{
    return !instance->may_round &&
           (bp_dnnl.get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
}

bool bp_dnnl_prefers_blocks(const struct bp_dnnl_build *b)
{
    struct costs costs = {0, 0};

    if (!bp_dnnl_has_blocks(b->instance))
        return false;
    for (uint32_t i = 0; i < b->graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(b->graph, i);

        if (is_conv(node))
            add_conv(b, node, &costs);
        else if (is_op(node, "Concat"))
            add_join(b, node, &costs);
    }
    return costs.blocks < costs.last * margin;
}
