/* SPDX-License-Identifier: MIT */
/*
 * thread_count.c - see thread_count.h. Counts are rough: they only tell tiny graphs from all
 * others.
 */

#include "build/thread_count.h"

#include "base/operator.h"
#include "base/program.h"

#include <stdbool.h>

/* Operations that an element counts as where nothing is summed: memory takes the time there. */
enum { OF_AN_ELEMENT = 8 };

/* Elements; 0 if the rank is not known, as such a node is not counted on. */
static double count_of(const bp_shape *shape)
{
    return shape->rank == BP_RANK_UNKNOWN ? 0 : (double)bp_dims_count(shape->dims, shape->rank);
}

/*
 * Elements of the second operand that each element of the result sums products with: columns of A
 * for a product, weights of one output channel for a convolution.
 */
static double depth_of(const struct bp_dnnl_op *op, const bp_graph *graph, const bp_node *node,
                       const bp_shape *a, const bp_shape *b)
{
    if (a->rank == 0 || b->rank < 2 || b->rank == BP_RANK_UNKNOWN || a->rank == BP_RANK_UNKNOWN)
        return 1;
    if (op->work == BP_DNNL_PRODUCT)
        return (double)a->dims[bp_node_int(graph, node, "transA", 0) ? 0 : a->rank - 1];
    return b->dims[0] > 0 ? count_of(b) / (double)b->dims[0] : 0;
}

/*
 * Floating-point operations of a run of the node, roughly. Sequences count as worth a team: rnn.c
 * decides for each of them by the work of a step.
 */
static double work_of(const struct bp_dnnl_op *op, const bp_graph *graph, const bp_node *node,
                      const bp_shape *shapes)
{
    uint32_t weights = op->weights;
    double elements = 0;

    if (op->work == BP_DNNL_SEQUENCE)
        return BP_DNNL_WORTH_A_TEAM;
    if (node->n_out > 0 && node->out[0] != BP_NONE)
        elements = count_of(&shapes[node->out[0]]);
    if (weights > 0 && node->n_in > weights && node->in[0] != BP_NONE &&
        node->in[weights] != BP_NONE)
        return 2 * elements *
               depth_of(op, graph, node, &shapes[node->in[0]], &shapes[node->in[weights]]);
    if (node->n_in > 0 && node->in[0] != BP_NONE && count_of(&shapes[node->in[0]]) > elements)
        elements = count_of(&shapes[node->in[0]]);
    return elements * OF_AN_ELEMENT;
}

/*
 * One node that is worth it decides for the frame, as a team changes its size only between frames.
 */
uint32_t bp_dnnl_thread_count(const bp_program *program, const bp_frame_desc *desc, uint32_t width)
{
    const bp_graph *graph = program->graph;

    if (!desc->shapes || desc->n_shapes < graph->n_values)
        return width;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        if (work_of(program->ops[i], graph, BP_NODE(graph, i), desc->shapes) >=
            BP_DNNL_WORTH_A_TEAM)
            return width;
    }
    return 1;
}
